/* bits_to_planes.h: decode bits to the bit planes of a tile with BMI2: all group tests and runs of
 * a plane at once.
 *
 * Take the bits that follow a plane's refinement bits (tile/planes.h), and put a 1 before them.
 * They consist of runs of ones. In a run, every second 1 is a group test; a run of odd length is
 * the last one, since its last 1 is followed by a negative group test. Adding the starts of the
 * runs that begin at even places makes carries propagate through these runs, which tells each
 * pair's first 1 from its second:
 *
 *     starts = v & ~(v << 1);  first = (v + (starts & 0101...)) ^ 0101...
 *     tests = v & ~first;      end = v & ~(v >> 1) & first, the lowest one
 *
 * The bits up to 'end' that are not tests are the coefficients' own bits. If they reach the last
 * coefficient, its 1 is implied, and the string ends there.
 *
 * Strings of at most 11 bits are looked up in a table, which is faster (tables/strings.h).
 *
 * Planes are stored highest first. Every function takes the number of planes and returns how many
 * of them may have bits; the others are not written. If is_limited, it reads at most 'left' bits;
 * plain C decodes a plane that the budget cuts. */
#ifndef ZTI_ZFP_X86_BITS_TO_PLANES_H
#define ZTI_ZFP_X86_BITS_TO_PLANES_H

#include "codec/zfp/tile/planes.h"
#include "codec/zfp/tables/short_strings.h"
#include "codec/zfp/tables/strings.h"

#include <immintrin.h>

/* The 64 bits at a bit position. */
ZTI_INLINE uint64_t window64(const uint8_t *base, uint64_t at)
{
    const uint8_t *p = base + (at >> 3);
    const uint32_t shift = at & 7;
    return zti_get_le64(p) >> shift | (uint64_t)p[8] << 1 << (63 - shift);
}

/* At least 57 bits at a bit position. */
ZTI_INLINE uint64_t window57(const uint8_t *base, uint64_t at)
{
    return zti_get_le64(base + (at >> 3)) >> (at & 7);
}

struct group_bits {
    uint64_t tests; /* bits that are group tests */
    uint64_t end;   /* place of the string's last 1; 64: none */
};

ZTI_INLINE struct group_bits group_bits_of(uint64_t v)
{
    const uint64_t even = UINT64_C(0x5555555555555555), starts = v & ~(v << 1);
    const uint64_t first = (v + (starts & even)) ^ even;
    return (struct group_bits){.tests = v & ~first, .end = _tzcnt_u64(v & ~(v >> 1) & first)};
}

/* Bits below 'n', which may be up to 255. */
ZTI_INLINE uint64_t below(uint64_t v, uint64_t n)
{
    return _bzhi_u64(v, (uint32_t)n);
}

/* Skip planes without bits: the number of zeros, at most 'most'. */
ZTI_INLINE uint32_t read_zeros(const uint8_t *base, uint64_t at, uint32_t most)
{
    struct zti_bit_reader r = {.base = base, .at = at};
    return read_empty_planes(&r, most);
}

/* A string in the tables. 'known' is the number of coefficients that it makes known, 'step' that
 * number plus the string's bits, or 0 if the tables lack the string; 'own' has the coefficients'
 * bits. */
struct short_string {
    uint32_t known, step;
    uint64_t own;
};

/* Bits of a table's index. */
enum { SHORT_BITS = 11 };

ZTI_INLINE struct short_string short_string_of(uint64_t window)
{
    const uint32_t i = window & ((1u << SHORT_BITS) - 1);
    return (struct short_string){(&string3_known[0][0])[i], (&string3_step[0][0])[i],
                                 (&string3_own[0][0])[i]};
}

/* ---- 16 or 64 coefficients: n, a constant ---- */

/* A tile whose planes are being read; plane is NULL if they are skipped. */
struct taking {
    void *plane; /* words of n bits; for 256 coefficients, of 64 bits */
    uint64_t at;
    uint32_t precision, i, c, left;
};

ZTI_INLINE void store_plane(struct taking *t, uint32_t n, uint64_t plane)
{
    if (n == 16)
        ((uint16_t *)t->plane)[t->i] = (uint16_t)plane;
    else if (t->plane)
        ((uint64_t *)t->plane)[t->i] = plane;
    t->i++;
}

