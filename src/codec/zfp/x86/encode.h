/* encode.h: text: encode tiles to a stream with vectors, for one instruction set and width: the
 * values of a batch of tiles (one cube; for tiles of 256 values, four cubes) stay in registers
 * until they are planes. The text for 64 bits uses that for 32, which is included first.
 *
 * The includer has the cubes and the planes of its instruction set (x86/avx512/cube.h and
 * x86/avx512/to_planes.h, or those of AVX2), x86/planes_to_bits.h and the plain texts of the width,
 * and includes x86/width32.h or x86/width64.h, which define WIDTH and
 *   lane, ulane, floats   vectors of the width
 *   word            the unsigned integer of the width
 *   NAME(x)         x with this instance's suffix; OF(x): x with the width's suffix, for cubes,
 *                   tables and the plain text
 *   REGISTERS       number of vectors of a cube; PARTS: a quarter of it
 *   ELEMENTS        number of values of a vector */

/* A batch of tiles to encode. */
struct NAME(batch) {
    ulane r[4 * REGISTERS]; /* the cubes */
    ulane top[PARTS];       /* by element: its tile's largest magnitude */
    ulane any[PARTS];       /* by element: OR of its tile's coefficients; reversible only */
    uint32_t is_raw; /* bit e: the reversible tile of element e is coded as the values' bits */
};

/* OR of the elements of 'count' registers. */
FN word NAME(or_of)(const ulane *r, uint32_t count)
{
    ulane v = r[0];
    for (uint32_t i = 1; i < count; i++)
        v |= r[i];
    return OF(v_or)(v);
}

/* Quantize values to integers, and set the fields for the tiles' headers. False if a tile is not
 * for vectors: a value is not finite, or so small that the scale overflows. */
FN bool NAME(quantize)(struct NAME(batch) * b, uint32_t rank, bool is_exact)
{
    const uint32_t registers = REGISTERS * (rank == 4 ? 4 : 1);
    const word magnitude = (word)-1 >> 1;
    ulane scale[PARTS], unit[PARTS], field[PARTS], differ[PARTS];
    for (uint32_t i = 0; i < PARTS; i++) {
        b->top[i] = b->r[i] & magnitude;
        for (uint32_t j = i + PARTS; j < registers; j += PARTS)
            b->top[i] = OF(max_of)(b->top[i], b->r[j] & magnitude);
    }
    NAME(spread)(b->top, rank, false);
    bool is_plain = true;
    for (uint32_t i = 0; i < PARTS; i++) {
        field[i] = b->top[i] >> zti_zfp_mantissa_bits(WIDTH);
        is_plain &= (OF(are_set)(b->top[i]) & OF(are_less)(field[i], OF(v_all)(WIDTH - 2))) == 0;
        is_plain &= OF(are_less)(OF(v_all)((word)(2 * zti_zfp_bias(WIDTH))), field[i]) == 0;
        scale[i] = NAME(scale_bits)(field[i]);
        unit[i] = NAME(unit_bits)(field[i]);
        differ[i] = OF(v_all)(0);
    }
    if (zti_unlikely(!is_plain))
        return false;
    for (uint32_t j = 0; j < registers; j++) {
        const ulane q = OF(to_int)((floats)b->r[j] * (floats)scale[j % PARTS]);
        if (is_exact) /* keep the bits until q is known to keep every one */
            differ[j % PARTS] |= (ulane)(OF(to_float)(q) * (floats)unit[j % PARTS]) ^ b->r[j];
        else
            b->r[j] = q;
    }
    if (!is_exact)
        return true;
    NAME(spread)(differ, rank, true);
    for (uint32_t i = 0; i < PARTS; i++)
        b->is_raw |= (uint32_t)OF(are_set)(differ[i]) << i * ELEMENTS;
    for (uint32_t j = 0; j < registers; j++) {
        const ulane v = b->r[j], q = OF(to_int)((floats)v * (floats)scale[j % PARTS]);
        b->r[j] = OF(picked)(b->is_raw >> j % PARTS * ELEMENTS, q, NAME(flipped)(v));
    }
    return true;
}

