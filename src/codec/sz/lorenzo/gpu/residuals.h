/* residuals.h: kernel text: decode the residuals of a tile's groups, from its bits and the
 * positions found in it. Its parameters are those of lorenzo/gpu/kernel.h.
 *
 * Two threads have a group, 32 values each. A plane is a word with a bit of each value: the low
 * planes are in the stream, the upper ones come from unary codes or symbols. If its lowest bit is
 * set, a residual is negative and its other bits are flipped; this is done on planes. Then eight
 * planes are transposed, in eight registers, to a byte of each value:
 *
 *     plane 0   v31 ... v24 | v23 ... | ... v1 v0        register 0   v24 | v16 | v8  | v0
 *     plane 1                                       -->  register 1   v25 | v17 | v9  | v1
 *     ...                                                ... */

enum {
    HALF = ZTI_SZ_GROUP / 2,
    HIGH = 7 /* most planes above the stream's; larger values are handled one by one */
};

/* A thread's half of a group; places are in bits from the tile's first bit in shared memory. */
struct half_group {
    uint32_t c, k;     /* class; planes in the stream */
    uint32_t at;       /* place of its rounds */
    uint32_t n, own;   /* values of the group, and of the half */
    uint32_t plane_at; /* the bit of plane 0 of the half's first value */
    uint32_t high[HIGH];
    uint32_t alive;   /* values with more bits, written one by one, */
    uint64_t more_at; /* at this bit of the stream; */
    uint32_t base;    /* the part of these values that is known */
};

/* A tile's bits: in shared memory or, for wide tiles, in the stream, which ends with the last
 * word. */
struct tile_bits {
    const uint32_t *words;
    uint32_t last;
    bool is_near;
};

/* 32 bits from bit 'at' on. */
static __device__ __forceinline__ uint32_t bits_at(const struct tile_bits *b, uint32_t at)
{
    const uint32_t i = at / 32;
    if (b->is_near)
        return __funnelshift_r(b->words[i], b->words[i + 1], at % 32);
    return __funnelshift_r(b->words[i < b->last ? i : b->last],
                           b->words[i + 1 < b->last ? i + 1 : b->last], at % 32);
}

/* ---- the bits above the planes ---- */

/* Spread bits to the places of the ones of 'alive' (as PDEP). */
static __device__ __forceinline__ uint32_t deposit_bits(uint32_t bits, uint32_t alive)
{
    uint32_t to = 0;
    for (uint32_t left = alive; left != 0;) {
        SIMT_UNROLL
        for (uint32_t i = 0; i < 2; i++) {
            const uint32_t least = left & (0 - left);
            to += (bits & 1) * least;
            left ^= least;
            bits >>= 1;
        }
    }
    return to;
}

/* Read the rounds of a group with its two threads; returns their end. Planes of the number of
 * rounds are updated as a binary counter. The warp calls it. */
static __device__ __forceinline__ uint32_t decode_rounds(const struct tile_bits *bits,
                                                         struct half_group *h)
{
    const uint32_t second = threadIdx.x % 2;
    uint32_t alive = is_list(h->c) || h->own == 0 ? 0 : 0xffffffffu >> (32 - h->own), at = h->at;
    SIMT_NO_UNROLL
    for (uint32_t round = 0; round < ZTI_SZ_ROUNDS; round += 4) {
        uint32_t goes_on[4];
        SIMT_UNROLL
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t count = (uint32_t)__popc(alive);
            const uint32_t others = __shfl_xor_sync(SIMT_ALL_LANES, count, 1);
            const uint32_t next = bits_at(bits, at + (second ? others : 0));
            alive = round + i == 0 ? next & alive : deposit_bits(next, alive);
            at += count + others;
            goes_on[i] = alive;
        }
        h->high[0] ^= goes_on[0] ^ goes_on[1] ^ goes_on[2] ^ goes_on[3];
        h->high[1] ^= goes_on[1] ^ goes_on[3];
        h->high[2] ^= goes_on[3];
        h->high[3] ^= round == 4 ? goes_on[3] : 0;
        if (!__any_sync(SIMT_ALL_LANES, alive != 0))
            break;
    }
    h->alive = alive;
    return at;
}

/* Exchange the bits of 'mask' in b with those 'shift' places above in a. */
static __device__ __forceinline__ void swap_bits(uint32_t *a, uint32_t *b, uint32_t shift,
                                                 uint32_t mask)
{
    const uint32_t low = *a, high = *b;
    *a = (low & mask) | (high << shift & ~mask);
    *b = (low >> shift & mask) | (high & ~mask);
}

/* Transpose words of eight 4-bit numbers to planes: first bytes, then each of the three bits of a
 * number's place in its word is exchanged with one of the word's index. */
