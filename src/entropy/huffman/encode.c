/* encode.c: symbols to Huffman codes: the plain instance of encode_text.h, and the choice of an
 * instance. */
#include "core/cpu.h"
#include "entropy/huffman/instances.h"

#define NAME(x) x##_plain
#include "entropy/huffman/encode_text.h"
#undef NAME

void zti_huffman_encode(const struct zti_codebook *book, uint32_t isa, const uint16_t *symbols,
                        size_t n, struct zti_bit_writer *writer)
{
    if (book->longest == 0)
        return; /* codes of no bits */
#if defined(ZTI_HAS_X86_INSTANCES)
    if (isa >= ZT_ISA_AVX512 && book->has_window) {
        zti_encode_avx512(book, symbols, n, writer);
        return;
    }
    if (isa >= ZT_ISA_AVX2) {
        zti_encode_avx2(book->codes, symbols, n, writer);
        return;
    }
#endif
    (void)isa;
    encode_plain(book->codes, symbols, n, writer);
}

uint64_t zti_huffman_bits(const struct zti_codebook *book, const uint16_t *symbols, size_t n)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++)
        bits += book->codes[symbols[i]] >> 16;
    return bits;
}
