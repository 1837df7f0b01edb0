/* sz_cuda_encoder.h: kernel text: a tile to bytes by a block, and the symbols of a tile to counts.
 * Its parameters are those of sz_kernel.h. */

/* How a tile is coded; the same in all threads. */
struct plan {
    uint32_t form, base_bytes, marks_bytes, bytes;
    bool is_zero, has_exact, is_coded;
    uint64_t away;
    word *u, *free; /* the groups, and where bytes can go */
};

/* The classes of all groups. */
static __device__ __forceinline__ void find_classes(struct shared *sh, const word *u, uint32_t n,
                                                    uint32_t width, uint32_t list_most)
{
    const uint32_t g = threadIdx.x, own = g < ZTI_SZ_GROUPS ? in_group(n, g) : 0;
    if (g < ZTI_SZ_GROUPS)
        sh->classes[g] = own > 0 ? class_of(u + g * (ZTI_SZ_GROUP + 1), own, width, list_most) : 0;
    __syncthreads();
}

/* How many bits a group takes of each kind in Rice codes. */
static __device__ __forceinline__ void measure_rice(struct shared *sh, const word *u, uint32_t n,
                                                    uint32_t g)
{
    const uint32_t c = sh->classes[g], before = g > 0 ? sh->classes[g - 1] : 0;
    sh->class_at[g] = n > 0 ? class_code(c, before).count : 0;
    sh->plane_at[g] = class_planes(c) * n;
    sh->rest_at[g] = is_list(c) ? list_bits(u, n, c) : rounds_bits(u, n, class_planes(c));
    sh->excess_at[g] = 0;
}

/* Classes and lengths of all groups, then where each begins. */
static __device__ __forceinline__ void measure_groups(const struct sz_tiles *s, struct shared *sh,
                                                      const struct plan *p, uint32_t n,
                                                      uint32_t effort)
{
    const uint32_t g = threadIdx.x, own = g < ZTI_SZ_GROUPS ? in_group(n, g) : 0;
    const uint32_t width = (p->form & ZTI_SZ_NARROW) != 0 ? 32 : WIDTH;
    const uint32_t most = p->is_coded ? (uint32_t)ZTI_SZ_SPARSE_CODED : (uint32_t)ZTI_SZ_SPARSE;
    const word *const group = p->u + g * (ZTI_SZ_GROUP + 1);
    if (p->is_coded && effort == ZT_EFFORT_PAPER) {
        if (g < ZTI_SZ_GROUPS)
            measure_paper(s, sh, group, own, g, width);
    } else {
        find_classes(sh, p->u, n, width, most);
        if (g < ZTI_SZ_GROUPS && p->is_coded)
            measure_coded(s, sh, group, own, g);
        else if (g < ZTI_SZ_GROUPS)
            measure_rice(sh, group, own, g);
    }
    __syncthreads();
    if (threadIdx.x < 32)
        place_groups(sh, p->is_coded && effort == ZT_EFFORT_DEFAULT ? (uint32_t)SECTIONS : 1u);
    __syncthreads();
}

/* A tile's residuals, in p.u by groups, and all that comes before them. */
static __device__ __forceinline__ struct plan residuals_of(const struct sz_tiles *s,
                                                           const struct sz_tile *t,
                                                           struct shared *sh, bool is_lossless,
                                                           uint32_t effort)
{
    struct plan p;
    p.form = integers_of(s, t, sh, is_lossless);
    p.u = sh->a;
    p.free = sh->b;
    p.has_exact = __syncthreads_or(threadIdx.x < EXACT_WORDS && sh->exact[threadIdx.x] != 0);
    const bool has_marks = IS_LOG && !is_lossless;
    bool has_gaps = p.has_exact;
    if (has_marks) {
        has_gaps = find_marks(s, t, marks_of(sh)) || has_gaps;
        if (threadIdx.x < EXACT_WORDS)
            marks_of(sh)->gaps[threadIdx.x] =
                marks_of(sh)->bits[0][threadIdx.x] | sh->exact[threadIdx.x];
        __syncthreads();
        if (threadIdx.x / 32 == 1)
            measure_marks(marks_of(sh), t->n);
    }
    p.is_coded = is_coded(effort, p.form);
    const bool is_narrow = (p.form & ZTI_SZ_NARROW) != 0;
    if (threadIdx.x == 0) {
        uint32_t before = 0;
        sh->exact_bytes = 0;
        if (has_gaps)
            bridge(s, t, sh, has_marks ? marks_of(sh)->gaps : sh->exact);
        if (p.has_exact)
            sh->exact_bytes = exact_mark_bytes(sh->exact, t->n, &sh->exact_way);
        for (uint32_t i = 0; p.has_exact && i < EXACT_WORDS; i++) {
            sh->exact_before[i] = before;
            before += (uint32_t)__popcll(sh->exact[i]);
        }
        sh->exact_bytes += before * (WIDTH / 8);
        sh->base = effort == ZT_EFFORT_PAPER ? 0 : sh->a[0];
    }
    __syncthreads();
    const word base = sh->base;
    bool differs = false;
    for (uint32_t i = threadIdx.x; i < t->n; i += THREADS) {
        const word d = sh->a[pad(i)] - base;
        differs = differs || d != 0;
        sh->a[pad(i)] = d;
    }
    p.is_zero = !__syncthreads_or(differs);
    p.away = fold(base - (word)s->sz.centre, is_narrow);
    p.base_bytes = (71 - (uint32_t)__clzll((long long)p.away)) / 8;
    p.marks_bytes = has_marks ? marks_of(sh)->bytes[0] + marks_of(sh)->bytes[1] : 0;
    p.bytes = 1 + p.base_bytes + sh->exact_bytes + p.marks_bytes;
    if (p.is_zero) {
        p.form = (p.form & ZTI_SZ_LOSSLESS) | ZTI_SZ_ZERO;
        return p;
    }
    differences(t, s->sz.axes, &p.u, &p.free);
    if (p.is_coded && effort == ZT_EFFORT_PAPER)
        return p;
    for (uint32_t i = threadIdx.x; i < ZTI_SZ_TILE_VALUES; i += THREADS)
        p.free[pad(i)] = i < t->n ? fold(p.u[pad(place_in_groups(t, i))], is_narrow) : 0;
    __syncthreads();
    word *const swap = p.u;
    p.u = p.free;
    p.free = swap;
    return p;
}

