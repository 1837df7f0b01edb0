/* kernel.h: kernel text: cubes to records and back, by blocks of 256 threads. The includer defines
 * word, WIDTH and NAME as for tile/instance.h, PUT_BLOCKS and TAKE_BLOCKS; this file undefines
 * them.
 *
 * A block codes a cube. Warp w has values 512 w to 512 w + 511 in rows of 32: value t = 512 w + 32
 * k + l is v[k] of lane l. A group is one row (32 bits) or two (64 bits), so its planes are the
 * transpose of bits that a warp holds; they stay in registers until their place is known.
 * Neighbouring values come by shuffles; those of another warp are loaded again.
 *
 *     values --> residuals --> masks --> sums --> published --> look-back
 *                    |                                             |
 *                    +---------> turned in registers               v
 *                                        +-------------------->  stream
 *
 * PUT_BLOCKS and TAKE_BLOCKS: resident blocks of a multiprocessor, as many as leave each thread
 * registers for its 16 values.
 *
 * To decode, each warp counts the planes of all masks before its own. Residuals go to shared
 * memory, where a thread sums 16 neighbours of a row. */

#include "gpu/warp_words.h"

/* Words of a group in a lane; groups of a warp, of a cube; masks of a cube that a lane reads. */
#define PARTS       (WIDTH / 32)
#define WARP_GROUPS (16 / PARTS)
#define GROUPS      zti_ndzip_groups(WIDTH)
#define LANE_GROUPS (GROUPS / 32)

static __device__ __forceinline__ word NAME(rotate)(word v, uint32_t n)
{
    return v << n | v >> (-n & (WIDTH - 1));
}

static __device__ __forceinline__ uint32_t NAME(count_ones)(word v)
{
#if WIDTH == 64
    return (uint32_t)__popcll(v);
#else
    return (uint32_t)__popc(v);
#endif
}

/* The bit of the mask for row (plane) i of a transposed group, i = 32 q + lane; earlier rows have
 * higher bits. */
static __device__ __forceinline__ word NAME(row_bit)(uint32_t i)
{
    return (word)1 << zti_ndzip_plane_bit(WIDTH, i);
}

static __device__ __forceinline__ uint32_t NAME(kept_before)(word mask, word bit)
{
    return NAME(count_ones)(mask & (0 - (bit << 1)));
}

/* The address of value t of a cube; outside the part, that of the nearest value inside. */
static __device__ __forceinline__ word *NAME(value_at)(const struct part *p, uint32_t rank,
                                                       uint32_t t, bool *is_inside)
{
    const uint32_t side = zti_ndzip_side(rank);
    const uint32_t z = rank == 3 ? t / (side * side) : 0;
    const uint32_t y = rank == 3 ? t / side % side : rank == 2 ? t / side : 0;
    const uint32_t x = rank > 1 ? t % side : t;
    /* before the part these wrap around and are large */
    const uint32_t dz = z - p->skip[0], dy = y - p->skip[1], dx = x - p->skip[2];
    const uint32_t cz = dz < p->extent[0] ? dz : p->extent[0] - 1;
    const uint32_t cy = dy < p->extent[1] ? dy : p->extent[1] - 1;
    const uint32_t cx = dx < p->extent[2] ? dx : p->extent[2] - 1;
    *is_inside = dz == cz && dy == cy && dx == cx;
    return (word *)(void *)(p->data + cz * p->stride_bytes[0] + cy * p->stride_bytes[1] +
                            cx * p->stride_bytes[2]);
}

/* The address of the warp's row k >= -8 of a whole cube. */
static __device__ __forceinline__ word *NAME(plain_at)(const struct part *p, uint32_t rank, int k)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint8_t *const data = p->data;
    if (rank == 3)
        return (word *)(void *)(data + ((int)(2 * warp) + (k >> 3)) * p->stride_bytes[0] +
                                (2 * (k & 7) + (int)(lane / 16)) * p->stride_bytes[1]) +
               lane % 16;
    if (rank == 2)
        return (word *)(void *)(data + ((int)(8 * warp) + (k >> 1)) * p->stride_bytes[1]) +
               (32 * (k & 1) + (int)lane);
    return (word *)(void *)data + ((int)(512 * warp + lane) + 32 * k);
}

/* ---- encoding ---- */

/* Load the warp's values v, rotated left, and the values of the warp before that their residuals
 * need (edge): the last plane, row of the cube, or row of 32. */
