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
enum { LANES = IS_WIDE ? V_LANES_64 : V_LANES_32 };
#if defined(ZTI_WITH_AVX2)
enum { WIDE = BLOCK };
#else
enum { WIDE = BLOCK / 2 };
#endif
enum { PARTS = BLOCK / LANES };

/* The width of integers: of one (RULE: the rules for it), and of a lane (V_W: verbs). */
#if IS_WIDE
#define RULE(name) zti_sz_wide_##name
#define V_W(verb)  v_##verb##_64
typedef int64_t integer;
typedef uint64_t natural;
typedef i64s ints;
typedef u64s uints;
#else
#define RULE(name) zti_sz_high_##name
#define V_W(verb)  v_##verb##_32
typedef int32_t integer;
typedef uint32_t natural;
typedef i32s ints;
typedef u32s uints;
#endif

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
ZTI_INLINE uints either(ints mask, uints yes, uints no)
{
    return ((uints)mask & yes) | (~(uints)mask & no);
}

/* The place of the highest bit of a number that is not 0; of 32 bits from a float's exponent. Of
 * adjacent ones only the upper is kept, so that the float is not rounded up to the next exponent.
 */
ZTI_INLINE uints highest_of(uints v)
{
#if IS_WIDE
    for (uint32_t i = 0; i < LANES; i++)
        v[i] = zti_bit_length64(v[i]) - 1u;
    return v;
#else
    const f32s f = __builtin_convertvector((ints)(v & ~(v >> 1)), f32s);
    return ((uints)f >> 23 & 255) - 127;
#endif
}

#define V           uints
#define WIDTH       (IS_WIDE ? 64 : 32)
#define OF(name)    v_##name
#define SHIFT(v, n) ((uints)((ints)(v) >> (n)))
#define SIZE(v)     V_W(size)(v)
#define FROM(v, n)  ((uints)((v) >= (n)))
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
ZTI_INLINE void store_block(const uints *v, uint8_t *to)
{
#if defined(ZTI_WITH_AVX2) && !defined(ZTI_WITH_AVX512)
    const __m256i pairs = _mm256_packus_epi32((__m256i)v[0], (__m256i)v[1]);
    const __m256i in_order = _mm256_permute4x64_epi64(pairs, 0xd8);
    _mm_storeu_si128(
        (__m128i *)(void *)to,
        _mm_packus_epi16(_mm256_castsi256_si128(in_order), _mm256_extracti128_si256(in_order, 1)));
#else
    for (uint32_t part = 0; part < PARTS; part++)
        V_W(store_bytes)(to + part * LANES, v[part]);
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
ZTI_INLINE void part_pairs(const integer *restrict from, integer *restrict even,
                           integer *restrict odd)
{
    const uints a = V_W(load)(from), b = V_W(load)(from + LANES);
    V_W(store)(even, V_W(even)(a, b));
    V_W(store)(odd, V_W(odd)(a, b));
}

ZTI_INLINE void join_pairs(const integer *restrict even, const integer *restrict odd,
                           integer *restrict to)
{
    const uints a = V_W(load)(even), b = V_W(load)(odd);
    V_W(store)(to, V_W(zip_low)(a, b));
    V_W(store)(to + LANES, V_W(zip_high)(a, b));
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
