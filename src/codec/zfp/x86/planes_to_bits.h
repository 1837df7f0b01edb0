/* planes_to_bits.h: text: bit planes to bits, all planes of a tile at once. The includer has the
 * words of its instruction set (x86/words.h).
 *
 * Let w be a plane, c the coefficients known to be significant before it, x = w >> c. What
 * tile/planes.h codes with group tests and runs is the same as: the c low bits of w; a 1; the bits
 * of x from the lowest up to its top 1, each 1 doubled; and the very last 1 of all that made 0. So
 * for x = 0 the string is one 0. Where the tile's last coefficient becomes significant, its two
 * bits are left out. With I the OR of all planes down to this one and E that of those before it,
 *
 *     c = bit length of E,  n' = bit length of I,  length = n' + popcount(x) + 1, or
 *     (n - 1) + max(popcount(x), 1) where the last coefficient is significant
 *
 * so nothing but a running OR connects the planes: a lane is a plane. Ones are doubled by a table
 * of nibbles, whose results are put together in widening lanes. */
#ifndef ZTI_ZFP_X86_PLANES_TO_BITS_H
#define ZTI_ZFP_X86_PLANES_TO_BITS_H

#include "codec/zfp/tile/planes.h"

#include <immintrin.h>

/* A writer of words: 'held' has the 'count' < 64 bits that are not stored for good. */
struct fast_writer {
    uint8_t *next;
    uint64_t held;
    uint64_t count;
    uint64_t left; /* of the tile's budget */
};

ZTI_INLINE struct fast_writer fast_writer_of(const struct zti_bit_writer *w)
{
    return (struct fast_writer){.next = w->next, .held = w->held, .count = w->held_bits};
}

ZTI_INLINE void close_fast_writer(const struct fast_writer *f, struct zti_bit_writer *w)
{
    zti_put_le64(f->next, f->held);
    w->next = f->next + (f->count >> 3);
    w->held = f->held >> (f->count & ~UINT64_C(7));
    w->held_bits = f->count & 7;
}

ZTI_INLINE uint64_t fast_bits(const struct fast_writer *f, const uint8_t *base)
{
    return (uint64_t)(f->next - base) * 8 + f->count;
}

/* Append n <= 64 bits; the higher ones must be zero. */
ZTI_INLINE void put(struct fast_writer *f, uint64_t v, uint64_t n)
{
    const uint64_t spill = v >> 1 >> (~f->count & 63);
    f->held |= v << f->count;
    zti_put_le64(f->next, f->held);
    f->count += n;
    f->held = f->count & 64 ? spill : f->held;
    f->next += f->count >> 6 << 3;
    f->count &= 63;
}

/* The same, but not beyond the budget. */
ZTI_INLINE void put_within(struct fast_writer *f, uint64_t v, uint64_t n, bool is_limited)
{
    if (is_limited) {
        n = n < f->left ? n : f->left;
        f->left -= n;
        v = _bzhi_u64(v, (uint32_t)n);
    }
    put(f, v, n);
}

static inline void put_fast_zeros(struct fast_writer *f, uint64_t n)
{
    for (; n > 64; n -= 64)
        put(f, 0, 64);
    put(f, 0, n);
}

/* ---- 64 coefficients: a lane is 64 bits ---- */

/* Nibbles with each 1 doubled. */
ZTI_INLINE vec doubled_nibbles(vec nibbles)
{
    return v_look_up(_mm_setr_epi8(0x00, 0x03, 0x06, 0x0f, 0x0c, 0x1b, 0x1e, 0x3f, 0x18, 0x33, 0x36,
                                   0x6f, 0x3c, 0x7b, 0x7e, (char)0xff),
                     nibbles);
}

/* x with its ones doubled: low from the lower 32 bits of a lane, high from the upper. */
struct doubled {
    vec low, high;
    vec ones;       /* of x */
    vec low_length; /* bits of low that count */
};