static __device__ __forceinline__ void NAME(load)(const struct part *p, uint32_t rank,
                                                  uint32_t rotation, word *edge, word *v)
{
    const uint32_t first = threadIdx.x / 32 * 512 + threadIdx.x % 32;
    const int rows = rank == 3 ? 8 : (int)rank, before = threadIdx.x < 32 ? 0 : rows;
    bool is_inside;
    for (int i = 0; i < rows; i++)
        edge[i] = 0;
    if (p->is_plain) {
        SIMT_UNROLL
        for (int k = 0; k < 16; k++)
            v[k] = *NAME(plain_at)(p, rank, k);
        for (int i = 0; i < rows && before > 0; i++)
            edge[i] = *NAME(plain_at)(p, rank, i - rows);
    } else {
        SIMT_UNROLL
        for (int k = 0; k < 16; k++)
            v[k] = *NAME(value_at)(p, rank, first + 32 * (uint32_t)k, &is_inside);
        for (int i = 0; i < rows && before > 0; i++)
            edge[i] = *NAME(value_at)(p, rank, first + 32 * (uint32_t)i - 32 * (uint32_t)rows,
                                      &is_inside);
    }
    SIMT_UNROLL
    for (uint32_t k = 0; k < 16; k++)
        v[k] = NAME(rotate)(v[k], rotation);
    for (int i = 0; i < rows; i++)
        edge[i] = NAME(rotate)(edge[i], rotation);
}

/* Values to folded residuals: differences along the first axis, the second, and the last. */
static __device__ __forceinline__ void NAME(make_differences)(uint32_t rank, const word *edge,
                                                              word *v)
{
    const uint32_t lane = threadIdx.x % 32, rows = rank == 3 ? 8 : rank;
    SIMT_UNROLL
    for (uint32_t k = 16; rank > 1 && k-- > 0;)
        v[k] -= k < rows ? edge[k] : v[k - rows];
    SIMT_UNROLL
    for (uint32_t k = 16; rank == 3 && k-- > 0;) {
        const word above = k % 8 > 0 ? v[k - 1] : 0;
        v[k] -= __shfl_xor_sync(SIMT_ALL_LANES, lane < 16 ? v[k] : above, 16);
    }
    SIMT_UNROLL
    for (uint32_t k = 16; k-- > 0;) {
        const word before = rank == 1 ? (k > 0 ? v[k - 1] : edge[0]) : k % 2 == 1 ? v[k - 1] : 0;
        const word left = __shfl_sync(SIMT_ALL_LANES, rank < 3 && lane == 31 ? before : v[k],
                                      (int)(lane + 31) % 32);
        v[k] = NAME(fold)(v[k] - (rank == 3 && lane % 16 == 0 ? 0 : left));
    }
}

/* The masks of the warp's groups: lane g returns group g's, other lanes 0. */
static __device__ __forceinline__ word NAME(masks_of)(const word *v)
{
    word mask = 0;
    SIMT_UNROLL
    for (uint32_t g = 0; g < WARP_GROUPS; g++) {
        word any = v[g * PARTS];
        for (uint32_t q = 1; q < PARTS; q++)
            any |= v[g * PARTS + q];
        any = NAME(or_of_warp)(any);
        mask = threadIdx.x % 32 == g ? any : mask;
    }
    return mask;
}

static __device__ __forceinline__ void NAME(turn_groups)(word *v)
{
    SIMT_UNROLL
    for (uint32_t g = 0; g < WARP_GROUPS; g++)
        NAME(turn_square)(v + g * PARTS);
}

/* Store the masks and nonzero planes of the warp's groups. Lane g has the mask of group g, and the
 * word of the record where its planes begin. */
static __device__ __forceinline__ void NAME(store)(word *record, word mask, uint32_t start,
                                                   const word *planes)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane < WARP_GROUPS)
        record[warp * WARP_GROUPS + lane] = mask;
    SIMT_UNROLL
    for (uint32_t g = 0; g < WARP_GROUPS; g++) {
        const word m = __shfl_sync(SIMT_ALL_LANES, mask, (int)g);
        const uint32_t at = __shfl_sync(SIMT_ALL_LANES, start, (int)g);
        for (uint32_t q = 0; q < PARTS; q++) {
            const word bit = NAME(row_bit)(32 * q + lane);
            if (m & bit)
                record[at + NAME(kept_before)(m, bit)] = planes[g * PARTS + q];
        }
    }
}

