/* encode.h: kernel text of the transform coder, for values of one type: values of a box to
 * coefficients, level by level, and these to multiples of the step and symbols; multiples to values
 * again, and what these need to be within the bound. The includer defines IS_NARROW and NAME. */
#include "codec/sz/transform/gpu/job.h"
#include "codec/sz/transform/gpu/pack.h"
#include "codec/sz/transform/gpu/tiles.h"

#include <math.h>

#include "codec/sz/transform/numbers.h"

#include "codec/sz/transform/gpu/lift.h"
#include "codec/sz/transform/gpu/rows.h"

#include "codec/sz/transform/gpu/list.h"

/* A thread's number among those that share values, and how many these are. */
static __device__ __forceinline__ uint32_t own_number(void)
{
    return blockIdx.x * TF_JOB_THREADS + threadIdx.x;
}

static __device__ __forceinline__ uint32_t all_threads(const struct tf_job *j)
{
    return j->blocks * TF_JOB_THREADS;
}

/* ---- values ---- */

SIMT_KERNEL void SIMT_BOUNDS(TF_JOB_THREADS, 4) NAME(tf_gather)(SIMT_ARGUMENT struct tf_job j)
{
    bool is_bad = false;
    for (uint32_t i = own_number(); i < j.box.n; i += all_threads(&j)) {
        const number v = (number)tf_number_of(j.box.array.type, sz_box_bits(&j.box, i));
        ((number *)j.values)[i] = v;
        is_bad = is_bad || !(v * 0 == 0);
    }
    if (is_bad)
        (void)atomicOr(&j.sums->is_bad, 1u);
}

SIMT_KERNEL void SIMT_BOUNDS(TF_JOB_THREADS, 4) NAME(tf_lift)(SIMT_ARGUMENT struct tf_job j)
{
    const struct lifting g = lifting_of(j.layout, j.level);
    lift_pairs(&g, j.values, j.others, own_number(), all_threads(&j));
}

SIMT_KERNEL void SIMT_BOUNDS(TF_JOB_THREADS, 4)
    NAME(tf_copy_level)(SIMT_ARGUMENT struct tf_job j, const void *from, void *to)
{
    const struct lifting g = lifting_of(j.layout, j.level);
    copy_pairs(&g, from, to, own_number(), all_threads(&j));
}

/* ---- coefficients ---- */

/* The place of coefficient i of a band. */
static __device__ __forceinline__ size_t place_in_band(const struct zti_tf_layout *layout,
                                                       const struct zti_tf_band *band, uint32_t i)
{
    size_t at = 0;
    for (uint32_t a = ZTI_TF_AXES; a-- > 0; i /= band->extent[a])
        at += (band->origin[a] + i % band->extent[a]) * layout->stride[a];
    return at;
}

/* What a thread has of a band's part of struct zti_tf_tally. */
struct band_tally {
    int32_t off[ZTI_TF_CENTROIDS];
    uint32_t times[ZTI_TF_CENTROIDS];
};

static __device__ __forceinline__ void tally_magnitude(struct band_tally *t, number m, number off)
{
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZTI_TF_CENTROIDS; k++) {
        const bool is_own = k + 1 < ZTI_TF_CENTROIDS
                                ? m == (number)(k + 1)
                                : m >= (int)ZTI_TF_CENTROIDS && m < (int)ZTI_TF_COUNTED;
        t->off[k] += is_own ? (int32_t)off : 0;
        t->times[k] += is_own;
    }
}

/* Add what a warp has of a band. */
static __device__ __forceinline__ void add_tally(struct tf_sums *sums, uint32_t octave,
                                                 const struct band_tally *t)
{
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZTI_TF_CENTROIDS; k++) {
        const uint32_t times = simt_reduce_add(t->times[k]);
        const int32_t off = (int32_t)simt_reduce_add((uint32_t)t->off[k]);
        if (times == 0 || threadIdx.x % 32 > 0)
            continue;
        (void)atomicAdd(&sums->times[octave][k], times);
        (void)atomicAdd(&sums->off[octave][k], (unsigned long long)(int64_t)off);
    }
}

