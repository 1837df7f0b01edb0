/* sample.h: kernel text: the two passes over samples from which axes and the shape of groups are
 * chosen (lorenzo/axes.c, lorenzo/sampling.h). A block measures one sample in one way, and adds its
 * bits to a struct zti_sz_tally. Its parameters are those of lorenzo/gpu/kernel.h. */

/* Add to a number of the tally. One thread calls it. */
static __device__ __forceinline__ void add_to_tally(uint64_t *to, uint64_t bits)
{
    (void)atomicAdd((unsigned long long *)to, (unsigned long long)bits);
}

/* The bits in Rice codes of the groups that measure_warp has measured. One warp calls it. */
static __device__ __forceinline__ uint32_t rice_bits_of_groups(const struct encode_state *sh)
{
    uint32_t bits = 0;
    for (uint32_t g = threadIdx.x % 32; in_group(sh->walk.n, g) > 0; g += 32)
        bits += class_code(sh->classes[g], g > 0 ? sh->classes[g - 1] : 0).count + sh->plane_at[g] +
                sh->rest_at[g];
    return simt_reduce_add(bits);
}

/* Set the arguments for the tiles of a sample's grid; valid after the next barrier. One thread
 * calls it. */
static __device__ __forceinline__ void begin_sample(const struct sz_tiles *s, uint32_t pass,
                                                    uint32_t is_blocked, int64_t centre,
                                                    struct zti_sz_sample *sample,
                                                    struct sz_tiles *own, struct encode_state *sh)
{
    find_sample(&s->grid, &s->sz, pass, sample);
    *own = *s;
    own->grid = sample->grid;
    own->sz.axes = sample->axes;
    own->sz.is_blocked = is_blocked;
    own->sz.centre = centre;
    begin_block(own, sh, sample->tile);
}

/* ---- the first round ---- */

/* The values of a box with a predecessor along each axis: a box that is smaller by one. */
struct inside {
    uint32_t n, extent[ZT_MAX_RANK], inverse[ZT_MAX_RANK];
};

static __device__ __forceinline__ struct inside inside_of(const struct walk *w)
{
    struct inside in;
    uint32_t axes = 0;
    in.n = 1;
    SIMT_UNROLL
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++) {
        in.extent[k] = w->extent[k] > 1 ? w->extent[k] - 1 : 1;
        in.n *= in.extent[k];
        axes += w->extent[k] > 1;
    }
    invert_extents(in.extent, axes, in.inverse);
    return in;
}

/* The axes of the walk that are in a set of the array's. */
static __device__ __forceinline__ uint32_t walk_axes(const struct zti_grid *grid, uint64_t tile,
                                                     uint32_t set)
{
    const struct zti_walk walk = zti_walk_from(grid, tile);
    uint32_t axes = 0, slot = 0;
    for (uint32_t i = grid->rank; i-- > 0;)
        if (extent_at(grid, i, walk.origin[i]) > 1)
            axes |= (set >> i & 1) << slot++;
    return axes;
}

/* Folded differences of the values inside, in sh->u, with zeros to the end of the last group. */
static __device__ __forceinline__ void differences_inside(struct encode_state *sh,
                                                          const struct inside *in, uint32_t differ,
                                                          bool is_narrow)
{
    const struct walk *const w = &sh->walk;
    const uint32_t end = groups_in(in->n) * ZTI_SZ_GROUP;
    for (uint32_t i = threadIdx.x; i < end; i += ENCODE_THREADS) {
        uint32_t at[ZT_MAX_RANK];
        struct spot p = {0, differ};
        find_coordinates(i, in->extent, in->inverse, at);
        SIMT_UNROLL
        for (uint32_t k = 0; k < ZT_MAX_RANK; k++)
            p.place += (at[k] + (w->extent[k] > 1)) * w->pace[k];
        sh->u[i] = i < in->n ? fold(difference(sh->a, w->pace, p, ZT_MAX_RANK), is_narrow) : 0;
    }
}

/* The sets of axes that each box is measured with: all, or none is chosen. */
ZTI_STATIC uint32_t looked_sets(const struct sz_tiles *s)
{
    return s->sz.has_axes ? 1 : 1u << s->grid.rank;
}

