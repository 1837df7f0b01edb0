/* zfp_kernel.h: kernel text: tiles of one type to bits and back, a tile a thread, by the texts of
 * zfp_plain.h, or a warp, by those of zfp_warp.h. The includer defines TYPE (f32, ...), BITS (32 or
 * 64) and ZTI_ZFP_LAUNCHES, the name of the two functions that queue kernels.
 *
 *     tile (a thread's) --> bits in the tile's slot (shared) --> stream, behind the bits of all
 *                                                                  tiles before
 *
 * How many these are is computed at fixed rate; otherwise it is the sum within the block and that
 * of the blocks before, by look-back: values are read once and bits written once. Words of the
 * stream that two tiles share are or'ed, the others stored. Slots have odd numbers of words, so
 * that threads side by side use different banks. */
#include "cuda/lookback.h"

#include "codec/zfp/zfp_cuda.h"

typedef uint32_t uint_32;
typedef uint64_t uint_64;
#define JOIN3(a, b, c)  a##b##c
#define OF_TYPE(name, type) JOIN3(name, _, type)
#define VALUE           OF_TYPE(uint, BITS) /* uint_32 */

#define FN        static __device__ __forceinline__
#define EXPORTED static __device__
#define LOCAL static __device__
#define zti_zfp_pad pad_cuda
#define zti_zfp_order order_cuda
#include "codec/zfp/zfp_order.h"
#include "codec/zfp/zfp_thread.h" /* put_tile_f32, take_tile_i64, gather_32, ... */
#include "codec/zfp/zfp_warp.h"  /* put_tile_warp_f32, ... */

/* zti_walk_from and zti_walk_next for a rank that the compiler knows: places stay in registers. */
static __device__ __forceinline__ struct zti_walk walk_from(const struct zti_grid *grid,
                                                            uint64_t tile, uint32_t rank)
{
    struct zti_walk walk = {tile, {0, 0, 0, 0}};
SIMT_UNROLL
    for (uint32_t i = rank; i-- > 0;) {
        walk.origin[i] = tile % grid->tiles[i] * grid->side[i];
        tile /= grid->tiles[i];
    }
    return walk;
}

static __device__ __forceinline__ void walk_next(const struct zti_grid *grid,
                                                 struct zti_walk *walk, uint32_t rank)
{
    bool is_past = true;
    walk->tile++;
SIMT_UNROLL
    for (uint32_t i = rank; i-- > 0;) {
        const uint64_t at = walk->origin[i] + (is_past ? grid->side[i] : 0);
        is_past = at >= grid->shape[i];
        walk->origin[i] = is_past ? 0 : at;
    }
}

/* Copy 'bits' bits of a slot to bit 'at' of the stream; what is beyond the slot is zero, and so is
 * the stream. */
static __device__ __forceinline__ void place(uint64_t *words, uint64_t at, const uint64_t *slot,
                                             uint32_t slot_words, uint64_t bits)
{
    const uint32_t shift = (uint32_t)(at % 64);
    const uint64_t all = (uint64_t)slot_words * 64, n = bits < all ? bits : all;
    uint64_t *to = words + at / 64, carry = 0;
    for (uint64_t from = 0; from < n; from += 64, to++) {
        const uint64_t v = slot[from / 64], out = v << shift | carry;
        carry = shift > 0 ? v >> (64 - shift) : 0;
        if ((from == 0 && shift > 0) || from + 64 - shift > n)
            simt_or(to, out);
        else
            *to = out;
    }
    if (carry != 0)
        simt_or(to, carry);
}

/* Where the thread's bits go, behind those of all threads before it. */
static __device__ __forceinline__ uint64_t bits_before(const struct zfp_tiles *t, uint64_t block,
                                                       uint64_t bits)
{
    SIMT_SHARED(uint64_t, sums, [4]);
    SIMT_SHARED(uint64_t, base, );
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const uint64_t own = warp_sums(bits);
    uint64_t before = own - bits;
    if (lane == 31)
        sums[warp] = own;
    __syncthreads();
    for (uint32_t i = 0; i < warp; i++)
        before += sums[i];
    if (warp == 0) {
        uint64_t all = 0;
        for (uint32_t i = 0; i < warps; i++)
            all += sums[i];
        const uint64_t found = lookback(t->states, block, gridDim.x, all);
        if (lane == 0)
            base = found;
    }
    __syncthreads();
    return base + before;
}

