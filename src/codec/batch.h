/* batch.h: optional table of codecs that decode several runs of tiles at a time faster than one, if
 * the start of each is known. */
#ifndef ZTI_BATCH_H
#define ZTI_BATCH_H

#include "codec/codec.h"

enum { ZTI_RUNS_MOST = 32 };

struct zti_batch {
    /* The most consecutive runs at a time; 0: none. */
    uint32_t (*runs)(const struct zti_coding *coding);
    /* Decode runs of run_tiles tiles. Run i starts with tile first + i * run_tiles, at bit at[i] of
     * base; at[i] is then set to its end. Each run must be readable as zti_codec's decode needs. */
    void (*decode)(const struct zti_coding *coding, const uint8_t *base, uint64_t *at,
                   uint32_t runs, uint64_t first, uint32_t run_tiles, const struct zti_view *view);
};

static inline const struct zti_batch *zti_batch_of(const struct zti_codec *codec)
{
    return codec->tables ? codec->tables->batch : NULL;
}

#endif
