/* store.cu: kernels that write the bytes of an index (see store.h). One block finds the width of
 * lengths, or adds up the bits of compact's blocks; then a thread has a chunk and ORs its bits into
 * zeroed words. */
#include "index/gpu/store.h"
#include "gpu/lookback.h"
#include "index/layout.h"

enum { THREADS = 256, WARPS = THREADS / 32, MOST_BLOCKS = 1 << 12 };

/* Where chunk i begins, or the last one ends, in units. */
static __device__ __forceinline__ uint64_t start_at(const struct zti_index_store_args *x,
                                                    uint64_t chunks, uint64_t i)
{
    return (i < chunks ? x->starts[i * *x->step] : *x->end) / x->unit_bits;
}

/* The layout, with the tiles that a chunk has. */
static __device__ __forceinline__ struct zti_index_layout
layout_of(const struct zti_index_store_args *x)
{
    struct zti_index_layout layout = x->layout;
    layout.chunk_tiles = *x->chunk_tiles;
    return layout;
}

/* ---- sizes ---- */

/* The bitwise OR of all lengths, to *any, which is 0. */
static __device__ __forceinline__ void or_lengths(const struct zti_index_store_args *x,
                                                  uint64_t chunks, uint32_t *any)
{
    uint64_t own = 0;
    SIMT_UNROLL_4
    for (uint64_t i = threadIdx.x; i < chunks; i += THREADS)
        own |= start_at(x, chunks, i + 1) - start_at(x, chunks, i);
    (void)atomicOr((unsigned *)any, (unsigned)own);
    (void)atomicOr((unsigned *)any + 1, (unsigned)(own >> 32));
}

static __device__ __forceinline__ struct compact_block
find_block(const struct zti_index_store_args *x, uint64_t chunks, uint64_t i, uint64_t *base)
{
    const uint64_t first = i * COMPACT_BLOCK_CHUNKS, n = compact_block_chunks(chunks, i);
    *base = start_at(x, chunks, first);
    return compact_block_of(start_at(x, chunks, first + n) - *base, n);
}

/* Note where each block of compact begins, in bits; returns the bits of all. sums: of a word for
 * each warp. */
static __device__ __forceinline__ uint64_t sum_blocks(const struct zti_index_store_args *x,
                                                      uint64_t chunks, uint64_t *sums)
{
    const uint64_t blocks = compact_blocks(chunks);
    uint64_t before = 0, all, base;
    for (uint64_t first = 0; first < blocks; first += THREADS) {
        const uint64_t i = first + threadIdx.x;
        const uint64_t own = i < blocks ? find_block(x, chunks, i, &base).bits : 0;
        const uint64_t at = before + block_sum_before(own, WARPS, sums, &all);
        if (i < blocks)
            x->blocks[i] = at;
        before += all;
    }
    return before;
}

SIMT_KERNEL void __launch_bounds__(THREADS) measure_index(const struct zti_index_store_args x)
{
    const uint64_t chunks = *x.chunks;
    const uint32_t kind = x.layout.kind;
    SIMT_SHARED(uint64_t, sums, [WARPS]);
    SIMT_SHARED(uint32_t, any, [2]);
    if (threadIdx.x < 2)
        any[threadIdx.x] = 0;
    __syncthreads();
    if (kind == ZT_INDEX_LENGTHS || kind == ZT_INDEX_HYBRID)
        or_lengths(&x, chunks, any);
    const uint64_t bits = kind == ZT_INDEX_COMPACT ? sum_blocks(&x, chunks, sums) : 0;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    const uint32_t length = zti_length_width_of((uint64_t)any[1] << 32 | any[0]);
    const uint32_t width = kind == ZT_INDEX_OFFSETS ? 8
                           : kind == ZT_INDEX_COMPACT
                               ? compact_width(start_at(&x, chunks, chunks), bits)
                               : length;
    const struct zti_index_layout layout = layout_of(&x);
    x.found->bytes =
        zti_index_head_bytes(&layout) + zti_index_body_bytes(&layout, chunks, width, bits);
    x.found->block_bits = bits;
    x.found->width = width;
}

/* ---- bytes ---- */

