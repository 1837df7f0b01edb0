/* encode_exact.h: kernel text: encode which values of a tile are exact, and these values: the bytes
 * of zti_sz_encode_exact (exact.c), from the runs of a warp (gpu/runs.h). Its parameters are those
 * of lorenzo/gpu/kernel.h. */

/* Write a lane's runs from bit 'at' on; returns the number of their bits. out NULL: only counts
 * them. */
static __device__ __forceinline__ uint32_t write_runs(struct lane_runs r, uint32_t *out,
                                                      uint32_t at)
{
    uint32_t bits = 0, begin, end;
    while (next_run(&r, &begin, &end)) {
        const struct zti_sz_code run = exact_run_code(end - begin);
        if (out)
            or_bits_32(out, at + bits, (uint32_t)run.bits);
        bits += run.count;
    }
    return bits;
}

/* Set the form of the marks, their bytes, and the number of exact values before each word. One warp
 * calls it. */
static __device__ __forceinline__ void measure_exact(struct encode_state *sh)
{
    const uint32_t lane = threadIdx.x % 32, n = sh->walk.n;
    const struct lane_runs r = runs_of(sh->exact, n);
    const uint32_t runs = simt_reduce_add(write_runs(r, NULL, 0)) / 8;
    const uint32_t low = (uint32_t)__popcll(sh->exact[2 * lane]);
    const uint32_t high = (uint32_t)__popcll(sh->exact[2 * lane + 1]);
    const uint32_t up_to = warp_sums_32(low + high), all = __shfl_sync(SIMT_ALL_LANES, up_to, 31);
    const uint32_t way = exact_way(all == n, runs, n);
    sh->exact_before[2 * lane] = up_to - low - high;
    sh->exact_before[2 * lane + 1] = up_to - high;
    if (lane == 0) {
        sh->exact_way = way;
        sh->exact_bytes = exact_way_bytes(way, runs, n) + all * (WIDTH / 8);
    }
}

/* How many values are exact. */
static __device__ __forceinline__ uint32_t exact_values_of(const struct encode_state *sh)
{
    return sh->exact_before[EXACT_WORDS - 1] + (uint32_t)__popcll(sh->exact[EXACT_WORDS - 1]);
}

/* Write the marks from bit 'at' on. One warp calls it. */
static __device__ __forceinline__ void write_exact_marks(struct encode_state *sh, uint32_t *out,
                                                         uint32_t at)
{
    const uint32_t lane = threadIdx.x % 32, n = sh->walk.n;
    if (lane == 0)
        or_bits_32(out, at, sh->exact_way);
    if (sh->exact_way == ZTI_SZ_EXACT_BITMAP)
        for (uint32_t i = lane; i < EXACT_WORDS; i += 32)
            or_bits(out, at + 8 + 64 * i, sh->exact[i]);
    if (sh->exact_way != ZTI_SZ_EXACT_RUNS)
        return;
    const struct lane_runs r = runs_of(sh->exact, n);
    const uint32_t bits = write_runs(r, NULL, 0);
    (void)write_runs(r, out, at + 8 + warp_sums_32(bits) - bits);
}

/* Write the exact values; the last one ends at bit 'end'. */
static __device__ __forceinline__ void write_exact_values(struct encode_state *sh, uint32_t *out,
                                                          uint32_t end)
{
    const uint32_t last = exact_values_of(sh);
    for (uint32_t piece = threadIdx.x; piece < GAP_PIECES; piece += ENCODE_THREADS) {
        uint32_t left = gaps_of(sh->exact, piece);
        for (; left != 0; left &= left - 1) {
            const uint32_t i = piece * GAP_BITS + (uint32_t)__ffs((int)left) - 1;
            const uint64_t before = sh->exact[i / 64] & ((UINT64_C(1) << i % 64) - 1);
            const uint32_t rank = sh->exact_before[i / 64] + (uint32_t)__popcll(before);
            or_bits(out, end - (last - rank) * WIDTH, *value_in(&sh->walk, i));
        }
    }
}
