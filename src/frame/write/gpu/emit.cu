/* emit.cu: kernels that write what stands around a payload (see emit.h). The rules of lengths are
 * those of frame/format/lengths.h.
 *
 *     decide    coded or raw, with an index or without; all lengths
 *     move      the payload to its place, where the header is shorter or longer than its room
 *     copy      the values to the payload's place, if the frame is raw
 *     sum       checksums, eight lanes a range
 *     fill      gap, heads of sections, the index
 *     finish    header, hashes and seek table, by one block */
#include "frame/write/gpu/emit.h"
#include "gpu/elements.h"
#include "gpu/lookback.h"
#include "gpu/xxh3.h"

enum {
    THREADS = 256,
    RANGES = THREADS / XXH3_LANES,
    MOST_BLOCKS = 1 << 11,
    FILLING_BLOCKS = 64,
    MOVING_BLOCKS = 4, /* for each multiprocessor */
    MOVED_WORDS = 8,   /* of a thread at a time */
    MOVED_PART_WORDS = THREADS * MOVED_WORDS
};

static __host__ __device__ __forceinline__ uint64_t moved_parts(uint64_t words)
{
    return (words + MOVED_PART_WORDS - 1) / MOVED_PART_WORDS;
}

/* ---- lengths ---- */

static __device__ __forceinline__ uint64_t payload_bytes_of(const struct zti_cuda_chosen *c)
{
    return c->head_bytes + c->bits / 8;
}

static __device__ __forceinline__ void measure(const struct zti_emission *e, struct zti_emitted *to)
{
    const struct zti_header_numbers *const n = &to->numbers;
    struct zti_lengths *const l = &to->lengths;
    l->values_bytes = e->values_bytes;
    l->payload_bytes = n->payload_bytes;
    l->head_bytes = to->is_raw ? 0 : e->chosen->head_bytes;
    l->sections_bytes = zti_header_has_index(n) ? zti_section_bytes(n->index_bytes) : 0;
    l->header_rest_bytes = zti_header_rest_bytes(&e->text, n);
    zti_lengths_measure(l);
    to->numbers.tail_bytes = l->tail_bytes;
}

/* The frame with its values as they are. */
static __device__ __forceinline__ void set_raw(const struct zti_emission *e, struct zti_emitted *to)
{
    to->is_raw = true;
    to->numbers.payload_bytes = e->values_bytes;
    to->numbers.index_kind = ZT_INDEX_NONE;
    to->numbers.params_bytes = e->raw_params_bytes;
    for (uint32_t i = 0; i < e->raw_params_bytes; i++)
        to->numbers.params[i] = e->raw_params[i];
    measure(e, to);
}

/* The coded frame. */
static __device__ __forceinline__ void set_coded(const struct zti_emission *e, bool has_index,
                                                 struct zti_emitted *to)
{
    const struct zti_cuda_chosen *const c = e->chosen;
    struct zti_header_numbers *const n = &to->numbers;
    to->is_raw = false;
    n->payload_bytes = payload_bytes_of(c);
    n->params_bytes = c->params_bytes;
    for (uint32_t i = 0; i < c->params_bytes; i++)
        n->params[i] = c->params[i];
    n->index_kind = has_index ? e->layout.kind : (uint32_t)ZT_INDEX_NONE;
    n->index_chunk_tiles = to->chunk_tiles;
    n->index_partition = e->layout.kind == ZT_INDEX_HYBRID ? e->layout.partition : 0;
    n->index_bytes = has_index ? e->index->bytes : 0;
    measure(e, to);
}

SIMT_KERNEL void __launch_bounds__(32) choose_chunks(const struct zti_emission e)
{
    struct zti_emitted *const to = e.emitted;
    const uint64_t tiles = e.chosen->tiles;
    if (threadIdx.x > 0)
        return;
    to->chunk_tiles = e.counted_chunk_tiles;
    if (e.fits_chunks)
        to->chunk_tiles = zti_index_fit_chunk(e.counted_chunk_tiles, tiles, e.chosen->bits);
    to->chunks = (tiles - 1) / to->chunk_tiles + 1;
    to->noted_step = to->chunk_tiles / e.layout.chunk_tiles;
}

