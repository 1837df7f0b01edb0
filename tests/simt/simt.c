/* simt.c: CUDA threads as fibers of one host thread: see simt_runtime.h. */
#define _GNU_SOURCE
#include "race.h"
#include "simt_runtime.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN
#endif
#endif
#if defined(SIMT_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define POISON(p, n)   ASAN_POISON_MEMORY_REGION(p, n)
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
enum { STACK_BYTES = 256 << 10 };
#else
#define POISON(p, n)   ((void)0)
#define UNPOISON(p, n) ((void)0)
enum { STACK_BYTES = 64 << 10 };
#endif
#if !defined(__x86_64__)
#define SIMT_UCONTEXT
#include <ucontext.h>
#endif

#if defined(SIMT_RACES)
enum { ORDERS_SHOW = 1 };
#else
enum { ORDERS_SHOW = 0 }; /* whether simt_order_warp may be left out to see whether it is missed */
unsigned simt_races(void)
{
    return 0;
}
void simt_print_races(void) {}
#endif

enum {
    WARP = 32,
    MOST_BROUGHT = 64,
    GUARD_BYTES = 64 << 10, /* a page of any size */
    ARENA_BYTES = 256 << 10,
    RED_ZONE_BYTES = 64,
    STATIC_LIMIT_BYTES = 48 << 10,
    MOST_VARIABLES = 64,
    SPIN_LIMIT = 4 << 20
};

enum policy { ASCENDING, DESCENDING, DEPTH, UNIFORM };
enum state { RUNNABLE, IN_WARP, IN_BLOCK, IN_GRID, DONE };

/* A copy to shared memory that is under way. */
struct brought {
    void *to;
    const void *from;
    size_t bytes;
};

struct fiber {
    struct simt_place place; /* first: simt_here points at it */
    struct block *block;
    struct warp *warp;
    unsigned lane;
    enum state state;
    enum simt_op op; /* of the collective it waits in */
    unsigned mask;
    uint64_t value;
    int from;
    int width;
    const char *file;
    int line;
    uint64_t out;
    unsigned brought_count;
    char *stack;
#if defined(SIMT_UCONTEXT)
    ucontext_t context;
#else
    void *sp;
#endif
    void *fake_stack; /* the address sanitizer's */
    struct brought brought[MOST_BROUGHT];
};

struct warp {
    struct fiber *lanes[WARP];
    unsigned waiting, done;
};

struct variable {
    const void *key;
    void *memory;
    size_t bytes;
};

struct block {
    struct fiber **fibers;
    struct warp *warps;
    struct simt_order order;
    unsigned threads, finished, arrived, in_grid;
    const char *file;
    int line;
    unsigned result;
    char *arena;
    size_t used;
    struct variable variables[MOST_VARIABLES];
    unsigned variable_count;
};

struct simt_place *simt_here;
struct simt_options simt_opt;

static struct {
    const char *kernel;
    enum policy policy; /* who runs next */
    void (*call)(void *);
    void *body;
    simt_idx grid, dim;
    size_t shared_bytes;
    struct block *blocks; /* places for blocks in flight */
    unsigned places, threads;
    unsigned *order; /* of blocks */
    unsigned count, next, finished;
    unsigned grid_arrived;
    struct fiber **ring; /* runnable fibers, a power of two of places */
    unsigned ring_size, head, n;
    uint64_t random;
    uint64_t spins;
    struct fiber *home; /* the host's own */
} run;

static struct fiber *pool[1 << 15];
static unsigned pool_count;
static struct {
    const char *file;
    int line;
    uint64_t visits;
} barriers[SIMT_MOST_BARRIERS];
static unsigned barrier_count, barrier_last; /* the last one that a thread came to */

static struct fiber *here(void)
{
    return (struct fiber *)(void *)simt_here;
}

static _Noreturn void fail(const char *file, int line, const char *what)
{
    const struct simt_place *p = simt_here;
    fprintf(stderr, "simt: kernel %s, block %u, thread %u, seed %llu: %s:%d: %s\n", run.kernel,
            p ? p->block.x : 0, p ? p->thread.x : 0, (unsigned long long)simt_opt.seed,
            file ? file : "?", line, what);
    abort();
}

/* ---- chance ---- */

