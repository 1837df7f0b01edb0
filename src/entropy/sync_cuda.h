/* sync_cuda.h: codes to symbols by the lanes of a warp, none of which knows where a code begins.
 *
 * Lanes have pieces of the bits that are equally long. They begin at the piece's first bit, as if a
 * code did, and tell the next lane where the first code beyond their own piece begins. A lane that
 * began elsewhere goes through its piece again, until nothing changes (self-synchronization: Klein
 * and Wiseman 2003; Weissenberger and Schmidt 2018). Codes fall into step after a few symbols as a
 * rule, so that two or three rounds do; 32 always do, as lane k is right after round k.
 *
 *     pieces    |abc..d|e..fg...|hi.jk...|     each lane begins at its border,
 *     next one          ^+2      ^+1           and learns where it should have
 */
#ifndef ZTI_SYNC_CUDA_H
#define ZTI_SYNC_CUDA_H

#include "entropy/huffman_kernel.h"

#include "entropy/huffman_build.h"

/* A book to decode with, and the bits. */
struct zti_code_bits {
    const uint32_t *numbers; /* of the book, by ZTI_BOOK_ */
    const uint16_t *order;
    const uint32_t *table; /* by the next bits: symbol | bits << 16; 0: the code is longer */
    uint32_t table_bits;
    const uint32_t *words;
    uint32_t words_count; /* zeros are read beyond */
};

/* The code at the highest of 16 bits, from a length on: symbol | bits << 16, or 0 where it is
 * longer than 'most'. */
static __device__ __forceinline__ uint32_t zti_code_at(const uint16_t *order,
                                                       const uint32_t *numbers, uint32_t high,
                                                       uint32_t bits, uint32_t most)
{
    const uint32_t *const first = numbers + ZTI_BOOK_FIRST, *const entry = numbers + ZTI_BOOK_ENTRY;
    for (; bits <= most; bits++) {
        const uint32_t place = (high >> (16 - bits)) - first[bits];
        if (place < entry[bits + 1] - entry[bits])
            return order[entry[bits] + place] | bits << 16;
    }
    return 0;
}

/* A book's table of 2^table_bits entries; all threads of the block call it. */
static __device__ __forceinline__ void zti_make_table(const uint16_t *order,
                                                      const uint32_t *numbers, uint32_t *table,
                                                      uint32_t table_bits, uint32_t threads)
{
    for (uint32_t i = threadIdx.x; i < 1u << table_bits; i += threads)
        table[i] = zti_code_at(order, numbers, zti_reversed(i, 16), 1, table_bits);
}

/* Bits in a register, of which 16 or more are there. */
struct zti_held_bits {
    uint64_t held;
    uint32_t count, next; /* how many; the word that comes behind */
};

static __device__ __forceinline__ uint32_t zti_code_word(const struct zti_code_bits *c, uint32_t i)
{
    return i < c->words_count ? c->words[i] : 0;
}

static __device__ __forceinline__ struct zti_held_bits zti_held_at(const struct zti_code_bits *c,
                                                                   uint32_t at)
{
    struct zti_held_bits b;
    b.held = zti_code_word(c, at / 32) >> at % 32;
    b.count = 32 - at % 32;
    b.next = at / 32 + 1;
    return b;
}

/* The next code: symbol | bits << 16. */
static __device__ __forceinline__ uint32_t zti_take_code(const struct zti_code_bits *c,
                                                         struct zti_held_bits *b)
{
    if (b->count < 32) {
        b->held |= (uint64_t)zti_code_word(c, b->next) << b->count;
        b->count += 32;
        b->next++;
    }
    uint32_t code = c->table[b->held & ((1u << c->table_bits) - 1)];
    if (code == 0)
        code = zti_code_at(c->order, c->numbers, zti_reversed((uint32_t)b->held & 0xffff, 16),
                           c->table_bits + 1, c->numbers[ZTI_BOOK_LONGEST]);
    b->held >>= code >> 16;
    b->count -= code >> 16;
    return code;
}

/* Go through codes that begin in [at, limit); returns where the first one beyond begins. */
static __device__ __forceinline__ uint32_t zti_go_through(const struct zti_code_bits *c,
                                                          uint32_t at, uint32_t limit,
                                                          uint32_t *count)
{
    struct zti_held_bits b = zti_held_at(c, at < limit ? at : 0);
    *count = 0;
    for (; at < limit; (*count)++)
        at += zti_take_code(c, &b) >> 16;
    return at;
}

/* A lane's piece ends before 'limit'; *start is its first bit, and then where its first code
 * begins. How many codes begin in the piece, and where the first one beyond does. The warp calls
 * it, with a book of two symbols or more. */
static __device__ __forceinline__ uint32_t zti_settle(const struct zti_code_bits *c,
                                                      uint32_t *start, uint32_t limit,
                                                      uint32_t *count)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t stop = zti_go_through(c, *start, limit, count);
    bool changes;
    do {
        const uint32_t before = __shfl_up_sync(SIMT_ALL_LANES, stop, 1);
        changes = lane > 0 && before != *start;
        if (changes) {
            *start = before;
            stop = zti_go_through(c, *start, limit, count);
        }
    } while (__any_sync(SIMT_ALL_LANES, changes));
    return stop;
}

#endif
