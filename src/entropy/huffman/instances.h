/* instances.h: encoders and decoders for one instruction set. Each gives the same bits as the plain
 * instance. */
#ifndef ZTI_HUFFMAN_INSTANCES_H
#define ZTI_HUFFMAN_INSTANCES_H

#include "entropy/huffman/huffman.h"

void zti_encode_avx2(const uint32_t *codes, const uint16_t *symbols, size_t n,
                     struct zti_bit_writer *writer);

/* For books that have a window. */
void zti_encode_avx512(const struct zti_codebook *book, const uint16_t *symbols, size_t n,
                       struct zti_bit_writer *writer);

/* Decode up to ZTI_HUFFMAN_PARTS parts of a book of two symbols or more. Ignores 'end', which the
 * caller compares afterwards. */
void zti_decode_avx2(const struct zti_huffman_decoder *decoder, const uint8_t *buffer,
                     size_t buffer_bytes, struct zti_huffman_part *parts, uint32_t part_count);

/* Append codes to the entries of a narrow table of 2^bits entries (decode.c). */
void zti_join_codes_avx2(uint32_t *table, uint32_t bits);

#endif
