/* integers.h: kernel text: quantize the values of a tile to integers in shared memory, and convert
 * these to residuals in the order of groups. Its parameters are those of lorenzo/gpu/kernel.h. */

enum {
    KEPT_BYTES = 7168, /* of a tile that waits for its place while the next one is encoded */
    NONE = (int)ZTI_SZ_GROUP + (int)AT_ONCE /* a row of a group, and values before it */
};

/* The shared memory of a block that encodes. */
struct encode_state {
    word none[NONE];            /* zeros, for a missing row of integers and one value before */
    word a[ROOM];               /* integers; then the bytes */
    word u[ZTI_SZ_TILE_VALUES]; /* values; then residuals by groups */
    uint32_t kept[KEPT_BYTES / 4 + 4]; /* the tile before, until its place is known */
    uint64_t exact[EXACT_WORDS];       /* which values are exact */
    uint32_t exact_before[EXACT_WORDS];
    uint32_t has_exact;
    uint32_t classes[ZTI_SZ_GROUPS];
    /* a group's class, planes, list or symbols, and what is more than these say: how many bits,
     * then where. With the cuSZ coder in the place of classes where parts begin, and of what is
     * more residuals as they are */
    uint32_t class_at[ZTI_SZ_GROUPS], plane_at[ZTI_SZ_GROUPS];
    uint32_t rest_at[ZTI_SZ_GROUPS], excess_at[ZTI_SZ_GROUPS];
    uint32_t first_bytes; /* bytes of the tile at the first attempt */
    uint32_t class_bits, plane_bits, rest_bits, excess_bits, exact_bytes, exact_way;
    uint32_t blocks[ZTI_SZ_GROUPS]; /* place of each; upper half: axes with a predecessor */
    double inverse;                 /* of the step */
    struct NAME(limits) limits;
    struct walk walk;
    uint32_t next_groups[32]; /* next groups to write; only the first number counts */
    uint64_t number, place;   /* number of the tile; place of its bits */
    uint64_t away;            /* its base, folded */
    uint64_t kept_number;     /* number of the kept tile, if it has bytes */
    uint32_t kept_bytes;
    bool is_whole;                     /* the tile is not cut */
    bool is_next_whole, is_next_alike; /* of the next tile; alike: only its place differs */
    uint64_t next_number;
    const word *next_first; /* its first value */
};

/* The marks of a block for logarithms. */
static __device__ __forceinline__ struct marks *marks_in(struct encode_state *sh)
{
    return (struct marks *)(void *)(sh + 1);
}

/* ---- exact values ---- */

static __device__ __forceinline__ void note_exact(struct encode_state *sh, uint32_t i)
{
    simt_or(sh->exact + i / 64, UINT64_C(1) << i % 64);
    (void)atomicOr((unsigned *)&sh->has_exact, 1u);
}

