/* bitstream.c: libzfp's bit streams. Never beyond the memory that a stream was opened with. */
#include "compat.h"

#include <stdlib.h>

enum { WORD_BYTES = ZFP_WORD_BITS / 8 };

extern const size_t stream_word_bits;
const size_t stream_word_bits = ZFP_WORD_BITS;

/* The low n <= 64 bits. */
static uint64_t low_bits(uint64_t v, uint64_t n)
{
    return n < 64 ? v & ((UINT64_C(1) << n) - 1) : v;
}

/* Bytes of a word that are inside the memory. */
static size_t bytes_there(const bitstream *s, uint64_t word)
{
    const uint64_t words = s->bytes / WORD_BYTES;
    return word < words ? WORD_BYTES : word == words ? s->bytes % WORD_BYTES : 0;
}

static uint64_t load_word(const bitstream *s, uint64_t word)
{
    const size_t n = bytes_there(s, word);
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)s->data[word * WORD_BYTES + i] << 8 * i;
    return v;
}

static void store_bytes(bitstream *s, size_t most)
{
    size_t n = bytes_there(s, s->word);
    n = n < most ? n : most;
    for (size_t i = 0; i < n; i++)
        s->data[s->word * WORD_BYTES + i] = (uint8_t)(s->held >> 8 * i);
}

static void store_word(bitstream *s)
{
    store_bytes(s, WORD_BYTES);
    s->word++;
    s->held = 0;
    s->held_bits = 0;
}

void compat_store_held(bitstream *s)
{
    store_bytes(s, (s->held_bits + 7) / 8);
}

void compat_go_to_word(bitstream *s, uint64_t word)
{
    s->word = word;
    s->held = 0;
    s->held_bits = 0;
}

/* ---- objects ---- */

bitstream *stream_open(void *buffer, size_t bytes)
{
    bitstream *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    s->data = buffer;
    s->bytes = buffer ? bytes : 0;
    compat_go_to_word(s, 0);
    return s;
}

void stream_close(bitstream *s)
{
    free(s);
}

bitstream *stream_clone(const bitstream *s)
{
    bitstream *copy = malloc(sizeof *copy);
    if (copy)
        *copy = *s;
    return copy;
}

bitstream_count stream_alignment(void)
{
    return ZFP_WORD_BITS;
}

void *stream_data(const bitstream *s)
{
    return s->data;
}

size_t stream_size(const bitstream *s)
{
    return (size_t)(s->word * WORD_BYTES);
}

size_t stream_capacity(const bitstream *s)
{
    return s->bytes / WORD_BYTES * WORD_BYTES;
}

size_t stream_stride_block(const bitstream *s)
{
    (void)s;
    return 1;
}

ptrdiff_t stream_stride_delta(const bitstream *s)
{
    (void)s;
    return 0;
}

/* ---- bits ---- */

uint64 stream_read_bits(bitstream *s, bitstream_count n)
{
    uint64_t v = 0;
    for (uint32_t got = 0; got < n;) {
        if (s->held_bits == 0) {
            s->held = load_word(s, s->word++);
            s->held_bits = ZFP_WORD_BITS;
        }
        const uint32_t want = (uint32_t)n - got;
        const uint32_t k = want < s->held_bits ? want : s->held_bits;
        v |= low_bits(s->held, k) << got;
        s->held = k < 64 ? s->held >> k : 0;
        s->held_bits -= k;
        got += k;
    }
    return v;
}

uint64 stream_write_bits(bitstream *s, uint64 value, bitstream_count n)
{
    const uint64_t rest = n < 64 ? value >> n : 0;
    for (uint64_t left = n; left > 0;) {
        const uint32_t room = ZFP_WORD_BITS - s->held_bits;
        const uint32_t k = left < room ? (uint32_t)left : room;
        s->held |= low_bits(value, k) << s->held_bits;
        s->held_bits += k;
        if (s->held_bits == ZFP_WORD_BITS)
            store_word(s);
        value = k < 64 ? value >> k : 0;
        left -= k;
    }
    return rest;
}

uint stream_read_bit(bitstream *s)
{
    return (uint)stream_read_bits(s, 1);
}

uint stream_write_bit(bitstream *s, uint bit)
{
    (void)stream_write_bits(s, bit, 1);
    return bit;
}

void compat_write_run(bitstream *s, const uint8_t *from, uint64_t n)
{
    for (; n >= 64; n -= 64, from += 8)
        (void)stream_write_bits(s, zti_get_le64(from), 64);
    for (; n >= 8; n -= 8, from++)
        (void)stream_write_bits(s, *from, 8);
    if (n > 0)
        (void)stream_write_bits(s, *from, (bitstream_count)n);
}

/* ---- places ---- */

bitstream_offset stream_rtell(const bitstream *s)
{
    return s->word * ZFP_WORD_BITS - s->held_bits;
}

bitstream_offset stream_wtell(const bitstream *s)
{
    return s->word * ZFP_WORD_BITS + s->held_bits;
}

void stream_rewind(bitstream *s)
{
    compat_go_to_word(s, 0);
}

void stream_rseek(bitstream *s, bitstream_offset offset)
{
    const uint32_t inside = offset % ZFP_WORD_BITS;
    compat_go_to_word(s, offset / ZFP_WORD_BITS);
    if (inside > 0) {
        s->held = load_word(s, s->word++) >> inside;
        s->held_bits = ZFP_WORD_BITS - inside;
    }
}

void stream_wseek(bitstream *s, bitstream_offset offset)
{
    const uint32_t inside = offset % ZFP_WORD_BITS;
    compat_go_to_word(s, offset / ZFP_WORD_BITS);
    if (inside > 0) {
        s->held = low_bits(load_word(s, s->word), inside);
        s->held_bits = inside;
    }
}

void stream_skip(bitstream *s, bitstream_size n)
{
    stream_rseek(s, stream_rtell(s) + n);
}

void stream_pad(bitstream *s, bitstream_size n)
{
    while (n >= ZFP_WORD_BITS - s->held_bits) {
        n -= ZFP_WORD_BITS - s->held_bits;
        store_word(s);
    }
    s->held_bits += (uint32_t)n;
}

bitstream_count stream_align(bitstream *s)
{
    const uint32_t skipped = s->held_bits;
    compat_go_to_word(s, s->word);
    return skipped;
}

bitstream_count stream_flush(bitstream *s)
{
    const uint32_t padded = (ZFP_WORD_BITS - s->held_bits) % ZFP_WORD_BITS;
    stream_pad(s, padded);
    return padded;
}

void stream_copy(bitstream *dst, bitstream *src, bitstream_size n)
{
    for (; n > 64; n -= 64)
        (void)stream_write_bits(dst, stream_read_bits(src, 64), 64);
    (void)stream_write_bits(dst, stream_read_bits(src, (bitstream_count)n), (bitstream_count)n);
}
