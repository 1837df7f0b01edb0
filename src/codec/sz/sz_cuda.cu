/* sz_cuda.cu: the CUDA instance of the sz codec for effort 'fast': sz_kernel.h for both widths of
 * values, and the launches. */
#include "cuda/lookback.h"
#include "cuda/place.h"

#include "codec/cuda.h"
#include "codec/sz/sz.h"

#include <math.h>

enum {
    THREADS = 128, /* of a block, which has a tile */
    EXACT_WORDS = ZTI_SZ_GROUPS,
    NUMBER_BITS = 6,
    CLASS_ESCAPE = 15, /* zeros */
    EXACT_ALL = 0,     /* how exact values are marked: sz_exact.c */
    EXACT_RUNS = 1,
    EXACT_BITMAP = 2
};

/* What kernels are given. */
struct sz_tiles {
    struct zti_grid grid;
    struct zti_sz sz;
    struct zti_view view; /* encoding: the array */
    uint32_t type, chunk_tiles;
    uint64_t *words;
    uint64_t words_count;
    uint64_t *states;
    uint64_t *starts;
    uint64_t first_tile, first_chunk;
    const uint64_t *places, *chunks;
    uint64_t count; /* of chunks */
};

/* A tile's place and size; the last axis is fastest. */
struct sz_tile {
    uint32_t rank, n;
    uint32_t extent[ZT_MAX_RANK];
    uint32_t step[ZT_MAX_RANK]; /* between neighbours along an axis, in values of the tile */
    uint64_t origin[ZT_MAX_RANK];
    uint32_t side[ZT_MAX_RANK]; /* of blocks of 64 values; side[0] is 0 where groups are runs */
};

static __device__ __forceinline__ uint32_t value_bytes_of(uint32_t type)
{
    return type == ZT_F32 || type == ZT_I32 ? 4 : 8;
}

/* Blocks of 8 x 8, 4 x 4 x 4 or 2 x 2 x 4 x 4 values in the axes that a tile extends along, where
 * it is made of them. */
static __device__ __forceinline__ void set_blocks(struct sz_tile *t, bool is_blocked)
{
    uint32_t axes = 0, seen = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        axes += t->extent[i] > 1;
    bool is_whole = is_blocked && axes > 1;
    for (uint32_t i = 0; i < t->rank; i++) {
        t->side[i] = t->extent[i] == 1 ? 1 : axes == 2 ? 8 : axes == 3 ? 4 : seen < 2 ? 2 : 4;
        seen += t->extent[i] > 1;
        is_whole = is_whole && t->extent[i] % t->side[i] == 0;
    }
    if (!is_whole)
        t->side[0] = 0;
}

static __device__ __forceinline__ struct sz_tile tile_of(const struct sz_tiles *s, uint64_t number)
{
    const struct zti_walk at = zti_walk_from(&s->grid, number);
    struct sz_tile t;
    t.rank = s->grid.rank;
    t.n = 1;
    for (uint32_t i = t.rank; i-- > 0;) {
        const uint64_t rest = s->grid.shape[i] - at.origin[i];
        t.origin[i] = at.origin[i];
        t.extent[i] = rest < s->grid.side[i] ? (uint32_t)rest : s->grid.side[i];
        t.step[i] = t.n;
        t.n *= t.extent[i];
    }
    set_blocks(&t, s->sz.is_blocked != 0);
    return t;
}

/* The place in the tile of value p in the order of groups. */
static __device__ __forceinline__ uint32_t place_in_groups(const struct sz_tile *t, uint32_t p)
{
    uint32_t within = p % ZTI_SZ_GROUP, block = p / ZTI_SZ_GROUP, place = 0;
    if (t->side[0] == 0)
        return p;
    for (uint32_t i = t->rank; i-- > 0;) {
        const uint32_t blocks = t->extent[i] / t->side[i];
        place += (block % blocks * t->side[i] + within % t->side[i]) * t->step[i];
        block /= blocks;
        within /= t->side[i];
    }
    return place;
}

