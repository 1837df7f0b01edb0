/* zfp_avx512_decode.c: the AVX-512 instance, decoding. */
#include "codec/zfp/zfp_avx512.h"
#include "codec/zfp/zfp_avx512_lanes.h"
#include "codec/zfp/zfp_bmi_take.h"
#include "codec/zfp/zfp_plain.h"

/* A string that is looked up: the coefficients that it makes known, those and its bits together;
 * the latter is 0 where the tables do not have it. */
struct string3 {
    uint32_t known, step;
};

ZTI_INLINE struct string3 string3_of(uint64_t window)
{
    return (struct string3){(&string3_known[0][0])[window & 2047],
                            (&string3_step[0][0])[window & 2047]};
}

/* Pass over the planes of a tile of 64 coefficients: only how long they are is wanted. A window
 * gives as many as it holds, as each waits for the one before. */
ZTI_INLINE void pass_planes64(struct zti_bit_reader *r, uint32_t precision)
{
    const uint8_t *base = r->base;
    uint32_t i = take_zeros(base, r->at, precision), c = 0;
    uint64_t at = r->at + i, unused[64]; /* at: of the string, behind c known bits */
    while (i < precision && c < 64) {
        const uint64_t window = window57(base, at);
        uint32_t used = 0;
        while (i < precision && used <= 46) { /* and 11 bits more are there */
            const struct string3 s = string3_of(window >> used);
            if (zti_unlikely(s.step == 0 || c + s.known >= 64))
                break;
            c += s.known;
            used += s.step - s.known + c;
            i++;
        }
        at += used;
        if (used > 46 || i == precision)
            continue;
        struct taking t = {.plane = unused, .at = at - c, .precision = 1, .c = c};
        take_learning64(base, &t, false);
        c = t.c;
        at = t.at + c;
        i++;
    }
    r->at = at - c + 64 * (uint64_t)(precision - i);
}

#include "codec/zfp/zfp_avx512_width32.h"
#include "codec/zfp/zfp_avx512_decode.h" /* decode_v32 */
#include "codec/zfp/zfp_avx512_width_end.h"

#include "codec/zfp/zfp_avx512_width64.h"
#include "codec/zfp/zfp_avx512_decode.h" /* decode_v64 */
#include "codec/zfp/zfp_avx512_width_end.h"

#define DECODE(kind, width, rank, is_float)                                                        \
    static void decode_##kind##_##rank##d(const struct zti_coding *coding,                         \
                                          struct zti_bit_reader *r, uint64_t first, uint64_t last, \
                                          const struct zti_view *view)                             \
    {                                                                                              \
        if (goes_plainly(coding))                                                                  \
            zti_zfp_ranges_plain[coding->type - 1][rank - 1].decode(coding, r, first, last, view); \
        else if (rank == 2 && is_limited(coding) && zti_codec_zfp.tile_fixed_bits(coding) > 0)     \
            decode_fixed_v##width(coding, r, first, last, coding->zfp.maxbits, view, is_float);    \
        else if (zti_zfp_is_reversible(&coding->zfp))                                              \
            decode_v##width(coding, r, first, last, view, rank, is_float, true, false);            \
        else if (is_limited(coding))                                                               \
            decode_v##width(coding, r, first, last, view, rank, is_float, false, true);            \
        else                                                                                       \
            decode_v##width(coding, r, first, last, view, rank, is_float, false, false);           \
    }                                                                                              \
    static void skip_##kind##_##rank##d(const struct zti_coding *coding, struct zti_bit_reader *r, \
                                        uint64_t first, uint64_t last)                             \
    {                                                                                              \
        if (goes_plainly(coding))                                                                  \
            zti_zfp_ranges_plain[coding->type - 1][rank - 1].skip(coding, r, first, last);         \
        else if (zti_zfp_is_reversible(&coding->zfp))                                              \
            skip_v##width(coding, r, first, last, rank, is_float, true, false);                    \
        else if (is_limited(coding))                                                               \
            skip_v##width(coding, r, first, last, rank, is_float, false, true);                    \
        else                                                                                       \
            skip_v##width(coding, r, first, last, rank, is_float, false, false);                   \
    }

DECODE(f32, 32, 1, true)
DECODE(f32, 32, 2, true)
DECODE(f32, 32, 3, true)
DECODE(f32, 32, 4, true)
DECODE(f64, 64, 1, true)
DECODE(f64, 64, 2, true)
DECODE(f64, 64, 3, true)
DECODE(f64, 64, 4, true)
DECODE(i32, 32, 1, false)
DECODE(i32, 32, 2, false)
DECODE(i32, 32, 3, false)
DECODE(i32, 32, 4, false)
DECODE(i64, 64, 1, false)
DECODE(i64, 64, 2, false)
DECODE(i64, 64, 3, false)
DECODE(i64, 64, 4, false)

/* Runs of tiles side by side; tiles of 16 values gain from it. */
#define DECODE_RUNS(kind, width, is_float)                                                         \
    static void decode_runs_##kind(const struct zti_coding *coding, const uint8_t *base,           \
                                   uint64_t *at, uint32_t runs, uint64_t first,                    \
                                   uint32_t run_tiles, const struct zti_view *view)                \
    {                                                                                              \
        if (zti_zfp_is_reversible(&coding->zfp))                                                   \
            decode_runs_v##width(coding, base, at, runs, first, run_tiles, view, is_float, true);  \
        else                                                                                       \
            decode_runs_v##width(coding, base, at, runs, first, run_tiles, view, is_float, false); \
    }

DECODE_RUNS(f32, 32, true)
DECODE_RUNS(f64, 64, true)
DECODE_RUNS(i32, 32, false)
DECODE_RUNS(i64, 64, false)

bool zti_zfp_runs_avx512(const struct zti_coding *coding)
{
    return coding->grid.rank == 2 && !goes_plainly(coding) && !is_limited(coding);
}

void (*const zti_zfp_decode_runs_avx512[4])(const struct zti_coding *, const uint8_t *, uint64_t *,
                                            uint32_t, uint64_t, uint32_t,
                                            const struct zti_view *) = {
    decode_runs_f32, decode_runs_f64, decode_runs_i32, decode_runs_i64};

void (*const zti_zfp_decode_avx512[4][ZT_MAX_RANK])(const struct zti_coding *,
                                                    struct zti_bit_reader *, uint64_t, uint64_t,
                                                    const struct zti_view *) = {
    {decode_f32_1d, decode_f32_2d, decode_f32_3d, decode_f32_4d},
    {decode_f64_1d, decode_f64_2d, decode_f64_3d, decode_f64_4d},
    {decode_i32_1d, decode_i32_2d, decode_i32_3d, decode_i32_4d},
    {decode_i64_1d, decode_i64_2d, decode_i64_3d, decode_i64_4d},
};

void (*const zti_zfp_skip_avx512[4][ZT_MAX_RANK])(const struct zti_coding *,
                                                  struct zti_bit_reader *, uint64_t,
                                                  uint64_t) = {
    {skip_f32_1d, skip_f32_2d, skip_f32_3d, skip_f32_4d},
    {skip_f64_1d, skip_f64_2d, skip_f64_3d, skip_f64_4d},
    {skip_i32_1d, skip_i32_2d, skip_i32_3d, skip_i32_4d},
    {skip_i64_1d, skip_i64_2d, skip_i64_3d, skip_i64_4d},
};
