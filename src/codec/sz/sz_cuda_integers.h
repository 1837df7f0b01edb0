/* sz_cuda_integers.h: kernel text, coding: the values of a tile to integers in shared memory, and
 * these to residuals by groups. Its parameters are those of sz_kernel.h. */

/* What a block that codes has in shared memory. */
struct coding {
    word a[ROOM];                /* integers; then the bytes */
    word u[ZTI_SZ_TILE_VALUES];  /* residuals by groups */
    uint64_t exact[EXACT_WORDS]; /* which values are kept as they are */
    uint32_t exact_before[EXACT_WORDS];
    uint32_t classes[ZTI_SZ_GROUPS];
    uint32_t class_at[ZTI_SZ_GROUPS]; /* a group's class, planes, list or symbols, and what is */
    uint32_t plane_at[ZTI_SZ_GROUPS]; /* more than these say: how many bits, then where. With */
    uint32_t rest_at[ZTI_SZ_GROUPS];  /* effort 'paper' in the place of classes where parts begin, */
    uint32_t excess_at[ZTI_SZ_GROUPS]; /* and of what is more residuals as they are */
    uint32_t class_bits, plane_bits, rest_bits, excess_bits, exact_bytes, exact_way;
    double inverse; /* of the step */
    struct NAME(limits) limits;
    struct walk walk;
    uint64_t number, place; /* of the tile; where its bits go */
    uint64_t away;          /* its base, folded */
};

/* That of a block whose values are logarithms. */
static __device__ __forceinline__ struct marks *marks_in(struct coding *sh)
{
    return (struct marks *)(void *)(sh + 1);
}

/* ---- values to integers ---- */

/* As many values as are side by side, from number i on. */
static __device__ __forceinline__ void load_values(const struct walk *w, uint32_t i, uint32_t count,
                                                   word *v)
{
    const word *const from = value_in(w, i);
    if (count == AT_ONCE)
        simt_load_16(v, from);
    else
        v[0] = *from;
}

static __device__ __forceinline__ void store_integers(const struct walk *w, word *a, uint32_t i,
                                                      uint32_t count, const word *q)
{
    word *const to = a + place_of(w, i);
    if (count == AT_ONCE)
        simt_store_16(to, q);
    else
        to[0] = q[0];
}

/* The multiples nearest to floats, where all are good at the first trial; false where one is not. */
static __device__ __forceinline__ bool quantize_at_once(double step, struct coding *sh,
                                                        uint32_t count)
{
    const struct walk w = sh->walk;
    const struct NAME(limits) limits = sh->limits;
    const double inverse = sh->inverse;
    word most = 0, error = 0;
    for (uint32_t first = threadIdx.x * count; first < w.n; first += LOADS * PUT_THREADS * count) {
        word v[LOADS][AT_ONCE];
SIMT_UNROLL
        for (uint32_t load = 0; load < LOADS; load++)
            if (first + load * PUT_THREADS * count < w.n)
                load_values(&w, first + load * PUT_THREADS * count, count, v[load]);
SIMT_UNROLL
        for (uint32_t load = 0; load < LOADS; load++) {
            const uint32_t i = first + load * PUT_THREADS * count;
            word q[AT_ONCE];
            if (i >= w.n)
                break;
SIMT_UNROLL
            for (uint32_t j = 0; j < count; j++) {
                word off;
                const scalar x = number_of(v[load][j]);
                const word magnitude = NAME(magnitude)(x);
                q[j] = (word)(int64_t)(int32_t)NAME(at_once)(x, step, inverse, &off);
                most = magnitude > most ? magnitude : most;
                error = off > error ? off : error;
            }
            store_integers(&w, sh->a, i, count, q);
        }
    }
    return !__syncthreads_or(most > limits.reach || error > limits.error);
}

/* The same, whatever they are: what has none within the bound and the limit is exact. Returns
 * whether integers of 64 bits are needed for one. */
