/* open.cu: see open.h. One block parses header and tail, and hashes them; eight lanes hash a range
 * of the payload. What zt_compress_async and zt_compress write for one slab is read: without a
 * plan, and with nothing beside the payload but its index. */
#include "frame/read/gpu/open.h"
#include "gpu/elements.h"
#include "gpu/xxh3.h"

enum { THREADS = 256, RANGES = THREADS / XXH3_LANES, MOST_BLOCKS = 1 << 11 };

/* Where the parts of a frame are. */
struct parts {
    uint64_t header_bytes, payload_bytes, tail_bytes;
    struct zti_index_layout layout;
    uint64_t index_bytes;
    zt_status status;
};

static __device__ __forceinline__ zt_status worse(zt_status a, zt_status b)
{
    return a != ZT_OK ? a : b;
}

/* ---- the header, by one thread ---- */

static __device__ inline zt_status read_index(struct zti_cursor *c, struct parts *p)
{
    p->layout.kind = zti_get_byte(c);
    const uint64_t chunk = zti_get_varint(c), partition = zti_get_varint(c);
    p->index_bytes = zti_get_varint(c);
    if (c->is_bad || !zti_is_index_named(p->layout.kind, chunk, partition) ||
        p->index_bytes > p->tail_bytes)
        return ZT_CORRUPT;
    p->layout.chunk_tiles = (uint32_t)chunk;
    p->layout.partition = (uint32_t)partition;
    return p->layout.kind > ZT_INDEX_COMPACT ? ZT_UNSUPPORTED : ZT_OK;
}

/* Sections that say nothing of the values are passed over. */
static __device__ inline zt_status read_sections(struct zti_cursor *c, struct parts *p)
{
    zt_status status = ZT_OK;
    while (status == ZT_OK && zti_cursor_left(c) > 0) {
        const uint8_t type = zti_get_byte(c);
        if (type == ZTI_SECTION_END)
            break;
        const uint64_t n = zti_get_varint(c);
        const uint8_t *const at = zti_get_bytes(c, n);
        struct zti_cursor body = {at, at + (at ? n : 0), false};
        if (!at)
            status = ZT_CORRUPT;
        else if (type == ZTI_SECTION_INDEX)
            status = read_index(&body, p);
        else if (type & ZTI_SECTION_CRITICAL)
            status = ZT_UNSUPPORTED;
    }
    return status;
}

static __device__ inline bool is_raw_coding(const struct zti_opening *o, const uint8_t *params,
                                            uint64_t n)
{
    bool is_raw = o->data[ZTI_AT_CODEC] == o->raw_codec && n == o->raw_params_bytes;
    for (uint64_t i = 0; i < n && is_raw; i++)
        is_raw = params[i] == o->raw_params[i];
    return is_raw;
}

/* Everything between the hash and the lengths, which are set. */
static __device__ inline zt_status read_header(const struct zti_opening *o, struct parts *p,
                                               struct zti_cuda_stored *s)
{
    const struct zti_array *const a = &o->array;
    const uint8_t *const d = o->data;
    struct zti_cursor c = {d + ZTI_AT_NUMBERS, d + p->header_bytes - ZTI_HASH_BYTES, false};
    bool is_same = d[ZTI_AT_TYPE] == (a->type | a->rank << 4);
    p->payload_bytes = zti_get_varint(&c);
    p->tail_bytes = zti_get_varint(&c);
    bool is_alone = zti_get_varint(&c) == 0; /* exact values */
    is_alone = zti_get_varint(&c) == 0 && is_alone;
    for (uint32_t i = 0; i < a->rank; i++)
        is_same = zti_get_varint(&c) == a->shape[i] && is_same;
    const uint32_t bound = d[ZTI_AT_BOUND] & 15;
    if (bound != ZT_LOSSLESS)
        (void)zti_get_f64(&c);
    if (bound == ZT_REL)
        (void)zti_get_f64(&c);
    const uint64_t n = zti_get_byte(&c);
    const uint8_t *const params = zti_get_bytes(&c, n);
    if (!is_same || !is_alone || (bound != ZT_LOSSLESS && bound != ZT_ABS && bound != ZT_REL))
        return ZT_UNSUPPORTED;
    const uint64_t most = UINT64_C(1) << 61;
    if (!params || n > ZTI_CODEC_PARAMS_BYTES || p->payload_bytes > most || p->tail_bytes > most ||
        p->tail_bytes < ZTI_HASH_BYTES ||
        p->header_bytes + p->payload_bytes + ZTI_GAP_BYTES + p->tail_bytes > o->data_bytes)
        return ZT_CORRUPT;
    s->is_raw = is_raw_coding(o, params, n);
    if (s->is_raw && p->payload_bytes != o->values_bytes)
        return ZT_CORRUPT;
    if (!s->is_raw && d[ZTI_AT_CODEC] != o->codec)
        return ZT_UNSUPPORTED;
    s->params_bytes = (uint32_t)n;
    for (uint64_t i = 0; i < n; i++)
        s->params[i] = params[i];
    return read_sections(&c, p);
}

