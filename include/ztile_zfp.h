/** @file
 * zfp's own parameters, bare zfp streams for exchange with libzfp, and their indexes. The rules of
 * ztile.h hold here; the guide is docs/zfp.md.
 *
 * Source: zfp 1.0's documentation ("Modes", "Expert mode", "File format"). What zfp calls a block
 * is a tile of 4 values along each axis.
 */
#ifndef ZTILE_ZFP_H
#define ZTILE_ZFP_H

#include "ztile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- parameters ------------------------------------------------------------------------------ */

/** zt_zfp.flags: zfp's header (type, shape, mode) stands before the blocks. */
#define ZT_ZFP_HEADER 1u

/** zt_zfp.flags: do whatever libzfp 1.0 does on x86-64. NaN and infinities are coded as it codes
 * them, and parameters are accepted whose streams cannot be decoded (docs/zfp.md). */
#define ZT_ZFP_AS_LIBZFP 2u

/** The parameters of a zfp stream. */
typedef struct zt_zfp {
    uint32_t struct_bytes; /**< Set by zt_zfp_init(). */
    uint32_t minbits;      /**< Bits of a block at least. */
    uint32_t maxbits;      /**< Bits of a block at most. */
    uint32_t maxprec;      /**< Bit planes coded at most, 1 to 64. */
    int32_t minexp;        /**< Exponent of the lowest bit plane coded; below -1074: reversible. */
    uint32_t word_bits;    /**< A stream is whole words of 8, 16, 32 or 64 bits (the default). */
    uint32_t flags;        /**< ZT_ZFP_HEADER, ZT_ZFP_AS_LIBZFP, or 0 (the default). */
    uint32_t reserved;     /**< 0 */
} zt_zfp;

/** The mode that parameters stand for, as zfp names it. */
typedef enum zt_zfp_mode {
    ZT_ZFP_INVALID = 0,
    ZT_ZFP_EXPERT = 1,
    ZT_ZFP_FIXED_RATE = 2,
    ZT_ZFP_FIXED_PRECISION = 3,
    ZT_ZFP_FIXED_ACCURACY = 4,
    ZT_ZFP_REVERSIBLE = 5
} zt_zfp_mode;

/** Set zfp's initial parameters: 1, 16658, 64, -1074, 64-bit words, no flags. zfp_bytes is
 * sizeof(zt_zfp). */
ZT_API zt_status zt_zfp_init(zt_zfp *zfp, size_t zfp_bytes);

/** @name Modes
 * Each sets minbits, maxbits, maxprec and minexp, and nothing else. actual may be NULL; it gets the
 * rate, precision or tolerance that will be used, as libzfp's function of this name returns. @{ */
/** Every block takes the same number of bits: rate bits for each of its values. With align other
 * than 0 it is rounded up to whole words. */
ZT_API zt_status zt_zfp_set_rate(zt_zfp *zfp, double rate, zt_type type, uint32_t rank, int align,
                                 double *actual);
/** A block keeps this many bit planes. */
ZT_API zt_status zt_zfp_set_precision(zt_zfp *zfp, uint32_t planes, uint32_t *actual);
/** A value is off by at most the tolerance, except in the cases of docs/zfp.md. */
ZT_API zt_status zt_zfp_set_accuracy(zt_zfp *zfp, double tolerance, double *actual);
/** No loss. */
ZT_API zt_status zt_zfp_set_reversible(zt_zfp *zfp);
/** All four numbers. ZT_BAD_ARG, with nothing changed, if minbits > maxbits or maxprec is not in
 * 1..64. */
ZT_API zt_status zt_zfp_set_expert(zt_zfp *zfp, uint32_t minbits, uint32_t maxbits,
                                   uint32_t maxprec, int32_t minexp);
/** @} */

/** The mode of a stream with these parameters. */
ZT_API zt_zfp_mode zt_zfp_mode_of(const zt_zfp *zfp);

/** The mode as zfp's header holds it: 12 bits, or 64 where the low 12 are all ones. Parameters that
 * zt_zfp_set_expert() refuses have a code of 64 bits that readers refuse. */
