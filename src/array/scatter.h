/* scatter.h: which elements of a decoded array are wanted, and a function that stores them, where
 * strides cannot express their places (joined axes). */
#ifndef ZTI_SCATTER_H
#define ZTI_SCATTER_H

#include "array/array.h"

/* The wanted indices along a joined axis. An index is a mixed-radix number with a digit for each
 * original axis; each combination of the slower digits gives one contiguous range, a span.
 *
 *     index = digit[0] * step[0] + ... + digit[digits - 1] * step[digits - 1] + [first, last) */
struct zti_spans {
    uint32_t digits;
    uint64_t step[ZT_MAX_RANK]; /* the weight of a digit, in indices; descending */
    uint64_t lo[ZT_MAX_RANK], hi[ZT_MAX_RANK];
    uint64_t first, last;
};

/* Find the first span that ends after index 'from'; false: none. */
bool zti_spans_next(const struct zti_spans *spans, uint64_t from, uint64_t *first, uint64_t *last);

struct zti_scatter {
    struct zti_view cover; /* the smallest box with all wanted elements; out has no data */
    struct zti_spans spans[ZT_MAX_RANK]; /* of each axis; may include unwanted indices, but every
                                            tile that they meet has a wanted one */
    /* Store the wanted elements of a box, whose values are C-contiguous. Several threads call it at
     * once for different boxes. */
    void (*put)(const struct zti_scatter *scatter, const zt_box *box, const uint8_t *values);
};

/* The largest box of consecutive tiles that begins at tile *tile and ends at or before tile 'last';
 * sets *tile to the tile after it. */
zt_box zti_box_of_tiles(const struct zti_grid *grid, uint64_t *tile, uint64_t last);

#endif
