/* table.cu: the table of ends at the beginning of an ndzip stream, written from the places of
 * records and read to places of records, on a GPU. A thread has a tile. */
#include "gpu/simt.h"

#include "codec/gpu_heads.h"
#include "codec/ndzip/ndzip.h"

enum { THREADS = 256, MOST_BLOCKS = 1 << 16 };

static uint64_t head_bytes(const struct zti_coding *coding)
{
    return zti_round_up(4 * coding->grid.count, zt_type_bytes(coding->type));
}

/* What kernels need of a head. */
struct table {
    uint32_t *ends;
    uint64_t tiles, head_words, data_words; /* words of 'width' bits, of head and stream */
    const uint64_t *starts, *states;
    uint64_t *places, *result;
    uint32_t width;
};

static struct table table_of(const struct zti_cuda_head *h)
{
    struct table t;
    const uint64_t bytes = zt_type_bytes(h->coding->type);
    t.ends = (uint32_t *)h->head;
    t.tiles = h->coding->grid.count;
    t.head_words = h->head_bytes / bytes;
    t.data_words = h->data_bytes / bytes;
    t.starts = h->starts;
    t.states = h->states;
    t.places = h->places;
    t.result = h->result;
    t.width = (uint32_t)(8 * bytes);
    return t;
}

SIMT_KERNEL void __launch_bounds__(THREADS) write_ends(const struct table t)
{
    const uint64_t step = (uint64_t)gridDim.x * THREADS;
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < t.tiles; i += step) {
        const uint64_t end = i + 1 < t.tiles ? t.starts[i + 1] : t.states[1];
        t.ends[i] = (uint32_t)(end / t.width);
        if (i + 1 < t.tiles)
            continue;
        if (t.head_words * t.width > 32 * t.tiles) /* up to a whole word */
            t.ends[t.tiles] = 0;
        *t.result = (t.head_words * t.width + end) / 8;
    }
}

/* A record of a length that none can have, or past the stream's end, is damage; it is then read
 * where the first one begins. */
SIMT_KERNEL void __launch_bounds__(THREADS) read_ends(const struct table t)
{
    const uint64_t step = (uint64_t)gridDim.x * THREADS;
    const uint32_t least = zti_ndzip_groups(t.width), most = zti_ndzip_most_words(t.width);
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < t.tiles; i += step) {
        const uint64_t end = t.ends[i], begin = i > 0 ? t.ends[i - 1] : 0;
        const bool is_good = end >= begin && end - begin >= least && end - begin <= most &&
                             t.head_words + end <= t.data_words;
        t.places[2 * i] = (t.head_words + (is_good ? begin : 0)) * t.width;
        t.places[2 * i + 1] = (t.head_words + (is_good ? end : 0)) * t.width;
        if (!is_good)
            (void)atomicAdd((unsigned long long *)t.result, 1ull);
    }
}

SIMT_KERNEL void __launch_bounds__(32) finish_ends(const struct table t)
{
    if (threadIdx.x == 0 && t.states[0] > 0)
        *t.result += 1;
}

static unsigned blocks_of(const struct table *t)
{
    return simt_at_most((t->tiles + THREADS - 1) / THREADS, MOST_BLOCKS);
}

static void put(const struct zti_cuda_head *h)
{
    const struct table t = table_of(h);
    SIMT_LAUNCH(write_ends, blocks_of(&t), THREADS, 0, h->queue, t);
}

static void take(const struct zti_cuda_head *h)
{
    const struct table t = table_of(h);
    SIMT_LAUNCH(read_ends, blocks_of(&t), THREADS, 0, h->queue, t);
}

static void finish(const struct zti_cuda_head *h)
{
    const struct table t = table_of(h);
    SIMT_LAUNCH(finish_ends, 1, 32, 0, h->queue, t);
}

extern "C" const struct zti_cuda_heads zti_cuda_ndzip_heads = {head_bytes, put, take, finish};