ZT_API uint64_t zt_zfp_mode_code(const zt_zfp *zfp);

/** Type and shape as zfp's header holds them: 52 bits. ZT_BAD_ARG if an extent is too large. */
ZT_API zt_status zt_zfp_field_code(const zt_array *array, uint64_t *code);

/* ---- zfp in .zt files ------------------------------------------------------------------------ */

#define ZT_RATE_ALIGN 1u /**< zt_bound.flags: a tile's bits are rounded up to whole words. */

/** A bound of bits an element (zfp's fixed rate). */
static inline zt_bound zt_rate(double bits_a_value)
{
    return zt_bound_of(ZT_RATE, bits_a_value);
}

/** A bound of bit planes a tile (zfp's fixed precision). */
static inline zt_bound zt_precision(uint32_t planes)
{
    return zt_bound_of(ZT_PRECISION, planes);
}

/** A bound of zfp's four numbers; see zt_zfp. Calls that take the bound return ZT_BAD_ARG if
 * zt_zfp_set_expert() refuses the numbers. */
static inline zt_bound zt_expert(uint32_t minbits, uint32_t maxbits, uint32_t maxprec,
                                 int32_t minexp)
{
    zt_bound b = zt_bound_of(ZT_EXPERT, 0);
    b.words[0] = minbits | (uint64_t)maxbits << 32;
    b.words[1] = maxprec | (uint64_t)(uint32_t)minexp << 32;
    return b;
}

/** Set minbits, maxbits, maxprec and minexp to the numbers of a bound that zt_expert() made.
 * ZT_BAD_ARG for other bounds, and as zt_zfp_set_expert(). */
ZT_API zt_status zt_zfp_set_bound(zt_zfp *zfp, const zt_bound *bound);

/** Set the word size of zfp streams in a .zt file: 8, 16, 32 or 64 (the default). With another size
 * calls that take params return ZT_BAD_ARG if zfp is to code; other codecs ignore it. */
ZT_API void zt_params_set_zfp_words(zt_params *params, uint32_t word_bits);

/** The zfp parameters of a file's first frame that is not raw.
 * @param info set by zt_inspect() or zt_reader_info()
 * @param zfp set up by zt_zfp_init(); gets the parameters
 * @param shift gets s: integers were multiplied by 2^s before coding; may be NULL
 * @return ZT_BAD_ARG if its codec is not zfp */
ZT_API zt_status zt_info_zfp(const zt_info *info, zt_zfp *zfp, int32_t *shift);

/* ---- bare streams ---------------------------------------------------------------------------- */

/** The most bytes that zt_zfp_compress() can write. This is libzfp's number, except where that is
 * too small (maxbits smaller than a block's header). */
ZT_API zt_status zt_zfp_compress_bound(zt_context *context, const zt_array *array,
                                       const zt_zfp *zfp, size_t *capacity_bytes);

/** Write the stream that libzfp writes for this array and these parameters.
 * @param context NULL is allowed
 * @param array to be compressed
 * @param zfp parameters
 * @param out gets the stream
 * @param out_capacity_bytes room at out; zt_zfp_compress_bound() says how much suffices
 * @param out_bytes how much was used
 * @return ZT_NO_SPACE, ZT_CANCELLED; without ZT_ZFP_AS_LIBZFP also ZT_NONFINITE (NaN or infinities,
 *         and lossy parameters) and ZT_UNSUPPORTED (the stream could not be decoded) */
ZT_API zt_status zt_zfp_compress(zt_context *context, const zt_array *array, const zt_zfp *zfp,
                                 void *out, size_t out_capacity_bytes, size_t *out_bytes);

/** Read type, shape and parameters from a stream that begins with zfp's header.
 * @param context NULL is allowed
 * @param data the stream, or its first 24 bytes
 * @param data_bytes how many of them there are
 * @param zfp gets the parameters; word_bits and flags stay as they are
 * @param array gets type and shape, data NULL and contiguous strides
 * @param header_bits gets the length of the header
 * @return ZT_CORRUPT, ZT_UNSUPPORTED */
