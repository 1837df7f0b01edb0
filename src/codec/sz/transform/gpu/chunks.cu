/* chunks.cu: kernels of the transform coder that encode corrections: lists of a chunk to symbols
 * with their counts, and chunks to their places (correct.h has the format). A warp has a chunk, a
 * lane a correction. */
#include "codec/sz/transform/gpu/job.h"
#include "codec/sz/transform/gpu/pack.h"

/* The corrections of a chunk, 32 at a time. */
struct walk {
    const zti_tf_correction *list;
    uint32_t count, next;
    int64_t steps_at, exact_at; /* the last place with steps so far, and that is exact */
};

/* What a lane has of 32 corrections: whether it is one with steps, or an exact value; and where the
 * one of its kind before it is. */
struct own {
    zti_tf_correction c;
    bool has_steps, is_exact;
    uint32_t steps_before, all_steps; /* of the 32 */
    int64_t before;
};

static __device__ __forceinline__ struct walk walk_of(const struct tf_job *j, uint32_t chunk)
{
    const uint64_t first = (uint64_t)chunk * j->chunk_values;
    struct walk w;
    w.list = j->corrections + first / ZTI_TF_CHUNK_CORRECTED_PART;
    w.count = j->chunk[chunk].found;
    w.next = 0;
    w.steps_at = w.exact_at = (int64_t)first - 1;
    return w;
}

/* The last place among lanes that are of a kind and before this one, or 'before'; *last: that of
 * all of the kind. */
static __device__ __forceinline__ int64_t place_before(uint32_t lanes, uint32_t place,
                                                       int64_t before, int64_t *last)
{
    const uint32_t earlier = lanes & ((1u << threadIdx.x) - 1);
    const uint32_t from = earlier > 0 ? 31 - (uint32_t)__clz((int)earlier) : 0;
    const uint32_t of_all = lanes > 0 ? 31 - (uint32_t)__clz((int)lanes) : 0;
    const uint32_t own = __shfl_sync(SIMT_ALL_LANES, place, (int)from);
    const uint32_t end = __shfl_sync(SIMT_ALL_LANES, place, (int)of_all);
    *last = lanes > 0 ? end : before;
    return earlier > 0 ? own : before;
}

/* The next 32 corrections; false: there are none. */
static __device__ __forceinline__ bool next_corrections(struct walk *w, struct own *own)
{
    const uint32_t i = w->next + threadIdx.x;
    if (w->next >= w->count)
        return false;
    own->c = i < w->count ? w->list[i] : 0;
    own->has_steps = i < w->count && tf_steps_of(own->c) != 0;
    own->is_exact = i < w->count && !own->has_steps;
    const uint32_t steps = __ballot_sync(SIMT_ALL_LANES, own->has_steps);
    const uint32_t exact = __ballot_sync(SIMT_ALL_LANES, own->is_exact);
    const uint32_t place = tf_place_of(own->c);
    const int64_t a = place_before(steps, place, w->steps_at, &w->steps_at);
    const int64_t b = place_before(exact, place, w->exact_at, &w->exact_at);
    own->before = own->is_exact ? b : a;
    own->steps_before = (uint32_t)__popc(steps & ((1u << threadIdx.x) - 1));
    own->all_steps = (uint32_t)__popc(steps);
    w->next += 32;
    return true;
}

static __device__ __forceinline__ uint64_t gap_of(const struct own *own)
{
    return (uint64_t)((int64_t)tf_place_of(own->c) - own->before - 1);
}

/* The bytes of an exact value; 0 for other corrections. */
static __device__ __forceinline__ uint32_t exact_bytes(const struct tf_job *j,
                                                       const struct own *own)
{
    return own->is_exact
               ? (uint32_t)zti_varint_bytes(gap_of(own)) + value_bytes_of(j->box.array.type)
               : 0;
}

/* ---- symbols ---- */

