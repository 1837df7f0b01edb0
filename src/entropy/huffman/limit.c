/* limit.c: code lengths under a limit: package-merge (Larmore and Hirschberg 1990), which finds a
 * code of least total length among those.
 *
 * List 1 is the leaves. List j is the leaves and, of list j - 1, each two neighbours packed into
 * one, in order of weight, leaves before packages of the same weight. The first 2 n - 2 items of
 * list 'limit' are chosen; a chosen package chooses both its halves in the list before. A leaf's
 * code has as many bits as there are lists in which it is chosen. What is chosen of a list is its
 * beginning, and so are the leaves among it: a bit an item, leaf or package, is all that is kept of
 * a list. */
#include "entropy/huffman/build.h"

enum { CHAINS = 4 }; /* partitions of a merge that are worked on at once */

/* Weights of packages stop below this (zti_pack), which stands behind both runs of a merge: counts
 * are below it, and so the one run is taken to its end where the other one has ended. */
static const uint64_t heaviest = UINT64_MAX;

struct merge {
    const uint64_t *leaves;   /* [n], and the heaviest behind */
    const uint64_t *packages; /* [packages_n], likewise */
    uint32_t n, packages_n;
    uint64_t *list;   /* [n + packages_n] */
    uint8_t *is_leaf; /* likewise */
};

/* The next item of a list; returns whether it is a leaf. */
ZTI_INLINE size_t merge_item(const uint64_t *leaf, const uint64_t *package, uint64_t *item,
                             uint8_t *is_leaf)
{
    const bool takes_leaf = *leaf <= *package;
    *item = takes_leaf ? *leaf : *package;
    return *is_leaf = takes_leaf;
}

/* Each item waits for the comparison before it; four partitions of the list do not wait for each
 * other. */
static void merge_list(const struct merge *m)
{
    const size_t items = (size_t)m->n + m->packages_n, part = items / CHAINS;
    const uint64_t *leaves = m->leaves, *packages = m->packages;
    uint64_t *restrict list = m->list;
    uint8_t *restrict is_leaf = m->is_leaf; /* bytes could be anything's otherwise */
    size_t i[CHAINS]; /* leaves before the item at hand; the others are packages */
    for (size_t c = 0; c < CHAINS; c++)
        i[c] = zti_merge_split(leaves, m->n, packages, m->packages_n, (uint32_t)(c * part));
    for (size_t k = 0; k < part; k++)
        for (size_t c = 0; c < CHAINS; c++)
            i[c] += merge_item(leaves + i[c], packages + (c * part + k - i[c]), list + c * part + k,
                               is_leaf + c * part + k);
    for (size_t k = CHAINS * part; k < items; k++)
        i[CHAINS - 1] += merge_item(leaves + i[CHAINS - 1], packages + (k - i[CHAINS - 1]),
                                    list + k, is_leaf + k);
}

zt_status zti_limit_lengths(zt_context *context, const uint64_t *sorted_counts, uint32_t n,
                            uint32_t limit, uint8_t *lengths)
{
    const size_t most = 2 * (size_t)n; /* items of a list, and one */
    uint64_t *memory = zti_alloc(context, 2 * (most + 1) * sizeof(uint64_t) + limit * most);
    if (!memory)
        return zti_fail(context, ZT_NO_MEMORY, "no memory to limit the codes of %u symbols", n);
    uint64_t *leaves = memory, *packages = leaves + n + 1, *list = packages + n + 1;
    uint8_t *is_leaf = (uint8_t *)(list + most); /* [limit][most] */
    memcpy(leaves, sorted_counts, n * sizeof *leaves);
    leaves[n] = heaviest;
    uint32_t items = 0;
    for (uint32_t j = 0; j < limit; j++) {
        for (uint32_t k = 0; k < items / 2; k++)
            packages[k] = zti_pack(list[2 * k], list[2 * k + 1]);
        packages[items / 2] = heaviest;
        const struct merge m = {leaves, packages, n, items / 2, list, is_leaf + j * most};
        merge_list(&m);
        items = n + items / 2;
    }
    memset(lengths, 0, n);
    uint32_t chosen = zti_chosen_of_last(n);
    for (uint32_t j = limit; j-- > 0;) {
        uint32_t chosen_leaves = 0;
        for (uint32_t k = 0; k < chosen; k++)
            chosen_leaves += is_leaf[j * most + k];
        for (uint32_t k = 0; k < chosen_leaves; k++)
            lengths[k]++;
        chosen = zti_chosen_before(chosen, chosen_leaves);
    }
    zti_release(context, memory);
    return ZT_OK;
}
