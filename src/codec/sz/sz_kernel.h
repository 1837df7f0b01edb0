/* sz_kernel.h: kernel text: tiles of effort 'fast' to bytes and back, a block a tile. The includer
 * defines
 *   word      uint32_t or uint64_t: as wide as a value
 *   WIDTH     its bits
 *   NAME(x)   x with this instance's suffix
 *
 *     values --> integers --> differences, axis by axis --> groups of 64 --> a thread a group:
 *     class and lengths --> sums --> every group's bits or'ed into place --> look-back --> stream
 *
 * Two arrays in shared memory change parts; the one that is free at last takes the bytes. Groups
 * are a word further apart than they are long, so that threads at equal places of theirs are in
 * different banks.
 *
 * Narrow integers of 64-bit values are kept in 64 bits: sums and differences modulo 2^64 are those
 * modulo 2^32 in their lower half. */

enum { NAME(PADDED) = ZTI_SZ_TILE_VALUES + ZTI_SZ_GROUPS };

/* What a block has in shared memory. */
struct NAME(shared) {
    word a[NAME(PADDED)], b[NAME(PADDED)];
    uint64_t exact[EXACT_WORDS];     /* which values are kept as they are */
    uint32_t exact_before[EXACT_WORDS];
    uint32_t classes[ZTI_SZ_GROUPS];
    uint32_t class_at[ZTI_SZ_GROUPS]; /* bits of a group's class, planes and the rest: how many, */
    uint32_t plane_at[ZTI_SZ_GROUPS]; /* then where */
    uint32_t rest_at[ZTI_SZ_GROUPS];
    uint32_t class_bits, plane_bits, rest_bits, exact_bytes, exact_way;
    uint32_t form, is_good;
    uint64_t away, place, values_at, next;
};

static __device__ __forceinline__ uint32_t NAME(pad)(uint32_t i)
{
    return i + i / ZTI_SZ_GROUP;
}

static __device__ __forceinline__ word NAME(fold)(word d, bool is_narrow)
{
    if (is_narrow) {
        const uint32_t low = (uint32_t)d;
        return (word)(low << 1 ^ (0 - (low >> 31)));
    }
    return (word)(d << 1) ^ (word)(0 - (d >> (WIDTH - 1)));
}

static __device__ __forceinline__ word NAME(unfold)(word u, bool is_narrow)
{
    const word own = is_narrow ? (word)(uint32_t)u : u;
    return own >> 1 ^ (word)(0 - (own & 1));
}

/* Bits of a float in the order of the numbers; its own inverse. */
static __device__ __forceinline__ word NAME(ordered)(word bits)
{
    return bits ^ ((word)(0 - (bits >> (WIDTH - 1))) >> 1);
}

/* A value as a number, where it is one of a floating-point type. */
static __device__ __forceinline__ double NAME(number)(word bits)
{
#if WIDTH == 32
    float v;
#else
    double v;
#endif
    memcpy(&v, &bits, sizeof v);
    return (double)v;
}

