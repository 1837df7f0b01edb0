/* holes.h: optional table of codecs that choose values for holes, where nothing has to be kept, so
 * that they cost few bits. */
#ifndef ZTI_HOLES_H
#define ZTI_HOLES_H

#include "codec/codec.h"

/* Replace the values in the holes of a C-contiguous array, which are smooth already, by values that
 * cost fewer bits. holes has a bit for each value. */
struct zti_holes {
    /* Prepare for an array under a configured coding; false if nothing can be gained. */
    bool (*learn)(struct zti_coding *coding, const struct zti_array *array, const uint64_t *holes);
    /* Replace values in tiles [first, last) of the coding's grid. */
    void (*fit)(const struct zti_coding *coding, const struct zti_array *array,
                const uint64_t *holes, uint64_t first, uint64_t last);
};

/* Bit i: value i of n, at most 64, from number 'at' of the array on is a hole. */
ZTI_INLINE uint64_t zti_hole_bits(const uint64_t *holes, uint64_t at, uint64_t n)
{
    uint64_t bits = holes[at / 64] >> at % 64;
    if (at % 64 + n > 64)
        bits |= holes[at / 64 + 1] << (64 - at % 64);
    return n < 64 ? bits & ((UINT64_C(1) << n) - 1) : bits;
}

static inline const struct zti_holes *zti_holes_of(const struct zti_codec *codec)
{
    return codec->tables ? codec->tables->holes : NULL;
}

#endif
