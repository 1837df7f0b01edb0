/* device_host.c: the device of the cuda policy for the tests: the CPU's own memory.
 *
 * Copies, zeroing and kernels are kept in queues and done later, in any order that the queues and
 * what orders them allow: a seed decides which queue goes on, and when. So what reads before it has
 * waited, or overwrites what is still to be read, gives wrong bytes. Copies to the host's memory
 * arrive when the host waits for their queue, and there is rubbish until then.
 *
 * Memory of the device that tests take (simt_device_take) can be reached only while something that
 * was queued is done: a host's access ends the program. */
#define _GNU_SOURCE
#include "core/device.h"
#include "gpu/hash.h"
#include "gpu/scan.h"
#include "gpu/strided.h"
#include "simt_device.h"
#include "simt_runtime.h"
#include "ztile_cuda.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

uint64_t simt_slab_bytes = 1 << 20;
uint64_t simt_allocations;
uint64_t simt_waits;
uint64_t simt_crossing_bytes, simt_crossing_most;
uint64_t simt_values_bytes;
int simt_current_device = SIMT_CALLERS_DEVICE;

enum { MOST_BLOCKS = 64, MOST_RETIRED = 256 };

/* ---- memory that only the device reaches ----
 *
 * One thread at a time takes, gives or reaches it: Python frees arrays where it drops them, which
 * can be another thread than the one whose kernels run. */

static pthread_mutex_t one_thread = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static struct block {
    uint8_t *pages, *memory; /* memory ends where the pages do */
    size_t pages_bytes, bytes;
} blocks[MOST_BLOCKS];

static void protect(int protection)
{
    for (int i = 0; i < MOST_BLOCKS; i++)
        if (blocks[i].pages && mprotect(blocks[i].pages, blocks[i].pages_bytes, protection) != 0)
            abort();
}

static void let_in(void)
{
    pthread_mutex_lock(&one_thread);
    protect(PROT_READ | PROT_WRITE);
}

static void keep_out(void)
{
    protect(PROT_NONE);
    pthread_mutex_unlock(&one_thread);
}

static const struct block *block_of(const void *address)
{
    const uint8_t *const p = address;
    for (int i = 0; i < MOST_BLOCKS; i++)
        if (blocks[i].pages && p >= blocks[i].pages && p < blocks[i].pages + blocks[i].pages_bytes)
            return &blocks[i];
    return NULL;
}

