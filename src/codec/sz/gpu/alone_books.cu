/* alone_books.cu: the codebooks of effort default without the host: one block learns them and
 * writes the stream's head, or reads them from it. The rules are those of lorenzo/books.c.
 *
 *     counts --> books --> Huffman codes, or Rice codes? --> head
 *     head --> lengths --> books
 */
#include "codec/sz/gpu/kernels.h"
#include "entropy/huffman/table.h"

enum {
    THREADS = 256,
    ALPHABET = 256,
    TABLE_WORDS = (3 * ALPHABET + 8) / 8, /* see tables_most_bytes */
    HEAD_WORDS = (int)ZTI_SZ_BOOKS * TABLE_WORDS
};

_Static_assert((int)THREADS == (int)ALPHABET, "a symbol has a thread");

/* The books' tables, each from the first bit of a word on. */
struct tables {
    uint8_t lengths[ZTI_SZ_BOOKS][ALPHABET];
    uint64_t words[ZTI_SZ_BOOKS][TABLE_WORDS + 1];
    uint32_t bits[ZTI_SZ_BOOKS];
};

static struct zti_cuda_books books_in(const struct sz_tiles *known)
{
    const struct zti_cuda_books books = {known->model, ALPHABET, ZTI_SZ_BOOKS};
    return books;
}

/* ---- learning ---- */

/* Write the table of book k. One thread calls it. */
static __device__ __forceinline__ void write_table(struct tables *t, const struct sz_tiles *s,
                                                   uint32_t k)
{
    const struct zti_cuda_book book = sz_book(s->model, ALPHABET, k);
    struct zti_lengths_table table = {ALPHABET, book.numbers[ZTI_BOOK_USED], 0, t->lengths[k]};
    if (table.used == 1)
        table.only = book.order[0];
    struct zti_bit_writer w = zti_bit_writer_in(t->words[k], TABLE_WORDS + 1);
    struct zti_items to = {&w, 0};
    zti_table_write(&table, &to);
    zti_put_zeros(&w, 63); /* completes the last word */
    t->bits[k] = (uint32_t)to.bits;
}

/* Byte i of all tables, which follow each other without gaps. */
static __device__ __forceinline__ uint32_t byte_of(const struct tables *t, uint32_t i)
{
    uint32_t begin = 0, byte = 0;
    for (uint32_t k = 0; k < ZTI_SZ_BOOKS; begin += t->bits[k], k++) {
        const uint32_t end = begin + t->bits[k], at = 8 * i;
        if (at + 8 <= begin || at >= end)
            continue;
        const struct zti_bit_reader r = {t->words[k], (t->bits[k] + 63) / 64,
                                         at > begin ? at - begin : 0};
        byte |= (uint32_t)zti_peek_bits(&r) << (at < begin ? begin - at : 0);
    }
    return byte & 255;
}

/* Make the counts of a part of the tiles those of all. */
SIMT_KERNEL void __launch_bounds__(THREADS) scale_counts(struct sz_tiles *s)
{
    for (uint32_t k = 0; k < ZTI_SZ_BOOKS; k++) {
        uint64_t *const count = &s->counts[k * ALPHABET + threadIdx.x];
        *count = zti_sz_expected(*count, s->part);
    }
}

/* The bits of all symbols that were counted, in codes of these lengths: the thread's share. */
static __device__ __forceinline__ uint64_t cost_of_symbol(const struct tables *t,
                                                          const uint64_t *counts, uint32_t symbol)
{
    uint64_t bits = 0;
    for (uint32_t k = 0; k < ZTI_SZ_BOOKS; k++)
        bits += counts[k * ALPHABET + symbol] * t->lengths[k][symbol];
    return bits;
}

