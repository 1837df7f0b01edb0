/* race.c: accesses of a block's threads to the same bytes that nothing orders, in shared and in
 * global memory: what a GPU may do either way, though the fibers did it one way.
 *
 * The compiler calls __tsan_* before every access of instrumented code (-fsanitize=thread; its own
 * runtime is not linked). Two accesses of different threads to a byte, one of them a write and not
 * both atomic, are a race unless between them a barrier of the block, or one of the warp that both
 * are of, orders memory. Shuffles, votes and reductions order none, as CUDA says of them, and
 * atomics are relaxed. A write that leaves what an unordered one wrote there is no race: which one
 * comes last makes no difference. Between blocks nothing is looked for.
 *
 * Every word of four bytes has a cell (each byte, once something smaller was touched) with the last
 * two accesses of each kind, which are enough: of unordered reads by several warps any write races
 * with one of two that are different warps'; of reads by one warp, with the last, or with the last
 * by another lane. The same holds of atomics, and of writes that agree. */
#define _GNU_SOURCE
#include "race.h"
#include "simt_runtime.h"

#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { READ, WRITE, ATOMIC, KINDS };

enum {
    WARP = 32,
    PAGE_WORDS = 1024,
    PAGE_BYTES = 4 * PAGE_WORDS,
    TABLE = 1 << 14,
    MOST_PAGES = 4096, /* of 64 KiB; more are given back between launches */
    RECENT = 64,
    LINE = 64, /* bytes of the cache's, and of a cell */
    MOST_FOUND = 200,
    MOST_SETTLED = 64, /* bytes of one write that are compared */
    SHARED_BYTES = 256 << 10
};

struct slot {
    uint32_t time, place; /* 0: none; an offset in the program */
    uint16_t thread;
} __attribute__((packed, aligned(2)));

struct cell {
    uint32_t block : 31, is_split : 1;
    struct slot last[KINDS][2];
};
_Static_assert(sizeof(struct cell) == LINE, "a cell is a line of the cache");

struct page {
    struct page *next;
    uintptr_t number;
    struct cell *words; /* PAGE_WORDS */
    struct cell *bytes; /* PAGE_BYTES, once a word is split */
    void *memory[2];    /* where they lie */
};

struct race {
    const char *kernel;
    struct slot earlier, later;
    enum kind earlier_kind, later_kind;
    unsigned block;
    bool is_shared;
    uintptr_t address;
};

static struct page *table[TABLE];
static struct {
    uintptr_t number;
    struct page *page;
    struct cell *words;
} recent[RECENT]; /* pages, by their numbers' last bits */
static unsigned page_count;
static uint32_t now, blocks;
static struct race found[MOST_FOUND];
static unsigned found_count;
static const char *kernel;

static struct {
    struct simt_order *order;
    uint16_t thread;
    struct simt_own own;
} me;

/* A write over another thread's that nothing orders: a race if it changes a byte. */
static struct {
    struct race race;
    unsigned char *at;
    uint64_t which; /* of the bytes from there on */
    unsigned char before[MOST_SETTLED];
} doubt;

/* What the running thread does. */
struct access {
    unsigned char *memory;
    size_t bytes;
    enum kind kind;
    uint32_t place;
};

extern const char __executable_start[];

static uint32_t place_of(const void *address)
{
    return (uint32_t)((uintptr_t)address - (uintptr_t)__executable_start);
}

/* ---- what was found ---- */

unsigned simt_races(void)
{
    return found_count;
}

/* File and line of a place, and of the calls around it that were inlined: addr2line's, if any. */
static void print_place(uint32_t place)
{
    char program[512], command[640], line[512];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = 0;
    const bool is_moved = ((const ElfW(Ehdr) *)(const void *)__executable_start)->e_type == ET_DYN;
    const uintptr_t address = place + (is_moved ? 0 : (uintptr_t)__executable_start);
    snprintf(command, sizeof command, "addr2line -ie '%s' %#zx 2>/dev/null", program,
             (size_t)address - 1);
    fprintf(stderr, "%#zx", (size_t)address);
    FILE *const lines = popen(command, "r");
    for (unsigned i = 0; lines && fgets(line, sizeof line, lines); i++) {
        const char *const name = strrchr(line, '/');
        line[strcspn(line, " \n")] = 0;
        if (i < 6)
            fprintf(stderr, "%s %s", i > 0 ? " in" : "", name ? name + 1 : line);
    }
    if (lines)
        pclose(lines);
}

