/* scatter.h: a decoded array whose elements go to memory that is no view of it: which of them are
 * wanted, and who puts them where they belong. */
#ifndef ZTI_SCATTER_H
#define ZTI_SCATTER_H

#include "array/array.h"

/* Indices along an axis that several were joined to, of which a range each is wanted: for each
 * value of the slower ones' digits a span.
 *
 *     index = digit[0] * step[0] + ... + digit[digits - 1] * step[digits - 1] + [first, last) */
struct zti_spans {
    uint32_t digits;
    uint64_t step[ZT_MAX_RANK]; /* descending; spans of one value of a digit are within a step */
    uint64_t lo[ZT_MAX_RANK], hi[ZT_MAX_RANK];
    uint64_t first, last;
};

/* The first span that ends after index 'from'; false: there is none. */
bool zti_spans_next(const struct zti_spans *spans, uint64_t from, uint64_t *first, uint64_t *last);

struct zti_scatter {
    struct zti_view cover; /* the smallest box that holds all that is wanted; out has no data */
    struct zti_spans spans[ZT_MAX_RANK]; /* of each axis; some that are not wanted may be in them,
                                            but no tile of which none is */
    /* Take from the values of a box, which are C-contiguous, those that are wanted. Of different
     * boxes it is called from several threads at once. */
    void (*put)(const struct zti_scatter *scatter, const zt_box *box, const uint8_t *values);
};

/* The largest box of whole layers of tiles that begins at tile *tile and ends before tile 'last';
 * *tile: the tile after it. */
zt_box zti_box_of_tiles(const struct zti_grid *grid, uint64_t *tile, uint64_t last);

#endif
