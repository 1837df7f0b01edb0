/* block.c: any bytes as symbols of the Huffman stream: zt_entropy_encode and its way back. A block
 * is a head that says what the symbols are, and a stream of zt_huffman_encode. The page
 * docs/format/huffman.md has the table.
 *
 *   bytes    a symbol a byte
 *   words    a symbol two bytes, little-endian
 *   k-mers   a symbol k letters of an alphabet A, side by side: a number of k digits in base |A|,
 *            the first letter its highest digit; k = 3, 4, 5, 8 are customary for DNA
 *
 * Bytes behind the last whole symbol stand in the head. */
#include "array/memory.h"
#include "core/wire.h"
#include "entropy/huffman/stream.h"

#include <xxhash.h>

enum { MAGIC_BYTES = 4, BLOCK_VERSION = 1, LAST_FLAG = 0x80, CHECK_BYTES = 8, LETTERS_MOST = 256 };

static const uint8_t block_magic[MAGIC_BYTES] = {'z', 't', 'h', 'b'};

/* What a block's symbols are. */
struct alphabet {
    uint32_t kind, k, count; /* count: letters */
    uint8_t letters[LETTERS_MOST];
    uint32_t unit_bytes, symbols; /* bytes of a symbol; how many symbols there could be */
};

/* letters^k; more than ZTI_HUFFMAN_MAX_ALPHABET where that is more. */
static uint32_t words_of(uint32_t letters, uint32_t k)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < k && n <= ZTI_HUFFMAN_MAX_ALPHABET; i++)
        n *= letters;
    return (uint32_t)n;
}

static void measure_alphabet(struct alphabet *a)
{
    static const uint32_t bytes_of[] = {0, 1, 2}, symbols_of[] = {0, 256, 65536};
    a->unit_bytes = a->kind == ZT_SYMBOLS_KMERS ? a->k : bytes_of[a->kind];
    a->symbols = a->kind == ZT_SYMBOLS_KMERS ? words_of(a->count, a->k) : symbols_of[a->kind];
}

/* ---- arguments ---- */

zt_status zt_entropy_init(zt_entropy *entropy, size_t entropy_bytes)
{
    if (!entropy || entropy_bytes < sizeof *entropy || entropy_bytes > UINT32_MAX)
        return ZT_BAD_ARG;
    memset(entropy, 0, entropy_bytes);
    entropy->struct_bytes = (uint32_t)entropy_bytes;
    entropy->symbols = ZT_SYMBOLS_BYTES;
    return ZT_OK;
}

zt_status zt_entropy_bound(uint64_t bytes, size_t *capacity_bytes)
{
    if (!capacity_bytes || bytes > ZT_ENTROPY_BLOCK_BYTES)
        return ZT_BAD_ARG;
    zt_status status = zt_huffman_bound(bytes, ZTI_HUFFMAN_MAX_ALPHABET, capacity_bytes);
    *capacity_bytes += ZT_ENTROPY_HEAD_BYTES;
    return status;
}

/* The first letter that stands before it as well; 'count' where there is none. */
static uint32_t find_twice(const struct alphabet *a)
{
    uint32_t i = 0;
    while (i < a->count && !memchr(a->letters, a->letters[i], i))
        i++;
    return i;
}

/* The letters that occur, in rising order. */
static void find_letters(const uint8_t *data, uint64_t bytes, struct alphabet *a)
{
    bool occurs[LETTERS_MOST] = {false};
    for (uint64_t i = 0; i < bytes; i++)
        occurs[data[i]] = true;
    for (uint32_t c = 0; c < LETTERS_MOST; c++)
        if (occurs[c])
            a->letters[a->count++] = (uint8_t)c;
    if (a->count == 0)
        a->letters[a->count++] = 0;
}

static zt_status choose_letters(zt_context *context, const zt_entropy *e, const uint8_t *data,
                                uint64_t bytes, struct alphabet *a)
{
    a->k = e->k;
    if (e->k == 0 || e->k > ZT_ENTROPY_MOST_K || e->letter_count > LETTERS_MOST)
        return zti_fail(context, ZT_BAD_ARG, "k-mers have 1 to %d letters of at most %d, not %u",
                        ZT_ENTROPY_MOST_K, LETTERS_MOST, e->k);
    memcpy(a->letters, e->letters, sizeof a->letters);
    a->count = e->letter_count;
    if (a->count == 0)
        find_letters(data, bytes, a);
    const uint32_t twice = find_twice(a);
    if (twice < a->count)
        return zti_fail(context, ZT_BAD_ARG, "letter %u of the alphabet, byte %u, is in it twice",
                        twice, a->letters[twice]);
    if (words_of(a->count, a->k) > ZTI_HUFFMAN_MAX_ALPHABET)
        return zti_fail(context, ZT_BAD_ARG,
                        "%u-mers of %u letters are more than %d symbols; take fewer letters each",
                        a->k, a->count, ZTI_HUFFMAN_MAX_ALPHABET);
    return ZT_OK;
}