/* Clear the exact values; valid after the next barrier. */
static __device__ __forceinline__ void begin_exact(struct encode_state *sh)
{
    if (threadIdx.x < EXACT_WORDS)
        sh->exact[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        sh->has_exact = 0;
}

/* ---- values to integers ---- */

/* Load a tile's values, the first of them at 'first', to sh->u. */
static __device__ __forceinline__ void copy_values(struct encode_state *sh, const word *first)
{
    const struct walk *const w = &sh->walk;
    const uint32_t n = w->n;
    if (!w->is_together) {
        SIMT_NO_UNROLL
        for (uint32_t i = threadIdx.x; i < n; i += ENCODE_THREADS)
            simt_bring(sh->u + i, first + offset_of(w, i), sizeof(word));
        return;
    }
    const word *from = first + offset_of(w, threadIdx.x * AT_ONCE);
    SIMT_NO_UNROLL
    for (uint32_t i = threadIdx.x * AT_ONCE; i < n; i += ENCODE_THREADS * AT_ONCE) {
        simt_bring(sh->u + i, from, 16);
        from = w->is_steady ? from + w->leap : first + offset_of(w, i + ENCODE_THREADS * AT_ONCE);
    }
}

/* Load the tile's values and clear the exact ones; valid when it returns. */
static __device__ __forceinline__ void begin_values(struct encode_state *sh)
{
    copy_values(sh, sh->walk.first);
    begin_exact(sh);
    simt_wait_brought();
    __syncthreads();
}

/* Load one or AT_ONCE contiguous values. */
static __device__ __forceinline__ void load_values(const struct encode_state *sh, uint32_t i,
                                                   uint32_t count, word *v)
{
    if (count == AT_ONCE)
        simt_load_16(v, sh->u + i);
    else
        v[0] = sh->u[i];
}

static __device__ __forceinline__ void
store_integers(struct encode_state *sh, uint32_t i, uint32_t count, const word *q, uint32_t *place)
{
    const struct walk *const w = &sh->walk;
    if (count == AT_ONCE)
        simt_store_16(sh->a + *place, q);
    else
        sh->a[*place] = q[0];
    *place = count == AT_ONCE && w->is_steady ? *place + w->leap_place
                                              : place_of(w, i + ENCODE_THREADS * count);
}

/* Quantize a float to the nearest multiple; a value without one within bound and limit is exact.
 * Returns whether it needs 64 bits. */
static __device__ __forceinline__ bool quantize(const struct sz_tiles *s, struct encode_state *sh,
                                                uint32_t i, double limit)
{
    const scalar v = number_of(sh->u[i]);
    int64_t q = 0;
    const bool is_good = NAME(nearest)(&s->sz, v, limit, &q);
    if (!is_good)
        note_exact(sh, i);
    sh->a[place_of(&sh->walk, i)] = (word)q;
    return !is_good && NAME(is_for_wide)(&s->sz, v);
}

static __device__ __forceinline__ scalar size_of(scalar x)
{
#if WIDTH == 32
    return fabsf(x); /* the comparison does it; a mask would be an instruction */
#else
    return fabs(x);
#endif
}

/* Quantize contiguous values at the first trial, with 1 / step; returns whether none fails. */
static __device__ __forceinline__ bool quantize_at_once(scalar reach, scalar error, double step,
                                                        double inverse, uint32_t count,
                                                        const word *v, word *q)
{
    bool is_good = true;
    SIMT_UNROLL
    for (uint32_t j = 0; j < count; j++) {
        const scalar x = number_of(v[j]);
        const double sum = ZTI_SZ_NEAREST_SUM((double)x, inverse);
        const scalar y = (scalar)ZTI_SZ_OF_SUM(sum, step);
        q[j] = (word)(int64_t)(int32_t)(uint32_t)zti_bits_of_double(sum);
        const bool is_in_reach = size_of(x) <= reach, is_near = size_of(x - y) <= error;
        is_good &= is_in_reach & is_near; /* no branch */
    }
    return is_good;
}

/* Quantize a tile: all values at the first trial, then one by one those beside which one failed;
 * where none did, the result is the same. */
static __device__ __forceinline__ bool quantize_all(const struct sz_tiles *s,
                                                    struct encode_state *sh, uint32_t count)
{
    const struct walk *const w = &sh->walk;
    const uint32_t n = w->n, leap = count == AT_ONCE && w->is_steady ? w->leap_place : 0;
    const scalar reach = number_of(sh->limits.reach), error = number_of(sh->limits.error);
    const double step = s->sz.step, inverse = sh->inverse;
    uint32_t place = place_of(w, threadIdx.x * count);
    bool is_wide = false;
    SIMT_NO_UNROLL
    for (uint32_t i = threadIdx.x * count; i < n; i += ENCODE_THREADS * count) {
        word v[AT_ONCE], q[AT_ONCE];
        load_values(sh, i, count, v);
        const bool is_good = quantize_at_once(reach, error, step, inverse, count, v, q);
        if (count == AT_ONCE)
            simt_store_16(sh->a + place, q);
        else
            sh->a[place] = q[0];
        place = leap > 0 ? place + leap : place_of(w, i + ENCODE_THREADS * count);
        SIMT_NO_UNROLL
        for (uint32_t j = 0; !is_good && j < count; j++)
            is_wide = quantize(s, sh, i + j, ZTI_SZ_NARROW_LIMIT) || is_wide;
    }
    return __syncthreads_or(is_wide);
}

static __device__ __forceinline__ uint32_t multiples_of(const struct sz_tiles *s,
                                                        struct encode_state *sh)
{
    if (sh->walk.is_even ? !quantize_all(s, sh, AT_ONCE) : !quantize_all(s, sh, 1))
        return ZTI_SZ_NARROW;
    begin_values(sh);
    for (uint32_t i = threadIdx.x; i < sh->walk.n; i += ENCODE_THREADS)
        (void)quantize(s, sh, i, ZTI_SZ_WIDE_LIMIT);
    __syncthreads();
    return ZTI_SZ_WIDE;
}

#if IS_LOG || IS_KEYS

/* The narrow integer of one of 64 values, which counts if all of them have one; else false. */
static __device__ __forceinline__ bool integer_at_once(const struct sz_tiles *s, word v,
                                                       uint32_t *q)
{
#if IS_KEYS
    return NAME(key_at_once)(&s->sz, number_of(v), q);
#else
    const double fineness = (double)s->sz.fineness;
    return NAME(log_at_once)(number_of(v), fineness, 1 / fineness, s->sz.bound, q);
#endif
}

/* The integer of a value; false, and 0, if it has none. */
static __device__ __forceinline__ bool integer_of(const struct sz_tiles *s, word v, int64_t *q)
{
#if IS_KEYS
    return NAME(key_of)(&s->sz, s->ten, number_of(v), q);
#else
    return NAME(log_or_exact)(&s->sz, number_of(v), q);
#endif
}

/* Quantize to logarithms or keys: groups of 64 values at once if none fails, else each by itself;
 * all by themselves if they are wide. Returns whether they must be wide. */
static __device__ __forceinline__ bool quantize_groups(const struct sz_tiles *s,
                                                       struct encode_state *sh, bool is_wide)
{
    const struct walk *const w = &sh->walk;
    bool is_far = false;
    for (uint32_t first = threadIdx.x / 32 * 64; first < w->n; first += 2 * ENCODE_THREADS) {
        const bool is_group = !is_wide && first + 64 <= w->n;
        bool is_good = is_group;
        for (uint32_t i = first + threadIdx.x % 32; is_group && i < first + 64; i += 32) {
            uint32_t q;
            is_good = integer_at_once(s, sh->u[i], &q) && is_good;
            sh->a[place_of(w, i)] = (word)(int64_t)(int32_t)q;
        }
        if (__all_sync(SIMT_ALL_LANES, is_good))
            continue;
        for (uint32_t i = first + threadIdx.x % 32; i < first + 64 && i < w->n; i += 32) {
            int64_t q = 0;
            if (!integer_of(s, sh->u[i], &q))
                note_exact(sh, i);
            is_far = is_far || !is_narrow_log(q);
            sh->a[place_of(w, i)] = (word)q;
        }
    }
    return __syncthreads_or(is_far && !is_wide);
}

static __device__ __forceinline__ uint32_t integers_by_groups(const struct sz_tiles *s,
                                                              struct encode_state *sh)
{
    if (!quantize_groups(s, sh, false) || WIDTH == 32)
        return ZTI_SZ_NARROW;
    begin_values(sh);
    (void)quantize_groups(s, sh, true);
    return ZTI_SZ_WIDE;
}

#endif

/* Convert contiguous values, or those of a tile, to ordered bits or to multiples of a whole step.
 * Returns whether integers need 64 bits. */
static __device__ __forceinline__ bool whole_at_once(uint64_t step, bool is_bits, uint32_t count,
                                                     const word *v, word *q)
{
    bool is_far = false;
    SIMT_UNROLL
    for (uint32_t j = 0; j < count; j++) {
        const int64_t x = WIDTH == 32 ? (int64_t)(int32_t)v[j] : (int64_t)v[j];
        const int64_t some = is_bits || step == 1 ? x : nearest_multiple(x, (int64_t)step);
        is_far = is_far || (WIDTH == 64 && !is_narrow_integer(some));
        q[j] = is_bits ? ZTI_SZ_ORDERED(v[j], WIDTH) : (word)some;
    }
    return is_far;
}

static __device__ __forceinline__ bool quantize_whole(uint64_t step, struct encode_state *sh,
                                                      bool is_bits, uint32_t count)
{
    const uint32_t n = sh->walk.n;
    uint32_t place = place_of(&sh->walk, threadIdx.x * count);
    bool is_far = is_bits && WIDTH == 64;
    SIMT_NO_UNROLL
    for (uint32_t i = threadIdx.x * count; i < n; i += ENCODE_THREADS * count) {
        word v[AT_ONCE], q[AT_ONCE];
        load_values(sh, i, count, v);
        is_far = whole_at_once(step, is_bits, count, v, q) || is_far;
        store_integers(sh, i, count, q, &place);
    }
    return __syncthreads_or(is_far);
}

/* Quantize values to integers in sh->a; returns the form. No value is marked as exact before. */
static __device__ __forceinline__ uint32_t integers_of(const struct sz_tiles *s,
                                                       struct encode_state *sh, bool is_lossless)
{
    const bool is_bits = is_lossless || s->sz.source == ZTI_SZ_BITS;
#if IS_LOG || IS_KEYS
    if (!is_lossless)
        return integers_by_groups(s, sh);
#endif
    if (!is_bits && s->sz.source == ZTI_SZ_LATTICE)
        return multiples_of(s, sh);
    const bool is_far = sh->walk.is_even ? quantize_whole(s->sz.whole_step, sh, is_bits, AT_ONCE)
                                         : quantize_whole(s->sz.whole_step, sh, is_bits, 1);
    return (is_far ? ZTI_SZ_WIDE : ZTI_SZ_NARROW) | (is_lossless ? ZTI_SZ_LOSSLESS : 0);
}

/* ---- integers for exact values: bridge of lorenzo/sums.h ---- */

/* Values whose gap bits a thread checks; mostly none is set. */
enum { GAP_BITS = 16, GAP_PIECES = 64 * EXACT_WORDS / GAP_BITS };

static __device__ __forceinline__ uint32_t gaps_of(const uint64_t *bits, uint32_t piece)
{
    return (uint32_t)(bits[piece * GAP_BITS / 64] >> piece * GAP_BITS % 64) & 0xffff;
}

/* Set the first values of rows from the row before. One warp calls it. */
static __device__ __forceinline__ void
fill_row_starts(const struct sz_tiles *s, struct encode_state *sh, const uint64_t *gaps)
{
    const struct walk *const w = &sh->walk;
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t first = 0; first < w->n; first += 32 * w->row) {
        const uint32_t i = first + lane * w->row;
        const bool is_gap = i < w->n && bit_at(gaps, i);
        const unsigned good = __ballot_sync(SIMT_ALL_LANES, i < w->n && !is_gap);
        const uint32_t below = good & ((2u << lane) - 1); /* including this one */
        if (!__any_sync(SIMT_ALL_LANES, is_gap))
            continue;
        const uint32_t some = first > 0 ? first - w->row : run_end(gaps, 0, w->n, true);
        const word before = some < w->n ? sh->a[place_of(w, some)] : (word)s->sz.centre;
        const word own = i < w->n ? sh->a[place_of(w, i)] : 0;
        const word near = __shfl_sync(SIMT_ALL_LANES, own, (31 - __clz((int)below)) & 31);
        if (is_gap)
            sh->a[place_of(w, i)] = below != 0 ? near : before;
        simt_order_warp(); /* the next rows read the last one, which a lane has written */
    }
}