/* Where value i of a tile is in the view, or NULL where it is outside. */
static __device__ __forceinline__ char *value_at(const struct sz_tiles *s, const struct sz_tile *t,
                                                 uint32_t i)
{
    int64_t offset = 0;
    for (uint32_t k = 0; k < t->rank; k++) {
        const uint64_t at = t->origin[k] + i / t->step[k] % t->extent[k];
        if (at < s->view.lo[k] || at >= s->view.hi[k])
            return NULL;
        offset += (int64_t)(at - s->view.lo[k]) * s->view.out.stride[k];
    }
    return (char *)s->view.out.data + offset * (int64_t)value_bytes_of(s->type);
}

/* Of n values, how many are in group g. */
static __device__ __forceinline__ uint32_t in_group(uint32_t n, uint32_t g)
{
    const uint32_t first = g * ZTI_SZ_GROUP;
    return first >= n ? 0 : n - first < ZTI_SZ_GROUP ? n - first : (uint32_t)ZTI_SZ_GROUP;
}

/* ---- values and integers ---- */

/* nearest of sz_lattice.h, where the reasoning is: q with q * step within the bound of v. */
static __device__ __forceinline__ double rounded(uint32_t type, double v)
{
    return type == ZT_F32 ? (double)(float)v : v;
}

static __device__ __forceinline__ bool nearest(const struct sz_tiles *s, double v, double limit,
                                               int64_t *q)
{
    const double t = rint(v * (1 / s->sz.step));
    *q = 0;
    if (!(fabs(t) < limit))
        return false;
    *q = (int64_t)t;
    double y = rounded(s->type, (double)*q * s->sz.step);
    if (fabs(v - y) <= s->sz.bound)
        return true;
    *q += v > y ? 1 : -1;
    y = rounded(s->type, (double)*q * s->sz.step);
    return fabs(v - y) <= s->sz.bound;
}

static __device__ __forceinline__ int64_t nearest_multiple(int64_t x, int64_t step)
{
    const int64_t q = x / step, rest = x % step;
    return rest > step / 2 ? q + 1 : rest < -(step / 2) ? q - 1 : q;
}

/* The multiple, or the end of the type's range where it is beyond. */
static __device__ __forceinline__ int64_t multiple(int64_t q, int64_t step, uint32_t type)
{
    const int64_t most = type == ZT_I32 ? INT32_MAX : INT64_MAX;
    const int64_t least = type == ZT_I32 ? INT32_MIN : INT64_MIN;
    return q > most / step ? most : q < least / step ? least : q * step;
}

/* ---- small codes: those of sz_bits.h, as (bits, how many) ---- */

struct sz_code {
    uint64_t bits;
    uint32_t count;
};

static __device__ __forceinline__ struct sz_code code_of(uint64_t bits, uint32_t count)
{
    const struct sz_code c = {bits, count};
    return c;
}

/* v + 1 = 2^n + rest: how long the rest is; the code is n in 6 bits, then the rest. */
static __device__ __forceinline__ uint32_t number_rest_bits(uint64_t v)
{
    return 63 - (uint32_t)__clzll((long long)(v + 1));
}

/* Bits of v in unary code, or where it has more than 11 zeros as a number behind them. */
static __device__ __forceinline__ uint32_t value_bits(uint64_t v)
{
    return v < ZTI_SZ_ROUNDS ? (uint32_t)v + 1
                             : (uint32_t)ZTI_SZ_ROUNDS + NUMBER_BITS +
                                   number_rest_bits(v - ZTI_SZ_ROUNDS);
}

/* Parameter of the Rice code of gaps in a list: gap_bits of sz_bits.h, 4 bits each. */
static __device__ __forceinline__ uint32_t gap_bits_of(uint32_t count)
{
    return count == 16 ? 1 : (uint32_t)(UINT64_C(0x1112222223334455) >> 4 * count & 15);
}

