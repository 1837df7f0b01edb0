/* lanes.h: kernel text of effort 'high': vectors of LANES integers, and of WIDE 16-bit numbers or
 * bytes. Compilers make much slower code, or no vectors, of plain loops over blocks. Operations
 * that C vectors lack use intrinsics here, beside plain C that does the same. */
#include "codec/sz/interp/interp.h"
#include "simd/vectors.h"

#if defined(ZTI_WITH_AVX2)
#include "simd/bits_avx2.h"
#endif

/* Bytes are stored in units of BLOCK, which is at least LANES and WIDE, because a load that spans
 * two stores waits for both. */
enum { SEGMENT = ZTI_SZ_HIGH_SEGMENT, BLOCK = 16, ROOM = SEGMENT + 2 * BLOCK };
#if defined(ZTI_WITH_AVX2)
enum { LANES = V_LANES_32, WIDE = BLOCK };
#else
enum { LANES = V_LANES_32, WIDE = BLOCK / 2 };
#endif
enum { PARTS = BLOCK / LANES };

typedef int16_t words __attribute__((vector_size(2 * WIDE)));
typedef uint8_t small __attribute__((vector_size(WIDE)));

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

/* 'yes' if the mask is set, else 'no'. */
ZTI_INLINE u32s either(i32s mask, u32s yes, u32s no)
{
    return ((u32s)mask & yes) | (~(u32s)mask & no);
}

/* The place of the highest bit of a number that is not 0, from a float's exponent. Of adjacent ones
 * only the upper is kept, so that the float is not rounded up to the next exponent. */
ZTI_INLINE u32s highest_of(u32s v)
{
    const f32s f = __builtin_convertvector((i32s)(v & ~(v >> 1)), f32s);
    return ((u32s)f >> 23 & 255) - 127;
}

#define V           u32s
#define OF(name)    v_##name
#define SHIFT(v, n) ((u32s)((i32s)(v) >> (n)))
#define SIZE(v)     v_size_32(v)
#define FROM(v, n)  ((u32s)((v) >= (n)))
#define HIGHEST(v)  highest_of(v)
#include "codec/sz/interp/formulas.h"

/* Whether a byte is not 0. */
ZTI_INLINE bool is_any(small flags)
{
    uint64_t part[WIDE / 8], any = 0;
    memcpy(part, &flags, sizeof part);
    for (uint32_t i = 0; i < WIDE / 8; i++)
        any |= part[i];
    return any != 0;
}

ZTI_INLINE words words_of(small v)
{
#if defined(ZTI_WITH_AVX2)
    return (words)_mm256_cvtepu8_epi16((__m128i)v);
#else
    return __builtin_convertvector(v, words);
#endif
}

/* Store a block of numbers below 256 as bytes, in one store if possible. */
ZTI_INLINE void store_block(const u32s *v, uint8_t *to)
{
#if defined(ZTI_WITH_AVX2) && !defined(ZTI_WITH_AVX512)
    const __m256i pairs = _mm256_packus_epi32((__m256i)v[0], (__m256i)v[1]);
    const __m256i in_order = _mm256_permute4x64_epi64(pairs, 0xd8);
    _mm_storeu_si128(
        (__m128i *)(void *)to,
        _mm_packus_epi16(_mm256_castsi256_si128(in_order), _mm256_extracti128_si256(in_order, 1)));
#else
    for (uint32_t part = 0; part < PARTS; part++)
        v_store_bytes_32(to + part * LANES, v[part]);
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

/* Separate 2 * LANES points into even and odd ones; and the inverse. */
ZTI_INLINE void part_pairs(const int32_t *restrict from, int32_t *restrict even,
                           int32_t *restrict odd)
{
    const u32s a = v_load_32(from), b = v_load_32(from + LANES);
    v_store_32(even, v_even_32(a, b));
    v_store_32(odd, v_odd_32(a, b));
}

ZTI_INLINE void join_pairs(const int32_t *restrict even, const int32_t *restrict odd,
                           int32_t *restrict to)
{
    const u32s a = v_load_32(even), b = v_load_32(odd);
    v_store_32(to, v_zip_low_32(a, b));
    v_store_32(to + LANES, v_zip_high_32(a, b));
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
