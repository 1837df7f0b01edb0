/* ztile_huffman.h: Huffman coding: symbols to bits and back, without arrays. What holds for every
 * declaration of ztile.h holds here. */
#ifndef ZTILE_HUFFMAN_H
#define ZTILE_HUFFMAN_H

#include "ztile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Huffman coding: symbols to bits and back, without arrays ------------------------------- */

/* Symbols below an alphabet of at most 65,536, each in 1, 2 or 4 bytes of the machine's order:
 * residuals, text, bases of a genome. The stream is described in docs/format/huffman.md; it depends
 * on the symbols and the alphabet alone, not on how wide symbols are, nor on the context. Under
 * ZT_OMP, runs of 262,144 symbols are coded at the same time. */

/* The most bytes that zt_huffman_encode can write. ZT_BAD_ARG for an alphabet of 0 or above 65,536,
 * or more symbols than memory holds. */
ZT_API zt_status zt_huffman_bound(uint64_t symbols, uint32_t alphabet, size_t *capacity_bytes);

/* Encode count symbols into a stream.
 *
 * symbols       count symbols of symbol_bytes (1, 2 or 4) each, aligned to that; all below
 * alphabet. out           out_capacity_bytes of memory; zt_huffman_bound says how many always
 * suffice. out_bytes     how many were used.
 *
 * ZT_BAD_ARG (also for a symbol that is not below the alphabet), ZT_NO_SPACE, ZT_NO_MEMORY. */
ZT_API zt_status zt_huffman_encode(zt_context *context, const void *symbols, uint32_t symbol_bytes,
                                   uint64_t count, uint32_t alphabet, void *out,
                                   size_t out_capacity_bytes, size_t *out_bytes);

/* What a stream claims to hold; no checksum is looked at. ZT_CORRUPT, ZT_UNSUPPORTED. */
ZT_API zt_status zt_huffman_inspect(zt_context *context, const void *data, size_t data_bytes,
                                    uint32_t *alphabet, uint64_t *symbols);

/* Decode a whole stream; count is what zt_huffman_inspect says, symbol_bytes any width that holds
 * the alphabet. The checksum is verified first. ZT_BAD_ARG, ZT_CORRUPT, ZT_UNSUPPORTED,
 * ZT_NO_MEMORY. */
ZT_API zt_status zt_huffman_decode(zt_context *context, const void *data, size_t data_bytes,
                                   void *symbols, uint32_t symbol_bytes, uint64_t count);

#ifdef __cplusplus
}
#endif

#endif