/* Transform along one axis after the other, and convert to negabinary. */
FN void NAME(transform_batch)(struct NAME(batch) * b, uint32_t rank, bool is_exact)
{
    const uint32_t cubes = rank == 4 ? 4 : 1;
    for (uint32_t cube = 0; cube < cubes; cube++) {
        ulane *r = b->r + cube * REGISTERS;
        for (uint32_t axis = 0; axis < (rank < 3 ? rank : 3); axis++) {
            if (axis == 1)
                OF(turn_lanes)(r);
            if (axis == 2)
                OF(turn_elements)(r);
            for (uint32_t i = 0; i < PARTS; i++)
                NAME(transform_axis)(r + i, PARTS, is_exact);
        }
        if (rank == 2)
            OF(turn_elements)(r);
    }
    for (uint32_t i = 0; rank == 4 && i < REGISTERS; i++)
        NAME(transform_axis)(b->r + i, REGISTERS, is_exact);
    for (uint32_t i = 0; i < cubes * REGISTERS; i++)
        b->r[i] = NAME(to_negabinary)(b->r[i]);
}

/* ---- from coefficients to bits, by rank; 'precision' planes of tile t of the batch ---- */

FN void NAME(write_16)(struct fast_writer *f, const struct NAME(batch) * b, uint32_t t,
                       uint32_t precision, bool is_limited)
{
    struct seen seen = nothing_seen();
    for (uint32_t done = 0; done < precision; done += 2 * V_LANES_32) {
        const vec planes = NAME(planes_of_16)(b->r + t * PARTS, done);
        const uint32_t rest = precision - done;
        write_planes16(f, v_widen_16((u16s)planes, 0), &seen, rest < V_LANES_32 ? rest : V_LANES_32,
                       is_limited);
        if (rest <= V_LANES_32 || (is_limited && f->left == 0))
            return;
        write_planes16(f, v_widen_16((u16s)planes, 1), &seen,
                       rest < 2 * V_LANES_32 ? rest - V_LANES_32 : V_LANES_32, is_limited);
        if (is_limited && f->left == 0)
            return;
    }
}

FN void NAME(write_64)(struct fast_writer *f, const struct NAME(batch) * b, uint32_t precision,
                       bool is_limited)
{
    struct seen seen = nothing_seen();
    struct NAME(bytes) bytes;
    NAME(bytes_of_64)(b->r, precision, &bytes);
    for (uint32_t done = 0; done < precision && (!is_limited || f->left > 0); done += 8) {
        vec planes[8 / V_LANES_64];
        NAME(planes_of_64)(&bytes, done / 8, planes);
        for (uint32_t i = 0; i < 8 && done + i < precision; i += V_LANES_64) {
            const uint32_t rest = precision - done - i;
            write_planes64(f, (u64s)planes[i / V_LANES_64], &seen,
                           rest < V_LANES_64 ? rest : V_LANES_64, is_limited);
        }
    }
}

FN void NAME(write_256)(struct fast_writer *f, const struct NAME(batch) * b, uint32_t precision,
                        bool is_limited)
{
    struct planes256 seen;
    struct NAME(bytes) bytes[4];
    NAME(bytes_of_256)(b->r, precision, bytes);
    for (uint32_t q = 0; q < 4; q++)
        seen.quarter[q] = v_all_64(0);
    for (uint32_t done = 0; done < precision && (!is_limited || f->left > 0); done += 8) {
        vec planes[4][8 / V_LANES_64];
        NAME(planes_of_256)(bytes, done / 8, planes);
        for (uint32_t i = 0; i < 8 && done + i < precision; i += V_LANES_64) {
            const uint32_t rest = precision - done - i;
            struct planes256 p;
            for (uint32_t q = 0; q < 4; q++)
                p.quarter[q] = (u64s)planes[q][i / V_LANES_64];
            write_planes256(f, &p, &seen, rest < V_LANES_64 ? rest : V_LANES_64, is_limited);
        }
    }
}

/* ---- 16 tiles of 4 ---- */

