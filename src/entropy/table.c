/* table.c: a codebook's code lengths as bits.
 *
 * Only lengths are stored; codes follow from them. Two bits say what there is:
 *
 *   0   no symbol has a code
 *   1   one symbol has, and it takes no bits; its number follows, in as many bits as the largest
 *       number of the alphabet has
 *   2   a list of lengths, symbol 0 first, in items of the bits below, first bit left
 *
 *   0           as the symbol before it that has a code
 *   1 0 d       one bit longer (d = 1) or shorter (d = 0) than that
 *   1 1 0 xxxx  x + 1 bits
 *   1 1 1 0 n   the next n symbols have no code
 *   1 1 1 1 n   the next n symbols are as the one before that has a code
 *
 * Before the first of them, "the one before" has the limit of the alphabet (15 or 16 bits). n >= 1
 * is in Elias's gamma code: as many zeros as it has bits after its leading one, a one, and these
 * bits. Fields are least significant bit first, as everywhere. The list ends where the code is
 * complete, that is where 2^-length adds up to 1: the symbols after that have none. So a table cannot
 * be incomplete, and one that oversubscribes is refused at the item that does it.
 *
 * Residuals have lengths that fall to the middle of the alphabet and rise again, with steps that
 * get smaller: 2 to 3 bits a symbol, where the five bits of an item of the usual kind (16 lengths
 * and three runs) cost 5. */
#include "entropy/bits_within.h"
#include "entropy/huffman_build.h"

enum { KIND_BITS = 2, NO_SYMBOL = 0, ONE_SYMBOL = 1, LENGTHS = 2 };

enum { STEP_BITS = 3, LENGTH_BITS = 7, RUN_BITS = 4 }; /* of an item, without its n */

static uint32_t bit_width(uint32_t v)
{
    uint32_t n = 0;
    for (; v > 0; v >>= 1)
        n++;
    return n;
}

/* ---- writing ---- */

/* Where items go: to a writer, or nowhere to be counted. */
struct items {
    struct zti_bit_writer *writer; /* NULL: count only */
    uint64_t bits;
};

static void put(struct items *to, uint64_t v, uint32_t n)
{
    if (to->writer)
        zti_put_bits(to->writer, v, n);
    to->bits += n;
}

static uint32_t gamma_bits(uint32_t n)
{
    return 2 * bit_width(n) - 1;
}

/* At most 33 bits. */
static void put_gamma(struct items *to, uint32_t n)
{
    const uint32_t low = bit_width(n) - 1;
    put(to, UINT64_C(1) << low | (uint64_t)(n & ((UINT32_C(1) << low) - 1)) << (low + 1),
        2 * low + 1);
}

static void put_length(struct items *to, uint32_t length, uint32_t before)
{
    if (length == before)
        put(to, 0, 1);
    else if (length == before + 1)
        put(to, 5, STEP_BITS); /* 1 0 1 */
    else if (length + 1 == before)
        put(to, 1, STEP_BITS); /* 1 0 0 */
    else
        put(to, 3 | (length - 1) << 3, LENGTH_BITS);
}

/* Symbols from s on that have the length of s. */
static uint32_t run_at(const struct zti_codebook *book, uint32_t s)
{
    uint32_t end = s + 1;
    while (end < book->alphabet && book->lengths[end] == book->lengths[s])
        end++;
    return end - s;
}

static void put_lengths(const struct zti_codebook *book, struct items *to)
{
    uint32_t before = zti_codebook_limit(book->alphabet), left = book->used;
    for (uint32_t s = 0; left > 0;) {
        uint32_t run = run_at(book, s);
        const uint32_t length = book->lengths[s];
        s += run;
        if (length == 0) {
            put(to, 7, RUN_BITS); /* 1 1 1 0 */
            put_gamma(to, run);
            continue;
        }
        left -= run;
        if (length != before) {
            put_length(to, length, before);
            before = length;
            run--;
        }
        if (run > RUN_BITS + gamma_bits(run)) {
            put(to, 15, RUN_BITS);
            put_gamma(to, run);
            continue;
        }
        put(to, 0, run);
    }
}

static void put_table(const struct zti_codebook *book, struct items *to)
{
    put(to, book->used < LENGTHS ? book->used : LENGTHS, KIND_BITS);
    if (book->used == 1)
        put(to, book->order[0], bit_width(book->alphabet - 1));
    else if (book->used > 1)
        put_lengths(book, to);
}

uint64_t zti_codebook_stored_bits(const struct zti_codebook *book)
{
    struct items to = {NULL, 0};
    put_table(book, &to);
    return to.bits;
}

void zti_codebook_put(const struct zti_codebook *book, struct zti_bit_writer *writer)
{
    struct items to = {writer, 0};
    put_table(book, &to);
}

/* ---- reading ---- */

/* 0 where it is not a number up to 65,536. */
static uint32_t take_gamma(struct zti_bit_reader *r)
{
    uint32_t low = 0;
    while (low <= 16 && zti_take_within(r, 1) == 0)
        low++;
    return low <= 16 ? UINT32_C(1) << low | zti_take_within(r, low) : 0;
}

/* The reader at an item. Sets the length it gives and returns how many symbols have it; 0 where it
 * makes no sense. */
static uint32_t take_item(struct zti_bit_reader *r, uint32_t before, uint32_t *length)
{
    *length = before;
    if (zti_take_within(r, 1) == 0)
        return 1;
    if (zti_take_within(r, 1) == 0) {
        *length = zti_take_within(r, 1) ? before + 1 : before - 1;
        return *length > 0;
    }
    if (zti_take_within(r, 1) == 0) {
        *length = zti_take_within(r, 4) + 1;
        return 1;
    }
    if (zti_take_within(r, 1) == 0)
        *length = 0;
    return take_gamma(r);
}

/* NULL, or what is wrong with the list. */
static const char *take_lengths(struct zti_bit_reader *r, struct zti_codebook *book)
{
    const uint32_t limit = zti_codebook_limit(book->alphabet);
    const uint64_t whole = UINT64_C(1) << ZTI_HUFFMAN_MAX_BITS;
    uint32_t before = limit, length;
    uint64_t space = 0; /* taken of the whole */
    for (uint32_t s = 0; space < whole;) {
        const uint32_t n = take_item(r, before, &length);
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

zt_status zti_codebook_take(zt_context *context, struct zti_bit_reader *reader, uint32_t alphabet,
                            struct zti_codebook *book)
{
    zt_status status = zti_codebook_alloc(context, alphabet, book);
    if (status != ZT_OK)
        return status;
    const uint32_t kind = zti_take_within(reader, KIND_BITS);
    const char *wrong = NULL;
    if (kind == ONE_SYMBOL) {
        const uint32_t symbol = zti_take_within(reader, bit_width(alphabet - 1));
        if (symbol >= alphabet)
            wrong = "names a symbol that is not in the alphabet";
        book->used = 1;
        book->order[0] = (uint16_t)symbol;
    } else if (kind == LENGTHS) {
        wrong = take_lengths(reader, book);
    } else if (kind != NO_SYMBOL) {
        wrong = "is of no known kind";
    }
    if (!wrong && reader->at > reader->end)
        wrong = "is cut short";
    if (wrong) {
        zti_codebook_free(context, book);
        return zti_fail(context, ZT_CORRUPT, "the Huffman table %s", wrong);
    }
    zti_codebook_generate(book);
    return ZT_OK;
}
