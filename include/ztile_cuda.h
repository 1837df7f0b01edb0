/** @file
 * The GPU: which device and stream ZT_CUDA uses, and the GPU's memory that it works in. The rules
 * of ztile.h hold here; the guide is docs/gpu.md.
 *
 *     zt_cuda cuda = {0};
 *     cuda.stream = my_stream;
 *     zt_context_set_cuda(ctx, &cuda);
 *     zt_cuda_scratch_bytes(ctx, &array, &params, &bytes);
 *     cudaMalloc(&memory, bytes);
 *     zt_cuda_set_scratch(ctx, memory, bytes);   // leave out for memory of the context's own
 *     zt_cuda_reserve(ctx, &array, &params);
 *     zt_compress(ctx, &array, &params, out, capacity, &n);   // allocates nothing on the GPU
 */
#ifndef ZTILE_CUDA_H
#define ZTILE_CUDA_H

#include "ztile.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Parameters of ZT_CUDA. Frozen. */
typedef struct zt_cuda {
    int32_t device;       /**< CUDA's number. */
    uint32_t flags;       /**< 0 */
    void *stream;         /**< A cudaStream_t of that device; NULL: the default stream. */
    uint64_t reserved[2]; /**< 0 */
} zt_cuda;

/** Choose ZT_CUDA: tiles of all codecs and Huffman streams are coded on a GPU, slab by slab.
 *
 * Kernels run on the given stream, copies on others. A call returns when everything is done.
 * Arrays, streams and files may be in the memory of the host or of the GPU. Memory on the GPU is
 * kept for the next call, until the policy is set again.
 * @param context not NULL
 * @param cuda NULL: device 0 and the default stream
 * @return ZT_UNSUPPORTED, with the policy unchanged, where this build has no CUDA or this machine
 *         no such GPU */
ZT_API zt_status zt_context_set_cuda(zt_context *context, const zt_cuda *cuda);

/** The most GPU memory, beside the caller's, that zt_compress() and zt_decompress() take for arrays
 * of this type and shape. Bare streams and Huffman coding are not counted.
 *
 * Arrays larger than a slab take little more than a slab does. An array in GPU memory whose strides
 * leave gaps may have to be packed, which takes more.
 * @param context its policy is ZT_CUDA, else ZT_BAD_ARG
 * @param array data says whose memory it is; NULL: the host's
 * @param params as for zt_compress()
 * @param bytes gets the number
 * @return what zt_compress_bound() returns */
ZT_API zt_status zt_cuda_scratch_bytes(zt_context *context, const zt_array *array,
                                       const zt_params *params, size_t *bytes);

/** Allocate that memory now, or divide the caller's memory among its uses. Calls for such arrays
 * then allocate nothing on the GPU. Without this call, the first call that needs memory allocates
 * it. Arguments as in zt_cuda_scratch_bytes(); ZT_NO_MEMORY if there is less. */
ZT_API zt_status zt_cuda_reserve(zt_context *context, const zt_array *array,
                                 const zt_params *params);

/** Let a context work in this GPU memory and allocate none. A call that needs more returns
 * ZT_NO_MEMORY.
 *
 * zt_cuda_reserve() divides the memory. Calls take what is left piece by piece and never give it
 * back: for arrays of different kinds, make it large enough for all of them.
 * @param context its policy is ZT_CUDA, else ZT_BAD_ARG; memory of its own is freed
 * @param memory stays the caller's and in use until it is replaced, the policy is set again or the
 *        context is freed; NULL: the context allocates again
 * @param bytes of memory */
ZT_API zt_status zt_cuda_set_scratch(zt_context *context, void *memory, size_t bytes);

/** @name Without waiting
 *
 * Files of sz, and bare streams of fixed-rate zfp and of ndzip, from and to memory of the GPU.
 * These calls queue work on the context's stream and return: they neither wait nor allocate, so
 * that they can be captured in a CUDA graph. Arrays, stream and scratch stay in use until that work
 * is done.
 *
 * Parameters of zfp have no header (ZT_ZFP_HEADER). As nothing is looked at on the host, lossy
 * streams of floats need ZT_ZFP_AS_LIBZFP: NaN and infinities are not refused, but coded as libzfp
 * does.
 *
 * All return ZT_BAD_ARG where the policy is not ZT_CUDA, memory is not its GPU's, or an address is
 * not a multiple of 8; and ZT_UNSUPPORTED for parameters of another mode.
 * @{ */
