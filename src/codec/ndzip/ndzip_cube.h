/* ndzip_cube.h: kernel text: a cube into its record and back, for each rank, from the steps in
 * ndzip_tile.h and the instance's own
 *   NAME(pack)(f, masks, to)      append the masks and planes of 256 residuals; the planes' end
 *   NAME(unpack)(masks, from, f)  the inverse
 * A record has a bit of mask for each value. */
#define CUBE(rank, nz, ny, nx)                                                                     \
    static uint8_t *NAME(put_##rank##d)(const struct zti_ndzip_rows *rows, uint32_t rotation,      \
                                        uint8_t *record)                                           \
    {                                                                                              \
        _Alignas(64) word f[256];                                                                  \
        uint8_t *to = record + ZTI_NDZIP_VALUES / 8;                                               \
        struct NAME(edge) edge;                                                                    \
        memset(&edge, 0, sizeof edge);                                                             \
        for (uint32_t part = 0; part < ZTI_NDZIP_VALUES / 256; part++) {                           \
            NAME(differences)(rows, rotation, part, &edge, f, nz, ny, nx);                         \
            to = NAME(pack)(f, record + part * (256 / 8), to);                                     \
        }                                                                                          \
        return to;                                                                                 \
    }                                                                                              \
    static const uint8_t *NAME(take_##rank##d)(const uint8_t *record, uint32_t rotation,           \
                                               const struct zti_ndzip_rows *rows)                  \
    {                                                                                              \
        _Alignas(64) word f[256];                                                                  \
        const uint8_t *from = record + ZTI_NDZIP_VALUES / 8;                                       \
        struct NAME(edge) edge;                                                                    \
        memset(&edge, 0, sizeof edge);                                                             \
        for (uint32_t part = 0; part < ZTI_NDZIP_VALUES / 256; part++) {                           \
            from = NAME(unpack)(record + part * (256 / 8), from, f);                               \
            NAME(accumulate)(f, rotation, part, &edge, rows, nz, ny, nx);                          \
        }                                                                                          \
        return from;                                                                               \
    }

CUBE(1, 1, 1, 4096)
CUBE(2, 1, 64, 64)
CUBE(3, 16, 16, 16)
#undef CUBE
