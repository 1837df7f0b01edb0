/* sz_model.c: the codebooks of an sz stream: counted before the first tile is coded, and kept in the
 * stream's head: their tables one after another (entropy/table.c), with zero bits to a whole byte.
 *
 * Effort 'default' has three books of 256 symbols (sz_coded.h). */
#include "codec/sz/sz.h"

enum { ALPHABET = 256 };

/* Bytes of a table at most: a symbol takes the bits of a length and of a gap before it. */
enum { TABLE_MOST_BYTES = 3 * ALPHABET + 8 };

uint64_t zti_sz_head_most(const struct zti_coding *coding)
{
    return coding->sz.effort == ZT_EFFORT_FAST ? 0 : ZTI_SZ_BOOKS * TABLE_MOST_BYTES;
}

size_t zti_sz_count_bytes(void)
{
    return sizeof(struct zti_sz_counts) + ZTI_SZ_BOOKS * zti_histogram_bytes(ALPHABET);
}

static void *histogram(const struct zti_sz_counts *counts, uint32_t book)
{
    union {
        const void *in;
        void *out;
    } u = {.in = counts + 1};
    return (char *)u.out + book * zti_histogram_bytes(ALPHABET);
}

void zti_sz_count(struct zti_sz_counts *counts, uint32_t book, const uint16_t *symbols, size_t n)
{
    zti_histogram_add(histogram(counts, book), ALPHABET, symbols, n);
}

void zti_sz_merge_counts(struct zti_sz_counts *into, const struct zti_sz_counts *from)
{
    into->rice_bits += from->rice_bits;
    for (uint32_t i = 0; i < ZTI_SZ_BOOKS; i++)
        zti_histogram_merge(histogram(into, i), ALPHABET, histogram(from, i));
}

void zti_sz_forget(zt_context *context, struct zti_coding *coding)
{
    struct zti_sz_model *const model = coding->model;
    for (uint32_t i = 0; model && i < ZTI_SZ_BOOKS; i++) {
        zti_huffman_decoder_free(context, &model->decoder[i]);
        zti_codebook_free(context, &model->book[i]);
    }
    zti_release(context, model);
    coding->model = NULL;
}

static struct zti_sz_model *new_model(zt_context *context, struct zti_coding *coding)
{
    coding->model = zti_alloc_zeroed(context, sizeof(struct zti_sz_model));
    if (!coding->model)
        (void)zti_fail(context, ZT_NO_MEMORY, "no memory for codebooks");
    return coding->model;
}

zt_status zti_sz_learn_books(zt_context *context, struct zti_coding *coding,
                             struct zti_sz_counts *counts, bool is_sample)
{
    struct zti_sz_model *const model = new_model(context, coding);
    zt_status status = model ? ZT_OK : ZT_NO_MEMORY;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < ZTI_SZ_BOOKS && status == ZT_OK; i++) {
        uint64_t own[ALPHABET];
        memcpy(own, zti_histogram_counts(histogram(counts, i), ALPHABET), sizeof own);
        for (uint32_t s = 0; s < ALPHABET && is_sample; s++)
            own[s]++; /* what was not seen may come, and needs a code */
        status = zti_codebook_build(context, own, ALPHABET, &model->book[i]);
        if (status == ZT_OK) {
            bits += zti_codebook_cost_bits(&model->book[i], own);
            coding->sz.head_bits += zti_codebook_stored_bits(&model->book[i]);
        }
    }
    if (status != ZT_OK || (bits + coding->sz.head_bits >= counts->rice_bits && !is_sample)) {
        zti_sz_forget(context, coding); /* small arrays are not worth a table */
        coding->sz.effort = ZT_EFFORT_FAST;
        coding->sz.head_bits = 0;
    }
    return status;
}

void zti_sz_put_head(const struct zti_coding *coding, uint8_t *head)
{
    const struct zti_sz_model *const model = coding->model;
    uint8_t bytes[ZTI_SZ_BOOKS * TABLE_MOST_BYTES + ZTI_BIT_MARGIN_BYTES];
    struct zti_bit_writer w = zti_bit_writer_at(bytes);
    for (uint32_t i = 0; model && i < ZTI_SZ_BOOKS; i++)
        zti_codebook_put(&model->book[i], &w);
    memcpy(head, bytes, (size_t)(coding->sz.head_bits + 7) / 8);
}

zt_status zti_sz_take_head(zt_context *context, struct zti_coding *coding, const uint8_t *head)
{
    if (coding->sz.effort == ZT_EFFORT_FAST)
        return ZT_OK;
    struct zti_sz_model *const model = new_model(context, coding);
    struct zti_bit_reader r = {.base = head, .end = (coding->sz.head_bits + 7) / 8 * 8};
    zt_status status = model ? ZT_OK : ZT_NO_MEMORY;
    for (uint32_t i = 0; i < ZTI_SZ_BOOKS && status == ZT_OK; i++) {
        status = zti_codebook_take(context, &r, ALPHABET, &model->book[i]);
        if (status == ZT_OK)
            status = zti_huffman_decoder_make(context, &model->book[i], &model->decoder[i]);
    }
    return status;
}
