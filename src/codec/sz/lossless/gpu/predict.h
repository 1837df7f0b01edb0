/* predict.h: kernel text: keys of a tile from residuals, in place. A block has a tile.
 *
 * Where all rows are predicted by differences, keys are prefix sums along each axis. Otherwise they
 * are made in a wave through all rows (wave.h); where rows repeat rows, or are lanes, in groups:
 *
 *     a row that repeats one, or is predicted by rows before alone    a thread for each value
 *     rows that take keys of their own too                            a thread for each row, which
 *                                   is 'skew' values behind the thread of the row before it */

#include "codec/sz/lossless/gpu/reach.h"

/* Whether a row's keys depend on others of the row. */
static __device__ bool is_chained(const struct zti_ll_shape *s, const struct zti_ll_transform *t,
                                  const struct reach *reach)
{
    return (reach->has_weights ? reach->own > 0 : reach->has_own) || (t->has_marks && !s->is_lanes);
}

/* The key of value x of a row, in whose place its residual is. */
static __device__ __forceinline__ void make_key(const struct zti_ll_shape *s, uint32_t row,
                                                uint32_t regime, const struct reach *reach,
                                                const struct offsets *o, uint32_t x,
                                                const uint8_t *mark, key *k)
{
    const size_t cell = ll_cell(s, row) + x;
    key *const own = k + cell;
    value p;
    if (mark && mark[cell]) {
        *own = filler(s, k, regime, cell, x == 0);
        return;
    }
    if (reach->has_weights)
        p = predict_by_weights(reach, o, own);
    else if (x == 0)
        p = predict_by_terms(&reach->first, own);
    else
        p = predict_by_terms(&reach->term, own) + (reach->has_own ? (value)own[-1] : 0);
    *own = (key)(p + (value)*own);
}

/* The same, and the margins beside a row's first and last. */
static __device__ __forceinline__ void make_cell(const struct zti_ll_shape *s, uint32_t row,
                                                 uint32_t regime, const struct reach *reach,
                                                 const struct offsets *o, uint32_t x,
                                                 const uint8_t *mark, key *k)
{
    if (x == 0)
        begin_margin(s, row, k);
    make_key(s, row, regime, reach, o, x, mark, k);
    if (x + 1 == ll_width(s, row))
        end_margin(s, row, k);
}

/* ---- groups of rows ---- */

/* Some rows, each by a thread. */
static __device__ void run_rows(const struct zti_ll_shape *s, uint32_t first, uint32_t rows,
                                const struct reach *reach, const uint8_t *mark, key *k)
{
    const uint32_t row = first + threadIdx.x, regime = ll_regime(s, first);
    const bool is_there = threadIdx.x < rows;
    const int32_t skew = reach->skew, behind = (int32_t)threadIdx.x * skew;
    const int32_t columns = (int32_t)s->width + (int32_t)(rows - 1) * skew;
    const int32_t width = is_there ? (int32_t)ll_width(s, row) : 0;
    const struct offsets o = offsets_of(s, is_there ? row : first, reach);
    for (int32_t column = 0; column < columns; column++) {
        const int32_t x = column - behind;
        if (x >= 0 && x < width)
            make_cell(s, row, regime, reach, &o, (uint32_t)x, mark, k);
        __syncthreads();
    }
}

/* A row whose keys do not depend on each other. */
static __device__ void run_values(const struct zti_ll_shape *s, uint32_t row,
                                  const struct reach *reach, const uint8_t *mark, key *k)
{
    const struct offsets o = offsets_of(s, row, reach);
    const uint32_t regime = ll_regime(s, row), width = ll_width(s, row);
    for (uint32_t x = threadIdx.x; x < width; x += LL_THREADS)
        make_cell(s, row, regime, reach, &o, x, mark, k);
    __syncthreads();
}

