/* spec.h: the rules of efforts fast and default and of the published cuSZ coder, as functions for
 * the CPU and for kernels: groups of a tile's values, codes of numbers, lists and classes, forms of
 * tiles. zti_bit_reader is that of the CPU or of kernels. */
#ifndef ZTI_SZ_LORENZO_SPEC_H
#define ZTI_SZ_LORENZO_SPEC_H

#include "codec/sz/spec.h"

enum {
    ZTI_SZ_NUMBER_BITS = 6,   /* bits of a number's length */
    ZTI_SZ_CLASS_ESCAPE = 15, /* zeros before a class that is written unchanged, */
    ZTI_SZ_CLASS_BITS = 7     /* in this many bits */
};

/* ---- groups of a tile's values --------------------------------------------------------------- */

/* The number of groups of n values, and the number of values in group g. */
ZTI_STATIC uint32_t groups_in(uint32_t n)
{
    return (n + ZTI_SZ_GROUP - 1) / ZTI_SZ_GROUP;
}

ZTI_STATIC uint32_t in_group(uint32_t n, uint32_t g)
{
    const uint32_t first = g * ZTI_SZ_GROUP;
    return first >= n ? 0 : n - first < ZTI_SZ_GROUP ? n - first : (uint32_t)ZTI_SZ_GROUP;
}

/* Groups may be blocks of 8 x 8, 4 x 4 x 4 or 2 x 2 x 4 x 4 values along the axes with an extent
 * above 1. Returns log2 of a block's side along one of these axes, after which 'after' others
 * follow. */
ZTI_STATIC uint32_t group_side_bits(uint32_t axes, uint32_t after)
{
    return axes == 2 ? 3 : axes == 3 || after < 2 ? 2 : 1;
}

/* With the cuSZ coder, differences along each axis restart at multiples of this many values, by the
 * array's rank; with others only at the tile's start: 0. */
ZTI_STATIC uint32_t block_side(uint32_t coder, uint32_t rank)
{
    return coder != ZTI_SZ_CUSZ ? 0 : rank == 1 ? 256 : rank == 2 ? 16 : 8;
}

/* The bits of a coordinate that are 0 at a restart. */
ZTI_STATIC uint32_t restart_bits(uint32_t coder, uint32_t rank)
{
    const uint32_t side = block_side(coder, rank);
    return side > 0 ? side - 1 : UINT32_MAX;
}

/* ---- numbers without a limit ----------------------------------------------------------------- */

/* v + 1 = 2^n + rest; n is in 6 bits, the rest in n. */
ZTI_STATIC uint32_t number_rest_bits(uint64_t v)
{
    return zti_bit_length64(v + 1) - 1;
}

ZTI_STATIC uint64_t number_rest(uint64_t v, uint32_t n)
{
    return v + 1 - (UINT64_C(1) << n);
}

ZTI_STATIC uint32_t number_bits(uint64_t v)
{
    return ZTI_SZ_NUMBER_BITS + number_rest_bits(v);
}

ZTI_STATIC uint64_t read_number(struct zti_bit_reader *r)
{
    const uint32_t n = (uint32_t)zti_get_bits(r, ZTI_SZ_NUMBER_BITS);
    return (UINT64_C(1) << n) - 1 + zti_get_bits64(r, n);
}

/* The code of a value: v zeros and a 1; if v > 11, 12 zeros and the rest as a number. Its bits: */
ZTI_STATIC uint32_t value_bits(uint64_t v)
{
    return v < ZTI_SZ_ROUNDS ? (uint32_t)v + 1 : ZTI_SZ_ROUNDS + number_bits(v - ZTI_SZ_ROUNDS);
}

ZTI_STATIC uint64_t read_value(struct zti_bit_reader *r)
{
    enum { PEEKED = 57, BEFORE = (int)ZTI_SZ_ROUNDS + (int)ZTI_SZ_NUMBER_BITS };
    const uint64_t bits = zti_peek_bits(r);
    const uint32_t zeros = zti_ctz64(bits | UINT64_C(1) << ZTI_SZ_ROUNDS);
    if (zeros < ZTI_SZ_ROUNDS) {
        r->at += zeros + 1;
        return zeros;
    }
    const uint32_t n = (uint32_t)(bits >> ZTI_SZ_ROUNDS) & ((1u << ZTI_SZ_NUMBER_BITS) - 1);
    if (BEFORE + n <= PEEKED) { /* one look is enough */
        r->at += BEFORE + n;
        return zeros + (UINT64_C(1) << n) - 1 + (bits >> BEFORE & ((UINT64_C(1) << n) - 1));
    }
    r->at += ZTI_SZ_ROUNDS;
    return zeros + read_number(r);
}

