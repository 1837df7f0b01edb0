/* differences.h: kernel text: the values of a cube to folded differences along each axis (Lorenzo
 * residuals), and back. tile/instance.h says what the includer defines.
 *
 * Arithmetic is modulo 2^WIDTH. A cube has nz planes of ny rows of nx values; 'above' is the row
 * before the current one and 'behind' the plane before. A cube is processed in parts of 64 values
 * (4 rows of a 3-D cube, a row of a 2-D one), so that prefetches alternate with computation. */

enum { NAME(part) = 64, NAME(parts) = ZTI_NDZIP_VALUES / 64, NAME(part_lanes) = 64 / LANES };

/* Values of a cube that the next part needs: the last value, the last row, the last plane. */
struct NAME(edge) {
    lane left;
    lane above[NAME(part_lanes)];
    lane behind[256 / LANES];
};

/* The offset of a part's first row; its other rows are row_bytes apart. */
ZTI_INLINE int64_t NAME(row_offset)(const struct zti_ndzip_rows *rows, uint32_t part,
                                    const uint32_t nz, const uint32_t ny)
{
    if (nz > 1)
        return part / 4 * rows->plane_bytes + part % 4 * 4 * rows->row_bytes;
    if (ny > 1)
        return part * rows->row_bytes;
    return part * (int64_t)(64 * sizeof(word));
}

/* The first row of the part that shall be prefetched, perhaps in the next cube. */
ZTI_INLINE const uint8_t *NAME(next_row)(const struct zti_ndzip_rows *rows, uint32_t part,
                                         const uint32_t nz, const uint32_t ny)
{
    const uint32_t soon = part + (nz > 1 && rows->is_fetched ? ZTI_NDZIP_NEAR : ZTI_NDZIP_AHEAD);
    const uint8_t *const cube = soon < NAME(parts) ? rows->at : rows->ahead;
    return cube + NAME(row_offset)(rows, soon % NAME(parts), nz, ny);
}

/* Prefetch a part's share of the rows of the next strip. */
#define FETCH_FAR(rows, part, fetch)                                                               \
    for (uint32_t r = part * rows->far_rows / NAME(parts);                                         \
         r < (part + 1) * rows->far_rows / NAME(parts); r++) {                                     \
        const uint8_t *const far_row =                                                             \
            rows->far + r / 16 * rows->plane_bytes + r % 16 * rows->row_bytes;                     \
        for (uint32_t b = 0; b < rows->far_bytes; b += 64)                                         \
            fetch(far_row + b);                                                                    \
    }

/* Compute the folded residuals f of a part of a cube of nz x ny x nx values: rotate values left by
 * 'rotation' bits, and take differences along each axis. Parts are processed in order, the first
 * with an edge of zeros. */
ZTI_INLINE void NAME(differences)(const struct zti_ndzip_rows *from, uint32_t rotation,
                                  uint32_t part, struct NAME(edge) * edge, word *restrict f,
                                  const uint32_t nz, const uint32_t ny, const uint32_t nx)
{
    const uint32_t row_values = nx < 64 ? nx : 64, n = row_values / LANES;
    lane above[NAME(part_lanes)], v[NAME(part_lanes) + 1];
    lane *const restrict behind = edge->behind + (nz > 1 ? part % 4 * 4 * n : 0);
    for (uint32_t k = 0; ny > 1 && k < n; k++)
        above[k] = nz > 1 && part % 4 == 0 ? (lane){0} : edge->above[k];
    if (nz > 1)
        FETCH_FAR(from, part, zti_prefetch_far)
    const uint8_t *const first = from->at + NAME(row_offset)(from, part, nz, ny);
    const uint8_t *const first_ahead = NAME(next_row)(from, part, nz, ny);
    for (uint32_t i = 0; i < 64 / row_values; i++) {
        const uint8_t *const row = first + i * from->row_bytes;
        const uint8_t *const ahead = first_ahead + i * from->row_bytes;
        const lane left = ny > 1 ? (lane){0} : edge->left;
        for (uint32_t b = 63; b < row_values * sizeof(word); b += 64)
            zti_prefetch(ahead + b);
        v[0] = left;
        for (uint32_t k = 0; k < n; k++)
            v[k + 1] = NAME(v_turn)(NAME(v_load)(row + k * sizeof(lane)), rotation);
        for (uint32_t k = 0; k < n; k++) {
            lane d = v[k + 1] - NAME(v_before)(v[k + 1], v[k]), e;
            if (ny > 1) {
                e = d - above[k];
                above[k] = d;
                d = e;
            }
            if (nz > 1) {
                e = d - behind[i * n + k];
                behind[i * n + k] = d;
                d = e;
            }
            NAME(v_store)(f + (i * n + k) * LANES, NAME(fold)(d));
        }
        if (ny == 1)
            edge->left = v[n];
    }
    for (uint32_t k = 0; ny > 1 && k < n; k++)
        edge->above[k] = above[k];
}

/* The inverse of differences: prefix sums along each axis. */
ZTI_INLINE void NAME(accumulate)(const word *restrict f, uint32_t rotation, uint32_t part,
                                 struct NAME(edge) * edge, const struct zti_ndzip_rows *to,
                                 const uint32_t nz, const uint32_t ny, const uint32_t nx)
{
    const uint32_t row_values = nx < 64 ? nx : 64, n = row_values / LANES;
    const uint32_t back = -rotation & (WIDTH - 1);
    lane above[NAME(part_lanes)], v[NAME(part_lanes)];
    lane *const restrict behind = edge->behind + (nz > 1 ? part % 4 * 4 * n : 0);
    for (uint32_t k = 0; ny > 1 && k < n; k++)
        above[k] = nz > 1 && part % 4 == 0 ? (lane){0} : edge->above[k];
    if (nz > 1)
        FETCH_FAR(to, part, zti_prefetch_to_write)
    const uint32_t ahead_bytes = nz > 1 && to->is_fetched ? 0 : row_values * sizeof(word);
    uint8_t *const first = to->at + NAME(row_offset)(to, part, nz, ny);
    const uint8_t *const first_ahead = NAME(next_row)(to, part, nz, ny);
    for (uint32_t i = 0; i < 64 / row_values; i++) {
        uint8_t *const row = first + i * to->row_bytes;
        const uint8_t *const ahead = first_ahead + i * to->row_bytes;
        lane left = ny > 1 ? (lane){0} : edge->left;
        for (uint32_t b = 63; b < ahead_bytes; b += 64)
            zti_prefetch_to_write(ahead + b);
        for (uint32_t k = 0; k < n; k++) {
            v[k] = NAME(fold)(NAME(v_load)(f + (i * n + k) * LANES));
            if (nz > 1)
                behind[i * n + k] = v[k] += behind[i * n + k];
            if (ny > 1)
                above[k] = v[k] += above[k];
        }
        for (uint32_t k = 0; k < n; k++) {
            v[k] = NAME(v_sums)(v[k]) + left;
            left = NAME(v_last)(v[k]);
        }
        for (uint32_t k = 0; k < n; k++)
            NAME(v_store)(row + k * sizeof(lane), NAME(v_turn)(v[k], back));
        if (ny == 1)
            edge->left = left;
    }
    for (uint32_t k = 0; ny > 1 && k < n; k++)
        edge->above[k] = above[k];
}
#undef FETCH_FAR
