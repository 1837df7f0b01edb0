/* mixed.c: the plain C instance of mixed ANS streams (mixed_text.h), and the encoder's look-up
 * table, which is made from the models of all contexts. */
#include "entropy/ans/mixed.h"

#define NAME(x) x
#include "entropy/ans/mixed_text.h"

/* Number the distinct models, and set the number of each context's; returns how many there are. */
static uint32_t number_models(const struct zti_ans_model *const *of, uint32_t contexts,
                              uint8_t *number)
{
    uint32_t models = 0;
    for (uint32_t i = 0; i < contexts; i++) {
        uint32_t k = 0;
        while (of[k] != of[i])
            k++;
        number[i] = k < i ? number[k] : (uint8_t)models++;
    }
    return models;
}

/* two more bytes: vectors look at 32 bits where states are */
size_t zti_ans_mixed_table_bytes(uint32_t contexts, uint32_t models)
{
    return (size_t)contexts * ZTI_ANS_MIXED_ALPHABET * sizeof(struct zti_ans_mixed_entry) +
           models * sizeof(uint16_t) * ZTI_ANS_STATES + 2;
}

void zti_ans_mixed_fill(const struct zti_ans_model *const *of, uint32_t contexts,
                        struct zti_ans_mixed_table *table)
{
    const size_t entries = (size_t)contexts * ZTI_ANS_MIXED_ALPHABET;
    uint8_t number[256];
    (void)number_models(of, contexts, number);
    memset(table->entry, 0, entries * sizeof *table->entry);
    uint16_t *const next = (uint16_t *)(void *)table->entry;
    const uint32_t before = (uint32_t)(entries * sizeof *table->entry / sizeof *next);
    for (uint32_t i = 0; i < contexts; i++) {
        const struct zti_ans_model *const model = of[i];
        const uint32_t first = before + number[i] * ZTI_ANS_STATES;
        memcpy(next + first, model->next, sizeof *next * ZTI_ANS_STATES);
        for (uint32_t s = 0; s < model->alphabet && s < ZTI_ANS_MIXED_ALPHABET; s++)
            table->entry[i * ZTI_ANS_MIXED_ALPHABET + s] =
                (struct zti_ans_mixed_entry){model->steps[2 * s], model->steps[2 * s + 1] + first};
    }
}

zt_status zti_ans_mixed_make(zt_context *context, const struct zti_ans_model *const *of,
                             uint32_t contexts, struct zti_ans_mixed_table *table)
{
    uint8_t number[256];
    const uint32_t models = number_models(of, contexts, number);
    memset(table, 0, sizeof *table);
    table->entry = zti_alloc_zeroed(context, zti_ans_mixed_table_bytes(contexts, models));
    if (!table->entry)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for the tables of %u models", models);
    zti_ans_mixed_fill(of, contexts, table);
    return ZT_OK;
}

void zti_ans_mixed_free(zt_context *context, struct zti_ans_mixed_table *table)
{
    zti_release(context, table->entry);
    memset(table, 0, sizeof *table);
}
