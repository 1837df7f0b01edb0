/* ztile_zfp.h: bare zfp streams, for exchange with libzfp, and their indexes. What holds for every
 * declaration of ztile.h holds here. */
#ifndef ZTILE_ZFP_H
#define ZTILE_ZFP_H

#include "ztile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- bare zfp streams: exchange with libzfp ------------------------------------------------- */

#define ZT_ZFP_HEADER 1u /* zfp's own header (magic, field, mode) stands before the blocks */
#define ZT_ZFP_AS_LIBZFP                                                                           \
    2u /* do whatever libzfp 1.0 does on x86-64, sensible or not: NaN and                          \
          infinities are coded as it codes them, parameters whose streams                          \
          cannot be decoded are accepted (docs/zfp.md) */

/* The parameters of a zfp stream, as in zfp's documentation ("Modes", "Expert mode"). */
typedef struct zt_zfp {
    uint32_t struct_bytes; /* set by zt_zfp_init */
    uint32_t minbits;      /* a block takes at least this many bits */
    uint32_t maxbits;      /* and at most this many */
    uint32_t maxprec;      /* bit planes coded at most, 1..64 */
    int32_t minexp;        /* exponent of the least bit plane coded; below -1074: reversible */
    uint32_t word_bits;    /* 8, 16, 32 or 64 (default) */
    uint32_t flags;        /* ZT_ZFP_*; default 0 */
    uint32_t reserved;
} zt_zfp;

typedef enum zt_zfp_mode {
    ZT_ZFP_INVALID = 0,
    ZT_ZFP_EXPERT = 1,
    ZT_ZFP_FIXED_RATE = 2,
    ZT_ZFP_FIXED_PRECISION = 3,
    ZT_ZFP_FIXED_ACCURACY = 4,
    ZT_ZFP_REVERSIBLE = 5
} zt_zfp_mode;

/* zfp's initial parameters: 1, 16658, 64, -1074; 64-bit words; no flags. */
ZT_API zt_status zt_zfp_init(zt_zfp *zfp, size_t zfp_bytes);

/* The setters change minbits, maxbits, maxprec and minexp only. actual may be NULL; it receives
 * what libzfp's setter returns: the rate, precision or tolerance that will be used. */
ZT_API zt_status zt_zfp_set_rate(zt_zfp *zfp, double rate, zt_type type, uint32_t rank, int align,
                                 double *actual);
ZT_API zt_status zt_zfp_set_precision(zt_zfp *zfp, uint32_t planes, uint32_t *actual);
ZT_API zt_status zt_zfp_set_accuracy(zt_zfp *zfp, double tolerance, double *actual);
ZT_API zt_status zt_zfp_set_reversible(zt_zfp *zfp);

/* ZT_BAD_ARG, and nothing changes, if minbits > maxbits or maxprec is not in 1..64. */
ZT_API zt_status zt_zfp_set_expert(zt_zfp *zfp, uint32_t minbits, uint32_t maxbits,
                                   uint32_t maxprec, int32_t minexp);

/* What a stream with these parameters calls itself. */
ZT_API zt_zfp_mode zt_zfp_mode_of(const zt_zfp *zfp);

/* The mode as it stands in a header: 12 bits, or 64 where the low 12 are all ones. Parameters that
 * zt_zfp_set_expert refuses have a code of 64 bits that readers refuse. */
ZT_API uint64_t zt_zfp_mode_code(const zt_zfp *zfp);

/* The array's type and shape as they stand in a header: 52 bits. ZT_BAD_ARG if an extent is too
 * large for it. */
ZT_API zt_status zt_zfp_field_code(const zt_array *array, uint64_t *code);

/* The most bytes that zt_zfp_compress can write. libzfp's own number, except where a stream of
 * libzfp's can be longer than that (maxbits smaller than a block's header). */
ZT_API zt_status zt_zfp_compress_bound(zt_context *context, const zt_array *array,
                                       const zt_zfp *zfp, size_t *capacity_bytes);

