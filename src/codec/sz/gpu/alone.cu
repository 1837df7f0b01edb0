/* alone.cu: efforts fast and default coded without the host, which knows neither the range of the
 * values nor what is chosen: the arguments of kernels are in the device's memory, and kernels of
 * one block change them.
 *
 *     range --> step --> look --> centre, finalists --> race --> axes, groups --> put --> header
 *     effort default, before put: count --> books, or Rice codes --> head (alone_books.cu)
 *
 *     zeroed    tallies of both passes | states of put | counts
 *     work      struct sz_tiles | books
 *
 * The rules are those of lorenzo/axes.c. */
#include "codec/gpu_alone.h"
#include "codec/sz/gpu/kernels.h"
#include "codec/sz/stored.h"

enum { THREADS = 64 };

_Static_assert((int)THREADS >= (int)ZTI_SZ_SAMPLES && (int)THREADS >= 1 << ZT_MAX_RANK,
               "a sample and a set of axes have a thread each");

/* ---- kernels that choose ---- */

/* The arguments, with the step for the range that was found. */
SIMT_KERNEL void __launch_bounds__(32)
    begin_alone(const struct sz_tiles s, const struct zti_scan_found *found, struct sz_tiles *to)
{
    if (threadIdx.x > 0)
        return;
    *to = s;
    if (s.sz.source == ZTI_SZ_LATTICE)
        to->sz.step = zti_sz_step(s.type, s.sz.bound,
                                  fmax(fabs(zti_scan_value(s.type, ~found->least_flipped)),
                                       fabs(zti_scan_value(s.type, found->most))));
}

/* What follows from the first pass: zti_sz_axes_learn. */
SIMT_KERNEL void __launch_bounds__(THREADS)
    learn_look(const struct zti_sz_tally *t, struct sz_tiles *to)
{
    const uint32_t i = threadIdx.x, samples = (uint32_t)samples_of(&to->grid);
    SIMT_SHARED(uint64_t, cost, [1 << ZT_MAX_RANK]);
    SIMT_SHARED(int64_t, centre, );
    if (i < samples && is_median(t->base, samples, i))
        centre = centre_of(t->base[i]);
    if (i < 1u << to->grid.rank)
        cost[i] = cost_of_axes(&to->grid, &to->sz, i, t->bits);
    __syncthreads();
    if (i > 0)
        return;
    to->sz.centre = centre;
    if (!to->sz.has_axes)
        to->sz.finalists = find_finalists(to->grid.rank, cost);
    const uint32_t axes = finalists_of(&to->sz).axes[0];
    to->grid = grid_with_axes(&to->grid, &to->sz, axes);
    to->sz.axes = axes;
}

static __device__ __forceinline__ void choose_axes(const struct zti_sz_tally *t,
                                                   struct sz_tiles *to)
{
    const struct zti_sz_finalists f = finalists_of(&to->sz);
    uint32_t is_blocked;
    if (!zti_sz_has_pass(&to->sz, ZTI_SZ_RACE_PASS))
        return;
    const uint32_t axes = f.axes[find_winner(&f, t, &is_blocked)];
    to->grid = grid_with_axes(&to->grid, &to->sz, axes);
    to->sz.axes = axes;
    to->sz.is_blocked = is_blocked;
}

/* And from the second; then which tiles are counted. */
SIMT_KERNEL void __launch_bounds__(32) learn_race(const struct zti_sz_tally *t, struct sz_tiles *to)
{
    if (threadIdx.x > 0)
        return;
    choose_axes(t, to);
    to->part = zti_sz_part_of(to->sz.coder, to->grid.count);
}

SIMT_KERNEL void __launch_bounds__(32)
    end_alone(const struct sz_tiles *s, struct zti_cuda_chosen *chosen)
{
    if (threadIdx.x > 0)
        return;
    chosen->bits = s->states[1];
    chosen->head_bytes = s->head_bytes;
    chosen->tiles = s->grid.count;
    chosen->params_bytes = zti_sz_store(&s->sz, chosen->params);
}

/* ---- the host's part ---- */

extern "C" const struct zti_cuda_codec zti_cuda_sz;

static bool takes(const struct zti_coding *coding)
{
    const struct zti_sz *const sz = sz_of(coding);
    return zti_cuda_sz.can_code(coding) && !sz->wants_high &&
           (sz->coder == ZTI_SZ_FAST || sz->coder == ZTI_SZ_DEFAULT) &&
           sz->has_axes == sz->has_shape && !sz->has_groups &&
           (sz->source == ZTI_SZ_LATTICE || sz->source == ZTI_SZ_STEPS);
}

/* Of the grids that learning may choose: the most tiles, and the most bits of them all. */
static uint64_t most_of_grids(const struct zti_coding *coding, bool is_of_bits)
{
    uint64_t most = 0;
    for (uint32_t axes = 0; axes < 1u << coding->grid.rank; axes++) {
        const struct zti_grid grid = zti_sz_grid(coding->grid.rank, coding->grid.shape, axes);
        uint32_t values = 1;
        for (uint32_t i = 0; i < grid.rank; i++)
            values *= grid.side[i];
        const uint64_t bits = 8 * tile_most_bytes(values, (uint32_t)zt_type_bytes(coding->type));
        const uint64_t own = is_of_bits ? grid.count * bits : grid.count;
        most = own > most ? own : most;
    }
    return most;
}

