/* checked_index.h: an index opened and checked at once, for tests of look-ups. */
#ifndef ZTILE_TEST_CHECKED_INDEX_H
#define ZTILE_TEST_CHECKED_INDEX_H

#include "index/index.h"

/* Nothing is left open where that fails. */
static inline zt_status checked_index(zt_context *context, const uint8_t *bytes, size_t n,
                                      uint64_t tiles, uint64_t units, struct zti_index *index)
{
    zt_status status = zti_index_open(context, bytes, n, tiles, units, index);
    if (status == ZT_OK)
        status = zti_index_check(context, index);
    if (status != ZT_OK)
        zti_index_close(context, index);
    return status;
}

#endif
