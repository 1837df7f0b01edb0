/* runs.h: kernel text: find the runs of a tile's bits, for encoding exact values and marks. Each
 * lane of a warp has 128 bits and the runs that end among them; the last run, which ends with the
 * tile, is the last lane's. */

struct lane_runs {
    uint64_t at[2]; /* where bits change, */
    uint32_t begin; /* and where the run that ends there began */
    /* the tile's end, until its last run is returned; 0: another lane has that run */
    uint32_t end;
};

static __device__ __forceinline__ struct lane_runs runs_of(const uint64_t *bits, uint32_t n)
{
    const uint32_t lane = threadIdx.x % 32;
    struct lane_runs r;
    uint32_t last = 0;
    SIMT_UNROLL
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t i = 2 * lane + half, left = 64 * i < n ? n - 64 * i : 0;
        const uint64_t before = i > 0 ? bits[i - 1] >> 63 : 0;
        const uint64_t own = left < 64 ? (UINT64_C(1) << left) - 1 : ~UINT64_C(0);
        r.at[half] = (bits[i] ^ (bits[i] << 1 | before)) & own;
        if (r.at[half] != 0)
            last = 64 * i + 63 - (uint32_t)__clzll((long long)r.at[half]);
    }
    for (uint32_t step = 1; step < 32; step *= 2) {
        const uint32_t left = __shfl_up_sync(SIMT_ALL_LANES, last, (int)step);
        last = lane >= step && left > last ? left : last;
    }
    const uint32_t before = __shfl_up_sync(SIMT_ALL_LANES, last, 1);
    r.begin = lane > 0 ? before : 0;
    r.end = lane == 31 ? n : 0;
    return r;
}

/* Get the lane's next run; false if it has no more. */
static __device__ __forceinline__ bool next_run(struct lane_runs *r, uint32_t *begin, uint32_t *end)
{
    const uint32_t half = r->at[0] == 0;
    const uint64_t left = half ? r->at[1] : r->at[0];
    const uint32_t place =
        128 * (threadIdx.x % 32) + 64 * half + (uint32_t)__ffsll((long long)left) - 1;
    if (left == 0 && r->end == 0)
        return false;
    *begin = r->begin;
    *end = left != 0 ? place : r->end;
    r->begin = *end;
    if (left == 0)
        r->end = 0;
    else if (half)
        r->at[1] = left & (left - 1);
    else
        r->at[0] = left & (left - 1);
    return true;
}
