/* keys.h: kernel text: a row's values to keys and marks, and back, for each transform of spec.h;
 * and to numbers of multiples. The includer defines WIDTH; 'value' is its unsigned type, 'key' the
 * signed one. */
#include "codec/sz/lossless/value.h"

#include "codec/sz/fields.h"

/* What all steps of a tile need. */
struct tile {
    const struct zti_ll_tables *tables;
    const struct zti_ll_known *known;
    struct zti_ll_slot *slot;
    const value *values; /* in the order of coding; encoding only. NULL: kernels have them */
    struct zti_ll_kernels *kernels; /* NULL: the values are in the host's memory */
    uint32_t type;
    bool is_beyond; /* a value has no multiple within the bound */
    bool is_sample; /* only the choice is wanted, and needs be about right */
    struct zti_ll_shape s;
};

/* ---- a row to keys ---- */

/* The first value from i on that has a mark, or n. */
ZTI_INLINE uint32_t next_mark(const uint8_t *mark, uint32_t i, uint32_t n)
{
    for (; i + 8 <= n; i += 8) {
        const uint64_t eight = zti_get_le64(mark + i);
        if (eight)
            return i + zti_ctz64(eight) / 8;
    }
    while (i < n && !mark[i])
        i++;
    return i;
}

/* What a tile's transform needs more than its parameters: bits that it leaves open, by exponent. */
struct opens {
    uint8_t bits[ZTI_LL_EXPONENTS];
    uint8_t below[64], low[64]; /* so far below the base, or farther: these bits, and zeros below */
    uint32_t base;
};

static void make_opens(const struct zti_ll_transform *t, struct opens *opens)
{
    if (t->kind != ZTI_LL_LINEAR)
        return;
    for (uint32_t e = 0; e < EXPONENTS; e++)
        opens->bits[e] = (uint8_t)open_bits(t, e);
    opens->base = t->base;
    for (uint32_t i = 0; i < 64; i++) {
        opens->below[i] = (uint8_t)(i < t->base ? open_bits(t, t->base - i) : WIDTH);
        opens->low[i] = i < t->base ? t->low[t->base - i] : 0;
    }
}

/* Keys of n values that are linear below an exponent. */
static void linear_to_keys(const struct zti_ll_transform *t, const value *restrict v, uint32_t n,
                           key *restrict k)
{
    const value base = t->base, zeros = t->zeros;
    for (uint32_t i = 0; i < n; i++)
        k[i] = linear_key(base, zeros, v[i]);
}

#if defined(ZTI_WITH_AVX2)
/* How many bits the same leaves open of some values, whose magnitudes these are; and where in the
 * tables of 'opens' they are. */
ZTI_INLINE fields count_opens(const struct opens *opens, fields size, fields *place)
{
    const field_table table = load_field_table(opens->below);
    const fields below = opens->base - (size >> MANTISSA);
    const fields is_low = (fields)((i_fields)below > 0), is_far = (fields)(below > 63);
    const fields is_none = (fields)(size == (fields){0});
    *place = (below | is_far) & 63;
    return (look_up_fields(table, *place) & is_low & ~is_none) | (is_none & 1);
}
#endif

/* Bits that the same leaves open of n values. */
static uint64_t count_linear(const struct opens *opens, const value *v, uint32_t n)
{
    uint64_t open = 0;
    uint32_t i = 0;
#if defined(ZTI_WITH_AVX2)
    fields sum = {0}, place;
    for (; i + FIELDS <= n; i += FIELDS) {
        fields own;
        memcpy(&own, v + i, sizeof own);
        sum += count_opens(opens, own & (SIGN - 1), &place);
    }
    for (uint32_t k = 0; k < FIELDS; k++)
        open += sum[k];
#endif
    for (; i < n; i++) {
        const value size = v[i] & (SIGN - 1);
        open += size ? opens->bits[size >> MANTISSA] : 1;
    }
    return open;
}

/* Keys of n values of transforms that not all values have a key in; marks of those that have none.
 */
