/* zfp_avx512_encode.h: text: tiles into a stream with AVX-512, for one width: the values of a
 * batch of tiles (a cube; for 256 values four) stay in registers until they are planes.
 *
 * The includer has zfp_avx512_cube.h, zfp_avx512_put.h and the plain texts of the width, and
 * defines WIDTH, NEGABINARY, EXPONENT_BITS, BIAS, MANTISSA_BITS, PRECISION_BITS as they do, and
 *   lane, ulane     vectors of the width: i32x16, u32x16 or i64x8, u64x8
 *   word            the unsigned integer of the width
 *   NAME(x)         x with this instance's suffix; CUBE(x) with that of zfp_avx512_cube.h
 *   ZMMS            zmm registers a cube has
 *   SCALAR(x)       x with the suffix of the floating-point plain text; INTEGER(x) of the other
 *   TO_FLOAT(v), TO_INT(v)   conversions, the latter truncating
 *   MULTIPLY(a, b), MAX(a, b), FILL(x), TEST(v)   and other intrinsics of the width */

/* What is to be coded, but for the values themselves. */
struct NAME(batch) {
    ulane r[4 * ZMMS]; /* the cubes */
    ulane top[ZMMS / 4];  /* exponent field of its tile's largest value, an element each; two zmm
                             for 64-bit values: lanes 0 and 1, 2 and 3 */
    ulane any[ZMMS / 4];  /* OR of its tile's coefficients, reversible only */
    uint32_t is_raw;      /* by element: a reversible tile coded as the values' bits */
    uint32_t is_zero;     /* all values +0 */
};

/* The largest (or the OR) of the elements of each tile, in all its elements. */
FN void NAME(spread)(ulane *v, uint32_t rank, bool is_or)
{
    if (rank == 1)
        return;
    __m512i a = (__m512i)v[0];
    if (WIDTH == 64)
        a = is_or ? _mm512_or_si512(a, (__m512i)v[1]) : MAX(a, (__m512i)v[1]);
    else {
        const __m512i b = _mm512_shuffle_i64x2(a, a, 0xb1);
        a = is_or ? _mm512_or_si512(a, b) : MAX(a, b);
    }
    const __m512i b = _mm512_shuffle_i64x2(a, a, 0x4e);
    a = is_or ? _mm512_or_si512(a, b) : MAX(a, b);
    if (rank > 2)
        for (int i = 0; i < 2; i++) {
            const __m512i c = i == 0 ? SWAP_PAIRS(a) : SWAP_ELEMENTS(a);
            a = is_or ? _mm512_or_si512(a, c) : MAX(a, c);
        }
    for (uint32_t i = 0; i < ZMMS / 4; i++)
        v[i] = (ulane)a;
}

/* OR of the elements of 'count' zmm. */
FN word NAME(or_of)(const ulane *r, uint32_t count)
{
    ulane v = r[0];
    for (uint32_t i = 1; i < count; i++)
        v |= r[i];
    return REDUCE_OR((__m512i)v);
}

/* Values to integers, and what the tiles' headers need. False where a tile has a value that
 * needs care: not finite, or so small that the scale overflows. */
