/* stored.h: the step that keeps a bound, and the codec's part of a frame header, as functions for
 * the CPU and for kernels. stream.c describes the bytes. */
#ifndef ZTI_SZ_STORED_H
#define ZTI_SZ_STORED_H

#include "codec/sz/sz.h"
#include "core/wire.h"

#include <math.h>

/* ---- the step of a lattice ------------------------------------------------------------------- */

/* The bits of |x| / step + 1, rounded up. */
ZTI_STATIC int zti_sz_quotient_bits(double most, double step)
{
    int bits;
    const double n = most / step + 1;
    if (!(n <= 0x1.fffffffffffffp1023))
        return 4096;
    (void)frexp(n, &bits);
    return bits;
}

/* v rounded down to 'bits' significant bits. */
ZTI_STATIC double zti_sz_round_down(double v, int bits)
{
    int exponent;
    const double mantissa = frexp(v, &exponent);
    return ldexp(floor(ldexp(mantissa, bits)), exponent - bits);
}

/* The step for values up to 'most' in magnitude (NaN: not known): the largest one that keeps the
 * bound and whose multiples are numbers of the type.
 *
 * If the step has b significant bits and a multiple's number n, the multiple has b + n bits, or n
 * if b is 1: a step may also be the last place of the largest values. If the type has too few bits
 * for the largest value, the step keeps 12 bits (it is then smaller by at most 2^-12), and the
 * encoder checks which multiples are rounded beyond the bound. */
ZTI_STATIC double zti_sz_step(uint32_t type, double bound, double most)
{
    const int step_bits = 24, few_bits = 12, precision = type == ZT_F32 ? 24 : 53;
    const double twice = 2 * fmin(bound, 0x1p1000), known = most == most ? most : 0;
    int bits = precision + 1 - zti_sz_quotient_bits(known, twice);
    bits = bits > step_bits ? step_bits : bits;
    while (bits > 0 &&
           zti_sz_quotient_bits(known, zti_sz_round_down(twice, bits)) + (bits > 1 ? bits : 0) >
               precision)
        bits--;
    return zti_sz_round_down(twice, bits > 0 ? bits : few_bits);
}

/* ---- the parameters in a header -------------------------------------------------------------- */

