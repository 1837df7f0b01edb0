/* ndzip_tile.h: kernel text: a cube of values into the folded differences of its neighbours, and
 * back. The includer defines
 *   word         uint32_t or uint64_t, WIDTH its bits
 *   lane, slane  word and its signed kin, or vectors of LANES of them: neighbours along a row
 *   FN           storage class
 *   NAME(x)      x with this instance's suffix
 * and the functions
 *   NAME(before)(left, v)  the values one place to the left of v, left being the lane before it
 *   NAME(sums)(v)          of each value and all to its left within the lane
 *   NAME(last)(v)          the rightmost value, in all places
 *   NAME(turn)(v, n)       each turned left by n < WIDTH bits
 *
 * Arithmetic is modulo 2^WIDTH. Both walk over a cube of nz planes of ny rows of nx values, in which
 * 'above' is the row before the present one and 'behind' the plane before. */

/* Negative numbers keep their sign bit and have the others flipped. Its own inverse. */
FN lane NAME(fold)(lane v)
{
    return v ^ ((lane)((slane)v >> (WIDTH - 1)) & ((word)-1 >> 1));
}

FN lane NAME(load)(const void *from)
{
    lane v;
    memcpy(&v, from, sizeof v);
    return v;
}

FN void NAME(store)(void *to, lane v)
{
    memcpy(to, &v, sizeof v);
}

/* Values, turned left by 'rotation' bits, less what their neighbours along each axis predict:
 * f[t] is the folded residual of the value with number t in the cube. */
FN void NAME(differences)(const struct zti_ndzip_rows *from, uint32_t rotation, word *f,
                          const uint32_t nz, const uint32_t ny, const uint32_t nx)
{
    const uint32_t n = nx / LANES;
    lane above[64 / LANES], behind[256 / LANES];
    memset(behind, 0, sizeof behind);
    for (uint32_t z = 0; z < nz; z++) {
        memset(above, 0, sizeof above);
        for (uint32_t y = 0; y < ny; y++) {
            const int64_t offset = z * from->plane_bytes + y * from->row_bytes;
            const uint8_t *const row = from->at + offset, *const ahead = from->ahead + offset;
            lane left = {0};
            for (uint32_t k = 0; k < n; k++, f += LANES) {
                const lane v = NAME(turn)(NAME(load)(row + k * sizeof(lane)), rotation);
                lane d, e;
                d = v - NAME(before)(left, v);
                left = v;
                if (ny > 1) {
                    e = d - above[k];
                    above[k] = d;
                    d = e;
                }
                if (nz > 1) {
                    e = d - behind[y * n + k];
                    behind[y * n + k] = d;
                    d = e;
                }
                NAME(store)(f, NAME(fold)(d));
            }
            for (uint32_t b = 63; b < nx * sizeof(word); b += 64)
                zti_fetch(ahead + b);
        }
    }
}

/* The inverse. */
FN void NAME(accumulate)(const word *f, uint32_t rotation, const struct zti_ndzip_rows *to,
                         const uint32_t nz, const uint32_t ny, const uint32_t nx)
{
    const uint32_t n = nx / LANES, back = -rotation & (WIDTH - 1);
    lane above[64 / LANES], behind[256 / LANES];
    memset(behind, 0, sizeof behind);
    for (uint32_t z = 0; z < nz; z++) {
        memset(above, 0, sizeof above);
        for (uint32_t y = 0; y < ny; y++) {
            const int64_t offset = z * to->plane_bytes + y * to->row_bytes;
            uint8_t *const row = to->at + offset, *const ahead = to->ahead + offset;
            lane left = {0};
            for (uint32_t k = 0; k < n; k++, f += LANES) {
                lane v = NAME(fold)(NAME(load)(f));
                if (nz > 1)
                    behind[y * n + k] = v += behind[y * n + k];
                if (ny > 1)
                    above[k] = v += above[k];
                v = NAME(sums)(v) + left;
                left = NAME(last)(v);
                NAME(store)(row + k * sizeof(lane), NAME(turn)(v, back));
            }
            for (uint32_t b = 63; b < nx * sizeof(word); b += 64)
                zti_fetch_to_write(ahead + b);
        }
    }
}
