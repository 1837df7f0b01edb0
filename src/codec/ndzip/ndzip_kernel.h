/* ndzip_kernel.h: kernel text: cubes to records and back by blocks of 256 threads. The includer
 * defines word, sword, WIDTH and NAME as for ndzip_tile.h.
 *
 * A block has a cube, warp w of it values 512 w to 512 w + 511, in rows of 32: lane l has value
 * 32 k + l of them. A group is one row (32 bits) or two (64), so its planes come by turning a
 * square of bits that a warp holds, and stay in registers until it is known where they go.
 *
 *     values --> cube in shared memory --> residuals, a row of 32 at a time --> masks (shared)
 *                                                   |                             |
 *                                     turned in registers <---- places <---- sums, look-back
 *                                                   |
 *                                                   v
 *                                                 stream
 *
 * Reads of the cube are of 32 neighbours, and no two of them in one bank. */

#include "cuda/warp_words.h"

/* Words of a group that a lane holds; groups of a warp, of a cube. */
#define PARTS       (WIDTH / 32)
#define WARP_GROUPS (16 / PARTS)
#define GROUPS      (ZTI_NDZIP_VALUES / WIDTH)

static __device__ __forceinline__ word NAME(turn)(word v, uint32_t n)
{
    return v << n | v >> (-n & (WIDTH - 1));
}

/* Negative numbers keep their sign bit and have the others flipped. Its own inverse. */
static __device__ __forceinline__ word NAME(fold)(word v)
{
    return v ^ ((word)((sword)v >> (WIDTH - 1)) & ((word)-1 >> 1));
}

/* Whether row i of a turned group, i = 32 q + lane, is kept, and rows before it that are. */
static __device__ __forceinline__ bool NAME(is_kept)(word mask, uint32_t i)
{
    return mask >> (WIDTH - 1 - i) & 1;
}

static __device__ __forceinline__ uint32_t NAME(kept_before)(word mask, uint32_t i)
{
    return i == 0 ? 0 : (uint32_t)__popcll((unsigned long long)(mask >> (WIDTH - i)));
}

/* From the masks of a cube to the planes before each group; the record's words. The first warp
 * calls it. */
static __device__ __forceinline__ uint32_t NAME(sum_groups)(const word *masks, uint32_t *before)
{
    enum { EACH = GROUPS / 32 };
    const uint32_t lane = threadIdx.x % 32;
    uint32_t own = 0;
    for (uint32_t i = 0; i < EACH; i++)
        own += (uint32_t)__popcll((unsigned long long)masks[lane * EACH + i]);
    const uint32_t sums = (uint32_t)warp_sums(own);
    uint32_t sum = sums - own;
    for (uint32_t i = 0; i < EACH; i++) {
        before[lane * EACH + i] = sum;
        sum += (uint32_t)__popcll((unsigned long long)masks[lane * EACH + i]);
    }
    return GROUPS + __shfl_sync(SIMT_ALL_LANES, sums, 31);
}

/* ---- encoding ---- */

/* Value t of a cube, counted as its rank says. */
static __device__ __forceinline__ word *NAME(value_at)(const struct part *p, uint32_t rank,
                                                       uint32_t t, bool *is_inside)
{
    const uint32_t z = rank == 3 ? t / 256 : 0;
    const uint32_t y = rank == 3 ? t / 16 % 16 : rank == 2 ? t / 64 : 0;
    const uint32_t x = rank == 3 ? t % 16 : rank == 2 ? t % 64 : t;
    /* where it is cut off in front, these wrap around and are large */
    const uint32_t dz = z - p->skip[0], dy = y - p->skip[1], dx = x - p->skip[2];
    const uint32_t cz = dz < p->extent[0] ? dz : p->extent[0] - 1;
    const uint32_t cy = dy < p->extent[1] ? dy : p->extent[1] - 1;
    const uint32_t cx = dx < p->extent[2] ? dx : p->extent[2] - 1;
    *is_inside = dz == cz && dy == cy && dx == cx;
    return (word *)(void *)(p->data + cz * p->stride_bytes[0] + cy * p->stride_bytes[1] +
                            cx * p->stride_bytes[2]);
}

