/* zfp.h: what the calls on bare zfp streams share. */
#ifndef ZTI_FRAME_BARE_ZFP_H
#define ZTI_FRAME_BARE_ZFP_H

#include "codec/zfp/zfp.h"
#include "exec/exec.h"

/* The coding of a stream with the caller's parameters. The array has been checked. */
zt_status zti_bare_zfp_coding(zt_context *context, const struct zti_array *array, const zt_zfp *zfp,
                              struct zti_coding *coding);

/* Encode an array that was checked, behind a header of *header_bits where there is to be one.
 * starts may be NULL. */
zt_status zti_bare_zfp_encode(zt_context *context, const struct zti_array *array, const zt_zfp *zfp,
                              const struct zti_coding *coding, void *out, size_t out_capacity_bytes,
                              size_t *out_bytes, const struct zti_starts *starts,
                              uint64_t *header_bits);

/* Bytes of a stream that ends at end_bits: whole words, of which the padding of the last one may be
 * cut off. */
size_t zti_bare_zfp_consumed(const struct zti_coding *coding, uint64_t end_bits, size_t data_bytes);

/* The coding of a stream that is there: by the caller's parameters or, with ZT_ZFP_HEADER, by those
 * of its header, which must name the array's type and shape. The array has been checked. */
zt_status zti_bare_zfp_open(zt_context *context, const void *data, size_t data_bytes,
                            const zt_zfp *zfp, const struct zti_array *array,
                            struct zti_coding *coding, uint32_t *header_bits);

/* Whether NaN and infinities may be coded with these parameters. */
bool zti_bare_zfp_takes_nonfinite(const struct zti_zfp *z, uint32_t type, uint32_t rank);

/* ZT_NONFINITE where they may not and the array has some. */
zt_status zti_bare_zfp_refuse_nonfinite(zt_context *context, const struct zti_array *array,
                                        const struct zti_zfp *z);

#endif
