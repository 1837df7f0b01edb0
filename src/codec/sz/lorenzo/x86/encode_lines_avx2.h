/* encode_lines_avx2.h: what lorenzo/plain/encode_lines.h has of lanes of 32 bits, with AVX2; and a
 * line of multiples of a step (quantize/lattice.h) at a time. */
#define HAS_MULTIPLES
#define LANES_32 8

ZTI_INLINE line_32 moved_on_32(line_32 v, line_32 before)
{
    const __m256i middle = _mm256_permute2x128_si256((__m256i)before, (__m256i)v, 0x21);
    return (line_32)_mm256_alignr_epi8((__m256i)v, middle, 12);
}

ZTI_INLINE line_32 moved_by_32(line_32 v, line_32 before, uint32_t by)
{
    const __m256i lane = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    const __m256i up = _mm256_set1_epi32((int32_t)by), from = _mm256_sub_epi32(lane, up);
    return (line_32)_mm256_blendv_epi8(_mm256_permutevar8x32_epi32((__m256i)v, from),
                                       _mm256_permutevar8x32_epi32((__m256i)before, from),
                                       _mm256_cmpgt_epi32(up, lane));
}

ZTI_INLINE void put_line_32(line_32 v, uint32_t *to, uint32_t part)
{
    const __m256i all = (__m256i)v;
    if (part == 4) {
        _mm_storeu_si128((__m128i *)(void *)to, _mm256_castsi256_si128(all));
        _mm_storeu_si128((__m128i *)(void *)(to + 64), _mm256_extracti128_si256(all, 1));
    } else {
        _mm256_storeu_si256((__m256i *)(void *)to, all);
    }
}

/* Four values: sums whose low bits are the multiples (at_once in quantize/nearest.h), and these
 * times the step. */
ZTI_INLINE __m256d four_sums(__m256d x, double step, double r, __m256d *y)
{
    const __m256d magic = _mm256_set1_pd(0x1.8p52);
    const __m256d sum = _mm256_add_pd(_mm256_mul_pd(x, _mm256_set1_pd(r)), magic);
    *y = _mm256_mul_pd(_mm256_sub_pd(sum, magic), _mm256_set1_pd(step));
    return sum;
}

/* The low halves of two registers of 64-bit numbers. */
ZTI_INLINE line_32 low_halves(__m256d first, __m256d last)
{
    const __m256 mixed = _mm256_shuffle_ps(_mm256_castpd_ps(first), _mm256_castpd_ps(last), 0x88);
    return (line_32)_mm256_permute4x64_epi64(_mm256_castps_si256(mixed), 0xd8);
}

/* The top bit of a lane is set where some value was not within the limits. */
struct beyond_f32 {
    __m256i of;
};

struct beyond_f64 {
    __m256i of;
};

/* The multiples, if it is sure without doubles (sure_of in quantize/nearest.h). */
ZTI_INLINE bool sure_multiples(const float *x, const struct lattice_f32 *l, line_32 *q)
{
    const __m256 bits = _mm256_castsi256_ps(_mm256_set1_epi32(INT32_MAX));
    const __m256 magic = _mm256_set1_ps(0x1.8p23F), v = _mm256_loadu_ps(x);
    const __m256 sum = _mm256_add_ps(_mm256_mul_ps(v, _mm256_set1_ps(l->rounded.r)), magic);
    const __m256 k = _mm256_sub_ps(sum, magic);
    const __m256 off = _mm256_sub_ps(v, _mm256_mul_ps(k, _mm256_set1_ps(l->rounded.step)));
    const __m256 part = _mm256_mul_ps(_mm256_and_ps(v, bits), _mm256_set1_ps(0x1p-22F));
    const __m256 far = _mm256_add_ps(part, _mm256_and_ps(off, bits));
    const __m256i is_far =
        _mm256_cmpgt_epi32(_mm256_castps_si256(far), _mm256_set1_epi32((int32_t)l->sure));
    *q = (line_32)_mm256_sub_epi32(_mm256_castps_si256(sum), _mm256_castps_si256(magic));
    return _mm256_testz_si256(is_far, is_far);
}

ZTI_INLINE line_32 multiples_f32(const float *x, const struct lattice_f32 *l,
                                 struct beyond_f32 *beyond)
{
    const __m256i bits = _mm256_set1_epi32(INT32_MAX);
    line_32 q;
    __m256d y[2];
    if (l->sure && zti_likely(sure_multiples(x, l, &q)))
        return q;
    const __m256d first = four_sums(_mm256_cvtps_pd(_mm_loadu_ps(x)), l->step, l->r, &y[0]);
    const __m256d last = four_sums(_mm256_cvtps_pd(_mm_loadu_ps(x + 4)), l->step, l->r, &y[1]);
    const __m256 v = _mm256_loadu_ps(x);
    const __m256 off =
        _mm256_sub_ps(v, _mm256_set_m128(_mm256_cvtpd_ps(y[1]), _mm256_cvtpd_ps(y[0])));
    const __m256i near = _mm256_sub_epi32(_mm256_set1_epi32((int32_t)l->limits.error),
                                          _mm256_and_si256(_mm256_castps_si256(off), bits));
    const __m256i small = _mm256_sub_epi32(_mm256_set1_epi32((int32_t)l->limits.reach),
                                           _mm256_and_si256(_mm256_castps_si256(v), bits));
    beyond->of = _mm256_or_si256(beyond->of, _mm256_or_si256(near, small));
    return low_halves(first, last);
}

ZTI_INLINE bool is_beyond_f32(struct beyond_f32 beyond)
{
    return _mm256_movemask_ps(_mm256_castsi256_ps(beyond.of)) != 0;
}

ZTI_INLINE __m256i far_of_four(__m256d x, __m256d y, const struct lattice_f64 *l)
{
    const __m256i bits = _mm256_set1_epi64x(INT64_MAX);
    const __m256i off = _mm256_and_si256(_mm256_castpd_si256(_mm256_sub_pd(x, y)), bits);
    const __m256i size = _mm256_and_si256(_mm256_castpd_si256(x), bits);
    return _mm256_or_si256(_mm256_sub_epi64(_mm256_set1_epi64x((int64_t)l->limits.error), off),
                           _mm256_sub_epi64(_mm256_set1_epi64x((int64_t)l->limits.reach), size));
}

ZTI_INLINE line_32 multiples_f64(const double *x, const struct lattice_f64 *l,
                                 struct beyond_f64 *beyond)
{
    __m256d y[2];
    const __m256d v[2] = {_mm256_loadu_pd(x), _mm256_loadu_pd(x + 4)};
    const __m256d first = four_sums(v[0], l->step, l->r, &y[0]);
    const __m256d last = four_sums(v[1], l->step, l->r, &y[1]);
    beyond->of = _mm256_or_si256(
        beyond->of, _mm256_or_si256(far_of_four(v[0], y[0], l), far_of_four(v[1], y[1], l)));
    return low_halves(first, last);
}

ZTI_INLINE bool is_beyond_f64(struct beyond_f64 beyond)
{
    return _mm256_movemask_pd(_mm256_castsi256_pd(beyond.of)) != 0;
}
