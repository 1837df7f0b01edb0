/* simt.h: what a kernel source needs beyond C: CUDA's words, the same ones on a GPU (nvcc) and on
 * the CPU, where the tests compile the text as C++ over a runtime of their own.
 *
 * Kernel sources use plain functions and structs, barriers, warp collectives and atomics; shared
 * memory, launches and flags between blocks go through the macros and functions here. They export C
 * functions, which queue kernels and do nothing else, and call nothing of CUDA's runtime library:
 * device.cu does. A block has a multiple of 32 threads, in one dimension. Waiting for another block
 * is allowed for blocks that have started only (lookback.h). */
#ifndef ZTI_GPU_SIMT_H
#define ZTI_GPU_SIMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__CUDACC__)
#include <cooperative_groups.h>

#define SIMT_KERNEL                   static __global__
#define SIMT_ARGUMENT                 const __grid_constant__ /* no thread has a copy of its own */
#define SIMT_UNROLL                   _Pragma("unroll")       /* the loop that follows */
#define SIMT_UNROLL_4                 _Pragma("unroll 4")
#define SIMT_NO_UNROLL                _Pragma("unroll 1")
#define SIMT_SHARED(type, name, dims) __shared__ type name dims
#define SIMT_SHARED_DYNAMIC(type, name)                                                            \
    extern __shared__ __align__(16) unsigned char simt_dynamic[];                                  \
    type *const name = (type *)simt_dynamic

/* Threads of a block, and how many blocks a multiprocessor is to hold at once: fewer where it has
 * fewer threads. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define SIMT_RESIDENT_THREADS 1024
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900 &&                    \
    __CUDA_ARCH__ != 1000 && __CUDA_ARCH__ != 1030
#define SIMT_RESIDENT_THREADS 1536
#else
#define SIMT_RESIDENT_THREADS 2048
#endif
#define SIMT_BOUNDS(threads, blocks)                                                               \
    __launch_bounds__(threads, (threads) * (blocks) <= SIMT_RESIDENT_THREADS                       \
                                   ? (blocks)                                                      \
                                   : SIMT_RESIDENT_THREADS / (threads))

/* More than 48 KiB of shared memory must be asked for, of which no kernel with dynamic memory has
 * 16 otherwise. Errors show at the next zti_device_wait. */
#define SIMT_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                \
    do {                                                                                           \
        if ((shared_bytes) > 32u << 10)                                                            \
            (void)cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,        \
                                       (int)(shared_bytes));                                       \
        kernel<<<(unsigned)(grid), (unsigned)(block), (shared_bytes), (cudaStream_t)(stream)>>>(   \
            __VA_ARGS__);                                                                          \
    } while (0)

/* A launch whose blocks are all resident and may meet (simt_grid_sync). */
#define SIMT_LAUNCH_COOPERATIVE(kernel, grid, block, on_stream, ...)                               \
    do {                                                                                           \
        cudaLaunchConfig_t launch_config = {};                                                     \
        cudaLaunchAttribute launch_attribute[1];                                                   \
        launch_attribute[0].id = cudaLaunchAttributeCooperative;                                   \
        launch_attribute[0].val.cooperative = 1;                                                   \
        launch_config.gridDim = dim3((unsigned)(grid));                                            \
        launch_config.blockDim = dim3((unsigned)(block));                                          \
        launch_config.stream = (cudaStream_t)(on_stream);                                          \
        launch_config.attrs = launch_attribute;                                                    \
        launch_config.numAttrs = 1;                                                                \
        (void)cudaLaunchKernelEx(&launch_config, kernel, __VA_ARGS__);                             \
    } while (0)

/* Barriers that the tests do not leave out to see whether bytes show it: of a warp, beside shuffles
 * and votes, for which lanes wait but which order no memory (only races show that one is missing),
 * and of a block, where a comment says why. */
#define simt_order_warp()  __syncwarp()
#define simt_order_block() __syncthreads()

/* A word of 32 bits as if nothing were known of it: what follows from it is not kept in registers
 * from before a loop on. */
#define simt_anew(v) asm volatile("" : "+r"(v))

/* An address in shared memory, or in the device's, that is not worked out again from what it was
 * made of wherever it is used. */
static __device__ __forceinline__ void *simt_in_shared(const void *at)
{
    uint32_t own = (uint32_t)__cvta_generic_to_shared(at);
    simt_anew(own);
    return __cvta_shared_to_generic(own);
}

static __device__ __forceinline__ void *simt_in_global(const void *at)
{
    unsigned long long own = __cvta_generic_to_global(at);
    asm volatile("" : "+l"(own));
    return __cvta_global_to_generic(own);
}

