/* sz_cuda_decoder.h: kernel text: a tile by a block, from what was found in it (sz_cuda_find.cu).
 * Its parameters are those of sz_kernel.h.
 *
 * Two threads have a group, 32 values each. Planes and rounds are words with a bit of each value;
 * eight of them are turned, in eight registers, into a byte of each value:
 *
 *     plane 0   v31 ... v24 | v23 ... | ... v1 v0        register 0   v24 | v16 | v8  | v0
 *     plane 1                                       -->  register 1   v25 | v17 | v9  | v1
 *     ...                                                ...
 */

enum { HALF = ZTI_SZ_GROUP / 2 };

/* What a block has in shared memory. */
struct taking {
    word u[PADDED];
    uint64_t exact[EXACT_WORDS]; /* which values are kept as they are */
    uint64_t marks[2][IS_LOG ? EXACT_WORDS : 1];
    uint32_t exact_before[EXACT_WORDS];
    uint16_t origin[ZTI_SZ_GROUPS], within[ZTI_SZ_GROUP]; /* places of groups, and in them */
    struct walk walk;
    uint32_t axes, step[ZT_MAX_RANK]; /* between neighbours, in values of the tile */
    uint32_t from[ZT_MAX_RANK], to[ZT_MAX_RANK]; /* coordinates that are in the view */
    int64_t offset; /* of the tile's first value from the view's */
    bool is_inside; /* all of it */
    word scan[THREADS], warp_sum[THREADS / 32];
};

/* What a thread knows of the stream; places are in bits from the tile's first word of 32. */
struct tile_bits {
    const uint32_t *words;
    uint32_t words_count, skip; /* skip: where the tile begins */
};

/* A thread's half of a group. */
struct half_group {
    uint32_t c, at;    /* class; where its list, rounds or symbols are */
    uint32_t n, own;   /* values of the group, and of the half */
    uint32_t plane_at; /* the bit of plane 0 of the half's first value */
    uint32_t alive;    /* values that go on behind all rounds, */
    uint32_t rest_at;  /* where the group's numbers are */
    uint32_t high[4];  /* rounds that values were in: bits of these numbers */
};

static __device__ __forceinline__ struct tile_bits tile_bits_at(const struct sz_tiles *s,
                                                                uint64_t start)
{
    const uint64_t first = start / 32, all = 2 * s->words_count;
    struct tile_bits b;
    b.words = (const uint32_t *)(const void *)s->words + first;
    b.words_count = all > first ? simt_at_most(all - first, UINT32_MAX) : 0;
    b.skip = (uint32_t)(start % 32);
    return b;
}

static __device__ __forceinline__ uint32_t word_at(const struct tile_bits *b, uint32_t i)
{
    return i < b->words_count ? b->words[i] : 0;
}

/* 32 bits from bit 'at' on. */
static __device__ __forceinline__ uint32_t bits_at(const struct tile_bits *b, uint32_t at)
{
    const uint64_t both =
        word_at(b, at / 32) | (uint64_t)word_at(b, at / 32 + 1) << 32;
    return (uint32_t)(both >> at % 32);
}

static __device__ __forceinline__ struct zti_bit_reader reader_at(const struct sz_tiles *s,
                                                                  uint64_t at)
{
    const struct zti_bit_reader r = {s->words, s->words_count, at};
    return r;
}

/* ---- planes to values ---- */

/* Bits to the places of 'alive', in order; the others are 0. */
static __device__ __forceinline__ uint32_t spread(uint32_t bits, uint32_t alive)
{
    uint32_t to = 0;
    for (uint32_t left = alive; left != 0; bits >>= 1) {
        const uint32_t least = left & (0 - left);
        to |= bits & 1 ? least : 0;
        left ^= least;
    }
    return to;
}

