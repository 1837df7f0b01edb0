/* codebook.c: counts to code lengths to canonical codes, in the two phases of Ostadzadeh et al., as
 * Tian et al. run them on a GPU ("Revisiting Huffman Coding", IPDPS 2021, algorithm 1).
 *
 * GenerateCL (lengths): leaves are sorted by (count, symbol). Each round joins the two lightest
 * nodes into t, and then all nodes lighter than t in pairs of neighbours in order of weight. That
 * is what Huffman's method does, because every new node weighs t or more. There are about as many
 * rounds as the longest code has bits. The pairs of a round are independent.
 *
 * Ties: of equal weights a leaf comes before an inner node, and an older inner node before a newer
 * one. So the lengths equal those of the method with two queues, with which the tests compare them.
 *
 * GenerateCW (codes): the codes of each length are consecutive numbers. */
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

/* Sort by count, stable: a radix sort, least significant byte first. Returns where the result is:
 * leaves or spare. */
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

/* Nodes 0 .. n - 1 are the leaves in order of weight; from n on come the inner nodes in order of
 * age, which is also the order of their weights. */
struct forest {
    struct zti_queues q;
    uint64_t *weight; /* [2 n] */
    uint32_t *up;     /* [2 n]: the node that a node was joined into */
    uint8_t *depth;   /* [2 n]: distance from the root; a leaf's is its code length */
};

static void join_nodes(const struct forest *f, uint32_t into, uint32_t a, uint32_t b)
{
    f->weight[into] = f->weight[a] + f->weight[b];
    f->up[a] = f->up[b] = into;
}

/* The first node of the sorted range [from, end) that weighs 'weight' or more. */
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

/* A round: join the two lightest into t, then all nodes lighter than t in pairs. */
static void join_round(struct forest *f)
{
    struct zti_round r = zti_round_begin(f->weight, &f->q);
    const uint32_t t = r.into;
    join_nodes(f, t, r.first, r.second);
    zti_round_pairs(f->weight, &f->q, lighter_end(f, f->q.leaf_head, f->q.leaves, f->weight[t]),
                    lighter_end(f, f->q.inner_head, t, f->weight[t]), &r);
    uint32_t leaf = f->q.leaf_head, inner = f->q.inner_head;
    const uint32_t leaf_end = leaf + r.an, inner_end = inner + r.bn;
    for (uint32_t p = 0; p < (r.an + r.bn) / 2; p++) {
        const uint32_t a = zti_pop_lightest(f->weight, &leaf, leaf_end, &inner, inner_end);
        join_nodes(f, t + 1 + p, a,
                   zti_pop_lightest(f->weight, &leaf, leaf_end, &inner, inner_end));
    }
    zti_round_end(&r, &f->q);
}

/* Set f->depth to the code lengths of n >= 2 sorted leaves; at most 92 bits, as counts have 64. */
static void generate_lengths(struct forest *f, uint32_t n)
{
    f->q = (struct zti_queues){n, 0, n, n};
    while (zti_has_rounds(&f->q))
        join_round(f);
    f->depth[2 * n - 2] = 0;
    /* a node's number is below that of the node it was joined into */
    for (uint32_t i = 2 * n - 2; i-- > 0;)
        f->depth[i] = (uint8_t)(f->depth[f->up[i]] + 1);
}

/* ---- GenerateCW ---- */

/* Choose the window of consecutive symbols that occur most often: a code of l bits is expected once
 * in 2^l codes. has_window: at most one symbol in 512 is expected outside, as with residuals, which
 * lie around the middle of their alphabet. */
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
    uint32_t number[ZTI_HUFFMAN_MAX_BITS + 1] = {0}, place[ZTI_HUFFMAN_MAX_BITS + 1] = {0};
    for (uint32_t s = 0; s < book->alphabet; s++)
        number[book->lengths[s]]++;
    book->longest = zti_first_codes(number, book->first, book->entry);
    if (book->longest > 0)
        book->used = book->entry[ZTI_HUFFMAN_MAX_BITS + 1];
    for (uint32_t s = 0; s < book->alphabet; s++) {
        const uint32_t l = book->lengths[s];
        if (l == 0)
            continue;
        book->order[book->entry[l] + place[l]] = (uint16_t)s;
        book->codes[s] = zti_code_word(book->first, place[l]++, l);
    }
    choose_window(book);
}

/* ---- the whole ---- */

/* Bytes of scratch for a build: leaves, spare leaves and the forest. */
static size_t scratch_bytes(size_t n)
{
    return 2 * n * (sizeof(struct leaf) + sizeof(uint64_t) + sizeof(uint32_t) + 1);
}

static struct forest forest_in(void *memory, uint32_t n)
{
    uint64_t *weight = memory;
    uint32_t *up = (uint32_t *)(void *)(weight + 2 * (size_t)n);
    return (struct forest){.weight = weight, .up = up, .depth = (uint8_t *)(up + 2 * (size_t)n)};
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
        generate_lengths(&f, n);
        if (f.depth[0] > zti_codebook_limit(alphabet)) /* the lightest leaf is the deepest */
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
