/* limit.c: code lengths under a limit: package-merge (Larmore and Hirschberg 1990), which finds a
 * code of least total length among those.
 *
 * List 1 is the leaves. List j is the leaves and, of list j - 1, each two neighbours packed into
 * one, in order of weight, leaves before packages of the same weight. The first 2 n - 2 items of
 * list 'limit' are chosen; a chosen package chooses both its halves in the list before. A leaf's
 * code has as many bits as there are lists in which it is chosen. What is chosen of a list is its
 * beginning, and so are the leaves among it: a bit an item, leaf or package, is all that is kept of
 * a list. */
#include "entropy/huffman_build.h"

/* Weights add up to at most 'limit' times all counts: they stop at the largest number. The lengths
 * are then still those of a complete code. */
static uint64_t pack(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

/* Merge n leaves and the packages of the list 'before' into 'list', and note which items are leaves.
 * Returns how many items there are, fewer than 2 n. */
static uint32_t make_list(const uint64_t *leaves, uint32_t n, const uint64_t *before,
                          uint32_t before_items, uint64_t *list, uint8_t *is_leaf)
{
    const uint32_t packages = before_items / 2;
    uint32_t i = 0, j = 0;
    while (i < n && j < packages) {
        const uint64_t package = pack(before[2 * j], before[2 * j + 1]);
        const bool leaf = leaves[i] <= package;
        list[i + j] = leaf ? leaves[i] : package;
        is_leaf[i + j] = leaf;
        i += leaf;
        j += !leaf;
    }
    for (; i < n; i++) {
        list[i + j] = leaves[i];
        is_leaf[i + j] = 1;
    }
    for (; j < packages; j++) {
        list[i + j] = pack(before[2 * j], before[2 * j + 1]);
        is_leaf[i + j] = 0;
    }
    return i + j;
}

zt_status zti_limit_lengths(zt_context *context, const uint64_t *sorted_counts, uint32_t n,
                            uint32_t limit, uint8_t *lengths)
{
    const size_t most = 2 * (size_t)n; /* items of a list */
    uint64_t *memory = zti_alloc(context, 2 * most * sizeof(uint64_t) + limit * most);
    if (!memory)
        return zti_fail(context, ZT_NO_MEMORY, "no memory to limit the codes of %u symbols", n);
    uint64_t *list = memory, *before = memory + most;
    uint8_t *is_leaf = (uint8_t *)(memory + 2 * most); /* [limit][most] */
    uint32_t items = 0;
    for (uint32_t j = 0; j < limit; j++) {
        uint64_t *swap = list;
        list = before;
        before = swap;
        items = make_list(sorted_counts, n, before, items, list, is_leaf + j * most);
    }
    memset(lengths, 0, n);
    uint32_t chosen = 2 * n - 2;
    for (uint32_t j = limit; j-- > 0;) {
        uint32_t leaves = 0;
        for (uint32_t k = 0; k < chosen; k++)
            leaves += is_leaf[j * most + k];
        for (uint32_t k = 0; k < leaves; k++)
            lengths[k]++;
        chosen = 2 * (chosen - leaves);
    }
    zti_release(context, memory);
    return ZT_OK;
}