/* Rounds of a group by its two threads; the block calls it, each thread for a half. */
static __device__ __forceinline__ void take_rounds(const struct tile_bits *b, struct half_group *h)
{
    uint32_t alive = is_list(h->c) || h->own == 0 ? 0 : 0xffffffffu >> (32 - h->own);
    uint32_t at = h->at;
    h->high[0] = h->high[1] = h->high[2] = h->high[3] = 0;
    for (uint32_t round = 0; round < ZTI_SZ_ROUNDS; round++) {
        const uint32_t count = (uint32_t)__popc(alive);
        const uint32_t others = __shfl_xor_sync(SIMT_ALL_LANES, count, 1);
        if (!__any_sync(SIMT_ALL_LANES, count > 0))
            break;
        const uint32_t bits = count > 0 ? bits_at(b, at + (threadIdx.x % 2 ? others : 0)) : 0;
        uint32_t carry = alive = round == 0 ? bits & alive : spread(bits, alive);
        at += count + others;
SIMT_UNROLL
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t both = h->high[i] & carry;
            h->high[i] ^= carry;
            carry = both;
        }
    }
    h->alive = alive;
    h->rest_at = at;
}

/* Plane j of a half: a bit of the low planes or of what is above. */
static __device__ __forceinline__ uint32_t plane_of(const struct tile_bits *b,
                                                    const struct half_group *h, uint32_t k,
                                                    uint32_t j)
{
    const uint32_t above_k = j - k;
    if (j < k)
        return bits_at(b, h->plane_at + j * h->n);
    return above_k == 0   ? h->high[0]
           : above_k == 1 ? h->high[1]
           : above_k == 2 ? h->high[2]
           : above_k == 3 ? h->high[3]
                          : 0;
}

/* Turn eight words of planes: byte m of word r is then of value 8 m + r. */
static __device__ __forceinline__ void turn_bytes(uint32_t *w)
{
    const uint32_t masks[3] = {0x0f0f0f0f, 0x33333333, 0x55555555};
SIMT_UNROLL
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t step = 4 >> i;
SIMT_UNROLL
        for (uint32_t k = 0; k < 8; k++) {
            if (k & step)
                continue;
            const uint32_t low = w[k], high = w[k + step];
            w[k] = (low & masks[i]) | (high << step & ~masks[i]);
            w[k + step] = (low >> step & masks[i]) | (high & ~masks[i]);
        }
    }
}

/* Bits 'from' to 'from' + 31 of a half's values, of k planes and what is above. */
static __device__ __forceinline__ void join_planes(const struct tile_bits *b,
                                                   const struct half_group *h, uint32_t k,
                                                   uint32_t from, uint32_t *u)
{
    const uint32_t high = h->high[3] ? 4 : h->high[2] ? 3 : h->high[1] ? 2 : h->high[0] ? 1 : 0;
    const uint32_t end = h->own > 0 ? k + high : 0;
SIMT_UNROLL
    for (uint32_t i = 0; i < HALF; i++)
        u[i] = 0;
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        uint32_t w[8];
        if (from + shift >= end)
            break;
SIMT_UNROLL
        for (uint32_t i = 0; i < 8; i++)
            w[i] = plane_of(b, h, k, from + shift + i);
        turn_bytes(w);
SIMT_UNROLL
        for (uint32_t i = 0; i < HALF; i++)
            u[i] |= (w[i % 8] >> i / 8 * 8 & 255) << shift;
    }
}

/* ---- where values are ---- */

/* Value i of a group, in sh->u. */
static __device__ __forceinline__ word *in_tile(struct taking *sh, uint32_t g, uint32_t i)
{
    return sh->u + pad((uint32_t)sh->origin[g] + sh->within[i]);
}

/* A half's integers, 32 bits of each from 'from' on; not unfolded where there are more. */
static __device__ __forceinline__ void put_half(struct taking *sh, const struct half_group *h,
                                                const uint32_t *u, uint32_t from, bool is_narrow)
{
    const uint32_t g = threadIdx.x / 2, first = threadIdx.x % 2 * HALF;
SIMT_UNROLL
    for (uint32_t i = 0; i < HALF; i++) {
        if (i >= h->own)
            continue;
        word *const to = in_tile(sh, g, first + i);
        if (from == 0)
            *to = is_narrow ? unfold(u[i], true) : u[i];
        else
            *to = unfold(*to | (word)((uint64_t)u[i] << from), false);
    }
}

