/* rice.c: the least codec that there can be, for the contract's test: differences of neighbours in
 * Rice codes, tiles of 4096 values, and no optional table.
 *
 * A tile of n values in C order, without a gap to the next:
 *     6 bits     k, the bits of a residual that are written as they are
 *     n times    the residual's high bits in unary (zeros, then a one), its k low bits; or 24 zeros
 *                and the whole residual
 * Residuals: each value's integer less the one before it, modulo 2^64, in zigzag order. Integers: a
 * value's bits; under an absolute bound a value over a step, and no tile is proven to keep it.
 *
 * Parameters: u8 form, le64 the bits of the step. */
#include "contract/rice.h"

#include "core/wire.h"

#include <math.h>

enum form { PLAIN, COPY, FORMS };
enum { PARAMS_BYTES = 9, K_BITS = 6, UNARY_MOST = 24, TILE_BYTES = 8 * RICE_TILE_VALUES };

struct ZTI_MAY_ALIAS numbers {
    uint32_t form;
    double step; /* 0: values are coded as they are */
};

_Static_assert(sizeof(struct numbers) <= ZTI_NUMBERS_BYTES, "a coding has room for the numbers");

static const struct numbers *of(const struct zti_coding *coding)
{
    return (const struct numbers *)(const void *)&coding->numbers;
}

static void set(struct zti_coding *coding, uint32_t form, double step)
{
    static const uint32_t one[ZT_MAX_RANK] = {1, 1, 1, 1};
    *(struct numbers *)(void *)&coding->numbers = (struct numbers){.form = form, .step = step};
    coding->verify_bound = (double)NAN;
    if (form == COPY)
        coding->grid = zti_grid_of(coding->grid.rank, coding->grid.shape, one);
}

static uint32_t chunk_tiles(uint32_t rank)
{
    return rank;
}

static zt_status configure(zt_context *context, const struct zti_target *target,
                           struct zti_coding *coding)
{
    const bool is_lossy = target->kind == ZT_ABS;
    if (!is_lossy && target->kind != ZT_LOSSLESS)
        return zti_fail(context, ZT_UNSUPPORTED, "the rice codec has no bound of this kind");
    const double step =
        zti_is_float(coding->type) ? 2 * target->abs_bound : floor(target->abs_bound) + 1;
    set(coding, PLAIN, is_lossy ? step : 0);
    if (is_lossy)
        coding->verify_bound = target->abs_bound;
    return ZT_OK;
}

static size_t store_params(const struct zti_coding *coding, uint8_t *out)
{
    uint64_t bits;
    memcpy(&bits, &of(coding)->step, sizeof bits);
    out[0] = (uint8_t)of(coding)->form;
    zti_put_le64(out + 1, bits);
    return PARAMS_BYTES;
}

static zt_status load_params(zt_context *context, const uint8_t *in, size_t in_bytes,
                             struct zti_coding *coding)
{
    double step;
    const uint64_t bits = in_bytes == PARAMS_BYTES ? zti_get_le64(in + 1) : 0;
    memcpy(&step, &bits, sizeof step);
    if (in_bytes != PARAMS_BYTES || in[0] >= FORMS || !(step >= 0 && step < INFINITY))
        return zti_fail(context, ZT_CORRUPT, "the rice parameters of a frame make no sense");
    set(coding, in[0], step);
    return ZT_OK;
}

static void describe(const struct zti_coding *coding, zt_info *info)
{
    (void)coding, (void)info;
}

static struct zti_sizes sizes(const struct zti_coding *coding)
{
    const uint32_t width = 8 * (uint32_t)zt_type_bytes(coding->type);
    const uint64_t most = K_BITS + RICE_TILE_VALUES * (uint64_t)(UNARY_MOST + 64);
    if (of(coding)->form == COPY)
        return (struct zti_sizes){width, width, width, width, .align_bits = 8, .unit_bits = width};
    return (struct zti_sizes){.tile_min_bits = K_BITS + 1,
                              .tile_max_bits = most,
                              .tile_read_max_bits = most,
                              .align_bits = 8,
                              .unit_bits = 1};
}

static void copy(struct zti_coding *coding)
{
    set(coding, COPY, 0);
}

/* The array that is tile number 'tile' of another one, or of a view's coded array: where it is. */
static uint64_t box_of(const struct zti_coding *coding, uint64_t tile, uint64_t *lo,
                       uint64_t *shape)
{
    const struct zti_walk walk = zti_walk_from(&coding->grid, tile);
    for (uint32_t i = 0; i < coding->grid.rank; i++) {
        const uint64_t rest = coding->grid.shape[i] - walk.origin[i];
        lo[i] = walk.origin[i];
        shape[i] = rest < coding->grid.side[i] ? rest : coding->grid.side[i];
    }
    return zti_array_values(coding->grid.rank, shape);
}

/* A value's integer, and back. */
static uint64_t integer_of(const struct zti_coding *coding, const uint8_t *at)
{
    const double step = of(coding)->step;
    if (step > 0) {
        const double q = nearbyint(zti_number_at(coding->type, at) / step);
        return fabs(q) < 0x1p62 ? (uint64_t)(int64_t)q : 0;
    }
    uint64_t bits = 0;
    memcpy(&bits, at, zt_type_bytes(coding->type));
    return bits;
}

