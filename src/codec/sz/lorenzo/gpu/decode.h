/* decode.h: kernel text: a block decodes a tile to values, from the positions that
 * lorenzo/gpu/scan/scan.cu found in it. Its parameters are those of lorenzo/gpu/kernel.h.
 *
 *     stream --> shared memory --> planes of half a group a thread --> residuals
 *     --> sums along rows --> shared memory --> sums along other axes --> values */

static __device__ __forceinline__ struct zti_bit_reader reader_at(const struct sz_tiles *s,
                                                                  uint64_t at)
{
    const struct zti_bit_reader r = {s->words, s->words_count, at};
    return r;
}

/* ---- where values are ---- */

/* The place in sh->u of value i of the thread's half of a group. */
static __device__ __forceinline__ word *in_tile(struct decode_state *sh, uint32_t i,
                                                bool is_blocked)
{
    if (!is_blocked)
        return sh->u + padded_place(threadIdx.x * HALF) + i;
    return sh->u + padded_place((uint32_t)sh->origin[threadIdx.x / 2] +
                                sh->within[threadIdx.x % 2 * HALF + i]);
}

/* ---- residuals ---- */

/* Copy a tile's bits, from a multiple of 64 bits of the stream on, to the shared memory where its
 * integers will be. Valid after the next barrier. The block calls it. */
static __device__ __forceinline__ void
load_tile_bits(const struct sz_tiles *s, struct decode_state *sh, const struct sz_found *found)
{
    const uint64_t first = found->start / 64;
    const uint32_t skip = (uint32_t)(found->start % 64), all = (skip + found->rest_at) / 64 + 2;
    const uint32_t room = PADDED * WIDTH / 64, count = all < room ? all : room;
    uint64_t *const to = (uint64_t *)(void *)sh->u;
    for (uint32_t i = threadIdx.x; i < count; i += 4 * THREADS) {
        uint64_t v[4];
        SIMT_UNROLL
        for (uint32_t k = 0; k < 4; k++) {
            const uint64_t at = first + i + k * THREADS;
            v[k] = i + k * THREADS < count && at < s->words_count ? s->words[at] : 0;
        }
        SIMT_UNROLL
        for (uint32_t k = 0; k < 4; k++)
            if (i + k * THREADS < count)
                to[i + k * THREADS] = v[k];
    }
}

/* The thread's half of a group, without values that are written one by one. The block calls it. */
static __device__ __forceinline__ struct half_group
find_half(const struct sz_tiles *s, const struct decode_state *sh, struct sz_found *found,
          const struct tile_bits *bits, bool is_huffman)
{
    const uint32_t g = threadIdx.x / 2, second = threadIdx.x % 2, n = in_group(sh->walk.n, g);
    const uint32_t skip = (uint32_t)(found->start % 64);
    const uint64_t group = n > 0 ? found->groups[g] : 0;
    struct half_group h;
    h.n = n;
    h.own = n <= second * HALF ? 0 : n - second * HALF < HALF ? n - second * HALF : (uint32_t)HALF;
    h.c = (uint32_t)group & 255;
    h.k = planes_of(h.c, is_huffman);
    h.plane_at = skip + found->planes_at + ((uint32_t)group >> 8) + second * HALF;
    h.at = skip + (uint32_t)(group >> 32);
    h.more_at = found->start + (uint32_t)(group >> 32);
    h.alive = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < HIGH; i++)
        h.high[i] = 0;
    h.base = ZTI_SZ_ROUNDS;
    if (!is_huffman) {
        const uint32_t end = decode_rounds(bits, &h);
        h.more_at += is_list(h.c) ? 0 : end - h.at;
    } else if (h.own > 0 && !is_list(h.c)) {
        read_symbols((const uint8_t *)sz_symbols_in(found, &s->sz) + (group >> 32), &h);
    }
    return h;
}

/* Store residuals of 32 bits, summed along rows of 'row' values (0: not summed), in shared memory
 * over the tile's bits, after all threads have read these. !is_here: the thread has none. The block
 * calls it. */
