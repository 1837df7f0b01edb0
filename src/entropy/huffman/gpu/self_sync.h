/* self_sync.h: decoding Huffman codes by lanes of a warp, of which only the first knows where a
 * code begins.
 *
 * Self-synchronization (Klein and Wiseman 2003; Weissenberger and Schmidt 2018): the bits are cut
 * into equally long pieces, one a lane. Each lane decodes from its piece's first bit, as if a code
 * began there, and tells the next lane where the first code beyond its piece begins. A lane that
 * began elsewhere decodes its piece again, until nothing changes. Codes usually fall into step
 * after a few symbols, so that two or three rounds suffice; after round k, lane k is always right.
 *
 *     pieces    |abc..d|e..fg...|hi.jk...|     each lane begins at its border,
 *     next one          ^+2      ^+1           and learns where it should have
 *
 * The table is indexed by the next 11 bits. An entry has the first code's symbol in 16 bits; 11
 * bits that mark where codes end, so that several codes are counted at a time; and the first code's
 * length in 5 bits. Ends and length are 0 if that code is longer than 11 bits. */
#ifndef ZTI_HUFFMAN_GPU_SELF_SYNC_H
#define ZTI_HUFFMAN_GPU_SELF_SYNC_H

#include "entropy/huffman/gpu/launches.h"

#include "entropy/huffman/build.h"

#define ZTI_CODE_ENTRIES (1u << ZTI_SMALL_TABLE_BITS) /* entries of the table */

static_assert(ZTI_SMALL_TABLE_BITS == 11, "16 bits of a symbol, 11 of ends and 5 fill an entry");

static __device__ __forceinline__ uint32_t zti_code_ends(uint32_t entry)
{
    return entry >> 16 & (ZTI_CODE_ENTRIES - 1);
}

#define ZTI_CODE_HAS_LENGTH (1u << 27) /* entries from here on */

static __device__ __forceinline__ uint32_t zti_code_length(uint32_t entry)
{
    return entry >> 27;
}

/* The code at the beginning of 'high' (16 bits), which has at least 'bits' bits, as an entry
 * without ends; 0 if it is longer than 'most'. */
static __device__ __forceinline__ uint32_t zti_code_at(const uint16_t *order,
                                                       const uint32_t *numbers, uint32_t high,
                                                       uint32_t bits, uint32_t most)
{
    const uint32_t *const first = numbers + ZTI_BOOK_FIRST, *const entry = numbers + ZTI_BOOK_ENTRY;
    bits = zti_find_length(first, entry, high, bits, most);
    return bits > most ? 0 : order[entry[bits] + (high >> (16 - bits)) - first[bits]] | bits << 27;
}

/* The length of the code at the beginning of 'high' (16 bits), which is longer than table_bits.
 * Longer codes are numerically larger prefixes, so a code is longer than l bits if its first l + 1
 * bits are not below the first code of that length; books are complete. */
static __device__ __forceinline__ uint32_t zti_long_length(const uint32_t *numbers, uint32_t high,
                                                           uint32_t table_bits)
{
    uint32_t length = table_bits + 1;
    SIMT_UNROLL
    for (uint32_t l = table_bits + 1; l < ZTI_HUFFMAN_MAX_BITS; l++)
        length += high >> (ZTI_HUFFMAN_MAX_BITS - 1 - l) >= numbers[ZTI_BOOK_FIRST + l + 1];
    return length;
}

/* The place in 'order' of the symbol whose code, longer than table_bits, is at the lowest of
 * 'bits'. */
static __device__ __forceinline__ uint32_t zti_long_place(const uint32_t *numbers, uint32_t bits,
                                                          uint32_t table_bits, uint32_t *length)
{
    const uint32_t high = __brev(bits) >> 16;
    *length = zti_long_length(numbers, high, table_bits);
    return numbers[ZTI_BOOK_ENTRY + *length] + (high >> (16 - *length)) -
           numbers[ZTI_BOOK_FIRST + *length];
}

/* That code as an entry without ends. */
static __device__ __forceinline__ uint32_t zti_long_code(const uint16_t *order,
                                                         const uint32_t *numbers, uint32_t bits,
                                                         uint32_t table_bits)
{
    uint32_t length;
    const uint32_t place = zti_long_place(numbers, bits, table_bits, &length);
    return order[place] | length << 27;
}

