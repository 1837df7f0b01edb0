/* expand.cu: kernels that expand an index: from the bytes of a layout to where chunks begin (see
 * expand.h).
 *
 *     offsets, ends   a chunk a thread: a number
 *     lengths         sums over the lanes of a warp, and over warps by look-back
 *     hybrid          a partition a warp: sums over its lanes, 32 chunks at a time
 *     compact         a chunk a thread: the CPU's look-up, which counts the ones of some words;
 *                     and a thread for each block checks that the directory's entries agree
 *
 * A second kernel turns starts into bit positions. It sets is_bad if one decreases or passes the
 * end of the stream; the output is then meaningless, but never out of bounds. */
#include "gpu/lookback.h"
#include "index/gpu/expand.h"
#include "index/layout.h"

enum {
    THREADS = 256,
    WARPS = THREADS / 32,
    LENGTHS_A_THREAD = 16,
    LENGTHS_A_WARP = 32 * LENGTHS_A_THREAD
};

/* Parameters of the kernels. */
struct job {
    struct zti_index_expand_args x;
    struct compact compact;
    uint64_t warps; /* that add lengths */
};

static __device__ __forceinline__ void note_damage(const struct job *j)
{
    (void)atomicOr((unsigned long long *)&j->x.result->is_bad, 1ull);
}

/* Store 'at' as the start of chunk first + i and the end of the one before it; i <= count. */
static __device__ __forceinline__ void note_start(const struct job *j, uint64_t i, uint64_t at)
{
    struct zti_index_expand_result *const b = j->x.result;
    const uint64_t count = j->x.count;
    if (i < count)
        j->x.places[2 * i] = at;
    if (i > 0)
        j->x.places[2 * i - 1] = at;
    if (i == 0)
        b->first = at;
    if (i == count - 1)
        b->last = at;
    if (i == count)
        b->end = at;
}

/* Load a length of 2, 4 or 8 bytes from an aligned address. */
static __device__ __forceinline__ uint64_t length_at(const uint8_t *bytes, uint64_t i,
                                                     uint32_t width)
{
    const void *const at = bytes + i * width;
    return width == 2   ? *(const uint16_t *)at
           : width == 4 ? *(const uint32_t *)at
                        : *(const uint64_t *)at;
}

static __device__ __forceinline__ uint64_t unaligned_64(const uint8_t *bytes)
{
    uint64_t v = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < 8; i++)
        v |= (uint64_t)bytes[i] << 8 * i;
    return v;
}

/* ---- a number a chunk ---- */

SIMT_KERNEL void __launch_bounds__(THREADS) expand_numbers(const struct job j)
{
    const struct zti_index *const index = &j.x.index;
    const uint8_t *const bytes = j.x.parts[0];
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i <= j.x.count;
         i += (uint64_t)gridDim.x * THREADS) {
        const uint64_t chunk = j.x.first + i;
        uint64_t at;
        if (index->layout.kind == ZT_INDEX_OFFSETS)
            at = chunk < index->chunks ? ((const uint64_t *)(const void *)bytes)[i] : index->end;
        else /* ends: the part begins one entry early, unless first is 0 */
            at = chunk == 0 ? 0 : ((const uint32_t *)(const void *)bytes)[i - (j.x.first == 0)];
        note_start(&j, i, at);
    }
}

SIMT_KERNEL void __launch_bounds__(THREADS) expand_compact(const struct job j)
{
    const struct compact *const c = &j.compact;
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i <= j.x.count;
         i += (uint64_t)gridDim.x * THREADS) {
        const uint64_t chunk = j.x.first + i;
        if (i == 0 || (chunk % COMPACT_BLOCK_CHUNKS == 0 && i < j.x.count))
            if (!is_block_sound(c, chunk / COMPACT_BLOCK_CHUNKS, j.x.index.end))
                note_damage(&j);
        note_start(&j, i,
                   chunk < c->chunks && (i < j.x.count || chunk % COMPACT_BLOCK_CHUNKS > 0)
                       ? compact_start(c, chunk)
                       : entry_at(c, 2 * ((chunk - 1) / COMPACT_BLOCK_CHUNKS)));
    }
}

/* ---- lengths ---- */

/* A block is a warp, which needs no barriers. */
SIMT_KERNEL void __launch_bounds__(32) expand_lengths(const struct job j)
{
    const uint64_t number = lookback_ticket(j.x.states), end = j.x.index.end;
    const uint64_t from = number * LENGTHS_A_WARP + threadIdx.x * LENGTHS_A_THREAD;
    uint64_t lengths[LENGTHS_A_THREAD], own = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < LENGTHS_A_THREAD; i++) {
        lengths[i] = from + i < j.x.count ? length_at(j.x.parts[0], from + i, j.x.index.width) : 0;
        if (lengths[i] > end) {
            note_damage(&j);
            lengths[i] = 0;
        }
        own += lengths[i];
    }
    const uint64_t sum = warp_sums(own), all = __shfl_sync(SIMT_ALL_LANES, sum, 31);
    /* clamped, so that sums of look-back do not overflow */
    uint64_t at = lookback(j.x.states, number, j.warps, all < end ? all : end + 1);
    at += j.x.before + sum - own;
    if (from == 0)
        note_start(&j, 0, at);
    SIMT_UNROLL
    for (uint32_t i = 0; i < LENGTHS_A_THREAD; i++) {
        at += lengths[i];
        if (from + i < j.x.count)
            note_start(&j, from + i + 1, at);
    }
}