/* Set the others from the nearest value before in the row, whose first value has an integer now. A
 * thread has some bits of a word. */
static __device__ __forceinline__ void fill_rows(struct encode_state *sh, const uint64_t *gaps)
{
    const struct walk *const w = &sh->walk;
    for (uint32_t piece = threadIdx.x; piece < GAP_PIECES; piece += ENCODE_THREADS) {
        uint32_t left = gaps_of(gaps, piece);
        for (; left != 0; left &= left - 1) {
            const uint32_t i = piece * GAP_BITS + (uint32_t)__ffs((int)left) - 1;
            const uint32_t begin = i - i % w->row;
            uint32_t k = i / 64;
            uint64_t good = ~gaps[k] & ((UINT64_C(1) << i % 64) - 1);
            if (i == begin)
                continue;
            for (; good == 0 && 64 * k > begin; good = ~gaps[k])
                k--;
            const uint32_t near = good != 0 ? 64 * k + 63 - (uint32_t)__clzll((long long)good) : 0;
            sh->a[place_of(w, i)] = sh->a[place_of(w, near > begin ? near : begin)];
        }
    }
}

/* ---- integers to residuals ---- */

/* The place of a value's integer, and the axes along which it has a predecessor. */
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

/* The spot of value v within the first block, and that of block g's first value. For value v of
 * block g, the places are added and the axes or'ed. */
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
    find_coordinates(g, w->blocks, w->block_inverse, at);
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++)
        at[k] <<= w->side[k];
    return spot_at(w, at);
}

