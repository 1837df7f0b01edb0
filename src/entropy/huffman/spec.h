/* spec.h: the rules of Huffman coding that decide bytes, for C and CUDA: which nodes are joined
 * (GenerateCL of codebook.c), how lengths are limited (limit.c), the codes of each length
 * (GenerateCW), the sizes of units in merge.c, and the parts and chunks of the stream
 * (stream.h). */
#ifndef ZTI_HUFFMAN_SPEC_H
#define ZTI_HUFFMAN_SPEC_H

#include "entropy/huffman/huffman.h"

/* ---- GenerateCL: queues of leaves in order of weight, and of inner nodes in order of age ---- */

struct zti_queues {
    uint32_t leaves;     /* nodes 0 .. leaves - 1; inner nodes have the numbers after these */
    uint32_t leaf_head;  /* the first leaf not joined */
    uint32_t inner_head; /* the first inner node not joined */
    uint32_t inner_end;  /* number of the next new inner node */
};

/* Take the lightest of leaves [*leaf, leaf_end) and inner nodes [*inner, inner_end) from its queue;
 * of equal weights the leaf, of inner nodes the older. */
ZTI_INLINE uint32_t zti_pop_lightest(const uint64_t *weight, uint32_t *leaf, uint32_t leaf_end,
                                     uint32_t *inner, uint32_t inner_end)
{
    const bool has_leaf = *leaf < leaf_end, has_inner = *inner < inner_end;
    if (has_leaf && (!has_inner || weight[*leaf] <= weight[*inner]))
        return (*leaf)++;
    return (*inner)++;
}

/* A round: nodes 'first' and 'second', the two lightest, are joined into node 'into'; then the
 * nodes lighter than it in pairs: an leaves and bn inner nodes at the heads of the queues, together
 * an even number. */
struct zti_round {
    uint32_t into, first, second, an, bn;
};

ZTI_INLINE struct zti_round zti_round_begin(const uint64_t *weight, struct zti_queues *q)
{
    struct zti_round r = {q->inner_end, 0, 0, 0, 0};
    r.first = zti_pop_lightest(weight, &q->leaf_head, q->leaves, &q->inner_head, q->inner_end);
    r.second = zti_pop_lightest(weight, &q->leaf_head, q->leaves, &q->inner_head, q->inner_end);
    return r;
}

/* Set an and bn. leaf_end, inner_end: the first leaf and inner node that are not lighter than
 * 'into'. */
ZTI_INLINE void zti_round_pairs(const uint64_t *weight, const struct zti_queues *q,
                                uint32_t leaf_end, uint32_t inner_end, struct zti_round *r)
{
    r->an = leaf_end - q->leaf_head;
    r->bn = inner_end - q->inner_head;
    if ((r->an + r->bn) % 2 == 0)
        return;
    if (r->bn > 0 && (r->an == 0 || weight[inner_end - 1] >= weight[leaf_end - 1]))
        r->bn--; /* the heaviest stays */
    else
        r->an--;
}

ZTI_INLINE void zti_round_end(const struct zti_round *r, struct zti_queues *q)
{
    q->leaf_head += r->an;
    q->inner_head += r->bn;
    q->inner_end = r->into + 1 + (r->an + r->bn) / 2;
}

ZTI_INLINE bool zti_has_rounds(const struct zti_queues *q)
{
    return q->leaf_head < q->leaves || q->inner_end - q->inner_head > 1;
}

/* Merge path (Green et al.): how many of the first 'diagonal' items of two merged runs come from
 * run a. Of equal items, a's come first. */
