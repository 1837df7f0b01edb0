/* spec.h: the rules that decide the bytes of a cube's record (stream.c), for C and CUDA: sizes, the
 * order of bit planes, folding. What instances add is how many values at a time, and from where. */
#ifndef ZTI_NDZIP_SPEC_H
#define ZTI_NDZIP_SPEC_H

#include "core/core.h"

enum { ZTI_NDZIP_VALUES = 4096 }; /* of a cube */

/* The side of a cube, in values, by its rank. */
ZTI_INLINE uint32_t zti_ndzip_side(uint32_t rank)
{
    return rank == 1 ? 4096 : rank == 2 ? 64 : 16;
}

/* Words of a record's masks, which are as many as groups; and the most words of a record. */
ZTI_INLINE uint32_t zti_ndzip_groups(uint32_t width)
{
    return ZTI_NDZIP_VALUES / width;
}
ZTI_INLINE uint32_t zti_ndzip_most_words(uint32_t width)
{
    return ZTI_NDZIP_VALUES / width + ZTI_NDZIP_VALUES;
}

/* Which bit of the residuals a group's plane i holds; the same bit of the mask says whether the
 * plane is kept. The order is the same within a plane: value j is bit zti_ndzip_plane_bit(W, j). */
ZTI_INLINE uint32_t zti_ndzip_plane_bit(uint32_t width, uint32_t i)
{
    return width - 1 - i;
}

/* The number of bits by which values are turned left before they are subtracted: the sign of a
 * float becomes its lowest bit. */
ZTI_INLINE uint32_t zti_ndzip_rotation(uint32_t type)
{
    return type == ZT_F32 || type == ZT_F64;
}

/* fold_W, of numbers of W bits or vectors of them (V; S, signed): negative ones keep their sign bit
 * and have the others flipped. Its own inverse. */
#define ZTI_NDZIP_FOLD(W, V, S)                                                                    \
    ZTI_INLINE V fold_##W(V v)                                                                     \
    {                                                                                              \
        return v ^ ((V)((S)v >> (W - 1)) & ((uint##W##_t) - 1 >> 1));                              \
    }

#endif
