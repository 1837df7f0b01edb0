/* simt_host.h: CUDA's words as C++ for the CPU, on simt.c. Kernel sources include it through
 * cuda/simt.h. C++ because the launch captures arguments; no C++ library is needed. */
#ifndef SIMT_HOST_H
#define SIMT_HOST_H

#include "simt_runtime.h"

#include <string.h>

#include <tuple>

#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __noinline__    __attribute__((noinline))
#define __launch_bounds__(...)
#define SIMT_BOUNDS(threads, blocks)

#define threadIdx (simt_here->thread)
#define blockIdx  (simt_here->block)
#define blockDim  (simt_here->block_dim)
#define gridDim   (simt_here->grid_dim)

/* A reference: all threads of a block see one storage. */
#define SIMT_SHARED(type, name, dims)                                                              \
    typedef type name##_storage dims;                                                              \
    static const char name##_key = 0;                                                              \
    name##_storage &name = *(name##_storage *)simt_shared(&name##_key, sizeof(name##_storage))
#define SIMT_SHARED_DYNAMIC(type, name) type *const name = (type *)simt_shared_dynamic()

template <class body> static void simt_call(void *p)
{
    (*(body *)p)();
}

/* A launch that is still to be done: plain data, so that a queue can copy it. */
template <class body> struct simt_launched {
    simt_idx grid, block;
    size_t shared;
    int all;
    const char *name;
    body f;
};

template <class body> static void simt_run_launched(void *p)
{
    simt_launched<body> *const l = (simt_launched<body> *)p;
    simt_launch(l->name, l->grid, l->block, l->shared, l->all, simt_call<body>, &l->f);
}

template <class body>
static void simt_launch_body(unsigned grid, unsigned block, size_t shared, void *stream, int all,
                             const char *name, body f)
{
    simt_launched<body> l = {{grid, 1, 1}, {block, 1, 1}, shared, all, name, f};
    if (simt_queue)
        simt_queue(stream, simt_run_launched<body>, &l, sizeof l);
    else
        simt_run_launched<body>(&l);
}

/* A call with arguments that are worked out now: the kernel runs later. */
template <typename F, typename... A> static inline auto simt_call_of(F kernel, A... arg)
{
    return [kernel, all = std::tuple<A...>(arg...)]() { std::apply(kernel, all); };
}

#define SIMT_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                \
    simt_launch_body((unsigned)(grid), (unsigned)(block), (size_t)(shared_bytes),                  \
                     (void *)(stream), 0, #kernel,                                                 \
                     simt_call_of([](auto... arg) { kernel(arg...); }, __VA_ARGS__))

#define SIMT_LAUNCH_COOPERATIVE(kernel, grid, block, stream, ...)                                  \
    simt_launch_body((unsigned)(grid), (unsigned)(block), (size_t)0, (void *)(stream), 1, #kernel, \
                     simt_call_of([](auto... arg) { kernel(arg...); }, __VA_ARGS__))

static inline size_t simt_shared_most(void)
{
    return simt_shared_limit();
}

/* Few, so that blocks have several things each. */
static inline unsigned simt_multiprocessors(void)
{
    return 3;
}

/* Very few, by the seed, so that warps have several things each. */
static inline unsigned simt_busy_warps(void)
{
    return 1 + simt_opt.seed % 4;
}

/* Default arguments take the caller's file and line. */
#define SIMT_AT const char *file = __builtin_FILE(), int line = __builtin_LINE()

static inline void __syncthreads(SIMT_AT)
{
    simt_block(SIMT_SYNC, 0, file, line);
}

static inline void simt_grid_sync(SIMT_AT)
{
    simt_grid(file, line);
}

static inline int __syncthreads_count(int p, SIMT_AT)
{
    return (int)simt_block(SIMT_SYNC_COUNT, p != 0, file, line);
}

static inline int __syncthreads_or(int p, SIMT_AT)
{
    return (int)simt_block(SIMT_SYNC_OR, p != 0, file, line);
}

static inline int __syncthreads_and(int p, SIMT_AT)
{
    return (int)simt_block(SIMT_SYNC_AND, p != 0, file, line);
}

static inline void __syncwarp(unsigned mask = 0xffffffffu, SIMT_AT)
{
    simt_warp(SIMT_WARP_SYNC, mask, 0, 0, 32, file, line);
}

/* Also __syncwarp, but no test leaves it out where nobody looks for races. */
static inline void simt_order_warp(SIMT_AT)
{
    simt_warp(SIMT_WARP_ORDER, 0xffffffffu, 0, 0, 32, file, line);
}

static inline unsigned __ballot_sync(unsigned mask, int p, SIMT_AT)
{
    return (unsigned)simt_warp(SIMT_BALLOT, mask, p != 0, 0, 32, file, line);
}

static inline int __any_sync(unsigned mask, int p, SIMT_AT)
{
    return (int)simt_warp(SIMT_ANY, mask, p != 0, 0, 32, file, line);
}

static inline int __all_sync(unsigned mask, int p, SIMT_AT)
{
    return (int)simt_warp(SIMT_ALL, mask, p != 0, 0, 32, file, line);
}

static inline unsigned __match_any_sync(unsigned mask, unsigned v, SIMT_AT)
{
    return (unsigned)simt_warp(SIMT_MATCH_ANY, mask, v, 0, 32, file, line);
}

#define SIMT_REDUCE(cuda_name, op)                                                                 \
    static inline unsigned cuda_name(unsigned mask, unsigned v, SIMT_AT)                           \
    {                                                                                              \
        return (unsigned)simt_warp(op, mask, v, 0, 32, file, line);                                \
    }
