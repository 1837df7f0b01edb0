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
#elif WIDTH == 64
    /* The low half becomes the lowest bits of the number 2^52, the high one, its sign turned, those
     * of 2^84. All sums but the last are exact. */
    const __m256i bits = _mm256_set1_epi64x(0x4330000000000000);
    const __m256i high_bits = _mm256_set1_epi64x(0x4530000080000000);
    const __m256d turned = _mm256_castsi256_pd(_mm256_set1_epi64x(0x4530000080100000));
    const __m256i low = _mm256_blend_epi32((__m256i)v, bits, 0xaa);
    const __m256i high = _mm256_xor_si256(_mm256_srli_epi64((__m256i)v, 32), high_bits);
    return (reals)_mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), turned),
                                _mm256_castsi256_pd(low));
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
    /* The integer is high * 2^32 + low, with 0 <= low. The low 32 bits of each are the lowest ones
     * of its sum with 1.5 * 2^52. */
    const __m256d most = _mm256_set1_pd(4e18), least = _mm256_set1_pd(-4e18);
    const __m256d bits = _mm256_set1_pd(0x1.8p52);
    const __m256d all = _mm256_round_pd(_mm256_max_pd(_mm256_min_pd((__m256d)sum, most), least),
                                        _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m256d high = _mm256_floor_pd(_mm256_mul_pd(all, _mm256_set1_pd(0x1p-32)));
    const __m256d low = _mm256_sub_pd(all, _mm256_mul_pd(high, _mm256_set1_pd(0x1p32)));
    const __m256i above = _mm256_castpd_si256(_mm256_add_pd(high, bits));
    return (keys)_mm256_blend_epi32(_mm256_castpd_si256(_mm256_add_pd(low, bits)),
                                    _mm256_slli_epi64(above, 32), 0xaa);
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

/* Codes of cells, and sums of them: what is behind the last that is wanted, up
 * to a vector, is looked at, and overwritten. */
typedef u16s shorts;
typedef uint8_t bytes_of_codes __attribute__((vector_size(V_BYTES / 2)));
enum { CODES_AT_ONCE = V_BYTES / 2 };

ZTI_INLINE shorts load_codes(const uint8_t *from)
{
    bytes_of_codes v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, shorts);
}

/* Numbers below 256 to bytes: the first n of a vector, LEAST_CODES or more, or all of it. */
#if defined(ZTI_WITH_AVX512)
enum { LEAST_CODES = 1 };
#else
enum { LEAST_CODES = CODES_AT_ONCE };
#endif

ZTI_INLINE void store_bytes(uint8_t *to, uint32_t n, shorts v)
{
#if defined(ZTI_WITH_AVX512)
    const __mmask32 some = UINT32_MAX >> (n < 32 ? 32 - n : 0);
    _mm256_mask_storeu_epi8(to, some, _mm512_cvtepi16_epi8((__m512i)v));
#else
    (void)n;
    const __m256i halves = _mm256_packus_epi16((__m256i)v, (__m256i)v);
    _mm_storeu_si128((__m128i *)(void *)to,
                     _mm256_castsi256_si128(_mm256_permute4x64_epi64(halves, 0x08)));
#endif
}

ZTI_INLINE shorts load_sums(const uint16_t *from)
{
    return v_load_16(from);
}

ZTI_INLINE void store_codes(uint16_t *to, shorts v)
{
    v_store_16(to, v);
}

/* Products' high 16 bits; the lesser ones. */
ZTI_INLINE shorts high_half(shorts v, uint32_t factor)
{
#if defined(ZTI_WITH_AVX512)
    return (shorts)_mm512_mulhi_epu16((__m512i)v, _mm512_set1_epi16((int16_t)factor));
#else
    return (shorts)_mm256_mulhi_epu16((__m256i)v, _mm256_set1_epi16((int16_t)factor));
#endif
}

ZTI_INLINE shorts least_of(shorts a, shorts b)
{
#if defined(ZTI_WITH_AVX512)
    return (shorts)_mm512_min_epu16((__m512i)a, (__m512i)b);
#else
    return (shorts)_mm256_min_epu16((__m256i)a, (__m256i)b);
#endif
}
#else
enum { AT_ONCE = 1 };

typedef uint32_t shorts;
enum { CODES_AT_ONCE = 1 };

ZTI_INLINE shorts load_codes(const uint8_t *from)
{
    return *from;
}

ZTI_INLINE shorts load_sums(const uint16_t *from)
{
    return *from;
}

ZTI_INLINE void store_codes(uint16_t *to, shorts v)
{
    *to = (uint16_t)v;
}

ZTI_INLINE shorts high_half(shorts v, uint32_t factor)
{
    return v * factor >> 16;
}

ZTI_INLINE shorts least_of(shorts a, shorts b)
{
    return a < b ? a : b;
}
#endif

/* Bytes of a table of 128 times 'parts' for numbers from 'first' on. */
ZTI_INLINE void look_up(const uint8_t *restrict table, uint32_t parts, uint32_t first,
                        const uint16_t *restrict number, uint32_t n, uint8_t *restrict to)
{
    size_t i = 0;
#if defined(ZTI_WITH_AVX512)
    const __m512i less = _mm512_set1_epi16((int16_t)first);
    const __m512i *const half = (const __m512i *)(const void *)table;
    for (; i < n; i += 32) {
        const __mmask32 some = UINT32_MAX >> (n - i < 32 ? 32 - (n - i) : 0);
        const __m512i own = _mm512_sub_epi16(_mm512_maskz_loadu_epi16(some, number + i), less);
        const __m512i at = _mm512_castsi256_si512(_mm512_cvtepi16_epi8(own));
        __m512i all =
            _mm512_permutex2var_epi8(_mm512_loadu_si512(half), at, _mm512_loadu_si512(half + 1));
        for (uint32_t p = 1; p < parts; p++) {
            const __m512i one = _mm512_permutex2var_epi8(_mm512_loadu_si512(half + 2 * p), at,
                                                         _mm512_loadu_si512(half + 2 * p + 1));
            const __mmask32 above =
                _mm512_cmpge_epu16_mask(own, _mm512_set1_epi16((int16_t)(128 * p)));
            all = _mm512_mask_blend_epi8(above, all, one);
        }
        _mm256_mask_storeu_epi8(to + i, some, _mm512_castsi512_si256(all));
    }
#else
    enum { AT_A_TIME = 8 };
    (void)parts;
    for (; i + AT_A_TIME <= n; i += AT_A_TIME)
        for (size_t k = 0; k < AT_A_TIME; k++)
            to[i + k] = table[(size_t)number[i + k] - first];
#endif
    for (; i < n; i++)
        to[i] = table[(size_t)number[i] - first];
}
