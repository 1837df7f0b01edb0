/* ways.h: earlier ways to make a Huffman codebook and to write codes, on one thread, which ztile
 * bench --huffman takes turns with. None of them is the library's. */
#ifndef ZTI_BENCH_WAYS_H
#define ZTI_BENCH_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAYS_ALPHABET = 65536, WAYS_CHUNK = 4096 };

struct ways_book {
    uint32_t alphabet, longest;
    uint8_t lengths[WAYS_ALPHABET]; /* 0: the symbol does not occur */
    uint64_t codes[WAYS_ALPHABET];  /* the first bit lowest */
};

/* The tree from a heap of nodes, the two lightest joined one after another, then canonical codes:
 * what a CPU does in the paper's comparison. False: a code has more than 32 bits. */
bool ways_build(const uint64_t *counts, uint32_t alphabet, struct ways_book *book);

/* Bits of all n symbols. */
uint64_t ways_bits(const struct ways_book *book, const uint16_t *symbols, size_t n);

/* Share of units of 2^r symbols whose codes have more than 32 bits together. */
double ways_breaking(const struct ways_book *book, const uint16_t *symbols, size_t n, uint32_t r);

/* Encoding by prefix sum (Rahmani et al. 2014): lengths, their exclusive sums in starts[n + 1],
 * then each code to its place in words, which are zeroed. Returns the bits. */
uint64_t ways_by_prefix_sum(const struct ways_book *book, const uint16_t *symbols, size_t n,
                            uint64_t *starts, uint32_t *words);

/* cuSZ's coarse chunks: a thread of its GPU codes a chunk of WAYS_CHUNK symbols one after another,
 * from a table of fixed-width codes made first (codes[n]); then the chunks' words are put one
 * behind another. Returns the bits. */
uint64_t ways_by_chunks(const struct ways_book *book, const uint16_t *symbols, size_t n,
                        uint64_t *codes, uint32_t *words);

#endif