ZT_API zt_status zt_zfp_read_header(zt_context *context, const void *data, size_t data_bytes,
                                    zt_zfp *zfp, zt_array *array, uint32_t *header_bits);

/** Decode a stream. It has no checksum: any bits decode to something.
 * @param context NULL is allowed
 * @param data begins with the stream
 * @param data_bytes its length, or more
 * @param zfp parameters; with ZT_ZFP_HEADER those of the header count
 * @param out type and shape of the array, any strides; the header must agree with them
 * @param consumed_bytes gets the whole words that were read, header included, at most data_bytes;
 *        may be NULL
 * @return ZT_CORRUPT if the stream ends before its last block; ZT_UNSUPPORTED, ZT_CANCELLED */
ZT_API zt_status zt_zfp_decompress(zt_context *context, const void *data, size_t data_bytes,
                                   const zt_zfp *zfp, const zt_array *out, size_t *consumed_bytes);

/** Change a box of a fixed-rate stream where it lies, on the calling thread.
 *
 * Blocks that meet the box are coded again; every bit of the others stays. If the box is whole
 * blocks, the stream becomes what compressing the changed array gives. The other values of a block
 * that lies partly in the box are decoded and coded again, and may change within the rate.
 * @param context NULL is allowed
 * @param stream the whole stream; unchanged after a failure
 * @param stream_bytes its length
 * @param zfp parameters; with ZT_ZFP_HEADER those of the header count
 * @param whole type and shape of the array that was compressed; its data is not looked at
 * @param box of that array
 * @param values new values of the box, in its shape
 * @return ZT_UNSUPPORTED if blocks have different sizes; ZT_CORRUPT if the stream is too short;
 *         ZT_NONFINITE if a block that is coded again has NaN or infinities, without
 *         ZT_ZFP_AS_LIBZFP */
ZT_API zt_status zt_zfp_write_box(zt_context *context, void *stream, size_t stream_bytes,
                                  const zt_zfp *zfp, const zt_array *whole, const zt_box *box,
                                  const zt_array *values);

/* ---- indexes of bare streams ----------------------------------------------------------------- */

/** An index of a bare stream, kept apart from it: where chunks of its blocks begin.
 *
 * With an index, all threads decode a stream that is not at fixed rate, and a box is decoded
 * without what lies before it. At fixed rate places are computed: no index is made, and index_bytes
 * becomes 0. The first index_bytes at bytes are all there is to an index, and the contents of a
 * .zti file (docs/format/zti.md). To use an index from a file, let bytes point to what was read.
 *
 *     zt_zfp_index index;
 *     zt_zfp_index_init(&index, sizeof index);
 *     zt_zfp_index_bound(ctx, &out, &zfp, &index, &index.capacity_bytes);
 *     index.bytes = malloc(index.capacity_bytes);
 *     zt_zfp_index_build(ctx, data, n, &zfp, &out, &index);
 *     zt_zfp_decompress_indexed(ctx, data, n, &zfp, &index, &out, NULL);
 *
 * An index holds the length of its stream and a hash of the first and last 4 KiB. Calls return
 * ZT_CORRUPT for an index that is damaged or another stream's, and for a stream whose chunks do not
 * end where the next one begins. Whatever is in an index, nothing is read out of bounds. */
typedef struct zt_zfp_index {
    uint32_t struct_bytes; /**< Set by zt_zfp_index_init(). */
    uint32_t kind;         /**< #zt_index_kind; default ZT_INDEX_COMPACT */
    uint32_t chunk;        /**< Blocks a chunk, at most 2^30; 0: the default. */
    uint32_t partition;    /**< Chunks a partition (hybrid), at most 2^16; 0: 32. */
    void *bytes;           /**< The caller's memory, or NULL. */
    size_t capacity_bytes; /**< Room at bytes; zt_zfp_index_bound() says how much suffices. */
    size_t index_bytes;    /**< Of the index that is there; 0: none. */
    uint64_t reserved[2];  /**< 0 */
} zt_zfp_index;

