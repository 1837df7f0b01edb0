/* large_tile.h: what the coders of large tiles share (lossless/ and transform/): the parts of a
 * thread's memory, a tile's place in its array, and the bytes that a tile begins with:
 *
 *     u8       ZTI_TILE_RAW: the tile's values follow as they are, in C order; or ZTI_TILE_CODED
 *     varint   bytes of all that follows; coded tiles only */
#ifndef ZTI_SZ_LARGE_TILE_H
#define ZTI_SZ_LARGE_TILE_H

#include "codec/sz/spec.h"
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

enum {
    ZTI_TILE_CODED = 0,
    ZTI_TILE_RAW = 3,
    ZTI_TILE_HEAD_BYTES = 1 + 5, /* of a coded tile, at most: tiles are shorter than 2^35 bytes */
    ZTI_TILE_PRECISIONS = 4      /* that are tried for the weights of a model's table */
};

/* Begin a tile at its place; what follows is written behind. */
static inline uint8_t *begin_raw_tile(uint8_t *to)
{
    *to = ZTI_TILE_RAW;
    return to + 1;
}

static inline uint8_t *begin_coded_tile(uint8_t *to, size_t bytes)
{
    *to = ZTI_TILE_CODED;
    return zti_put_varint(to + 1, bytes);
}

/* Whether a tile that is coded in this number of bytes is shorter than a raw one. */
static inline bool is_shorter_than_raw(size_t bytes, size_t raw_bytes)
{
    return bytes + zti_varint_bytes(bytes) < raw_bytes;
}

/* The bytes of a tile, as a cursor over what is behind its first number; *is_raw: its values. */
static inline struct zti_cursor tile_bytes(const struct zti_bit_reader *r, size_t raw_bytes,
                                           bool *is_raw)
{
    struct zti_cursor c = {.at = r->base + r->at / 8, .end = r->base + r->end / 8};
    const uint8_t kind = zti_get_byte(&c);
    *is_raw = kind == ZTI_TILE_RAW;
    c.is_bad = c.is_bad || (kind != ZTI_TILE_RAW && kind != ZTI_TILE_CODED);
    const uint64_t bytes = *is_raw ? raw_bytes : zti_get_varint(&c);
    const uint8_t *const at = zti_get_bytes(&c, bytes);
    c.is_bad = c.is_bad || bytes > raw_bytes;
    if (!c.is_bad) {
        c.at = at;
        c.end = at + bytes;
    }
    return c;
}

#endif
