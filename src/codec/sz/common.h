/* common.h: what the kernel texts of the sz codec share. */
#ifndef ZTI_SZ_COMMON_H
#define ZTI_SZ_COMMON_H

#include "codec/sz/lorenzo/spec.h"

#include <math.h>

/* Values behind those of a tile that are read along with the last of them, and have no influence:
 * of four blocks beside the last one. */
enum { ZTI_SZ_BEHIND = 4 * ZTI_SZ_GROUP };

/* A tile's place and size; the last axis is fastest. */
struct tile {
    uint32_t rank;
    uint32_t n;     /* values */
    uint32_t block; /* differences begin anew at multiples of it; 0: only where the tile begins */
    uint32_t extent[ZT_MAX_RANK];
    uint64_t origin[ZT_MAX_RANK];
};

/* A walk over the rows of a tile in an array. */
struct rows {
    const char *at;
    uint32_t bytes;   /* of a row, where its values are side by side; else 0 */
    uint32_t asked;   /* bytes of this row that memory was asked for */
    uint32_t axes;    /* that it goes along */
    bool is_streamed; /* what is written goes past the caches, where it is whole lines */
    uint32_t place[ZT_MAX_RANK];
    uint32_t extent[ZT_MAX_RANK];
    int64_t step[ZT_MAX_RANK]; /* bytes */
};

static inline struct rows rows_of(const struct tile *tile, const struct zti_array *array)
{
    const int64_t value_bytes = (int64_t)zt_type_bytes(array->type);
    const uint32_t last = tile->rank - 1;
    struct rows r = {.at = zti_array_at(array, tile->origin), .axes = last};
    r.bytes = array->stride[last] == 1 ? tile->extent[last] * (uint32_t)value_bytes : 0;
    for (uint32_t i = 0; i < last; i++) {
        r.extent[i] = tile->extent[i];
        r.step[i] = array->stride[i] * value_bytes;
    }
    return r;
}

/* The same, with rows that follow each other without a gap as one. */
static inline struct rows joined(struct rows r)
{
    for (; r.axes > 0 && r.bytes > 0 && r.step[r.axes - 1] == r.bytes; r.axes--)
        r.bytes *= r.extent[r.axes - 1];
    return r;
}

/* The rows of a tile that are side by side in memory. */
static inline struct rows side_by_side(const struct tile *tile, const void *at, size_t value_bytes)
{
    const uint32_t bytes = tile->extent[tile->rank - 1] * (uint32_t)value_bytes;
    return (struct rows){
        .at = at, .bytes = bytes, .axes = 1, .extent = {UINT32_MAX}, .step = {bytes}};
}

/* After the last row it is at the first again. */
static inline void next_row(struct rows *r)
{
    for (uint32_t i = r->axes; i-- > 0;) {
        r->at += r->step[i];
        if (++r->place[i] < r->extent[i])
            return;
        r->at -= (int64_t)r->extent[i] * r->step[i];
        r->place[i] = 0;
    }
}

/* Ask for so many bytes of memory; a longer row a part at a time. */
static inline void fetch_some(struct rows *r, uint32_t bytes)
{
    for (uint32_t left = bytes; r->bytes > 0 && left > 0;) {
        const uint32_t rest = r->bytes - r->asked, some = rest < left ? rest : left;
        for (uint32_t i = 0; i < some; i += 64)
            zti_prefetch(r->at + r->asked + i);
        if ((uintptr_t)r->at % 64 != 0) /* the line that it ends in */
            zti_prefetch(r->at + r->asked + some - 1);
        left -= some;
        r->asked += some;
        if (r->asked == r->bytes) {
            r->asked = 0;
            next_row(r);
        }
    }
}

/* The blocks of values that a tile's groups can be (group_side_bits), one after another as tiles
 * are in an array. */
struct blocks {
    uint32_t count; /* 0: the tile is not made of whole blocks, or extends along one axis only */
    uint32_t row;   /* values of a block that are side by side */
    uint32_t rows;
    uint32_t row_at[64];         /* from the block's first value */
    uint32_t tiles[ZT_MAX_RANK]; /* blocks along each axis */
    uint32_t step[ZT_MAX_RANK];  /* between blocks, in values */
};

