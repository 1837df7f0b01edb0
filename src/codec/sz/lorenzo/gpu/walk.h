/* walk.h: kernel text: the places of a tile's values in the array and in shared memory, for
 * encoding. It has the axes along which the tile has several values, the last one first. Its
 * parameters are those of lorenzo/gpu/kernel.h.
 *
 * Values are numbered in C order, or by groups. Their integers are in shared memory in C order.
 * Rows and planes of tiles in blocks are padded, so that the 32 values that a warp reads are in
 * different banks. */

enum {
    THREADS = 128,        /* threads of a block that decodes */
    ENCODE_THREADS = 256, /* threads of a block that encodes */
    ENCODE_WARPS = ENCODE_THREADS / 32,
    ROOM = 5376,              /* integers in shared memory: 16 planes of 16 rows of 16 and 4 */
    AT_ONCE = 16 * 8 / WIDTH, /* values in 16 bytes */
    OF_LANE = 512 / WIDTH     /* values of a lane in one part of a row, by fours */
};

struct walk {
    uint32_t n, row;              /* values of the tile, and along its last axis */
    uint32_t extent[ZT_MAX_RANK]; /* 1 for missing axes */
    uint32_t inverse[ZT_MAX_RANK];
    uint32_t pace[ZT_MAX_RANK];  /* distance of neighbours in shared memory */
    int64_t stride[ZT_MAX_RANK]; /* and in the array */
    uint32_t side[ZT_MAX_RANK];  /* of blocks of 64 values, in bits */
    uint32_t blocks[ZT_MAX_RANK], block_inverse[ZT_MAX_RANK];
    uint32_t differ;  /* bit i: differences are taken along axis i */
    uint32_t restart; /* and restart where these bits of a coordinate are 0 */
    const word *first;
    bool has_parts; /* groups of 32-bit values are parts of rows (residuals_of_part) */
    bool is_blocked;
    bool is_even;        /* AT_ONCE integers from each multiple of AT_ONCE on are in one row */
    bool is_steady;      /* ENCODE_THREADS * AT_ONCE values further is always the same distance: */
    int64_t leap;        /* in the array, */
    uint32_t leap_place; /* and in shared memory */
    bool is_together; /* AT_ONCE values from each multiple of AT_ONCE on are contiguous and aligned
                       */
};

/* ceil(2^24 / d), with which divide() computes i / d for i < 4096; d <= 4096. 0 if d is 0. */
static __device__ __forceinline__ uint32_t inverse_of(uint32_t d)
{
    return d > 0 ? ((1u << 24) + d - 1) / d : 0;
}

static __device__ __forceinline__ uint32_t divide(uint32_t i, uint32_t inverse)
{
    return __umulhi(i << 8, inverse);
}

/* Coordinates from a number, by extents; inverse is 0 for the last that is not 1. */
static __device__ __forceinline__ void find_coordinates(uint32_t i, const uint32_t *extent,
                                                        const uint32_t *inverse, uint32_t *at)
{
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++) {
        const uint32_t rest = k + 1 < ZT_MAX_RANK ? divide(i, inverse[k]) : 0;
        at[k] = i - rest * extent[k];
        i = rest;
    }
}

/* Inverses for split. */
static __device__ __forceinline__ void invert_extents(const uint32_t *extent, uint32_t axes,
                                                      uint32_t *inverse)
{
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++)
        inverse[k] = k + 1 < axes ? inverse_of(extent[k]) : 0;
}

/* Set the sides of blocks, if the tile consists of blocks. */
static __device__ __forceinline__ void set_sides(struct walk *w, uint32_t axes)
{
    w->is_blocked = axes > 1;
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++) {
        w->side[k] = k < axes ? group_side_bits(axes, k) : 0;
        w->blocks[k] = w->extent[k] >> w->side[k];
        w->is_blocked = w->is_blocked && w->extent[k] % (1u << w->side[k]) == 0;
    }
    invert_extents(w->blocks, axes, w->block_inverse);
}

/* Where integers are; is_apart: rows are an odd multiple of a block's apart, planes 16 banks.
 * Returns how many there is to be room for. */
static __device__ __forceinline__ uint32_t set_paces(struct walk *w, bool is_apart)
{
    uint32_t pace = 1;
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++) {
        w->pace[k] = pace;
        pace *= w->extent[k];
        if (is_apart && k == 0)
            pace += (pace >> w->side[0]) % 2 == 0 ? 1u << w->side[0] : 0;
        else if (is_apart && k == 1)
            pace += (16 - pace) % 32;
    }
    return pace;
}

