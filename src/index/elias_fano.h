/* elias_fano.h: look-ups in the layout 'compact', for the CPU and for kernels. In: its bytes, or
 * the window that a look-up needs. Out: where a chunk begins. compact.c describes the bytes. */
#ifndef ZTI_INDEX_ELIAS_FANO_H
#define ZTI_INDEX_ELIAS_FANO_H

#include "core/core.h"

enum { COMPACT_BLOCK_CHUNKS = 256, COMPACT_LOW_BITS_MOST = 56 };

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LITTLE_ENDIAN_64(v) __builtin_bswap64(v)
#else
#define LITTLE_ENDIAN_64(v) (v)
#endif

/* ---- bits of a word ---- */

#define EACH_BYTE(x) (UINT64_C(0x0101010101010101) * (x))

/* Byte i of the result: the number of ones in bytes 0 .. i. */
ZTI_INLINE uint64_t prefix_popcounts(uint64_t v)
{
    v -= v >> 1 & EACH_BYTE(0x55);
    v = (v & EACH_BYTE(0x33)) + (v >> 2 & EACH_BYTE(0x33));
    v = (v + (v >> 4)) & EACH_BYTE(0x0f);
    return v * EACH_BYTE(1);
}

/* The number of the lowest set bit of v, which is not 0. */
ZTI_INLINE uint32_t lowest_set_bit(uint64_t v)
{
    return (uint32_t)(prefix_popcounts((v & (0 - v)) - 1) >> 56);
}

/* The number of set bit k of v, counted from 0 (select). v has more than k set bits; sums is
 * prefix_popcounts(v). */
