/* zfp_cuda.c: the CUDA instance of the zfp codec, the host's part: which kernel, and how many
 * threads. */
#include "codec/zfp/zfp_cuda.h"

static const struct zfp_launches *const launches[4] = {&zti_zfp_cuda_f32, &zti_zfp_cuda_f64,
                                                       &zti_zfp_cuda_i32, &zti_zfp_cuda_i64};

/* Shared memory of a block that every GPU has without being asked. */
enum { SHARED_BYTES = 48 << 10, LEAST_THREADS = 32 };

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

static unsigned threads_of(const struct zti_coding *coding)
{
    unsigned threads = ZTI_ZFP_THREADS;
    while (threads > LEAST_THREADS && threads * slot_words(coding) * 8 > SHARED_BYTES)
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
    return (struct zfp_tiles){.grid = coding->grid,
                              .zfp = coding->zfp,
                              .fixed_bits = coding->codec->tile_fixed_bits(coding),
                              .slot_words = slot_words(coding)};
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
    union {
        const uint64_t *in;
        uint64_t *words; /* only read */
    } u = {.in = d->words};
    t.view = d->view;
    t.words = u.words;
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

const struct zti_cuda_codec zti_cuda_zfp = {.has_kernels = has_kernels,
                                            .state_words = state_words,
                                            .encode = encode,
                                            .decode = decode};
