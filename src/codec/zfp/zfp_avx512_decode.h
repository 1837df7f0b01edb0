/* zfp_avx512_decode.h: text: tiles out of a stream with AVX-512, for one width. The includer
 * defines what zfp_avx512_encode.h lists.
 *
 * A batch of tiles is taken from the stream into planes, one tile after the other; then planes
 * become values in registers, all tiles of the batch at once. */

/* A batch between the two. Planes are stored highest first, and zero where there are none. */
struct NAME(taken) {
    union {
        uint8_t of_4[16][WIDTH + 8]; /* a byte a plane */
        uint16_t of_16[4][WIDTH + 8];
        uint64_t of_64[WIDTH];
        uint64_t of_256[4][64]; /* by quarter */
    } plane;
    uint32_t planes;   /* the most of a tile */
    uint32_t is_raw;   /* by tile: values' bits, in a reversible tile */
    word scale[16];    /* by tile (of 4: by element): what integers are multiplied by, as bits */
    uint64_t origin[4][ZT_MAX_RANK]; /* of its tiles; of 16 tiles of 4 the first one only */
    uint32_t tiles;
};

/* ---- from the stream to planes ---- */

/* window has the first bits from where the reader is, 'have' of them. */
FN void NAME(take_planes)(struct zti_bit_reader *r, uint64_t window, uint32_t have,
                          struct NAME(taken) *b, uint32_t t, uint32_t rank, uint32_t precision,
                          bool is_limited, uint32_t left)
{
    uint32_t n = precision;
    if (rank == 1)
        r->at += take_planes4(r->base, r->at, window, have, b->plane.of_4[t], precision,
                              is_limited, left, planes1);
    else if (rank == 2)
        n = take_planes16(r, b->plane.of_16[t], precision, is_limited, left);
    else if (rank == 3)
        n = take_planes64(r, b->plane.of_64, precision, is_limited, left);
    else
        n = take_planes256(r, b->plane.of_256[0], precision, is_limited, left);
    b->planes = n > b->planes ? n : b->planes;
}

/* What the header of a tile says. */
struct NAME(head) {
    uint32_t bits;      /* its own */
    uint32_t precision; /* planes */
    word scale;         /* what integers are multiplied by, as bits */
    bool is_empty;      /* all values +0, and no planes in the stream */
    bool is_void;       /* the same whatever the planes are */
    bool is_raw;        /* the integers are the values' bits */
};

FN struct NAME(head) NAME(head_at)(const struct zti_zfp *z, uint64_t window, uint32_t rank,
                                   bool is_float, bool is_exact)
{
    struct NAME(head) h = {.precision = z->maxprec < WIDTH ? z->maxprec : WIDTH};
    int32_t emax = 0;
    if (is_float) {
        if (!(window & 1))
            return (struct NAME(head)){.bits = 1, .is_empty = true};
        h.is_raw = is_exact && (window & 2) != 0;
        h.bits = h.is_raw ? 2 : EXPONENT_BITS + 1 + is_exact;
        if (!h.is_raw) {
            emax = (int32_t)(window >> (1 + is_exact) & ((1u << EXPONENT_BITS) - 1)) - BIAS;
            h.scale = SCALAR(bits_of)(SCALAR(power)(emax - (WIDTH - 2)));
            h.is_void = is_exact && emax == -BIAS;
        }
    }
    if (is_exact) {
        h.precision = (uint32_t)(window >> h.bits & ((1u << PRECISION_BITS) - 1)) + 1;
        h.bits += PRECISION_BITS;
    } else if (is_float) {
        const int64_t planes = SCALAR(planes_above)(z, emax, rank);
        h.precision = planes <= 0 ? 0 : planes < h.precision ? (uint32_t)planes : h.precision;
    }
    return h;
}

/* A tile's header and planes. */
FN void NAME(take)(const struct zti_zfp *z, struct zti_bit_reader *r, struct NAME(taken) *b,
                   uint32_t t, uint32_t rank, bool is_float, bool is_exact, bool is_limited)
{
    const uint64_t start = r->at, window = window57(r->base, r->at);
    const struct NAME(head) h = NAME(head_at)(z, window, rank, is_float, is_exact);
    r->at += h.bits;
    if (!h.is_empty) {
        b->scale[rank == 1 ? t % 4 * 4 + t / 4 : t] = h.scale;
        b->is_raw |= (uint32_t)h.is_raw << t;
        NAME(take_planes)(r, window >> h.bits, 57 - h.bits, b, t, rank, h.precision, is_limited,
                          z->maxbits - h.bits);
    }
    if (r->at - start < z->minbits)
        r->at = start + z->minbits;
    if (h.is_void && rank == 1)
        memset(b->plane.of_4[t], 0, sizeof b->plane.of_4[t]);
    else if (h.is_void && rank == 2)
        memset(b->plane.of_16[t], 0, sizeof b->plane.of_16[t]);
    else if (h.is_void)
        b->planes = 0;
}

