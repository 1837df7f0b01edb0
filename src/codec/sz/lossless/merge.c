/* merge.c: contexts of symbols to a tile's models: neighbours in the order of contexts are merged,
 * those first whose separate tables and codes save least. All arithmetic is on integers: the models
 * are the same on any machine. */
#include "codec/sz/lossless/lossless.h"

enum {
    POINT = 16,       /* bits behind the point of costs */
    TABLE_BITS = 20,  /* of a table, and */
    SYMBOL_16THS = 51 /* of each symbol that it has, in 16ths of a bit */
};

static uint64_t log2_of(const struct zti_ll_tables *tables, uint32_t v)
{
    if (v <= 4096)
        return tables->log2[v];
    const uint32_t down = zti_bit_length64(v) - 12;
    return tables->log2[v >> down] + ((uint64_t)down << POINT);
}

uint64_t zti_ll_cost(const struct zti_ll_tables *tables, const uint32_t *count)
{
    uint64_t sum = 0, less = 0;
    uint32_t n = 0, used = 0;
    for (uint32_t s = 0; s < ZTI_LL_ALPHABET; s++) {
        if (count[s] == 0)
            continue;
        n += count[s];
        used++;
        less += count[s] * log2_of(tables, count[s]);
    }
    if (n == 0)
        return 0;
    sum = n * log2_of(tables, n);
    sum = sum > less ? sum - less : 0;
    return sum + ((uint64_t)TABLE_BITS << POINT) + ((uint64_t)used * SYMBOL_16THS << (POINT - 4));
}

struct merger {
    const struct zti_ll_tables *tables;
    uint32_t (*counts)[ZTI_LL_ALPHABET];
    uint32_t n;
    uint16_t at[ZTI_LL_CONTEXTS];   /* the first context of each group */
    uint64_t cost[ZTI_LL_CONTEXTS]; /* of groups */
    int64_t gain[ZTI_LL_CONTEXTS];  /* of merging a group with the next */
};

static void find_gain(struct merger *m, uint32_t i)
{
    uint32_t both[ZTI_LL_ALPHABET];
    const uint32_t *const a = m->counts[m->at[i]], *const b = m->counts[m->at[i + 1]];
    for (uint32_t s = 0; s < ZTI_LL_ALPHABET; s++)
        both[s] = a[s] + b[s];
    m->gain[i] = (int64_t)(m->cost[i] + m->cost[i + 1]) - (int64_t)zti_ll_cost(m->tables, both);
}

/* Group i and the next. */
static void join(struct merger *m, uint32_t i)
{
    uint32_t *const a = m->counts[m->at[i]], *const b = m->counts[m->at[i + 1]];
    for (uint32_t s = 0; s < ZTI_LL_ALPHABET; s++)
        a[s] += b[s];
    m->cost[i] = (uint64_t)((int64_t)(m->cost[i] + m->cost[i + 1]) - m->gain[i]);
    m->n--;
    for (uint32_t k = i + 1; k < m->n; k++) {
        m->at[k] = m->at[k + 1];
        m->cost[k] = m->cost[k + 1];
        m->gain[k] = m->gain[k + 1];
    }
    if (i + 1 < m->n)
        find_gain(m, i);
    if (i > 0)
        find_gain(m, i - 1);
}

static void begin(struct merger *m)
{
    for (uint32_t c = 0; c < ZTI_LL_CONTEXTS; c++) {
        const uint64_t cost = zti_ll_cost(m->tables, m->counts[c]);
        if (cost == 0)
            continue;
        m->cost[m->n] = cost;
        m->at[m->n++] = (uint16_t)c;
    }
    for (uint32_t i = 0; i + 1 < m->n; i++)
        find_gain(m, i);
}

uint32_t zti_ll_merge(const struct zti_ll_tables *tables, zti_ll_counts counts, uint8_t *model_of,
                      uint64_t *cost)
{
    struct merger m = {.tables = tables, .counts = counts, .n = 0};
    begin(&m);
    while (m.n > 1) {
        uint32_t best = 0;
        for (uint32_t i = 1; i + 1 < m.n; i++)
            if (m.gain[i] > m.gain[best])
                best = i;
        if (m.gain[best] <= 0 && m.n <= ZTI_LL_MODELS)
            break;
        join(&m, best);
    }
    *cost = 0;
    for (uint32_t i = 0; i < m.n; i++)
        *cost += m.cost[i];
    for (uint32_t c = 0, k = 0; c < ZTI_LL_CONTEXTS; c++) {
        while (k + 1 < m.n && c >= m.at[k + 1])
            k++;
        model_of[c] = (uint8_t)k;
    }
    for (uint32_t i = 0; i < m.n; i++)
        if (m.at[i] != i)
            memcpy(counts[i], counts[m.at[i]], sizeof counts[i]);
    return m.n;
}