FN bool NAME(quantize)(struct NAME(batch) *b, uint32_t rank, bool is_exact)
{
    const uint32_t zmms = ZMMS * (rank == 4 ? 4 : 1);
    const ulane magnitude = FILL(((word)-1) >> 1);
    ulane scale[(ZMMS / 4)], unscale[(ZMMS / 4)], field[(ZMMS / 4)], differ[(ZMMS / 4)];
    for (uint32_t i = 0; i < (ZMMS / 4); i++) {
        b->top[i] = b->r[i] & magnitude;
        for (uint32_t j = i + (ZMMS / 4); j < zmms; j += (ZMMS / 4))
            b->top[i] = (ulane)MAX((__m512i)b->top[i], (__m512i)(b->r[j] & magnitude));
    }
    NAME(spread)(b->top, rank, false);
    bool is_plain = true;
    uint32_t has_bits = 0;
    for (uint32_t i = 0; i < (ZMMS / 4); i++) {
        const uint32_t not_zero = NOT_ZERO((__m512i)b->top[i]);
        field[i] = b->top[i] >> MANTISSA_BITS;
        /* WIDTH - 2 <= emax + BIAS, the least whose scales both ways are normal numbers */
        is_plain &= (not_zero & LESS((__m512i)field[i], (__m512i)FILL(WIDTH - 2))) == 0;
        is_plain &= LESS((__m512i)FILL(2 * BIAS), (__m512i)field[i]) == 0;
        scale[i] = (FILL(2 * BIAS - 1 + WIDTH - 2) - field[i]) << MANTISSA_BITS;
        unscale[i] = ((field[i] - FILL(WIDTH - 3)) << MANTISSA_BITS) & magnitude;
        differ[i] = FILL(0);
        has_bits |= not_zero << i * (512 / WIDTH);
    }
    if (zti_unlikely(!is_plain))
        return false;
    for (uint32_t j = 0; j < zmms; j++) {
        const ulane q = (ulane)TO_INT(MULTIPLY((__m512i)b->r[j], (__m512i)scale[j % (ZMMS / 4)]));
        if (is_exact) { /* keep the bits until it is known that q says all */
            const ulane back =
                (ulane)MULTIPLY(TO_FLOAT((__m512i)q), (__m512i)unscale[j % (ZMMS / 4)]);
            differ[j % (ZMMS / 4)] |= back ^ b->r[j];
        } else {
            b->r[j] = q;
        }
    }
    b->is_zero = ~has_bits;
    if (!is_exact)
        return true;
    NAME(spread)(differ, rank, true);
    for (uint32_t i = 0; i < (ZMMS / 4); i++)
        b->is_raw |= (uint32_t)NOT_ZERO((__m512i)differ[i]) << i * (512 / WIDTH);
    b->is_zero &= ~b->is_raw;
    for (uint32_t j = 0; j < zmms; j++) {
        const ulane v = b->r[j];
        const ulane raw = v ^ (ulane)((ulane)((lane)v >> (WIDTH - 1)) >> 1);
        const ulane q = (ulane)TO_INT(MULTIPLY((__m512i)v, (__m512i)scale[j % (ZMMS / 4)]));
        b->r[j] = (ulane)BLEND(b->is_raw >> j % (ZMMS / 4) * (512 / WIDTH), (__m512i)q,
                               (__m512i)raw);
    }
    return true;
}

/* One axis after the other, and negabinary. */
FN void NAME(transform_batch)(struct NAME(batch) *b, uint32_t rank, bool is_exact)
{
    const uint32_t cubes = rank == 4 ? 4 : 1;
    for (uint32_t cube = 0; cube < cubes; cube++) {
        ulane *r = b->r + cube * ZMMS;
        for (uint32_t axis = 0; axis < (rank < 3 ? rank : 3); axis++) {
            if (axis == 1)
                CUBE(turn_lanes)(r);
            if (axis == 2)
                CUBE(turn_elements)(r);
            for (uint32_t i = 0; i < (ZMMS / 4); i++) {
                if (is_exact)
                    NAME(difference)(r + i, (ZMMS / 4));
                else
                    NAME(lift)(r + i, (ZMMS / 4));
            }
        }
        if (rank == 2)
            CUBE(turn_elements)(r);
    }
    for (uint32_t i = 0; rank == 4 && i < ZMMS; i++) {
        if (is_exact)
            NAME(difference)(b->r + i, ZMMS);
        else
            NAME(lift)(b->r + i, ZMMS);
    }
    for (uint32_t i = 0; i < cubes * ZMMS; i++)
        b->r[i] = (b->r[i] + FILL(NEGABINARY)) ^ FILL(NEGABINARY);
}

/* ---- from coefficients to bits, by rank; 'precision' planes of tile t of the batch ---- */