/* ---- partitions ---- */

SIMT_KERNEL void __launch_bounds__(THREADS)
    expand_hybrid(const struct job j, const uint64_t from, const uint64_t partitions)
{
    const struct zti_index *const index = &j.x.index;
    const uint32_t lane = threadIdx.x % 32, width = index->width, each = index->layout.partition;
    const uint64_t bytes = zti_partition_bytes(each, width), last = j.x.first + j.x.count;
    for (uint64_t i = (uint64_t)blockIdx.x * WARPS + threadIdx.x / 32; i < partitions;
         i += (uint64_t)gridDim.x * WARPS) {
        const uint8_t *const at = j.x.parts[0] + i * bytes;
        const uint64_t chunk = (from + i) * each;
        uint64_t sum = unaligned_64(at);
        if (chunk >= j.x.first && lane == 0)
            note_start(&j, chunk - j.x.first, sum);
        for (uint32_t first = 0; first < each; first += 32) {
            const uint32_t k = first + lane;
            const uint64_t length = k < each ? length_at(at + 8, k, width) : 0;
            const uint64_t end = sum + warp_sums(length), c = chunk + k + 1;
            if (length > 0 && c > index->chunks)
                note_damage(&j); /* behind the last chunk there are zeros */
            const bool is_wanted = k < each && c >= j.x.first && c <= last;
            if (is_wanted && (k + 1 < each || c == last))
                note_start(&j, c - j.x.first, end);
            if (is_wanted && k + 1 == each && c < last && end != unaligned_64(at + bytes))
                note_damage(&j);
            sum = __shfl_sync(SIMT_ALL_LANES, end, 31);
        }
    }
}

/* ---- places ---- */

SIMT_KERNEL void __launch_bounds__(THREADS) make_places(const struct job j)
{
    const uint64_t first = j.x.result->first * j.x.unit_bits + j.x.start_bits;
    const uint64_t base = first - first % 64;
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < j.x.count;
         i += (uint64_t)gridDim.x * THREADS) {
        uint64_t *const place = j.x.places + 2 * i;
        const uint64_t begin = place[0], end = place[1], chunk = j.x.first + i;
        if (begin > end || end > j.x.index.end || (chunk == 0 && begin != 0))
            note_damage(&j);
        place[0] = begin * j.x.unit_bits + j.x.start_bits - base;
        place[1] = chunk + 1 == j.x.index.chunks ? ZTI_PLACE_ANY_END
                                                 : end * j.x.unit_bits + j.x.start_bits - base;
    }
}

static struct compact compact_of(const struct zti_index_expand_args *x)
{
    struct compact c = {};
    c.entries = x->parts[0];
    c.entries_bytes = x->window.bytes[0];
    c.bits = x->parts[1];
    c.bits_bytes = x->window.bytes[1];
    c.first_entry = x->window.first_entry;
    c.first_byte = x->window.first_byte;
    c.chunks = x->index.chunks;
    c.width = x->index.width;
    return c;
}

static uint64_t warps_of_lengths(uint64_t count)
{
    return (count + LENGTHS_A_WARP - 1) / LENGTHS_A_WARP;
}

extern "C" bool zti_cuda_can_expand(const struct zti_index *index, uint64_t count)
{
    const uint64_t most = UINT64_MAX >> 2; /* the largest look-back state, and number of bits */
    return index->end < most / 64 / (warps_of_lengths(count) + 1);
}

extern "C" uint64_t zti_cuda_index_words(uint64_t count)
{
    return lookback_words(warps_of_lengths(count));
}

extern "C" void zti_cuda_index_expand(const struct zti_index_expand_args *args, void *queue)
{
    const unsigned most = 1u << 16;
    const uint64_t count = args->count, each = args->index.layout.partition;
    struct job j;
    j.x = *args;
    j.compact = compact_of(args);
    j.warps = warps_of_lengths(count);
    const unsigned grid = simt_at_most(count / THREADS + 1, most);
    if (j.x.index.layout.kind == ZT_INDEX_LENGTHS) {
        SIMT_LAUNCH(expand_lengths, simt_grid_of(count, LENGTHS_A_WARP), 32, 0, queue, j);
    } else if (j.x.index.layout.kind == ZT_INDEX_HYBRID) {
        const uint64_t from = j.x.first / each, to = (j.x.first + count - 1) / each + 1;
        const uint64_t n = to - from;
        SIMT_LAUNCH(expand_hybrid, simt_at_most((n + WARPS - 1) / WARPS, most), THREADS, 0, queue,
                    j, from, n);
    } else if (j.x.index.layout.kind == ZT_INDEX_COMPACT) {
        SIMT_LAUNCH(expand_compact, grid, THREADS, 0, queue, j);
    } else {
        SIMT_LAUNCH(expand_numbers, grid, THREADS, 0, queue, j);
    }
    SIMT_LAUNCH(make_places, grid, THREADS, 0, queue, j);
}
