/* lanes.h: kernel text: vectors of keys: their types, differences as floats, rounding as 'rounded'
 * does; in plain C there are none, and numbers are taken one at a time. */
#if defined(ZTI_WITH_AVX2)

#if WIDTH == 32
typedef u32s vector;
enum { LANES = V_LANES_32, AT_ONCE = LANES };
#define V(verb) v_##verb##_32
#else
typedef u64s vector;
enum { LANES = V_LANES_64, AT_ONCE = 2 * LANES };
#define V(verb) v_##verb##_64
#endif

#if WIDTH == 32
typedef f32s reals;
typedef i32s keys;
#else
typedef f64s reals;
typedef i64s keys;
#endif

ZTI_INLINE reals to_reals(keys v)
{
#if WIDTH == 64 && defined(ZTI_WITH_AVX512)
    return (reals)_mm512_cvtepi64_pd((__m512i)v);
#else
    return __builtin_convertvector(v, reals);
#endif
}

/* As 'rounded'. */
ZTI_INLINE keys rounded_all(reals sum)
{
#if WIDTH == 32 && defined(ZTI_WITH_AVX512)
    const __m512 most = _mm512_set1_ps(2e9F), least = _mm512_set1_ps(-2e9F);
    return (keys)_mm512_cvtps_epi32(_mm512_max_ps(_mm512_min_ps((__m512)sum, most), least));
#elif WIDTH == 32
    const __m256 most = _mm256_set1_ps(2e9F), least = _mm256_set1_ps(-2e9F);
    return (keys)_mm256_cvtps_epi32(_mm256_max_ps(_mm256_min_ps((__m256)sum, most), least));
#elif defined(ZTI_WITH_AVX512)
    const __m512d most = _mm512_set1_pd(4e18), least = _mm512_set1_pd(-4e18);
    return (keys)_mm512_cvtpd_epi64(_mm512_max_pd(_mm512_min_pd((__m512d)sum, most), least));
#else
    keys k;
    for (uint32_t i = 0; i < LANES; i++)
        k[i] = rounded(sum[i]);
    return k;
#endif
}

ZTI_INLINE keys load_keys(const key *from)
{
    keys v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* A tap's difference to the first. */
ZTI_INLINE reals distance(keys tap, keys origin)
{
    return to_reals((keys)((vector)tap - (vector)origin));
}

#else
enum { AT_ONCE = 1 };
#endif
