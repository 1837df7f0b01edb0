/* tile_state.h: kernel text: the shared state of a block that decodes a tile, and the tile's place.
 * Its parameters are those of lorenzo/gpu/kernel.h. */

/* The shared memory of a block that decodes. */
struct decode_state {
    word u[PADDED];
    uint64_t exact[EXACT_WORDS]; /* which values are exact */
    uint64_t marks[2][IS_LOG ? EXACT_WORDS : 1];
    uint32_t exact_before[EXACT_WORDS];
    uint16_t origin[ZTI_SZ_GROUPS], within[ZTI_SZ_GROUP]; /* of groups, of their values */
    struct walk walk;
    uint32_t axes, step[ZT_MAX_RANK];            /* between neighbours, in values of the tile */
    uint32_t from[ZT_MAX_RANK], to[ZT_MAX_RANK]; /* range of coordinates in the view */
    int64_t offset; /* offset of the tile's first value from the view's */
    bool is_inside; /* the view has the whole tile */
    word scan[THREADS];
    word warp_sum[THREADS / 32] __attribute__((aligned(16))); /* read 16 bytes at a time */
};

/* ---- axes, one in each lane ---- */

/* A lane's axis of the grid; without one, its extent is 1. */
struct axis {
    uint64_t origin;
    uint32_t extent, from, to; /* extent, and range in the view */
    uint32_t slot;             /* its index among the tile's axes, the last one first */
};

static __device__ __forceinline__ struct axis axis_of(const struct sz_tiles *s, uint64_t number)
{
    const uint32_t k = threadIdx.x % 32;
    struct axis a = {0, 1, 0, 1, 0};
    uint64_t each = 1;
    if (k >= s->grid.rank)
        return a;
    for (uint32_t i = s->grid.rank - 1; i > k; i--)
        each *= s->grid.tiles[i];
    (void)split_number(&number, each);
    a.origin = split_number(&number, s->grid.tiles[k]) * s->grid.side[k];
    const uint64_t lo = s->view.lo[k], hi = s->view.hi[k];
    a.extent = extent_at(&s->grid, k, a.origin);
    a.from = lo > a.origin ? simt_at_most(lo - a.origin, a.extent) : 0;
    a.to = hi > a.origin ? simt_at_most(hi - a.origin, a.extent) : 0;
    return a;
}

/* The sum of four lanes' numbers. */
static __device__ __forceinline__ uint64_t sum_of_axes(uint64_t v)
{
    v += __shfl_xor_sync(SIMT_ALL_LANES, v, 1);
    return v + __shfl_xor_sync(SIMT_ALL_LANES, v, 2);
}

/* Set the places of blocks, if the tile's groups are blocks. The warp calls it. */
static __device__ __forceinline__ void place_blocks(struct decode_state *sh, const struct axis *a)
{
    struct walk *const w = &sh->walk;
    const uint32_t axes = sh->axes, k = a->slot;
    const uint32_t side = k < axes ? group_side_bits(axes, k) : 0;
    const bool is_cut = threadIdx.x < ZT_MAX_RANK && a->extent % (1u << side) != 0;
    const bool is_blocked = __ballot_sync(SIMT_ALL_LANES, is_cut) == 0 && axes > 1;
    if (threadIdx.x >= ZT_MAX_RANK)
        return;
    w->is_blocked = is_blocked;
    w->side[k] = side;
    w->blocks[k] = a->extent >> side;
    w->block_inverse[k] = k + 1 < axes ? inverse_of(a->extent >> side) : 0;
}

/* Set the tile's place, and its part in the view. The first warp calls it. */
static __device__ __forceinline__ void place_axes(const struct sz_tiles *s, struct decode_state *sh,
                                                  uint64_t number)
{
    struct walk *const w = &sh->walk;
    const uint32_t k = threadIdx.x % 32, all = (1u << ZT_MAX_RANK) - 1;
    struct axis a = axis_of(s, number);
    const bool is_axis = k<s->grid.rank, is_long = a.extent> 1;
    const uint32_t longs = __ballot_sync(SIMT_ALL_LANES, is_long), axes = (uint32_t)__popc(longs);
    a.slot = is_long ? (uint32_t)__popc(longs >> k >> 1)
                     : axes + (uint32_t)__popc(~longs & ((1u << k % ZT_MAX_RANK) - 1));
    uint32_t up_to = a.extent; /* the product of this axis' extent and those of later ones */
    up_to *= __shfl_down_sync(SIMT_ALL_LANES, up_to, 1);
    up_to *= __shfl_down_sync(SIMT_ALL_LANES, up_to, 2);
    const uint32_t step = __shfl_down_sync(SIMT_ALL_LANES, up_to, 1);
    const int64_t stride = is_axis ? s->view.out.stride[k] : 0;
    const int64_t away = is_axis ? (int64_t)a.origin - (int64_t)s->view.lo[k] : 0;
    const uint64_t offset = sum_of_axes((uint64_t)(away * stride));
    const uint32_t differ =
        (uint32_t)sum_of_axes(is_axis && is_long ? (s->sz.axes >> k & 1) << a.slot : 0);
    const bool is_cut = is_axis && (a.from > 0 || a.to < a.extent);
    const bool is_inside = (__ballot_sync(SIMT_ALL_LANES, is_cut) & all) == 0;
    const bool is_none = (__ballot_sync(SIMT_ALL_LANES, a.from >= a.to) & all) != 0;
    const uint32_t row = __shfl_sync(SIMT_ALL_LANES, a.extent, (int)s->grid.rank - 1);
    if (k < ZT_MAX_RANK) {
        w->extent[a.slot] = a.extent;
        w->stride[a.slot] = is_long ? stride : 0;
        w->inverse[a.slot] = a.slot + 1 < axes ? inverse_of(a.extent) : 0;
        sh->step[a.slot] = step;
        sh->from[a.slot] = is_none ? 1 : is_long ? a.from : 0;
        sh->to[a.slot] = is_none ? 0 : is_long ? a.to : 1;
    }
    if (k == 0) {
        w->n = up_to;
        w->row = row;
        w->differ = differ;
        w->restart = restart_bits(s->sz.coder, s->grid.rank);
        w->is_blocked = false;
        sh->axes = axes;
        sh->offset = (int64_t)offset;
        sh->is_inside = is_inside;
    }
    if (s->sz.is_blocked != 0) {
        simt_order_warp();
        place_blocks(sh, &a);
    }
}

/* Set where groups begin, and where values are within a group. Valid after the next barrier. */
static __device__ __forceinline__ void place_groups(struct decode_state *sh)
{
    const struct walk *const w = &sh->walk;
    const uint32_t i = threadIdx.x % ZTI_SZ_GROUP;
    uint32_t at[ZT_MAX_RANK], within = i, origin = 0, offset = 0;
    find_coordinates(i, w->blocks, w->block_inverse, at);
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++) {
        origin += (at[k] << w->side[k]) * sh->step[k];
        offset += (within & ((1u << w->side[k]) - 1)) * sh->step[k];
        within >>= w->side[k];
    }
    if (threadIdx.x < ZTI_SZ_GROUPS)
        sh->origin[i] = (uint16_t)origin;
    else
        sh->within[i] = (uint16_t)offset;
}