static __device__ __forceinline__ uint32_t planes_of_class(uint32_t c)
{
    return c > ZTI_SZ_FEW ? c - ZTI_SZ_FEW - 1 : 0;
}

static __device__ __forceinline__ uint32_t class_rice_bits(uint32_t before)
{
    return before > ZTI_SZ_SPARSE ? 0 : before > 4 ? 2 : 1;
}

/* put_class. */
static __device__ __forceinline__ struct sz_code class_code(uint32_t c, uint32_t before)
{
    if (before == 0) {
        const uint32_t n = 31 - (uint32_t)__clz((int)(c + 1));
        return code_of((UINT64_C(1) | (uint64_t)(c + 1 - (1u << n)) << 1) << n, 2 * n + 1);
    }
    const uint32_t k = class_rice_bits(before);
    const uint32_t d = c >= before ? 2 * (c - before) : 2 * (before - c) - 1, zeros = d >> k;
    if (zeros < CLASS_ESCAPE)
        return code_of((UINT64_C(1) | (uint64_t)(d & ((1u << k) - 1)) << 1) << zeros,
                       zeros + 1 + k);
    return code_of((uint64_t)c << CLASS_ESCAPE, CLASS_ESCAPE + 7);
}

/* take_class. */
static __device__ __forceinline__ uint32_t take_class(struct zti_bit_reader *r, uint32_t before)
{
    const uint64_t bits = zti_peek_bits(r);
    const uint32_t zeros =
        (uint32_t)__ffsll((long long)(bits | UINT64_C(1) << CLASS_ESCAPE)) - 1;
    if (before == 0) {
        r->at += 2 * zeros + 1;
        return (1u << zeros) - 1 + (uint32_t)(bits >> (zeros + 1) & ((1u << zeros) - 1));
    }
    if (zeros == CLASS_ESCAPE) {
        r->at += CLASS_ESCAPE + 7;
        return (uint32_t)(bits >> CLASS_ESCAPE & 127);
    }
    const uint32_t k = class_rice_bits(before);
    r->at += zeros + 1 + k;
    const uint32_t d = zeros << k | (uint32_t)(bits >> (zeros + 1) & ((1u << k) - 1));
    return d & 1 ? before - (d + 1) / 2 : before + d / 2;
}

static __device__ __forceinline__ uint64_t take_number(struct zti_bit_reader *r)
{
    const uint32_t n = (uint32_t)zti_take_bits64(r, NUMBER_BITS);
    return (UINT64_C(1) << n) - 1 + zti_take_bits64(r, n);
}

static __device__ __forceinline__ uint64_t take_value(struct zti_bit_reader *r)
{
    const uint64_t bits = zti_peek_bits(r) | UINT64_C(1) << ZTI_SZ_ROUNDS;
    const uint32_t zeros = (uint32_t)__ffsll((long long)bits) - 1;
    r->at += zeros < ZTI_SZ_ROUNDS ? zeros + 1 : (uint32_t)ZTI_SZ_ROUNDS;
    return zeros < ZTI_SZ_ROUNDS ? zeros : zeros + take_number(r);
}

/* The gap before the next value of a list of so many. */
static __device__ __forceinline__ uint32_t take_gap(struct zti_bit_reader *r, uint32_t count)
{
    const uint32_t k = gap_bits_of(count);
    const uint64_t bits = zti_peek_bits(r);
    const uint32_t zeros = (uint32_t)__ffsll((long long)(bits | UINT64_C(1) << 32)) - 1;
    r->at += zeros + 1 + k;
    return (zeros << k) + ((uint32_t)(bits >> (zeros + 1)) & ((1u << k) - 1));
}

/* Or bits into words of 32 in shared memory; *at goes behind them. */
static __device__ __forceinline__ void put_at(uint32_t *words, uint32_t *at, uint64_t v,
                                              uint32_t count)
{
    for (uint32_t done = 0; done < count;) {
        const uint32_t skip = *at % 32, left = count - done;
        const uint32_t some = left < 32 - skip ? left : 32 - skip;
        const uint32_t piece = (uint32_t)(v >> done) & (0xffffffffu >> (32 - some));
        if (piece != 0)
            (void)atomicOr((unsigned *)words + *at / 32, piece << skip);
        *at += some;
        done += some;
    }
}

