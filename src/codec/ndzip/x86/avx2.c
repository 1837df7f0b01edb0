/* avx2.c: the AVX2 instance of the ndzip kernels. A plane of 32 values is the highest bits of
 * 32 bytes, which one instruction gathers; the bytes are brought together first, the last value's
 * lowest. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/begin_avx2.h"

#include "codec/ndzip/ndzip.h"

#define FN ZTI_INLINE

typedef uint32_t u32x8 __attribute__((vector_size(32), may_alias));
typedef int32_t i32x8 __attribute__((vector_size(32), may_alias));
typedef uint64_t u64x4 __attribute__((vector_size(32), may_alias));
typedef int64_t i64x4 __attribute__((vector_size(32), may_alias));

FN __m256i load_256(const void *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

FN void stream_line_256(uint8_t *to, const uint8_t *from)
{
    _mm256_stream_si256((__m256i *)(void *)to, load_256(from));
    _mm256_stream_si256((__m256i *)(void *)(to + 32), load_256(from + 32));
}

/* The lane before and this one, as seen from one half of a register back. */
FN __m256i halves_256(__m256i left, __m256i v)
{
    return _mm256_permute2x128_si256(left, v, 0x21);
}

/* The highest bit of each byte, then the next ones down, to every 'step'th word. */
FN void put_bits(__m256i bytes, uint32_t *to, uint32_t step)
{
    for (uint32_t q = 0; q < 8; q++) {
        to[q * step] = (uint32_t)_mm256_movemask_epi8(bytes);
        bytes = _mm256_add_epi8(bytes, bytes);
    }
}

/* ---- 32 bits ---- */

FN void transpose_group(uint32_t *a)
{
    const __m256i group = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(12, 8, 4, 0, 13, 9, 5, 1, 14, 10, 6, 2, 15, 11, 7, 3));
    const __m256i order = _mm256_setr_epi32(4, 0, 5, 1, 6, 2, 7, 3);
    __m256i s[4], byte[4];
    for (uint32_t i = 0; i < 4; i++) /* of four words each: byte 0 of all, byte 1 of all, ... */
        s[i] = _mm256_shuffle_epi8(load_256(a + 24 - 8 * i), group);
    const __m256i t0 = _mm256_unpacklo_epi32(s[0], s[1]), t1 = _mm256_unpackhi_epi32(s[0], s[1]);
    const __m256i t2 = _mm256_unpacklo_epi32(s[2], s[3]), t3 = _mm256_unpackhi_epi32(s[2], s[3]);
    byte[0] = _mm256_unpacklo_epi64(t0, t2);
    byte[1] = _mm256_unpackhi_epi64(t0, t2);
    byte[2] = _mm256_unpacklo_epi64(t1, t3);
    byte[3] = _mm256_unpackhi_epi64(t1, t3);
    for (uint32_t c = 0; c < 4; c++)
        put_bits(_mm256_permutevar8x32_epi32(byte[c], order), a + 24 - 8 * c, 1);
}

static void transpose_32(uint32_t *a)
{
    transpose_group(a);
    transpose_group(a + 32);
}

#define word    uint32_t
#define lane    u32x8
#define slane   i32x8
#define LANES   8
#define WIDTH   32
#define NAME(x) x##_32

FN void put_32(uint8_t *to, word v)
{
    memcpy(to, &v, sizeof v);
}
FN word get_32(const uint8_t *from)
{
    return zti_get_le32(from);
}
FN void stream_line_32(uint8_t *to, const uint8_t *from)
{
    stream_line_256(to, from);
}

FN lane before_32(lane left, lane v)
{
    return (lane)_mm256_alignr_epi8((__m256i)v, halves_256((__m256i)left, (__m256i)v), 12);
}

FN lane sums_32(lane v)
{
    v += (lane)_mm256_slli_si256((__m256i)v, 4);
    v += (lane)_mm256_slli_si256((__m256i)v, 8);
    return v + (lane)_mm256_shuffle_epi32(halves_256(_mm256_setzero_si256(), (__m256i)v), 0xff);
}

FN lane last_32(lane v)
{
    return (lane)_mm256_permutevar8x32_epi32((__m256i)v, _mm256_set1_epi32(7));
}

FN lane turn_32(lane v, uint32_t n)
{
    return (lane)_mm256_or_si256(_mm256_sll_epi32((__m256i)v, _mm_cvtsi32_si128((int)n)),
                                 _mm256_srl_epi32((__m256i)v, _mm_cvtsi32_si128((int)(32 - n))));
}

