/* spec.h: the rules that decide the bytes of a cube's record (described in stream.c), for C and
 * CUDA: sizes, the order of bit planes, folding (zigzag). */
#ifndef ZTI_NDZIP_SPEC_H
#define ZTI_NDZIP_SPEC_H

#include "core/core.h"

enum { ZTI_NDZIP_VALUES = 4096 }; /* values of a cube */

/* The side of a cube, in values, by its rank. */
ZTI_INLINE uint32_t zti_ndzip_side(uint32_t rank)
{
    return rank == 1 ? 4096 : rank == 2 ? 64 : 16;
}

/* The number of groups, so of masks, of a record; and the most words of a record. */
ZTI_INLINE uint32_t zti_ndzip_groups(uint32_t width)
{
    return ZTI_NDZIP_VALUES / width;
}
ZTI_INLINE uint32_t zti_ndzip_most_words(uint32_t width)
{
    return ZTI_NDZIP_VALUES / width + ZTI_NDZIP_VALUES;
}

/* The bit of the residuals that plane i of a group holds; the same bit of the mask tells whether
 * the plane is stored. Within a plane, value j has bit zti_ndzip_plane_bit(W, j). */
ZTI_INLINE uint32_t zti_ndzip_plane_bit(uint32_t width, uint32_t i)
{
    return width - 1 - i;
}

/* The number of bits by which values are rotated left before they are subtracted: a float's sign
 * becomes its lowest bit. */
ZTI_INLINE uint32_t zti_ndzip_rotation(uint32_t type)
{
    return type == ZT_F32 || type == ZT_F64;
}

/* fold_W, for numbers of W bits or vectors of them (type V; S is the signed type): flips all bits
 * but the sign of negative numbers. It is its own inverse. */
#define ZTI_NDZIP_FOLD(W, V, S)                                                                    \
    ZTI_INLINE V fold_##W(V v)                                                                     \
    {                                                                                              \
        return v ^ ((V)((S)v >> (W - 1)) & ((uint##W##_t) - 1 >> 1));                              \
    }

#endif
