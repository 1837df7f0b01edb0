/* vector.h: what the files of the AVX2 and AVX-512 instances share (BMI2 is part of both; VBMI,
 * VBMI2, GFNI and BITALG of the latter). Which of their functions run is chosen in plain/plain.c.
 */
#ifndef ZTI_ZFP_X86_VECTOR_H
#define ZTI_ZFP_X86_VECTOR_H

#include "codec/zfp/zfp.h"

/* Whether a tile's budget can bind. */
ZTI_INLINE bool is_limited(const struct zti_coding *coding)
{
    const struct zti_zfp free = {
        .maxbits = UINT32_MAX, .maxprec = ZTI_ZFP_MAX_PREC, .minexp = zfp_of(coding)->minexp};
    return zfp_of(coding)->maxbits < zti_zfp_tile_reach(&free, coding->type, coding->grid.rank);
}

/* What no text here does: tiles of integers that are lowered to be coded, and reversible tiles of
 * a limited size. */
ZTI_INLINE bool goes_plainly(const struct zti_coding *coding)
{
    return zfp_of(coding)->shift < 0 ||
           (zti_zfp_is_reversible(zfp_of(coding)) && is_limited(coding));
}

/* Whether the row of a tile that p points to is the first in its line of memory. The rows of a tile
 * of four dimensions are in more places than the processor looks ahead at by itself, so that the
 * lines after a row's are asked for when it is reached. */
ZTI_INLINE bool begins_line(const void *p, uint32_t row_bytes)
{
    return (uintptr_t)p % 64 < row_bytes;
}

/* The walks over tiles: [zt_type - 1][rank - 1]. */
typedef bool (*zti_zfp_encode_table[4][ZT_MAX_RANK])(const struct zti_coding *,
                                                     const struct zti_array *, uint64_t, uint64_t,
                                                     struct zti_bit_writer *);
typedef void (*zti_zfp_decode_table[4][ZT_MAX_RANK])(const struct zti_coding *,
                                                     struct zti_bit_reader *, uint64_t, uint64_t,
                                                     const struct zti_view *);
typedef void (*zti_zfp_skip_table[4][ZT_MAX_RANK])(const struct zti_coding *,
                                                   struct zti_bit_reader *, uint64_t, uint64_t);
/* Runs of tiles side by side, as struct zti_codec has it: the same, up to the rank below. */
typedef void (*zti_zfp_runs_table[4][2])(const struct zti_coding *, const uint8_t *, uint64_t *,
                                         uint32_t, uint64_t, uint32_t, const struct zti_view *);

extern const zti_zfp_encode_table zti_zfp_encode_avx2, zti_zfp_encode_avx512;
extern const zti_zfp_decode_table zti_zfp_decode_avx2, zti_zfp_decode_avx512;
extern const zti_zfp_skip_table zti_zfp_skip_avx2, zti_zfp_skip_avx512;

extern const zti_zfp_runs_table zti_zfp_decode_runs_avx2, zti_zfp_decode_runs_avx512;

/* The ranks of tiles that gain from being decoded side by side: up to this. */
enum { ZTI_ZFP_RUNS_RANK_AVX2 = 1, ZTI_ZFP_RUNS_RANK_AVX512 = 2 };

#endif