static __device__ __forceinline__ void store_residuals(struct decode_state *sh, uint32_t row,
                                                       bool is_here, bool is_blocked, uint32_t *v)
{
    uint32_t carry = 0, up_to = 0;
    if (row > 0)
        carry = sum_rows(row, v, &up_to);
    if (threadIdx.x % 32 == 31)
        sh->scan[threadIdx.x / 32] = up_to;
    __syncthreads();
    if (row > 32 * HALF)
        for (uint32_t i = threadIdx.x * HALF / row * row / (32 * HALF); i < threadIdx.x / 32; i++)
            carry += (uint32_t)sh->scan[i];
    if (!is_here)
        return;
    if (!is_blocked) {
        SIMT_UNROLL
        for (uint32_t i = 0; i < HALF; i++)
            *in_tile(sh, i, false) = v[i] + carry;
        return;
    }
    SIMT_UNROLL
    for (uint32_t i = 0; i < HALF; i++)
        *in_tile(sh, i, true) = v[i];
}

/* Store wide residuals of eight values from 'first' on. */
static __device__ __forceinline__ void write_wide(struct decode_state *sh,
                                                  const struct half_group *h, uint32_t first,
                                                  const uint32_t *low, const uint32_t *high)
{
    SIMT_UNROLL
    for (uint32_t i = 0; i < 8; i++)
        if (first + i < h->own)
            *in_tile(sh, first + i, sh->walk.is_blocked) = (word)((uint64_t)high[i] << 32 | low[i]);
}

/* Decode a tile's residuals from its groups, and sum them along rows if row_sums says so. The block
 * calls it. */
static __device__ __forceinline__ void decode_groups(const struct sz_tiles *s,
                                                     struct decode_state *sh,
                                                     struct sz_found *found, bool is_huffman,
                                                     bool is_wide)
{
    const uint64_t first = found->start / 64 * 2, all = 2 * s->words_count;
    const uint32_t *const near = (const uint32_t *)(const void *)sh->u;
    const struct tile_bits bits = {
        is_wide ? (const uint32_t *)(const void *)s->words + first : near,
        is_wide && all > first ? simt_at_most(all - first, UINT32_MAX) - 1 : 0, !is_wide};
    struct half_group h = find_half(s, sh, found, &bits, is_huffman);
    const uint32_t other = __shfl_xor_sync(SIMT_ALL_LANES, h.alive, 1);
    const uint64_t of =
        threadIdx.x % 2 ? (uint64_t)h.alive << 32 | other : (uint64_t)other << 32 | h.alive;
    const bool has_items = h.n > 0 && (is_list(h.c) ? h.c > 0 : of != 0);
    struct items items = items_of(s, &h, of, is_huffman);
    uint32_t far = 0, low[HALF], high[HALF];
    if (has_items) {
        if (is_huffman && !is_list(h.c))
            items.r.at = found->start + found->excess_at[threadIdx.x / 2];
        far = read_items(items, h.high);
    }
    SIMT_UNROLL
    for (uint32_t i = 0; i < HIGH; i++)
        h.high[i] = h.k + i < (is_wide ? 64u : 32u) ? h.high[i] : 0;
    if (!is_wide) {
        join_planes(&bits, &h, 0, HALF, false, low, high);
        if (far != 0)
            add_items(items, h.k, 0, HALF, false, low, high);
        store_residuals(sh, row_sums(&sh->walk, sh->walk.is_blocked), h.own > 0,
                        sh->walk.is_blocked, low);
        return;
    }
    SIMT_NO_UNROLL
    for (uint32_t i = 0; i < HALF; i += 8) {
        join_planes(&bits, &h, i, 8, true, low, high);
        if (far != 0)
            add_items(items, h.k, i, 8, true, low, high);
        write_wide(sh, &h, i, low, high);
    }
}