static __device__ __forceinline__ word NAME(bits_of)(double number)
{
    word bits;
#if WIDTH == 32
    const float v = (float)number;
#else
    const double v = number;
#endif
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* ---- values to integers ---- */

/* The multiples nearest to floats, into sh->a; what has none within the bound and the limit is
 * exact. Returns whether integers of 64 bits are needed for one. */
static __device__ __forceinline__ bool NAME(quantize)(const struct sz_tiles *s,
                                                      const struct sz_tile *t,
                                                      struct NAME(shared) *sh, double limit,
                                                      bool may_be_wide)
{
    bool is_wide = false;
    for (uint32_t i = threadIdx.x; i < t->n; i += THREADS) {
        const double v = NAME(number)(*(const word *)(const void *)value_at(s, t, i));
        const double steps = fabs(v * (1 / s->sz.step));
        int64_t q;
        if (!nearest(s, v, limit, &q)) {
            is_wide = is_wide || (may_be_wide && steps < 0x1p62 && !(steps < limit));
            simt_or(sh->exact + i / 64, UINT64_C(1) << i % 64);
        }
        sh->a[NAME(pad)(i)] = (word)q;
    }
    return __syncthreads_or(is_wide);
}

static __device__ __forceinline__ void NAME(clear_exact)(struct NAME(shared) *sh)
{
    for (uint32_t i = threadIdx.x; i < EXACT_WORDS; i += THREADS)
        sh->exact[i] = 0;
    __syncthreads();
}

/* Integers to sh->a; returns the form. */
static __device__ __forceinline__ uint32_t NAME(integers_of)(const struct sz_tiles *s,
                                                             const struct sz_tile *t,
                                                             struct NAME(shared) *sh,
                                                             bool is_lossless)
{
    const bool is_bits = is_lossless || s->sz.source == ZTI_SZ_BITS;
    NAME(clear_exact)(sh);
    if (!is_bits && s->sz.source == ZTI_SZ_LATTICE) {
        if (!NAME(quantize)(s, t, sh, 0x1p30, WIDTH == 64))
            return ZTI_SZ_NARROW;
        NAME(clear_exact)(sh);
        (void)NAME(quantize)(s, t, sh, 0x1p62, false);
        return ZTI_SZ_WIDE;
    }
    bool is_far = is_bits && WIDTH == 64;
    for (uint32_t i = threadIdx.x; i < t->n; i += THREADS) {
        const word v = *(const word *)(const void *)value_at(s, t, i);
        const int64_t x = WIDTH == 32 ? (int64_t)(int32_t)v : (int64_t)v;
        const int64_t q = is_bits ? 0 : nearest_multiple(x, (int64_t)s->sz.whole_step);
        is_far = is_far || (WIDTH == 64 && ((uint64_t)q + (UINT64_C(1) << 30)) >> 31 != 0);
        sh->a[NAME(pad)(i)] = is_bits ? NAME(ordered)(v) : (word)q;
    }
    const uint32_t form = __syncthreads_or(is_far) ? ZTI_SZ_WIDE : ZTI_SZ_NARROW;
    return form | (is_lossless ? ZTI_SZ_LOSSLESS : 0);
}

/* Integers for exact values: bridge of sz_sums.h. One thread: tiles with gaps are few. */
static __device__ __forceinline__ void NAME(bridge)(const struct sz_tiles *s,
                                                    const struct sz_tile *t,
                                                    struct NAME(shared) *sh)
{
    const uint32_t row = t->extent[t->rank - 1];
    const uint32_t some = run_end(sh->exact, 0, t->n, true);
    const word first = some < t->n ? sh->a[NAME(pad)(some)] : (word)s->sz.centre;
    for (uint32_t i = 0; i < t->n; i++)
        if (bit_at(sh->exact, i))
            sh->a[NAME(pad)(i)] = i % row != 0 ? sh->a[NAME(pad)(i - 1)]
                                  : i > 0      ? sh->a[NAME(pad)(i - row)]
                                               : first;
}

/* Differences along the axes; the result is in *from. */
static __device__ __forceinline__ void NAME(differences)(const struct sz_tile *t, uint32_t axes,
                                                         word **from, word **to)
{
    for (uint32_t k = t->rank; k-- > 0;) {
        if (!(axes >> k & 1) || t->extent[k] == 1)
            continue;
        for (uint32_t i = threadIdx.x; i < t->n; i += THREADS) {
            const word before = i / t->step[k] % t->extent[k] > 0
                                    ? (*from)[NAME(pad)(i - t->step[k])]
                                    : 0;
            (*to)[NAME(pad)(i)] = (*from)[NAME(pad)(i)] - before;
        }
        __syncthreads();
        word *const swap = *from;
        *from = *to;
        *to = swap;
    }
}

/* ---- a group, by a thread ---- */

static __device__ __forceinline__ word NAME(above)(word u, uint32_t k)
{
    return k < WIDTH ? u >> k : 0;
}

static __device__ __forceinline__ uint32_t NAME(longer)(const word *u, uint32_t k)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ZTI_SZ_GROUP; i++)
        count += NAME(above)(u[i], k) != 0;
    return count;
}

static __device__ __forceinline__ uint32_t NAME(rice_bits)(const word *u, uint32_t n, uint32_t k)
{
    uint32_t sum = n * k;
    for (uint32_t i = 0; i < ZTI_SZ_GROUP; i++) {
        const word high = NAME(above)(u[i], k);
        sum += high < ZTI_SZ_UNARY_MOST ? (uint32_t)high : (uint32_t)ZTI_SZ_UNARY_MOST;
    }
    return sum;
}

/* class_of of sz_groups.h: the k of the fewest bits near the smallest one that leaves at most 39 of
 * 64 values longer. */