void simt_print_races(void)
{
    static const char *const did[] = {"read", "wrote", "changed by an atomic"};
    for (unsigned i = 0; i < found_count; i++) {
        const struct race *const r = &found[i];
        fprintf(stderr, "simt: race: kernel %s, block %u, %s memory %#zx: thread %u %s, at ",
                r->kernel, r->block, r->is_shared ? "shared" : "global", (size_t)r->address,
                (unsigned)r->earlier.thread, did[r->earlier_kind]);
        print_place(r->earlier.place);
        fprintf(stderr, "; then thread %u %s, at ", (unsigned)r->later.thread, did[r->later_kind]);
        print_place(r->later.place);
        fprintf(stderr, "\n");
    }
    if (found_count > 0)
        fprintf(stderr, "simt: %u races%s\n", found_count,
                found_count == MOST_FOUND ? " or more" : "");
}

static void at_exit(void)
{
    if (found_count == 0)
        return;
    simt_print_races();
    fflush(NULL);
    _exit(1);
}

/* One for each pair of places. */
static void find(const struct race *r)
{
    if (simt_opt.ends_at_race)
        _exit(1);
    for (unsigned i = 0; i < found_count; i++)
        if (found[i].earlier.place == r->earlier.place && found[i].later.place == r->later.place &&
            found[i].earlier_kind == r->earlier_kind && found[i].later_kind == r->later_kind)
            return;
    if (found_count == MOST_FOUND)
        return;
    if (found_count == 0)
        (void)atexit(at_exit);
    found[found_count++] = *r;
}

static void settle_doubt(void)
{
    for (; doubt.which; doubt.which &= doubt.which - 1) {
        const int i = __builtin_ctzll(doubt.which);
        if (doubt.before[i] != doubt.at[i])
            find(&doubt.race);
    }
}

static inline void settle(void)
{
    if (doubt.which)
        settle_doubt();
}

/* ---- cells ---- */

static void drop_pages(void)
{
    for (unsigned i = 0; i < TABLE; i++)
        while (table[i]) {
            struct page *const p = table[i];
            table[i] = p->next;
            free(p->memory[0]);
            free(p->memory[1]);
            free(p);
        }
    page_count = 0;
    memset(recent, 0, sizeof recent);
}

static void *need(size_t n, size_t bytes)
{
    void *const p = calloc(n, bytes);
    if (!p) {
        fprintf(stderr, "simt: no memory for the checker of races\n");
        abort();
    }
    return p;
}

/* Each on a line of its own; what nobody touches takes no memory. */
static struct cell *cells(size_t n, void **memory)
{
    char *const p = *memory = need(n + 1, sizeof(struct cell));
    return (struct cell *)(void *)(p + (LINE - (uintptr_t)p % LINE));
}

static struct page *searched_page(uintptr_t number)
{
    struct page **const first = &table[number % TABLE];
    for (struct page *p = *first; p; p = p->next)
        if (p->number == number)
            return p;
    struct page *const p = need(1, sizeof *p);
    p->words = cells(PAGE_WORDS, &p->memory[0]);
    p->number = number;
    p->next = *first;
    page_count++;
    return *first = p;
}

/* The place of an address's page among the recent ones. */
static inline size_t page_of(uintptr_t address)
{
    const uintptr_t number = address / PAGE_BYTES;
    const size_t i = number % RECENT;
    if (recent[i].number != number) {
        recent[i].page = searched_page(number);
        recent[i].words = recent[i].page->words;
        recent[i].number = number;
    }
    return i;
}

static bool is_ordered(const struct slot *s)
{
    const struct simt_order *const o = me.order;
    return s->thread == me.thread || s->time < o->block ||
           (s->thread / WARP == me.thread / WARP && s->time < o->warp[me.thread / WARP]);
}

