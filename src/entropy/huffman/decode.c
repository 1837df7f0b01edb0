/* decode.c: Huffman codes to symbols: builds the decoder's table, holds the plain instance of
 * decode_text.h, and chooses an instance.
 *
 * The table is indexed by the next table_bits bits; an entry has the symbols whose codes lie in
 * these bits. With an alphabet of at most 256 (is_narrow) it has up to three symbols in 32 bits,
 * else one or two in 64:
 *
 *   narrow   wide
 *    24-29    0-7       bits of all their codes together
 *    30-31    8-15      number of symbols
 *     0-23   32-63      the symbols, in 8 or 16 bits each
 *
 * An entry of 0: the first code is longer than table_bits; first[] and entry[] of the codebook find
 * it. */
#include "core/cpu.h"
#include "entropy/huffman/build.h"
#include "entropy/huffman/instances.h"

/* Filling the large table takes time. It pays if more than one code in RARE_LONG, and more than
 * SOME_LONG codes in all, are expected to be longer than the small table's bits. It also pays for
 * more than MANY symbols, if its entries hold more of them. */
enum { RARE_LONG = 100, SOME_LONG = 2048, MANY = 1 << 18 };

/* The largest alphabet of a narrow table; symbols of its entries; spare bytes, as 8 are loaded at
 * the last entry. */
enum { NARROW = 256, NARROW_SYMBOLS = 3, BEHIND = 4 };

#define NAME(x) x##_plain

/* Store the symbols of a narrow entry to 'out', which has room for four. Returns bits 24-31. */
ZTI_INLINE uint32_t narrow_plain(const uint32_t *entry, uint16_t *out)
{
    out[0] = (uint16_t)(*entry & 0xff);
    out[1] = (uint16_t)(*entry >> 8 & 0xff);
    out[2] = (uint16_t)(*entry >> 16 & 0xff);
    return *entry >> 24;
}

#include "entropy/huffman/decode_text.h"
#undef NAME

/* A code of l bits is expected once in 2^l codes. A narrow table for many symbols is small only if
 * codes are so short that most entries have three symbols. */
static uint32_t table_bits_for(const struct zti_codebook *book, uint64_t symbols, bool is_narrow)
{
    const uint32_t whole = UINT32_C(1) << ZTI_HUFFMAN_MAX_BITS;
    uint32_t share = 0, mean = 0; /* of long codes; bits of a code; in units of 2^-16 */
    for (uint32_t l = 1; l <= ZTI_HUFFMAN_MAX_BITS; l++) {
        const uint32_t codes = (book->entry[l + 1] - book->entry[l]) << (ZTI_HUFFMAN_MAX_BITS - l);
        mean += l * codes;
        share += l > ZTI_SMALL_TABLE_BITS ? codes : 0;
    }
    const bool is_full = NARROW_SYMBOLS * mean <= ZTI_SMALL_TABLE_BITS * whole;
    const uint64_t some = symbols < UINT32_MAX ? symbols : UINT32_MAX;
    const bool has_long = share * RARE_LONG > whole && some * share / whole > SOME_LONG;
    return has_long || (is_narrow && !is_full && some > MANY) ? ZTI_LARGE_TABLE_BITS
                                                              : ZTI_SMALL_TABLE_BITS;
}

/* Set entries with one symbol, for each code of at most 'bits' bits, in the table that is not
 * NULL. */
ZTI_INLINE void fill_ones(const struct zti_codebook *book, uint32_t bits, uint32_t *narrow,
                          uint64_t *wide)
{
    const uint32_t entries = UINT32_C(1) << bits;
    for (uint32_t k = 0; k < book->used; k++) {
        const uint32_t symbol = book->order[k], length = book->lengths[symbol];
        if (length > bits)
            break;
        for (uint32_t i = book->codes[symbol] & 0xffff; i < entries; i += UINT32_C(1) << length)
            if (narrow)
                narrow[i] = symbol | (length | 1u << 6) << 24;
            else
                wide[i] = length | 1u << 8 | (uint64_t)symbol << 32;
    }
}

/* Append the first code of entry 'next' to an entry, unless the codes of both have more than 'bits'
 * bits or 'next' is that of a long code. Without branches, as what fits cannot be predicted. */
ZTI_INLINE uint32_t with_next(uint32_t entry, uint32_t next, uint32_t bits)
{
    const uint32_t more = next >> 24 & 63, used = entry >> 24 & 63, n = entry >> 30;
    const uint32_t fits = 0 - (uint32_t)((next != 0) & (used + more <= bits));
    return entry + (((next & 0xff) << 8 * n | (more | 1u << 6) << 24) & fits);
}

/* Append codes to the entries of a narrow table with one symbol each. The entry of the codes after
 * the first has a smaller index, so that going down from the largest index it still has one
 * symbol. */
static void join_codes(uint32_t *table, uint32_t bits)
{
    for (uint32_t i = UINT32_C(1) << bits; i-- > 0;) {
        uint32_t entry = table[i];
        for (uint32_t n = 1; n < NARROW_SYMBOLS; n++)
            entry = with_next(entry, table[i >> (entry >> 24 & 63)], bits);
        table[i] = entry;
    }
}

static void fill_narrow(const struct zti_codebook *book, uint32_t isa, uint32_t bits,
                        uint32_t *table)
{
    fill_ones(book, bits, table, NULL);
#if defined(ZTI_HAS_X86_INSTANCES)
    if (isa >= ZT_ISA_AVX2) {
        zti_join_codes_avx2(table, bits);
        return;
    }
#endif
    (void)isa;
    join_codes(table, bits);
}

/* Fill a wide table in the same way. */
static void fill_wide(const struct zti_codebook *book, uint32_t bits, uint64_t *table)
{
    fill_ones(book, bits, NULL, table);
    for (uint32_t i = UINT32_C(1) << bits; i-- > 0;) {
        const uint64_t one = table[i], two = table[i >> (one & 63)];
        const uint64_t both = (one & 63) + (two & 63);
        if (one > 0 && two > 0 && both <= bits)
            table[i] = both | 2u << 8 | (one >> 32 & 0xffff) << 32 | (two >> 32 & 0xffff) << 48;
    }
}

zt_status zti_huffman_decoder_make(zt_context *context, const struct zti_codebook *book,
                                   uint64_t symbols, struct zti_huffman_decoder *decoder)
{
    const bool is_narrow = book->alphabet <= NARROW;
    const uint32_t bits = table_bits_for(book, symbols, is_narrow);
    const uint32_t entries = UINT32_C(1) << bits;
    *decoder =
        (struct zti_huffman_decoder){.book = book, .table_bits = bits, .is_narrow = is_narrow};
    if (book->longest == 0)
        return ZT_OK;
    decoder->table = zti_alloc_zeroed(context, is_narrow ? entries * sizeof(uint32_t) + BEHIND
                                                         : entries * sizeof(uint64_t));
    if (!decoder->table)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a decoder's table");
    if (is_narrow)
        fill_narrow(book, zti_isa_of(context), bits, decoder->table);
    else
        fill_wide(book, bits, decoder->table);
    return ZT_OK;
}

void zti_huffman_decoder_free(zt_context *context, struct zti_huffman_decoder *decoder)
{
    zti_release(context, decoder->table);
    memset(decoder, 0, sizeof *decoder);
}

/* Decode a book whose codes have no bits. */
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