static __device__ __forceinline__ uint32_t NAME(class_of)(const word *u, uint32_t n, uint32_t width)
{
    const uint32_t some = NAME(longer)(u, 0), most = n * 39 / 64;
    uint32_t k = 0;
    if (some <= ZTI_SZ_SPARSE)
        return some;
    while (NAME(longer)(u, k) > most)
        k++;
    const uint32_t first = k;
    uint32_t least = NAME(rice_bits)(u, n, k), other;
    while (k > 0 && (other = NAME(rice_bits)(u, n, k - 1)) < least) {
        least = other;
        k--;
    }
    while (k >= first && k < width && (other = NAME(rice_bits)(u, n, k + 1)) < least) {
        least = other;
        k++;
    }
    return k == 0 && some <= ZTI_SZ_FEW_MOST ? (uint32_t)ZTI_SZ_FEW : ZTI_SZ_FEW + 1 + k;
}

/* Bits of a group's list, or of what is above its planes. */
static __device__ __forceinline__ uint32_t NAME(rest_of)(const word *u, uint32_t n, uint32_t c)
{
    uint32_t bits = 0, next = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (c > ZTI_SZ_SPARSE) {
            const word high = NAME(above)(u[i], planes_of_class(c));
            bits += high < ZTI_SZ_ROUNDS ? (uint32_t)high + 1 : (uint32_t)ZTI_SZ_ROUNDS;
            bits += high < ZTI_SZ_ROUNDS ? 0
                                         : NUMBER_BITS + number_rest_bits(high - ZTI_SZ_ROUNDS);
        } else if (u[i] != 0) {
            const uint32_t k = gap_bits_of(c);
            bits += ((i - next) >> k) + 1 + k + value_bits(u[i] - 1);
            next = i + 1;
        }
    }
    return bits;
}

static __device__ __forceinline__ void NAME(put_planes)(const word *u, uint32_t n, uint32_t k,
                                                        uint32_t *out, uint32_t at)
{
    for (uint32_t j = 0; j < k; j++) {
        uint64_t plane = 0;
        for (uint32_t i = 0; i < n; i++)
            plane |= (uint64_t)(u[i] >> j & 1) << i;
        put_at(out, &at, plane, n);
    }
}

static __device__ __forceinline__ void NAME(put_rounds)(const word *u, uint32_t n, uint32_t k,
                                                        uint32_t *out, uint32_t at)
{
    uint32_t alive = n;
    for (uint32_t round = 0; round < ZTI_SZ_ROUNDS && alive > 0; round++) {
        uint64_t bits = 0;
        uint32_t count = 0, higher = 0;
        for (uint32_t i = 0; i < n; i++) {
            const word high = NAME(above)(u[i], k);
            if (high >= round) {
                bits |= (uint64_t)(high > round) << count++;
                higher += high > round;
            }
        }
        put_at(out, &at, bits, count);
        alive = higher;
    }
    for (uint32_t i = 0; i < n && alive > 0; i++)
        if (NAME(above)(u[i], k) >= ZTI_SZ_ROUNDS)
            put_number_at(out, &at, NAME(above)(u[i], k) - ZTI_SZ_ROUNDS);
}

static __device__ __forceinline__ void NAME(put_list)(const word *u, uint32_t n, uint32_t count,
                                                      uint32_t *out, uint32_t at)
{
    const uint32_t k = gap_bits_of(count);
    uint32_t next = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (u[i] == 0)
            continue;
        const uint32_t gap = i - next, zeros = gap >> k;
        const uint64_t v = u[i] - 1;
        put_at(out, &at, (UINT64_C(1) | (uint64_t)(gap & ((1u << k) - 1)) << 1) << zeros,
               zeros + 1 + k);
        put_at(out, &at, v < ZTI_SZ_ROUNDS ? UINT64_C(1) << v : 0,
               v < ZTI_SZ_ROUNDS ? (uint32_t)v + 1 : (uint32_t)ZTI_SZ_ROUNDS);
        if (v >= ZTI_SZ_ROUNDS)
            put_number_at(out, &at, v - ZTI_SZ_ROUNDS);
        next = i + 1;
    }
}

/* ---- a tile to bytes ---- */

/* How a tile is coded; the same in all threads. */
struct NAME(plan) {
    uint32_t form, base_bytes, bytes;
    bool is_zero, has_exact;
    uint64_t away;
    word *u, *free; /* the groups, and where bytes can go */
};