/* Find by look-back where a tile's record begins, in words. One warp calls it. */
static __device__ __forceinline__ uint64_t NAME(find_place)(const struct cubes *c, uint64_t tile,
                                                            uint32_t words)
{
    const uint64_t bits = lookback_sum(c->states, tile, c->grid.count, (uint64_t)words * WIDTH);
    if (threadIdx.x == 0 && c->starts && (c->first_tile + tile) % c->chunk_tiles == 0)
        c->starts[(c->first_tile + tile) / c->chunk_tiles - c->first_chunk] = bits;
    return bits / WIDTH;
}

static __device__ __forceinline__ void NAME(encode_cube)(const struct cubes *c, uint32_t rank)
{
    SIMT_SHARED(struct part, p, );
    SIMT_SHARED(uint64_t, number, );
    SIMT_SHARED(uint64_t, place, );
    SIMT_SHARED(uint32_t, sums, [WARPS]);
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        number = lookback_claim(c->states);
        find_part(c, number, &p);
    }
    __syncthreads();
    const uint64_t tile = number;
    word edge[8], v[16];
    NAME(load)(&p, rank, c->rotation, edge, v);
    NAME(make_differences)(rank, edge, v);
    const word mask = NAME(masks_of)(v);
    const uint32_t own = NAME(count_ones)(mask), up_to = warp_sums_32(own);
    if (lane == 31)
        sums[warp] = up_to;
    __syncthreads();
    uint32_t start = GROUPS + up_to - own, words = GROUPS;
    for (uint32_t i = 0; i < WARPS; i++) {
        start += i < warp ? sums[i] : 0;
        words += sums[i];
    }
    if (threadIdx.x == 0)
        lookback_publish(c->states, tile, (uint64_t)words * WIDTH);
    NAME(turn_groups)(v);
    if (warp == 0) {
        const uint64_t found = NAME(find_place)(c, tile, words);
        if (lane == 0)
            place = found;
    }
    __syncthreads();
    if (place + words <= c->words_count * (64 / WIDTH))
        NAME(store)((word *)(void *)c->words + place, mask, start, v);
}

/* ---- decoding ---- */

/* A record with 'there' readable words; words beyond are read as zeros. */
struct NAME(record) {
    const word *words;
    uint32_t there;
};

static __device__ __forceinline__ struct NAME(record)
    NAME(record_at)(const struct cubes *c, uint64_t at)
{
    const uint64_t all = c->words_count * (64 / WIDTH), left = at < all ? all - at : 0;
    return {(const word *)(const void *)c->words + at,
            simt_at_most(left, zti_ndzip_most_words(WIDTH))};
}

static __device__ __forceinline__ word NAME(word_at)(const struct NAME(record) * r, uint32_t i)
{
    return i < r->there ? r->words[i] : 0;
}

/* Load the planes of the warp's groups; returns the record's length in words. */
static __device__ __forceinline__ uint32_t NAME(gather)(const struct NAME(record) * r, word *v)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const word mask = lane < WARP_GROUPS ? NAME(word_at)(r, warp * WARP_GROUPS + lane) : 0;
    uint32_t all = 0, before = 0;
    for (uint32_t i = 0; i < LANE_GROUPS; i++) {
        const uint32_t group = 32 * i + lane, n = NAME(count_ones)(NAME(word_at)(r, group));
        all += n;
        before += group < warp * WARP_GROUPS ? n : 0;
    }
    const uint32_t own = NAME(count_ones)(mask);
    const uint32_t start = GROUPS + simt_reduce_add(before) + warp_sums_32(own) - own;
    SIMT_UNROLL
    for (uint32_t g = 0; g < WARP_GROUPS; g++) {
        const word m = __shfl_sync(SIMT_ALL_LANES, mask, (int)g);
        const uint32_t at = __shfl_sync(SIMT_ALL_LANES, start, (int)g);
        for (uint32_t q = 0; q < PARTS; q++) {
            const word bit = NAME(row_bit)(32 * q + lane);
            const uint32_t i = at + NAME(kept_before)(m, bit);
            v[g * PARTS + q] = m & bit ? NAME(word_at)(r, i) : 0;
        }
    }
    return GROUPS + simt_reduce_add(all);
}

/* The place of value t of a cube in shared memory, so that no access has bank conflicts: rows of a
 * warp, runs of 16 values in 16-byte loads, and columns along any axis. The places of a warp's
 * first value, of row k and of a lane add up. */