ZTI_INLINE struct taking taking_at(const uint8_t *base, uint64_t at, void *plane, uint32_t n,
                                   uint32_t precision, bool is_limited, uint32_t left)
{
    const uint32_t zeros = read_zeros(base, at, is_limited && left < precision ? left : precision);
    struct taking t = {
        .plane = plane, .at = at + zeros, .precision = precision, .left = left - zeros};
    while (n != 16 && plane && t.i < zeros)
        store_plane(&t, n, 0);
    t.i = zeros;
    return t;
}

/* Whether the next plane may make coefficients known. */
ZTI_INLINE bool is_learning(const struct taking *t, uint32_t n, bool is_limited)
{
    return t->i < t->precision && t->c < n && (!is_limited || t->left > 0);
}

/* Read planes with short strings, all that a window holds: this is fast because the place of a
 * plane's string depends only on the string before. With 16 coefficients, the window has the known
 * coefficients' bits too. */
ZTI_INLINE void read_short(const uint8_t *base, struct taking *t, uint32_t n, bool is_limited)
{
    const uint64_t end = t->at + t->left;
    uint64_t at = t->at + t->c; /* where the string begins */
    bool is_short = true;
    while (is_short && t->i < t->precision) {
        const uint64_t first = n == 16 ? at - t->c : at, window = window57(base, first);
        uint32_t used = (uint32_t)(at - first);
        do {
            const struct short_string s = short_string_of(window >> used);
            is_short = s.step > 0 && t->c + s.known < n &&
                       (!is_limited || first + used + s.step - s.known <= end);
            if (zti_unlikely(!is_short))
                break;
            const uint64_t known = n == 16    ? window >> (used - t->c)
                                   : t->plane ? window64(base, first + used - t->c)
                                              : 0;
            store_plane(t, n, below(known, t->c) | s.own << t->c);
            used += s.step + t->c;
            t->c += s.known;
        } while (t->i < t->precision && used <= 57 - SHORT_BITS);
        at = first + used;
    }
    t->at = at - t->c;
    t->left = (uint32_t)(end - t->at);
}

/* Read a plane that makes coefficients known. */
ZTI_INLINE void read_learning(const uint8_t *base, struct taking *t, uint32_t n, bool is_limited)
{
    const uint32_t c = t->c;
    const uint64_t window = n == 16 ? window57(base, t->at) : window64(base, t->at);
    const uint64_t known = below(window, c);
    const uint64_t v = (n == 16 ? window >> c : window57(base, t->at + c)) << 1 | 1;
    const struct group_bits g = group_bits_of(v);
    const uint32_t more = (uint32_t)g.end - (uint32_t)_mm_popcnt_u64(below(g.tests, g.end));
    const bool is_last = (n != 16 && g.end >= 57) || c + more >= n;
    uint32_t used = c + (uint32_t)g.end + 1;
    uint64_t plane = known | _pext_u64(v, below(~g.tests, g.end + 1)) >> 1 << c;
    t->c = c + more;
    if (n == 16 ? is_last || (is_limited && used > t->left)
                : zti_unlikely(is_last || (is_limited && used > t->left))) {
        const uint64_t x = below(_pext_u64(v, ~g.tests) >> 1, n - 1 - c);
        used = n + (uint32_t)_mm_popcnt_u64(x);
        plane = known | x << c | UINT64_C(1) << (n - 1);
        t->c = n;
        if (!(is_last && (n == 16 || used - c <= 57) && (!is_limited || used <= t->left))) {
            struct zti_bit_reader own = {.base = base, .at = t->at};
            t->c = c;
            (void)read_plane(&own, &plane, n, &t->c, is_limited ? t->left : UINT32_MAX);
            used = (uint32_t)(own.at - t->at);
        }
    }
    store_plane(t, n, plane);
    t->at += used;
    t->left -= used;
}

/* Read planes of which all coefficients are known: their bits are stored without tests. */
ZTI_INLINE void read_known64(const uint8_t *base, struct taking *t, bool is_limited)
{
    if (!t->plane && !is_limited) {
        t->at += 64 * (uint64_t)(t->precision - t->i);
        return;
    }
    for (; t->i < t->precision && (!is_limited || t->left >= 64); t->at += 64, t->left -= 64)
        store_plane(t, 64, window64(base, t->at));
    if (is_limited && t->i < t->precision && t->left > 0) {
        store_plane(t, 64, below(window64(base, t->at), t->left));
        t->at += t->left;
    }
}

