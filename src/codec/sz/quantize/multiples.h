/* multiples.h: kernel text: quantize a line of floating-point values to the nearest multiples of a
 * step, within the limits of quantize/nearest.h, and dequantize it. Each instance includes it once,
 * after lorenzo/lines.h of 32 bits. */

/* Values not within the limits: their lane's top bit is set. */
struct beyond {
    line_32 f32;
    line_64 f64;
};

ZTI_INLINE line_32 size_of_floats(f32s v)
{
    return (line_32)v & (uint32_t)INT32_MAX;
}

ZTI_INLINE line_64 size_of_doubles(f64s v)
{
    return (line_64)v & (uint64_t)INT64_MAX;
}

/* The multiples, if floats suffice to prove them (sure_of in quantize/nearest.h). */
ZTI_INLINE bool sure_multiples(f32s v, const struct lattice_f32 *l, line_32 *q)
{
    const f32s none = {0}, magic = 0x1.8p23F - none;
    const f32s sum = product_and(v, l->rounded.r - none, magic), k = sum - magic;
    const f32s off = less_product(v, k, l->rounded.step - none);
    const f32s far =
        product_and((f32s)size_of_floats(v), PRODUCT_ERROR - none, (f32s)size_of_floats(off));
    *q = (line_32)sum - (line_32)magic;
    return !m_any_32(v_is_less_32(v_all_32(l->sure), (u32s)far));
}

ZTI_INLINE line_32 multiples_f32(const float *x, const struct lattice_f32 *l, struct beyond *beyond)
{
    f32s v;
    line_32 q;
    memcpy(&v, x, sizeof v);
    if (l->sure && zti_likely(sure_multiples(v, l, &q)))
        return q;
    const f64s first = ZTI_SZ_NEAREST_SUM(doubles_at(x), l->r);
    const f64s last = ZTI_SZ_NEAREST_SUM(doubles_at(x + LANES / 2), l->r);
    const f32s y = floats_of(ZTI_SZ_OF_SUM(first, l->step), ZTI_SZ_OF_SUM(last, l->step));
    beyond->f32 |=
        (l->limits.error - size_of_floats(v - y)) | (l->limits.reach - size_of_floats(v));
    return v_even_32((u32s)first, (u32s)last);
}

ZTI_INLINE f64s sums_of_doubles(const double *x, const struct lattice_f64 *l, struct beyond *beyond)
{
    f64s v;
    memcpy(&v, x, sizeof v);
    const f64s sum = ZTI_SZ_NEAREST_SUM(v, l->r), y = ZTI_SZ_OF_SUM(sum, l->step);
    beyond->f64 |=
        (l->limits.error - size_of_doubles(v - y)) | (l->limits.reach - size_of_doubles(v));
    return sum;
}

ZTI_INLINE line_32 multiples_f64(const double *x, const struct lattice_f64 *l,
                                 struct beyond *beyond)
{
    const f64s first = sums_of_doubles(x, l, beyond);
    return v_even_32((u32s)first, (u32s)sums_of_doubles(x + LANES / 2, l, beyond));
}

ZTI_INLINE bool is_beyond(const struct beyond *beyond)
{
    return m_any_32(v_is_less_32(beyond->f32, v_all_32(0))) ||
           m_any_64(v_is_less_64(beyond->f64, v_all_64(0)));
}

/* ---- dequantization: products of integers with a step ---- */

/* Products as doubles; for 32-bit integers, those of half i of a line. */
ZTI_INLINE f64s doubles_of_32(line_32 v, uint32_t i, double step)
{
    return doubles_in(v, i) * step;
}

ZTI_INLINE f64s doubles_of_64(line_64 v, uint32_t i, double step)
{
    (void)i;
    return __builtin_convertvector((i64s)v, f64s) * step;
}

/* Products in double, rounded to float; and products in float. */
ZTI_INLINE f32s floats_of_32(line_32 v, double step)
{
    return floats_of(doubles_of_32(v, 0, step), doubles_of_32(v, 1, step));
}

ZTI_INLINE f32s short_floats_of_32(line_32 v, float step)
{
    return __builtin_convertvector((i32s)v, f32s) * step;
}