/* ---- lists of the values other than 0 in a group --------------------------------------------- */

/* Parameter of the Rice code of gaps in a list of 'count' values, 0 to 16; its power of two is
 * about the mean gap. */
ZTI_STATIC uint32_t gap_bits_of(uint32_t count)
{
    return count == 16 ? 1 : (uint32_t)(UINT64_C(0x1112222223334455) >> 4 * count & 15);
}

/* Read the gap before the next value of a list of 'count'. */
ZTI_STATIC uint32_t read_gap(struct zti_bit_reader *r, uint32_t count)
{
    const uint32_t k = gap_bits_of(count);
    const uint64_t bits = zti_peek_bits(r);
    const uint32_t zeros = zti_ctz64(bits | UINT64_C(1) << 32);
    r->at += zeros + 1 + k;
    return (zeros << k) + ((uint32_t)(bits >> (zeros + 1)) & ((1u << k) - 1));
}

/* ---- classes of groups ----------------------------------------------------------------------- */

/* The largest class of integers of 'bits' bits. */
ZTI_STATIC uint32_t class_most(uint32_t bits)
{
    return ZTI_SZ_FEW + 1 + bits;
}

/* The most values of a list. */
ZTI_STATIC uint32_t list_most(bool is_coded)
{
    return is_coded ? ZTI_SZ_SPARSE_CODED : ZTI_SZ_SPARSE;
}

ZTI_STATIC bool is_list(uint32_t c)
{
    return c <= ZTI_SZ_SPARSE;
}

/* The most values of a group of n, not a list, that may have more bits than its planes: 0.618 n,
 * from which on another plane saves bits for a geometric distribution (Gallager and van Voorhis
 * 1975). */
ZTI_STATIC uint32_t longer_most(uint32_t n)
{
    return n * ZTI_SZ_LONGER_MOST / ZTI_SZ_GROUP;
}

/* The class of a group with 'some' values other than 0, for which k planes are best. */
ZTI_STATIC uint32_t class_of_planes(uint32_t k, uint32_t some)
{
    return k == 0 && some <= ZTI_SZ_FEW_MOST ? (uint32_t)ZTI_SZ_FEW : class_most(k);
}

/* The planes of a group by its class: with unary codes, and (class_shift) with Huffman codes. */
ZTI_STATIC uint32_t class_planes(uint32_t c)
{
    return c > ZTI_SZ_FEW ? c - ZTI_SZ_FEW - 1 : 0;
}

ZTI_STATIC uint32_t class_shift(uint32_t c)
{
    const uint32_t k = class_planes(c);
    return k > 1 ? k - 1 : 0;
}

ZTI_STATIC uint32_t planes_of(uint32_t c, bool is_coded)
{
    return is_coded ? class_shift(c) : class_planes(c);
}

/* An estimate of the bits that Huffman codes replace: those above the planes of n values that take
 * rice_bits in Rice codes. */
ZTI_STATIC uint32_t bits_above(uint32_t rice_bits, uint32_t n, uint32_t c)
{
    return rice_bits + n * (1 - class_shift(c));
}

/* The book of a class that is not a list. */
ZTI_STATIC uint32_t book_of(uint32_t c)
{
    return c - ZTI_SZ_FEW < ZTI_SZ_BOOKS - 2 ? c - ZTI_SZ_FEW + 1 : (uint32_t)ZTI_SZ_BOOKS - 1;
}

/* The bits of each value in a book's symbols, and the largest number in these; it means so much or
 * more. */
ZTI_STATIC uint32_t symbol_bits(uint32_t book)
{
    return book > 1 ? 4 : 2;
}

ZTI_STATIC uint32_t symbol_most(uint32_t book)
{
    return (1u << symbol_bits(book)) - 1;
}

/* The number of symbols for 'values' values of a group. */
ZTI_STATIC uint32_t symbols_in(uint32_t values, uint32_t book)
{
    return (values * symbol_bits(book) + 7) / 8;
}

/* Class numbers leave out the classes that Huffman codes do not use. */
ZTI_STATIC uint32_t class_number(uint32_t c)
{
    return is_list(c) ? c : c - (ZTI_SZ_SPARSE - ZTI_SZ_SPARSE_CODED);
}

/* A negative number is no valid class either. */
ZTI_STATIC uint32_t class_of_number(uint32_t number)
{
    return (int32_t)number <= ZTI_SZ_SPARSE_CODED ? number
                                                  : number + (ZTI_SZ_SPARSE - ZTI_SZ_SPARSE_CODED);
}