ZTI_INLINE struct doubled doubled_ones(vec x)
{
    const vec m8 = v_all16(0xff), m16 = v_all32(0xffff), m32 = v_all64(0xffffffff);
    const vec m4 = v_all8(15), upper = v_all16(0x0ff0);
    const vec a = v_and(x, m4), b = v_and(v_right16(x, 4), m4);
    const vec code_a = doubled_nibbles(a), code_b = doubled_nibbles(b);
    const vec shift = v_shifts_of_nibbles(a);
    const struct ones n = v_ones(x, a, b);
    const vec length8 = v_add16(n.of8, v_all16(8)), length16 = v_add32(n.of16, v_all32(16));
    const vec length32 = v_add64(n.of32, v_all64(32));
    /* bytes of x to 16 bits, those at even places and those at odd ones: the lower nibble's code,
     * above it the upper one's */
    const vec even8 =
        v_or(v_and(code_a, m8), v_leftv16(v_and(v_left16(code_b, 4), upper), v_and(shift, m8)));
    const vec odd8 = v_or(v_right16(code_a, 8),
                          v_leftv16(v_and(v_right16(code_b, 4), upper), v_right16(shift, 8)));
    /* 8 bits of x to 16, of which length8 are used, at a time: 16 to 32 */
    const vec joined_low =
        v_or(v_and(even8, m16), v_leftv32(v_and(odd8, m16), v_and(length8, m16)));
    const vec joined_high =
        v_or(v_right32(even8, 16), v_leftv32(v_right32(odd8, 16), v_right32(length8, 16)));
    /* and 32 to 64 */
    return (struct doubled){
        .low =
            v_or(v_and(joined_low, m32), v_leftv64(v_and(joined_high, m32), v_and(length16, m32))),
        .high = v_or(v_right64(joined_low, 32),
                     v_leftv64(v_right64(joined_high, 32), v_right64(length16, 32))),
        .ones = n.all64,
        .low_length = length32};
}

/* Coded planes, one a lane: length bits of low and, above 64, of high. */
struct strings {
    uint64_t low[LANES64], high[LANES64], length[LANES64];
};

/* The string of a lane from its refinement bits, its group test and x: refined bits of w below c,
 * 'test' (0 or 1) at c, and after the 'open' bits of a test (0 or 1) x with its ones doubled; cut
 * to 'kept' bits, of which 'length' count. */
ZTI_INLINE void store_strings(struct strings *s, vec w, vec c, vec test, vec open,
                              const struct doubled *x, vec kept, vec length)
{
    const vec all = v_all64(~UINT64_C(0)), n64 = v_all64(64);
    const vec low = v_or(x->low, v_leftv64(x->high, x->low_length));
    const vec high = v_rightv64(x->high, v_sub64(n64, x->low_length));
    const vec at = v_add64(c, open);
    vec string = v_or(v_without(w, v_leftv64(all, c)), v_leftv64(test, c));
    string = v_or(string, v_leftv64(low, at));
    const vec rest = v_or(v_rightv64(low, v_sub64(n64, at)), v_leftv64(high, at));
    v_store(s->low, v_without(string, v_leftv64(all, kept)));
    v_store(s->high, v_without(rest, v_leftv64(all, v_rest(kept, n64))));
    v_store(s->length, length);
}

ZTI_INLINE void put_strings(struct fast_writer *f, const struct strings *s, uint32_t count,
                            bool is_limited)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t n = s->length[i] < 64 ? s->length[i] : 64;
        put_within(f, s->low[i], n, is_limited);
        if (s->length[i] > 64)
            put_within(f, s->high[i], s->length[i] - 64, is_limited);
    }
}

/* Of the planes before: their OR, and its bit length. The last lane counts. */
struct seen {
    vec bits, known;
};

ZTI_INLINE struct seen nothing_seen(void)
{
    return (struct seen){.bits = v_zero(), .known = v_zero()};
}

/* Append 'count' <= LANES64 planes of a tile of 64, highest first. */
ZTI_INLINE void put_planes64(struct fast_writer *f, vec w, struct seen *seen, uint32_t count,
                             bool is_limited)
{
    const vec one = v_all64(1);
    const vec all = v_or(v_running_or64(w), v_last64(seen->bits)), known = v_bit_length64(all);
    const vec c = v_before64(known, seen->known);
    const struct doubled x = doubled_ones(v_rightv64(w, c));
    const mask64 is_full = v_is_top_set64(all);
    const vec full = v_add64(v_max32(x.ones, one), v_all64(63));
    const vec open = v_add64(known, x.ones); /* its last 1 is 0 */
    struct strings s;
    store_strings(&s, w, c, one, one, &x, v_if64(is_full, full, open),
                  v_if64(is_full, full, v_add64(open, one)));
    seen->bits = all;
    seen->known = known;
    put_strings(f, &s, count, is_limited);
}

