/* symbols.cu: the second kernel of lossless tiles: symbols, 32 of a row at a time. Contexts are of
 * rows that are complete, so a lane finds its own before the warp decodes. */
#include "codec/sz/lossless/gpu/contexts.h"
#include "codec/sz/lossless/gpu/tiles.h"

#include "entropy/ans/gpu/warp_states.h"

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

/* All symbols of a tile; false: the stream is damaged. */
static __device__ __forceinline__ bool decode_rows(const struct zti_ll_shape *s,
                                                   const struct ll_slot *slot,
                                                   const uint8_t *model_of, uint32_t states,
                                                   struct warp_states *a)
{
    const struct zti_ll_front *const front = slot->front;
    const struct ans_tables tables = {NULL, slot->models.tables, 0};
    struct beginnings b = beginnings_of(s, front->t.has_marks);
    b.model_of = model_of;
    b.has_signs = front->has_signs;
    for (uint32_t row = 0; row < s->rows; row++) {
        const uint32_t width = ll_width(s, row);
        uint32_t code = 0;
        begin_row(&b, s, &front->t, row, slot->codes, slot->marks);
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
    const uint32_t states = ll_states(shape.values);
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
