/* chain.h: kernel text of effort 'high': decode symbols whose contexts depend on magnitudes decoded
 * just before. In joined rows, the row before is a few values back: symbols are decoded one by one,
 * across the ends of rows. In a row without rows before, they are decoded four by four. Included by
 * interp/instance.h. */

/* The decoding table of each sum, by sum / 16. */
struct chain {
    const uint32_t *tables[ZTI_SZ_HIGH_DEPTHS][256];
};

static void make_chain(const struct kinds *kinds, const uint32_t *const *tables,
                       struct chain *chain)
{
    for (uint32_t depth = 0; depth < ZTI_SZ_HIGH_DEPTHS; depth++)
        for (uint32_t i = 0; i < 256; i++)
            chain->tables[depth][i] =
                tables[kind_of_sum(kinds, 16 * i, zti_sz_high_first_context(depth))];
}

/* Set the state of the next symbol. With ZTI_ANS_FEW, the states are rotated so that it is the
 * first, and m->next stays 0. */
ZTI_INLINE void set_next(struct zti_ans_mixed *m, uint32_t next)
{
    uint32_t state[ZTI_ANS_FEW];
    if (m->states == ZTI_ANS_MANY) {
        m->next = next % ZTI_ANS_MANY;
        return;
    }
    for (uint32_t k = 0; k < ZTI_ANS_FEW; k++)
        state[k] = m->state[(next + k) % ZTI_ANS_FEW];
    memcpy(m->state, state, sizeof state);
}

/* Decode up to n symbols and their magnitudes. A symbol's context comes from its sum and the
 * magnitude 'back' places before. Returns the number of symbols; it stops after an escape, whose
 * magnitude is not known. */
static uint32_t read_chain(struct zti_ans_mixed *m, const uint32_t *const *tables,
                           const uint16_t *restrict sum, uint32_t share, uint32_t back, uint32_t n,
                           uint8_t *magnitudes, uint8_t *restrict symbols)
{
    struct zti_bit_reader r = m->r;
    const uint32_t first = m->next, last = m->states - 1;
    uint32_t i = 0, u = 0;
    while (i < n && u != ZTI_SZ_HIGH_ESCAPE) {
        uint64_t bits = zti_peek_either(&r); /* 57 bits; four symbols take at most 48 */
        for (uint32_t k = 0; k < 4 && i < n && u != ZTI_SZ_HIGH_ESCAPE; k++, i++) {
            const uint32_t all = sum[i] + share * *(magnitudes + i - back);
            u = zti_ans_mixed_step(tables[all >> 4], &m->state[(first + i) & last], &bits, &r.at);
            magnitudes[i] = (uint8_t)zti_sz_high_cut(ZTI_SZ_HIGH_MAGNITUDE_OF(u));
            symbols[i] = (uint8_t)u;
        }
    }
    m->r.at = r.at;
    set_next(m, first + i);
    return i;
}

/* Copy the states, rotated so that the next symbol's is the first; and copy them back. */
ZTI_INLINE void read_states(const struct zti_ans_mixed *m, uint32_t first, uint32_t *state)
{
    for (uint32_t k = 0; k < m->states; k++)
        state[k] = m->state[(first + k) & (m->states - 1)];
}

ZTI_INLINE void give_states(struct zti_ans_mixed *m, uint32_t first, const uint32_t *state)
{
    for (uint32_t k = 0; k < m->states; k++)
        m->state[(first + k) & (m->states - 1)] = state[k];
}

/* As read_chain, for a row without rows before, four symbols at a time. The context of four symbols
 * includes the last two magnitudes before them; 'before' is the sum of these for the first four.
 * Magnitudes are not stored; residuals_of computes them. Stops after four symbols with an escape
 * that the next four need. */
static uint32_t read_fours(struct zti_ans_mixed *m, const uint32_t *const *tables,
                           const uint16_t *restrict sum, uint32_t before, uint32_t n,
                           uint8_t *restrict symbols)
{
    enum { OF_ESCAPE = ZTI_SZ_HIGH_MAGNITUDE_OF(ZTI_SZ_HIGH_ESCAPE) };
    const uint32_t first = m->next, last = m->states - 1;
    uint32_t state[ZTI_ANS_MANY], i = 0, most = 0;
    struct zti_bit_reader r = m->r;
    read_states(m, first, state);
    while (i + 4 <= n && most < OF_ESCAPE) {
        uint64_t bits = zti_peek_either(&r);
        uint32_t *const own = state + (i & last);
        uint32_t u[4];
        for (uint32_t k = 0; k < 4; k++)
            u[k] = zti_ans_mixed_step(tables[zti_sz_high_first_row(sum[i + k], false, before) >> 4],
                                      &own[k], &bits, &r.at);
        const uint32_t four = u[0] | u[1] << 8 | u[2] << 16 | u[3] << 24;
        const uint32_t a = ZTI_SZ_HIGH_MAGNITUDE_OF(u[2]), b = ZTI_SZ_HIGH_MAGNITUDE_OF(u[3]);
        zti_put_le32(symbols + i, four);
        before = zti_sz_high_cut(a) + zti_sz_high_cut(b);
        most = a > b ? a : b;
        i += 4;
    }
    if (most < OF_ESCAPE && i < n) {
        uint64_t bits = zti_peek_either(&r);
        for (uint32_t *own = state + (i & last); i < n; i++, own++)
            symbols[i] = zti_ans_mixed_step(
                tables[zti_sz_high_first_row(sum[i], false, before) >> 4], own, &bits, &r.at);
    }
    m->r.at = r.at;
    give_states(m, first, state);
    set_next(m, first + i);
    return i;
}