/* A cube into shared memory, what is beyond the array's end included: values, turned left; in three
 * dimensions their differences along the first axis. */
static __device__ __forceinline__ void NAME(load)(const struct part *p, uint32_t rank,
                                                  uint32_t rotation, word *cube)
{
    word before = 0;
SIMT_UNROLL
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t t = 256 * i + threadIdx.x;
        bool is_inside;
        const word v = NAME(turn)(*NAME(value_at)(p, rank, t, &is_inside), rotation);
        cube[t] = v - before;
        before = rank == 3 ? v : 0;
    }
}

/* The folded residual of value t. */
static __device__ __forceinline__ word NAME(residual)(const word *cube, uint32_t rank, uint32_t t)
{
    const uint32_t side = rank == 3 ? 16 : rank == 2 ? 64 : ZTI_NDZIP_VALUES;
    const uint32_t x = t % side, y = rank == 1 ? 0 : t / side % side;
    word v = cube[t];
    v -= x > 0 ? cube[t - 1] : 0;
    if (rank > 1 && y > 0) {
        v -= cube[t - side];
        v += x > 0 ? cube[t - side - 1] : 0;
    }
    return NAME(fold)(v);
}

/* Masks to shared memory, planes to registers. */
static __device__ __forceinline__ void NAME(turn_groups)(const word *cube, uint32_t rank,
                                                         word *masks, word *planes)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
SIMT_UNROLL
    for (uint32_t g = 0; g < WARP_GROUPS; g++) {
        const uint32_t group = warp * WARP_GROUPS + g;
        word *const a = planes + g * PARTS, any = 0;
        for (uint32_t q = 0; q < PARTS; q++) {
            a[q] = NAME(residual)(cube, rank, group * WIDTH + 32 * q + lane);
            any |= a[q];
        }
        any = NAME(or_of_warp)(any);
        if (lane == 0)
            masks[group] = any;
        if (any != 0) /* the same in all lanes */
            NAME(turn_square)(a);
    }
}

static __device__ __forceinline__ void NAME(put_cube)(const struct cubes *c, uint32_t rank)
{
    SIMT_SHARED(word, cube, [ZTI_NDZIP_VALUES]);
    SIMT_SHARED(word, masks, [GROUPS]);
    SIMT_SHARED(uint32_t, before, [GROUPS]);
    SIMT_SHARED(uint64_t, base, );
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t tile = lookback_ticket(c->states);
    const struct part p = part_of_view(c, tile);
    word planes[16];
    NAME(load)(&p, rank, c->rotation, cube);
    __syncthreads();
    NAME(turn_groups)(cube, rank, masks, planes);
    __syncthreads();
    if (warp == 0) {
        const uint32_t words = NAME(sum_groups)(masks, before);
        const uint64_t bits =
            lookback(c->states, tile, c->grid.count, (uint64_t)words * WIDTH);
        if (lane == 0) {
            base = bits / WIDTH;
            if (c->starts && (c->first_tile + tile) % c->chunk_tiles == 0)
                c->starts[(c->first_tile + tile) / c->chunk_tiles - c->first_chunk] = bits;
        }
    }
    __syncthreads();
    word *const record = (word *)(void *)c->words + base;
    if (threadIdx.x < GROUPS)
        record[threadIdx.x] = masks[threadIdx.x];
SIMT_UNROLL
    for (uint32_t g = 0; g < WARP_GROUPS; g++) {
        const uint32_t group = warp * WARP_GROUPS + g;
        const word mask = masks[group];
        word *const to = record + GROUPS + before[group];
        for (uint32_t q = 0; q < PARTS; q++)
            if (NAME(is_kept)(mask, 32 * q + lane))
                to[NAME(kept_before)(mask, 32 * q + lane)] = planes[g * PARTS + q];
    }
}

/* ---- decoding ---- */