/* zti_sz_learn_books, with books that were built; and the stream's head. */
SIMT_KERNEL void __launch_bounds__(THREADS) learn_books(struct sz_tiles *s, uint8_t *stream)
{
    SIMT_SHARED(struct tables, t, );
    SIMT_SHARED(uint64_t, sums, [THREADS / 32]);
    const uint32_t i = threadIdx.x;
    uint64_t bits;
    for (uint32_t k = 0; k < ZTI_SZ_BOOKS; k++)
        t.lengths[k][i] = sz_book(s->model, ALPHABET, k).lengths[i];
    (void)block_sum_before(cost_of_symbol(&t, s->counts, i), THREADS / 32, sums, &bits);
    if (i % 32 == 0 && i / 32 < (uint32_t)ZTI_SZ_BOOKS) /* in different warps: at once */
        write_table(&t, s, i / 32);
    __syncthreads();
    uint32_t head_bits = 0;
    for (uint32_t k = 0; k < ZTI_SZ_BOOKS; k++)
        head_bits += t.bits[k];
    const bool is_short = bits + head_bits < s->counts[(int)ZTI_SZ_BOOKS * (int)ALPHABET];
    const bool is_taken = is_short || s->part > 1;
    for (uint32_t k = i; is_taken && k < (head_bits + 7) / 8; k += THREADS)
        stream[k] = (uint8_t)byte_of(&t, k);
    if (i > 0)
        return;
    s->sz.coder = is_taken ? ZTI_SZ_DEFAULT : ZTI_SZ_FAST;
    s->sz.head_bits = is_taken ? head_bits : 0;
    s->head_bytes = (s->sz.head_bits + 7) / 8;
}

extern "C" void zti_sz_alone_learn_books(const struct sz_tiles *known, struct sz_tiles *there,
                                         void *queue)
{
    const struct zti_cuda_books books = books_in(known);
    SIMT_LAUNCH(scale_counts, 1, THREADS, 0, queue, there);
    zti_cuda_build_books(known->counts, &books, queue);
    SIMT_LAUNCH(learn_books, 1, THREADS, 0, queue, there, (uint8_t *)(void *)known->words);
}

/* ---- reading ---- */

/* Read all tables; false if they are not valid. One thread calls it. */
static __device__ __forceinline__ bool read_tables(struct zti_bit_reader *r, uint64_t end,
                                                   uint8_t (*lengths)[ALPHABET], void *model)
{
    for (uint32_t k = 0; k < ZTI_SZ_BOOKS; k++) {
        struct zti_lengths_table table = {ALPHABET, 0, 0, lengths[k]};
        const struct zti_cuda_book book = sz_book(model, ALPHABET, k);
        if (zti_table_read(r, &table) || r->at > end)
            return false;
        book.numbers[ZTI_BOOK_USED] = table.used;
        book.order[0] = (uint16_t)table.only;
    }
    return true;
}

/* zti_sz_decode_head: the lengths, from which codes are generated then; zeros if there are none. */
SIMT_KERNEL void __launch_bounds__(THREADS)
    read_books(const struct sz_tiles *s, void *model, uint64_t *status)
{
    SIMT_SHARED(uint64_t, head, [HEAD_WORDS]);
    SIMT_SHARED(uint8_t, lengths, [ZTI_SZ_BOOKS][ALPHABET]);
    SIMT_SHARED(bool, is_good, );
    const uint32_t i = threadIdx.x;
    const bool has_head = *status == ZT_OK && s->grid.count > 0 && s->sz.coder == ZTI_SZ_DEFAULT;
    const uint64_t bits = has_head ? s->sz.head_bits : 0, words = (bits + 63) / 64;
    for (uint32_t k = i; k < words; k += THREADS)
        head[k] = k < s->words_count ? s->words[k] : 0;
    for (uint32_t k = 0; k < ZTI_SZ_BOOKS; k++)
        lengths[k][i] = 0;
    __syncthreads();
    if (i == 0) {
        struct zti_bit_reader r = {head, words, 0};
        is_good = has_head && read_tables(&r, bits, lengths, model);
        if (has_head && !is_good)
            *status = ZT_CORRUPT;
    }
    __syncthreads();
    for (uint32_t k = 0; k < ZTI_SZ_BOOKS; k++)
        sz_book(model, ALPHABET, k).lengths[i] = is_good ? lengths[k][i] : 0;
}

extern "C" void zti_sz_alone_read_books(const struct sz_tiles *known, const struct sz_tiles *there,
                                        uint64_t *status, void *queue)
{
    const struct zti_cuda_books books = books_in(known);
    SIMT_LAUNCH(read_books, 1, THREADS, 0, queue, there, known->model, status);
    zti_cuda_generate_books(&books, queue);
    zti_sz_cuda_make_tables_alone(there, queue);
}
