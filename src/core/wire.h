/* wire.h: variable-length integers, and a cursor that never reads past its end: the primitives of
 * headers, tails and seek tables.
 *
 * A varint holds 7 bits a byte, least significant first; all bytes but the last have bit 7 set.
 * 0 is 00, 127 is 7F, 128 is 80 01, 2^64 - 1 is FF FF FF FF FF FF FF FF FF 01. Only the shortest
 * form of a number is valid, so that equal contents are equal bytes. */
#ifndef ZTI_CORE_WIRE_H
#define ZTI_CORE_WIRE_H

#include "core/core.h"

enum { ZTI_VARINT_MAX_BYTES = 10 }; /* ceil(64 / 7) */

ZTI_STATIC size_t zti_varint_bytes(uint64_t v)
{
    size_t n = 1;
    while (v >>= 7)
        n++;
    return n;
}

/* Write a varint; returns the place after it. */
ZTI_STATIC uint8_t *zti_put_varint(uint8_t *to, uint64_t v)
{
    while (v >= 0x80) {
        *to++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *to++ = (uint8_t)v;
    return to;
}

ZTI_STATIC uint8_t *zti_put_f64(uint8_t *to, double v)
{
    zti_put_le64(to, zti_bits_of_double(v));
    return to + 8;
}

/* Load a value of 4 or 8 bytes as its bits. */
ZTI_STATIC uint64_t zti_get_value(const uint8_t *from, size_t value_bytes)
{
    return value_bytes == 8 ? zti_get_le64(from) : zti_get_le32(from);
}

/* Store a value; returns the place after it. */
ZTI_STATIC uint8_t *zti_put_value(uint8_t *to, uint64_t bits, size_t value_bytes)
{
    if (value_bytes == 8)
        zti_put_le64(to, bits);
    else
        zti_put_le32(to, (uint32_t)bits);
    return to + value_bytes;
}

/* A reading position. A field that reaches past the end reads as 0 and sets is_bad, which the
 * caller checks once after a group of fields. */
struct zti_cursor {
    const uint8_t *at;
    const uint8_t *end;
    bool is_bad;
};

ZTI_STATIC size_t zti_cursor_left(const struct zti_cursor *c)
{
    return (size_t)(c->end - c->at);
}

/* The next n bytes, or NULL if there are fewer. */
ZTI_STATIC const uint8_t *zti_get_bytes(struct zti_cursor *c, uint64_t n)
{
    if (c->is_bad || n > zti_cursor_left(c)) {
        c->is_bad = true;
        return NULL;
    }
    const uint8_t *bytes = c->at;
    c->at += n;
    return bytes;
}

ZTI_STATIC uint8_t zti_get_byte(struct zti_cursor *c)
{
    const uint8_t *b = zti_get_bytes(c, 1);
    return b ? *b : 0;
}

ZTI_STATIC double zti_get_f64(struct zti_cursor *c)
{
    const uint8_t *b = zti_get_bytes(c, 8);
    return b ? zti_double_from_bits(zti_get_le64(b)) : 0;
}

ZTI_STATIC uint32_t zti_get_u32(struct zti_cursor *c)
{
    uint32_t v = zti_get_byte(c);
    v |= (uint32_t)zti_get_byte(c) << 8;
    v |= (uint32_t)zti_get_byte(c) << 16;
    return v | (uint32_t)zti_get_byte(c) << 24;
}

ZTI_STATIC uint64_t zti_get_varint(struct zti_cursor *c)
{
    uint64_t v = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        uint8_t b = zti_get_byte(c);
        if (shift == 63 && b > 1) /* bits beyond 2^64 */
            break;
        v |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80) {
            if (b == 0 && shift > 0) /* not the shortest form */
                break;
            return c->is_bad ? 0 : v;
        }
    }
    c->is_bad = true;
    return 0;
}

ZTI_STATIC bool zti_all_zero(const uint8_t *bytes, size_t n)
{
    uint32_t any = 0;
    size_t i = 0;
    for (; any == 0 && n - i >= 64; i += 64) /* the compiler makes vectors of it */
        for (size_t k = 0; k < 64; k++)
            any |= bytes[i + k];
    for (; i < n; i++)
        any |= bytes[i];
    return any == 0;
}

#endif
