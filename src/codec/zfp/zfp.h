/* zfp.h: what the files of the zfp codec share. The stream is described at the top of zfp.c. */
#ifndef ZTI_ZFP_H
#define ZTI_ZFP_H

#include "codec/batch.h"

/* zfp's limits, as in its documentation ("Limits"). MAX_BITS is the largest tile there is: 4-D
 * double, reversible, 64 planes of 256 values with their group tests, and 19 bits of header. */
enum {
    ZTI_ZFP_MIN_BITS = 1,
    ZTI_ZFP_MAX_BITS = 16658,
    ZTI_ZFP_MAX_PREC = 64,
    ZTI_ZFP_MIN_EXP = -1074,
    ZTI_ZFP_HEADER_MAX_BITS = 148
};

/* The numbers that a zfp stream is governed by. */
struct zti_zfp {
    uint32_t minbits;
    uint32_t maxbits;
    uint32_t maxprec;
    int32_t minexp;
    uint32_t word_bits;
    int32_t shift;  /* integers are coded as value * 2^shift; 0 but under an absolute bound */
    bool as_libzfp; /* reproduce what libzfp does with NaN and infinities */
};

/* A coding's numbers, to read and to set. */
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

/* zti_zfp_pad[n][i]: which of n values along an axis stands in for place i of a tile. */
extern const uint8_t zti_zfp_pad[5][4];

/* The parameters of a checked zt_zfp; ZT_BAD_ARG with a sentence where they are none. */
zt_status zti_zfp_check(zt_context *context, const zt_zfp *zfp, struct zti_zfp *out);

/* Refuse what libzfp writes but cannot read back, or reads beyond its buffer for. */
zt_status zti_zfp_check_decodable(zt_context *context, const struct zti_zfp *z, uint32_t type,
                                  bool has_header);

ZTI_STATIC bool zti_zfp_is_reversible(const struct zti_zfp *z)
{
    return z->minexp < ZTI_ZFP_MIN_EXP;
}

/* True where every bit pattern survives: reversible, and no other limit binds. */
bool zti_zfp_is_lossless(const struct zti_zfp *z, uint32_t type, uint32_t rank);

/* The most bits one tile takes: as written (padding included), and as looked at by a decoder. */
uint64_t zti_zfp_tile_bits(const struct zti_zfp *z, uint32_t type, uint32_t rank);
uint64_t zti_zfp_tile_reach(const struct zti_zfp *z, uint32_t type, uint32_t rank);

/* What each tile of a coding takes where all take the same, else 0. */
uint64_t zti_zfp_fixed_bits(const struct zti_coding *coding);

/* Append zfp's header (magic, field, mode) for an array; ZT_BAD_ARG if the shape does not fit. */
zt_status zti_zfp_put_header(zt_context *context, const struct zti_zfp *z, const zt_array *array,
                             struct zti_bit_writer *w);

/* Read it: z's four numbers, and the array's type, rank, shape and contiguous strides. */
zt_status zti_zfp_take_header(zt_context *context, const uint8_t *data, size_t data_bytes,
                              struct zti_zfp *z, zt_array *array, uint32_t *header_bits);

/* What an instance has for a type and rank, as in struct zti_codec. */
struct zti_zfp_ranges {
    bool (*encode)(const struct zti_coding *, const zt_array *, uint64_t, uint64_t,
                   struct zti_bit_writer *);
    void (*decode)(const struct zti_coding *, struct zti_bit_reader *, uint64_t, uint64_t,
                   const struct zti_view *);
    void (*skip)(const struct zti_coding *, struct zti_bit_reader *, uint64_t, uint64_t);
};

/* The plain instance: [zt_type - 1][rank - 1]. x86/vector.h has the others. */
extern const struct zti_zfp_ranges zti_zfp_ranges_plain[4][ZT_MAX_RANK];

/* The functions of plain/plain.c, which choose by coding->run.isa. */
bool zti_zfp_encode(const struct zti_coding *coding, const zt_array *array, uint64_t first,
                    uint64_t last, struct zti_bit_writer *w);
void zti_zfp_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                    uint64_t last, const struct zti_view *view);
uint32_t zti_zfp_runs(const struct zti_coding *coding);
void zti_zfp_decode_runs(const struct zti_coding *coding, const uint8_t *base, uint64_t *at,
                         uint32_t runs, uint64_t first, uint32_t run_tiles,
                         const struct zti_view *view);
void zti_zfp_skip(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                  uint64_t last);

/* Planes that an integer tile under an absolute bound must leave uncoded for the bound to be
 * proved, cf. is_proved in tile/float.h (there is no rounding to a type here). */
enum { ZTI_ZFP_INT_PROOF_PLANES = 5 };

/* Whether a tile of so many planes under an absolute bound may come back as integers that wrap
 * around and are then beyond the bound: where the tolerance 2^(kmin + 2 rank) is half of what the
 * integers hold. */
ZTI_STATIC bool zti_zfp_may_wrap(int64_t planes, uint32_t rank)
{
    return planes == 2 * (int64_t)rank + 1;
}

/* is_proved for integers, of 'width' bits; all tiles of a stream have as many planes. */
ZTI_STATIC bool zti_zfp_proves_integers(const struct zti_zfp *z, uint32_t rank, uint32_t width)
{
    return z->shift >= 0 && z->maxprec + ZTI_ZFP_INT_PROOF_PLANES <= width &&
           !zti_zfp_may_wrap(z->maxprec, rank);
}

/* ---- holes.c: zti_holes' functions ---- */

bool zti_zfp_learn_holes(struct zti_coding *coding, const zt_array *array, const uint64_t *holes);
void zti_zfp_fit_holes(const struct zti_coding *coding, const zt_array *array,
                       const uint64_t *holes, uint64_t first, uint64_t last);

#endif