/* Magic, version and length. */
static __device__ inline zt_status read_front(const struct zti_opening *o, struct parts *p)
{
    const uint8_t magic[4] = {ZTI_FRAME_MAGIC};
    bool has_magic = o->data_bytes >= ZTI_FRAME_ALIGN_BYTES;
    for (uint32_t i = 0; i < sizeof magic && has_magic; i++)
        has_magic = o->data[i] == magic[i];
    if (!has_magic)
        return ZT_CORRUPT;
    p->header_bytes = (uint64_t)o->data[ZTI_AT_UNITS] * ZTI_FRAME_ALIGN_BYTES;
    if (p->header_bytes == 0 || p->header_bytes > o->data_bytes)
        return ZT_CORRUPT;
    return o->data[ZTI_AT_VERSION] == ZTI_FORMAT_VERSION ? ZT_OK : ZT_UNSUPPORTED;
}

/* ---- the tail ---- */

/* The bytes between payload and tail are 0. */
static __device__ inline zt_status read_tail(const struct zti_opening *o, const struct parts *p,
                                             struct zti_cuda_stored *s)
{
    const uint8_t *const tail = o->data + p->header_bytes + p->payload_bytes + ZTI_GAP_BYTES;
    struct zti_cursor c = {tail, tail + (p->tail_bytes - ZTI_HASH_BYTES), false};
    s->sums = o->index->bytes = NULL;
    if (!zti_all_zero(tail - ZTI_GAP_BYTES, ZTI_GAP_BYTES))
        return ZT_CORRUPT;
    while (zti_cursor_left(&c) > 0) {
        const uint8_t type = zti_get_byte(&c);
        const uint64_t n = zti_get_varint(&c);
        const uint8_t *const at = zti_get_bytes(&c, n);
        if (!at)
            return ZT_CORRUPT;
        if (type == ZTI_SECTION_CHECKSUMS && !s->sums) {
            s->range_log2 = n > 0 ? at[0] : 0;
            if (s->range_log2 < ZTI_RANGE_LEAST_LOG2 || s->range_log2 > ZTI_RANGE_MOST_LOG2 ||
                n != zti_checksums_body_bytes(p->payload_bytes, s->range_log2))
                return ZT_CORRUPT;
            s->sums = at + 1;
        } else if (type == ZTI_SECTION_INDEX && !o->index->bytes && n == p->index_bytes &&
                   p->layout.kind != ZT_INDEX_NONE) {
            o->index->bytes = at;
        } else if (type & ZTI_SECTION_CRITICAL) {
            return ZT_UNSUPPORTED;
        }
    }
    o->index->layout = p->layout;
    o->index->bytes_count = p->index_bytes;
    return s->sums && (p->layout.kind == ZT_INDEX_NONE || o->index->bytes) ? ZT_OK : ZT_CORRUPT;
}

/* ---- kernels ---- */

/* Whether the hash of n bytes is stored after them; in the first thread of the block, all of whose
 * threads call it. */
static __device__ __forceinline__ bool has_hash(const uint8_t *bytes, uint64_t n, uint64_t *stage,
                                                const uint64_t *word, const struct xxh3_secret *s)
{
    const uint64_t hash = xxh3_of_block(bytes, n, stage, word, s);
    return threadIdx.x == 0 && hash == load_word(bytes + n);
}

