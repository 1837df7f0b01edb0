/* device.h: a GPU as the host's part of the cuda policy sees it: memory, copies and one queue of
 * work. device.cu is over CUDA's runtime library, no_device.c for a build without it, and the tests
 * have one over the CPU's own memory. Nothing here knows codecs. */
#ifndef ZTI_CORE_DEVICE_H
#define ZTI_CORE_DEVICE_H

#include "core/core.h"

/* Memory on the device that calls use and leave for the next call; it only grows. */
enum zti_device_part {
    ZTI_DEVICE_VALUES, /* a slab of an array */
    ZTI_DEVICE_STREAM, /* coded bits */
    ZTI_DEVICE_STARTS, /* where chunks begin, and must end */
    ZTI_DEVICE_CHUNKS, /* which chunks are wanted */
    ZTI_DEVICE_DOUBTS, /* tiles that the codec does not vouch for */
    ZTI_DEVICE_STATES, /* sums and flags between blocks */
    ZTI_DEVICE_MODEL,  /* codebooks, counts, and what they are made in */
    ZTI_DEVICE_PARTS
};

/* The device of a context (context->device); core.h has zti_device_open. Functions that fail write
 * the sentence: ZT_NO_MEMORY, or ZT_UNSUPPORTED with CUDA's own words where something went wrong,
 * also in kernels that were queued before. */
struct zti_device {
    void *queue;         /* what kernels are queued on: a cudaStream_t */
    uint64_t slab_bytes; /* of values that are worked on at a time */

    /* At least so many bytes of a part, aligned to 256; what was in it is lost where it grows. */
    zt_status (*room)(zt_context *context, enum zti_device_part part, uint64_t bytes,
                      void **memory);

    /* Queue a copy to the device, a copy from it, or zeroing. The host's memory must stay as it is
     * until wait returns. */
    zt_status (*put)(zt_context *context, void *to, const void *from, uint64_t bytes);
    zt_status (*get)(zt_context *context, void *to, const void *from, uint64_t bytes);
    zt_status (*zero)(zt_context *context, void *to, uint64_t bytes);

    /* Until all that was queued is done. */
    zt_status (*wait)(zt_context *context);

    /* Free the parts and the device itself. */
    void (*close)(zt_context *context);
};

#endif