struct zt_zfp;

/** What zt_compress_async() needs. Arguments as there.
 * @param context its policy is ZT_CUDA
 * @param array data may be NULL
 * @param params as for zt_compress_async()
 * @param scratch_bytes gets the bytes of scratch memory
 * @param out_capacity_bytes gets the bytes of the output buffer, some more than
 *        zt_compress_bound() */
ZT_API zt_status zt_compress_async_bytes(zt_context *context, const zt_array *array,
                                         const zt_params *params, size_t *scratch_bytes,
                                         size_t *out_capacity_bytes);

/** Queue what zt_compress() does with codec sz at effort fast or default under an absolute bound.
 *
 * Kernels find the range of the values, choose axes, build codebooks, and write all of the file. It
 * is that of zt_compress(), byte for byte, but for three kinds of values: NaN and infinities are
 * kept exactly in the stream, not beside it; values that sz would make longer are stored as they
 * are, where zt_compress() tries to code them without loss first; and of small arrays that are very
 * smooth differences are coded, which zt_compress() interpolates unless speed is preferred.
 * @param context its policy is ZT_CUDA
 * @param array on the GPU, any strides; at most params.slab_bytes
 * @param params codec sz (or auto), effort fast or default, a bound abs above 0, no other method,
 *        plan, fill values, mean error or limits; else ZT_UNSUPPORTED
 * @param out multiple of 8
 * @param out_capacity_bytes at least as zt_compress_async_bytes() says, else ZT_NO_SPACE
 * @param scratch memory of the GPU, a multiple of 8
 * @param scratch_bytes at least as zt_compress_async_bytes() says, else ZT_NO_MEMORY
 * @param out_bytes on the GPU: gets the file's length */
ZT_API zt_status zt_compress_async(zt_context *context, const zt_array *array,
                                   const zt_params *params, void *out, size_t out_capacity_bytes,
                                   void *scratch, size_t scratch_bytes, uint64_t *out_bytes);

/** The bytes of scratch that zt_decompress_async() needs.
 * @param context its policy is ZT_CUDA
 * @param array data may be NULL
 * @param scratch_bytes gets the number */
ZT_API zt_status zt_decompress_async_bytes(zt_context *context, const zt_array *array,
                                           size_t *scratch_bytes);

/** Queue what zt_decompress() does with a file of one frame of sz with effort fast or default, as
 * zt_compress_async() writes it, or zt_compress() for an array without NaN, infinities, fill values
 * and a plan. Kernels verify header, tail and checksums; the seek table is not looked at.
 * @param context its policy is ZT_CUDA
 * @param data multiple of 8, readable up to data_bytes rounded up to 8
 * @param data_bytes the file's length, or more
 * @param out type and shape of the array, on the GPU, any strides
 * @param scratch memory of the GPU, a multiple of 8
 * @param scratch_bytes at least as zt_decompress_async_bytes() says, else ZT_NO_MEMORY
 * @param result on the GPU: gets a zt_status: ZT_OK; ZT_CORRUPT for a damaged file, ZT_UNSUPPORTED
 *        for another one; values are then wrong, and no other memory is touched */
ZT_API zt_status zt_decompress_async(zt_context *context, const void *data, size_t data_bytes,
                                     const zt_array *out, void *scratch, size_t scratch_bytes,
                                     uint64_t *result);

/** Bytes of scratch that the others need.
 * @param context its policy is ZT_CUDA
 * @param array data may be NULL
 * @param zfp as for the others
 * @param bytes gets the number */
ZT_API zt_status zt_zfp_async_scratch_bytes(zt_context *context, const zt_array *array,
                                            const struct zt_zfp *zfp, size_t *bytes);

/** Queue what zt_zfp_compress() does.
 * @param context its policy is ZT_CUDA
 * @param array on the GPU, any strides
 * @param zfp fixed rate, without a header
 * @param out multiple of 8
 * @param out_capacity_bytes at least zt_zfp_compress_bound() rounded up to 8, else ZT_NO_SPACE
 * @param scratch memory of the GPU, a multiple of 8
 * @param scratch_bytes at least zt_zfp_async_scratch_bytes(), else ZT_NO_MEMORY
 * @param out_bytes gets the stream's length, which is known beforehand */
