/* device.h: a GPU for the host's part of the cuda policy: memory, copies and queues. Implemented by
 * gpu/device.cu with CUDA's runtime library, by gpu/no_device.c for a build without it, and by the
 * tests over the CPU's memory. Knows no codec. */
#ifndef ZTI_CORE_DEVICE_H
#define ZTI_CORE_DEVICE_H

#include "core/core.h"

/* Parts of the device's memory. They stay allocated from call to call and only grow. */
enum zti_device_part {
    ZTI_DEVICE_VALUES,   /* a slab of an array */
    ZTI_DEVICE_STREAM,   /* coded bits */
    ZTI_DEVICE_STARTS,   /* where chunks begin, and must end */
    ZTI_DEVICE_CHUNKS,   /* numbers of the wanted chunks */
    ZTI_DEVICE_UNPROVEN, /* a byte for each tile: its bound is not proved */
    ZTI_DEVICE_STATES,   /* sums and flags that blocks exchange */
    ZTI_DEVICE_INDEX,    /* the bytes of an index */
    ZTI_DEVICE_KINDS,
    /* the parts above a second time, for the slab that is copied while kernels run on another */
    ZTI_DEVICE_MODEL = 2 * ZTI_DEVICE_KINDS, /* codebooks, counts, and scratch for making them */
    ZTI_DEVICE_WORK,                         /* data that kernels pass to later kernels */
    ZTI_DEVICE_PACKED,                       /* C-contiguous copy of an array with other strides */
    ZTI_DEVICE_PARTS
};

/* A part for one of the two slabs in progress; slab is 0 or 1. */
static inline enum zti_device_part zti_part_of(enum zti_device_part part, uint32_t slab)
{
    return (enum zti_device_part)(part + slab * ZTI_DEVICE_KINDS);
}

/* The longest range of bytes whose checksum 'hash' leaves to the host. */
enum { ZTI_DEVICE_UNHASHED_BYTES = 240 };

/* The most of ZTI_DEVICE_STREAM that a payload is moved by way of, and that checksums of a payload
 * take; beside coding, before or after it. */
enum { ZTI_DEVICE_WAY_BYTES = 1 << 20, ZTI_DEVICE_SUMS_BYTES = 1 << 16 };

/* Alignment of parts. */
enum { ZTI_PART_ALIGN_BYTES = 256 };

/* Work in a queue is done in order; only 'after' orders work of different queues. Kernels run in
 * the caller's stream; the two other queues copy slabs at the same time. */
enum zti_device_queue { ZTI_QUEUE_KERNELS, ZTI_QUEUE_IN, ZTI_QUEUE_OUT, ZTI_QUEUES };

/* Input and results of a scan of an array: the fill values to count; the numbers of special values;
 * and the greatest and least of the others, as integers that have the order of the values (the sign
 * bit flipped, of negative floats all bits). The least has all bits inverted, so that both are
 * maxima. */
struct zti_scan_fills {
    uint32_t count;
    uint64_t bits[ZT_MAX_FILLS];
};

struct zti_scan_found {
    uint64_t nan_values, inf_values, fill_values;
    uint64_t most, least_flipped;
};

/* The value of such an integer (of the least with its bits inverted back), rounded to double; no
 * -0. NaN where a scan of floats found none. */
ZTI_STATIC double zti_scan_value(uint32_t type, uint64_t key)
{
    const uint32_t width = type == ZT_F32 || type == ZT_I32 ? 32 : 64;
    const uint64_t sign = UINT64_C(1) << (width - 1), all = UINT64_MAX >> (64 - width);
    const bool is_float = type == ZT_F32 || type == ZT_F64;
    const uint64_t bits = is_float && !(key & sign) ? ~key & all : (key & all) ^ sign;
    const uint32_t low = (uint32_t)bits;
    float single;
    memcpy(&single, &low, sizeof single);
    return 0.0 + (type == ZT_F32   ? (double)single
                  : type == ZT_F64 ? zti_double_from_bits(bits)
                  : type == ZT_I32 ? (double)(int32_t)low
                                   : (double)(int64_t)bits);
}

/* The device of a context (context->device), opened by zti_device_open. Functions that fail write
 * the message: ZT_NO_MEMORY, or ZT_UNSUPPORTED with CUDA's message, which may be about a kernel
 * queued before. */
struct zti_device {
    void *queue;         /* the kernels' queue: a cudaStream_t */
    uint64_t slab_bytes; /* bytes of values that are processed at a time */

    /* The same bytes in the host's memory and in the device's: a copy from the first may read the
     * second (zti_original_of). NULL: none. */
    const void *host_copy, *device_original;
    uint64_t copied_bytes;