ZTI_STATIC uint64_t zti_sz_folded(int64_t v)
{
    return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

/* Write the parameters of keys, or nothing for bits. */
ZTI_STATIC uint8_t *zti_sz_write_key_params(const struct zti_sz *sz, uint8_t *at)
{
    if (sz->source == ZTI_SZ_DECIMALS || sz->source == ZTI_SZ_DIGITS)
        *at++ = sz->digits;
    if (sz->source == ZTI_SZ_DIGITS) {
        *at++ = (uint8_t)sz->lowest;
        *at++ = (uint8_t)(sz->lowest >> 8);
    }
    if (sz->source == ZTI_SZ_SHORT)
        *at++ = sz->zeros;
    return at;
}

/* Write the step: mantissa and exponent. */
ZTI_STATIC uint8_t *zti_sz_write_step(double step, uint8_t *at)
{
    int exponent;
    const uint32_t mantissa = (uint32_t)ldexp(frexp(step, &exponent), 24);
    *at++ = (uint8_t)mantissa;
    *at++ = (uint8_t)(mantissa >> 8);
    *at++ = (uint8_t)(mantissa >> 16);
    *at++ = (uint8_t)exponent;
    *at++ = (uint8_t)(exponent >> 8);
    return at;
}

/* Write the codec's part of a header; returns its bytes. */
ZTI_STATIC uint32_t zti_sz_store(const struct zti_sz *sz, uint8_t *out)
{
    uint8_t *at = out;
    *at++ = (uint8_t)(sz->coder | sz->source << 4);
    *at++ = (uint8_t)(sz->axes | sz->is_blocked << 4);
    if (sz->source == ZTI_SZ_LATTICE)
        at = zti_sz_write_step(sz->step, at);
    else if (sz->source == ZTI_SZ_STEPS)
        at = zti_put_varint(at, sz->whole_step);
    else if (sz->source == ZTI_SZ_LOG)
        at = zti_put_varint(at, sz->fineness);
    else
        at = zti_sz_write_key_params(sz, at);
    at = zti_put_varint(at, zti_sz_folded(sz->centre));
    if (sz->coder == ZTI_SZ_CUSZ)
        at = zti_put_varint(at, sz->bins);
    if (sz->coder == ZTI_SZ_HIGH) {
        at = zti_put_varint(at, sz->reach);
        *at++ = (uint8_t)sz->tuning;
    }
    if (sz->coder == ZTI_SZ_LOSSLESS_HIGH || sz->coder == ZTI_SZ_TRANSFORM)
        *at++ = (uint8_t)sz->tuning;
    else if (sz->coder != ZTI_SZ_FAST)
        at = zti_put_varint(at, (sz->head_bits + 7) / 8);
    return (uint32_t)(at - out);
}

/* Read the parameters of keys; false if they make no sense. */
ZTI_STATIC bool zti_sz_read_key_params(struct zti_cursor *c, uint32_t type, struct zti_sz *sz)
{
    const bool is_short = sz->source == ZTI_SZ_SHORT;
    const uint32_t value_bits = type == ZT_F32 || type == ZT_I32 ? 32 : 64;
    if (sz->source == ZTI_SZ_BITS)
        return true;
    sz->digits = is_short ? 0 : zti_get_byte(c);
    sz->zeros = is_short ? zti_get_byte(c) : 0;
    if (sz->source == ZTI_SZ_DIGITS) {
        const uint32_t low = zti_get_byte(c);
        sz->lowest = (int16_t)(low | (uint32_t)zti_get_byte(c) << 8);
    }
    return sz->source < ZTI_SZ_SOURCES &&
           (sz->coder == ZTI_SZ_DEFAULT || sz->coder == ZTI_SZ_FAST) && sz->digits <= 15 &&
           (sz->digits > 0 || sz->source != ZTI_SZ_DIGITS) && sz->lowest >= -1024 &&
           sz->lowest < 1024 && (is_short ? sz->zeros > 0 && sz->zeros < value_bits - 1 : true);
}

/* Read the step of a lattice from five bytes; 0 if they are not valid. */
ZTI_STATIC double zti_sz_read_step(struct zti_cursor *c)
{
    const uint8_t *const b = zti_get_bytes(c, 5);
    if (!b)
        return 0;
    const uint32_t mantissa = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16;
    const int32_t exponent = (int16_t)(b[3] | b[4] << 8);
    const bool is_good = mantissa >> 23 == 1 && exponent > -1074 && exponent < 1024;
    return is_good ? ldexp((double)mantissa, exponent - 24) : 0;
}

/* Read what all coders have: from the effort to the centre; false if it makes no sense. *folded:
 * the centre. */
ZTI_STATIC bool zti_sz_read(struct zti_cursor *c, uint32_t type, uint32_t rank, struct zti_sz *sz,
                            uint64_t *folded)
{
    const bool is_float = type == ZT_F32 || type == ZT_F64;
    const uint32_t first = zti_get_byte(c), second = zti_get_byte(c);
    sz->coder = first & 15;
    sz->source = first >> 4;
    sz->axes = second & 15;
    sz->is_blocked = second >> 4;
    bool is_good =
        sz->axes < 1u << rank && sz->is_blocked <= 1 && (sz->source == ZTI_SZ_STEPS) != is_float;
    if (sz->source == ZTI_SZ_LATTICE) {
        sz->step = zti_sz_read_step(c);
        is_good = is_good && sz->step > 0;
    } else if (sz->source == ZTI_SZ_STEPS) {
        sz->whole_step = zti_get_varint(c);
        is_good = is_good && sz->whole_step % 2 == 1 && sz->whole_step <= (UINT64_C(1) << 62) + 1;
    } else if (sz->source == ZTI_SZ_LOG) {
        sz->fineness = zti_get_varint(c);
        is_good = is_good && sz->fineness >= 4 && sz->fineness <= UINT64_C(1) << 52;
    } else {
        is_good = is_good && zti_sz_read_key_params(c, type, sz);
    }
    *folded = zti_get_varint(c);
    sz->centre = (int64_t)(*folded >> 1 ^ (0 - (*folded & 1)));
    return is_good;
}

/* The largest centre, folded, of the coders of small tiles. */
ZTI_STATIC bool zti_sz_is_centre(uint64_t folded)
{
    return folded <= UINT64_C(1) << 31;
}

#endif
