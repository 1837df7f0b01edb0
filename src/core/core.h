/* core.h: used by every file of the library: the context, error messages, memory, checked
 * arithmetic, little-endian access, bit counts. */
#ifndef ZTI_CORE_H
#define ZTI_CORE_H

#include "ztile_cuda.h"
#include "ztile_expert.h"

#include <stdbool.h>
#include <string.h>

/* Functions in headers: always inlined (ZTI_INLINE; not in builds with sanitizers), or as the
 * compiler decides (ZTI_STATIC). Both can be used in kernels. */
#if defined(__CUDACC__)
#define ZTI_INLINE static __host__ __device__ __forceinline__
#define ZTI_STATIC static __host__ __device__ inline
#elif defined(__GNUC__) && !defined(ZTILE_SHORT_CODE)
#define ZTI_INLINE static inline __attribute__((always_inline))
#define ZTI_STATIC static inline
#else
#define ZTI_INLINE static inline
#define ZTI_STATIC static inline
#endif

/* ZTI_MAY_ALIAS: of a struct that lies in the bytes of another one. */
#if defined(__GNUC__)
#define ZTI_MAY_ALIAS         __attribute__((may_alias))
#define ZTI_PRINTF(at, first) __attribute__((format(printf, at, first)))
#define zti_likely(x)         __builtin_expect(!!(x), 1)
#define zti_unlikely(x)       __builtin_expect(!!(x), 0)
#else
#define ZTI_MAY_ALIAS
#define ZTI_PRINTF(at, first)
#define zti_likely(x)   (x)
#define zti_unlikely(x) (x)
#endif

/* Prefetch the memory at an address, which need not be valid. */
#if defined(__GNUC__)
#define zti_prefetch(p)          __builtin_prefetch(p)
#define zti_prefetch_to_l2(p)    __builtin_prefetch(p, 0, 2)
#define zti_prefetch_to_write(p) __builtin_prefetch(p, 1)
#else
#define zti_prefetch_to_write(p) ((void)(p))
#define zti_prefetch(p)          ((void)(p))
#define zti_prefetch_to_l2(p)    ((void)(p))
#endif

/* POSIX threads, for the omp policy. */
#if defined(__unix__) || defined(__APPLE__)
#define ZTI_HAS_THREADS
#endif

/* Kernel sources for GPUs are C++. */
#if defined(__cplusplus)
#define _Static_assert static_assert
#endif

/* Right shifts of negative values must be arithmetic: the transforms of zfp are defined by them. */
_Static_assert((-5 >> 1) == -3, "right shift of negative values is not arithmetic");
_Static_assert(sizeof(float) == 4 && sizeof(double) == 8, "IEEE types needed");

enum { ZTI_SENTENCE_BYTES = 512, ZTI_MAX_THREADS = 1024 };

#ifdef __cplusplus
extern "C" {
#endif

struct zti_device;

/* An array inside the library: a caller's zt_array that zti_array_check has checked, internal
 * memory, or a part of these. Strides and order of axes are as in zt_array. */
struct zti_array {
    void *data;
    uint32_t type; /* zt_type */
    uint32_t rank;
    uint64_t shape[ZT_MAX_RANK];
    int64_t stride[ZT_MAX_RANK]; /* elements */
    bool is_on_device;           /* in the memory of the context's GPU */
};

/* The number of elements of a shape; the caller has checked that it fits. */
uint64_t zti_array_values(uint32_t rank, const uint64_t *shape);

/* The same elements in the same order, with fewer axes if that can be: one that follows without a
 * gap on the next faster one is joined to it. */
ZTI_STATIC struct zti_array zti_array_joined(const struct zti_array *array)
{
    struct zti_array joined = *array;
    uint32_t last = 0;
    for (uint32_t i = 1; i < array->rank; i++) {
        if (joined.stride[last] == (int64_t)array->shape[i] * array->stride[i])
            joined.shape[last] *= array->shape[i];
        else
            joined.shape[++last] = array->shape[i];
        joined.stride[last] = array->stride[i];
    }
    joined.rank = last + 1;
    return joined;
}

/* Large blocks that were released, the oldest first, for later allocations. Sanitizers want to see
 * each block go. */
enum { ZTI_KEPT_BLOCKS = 16 };
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ZTI_KEEPS_BLOCKS 0
#elif defined(__has_feature)
#define ZTI_KEEPS_BLOCKS !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define ZTI_KEEPS_BLOCKS 1
#endif
struct zti_kept_blocks {
    bool is_locked; /* an atomic flag */
    uint32_t blocks;
    void *block[ZTI_KEPT_BLOCKS]; /* each begins with its size */
    uint64_t bytes, most_bytes;
};

/* The memory that a context holds; threads change it concurrently. */
struct zti_held {
    uint64_t bytes; /* allocated by zti_alloc, or kept */
    bool is_over;   /* the limit refused memory since the last message about it */
    struct zti_kept_blocks kept;
};

struct zt_context {
    zt_allocator allocator;
    zt_policy policy;
    zt_omp omp;                /* zero unless the policy is omp */
    zt_cuda cuda;              /* zero unless the policy is cuda */
    struct zti_device *device; /* open while the policy is cuda */
    uint32_t isa;              /* zt_isa: the machine's, or less if zt_context_set_isa says so */
    zt_progress progress;
    void *progress_user;
    zt_stage_begins stage_begins; /* NULL: none */
    void *stage_user;
    uint64_t most_bytes;        /* limit of held memory; 0: none */
    uint64_t most_output_bytes; /* limit of the output of a call; 0: none */
    struct zti_held *held;      /* own_held; in a thread's context: the calling thread's */
    struct zti_held own_held;
    char sentence[ZTI_SENTENCE_BYTES];
};

/* Store an error message in the context (which may be NULL) and return status. The function that
 * detects an error writes the message, with the numbers that matter and what to change; its callers
 * pass the status up unchanged. Messages begin in lower case and end without a full stop, so that a
 * caller can put "file.zt: " before them. */
zt_status zti_fail(zt_context *context, zt_status status, const char *format, ...) ZTI_PRINTF(3, 4);

/* Call the context's function for stages, if there is one. */
static inline void zti_stage(const zt_context *context, zt_stage stage)
{
    if (context && context->stage_begins)
        context->stage_begins(context->stage_user, stage);
}

/* Open the device of the cuda policy (core/device.h) as context->device, and close the one before.
 * ZT_UNSUPPORTED, and the context unchanged, without CUDA or a GPU. */
zt_status zti_device_open(zt_context *context, const zt_cuda *cuda);

/* Allocate memory aligned for any type; NULL on failure. The context may be NULL. zti_release
 * accepts NULL. */
void *zti_alloc(zt_context *context, size_t bytes);
void *zti_alloc_zeroed(zt_context *context, size_t bytes);
void zti_release(zt_context *context, void *memory);

/* Give kept blocks back, the oldest first, until at most 'bytes' are kept. */
void zti_keep_at_most(zt_context *context, uint64_t bytes);

#ifdef __cplusplus
}
#endif

