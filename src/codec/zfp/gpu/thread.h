/* thread.h: kernel text: a tile a thread, for tiles whose values fit a thread's registers: up
 * to 64.
 *
 * tile/types.h is the text of the tile, as on the CPU. Planes are the thread's own
 * (gpu/thread_coder.h): squares of bits are turned in registers, and lie in shared memory between
 * turning and coding, where a plane can be chosen by its number. Word j of a warp's threads is at
 * 32 j + lane, so that threads use different banks whichever planes they are at.
 *
 * Bits are written and read in words of 32, so that a field costs few instructions. */
#ifndef ZTI_ZFP_GPU_THREAD_H
#define ZTI_ZFP_GPU_THREAD_H

#include "codec/zfp/gpu/kernels.h"
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

/* Turn the squares of bits of a[0..rows-1], as transpose of tile/transform.h does. */
FN void turn_words(uint32_t *a, uint32_t rows)
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

/* Words of a thread's planes: half of them where values have 64 bits. */
FN uint32_t *planes_of_thread(uint32_t rank)
{
    SIMT_SHARED_DYNAMIC(uint32_t, memory);
    return memory + ((threadIdx.x / 32 * 32) << 2 * rank) + threadIdx.x % 32;
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

FN void append_nothing(struct string *s, uint32_t zeros)
{
    s->held_bits += zeros;
    for (; s->held_bits >= 32; s->held_bits -= 32, s->held = 0)
        s->slot[s->word++] = s->held;
}

FN struct string string_behind(const struct zti_bit_writer *w)
{
    struct string s = {(uint32_t *)(void *)w->slot, (uint32_t)w->words * 2, w->held_bits,
                       (uint32_t)w->held};
    if (s.held_bits >= 32) {
        s.slot[s.word++] = s.held;
        s.held = (uint32_t)(w->held >> 32);
        s.held_bits -= 32;
    }
    return s;
}

/* And back to the writer, but no more than 'most' bits. */
FN void end_string(const struct string *s, struct zti_bit_writer *w, uint32_t most)
{
    const uint32_t all = string_bits(s), bits = all < most ? all : most;
    s->slot[s->word] = s->held;
    w->words = bits / 64;
    w->held_bits = bits % 64;
    w->held = w->slot[bits / 64] & low_mask(bits % 64);
}

/* Append a plane of n coefficients, of which c are known; returns how many are then. */
FN uint32_t append_small_plane(struct string *s, uint32_t plane, uint32_t n, uint32_t c)
{
    uint32_t v = low_bits(plane, c), length = c; /* at most 31 bits */
    for (uint32_t x = plane >> c; x;) {
        const uint32_t zeros = (uint32_t)__ffs((int)x) - 1;
        v |= 1u << length;
        length += 1 + zeros;
        c += zeros + 1;
        if (c == n) /* whose 1 is implied */
            break;
        v |= 1u << length++;
        x >>= zeros + 1;
    }
    append_bits(s, v, c < n ? length + 1 : length);
    return c;
}

/* The same for 64 coefficients. */
FN uint32_t append_large_plane(struct string *s, uint32_t low, uint32_t high, uint32_t c)
{
    append_bits(s, low_bits(low, c < 32 ? c : 32), c < 32 ? c : 32);
    if (c > 32)
        append_bits(s, low_bits(high, c - 32), c - 32);
    if (c == 64)
        return c;
    for (uint64_t x = ((uint64_t)high << 32 | low) >> c; x;) {
        const bool is_low = (uint32_t)x != 0;
        const uint32_t zeros = (uint32_t)__ffs((int)(is_low ? (uint32_t)x : (uint32_t)(x >> 32))) -
                               (is_low ? 1u : (uint32_t)-31);
        c += zeros + 1;
        const uint32_t last = c == 64; /* whose 1 is implied */
        if (zeros < 31) {
            append_bits(s, last ? 1 : 1 | 2u << zeros, zeros + 2 - last);
        } else {
            append_bits(s, 1, 1);
            append_nothing(s, zeros);
            append_bits(s, 1 - last, 1 - last);
        }
        x = x >> zeros >> 1;
    }
    append_nothing(s, c < 64);
    return c;
}

/* ---- bits of the stream ---- */

struct source {
    const uint32_t *words;
    uint32_t count, next; /* of words, and the first that has not been fetched */
    uint32_t now, then, later;
    uint32_t at; /* bits; where in 'now' is the remainder by 32 */
};

FN uint32_t fetch(struct source *s)
{
    const uint32_t i = s->next++;
    return i < s->count ? s->words[i] : 0;
}

FN struct source source_at(const struct zti_bit_reader *r)
{
    const uint64_t first = r->at / 32, all = r->count * 2;
    struct source s = {
        (const uint32_t *)(const void *)r->words + first, 0, 0, 0, 0, 0, (uint32_t)(r->at % 32)};
    if (first < all)
        s.count = all - first < 1u << 20 ? (uint32_t)(all - first) : 1u << 20;
    s.now = fetch(&s);
    s.then = fetch(&s);
    s.later = fetch(&s);
    return s;
}

/* The next 32 bits. */
FN uint32_t next_bits(const struct source *s)
{
    return __funnelshift_r(s->now, s->then, s->at);
}

/* Pass over n <= 32 bits. */
FN void pass(struct source *s, uint32_t n)
{
    const uint32_t before = s->at;
    s->at += n;
    if ((before ^ s->at) & 32) {
        s->now = s->then;
        s->then = s->later;
        s->later = fetch(s);
    }
}

/* Pass over the planes before the first with a bit, at most 'most'; returns how many. */
FN uint32_t pass_empty_planes(struct source *s, uint32_t most)
{
    uint32_t n = 0, step = 32;
    while (step == 32 && n < most) {
        const uint32_t v = next_bits(s), rest = most - n;
        step = v ? (uint32_t)__ffs((int)v) - 1 : 32;
        const uint32_t some = step < rest ? step : rest;
        pass(s, some);
        n += some;
    }
    return n;
}

/* Take a plane of n coefficients, of which *c are known, from at most the bits before 'end'. Where
 * these end in a run of zeros, the 1 behind it is what libzfp makes of it. */
FN uint32_t take_small_plane(struct source *s, uint32_t n, uint32_t *c, uint32_t end)
{
    const uint32_t v = next_bits(s), left = end - s->at;
    uint32_t used = *c < left ? *c : left, plane = low_bits(v, used); /* at most 31 bits */
    while (used < left && *c < n) {
        const uint32_t x = v >> used;
        used++;
        if (!(x & 1))
            break;
        const uint32_t scan = n - 1 - *c < left - used ? n - 1 - *c : left - used;
        const uint32_t found = (uint32_t)__ffs((int)(x & ~1u)) - 2;
        const uint32_t zeros = found < scan ? found : scan;
        used += zeros + (zeros < scan);
        *c += zeros;
        plane |= 1u << *c;
        (*c)++;
    }
    pass(s, used);
    return plane;
}

/* The same for 64 coefficients. */
FN uint64_t take_large_plane(struct source *s, uint32_t *known, uint32_t end)
{
    const uint32_t left = end - s->at, some = *known < left ? *known : left;
    uint32_t c = *known, low, high = 0;
    low = low_bits(next_bits(s), some < 32 ? some : 32);
    pass(s, some < 32 ? some : 32);
    if (some > 32) {
        high = low_bits(next_bits(s), some - 32);
        pass(s, some - 32);
    }
    while (s->at < end && c < 64) {
        const uint32_t v = next_bits(s);
        if (!(v & 1)) {
            pass(s, 1);
            break;
        }
        const uint32_t rest = end - s->at - 1, scan = 63 - c < rest ? 63 - c : rest;
        const uint32_t found = (uint32_t)__ffs((int)(v & ~1u)) - 2;
        uint32_t zeros = found < scan ? found : scan;
        if (zeros < 32) {
            pass(s, 1 + zeros + (zeros < scan));
        } else { /* there is no 1 among 31 bits, and more than these */
            pass(s, 32);
            const uint32_t behind = (uint32_t)__ffs((int)next_bits(s)) - 1;
            zeros = behind < scan - 31 ? 31 + behind : scan;
            pass(s, zeros - 31 + (zeros < scan));
        }
        c += zeros;
        low |= c < 32 ? 1u << c : 0;
        high |= c >= 32 ? 1u << (c - 32) : 0;
        c++;
    }
    *known = c;
    return (uint64_t)high << 32 | low;
}

/* One thread has all values of a tile. */
#define OF(x, type)      x##_##type
#define OWN_VALUES(rank) ((rank) < ZT_MAX_RANK ? 1u << 2 * (rank) : 64u)
#define ZTI_ZFP_CODER    "codec/zfp/gpu/thread_coder.h"
#include "codec/zfp/tile/types.h" /* put_tile_f64, take_lossy_32, gather_64, ... */
#undef OF
#undef OWN_VALUES
#undef ZTI_ZFP_CODER

#endif
