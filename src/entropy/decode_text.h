/* decode_text.h: text of the decoder; the includer defines NAME(x). Table entries are described in
 * decode.c.
 *
 * While all parts have room for what a turn can produce and the buffer for what it can read, turns
 * need no checks: each looks up a few times in each part. When a part leaves that region the others
 * go on without it, and it is finished with checks at every symbol. */
#include "entropy/bits_within.h"
#include "entropy/huffman_build.h"

enum {
    NAME(LOADED_BITS) = 57, /* that are there after a load from any bit */
    NAME(MOST_LOOKUPS) = 5, /* of a turn, as many as these bits are sure to do for */
    NAME(FEW_LOOKUPS) = 4,
    NAME(TURN_SYMBOLS) = 2 * NAME(MOST_LOOKUPS) + 1,
    NAME(AHEAD_BYTES) = 8192, /* behind what is written, where memory is made ready */
    NAME(TURN_BITS) = NAME(LOADED_BITS) + ZTI_HUFFMAN_MAX_BITS
};
_Static_assert(NAME(MOST_LOOKUPS) * ZTI_SMALL_TABLE_BITS <= NAME(LOADED_BITS) &&
                   NAME(FEW_LOOKUPS) * ZTI_LARGE_TABLE_BITS <= NAME(LOADED_BITS),
               "the bits of a turn");

/* The code at the lowest bits of v, longer than the table's. Returns symbol | bits << 16. */
static uint32_t NAME(long_code)(const struct zti_huffman_decoder *decoder, uint64_t v)
{
    const struct zti_codebook *book = decoder->book;
    const uint32_t first_bit_highest = zti_reversed((uint32_t)(v & 0xffff), 16);
    uint32_t bits = decoder->table_bits + 1, code = first_bit_highest >> (16 - bits);
    while (bits < book->longest &&
           code - book->first[bits] >= book->entry[bits + 1] - book->entry[bits])
        code = first_bit_highest >> (16 - ++bits);
    const uint32_t rank = book->entry[bits] + (code - book->first[bits]);
    return book->order[rank < book->used ? rank : 0] | bits << 16;
}

/* A part in a turn. */
struct NAME(run) {
    uint64_t at;   /* bit position at the last load */
    uint64_t bits; /* what is loaded and not used */
    uint64_t sum;  /* of the entries since then: its lowest byte is how many bits they used */
    uint16_t *out;
};

ZTI_INLINE void NAME(load)(const uint8_t *buffer, struct NAME(run) *r)
{
    r->at += r->sum & 0xff;
    r->sum = 0;
    r->bits = zti_get_le64(buffer + (r->at >> 3)) >> (r->at & 7);
}

/* Both symbols of an entry, whether it has two or one. */
ZTI_INLINE void NAME(store_two)(uint16_t *out, uint64_t entry)
{
    uint32_t two = (uint32_t)(entry >> 32);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    two = two << 16 | two >> 16;
#endif
    memcpy(out, &two, sizeof two);
}

ZTI_INLINE uint64_t NAME(look_up)(const uint64_t *table, uint64_t mask, struct NAME(run) *r)
{
    const uint64_t entry = table[r->bits & mask];
    NAME(store_two)(r->out, entry);
    r->out += entry >> 8 & 0xff;
    r->sum += entry;
    r->bits >>= entry & 63;
    return entry;
}

ZTI_INLINE void NAME(take_long)(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                                struct NAME(run) *r)
{
    NAME(load)(buffer, r);
    const uint32_t code = NAME(long_code)(decoder, r->bits);
    *r->out++ = (uint16_t)code;
    r->sum = code >> 16;
}

/* Turns of the first n parts until one of them leaves the region without checks. n and lookups are
 * constant in each copy. The entry of a long code uses no bits and gives no symbol: it is met again
 * until the end of the turn, where the code is taken. */