/* As zti_keep_short and zti_measure_frame do. */
SIMT_KERNEL void __launch_bounds__(32) decide(const struct zti_emission e)
{
    struct zti_emitted *const to = e.emitted;
    const uint64_t chunks = (e.chosen->tiles - 1) / e.counted_chunk_tiles + 1;
    const bool pays =
        !e.fits_chunks || zti_index_pays(e.counted_chunk_tiles, chunks, e.chosen->bits);
    const bool has_index = e.layout.kind != ZT_INDEX_NONE && chunks >= e.least_chunks && pays;
    if (threadIdx.x > 0)
        return;
    set_raw(&e, to);
    const uint64_t raw = zti_lengths_sum(&to->lengths), values = to->lengths.values_bytes;
    set_coded(&e, false, to);
    if (payload_bytes_of(e.chosen) > values || zti_lengths_sum(&to->lengths) > raw) {
        set_raw(&e, to);
        return;
    }
    if (has_index)
        set_coded(&e, true, to);
    if (has_index && e.has_default_index && zti_lengths_sum(&to->lengths) > raw)
        set_coded(&e, false, to);
}

/* ---- the payload ---- */

/* Words of the payload that a block has in its registers, from 'first' on. */
struct moved {
    uint64_t first, v[MOVED_WORDS];
};

static __device__ __forceinline__ void load_moved(struct moved *m, const uint64_t *from,
                                                  uint64_t words)
{
    SIMT_UNROLL
    for (uint32_t k = 0; k < MOVED_WORDS; k++) {
        const uint64_t i = m->first + k * THREADS + threadIdx.x;
        m->v[k] = i < words ? from[i] : 0;
    }
}

static __device__ __forceinline__ void store_moved(const struct moved *m, uint64_t *to,
                                                   uint64_t words)
{
    SIMT_UNROLL
    for (uint32_t k = 0; k < MOVED_WORDS; k++) {
        const uint64_t i = m->first + k * THREADS + threadIdx.x;
        if (i < words)
            to[i] = m->v[k];
    }
}

/* From its room to its place, less than a part of 16 KiB away. A part's place reaches into the part
 * that was taken before it, whose block has loaded it by then: the first parts are taken first,
 * or, where the place is further on, the last ones. */
SIMT_KERNEL void __launch_bounds__(THREADS) move_payload(const struct zti_emission e)
{
    const struct zti_emitted *const f = e.emitted;
    const bool is_there = f->is_raw || f->lengths.header_bytes == e.room_bytes;
    const bool is_up = f->lengths.header_bytes > e.room_bytes;
    const uint64_t words = is_there ? 0 : (f->lengths.payload_bytes + 7) / 8;
    const uint64_t parts = moved_parts(words);
    const uint64_t *const from = (const uint64_t *)(const void *)(e.out + e.room_bytes);
    uint64_t *const to = (uint64_t *)(void *)(e.out + f->lengths.header_bytes);
    SIMT_SHARED(uint64_t, ticket, );
    while (parts > 0) {
        if (threadIdx.x == 0)
            ticket = lookback_claim(e.moving);
        __syncthreads();
        const uint64_t number = ticket;
        struct moved m;
        if (number >= parts)
            return;
        m.first = (is_up ? parts - 1 - number : number) * MOVED_PART_WORDS;
        load_moved(&m, from, words);
        __syncthreads();
        if (threadIdx.x == 0) {
            simt_store_release(e.moving + 1 + number, 1);
            while (number > 0 && simt_load_acquire(e.moving + number) == 0)
                continue;
        }
        __syncthreads();
        store_moved(&m, to, words);
    }
}

#define COPY_KERNEL(name, type)                                                                    \
    SIMT_KERNEL void __launch_bounds__(THREADS)                                                    \
        name(const struct zti_emission e, const struct zti_array joined)                           \
    {                                                                                              \
        const type *const values = (const type *)joined.data;                                      \
        type *const to = (type *)(void *)(e.out + e.emitted->lengths.header_bytes);                \
        const uint64_t count =                                                                     \
            e.emitted->is_raw ? e.emitted->lengths.values_bytes / sizeof(type) : 0;                \
        for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count;                 \
             i += (uint64_t)gridDim.x * THREADS)                                                   \
            to[i] = values[offset_of(&joined, i)];                                                 \
    }