static __device__ __forceinline__ void put_number_at(uint32_t *words, uint32_t *at, uint64_t v)
{
    const uint32_t n = number_rest_bits(v);
    put_at(words, at, n, NUMBER_BITS);
    put_at(words, at, v + 1 - (UINT64_C(1) << n), n);
}

/* Exclusive sums of two numbers a lane over the first warp; returns the sum of all. The numbers of
 * lane l are sums[2 l] and sums[2 l + 1]. */
static __device__ __forceinline__ uint32_t sum_groups(uint32_t *sums)
{
    const uint32_t lane = threadIdx.x % 32, a = sums[2 * lane], b = sums[2 * lane + 1];
    const uint32_t up_to = (uint32_t)warp_sums(a + b);
    sums[2 * lane] = up_to - a - b;
    sums[2 * lane + 1] = up_to - b;
    return __shfl_sync(SIMT_ALL_LANES, up_to, 31);
}

static __device__ __forceinline__ bool bit_at(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

static __device__ __forceinline__ uint32_t run_end(const uint64_t *bits, uint32_t from, uint32_t n,
                                                   bool is_set)
{
    while (from < n && bit_at(bits, from) == is_set)
        from++;
    return from;
}

/* The bytes of zti_sz_put_exact before the values, and which way they are marked. One thread. */
static __device__ __forceinline__ uint32_t exact_mark_bytes(const uint64_t *bits, uint32_t n,
                                                            uint32_t *way)
{
    uint32_t runs = 0;
    bool is_set = false;
    for (uint32_t at = 0, end; at < n; at = end, is_set = !is_set) {
        end = run_end(bits, at, n, is_set);
        runs += end - at >= 128 ? 2 : 1;
    }
    if (run_end(bits, 0, n, true) == n) {
        *way = EXACT_ALL;
        return 1;
    }
    *way = runs <= (n + 7) / 8 ? EXACT_RUNS : EXACT_BITMAP;
    return 1 + (*way == EXACT_RUNS ? runs : (n + 7) / 8);
}

/* Write the marks. One thread. */
static __device__ __forceinline__ void put_marks(uint32_t *words, uint32_t *at,
                                                 const uint64_t *bits, uint32_t n, uint32_t way)
{
    bool is_set = false;
    put_at(words, at, way, 8);
    for (uint32_t from = 0, end; way == EXACT_RUNS && from < n; from = end, is_set = !is_set) {
        end = run_end(bits, from, n, is_set);
        if (end - from >= 128)
            put_at(words, at, ((end - from) & 127) | 128 | (end - from) >> 7 << 8, 16);
        else
            put_at(words, at, end - from, 8);
    }
    for (uint32_t from = 0; way == EXACT_BITMAP && from < n; from += 8)
        put_at(words, at, bits[from / 64] >> from % 64 & 255, 8);
}

/* zti_sz_take_exact: which values are exact, from a reader that goes behind the marks; false where
 * they are not a tile's. One thread. */
static __device__ __forceinline__ bool take_marks(struct zti_bit_reader *r, uint64_t end_bits,
                                                  uint32_t n, uint32_t value_bytes, uint64_t *bits)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < EXACT_WORDS; i++)
        bits[i] = 0;
    if (r->at + 8 > end_bits)
        return false;
    const uint32_t way = (uint32_t)zti_take_bits64(r, 8);
    if (way > EXACT_BITMAP || (way == EXACT_BITMAP && r->at + (n + 7) / 8 * 8 > end_bits))
        return false;
    bool is_set = false;
    for (uint32_t at = 0; way == EXACT_RUNS && at < n; is_set = !is_set) {
        if (r->at + 8 > end_bits)
            return false;
        uint32_t length = (uint32_t)zti_take_bits64(r, 8);
        if (length >= 128) {
            if (r->at + 8 > end_bits)
                return false;
            length = (length & 127) | (uint32_t)zti_take_bits64(r, 8) << 7;
        }
        if (length > n - at || (length == 0 && at > 0))
            return false;
        for (const uint32_t stop = at + length; at < stop; at++)
            bits[at / 64] |= (uint64_t)is_set << at % 64;
    }
    for (uint32_t at = 0; way == EXACT_BITMAP && at < n; at += 8)
        bits[at / 64] |= zti_take_bits64(r, 8) << at % 64;
    for (uint32_t at = 0; way == EXACT_ALL && at < n; at++)
        bits[at / 64] |= UINT64_C(1) << at % 64;
    if (n % 64 != 0)
        bits[n / 64] &= (UINT64_C(1) << n % 64) - 1;
    for (uint32_t i = 0; i < EXACT_WORDS; i++)
        count += (uint32_t)__popcll(bits[i]);
    return r->at + 8 * (uint64_t)count * value_bytes <= end_bits;
}

