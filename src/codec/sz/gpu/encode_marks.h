/* encode_marks.h: kernel text: encode marks (marks.c) from the runs of a warp (gpu/runs.h). Its
 * parameters are those of lorenzo/gpu/kernel.h. */

/* Choose the form of a mark from its bits with each order. */
static __device__ __forceinline__ void choose_way(struct marks *m, uint32_t mark, uint32_t n)
{
    uint32_t best = 0, bits = UINT32_MAX;
    const uint32_t *const of = m->run_bits[mark];
    for (uint32_t i = 0; i < 2 * ZTI_SZ_MARKS_ORDERS; i++)
        if (of[i] < bits) {
            bits = of[i];
            best = i;
        }
    m->way[mark] = mark_way(bit_at(m->bits[mark], 0), m->runs[mark], bits, best, n);
    m->bytes[mark] = mark_way_bytes(m->way[mark], bits, n);
}

/* The number that is coded for a run: its length less 1; for the first, its length, which may be
 * 0. */
static __device__ __forceinline__ uint32_t run_number(const uint64_t *bits, uint32_t begin,
                                                      uint32_t end)
{
    return end - begin - (begin > 0 || ((bits[0] & 1) != 0 && end > 0));
}

/* Count the bits, with each order, of the runs of a mark or (is_against) of its differences from
 * the row before. One warp calls it. */
static __device__ __forceinline__ void measure_mark(struct marks *m, uint32_t mark, bool is_against,
                                                    uint32_t n)
{
    const uint64_t *const bits = is_against ? m->against[mark] : m->bits[mark];
    uint32_t sum[ZTI_SZ_MARKS_ORDERS] = {0}, runs = 0, begin, end;
    struct lane_runs r = runs_of(bits, n);
    for (; next_run(&r, &begin, &end); runs++) {
        const uint32_t number = run_number(bits, begin, end);
        SIMT_UNROLL
        for (uint32_t k = 0; k < ZTI_SZ_MARKS_ORDERS; k++)
            sum[k] += run_bits(number, k);
    }
    runs = simt_reduce_add(runs);
    if (threadIdx.x % 32 == 0 && !is_against)
        m->runs[mark] = runs;
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZTI_SZ_MARKS_ORDERS; k++) {
        const uint32_t all = simt_reduce_add(sum[k]);
        if (threadIdx.x % 32 == 0)
            m->run_bits[mark][(is_against ? ZTI_SZ_MARKS_ORDERS : 0) + k] = all;
    }
}

/* Write a mark's runs in Golomb's code of order k. One warp calls it. */
static __device__ __forceinline__ void write_mark_runs(uint32_t *out, uint32_t at,
                                                       const uint64_t *bits, uint32_t n, uint32_t k)
{
    const struct lane_runs all = runs_of(bits, n);
    struct lane_runs r = all;
    uint32_t count = 0, begin, end;
    while (next_run(&r, &begin, &end))
        count += run_bits(run_number(bits, begin, end), k);
    at += warp_sums_32(count) - count;
    r = all;
    while (next_run(&r, &begin, &end)) {
        const struct zti_sz_code run = run_code(run_number(bits, begin, end), k);
        or_bits_32(out, at, (uint32_t)run.bits);
        at += run.count;
    }
}

/* Write a mark. One warp calls it. */
static __device__ __forceinline__ void write_mark(uint32_t *out, uint32_t at, const struct marks *m,
                                                  uint32_t mark, uint32_t n)
{
    const uint32_t way = m->way[mark];
    const uint64_t *const bits = is_against_row(way) ? m->against[mark] : m->bits[mark];
    if (threadIdx.x % 32 == 0)
        or_bits_32(out, at, way);
    if (way >= ZTI_SZ_MARKS_RUNS)
        write_mark_runs(out, at + 8, bits, n, order_of_way(way));
    for (uint32_t i = threadIdx.x % 32; way == ZTI_SZ_MARKS_BITMAP && 64 * i < n; i += 32)
        or_bits(out, at + 8 + 64 * i, bits[i]);
}
