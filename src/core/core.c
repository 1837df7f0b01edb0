/* core.c: names of statuses, error messages, and memory that is counted by the context. */
#include "core/core.h"

#include "core/grow.h"

#include "ztile_store.h"

#include <sys/mman.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *zt_strerror(zt_status status)
{
    switch (status) {
    case ZT_OK: return "done";
    case ZT_BAD_ARG: return "bad argument";
    case ZT_CORRUPT: return "damaged or foreign data";
    case ZT_UNSUPPORTED: return "not supported by this build";
    case ZT_NO_MEMORY: return "out of memory";
    case ZT_NO_SPACE: return "output buffer too small";
    case ZT_IO: return "input or output failed";
    case ZT_NONFINITE: return "array holds NaN or infinities";
    case ZT_CANCELLED: return "cancelled";
    }
    return "unknown status";
}

const char *zt_version(void)
{
    return ZT_VERSION_STRING;
}

zt_status zti_fail(zt_context *context, zt_status status, const char *format, ...)
{
    if (context && status == ZT_NO_MEMORY &&
        __atomic_exchange_n(&context->held->is_over, false, __ATOMIC_RELAXED)) {
        (void)snprintf(context->sentence, sizeof context->sentence,
                       "this needs more than the memory limit of %" PRIu64 " bytes",
                       context->most_bytes);
    } else if (context) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(context->sentence, sizeof context->sentence, format, args);
        va_end(args);
    }
    return status;
}

/* ---- memory ---- */

/* Each block is preceded by its size in bytes, which the context counts. */
enum { COUNT_BYTES = 16 }; /* so that blocks are aligned for any type */

/* Count bytes as held; false if the context's limit is exceeded. */
static bool hold_bytes(zt_context *context, uint64_t bytes)
{
    if (!context)
        return true;
    const uint64_t held = __atomic_add_fetch(&context->held->bytes, bytes, __ATOMIC_RELAXED);
    if (context->most_bytes == 0 || held <= context->most_bytes)
        return true;
    (void)__atomic_sub_fetch(&context->held->bytes, bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&context->held->is_over, true, __ATOMIC_RELAXED);
    return false;
}

/* Count a block as held; returns its bytes with the size field, 0 if the context's limit is
 * exceeded. */
static size_t reserve_bytes(zt_context *context, size_t bytes)
{
    const size_t all = bytes + COUNT_BYTES;
    return all > bytes && hold_bytes(context, all) ? all : 0;
}

static void release_bytes(zt_context *context, uint64_t all)
{
    if (context)
        (void)__atomic_sub_fetch(&context->held->bytes, all, __ATOMIC_RELAXED);
}

/* The system zeroes large memory when it is first touched, which is faster in huge pages. All pages
 * of a block are asked for: it can grow in place, or move as a whole, only if they are alike. */
void zt_expect_writes(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    enum { LEAST_BYTES = 4 << 20, PAGE_BYTES = 4096 };
    const size_t before = (uintptr_t)memory % PAGE_BYTES;
    if (memory && bytes >= LEAST_BYTES)
        (void)madvise((char *)memory - before, before + bytes, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
#endif
}

static void *finish_allocation(zt_context *context, void *memory, uint64_t all)
{
    if (!memory) {
        release_bytes(context, all);
        return NULL;
    }
    memcpy(memory, &all, sizeof all);
    return (char *)memory + COUNT_BYTES;
}

static bool has_allocator(const zt_context *context)
{
    return context && context->allocator.alloc;
}

void *zti_alloc(zt_context *context, size_t bytes)
{
    const size_t all = reserve_bytes(context, bytes);
    if (all == 0)
        return NULL;
    if (has_allocator(context))
        return finish_allocation(context, context->allocator.alloc(context->allocator.user, all),
                                 all);
    void *const memory = malloc(all);
    zt_expect_writes(memory, all);
    return finish_allocation(context, memory, all);
}

void *zti_alloc_zeroed(zt_context *context, size_t bytes)
{
    if (has_allocator(context)) {
        void *const memory = zti_alloc(context, bytes);
        return memory ? memset(memory, 0, bytes) : NULL;
    }
    const size_t all = reserve_bytes(context, bytes);
    return all == 0
               ? NULL
               : finish_allocation(context, calloc(all, 1), all); /* large blocks are not touched */
}

/* As zti_grow, for callers with an allocator, which cannot grow a block. */
static void *grow_by_copy(zt_context *context, void *memory, size_t old_bytes, size_t bytes)
{
    void *const grown = zti_alloc(context, bytes);
    if (!grown)
        return NULL;
    memcpy(grown, memory, old_bytes);
    zti_release(context, memory);
    return grown;
}

void *zti_grow(zt_context *context, void *memory, size_t bytes)
{
    char *const block = (char *)memory - COUNT_BYTES;
    const size_t all = bytes + COUNT_BYTES;
    uint64_t old;
    memcpy(&old, block, sizeof old);
    if (has_allocator(context))
        return grow_by_copy(context, memory, (size_t)old - COUNT_BYTES, bytes);
    if (all < bytes || !hold_bytes(context, all - old))
        return NULL;
    void *const grown = realloc(block, all); /* large blocks keep their pages */
    zt_expect_writes(grown, all);
    return finish_allocation(context, grown, grown ? all : all - old);
}

void zti_release(zt_context *context, void *memory)
{
    uint64_t all;
    if (!memory)
        return;
    memory = (char *)memory - COUNT_BYTES;
    memcpy(&all, memory, sizeof all);
    release_bytes(context, all);
    if (has_allocator(context))
        context->allocator.release(context->allocator.user, memory);
    else
        free(memory);
}

uint64_t zti_array_values(uint32_t rank, const uint64_t *shape)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < rank; i++)
        n *= shape[i];
    return n;
}
