/* zfp_cuda.cu: the CUDA instance of the zfp codec, the host's part: which kernel, and how many
 * threads. */
#include "cuda/simt.h"

#include "codec/zfp/zfp_cuda.h"

static const struct zfp_launches *const launches[4] = {&zti_zfp_cuda_f32, &zti_zfp_cuda_f64,
                                                       &zti_zfp_cuda_i32, &zti_zfp_cuda_i64};

/* Shared memory of a block: two of them fit in any multiprocessor from sm_80 on, and their
 * registers allow no third. */
enum { SHARED_BYTES = 80 << 10, LEAST_THREADS = 32 };

/* Words of a slot: the content of the largest tile, which padding may lengthen but not in the slot;
 * a plane (two bits a value) that is written before the budget cuts it; the word that is being
 * filled. Odd, for the banks of shared memory. */
static uint32_t slot_words(const struct zti_coding *coding)
{
    const uint32_t rank = coding->grid.rank;
    const uint64_t bits =
        zti_zfp_tile_reach(&coding->zfp, coding->type, rank) + (UINT64_C(2) << 2 * rank);
    return (uint32_t)(bits / 64 + 2) | 1;
}

static uint32_t thread_bytes(const struct zti_coding *coding)
{
    const bool is_3d_of_32 =
        coding->grid.rank == 3 && (coding->type == ZT_F32 || coding->type == ZT_I32);
    return 8 * slot_words(coding) + (is_3d_of_32 ? 4u * ZTI_ZFP_VALUES_IN_SHARED : 0);
}

static unsigned threads_of(const struct zti_coding *coding)
{
    unsigned threads = ZTI_ZFP_THREADS;
    while (threads > LEAST_THREADS && threads * thread_bytes(coding) > SHARED_BYTES)
        threads /= 2;
    return threads;
}

static bool has_kernels(const struct zti_coding *coding)
{
    (void)coding;
    return true;
}

static uint64_t state_words(const struct zti_coding *coding, uint64_t tiles)
{
    return 2 + (tiles / threads_of(coding) + 1); /* lookback_words */
}

static struct zfp_tiles tiles_of(const struct zti_coding *coding)
{
    struct zfp_tiles t;
    memset(&t, 0, sizeof t);
    t.grid = coding->grid;
    t.zfp = coding->zfp;
    t.fixed_bits = coding->codec->tile_fixed_bits(coding);
    t.slot_words = slot_words(coding);
    t.thread_bytes = thread_bytes(coding);
    return t;
}

static void encode(const struct zti_cuda_encoding *e)
{
    struct zfp_tiles t = tiles_of(e->coding);
    t.view.out = e->array;
    t.words = e->words;
    t.states = e->states;
    t.starts = e->starts;
    t.doubts = e->doubts;
    t.start_bits = e->start_bits;
    t.chunk_tiles = e->chunk_tiles;
    t.first_tile = e->first_tile;
    t.first_chunk =
        e->chunk_tiles ? e->first_tile / e->chunk_tiles + (e->first_tile % e->chunk_tiles != 0) : 0;
    launches[e->coding->type - 1]->put(&t, threads_of(e->coding), e->queue);
}

static void decode(const struct zti_cuda_decoding *d)
{
    struct zfp_tiles t = tiles_of(d->coding);
    t.view = d->view;
    t.words = (uint64_t *)d->words; /* only read */
    t.words_count = d->words_count;
    t.states = d->states;
    t.places = d->places;
    t.chunks = d->chunks;
    t.first_chunk = d->first_chunk;
    t.first_bits = d->first_bits;
    t.count = d->count;
    t.chunk_tiles = d->chunk_tiles;
    launches[d->coding->type - 1]->take(&t, ZTI_ZFP_THREADS, d->queue);
}

extern "C" const struct zti_cuda_codec zti_cuda_zfp = {true, has_kernels, state_words, encode,
                                                        decode, NULL};
