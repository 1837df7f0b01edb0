/* symbols.cu: the second kernel of lossless tiles: symbols, 32 of a row at a time. Contexts are of
 * rows that are complete, so a lane finds its own before the warp decodes. */
#include "codec/sz/lossless/gpu/tiles.h"

#include "entropy/ans/gpu/warp_states.h"

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

/* Decode n <= 32 symbols of a row from x on. Without rows before, the mean of all is that of the
 * codes before, whose lanes return theirs. */
static __device__ __forceinline__ uint32_t decode_some(struct warp_states *a,
                                                       const struct ans_tables *tables,
                                                       uint32_t states, const struct beginnings *b,
                                                       uint32_t x, uint32_t n, uint32_t before,
                                                       uint8_t *symbols)
{
    const uint32_t lane = threadIdx.x, at = x + lane;
    const uint32_t piece = x > 0 ? simt_reduce_add(before) * 8 / ZTI_LL_PIECE : 0;
    uint32_t mean = piece, model = 0;
    if (lane < n) {
        mean = b->near.rows > 0 ? mean_at(b, at) : piece;
        model = b->model_of[context_at(b, at, mean)] * (uint32_t)ZTI_ANS_STATES;
    }
    const uint32_t symbol = warp_states_decode(a, tables, states, model, n);
    const bool is_mark = b->has_marks && symbol >= ZTI_LL_MARK_RAW;
    const uint32_t of_value = b->has_signs ? (symbol + 1) / 2 : symbol;
    const uint32_t code = is_mark ? ll_code_of_mean(mean) : of_value;
    if (lane < n) {
        symbols[at] = (uint8_t)symbol;
        b->code[at] = (uint8_t)code;
        if (b->has_marks)
            b->mark[at] = is_mark ? (uint8_t)symbol : 0;
    }
    return code;
}

/* Codes and marks of a row's margins are those at its ends. */
static __device__ __forceinline__ void end_row(const struct beginnings *b, uint32_t width,
                                               uint32_t cells)
{
    uint8_t *const lists[2] = {b->code, b->mark};
    for (uint32_t k = 0; k < 1 + (uint32_t)b->has_marks; k++) {
        uint8_t *const at = lists[k];
        if (threadIdx.x < ZTI_LL_MARGIN)
            at[(int32_t)threadIdx.x - ZTI_LL_MARGIN] = at[0];
        for (uint32_t x = width + threadIdx.x; x < cells + ZTI_LL_MARGIN; x += 32)
            at[x] = at[width - 1];
    }
}

/* All symbols of a tile; false: the stream is damaged. */
static __device__ __forceinline__ bool decode_rows(const struct zti_ll_shape *s,
                                                   const struct ll_slot *slot,
                                                   const uint8_t *model_of, uint32_t states,
                                                   struct warp_states *a)
{
    const struct zti_ll_front *const front = slot->front;
    const struct ans_tables tables = {NULL, slot->models.tables, 0};
    struct beginnings b;
    b.model_of = model_of;
    b.has_marks = front->t.has_marks;
    b.has_signs = front->has_signs;
    b.is_lanes = s->is_lanes;
    for (uint32_t row = 0; row < s->rows; row++) {
        const uint32_t width = ll_width(s, row);
        uint32_t code = 0;
        b.is_repeat = ll_source(&front->t, row) >= 0;
        b.near = ll_near(s, row, front->t.has_rows ? front->t.source : NULL);
        b.beside = ll_beside(s, row, ll_regime(s, row), b.is_repeat);
        b.code = slot->codes + ll_cell(s, row);
        b.mark = slot->marks + ll_cell(s, row);
        for (uint32_t x = 0; x < width; x += 32)
            code = decode_some(a, &tables, states, &b, x, simt_at_most(width - x, 32), code,
                               slot->symbols + (size_t)row * s->width);
        simt_order_warp();
        end_row(&b, width, s->width);
        simt_order_warp();
    }
    return warp_states_end_at(a, states, slot->note->codes_end);
}

SIMT_KERNEL void SIMT_BOUNDS(32, 16) ll_decode_symbols(const struct ll_tiles l)
{
    SIMT_SHARED(uint32_t, window, [ANS_WINDOW]);
    SIMT_SHARED(uint8_t, model_of, [ZTI_LL_TABLE]);
    struct sz_numbered t;
    struct ll_slot slot;
    struct zti_ll_shape shape;
    if (!ll_open(&l, &t, &slot, &shape))
        return;
    const uint32_t states = ll_states(&shape);
    const struct zti_bit_reader in = sz_reader(&l.s, slot.note->codes);
    struct warp_states a;
    for (uint32_t i = threadIdx.x; i < ZTI_LL_TABLE; i += 32)
        model_of[i] = slot.front->model_of[i];
    const bool has_start = warp_states_begin(&a, &in, states, window);
    simt_order_warp();
    const bool is_good =
        (states == ZTI_ANS_MANY ? decode_rows(&shape, &slot, model_of, ZTI_ANS_MANY, &a)
                                : decode_rows(&shape, &slot, model_of, ZTI_ANS_FEW, &a)) &&
        has_start;
    if (threadIdx.x == 0 && !is_good) {
        slot.note->tile.is_good = 0;
        note_bad(&l.s, t.chunk);
    }
}

extern "C" void zti_ll_cuda_symbols(const struct ll_tiles *l, void *queue)
{
    SIMT_LAUNCH(ll_decode_symbols, l->batch.count, 32, 0, queue, *l);
}
