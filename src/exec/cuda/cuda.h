/* cuda.h: the parts of the cuda policy's host side: values.c, learn.c, index.c, verify.c, encode.c,
 * decode.c. Used in src/exec only. */
#ifndef ZTI_EXEC_CUDA_CUDA_H
#define ZTI_EXEC_CUDA_CUDA_H

#include "core/device.h"
#include "exec/stream.h"
#include "index/gpu/expand.h"

/* Whether the cuda policy can encode and decode a coding; false for raw ones, which the host
 * copies, and where the context's device lacks what the kernels need. */
bool zti_cuda_can_code(const zt_context *context, const struct zti_coding *coding);

/* ---- exec/cuda/values.c ---- */

/* A copy of a slab's values to the device. */
struct zti_cuda_bringing {
    enum zti_device_queue queue;
    uint32_t number;        /* 0 or 1: which part of the device's memory */
    struct zti_kept *kept;  /* values on the device already; this slab's are added */
    uint8_t *staged;        /* a C-contiguous copy, or NULL; to be freed after the queue is done */
    struct zti_array there; /* the values on the device */
};

/* Queue the copy of a slab's values to the device, or find them there. */
zt_status zti_cuda_bring(zt_context *context, const struct zti_array *slab,
                         struct zti_cuda_bringing *b);

/* ---- exec/cuda/learn.c ---- */

/* Make one of the codec's passes over all tiles by kernels, if it has some; *is_done: it had.
 * Values that stay on the device are noted in coding->run.kept. */
zt_status zti_cuda_tally(zt_context *context, struct zti_coding *coding, uint32_t pass,
                         const struct zti_array *array, void *tally, bool *is_done);

/* Copy what the codec learnt to the device: *model, NULL if nothing. *work: scratch memory for its
 * kernels there, or NULL. */
zt_status zti_cuda_send_model(zt_context *context, const struct zti_coding *coding,
                              const void **model, void **work);

/* The most bytes of ZTI_DEVICE_MODEL that these two, and learning between them, need. */
uint64_t zti_cuda_learning_bytes(const struct zti_coding *coding);

/* ---- exec/cuda/index.c ---- */

/* Whether kernels expand this index: if all of the array is decoded. */
bool zti_cuda_expands(const struct zti_coding *coding, const struct zti_index *index,
                      const struct zti_view *view);

/* Consecutive chunks whose places kernels find. */
struct zti_cuda_places {
    uint64_t first, count;
    uint32_t slab;          /* 0 or 1: which parts of the device's memory */
    uint64_t expected;      /* where the first one must begin, in units */
    const uint64_t *places; /* on the device, see codec/gpu.h */
    struct zti_index_expand_result result;
};

/* Queue the kernels that find them, and set p->places. Then wait for p->result; ZT_CORRUPT for a
 * bad index. */
zt_status zti_cuda_expand(zt_context *context, const struct zti_coding *coding,
                          const struct zti_index *index, uint64_t start_bits,
                          struct zti_cuda_places *p);
zt_status zti_cuda_fetch_result(zt_context *context, const struct zti_index *index,
                                const struct zti_cuda_places *p);

/* Bytes of ZTI_DEVICE_INDEX for 'count' chunks of an index of this layout that ztile writes. */
uint64_t zti_cuda_index_bytes(const struct zti_index_layout *layout, uint64_t count);

/* ---- exec/cuda/verify.c ---- */

/* Coded tiles, for some of which the codec has not proved the bound. */
struct zti_cuda_unproven {
    const uint8_t *tiles;   /* a byte each; not 0: not proved */
    const uint64_t *starts; /* of each, in bits from 'at'; on the device */
    uint64_t first, count;  /* their numbers in the array */
    uint64_t at, end;       /* of their bits in the stream */
};

/* Decode those tiles, and add values that miss the bound to misses. Array and stream may be in
 * either memory; of the device's only what is needed is copied. */
zt_status zti_cuda_verify(zt_context *context, const struct zti_coding *coding,
                          const struct zti_array *array, const uint8_t *stream,
                          const struct zti_cuda_unproven *unproven, struct zti_misses *misses);

/* ---- exec/cuda/encode.c, exec/cuda/decode.c ---- */

/* The cuda policy's encode and decode (policy.h). */
zt_status zti_cuda_encode(zt_context *context, const struct zti_coding *coding,
                          const struct zti_array *array, uint8_t *out, size_t out_capacity_bytes,
                          uint64_t start_bits, uint64_t *end_bits, struct zti_misses *misses,
                          const struct zti_starts *starts);

zt_status zti_cuda_decode(zt_context *context, const struct zti_coding *coding, const uint8_t *data,
                          size_t data_bytes, uint64_t start_bits, const struct zti_index *index,
                          const struct zti_view *view, const struct zti_scatter *scatter,
                          const struct zti_starts *starts, uint64_t *end_bits);

/* The cuda policy's scratch (policy.h). */
zt_status zti_cuda_scratch(zt_context *context, const struct zti_coding *coding,
                           const struct zti_index_layout *layout, uint64_t *bytes);

/* Whether an array in the device's memory, whose stream is there too, may be one slab. */
bool zti_cuda_is_one_slab(const zt_context *context, uint64_t array_bytes);

/* Layers of tiles of a slab: as many as fit in slab_bytes; half of the array if that makes two
 * slabs instead of three. */
uint64_t zti_cuda_slab_layers(const zt_context *context, const struct zti_coding *coding,
                              const uint64_t *shape);

#endif