/* Set the spots of all blocks; valid after the next barrier. */
static __device__ __forceinline__ void find_blocks(struct encode_state *sh)
{
    if (!sh->walk.is_blocked || threadIdx.x >= ZTI_SZ_GROUPS)
        return;
    const struct spot block = spot_of_block(&sh->walk, threadIdx.x);
    sh->blocks[threadIdx.x] = block.place | block.has << 16;
}

/* The spot of value i of a tile that is not in blocks; only the given number of axes matters. */
static __device__ __forceinline__ struct spot spot_of(const struct walk *w, uint32_t i,
                                                      uint32_t axes)
{
    struct spot p = {i, 0};
    SIMT_UNROLL
    for (uint32_t k = 0; k < axes; k++) {
        const uint32_t rest = k + 1 < ZT_MAX_RANK ? divide(i, w->inverse[k]) : 0;
        p.has |= (uint32_t)(((i - rest * w->extent[k]) & w->restart) != 0) << k;
        i = rest;
    }
    p.has &= w->differ;
    return p;
}

/* The Lorenzo difference along the axes with a predecessor: the signed sum of a box's corners. */
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

/* Residuals of a warp's groups, from the first to before the last, to sh->u, folded but for
 * the cuSZ coder. 'axes' is known where this is compiled: differences are along no more. */