/* As read_known64, for 16 coefficients: four planes at a time, also at the end. */
ZTI_INLINE void read_known16(const uint8_t *base, struct taking *t, bool is_limited)
{
    uint64_t rest = (uint64_t)(t->precision - t->i) * 16;
    if (is_limited && rest > t->left)
        rest = t->left;
    for (uint64_t done = 0; done < rest; done += 64, t->i += 4) {
        const uint64_t here = rest - done < 64 ? rest - done : 64;
        const uint64_t four = below(window64(base, t->at + done), here);
        memcpy((uint16_t *)t->plane + t->i, &four, sizeof four);
    }
    t->at += rest;
}

/* plane may be NULL if n is 64 and there is no limit. */
ZTI_INLINE uint32_t read_planes_of(struct zti_bit_reader *r, void *plane, uint32_t n,
                                   uint32_t precision, bool is_limited, uint32_t left)
{
    struct taking t = taking_at(r->base, r->at, plane, n, precision, is_limited, left);
    while (is_learning(&t, n, is_limited)) {
        read_short(r->base, &t, n, is_limited);
        if (is_learning(&t, n, is_limited))
            read_learning(r->base, &t, n, is_limited);
    }
    if (n == 16)
        read_known16(r->base, &t, is_limited);
    else
        read_known64(r->base, &t, is_limited);
    r->at = t.at;
    return t.i;
}

/* ---- 256 coefficients: quarter q of plane i is plane[64 q + i] ---- */

/* Read a plane with *c < 256 known coefficients; returns its number of bits. */
ZTI_INLINE uint64_t read_plane_of_quarters(const uint8_t *base, const uint64_t start,
                                           uint64_t *plane, uint32_t *c)
{
    uint64_t at = start, word;
    uint32_t q = 0, n = *c & 63, is_open = 1; /* open: the next bit is a group test */
    for (; q < *c / 64; q++, at += 64)
        plane[64 * q] = window64(base, at);
    word = below(window64(base, at), n);
    at += n;
    for (;;) {
        const uint64_t v = window64(base, at) << is_open | is_open;
        const struct group_bits g = group_bits_of(v);
        const uint32_t count =
            (uint32_t)g.end + 1 - is_open - (uint32_t)_mm_popcnt_u64(below(g.tests, g.end));
        if (g.end < 63 && n + count < 64) {
            word |= _pext_u64(v, below(~g.tests, g.end + 1)) >> is_open << n;
            n += count;
            at += g.end + 2 - is_open;
            break;
        }
        /* the string goes on: read what the window or the word holds; if the last bit is a 1, the
         * next step reads its group test */
        const uint64_t own = below(~g.tests, 63), x = _pext_u64(v, own) >> is_open;
        const uint32_t have = (uint32_t)_mm_popcnt_u64(own) - is_open;
        if (q == 3 && have >= 63 - n) {
            const uint64_t last = below(x, 63 - n);
            word |= last << n | UINT64_C(1) << 63;
            at += is_open + 63 - n + (uint32_t)_mm_popcnt_u64(last);
            n = 64;
            break;
        }
        const uint32_t step = have < 64 - n ? have : 64 - n;
        const uint64_t part = below(x, step);
        const uint32_t is_one = part >> (step - 1) & 1;
        word |= part << n;
        at += is_open + step + (uint32_t)_mm_popcnt_u64(part) - is_one;
        is_open = is_one;
        n += step;
        if (n == 64) {
            plane[64 * q++] = word;
            word = n = 0;
        }
    }
    plane[64 * q] = word;
    *c = 64 * q + n;
    for (q++; q < 4; q++)
        plane[64 * q] = 0;
    return at - start;
}

