/* runs.h: text: decode tiles of 16 values whose places are known, with a tile in each lane, for one
 * width. The includer has x86/decode.h. */
#include "codec/zfp/x86/avx512/lanes.h"

/* ---- 16 values: a tile a lane ---- */

/* The headers of the tiles of decode_lanes. */
struct NAME(lane_heads) {
    word scale[GROUPS * LANES];
    uint32_t is_raw, is_zero; /* by tile */
};

/* Read the headers of the tiles; lanes without a tile read the first one's. Returns the largest
 * number of planes of a tile; sets *zeros to the number of top planes that have no bits in any
 * tile. */
FN uint32_t NAME(read_lane_heads)(const struct zti_zfp *z, const uint8_t *base, const uint64_t *at,
                                  uint32_t tiles, struct lanes *lanes,
                                  struct NAME(lane_heads) * heads, uint32_t *zeros, bool is_float,
                                  bool is_exact)
{
    uint32_t most = 0;
    heads->is_raw = heads->is_zero = 0;
    *zeros = 40;
    for (uint32_t t = 0; t < (tiles + LANES - 1) / LANES * LANES; t++) {
        struct lanes *s = &lanes[t / LANES];
        const bool is_tile = t < tiles;
        const uint64_t start = at[is_tile ? t : 0], window = window57(base, start);
        const struct zti_zfp_found_header h =
            zti_zfp_read_tile_header(z, (uint32_t)window, WIDTH, 2, is_float, is_exact);
        s->at[t % LANES] = start + h.header.length;
        s->precision[t % LANES] = is_tile ? h.header.planes : 0;
        s->left[t % LANES] = is_tile && !h.is_empty ? h.header.budget : 0;
        heads->scale[t] = is_float ? OF(bits_of)(OF(unit)(h.emax)) : 0;
        heads->is_raw |= (uint32_t)h.is_raw << t;
        heads->is_zero |= (uint32_t)h.is_zero_with_planes << t;
        if (!h.is_empty) {
            const uint32_t n = (uint32_t)_tzcnt_u64(window >> h.header.length);
            *zeros = n < *zeros ? n : *zeros;
            most = s->precision[t % LANES] > most ? s->precision[t % LANES] : most;
        }
    }
    return most;
}

/* Convert four tiles' planes to values and write them to the view. */
FN void NAME(finish_lanes)(const struct zti_zfp *z, const struct NAME(lane_heads) * heads,
                           uint32_t t, uint32_t tiles, __m512i (*of_tile)[LANES],
                           const struct zti_walk *walk, const struct zti_view *view, bool is_float,
                           bool is_exact)
{
    struct NAME(taken) b;
    b.tiles = tiles - t < 4 ? tiles - t : 4;
    b.is_raw = heads->is_raw >> t & 15;
    memcpy(b.scale, heads->scale + t, 4 * sizeof *b.scale);
    for (uint32_t j = 0; j < 4; j++)
        for (uint32_t i = 0; i < WIDTH / 32; i++) {
            __m512i v = of_tile[i][t % LANES + j];
            if (zti_unlikely(heads->is_zero >> (t + j) & 1))
                v = _mm512_setzero_si512();
            _mm512_storeu_si512(b.plane.of_16[j] + 32 * i, v);
        }
    for (uint32_t j = 0; j < b.tiles; j++)
        memcpy(b.origin[j], walk[t + j].origin, sizeof b.origin[j]);
    NAME(finish_batch)(z, &b, view, 2, is_float, is_exact);
}

/* Decode the tile at bit at[lane] of each lane to the place of walk[lane]. Sets the positions to
 * the tiles' ends. */
FN void NAME(decode_lanes)(const struct zti_zfp *z, const uint8_t *base, uint64_t *at,
                           const struct zti_walk *walk, uint32_t tiles, const struct zti_view *view,
                           bool is_float, bool is_exact, bool is_limited)
{
    struct lanes s[GROUPS];
    struct NAME(lane_heads) heads;
    uint16_t plane[GROUPS][64 + 32][LANES];
    __m512i of_tile[2][LANES];
    uint32_t zeros;
    const uint32_t groups = (tiles + LANES - 1) / LANES;
    const uint32_t most =
        NAME(read_lane_heads)(z, base, at, tiles, s, &heads, &zeros, is_float, is_exact);
    const uint32_t planes = read_planes16_of_lanes(base, s, groups, plane, zeros, most, is_limited);
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

/* Decode runs of tiles that follow each other in the array, with a run in each lane. */
FN void NAME(decode_runs)(const struct zti_coding *coding, const uint8_t *base, uint64_t *at,
                          uint32_t runs, uint64_t first, uint32_t run_tiles,
                          const struct zti_view *view, bool is_float, bool is_exact)
{
    const struct zti_zfp z = *zfp_of(coding);
    struct zti_walk walk[GROUPS * LANES];
    for (uint32_t i = 0; i < runs; i++)
        walk[i] = zti_walk_from(&coding->grid, first + (uint64_t)i * run_tiles);
    for (uint32_t t = 0; t < run_tiles; t++) {
        NAME(decode_lanes)(&z, base, at, walk, runs, view, is_float, is_exact, false);
        for (uint32_t i = 0; i < runs; i++)
            zti_walk_next(&coding->grid, &walk[i]);
    }
}

/* Decode tiles of 'tile_bits' bits each, one in each lane, then the next ones. */
FN void NAME(decode_fixed)(const struct zti_coding *coding, struct zti_bit_reader *r,
                           uint64_t first, uint64_t last, uint64_t tile_bits,
                           const struct zti_view *view, bool is_float)
{
    const struct zti_zfp z = *zfp_of(coding);
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
