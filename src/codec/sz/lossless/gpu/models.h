/* models.h: kernel text: the ANS models of a tile's front, which the lossless and the transform
 * coder read: their memory, and the decoder's tables that lanes make of them. */
#ifndef ZTI_SZ_LOSSLESS_GPU_MODELS_H
#define ZTI_SZ_LOSSLESS_GPU_MODELS_H

#include "codec/sz/gpu/batch.h"
#include "codec/sz/lossless/read_front.h"

struct ll_models {
    uint16_t *weights; /* and then frequencies, of each model */
    uint32_t *numbers; /* memory of as many as an alphabet has, of each model */
    uint32_t *tables;  /* of each model */
};

static inline uint64_t ll_models_bytes(uint32_t count)
{
    return (uint64_t)count *
           (2 * sizeof(uint16_t) * ZTI_LL_ALPHABET + sizeof(uint32_t) * ZTI_LL_ALPHABET +
            sizeof(uint32_t) * ZTI_ANS_STATES);
}

static __device__ __forceinline__ struct ll_models ll_models_at(uint8_t *at, uint32_t count)
{
    struct ll_models m;
    m.weights = (uint16_t *)(void *)at;
    m.numbers = (uint32_t *)(void *)(m.weights + (size_t)count * 2 * ZTI_LL_ALPHABET);
    m.tables = m.numbers + (size_t)count * ZTI_LL_ALPHABET;
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

/* Make the decoder's table of model k. A lane calls it. */
static __device__ __forceinline__ void ll_make_table(const struct ll_models *m, uint32_t k,
                                                     struct zti_ans_model *model)
{
    struct zti_ans_model *const own = &model[k];
    static_assert(sizeof(struct zti_ans_heap) <= ZTI_ANS_STATES * sizeof(uint32_t),
                  "a heap has room where a table comes");
    if (own->used > 1) /* in the memory of the table, which is made next */
        zti_ans_normalise(own, (struct zti_ans_heap *)(void *)own->decode);
    zti_ans_spread(own);
    zti_ans_make_entries(own, m->numbers + (size_t)k * ZTI_LL_ALPHABET);
}

#endif
