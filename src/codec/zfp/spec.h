/* spec.h: the rules that decide the bits of a zfp tile, the same for all coders: the header, the
 * number of planes, the budget of bits, and when the bound is proved. They are scalar functions,
 * for C and kernels: parameters and a tile's largest value or first bits come in, and a header goes
 * out.
 *
 * tile/arithmetic.h has the rules of values (block floating point, lifts, negabinary),
 * tile/planes.h those of a bit plane. The stream is described at the top of stream.c.
 *
 * 'width' is 32 or 64, the bits of a value; it, rank, is_float and is_exact (the reversible
 * algorithm) are constants where these functions are called. */
#ifndef ZTI_ZFP_SPEC_H
#define ZTI_ZFP_SPEC_H

#include "core/core.h"

/* zfp's limits, as in its documentation ("Limits"). MAX_BITS is the largest tile there is: 4-D
 * double, reversible, 64 planes of 256 values with their group tests, and 19 bits of header. */
enum {
    ZTI_ZFP_MIN_BITS = 1,
    ZTI_ZFP_MAX_BITS = 16658,
    ZTI_ZFP_MAX_PREC = 64,
    ZTI_ZFP_MIN_EXP = -1074,
    ZTI_ZFP_HEADER_MAX_BITS = 148 /* of the file header (params.c) */
};

/* The parameters of a zfp stream. They lie in a coding's bytes. */
struct ZTI_MAY_ALIAS zti_zfp {
    uint32_t minbits;
    uint32_t maxbits;
    uint32_t maxprec;
    int32_t minexp;
    uint32_t word_bits;
    int32_t shift;  /* integers are coded as value * 2^shift; 0 unless the bound is absolute */
    bool as_libzfp; /* reproduce what libzfp does with NaN and infinities */
};

ZTI_INLINE bool zti_zfp_is_reversible(const struct zti_zfp *z)
{
    return z->minexp < ZTI_ZFP_MIN_EXP;
}

/* ---- floating-point types ---- */

ZTI_INLINE uint32_t zti_zfp_exponent_bits(uint32_t width)
{
    return width == 32 ? 8 : 11;
}

ZTI_INLINE int32_t zti_zfp_bias(uint32_t width)
{
    return width == 32 ? 127 : 1023;
}

ZTI_INLINE uint32_t zti_zfp_mantissa_bits(uint32_t width)
{
    return width == 32 ? 23 : 52;
}

/* Exponent of a tile whose largest |x| has these bits and is finite: |x| < 2^emax, and emax is at
 * least 1 - bias; -bias if all values are zero. */
ZTI_INLINE int32_t zti_zfp_emax(uint64_t most, uint32_t width)
{
    const int32_t bias = zti_zfp_bias(width);
    return most == 0 ? -bias : (int32_t)(most >> zti_zfp_mantissa_bits(width)) - (bias - 1);
}

/* ---- planes, and when the bound is proved ---- */

/* The number of planes of a lossy tile, before maxprec limits it: those down to minexp, and 2 (rank
 * + 1) more because the inverse transform makes errors grow. */
ZTI_INLINE int64_t zti_zfp_planes_above(const struct zti_zfp *z, int32_t emax, uint32_t rank)
{
    return (int64_t)emax - z->minexp + 2 * (int64_t)rank + 2;
}

/* Whether the decoded integers of a tile of 'planes' planes may wrap around and so break an
 * absolute bound: the tolerance 2^(kmin + 2 rank) is then half of the integers' range. */
ZTI_INLINE bool zti_zfp_may_wrap(int64_t planes, uint32_t rank)
{
    return planes == 2 * (int64_t)rank + 1;
}

/* The least kmin below with which a bound is proved: of integers and floats, and of doubles. */
enum { ZTI_ZFP_LEAST_KMIN = 5, ZTI_ZFP_LEAST_KMIN_F64 = 8 };

