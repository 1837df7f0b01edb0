/* ans_mixed.h: ANS streams in which each symbol names its model, inline, so that who uses them
 * compiles them for its instruction set. Symbol i has state i mod 4. The encoder begins with all
 * states at 0, and so must the decoder end.
 *
 * A stream is whole bytes: zeros, a one (in the first byte, so that the last bit ends one); the
 * four states that the encoder ended in, 12 bits each; and what each symbol's state sheds, the
 * first symbol's first. */
#ifndef ZTI_ANS_MIXED_H
#define ZTI_ANS_MIXED_H

#include "entropy/ans.h"
#include "entropy/bits_within.h"

enum { ZTI_ANS_WAYS = 4 };

#if !defined(ZTI_DEVICE)

/* ---- encoding: from the last symbol to the first ---- */

/* Bytes of scratch for n symbols: the most that their stream takes. */
static inline size_t zti_ans_mixed_bytes(size_t n)
{
    return (n + ZTI_ANS_WAYS + 1) * ZTI_ANS_STATE_BITS / 8 + 16;
}

struct zti_ans_front {
    uint8_t *at;   /* of the bytes that are there */
    uint64_t held; /* bits in front of them */
    uint32_t bits; /* up to 7 between groups of four symbols */
};

/* Store whole bytes; what is stored below them is garbage until it is overwritten. */
ZTI_INLINE void zti_ans_store(struct zti_ans_front *f)
{
    zti_put_le64(f->at - 8, f->held << 1 << (63 - f->bits));
    f->at -= f->bits >> 3;
    f->bits &= 7;
}

ZTI_INLINE void zti_ans_shed(struct zti_ans_front *f, uint32_t value, uint32_t bits)
{
    f->held = f->held << bits | value;
    f->bits += bits;
}

/* What of a model is looked at for each symbol. */
struct zti_ans_row {
    const uint32_t *steps;
    const uint16_t *next;
};

ZTI_INLINE void zti_ans_put_symbol(const struct zti_ans_row *row, uint32_t symbol,
                                   uint32_t *state, struct zti_ans_front *f)
{
    const uint32_t *const steps = row->steps + 2 * (size_t)symbol;
    const uint32_t y = *state, bits = (y + steps[0]) >> 16;
    zti_ans_shed(f, y & ((UINT32_C(1) << bits) - 1), bits);
    *state = row->next[(y >> bits) + steps[1]];
}

/* Code n symbols, symbol i with the model of[contexts[i]], one of so many, in which it has a
 * frequency. The stream ends where the scratch does; returns where it begins. */
