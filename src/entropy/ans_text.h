/* ans_text.h: text of the ANS coder; the includer defines NAME(x). Symbol i has state i mod ways,
 * in every group alike, because 64 is a multiple of the ways. */
#include "entropy/ans.h"
#include "entropy/bits_within.h"

/* ---- encoding: from the last symbol to the first ---- */

/* Bits in front of what is written already: the low 'bits' of 'held' stand before the byte at
 * 'at'. */
struct NAME(front) {
    uint8_t *at;
    uint64_t held;
    uint32_t bits; /* up to 7 between groups of four symbols */
};

/* Store whole bytes; 7 bits stay at most. What is stored below them is garbage until it is
 * overwritten. */
ZTI_INLINE void NAME(store_front)(struct NAME(front) *f)
{
    zti_put_le64(f->at - 8, f->held << 1 << (63 - f->bits));
    f->at -= f->bits >> 3;
    f->bits &= 7;
}

ZTI_INLINE void NAME(encode_symbol)(const struct zti_ans_model *model, uint32_t symbol,
                                    uint32_t *state, struct NAME(front) *f)
{
    const uint32_t y = *state, bits = (y + model->steps[2 * symbol]) >> 16;
    f->held = f->held << bits | (y & ((UINT32_C(1) << bits) - 1));
    f->bits += bits;
    *state = model->next[(y >> bits) + model->steps[2 * symbol + 1]];
}

/* Symbols [begin, end) of a group, the last one first. */
ZTI_INLINE void NAME(encode_group)(const struct zti_ans_model *model, const uint16_t *symbols,
                                   size_t begin, size_t end, uint32_t *state, uint32_t ways,
                                   struct NAME(front) *front)
{
    struct NAME(front) f = *front;
    size_t i = end;
    for (; i % 4 != 0; i--) {
        NAME(encode_symbol)(model, symbols[i - 1], &state[(i - 1) % ways], &f);
        NAME(store_front)(&f);
    }
    uint32_t y[4];
    for (uint32_t k = 0; k < ways; k++)
        y[k] = state[k];
    for (; i > begin; i -= 4) {
        for (uint32_t k = 4; k-- > 0;)
            NAME(encode_symbol)(model, symbols[i - 4 + k], &y[k % ways], &f);
        NAME(store_front)(&f);
    }
    for (uint32_t k = 0; k < ways; k++)
        state[k] = y[k];
    *front = f;
}

ZTI_INLINE void NAME(encode_ways)(const struct zti_ans_plan *plan, const uint16_t *symbols,
                                  uint8_t *scratch_end, uint32_t ways,
                                  struct zti_bit_writer *writer)
{
    struct NAME(front) f = {scratch_end, 0, 0};
    uint32_t state[4] = {ZTI_ANS_STATES, ZTI_ANS_STATES, ZTI_ANS_STATES, ZTI_ANS_STATES};
    for (size_t begin = zti_round_up(plan->n, ZTI_ANS_GROUP); begin > 0;) {
        const size_t end = begin < plan->n ? begin : plan->n;
        begin -= ZTI_ANS_GROUP;
        const struct zti_ans_model *model = &plan->models[plan->model_of[begin / ZTI_ANS_GROUP]];
        if (model->used > 1)
            NAME(encode_group)(model, symbols, begin, end, state, ways, &f);
    }
    for (uint32_t k = 0; k < ways; k++)
        zti_put_bits(writer, state[k] - ZTI_ANS_STATES, ZTI_ANS_STATE_BITS);
    zti_put_bits(writer, f.held & ((UINT32_C(1) << f.bits) - 1), f.bits);
    for (; scratch_end - f.at >= 4; f.at += 4)
        zti_put_bits(writer, zti_get_le32(f.at), 32);
    for (; f.at < scratch_end; f.at++)
        zti_put_bits(writer, *f.at, 8);
}

