/* alloc.c: allocates memory, counts it in a context, and keeps large blocks that are released for
 * later allocations. */
#include "core/core.h"

#include "core/grow.h"

#include "ztile_store.h"

#include <sys/mman.h>

#include <stdlib.h>

/* Each block is preceded by its size in bytes, which the context counts. */
enum { COUNT_BYTES = 16 }; /* so that blocks are aligned for any type */

/* Count bytes as held, unless they exceed the context's limit. */
static bool may_hold(zt_context *context, uint64_t bytes)
{
    const uint64_t held = __atomic_add_fetch(&context->held->bytes, bytes, __ATOMIC_RELAXED);
    if (context->most_bytes == 0 || held <= context->most_bytes)
        return true;
    (void)__atomic_sub_fetch(&context->held->bytes, bytes, __ATOMIC_RELAXED);
    return false;
}

/* The same; what is kept is given back if that helps. */
static bool hold_bytes(zt_context *context, uint64_t bytes)
{
    if (!context || may_hold(context, bytes))
        return true;
    zti_keep_at_most(context, 0);
    if (may_hold(context, bytes))
        return true;
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

static uint64_t block_bytes(const void *block)
{
    uint64_t all;
    memcpy(&all, block, sizeof all);
    return all;
}

/* ---- blocks that are kept for later allocations ---- */

/* Blocks that the system would unmap, and zero again page by page when they are next written.
 * Smaller ones the C library keeps. */
enum { KEPT_LEAST = 128 << 10 };

static struct zti_kept_blocks *lock_kept(zt_context *context)
{
    struct zti_kept_blocks *const kept = &context->held->kept;
    while (__atomic_test_and_set(&kept->is_locked, __ATOMIC_ACQUIRE))
        ;
    return kept;
}

static void unlock_kept(struct zti_kept_blocks *kept)
{
    __atomic_clear(&kept->is_locked, __ATOMIC_RELEASE);
}

/* Take block i out; the caller has the lock. */
static void *remove_kept(struct zti_kept_blocks *kept, uint32_t i)
{
    void *const block = kept->block[i];
    kept->bytes -= block_bytes(block);
    memmove(&kept->block[i], &kept->block[i + 1], (--kept->blocks - i) * sizeof *kept->block);
    return block;
}

static void free_block(zt_context *context, void *block)
{
    release_bytes(context, block_bytes(block));
    free(block);
}

/* Take out the oldest block if more bytes or blocks are kept; NULL: they are not. */
static void *oldest_above(zt_context *context, uint64_t bytes, uint32_t blocks)
{
    struct zti_kept_blocks *const kept = lock_kept(context);
    const bool is_more = kept->bytes > bytes || kept->blocks > blocks;
    void *const block = is_more ? remove_kept(kept, 0) : NULL;
    unlock_kept(kept);
    return block;
}

static void give_back(zt_context *context, uint64_t bytes, uint32_t blocks)
{
    void *block;
    while ((block = oldest_above(context, bytes, blocks)) != NULL)
        free_block(context, block);
}

void zti_keep_at_most(zt_context *context, uint64_t bytes)
{
    give_back(context, bytes, ZTI_KEPT_BLOCKS);
}

/* The smallest kept block that is large enough, but not twice as large as needed; NULL: none, and
 * the oldest is given back, as it may be of no use any more. */
static void *take_kept(zt_context *context, uint64_t all)
{
    struct zti_kept_blocks *const kept = lock_kept(context);
    const uint32_t blocks = kept->blocks;
    uint32_t best = blocks;
    uint64_t least = 2 * all;
    for (uint32_t i = 0; i < blocks; i++) {
        const uint64_t own = block_bytes(kept->block[i]);
        if (own < all || own >= least)
            continue;
        least = own;
        best = i;
    }
    void *const block = best < blocks ? remove_kept(kept, best) : NULL;
    void *const old = !block && blocks > 0 ? remove_kept(kept, 0) : NULL;
    unlock_kept(kept);
    if (old)
        free_block(context, old);
    return block;
}

/* Keep a block; false: it is too small or too large for that, or a sanitizer wants to see it go. */
static bool keep_block(zt_context *context, void *block)
{
    const uint64_t all = block_bytes(block), most = context->held->kept.most_bytes;
    if (!ZTI_KEEPS_BLOCKS || all < KEPT_LEAST || all > most)
        return false;
    give_back(context, most - all, ZTI_KEPT_BLOCKS - 1);
    struct zti_kept_blocks *const kept = lock_kept(context);
    const bool has_room = kept->blocks < ZTI_KEPT_BLOCKS && kept->bytes + all <= most;
    if (has_room) { /* other threads keep blocks too */
        kept->block[kept->blocks++] = block;
        kept->bytes += all;
    }
    unlock_kept(kept);
    return has_room;
}

/* ---- blocks ---- */

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
    if (context && bytes >= KEPT_LEAST && bytes <= SIZE_MAX / 4) {
        char *const block = take_kept(context, bytes + COUNT_BYTES);
        if (block)
            return block + COUNT_BYTES;
    }
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
    const uint64_t old = block_bytes(block);
    if (all >= bytes && all <= old)
        return memory;
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
    if (!memory)
        return;
    void *const block = (char *)memory - COUNT_BYTES;
    if (context && keep_block(context, block)) /* none with an allocator: most_bytes is 0 */
        return;
    release_bytes(context, block_bytes(block));
    if (has_allocator(context))
        context->allocator.release(context->allocator.user, block);
    else
        free(block);
}