static void some_to_keys(const struct tile *tile, const struct zti_ll_transform *t, uint32_t slice,
                         const value *restrict v, uint32_t n, key *restrict k,
                         uint8_t *restrict mark)
{
    const bool is_float = zti_is_float(tile->type);
    if (t->kind == ZTI_LL_DECIMAL) {
        const double ten = ll_ten_to(t->digits);
        for (uint32_t i = 0; i < n; i++)
            mark[i] = decimal_of(ten, v[i], &k[i]) ? 0 : ZTI_LL_MARK_RAW;
    } else if (t->kind == ZTI_LL_LATTICE) {
        const double offset = t->offset[slice], step = t->step[slice];
        for (uint32_t i = 0; i < n; i++)
            mark[i] = lattice_of(offset, step, v[i], &k[i]) ? 0 : ZTI_LL_MARK_RAW;
    } else if (t->kind == ZTI_LL_DIGITS) {
        const struct zti_ll_digits form = ll_digits_of(t->digits, t->lowest);
        for (uint32_t i = 0; WIDTH == 64 && i < n; i++)
            mark[i] = near_digits_of(&form, v[i], &k[i]) ? 0 : ZTI_LL_MARK_RAW;
        for (uint32_t i = 0; i < n; i++)
            if (WIDTH == 32 || mark[i])
                mark[i] =
                    digits_of(tile->tables->ten, tile->type, t, v[i], &k[i]) ? 0 : ZTI_LL_MARK_RAW;
    } else {
        for (uint32_t i = 0; i < n; i++)
            mark[i] = rank_of(t, (value)order_of(is_float, v[i]), &k[i]) ? 0 : ZTI_LL_MARK_RAW;
    }
}

/* Mark the values that are the fill value. Returns how many these are. */
static uint32_t mark_fills(value fill, const value *v, uint32_t n, uint8_t *mark)
{
    uint32_t i = 0, fills = 0;
#if WIDTH == 32 && defined(ZTI_WITH_AVX2)
    u32s count = {0};
    for (; i + V_LANES_32 <= n; i += V_LANES_32) {
        const u32s is_fill = (u32s)(v_load_32(v + i) == fill);
        const u32s other = v_load_bytes_32(mark + i) & ~is_fill;
        v_store_bytes_32(mark + i, other | (ZTI_LL_MARK_FILL & is_fill));
        count -= is_fill;
    }
    for (uint32_t k = 0; k < V_LANES_32; k++)
        fills += count[k];
#endif
    for (; i < n; i++) {
        const bool is_fill = v[i] == fill;
        mark[i] = is_fill ? ZTI_LL_MARK_FILL : mark[i];
        fills += is_fill;
    }
    return fills;
}

/* Keys of n values; marks of those that have none. Returns how many have none but are not the fill
 * value. The bits that are left open are added to *open. */
static uint32_t row_to_keys(const struct tile *tile, const struct zti_ll_transform *t,
                            const struct opens *opens, uint32_t slice, const value *v, uint32_t n,
                            key *k, uint8_t *mark, uint64_t *open)
{
    const bool is_float = zti_is_float(tile->type);
    const value fill = (value)t->fill;
    uint32_t raw = 0;
    if (t->kind <= ZTI_LL_LINEAR)
        memset(mark, 0, n);
    if (t->kind == ZTI_LL_ORDER && is_float)
        for (uint32_t i = 0; i < n; i++)
            k[i] = order_of(true, v[i]);
    else if (t->kind == ZTI_LL_ORDER)
        memcpy(k, v, n * sizeof *k);
    if (t->kind == ZTI_LL_LINEAR) {
        linear_to_keys(t, v, n, k);
        *open += count_linear(opens, v, n);
    }
    if (t->kind > ZTI_LL_LINEAR)
        some_to_keys(tile, t, slice, v, n, k, mark);
    const uint32_t fills = t->has_fill ? mark_fills(fill, v, n, mark) : 0;
    for (uint32_t i = 0; t->kind > ZTI_LL_LINEAR && i < n; i++)
        raw += mark[i] == ZTI_LL_MARK_RAW;
    if (t->kind == ZTI_LL_LINEAR && fills > 0)
        *open -= fills * count_linear(opens, &fill, 1);
    return raw;
}

/* ---- and back ---- */

#if !defined(ZTI_WITH_AVX2)
/* Values of n keys of a linear transform, all of them from its exponent on. */
static void high_values(const struct zti_ll_transform *t, const key *restrict k, uint32_t n,
                        value *restrict v)
{
    const value more = ((value)t->base << MANTISSA) - ONE;
    for (uint32_t i = 0; i < n; i++) {
        const value sign = (value)(k[i] >> (WIDTH - 1)), linear = (value)k[i] ^ sign;
        v[i] = (((linear << t->zeros) + more) & (SIGN - 1)) | (sign & SIGN);
    }
}
#endif