/* Measure a box with one set of axes; without a choice of axes only its base is looked at. */
static __device__ __forceinline__ void look_at_box(const struct sz_tiles *s, uint64_t *tally)
{
    SIMT_SHARED_DYNAMIC(struct encode_state, sh);
    SIMT_SHARED(struct sz_tiles, own, );
    struct zti_sz_tally *const t = (struct zti_sz_tally *)(void *)tally;
    struct zti_sz_sample sample;
    const uint32_t sets = looked_sets(s), set = blockIdx.x % sets;
    if (!place_sample(&s->grid, &s->sz, ZTI_SZ_LOOK_PASS, blockIdx.x / sets, &sample))
        return;
    if (threadIdx.x == 0) {
        begin_sample(s, ZTI_SZ_LOOK_PASS, 0, 0, &sample, &own, sh);
        sh->walk.differ = walk_axes(&own.grid, sample.tile, set);
    }
    __syncthreads();
    begin_values(sh);
    const struct tile_form p = begin_form(&own, sh, false, ZTI_SZ_FAST);
    const bool is_narrow = (p.form & ZTI_SZ_NARROW) != 0;
    const struct inside in = inside_of(&sh->walk);
    const uint32_t each = groups_each(in.n), some = groups_in(in.n);
    const uint32_t first = threadIdx.x / 32 * each;
    uint32_t unused = 0;
    if (threadIdx.x == 0 && set == 0)
        t->base[sample.number] =
            is_narrow ? (int64_t)(int32_t)(uint32_t)sh->a[0] : (int64_t)sh->a[0];
    if (s->sz.has_axes)
        return;
    differences_inside(sh, &in, sh->walk.differ, is_narrow);
    if (threadIdx.x == 0)
        sh->walk.n = in.n; /* of the values whose groups are measured */
    __syncthreads();
    (void)measure_warp(sh, first, first + each < some ? first + each : some, is_narrow ? 32 : WIDTH,
                       false, false, &unused);
    __syncthreads();
    const uint32_t bits = threadIdx.x < 32 ? rice_bits_of_groups(sh) : 0;
    if (threadIdx.x == 0)
        add_to_tally(t->bits + set, sampled_bits(bits));
}

static inline uint64_t look_blocks(const struct sz_tiles *s)
{
    return samples_of(&s->grid) * looked_sets(s);
}

/* ---- the second round ---- */

/* Measure a tile of one of the sets with one shape of groups. */
static __device__ __forceinline__ void race_tile(const struct sz_tiles *s, uint64_t *tally)
{
    SIMT_SHARED_DYNAMIC(struct encode_state, sh);
    SIMT_SHARED(struct sz_tiles, own, );
    struct zti_sz_tally *const t = (struct zti_sz_tally *)(void *)tally;
    struct zti_sz_sample sample;
    const uint32_t shape = blockIdx.x % 2;
    if (!place_sample(&s->grid, &s->sz, ZTI_SZ_RACE_PASS, blockIdx.x / 2, &sample))
        return;
    if (threadIdx.x == 0)
        begin_sample(s, ZTI_SZ_RACE_PASS, shape, s->sz.centre, &sample, &own, sh);
    __syncthreads();
    begin_values(sh);
    struct tile_form p = begin_form(&own, sh, false, ZTI_SZ_FAST);
    (void)measure_groups(&own, sh, &p, ZTI_SZ_FAST, false);
    const uint32_t bits = threadIdx.x < 32 && !p.is_zero ? rice_bits_of_groups(sh) : 0;
    if (threadIdx.x != 0)
        return;
    add_to_tally(&t->race[sample.set][shape], raced_bits(sh->away, sampled_bits(bits)));
    if (shape == 0)
        add_to_tally(t->values + sample.set, sh->walk.n);
}

static inline uint64_t race_blocks(const struct sz_tiles *s)
{
    const uint64_t samples = samples_of(&s->grid);
    return (samples + 1) / 2 * finalists_of(&s->sz).count * 2;
}

/* The most for any grid and sets of axes. */
static inline uint64_t race_blocks_most(void)
{
    return (uint64_t)(ZTI_SZ_SAMPLES + 1) / 2 * ZTI_SZ_FINALISTS * 2;
}
