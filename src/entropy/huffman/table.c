/* table.c: the stored table of a codebook: code lengths to bits and back.
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
#include "entropy/bits_within.h"
#include "entropy/huffman/build.h"
#include "entropy/items.h"

/* ---- writing ---- */

static void write_table(const struct zti_codebook *book, struct zti_items *to)
{
    zti_items_write_kind(to, book->used, book->order[0], book->alphabet);
    if (book->used < 2)
        return;
    uint32_t end = book->alphabet; /* after the last symbol that has a code */
    while (book->lengths[end - 1] == 0)
        end--;
    zti_items_write(to, book->lengths, end, zti_codebook_limit(book->alphabet));
}

uint64_t zti_codebook_stored_bits(const struct zti_codebook *book)
{
    struct zti_items to = {NULL, 0};
    write_table(book, &to);
    return to.bits;
}

void zti_codebook_write(const struct zti_codebook *book, struct zti_bit_writer *writer)
{
    struct zti_items to = {writer, 0};
    write_table(book, &to);
}

/* ---- reading ---- */

/* Read the lengths. Returns NULL, or what is wrong, for a message. */
static const char *read_lengths(struct zti_bit_reader *r, struct zti_codebook *book)
{
    const uint32_t limit = zti_codebook_limit(book->alphabet);
    const uint64_t whole = UINT64_C(1) << ZTI_HUFFMAN_MAX_BITS;
    uint32_t before = limit, length;
    uint64_t space = 0; /* sum of 2^-length so far, in units of 2^-16 */
    for (uint32_t s = 0; space < whole;) {
        const uint32_t n = zti_items_read(r, before, &length);
        if (r->at > r->end)
            return "is cut short";
        if (n == 0 || length > limit)
            return "holds no valid code length";
        if (n > book->alphabet - s)
            return "has more code lengths than the alphabet has symbols, or is incomplete";
        memset(book->lengths + s, (int)length, n);
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

zt_status zti_codebook_load(zt_context *context, struct zti_bit_reader *reader, uint32_t alphabet,
                            struct zti_codebook *book)
{
    zt_status status = zti_codebook_alloc(context, alphabet, book);
    if (status != ZT_OK)
        return status;
    uint32_t kind, only;
    const char *wrong = zti_items_read_kind(reader, alphabet, &kind, &only);
    if (!wrong && kind == ZTI_ITEMS_LIST)
        wrong = read_lengths(reader, book);
    book->used = kind == ZTI_ITEMS_ONE;
    book->order[0] = (uint16_t)only;
    if (!wrong && reader->at > reader->end)
        wrong = "is cut short";
    if (wrong) {
        zti_codebook_free(context, book);
        return zti_fail(context, ZT_CORRUPT, "the Huffman table %s", wrong);
    }
    zti_codebook_generate(book);
    return ZT_OK;
}