static __device__ __forceinline__ uint32_t NAME(place_of)(uint32_t t)
{
#if WIDTH == 64
    return t + t / 16 * 2;
#else
    return t + t / 32 * 4 + t / 256 * 16;
#endif
}
#define PLACES (ZTI_NDZIP_VALUES + (WIDTH == 64 ? 512 : 768))

/* A cube in shared memory, and sums that warps exchange. */
struct NAME(cube) {
    alignas(16) word at[PLACES + 512];
};

/* Prefix sums along the last axis of a cube (4096, 64 or 16 values), within the warp; results go to
 * shared memory. The last lane returns the sum of the warp's last row. */
static __device__ __forceinline__ word NAME(sum_rows)(word *own, uint32_t rank, word *v)
{
    const uint32_t lane = threadIdx.x % 32, runs = rank == 1 ? 32 : rank == 2 ? 4 : 1;
    word *const rows = own + NAME(place_of)(lane), *const run = own + NAME(place_of)(16 * lane);
    SIMT_UNROLL
    for (uint32_t k = 0; k < 16; k++)
        rows[NAME(place_of)(32 * k)] = v[k];
    __syncwarp();
    SIMT_UNROLL
    for (uint32_t i = 0; i < 16; i += 16 / sizeof(word))
        simt_load_16(v + i, run + i);
    SIMT_UNROLL
    for (uint32_t i = 1; i < 16; i++)
        v[i] += v[i - 1];
    word sum = v[15];
    for (uint32_t s = 1; s < runs; s *= 2) {
        const word left = __shfl_up_sync(SIMT_ALL_LANES, sum, (int)s);
        sum += lane % runs >= s ? left : 0;
    }
    const word before = sum - v[15];
    SIMT_UNROLL
    for (uint32_t i = 0; rank < 3 && i < 16; i++)
        v[i] += before;
    SIMT_UNROLL
    for (uint32_t i = 0; i < 16; i += 16 / sizeof(word))
        simt_store_16(run + i, v + i);
    return sum;
}

/* 1-D: each warp adds the sums of the warps before it. */
static __device__ __forceinline__ void NAME(sum_1d)(word *cube, word *v)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    word *const own = cube + NAME(place_of)(512 * warp), *const sums = cube + PLACES;
    const word sum = NAME(sum_rows)(own, 1, v);
    if (lane == 31)
        sums[warp] = sum;
    __syncthreads();
    word before = 0;
    for (uint32_t i = 0; i < WARPS; i++)
        before += i < warp ? sums[i] : 0;
    SIMT_UNROLL
    for (uint32_t k = 0; k < 16; k++)
        v[k] = own[NAME(place_of)(lane) + NAME(place_of)(32 * k)] + before;
}

/* 2-D: a warp has eight rows of 64; sums along rows, then along columns. */
static __device__ __forceinline__ void NAME(sum_2d)(word *cube, word *v)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    word *const own = cube + NAME(place_of)(512 * warp), *const sums = cube + PLACES;
    word before[2] = {0, 0};
    (void)NAME(sum_rows)(own, 2, v);
    __syncwarp();
    SIMT_UNROLL
    for (uint32_t k = 0; k < 16; k++) {
        v[k] = own[NAME(place_of)(lane) + NAME(place_of)(32 * k)];
        v[k] += k > 1 ? v[k - 2] : 0;
    }
    sums[64 * warp + lane] = v[14];
    sums[64 * warp + 32 + lane] = v[15];
    __syncthreads();
    for (uint32_t i = 0; i < warp; i++) {
        before[0] += sums[64 * i + lane];
        before[1] += sums[64 * i + 32 + lane];
    }
    SIMT_UNROLL
    for (uint32_t k = 0; k < 16; k++)
        v[k] += before[k % 2];
}

/* 3-D: a warp sums along rows and columns of its two planes; then a thread sums a column along the
 * first axis. */
static __device__ __forceinline__ void NAME(sum_3d)(word *cube, word *v)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    word *const own = cube + NAME(place_of)(512 * warp);
    word *const column = own + NAME(place_of)(lane / 16 * 256) + lane % 16;
    word *const line = cube + NAME(place_of)(threadIdx.x);
    word sum = 0;
    (void)NAME(sum_rows)(own, 3, v);
    __syncwarp();
    SIMT_UNROLL
    for (uint32_t i = 0; i < 16; i++)
        v[i] = column[NAME(place_of)(16 * i)];
    SIMT_UNROLL
    for (uint32_t i = 0; i < 16; i++)
        column[NAME(place_of)(16 * i)] = sum += v[i];
    __syncthreads();
    sum = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < 16; i++)
        v[i] = line[NAME(place_of)(256 * i)];
    SIMT_UNROLL
    for (uint32_t i = 0; i < 16; i++)
        v[i] = sum += v[i];
}