/* Add to value i of group g, before differences were folded. */
static __device__ __forceinline__ void add_more(struct taking *sh, uint32_t g, uint32_t i,
                                                uint64_t more, bool is_narrow)
{
    word *const to = in_tile(sh, g, i);
    *to = unfold(fold(*to, is_narrow) + (word)more, is_narrow);
}

/* ---- what is rare ---- */

/* A group's list. One thread. */
static __device__ __noinline__ void take_list(const struct sz_tiles *s, struct taking *sh,
                                              uint64_t at, uint32_t g, uint32_t c, bool is_narrow)
{
    struct zti_bit_reader r = reader_at(s, at);
    for (uint32_t i = 0, next = 0; i < c; i++) {
        next += take_gap(&r, c);
        *in_tile(sh, g, next++) = unfold((word)(take_value(&r) + 1), is_narrow);
    }
}

/* What values are more than rounds or symbols say: 'of' one of these in each group, of which bits
 * say which values. One thread a group. */
static __device__ __noinline__ void take_more(const struct sz_tiles *s, struct taking *sh,
                                              uint64_t at, uint32_t g, uint64_t of, uint32_t shift,
                                              bool is_value, bool is_narrow)
{
    struct zti_bit_reader r = reader_at(s, at);
    for (; of != 0; of &= of - 1) {
        const uint64_t more = is_value ? take_value(&r) : take_number(&r);
        add_more(sh, g, zti_ctz64(of), shift < 64 ? more << shift : 0, is_narrow);
    }
}

/* ---- effort 'default' ---- */

/* What symbols say of a half's values, above 'shift' planes; which values are more. */
static __device__ __forceinline__ uint32_t add_symbols(const uint8_t *symbols,
                                                       const struct half_group *h, uint32_t shift,
                                                       uint32_t from, uint32_t *u)
{
    const uint32_t bits = book_of(h->c) > 1 ? 4 : 2, most = symbol_most(book_of(h->c));
    const uint32_t in_word = 32 / bits;
    const uint32_t *const words =
        (const uint32_t *)(const void *)(symbols + h->at) + threadIdx.x % 2 * bits;
    uint32_t more = 0;
    for (uint32_t q = 0; q < bits; q++) {
        const uint32_t w = words[q];
        const uint32_t pairs = w & w >> 1;
        uint32_t full = bits == 4 ? pairs & pairs >> 2 & 0x11111111 : pairs & 0x55555555;
        for (; full != 0; full &= full - 1)
            more |= 1u << (q * in_word + zti_ctz64(full) / bits);
    }
    const uint32_t *at = words;
    uint32_t w = 0;
SIMT_UNROLL
    for (uint32_t i = 0; i < HALF; i++) {
        if (i % 16 == 0 || (i % 8 == 0 && bits == 4))
            w = *at++;
        const uint64_t high = (uint64_t)(w & most) << (shift < 64 ? shift : 0);
        w >>= bits;
        u[i] |= (uint32_t)(high >> from);
    }
    return h->own > 0 ? more & 0xffffffffu >> (32 - h->own) : 0;
}

/* ---- residuals ---- */

