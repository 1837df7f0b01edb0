/* vector.h: the functions and tables that the AVX2 and AVX-512 instances share. Both instances need
 * BMI2; AVX-512 also needs VBMI, VBMI2, GFNI and BITALG. instances.c chooses the instance. */
#ifndef ZTI_ZFP_X86_VECTOR_H
#define ZTI_ZFP_X86_VECTOR_H

#include "codec/zfp/zfp.h"

/* Whether a tile's budget can bind. */
ZTI_INLINE bool is_limited(const struct zti_coding *coding)
{
    const struct zti_zfp unlimited = {
        .maxbits = UINT32_MAX, .maxprec = ZTI_ZFP_MAX_PREC, .minexp = zfp_of(coding)->minexp};
    return zfp_of(coding)->maxbits <
           zti_zfp_tile_read_max(&unlimited, coding->type, coding->grid.rank);
}

/* Whether plain C must code the tiles: integers with a negative shift, and reversible tiles of a
 * limited size. */
ZTI_INLINE bool goes_plainly(const struct zti_coding *coding)
{
    return zfp_of(coding)->shift < 0 ||
           (zti_zfp_is_reversible(zfp_of(coding)) && is_limited(coding));
}

/* Whether the row of a tile at p is the first in its cache line. The rows of a 4-D tile are more
 * streams than the hardware prefetcher follows, so the next line is prefetched when a row begins
 * one. */
ZTI_INLINE bool begins_line(const void *p, uint32_t row_bytes)
{
    return (uintptr_t)p % 64 < row_bytes;
}

/* M(kind, width, rank, is_float) for each type at one rank. */
#define ZTI_ZFP_EACH_TYPE(M, rank)                                                                 \
    M(f32, 32, rank, true)                                                                         \
    M(f64, 64, rank, true)                                                                         \
    M(i32, 32, rank, false)                                                                        \
    M(i64, 64, rank, false)

/* The same for the functions of an instance. Tiles of 64 and 256 values take so long that one
 * function serves floats and integers, of kind 32 or 64, and asks for the type. */
#define ZTI_ZFP_EACH_TEXT(M)                                                                       \
    ZTI_ZFP_EACH_TYPE(M, 1)                                                                        \
    ZTI_ZFP_EACH_TYPE(M, 2)                                                                        \
    M(32, 32, 3, zti_is_float(coding->type))                                                       \
    M(32, 32, 4, zti_is_float(coding->type))                                                       \
    M(64, 64, 3, zti_is_float(coding->type))                                                       \
    M(64, 64, 4, zti_is_float(coding->type))

/* A table of these functions. */
#define ZTI_ZFP_ROW(call, kind, large)                                                             \
    {                                                                                              \
        call##_##kind##_1d, call##_##kind##_2d, call##_##large##_3d, call##_##large##_4d           \
    }
#define ZTI_ZFP_TEXTS(call)                                                                        \
    {                                                                                              \
        ZTI_ZFP_ROW(call, f32, 32), ZTI_ZFP_ROW(call, f64, 64), ZTI_ZFP_ROW(call, i32, 32),        \
            ZTI_ZFP_ROW(call, i64, 64)                                                             \
    }

/* Functions that decode runs of tiles interleaved, up to the ranks below. */
typedef void (*zti_zfp_runs_table[4][2])(const struct zti_coding *, const uint8_t *, uint64_t *,
                                         uint32_t, uint64_t, uint32_t, const struct zti_view *);

extern const zti_zfp_encode_table zti_zfp_encode_avx2, zti_zfp_encode_avx512;
extern const zti_zfp_decode_table zti_zfp_decode_avx2, zti_zfp_decode_avx512;
extern const zti_zfp_skip_table zti_zfp_skip_avx2, zti_zfp_skip_avx512;

extern const zti_zfp_runs_table zti_zfp_decode_runs_avx2, zti_zfp_decode_runs_avx512;

/* The highest rank of tiles that are decoded faster interleaved. */
enum { ZTI_ZFP_RUNS_RANK_AVX2 = 1, ZTI_ZFP_RUNS_RANK_AVX512 = 2 };

#endif
