/* histogram.cu: counts how often each symbol occurs, on a GPU. Each block has counts in shared
 * memory, in several copies, so that threads of a warp with the same symbol seldom wait for each
 * other (Gomez-Luna et al. 2013). Copies are an odd number of words apart, so that a symbol's
 * counts lie in different banks.
 *
 *     symbols --> copies of a block (32 bits) --sum--> totals (64 bits, global)
 *
 * If the counts of an alphabet do not fit, it is cut into ranges: a block counts the symbols of one
 * range only, and all symbols are read once for each range. */
#include "entropy/huffman/gpu/launches.h"

enum {
    THREADS = 256,
    SHARED_WORDS = 24576, /* at most: 96 KiB, two blocks in a multiprocessor of sm_80 */
    MOST_COPIES = 8,
    BLOCK_SYMBOLS = 1 << 16, /* at least, so that the final sum takes little of the time */
    MOST_SLICES = 512
};

struct counting {
    struct zti_symbols symbols;
    uint64_t *counts, *strays;
    uint32_t ranges, range; /* how many ranges, and symbols of each */
    uint32_t copies, stride;
    uint32_t slices;
};

static __device__ __forceinline__ void count_one(const struct counting *c, uint32_t first,
                                                 uint32_t *own, uint32_t symbol)
{
    const uint32_t place = symbol - first; /* wraps around below the range */
    if (place < c->range && symbol < c->symbols.alphabet)
        (void)atomicAdd((unsigned *)own + place, 1u);
    else if (first == 0 && symbol >= c->symbols.alphabet)
        (void)atomicAdd((unsigned long long *)c->strays, 1ull);
}

/* Count the symbols of a slice: every slices-th word of 8 bytes; slice 0 also the rest at the
 * end. */
static __device__ __forceinline__ void count_slice(const struct counting *c, uint32_t slice,
                                                   uint32_t first, uint32_t *own)
{
    const uint32_t bits = 8 * c->symbols.bytes, each = 8 / c->symbols.bytes;
    const uint64_t *const words = (const uint64_t *)c->symbols.data;
    const uint64_t whole = c->symbols.count / each;
    for (uint64_t i = (uint64_t)slice * THREADS + threadIdx.x; i < whole;
         i += (uint64_t)c->slices * THREADS) {
        uint64_t word = words[i];
        for (uint32_t k = 0; k < each; k++, word >>= bits)
            count_one(c, first, own, (uint32_t)(word & (~UINT64_C(0) >> (64 - bits))));
    }
    if (slice == 0 && threadIdx.x < c->symbols.count - whole * each)
        count_one(c, first, own, symbol_at(&c->symbols, whole * each + threadIdx.x));
}

SIMT_KERNEL void __launch_bounds__(THREADS) count_symbols(const struct counting c)
{
    SIMT_SHARED_DYNAMIC(uint32_t, tables);
    const uint32_t first = blockIdx.x % c.ranges * c.range;
    for (uint32_t i = threadIdx.x; i < c.copies * c.stride; i += THREADS)
        tables[i] = 0;
    __syncthreads();
    count_slice(&c, blockIdx.x / c.ranges, first, tables + threadIdx.x % c.copies * c.stride);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < c.range && first + i < c.symbols.alphabet; i += THREADS) {
        uint64_t sum = 0;
        for (uint32_t k = 0; k < c.copies; k++)
            sum += tables[k * c.stride + i];
        if (sum > 0)
            (void)atomicAdd((unsigned long long *)c.counts + first + i, (unsigned long long)sum);
    }
}

extern "C" void zti_cuda_count(const struct zti_symbols *symbols, uint64_t *counts,
                               uint64_t *strays, void *queue)
{
    struct counting c;
    const uint32_t alphabet = symbols->alphabet;
    const uint32_t most = simt_at_most(simt_shared_most() / 4, SHARED_WORDS);
    c.symbols = *symbols;
    c.counts = counts;
    c.strays = strays;
    c.ranges = (alphabet + most - 2) / (most - 1);
    c.range = (alphabet + c.ranges - 1) / c.ranges;
    c.stride = c.range | 1;
    c.copies = simt_at_most(most / c.stride, MOST_COPIES);
    c.slices = simt_at_most(simt_grid_of(symbols->count, BLOCK_SYMBOLS), MOST_SLICES);
    if (symbols->count > 0)
        SIMT_LAUNCH(count_symbols, c.slices * c.ranges, THREADS, 4 * c.copies * c.stride, queue, c);
}

extern "C" const struct zti_huffman_kernels *zti_cuda_huffman(void)
{
    static const struct zti_huffman_kernels kernels = {
        zti_cuda_count,       zti_cuda_build_bytes, zti_cuda_build,  zti_cuda_merge_states,
        zti_cuda_code_chunks, zti_cuda_merge,       zti_cuda_unmerge};
    return &kernels;
}
