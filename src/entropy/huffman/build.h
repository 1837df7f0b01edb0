/* build.h: what the files about codebooks share. */
#ifndef ZTI_HUFFMAN_BUILD_H
#define ZTI_HUFFMAN_BUILD_H

#include "entropy/huffman/spec.h"

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

#endif
