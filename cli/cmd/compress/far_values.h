/* far_values.h: values that look as if they were fill values that nobody declared. */
#ifndef ZTI_CMD_FAR_VALUES_H
#define ZTI_CMD_FAR_VALUES_H

#include "ztile_quality.h"

#include <stdbool.h>

enum { FAR_KEPT = 6, FAR_SAMPLE = 1 << 14 };

struct far_value {
    double value;
    uint64_t count;
};

/* What is kept of an array while it goes by: its largest and its smallest values with their counts,
 * and a sample. */
struct far_values {
    uint32_t fills; /* that are known, and do not count */
    uint64_t fill[ZT_MAX_FILLS];
    struct far_value high[FAR_KEPT], low[FAR_KEPT]; /* the outermost first */
    uint32_t highs, lows;
    double sample[FAR_SAMPLE];
    uint32_t sampled;
    uint64_t step; /* mean distance of the sample's values */
};

/* values: that will come; ZT_UNKNOWN where that is not known. */
void far_begin(struct far_values *f, uint32_t fills, const uint64_t *fill, uint64_t values);

/* Take a slab, C-contiguous and in the host's memory, before which the array has 'first' values.
 * stats: what zt_scan finds in it, with the same fill values; NULL: not known. */
zt_status far_take(struct far_values *f, zt_context *context, const zt_array *slab, uint64_t first,
                   const zt_stats *stats);

/* For another thread, which takes other slabs of the array; to be freed. NULL: no memory. */
struct far_values *far_beside(const struct far_values *f);

/* Add what a far_beside has found. */
void far_merge(struct far_values *into, const struct far_values *from);

/* Values that occur at least three times, each farther from all others than 10 times the range that
 * 99 % of them are in; ZT_MAX_FILLS at most, and how many. */
uint32_t far_find(const struct far_values *f, struct far_value *found);

#endif
