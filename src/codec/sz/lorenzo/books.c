/* books.c: the codebooks of an sz stream: counts of symbols in, codebooks out. The stream's head
 * has the books' tables one after another (entropy/huffman/table.c), padded with zero bits to a
 * whole byte.
 *
 * Effort 'default' has five books of 256 symbols (lorenzo/huffman.h), the cuSZ coder one
 * (lorenzo/cusz.h). */
#include "codec/sz/common.h"
#include "codec/sz/interp/interp.h"
#include "codec/sz/lorenzo/spec.h"
#include "codec/sz/transform/transform.h"
#include "entropy/huffman/gpu/kernels.h"

uint64_t zti_sz_head_most(const struct zti_coding *coding)
{
    if (sz_of(coding)->coder >= ZTI_SZ_LOSSLESS_HIGH)
        return 0;
    const uint64_t books = tables_most_bytes(sz_of(coding));
    const struct zti_sz *const sz = sz_of(coding);
    const bool may_be_high = sz->wants_high || sz->may_be_smooth || sz->coder == ZTI_SZ_HIGH;
    const uint64_t high = may_be_high ? zti_sz_high_head_most(coding) : 0;
    return books > high ? books : high;
}

size_t zti_sz_count_bytes(const struct zti_coding *coding)
{
    return sizeof(struct zti_sz_counts) +
           books_of(sz_of(coding)->coder) * zti_histogram_bytes(alphabet_of(sz_of(coding)));
}

static void *histogram(const struct zti_coding *coding, const struct zti_sz_counts *counts,
                       uint32_t book)
{
    union {
        const void *in;
        void *out;
    } u = {.in = counts + 1};
    return (char *)u.out + book * zti_histogram_bytes(alphabet_of(sz_of(coding)));
}

void zti_sz_count(const struct zti_coding *coding, struct zti_sz_counts *counts, uint32_t book,
                  const uint16_t *symbols, size_t n)
{
    zti_histogram_add(histogram(coding, counts, book), alphabet_of(sz_of(coding)), symbols, n);
}

void zti_sz_merge_counts(const struct zti_coding *coding, struct zti_sz_counts *into,
                         const struct zti_sz_counts *from)
{
    into->rice_bits += from->rice_bits;
    for (uint32_t i = 0; i < books_of(sz_of(coding)->coder); i++)
        zti_histogram_merge(histogram(coding, into, i), alphabet_of(sz_of(coding)),
                            histogram(coding, from, i));
}

void zti_sz_add_counts(const struct zti_coding *coding, struct zti_sz_counts *counts,
                       const uint64_t *more)
{
    const uint32_t alphabet = alphabet_of(sz_of(coding)), books = books_of(sz_of(coding)->coder);
    for (uint32_t i = 0; i < books; i++)
        zti_histogram_add_counts(histogram(coding, counts, i), alphabet, more + i * alphabet);
    counts->rice_bits += more[(size_t)books * alphabet];
}

