/* ztile_cuda.h: memory of the GPU that the cuda policy works in, for callers who must know it
 * beforehand or bring their own. What holds for every declaration of ztile.h holds here.
 *
 *     zt_context_set_policy(ctx, ZT_CUDA, &cuda);
 *     zt_cuda_scratch_bytes(ctx, &array, &params, &bytes);
 *     cudaMalloc(&memory, bytes);
 *     zt_cuda_set_scratch(ctx, memory, bytes);          // left out: memory of the context's own
 *     zt_cuda_reserve(ctx, &array, &params);
 *     zt_compress(ctx, &array, &params, out, cap, &n);  // allocates nothing on the GPU
 */
#ifndef ZTILE_CUDA_H
#define ZTILE_CUDA_H

#include "ztile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parameters of ZT_CUDA. Frozen. */
typedef struct zt_cuda {
    int32_t device; /* CUDA's number */
    uint32_t flags; /* 0 */
    void *stream;   /* a cudaStream_t of that device; NULL: the default stream */
    uint64_t reserved[2];
} zt_cuda;

/* The most memory of the GPU, beside the caller's, that zt_compress and zt_decompress take for an
 * array of this type and shape with these parameters under the context's cuda policy; whatever is
 * in the file, it is this array's. Arrays are worked on in slabs, so that it does not grow with the
 * array for ever. array->data is looked at to tell whose memory it is, and may be NULL for the
 * host's: an array of the GPU's memory whose strides leave gaps may have to be packed. What a bare
 * stream or Huffman coding takes is not counted.
 *
 * ZT_BAD_ARG under another policy. Also what zt_compress_bound returns. */
ZT_API zt_status zt_cuda_scratch_bytes(zt_context *context, const zt_array *array,
                                       const zt_params *params, size_t *bytes);

/* Allocate that memory now, as far as the context does not have it, or divide the caller's among
 * its uses: calls for such arrays then allocate nothing on the GPU. It is kept until the policy is
 * set again or the context is freed.
 * Without this, the first call does it, and later ones that need more. ZT_NO_MEMORY. */
ZT_API zt_status zt_cuda_reserve(zt_context *context, const zt_array *array,
                                 const zt_params *params);

/* Let a context work in this memory of its GPU and allocate none: a call for which it is too small
 * is ZT_NO_MEMORY. Memory that the context had is freed. zt_cuda_reserve divides it; what was not
 * reserved is taken piece by piece as calls ask for more, and not given back: where they are for
 * different arrays, set it anew or make it large enough for all of them together. memory stays the
 * caller's, must not be used otherwise, and lives until it
 * is replaced, the policy is set again or the context is freed. NULL: back to the context's own. */
ZT_API zt_status zt_cuda_set_scratch(zt_context *context, void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
