/* thread.h: kernel text: encode and decode a tile by one thread, for tiles of up to 64 values,
 * which fit its registers.
 *
 * tile/types.h is the text of the tile, as on the CPU; gpu/thread_coder.h has the planes. Squares
 * of bits are transposed in registers. Between transposing and coding, planes are in shared memory,
 * where a plane can be addressed by its number. Word j of a warp's threads is at 32 j + lane, so
 * threads use different banks whichever planes they process. Planes of 3-D tiles are words of 64
 * bits; when encoding they share the thread's slot with the bits.
 *
 * Bits are written and read in words of 32 bits, which takes few instructions for each field. */
#ifndef ZTI_ZFP_GPU_THREAD_H
#define ZTI_ZFP_GPU_THREAD_H

#include "codec/zfp/gpu/kernels.h"
#include "codec/zfp/gpu/notes.h"
#include "codec/zfp/tile/planes.h"

#if defined(__CUDACC__)
#define IN_REGISTER_64(v) "+l"(v)
#else
#define IN_REGISTER_64(v) "+r"(v)
#endif

/* The lowest n <= 32 bits. */
FN uint32_t low_bits(uint32_t v, uint32_t n)
{
    return n < 32 ? v & ((1u << n) - 1) : v;
}

/* Transpose the squares of bits of a[0..rows-1], as 'transpose' of tile/transform.h does. */
FN void transpose_words(uint32_t *a, uint32_t rows)
{
    SIMT_UNROLL
    for (uint32_t s = rows / 2; s > 0; s /= 2) {
        const uint32_t low = 0xffffffffu / ((1u << s) + 1);
        SIMT_UNROLL
        for (uint32_t i = 0; i < rows; i++)
            if (!(i & s)) {
                const uint32_t x = a[i], y = a[i + s];
                if (s == 16) {
                    a[i] = __byte_perm(x, y, 0x5410);
                    a[i + s] = __byte_perm(x, y, 0x7632);
                } else if (s == 8) {
                    a[i] = __byte_perm(x, y, 0x6240);
                    a[i + s] = __byte_perm(x, y, 0x7351);
                } else {
                    a[i] = (x & low) | (y << s & ~low);
                    a[i + s] = (x >> s & low) | (y & ~low);
                }
            }
    }
}

/* The thread's planes in shared memory; of 64-bit values half of them at a time. Not for encoding
 * in 3-D. */
FN uint32_t *planes_of_thread(uint32_t rank)
{
    SIMT_SHARED_DYNAMIC(uint32_t, memory);
    return memory + ((threadIdx.x / 32 * 32) << 2 * rank) + threadIdx.x % 32;
}

/* The same in words of 64 bits: a plane of 64 coefficients is at 32 j + lane. */
FN uint64_t *cube_of_thread(void)
{
    SIMT_SHARED_DYNAMIC(uint64_t, memory);
    return memory + (threadIdx.x / 32 * 32) * 32 + threadIdx.x % 32;
}

/* 32 planes of 64 coefficients that are being encoded, at the end of the slot: the string of bits,
 * which begins at its other end, does not reach a plane before that is read (host.cu). */
FN uint64_t *cube_in_slot(const struct zti_bit_writer *w)
{
    return w->slot + (w->slot_words < 32 ? 0 : w->slot_words - 32);
}

/* ---- bits into a slot ---- */

struct string {
    uint32_t *slot;
    uint32_t word, held_bits; /* of the word: 0..31 */
    uint32_t held;
};

FN uint32_t string_bits(const struct string *s)
{
    return s->word * 32 + s->held_bits;
}

/* Append n <= 32 bits; the higher ones are zero. */
FN void append_bits(struct string *s, uint32_t v, uint32_t n)
{
    const uint64_t all = (uint64_t)v << s->held_bits;
    s->held |= (uint32_t)all;
    s->held_bits += n;
    if (s->held_bits >= 32) {
        s->slot[s->word++] = s->held;
        s->held = (uint32_t)(all >> 32);
        s->held_bits -= 32;
    }
}

