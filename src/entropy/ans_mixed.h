/* ans_mixed.h: ANS streams in which each symbol names its model, inline, so that who uses them
 * compiles them for its instruction set. A stream has few states or many, as who writes it says:
 * symbol i has state i modulo their number. The encoder begins with all states at 0, and so must
 * the decoder end.
 *
 * A stream is whole bytes: zeros, a one (in the first byte, so that the last bit ends one); the
 * states that the encoder ended in, 12 bits each; and what each symbol's state sheds, the first
 * symbol's first. */
#ifndef ZTI_ANS_MIXED_H
#define ZTI_ANS_MIXED_H

#include "entropy/ans.h"
#include "entropy/bits_within.h"

enum {
    ZTI_ANS_WAYS = 4,
    ZTI_ANS_MANY = 32 /* what processors and GPUs that work on many symbols at a time want */
};

#if !defined(ZTI_DEVICE)

/* ---- encoding: from the last symbol to the first ---- */

/* Bytes of scratch for n symbols: the most that their stream takes. */
static inline size_t zti_ans_mixed_bytes(size_t n)
{
    return (n + ZTI_ANS_MANY + 1) * ZTI_ANS_STATE_BITS / 8 + 16;
}

/* What the encoder looks at for each symbol in each context: made once for many streams of bytes.
 * Owned by who made it; zti_ans_mixed_free. */
enum { ZTI_ANS_MIXED_ALPHABET = 256 };

struct zti_ans_mixed_entry {
    uint32_t steps; /* see make_steps in ans_model.c */
    uint32_t next;  /* modulo 2^32, in 16 bits from the first entry: where its states begin */
};

struct zti_ans_mixed_table {
    struct zti_ans_mixed_entry *entry; /* [contexts][256]; behind them all models' states */
};

/* Symbols in context i, of at most 256, have the model of[i]. ZT_NO_MEMORY. */
zt_status zti_ans_mixed_make(zt_context *context, const struct zti_ans_model *const *of,
                             uint32_t contexts, struct zti_ans_mixed_table *table);
void zti_ans_mixed_free(zt_context *context, struct zti_ans_mixed_table *table);

/* 64 bits throughout: widening what is to be shifted takes instructions. */
struct zti_ans_front {
    uint8_t *at;   /* of the bytes that are there */
    uint64_t held; /* bits in front of them */
    uint64_t bits; /* up to 7 between groups of four symbols */
};

/* Store whole bytes; what is stored below them is garbage until it is overwritten. */
ZTI_INLINE void zti_ans_store(struct zti_ans_front *f)
{
    zti_put_le64(f->at - 8, f->held << 1 << (~f->bits & 63)); /* by 64 less the bits */
    f->at -= f->bits >> 3;
    f->bits &= 7;
}

ZTI_INLINE void zti_ans_shed(struct zti_ans_front *f, uint64_t value, uint64_t bits)
{
    f->held = f->held << bits | value;
    f->bits += bits;
}

/* A state's next one for a symbol, by the symbol's number among the entries; and how many of its
 * low bits it sheds. */
ZTI_INLINE uint64_t zti_ans_mixed_move(const struct zti_ans_mixed_table *table, uint64_t number,
                                       uint64_t state, uint64_t *bits)
{
    const struct zti_ans_mixed_entry *const entry = &table->entry[number];
    const uint16_t *const next = (const uint16_t *)(const void *)table->entry;
    *bits = (uint32_t)((uint32_t)state + entry->steps) >> 16;
    return next[(uint32_t)((uint32_t)(state >> *bits) + entry->next)];
}

ZTI_INLINE uint64_t zti_ans_low(uint64_t value, uint64_t bits)
{
    return value & ((UINT64_C(1) << bits) - 1);
}

ZTI_INLINE uint64_t zti_ans_mixed_put_one(const struct zti_ans_mixed_table *table, uint64_t number,
                                          uint64_t state, struct zti_ans_front *f)
{
    uint64_t bits;
    const uint64_t next = zti_ans_mixed_move(table, number, state, &bits);
    zti_ans_shed(f, zti_ans_low(state, bits), bits);
    return next;
}

/* Four symbols at a time, from the last to the first; n is a multiple of four. */
ZTI_INLINE void zti_ans_mixed_put_fours(const struct zti_ans_mixed_table *table,
                                        const uint16_t *number, size_t n, uint64_t *state,
                                        uint32_t ways, struct zti_ans_front *front)
{
    const struct zti_ans_mixed_table t = *table;
    struct zti_ans_front f = *front;
    for (; n > 0; zti_ans_store(&f)) { /* 48 bits and the 7 that may be there */
        n -= 4;
        uint64_t *const four = ways > 4 ? state + n % ways : state;
        for (uint32_t k = 4; k-- > 0;)
            four[k] = zti_ans_mixed_put_one(&t, number[n + k], four[k], &f);
    }
    *front = f;
}

/* Functions of their own, so that all they have is in registers: few states too. */
__attribute__((noinline, unused)) static void
zti_ans_mixed_put_few(const struct zti_ans_mixed_table *table, const uint16_t *number, size_t n,
                      uint64_t *state, struct zti_ans_front *front)
{
    uint64_t own[ZTI_ANS_WAYS] = {state[0], state[1], state[2], state[3]};
    zti_ans_mixed_put_fours(table, number, n, own, ZTI_ANS_WAYS, front);
    memcpy(state, own, sizeof own);
}

