/* table.h: the stored table of a codebook: code lengths to bits and back, for the CPU and for
 * kernels.
 *
 * Only lengths are stored; codes follow from them. A table begins as items.h describes; a single
 * symbol has a code of no bits. The list has the lengths, symbol 0 first; the number before the
 * first is the alphabet's limit (15 or 16).
 *
 * The list ends where the code is complete: where the sum of 2^-length is 1; later symbols have no
 * code. So a table cannot be incomplete, and an oversubscribed one is refused at the item that
 * exceeds 1.
 *
 * The lengths of residuals fall towards the middle of the alphabet and rise again in small steps;
 * so a symbol takes 2 to 3 bits. */
#ifndef ZTI_HUFFMAN_TABLE_H
#define ZTI_HUFFMAN_TABLE_H

#include "entropy/huffman/huffman.h"
#include "entropy/items.h"

/* What a table says of a book. */
struct zti_lengths_table {
    uint32_t alphabet;
    uint32_t used;    /* symbols that have a code; of a table that was read and is a list: 0 */
    uint32_t only;    /* the symbol, if used is 1 */
    uint8_t *lengths; /* [alphabet]; before a table is read: zeros */
};

ZTI_STATIC void zti_table_write(const struct zti_lengths_table *t, struct zti_items *to)
{
    zti_items_write_kind(to, t->used, t->only, t->alphabet);
    if (t->used < 2)
        return;
    uint32_t end = t->alphabet; /* after the last symbol that has a code */
    while (t->lengths[end - 1] == 0)
        end--;
    zti_items_write(to, t->lengths, end, zti_codebook_limit(t->alphabet));
}

/* Read the lengths. Returns NULL, or what is wrong, for a message. */
ZTI_STATIC const char *zti_table_read_list(struct zti_bit_reader *r,
                                           const struct zti_lengths_table *t)
{
    const uint32_t limit = zti_codebook_limit(t->alphabet);
    const uint64_t whole = UINT64_C(1) << ZTI_HUFFMAN_MAX_BITS;
    uint32_t before = limit, length;
    uint64_t space = 0; /* sum of 2^-length so far, in units of 2^-16 */
    for (uint32_t s = 0; space < whole;) {
        const uint32_t n = zti_items_read(r, before, &length);
        if (zti_is_past_end(r))
            return "is cut short";
        if (n == 0 || length > limit)
            return "holds no valid code length";
        if (n > t->alphabet - s)
            return "has more code lengths than the alphabet has symbols, or is incomplete";
        memset(t->lengths + s, (int)length, n);
        s += n;
        if (length == 0)
            continue;
        space += (uint64_t)n << (ZTI_HUFFMAN_MAX_BITS - length);
        if (space > whole)
            return "is oversubscribed: its codes are not a prefix code";
        before = length;
    }
    return NULL;
}

/* Read a table. Returns NULL, or what is wrong, for a message. */
ZTI_STATIC const char *zti_table_read(struct zti_bit_reader *r, struct zti_lengths_table *t)
{
    uint32_t kind;
    const char *wrong = zti_items_read_kind(r, t->alphabet, &kind, &t->only);
    if (!wrong && kind == ZTI_ITEMS_LIST)
        wrong = zti_table_read_list(r, t);
    t->used = kind == ZTI_ITEMS_ONE;
    return !wrong && zti_is_past_end(r) ? "is cut short" : wrong;
}

#endif