/* ---- 256 coefficients: a lane is a quarter of a plane ---- */

struct planes256 {
    vec quarter[4];
};

/* Append planes the plain way; c of each is known. */
static void put_planes256_plainly(struct fast_writer *f, const struct planes256 *p, vec known,
                                  uint32_t count, bool is_limited)
{
    uint64_t word[4][LANES64], c[LANES64];
    for (uint32_t q = 0; q < 4; q++)
        v_store(word[q], p->quarter[q]);
    v_store(c, known);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t buffer[2 * 64 + ZTI_BIT_MARGIN_BYTES];
        const uint64_t plane[4] = {word[0][i], word[1][i], word[2][i], word[3][i]};
        struct zti_bit_writer w = zti_bit_writer_at(buffer);
        (void)put_plane(&w, plane, 256, (uint32_t)c[i], 256);
        zti_put_le64(w.next, w.held);
        const uint64_t n = zti_bits_written(&w);
        for (uint64_t at = 0; at < n; at += 64) {
            const uint64_t here = n - at < 64 ? n - at : 64;
            put_within(f, _bzhi_u64(zti_get_le64(buffer + at / 8), (uint32_t)here), here,
                       is_limited);
        }
    }
}

/* As put_planes64. Where a quarter's string is longer than 128 bits (64 ones after the first
 * significant coefficient) the planes go the plain way. */
static void put_planes256(struct fast_writer *f, const struct planes256 *p, struct planes256 *seen,
                          uint32_t count, bool is_limited)
{
    const vec zero = v_zero(), one = v_all64(1), n64 = v_all64(64);
    vec all[4], c[4], x[4], later = zero, known = zero;
    struct strings s[4];
    bool is_long = false;
    for (uint32_t q = 0; q < 4; q++) {
        all[q] = v_or(v_running_or64(p->quarter[q]), v_last64(seen->quarter[q]));
        const vec before = v_before64(all[q], seen->quarter[q]);
        seen->quarter[q] = all[q];
        known = v_if64(v_is_set64(before),
                       v_add64(v_bit_length64(before), v_all64(64 * (uint64_t)q)), known);
    }
    for (uint32_t q = 0; q < 4; q++) {
        c[q] = v_min32(v_rest(known, v_all64(64 * (uint64_t)q)), n64);
        x[q] = v_rightv64(p->quarter[q], c[q]);
    }
    const mask64 is_last =
        m_both64(v_is_top_set64(p->quarter[3]), v_is_less64(known, v_all64(256)));
    for (uint32_t q = 4; q-- > 0;) {
        const mask64 goes_on = v_is_set64(later), has_x = v_is_set64(x[q]);
        const mask64 is_open =
            m_without64(v_is_less64(c[q], n64), v_is_less64(known, v_all64(64 * (uint64_t)q)));
        const struct doubled twice = doubled_ones(x[q]);
        later = v_or(later, x[q]);
        const vec open = v_where64(is_open, one);
        const vec test = v_where64(m_both64(is_open, v_is_set64(later)), one);
        /* all of x where a later quarter has ones; else up to its top one, whose pair is 1 0 */
        vec length = v_if64(goes_on, v_sub64(n64, c[q]), v_bit_length64(x[q]));
        length = v_add64(v_add64(length, twice.ones), v_add64(open, c[q]));
        mask64 ends = m_without64(has_x, goes_on);
        if (q == 3) {
            length = v_sub64(length, v_where64(is_last, v_all64(2)));
            ends = m_without64(ends, is_last);
        }
        store_strings(&s[q], p->quarter[q], c[q], test, open, &twice,
                      v_sub64(length, v_where64(ends, one)), length);
        is_long |= v_any_is_less64(v_all64(128), length);
    }
    if (zti_unlikely(is_long)) {
        put_planes256_plainly(f, p, known, count, is_limited);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t q = 0; q < 4 && (s[q].length[i] > 0 || q == 0); q++) {
            const uint64_t n = s[q].length[i];
            put_within(f, s[q].low[i], n < 64 ? n : 64, is_limited);
            if (n > 64)
                put_within(f, s[q].high[i], n - 64, is_limited);
        }
}