/* Classes and lengths of all groups, then where each begins. */
static __device__ __forceinline__ void NAME(measure_groups)(struct NAME(shared) *sh, const word *u,
                                                            uint32_t n, uint32_t width)
{
    const uint32_t g = threadIdx.x, own = g < ZTI_SZ_GROUPS ? in_group(n, g) : 0;
    const word *const group = u + g * (ZTI_SZ_GROUP + 1);
    if (g < ZTI_SZ_GROUPS)
        sh->classes[g] = own > 0 ? NAME(class_of)(group, own, width) : 0;
    __syncthreads();
    if (g < ZTI_SZ_GROUPS) {
        const uint32_t c = sh->classes[g], before = g > 0 ? sh->classes[g - 1] : 0;
        sh->class_at[g] = own > 0 ? class_code(c, before).count : 0;
        sh->plane_at[g] = planes_of_class(c) * own;
        sh->rest_at[g] = own > 0 ? NAME(rest_of)(group, own, c) : 0;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        const uint32_t classes = sum_groups(sh->class_at), planes = sum_groups(sh->plane_at);
        const uint32_t rest = sum_groups(sh->rest_at);
        if (threadIdx.x == 0) {
            sh->class_bits = classes;
            sh->plane_bits = planes;
            sh->rest_bits = rest;
        }
    }
    __syncthreads();
}

/* Everything but the bytes themselves. */
static __device__ __forceinline__ struct NAME(plan) NAME(prepare)(const struct sz_tiles *s,
                                                                  const struct sz_tile *t,
                                                                  struct NAME(shared) *sh,
                                                                  bool is_lossless)
{
    struct NAME(plan) p;
    p.form = NAME(integers_of)(s, t, sh, is_lossless);
    p.u = sh->a;
    p.free = sh->b;
    p.has_exact = __syncthreads_or(threadIdx.x < EXACT_WORDS && sh->exact[threadIdx.x] != 0);
    const bool is_narrow = (p.form & ZTI_SZ_NARROW) != 0;
    if (threadIdx.x == 0) {
        uint32_t before = 0;
        sh->exact_bytes = 0;
        if (p.has_exact) {
            NAME(bridge)(s, t, sh);
            sh->exact_bytes = exact_mark_bytes(sh->exact, t->n, &sh->exact_way);
        }
        for (uint32_t i = 0; p.has_exact && i < EXACT_WORDS; i++) {
            sh->exact_before[i] = before;
            before += (uint32_t)__popcll(sh->exact[i]);
        }
        sh->exact_bytes += before * (WIDTH / 8);
    }
    __syncthreads();
    const word base = sh->a[0];
    bool differs = false;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < t->n; i += THREADS) {
        const word d = sh->a[NAME(pad)(i)] - base;
        differs = differs || d != 0;
        sh->a[NAME(pad)(i)] = d;
    }
    p.is_zero = !__syncthreads_or(differs);
    p.away = NAME(fold)(base - (word)s->sz.centre, is_narrow);
    p.base_bytes = (71 - (uint32_t)__clzll((long long)p.away)) / 8;
    p.bytes = 1 + p.base_bytes + sh->exact_bytes;
    if (p.is_zero) {
        p.form = (p.form & ZTI_SZ_LOSSLESS) | ZTI_SZ_ZERO;
        return p;
    }
    NAME(differences)(t, s->sz.axes, &p.u, &p.free);
    for (uint32_t i = threadIdx.x; i < ZTI_SZ_TILE_VALUES; i += THREADS)
        p.free[NAME(pad)(i)] =
            i < t->n ? NAME(fold)(p.u[NAME(pad)(place_in_groups(t, i))], is_narrow) : 0;
    __syncthreads();
    word *const swap = p.u;
    p.u = p.free;
    p.free = swap;
    NAME(measure_groups)(sh, p.u, t->n, is_narrow ? 32 : WIDTH);
    p.bytes += (sh->class_bits + sh->plane_bits + sh->rest_bits + 7) / 8;
    return p;
}

static __device__ __forceinline__ void NAME(clear)(uint32_t *out, uint32_t bytes)
{
    for (uint32_t i = threadIdx.x; i < bytes / 4 + 2; i += THREADS)
        out[i] = 0;
    __syncthreads();
}

/* The groups, from bit 'at' of out on. */
static __device__ __forceinline__ void NAME(put_groups)(const struct NAME(shared) *sh,
                                                        const word *u, uint32_t n, uint32_t *out,
                                                        uint32_t at)
{
    const uint32_t g = threadIdx.x, own = g < ZTI_SZ_GROUPS ? in_group(n, g) : 0;
    const word *const group = u + g * (ZTI_SZ_GROUP + 1);
    if (own == 0)
        return;
    const uint32_t c = sh->classes[g];
    const struct sz_code code = class_code(c, g > 0 ? sh->classes[g - 1] : 0);
    const uint32_t planes = at + sh->class_bits, rest = planes + sh->plane_bits;
    uint32_t class_at = at + sh->class_at[g];
    put_at(out, &class_at, code.bits, code.count);
    NAME(put_planes)(group, own, planes_of_class(c), out, planes + sh->plane_at[g]);
    if (c > ZTI_SZ_SPARSE)
        NAME(put_rounds)(group, own, planes_of_class(c), out, rest + sh->rest_at[g]);
    else
        NAME(put_list)(group, own, c, out, rest + sh->rest_at[g]);
}