/* The rows of strings_of_rows; element e is of tile e. Bit k of the rows is of plane k: rows 0 to 3
 * have the coefficients, 4 and 5 the bits of c, 6 "c is 4", 7 "the plane is coded". */
FN void NAME(rows_of_4)(const ulane *r, const uint32_t *planes, ulane (*row)[8])
{
    for (uint32_t i = 0; i < PARTS; i++) {
        ulane seen[4], v = OF(v_all)(0);
        for (uint32_t x = 4; x-- > 0;) { /* bits below the top bit of coefficients x to 3 */
            v |= r[x * PARTS + i];
            row[i][x] = r[x * PARTS + i];
            seen[x] = OF(below_top)(v);
        }
        row[i][4] = seen[0] ^ seen[1] ^ seen[2] ^ seen[3];
        row[i][5] = seen[1] & ~seen[3];
        row[i][6] = seen[3];
        word count[ELEMENTS];
        for (uint32_t e = 0; e < ELEMENTS; e++)
            count[e] = planes[i * ELEMENTS + e];
        row[i][7] = OF(v_left)(OF(v_all)((word)-1), WIDTH - OF(v_load)(count));
    }
}

/* The strings of 16 tiles of 4 from their coefficients; string e is that of the tile of element
 * e. */
FN void NAME(strings_of_tiles)(const void *coefficients, const uint32_t *planes,
                               uint64_t (*string)[WIDTH / 8], uint64_t (*length)[WIDTH / 8])
{
    ulane r[REGISTERS], row[PARTS][8];
    memcpy(r, coefficients, sizeof r);
    NAME(rows_of_4)(r, planes, row);
    for (uint32_t i = 0; i < PARTS; i++)
        NAME(strings_of_rows)(row[i], string + i * ELEMENTS, length + i * ELEMENTS);
}

/* ---- a batch ---- */

FN void NAME(encode_tile)(struct fast_writer *f, const struct NAME(batch) * b, uint32_t t,
                          const struct zti_zfp_tile_header *h, uint32_t rank, bool is_limited)
{
    put(f, h->bits, h->length);
    const uint64_t start = fast_bits(f, NULL);
    f->left = h->budget;
    if (rank == 2 && h->planes > 0)
        NAME(write_16)(f, b, t, h->planes, is_limited);
    else if (rank == 3 && h->planes > 0)
        NAME(write_64)(f, b, h->planes, is_limited);
    else if (h->planes > 0)
        NAME(write_256)(f, b, h->planes, is_limited);
    const uint64_t n = fast_bits(f, NULL) - start;
    if (n < h->least)
        write_fast_zeros(f, h->least - n);
}

/* Append 16 tiles of 4; string e has 'words' words of eight planes each, in an array of 'room'
 * words. */
FN void NAME(write_strings_of_4)(struct fast_writer *f, const struct zti_zfp_tile_header *head,
                                 uint32_t tiles, const uint64_t *string, const uint64_t *length,
                                 uint32_t room, uint32_t words, bool is_limited)
{
    for (uint32_t t = 0; t < tiles; t++) {
        const uint32_t e = (t % 4 * 4 + t / 4) * room;
        put(f, head[t].bits, head[t].length);
        const uint64_t start = fast_bits(f, NULL);
        f->left = head[t].budget;
        for (uint32_t i = 0; i < words; i++)
            write_within(f, string[e + i], length[e + i], is_limited);
        const uint64_t n = fast_bits(f, NULL) - start;
        if (n < head[t].least)
            write_fast_zeros(f, head[t].least - n);
    }
}

/* Whether strings of four words have all planes that the tiles' budgets reach. */
FN bool NAME(are_enough)(const struct zti_zfp_tile_header *head, uint32_t tiles,
                         uint64_t (*length)[4])
{
    bool is_enough = true;
    for (uint32_t t = 0; t < tiles; t++) {
        const uint64_t *n = length[t % 4 * 4 + t / 4];
        is_enough &= head[t].planes <= 32 || n[0] + n[1] + n[2] + n[3] >= head[t].budget;
    }
    return is_enough;
}

/* Append a batch of tiles of 4. The upper halves of 64-bit coefficients have the first 32
 * planes. */