extern "C" uint64_t zti_sz_alone_tiles(const struct zti_coding *coding)
{
    return most_of_grids(coding, false);
}

static uint64_t bits_most(const struct zti_coding *coding)
{
    return most_of_grids(coding, true) + 8 * tables_most_bytes(sz_of(coding));
}

/* The centre and the length of the head, which are learnt, have varints. */
static uint32_t params_bytes(const struct zti_coding *coding, int64_t centre)
{
    uint8_t params[ZTI_CODEC_PARAMS_BYTES];
    struct zti_sz sz = *sz_of(coding);
    sz.centre = centre;
    sz.head_bits = 8 * tables_most_bytes(&sz);
    return zti_sz_store(&sz, params);
}

static uint32_t params_likely(const struct zti_coding *coding)
{
    return params_bytes(coding, 1 << 19); /* steps */
}

static uint32_t params_most(const struct zti_coding *coding)
{
    return params_bytes(coding, centre_of(INT64_MIN));
}

static uint64_t counts_at(const struct zti_coding *coding)
{
    return 2 * sizeof(struct zti_sz_tally) + 8 * lookback_words(zti_sz_alone_tiles(coding));
}

/* Counts are those of each symbol, then the bits in Rice codes. */
static uint64_t zeroed_bytes(const struct zti_coding *coding)
{
    const uint64_t books = books_of(sz_of(coding)->coder);
    const uint64_t counts = books > 0 ? books * alphabet_of(sz_of(coding)) + 1 : 0;
    return counts_at(coding) + 8 * counts;
}

static uint64_t work_bytes(const struct zti_coding *coding)
{
    return sizeof(struct sz_tiles) +
           books_of(sz_of(coding)->coder) * zti_cuda_book_step(alphabet_of(sz_of(coding)));
}

/* The arguments that the host knows. */
static struct sz_tiles tiles_of(const struct zti_cuda_alone_encoding *e)
{
    struct sz_tiles s;
    memset(&s, 0, sizeof s);
    s.grid = e->coding->grid;
    s.sz = *sz_of(e->coding);
    s.type = e->coding->type;
    s.alphabet = alphabet_of(&s.sz);
    s.view.out = e->array;
    memcpy(s.view.hi, e->array.shape, sizeof s.view.hi);
    s.words = (uint64_t *)e->stream;
    s.states = (uint64_t *)(void *)((struct zti_sz_tally *)e->zeroed + 2);
    s.counts = (uint64_t *)(void *)((char *)e->zeroed + counts_at(e->coding));
    s.model = (struct sz_tiles *)e->work + 1;
    s.starts = e->starts;
    s.chunk_tiles = e->chunk_tiles;
    return s;
}

static void encode(const struct zti_cuda_alone_encoding *e)
{
    const bool is_wide = e->coding->type == ZT_F64 || e->coding->type == ZT_I64;
    struct zti_sz_tally *const tally = (struct zti_sz_tally *)e->zeroed;
    struct sz_tiles *const there = (struct sz_tiles *)e->work;
    const struct sz_tiles s = tiles_of(e);
    const uint64_t tiles = zti_sz_alone_tiles(e->coding);
    void (*const sample)(const struct sz_tiles *, const struct sz_tiles *, uint32_t,
                         struct zti_sz_tally *, void *) =
        is_wide ? zti_sz_cuda_sample_alone_64 : zti_sz_cuda_sample_alone_32;
    SIMT_LAUNCH(begin_alone, 1, 32, 0, e->queue, s, e->found, there);
    sample(&s, there, ZTI_SZ_LOOK_PASS, tally, e->queue);
    SIMT_LAUNCH(learn_look, 1, THREADS, 0, e->queue, tally, there);
    sample(&s, there, ZTI_SZ_RACE_PASS, tally + 1, e->queue);
    SIMT_LAUNCH(learn_race, 1, 32, 0, e->queue, tally + 1, there);
    if (s.sz.coder == ZTI_SZ_DEFAULT) {
        (is_wide ? zti_sz_cuda_count_alone_64 : zti_sz_cuda_count_alone_32)(there, tiles, e->queue);
        zti_sz_alone_learn_books(&s, there, e->queue);
    }
    (is_wide ? zti_sz_cuda_encode_alone_64 : zti_sz_cuda_encode_alone_32)(&s, there, tiles,
                                                                          e->queue);
    SIMT_LAUNCH(end_alone, 1, 32, 0, e->queue, there, e->chosen);
}

extern "C" const struct zti_cuda_alone zti_cuda_sz_alone = {takes,
                                                            zti_sz_is_smooth,
                                                            zeroed_bytes,
                                                            work_bytes,
                                                            zti_sz_alone_tiles,
                                                            bits_most,
                                                            params_likely,
                                                            params_most,
                                                            encode,
                                                            zti_sz_alone_reads,
                                                            zti_sz_alone_decoding_bytes,
                                                            zti_sz_alone_load,
                                                            zti_sz_alone_decode};