static __device__ __forceinline__ word NAME(word_at)(const struct cubes *c, uint64_t i)
{
    return i < c->words_count * (64 / WIDTH) ? ((const word *)(const void *)c->words)[i] : 0;
}

/* Planes of the warp's groups to its residuals, v[k] of row k. */
static __device__ __forceinline__ void NAME(turn_back)(const struct cubes *c, uint64_t record,
                                                       const word *masks, const uint32_t *before,
                                                       word *v)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
SIMT_UNROLL
    for (uint32_t g = 0; g < WARP_GROUPS; g++) {
        const uint32_t group = warp * WARP_GROUPS + g;
        const word mask = masks[group];
        const uint64_t from = record + GROUPS + before[group];
        word *const a = v + g * PARTS;
        for (uint32_t q = 0; q < PARTS; q++)
            a[q] = NAME(is_kept)(mask, 32 * q + lane)
                       ? NAME(word_at)(c, from + NAME(kept_before)(mask, 32 * q + lane))
                       : 0;
        if (mask != 0)
            NAME(turn_square)(a);
        for (uint32_t q = 0; q < PARTS; q++)
            a[q] = NAME(fold)(a[q]);
    }
}

/* Sums along the cube's rows: of 16, of 64, or of the warp's 512 values. */
static __device__ __forceinline__ void NAME(sum_rows)(word *v, uint32_t rank)
{
    const uint32_t lane = threadIdx.x % 32, width = rank == 3 ? 16 : 32;
    word carry = 0;
SIMT_UNROLL
    for (uint32_t k = 0; k < 16; k++) {
        for (uint32_t s = 1; s < width; s *= 2) {
            const word left = __shfl_up_sync(SIMT_ALL_LANES, v[k], (int)s);
            v[k] += lane % width >= s ? left : 0;
        }
        if (rank < 3) {
            v[k] += carry;
            const word last = __shfl_sync(SIMT_ALL_LANES, v[k], 31);
            carry = rank == 2 && k % 2 == 1 ? 0 : last;
        }
    }
}

/* Sums over what is before in columns of 16 of shared memory, 'step' apart. */
static __device__ __forceinline__ void NAME(sum_column)(const word *from, uint32_t step, word *v)
{
    word sum = 0;
SIMT_UNROLL
    for (uint32_t i = 0; i < 16; i++)
        v[i] = sum += from[i * step];
}

/* One dimension: warps add what is before them. */
static __device__ __forceinline__ void NAME(finish_1d)(word *cube, word *v)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    word sum = 0;
    if (lane == 31)
        cube[warp] = v[15];
    __syncthreads();
    for (uint32_t i = 0; i < warp; i++)
        sum += cube[i];
    for (uint32_t k = 0; k < 16; k++)
        v[k] += sum;
}

/* Two dimensions: thread 64 b + x has column x of rows 16 b to 16 b + 15. */
static __device__ __forceinline__ void NAME(finish_2d)(word *cube, word *v)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t band = threadIdx.x / 64, x = threadIdx.x % 64;
    word *const bands = cube + ZTI_NDZIP_VALUES;
    word sum = 0;
    for (uint32_t k = 0; k < 16; k++)
        cube[warp * 512 + 32 * k + lane] = v[k];
    __syncthreads();
    NAME(sum_column)(cube + band * 1024 + x, 64, v);
    bands[threadIdx.x] = v[15];
    __syncthreads();
    for (uint32_t i = 0; i < band; i++)
        sum += bands[64 * i + x];
    for (uint32_t i = 0; i < 16; i++)
        v[i] += sum;
}

/* Three dimensions: thread 16 y + x has the column along the first axis. Planes are 272 apart, so
 * that the second axis' columns of a warp, in two planes, lie in different banks. */
