/* to_planes.h: text: convert cubes of coefficients to bit planes with AVX2, for one width. The
 * includer defines what x86/encode.h lists; x86/avx512/to_planes.h has the same functions.
 *
 * Bytes of equal weight are collected ('places' of zfp_tables.py), put in rank order by shuffles of
 * 16 bytes, and transposed to planes eight by eight. */

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
        a = NAME(merged)(a, (ulane)_mm256_permute2x128_si256((vec)a, (vec)a, 1), is_or);
    if (rank > 2) {
        a = NAME(merged)(a, OF(swapped_pairs)(a), is_or);
        a = NAME(merged)(a, OF(swapped_elements)(a), is_or);
    }
    for (uint32_t i = 0; i < PARTS; i++)
        v[i] = a;
}

/* Transpose the bytes of eight values, four of each, the top bytes first. 64-bit values are in two
 * registers; their upper or lower halves are taken. */
FN vec NAME(bytes_apart)(const ulane *r, bool is_upper)
{
    if (WIDTH == 32)
        return bytes_apart_32((vec)r[0]);
    const __m256 a = (__m256)r[0], b = (__m256)r[WIDTH / 64];
    return bytes_apart_32(
        (vec)(is_upper ? _mm256_shuffle_ps(a, b, 0xdd) : _mm256_shuffle_ps(a, b, 0x88)));
}

/* Eight planes of 64 bits, highest first, from a byte of each of 64 values by rank. */
FN void NAME(planes_of_bytes)(vec low, vec high, vec *planes)
{
    planes[0] = turned_bits(low);
    planes[1] = turned_bits(high);
    turn_bytes(&planes[0], &planes[1], false);
}