/* Note where a tile went. */
static __device__ __forceinline__ void note_start(const struct zfp_tiles *t, uint64_t tile,
                                                  uint64_t at)
{
    const uint64_t number = t->first_tile + tile;
    if (t->starts && number % t->chunk_tiles == 0)
        t->starts[number / t->chunk_tiles - t->first_chunk] = at;
}

/* Place what a thread has written, of tile 'tile' if there is one. */
static __device__ __forceinline__ void finish_tile(const struct zfp_tiles *t, uint64_t block,
                                                   uint64_t tile, struct zti_bit_writer *w)
{
    const bool is_tile = tile < t->grid.count;
    const uint64_t bits = is_tile ? zti_bits_written(w) : 0;
    const uint64_t at = t->fixed_bits > 0 ? tile * t->fixed_bits : bits_before(t, block, bits);
    if (!is_tile)
        return;
    if (w->words < w->slot_words)
        w->slot[w->words] = w->held;
    place(t->words, t->start_bits + at, w->slot, w->slot_words, bits);
    note_start(t, tile, at);
}

/* Place what a warp has written: tiles from 'first', lane k has the bits of the k-th; their slots
 * follow each other. */
static __device__ __forceinline__ void finish_tiles(const struct zfp_tiles *t, uint64_t block,
                                                    uint64_t first, uint64_t bits,
                                                    const uint64_t *slots)
{
    const uint64_t own = t->fixed_bits > 0 ? 0 : bits_before(t, block, bits);
    __syncwarp();
    for (uint32_t k = 0; k < t->warp_tiles && first + k < t->grid.count; k++) {
        const uint64_t at = t->fixed_bits > 0 ? (first + k) * t->fixed_bits
                                              : __shfl_sync(SIMT_ALL_LANES, own, (int)k);
        place_slot(t->words, t->start_bits + at,
                   (const uint32_t *)(const void *)(slots + k * t->slot_words));
        if (threadIdx.x % 32 == 0)
            note_start(t, first + k, at);
    }
}

/* Kernels for tiles of a rank that the compiler knows: the lossy and the reversible algorithm
 * apart, whose texts need different registers. 64 values of 32 bits are read into shared memory
 * first, behind the slots, so that values and coefficients do not take registers at once. Tiles of
 * more bytes are a warp's. */
#define KERNEL(blocks) SIMT_KERNEL void __launch_bounds__(ZTI_ZFP_THREADS, blocks)

#define IS_OTHER_RANK(known)  (t.grid.rank != (known))

/* The parameters of a kernel for one of both algorithms, by which the compiler knows that it is not
 * the other. */
static __device__ __forceinline__ struct zti_zfp zfp_of_kernel(const struct zfp_tiles *t,
                                                               bool is_exact)
{
    struct zti_zfp z = t->zfp;
    z.minexp = is_exact                      ? ZTI_ZFP_MIN_EXP - 1
               : z.minexp > ZTI_ZFP_MIN_EXP ? z.minexp
                                             : ZTI_ZFP_MIN_EXP;
    return z;
}

#define PUT_KERNEL(name, rank, blocks, is_exact)                                                   \
    KERNEL(blocks) name(struct zfp_tiles t)                                                                \
    {                                                                                              \
        SIMT_SHARED_DYNAMIC(uint64_t, memory);                                                     \
        if (IS_OTHER_RANK(rank))                                                                   \
            return;                                                                                \
        const struct zti_zfp zfp = zfp_of_kernel(&t, is_exact);                                    \
        const uint64_t block = t.fixed_bits > 0 ? blockIdx.x : lookback_ticket(t.states);          \
        const uint64_t tile = block * blockDim.x + threadIdx.x;                                    \
        struct zti_bit_writer w =                                                                  \
            zti_bit_writer_in(memory + (blockDim.x << 2 * (rank)) / 2 +                            \
                                  threadIdx.x * t.slot_words,                                      \
                              t.slot_words);                                                       \
        if (tile < t.grid.count) {                                                                 \
            VALUE values[1 << 2 * (rank)];                                                         \
            const struct zti_walk at = walk_from(&t.grid, tile, rank);                             \
            OF_TYPE(gather, BITS)(&t.view.out, at.origin, values, rank);                           \
            const bool is_proved = OF_TYPE(put_tile, TYPE)(&zfp, values, rank, &w);              \
            if (t.doubts)                                                                          \
                t.doubts[tile] = !is_proved;                                                       \
        }                                                                                          \
        finish_tile(&t, block, tile, &w);                                                          \
    }

