/* job.h: kernel text of the transform coder: what kernels are given that encode a tile, or a box of
 * it by which the host decides, and the memory in which that is done. The host waits between the
 * steps of ../kernels.h; encode.cu is its part. */
#ifndef ZTI_SZ_TRANSFORM_GPU_JOB_H
#define ZTI_SZ_TRANSFORM_GPU_JOB_H

#include "codec/sz/gpu/put.h"
#include "codec/sz/transform/kernels.h"
#include "codec/sz/transform/layout.h"
#include "entropy/ans/mixed.h"

enum {
    TF_JOB_THREADS = 256,
    TF_JOB_BLOCKS = 512,    /* at most, that share values */
    TF_NEAR_SYMBOLS = 64,   /* frequent ones, counted in shared memory, and apart */
    TF_STREAMS_OF_WARP = 8, /* streams of ANS that a warp codes, a lane a state */
    TF_PAIR = 2             /* symbols of a correction */
};

/* A part of a tile, or a chunk of corrections. */
struct tf_stream {
    uint64_t at; /* in the list of symbols */
    uint32_t symbols, open_bits, code_bytes;
    uint32_t found, exact, exact_bytes; /* of a chunk: corrections, with exact ones; these */
};

/* What kernels count. Far symbols have magnitudes of 2^16 and more: where there are none, their
 * counts are not copied to the host. */
struct tf_sums {
    unsigned long long off[ZTI_TF_OCTAVES][ZTI_TF_CENTROIDS]; /* struct zti_tf_tally */
    unsigned times[ZTI_TF_OCTAVES][ZTI_TF_CENTROIDS];
    unsigned long long open_bits;
    unsigned is_over, is_bad; /* there are too many corrections, values that are not finite */
    unsigned has_far;
    unsigned near[ZTI_TF_CONTEXTS][TF_NEAR_SYMBOLS]; /* of contexts, or of gaps and steps */
    unsigned far[ZTI_TF_CONTEXTS][ZTI_LL_ALPHABET - (int)TF_NEAR_SYMBOLS];
};

/* Add to the count of a symbol. */
static __device__ __forceinline__ void tf_add_count(struct tf_sums *sums, uint32_t context,
                                                    uint32_t symbol, uint32_t times)
{
    if (symbol < TF_NEAR_SYMBOLS) {
        (void)atomicAdd(&sums->near[context][symbol], times);
        return;
    }
    (void)atomicAdd(&sums->far[context][symbol - TF_NEAR_SYMBOLS], times);
    (void)atomicOr(&sums->has_far, 1u);
}

struct tf_job {
    struct sz_box box; /* that is coded */
    struct zti_sz sz;
    const struct zti_tf_layout *layout;
    const struct zti_tf_front *front;
    const uint32_t *item_of; /* of parts */
    double step;             /* the quantizer's */
    uint32_t shift, parts, chunks, chunk_values;
    uint32_t blocks; /* that share values */
    uint32_t level;  /* that is lifted */

    void *values; /* values, coefficients, and then multiples, which stay until they are joined */
    void *others; /* values of a level; weights and symbols of multiples; decoded values */
    void *spare;  /* values of a level while others are decoded; then corrections and their codes */
    uint8_t *symbols, *contexts,
        *codes; /* the list of symbols; it has those of corrections later */
    zti_tf_correction *corrections;
    uint8_t *correction_codes;
    struct tf_stream *part, *chunk;
    struct tf_sums *sums;
    const struct zti_ans_mixed_entry *table;
    const uint8_t *model_of; /* of contexts */

    const uint64_t *places; /* of parts, then of chunks: behind the strings before them */
    const uint8_t *strings; /* what stands before parts, then before chunks */
    uint32_t head_bytes, tail_bytes;
    uint64_t parts_bytes;
    uint8_t *out; /* the tile's first byte */
};

/* Streams of ANS to be coded, of parts or chunks. */
struct tf_coding {
    const uint8_t *symbols, *contexts; /* contexts: NULL, gaps and steps in turns */
    const uint8_t *model_of;           /* NULL: a context is its model */
    const struct zti_ans_mixed_entry *table;
    struct tf_stream *stream;
    uint32_t streams;
    uint8_t *codes;
};

/* Where the memory of a stream's codes begins, which is aligned to 4 bytes; it ends where the next
 * one begins. 'at' is the number of the stream's first symbol, or the one behind its last. */
ZTI_STATIC uint64_t tf_codes_at(uint64_t at, uint32_t stream)
{
    enum { EACH = 16 }; /* states, padding, rounding */
    return (at + at / 2 + (uint64_t)EACH * stream) / 4 * 4;
}

#ifdef __cplusplus
extern "C" {
#endif

/* Values to multiples, symbols and their list, but for counts; multiples to decoded values, and
 * these to lists of corrections; open bits and codes of parts to their places. Of narrow streams,
 * and of others. */
void zti_tf_cuda_quantize_narrow(struct tf_job *j, uint32_t levels, void *queue);
void zti_tf_cuda_quantize_wide(struct tf_job *j, uint32_t levels, void *queue);
void zti_tf_cuda_find_narrow(struct tf_job *j, uint32_t levels, void *queue);
void zti_tf_cuda_find_wide(struct tf_job *j, uint32_t levels, void *queue);
void zti_tf_cuda_join_narrow(const struct tf_job *j, void *queue);
void zti_tf_cuda_join_wide(const struct tf_job *j, void *queue);

/* codes.cu: numbers of points of the box as doubles; counts of symbols in contexts; symbols to
 * codes; what stands before parts and chunks, and values as they are, to their places. */
void zti_tf_cuda_points(const struct tf_job *j, const int64_t *offset, double *value, void *queue);
void zti_tf_cuda_count(const struct tf_job *j, void *queue);
void zti_tf_cuda_code(const struct tf_coding *c, void *queue);
void zti_tf_cuda_put_strings(const struct tf_job *j, void *queue);
void zti_tf_cuda_put_raw(const struct tf_job *j, void *queue);

/* chunks.cu: corrections to symbols, with counts; chunks to their places. */
void zti_tf_cuda_list_chunks(const struct tf_job *j, void *queue);
void zti_tf_cuda_join_chunks(const struct tf_job *j, void *queue);

/* encode.cu: all tiles of an array; the memory that this takes. */
zt_status zti_tf_cuda_encode(zt_context *context, const struct zti_cuda_encoding *e);
uint64_t zti_tf_cuda_encode_bytes(const struct zti_coding *coding);

#ifdef __cplusplus
}
#endif

#endif
