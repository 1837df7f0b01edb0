/* host.cu: the CUDA instance of the zfp codec, the host's part: which kernel, and how many
 * threads. */
#include "gpu/simt.h"

#include "codec/zfp/gpu/kernels.h"

static const struct zfp_launches *const launches[4] = {&zti_zfp_cuda_f32, &zti_zfp_cuda_f64,
                                                       &zti_zfp_cuda_i32, &zti_zfp_cuda_i64};

/* Shared memory of a block, at most: two of them fit in any multiprocessor from sm_80 on. Bytes of
 * values that a block of warps takes, so that look-back has few blocks. */
enum { SHARED_BYTES = 80 << 10, LEAST_THREADS = 32, WARPS_BYTES = 8 << 10 };

/* Whether a tile's values are too many for a thread: more than 64. */
static bool is_of_warp(const struct zti_coding *coding)
{
    return coding->grid.rank == 4;
}

/* Words of a slot: the content of the largest tile, which padding may lengthen but not in the slot;
 * a plane (two bits a value) that is written before the budget cuts it; the word that is being
 * filled. Odd, for the banks of shared memory. Of a warp's slot, the content behind its length. */
static uint32_t slot_words(const struct zti_coding *coding)
{
    const uint32_t rank = coding->grid.rank;
    const uint64_t bits = zti_zfp_tile_reach(zfp_of(coding), coding->type, rank);
    return is_of_warp(coding) ? (uint32_t)(bits / 64 + 2)
                              : (uint32_t)((bits + (UINT64_C(2) << 2 * rank)) / 64 + 2) | 1;
}

static uint32_t warp_tiles(const struct zti_coding *coding)
{
    const uint32_t tile_bytes = (uint32_t)zt_type_bytes(coding->type) << 2 * coding->grid.rank;
    return is_of_warp(coding) ? WARPS_BYTES / (ZTI_ZFP_THREADS / 32) / tile_bytes : 0;
}

/* Shared memory of a thread: its planes, and the slot where it codes. */
static uint32_t thread_bytes(const struct zti_coding *coding, bool has_slot)
{
    return (4u << 2 * coding->grid.rank) + (has_slot ? 8 * slot_words(coding) : 0);
}

static unsigned most_threads(const struct zti_coding *coding)
{
    return coding->grid.rank == 3 ? (unsigned)ZTI_ZFP_CUBE_THREADS : (unsigned)ZTI_ZFP_THREADS;
}

static unsigned threads_of(const struct zti_coding *coding)
{
    unsigned threads = most_threads(coding);
    while (!is_of_warp(coding) && threads > LEAST_THREADS &&
           threads * thread_bytes(coding, true) > SHARED_BYTES)
        threads /= 2;
    return threads;
}

/* Shared memory of a block that codes, or decodes. */
static uint32_t block_bytes(const struct zti_coding *coding, bool has_slots)
{
    const uint32_t width = 8 * (uint32_t)zt_type_bytes(coding->type), threads = threads_of(coding);
    const uint32_t slots = has_slots ? warp_tiles(coding) * slot_words(coding) : 0;
    if (is_of_warp(coding))
        return threads / 32 * 8 * (zti_zfp_warp_words(width, coding->grid.rank) + slots);
    return (has_slots ? threads : most_threads(coding)) * thread_bytes(coding, has_slots);
}

static bool has_kernels(const struct zti_coding *coding)
{
    (void)coding;
    return true;
}

static uint64_t state_words(const struct zti_coding *coding, uint64_t tiles)
{
    const uint32_t threads = threads_of(coding);
    const uint32_t each = is_of_warp(coding) ? threads / 32 * warp_tiles(coding) : threads;
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

static void encode(const struct zti_cuda_encoding *e)
{
    struct zfp_tiles t = tiles_of(e->coding, true);
    t.view.out = e->array;
    ZTI_CUDA_SET_ENCODING(&t, e);
    t.unproven = e->unproven;
    t.start_bits = e->start_bits;
    launches[e->coding->type - 1]->put(&t, threads_of(e->coding), e->queue);
}

static void decode(const struct zti_cuda_decoding *d)
{
    struct zfp_tiles t = tiles_of(d->coding, false);
    ZTI_CUDA_SET_DECODING(&t, d);
    t.first_bits = d->first_bits;
    launches[d->coding->type - 1]->take(&t, most_threads(d->coding), d->queue);
}

extern "C" const struct zti_cuda_codec zti_cuda_zfp = {true,   has_kernels, state_words, encode,
                                                       decode, NULL,        NULL};