/* 16 planes of a tile of 16, 16 bits each, from the one 'done' below the top one down. */
FN vec NAME(planes_of_16)(const ulane *r, uint32_t done)
{
    const vec a = NAME(bytes_apart)(r, done < 32), b = NAME(bytes_apart)(r + PARTS / 2, done < 32);
    const vec v = done % 32 == 0 ? _mm256_unpacklo_epi32(a, b) : _mm256_unpackhi_epi32(a, b);
    const __m128i order = _mm_loadu_si128((const __m128i *)OF(rank2_of_place));
    const vec bytes =
        (vec)v_shuffled((u8s)_mm256_permute4x64_epi64(v, 0xd8), order); /* a lane of each */
    return (vec)v_shuffled((u8s)turned_bits(bytes),
                           _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
}

/* A cube's bytes at their places, top ones first. */
struct NAME(bytes) {
    vec byte[WIDTH / 8][2];
};

FN void NAME(bytes_of_64)(const ulane *r, uint32_t precision, struct NAME(bytes) * b)
{
    for (uint32_t half = 0; half < WIDTH / 32 && precision > 32 * half; half++)
        for (uint32_t g = 0; g < 2; g++) {
            vec v[4];
            for (uint32_t k = 0; k < 4; k++)
                v[k] = NAME(bytes_apart)(r + (4 * g + k) * (WIDTH / 32), half == 0);
            turn_dwords(&v[0], &v[1], &v[2], &v[3]);
            for (uint32_t i = 0; i < 4; i++)
                b->byte[4 * half + i][g] = v[i];
        }
}

/* Planes of byte i from the top, 64 bits each. */
FN void NAME(planes_of_64)(const struct NAME(bytes) * b, uint32_t i, vec *planes)
{
    vec bytes[2];
    reorder_bytes(b->byte[i], OF(rank3_of_place), bytes);
    NAME(planes_of_bytes)(bytes[0], bytes[1], planes);
}

/* Values are stored one by one in rank order; moving their bytes is no faster. */
static void NAME(bytes_of_256)(const ulane *r, uint32_t precision, struct NAME(bytes) * b)
{
    word spot[256], u[256];
    memcpy(spot, r, sizeof spot);
    for (uint32_t i = 0; i < 256; i++)
        u[i] = spot[OF(spot4)[i]];
    for (uint32_t q = 0; q < 4; q++) {
        ulane v[REGISTERS];
        memcpy(v, u + 64 * q, sizeof v);
        NAME(bytes_of_64)(v, precision, &b[q]);
    }
}

/* Planes of byte i from the top, by quarter. */
FN void NAME(planes_of_256)(const struct NAME(bytes) * b, uint32_t i, vec (*planes)[2])
{
    for (uint32_t q = 0; q < 4; q++)
        NAME(planes_of_bytes)(b[q].byte[i][0], b[q].byte[i][1], planes[q]);
}

/* ---- tiles of 4: a byte is a plane ---- */

/* The upper halves of a cube's values (of 32-bit values all of them) in memory order. */
FN void NAME(store_upper)(const ulane *r, uint32_t *to)
{
    for (uint32_t i = 0; i < 8; i++) {
        const __m256 a = (__m256)r[WIDTH / 32 * i], b = (__m256)r[WIDTH / 32 * (i + 1) - 1];
        v_store(to + 8 * i,
                WIDTH == 32 ? (vec)r[i]
                            : _mm256_permute4x64_epi64((vec)_mm256_shuffle_ps(a, b, 0xdd), 0xd8));
    }
}

/* Look up a byte by plane in one of four rows of 16 bytes; bits 4 and 5 of 'index' have the row. */
FN vec NAME(look_up_4)(const uint8_t *rows, vec index, vec plane)
{
    vec v[4];
    for (uint32_t c = 0; c < 4; c++)
        v[c] = (vec)v_look_up(_mm_loadu_si128((const __m128i *)(rows + 16 * c)), (u8s)plane);
    const vec is_odd = _mm256_slli_epi16(index, 3), is_upper = _mm256_slli_epi16(index, 2);
    return _mm256_blendv_epi8(_mm256_blendv_epi8(v[0], v[1], is_odd),
                              _mm256_blendv_epi8(v[2], v[3], is_odd), is_upper);
}

/* Encode planes to four qwords of eight planes each. Each byte is a plane's 4 bits, plus 16 c
 * (modulo 64), plus 64 if c is 4, plus 128 if the plane is coded. */
FN void NAME(code_planes4)(vec planes, vec *string, vec *length)
{
    const vec plane = (vec)((u8s)planes & 15), four = (vec)v_all_8(4);
    const vec is_whole = _mm256_slli_epi16(planes, 1);
    const u8s is_coded = (u8s)_mm256_cmpgt_epi8((vec){0}, planes);
    const vec code = _mm256_blendv_epi8(NAME(look_up_4)(code1[0], planes, plane), plane, is_whole);
    const vec n = _mm256_blendv_epi8(NAME(look_up_4)(length1[0], planes, plane), four, is_whole);
    join_codes4((u8s)code & is_coded, (u8s)n & is_coded, string, length);
}

/* The strings of ELEMENTS tiles, eight planes a word, from eight rows of bits (rows_of_4); string e
 * is that of element e. */
FN void NAME(strings_of_rows)(ulane *row, uint64_t (*string)[WIDTH / 8],
                              uint64_t (*length)[WIDTH / 8])
{
    vec upper[4], lower[4], v, n; /* rows in falling order */
    for (uint32_t i = 0; i < 4; i++) {
        upper[i] = (vec)row[7 - i];
        lower[i] = (vec)row[3 - i];
    }
    if (WIDTH == 32) { /* upper[e]: rows 7 to 4 of tiles e and 4 + e */
        turn_dwords(&upper[0], &upper[1], &upper[2], &upper[3]);
        turn_dwords(&lower[0], &lower[1], &lower[2], &lower[3]);
    } else {
        turn_qwords(&upper[0], &upper[1], &upper[2], &upper[3]);
        turn_qwords(&lower[0], &lower[1], &lower[2], &lower[3]);
    }
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t half = 0; half < 2; half++) {
            /* four qwords, each with a byte of eight rows: a tile of 32-bit values, or half a tile
             * of 64-bit values */
            vec bytes;
            if (WIDTH == 32) {
                bytes = half == 0 ? _mm256_permute2x128_si256(upper[i], lower[i], 0x20)
                                  : _mm256_permute2x128_si256(upper[i], lower[i], 0x31);
                bytes = _mm256_permutevar8x32_epi32(bytes_apart_32(bytes),
                                                    _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
            } else {
                if (half == 0)
                    turn_bytes(&upper[i], &lower[i], true);
                bytes = half == 0 ? upper[i] : lower[i];
            }
            const uint32_t e = WIDTH == 32 ? 4 * half + i : i;
            NAME(code_planes4)(turned_bits(bytes), &v, &n);
            v_store(string[e] + (WIDTH == 32 ? 0 : 4 * half), v);
            v_store(length[e] + (WIDTH == 32 ? 0 : 4 * half), n);
        }
}