/* Values of n keys of a linear transform, FIELDS at a time, up to some that are 0 or near the end
 * of the bits that are read. Returns how many. */
#if defined(ZTI_WITH_AVX2)
ZTI_INLINE uint32_t linear_vectors(const struct zti_ll_transform *t, const struct lengths *lengths,
                                   const key *k, uint32_t n, value *v, struct zti_bit_reader *r)
{
    const fields high = (fields){0} + (ONE >> t->zeros), base = (fields){0} + (t->base + t->zeros);
    const value more = ((value)t->base << MANTISSA) - ONE;
    const field_table opens = load_field_table(lengths->open);
    const field_table ups = load_field_table(lengths->up);
    uint64_t at = r->at;
    uint32_t i = 0;
    for (uint32_t some; i < n; i += some) {
        some = n - i < FIELDS ? n - i : FIELDS;
        fields own, bits;
        memcpy(&own, k + i, sizeof own);
        const fields sign = 0 - (own >> (WIDTH - 1)), linear = own ^ sign;
        const fields is_low = (fields)(linear < high) & first_fields(some);
        const fields whole = (((linear << t->zeros) + more) & (SIGN - 1)) | (sign & SIGN);
        if (!is_any_field(is_low)) {
            store_first(v + i, some, whole);
            continue;
        }
        const fields length = FIELD_LENGTH(linear), down = MANTISSA + 1 - length;
        const fields is_none = (fields)(linear == (fields){0}) & is_low;
        if (is_any_field(is_none) ||
            !read_fields(r, &at, look_up_fields(opens, length) & is_low, &bits))
            break;
        const fields size = ((linear << down) & (ONE - 1)) | bits << look_up_fields(ups, length) |
                            (base - down) << MANTISSA;
        store_first(v + i, some, ((size | (sign & SIGN)) & is_low) | (whole & ~is_low));
    }
    r->at = at;
    return i;
}
#else
enum { FIELDS = 1 };

ZTI_INLINE uint32_t linear_vectors(const struct zti_ll_transform *t, const struct lengths *lengths,
                                   const key *restrict k, uint32_t n, value *restrict v,
                                   struct zti_bit_reader *r)
{
    const value high = ONE >> t->zeros;
    value low = 0;
    (void)lengths;
    (void)r;
    for (uint32_t i = 0; i < n; i++) {
        const value linear = (value)k[i] ^ (value)(k[i] >> (WIDTH - 1));
        low |= (value)(linear < high);
    }
    if (low)
        return 0;
    high_values(t, k, n, v);
    return n;
}
#endif

static void linear_values(const struct zti_ll_transform *t, const struct lengths *lengths,
                          const key *k, uint32_t n, value *v, struct zti_bit_reader *r)
{
    uint32_t i = linear_vectors(t, lengths, k, n, v, r);
    while (i < n) {
        const uint32_t end = FIELDS > 1 && n - i > FIELDS ? i + FIELDS : n;
        for (; i < end; i++)
            v[i] = linear_value(t, lengths, k[i], r);
        if (i < n)
            i += linear_vectors(t, lengths, k + i, n - i, v + i, r);
    }
}

/* Values of n keys that have no marks. */
static void keys_to_unmarked(const struct tile *tile, const struct zti_ll_transform *t,
                             const struct lengths *lengths, uint32_t slice, const key *restrict k,
                             uint32_t n, value *restrict v, struct zti_bit_reader *r)
{
    const bool is_float = zti_is_float(tile->type);
    const double ten = ll_ten_to(t->digits);
    if (t->kind == ZTI_LL_LINEAR)
        linear_values(t, lengths, k, n, v, r);
    else if (t->kind == ZTI_LL_ORDER && is_float)
        for (uint32_t i = 0; i < n; i++)
            v[i] = (value)order_of(true, (value)k[i]);
    else if (t->kind == ZTI_LL_ORDER)
        memcpy(v, k, n * sizeof *v);
    else if (t->kind == ZTI_LL_DECIMAL)
        for (uint32_t i = 0; i < n; i++)
            v[i] = decimal_value(ten, k[i]);
    else if (t->kind == ZTI_LL_LATTICE)
        for (uint32_t i = 0; i < n; i++)
            v[i] = lattice_value(t->offset[slice], t->step[slice], k[i]);
    else if (t->kind == ZTI_LL_DIGITS)
        for (uint32_t i = 0; i < n; i++)
            v[i] = bits_of(ll_of_digits(tile->tables->ten, tile->type, t->digits, t->lowest, k[i]));
    else
        for (uint32_t i = 0; i < n; i++)
            v[i] = ranked_value(t, is_float, k[i]);
}

