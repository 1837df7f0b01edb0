/* huffman.h: Huffman coding of symbols of 16 bits: counts them, builds a codebook, stores it, and
 * codes parts that can be decoded independently.
 *
 *     histogram -> codebook -> codes          symbols [a, b) of any part -> bits
 *     table     -> codebook -> decoder        bits -> symbols, up to four parts at a time
 *
 * The code is canonical: symbols in order of (length, symbol) have consecutive codes, and shorter
 * codes are numerically smaller prefixes. A code is written to the bit stream (bits.h) most
 * significant bit first; codes are stored reversed, so that appending one is a shift and an or. A
 * book of one symbol has a code of no bits; every other book is complete: any bits decode to
 * symbols.
 *
 * Results depend on the arguments only: all instances and all distributions of parts over threads
 * give the same bits. Only functions that take a context allocate. */
#ifndef ZTI_HUFFMAN_HUFFMAN_H
#define ZTI_HUFFMAN_HUFFMAN_H

#include "bits/bits.h"

enum {
    ZTI_HUFFMAN_MAX_ALPHABET = 65536,
    ZTI_HUFFMAN_MAX_BITS = 16, /* of a code; 15 if the alphabet has at most 4096 symbols */
    ZTI_HUFFMAN_PARTS = 4,     /* parts that the decoder interleaves */
    ZTI_HUFFMAN_WINDOW = 256   /* symbols whose codes fit vector registers */
};

/* An array of symbols of 1, 2 or 4 bytes, in the caller's memory. */
struct zti_symbols {
    void *data;     /* not written when encoding */
    uint32_t bytes; /* of a symbol */
    uint64_t count;
    uint32_t alphabet;
};

/* ---- histogram.c: how often each symbol occurs ----------------------------------------------- */

/* Bytes of a tally of symbols below alphabet. A tally is memory aligned to 8 bytes, zeroed at
 * first; each thread fills its own. */
size_t zti_histogram_bytes(uint32_t alphabet);

/* Count n symbols, all below alphabet (not checked); a tally counts up to 2^64 - 1. */
void zti_histogram_add(void *tally, uint32_t alphabet, const uint16_t *symbols, size_t n);

/* Add counts[alphabet] that were counted elsewhere. */
void zti_histogram_add_counts(void *tally, uint32_t alphabet, const uint64_t *counts);

/* Add tally 'from', which is not changed, to tally 'into'. */
void zti_histogram_merge(void *into, uint32_t alphabet, const void *from);

/* The totals, [alphabet]; they lie in the tally. */
const uint64_t *zti_histogram_counts(void *tally, uint32_t alphabet);

/* ---- codebook.c: from counts, or from code lengths, to codes --------------------------------- */

/* A canonical code. The caller frees it with zti_codebook_free. */
struct zti_codebook {
    uint32_t alphabet;
    uint32_t used;         /* number of symbols that have a code */
    uint32_t longest;      /* bits of the longest code; 0 where used <= 1 */
    uint8_t *lengths;      /* [alphabet]: bits of each symbol's code, 0 where it has none */
    uint32_t *codes;       /* [alphabet]: the code in stream order in bits 0-15, length << 16 */
    uint16_t *order;       /* [used]: symbols by (length, symbol) */
    uint32_t window_first; /* first symbol of the window */
    bool has_window;       /* nearly all symbols are expected in the window */
    uint8_t window_low[ZTI_HUFFMAN_WINDOW];   /* bits 0-7 of their codes */
    uint8_t window_high[ZTI_HUFFMAN_WINDOW];  /* bits 8-15 */
    uint8_t window_bits[ZTI_HUFFMAN_WINDOW];  /* lengths */
    uint32_t first[ZTI_HUFFMAN_MAX_BITS + 2]; /* [l]: the first code of l bits */
    uint32_t entry[ZTI_HUFFMAN_MAX_BITS + 2]; /* [l]: how many codes are shorter than l bits */
};

/* The longest code that an alphabet may have: 15 bits, or 16 above 4096 symbols. */
ZTI_STATIC uint32_t zti_codebook_limit(uint32_t alphabet)
{
    return alphabet > 4096 ? 16 : 15;
}

/* Build the book of least total length in which no code is longer than zti_codebook_limit; symbols
 * with a count of 0 get no code. The sum of counts is below 2^64. ZT_BAD_ARG for an alphabet of 0
 * or above 65,536; ZT_NO_MEMORY. */
zt_status zti_codebook_build(zt_context *context, const uint64_t *counts, uint32_t alphabet,
                             struct zti_codebook *book);