static inline struct blocks blocks_of(const struct tile *tile)
{
    struct blocks b = {.row = 1, .rows = 1, .row_at = {0}};
    uint32_t side[ZT_MAX_RANK], axes = 0, after, step = 1;
    for (uint32_t i = 0; i < tile->rank; i++)
        axes += tile->extent[i] > 1;
    b.count = axes < 2 ? 0 : tile->n / ZTI_SZ_GROUP;
    after = axes;
    for (uint32_t i = 0; i < tile->rank && b.count > 0; i++) {
        side[i] = tile->extent[i] > 1 ? 1u << group_side_bits(axes, --after) : 1;
        b.count = tile->extent[i] % side[i] == 0 ? b.count : 0;
    }
    if (b.count == 0)
        return b;
    for (uint32_t i = tile->rank; i-- > 0; step *= tile->extent[i]) {
        b.tiles[i] = tile->extent[i] / side[i];
        b.step[i] = step * side[i];
        if (i + 1 == tile->rank) {
            b.row = side[i];
            continue;
        }
        for (uint32_t more = 1; more < side[i]; more++)
            for (uint32_t row = 0; row < b.rows; row++)
                b.row_at[more * b.rows + row] = b.row_at[row] + more * step;
        b.rows *= side[i];
    }
    return b;
}

/* Those that a tile's groups are, if they are blocks. */
static inline struct blocks group_blocks(const struct zti_coding *coding, const struct tile *tile)
{
    return sz_of(coding)->is_blocked ? blocks_of(tile) : (struct blocks){.count = 0};
}

/* Whether a tile has rows shorter than so many values, in runs and without differences along them:
 * its last two axes can be taken for one. */
static inline bool has_joined_axes(const struct zti_coding *coding, const struct tile *tile,
                                   uint32_t most)
{
    const uint32_t last = tile->rank - 1;
    return last > 0 && tile->block == 0 && tile->extent[last] < most &&
           (!(sz_of(coding)->axes >> last & 1) || tile->extent[last] == 1) &&
           group_blocks(coding, tile).count == 0;
}

/* That tile, along whose last axis differences are of values that are *columns apart. Else the tile
 * itself. */
static inline struct tile joined_tile(const struct zti_coding *coding, const struct tile *tile,
                                      uint32_t most, uint32_t *columns)
{
    struct tile joined = *tile;
    *columns = 1;
    if (!has_joined_axes(coding, tile, most))
        return joined;
    *columns = tile->extent[--joined.rank];
    joined.extent[joined.rank - 1] *= *columns;
    return joined;
}

/* Which values of a tile are kept as they are. */
struct exact {
    uint32_t count;
    uint64_t bits[ZTI_SZ_GROUPS];
    const void *values; /* all of the tile's */
    bool has_zeros;     /* logarithms: these have no integer of their own either */
    uint64_t zero[ZTI_SZ_GROUPS], negative[ZTI_SZ_GROUPS]; /* logarithms only */
    uint64_t gaps[ZTI_SZ_GROUPS];
};

static inline void begin_exact(struct exact *exact)
{
    exact->count = 0;
    memset(exact->bits, 0, sizeof exact->bits);
}

static inline void note_exact(struct exact *exact, uint32_t i)
{
    exact->bits[i / 64] |= UINT64_C(1) << i % 64;
    exact->count++;
}

/* Which values have no integer of their own; NULL where all have one. */
static inline const uint64_t *gaps_of(struct exact *exact)
{
    if (!exact->has_zeros)
        return exact->count ? exact->bits : NULL;
    for (uint32_t i = 0; i < ZTI_SZ_GROUPS; i++)
        exact->gaps[i] = exact->zero[i] | (exact->count ? exact->bits[i] : 0);
    return exact->gaps;
}

/* A tile's values in bytes, without as many low bits as those of their group need. */
struct smalls {
    uint8_t v[ZTI_SZ_TILE_VALUES];
    uint8_t down[ZTI_SZ_GROUPS];
};

/* The symbols of a tile, by book, and the groups of which a value is more than a symbol says. */
struct symbols {
    uint16_t of[ZTI_SZ_BOOKS][ZTI_SZ_TILE_VALUES];
    uint32_t count[ZTI_SZ_BOOKS];
    uint64_t excess;
};

/* A tile of effort 'default' while it is decoded. */
struct coded {
    uint32_t count[ZTI_SZ_BOOKS]; /* symbols of each book */
    uint32_t first[ZTI_SZ_BOOKS]; /* where they are */
    uint8_t classes[ZTI_SZ_GROUPS];
    struct zti_bit_reader planes;
    /* classes, two values or more in each of the others, and as many as are looked at beyond */
    uint16_t symbols[ZTI_SZ_GROUPS + ZTI_SZ_TILE_VALUES / 2 + ZTI_SZ_GROUP];
};

#endif