FN void NAME(put_16)(struct fast_writer *f, const struct NAME(batch) *b, uint32_t t,
                     uint32_t precision, bool is_limited)
{
    const __m512i turn = load512(TABLE(byte_of_rank2));
    __m512i seen = _mm512_setzero_si512();
    for (uint32_t half = 0; half * 32 < precision; half++) {
        const __m512i bytes =
            WIDTH == 32 ? _mm512_permutexvar_epi8(turn, (__m512i)b->r[t])
                        : _mm512_permutex2var_epi8(
                              (__m512i)b->r[2 * t],
                              _mm512_sub_epi8(turn, _mm512_set1_epi8((char)(4 * half))),
                              (__m512i)b->r[2 * t + 1 < 4 * ZMMS ? 2 * t + 1 : 0]);
        const __m512i planes = _mm512_permutexvar_epi8(load512(plane2), columns_of_rows(bytes));
        const uint32_t rest = precision - half * 32;
        put_planes16(f, _mm512_cvtepu16_epi32(_mm512_castsi512_si256(planes)), &seen,
                     rest < 16 ? rest : 16, is_limited);
        if (rest <= 16 || (is_limited && f->left == 0))
            return;
        put_planes16(f, _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(planes, 1)), &seen,
                     rest < 32 ? rest - 16 : 16, is_limited);
        if (is_limited && f->left == 0)
            return;
    }
}

FN void NAME(put_64)(struct fast_writer *f, const struct NAME(batch) *b, uint32_t precision,
                     bool is_limited)
{
    const __m512i turn = load512(turn8);
    __m512i seen = _mm512_setzero_si512();
    for (uint32_t done = 0; done < precision && (!is_limited || f->left > 0); done += 8) {
        const __m512i bytes = CUBE(byte_of_cube)(b->r, WIDTH / 8 - 1 - done / 8,
                                                 TABLE(byte_of_rank3), upper_of_rank3_64);
        const __m512i planes = _mm512_permutexvar_epi8(turn, columns_of_rows(bytes));
        put_planes64(f, planes, &seen, precision - done < 8 ? precision - done : 8, is_limited);
    }
}

FN void NAME(put_256)(struct fast_writer *f, const struct NAME(batch) *b, uint32_t precision,
                      bool is_limited)
{
    const __m512i turn = load512(turn8);
    struct planes256 seen;
    for (uint32_t q = 0; q < 4; q++)
        seen.quarter[q] = _mm512_setzero_si512();
    for (uint32_t done = 0; done < precision && (!is_limited || f->left > 0); done += 8) {
        struct planes256 p;
        __m512i cube[4];
        for (uint32_t i = 0; i < 4; i++)
            cube[i] = CUBE(byte_of_cube)(b->r + i * ZMMS, WIDTH / 8 - 1 - done / 8,
                                         TABLE(byte_of_spot), upper_of_spot_64);
        for (uint32_t q = 0; q < 4; q++) {
            const __m512i bytes = bytes_of_four(cube[0], cube[1], cube[2], cube[3],
                                                load512(spot_of_rank4[q]));
            p.quarter[q] = _mm512_permutexvar_epi8(turn, columns_of_rows(bytes));
        }
        put_planes256(f, &p, &seen, precision - done < 8 ? precision - done : 8, is_limited);
    }
}

/* ---- headers ---- */

struct NAME(tile_head) {
    uint64_t bits;
    uint32_t length;
    uint32_t precision; /* 0: no planes */
    uint32_t minbits, budget; /* of what follows the header of a floating-point tile */
};

