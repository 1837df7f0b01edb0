/* items.h: lists of small numbers as bits: the code lengths of a Huffman table, the exponents of
 * the weights of an ANS table. Both change little from one symbol to the next.
 *
 * A list has a number from 0 to 16 for each symbol; 0 says that the symbol does not occur. Bits,
 * first one left:
 *
 *   0           as the symbol before it that occurs
 *   1 0 d       one more (d = 1) or less (d = 0) than that
 *   1 1 0 xxxx  x + 1
 *   1 1 1 0 n   n symbols that do not occur
 *   1 1 1 1 n   n symbols as the one before that occurs
 *
 * n is 1 to 65,536 in Elias's gamma code: as many zeros as it has bits after its leading one, a
 * one, and these bits. Fields are least significant bit first, as everywhere. What "the one before"
 * is in the beginning, and where a list ends, is the table's business.
 *
 * A table begins with two bits that say what there is: no symbol that occurs; one, whose number
 * follows, in as many bits as the largest number of the alphabet has; or a list. */
#ifndef ZTI_ITEMS_H
#define ZTI_ITEMS_H

#include "bits/bits.h"

enum { ZTI_ITEM_SYMBOL_BITS = 7 }; /* the most that a symbol takes */
enum { ZTI_ITEMS_NONE = 0, ZTI_ITEMS_ONE = 1, ZTI_ITEMS_LIST = 2 };

/* Where bits go: to a writer, or nowhere, to be counted. */
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

/* Append how a table begins: 'used' symbols of an alphabet occur; where that is one, it is 'only'.
 */
void zti_items_put_kind(struct zti_items *to, uint32_t used, uint32_t only, uint32_t alphabet);

/* Read how a table begins. Returns NULL, or what is wrong with it. */
const char *zti_items_take_kind(struct zti_bit_reader *reader, uint32_t alphabet, uint32_t *kind,
                                uint32_t *only);

/* Append the list of n numbers; 'before' is what stands before it. */
void zti_items_put(struct zti_items *to, const uint8_t *numbers, uint32_t n, uint32_t before);

/* Read an item: the number that it gives, and how many symbols have it; 0 where it makes no sense
 * or the number is above 16. Beyond the reader's end bits are zeros: the caller looks at
 * reader->at. */
uint32_t zti_items_take(struct zti_bit_reader *reader, uint32_t before, uint32_t *number);

/* Bits of the largest number below n, n > 0: what a symbol's number takes. */
uint32_t zti_symbol_bits(uint32_t n);

#endif