/* A half's values of Rice codes or with effort 'default'. The block calls it. */
static __device__ __forceinline__ void take_halves(const struct sz_tiles *s, struct taking *sh,
                                                   struct sz_found *found, bool is_huffman)
{
    const struct tile_bits b = tile_bits_at(s, found->start);
    const uint32_t g = threadIdx.x / 2, second = threadIdx.x % 2;
    const bool is_narrow = (found->form & 3) == ZTI_SZ_NARROW;
    const uint32_t n = in_group(sh->walk.n, g);
    const uint64_t group = n > 0 ? found->groups[g] : 0;
    struct half_group h;
    uint32_t u[HALF];
    h.n = n;
    h.own = n <= second * HALF ? 0 : n - second * HALF < HALF ? n - second * HALF : (uint32_t)HALF;
    h.c = (uint32_t)group & 255;
    h.plane_at = b.skip + found->planes_at + ((uint32_t)group >> 8) + second * HALF;
    h.at = (uint32_t)(group >> 32) + (is_huffman ? 0 : b.skip);
    const uint32_t k = is_huffman ? class_shift(h.c) : class_planes(h.c);
    const bool has_symbols = is_huffman && h.own > 0 && !is_list(h.c);
    h.alive = h.rest_at = h.high[0] = h.high[1] = h.high[2] = h.high[3] = 0;
    if (!is_huffman)
        take_rounds(&b, &h);
    for (uint32_t from = 0; from < (is_narrow || WIDTH == 32 ? 32u : 64u); from += 32) {
        join_planes(&b, &h, k, from, u);
        if (has_symbols)
            h.alive = add_symbols((const uint8_t *)sz_symbols_in(found, &s->sz), &h, k, from, u);
        put_half(sh, &h, u, from, is_narrow || WIDTH == 32);
    }
    simt_order_warp(); /* the shuffle orders it in the tests */
    const uint32_t others = __shfl_xor_sync(SIMT_ALL_LANES, h.alive, 1);
    if (second != 0 || n == 0)
        return;
    if (is_list(h.c))
        take_list(s, sh, found->start + (uint32_t)(group >> 32), g, h.c, is_narrow);
    else if ((h.alive | others) != 0)
        take_more(s, sh,
                  found->start + (is_huffman ? found->excess_at[g] : h.rest_at - b.skip), g,
                  h.alive | (uint64_t)others << 32, k, is_huffman, is_narrow);
}

/* The sum of all threads' numbers before the caller's; all threads of the block call it. What was
 * in sh->scan is not looked at any more. */
static __device__ __forceinline__ word sum_before(struct taking *sh, word own)
{
    const uint32_t warp = threadIdx.x / 32;
    const word up_to = (word)(WIDTH == 32 ? (uint64_t)warp_sums_32((uint32_t)own)
                                          : warp_sums((uint64_t)own));
    word before = up_to - own;
    if (threadIdx.x % 32 == 31)
        sh->warp_sum[warp] = up_to;
    __syncthreads();
    for (uint32_t i = 0; i < warp; i++)
        before += sh->warp_sum[i];
    return before;
}

/* Effort 'paper': residuals from symbols, 32 values a thread. The block calls it. */
static __device__ __forceinline__ void take_paper(const struct sz_tiles *s, struct taking *sh,
                                                  struct sz_found *found)
{
    const uint16_t *const symbols = (const uint16_t *)sz_symbols_in(found, &s->sz);
    const uint32_t n = sh->walk.n, width = (found->form & 3) == ZTI_SZ_NARROW ? 32 : WIDTH;
    uint32_t outliers = 0;
    for (uint32_t i = threadIdx.x; i < n; i += THREADS)
        sh->u[pad(i)] = (word)symbols[i] - s->sz.bins / 2;
    for (uint32_t i = threadIdx.x * HALF; i < n && i < (threadIdx.x + 1) * HALF; i++)
        outliers += symbols[i] == 0;
    if (!__syncthreads_or(outliers > 0))
        return;
    struct zti_bit_reader r =
        reader_at(s, found->start + found->rest_at + (uint64_t)sum_before(sh, outliers) * width);
    for (uint32_t i = threadIdx.x * HALF; outliers > 0; i++)
        if (symbols[i] == 0) {
            sh->u[pad(i)] = (word)zti_take_bits64(&r, width);
            outliers--;
        }
}

/* ---- sums ---- */

/* Numbers of a line that a thread brings at a time: none waits for the one before to be stored. */
enum { BATCH = 8 };

