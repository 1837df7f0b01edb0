/* limit.c: code lengths of least total length under a limit, by package-merge (Larmore and
 * Hirschberg 1990). In: sorted counts. Out: a length for each.
 *
 * List 1 is the leaves. List j merges the leaves with packages, each of two neighbouring items of
 * list j - 1, in order of weight; leaves come before packages of equal weight. The first 2 n - 2
 * items of list 'limit' are chosen; a chosen package chooses both its items in the list before. A
 * leaf's code has as many bits as there are lists in which it is chosen. The chosen items of a list
 * are its first ones, and so are the chosen leaves. So only one bit an item has to be kept: leaf or
 * package. */
#include "entropy/huffman/build.h"

enum { CHAINS = 4 }; /* partitions of a merge that are interleaved */

/* The sentinel after both runs of a merge. Counts and packages (zti_pack) are below it, so that the
 * merge takes the rest of one run when the other has ended. */
static const uint64_t heaviest = UINT64_MAX;

struct merge {
    const uint64_t *leaves;   /* [n], then the sentinel */
    const uint64_t *packages; /* [packages_n], then the sentinel */
    uint32_t n, packages_n;
    uint64_t *list;   /* [n + packages_n] */
    uint8_t *is_leaf; /* likewise */
};

/* Store the next item of a list; returns whether it is a leaf. */
ZTI_INLINE size_t merge_item(const uint64_t *leaf, const uint64_t *package, uint64_t *item,
                             uint8_t *is_leaf)
{
    const bool takes_leaf = *leaf <= *package;
    *item = takes_leaf ? *leaf : *package;
    return *is_leaf = takes_leaf;
}

/* Merge leaves and packages. Each item waits for the comparison before it, so four independent
 * partitions of the list (merge path) are interleaved. */
static void merge_list(const struct merge *m)
{
    const size_t items = (size_t)m->n + m->packages_n, part = items / CHAINS;
    const uint64_t *leaves = m->leaves, *packages = m->packages;
    uint64_t *restrict list = m->list;
    uint8_t *restrict is_leaf = m->is_leaf; /* without restrict, bytes may alias anything */
    size_t i[CHAINS];                       /* leaves before the current item of each partition */
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
    const size_t most = 2 * (size_t)n; /* the most items of a list, plus one */
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