/* The second slot is the last of another warp, if there is one since the block's barrier; or the
 * last of another lane. */
static void note(struct slot last[2], uint32_t place)
{
    const unsigned warp = me.thread / WARP;
    if (last[0].thread != me.thread) {
        const bool is_live = last[0].time >= me.order->block;
        const bool has_another = last[1].time >= me.order->block && last[1].thread / WARP != warp;
        if (!is_live || !has_another)
            last[1] = is_live ? last[0] : (struct slot){0, 0, 0};
    }
    last[0] = (struct slot){now, place, me.thread};
}

/* A race of an access to 'bytes' at 'address' with an earlier one. Where both are writes that may
 * agree, that is found out when this one has been done. */
static void conflict(const struct slot *earlier, enum kind kind, const struct access *a,
                     unsigned char *address, size_t bytes)
{
    const uintptr_t shared = (uintptr_t)address - (uintptr_t)me.order->shared;
    const bool is_shared = shared < SHARED_BYTES;
    const struct race r = {kernel,
                           *earlier,
                           {now, a->place, me.thread},
                           kind,
                           a->kind,
                           me.order->index,
                           is_shared,
                           is_shared ? shared : (uintptr_t)address};
    const size_t from = (size_t)(address - a->memory);
    if (a->kind != WRITE || kind != WRITE || a->bytes > MOST_SETTLED) {
        find(&r);
        return;
    }
    if (!doubt.which)
        doubt.race = r;
    doubt.at = a->memory;
    memcpy(doubt.before + from, address, bytes);
    doubt.which |= ((UINT64_C(1) << bytes) - 1) << from;
}

/* Whether another thread may have an access in these two that no barrier of the block is behind. */
static inline bool is_open(const struct slot last[2])
{
    const uint32_t block = me.order->block;
    return last[0].time >= block && (last[0].thread != me.thread || last[1].time >= block);
}

static void look_for_conflicts(struct cell *c, const struct access *a, unsigned char *address,
                               size_t bytes)
{
    for (int k = READ; k < KINDS; k++) {
        if (a->kind != WRITE && k == (int)a->kind)
            continue;
        for (int i = 0; i < 2 && c->last[k][i].time > 0; i++)
            if (!is_ordered(&c->last[k][i]))
                conflict(&c->last[k][i], (enum kind)k, a, address, bytes);
    }
}

static inline void touch(struct cell *c, const struct access *a, unsigned char *address,
                         size_t bytes)
{
    struct slot *const own = c->last[a->kind];
    if (own[0].thread == me.thread && own[0].time == now)
        return;
    if (is_open(c->last[WRITE]) || (a->kind != ATOMIC && is_open(c->last[ATOMIC])) ||
        (a->kind != READ && is_open(c->last[READ])))
        look_for_conflicts(c, a, address, bytes);
    note(own, a->place);
}

/* Cells of bytes instead of a word's. */
static void split(struct page *p, unsigned word)
{
    if (!p->bytes) {
        p->bytes = cells(PAGE_BYTES, &p->memory[1]);
        page_count += PAGE_BYTES / PAGE_WORDS;
    }
    for (unsigned i = 0; i < 4; i++)
        p->bytes[4 * word + i] = p->words[word];
    p->words[word].is_split = true;
}

static bool is_own(uintptr_t address)
{
    return address - (uintptr_t)me.own.stack < me.own.stack_bytes ||
           address - (uintptr_t)me.own.fiber < me.own.fiber_bytes ||
           address == (uintptr_t)&simt_here;
}

static inline struct cell *cell_of(struct cell *c)
{
    const uint32_t number = me.order->number & UINT32_MAX >> 1;
    if (c->block != number)
        *c = (struct cell){.block = number & UINT32_MAX >> 1};
    return c;
}

