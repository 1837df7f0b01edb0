/* map.c: parallel map: threads take items from a shared counter (map.h). */
#include "core/map.h"

#include "core/threads.h"

#include <stdatomic.h>

struct deal {
    bool (*item)(void *shared, uint32_t worker, uint64_t number);
    void *shared;
    uint64_t items;
    _Atomic uint64_t next;
    atomic_bool is_over;
};

static void run_items(void *shared, uint32_t worker)
{
    struct deal *const d = shared;
    while (!atomic_load_explicit(&d->is_over, memory_order_relaxed)) {
        const uint64_t number = atomic_fetch_add_explicit(&d->next, 1, memory_order_relaxed);
        if (number >= d->items)
            return;
        if (!d->item(d->shared, worker, number))
            atomic_store_explicit(&d->is_over, true, memory_order_relaxed);
    }
}

uint32_t zti_map_workers(const zt_context *context, uint64_t items)
{
    const uint32_t threads = items > 1 ? zti_threads_wanted(context) : 1;
    return threads < items ? threads : items > 1 ? (uint32_t)items : 1;
}

void zti_map(const zt_context *context, uint64_t items,
             bool (*item)(void *shared, uint32_t worker, uint64_t number), void *shared)
{
    struct deal d = {.item = item, .shared = shared, .items = items};
    atomic_init(&d.next, 0);
    atomic_init(&d.is_over, false);
    zti_threads_run(zti_map_workers(context, items), run_items, &d);
}

zt_context zti_context_of_thread(const zt_context *context)
{
    return (zt_context){.allocator = context->allocator,
                        .policy = ZT_SERIAL,
                        .isa = context->isa,
                        .most_bytes = context->most_bytes,
                        .held = context->held};
}
