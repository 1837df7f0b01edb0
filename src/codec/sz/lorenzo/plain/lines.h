/* lines.h: the operations on lines that lorenzo/lines.h needs from each instruction set, in plain
 * C. This text is the specification; lorenzo/x86/lines_avx2.h and lines_avx512.h have the same
 * operations on longer lines. */

/* Load bytes, one to each lane. */
ZTI_INLINE line_32 bytes_at_32(const uint8_t *from)
{
    return (line_32){from[0], from[1], from[2], from[3]};
}

ZTI_INLINE line_64 bytes_at_64(const uint8_t *from)
{
    return (line_64){from[0], from[1]};
}

/* Convert the signed integers of half i of a line, and the floats of half a line, to doubles; and
 * doubles of two lines to floats, rounded. */
ZTI_INLINE f64s doubles_in(line_32 v, uint32_t i)
{
    return (f64s){(double)(int32_t)v[2 * i], (double)(int32_t)v[2 * i + 1]};
}

ZTI_INLINE f64s doubles_at(const float *from)
{
    return (f64s){(double)from[0], (double)from[1]};
}

ZTI_INLINE f32s floats_of(f64s low, f64s high)
{
    return (f32s){(float)low[0], (float)low[1], (float)high[0], (float)high[1]};
}

#define PRODUCT_ERROR 0x1p-22F /* see sure_of in quantize/nearest.h */

/* a b + c, or c - a b; the product may be rounded. */
ZTI_INLINE f32s product_and(f32s a, f32s b, f32s c)
{
    return a * b + c;
}

ZTI_INLINE f32s less_product(f32s c, f32s a, f32s b)
{
    return c - a * b;
}

/* Each lane's value 'by' lanes before it; 'by' is above 1 and less than a line. 'before' is the
 * line before. */
ZTI_INLINE line_32 moved_by_32(line_32 v, line_32 before, uint32_t by)
{
    const line_32 two = {before[2], before[3], v[0], v[1]};
    const line_32 three = {before[1], before[2], before[3], v[0]};
    return by == 2 ? two : three;
}

/* Prefix sums of values that are 'apart' apart; and, for each lane of the next line, the last such
 * sum before it, at place lasts[lane]. */
ZTI_INLINE line_32 sums_apart_32(line_32 v, uint32_t apart)
{
    return v + moved_by_32(v, (line_32){0}, apart);
}

ZTI_INLINE line_32 last_apart_32(line_32 v, uint32_t apart, const uint32_t *lasts)
{
    const line_32 two = {v[2], v[3], v[2], v[3]}, three = {v[1], v[2], v[3], v[1]};
    (void)lasts;
    return apart == 2 ? two : three;
}

/* Store the first bytes of a line: whole words, but not all. */
ZTI_INLINE void store_part(line_32 v, uint32_t bytes, uint8_t *to)
{
    memcpy(to, &v, bytes);
}

/* Store past the caches, to an aligned part of a cache line; the rest of the line is to follow. */
ZTI_INLINE void stream_line(line_32 v, uint8_t *to)
{
    memcpy(to, &v, sizeof v);
}
