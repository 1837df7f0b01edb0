/* memory_type.h: whose memory an address is in, as CUDA's runtime library says. */
#ifndef ZTI_GPU_MEMORY_TYPE_H
#define ZTI_GPU_MEMORY_TYPE_H

#include <cuda_runtime.h>

/* cudaMemoryTypeUnregistered: the host's memory, not pinned; also where CUDA gives an error. */
static inline cudaMemoryType memory_type_of(const void *address)
{
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, address) == cudaSuccess)
        return attributes.type;
    (void)cudaGetLastError(); /* the next call is not to report it */
    return cudaMemoryTypeUnregistered;
}

#endif
