/* avx2.c: the AVX2 and BMI2 instances of encode_text.h and decode_text.h. BMI2's shifts take their
 * count from any register and leave the flags alone. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx2.h"

#include "entropy/huffman/instances.h"

#define NAME(x) x##_avx2
#include "entropy/huffman/encode_text.h"

/* narrow_plain with one widening load instead of shifts. */
ZTI_INLINE uint32_t narrow_avx2(const uint32_t *entry, uint16_t *out)
{
    const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)entry);
    _mm_storel_epi64((__m128i *)(void *)out, _mm_cvtepu8_epi16(bytes));
    return ((const uint8_t *)entry)[3];
}

#include "entropy/huffman/decode_text.h"
#undef NAME

void zti_encode_avx2(const uint32_t *codes, const uint16_t *symbols, size_t n,
                     struct zti_bit_writer *writer)
{
    encode_avx2(codes, symbols, n, writer);
}

void zti_decode_avx2(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                     size_t buffer_bytes, struct zti_huffman_part *parts, uint32_t part_count)
{
    decode_avx2(decoder, buffer, buffer_bytes, parts, part_count);
}

#include "simd/end.h"
#endif
