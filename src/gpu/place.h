/* place.h: bytes that a block has in shared memory to any place in the device's memory: whole words
 * of 32 bits side by side, and the bytes that others share a word with one by one. */
#ifndef ZTI_GPU_PLACE_H
#define ZTI_GPU_PLACE_H

#include "gpu/simt.h"

/* Store 'bytes' bytes of words, lowest bits first, at out + at. All threads of the block call
 * it. */
static __device__ __forceinline__ void place_bytes(const uint32_t *words, uint32_t bytes,
                                                   uint8_t *out, uint64_t at, uint32_t threads)
{
    const uint32_t before = (uint32_t)(-(uintptr_t)(out + at) & 3);
    const uint32_t head = before < bytes ? before : bytes;
    const uint32_t whole = (bytes - head) / 4, tail = head + whole * 4;
    const uint32_t next = head != 0; /* a word that bytes of a word are in as well, if any */
    uint32_t *const to = (uint32_t *)(void *)(out + at + head);
    SIMT_NO_UNROLL
    for (uint32_t i = threadIdx.x; i < whole; i += threads)
        to[i] = __funnelshift_r(words[i], words[i + next], 8 * head);
    if (threadIdx.x < head)
        out[at + threadIdx.x] = (uint8_t)(words[0] >> 8 * threadIdx.x);
    if (threadIdx.x < bytes - tail)
        out[at + tail + threadIdx.x] =
            (uint8_t)(words[(tail + threadIdx.x) / 4] >> (tail + threadIdx.x) % 4 * 8);
}

#endif
