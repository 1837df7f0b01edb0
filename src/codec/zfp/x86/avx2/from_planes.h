/* from_planes.h: text: convert bit planes to cubes of coefficients with AVX2, for one width. The
 * includer defines what x86/encode.h lists; x86/avx512/from_planes.h has the same functions. */

/* Four values of each of two tiles from 32 planes of each, highest first, a byte a plane. */
FN vec NAME(values_of_planes4)(vec a, vec b)
{
    /* each lane has two bytes of every value, the upper ones in the lower lane */
    const vec order = _mm256_setr_epi8(-1, -1, 15, 7, -1, -1, 14, 6, -1, -1, 13, 5, -1, -1, 12, 4,
                                       15, 7, -1, -1, 14, 6, -1, -1, 13, 5, -1, -1, 12, 4, -1, -1);
    a = _mm256_shuffle_epi8(turned_bits(a), order);
    b = _mm256_shuffle_epi8(turned_bits(b), order);
    return _mm256_permute2x128_si256(a, b, 0x20) | _mm256_permute2x128_si256(a, b, 0x31);
}

FN void NAME(cube_of_planes4)(const uint8_t (*plane)[WIDTH + 8], ulane *r)
{
    if (WIDTH == 32) {
        for (uint32_t t = 0; t < 16; t += 2)
            r[t / 2] = (ulane)NAME(values_of_planes4)(v_load(plane[t]), v_load(plane[t + 1]));
        return;
    }
    for (uint32_t t = 0; t < 16; t++) {
        vec a = _mm256_permute4x64_epi64(turned_bits(v_load(plane[t] + WIDTH / 2)), 0x1b);
        vec b = _mm256_permute4x64_epi64(turned_bits(v_load(plane[t])), 0x1b);
        turn_bytes(&a, &b, true);
        r[t] = (ulane)a;
    }
}

FN void NAME(cube_of_planes16)(const uint16_t (*plane)[WIDTH + 8], ulane *r)
{
    const __m128i apart = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    const __m128i pairs = _mm_setr_epi8(8, 0, 9, 1, 10, 2, 11, 3, 12, 4, 13, 5, 14, 6, 15, 7);
    const __m128i order = _mm_loadu_si128((const __m128i *)OF(place2_of_rank));
    for (uint32_t t = 0; t < 4; t++) {
        vec two[WIDTH / 16]; /* two bytes of each value, the upper ones first */
        for (uint32_t i = 0; i < WIDTH / 16; i++) {
            const vec bytes = turned_bits((vec)v_shuffled((u8s)v_load(plane[t] + 16 * i), apart));
            two[i] = (vec)v_shuffled(
                (u8s)_mm256_permute4x64_epi64((vec)v_shuffled((u8s)bytes, order), 0xd8), pairs);
        }
        for (uint32_t h = 0; h < 2; h++) {
            vec four[WIDTH / 32];
            for (uint32_t i = 0; i < WIDTH / 32; i++)
                four[i] = h == 0 ? _mm256_unpacklo_epi16(two[2 * i + 1], two[2 * i])
                                 : _mm256_unpackhi_epi16(two[2 * i + 1], two[2 * i]);
            if (WIDTH == 32) {
                r[2 * t + h] = (ulane)four[0];
            } else {
                r[PARTS * t + 2 * h] = (ulane)_mm256_unpacklo_epi32(four[WIDTH / 32 - 1], four[0]);
                r[PARTS * t + 2 * h + 1] =
                    (ulane)_mm256_unpackhi_epi32(four[WIDTH / 32 - 1], four[0]);
            }
        }
    }
}

/* Values from their bytes by place, the top bytes first; bytes from 'count' on are zero. */
FN void NAME(cube_of_bytes)(const vec (*byte)[2], uint32_t count, ulane *r)
{
    for (uint32_t g = 0; g < 2; g++) {
        vec half[WIDTH / 32][4];
        for (uint32_t i = 0; i < WIDTH / 32; i++) {
            for (uint32_t k = 0; k < 4; k++)
                half[i][k] = 4 * i + k < count ? byte[4 * i + k][g] : (vec){0};
            turn_dwords(&half[i][0], &half[i][1], &half[i][2], &half[i][3]);
            for (uint32_t k = 0; k < 4; k++)
                half[i][k] = bytes_together_32(half[i][k]);
        }
        for (uint32_t k = 0; k < 4; k++) {
            ulane *to = r + (4 * g + k) * (WIDTH / 32);
            if (WIDTH == 32) {
                to[0] = (ulane)half[0][k];
            } else {
                to[0] = (ulane)_mm256_unpacklo_epi32(half[WIDTH / 32 - 1][k], half[0][k]);
                to[WIDTH / 32 - 1] =
                    (ulane)_mm256_unpackhi_epi32(half[WIDTH / 32 - 1][k], half[0][k]);
            }
        }
    }
}