/* Which lanes' words have a bit that is known when compiled: one test and one vote. */
static __device__ __forceinline__ uint32_t simt_vote_bit(uint32_t word, uint32_t bit)
{
    uint32_t set;
    asm volatile("{\n\t.reg .pred has;\n\t.reg .b32 own;\n\tand.b32 own, %1, %2;\n\t"
                 "setp.ne.u32 has, own, 0;\n\t"
                 "vote.sync.ballot.b32 %0, has, 0xffffffff;\n\t}"
                 : "=r"(set)
                 : "r"(word), "r"(bit));
    return set;
}

/* A byte to the device's memory, from some lanes, without a branch. */
static __device__ __forceinline__ void simt_store_byte_if(bool is_here, uint8_t *to, uint32_t byte)
{
    asm volatile("{\n\t.reg .pred here;\n\tsetp.ne.u32 here, %0, 0;\n\t"
                 "@here st.global.u8 [%1], %2;\n\t}"
                 :
                 : "r"((uint32_t)is_here), "l"(__cvta_generic_to_global(to)), "r"(byte)
                 : "memory");
}

/* A word of the device's memory where 'is_here', else another value, without a branch. Nobody
 * writes the word meanwhile. */
static __device__ __forceinline__ uint32_t simt_load_if(bool is_here, const uint32_t *from,
                                                        uint32_t otherwise)
{
    asm("{\n\t.reg .pred here;\n\tsetp.ne.u32 here, %1, 0;\n\t"
        "@here ld.global.nc.u32 %0, [%2];\n\t}"
        : "+r"(otherwise)
        : "r"((uint32_t)is_here), "l"(__cvta_generic_to_global(from)));
    return otherwise;
}

/* Sixteen bytes at once, from or to an address that is a multiple of 16; the other is the thread's
 * own. */
#define simt_load_16(own, from)                                                                    \
    do {                                                                                           \
        const uint4 loaded_16 = *(const uint4 *)(from);                                            \
        memcpy((own), &loaded_16, 16);                                                             \
    } while (0)
#define simt_store_16(to, own)                                                                     \
    do {                                                                                           \
        uint4 stored_16;                                                                           \
        memcpy(&stored_16, (own), 16);                                                             \
        *(uint4 *)(to) = stored_16;                                                                \
    } while (0)

/* From the device's memory to shared memory by the way, 4, 8 or 16 bytes, aligned to as many; they
 * are there for the thread once it has waited, for others after a barrier behind that. Before
 * compute capability 8.0 the thread copies them at once. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define simt_bring(to, from, bytes)                                                                \
    do {                                                                                           \
        if ((bytes) == 16)                                                                         \
            *(uint4 *)(to) = *(const uint4 *)(from);                                               \
        else if ((bytes) == 8)                                                                     \
            *(uint2 *)(to) = *(const uint2 *)(from);                                               \
        else                                                                                       \
            *(uint32_t *)(to) = *(const uint32_t *)(from);                                         \
    } while (0)
#define simt_wait_brought() ((void)0)
#else
#define simt_bring(to, from, bytes)                                                                \
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"                                       \
                 :                                                                                 \
                 : "r"((uint32_t)__cvta_generic_to_shared(to)),                                    \
                   "l"(__cvta_generic_to_global(from)), "n"(bytes)                                 \
                 : "memory")
#define simt_wait_brought() asm volatile("cp.async.wait_all;" : : : "memory")
#endif

/* Of the present GPU, or 'otherwise'. */
static inline unsigned simt_attribute(cudaDeviceAttr attribute, unsigned otherwise)
{
    int device = 0, value = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
                   cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess
               ? (unsigned)value
               : otherwise;
}

/* Bytes of shared memory that a block can ask for; multiprocessors. */
static inline size_t simt_shared_most(void)
{
    return simt_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, 48u << 10);
}

static inline unsigned simt_multiprocessors(void)
{
    return simt_attribute(cudaDevAttrMultiProcessorCount, 1);
}

/* Warps that keep the GPU busy, of a kernel that has some 80 registers a thread. */
static inline unsigned simt_busy_warps(void)
{
    return 20 * simt_multiprocessors();
}

static __device__ __forceinline__ void simt_grid_sync(void)
{
    cooperative_groups::this_grid().sync();
}

/* The number of the highest bit of v, or UINT32_MAX where v is 0: that is one instruction. */
static __device__ __forceinline__ uint32_t simt_highest(uint32_t v)
{
    uint32_t highest;
    asm("bfind.u32 %0, %1;" : "=r"(highest) : "r"(v));
    return highest;
}

/* So many ones at the low end, or 32 where it is more. */
static __device__ __forceinline__ uint32_t simt_ones(uint32_t n)
{
    uint32_t ones;
    asm("bmsk.clamp.b32 %0, 0, %1;" : "=r"(ones) : "r"(n));
    return ones;
}

/* Add what the lane 'step' before has, where there is one in its part of the warp, of 'width'
 * lanes: the shuffle says itself whether there is. */