static zt_status choose_alphabet(zt_context *context, const zt_entropy *e, const uint8_t *data,
                                 uint64_t bytes, struct alphabet *a)
{
    if (!e || e->struct_bytes < sizeof *e)
        return zti_fail(context, ZT_BAD_ARG, "no zt_entropy that zt_entropy_init has set");
    if (e->symbols < ZT_SYMBOLS_BYTES || e->symbols > ZT_SYMBOLS_KMERS)
        return zti_fail(context, ZT_BAD_ARG, "%u is no kind of symbols", e->symbols);
    a->kind = e->symbols;
    const zt_status status =
        a->kind == ZT_SYMBOLS_KMERS ? choose_letters(context, e, data, bytes, a) : ZT_OK;
    if (status == ZT_OK)
        measure_alphabet(a);
    return status;
}

/* ---- bytes to symbols and back ---- */

static zt_status symbols_of_kmers(zt_context *context, const struct alphabet *a,
                                  const uint8_t *data, uint64_t count, uint16_t *symbols)
{
    uint16_t digit[LETTERS_MOST];
    memset(digit, 0xff, sizeof digit);
    for (uint32_t i = 0; i < a->count; i++)
        digit[a->letters[i]] = (uint16_t)i;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t v = 0;
        for (uint32_t j = 0; j < a->k; j++) {
            const uint32_t d = digit[data[i * a->k + j]];
            if (d >= a->count)
                return zti_fail(context, ZT_BAD_ARG,
                                "byte %llu is %u, which is no letter of the alphabet; let the "
                                "alphabet be found, or code bytes",
                                (unsigned long long)(i * a->k + j), data[i * a->k + j]);
            v = v * a->count + d;
        }
        symbols[i] = (uint16_t)v;
    }
    return ZT_OK;
}

static zt_status symbols_of(zt_context *context, const struct alphabet *a, const uint8_t *data,
                            uint64_t count, uint16_t *symbols)
{
    if (a->kind == ZT_SYMBOLS_KMERS)
        return symbols_of_kmers(context, a, data, count, symbols);
    for (uint64_t i = 0; i < count; i++)
        symbols[i] = (uint16_t)(data[2 * i] | data[2 * i + 1] << 8);
    return ZT_OK;
}

static void bytes_of_symbols(const struct alphabet *a, const uint16_t *symbols, uint64_t count,
                             uint8_t *data)
{
    for (uint64_t i = 0; i < count && a->kind == ZT_SYMBOLS_WORDS; i++) {
        data[2 * i] = (uint8_t)symbols[i];
        data[2 * i + 1] = (uint8_t)(symbols[i] >> 8);
    }
    for (uint64_t i = 0; i < count && a->kind == ZT_SYMBOLS_KMERS; i++) {
        uint32_t v = symbols[i];
        for (uint32_t j = a->k; j-- > 0; v /= a->count)
            data[i * a->k + j] = a->letters[v % a->count];
    }
}

/* ---- encode ---- */

/* Returns its bytes; the check is over all before it. */
static size_t encode_head(const struct alphabet *a, bool is_last, const uint8_t *rest,
                          uint64_t bytes, size_t stream_bytes, uint8_t *head)
{
    uint8_t *at = head;
    memcpy(at, block_magic, MAGIC_BYTES);
    at += MAGIC_BYTES;
    *at++ = BLOCK_VERSION;
    *at++ = (uint8_t)(a->kind | (is_last ? LAST_FLAG : 0));
    if (a->kind == ZT_SYMBOLS_KMERS) {
        *at++ = (uint8_t)a->k;
        *at++ = (uint8_t)(a->count - 1);
        memcpy(at, a->letters, a->count);
        at += a->count;
    }
    at = zti_put_varint(at, bytes);
    memcpy(at, rest, bytes % a->unit_bytes);
    at += bytes % a->unit_bytes;
    at = zti_put_varint(at, stream_bytes);
    zti_put_le64(at, XXH3_64bits(head, (size_t)(at - head)));
    return (size_t)(at - head) + CHECK_BYTES;
}