/* The same for warps, which take t.warp_tiles tiles one after the other. */
#define PUT_WARP_KERNEL(name, rank, own_values, is_exact)                                          \
    KERNEL(2) name(struct zfp_tiles t)                                                                \
    {                                                                                              \
        SIMT_SHARED_DYNAMIC(uint64_t, memory);                                                     \
        if (IS_OTHER_RANK(rank))                                                                   \
            return;                                                                                \
        const struct zti_zfp zfp = zfp_of_kernel(&t, is_exact);                                    \
        const uint32_t warps = blockDim.x / 32, warp = threadIdx.x / 32, me = threadIdx.x % 32;    \
        const uint64_t block = t.fixed_bits > 0 ? blockIdx.x : lookback_ticket(t.states);          \
        const uint64_t first = (block * warps + warp) * t.warp_tiles;                              \
        uint64_t *const slots = memory + warps * zti_zfp_warp_words(BITS, rank) +                  \
                                warp * t.warp_tiles * t.slot_words;                                \
        uint64_t bits = 0; /* of tile first + me */                                                \
        for (uint32_t k = 0; k < t.warp_tiles && first + k < t.grid.count; k++) {                  \
            VALUE values[own_values];                                                              \
            const struct zti_walk at = walk_from(&t.grid, first + k, rank);                        \
            struct zti_bit_writer w = zti_bit_writer_in(slots + k * t.slot_words, 0);              \
            OF_TYPE(gather_warp, BITS)(&t.view.out, at.origin, values, rank);                      \
            if (me == 0)                                                                           \
                w.slot[0] = 0;                                                                     \
            const bool is_proved = OF_TYPE(put_tile_warp, TYPE)(&zfp, values, rank, &w);         \
            if (t.doubts && me == 0)                                                               \
                t.doubts[first + k] = !is_proved;                                                  \
            bits = me == k ? zti_bits_written(&w) : bits;                                          \
        }                                                                                          \
        finish_tiles(&t, block, first, bits, slots);                                               \
    }