static uint64_t chance(void)
{
    uint64_t z = run.random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static unsigned below(unsigned n)
{
    return (unsigned)((chance() >> 32) * n >> 32);
}

static enum policy policy_of(uint64_t seed)
{
    return seed < 2 ? (enum policy)seed : seed % 2 == 0 ? DEPTH : UNIFORM;
}

void simt_rubbish(void *memory, size_t bytes)
{
    unsigned char *const p = memory;
    size_t done = bytes < 256 ? bytes : 256;
    for (size_t i = 0; i < done; i++)
        p[i] = (unsigned char)(0xa5 + 29 * simt_opt.seed + 7 * i);
    for (size_t n; done < bytes; done += n) { /* which repeats after 256 */
        n = done < bytes - done ? done : bytes - done;
        memcpy(p + done, p, n);
    }
}

/* ---- the queue of runnable fibers ---- */

static void push(struct fiber *f)
{
    run.ring[(run.head + run.n++) & (run.ring_size - 1)] = f;
}

static void push_far(struct fiber *f) /* at the end that is served last */
{
    if (run.policy <= DESCENDING) {
        push(f);
        return;
    }
    run.head = (run.head - 1) & (run.ring_size - 1);
    run.ring[run.head] = f;
    run.n++;
}

static void print_waiting(void)
{
    static const char *const states[] = {"runnable", "in a warp's collective", "at a barrier",
                                         "at the grid's barrier", "done"};
    for (unsigned b = 0; b < run.places; b++)
        for (unsigned t = 0; t < run.threads; t++) {
            const struct fiber *f = run.blocks[b].fibers[t];
            const struct fiber *before = t > 0 ? run.blocks[b].fibers[t - 1] : NULL;
            if (f->state == DONE ||
                (before && before->state == f->state && before->line == f->line))
                continue;
            fprintf(stderr, "simt:   block %u, from thread %u on: %s, %s:%d\n", f->place.block.x, t,
                    states[f->state], f->file ? f->file : "?", f->line);
        }
}

static struct fiber *pick(void)
{
    if (run.n == 0) {
        print_waiting();
        fail(NULL, 0, "deadlock: no thread can go on");
    }
    if (run.policy == UNIFORM) {
        const unsigned at = (run.head + below(run.n)) & (run.ring_size - 1);
        const unsigned last = (run.head + run.n - 1) & (run.ring_size - 1);
        struct fiber *const f = run.ring[at];
        run.ring[at] = run.ring[last];
        run.ring[last] = f;
    }
    run.n--;
    if (run.policy <= DESCENDING)
        return run.ring[run.head++ & (run.ring_size - 1)];
    return run.ring[(run.head + run.n) & (run.ring_size - 1)];
}

/* Make fibers runnable: in order, or warps in random order and lanes of each in random order. */
static void release(struct fiber **group, unsigned n)
{
    unsigned warps[64], lanes[WARP];
    const unsigned count = (n + WARP - 1) / WARP;
    for (unsigned w = 0; w < count; w++)
        warps[w] = w;
    for (unsigned w = count; run.policy >= DEPTH && w > 1; w--) {
        const unsigned k = below(w), swap = warps[k];
        warps[k] = warps[w - 1];
        warps[w - 1] = swap;
    }
    for (unsigned w = 0; w < count; w++) {
        const unsigned own = run.policy == DESCENDING ? count - 1 - w : warps[w];
        const unsigned size = n - own * WARP < WARP ? n - own * WARP : WARP;
        for (unsigned i = 0; i < size; i++)
            lanes[i] = run.policy == DESCENDING ? size - 1 - i : i;
        for (unsigned i = size; run.policy >= DEPTH && i > 1; i--) {
            const unsigned k = below(i), swap = lanes[k];
            lanes[k] = lanes[i - 1];
            lanes[i - 1] = swap;
        }
        for (unsigned i = 0; i < size; i++) {
            struct fiber *const f = group[own * WARP + lanes[i]];
            f->state = RUNNABLE;
            push(f);
        }
    }
}

/* ---- fibers ---- */

#if !defined(SIMT_UCONTEXT)
void simt_switch(void **save, void *load);
__asm__(".text\n.globl simt_switch\n.type simt_switch,@function\nsimt_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rsp,(%rdi)\nmovq %rsi,%rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n"
        ".size simt_switch,.-simt_switch\n");
#endif

static void switch_to(struct fiber *to)
{
    struct fiber *const from = simt_here ? here() : run.home;
    if (from == to)
        return;
    simt_here = to == run.home ? NULL : &to->place;
    simt_race_runs(to == run.home ? NULL : &to->block->order, to->place.thread.x,
                   (&(struct simt_own){to->stack, to, STACK_BYTES, sizeof *to}));
#if defined(SIMT_ASAN)
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, STACK_BYTES);
#endif
#if defined(SIMT_UCONTEXT)
    swapcontext(&from->context, &to->context);
#else
    simt_switch(&from->sp, to->sp);
#endif
#if defined(SIMT_ASAN)
    __sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
#endif
}