/* A coefficient to the multiple, its symbol and its weight. */
static __device__ __forceinline__ void quantize_one(const struct tf_job *j, size_t at, number scale,
                                                    struct band_tally *t, bool *is_over)
{
    uint16_t *const weights = (uint16_t *)j->others;
    number *const value = (number *)j->values + at;
    const number v = magnitude_of(*value) * scale, m = multiple_of(v);
    tally_magnitude(t, m, off_of(v, m));
    *value = choose(*value < 0, -m, m);
    if (!(m < (number)ZTI_TF_MOST_MAGNITUDE)) {
        *is_over = true;
        return;
    }
    weights[at] = weight_of(m, part_of_shift(j->shift));
    ((uint8_t *)(weights + j->box.n))[at] = (uint8_t)symbol_of(m);
}

SIMT_KERNEL void SIMT_BOUNDS(TF_JOB_THREADS, 4) NAME(tf_quantize)(SIMT_ARGUMENT struct tf_job j)
{
    bool is_over = false;
    for (uint32_t b = 0; b < j.layout->bands; b++) {
        const struct zti_tf_band *const band = &j.layout->band[b];
        const uint32_t n = (uint32_t)tf_block_values(band->extent);
        const number scale = (number)(band->gain / j.step);
        struct band_tally t = {{0, 0, 0}, {0, 0, 0}};
        for (uint32_t i = own_number(); i < n; i += all_threads(&j))
            quantize_one(&j, place_in_band(j.layout, band, i), scale, &t, &is_over);
        if (own_number() / 32 * 32 < n) /* the warp has some of them */
            add_tally(j.sums, band->octave, &t);
    }
    if (is_over)
        (void)atomicOr(&j.sums->is_over, 1u);
}

/* ---- and back ---- */

SIMT_KERNEL void SIMT_BOUNDS(TF_JOB_THREADS, 4) NAME(tf_restore)(SIMT_ARGUMENT struct tf_job j)
{
    for (uint32_t b = 0; b < j.layout->bands; b++) {
        const struct zti_tf_band *const band = &j.layout->band[b];
        const uint32_t n = (uint32_t)tf_block_values(band->extent);
        const struct scale scale = scale_of(j.front, band, j.step);
        for (uint32_t i = own_number(); i < n; i += all_threads(&j)) {
            const size_t at = place_in_band(j.layout, band, i);
            const number multiple = ((const number *)j.values)[at];
            const number v = value_of(&scale, magnitude_of(multiple));
            ((number *)j.others)[at] = multiple < 0 ? -v : v;
        }
    }
}

SIMT_KERNEL void SIMT_BOUNDS(TF_JOB_THREADS, 4) NAME(tf_unlift_job)(SIMT_ARGUMENT struct tf_job j)
{
    const struct lifting g = lifting_of(j.layout, j.level);
    unlift_pairs(&g, j.others, j.spare, own_number(), all_threads(&j));
}

/* ---- corrections: a block has a chunk ---- */

/* What value i of the box needs; false: nothing. *is_over: exactly, and that is not near enough. */
static __device__ __forceinline__ bool find_one(const struct tf_job *j, uint32_t i,
                                                zti_tf_correction *own, bool *is_over)
{
    const uint32_t type = j->box.array.type;
    const uint64_t original = sz_box_bits(&j->box, i);
    const double v = (double)((const number *)j->others)[i], x = tf_number_of(type, original);
    const double sure = tf_sure_bound(j->sz.bound);
    int32_t steps;
    if (type == ZT_F32 ? tf_is_sure_single((float)x, (float)v, tf_sure_single(sure))
                       : tf_is_sure_double(x, v, sure))
        return false;
    const bool is_good = tf_find_correction(&j->sz, type, IS_NARROW, original, v, &steps);
    *is_over = *is_over || (!is_good && !tf_is_near_enough(type, IS_NARROW, original, j->sz.bound));
    *own = tf_correction_of(i, is_good ? steps : 0);
    return !is_good || steps != 0;
}

