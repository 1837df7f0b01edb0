/* bands.h: kernel text of effort 'high': move the points of a level to bands (split), and back
 * (merge). Included by interp/instance.h. */

/* Where the even and the odd points of a level's row are. */
struct row_parts {
    size_t even, odd;  /* places among the bands, or the points of the coarser level */
    bool is_even_grid; /* even points are in the coarser level */
};

ZTI_INLINE struct row_parts parts_of(const struct zti_sz_pyramid *p, uint32_t number,
                                     const uint32_t *at)
{
    const struct zti_sz_level *const level = &p->level[number];
    struct row_parts parts = {.even = 0};
    uint32_t odd = 0, half[4] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        const bool is_interpolated = p->axes >> i & 1;
        odd |= is_interpolated ? (at[i] & 1) << i : 0;
        half[i] = is_interpolated ? at[i] / 2 : at[i];
    }
    parts.is_even_grid = odd == 0;
    if (odd == 0) {
        parts.even = row_at(p->level[number + 1].dim, half);
    } else {
        const struct zti_sz_band *const band = &level->band[level->band_of[odd]];
        parts.even = band->at + row_at(band->dim, half);
    }
    if (p->axes & 8 && level->dim[3] > 1) {
        const struct zti_sz_band *const band = &level->band[level->band_of[odd | 8]];
        parts.odd = band->at + row_at(band->dim, half);
    }
    return parts;
}

/* Split n points of a level's row, from point 'first' on, which is even. */
ZTI_INLINE void split_part(struct zti_sz_pyramid *p, uint32_t l, const uint32_t *at, uint32_t first,
                           uint32_t n, const integer *restrict from)
{
    const struct row_parts parts = parts_of(p, l, at);
    integer *even = (parts.is_even_grid ? grid_of(p, ~l) : bands_of(p)) + parts.even;
    uint32_t i = 0;
    if (!(p->axes & 8)) {
        memcpy(even + first, from, n * sizeof *even);
        return;
    }
    integer *const odd = bands_of(p) + parts.odd + first / 2;
    even += first / 2;
    for (; i + LANES <= n / 2; i += LANES)
        part_pairs(from + 2 * i, even + i, odd + i);
    for (; i < n / 2; i++) {
        even[i] = from[2 * i];
        odd[i] = from[2 * i + 1];
    }
    if (n & 1)
        even[n / 2] = from[n - 1];
}

ZTI_INLINE void merge_part(const struct zti_sz_pyramid *p, uint32_t l, const uint32_t *at,
                           uint32_t first, uint32_t n, integer *restrict to)
{
    const struct row_parts parts = parts_of(p, l, at);
    const integer *even = (parts.is_even_grid ? grid_of(p, ~l) : bands_of(p)) + parts.even;
    uint32_t i = 0;
    if (!(p->axes & 8)) {
        memcpy(to, even + first, n * sizeof *to);
        return;
    }
    const integer *const odd = bands_of(p) + parts.odd + first / 2;
    even += first / 2;
    for (; i + LANES <= n / 2; i += LANES)
        join_pairs(even + i, odd + i, to + 2 * i);
    for (; i < n / 2; i++) {
        to[2 * i] = even[i];
        to[2 * i + 1] = odd[i];
    }
    if (n & 1)
        to[n - 1] = even[n / 2];
}

static void merge_magnitudes(const struct zti_sz_pyramid *p, uint32_t l, const uint32_t *at,
                             uint32_t n, uint8_t *restrict to)
{
    const struct row_parts parts = parts_of(p, l, at);
    const uint8_t *const even =
        (parts.is_even_grid ? p->grid_magnitudes[~l & 1] : p->band_magnitudes) + parts.even;
    const uint8_t *const odd = p->band_magnitudes + parts.odd;
    if (!(p->axes & 8)) {
        memcpy(to, even, n);
        return;
    }
    uint32_t i = 0;
    for (; i + WIDE <= n / 2; i += WIDE)
        join_small(load_small(even + i), load_small(odd + i), to + 2 * i);
    for (; i < n / 2; i++) {
        to[2 * i] = even[i];
        to[2 * i + 1] = odd[i];
    }
    if (n & 1)
        to[n - 1] = even[n / 2];
}

/* ---- short rows ---- */

/* Copy rows of 'bytes' bytes with a copy of a constant size; the next row overwrites the excess.
 * The last rows are copied exactly. */
ZTI_INLINE void copy_in(uint8_t *to, const uint8_t *from, size_t step, size_t rows, size_t bytes,
                        size_t size)
{
    for (; rows * bytes >= size; rows--, to += bytes, from += step)
        memcpy(to, from, size);
    for (; rows > 0; rows--, to += bytes, from += step)
        memcpy(to, from, bytes);
}

ZTI_INLINE void join_in(uint8_t *to, const uint8_t *even, const uint8_t *odd, size_t rows,
                        size_t bytes, size_t size)
{
    for (; rows > 1 && (rows - 1) * bytes >= size; rows -= 2, even += bytes, odd += bytes) {
        memcpy(to, even, size);
        memcpy(to + bytes, odd, size);
        to += 2 * bytes;
    }
    for (; rows > 1; rows -= 2, even += bytes, odd += bytes) {
        memcpy(to, even, bytes);
        memcpy(to + bytes, odd, bytes);
        to += 2 * bytes;
    }
    if (rows > 0)
        memcpy(to, even, bytes);
}

/* Copy rows of up to 128 bytes that begin 'step' bytes apart, to contiguous ones; and interleave
 * the contiguous rows of two places. */