/* The exclusive prefix sum of the threads' numbers, by sh->warp_sum. Unlike block_sum_before of
 * gpu/lookback.h it adds words of the tile's width, has no sum of the block and ends without a
 * barrier: the caller has one before the next sum. The block calls it. */
static __device__ __forceinline__ word sum_before(struct decode_state *sh, word own)
{
    const uint32_t warp = threadIdx.x / 32;
    const word up_to =
        (word)(WIDTH == 32 ? (uint64_t)warp_sums_32((uint32_t)own) : warp_sums((uint64_t)own));
    word before = up_to - own;
    if (threadIdx.x % 32 == 31)
        sh->warp_sum[warp] = up_to;
    __syncthreads();
    for (uint32_t i = 0; i < warp; i++)
        before += sh->warp_sum[i];
    return before;
}

/* The residual at bit 'at' that has no symbol. */
static __device__ __forceinline__ uint64_t outlier_at(const struct sz_tiles *s, uint64_t at)
{
    const uint64_t i = at / 64;
    const uint64_t low = i < s->words_count ? s->words[i] : 0;
    const uint64_t high = i + 1 < s->words_count ? s->words[i + 1] : 0;
    return low >> at % 64 | high << 1 << (63 - at % 64);
}

/* Read a thread's outliers of 32 bits; those of all threads begin at bit 'at' of the stream. They
 * are copied through shared memory, the same number by each thread, because those along a tile's
 * border are all in a few threads. The block calls it. */
static __device__ __forceinline__ void read_outliers(const struct sz_tiles *s,
                                                     struct decode_state *sh, uint64_t at,
                                                     uint32_t before, uint32_t outliers,
                                                     uint32_t *v)
{
    const word *next = sh->u + before;
    uint32_t all = 0;
    simt_anew(outliers); /* keeps the compiler from a register for each symbol */
    SIMT_UNROLL
    for (uint32_t i = 0; i < THREADS / 32; i++)
        all += (uint32_t)sh->warp_sum[i];
    SIMT_NO_UNROLL
    for (uint32_t i = threadIdx.x; i < all; i += 2 * THREADS) {
        const uint32_t one = (uint32_t)outlier_at(s, at + 32 * i);
        const uint32_t other = (uint32_t)outlier_at(s, at + 32 * (i + THREADS));
        sh->u[i] = one;
        if (i + THREADS < all)
            sh->u[i + THREADS] = other;
    }
    __syncthreads();
    SIMT_UNROLL
    for (uint32_t i = 0; i < HALF; i++)
        if (outliers >> i & 1)
            v[i] = (uint32_t)*next++;
}

/* Store a thread's residuals of a wide tile; those with bits in 'outliers' are read from bit 'at'
 * on. */
static __device__ __forceinline__ void write_wide_residuals(const struct sz_tiles *s,
                                                            struct decode_state *sh,
                                                            const uint32_t *v, uint32_t own,
                                                            uint32_t outliers, uint64_t at)
{
    SIMT_UNROLL
    for (uint32_t i = 0; i < HALF; i++)
        if (i < own)
            *in_tile(sh, i, false) = (word)(int64_t)(int32_t)v[i];
    for (uint32_t left = outliers; left != 0; left &= left - 1, at += 64)
        *in_tile(sh, zti_ctz64(left), false) = (word)outlier_at(s, at);
}

/* The cuSZ coder: convert symbols to residuals, 32 in each thread, and sum them along rows of 'row'
 * values, unless they are wide. The block calls it. */