static __device__ __forceinline__ bool quantize(const struct sz_tiles *s, struct coding *sh,
                                                double limit, bool may_be_wide)
{
    bool is_wide = false;
    for (uint32_t i = threadIdx.x; i < sh->walk.n; i += PUT_THREADS) {
        const scalar v = number_of(*value_in(&sh->walk, i));
        const double steps = fabs((double)v * (1 / s->sz.step));
        int64_t q = 0;
        if (!NAME(nearest)(&s->sz, v, limit, &q)) {
            is_wide = is_wide || (may_be_wide && steps < 0x1p62 && !(steps < limit));
            simt_or(sh->exact + i / 64, UINT64_C(1) << i % 64);
        }
        sh->a[place_of(&sh->walk, i)] = (word)q;
    }
    return __syncthreads_or(is_wide);
}

static __device__ __forceinline__ void clear_exact(struct coding *sh)
{
    for (uint32_t i = threadIdx.x; i < EXACT_WORDS; i += PUT_THREADS)
        sh->exact[i] = 0;
    __syncthreads();
}

/* What integers_of finds: the tile's form, and whether values may be exact: sh->exact says which. */
struct integers {
    uint32_t form;
    bool may_be_exact;
};

static __device__ __forceinline__ struct integers integers_in(uint32_t form, bool may_be_exact)
{
    const struct integers all = {form, may_be_exact};
    return all;
}

static __device__ __forceinline__ struct integers multiples_of(const struct sz_tiles *s,
                                                               struct coding *sh)
{
    if (sh->walk.is_together ? quantize_at_once(s->sz.step, sh, AT_ONCE)
                             : quantize_at_once(s->sz.step, sh, 1))
        return integers_in(ZTI_SZ_NARROW, false);
    clear_exact(sh);
    if (!quantize(s, sh, 0x1p30, WIDTH == 64))
        return integers_in(ZTI_SZ_NARROW, true);
    clear_exact(sh);
    (void)quantize(s, sh, 0x1p62, false);
    return integers_in(ZTI_SZ_WIDE, true);
}

/* The integers of logarithms: groups of 64 values at once where all are good, else each by itself,
 * and so all where they are to be wide. Returns whether they must be. */
static __device__ __forceinline__ bool take_logs(const struct sz_tiles *s, struct coding *sh,
                                                 bool is_wide)
{
    const double fineness = (double)s->sz.fineness, inverse = 1 / fineness;
    const struct walk *const w = &sh->walk;
    bool is_far = false;
    for (uint32_t first = threadIdx.x / 32 * 64; first < w->n; first += 2 * PUT_THREADS) {
        const bool is_group = !is_wide && first + 64 <= w->n;
        bool is_good = is_group;
        for (uint32_t i = first + threadIdx.x % 32; is_group && i < first + 64; i += 32) {
            uint32_t q;
            is_good = NAME(log_at_once)(number_of(*value_in(w, i)), fineness, inverse,
                                        s->sz.bound, &q) && is_good;
            sh->a[place_of(w, i)] = (word)(int64_t)(int32_t)q;
        }
        if (__all_sync(SIMT_ALL_LANES, is_good))
            continue;
        for (uint32_t i = first + threadIdx.x % 32; i < first + 64 && i < w->n; i += 32) {
            int64_t q = 0;
            if (!NAME(log_or_exact)(&s->sz, number_of(*value_in(w, i)), &q))
                simt_or(sh->exact + i / 64, UINT64_C(1) << i % 64);
            is_far = is_far || q <= -(INT64_C(1) << 30) || q >= INT64_C(1) << 30;
            sh->a[place_of(w, i)] = (word)q;
        }
    }
    return __syncthreads_or(is_far && !is_wide);
}

static __device__ __forceinline__ struct integers logs_of(const struct sz_tiles *s,
                                                          struct coding *sh)
{
    clear_exact(sh);
    if (!take_logs(s, sh, false) || WIDTH == 32)
        return integers_in(ZTI_SZ_NARROW, true);
    clear_exact(sh);
    (void)take_logs(s, sh, true);
    return integers_in(ZTI_SZ_WIDE, true);
}