/* A prepared tile's bytes, in p->free; there after the next barrier. */
static __device__ __forceinline__ void NAME(put_planned)(const struct sz_tiles *s,
                                                         const struct sz_tile *t,
                                                         struct NAME(shared) *sh,
                                                         const struct NAME(plan) *p)
{
    uint32_t *const out = (uint32_t *)(void *)p->free;
    const uint32_t head = 8 * (1 + p->base_bytes), values = head + 8 * sh->exact_bytes;
    NAME(clear)(out, p->bytes);
    if (threadIdx.x == 0) {
        uint32_t at = 0;
        put_at(out, &at,
               p->form | (p->has_exact ? ZTI_SZ_HAS_EXACT : 0) | p->base_bytes << 4, 8);
        put_at(out, &at, p->away, 8 * p->base_bytes);
        if (p->has_exact)
            put_marks(out, &at, sh->exact, t->n, sh->exact_way);
    }
    const uint32_t last = p->has_exact ? sh->exact_before[EXACT_WORDS - 1] +
                                             (uint32_t)__popcll(sh->exact[EXACT_WORDS - 1])
                                       : 0;
    for (uint32_t i = threadIdx.x; p->has_exact && i < t->n; i += THREADS) {
        if (!bit_at(sh->exact, i))
            continue;
        const uint64_t before = sh->exact[i / 64] & ((UINT64_C(1) << i % 64) - 1);
        const uint32_t rank = sh->exact_before[i / 64] + (uint32_t)__popcll(before);
        uint32_t at = values - (last - rank) * WIDTH;
        put_at(out, &at, *(const word *)(const void *)value_at(s, t, i), WIDTH);
    }
    if (!p->is_zero)
        NAME(put_groups)(sh, p->u, t->n, out, values);
}

/* The bytes of a tile; where they are, and how many. put_tile of sz_coder.h decides alike: what is
 * not short by prediction is tried without loss, and else left as it is. */
static __device__ __forceinline__ const uint32_t *NAME(put_tile)(const struct sz_tiles *s,
                                                                 const struct sz_tile *t,
                                                                 struct NAME(shared) *sh,
                                                                 uint32_t *bytes)
{
    const uint32_t raw_bytes = t->n * (WIDTH / 8);
    const bool has_other = s->sz.source == ZTI_SZ_LATTICE;
    bool fits = false;
    *bytes = raw_bytes + 1;
    for (uint32_t attempt = 0; attempt < 3; attempt++) {
        if (attempt == 2 && !fits)
            break;
        const struct NAME(plan) p = NAME(prepare)(s, t, sh, attempt == 1);
        bool is_taken = attempt == 2;
        if (attempt == 0) {
            fits = p.bytes <= raw_bytes;
            is_taken = fits && (p.bytes < raw_bytes / 4 * 3 || !has_other);
            *bytes = fits ? p.bytes : raw_bytes + 1;
            if (!has_other && !fits)
                break;
        } else if (attempt == 1) {
            is_taken = p.bytes < *bytes;
        }
        if (is_taken) {
            NAME(put_planned)(s, t, sh, &p);
            *bytes = p.bytes;
            return (const uint32_t *)(const void *)p.free;
        }
    }
    uint32_t *const out = (uint32_t *)(void *)sh->a;
    *bytes = raw_bytes + 1;
    NAME(clear)(out, *bytes);
    for (uint32_t i = threadIdx.x; i <= t->n; i += THREADS) {
        uint32_t at = i < t->n ? 8 + i * WIDTH : 0;
        if (i < t->n)
            put_at(out, &at, *(const word *)(const void *)value_at(s, t, i), WIDTH);
        else
            put_at(out, &at, ZTI_SZ_RAW, 8);
    }
    return out;
}

