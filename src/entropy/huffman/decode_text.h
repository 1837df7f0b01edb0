/* decode_text.h: kernel text of the Huffman decoder, compiled for each instruction set; the
 * includer defines NAME(x). In: up to four parts of a bit stream, and the table of decode.c. Out:
 * symbols of 16 bits.
 *
 * Parts are decoded in turns: a turn does a few look-ups in each part. Turns need no checks as long
 * as every part has room for a turn's symbols and the buffer has a turn's bits. A part that has not
 * is left out of further turns, and is finished with a check at every symbol. */
#include "entropy/bits_within.h"
#include "entropy/huffman/build.h"

enum {
    NAME(LOADED_BITS) = 56,   /* bits that a load from any bit provides */
    NAME(STORED_SYMBOLS) = 4, /* stored at once; out advances by those of the entry */
    NAME(AHEAD_BYTES) = 8192, /* distance of the prefetch of output */
    NAME(TURN_BITS) = NAME(LOADED_BITS) + ZTI_HUFFMAN_MAX_BITS,
    NAME(TURN_BYTES) = NAME(TURN_BITS) / 8
};

/* Look-ups for which the loaded bits always suffice. */
ZTI_INLINE uint32_t NAME(safe_lookups)(uint32_t table_bits)
{
    return NAME(LOADED_BITS) / table_bits;
}

/* The most symbols of a turn: those of its look-ups, and one of a long code. */
ZTI_INLINE uint32_t NAME(turn_symbols)(bool is_narrow, uint32_t table_bits)
{
    return (is_narrow ? 3 : 2) * NAME(safe_lookups)(table_bits) + 1;
}

/* Decode the code at the lowest bits of v, which is longer than the table's bits. Returns symbol |
 * bits << 16. */
static uint32_t NAME(long_code)(const struct zti_huffman_decoder *decoder, uint64_t v)
{
    const struct zti_codebook *book = decoder->book;
    const uint32_t high = zti_reversed((uint32_t)(v & 0xffff), 16);
    const uint32_t bits =
        zti_find_length(book->first, book->entry, high, decoder->table_bits + 1, book->longest - 1);
    const uint32_t rank = book->entry[bits] + (high >> (16 - bits)) - book->first[bits];
    return book->order[rank < book->used ? rank : 0] | bits << 16;
}

/* A part in a turn: three registers, so that four parts fit. The zeros above the highest set bit of
 * 'bits' tell how many bits were used since the last load. */
struct NAME(run) {
    const uint8_t *next; /* address of the last load */
    uint64_t bits;       /* loaded bits not used yet, below a marker bit */
    uint16_t *out;
};

ZTI_INLINE struct NAME(run) NAME(run_of)(const struct zti_huffman_part *part, const uint8_t *buffer)
{
    return (struct NAME(run)){buffer + (part->at >> 3), UINT64_C(1) << 63 >> (part->at & 7),
                              part->out};
}

/* Bits used from 'next' on, below 64. */
ZTI_INLINE uint32_t NAME(used_bits)(const struct NAME(run) * r)
{
    return 64 - zti_bit_length64(r->bits | 1);
}

ZTI_INLINE void NAME(load)(struct NAME(run) * r)
{
    const uint32_t used = NAME(used_bits)(r);
    r->next += used >> 3;
    r->bits = (zti_get_le64(r->next) | UINT64_C(1) << 63) >> (used & 7);
}

/* Store both symbols of a wide entry, even if it has one. */
ZTI_INLINE void NAME(store_two)(uint16_t *out, uint64_t entry)
{
    uint32_t two = (uint32_t)(entry >> 32);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    two = two << 16 | two >> 16;
#endif
    memcpy(out, &two, sizeof two);
}

/* Store an entry's symbols and skip its bits. Returns a value whose low 6 bits are that number, or
 * 0 for a long code. */