/* Take 'tiles' tiles; their planes are zero where the stream says nothing. */
FN void NAME(take_batch)(const struct zti_zfp *z, struct zti_bit_reader *r,
                         struct NAME(taken) *b, uint32_t tiles, uint32_t rank, bool is_float,
                         bool is_exact, bool is_limited)
{
    if (rank == 1)
        clear(b->plane.of_4, sizeof b->plane.of_4);
    else if (rank == 2)
        clear(b->plane.of_16, sizeof b->plane.of_16);
    clear(b->scale, sizeof b->scale);
    b->planes = b->is_raw = 0;
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

FN void NAME(coefficients)(const struct NAME(taken) *b, ulane *r, uint32_t rank)
{
    const uint32_t bytes = (b->planes + 15) / 16 * 2;
    const __m512i turn = load512(turn8);
    __m512i byte[4][8];
    for (uint32_t t = 0; rank == 1 && t < 16; t += 128 / WIDTH) {
        /* two zmm of transposed bytes: two tiles each of 32-bit values, or one of 64-bit ones */
        for (uint32_t i = 0; i < 2; i++) {
            const uint8_t *p = b->plane.of_4[t + i * (64 / WIDTH)];
            byte[0][i] = rows_of_planes(
                WIDTH == 64 ? load512(p)
                            : _mm512_inserti64x4(
                                  _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)p)),
                                  _mm256_loadu_si256((const __m256i *)(p + WIDTH + 8)), 1));
        }
        r[t / (128 / WIDTH)] = (ulane)_mm512_permutex2var_epi8(
            byte[0][0], load512(TABLE(tiles1_of_byte)), byte[0][1]);
    }
    for (uint32_t t = 0; rank == 2 && t < 4; t++) {
        for (uint32_t i = 0; i < WIDTH / 32; i++)
            byte[0][i] = rows_of_planes(_mm512_permutexvar_epi8(
                load512(matrix2), load512(b->plane.of_16[t] + 32 * i)));
        if (WIDTH == 32)
            r[t] = (ulane)_mm512_permutexvar_epi8(load512(rank2_of_byte_32), byte[0][0]);
        for (uint32_t i = 0; WIDTH == 64 && i < 2; i++)
            r[(2 * t + i) % ZMMS] = (ulane)_mm512_permutex2var_epi8(
                byte[0][0], load512(rank2_of_byte_64[i]), byte[0][1]);
    }
    if (rank == 3) {
        for (uint32_t i = 0; i < WIDTH / 8; i++)
            byte[0][i] = i < bytes ? rows_of_planes(_mm512_permutexvar_epi8(
                                         turn, load512(b->plane.of_64 + 8 * i)))
                                   : _mm512_setzero_si512();
        CUBE(cube_of_bytes)(r, byte[0], TABLE(rank3_of_byte), bytes);
    }
    if (rank == 4) {
        for (uint32_t i = 0; i < WIDTH / 8; i++) {
            __m512i q[4];
            for (uint32_t j = 0; j < 4; j++)
                q[j] = i < bytes ? rows_of_planes(_mm512_permutexvar_epi8(
                                       turn, load512(b->plane.of_256[j] + 8 * i)))
                                 : _mm512_setzero_si512();
            for (uint32_t cube = 0; cube < 4; cube++)
                byte[cube][i] = bytes_of_four(q[0], q[1], q[2], q[3], load512(rank4_of_spot[cube]));
        }
        for (uint32_t cube = 0; cube < 4; cube++)
            CUBE(cube_of_bytes)(r + cube * ZMMS, byte[cube], TABLE(spot_of_byte), bytes);
    }
}

/* ---- from coefficients to values ---- */

FN void NAME(undo_axis)(ulane *r, bool is_exact)
{
    for (uint32_t i = 0; i < ZMMS / 4; i++) {
        if (is_exact)
            NAME(accumulate)(r + i, ZMMS / 4);
        else
            NAME(unlift)(r + i, ZMMS / 4);
    }
}

