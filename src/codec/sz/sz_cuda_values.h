/* sz_cuda_values.h: kernel text: values of a tile to integers and back, and differences along axes
 * and the sums that undo them. Its parameters are those of sz_kernel.h. */

/* Groups are a word further apart than they are long, so that threads at equal places of theirs are
 * in different banks. */
enum { PADDED = ZTI_SZ_TILE_VALUES + ZTI_SZ_GROUPS };

/* Parts of a tile that hold bits of each group: lists and all else with Rice codes, or lists, then
 * symbols of each book. */
enum { SECTIONS = ZTI_SZ_BOOKS };

/* What a block has in shared memory. */
struct shared {
    word a[PADDED], b[PADDED];
    uint64_t exact[EXACT_WORDS]; /* which values are kept as they are */
    uint32_t exact_before[EXACT_WORDS];
    uint32_t classes[ZTI_SZ_GROUPS];
    uint32_t
        class_at[ZTI_SZ_GROUPS]; /* a group's class, planes, list or symbols, and what is more */
    uint32_t plane_at[ZTI_SZ_GROUPS]; /* than these say: how many bits, then where. With effort */
    uint32_t rest_at[ZTI_SZ_GROUPS]; /* 'paper' in the place of classes where parts begin, and of */
    uint32_t excess_at[ZTI_SZ_GROUPS]; /* what is more residuals as they are */
    uint32_t class_bits, plane_bits, rest_bits, excess_bits, exact_bytes, exact_way;
    uint32_t section_end[SECTIONS];
    word base; /* coding: what all integers are less by */
    uint32_t form, is_good;
    uint64_t away, place, values_at, next;
};

static __device__ __forceinline__ uint32_t pad(uint32_t i)
{
    return i + i / ZTI_SZ_GROUP;
}

static __device__ __forceinline__ word fold(word d, bool is_narrow)
{
    if (is_narrow) {
        const uint32_t low = (uint32_t)d;
        return (word)(low << 1 ^ (0 - (low >> 31)));
    }
    return (word)(d << 1) ^ (word)(0 - (d >> (WIDTH - 1)));
}

static __device__ __forceinline__ word unfold(word u, bool is_narrow)
{
    const word own = is_narrow ? (word)(uint32_t)u : u;
    return own >> 1 ^ (word)(0 - (own & 1));
}

/* Bits of a float in the order of the numbers; its own inverse. */
static __device__ __forceinline__ word ordered(word bits)
{
    return bits ^ ((word)(0 - (bits >> (WIDTH - 1))) >> 1);
}

/* That of a block whose values are logarithms. */
static __device__ __forceinline__ struct marks *marks_of(struct shared *sh)
{
    return (struct marks *)(void *)(sh + 1);
}

/* ---- values to integers ---- */

/* The multiples nearest to floats, into sh->a; what has none within the bound and the limit is
 * exact. Returns whether integers of 64 bits are needed for one. */
static __device__ __forceinline__ bool quantize(const struct sz_tiles *s, const struct sz_tile *t,
                                                struct shared *sh, double limit, bool may_be_wide)
{
    bool is_wide = false;
    for (uint32_t i = threadIdx.x; i < t->n; i += THREADS) {
        const scalar v = number_of(*(const word *)(const void *)value_at(s, t, i));
        const double steps = fabs((double)v * (1 / s->sz.step));
        int64_t q = 0;
        if (!NAME(nearest)(&s->sz, v, limit, &q)) {
            is_wide = is_wide || (may_be_wide && steps < 0x1p62 && !(steps < limit));
            simt_or(sh->exact + i / 64, UINT64_C(1) << i % 64);
        }
        sh->a[pad(i)] = (word)q;
    }
    return __syncthreads_or(is_wide);
}

static __device__ __forceinline__ void clear_exact(struct shared *sh)
{
    for (uint32_t i = threadIdx.x; i < EXACT_WORDS; i += THREADS)
        sh->exact[i] = 0;
    __syncthreads();
}

/* The integers of logarithms into sh->a: groups of 64 values at once where all are good, else each
 * by itself, and so all where they are to be wide. Returns whether they must be. */
static __device__ __forceinline__ bool take_logs(const struct sz_tiles *s, const struct sz_tile *t,
                                                 struct shared *sh, bool is_wide)
{
    const double fineness = (double)s->sz.fineness, inverse = 1 / fineness;
    bool is_far = false;
    for (uint32_t first = threadIdx.x / 32 * 64; first < t->n; first += 2 * THREADS) {
        const bool is_group = !is_wide && first + 64 <= t->n;
        bool is_good = is_group;
        for (uint32_t i = first + threadIdx.x % 32; is_group && i < first + 64; i += 32) {
            const scalar v = number_of(*(const word *)(const void *)value_at(s, t, i));
            uint32_t q;
            is_good = NAME(log_at_once)(v, fineness, inverse, s->sz.bound, &q) && is_good;
            sh->a[pad(i)] = (word)(int64_t)(int32_t)q;
        }
        if (__all_sync(SIMT_ALL_LANES, is_good))
            continue;
        for (uint32_t i = first + threadIdx.x % 32; i < first + 64 && i < t->n; i += 32) {
            const scalar v = number_of(*(const word *)(const void *)value_at(s, t, i));
            int64_t q = 0;
            if (!NAME(log_or_exact)(&s->sz, v, &q))
                simt_or(sh->exact + i / 64, UINT64_C(1) << i % 64);
            is_far = is_far || q <= -(INT64_C(1) << 30) || q >= INT64_C(1) << 30;
            sh->a[pad(i)] = (word)q;
        }
    }
    return __syncthreads_or(is_far && !is_wide);
}