/* Write the stream that libzfp writes for this array and these parameters.
 * Refused unless ZT_ZFP_AS_LIBZFP is set: NaN and infinities where the parameters are lossy
 * (ZT_NONFINITE), parameters whose streams cannot be decoded (ZT_UNSUPPORTED). */
ZT_API zt_status zt_zfp_compress(zt_context *context, const zt_array *array, const zt_zfp *zfp,
                                 void *out, size_t out_capacity_bytes, size_t *out_bytes);

/* Read type, shape and parameters from a stream that begins with zfp's header (32 bits magic and
 * version, 52 bits field, 12 or 64 bits mode). zfp's word_bits and flags stay as they are;
 * *array gets a NULL pointer and contiguous strides. */
ZT_API zt_status zt_zfp_read_header(zt_context *context, const void *data, size_t data_bytes,
                                    zt_zfp *zfp, zt_array *array, uint32_t *header_bits);

/* Decode a stream into out. With ZT_ZFP_HEADER the header must agree with out's type and shape,
 * and replaces zfp's parameters. consumed_bytes (may be NULL): whole words, header included,
 * but never more than data_bytes.
 * ZT_CORRUPT if the stream ends before the last block does; any other bits decode to something:
 * zfp streams carry no checksum. */
ZT_API zt_status zt_zfp_decompress(zt_context *context, const void *data, size_t data_bytes,
                                   const zt_zfp *zfp, const zt_array *out, size_t *consumed_bytes);

/* Change a box of a fixed-rate stream where it lies. Only the blocks that meet the box are coded
 * again; every bit of the others stays as it is.
 *
 * stream, stream_bytes  the whole stream, its header included where ZT_ZFP_HEADER is set; the
 *                       header then replaces zfp's parameters.
 * whole                 type, rank and shape of the array that was compressed; data and strides
 *                       are not looked at.
 * values                the box's new values: its shape, the array's type, any strides.
 *
 * After a box of whole blocks (4 values along each axis, from multiples of 4, or up to the array's
 * end) the stream is what compressing the changed array gives. Of a block that lies partly in the
 * box, the other values are decoded and coded again with the new ones, and move as the rate makes
 * them. Takes the calling thread under any policy.
 *
 * ZT_UNSUPPORTED: the parameters do not give all blocks one size. ZT_NONFINITE: values holds NaN or
 * infinities, or a block that lies partly in the box decodes to some beside it, and
 * ZT_ZFP_AS_LIBZFP is not set. Also ZT_BAD_ARG, ZT_CORRUPT (the stream is too short), ZT_NO_MEMORY.
 * The stream is unchanged after any failure. */
ZT_API zt_status zt_zfp_write_box(zt_context *context, void *stream, size_t stream_bytes,
                                  const zt_zfp *zfp, const zt_array *whole, const zt_box *box,
                                  const zt_array *values);

/* ---- indexes of bare zfp streams ------------------------------------------------------------ */

/* An index of a bare stream, kept apart from it: where chunks of its blocks begin. With one, all
 * threads decode a stream that is not at fixed rate, and a box is decoded without what lies before
 * it. At fixed rate places are computed and no index is ever made: index_bytes is then 0.
 *
 * bytes[0 .. index_bytes - 1] are all there is to an index: the contents of a .zti file
 * (docs/format/zti.md). To keep one, write them to a file; to use it, let bytes point to what was
 * read.
 *
 *     zt_zfp_index index;
 *     zt_zfp_index_init(&index, sizeof index);
 *     zt_zfp_index_bound(ctx, &out, &zfp, &index, &index.capacity_bytes);
 *     index.bytes = malloc(index.capacity_bytes);
 *     zt_zfp_decompress_indexed(ctx, data, n, &zfp, &index, &out, NULL);   // finds the index
 *     zt_zfp_decompress_indexed(ctx, data, n, &zfp, &index, &out, NULL);   // uses it
 *
 * An index knows the length of its stream and a hash of the first and last 4 KiB: one that is
 * damaged or another stream's is ZT_CORRUPT, and so is a stream whose chunks do not end where the
 * index has the next one begin. Nothing is read out of bounds, whatever is in the bytes. */
