/* merge.c: codes a chunk of symbols by reduce-merge and shuffle-merge (Tian et al., "Revisiting
 * Huffman Coding", IPDPS 2021, section IV-C), which is made for a thread for every few symbols. The
 * bits are those of encode.c.
 *
 * To merge two bit strings is to append the right one to the left one and to add their lengths.
 *
 *   reduce   2^r codes become a unit: one thread looks them up and merges them in a register of 32
 *            bits, and stores the word in a cell.
 *   shuffle  M - r rounds, where a chunk has 2^M symbols. In round i, groups of 2^i cells are
 *            merged in pairs: a thread for each word of the right group moves it to the end of the
 *            left one, in two steps: the bits that fill up a word, then those that go to the next.
 *            In a step no bit has two writers.
 *
 *      round 0   |aaaaa...|bbb.....|cccccc..|dddd....|
 *      round 1   |aaaaabbb|........|ccccccdd|dd......|
 *      round 2   |aaaaabbb|ccccccdd|dd......|........|
 *
 * A unit of more than 32 bits is called breaking. The paper stores such units outside the stream.
 * Here they stay in it, so that the bits do not depend on r: if a chunk has one, each of its cells
 * has room for the longest possible unit, and a thread stores several words. Each loop over cells
 * or words below is a step of all threads of a block; the order does not matter. */
#include "entropy/huffman/spec.h"

enum { WORD_BITS = ZTI_MERGE_WORD_BITS };

uint32_t zti_merge_factor(uint64_t total_bits, uint64_t symbols)
{
    uint32_t log2_mean = 0; /* rounded down; a mean below one bit counts as one */
    while (log2_mean < ZTI_MERGE_MOST_FACTOR && symbols << (log2_mean + 1) <= total_bits)
        log2_mean++;
    return ZTI_MERGE_MOST_FACTOR - log2_mean; /* floor(log2 mean) + r + 1 = log2 32 */
}

uint32_t zti_merge_factor_of(const struct zti_codebook *book)
{
    uint64_t bits = 0;
    for (uint32_t l = 1; l <= ZTI_HUFFMAN_MAX_BITS; l++)
        bits += (uint64_t)(book->entry[l + 1] - book->entry[l]) * l << (ZTI_HUFFMAN_MAX_BITS - l);
    return zti_merge_factor(bits, UINT64_C(1) << ZTI_HUFFMAN_MAX_BITS);
}

/* The most words of all cells: one for a unit of one code; larger units need at most 16 bits a
 * code. */
static size_t most_words(uint32_t magnitude)
{
    return (size_t)1 << magnitude;
}

size_t zti_merge_room_words(uint32_t magnitude)
{
    return 3 * most_words(magnitude); /* cells twice, and the lengths of groups */
}

struct merge {
    uint32_t units; /* cells */
    uint32_t cell_words;
    uint32_t *from, *to;  /* [units * cell_words] */
    uint32_t *group_bits; /* [units]: bits of each group */
};

/* The number of bits of a unit. */
static uint32_t measure(const struct zti_codebook *book, const uint16_t *symbols, uint32_t r)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < UINT32_C(1) << r; i++)
        bits += book->codes[symbols[i]] >> 16;
    return bits;
}

/* Merge the codes of a unit in a register, and store each full word. */
static void reduce(const struct zti_codebook *book, const uint16_t *symbols, uint32_t r,
                   uint32_t *cell)
{
    uint64_t held = 0;
    uint32_t held_bits = 0;
    for (uint32_t i = 0; i < UINT32_C(1) << r; i++) {
        const uint32_t code = book->codes[symbols[i]];
        held |= (uint64_t)(code & 0xffff) << held_bits;
        held_bits += code >> 16;
        if (held_bits > WORD_BITS) {
            *cell++ = (uint32_t)held;
            held >>= WORD_BITS;
            held_bits -= WORD_BITS;
        }
    }
    *cell = (uint32_t)held;
}

/* Merge groups of 'cells' cells in pairs. */
static void shuffle(struct merge *m, uint32_t cells)
{
    const uint32_t group_words = cells * m->cell_words, pairs = m->units / (2 * cells);
    for (uint32_t p = 0; p < pairs; p++) { /* copy left groups, clear the rest */
        const uint32_t *from = m->from + (size_t)p * 2 * group_words;
        uint32_t *to = m->to + (size_t)p * 2 * group_words;
        const uint32_t left_words = zti_merge_words(m->group_bits[2 * p]);
        for (uint32_t w = 0; w < 2 * group_words; w++)
            to[w] = w < left_words ? from[w] : 0;
    }
    for (uint32_t step = 0; step < 2; step++)
        for (uint32_t p = 0; p < pairs; p++) {
            const uint32_t *right = m->from + ((size_t)p * 2 + 1) * group_words;
            uint32_t *to = m->to + (size_t)p * 2 * group_words;
            const uint32_t left_bits = m->group_bits[2 * p], shift = left_bits % WORD_BITS;
            const uint32_t right_words = zti_merge_words(m->group_bits[2 * p + 1]);
            for (uint32_t w = 0; w < right_words; w++) {
                uint32_t *place = to + left_bits / WORD_BITS + w;
                const uint64_t both = (uint64_t)right[w] << shift;
                if (step == 0)
                    place[0] |= (uint32_t)both;
                else if (both >> WORD_BITS != 0)
                    place[1] |= (uint32_t)(both >> WORD_BITS);
            }
        }
    for (uint32_t p = 0; p < pairs; p++) /* in place: p <= 2 p */
        m->group_bits[p] = m->group_bits[2 * p] + m->group_bits[2 * p + 1];
    uint32_t *swap = m->from;
    m->from = m->to;
    m->to = swap;
}

const uint32_t *zti_merge_chunk(const struct zti_codebook *book, const uint16_t *symbols,
                                uint32_t magnitude, uint32_t r, uint32_t *room, uint64_t *bits,
                                uint32_t *breaking)
{
    struct merge m = {.units = UINT32_C(1) << (magnitude - r), .cell_words = 1};
    m.from = room;
    m.to = room + most_words(magnitude);
    m.group_bits = m.to + most_words(magnitude);
    *breaking = 0;
    for (uint32_t u = 0; u < m.units; u++) {
        m.group_bits[u] = measure(book, symbols + ((size_t)u << r), r);
        *breaking += m.group_bits[u] > WORD_BITS;
    }
    if (*breaking > 0)
        m.cell_words = zti_merge_cell_words(r);
    for (uint32_t u = 0; u < m.units; u++)
        reduce(book, symbols + ((size_t)u << r), r, m.from + (size_t)u * m.cell_words);
    for (uint32_t cells = 1; cells < m.units; cells *= 2)
        shuffle(&m, cells);
    *bits = m.group_bits[0];
    return m.from;
}
