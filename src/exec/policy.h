/* policy.h: what an execution policy is to exec.c: a table, of which there are three. What is
 * common to all at the ends of a stream is not their business. Inside exec only. What is done for
 * items 0..n on the host goes through core/map.h. */
#ifndef ZTI_EXEC_POLICY_H
#define ZTI_EXEC_POLICY_H

#include "exec/stream.h"
#include "index/index.h"

struct zti_policy {
    bool is_on_device; /* arrays and streams may be in a GPU's memory; else they are the host's */

    /* zti_exec_encode, and zti_exec_decode with its likes. scatter and starts may be NULL. */
    zt_status (*encode)(zt_context *context, const struct zti_coding *coding,
                        const struct zti_array *array, uint8_t *out, size_t out_capacity_bytes,
                        uint64_t start_bits, uint64_t *end_bits, struct zti_misses *misses,
                        const struct zti_starts *starts);
    zt_status (*decode)(zt_context *context, const struct zti_coding *coding, const uint8_t *data,
                        size_t data_bytes, uint64_t start_bits, const struct zti_index *index,
                        const struct zti_view *view, const struct zti_scatter *scatter,
                        const struct zti_starts *starts, uint64_t *end_bits);

    /* One of the codec's passes over all tiles; tally is zeroed. */
    zt_status (*tally)(zt_context *context, struct zti_coding *coding, uint32_t pass,
                       const struct zti_array *array, void *tally);

    /* Whether it decodes what is wanted; if not, serial does. NULL: always. */
    bool (*takes)(const struct zti_coding *coding, const struct zti_scatter *scatter);

    /* zti_exec_checks_index and zti_exec_scratch; NULL: no, and nothing. */
    bool (*checks_index)(const struct zti_coding *coding, const struct zti_index *index,
                         const struct zti_view *view);
    zt_status (*scratch)(zt_context *context, const struct zti_coding *coding, uint32_t chunk_tiles,
                         uint64_t *bytes);
};

extern const struct zti_policy zti_serial, zti_omp, zti_cuda;

/* The context's policy, or the one that it leaves this coding to. */
const struct zti_policy *zti_policy_of(const zt_context *context, const struct zti_coding *coding);

/* The same for decoding into a scatter, or where it is NULL a view. */
const struct zti_policy *zti_policy_to_decode(const zt_context *context,
                                              const struct zti_coding *coding,
                                              const struct zti_scatter *scatter);

/* survey.c: a pass on the threads of the context's policy. */
zt_status zti_tally_on_host(zt_context *context, struct zti_coding *coding, uint32_t pass,
                            const struct zti_array *array, void *tally);

#endif
