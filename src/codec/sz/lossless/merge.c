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

uint64_t zti_ll_cost(const struct zti_ll_tables *tables, const uint32_t *count, uint32_t symbols)
{
    uint64_t sum = 0, less = 0;
    uint32_t n = 0, used = 0;
    for (uint32_t s = 0; s < symbols; s++) {
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

/* ---- contexts to groups ---- */

/* Contexts that follow each other, but are of another kind. */
static bool is_border(uint32_t context)
{
    return context == ZTI_LL_FILLS || context == ZTI_LL_ALL_FILLS || context == ZTI_LL_REPEATS;
}

uint32_t zti_ll_group(const uint32_t *count, uint8_t *group_of)
{
    enum { WANTED = 28 }; /* and at most one a kind more */
    uint32_t all = 0, group = 0, own = 0;
    for (uint32_t c = 0; c < ZTI_LL_CONTEXTS; c++)
        all += count[c];
    for (uint32_t c = 0; c < ZTI_LL_CONTEXTS; c++) {
        if (own > all / WANTED || (own > 0 && is_border(c))) {
            group++;
            own = 0;
        }
        group_of[c] = (uint8_t)group;
        own += count[c];
    }
    return group + 1;
}

uint32_t zti_ll_group_samples(uint8_t *group_of)
{
    enum { LOW = 128, LOW_LEVELS = 16, HIGH_LEVELS = 8 };
    uint32_t group = 0, begin = 0;
    for (uint32_t c = 0; c < ZTI_LL_CONTEXTS; c++) {
        const uint32_t level = c < ZTI_LL_FILLS      ? c
                               : c >= ZTI_LL_REPEATS ? c - ZTI_LL_REPEATS
                                                     : LOW;
        if (c > 0 && (is_border(c) || c - begin == (level < LOW ? LOW_LEVELS : HIGH_LEVELS))) {
            group++;
            begin = c;
        }
        group_of[c] = (uint8_t)group;
    }
    return group + 1;
}

/* ---- groups to models ---- */

struct merger {
    const struct zti_ll_tables *tables;
    uint32_t (*counts)[ZTI_LL_ALPHABET];
    uint32_t n, symbols;          /* groups; symbols that any has, up to the last */
    uint16_t at[ZTI_LL_GROUPS];   /* the first group of each */
    uint64_t cost[ZTI_LL_GROUPS]; /* of groups */
    int64_t gain[ZTI_LL_GROUPS];  /* of merging a group with the next */
};

static void find_gain(struct merger *m, uint32_t i)
{
    uint32_t both[ZTI_LL_ALPHABET];
    const uint32_t *const a = m->counts[m->at[i]], *const b = m->counts[m->at[i + 1]];
    for (uint32_t s = 0; s < m->symbols; s++)
        both[s] = a[s] + b[s];
    m->gain[i] =
        (int64_t)(m->cost[i] + m->cost[i + 1]) - (int64_t)zti_ll_cost(m->tables, both, m->symbols);
}

/* Group i and the next. */
static void join(struct merger *m, uint32_t i)
{
    uint32_t *const a = m->counts[m->at[i]], *const b = m->counts[m->at[i + 1]];
    for (uint32_t s = 0; s < m->symbols; s++)
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

static void begin(struct merger *m, uint32_t groups)
{
    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t s = m->symbols; s < ZTI_LL_ALPHABET; s++)
            m->symbols = m->counts[g][s] ? s + 1 : m->symbols;
    for (uint32_t g = 0; g < groups; g++) {
        const uint64_t cost = zti_ll_cost(m->tables, m->counts[g], m->symbols);
        if (cost == 0)
            continue;
        m->cost[m->n] = cost;
        m->at[m->n++] = (uint16_t)g;
    }
    for (uint32_t i = 0; i + 1 < m->n; i++)
        find_gain(m, i);
}

static uint64_t sum_of(const struct merger *m)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < m->n; i++)
        sum += m->cost[i];
    return sum;
}

uint32_t zti_ll_merge(const struct zti_ll_tables *tables, zti_ll_counts counts, uint32_t groups,
                      uint32_t part, uint8_t *model_of, uint64_t *cost)
{
    struct merger m = {.tables = tables, .counts = counts, .n = 0};
    begin(&m, groups);
    const int64_t least = part > 0 ? (int64_t)(sum_of(&m) / part) : 0;
    while (m.n > 1) {
        uint32_t best = 0;
        for (uint32_t i = 1; i + 1 < m.n; i++)
            if (m.gain[i] > m.gain[best])
                best = i;
        if (m.gain[best] <= -least && m.n <= ZTI_LL_MODELS)
            break;
        join(&m, best);
    }
    *cost = sum_of(&m);
    for (uint32_t g = 0, k = 0; g < groups; g++) {
        while (k + 1 < m.n && g >= m.at[k + 1])
            k++;
        model_of[g] = (uint8_t)k;
    }
    for (uint32_t i = 0; i < m.n; i++)
        if (m.at[i] != i)
            memcpy(counts[i], counts[m.at[i]], sizeof counts[i]);
    return m.n;
}
