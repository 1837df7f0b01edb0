/* rows.h: kernel text of the transform coder: rows of blocks, and for each place of a row the sum
 * of weighted magnitudes in other rows, which its context comes from. A warp has a row, a lane a
 * place.
 */

/* A neighbour in another row: values back to it, places along the row, its weight. */
struct part_tap {
    int32_t back;
    int16_t x;
    uint16_t weight;
};

enum { PART_TAPS = (ZTI_TF_TAPS + 3) / 4 * 4 };

/* What a warp shares: of symbols their weights, of contexts their models; the taps of a run's
 * blocks, and those of a row that are in the block. */
struct part_memory {
    uint16_t weight[256];
    uint8_t model_of[ZTI_TF_CONTEXTS];
    uint8_t block[32]; /* of blocks that have symbols in a segment, their lanes */
    struct zti_tf_tap tap[ZTI_TF_TAPS];
    struct part_tap near[PART_TAPS];
    uint32_t sum[ZTI_TF_LANES][ZTI_TF_SEGMENT];
    uint32_t window[ANS_WINDOW];
};

/* A part, and the blocks of its run that are decoded: 'lanes' of them, from 'first' on. */
struct part_work {
    struct part_memory *sh;
    const struct zti_tf_layout *layout;
    const uint32_t *tables, *turned;
    uint16_t *weights; /* of the tile, in the places of coefficients */
    uint8_t *symbols;  /* the same */
    number *values;
    struct zti_tf_run run;
    uint32_t first, lanes;
    uint32_t taps, near; /* of blocks, of a row: in other rows */
    uint32_t one, two;   /* weights of the places one and two before in the row */
};

/* Set the taps of a run. What the warp shares from before is there for all lanes then. */
static __device__ void set_taps(struct part_work *w)
{
    uint32_t n = 0;
    if (threadIdx.x == 0)
        n = tf_taps(w->run.extent, w->sh->tap);
    w->taps = simt_same(n);
    simt_order_warp();
    w->one = w->two = 0;
    if (w->run.extent[ZTI_TF_AXES - 1] > 1) {
        w->taps -= 2;
        w->one = w->sh->tap[w->taps].weight;
        w->two = w->sh->tap[w->taps + 1].weight;
    }
}

static __device__ __forceinline__ bool next_row(const uint32_t *extent, uint32_t *at)
{
    for (uint32_t a = ZTI_TF_AXES - 1; a-- > 0; at[a] = 0)
        if (++at[a] < extent[a])
            return true;
    return false;
}

static __device__ __forceinline__ size_t row_place(const struct zti_tf_layout *layout,
                                                   const uint32_t *at)
{
    return at[0] * layout->stride[0] + at[1] * layout->stride[1] + at[2] * layout->stride[2];
}

/* Find the taps whose rows are in the block, and as many without weight as make a multiple of 4. */
static __device__ void find_near(struct part_work *w, const uint32_t *at)
{
    const uint32_t lane = threadIdx.x;
    bool is_there = lane < w->taps;
    struct part_tap own = {0, 0, 0};
    for (uint32_t a = 0; a < ZTI_TF_AXES && lane < w->taps; a++) {
        const int32_t step = w->sh->tap[lane].step[a];
        own.back += step * (int32_t)w->layout->stride[a];
        is_there = is_there &&
                   (a + 1 == ZTI_TF_AXES || (uint32_t)((int32_t)at[a] + step) < w->run.extent[a]);
    }
    const uint32_t there = __ballot_sync(SIMT_ALL_LANES, is_there), n = (uint32_t)__popc(there);
    if (is_there) {
        own.x = w->sh->tap[lane].step[ZTI_TF_AXES - 1];
        own.weight = (uint16_t)w->sh->tap[lane].weight;
        w->sh->near[__popc(there & ((1u << lane) - 1))] = own;
    }
    w->near = (n + 3) / 4 * 4;
    if (lane >= n && lane < w->near) {
        const struct part_tap none = {0, 0, 0};
        w->sh->near[lane] = none;
    }
    simt_order_warp();
}

/* The sum over neighbours in other rows of place x of a row, whose weight is at 'own'; adds the
 * weights of those that are there. */
static __device__ __forceinline__ uint32_t sum_near(const struct part_work *w, const uint16_t *own,
                                                    uint32_t x, bool is_here, uint32_t *weights)
{
    const uint32_t n = w->run.extent[ZTI_TF_AXES - 1];
    uint32_t sum = 0;
    for (uint32_t i = 0; i < w->near; i += 4) {
        uint32_t weight[4], value[4];
        SIMT_UNROLL
        for (uint32_t k = 0; k < 4; k++) { /* loads on their way together */
            const struct part_tap tap = w->sh->near[i + k];
            const bool is_there = is_here && (uint32_t)((int32_t)x + tap.x) < n;
            weight[k] = is_there ? tap.weight : 0;
            value[k] = weight[k] > 0 ? own[tap.back] : 0;
        }
        SIMT_UNROLL
        for (uint32_t k = 0; k < 4; k++) {
            *weights += weight[k];
            sum += weight[k] * value[k];
        }
    }
    return sum;
}

/* The factor of a place's sum: weights of other rows come to those of the row itself. */
static __device__ __forceinline__ uint32_t scale_at(const struct part_work *w, uint32_t x,
                                                    uint32_t weights)
{
    weights += (x > 0 ? w->one : 0) + (x > 1 ? w->two : 0);
    return ZTI_TF_SCALE(weights > 0 ? weights : 1);
}
