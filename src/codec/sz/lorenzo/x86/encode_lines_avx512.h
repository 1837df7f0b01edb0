/* encode_lines_avx512.h: what lorenzo/plain/encode_lines.h has of lanes of 32 bits, with AVX-512;
 * and a line of multiples of a step (quantize/lattice.h) at a time. */
#define HAS_MULTIPLES
#define LANES_32 16

ZTI_INLINE line_32 moved_on_32(line_32 v, line_32 before)
{
    return (line_32)_mm512_alignr_epi32((__m512i)v, (__m512i)before, 15);
}

ZTI_INLINE line_32 moved_by_32(line_32 v, line_32 before, uint32_t by)
{
    const __m512i lane =
        _mm512_set_epi32(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16);
    return (line_32)_mm512_permutex2var_epi32(
        (__m512i)before, _mm512_sub_epi32(lane, _mm512_set1_epi32((int32_t)by)), (__m512i)v);
}

ZTI_INLINE void put_line_32(line_32 v, uint32_t *to, uint32_t part)
{
    const __m512i all = (__m512i)v;
    if (part == 4) {
        _mm_storeu_si128((__m128i *)(void *)to, _mm512_castsi512_si128(all));
        _mm_storeu_si128((__m128i *)(void *)(to + 64), _mm512_extracti32x4_epi32(all, 1));
        _mm_storeu_si128((__m128i *)(void *)(to + 128), _mm512_extracti32x4_epi32(all, 2));
        _mm_storeu_si128((__m128i *)(void *)(to + 192), _mm512_extracti32x4_epi32(all, 3));
    } else if (part == 8) {
        _mm256_storeu_si256((__m256i *)(void *)to, _mm512_castsi512_si256(all));
        _mm256_storeu_si256((__m256i *)(void *)(to + 64), _mm512_extracti64x4_epi64(all, 1));
    } else {
        _mm512_storeu_si512(to, all);
    }
}

/* Eight values: sums whose low bits are the multiples (at_once in quantize/nearest.h), and these
 * times the step. */
ZTI_INLINE __m512d eight_sums(__m512d x, double step, double r, __m512d *y)
{
    const __m512d magic = _mm512_set1_pd(0x1.8p52);
    const __m512d sum = _mm512_add_pd(_mm512_mul_pd(x, _mm512_set1_pd(r)), magic);
    *y = _mm512_mul_pd(_mm512_sub_pd(sum, magic), _mm512_set1_pd(step));
    return sum;
}

/* The low halves of two registers of 64-bit numbers. */
ZTI_INLINE line_32 low_halves(__m512d first, __m512d last)
{
    const __m512i even =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    return (line_32)_mm512_permutex2var_epi32(_mm512_castpd_si512(first), even,
                                              _mm512_castpd_si512(last));
}

/* The top bit of a lane is set where some value was not within the limits. */
struct beyond_f32 {
    __m512i of;
};

struct beyond_f64 {
    __m512i of;
};

/* The multiples, if it is sure without doubles (sure_of in quantize/nearest.h). */
ZTI_INLINE bool sure_multiples(const float *x, const struct lattice_f32 *l, line_32 *q)
{
    const __m512 magic = _mm512_set1_ps(0x1.8p23F), v = _mm512_loadu_ps(x);
    const __m512 sum = _mm512_fmadd_ps(v, _mm512_set1_ps(l->rounded.r), magic);
    const __m512 k = _mm512_sub_ps(sum, magic);
    const __m512 off = _mm512_fnmadd_ps(k, _mm512_set1_ps(l->rounded.step), v);
    const __m512 far =
        _mm512_fmadd_ps(_mm512_abs_ps(v), _mm512_set1_ps(0x1p-22F), _mm512_abs_ps(off));
    *q = (line_32)_mm512_sub_epi32(_mm512_castps_si512(sum), _mm512_castps_si512(magic));
    return _mm512_cmpgt_epi32_mask(_mm512_castps_si512(far), _mm512_set1_epi32((int32_t)l->sure)) ==
           0;
}

ZTI_INLINE line_32 multiples_f32(const float *x, const struct lattice_f32 *l,
                                 struct beyond_f32 *beyond)
{
    const __m512i bits = _mm512_set1_epi32(INT32_MAX);
    line_32 q;
    __m512d y[2];
    if (l->sure && zti_likely(sure_multiples(x, l, &q)))
        return q;
    const __m512d first = eight_sums(_mm512_cvtps_pd(_mm256_loadu_ps(x)), l->step, l->r, &y[0]);
    const __m512d last = eight_sums(_mm512_cvtps_pd(_mm256_loadu_ps(x + 8)), l->step, l->r, &y[1]);
    const __m512 all =
        _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(y[0])), _mm512_cvtpd_ps(y[1]), 1);
    const __m512 v = _mm512_loadu_ps(x);
    const __m512i off = _mm512_and_si512(_mm512_castps_si512(_mm512_sub_ps(v, all)), bits);
    const __m512i size = _mm512_and_si512(_mm512_castps_si512(v), bits);
    const __m512i near = _mm512_sub_epi32(_mm512_set1_epi32((int32_t)l->limits.error), off);
    const __m512i small = _mm512_sub_epi32(_mm512_set1_epi32((int32_t)l->limits.reach), size);
    beyond->of = _mm512_ternarylogic_epi32(beyond->of, near, small, 0xfe);
    return low_halves(first, last);
}

ZTI_INLINE bool is_beyond_f32(struct beyond_f32 beyond)
{
    return _mm512_movepi32_mask(beyond.of) != 0;
}

ZTI_INLINE __m512i far_of_eight(__m512d x, __m512d y, const struct lattice_f64 *l)
{
    const __m512i bits = _mm512_set1_epi64(INT64_MAX);
    const __m512i off = _mm512_and_si512(_mm512_castpd_si512(_mm512_sub_pd(x, y)), bits);
    const __m512i size = _mm512_and_si512(_mm512_castpd_si512(x), bits);
    return _mm512_or_si512(_mm512_sub_epi64(_mm512_set1_epi64((int64_t)l->limits.error), off),
                           _mm512_sub_epi64(_mm512_set1_epi64((int64_t)l->limits.reach), size));
}

ZTI_INLINE line_32 multiples_f64(const double *x, const struct lattice_f64 *l,
                                 struct beyond_f64 *beyond)
{
    __m512d y[2];
    const __m512d v[2] = {_mm512_loadu_pd(x), _mm512_loadu_pd(x + 8)};
    const __m512d first = eight_sums(v[0], l->step, l->r, &y[0]);
    const __m512d last = eight_sums(v[1], l->step, l->r, &y[1]);
    beyond->of = _mm512_ternarylogic_epi64(beyond->of, far_of_eight(v[0], y[0], l),
                                           far_of_eight(v[1], y[1], l), 0xfe);
    return low_halves(first, last);
}

ZTI_INLINE bool is_beyond_f64(struct beyond_f64 beyond)
{
    return _mm512_movepi64_mask(beyond.of) != 0;
}