/* The header of the tile whose numbers are at element 'at' of top and any. */
FN struct NAME(tile_head) NAME(head_of)(const struct zti_zfp *z, word top, word any, bool is_raw,
                                        bool is_zero, uint32_t rank, bool is_float, bool is_exact,
                                        bool *is_proved)
{
    struct NAME(tile_head) h = {.precision = z->maxprec < WIDTH ? z->maxprec : WIDTH};
    uint32_t header = 0;
    if (is_float && is_exact) {
        const uint32_t e = (uint32_t)(top >> MANTISSA_BITS) + 1;
        header = is_raw ? 2 : 2 + EXPONENT_BITS;
        h.bits = is_raw ? 3 : 1 + 4 * (uint64_t)e;
        if (is_zero) { /* not padded to minbits: so does libzfp */
            h = (struct NAME(tile_head)){.length = 1};
            return h;
        }
    } else if (is_float) {
        const int32_t emax = is_zero ? -BIAS : (int32_t)(top >> MANTISSA_BITS) - (BIAS - 1);
        const int64_t planes = SCALAR(planes_above)(z, emax, rank);
        const uint32_t e = planes > 0 ? (uint32_t)(emax + BIAS) : 0;
        *is_proved &= SCALAR(is_proved)(planes, emax, rank);
        header = 1 + EXPONENT_BITS;
        h.bits = 2 * (uint64_t)e + 1;
        h.precision = planes < h.precision ? (uint32_t)planes : h.precision;
        if (e == 0) {
            h = (struct NAME(tile_head)){.length = 1,
                                         .minbits = z->minbits > 1 ? z->minbits - 1 : 0};
            return h;
        }
    }
    h.length = header;
    h.minbits = z->minbits - (z->minbits < header ? z->minbits : header);
    h.budget = z->maxbits - header;
    if (is_exact) {
        uint32_t planes = any ? WIDTH - zti_ctz64((uint64_t)any) : 1;
        planes = planes < z->maxprec ? planes : z->maxprec;
        h.precision = planes;
        h.bits |= (uint64_t)(planes - 1) << header;
        h.length += PRECISION_BITS;
        h.minbits -= h.minbits < PRECISION_BITS ? h.minbits : PRECISION_BITS;
        h.budget -= PRECISION_BITS;
    }
    return h;
}

/* ---- 16 tiles of 4 ---- */

/* Rows for code_planes4, by element a tile: 0..3 the coefficients, 4 and 5 c, 6 "c is 4", 7 "the
 * plane is coded", each at the plane's bit. */
FN void NAME(rows_of_4)(const struct NAME(batch) *b, const word *planes, ulane (*row)[8])
{
    for (uint32_t i = 0; i < (ZMMS / 4); i++) {
        ulane seen[4], v = FILL(0);
        for (uint32_t x = 4; x-- > 0;) { /* bits below the top bit of coefficients x and up */
            v |= b->r[x * (ZMMS / 4) + i];
            row[i][x] = b->r[x * (ZMMS / 4) + i];
            seen[x] = (ulane)SHIFT_RIGHT((__m512i)FILL(((word)-1) >> 1), LEADING((__m512i)v));
        }
        row[i][4] = seen[0] ^ seen[1] ^ seen[2] ^ seen[3];
        row[i][5] = seen[1] & ~seen[3];
        row[i][6] = seen[3];
        ulane count;
        memcpy(&count, planes + i * (512 / WIDTH), sizeof count);
        row[i][7] = (ulane)SHIFT_LEFT((__m512i)FILL((word)-1), (__m512i)(FILL(WIDTH) - count));
    }
}

/* To one or two groups of qwords with 8 planes each: string[e] is that of element e. */
FN void NAME(code_4)(const struct NAME(batch) *b, const word *planes,
                     uint64_t (*string)[WIDTH / 8], uint64_t (*length)[WIDTH / 8])
{
    ulane row[2][8];
    __m512i v, n;
    NAME(rows_of_4)(b, planes, row);
    if (WIDTH == 32) {
        const __m512i turn = load512(TABLE(rows1));
        turn_elements_32((u32x16 *)row[0]);     /* register t, lane l: rows 0 to 3 of tile (l, t) */
        turn_elements_32((u32x16 *)row[0] + 4); /* and 4 to 7 */
        for (uint32_t t = 0; t < 4; t++)
            for (uint32_t half = 0; half < 2; half++) {
                const __m512i index =
                    _mm512_add_epi8(turn, _mm512_set1_epi8((char)(32 * half)));
                const __m512i bytes = _mm512_permutex2var_epi8(
                    (__m512i)row[0][t], index, (__m512i)row[0][4 + t]);
                code_planes4(columns_of_rows(bytes), &v, &n);
                /* elements (l, t) of lanes l = 2 half and 2 half + 1 */
                _mm256_storeu_si256((__m256i *)string[8 * half + t], _mm512_castsi512_si256(v));
                _mm256_storeu_si256((__m256i *)length[8 * half + t], _mm512_castsi512_si256(n));
                _mm256_storeu_si256((__m256i *)string[8 * half + 4 + t],
                                    _mm512_extracti64x4_epi64(v, 1));
                _mm256_storeu_si256((__m256i *)length[8 * half + 4 + t],
                                    _mm512_extracti64x4_epi64(n, 1));
            }
        return;
    }
    const __m512i turn = load512(TABLE(rows1));
    for (uint32_t i = 0; i < ZMMS / 4; i++) {
        uint64_t column[8][8], tile[8][8];
        memcpy(column, row[i], sizeof column);
        turn_qwords(&column[0][0], &tile[0][0]);
        for (uint32_t e = 0; e < 8; e++) {
            const __m512i bytes = _mm512_permutexvar_epi8(turn, load512(tile[e]));
            code_planes4(columns_of_rows(bytes), &v, &n);
            _mm512_storeu_si512(string[8 * i + e], v);
            _mm512_storeu_si512(length[8 * i + e], n);
        }
    }
}