/* ---- 16 coefficients: a lane is 32 bits ---- */

/* Append 'count' <= LANES32 planes of a tile of 16; neighbours are joined, and written two by
 * two. */
ZTI_INLINE void put_planes16(struct fast_writer *f, vec w, struct seen *seen, uint32_t count,
                             bool is_limited)
{
    const vec ones = v_all32(UINT32_MAX), one = v_all32(1);
    const vec m8 = v_all32(0x00ff00ff), m16 = v_all32(0xffff), m32 = v_all64(0xffffffff);
    const mask32 is_there = m_first32(count);
    const vec all = v_or(v_running_or32(w), v_last32(seen->bits)), known = v_bit_length32(all);
    const vec c = v_before32(known, seen->known);
    seen->bits = all;
    seen->known = known;
    /* x's four nibbles to bytes, doubled, and put together again */
    const vec x = v_rightv32(w, c);
    vec y = v_and(v_or(x, v_left32(x, 8)), m8);
    y = v_and(v_or(y, v_left32(y, 4)), v_all8(15));
    const vec code = doubled_nibbles(y);
    const struct ones n = v_ones(y, y, v_zero());
    const vec code8 =
        v_or(v_and(code, m8), v_leftv16(v_and(v_right16(code, 4), v_all32(0x0ff00ff0)),
                                        v_and(v_shifts_of_nibbles(y), m8)));
    const vec doubled =
        v_or(v_and(code8, m16), v_leftv32(v_right32(code8, 16), v_add32(n.of16, v_all32(8))));
    const vec count_x = n.all32;
    const mask32 is_full = v_is_bit_set32(all, 15);
    const vec full = v_add32(v_max32(count_x, one), v_all32(15));
    const vec open = v_add32(known, count_x); /* its last 1 is 0 */
    const vec kept = v_if32(is_full, full, open);
    const vec length = v_where32(is_there, v_if32(is_full, full, v_add32(open, one)));
    const vec tested = v_or(v_left32(doubled, 1), one);
    vec string = v_or(v_without(w, v_leftv32(ones, c)), v_leftv32(tested, c));
    string = v_where32(is_there, v_without(string, v_leftv32(ones, kept)));
    uint64_t pair[LANES64], pair_length[LANES64];
    const vec low_length = v_and(length, m32);
    v_store(pair, v_or(v_and(string, m32), v_leftv64(v_right64(string, 32), low_length)));
    v_store(pair_length, v_add64(low_length, v_right64(length, 32)));
    for (uint32_t i = 0; i < (count + 1) / 2; i++)
        put_within(f, pair[i], pair_length[i], is_limited);
}

/* ---- 4 coefficients: a byte is a plane ---- */

/* Codes of planes, and their lengths (at most 7), as bytes: joined to qwords of eight planes each,
 * at most 44 bits. */
ZTI_INLINE void join_codes4(vec code, vec length, vec *string, vec *string_length)
{
    const vec m8 = v_all16(0xff), m16 = v_all32(0xffff), m32 = v_all64(0xffffffff);
    vec low = v_and(length, m8);
    vec v =
        v_or(v_and(code, m8), v_leftv16(v_right16(code, 8), v_and(v_shifts_of_bytes(length), m8)));
    vec n = v_add16(low, v_right16(length, 8));
    low = v_and(n, m16);
    v = v_or(v_and(v, m16), v_leftv32(v_right32(v, 16), low));
    n = v_add32(low, v_right32(n, 16));
    low = v_and(n, m32);
    *string = v_or(v_and(v, m32), v_leftv64(v_right64(v, 32), low));
    *string_length = v_add64(low, v_right64(n, 32));
}

#endif