static __device__ __forceinline__ void transpose_numbers(const uint32_t *w, uint32_t *planes)
{
    uint32_t a[4], b[4];
    SIMT_UNROLL
    for (uint32_t i = 0; i < 4; i += 2) {
        a[i] = __byte_perm(w[i], w[i + 1], 0x5140);
        a[i + 1] = __byte_perm(w[i], w[i + 1], 0x7362);
    }
    b[0] = __byte_perm(a[0], a[2], 0x5410); /* byte 0 of each word: values 0 and 1 of each eight */
    b[1] = __byte_perm(a[0], a[2], 0x7632);
    b[2] = __byte_perm(a[1], a[3], 0x5410);
    b[3] = __byte_perm(a[1], a[3], 0x7632);
    swap_bits(b + 0, b + 2, 4, 0x0f0f0f0f);
    swap_bits(b + 1, b + 3, 4, 0x0f0f0f0f);
    swap_bits(b + 0, b + 1, 2, 0x33333333);
    swap_bits(b + 2, b + 3, 2, 0x33333333);
    swap_bits(b + 0, b + 2, 1, 0x55555555);
    swap_bits(b + 1, b + 3, 1, 0x55555555);
    planes[0] = b[0];
    planes[1] = b[2];
    planes[2] = b[1];
    planes[3] = b[3];
}

/* Widen sixteen 2-bit numbers to four bits each. */
static __device__ __forceinline__ void widen_numbers(uint32_t from, uint32_t *to)
{
    SIMT_UNROLL
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t x = from >> 16 * i & 0xffff;
        x = (x | x << 8) & 0x00ff00ff;
        x = (x | x << 4) & 0x0f0f0f0f;
        to[i] = (x | x << 2) & 0x33333333;
    }
}

/* Set the planes of a half's values from symbols, and which values have excesses. */
static __device__ __forceinline__ void read_symbols(const uint8_t *symbols, struct half_group *h)
{
    const uint32_t second = threadIdx.x % 2, most = symbol_most(book_of(h->c));
    const uint32_t *const words =
        (const uint32_t *)(const void *)symbols + second * (most == 3 ? 2 : 4);
    uint32_t w[4];
    if (most == 3) {
        widen_numbers(words[0], w);
        widen_numbers(words[1], w + 2);
    } else {
        SIMT_UNROLL
        for (uint32_t i = 0; i < 4; i++)
            w[i] = words[i];
    }
    transpose_numbers(w, h->high);
    h->alive = h->high[0] & h->high[1] &
               (most == 3 ? 0xffffffffu >> (32 - h->own) : h->high[2] & h->high[3]) &
               0xffffffffu >> (32 - h->own);
    h->base = most;
}

/* ---- what is written one by one ---- */

/* The values of a list, or those of a group with excesses over rounds or symbols. */
struct items {
    struct zti_bit_reader r;
    uint64_t left; /* a bit for each; for a list, their number */
    uint32_t next; /* for a list: least place of the next one */
    uint32_t c, base;
    bool is_value;
};

static __device__ __forceinline__ struct items
items_of(const struct sz_tiles *s, const struct half_group *h, uint64_t of, bool is_value)
{
    const struct items t = {{s->words, s->words_count, h->more_at},
                            is_list(h->c) ? h->c : of,
                            0,
                            h->c,
                            h->base,
                            is_value};
    return t;
}

/* Read the next item, which exists: its place in the group, and its bits above the planes. */
static __device__ __forceinline__ uint64_t next_item(struct items *t, uint32_t *place)
{
    if (is_list(t->c)) {
        t->left--;
        t->next += read_gap(&t->r, t->c);
        *place = t->next++;
        return read_value(&t->r) + 1;
    }
    *place = zti_ctz64(t->left);
    t->left &= t->left - 1;
    return t->base + (t->is_value ? read_value(&t->r) : read_number(&t->r));
}

/* Set the planes of these values; returns which ones exceed the planes. */
static __device__ __forceinline__ uint32_t read_items(struct items t, uint32_t *high)
{
    uint32_t far = 0;
    while (t.left != 0) {
        uint32_t place;
        const uint64_t v = next_item(&t, &place);
        if (place / HALF != threadIdx.x % 2)
            continue;
        const uint32_t bit = 1u << place % HALF;
        SIMT_UNROLL
        for (uint32_t i = 0; i < HIGH; i++)
            high[i] = (high[i] & ~bit) | (v >> i & 1 ? bit : 0);
        far |= v >> HIGH != 0 ? bit : 0;
    }
    return far;
}

/* ---- planes to residuals ---- */

/* Transpose eight words of planes: byte m of word r is then of value 8 m + r. */
static __device__ __forceinline__ void transpose_bytes(uint32_t *w)
{
    SIMT_UNROLL
    for (uint32_t step = 4; step > 0; step /= 2) {
        const uint32_t mask = step == 4 ? 0x0f0f0f0f : step == 2 ? 0x33333333 : 0x55555555;
        SIMT_UNROLL
        for (uint32_t k = 0; k < 8; k++)
            if (!(k & step))
                swap_bits(w + k, w + k + step, step, mask);
    }
}

