/* cuda.h: the parts of the cuda policy. Inside exec only. */
#ifndef ZTI_EXEC_CUDA_CUDA_H
#define ZTI_EXEC_CUDA_CUDA_H

#include "core/device.h"
#include "exec/stream.h"
#include "index/gpu/expand.h"

/* False for what is left to the host: codings that only copy. */
bool zti_cuda_takes(const struct zti_coding *coding);

/* ---- exec/cuda/values.c ---- */

/* Values of a slab on their way to the device. */
struct zti_cuda_bringing {
    enum zti_device_queue queue;
    uint32_t number;        /* 0 or 1: whose part of the device's memory */
    struct zti_kept *kept;  /* what is there already; they are added */
    uint8_t *staged;        /* values without gaps, or NULL; until the queue is done */
    struct zti_array there; /* on the device */
};

/* Queue a slab's values to the device, or find them there. */
zt_status zti_cuda_bring(zt_context *context, const struct zti_array *slab,
                         struct zti_cuda_bringing *b);

/* ---- exec/cuda/learn.c ---- */

/* One of the codec's passes over all tiles into a tally, where there are kernels for it;
 * *is_done says so. What it brought to the device is noted in the coding. */
zt_status zti_cuda_tally(zt_context *context, struct zti_coding *coding, uint32_t pass,
                         const struct zti_array *array, void *tally, bool *is_done);

/* What the codec learnt to the device; *model is where, or NULL where there is nothing; *work, or
 * NULL, is memory there that its kernels work in. */
zt_status zti_cuda_put_model(zt_context *context, const struct zti_coding *coding,
                             const void **model, void **work);

/* Bytes of ZTI_DEVICE_MODEL that these two, and learning between them, need at most. */
uint64_t zti_cuda_learning_bytes(const struct zti_coding *coding);

/* ---- exec/cuda/index.c ---- */

/* Whether kernels find the chunks of this stream by this index: where all of it is decoded. */
bool zti_cuda_expands(const struct zti_coding *coding, const struct zti_index *index,
                      const struct zti_view *view);

/* Chunks that follow each other, whose places are wanted. */
struct zti_cuda_places {
    uint64_t first, count;
    uint32_t slab;          /* 0 or 1: whose parts of the device's memory */
    uint64_t expected;      /* units: where the first one begins */
    const uint64_t *places; /* on the device, cf. codec/cuda.h */
    struct zti_index_borders borders;
};

/* Queue what finds them: sets places. Then wait for borders; ZT_CORRUPT for a bad index. */
zt_status zti_cuda_expand(zt_context *context, const struct zti_coding *coding,
                          const struct zti_index *index, uint64_t start_bits,
                          struct zti_cuda_places *p);
zt_status zti_cuda_take_borders(zt_context *context, const struct zti_index *index,
                                const struct zti_cuda_places *p);

/* Bytes of ZTI_DEVICE_INDEX for so many chunks, of an index that ztile writes. */
uint64_t zti_cuda_index_bytes(uint64_t count);

/* ---- exec/cuda/encode.c, exec/cuda/decode.c ---- */

/* zti_exec_encode and zti_exec_decode (with starts: zti_exec_decode_noting) but for what is common
 * to all policies at the ends of a stream. */
zt_status zti_cuda_encode(zt_context *context, const struct zti_coding *coding,
                          const struct zti_array *array, uint8_t *out, size_t out_capacity_bytes,
                          uint64_t start_bits, uint64_t *end_bits, struct zti_misses *misses,
                          const struct zti_starts *starts);

zt_status zti_cuda_decode(zt_context *context, const struct zti_coding *coding, const uint8_t *data,
                          size_t data_bytes, uint64_t start_bits, const struct zti_index *index,
                          const struct zti_view *view, const struct zti_scatter *scatter,
                          const struct zti_starts *starts, uint64_t *end_bits);

/* zti_exec_scratch. */
zt_status zti_cuda_scratch(zt_context *context, const struct zti_coding *coding,
                           uint32_t chunk_tiles, uint64_t *bytes);

/* Layers of tiles in a slab: of slab_bytes, or about that where an array makes two. */
uint64_t zti_cuda_slab_layers(const zt_context *context, const struct zti_coding *coding,
                              const uint64_t *shape);

#endif
