/* find.cu: see find.h. A thread looks a chunk up; of lengths one block adds up all, of hybrid a
 * warp those of a partition.
 *
 * A damaged index gives any places, but nothing is read or written outside of its bytes and of
 * 'places', and each look-up ends. */
#include "index/gpu/find.h"
#include "gpu/lookback.h"
#include "index/layout.h"

enum { THREADS = 256, WARPS = THREADS / 32, MOST_BLOCKS = 1 << 12 };

/* An index as it is used: its body, and what follows from its size. */
struct body {
    const uint8_t *at;
    uint64_t bytes, chunks, end; /* end: of the tiles, in units from the first one */
    uint32_t kind, partition, width;
    bool is_good;
};

static __device__ __forceinline__ void note_damage(const struct zti_index_find_args *f)
{
    (void)atomicMax((unsigned long long *)f->status, (unsigned long long)ZT_CORRUPT);
}

/* Whether the body's bytes are those of the layout; of compact, whether they hold its directory. */
static __device__ __forceinline__ bool has_size(const struct body *b,
                                                const struct zti_index_layout *layout)
{
    const uint64_t bytes = zti_index_body_bytes(layout, b->chunks, b->width, 0);
    return layout->kind == ZT_INDEX_COMPACT
               ? b->width >= 1 && b->width <= 8 && b->bytes >= bytes
               : (layout->kind == ZT_INDEX_OFFSETS || zti_is_length_width(b->width)) &&
                     b->bytes == bytes;
}

/* The head of the bytes is that of the layout, which the file names as well. */
static __device__ __forceinline__ struct body body_of(const struct zti_index_find_args *f)
{
    const struct zti_index_stored *const index = f->index;
    uint8_t head[1 + 2 * ZTI_VARINT_MAX_BYTES];
    const uint32_t n = (uint32_t)(zti_index_put_head(&index->layout, head) - head);
    struct body b;
    memset(&b, 0, sizeof b);
    b.kind = index->layout.kind;
    b.partition = index->layout.partition;
    b.chunks = zti_index_chunks(*f->tiles, index->layout.chunk_tiles);
    b.end = (*f->stream_bits - *f->first_bit) / f->unit_bits;
    b.is_good = index->bytes_count > n;
    for (uint32_t i = 0; i < n && b.is_good; i++)
        b.is_good = index->bytes[i] == head[i];
    if (!b.is_good)
        return b;
    b.at = index->bytes + n;
    b.bytes = index->bytes_count - n;
    b.width = b.at[0];
    b.is_good = has_size(&b, &index->layout);
    return b;
}

/* A number of some bytes, at any address. */
static __device__ __forceinline__ uint64_t number_at(const uint8_t *at, uint32_t bytes)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < bytes; i++)
        v |= (uint64_t)at[i] << 8 * i;
    return v;
}

/* Where chunk i of offsets or compact begins, in units, or UINT64_MAX. */
static __device__ __forceinline__ uint64_t start_of_chunk(const struct body *b, uint64_t i)
{
    if (i >= b->chunks)
        return b->end;
    if (b->kind == ZT_INDEX_OFFSETS)
        return number_at(b->at + 8 * i, 8);
    struct compact c;
    memset(&c, 0, sizeof c);
    c.entries = b->at + 1;
    c.entries_bytes = compact_directory_bytes(b->chunks, b->width);
    c.bits = c.entries + c.entries_bytes;
    c.bits_bytes = b->bytes - 1 - c.entries_bytes;
    c.chunks = b->chunks;
    c.width = b->width;
    return is_block_sound(&c, i / COMPACT_BLOCK_CHUNKS, b->end) ? compact_start(&c, i) : UINT64_MAX;
}

/* Note that chunk i begins at a unit, and the one before ends there. */
static __device__ __forceinline__ void note_start(const struct zti_index_find_args *f,
                                                  const struct body *b, uint64_t i, uint64_t at)
{
    const uint64_t bits = at <= b->end ? *f->first_bit + at * f->unit_bits : 0;
    if (at > b->end)
        note_damage(f);
    if (i < b->chunks)
        f->places[2 * i] = bits;
    if (i > 0)
        f->places[2 * i - 1] = i < b->chunks ? bits : *f->stream_bits;
}

