/* scan.cu: see scan.h. A thread takes every so-many-th value, or 16 bytes of values where they lie
 * one behind another; warps and then blocks put together what their threads found, and one thread
 * of each block tells. */
#include "gpu/elements.h"
#include "gpu/scan.h"

enum { THREADS = 256, WARPS = THREADS / 32, MOST_BLOCKS = 1 << 10, AT_ONCE = 4 };

/* Bits of a value of 32 or 64 in the order of the values, as an unsigned number: of floats all but
 * the sign is flipped where it is set. */
static __device__ __forceinline__ uint64_t key_of(uint64_t bits, uint32_t width, bool is_float)
{
    const uint64_t sign = UINT64_C(1) << (width - 1), all = ~UINT64_C(0) >> (64 - width);
    return is_float && (bits & sign) ? ~bits & all : bits ^ sign;
}

static __device__ __forceinline__ uint64_t warp_most(uint64_t v)
{
    for (int step = 16; step > 0; step /= 2) {
        const uint64_t other = __shfl_xor_sync(SIMT_ALL_LANES, v, step);
        v = other > v ? other : v;
    }
    return v;
}

static __device__ __forceinline__ uint64_t warp_sum(uint64_t v)
{
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_xor_sync(SIMT_ALL_LANES, v, step);
    return v;
}

/* Tell what the block's threads found. All of them call it. */
static __device__ __forceinline__ void tell(struct zti_scan_found *found,
                                            const struct zti_scan_found *own)
{
    SIMT_SHARED(struct zti_scan_found, of_warp, [WARPS]);
    struct zti_scan_found all = {.nan_values = warp_sum(own->nan_values),
                                 .inf_values = warp_sum(own->inf_values),
                                 .fill_values = warp_sum(own->fill_values),
                                 .most = warp_most(own->most),
                                 .least_flipped = warp_most(own->least_flipped)};
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = all;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    for (uint32_t i = 1; i < WARPS; i++) {
        const struct zti_scan_found *const w = &of_warp[i];
        all.most = w->most > all.most ? w->most : all.most;
        all.least_flipped =
            w->least_flipped > all.least_flipped ? w->least_flipped : all.least_flipped;
        all.nan_values += w->nan_values;
        all.inf_values += w->inf_values;
        all.fill_values += w->fill_values;
    }
    (void)atomicMax((unsigned long long *)&found->most, (unsigned long long)all.most);
    (void)atomicMax((unsigned long long *)&found->least_flipped,
                    (unsigned long long)all.least_flipped);
    (void)atomicAdd((unsigned long long *)&found->nan_values, (unsigned long long)all.nan_values);
    (void)atomicAdd((unsigned long long *)&found->inf_values, (unsigned long long)all.inf_values);
    (void)atomicAdd((unsigned long long *)&found->fill_values, (unsigned long long)all.fill_values);
}