SIMT_KERNEL void __launch_bounds__(THREADS, 5) NAME(put_tiles)(const struct sz_tiles s)
{
    SIMT_SHARED_DYNAMIC(struct NAME(shared), sh);
    const uint64_t number = lookback_ticket(s.states);
    const struct sz_tile t = tile_of(&s, number);
    uint32_t bytes;
    const uint32_t *const out = NAME(put_tile)(&s, &t, sh, &bytes);
    if (threadIdx.x < 32) {
        const uint64_t before = lookback(s.states, number, s.grid.count, 8 * (uint64_t)bytes);
        const uint64_t tile = s.first_tile + number;
        if (threadIdx.x == 0) {
            sh->place = before;
            if (s.starts && tile % s.chunk_tiles == 0)
                s.starts[tile / s.chunk_tiles - s.first_chunk] = before;
        }
    }
    __syncthreads();
    place_bytes(out, bytes, (uint8_t *)(void *)s.words, sh->place / 8, THREADS);
}

/* ---- bytes to a tile ---- */

/* Whether a tile of this form can be of the coding's type: is_form of sz_decoder.h. */
static __device__ __forceinline__ bool NAME(is_form)(const struct sz_tiles *s, uint32_t first)
{
    const uint32_t form = first & 3;
    const bool is_bits = s->sz.source == ZTI_SZ_BITS || (first & ZTI_SZ_LOSSLESS);
    if (form == ZTI_SZ_RAW)
        return first == ZTI_SZ_RAW;
    if ((first & ZTI_SZ_LOSSLESS) && s->sz.source != ZTI_SZ_LATTICE)
        return false;
    if (form == ZTI_SZ_WIDE)
        return WIDTH == 64;
    return !(is_bits && form == ZTI_SZ_NARROW && WIDTH == 64);
}

/* What is before the residuals. One thread. */
static __device__ __forceinline__ bool NAME(take_head)(const struct sz_tiles *s,
                                                       const struct sz_tile *t,
                                                       struct NAME(shared) *sh,
                                                       struct zti_bit_reader *r, uint64_t end_bits)
{
    const uint32_t first = (uint32_t)zti_take_bits64(r, 8), base_bytes = first >> 4;
    uint32_t before = 0;
    sh->form = first;
    if (base_bytes > 8 || base_bytes > t->n * (WIDTH / 8) || !NAME(is_form)(s, first))
        return false;
    sh->away = zti_take_bits64(r, 8 * base_bytes);
    sh->values_at = r->at;
    if (!(first & ZTI_SZ_HAS_EXACT))
        return true;
    if (!take_marks(r, end_bits, t->n, WIDTH / 8, sh->exact))
        return false;
    for (uint32_t i = 0; i < EXACT_WORDS; i++) {
        sh->exact_before[i] = before;
        before += (uint32_t)__popcll(sh->exact[i]);
    }
    sh->values_at = r->at;
    r->at += (uint64_t)before * WIDTH;
    return true;
}

/* Pass over a group's list or rounds. One thread. */
static __device__ __forceinline__ bool NAME(pass_group)(struct zti_bit_reader *r, uint32_t n,
                                                        uint32_t c)
{
    uint32_t alive = n, next = 0;
    if (c <= ZTI_SZ_SPARSE) {
        for (uint32_t i = 0; i < c; i++) {
            next += take_gap(r, c);
            if (next++ >= n)
                return false;
            (void)take_value(r);
        }
        return true;
    }
    for (uint32_t round = 0; round < ZTI_SZ_ROUNDS && alive > 0; round++)
        alive = (uint32_t)__popcll(zti_take_bits64(r, alive));
    for (; alive > 0; alive--)
        (void)take_number(r);
    return true;
}

/* Classes, and where each group's bits are. One thread: where a group's rest begins is known when
 * the one before was gone through. */
static __device__ __forceinline__ bool NAME(find_groups)(struct NAME(shared) *sh,
                                                         struct zti_bit_reader *r, uint32_t n,
                                                         uint64_t start, uint64_t end_bits)
{
    const uint32_t width = (sh->form & 3) == ZTI_SZ_NARROW ? 32 : WIDTH;
    uint32_t before = 0;
    uint64_t planes = 0;
    for (uint32_t g = 0; g * ZTI_SZ_GROUP < n; g++) {
        const uint32_t c = take_class(r, before);
        if (c > ZTI_SZ_FEW + 1 + width || r->at > end_bits)
            return false;
        sh->classes[g] = before = c;
        sh->plane_at[g] = (uint32_t)planes;
        planes += (uint64_t)planes_of_class(c) * in_group(n, g);
    }
    if (planes > end_bits - r->at)
        return false;
    sh->plane_bits = (uint32_t)(r->at - start); /* where planes begin */
    r->at += planes;
    for (uint32_t g = 0; g * ZTI_SZ_GROUP < n; g++) {
        sh->rest_at[g] = (uint32_t)(r->at - start);
        if (!NAME(pass_group)(r, in_group(n, g), sh->classes[g]) || r->at > end_bits)
            return false;
    }
    return true;
}

