/* contexts.h: kernel text of the lossless coder: contexts of symbols, from codes and marks of rows
 * that are complete, a lane a value. */
#ifndef ZTI_SZ_LOSSLESS_GPU_CONTEXTS_H
#define ZTI_SZ_LOSSLESS_GPU_CONTEXTS_H

#include "codec/sz/lossless/read_front.h"
#include "gpu/simt.h"

/* What contexts of a row are made from. */
struct beginnings {
    struct zti_ll_near near;
    struct zti_ll_beside beside;
    bool is_repeat, has_marks, has_signs, is_lanes;
    const uint8_t *model_of; /* of a context */
    uint8_t *code, *mark;    /* of the row's first value */
};

/* The sum of codes around a value in the rows before along three axes at most. The first row's are
 * loaded where there are fewer, so that the loads of all are on their way together. */
static __device__ __forceinline__ uint32_t sum_of_rows(const struct zti_ll_near *near,
                                                       const uint8_t *code)
{
    enum { ROWS = 3, EACH = 6 };
    uint32_t own[ROWS][EACH], sum = 0;
    SIMT_UNROLL
    for (uint32_t k = 0; k < ROWS; k++) {
        const uint8_t *const at = code + (k < near->rows ? near->at[k] : near->at[0]);
        SIMT_UNROLL
        for (int i = 0; i < EACH - 1; i++)
            own[k][i] = at[i - 2];
        own[k][EACH - 1] = code[k < near->rows ? near->far[k] : near->far[0]];
    }
    SIMT_UNROLL
    for (uint32_t k = 0; k < ROWS; k++)
        if (k < near->rows)
            sum += ZTI_LL_ROW_SUM(own[k][2], own[k][1] + own[k][3], own[k][0] + own[k][4],
                                  own[k][EACH - 1]);
    return sum;
}

/* The mean of codes around a value, in eighths. */
static __device__ __forceinline__ uint32_t mean_at(const struct beginnings *b, uint32_t x)
{
    const struct zti_ll_near *const near = &b->near;
    const uint8_t *const code = b->code + x;
    const uint32_t sum =
        b->is_lanes ? ZTI_LL_LANE_SUM(code[near->at[0]], code[near->at[1]] + code[near->at[2]],
                                      code[near->at[3]], code[near->at[4]] + code[near->at[5]])
                    : sum_of_rows(near, code);
    return sum * ll_eighths(near->rows) >> 16;
}

static __device__ __forceinline__ uint32_t context_at(const struct beginnings *b, uint32_t x,
                                                      uint32_t mean)
{
    const uint32_t above = ZTI_LL_LEVEL_ABOVE(mean), level = mean < above ? mean : above;
    if (b->is_repeat)
        return ZTI_LL_REPEATS + level;
    if (!b->has_marks || !b->beside.has_any)
        return level;
    const uint8_t *const mark = b->mark + x;
    const uint32_t across =
        (mark[b->beside.up] == ZTI_LL_MARK_FILL) + (mark[b->beside.other] == ZTI_LL_MARK_FILL);
    return ll_context(level, 2 * across + (mark[b->beside.left] == ZTI_LL_MARK_FILL) +
                                 (mark[b->beside.right] == ZTI_LL_MARK_FILL));
}

static __device__ __forceinline__ struct beginnings beginnings_of(const struct zti_ll_shape *s,
                                                                  bool has_marks)
{
    struct beginnings b;
    memset(&b, 0, sizeof b);
    b.has_marks = has_marks;
    b.is_lanes = s->is_lanes;
    return b;
}

/* Turn to a row of cells with codes and marks. */
static __device__ __forceinline__ void begin_row(struct beginnings *b, const struct zti_ll_shape *s,
                                                 const struct zti_ll_transform *t, uint32_t row,
                                                 uint8_t *codes, uint8_t *marks)
{
    const uint32_t regime = ll_regime(s, row);
    b->is_repeat = ll_source(t, row) >= 0;
    b->near = ll_near(s, ll_near_kind(s, row, regime, t->has_rows ? t->source : NULL));
    b->beside = ll_beside(s, row, regime, b->is_repeat);
    b->code = codes + ll_cell(s, row);
    b->mark = marks + ll_cell(s, row);
}

/* Codes and marks of a row's margins are those at its ends. */
static __device__ __forceinline__ void end_row(const struct beginnings *b, uint32_t width,
                                               uint32_t cells)
{
    const uint32_t lane = threadIdx.x % 32;
    uint8_t *const lists[2] = {b->code, b->mark};
    for (uint32_t k = 0; k < 1 + (uint32_t)b->has_marks; k++) {
        uint8_t *const at = lists[k];
        if (lane < ZTI_LL_MARGIN)
            at[(int32_t)lane - ZTI_LL_MARGIN] = at[0];
        for (uint32_t x = width + lane; x < cells + ZTI_LL_MARGIN; x += 32)
            at[x] = at[width - 1];
    }
}

#endif