static __device__ __forceinline__ void NAME(finish_3d)(word *cube, word *v)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    word *const column = cube + threadIdx.x / 16 * 272 + threadIdx.x % 16;
    for (uint32_t k = 0; k < 16; k++) {
        const uint32_t t = warp * 512 + 32 * k + lane;
        cube[t / 256 * 272 + t % 256] = v[k];
    }
    __syncthreads();
    NAME(sum_column)(column, 16, v);
    for (uint32_t i = 0; i < 16; i++)
        column[16 * i] = v[i];
    __syncthreads();
    NAME(sum_column)(cube + threadIdx.x, 272, v);
}

/* The number of v[i] within the cube, as the functions above leave them. */
static __device__ __forceinline__ uint32_t NAME(number_of)(uint32_t rank, uint32_t i)
{
    const uint32_t t = threadIdx.x;
    return rank == 3   ? 256 * i + t
           : rank == 2 ? t / 64 * 1024 + 64 * i + t % 64
                       : t / 32 * 512 + 32 * i + t % 32;
}

/* The cube whose record begins at word 'record'; returns the record's words. */
static __device__ __forceinline__ uint32_t NAME(take_cube)(const struct cubes *c, uint32_t rank,
                                                           uint64_t tile, uint64_t record)
{
    SIMT_SHARED(word, cube, [ZTI_NDZIP_VALUES + 256]);
    SIMT_SHARED(word, masks, [GROUPS]);
    SIMT_SHARED(uint32_t, before, [GROUPS]);
    SIMT_SHARED(uint32_t, words, );
    const struct part p = part_of_view(c, tile);
    const uint32_t back = -c->rotation & (WIDTH - 1);
    word v[16];
    /* of the cube before, nothing is read any more that is written before the second barrier */
    if (threadIdx.x < GROUPS)
        masks[threadIdx.x] = NAME(word_at)(c, record + threadIdx.x);
    __syncthreads();
    if (threadIdx.x < 32) {
        const uint32_t n = NAME(sum_groups)(masks, before);
        if (threadIdx.x == 0)
            words = n;
    }
    __syncthreads();
    NAME(turn_back)(c, record, masks, before, v);
    NAME(sum_rows)(v, rank);
    if (rank == 1)
        NAME(finish_1d)(cube, v);
    else if (rank == 2)
        NAME(finish_2d)(cube, v);
    else
        NAME(finish_3d)(cube, v);
SIMT_UNROLL
    for (uint32_t i = 0; i < 16; i++) {
        bool is_inside;
        word *const to = NAME(value_at)(&p, rank, NAME(number_of)(rank, i), &is_inside);
        if (is_inside)
            *to = NAME(turn)(v[i], back);
    }
    return words;
}

static __device__ __forceinline__ void NAME(take_chunk)(const struct cubes *c, uint32_t rank)
{
    const uint64_t i = blockIdx.x, chunk = c->chunks ? c->chunks[i] : c->first_chunk + i;
    const uint64_t first = chunk * c->chunk_tiles, rest = c->grid.count - first;
    const uint64_t last = first + (rest < c->chunk_tiles ? rest : c->chunk_tiles);
    const uint64_t end = c->places[2 * i + 1];
    uint64_t record = c->places[2 * i] / WIDTH;
    for (uint64_t tile = first; tile < last; tile++)
        record += NAME(take_cube)(c, rank, tile, record);
    if (threadIdx.x == 0)
        note_end(c->states, i, c->count, record * WIDTH, end);
}

#define KERNEL SIMT_KERNEL void __launch_bounds__(256, 2)
KERNEL NAME(put_1d)(struct cubes c) { NAME(put_cube)(&c, 1); }
KERNEL NAME(put_2d)(struct cubes c) { NAME(put_cube)(&c, 2); }
KERNEL NAME(put_3d)(struct cubes c) { NAME(put_cube)(&c, 3); }
KERNEL NAME(take_1d)(struct cubes c) { NAME(take_chunk)(&c, 1); }
KERNEL NAME(take_2d)(struct cubes c) { NAME(take_chunk)(&c, 2); }
KERNEL NAME(take_3d)(struct cubes c) { NAME(take_chunk)(&c, 3); }

#undef KERNEL
#undef PARTS
#undef WARP_GROUPS
#undef GROUPS
