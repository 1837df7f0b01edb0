/* zfp_cpu.c: the plain C instance of the zfp codec: 4 types x 4 ranks. */
#include "codec/zfp/zfp.h"
#include "codec/zfp/zfp_planes.h"

#define FN ZTI_INLINE

#define lane int64_t
#define ulane uint64_t
#define NAME(x) x##_64
#define WIDTH 64
#define PRECISION_BITS 6
#define NEGABINARY UINT64_C(0xaaaaaaaaaaaaaaaa)
#define FEW_BITS 512
#include "codec/zfp/zfp_tile.h"
#include "codec/zfp/zfp_coder.h" /* put_lossy_64, take_exact_64, gather_64, ... */
#undef NAME
#undef PRECISION_BITS

#define NAME(x) x##_f64
#define INTS(x) x##_64
#define scalar double
#define EXPONENT_BITS 11
#define BIAS 1023
#define MANTISSA_BITS 52
#define PROOF_PLANES 8
#include "codec/zfp/zfp_float.h" /* put_tile_f64, take_tile_f64, ... */
#undef NAME

#define NAME(x) x##_i64
#define LANE_MAX INT64_MAX
#include "codec/zfp/zfp_integer.h" /* put_tile_i64, take_tile_i64, ... */
#undef LANE_MAX
#undef lane
#undef ulane
#undef NAME
#undef INTS
#undef WIDTH
#undef NEGABINARY
#undef FEW_BITS
#undef scalar
#undef EXPONENT_BITS
#undef BIAS
#undef MANTISSA_BITS
#undef PROOF_PLANES

#define lane int32_t
#define ulane uint32_t
#define NAME(x) x##_32
#define WIDTH 32
#define PRECISION_BITS 5
#define NEGABINARY UINT32_C(0xaaaaaaaa)
#define FEW_BITS 160
#include "codec/zfp/zfp_tile.h"
#include "codec/zfp/zfp_coder.h" /* put_lossy_32, take_exact_32, gather_32, ... */
#undef NAME
#undef PRECISION_BITS

#define NAME(x) x##_f32
#define INTS(x) x##_32
#define scalar float
#define EXPONENT_BITS 8
#define BIAS 127
#define MANTISSA_BITS 23
#define PROOF_PLANES 5
#include "codec/zfp/zfp_float.h" /* put_tile_f32, take_tile_f32, ... */
#undef NAME

#define NAME(x) x##_i32
#define LANE_MAX INT32_MAX
#include "codec/zfp/zfp_integer.h" /* put_tile_i32, take_tile_i32, ... */
#undef LANE_MAX
#undef lane
#undef ulane
#undef NAME
#undef INTS
#undef WIDTH
#undef NEGABINARY
#undef FEW_BITS
#undef scalar
#undef EXPONENT_BITS
#undef BIAS
#undef MANTISSA_BITS
#undef PROOF_PLANES

/* The walks over tiles, for one type and rank. */
#define RANGES(type, width, rank)                                                                  \
    static bool encode_##type##_##rank##d(const struct zti_coding *coding, const zt_array *array,  \
                                          uint64_t first, uint64_t last, struct zti_bit_writer *w) \
    {                                                                                              \
        struct zti_walk at = zti_walk_from(&coding->grid, first);                                  \
        const struct zti_zfp z = coding->zfp;                                                      \
        bool is_proved = true;                                                                     \
        for (; at.tile < last; zti_walk_next(&coding->grid, &at)) {                                \
            uint##width##_t tile[1 << 2 * rank];                                                   \
            gather_##width(array, at.origin, tile, rank);                                          \
            is_proved &= put_tile_##type(&z, tile, rank, w);                                       \
        }                                                                                          \
        return is_proved;                                                                          \
    }                                                                                              \
    static void decode_##type##_##rank##d(const struct zti_coding *coding,                         \
                                          struct zti_bit_reader *r, uint64_t first, uint64_t last, \
                                          const struct zti_view *view)                             \
    {                                                                                              \
        struct zti_walk at = zti_walk_from(&coding->grid, first);                                  \
        const struct zti_zfp z = coding->zfp;                                                      \
        for (; at.tile < last; zti_walk_next(&coding->grid, &at)) {                                \
            uint##width##_t tile[1 << 2 * rank];                                                   \
            take_tile_##type(&z, tile, rank, r);                                                   \
            scatter_##width(view, at.origin, tile, rank);                                          \
        }                                                                                          \
    }                                                                                              \
    static void skip_##type##_##rank##d(const struct zti_coding *coding, struct zti_bit_reader *r, \
                                        uint64_t first, uint64_t last)                             \
    {                                                                                              \
        const struct zti_zfp z = coding->zfp;                                                      \
        for (; first < last; first++)                                                              \
            take_tile_##type(&z, NULL, rank, r);                                                   \
    }