/* Everything but the bytes themselves. */
static __device__ __forceinline__ struct plan prepare(const struct sz_tiles *s,
                                                      const struct sz_tile *t, struct shared *sh,
                                                      bool is_lossless, uint32_t effort)
{
    struct plan p = residuals_of(s, t, sh, is_lossless, effort);
    if (p.is_zero)
        return p;
    measure_groups(s, sh, &p, t->n, effort);
    p.bytes += (sh->class_bits + sh->plane_bits + sh->rest_bits + sh->excess_bits + 7) / 8;
    return p;
}

static __device__ __forceinline__ void clear(uint32_t *out, uint32_t bytes)
{
    for (uint32_t i = threadIdx.x; i < bytes / 4 + 2; i += THREADS)
        out[i] = 0;
    __syncthreads();
}

/* A group's bits; those of all begin at bit 'at' of out. */
static __device__ __forceinline__ void put_groups(const struct sz_tiles *s, const struct shared *sh,
                                                  const struct plan *p, uint32_t n, uint32_t *out,
                                                  uint32_t at, uint32_t effort)
{
    const uint32_t g = threadIdx.x, own = g < ZTI_SZ_GROUPS ? in_group(n, g) : 0;
    const uint32_t width = (p->form & ZTI_SZ_NARROW) != 0 ? 32 : WIDTH;
    const word *const group = p->u + g * (ZTI_SZ_GROUP + 1);
    const uint32_t planes = at + sh->class_bits, rest = planes + sh->plane_bits;
    if (own == 0)
        return;
    if (p->is_coded && effort == ZT_EFFORT_PAPER) {
        put_paper(s, sh, group, own, g, width, out, at, rest);
        return;
    }
    const uint32_t c = sh->classes[g], k = p->is_coded ? class_shift(c) : class_planes(c);
    put_planes(group, own, k, out, planes + sh->plane_at[g]);
    if (is_list(c))
        put_list(group, own, c, out, rest + sh->rest_at[g]);
    if (p->is_coded) {
        put_coded(s, sh, group, own, g, out, at, rest);
        return;
    }
    uint32_t class_at = at + sh->class_at[g];
    put_code_at(out, &class_at, class_code(c, g > 0 ? sh->classes[g - 1] : 0));
    if (!is_list(c))
        put_rounds(group, own, k, out, rest + sh->rest_at[g]);
}

/* A prepared tile's bytes, in p->free; there after the next barrier. */
static __device__ __forceinline__ void put_planned(const struct sz_tiles *s,
                                                   const struct sz_tile *t, struct shared *sh,
                                                   const struct plan *p, uint32_t effort)
{
    uint32_t *const out = (uint32_t *)(void *)p->free;
    const uint32_t head = 8 * (1 + p->base_bytes), values = head + 8 * sh->exact_bytes;
    clear(out, p->bytes);
    if (threadIdx.x == 0) {
        uint32_t at = 0;
        put_at(out, &at, p->form | (p->has_exact ? ZTI_SZ_HAS_EXACT : 0) | p->base_bytes << 4, 8);
        put_at(out, &at, p->away, 8 * p->base_bytes);
        if (p->has_exact)
            put_exact(out, &at, sh->exact, t->n, sh->exact_way);
    }
    if (p->marks_bytes > 0 && threadIdx.x % 32 == 0 && threadIdx.x / 32 < 2) {
        const uint32_t mark = threadIdx.x / 32;
        put_mark(out, values + (mark == 0 ? 0 : 8 * marks_of(sh)->bytes[0]), marks_of(sh), mark,
                 t->n);
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
        put_groups(s, sh, p, t->n, out, values + 8 * p->marks_bytes, effort);
}

/* The bytes of a tile; where they are, and how many. put_tile of sz_coder.h decides alike: what is
 * not short by prediction is tried without loss, and else left as it is. */
static __device__ __forceinline__ const uint32_t *put_tile(const struct sz_tiles *s,
                                                           const struct sz_tile *t,
                                                           struct shared *sh, uint32_t *bytes,
                                                           uint32_t effort)
{
    const uint32_t raw_bytes = t->n * (WIDTH / 8);
    const bool has_other = IS_LOG || s->sz.source == ZTI_SZ_LATTICE;
    bool fits = false;
    *bytes = raw_bytes + 1;
    for (uint32_t attempt = 0; attempt < 3; attempt++) {
        if (attempt == 2 && !fits)
            break;
        const struct plan p = prepare(s, t, sh, attempt == 1, effort);
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
            put_planned(s, t, sh, &p, effort);
            *bytes = p.bytes;
            return (const uint32_t *)(const void *)p.free;
        }
    }
    uint32_t *const out = (uint32_t *)(void *)sh->a;
    *bytes = raw_bytes + 1;
    clear(out, *bytes);
    for (uint32_t i = threadIdx.x; i <= t->n; i += THREADS) {
        uint32_t at = i < t->n ? 8 + i * WIDTH : 0;
        if (i < t->n)
            put_at(out, &at, *(const word *)(const void *)value_at(s, t, i), WIDTH);
        else
            put_at(out, &at, ZTI_SZ_RAW, 8);
    }
    return out;
}