FN void NAME(encode_tiles_of_4)(struct fast_writer *f, const struct NAME(batch) * b,
                                const struct zti_zfp_tile_header *head, uint32_t tiles,
                                bool is_limited)
{
    uint32_t planes[16], upper[64], most = 0;
    for (uint32_t t = 0; t < 16; t++) {
        const uint32_t n = t < tiles ? head[t].planes : 0;
        planes[t % 4 * 4 + t / 4] = n;
        most = n > most ? n : most;
    }
    if (WIDTH == 64 && (is_limited || most <= 32)) {
        uint64_t string[16][4], length[16][4];
        uint32_t first[16];
        for (uint32_t e = 0; e < 16; e++)
            first[e] = planes[e] < 32 ? planes[e] : 32;
        NAME(store_upper)(b->r, upper);
        strings_of_tiles_v32(upper, first, string, length);
        if (most <= 32 || NAME(are_enough)(head, tiles, length)) {
            NAME(write_strings_of_4)
            (f, head, tiles, string[0], length[0], 4, most < 32 ? (most + 7) / 8 : 4, is_limited);
            return;
        }
    }
    uint64_t string[16][WIDTH / 8], length[16][WIDTH / 8];
    NAME(strings_of_tiles)(b->r, planes, string, length);
    NAME(write_strings_of_4)
    (f, head, tiles, string[0], length[0], WIDTH / 8, (most + 7) / 8, is_limited);
}

/* Append the tiles of a batch that was loaded; false if plain C must encode them. */
FN bool NAME(encode_batch)(const struct zti_zfp *z, struct NAME(batch) * b, uint32_t tiles,
                           struct fast_writer *f, uint32_t rank, bool is_float, bool is_exact,
                           bool is_limited, bool *is_proved)
{
    const uint32_t cubes = rank == 4 ? 4 : 1;
    for (uint32_t cube = 0; cube < cubes; cube++)
        OF(turn_elements)(b->r + cube * REGISTERS);
    word top[16] = {0}, any[16] = {0};
    b->is_raw = 0;
    if (is_float) {
        if (!NAME(quantize)(b, rank, is_exact))
            return false;
        memcpy(top, b->top, sizeof top);
    } else if (z->shift != 0) {
        for (uint32_t i = 0; i < cubes * REGISTERS; i++)
            b->r[i] = NAME(raised)(b->r[i], z->shift);
    }
    NAME(transform_batch)(b, rank, is_exact);
    if (is_exact && rank == 1) {
        for (uint32_t i = 0; i < PARTS; i++)
            b->any[i] = b->r[i] | b->r[i + PARTS] | b->r[i + 2 * PARTS] | b->r[i + 3 * PARTS];
        memcpy(any, b->any, sizeof any);
    }
    if (is_exact && rank == 2)
        for (uint32_t t = 0; t < 4; t++)
            any[t] = NAME(or_of)(b->r + t * PARTS, PARTS);
    if (is_exact && rank > 2)
        any[0] = NAME(or_of)(b->r, cubes * REGISTERS);
    struct zti_zfp_tile_header head[16];
    const uint32_t room = rank == 1 ? 16 : rank == 2 ? 4 : 1;
    for (uint32_t t = 0; t < room && t < tiles; t++) {
        const uint32_t e = rank == 1 ? t % 4 * 4 + t / 4 : t;
        const int32_t emax = zti_zfp_emax(top[e], WIDTH);
        head[t] =
            zti_zfp_tile_header_of(z, emax, b->is_raw >> e & 1, WIDTH, rank, is_float, is_exact);
        if (is_exact && head[t].planes > 0)
            zti_zfp_add_planes(&head[t], z, any[e], WIDTH);
        *is_proved &= zti_zfp_proves_tile(z, emax, WIDTH, rank, is_float, is_exact);
    }
    if (rank == 1)
        NAME(encode_tiles_of_4)(f, b, head, tiles, is_limited);
    else
        for (uint32_t t = 0; t < room && t < tiles; t++)
            NAME(encode_tile)(f, b, t, &head[t], rank, is_limited);
    return true;
}

/* ---- runs of tiles ---- */

