/* common.h: the structures that the kernel texts of the sz codec share: a tile, its rows and
 * blocks, its exact values and its symbols. */
#ifndef ZTI_SZ_COMMON_H
#define ZTI_SZ_COMMON_H

#include "codec/sz/lorenzo/sampling.h"

#include <math.h>

/* Values after those of a tile that vector loads read without using them: four blocks. */
enum { ZTI_SZ_BEHIND = 4 * ZTI_SZ_GROUP };

/* A tile's place and size; the last axis is fastest. */
struct tile {
    uint32_t rank;
    uint32_t n;     /* values */
    uint32_t block; /* differences restart at multiples of it; 0: only at the tile's start */
    uint32_t extent[ZT_MAX_RANK];
    uint64_t origin[ZT_MAX_RANK];
};

/* A walk over the rows of a tile in an array. */
struct rows {
    const char *at;
    uint32_t bytes;   /* of a row if its values are contiguous, else 0 */
    uint32_t asked;   /* bytes of this row that were prefetched */
    uint32_t axes;    /* axes that the rows are walked along */
    bool is_streamed; /* whole cache lines are written past the caches */
    uint32_t place[ZT_MAX_RANK];
    uint32_t extent[ZT_MAX_RANK];
    int64_t step[ZT_MAX_RANK]; /* bytes */
    uint32_t some;             /* bytes to prefetch at a time */
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

/* The same walk, with contiguous rows joined to one. */
static inline struct rows joined(struct rows r)
{
    for (; r.axes > 0 && r.bytes > 0 && r.step[r.axes - 1] == r.bytes; r.axes--)
        r.bytes *= r.extent[r.axes - 1];
    return r;
}

/* The rows of a tile that is contiguous in memory. */
static inline struct rows side_by_side(const struct tile *tile, const void *at, size_t value_bytes)
{
    const uint32_t bytes = tile->extent[tile->rank - 1] * (uint32_t)value_bytes;
    return (struct rows){
        .at = at, .bytes = bytes, .axes = 1, .extent = {UINT32_MAX}, .step = {bytes}};
}

/* Go to the next row; after the last one, to the first. */
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

/* Prefetch the next bytes of the rows; to the second cache, as they are more than the first holds.
 */
static inline void fetch_some(struct rows *r)
{
    for (uint32_t left = r->some; r->bytes > 0 && left > 0;) {
        const uint32_t rest = r->bytes - r->asked, some = rest < left ? rest : left;
        for (uint32_t i = 0; i < some; i += 64)
            zti_prefetch_to_l2(r->at + r->asked + i);
        if ((uintptr_t)r->at % 64 != 0) /* the line in which this part ends */
            zti_prefetch_to_l2(r->at + r->asked + some - 1);
        left -= some;
        r->asked += some;
        if (r->asked == r->bytes) {
            r->asked = 0;
            next_row(r);
        }
    }
}

/* Prefetch what a tile of n values would have while its groups are coded. */
static inline void fetch_share(struct rows *ahead, uint32_t n)
{
    for (uint32_t g = 0; g < groups_in(n); g++)
        fetch_some(ahead);
}

/* A tile cut into blocks of ZTI_SZ_GROUP values (group_side_bits), in the order of tiles in an
 * array. */
struct blocks {
    uint32_t count; /* 0: the tile has cut blocks, or extends along one axis only */
    uint32_t row;   /* contiguous values of a block */
    uint32_t rows;
    uint32_t row_at[64];         /* place of each row, from the block's first value */
    uint32_t tiles[ZT_MAX_RANK]; /* blocks along each axis */
    uint32_t step[ZT_MAX_RANK];  /* values between blocks */
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

/* The blocks of a tile, if its groups are blocks. */
static inline struct blocks group_blocks(const struct zti_coding *coding, const struct tile *tile)
{
    return sz_of(coding)->is_blocked ? blocks_of(tile) : (struct blocks){.count = 0};
}

/* Whether a tile's last two axes can be joined: its rows are shorter than 'most', its groups are
 * runs, and no differences are taken along rows. */
static inline bool has_joined_axes(const struct zti_coding *coding, const struct tile *tile,
                                   uint32_t most)
{
    const uint32_t last = tile->rank - 1;
    return last > 0 && tile->block == 0 && tile->extent[last] < most &&
           (!(sz_of(coding)->axes >> last & 1) || tile->extent[last] == 1) &&
           group_blocks(coding, tile).count == 0;
}

/* The tile with its last two axes joined if possible: differences along the last axis are then of
 * values *columns apart. */
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

/* The values of a tile that are stored exactly, one bit each, and, of logarithms, zeros and
 * signs. */
struct exact {
    uint32_t count;
    uint64_t bits[ZTI_SZ_GROUPS];
    const void *values; /* all values of the tile */
    bool has_zeros;     /* logarithms only: zeros, which have no integer either */
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

/* The values that have no integer of their own, one bit each; NULL if all have one. */
static inline const uint64_t *gaps_of(struct exact *exact)
{
    if (!exact->has_zeros)
        return exact->count ? exact->bits : NULL;
    for (uint32_t i = 0; i < ZTI_SZ_GROUPS; i++)
        exact->gaps[i] = exact->zero[i] | (exact->count ? exact->bits[i] : 0);
    return exact->gaps;
}

/* A tile's residuals in bytes: those of group g are shifted right by down[g] bits to fit. Efforts
 * fast and default: also the groups' classes. */
struct smalls {
    uint8_t v[ZTI_SZ_TILE_VALUES];
    uint8_t down[ZTI_SZ_GROUPS];
    uint8_t classes[ZTI_SZ_GROUPS];
};

/* What is known of a tile's symbols but themselves. */
struct about_symbols {
    uint32_t count[ZTI_SZ_BOOKS]; /* of each book */
    uint32_t before;              /* the last group's class */
    uint64_t excess;              /* bit g: group g has values that need more than a symbol */
    uint64_t plane_bits;          /* of all groups */
};

/* The symbols of a tile, by book. */
struct symbols {
    uint16_t of[ZTI_SZ_BOOKS][ZTI_SZ_TILE_VALUES];
    struct about_symbols about;
};

/* What counting the symbols of a tile has found, kept to encode it. */
struct zti_sz_counted {
    bool is_there; /* not if the tile has exact values, or residuals of more than 16 bits */
    bool is_zero;  /* all residuals are 0, and nothing follows */
    uint32_t base;
    struct smalls smalls;
    struct about_symbols about;
    uint16_t symbols[ZTI_SZ_GROUPS + ZTI_SZ_TILE_VALUES / 2]; /* one book after another */
    uint8_t low[ZTI_SZ_TILE_VALUES]; /* the low bytes of groups that do not fit in bytes */
};

/* A tile of effort 'default' while it is decoded. */
struct coded {
    uint32_t count[ZTI_SZ_BOOKS]; /* symbols of each book */
    uint32_t first[ZTI_SZ_BOOKS]; /* where they begin */
    uint8_t classes[ZTI_SZ_GROUPS];
    struct zti_bit_reader planes;
    /* classes; then symbols of at least two values each; then those that are read but not used */
    uint16_t symbols[ZTI_SZ_GROUPS + ZTI_SZ_TILE_VALUES / 2 + ZTI_SZ_GROUP];
};

#endif