static void look_at_words(const void *memory, size_t bytes, enum kind kind, const void *at)
{
    const struct access a = {(unsigned char *)(uintptr_t)memory, bytes, kind, place_of(at)};
    for (size_t i = 0, n; i < bytes; i += n) {
        const uintptr_t address = (uintptr_t)memory + i;
        const size_t at_page = page_of(address);
        const unsigned byte = address % PAGE_BYTES;
        struct cell *const c = cell_of(&recent[at_page].words[byte / 4]);
        n = 4 - byte % 4 < bytes - i ? 4 - byte % 4 : bytes - i;
        if (!c->is_split && n == 4) {
            touch(c, &a, a.memory + i, 4);
            continue;
        }
        struct page *const p = recent[at_page].page;
        if (!c->is_split)
            split(p, byte / 4);
        for (size_t k = 0; k < n; k++)
            touch(&p->bytes[byte + k], &a, a.memory + i + k, 1);
    }
}

/* Most accesses are a thread's own, and end here. */
static inline void look(const void *memory, size_t bytes, enum kind kind, const void *at)
{
    settle();
    if (me.order && !is_own((uintptr_t)memory))
        look_at_words(memory, bytes, kind, at);
}

/* ---- what the runtime tells ---- */

void simt_race_kernel(const char *name)
{
    kernel = name;
    if (page_count > MOST_PAGES)
        drop_pages();
}

void simt_race_begin(struct simt_order *order, const void *shared, unsigned index)
{
    memset(order, 0, sizeof *order);
    order->block = ++now;
    order->number = ++blocks & UINT32_MAX >> 1;
    order->shared = shared;
    order->index = index;
}

void simt_race_order_block(struct simt_order *order)
{
    order->block = ++now;
}

void simt_race_order_warp(struct simt_order *order, unsigned warp)
{
    order->warp[warp] = ++now;
}

void simt_race_runs(struct simt_order *order, unsigned thread, const struct simt_own *own)
{
    settle();
    me.order = order;
    me.thread = (uint16_t)thread;
    if (own)
        me.own = *own;
}

/* ---- what the compiler calls ---- */

#define HERE __builtin_return_address(0)

#define SIMT_ACCESS(bytes)                                                                         \
    void __tsan_read##bytes(void *p);                                                              \
    void __tsan_read##bytes(void *p)                                                               \
    {                                                                                              \
        look(p, bytes, READ, HERE);                                                                \
    }                                                                                              \
    void __tsan_write##bytes(void *p);                                                             \
    void __tsan_write##bytes(void *p)                                                              \
    {                                                                                              \
        look(p, bytes, WRITE, HERE);                                                               \
    }                                                                                              \
    void __tsan_unaligned_read##bytes(void *p);                                                    \
    void __tsan_unaligned_read##bytes(void *p)                                                     \
    {                                                                                              \
        look(p, bytes, READ, HERE);                                                                \
    }                                                                                              \
    void __tsan_unaligned_write##bytes(void *p);                                                   \
    void __tsan_unaligned_write##bytes(void *p)                                                    \
    {                                                                                              \
        look(p, bytes, WRITE, HERE);                                                               \
    }
SIMT_ACCESS(1)
SIMT_ACCESS(2)
SIMT_ACCESS(4)
SIMT_ACCESS(8)
SIMT_ACCESS(16)

void __tsan_init(void);
void __tsan_read_range(void *p, size_t bytes);
void __tsan_write_range(void *p, size_t bytes);
void __tsan_func_entry(void *p);
void __tsan_func_exit(void);

void __tsan_init(void) {}
void __tsan_read_range(void *p, size_t bytes)
{
    look(p, bytes, READ, HERE);
}
void __tsan_write_range(void *p, size_t bytes)
{
    look(p, bytes, WRITE, HERE);
}
void __tsan_func_entry(void *p)
{
    (void)p;
}
void __tsan_func_exit(void) {}

#define SIMT_CHANGE(bits, name, builtin)                                                           \
    uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t *p, uint##bits##_t v, int order);   \
    uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t *p, uint##bits##_t v, int order)    \
    {                                                                                              \
        (void)order;                                                                               \
        look(p, sizeof v, ATOMIC, HERE);                                                           \
        return builtin(p, v, __ATOMIC_SEQ_CST);                                                    \
    }

