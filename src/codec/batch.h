/* batch.h: for codecs that would rather decode several runs of tiles side by side, where it is
 * known where each begins. */
#ifndef ZTI_BATCH_H
#define ZTI_BATCH_H

#include "codec/codec.h"

enum { ZTI_RUNS_MOST = 32 };

struct zti_batch {
    /* How many runs that follow each other; 0: none. */
    uint32_t (*runs)(const struct zti_coding *coding);
    /* Run i of run_tiles tiles, the first of which is tile first + i * run_tiles, begins at bit
     * at[i] of base, and ends where at[i] is afterwards. What is readable: as for zti_codec's
     * decode, for each run. */
    void (*decode)(const struct zti_coding *coding, const uint8_t *base, uint64_t *at,
                   uint32_t runs, uint64_t first, uint32_t run_tiles, const struct zti_view *view);
};

static inline const struct zti_batch *zti_batch_of(const struct zti_codec *codec)
{
    return codec->tables ? codec->tables->batch : NULL;
}

#endif
