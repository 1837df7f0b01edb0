/* lanes.h: kernel text of effort 'high': what is worked on together: integers, LANES at a
 * time, and 16-bit numbers and bytes, WIDE at a time. What compilers make of plain loops over
 * blocks is several times slower, or no vectors at all. Where an instruction set has more than
 * vectors of C can say, it is written here, beside plain C that does the same. */
#include "codec/sz/interp/interp.h"

#if defined(ZTI_WITH_AVX2)
#include "simd/bits_avx2.h"
#endif

/* Neither LANES nor WIDE is more than BLOCK, in which bytes are stored: a load that spans two
 * stores waits for both. */
enum { SEGMENT = ZTI_SZ_HIGH_SEGMENT, BLOCK = 16, ROOM = SEGMENT + 2 * BLOCK };
#if defined(ZTI_WITH_AVX512)
enum { LANES = BLOCK, WIDE = BLOCK };
#elif defined(ZTI_WITH_AVX2)
enum { LANES = BLOCK / 2, WIDE = BLOCK };
#else
enum { LANES = BLOCK / 4, WIDE = BLOCK / 2 };
#endif
enum { PARTS = BLOCK / LANES };

typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t signed_lanes __attribute__((vector_size(4 * LANES)));
typedef float float_lanes __attribute__((vector_size(4 * LANES)));
typedef uint8_t narrow_lanes __attribute__((vector_size(LANES)));
typedef int16_t words __attribute__((vector_size(2 * WIDE)));
typedef uint8_t small __attribute__((vector_size(WIDE)));