/* The same for n <= 64 bits. */
FN void append_64_bits(struct string *s, uint64_t v, uint32_t n)
{
    const uint32_t low = (uint32_t)v, high = (uint32_t)(v >> 32), at = s->held_bits;
    const uint32_t first = s->held | low << at, second = __funnelshift_l(low, high, at);
    const uint32_t third = __funnelshift_l(high, 0, at), all = at + n;
    if (all >= 32)
        s->slot[s->word] = first;
    if (all >= 64)
        s->slot[s->word + 1] = second;
    s->held = all < 32 ? first : all < 64 ? second : third;
    s->word += all / 32;
    s->held_bits = all % 32;
}

FN void append_zero_bits(struct string *s, uint32_t zeros)
{
    s->held_bits += zeros;
    for (; s->held_bits >= 32; s->held_bits -= 32, s->held = 0)
        s->slot[s->word++] = s->held;
}

FN struct string begin_string(const struct zti_bit_writer *w)
{
    struct string s = {(uint32_t *)simt_in_shared(w->slot), (uint32_t)w->words * 2, w->held_bits,
                       (uint32_t)w->held};
    if (s.held_bits >= 32) {
        s.slot[s.word++] = s.held;
        s.held = (uint32_t)(w->held >> 32);
        s.held_bits -= 32;
    }
    return s;
}

/* Give the string back to the writer, cut to 'most' bits. */
FN void end_string(const struct string *s, struct zti_bit_writer *w, uint32_t most)
{
    const uint32_t all = string_bits(s), bits = all < most ? all : most;
    s->slot[s->word] = s->held;
    w->words = bits / 64;
    w->held_bits = bits % 64;
    w->held = w->slot[bits / 64] & low_mask(bits % 64);
}

/* The lowest n <= 64 bits. */
FN uint64_t low_bits_64(uint64_t v, uint32_t n)
{
    return v & (simt_ones(n) | (uint64_t)simt_ones(n > 32 ? n - 32 : 0) << 32);
}

/* Append a plane of 64 coefficients with c known ones; returns the new c. */
FN uint32_t encode_cube_plane(struct string *s, uint64_t plane, uint32_t c)
{
    const uint32_t low = (uint32_t)plane, high = (uint32_t)(plane >> 32);
    const uint32_t top = simt_highest(high ? high : low) + (high ? 33 : 1);
    const uint32_t has_tail = top > c ? 1 : 0;
    uint64_t rest = plane >> (c < 64 ? c : 63);
    append_64_bits(s, low_bits_64(plane, c) | (c < 64 ? (uint64_t)has_tail << c : 0),
                   c < 64 ? c + 1 : 64);
    if (!has_tail)
        return c;
    for (uint32_t more = top - c;; more -= 32, rest >>= 32) {
        const uint32_t v = (uint32_t)rest, some = more < 32 ? more : 32;
        const bool is_last = more <= 32;
        /* after the last 1 a negative test; the last coefficient's 1 is implied, with its test */
        const uint32_t zero = is_last && top < 64 ? 1 : 0;
        const uint32_t bits = some + (uint32_t)__popc(v) - (is_last ? 2 - zero : 0);
        append_64_bits(s, low_bits_64(double_ones_of(v), bits), bits + zero);
        if (is_last)
            return top;
    }
}

/* The same for n <= 16 coefficients, whose bits are at most 31. */
FN uint32_t write_small_plane(struct string *s, uint32_t v, uint32_t n, uint32_t c)
{
    const uint32_t top = simt_highest(v) + 1, has_tail = top > c ? 1 : 0, rest = v >> c;
    const uint32_t zero = top < n ? 1 : 0;
    const uint32_t bits = top - c + (uint32_t)__popc(rest) - 2 + zero;
    const uint32_t first = (v & simt_ones(c)) | has_tail << c;
    if (!has_tail) {
        append_bits(s, first, c < n ? c + 1 : n);
        return c;
    }
    append_bits(s, first | ((uint32_t)double_ones_of(rest) & simt_ones(bits)) << (c + 1),
                c + 1 + bits + zero);
    return top;
}

/* ---- bits of the stream ---- */

struct source {
    const uint32_t *words;
    uint32_t count, next;      /* words in all; the next word to fetch */
    uint32_t now, then, later; /* three consecutive words; 'later' is on its way */
    uint32_t at;               /* bits; modulo 32: the place in 'now' */
};

/* Fetch the next word if 'is_due'. */
FN void fetch_word(struct source *s, bool is_due)
{
    s->later =
        simt_load_if(is_due && s->next < s->count, s->words + s->next, is_due ? 0 : s->later);
    s->next += is_due ? 1 : 0;
}

