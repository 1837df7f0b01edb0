/* lattice.h: kernel text: quantize values of one floating-point type to multiples of a step, 64 at
 * a time, and dequantize them. The includer defines
 *   scalar      float or double
 *   word        uint32_t or uint64_t: as wide
 *   NAME(x)     x with this instance's suffix
 * and has included quantize/multiples.h. */

/* Quantize 64 values; false if one is not within the limits. */
ZTI_INLINE bool NAME(quantize_64)(const struct NAME(lattice) * l, const scalar *x, uint32_t *q)
{
    struct beyond beyond = {{0}, {0}};
    for (uint32_t i = 0; i < 64; i += V_LANES_32)
        store_line_32(NAME(multiples)(x + i, l, &beyond), q + i);
    return !is_beyond(&beyond);
}

ZTI_INLINE void NAME(dequantize_64)(double step, const uint32_t *q, scalar *x)
{
    for (uint32_t i = 0; i < 64; i++)
        x[i] = NAME(multiple_of)((double)(int32_t)q[i], step);
}

static void NAME(dequantize)(double step, const uint32_t *q, uint32_t n, scalar *x)
{
    for (uint32_t first = 0; first < n; first += 64)
        NAME(dequantize_64)(step, q + first, x + first);
}

ZTI_INLINE void NAME(dequantize_wide)(double step, const uint64_t *q, uint32_t n, scalar *x)
{
    for (uint32_t i = 0; i < n; i++)
        x[i] = NAME(multiple_of)((double)(int64_t)q[i], step);
}