static void value_of(const struct zti_coding *coding, uint64_t integer, uint8_t *to)
{
    const double v = (double)(int64_t)integer * of(coding)->step;
    const float f = (float)v;
    const int64_t whole = fabs(v) < 0x1p62 ? (int64_t)v : 0;
    const int32_t half = (int32_t)(uint32_t)(uint64_t)whole;
    const void *const from = of(coding)->step <= 0    ? (const void *)&integer
                             : coding->type == ZT_F32 ? (const void *)&f
                             : coding->type == ZT_F64 ? (const void *)&v
                             : coding->type == ZT_I32 ? (const void *)&half
                                                      : (const void *)&whole;
    memcpy(to, from, zt_type_bytes(coding->type));
}

static void put_tile(const struct zti_coding *coding, const uint8_t *values, uint64_t n,
                     struct zti_bit_writer *w)
{
    const size_t value_bytes = zt_type_bytes(coding->type);
    const uint64_t most = UINT64_C(1) << 50; /* so that sums fit */
    uint64_t residual[RICE_TILE_VALUES], before = 0, sum = 0;
    uint32_t k = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t own = integer_of(coding, values + i * value_bytes), d = own - before;
        residual[i] = d << 1 ^ (0 - (d >> 63));
        sum += residual[i] < most ? residual[i] : most;
        before = own;
    }
    while (n << k < sum)
        k++;
    zti_put_bits(w, k, K_BITS);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t high = residual[i] >> k;
        const bool is_short = high < UNARY_MOST;
        zti_put_bits(w, is_short ? UINT64_C(1) << high : 0,
                     is_short ? (uint32_t)high + 1 : UNARY_MOST);
        zti_put_bits64(w, is_short ? residual[i] & ((UINT64_C(1) << k) - 1) : residual[i],
                       is_short ? k : 64);
    }
}

static void take_tile(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t n,
                      uint8_t *values)
{
    const size_t value_bytes = zt_type_bytes(coding->type);
    const uint32_t k = (uint32_t)zti_get_bits(r, K_BITS);
    uint64_t own = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t high = 0;
        while (high < UNARY_MOST && zti_get_bits(r, 1) == 0)
            high++;
        const uint64_t residual =
            high < UNARY_MOST ? (uint64_t)high << k | zti_get_bits64(r, k) : zti_get_bits64(r, 64);
        own += residual >> 1 ^ (0 - (residual & 1));
        value_of(coding, own, values + i * value_bytes);
    }
}

static bool encode(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *w)
{
    uint8_t values[TILE_BYTES];
    for (; first < last; first++) {
        uint64_t lo[ZT_MAX_RANK];
        struct zti_array tile = *array;
        const uint64_t n = box_of(coding, first, lo, tile.shape);
        tile.data = zti_array_at(array, lo);
        zti_array_copy(&tile, values);
        if (of(coding)->form == COPY)
            zti_put_bits64(w, integer_of(coding, values), 8 * (uint32_t)zt_type_bytes(tile.type));
        else
            put_tile(coding, values, n, w);
    }
    return isnan(coding->verify_bound);
}

static void decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, const struct zti_view *view)
{
    const uint32_t rank = coding->grid.rank;
    uint8_t values[TILE_BYTES];
    for (; first < last; first++) {
        uint64_t lo[ZT_MAX_RANK], shape[ZT_MAX_RANK], from[ZT_MAX_RANK], to[ZT_MAX_RANK];
        const uint64_t n = box_of(coding, first, lo, shape);
        bool is_seen = view != NULL;
        if (of(coding)->form == COPY)
            value_of(coding, zti_get_bits64(r, 8 * (uint32_t)zt_type_bytes(coding->type)), values);
        else
            take_tile(coding, r, n, values);
        if (!view)
            continue;
        struct zti_array tile = zti_array_packed(values, coding->type, rank, shape),
                         out = view->out;
        for (uint32_t i = 0; i < rank; i++) {
            const uint64_t end = lo[i] + shape[i] < view->hi[i] ? lo[i] + shape[i] : view->hi[i];
            const uint64_t begin = lo[i] > view->lo[i] ? lo[i] : view->lo[i];
            is_seen = is_seen && begin < end;
            from[i] = begin - lo[i];
            to[i] = begin - view->lo[i];
            out.shape[i] = tile.shape[i] = end - begin;
        }
        if (!is_seen)
            continue;
        uint8_t part[TILE_BYTES];
        tile.data = zti_array_at(&tile, from);
        out.data = zti_array_at(&out, to);
        zti_array_copy(&tile, part);
        zti_array_paste(part, &out);
    }
}

static void skip(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                 uint64_t last)
{
    decode(coding, r, first, last, NULL);
}

static const uint32_t tile_shape[ZT_MAX_RANK][ZT_MAX_RANK] = {
    {4096}, {64, 64}, {16, 16, 16}, {8, 8, 8, 8}};

const struct zti_codec rice_codec = {.name = "rice",
                                     .id = RICE_CODEC,
                                     .tile_shape = tile_shape,
                                     .chunk_tiles = chunk_tiles,
                                     .configure = configure,
                                     .store_params = store_params,
                                     .load_params = load_params,
                                     .describe = describe,
                                     .sizes = sizes,
                                     .encode = encode,
                                     .decode = decode,
                                     .skip = skip,
                                     .copy = copy};