static __device__ __forceinline__ void
decode_cusz(const struct sz_tiles *s, struct decode_state *sh, struct sz_found *found, uint32_t row)
{
    const uint32_t *const symbols =
        (const uint32_t *)sz_symbols_in(found, &s->sz) + threadIdx.x * (HALF / 2);
    const bool is_wide = WIDTH == 64 && (found->form & ZTI_SZ_KIND) == ZTI_SZ_WIDE;
    const uint32_t n = sh->walk.n, first = threadIdx.x * HALF;
    const uint32_t own = n <= first ? 0 : n - first < HALF ? n - first : (uint32_t)HALF;
    uint32_t v[HALF], outliers = 0, before = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < HALF; i += 8) {
        uint32_t w[4];
        simt_load_16(w, symbols + i / 2);
        SIMT_UNROLL
        for (uint32_t k = 0; k < 8; k++) {
            const uint32_t symbol = k % 2 ? w[k / 2] >> 16 : w[k / 2] & 0xffff;
            outliers |= symbol == 0 ? 1u << (i + k) : 0;
            v[i + k] = (uint32_t)cusz_residual(symbol, s->sz.bins);
        }
    }
    outliers &= own < HALF ? (1u << own) - 1 : UINT32_MAX;
    const uint64_t at = found->start + found->rest_at;
    const bool has_some = __syncthreads_or(outliers != 0);
    if (has_some)
        before = (uint32_t)sum_before(sh, (uint32_t)__popc(outliers));
    if (is_wide) {
        write_wide_residuals(s, sh, v, own, outliers, at + (uint64_t)before * 64);
        return;
    }
    if (has_some)
        read_outliers(s, sh, at, before, outliers, v);
    store_residuals(sh, row, own > 0, false, v);
}

/* ---- sums ---- */

/* Numbers of a line that a thread loads at a time, so that no load waits for a store. */
enum { BATCH = 8 };

/* Add *more to each of the numbers of a line, or replace them by prefix sums that continue from
 * *more. */
static __device__ __forceinline__ void add_to_line(word *u, uint32_t first, uint32_t step,
                                                   uint32_t count, word *more, bool is_sum)
{
    uint32_t i = 0;
    SIMT_NO_UNROLL
    for (; i + BATCH <= count; i += BATCH) {
        word v[BATCH];
        SIMT_UNROLL
        for (uint32_t j = 0; j < BATCH; j++)
            v[j] = u[padded_place(first + (i + j) * step)];
        SIMT_UNROLL
        for (uint32_t j = 0; j < BATCH; j++)
            u[padded_place(first + (i + j) * step)] = is_sum ? *more += v[j] : v[j] + *more;
    }
    SIMT_NO_UNROLL
    for (; i < count; i++) {
        word *const own = u + padded_place(first + i * step);
        *own = is_sum ? *more += *own : *own + *more;
    }
}

/* Prefix sums along one axis, in place. A thread has a line, or a piece of one if differences
 * restart; if these are fewer than threads, it has a part, to which the sums of the parts before
 * are added. The block calls it. */
static __device__ __forceinline__ void sum_lines(struct decode_state *sh, uint32_t k)
{
    const uint32_t extent = sh->walk.extent[k], step = sh->step[k], block = sh->walk.restart + 1;
    const uint32_t side = block > 0 && block < extent ? block : extent;
    const uint32_t each = (extent + side - 1) / side, pieces = sh->walk.n / extent * each;
    uint32_t parts = 1;
    while (2 * parts * pieces <= THREADS && 2 * parts <= side)
        parts *= 2;
    const uint32_t length = (side + parts - 1) / parts;
    word sum = 0;
    uint32_t first = 0, count = 0;
    for (uint32_t p = threadIdx.x; p < pieces * parts; p += THREADS) {
        const uint32_t piece = p / parts, l = piece / each, begin = piece % each * side;
        const uint32_t n = extent - begin < side ? extent - begin : side;
        const uint32_t from = p % parts * length;
        count = from >= n ? 0 : n - from < length ? n - from : length;
        first = l / step * step * extent + l % step + (begin + from) * step;
        sum = 0;
        add_to_line(sh->u, first, step, count, &sum, true);
    }
    if (parts == 1)
        return;
    const word before = sum_before(sh, sum);
    sh->scan[threadIdx.x] = before;
    __syncthreads();
    word carry = before - sh->scan[threadIdx.x - threadIdx.x % parts];
    if (carry != 0)
        add_to_line(sh->u, first, step, count, &carry, false);
}