/* A group's values. One thread a group. */
static __device__ __forceinline__ void NAME(take_group)(struct zti_bit_reader r, uint64_t plane_at,
                                                        uint32_t n, uint32_t c, word *u)
{
    const uint32_t k = planes_of_class(c), gaps = c;
    uint64_t alive = n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
    for (uint32_t i = 0; i < ZTI_SZ_GROUP; i++)
        u[i] = 0;
    if (c <= ZTI_SZ_SPARSE) {
        for (uint32_t i = 0, next = 0; i < c; i++) {
            next += take_gap(&r, gaps);
            u[next++] = (word)(take_value(&r) + 1);
        }
        return;
    }
    for (uint32_t round = 0; round < ZTI_SZ_ROUNDS && alive != 0; round++) {
        uint64_t bits = zti_take_bits64(&r, (uint32_t)__popcll(alive)), higher = 0;
        for (uint64_t left = alive; left != 0; left &= left - 1, bits >>= 1) {
            const uint32_t i = (uint32_t)__ffsll((long long)left) - 1;
            u[i] += (word)(bits & 1);
            higher |= (bits & 1) << i;
        }
        alive = higher;
    }
    for (; alive != 0; alive &= alive - 1)
        u[(uint32_t)__ffsll((long long)alive) - 1] += (word)take_number(&r);
    r.at = plane_at;
    for (uint32_t i = 0; i < n; i++)
        u[i] = k < WIDTH ? u[i] << k : 0;
    for (uint32_t j = 0; j < k; j++) {
        const uint64_t plane = zti_take_bits64(&r, n);
        for (uint32_t i = 0; i < n; i++)
            u[i] |= (word)(plane >> i & 1) << j;
    }
}

/* Sums along one axis, in place: a line a thread, or where there are few lines a line a warp. */
static __device__ __forceinline__ void NAME(sum_lines)(const struct sz_tile *t, uint32_t k, word *u)
{
    const uint32_t extent = t->extent[k], step = t->step[k], lines = t->n / extent;
    const uint32_t lane = threadIdx.x % 32;
    if (lines >= THREADS / 4) {
        for (uint32_t l = threadIdx.x; l < lines; l += THREADS) {
            const uint32_t first = l / step * step * extent + l % step;
            word sum = 0;
            for (uint32_t i = 0; i < extent; i++) {
                word *const at = u + NAME(pad)(first + i * step);
                sum += *at;
                *at = sum;
            }
        }
        return;
    }
    for (uint32_t l = threadIdx.x / 32; l < lines; l += THREADS / 32) {
        const uint32_t first = l / step * step * extent + l % step;
        word before = 0;
        for (uint32_t i = 0; i < extent; i += 32) {
            word *const at = u + NAME(pad)(first + (i + lane < extent ? i + lane : 0) * step);
            const uint64_t own = i + lane < extent ? *at : 0;
            const word sum = (word)warp_sums(own) + before;
            if (i + lane < extent)
                *at = sum;
            before = __shfl_sync(SIMT_ALL_LANES, sum, 31);
        }
    }
}

/* The bits of a value from its integer. */
static __device__ __forceinline__ word NAME(value_of)(const struct sz_tiles *s, uint32_t form,
                                                      word integer)
{
    const bool is_narrow = (form & 3) == ZTI_SZ_NARROW;
    const int64_t q = WIDTH == 32 || is_narrow ? (int64_t)(int32_t)(uint32_t)integer
                                               : (int64_t)integer;
    if (s->sz.source == ZTI_SZ_BITS || (form & ZTI_SZ_LOSSLESS))
        return NAME(ordered)(integer);
    if (s->sz.source == ZTI_SZ_LATTICE)
        return NAME(bits_of)((double)q * s->sz.step);
    return (word)multiple(q, (int64_t)s->sz.whole_step, s->type);
}

/* Residuals, in sh->a by groups, to integers in sh->b. */
static __device__ __forceinline__ void NAME(sum_tile)(const struct sz_tiles *s,
                                                      const struct sz_tile *t,
                                                      struct NAME(shared) *sh)
{
    const bool is_narrow = (sh->form & 3) == ZTI_SZ_NARROW;
    const bool is_zero = (sh->form & 3) == ZTI_SZ_ZERO;
    for (uint32_t i = threadIdx.x; i < t->n; i += THREADS)
        sh->b[NAME(pad)(is_zero ? i : place_in_groups(t, i))] =
            is_zero ? 0 : NAME(unfold)(sh->a[NAME(pad)(i)], is_narrow);
    __syncthreads();
    for (uint32_t k = t->rank; k-- > 0 && !is_zero;) {
        if (!(s->sz.axes >> k & 1) || t->extent[k] == 1)
            continue;
        NAME(sum_lines)(t, k, sh->b);
        __syncthreads();
    }
}

