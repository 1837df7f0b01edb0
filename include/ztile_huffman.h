/** @file
 * Huffman coding of symbols, without arrays: residuals, text, bases of a genome; and of bytes of
 * any kind. The rules of ztile.h hold here.
 *
 * Symbols are numbers below an alphabet of at most 65,536, each in 1, 2 or 4 bytes of the machine's
 * byte order. The stream depends on the symbols and the alphabet, and not on how wide they are.
 * With ZT_OMP, runs of 262,144 symbols are coded at the same time; with ZT_CUDA, on the GPU.
 * Stream: docs/format/huffman.md. Codes: Tian et al., IPDPS 2021 (GenerateCL and GenerateCW).
 */
#ifndef ZTILE_HUFFMAN_H
#define ZTILE_HUFFMAN_H

#include "ztile.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The most bytes that zt_huffman_encode() can write.
 * @param symbols how many
 * @param alphabet 1 to 65,536
 * @param capacity_bytes gets the number
 * @return ZT_BAD_ARG for another alphabet, or for more symbols than memory holds */
ZT_API zt_status zt_huffman_bound(uint64_t symbols, uint32_t alphabet, size_t *capacity_bytes);

/** Encode symbols into a stream.
 * @param context NULL is allowed
 * @param symbols each below the alphabet, aligned to symbol_bytes
 * @param symbol_bytes of a symbol: 1, 2 or 4
 * @param count how many
 * @param alphabet 1 to 65,536
 * @param out gets the stream
 * @param out_capacity_bytes room at out; zt_huffman_bound() says how much suffices
 * @param out_bytes how much was used
 * @return ZT_BAD_ARG also for a symbol that is not below the alphabet; ZT_NO_SPACE */
ZT_API zt_status zt_huffman_encode(zt_context *context, const void *symbols, uint32_t symbol_bytes,
                                   uint64_t count, uint32_t alphabet, void *out,
                                   size_t out_capacity_bytes, size_t *out_bytes);

#define ZT_REDUCTION_AUTO UINT32_MAX /**< By the mean length of codes. */

/** zt_huffman_encode() by reduce-merge and shuffle-merge: the same bytes. Under ZT_CUDA these are
 * kernels. Source: Tian et al., "Revisiting Huffman Coding", IPDPS 2021.
 * @param context NULL is allowed
 * @param symbols each below the alphabet, aligned to symbol_bytes
 * @param symbol_bytes of a symbol: 1, 2 or 4
 * @param count how many
 * @param alphabet 1 to 65,536
 * @param magnitude 2^magnitude symbols are merged: 10 to 12
 * @param reduction a thread merges 2^reduction symbols by itself: 0 to 4, or ZT_REDUCTION_AUTO
 * @param out gets the stream
 * @param out_capacity_bytes room at out; zt_huffman_bound() says how much suffices
 * @param out_bytes how much was used
 * @return as zt_huffman_encode() */
ZT_API zt_status zt_huffman_encode_merged(zt_context *context, const void *symbols,
                                          uint32_t symbol_bytes, uint64_t count, uint32_t alphabet,
                                          uint32_t magnitude, uint32_t reduction, void *out,
                                          size_t out_capacity_bytes, size_t *out_bytes);

/** What a stream claims to hold. Its checksum is not verified.
 * @param context NULL is allowed
 * @param data the stream
 * @param data_bytes its length
 * @param alphabet gets the alphabet
 * @param symbols gets how many symbols there are
 * @return ZT_CORRUPT, ZT_UNSUPPORTED */
ZT_API zt_status zt_huffman_inspect(zt_context *context, const void *data, size_t data_bytes,
                                    uint32_t *alphabet, uint64_t *symbols);

/** Decode a whole stream. Its checksum is verified first.
 * @param context NULL is allowed
 * @param data the stream
 * @param data_bytes its length
 * @param symbols gets count symbols
 * @param symbol_bytes 1, 2 or 4, wide enough for the alphabet
 * @param count what zt_huffman_inspect() says
 * @return ZT_CORRUPT, ZT_UNSUPPORTED */