/* A line's sums in place, from 'first' on, of so many numbers; *sum goes on behind the one before. */
static __device__ __forceinline__ void sum_line(word *u, uint32_t first, uint32_t step,
                                                uint32_t count, word *sum)
{
    uint32_t i = 0;
SIMT_NO_UNROLL
    for (; i + BATCH <= count; i += BATCH) {
        word v[BATCH];
SIMT_UNROLL
        for (uint32_t j = 0; j < BATCH; j++)
            v[j] = u[pad(first + (i + j) * step)];
SIMT_UNROLL
        for (uint32_t j = 0; j < BATCH; j++)
            u[pad(first + (i + j) * step)] = *sum += v[j];
    }
SIMT_NO_UNROLL
    for (; i < count; i++)
        u[pad(first + i * step)] = *sum += u[pad(first + i * step)];
}

/* As many more for all of them. */
static __device__ __forceinline__ void add_to_line(word *u, uint32_t first, uint32_t step,
                                                   uint32_t count, word more)
{
    uint32_t i = 0;
SIMT_NO_UNROLL
    for (; i + BATCH <= count; i += BATCH) {
        word v[BATCH];
SIMT_UNROLL
        for (uint32_t j = 0; j < BATCH; j++)
            v[j] = u[pad(first + (i + j) * step)];
SIMT_UNROLL
        for (uint32_t j = 0; j < BATCH; j++)
            u[pad(first + (i + j) * step)] = v[j] + more;
    }
SIMT_NO_UNROLL
    for (; i < count; i++)
        u[pad(first + i * step)] += more;
}

/* Sums along one axis, in place. A thread has a line or, where differences begin anew, a piece of
 * one; where there are fewer of these than threads, a part of one, and the sums of those before are
 * added. The block calls it. */
static __device__ __forceinline__ void sum_lines(struct taking *sh, uint32_t k)
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
        sum_line(sh->u, first, step, count, &sum);
    }
    if (parts == 1)
        return;
    const word before = sum_before(sh, sum);
    sh->scan[threadIdx.x] = before;
    __syncthreads();
    const word carry = before - sh->scan[threadIdx.x - threadIdx.x % parts];
    if (carry != 0)
        add_to_line(sh->u, first, step, count, carry);
}

/* ---- integers to values ---- */

/* A value of the view: the tile's value i, of which the coordinates are known. */
static __device__ __forceinline__ word *value_to(const struct sz_tiles *s, const struct taking *sh,
                                                 const uint32_t *at)
{
    int64_t offset = sh->offset;
SIMT_UNROLL
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++)
        offset += at[k] * sh->walk.stride[k];
    return (word *)s->view.out.data + offset;
}

/* A thread's numbers along the slowest axis: of a line, or a part of it where lines are few. */
struct column {
    uint32_t first, step; /* places in the tile */
    uint32_t from, end;   /* coordinates along the axis */
    uint32_t restart;     /* sums begin anew where these bits of a coordinate are 0 */
    word sum;             /* up to the one before */
};

/* The next numbers, summed up; as many as there are places for in v, or fewer. */
static __device__ __forceinline__ void sum_next(const word *u, struct column *c, uint32_t count,
                                                word *v)
{
SIMT_UNROLL
    for (uint32_t j = 0; j < count; j++)
        v[j] = u[pad(c->first + (c->from + j) * c->step)];
SIMT_UNROLL
    for (uint32_t j = 0; j < count; j++)
        v[j] = c->sum = v[j] + ((c->from + j) & c->restart ? c->sum : 0);
    c->from += count;
}

/* The sums of the parts before, of as many threads as 'apart' from one to the next. The block calls
 * it. */
static __device__ __forceinline__ word sum_of_parts(struct taking *sh, const struct column *own,
                                                    uint32_t part, uint32_t length, uint32_t apart)
{
    struct column c = *own;
    const uint32_t begin = own->from - (own->from & own->restart);
    word v[BATCH], carry = 0;
SIMT_NO_UNROLL
    while (c.from + BATCH <= c.end)
        sum_next(sh->u, &c, BATCH, v);
SIMT_NO_UNROLL
    while (c.from < c.end)
        sum_next(sh->u, &c, 1, v);
    sh->scan[threadIdx.x] = c.sum;
    __syncthreads();
    for (uint32_t p = part, i = threadIdx.x; p * length > begin; p--)
        carry += sh->scan[i -= apart];
    return carry;
}

