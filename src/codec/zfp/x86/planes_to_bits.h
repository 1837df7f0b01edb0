/* planes_to_bits.h: text: encode the bit planes of a tile to bits, all planes at once. The includer
 * has the words of its instruction set (x86/words.h).
 *
 * Let w be a plane, c the number of coefficients known to be significant before it, x = w >> c. The
 * code of tile/planes.h is then: the c low bits of w; a 1; the bits of x from the lowest up to its
 * top 1, with each 1 doubled; and the last 1 of all these is changed to 0. So if x = 0, the c bits
 * are followed by one 0. If the tile's last coefficient becomes significant, its two bits are left
 * out. With I the OR of all planes down to this one, and E the OR of those before it,
 *
 *     c = bit length of E,  n' = bit length of I,  length = n' + popcount(x) + 1, or
 *     (n - 1) + max(popcount(x), 1) where the last coefficient is significant
 *
 * so planes depend on each other only through a running OR, and each lane has a plane. Ones are
 * doubled by a table of nibbles, whose results are joined in lanes of growing width. */
#ifndef ZTI_ZFP_X86_PLANES_TO_BITS_H
#define ZTI_ZFP_X86_PLANES_TO_BITS_H

#include "codec/zfp/tile/planes.h"

#include <immintrin.h>

/* A writer of words: 'held' has the last 'count' < 64 bits, whose word is not full. */
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

/* As put, within the budget. */
ZTI_INLINE void write_within(struct fast_writer *f, uint64_t v, uint64_t n, bool is_limited)
{
    if (is_limited) {
        n = n < f->left ? n : f->left;
        f->left -= n;
        v = _bzhi_u64(v, (uint32_t)n);
    }
    put(f, v, n);
}

static inline void write_fast_zeros(struct fast_writer *f, uint64_t n)
{
    for (; n > 64; n -= 64)
        put(f, 0, 64);
    put(f, 0, n);
}

/* ---- 64 coefficients: a lane is 64 bits ---- */

/* Nibbles with each 1 doubled. */
ZTI_INLINE u8s doubled_nibbles(u8s nibbles)
{
    return v_look_up(_mm_setr_epi8(0x00, 0x03, 0x06, 0x0f, 0x0c, 0x1b, 0x1e, 0x3f, 0x18, 0x33, 0x36,
                                   0x6f, 0x3c, 0x7b, 0x7e, (char)0xff),
                     nibbles);
}

/* x with its ones doubled: low from the lower 32 bits of a lane, high from the upper. */
struct doubled {
    u64s low, high;
    u64s ones;       /* of x */
    u64s low_length; /* bits of low that count */
};

ZTI_INLINE struct doubled doubled_ones(u64s x)
{
    const u8s a = (u8s)x & 15, b = (u8s)((u16s)x >> 4) & 15;
    const u16s code_a = (u16s)doubled_nibbles(a), code_b = (u16s)doubled_nibbles(b);
    const u16s shift = (u16s)v_shifts_of_nibbles(a);
    const struct ones n = v_ones(x, a, b);
    const u32s length8 = (u32s)(n.of8 + 8), length16 = n.of16 + 16;
    const u64s length32 = n.of32 + 32;
    /* extend the bytes of x at even and at odd places to 16 bits: the lower nibble's code, and the
     * upper nibble's code above it */
    const u32s even8 = (u32s)((code_a & 0xff) | v_left_16(code_b << 4 & 0x0ff0, shift & 0xff));
    const u32s odd8 = (u32s)(code_a >> 8 | v_left_16(code_b >> 4 & 0x0ff0, shift >> 8));
    /* join two codes of 8 bits of x, of length8 bits each, to 32 bits */
    const u64s joined_low = (u64s)((even8 & 0xffff) | v_left_32(odd8 & 0xffff, length8 & 0xffff));
    const u64s joined_high = (u64s)(even8 >> 16 | v_left_32(odd8 >> 16, length8 >> 16));
    /* and two of these to 64 bits */
    return (struct doubled){.low = (joined_low & UINT32_MAX) |
                                   v_left_64(joined_high & UINT32_MAX, (u64s)length16 & UINT32_MAX),
                            .high = joined_low >> 32 |
                                    v_left_64(joined_high >> 32, (u64s)length16 >> 32),
                            .ones = n.all64,
                            .low_length = length32};
}

/* Coded planes, one a lane: length bits of low and, above 64, of high. */
struct strings {
    uint64_t low[V_LANES_64], high[V_LANES_64], length[V_LANES_64];
};

/* Store each lane's string: the bits of w below c; 'test' (0 or 1) at place c; and x with its ones
 * doubled, from place 'open' on; cut to 'kept' bits, of which 'length' count. */