/* Store values in the view: v[i] is of the warp's row i or, in 3-D, of plane i. */
static __device__ __forceinline__ void NAME(write_values)(const struct part *p, uint32_t rank,
                                                          uint32_t rotation, const word *v)
{
    const uint32_t back = -rotation & (WIDTH - 1), thread = threadIdx.x;
    const uint32_t first = rank == 3 ? thread : thread / 32 * 512 + thread % 32;
    word *const column = (word *)(void *)(p->data + thread / 16 * p->stride_bytes[1]) + thread % 16;
    if (p->is_plain) {
        SIMT_UNROLL
        for (int i = 0; i < 16; i++)
            *(rank == 3 ? (word *)(void *)((uint8_t *)column + i * p->stride_bytes[0])
                        : NAME(plain_at)(p, rank, i)) = NAME(rotate)(v[i], back);
        return;
    }
    SIMT_UNROLL
    for (uint32_t i = 0; i < 16; i++) {
        bool is_inside;
        word *const to = NAME(value_at)(p, rank, first + (rank == 3 ? 256 : 32) * i, &is_inside);
        if (is_inside)
            *to = NAME(rotate)(v[i], back);
    }
}

/* Decode the cube whose record begins at word 'record'; returns the record's length in words. */
static __device__ __forceinline__ uint32_t NAME(decode_cube)(const struct cubes *c, uint32_t rank,
                                                             uint64_t tile, uint64_t record)
{
    SIMT_SHARED(struct NAME(cube), cube, );
    SIMT_SHARED(struct part, p, );
    const struct NAME(record) r = NAME(record_at)(c, record);
    word v[16];
    if (threadIdx.x == 0) /* visible to all after the barrier in the sums */
        find_part(c, tile, &p);
    const uint32_t words = NAME(gather)(&r, v);
    SIMT_UNROLL
    for (uint32_t g = 0; g < WARP_GROUPS; g++)
        NAME(turn_square)(v + g * PARTS);
    SIMT_UNROLL
    for (uint32_t k = 0; k < 16; k++)
        v[k] = NAME(fold)(v[k]);
    if (rank == 1)
        NAME(sum_1d)(cube.at, v);
    else if (rank == 2)
        NAME(sum_2d)(cube.at, v);
    else
        NAME(sum_3d)(cube.at, v);
    NAME(write_values)(&p, rank, c->rotation, v);
    return words;
}

static __device__ __forceinline__ void NAME(decode_chunk)(const struct cubes *c, uint32_t rank)
{
    const uint64_t i = blockIdx.x, chunk = c->chunks ? c->chunks[i] : c->first_chunk + i;
    const uint64_t first = chunk * c->chunk_tiles, rest = c->grid.count - first;
    const uint64_t last = first + (rest < c->chunk_tiles ? rest : c->chunk_tiles);
    const uint64_t end = c->places[2 * i + 1];
    uint64_t record = c->places[2 * i] / WIDTH;
    for (uint64_t tile = first; tile < last; tile++) {
        if (tile > first)
            __syncthreads(); /* the cube before is no longer read */
        record += NAME(decode_cube)(c, rank, tile, record);
    }
    if (threadIdx.x == 0)
        note_end(c->states, i, c->count, record * WIDTH, end);
}

#define KERNELS(rank)                                                                              \
    SIMT_KERNEL void SIMT_BOUNDS(32 * WARPS, PUT_BLOCKS)                                           \
        NAME(write_##rank##d)(const struct cubes c)                                                \
    {                                                                                              \
        NAME(encode_cube)(&c, rank);                                                               \
    }                                                                                              \
    SIMT_KERNEL void SIMT_BOUNDS(32 * WARPS, TAKE_BLOCKS)                                          \
        NAME(read_##rank##d)(const struct cubes c)                                                 \
    {                                                                                              \
        NAME(decode_chunk)(&c, rank);                                                              \
    }

KERNELS(1)
KERNELS(2)
KERNELS(3)

#undef KERNELS
#undef PARTS
#undef WARP_GROUPS
#undef GROUPS
#undef LANE_GROUPS
#undef PLACES
#undef word
#undef WIDTH
#undef PUT_BLOCKS
#undef TAKE_BLOCKS
#undef NAME