#include "codec/ndzip/tile/differences.h"
#include "codec/ndzip/tile/planes.h"
#include "codec/ndzip/tile/record.h" /* put_1d_32, stream_1d_32, take_1d_32, ... */
#undef word
#undef lane
#undef slane
#undef LANES
#undef WIDTH
#undef NAME

/* ---- 64 bits ---- */

/* The bits of words 0 .. 31 of 'a', byte by byte from the highest, to every other word of 'to'. */
static void transpose_half(const uint64_t *a, uint32_t *to)
{
    const __m256i pair = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(8, 0, 9, 1, 10, 2, 11, 3, 12, 4, 13, 5, 14, 6, 15, 7));
    const __m256i mix = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
    __m256i s[8], t[8], u[8];
    for (uint32_t i = 0; i < 8; i++) /* of two words each: byte 0 of both, byte 1 of both, ... */
        s[i] = _mm256_shuffle_epi8(load_256(a + 28 - 4 * i), pair);
    for (uint32_t i = 0; i < 4; i++) {
        t[i] = _mm256_unpacklo_epi16(s[2 * i], s[2 * i + 1]);     /* bytes 0 .. 3 of 4 words */
        t[i + 4] = _mm256_unpackhi_epi16(s[2 * i], s[2 * i + 1]); /* bytes 4 .. 7 */
    }
    for (uint32_t i = 0; i < 8; i += 4) {
        u[i] = _mm256_unpacklo_epi32(t[i], t[i + 1]); /* bytes i, i + 1 of 8 words */
        u[i + 1] = _mm256_unpackhi_epi32(t[i], t[i + 1]);
        u[i + 2] = _mm256_unpacklo_epi32(t[i + 2], t[i + 3]);
        u[i + 3] = _mm256_unpackhi_epi32(t[i + 2], t[i + 3]);
    }
    for (uint32_t c = 0; c < 8; c++) {
        const uint32_t i = c / 4 * 4 + c % 4 / 2;
        const __m256i bytes =
            c % 2 ? _mm256_unpackhi_epi64(u[i], u[i + 2]) : _mm256_unpacklo_epi64(u[i], u[i + 2]);
        put_bits(_mm256_shuffle_epi8(_mm256_permute4x64_epi64(bytes, 0x72), mix),
                 to + 2 * (56 - 8 * c), 2);
    }
}

static void transpose_64(uint64_t *a)
{
    uint32_t halves[128];
    transpose_half(a, halves + 1);
    transpose_half(a + 32, halves);
    memcpy(a, halves, sizeof halves);
}

#define word    uint64_t
#define lane    u64x4
#define slane   i64x4
#define LANES   4
#define WIDTH   64
#define NAME(x) x##_64

FN void put_64(uint8_t *to, word v)
{
    memcpy(to, &v, sizeof v);
}
FN word get_64(const uint8_t *from)
{
    return zti_get_le64(from);
}
FN void stream_line_64(uint8_t *to, const uint8_t *from)
{
    stream_line_256(to, from);
}

FN lane before_64(lane left, lane v)
{
    return (lane)_mm256_alignr_epi8((__m256i)v, halves_256((__m256i)left, (__m256i)v), 8);
}

FN lane sums_64(lane v)
{
    v += (lane)_mm256_slli_si256((__m256i)v, 8);
    return v + (lane)_mm256_shuffle_epi32(halves_256(_mm256_setzero_si256(), (__m256i)v), 0xee);
}

FN lane last_64(lane v)
{
    return (lane)_mm256_permute4x64_epi64((__m256i)v, 0xff);
}

FN lane turn_64(lane v, uint32_t n)
{
    return (lane)_mm256_or_si256(_mm256_sll_epi64((__m256i)v, _mm_cvtsi32_si128((int)n)),
                                 _mm256_srl_epi64((__m256i)v, _mm_cvtsi32_si128((int)(64 - n))));
}

#include "codec/ndzip/tile/differences.h"
#include "codec/ndzip/tile/planes.h"
#include "codec/ndzip/tile/record.h" /* put_1d_64, stream_1d_64, take_1d_64, ... */

zti_ndzip_kernel_table zti_ndzip_avx2 = {
    {{put_1d_32, stream_1d_32, take_1d_32},
     {put_2d_32, NULL, take_2d_32},
     {put_3d_32, NULL, take_3d_32}},
    {{put_1d_64, stream_1d_64, take_1d_64},
     {put_2d_64, NULL, take_2d_64},
     {put_3d_64, NULL, take_3d_64}},
};

#include "simd/end.h"
#endif
