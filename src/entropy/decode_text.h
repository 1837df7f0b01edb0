/* decode_text.h: text of the decoder; the includer defines NAME(x). Table entries are described in
 * decode.c.
 *
 * While all parts have room for what a turn can produce and the buffer for what it can read, turns
 * need no checks: each looks up LOOKUPS times in each part. When a part leaves that region the
 * others go on without it, and it is finished with checks at every symbol. */
#include "entropy/bits_within.h"
#include "entropy/huffman_build.h"

enum {
    NAME(LOOKUPS) = 5, /* of at most 11 bits each from the 57 that are there after a load */
    NAME(TURN_SYMBOLS) = 2 * NAME(LOOKUPS),
    NAME(TURN_BITS) = NAME(LOOKUPS) * ZTI_HUFFMAN_MAX_BITS
};
_Static_assert(NAME(LOOKUPS) * 11 <= 57, "the bits of a turn");

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

/* A part whose position moves. */
struct NAME(run) {
    uint64_t at, bits; /* position; the bits that are loaded */
    uint16_t *out;
};

static inline uint64_t NAME(load)(const uint8_t *buffer, uint64_t at)
{
    return zti_get_le64(buffer + (at >> 3)) >> (at & 7);
}

ZTI_INLINE void NAME(look_up)(const struct zti_huffman_decoder *decoder, const uint64_t *table,
                              uint64_t mask, const uint8_t *buffer, struct NAME(run) *r)
{
    const uint64_t entry = table[r->bits & mask];
    r->out[0] = (uint16_t)(entry >> 32);
    r->out[1] = (uint16_t)(entry >> 48);
    r->out += entry >> 8 & 0xff;
    r->at += entry & 0xff;
    r->bits >>= entry & 63;
    if (zti_unlikely((entry & 0xff) == 0)) {
        const uint32_t code = NAME(long_code)(decoder, NAME(load)(buffer, r->at));
        *r->out++ = (uint16_t)code;
        r->at += code >> 16;
        r->bits = NAME(load)(buffer, r->at);
    }
}

/* Turns of n parts, the first n, until one of them leaves the region without checks. n is constant
 * in each copy. */
ZTI_INLINE void NAME(turns)(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                            uint64_t last_at, struct zti_huffman_part *const *parts, uint32_t n)
{
    const uint64_t *table = decoder->table;
    const uint64_t mask = (UINT64_C(1) << decoder->table_bits) - 1;
    struct NAME(run) r[ZTI_HUFFMAN_PARTS];
    const uint16_t *last[ZTI_HUFFMAN_PARTS]; /* no turn begins at this place or behind */
    for (uint32_t k = 0; k < n; k++) {
        r[k] = (struct NAME(run)){parts[k]->at, 0, parts[k]->out};
        last[k] = parts[k]->out + (parts[k]->symbols - NAME(TURN_SYMBOLS) + 1);
    }
    bool goes_on = true;
    while (goes_on) {
        for (uint32_t k = 0; k < n; k++)
            r[k].bits = NAME(load)(buffer, r[k].at);
        for (int i = 0; i < NAME(LOOKUPS); i++)
            for (uint32_t k = 0; k < n; k++)
                NAME(look_up)(decoder, table, mask, buffer, &r[k]);
        for (uint32_t k = 0; k < n; k++)
            goes_on &= (r[k].at <= last_at) & (r[k].out < last[k]);
    }
    for (uint32_t k = 0; k < n; k++) {
        parts[k]->symbols -= (size_t)(r[k].out - parts[k]->out);
        parts[k]->out = r[k].out;
        parts[k]->at = r[k].at;
    }
}

/* Whatever is left of a part, a symbol at a time. */
static void NAME(finish)(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                         size_t buffer_bytes, struct zti_huffman_part *part)
{
    const uint64_t mask = (UINT64_C(1) << decoder->table_bits) - 1;
    struct zti_bit_reader r = {buffer, part->at, (uint64_t)buffer_bytes * 8};
    for (; part->symbols > 0 && r.at <= r.end; part->symbols--) {
        const uint64_t bits = zti_peek_within(&r), entry = decoder->table[bits & mask];
        uint32_t code = (uint32_t)(entry >> 32 & 0xffff) | (uint32_t)(entry >> 16 & 0xff) << 16;
        if (code >> 16 == 0)
            code = NAME(long_code)(decoder, bits);
        *part->out++ = (uint16_t)code;
        r.at += code >> 16;
    }
    part->at = r.at;
}

static void NAME(decode)(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                         size_t buffer_bytes, struct zti_huffman_part *parts, uint32_t part_count)
{
    struct zti_huffman_part *run[ZTI_HUFFMAN_PARTS];
    const uint64_t reach = NAME(TURN_BITS) + 64; /* bits beyond 'at' that a turn can look at */
    const uint64_t bits = (uint64_t)buffer_bytes * 8;
    for (;;) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < part_count; k++)
            if (parts[k].symbols >= NAME(TURN_SYMBOLS) && bits >= reach &&
                parts[k].at <= bits - reach)
                run[n++] = &parts[k];
        if (n == 0)
            break;
        if (n == 4)
            NAME(turns)(decoder, buffer, bits - reach, run, 4);
        else if (n == 3)
            NAME(turns)(decoder, buffer, bits - reach, run, 3);
        else if (n == 2)
            NAME(turns)(decoder, buffer, bits - reach, run, 2);
        else
            NAME(turns)(decoder, buffer, bits - reach, run, 1);
    }
    for (uint32_t k = 0; k < part_count; k++)
        NAME(finish)(decoder, buffer, buffer_bytes, &parts[k]);
}
