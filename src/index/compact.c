/* compact.c: the layout 'compact': Elias-Fano in blocks of B = 256 chunks, about 2 + log2(mean
 * length of a chunk) bits a chunk, looked up without a sum over chunks before.
 *
 *     size         field
 *     u8           W: 1 .. 8, bytes of a number of the directory; the fewest that all fit in
 *     2 W each     directory: for each block but the first, and for the end of the last one,
 *                  where it begins: in units from the first tile, then in bits from the first
 *                  block's
 *     bits         blocks, one after the other, bit i being bit i mod 8 of byte i / 8; zeros to
 *                  a whole byte
 *
 * The first block begins at 0. A block of n chunks (the last one: at most B) that begins at b and
 * ends at e has no more than these follow from:
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
 * Cost. Let m = (e - b) / n >= 1 and x = m / 2^L, 1 <= x < 2: a block takes at most
 * n (1 + L + x) = n (log2(m) + 1 + x - log2(x)) <= n (log2(m) + 2) bits; and as the logarithm is
 * concave, all blocks together no more than 2 + log2(mean) bits a chunk. The directory adds W / 16
 * bits a chunk: 2.5 + log2(mean) in all for streams below 2^56 units.
 *
 * Steps. Z < 2 n, so that the high parts of a block are less than 3 B = 768 bits, which lie in 13
 * words: a look-up counts their ones. */
#include "index/layout.h"

enum { BLOCK = 256, MAX_LOW_BITS = 56 };

/* ---- bits of a word ---- */

#define EACH_BYTE(x) (UINT64_C(0x0101010101010101) * (x))

/* Byte i: ones in bytes 0 .. i. */
ZTI_INLINE uint64_t ones_up_to_bytes(uint64_t v)
{
    v -= v >> 1 & EACH_BYTE(0x55);
    v = (v & EACH_BYTE(0x33)) + (v >> 2 & EACH_BYTE(0x33));
    v = (v + (v >> 4)) & EACH_BYTE(0x0f);
    return v * EACH_BYTE(1);
}

/* The place of the lowest one of v, which is not 0. */
ZTI_INLINE uint32_t lowest_one(uint64_t v)
{
    return (uint32_t)(ones_up_to_bytes((v & (0 - v)) - 1) >> 56);
}

/* The place of one number k of v, where there are more than k ones, given ones_up_to_bytes(v). */
ZTI_INLINE uint32_t place_of_one(uint64_t v, uint64_t sums, uint32_t k)
{
    /* bit 7 of each byte whose sum is at most k (sums and k are below 128) */
    const uint64_t before = (EACH_BYTE(0x80 + (uint64_t)k) - sums) & EACH_BYTE(0x80);
    const uint32_t place = (uint32_t)((before >> 7) * EACH_BYTE(1) >> 56) * 8;
    k -= (uint32_t)(sums << 8 >> place & 0xff);
    v = v >> place & 0xff;
    for (; k > 0; k--)
        v &= v - 1;
    return place + lowest_one(v);
}

ZTI_INLINE uint32_t floor_log2(uint64_t v)
{
    uint32_t log2 = 0;
    for (uint32_t step = 32; step > 0; step /= 2)
        if (v >> step) {
            v >>= step;
            log2 += step;
        }
    return log2;
}

/* 8 bytes, or what is left of n followed by zeros. */
ZTI_INLINE uint64_t load(const uint8_t *bytes, uint64_t n, uint64_t at)
{
    if (zti_likely(at + 8 <= n))
        return zti_get_le64(bytes + at);
    uint64_t v = 0;
    for (uint32_t i = 0; at + i < n; i++)
        v |= (uint64_t)bytes[at + i] << 8 * i;
    return v;
}

/* Set n <= 56 bits that are 0. */
static void put(uint8_t *bytes, uint64_t at, uint64_t v, uint32_t n)
{
    for (v <<= at % 8, n += at % 8, at /= 8;; v >>= 8, n -= 8, at++) {
        bytes[at] |= (uint8_t)v;
        if (n <= 8)
            break;
    }
}

/* ---- a block ---- */

struct block {
    uint64_t span;  /* units */
    uint32_t n;     /* chunks */
    uint32_t low;   /* L */
    uint32_t highs; /* bits of high parts */
    uint32_t bits;  /* of all */
};

ZTI_INLINE struct block block_of(uint64_t span, uint64_t n)
{
    struct block b = {.span = span, .n = (uint32_t)n};
    if (n == 1)
        return b;
    const uint32_t low = floor_log2(n == BLOCK ? span / BLOCK : span / n);
    b.low = low < MAX_LOW_BITS ? low : MAX_LOW_BITS;
    b.highs = b.n - 1 + (uint32_t)(span >> b.low);
    b.bits = b.highs + (b.n - 1) * b.low;
    return b;
}

static uint64_t blocks_of(uint64_t chunks)
{
    return chunks / BLOCK + (chunks % BLOCK != 0);
}

static uint64_t chunks_of_block(uint64_t chunks, uint64_t block)
{
    const uint64_t rest = chunks - block * BLOCK;
    return rest < BLOCK ? rest : BLOCK;
}

/* ---- building ---- */

static uint32_t width_of(uint64_t end, uint64_t bits)
{
    return floor_log2(end > bits ? end : bits) / 8 + 1;
}

static uint64_t bits_of(const uint64_t *starts, uint64_t chunks)
{
    uint64_t bits = 0;
    for (uint64_t i = 0; i < chunks; i += BLOCK) {
        const uint64_t n = chunks_of_block(chunks, i / BLOCK);
        bits += block_of(starts[i + n] - starts[i], n).bits;
    }
    return bits;
}