COPY_KERNEL(copy_32, uint32_t)
COPY_KERNEL(copy_64, uint64_t)

/* ---- what follows it ---- */

static __device__ __forceinline__ uint8_t *tail_of(const struct zti_emission *e)
{
    const struct zti_lengths *const l = &e->emitted->lengths;
    return e->out + l->header_bytes + l->payload_bytes + ZTI_GAP_BYTES;
}

static __device__ __forceinline__ uint64_t sums_section(const struct zti_lengths *l)
{
    return zti_checksums_body_bytes(l->payload_bytes, l->range_log2);
}

SIMT_KERNEL void __launch_bounds__(THREADS)
    sum_ranges(const struct zti_emission e, const struct xxh3_secret s)
{
    const struct zti_lengths *const l = &e.emitted->lengths;
    const uint64_t n = l->payload_bytes, whole = UINT64_C(1) << l->range_log2;
    const uint64_t range = (uint64_t)blockIdx.x * RANGES + threadIdx.x / XXH3_LANES;
    const uint64_t from = range * whole, left = from < n ? n - from : 0;
    const uint64_t own = left < whole ? left : whole;
    const uint8_t *const bytes = e.out + l->header_bytes + (from < n ? from : 0);
    SIMT_SHARED(uint64_t, word, [24]);
    xxh3_load_secret(word, &s);
    if ((uint64_t)blockIdx.x * RANGES * whole >= n)
        return;
    uint64_t sum = xxh3_long(bytes, own, whole < n ? whole : n, word, &s);
    if (own == 0 || threadIdx.x % XXH3_LANES > 0)
        return;
    if (own <= (uint64_t)XXH3_SHORT_BYTES)
        sum = xxh3_short(bytes, (uint32_t)own, word);
    uint8_t *const to = tail_of(&e) + zti_section_bytes(sums_section(l)) - sums_section(l) + 1 +
                        range * ZTI_CHECKSUM_BYTES;
    zti_put_le32(to, (uint32_t)sum);
}

/* Where the section of the index begins. */
static __device__ __forceinline__ uint8_t *index_of(const struct zti_emission *e)
{
    return tail_of(e) + zti_section_bytes(sums_section(&e->emitted->lengths));
}

SIMT_KERNEL void __launch_bounds__(THREADS) fill_tail(const struct zti_emission e)
{
    const struct zti_lengths *const l = &e.emitted->lengths;
    const struct zti_header_numbers *const n = &e.emitted->numbers;
    const uint64_t bytes = zti_header_has_index(n) ? n->index_bytes : 0;
    const uint8_t *const from = (const uint8_t *)(const void *)e.index_words;
    uint8_t *const index = index_of(&e) + 1 + zti_varint_bytes(bytes);
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < bytes;
         i += (uint64_t)gridDim.x * THREADS)
        index[i] = from[i];
    if (blockIdx.x > 0 || threadIdx.x > 0)
        return;
    zti_put_le64(tail_of(&e) - ZTI_GAP_BYTES, 0);
    *zti_put_section(tail_of(&e), ZTI_SECTION_CHECKSUMS, sums_section(l)) = (uint8_t)l->range_log2;
    if (bytes > 0)
        (void)zti_put_section(index_of(&e), ZTI_SECTION_INDEX, bytes);
}

/* ---- header, hashes, table ---- */

/* Store the hash of n bytes after them. All threads of the block call it. */
static __device__ __forceinline__ void write_hash(uint8_t *bytes, uint64_t n, uint64_t *stage,
                                                  const uint64_t *word, const struct xxh3_secret *s)
{
    __syncthreads();
    const uint64_t hash = xxh3_of_block(bytes, n, stage, word, s);
    if (threadIdx.x == 0)
        zti_put_le64(bytes + n, hash);
    __syncthreads();
}