ZTI_INLINE value marked_value(const struct zti_ll_transform *t, uint8_t mark,
                              struct zti_bit_reader *r)
{
    return mark == ZTI_LL_MARK_FILL ? (value)t->fill : (value)ll_get(r, WIDTH);
}

/* The same of a linear transform, some of them marked: bits are taken in order. */
static void linear_values_with_marks(const struct zti_ll_transform *t,
                                     const struct lengths *lengths, const key *k,
                                     const uint8_t *mark, uint32_t n, value *v,
                                     struct zti_bit_reader *r)
{
    for (uint32_t i = 0, end; i < n; i = end) {
        end = next_mark(mark, i, n);
        linear_values(t, lengths, k + i, end - i, v + i, r);
        for (; end < n && mark[end]; end++)
            v[end] = marked_value(t, mark[end], r);
    }
}

/* Values of n keys and marks. Keys of marked values are not used. */
static void keys_to_row(const struct tile *tile, const struct zti_ll_transform *t,
                        const struct lengths *lengths, uint32_t slice, const key *k,
                        const uint8_t *restrict mark, uint32_t n, value *restrict v,
                        struct zti_bit_reader *r)
{
    const value fill = (value)t->fill;
    uint8_t any = 0;
    if (t->has_marks && t->kind == ZTI_LL_LINEAR) {
        linear_values_with_marks(t, lengths, k, mark, n, v, r);
        return;
    }
    keys_to_unmarked(tile, t, lengths, slice, k, n, v, r);
    for (uint32_t i = 0; t->has_marks && i < n; i++) {
        any |= (uint8_t)(mark[i] == ZTI_LL_MARK_RAW);
        v[i] = mark[i] == ZTI_LL_MARK_FILL ? fill : v[i];
    }
    for (uint32_t i = 0; any && i < n; i++)
        if (mark[i] == ZTI_LL_MARK_RAW)
            v[i] = (value)ll_get(r, WIDTH);
}

ZTI_INLINE void write_linear(const struct zti_ll_transform *t, const struct opens *opens, value v,
                             struct zti_bit_writer *w)
{
    uint32_t count;
    const uint64_t bits = linear_field(t, opens->bits[(v & (SIGN - 1)) >> MANTISSA], v, &count);
    zti_put_bits64(w, bits, count);
}

/* The bits that the linear transform leaves open of n values, several at a time where they are
 * few. */
static void write_linears(const struct zti_ll_transform *t, const struct opens *opens,
                          const value *v, uint32_t n, struct zti_bit_writer *w)
{
    uint32_t i = 0;
#if defined(ZTI_WITH_AVX2)
    const field_table lows = load_field_table(opens->low);
    for (; i + FIELDS <= n; i += FIELDS) {
        fields own, place;
        memcpy(&own, v + i, sizeof own);
        const fields size = own & (SIGN - 1), count = count_opens(opens, size, &place);
        const fields is_long = (fields)(count >= WIDTH);
        if (!is_any_field(is_long))
            write_fields(false, (size >> look_up_fields(lows, place)) & ~(~(fields){0} << count),
                         count, w);
        else
            for (uint32_t k = i; k < i + FIELDS; k++)
                write_linear(t, opens, v[k], w);
    }
#endif
    for (; i + 2 <= n; i += 2) {
        const value a = v[i] & (SIGN - 1), b = v[i + 1] & (SIGN - 1);
        const uint32_t e = (uint32_t)(a >> MANTISSA), f = (uint32_t)(b >> MANTISSA);
        const uint32_t open = opens->bits[e], next = opens->bits[f];
        if ((open >= WIDTH) | (next >= WIDTH) | (open + next > 56)) {
            write_linear(t, opens, v[i], w);
            write_linear(t, opens, v[i + 1], w);
            continue;
        }
        const uint64_t bits = (a >> t->low[e]) & (((value)1 << open) - 1);
        const uint64_t more = (b >> t->low[f]) & (((value)1 << next) - 1);
        zti_put_bits(w, bits | more << open, open + next);
    }
    if (i < n)
        write_linear(t, opens, v[i], w);
}

