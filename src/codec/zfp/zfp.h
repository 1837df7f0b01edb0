/* zfp.h: the functions and tables that the files of the zfp codec share. stream.c describes the
 * stream. */
#ifndef ZTI_ZFP_H
#define ZTI_ZFP_H

#include "codec/batch.h"
#include "codec/zfp/spec.h"
#include "ztile_zfp.h"

/* A coding's zfp parameters, to read and to set. */
ZTI_STATIC const struct zti_zfp *zfp_of(const struct zti_coding *coding)
{
    return (const struct zti_zfp *)(const void *)&coding->numbers;
}

ZTI_STATIC struct zti_zfp *zfp_in(struct zti_coding *coding)
{
    return (struct zti_zfp *)(void *)&coding->numbers;
}

extern const struct zti_codec zti_codec_zfp;

/* Coefficients in rank order: zti_zfp_order[rank - 1][r] is the block index of rank r. */
extern const uint8_t *const zti_zfp_order[ZT_MAX_RANK];

/* zti_zfp_pad[n][i]: which of the n values of a cut tile along an axis is used for place i. */
extern const uint8_t zti_zfp_pad[5][4];

/* Check a zt_zfp and convert it; ZT_BAD_ARG with a message if it is not valid. */
zt_status zti_zfp_check(zt_context *context, const zt_zfp *zfp, struct zti_zfp *out);

/* The four numbers that a mode consists of, as the public functions take them. */
ZTI_STATIC zt_zfp zti_zfp_mode_numbers(const struct zti_zfp *z)
{
    zt_zfp zfp;
    memset(&zfp, 0, sizeof zfp);
    zfp.minbits = z->minbits;
    zfp.maxbits = z->maxbits;
    zfp.maxprec = z->maxprec;
    zfp.minexp = z->minexp;
    return zfp;
}

/* Refuse parameters whose streams libzfp cannot read, or reads past the end of its buffer. */
zt_status zti_zfp_check_decodable(zt_context *context, const struct zti_zfp *z, uint32_t type,
                                  bool has_header);

/* True if every bit pattern is kept: the coding is reversible and no other limit applies. */
bool zti_zfp_is_lossless(const struct zti_zfp *z, uint32_t type, uint32_t rank);

/* The most bits of one tile that a decoder may read (zti_sizes). */
uint64_t zti_zfp_tile_read_max(const struct zti_zfp *z, uint32_t type, uint32_t rank);

/* The bits of each tile if all have the same, else 0. */
uint64_t zti_zfp_fixed_bits(const struct zti_coding *coding);

/* Append zfp's file header (magic, field, mode) for an array; ZT_BAD_ARG if the shape does not fit.
 */
zt_status zti_zfp_encode_file_header(zt_context *context, const struct zti_zfp *z,
                                     const struct zti_array *array, struct zti_bit_writer *w);

/* Read it: z's four numbers, and the array's type, rank, shape and contiguous strides. */
zt_status zti_zfp_decode_file_header(zt_context *context, const uint8_t *data, size_t data_bytes,
                                     struct zti_zfp *z, struct zti_array *array,
                                     uint32_t *header_bits);

/* M(kind, width, rank, is_float) for each type and rank; tables are [zt_type - 1][rank - 1]. */
#define ZTI_ZFP_EACH_RANK(M, kind, width, is_float)                                                \
    M(kind, width, 1, is_float)                                                                    \
    M(kind, width, 2, is_float)                                                                    \
    M(kind, width, 3, is_float)                                                                    \
    M(kind, width, 4, is_float)
#define ZTI_ZFP_EACH(M)                                                                            \
    ZTI_ZFP_EACH_RANK(M, f32, 32, true)                                                            \
    ZTI_ZFP_EACH_RANK(M, f64, 64, true)                                                            \
    ZTI_ZFP_EACH_RANK(M, i32, 32, false)                                                           \
    ZTI_ZFP_EACH_RANK(M, i64, 64, false)
#define ZTI_ZFP_AT(width, rank, is_float) [(is_float ? 0 : 2) + width / 64][rank - 1]

/* An instance's functions that code a range of tiles, as in struct zti_codec:
 * [zt_type - 1][rank - 1]. */
typedef bool (*zti_zfp_encode_table[4][ZT_MAX_RANK])(const struct zti_coding *,
                                                     const struct zti_array *, uint64_t, uint64_t,
                                                     struct zti_bit_writer *);
typedef void (*zti_zfp_decode_table[4][ZT_MAX_RANK])(const struct zti_coding *,
                                                     struct zti_bit_reader *, uint64_t, uint64_t,
                                                     const struct zti_view *);
typedef void (*zti_zfp_skip_table[4][ZT_MAX_RANK])(const struct zti_coding *,
                                                   struct zti_bit_reader *, uint64_t, uint64_t);

/* The plain instance; x86/vector.h has the others. */
extern const zti_zfp_encode_table zti_zfp_encode_plain;
extern const zti_zfp_decode_table zti_zfp_decode_plain;
extern const zti_zfp_skip_table zti_zfp_skip_plain;

/* The functions of instances.c, which choose by coding->run.isa. */
bool zti_zfp_encode(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                    uint64_t last, struct zti_bit_writer *w);
void zti_zfp_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                    uint64_t last, const struct zti_view *view);
uint32_t zti_zfp_runs(const struct zti_coding *coding);
void zti_zfp_decode_runs(const struct zti_coding *coding, const uint8_t *base, uint64_t *at,
                         uint32_t runs, uint64_t first, uint32_t run_tiles,
                         const struct zti_view *view);
void zti_zfp_skip(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                  uint64_t last);

/* ---- holes.c: zti_holes' functions ---- */

bool zti_zfp_learn_holes(struct zti_coding *coding, const struct zti_array *array,
                         const uint64_t *holes);
void zti_zfp_fit_holes(const struct zti_coding *coding, const struct zti_array *array,
                       const uint64_t *holes, uint64_t first, uint64_t last);
void zti_zfp_fit_holes_plain(const struct zti_coding *coding, const struct zti_array *array,
                             const uint64_t *holes, uint64_t first, uint64_t last);
void zti_zfp_fit_holes_avx2(const struct zti_coding *coding, const struct zti_array *array,
                            const uint64_t *holes, uint64_t first, uint64_t last);

#endif