ZTI_INLINE uint32_t zti_merge_split(const uint64_t *a, uint32_t an, const uint64_t *b, uint32_t bn,
                                    uint32_t diagonal)
{
    uint32_t low = diagonal > bn ? diagonal - bn : 0, high = diagonal < an ? diagonal : an;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- package-merge ---- */

/* The weight of a package of two items. If the sum does not fit in 64 bits, it stays just below the
 * sentinel UINT64_MAX, and the lengths are still those of a complete code. */
ZTI_INLINE uint64_t zti_pack(uint64_t a, uint64_t b)
{
    return a + b < a || a + b == UINT64_MAX ? UINT64_MAX - 1 : a + b;
}

/* How many items are chosen of the last list, with n leaves; and of the list before one in which
 * 'chosen' items were chosen, 'leaves' of them leaves. */
ZTI_INLINE uint32_t zti_chosen_of_last(uint32_t n)
{
    return 2 * n - 2;
}
ZTI_INLINE uint32_t zti_chosen_before(uint32_t chosen, uint32_t leaves)
{
    return 2 * (chosen - leaves);
}

/* ---- GenerateCW ---- */

/* Reverse the low 'bits' <= 16 bits. */
ZTI_INLINE uint32_t zti_reversed(uint32_t code, uint32_t bits)
{
    uint32_t v = code;
    v = (v & 0x5555) << 1 | (v >> 1 & 0x5555);
    v = (v & 0x3333) << 2 | (v >> 2 & 0x3333);
    v = (v & 0x0f0f) << 4 | (v >> 4 & 0x0f0f);
    v = (v & 0x00ff) << 8 | (v >> 8 & 0x00ff);
    return v >> (16 - bits);
}

/* Set first and entry of struct zti_codebook from number[l], the number of codes of l bits. Returns
 * the bits of the longest code. */
ZTI_INLINE uint32_t zti_first_codes(const uint32_t *number, uint32_t *first, uint32_t *entry)
{
    uint32_t code = 0, rank = 0, longest = 0;
    for (uint32_t l = 1; l <= ZTI_HUFFMAN_MAX_BITS + 1; l++) {
        const uint32_t n = l <= ZTI_HUFFMAN_MAX_BITS ? number[l] : 0;
        first[l] = code;
        entry[l] = rank;
        code = (code + n) << 1;
        rank += n;
        longest = n > 0 ? l : longest;
    }
    return longest;
}

/* Code number 'place' of a length, in stream order, with the length from bit 16 on. */
ZTI_INLINE uint32_t zti_code_word(const uint32_t *first, uint32_t place, uint32_t length)
{
    return zti_reversed(first[length] + place, length) | length << 16;
}

/* The length of the code at the beginning of 'high' (16 bits), which has at least 'bits' bits; most
 * + 1 if it is longer than 'most'. */
ZTI_INLINE uint32_t zti_find_length(const uint32_t *first, const uint32_t *entry, uint32_t high,
                                    uint32_t bits, uint32_t most)
{
    while (bits <= most && (high >> (16 - bits)) - first[bits] >= entry[bits + 1] - entry[bits])
        bits++;
    return bits;
}

/* ---- units of reduce-merge and shuffle-merge ---- */

enum { ZTI_MERGE_MOST_FACTOR = 4, ZTI_MERGE_WORD_BITS = 32 };

ZTI_INLINE uint32_t zti_merge_words(uint32_t bits)
{
    return (bits + ZTI_MERGE_WORD_BITS - 1) / ZTI_MERGE_WORD_BITS;
}

/* Words of a cell for the longest possible unit of 2^r codes. */
ZTI_INLINE uint32_t zti_merge_cell_words(uint32_t r)
{
    return zti_merge_words((uint32_t)ZTI_HUFFMAN_MAX_BITS << r);
}

/* ---- the stream ---- */

enum {
    ZTI_PART_MAGNITUDE = 10, /* a part has 2^10 symbols, a chunk of the stream four parts */
    ZTI_CHUNK_MAGNITUDE = 12,
    ZTI_PART_SYMBOLS = 1 << ZTI_PART_MAGNITUDE,
    ZTI_CHUNK_SYMBOLS = 1 << ZTI_CHUNK_MAGNITUDE,
    ZTI_CHUNK_PARTS = ZTI_CHUNK_SYMBOLS / ZTI_PART_SYMBOLS,
    ZTI_PART_MOST_BITS = ZTI_PART_SYMBOLS * ZTI_HUFFMAN_MAX_BITS,
    ZTI_CHUNK_MOST_BYTES = ZTI_CHUNK_SYMBOLS * ZTI_HUFFMAN_MAX_BITS / 8
};

/* Bits of a part, from the tail's list of lengths; an entry has up to 15 bits, so it lies in 3
 * bytes. */
ZTI_INLINE uint32_t zti_part_bits(const uint8_t *lengths, uint32_t width, uint32_t least,
                                  uint64_t part)
{
    const uint64_t bit = part * width;
    uint32_t v = 0;
    for (uint32_t k = 0; k < 3; k++)
        v |= (uint32_t)lengths[bit / 8 + k] << 8 * k;
    return least + (v >> (bit & 7) & ((UINT32_C(1) << width) - 1));
}

#endif