ZTI_INLINE void store_strings(struct strings *s, u64s w, u64s c, u64s test, u64s open,
                              const struct doubled *x, u64s kept, u64s length)
{
    const u64s all = v_all_64(UINT64_MAX), n64 = v_all_64(64), at = c + open;
    const u64s low = x->low | v_left_64(x->high, x->low_length);
    const u64s high = v_right_64(x->high, 64 - x->low_length);
    const u64s string = (w & ~v_left_64(all, c)) | v_left_64(test, c) | v_left_64(low, at);
    const u64s rest = v_right_64(low, 64 - at) | v_left_64(high, at);
    v_store_64(s->low, string & ~v_left_64(all, kept));
    v_store_64(s->high, rest & ~v_left_64(all, v_rest(kept, n64)));
    v_store_64(s->length, length);
}

ZTI_INLINE void write_strings(struct fast_writer *f, const struct strings *s, uint32_t count,
                              bool is_limited)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t n = s->length[i] < 64 ? s->length[i] : 64;
        write_within(f, s->low[i], n, is_limited);
        if (s->length[i] > 64)
            write_within(f, s->high[i], s->length[i] - 64, is_limited);
    }
}

/* The OR of the planes before, and its bit length, in the last lane. */
struct seen {
    vec bits, known;
};

ZTI_INLINE struct seen nothing_seen(void)
{
    return (struct seen){.bits = (vec){0}, .known = (vec){0}};
}

/* Append 'count' <= V_LANES_64 planes of a tile of 64, highest first. */
ZTI_INLINE void write_planes64(struct fast_writer *f, u64s w, struct seen *seen, uint32_t count,
                               bool is_limited)
{
    const u64s one = v_all_64(1);
    const u64s all = v_ors_64(w) | v_last_64((u64s)seen->bits), known = v_bit_length_64(all);
    const u64s c = v_before_64(known, (u64s)seen->known);
    const struct doubled x = doubled_ones(v_right_64(w, c));
    const b64s is_full = v_is_less_64(all, v_all_64(0)); /* the top bit is set */
    const u64s full = (u64s)v_max_32((u32s)x.ones, (u32s)one) + 63;
    const u64s open = known + x.ones; /* its last 1 is 0 */
    struct strings s;
    store_strings(&s, w, c, one, one, &x, v_if_64(is_full, full, open),
                  v_if_64(is_full, full, open + 1));
    seen->bits = (vec)all;
    seen->known = (vec)known;
    write_strings(f, &s, count, is_limited);
}

/* ---- 256 coefficients: a lane is a quarter of a plane ---- */

struct planes256 {
    u64s quarter[4];
};

/* Append planes in plain C; the c of each is 'known'. */
static void write_planes256_plainly(struct fast_writer *f, const struct planes256 *p, u64s known,
                                    uint32_t count, bool is_limited)
{
    uint64_t word[4][V_LANES_64], c[V_LANES_64];
    for (uint32_t q = 0; q < 4; q++)
        v_store_64(word[q], p->quarter[q]);
    v_store_64(c, known);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t buffer[2 * 64 + ZTI_BIT_MARGIN_BYTES];
        const uint64_t plane[4] = {word[0][i], word[1][i], word[2][i], word[3][i]};
        struct zti_bit_writer w = zti_bit_writer_at(buffer);
        (void)write_plane(&w, plane, 256, (uint32_t)c[i], 256);
        zti_put_le64(w.next, w.held);
        const uint64_t n = zti_bits_written(&w);
        for (uint64_t at = 0; at < n; at += 64) {
            const uint64_t here = n - at < 64 ? n - at : 64;
            write_within(f, _bzhi_u64(zti_get_le64(buffer + at / 8), (uint32_t)here), here,
                         is_limited);
        }
    }
}

/* As write_planes64. Plain C encodes planes if a quarter's string is longer than 128 bits (64 ones
 * after the first significant coefficient). */
static void write_planes256(struct fast_writer *f, const struct planes256 *p,
                            struct planes256 *seen, uint32_t count, bool is_limited)
{
    const u64s zero = v_all_64(0), one = v_all_64(1), n64 = v_all_64(64);
    u64s all[4], c[4], x[4], later = zero, known = zero;
    struct strings s[4];
    bool is_long = false;
    for (uint32_t q = 0; q < 4; q++) {
        all[q] = v_ors_64(p->quarter[q]) | v_last_64(seen->quarter[q]);
        const u64s before = v_before_64(all[q], seen->quarter[q]);
        seen->quarter[q] = all[q];
        known = v_if_64(v_is_set_64(before), v_bit_length_64(before) + 64 * q, known);
    }
    for (uint32_t q = 0; q < 4; q++) {
        c[q] = (u64s)v_min_32((u32s)v_rest(known, v_all_64(64 * q)), (u32s)n64);
        x[q] = v_right_64(p->quarter[q], c[q]);
    }
    const b64s is_last =
        (b64s)(v_is_less_64(p->quarter[3], zero) & v_is_less_64(known, v_all_64(256)));
    for (uint32_t q = 4; q-- > 0;) {
        const b64s goes_on = v_is_set_64(later);
        const b64s is_open =
            (b64s)(v_is_less_64(c[q], n64) & ~v_is_less_64(known, v_all_64(64 * q)));
        const struct doubled twice = doubled_ones(x[q]);
        b64s ends = (b64s)(v_is_set_64(x[q]) & ~goes_on);
        later |= x[q];
        const u64s open = v_where_64(is_open, one);
        const u64s test = v_where_64((b64s)(is_open & v_is_set_64(later)), one);
        /* all of x if a later quarter has ones, else up to its top 1, whose pair is 1 0 */
        u64s length = v_if_64(goes_on, 64 - c[q], v_bit_length_64(x[q]));
        length += twice.ones + open + c[q];
        if (q == 3) {
            length -= v_where_64(is_last, v_all_64(2));
            ends = (b64s)(ends & ~is_last);
        }
        store_strings(&s[q], p->quarter[q], c[q], test, open, &twice,
                      length - v_where_64(ends, one), length);
        is_long |= m_any_64(v_is_less_64(v_all_64(128), length));
    }
    if (zti_unlikely(is_long)) {
        write_planes256_plainly(f, p, known, count, is_limited);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t q = 0; q < 4 && (s[q].length[i] > 0 || q == 0); q++) {
            const uint64_t n = s[q].length[i];
            write_within(f, s[q].low[i], n < 64 ? n : 64, is_limited);
            if (n > 64)
                write_within(f, s[q].high[i], n - 64, is_limited);
        }
}

