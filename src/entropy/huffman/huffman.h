/* huffman.h: Huffman coding of symbols below 65,536, for whoever has symbols in 16 bits: counting
 * them, making a codebook, storing it, and coding parts that decode on their own.
 *
 *     histogram -> codebook -> codes          symbols [a, b) of any part -> bits
 *     table     -> codebook -> decoder        bits -> symbols, up to four parts at a time
 *
 * The code is canonical: symbols in order of (length, symbol) have consecutive codes, and shorter
 * codes are numerically smaller prefixes. A code stands in the bit stream (bits.h) with its most
 * significant bit first; codes are kept reversed, so that appending one is a shift and an or.
 * A book of one symbol has codes of no bits at all; every other book is complete: any bits are
 * symbols.
 *
 * Everything here is a function of its arguments: no instance, no dealing of parts to threads
 * changes a bit. Nothing but the functions that take a context allocates. */
#ifndef ZTI_HUFFMAN_HUFFMAN_H
#define ZTI_HUFFMAN_HUFFMAN_H

#include "bits/bits.h"

enum {
    ZTI_HUFFMAN_MAX_ALPHABET = 65536,
    ZTI_HUFFMAN_MAX_BITS = 16, /* of a code; 15 where the alphabet has at most 4096 symbols */
    ZTI_HUFFMAN_PARTS = 4,     /* that the decoder interleaves */
    ZTI_HUFFMAN_WINDOW = 256   /* symbols whose codes fit vector registers */
};

/* Symbols in 1, 2 or 4 bytes each, at somebody's. */
struct zti_symbols {
    void *data;     /* only read when encoding */
    uint32_t bytes; /* of a symbol */
    uint64_t count;
    uint32_t alphabet;
};

/* ---- histogram.c: how often each symbol occurs ----------------------------------------------- */

/* Bytes of a tally of symbols below alphabet. It is valid when zeroed and aligned to 8 bytes; each
 * thread fills one of its own. */
size_t zti_histogram_bytes(uint32_t alphabet);

/* Count n symbols, all below alphabet (not checked). Up to 2^64 - 1 in all. */
void zti_histogram_add(void *tally, uint32_t alphabet, const uint16_t *symbols, size_t n);

/* Add numbers of symbols that were counted elsewhere: alphabet of them. */
void zti_histogram_add_counts(void *tally, uint32_t alphabet, const uint64_t *counts);

/* Add a tally to another. 'from' stays as it is. */
void zti_histogram_merge(void *into, uint32_t alphabet, const void *from);

/* The totals: alphabet of them. They are part of the tally, and settled by this call. */
const uint64_t *zti_histogram_counts(void *tally, uint32_t alphabet);

/* ---- codebook.c: from counts, or from code lengths, to codes --------------------------------- */

/* A canonical code. Owned by who made it; zti_codebook_free. */
struct zti_codebook {
    uint32_t alphabet;
    uint32_t used;         /* symbols that have a code */
    uint32_t longest;      /* bits of the longest code; 0 where used <= 1 */
    uint8_t *lengths;      /* [alphabet]: bits of each symbol's code, 0 where it has none */
    uint32_t *codes;       /* [alphabet]: the code in stream order in bits 0-15, length << 16 */
    uint16_t *order;       /* [used]: symbols by (length, symbol) */
    uint32_t window_first; /* symbols from this on are in the window */
    bool has_window;       /* nearly all symbols of a text are in the window */
    uint8_t window_low[ZTI_HUFFMAN_WINDOW];   /* codes of those: bits 0-7 */
    uint8_t window_high[ZTI_HUFFMAN_WINDOW];  /* and 8-15 */
    uint8_t window_bits[ZTI_HUFFMAN_WINDOW];  /* and their lengths */
    uint32_t first[ZTI_HUFFMAN_MAX_BITS + 2]; /* [l]: the first code of l bits */
    uint32_t entry[ZTI_HUFFMAN_MAX_BITS + 2]; /* [l]: how many codes are shorter than l bits */
};

/* The limit of code lengths that goes with an alphabet: 15, or 16 above 4096 symbols. */
static inline uint32_t zti_codebook_limit(uint32_t alphabet)
{
    return alphabet > 4096 ? 16 : 15;
}

/* The book of least total length, no code longer than zti_codebook_limit; symbols whose count is 0
 * get no code. All counts together are below 2^64. ZT_BAD_ARG for an alphabet of 0 or above 65,536;
 * ZT_NO_MEMORY. */
zt_status zti_codebook_build(zt_context *context, const uint64_t *counts, uint32_t alphabet,
                             struct zti_codebook *book);