/* Read one plane of 256 coefficients. */
ZTI_INLINE void read_one256(const uint8_t *base, struct taking *t, bool is_limited)
{
    uint64_t *const plane = (uint64_t *)t->plane + t->i++;
    uint32_t known = t->c;
    uint64_t used = 256;
    if (known < 256)
        used = read_plane_of_quarters(base, t->at, plane, &known);
    else
        for (uint32_t q = 0; q < 4; q++)
            plane[64 * q] = window64(base, t->at + 64 * q);
    if (zti_unlikely(is_limited && used > t->left)) {
        struct zti_bit_reader own = {.base = base, .at = t->at};
        uint64_t word[4] = {0, 0, 0, 0};
        t->left = read_plane(&own, word, 256, &t->c, t->left);
        for (uint32_t q = 0; q < 4; q++)
            plane[64 * q] = word[q];
        t->at = own.at;
        return;
    }
    t->c = known;
    t->at += used;
    t->left -= (uint32_t)used;
}

/* While all known coefficients are in the first quarter, strings are those of 64 coefficients. No
 * plane has a bit of the coefficients from *known on; quarters of only these are not written. */
static inline uint32_t read_planes256(struct zti_bit_reader *r, uint64_t *plane, uint32_t precision,
                                      bool is_limited, uint32_t left, uint32_t *known)
{
    struct taking t = taking_at(r->base, r->at, plane, 64, precision, is_limited, left);
    while (is_learning(&t, 64, is_limited)) {
        read_short(r->base, &t, 64, is_limited);
        if (is_learning(&t, 64, is_limited))
            read_one256(r->base, &t, is_limited);
    }
    for (uint32_t i = 0; t.c >= 64 && i + 1 < t.i; i++) /* the last plane is beyond the quarter */
        for (uint32_t q = 1; q < 4; q++)
            plane[64 * q + i] = 0;
    while (t.i < precision && (!is_limited || t.left > 0))
        read_one256(r->base, &t, is_limited);
    r->at = t.at;
    *known = t.c;
    return t.i;
}

/* ---- 4 coefficients: a byte a plane ---- */

ZTI_INLINE void write_nibbles(uint8_t *to, uint64_t nibbles)
{
    const uint64_t bytes = _pdep_u64(nibbles, UINT64_C(0x0f0f0f0f0f0f0f0f));
    memcpy(to, &bytes, sizeof bytes);
}

/* Read the planes of a tile at bit 'at' to 'plane', which is zero and has room for 8 more; returns
 * the number of bits read. 'window' has the first 'have' >= 32 bits. A table (zfp_tables.py) gives
 * the planes that end within the next 8 bits; near the budget's end, a 1 above the bits marks
 * it. */
ZTI_INLINE uint64_t read_planes4(const uint8_t *base, uint64_t at, uint64_t window, uint32_t have,
                                 uint8_t *plane, uint32_t precision, bool is_limited, uint32_t left,
                                 const uint64_t *table)
{
    bool is_all = is_limited && left <= have; /* the window ends where the tile does */
    have = is_all ? left : have;
    uint64_t v = below(window, have) | UINT64_C(1) << have;
    uint32_t i = (uint32_t)_tzcnt_u64(v);
    i = i < precision ? i : precision;
    v >>= i;
    uint64_t used = i, row = 256; /* 512 c + 256 */
    while (row < 4 * 512 && i < precision && (v > 1 || !is_all)) {
        if (zti_unlikely(v < 256 && !is_all)) {
            is_all = is_limited && left - used <= 57;
            have = is_all ? left - (uint32_t)used : 57;
            v = below(window57(base, at + used), have) | UINT64_C(1) << have;
        }
        const uint64_t e = table[row + (v & 255) - (is_limited && v < 256 ? 256 : 0)];
        const uint32_t count = e >> 40 & 15;
        if (zti_unlikely(i + count > precision)) { /* the table has more planes than are left */
            const uint64_t ends = _pdep_u64(below(~UINT64_C(0), precision - i), e >> 44 & 255);
            write_nibbles(plane + i, below(e >> 8 & UINT32_MAX, 4 * (precision - i)));
            return used + zti_bit_length64(ends);
        }
        write_nibbles(plane + i, e >> 8);
        row = e >> 52;
        v >>= e & 63;
        i += count;
        used += e & 63;
    }
    if (row < 4 * 512)
        return used;
    uint64_t rest = (uint64_t)(precision - i) * 4; /* bits of planes of which all is known */
    if (is_limited && rest > left - used)
        rest = left - used;
    for (uint64_t done = 0; done < rest; done += 32, i += 8) {
        const uint64_t here = rest - done < 32 ? rest - done : 32;
        write_nibbles(plane + i, below(window57(base, at + used + done), here));
    }
    return used + rest;
}

#endif
