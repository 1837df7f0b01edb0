/* codebook.c: from counts to code lengths to canonical codes, in the two phases of Ostadzadeh et
 * al., as Tian et al. run them on a GPU ("Revisiting Huffman Coding", IPDPS 2021, algorithm 1).
 *
 * GenerateCL (lengths): leaves are sorted by (count, symbol). Each round joins the two lightest
 * nodes into t, and all nodes lighter than t with their neighbours in order of weight: no two of
 * these could have been joined with anything else, because every new node weighs t or more. Rounds
 * number about as many as the longest code has bits. What is a loop here over leaves, pairs or
 * partitions of a merge has no order: its steps could be a thread each.
 *
 * Ties: of a leaf and an inner node of equal weight the leaf comes first, of inner nodes the older.
 * With it the lengths are those of the method with two queues, which the tests hold beside it.
 *
 * GenerateCW (codes): the codes of one length are consecutive numbers; one step a length. */
#include "entropy/huffman/build.h"

/* ---- memory ---- */

zt_status zti_codebook_alloc(zt_context *context, uint32_t alphabet, struct zti_codebook *book)
{
    memset(book, 0, sizeof *book);
    if (alphabet == 0 || alphabet > ZTI_HUFFMAN_MAX_ALPHABET)
        return zti_fail(context, ZT_BAD_ARG, "an alphabet of %u symbols is not in 1 to %d",
                        alphabet, ZTI_HUFFMAN_MAX_ALPHABET);
    uint32_t *codes =
        zti_alloc_zeroed(context, (size_t)alphabet * (sizeof(uint32_t) + sizeof(uint16_t) + 1));
    if (!codes)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a codebook of %u symbols", alphabet);
    book->alphabet = alphabet;
    book->codes = codes;
    book->order = (uint16_t *)(void *)(codes + alphabet);
    book->lengths = (uint8_t *)(void *)(book->order + alphabet);
    return ZT_OK;
}

void zti_codebook_free(zt_context *context, struct zti_codebook *book)
{
    zti_release(context, book->codes);
    memset(book, 0, sizeof *book);
}

/* ---- sorting ---- */

struct leaf {
    uint64_t count;
    uint32_t symbol;
};

/* Sort by count; equal counts keep their order. Radix, least significant byte first. Returns where
 * the result is: leaves or spare. */
static struct leaf *sort_leaves(struct leaf *leaves, struct leaf *spare, uint32_t n)
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < n; i++)
        any |= leaves[i].count;
    for (uint32_t shift = 0; shift < 64 && any >> shift > 0; shift += 8) {
        uint32_t starts[257] = {0};
        for (uint32_t i = 0; i < n; i++)
            starts[(leaves[i].count >> shift & 255) + 1]++;
        for (uint32_t d = 0; d < 256; d++)
            starts[d + 1] += starts[d];
        for (uint32_t i = 0; i < n; i++)
            spare[starts[leaves[i].count >> shift & 255]++] = leaves[i];
        struct leaf *swap = leaves;
        leaves = spare;
        spare = swap;
    }
    return leaves;
}

/* ---- GenerateCL ---- */

/* Nodes are numbered: 0 .. n - 1 leaves in order of weight, n .. inner nodes in order of age, which
 * is the order of their weights as well. */
struct forest {
    uint32_t leaves;     /* n */
    uint32_t leaf_head;  /* the first leaf not joined */
    uint32_t inner_head; /* the first inner node not joined */
    uint32_t inner_end;  /* where the next inner node goes */
    uint64_t *weight;    /* [2 n] */
    uint32_t *up;        /* [2 n]: the node that a node was joined into; NONE */
    uint32_t *top;       /* [n]: the topmost node above a leaf */
    uint32_t *merged;    /* [2 n]: the nodes of a round in order of weight */
    uint8_t *depth;      /* [n]: of a leaf below its topmost node */
};

#define NONE UINT32_MAX

enum { MERGE_PARTITION = 64 }; /* nodes of a merge that one thread puts in order */

static void join(const struct forest *f, uint32_t into, uint32_t a, uint32_t b)
{
    f->weight[into] = f->weight[a] + f->weight[b];
    f->up[into] = NONE;
    f->up[a] = f->up[b] = into;
}

/* The lightest node that is not joined, taken from its queue. */
static uint32_t take_lightest(struct forest *f)
{
    const bool has_leaf = f->leaf_head < f->leaves, has_inner = f->inner_head < f->inner_end;
    if (has_leaf && (!has_inner || f->weight[f->leaf_head] <= f->weight[f->inner_head]))
        return f->leaf_head++;
    return f->inner_head++;
}

