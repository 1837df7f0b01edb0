/* thread.h: kernel text: encode and decode a tile by one thread, for tiles of up to 64 values,
 * which fit its registers.
 *
 * tile/types.h is the text of the tile, as on the CPU; gpu/thread_coder.h has the planes. Squares
 * of bits are transposed in registers. Between transposing and coding, planes are in shared memory,
 * where a plane can be addressed by its number. Word j of a warp's threads is at 32 j + lane, so
 * threads use different banks whichever planes they process.
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

/* The thread's planes in shared memory; of 64-bit values half of them at a time. */
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

FN void append_zero_bits(struct string *s, uint32_t zeros)
{
    s->held_bits += zeros;
    for (; s->held_bits >= 32; s->held_bits -= 32, s->held = 0)
        s->slot[s->word++] = s->held;
}

FN struct string begin_string(const struct zti_bit_writer *w)
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

/* Give the string back to the writer, cut to 'most' bits. */
FN void end_string(const struct string *s, struct zti_bit_writer *w, uint32_t most)
{
    const uint32_t all = string_bits(s), bits = all < most ? all : most;
    s->slot[s->word] = s->held;
    w->words = bits / 64;
    w->held_bits = bits % 64;
    w->held = w->slot[bits / 64] & low_mask(bits % 64);
}

/* ---- bits of the stream ---- */

struct source {
    const uint32_t *words;
    uint32_t count, next;      /* words in all; the next word to fetch */
    uint32_t now, then, later; /* three consecutive words; 'later' is on its way */
    uint32_t at;               /* bits; modulo 32: the place in 'now' */
};

FN uint32_t fetch_word(struct source *s)
{
    const uint32_t i = s->next++;
    return i < s->count ? s->words[i] : 0;
}

FN struct source begin_source(const struct zti_bit_reader *r)
{
    const uint64_t first = r->at / 32, all = r->count * 2;
    struct source s = {
        (const uint32_t *)(const void *)r->words + first, 0, 0, 0, 0, 0, (uint32_t)(r->at % 32)};
    if (first < all)
        s.count = all - first < 1u << 20 ? (uint32_t)(all - first) : 1u << 20;
    s.now = fetch_word(&s);
    s.then = fetch_word(&s);
    s.later = fetch_word(&s);
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
    const uint32_t before = s->at;
    s->at += n;
    if ((before ^ s->at) & 32) {
        s->now = s->then;
        s->then = s->later;
        s->later = fetch_word(s);
    }
}

/* Read the first c <= 64 bits of a plane, those of known coefficients. */
FN void take_known_of_thread(struct source *s, uint32_t *plane, uint32_t c)
{
    const uint32_t low = c < 32 ? c : 32;
    plane[0] = low_bits(next_bits(s), low);
    skip_bits(s, low);
    if (c > 32) {
        plane[1] = low_bits(next_bits(s), c - 32);
        skip_bits(s, c - 32);
    }
}

/* Set bit i of a plane of n <= 64 bits, without an index known only at run time: both words stay in
 * registers. */
FN void set_bit_of_thread(uint32_t *plane, uint32_t n, uint32_t i)
{
    plane[0] |= n <= 32 || i < 32 ? 1u << i : 0;
    if (n > 32)
        plane[1] |= i >= 32 ? 1u << (i - 32) : 0;
}

#define PLANE(x)               x##_of_thread
#define SINK                   struct string
#define PUT_BITS               32
#define WORD                   uint32_t
#define WORD_AT(p, j)          (p)[32 * (j)]
#define PUT                    append_bits
#define PUT_WORD(s, v, n)      append_bits(s, low_bits(v, n), (n) < 32 ? (n) : 32)
#define PUT_RUN(s, zeros)      (append_bits(s, 1, 1), append_zero_bits(s, zeros))
#define SOURCE                 struct source
#define FIELD                  uint32_t
#define PEEK_BITS              32
#define PEEK                   next_bits
#define PASS                   skip_bits
#define PLACE(x)               ((uint32_t)__ffs((int)(x)) - 1)
#define TAKEN                  uint32_t
#define TAKE_KNOWN(r, p, n, c) take_known_of_thread(r, p, c)
#define SET                    set_bit_of_thread
#include "codec/zfp/tile/plane.h" /* put_plane_of_thread, take_plane_of_thread */

/* One thread has all values of a tile. */
#define OF(x, width)     x##_##width
#define OWN_VALUES(rank) ((rank) < ZT_MAX_RANK ? 1u << 2 * (rank) : 64u)
#define ZTI_ZFP_CODER    "codec/zfp/gpu/thread_coder.h"
#include "codec/zfp/tile/types.h" /* put_tile_32, gather_64, ... */
#undef OF
#undef OWN_VALUES
#undef ZTI_ZFP_CODER

#endif
