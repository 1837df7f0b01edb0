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

static void split(struct zti_sz_pyramid *p)
{
    for (uint32_t l = 0; l < p->levels; l++) {
        const uint32_t *const dim = p->level[l].dim, n = dim[3];
        const int32_t *from = p->grid[l & 1];
        uint32_t at[3] = {0};
        do {
            const struct row_parts parts = parts_of(p, l, at);
            int32_t *const even =
                (parts.is_even_grid ? p->grid[~l & 1] : p->bands) + parts.even;
            if (p->axes & 8) {
                int32_t *const odd = p->bands + parts.odd;
                for (uint32_t i = 0; i < n / 2; i++) {
                    even[i] = from[2 * i];
                    odd[i] = from[2 * i + 1];
                }
                if (n & 1)
                    even[n / 2] = from[n - 1];
            } else {
                memcpy(even, from, n * sizeof *even);
            }
            from += n;
        } while (next_row(dim, at));
    }
}

static void merge(struct zti_sz_pyramid *p, uint32_t l)
{
    const uint32_t *const dim = p->level[l].dim, n = dim[3];
    int32_t *to = p->grid[l & 1];
    uint8_t *loud = p->grid_loud[l & 1];
    const bool is_heard = l > 0 || p->has_anchors; /* by what is coded next */
    uint32_t at[3] = {0};
    do {
        const struct row_parts parts = parts_of(p, l, at);
        const int32_t *const even =
            (parts.is_even_grid ? p->grid[~l & 1] : p->bands) + parts.even;
        const uint8_t *const even_loud =
            (parts.is_even_grid ? p->grid_loud[~l & 1] : p->band_loud) + parts.even;
        if (p->axes & 8) {
            const int32_t *const odd = p->bands + parts.odd;
            const uint8_t *const odd_loud = p->band_loud + parts.odd;
            for (uint32_t i = 0; i < n / 2; i++) {
                to[2 * i] = even[i];
                to[2 * i + 1] = odd[i];
            }
            for (uint32_t i = 0; is_heard && i < n / 2; i++) {
                loud[2 * i] = even_loud[i];
                loud[2 * i + 1] = odd_loud[i];
            }
            if (n & 1) {
                to[n - 1] = even[n / 2];
                loud[n - 1] = even_loud[n / 2];
            }
        } else {
            memcpy(to, even, n * sizeof *to);
            memcpy(loud, even_loud, n);
        }
        to += n;
        loud += n;
    } while (next_row(dim, at));
}