    /* Incremented when one of the two parts ZTI_DEVICE_VALUES is requested, whose contents may then
     * be overwritten. */
    uint64_t values_number;

    /* Get at least 'bytes' bytes of a part. If it has to grow, waits for all queues and loses its
     * contents. */
    zt_status (*room)(zt_context *context, enum zti_device_part part, uint64_t bytes,
                      void **memory);

    /* From now on place all parts in this device memory, which is the caller's; NULL: allocate them
     * again. Their contents are lost. */
    zt_status (*lend)(zt_context *context, void *memory, uint64_t bytes);

    /* Queue a copy to, from or within the device, or zeroing. The host's memory must not change
     * before 'wait' returns. A large copy to the host may be made as late as in 'wait': until then
     * its source must not be written, freed or grown either, not even by later work of the queue.
     */
    zt_status (*copy)(zt_context *context, enum zti_device_queue queue, void *to, const void *from,
                      uint64_t bytes);
    zt_status (*zero)(zt_context *context, enum zti_device_queue queue, void *to, uint64_t bytes);

    /* Queue for the kernels a copy of a device array to C-contiguous device memory, and back. */
    void (*pack)(zt_context *context, void *to, const struct zti_array *from);
    void (*unpack)(zt_context *context, const struct zti_array *to, const void *from);

    /* Queue a scan of a device array; found is in device memory, zeroed. */
    void (*scan)(zt_context *context, const struct zti_array *array,
                 const struct zti_scan_fills *fills, struct zti_scan_found *found);

    /* Queue the checksums of n bytes of the device, one for each range of 2^log2 of them: the low
     * 32 bits of XXH3. The last range has none if it is of at most ZTI_DEVICE_UNHASHED_BYTES. sums
     * is in device memory. */
    void (*hash)(zt_context *context, const uint8_t *bytes, uint64_t n, uint32_t log2,
                 uint32_t *sums);

    /* Work queued in 'later' from now on begins after all work now queued in 'earlier'. */
    zt_status (*after)(zt_context *context, enum zti_device_queue later,
                       enum zti_device_queue earlier);

    /* The error of a launch, without waiting. */
    zt_status (*launched)(zt_context *context);

    /* Wait until all work of a queue is done. */
    zt_status (*wait)(zt_context *context, enum zti_device_queue queue);

    /* Make this device the calling thread's current one, for launching kernels; returns the one
     * before, for 'leave'. The other functions need no call of these. */
    int (*enter)(const zt_context *context);
    void (*leave)(int before);

    /* Free the parts and the device itself. */
    void (*close)(zt_context *context);
};

#ifdef __cplusplus
extern "C" {
#endif

/* Where an address is: memory that the host can use (also if the GPU can), memory of the context's
 * GPU, or memory of a GPU that the context does not use. */
enum zti_memory { ZTI_MEMORY_HOST, ZTI_MEMORY_DEVICE, ZTI_MEMORY_ELSEWHERE };

enum zti_memory zti_memory_of(const zt_context *context, const void *address);

/* zt_cuda_allocate, of the open device of the context; zt_cuda_free; zt_cuda_device_of. */
zt_status zti_device_allocate(zt_context *context, uint64_t bytes, void **memory);
void zti_device_free(int32_t device, void *memory);
zt_status zti_device_of(zt_context *context, const void *address, int32_t *device);

#ifdef __cplusplus
}
#endif

/* 'room' calls this, and 'lend' for a part whose contents are lost. */
static inline void zti_device_note_room(struct zti_device *device, uint32_t part)
{
    device->values_number +=
        part == ZTI_DEVICE_VALUES || part == ZTI_DEVICE_VALUES + (uint32_t)ZTI_DEVICE_KINDS;
}

/* Wait for the kernels' queue, also after a failure, because queued work may use memory that the
 * caller will free. Returns the first failure. */
static inline zt_status zti_device_settle(zt_context *context, zt_status status)
{
    const zt_status waited = context->device->wait(context, ZTI_QUEUE_KERNELS);
    return status != ZT_OK ? status : waited;
}

/* The source for a copy from the host's memory: the device's original if 'from' is a copy of it,
 * else 'from'. */
static inline const void *zti_original_of(const struct zti_device *device, const void *from,
                                          uint64_t bytes)
{
    const uint64_t at = (uint64_t)(uintptr_t)from - (uint64_t)(uintptr_t)device->host_copy;
    const bool is_copied =
        device->host_copy && at < device->copied_bytes && bytes <= device->copied_bytes - at;
    return is_copied ? (const char *)device->device_original + at : from;
}

#endif