/* Bits that the transform leaves open, and raw values, of n values in order: what keys_to_row
 * takes. */
static void write_open(const struct zti_ll_transform *t, const struct opens *opens, const value *v,
                       const uint8_t *mark, uint32_t n, struct zti_bit_writer *to)
{
    struct zti_bit_writer w = *to;
    if (t->kind != ZTI_LL_LINEAR && !t->has_marks)
        return;
    for (uint32_t i = 0, end; i < n; i = end) {
        end = t->has_marks ? next_mark(mark, i, n) : n;
        if (t->kind == ZTI_LL_LINEAR)
            write_linears(t, opens, v + i, end - i, &w);
        for (; end < n && mark[end]; end++)
            if (mark[end] == ZTI_LL_MARK_RAW)
                zti_put_bits64(&w, v[end], WIDTH);
    }
    *to = w;
}

/* ---- multiples of a step ---- */

/* Values of a row to the numbers of the nearest multiples, less the centre, and back. Where
 * zti_ll_set_multiples was told the range of the values, all but those at the ends of the type have
 * a multiple within the bound. */

#define QUANTIZE(name, scalar, number_of_one)                                                      \
    static bool name(const struct zti_sz *sz, const scalar *from, int64_t stride, uint32_t n,      \
                     value *to)                                                                    \
    {                                                                                              \
        uint32_t bad = 0;                                                                          \
        for (uint32_t i = 0; i < n; i++)                                                           \
            bad |= !number_of_one(sz, from[(int64_t)i * stride], to + i);                          \
        return bad == 0;                                                                           \
    }

#define DEQUANTIZE(name, scalar)                                                                   \
    static void name(const struct zti_sz *sz, const value *from, uint32_t n, int64_t stride,       \
                     scalar *to)                                                                   \
    {                                                                                              \
        const double step = sz->step, centre = (double)sz->centre;                                 \
        for (uint32_t i = 0; i < n; i++)                                                           \
            to[(int64_t)i * stride] = (scalar)multiple_of((key)from[i], centre, step);             \
    }

#define DEQUANTIZE_WHOLE(name, scalar, least, most)                                                \
    static void name(const struct zti_sz *sz, const value *from, uint32_t n, int64_t stride,       \
                     scalar *to)                                                                   \
    {                                                                                              \
        const int64_t step = (int64_t)sz->whole_step;                                              \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            to[(int64_t)i * stride] =                                                              \
                (scalar)whole_multiple_of((key)from[i], sz->centre, step, least, most);            \
        }                                                                                          \
    }

QUANTIZE(quantize_f32, float, number_of_float)
QUANTIZE(quantize_f64, double, number_of_double)
QUANTIZE(quantize_i32, int32_t, number_of_integer)
QUANTIZE(quantize_i64, int64_t, number_of_integer)
DEQUANTIZE(dequantize_f32, float)
DEQUANTIZE(dequantize_f64, double)
DEQUANTIZE_WHOLE(dequantize_i32, int32_t, INT32_MIN, INT32_MAX)
DEQUANTIZE_WHOLE(dequantize_i64, int64_t, INT64_MIN, INT64_MAX)

#undef QUANTIZE
#undef DEQUANTIZE
#undef DEQUANTIZE_WHOLE

/* false: a value has no multiple within the bound. */
static bool quantize_row(const struct zti_coding *coding, const void *from, int64_t stride,
                         uint32_t n, value *to)
{
    const struct zti_sz *const sz = sz_of(coding);
    switch (coding->type) {
    case ZT_F32: return quantize_f32(sz, from, stride, n, to);
    case ZT_F64: return quantize_f64(sz, from, stride, n, to);
    case ZT_I32: return quantize_i32(sz, from, stride, n, to);
    default: return quantize_i64(sz, from, stride, n, to);
    }
}

static void dequantize_row(const struct zti_coding *coding, const value *from, uint32_t n,
                           int64_t stride, void *to)
{
    const struct zti_sz *const sz = sz_of(coding);
    switch (coding->type) {
    case ZT_F32: dequantize_f32(sz, from, n, stride, to); break;
    case ZT_F64: dequantize_f64(sz, from, n, stride, to); break;
    case ZT_I32: dequantize_i32(sz, from, n, stride, to); break;
    default: dequantize_i64(sz, from, n, stride, to);
    }
}