/* Whether every tile of finite values with this many planes and this exponent is decoded within
 * 2^minexp.
 *
 * In units of 2^(emax - (width - 2)), with kmin = width - planes the least plane coded, the
 * tolerance is 2^(kmin + 2 rank). Dropping the planes below kmin changes a negabinary coefficient
 * by at most 2/3 2^kmin, and the inverse transform, whose rows' absolute sums are at most 15/4 an
 * axis, makes at most 2/3 (15/16)^rank of the tolerance of it: 0.63, 0.59, 0.55, 0.52 for rank 1
 * to 4. The rest must hold the truncation to integers (1 unit, times (15/16)^rank * 4^rank), the
 * shifts of the lifting steps (at most (2 rank + 1.5) 3.75^rank units) and the rounding of the
 * result to the type (2^5 units for float, 2^8 for double): kmin >= 5 and kmin >= 8 suffice for
 * every rank. The result must not be rounded to a subnormal either, nor overflow.
 *
 * All this is modulo 2^width. Values are below 2^(width - 2) units, so decoded integers are in
 * range while the tolerance is at most that; a tolerance of 2^width covers all integers, as long as
 * the decoded values are finite. A tolerance between the two is not proved (zti_zfp_may_wrap). */
ZTI_INLINE bool zti_zfp_proves(int64_t planes, int32_t emax, uint32_t rank, uint32_t width)
{
    const int32_t bias = zti_zfp_bias(width);
    const int32_t least_kmin = width == 32 ? ZTI_ZFP_LEAST_KMIN : ZTI_ZFP_LEAST_KMIN_F64;
    return planes <= 0 ||
           (planes <= (int32_t)width - least_kmin && !zti_zfp_may_wrap(planes, rank) &&
            emax > (int32_t)width + 2 - bias && emax < bias);
}

/* As zti_zfp_proves, for integers under an absolute bound, which are not rounded to a type. */
ZTI_INLINE bool zti_zfp_proves_integers(const struct zti_zfp *z, uint32_t rank, uint32_t width)
{
    return z->shift >= 0 && z->maxprec + ZTI_ZFP_LEAST_KMIN <= width &&
           !zti_zfp_may_wrap(z->maxprec, rank);
}

/* Whether a tile of finite values is decoded within 2^minexp, or exactly. */
ZTI_INLINE bool zti_zfp_proves_tile(const struct zti_zfp *z, int32_t emax, uint32_t width,
                                    uint32_t rank, bool is_float, bool is_exact)
{
    return !is_float  ? zti_zfp_proves_integers(z, rank, width)
           : is_exact ? true
                      : zti_zfp_proves(zti_zfp_planes_above(z, emax, rank), emax, rank, width);
}

/* ---- headers of tiles; stream.c describes their bits ---- */

struct zti_zfp_tile_header {
    uint64_t bits;   /* the header's bits */
    uint32_t length; /* number of them */
    uint32_t planes; /* number of planes that follow, at most 'width' */
    uint32_t budget; /* most bits of these */
    uint32_t least;  /* least bits of these; zeros follow */
};

/* A tile's header as a decoder reads it. */
struct zti_zfp_found_header {
    struct zti_zfp_tile_header header;
    int32_t emax;
    bool is_empty;            /* no planes follow: all values come back as +0 */
    bool is_zero_with_planes; /* planes follow, and all values come back as +0 */
    bool is_raw;              /* the integers are the values' bits */
};

/* Bits of the header's field that has the number of planes of a reversible tile. */
ZTI_INLINE uint32_t zti_zfp_planes_field(uint32_t width)
{
    return width == 32 ? 5 : 6;
}

/* Bits of the longest header. */
ZTI_INLINE uint32_t zti_zfp_header_most(uint32_t width, bool is_float, bool is_exact)
{
    const uint32_t exponent = is_float ? (is_exact ? 2 : 1) + zti_zfp_exponent_bits(width) : 0;
    return exponent + (is_exact ? zti_zfp_planes_field(width) : 0);
}

ZTI_INLINE uint32_t zti_zfp_planes_most(const struct zti_zfp *z, uint32_t width)
{
    return z->maxprec < width ? z->maxprec : width;
}

ZTI_INLINE uint32_t zti_zfp_lossy_planes(const struct zti_zfp *z, int64_t above, uint32_t width)
{
    const uint32_t most = zti_zfp_planes_most(z, width);
    return above <= 0 ? 0 : above < most ? (uint32_t)above : most;
}