SIMT_KERNEL void SIMT_BOUNDS(TF_JOB_THREADS, 4) NAME(tf_find)(SIMT_ARGUMENT struct tf_job j)
{
    enum { WARPS = TF_JOB_THREADS / 32 };
    SIMT_SHARED(uint32_t, found, [2][WARPS]); /* in turns, so that a round has one barrier */
    const uint32_t first = blockIdx.x * j.chunk_values, left = j.box.n - first;
    const uint32_t values = left < j.chunk_values ? left : j.chunk_values;
    const uint32_t most = values / ZTI_TF_CHUNK_CORRECTED_PART, warp = threadIdx.x / 32;
    zti_tf_correction *const list = j.corrections + first / ZTI_TF_CHUNK_CORRECTED_PART;
    uint32_t count = 0, turn = 0;
    bool is_over = false;
    for (uint32_t i = threadIdx.x; i < values + threadIdx.x; i += TF_JOB_THREADS, turn ^= 1) {
        zti_tf_correction own = 0;
        const bool has = i < values && find_one(&j, first + i, &own, &is_over);
        const uint32_t lanes = __ballot_sync(SIMT_ALL_LANES, has);
        uint32_t to = count + (uint32_t)__popc(lanes & ((1u << threadIdx.x % 32) - 1));
        if (threadIdx.x % 32 == 0)
            found[turn][warp] = (uint32_t)__popc(lanes);
        __syncthreads();
        for (uint32_t k = 0; k < WARPS; k++) {
            to += k < warp ? found[turn][k] : 0;
            count += found[turn][k];
        }
        if (has && to < most)
            list[to] = own;
    }
    if (is_over || (threadIdx.x == 0 && count > most))
        (void)atomicOr(&j.sums->is_over, 1u);
    if (threadIdx.x == 0)
        j.chunk[blockIdx.x].found = count < most ? count : most;
}

/* ---- launches ---- */

extern "C" void NAME(zti_tf_cuda_quantize)(struct tf_job *j, uint32_t levels, void *queue)
{
    SIMT_LAUNCH(NAME(tf_gather), j->blocks, TF_JOB_THREADS, 0, queue, *j);
    for (j->level = 0; j->level < levels; j->level++) {
        SIMT_LAUNCH(NAME(tf_lift), j->blocks, TF_JOB_THREADS, 0, queue, *j);
        SIMT_LAUNCH(NAME(tf_copy_level), j->blocks, TF_JOB_THREADS, 0, queue, *j, j->others,
                    j->values);
    }
    SIMT_LAUNCH(NAME(tf_quantize), j->blocks, TF_JOB_THREADS, 0, queue, *j);
    SIMT_LAUNCH(NAME(tf_list_parts), j->parts, 32, 0, queue, *j);
}

extern "C" void NAME(zti_tf_cuda_find)(struct tf_job *j, uint32_t levels, void *queue)
{
    SIMT_LAUNCH(NAME(tf_restore), j->blocks, TF_JOB_THREADS, 0, queue, *j);
    for (j->level = levels; j->level-- > 0;) {
        SIMT_LAUNCH(NAME(tf_unlift_job), j->blocks, TF_JOB_THREADS, 0, queue, *j);
        SIMT_LAUNCH(NAME(tf_copy_level), j->blocks, TF_JOB_THREADS, 0, queue, *j, j->spare,
                    j->others);
    }
    SIMT_LAUNCH(NAME(tf_find), j->chunks, TF_JOB_THREADS, 0, queue, *j);
}

extern "C" void NAME(zti_tf_cuda_join)(const struct tf_job *j, void *queue)
{
    SIMT_LAUNCH(NAME(tf_join_parts), j->parts, 32, 0, queue, *j);
}
