/* bits.h: the bit stream: bit i is bit i mod 8 of byte i / 8; fields are written least significant
 * bit first.
 *
 * Neither writer nor reader looks for the end of its buffer at every access. Who uses them keeps
 * a margin: both touch up to 16 bytes beyond the byte they are in, and an encoder that cuts back
 * to a budget writes up to one bit plane (256 bits and as many group tests) more than it keeps.
 * The tile loops of exec switch to a private buffer where less than a worst-case tile and the
 * margin are left. */
#ifndef ZTI_BITS_H
#define ZTI_BITS_H

#include "core/core.h"

enum { ZTI_BIT_MARGIN_BYTES = 128 };

/* In kernels for GPUs the same names stand for words of 64 bits instead of bytes. */
#if defined(ZTI_DEVICE)
#include "gpu/bits.h"
#else

struct zti_bit_writer {
    uint8_t *base; /* of the buffer */
    uint8_t *next; /* the byte that holds the next bit */
    uint64_t held; /* bits not yet stored for good: the low 'held_bits', 0..7 of them */
    uint32_t held_bits;
};

static inline struct zti_bit_writer zti_bit_writer_at(uint8_t *base)
{
    return (struct zti_bit_writer){.base = base, .next = base, .held = 0, .held_bits = 0};
}

static inline uint64_t zti_bits_written(const struct zti_bit_writer *w)
{
    return (uint64_t)(w->next - w->base) * 8 + w->held_bits;
}

/* Append the low n <= 56 bits of v; the higher ones must be zero. */
ZTI_INLINE void zti_put_bits(struct zti_bit_writer *w, uint64_t v, uint32_t n)
{
    w->held |= v << w->held_bits;
    zti_put_le64(w->next, w->held);
    w->held_bits += n;
    w->next += w->held_bits >> 3;
    w->held >>= w->held_bits & ~7u;
    w->held_bits &= 7;
}

/* Append n <= 64 bits. */
ZTI_INLINE void zti_put_bits64(struct zti_bit_writer *w, uint64_t v, uint32_t n)
{
    uint32_t low = n < 32 ? n : 32;
    zti_put_bits(w, v & ((UINT64_C(1) << low) - 1), low);
    zti_put_bits(w, v >> low, n - low);
}

/* Append n zero bits; the buffer must have room for all of them and the margin. */
void zti_put_zeros(struct zti_bit_writer *w, uint64_t n);

/* Go back to bit position 'bits', not after the present one; what was written before it stays. */
void zti_bits_cut(struct zti_bit_writer *w, uint64_t bits);

struct zti_bit_reader {
    const uint8_t *base;
    uint64_t at;  /* bit position from base */
    uint64_t end; /* bits that are there; what is read beyond is not part of the stream */
};

/* At least 57 bits from the present position, the next one lowest. */
ZTI_INLINE uint64_t zti_peek_bits(const struct zti_bit_reader *r)
{
    return zti_get_le64(r->base + (r->at >> 3)) >> (r->at & 7);
}

/* Get n <= 57 bits. */
ZTI_INLINE uint64_t zti_get_bits(struct zti_bit_reader *r, uint32_t n)
{
    uint64_t v = zti_peek_bits(r) & ((UINT64_C(1) << n) - 1);
    r->at += n;
    return v;
}

/* Get n <= 64 bits. */
ZTI_INLINE uint64_t zti_get_bits64(struct zti_bit_reader *r, uint32_t n)
{
    uint32_t low = n < 32 ? n : 32;
    uint64_t v = zti_get_bits(r, low);
    return v | zti_get_bits(r, n - low) << (low & 63);
}

#endif

#endif