void *simt_device_take(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (bytes + 15) & ~(size_t)15;
    struct block *b = blocks;
    let_in();
    while (b < blocks + MOST_BLOCKS && b->pages)
        b++;
    if (b == blocks + MOST_BLOCKS)
        abort();
    b->bytes = bytes;
    b->pages_bytes = (used + page - 1) / page * page + (used == 0 ? page : 0);
    b->pages = mmap(NULL, b->pages_bytes + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (b->pages == MAP_FAILED || mprotect(b->pages, b->pages_bytes, PROT_READ | PROT_WRITE) != 0)
        abort();
    b->memory = b->pages + b->pages_bytes - used;
    simt_rubbish(b->memory, bytes);
    keep_out();
    return b->memory;
}

void simt_device_give(void *memory)
{
    pthread_mutex_lock(&one_thread);
    struct block *const b = (struct block *)(uintptr_t)block_of(memory);
    if (b) {
        munmap(b->pages, b->pages_bytes + (size_t)sysconf(_SC_PAGESIZE));
        memset(b, 0, sizeof *b);
    }
    pthread_mutex_unlock(&one_thread);
}

void simt_device_move(void *to, const void *from, size_t bytes)
{
    let_in();
    memmove(to, from, bytes);
    keep_out();
}

enum zti_memory zti_memory_of(const zt_context *context, const void *address)
{
    return !block_of(address)           ? ZTI_MEMORY_HOST
           : context && context->device ? ZTI_MEMORY_DEVICE
                                        : ZTI_MEMORY_ELSEWHERE;
}

zt_status zti_device_of(zt_context *context, const void *address, int32_t *device)
{
    if (!block_of(address))
        return zti_fail(context, ZT_BAD_ARG, "this address is not in a GPU's memory");
    *device = 0;
    return ZT_OK;
}

zt_status zti_device_allocate(zt_context *context, uint64_t bytes, void **memory)
{
    (void)context;
    *memory = simt_device_take((size_t)bytes);
    return ZT_OK;
}

void zti_device_free(int32_t device, void *memory)
{
    (void)device;
    simt_device_give(memory);
}

/* ---- queues ---- */

/* Something that is to be done, or (run is NULL) to be waited for: that so many things were done
 * of another queue. */
struct thing {
    struct thing *next;
    void (*run)(void *body);
    enum zti_device_queue other;
    uint64_t done;
    _Alignas(16) char body[];
};

/* A copy to the host's memory that has not arrived: its bytes, or where they still are. */
struct late {
    struct late *next;
    enum zti_device_queue queue;
    void *to;
    const void *from;
    size_t bytes;
    uint8_t own[];
};

struct host {
    struct zti_device device; /* first */
    struct late *late[2];     /* first and last */
    int number;
    void *memory[ZTI_DEVICE_PARTS];
    uint64_t bytes[ZTI_DEVICE_PARTS];
    uint8_t *lent;
    uint64_t lent_bytes, taken_bytes;
    struct thing *first[ZTI_QUEUES], *last[ZTI_QUEUES];
    uint64_t put[ZTI_QUEUES], done[ZTI_QUEUES];
    uint64_t random;
    void *retired[MOST_RETIRED];
    unsigned retired_count;
};

static struct host *latest; /* whose kernels are launched */

static struct host *host_of(const zt_context *context)
{
    return latest = (struct host *)(void *)context->device;
}

static uint64_t chance(struct host *h)
{
    h->random = h->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return h->random >> 33;
}

/* Do the next thing of a queue; false where there is none, or it has to wait. */
static bool step(struct host *h, unsigned queue)
{
    struct thing *const t = h->first[queue];
    if (!t || (!t->run && h->done[t->other] < t->done))
        return false;
    if (t->run) {
        let_in();
        t->run(t->body);
        keep_out();
    }
    h->first[queue] = t->next;
    h->done[queue]++;
    free(t);
    return true;
}

/* Until a queue is empty; others go on or not, as it happens. */
static void drain(struct host *h, unsigned queue)
{
    unsigned failed = 0;
    while (h->first[queue]) {
        failed = step(h, (unsigned)(chance(h) % ZTI_QUEUES)) ? 0 : failed + 1;
        if (failed > 10000) {
            fprintf(stderr, "device_host: queues wait for each other\n");
            abort();
        }
    }
}

/* Let copies of a queue arrive, in their order. */
static void land(struct host *h, enum zti_device_queue queue)
{
    struct late *l = h->late[0];
    h->late[0] = h->late[1] = NULL;
    for (struct late *next; l; l = next) {
        next = l->next;
        l->next = NULL;
        if (l->queue != queue) {
            if (h->late[0])
                h->late[1]->next = l;
            else
                h->late[0] = l;
            h->late[1] = l;
            continue;
        }
        simt_device_move(l->to, l->from, l->bytes);
        free(l);
    }
}

static void drain_all(struct host *h)
{
    for (unsigned q = 0; q < ZTI_QUEUES; q++)
        drain(h, q);
    for (unsigned q = 0; q < ZTI_QUEUES; q++)
        land(h, (enum zti_device_queue)q);
    while (h->retired_count > 0)
        free(h->retired[--h->retired_count]);
}

static void put_thing(struct host *h, enum zti_device_queue queue, struct thing *t)
{
    t->next = NULL;
    if (h->first[queue])
        h->last[queue]->next = t;
    else
        h->first[queue] = t;
    h->last[queue] = t;
    h->put[queue]++;
    while (chance(h) % 4 == 0)
        (void)step(h, (unsigned)(chance(h) % ZTI_QUEUES));
}

static struct thing *new_thing(void (*run)(void *), const void *body, size_t bytes)
{
    struct thing *const t = calloc(1, sizeof *t + bytes);
    if (!t)
        abort();
    t->run = run;
    if (bytes > 0)
        memcpy(t->body, body, bytes);
    return t;
}

/* A launch: on the stream of the context that was last at work. */
static void launch(void *stream, void (*run)(void *), const void *body, size_t bytes)
{
    if (!latest || stream != latest->device.queue) {
        fprintf(stderr, "device_host: a kernel is not queued on the caller's stream\n");
        abort();
    }
    if (simt_current_device != latest->number) {
        fprintf(stderr, "device_host: a kernel is launched on device %d, not %d\n",
                simt_current_device, latest->number);
        abort();
    }
    put_thing(latest, ZTI_QUEUE_KERNELS, new_thing(run, body, bytes));
}

/* ---- what the host asks for ---- */

/* What a part had before: freed when no queue can use it any more. */
static void retire(struct host *h, void *memory)
{
    if (!memory)
        return;
    if (h->retired_count == MOST_RETIRED)
        drain_all(h);
    bool is_in_use = h->late[0] != NULL;
    for (unsigned q = 0; q < ZTI_QUEUES; q++)
        is_in_use |= h->first[q] != NULL;
    if (is_in_use)
        h->retired[h->retired_count++] = memory;
    else
        free(memory);
}

/* Exactly as many bytes as were asked for, with rubbish in them, so that sanitizers see what is
 * beyond or never written: other memory each time, where a GPU's is kept unless it must grow. */
static zt_status room(zt_context *context, enum zti_device_part part, uint64_t bytes, void **memory)
{
    struct host *const h = host_of(context);
    zti_device_note_room(&h->device, part);
    if (h->lent && bytes > h->bytes[part]) {
        const uint64_t want = zti_round_up(bytes, ZTI_PART_ALIGN_BYTES);
        if (want > h->lent_bytes - h->taken_bytes)
            return zti_fail(context, ZT_NO_MEMORY, "the scratch memory is too small");
        h->memory[part] = h->lent + h->taken_bytes;
        h->bytes[part] = want;
        h->taken_bytes += want;
    } else if (!h->lent) {
        simt_allocations += bytes > h->bytes[part];
        h->bytes[part] = bytes > h->bytes[part] ? bytes : h->bytes[part];
        retire(h, h->memory[part]);
        h->memory[part] = malloc((size_t)bytes);
        if (!h->memory[part])
            return zti_fail(context, ZT_NO_MEMORY, "no memory for a test");
        simt_rubbish(h->memory[part], (size_t)bytes);
    }
    *memory = h->memory[part];
    return ZT_OK;
}

static void free_parts(struct host *h)
{
    for (int i = 0; i < ZTI_DEVICE_PARTS; i++) {
        if (!h->lent)
            free(h->memory[i]);
        h->memory[i] = NULL;
        h->bytes[i] = 0;
    }
}

static zt_status lend(zt_context *context, void *memory, uint64_t bytes)
{
    struct host *const h = host_of(context);
    drain_all(h);
    free_parts(h);
    zti_device_note_room(&h->device, ZTI_DEVICE_VALUES);
    const uint64_t skip = -(uint64_t)(uintptr_t)memory % ZTI_PART_ALIGN_BYTES;
    h->lent = memory && skip < bytes ? (uint8_t *)memory + skip : NULL;
    h->lent_bytes = h->lent ? bytes - skip : 0;
    h->taken_bytes = 0;
    return ZT_OK;
}

struct move {
    void *to;
    const void *from;
    uint64_t bytes;
    struct host *host;
    enum zti_device_queue queue;
};

static void run_copy(void *body)
{
    const struct move *const m = body;
    memcpy(m->to, m->from, (size_t)m->bytes);
}

/* A copy to the host's memory, which arrives later: small ones as the bytes are now, of others at
 * times what the device then has, as device.h says. */
static void run_late_copy(void *body)
{
    enum { SMALL_BYTES = 64 };
    const struct move *const m = body;
    const bool is_read_late = m->bytes > SMALL_BYTES && chance(m->host) % 2 == 0;
    struct late *const l = malloc(sizeof *l + (is_read_late ? 0 : (size_t)m->bytes));
    if (!l)
        abort();
    *l = (struct late){.queue = m->queue,
                       .to = m->to,
                       .from = is_read_late ? m->from : l->own,
                       .bytes = (size_t)m->bytes};
    if (!is_read_late)
        memcpy(l->own, m->from, l->bytes);
    if (m->host->late[0])
        m->host->late[1]->next = l;
    else
        m->host->late[0] = l;
    m->host->late[1] = l;
}

static void run_zero(void *body)
{
    const struct move *const m = body;
    memset(m->to, 0, (size_t)m->bytes);
}

/* Whether an address is in the device's memory: the context's own or the caller's. */
static bool is_there(const struct host *h, const void *address)
{
    const uint8_t *const at = address;
    for (int i = 0; i < ZTI_DEVICE_PARTS; i++) {
        const uint8_t *const part = h->memory[i];
        if (part && at >= part && at < part + h->bytes[i])
            return true;
    }
    return block_of(address) != NULL;
}

static zt_status copy(zt_context *context, enum zti_device_queue queue, void *to, const void *from,
                      uint64_t bytes)
{
    struct host *const h = host_of(context);
    const struct move m = {to, from, bytes, h, queue};
    const bool is_to_host = !is_there(h, to) && is_there(h, from);
    if (to == h->memory[ZTI_DEVICE_VALUES] || to == h->memory[zti_part_of(ZTI_DEVICE_VALUES, 1)])
        simt_values_bytes += bytes;
    if (is_there(h, to) != is_there(h, from)) {
        simt_crossing_bytes += bytes;
        simt_crossing_most = bytes > simt_crossing_most ? bytes : simt_crossing_most;
    }
    if (is_to_host)
        simt_rubbish(to, (size_t)bytes);
    put_thing(h, queue, new_thing(is_to_host ? run_late_copy : run_copy, &m, sizeof m));
    return ZT_OK;
}

static zt_status zero(zt_context *context, enum zti_device_queue queue, void *to, uint64_t bytes)
{
    const struct move m = {.to = to, .bytes = bytes};
    put_thing(host_of(context), queue, new_thing(run_zero, &m, sizeof m));
    return ZT_OK;
}

static int enter(const zt_context *context)
{
    const int before = simt_current_device;
    simt_current_device = host_of(context)->number;
    return before;
}

static void leave(int before)
{
    simt_current_device = before;
}

static void pack(zt_context *context, void *to, const struct zti_array *from)
{
    const int before = enter(context);
    zti_cuda_pack(from, to, host_of(context)->device.queue);
    leave(before);
}

static void unpack(zt_context *context, const struct zti_array *to, const void *from)
{
    const int before = enter(context);
    zti_cuda_unpack(from, to, host_of(context)->device.queue);
    leave(before);
}

static void scan(zt_context *context, const struct zti_array *array,
                 const struct zti_scan_fills *fills, struct zti_scan_found *found)
{
    const int before = enter(context);
    zti_cuda_scan(array, fills, found, host_of(context)->device.queue);
    leave(before);
}

static void hash(zt_context *context, const uint8_t *bytes, uint64_t n, uint32_t log2,
                 uint32_t *sums)
{
    const int before = enter(context);
    zti_cuda_hash(bytes, n, log2, sums, host_of(context)->device.queue);
    leave(before);
}

static zt_status after(zt_context *context, enum zti_device_queue later,
                       enum zti_device_queue earlier)
{
    struct host *const h = host_of(context);
    struct thing *const t = new_thing(NULL, NULL, 0);
    t->other = earlier;
    t->done = h->put[earlier];
    put_thing(h, later, t);
    return ZT_OK;
}

static zt_status launched(zt_context *context)
{
    (void)context;
    return ZT_OK;
}

void simt_device_finish(void)
{
    if (latest)
        drain_all(latest);
}

static zt_status wait(zt_context *context, enum zti_device_queue queue)
{
    simt_waits++;
    drain(host_of(context), queue);
    land(latest, queue);
    return ZT_OK;
}

static void close_device(zt_context *context)
{
    struct host *const h = host_of(context);
    if (simt_current_device != SIMT_CALLERS_DEVICE) {
        fprintf(stderr, "device_host: the caller's device is not current any more\n");
        abort();
    }
    drain_all(h);
    free_parts(h);
    latest = NULL;
    free(h);
}

zt_status zti_device_open(zt_context *context, const zt_cuda *cuda)
{
    struct host *const h = calloc(1, sizeof *h);
    if (!h)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a test");
    h->device = (struct zti_device){.queue = cuda->stream,
                                    .slab_bytes = simt_slab_bytes,
                                    .room = room,
                                    .lend = lend,
                                    .copy = copy,
                                    .zero = zero,
                                    .pack = pack,
                                    .unpack = unpack,
                                    .scan = scan,
                                    .hash = hash,
                                    .after = after,
                                    .launched = launched,
                                    .wait = wait,
                                    .enter = enter,
                                    .leave = leave,
                                    .close = close_device};
    h->number = cuda->device;
    h->random = simt_opt.seed;
    simt_queue = launch;
    if (context->device)
        context->device->close(context);
    context->device = &h->device;
    return ZT_OK;
}
