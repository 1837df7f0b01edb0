/* huffman_avx2.c: the texts of encoder and decoder compiled with BMI2, whose shifts take their
 * count from any register and leave the flags alone. */
#include "entropy/instances.h"

#include <immintrin.h>
#include <string.h>

#define NAME(x) x##_avx2
#include "entropy/encode_text.h"

/* Three symbols, and one that is none, from three bytes. */
ZTI_INLINE void store_bytes_avx2(uint16_t *out, uint32_t bytes)
{
    const uint64_t v = _pdep_u64(bytes, 0x00ff00ff00ff00ff);
    memcpy(out, &v, sizeof v);
}

#include "entropy/decode_text.h"
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
