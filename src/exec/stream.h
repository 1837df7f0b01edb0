/* stream.h: by-products of running the tiles of a stream: values that miss the bound, where chunks
 * begin; windows that it goes through; and the runs of wanted tiles. */
#ifndef ZTI_EXEC_STREAM_H
#define ZTI_EXEC_STREAM_H

#include "array/scatter.h"
#include "codec/codec.h"

/* A value that the codec would have left beyond verify_bound, to be kept exactly. */
struct zti_miss {
    uint64_t at;   /* C-order position in the coded array */
    uint64_t bits; /* the value */
};

struct zti_misses {
    struct zti_miss *list; /* in ascending order of 'at' */
    uint64_t count;
    uint64_t capacity;
    uint64_t limit; /* with more, the encoder sets exceeds_limit and stops */
    bool exceeds_limit;
};

void zti_misses_free(zt_context *context, struct zti_misses *misses);

/* Where chunks of chunk_tiles tiles begin, in bits from the first tile, noted while a stream is
 * coded or parsed. The list has an entry for each chunk and one for the end. */
struct zti_starts {
    uint64_t *list;
    uint32_t chunk_tiles;
};

/* Who is told how far a pass over the tiles of a slab is (zt_store). */
struct zti_passing {
    void (*passed)(void *user, uint64_t slices); /* NULL: no one */
    void *user;
    const struct zti_array *slab;
};

/* Tell that all tiles before this one were gone past. array: the coded array, whose order of axes
 * may not be the slab's. passing may be NULL. */
void zti_pass(const struct zti_passing *passing, const struct zti_grid *grid,
              const struct zti_array *array, uint64_t tile);

/* A part of a stream that is encoded piece by piece, in memory that each piece uses again. */
struct zti_window {
    uint8_t *bytes;
    size_t capacity_bytes;
    uint64_t used_bits; /* from the first byte on */
};

/* What becomes of the pieces. Both functions are called by the calling thread. */
struct zti_drain {
    /* Take n bytes, which follow those taken before: whole units, but for the end of the stream.
     * Other threads may code meanwhile; afterwards the bytes are overwritten. */
    zt_status (*take)(void *user, const uint8_t *bytes, uint64_t n);
    void *user;
    struct zti_passing passing;
};

enum { ZTI_DRAIN_UNIT_BYTES = 4096 };

/* The default number of tiles of a chunk: the codec's, but 1 if tiles have many values on
 * average. */
uint32_t zti_default_chunk_tiles(const struct zti_coding *coding);

/* An iterator over the tiles that a view or spans meet, as runs of consecutive tiles in ascending
 * order. */
struct zti_runs {
    const struct zti_grid *grid;
    const struct zti_spans *spans; /* of each axis; NULL: one range, lo to hi */
    uint64_t lo[ZT_MAX_RANK];      /* the current range of wanted tiles along each axis */
    uint64_t hi[ZT_MAX_RANK];
    uint64_t at[ZT_MAX_RANK];
    uint32_t axis;       /* runs go along this axis; along faster axes all tiles are wanted */
    uint64_t rest_tiles; /* number of tiles along the faster axes */
    bool is_done;
    uint64_t join_below_tiles;        /* runs with fewer tiles than these between them are joined */
    uint64_t first, last;             /* the rest of the current run */
    uint64_t ahead_first, ahead_last; /* the run after it, if it was found already */
};

#endif
