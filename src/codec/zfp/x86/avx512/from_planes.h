/* from_planes.h: text: convert bit planes to cubes of coefficients with AVX-512, for one width. The
 * includer defines what x86/encode.h lists; x86/avx2/from_planes.h has the same functions. */
FN void NAME(cube_of_planes4)(const uint8_t (*plane)[WIDTH + 8], ulane *r)
{
    for (uint32_t t = 0; t < 16; t += 128 / WIDTH) {
        /* two zmm of transposed bytes, each with two tiles of 32-bit values or one of 64-bit
         * values */
        vec byte[2];
        for (uint32_t i = 0; i < 2; i++) {
            const uint8_t *p = plane[t + i * (64 / WIDTH)];
            byte[i] = rows_of_planes(
                WIDTH == 64 ? v_load(p)
                            : _mm512_inserti64x4(
                                  _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)p)),
                                  _mm256_loadu_si256((const __m256i *)(p + WIDTH + 8)), 1));
        }
        r[t / (128 / WIDTH)] =
            (ulane)_mm512_permutex2var_epi8(byte[0], v_load(OF(tiles1_of_byte)), byte[1]);
    }
}

FN void NAME(cube_of_planes16)(const uint16_t (*plane)[WIDTH + 8], ulane *r)
{
    for (uint32_t t = 0; t < 4; t++) {
        vec byte[2];
        for (uint32_t i = 0; i < WIDTH / 32; i++)
            byte[i] =
                rows_of_planes(_mm512_permutexvar_epi8(v_load(matrix2), v_load(plane[t] + 32 * i)));
        if (WIDTH == 32)
            r[t] = (ulane)_mm512_permutexvar_epi8(v_load(rank2_of_byte_32), byte[0]);
        for (uint32_t i = 0; WIDTH == 64 && i < 2; i++)
            r[PARTS * t + i % PARTS] =
                (ulane)_mm512_permutex2var_epi8(byte[0], v_load(rank2_of_byte_64[i]), byte[1]);
    }
}

/* Planes from 'count' up to the next multiple of 16 are zero; later ones are not read. */
FN void NAME(cube_of_planes64)(const uint64_t *plane, uint32_t count, ulane *r)
{
    const uint32_t bytes = (count + 15) / 16 * 2;
    vec byte[WIDTH / 8];
    for (uint32_t i = 0; i < WIDTH / 8; i++)
        byte[i] =
            i < bytes
                ? rows_of_planes(_mm512_permutexvar_epi8(v_load(turn8), v_load(plane + 8 * i)))
                : _mm512_setzero_si512();
    OF(cube_of_bytes)(r, byte, OF(rank3_of_byte), bytes);
}

/* Quarters of only coefficients from 'known' on are zero, and not read. Returns which registers of
 * the cubes may have bits: all. */
FN uint32_t NAME(cubes_of_planes256)(const uint64_t (*plane)[64], uint32_t count, uint32_t known,
                                     ulane *r)
{
    const uint32_t bytes = (count + 15) / 16 * 2;
    vec byte[4][WIDTH / 8];
    for (uint32_t i = 0; i < WIDTH / 8; i++) {
        vec q[4];
        for (uint32_t j = 0; j < 4; j++)
            q[j] = i < bytes && 64 * j < known ? rows_of_planes(_mm512_permutexvar_epi8(
                                                     v_load(turn8), v_load(plane[j] + 8 * i)))
                                               : _mm512_setzero_si512();
        for (uint32_t cube = 0; cube < 4; cube++)
            byte[cube][i] = bytes_of_four(q[0], q[1], q[2], q[3], v_load(rank4_of_spot[cube]));
    }
    for (uint32_t cube = 0; cube < 4; cube++)
        OF(cube_of_bytes)(r + cube * REGISTERS, byte[cube], OF(spot_of_byte), bytes);
    return (1u << REGISTERS) - 1;
}