/* ---- integers to values ---- */

/* The place in the view of the tile's value i with given coordinates. */
static __device__ __forceinline__ word *value_to(const struct sz_tiles *s,
                                                 const struct decode_state *sh, const uint32_t *at)
{
    int64_t offset = sh->offset;
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++)
        offset += at[k] * sh->walk.stride[k];
    return (word *)s->view.out.data + offset;
}

/* A thread's numbers along the slowest axis: a line, or a part of one if there are few lines. */
struct column {
    uint32_t first, step; /* places in the tile */
    uint32_t from, end;   /* coordinates along the axis */
    uint32_t restart;     /* sums restart where these bits of a coordinate are 0 */
    word sum;             /* sum up to the number before */
};

/* How many of a thread's next numbers are loaded together; sums may restart only at the first of
 * them. */
static __device__ __forceinline__ uint32_t next_count(const struct column *c)
{
    return c->from % BATCH == 0 && c->end - c->from >= BATCH ? BATCH : 1;
}

/* Load 'count' numbers, as prefix sums if wanted. */
static __device__ __forceinline__ void sum_next(const word *u, struct column *c, uint32_t count,
                                                word *v)
{
    SIMT_UNROLL
    for (uint32_t j = 0; j < count; j++)
        v[j] = u[padded_place(c->first + (c->from + j) * c->step)];
    if (c->restart != 0) {
        if ((c->from & c->restart) == 0)
            c->sum = 0;
        SIMT_UNROLL
        for (uint32_t j = 0; j < count; j++)
            v[j] = c->sum += v[j];
    }
    c->from += count;
}

/* The sum of the parts before a thread's own; the parts of a line are in threads 'apart' apart. The
 * block calls it. */
static __device__ __forceinline__ word sum_of_parts(struct decode_state *sh,
                                                    const struct column *own, uint32_t part,
                                                    uint32_t length, uint32_t apart)
{
    struct column c = *own;
    const uint32_t begin = own->from - (own->from & own->restart);
    word v[BATCH], carry = 0;
    SIMT_NO_UNROLL
    while (c.from < c.end) {
        if (next_count(&c) == BATCH)
            sum_next(sh->u, &c, BATCH, v);
        else
            sum_next(sh->u, &c, 1, v);
    }
    sh->scan[threadIdx.x] = c.sum;
    __syncthreads();
    for (uint32_t p = part, i = threadIdx.x; p * length > begin; p--)
        carry += sh->scan[i -= apart];
    return carry;
}

/* Convert integers less the base to values that are 'apart' apart, and store them. */
static __device__ __forceinline__ void write_numbers(const struct sz_tiles *s, uint32_t form,
                                                     word base, const word *v, uint32_t count,
                                                     int64_t stride, word *to)
{
    const bool is_plain = !IS_LOG && !IS_KEYS && s->sz.source == ZTI_SZ_LATTICE &&
                          !(form & ZTI_SZ_LOSSLESS) &&
                          (WIDTH == 32 || (form & ZTI_SZ_KIND) == ZTI_SZ_NARROW);
    const double unit = s->sz.step;
    if (is_plain) {
        SIMT_UNROLL
        for (uint32_t j = 0; j < count; j++)
            to[j * stride] =
                bits_of(NAME(multiple_of)((double)(int32_t)(uint32_t)(v[j] + base), unit));
        return;
    }
    for (uint32_t j = 0; j < count; j++)
        to[j * stride] = value_of(s, form, v[j] + base);
}

/* Sum along the slowest axis if needed, and store the tile's values in a view that contains the
 * tile. Each thread has neighbouring lines, or a part of one. */
