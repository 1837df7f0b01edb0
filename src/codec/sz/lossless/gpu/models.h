/* models.h: kernel text: the ANS models of a tile's front, which the lossless and the transform
 * coder read: their memory, frequencies by a lane each, and the decoder's tables by a warp each. */
#ifndef ZTI_SZ_LOSSLESS_GPU_MODELS_H
#define ZTI_SZ_LOSSLESS_GPU_MODELS_H

#include "codec/sz/gpu/batch.h"
#include "codec/sz/lossless/read_front.h"

struct ll_models {
    uint16_t *weights; /* and then frequencies, of each model */
    uint32_t *tables;  /* of each model */
};

static inline uint64_t ll_models_bytes(uint32_t count)
{
    return (uint64_t)count *
           (2 * sizeof(uint16_t) * ZTI_LL_ALPHABET + sizeof(uint32_t) * ZTI_ANS_STATES);
}

static __device__ __forceinline__ struct ll_models ll_models_at(uint8_t *at, uint32_t count)
{
    struct ll_models m;
    m.weights = (uint16_t *)(void *)at;
    m.tables = (uint32_t *)(void *)(m.weights + (size_t)count * 2 * ZTI_LL_ALPHABET);
    return m;
}

/* Make models without a symbol. The warp calls it. */
static __device__ __forceinline__ void ll_clear_models(const struct ll_models *m, uint32_t count,
                                                       struct zti_ans_model *model)
{
    uint64_t *const weights = (uint64_t *)(void *)m->weights;
    for (uint32_t i = threadIdx.x; i < count * ZTI_LL_ALPHABET / 2; i += 32)
        weights[i] = 0; /* four of them, frequencies too */
    for (uint32_t k = threadIdx.x; k < count; k += 32) {
        memset(&model[k], 0, sizeof model[k]);
        model[k].alphabet = ZTI_LL_ALPHABET;
        model[k].weights = m->weights + (size_t)k * 2 * ZTI_LL_ALPHABET;
        model[k].frequencies = model[k].weights + ZTI_LL_ALPHABET;
        model[k].decode = m->tables + (size_t)k * ZTI_ANS_STATES;
    }
    simt_order_warp();
}

/* Make the frequencies of a model of its weights. A lane calls it. */
static __device__ __forceinline__ void ll_make_frequencies(struct zti_ans_model *model)
{
    static_assert(sizeof(struct zti_ans_heap) <= ZTI_ANS_STATES * sizeof(uint32_t),
                  "a heap has room where a table comes");
    if (model->used > 1)
        zti_ans_normalise(model, (struct zti_ans_heap *)(void *)model->decode);
}

/* ---- tables ---- */

/* What a warp needs to make a table. A lane has states that follow each other; their numbers among
 * those of a symbol begin behind those of the lanes before. */
enum {
    LL_LANE_STATES = ZTI_ANS_STATES / 32,
    LL_NUMBERS = ZTI_LL_ALPHABET + 2 /* so that lanes with the same symbol use different banks */
};

struct ll_table_memory {
    uint16_t end[ZTI_LL_ALPHABET]; /* of states in the order in which symbols get them */
    uint16_t number[32][LL_NUMBERS];
    uint8_t symbol[LL_LANE_STATES][32]; /* of a lane's states */
};

/* The symbol of each state, as model.c's 'spread' gives it. */
static __device__ __forceinline__ void ll_spread(const uint16_t *frequencies,
                                                 struct ll_table_memory *m)
{
    enum { EACH = ZTI_LL_ALPHABET / 32 };
    const uint32_t lane = threadIdx.x;
    uint32_t own = 0;
    for (uint32_t i = 0; i < EACH; i++)
        own += frequencies[EACH * lane + i];
    uint32_t end = warp_sums_32(own) - own;
    for (uint32_t i = EACH * lane; i < EACH * (lane + 1); i++) {
        end += frequencies[i];
        m->end[i] = (uint16_t)end;
    }
    simt_order_warp();
    for (uint32_t i = lane; i < ZTI_ANS_STATES; i += 32) {
        const uint32_t state = i * ZTI_ANS_SPREAD_STEP & (ZTI_ANS_STATES - 1);
        uint32_t symbol = 0; /* as many as have got all their states before the i-th */
        for (uint32_t step = ZTI_LL_ALPHABET / 2; step > 0; step /= 2)
            symbol += m->end[symbol + step - 1] <= i ? step : 0;
        m->symbol[state % LL_LANE_STATES][state / LL_LANE_STATES] = (uint8_t)symbol;
    }
    for (uint32_t s = 0; s < ZTI_LL_ALPHABET; s++)
        m->number[lane][s] = 0;
    simt_order_warp();
}

/* The decoder's table of model k, as model.c makes it. The warp calls it. */
static __device__ __forceinline__ void ll_make_table(const struct ll_models *models, uint32_t k)
{
    SIMT_SHARED(struct ll_table_memory, m, );
    const uint32_t lane = threadIdx.x;
    const uint16_t *const frequencies = models->weights + (size_t)(2 * k + 1) * ZTI_LL_ALPHABET;
    uint32_t *const table =
        models->tables + (size_t)k * ZTI_ANS_STATES + (size_t)lane * LL_LANE_STATES;
    ll_spread(frequencies, &m);
    for (uint32_t i = 0; i < LL_LANE_STATES; i++)
        m.number[lane][m.symbol[i][lane]]++;
    simt_order_warp();
    for (uint32_t s = lane; s < ZTI_LL_ALPHABET; s += 32) {
        uint32_t next = frequencies[s];
        for (uint32_t i = 0; i < 32; i++) {
            const uint32_t own = m.number[i][s];
            m.number[i][s] = (uint16_t)next;
            next += own;
        }
    }
    simt_order_warp();
    for (uint32_t i = 0; i < LL_LANE_STATES; i++) {
        const uint32_t s = m.symbol[i][lane];
        table[i] = zti_ans_entry(s, m.number[lane][s]++);
    }
}

#endif