/* The first axis is that of the registers afterwards. */
FN void NAME(untransform_batch)(ulane *r, uint32_t rank, bool is_exact)
{
    const uint32_t cubes = rank == 4 ? 4 : 1;
    for (uint32_t i = 0; i < cubes * ZMMS; i++)
        r[i] = (r[i] ^ FILL(NEGABINARY)) - FILL(NEGABINARY);
    for (uint32_t i = 0; rank == 4 && i < ZMMS; i++) {
        if (is_exact)
            NAME(accumulate)(r + i, ZMMS);
        else
            NAME(unlift)(r + i, ZMMS);
    }
    for (uint32_t cube = 0; cube < cubes; cube++, r += ZMMS) {
        if (rank >= 3)
            NAME(undo_axis)(r, is_exact);
        CUBE(turn_elements)(r);
        if (rank >= 2) {
            NAME(undo_axis)(r, is_exact);
            CUBE(turn_lanes)(r);
        }
        NAME(undo_axis)(r, is_exact);
    }
}

/* Integers to floating-point values. */
FN void NAME(dequantize_batch)(const struct NAME(taken) *b, ulane *r, uint32_t rank, bool is_exact)
{
    ulane scale[ZMMS / 4];
    uint32_t is_raw = b->is_raw; /* by element below */
    for (uint32_t i = 0; i < ZMMS / 4; i++)
        scale[i] = rank == 1   ? (ulane)load512((const char *)b->scale + 64 * i)
                   : rank == 2 ? (ulane)BROADCAST_LANE(b->scale)
                               : FILL(b->scale[0]);
    if (is_exact && is_raw != 0) {
        uint32_t by_element = 0;
        for (uint32_t t = 0; t < 16; t++) {
            const uint32_t e = rank == 1 ? t % 4 * 4 + t / 4 : t;
            by_element |= (is_raw >> (rank == 1 ? t : rank == 2 ? t % 4 : 0) & 1) << e;
        }
        is_raw = by_element;
    }
    for (uint32_t i = 0; i < ZMMS * (rank == 4 ? 4 : 1); i++) {
        const ulane q = r[i];
        r[i] = (ulane)MULTIPLY(TO_FLOAT((__m512i)q), (__m512i)scale[i % (ZMMS / 4)]);
        if (is_exact)
            r[i] = (ulane)BLEND(is_raw >> i % (ZMMS / 4) * (512 / WIDTH), (__m512i)r[i],
                                (__m512i)(q ^ (ulane)((ulane)((lane)q >> (WIDTH - 1)) >> 1)));
    }
}

/* Write the tiles of a batch to the view, from registers where all of them is wanted. */
FN void NAME(store_batch)(const struct NAME(taken) *b, const ulane *r,
                          const struct zti_view *view, uint32_t rank)
{
    const zt_array *out = &view->out;
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
        CUBE(store_cube)(r + cube * ZMMS, at,
                         is_whole && rank > 1 ? out->stride[rank > 1 ? last - 1 : 0] : 4);
    }
    if (is_whole)
        return;
    uint64_t origin[ZT_MAX_RANK];
    for (uint32_t t = 0; t < b->tiles; t++) {
        memcpy(origin, b->origin[rank == 2 ? t : 0], sizeof origin);
        origin[0] += rank == 1 ? 4 * t : 0;
        INTS(scatter)(view, origin, values + (t << 2 * rank), rank);
    }
}

/* A batch's planes to the view. */
FN void NAME(finish_batch)(const struct zti_zfp *z, const struct NAME(taken) *b,
                           const struct zti_view *view, uint32_t rank, bool is_float,
                           bool is_exact)
{
    const uint32_t cubes = rank == 4 ? 4 : 1;
    ulane r[4 * ZMMS];
    if (rank >= 3 && b->planes == 0) {
        for (uint32_t i = 0; i < cubes * ZMMS; i++)
            r[i] = FILL(0);
    } else {
        NAME(coefficients)(b, r, rank);
        NAME(untransform_batch)(r, rank, is_exact);
        if (is_float)
            NAME(dequantize_batch)(b, r, rank, is_exact);
        else if (z->shift > 0) /* to the nearest integer */
            for (uint32_t i = 0; i < cubes * ZMMS; i++)
                r[i] = (ulane)((lane)r[i] >> z->shift) + (r[i] >> (z->shift - 1) & 1);
        for (uint32_t i = 0; i < cubes; i++)
            CUBE(turn_elements)(r + i * ZMMS);
    }
    NAME(store_batch)(b, r, view, rank);
}

