/* marks.h: kernel text: compute the marks of a tile of logarithms: which values are zero, and which
 * are negative. Its parameters are those of lorenzo/gpu/kernel.h. */

/* The floating-point number of a value's bits. */
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

/* Further shared memory of a block for logarithms. Mark 0 is that of zeros, mark 1 that of negative
 * values. */
struct marks {
    uint64_t bits[2][EXACT_WORDS];
    uint64_t against[2][EXACT_WORDS]; /* differences of the marks from the row before */
    uint64_t gaps[EXACT_WORDS];       /* values that have no integer of their own */
    uint32_t run_bits[2][2 * ZTI_SZ_MARKS_ORDERS]; /* bits of all runs: of the mark, and against the
                                                      row before */
    uint32_t runs[2];                              /* number of runs of each mark */
    uint32_t way[2], bytes[2];
};

/* Store each thread's bit as bit i. All threads of a warp call it, for 32 consecutive bits. */
static __device__ __forceinline__ void write_bits_of(uint64_t *bits, uint32_t i, bool own)
{
    const unsigned all = __ballot_sync(SIMT_ALL_LANES, own);
    if (threadIdx.x % 32 == 0)
        ((uint32_t *)(void *)bits)[i / 32] = all;
}

/* The bits of the row before for word k of a tile's bits; 0 for the first row and after the last
 * value. */
static __device__ __forceinline__ uint64_t row_before(const uint64_t *bits, uint32_t k,
                                                      uint32_t row, uint32_t n)
{
    const uint32_t back = row / 64, skip = row % 64, left = n > 64 * k ? n - 64 * k : 0;
    const uint64_t near = k >= back ? bits[k - back] << skip : 0;
    const uint64_t far = k > back && skip > 0 ? bits[k - back - 1] >> (64 - skip) : 0;
    return (near | far) & (left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX);
}

/* Set the marks of a tile's values v; returns whether a value is zero. */
static __device__ __forceinline__ bool find_marks(const struct walk *w, const word *v,
                                                  struct marks *m)
{
    const uint32_t row = w->row;
    bool has_zeros = false;
    for (uint32_t i = threadIdx.x; i < 64 * EXACT_WORDS; i += ENCODE_THREADS) {
        const scalar x = i < w->n ? number_of(v[i]) : (scalar)1;
        has_zeros = has_zeros || x == 0;
        write_bits_of(m->bits[0], i, x == 0);
        write_bits_of(m->bits[1], i, bits_of(x) >> (WIDTH - 1) != 0);
    }
    has_zeros = __syncthreads_or(has_zeros);
    for (uint32_t i = threadIdx.x; i < 2 * EXACT_WORDS; i += ENCODE_THREADS) {
        const uint64_t *const bits = m->bits[i / EXACT_WORDS];
        const uint32_t k = i % EXACT_WORDS;
        m->against[i / EXACT_WORDS][k] = bits[k] ^ row_before(bits, k, row, w->n);
    }
    return has_zeros;
}
