/* planes.h: the branchy part of a zfp tile: bit planes to bits and back.
 *
 * A plane is one bit of each of the tile's n = 4, 16, 64 or 256 coefficients, in rank order. With
 * c the number of leading coefficients known to be significant, a plane is coded as its c low
 * bits, then a group test ("is any later bit set?"), and after each positive one the bits up to
 * and including the next 1, which makes one more coefficient significant. The last coefficient's
 * bit is implied by a positive group test that leaves only it. The page on the stream at the top
 * of zfp.c has the rules; here a run of zeros is one step (count of trailing zeros).
 *
 * A limited budget cuts the coded string anywhere. The encoder writes whole planes and cuts back;
 * the decoder counts what is left. */
#ifndef ZTI_ZFP_TILE_PLANES_H
#define ZTI_ZFP_TILE_PLANES_H

#include "bits/bits.h"

ZTI_INLINE uint64_t low_mask(uint32_t n)
{
    return n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
}

/* Pass over planes before the first significant coefficient, at most 'most'; returns how many. */
ZTI_INLINE uint32_t take_empty_planes(struct zti_bit_reader *r, uint32_t most)
{
    uint32_t n = 0, zeros = 56;
    while (zeros == 56 && n < most) {
        zeros = zti_ctz64(zti_peek_bits(r) | UINT64_C(1) << 56);
        const uint32_t step = zeros < most - n ? zeros : most - n;
        n += step;
        r->at += step;
    }
    return n;
}

/* Append a plane of n <= 64 coefficients; returns the new c. */
ZTI_INLINE uint32_t put_plane(struct zti_bit_writer *w, uint64_t plane, uint32_t n, uint32_t c)
{
    uint64_t string = plane & low_mask(c); /* at most 31 bits in all where n is 16 or less */
    uint32_t length = c;
    if (n == 64) {
        zti_put_bits64(w, string, length);
        string = length = 0;
    }
    if (c == n)
        goto done;
    for (uint64_t x = plane >> c; x;) {
        const uint32_t zeros = zti_ctz64(x);
        if (n == 64 && length + zeros > 52) { /* more than one field holds */
            zti_put_bits(w, string, length);
            zti_put_bits64(w, 1, 1 + zeros); /* positive group test and run of zeros */
            string = length = 0;
        } else {
            string |= UINT64_C(1) << length;
            length += 1 + zeros;
        }
        c += zeros + 1;
        if (c == n) /* the last coefficient: its 1 is implied */
            goto done;
        string |= UINT64_C(1) << length++;
        x >>= zeros + 1;
    }
    length++; /* negative group test */
done:
    zti_put_bits(w, string, length);
    return c;
}

/* Take a plane of n <= 64 coefficients from at most *left bits, which it counts down. */
ZTI_INLINE uint64_t take_plane(struct zti_bit_reader *r, uint32_t n, uint32_t *c, uint32_t *left)
{
    uint32_t known = *c < *left ? *c : *left;
    uint64_t plane = n < 64 ? zti_take_bits(r, known) : zti_take_bits64(r, known);
    *left -= known;
    while (*left > 0 && *c < n) {
        uint64_t window = zti_peek_bits(r);
        if (!(window & 1)) {
            r->at++;
            (*left)--;
            break;
        }
        uint32_t scan = n - 1 - *c; /* the run of zeros and its 1 take at most this many bits */
        if (scan > *left - 1)
            scan = *left - 1;
        r->at++;
        uint32_t zeros;
        window >>= 1;
        if (n == 64 && scan > 56 && !(window & low_mask(56))) {
            r->at += 56;
            uint64_t rest = zti_peek_bits(r) & low_mask(scan - 56);
            r->at -= 56;
            zeros = rest ? 56 + zti_ctz64(rest) : scan;
        } else {
            window &= low_mask(scan < 56 ? scan : 56);
            zeros = window ? zti_ctz64(window) : scan;
        }
        uint32_t used = zeros < scan ? zeros + 1 : scan;
        r->at += used;
        *left -= used + 1;
        *c += zeros;
        plane |= UINT64_C(1) << *c; /* where the budget ended in a run of zeros: libzfp's guess */
        (*c)++;
    }
    return plane;
}

/* The same for planes of 256 coefficients in four words. */
ZTI_STATIC uint32_t put_plane256(struct zti_bit_writer *w, const uint64_t *plane, uint32_t c)
{
    uint32_t word = 0;
    for (; word < c / 64; word++)
        zti_put_bits64(w, plane[word], 64);
    if (c == 256)
        return c;
    zti_put_bits64(w, plane[word] & low_mask(c % 64), c % 64);
    uint64_t x = plane[word] & ~low_mask(c % 64);
    for (;;) {
        while (!x && word < 3)
            x = plane[++word];
        if (!x) {
            zti_put_bits(w, 0, 1);
            return c;
        }
        uint32_t at = word * 64 + zti_ctz64(x);
        zti_put_bits(w, 1, 1);
        zti_put_zeros(w, at - c);
        if (at == 255)
            return 256;
        zti_put_bits(w, 1, 1);
        x &= x - 1;
        c = at + 1;
    }
}

/* Take a group test of a plane of n coefficients and, where there is a later bit, the run of zeros
 * before it: then it is true, and the bit is coefficient *c. Where the budget ends in the run, it
 * is the one that libzfp takes. */
ZTI_INLINE bool take_next(struct zti_bit_reader *r, uint32_t n, uint32_t *c, uint32_t *left)
{
    if (*left == 0 || *c == n)
        return false;
    uint64_t window = zti_peek_bits(r);
    r->at++;
    (*left)--;
    if (!(window & 1))
        return false;
    uint32_t scan = n - 1 - *c < *left ? n - 1 - *c : *left;
    window >>= 1;
    while (scan > 0) {
        const uint32_t step = scan < 56 ? scan : 56;
        window &= low_mask(step);
        const uint32_t zeros = window ? zti_ctz64(window) : step;
        const uint32_t used = window ? zeros + 1 : step;
        r->at += used;
        *left -= used;
        *c += zeros;
        if (window)
            break;
        scan -= step;
        window = zti_peek_bits(r);
    }
    return true;
}

ZTI_STATIC void take_plane256(struct zti_bit_reader *r, uint64_t *plane, uint32_t *c,
                              uint32_t *left)
{
    uint32_t known = *c < *left ? *c : *left;
    uint32_t word = 0;
    *left -= known;
    for (; known >= 64; known -= 64)
        plane[word++] = zti_take_bits64(r, 64);
    if (known)
        plane[word] = zti_take_bits64(r, known);
    while (take_next(r, 256, c, left)) {
        plane[*c / 64] |= UINT64_C(1) << *c % 64;
        (*c)++;
    }
}

#endif
