/* build.h: the inner functions of codebook.c, limit.c, table.c and decode.c. */
#ifndef ZTI_HUFFMAN_BUILD_H
#define ZTI_HUFFMAN_BUILD_H

#include "entropy/huffman/spec.h"

/* Bits that index a decoder's table: 11 (16 KiB, or 8 with narrow entries, so that it fits the
 * first-level cache), or 13 where many codes are longer (decode.c). */
enum { ZTI_SMALL_TABLE_BITS = 11, ZTI_LARGE_TABLE_BITS = 13 };

/* Allocate a book whose lengths are all zero. ZT_BAD_ARG, ZT_NO_MEMORY. */
zt_status zti_codebook_alloc(zt_context *context, uint32_t alphabet, struct zti_codebook *book);

/* Assign codes from book->lengths, which satisfy Kraft's inequality with equality. If all are zero,
 * the caller has set used to 0, or to 1 with the symbol in order[0]. */
void zti_codebook_generate(struct zti_codebook *book);

/* Find the code lengths, none above 'limit' bits, that make the whole code shortest, for n leaves
 * sorted by rising count. 2^limit >= n >= 2. ZT_NO_MEMORY. */
zt_status zti_limit_lengths(zt_context *context, const uint64_t *sorted_counts, uint32_t n,
                            uint32_t limit, uint8_t *lengths);

#endif