/* ---- runs of tiles ---- */

/* Note where the tiles of a batch go, and move on. */
FN void NAME(place_batch)(const struct zti_grid *grid, struct zti_walk *walk,
                          struct NAME(taken) *b, uint32_t tiles, uint32_t rank)
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

/* Finishing a batch waits until the next one is taken: planes are stored narrow and loaded wide,
 * which the processor cannot forward. */
FN void NAME(decode)(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                     uint64_t last, const struct zti_view *view, uint32_t rank, bool is_float,
                     bool is_exact, bool is_limited)
{
    const uint32_t most = rank == 1 ? 16 : rank == 2 ? 4 : 1;
    const struct zti_zfp z = coding->zfp;
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    struct zti_bit_reader own = *r;
    struct NAME(taken) batch[2];
    for (uint32_t n = 0; n == 0 || batch[~n & 1].tiles > 0; n++) {
        struct NAME(taken) *b = &batch[n & 1];
        b->tiles = last - walk.tile < most ? (uint32_t)(last - walk.tile) : most;
        if (b->tiles > 0) {
            NAME(take_batch)(&z, &own, b, b->tiles, rank, is_float, is_exact, is_limited);
            NAME(place_batch)(&coding->grid, &walk, b, b->tiles, rank);
        }
        if (n > 0)
            NAME(finish_batch)(&z, &batch[~n & 1], view, rank, is_float, is_exact);
    }
    *r = own;
}

/* Pass over a tile of 64 values without a budget: only how long its planes are matters. */
FN void NAME(pass64)(const struct zti_zfp *z, struct zti_bit_reader *r, bool is_float,
                     bool is_exact)
{
    const uint64_t start = r->at, window = window57(r->base, r->at);
    const struct NAME(head) h = NAME(head_at)(z, window, 3, is_float, is_exact);
    r->at += h.bits;
    if (!h.is_empty)
        pass_planes64(r, h.precision);
    if (r->at - start < z->minbits)
        r->at = start + z->minbits;
}