/* ---- a batch ---- */

FN void NAME(put_tile)(struct fast_writer *f, const struct NAME(batch) *b, uint32_t t,
                       const struct NAME(tile_head) *h, uint32_t rank, bool is_limited)
{
    put(f, h->bits, h->length);
    if (h->precision == 0) {
        put_fast_zeros(f, h->minbits);
        return;
    }
    const uint64_t start = fast_bits(f, NULL);
    f->left = h->budget;
    if (rank == 2)
        NAME(put_16)(f, b, t, h->precision, is_limited);
    else if (rank == 3)
        NAME(put_64)(f, b, h->precision, is_limited);
    else
        NAME(put_256)(f, b, h->precision, is_limited);
    const uint64_t n = fast_bits(f, NULL) - start;
    if (n < h->minbits)
        put_fast_zeros(f, h->minbits - n);
}

FN void NAME(put_tiles_of_4)(struct fast_writer *f, const struct NAME(batch) *b,
                             const struct NAME(tile_head) *head, uint32_t tiles, bool is_limited)
{
    uint64_t string[16][WIDTH / 8], length[16][WIDTH / 8];
    word planes[16];
    uint32_t most = 0;
    for (uint32_t t = 0; t < 16; t++) {
        planes[t % 4 * 4 + t / 4] = t < tiles ? head[t].precision : 0;
        most = t < tiles && head[t].precision > most ? head[t].precision : most;
    }
    most = (most + 7) / 8;
    NAME(code_4)(b, planes, string, length);
    for (uint32_t t = 0; t < tiles; t++) {
        const uint32_t e = t % 4 * 4 + t / 4;
        put(f, head[t].bits, head[t].length);
        const uint64_t start = fast_bits(f, NULL);
        f->left = head[t].budget;
        for (uint32_t i = 0; i < most; i++)
            put_within(f, string[e][i], length[e][i], is_limited);
        const uint64_t n = fast_bits(f, NULL) - start;
        if (n < head[t].minbits)
            put_fast_zeros(f, head[t].minbits - n);
    }
}

/* Append the tiles of a batch that was loaded; false where the plain way must be gone. */
FN bool NAME(put_batch)(const struct zti_zfp *z, struct NAME(batch) *b, uint32_t tiles,
                        struct fast_writer *f, uint32_t rank, bool is_float, bool is_exact,
                        bool is_limited, bool *is_proved)
{
    const uint32_t cubes = rank == 4 ? 4 : 1;
    for (uint32_t cube = 0; cube < cubes; cube++)
        CUBE(turn_elements)(b->r + cube * ZMMS);
    b->is_raw = b->is_zero = 0;
    if (is_float && !NAME(quantize)(b, rank, is_exact))
        return false;
    if (!is_float && z->shift != 0)
        for (uint32_t i = 0; i < cubes * ZMMS; i++)
            b->r[i] = z->shift > 0 ? b->r[i] << z->shift
                                   : (ulane)((lane)b->r[i] >> -z->shift);
    NAME(transform_batch)(b, rank, is_exact);
    word top[16] = {0}, any[16] = {0};
    if (is_float)
        memcpy(top, b->top, sizeof top);
    if (is_exact && rank == 1) {
        for (uint32_t i = 0; i < (ZMMS / 4); i++)
            b->any[i] = b->r[i] | b->r[i + (ZMMS / 4)] | b->r[i + 2 * (ZMMS / 4)] |
                        b->r[i + 3 * (ZMMS / 4)];
        memcpy(any, b->any, sizeof any);
    }
    if (is_exact && rank == 2)
        for (uint32_t t = 0; t < 4; t++)
            any[t] = NAME(or_of)(b->r + t * (ZMMS / 4), ZMMS / 4);
    if (is_exact && rank > 2)
        any[0] = NAME(or_of)(b->r, cubes * ZMMS);
    struct NAME(tile_head) head[16];
    const uint32_t room = rank == 1 ? 16 : rank == 2 ? 4 : 1;
    for (uint32_t t = 0; t < room && t < tiles; t++) {
        const uint32_t e = rank == 1 ? t % 4 * 4 + t / 4 : t;
        head[t] = NAME(head_of)(z, top[e], any[e], b->is_raw >> e & 1, b->is_zero >> e & 1, rank,
                                is_float, is_exact, is_proved);
    }
    if (rank == 1)
        NAME(put_tiles_of_4)(f, b, head, tiles, is_limited);
    else
        for (uint32_t t = 0; t < room && t < tiles; t++)
            NAME(put_tile)(f, b, t, &head[t], rank, is_limited);
    return true;
}

