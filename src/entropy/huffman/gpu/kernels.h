/* kernels.h: the table of CUDA kernels for Huffman coding: histogram, codebook, encoder (also by
 * reduce-merge and shuffle-merge), decoder. The bits are those of the CPU's files. Kernels are
 * queued and not waited for; pointers are to the device's memory unless said otherwise. */
#ifndef ZTI_HUFFMAN_GPU_KERNELS_H
#define ZTI_HUFFMAN_GPU_KERNELS_H

#include "entropy/huffman/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A codebook for kernels; fields as in struct zti_codebook. */
struct zti_cuda_book {
    uint32_t alphabet;
    uint32_t *codes;   /* [alphabet] */
    uint16_t *order;   /* [alphabet] */
    uint8_t *lengths;  /* [alphabet] */
    uint32_t *numbers; /* [ZTI_BOOK_NUMBERS], see below */
};

/* Places in numbers: first[l] and entry[l] for l up to ZTI_HUFFMAN_MAX_BITS + 1. */
enum {
    ZTI_BOOK_USED = 0,
    ZTI_BOOK_LONGEST = 1,
    ZTI_BOOK_FIRST = 2,
    ZTI_BOOK_ENTRY = ZTI_BOOK_FIRST + ZTI_HUFFMAN_MAX_BITS + 2,
    ZTI_BOOK_NUMBERS = ZTI_BOOK_ENTRY + ZTI_HUFFMAN_MAX_BITS + 2
};

/* A book lies in one block: numbers, codes, order, lengths. */
ZTI_STATIC size_t zti_cuda_book_bytes(uint32_t alphabet)
{
    return (ZTI_BOOK_NUMBERS + (size_t)alphabet) * sizeof(uint32_t) + alphabet * (size_t)3;
}

ZTI_STATIC struct zti_cuda_book zti_cuda_book_in(void *memory, uint32_t alphabet)
{
    struct zti_cuda_book book;
    book.alphabet = alphabet;
    book.numbers = (uint32_t *)memory;
    book.codes = book.numbers + ZTI_BOOK_NUMBERS;
    book.order = (uint16_t *)(void *)(book.codes + alphabet);
    book.lengths = (uint8_t *)(void *)(book.order + alphabet);
    return book;
}

/* Books of one small alphabet (ZTI_HOST_BOOK_SYMBOLS at most), one after another in memory. */
struct zti_cuda_books {
    void *memory;
    uint32_t alphabet, count;
};

/* Bytes from one book to the next. */
ZTI_STATIC size_t zti_cuda_book_step(uint32_t alphabet)
{
    return (zti_cuda_book_bytes(alphabet) + 7) / 8 * 8;
}

ZTI_STATIC struct zti_cuda_book zti_cuda_book_of(const struct zti_cuda_books *books, uint32_t i)
{
    return zti_cuda_book_in((char *)books->memory + i * zti_cuda_book_step(books->alphabet),
                            books->alphabet);
}

/* Build books from counts[count][alphabet], a block each: one launch. */
void zti_cuda_build_books(const uint64_t *counts, const struct zti_cuda_books *books, void *queue);

/* Generate codes, order and numbers of books whose lengths are set: those of a complete code; or
 * zeros, with ZTI_BOOK_USED 0, or 1 and the symbol in order[0]. */
void zti_cuda_generate_books(const struct zti_cuda_books *books, void *queue);

/* Arguments of the encoders: chunks of 2^magnitude symbols, each padded to a byte. 'merge' works as
 * in the paper, up to groups of 2^merged symbols, which are then appended to each other. 'encode'
 * is faster, gives the same bits, and ignores magnitude, merged and factor: its chunks are the
 * stream's. */
struct zti_cuda_merging {
    struct zti_symbols symbols; /* data: on the device, aligned to 16 bytes */
    struct zti_cuda_book book;
    uint32_t magnitude;  /* ZTI_PART_MAGNITUDE to ZTI_CHUNK_MAGNITUDE */
    uint32_t merged;     /* ZTI_PART_MAGNITUDE to magnitude */
    uint32_t factor;     /* r, at most ZTI_MERGE_MOST_FACTOR */
    uint8_t *out;        /* room for two bytes a symbol of whole chunks; aligned to 4 */
    uint16_t *part_bits; /* room for the parts of whole chunks */
    uint64_t *states;    /* zeroed: merge_states words; [1] becomes the bytes of all chunks */
    uint64_t *breaking;  /* 'merge' adds the number of units of more than 32 bits */
};

/* Arguments of the decoder: whole chunks of four parts. */
struct zti_cuda_unmerging {
    struct zti_symbols symbols; /* where symbols go; aligned to 8 bytes */
    struct zti_cuda_book book;  /* codes and lengths are not used */
    const uint32_t *words;      /* of the chunks, then zeros to a whole word and one word more */
    uint64_t bytes;             /* of the chunks */
    const uint8_t *lengths;     /* of parts, as in the stream; 3 bytes more are readable */
    uint32_t width, least;
    uint64_t first_part;     /* the number of the first part */
    uint64_t measured_parts; /* parts before this one have a stored length; this one ends with the
                                bytes */
    uint64_t *states;        /* zeroed: merge_states words */
    uint64_t *bad;           /* set if codes do not fill a part */
};

struct zti_huffman_kernels {
    /* Add the number of each symbol to counts[alphabet], 64 bits each, and of those not below the
     * alphabet to *strays. Up to 2^40 symbols. */
    void (*count)(const struct zti_symbols *symbols, uint64_t *counts, uint64_t *strays,
                  void *queue);
    /* zti_codebook_build: one cooperative launch. scratch: build_bytes, aligned to 8. */
    size_t (*build_bytes)(uint32_t alphabet);
    void (*build)(const uint64_t *counts, const struct zti_cuda_book *book, void *scratch,
                  void *queue);
    uint64_t (*merge_states)(uint64_t chunks);                     /* words */
    void (*encode)(const struct zti_cuda_merging *m, void *queue); /* chunks of the stream */
    void (*merge)(const struct zti_cuda_merging *m, void *queue);
    void (*decode)(const struct zti_cuda_unmerging *u, void *queue);
};

/* NULL in a build without CUDA. */
const struct zti_huffman_kernels *zti_cuda_huffman(void);

/* ---- codebook_host.c: books for the host, made by kernels ---- */

/* The largest alphabet whose book the host makes if it has the counts: launch, barriers and copies
 * would take as long. */
enum { ZTI_HOST_BOOK_SYMBOLS = 1024 };

/* Memory for making a book, in ZTI_DEVICE_MODEL. */
struct zti_cuda_making {
    struct zti_cuda_book book;
    uint64_t *counts, *strays; /* the caller sets counts[alphabet]; strays is for its own use */
    void *scratch;
};

uint64_t zti_cuda_making_bytes(uint32_t alphabet); /* bytes of ZTI_DEVICE_MODEL */
zt_status zti_cuda_make_room(zt_context *context, uint32_t alphabet, struct zti_cuda_making *m);

/* Make a book from m->counts by kernels, wait for all queued work, and copy it to the host's book,
 * which is empty after a failure. */
zt_status zti_cuda_make_book(zt_context *context, const struct zti_cuda_making *m,
                             struct zti_codebook *book);

/* Whether kernels make the book of such an alphabet; and zti_codebook_build by kernels, from counts
 * in the host's memory. */
bool zti_cuda_makes_book(const zt_context *context, uint32_t alphabet);
zt_status zti_cuda_codebook_build(zt_context *context, const uint64_t *counts, uint32_t alphabet,
                                  struct zti_codebook *book);

#ifdef __cplusplus
}
#endif

#endif
