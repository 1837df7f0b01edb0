/* mixed.h: ANS streams in which each symbol names its model. A stream has few states or many,
 * as who writes it says: symbol i has state i modulo their number. The encoder begins with all
 * states at 0, and so must the decoder end.
 *
 * A stream is whole bytes: zeros, a one (in the first byte, so that the last bit ends one); the
 * states that the encoder ended in, 12 bits each; and what each symbol's state emits, the first
 * symbol's first. */
#ifndef ZTI_ANS_MIXED_H
#define ZTI_ANS_MIXED_H

#include "entropy/ans/ans.h"

enum {
    ZTI_ANS_FEW = 4,
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
    uint32_t steps; /* see ans/spec.h */
    uint32_t next;  /* modulo 2^32, in 16 bits from the first entry: where its states begin */
};

struct zti_ans_mixed_table {
    struct zti_ans_mixed_entry *entry; /* [contexts][256]; behind them all models' states */
};

/* Symbols in context i, of at most 256, have the model of[i]. ZT_NO_MEMORY. */
zt_status zti_ans_mixed_make(zt_context *context, const struct zti_ans_model *const *of,
                             uint32_t contexts, struct zti_ans_mixed_table *table);
void zti_ans_mixed_free(zt_context *context, struct zti_ans_mixed_table *table);

/* The same in memory of the caller's, table->entry, of so many bytes. */
size_t zti_ans_mixed_table_bytes(uint32_t contexts, uint32_t models);
void zti_ans_mixed_fill(const struct zti_ans_model *const *of, uint32_t contexts,
                        struct zti_ans_mixed_table *table);

/* Code n symbols, each of which has a frequency in its context's model, with so many states. The
 * stream ends where the scratch does; returns where it begins. */
uint8_t *zti_ans_mixed_put(const struct zti_ans_mixed_table *table, const uint8_t *contexts,
                           const uint8_t *symbols, size_t n, uint32_t states, uint8_t *scratch);
uint8_t *zti_ans_mixed_put_avx2(const struct zti_ans_mixed_table *table, const uint8_t *contexts,
                                const uint8_t *symbols, size_t n, uint32_t states,
                                uint8_t *scratch);

#endif

/* ---- decoding ---- */

struct zti_ans_mixed {
    uint32_t state[ZTI_ANS_MANY] __attribute__((aligned(64))); /* vectors that come from one line */
    struct zti_bit_reader r;
    uint32_t states, next; /* states, and the next symbol's among them */
};

/* What is before the first symbol, from a reader at the stream's beginning. False where that cannot
 * be one, unless it ends before. */
ZTI_STATIC bool zti_ans_mixed_begin(struct zti_ans_mixed *m, const struct zti_bit_reader *r,
                                    uint32_t states)
{
    m->r = *r;
    m->states = states;
    m->next = 0;
    const bool has_start = zti_ans_take_start(&m->r);
    for (uint32_t k = 0; k < states; k++)
        m->state[k] = zti_take_within(&m->r, ZTI_ANS_STATE_BITS);
    return has_start;
}

/* Whether all was taken of a stream that ends at bit 'end', and no more. */
ZTI_STATIC bool zti_ans_mixed_ends_at(const struct zti_ans_mixed *m, uint64_t end)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < m->states; k++)
        left |= m->state[k];
    return m->r.at == end && left == 0;
}

#if !defined(ZTI_DEVICE)
/* The same of a reader whose end is the stream's. */
static inline bool zti_ans_mixed_open(struct zti_ans_mixed *m, const struct zti_bit_reader *r,
                                      uint32_t states)
{
    return zti_ans_mixed_begin(m, r, states) && m->r.at <= m->r.end;
}

static inline bool zti_ans_mixed_ends(const struct zti_ans_mixed *m)
{
    return zti_ans_mixed_ends_at(m, m->r.end);
}

/* A symbol and its state's next one, whose bits are the lowest of those that are ahead. */
ZTI_INLINE uint8_t zti_ans_mixed_step(const uint32_t *table, uint32_t *state, uint64_t *bits,
                                      uint64_t *at)
{
    const uint32_t entry = table[*state], n = ZTI_ANS_BITS(entry);
    *state = ZTI_ANS_BASE(entry) + (uint32_t)(*bits & ((UINT32_C(1) << n) - 1));
    *bits >>= n;
    *at += n;
    return (uint8_t)entry;
}

/* The next n symbols, symbol i in the model whose decoding table is tables[contexts[i]]. Where the
 * stream has ended they are any. */
void zti_ans_mixed_take(struct zti_ans_mixed *m, const uint32_t *const *tables,
                        const uint8_t *contexts, size_t n, uint8_t *out);
void zti_ans_mixed_take_avx2(struct zti_ans_mixed *m, const uint32_t *const *tables,
                             const uint8_t *contexts, size_t n, uint8_t *out);

#endif

#endif