SIMT_KERNEL void __launch_bounds__(THREADS, 1)
    open_frame(const struct zti_opening o, const struct xxh3_secret s)
{
    SIMT_SHARED(uint64_t, word, [24]);
    SIMT_SHARED(uint64_t, stage, [XXH3_STAGE_WORDS]);
    SIMT_SHARED(struct parts, p, );
    xxh3_load_secret(word, &s);
    if (threadIdx.x == 0) {
        memset(&p, 0, sizeof p);
        p.layout.kind = ZT_INDEX_NONE;
        p.status = read_front(&o, &p);
    }
    __syncthreads();
    const bool has_header =
        p.status == ZT_OK && has_hash(o.data, p.header_bytes - ZTI_HASH_BYTES, stage, word, &s);
    __syncthreads();
    if (threadIdx.x == 0)
        p.status = worse(p.status, has_header ? read_header(&o, &p, o.stored) : ZT_CORRUPT);
    __syncthreads();
    const uint8_t *const payload = o.data + p.header_bytes;
    const uint8_t *const tail = payload + p.payload_bytes + ZTI_GAP_BYTES;
    const bool has_tail =
        p.status == ZT_OK && has_hash(tail, p.tail_bytes - ZTI_HASH_BYTES, stage, word, &s);
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    const zt_status status = worse(p.status, has_tail ? read_tail(&o, &p, o.stored) : ZT_CORRUPT);
    *o.status = status;
    o.stored->payload = payload;
    o.stored->bits = status == ZT_OK ? 8 * p.payload_bytes : 0;
}

SIMT_KERNEL void __launch_bounds__(THREADS)
    check_ranges(const struct zti_opening o, const struct xxh3_secret s)
{
    const struct zti_cuda_stored *const f = o.stored;
    const uint64_t n = f->bits / 8;
    SIMT_SHARED(uint64_t, word, [24]);
    xxh3_load_secret(word, &s);
    if (n == 0)
        return;
    const uint64_t whole = UINT64_C(1) << f->range_log2, ranges = zti_ranges_of(n, f->range_log2);
    for (uint64_t first = (uint64_t)blockIdx.x * RANGES; first < ranges;
         first += (uint64_t)gridDim.x * RANGES) {
        const uint64_t range = first + threadIdx.x / XXH3_LANES;
        const uint64_t from = range * whole, left = from < n ? n - from : 0;
        const uint64_t own = left < whole ? left : whole;
        const uint8_t *const bytes = f->payload + (from < n ? from : 0);
        uint64_t sum = xxh3_long(bytes, own, whole < n ? whole : n, word, &s);
        if (own == 0 || threadIdx.x % XXH3_LANES > 0)
            continue;
        if (own <= (uint64_t)XXH3_SHORT_BYTES)
            sum = xxh3_short(bytes, (uint32_t)own, word);
        if ((uint32_t)sum != zti_get_le32(f->sums + range * ZTI_CHECKSUM_BYTES))
            (void)atomicMax((unsigned long long *)o.status, (unsigned long long)ZT_CORRUPT);
    }
}

#define UNPACK_KERNEL(name, type)                                                                  \
    SIMT_KERNEL void __launch_bounds__(THREADS)                                                    \
        name(const struct zti_opening o, const struct zti_array joined)                            \
    {                                                                                              \
        const type *const from = (const type *)(const void *)o.stored->payload;                    \
        type *const values = (type *)joined.data;                                                  \
        const bool is_raw = *o.status == ZT_OK && o.stored->is_raw;                                \
        const uint64_t count = is_raw ? o.values_bytes / sizeof(type) : 0;                         \
        for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count;                 \
             i += (uint64_t)gridDim.x * THREADS)                                                   \
            values[offset_of(&joined, i)] = from[i];                                               \
    }

UNPACK_KERNEL(unpack_raw_32, uint32_t)
UNPACK_KERNEL(unpack_raw_64, uint64_t)

extern "C" void zti_cuda_open(const struct zti_opening *opening, void *queue)
{
    const struct zti_opening o = *opening;
    const struct xxh3_secret s = xxh3_secret_of_bytes();
    const uint64_t ranges = zti_ranges_of(o.data_bytes, ZTI_RANGE_LEAST_LOG2);
    SIMT_LAUNCH(open_frame, 1, THREADS, 0, queue, o, s);
    SIMT_LAUNCH(check_ranges, simt_at_most((ranges + RANGES - 1) / RANGES, (unsigned)MOST_BLOCKS),
                THREADS, 0, queue, o, s);
}

extern "C" void zti_cuda_unpack_raw(const struct zti_opening *opening, void *queue)
{
    const struct zti_opening o = *opening;
    const struct zti_array joined = zti_array_joined(&o.array);
    const uint64_t count = o.values_bytes / zt_type_bytes(o.array.type);
    const unsigned blocks = simt_at_most((count + THREADS - 1) / THREADS, (unsigned)MOST_BLOCKS);
    if (zt_type_bytes(o.array.type) == 4)
        SIMT_LAUNCH(unpack_raw_32, blocks, THREADS, 0, queue, o, joined);
    else
        SIMT_LAUNCH(unpack_raw_64, blocks, THREADS, 0, queue, o, joined);
}