/* The kernel for words of a width: look at a value, at all of a thread's. */
#define SCAN_KERNEL(width, word, infinity)                                                         \
    struct seen_##width {                                                                          \
        word most, least_flipped;                                                                  \
        uint64_t fills, nans, infinities;                                                          \
    };                                                                                             \
    static __device__ __forceinline__ void look_##width(                                           \
        word bits, bool is_float, const struct zti_scan_fills *fills, struct seen_##width *seen)   \
    {                                                                                              \
        const word magnitude = bits & (word)(~UINT64_C(0) >> (65 - width));                        \
        const word key = (word)key_of(bits, width, is_float), flipped = (word)~key;                \
        bool is_fill = false;                                                                      \
        for (uint32_t k = 0; k < fills->count; k++)                                                \
            is_fill = is_fill || bits == (word)fills->bits[k];                                     \
        if (is_fill || (is_float && magnitude >= (word)infinity)) {                                \
            seen->fills += is_fill;                                                                \
            seen->nans += !is_fill && magnitude > (word)infinity;                                  \
            seen->infinities += !is_fill && magnitude == (word)infinity;                           \
            return;                                                                                \
        }                                                                                          \
        seen->most = key > seen->most ? key : seen->most;                                          \
        seen->least_flipped = flipped > seen->least_flipped ? flipped : seen->least_flipped;       \
    }                                                                                              \
                                                                                                   \
    SIMT_KERNEL void __launch_bounds__(THREADS)                                                    \
        scan_##width(const struct zti_array array, const struct zti_scan_fills fills,              \
                     struct zti_scan_found *found, const uint64_t count, const uint64_t dense,     \
                     const bool is_float)                                                          \
    {                                                                                              \
        const uint32_t each = 128 / width;                                                         \
        const uint64_t first = (uint64_t)blockIdx.x * THREADS + threadIdx.x;                       \
        const uint64_t step = (uint64_t)gridDim.x * THREADS;                                       \
        const word *const values = (const word *)array.data;                                       \
        struct seen_##width seen = {0, 0, 0, 0, 0};                                                \
        uint64_t i = first;                                                                        \
        for (; i + (AT_ONCE - 1) * step < dense; i += AT_ONCE * step) {                            \
            alignas(16) word v[AT_ONCE][128 / width];                                              \
            SIMT_UNROLL                                                                            \
            for (uint32_t k = 0; k < AT_ONCE; k++)                                                 \
                simt_load_16(v[k], values + (i + k * step) * each);                                \
            SIMT_UNROLL                                                                            \
            for (uint32_t k = 0; k < AT_ONCE * each; k++)                                          \
                look_##width(v[k / each][k % each], is_float, &fills, &seen);                      \
        }                                                                                          \
        for (; i < dense; i += step)                                                               \
            for (uint32_t k = 0; k < each; k++)                                                    \
                look_##width(values[i * each + k], is_float, &fills, &seen);                       \
        for (i = dense * each + first; i < count; i += step)                                       \
            look_##width(values[offset_of(&array, i)], is_float, &fills, &seen);                   \
        /* bits above the width are set, as in a flipped key of 64 bits */                         \
        const bool is_any = seen.least_flipped > 0 || seen.most > 0;                               \
        const struct zti_scan_found own = {                                                        \
            .nan_values = seen.nans,                                                               \
            .inf_values = seen.infinities,                                                         \
            .fill_values = seen.fills,                                                             \
            .most = seen.most,                                                                     \
            .least_flipped = is_any ? seen.least_flipped | ~(uint64_t)(word) ~(word)0 : 0};        \
        tell(found, &own);                                                                         \
    }

SCAN_KERNEL(32, uint32_t, UINT64_C(0x7f800000))
SCAN_KERNEL(64, uint64_t, UINT64_C(0x7ff0000000000000))

extern "C" void zti_cuda_scan(const struct zti_array *array, const struct zti_scan_fills *fills,
                              struct zti_scan_found *found, void *queue)
{
    const struct zti_array a = zti_array_joined(array);
    const struct zti_scan_fills f = *fills;
    const uint64_t count = zti_array_values(a.rank, a.shape);
    const uint32_t bytes = (uint32_t)zt_type_bytes(a.type);
    const bool is_float = a.type == ZT_F32 || a.type == ZT_F64;
    const bool is_dense = a.rank == 1 && a.stride[0] == 1 && (uintptr_t)a.data % 16 == 0;
    const uint64_t dense = is_dense ? count / (16 / bytes) : 0; /* pieces of 16 bytes */
    const unsigned blocks = simt_at_most((count + THREADS - 1) / THREADS, MOST_BLOCKS);
    if (bytes == 4)
        SIMT_LAUNCH(scan_32, blocks, THREADS, 0, queue, a, f, found, count, dense, is_float);
    else
        SIMT_LAUNCH(scan_64, blocks, THREADS, 0, queue, a, f, found, count, dense, is_float);
}
