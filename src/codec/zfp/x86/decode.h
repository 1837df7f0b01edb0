/* decode.h: text: decode tiles from a stream with vectors, for one width. The includer defines what
 * x86/encode.h lists.
 *
 * The planes of a batch of tiles are read from the stream, one tile after the other; then they are
 * converted to values in registers, all tiles of the batch at once. */

/* Zero a multiple of V_BYTES. */
FN void NAME(clear)(void *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += V_BYTES)
        v_store((char *)to + i, (vec){0});
}

/* A batch whose planes have been read. Planes are stored highest first; missing ones are zero. */
struct NAME(taken) {
    union {
        uint8_t of_4[16][WIDTH + 8]; /* a byte a plane */
        uint16_t of_16[4][WIDTH + 8];
        uint64_t of_64[WIDTH];
        uint64_t of_256[4][64]; /* by quarter */
    } plane;
    uint32_t planes; /* the largest number of planes of a tile */
    uint32_t known;  /* of 256 coefficients: those from here on are zero */
    uint32_t is_raw; /* bit t: the integers of tile t, a reversible one, are the values' bits */
    word scale[16];  /* by tile (of 4: by element): the unit of its integers, as bits */
    uint64_t origin[4][ZT_MAX_RANK]; /* of each tile; of 16 tiles of 4, only of the first */
    uint32_t tiles;
};

/* ---- from the stream to planes ---- */

/* Read a tile's planes; 'window' has the 'have' bits at the reader's position. */
FN void NAME(read_planes)(struct zti_bit_reader *r, uint64_t window, uint32_t have,
                          struct NAME(taken) * b, uint32_t t, uint32_t rank, uint32_t precision,
                          bool is_limited, uint32_t left)
{
    uint32_t n = precision;
    if (rank == 1)
        r->at += read_planes4(r->base, r->at, window, have, b->plane.of_4[t], precision, is_limited,
                              left, planes1);
    else if (rank == 2)
        n = read_planes_of(r, b->plane.of_16[t], 16, precision, is_limited, left);
    else if (rank == 3)
        n = read_planes_of(r, b->plane.of_64, 64, precision, is_limited, left);
    else
        n = read_planes256(r, b->plane.of_256[0], precision, is_limited, left, &b->known);
    b->planes = n > b->planes ? n : b->planes;
}

/* Read a tile's header and planes. */
FN void NAME(take)(const struct zti_zfp *z, struct zti_bit_reader *r, struct NAME(taken) * b,
                   uint32_t t, uint32_t rank, bool is_float, bool is_exact, bool is_limited)
{
    const uint64_t window = window57(r->base, r->at);
    const struct zti_zfp_found_header h =
        zti_zfp_read_tile_header(z, (uint32_t)window, WIDTH, rank, is_float, is_exact);
    const uint64_t start = r->at += h.header.length;
    if (!h.is_empty) {
        if (is_float)
            b->scale[rank == 1 ? t % 4 * 4 + t / 4 : t] = OF(bits_of)(OF(unit)(h.emax));
        b->is_raw |= (uint32_t)h.is_raw << t;
        NAME(read_planes)
        (r, window >> h.header.length, 57 - h.header.length, b, t, rank, h.header.planes,
         is_limited, h.header.budget);
    }
    if (r->at - start < h.header.least)
        r->at = start + h.header.least;
    if (h.is_zero_with_planes && rank == 1)
        memset(b->plane.of_4[t], 0, sizeof b->plane.of_4[t]);
    else if (h.is_zero_with_planes && rank == 2)
        memset(b->plane.of_16[t], 0, sizeof b->plane.of_16[t]);
    else if (h.is_zero_with_planes)
        b->planes = 0;
}

