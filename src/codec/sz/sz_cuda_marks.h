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
