/* walk.h: text: the walks over tiles of an instance that codes them one by one.
 *
 * The includer has plain/instance.h and defines ZTI_ZFP_INSTANCE, the name of its table. */

/* The walks over tiles, for one type and rank. */
#define RANGES(type, width, rank, is_float)                                                        \
    static bool encode_##type##_##rank##d(const struct zti_coding *coding, const zt_array *array,  \
                                          uint64_t first, uint64_t last, struct zti_bit_writer *w) \
    {                                                                                              \
        struct zti_walk at = zti_walk_from(&coding->grid, first);                                  \
        const struct zti_zfp z = *zfp_of(coding);                                                  \
        bool is_proved = true;                                                                     \
        for (; at.tile < last; zti_walk_next(&coding->grid, &at)) {                                \
            uint##width##_t tile[1 << 2 * rank];                                                   \
            gather_##width(array, at.origin, tile, rank);                                          \
            is_proved &= put_tile_##width(&z, tile, rank, is_float, w);                            \
        }                                                                                          \
        return is_proved;                                                                          \
    }                                                                                              \
    static void decode_##type##_##rank##d(const struct zti_coding *coding,                         \
                                          struct zti_bit_reader *r, uint64_t first, uint64_t last, \
                                          const struct zti_view *view)                             \
    {                                                                                              \
        struct zti_walk at = zti_walk_from(&coding->grid, first);                                  \
        const struct zti_zfp z = *zfp_of(coding);                                                  \
        for (; at.tile < last; zti_walk_next(&coding->grid, &at)) {                                \
            uint##width##_t tile[1 << 2 * rank];                                                   \
            take_tile_##width(&z, tile, rank, is_float, r);                                        \
            scatter_##width(view, at.origin, tile, rank);                                          \
        }                                                                                          \
    }                                                                                              \
    static void skip_##type##_##rank##d(const struct zti_coding *coding, struct zti_bit_reader *r, \
                                        uint64_t first, uint64_t last)                             \
    {                                                                                              \
        const struct zti_zfp z = *zfp_of(coding);                                                  \
        for (; first < last; first++)                                                              \
            take_tile_##width(&z, NULL, rank, is_float, r);                                        \
    }

RANGES(f32, 32, 1, true)  /* encode_f32_1d, decode_f32_1d, skip_f32_1d */
RANGES(f32, 32, 2, true)  /* encode_f32_2d, decode_f32_2d, skip_f32_2d */
RANGES(f32, 32, 3, true)  /* encode_f32_3d, decode_f32_3d, skip_f32_3d */
RANGES(f32, 32, 4, true)  /* encode_f32_4d, decode_f32_4d, skip_f32_4d */
RANGES(f64, 64, 1, true)  /* encode_f64_1d, decode_f64_1d, skip_f64_1d */
RANGES(f64, 64, 2, true)  /* encode_f64_2d, decode_f64_2d, skip_f64_2d */
RANGES(f64, 64, 3, true)  /* encode_f64_3d, decode_f64_3d, skip_f64_3d */
RANGES(f64, 64, 4, true)  /* encode_f64_4d, decode_f64_4d, skip_f64_4d */
RANGES(i32, 32, 1, false) /* encode_i32_1d, decode_i32_1d, skip_i32_1d */
RANGES(i32, 32, 2, false) /* encode_i32_2d, decode_i32_2d, skip_i32_2d */
RANGES(i32, 32, 3, false) /* encode_i32_3d, decode_i32_3d, skip_i32_3d */
RANGES(i32, 32, 4, false) /* encode_i32_4d, decode_i32_4d, skip_i32_4d */
RANGES(i64, 64, 1, false) /* encode_i64_1d, decode_i64_1d, skip_i64_1d */
RANGES(i64, 64, 2, false) /* encode_i64_2d, decode_i64_2d, skip_i64_2d */
RANGES(i64, 64, 3, false) /* encode_i64_3d, decode_i64_3d, skip_i64_3d */
RANGES(i64, 64, 4, false) /* encode_i64_4d, decode_i64_4d, skip_i64_4d */

const struct zti_zfp_ranges ZTI_ZFP_INSTANCE[4][ZT_MAX_RANK] = {
    {{encode_f32_1d, decode_f32_1d, skip_f32_1d},
     {encode_f32_2d, decode_f32_2d, skip_f32_2d},
     {encode_f32_3d, decode_f32_3d, skip_f32_3d},
     {encode_f32_4d, decode_f32_4d, skip_f32_4d}},
    {{encode_f64_1d, decode_f64_1d, skip_f64_1d},
     {encode_f64_2d, decode_f64_2d, skip_f64_2d},
     {encode_f64_3d, decode_f64_3d, skip_f64_3d},
     {encode_f64_4d, decode_f64_4d, skip_f64_4d}},
    {{encode_i32_1d, decode_i32_1d, skip_i32_1d},
     {encode_i32_2d, decode_i32_2d, skip_i32_2d},
     {encode_i32_3d, decode_i32_3d, skip_i32_3d},
     {encode_i32_4d, decode_i32_4d, skip_i32_4d}},
    {{encode_i64_1d, decode_i64_1d, skip_i64_1d},
     {encode_i64_2d, decode_i64_2d, skip_i64_2d},
     {encode_i64_3d, decode_i64_3d, skip_i64_3d},
     {encode_i64_4d, decode_i64_4d, skip_i64_4d}},
};