static void thread_done(void);

static void fiber_main(void)
{
#if defined(SIMT_ASAN)
    __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
#endif
    for (;;) {
        run.call(run.body);
        thread_done();
    }
}

static void *map(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        fail(NULL, 0, "no memory for the runtime");
    return p;
}

static struct fiber *fiber_new(void)
{
    struct fiber *const f = calloc(1, sizeof *f);
    char *const memory = map(GUARD_BYTES + STACK_BYTES);
    if (!f || pool_count == sizeof pool / sizeof *pool)
        fail(NULL, 0, "no memory for so many threads");
    mprotect(memory, GUARD_BYTES, PROT_NONE);
    f->stack = memory + GUARD_BYTES;
#if defined(SIMT_UCONTEXT)
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->stack;
    f->context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&f->context, fiber_main, 0);
#else
    /* the offset keeps the tops of stacks out of the same sets of the cache */
    void **top = (void **)(void *)(f->stack + STACK_BYTES - pool_count % 64 * 64);
    union {
        void (*function)(void);
        void *address;
    } entry = {.function = fiber_main};
    top[-2] = entry.address;
    f->sp = top - 8;
#endif
    pool[pool_count++] = f;
    return f;
}

/* ---- blocks ---- */

static void begin_block(struct block *b, unsigned number)
{
    b->finished = b->arrived = b->in_grid = b->variable_count = 0;
    simt_race_begin(&b->order, b->arena, number);
    UNPOISON(b->arena, ARENA_BYTES);
    simt_rubbish(b->arena, run.shared_bytes + RED_ZONE_BYTES);
    POISON(b->arena + run.shared_bytes, ARENA_BYTES - run.shared_bytes);
    b->used = (run.shared_bytes + 2 * RED_ZONE_BYTES - 1) / RED_ZONE_BYTES * RED_ZONE_BYTES;
    memset(b->warps, 0, sizeof *b->warps * (run.threads / WARP));
    for (unsigned t = 0; t < run.threads; t++) {
        struct fiber *const f = b->fibers[t];
        f->place = (struct simt_place){.thread = {t, 0, 0},
                                       .block = {number, 0, 0},
                                       .block_dim = run.dim,
                                       .grid_dim = run.grid};
        f->block = b;
        f->warp = &b->warps[t / WARP];
        f->lane = t % WARP;
        f->warp->lanes[t % WARP] = f;
        f->line = 0;
        f->file = NULL;
        f->brought_count = 0;
    }
    release(b->fibers, run.threads);
}

static void thread_done(void)
{
    struct fiber *const f = here();
    struct block *const b = f->block;
    if (b->arrived > 0)
        fail(b->file, b->line, "a thread leaves the kernel while others wait at this barrier");
    if (f->warp->waiting)
        for (unsigned i = 0; i < WARP; i++)
            if (f->warp->waiting >> i & 1 && f->warp->lanes[i]->mask >> f->lane & 1)
                fail(f->warp->lanes[i]->file, f->warp->lanes[i]->line,
                     "a thread leaves the kernel while lanes wait for it here");
    if (f->brought_count > 0)
        fail(NULL, 0, "a thread leaves the kernel while copies of its own are under way");
    f->state = DONE;
    f->warp->done |= 1u << f->lane;
    simt_progress();
    if (++b->finished == b->threads) {
        run.finished++;
        if (run.next < run.count)
            begin_block(b, run.order[run.next++]);
        else if (run.finished == run.count) {
            switch_to(run.home);
            return;
        }
    }
    switch_to(pick());
}

/* Asked for once a thread: of the first one libc reads all of /proc/self/maps, and each fiber has
 * two lines in it. */
static void host_stack(struct fiber *home)
{
    static _Thread_local void *low;
    pthread_attr_t attributes;
    size_t bytes = 0;
    if (!low && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &low, &bytes);
        pthread_attr_destroy(&attributes);
    }
    home->stack = low;
}

