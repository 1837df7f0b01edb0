/* stream.h: what is noted while the tiles of a stream run: values beyond the bound, where chunks
 * begin, which tiles are wanted. */
#ifndef ZTI_EXEC_STREAM_H
#define ZTI_EXEC_STREAM_H

#include "array/scatter.h"
#include "codec/codec.h"

/* Values that the codec would have left beyond verify_bound, to be kept exactly. */
struct zti_miss {
    uint64_t at;   /* C-order number of the element in the stream's array */
    uint64_t bits; /* the element itself */
};

struct zti_misses {
    struct zti_miss *list; /* in ascending order of 'at' */
    uint64_t count;
    uint64_t capacity;
    uint64_t limit; /* the encoder gives up, with is_over set, when there would be more */
    bool is_over;
};

void zti_misses_free(zt_context *context, struct zti_misses *misses);

/* Where chunks of chunk_tiles tiles begin, noted while a stream is coded or gone through: in bits
 * from its first tile. The list has an entry for each chunk and one for the end. */
struct zti_starts {
    uint64_t *list;
    uint32_t chunk_tiles;
};

/* Tiles a chunk where nobody asks for another number: what the codec likes, but one where tiles are
 * as large as chunks of others, on the mean. */
uint32_t zti_usual_chunk_tiles(const struct zti_coding *coding);

/* The tiles that a view meets, or those that spans do, as runs of consecutive ones in ascending
 * order. */
struct zti_runs {
    const struct zti_grid *grid;
    const struct zti_spans *spans; /* of each axis; NULL: one, from lo to hi */
    uint64_t lo[ZT_MAX_RANK]; /* in tiles: what is wanted along each axis, at the present place */
    uint64_t hi[ZT_MAX_RANK];
    uint64_t at[ZT_MAX_RANK];
    uint32_t axis;       /* along which runs go; tiles of faster axes are all wanted */
    uint64_t rest_tiles; /* of the faster axes */
    bool is_done;
    uint64_t gap;         /* tiles between runs, fewer than these, are taken as part of a run */
    uint64_t first, last; /* of the present run: what is not taken */
    uint64_t ahead_first, ahead_last; /* the run after it, if that is known */
};

#endif