ZTI_INLINE uint32_t NAME(look_up)(const void *table, uint64_t mask, bool is_narrow,
                                  struct NAME(run) * r)
{
    const uint64_t i = r->bits & mask;
    if (!is_narrow) {
        const uint64_t entry = ((const uint64_t *)table)[i];
        NAME(store_two)(r->out, entry);
        r->out += entry >> 8 & 0xff;
        r->bits >>= entry & 63;
        return (uint32_t)entry & 0xff;
    }
    const uint32_t counts = NAME(narrow)((const uint32_t *)table + i, r->out);
    /* bits 30-31 times two: bytes of the symbols, as bit 29 is zero */
    r->out = (uint16_t *)(void *)((uint8_t *)r->out + (counts >> 5));
    r->bits >>= counts & 63;
    return counts;
}

ZTI_INLINE void NAME(read_long)(const struct zti_huffman_decoder *decoder, struct NAME(run) * r)
{
    NAME(load)(r);
    const uint32_t code = NAME(long_code)(decoder, r->bits);
    *r->out++ = (uint16_t)code;
    r->bits >>= code >> 16;
}

/* A lower limit of the turns that a part can take: by its room for symbols, and until a turn would
 * begin after 'last'. */
ZTI_INLINE size_t NAME(turns_within)(const struct NAME(run) * r,
                                     const struct zti_huffman_part *part, uint32_t turn_symbols,
                                     const uint8_t *last)
{
    const size_t left = part->symbols - (size_t)(r->out - part->out);
    const size_t turns = left / turn_symbols;
    const size_t reads = r->next > last ? 0 : (size_t)(last - r->next) / NAME(TURN_BYTES) + 1;
    return turns < reads ? turns : reads;
}

/* Take turns in n parts until one has no room for another. n, is_narrow and table_bits are
 * compile-time constants. The entry of a long code uses no bits and gives no symbol, so it is
 * looked up again until the end of the turn, where the code is decoded. */