ZT_API zt_status zt_zfp_compress_async(zt_context *context, const zt_array *array,
                                       const struct zt_zfp *zfp, void *out,
                                       size_t out_capacity_bytes, void *scratch,
                                       size_t scratch_bytes, size_t *out_bytes);

/** Queue what zt_zfp_decompress() does. Bits of a damaged stream give wrong values and nothing
 * else.
 * @param context its policy is ZT_CUDA
 * @param data multiple of 8, readable up to data_bytes rounded up to 8
 * @param data_bytes at least the stream's length, else ZT_CORRUPT
 * @param zfp fixed rate, without a header
 * @param out type and shape of the array, on the GPU, any strides
 * @param scratch, scratch_bytes as for zt_zfp_compress_async() */
ZT_API zt_status zt_zfp_decompress_async(zt_context *context, const void *data, size_t data_bytes,
                                         const struct zt_zfp *zfp, const zt_array *out,
                                         void *scratch, size_t scratch_bytes);

/** Bytes of scratch that the calls for ndzip need.
 * @param context its policy is ZT_CUDA
 * @param array data may be NULL
 * @param bytes gets the number */
ZT_API zt_status zt_ndzip_async_scratch_bytes(zt_context *context, const zt_array *array,
                                              size_t *bytes);

/** Queue what zt_ndzip_compress() does.
 * @param context its policy is ZT_CUDA
 * @param array on the GPU, any strides; extents are multiples of 4096 (1-D), 64 (2-D) or 16 (3-D),
 *        else ZT_UNSUPPORTED
 * @param out multiple of 8
 * @param out_capacity_bytes at least zt_ndzip_compress_bound(), else ZT_NO_SPACE
 * @param scratch memory of the GPU, a multiple of 8
 * @param scratch_bytes at least zt_ndzip_async_scratch_bytes(), else ZT_NO_MEMORY
 * @param out_bytes on the GPU: gets the stream's length */
ZT_API zt_status zt_ndzip_compress_async(zt_context *context, const zt_array *array, void *out,
                                         size_t out_capacity_bytes, void *scratch,
                                         size_t scratch_bytes, uint64_t *out_bytes);

/** Queue what zt_ndzip_decompress() does.
 * @param context its policy is ZT_CUDA
 * @param data multiple of 8, readable up to data_bytes rounded up to 8
 * @param data_bytes the stream's length, or more
 * @param out type and shape of the array, on the GPU, any strides, extents as above
 * @param scratch, scratch_bytes as for zt_ndzip_compress_async()
 * @param damage on the GPU: gets 0, or another number if lengths in the stream are not those of
 * this array; values are then wrong, and no other memory is touched */
ZT_API zt_status zt_ndzip_decompress_async(zt_context *context, const void *data, size_t data_bytes,
                                           const zt_array *out, void *scratch, size_t scratch_bytes,
                                           uint64_t *damage);
/** @} */

/** Allocate memory on the GPU of a context, for callers without CUDA's headers: results of
 * zt_decompress(), or files.
 * @param context its policy is ZT_CUDA, else ZT_BAD_ARG
 * @param bytes 0 counts as 1
 * @param memory gets an address that is a multiple of 256, to be freed with zt_cuda_free() */
ZT_API zt_status zt_cuda_allocate(zt_context *context, size_t bytes, void **memory);

/** Free memory of zt_cuda_allocate(). The context may be gone by then.
 * @param device that the context had
 * @param memory NULL: nothing happens */
ZT_API void zt_cuda_free(int32_t device, void *memory);

/** Find the GPU that an address belongs to. Managed memory belongs to one, too.
 * @param context NULL allowed; any policy
 * @param address in any memory
 * @param device gets CUDA's number
 * @return ZT_BAD_ARG for memory of the host, ZT_UNSUPPORTED where this build has no CUDA */
ZT_API zt_status zt_cuda_device_of(zt_context *context, const void *address, int32_t *device);

#ifdef __cplusplus
}
#endif

#endif