static __device__ __forceinline__ void
sum_and_write(const struct sz_tiles *s, struct decode_state *sh, uint32_t form, word base)
{
    const struct walk *const w = &sh->walk;
    const uint32_t k = sh->axes - 1, extent = w->extent[k], step = sh->step[k];
    const int64_t stride = w->stride[k];
    uint32_t parts = 1;
    while (2 * parts * step <= THREADS && 2 * parts <= extent)
        parts *= 2;
    const uint32_t length = (extent + parts - 1) / parts;
    for (uint32_t i = threadIdx.x; i < step || parts > 1; i += THREADS) {
        const uint32_t part = parts > 1 ? i / step : 0, from = part * length;
        const bool is_here = part < parts && from < extent;
        uint32_t at[ZT_MAX_RANK];
        struct column c = {i - part * step, step, is_here ? from : 0, 0, 0, 0};
        c.end = !is_here ? 0 : extent - from < length ? extent : from + length;
        c.restart = w->differ >> k & 1 ? w->restart : 0;
        find_coordinates(c.first, w->extent, w->inverse, at);
        word *to = value_to(s, sh, at) + c.from * stride;
        if (parts > 1 && c.restart != 0)
            c.sum = sum_of_parts(sh, &c, is_here ? part : 0, length, step);
        SIMT_NO_UNROLL
        while (c.from < c.end) {
            const uint32_t count = next_count(&c);
            word v[BATCH];
            if (count == BATCH) {
                sum_next(sh->u, &c, BATCH, v);
                write_numbers(s, form, base, v, BATCH, stride, to);
            } else {
                sum_next(sh->u, &c, 1, v);
                write_numbers(s, form, base, v, 1, stride, to);
            }
            to += count * stride;
        }
        if (parts > 1)
            break;
    }
}

/* The exact value, or the value of a raw tile, at bit 'at'. */
static __device__ __forceinline__ word kept_value(const struct sz_tiles *s, uint64_t at)
{
    struct zti_bit_reader r = reader_at(s, at);
    return (word)zti_get_bits64(&r, WIDTH);
}

static __device__ __forceinline__ bool is_in_view(const struct decode_state *sh, const uint32_t *at)
{
    bool is_in = true;
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++)
        is_in = is_in && at[k] >= sh->from[k] && at[k] < sh->to[k];
    return is_in;
}

/* Store the exact values over what was decoded in their places. */
static __device__ __forceinline__ void
write_exact_values(const struct sz_tiles *s, const struct decode_state *sh, uint64_t kept)
{
    const uint32_t g = threadIdx.x / 2, second = threadIdx.x % 2;
    const uint32_t first = (uint32_t)sh->exact[g], half = (uint32_t)(sh->exact[g] >> 32 * second);
    uint32_t place = sh->exact_before[g] + (second ? (uint32_t)__popc(first) : 0);
    for (uint32_t left = half; left != 0; left &= left - 1, place++) {
        const uint32_t i = g * ZTI_SZ_GROUP + second * HALF + zti_ctz64(left);
        uint32_t at[ZT_MAX_RANK];
        find_coordinates(i, sh->walk.extent, sh->walk.inverse, at);
        if (sh->is_inside || is_in_view(sh, at))
            *value_to(s, sh, at) = kept_value(s, kept + (uint64_t)place * WIDTH);
    }
}

/* Store a tile's values in the view. */
static __device__ __forceinline__ void write_values(const struct sz_tiles *s,
                                                    struct decode_state *sh,
                                                    const struct sz_found *found, word base)
{
    const struct walk *const w = &sh->walk;
    const uint32_t form = found->form;
    const bool is_raw = (form & ZTI_SZ_KIND) == ZTI_SZ_RAW;
    const bool are_marked = IS_LOG && has_marks(&s->sz, form);
    const uint64_t kept = found->start + found->values_at;
    for (uint32_t i = threadIdx.x; i < w->n; i += THREADS) {
        uint32_t at[ZT_MAX_RANK];
        find_coordinates(i, w->extent, w->inverse, at);
        if (!sh->is_inside && !is_in_view(sh, at))
            continue;
        word *const to = value_to(s, sh, at);
        if (is_raw) {
            *to = kept_value(s, kept + (uint64_t)i * WIDTH);
        } else {
            const word v = value_of(s, form, sh->u[padded_place(i)] + base);
            const bool is_zero = are_marked && bit_at(sh->marks[0], i);
            const bool is_negative = are_marked && bit_at(sh->marks[1], i);
            *to = (is_zero ? 0 : v) ^ (word)is_negative << (WIDTH - 1);
        }
    }
}