/* Also where the comparison fails, which still reads. */
#define SIMT_EXCHANGE(bits)                                                                        \
    int __tsan_atomic##bits##_compare_exchange_strong(uint##bits##_t *p, uint##bits##_t *old,      \
                                                      uint##bits##_t v, int order, int otherwise); \
    int __tsan_atomic##bits##_compare_exchange_strong(uint##bits##_t *p, uint##bits##_t *old,      \
                                                      uint##bits##_t v, int order, int otherwise)  \
    {                                                                                              \
        (void)order, (void)otherwise;                                                              \
        look(p, sizeof v, ATOMIC, HERE);                                                           \
        return __atomic_compare_exchange_n(p, old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
    }

#define SIMT_ATOMICS(bits)                                                                         \
    SIMT_CHANGE(bits, exchange, __atomic_exchange_n)                                               \
    SIMT_CHANGE(bits, fetch_add, __atomic_fetch_add)                                               \
    SIMT_CHANGE(bits, fetch_sub, __atomic_fetch_sub)                                               \
    SIMT_CHANGE(bits, fetch_and, __atomic_fetch_and)                                               \
    SIMT_CHANGE(bits, fetch_or, __atomic_fetch_or)                                                 \
    SIMT_CHANGE(bits, fetch_xor, __atomic_fetch_xor)                                               \
    SIMT_EXCHANGE(bits)                                                                            \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        uint##bits##_t *p, uint##bits##_t old, uint##bits##_t v, int order, int otherwise);        \
    uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                     \
        uint##bits##_t *p, uint##bits##_t old, uint##bits##_t v, int order, int otherwise)         \
    {                                                                                              \
        (void)order, (void)otherwise;                                                              \
        look(p, sizeof v, ATOMIC, HERE);                                                           \
        (void)__atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
        return old;                                                                                \
    }                                                                                              \
    uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *p, int order);                 \
    uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t *p, int order)                  \
    {                                                                                              \
        (void)order;                                                                               \
        look(p, sizeof *p, ATOMIC, HERE);                                                          \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                               \
    }                                                                                              \
    void __tsan_atomic##bits##_store(uint##bits##_t *p, uint##bits##_t v, int order);              \
    void __tsan_atomic##bits##_store(uint##bits##_t *p, uint##bits##_t v, int order)               \
    {                                                                                              \
        (void)order;                                                                               \
        look(p, sizeof v, ATOMIC, HERE);                                                           \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                  \
    }
SIMT_ATOMICS(32)
SIMT_ATOMICS(64)

/* What instrumented code calls instead of <string.h>'s (CMakeLists.txt): the compiler does not tell
 * of those, nor always of what it makes of them. */
void *simt_race_memcpy(void *to, const void *from, size_t bytes);
void *simt_race_memmove(void *to, const void *from, size_t bytes);
void *simt_race_memset(void *to, int value, size_t bytes);

void simt_race_copy(void *to, const void *from, size_t bytes, const void *place)
{
    look(from, bytes, READ, place);
    look(to, bytes, WRITE, place);
}

void *simt_race_memcpy(void *to, const void *from, size_t bytes)
{
    simt_race_copy(to, from, bytes, HERE);
    return memcpy(to, from, bytes);
}

void *simt_race_memmove(void *to, const void *from, size_t bytes)
{
    simt_race_copy(to, from, bytes, HERE);
    return memmove(to, from, bytes);
}

void *simt_race_memset(void *to, int value, size_t bytes)
{
    look(to, bytes, WRITE, HERE);
    return memset(to, value, bytes);
}

/* Copies of structs, as clang makes them from 16 on; before, by memcpy, which tells nothing. */
void *__tsan_memcpy(void *to, const void *from, size_t bytes)
    __attribute__((alias("simt_race_memcpy")));
void *__tsan_memmove(void *to, const void *from, size_t bytes)
    __attribute__((alias("simt_race_memmove")));
void *__tsan_memset(void *to, int value, size_t bytes) __attribute__((alias("simt_race_memset")));