/* The bytes, in rank order, of eight planes. */
FN void NAME(bytes_of_planes)(const uint64_t *plane, vec *bytes)
{
    bytes[0] = v_load(plane);
    bytes[1] = v_load(plane + 4);
    turn_bytes(&bytes[0], &bytes[1], false);
    bytes[0] = turned_bits(bytes[0]);
    bytes[1] = turned_bits(bytes[1]);
}

/* Planes from 'count' up to the next multiple of 16 are zero; later ones are not read. */
FN void NAME(cube_of_planes64)(const uint64_t *plane, uint32_t count, ulane *r)
{
    const uint32_t bytes = (count + 7) / 8;
    vec byte[WIDTH / 8][2], by_rank[2];
    for (uint32_t i = 0; i < WIDTH / 8 && i < bytes; i++) {
        NAME(bytes_of_planes)(plane + 8 * i, by_rank);
        reorder_bytes(by_rank, OF(place3_of_rank), byte[i]);
    }
    NAME(cube_of_bytes)((const vec(*)[2])byte, bytes, r);
}

/* Store coefficients one by one: those whose bit of 'there' is set. 'count' planes are a multiple
 * of V_LANES_64. Returns the registers that have them. */
FN uint32_t NAME(write_single)(const uint64_t *plane, uint32_t count, uint64_t there,
                               const uint8_t *order, char *cubes)
{
    uint32_t used = 0;
    for (; there != 0; there &= there - 1) {
        const __m128i rank = _mm_cvtsi64_si128((int64_t)zti_ctz64(there));
        u64s shift = {WIDTH - 1, WIDTH - 2, WIDTH - 3, WIDTH - 4}, sum = v_all_64(0);
        for (uint32_t i = 0; i < count; i += V_LANES_64, shift -= V_LANES_64)
            sum |= v_left_64((u64s)_mm256_srl_epi64(v_load(plane + i), rank) & 1, shift);
        const word value = (word)v_or_64(sum);
        const uint32_t at = order[zti_ctz64(there)], x = at & 3, y = at >> 2 & 3;
        const uint32_t spot = (at & 0xf0) | x << 2 | y; /* elements are along y */
        memcpy(cubes + sizeof value * spot, &value, sizeof value);
        used |= 1u << (spot % 64 * REGISTERS / 64);
    }
    return used;
}

/* The OR of 'count' planes, a multiple of V_LANES_64. */
FN uint64_t NAME(or_of_planes)(const uint64_t *plane, uint32_t count)
{
    vec any = {0};
    for (uint32_t i = 0; i < count; i += V_LANES_64)
        any |= v_load(plane + i);
    return v_or_64((u64s)any);
}

/* The most cost at which coefficients are stored one by one: a whole quarter takes some 850
 * instructions; one by one takes 4 for each 4 planes, and 14 more for each coefficient. */
enum { NAME(SINGLE_COST) = 600 };

/* Planes from 'count' up to the next multiple of 16 are zero; later ones are not read. Quarters of
 * only coefficients from 'known' on are zero, and not read. Returns which registers of the cubes
 * may have bits. */
static uint32_t NAME(cubes_of_planes256)(const uint64_t (*plane)[64], uint32_t count,
                                         uint32_t known, ulane *r)
{
    const uint32_t bytes = (count + 7) / 8,
                   planes = (count + V_LANES_64 - 1) / V_LANES_64 * V_LANES_64;
    uint32_t used = 0;
    for (uint32_t i = 0; i < 4 * REGISTERS; i++)
        r[i] = OF(v_all)(0);
    for (uint32_t q = 0; 64 * q < known; q++) {
        const uint64_t there = NAME(or_of_planes)(plane[q], planes);
        vec byte[WIDTH / 8][2];
        ulane v[REGISTERS];
        word u[64];
        if (zti_popcount64(there) * (planes + 14) < NAME(SINGLE_COST)) {
            used |=
                NAME(write_single)(plane[q], planes, there, zti_zfp_order[3] + 64 * q, (char *)r);
            continue;
        }
        for (uint32_t i = 0; i < WIDTH / 8 && i < bytes; i++)
            NAME(bytes_of_planes)(plane[q] + 8 * i, byte[i]);
        NAME(cube_of_bytes)((const vec(*)[2])byte, bytes, v);
        memcpy(u, v, sizeof u);
        for (uint32_t i = 0; i < 64; i++)
            memcpy((char *)r + sizeof(word) * OF(spot4)[64 * q + i], &u[i], sizeof(word));
        used = (1u << REGISTERS) - 1;
    }
    return used;
}