/* Load planes from j on, exclusive-or'ed with 'flip'; those outside ['first', 'end') are 0. */
static __device__ __forceinline__ void load_planes(const struct tile_bits *bits,
                                                   const struct half_group *h, int32_t j,
                                                   int32_t first, int32_t end, uint32_t flip,
                                                   uint32_t *w)
{
    const uint32_t shift = h->plane_at % 32;
    const uint32_t *const from = bits->words + (int32_t)(h->plane_at / 32) + 2 * j;
    if (h->n == ZTI_SZ_GROUP && bits->is_near) {
        SIMT_UNROLL
        for (int32_t i = 0; i < 8; i++)
            w[i] = i >= first && i < end
                       ? __funnelshift_r(from[2 * i], from[2 * i + 1], shift) ^ flip
                       : 0;
        return;
    }
    SIMT_UNROLL
    for (int32_t i = 0; i < 8; i++)
        w[i] = i >= first && i < end ? bits_at(bits, h->plane_at + (uint32_t)(j + i) * h->n) ^ flip
                                     : 0;
}

/* Join the planes of some values of a half to residuals, with high words if they are wide; number
 * and first value are multiples of 8. The highest planes come first. */
static __device__ __forceinline__ void join_planes(const struct tile_bits *bits,
                                                   const struct half_group *h, uint32_t first,
                                                   uint32_t count, bool is_wide, uint32_t *low,
                                                   uint32_t *high)
{
    const uint32_t flip = h->own == 0 ? 0 : h->k == 0 ? h->high[0] : bits_at(bits, h->plane_at);
    int32_t left = (int32_t)h->k - (8 - HIGH); /* planes from plane 1 on that come later */
    uint32_t w[8];
    load_planes(bits, h, left + 1, left < 0 ? -left : 0, 7 - HIGH, flip, w);
    SIMT_UNROLL
    for (uint32_t i = 0; i < HIGH; i++)
        w[7 - HIGH + i] = h->high[i] ^ flip;
    w[7] = flip;
    transpose_bytes(w);
    SIMT_UNROLL
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t above = 24 - (first + i) / 8 * 8;
        low[i] = (uint32_t)((int32_t)(w[i % 8] << above) >> (left < 0 ? 24 - left : 24));
        if (is_wide)
            high[i] = 0 - (low[i] >> 31);
    }
    while (left > 0) {
        const int32_t some = left < 8 ? left : 8;
        left -= some;
        load_planes(bits, h, left + 1, 0, some, flip, w);
        transpose_bytes(w);
        SIMT_UNROLL
        for (uint32_t i = 0; i < count; i++) {
            if (is_wide)
                high[i] = __funnelshift_l(low[i], high[i], (uint32_t)some);
            low[i] = low[i] * (1u << some) + __byte_perm(w[i % 8], 0, 0x4440 + (first + i) / 8);
        }
    }
}

/* Add the parts of these values that planes do not have. */
static __device__ __forceinline__ void add_items(struct items t, uint32_t k, uint32_t first,
                                                 uint32_t count, bool is_wide, uint32_t *low,
                                                 uint32_t *high)
{
    while (t.left != 0) {
        uint32_t place;
        const uint64_t v = next_item(&t, &place) >> HIGH;
        const uint64_t more = k + HIGH < 64 ? v << (k + HIGH) : 0;
        if (place / HALF != threadIdx.x % 2)
            continue;
        SIMT_UNROLL
        for (uint32_t i = 0; i < count; i++) {
            const word old = (word)((is_wide ? (uint64_t)high[i] << 32 : 0) | low[i]);
            const word now = unfold(fold(old, !is_wide) + (word)more, !is_wide);
            if (first + i != place % HALF)
                continue;
            low[i] = (uint32_t)now;
            if (is_wide)
                high[i] = (uint32_t)((uint64_t)now >> 32);
        }
    }
}

/* ---- sums within a thread ---- */

/* The length of rows whose sums are computed in registers: a power of two, or 0. */
static __device__ __forceinline__ uint32_t row_sums(const struct walk *w, bool is_blocked)
{
    const uint32_t block = w->restart + 1, extent = w->extent[0];
    const uint32_t row = block == 0 || extent % block != 0 ? extent : block;
    const bool is_whole = block == 0 || extent % block == 0 || extent < block;
    return !is_blocked && (w->differ & 1) && is_whole && (row & (row - 1)) == 0 ? row : 0;
}

/* Prefix sums of a thread's values along rows of a power of two of values; returns the sum of the
 * threads before in the same row and warp. up_to: that sum and the thread's own. The warp calls
 * it. */
static __device__ __forceinline__ uint32_t sum_rows(uint32_t row, uint32_t *v, uint32_t *up_to)
{
    const uint32_t place = threadIdx.x % 32 & (row / HALF - 1);
    SIMT_UNROLL
    for (uint32_t i = 1; i < HALF; i++)
        if (row > (i & (0 - i)))
            v[i] += v[i - 1];
    *up_to = v[HALF - 1];
    if (row <= HALF)
        return 0;
    for (uint32_t step = 1; step < 32 && step < row / HALF; step *= 2) {
        const uint32_t before = __shfl_up_sync(SIMT_ALL_LANES, *up_to, (int)step);
        *up_to += place >= step ? before : 0;
    }
    return *up_to - v[HALF - 1];
}
