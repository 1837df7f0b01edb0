/* large_tile.h: what the coders of large tiles share (lossless/ and transform/): the parts of a
 * thread's memory, a tile's place in its array, and the bytes that a tile begins with:
 *
 *     u8       ZTI_TILE_RAW: the tile's values follow as they are, in C order; or ZTI_TILE_CODED
 *     varint   bytes of all that follows; coded tiles only */
#ifndef ZTI_SZ_LARGE_TILE_H
#define ZTI_SZ_LARGE_TILE_H

#include "codec/sz/spec.h"
#include "quality/quality.h"

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

/* Values of a box in C order, row by row. */
struct pieces {
    const struct place *box;
    uint32_t rank;
    size_t next, end;         /* numbers of values */
    uint64_t at[ZT_MAX_RANK]; /* where the piece begins */
    uint32_t n;               /* its values */
};

static inline size_t box_values(const struct place *box, uint32_t rank)
{
    size_t values = 1;
    for (uint32_t i = 0; i < rank; i++)
        values *= box->extent[i];
    return values;
}

static inline struct pieces pieces_of(const struct place *box, uint32_t rank, size_t first,
                                      size_t end)
{
    return (struct pieces){.box = box, .rank = rank, .next = first, .end = end};
}

/* The next piece of a row; false past the last one. */
static inline bool next_piece(struct pieces *p)
{
    size_t v = p->next;
    if (p->next == p->end)
        return false;
    for (uint32_t i = p->rank; i-- > 0; v /= p->box->extent[i])
        p->at[i] = p->box->origin[i] + v % p->box->extent[i];
    const uint32_t last = p->rank - 1;
    const size_t left = p->box->extent[last] - (size_t)(p->at[last] - p->box->origin[last]);
    p->n = (uint32_t)(left < p->end - p->next ? left : p->end - p->next);
    p->next += p->n;
    return true;
}

/* What a view has of a tile; false: nothing. */
static inline bool part_in_view(const struct zti_view *view, const struct place *place,
                                struct place *part)
{
    for (uint32_t i = 0; i < view->out.rank; i++) {
        const uint64_t end = place->origin[i] + place->extent[i];
        const uint64_t hi = view->hi[i] < end ? view->hi[i] : end;
        part->origin[i] = view->lo[i] > place->origin[i] ? view->lo[i] : place->origin[i];
        if (part->origin[i] >= hi)
            return false;
        part->extent[i] = (uint32_t)(hi - part->origin[i]);
    }
    return true;
}

enum {
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

/* Write a raw tile; returns its end. */
static inline uint8_t *write_raw_tile(const struct zti_array *array, const struct place *place,
                                      uint8_t *to)
{
    const size_t bytes = zt_type_bytes(array->type);
    struct pieces p = pieces_of(place, array->rank, 0, box_values(place, array->rank));
    to = begin_raw_tile(to);
    while (next_piece(&p)) {
        const void *const from = zti_array_at(array, p.at);
        for (uint32_t i = 0; i < p.n; i++)
            to = zti_put_value(
                to, zti_bits_at(from, (int64_t)i * array->stride[array->rank - 1], bytes), bytes);
    }
    return to;
}

/* What a view has of a raw tile, whose values' bytes are 'raw'. */
static inline void scatter_raw_tile(const struct zti_view *view, const struct place *place,
                                    const uint8_t *raw)
{
    const struct zti_array *const out = &view->out;
    const size_t bytes = zt_type_bytes(out->type);
    const int64_t stride = out->stride[out->rank - 1] * (int64_t)bytes;
    struct place part;
    if (!part_in_view(view, place, &part))
        return;
    struct pieces p = pieces_of(&part, out->rank, 0, box_values(&part, out->rank));
    while (next_piece(&p)) {
        size_t first = 0;
        uint64_t to[ZT_MAX_RANK] = {0};
        for (uint32_t i = 0; i < out->rank; i++) {
            first = first * place->extent[i] + (size_t)(p.at[i] - place->origin[i]);
            to[i] = p.at[i] - view->lo[i];
        }
        uint8_t *const at = zti_array_at(out, to);
        for (uint32_t i = 0; i < p.n; i++)
            zti_set_bits_at(at + (int64_t)i * stride,
                            zti_get_value(raw + (first + i) * bytes, bytes), bytes);
    }
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
    return sz_tile_bytes(&c, raw_bytes, is_raw);
}

#endif