/* A block's tile to its place in the stream. */
static __device__ __forceinline__ void put_tiles(const struct sz_tiles *s, uint32_t effort)
{
    SIMT_SHARED_DYNAMIC(struct shared, sh);
    const uint64_t number = lookback_ticket(s->states);
    const struct sz_tile t = tile_of(s, number);
    uint32_t bytes;
    const uint32_t *const out = put_tile(s, &t, sh, &bytes, effort);
    if (threadIdx.x < 32) {
        const uint64_t before = lookback(s->states, number, s->grid.count, 8 * (uint64_t)bytes);
        const uint64_t tile = s->first_tile + number;
        if (threadIdx.x == 0) {
            sh->place = before;
            if (s->starts && tile % s->chunk_tiles == 0)
                s->starts[tile / s->chunk_tiles - s->first_chunk] = before;
        }
    }
    __syncthreads();
    place_bytes(out, bytes, (uint8_t *)(void *)s->words, sh->place / 8, THREADS);
}

/* ---- counting ---- */

/* The symbols of a tile's residuals to the counts of all, by way of the array that is free where
 * the alphabet is small. */
static __device__ __forceinline__ void count_paper(const struct sz_tiles *s, const struct plan *p,
                                                   uint32_t n, uint32_t *own)
{
    const bool is_narrow = (p->form & ZTI_SZ_NARROW) != 0;
    for (uint32_t i = threadIdx.x; i < n; i += THREADS) {
        const uint32_t symbol = paper_symbol(p->u[pad(i)], s->sz.bins, is_narrow);
        if (own)
            (void)atomicAdd((unsigned *)own + symbol, 1u);
        else
            (void)atomicAdd((unsigned long long *)s->counts + symbol, 1ull);
    }
}

static __device__ __forceinline__ void count_groups(const struct sz_tiles *s, struct shared *sh,
                                                    const struct plan *p, uint32_t n, uint32_t *own)
{
    const uint32_t g = threadIdx.x, width = (p->form & ZTI_SZ_NARROW) != 0 ? 32 : WIDTH;
    find_classes(sh, p->u, n, width, ZTI_SZ_SPARSE_CODED);
    if (g * ZTI_SZ_GROUP >= n)
        return;
    const uint32_t bits =
        count_coded(sh, p->u + g * (ZTI_SZ_GROUP + 1), in_group(n, g), g, s->alphabet, own);
    (void)atomicAdd((unsigned long long *)s->counts + ZTI_SZ_BOOKS * s->alphabet,
                    (unsigned long long)bits);
}

static __device__ __forceinline__ void count_tile(const struct sz_tiles *s, uint32_t effort)
{
    SIMT_SHARED_DYNAMIC(struct shared, sh);
    const uint32_t symbols = (effort == ZT_EFFORT_PAPER ? 1 : ZTI_SZ_BOOKS) * s->alphabet;
    if (!zti_sz_is_counted(s->first_tile + blockIdx.x, s->part))
        return;
    const struct sz_tile t = tile_of(s, blockIdx.x);
    const struct plan p = residuals_of(s, &t, sh, false, effort);
    uint32_t *const own = symbols <= HIST_MOST ? (uint32_t *)(void *)p.free : NULL;
    if (p.is_zero)
        return;
    for (uint32_t i = threadIdx.x; own && i < symbols; i += THREADS)
        own[i] = 0;
    __syncthreads();
    if (effort == ZT_EFFORT_PAPER)
        count_paper(s, &p, t.n, own);
    else
        count_groups(s, sh, &p, t.n, own);
    __syncthreads();
    for (uint32_t i = threadIdx.x; own && i < symbols; i += THREADS)
        if (own[i] > 0)
            (void)atomicAdd((unsigned long long *)s->counts + i, (unsigned long long)own[i]);
}