static void prepare(unsigned threads, unsigned places)
{
    run.blocks = calloc(places, sizeof *run.blocks);
    run.order = calloc(run.count, sizeof *run.order);
    for (run.ring_size = 64; run.ring_size < threads * places;)
        run.ring_size *= 2;
    run.ring = calloc(run.ring_size, sizeof *run.ring);
    if (!run.blocks || !run.order || !run.ring)
        fail(NULL, 0, "no memory for a launch");
    run.head = run.n = 0;
    while (pool_count < threads * places)
        fiber_new();
    static char *arenas[1 << 15];
    for (unsigned b = 0; b < places; b++) {
        struct block *const p = &run.blocks[b];
        p->threads = threads;
        p->fibers = pool + b * threads;
        p->warps = calloc(threads / WARP, sizeof *p->warps);
        if (!arenas[b])
            arenas[b] = map(ARENA_BYTES);
        p->arena = arenas[b];
        if (!p->warps)
            fail(NULL, 0, "no memory for a launch");
    }
    for (unsigned i = 0; i < run.count; i++)
        run.order[i] = i;
    for (unsigned i = run.count; simt_opt.seed > 0 && i > 1; i--) {
        const unsigned k = below(i), swap = run.order[k];
        run.order[k] = run.order[i - 1];
        run.order[i - 1] = swap;
    }
}

void (*simt_queue)(void *stream, void (*run)(void *), const void *body, size_t bytes);

void (*simt_begins)(const char *name);

void simt_launch(const char *name, simt_idx grid, simt_idx block, size_t shared_bytes,
                 int is_cooperative, void (*call)(void *), void *body)
{
    static struct fiber home;
    memset(&run, 0, sizeof run);
    simt_race_kernel(name);
    if (simt_begins)
        simt_begins(name);
    run.kernel = name;
    run.policy = policy_of(simt_opt.seed);
    run.call = call;
    run.body = body;
    run.grid = grid;
    run.dim = block;
    run.shared_bytes = shared_bytes;
    run.count = grid.x;
    run.threads = block.x;
    run.random = simt_opt.seed * UINT64_C(0x2545f4914f6cdd1d) + 1;
    run.home = &home;
    if (grid.y != 1 || grid.z != 1 || block.y != 1 || block.z != 1)
        fail(NULL, 0, "grids and blocks have one dimension here");
    if (block.x % WARP != 0 || block.x == 0 || block.x > 1024)
        fail(NULL, 0, "a block's threads are not a multiple of 32, or too many");
    if (shared_bytes > simt_shared_limit())
        fail(NULL, 0, "too much shared memory for a GPU");
    if (run.count == 0)
        fail(NULL, 0, "a grid of no blocks");
    unsigned resident = simt_opt.resident ? simt_opt.resident : 1 + (unsigned)(simt_opt.seed % 4);
    if (is_cooperative || resident > run.count)
        resident = run.count;
    run.places = resident;
    host_stack(&home);
    prepare(block.x, resident);
    while (run.next < resident) {
        const unsigned place = run.next;
        begin_block(&run.blocks[place], run.order[run.next++]);
    }
    switch_to(pick());
    for (unsigned b = 0; b < run.places; b++) {
        UNPOISON(run.blocks[b].arena, ARENA_BYTES);
        free(run.blocks[b].warps);
    }
    free(run.blocks);
    free(run.order);
    free(run.ring);
}

/* ---- shared memory ---- */

void *simt_shared_dynamic(void)
{
    return here()->block->arena;
}

void *simt_shared(const void *key, size_t bytes)
{
    struct block *const b = here()->block;
    size_t total = bytes;
    for (unsigned i = 0; i < b->variable_count; i++) {
        if (b->variables[i].key == key)
            return b->variables[i].memory;
        total += b->variables[i].bytes;
    }
    if (total > STATIC_LIMIT_BYTES || total + run.shared_bytes > simt_shared_limit())
        fail(NULL, 0, "too much shared memory");
    if (b->variable_count == MOST_VARIABLES || b->used + bytes + RED_ZONE_BYTES > ARENA_BYTES)
        fail(NULL, 0, "too many shared variables");
    char *const memory = b->arena + b->used;
    UNPOISON(memory, bytes);
    simt_rubbish(memory, bytes);
    b->used = (b->used + bytes + 2 * RED_ZONE_BYTES - 1) / RED_ZONE_BYTES * RED_ZONE_BYTES;
    b->variables[b->variable_count++] = (struct variable){key, memory, bytes};
    return memory;
}

/* ---- barriers ---- */