static void NAME(encode)(const struct zti_ans_plan *plan, const uint16_t *symbols,
                         uint8_t *scratch_end, struct zti_bit_writer *writer)
{
    if (plan->ways == 4)
        NAME(encode_ways)(plan, symbols, scratch_end, 4, writer);
    else if (plan->ways == 2)
        NAME(encode_ways)(plan, symbols, scratch_end, 2, writer);
    else
        NAME(encode_ways)(plan, symbols, scratch_end, 1, writer);
}

/* ---- decoding ---- */

/* The next symbol; *bits are at least 12 that are next in the stream. */
ZTI_INLINE uint16_t NAME(decode_symbol)(const uint32_t *table, uint32_t *state, uint64_t *bits,
                                        uint64_t *at)
{
    const uint32_t entry = table[*state], n = entry & 15;
    *state = (entry >> 4 & 0xfff) + (uint32_t)(*bits & ((UINT32_C(1) << n) - 1));
    *bits >>= n;
    *at += n;
    return (uint16_t)(entry >> 16);
}

/* A whole group, from a buffer that holds what it can take and 8 bytes. */
ZTI_INLINE void NAME(decode_group)(const uint32_t *table, const uint8_t *base, uint64_t *at_bit,
                                   uint32_t *state, uint32_t ways, uint16_t *out)
{
    uint64_t at = *at_bit;
    uint32_t x[4];
    for (uint32_t k = 0; k < ways; k++)
        x[k] = state[k];
    for (uint32_t i = 0; i < ZTI_ANS_GROUP; i += 4) { /* 57 bits are there, 48 are taken */
        uint64_t bits = zti_get_le64(base + (at >> 3)) >> (at & 7);
        for (uint32_t k = 0; k < 4; k++)
            out[i + k] = NAME(decode_symbol)(table, &x[k % ways], &bits, &at);
    }
    for (uint32_t k = 0; k < ways; k++)
        state[k] = x[k];
    *at_bit = at;
}

ZTI_INLINE bool NAME(decode_ways)(const struct zti_ans_plan *plan, struct zti_bit_reader *reader,
                                  uint32_t ways, uint16_t *out)
{
    const uint64_t reach = ZTI_ANS_GROUP * ZTI_ANS_STATE_BITS + 64;
    struct zti_bit_reader r = *reader;
    uint32_t state[4] = {0};
    for (uint32_t k = 0; k < ways; k++)
        state[k] = zti_take_within(&r, ZTI_ANS_STATE_BITS);
    for (size_t i = 0; i < plan->n && r.at <= r.end; i += ZTI_ANS_GROUP) {
        const struct zti_ans_model *model = &plan->models[plan->model_of[i / ZTI_ANS_GROUP]];
        const size_t n = plan->n - i < ZTI_ANS_GROUP ? plan->n - i : ZTI_ANS_GROUP;
        if (model->used == 0)
            return false;
        if (model->used == 1) {
            for (size_t k = 0; k < n; k++)
                out[i + k] = (uint16_t)model->only;
        } else if (n == ZTI_ANS_GROUP && r.end - r.at >= reach) {
            NAME(decode_group)(model->decode, r.base, &r.at, state, ways, out + i);
        } else {
            for (size_t k = 0; k < n; k++) {
                uint64_t bits = zti_peek_within(&r);
                out[i + k] = NAME(decode_symbol)(model->decode, &state[k % ways], &bits, &r.at);
            }
        }
    }
    *reader = r;
    return r.at <= r.end && (state[0] | state[1] | state[2] | state[3]) == 0;
}

static bool NAME(decode)(const struct zti_ans_plan *plan, struct zti_bit_reader *reader,
                         uint16_t *out)
{
    if (plan->ways == 4)
        return NAME(decode_ways)(plan, reader, 4, out);
    if (plan->ways == 2)
        return NAME(decode_ways)(plan, reader, 2, out);
    return NAME(decode_ways)(plan, reader, 1, out);
}