/* How far values are whose numbers are ENCODE_THREADS * AT_ONCE apart: whole rows or planes, so
 * many, along the slowest axis. */
static __device__ __forceinline__ void set_leap(struct walk *w, uint32_t slowest)
{
    const uint32_t each = w->n / w->extent[slowest], apart = ENCODE_THREADS * AT_ONCE;
    w->is_steady = apart % each == 0;
    w->leap = (int64_t)(apart / each) * w->stride[slowest];
    w->leap_place = apart / each * w->pace[slowest];
}

/* Whether groups are parts of rows, with differences along one or two axes. */
static __device__ __forceinline__ bool has_parts(const struct walk *w, uint32_t coder)
{
    return WIDTH == 32 && !IS_LOG && coder != ZTI_SZ_CUSZ && !w->is_blocked && w->is_even &&
           w->extent[0] % ZTI_SZ_GROUP == 0 && (w->differ == 1 || w->differ == 3) &&
           w->restart % 4 == 3;
}

/* A tile. One thread. */
static __device__ __forceinline__ void walk_of(const struct sz_tiles *s, uint64_t number,
                                               struct walk *w)
{
    const word *first = (const word *)s->view.out.data;
    uint32_t axes = 0;
    w->n = 1;
    w->differ = 0;
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++) {
        w->extent[k] = 1;
        w->stride[k] = 0;
    }
    for (uint32_t i = s->grid.rank; i-- > 0;) {
        const uint64_t origin = split_number(&number, s->grid.tiles[i]) * s->grid.side[i];
        const uint32_t extent = extent_at(&s->grid, i, origin);
        first += (int64_t)origin * s->view.out.stride[i];
        if (i + 1 == s->grid.rank)
            w->row = extent;
        w->n *= extent;
        if (extent == 1)
            continue;
        w->extent[axes] = extent;
        w->stride[axes] = s->view.out.stride[i];
        w->differ |= (s->sz.axes >> i & 1) << axes;
        axes++;
    }
    w->first = first;
    w->restart = restart_bits(s->sz.coder, s->grid.rank);
    invert_extents(w->extent, axes, w->inverse);
    set_sides(w, axes);
    w->is_blocked = w->is_blocked && s->sz.is_blocked != 0;
    /* tiles of the cuSZ coder are in blocks only where they are coded without loss */
    if (set_paces(w, w->is_blocked && s->sz.coder != ZTI_SZ_CUSZ) > ROOM)
        (void)set_paces(w, false);
    bool is_together = w->stride[0] == 1 && (uintptr_t)first % 16 == 0;
    w->is_even = w->extent[0] % AT_ONCE == 0;
    for (uint32_t k = 1; k < ZT_MAX_RANK; k++) {
        w->is_even = w->is_even && w->pace[k] % AT_ONCE == 0;
        is_together = is_together && w->stride[k] % AT_ONCE == 0;
    }
    w->is_together = is_together && w->is_even;
    set_leap(w, axes > 0 ? axes - 1 : 0);
    w->has_parts = has_parts(w, s->sz.coder);
}

/* Where a tile's first value is, and whether none of the tile is cut off: then all else of its walk
 * is that of other such tiles, but for is_together, which bytes from a multiple of 16 on leave. */
static __device__ __forceinline__ const word *find_first(const struct sz_tiles *s, uint64_t number,
                                                         bool *is_whole)
{
    const word *first = (const word *)s->view.out.data;
    *is_whole = true;
    for (uint32_t i = s->grid.rank; i-- > 0;) {
        const uint64_t origin = split_number(&number, s->grid.tiles[i]) * s->grid.side[i];
        *is_whole = *is_whole && s->grid.shape[i] - origin >= s->grid.side[i];
        first += (int64_t)origin * s->view.out.stride[i];
    }
    return first;
}

/* Where value i is, from the first one on and at all, and its integer. */
static __device__ __forceinline__ int64_t offset_of(const struct walk *w, uint32_t i)
{
    uint32_t at[ZT_MAX_RANK];
    int64_t offset = 0;
    find_coordinates(i, w->extent, w->inverse, at);
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++)
        offset += at[k] * w->stride[k];
    return offset;
}

static __device__ __forceinline__ const word *value_in(const struct walk *w, uint32_t i)
{
    return w->first + offset_of(w, i);
}

static __device__ __forceinline__ uint32_t place_of(const struct walk *w, uint32_t i)
{
    uint32_t at[ZT_MAX_RANK], place = 0;
    find_coordinates(i, w->extent, w->inverse, at);
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++)
        place += at[k] * w->pace[k];
    return place;
}
