/* zfp.h: what zfp.c, zfp_box.c and zfp_index.c share: checked parameters, encoding, opening a
 * stream. */
#ifndef ZTI_FRAME_BARE_ZFP_H
#define ZTI_FRAME_BARE_ZFP_H

#include "codec/zfp/zfp.h"
#include "exec/exec.h"

/* Set up the coding of a stream with the caller's parameters. The array was checked. */
zt_status zti_bare_zfp_coding(zt_context *context, const struct zti_array *array, const zt_zfp *zfp,
                              struct zti_coding *coding);

/* Encode a checked array, after a header if zfp->flags ask for one; *header_bits is the header's
 * length. starts may be NULL. */
zt_status zti_bare_zfp_encode(zt_context *context, const struct zti_array *array, const zt_zfp *zfp,
                              const struct zti_coding *coding, void *out, size_t out_capacity_bytes,
                              size_t *out_bytes, const struct zti_starts *starts,
                              uint64_t *header_bits);

/* Bytes of a stream that ends at end_bits: whole words, unless data ends within the last one's
 * padding. */
size_t zti_bare_zfp_consumed(const struct zti_coding *coding, uint64_t end_bits, size_t data_bytes);

/* Set up the coding of an existing stream: from the caller's parameters or, with ZT_ZFP_HEADER,
 * from its header, which must have the array's type and shape. The array was checked. */
zt_status zti_bare_zfp_open(zt_context *context, const void *data, size_t data_bytes,
                            const zt_zfp *zfp, const struct zti_array *array,
                            struct zti_coding *coding, uint32_t *header_bits);

/* Whether NaN and infinities may be coded with these parameters. */
bool zti_bare_zfp_accepts_nonfinite(const struct zti_zfp *z, uint32_t type, uint32_t rank);

/* ZT_NONFINITE if the array has some and the parameters do not allow them. */
zt_status zti_bare_zfp_refuse_nonfinite(zt_context *context, const struct zti_array *array,
                                        const struct zti_zfp *z);

#endif
