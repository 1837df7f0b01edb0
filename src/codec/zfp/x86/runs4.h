/* runs4.h: text: decode tiles of 4 values whose places are known, with a tile in each lane, for one
 * width. The includer has x86/lanes4.h and x86/decode.h.
 *
 * Of 16 tiles, tile t is in lane t % 4 * 4 + t / 4, its element in a cube. */

FN uint32_t NAME(lane_of)(uint32_t t)
{
    return t / 16 * 16 + t % 4 * 4 + t / 4 % 4;
}

/* Decode tiles to 'values', 4 of each tile; tile t begins at bit at[t]. Sets the positions to the
 * tiles' ends. */
FN void NAME(decode_lanes4)(const struct zti_zfp *z, const uint8_t *base, uint64_t *at,
                            uint32_t tiles, struct NAME(taken) * b, ulane (*cube)[REGISTERS],
                            bool is_float, bool is_exact)
{
    struct tiles4 s;
    u32s u[GROUPS4][2][4];
    uint32_t most = 0, zeros = 40, is_zero = 0;
    for (uint32_t i = 0; i < 2; i++)
        b[i].is_raw = 0;
    for (uint32_t t = 0; t < TILES4; t++) { /* lanes without a tile read the first tile's bits */
        const uint32_t e = NAME(lane_of)(t);
        const bool is_tile = t < tiles;
        const uint64_t start = at[is_tile ? t : 0], window = window57(base, start);
        const struct zti_zfp_found_header h =
            zti_zfp_read_tile_header(z, (uint32_t)window, WIDTH, 1, is_float, is_exact);
        const bool has_planes = is_tile && !h.is_empty;
        s.at[e] = start + h.header.length;
        s.precision[e] = has_planes ? h.header.planes : 0;
        s.left[e] = !has_planes ? 0 : h.header.budget < INT32_MAX ? h.header.budget : INT32_MAX;
        if (is_float)
            b[t / 16].scale[e % 16] = OF(bits_of)(OF(unit)(h.emax));
        b[t / 16].is_raw |= (uint32_t)h.is_raw << t % 16;
        is_zero |= (uint32_t)h.is_zero_with_planes << e;
        if (has_planes) {
            const uint32_t n = (uint32_t)_tzcnt_u64(window >> h.header.length);
            zeros = n < zeros ? n : zeros;
            most = h.header.planes > most ? h.header.planes : most;
        }
    }
    read_planes4_of_lanes(base, &s, zeros, most, WIDTH == 64, u);
    for (uint32_t k = 0; k < GROUPS4; k++) {
        ulane *r = cube[k * V_LANES_32 / 16] + k % (16 / V_LANES_32) * (V_LANES_32 / ELEMENTS);
        for (uint32_t x = 0; x < 4; x++)
            for (uint32_t h = 0; h < WIDTH / 32; h++)
                r[x * PARTS + h] =
                    WIDTH == 32
                        ? (ulane)u[k][0][x]
                        : (ulane)(v_widen_32(u[k][0][x], h) << 32 | v_widen_32(u[k][1][x], h));
    }
    for (uint32_t e = 0; is_zero && e < TILES4; e++)
        for (uint32_t x = 0; x < 4 && (is_zero >> e & 1); x++)
            memset((char *)cube[e / 16] + (16 * x + e % 16) * sizeof(word), 0, sizeof(word));
    for (uint32_t i = 0; i < 2; i++) {
        ulane *r = cube[i];
        for (uint32_t j = 0; j < REGISTERS; j++)
            r[j] = NAME(of_negabinary)(r[j]);
        NAME(undo_axis)(r, is_exact);
        NAME(values_of_integers)(z, &b[i], r, 1, is_float, is_exact);
    }
    for (uint32_t t = 0; t < tiles; t++) {
        const uint64_t end = s.at[NAME(lane_of)(t)];
        at[t] = end - at[t] < z->minbits ? at[t] + z->minbits : end;
    }
}

/* Decode runs of tiles that follow each other in the array, with a run in each lane. */
FN void NAME(decode_runs4)(const struct zti_coding *coding, const uint8_t *base, uint64_t *at,
                           uint32_t runs, uint64_t first, uint32_t run_tiles,
                           const struct zti_view *view, bool is_float, bool is_exact)
{
    const struct zti_zfp z = *zfp_of(coding);
    const uint64_t lo = view->lo[0], hi = view->hi[0];
    for (uint32_t i = 0; i < run_tiles; i++) {
        struct NAME(taken) b[2];
        ulane cube[2][REGISTERS];
        word values[4 * TILES4];
        NAME(decode_lanes4)(&z, base, at, runs, b, cube, is_float, is_exact);
        memcpy(values, cube, sizeof values);
        for (uint32_t t = 0; t < runs; t++) {
            const uint64_t origin = 4 * (first + (uint64_t)t * run_tiles + i);
            if (zti_likely(origin >= lo && origin + 4 <= hi && view->out.stride[0] == 1))
                memcpy((word *)view->out.data + (origin - lo), values + 4 * t, 4 * sizeof *values);
            else
                OF(scatter)(view, &origin, values + 4 * t, 1);
        }
    }
}

/* Decode tiles of 'tile_bits' bits each, one in each lane, then the next ones. */
FN void NAME(decode_fixed4)(const struct zti_coding *coding, struct zti_bit_reader *r,
                            uint64_t first, uint64_t last, uint64_t tile_bits,
                            const struct zti_view *view, bool is_float)
{
    const struct zti_zfp z = *zfp_of(coding);
    while (first < last) {
        const uint32_t n = last - first < TILES4 ? (uint32_t)(last - first) : TILES4;
        struct NAME(taken) b[2];
        ulane cube[2][REGISTERS];
        uint64_t at[TILES4];
        for (uint32_t t = 0; t < n; t++)
            at[t] = r->at + t * tile_bits;
        NAME(decode_lanes4)(&z, r->base, at, n, b, cube, is_float, false);
        for (uint32_t i = 0; 16 * i < n; i++) {
            b[i].tiles = n - 16 * i < 16 ? n - 16 * i : 16;
            b[i].origin[0][0] = 4 * (first + 16 * i);
            NAME(store_batch)(&b[i], cube[i], view, 1);
        }
        r->at += n * tile_bits;
        first += n;
    }
}
