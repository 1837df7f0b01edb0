/* histogram.c: how often each symbol occurs.
 *
 * A tally is the totals, 64 bits each, then the number of symbols that are counted but not yet
 * among them, then four tables of 32 bits that consecutive symbols are counted in by turns: with
 * one table, equal neighbours (most of them, in data that compress) would each wait for the store
 * of the one before. The tables are added to the totals before they can overflow, and when the
 * totals are asked for. */
#include "entropy/huffman.h"

enum { TABLES = 4 };

/* Symbols counted between two settlements; each table holds at most all of them. */
static const uint64_t most_pending = UINT32_MAX;

struct tally {
    uint64_t *totals;
    uint64_t *pending;
    uint32_t *tables; /* [TABLES][alphabet] */
};

static struct tally tally_at(void *memory, uint32_t alphabet)
{
    uint64_t *totals = memory;
    return (struct tally){totals, totals + alphabet, (uint32_t *)(void *)(totals + alphabet + 1)};
}

size_t zti_histogram_bytes(uint32_t alphabet)
{
    return sizeof(uint64_t) * ((size_t)alphabet + 1) + sizeof(uint32_t) * TABLES * (size_t)alphabet;
}

static void settle(const struct tally *t, uint32_t alphabet)
{
    if (*t->pending == 0)
        return;
    for (uint32_t k = 0; k < TABLES; k++)
        for (uint32_t i = 0; i < alphabet; i++)
            t->totals[i] += t->tables[(size_t)k * alphabet + i];
    memset(t->tables, 0, sizeof(uint32_t) * TABLES * (size_t)alphabet);
    *t->pending = 0;
}

static void count(uint32_t *tables, uint32_t alphabet, const uint16_t *symbols, size_t n)
{
    uint32_t *t0 = tables, *t1 = t0 + alphabet, *t2 = t1 + alphabet, *t3 = t2 + alphabet;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        uint64_t four;
        memcpy(&four, symbols + i, sizeof four);
        t0[four & 0xffff]++;
        t1[four >> 16 & 0xffff]++;
        t2[four >> 32 & 0xffff]++;
        t3[four >> 48]++;
    }
    for (; i < n; i++)
        t0[symbols[i]]++;
}

void zti_histogram_add(void *tally, uint32_t alphabet, const uint16_t *symbols, size_t n)
{
    const struct tally t = tally_at(tally, alphabet);
    while (n > 0) {
        if (*t.pending == most_pending)
            settle(&t, alphabet);
        const uint64_t room = most_pending - *t.pending;
        const size_t now = n < room ? n : (size_t)room;
        count(t.tables, alphabet, symbols, now);
        *t.pending += now;
        symbols += now;
        n -= now;
    }
}

void zti_histogram_merge(void *into, uint32_t alphabet, const void *from)
{
    const struct tally t = tally_at(into, alphabet);
    const uint64_t *totals = from;
    const uint32_t *tables = (const uint32_t *)(const void *)(totals + alphabet + 1);
    for (uint32_t i = 0; i < alphabet; i++)
        t.totals[i] += totals[i];
    for (uint32_t k = 0; k < TABLES; k++)
        for (uint32_t i = 0; i < alphabet; i++)
            t.totals[i] += tables[(size_t)k * alphabet + i];
}

const uint64_t *zti_histogram_counts(void *tally, uint32_t alphabet)
{
    const struct tally t = tally_at(tally, alphabet);
    settle(&t, alphabet);
    return t.totals;
}
