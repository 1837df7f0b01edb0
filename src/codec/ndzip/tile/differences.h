/* differences.h: kernel text: a cube of values into the folded differences of its neighbours, and
 * back. tile/instance.h says what the includer defines.
 *
 * Arithmetic is modulo 2^WIDTH. A cube has nz planes of ny rows of nx values; 'above' is the row
 * before the present one and 'behind' the plane before. A cube is worked on in parts of 64 values
 * (4 rows of a plane, a row, or 64 values of a row), so that memory is asked for what is next all
 * the while that there is something to compute. */

enum { NAME(part) = 64, NAME(parts) = ZTI_NDZIP_VALUES / 64, NAME(part_lanes) = 64 / LANES };

/* What is kept of a cube's values between two parts of it. */
struct NAME(edge) {
    lane left;
    lane above[NAME(part_lanes)];
    lane behind[256 / LANES];
};

/* Where a part's first row begins. The others are row_bytes apart. */
ZTI_INLINE int64_t NAME(place)(const struct zti_ndzip_rows *rows, uint32_t part, const uint32_t nz,
                               const uint32_t ny)
{
    if (nz > 1)
        return part / 4 * rows->plane_bytes + part % 4 * 4 * rows->row_bytes;
    if (ny > 1)
        return part * rows->row_bytes;
    return part * (int64_t)(64 * sizeof(word));
}

/* The same of the part that is so many parts ahead, perhaps in the next cube. */
ZTI_INLINE const uint8_t *NAME(ahead)(const struct zti_ndzip_rows *rows, uint32_t part,
                                      const uint32_t nz, const uint32_t ny)
{
    const uint32_t soon = part + (nz > 1 && rows->is_fetched ? ZTI_NDZIP_NEAR : ZTI_NDZIP_AHEAD);
    const uint8_t *const cube = soon < NAME(parts) ? rows->at : rows->ahead;
    return cube + NAME(place)(rows, soon % NAME(parts), nz, ny);
}

/* A part's share of the rows that are worked on a strip of cubes later. */
#define FETCH_FAR(rows, part, fetch)                                                               \
    for (uint32_t r = part * rows->far_rows / NAME(parts);                                         \
         r < (part + 1) * rows->far_rows / NAME(parts); r++) {                                     \
        const uint8_t *const far_row =                                                             \
            rows->far + r / 16 * rows->plane_bytes + r % 16 * rows->row_bytes;                     \
        for (uint32_t b = 0; b < rows->far_bytes; b += 64)                                         \
            fetch(far_row + b);                                                                    \
    }

/* Part 'part' of a cube of nz x ny x nx values: values, turned left by 'rotation' bits, less what
 * their neighbours along each axis predict. f[t] is the folded residual of the part's value t.
 * Parts come in order, the first with an edge of zeros. */
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
    const uint8_t *const first = from->at + NAME(place)(from, part, nz, ny);
    const uint8_t *const first_ahead = NAME(ahead)(from, part, nz, ny);
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

/* The inverse. */
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
    uint8_t *const first = to->at + NAME(place)(to, part, nz, ny);
    const uint8_t *const first_ahead = NAME(ahead)(to, part, nz, ny);
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