ZTI_INLINE lanes load_lanes(const int32_t *from)
{
    lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

ZTI_INLINE void store_lanes(lanes v, int32_t *to)
{
    memcpy(to, &v, sizeof v);
}

ZTI_INLINE small load_small(const uint8_t *from)
{
    small v;
    memcpy(&v, from, sizeof v);
    return v;
}

ZTI_INLINE void store_small(small v, uint8_t *to)
{
    memcpy(to, &v, sizeof v);
}

/* 'first', 'first' + 1, ... */
ZTI_INLINE lanes numbers_from(uint32_t first)
{
    lanes v;
#if defined(ZTI_WITH_AVX512)
    v = (lanes){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif defined(ZTI_WITH_AVX2)
    v = (lanes){0, 1, 2, 3, 4, 5, 6, 7};
#else
    v = (lanes){0, 1, 2, 3};
#endif
    return v + first;
}

/* Where the mask has ones, the former. */
ZTI_INLINE lanes either(lanes mask, lanes yes, lanes no)
{
    return (mask & yes) | (~mask & no);
}

ZTI_INLINE lanes sign_of(lanes v)
{
    return (lanes)((signed_lanes)v >> 31);
}

ZTI_INLINE lanes size_of(lanes v)
{
#if defined(ZTI_WITH_AVX512)
    return (lanes)_mm512_abs_epi32((__m512i)v);
#elif defined(ZTI_WITH_AVX2)
    return (lanes)_mm256_abs_epi32((__m256i)v);
#else
    const lanes sign = sign_of(v);
    return (v ^ sign) - sign;
#endif
}

ZTI_INLINE lanes at_most(lanes v, uint32_t most)
{
    const lanes all = (lanes){0} + most;
#if defined(ZTI_WITH_AVX512)
    return (lanes)_mm512_min_epu32((__m512i)v, (__m512i)all);
#elif defined(ZTI_WITH_AVX2)
    return (lanes)_mm256_min_epu32((__m256i)v, (__m256i)all);
#else
    return either((lanes)(v > all), all, v);
#endif
}

/* The place of the highest bit of what is not 0, as a float's exponent. Below the highest one no
 * two bits are left side by side, so that nothing is rounded up. */
ZTI_INLINE lanes highest_of(lanes v)
{
    const float_lanes f = __builtin_convertvector((signed_lanes)(v & ~(v >> 1)), float_lanes);
    lanes bits;
    memcpy(&bits, &f, sizeof bits);
    return (bits >> 23 & 255) - 127;
}

#define V           lanes
#define OF(name)    name##_lanes
#define SHIFT(v, n) ((lanes)((signed_lanes)(v) >> (n)))
#define SIZE(v)     size_of(v)
#define FROM(v, n)  ((lanes)((v) >= (n)))
#define HIGHEST(v)  highest_of(v)
#include "codec/sz/interp/formulas.h"
#undef V
#undef OF
#undef SHIFT
#undef SIZE
#undef FROM
#undef HIGHEST

/* Whether a bit that the mask has is set. */
ZTI_INLINE bool has_bits(lanes v, uint32_t mask)
{
    const lanes all = (lanes){0} + mask;
#if defined(ZTI_WITH_AVX512)
    return _mm512_test_epi32_mask((__m512i)v, (__m512i)all) != 0;
#elif defined(ZTI_WITH_AVX2)
    return !_mm256_testz_si256((__m256i)v, (__m256i)all);
#else
    uint32_t any = 0;
    for (uint32_t i = 0; i < LANES; i++)
        any |= (v & all)[i];
    return any != 0;
#endif
}

/* Whether a byte is set. */
ZTI_INLINE bool is_any(small flags)
{
    uint64_t part[WIDE / 8], any = 0;
    memcpy(part, &flags, sizeof part);
    for (uint32_t i = 0; i < WIDE / 8; i++)
        any |= part[i];
    return any != 0;
}

/* Numbers below 256 as bytes, and back. */
ZTI_INLINE void store_narrow(lanes v, uint8_t *to)
{
#if defined(ZTI_WITH_AVX512)
    _mm_storeu_si128((__m128i *)(void *)to, _mm512_cvtepi32_epi8((__m512i)v));
#else
    const narrow_lanes narrow = __builtin_convertvector(v, narrow_lanes);
    memcpy(to, &narrow, sizeof narrow);
#endif
}

ZTI_INLINE lanes load_narrow(const uint8_t *from)
{
#if defined(ZTI_WITH_AVX512)
    return (lanes)_mm512_cvtepu8_epi32((__m128i)load_small(from));
#elif defined(ZTI_WITH_AVX2)
    return (lanes)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
#else
    narrow_lanes narrow;
    memcpy(&narrow, from, sizeof narrow);
    return __builtin_convertvector(narrow, lanes);
#endif
}

ZTI_INLINE words words_of(small v)
{
#if defined(ZTI_WITH_AVX2)
    return (words)_mm256_cvtepu8_epi16((__m128i)v);
#else
    return __builtin_convertvector(v, words);
#endif
}

/* A block of numbers below 256 as bytes, in one store where there is one. */
ZTI_INLINE void store_block(const lanes *v, uint8_t *to)
{
#if defined(ZTI_WITH_AVX2) && !defined(ZTI_WITH_AVX512)
    const __m256i pairs = _mm256_packus_epi32((__m256i)v[0], (__m256i)v[1]);
    const __m256i in_order = _mm256_permute4x64_epi64(pairs, 0xd8);
    _mm_storeu_si128(
        (__m128i *)(void *)to,
        _mm_packus_epi16(_mm256_castsi256_si128(in_order), _mm256_extracti128_si256(in_order, 1)));
#else
    for (uint32_t part = 0; part < PARTS; part++)
        store_narrow(v[part], to + part * LANES);
#endif
}

/* Entries 0 to 15 of a table. */
ZTI_INLINE small look_up(const uint8_t *table, small number)
{
#if defined(ZTI_WITH_AVX2)
    return (small)_mm_shuffle_epi8((__m128i)load_small(table), (__m128i)number);
#else
    small entry;
    for (uint32_t i = 0; i < WIDE; i++)
        entry[i] = table[number[i]];
    return entry;
#endif
}

/* 2 * LANES points to those at even places and those at odd ones, and back. */
ZTI_INLINE void part_pairs(const int32_t *restrict from, int32_t *restrict even,
                           int32_t *restrict odd)
{
#if defined(ZTI_WITH_AVX512)
    const __m512i at = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i a = (__m512i)load_lanes(from), b = (__m512i)load_lanes(from + LANES);
    store_lanes((lanes)_mm512_permutex2var_epi32(a, at, b), even);
    store_lanes((lanes)_mm512_permutex2var_epi32(a, _mm512_or_si512(at, one), b), odd);
#elif defined(ZTI_WITH_AVX2)
    const __m256 a = (__m256)load_lanes(from), b = (__m256)load_lanes(from + LANES);
    const __m256i low = (__m256i)_mm256_shuffle_ps(a, b, 0x88);
    const __m256i high = (__m256i)_mm256_shuffle_ps(a, b, 0xdd);
    store_lanes((lanes)_mm256_permute4x64_epi64(low, 0xd8), even);
    store_lanes((lanes)_mm256_permute4x64_epi64(high, 0xd8), odd);
#else
    for (uint32_t i = 0; i < LANES; i++) {
        even[i] = from[2 * i];
        odd[i] = from[2 * i + 1];
    }
#endif
}

ZTI_INLINE void join_pairs(const int32_t *restrict even, const int32_t *restrict odd,
                           int32_t *restrict to)
{
#if defined(ZTI_WITH_AVX512)
    const __m512i at = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512i eight = _mm512_set1_epi32(8);
    const __m512i a = (__m512i)load_lanes(even), b = (__m512i)load_lanes(odd);
    store_lanes((lanes)_mm512_permutex2var_epi32(a, at, b), to);
    store_lanes((lanes)_mm512_permutex2var_epi32(a, _mm512_or_si512(at, eight), b), to + LANES);
#elif defined(ZTI_WITH_AVX2)
    const __m256i a = (__m256i)load_lanes(even), b = (__m256i)load_lanes(odd);
    const __m256i low = _mm256_unpacklo_epi32(a, b), high = _mm256_unpackhi_epi32(a, b);
    store_lanes((lanes)_mm256_permute2x128_si256(low, high, 0x20), to);
    store_lanes((lanes)_mm256_permute2x128_si256(low, high, 0x31), to + LANES);
#else
    for (uint32_t i = 0; i < LANES; i++) {
        to[2 * i] = even[i];
        to[2 * i + 1] = odd[i];
    }
#endif
}

ZTI_INLINE void join_small(small even, small odd, uint8_t *to)
{
#if defined(ZTI_WITH_AVX2)
    store_small((small)_mm_unpacklo_epi8((__m128i)even, (__m128i)odd), to);
    store_small((small)_mm_unpackhi_epi8((__m128i)even, (__m128i)odd), to + WIDE);
#else
    for (uint32_t i = 0; i < WIDE; i++) {
        to[2 * i] = even[i];
        to[2 * i + 1] = odd[i];
    }
#endif
}