/* The stream goes behind the most that a head can take, and then to where it ends. */
static zt_status encode_block(zt_context *context, const struct alphabet *a, const zt_entropy *e,
                              const uint8_t *data, uint64_t bytes, uint8_t *out, size_t capacity,
                              size_t *out_bytes)
{
    const uint64_t count = bytes / a->unit_bytes;
    const bool has_bytes = a->kind == ZT_SYMBOLS_BYTES;
    size_t most, stream_bytes = 0;
    zt_status status = zt_huffman_bound(count, a->symbols, &most);
    uint8_t *stream = zti_alloc(context, most);
    uint16_t *symbols = has_bytes ? NULL : zti_alloc(context, (count + 1) * sizeof *symbols);
    if (status == ZT_OK && (!stream || (!has_bytes && !symbols)))
        status = zti_fail(context, ZT_NO_MEMORY, "no memory to encode %llu bytes",
                          (unsigned long long)bytes);
    if (status == ZT_OK && !has_bytes)
        status = symbols_of(context, a, data, count, symbols);
    const uint32_t symbol_bytes = has_bytes ? 1 : 2;
    const void *const from = has_bytes ? (const void *)data : symbols;
    if (status == ZT_OK && e->magnitude)
        status = zt_huffman_encode_merged(context, from, symbol_bytes, count, a->symbols,
                                          e->magnitude, e->reduction, stream, most, &stream_bytes);
    else if (status == ZT_OK)
        status = zt_huffman_encode(context, from, symbol_bytes, count, a->symbols, stream, most,
                                   &stream_bytes);
    if (status == ZT_OK) {
        uint8_t head[ZT_ENTROPY_HEAD_BYTES];
        const size_t head_bytes = encode_head(a, e->is_last != 0, data + count * a->unit_bytes,
                                              bytes, stream_bytes, head);
        if (capacity < head_bytes || capacity - head_bytes < stream_bytes) {
            status =
                zti_fail(context, ZT_NO_SPACE,
                         "%zu bytes are too few; zt_entropy_bound says how many suffice", capacity);
        } else {
            memcpy(out, head, head_bytes);
            memcpy(out + head_bytes, stream, stream_bytes);
            *out_bytes = head_bytes + stream_bytes;
        }
    }
    zti_release(context, symbols);
    zti_release(context, stream);
    return status;
}

zt_status zt_entropy_encode(zt_context *context, const void *data, uint64_t bytes,
                            const zt_entropy *entropy, void *out, size_t out_capacity_bytes,
                            size_t *out_bytes)
{
    struct alphabet a = {.kind = 0};
    static const uint8_t nothing[1];
    if ((!data && bytes > 0) || !out || !out_bytes)
        return zti_fail(context, ZT_BAD_ARG, "no memory is given");
    if (bytes > ZT_ENTROPY_BLOCK_BYTES)
        return zti_fail(context, ZT_BAD_ARG, "%llu bytes are more than a block's %d",
                        (unsigned long long)bytes, ZT_ENTROPY_BLOCK_BYTES);
    const uint8_t *from = data ? data : nothing;
    zt_status status = choose_alphabet(context, entropy, from, bytes, &a);
    if (status != ZT_OK)
        return status;
    return encode_block(context, &a, entropy, from, bytes, out, out_capacity_bytes, out_bytes);
}

/* ---- decode ---- */

/* What a head says; the cursor is then behind it. */
struct head {
    struct alphabet alphabet;
    bool is_last;
    uint64_t bytes, stream_bytes;
    const uint8_t *rest;
};

static zt_status fail_block(zt_context *context, const char *what)
{
    return zti_fail(context, ZT_CORRUPT, "the Huffman block %s", what);
}

static void read_letters(struct zti_cursor *c, struct alphabet *a)
{
    a->k = zti_get_byte(c);
    a->count = zti_get_byte(c) + 1u;
    const uint8_t *letters = zti_get_bytes(c, a->count);
    if (letters)
        memcpy(a->letters, letters, a->count);
}