/* ---- runs of tiles ---- */

/* Where the tiles of a batch are: in the array, or gathered one by one. */
FN void NAME(load_batch)(const zt_array *array, const struct zti_grid *grid,
                         struct zti_walk *walk, uint32_t tiles, word *gathered, uint32_t rank,
                         struct NAME(batch) *b)
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
            CUBE(load_cube)(b->r + cube * ZMMS, at, step);
        }
        *walk = ahead;
        return;
    }
    const uint32_t n = 1u << 2 * rank;
    for (uint32_t t = 0; t < tiles; t++, gathered += n) {
        INTS(gather)(array, walk->origin, gathered, rank);
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
        CUBE(load_cube)(b->r + cube * ZMMS, at, 4);
    }
}

/* Tiles of a batch the plain way. */
static bool NAME(put_plainly)(const struct zti_zfp *z, const zt_array *array,
                              const struct zti_grid *grid, struct zti_walk walk, uint32_t tiles,
                              struct zti_bit_writer *w, uint32_t rank, bool is_float)
{
    bool is_proved = true;
    word tile[256];
    for (; tiles > 0; tiles--, zti_walk_next(grid, &walk)) {
        switch (rank) {
#define PUT(n)                                                                                     \
    case n:                                                                                        \
        INTS(gather)(array, walk.origin, tile, n);                                        \
        is_proved &=                                                                               \
            is_float ? SCALAR(put_tile)(z, tile, n, w) : INTEGER(put_tile)(z, tile, n, w);         \
        break;
            PUT(1)
            PUT(2)
            PUT(3)
            PUT(4)
#undef PUT
        default: break;
        }
    }
    return is_proved;
}

FN bool NAME(encode)(const struct zti_coding *coding, const zt_array *array, uint64_t first,
                     uint64_t last, struct zti_bit_writer *w, uint32_t rank, bool is_float,
                     bool is_exact, bool is_limited)
{
    const uint32_t most = rank == 1 ? 16 : rank == 2 ? 4 : 1;
    const struct zti_zfp z = coding->zfp;
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    struct fast_writer f = fast_writer_of(w);
    bool is_proved = is_float || zti_zfp_proves_integers(&z, rank, WIDTH);
    while (walk.tile < last) {
        const uint32_t tiles = last - walk.tile < most ? (uint32_t)(last - walk.tile) : most;
        const struct zti_walk from = walk;
        struct NAME(batch) b;
        word gathered[256];
        NAME(load_batch)(array, &coding->grid, &walk, tiles, gathered, rank, &b);
        if (zti_unlikely(!NAME(put_batch)(&z, &b, tiles, &f, rank, is_float, is_exact, is_limited,
                                          &is_proved))) {
            close_fast_writer(&f, w);
            is_proved &= NAME(put_plainly)(&z, array, &coding->grid, from, tiles, w, rank,
                                           is_float);
            f = fast_writer_of(w);
        }
    }
    close_fast_writer(&f, w);
    return is_proved;
}