/* ---- tiles ---- */

/* Load which values are exact, and the number of these before each 64 values. The first warp calls
 * it. */
static __device__ __forceinline__ void load_exact(struct decode_state *sh,
                                                  const struct sz_found *found)
{
    const uint32_t lane = threadIdx.x % 32;
    const uint64_t a = found->exact[2 * lane], b = found->exact[2 * lane + 1];
    const uint32_t of_a = (uint32_t)__popcll(a), of_b = (uint32_t)__popcll(b);
    const uint32_t up_to = warp_sums_32(of_a + of_b);
    sh->exact[2 * lane] = a;
    sh->exact[2 * lane + 1] = b;
    sh->exact_before[2 * lane] = up_to - of_a - of_b;
    sh->exact_before[2 * lane + 1] = up_to - of_b;
}

/* Compute a mark's bits from its differences from the row before, if a word has several rows. One
 * warp calls it; a lane has two words. */
static __device__ __forceinline__ void undo_short_rows(const uint64_t *against, uint64_t *bits,
                                                       uint32_t row)
{
    const uint32_t lane = threadIdx.x % 32;
    uint64_t v[2], last[2]; /* a word's rows, and its last one repeated */
    SIMT_UNROLL
    for (uint32_t i = 0; i < 2; i++) {
        v[i] = against[2 * lane + i];
        for (uint32_t step = row; step < 64; step *= 2)
            v[i] ^= v[i] << step;
        last[i] = v[i] >> (64 - row);
        for (uint32_t step = row; step < 64; step *= 2)
            last[i] |= last[i] << step;
    }
    const uint64_t own = last[0] ^ last[1];
    uint64_t up_to = own;
    for (uint32_t step = 1; step < 32; step *= 2) {
        const uint64_t left = __shfl_up_sync(SIMT_ALL_LANES, up_to, (int)step);
        up_to ^= lane >= step ? left : 0;
    }
    bits[2 * lane] = v[0] ^ up_to ^ own;
    bits[2 * lane + 1] = v[1] ^ up_to ^ last[1];
}

/* As undo_short_rows, for any rows; a thread has a column. The block calls it. */
static __device__ __forceinline__ void undo_rows(const uint64_t *against, uint64_t *bits,
                                                 uint32_t row, uint32_t n)
{
    for (uint32_t first = threadIdx.x; first < row; first += THREADS) {
        bool is_set = false;
        for (uint32_t i = first; i < n; i += row) {
            is_set ^= bit_at(against, i);
            if (is_set)
                simt_or(bits + i / 64, UINT64_C(1) << i % 64);
        }
    }
}

/* Load marks to shared memory. Valid after the next barrier. The block calls it. */
static __device__ __forceinline__ void load_marks(struct decode_state *sh, struct sz_found *found)
{
    const struct sz_found_marks *const marks = sz_marks_in(found);
    const uint32_t row = sh->walk.row, k = threadIdx.x / 64, warp = threadIdx.x / 32;
    const bool is_against = is_against_row(found->way[k]), is_short = row <= 64 && 64 % row == 0;
    if (is_short && is_against) {
        if (warp % 2 == 0)
            undo_short_rows(marks->bits[k], sh->marks[k], row);
    } else {
        const uint64_t bits = marks->bits[k][threadIdx.x % 64];
        sh->marks[k][threadIdx.x % 64] = is_against ? 0 : bits;
    }
    if (is_short)
        return;
    __syncthreads();
    for (uint32_t m = 0; m < 2; m++)
        if (is_against_row(found->way[m]))
            undo_rows(marks->bits[m], sh->marks[m], row, sh->walk.n);
}

