/* holes.h: for codecs that can say what costs few bits where nothing is kept. */
#ifndef ZTI_HOLES_H
#define ZTI_HOLES_H

#include "codec/codec.h"

/* Where an array (C-contiguous, and to be written to) has holes and something smooth in them, put
 * there what costs fewer bits. holes has a bit for each value. */
struct zti_holes {
    /* Look at the array for a coding that is configured; false where nothing can be won. */
    bool (*learn)(struct zti_coding *coding, const struct zti_array *array, const uint64_t *holes);
    /* Go through tiles [first, last) of the coding's grid. */
    void (*fit)(const struct zti_coding *coding, const struct zti_array *array,
                const uint64_t *holes, uint64_t first, uint64_t last);
};

static inline const struct zti_holes *zti_holes_of(const struct zti_codec *codec)
{
    return codec->tables ? codec->tables->holes : NULL;
}

#endif
