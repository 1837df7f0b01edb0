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

ZTI_ZFP_EACH(RANGES) /* encode_f32_1d, decode_f32_1d, skip_f32_1d, ... */

#define ENTRY(kind, width, rank, is_float)                                                         \
    ZTI_ZFP_AT(width, rank, is_float) = {encode_##kind##_##rank##d, decode_##kind##_##rank##d,     \
                                         skip_##kind##_##rank##d},

const struct zti_zfp_ranges ZTI_ZFP_INSTANCE[4][ZT_MAX_RANK] = {ZTI_ZFP_EACH(ENTRY)};
