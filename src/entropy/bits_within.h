/* bits_within.h: reading bits without a margin: where a buffer comes from a caller, the bytes
 * behind it belong to somebody else. */
#ifndef ZTI_BITS_WITHIN_H
#define ZTI_BITS_WITHIN_H

#include "bits/bits.h"

#if defined(ZTI_DEVICE)

/* In kernels any reader gives zeros beyond its end. */
ZTI_INLINE uint64_t zti_peek_within(const struct zti_bit_reader *r)
{
    return zti_peek_bits(r);
}

ZTI_INLINE uint64_t zti_peek_either(const struct zti_bit_reader *r)
{
    return zti_peek_bits(r);
}

#else

/* The next 57 bits or more of a reader; zeros beyond its end. No byte beyond that of its last bit
 * is looked at, wherever it stands. */
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

/* The same, with fewer steps where the end is far. */
ZTI_INLINE uint64_t zti_peek_either(const struct zti_bit_reader *r)
{
    return r->at + 64 <= r->end ? zti_peek_bits(r) : zti_peek_within(r);
}

#endif

/* Take n <= 32 bits; beyond the end they are zeros, and r->at > r->end says so. */
ZTI_STATIC uint32_t zti_take_within(struct zti_bit_reader *r, uint32_t n)
{
    const uint64_t v = zti_peek_within(r);
    r->at += n;
    return (uint32_t)(v & ((UINT64_C(1) << n) - 1));
}

#endif