#define word uint32_t
#define WIDTH 32
#define NAME(x) x##_32
#include "codec/sz/sz_kernel.h" /* put_tiles_32, take_chunks_32 */
#undef word
#undef WIDTH
#undef NAME

#define word uint64_t
#define WIDTH 64
#define NAME(x) x##_64
#include "codec/sz/sz_kernel.h" /* put_tiles_64, take_chunks_64 */
#undef word
#undef WIDTH
#undef NAME

static bool has_kernels(const struct zti_coding *coding)
{
    return coding->sz.effort == ZT_EFFORT_FAST && coding->sz.source != ZTI_SZ_LOG;
}

static uint64_t state_words(const struct zti_coding *coding, uint64_t tiles)
{
    (void)coding;
    return lookback_words(tiles);
}

static struct sz_tiles tiles_of(const struct zti_coding *coding)
{
    struct sz_tiles s;
    memset(&s, 0, sizeof s);
    s.grid = coding->grid;
    s.sz = coding->sz;
    s.type = coding->type;
    return s;
}

static bool is_32(uint32_t type)
{
    return type == ZT_F32 || type == ZT_I32;
}

static void encode(const struct zti_cuda_encoding *e)
{
    struct sz_tiles s = tiles_of(e->coding);
    s.view.out = e->array;
    memcpy(s.view.hi, e->array.shape, sizeof s.view.hi);
    s.words = e->words;
    s.states = e->states;
    s.starts = e->starts;
    s.chunk_tiles = e->chunk_tiles;
    s.first_tile = e->first_tile;
    s.first_chunk =
        e->chunk_tiles ? e->first_tile / e->chunk_tiles + (e->first_tile % e->chunk_tiles != 0) : 0;
    if (is_32(s.type))
        SIMT_LAUNCH(put_tiles_32, s.grid.count, THREADS, sizeof(struct shared_32), e->queue, s);
    else
        SIMT_LAUNCH(put_tiles_64, s.grid.count, THREADS, sizeof(struct shared_64), e->queue, s);
}

static void decode(const struct zti_cuda_decoding *d)
{
    struct sz_tiles s = tiles_of(d->coding);
    s.view = d->view;
    s.words = (uint64_t *)d->words; /* only read */
    s.words_count = d->words_count;
    s.states = d->states;
    s.places = d->places;
    s.chunks = d->chunks;
    s.first_chunk = d->first_chunk;
    s.count = d->count;
    s.chunk_tiles = d->chunk_tiles;
    if (is_32(s.type))
        SIMT_LAUNCH(take_chunks_32, s.count, THREADS, sizeof(struct shared_32), d->queue, s);
    else
        SIMT_LAUNCH(take_chunks_64, s.count, THREADS, sizeof(struct shared_64), d->queue, s);
}

extern "C" const struct zti_cuda_codec zti_cuda_sz = {false, has_kernels, state_words, encode,
                                                       decode};
