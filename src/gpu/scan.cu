/* scan.cu: see scan.h. A thread takes every so-many-th value, a warp adds up what its lanes found,
 * and one of them tells all. */
#include "gpu/elements.h"
#include "gpu/scan.h"

enum { THREADS = 256, MOST_BLOCKS = 1 << 11 };

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

static __device__ __forceinline__ void add_to(uint64_t *to, uint64_t v)
{
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0 && v > 0)
        (void)atomicAdd((unsigned long long *)to, (unsigned long long)v);
}

static __device__ __forceinline__ void raise_to(uint64_t *to, uint64_t v)
{
    v = warp_most(v);
    if (threadIdx.x % 32 == 0)
        (void)atomicMax((unsigned long long *)to, (unsigned long long)v);
}

#define SCAN_KERNEL(name, word, width, infinity)                                                   \
    SIMT_KERNEL void __launch_bounds__(THREADS)                                                    \
        name(const struct zti_array array, const struct zti_scan_fills fills,                      \
             struct zti_scan_found *found, const uint64_t count, const bool is_float)              \
    {                                                                                              \
        const word *const values = (const word *)array.data;                                       \
        word most = 0, least_flipped = 0;                                                          \
        uint64_t own_fills = 0, nans = 0, infinities = 0;                                          \
        SIMT_UNROLL_4                                                                              \
        for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count;                 \
             i += (uint64_t)gridDim.x * THREADS) {                                                 \
            const word bits = values[offset_of(&array, i)];                                        \
            const word magnitude = bits & (word)(~UINT64_C(0) >> (65 - width));                    \
            bool is_fill = false;                                                                  \
            for (uint32_t k = 0; k < fills.count; k++)                                             \
                is_fill = is_fill || bits == (word)fills.bits[k];                                  \
            const bool is_special = is_fill || (is_float && magnitude >= (word)infinity);          \
            own_fills += is_fill;                                                                  \
            nans += is_special && !is_fill && magnitude > (word)infinity;                          \
            infinities += is_special && !is_fill && magnitude == (word)infinity;                   \
            const word key = (word)key_of(bits, width, is_float), flipped = (word)~key;            \
            most = !is_special && key > most ? key : most;                                         \
            least_flipped = !is_special && flipped > least_flipped ? flipped : least_flipped;      \
        }                                                                                          \
        raise_to(&found->most, most);                                                              \
        /* bits above the width are set, as in a flipped key of 64 bits */                         \
        raise_to(&found->least_flipped,                                                            \
                 least_flipped > 0 || most > 0 ? least_flipped | ~(uint64_t)(word) ~(word)0 : 0);  \
        add_to(&found->nan_values, nans);                                                          \
        add_to(&found->inf_values, infinities);                                                    \
        add_to(&found->fill_values, own_fills);                                                    \
    }

SCAN_KERNEL(scan_32, uint32_t, 32, UINT64_C(0x7f800000))
SCAN_KERNEL(scan_64, uint64_t, 64, UINT64_C(0x7ff0000000000000))

extern "C" void zti_cuda_scan(const struct zti_array *array, const struct zti_scan_fills *fills,
                              struct zti_scan_found *found, void *queue)
{
    const struct zti_array a = joined_axes(array);
    const struct zti_scan_fills f = *fills;
    const uint64_t count = zti_array_values(a.rank, a.shape);
    const bool is_float = a.type == ZT_F32 || a.type == ZT_F64;
    const unsigned blocks = simt_at_most((count + THREADS - 1) / THREADS, MOST_BLOCKS);
    if (zt_type_bytes(a.type) == 4)
        SIMT_LAUNCH(scan_32, blocks, THREADS, 0, queue, a, f, found, count, is_float);
    else
        SIMT_LAUNCH(scan_64, blocks, THREADS, 0, queue, a, f, found, count, is_float);
}
