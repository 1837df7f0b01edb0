/* large_tile.h: what the coders of large tiles share (lossless/ and transform/): the parts of a
 * thread's memory, a tile's place in its array, and the bytes that a tile begins with. */
#ifndef ZTI_SZ_LARGE_TILE_H
#define ZTI_SZ_LARGE_TILE_H

#include "codec/sz/lossless/spec.h"
#include "core/wire.h"

/* ---- memory ---- */

/* Parts of a thread's memory: where they are, or how much they take where there is none. */
struct parts {
    uint8_t *memory;
    size_t bytes;
};

/* The next part, on a cache line of its own. */
static inline void *part_of(struct parts *p, size_t bytes)
{
    void *const at = p->memory ? p->memory + p->bytes : NULL;
    p->bytes += (bytes + 63 + 64) / 64 * 64;
    return at;
}

/* Memory that has 64 bytes more than the parts take, from its first cache line on. */
static inline struct parts parts_in(uint8_t *memory)
{
    return (struct parts){.memory = memory + (64 - (uintptr_t)memory % 64) % 64};
}

static inline size_t bytes_of(uint64_t bits)
{
    return (size_t)((bits + 7) / 8);
}

/* ---- a tile ---- */

/* A tile's place and size, in the axes of the array. */
struct place {
    uint32_t extent[ZT_MAX_RANK];
    uint64_t origin[ZT_MAX_RANK];
};

static inline struct place place_of(const struct zti_coding *coding, const struct zti_walk *walk)
{
    struct place place = {.extent = {1, 1, 1, 1}};
    for (uint32_t i = 0; i < coding->grid.rank; i++) {
        place.extent[i] = extent_at(&coding->grid, i, walk->origin[i]);
        place.origin[i] = walk->origin[i];
    }
    return place;
}

/* The bytes of a tile, as a cursor over what is behind its first number; *is_raw: its values. */
static inline struct zti_cursor tile_bytes(const struct zti_bit_reader *r, size_t raw_bytes,
                                           bool *is_raw)
{
    struct zti_cursor c = {.at = r->base + r->at / 8, .end = r->base + r->end / 8};
    const uint8_t kind = zti_take_byte(&c);
    *is_raw = kind == ZTI_LL_RAW;
    c.is_bad = c.is_bad || (kind != ZTI_LL_RAW && kind != ZTI_LL_CODED);
    const uint64_t bytes = *is_raw ? raw_bytes : zti_take_varint(&c);
    const uint8_t *const at = zti_take_bytes(&c, bytes);
    c.is_bad = c.is_bad || bytes > raw_bytes;
    if (!c.is_bad) {
        c.at = at;
        c.end = at + bytes;
    }
    return c;
}

#endif