FN void NAME(skip)(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, uint32_t rank, bool is_float, bool is_exact, bool is_limited)
{
    const struct zti_zfp z = coding->zfp;
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

/* ---- 16 values: a tile a lane ---- */

/* What decode_lanes has of its tiles beside the planes. */
struct NAME(lane_heads) {
    word scale[GROUPS * LANES];
    uint32_t is_raw, is_void; /* by tile */
};

/* The headers of the tiles; lanes without one look where the first does. Returns the most planes
 * of a tile; *zeros: of how many at the top none has bits. */
FN uint32_t NAME(take_lane_heads)(const struct zti_zfp *z, const uint8_t *base,
                                  const uint64_t *at, uint32_t tiles, struct lanes *lanes,
                                  struct NAME(lane_heads) *heads, uint32_t *zeros, bool is_float,
                                  bool is_exact)
{
    uint32_t most = 0;
    heads->is_raw = heads->is_void = 0;
    *zeros = 40;
    for (uint32_t t = 0; t < (tiles + LANES - 1) / LANES * LANES; t++) {
        struct lanes *s = &lanes[t / LANES];
        const bool is_tile = t < tiles;
        const uint64_t start = at[is_tile ? t : 0], window = window57(base, start);
        const struct NAME(head) h = NAME(head_at)(z, window, 2, is_float, is_exact);
        s->at[t % LANES] = start + h.bits;
        s->precision[t % LANES] = is_tile ? h.precision : 0;
        s->left[t % LANES] = is_tile && !h.is_empty ? z->maxbits - h.bits : 0;
        heads->scale[t] = h.scale;
        heads->is_raw |= (uint32_t)h.is_raw << t;
        heads->is_void |= (uint32_t)h.is_void << t;
        if (!h.is_empty) {
            const uint32_t n = (uint32_t)_tzcnt_u64(window >> h.bits);
            *zeros = n < *zeros ? n : *zeros;
            most = s->precision[t % LANES] > most ? s->precision[t % LANES] : most;
        }
    }
    return most;
}

/* Four tiles from their planes to the view. */
FN void NAME(finish_lanes)(const struct zti_zfp *z, const struct NAME(lane_heads) *heads,
                           uint32_t t, uint32_t tiles, __m512i (*of_tile)[LANES],
                           const struct zti_walk *walk, const struct zti_view *view,
                           bool is_float, bool is_exact)
{
    struct NAME(taken) b;
    b.tiles = tiles - t < 4 ? tiles - t : 4;
    b.is_raw = heads->is_raw >> t & 15;
    memcpy(b.scale, heads->scale + t, 4 * sizeof *b.scale);
    for (uint32_t j = 0; j < 4; j++)
        for (uint32_t i = 0; i < WIDTH / 32; i++) {
            __m512i v = of_tile[i][t % LANES + j];
            if (zti_unlikely(heads->is_void >> (t + j) & 1))
                v = _mm512_setzero_si512();
            _mm512_storeu_si512(b.plane.of_16[j] + 32 * i, v);
        }
    for (uint32_t j = 0; j < b.tiles; j++)
        memcpy(b.origin[j], walk[t + j].origin, sizeof b.origin[j]);
    NAME(finish_batch)(z, &b, view, 2, is_float, is_exact);
}

/* Decode a tile of each lane, which begins at bit at[lane], and where walk[lane] is; leaves the
 * positions at the tiles' ends. */
FN void NAME(decode_lanes)(const struct zti_zfp *z, const uint8_t *base, uint64_t *at,
                           const struct zti_walk *walk, uint32_t tiles,
                           const struct zti_view *view, bool is_float, bool is_exact,
                           bool is_limited)
{
    struct lanes s[GROUPS];
    struct NAME(lane_heads) heads;
    uint16_t plane[GROUPS][64 + 32][LANES];
    __m512i of_tile[2][LANES];
    uint32_t zeros;
    const uint32_t groups = (tiles + LANES - 1) / LANES;
    const uint32_t most =
        NAME(take_lane_heads)(z, base, at, tiles, s, &heads, &zeros, is_float, is_exact);
    const uint32_t planes = take_planes16_of_lanes(base, s, groups, plane, zeros, most, is_limited);
    for (uint32_t k = 0; k < groups; k++) {
        memset(plane[k][planes], 0, planes % 32 ? (32 - planes % 32) * sizeof *plane[k] : 0);
        for (uint32_t i = 0; i < WIDTH / 32; i++) {
            if (planes > 32 * i)
                turn_planes16(plane[k] + 32 * i, of_tile[i]);
            else
                memset(of_tile[i], 0, sizeof of_tile[i]);
        }
        for (uint32_t t = k * LANES; t < (k + 1) * LANES && t < tiles; t += 4)
            NAME(finish_lanes)(z, &heads, t, tiles, of_tile, walk, view, is_float, is_exact);
    }
    for (uint32_t t = 0; t < tiles; t++) {
        const uint64_t end = s[t / LANES].at[t % LANES];
        at[t] = end - at[t] < z->minbits ? at[t] + z->minbits : end;
    }
}

/* ---- runs whose places are known ---- */

/* Runs of tiles of 16 values one after the other in the array: a run a lane. */
FN void NAME(decode_runs)(const struct zti_coding *coding, const uint8_t *base, uint64_t *at,
                          uint32_t runs, uint64_t first, uint32_t run_tiles,
                          const struct zti_view *view, bool is_float, bool is_exact)
{
    const struct zti_zfp z = coding->zfp;
    struct zti_walk walk[GROUPS * LANES];
    for (uint32_t i = 0; i < runs; i++)
        walk[i] = zti_walk_from(&coding->grid, first + (uint64_t)i * run_tiles);
    for (uint32_t t = 0; t < run_tiles; t++) {
        NAME(decode_lanes)(&z, base, at, walk, runs, view, is_float, is_exact, false);
        for (uint32_t i = 0; i < runs; i++)
            zti_walk_next(&coding->grid, &walk[i]);
    }
}

/* The same where all tiles take 'tile_bits' bits: a tile a lane, then the next ones. */
FN void NAME(decode_fixed)(const struct zti_coding *coding, struct zti_bit_reader *r,
                           uint64_t first, uint64_t last, uint64_t tile_bits,
                           const struct zti_view *view, bool is_float)
{
    const struct zti_zfp z = coding->zfp;
    struct zti_walk next = zti_walk_from(&coding->grid, first), walk[GROUPS * LANES];
    uint64_t at[GROUPS * LANES];
    while (next.tile < last) {
        uint32_t n = 0;
        for (; n < GROUPS * LANES && next.tile < last; n++) {
            walk[n] = next;
            at[n] = r->at + n * tile_bits;
            zti_walk_next(&coding->grid, &next);
        }
        NAME(decode_lanes)(&z, r->base, at, walk, n, view, is_float, false, true);
        r->at += n * tile_bits;
    }
}