static uint64_t body_bytes(const struct zti_index_layout *layout, const uint64_t *starts,
                           uint64_t chunks)
{
    (void)layout;
    const uint64_t bits = bits_of(starts, chunks);
    return 1 + 2 * width_of(starts[chunks], bits) * blocks_of(chunks) + (bits + 7) / 8;
}

static void store(const struct zti_index_layout *layout, const uint64_t *starts, uint64_t chunks,
                  uint8_t *out)
{
    const uint64_t total = body_bytes(layout, starts, chunks);
    const uint32_t width = width_of(starts[chunks], bits_of(starts, chunks));
    uint8_t *entry = out + 1, *const blocks = entry + 2 * width * blocks_of(chunks);
    uint64_t at = 0;
    memset(out, 0, (size_t)total);
    *out = (uint8_t)width;
    for (uint64_t first = 0; first < chunks; first += BLOCK) {
        const uint64_t n = chunks_of_block(chunks, first / BLOCK), base = starts[first];
        const struct block b = block_of(starts[first + n] - base, n);
        for (uint32_t j = 1; j < b.n; j++) {
            const uint64_t d = starts[first + j] - base;
            put(blocks, at + (d >> b.low) + j - 1, 1, 1);
            if (b.low > 0)
                put(blocks, at + b.highs + (j - 1) * b.low, d & ((UINT64_C(1) << b.low) - 1),
                    b.low);
        }
        at += b.bits;
        entry = zti_put_length(entry, base + b.span, width);
        entry = zti_put_length(entry, at, width);
    }
}

/* ---- look-up ---- */

/* A number of the directory; 2 i is where block i + 1 begins in units, 2 i + 1 in bits. */
ZTI_INLINE uint64_t directory(const struct zti_index *index, uint64_t i)
{
    const uint64_t v = load(index->body, index->body_bytes, 1 + i * index->width);
    return index->width == 8 ? v : v & ((UINT64_C(1) << 8 * index->width) - 1);
}

static zt_status open(zt_context *context, struct zti_index *index)
{
    const uint64_t blocks = blocks_of(index->chunks), bytes = index->body_bytes;
    uint64_t base = 0, at = 0;
    index->width = bytes > 0 ? index->body[0] : 0;
    if (index->width < 1 || index->width > 8 || (bytes - 1) / (2 * index->width) < blocks)
        return zti_index_bad_size(context, index);
    index->at = 1 + 2 * index->width * blocks;
    for (uint64_t i = 0; i < blocks; i++) {
        const uint64_t next = directory(index, 2 * i);
        if (next >= base && next <= index->end)
            at += block_of(next - base, chunks_of_block(index->chunks, i)).bits;
        if (next < base || next > index->end || directory(index, 2 * i + 1) != at)
            return zti_fail(context, ZT_CORRUPT,
                            "the index is damaged or another stream's: block %llu does not begin "
                            "where the one before ends, or ends beyond the stream",
                            (unsigned long long)i);
        base = next;
    }
    if (bytes - index->at != (at + 7) / 8 || index->width != width_of(base, at) ||
        (at % 8 != 0 && index->body[bytes - 1] >> at % 8 != 0))
        return zti_index_bad_size(context, index);
    return zti_index_set_end(context, index, base);
}

/* Where one number k of the bits [at, end) of the blocks is, counted from at; end - at if there are
 * not so many. */
static uint64_t find_one(const struct zti_index *index, uint64_t at, uint64_t end, uint32_t k)
{
    uint64_t byte = at / 8, mask = UINT64_MAX << at % 8;
    for (; byte * 8 < end; byte += 8, mask = UINT64_MAX) {
        const uint64_t v = load(index->body, index->body_bytes, index->at + byte) & mask;
        const uint64_t sums = ones_up_to_bytes(v);
        const uint32_t ones = (uint32_t)(sums >> 56);
        if (k < ones) {
            const uint64_t found = byte * 8 + place_of_one(v, sums, k);
            return (found < end ? found : end) - at;
        }
        k -= ones;
    }
    return end - at;
}

struct place {
    uint64_t base; /* units */
    uint64_t at;   /* bits */
    uint64_t end;  /* of its high parts, bits */
    struct block block;
};

ZTI_INLINE struct place place_of(const struct zti_index *index, uint64_t block)
{
    struct place p = {.base = block > 0 ? directory(index, 2 * block - 2) : 0,
                      .at = block > 0 ? directory(index, 2 * block - 1) : 0};
    p.block = block_of(directory(index, 2 * block) - p.base,
                       chunks_of_block(index->chunks, block));
    p.end = p.at + p.block.highs;
    return p;
}

/* The start of chunk j > 0 of a block, whose one is at a place counted from the first high part. */
ZTI_INLINE uint64_t start_of(const struct zti_index *index, const struct place *p, uint32_t j,
                             uint64_t one)
{
    const struct block *const b = &p->block;
    const uint64_t at = p->end + (uint64_t)(j - 1) * b->low;
    const uint64_t low = load(index->body, index->body_bytes, index->at + at / 8) >> at % 8;
    const uint64_t d = (one - (j - 1)) << b->low | (low & ((UINT64_C(1) << b->low) - 1));
    return p->base + (d < b->span ? d : b->span);
}

static uint64_t start(const struct zti_index *index, uint64_t chunk)
{
    const uint32_t j = chunk % BLOCK;
    const struct place p = place_of(index, chunk / BLOCK);
    return j == 0 ? p.base : start_of(index, &p, j, find_one(index, p.at, p.end, j - 1));
}

const struct zti_layout zti_layout_compact = {
    .name = "compact", .body_bytes = body_bytes, .store = store, .open = open, .start = start};
