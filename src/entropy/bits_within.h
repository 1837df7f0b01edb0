/* bits_within.h: reads bits from a buffer without a margin: a caller's buffer, of which no byte
 * after the last may be read. */
#ifndef ZTI_BITS_WITHIN_H
#define ZTI_BITS_WITHIN_H

#include "bits/bits.h"

#if defined(ZTI_DEVICE)

/* In kernels every reader returns zeros beyond its end. */
ZTI_INLINE uint64_t zti_peek_within(const struct zti_bit_reader *r)
{
    return zti_peek_bits(r);
}

ZTI_INLINE uint64_t zti_peek_either(const struct zti_bit_reader *r)
{
    return zti_peek_bits(r);
}

/* Whether more bits were read than there are. */
ZTI_INLINE bool zti_is_past_end(const struct zti_bit_reader *r)
{
    return r->at > 64 * r->count;
}

#else

/* The next 57 bits or more of a reader; zeros beyond its end. Never reads a byte after that of the
 * last bit, whatever r->at is. */
static inline uint64_t zti_peek_within(const struct zti_bit_reader *r)
{
    const uint64_t byte = r->at >> 3, bytes = (r->end >> 3) + ((r->end & 7) != 0);
    uint64_t v = 0;
    if (byte + 8 <= bytes)
        v = zti_get_le64(r->base + byte);
    else
        for (uint64_t i = byte; i < bytes; i++)
            v |= (uint64_t)r->base[i] << 8 * (i - byte);
    v >>= r->at & 7;
    const uint64_t left = r->at < r->end ? r->end - r->at : 0;
    return left < 64 ? v & ((UINT64_C(1) << left) - 1) : v;
}

/* zti_peek_within, with fewer steps where the end is far. */
ZTI_INLINE uint64_t zti_peek_either(const struct zti_bit_reader *r)
{
    return r->at + 64 <= r->end ? zti_peek_bits(r) : zti_peek_within(r);
}

ZTI_INLINE bool zti_is_past_end(const struct zti_bit_reader *r)
{
    return r->at > r->end;
}

#endif

/* Read n <= 32 bits; those beyond the end are zeros, and r->at is then above r->end. */
ZTI_STATIC uint32_t zti_get_within(struct zti_bit_reader *r, uint32_t n)
{
    const uint64_t v = zti_peek_within(r);
    r->at += n;
    return (uint32_t)(v & ((UINT64_C(1) << n) - 1));
}

#endif