/* The step from a class (or class number) to the next: the difference, folded; and the inverse. */
ZTI_STATIC uint32_t class_step(uint32_t c, uint32_t before)
{
    return ZTI_SZ_FOLDED(c - before, 32);
}

ZTI_STATIC uint32_t class_after(uint32_t step, uint32_t before)
{
    return before + ZTI_SZ_UNFOLDED(step);
}

/* The symbol of a class, given the class before. */
ZTI_STATIC uint32_t class_symbol(uint32_t c, uint32_t before)
{
    return class_step(class_number(c), class_number(before));
}

/* The Rice code of v with k low bits. */
ZTI_STATIC struct zti_sz_code rice_code(uint32_t v, uint32_t k)
{
    const uint32_t zeros = v >> k;
    return code_of((UINT64_C(1) | (uint64_t)(v & ((1u << k) - 1)) << 1) << zeros, zeros + 1 + k);
}

/* The parameter of the Rice code of the step to a class. */
ZTI_STATIC uint32_t class_bits(uint32_t before)
{
    return before > ZTI_SZ_SPARSE ? 0 : before > 4 ? 2 : 1;
}

/* The code of a class, given the class before: after class 0, Elias's gamma code; else the step in
 * a Rice code, or, if that has more than 14 zeros, 15 zeros and 7 bits of the class. */
ZTI_STATIC struct zti_sz_code class_code(uint32_t c, uint32_t before)
{
    if (before == 0) {
        const uint32_t n = zti_bit_length64((uint64_t)c + 1) - 1;
        return code_of((UINT64_C(1) | (uint64_t)(c + 1 - (1u << n)) << 1) << n, 2 * n + 1);
    }
    const uint32_t k = class_bits(before), d = class_step(c, before);
    if (d >> k < ZTI_SZ_CLASS_ESCAPE)
        return rice_code(d, k);
    return code_of((uint64_t)c << ZTI_SZ_CLASS_ESCAPE, ZTI_SZ_CLASS_ESCAPE + ZTI_SZ_CLASS_BITS);
}

/* The class at the start of the next 32 bits, and the length of its code. Any bits give a number;
 * the caller compares it with the largest class. */
ZTI_STATIC uint32_t class_in(uint32_t bits, uint32_t before, uint32_t *length)
{
    const uint32_t zeros = zti_ctz32(bits | 1u << ZTI_SZ_CLASS_ESCAPE);
    if (before == 0) {
        *length = 2 * zeros + 1;
        return (1u << zeros) - 1 + (bits >> zeros >> 1 & ((1u << zeros) - 1));
    }
    if (zeros == ZTI_SZ_CLASS_ESCAPE) {
        *length = ZTI_SZ_CLASS_ESCAPE + ZTI_SZ_CLASS_BITS;
        return bits >> ZTI_SZ_CLASS_ESCAPE & ((1u << ZTI_SZ_CLASS_BITS) - 1);
    }
    const uint32_t k = class_bits(before);
    *length = zeros + 1 + k;
    return class_after(zeros << k | (bits >> zeros >> 1 & ((1u << k) - 1)), before);
}

ZTI_STATIC uint32_t read_class(struct zti_bit_reader *r, uint32_t before)
{
    uint32_t length;
    const uint32_t c = class_in((uint32_t)zti_peek_bits(r), before, &length);
    r->at += length;
    return c;
}

/* ---- books, and symbols of the published cuSZ coder ------------------------------------------ */

enum { ZTI_SZ_CUSZ_PART = 1024 }; /* symbols of a part, whose place is known */

ZTI_STATIC uint32_t books_of(uint32_t coder)
{
    return coder == ZTI_SZ_FAST ? 0 : coder == ZTI_SZ_CUSZ ? 1 : (uint32_t)ZTI_SZ_BOOKS;
}

ZTI_STATIC uint32_t alphabet_of(const struct zti_sz *sz)
{
    return sz->coder == ZTI_SZ_CUSZ ? sz->bins : 256;
}

/* The most bytes of the books' tables: at most the bits of a length and of a gap for each
 * symbol. */
ZTI_STATIC uint64_t tables_most_bytes(const struct zti_sz *sz)
{
    return books_of(sz->coder) * (3 * (uint64_t)alphabet_of(sz) + 8);
}

ZTI_STATIC uint32_t cusz_parts(uint32_t n)
{
    return (n + ZTI_SZ_CUSZ_PART - 1) / ZTI_SZ_CUSZ_PART;
}

/* The symbol of a residual d of an unsigned type: d + bins / 2, or 0 if it is stored unchanged; and
 * the inverse. */
#define ZTI_SZ_CUSZ_SYMBOL(type, d, bins)                                                          \
    ((type)((type)((d) + (bins) / 2) - 1) < (type)((bins)-1) ? (uint32_t)((d) + (bins) / 2) : 0)

