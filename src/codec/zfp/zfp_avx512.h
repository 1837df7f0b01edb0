/* zfp_avx512.h: what the files of the AVX-512 instance share (VBMI, VBMI2, GFNI and BITALG are part
 * of it). Which of its functions run is chosen in zfp_cpu.c. */
#ifndef ZTI_ZFP_AVX512_H
#define ZTI_ZFP_AVX512_H

#include "codec/zfp/zfp.h"

/* Whether a tile's budget can bind. */
ZTI_INLINE bool is_limited(const struct zti_coding *coding)
{
    const struct zti_zfp free = {.maxbits = UINT32_MAX, .maxprec = ZTI_ZFP_MAX_PREC,
                                 .minexp = coding->zfp.minexp};
    return coding->zfp.maxbits < zti_zfp_tile_reach(&free, coding->type, coding->grid.rank);
}

/* What no text here does: tiles of integers that are lowered to be coded, and reversible tiles of
 * a limited size. */
ZTI_INLINE bool goes_plainly(const struct zti_coding *coding)
{
    return coding->zfp.shift < 0 || (zti_zfp_is_reversible(&coding->zfp) && is_limited(coding));
}

/* The walks over tiles: [zt_type - 1][rank - 1]. */
extern bool (*const zti_zfp_encode_avx512[4][ZT_MAX_RANK])(const struct zti_coding *,
                                                           const zt_array *, uint64_t, uint64_t,
                                                           struct zti_bit_writer *);
extern void (*const zti_zfp_decode_avx512[4][ZT_MAX_RANK])(const struct zti_coding *,
                                                           struct zti_bit_reader *, uint64_t,
                                                           uint64_t, const struct zti_view *);
extern void (*const zti_zfp_skip_avx512[4][ZT_MAX_RANK])(const struct zti_coding *,
                                                         struct zti_bit_reader *, uint64_t,
                                                         uint64_t);

/* Runs of tiles side by side, as struct zti_codec has it, where the first says that this pays:
 * [zt_type - 1]. */
bool zti_zfp_runs_avx512(const struct zti_coding *coding);
extern void (*const zti_zfp_decode_runs_avx512[4])(const struct zti_coding *, const uint8_t *,
                                                   uint64_t *, uint32_t, uint64_t, uint32_t,
                                                   const struct zti_view *);

#endif
