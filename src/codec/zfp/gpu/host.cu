/* host.cu: the host's part of zfp's CUDA instance: choose kernels, threads and shared memory, and
 * launch. */
#include "gpu/simt.h"

#include "codec/zfp/gpu/kernels.h"

static const struct zfp_launches *const launches[4] = {&zti_zfp_cuda_f32, &zti_zfp_cuda_f64,
                                                       &zti_zfp_cuda_i32, &zti_zfp_cuda_i64};

/* SHARED_BYTES: of a block, at most, and less where a GPU has less; a multiprocessor of sm_80 or
 * sm_90 has room for two. OWN_BYTES: what kernels have beside them. WARPS_BYTES: values that a
 * block of warps encodes, enough to keep the blocks of look-back few. */
enum { SHARED_BYTES = 80 << 10, OWN_BYTES = 1 << 10, LEAST_THREADS = 32, WARPS_BYTES = 16 << 10 };

/* Whether a tile has too many values for the registers of a thread: more than 64. */
static bool uses_warps(const struct zti_coding *coding)
{
    return coding->grid.rank == 4;
}

/* Words of 64 bits of a slot. A thread's slot has room for the largest tile without padding, for
 * one plane (two bits a value) that is written before the budget cuts it, and for the word that is
 * being filled; their number is odd, against bank conflicts. A warp's slot has room for the largest
 * tile and the length before it.
 *
 * In 3-D the last 32 words of a slot are planes that are being encoded, read from the first to the
 * last. A plane takes at most 64 bits and its positive group tests. A tile has at most 64 of these.
 * So a header and p planes fill less than p + 3 words. They do not reach plane p if the slot has
 * some words more than planes; of 64-bit values, as many more as the higher 32 planes fill. */
static uint32_t slot_words(const struct zti_coding *coding)
{
    const uint32_t rank = coding->grid.rank;
    const uint64_t bits = zti_zfp_tile_read_max(zfp_of(coding), coding->type, rank);
    const uint32_t words = (uint32_t)((bits + (UINT64_C(2) << 2 * rank)) / 64 + 2);
    const uint32_t planes = 32, before = 4, higher = words < 36 ? words : 36;
    const uint32_t least = planes + (zt_type_bytes(coding->type) == 8 ? higher : before);
    if (uses_warps(coding))
        return (uint32_t)(bits / 64 + 2);
    return (rank < 3 || words > least ? words : least) | 1;
}

static uint32_t warp_tiles(const struct zti_coding *coding)
{
    const uint32_t tile_bytes = (uint32_t)zt_type_bytes(coding->type) << 2 * coding->grid.rank;
    return uses_warps(coding) ? WARPS_BYTES / (ZTI_ZFP_THREADS / 32) / tile_bytes : 0;
}

/* Chunks that a warp decodes: one for each lane, fewer if the GPU would not be busy. */
static uint32_t warp_chunks(const struct zti_coding *coding, uint64_t count)
{
    const uint64_t each = count / simt_busy_warps();
    return !uses_warps(coding) ? 0 : each > 0 ? simt_at_most(each, 32) : 1;
}

/* Bytes of shared memory of a thread: its planes, and its slot when it encodes. */
static uint32_t thread_bytes(const struct zti_coding *coding, bool has_slot)
{
    const uint32_t planes = has_slot && coding->grid.rank == 3 ? 0 : 4u << 2 * coding->grid.rank;
    return planes + (has_slot ? 8 * slot_words(coding) : 0);
}

static unsigned most_threads(const struct zti_coding *coding)
{
    return coding->grid.rank == 3 ? (unsigned)ZTI_ZFP_CUBE_THREADS : (unsigned)ZTI_ZFP_THREADS;
}

static unsigned choose_threads(const struct zti_coding *coding)
{
    unsigned threads = most_threads(coding);
    const unsigned most = simt_at_most(simt_shared_most() - OWN_BYTES, SHARED_BYTES);
    while (!uses_warps(coding) && threads > LEAST_THREADS &&
           threads * thread_bytes(coding, true) > most)
        threads /= 2;
    return threads;
}

/* Bytes of shared memory of a block that encodes (has_slots) or decodes. */
static uint32_t block_bytes(const struct zti_coding *coding, bool has_slots)
{
    const uint32_t width = 8 * (uint32_t)zt_type_bytes(coding->type),
                   threads = choose_threads(coding);
    const uint32_t more =
        has_slots ? warp_tiles(coding) * slot_words(coding) : zti_zfp_notes_words(width);
    if (uses_warps(coding))
        return threads / 32 * 8 * (zti_zfp_warp_words(width, coding->grid.rank) + more);
    return (has_slots ? threads : most_threads(coding)) * thread_bytes(coding, has_slots);
}

static bool has_kernels(const struct zti_coding *coding)
{
    (void)coding;
    return true;
}

static uint64_t state_words(const struct zti_coding *coding, uint64_t tiles)
{
    const uint32_t threads = choose_threads(coding);
    const uint32_t each = uses_warps(coding) ? threads / 32 * warp_tiles(coding) : threads;
    return 2 + 2 * (tiles / each + 1); /* lookback_words, and a flag a block */
}

static struct zfp_tiles tiles_of(const struct zti_coding *coding, bool has_slots)
{
    struct zfp_tiles t;
    memset(&t, 0, sizeof t);
    t.grid = coding->grid;
    t.zfp = *zfp_of(coding);
    t.fixed_bits = zti_fixed_bits(coding);
    t.slot_words = slot_words(coding);
    t.warp_tiles = warp_tiles(coding);
    t.block_bytes = block_bytes(coding, has_slots);
    return t;
}

static zt_status encode(zt_context *context, const struct zti_cuda_encoding *e)
{
    (void)context;
    struct zfp_tiles t = tiles_of(e->coding, true);
    t.view.out = e->array;
    ZTI_CUDA_SET_ENCODING(&t, e);
    t.unproven = e->unproven;
    t.start_bits = e->start_bits;
    launches[e->coding->type - 1]->put(&t, choose_threads(e->coding), e->queue);
    return ZT_OK;
}

static void decode(const struct zti_cuda_decoding *d)
{
    struct zfp_tiles t = tiles_of(d->coding, false);
    ZTI_CUDA_SET_DECODING(&t, d);
    t.first_bits = d->first_bits;
    t.warp_tiles = warp_chunks(d->coding, d->count);
    launches[d->coding->type - 1]->take(&t, most_threads(d->coding), d->queue);
}

extern "C" const struct zti_cuda_codec zti_cuda_zfp = {
    true, false, NULL, has_kernels, state_words, encode, decode, NULL, NULL};
