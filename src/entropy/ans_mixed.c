/* ans_mixed.c: what symbols of mixed ANS streams are looked up in, made of their models. */
#include "entropy/ans_mixed.h"

/* Each context's model by its number; returns how many there are. */
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

zt_status zti_ans_mixed_make(zt_context *context, const struct zti_ans_model *const *of,
                             uint32_t contexts, struct zti_ans_mixed_table *table)
{
    const size_t entries = (size_t)contexts * ZTI_ANS_MIXED_ALPHABET;
    uint8_t number[256];
    const uint32_t models = number_models(of, contexts, number);
    memset(table, 0, sizeof *table);
    /* two more bytes: vectors look at 32 bits where states are */
    table->entry = zti_alloc_zeroed(
        context, entries * (sizeof *table->entry + sizeof *table->joint) +
                     models * sizeof *table->next * ZTI_ANS_STATES + 2);
    if (!table->entry)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for the tables of %u models", models);
    int32_t *const joint = (int32_t *)(void *)(table->entry + entries);
    uint16_t *const next = (uint16_t *)(void *)(joint + entries);
    const uint32_t before = (uint32_t)(next - (uint16_t *)(void *)table->entry);
    table->joint = joint;
    table->next = next;
    for (uint32_t i = 0, seen = 0; i < contexts; i++) {
        const struct zti_ans_model *const model = of[i];
        const uint32_t first = number[i] * ZTI_ANS_STATES;
        if (number[i] == seen && ++seen > 0)
            memcpy(next + first, model->next, sizeof *next * ZTI_ANS_STATES);
        for (uint32_t s = 0; s < model->alphabet && s < ZTI_ANS_MIXED_ALPHABET; s++) {
            const uint32_t at = i * ZTI_ANS_MIXED_ALPHABET + s, f = model->frequencies[s];
            const uint32_t from = model->steps[2 * s + 1] + first;
            table->entry[at] = (struct zti_ans_mixed_entry){model->steps[2 * s], from + before};
            joint[at] = (int32_t)(from << ZTI_ANS_STATE_BITS | ((f - 1) & (ZTI_ANS_STATES - 1)));
        }
    }
    return ZT_OK;
}

void zti_ans_mixed_free(zt_context *context, struct zti_ans_mixed_table *table)
{
    zti_release(context, table->entry);
    memset(table, 0, sizeof *table);
}

zt_status zti_ans_mixed_tables_make(zt_context *context, const struct zti_ans_model *const *of,
                                    uint32_t contexts, struct zti_ans_mixed_tables *tables)
{
    memset(tables, 0, sizeof *tables);
    const size_t models = number_models(of, contexts, tables->model);
    tables->entry = zti_alloc(context, models * ZTI_ANS_STATES * sizeof *tables->entry);
    if (!tables->entry)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for the tables of %zu models", models);
    for (uint32_t i = 0, next = 0; i < contexts; i++) {
        uint32_t *const entry = tables->entry + tables->model[i] * (size_t)ZTI_ANS_STATES;
        tables->of[i] = entry;
        if (tables->model[i] == next && ++next > 0)
            memcpy(entry, of[i]->decode, ZTI_ANS_STATES * sizeof *entry);
    }
    return ZT_OK;
}

void zti_ans_mixed_tables_free(zt_context *context, struct zti_ans_mixed_tables *tables)
{
    zti_release(context, tables->entry);
    memset(tables, 0, sizeof *tables);
}