ZTI_INLINE void NAME(turns)(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                            uint64_t last_at, struct zti_huffman_part *const *parts, uint32_t n,
                            int lookups)
{
    const uint64_t *table = decoder->table;
    const uint64_t mask = (UINT64_C(1) << decoder->table_bits) - 1;
    struct NAME(run) r[ZTI_HUFFMAN_PARTS];
    const uint16_t *last[ZTI_HUFFMAN_PARTS]; /* no turn begins at this place or behind */
    for (uint32_t k = 0; k < n; k++) {
        r[k] = (struct NAME(run)){parts[k]->at, 0, 0, parts[k]->out};
        last[k] = parts[k]->out + (parts[k]->symbols - NAME(TURN_SYMBOLS) + 1);
    }
    bool goes_on = true;
    while (goes_on) {
        uint64_t entry[ZTI_HUFFMAN_PARTS];
        for (uint32_t k = 0; k < n; k++) {
            NAME(load)(buffer, &r[k]);
            zti_prefetch_to_write((const void *)((uintptr_t)r[k].out + NAME(AHEAD_BYTES)));
        }
        for (int i = 0; i < lookups; i++)
            for (uint32_t k = 0; k < n; k++)
                entry[k] = NAME(look_up)(table, mask, &r[k]);
        for (uint32_t k = 0; k < n; k++) {
            if (zti_unlikely((entry[k] & 0xff) == 0))
                NAME(take_long)(decoder, buffer, &r[k]);
            goes_on &= (r[k].at <= last_at) & (r[k].out < last[k]);
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        parts[k]->symbols -= (size_t)(r[k].out - parts[k]->out);
        parts[k]->out = r[k].out;
        parts[k]->at = r[k].at + (r[k].sum & 0xff);
    }
}

/* Whatever is left of a part: a look-up at a time where the buffer has a whole word, then a symbol
 * at a time. */
static void NAME(finish)(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                         size_t buffer_bytes, struct zti_huffman_part *part)
{
    const uint64_t mask = (UINT64_C(1) << decoder->table_bits) - 1;
    const uint64_t bits = (uint64_t)buffer_bytes * 8;
    struct NAME(run) r = {part->at, 0, 0, part->out};
    const uint16_t *end = part->out + part->symbols;
    while (end - r.out >= 2 && r.at + NAME(LOADED_BITS) + 64 <= bits) {
        NAME(load)(buffer, &r);
        if ((NAME(look_up)(decoder->table, mask, &r) & 0xff) == 0)
            NAME(take_long)(decoder, buffer, &r);
    }
    struct zti_bit_reader reader = {buffer, r.at + (r.sum & 0xff), bits};
    while (r.out < end && reader.at <= reader.end) {
        const uint64_t word = zti_peek_within(&reader), entry = decoder->table[word & mask];
        uint32_t code = (uint32_t)(entry >> 32 & 0xffff) | (uint32_t)(entry >> 16 & 0xff) << 16;
        if (code >> 16 == 0)
            code = NAME(long_code)(decoder, word);
        *r.out++ = (uint16_t)code;
        reader.at += code >> 16;
    }
    part->symbols = (size_t)(end - r.out);
    part->out = r.out;
    part->at = reader.at;
}

ZTI_INLINE void NAME(turns_of)(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                               uint64_t last_at, struct zti_huffman_part *const *parts, uint32_t n,
                               int lookups)
{
    if (n == 4)
        NAME(turns)(decoder, buffer, last_at, parts, 4, lookups);
    else if (n == 3)
        NAME(turns)(decoder, buffer, last_at, parts, 3, lookups);
    else if (n == 2)
        NAME(turns)(decoder, buffer, last_at, parts, 2, lookups);
    else
        NAME(turns)(decoder, buffer, last_at, parts, 1, lookups);
}

static void NAME(decode)(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                         size_t buffer_bytes, struct zti_huffman_part *parts, uint32_t part_count)
{
    struct zti_huffman_part *run[ZTI_HUFFMAN_PARTS];
    const uint64_t reach = 2 * NAME(TURN_BITS) + 64; /* bits beyond 'at' that two turns look at */
    const uint64_t bits = (uint64_t)buffer_bytes * 8;
    for (;;) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < part_count; k++)
            if (parts[k].symbols >= NAME(TURN_SYMBOLS) && bits >= reach &&
                parts[k].at <= bits - reach)
                run[n++] = &parts[k];
        if (n == 0)
            break;
        if (decoder->table_bits <= ZTI_SMALL_TABLE_BITS)
            NAME(turns_of)(decoder, buffer, bits - reach, run, n, NAME(MOST_LOOKUPS));
        else
            NAME(turns_of)(decoder, buffer, bits - reach, run, n, NAME(FEW_LOOKUPS));
    }
    for (uint32_t k = 0; k < part_count; k++)
        NAME(finish)(decoder, buffer, buffer_bytes, &parts[k]);
}
