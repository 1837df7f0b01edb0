/* items.h: stores lists of small numbers: the code lengths of a Huffman table, the exponents of the
 * weights of an ANS table. Both change little from one symbol to the next.
 *
 * A list has a number from 0 to 16 for each symbol; 0: the symbol does not occur. It is stored as
 * items, the first bit written leftmost:
 *
 *   0           the same number as the last symbol that occurs
 *   1 0 d       one more (d = 1) or less (d = 0) than that
 *   1 1 0 xxxx  x + 1
 *   1 1 1 0 n   n symbols that do not occur
 *   1 1 1 1 n   n symbols with the same number as the last one that occurs
 *
 * n is 1 to 65,536 in Elias's gamma code: as many zeros as n has bits after its leading one, a one,
 * and these bits. Fields are least significant bit first. Each kind of table defines the number
 * before the first symbol, and where its list ends.
 *
 * A table begins with two bits: no symbol occurs; one symbol, which follows in as many bits as the
 * alphabet's largest symbol has; or a list. */
#ifndef ZTI_ITEMS_H
#define ZTI_ITEMS_H

#include "bits/bits.h"

enum { ZTI_ITEM_SYMBOL_BITS = 7 }; /* the most that a symbol takes */
enum { ZTI_ITEMS_NONE = 0, ZTI_ITEMS_ONE = 1, ZTI_ITEMS_LIST = 2 };

/* A destination for bits: a writer, or only a count. */
struct zti_items {
    struct zti_bit_writer *writer; /* NULL: count only */
    uint64_t bits;
};

/* Append the low n <= 56 bits of v. */
static inline void zti_items_field(struct zti_items *to, uint64_t v, uint32_t n)
{
    if (to->writer)
        zti_put_bits(to->writer, v, n);
    to->bits += n;
}

/* Append the beginning of a table in which 'used' symbols of the alphabet occur; if used is 1, the
 * symbol is 'only'. */
void zti_items_write_kind(struct zti_items *to, uint32_t used, uint32_t only, uint32_t alphabet);

/* Read the beginning of a table. Returns NULL, or what is wrong, for a message. */
const char *zti_items_read_kind(struct zti_bit_reader *reader, uint32_t alphabet, uint32_t *kind,
                                uint32_t *only);

/* Append a list of n numbers; 'before' is the number before the first symbol. */
void zti_items_write(struct zti_items *to, const uint8_t *numbers, uint32_t n, uint32_t before);

/* Read an item: sets the number, returns how many symbols have it; 0 if the item is invalid or the
 * number above 16. Bits beyond the reader's end are zeros, so the caller checks reader->at. */
uint32_t zti_items_read(struct zti_bit_reader *reader, uint32_t before, uint32_t *number);

/* Bits of a symbol's number in an alphabet of n > 0. */
uint32_t zti_symbol_bits(uint32_t n);

#endif
