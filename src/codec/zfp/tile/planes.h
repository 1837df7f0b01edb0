/* planes.h: between the bit planes of a tile and bits, in plain C. An encoder writes whole planes,
 * then cuts the bits to its budget; a decoder counts the bits that are left.
 *
 * A plane is one bit of each of the tile's n = 4, 16, 64 or 256 coefficients, in rank order, in
 * words of 64 bits. With c the number of leading coefficients known to be significant, a plane is
 * coded as its c low bits, then a group test ("is any later bit set?"), and after each positive one
 * the bits up to and including the next 1, which makes one more coefficient significant. The last
 * coefficient's bit is implied by a positive group test that leaves only it. A run of zeros is
 * coded in one step (a count of trailing zeros). A budget may cut the coded bits anywhere. 'n' is a
 * constant where these functions are inlined. */
#ifndef ZTI_ZFP_TILE_PLANES_H
#define ZTI_ZFP_TILE_PLANES_H

#include "bits/bits.h"

ZTI_INLINE uint64_t low_mask(uint32_t n)
{
    return n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
}

#if !defined(ZTI_DEVICE)

/* Append a 1 and zeros. */
ZTI_INLINE void write_run(struct zti_bit_writer *w, uint32_t zeros)
{
    zti_put_bits(w, 1, zeros < 56 ? 1 + zeros : 1);
    if (zeros >= 56)
        zti_put_zeros(w, zeros);
}

/* Read c bits to a plane of n. */
ZTI_INLINE void read_known(struct zti_bit_reader *r, uint64_t *plane, uint32_t n, uint32_t c)
{
    for (; n > 64 && c > 64; c -= 64)
        *plane++ = zti_get_bits64(r, 64);
    *plane = zti_get_bits64(r, c);
}

/* The place of the lowest 1 of bits that were read ahead; 64: there is none. */
ZTI_INLINE uint32_t lowest_one(uint64_t bits)
{
    return bits ? zti_ctz64(bits) : 64;
}

enum { PEEK_BITS = 57 };

/* Append a plane whose bits from 'top' on are zero; returns the new c. */
ZTI_INLINE uint32_t write_plane(struct zti_bit_writer *w, const uint64_t *plane, uint32_t n,
                                uint32_t c, uint32_t top)
{
    enum { PUT_BITS = 56 };
    const uint32_t known = c;
    uint64_t string = 0;
    uint32_t length = 0;
    if (n <= 16) { /* a field holds all of it */
        string = plane[0] & low_mask(known);
        length = known;
    } else {
        uint32_t from = 0;
        do {
            const uint32_t bits = known - from < 64 ? known - from : 64;
            zti_put_bits64(w, plane[from / 64] & low_mask(bits), bits);
            from += 64;
        } while (n > 64 && from < known);
    }
    if (known == n)
        goto done;
    for (uint32_t j = n <= 64 ? 0 : known / 64; 64 * j < top; j++) {
        const uint32_t from = 64 * j;
        uint64_t x = plane[j] & ~low_mask(from < known ? known - from : 0);
        for (; x; x &= x - 1) {
            const uint32_t zeros = from + zti_ctz64(x) - c;
            if (n > 16 && length + zeros + 3 > PUT_BITS) {
                zti_put_bits(w, string, length);
                write_run(w, zeros);
                string = length = 0;
            } else {
                string |= UINT64_C(1) << length;
                length += 1 + zeros;
            }
            c += zeros + 1;
            if (c == n) /* the last coefficient's 1 is implied */
                goto done;
            string |= UINT64_C(1) << length++;
        }
    }
    length++; /* a negative group test */
done:
    zti_put_bits(w, string, length);
    return c;
}

/* Read a plane with *c known coefficients from at most 'left' bits; returns how many of these are
 * left. If they end within a run of zeros, the run is taken to end in a 1 there, as libzfp does. */
ZTI_INLINE uint32_t read_plane(struct zti_bit_reader *r, uint64_t *plane, uint32_t n, uint32_t *c,
                               uint32_t left)
{
    const bool is_small = n <= 16; /* a field holds all of it */
    const uint64_t all = is_small ? zti_peek_bits(r) : 0;
    uint32_t at = *c, used = at < left ? at : left;
    if (is_small) {
        *plane = all & low_mask(used);
    } else {
        read_known(r, plane, n, used);
        left -= used;
        used = 0;
    }
    while (used < left && at < n) {
        uint64_t x = is_small ? all >> used : zti_peek_bits(r);
        used++;
        if (!(x & 1))
            break;
        uint32_t scan = n - 1 - at < left - used ? n - 1 - at : left - used;
        x >>= 1;
        for (uint32_t have = PEEK_BITS - 1; !is_small && !x && scan > have; have = PEEK_BITS) {
            r->at += used + have;
            left -= used + have;
            used = 0;
            at += have;
            scan -= have;
            x = zti_peek_bits(r);
        }
        const uint32_t found = lowest_one(x), zeros = found < scan ? found : scan;
        used += zeros + (zeros < scan);
        at += zeros;
        plane[n <= 64 ? 0 : at / 64] |= UINT64_C(1) << at % 64;
        at++;
        if (!is_small) {
            r->at += used;
            left -= used;
            used = 0;
        }
    }
    r->at += used;
    *c = at;
    return left - used;
}

/* Skip planes before the first significant coefficient, at most 'most'; returns how many. */
ZTI_INLINE uint32_t read_empty_planes(struct zti_bit_reader *r, uint32_t most)
{
    uint32_t n = 0, step = PEEK_BITS;
    while (step == PEEK_BITS && n < most) {
        const uint32_t zeros = lowest_one(zti_peek_bits(r));
        step = zeros < PEEK_BITS ? zeros : PEEK_BITS;
        const uint32_t some = step < most - n ? step : most - n;
        r->at += some;
        n += some;
    }
    return n;
}

#endif

#endif
