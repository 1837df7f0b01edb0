/* mixed_text.h: kernel text: encoder and decoder of mixed ANS streams. The includer includes
 * mixed.h and defines NAME. Compiled for each instruction set; all give the same bits. */
/* ---- encoding ---- */

enum { PART = 512 /* symbols at a time */ };

/* The encoder's output, which grows towards lower addresses. All fields have 64 bits, so that
 * shifts need no widening. */
struct front {
    uint8_t *at;   /* where the stored bytes begin */
    uint64_t held; /* bits before them, not stored yet */
    uint64_t bits; /* how many: up to 7 between groups of four symbols */
};

/* Store whole bytes. Bytes below them are overwritten with garbage, which the next store
 * replaces. */
ZTI_INLINE void store(struct front *f)
{
    zti_put_le64(f->at - 8, f->held << 1 << (~f->bits & 63)); /* a shift by 64 - bits */
    f->at -= f->bits >> 3;
    f->bits &= 7;
}

ZTI_INLINE void emit(struct front *f, uint64_t value, uint64_t bits)
{
    f->held = f->held << bits | value;
    f->bits += bits;
}

/* The next state for a symbol, given the symbol's number among the entries; *bits: how many of its
 * low bits the state emits. */
ZTI_INLINE uint64_t move(const struct zti_ans_mixed_table *table, uint64_t number, uint64_t state,
                         uint64_t *bits)
{
    const struct zti_ans_mixed_entry *const entry = &table->entry[number];
    const uint16_t *const next = (const uint16_t *)(const void *)table->entry; /* one address */
    *bits = ZTI_ANS_EMITTED((uint32_t)state, entry->steps);
    return next[(uint32_t)ZTI_ANS_NUMBER(state, *bits, entry->next)];
}

ZTI_INLINE uint64_t low_bits(uint64_t value, uint64_t bits)
{
    return value & ((UINT64_C(1) << bits) - 1);
}

ZTI_INLINE uint64_t write_one(const struct zti_ans_mixed_table *table, uint64_t number,
                              uint64_t state, struct front *f)
{
    uint64_t bits;
    const uint64_t next = move(table, number, state, &bits);
    emit(f, low_bits(state, bits), bits);
    return next;
}

/* Encode n symbols, a multiple of four, four at a time from the last to the first. */
ZTI_INLINE void write_fours(const struct zti_ans_mixed_table *table, const uint16_t *number,
                            size_t n, uint64_t *state, uint32_t states, struct front *front)
{
    const struct zti_ans_mixed_table t = *table;
    struct front f = *front;
    for (; n > 0; store(&f)) { /* up to 48 bits, and 7 held */
        n -= 4;
        uint64_t *const four = states > 4 ? state + n % states : state;
        for (uint32_t k = 4; k-- > 0;)
            four[k] = write_one(&t, number[n + k], four[k], &f);
    }
    *front = f;
}

/* Functions of their own, so that all variables, for few states these too, are in registers. */
__attribute__((noinline)) static void write_few(const struct zti_ans_mixed_table *table,
                                                const uint16_t *number, size_t n, uint64_t *state,
                                                struct front *front)
{
    uint64_t own[ZTI_ANS_FEW] = {state[0], state[1], state[2], state[3]};
    write_fours(table, number, n, own, ZTI_ANS_FEW, front);
    memcpy(state, own, sizeof own);
}

#if defined(ZTI_WITH_AVX2)
#include "entropy/ans/x86/encode_avx2.h"
#else
__attribute__((noinline)) static void write_many(const struct zti_ans_mixed_table *table,
                                                 const uint16_t *number, size_t n, uint64_t *state,
                                                 struct front *front)
{
    write_fours(table, number, n, state, ZTI_ANS_MANY, front);
}
#endif

uint8_t *NAME(zti_ans_mixed_encode)(const struct zti_ans_mixed_table *table,
                                    const uint8_t *contexts, const uint8_t *symbols, size_t n,
                                    uint32_t states, uint8_t *scratch)
{
    struct front f = {.at = scratch + zti_ans_mixed_bytes(n)};
    uint64_t state[ZTI_ANS_MANY];
    uint16_t number[PART];
    for (uint32_t k = 0; k < ZTI_ANS_MANY; k++)
        state[k] = ZTI_ANS_STATES;
    for (size_t from; n > 0; n = from) {
        from = (n - 1) / PART * PART;
        size_t i = n - from;
        for (size_t k = 0; k < i; k++)
            number[k] = (uint16_t)(contexts[from + k] << 8 | symbols[from + k]);
        for (; i % states != 0; store(&f)) {
            uint64_t *const own = &state[--i % states];
            *own = write_one(table, number[i], *own, &f);
        }
        if (states == ZTI_ANS_MANY)
            write_many(table, number, i, state, &f);
        else
            write_few(table, number, i, state, &f);
    }
    for (uint32_t k = states; k-- > 0; store(&f))
        emit(&f, state[k] - ZTI_ANS_STATES, ZTI_ANS_STATE_BITS);
    emit(&f, 1, 1);
    emit(&f, 0, (8 - f.bits % 8) % 8);
    store(&f);
    return f.at;
}

/* ---- decoding ---- */

/* Decode with few states, which rotate through registers: the next symbol's is always 'a'. */
static void read_few(struct zti_ans_mixed *m, const uint32_t *const *tables,
                     const uint8_t *contexts, size_t n, uint8_t *out)
{
    uint32_t a = m->state[0], b = m->state[1], c = m->state[2], d = m->state[3];
    struct zti_bit_reader r = m->r;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) { /* 57 bits loaded, at most 48 used */
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
    m->r.at = r.at; /* copying all of r would wait for stores of its parts */
    m->state[0] = a;
    m->state[1] = b;
    m->state[2] = c;
    m->state[3] = d;
}

#if defined(ZTI_WITH_AVX2)
#include "entropy/ans/x86/decode_avx2.h"
#else
static void read_many(struct zti_ans_mixed *m, const uint32_t *const *tables,
                      const uint8_t *contexts, size_t n, uint8_t *out)
{
    struct zti_bit_reader r = m->r;
    uint32_t next = m->next;
    for (size_t i = 0; i < n; next %= ZTI_ANS_MANY) {
        uint64_t bits = zti_peek_either(&r);
        uint32_t *const state = m->state + next;
        if (next % 4 == 0 && i + 4 <= n) {
            for (uint32_t k = 0; k < 4; k++)
                out[i + k] = zti_ans_mixed_step(tables[contexts[i + k]], &state[k], &bits, &r.at);
            i += 4;
            next += 4;
        } else {
            out[i] = zti_ans_mixed_step(tables[contexts[i]], state, &bits, &r.at);
            i++;
            next++;
        }
    }
    m->r.at = r.at;
    m->next = next;
}
#endif

void NAME(zti_ans_mixed_decode)(struct zti_ans_mixed *m, const uint32_t *const *tables,
                                const uint8_t *contexts, size_t n, uint8_t *out)
{
    if (m->states == ZTI_ANS_MANY)
        read_many(m, tables, contexts, n, out);
    else
        read_few(m, tables, contexts, n, out);
}
