/* tile.h: kernel text: what the encoder and the decoder of tiles share: buffers of values and
 * integers, a tile's place, and copies of rows. */

/* A tile's values, contiguous. */
union values {
    float f32[ZTI_SZ_TILE_VALUES];
    double f64[ZTI_SZ_TILE_VALUES];
    uint32_t u32[ZTI_SZ_TILE_VALUES];
    uint64_t u64[ZTI_SZ_TILE_VALUES];
    uint8_t bytes[ZTI_SZ_RAW_BYTES];
};

/* A tile's integers, and those after them that lines may read (lorenzo/integers.h). */
union integers {
    _Alignas(64) uint32_t u32[ZTI_SZ_TILE_VALUES + ZTI_SZ_BEHIND];
    uint64_t u64[ZTI_SZ_TILE_VALUES + ZTI_SZ_BEHIND];
};

static struct tile tile_at(const struct zti_coding *coding, const struct zti_walk *walk)
{
    const struct zti_grid *const grid = &coding->grid;
    struct tile tile = {.rank = grid->rank, .n = 1};
    tile.block = block_side(sz_of(coding)->coder, grid->rank);
    for (uint32_t i = 0; i < grid->rank; i++) {
        tile.origin[i] = walk->origin[i];
        tile.extent[i] = extent_at(grid, i, walk->origin[i]);
        tile.n *= tile.extent[i];
    }
    return tile;
}

/* Convert floats' bits to integers of the same order, or back. */
static void order_bits(uint32_t type, uint32_t n, const void *from, void *to)
{
    if (type == ZT_F32)
        for (uint32_t i = 0; i < n; i++)
            ((uint32_t *)to)[i] = ZTI_SZ_ORDERED(((const uint32_t *)from)[i], 32);
    else
        for (uint32_t i = 0; i < n; i++)
            ((uint64_t *)to)[i] = ZTI_SZ_ORDERED(((const uint64_t *)from)[i], 64);
}

/* Copy a row of values between strided and contiguous memory. */
ZTI_INLINE void copy_row(void *to, int64_t to_stride, const void *from, int64_t from_stride,
                         uint32_t n, size_t value_bytes)
{
    const size_t bytes = n * value_bytes;
    if (to_stride == 1 && from_stride == 1 && bytes % 64 == 0) {
        for (size_t i = 0; i < bytes; i += 64)
            memcpy((char *)to + i, (const char *)from + i, 64);
    } else if (to_stride == 1 && from_stride == 1) {
        memcpy(to, from, bytes);
    } else if (value_bytes == 4) {
        for (int64_t i = 0; i < n; i++)
            ((uint32_t *)to)[i * to_stride] = ((const uint32_t *)from)[i * from_stride];
    } else {
        for (int64_t i = 0; i < n; i++)
            ((uint64_t *)to)[i * to_stride] = ((const uint64_t *)from)[i * from_stride];
    }
}