struct residuals {
    uint32_t first, last;
    uint32_t differ; /* axes of differences */
    word base;       /* the base, subtracted from all integers */
    bool has_base, is_cusz, is_narrow;
};

static __device__ __forceinline__ word residual_at(const struct encode_state *sh,
                                                   const uint32_t *pace, struct spot p,
                                                   const struct residuals *r, uint32_t axes)
{
    const word d = difference(sh->a, pace, p, axes) - (p.has == 0 ? r->base : 0);
    return r->is_cusz ? d : fold(d, r->is_narrow);
}

/* Compute the residuals of AT_ONCE contiguous values; p is the first one's spot. Rows before are
 * added with their signs, including the value before each; then differences of neighbours are
 * taken. */
static __device__ __forceinline__ void residuals_at_once(struct encode_state *sh,
                                                         const uint32_t *pace, struct spot p,
                                                         const struct residuals *r, uint32_t axes,
                                                         word *d)
{
    const word *const own = sh->a + p.place;
    word sum[AT_ONCE], left = 0;
    SIMT_UNROLL
    for (uint32_t j = 0; j < AT_ONCE; j++)
        sum[j] = 0;
    SIMT_UNROLL
    for (uint32_t corner = 0; corner < 1u << axes; corner += 2) {
        uint32_t back = 0, ones = 0;
        SIMT_UNROLL
        for (uint32_t k = 1; k < axes; k++) {
            back += (corner >> k & 1) * pace[k];
            ones += corner >> k & 1;
        }
        const word *const row = (p.has & corner) == corner ? own - back : sh->none + AT_ONCE;
        word v[AT_ONCE];
        simt_load_16(v, row);
        left = ones % 2 ? left - row[-1] : left + row[-1];
        SIMT_UNROLL
        for (uint32_t j = 0; j < AT_ONCE; j++)
            sum[j] = ones % 2 ? sum[j] - v[j] : sum[j] + v[j];
    }
    const bool is_along = (r->differ & 1) != 0;
    const bool is_narrow = WIDTH == 32 || r->is_narrow;
    SIMT_UNROLL
    for (uint32_t j = 0; j < AT_ONCE; j++) {
        const word before = j > 0 ? (is_along ? sum[j - 1] : 0) : (p.has & 1) != 0 ? left : 0;
        const word first = p.has == 0 && (j == 0 || !is_along) ? r->base : 0;
        const word own_d = sum[j] - before - first;
        d[j] = r->is_cusz ? own_d : fold(own_d, is_narrow);
    }
}

/* Compute a warp's residuals, AT_ONCE in each lane, together whole groups: for tiles in blocks, or
 * with rows of a multiple of AT_ONCE. */
static __device__ __forceinline__ void residuals_by_lanes(struct encode_state *sh,
                                                          const struct residuals *r, uint32_t axes,
                                                          bool is_blocked)
{
    const struct walk w = sh->walk;
    const uint32_t i = threadIdx.x % 32 * AT_ONCE, end = r->last * ZTI_SZ_GROUP;
    struct spot within = {0, 0};
    if (is_blocked)
        within = spot_within(&w, i % ZTI_SZ_GROUP);
    SIMT_NO_UNROLL
    for (uint32_t at = r->first * ZTI_SZ_GROUP + i; at < end; at += 32 * AT_ONCE) {
        word d[AT_ONCE] = {0};
        if (is_blocked) {
            const uint32_t block = sh->blocks[at / ZTI_SZ_GROUP];
            const struct spot p = {within.place + (block & 0xffff), within.has | block >> 16};
            residuals_at_once(sh, w.pace, p, r, axes, d);
        } else if (at < w.n) {
            residuals_at_once(sh, w.pace, spot_of(&w, at, axes), r, axes, d);
        }
        simt_store_16(sh->u + at, d);
    }
}

