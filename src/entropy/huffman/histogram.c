/* histogram.c: the first stage of Huffman coding: counts how often each symbol occurs.
 *
 * A tally has totals of 64 bits, the number of symbols that are not in the totals yet, and several
 * tables of 32-bit counts. Consecutive symbols are counted in different tables: in one table, equal
 * neighbours, which are frequent, would each wait for the store of the one before. The tables are
 * added to the totals before they can overflow, and when the totals are read. */
#include "entropy/huffman/huffman.h"

/* Eight tables, or four where eight would not fit a second-level cache. */
enum { MOST_TABLES = 8, LEAST_TABLES = 4, LARGE_ALPHABET = 4096 };

/* Distance of the prefetch of symbols; hardware prefetchers stop at the end of a page. */
enum { AHEAD_BYTES = 8192 };

/* The most symbols counted between two additions to the totals; a 32-bit count holds them all. */
static const uint64_t most_pending = UINT32_MAX;

struct tally {
    uint64_t *totals;
    uint64_t *pending;
    uint32_t *tables; /* [number][stride] */
    uint32_t number;
    size_t stride;
};

/* Tables are an odd multiple of 64 bytes apart. At multiples of 4096 bytes a load from the next
 * table would seem to depend on the store to this one (4K aliasing). */
static struct tally lay_out_tables(void *memory, uint32_t alphabet)
{
    struct tally t = {.totals = memory};
    t.number = alphabet > LARGE_ALPHABET ? LEAST_TABLES : MOST_TABLES;
    t.stride = (size_t)zti_round_up(alphabet, 32) + 16;
    if (memory) {
        t.pending = t.totals + alphabet;
        t.tables = (uint32_t *)(void *)(t.pending + 1);
    }
    return t;
}

size_t zti_histogram_bytes(uint32_t alphabet)
{
    const struct tally t = lay_out_tables(NULL, alphabet);
    return sizeof(uint64_t) * ((size_t)alphabet + 1) + sizeof(uint32_t) * t.number * t.stride;
}

static void add_tables(uint64_t *totals, const struct tally *t, uint32_t alphabet)
{
    for (uint32_t k = 0; k < t->number; k++)
        for (uint32_t i = 0; i < alphabet; i++)
            totals[i] += t->tables[k * t->stride + i];
}

static void add_pending(const struct tally *t, uint32_t alphabet)
{
    if (*t->pending == 0)
        return;
    add_tables(t->totals, t, alphabet);
    memset(t->tables, 0, sizeof(uint32_t) * t->number * t->stride);
    *t->pending = 0;
}

/* Count n symbols in 'number' tables, a compile-time constant, by turns. */
ZTI_INLINE void count(uint32_t *tables, size_t stride, uint32_t number, const uint16_t *symbols,
                      size_t n)
{
    const uintptr_t ahead = (uintptr_t)symbols + AHEAD_BYTES;
    size_t i = 0;
    for (; i + number <= n; i += number) {
        zti_prefetch((const void *)(ahead + i * sizeof *symbols));
        for (uint32_t k = 0; k < number; k += 4) {
            uint64_t four;
            memcpy(&four, symbols + i + k, sizeof four);
            tables[k * stride + (four & 0xffff)]++;
            tables[(k + 1) * stride + (four >> 16 & 0xffff)]++;
            tables[(k + 2) * stride + (four >> 32 & 0xffff)]++;
            tables[(k + 3) * stride + (four >> 48)]++;
        }
    }
    for (; i < n; i++)
        tables[symbols[i]]++;
}

void zti_histogram_add(void *tally, uint32_t alphabet, const uint16_t *symbols, size_t n)
{
    const struct tally t = lay_out_tables(tally, alphabet);
    while (n > 0) {
        if (*t.pending == most_pending)
            add_pending(&t, alphabet);
        const uint64_t room = most_pending - *t.pending;
        const size_t now = n < room ? n : (size_t)room;
        if (t.number == MOST_TABLES)
            count(t.tables, t.stride, MOST_TABLES, symbols, now);
        else
            count(t.tables, t.stride, LEAST_TABLES, symbols, now);
        *t.pending += now;
        symbols += now;
        n -= now;
    }
}

void zti_histogram_add_counts(void *tally, uint32_t alphabet, const uint64_t *counts)
{
    uint64_t *const totals = tally;
    for (uint32_t i = 0; i < alphabet; i++)
        totals[i] += counts[i];
}

void zti_histogram_merge(void *into, uint32_t alphabet, const void *from)
{
    union {
        const void *in;
        void *memory;
    } u = {from}; /* only read */
    const struct tally t = lay_out_tables(u.memory, alphabet);
    uint64_t *totals = into;
    for (uint32_t i = 0; i < alphabet; i++)
        totals[i] += t.totals[i];
    add_tables(totals, &t, alphabet);
}

const uint64_t *zti_histogram_counts(void *tally, uint32_t alphabet)
{
    const struct tally t = lay_out_tables(tally, alphabet);
    add_pending(&t, alphabet);
    return t.totals;
}