/* The copies of the stream's head, where that is short, and of the header. */
static __device__ __forceinline__ void write_copy(const uint8_t *out, const struct zti_lengths *l,
                                                  uint8_t *tail)
{
    const uint64_t head = zti_copied_bytes(l->payload_bytes, l->head_bytes);
    const uint64_t header = l->header_bytes, bytes = head + header;
    uint8_t *const to = tail + l->tail_bytes - ZTI_HASH_BYTES - bytes;
    for (uint64_t i = threadIdx.x; i < bytes; i += THREADS)
        to[i] = i < head ? out[header + i] : out[i - head];
    if (threadIdx.x == 0)
        (void)zti_put_section(to - (zti_section_bytes(bytes) - bytes), ZTI_SECTION_COPY, bytes);
}

SIMT_KERNEL void __launch_bounds__(THREADS)
    finish_file(const struct zti_emission e, const struct xxh3_secret s)
{
    const struct zti_lengths *const l = &e.emitted->lengths;
    const struct zti_header_numbers *const n = &e.emitted->numbers;
    uint8_t *const tail = tail_of(&e), *const table = tail + l->tail_bytes;
    const uint64_t header = l->header_bytes - ZTI_HASH_BYTES;
    uint32_t table_bytes = 0;
    SIMT_SHARED(uint64_t, word, [24]);
    SIMT_SHARED(uint64_t, stage, [XXH3_STAGE_WORDS]);
    xxh3_load_secret(word, &s);
    if (threadIdx.x == 0) {
        (void)zti_header_join(&e.text, n, e.out);
        if (e.emitted->is_raw)
            e.out[ZTI_AT_CODEC] = e.raw_codec;
        uint8_t *const at = zti_table_put_head(table, 1, e.array.shape[0]);
        table_bytes =
            (uint32_t)(zti_table_put_entry(at, zti_lengths_sum(l), e.array.shape[0]) - table);
    }
    write_hash(e.out, header, stage, word, &s);
    if (zti_has_copy(l->payload_bytes))
        write_copy(e.out, l, tail);
    write_hash(tail, l->tail_bytes - ZTI_HASH_BYTES, stage, word, &s);
    if (threadIdx.x > 0)
        return;
    (void)zti_table_put_foot(table + table_bytes, table_bytes,
                             xxh3_short(table, table_bytes, word));
    *e.out_bytes = zti_lengths_sum(l) + table_bytes + ZTI_TABLE_FOOT_BYTES;
}

extern "C" uint64_t zti_cuda_moving_words(uint64_t payload_bytes)
{
    return 1 + moved_parts((payload_bytes + 7) / 8);
}

extern "C" void zti_cuda_choose_chunks(const struct zti_emission *emission, void *queue)
{
    SIMT_LAUNCH(choose_chunks, 1, 32, 0, queue, *emission);
}

extern "C" void zti_cuda_emit(const struct zti_emission *emission, void *queue)
{
    const struct zti_emission e = *emission;
    const struct xxh3_secret s = xxh3_secret_of_bytes();
    const struct zti_array joined = zti_array_joined(&e.array);
    const uint64_t count = e.values_bytes / zt_type_bytes(e.array.type);
    const unsigned copying = simt_at_most((count + THREADS - 1) / THREADS, MOST_BLOCKS);
    const uint64_t ranges = zti_ranges_of(e.payload_most, ZTI_RANGE_LOG2);
    SIMT_LAUNCH(decide, 1, 32, 0, queue, e);
    SIMT_LAUNCH(
        move_payload,
        simt_at_most(moved_parts((e.payload_most + 7) / 8), MOVING_BLOCKS * simt_multiprocessors()),
        THREADS, 0, queue, e);
    if (zt_type_bytes(e.array.type) == 4)
        SIMT_LAUNCH(copy_32, copying, THREADS, 0, queue, e, joined);
    else
        SIMT_LAUNCH(copy_64, copying, THREADS, 0, queue, e, joined);
    SIMT_LAUNCH(sum_ranges, simt_grid_of(ranges, RANGES), THREADS, 0, queue, e, s);
    SIMT_LAUNCH(fill_tail, FILLING_BLOCKS, THREADS, 0, queue, e);
    SIMT_LAUNCH(finish_file, 1, THREADS, 0, queue, e, s);
}
