/* simt.h: what a kernel source needs beyond C: CUDA's words, the same ones on a GPU (nvcc) and on
 * the CPU, where the tests compile the text as C++ over a runtime of their own.
 *
 * Kernel sources use plain functions and structs, barriers, warp collectives and atomics; shared
 * memory, launches and flags between blocks go through the macros and functions here. They export C
 * functions, which queue kernels and do nothing else, and call nothing of CUDA's runtime library:
 * device.cu does. A block has a multiple of 32 threads, in one dimension. Waiting for another block
 * is allowed for blocks that have started only (lookback.h). */
#ifndef ZTI_CUDA_SIMT_H
#define ZTI_CUDA_SIMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__CUDACC__)

#define SIMT_KERNEL static __global__
#define SIMT_UNROLL _Pragma("unroll") /* the loop that follows */
#define SIMT_SHARED(type, name, dims) __shared__ type name dims
#define SIMT_SHARED_DYNAMIC(type, name)                                                            \
    extern __shared__ __align__(16) unsigned char simt_dynamic[];                                  \
    type *const name = (type *)simt_dynamic

/* More than 48 KiB of dynamic shared memory must be asked for. Errors show at the next
 * zti_device_wait. */
#define SIMT_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                \
    do {                                                                                           \
        if ((shared_bytes) > 48u << 10)                                                            \
            (void)cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,        \
                                       (int)(shared_bytes));                                       \
        kernel<<<(unsigned)(grid), (unsigned)(block), (shared_bytes), (cudaStream_t)(stream)>>>(   \
            __VA_ARGS__);                                                                          \
    } while (0)

static __device__ __forceinline__ uint64_t simt_load_acquire(const uint64_t *p)
{
    unsigned long long v;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

static __device__ __forceinline__ void simt_store_release(uint64_t *p, uint64_t v)
{
    asm volatile("st.release.gpu.global.u64 [%0], %1;"
                 :
                 : "l"(p), "l"((unsigned long long)v)
                 : "memory");
}

#else
#define SIMT_KERNEL static
#define SIMT_UNROLL
#include "simt_host.h"
#endif

#define SIMT_ALL_LANES 0xffffffffu

/* The first address of a word of 64 bits as CUDA's atomics want it. */
static __device__ __forceinline__ void simt_or(uint64_t *word, uint64_t bits)
{
    (void)atomicOr((unsigned long long *)word, (unsigned long long)bits);
}

/* The grid of a launch over n things, 'each' a block; what is more comes with the next launch. */
static inline unsigned simt_grid_of(uint64_t n, unsigned each)
{
    const uint64_t blocks = (n + each - 1) / each;
    return blocks < 0x7fffffffu ? (unsigned)blocks : 0x7fffffffu;
}

#endif
