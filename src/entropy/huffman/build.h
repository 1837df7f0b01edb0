/* build.h: what the files about codebooks share. */
#ifndef ZTI_HUFFMAN_BUILD_H
#define ZTI_HUFFMAN_BUILD_H

#include "entropy/huffman/huffman.h"

/* Bits that a decoder's table is indexed by: 11 (16 KiB, a third of a first-level cache; 8 where
 * entries are narrow), or 13 where that is worth it (decode.c). */
enum { ZTI_SMALL_TABLE_BITS = 11, ZTI_LARGE_TABLE_BITS = 13 };

/* A book without codes; its lengths are zero. ZT_BAD_ARG, ZT_NO_MEMORY. */
zt_status zti_codebook_alloc(zt_context *context, uint32_t alphabet, struct zti_codebook *book);

/* Assign codes from book->lengths, which satisfy Kraft's inequality with equality, or are all zero:
 * then the caller has set used to 0, or to 1 and order[0]. */
void zti_codebook_generate(struct zti_codebook *book);

/* The least total length with no code longer than 'limit' bits, 2^limit >= n >= 2: lengths of
 * leaves sorted by rising count. ZT_NO_MEMORY. */
zt_status zti_limit_lengths(zt_context *context, const uint64_t *sorted_counts, uint32_t n,
                            uint32_t limit, uint8_t *lengths);

/* The low 'bits' <= 16 bits the other way round. */
ZTI_INLINE uint32_t zti_reversed(uint32_t code, uint32_t bits)
{
    uint32_t v = code;
    v = (v & 0x5555) << 1 | (v >> 1 & 0x5555);
    v = (v & 0x3333) << 2 | (v >> 2 & 0x3333);
    v = (v & 0x0f0f) << 4 | (v >> 4 & 0x0f0f);
    v = (v & 0x00ff) << 8 | (v >> 8 & 0x00ff);
    return v >> (16 - bits);
}

/* How many of the first 'diagonal' items of the merge of two runs are of the first run (merge path,
 * Green et al.). The first run's items come before equal ones of the second. */
ZTI_INLINE uint32_t zti_merge_split(const uint64_t *a, uint32_t an, const uint64_t *b, uint32_t bn,
                                    uint32_t diagonal)
{
    uint32_t low = diagonal > bn ? diagonal - bn : 0, high = diagonal < an ? diagonal : an;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The weight of two items as one, in a package-merge. Weights add up to at most 'limit' times all
 * counts; where that is too much for 64 bits they stay below the heaviest, UINT64_MAX, and the
 * lengths are still those of a complete code. */
ZTI_INLINE uint64_t zti_pack(uint64_t a, uint64_t b)
{
    return a + b < a || a + b == UINT64_MAX ? UINT64_MAX - 1 : a + b;
}

#endif