/* A chunk a thread ('of' is nothing) or a warp (_warp), of so many lanes. */
#define TAKE_KERNEL(name, rank, blocks, values_count, of, lanes, is_exact)                                   \
    KERNEL(blocks) name(struct zfp_tiles t)                                                                \
    {                                                                                              \
        const uint64_t i = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / (lanes);            \
        if (i >= t.count || IS_OTHER_RANK(rank))                                                   \
            return;                                                                                \
        const struct zti_zfp zfp = zfp_of_kernel(&t, is_exact);                                    \
        const uint64_t chunk = t.chunks ? t.chunks[i] : t.first_chunk + i;                         \
        const uint64_t first = chunk * t.chunk_tiles, rest = t.grid.count - first;                 \
        const uint64_t last = first + (rest < t.chunk_tiles ? rest : t.chunk_tiles);               \
        struct zti_bit_reader r = {t.words, t.words_count,                                         \
                                   t.places ? t.places[2 * i]                                      \
                                            : (uint64_t)t.first_bits + first * t.fixed_bits};      \
        struct zti_walk at = walk_from(&t.grid, first, rank);                                      \
        for (; at.tile < last; walk_next(&t.grid, &at, rank)) {                                    \
            VALUE values[values_count];                                                            \
            OF_TYPE(take_tile##of, TYPE)(&zfp, values, rank, &r);                                \
            OF_TYPE(scatter##of, BITS)(&t.view, at.origin, values, rank);                          \
        }                                                                                          \
        if (threadIdx.x % (lanes) == 0)                                                            \
            note_end(t.states, i, t.count, r.at, t.places ? t.places[2 * i + 1] : UINT64_MAX);     \
    }

/* Blocks of a multiprocessor, at least: so many registers are there for a thread. */
#if BITS == 32
#define PUT_3D_BLOCKS 4
#define TAKE_3D_BLOCKS 4
#define PUT_2D_BLOCKS 8
#define TAKE_2D_BLOCKS 8
#else
#define PUT_3D_BLOCKS 3
#define TAKE_3D_BLOCKS 3
#define PUT_2D_BLOCKS 4
#define TAKE_2D_BLOCKS 4
#endif

PUT_KERNEL(put_lossy_1d, 1, 8, false)
PUT_KERNEL(put_lossy_2d, 2, PUT_2D_BLOCKS, false)
PUT_KERNEL(put_lossy_3d, 3, PUT_3D_BLOCKS, false)
PUT_KERNEL(put_exact_1d, 1, 8, true)
PUT_KERNEL(put_exact_2d, 2, PUT_2D_BLOCKS, true)
PUT_KERNEL(put_exact_3d, 3, PUT_3D_BLOCKS, true)
PUT_WARP_KERNEL(put_lossy_4d, 4, 8, false)
PUT_WARP_KERNEL(put_exact_4d, 4, 8, true)
TAKE_KERNEL(take_lossy_1d, 1, 8, 4, , 1, false)
TAKE_KERNEL(take_lossy_2d, 2, TAKE_2D_BLOCKS, 16, , 1, false)
TAKE_KERNEL(take_lossy_3d, 3, TAKE_3D_BLOCKS, 64, , 1, false)
TAKE_KERNEL(take_lossy_4d, 4, 2, 8, _warp, 32, false)
TAKE_KERNEL(take_exact_1d, 1, 8, 4, , 1, true)
TAKE_KERNEL(take_exact_2d, 2, TAKE_2D_BLOCKS, 16, , 1, true)
TAKE_KERNEL(take_exact_3d, 3, TAKE_3D_BLOCKS, 64, , 1, true)
TAKE_KERNEL(take_exact_4d, 4, 2, 8, _warp, 32, true)

static void put(const struct zfp_tiles *tiles, unsigned threads, void *queue)
{
    const struct zfp_tiles t = *tiles;
    const uint64_t each = t.warp_tiles > 0 ? threads / 32 * t.warp_tiles : threads;
    const unsigned blocks = (unsigned)((t.grid.count + each - 1) / each);
    const size_t bytes = t.block_bytes;
    switch (t.grid.rank + (zti_zfp_is_reversible(&t.zfp) ? 4 : 0)) {
    case 1: SIMT_LAUNCH(put_lossy_1d, blocks, threads, bytes, queue, t); break;
    case 2: SIMT_LAUNCH(put_lossy_2d, blocks, threads, bytes, queue, t); break;
    case 3: SIMT_LAUNCH(put_lossy_3d, blocks, threads, bytes, queue, t); break;
    case 4: SIMT_LAUNCH(put_lossy_4d, blocks, threads, bytes, queue, t); break;
    case 5: SIMT_LAUNCH(put_exact_1d, blocks, threads, bytes, queue, t); break;
    case 6: SIMT_LAUNCH(put_exact_2d, blocks, threads, bytes, queue, t); break;
    case 7: SIMT_LAUNCH(put_exact_3d, blocks, threads, bytes, queue, t); break;
    default: SIMT_LAUNCH(put_exact_4d, blocks, threads, bytes, queue, t);
    }
}

static void take(const struct zfp_tiles *tiles, unsigned threads, void *queue)
{
    const struct zfp_tiles t = *tiles;
    const uint64_t each = t.warp_tiles > 0 ? threads / 32 : threads;
    const unsigned blocks = (unsigned)((t.count + each - 1) / each);
    const size_t bytes = t.block_bytes;
    switch (t.grid.rank + (zti_zfp_is_reversible(&t.zfp) ? 4 : 0)) {
    case 1: SIMT_LAUNCH(take_lossy_1d, blocks, threads, bytes, queue, t); break;
    case 2: SIMT_LAUNCH(take_lossy_2d, blocks, threads, bytes, queue, t); break;
    case 3: SIMT_LAUNCH(take_lossy_3d, blocks, threads, bytes, queue, t); break;
    case 4: SIMT_LAUNCH(take_lossy_4d, blocks, threads, bytes, queue, t); break;
    case 5: SIMT_LAUNCH(take_exact_1d, blocks, threads, bytes, queue, t); break;
    case 6: SIMT_LAUNCH(take_exact_2d, blocks, threads, bytes, queue, t); break;
    case 7: SIMT_LAUNCH(take_exact_3d, blocks, threads, bytes, queue, t); break;
    default: SIMT_LAUNCH(take_exact_4d, blocks, threads, bytes, queue, t);
    }
}

extern "C" const struct zfp_launches ZTI_ZFP_LAUNCHES = {put, take};
