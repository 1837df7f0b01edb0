/* sz_common.h: what the kernel texts of the sz codec share. */
#ifndef ZTI_SZ_COMMON_H
#define ZTI_SZ_COMMON_H

#include "codec/sz/sz.h"

#include <math.h>

/* A tile's place and size; the last axis is fastest. */
struct tile {
    uint32_t rank;
    uint32_t n;     /* values */
    uint32_t block; /* differences begin anew at multiples of it; 0: only where the tile begins */
    uint32_t extent[ZT_MAX_RANK];
    uint64_t origin[ZT_MAX_RANK];
};

/* Which values of a tile are kept as they are. */
struct exact {
    uint32_t count;
    uint64_t bits[ZTI_SZ_GROUPS];
    const void *values; /* all of the tile's */
};

/* Whether a tile's integers are in Huffman codes. The books know nothing of tiles that are coded
 * without loss beside the others. */
static inline bool is_coded(const struct zti_coding *coding, uint32_t form)
{
    return coding->sz.effort != ZT_EFFORT_FAST && !(form & ZTI_SZ_LOSSLESS);
}

/* The symbols of a tile, by book, and the groups of which a value is more than a symbol says. */
struct symbols {
    uint16_t of[ZTI_SZ_BOOKS][ZTI_SZ_TILE_VALUES];
    uint32_t count[ZTI_SZ_BOOKS];
    uint64_t excess;
};

#endif
