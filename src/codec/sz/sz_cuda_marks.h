/* sz_cuda_marks.h: kernel text: which values of a tile of logarithms are zero, and which are
 * negative: marks, their bits (sz_marks.c), and back. Its parameters are those of sz_kernel.h. */

/* A value as a number, where it is one of a floating-point type. */
static __device__ __forceinline__ scalar number_of(word bits)
{
    scalar v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static __device__ __forceinline__ word bits_of(scalar v)
{
    word bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* What a block has in shared memory beside struct shared, where values are logarithms. Mark 0 is
 * that of zeros, mark 1 that of negative values. */
struct marks {
    uint64_t bits[2][EXACT_WORDS];
    uint64_t against[2][EXACT_WORDS]; /* where they differ from the row before */
    uint64_t gaps[EXACT_WORDS];       /* values that have no integer of their own */
    uint32_t run_bits[2][2 * ZTI_SZ_MARKS_ORDERS]; /* of all runs: of bits, of against */
    uint32_t way[2], bytes[2];
};

/* Bits of values in order, from a bit of each. All threads of a warp call it, for values of the
 * same 32 bits. */
static __device__ __forceinline__ void put_bits_of(uint64_t *bits, uint32_t i, bool own)
{
    const unsigned all = __ballot_sync(SIMT_ALL_LANES, own);
    if (threadIdx.x % 32 == 0)
        ((uint32_t *)(void *)bits)[i / 32] = all;
}

/* The marks of a tile; whether any value is zero. */
static __device__ __forceinline__ bool find_marks(const struct walk *w, struct marks *m)
{
    const uint32_t row = w->row;
    bool has_zeros = false;
    for (uint32_t i = threadIdx.x; i < 64 * EXACT_WORDS; i += PUT_THREADS) {
        const scalar v = i < w->n ? number_of(*value_in(w, i)) : (scalar)1;
        has_zeros = has_zeros || v == 0;
        put_bits_of(m->bits[0], i, v == 0);
        put_bits_of(m->bits[1], i, bits_of(v) >> (WIDTH - 1) != 0);
    }
    has_zeros = __syncthreads_or(has_zeros);
    for (uint32_t i = threadIdx.x; i < 64 * EXACT_WORDS; i += PUT_THREADS)
        for (uint32_t k = 0; k < 2; k++) {
            const bool before = i >= row && i < w->n && bit_at(m->bits[k], i - row);
            put_bits_of(m->against[k], i, bit_at(m->bits[k], i) ^ before);
        }
    return has_zeros;
}

/* How a mark is coded, of which the bits of each order are known. */
static __device__ __forceinline__ void choose_way(struct marks *m, uint32_t mark, uint32_t n)
{
    uint32_t best = 0, bits = UINT32_MAX;
    const uint32_t *const of = m->run_bits[mark];
    for (uint32_t i = 0; i < 2 * ZTI_SZ_MARKS_ORDERS; i++)
        if (of[i] < bits) {
            bits = of[i];
            best = i;
        }
    const uint32_t first = run_end(m->bits[mark], 0, n, false);
    const bool is_all = first == 0 && run_end(m->bits[mark], 0, n, true) == n;
    m->way[mark] = first == n ? (uint32_t)ZTI_SZ_MARKS_NONE
                   : is_all   ? (uint32_t)ZTI_SZ_MARKS_ALL
                   : bits < n ? ZTI_SZ_MARKS_RUNS + best
                              : (uint32_t)ZTI_SZ_MARKS_BITMAP;
    m->bytes[mark] = 1 + (first == n || is_all ? 0 : bits < n ? (bits + 7) / 8 : (n + 7) / 8);
}

/* How both marks are coded. A warp: two marks in two ways with eight orders. */
static __device__ __forceinline__ void measure_marks(struct marks *m, uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32, k = lane % ZTI_SZ_MARKS_ORDERS;
    const uint32_t mark = lane / 16, way = lane / ZTI_SZ_MARKS_ORDERS % 2;
    const uint64_t *const bits = way == 0 ? m->bits[mark] : m->against[mark];
    uint32_t sum = 0;
    bool is_set = false;
    for (uint32_t at = 0, end; at < n; at = end, is_set = !is_set) {
        end = run_end(bits, at, n, is_set);
        sum += run_bits(end - at - (is_set || at > 0), k);
    }
    m->run_bits[mark][lane % 16] = sum;
    __syncwarp(SIMT_ALL_LANES);
    if (lane < 2)
        choose_way(m, lane, n);
}

/* A mark's bytes. One thread. */
static __device__ __forceinline__ void put_mark(uint32_t *out, uint32_t at, const struct marks *m,
                                                uint32_t mark, uint32_t n)
{
    const uint32_t way = m->way[mark], number = way - ZTI_SZ_MARKS_RUNS;
    const uint32_t k = number % ZTI_SZ_MARKS_ORDERS;
    const bool has_runs = way >= ZTI_SZ_MARKS_RUNS;
    const uint64_t *const bits =
        has_runs && number >= ZTI_SZ_MARKS_ORDERS ? m->against[mark] : m->bits[mark];
    bool is_set = false;
    put_at(out, &at, way, 8);
    for (uint32_t from = 0, end; has_runs && from < n; from = end, is_set = !is_set) {
        end = run_end(bits, from, n, is_set);
        const uint32_t v = end - from - (is_set || from > 0) + (1u << k);
        const uint32_t top = zti_bit_length64(v) - 1;
        put_at(out, &at, UINT64_C(1) << (top - k), top - k + 1);
        put_at(out, &at, v & ((1u << top) - 1), top);
    }
    for (uint32_t from = 0; way == ZTI_SZ_MARKS_BITMAP && from < n; from += 8)
        put_at(out, &at, bits[from / 64] >> from % 64 & 255, 8);
}

/* ---- back ---- */

/* A mark's runs; false where they are not a tile's. One thread. */
static __device__ __forceinline__ bool take_runs(struct zti_bit_reader *r, uint64_t end_bits,
                                                 uint32_t n, uint32_t k, uint64_t *bits)
{
    bool is_set = false;
    for (uint32_t at = 0, is_later = 0; at < n; is_set = !is_set, is_later = 1) {
        if (r->at >= end_bits)
            return false;
        const uint64_t ahead = zti_peek_bits(r);
        const uint32_t zeros = ahead ? zti_ctz64(ahead) : 64, top = zeros + k;
        if (top > ZTI_SZ_MARKS_TOP)
            return false;
        r->at += zeros + 1;
        const uint32_t v = (uint32_t)zti_take_bits64(r, top) | 1u << top;
        const uint32_t length = v - (1u << k) + is_later;
        if (length > n - at)
            return false;
        for (const uint32_t stop = at + length; at < stop; at++)
            bits[at / 64] |= (uint64_t)is_set << at % 64;
    }
    return r->at <= end_bits;
}

/* A mark, as it is coded: where it is so by what differs from the row before, that. One thread. */
static __device__ __forceinline__ bool take_mark(struct zti_bit_reader *r, uint64_t end_bits,
                                                 uint32_t n, struct marks *m, uint32_t mark)
{
    for (uint32_t i = 0; i < EXACT_WORDS; i++)
        m->bits[mark][i] = m->against[mark][i] = 0;
    if (r->at + 8 > end_bits)
        return false;
    const uint32_t way = (uint32_t)zti_take_bits64(r, 8), number = way - ZTI_SZ_MARKS_RUNS;
    m->way[mark] = way;
    if (way == ZTI_SZ_MARKS_BITMAP && r->at + (n + 7) / 8 * 8 > end_bits)
        return false;
    for (uint32_t i = 0; way == ZTI_SZ_MARKS_ALL && i < EXACT_WORDS; i++)
        m->bits[mark][i] = ~UINT64_C(0);
    for (uint32_t i = 0; way == ZTI_SZ_MARKS_BITMAP && i < n; i += 8)
        m->bits[mark][i / 64] |= zti_take_bits64(r, 8) << i % 64;
    if (way < ZTI_SZ_MARKS_RUNS)
        return true;
    if (number >= 2 * ZTI_SZ_MARKS_ORDERS)
        return false;
    if (!take_runs(r, end_bits, n, number % ZTI_SZ_MARKS_ORDERS,
                   number < ZTI_SZ_MARKS_ORDERS ? m->bits[mark] : m->against[mark]))
        return false;
    r->at = (r->at + 7) & ~UINT64_C(7);
    return true;
}

/* Marks of what differs to marks, a column of the rows a thread. */
static __device__ __forceinline__ void undo_rows(const struct sz_tile *t, struct marks *m)
{
    const uint32_t row = t->extent[t->rank - 1];
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t first = threadIdx.x;
             m->way[k] >= ZTI_SZ_MARKS_RUNS + ZTI_SZ_MARKS_ORDERS && first < row;
             first += THREADS) {
            bool is_set = false;
            for (uint32_t i = first; i < t->n; i += row) {
                is_set ^= bit_at(m->against[k], i);
                if (is_set)
                    simt_or(m->bits[k] + i / 64, UINT64_C(1) << i % 64);
            }
        }
}