void zti_sz_forget(zt_context *context, struct zti_coding *coding)
{
    if (sz_of(coding)->coder == ZTI_SZ_LOSSLESS_HIGH) {
        zti_ll_forget(context, coding);
        return;
    }
    if (sz_of(coding)->coder == ZTI_SZ_TRANSFORM) {
        zti_tf_forget(context, coding);
        return;
    }
    if (sz_of(coding)->coder == ZTI_SZ_HIGH) {
        zti_sz_high_forget(context, coding);
        return;
    }
    struct zti_sz_model *const model = coding->model;
    for (uint32_t i = 0; model && i < ZTI_SZ_BOOKS; i++) {
        zti_huffman_decoder_free(context, &model->decoder[i]);
        zti_codebook_free(context, &model->book[i]);
    }
    if (model) {
        zti_release(context, model->head);
        zti_release(context, model->counted);
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

/* Of the 12 KB of a tile, 4 are not touched where its residuals fit in bytes. */
zt_status zti_sz_keep_counted(zt_context *context, struct zti_coding *coding)
{
    const struct zti_sz *const sz = sz_of(coding);
    const uint64_t count = coding->grid.count;
    if (!coding->run.has_host_passes || sz->coder != ZTI_SZ_DEFAULT || sz->source == ZTI_SZ_LOG ||
        sz->wants_high || zti_sz_count_part(coding) > 1)
        return ZT_OK;
    struct zti_sz_model *const model = new_model(context, coding);
    if (!model)
        return ZT_NO_MEMORY;
    model->counted = zti_alloc(context, (size_t)count * sizeof *model->counted);
    if (!model->counted)
        return zti_fail(context, ZT_NO_MEMORY, "no memory to keep %u tiles", (uint32_t)count);
    for (uint64_t i = 0; i < count; i++)
        model->counted[i].is_there = false;
    return ZT_OK;
}

/* Store the tables of all books until the head is written. */
static zt_status store_head(zt_context *context, struct zti_coding *coding)
{
    struct zti_sz_model *const model = coding->model;
    const size_t bytes = (size_t)(sz_of(coding)->head_bits + 7) / 8;
    model->head = zti_alloc_zeroed(context, bytes + ZTI_BIT_MARGIN_BYTES);
    if (!model->head)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for %zu bytes of codebooks", bytes);
    struct zti_bit_writer w = zti_bit_writer_at(model->head);
    for (uint32_t i = 0; i < books_of(sz_of(coding)->coder); i++)
        zti_codebook_write(&model->book[i], &w);
    return ZT_OK;
}

/* Make a book; adds the bits of its symbols to *bits. */
static zt_status make_book(zt_context *context, struct zti_coding *coding, const uint64_t *counts,
                           uint32_t i, uint64_t *bits)
{
    struct zti_sz_model *const model = coding->model;
    const uint32_t alphabet = alphabet_of(sz_of(coding));
    const zt_status status =
        zti_cuda_makes_book(context, alphabet)
            ? zti_cuda_codebook_build(context, counts, alphabet, &model->book[i])
            : zti_codebook_build(context, counts, alphabet, &model->book[i]);
    if (status == ZT_OK) {
        *bits += zti_codebook_cost_bits(&model->book[i], counts);
        sz_in(coding)->head_bits += zti_codebook_stored_bits(&model->book[i]);
    }
    return status;
}

zt_status zti_sz_learn_books(zt_context *context, struct zti_coding *coding,
                             struct zti_sz_counts *counts)
{
    const uint32_t alphabet = alphabet_of(sz_of(coding)), part = zti_sz_count_part(coding);
    zt_status status = coding->model || new_model(context, coding) ? ZT_OK : ZT_NO_MEMORY;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < books_of(sz_of(coding)->coder) && status == ZT_OK; i++) {
        uint64_t own[256];
        const uint64_t *all = zti_histogram_counts(histogram(coding, counts, i), alphabet);
        for (uint32_t k = 0; part > 1 && k < alphabet && k < 256; k++)
            own[k] = zti_sz_expected(all[k], part);
        all = part > 1 ? own : all;
        status = make_book(context, coding, all, i, &bits);
    }
    const bool is_short = bits + sz_of(coding)->head_bits < counts->rice_bits;
    if (status == ZT_OK && (is_short || part > 1 || sz_of(coding)->coder == ZTI_SZ_CUSZ))
        return store_head(context, coding);
    zti_sz_forget(context, coding); /* the tables cost small arrays more than they save */
    sz_in(coding)->coder = ZTI_SZ_FAST;
    sz_in(coding)->head_bits = 0;
    return status;
}

void zti_sz_encode_head(const struct zti_coding *coding, uint8_t *head)
{
    const struct zti_sz_model *const model = coding->model;
    const struct zti_sz_high *const high = coding->model;
    if (model && sz_of(coding)->coder < ZTI_SZ_LOSSLESS_HIGH)
        memcpy(head, sz_of(coding)->coder == ZTI_SZ_HIGH ? high->head : model->head,
               (size_t)(sz_of(coding)->head_bits + 7) / 8);
}

/* About the most symbols of a book in a stream: effort default has a class in book 0 for each
 * group, and in the others symbols of at least two values. */
static uint64_t symbols_about(const struct zti_coding *coding, uint32_t book)
{
    const uint64_t values = coding->grid.count * zti_tile_values(coding);
    return sz_of(coding)->coder == ZTI_SZ_CUSZ ? values
           : book == 0                         ? values / ZTI_SZ_GROUP
                                               : values / 2;
}

zt_status zti_sz_decode_head(zt_context *context, struct zti_coding *coding, const uint8_t *head)
{
    if (sz_of(coding)->coder == ZTI_SZ_FAST && sz_of(coding)->source != ZTI_SZ_DIGITS)
        return ZT_OK; /* digits: kernels get powers of ten as a model, without books */
    if (sz_of(coding)->coder == ZTI_SZ_LOSSLESS_HIGH)
        return zti_ll_decode_head(context, coding);
    if (sz_of(coding)->coder == ZTI_SZ_TRANSFORM)
        return coding->run.is_by_kernels ? ZT_OK : zti_tf_begin(context, coding, false);
    if (sz_of(coding)->coder == ZTI_SZ_HIGH)
        return zti_sz_high_decode_head(context, coding, head);
    struct zti_sz_model *const model = new_model(context, coding);
    struct zti_bit_reader r = {.base = head, .end = (sz_of(coding)->head_bits + 7) / 8 * 8};
    zt_status status = model ? ZT_OK : ZT_NO_MEMORY;
    for (uint32_t i = 0; i < books_of(sz_of(coding)->coder) && status == ZT_OK; i++) {
        status = zti_codebook_load(context, &r, alphabet_of(sz_of(coding)), &model->book[i]);
        if (status == ZT_OK && !coding->run.is_by_kernels)
            status = zti_huffman_decoder_make(context, &model->book[i], symbols_about(coding, i),
                                              &model->decoder[i]);
    }
    return status;
}
