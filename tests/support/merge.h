/* merge.h: what the kernels of reduce-merge and shuffle-merge are compared with: the same bits on
 * the CPU. */
#ifndef ZT_TEST_MERGE_H
#define ZT_TEST_MERGE_H

#include "entropy/huffman/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The reduction factor for codes of this mean length: 2^r codes are expected to fill between half a
 * word of 32 bits and a whole one. total_bits and symbols (> 0) are of all that is coded. */
uint32_t zti_merge_factor(uint64_t total_bits, uint64_t symbols);

/* Code a chunk of 2^magnitude symbols (magnitude <= 16) with reduction factor r <= magnitude in a
 * room of zti_merge_room_words(magnitude) words. Returns where in it the chunk is: *bits bits, bit
 * 0 of word 0 first, the rest of the last word zero. *breaking: how many units of 2^r codes have
 * more than 32 bits. */
const uint32_t *zti_merge_chunk(const struct zti_codebook *book, const uint16_t *symbols,
                                uint32_t magnitude, uint32_t r, uint32_t *room, uint64_t *bits,
                                uint32_t *breaking);
size_t zti_merge_room_words(uint32_t magnitude);

#ifdef __cplusplus
}
#endif

#endif
