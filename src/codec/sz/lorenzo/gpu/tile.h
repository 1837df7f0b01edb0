/* tile.h: kernel text for both widths of values: where a tile's values are, bits in shared
 * memory, and which values are kept as they are. */

enum {
    THREADS = 128, /* of a block, which has a tile */
    EXACT_WORDS = ZTI_SZ_GROUPS
};

/* A tile's place and size; the last axis is fastest. */
struct sz_tile {
    uint32_t rank, n;
    uint32_t extent[ZT_MAX_RANK];
    uint32_t step[ZT_MAX_RANK]; /* between neighbours along an axis, in values of the tile */
    uint64_t origin[ZT_MAX_RANK];
};

static __device__ __forceinline__ uint32_t value_bytes_of(uint32_t type)
{
    return type == ZT_F32 || type == ZT_I32 ? 4 : 8;
}

static __device__ __forceinline__ struct sz_tile tile_of(const struct sz_tiles *s, uint64_t number)
{
    const struct zti_walk at = zti_walk_from(&s->grid, number);
    struct sz_tile t;
    t.rank = s->grid.rank;
    t.n = 1;
    for (uint32_t i = t.rank; i-- > 0;) {
        t.origin[i] = at.origin[i];
        t.extent[i] = extent_at(&s->grid, i, at.origin[i]);
        t.step[i] = t.n;
        t.n *= t.extent[i];
    }
    return t;
}

/* Where value i of a tile is in the view, or NULL where it is outside. */
static __device__ __forceinline__ char *value_at(const struct sz_tiles *s, const struct sz_tile *t,
                                                 uint32_t i)
{
    int64_t offset = 0;
    for (uint32_t k = 0; k < t->rank; k++) {
        const uint64_t at = t->origin[k] + i / t->step[k] % t->extent[k];
        if (at < s->view.lo[k] || at >= s->view.hi[k])
            return NULL;
        offset += (int64_t)(at - s->view.lo[k]) * s->view.out.stride[k];
    }
    return (char *)s->view.out.data + offset * (int64_t)value_bytes_of(s->type);
}

/* A tile's place along the last axis, of so many; the number becomes that without this axis. */
static __device__ __forceinline__ uint64_t take_place(uint64_t *number, uint64_t tiles)
{
    if ((*number | tiles) >> 32 == 0) { /* several times as fast */
        const uint32_t n = (uint32_t)*number, rest = n / (uint32_t)tiles;
        *number = rest;
        return n - rest * (uint32_t)tiles;
    }
    const uint64_t at = *number % tiles;
    *number /= tiles;
    return at;
}

/* ---- bits in shared memory ---- */

/* Or bits into words of 32 in shared memory; *at goes behind them. */
static __device__ __forceinline__ void put_at(uint32_t *words, uint32_t *at, uint64_t v,
                                              uint32_t count)
{
    for (uint32_t done = 0; done < count;) {
        const uint32_t skip = *at % 32, left = count - done;
        const uint32_t some = left < 32 - skip ? left : 32 - skip;
        const uint32_t piece = (uint32_t)(v >> done) & (0xffffffffu >> (32 - some));
        if (piece != 0)
            (void)atomicOr((unsigned *)words + *at / 32, piece << skip);
        *at += some;
        done += some;
    }
}

/* Exclusive sums of two numbers a lane over the first warp; returns the sum of all. The numbers of
 * lane l are sums[2 l] and sums[2 l + 1]. */
static __device__ __forceinline__ uint32_t sum_groups(uint32_t *sums)
{
    const uint32_t lane = threadIdx.x % 32, a = sums[2 * lane], b = sums[2 * lane + 1];
    const uint32_t up_to = (uint32_t)warp_sums_32(a + b);
    sums[2 * lane] = up_to - a - b;
    sums[2 * lane + 1] = up_to - b;
    return __shfl_sync(SIMT_ALL_LANES, up_to, 31);
}

/* ---- values kept as they are ---- */

/* Write which they are, in a way that is known (exact_mark_bytes). One thread. */
static __device__ __forceinline__ void put_exact(uint32_t *words, uint32_t *at,
                                                 const uint64_t *bits, uint32_t n, uint32_t way)
{
    bool is_set = false;
    put_at(words, at, way, 8);
    for (uint32_t from = 0, end; way == ZTI_SZ_EXACT_RUNS && from < n;
         from = end, is_set = !is_set) {
        end = run_end(bits, from, n, is_set);
        const struct zti_sz_code run = exact_run_code(end - from);
        put_at(words, at, run.bits, run.count);
    }
    for (uint32_t from = 0; way == ZTI_SZ_EXACT_BITMAP && from < n; from += 8)
        put_at(words, at, bits[from / 64] >> from % 64 & 255, 8);
}