/* OR the low n <= 64 bits of v, the higher ones being 0, to bit 'at' of the words. */
static __device__ __forceinline__ void or_number(uint32_t *words, uint64_t at, uint64_t v,
                                                 uint32_t n)
{
    uint32_t skip = (uint32_t)(at % 32);
    for (uint32_t *word = words + at / 32; v != 0; word++, skip = 0) {
        (void)atomicOr((unsigned *)word, (unsigned)(v << skip));
        if (n <= 32 - skip)
            break;
        v >>= 32 - skip;
        n -= 32 - skip;
    }
}

/* Chunk i of layout compact; its block's first chunk writes the directory's entries. at: the bit
 * where the body begins. */
static __device__ __forceinline__ void store_compact(const struct zti_index_store_args *x,
                                                     uint64_t chunks, uint64_t i, uint64_t at)
{
    const uint32_t width = x->found->width, j = (uint32_t)(i % COMPACT_BLOCK_CHUNKS);
    const uint64_t block = i / COMPACT_BLOCK_CHUNKS,
                   bits = at + 8 * (1 + compact_directory_bytes(chunks, width));
    uint64_t base;
    const struct compact_block b = find_block(x, chunks, block, &base);
    const uint64_t own = bits + x->blocks[block], d = start_at(x, chunks, i) - base;
    if (j > 0) {
        or_number(x->words, own + high_bit_of(&b, j, d), 1, 1);
        or_number(x->words, own + low_part_at(&b, j), low_part_of(&b, d), b.low);
        return;
    }
    at += 8 * (1 + 2 * width * block);
    or_number(x->words, at, base + b.span, 8 * width);
    or_number(x->words, at + 8 * width, x->blocks[block] + b.bits, 8 * width);
}

static __device__ __forceinline__ void store_chunk(const struct zti_index_store_args *x,
                                                   uint64_t chunks, uint64_t i, uint64_t at)
{
    const uint32_t kind = x->layout.kind, width = x->found->width, each = x->layout.partition;
    const uint64_t start = start_at(x, chunks, i);
    if (kind == ZT_INDEX_COMPACT) {
        store_compact(x, chunks, i, at);
        return;
    }
    if (kind == ZT_INDEX_OFFSETS) {
        or_number(x->words, at + 64 * i, start, 64);
        return;
    }
    at += 8;
    if (kind == ZT_INDEX_HYBRID) {
        at += 8 * (i / each * zti_partition_bytes(each, width));
        if (i % each == 0)
            or_number(x->words, at, start, 64);
        at += 64 + i % each * 8 * width;
    } else {
        at += i * 8 * width;
    }
    or_number(x->words, at, start_at(x, chunks, i + 1) - start, 8 * width);
}

SIMT_KERNEL void __launch_bounds__(THREADS) store_index(const struct zti_index_store_args x)
{
    const struct zti_index_layout layout = layout_of(&x);
    const uint64_t chunks = *x.chunks, at = 8 * zti_index_head_bytes(&layout);
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < chunks;
         i += (uint64_t)gridDim.x * THREADS)
        store_chunk(&x, chunks, i, at);
    if (blockIdx.x > 0 || threadIdx.x > 0)
        return;
    uint8_t head[1 + 2 * ZTI_VARINT_MAX_BYTES];
    const uint32_t n = (uint32_t)(zti_index_put_head(&layout, head) - head);
    for (uint32_t i = 0; i < n; i++)
        or_number(x.words, 8 * i, head[i], 8);
    if (layout.kind != ZT_INDEX_OFFSETS)
        or_number(x.words, at, x.found->width, 8);
}

/* ---- launches ---- */

extern "C" uint64_t zti_cuda_index_room(const struct zti_index_layout *layout, uint64_t chunks)
{
    return zti_round_up(zti_index_bytes_max(layout, chunks), 8) + 8;
}

extern "C" uint64_t zti_cuda_index_blocks(uint64_t chunks)
{
    return compact_blocks(chunks);
}

extern "C" void zti_cuda_index_store(const struct zti_index_store_args *args, void *queue)
{
    const struct zti_index_store_args x = *args;
    SIMT_LAUNCH(measure_index, 1, THREADS, 0, queue, x);
    SIMT_LAUNCH(store_index,
                simt_at_most((x.chunks_most + THREADS - 1) / THREADS, (unsigned)MOST_BLOCKS),
                THREADS, 0, queue, x);
}