/* A chunk's symbols begin at the number of its first value. */
SIMT_KERNEL void SIMT_BOUNDS(32, 16) tf_list_chunks(SIMT_ARGUMENT struct tf_job j)
{
    enum { ALL = (int)ZTI_TF_CORRECTION_MODELS * ZTI_LL_ALPHABET };
    SIMT_SHARED(unsigned, count, [ALL]);
    struct tf_stream *const chunk = &j.chunk[blockIdx.x];
    const uint64_t at = (uint64_t)blockIdx.x * j.chunk_values;
    struct walk w = walk_of(&j, blockIdx.x);
    struct own own;
    uint32_t pairs = 0, open_bits = 0, bytes = 0;
    for (uint32_t i = threadIdx.x; i < ALL; i += 32)
        count[i] = 0;
    simt_order_warp();
    while (next_corrections(&w, &own)) {
        if (own.has_steps) {
            const struct zti_tf_pair pair = tf_pair_of(own.c, own.before);
            uint8_t *const to = j.symbols + at + TF_PAIR * (pairs + own.steps_before);
            to[ZTI_TF_GAP] = pair.gap;
            to[ZTI_TF_STEPS] = pair.steps;
            (void)atomicAdd(&count[(int)ZTI_TF_GAP * ZTI_LL_ALPHABET + pair.gap], 1u);
            (void)atomicAdd(&count[(int)ZTI_TF_STEPS * ZTI_LL_ALPHABET + pair.steps], 1u);
            open_bits += pair.open_bits;
        }
        bytes += exact_bytes(&j, &own);
        pairs += own.all_steps;
    }
    open_bits = simt_reduce_add(open_bits);
    bytes = simt_reduce_add(bytes);
    simt_order_warp();
    for (uint32_t i = threadIdx.x; i < ALL; i += 32)
        if (count[i] > 0)
            tf_add_count(j.sums, i / ZTI_LL_ALPHABET, i % ZTI_LL_ALPHABET, count[i]);
    if (threadIdx.x == 0) {
        chunk->at = at;
        chunk->symbols = TF_PAIR * pairs;
        chunk->open_bits = open_bits;
        chunk->code_bytes = 0;
        chunk->exact = chunk->found - pairs;
        chunk->exact_bytes = bytes;
    }
}

extern "C" void zti_tf_cuda_list_chunks(const struct tf_job *j, void *queue)
{
    SIMT_LAUNCH(tf_list_chunks, j->chunks, 32, 0, queue, *j);
}

/* ---- bytes ---- */

/* The exact values of a chunk; returns the place behind them. */
static __device__ uint8_t *put_exact(const struct tf_job *j, uint32_t which, uint8_t *to)
{
    struct walk w = walk_of(j, which);
    struct own own;
    while (j->chunk[which].exact > 0 && next_corrections(&w, &own)) {
        const uint32_t bytes = exact_bytes(j, &own), up_to = warp_sums_32(bytes);
        if (own.is_exact)
            (void)zti_put_value(zti_put_varint(to + up_to - bytes, gap_of(&own)),
                                sz_box_bits(&j->box, tf_place_of(own.c)),
                                value_bytes_of(j->box.array.type));
        to += __shfl_sync(SIMT_ALL_LANES, up_to, 31);
    }
    return to;
}

/* A varint by one lane; returns the place behind it. */
static __device__ __forceinline__ uint8_t *put_number(uint8_t *to, uint64_t v)
{
    if (threadIdx.x == 0)
        (void)zti_put_varint(to, v);
    return to + zti_varint_bytes(v);
}

SIMT_KERNEL void SIMT_BOUNDS(32, 16) tf_join_chunks(SIMT_ARGUMENT struct tf_job j)
{
    SIMT_SHARED(unsigned, words, [PACK_WORDS]);
    const struct tf_stream *const chunk = &j.chunk[blockIdx.x];
    uint8_t *to =
        j.out + j.head_bytes + j.parts_bytes + j.tail_bytes + j.places[j.parts + blockIdx.x];
    struct walk w = walk_of(&j, blockIdx.x);
    struct own own;
    if (chunk->found == 0)
        return;
    to = put_exact(&j, blockIdx.x, put_number(to, chunk->exact));
    to = put_number(to, chunk->symbols / TF_PAIR);
    if (chunk->symbols == 0)
        return;
    struct packer p = packer_at(words, put_number(to, chunk->code_bytes));
    while (next_corrections(&w, &own)) {
        struct zti_tf_pair pair;
        pair.open = pair.open_bits = 0;
        if (own.has_steps)
            pair = tf_pair_of(own.c, own.before);
        pack(&p, pair.open, pair.open_bits);
    }
    const uint64_t end = tf_codes_at(chunk->at + chunk->symbols, blockIdx.x + 1);
    copy_bytes(end_packed(&p), j.correction_codes + end - chunk->code_bytes, chunk->code_bytes,
               threadIdx.x, 32);
}

extern "C" void zti_tf_cuda_join_chunks(const struct tf_job *j, void *queue)
{
    SIMT_LAUNCH(tf_join_chunks, j->chunks, 32, 0, queue, *j);
}
