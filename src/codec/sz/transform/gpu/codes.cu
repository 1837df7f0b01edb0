/* codes.cu: kernels of the transform coder that encode a tile, and know no values: counts of
 * symbols, symbols to codes of ANS, what the host wrote to its place; points of a box, and a tile's
 * values as they are. */
#include "codec/sz/transform/gpu/job.h"
#include "codec/sz/transform/gpu/pack.h"

#include "entropy/ans/gpu/next_state.h"

/* ---- counts ---- */

/* Count the symbols of parts in each context. A block has several parts; frequent symbols are
 * counted in shared memory. */
SIMT_KERNEL void SIMT_BOUNDS(TF_JOB_THREADS, 4) tf_count(SIMT_ARGUMENT struct tf_job j)
{
    enum { NEAR = TF_NEAR_SYMBOLS, ALL = (int)ZTI_TF_CONTEXTS * TF_NEAR_SYMBOLS };
    SIMT_SHARED(unsigned, near, [ALL]);
    if (j.sums->is_over || j.sums->is_bad)
        return;
    for (uint32_t i = threadIdx.x; i < ALL; i += TF_JOB_THREADS)
        near[i] = 0;
    __syncthreads();
    for (uint32_t p = blockIdx.x; p < j.parts; p += gridDim.x) {
        const struct tf_stream *const part = &j.part[p];
        for (uint64_t i = part->at + threadIdx.x; i < part->at + part->symbols;
             i += TF_JOB_THREADS) {
            const uint32_t symbol = j.symbols[i], context = j.contexts[i];
            if (symbol < NEAR)
                (void)atomicAdd(&near[context * NEAR + symbol], 1u);
            else
                tf_add_count(j.sums, context, symbol, 1);
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < ALL; i += TF_JOB_THREADS)
        if (near[i] > 0)
            tf_add_count(j.sums, i / NEAR, i % NEAR, near[i]);
}

extern "C" void zti_tf_cuda_count(const struct tf_job *j, void *queue)
{
    SIMT_LAUNCH(tf_count, simt_at_most(j->parts, 2 * simt_multiprocessors()), TF_JOB_THREADS, 0,
                queue, *j);
}

/* ---- codes ---- */

/* The output of a stream, which four lanes have alike; it grows towards lower addresses, a word at
 * a time. */
struct ans_output {
    uint32_t *at;
    uint64_t held; /* bits that are not stored: the lowest ones of it */
    uint32_t bits; /* how many: below 32 between calls */
};

static __device__ __forceinline__ void emit(struct ans_output *o, uint32_t value, uint32_t bits,
                                            bool is_storing)
{
    o->held = o->held << bits | value;
    o->bits += bits;
    if (o->bits >= 32) {
        o->bits -= 32;
        o->at--;
        if (is_storing)
            *o->at = (uint32_t)(o->held >> o->bits);
    }
}

/* Append what the states of a stream emit for four symbols, the last one's first: each lane's low
 * bits, at most 12. */
static __device__ __forceinline__ void emit_four(struct ans_output *o, uint32_t low, uint32_t bits,
                                                 bool is_storing)
{
    const uint32_t lane = threadIdx.x % ZTI_ANS_FEW;
    const uint32_t other = __shfl_xor_sync(SIMT_ALL_LANES, low, 1);
    const uint32_t other_bits = __shfl_xor_sync(SIMT_ALL_LANES, bits, 1);
    const uint32_t two = lane % 2 == 0 ? low | other << bits : other | low << other_bits;
    const uint32_t two_bits = bits + other_bits;
    const uint32_t others = __shfl_xor_sync(SIMT_ALL_LANES, two, 2);
    const uint32_t others_bits = __shfl_xor_sync(SIMT_ALL_LANES, two_bits, 2);
    const bool is_first = lane < 2;
    emit(o, is_first ? others : two, is_first ? others_bits : two_bits, is_storing);
    emit(o, is_first ? two : others, is_first ? two_bits : others_bits, is_storing);
}

/* The state that follows the lane's for symbol number i of a stream whose symbols begin at 'at';
 * *bits: how many of its low bits the state emits. */
static __device__ __forceinline__ uint32_t move_state(const struct tf_coding *c, uint64_t at,
                                                      uint32_t i, uint32_t state, uint32_t *bits)
{
    const uint32_t context = c->contexts ? c->contexts[at + i] : i % TF_PAIR;
    const uint32_t model = c->model_of ? c->model_of[context] : context;
    return ans_next_state(c->table, model * (uint32_t)ZTI_ANS_MIXED_ALPHABET + c->symbols[at + i],
                          state, bits);
}

/* Behind the symbols come the states, and bits that fill a byte; returns the first byte. */
static __device__ __forceinline__ const uint8_t *end_codes(struct ans_output *o, uint32_t state,
                                                           bool is_storing)
{
    emit_four(o, state - ZTI_ANS_STATES, ZTI_ANS_STATE_BITS, is_storing);
    emit(o, 1, 1, is_storing);
    emit(o, 0, (8 - o->bits % 8) % 8, is_storing);
    if (o->bits > 0 && is_storing)
        o->at[-1] = (uint32_t)(o->held << (32 - o->bits));
    return (const uint8_t *)(const void *)o->at - o->bits / 8;
}

/* The codes of zti_ans_mixed_encode with ZTI_ANS_FEW states: four lanes have a stream, a state
 * each. */
SIMT_KERNEL void SIMT_BOUNDS(32, 16) tf_code(SIMT_ARGUMENT struct tf_coding c)
{
    const uint32_t which = blockIdx.x * TF_STREAMS_OF_WARP + threadIdx.x / ZTI_ANS_FEW;
    const uint32_t lane = threadIdx.x % ZTI_ANS_FEW;
    const bool is_there = which < c.streams;
    const uint64_t at = is_there ? c.stream[which].at : 0;
    const uint32_t n = is_there ? c.stream[which].symbols : 0;
    uint8_t *const end = c.codes + tf_codes_at(at + n, is_there ? which + 1 : 0);
    struct ans_output o = {(uint32_t *)(void *)end, 0, 0};
    const bool is_storing = lane == 0 && n > 0; /* of streams without a symbol there is nothing */
    uint32_t state = ZTI_ANS_STATES;
    for (uint32_t k = simt_reduce_max((n + ZTI_ANS_FEW - 1) / ZTI_ANS_FEW); k-- > 0;) {
        const uint32_t i = k * ZTI_ANS_FEW + lane;
        uint32_t bits = 0, low = 0;
        if (i < n) {
            const uint32_t next = move_state(&c, at, i, state, &bits);
            low = state & ((1u << bits) - 1);
            state = next;
        }
        emit_four(&o, low, bits, is_storing);
    }
    const uint8_t *const first = end_codes(&o, state, is_storing);
    if (is_there && lane == 0)
        c.stream[which].code_bytes = n > 0 ? (uint32_t)(end - first) : 0;
}

extern "C" void zti_tf_cuda_code(const struct tf_coding *c, void *queue)
{
    SIMT_LAUNCH(tf_code, (c->streams + TF_STREAMS_OF_WARP - 1) / TF_STREAMS_OF_WARP, 32, 0, queue,
                *c);
}

/* ---- bytes that the host wrote, or values as they are ---- */

SIMT_KERNEL void SIMT_BOUNDS(TF_JOB_THREADS, 4) tf_put_strings(SIMT_ARGUMENT struct tf_job j)
{
    const uint32_t own = blockIdx.x * TF_JOB_THREADS + threadIdx.x;
    const uint32_t threads = gridDim.x * TF_JOB_THREADS;
    copy_bytes(j.out, j.strings, j.head_bytes, own, threads);
    copy_bytes(j.out + j.head_bytes + j.parts_bytes, j.strings + j.head_bytes, j.tail_bytes, own,
               threads);
}

extern "C" void zti_tf_cuda_put_strings(const struct tf_job *j, void *queue)
{
    enum { EACH = 16 * TF_JOB_THREADS }; /* bytes of a block */
    const uint64_t bytes = (uint64_t)j->head_bytes + j->tail_bytes;
    SIMT_LAUNCH(tf_put_strings, simt_at_most(bytes / EACH + 1, TF_JOB_BLOCKS), TF_JOB_THREADS, 0,
                queue, *j);
}

SIMT_KERNEL void SIMT_BOUNDS(TF_JOB_THREADS, 4) tf_put_raw(SIMT_ARGUMENT struct tf_job j)
{
    sz_put_raw_box(&j.box, j.out, blockIdx.x * TF_JOB_THREADS + threadIdx.x,
                   gridDim.x * TF_JOB_THREADS);
}

extern "C" void zti_tf_cuda_put_raw(const struct tf_job *j, void *queue)
{
    SIMT_LAUNCH(tf_put_raw, j->blocks, TF_JOB_THREADS, 0, queue, *j);
}

/* Numbers at some places of the array, as doubles. */
SIMT_KERNEL void SIMT_BOUNDS(TF_JOB_THREADS, 4)
    tf_points(SIMT_ARGUMENT struct tf_job j, const int64_t *offset, double *value)
{
    for (uint32_t i = threadIdx.x; i < ZTI_FLAT_POINTS; i += TF_JOB_THREADS) {
        const uint32_t bytes = value_bytes_of(j.box.array.type);
        const void *const at = (const char *)j.box.array.data + offset[i] * (int64_t)bytes;
        value[i] = tf_number_of(j.box.array.type, sz_bits_of(j.box.array.type, at));
    }
}

extern "C" void zti_tf_cuda_points(const struct tf_job *j, const int64_t *offset, double *value,
                                   void *queue)
{
    SIMT_LAUNCH(tf_points, 1, TF_JOB_THREADS, 0, queue, *j, offset, value);
}
