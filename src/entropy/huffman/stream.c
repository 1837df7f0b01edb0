/* stream.c: what writing and reading the stream of zt_huffman_encode share: checks of arguments,
 * and dealing runs of symbols to threads. */
#include "entropy/huffman/stream.h"
#include "core/threads.h"

#include <stdatomic.h>

zt_status zti_symbols_check(zt_context *context, const struct zti_symbols *s)
{
    if (s->bytes != 1 && s->bytes != 2 && s->bytes != 4)
        return zti_fail(context, ZT_BAD_ARG, "symbols have 1, 2 or 4 bytes, not %u", s->bytes);
    if (s->alphabet == 0 || s->alphabet > ZTI_HUFFMAN_MAX_ALPHABET)
        return zti_fail(context, ZT_BAD_ARG, "an alphabet of %u symbols is not in 1 to %d",
                        s->alphabet, ZTI_HUFFMAN_MAX_ALPHABET);
    if (s->bytes == 1 && s->alphabet > 256)
        return zti_fail(context, ZT_BAD_ARG, "an alphabet of %u symbols does not fit 1 byte each",
                        s->alphabet);
    if (!s->data && s->count > 0)
        return zti_fail(context, ZT_BAD_ARG, "no memory is given for the symbols");
    if (s->count > SIZE_MAX / 8)
        return zti_fail(context, ZT_BAD_ARG, "%llu symbols do not fit in memory",
                        (unsigned long long)s->count);
    return ZT_OK;
}

uint32_t zti_worker_count(const zt_context *context, uint64_t runs)
{
#if defined(ZTI_HAS_THREADS)
    if (runs > 1) {
        const uint32_t wanted = zti_threads_wanted(context);
        return wanted < runs ? wanted : (uint32_t)runs;
    }
#endif
    (void)context;
    (void)runs;
    return 1;
}

struct dealer {
    const struct zti_workers *workers;
    _Atomic uint64_t next;
    atomic_bool is_over;
};

static void take_runs(void *shared, uint32_t worker)
{
    struct dealer *d = shared;
    while (!atomic_load_explicit(&d->is_over, memory_order_relaxed)) {
        const uint64_t run = atomic_fetch_add_explicit(&d->next, 1, memory_order_relaxed);
        if (run >= d->workers->runs)
            return;
        if (!d->workers->work(d->workers->shared, worker, run))
            atomic_store_explicit(&d->is_over, true, memory_order_relaxed);
    }
}

void zti_workers_run(const struct zti_workers *workers, uint32_t threads)
{
    struct dealer dealer = {.workers = workers};
    atomic_init(&dealer.next, 0);
    atomic_init(&dealer.is_over, false);
#if defined(ZTI_HAS_THREADS)
    if (threads > 1) {
        zti_threads_run(threads, take_runs, &dealer);
        return;
    }
#endif
    (void)threads;
    take_runs(&dealer, 0);
}