/* A header, with the least and most bits that the limits leave to the planes. */
ZTI_INLINE struct zti_zfp_tile_header zti_zfp_limited(const struct zti_zfp *z, uint64_t bits,
                                                      uint32_t length, uint32_t planes)
{
    const struct zti_zfp_tile_header h = {bits, length, planes, z->maxbits - length,
                                          z->minbits > length ? z->minbits - length : 0};
    return h;
}

/* Header of a tile to encode; 0 planes if all values are coded as +0. emax: floats only. is_raw:
 * reversible floats only. zti_zfp_add_planes completes a reversible header. */
ZTI_INLINE struct zti_zfp_tile_header zti_zfp_tile_header_of(const struct zti_zfp *z, int32_t emax,
                                                             bool is_raw, uint32_t width,
                                                             uint32_t rank, bool is_float,
                                                             bool is_exact)
{
    const uint64_t e = (uint64_t)(int64_t)(emax + zti_zfp_bias(width));
    const uint32_t most = zti_zfp_planes_most(z, width), field = zti_zfp_exponent_bits(width);
    const uint32_t lossy = zti_zfp_lossy_planes(z, zti_zfp_planes_above(z, emax, rank), width);
    if (!is_float)
        return zti_zfp_limited(z, 0, 0, most);
    if (is_exact && is_raw)
        return zti_zfp_limited(z, 3, 2, most);
    if (e == 0 || (!is_exact && lossy == 0)) {
        struct zti_zfp_tile_header h = zti_zfp_limited(z, 0, 1, 0);
        h.least = is_exact ? 0 : h.least; /* libzfp pads no reversible tile that is empty */
        return h;
    }
    return is_exact ? zti_zfp_limited(z, 1 + 4 * e, 2 + field, most)
                    : zti_zfp_limited(z, 1 + 2 * e, 1 + field, lossy);
}

/* Complete a reversible tile's header; any: the bitwise OR of its coefficients. */
ZTI_INLINE void zti_zfp_add_planes(struct zti_zfp_tile_header *h, const struct zti_zfp *z,
                                   uint64_t any, uint32_t width)
{
    const uint32_t planes = any ? width - zti_ctz64(any) : 1;
    const uint32_t some = planes < h->planes ? planes : h->planes;
    *h = zti_zfp_limited(z, h->bits | (uint64_t)(some - 1) << h->length,
                         h->length + zti_zfp_planes_field(width), some);
}

/* Whether the header is the one bit 0 of an empty tile. */
ZTI_INLINE bool zti_zfp_is_empty_at(uint32_t window, bool is_float)
{
    return is_float && !(window & 1);
}

/* Read a tile's header from its first bits, 'window', which has at least 19 of them. */
ZTI_INLINE struct zti_zfp_found_header zti_zfp_read_tile_header(const struct zti_zfp *z,
                                                                uint32_t window, uint32_t width,
                                                                uint32_t rank, bool is_float,
                                                                bool is_exact)
{
    const uint32_t field = zti_zfp_exponent_bits(width), planes_field = zti_zfp_planes_field(width);
    uint32_t length = 0, planes = zti_zfp_planes_most(z, width);
    int32_t emax = 0;
    if (zti_zfp_is_empty_at(window, is_float)) {
        /* libzfp's decoder skips minbits here although its encoder does not write them if the tile
         * is reversible; zti_zfp_check_decodable refuses such parameters */
        const struct zti_zfp_found_header empty = {zti_zfp_limited(z, 0, 1, 0), 0, true, false,
                                                   false};
        return empty;
    }
    const bool is_raw = is_float && is_exact && (window & 2);
    if (is_float) {
        length = is_exact ? 2 : 1;
        if (!is_raw) {
            emax = (int32_t)(window >> length & ((1u << field) - 1)) - zti_zfp_bias(width);
            length += field;
        }
    }
    if (is_exact) {
        planes = (window >> length & ((1u << planes_field) - 1)) + 1;
        length += planes_field;
    } else if (is_float) {
        planes = zti_zfp_lossy_planes(z, zti_zfp_planes_above(z, emax, rank), width);
    }
    const bool is_zero_with_planes =
        is_exact && is_float && !is_raw && emax == -zti_zfp_bias(width);
    const struct zti_zfp_found_header found = {zti_zfp_limited(z, 0, length, planes), emax, false,
                                               is_zero_with_planes, is_raw};
    return found;
}

#endif
