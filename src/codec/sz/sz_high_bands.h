/* sz_high_bands.h: kernel text of effort 'high': points of a level to bands, and back. Included by
 * sz_high_text.h. */

/* The rows that a row of a level's points consists of: even points and odd ones. */
struct row_parts {
    size_t even, odd;  /* among the bands, or the points of the coarser level */
    bool is_even_grid; /* the former are there */
};

ZTI_INLINE struct row_parts parts_of(const struct zti_sz_pyramid *p, uint32_t number,
                                     const uint32_t *at)
{
    const struct zti_sz_level *const level = &p->level[number];
    struct row_parts parts = {.even = 0};
    uint32_t odd = 0, half[4] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        const bool is_halved = p->axes >> i & 1;
        odd |= is_halved ? (at[i] & 1) << i : 0;
        half[i] = is_halved ? at[i] / 2 : at[i];
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

/* n points of a row of a level, from number 'first' on, an even one. */
ZTI_INLINE void split_part(struct zti_sz_pyramid *p, uint32_t l, const uint32_t *at, uint32_t first,
                           uint32_t n, const int32_t *restrict from)
{
    const struct row_parts parts = parts_of(p, l, at);
    int32_t *even = (parts.is_even_grid ? p->grid[~l & 1] : p->bands) + parts.even;
    uint32_t i = 0;
    if (!(p->axes & 8)) {
        memcpy(even + first, from, n * sizeof *even);
        return;
    }
    int32_t *const odd = p->bands + parts.odd + first / 2;
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
                           uint32_t first, uint32_t n, int32_t *restrict to)
{
    const struct row_parts parts = parts_of(p, l, at);
    const int32_t *even = (parts.is_even_grid ? p->grid[~l & 1] : p->bands) + parts.even;
    uint32_t i = 0;
    if (!(p->axes & 8)) {
        memcpy(to, even + first, n * sizeof *to);
        return;
    }
    const int32_t *const odd = p->bands + parts.odd + first / 2;
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

static void merge_loud(const struct zti_sz_pyramid *p, uint32_t l, const uint32_t *at, uint32_t n,
                       uint8_t *restrict to)
{
    const struct row_parts parts = parts_of(p, l, at);
    const uint8_t *const even =
        (parts.is_even_grid ? p->grid_loud[~l & 1] : p->band_loud) + parts.even;
    const uint8_t *const odd = p->band_loud + parts.odd;
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

/* The finest level's points, a part of a row at a time: there is no need of all of them side by
 * side. */
static void split_row(struct zti_sz_pyramid *p, const uint32_t *at, uint32_t first, uint32_t n,
                      const int32_t *x)
{
    if (p->levels > 0)
        split_part(p, 0, at, first, n, x);
    else
        memcpy(p->grid[0] + row_at(p->level[0].dim, at) + first, x, n * sizeof *x);
}

static void merge_row(const struct zti_sz_pyramid *p, const uint32_t *at, uint32_t first,
                      uint32_t n, int32_t *x)
{
    if (p->levels > 0)
        merge_part(p, 0, at, first, n, x);
    else
        memcpy(x, p->grid[0] + row_at(p->level[0].dim, at) + first, n * sizeof *x);
}

/* All levels but the finest, whose points are in bands. */
static void split(struct zti_sz_pyramid *p)
{
    for (uint32_t l = 1; l < p->levels; l++) {
        const uint32_t *const dim = p->level[l].dim;
        const int32_t *from = p->grid[l & 1];
        uint32_t at[3] = {0};
        do {
            split_part(p, l, at, 0, dim[3], from);
            from += dim[3];
        } while (zti_sz_high_next_row(dim, at));
    }
}

static void merge(struct zti_sz_pyramid *p, uint32_t l)
{
    const uint32_t *const dim = p->level[l].dim, n = dim[3];
    int32_t *to = p->grid[l & 1];
    uint8_t *loud = p->grid_loud[l & 1];
    uint32_t at[3] = {0};
    do {
        merge_part(p, l, at, 0, n, to);
        merge_loud(p, l, at, n, loud);
        to += n;
        loud += n;
    } while (zti_sz_high_next_row(dim, at));
}
