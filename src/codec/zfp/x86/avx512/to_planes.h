/* to_planes.h: text: convert cubes of coefficients to bit planes with AVX-512, for one width. The
 * includer defines what x86/encode.h lists; x86/avx2/to_planes.h has the same functions.
 *
 * Two-source byte permutes collect bytes of all coefficients in rank order; GFNI transposes eight
 * of them to eight planes. */

/* The larger elements of two, or their OR. */
FN ulane NAME(merged)(ulane a, ulane b, bool is_or)
{
    return is_or ? a | b : OF(max_of)(a, b);
}

/* Set each element to the largest (or the OR) of its tile's elements; v has a quarter of a cube. */
FN void NAME(spread)(ulane *v, uint32_t rank, bool is_or)
{
    if (rank == 1)
        return;
    ulane a = v[0];
    for (uint32_t i = 1; i < PARTS; i++)
        a = NAME(merged)(a, v[i], is_or);
    if (WIDTH == 32)
        a = NAME(merged)(a, (ulane)_mm512_shuffle_i64x2((vec)a, (vec)a, 0xb1), is_or);
    a = NAME(merged)(a, (ulane)_mm512_shuffle_i64x2((vec)a, (vec)a, 0x4e), is_or);
    if (rank > 2) {
        a = NAME(merged)(a, OF(swapped_pairs)(a), is_or);
        a = NAME(merged)(a, OF(swapped_elements)(a), is_or);
    }
    for (uint32_t i = 0; i < PARTS; i++)
        v[i] = a;
}

/* 32 planes of a tile of 16, 16 bits each, from the one 'done' below the top one down. */
FN vec NAME(planes_of_16)(const ulane *r, uint32_t done)
{
    const vec turn = v_load(OF(byte_of_rank2));
    const vec bytes =
        WIDTH == 32
            ? _mm512_permutexvar_epi8(turn, (vec)r[0])
            : _mm512_permutex2var_epi8((vec)r[0],
                                       _mm512_sub_epi8(turn, _mm512_set1_epi8((char)(done / 8))),
                                       (vec)r[PARTS - 1]);
    return _mm512_permutexvar_epi8(v_load(plane2), columns_of_rows(bytes));
}

/* The cube whose bytes planes_of_64 converts. */
struct NAME(bytes) {
    const ulane *r;
};

FN void NAME(bytes_of_64)(const ulane *r, uint32_t precision, struct NAME(bytes) * b)
{
    (void)precision;
    b->r = r;
}

/* Planes of byte i from the top, 64 bits each. */
FN void NAME(planes_of_64)(const struct NAME(bytes) * b, uint32_t i, vec *planes)
{
    const vec bytes =
        OF(byte_of_cube)(b->r, WIDTH / 8 - 1 - i, OF(byte_of_rank3), upper_of_rank3_64);
    planes[0] = _mm512_permutexvar_epi8(v_load(turn8), columns_of_rows(bytes));
}

FN void NAME(bytes_of_256)(const ulane *r, uint32_t precision, struct NAME(bytes) * b)
{
    (void)precision;
    for (uint32_t q = 0; q < 4; q++)
        b[q].r = r + q * REGISTERS;
}

/* Planes of byte i from the top, by quarter. */
FN void NAME(planes_of_256)(const struct NAME(bytes) * b, uint32_t i, vec (*planes)[1])
{
    vec cube[4];
    for (uint32_t q = 0; q < 4; q++)
        cube[q] = OF(byte_of_cube)(b[q].r, WIDTH / 8 - 1 - i, OF(byte_of_spot), upper_of_spot_64);
    for (uint32_t q = 0; q < 4; q++) {
        const vec bytes =
            bytes_of_four(cube[0], cube[1], cube[2], cube[3], v_load(spot_of_rank4[q]));
        planes[q][0] = _mm512_permutexvar_epi8(v_load(turn8), columns_of_rows(bytes));
    }
}

/* ---- tiles of 4: a byte is a plane ---- */

/* The upper halves of a cube's values (of 32-bit values all of them) in memory order. */
FN void NAME(store_upper)(const ulane *r, uint32_t *to)
{
    const vec odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    for (uint32_t i = 0; i < 4; i++)
        v_store(to + 16 * i, WIDTH == 32
                                 ? (vec)r[i]
                                 : _mm512_permutex2var_epi32((vec)r[2 * i % REGISTERS], odd,
                                                             (vec)r[(2 * i + 1) % REGISTERS]));
}

/* Encode planes to eight qwords of eight planes each. Each byte is a plane's 4 bits, plus 16 c
 * (modulo 64), plus 64 if c is 4, plus 128 if the plane is coded. */
FN void NAME(code_planes4)(vec planes, vec *string, vec *length)
{
    const __mmask64 is_coded = _mm512_movepi8_mask(planes);
    const vec code =
        _mm512_maskz_permutex2var_epi8(is_coded, v_load(code1[0]), planes, v_load(code1[1]));
    const vec n =
        _mm512_maskz_permutex2var_epi8(is_coded, v_load(length1[0]), planes, v_load(length1[1]));
    join_codes4((u8s)code, (u8s)n, string, length);
}

/* The strings of ELEMENTS tiles, eight planes a word, from eight rows of bits (rows_of_4); string e
 * is that of element e. */
FN void NAME(strings_of_rows)(ulane *row, uint64_t (*string)[WIDTH / 8],
                              uint64_t (*length)[WIDTH / 8])
{
    const vec turn = v_load(OF(rows1));
    vec v, n;
    if (WIDTH == 32) {
        turn_elements_32((u32s *)row);     /* register t, lane l: rows 0 to 3 of tile (l, t) */
        turn_elements_32((u32s *)row + 4); /* and 4 to 7 */
        for (uint32_t t = 0; t < 4; t++)
            for (uint32_t half = 0; half < 2; half++) {
                const vec index = _mm512_add_epi8(turn, _mm512_set1_epi8((char)(32 * half)));
                const vec bytes = _mm512_permutex2var_epi8((vec)row[t], index, (vec)row[4 + t]);
                NAME(code_planes4)(columns_of_rows(bytes), &v, &n);
                /* elements (l, t) of lanes l = 2 half and 2 half + 1 */
                for (uint32_t l = 0; l < 2; l++) {
                    const uint32_t e = 8 * half + 4 * l + t;
                    _mm256_storeu_si256((__m256i *)string[e], l ? _mm512_extracti64x4_epi64(v, 1)
                                                                : _mm512_castsi512_si256(v));
                    _mm256_storeu_si256((__m256i *)length[e], l ? _mm512_extracti64x4_epi64(n, 1)
                                                                : _mm512_castsi512_si256(n));
                }
            }
        return;
    }
    uint64_t column[8][8], tile[8][8];
    memcpy(column, row, sizeof column);
    turn_qwords(&column[0][0], &tile[0][0]);
    for (uint32_t e = 0; e < 8; e++) {
        const vec bytes = _mm512_permutexvar_epi8(turn, v_load(tile[e]));
        NAME(code_planes4)(columns_of_rows(bytes), &v, &n);
        v_store(string[e], v);
        v_store(length[e], n);
    }
}
