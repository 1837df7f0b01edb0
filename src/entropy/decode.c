/* decode.c: bits to symbols: the table, the plain instance, and the choice of one.
 *
 * The table is indexed by the next table_bits bits and gives the one or two symbols that these hold
 * in full:
 *
 *   bits 0-7    bits of both codes, or of the one
 *   bits 8-15   1 or 2 symbols
 *   bits 16-23  bits of the first code
 *   bits 32-47  the first symbol
 *   bits 48-63  the second
 *
 * An entry of 0: the first code is longer than that; first[] and entry[] of the codebook find
 * it. */
#include "core/cpu.h"
#include "entropy/huffman_build.h"
#include "entropy/instances.h"

/* With more than one code in this many expected to be longer than the small table's, take the large
 * one (measured: what a long code costs against what the larger table does to the cache). */
enum { RARE_LONG = 100 };

#define NAME(x) x##_plain
#include "entropy/decode_text.h"
#undef NAME

static uint64_t entry_of(uint32_t symbol, uint32_t bits)
{
    return bits | 1u << 8 | bits << 16 | (uint64_t)symbol << 32;
}

/* A code of l bits is expected once in 2^l codes. */
static uint32_t table_bits_for(const struct zti_codebook *book)
{
    uint32_t share = 0; /* of long codes, in units of 2^-16 */
    for (uint32_t l = ZTI_SMALL_TABLE_BITS + 1; l <= ZTI_HUFFMAN_MAX_BITS; l++)
        share += (book->entry[l + 1] - book->entry[l]) << (ZTI_HUFFMAN_MAX_BITS - l);
    return share * RARE_LONG > UINT32_C(1) << ZTI_HUFFMAN_MAX_BITS ? ZTI_LARGE_TABLE_BITS
                                                                   : ZTI_SMALL_TABLE_BITS;
}

zt_status zti_huffman_decoder_make(zt_context *context, const struct zti_codebook *book,
                                   struct zti_huffman_decoder *decoder)
{
    const uint32_t bits = table_bits_for(book), entries = UINT32_C(1) << bits;
    *decoder = (struct zti_huffman_decoder){.book = book, .table_bits = bits};
    if (book->longest == 0)
        return ZT_OK;
    uint64_t *table = zti_alloc_zeroed(context, entries * sizeof *table);
    if (!table)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a decoder's table");
    for (uint32_t k = 0; k < book->used; k++) {
        const uint32_t symbol = book->order[k], length = book->lengths[symbol];
        if (length > bits)
            break;
        for (uint32_t i = book->codes[symbol] & 0xffff; i < entries; i += UINT32_C(1) << length)
            table[i] = entry_of(symbol, length);
    }
    /* The entry of what follows the first code is at a smaller index: from the largest down these
     * are still of one symbol. */
    for (uint32_t i = entries; i-- > 0;) {
        const uint64_t one = table[i], two = table[i >> (one & 63)];
        const uint64_t both = (one & 0xff) + (two & 0xff);
        if (one > 0 && two > 0 && both <= bits)
            table[i] = both | 2u << 8 | (one & 0xff0000) | (one >> 32 & 0xffff) << 32 |
                       (two >> 32 & 0xffff) << 48;
    }
    decoder->table = table;
    return ZT_OK;
}

void zti_huffman_decoder_free(zt_context *context, struct zti_huffman_decoder *decoder)
{
    zti_release(context, decoder->table);
    memset(decoder, 0, sizeof *decoder);
}

/* Symbols whose codes have no bits. */
static bool fill(const struct zti_codebook *book, struct zti_huffman_part *parts,
                 uint32_t part_count)
{
    for (uint32_t k = 0; k < part_count; k++) {
        if (book->used == 0 && parts[k].symbols > 0)
            return false;
        for (size_t i = 0; i < parts[k].symbols; i++)
            parts[k].out[i] = book->order[0];
        parts[k].out += parts[k].symbols;
        parts[k].symbols = 0;
    }
    return true;
}

bool zti_huffman_decode(const struct zti_huffman_decoder *decoder, uint32_t isa,
                        const uint8_t *buffer, size_t buffer_bytes, struct zti_huffman_part *parts,
                        uint32_t part_count)
{
    for (uint32_t k = 0; k < part_count; k++)
        if (parts[k].at > parts[k].end || parts[k].end > (uint64_t)buffer_bytes * 8)
            return false;
    if (!decoder->table)
        return fill(decoder->book, parts, part_count);
#if defined(ZTI_HAS_X86_INSTANCES)
    if (isa >= ZT_ISA_AVX2)
        zti_decode_avx2(decoder, buffer, buffer_bytes, parts, part_count);
    else
#endif
        decode_plain(decoder, buffer, buffer_bytes, parts, part_count);
    (void)isa;
    for (uint32_t k = 0; k < part_count; k++)
        if (parts[k].symbols > 0 || parts[k].at > parts[k].end)
            return false;
    return true;
}