SIMT_REDUCE(__reduce_add_sync, SIMT_REDUCE_ADD)
SIMT_REDUCE(__reduce_min_sync, SIMT_REDUCE_MIN)
SIMT_REDUCE(__reduce_max_sync, SIMT_REDUCE_MAX)
SIMT_REDUCE(__reduce_and_sync, SIMT_REDUCE_AND)
SIMT_REDUCE(__reduce_or_sync, SIMT_REDUCE_OR)
SIMT_REDUCE(__reduce_xor_sync, SIMT_REDUCE_XOR)

#define SIMT_SHUFFLE(cuda_name, op)                                                                \
    template <class T>                                                                             \
    static inline T cuda_name(unsigned mask, T v, int lane, int width = 32, SIMT_AT)               \
    {                                                                                              \
        static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 32 or 64 bits");          \
        uint64_t bits = 0;                                                                         \
        memcpy(&bits, &v, sizeof v);                                                               \
        bits = simt_warp(op, mask, bits, lane, width, file, line);                                 \
        memcpy(&v, &bits, sizeof v);                                                               \
        return v;                                                                                  \
    }
SIMT_SHUFFLE(__shfl_sync, SIMT_SHFL)
SIMT_SHUFFLE(__shfl_up_sync, SIMT_SHFL_UP)
SIMT_SHUFFLE(__shfl_down_sync, SIMT_SHFL_DOWN)
SIMT_SHUFFLE(__shfl_xor_sync, SIMT_SHFL_XOR)

/* The types that CUDA's atomics have, and no others. Relaxed, as there. */
template <class T> struct simt_atomic_type;
template <> struct simt_atomic_type<int> {
    typedef int type;
};
template <> struct simt_atomic_type<unsigned> {
    typedef unsigned type;
};
template <> struct simt_atomic_type<unsigned long long> {
    typedef unsigned long long type;
};

#define SIMT_ATOMIC(cuda_name, builtin)                                                            \
    template <class T> static inline T cuda_name(T *p, typename simt_atomic_type<T>::type v)       \
    {                                                                                              \
        simt_preempt();                                                                            \
        return builtin(p, v, __ATOMIC_RELAXED);                                                    \
    }
SIMT_ATOMIC(atomicAdd, __atomic_fetch_add)
SIMT_ATOMIC(atomicSub, __atomic_fetch_sub)
SIMT_ATOMIC(atomicOr, __atomic_fetch_or)
SIMT_ATOMIC(atomicAnd, __atomic_fetch_and)
SIMT_ATOMIC(atomicXor, __atomic_fetch_xor)
SIMT_ATOMIC(atomicExch, __atomic_exchange_n)

template <class T> static inline T atomicMin(T *p, typename simt_atomic_type<T>::type v)
{
    simt_preempt();
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (v < old &&
           !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}

template <class T> static inline T atomicMax(T *p, typename simt_atomic_type<T>::type v)
{
    simt_preempt();
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (v > old &&
           !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}

template <class T>
static inline T atomicCAS(T *p, typename simt_atomic_type<T>::type old,
                          typename simt_atomic_type<T>::type v)
{
    simt_preempt();
    (void)__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return old;
}

/* Flags between blocks: words of 64 bits. */
static inline uint64_t simt_load_flag(const uint64_t *p)
{
    simt_spin();
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline void simt_store_flag(uint64_t *p, uint64_t v)
{
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
    simt_progress();
}

static inline uint64_t simt_load_acquire(const uint64_t *p)
{
    simt_spin();
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static inline void simt_store_release(uint64_t *p, uint64_t v)
{
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
    simt_progress();
}

static inline int __popc(unsigned v)
{
    return __builtin_popcount(v);
}
static inline int __popcll(unsigned long long v)
{
    return __builtin_popcountll(v);
}
static inline int __clz(int v)
{
    return v ? __builtin_clz((unsigned)v) : 32;
}
static inline int __clzll(long long v)
{
    return v ? __builtin_clzll((unsigned long long)v) : 64;
}
/* Four of the eight bytes of b:a, whose numbers are nibbles of s, the lowest first. */
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s)
{
    const uint64_t both = (uint64_t)b << 32 | a;
    unsigned r = 0;
    for (unsigned i = 0; i < 4; i++)
        r |= (unsigned)(both >> 8 * (s >> 4 * i & 7) & 0xff) << 8 * i;
    return r;
}

/* The high word of hi:lo moved left by s mod 32 bits. */
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s)
{
    return (unsigned)(((uint64_t)hi << 32 | lo) << (s & 31) >> 32);
}

/* The low word of hi:lo moved right by s mod 32 bits. */
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s)
{
    return (unsigned)(((uint64_t)hi << 32 | lo) >> (s & 31));
}

static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((uint64_t)a * b >> 32);
}

static inline unsigned __brev(unsigned v)
{
    unsigned r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (v >> i & 1) << (31 - i);
    return r;
}

static inline unsigned long long __brevll(unsigned long long v)
{
    return (unsigned long long)__brev((unsigned)v) << 32 | __brev((unsigned)(v >> 32));
}

static inline int __ffs(int v)
{
    return __builtin_ffs(v);
}
static inline int __ffsll(long long v)
{
    return __builtin_ffsll(v);
}

/* What simt.h has in one or two instructions on a GPU. */
static inline uint32_t simt_highest(uint32_t v)
{
    return v != 0 ? 31 - (uint32_t)__builtin_clz(v) : 0xffffffffu;
}

static inline uint32_t simt_ones(uint32_t n)
{
    return n < 32 ? (1u << n) - 1 : 0xffffffffu;
}

static inline void simt_add_before(uint32_t *v, unsigned step, unsigned width)
{
    const uint32_t left = __shfl_up_sync(0xffffffffu, *v, (int)step, (int)width);
    *v += threadIdx.x % width >= step ? left : 0;
}

#endif