__attribute__((noinline, unused)) static void
zti_ans_mixed_put_many(const struct zti_ans_mixed_table *table, const uint16_t *number, size_t n,
                       uint64_t *state, struct zti_ans_front *front)
{
    zti_ans_mixed_put_fours(table, number, n, state, ZTI_ANS_MANY, front);
}

/* Code n symbols, each of which has a frequency in its context's model, with so many states. The
 * stream ends where the scratch does; returns where it begins. */
static inline uint8_t *zti_ans_mixed_put(const struct zti_ans_mixed_table *table,
                                         const uint8_t *contexts, const uint8_t *symbols, size_t n,
                                         uint32_t ways, uint8_t *scratch)
{
    enum { PART = 512 };
    struct zti_ans_front f = {.at = scratch + zti_ans_mixed_bytes(n)};
    uint64_t state[ZTI_ANS_MANY];
    uint16_t number[PART];
    for (uint32_t k = 0; k < ZTI_ANS_MANY; k++)
        state[k] = ZTI_ANS_STATES;
    for (size_t from; n > 0; n = from) {
        from = (n - 1) / PART * PART;
        size_t i = n - from;
        for (size_t k = 0; k < i; k++)
            number[k] = (uint16_t)(contexts[from + k] << 8 | symbols[from + k]);
        for (; i % 4 != 0; zti_ans_store(&f)) {
            uint64_t *const own = &state[--i % ways];
            *own = zti_ans_mixed_put_one(table, number[i], *own, &f);
        }
        if (ways == ZTI_ANS_MANY)
            zti_ans_mixed_put_many(table, number, i, state, &f);
        else
            zti_ans_mixed_put_few(table, number, i, state, &f);
    }
    for (uint32_t k = ways; k-- > 0; zti_ans_store(&f))
        zti_ans_shed(&f, state[k] - ZTI_ANS_STATES, ZTI_ANS_STATE_BITS);
    zti_ans_shed(&f, 1, 1);
    zti_ans_shed(&f, 0, (8 - f.bits % 8) % 8);
    zti_ans_store(&f);
    return f.at;
}

#endif

/* ---- decoding ---- */

struct zti_ans_mixed {
    struct zti_bit_reader r;
    uint32_t ways, next; /* states, and the next symbol's among them */
    uint32_t state[ZTI_ANS_MANY];
};

/* What is before the first symbol, from a reader at the stream's beginning. False where that cannot
 * be one, unless it ends before. */
ZTI_STATIC bool zti_ans_mixed_begin(struct zti_ans_mixed *m, const struct zti_bit_reader *r,
                                    uint32_t ways)
{
    uint32_t zeros = 0;
    m->r = *r;
    m->ways = ways;
    m->next = 0;
    while (zeros < 8 && zti_take_within(&m->r, 1) == 0)
        zeros++;
    for (uint32_t k = 0; k < ways; k++)
        m->state[k] = zti_take_within(&m->r, ZTI_ANS_STATE_BITS);
    return zeros < 8;
}

/* Whether all was taken of a stream that ends at bit 'end', and no more. */
ZTI_STATIC bool zti_ans_mixed_ends_at(const struct zti_ans_mixed *m, uint64_t end)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < m->ways; k++)
        left |= m->state[k];
    return m->r.at == end && left == 0;
}

#if !defined(ZTI_DEVICE)
/* The same of a reader whose end is the stream's. */
static inline bool zti_ans_mixed_open(struct zti_ans_mixed *m, const struct zti_bit_reader *r,
                                      uint32_t ways)
{
    return zti_ans_mixed_begin(m, r, ways) && m->r.at <= m->r.end;
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

/* With few states these are in registers, and the next symbol's is always the first. */
ZTI_INLINE void zti_ans_mixed_take_few(struct zti_ans_mixed *m, const uint32_t *const *tables,
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

ZTI_INLINE void zti_ans_mixed_take_many(struct zti_ans_mixed *m, const uint32_t *const *tables,
                                        const uint8_t *contexts, size_t n, uint8_t *out)
{
    struct zti_bit_reader r = m->r;
    uint32_t next = m->next;
    for (size_t i = 0; i < n;) {
        uint64_t bits = zti_peek_either(&r);
        for (const size_t end = i + 4 < n ? i + 4 : n; i < end; i++, next++)
            out[i] = zti_ans_mixed_step(tables[contexts[i]], &m->state[next % ZTI_ANS_MANY], &bits,
                                        &r.at);
    }
    m->r = r;
    m->next = next % ZTI_ANS_MANY;
}

/* The next n symbols, symbol i in the model whose decoding table is tables[contexts[i]]. Where the
 * stream has ended they are any. */
ZTI_INLINE void zti_ans_mixed_take(struct zti_ans_mixed *m, const uint32_t *const *tables,
                                   const uint8_t *contexts, size_t n, uint8_t *out)
{
    if (m->ways == ZTI_ANS_MANY)
        zti_ans_mixed_take_many(m, tables, contexts, n, out);
    else
        zti_ans_mixed_take_few(m, tables, contexts, n, out);
}

#endif
