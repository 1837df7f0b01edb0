/* planes.h: between the bit planes of a tile and bits, in plain C: write_plane, read_plane and
 * read_empty_planes of tile/plane.h, for planes in words of 64 bits. An encoder writes whole
 * planes, then cuts the bits to its budget; a decoder counts the bits that are left. */
#ifndef ZTI_ZFP_TILE_PLANES_H
#define ZTI_ZFP_TILE_PLANES_H

#include "bits/bits.h"

ZTI_INLINE uint64_t low_mask(uint32_t n)
{
    return n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
}

#if !defined(ZTI_DEVICE)

ZTI_INLINE void write_run(struct zti_bit_writer *w, uint32_t zeros)
{
    zti_put_bits(w, 1, zeros < 56 ? 1 + zeros : 1);
    if (zeros >= 56)
        zti_put_zeros(w, zeros);
}

ZTI_INLINE void read_known(struct zti_bit_reader *r, uint64_t *plane, uint32_t n, uint32_t c)
{
    for (; n > 64 && c > 64; c -= 64)
        *plane++ = zti_get_bits64(r, 64);
    *plane = zti_get_bits64(r, c);
}

#if !defined(FN)
#define FN ZTI_INLINE
#endif
#define PLANE(x)          x
#define SINK              struct zti_bit_writer
#define PUT_BITS          56
#define WORD              uint64_t
#define WORD_AT(p, j)     (p)[j]
#define PUT               zti_put_bits
#define PUT_WORD(s, v, n) zti_put_bits64(s, (v)&low_mask(n), (n) < 64 ? (n) : 64)
#define PUT_RUN           write_run
#define TAKEN             uint64_t
#define TAKE_KNOWN        read_known
#define SET(p, n, i)      ((p)[(n) <= 64 ? 0 : (i) / 64] |= UINT64_C(1) << (i) % 64)
#include "codec/zfp/tile/plane.h"
#undef FN

#endif

#endif
