/* sz_common.h: what the kernel texts of the sz codec share. */
#ifndef ZTI_SZ_COMMON_H
#define ZTI_SZ_COMMON_H

#include "codec/sz/sz.h"

#include <math.h>

/* A tile's place and size; the last axis is fastest. */
struct tile {
    uint32_t rank;
    uint32_t n; /* values */
    uint32_t extent[ZT_MAX_RANK];
    uint64_t origin[ZT_MAX_RANK];
};

/* Which values of a tile are kept as they are. */
struct exact {
    uint32_t count;
    uint64_t bits[ZTI_SZ_GROUPS];
    const void *values; /* all of the tile's */
};

#endif