/* Load a batch from the array, or from copies of its tiles if one is cut or not contiguous. */
FN void NAME(load_batch)(const struct zti_array *array, const struct zti_grid *grid,
                         struct zti_walk *walk, uint32_t tiles, word *gathered, uint32_t rank,
                         struct NAME(batch) * b)
{
    const uint32_t last = rank - 1;
    const word *at[4];
    bool is_whole = array->stride[last] == 1 && tiles == (rank == 1 ? 16 : rank == 2 ? 4 : 1);
    struct zti_walk ahead = *walk;
    if (rank == 1) {
        is_whole &= walk->origin[0] + 64 <= grid->shape[0];
        for (uint32_t i = 0; i < 4; i++)
            at[i] = (const word *)array->data + walk->origin[0] + 16 * i;
        ahead.tile += tiles;
        ahead.origin[0] += 4 * tiles;
    } else {
        for (uint32_t t = 0; t < tiles; t++) {
            for (uint32_t i = 0; i < rank; i++)
                is_whole &= ahead.origin[i] + 4 <= grid->shape[i];
            at[t] = (const word *)zti_array_at(array, ahead.origin);
            zti_walk_next(grid, &ahead);
        }
    }
    const int64_t step = rank == 1 ? 4 : array->stride[last - 1 + (rank == 1)];
    if (zti_likely(is_whole)) {
        const word *p = at[0];
        for (uint32_t cube = 0; cube < (rank == 4 ? 4 : 1); cube++) {
            for (uint32_t i = 0; rank > 2 && i < 4; i++)
                at[i] = p + i * array->stride[last - 2 + (rank < 3 ? 2 : 0)] +
                        (rank == 4 ? cube * array->stride[0] : 0);
            OF(load_cube)(b->r + cube * REGISTERS, at, step);
            if (rank == 4 && begins_line(p, 4 * sizeof(word)))
                for (uint32_t i = 0; i < 16; i++)
                    __builtin_prefetch(at[i / 4] + i % 4 * step + 64 / sizeof(word));
        }
        *walk = ahead;
        return;
    }
    const uint32_t n = 1u << 2 * rank;
    for (uint32_t t = 0; t < tiles; t++, gathered += n) {
        OF(gather)(array, walk->origin, gathered, rank);
        if (rank == 1) {
            walk->tile++;
            walk->origin[0] += 4;
        } else {
            zti_walk_next(grid, walk);
        }
    }
    gathered -= tiles * n;
    memset(gathered + tiles * n, 0, (tiles * n < 64 ? 64 - tiles * n : 0) * sizeof *gathered);
    for (uint32_t cube = 0; cube < (rank == 4 ? 4 : 1); cube++) {
        for (uint32_t i = 0; i < 4; i++)
            at[i] = gathered + 64 * cube + 16 * i;
        OF(load_cube)(b->r + cube * REGISTERS, at, 4);
    }
}

FN bool NAME(encode)(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                     uint64_t last, struct zti_bit_writer *w, uint32_t rank, bool is_float,
                     bool is_exact, bool is_limited)
{
    const uint32_t most = rank == 1 ? 16 : rank == 2 ? 4 : 1;
    const struct zti_zfp z = *zfp_of(coding);
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    struct fast_writer f = fast_writer_of(w);
    bool is_proved = true;
    while (walk.tile < last) {
        const uint32_t tiles = last - walk.tile < most ? (uint32_t)(last - walk.tile) : most;
        const uint64_t from = walk.tile;
        struct NAME(batch) b;
        word gathered[256];
        NAME(load_batch)(array, &coding->grid, &walk, tiles, gathered, rank, &b);
        if (zti_unlikely(!NAME(encode_batch)(&z, &b, tiles, &f, rank, is_float, is_exact,
                                             is_limited, &is_proved))) {
            close_fast_writer(&f, w);
            is_proved &= zti_zfp_encode_plain[coding->type - 1][rank - 1](coding, array, from,
                                                                          from + tiles, w);
            f = fast_writer_of(w);
        }
    }
    close_fast_writer(&f, w);
    return is_proved;
}