/* Compute the residuals of four fours of a group: d[4 k] is that of value begin + 16 (k ^ turned).
 * The row above is read beside its own. */
static __device__ __forceinline__ void residuals_of_part(const struct encode_state *sh,
                                                         const struct residuals *r, uint32_t group,
                                                         uint32_t begin, uint32_t turned, word *d)
{
    const struct walk *const w = &sh->walk;
    const uint32_t first = group * ZTI_SZ_GROUP, row = divide(first, w->inverse[0]);
    const uint32_t x = first - row * w->extent[0] + begin;
    const uint32_t y = row - divide(row, w->inverse[1]) * w->extent[1];
    const bool has_row = (r->differ & 2) != 0 && (y & w->restart) != 0;
    const word *const own = sh->a + first + begin;
    const word *const above = has_row ? own - w->pace[1] : sh->none + AT_ONCE + begin;
    SIMT_UNROLL
    for (uint32_t k = 0; k < OF_LANE / 4; k++) {
        const uint32_t at = 16 * (k ^ turned);
        word v[4], e[4];
        SIMT_UNROLL
        for (uint32_t j = 0; j < 4; j += AT_ONCE) {
            simt_load_16(v + j, own + at + j);
            simt_load_16(e + j, above + at + j);
        }
        const word left = own[(int)at - 1] - above[(int)at - 1];
        const word none = !has_row && r->has_base ? sh->a[0] : 0;
        word before = ((x + at) & w->restart) != 0 ? left : none;
        SIMT_UNROLL
        for (uint32_t j = 0; j < 4; j++) {
            const word sum = v[j] - e[j];
            d[4 * k + j] = fold(sum - before, r->is_narrow);
            before = sum;
        }
    }
}

/* Compute a warp's residuals, 16 in a lane, if groups are parts of rows (has_parts). Every other
 * group has its fours in another order, which avoids bank conflicts. */
static __device__ __forceinline__ void residuals_of_parts(struct encode_state *sh,
                                                          const struct residuals *r)
{
    const uint32_t begin = 4 * (threadIdx.x % 4);
    SIMT_NO_UNROLL
    for (uint32_t group = r->first + threadIdx.x % 32 / 4; group < r->last; group += 8) {
        const uint32_t turned = group & 1;
        word d[OF_LANE];
        residuals_of_part(sh, r, group, begin, turned, d);
        SIMT_UNROLL
        for (uint32_t k = 0; k < OF_LANE; k += AT_ONCE)
            simt_store_16(sh->u + group * ZTI_SZ_GROUP + begin + 16 * (k / 4 ^ turned) + k % 4,
                          d + k);
    }
}

/* Compute residuals one by one, if groups are runs. */
static __device__ __forceinline__ void residuals_of_runs(struct encode_state *sh,
                                                         const struct residuals *r, uint32_t axes)
{
    const struct walk w = sh->walk;
    const uint32_t end = r->last * ZTI_SZ_GROUP;
    for (uint32_t i = r->first * ZTI_SZ_GROUP + threadIdx.x % 32; i < end; i += 32)
        sh->u[i] = i < w.n ? residual_at(sh, w.pace, spot_of(&w, i, axes), r, axes) : 0;
}

static __device__ __forceinline__ void find_residuals(struct encode_state *sh,
                                                      const struct residuals *r)
{
    const uint32_t axes = r->differ < 2 ? 1 : r->differ < 4 ? 2 : r->differ < 8 ? 3 : 4;
/* Compile the loops for each number of axes. */
#define BY_AXES(least, residuals)                                                                  \
    (axes == 4                   ? residuals(4)                                                    \
     : axes == 3                 ? residuals(3)                                                    \
     : axes == 2 || (least) == 2 ? residuals(2)                                                    \
                                 : residuals(1))
#define OF_BLOCKS(n) residuals_by_lanes(sh, r, n, true)
#define OF_EVEN(n)   residuals_by_lanes(sh, r, n, false)
#define OF_RUNS(n)   residuals_of_runs(sh, r, n)
    if (sh->walk.is_blocked && !r->is_cusz)
        BY_AXES(2, OF_BLOCKS);
    else if (sh->walk.is_even)
        BY_AXES(1, OF_EVEN);
    else
        BY_AXES(1, OF_RUNS);
#undef BY_AXES
#undef OF_BLOCKS
#undef OF_EVEN
#undef OF_RUNS
}