void zti_codebook_free(zt_context *context, struct zti_codebook *book);

/* Bits that symbols with these counts take in this book; UINT64_MAX if a symbol that occurs has no
 * code. */
uint64_t zti_codebook_cost_bits(const struct zti_codebook *book, const uint64_t *counts);

/* ---- table.c: a codebook's code lengths as bits ---------------------------------------------- */

/* Bits that zti_codebook_write appends: about 2.5 for a used symbol, and 20 for a gap. */
uint64_t zti_codebook_stored_bits(const struct zti_codebook *book);

/* Append the table; the writer's buffer has room for it and the margin. */
void zti_codebook_write(const struct zti_codebook *book, struct zti_bit_writer *writer);

/* Read a table and make its book. Never reads a byte after that of the reader's last bit.
 * ZT_CORRUPT if the table is cut short, oversubscribed, incomplete or names symbols outside the
 * alphabet; ZT_NO_MEMORY. */
zt_status zti_codebook_load(zt_context *context, struct zti_bit_reader *reader, uint32_t alphabet,
                            struct zti_codebook *book);

/* ---- encode.c: symbols to bits --------------------------------------------------------------- */

/* Append the codes of n symbols, which all have one. The writer's buffer has room for
 * n * book->longest bits and the margin. isa: zt_isa; the bits are the same for each. */
void zti_huffman_encode(const struct zti_codebook *book, uint32_t isa, const uint16_t *symbols,
                        size_t n, struct zti_bit_writer *writer);

/* The number of bits that zti_huffman_encode would append. */
uint64_t zti_huffman_bits(const struct zti_codebook *book, const uint16_t *symbols, size_t n);

/* ---- merge.c: the same bits by reduce-merge and shuffle-merge -------------------------------- */

/* The reduction factor r for codes of mean length total_bits / symbols (symbols > 0): 2^r codes are
 * expected to fill between half of a 32-bit word and all of it. */
uint32_t zti_merge_factor(uint64_t total_bits, uint64_t symbols);

/* As zti_merge_factor, if symbols are not counted: a symbol whose code has l bits is assumed to
 * occur with frequency 2^-l. */
uint32_t zti_merge_factor_of(const struct zti_codebook *book);

/* Code a chunk of 2^magnitude symbols (magnitude <= 16) with reduction factor r <= magnitude. room
 * has zti_merge_room_words(magnitude) words; returns the chunk's place in it: *bits bits, bit 0 of
 * word 0 first, the rest of the last word zero. *breaking: the number of units of 2^r codes that
 * have more than 32 bits. */
const uint32_t *zti_merge_chunk(const struct zti_codebook *book, const uint16_t *symbols,
                                uint32_t magnitude, uint32_t r, uint32_t *room, uint64_t *bits,
                                uint32_t *breaking);
size_t zti_merge_room_words(uint32_t magnitude);

/* ---- decode.c: bits to symbols --------------------------------------------------------------- */

struct zti_huffman_decoder {
    const struct zti_codebook *book;
    void *table; /* [2^table_bits], see decode.c */
    uint32_t table_bits;
    bool is_narrow; /* entries have 32 bits, else 64 */
};

/* Make a decoder for a book, which must outlive it. symbols: about how many it will decode; for few
 * a small table is filled. ZT_NO_MEMORY. */
zt_status zti_huffman_decoder_make(zt_context *context, const struct zti_codebook *book,
                                   uint64_t symbols, struct zti_huffman_decoder *decoder);
void zti_huffman_decoder_free(zt_context *context, struct zti_huffman_decoder *decoder);

/* A run of codes that can be decoded independently. */
struct zti_huffman_part {
    uint64_t at;   /* bit position of the next code, from the buffer's first bit */
    uint64_t end;  /* no code reaches beyond it */
    uint16_t *out; /* room for symbols and no more */
    size_t symbols;
};

/* Decode up to ZTI_HUFFMAN_PARTS parts of a buffer in turns, which is faster than one after
 * another. Reads no byte outside of buffer[0 .. buffer_bytes), whatever the parts say, and writes
 * nothing but their symbols. False if a part runs out of bits, ends outside of the buffer, or has
 * symbols though the book has none; the symbols are then undefined. Afterwards 'at' is where each
 * part's last code ends, which the caller checks.
 *
 * Pass the whole buffer, not only the parts: the last 216 bits of a buffer are decoded one symbol
 * at a time. */
bool zti_huffman_decode(const struct zti_huffman_decoder *decoder, uint32_t isa,
                        const uint8_t *buffer, size_t buffer_bytes, struct zti_huffman_part *parts,
                        uint32_t part_count);

#endif