/* The first node in [from, end), which are in order, that weighs 'weight' or more. */
static uint32_t lighter_end(const struct forest *f, uint32_t from, uint32_t end, uint64_t weight)
{
    while (from < end) {
        const uint32_t middle = from + (end - from) / 2;
        if (f->weight[middle] < weight)
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

/* Put leaves [leaf, leaf + an) and inner nodes [inner, inner + bn) in order, a partition a step. */
static void merge_nodes(const struct forest *f, uint32_t leaf, uint32_t an, uint32_t inner,
                        uint32_t bn)
{
    const uint64_t *a = f->weight + leaf, *b = f->weight + inner;
    for (uint32_t begin = 0; begin < an + bn; begin += MERGE_PARTITION) {
        const uint32_t left = an + bn - begin;
        const uint32_t end = begin + (left < MERGE_PARTITION ? left : MERGE_PARTITION);
        uint32_t i = zti_merge_split(a, an, b, bn, begin), j = begin - i;
        for (uint32_t k = begin; k < end; k++)
            f->merged[k] = i < an && (j == bn || a[i] <= b[j]) ? leaf + i++ : inner + j++;
    }
}

/* A round: the two lightest into t, then all lighter than t in pairs, behind t. */
static void join_round(struct forest *f)
{
    const uint32_t t = f->inner_end;
    const uint32_t first = take_lightest(f), second = take_lightest(f);
    join(f, t, first, second);
    uint32_t leaf_end = lighter_end(f, f->leaf_head, f->leaves, f->weight[t]);
    uint32_t inner_end = lighter_end(f, f->inner_head, t, f->weight[t]);
    uint32_t an = leaf_end - f->leaf_head, bn = inner_end - f->inner_head;
    if ((an + bn) % 2 != 0) { /* the heaviest stays */
        if (bn > 0 && (an == 0 || f->weight[inner_end - 1] >= f->weight[leaf_end - 1]))
            bn--;
        else
            an--;
    }
    merge_nodes(f, f->leaf_head, an, f->inner_head, bn);
    for (uint32_t k = 0; k < (an + bn) / 2; k++)
        join(f, t + 1 + k, f->merged[2 * k], f->merged[2 * k + 1]);
    f->leaf_head += an;
    f->inner_head += bn;
    f->inner_end = t + 1 + (an + bn) / 2;
}

/* Leaves follow their topmost nodes; each that rises is a bit deeper. */
static void update_leaves(const struct forest *f)
{
    for (uint32_t i = 0; i < f->leaf_head; i++) {
        const uint32_t up = f->up[f->top[i]];
        const bool rises = up != NONE;
        f->top[i] = rises ? up : f->top[i];
        f->depth[i] = (uint8_t)(f->depth[i] + rises);
    }
}

/* Code lengths of n >= 2 sorted leaves into f->depth. At most 92 bits: counts of 64 bits. */
static void generate_lengths(struct forest *f)
{
    const uint32_t n = f->leaves;
    for (uint32_t i = 0; i < n; i++) {
        f->up[i] = NONE;
        f->top[i] = i;
        f->depth[i] = 0;
    }
    f->leaf_head = 0;
    f->inner_head = f->inner_end = n;
    while (f->leaf_head < n || f->inner_end - f->inner_head > 1) {
        join_round(f);
        update_leaves(f);
    }
}

/* ---- GenerateCW ---- */

/* The window of consecutive symbols that is worth most: codes of l bits are expected once in 2^l.
 * It is there for alphabets that fit, and symbols that are concentrated, as residuals are around
 * the middle of their alphabet: at most one in 512 may be outside. */
static void choose_window(struct zti_codebook *book)
{
    const uint32_t whole = UINT32_C(1) << ZTI_HUFFMAN_MAX_BITS;
    uint32_t sum = 0, best = 0;
    for (uint32_t s = 0; s < book->alphabet; s++) {
        sum += book->lengths[s] > 0 ? whole >> book->lengths[s] : 0;
        const uint32_t gone = s < ZTI_HUFFMAN_WINDOW ? 0 : book->lengths[s - ZTI_HUFFMAN_WINDOW];
        sum -= gone > 0 ? whole >> gone : 0;
        if (sum > best) {
            best = sum;
            book->window_first = s < ZTI_HUFFMAN_WINDOW ? 0 : s + 1 - ZTI_HUFFMAN_WINDOW;
        }
    }
    book->has_window = best >= whole - whole / 512;
    for (uint32_t k = 0; k < ZTI_HUFFMAN_WINDOW; k++) {
        const uint32_t s = book->window_first + k, code = s < book->alphabet ? book->codes[s] : 0;
        book->window_low[k] = (uint8_t)code;
        book->window_high[k] = (uint8_t)(code >> 8);
        book->window_bits[k] = (uint8_t)(code >> 16);
    }
}

void zti_codebook_generate(struct zti_codebook *book)
{
    uint32_t number[ZTI_HUFFMAN_MAX_BITS + 2] = {0}, place[ZTI_HUFFMAN_MAX_BITS + 2];
    for (uint32_t s = 0; s < book->alphabet; s++)
        number[book->lengths[s]]++;
    uint32_t code = 0, entry = 0;
    for (uint32_t l = 1; l <= ZTI_HUFFMAN_MAX_BITS + 1; l++) {
        book->first[l] = code;
        book->entry[l] = place[l] = entry;
        code = (code + number[l]) << 1;
        entry += number[l];
        if (number[l] > 0)
            book->longest = l;
    }
    if (entry > 0)
        book->used = entry;
    for (uint32_t s = 0; s < book->alphabet; s++) {
        const uint32_t l = book->lengths[s];
        if (l == 0)
            continue;
        const uint32_t rank = place[l]++;
        book->order[rank] = (uint16_t)s;
        book->codes[s] = zti_reversed(book->first[l] + rank - book->entry[l], l) | l << 16;
    }
    choose_window(book);
}

/* ---- the whole ---- */

/* Scratch of a build, in one block: leaves and spare leaves, and the forest. */
static size_t scratch_bytes(size_t n)
{
    return 2 * n * sizeof(struct leaf) + 2 * n * sizeof(uint64_t) + 5 * n * sizeof(uint32_t) + n;
}

static struct forest forest_in(void *memory, uint32_t n)
{
    uint64_t *weight = memory;
    uint32_t *up = (uint32_t *)(void *)(weight + 2 * (size_t)n);
    return (struct forest){.leaves = n,
                           .weight = weight,
                           .up = up,
                           .merged = up + 2 * (size_t)n,
                           .top = up + 4 * (size_t)n,
                           .depth = (uint8_t *)(up + 5 * (size_t)n)};
}

zt_status zti_codebook_build(zt_context *context, const uint64_t *counts, uint32_t alphabet,
                             struct zti_codebook *book)
{
    zt_status status = zti_codebook_alloc(context, alphabet, book);
    if (status != ZT_OK)
        return status;
    uint32_t n = 0;
    for (uint32_t s = 0; s < alphabet; s++)
        n += counts[s] > 0;
    struct leaf *leaves = zti_alloc(context, scratch_bytes(n) + 1);
    if (!leaves) {
        zti_codebook_free(context, book);
        return zti_fail(context, ZT_NO_MEMORY, "no memory to sort %u symbols", n);
    }
    for (uint32_t s = 0, i = 0; s < alphabet; s++)
        if (counts[s] > 0)
            leaves[i++] = (struct leaf){counts[s], s};
    const struct leaf *sorted = sort_leaves(leaves, leaves + n, n);
    book->used = n;
    if (n == 1)
        book->order[0] = (uint16_t)sorted[0].symbol;
    if (n > 1) {
        struct forest f = forest_in(leaves + 2 * (size_t)n, n);
        for (uint32_t i = 0; i < n; i++)
            f.weight[i] = sorted[i].count;
        generate_lengths(&f);
        if (f.depth[0] > zti_codebook_limit(alphabet)) /* the lightest is the deepest */
            status = zti_limit_lengths(context, f.weight, n, zti_codebook_limit(alphabet), f.depth);
        for (uint32_t i = 0; status == ZT_OK && i < n; i++)
            book->lengths[sorted[i].symbol] = f.depth[i];
    }
    zti_release(context, leaves);
    if (status == ZT_OK)
        zti_codebook_generate(book);
    else
        zti_codebook_free(context, book);
    return status;
}

uint64_t zti_codebook_cost_bits(const struct zti_codebook *book, const uint64_t *counts)
{
    uint64_t bits = 0;
    for (uint32_t s = 0; s < book->alphabet; s++) {
        const bool has_code = book->lengths[s] > 0 || (book->used == 1 && book->order[0] == s);
        if (counts[s] > 0 && !has_code)
            return UINT64_MAX;
        bits += counts[s] * book->lengths[s];
    }
    return bits;
}