/* Read 'tiles' tiles; planes that the stream lacks are zero. */
FN void NAME(decode_batch)(const struct zti_zfp *z, struct zti_bit_reader *r,
                           struct NAME(taken) * b, uint32_t tiles, uint32_t rank, bool is_float,
                           bool is_exact, bool is_limited)
{
    if (rank == 1)
        NAME(clear)(b->plane.of_4, sizeof b->plane.of_4);
    else if (rank == 2)
        NAME(clear)(b->plane.of_16, sizeof b->plane.of_16);
    NAME(clear)(b->scale, sizeof b->scale);
    b->planes = b->known = b->is_raw = 0;
    b->tiles = tiles;
    for (uint32_t t = 0; t < tiles; t++)
        NAME(take)(z, r, b, t, rank, is_float, is_exact, is_limited);
    for (uint32_t i = b->planes; i % 16 != 0 && rank >= 3; i++) {
        if (rank == 3)
            b->plane.of_64[i] = 0;
        for (uint32_t q = 0; q < 4 && rank == 4; q++)
            b->plane.of_256[q][i] = 0;
    }
}

/* ---- from planes to coefficients ---- */

/* Convert planes to coefficients; returns, for rank 4, which registers of the cubes may have
 * bits. */
FN uint32_t NAME(coefficients)(const struct NAME(taken) * b, ulane *r, uint32_t rank)
{
    if (rank == 4)
        return NAME(cubes_of_planes256)(b->plane.of_256, b->planes, b->known, r);
    if (rank == 1)
        NAME(cube_of_planes4)(b->plane.of_4, r);
    else if (rank == 2)
        NAME(cube_of_planes16)(b->plane.of_16, r);
    else
        NAME(cube_of_planes64)(b->plane.of_64, b->planes, r);
    return 0;
}

/* ---- from coefficients to values ---- */

FN void NAME(undo_axis)(ulane *r, bool is_exact)
{
    for (uint32_t i = 0; i < PARTS; i++)
        NAME(untransform_axis)(r + i, PARTS, is_exact);
}

/* Undo the transform along the axis of the four cubes, and in each cube along that of registers
 * PARTS apart. Bit i of 'used' is clear if register i of all cubes is zero; four zeros are left as
 * they are. */
FN void NAME(undo_two_axes)(ulane *r, uint32_t used, bool is_exact)
{
    for (uint32_t left = used; left != 0; left &= left - 1) {
        ulane *const at = r + zti_ctz64(left);
        for (uint32_t cube = 0; cube < 4; cube++)
            at[cube * REGISTERS] = NAME(of_negabinary)(at[cube * REGISTERS]);
        NAME(untransform_axis)(at, REGISTERS, is_exact);
    }
    used |= used >> 2 * (PARTS);
    used = (used | used >> (PARTS)) & ((1u << (PARTS)) - 1);
    for (uint32_t left = used; left != 0; left &= left - 1)
        for (uint32_t cube = 0; cube < 4; cube++)
            NAME(untransform_axis)(r + cube * REGISTERS + zti_ctz64(left), PARTS, is_exact);
}

/* Undo the transform along all axes; afterwards the first axis is that of the registers. 'used' is
 * for rank 4, as for undo_two_axes. */
FN void NAME(untransform_batch)(ulane *r, uint32_t rank, uint32_t used, bool is_exact)
{
    const uint32_t cubes = rank == 4 ? 4 : 1;
    for (uint32_t i = 0; rank < 4 && i < REGISTERS; i++)
        r[i] = NAME(of_negabinary)(r[i]);
    if (rank == 4)
        NAME(undo_two_axes)(r, used, is_exact);
    for (uint32_t cube = 0; cube < cubes; cube++, r += REGISTERS) {
        if (rank == 3)
            NAME(undo_axis)(r, is_exact);
        OF(turn_elements)(r);
        if (rank >= 2) {
            NAME(undo_axis)(r, is_exact);
            OF(turn_lanes)(r);
        }
        NAME(undo_axis)(r, is_exact);
    }
}

