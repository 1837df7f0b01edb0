/* codes.cu: kernels of the lossless coder that encode a tile, and know no values: counts of
 * symbols, symbols to codes of ANS, and a tile's parts to their place. */
#include "codec/sz/lossless/gpu/job.h"

#include "entropy/ans/gpu/next_state.h"

/* ---- counts ---- */

/* Count symbols by the group of their context, those of the first groups in shared memory. */
SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4) ll_count(SIMT_ARGUMENT struct ll_job j)
{
    enum { ALL = (int)LL_NEAR_GROUPS * ZTI_LL_ALPHABET };
    SIMT_SHARED(unsigned, near, [ALL]);
    const uint32_t counted = simt_at_most(j.groups, LL_NEAR_GROUPS) * ZTI_LL_ALPHABET;
    for (uint32_t i = threadIdx.x; i < counted; i += LL_JOB_THREADS)
        near[i] = 0;
    __syncthreads();
    for (uint32_t i = ll_own_number(); i < j.shape.values; i += ll_all_threads()) {
        const uint32_t group = j.group_of[j.contexts[i]], symbol = j.symbols[i];
        (void)atomicAdd(group < LL_NEAR_GROUPS ? &near[group * ZTI_LL_ALPHABET + symbol]
                                               : &j.counts[group][symbol],
                        1u);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < counted; i += LL_JOB_THREADS)
        if (near[i] > 0)
            (void)atomicAdd(&j.counts[0][i], near[i]);
}

extern "C" void zti_ll_cuda_count(const struct ll_job *j, void *queue)
{
    enum { EACH = 32 }; /* values of a thread: counts are cleared and added for each block */
    SIMT_LAUNCH(ll_count, ll_grid(j->shape.values / EACH + 1), LL_JOB_THREADS, 0, queue, *j);
}

/* ---- codes ---- */

SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4) ll_number(SIMT_ARGUMENT struct ll_job j)
{
    for (uint32_t i = ll_own_number(); i < j.shape.values; i += ll_all_threads())
        j.numbers[i] =
            (uint16_t)(j.model_of[j.contexts[i]] * (uint32_t)ZTI_ANS_MIXED_ALPHABET + j.symbols[i]);
}

extern "C" void zti_ll_cuda_number(const struct ll_job *j, void *queue)
{
    SIMT_LAUNCH(ll_number, ll_grid(j->shape.values), LL_JOB_THREADS, 0, queue, *j);
}

/* Append each lane's n <= 12 bits before those that are there, which are *bits: those of the last
 * lane first. */
static __device__ __forceinline__ void put_before(unsigned *end, uint32_t v, uint32_t n,
                                                  uint32_t *bits)
{
    const uint32_t up_to = warp_sums_32(n), all = __shfl_sync(SIMT_ALL_LANES, up_to, 31);
    const uint32_t behind = *bits + all - up_to + n; /* from the field's first bit to the end */
    if (n > 0) {
        const uint32_t word = (behind + 31) / 32, skip = 32 * word - behind;
        const uint64_t both = (uint64_t)v << skip;
        (void)atomicOr(end - word, (unsigned)both);
        if (both >> 32 > 0)
            (void)atomicOr(end - word + 1, (unsigned)(both >> 32));
    }
    *bits += all;
}

/* The codes of zti_ans_mixed_encode: a warp has a stream, a lane a state. */
SIMT_KERNEL void SIMT_BOUNDS(32, 16) ll_code_tiles(struct ll_stream *stream)
{
    struct ll_stream *const s = &stream[blockIdx.x];
    const uint32_t lane = threadIdx.x, states = s->states;
    const bool has_state = lane < states;
    uint32_t state = ZTI_ANS_STATES, bits = 0;
    for (uint32_t k = (s->symbols + states - 1) / states; k-- > 0;) {
        const uint32_t i = k * states + lane;
        uint32_t n = 0, low = 0;
        if (has_state && i < s->symbols) {
            const uint32_t next = ans_next_state(s->table, s->numbers[i], state, &n);
            low = state & ((1u << n) - 1);
            state = next;
        }
        put_before(s->end, low, n, &bits);
    }
    put_before(s->end, state - ZTI_ANS_STATES, has_state ? ZTI_ANS_STATE_BITS : 0, &bits);
    put_before(s->end, 1, lane == 0 ? 1 : 0, &bits);
    if (lane == 0)
        s->code_bytes = (bits + 7) / 8;
}

extern "C" void zti_ll_cuda_code(struct ll_stream *stream, uint32_t streams, void *queue)
{
    SIMT_LAUNCH(ll_code_tiles, streams, 32, 0, queue, stream);
}

/* ---- bytes ---- */

SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4) ll_join(SIMT_ARGUMENT struct ll_joining parts)
{
    uint8_t *to = parts.to;
    SIMT_UNROLL
    for (uint32_t k = 0; k < LL_PARTS; to += parts.bytes[k++])
        copy_bytes(to, parts.from[k], parts.bytes[k], ll_own_number(), ll_all_threads());
}

extern "C" void zti_ll_cuda_join(const struct ll_joining *parts, void *queue)
{
    enum { EACH = 16 }; /* bytes of a thread */
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < LL_PARTS; k++)
        bytes += parts->bytes[k];
    SIMT_LAUNCH(ll_join, ll_grid(bytes / EACH + 1), LL_JOB_THREADS, 0, queue, *parts);
}

SIMT_KERNEL void SIMT_BOUNDS(LL_JOB_THREADS, 4)
    ll_put_raw(SIMT_ARGUMENT struct sz_box box, uint8_t *to)
{
    sz_put_raw_box(&box, to, ll_own_number(), ll_all_threads());
}

extern "C" void zti_ll_cuda_put_raw(const struct sz_box *box, uint8_t *to, void *queue)
{
    SIMT_LAUNCH(ll_put_raw, ll_grid(box->n), LL_JOB_THREADS, 0, queue, *box, to);
}