/* A tile's values to the view. */
static __device__ __forceinline__ void NAME(put_values)(const struct sz_tiles *s,
                                                        const struct sz_tile *t,
                                                        const struct NAME(shared) *sh)
{
    const bool is_raw = (sh->form & 3) == ZTI_SZ_RAW;
    const bool is_narrow = (sh->form & 3) == ZTI_SZ_NARROW;
    const word base = (word)s->sz.centre + NAME(unfold)((word)sh->away, is_narrow);
    for (uint32_t i = threadIdx.x; i < t->n; i += THREADS) {
        word *const to = (word *)(void *)value_at(s, t, i);
        struct zti_bit_reader r = {s->words, s->words_count, sh->values_at};
        if (!to)
            continue;
        if (is_raw) {
            r.at += (uint64_t)i * WIDTH;
            *to = (word)zti_take_bits64(&r, WIDTH);
        } else if ((sh->form & ZTI_SZ_HAS_EXACT) && bit_at(sh->exact, i)) {
            const uint64_t before = sh->exact[i / 64] & ((UINT64_C(1) << i % 64) - 1);
            r.at += (uint64_t)(sh->exact_before[i / 64] + (uint32_t)__popcll(before)) * WIDTH;
            *to = (word)zti_take_bits64(&r, WIDTH);
        } else {
            *to = NAME(value_of)(s, sh->form, sh->b[NAME(pad)(i)] + base);
        }
    }
}

/* A tile from bit 'start' on; sh->next is where it ends. */
static __device__ __forceinline__ void NAME(take_tile)(const struct sz_tiles *s,
                                                       const struct sz_tile *t,
                                                       struct NAME(shared) *sh, uint64_t start)
{
    const uint64_t end_bits = start + 8 * (1 + (uint64_t)t->n * (WIDTH / 8));
    struct zti_bit_reader r = {s->words, s->words_count, start};
    if (threadIdx.x == 0) {
        bool is_good = NAME(take_head)(s, t, sh, &r, end_bits);
        if (is_good && (sh->form & 3) == ZTI_SZ_RAW)
            r.at = end_bits;
        else if (is_good && (sh->form & 3) != ZTI_SZ_ZERO)
            is_good = NAME(find_groups)(sh, &r, t->n, start, end_bits);
        sh->is_good = is_good;
        sh->next = (r.at + 7) & ~UINT64_C(7);
    }
    __syncthreads();
    if (!sh->is_good)
        return;
    const uint32_t form = sh->form & 3, g = threadIdx.x;
    if ((form == ZTI_SZ_NARROW || form == ZTI_SZ_WIDE) && g * ZTI_SZ_GROUP < t->n) {
        r.at = start + sh->rest_at[g];
        NAME(take_group)(r, start + sh->plane_bits + sh->plane_at[g], in_group(t->n, g),
                         sh->classes[g], sh->a + g * (ZTI_SZ_GROUP + 1));
    }
    __syncthreads();
    if (form != ZTI_SZ_RAW)
        NAME(sum_tile)(s, t, sh);
    NAME(put_values)(s, t, sh);
}

SIMT_KERNEL void __launch_bounds__(THREADS, 5) NAME(take_chunks)(const struct sz_tiles s)
{
    SIMT_SHARED_DYNAMIC(struct NAME(shared), sh);
    const uint64_t i = blockIdx.x, chunk = s.chunks ? s.chunks[i] : s.first_chunk + i;
    const uint64_t first = chunk * s.chunk_tiles, rest = s.grid.count - first;
    const uint64_t last = first + (rest < s.chunk_tiles ? rest : s.chunk_tiles);
    uint64_t at = s.places[2 * i];
    for (uint64_t number = first; number < last; number++) {
        const struct sz_tile t = tile_of(&s, number);
        NAME(take_tile)(&s, &t, sh, at);
        at = sh->is_good ? sh->next : UINT64_C(1) << 62; /* as if cut short: the host refuses it */
        __syncthreads();
        if (at >> 62 != 0)
            break;
    }
    if (threadIdx.x == 0)
        note_end(s.states, i, s.count, at, s.places[2 * i + 1]);
}
