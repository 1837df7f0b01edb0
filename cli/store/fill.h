/* fill.h: which values of an array are fill values: those of --fill, and what its file says. */
#ifndef ZTI_STORE_FILL_H
#define ZTI_STORE_FILL_H

#include "util/options.h"

/* Add a bit pattern to a list of ZT_MAX_FILLS at most, unless it is there. */
void add_fill(uint64_t bits, uint32_t *fills, uint64_t *fill);

/* The fill values of an array, as bit patterns: those of --fill and the file's own. meta may be
 * NULL. */
bool find_fills(const struct options *options, const char *place, uint32_t type,
                const struct ztio_meta *meta, uint32_t *fills, uint64_t *fill,
                struct ztio_error *error);

#endif