ZTI_INLINE uint32_t select_in_word(uint64_t v, uint64_t sums, uint32_t k)
{
    /* bit 7 of each byte whose sum is at most k (sums and k are below 128) */
    const uint64_t before = (EACH_BYTE(0x80 + (uint64_t)k) - sums) & EACH_BYTE(0x80);
    const uint32_t place = (uint32_t)((before >> 7) * EACH_BYTE(1) >> 56) * 8;
    k -= (uint32_t)(sums << 8 >> place & 0xff);
    v = v >> place & 0xff;
    for (; k > 0; k--)
        v &= v - 1;
    return place + lowest_set_bit(v);
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

/* Load 8 bytes from 'at' on; bytes beyond n are zero. */
ZTI_INLINE uint64_t load_le64(const uint8_t *bytes, uint64_t n, uint64_t at)
{
    uint64_t v = 0;
    if (zti_likely(at < n && n - at >= 8)) {
        memcpy(&v, bytes + at, sizeof v);
        return LITTLE_ENDIAN_64(v);
    }
    for (uint32_t i = 0; at < n && i < n - at; i++)
        v |= (uint64_t)bytes[at + i] << 8 * i;
    return v;
}

/* ---- a block ---- */

struct compact_block {
    uint64_t span;  /* units */
    uint32_t n;     /* chunks */
    uint32_t low;   /* L */
    uint32_t highs; /* bits of its high parts */
    uint32_t bits;  /* of high and low parts */
};

ZTI_INLINE struct compact_block compact_block_of(uint64_t span, uint64_t n)
{
    struct compact_block b;
    memset(&b, 0, sizeof b);
    b.span = span;
    b.n = (uint32_t)n;
    if (n == 1)
        return b;
    const uint32_t low =
        floor_log2(n == COMPACT_BLOCK_CHUNKS ? span / COMPACT_BLOCK_CHUNKS : span / n);
    b.low = low < COMPACT_LOW_BITS_MOST ? low : (uint32_t)COMPACT_LOW_BITS_MOST;
    b.highs = b.n - 1 + (uint32_t)(span >> b.low);
    b.bits = b.highs + (b.n - 1) * b.low;
    return b;
}

ZTI_STATIC uint64_t compact_blocks(uint64_t chunks)
{
    return zti_ceil_div(chunks, COMPACT_BLOCK_CHUNKS);
}

ZTI_STATIC uint64_t compact_block_chunks(uint64_t chunks, uint64_t block)
{
    const uint64_t rest = chunks - block * COMPACT_BLOCK_CHUNKS;
    return rest < COMPACT_BLOCK_CHUNKS ? rest : (uint64_t)COMPACT_BLOCK_CHUNKS;
}

/* Bytes of a directory entry. end, bits: the last block's two entries, the largest of all. */
ZTI_STATIC uint32_t compact_width(uint64_t end, uint64_t bits)
{
    return floor_log2(end > bits ? end : bits) / 8 + 1;
}

/* Bytes of the directory. */
ZTI_STATIC uint64_t compact_directory_bytes(uint64_t chunks, uint32_t width)
{
    return 2 * width * compact_blocks(chunks);
}

/* For chunk j > 0, which begins d units after its block: the position of its set bit in the high
 * parts, and of its low part. Both in bits from the block's first bit. */
ZTI_STATIC uint64_t high_bit_of(const struct compact_block *b, uint32_t j, uint64_t d)
{
    return (d >> b->low) + j - 1;
}

ZTI_STATIC uint64_t low_part_at(const struct compact_block *b, uint32_t j)
{
    return b->highs + (uint64_t)(j - 1) * b->low;
}

ZTI_STATIC uint64_t low_part_of(const struct compact_block *b, uint64_t d)
{
    return d & ((UINT64_C(1) << b->low) - 1);
}

/* ---- look-up ---- */

/* The body, or a window of it: the directory from entry first_entry on, and the blocks from byte
 * first_byte on. */
struct compact {
    const uint8_t *entries, *bits;
    uint64_t entries_bytes, bits_bytes; /* of these parts */
    uint64_t first_entry, first_byte;
    uint64_t chunks; /* of the stream */
    uint32_t width;  /* bytes of a directory entry */
};

/* A directory entry: entry 2 i is where block i ends in units, 2 i + 1 in bits. */
ZTI_INLINE uint64_t entry_at(const struct compact *c, uint64_t i)
{
    const uint64_t v = load_le64(c->entries, c->entries_bytes, (i - c->first_entry) * c->width);
    return c->width == 8 ? v : v & ((UINT64_C(1) << 8 * c->width) - 1);
}

/* Where a block begins, in units and in bits. */
ZTI_INLINE uint64_t units_before(const struct compact *c, uint64_t block)
{
    return block > 0 ? entry_at(c, 2 * block - 2) : 0;
}

ZTI_INLINE uint64_t bits_before(const struct compact *c, uint64_t block)
{
    return block > 0 ? entry_at(c, 2 * block - 1) : 0;
}

/* Whether a block ends at most at a unit, and takes the bits that the directory says. */
ZTI_STATIC bool is_block_sound(const struct compact *c, uint64_t block, uint64_t end)
{
    const uint64_t base = units_before(c, block), next = entry_at(c, 2 * block);
    return next >= base && next <= end &&
           entry_at(c, 2 * block + 1) ==
               bits_before(c, block) +
                   compact_block_of(next - base, compact_block_chunks(c->chunks, block)).bits;
}

/* The position, counted from 'at', of set bit k of the blocks' bits [at, end); end - at if there
 * are at most k set bits. */
ZTI_STATIC uint64_t select_bit(const struct compact *c, uint64_t at, uint64_t end, uint32_t k)
{
    uint64_t byte = at / 8, mask = UINT64_MAX << at % 8;
    for (; byte * 8 < end; byte += 8, mask = UINT64_MAX) {
        const uint64_t v = load_le64(c->bits, c->bits_bytes, byte - c->first_byte) & mask;
        const uint64_t sums = prefix_popcounts(v);
        const uint32_t ones = (uint32_t)(sums >> 56);
        if (k < ones) {
            const uint64_t found = byte * 8 + select_in_word(v, sums, k);
            return (found < end ? found : end) - at;
        }
        k -= ones;
    }
    return end - at;
}

struct block_location {
    uint64_t base; /* units */
    uint64_t at;   /* bits */
    uint64_t end;  /* of its high parts, bits */
    struct compact_block block;
};

ZTI_INLINE struct block_location locate_block(const struct compact *c, uint64_t block)
{
    struct block_location p;
    p.base = units_before(c, block);
    p.at = bits_before(c, block);
    p.block =
        compact_block_of(entry_at(c, 2 * block) - p.base, compact_block_chunks(c->chunks, block));
    p.end = p.at + p.block.highs;
    return p;
}

/* The start of chunk j > 0 of a block; 'one' is the position of its set bit in the high parts. */
ZTI_INLINE uint64_t start_in_block(const struct compact *c, const struct block_location *p,
                                   uint32_t j, uint64_t one)
{
    const struct compact_block *const b = &p->block;
    const uint64_t at = p->at + low_part_at(b, j);
    const uint64_t low = load_le64(c->bits, c->bits_bytes, at / 8 - c->first_byte) >> at % 8;
    const uint64_t d = (one - (j - 1)) << b->low | low_part_of(b, low);
    return p->base + (d < b->span ? d : b->span);
}

/* Where a chunk begins, chunk < chunks. */
ZTI_INLINE uint64_t compact_start(const struct compact *c, uint64_t chunk)
{
    const uint32_t j = chunk % COMPACT_BLOCK_CHUNKS;
    const struct block_location p = locate_block(c, chunk / COMPACT_BLOCK_CHUNKS);
    return j == 0 ? p.base : start_in_block(c, &p, j, select_bit(c, p.at, p.end, j - 1));
}

#endif
