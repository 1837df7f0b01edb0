/* stream.h: the stream of zt_huffman_encode: its bytes, and declarations that its writer and reader
 * share. docs/format/huffman.md describes the same bytes.
 *
 *   head   4 bytes   "zthf"
 *          1         format version, 1
 *          varint    symbols of the alphabet, 1 to 65,536
 *          varint    symbols that are coded
 *          ...       table of code lengths (table.c), padded with zero bits to a byte
 *   chunks ...       4096 symbols each (the last one fewer), padded with zero bits to a byte; a
 *                    chunk is up to four parts of 1024 symbols
 *   tail   ...       for each part but the last, its bits minus those of the shortest such part, in
 *                    'width' bits each; padded with zero bits to a byte
 *          1         the width, 0 to 15
 *          2         bits of the shortest part
 *          8         XXH3-64 of all bytes before it
 *
 * The last part ends where the chunks end, except for padding. Varints are those of wire.h. */
#ifndef ZTI_HUFFMAN_STREAM_H
#define ZTI_HUFFMAN_STREAM_H

#include "core/wire.h"
#include "entropy/huffman/gpu/kernels.h"
#include "ztile_huffman.h"

enum {
    STREAM_VERSION = 1,
    STREAM_MAGIC_BYTES = 4,
    RUN_CHUNKS = 64, /* chunks that a thread takes at a time: 2^18 symbols */
    RUN_SYMBOLS = ZTI_CHUNK_SYMBOLS * RUN_CHUNKS,
    WIDTH_MOST = 15, /* bits of ZTI_PART_MOST_BITS */
    TAIL_FIXED_BYTES = 1 + 2 + 8
};
_Static_assert(ZTI_PART_MOST_BITS < 1 << WIDTH_MOST, "a part's length has WIDTH_MOST bits");

enum { HEAD_FIXED_MOST = STREAM_MAGIC_BYTES + 1 + 2 * ZTI_VARINT_MAX_BYTES };

static const uint8_t zti_stream_magic[STREAM_MAGIC_BYTES] = {'z', 't', 'h', 'f'};

static inline uint64_t zti_parts_of(uint64_t symbols)
{
    return zti_ceil_div(symbols, ZTI_PART_SYMBOLS);
}

/* The number of parts whose lengths are in the tail: all but the last. */
static inline uint64_t zti_measured_parts_of(uint64_t symbols)
{
    return symbols > 0 ? zti_parts_of(symbols) - 1 : 0;
}

static inline uint64_t zti_runs_of(uint64_t symbols)
{
    return zti_ceil_div(symbols, RUN_SYMBOLS);
}

/* ZT_BAD_ARG for an invalid alphabet or width of symbols. */
zt_status zti_symbols_check(zt_context *context, const struct zti_symbols *s);

/* ZT_BAD_ARG unless zt_huffman_encode_merged takes this magnitude M and reduction factor r. */
zt_status zti_merges_check(zt_context *context, uint32_t magnitude, uint32_t reduction);

/* A parsed stream. */
struct zti_coded {
    uint32_t alphabet;
    uint64_t symbols;
    struct zti_codebook book;
    const uint8_t *chunks;
    uint64_t chunks_bytes;
    const uint8_t *lengths; /* of parts, as in the tail; the tail's rest follows */
    uint32_t width, least;
};

/* ZT_CORRUPT with its message. */
zt_status zti_codes_do_not_fill(zt_context *context);

/* ---- huffman/gpu/stream_host.c ---- */

/* Whether the context's policy has kernels for Huffman streams. */
bool zti_stream_is_cuda(const zt_context *context);

/* Kept on the device between counting and coding. */
struct zti_stream_cuda {
    struct zti_cuda_book book;
    struct zti_symbols symbols; /* the last slab's */
    uint32_t magnitude;         /* of merges; 0: by zti_huffman_kernels.encode */
    uint32_t reduction;
};

/* Count symbols and make the book. ZT_BAD_ARG where a symbol is not below the alphabet. */
zt_status zti_stream_cuda_learn(zt_context *context, const struct zti_symbols *s,
                                struct zti_codebook *book, struct zti_stream_cuda *cuda);

/* Code all chunks; sets the bits of each part. *bytes is more than room_bytes if they do not
 * fit. */
zt_status zti_stream_cuda_code(zt_context *context, const struct zti_symbols *s,
                               const struct zti_stream_cuda *cuda, uint8_t *out,
                               uint64_t room_bytes, uint16_t *part_bits, uint64_t *bytes);

/* Decode all chunks; run_starts: bytes from the first chunk to each run. */
zt_status zti_stream_cuda_decode(zt_context *context, const struct zti_coded *coded,
                                 const struct zti_symbols *target, const uint64_t *run_starts);

#endif
