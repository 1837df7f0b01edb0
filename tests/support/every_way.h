/* every_way.h: one zfp stream through every execution policy, every index layout and by boxes: the
 * bytes are those of one thread, and so is the array. Needs the library. */
#ifndef ZTILE_TEST_EVERY_WAY_H
#define ZTILE_TEST_EVERY_WAY_H

#include "support/support.h"
#include "ztile_zfp.h"

enum { EVERY_WAY_WHY_BYTES = 512 };

/* What was done, to show that a run had some of everything. */
struct every_way_tally {
    uint64_t streams;
    uint64_t encodings, decodings, boxes; /* beyond the first of each stream */
    uint64_t layouts[6];                  /* by zt_index_kind: of indexes that were used */
    uint64_t without_index;               /* streams at fixed rate */
    uint64_t odd; /* streams that only ZT_ZFP_AS_LIBZFP writes: libzfp's decoder does not find tiles
                     where its encoder put them */
};

/* Code an array serially and with 1, 2, 3, 7 and 16 threads: one stream, one index. Then what
 * every_way_of_stream does. False, with 'why' of EVERY_WAY_WHY_BYTES, where anything differs. seed
 * chooses grains, chunks, partitions and boxes. */
bool every_way_of_array(const zt_array *array, const zt_zfp *zfp, uint64_t seed,
                        struct every_way_tally *tally, char *why);

/* Decode a stream serially and with 1, 2, 3, 7 and 16 threads, without an index, with one of every
 * layout and by boxes: one array. 'like' gives type, rank and shape. */
bool every_way_of_stream(const void *stream, size_t stream_bytes, const zt_zfp *zfp,
                         const zt_array *like, uint64_t seed, struct every_way_tally *tally,
                         char *why);

void every_way_print(const struct every_way_tally *tally);

#endif
