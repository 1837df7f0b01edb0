/* plain.c: the plain C instance of the zfp codec: ranges of tiles of each type and rank. */
#include "codec/zfp/plain/instance.h"

/* Encode, decode and skip a range of tiles, for one type and rank. */
#define RANGES(type, width, rank, is_float)                                                        \
    static bool encode_##type##_##rank##d(const struct zti_coding *coding,                         \
                                          const struct zti_array *array, uint64_t first,           \
                                          uint64_t last, struct zti_bit_writer *w)                 \
    {                                                                                              \
        struct zti_walk at = zti_walk_from(&coding->grid, first);                                  \
        const struct zti_zfp z = *zfp_of(coding);                                                  \
        bool is_proved = true;                                                                     \
        for (; at.tile < last; zti_walk_next(&coding->grid, &at)) {                                \
            uint##width##_t tile[1 << 2 * rank];                                                   \
            gather_##width(array, at.origin, tile, rank);                                          \
            is_proved &= encode_tile_##width(&z, tile, rank, is_float, w);                         \
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
            decode_tile_##width(&z, tile, rank, is_float, r);                                      \
            scatter_##width(view, at.origin, tile, rank);                                          \
        }                                                                                          \
    }                                                                                              \
    static void skip_##type##_##rank##d(const struct zti_coding *coding, struct zti_bit_reader *r, \
                                        uint64_t first, uint64_t last)                             \
    {                                                                                              \
        const struct zti_zfp z = *zfp_of(coding);                                                  \
        for (; first < last; first++)                                                              \
            decode_tile_##width(&z, NULL, rank, is_float, r);                                      \
    }

ZTI_ZFP_EACH(RANGES) /* encode_f32_1d, decode_f32_1d, skip_f32_1d, ... */

#define ENTRY(call, width, rank, is_float) ZTI_ZFP_AT(width, rank, is_float) = call,
#define ENCODE_ENTRY(kind, width, rank, is_float)                                                  \
    ENTRY(encode_##kind##_##rank##d, width, rank, is_float)
#define DECODE_ENTRY(kind, width, rank, is_float)                                                  \
    ENTRY(decode_##kind##_##rank##d, width, rank, is_float)
#define SKIP_ENTRY(kind, width, rank, is_float)                                                    \
    ENTRY(skip_##kind##_##rank##d, width, rank, is_float)

const zti_zfp_encode_table zti_zfp_encode_plain = {ZTI_ZFP_EACH(ENCODE_ENTRY)};
const zti_zfp_decode_table zti_zfp_decode_plain = {ZTI_ZFP_EACH(DECODE_ENTRY)};
const zti_zfp_skip_table zti_zfp_skip_plain = {ZTI_ZFP_EACH(SKIP_ENTRY)};
