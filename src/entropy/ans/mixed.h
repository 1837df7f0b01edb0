/* mixed.h: ANS streams with interleaved states, in which each symbol's context selects its model. A
 * stream has 4 or 32 states, as its format says; symbol i uses state i modulo their number. The
 * encoder begins with all states at 0, so the decoder must end there.
 *
 * A stream is whole bytes: up to seven zeros and a one (padding, so that the last bit ends a byte);
 * the encoder's final states, 12 bits each; then the bits that each symbol's state emitted, the
 * first symbol's first. */
#ifndef ZTI_ANS_MIXED_H
#define ZTI_ANS_MIXED_H

#include "entropy/ans/ans.h"

enum {
    ZTI_ANS_FEW = 4,
    ZTI_ANS_MANY = 32 /* for vectors and warps */
};

/* ---- encoding: from the last symbol to the first ---- */

/* The encoder's table has an entry for each symbol in each context. */
enum { ZTI_ANS_MIXED_ALPHABET = 256 };

struct zti_ans_mixed_entry {
    uint32_t steps; /* see ans/spec.h */
    uint32_t next;  /* where the symbol's states begin: in units of 16 bits from the first entry,
                       modulo 2^32 */
};

#if !defined(ZTI_DEVICE)

/* Bytes of scratch for n symbols: the most that their stream can take. */
static inline size_t zti_ans_mixed_bytes(size_t n)
{
    return (n + ZTI_ANS_MANY + 1) * ZTI_ANS_STATE_BITS / 8 + 16;
}

/* The encoder's table, made once for many streams. The caller frees it with zti_ans_mixed_free. */
struct zti_ans_mixed_table {
    struct zti_ans_mixed_entry *entry; /* [contexts][256], followed by the states of all models */
};

/* Make the table for at most 256 contexts; context i has the model of[i]. ZT_NO_MEMORY. */
zt_status zti_ans_mixed_make(zt_context *context, const struct zti_ans_model *const *of,
                             uint32_t contexts, struct zti_ans_mixed_table *table);
void zti_ans_mixed_free(zt_context *context, struct zti_ans_mixed_table *table);

/* The same in the caller's memory, table->entry, of zti_ans_mixed_table_bytes bytes. */
size_t zti_ans_mixed_table_bytes(uint32_t contexts, uint32_t models);
void zti_ans_mixed_fill(const struct zti_ans_model *const *of, uint32_t contexts,
                        struct zti_ans_mixed_table *table);

/* Code n symbols with 'states' states; each symbol has a frequency in its context's model. The
 * stream ends at the scratch's end; returns where it begins. */
uint8_t *zti_ans_mixed_encode(const struct zti_ans_mixed_table *table, const uint8_t *contexts,
                              const uint8_t *symbols, size_t n, uint32_t states, uint8_t *scratch);
uint8_t *zti_ans_mixed_encode_avx2(const struct zti_ans_mixed_table *table, const uint8_t *contexts,
                                   const uint8_t *symbols, size_t n, uint32_t states,
                                   uint8_t *scratch);

#endif

/* ---- decoding ---- */

struct zti_ans_mixed {
    uint32_t state[ZTI_ANS_MANY] __attribute__((aligned(64))); /* a vector is in one cache line */
    struct zti_bit_reader r;
    uint32_t states, next; /* number of states; which the next symbol uses */
};

/* Read the padding and the states from a stream's beginning. False if the padding is invalid; a
 * stream that ends too early is not noticed here. */
ZTI_STATIC bool zti_ans_mixed_begin(struct zti_ans_mixed *m, const struct zti_bit_reader *r,
                                    uint32_t states)
{
    m->r = *r;
    m->states = states;
    m->next = 0;
    const bool has_start = zti_ans_read_start(&m->r);
    for (uint32_t k = 0; k < states; k++)
        m->state[k] = zti_get_within(&m->r, ZTI_ANS_STATE_BITS);
    return has_start;
}

/* Whether exactly the stream, which ends at bit 'end', was read, and all states are 0. */
ZTI_STATIC bool zti_ans_mixed_ends_at(const struct zti_ans_mixed *m, uint64_t end)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < m->states; k++)
        left |= m->state[k];
    return m->r.at == end && left == 0;
}

#if !defined(ZTI_DEVICE)
/* The same for a reader whose end is the stream's. */
static inline bool zti_ans_mixed_open(struct zti_ans_mixed *m, const struct zti_bit_reader *r,
                                      uint32_t states)
{
    return zti_ans_mixed_begin(m, r, states) && m->r.at <= m->r.end;
}

static inline bool zti_ans_mixed_ends(const struct zti_ans_mixed *m)
{
    return zti_ans_mixed_ends_at(m, m->r.end);
}

/* Decode a symbol, and advance its state by the lowest bits of *bits. */
ZTI_INLINE uint8_t zti_ans_mixed_step(const uint32_t *table, uint32_t *state, uint64_t *bits,
                                      uint64_t *at)
{
    const uint32_t entry = table[*state], n = ZTI_ANS_BITS(entry);
    *state = ZTI_ANS_BASE(entry) + (uint32_t)(*bits & ((UINT32_C(1) << n) - 1));
    *bits >>= n;
    *at += n;
    return (uint8_t)entry;
}

/* Decode the next n symbols; symbol i has the decoding table tables[contexts[i]]. Symbols beyond
 * the stream's end are undefined. */
void zti_ans_mixed_decode(struct zti_ans_mixed *m, const uint32_t *const *tables,
                          const uint8_t *contexts, size_t n, uint8_t *out);
void zti_ans_mixed_decode_avx2(struct zti_ans_mixed *m, const uint32_t *const *tables,
                               const uint8_t *contexts, size_t n, uint8_t *out);

/* The same with 16 tables, which lie within 2^32 bytes of one memory; contexts are below 16. */
void zti_ans_mixed_decode_16_avx512(struct zti_ans_mixed *m, const uint32_t *const *tables,
                                    const uint8_t *contexts, size_t n, uint8_t *out);

#endif

#endif
