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

/* The same bytes by reduce-merge and shuffle-merge of Tian et al., "Revisiting Huffman Coding"
 * (IPDPS 2021), which are kernels under ZT_CUDA: 2^magnitude symbols (10 to 12) are merged, of
 * which a thread merges the first 2^reduction (0 to 4) by itself; ZT_REDUCTION_AUTO takes that from
 * the mean length of codes. */
#define ZT_REDUCTION_AUTO UINT32_MAX

ZT_API zt_status zt_huffman_encode_merged(zt_context *context, const void *symbols,
                                          uint32_t symbol_bytes, uint64_t count, uint32_t alphabet,
                                          uint32_t magnitude, uint32_t reduction, void *out,
                                          size_t out_capacity_bytes, size_t *out_bytes);

/* What a stream claims to hold; no checksum is looked at. ZT_CORRUPT, ZT_UNSUPPORTED. */
ZT_API zt_status zt_huffman_inspect(zt_context *context, const void *data, size_t data_bytes,
                                    uint32_t *alphabet, uint64_t *symbols);

/* Decode a whole stream; count is what zt_huffman_inspect says, symbol_bytes any width that holds
 * the alphabet. The checksum is verified first. ZT_BAD_ARG, ZT_CORRUPT, ZT_UNSUPPORTED,
 * ZT_NO_MEMORY. */
ZT_API zt_status zt_huffman_decode(zt_context *context, const void *data, size_t data_bytes,
                                   void *symbols, uint32_t symbol_bytes, uint64_t count);

/* ---- bytes of any kind as symbols ------------------------------------------------------------ */

/* A block is bytes that were taken for symbols, and coded; a file of `ztile entropy` is blocks one
 * after another, of which the last says so. docs/format/huffman.md describes it. Memory is the
 * host's; policies do what they do in zt_huffman_encode. */
typedef enum zt_symbols {
    ZT_SYMBOLS_BYTES = 1, /* a byte each */
    ZT_SYMBOLS_WORDS = 2, /* two bytes each, little-endian */
    ZT_SYMBOLS_KMERS = 3  /* k letters each, such as bases of a genome */
} zt_symbols;

enum {
    ZT_ENTROPY_BLOCK_BYTES = 1 << 24, /* of a block's bytes */
    ZT_ENTROPY_HEAD_BYTES = 300,      /* the most before its stream */
    ZT_ENTROPY_MOST_K = 16
};

typedef struct zt_entropy {
    uint32_t struct_bytes; /* set by zt_entropy_init */
    uint32_t symbols;      /* zt_symbols; bytes at first */
    uint32_t k;            /* of k-mers: letters each; letters^k is at most 65,536 */
    uint32_t letter_count; /* 0: the letters are those that occur */
    uint8_t letters[256];
    uint32_t is_last;   /* not 0: no block follows */
    uint32_t magnitude; /* of zt_huffman_encode_merged; 0: by zt_huffman_encode */
    uint32_t reduction;
    uint32_t reserved; /* 0 */
} zt_entropy;

ZT_API zt_status zt_entropy_init(zt_entropy *entropy, size_t entropy_bytes);

/* The most bytes of a block of so many. ZT_BAD_ARG above ZT_ENTROPY_BLOCK_BYTES. */
ZT_API zt_status zt_entropy_bound(uint64_t bytes, size_t *capacity_bytes);

/* ZT_BAD_ARG (also for a byte that is no letter), ZT_NO_SPACE, ZT_NO_MEMORY. */
ZT_API zt_status zt_entropy_encode(zt_context *context, const void *data, uint64_t bytes,
                                   const zt_entropy *entropy, void *out, size_t out_capacity_bytes,
                                   size_t *out_bytes);

/* What a block says of itself: its symbols, the bytes that it decodes to, its own. data_bytes may
 * be ZT_ENTROPY_HEAD_BYTES, or all there is. ZT_CORRUPT, ZT_UNSUPPORTED. */
ZT_API zt_status zt_entropy_inspect(zt_context *context, const void *data, size_t data_bytes,
                                    zt_entropy *entropy, uint64_t *bytes, uint64_t *block_bytes);

/* Decode a block: data_bytes and bytes are what zt_entropy_inspect says. ZT_BAD_ARG, ZT_CORRUPT,
 * ZT_UNSUPPORTED, ZT_NO_MEMORY. */
ZT_API zt_status zt_entropy_decode(zt_context *context, const void *data, size_t data_bytes,
                                   void *out, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