int simt_barrier_at(unsigned i, const char **file)
{
    if (i >= barrier_count)
        return 0;
    *file = barriers[i].file;
    return barriers[i].line;
}

uint64_t simt_barrier_visits(unsigned i)
{
    return i < barrier_count ? barriers[i].visits : 0;
}

unsigned simt_barriers(void)
{
    return barrier_count;
}

/* Almost always one string, so that it need not be read. */
static bool is_same(const char *file, const char *other)
{
    return file == other || strcmp(file, other) == 0;
}

static bool is_barrier(unsigned i, const char *file, int line)
{
    return barriers[i].line == line && barriers[i].file == file;
}

static bool is_skipped(const char *file, int line)
{
    unsigned i = barrier_last; /* where most threads of a block come from */
    if (!is_barrier(i, file, line))
        for (i = 0; i < barrier_count && !is_barrier(i, file, line);)
            i++;
    if (i == barrier_count && i < SIMT_MOST_BARRIERS) {
        barriers[i].file = file;
        barriers[i].line = line;
        barrier_count++;
    }
    if (i < barrier_count) {
        barriers[i].visits++;
        barrier_last = i;
    }
    return simt_opt.skip_file && line == simt_opt.skip_line && is_same(file, simt_opt.skip_file);
}

unsigned simt_block(enum simt_op op, int value, const char *file, int line)
{
    struct fiber *const f = here();
    struct block *const b = f->block;
    if (op == SIMT_SYNC && is_skipped(file, line))
        return 0;
    if (b->finished > 0)
        fail(file, line, "a barrier that threads which have left the kernel do not reach");
    if (b->arrived > 0 && (b->line != line || !is_same(b->file, file))) {
        print_waiting();
        fail(file, line, "others wait at another barrier");
    }
    if (b->arrived == 0)
        b->result = op == SIMT_SYNC_AND;
    b->file = f->file = file;
    b->line = f->line = line;
    f->state = IN_BLOCK;
    b->result = op == SIMT_SYNC_AND  ? b->result & (unsigned)value
                : op == SIMT_SYNC_OR ? b->result | (unsigned)value
                                     : b->result + (unsigned)value;
    if (++b->arrived == b->threads) {
        b->arrived = 0;
        for (unsigned t = 0; t < b->threads; t++)
            b->fibers[t]->out = b->result;
        simt_progress();
        simt_race_order_block(&b->order);
        release(b->fibers, b->threads);
    }
    switch_to(pick());
    return (unsigned)f->out;
}

void simt_grid(const char *file, int line)
{
    struct fiber *const f = here();
    if (is_skipped(file, line))
        return;
    if (run.places != run.count)
        fail(file, line, "a grid barrier in a launch that is not cooperative");
    f->file = file;
    f->line = line;
    f->state = IN_GRID;
    if (++run.grid_arrived == run.count * run.threads) {
        run.grid_arrived = 0;
        simt_progress();
        for (unsigned b = 0; b < run.places; b++) {
            simt_race_order_block(&run.blocks[b].order);
            release(run.blocks[b].fibers, run.threads);
        }
    }
    switch_to(pick());
}

/* ---- collectives of a warp ---- */

static int source_lane(const struct fiber *f)
{
    const int lane = (int)f->lane, first = lane & ~(f->width - 1), last = first + f->width - 1;
    int from = f->op == SIMT_SHFL        ? first + (f->from & (f->width - 1))
               : f->op == SIMT_SHFL_UP   ? lane - f->from
               : f->op == SIMT_SHFL_DOWN ? lane + f->from
                                         : lane ^ f->from;
    if (from > last || (f->op == SIMT_SHFL_UP && from < first))
        from = lane;
    if (!(f->mask >> from & 1))
        fail(f->file, f->line, "a shuffle reads a lane that does not take part");
    return from;
}

static uint64_t reduce(enum simt_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case SIMT_REDUCE_ADD: return (uint32_t)(a + b);
    case SIMT_REDUCE_MIN: return a < b ? a : b;
    case SIMT_REDUCE_MAX: return a > b ? a : b;
    case SIMT_REDUCE_AND: return a & b;
    case SIMT_REDUCE_OR: return a | b;
    default: return a ^ b;
    }
}