typedef struct zt_zfp_index {
    uint32_t struct_bytes; /* set by zt_zfp_index_init */
    uint32_t kind;         /* zt_index_kind; default ZT_INDEX_COMPACT */
    uint32_t chunk;        /* blocks a chunk, at most 2^30; 0: the default */
    uint32_t partition;    /* chunks a partition, at most 2^16; hybrid only; 0: 32 */
    void *bytes;           /* the caller's memory, or NULL */
    size_t capacity_bytes; /* of it: what zt_zfp_index_bound says, for calls that make an index */
    size_t index_bytes;    /* of the index that is there; 0: none */
    uint64_t reserved[2];
} zt_zfp_index;

/* Default kind, no memory, no index. */
ZT_API zt_status zt_zfp_index_init(zt_zfp_index *index, size_t index_struct_bytes);

/* The most bytes that an index of this kind, chunk and partition takes; array->data is not looked
 * at. Calls that make an index ask for so many: with fewer they are ZT_NO_SPACE at once. */
ZT_API zt_status zt_zfp_index_bound(zt_context *context, const zt_array *array, const zt_zfp *zfp,
                                    const zt_zfp_index *index, size_t *capacity_bytes);

/* zt_zfp_compress, and the stream's index, noted while it is coded. A failure that has to do with
 * the index is told before anything is written. */
ZT_API zt_status zt_zfp_compress_indexed(zt_context *context, const zt_array *array,
                                         const zt_zfp *zfp, void *out, size_t out_capacity_bytes,
                                         size_t *out_bytes, zt_zfp_index *index);

/* Make the index of a stream that came without: its blocks are parsed, not reconstructed, by the
 * calling thread under any policy. array gives type, rank and shape. stream_bytes is the length
 * that the index will insist on. */
ZT_API zt_status zt_zfp_index_build(zt_context *context, const void *stream, size_t stream_bytes,
                                    const zt_zfp *zfp, const zt_array *array, zt_zfp_index *index);

/* Whether an index is this stream's, as far as can be told without decoding: ZT_OK, with kind,
 * chunk and partition set to those of the index, or ZT_CORRUPT or ZT_UNSUPPORTED. */
ZT_API zt_status zt_zfp_index_check(zt_context *context, const void *stream, size_t stream_bytes,
                                    const zt_zfp *zfp, const zt_array *array, zt_zfp_index *index);

/* zt_zfp_decompress with the index that is there: index->index_bytes is not 0. Where it is 0 and
 * index->bytes is not NULL, the index is noted on the way, for the next time, and is the one that
 * zt_zfp_index_build makes. index may be NULL. */
ZT_API zt_status zt_zfp_decompress_indexed(zt_context *context, const void *data, size_t data_bytes,
                                           const zt_zfp *zfp, zt_zfp_index *index,
                                           const zt_array *out, size_t *consumed_bytes);

/* Decode the box 'box' of a stream of the array 'whole' (type, rank and shape are looked at) into
 * out, which has the box's shape. With an index, and at fixed rate, only blocks of chunks that meet
 * the box are looked at; without (index NULL, or index_bytes 0), all before are parsed as well. */
ZT_API zt_status zt_zfp_decompress_box(zt_context *context, const void *data, size_t data_bytes,
                                       const zt_zfp *zfp, const zt_zfp_index *index,
                                       const zt_array *whole, const zt_box *box,
                                       const zt_array *out);

/* The same, reading from a source of known size what the box needs, and 4 KiB at either end. */
ZT_API zt_status zt_zfp_read_box(zt_context *context, const zt_source *source, const zt_zfp *zfp,
                                 const zt_zfp_index *index, const zt_array *whole,
                                 const zt_box *box, const zt_array *out);

#ifdef __cplusplus
}
#endif

#endif
