/* ways.c: earlier ways of Huffman coding: the serial tree, encoding by prefix sum, coarse chunks.
 */
#include "bench/papers/ways.h"

#include <stdlib.h>
#include <string.h>

/* ---- the tree -------------------------------------------------------------------------------- */

struct heap {
    uint32_t n;
    uint32_t node[WAYS_ALPHABET];
    uint64_t weight[2 * WAYS_ALPHABET]; /* of nodes: leaves, then inner ones */
    uint32_t parent[2 * WAYS_ALPHABET];
};

static void sift_down(struct heap *h, uint32_t at)
{
    for (;;) {
        uint32_t least = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < h->n; child++)
            if (h->weight[h->node[child]] < h->weight[h->node[least]])
                least = child;
        if (least == at)
            return;
        const uint32_t node = h->node[at];
        h->node[at] = h->node[least];
        h->node[least] = node;
        at = least;
    }
}

static uint32_t take_least(struct heap *h)
{
    const uint32_t least = h->node[0];
    h->node[0] = h->node[--h->n];
    sift_down(h, 0);
    return least;
}

/* Canonical codes of the lengths. */
static bool assign_codes(struct ways_book *b)
{
    uint64_t number[33] = {0}, next[34] = {0};
    for (uint32_t s = 0; s < b->alphabet; s++)
        if (b->lengths[s] > 32)
            return false;
        else if (b->lengths[s] > 0)
            number[b->lengths[s]]++;
    for (uint32_t l = 1; l <= 32; l++)
        next[l + 1] = (next[l] + number[l]) << 1;
    b->longest = 0;
    for (uint32_t s = 0; s < b->alphabet; s++) {
        const uint32_t l = b->lengths[s];
        uint64_t code = l > 0 ? next[l]++ : 0;
        b->codes[s] = 0;
        for (uint32_t i = 0; i < l; i++, code >>= 1)
            b->codes[s] = b->codes[s] << 1 | (code & 1);
        b->longest = l > b->longest ? l : b->longest;
    }
    return true;
}

bool ways_build(const uint64_t *counts, uint32_t alphabet, struct ways_book *b)
{
    struct heap *const h = calloc(1, sizeof *h);
    if (!h)
        return false;
    memset(b->lengths, 0, sizeof b->lengths);
    b->alphabet = alphabet;
    for (uint32_t s = 0; s < alphabet; s++) {
        h->weight[s] = counts[s];
        if (counts[s] > 0)
            h->node[h->n++] = s;
    }
    for (uint32_t i = h->n / 2; i-- > 0;)
        sift_down(h, i);
    const uint32_t only = h->n == 1 ? h->node[0] : WAYS_ALPHABET;
    uint32_t inner = WAYS_ALPHABET;
    while (h->n > 1) {
        const uint32_t a = take_least(h), c = h->node[0];
        h->weight[inner] = h->weight[a] + h->weight[c];
        h->parent[a] = h->parent[c] = inner;
        h->node[0] = inner++;
        sift_down(h, 0);
    }
    for (uint32_t s = 0; s < alphabet; s++)
        for (uint32_t node = s; counts[s] > 0 && node != inner - 1 && only != s;
             node = h->parent[node])
            b->lengths[s]++;
    free(h);
    return assign_codes(b);
}

/* ---- encoders -------------------------------------------------------------------------------- */

uint64_t ways_bits(const struct ways_book *b, const uint16_t *symbols, size_t n)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++)
        bits += b->lengths[symbols[i]];
    return bits;
}

double ways_breaking(const struct ways_book *b, const uint16_t *symbols, size_t n, uint32_t r)
{
    const size_t each = (size_t)1 << r, units = n >> r;
    size_t breaking = 0;
    for (size_t u = 0; u < units; u++)
        breaking += ways_bits(b, symbols + u * each, each) > 32;
    return units > 0 ? (double)breaking / (double)units : 0;
}

uint64_t ways_by_prefix_sum(const struct ways_book *b, const uint16_t *symbols, size_t n,
                            uint64_t *starts, uint32_t *words)
{
    starts[0] = 0;
    for (size_t i = 0; i < n; i++)
        starts[i + 1] = starts[i] + b->lengths[symbols[i]];
    for (size_t i = 0; i < n; i++) {
        uint32_t *const to = words + starts[i] / 32;
        const uint64_t code = b->codes[symbols[i]] << starts[i] % 32;
        to[0] |= (uint32_t)code;
        if (code >> 32)
            to[1] |= (uint32_t)(code >> 32);
    }
    return starts[n];
}

uint64_t ways_by_chunks(const struct ways_book *b, const uint16_t *symbols, size_t n,
                        uint64_t *codes, uint32_t *words)
{
    uint32_t own[WAYS_CHUNK + 1];
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++)
        codes[i] = b->codes[symbols[i]] | (uint64_t)b->lengths[symbols[i]] << 56;
    for (size_t first = 0; first < n; first += WAYS_CHUNK) {
        const size_t count = n - first < WAYS_CHUNK ? n - first : WAYS_CHUNK;
        uint64_t held = 0;
        uint32_t held_bits = 0, at = 0;
        for (size_t i = first; i < first + count; i++) {
            held |= (codes[i] & UINT32_MAX) << held_bits;
            held_bits += (uint32_t)(codes[i] >> 56);
            bits += codes[i] >> 56;
            if (held_bits >= 32) {
                own[at++] = (uint32_t)held;
                held >>= 32;
                held_bits -= 32;
            }
        }
        if (held_bits > 0)
            own[at++] = (uint32_t)held;
        memcpy(words, own, at * sizeof *own);
        words += at;
    }
    return bits;
}