/* ---- 16 coefficients: a lane is 32 bits ---- */

/* Append 'count' <= V_LANES_32 planes of a tile of 16; neighbours are joined, and written two by
 * two. */
ZTI_INLINE void write_planes16(struct fast_writer *f, u32s w, struct seen *seen, uint32_t count,
                               bool is_limited)
{
    const u32s ones = v_all_32(UINT32_MAX);
    const b32s is_there = m_first_32(count);
    const u32s all = v_ors_32(w) | v_last_32((u32s)seen->bits), known = v_bit_length_32(all);
    const u32s c = v_before_32(known, (u32s)seen->known);
    seen->bits = (vec)all;
    seen->known = (vec)known;
    /* expand x's four nibbles to bytes, double their ones, and join them */
    const u32s x = v_right_32(w, c), bytes = (x | x << 8) & 0x00ff00ff;
    const u8s y = (u8s)(bytes | bytes << 4) & 15;
    const u16s code = (u16s)doubled_nibbles(y), shift = (u16s)v_shifts_of_nibbles(y);
    const struct ones n = v_ones((u64s)y, y, (u8s){0});
    const u32s code8 =
        ((u32s)code & 0x00ff00ff) |
        (u32s)v_left_16((u16s)((u32s)(code >> 4) & 0x0ff00ff0), (u16s)((u32s)shift & 0x00ff00ff));
    const u32s doubled = (code8 & 0xffff) | v_left_32(code8 >> 16, n.of16 + 8);
    const b32s is_full = v_is_less_32(all << 16, v_all_32(0)); /* the last coefficient is known */
    const u32s full = v_max_32(n.all32, v_all_32(1)) + 15;
    const u32s open = known + n.all32; /* its last 1 is 0 */
    const u32s kept = v_if_32(is_full, full, open);
    const u32s bits = kept + 1 - v_where_32(is_full, v_all_32(1));
    const u64s length = (u64s)v_where_32(is_there, bits);
    const u32s tested = doubled << 1 | 1;
    const u32s whole = (w & ~v_left_32(ones, c)) | v_left_32(tested, c);
    const u64s string = (u64s)v_where_32(is_there, whole & ~v_left_32(ones, kept));
    uint64_t pair[V_LANES_64], pair_length[V_LANES_64];
    const u64s low_length = length & UINT32_MAX;
    v_store_64(pair, (string & UINT32_MAX) | v_left_64(string >> 32, low_length));
    v_store_64(pair_length, low_length + (length >> 32));
    for (uint32_t i = 0; i < (count + 1) / 2; i++)
        write_within(f, pair[i], pair_length[i], is_limited);
}

/* ---- 4 coefficients: a byte is a plane ---- */

/* Join the codes of planes, at most 7 bits in a byte each, to qwords of eight planes each, at most
 * 44 bits. */
ZTI_INLINE void join_codes4(u8s code, u8s length, vec *string, vec *string_length)
{
    const u16s low8 = (u16s)length & 0xff;
    const u16s shift = (u16s)v_shifts_of_bytes(length) & 0xff;
    const u32s v8 = (u32s)(((u16s)code & 0xff) | v_left_16((u16s)code >> 8, shift));
    const u32s n8 = (u32s)(low8 + ((u16s)length >> 8)), low16 = n8 & 0xffff;
    const u64s v16 = (u64s)((v8 & 0xffff) | v_left_32(v8 >> 16, low16));
    const u64s n16 = (u64s)(low16 + (n8 >> 16)), low32 = n16 & UINT32_MAX;
    *string = (vec)((v16 & UINT32_MAX) | v_left_64(v16 >> 32, low32));
    *string_length = (vec)(low32 + (n16 >> 32));
}

#endif
