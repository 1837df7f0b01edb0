/* instances.h: the kernels of this folder that are compiled for an instruction set. Each does what
 * the plain instance does, bit for bit. */
#ifndef ZTI_HUFFMAN_INSTANCES_H
#define ZTI_HUFFMAN_INSTANCES_H

#include "entropy/huffman/huffman.h"

void zti_encode_avx2(const uint32_t *codes, const uint16_t *symbols, size_t n,
                     struct zti_bit_writer *writer);

/* For books that have a window. */
void zti_encode_avx512(const struct zti_codebook *book, const uint16_t *symbols, size_t n,
                       struct zti_bit_writer *writer);

/* Decode up to ZTI_HUFFMAN_PARTS parts; every 'end' is within the buffer and the book has two
 * symbols or more. Does not look at 'end': the caller does, afterwards. */
void zti_decode_avx2(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                     size_t buffer_bytes, struct zti_huffman_part *parts, uint32_t part_count);

#endif