/** Set up an index of the default kind that is not there yet. index_struct_bytes is
 * sizeof(zt_zfp_index). */
ZT_API zt_status zt_zfp_index_init(zt_zfp_index *index, size_t index_struct_bytes);

/** The most bytes that an index of this kind, chunk and partition takes; array->data may be NULL.
 * Calls that make an index need so much room, else they return ZT_NO_SPACE at once. */
ZT_API zt_status zt_zfp_index_bound(zt_context *context, const zt_array *array, const zt_zfp *zfp,
                                    const zt_zfp_index *index, size_t *capacity_bytes);

/** @name Making an index
 * The three calls make the same index. They set index_bytes, and ignore an index that is
 * there. @{ */
/** zt_zfp_compress(), and the stream's index, made while it is coded. Errors of the index are told
 * before anything is written. */
ZT_API zt_status zt_zfp_compress_indexed(zt_context *context, const zt_array *array,
                                         const zt_zfp *zfp, void *out, size_t out_capacity_bytes,
                                         size_t *out_bytes, zt_zfp_index *index);
/** The index of a stream, by parsing its blocks on the calling thread. array gives type and shape;
 * stream_bytes is the length that the index will insist on. */
ZT_API zt_status zt_zfp_index_build(zt_context *context, const void *stream, size_t stream_bytes,
                                    const zt_zfp *zfp, const zt_array *array, zt_zfp_index *index);
/** zt_zfp_decompress(), and the stream's index, made while it is decoded. */
ZT_API zt_status zt_zfp_decompress_and_index(zt_context *context, const void *data,
                                             size_t data_bytes, const zt_zfp *zfp,
                                             zt_zfp_index *index, const zt_array *out,
                                             size_t *consumed_bytes);
/** @} */

/** Set kind, chunk and partition to those of the index at bytes, which may be another stream's.
 * @return ZT_CORRUPT, ZT_UNSUPPORTED */
ZT_API zt_status zt_zfp_index_describe(zt_context *context, zt_zfp_index *index);

/** Whether an index is this stream's, as far as can be told without decoding.
 * @return ZT_CORRUPT, ZT_UNSUPPORTED */
ZT_API zt_status zt_zfp_index_check(zt_context *context, const void *stream, size_t stream_bytes,
                                    const zt_zfp *zfp, const zt_array *array,
                                    const zt_zfp_index *index);

/** zt_zfp_decompress() by an index. Without one (NULL, or index_bytes 0) it is the same call. */
ZT_API zt_status zt_zfp_decompress_indexed(zt_context *context, const void *data, size_t data_bytes,
                                           const zt_zfp *zfp, const zt_zfp_index *index,
                                           const zt_array *out, size_t *consumed_bytes);

/** Decode a box of a stream. With an index, and at fixed rate, only chunks that meet the box are
 * read; else all blocks before them are parsed as well.
 * @param context NULL is allowed
 * @param data the stream
 * @param data_bytes its length
 * @param zfp parameters; with ZT_ZFP_HEADER those of the header count
 * @param index of the stream; NULL, or index_bytes 0: none
 * @param whole type and shape of the array that was compressed; its data is not looked at
 * @param box of that array
 * @param out gets the box and has its shape
 * @return as zt_zfp_decompress() */
ZT_API zt_status zt_zfp_decompress_box(zt_context *context, const void *data, size_t data_bytes,
                                       const zt_zfp *zfp, const zt_zfp_index *index,
                                       const zt_array *whole, const zt_box *box,
                                       const zt_array *out);

/** zt_zfp_decompress_box() on a source of known size. Reads what the box needs, and 4 KiB at either
 * end. Returns ZT_IO as well. */
ZT_API zt_status zt_zfp_read_box(zt_context *context, const zt_source *source, const zt_zfp *zfp,
                                 const zt_zfp_index *index, const zt_array *whole,
                                 const zt_box *box, const zt_array *out);

#ifdef __cplusplus
}
#endif

#endif