/* Convert integers to floating-point values. */
FN void NAME(dequantize_batch)(const struct NAME(taken) * b, ulane *r, uint32_t rank, bool is_exact)
{
    ulane scale[PARTS];
    uint32_t is_raw = b->is_raw; /* below: by element */
    for (uint32_t i = 0; i < PARTS; i++)
        scale[i] = rank == 1   ? OF(v_load)((const char *)b->scale + V_BYTES * i)
                   : rank == 2 ? OF(lane_everywhere)(b->scale)
                               : OF(v_all)(b->scale[0]);
    if (is_exact && is_raw != 0) {
        uint32_t by_element = 0;
        for (uint32_t t = 0; t < 16; t++) {
            const uint32_t e = rank == 1 ? t % 4 * 4 + t / 4 : t;
            by_element |= (is_raw >> (rank == 1 ? t : rank == 2 ? t % 4 : 0) & 1) << e;
        }
        is_raw = by_element;
    }
    for (uint32_t i = 0; i < REGISTERS * (rank == 4 ? 4 : 1); i++) {
        const ulane q = r[i];
        r[i] = (ulane)(OF(to_float)(q) * (floats)scale[i % PARTS]);
        if (is_exact)
            r[i] = OF(picked)(is_raw >> i % PARTS * ELEMENTS, r[i], NAME(flipped)(q));
    }
}

/* Write the tiles of a batch to the view; from registers, if the view has whole tiles. */
FN void NAME(store_batch)(const struct NAME(taken) * b, const ulane *r, const struct zti_view *view,
                          uint32_t rank)
{
    const struct zti_array *out = &view->out;
    const uint32_t last = rank - 1;
    word *at[4], values[256];
    bool is_whole = out->stride[last] == 1 && b->tiles == (rank == 1 ? 16 : rank == 2 ? 4 : 1);
    const uint32_t side = rank == 1 ? 64 : 4;
    for (uint32_t t = 0; t < (rank == 2 ? b->tiles : 1); t++) {
        at[t] = (word *)out->data;
        for (uint32_t i = 0; i < rank; i++) {
            is_whole &= b->origin[t][i] >= view->lo[i] && b->origin[t][i] + side <= view->hi[i];
            at[t] += (int64_t)(b->origin[t][i] - view->lo[i]) * out->stride[i];
        }
    }
    word *const p = at[0];
    for (uint32_t cube = 0; cube < (rank == 4 ? 4 : 1); cube++) {
        for (uint32_t i = 0; i < 4; i++) {
            if (!is_whole)
                at[i] = values + 64 * cube + 16 * i;
            else if (rank == 1)
                at[i] = p + 16 * i;
            else if (rank > 2)
                at[i] = p + i * out->stride[rank > 2 ? last - 2 : 0] +
                        (rank == 4 ? cube * out->stride[0] : 0);
        }
        const int64_t step = is_whole && rank > 1 ? out->stride[rank > 1 ? last - 1 : 0] : 4;
        OF(store_cube)(r + cube * REGISTERS, at, step);
        if (rank == 4 && is_whole && begins_line(p, 4 * sizeof(word)))
            for (uint32_t i = 0; i < 16; i++)
                __builtin_prefetch(at[i / 4] + i % 4 * step + 64 / sizeof(word), 1);
    }
    if (is_whole)
        return;
    uint64_t origin[ZT_MAX_RANK];
    for (uint32_t t = 0; t < b->tiles; t++) {
        memcpy(origin, b->origin[rank == 2 ? t : 0], sizeof origin);
        origin[0] += rank == 1 ? 4 * t : 0;
        OF(scatter)(view, origin, values + (t << 2 * rank), rank);
    }
}

/* Convert the integers of a batch to values, in the order of memory. */
FN void NAME(values_of_integers)(const struct zti_zfp *z, const struct NAME(taken) * b, ulane *r,
                                 uint32_t rank, bool is_float, bool is_exact)
{
    const uint32_t cubes = rank == 4 ? 4 : 1;
    if (is_float)
        NAME(dequantize_batch)(b, r, rank, is_exact);
    else if (z->shift > 0) /* to the nearest integer */
        for (uint32_t i = 0; i < cubes * REGISTERS; i++)
            r[i] = NAME(lowered)(r[i], z->shift);
    for (uint32_t i = 0; i < cubes; i++)
        OF(turn_elements)(r + i * REGISTERS);
}