/* Sums along the slowest axis, where there are any, and the tile's values to a view that has all of
 * it. Each thread has lines, side by side, or a part of one. */
static __device__ __forceinline__ void sum_and_put(const struct sz_tiles *s, struct taking *sh,
                                                   uint32_t form, word base)
{
    const struct walk *const w = &sh->walk;
    const uint32_t k = sh->axes - 1, extent = w->extent[k], step = sh->step[k];
    const bool is_plain = !IS_LOG && s->sz.source == ZTI_SZ_LATTICE && !(form & ZTI_SZ_LOSSLESS) &&
                          (WIDTH == 32 || (form & 3) == ZTI_SZ_NARROW);
    const int64_t stride = w->stride[k];
    const double unit = s->sz.step;
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
        split(c.first, w->extent, w->inverse, at);
        word *to = value_to(s, sh, at) + c.from * stride;
        if (parts > 1)
            c.sum = sum_of_parts(sh, &c, is_here ? part : 0, length, step);
SIMT_NO_UNROLL
        while (c.from < c.end) {
            const uint32_t count = c.end - c.from < BATCH ? 1 : BATCH;
            word v[BATCH];
            if (count == BATCH)
                sum_next(sh->u, &c, BATCH, v);
            else
                sum_next(sh->u, &c, 1, v);
SIMT_UNROLL
            for (uint32_t j = 0; j < BATCH; j++) {
                if (j >= count)
                    break;
                if (is_plain)
                    *to = bits_of((scalar)((double)(int32_t)(uint32_t)(v[j] + base) * unit));
                else
                    *to = value_of(s, form, v[j] + base);
                to += stride;
            }
        }
        if (parts > 1)
            break;
    }
}

/* Values that are kept as they are, or all of a raw tile. */
static __device__ __forceinline__ word kept_value(const struct sz_tiles *s, uint64_t at)
{
    struct zti_bit_reader r = reader_at(s, at);
    return (word)zti_take_bits64(&r, WIDTH);
}

static __device__ __forceinline__ bool is_in_view(const struct taking *sh, const uint32_t *at)
{
    bool is_in = true;
SIMT_UNROLL
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++)
        is_in = is_in && at[k] >= sh->from[k] && at[k] < sh->to[k];
    return is_in;
}

/* The values that are kept as they are, over what came out in their places. */
static __device__ __forceinline__ void put_exact_values(const struct sz_tiles *s,
                                                        const struct taking *sh, uint64_t kept)
{
    const uint32_t g = threadIdx.x / 2, second = threadIdx.x % 2;
    const uint32_t first = (uint32_t)sh->exact[g], half = (uint32_t)(sh->exact[g] >> 32 * second);
    uint32_t place = sh->exact_before[g] + (second ? (uint32_t)__popc(first) : 0);
    for (uint32_t left = half; left != 0; left &= left - 1, place++) {
        const uint32_t i = g * ZTI_SZ_GROUP + second * HALF + zti_ctz64(left);
        uint32_t at[ZT_MAX_RANK];
        split(i, sh->walk.extent, sh->walk.inverse, at);
        if (sh->is_inside || is_in_view(sh, at))
            *value_to(s, sh, at) = kept_value(s, kept + (uint64_t)place * WIDTH);
    }
}

