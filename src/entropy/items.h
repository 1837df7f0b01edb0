/* items.h: stores lists of small numbers: the code lengths of a Huffman table, the exponents of the
 * weights of an ANS table. Both change little from one symbol to the next. The functions are those
 * of the CPU and of kernels.
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

#include "entropy/bits_within.h"

enum { ZTI_ITEM_SYMBOL_BITS = 7 }; /* the most that a symbol takes */
enum { ZTI_ITEMS_NONE = 0, ZTI_ITEMS_ONE = 1, ZTI_ITEMS_LIST = 2 };

/* A destination for bits: a writer, or only a count. */
struct zti_items {
    struct zti_bit_writer *writer; /* NULL: count only */
    uint64_t bits;
};

/* Append the low n <= 56 bits of v. */
ZTI_STATIC void zti_items_field(struct zti_items *to, uint64_t v, uint32_t n)
{
    if (to->writer)
        zti_put_bits(to->writer, v, n);
    to->bits += n;
}

/* Bits of a symbol's number in an alphabet of n > 0. */
ZTI_STATIC uint32_t zti_symbol_bits(uint32_t n)
{
    return zti_bit_length64(n - 1);
}

/* ---- the beginning of a table ---- */

enum { ZTI_ITEMS_KIND_BITS = 2 };

/* Append the beginning of a table in which 'used' symbols of the alphabet occur; if used is 1, the
 * symbol is 'only'. */
ZTI_STATIC void zti_items_write_kind(struct zti_items *to, uint32_t used, uint32_t only,
                                     uint32_t alphabet)
{
    zti_items_field(to, used < ZTI_ITEMS_LIST ? used : (uint32_t)ZTI_ITEMS_LIST,
                    ZTI_ITEMS_KIND_BITS);
    if (used == ZTI_ITEMS_ONE)
        zti_items_field(to, only, zti_symbol_bits(alphabet));
}

/* Read the beginning of a table. Returns NULL, or what is wrong, for a message. */
ZTI_STATIC const char *zti_items_read_kind(struct zti_bit_reader *r, uint32_t alphabet,
                                           uint32_t *kind, uint32_t *only)
{
    *kind = zti_get_within(r, ZTI_ITEMS_KIND_BITS);
    *only = *kind == ZTI_ITEMS_ONE ? zti_get_within(r, zti_symbol_bits(alphabet)) : 0;
    return *kind > ZTI_ITEMS_LIST ? "is of no known kind"
           : *only >= alphabet    ? "names a symbol that is not in the alphabet"
                                  : NULL;
}

/* ---- lists ---- */

enum { ZTI_ITEM_STEP_BITS = 3, ZTI_ITEM_NUMBER_BITS = 7, ZTI_ITEM_RUN_BITS = 4 }; /* without n */

ZTI_STATIC uint32_t zti_gamma_bits(uint32_t n)
{
    return 2 * zti_bit_length64(n) - 1;
}

/* At most 33 bits. */
ZTI_STATIC void zti_items_write_gamma(struct zti_items *to, uint32_t n)
{
    const uint32_t low = zti_bit_length64(n) - 1;
    zti_items_field(to,
                    UINT64_C(1) << low | (uint64_t)(n & ((UINT32_C(1) << low) - 1)) << (low + 1),
                    2 * low + 1);
}

ZTI_STATIC void zti_items_write_number(struct zti_items *to, uint32_t number, uint32_t before)
{
    if (number == before)
        zti_items_field(to, 0, 1);
    else if (number == before + 1)
        zti_items_field(to, 5, ZTI_ITEM_STEP_BITS); /* 1 0 1 */
    else if (number + 1 == before)
        zti_items_field(to, 1, ZTI_ITEM_STEP_BITS); /* 1 0 0 */
    else
        zti_items_field(to, 3 | (number - 1) << 3, ZTI_ITEM_NUMBER_BITS);
}

/* Append a list of n numbers; 'before' is the number before the first symbol. */
ZTI_STATIC void zti_items_write(struct zti_items *to, const uint8_t *numbers, uint32_t n,
                                uint32_t before)
{
    for (uint32_t s = 0; s < n;) {
        const uint32_t number = numbers[s];
        uint32_t run = 1;
        while (s + run < n && numbers[s + run] == number)
            run++;
        s += run;
        if (number == 0) {
            zti_items_field(to, 7, ZTI_ITEM_RUN_BITS); /* 1 1 1 0 */
            zti_items_write_gamma(to, run);
            continue;
        }
        if (number != before) {
            zti_items_write_number(to, number, before);
            before = number;
            run--;
        }
        if (run > ZTI_ITEM_RUN_BITS + zti_gamma_bits(run)) {
            zti_items_field(to, 15, ZTI_ITEM_RUN_BITS);
            zti_items_write_gamma(to, run);
            continue;
        }
        zti_items_field(to, 0, run); /* at most 11: a longer run is shorter as its own item */
    }
}

/* Read a number in gamma code; 0 if it is above 65,536. bits: the next ones. */
ZTI_STATIC uint32_t zti_items_read_gamma(struct zti_bit_reader *r, uint64_t bits)
{
    const uint32_t low = bits & 0x1ffff ? zti_ctz64(bits) : 17;
    r->at += low < 17 ? 2 * low + 1 : low;
    const uint32_t rest = (uint32_t)(bits >> (low + 1)) & ((UINT32_C(1) << low) - 1);
    const uint32_t n = low < 17 ? UINT32_C(1) << low | rest : 0;
    return n <= 65536 ? n : 0;
}

/* Read an item: sets the number, returns how many symbols have it; 0 if the item is invalid or the
 * number above 16. Bits beyond the reader's end are zeros, so the caller checks zti_is_past_end. */
ZTI_STATIC uint32_t zti_items_read(struct zti_bit_reader *r, uint32_t before, uint32_t *number)
{
    const uint64_t bits = zti_peek_within(r); /* an item has at most 37 */
    *number = before;
    if (!(bits & 1)) {
        r->at++;
        return 1;
    }
    if (!(bits & 2)) {
        r->at += ZTI_ITEM_STEP_BITS;
        *number = bits & 4 ? before + 1 : before - 1;
        return *number > 0 && *number <= 16;
    }
    if (!(bits & 4)) {
        r->at += ZTI_ITEM_NUMBER_BITS;
        *number = (uint32_t)(bits >> 3 & 15) + 1;
        return 1;
    }
    r->at += ZTI_ITEM_RUN_BITS;
    if (!(bits & 8))
        *number = 0;
    return zti_items_read_gamma(r, bits >> ZTI_ITEM_RUN_BITS);
}

#endif