/* A row that repeats one. */
static __device__ void run_repeat(const struct zti_ll_shape *s, const struct zti_ll_transform *t,
                                  uint32_t row, const uint8_t *mark, key *k)
{
    const key *const from = k + ll_cell(s, (uint32_t)t->source[row]);
    const uint32_t how = t->how[row], width = ll_width(s, row);
    const size_t cell = ll_cell(s, row);
    if (threadIdx.x == 0)
        begin_margin(s, row, k);
    for (uint32_t x = threadIdx.x; x < width; x += LL_THREADS) {
        const value same = (value)from[ll_mirrored(how, t->mirror, width, x)];
        const value turned = t->kind <= ZTI_LL_LINEAR ? ~same : 0 - same;
        k[cell + x] = (key)((how & 2 ? turned : same) + (value)k[cell + x]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (uint32_t x = 0; mark && x < width; x++)
            if (mark[cell + x])
                k[cell + x] = filler(s, k, ll_regime(s, row), cell + x, x == 0);
        end_margin(s, row, k);
    }
    __syncthreads();
}

/* Rows from a row on that are predicted alike, each from the one before too. */
static __device__ uint32_t rows_alike(const struct zti_ll_shape *s,
                                      const struct zti_ll_transform *t, uint32_t row)
{
    const uint32_t left = s->dim[2] - row % s->dim[2];
    const uint32_t most = ll_regime(s, row) & 1 ? simt_at_most(left, LL_THREADS) : 1;
    uint32_t n = 1;
    while (n < most && ll_source(t, row + n) < 0)
        n++;
    return n;
}

static __device__ void run_groups(const struct zti_ll_shape *s, const struct zti_ll_front *front,
                                  const uint8_t *mark, key *k)
{
    SIMT_SHARED(struct reach, reach, );
    const struct zti_ll_transform *const t = &front->t;
    uint32_t made = ZTI_LL_REGIMES; /* the regime that 'reach' is of */
    for (uint32_t row = 0, n; row < s->rows; row += n) {
        n = 1;
        if (ll_source(t, row) >= 0) {
            run_repeat(s, t, row, mark, k);
            continue;
        }
        if (made != ll_regime(s, row)) {
            made = ll_regime(s, row);
            if (threadIdx.x == 0)
                open_reach(s, &front->p, made, &reach);
            __syncthreads();
        }
        if (is_chained(s, t, &reach)) {
            n = rows_alike(s, t, row);
            run_rows(s, row, n, &reach, mark, k);
        } else {
            run_values(s, row, &reach, mark, k);
        }
    }
}

/* ---- differences alone ---- */

/* Whether all rows are predicted by differences, and no value is marked. */
static __device__ bool is_plain(const struct zti_ll_front *front)
{
    bool is_plain = !front->t.has_marks && !front->t.has_rows;
    for (uint32_t i = 0; i < ZTI_LL_REGIMES; i++)
        is_plain = is_plain && !front->p.has_weights[i];
    return is_plain;
}

static __device__ __forceinline__ value warp_sums_of_keys(value own)
{
#if WIDTH == 32
    return warp_sums_32(own);
#else
    return warp_sums(own);
#endif
}

/* Prefix sums along rows: a warp has a row. */
static __device__ void sum_rows(const struct zti_ll_shape *s, key *k)
{
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t row = threadIdx.x / 32; row < s->rows; row += LL_WARPS) {
        key *const own = k + ll_cell(s, row);
        const uint32_t width = ll_width(s, row);
        value before = 0;
        for (uint32_t x = 0; x < width; x += 32) {
            const bool is_there = x + lane < width;
            const value sum = before + warp_sums_of_keys(is_there ? (value)own[x + lane] : 0);
            if (is_there)
                own[x + lane] = (key)sum;
            before = __shfl_sync(SIMT_ALL_LANES, sum, 31);
        }
    }
}

/* Prefix sums along axis 0, 1 or 2 (y, z, t): a thread has values that are side by side along it.
 */
static __device__ void sum_axis(const struct zti_ll_shape *s, uint32_t axis, key *k)
{
    const uint32_t steps = s->dim[2 - axis], back = ll_rows_back(s, axis);
    const uint32_t lines = s->rows / steps * s->width;
    for (uint32_t i = threadIdx.x; i < lines; i += LL_THREADS) {
        const uint32_t line = i / s->width, x = i - line * s->width;
        const uint32_t slow = line / back, first = slow * back * steps + (line - slow * back);
        value sum = 0;
        for (uint32_t step = 0; step < steps; step++) {
            const uint32_t row = first + step * back;
            if (x >= ll_width(s, row)) /* the last row of lanes may be shorter */
                break;
            sum += (value)k[ll_cell(s, row) + x];
            k[ll_cell(s, row) + x] = (key)sum;
        }
    }
}

static __device__ void run_sums(const struct zti_ll_shape *s, uint32_t axes, key *k)
{
    if (axes & 8)
        sum_rows(s, k);
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (!(axes >> axis & 1))
            continue;
        __syncthreads();
        sum_axis(s, axis, k);
    }
}
