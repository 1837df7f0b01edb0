/* multiples.h: kernel text: values of a row to the numbers of the nearest multiples of a step, less
 * the centre, and back.
 *
 * The quotient is rounded, so a number may first be one off. The multiple that will be decoded is
 * compared with the value, and a difference that is within the bound is exact, for the reasons of
 * quantize/nearest.h. Where zti_ll_set_multiples was told the range of the values, all but those
 * at the ends of the type have such a multiple. */

#define MOST_NUMBER (WIDTH == 32 ? 0x1p31 - 1 : ZTI_LL_MOST_NUMBER)

#define QUANTIZE(name, scalar)                                                                     \
    static bool name(const struct zti_sz *sz, const scalar *from, int64_t stride, uint32_t n,      \
                     value *to)                                                                    \
    {                                                                                              \
        const double step = sz->step, r = 1 / step, bound = sz->bound;                             \
        const double centre = (double)sz->centre, most = MOST_NUMBER;                              \
        uint32_t bad = 0;                                                                          \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            const double v = (double)from[(int64_t)i * stride], first = rint(v * r);               \
            const double off = v - first * step;                                                   \
            const double k = first + (off > bound ? 1.0 : 0.0) - (off < -bound ? 1.0 : 0.0);       \
            const double number = k - centre, back = (double)(scalar)(k * step);                   \
            const bool is_in = (fabs(v - back) <= bound) & (number >= 0) & (number <= most);       \
            bad |= !is_in;                                                                         \
            to[i] = (value)(key)(is_in ? number : 0.0);                                            \
        }                                                                                          \
        return bad == 0;                                                                           \
    }

#define QUANTIZE_WHOLE(name, scalar)                                                               \
    static bool name(const struct zti_sz *sz, const scalar *from, int64_t stride, uint32_t n,      \
                     value *to)                                                                    \
    {                                                                                              \
        const int64_t step = (int64_t)sz->whole_step;                                              \
        uint32_t bad = 0;                                                                          \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            const int64_t number = nearest_multiple(from[(int64_t)i * stride], step) - sz->centre; \
            bad |= number < 0 || number > (int64_t)MOST_NUMBER;                                    \
            to[i] = (value)number;                                                                 \
        }                                                                                          \
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

QUANTIZE(quantize_f32, float)
QUANTIZE(quantize_f64, double)
QUANTIZE_WHOLE(quantize_i32, int32_t)
QUANTIZE_WHOLE(quantize_i64, int64_t)
DEQUANTIZE(dequantize_f32, float)
DEQUANTIZE(dequantize_f64, double)
DEQUANTIZE_WHOLE(dequantize_i32, int32_t, INT32_MIN, INT32_MAX)
DEQUANTIZE_WHOLE(dequantize_i64, int64_t, INT64_MIN, INT64_MAX)

#undef MOST_NUMBER
#undef QUANTIZE
#undef QUANTIZE_WHOLE
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