static zt_status decode_head(zt_context *context, struct zti_cursor *c, struct head *h)
{
    const uint8_t *const begin = c->at, *magic = zti_get_bytes(c, MAGIC_BYTES);
    if (!magic || memcmp(magic, block_magic, MAGIC_BYTES) != 0)
        return zti_fail(context, ZT_CORRUPT, "this is no block of zt_entropy_encode");
    const uint8_t version = zti_get_byte(c), kind = zti_get_byte(c);
    if (!c->is_bad && version != BLOCK_VERSION)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "the Huffman block has version %u; this library reads version %d", version,
                        BLOCK_VERSION);
    *h = (struct head){.is_last = (kind & LAST_FLAG) != 0};
    struct alphabet *const a = &h->alphabet;
    a->kind = kind & ~(uint32_t)LAST_FLAG;
    if (c->is_bad || a->kind < ZT_SYMBOLS_BYTES || a->kind > ZT_SYMBOLS_KMERS)
        return fail_block(context, "has symbols of no kind");
    if (a->kind == ZT_SYMBOLS_KMERS) {
        read_letters(c, a);
        if (c->is_bad || a->k == 0 || a->k > ZT_ENTROPY_MOST_K ||
            words_of(a->count, a->k) > ZTI_HUFFMAN_MAX_ALPHABET || find_twice(a) < a->count)
            return fail_block(context, "has an alphabet that makes no sense");
    }
    measure_alphabet(a);
    h->bytes = zti_get_varint(c);
    if (c->is_bad || h->bytes > ZT_ENTROPY_BLOCK_BYTES)
        return fail_block(context, "claims more bytes than a block can have");
    h->rest = zti_get_bytes(c, h->bytes % a->unit_bytes);
    h->stream_bytes = zti_get_varint(c);
    size_t most = 0;
    if (c->is_bad || zt_huffman_bound(h->bytes / a->unit_bytes, a->symbols, &most) != ZT_OK ||
        h->stream_bytes > most)
        return fail_block(context, "has a stream longer than its symbols can take");
    const size_t checked = (size_t)(c->at - begin);
    const uint8_t *check = zti_get_bytes(c, CHECK_BYTES);
    if (c->is_bad || zti_get_le64(check) != XXH3_64bits(begin, checked))
        return fail_block(context, "has a head that is damaged");
    return ZT_OK;
}

zt_status zt_entropy_inspect(zt_context *context, const void *data, size_t data_bytes,
                             zt_entropy *entropy, uint64_t *bytes, uint64_t *block_bytes)
{
    struct head h;
    if (!data || !entropy || !bytes || !block_bytes || entropy->struct_bytes < sizeof *entropy)
        return zti_fail(context, ZT_BAD_ARG, "no memory is given");
    struct zti_cursor c = {data, (const uint8_t *)data + data_bytes, false};
    const zt_status status = decode_head(context, &c, &h);
    if (status != ZT_OK)
        return status;
    entropy->symbols = h.alphabet.kind;
    entropy->k = h.alphabet.k;
    entropy->letter_count = h.alphabet.count;
    memcpy(entropy->letters, h.alphabet.letters, sizeof entropy->letters);
    entropy->is_last = h.is_last;
    *bytes = h.bytes;
    *block_bytes = (uint64_t)(c.at - (const uint8_t *)data) + h.stream_bytes;
    return ZT_OK;
}

zt_status zt_entropy_decode(zt_context *context, const void *data, size_t data_bytes, void *out,
                            uint64_t bytes)
{
    struct head h;
    uint32_t symbols = 0;
    uint64_t count = 0;
    if (!data || (!out && bytes > 0))
        return zti_fail(context, ZT_BAD_ARG, "no memory is given");
    struct zti_cursor c = {data, (const uint8_t *)data + data_bytes, false};
    zt_status status = decode_head(context, &c, &h);
    if (status == ZT_OK && h.bytes != bytes)
        return zti_fail(context, ZT_BAD_ARG, "the block has %llu bytes, not %llu",
                        (unsigned long long)h.bytes, (unsigned long long)bytes);
    if (status == ZT_OK && h.stream_bytes != (uint64_t)zti_cursor_left(&c))
        status = fail_block(context, "is cut short, or has bytes behind it");
    if (status == ZT_OK)
        status = zt_huffman_inspect(context, c.at, (size_t)h.stream_bytes, &symbols, &count);
    const struct alphabet *const a = &h.alphabet;
    if (status == ZT_OK && (symbols != a->symbols || count != bytes / a->unit_bytes))
        status = fail_block(context, "has a stream of something else");
    if (status != ZT_OK)
        return status;
    const bool has_bytes = a->kind == ZT_SYMBOLS_BYTES;
    uint16_t *own = has_bytes ? NULL : zti_alloc(context, (count + 1) * sizeof *own);
    if (!has_bytes && !own)
        return zti_fail(context, ZT_NO_MEMORY, "no memory to decode %llu bytes",
                        (unsigned long long)bytes);
    status = zt_huffman_decode(context, c.at, (size_t)h.stream_bytes, has_bytes ? out : own,
                               has_bytes ? 1 : 2, count);
    if (status == ZT_OK) {
        bytes_of_symbols(a, own, count, out);
        memcpy((uint8_t *)out + count * a->unit_bytes, h.rest, bytes % a->unit_bytes);
    }
    zti_release(context, own);
    return status;
}