/* Checked arithmetic: false, and *out undefined, if the result does not fit. */
ZTI_STATIC bool zti_mul(uint64_t a, uint64_t b, uint64_t *out)
{
    *out = a * b;
    return a == 0 || *out / a == b;
}

ZTI_STATIC bool zti_add(uint64_t a, uint64_t b, uint64_t *out)
{
    *out = a + b;
    return *out >= a;
}

/* Round up to a multiple of step, a power of two; the caller knows that it fits. */
ZTI_STATIC uint64_t zti_round_up(uint64_t n, uint64_t step)
{
    return (n + step - 1) & ~(step - 1);
}

/* n / d, rounded up; d > 0. */
ZTI_STATIC uint64_t zti_ceil_div(uint64_t n, uint64_t d)
{
    return n / d + (n % d != 0);
}

/* Unaligned little-endian access; on little-endian machines each compiles to one move. */
ZTI_STATIC uint64_t zti_get_le64(const void *from)
{
    uint64_t v;
    memcpy(&v, from, sizeof v);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

ZTI_STATIC void zti_put_le64(void *to, uint64_t v)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    memcpy(to, &v, sizeof v);
}

ZTI_STATIC uint32_t zti_get_le32(const void *from)
{
    const uint8_t *p = (const uint8_t *)from;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

ZTI_STATIC void zti_put_le32(void *to, uint32_t v)
{
    uint8_t *p = (uint8_t *)to;
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
}

/* The number of zeros below the lowest set bit (v is not 0), of the highest set bit plus 1, and of
 * set bits. */
#if defined(__CUDA_ARCH__)
ZTI_INLINE uint32_t zti_ctz64(uint64_t v)
{
    return (uint32_t)__ffsll((long long)v) - 1;
}
ZTI_INLINE uint32_t zti_ctz32(uint32_t v)
{
    return (uint32_t)__ffs((int)v) - 1;
}
ZTI_INLINE uint32_t zti_bit_length64(uint64_t v)
{
    return 64 - (uint32_t)__clzll((long long)v);
}
ZTI_INLINE uint32_t zti_popcount64(uint64_t v)
{
    return (uint32_t)__popcll(v);
}
#elif defined(__GNUC__)
ZTI_INLINE uint32_t zti_ctz64(uint64_t v)
{
    return (uint32_t)__builtin_ctzll(v);
}
ZTI_INLINE uint32_t zti_ctz32(uint32_t v)
{
    return (uint32_t)__builtin_ctz(v);
}
ZTI_INLINE uint32_t zti_bit_length64(uint64_t v)
{
    return v ? 64 - (uint32_t)__builtin_clzll(v) : 0;
}
ZTI_INLINE uint32_t zti_popcount64(uint64_t v)
{
    return (uint32_t)__builtin_popcountll(v);
}
#else
ZTI_INLINE uint32_t zti_ctz64(uint64_t v)
{
    uint32_t n = 0;
    for (; !(v & 1); v >>= 1)
        n++;
    return n;
}
ZTI_INLINE uint32_t zti_ctz32(uint32_t v)
{
    return zti_ctz64(v);
}
ZTI_INLINE uint32_t zti_bit_length64(uint64_t v)
{
    uint32_t n = 0;
    for (; v; v >>= 1)
        n++;
    return n;
}
ZTI_INLINE uint32_t zti_popcount64(uint64_t v)
{
    uint32_t n = 0;
    for (; v; v &= v - 1)
        n++;
    return n;
}
#endif

ZTI_STATIC double zti_double_from_bits(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

ZTI_STATIC uint64_t zti_bits_of_double(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* log2 of a number above 0, by lines between the powers of two: the same on every machine. */
ZTI_STATIC double zti_log2_about(double v)
{
    enum { FRACTION = 52, BIAS = 1023 };
    return (double)zti_bits_of_double(v) / (double)(UINT64_C(1) << FRACTION) - (double)BIAS;
}

#endif