void zti_codebook_free(zt_context *context, struct zti_codebook *book);

/* Bits that symbols with these counts take in this book; UINT64_MAX where one that occurs has no
 * code. */
uint64_t zti_codebook_cost_bits(const struct zti_codebook *book, const uint64_t *counts);

/* ---- table.c: a codebook's code lengths as bits ---------------------------------------------- */

/* Bits that zti_codebook_put appends: about 2.5 a used symbol, and some 20 a gap. */
uint64_t zti_codebook_stored_bits(const struct zti_codebook *book);

/* Append the table. The writer's buffer has room for it and the margin. */
void zti_codebook_put(const struct zti_codebook *book, struct zti_bit_writer *writer);

/* Read a table and make its book. Looks at no byte beyond that of the reader's last bit (no margin
 * is needed). ZT_CORRUPT, with a sentence, where the table is cut short, oversubscribed, incomplete
 * or names symbols that are not in the alphabet; ZT_NO_MEMORY. */
zt_status zti_codebook_take(zt_context *context, struct zti_bit_reader *reader, uint32_t alphabet,
                            struct zti_codebook *book);

/* ---- encode.c: symbols to bits --------------------------------------------------------------- */

/* Append the codes of n symbols, which all have one. The writer's buffer has room for
 * n * book->longest bits and the margin. isa: zt_isa; the bits are the same for each. */
void zti_huffman_encode(const struct zti_codebook *book, uint32_t isa, const uint16_t *symbols,
                        size_t n, struct zti_bit_writer *writer);

/* The bits that this would append. */
uint64_t zti_huffman_bits(const struct zti_codebook *book, const uint16_t *symbols, size_t n);

/* ---- merge.c: the same bits by reduce-merge and shuffle-merge -------------------------------- */

/* The reduction factor for codes of this mean length: 2^r codes are expected to fill between half a
 * word of 32 bits and a whole one. total_bits and symbols (> 0) are of all that is coded. */
uint32_t zti_merge_factor(uint64_t total_bits, uint64_t symbols);

/* The same where symbols are not counted: for the mean length of symbols that occur as often as
 * the lengths of their codes say, 2^-length. */
uint32_t zti_merge_factor_of(const struct zti_codebook *book);

/* Code a chunk of 2^magnitude symbols (magnitude <= 16) with reduction factor r <= magnitude in a
 * room of zti_merge_room_words(magnitude) words. Returns where in it the chunk is: *bits bits, bit
 * 0 of word 0 first, the rest of the last word zero. *breaking: how many units of 2^r codes have
 * more than 32 bits. */
const uint32_t *zti_merge_chunk(const struct zti_codebook *book, const uint16_t *symbols,
                                uint32_t magnitude, uint32_t r, uint32_t *room, uint64_t *bits,
                                uint32_t *breaking);
size_t zti_merge_room_words(uint32_t magnitude);

/* ---- decode.c: bits to symbols --------------------------------------------------------------- */

struct zti_huffman_decoder {
    const struct zti_codebook *book;
    void *table; /* [2^table_bits], see decode.c */
    uint32_t table_bits;
    bool is_narrow; /* of 32 bits an entry, else 64 */
};

/* Make a decoder for a book, which must outlive it. ZT_NO_MEMORY. */
zt_status zti_huffman_decoder_make(zt_context *context, const struct zti_codebook *book,
                                   struct zti_huffman_decoder *decoder);
void zti_huffman_decoder_free(zt_context *context, struct zti_huffman_decoder *decoder);

/* A run of codes that decodes on its own. */
struct zti_huffman_part {
    uint64_t at;   /* bit position of the next code, from the buffer's first bit */
    uint64_t end;  /* no code reaches beyond it */
    uint16_t *out; /* room for symbols and no more */
    size_t symbols;
};

/* Decode up to ZTI_HUFFMAN_PARTS parts of a buffer at once: four are faster than one after another.
 * No byte outside of buffer[0 .. buffer_bytes) is read, whatever the parts say, and nothing but the
 * parts' symbols is written. False where a part ran out of bits, ended outside of the buffer, or
 * (a book without symbols) holds what is no code; the symbols are then undefined. Afterwards 'at'
 * is where each part's last code ends: the caller compares it with what it knows.
 *
 * Give as much of the buffer as is there, not only the parts: in its last 216 bits decoding is by a
 * symbol at a time. */
bool zti_huffman_decode(const struct zti_huffman_decoder *decoder, uint32_t isa,
                        const uint8_t *buffer, size_t buffer_bytes, struct zti_huffman_part *parts,
                        uint32_t part_count);

#endif