ZT_API zt_status zt_huffman_decode(zt_context *context, const void *data, size_t data_bytes,
                                   void *symbols, uint32_t symbol_bytes, uint64_t count);

/* ---- bytes of any kind as symbols ------------------------------------------------------------ */

/** How bytes become symbols.
 *
 * A block is a piece of a file, coded by itself. A file of `ztile entropy` is blocks one after
 * another; the last one is marked. Blocks are in host memory under every policy. Bytes of a block:
 * docs/format/huffman.md. */
typedef enum zt_symbols {
    ZT_SYMBOLS_BYTES = 1, /**< A byte is a symbol. */
    ZT_SYMBOLS_WORDS = 2, /**< Two bytes are a symbol, little-endian. */
    ZT_SYMBOLS_KMERS = 3  /**< k letters are a symbol, such as bases of a genome. */
} zt_symbols;

/** Limits of blocks. */
enum {
    ZT_ENTROPY_BLOCK_BYTES = 1 << 24, /**< Bytes that a block holds at most. */
    ZT_ENTROPY_HEAD_BYTES = 300,      /**< Bytes of a block before its stream, at most. */
    ZT_ENTROPY_MOST_K = 16            /**< Letters of a k-mer at most. */
};

/** How a block is coded. */
typedef struct zt_entropy {
    uint32_t struct_bytes; /**< Set by zt_entropy_init(). */
    uint32_t symbols;      /**< #zt_symbols; default bytes */
    uint32_t k;            /**< k-mers: letters in each; letter_count^k is at most 65,536. */
    uint32_t letter_count; /**< How many letters there are; 0: those that occur. */
    uint8_t letters[256];  /**< k-mers: the letters. */
    uint32_t is_last;      /**< Not 0: no block follows. */
    uint32_t magnitude;    /**< Of zt_huffman_encode_merged(); 0: zt_huffman_encode() codes. */
    uint32_t reduction;    /**< Of zt_huffman_encode_merged(). */
    uint32_t reserved;     /**< 0 */
} zt_entropy;

/** Set every field to its default. entropy_bytes is sizeof(zt_entropy). */
ZT_API zt_status zt_entropy_init(zt_entropy *entropy, size_t entropy_bytes);

/** The most bytes that a block can take. bytes is what it holds, at most ZT_ENTROPY_BLOCK_BYTES;
 * ZT_BAD_ARG above. */
ZT_API zt_status zt_entropy_bound(uint64_t bytes, size_t *capacity_bytes);

/** Encode a block.
 * @param context NULL is allowed
 * @param data the bytes
 * @param bytes how many
 * @param entropy how they become symbols
 * @param out gets the block
 * @param out_capacity_bytes room at out; zt_entropy_bound() says how much suffices
 * @param out_bytes how much was used
 * @return ZT_BAD_ARG also for a byte that is no letter; ZT_NO_SPACE */
ZT_API zt_status zt_entropy_encode(zt_context *context, const void *data, uint64_t bytes,
                                   const zt_entropy *entropy, void *out, size_t out_capacity_bytes,
                                   size_t *out_bytes);

/** What a block says of itself.
 * @param context NULL is allowed
 * @param data begins with the block
 * @param data_bytes ZT_ENTROPY_HEAD_BYTES, or all that there is
 * @param entropy gets how it is coded
 * @param bytes gets how many bytes it decodes to
 * @param block_bytes gets its length
 * @return ZT_CORRUPT, ZT_UNSUPPORTED */
ZT_API zt_status zt_entropy_inspect(zt_context *context, const void *data, size_t data_bytes,
                                    zt_entropy *entropy, uint64_t *bytes, uint64_t *block_bytes);

/** Decode a block.
 * @param context NULL is allowed
 * @param data the block
 * @param data_bytes its length, by zt_entropy_inspect()
 * @param out gets the bytes
 * @param bytes how many, by zt_entropy_inspect()
 * @return ZT_CORRUPT, ZT_UNSUPPORTED */
ZT_API zt_status zt_entropy_decode(zt_context *context, const void *data, size_t data_bytes,
                                   void *out, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