/* Compute the ends of entry i from a table of first codes. */
static __device__ __forceinline__ uint32_t zti_ends_in(const uint32_t *table, uint32_t i)
{
    uint32_t ends = 0;
    for (uint32_t at = 0, bits = zti_code_length(table[i]);
         bits > 0 && at + bits <= ZTI_SMALL_TABLE_BITS; bits = zti_code_length(table[i >> at])) {
        at += bits;
        ends |= 1u << (at - 1);
    }
    return ends << 16;
}

/* A book of two symbols or more, and bits to decode; 32 bits must be readable from each place. */
struct zti_code_bits {
    const uint32_t *numbers; /* of the book, indexed by ZTI_BOOK_* */
    const uint16_t *order;
    const uint32_t *table;
    const uint32_t *words;
};

/* The next 32 bits. */
static __device__ __forceinline__ uint32_t zti_bits_from(const struct zti_code_bits *c, uint32_t at)
{
    return __funnelshift_r(c->words[at / 32], c->words[at / 32 + 1], at % 32);
}

/* The next code. */
static __device__ __forceinline__ uint32_t zti_code_from(const struct zti_code_bits *c, uint32_t at)
{
    const uint32_t bits = zti_bits_from(c, at), entry = c->table[bits & (ZTI_CODE_ENTRIES - 1)];
    return zti_code_length(entry) > 0
               ? entry
               : zti_long_code(c->order, c->numbers, bits, ZTI_SMALL_TABLE_BITS);
}

/* A mask of the next bits at which codes end: those that one look-up gives, or that of one longer
 * code. */
static __device__ __forceinline__ uint32_t zti_ends_from(const struct zti_code_bits *c, uint32_t at)
{
    const uint32_t bits = zti_bits_from(c, at);
    const uint32_t ends = zti_code_ends(c->table[bits & (ZTI_CODE_ENTRIES - 1)]);
    if (ends != 0)
        return ends;
    return 1u << (zti_long_length(c->numbers, __brev(bits) >> 16, ZTI_SMALL_TABLE_BITS) - 1);
}

/* Count the codes that begin in [at, limit); returns where the first one after these begins. */
static __device__ __forceinline__ uint32_t zti_count_codes(const struct zti_code_bits *c,
                                                           uint32_t at, uint32_t limit,
                                                           uint32_t *count)
{
    uint32_t n = 0;
    while (at + ZTI_SMALL_TABLE_BITS <= limit) {
        const uint32_t ends = zti_ends_from(c, at);
        at += 32 - (uint32_t)__clz((int)ends);
        n += (uint32_t)__popc(ends);
    }
    while (at < limit) { /* of ends from the limit on, only the first */
        const uint32_t ends = zti_ends_from(c, at);
        const uint32_t inside = (1u << (limit - at - 1)) - 1, beyond = ends & ~inside;
        const uint32_t some = (ends & inside) | (beyond & (0 - beyond));
        at += 32 - (uint32_t)__clz((int)some);
        n += (uint32_t)__popc(some);
    }
    *count = n;
    return at;
}

/* Self-synchronize: each group of 'lanes' lanes has the pieces of the same bits; a lane's piece is
 * [*start, limit). Sets *start to where its first code begins, and *count to the number of codes
 * that begin in it; returns where the first code after it begins. The whole warp calls it. */
static __device__ __forceinline__ uint32_t zti_settle(const struct zti_code_bits *c, uint32_t lanes,
                                                      uint32_t *start, uint32_t limit,
                                                      uint32_t *count)
{
    const bool is_first = threadIdx.x % lanes == 0;
    uint32_t stop = *start, before = *start;
    bool changes = true;
    do {
        if (changes) {
            *start = before;
            stop = zti_count_codes(c, *start, limit, count);
        }
        before = __shfl_up_sync(SIMT_ALL_LANES, stop, 1);
        changes = !is_first && before != *start;
    } while (__any_sync(SIMT_ALL_LANES, changes));
    return stop;
}

#endif
