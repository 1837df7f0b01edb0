/* ndzip_cube.h: kernel text: a cube into its record and back, for each rank, from the steps in
 * ndzip_tile.h and the instance's pack and unpack. */
#define CUBE(rank, nz, ny, nx)                                                                     \
    static uint8_t *NAME(put_##rank##d)(const struct zti_ndzip_rows *rows, uint32_t rotation,      \
                                        uint8_t *record)                                           \
    {                                                                                              \
        _Alignas(64) word f[ZTI_NDZIP_VALUES];                                                     \
        NAME(differences)(rows, rotation, f, nz, ny, nx);                                          \
        return NAME(pack)(f, record);                                                              \
    }                                                                                              \
    static const uint8_t *NAME(take_##rank##d)(const uint8_t *record, uint32_t rotation,           \
                                               const struct zti_ndzip_rows *rows)                  \
    {                                                                                              \
        _Alignas(64) word f[ZTI_NDZIP_VALUES];                                                     \
        record = NAME(unpack)(record, f);                                                          \
        NAME(accumulate)(f, rotation, rows, nz, ny, nx);                                           \
        return record;                                                                             \
    }

CUBE(1, 1, 1, 4096)
CUBE(2, 1, 64, 64)
CUBE(3, 16, 16, 16)
#undef CUBE