ZTI_STATIC int32_t cusz_residual(uint32_t symbol, uint32_t bins)
{
    return (int32_t)(symbol - bins / 2);
}

/* ---- forms of tiles -------------------------------------------------------------------------- */

/* Whether a tile's integers are in Huffman codes. Lossless tiles of a lossy stream are not, since
 * the books do not count them. */
ZTI_STATIC bool is_coded(uint32_t coder, uint32_t form)
{
    return coder != ZTI_SZ_FAST && !(form & ZTI_SZ_LOSSLESS);
}

/* Whether a tile is coded as cuSZ does. */
ZTI_STATIC bool is_cusz(uint32_t coder, uint32_t form)
{
    return coder == ZTI_SZ_CUSZ && is_coded(coder, form);
}

/* Whether the first integer is subtracted from all of a tile. */
ZTI_STATIC bool has_base(uint32_t coder)
{
    return coder != ZTI_SZ_CUSZ;
}

ZTI_STATIC bool has_residuals(uint32_t form)
{
    return (form & ZTI_SZ_KIND) == ZTI_SZ_NARROW || (form & ZTI_SZ_KIND) == ZTI_SZ_WIDE;
}

/* Whether integers are the bits of values, and whether a tile has marks of zeros and signs. */
ZTI_STATIC bool is_of_bits(const struct zti_sz *sz, uint32_t form)
{
    return sz->source == ZTI_SZ_BITS || (form & ZTI_SZ_LOSSLESS);
}

ZTI_STATIC bool has_marks(const struct zti_sz *sz, uint32_t form)
{
    return sz->source == ZTI_SZ_LOG && !(form & ZTI_SZ_LOSSLESS) &&
           (form & ZTI_SZ_KIND) != ZTI_SZ_RAW;
}

/* Whether integers are keys that values come back from bit for bit. */
ZTI_STATIC bool is_of_keys(const struct zti_sz *sz)
{
    return sz->source >= ZTI_SZ_DECIMALS;
}

/* Whether a tile that is not short is also tried from its bits. */
ZTI_STATIC bool may_be_lossless(const struct zti_sz *sz)
{
    return sz->source == ZTI_SZ_LATTICE || sz->source == ZTI_SZ_LOG || is_of_keys(sz);
}

/* Whether many of a tile's n values have no key. Then keys of bits are tried too. exact: how many
 * have none. */
ZTI_STATIC bool has_many_exact(const struct zti_sz *sz, uint32_t exact, uint32_t n)
{
    enum { PART = 16 };
    return is_of_keys(sz) && exact > n / PART;
}

/* Whether a tile is short: other ways to code it are not tried. */
ZTI_STATIC bool is_short(uint32_t bytes, uint32_t raw_bytes)
{
    return bytes < raw_bytes / 4 * 3;
}

/* A tile's first byte, and the number of bytes of its base, which is stored as its distance from
 * the centre, folded. */
ZTI_STATIC uint32_t base_bytes_of(uint64_t away)
{
    return (zti_bit_length64(away) + 7) / 8;
}

ZTI_STATIC uint32_t first_byte(uint32_t form, bool has_exact, uint32_t base_bytes)
{
    return form | (has_exact ? ZTI_SZ_HAS_EXACT : 0) | base_bytes << 4;
}

ZTI_STATIC uint32_t base_bytes_in(uint32_t first)
{
    return first >> 4;
}

/* The form of a tile whose integers are all the base. */
ZTI_STATIC uint32_t zero_form(uint32_t form)
{
    return (form & ZTI_SZ_LOSSLESS) | ZTI_SZ_ZERO;
}

/* The most bytes of a tile of n values. */
ZTI_STATIC uint32_t tile_most_bytes(uint32_t n, uint32_t value_bytes)
{
    return 1 + n * value_bytes;
}

/* Whether a tile of n values can begin with this byte. */
ZTI_STATIC bool is_first_byte(const struct zti_sz *sz, uint32_t n, uint32_t value_bytes,
                              uint32_t first)
{
    const uint32_t kind = first & ZTI_SZ_KIND;
    if (base_bytes_in(first) > 8 || base_bytes_in(first) > n * value_bytes)
        return false;
    if (kind == ZTI_SZ_RAW)
        return first == ZTI_SZ_RAW;
    if ((first & ZTI_SZ_LOSSLESS) && !may_be_lossless(sz))
        return false;
    if (kind == ZTI_SZ_WIDE)
        return value_bytes == 8;
    return !(is_of_bits(sz, first) && kind == ZTI_SZ_NARROW && value_bytes == 8);
}

#endif