/* Convert a batch's planes to values and write them to the view. */
FN void NAME(finish_batch)(const struct zti_zfp *z, const struct NAME(taken) * b,
                           const struct zti_view *view, uint32_t rank, bool is_float, bool is_exact)
{
    ulane r[4 * REGISTERS];
    if (rank >= 3 && b->planes == 0) {
        for (uint32_t i = 0; i < (rank == 4 ? 4 : 1) * REGISTERS; i++)
            r[i] = OF(v_all)(0);
    } else {
        const uint32_t used = NAME(coefficients)(b, r, rank);
        NAME(untransform_batch)(r, rank, used, is_exact);
        NAME(values_of_integers)(z, b, r, rank, is_float, is_exact);
    }
    NAME(store_batch)(b, r, view, rank);
}

/* ---- runs of tiles ---- */

/* Note the origins of a batch's tiles, and advance the walk. */
FN void NAME(place_batch)(const struct zti_grid *grid, struct zti_walk *walk,
                          struct NAME(taken) * b, uint32_t tiles, uint32_t rank)
{
    if (rank == 1) {
        b->origin[0][0] = walk->origin[0];
        walk->origin[0] += 4 * tiles;
        walk->tile += tiles;
        return;
    }
    for (uint32_t t = 0; t < tiles; t++) {
        memcpy(b->origin[t], walk->origin, sizeof b->origin[t]);
        zti_walk_next(grid, walk);
    }
}

/* A batch is finished after the next one is read: planes are stored narrow and loaded wide, which
 * the processor cannot forward from its store buffer. */
FN void NAME(decode)(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                     uint64_t last, const struct zti_view *view, uint32_t rank, bool is_float,
                     bool is_exact, bool is_limited)
{
    const uint32_t most = rank == 1 ? 16 : rank == 2 ? 4 : 1;
    const struct zti_zfp z = *zfp_of(coding);
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    struct zti_bit_reader own = *r;
    struct NAME(taken) batch[2];
    for (uint32_t n = 0; n == 0 || batch[~n & 1].tiles > 0; n++) {
        struct NAME(taken) *b = &batch[n & 1];
        b->tiles = last - walk.tile < most ? (uint32_t)(last - walk.tile) : most;
        if (b->tiles > 0) {
            NAME(decode_batch)(&z, &own, b, b->tiles, rank, is_float, is_exact, is_limited);
            NAME(place_batch)(&coding->grid, &walk, b, b->tiles, rank);
        }
        if (n > 0)
            NAME(finish_batch)(&z, &batch[~n & 1], view, rank, is_float, is_exact);
    }
    *r = own;
}

/* Skip a tile of 64 values without a budget: only the length of its planes is needed. */
FN void NAME(pass64)(const struct zti_zfp *z, struct zti_bit_reader *r, bool is_float,
                     bool is_exact)
{
    const uint64_t window = window57(r->base, r->at);
    const struct zti_zfp_found_header h =
        zti_zfp_read_tile_header(z, (uint32_t)window, WIDTH, 3, is_float, is_exact);
    const uint64_t start = r->at += h.header.length;
    if (!h.is_empty)
        (void)read_planes_of(r, NULL, 64, h.header.planes, false, UINT32_MAX);
    if (r->at - start < h.header.least)
        r->at = start + h.header.least;
}

FN void NAME(skip)(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, uint32_t rank, bool is_float, bool is_exact, bool is_limited)
{
    const struct zti_zfp z = *zfp_of(coding);
    struct zti_bit_reader own = *r;
    struct NAME(taken) b;
    b.planes = b.is_raw = 0;
    for (; first < last; first++) {
        if (rank == 3 && !is_limited)
            NAME(pass64)(&z, &own, is_float, is_exact);
        else
            NAME(take)(&z, &own, &b, 0, rank, is_float, is_exact, is_limited);
    }
    *r = own;
}
