/* device.h: a GPU as the host's part of the cuda policy sees it: memory, copies and queues of work.
 * device.cu is over CUDA's runtime library, no_device.c for a build without it, and the tests have
 * one over the CPU's own memory. Nothing here knows codecs. */
#ifndef ZTI_CORE_DEVICE_H
#define ZTI_CORE_DEVICE_H

#include "core/core.h"

/* Memory on the device that calls use and leave for the next call; it only grows. */
enum zti_device_part {
    ZTI_DEVICE_VALUES,   /* a slab of an array */
    ZTI_DEVICE_STREAM,   /* coded bits */
    ZTI_DEVICE_STARTS,   /* where chunks begin, and must end */
    ZTI_DEVICE_CHUNKS,   /* which chunks are wanted */
    ZTI_DEVICE_UNPROVEN, /* tiles that the codec does not vouch for */
    ZTI_DEVICE_STATES,   /* sums and flags between blocks */
    ZTI_DEVICE_INDEX,    /* bytes that say where chunks begin */
    ZTI_DEVICE_KINDS,
    /* the same once more, for the slab that is copied while kernels run over another */
    ZTI_DEVICE_MODEL = 2 * ZTI_DEVICE_KINDS, /* codebooks, counts, and what they are made in */
    ZTI_DEVICE_WORK,                         /* what kernels leave for those that come after them */
    ZTI_DEVICE_PACKED, /* values of an array whose strides leave gaps, without them */
    ZTI_DEVICE_PARTS
};

/* A part of one of the two slabs that are under way; slab is 0 or 1. */
static inline enum zti_device_part zti_part_of(enum zti_device_part part, uint32_t slab)
{
    return (enum zti_device_part)(part + slab * ZTI_DEVICE_KINDS);
}

/* Parts begin at multiples of so many bytes. */
enum { ZTI_PART_ALIGN_BYTES = 256 };

/* Work of a queue is done in order; between queues only 'after' orders anything. Kernels run on the
 * caller's stream; the two others are the device's own, for copies of slabs beside kernels. */
enum zti_device_queue { ZTI_QUEUE_KERNELS, ZTI_QUEUE_IN, ZTI_QUEUE_OUT, ZTI_QUEUES };

/* What is looked for in an array, and what was found: numbers of values, and of those that are
 * finite and no fill the greatest and, all bits flipped, the least: as bits in the order of the
 * values (the sign's flipped, of a negative float all), in the low bits. */
struct zti_scan_fills {
    uint32_t count;
    uint64_t bits[ZT_MAX_FILLS];
};

struct zti_scan_found {
    uint64_t nan_values, inf_values, fill_values;
    uint64_t most, least_flipped;
};

/* The device of a context (context->device); core.h has zti_device_open. Functions that fail write
 * the sentence: ZT_NO_MEMORY, or ZT_UNSUPPORTED with CUDA's own words where something went wrong,
 * also in kernels that were queued before. */
struct zti_device {
    void *queue;         /* what kernels are queued on: a cudaStream_t */
    uint64_t slab_bytes; /* of values that are worked on at a time */

    /* An array's values as they are in the host's memory and, the same, in the device's: who copies
     * from the one may take the other. NULL: none. */
    const void *host_copy, *device_original;
    uint64_t copied_bytes;

    /* Grows when one of the two parts ZTI_DEVICE_VALUES is asked for: what it held may be gone. */
    uint64_t values_number;

    /* At least so many bytes of a part; what was in it is lost where it grows, for which all queues
     * are waited for. */
    zt_status (*room)(zt_context *context, enum zti_device_part part, uint64_t bytes,
                      void **memory);

    /* Take all parts from this memory of the device from now on, the caller's, instead of memory of
     * the device's own; NULL: the other way round. What parts held is lost. */
    zt_status (*lend)(zt_context *context, void *memory, uint64_t bytes);

    /* Queue a copy to, from or within the device, or zeroing. The host's memory must stay as it is
     * until the queue was waited for. */
    zt_status (*copy)(zt_context *context, enum zti_device_queue queue, void *to, const void *from,
                      uint64_t bytes);
    zt_status (*zero)(zt_context *context, enum zti_device_queue queue, void *to, uint64_t bytes);

    /* Queue for the kernels: an array of the device's memory to C-contiguous memory there, and
     * back. */
    void (*pack)(zt_context *context, void *to, const struct zti_array *from);
    void (*unpack)(zt_context *context, const struct zti_array *to, const void *from);

    /* And a scan of an array of the device's memory; found is there too, and all zeros. */
    void (*scan)(zt_context *context, const struct zti_array *array,
                 const struct zti_scan_fills *fills, struct zti_scan_found *found);

    /* What is queued on 'later' from now on begins when all is done that is queued on 'earlier'
     * now. */
    zt_status (*after)(zt_context *context, enum zti_device_queue later,
                       enum zti_device_queue earlier);

    /* Until all that was queued is done. */
    zt_status (*wait)(zt_context *context, enum zti_device_queue queue);

    /* Make this device the calling thread's current one, which kernels are launched on: the one
     * that was. The other functions do so by themselves, and leave the current device as it is. */
    int (*enter)(const zt_context *context);
    void (*leave)(int before);

    /* Free the parts and the device itself. */
    void (*close)(zt_context *context);
};

#ifdef __cplusplus
extern "C" {
#endif

/* Whose memory an address is in: the host's, which includes memory that both reach; the GPU's of
 * the context; or one that the context cannot use, having another GPU or none. */
enum zti_memory { ZTI_MEMORY_HOST, ZTI_MEMORY_DEVICE, ZTI_MEMORY_ELSEWHERE };

enum zti_memory zti_memory_of(const zt_context *context, const void *address);

#ifdef __cplusplus
}
#endif

/* To be called by 'room', and by 'lend' for a part of those that are lost. */
static inline void zti_device_note_room(struct zti_device *device, uint32_t part)
{
    device->values_number +=
        part == ZTI_DEVICE_VALUES || part == ZTI_DEVICE_VALUES + (uint32_t)ZTI_DEVICE_KINDS;
}

/* Wait for the kernels' queue, also after a failure: what is queued may be about memory that is
 * about to go. The first failure. */
static inline zt_status zti_device_settle(zt_context *context, zt_status status)
{
    const zt_status waited = context->device->wait(context, ZTI_QUEUE_KERNELS);
    return status != ZT_OK ? status : waited;
}

/* Where a copy from the host's memory can be taken from instead: 'from' itself, or what it is a
 * copy of. */
static inline const void *zti_original_of(const struct zti_device *device, const void *from,
                                          uint64_t bytes)
{
    const uint64_t at = (uint64_t)(uintptr_t)from - (uint64_t)(uintptr_t)device->host_copy;
    const bool is_copied =
        device->host_copy && at < device->copied_bytes && bytes <= device->copied_bytes - at;
    return is_copied ? (const char *)device->device_original + at : from;
}

#endif