/* Bits of values in the order of numbers, or multiples of a whole step. Returns whether integers of
 * 64 bits are needed. */
static __device__ __forceinline__ bool take_whole(uint64_t step, struct coding *sh, bool is_bits,
                                                  uint32_t count)
{
    const struct walk w = sh->walk;
    bool is_far = is_bits && WIDTH == 64;
    for (uint32_t i = threadIdx.x * count; i < w.n; i += PUT_THREADS * count) {
        word v[AT_ONCE], q[AT_ONCE];
        load_values(&w, i, count, v);
SIMT_UNROLL
        for (uint32_t j = 0; j < count; j++) {
            const int64_t x = WIDTH == 32 ? (int64_t)(int32_t)v[j] : (int64_t)v[j];
            const int64_t some = is_bits || step == 1 ? x : nearest_multiple(x, (int64_t)step);
            is_far = is_far || (WIDTH == 64 && ((uint64_t)some + (UINT64_C(1) << 30)) >> 31 != 0);
            q[j] = is_bits ? ordered(v[j]) : (word)some;
        }
        store_integers(&w, sh->a, i, count, q);
    }
    return __syncthreads_or(is_far);
}

/* Integers to sh->a. */
static __device__ __forceinline__ struct integers integers_of(const struct sz_tiles *s,
                                                              struct coding *sh, bool is_lossless)
{
    const bool is_bits = is_lossless || s->sz.source == ZTI_SZ_BITS;
    if (IS_LOG && !is_lossless)
        return logs_of(s, sh);
    if (!is_bits && s->sz.source == ZTI_SZ_LATTICE)
        return multiples_of(s, sh);
    const bool is_far = sh->walk.is_together
                            ? take_whole(s->sz.whole_step, sh, is_bits, AT_ONCE)
                            : take_whole(s->sz.whole_step, sh, is_bits, 1);
    return integers_in((is_far ? ZTI_SZ_WIDE : ZTI_SZ_NARROW) | (is_lossless ? ZTI_SZ_LOSSLESS : 0),
                    false);
}

/* Integers for exact values: bridge of sz_sums.h. One thread: tiles with gaps are few. */
static __device__ __forceinline__ void bridge(const struct sz_tiles *s, struct coding *sh,
                                              const uint64_t *gaps)
{
    const struct walk *const w = &sh->walk;
    const uint32_t some = run_end(gaps, 0, w->n, true);
    const word first = some < w->n ? sh->a[place_of(w, some)] : (word)s->sz.centre;
    for (uint32_t i = 0; i < w->n; i++) {
        const uint32_t back = i % w->row != 0 ? 1 : i > 0 ? w->row : 0;
        if (bit_at(gaps, i))
            sh->a[place_of(w, i)] = back > 0 ? sh->a[place_of(w, i - back)] : first;
    }
}

/* ---- integers to residuals ---- */

/* The place of a value's integer, and along which axes there is one before it. */
struct spot {
    uint32_t place, has;
};

static __device__ __forceinline__ struct spot spot_at(const struct walk *w, const uint32_t *at)
{
    struct spot p = {0, 0};
SIMT_UNROLL
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++) {
        p.place += at[k] * w->pace[k];
        p.has |= (uint32_t)((at[k] & w->restart) != 0) << k;
    }
    p.has &= w->differ;
    return p;
}

/* That of value v of a block that is the array's first, and of block g's first value: the sums of
 * the places and the or of the axes are those of value v of block g. */
static __device__ __forceinline__ struct spot spot_within(const struct walk *w, uint32_t v)
{
    uint32_t at[ZT_MAX_RANK];
SIMT_UNROLL
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++) {
        at[k] = v & ((1u << w->side[k]) - 1);
        v >>= w->side[k];
    }
    return spot_at(w, at);
}