static __device__ __forceinline__ uint32_t logs_of(const struct sz_tiles *s,
                                                   const struct sz_tile *t, struct shared *sh)
{
    if (!take_logs(s, t, sh, false) || WIDTH == 32)
        return ZTI_SZ_NARROW;
    clear_exact(sh);
    (void)take_logs(s, t, sh, true);
    return ZTI_SZ_WIDE;
}

/* Integers to sh->a; returns the form. */
static __device__ __forceinline__ uint32_t integers_of(const struct sz_tiles *s,
                                                       const struct sz_tile *t, struct shared *sh,
                                                       bool is_lossless)
{
    const bool is_bits = is_lossless || s->sz.source == ZTI_SZ_BITS;
    clear_exact(sh);
    if (IS_LOG && !is_lossless)
        return logs_of(s, t, sh);
    if (!is_bits && s->sz.source == ZTI_SZ_LATTICE) {
        if (!quantize(s, t, sh, 0x1p30, WIDTH == 64))
            return ZTI_SZ_NARROW;
        clear_exact(sh);
        (void)quantize(s, t, sh, 0x1p62, false);
        return ZTI_SZ_WIDE;
    }
    bool is_far = is_bits && WIDTH == 64;
    for (uint32_t i = threadIdx.x; i < t->n; i += THREADS) {
        const word v = *(const word *)(const void *)value_at(s, t, i);
        const int64_t x = WIDTH == 32 ? (int64_t)(int32_t)v : (int64_t)v;
        const int64_t q = is_bits ? 0 : nearest_multiple(x, (int64_t)s->sz.whole_step);
        is_far = is_far || (WIDTH == 64 && ((uint64_t)q + (UINT64_C(1) << 30)) >> 31 != 0);
        sh->a[pad(i)] = is_bits ? ordered(v) : (word)q;
    }
    const uint32_t form = __syncthreads_or(is_far) ? ZTI_SZ_WIDE : ZTI_SZ_NARROW;
    return form | (is_lossless ? ZTI_SZ_LOSSLESS : 0);
}

/* Integers for exact values: bridge of sz_sums.h. One thread: tiles with gaps are few. */
static __device__ __forceinline__ void bridge(const struct sz_tiles *s, const struct sz_tile *t,
                                              struct shared *sh, const uint64_t *gaps)
{
    const uint32_t row = t->extent[t->rank - 1];
    const uint32_t some = run_end(gaps, 0, t->n, true);
    const word first = some < t->n ? sh->a[pad(some)] : (word)s->sz.centre;
    for (uint32_t i = 0; i < t->n; i++)
        if (bit_at(gaps, i))
            sh->a[pad(i)] = i % row != 0 ? sh->a[pad(i - 1)] : i > 0 ? sh->a[pad(i - row)] : first;
}

/* Differences along the axes; the result is in *from. */
static __device__ __forceinline__ void differences(const struct sz_tile *t, uint32_t axes,
                                                   word **from, word **to)
{
    for (uint32_t k = t->rank; k-- > 0;) {
        if (!(axes >> k & 1) || t->extent[k] == 1)
            continue;
        for (uint32_t i = threadIdx.x; i < t->n; i += THREADS) {
            const uint32_t at = i / t->step[k] % t->extent[k];
            const bool is_first = t->block > 0 ? at % t->block == 0 : at == 0;
            (*to)[pad(i)] = (*from)[pad(i)] - (is_first ? 0 : (*from)[pad(i - t->step[k])]);
        }
        __syncthreads();
        word *const swap = *from;
        *from = *to;
        *to = swap;
    }
}

/* ---- integers to values ---- */

/* The bits of a value from its integer. */
static __device__ __forceinline__ word value_of(const struct sz_tiles *s, uint32_t form,
                                                word integer)
{
    const bool is_narrow = (form & 3) == ZTI_SZ_NARROW;
    const int64_t q =
        WIDTH == 32 || is_narrow ? (int64_t)(int32_t)(uint32_t)integer : (int64_t)integer;
    if (s->sz.source == ZTI_SZ_BITS || (form & ZTI_SZ_LOSSLESS))
        return ordered(integer);
    if (IS_LOG && (WIDTH == 32 || is_narrow)) {
        const double fineness = (double)s->sz.fineness;
        return bits_of(NAME(number)((double)q, fineness, 1 / fineness));
    }
    if (IS_LOG)
        return bits_of(NAME(wide_number)(q, &s->sz));
    if (s->sz.source == ZTI_SZ_LATTICE)
        return bits_of((scalar)((double)q * s->sz.step));
    return (word)multiple(q, (int64_t)s->sz.whole_step, WIDTH == 32 ? INT32_MIN : INT64_MIN,
                          WIDTH == 32 ? INT32_MAX : INT64_MAX);
}