/* A tile's values to the view. */
static __device__ __forceinline__ void put_values(const struct sz_tiles *s, struct taking *sh,
                                                  const struct sz_found *found, word base)
{
    const struct walk *const w = &sh->walk;
    const uint32_t form = found->form;
    const bool has_marks = IS_LOG && !(form & ZTI_SZ_LOSSLESS);
    const bool is_raw = (form & 3) == ZTI_SZ_RAW;
    const uint64_t kept = found->start + found->values_at;
    for (uint32_t i = threadIdx.x; i < w->n; i += THREADS) {
        uint32_t at[ZT_MAX_RANK];
        split(i, w->extent, w->inverse, at);
        if (!sh->is_inside && !is_in_view(sh, at))
            continue;
        word *const to = value_to(s, sh, at);
        if (is_raw) {
            *to = kept_value(s, kept + (uint64_t)i * WIDTH);
        } else {
            const word v = value_of(s, form, sh->u[pad(i)] + base);
            const bool is_zero = has_marks && bit_at(sh->marks[0], i);
            const bool is_negative = has_marks && bit_at(sh->marks[1], i);
            *to = (is_zero ? 0 : v) ^ (word)is_negative << (WIDTH - 1);
        }
    }
}

/* ---- tiles ---- */

/* Which values are exact, and how many before each 64. The first warp. */
static __device__ __forceinline__ void load_exact(struct taking *sh, const struct sz_found *found)
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

/* A mark's bits from those of what differs from the row before, of rows that a word has several of.
 * A warp, two words a lane. */
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

/* The same for any rows, a column of them a thread. The block calls it. */
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

/* Marks to shared memory. There after the next barrier. The block calls it. */
static __device__ __forceinline__ void load_marks(struct taking *sh, struct sz_found *found)
{
    const struct sz_found_marks *const marks = sz_marks_in(found);
    const uint32_t row = sh->walk.row, limit = ZTI_SZ_MARKS_RUNS + ZTI_SZ_MARKS_ORDERS;
    const uint32_t k = threadIdx.x / 64, warp = threadIdx.x / 32;
    const bool is_against = found->way[k] >= limit, is_short = row <= 64 && 64 % row == 0;
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
        if (found->way[m] >= limit)
            undo_rows(marks->bits[m], sh->marks[m], row, sh->walk.n);
}

/* What of a tile a view has, and where the tile's values are from the view's first. One thread. */
static __device__ __forceinline__ void cut_tile(const struct sz_tiles *s, struct taking *sh,
                                                uint64_t number)
{
    uint32_t k = 0;
    sh->offset = 0;
    sh->is_inside = true;
    for (uint32_t i = 0; i < ZT_MAX_RANK; i++) {
        sh->from[i] = 0;
        sh->to[i] = 1;
    }
    for (uint32_t i = s->grid.rank; i-- > 0;) {
        const uint64_t origin = take_place(&number, s->grid.tiles[i]) * s->grid.side[i];
        const uint64_t rest = s->grid.shape[i] - origin, lo = s->view.lo[i], hi = s->view.hi[i];
        const uint32_t extent = rest < s->grid.side[i] ? (uint32_t)rest : s->grid.side[i];
        const uint32_t from = lo > origin ? simt_at_most(lo - origin, extent) : 0;
        const uint32_t to = hi > origin ? simt_at_most(hi - origin, extent) : 0;
        sh->offset += ((int64_t)origin - (int64_t)lo) * s->view.out.stride[i];
        sh->is_inside = sh->is_inside && from == 0 && to == extent;
        if (extent > 1) {
            sh->from[k] = from;
            sh->to[k++] = to;
        } else if (from >= to) {
            sh->from[ZT_MAX_RANK - 1] = 1; /* none */
        }
    }
}

/* Where the tile is, and what of it comes first. There after the next barrier. */
static __device__ __forceinline__ void place_tile(const struct sz_tiles *s, struct taking *sh,
                                                  const struct sz_found *found, uint64_t number)
{
    if (threadIdx.x == 0) {
        uint32_t step = 1;
        walk_of(s, number, &sh->walk);
        sh->axes = 0;
        for (uint32_t k = 0; k < ZT_MAX_RANK; k++) {
            sh->step[k] = step;
            step *= sh->walk.extent[k];
            sh->axes += sh->walk.extent[k] > 1;
        }
    }
    if (threadIdx.x == 32)
        cut_tile(s, sh, number);
    if (threadIdx.x >= THREADS - 32 && (found->form & ZTI_SZ_HAS_EXACT))
        load_exact(sh, found);
}

