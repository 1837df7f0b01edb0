/* sha256.c: SHA-256 as FIPS 180-4 has it, over memory. */
#include "support/sha256.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* The first 32 bits of the fractional part of a root. */
static uint32_t fraction(double root)
{
    return (uint32_t)((root - floor(root)) * 4294967296.0);
}

struct sum {
    uint32_t state[8];
    uint32_t constant[64];
};

/* The constants are square and cube roots of the first primes; doubles hold enough of them. */
static void begin(struct sum *s)
{
    unsigned n = 0;
    for (unsigned p = 2; n < 64; p++) {
        unsigned d = 2;
        while (d * d <= p && p % d != 0)
            d++;
        if (d * d <= p)
            continue;
        if (n < 8)
            s->state[n] = fraction(sqrt(p));
        s->constant[n++] = fraction(cbrt(p));
    }
}

static void add_block(struct sum *s, const unsigned char *block)
{
    uint32_t w[64], v[8];
    for (unsigned i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (unsigned i = 16; i < 64; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(v, s->state, sizeof v);
    for (unsigned i = 0; i < 64; i++) { /* a is v[-i % 8]: it becomes b of the next round, ... */
        const uint32_t a = v[-i % 8], b = v[(1 - i) % 8], c = v[(2 - i) % 8];
        const uint32_t e = v[(4 - i) % 8], f = v[(5 - i) % 8], g = v[(6 - i) % 8];
        uint32_t *const h = v + (7 - i) % 8;
        const uint32_t t = *h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                           ((e & f) ^ (~e & g)) + s->constant[i] + w[i];
        v[(3 - i) % 8] += t;
        *h = t + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    }
    for (unsigned i = 0; i < 8; i++)
        s->state[i] += v[i];
}

void sha256_text(const void *data, size_t bytes, char text[65])
{
    struct sum s;
    unsigned char end[128] = {0};
    const size_t whole = bytes / 64 * 64, rest = bytes - whole;
    const size_t end_bytes = rest < 56 ? 64 : 128;
    begin(&s);
    for (size_t i = 0; i < whole; i += 64)
        add_block(&s, (const unsigned char *)data + i);
    if (rest > 0)
        memcpy(end, (const unsigned char *)data + whole, rest);
    end[rest] = 0x80;
    for (unsigned i = 0; i < 8; i++)
        end[end_bytes - 1 - i] = (unsigned char)((uint64_t)bytes * 8 >> 8 * i);
    for (size_t i = 0; i < end_bytes; i += 64)
        add_block(&s, end + i);
    for (unsigned i = 0; i < 8; i++)
        snprintf(text + 8 * i, 9, "%08x", s.state[i]);
}
