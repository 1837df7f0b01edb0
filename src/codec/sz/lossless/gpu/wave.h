/* wave.h: kernel text: keys of a tile from residuals, in place, in a wave through all of its rows.
 * A block has a tile. Each key is made a step after all that predict it:
 *
 *     step of value x of row y in plane z of volume t    x + skew[0] y + skew[1] z + skew[2] t
 *
 * In a step a plane has a value of each of some consecutive rows: a lane has a row, a warp 32 of a
 * plane. */

enum {
    WAVE_EDGES_Y = 8, /* kinds of rows of a plane: by what of their taps is beyond its faces */
    WAVE_EDGES = 3,   /* of planes, and of volumes */
    WAVE_KINDS = WAVE_EDGES_Y * WAVE_EDGES * WAVE_EDGES
};

struct wave {
    struct reach reach[ZTI_LL_REGIMES];
    struct offsets offsets[WAVE_KINDS]; /* of taps, by the kind of row */
    int32_t skew[3];
};

/* Taps are at most three rows back along y and one on, two planes back, two volumes back. */
static __device__ __forceinline__ uint32_t kind_of_row(const struct zti_ll_shape *s, uint32_t y,
                                                       uint32_t z, uint32_t t)
{
    const uint32_t of_y = simt_at_most(y, 3) + (y + 1 == s->dim[2] ? WAVE_EDGES_Y / 2 : 0);
    return of_y + WAVE_EDGES_Y * (simt_at_most(z, 2) + WAVE_EDGES * simt_at_most(t, 2));
}

/* How far the wave is behind in the next row, plane and volume, so that no tap is ahead. One thread
 * calls it. */
static __device__ void find_skew(const struct zti_ll_front *front, struct wave *w)
{
    const struct zti_ll_predictor *const p = &front->p;
    for (uint32_t axis = 0; axis < 3; axis++) {
        w->skew[axis] = 1;
        for (uint32_t regime = 0; regime < ZTI_LL_REGIMES; regime++)
            for (uint32_t k = 0; p->has_weights[regime] && k < p->taps[regime].before; k++) {
                const struct zti_ll_tap tap = p->taps[regime].tap[k];
                const bool is_own = axis == 0   ? tap.t == 0 && tap.z == 0
                                    : axis == 1 ? tap.t == 0 && tap.z < 0
                                                : tap.t < 0;
                int32_t ahead = tap.x;
                ahead += axis > 0 && tap.y > 0 ? tap.y * w->skew[0] : 0;
                if (is_own && ahead >= w->skew[axis])
                    w->skew[axis] = ahead + 1;
            }
    }
}

static __device__ void open_wave(const struct zti_ll_shape *s, const struct zti_ll_front *front,
                                 struct wave *w)
{
    if (threadIdx.x < ZTI_LL_REGIMES)
        open_reach(s, &front->p, threadIdx.x, &w->reach[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        find_skew(front, w);
    for (uint32_t kind = threadIdx.x; kind < WAVE_KINDS; kind += LL_THREADS) {
        const uint32_t of_y = kind % WAVE_EDGES_Y, z = kind / WAVE_EDGES_Y % WAVE_EDGES;
        const uint32_t y = of_y < WAVE_EDGES_Y / 2 ? of_y : s->dim[2] - 1;
        const uint32_t t = kind / (WAVE_EDGES_Y * WAVE_EDGES);
        if (y >= s->dim[2] || z >= s->dim[1] || t >= s->dim[0] || kind_of_row(s, y, z, t) != kind)
            continue;
        const uint32_t row = (t * s->dim[1] + z) * s->dim[2] + y;
        w->offsets[kind] = offsets_of(s, row, &w->reach[ll_regime(s, row)]);
    }
    __syncthreads();
}

/* The values of a step in 32 rows of a plane, or fewer, from row 'first' on. at: the step less what
 * the plane is behind. */
static __device__ __forceinline__ void step_rows(const struct zti_ll_shape *s, const struct wave *w,
                                                 uint32_t plane, uint32_t first, int32_t at,
                                                 const uint8_t *mark, key *k)
{
    const uint32_t y = first + threadIdx.x % 32, row = plane * s->dim[2] + y;
    const int32_t x = at - (int32_t)y * w->skew[0];
    if (y >= s->dim[2] || x < 0 || x >= (int32_t)s->width)
        return;
    const uint32_t t = ll_part(plane, s->inverse[0]), z = plane - t * s->dim[1];
    const uint32_t regime = (y > 0) | (uint32_t)(z > 0) << 1 | (uint32_t)(t > 0) << 2;
    make_cell(s, row, regime, &w->reach[regime], &w->offsets[kind_of_row(s, y, z, t)], (uint32_t)x,
              mark, k);
}

static __device__ void run_wave(const struct zti_ll_shape *s, const struct zti_ll_front *front,
                                const uint8_t *mark, key *k)
{
    SIMT_SHARED(struct wave, w, );
    open_wave(s, front, &w);
    const int32_t width = (int32_t)s->width, skew = w.skew[0];
    const int32_t last_y = (int32_t)s->dim[2] - 1;
    const int32_t steps = width + last_y * skew + (int32_t)(s->dim[1] - 1) * w.skew[1] +
                          (int32_t)(s->dim[0] - 1) * w.skew[2];
    const uint32_t planes = s->dim[0] * s->dim[1];
    const uint32_t most =
        ((uint32_t)(width - 1) / (uint32_t)skew + 32) / 32; /* of a plane's rows */
    for (int32_t step = 0; step < steps; step++) {
        for (uint32_t i = threadIdx.x / 32; i < planes * most; i += LL_WARPS) {
            const uint32_t plane = i / most, t = ll_part(plane, s->inverse[0]);
            const int32_t at =
                step - (int32_t)(plane - t * s->dim[1]) * w.skew[1] - (int32_t)t * w.skew[2];
            const int32_t first = at < width ? 0 : (at - width) / skew + 1;
            if (at >= 0 && first <= last_y)
                step_rows(s, &w, plane, (uint32_t)first + i % most * 32, at, mark, k);
        }
        __syncthreads();
    }
}