/* Where groups begin, and where a group's values are from there. There after the next barrier. */
static __device__ __forceinline__ void place_groups(struct taking *sh)
{
    const struct walk *const w = &sh->walk;
    const uint32_t i = threadIdx.x % ZTI_SZ_GROUP;
    uint32_t at[ZT_MAX_RANK], within = i, origin = 0, offset = 0;
    split(i, w->blocks, w->block_inverse, at);
SIMT_UNROLL
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++) {
        origin += (at[k] << w->side[k]) * sh->step[k];
        offset += (within & ((1u << w->side[k]) - 1)) * sh->step[k];
        within >>= w->side[k];
    }
    if (threadIdx.x < ZTI_SZ_GROUPS)
        sh->origin[i] = (uint16_t)(w->is_blocked ? origin : i * ZTI_SZ_GROUP);
    else
        sh->within[i] = (uint16_t)(w->is_blocked ? offset : i);
}

/* A tile's integers, in sh->u, but for sums along axes from 'end' on. */
static __device__ __forceinline__ void take_integers(const struct sz_tiles *s, struct taking *sh,
                                                     struct sz_found *found, uint32_t effort,
                                                     uint32_t end)
{
    const uint32_t form = found->form & 3;
    if (form == ZTI_SZ_ZERO) {
        for (uint32_t i = threadIdx.x; i < PADDED; i += THREADS)
            sh->u[i] = 0;
        __syncthreads();
        return;
    }
    if (effort == ZT_EFFORT_PAPER && is_coded(effort, found->form)) {
        take_paper(s, sh, found);
    } else {
        place_groups(sh);
        __syncthreads();
        take_halves(s, sh, found, is_coded(effort, found->form));
    }
    __syncthreads();
    for (uint32_t k = 0; k < end; k++) {
        if (!(sh->walk.differ >> k & 1))
            continue;
        sum_lines(sh, k);
        __syncthreads();
    }
}

/* A block's tile. */
static __device__ __forceinline__ void take_slot(const struct sz_tiles *s, uint32_t effort)
{
    SIMT_SHARED_DYNAMIC(struct taking, sh);
    const uint64_t slot = blockIdx.x, i = s->from + slot / s->tiles_each;
    const uint64_t chunk = s->chunks ? s->chunks[i] : s->first_chunk + i;
    const uint64_t in_chunk = s->skip + slot % s->tiles_each;
    const uint64_t number = chunk * s->chunk_tiles + in_chunk;
    struct sz_found *const found = sz_slot(s->found, &s->sz, slot);
    if (in_chunk >= s->chunk_tiles || number >= s->grid.count || found->start == FOUND_NOTHING)
        return;
    const uint32_t form = found->form;
    const bool is_raw = (form & 3) == ZTI_SZ_RAW;
    const bool has_marks = IS_LOG && !is_raw && !(form & ZTI_SZ_LOSSLESS);
    place_tile(s, sh, found, number);
    __syncthreads();
    if (has_marks)
        load_marks(sh, found);
    const uint32_t last = sh->axes > 0 ? sh->axes - 1 : 0;
    const bool is_fast = sh->is_inside && !is_raw && !has_marks &&
                         (form & 3) != ZTI_SZ_ZERO && sh->step[last] >= 8;
    const word base = (word)s->sz.centre + unfold((word)found->away, (form & 3) == ZTI_SZ_NARROW);
    if (!is_raw)
        take_integers(s, sh, found, effort, is_fast ? last : sh->axes);
    if (is_fast)
        sum_and_put(s, sh, form, base);
    else
        put_values(s, sh, found, base);
    if (form & ZTI_SZ_HAS_EXACT) {
        __syncthreads();
        put_exact_values(s, sh, found->start + found->values_at);
    }
}