RANGES(f32, 32, 1) /* encode_f32_1d, decode_f32_1d, skip_f32_1d */
RANGES(f32, 32, 2) /* encode_f32_2d, decode_f32_2d, skip_f32_2d */
RANGES(f32, 32, 3) /* encode_f32_3d, decode_f32_3d, skip_f32_3d */
RANGES(f32, 32, 4) /* encode_f32_4d, decode_f32_4d, skip_f32_4d */
RANGES(f64, 64, 1) /* encode_f64_1d, decode_f64_1d, skip_f64_1d */
RANGES(f64, 64, 2) /* encode_f64_2d, decode_f64_2d, skip_f64_2d */
RANGES(f64, 64, 3) /* encode_f64_3d, decode_f64_3d, skip_f64_3d */
RANGES(f64, 64, 4) /* encode_f64_4d, decode_f64_4d, skip_f64_4d */
RANGES(i32, 32, 1) /* encode_i32_1d, decode_i32_1d, skip_i32_1d */
RANGES(i32, 32, 2) /* encode_i32_2d, decode_i32_2d, skip_i32_2d */
RANGES(i32, 32, 3) /* encode_i32_3d, decode_i32_3d, skip_i32_3d */
RANGES(i32, 32, 4) /* encode_i32_4d, decode_i32_4d, skip_i32_4d */
RANGES(i64, 64, 1) /* encode_i64_1d, decode_i64_1d, skip_i64_1d */
RANGES(i64, 64, 2) /* encode_i64_2d, decode_i64_2d, skip_i64_2d */
RANGES(i64, 64, 3) /* encode_i64_3d, decode_i64_3d, skip_i64_3d */
RANGES(i64, 64, 4) /* encode_i64_4d, decode_i64_4d, skip_i64_4d */

/* In the order of zt_type. */
static const struct {
    bool (*encode)(const struct zti_coding *, const zt_array *, uint64_t, uint64_t,
                   struct zti_bit_writer *);
    void (*decode)(const struct zti_coding *, struct zti_bit_reader *, uint64_t, uint64_t,
                   const struct zti_view *);
    void (*skip)(const struct zti_coding *, struct zti_bit_reader *, uint64_t, uint64_t);
} ranges[4][ZT_MAX_RANK] = {
    {{encode_f32_1d, decode_f32_1d, skip_f32_1d}, {encode_f32_2d, decode_f32_2d, skip_f32_2d},
     {encode_f32_3d, decode_f32_3d, skip_f32_3d}, {encode_f32_4d, decode_f32_4d, skip_f32_4d}},
    {{encode_f64_1d, decode_f64_1d, skip_f64_1d}, {encode_f64_2d, decode_f64_2d, skip_f64_2d},
     {encode_f64_3d, decode_f64_3d, skip_f64_3d}, {encode_f64_4d, decode_f64_4d, skip_f64_4d}},
    {{encode_i32_1d, decode_i32_1d, skip_i32_1d}, {encode_i32_2d, decode_i32_2d, skip_i32_2d},
     {encode_i32_3d, decode_i32_3d, skip_i32_3d}, {encode_i32_4d, decode_i32_4d, skip_i32_4d}},
    {{encode_i64_1d, decode_i64_1d, skip_i64_1d}, {encode_i64_2d, decode_i64_2d, skip_i64_2d},
     {encode_i64_3d, decode_i64_3d, skip_i64_3d}, {encode_i64_4d, decode_i64_4d, skip_i64_4d}},
};

bool zti_zfp_encode(const struct zti_coding *coding, const zt_array *array, uint64_t first,
                    uint64_t last, struct zti_bit_writer *w)
{
    return ranges[coding->type - 1][coding->grid.rank - 1].encode(coding, array, first, last, w);
}

void zti_zfp_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                    uint64_t last, const struct zti_view *view)
{
    ranges[coding->type - 1][coding->grid.rank - 1].decode(coding, r, first, last, view);
}

void zti_zfp_skip(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                  uint64_t last)
{
    ranges[coding->type - 1][coding->grid.rank - 1].skip(coding, r, first, last);
}