/* What every lane gets of a vote or a reduction. */
static uint64_t common(const struct warp *w, unsigned mask, enum simt_op op)
{
    unsigned rest = mask, ballot = 0;
    uint64_t all = w->lanes[__builtin_ctz(rest)]->value;
    if (op >= SIMT_REDUCE_ADD) {
        while ((rest &= rest - 1) != 0)
            all = reduce(op, all, w->lanes[__builtin_ctz(rest)]->value);
        return all;
    }
    for (; rest != 0; rest &= rest - 1)
        if (w->lanes[__builtin_ctz(rest)]->value != 0)
            ballot |= rest & -rest;
    return op == SIMT_BALLOT ? ballot : op == SIMT_ANY ? ballot != 0 : ballot == mask;
}

static unsigned matching(const struct warp *w, unsigned mask, uint64_t value)
{
    unsigned lanes = 0;
    for (; mask != 0; mask &= mask - 1)
        if (w->lanes[__builtin_ctz(mask)]->value == value)
            lanes |= mask & -mask;
    return lanes;
}

static void complete(struct warp *w, unsigned mask, enum simt_op op)
{
    const bool is_common = op >= SIMT_BALLOT && op < SIMT_SHFL && op != SIMT_MATCH_ANY;
    const uint64_t all = is_common ? common(w, mask, op) : 0;
    for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
        struct fiber *const f = w->lanes[__builtin_ctz(rest)];
        f->out = op >= SIMT_SHFL        ? w->lanes[source_lane(f)]->value
                 : op == SIMT_MATCH_ANY ? matching(w, mask, f->value)
                                        : all;
    }
}

uint64_t simt_warp(enum simt_op op, unsigned mask, uint64_t value, int from, int width,
                   const char *file, int line)
{
    struct fiber *const f = here(), *group[WARP];
    struct warp *const w = f->warp;
    unsigned n = 0;
    if ((op == SIMT_WARP_SYNC || (op == SIMT_WARP_ORDER && ORDERS_SHOW)) && is_skipped(file, line))
        return 0;
    f->op = op;
    f->mask = mask;
    f->value = value;
    f->from = from;
    f->width = width;
    f->file = file;
    f->line = line;
    if (!(mask >> f->lane & 1))
        fail(file, line, "a lane is not in its own mask");
    if (w->done & mask)
        fail(file, line, "the mask names a lane that has left the kernel");
    w->waiting |= 1u << f->lane;
    f->state = IN_WARP;
    if ((w->waiting & mask) == mask) {
        for (unsigned i = 0; i < WARP; i++)
            if (mask >> i & 1) {
                const struct fiber *const other = w->lanes[i];
                if (other->op != op || other->mask != mask || other->width != width ||
                    other->line != line || !is_same(other->file, file)) {
                    fprintf(stderr, "simt: lane %u is at %s:%d\n", i, other->file, other->line);
                    fail(file, line, "lanes of one mask are in different collectives");
                }
                group[n++] = w->lanes[i];
            }
        complete(w, mask, op);
        if (op <= SIMT_WARP_ORDER && mask == ~0u) /* to be strict: a part orders nothing */
            simt_race_order_warp(&f->block->order, f->place.thread.x / WARP);
        w->waiting &= ~mask;
        release(group, n);
    }
    switch_to(pick());
    return f->out;
}

/* ---- copies by the way ---- */

/* Done when they are waited for; sometimes also at once. */
void simt_bring(void *to, const void *from, size_t bytes)
{
    struct fiber *const f = here();
    if (f->brought_count == MOST_BROUGHT)
        fail(NULL, 0, "too many copies of one thread under way");
    simt_race_copy(to, from, bytes, __builtin_return_address(0));
    if (run.policy >= DEPTH && chance() % 2)
        memcpy(to, from, bytes);
    f->brought[f->brought_count++] = (struct brought){to, from, bytes};
}

void simt_wait_brought(void)
{
    struct fiber *const f = here();
    for (unsigned i = 0; i < f->brought_count; i++) {
        const struct brought *const b = &f->brought[i];
        simt_race_copy(b->to, b->from, b->bytes, __builtin_return_address(0));
        memcpy(b->to, b->from, b->bytes);
    }
    f->brought_count = 0;
}

/* ---- giving way ---- */

void simt_preempt(void)
{
    struct fiber *const f = here();
    simt_progress();
    if (run.policy <= DESCENDING || chance() % 4 != 0)
        return;
    push_far(f);
    switch_to(pick());
}

void simt_spin(void)
{
    struct fiber *const f = here();
    if (++run.spins > SPIN_LIMIT)
        fail(f->file, f->line, "threads wait for what never comes");
    push_far(f);
    switch_to(pick());
}

void simt_progress(void)
{
    run.spins = 0;
}