/* Set the tile's place, and load what its decoding needs first. Valid after the next barrier. */
static __device__ __forceinline__ void place_tile(const struct sz_tiles *s, struct decode_state *sh,
                                                  const struct sz_found *found, uint64_t number)
{
    if (threadIdx.x < 32)
        place_axes(s, sh, number);
    if (threadIdx.x >= THREADS - 32 && (found->form & ZTI_SZ_HAS_EXACT))
        load_exact(sh, found);
}

/* Decode a tile's integers to sh->u, without the sums along axes from 'end' on. */
static __device__ __forceinline__ void decode_integers(const struct sz_tiles *s,
                                                       struct decode_state *sh,
                                                       struct sz_found *found, uint32_t coder,
                                                       uint32_t end)
{
    const uint32_t form = found->form & ZTI_SZ_KIND;
    if (form == ZTI_SZ_ZERO) {
        for (uint32_t i = threadIdx.x; i < PADDED; i += THREADS)
            sh->u[i] = 0;
        __syncthreads();
        return;
    }
    bool has_sums = false;
    if (is_cusz(coder, found->form)) {
        const uint32_t row = form == ZTI_SZ_NARROW ? row_sums(&sh->walk, false) : 0;
        decode_cusz(s, sh, found, row);
        has_sums = row > 0;
    } else {
        if (sh->walk.is_blocked)
            place_groups(sh);
        if (WIDTH == 32 || form == ZTI_SZ_NARROW) {
            has_sums = row_sums(&sh->walk, sh->walk.is_blocked) > 0;
            decode_groups(s, sh, found, is_coded(coder, found->form), false);
        } else {
            __syncthreads();
            decode_groups(s, sh, found, is_coded(coder, found->form), true);
        }
    }
    __syncthreads();
    for (uint32_t k = has_sums ? 1 : 0; k < end; k++) {
        if (!(sh->walk.differ >> k & 1))
            continue;
        sum_lines(sh, k);
        __syncthreads();
    }
}

/* Decode the tile of a slot. The block calls it. */
static __device__ __forceinline__ void decode_slot(const struct sz_tiles *s, uint32_t coder,
                                                   uint64_t slot)
{
    SIMT_SHARED_DYNAMIC(struct decode_state, sh);
    const uint64_t i = s->from + slot / s->tiles_each;
    const uint64_t chunk = s->chunks ? s->chunks[i] : s->first_chunk + i;
    const uint64_t in_chunk = s->skip + slot % s->tiles_each;
    const uint64_t number = chunk * s->chunk_tiles + in_chunk;
    struct sz_found *const found = sz_slot(s->found, &s->sz, slot);
    if (in_chunk >= s->chunk_tiles || number >= s->grid.count || found->start == FOUND_NOTHING)
        return;
    const uint32_t form = found->form, kind = form & ZTI_SZ_KIND;
    const bool is_raw = kind == ZTI_SZ_RAW, are_marked = IS_LOG && has_marks(&s->sz, form);
    place_tile(s, sh, found, number);
    if (kind == ZTI_SZ_NARROW && !is_cusz(coder, form))
        load_tile_bits(s, sh, found);
    __syncthreads();
    if (are_marked)
        load_marks(sh, found);
    const uint32_t last = sh->axes > 0 ? sh->axes - 1 : 0;
    const bool is_fast = sh->is_inside && has_residuals(form) && !are_marked && sh->step[last] >= 8;
    const word base = (word)s->sz.centre + unfold((word)found->away, kind == ZTI_SZ_NARROW);
    if (!is_raw)
        decode_integers(s, sh, found, coder, is_fast ? last : sh->axes);
    if (is_fast)
        sum_and_write(s, sh, form, base);
    else
        write_values(s, sh, found, base);
    if (form & ZTI_SZ_HAS_EXACT) {
        __syncthreads();
        write_exact_values(s, sh, found->start + found->values_at);
    }
}