static __device__ __forceinline__ void simt_add_before(uint32_t *v, unsigned step, unsigned width)
{
    asm volatile("{ .reg .pred is; .reg .b32 left;\n"
                 "shfl.sync.up.b32 left|is, %0, %1, %2, 0xffffffff;\n"
                 "@is add.u32 %0, %0, left; }"
                 : "+r"(*v)
                 : "r"(step), "r"((32 - width) << 8));
}

/* Flags between blocks: words that say all that there is to say. They order no other memory, which
 * would cost each look a first cache thrown away. */
static __device__ __forceinline__ uint64_t simt_load_flag(const uint64_t *p)
{
    unsigned long long v;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

static __device__ __forceinline__ void simt_store_flag(uint64_t *p, uint64_t v)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;"
                 :
                 : "l"(p), "l"((unsigned long long)v)
                 : "memory");
}

/* Flags that order what was written before them. */
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
#define SIMT_KERNEL   static
#define SIMT_ARGUMENT const
#define SIMT_UNROLL
#define SIMT_UNROLL_4
#define SIMT_NO_UNROLL
#define simt_order_block()       ((void)__syncthreads_or(0))
#define simt_anew(v)             ((void)(v))
#define simt_in_shared(at)       ((void *)(uintptr_t)(at))
#define simt_in_global(at)       ((void *)(uintptr_t)(at))
#define simt_vote_bit(word, bit) __ballot_sync(SIMT_ALL_LANES, ((word) & (bit)) != 0)
#define simt_store_byte_if(is_here, to, byte)                                                      \
    ((is_here) ? (void)(*(to) = (uint8_t)(byte)) : (void)0)
#define simt_load_if(is_here, from, otherwise) ((is_here) ? *(from) : (otherwise))
#define simt_load_16(to, from)                 memcpy((to), (from), 16)
#define simt_store_16(to, from)                memcpy((to), (from), 16)
#include "simt_host.h"
#endif

#define SIMT_ALL_LANES 0xffffffffu

/* Sum, maximum and union of what the lanes of a warp have: one instruction from compute capability
 * 8.0 on, five shuffles before. The tests on the CPU take either, by their seed. */
#if defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800)
#define SIMT_REDUCE_WARP(kind, of_both)                                                            \
    static __device__ __forceinline__ uint32_t simt_reduce_##kind(uint32_t v)                      \
    {                                                                                              \
        return __reduce_##kind##_sync(SIMT_ALL_LANES, v);                                          \
    }
#else
#if defined(__CUDACC__)
#define SIMT_CALLED_FROM
#define SIMT_CALLER
#define SIMT_REDUCE_AT_ONCE(kind)
#else
#define SIMT_CALLED_FROM , SIMT_AT
#define SIMT_CALLER      , file, line
#define SIMT_REDUCE_AT_ONCE(kind)                                                                  \
    if (simt_opt.seed % 3 != 2)                                                                    \
        return __reduce_##kind##_sync(SIMT_ALL_LANES, v SIMT_CALLER);
#endif
#define SIMT_REDUCE_WARP(kind, of_both)                                                            \
    static __device__ __forceinline__ uint32_t simt_reduce_##kind(uint32_t v SIMT_CALLED_FROM)     \
    {                                                                                              \
        SIMT_REDUCE_AT_ONCE(kind)                                                                  \
        SIMT_UNROLL                                                                                \
        for (int step = 16; step > 0; step /= 2) {                                                 \
            const uint32_t other = __shfl_xor_sync(SIMT_ALL_LANES, v, step, 32 SIMT_CALLER);       \
            v = of_both;                                                                           \
        }                                                                                          \
        return v;                                                                                  \
    }
#endif
SIMT_REDUCE_WARP(add, v + other)
SIMT_REDUCE_WARP(max, v > other ? v : other)
SIMT_REDUCE_WARP(or, v | other)

/* What is the same in all lanes, so that the compiler knows. Where a branch with shuffles or votes
 * in it is not known to be one for all lanes, there is a look before each whether all have come,
 * past which nothing is moved. */
static __device__ __forceinline__ uint32_t simt_same(uint32_t v)
{
    return __shfl_sync(SIMT_ALL_LANES, v, 0);
}

/* The first address of a word of 64 bits as CUDA's atomics want it. */
static __device__ __forceinline__ void simt_or(uint64_t *word, uint64_t bits)
{
    (void)atomicOr((unsigned long long *)word, (unsigned long long)bits);
}

static __host__ __device__ __forceinline__ unsigned simt_at_most(uint64_t n, unsigned most)
{
    return n < most ? (unsigned)n : most;
}

/* The grid of a launch over n things, 'each' a block; what is more comes with the next launch. */
static inline unsigned simt_grid_of(uint64_t n, unsigned each)
{
    return simt_at_most((n + each - 1) / each, 0x7fffffffu);
}

#endif