static __device__ __forceinline__ void sum_lengths(const struct zti_index_find_args *f,
                                                   const struct body *b, uint64_t *sums)
{
    uint64_t before = 0, all;
    for (uint64_t first = 0; first < b->chunks; first += THREADS) {
        const uint64_t i = first + threadIdx.x;
        const uint64_t own = i < b->chunks ? number_at(b->at + 1 + i * b->width, b->width) : 0;
        const uint64_t at = before + block_sum_before(own, WARPS, sums, &all);
        if (i < b->chunks)
            note_start(f, b, i, at);
        before += all;
    }
    if (threadIdx.x == 0)
        note_start(f, b, b->chunks, before);
}

/* Each lane adds up a length of 32 at a time. */
static __device__ __forceinline__ void find_in_partition(const struct zti_index_find_args *f,
                                                         const struct body *b, uint64_t partition)
{
    const uint64_t chunk = partition * b->partition, rest = b->chunks - chunk;
    const uint32_t own = rest < b->partition ? (uint32_t)rest : b->partition;
    const uint8_t *const at = b->at + 1 + partition * zti_partition_bytes(b->partition, b->width);
    uint64_t before = number_at(at, 8);
    for (uint32_t first = 0; first < own; first += 32) {
        const uint32_t k = first + threadIdx.x % 32;
        const uint64_t length = k < own ? number_at(at + 8 + k * b->width, b->width) : 0;
        const uint64_t end = before + warp_sums(length);
        if (k < own)
            note_start(f, b, chunk + k, end - length);
        before = __shfl_sync(SIMT_ALL_LANES, end, 31);
    }
}

static __device__ __forceinline__ void find_in_partitions(const struct zti_index_find_args *f,
                                                          const struct body *b)
{
    const uint64_t partitions = zti_partitions_of(b->chunks, b->partition);
    for (uint64_t i = (uint64_t)blockIdx.x * WARPS + threadIdx.x / 32; i < partitions;
         i += (uint64_t)gridDim.x * WARPS)
        find_in_partition(f, b, i);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        note_start(f, b, b->chunks, b->end);
}

/* The number of chunks. */
SIMT_KERNEL void __launch_bounds__(32) count_chunks(const struct zti_index_find_args f)
{
    const uint64_t tiles = *f.tiles;
    const bool is_one = f.index->layout.kind == ZT_INDEX_NONE;
    if (threadIdx.x > 0)
        return;
    const bool is_good = *f.status == ZT_OK && tiles > 0 && tiles <= f.tiles_most;
    *f.chunk_tiles = !is_good ? 1 : is_one ? (uint32_t)tiles : f.index->layout.chunk_tiles;
    *f.chunks = is_good ? zti_index_chunks(tiles, *f.chunk_tiles) : 0;
    if (is_good && is_one) {
        f.places[0] = *f.first_bit;
        f.places[1] = *f.stream_bits;
    }
}

SIMT_KERNEL void __launch_bounds__(THREADS) find_chunks(const struct zti_index_find_args f)
{
    SIMT_SHARED(uint64_t, sums, [WARPS]);
    const bool has_index = *f.chunks > 0 && f.index->layout.kind != ZT_INDEX_NONE;
    if (!has_index)
        return;
    const struct body b = body_of(&f);
    if (!b.is_good) {
        if (threadIdx.x == 0)
            note_damage(&f);
        return;
    }
    if (b.kind == ZT_INDEX_LENGTHS) {
        if (blockIdx.x == 0)
            sum_lengths(&f, &b, sums);
        return;
    }
    if (b.kind == ZT_INDEX_HYBRID) {
        find_in_partitions(&f, &b);
        return;
    }
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i <= b.chunks;
         i += (uint64_t)gridDim.x * THREADS)
        note_start(&f, &b, i, start_of_chunk(&b, i));
}

extern "C" void zti_cuda_index_find(const struct zti_index_find_args *args, void *queue)
{
    const struct zti_index_find_args f = *args;
    SIMT_LAUNCH(count_chunks, 1, 32, 0, queue, f);
    SIMT_LAUNCH(find_chunks,
                simt_at_most((f.tiles_most + THREADS) / THREADS, (unsigned)MOST_BLOCKS), THREADS, 0,
                queue, f);
}