ZTI_INLINE void NAME(decode_turns)(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                                   uint64_t last_at, struct zti_huffman_part *const *parts,
                                   uint32_t n, bool is_narrow, uint32_t table_bits)
{
    const void *const table = decoder->table;
    const uint64_t mask = (UINT64_C(1) << table_bits) - 1;
    const uint32_t lookups = NAME(safe_lookups)(table_bits);
    struct NAME(run) r[ZTI_HUFFMAN_PARTS];
    for (uint32_t k = 0; k < n; k++)
        r[k] = NAME(run_of)(parts[k], buffer);
    for (;;) {
        size_t turns = SIZE_MAX;
        for (uint32_t k = 0; k < n; k++) {
            const size_t room =
                NAME(turns_within)(&r[k], parts[k], NAME(turn_symbols)(is_narrow, table_bits),
                                   buffer + (last_at >> 3));
            turns = room < turns ? room : turns;
        }
        if (turns == 0)
            break;
        while (turns-- > 0) {
            uint32_t counts[ZTI_HUFFMAN_PARTS];
            for (uint32_t k = 0; k < n; k++) {
                NAME(load)(&r[k]);
                zti_prefetch_to_write((const void *)((uintptr_t)r[k].out + NAME(AHEAD_BYTES)));
            }
            for (uint32_t i = 0; i < lookups; i++)
                for (uint32_t k = 0; k < n; k++)
                    counts[k] = NAME(look_up)(table, mask, is_narrow, &r[k]);
            for (uint32_t k = 0; k < n; k++)
                if (zti_unlikely(counts[k] == 0))
                    NAME(read_long)(decoder, &r[k]);
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        parts[k]->symbols -= (size_t)(r[k].out - parts[k]->out);
        parts[k]->out = r[k].out;
        parts[k]->at = (uint64_t)(r[k].next - buffer) * 8 + NAME(used_bits)(&r[k]);
    }
}

/* The first code of an entry as symbol | bits << 16; 0 for a long code. */
ZTI_INLINE uint32_t NAME(first_code)(const struct zti_huffman_decoder *decoder, uint64_t i,
                                     bool is_narrow)
{
    const uint64_t entry =
        is_narrow ? ((const uint32_t *)decoder->table)[i] : ((const uint64_t *)decoder->table)[i];
    const uint32_t symbol = is_narrow ? entry & 0xff : entry >> 32 & 0xffff;
    return entry == 0 ? 0 : symbol | (uint32_t)decoder->book->lengths[symbol] << 16;
}

/* Decode the rest of a part: a look-up at a time as long as the buffer has whole words, then a
 * symbol at a time. */
ZTI_INLINE void NAME(decode_rest)(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                                  size_t buffer_bytes, struct zti_huffman_part *part,
                                  bool is_narrow)
{
    const uint64_t mask = (UINT64_C(1) << decoder->table_bits) - 1;
    const uint64_t bits = (uint64_t)buffer_bytes * 8;
    const uint16_t *end = part->out + part->symbols;
    uint64_t at = part->at;
    if (bits >= 3 * NAME(TURN_BITS)) {
        const uint8_t *const last = buffer + ((bits - 3 * NAME(TURN_BITS)) >> 3);
        struct NAME(run) r = NAME(run_of)(part, buffer);
        while (end - r.out >= NAME(STORED_SYMBOLS) && r.next <= last) {
            uint32_t counts = 1;
            NAME(load)(&r);
            for (uint32_t i = NAME(safe_lookups)(ZTI_LARGE_TABLE_BITS);
                 i > 0 && counts > 0 && end - r.out >= NAME(STORED_SYMBOLS); i--)
                counts = NAME(look_up)(decoder->table, mask, is_narrow, &r);
            if (counts == 0)
                NAME(read_long)(decoder, &r);
        }
        at = (uint64_t)(r.next - buffer) * 8 + NAME(used_bits)(&r);
        part->out = r.out;
    }
    struct zti_bit_reader reader = {buffer, at, bits};
    while (part->out < end && reader.at <= reader.end) {
        const uint64_t word = zti_peek_within(&reader);
        uint32_t code = NAME(first_code)(decoder, word & mask, is_narrow);
        if (code >> 16 == 0)
            code = NAME(long_code)(decoder, word);
        *part->out++ = (uint16_t)code;
        reader.at += code >> 16;
    }
    part->symbols = (size_t)(end - part->out);
    part->at = reader.at;
}

ZTI_INLINE void NAME(turns_of)(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                               uint64_t last_at, struct zti_huffman_part *const *parts, uint32_t n,
                               bool is_narrow, uint32_t table_bits)
{
    if (n == 4)
        NAME(decode_turns)(decoder, buffer, last_at, parts, 4, is_narrow, table_bits);
    else if (n == 3)
        NAME(decode_turns)(decoder, buffer, last_at, parts, 3, is_narrow, table_bits);
    else if (n == 2)
        NAME(decode_turns)(decoder, buffer, last_at, parts, 2, is_narrow, table_bits);
    else
        NAME(decode_turns)(decoder, buffer, last_at, parts, 1, is_narrow, table_bits);
}

ZTI_INLINE void NAME(decode_as)(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                                size_t buffer_bytes, struct zti_huffman_part *parts,
                                uint32_t part_count, bool is_narrow)
{
    struct zti_huffman_part *run[ZTI_HUFFMAN_PARTS];
    const uint64_t reach = 2 * NAME(TURN_BITS) + 64; /* bits from 'at' on that two turns can read */
    const uint64_t bits = (uint64_t)buffer_bytes * 8;
    const uint32_t turn_symbols = NAME(turn_symbols)(is_narrow, decoder->table_bits);
    for (;;) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < part_count; k++)
            if (parts[k].symbols >= turn_symbols && bits >= reach && parts[k].at <= bits - reach)
                run[n++] = &parts[k];
        if (n == 0)
            break;
        if (decoder->table_bits <= ZTI_SMALL_TABLE_BITS)
            NAME(turns_of)(decoder, buffer, bits - reach, run, n, is_narrow, ZTI_SMALL_TABLE_BITS);
        else
            NAME(turns_of)(decoder, buffer, bits - reach, run, n, is_narrow, ZTI_LARGE_TABLE_BITS);
    }
    for (uint32_t k = 0; k < part_count; k++)
        NAME(decode_rest)(decoder, buffer, buffer_bytes, &parts[k], is_narrow);
}

static void NAME(decode)(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                         size_t buffer_bytes, struct zti_huffman_part *parts, uint32_t part_count)
{
    if (decoder->is_narrow)
        NAME(decode_as)(decoder, buffer, buffer_bytes, parts, part_count, true);
    else
        NAME(decode_as)(decoder, buffer, buffer_bytes, parts, part_count, false);
}
