/* compact.c: the layout 'compact': Elias-Fano in blocks of B = 256 chunks, about 2 + log2(mean
 * length of a chunk) bits a chunk, looked up without a sum over chunks before.
 *
 *     size         field
 *     u8           W: 1 .. 8, bytes of a directory entry; the fewest that all fit in
 *     2 W each     directory: two entries for each block, where it ends: in units from the first
 *                  tile, then in bits from the first block's
 *     bits         blocks, one after the other, bit i being bit i mod 8 of byte i / 8; zeros to
 *                  a whole byte
 *
 * The first block begins at 0. A block of n chunks (the last one: at most B) begins at b and ends
 * at e. The sizes of its parts follow from n, b and e:
 *
 *     L            floor(log2(floor((e - b) / n))), at least 0, at most 56
 *     n - 1 + Z    bits of high parts, Z = (e - b) >> L; n - 1 of them are set
 *     (n - 1) L    bits of low parts
 *
 * and nothing at all if n = 1. The start s of chunk j of the block, j = 1 .. n - 1, is b + d;
 * d mod 2^L is low part j - 1, and bit (d >> L) + j - 1 of the high parts is set. (P. Elias,
 * "Efficient Storage and Retrieval by Content and Address of Static Files", J. ACM 21 (2), 1974;
 * blocks with parameters of their own: G. Ottaviano and R. Venturini, "Partitioned Elias-Fano
 * Indexes", SIGIR 2014.)
 *
 * Size. Let m = (e - b) / n >= 1 and x = m / 2^L, 1 <= x < 2. A block takes at most n (1 + L + x) =
 * n (log2(m) + 1 + x - log2(x)) <= n (log2(m) + 2) bits. As the logarithm is concave, all blocks
 * together take at most 2 + log2(mean) bits a chunk. The directory adds W / 16 bits a chunk: for
 * streams below 2^56 units at most 2.5 + log2(mean) bits in all.
 *
 * Time. Z < 2 n, so the high parts of a block are fewer than 3 B = 768 bits, in 13 words. A look-up
 * counts their ones. */
#include "index/layout.h"

/* Write the n <= 56 bits of v over zero bits. */
static void put(uint8_t *bytes, uint64_t at, uint64_t v, uint32_t n)
{
    for (v <<= at % 8, n += at % 8, at /= 8;; v >>= 8, n -= 8, at++) {
        bytes[at] |= (uint8_t)v;
        if (n <= 8)
            break;
    }
}

/* ---- building ---- */

static uint64_t bits_of(const uint64_t *starts, uint64_t chunks)
{
    uint64_t bits = 0;
    for (uint64_t i = 0; i < chunks; i += COMPACT_BLOCK_CHUNKS) {
        const uint64_t n = compact_block_chunks(chunks, i / COMPACT_BLOCK_CHUNKS);
        bits += compact_block_of(starts[i + n] - starts[i], n).bits;
    }
    return bits;
}

static uint64_t body_bytes(const struct zti_index_layout *layout, const uint64_t *starts,
                           uint64_t chunks)
{
    const uint64_t bits = bits_of(starts, chunks);
    return zti_index_body_bytes(layout, chunks, compact_width(starts[chunks], bits), bits);
}

static void store(const struct zti_index_layout *layout, const uint64_t *starts, uint64_t chunks,
                  uint8_t *out)
{
    const uint64_t total = body_bytes(layout, starts, chunks);
    const uint32_t width = compact_width(starts[chunks], bits_of(starts, chunks));
    uint8_t *entry = out + 1, *const blocks = entry + compact_directory_bytes(chunks, width);
    uint64_t at = 0;
    memset(out, 0, (size_t)total);
    *out = (uint8_t)width;
    for (uint64_t first = 0; first < chunks; first += COMPACT_BLOCK_CHUNKS) {
        const uint64_t n = compact_block_chunks(chunks, first / COMPACT_BLOCK_CHUNKS),
                       base = starts[first];
        const struct compact_block b = compact_block_of(starts[first + n] - base, n);
        for (uint32_t j = 1; j < b.n; j++) {
            const uint64_t d = starts[first + j] - base;
            put(blocks, at + high_bit_of(&b, j, d), 1, 1);
            if (b.low > 0)
                put(blocks, at + low_part_at(&b, j), low_part_of(&b, d), b.low);
        }
        at += b.bits;
        entry = zti_store_length(entry, base + b.span, width);
        entry = zti_store_length(entry, at, width);
    }
}

/* ---- look-up ---- */

static struct compact whole(const struct zti_index *index)
{
    const uint64_t at = index->blocks_at, bytes = index->body_bytes;
    return (struct compact){.entries = index->body + 1,
                            .entries_bytes = at - 1,
                            .bits = index->body + at,
                            .bits_bytes = bytes - at,
                            .chunks = index->chunks,
                            .width = index->width};
}

static zt_status open(zt_context *context, struct zti_index *index)
{
    const uint64_t blocks = compact_blocks(index->chunks), bytes = index->body_bytes;
    index->width = bytes > 0 ? index->body[0] : 0;
    index->blocks_at = 1 + compact_directory_bytes(index->chunks, index->width);
    if (index->width < 1 || index->width > 8 || bytes < index->blocks_at)
        return zti_index_bad_size(context, index);
    const struct compact c = whole(index);
    const uint64_t end = units_before(&c, blocks), bits = bits_before(&c, blocks);
    if (bytes != zti_index_body_bytes(&index->layout, index->chunks, index->width, bits) ||
        index->width != compact_width(end, bits) ||
        (bits % 8 != 0 && index->body[bytes - 1] >> bits % 8 != 0))
        return zti_index_bad_size(context, index);
    return zti_index_set_end(context, index, end);
}

static zt_status check(zt_context *context, struct zti_index *index)
{
    const struct compact c = whole(index);
    for (uint64_t i = 0; i < compact_blocks(index->chunks); i++)
        if (!is_block_sound(&c, i, index->end))
            return zti_fail(context, ZT_CORRUPT,
                            "the index is damaged or another stream's: block %llu does not begin "
                            "where the one before ends, or ends beyond the stream",
                            (unsigned long long)i);
    return ZT_OK;
}

static uint64_t start(const struct zti_index *index, uint64_t chunk)
{
    const struct compact c = whole(index);
    return compact_start(&c, chunk);
}

/* The directory's part begins with the entry of the block before, where the first block begins. */
static void window(const struct zti_index *index, uint64_t first, uint64_t last,
                   struct zti_index_window *w)
{
    const struct compact c = whole(index);
    const uint64_t from = first / COMPACT_BLOCK_CHUNKS, to = (last - 1) / COMPACT_BLOCK_CHUNKS + 1;
    const uint64_t begin = bits_before(&c, from) / 8;
    const uint64_t end = entry_at(&c, 2 * to - 1), whole_bytes = c.bits_bytes;
    uint64_t stop = zti_ceil_div(end, 8);
    stop = stop < whole_bytes ? stop : whole_bytes; /* an unchecked index may be wrong */
    w->first_entry = from > 0 ? 2 * from - 2 : 0;
    w->at[0] = 1 + w->first_entry * c.width;
    w->bytes[0] = (2 * to - w->first_entry) * c.width;
    w->first_byte = begin < stop ? begin : stop;
    w->at[1] = index->blocks_at + w->first_byte;
    w->bytes[1] = stop - w->first_byte;
}

const struct zti_layout zti_layout_compact = {.name = "compact",
                                              .body_bytes = body_bytes,
                                              .store = store,
                                              .open = open,
                                              .check = check,
                                              .start = start,
                                              .window = window};