#define BY_SIZE(step) step(4) else step(8) else step(16) else step(32) else step(64) else step(128)
static void copy_rows(void *to, const void *from, size_t step, size_t rows, size_t bytes)
{
#define CASE(size)                                                                                 \
    if (bytes <= (size)) {                                                                         \
        copy_in(to, from, step, rows, bytes, size);                                                \
    }
    BY_SIZE(CASE)
#undef CASE
}

static void join_rows(void *to, const void *even, const void *odd, size_t rows, size_t bytes)
{
#define CASE(size)                                                                                 \
    if (bytes <= (size)) {                                                                         \
        join_in(to, even, odd, rows, bytes, size);                                                 \
    }
    BY_SIZE(CASE)
#undef CASE
}
#undef BY_SIZE

/* Split 'rows' rows of a level along axis 2, from row 'at' on, if rows are joined. merge_rows is
 * the inverse, for points or their magnitudes, of 'each' bytes. */
static void split_rows(struct zti_sz_pyramid *p, uint32_t l, const uint32_t *at, uint32_t rows,
                       const integer *from)
{
    const uint32_t n = p->level[l].dim[3];
    const size_t bytes = n * sizeof *from;
    for (uint32_t odd = 0; odd < 2 && odd < rows; odd++) {
        const uint32_t first[3] = {at[0], at[1], at[2] + odd};
        const struct row_parts parts = parts_of(p, l, first);
        integer *const to = (parts.is_even_grid ? grid_of(p, ~l) : bands_of(p)) + parts.even;
        if (!(p->axes & 4)) {
            memcpy(to, from, rows * bytes);
            return;
        }
        copy_rows(to, from + odd * n, 2 * bytes, (rows + 1 - odd) / 2, bytes);
    }
}

static void merge_rows(const struct zti_sz_pyramid *p, uint32_t l, const uint32_t *at,
                       uint32_t rows, const void *grid, const void *bands, size_t each, void *to)
{
    const size_t bytes = p->level[l].dim[3] * each;
    const char *from[2] = {NULL, NULL};
    for (uint32_t odd = 0; odd < 2 && odd < rows; odd++) {
        const uint32_t first[3] = {at[0], at[1], at[2] + odd};
        const struct row_parts parts = parts_of(p, l, first);
        from[odd] = (const char *)(parts.is_even_grid ? grid : bands) + parts.even * each;
        if (!(p->axes & 4)) {
            memcpy(to, from[0], rows * bytes);
            return;
        }
    }
    join_rows(to, from[0], from[1], rows, bytes);
}

/* ---- levels ---- */

/* Split points of the finest level, a part of a row or a few rows at a time, so that no contiguous
 * copy of the level is needed. */
static void split_row(struct zti_sz_pyramid *p, const uint32_t *at, uint32_t first, uint32_t n,
                      const void *integers)
{
    const uint32_t length = p->level[0].dim[3];
    const integer *const x = integers;
    if (p->levels == 0) {
        memcpy(grid_of(p, 0) + row_at(p->level[0].dim, at) + first, x, n * sizeof *x);
    } else if (first + n <= length) {
        split_part(p, 0, at, first, n, x);
    } else {
        uint32_t row[3] = {at[0], at[1], at[2] + first / length};
        if (has_joined_rows(p))
            split_rows(p, 0, row, n / length, x);
        for (uint32_t i = 0; i < n && !has_joined_rows(p); i += length, row[2]++)
            split_part(p, 0, row, 0, length, x + i);
    }
}

static void merge_row(const struct zti_sz_pyramid *p, const uint32_t *at, uint32_t first,
                      uint32_t n, void *integers)
{
    const uint32_t length = p->level[0].dim[3];
    integer *const x = integers;
    if (p->levels == 0) {
        memcpy(x, grid_of(p, 0) + row_at(p->level[0].dim, at) + first, n * sizeof *x);
    } else if (first + n <= length) {
        merge_part(p, 0, at, first, n, x);
    } else {
        uint32_t row[3] = {at[0], at[1], at[2] + first / length};
        if (has_joined_rows(p))
            merge_rows(p, 0, row, n / length, p->grid[1], p->bands, sizeof *x, x);
        for (uint32_t i = 0; i < n && !has_joined_rows(p); i += length, row[2]++)
            merge_part(p, 0, row, 0, length, x + i);
    }
}

/* Split all levels but the finest. */
static void split(struct zti_sz_pyramid *p)
{
    const bool is_joined = has_joined_rows(p);
    for (uint32_t l = 1; l < p->levels; l++) {
        const uint32_t *const dim = p->level[l].dim, rows = is_joined ? dim[2] : 1;
        const integer *from = grid_of(p, l);
        uint32_t at[3] = {0};
        do {
            if (is_joined)
                split_rows(p, l, at, rows, from);
            else
                split_part(p, l, at, 0, dim[3], from);
            from += rows * dim[3];
            at[2] += rows - 1;
        } while (zti_sz_high_next_row(dim, at));
    }
}

static void merge(struct zti_sz_pyramid *p, uint32_t l)
{
    const bool is_joined = has_joined_rows(p);
    const uint32_t *const dim = p->level[l].dim, rows = is_joined ? dim[2] : 1, n = dim[3];
    integer *to = grid_of(p, l);
    uint8_t *magnitudes = p->grid_magnitudes[l & 1];
    uint32_t at[3] = {0};
    do {
        if (is_joined) {
            merge_rows(p, l, at, rows, p->grid[~l & 1], p->bands, sizeof *to, to);
            merge_rows(p, l, at, rows, p->grid_magnitudes[~l & 1], p->band_magnitudes, 1,
                       magnitudes);
        } else {
            merge_part(p, l, at, 0, n, to);
            merge_magnitudes(p, l, at, n, magnitudes);
        }
        to += rows * n;
        magnitudes += rows * n;
        at[2] += rows - 1;
    } while (zti_sz_high_next_row(dim, at));
}