FN struct source begin_source(const struct zti_bit_reader *r)
{
    const uint64_t first = r->at / 32, all = r->count * 2;
    struct source s = {
        (const uint32_t *)simt_in_global((const uint32_t *)(const void *)r->words + first),
        0,
        0,
        0,
        0,
        0,
        (uint32_t)(r->at % 32)};
    if (first < all)
        s.count = all - first < 1u << 20 ? (uint32_t)(all - first) : 1u << 20;
    fetch_word(&s, true);
    s.now = s.later;
    fetch_word(&s, true);
    s.then = s.later;
    fetch_word(&s, true);
    return s;
}

/* The next 32 bits. */
FN uint32_t next_bits(const struct source *s)
{
    return __funnelshift_r(s->now, s->then, s->at);
}

/* Skip n <= 32 bits. */
FN void skip_bits(struct source *s, uint32_t n)
{
    const bool is_due = (s->at ^ (s->at + n)) & 32;
    s->at += n;
    s->now = is_due ? s->then : s->now;
    s->then = is_due ? s->later : s->then;
    fetch_word(s, is_due);
}

/* Skip planes before the first significant coefficient, at most 'most'; returns how many. */
FN uint32_t read_empty_planes(struct source *s, uint32_t most)
{
    uint32_t n = 0, zeros = 32;
    while (zeros == 32 && n < most) {
        const uint32_t bits = next_bits(s);
        zeros = bits ? (uint32_t)__ffs((int)bits) - 1 : 32;
        const uint32_t some = zeros < most - n ? zeros : most - n;
        skip_bits(s, some);
        n += some;
    }
    return n;
}

/* Tail bits without positive group tests. The 1 that has r tests before it moves back by r. */
FN uint32_t halve_ones(uint32_t ones, uint32_t tests)
{
    uint32_t moved = 0;
    for (; ones != 0; tests++) {
        const uint32_t less = ones - 1;
        moved |= (ones & ~less) >> tests;
        ones &= less;
    }
    return moved;
}

/* Read a plane of 64 coefficients with *c known ones from at most 'left' bits. */
FN uint64_t decode_cube_plane(struct source *s, uint32_t *c, uint32_t left)
{
    const uint32_t end = s->at + left, has = *c < left ? *c : left, low = has < 32 ? has : 32;
    struct tail t = {*c, 0, 0, false};
    uint64_t plane = low_bits(next_bits(s), low);
    skip_bits(s, low);
    if (has > 32) {
        plane |= (uint64_t)low_bits(next_bits(s), has - 32) << 32;
        skip_bits(s, has - 32);
    }
    begin_tail(&t, 64, end - s->at);
    while (t.is_on) {
        const uint32_t at = t.known, tests = t.is_test;
        skip_bits(s, read_tail(&t, 64, next_bits(s), end - s->at));
        plane |= (uint64_t)halve_ones(t.ones, tests) << at;
    }
    if (t.known > *c)
        plane |= UINT64_C(1) << (t.known - 1);
    *c = t.known;
    return plane;
}

/* The same for n <= 16 coefficients, whose bits are at most 31. */
FN uint32_t read_small_plane(struct source *s, uint32_t n, uint32_t *c, uint32_t left)
{
    const uint32_t has = *c < left ? *c : left, bits = next_bits(s);
    struct tail t = {*c, 0, 0, false};
    uint32_t plane = bits & simt_ones(has), used = has;
    begin_tail(&t, n, left - has);
    if (t.is_on) {
        used += read_tail(&t, n, bits >> has, left - has);
        plane |= halve_ones(t.ones, 1) << has;
    }
    if (t.known > *c)
        plane |= 1u << (t.known - 1);
    skip_bits(s, used);
    *c = t.known;
    return plane;
}

#include "codec/zfp/gpu/line.h"

/* One thread has all values of a tile. */
#define OF(x, width)     x##_##width
#define OWN_VALUES(rank) ((rank) < ZT_MAX_RANK ? 1u << 2 * (rank) : 64u)
#define ZTI_ZFP_CODER    "codec/zfp/gpu/thread_coder.h"
#include "codec/zfp/tile/types.h" /* encode_tile_32, gather_64, ... */
#undef OF
#undef OWN_VALUES
#undef ZTI_ZFP_CODER

#endif