static __device__ __forceinline__ struct spot spot_of_block(const struct walk *w, uint32_t g)
{
    uint32_t at[ZT_MAX_RANK];
    split(g, w->blocks, w->block_inverse, at);
SIMT_UNROLL
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++)
        at[k] <<= w->side[k];
    return spot_at(w, at);
}

static __device__ __forceinline__ struct spot spot_of(const struct walk *w, uint32_t i)
{
    uint32_t at[ZT_MAX_RANK];
    split(i, w->extent, w->inverse, at);
    return spot_at(w, at);
}

/* The difference along the first axes of those that have one before: the sum of the corners of a
 * box, each with its sign. */
static __device__ __forceinline__ word difference(const word *a, const uint32_t *pace,
                                                  struct spot p, uint32_t axes)
{
    word sum = 0;
SIMT_UNROLL
    for (uint32_t corner = 0; corner < 1u << axes; corner++) {
        uint32_t back = 0, ones = 0;
SIMT_UNROLL
        for (uint32_t k = 0; k < axes; k++) {
            back += (corner >> k & 1) * pace[k];
            ones += corner >> k & 1;
        }
        const word v = (p.has & corner) == corner ? a[p.place - back] : 0;
        sum = ones % 2 ? sum - v : sum + v;
    }
    return sum;
}

/* Residuals of a warp's groups, from the first to before the last, to sh->u, folded where they are
 * not effort 'paper's. 'axes' is known where this is compiled: differences are along no more. */
struct residuals {
    uint32_t first, last;
    word base; /* what all integers are less by */
    bool is_paper, is_narrow;
};

static __device__ __forceinline__ word residual_at(const struct coding *sh, const uint32_t *pace,
                                                   struct spot p, const struct residuals *r,
                                                   uint32_t axes)
{
    const word d = difference(sh->a, pace, p, axes) - (p.has == 0 ? r->base : 0);
    return r->is_paper ? d : fold(d, r->is_narrow);
}

static __device__ __forceinline__ void residuals_of_blocks(struct coding *sh,
                                                           const struct residuals *r, uint32_t axes)
{
    const struct walk w = sh->walk;
    const uint32_t lane = threadIdx.x % 32;
    const struct spot low = spot_within(&w, lane), high = spot_within(&w, 32 + lane);
    for (uint32_t g = r->first; g < r->last; g++) {
        const struct spot block = spot_of_block(&w, g);
        const struct spot a = {low.place + block.place, low.has | block.has};
        const struct spot b = {high.place + block.place, high.has | block.has};
        sh->u[g * ZTI_SZ_GROUP + lane] = residual_at(sh, w.pace, a, r, axes);
        sh->u[g * ZTI_SZ_GROUP + 32 + lane] = residual_at(sh, w.pace, b, r, axes);
    }
}

static __device__ __forceinline__ void residuals_of_runs(struct coding *sh,
                                                         const struct residuals *r, uint32_t axes)
{
    const struct walk w = sh->walk;
    for (uint32_t i = r->first * ZTI_SZ_GROUP + threadIdx.x % 32; i < r->last * ZTI_SZ_GROUP; i += 32)
        sh->u[i] = i < w.n ? residual_at(sh, w.pace, spot_of(&w, i), r, axes) : 0;
}

static __device__ __forceinline__ void find_residuals(struct coding *sh, const struct residuals *r)
{
    const uint32_t differ = sh->walk.differ;
    const bool is_blocked = sh->walk.is_blocked && !r->is_paper;
    if (is_blocked && differ < 4)
        residuals_of_blocks(sh, r, 2);
    else if (is_blocked && differ < 8)
        residuals_of_blocks(sh, r, 3);
    else if (is_blocked)
        residuals_of_blocks(sh, r, 4);
    else if (differ < 2)
        residuals_of_runs(sh, r, 1);
    else if (differ < 4)
        residuals_of_runs(sh, r, 2);
    else if (differ < 8)
        residuals_of_runs(sh, r, 3);
    else
        residuals_of_runs(sh, r, 4);
}