ZTI_INLINE uint8_t *zti_ans_mixed_put(const struct zti_ans_model *const *of, uint32_t models,
                                      const uint8_t *contexts, const uint8_t *symbols, size_t n,
                                      uint8_t *scratch)
{
    struct zti_ans_row row[256];
    struct zti_ans_front f = {scratch + zti_ans_mixed_bytes(n), 0, 0};
    uint32_t state[ZTI_ANS_WAYS] = {ZTI_ANS_STATES, ZTI_ANS_STATES, ZTI_ANS_STATES,
                                    ZTI_ANS_STATES};
    size_t i = n;
    for (uint32_t k = 0; k < models; k++)
        row[k] = (struct zti_ans_row){of[k]->steps, of[k]->next};
    for (; i % ZTI_ANS_WAYS != 0; zti_ans_store(&f)) {
        i--;
        zti_ans_put_symbol(&row[contexts[i]], symbols[i], &state[i % ZTI_ANS_WAYS], &f);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = ZTI_ANS_STATES;
    for (; i > 0; zti_ans_store(&f)) { /* 48 bits and the 7 that may be there */
        i -= ZTI_ANS_WAYS;
        zti_ans_put_symbol(&row[contexts[i + 3]], symbols[i + 3], &d, &f);
        zti_ans_put_symbol(&row[contexts[i + 2]], symbols[i + 2], &c, &f);
        zti_ans_put_symbol(&row[contexts[i + 1]], symbols[i + 1], &b, &f);
        zti_ans_put_symbol(&row[contexts[i]], symbols[i], &a, &f);
    }
    zti_ans_shed(&f, d - ZTI_ANS_STATES, ZTI_ANS_STATE_BITS);
    zti_ans_shed(&f, c - ZTI_ANS_STATES, ZTI_ANS_STATE_BITS);
    zti_ans_shed(&f, b - ZTI_ANS_STATES, ZTI_ANS_STATE_BITS);
    zti_ans_shed(&f, a - ZTI_ANS_STATES, ZTI_ANS_STATE_BITS);
    zti_ans_store(&f);
    zti_ans_shed(&f, 1, 1);
    zti_ans_shed(&f, 0, (8 - f.bits % 8) % 8);
    zti_ans_store(&f);
    return f.at;
}

#endif

/* ---- decoding ---- */

struct zti_ans_mixed {
    struct zti_bit_reader r;
    uint32_t state[ZTI_ANS_WAYS]; /* of the next symbol, and of those behind it */
};

/* What is before the first symbol, from a reader at the stream's beginning. False where that cannot
 * be one, unless it ends before. */
ZTI_STATIC bool zti_ans_mixed_begin(struct zti_ans_mixed *m, const struct zti_bit_reader *r)
{
    uint32_t zeros = 0;
    m->r = *r;
    while (zeros < 8 && zti_take_within(&m->r, 1) == 0)
        zeros++;
    for (uint32_t k = 0; k < ZTI_ANS_WAYS; k++)
        m->state[k] = zti_take_within(&m->r, ZTI_ANS_STATE_BITS);
    return zeros < 8;
}

/* Whether all was taken of a stream that ends at bit 'end', and no more. */
ZTI_STATIC bool zti_ans_mixed_ends_at(const struct zti_ans_mixed *m, uint64_t end)
{
    return m->r.at == end && (m->state[0] | m->state[1] | m->state[2] | m->state[3]) == 0;
}

#if !defined(ZTI_DEVICE)
/* The same of a reader whose end is the stream's. */
static inline bool zti_ans_mixed_open(struct zti_ans_mixed *m, const struct zti_bit_reader *r)
{
    return zti_ans_mixed_begin(m, r) && m->r.at <= m->r.end;
}

static inline bool zti_ans_mixed_ends(const struct zti_ans_mixed *m)
{
    return zti_ans_mixed_ends_at(m, m->r.end);
}
#endif

ZTI_INLINE uint8_t zti_ans_mixed_step(const uint32_t *table, uint32_t *state, uint64_t *bits,
                                      uint64_t *at)
{
    const uint32_t entry = table[*state], n = entry >> 16 & 15;
    *state = (entry >> 20) + (uint32_t)(*bits & ((UINT32_C(1) << n) - 1));
    *bits >>= n;
    *at += n;
    return (uint8_t)entry;
}

/* The next n symbols, symbol i in the model whose decoding table is tables[contexts[i]]. Where the
 * stream has ended they are any. */
ZTI_INLINE void zti_ans_mixed_take(struct zti_ans_mixed *m, const uint32_t *const *tables,
                                   const uint8_t *contexts, size_t n, uint8_t *out)
{
    uint32_t a = m->state[0], b = m->state[1], c = m->state[2], d = m->state[3];
    struct zti_bit_reader r = m->r;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) { /* 57 bits are there, 48 are taken */
        uint64_t bits = zti_peek_either(&r);
        out[i] = zti_ans_mixed_step(tables[contexts[i]], &a, &bits, &r.at);
        out[i + 1] = zti_ans_mixed_step(tables[contexts[i + 1]], &b, &bits, &r.at);
        out[i + 2] = zti_ans_mixed_step(tables[contexts[i + 2]], &c, &bits, &r.at);
        out[i + 3] = zti_ans_mixed_step(tables[contexts[i + 3]], &d, &bits, &r.at);
    }
    for (; i < n; i++) {
        uint64_t bits = zti_peek_within(&r);
        out[i] = zti_ans_mixed_step(tables[contexts[i]], &a, &bits, &r.at);
        const uint32_t next = b;
        b = c;
        c = d;
        d = a;
        a = next;
    }
    m->r = r;
    m->state[0] = a;
    m->state[1] = b;
    m->state[2] = c;
    m->state[3] = d;
}

#endif
