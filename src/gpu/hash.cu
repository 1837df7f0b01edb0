/* hash.cu: see hash.h. Eight lanes take a range, an accumulator each (gpu/xxh3.h). */
#include "gpu/hash.h"
#include "core/device.h"
#include "gpu/xxh3.h"

enum { THREADS = 256, RANGES = THREADS / XXH3_LANES };

SIMT_KERNEL void __launch_bounds__(THREADS)
    hash_ranges(const uint8_t *bytes, const uint64_t n, const uint32_t log2, uint32_t *sums,
                const struct xxh3_secret s)
{
    const uint64_t whole = UINT64_C(1) << log2, longest = whole < n ? whole : n;
    const uint64_t range = (uint64_t)blockIdx.x * RANGES + threadIdx.x / XXH3_LANES;
    const uint64_t from = range * whole;
    const uint64_t left = from < n ? n - from : 0, own = left < whole ? left : whole;
    SIMT_SHARED(uint64_t, word, [24]);
    xxh3_load_secret(word, &s);
    const uint64_t sum = xxh3_long(bytes + from, own, longest, word, &s);
    if (own > (uint64_t)ZTI_DEVICE_UNHASHED_BYTES && threadIdx.x % XXH3_LANES == 0)
        sums[range] = (uint32_t)sum;
}

extern "C" void zti_cuda_hash(const uint8_t *bytes, uint64_t n, uint32_t log2, uint32_t *sums,
                              void *queue)
{
    const struct xxh3_secret s = xxh3_secret_of_bytes();
    const uint64_t ranges = ((n - 1) >> log2) + 1;
    SIMT_LAUNCH(hash_ranges, simt_grid_of(ranges, RANGES), THREADS, 0, queue, bytes, n, log2, sums,
                s);
}
