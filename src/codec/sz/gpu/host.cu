/* host.cu: the CUDA instance of the sz codec, the host's part: sets the arguments of kernels,
 * launches them, and converts codebooks to the form that they read. */
#include "codec/sz/gpu/kernels.h"
#include "codec/sz/interp/spec.h"
#include "codec/sz/lossless/gpu/job.h"
#include "codec/sz/lossless/gpu/tiles.h"
#include "codec/sz/transform/gpu/job.h"
#include "codec/sz/transform/gpu/tiles.h"
#include "entropy/huffman/gpu/kernels.h"

static bool is_high(const struct zti_coding *coding)
{
    return sz_of(coding)->coder == ZTI_SZ_HIGH;
}

static bool is_lossless_high(const struct zti_coding *coding)
{
    return sz_of(coding)->coder == ZTI_SZ_LOSSLESS_HIGH;
}

static bool is_transform(const struct zti_coding *coding)
{
    return sz_of(coding)->coder == ZTI_SZ_TRANSFORM;
}

static uint64_t work_bytes(const struct zti_coding *coding)
{
    if (!is_high(coding) && !is_transform(coding) && !is_lossless_high(coding))
        return sz_found_bytes(sz_of(coding), coding->grid.count);
    const uint64_t take = is_transform(coding)       ? zti_tf_cuda_decode_bytes(coding)
                          : is_lossless_high(coding) ? zti_ll_cuda_decode_bytes(coding)
                                                     : zti_sz_high_cuda_decode_bytes(coding);
    const uint64_t put = is_transform(coding)       ? zti_tf_cuda_encode_bytes(coding)
                         : is_lossless_high(coding) ? zti_ll_cuda_encode_bytes(coding)
                                                    : zti_sz_high_cuda_encode_bytes(coding);
    return take > put ? take : put;
}

/* Tiles of effort 'high' are written by words. */
static uint32_t align_bytes(const struct zti_coding *coding)
{
    return is_high(coding) ? 8 : 1;
}

static uint64_t state_words(const struct zti_coding *coding, uint64_t tiles)
{
    (void)coding;
    return lookback_words(tiles);
}

static struct sz_tiles tiles_of(const struct zti_coding *coding)
{
    struct sz_tiles s;
    memset(&s, 0, sizeof s);
    s.grid = coding->grid;
    s.sz = *sz_of(coding);
    s.type = coding->type;
    s.alphabet = alphabet_of(sz_of(coding));
    return s;
}

/* The kernels for a width of values; for multiples and bits, logarithms, keys. */
struct kernels {
    void (*put)(const struct sz_tiles *s, void *queue);
    void (*take)(const struct sz_tiles *s, void *queue);
    void (*count)(const struct sz_tiles *s, void *queue);
    void (*sample)(const struct sz_tiles *s, uint32_t pass, void *queue);
    size_t (*shared_bytes)(void);
};

static const struct kernels *kernels_of(const struct zti_coding *coding)
{
    static const struct kernels all[3][2] = {
        {{zti_sz_cuda_encode_32, zti_sz_cuda_decode_32, zti_sz_cuda_count_32, zti_sz_cuda_sample_32,
          zti_sz_cuda_shared_32},
         {zti_sz_cuda_encode_64, zti_sz_cuda_decode_64, zti_sz_cuda_count_64, zti_sz_cuda_sample_64,
          zti_sz_cuda_shared_64}},
        {{zti_sz_cuda_encode_log_32, zti_sz_cuda_decode_log_32, zti_sz_cuda_count_log_32,
          zti_sz_cuda_sample_log_32, zti_sz_cuda_shared_log_32},
         {zti_sz_cuda_encode_log_64, zti_sz_cuda_decode_log_64, zti_sz_cuda_count_log_64,
          zti_sz_cuda_sample_log_64, zti_sz_cuda_shared_log_64}},
        {{zti_sz_cuda_encode_keys_32, zti_sz_cuda_decode_keys_32, zti_sz_cuda_count_keys_32,
          zti_sz_cuda_sample_keys_32, zti_sz_cuda_shared_keys_32},
         {zti_sz_cuda_encode_keys_64, zti_sz_cuda_decode_keys_64, zti_sz_cuda_count_keys_64,
          zti_sz_cuda_sample_keys_64, zti_sz_cuda_shared_keys_64}}};
    return &all[is_of_keys(sz_of(coding)) ? 2 : sz_of(coding)->source == ZTI_SZ_LOG]
               [coding->type == ZT_F64 || coding->type == ZT_I64];
}

/* Whether a block finds room for tiles. On compute capability 7.5 those of effort 'high' do, and of
 * effort 'default' those of 32-bit values. */
static bool has_room(const struct zti_coding *coding)
{
    const size_t most = simt_shared_most() - 1024; /* kernels have some of their own */
    return is_high(coding) || (kernels_of(coding)->shared_bytes() <= most &&
                               zti_sz_cuda_find_shared(sz_of(coding)->coder) <= most);
}

static bool can_code(const struct zti_coding *coding)
{
    const bool is_wide = is_high(coding) && sz_of(coding)->tuning & ZTI_SZ_HIGH_WIDE;
    return is_transform(coding) || is_lossless_high(coding) || (!is_wide && has_room(coding));
}

/* ---- codebooks ---- */

static uint64_t book_bytes(const struct zti_coding *coding)
{
    return books_of(sz_of(coding)->coder) *
           (uint64_t)zti_cuda_book_step(alphabet_of(sz_of(coding)));
}

/* Powers of ten are before the codebooks. */
static uint64_t powers_bytes(const struct zti_coding *coding)
{
    return sz_of(coding)->source == ZTI_SZ_DIGITS ? zti_ll_model_bytes() : 0;
}

static void set_model(const struct zti_coding *coding, const void *model, struct sz_tiles *s)
{
    s->ten = (const struct zti_ll_power *)model;
    s->model = (uint8_t *)model + (model ? powers_bytes(coding) : 0); /* only read */
}

static uint64_t model_bytes(const struct zti_coding *coding)
{
    if (is_transform(coding))
        return 0;
    if (is_lossless_high(coding))
        return zti_ll_model_bytes();
    if (is_high(coding))
        return zti_sz_high_model_bytes(coding);
    return powers_bytes(coding) + book_bytes(coding);
}

static void write_model(const struct zti_coding *coding, void *memory)
{
    const struct zti_sz_model *const model = (const struct zti_sz_model *)coding->model;
    const uint32_t alphabet = alphabet_of(sz_of(coding));
    if (is_lossless_high(coding)) {
        zti_ll_store_powers(memory);
        return;
    }
    if (is_high(coding)) {
        zti_sz_high_store_model(coding, memory);
        return;
    }
    if (powers_bytes(coding) > 0)
        zti_ll_store_powers(memory);
    for (uint32_t i = 0; model && i < books_of(sz_of(coding)->coder); i++) {
        const struct zti_codebook *const book = &model->book[i];
        const struct zti_cuda_book to =
            sz_book((uint8_t *)memory + powers_bytes(coding), alphabet, i);
        to.numbers[ZTI_BOOK_USED] = book->used;
        to.numbers[ZTI_BOOK_LONGEST] = book->longest;
        memcpy(to.numbers + ZTI_BOOK_FIRST, book->first, sizeof book->first);
        memcpy(to.numbers + ZTI_BOOK_ENTRY, book->entry, sizeof book->entry);
        memcpy(to.codes, book->codes, alphabet * sizeof *book->codes);
        memcpy(to.order, book->order, book->used * sizeof *book->order);
        memcpy(to.lengths, book->lengths, alphabet * sizeof *book->lengths);
    }
}

/* ---- tiles ---- */

/* Tiles of effort 'high' in a slab use coarse-grid points of the next slab. So kernels get the
 * shape of the whole array, and the part of it that is in memory. */
static void set_whole(struct sz_tiles *s, const struct zti_grid *all, const struct zti_array *slab)
{
    const uint64_t layer = all->count / all->tiles[0];
    s->grid = *all;
    s->view.lo[0] = s->first_tile / layer * all->side[0];
    s->view.hi[0] = s->view.lo[0] + slab->shape[0];
}

static zt_status encode(zt_context *context, const struct zti_cuda_encoding *e)
{
    if (is_transform(e->coding))
        return zti_tf_cuda_encode(context, e);
    if (is_lossless_high(e->coding))
        return zti_ll_cuda_encode(context, e);
    struct sz_tiles s = tiles_of(e->coding);
    s.view.out = e->array;
    memcpy(s.view.hi, e->array.shape, sizeof s.view.hi);
    ZTI_CUDA_SET_ENCODING(&s, e);
    set_model(e->coding, e->model, &s);
    if (!is_high(e->coding)) {
        kernels_of(e->coding)->put(&s, e->queue);
        return ZT_OK;
    }
    set_whole(&s, &e->whole->grid, &e->array);
    zti_sz_high_cuda_encode(&s, e->whole, e->coding->grid.count, e->work, e->queue);
    return ZT_OK;
}

/* Decode all chunks in launches of as many tiles as there are slots: the same number of each chunk,
 * each launch continuing where the last one stopped. */
static void decode_chunks(const struct zti_cuda_decoding *d, struct sz_tiles *s)
{
    s->found = d->work;
    s->slots = sz_slots_of(d->coding->grid.count);
    s->chunks_each = d->count < s->slots ? d->count : s->slots;
    s->tiles_each = s->slots / s->chunks_each;
    if (s->tiles_each > s->chunk_tiles)
        s->tiles_each = s->chunk_tiles;
    const uint64_t most = s->chunks_each;
    set_limits(s);
    zti_sz_cuda_make_tables(s, d->queue);
    for (s->from = 0; s->from < d->count; s->from += most) {
        s->chunks_each = d->count - s->from < most ? d->count - s->from : most;
        for (s->skip = 0; s->skip < s->chunk_tiles; s->skip += s->tiles_each) {
            zti_sz_cuda_find(s, d->queue);
            kernels_of(d->coding)->take(s, d->queue);
        }
    }
}

static void decode(const struct zti_cuda_decoding *d)
{
    struct sz_tiles s = tiles_of(d->coding);
    ZTI_CUDA_SET_DECODING(&s, d);
    set_model(d->coding, d->model, &s);
    if (is_transform(d->coding))
        zti_tf_cuda_decode(&s, d->coding, d->work, d->queue);
    else if (is_lossless_high(d->coding))
        zti_ll_cuda_decode(&s, d->coding, d->work, d->queue);
    else if (is_high(d->coding))
        zti_sz_high_cuda_decode(&s, d->coding, d->work, d->queue);
    else
        decode_chunks(d, &s);
}

/* ---- counting, and samples ---- */

static bool is_of_samples(const struct zti_coding *coding, uint32_t pass)
{
    return zti_sz_has_pass(sz_of(coding), pass);
}

static uint64_t counters(const struct zti_coding *coding, uint32_t pass)
{
    const uint64_t books = books_of(sz_of(coding)->coder);
    const uint32_t of_high = (uint32_t)ZTI_SZ_HIGH_PASS + (uint32_t)ZTI_SZ_HIGH_COUNT_PASS;
    if (is_high(coding))
        return pass == of_high ? ZTI_SZ_HIGH_COUNTERS : 0;
    if (is_of_samples(coding, pass))
        return sizeof(struct zti_sz_tally) / sizeof(uint64_t);
    return pass == ZTI_SZ_BOOKS_PASS && books > 0 ? books * alphabet_of(sz_of(coding)) + 1 : 0;
}

static void count(const struct zti_cuda_counting *c)
{
    struct sz_tiles s = tiles_of(c->coding);
    s.grid = c->grid;
    s.view.out = c->array;
    memcpy(s.view.hi, c->array.shape, sizeof s.view.hi);
    s.first_tile = c->first_tile;
    s.counts = c->counts;
    set_model(c->coding, c->model, &s);
    if (is_high(c->coding)) {
        s.part = (uint32_t)zti_sz_high_part(&c->coding->grid);
        set_whole(&s, &c->coding->grid, &c->array);
        zti_sz_high_cuda_count(&s, c->coding, c->grid.count, c->work, c->queue);
        return;
    }
    if (is_of_samples(c->coding, c->pass)) {
        kernels_of(c->coding)->sample(&s, c->pass, c->queue);
        return;
    }
    s.part = zti_sz_count_part(c->coding);
    kernels_of(c->coding)->count(&s, c->queue);
}

static void add_counts(const struct zti_coding *coding, uint32_t pass, const uint64_t *counts,
                       void *tally)
{
    if (is_high(coding))
        zti_sz_high_add_counts(coding, counts, tally);
    else if (is_of_samples(coding, pass))
        zti_sz_learning.merge(coding, pass, tally, counts);
    else
        zti_sz_add_counts(coding, (struct zti_sz_counts *)tally, counts);
}

/* The cuSZ coder: the memory in which lorenzo/books.c builds codebooks of many bins. Without loss:
 * what is needed if the source becomes one with powers of ten. If values may be smooth: samples. */
static uint64_t learn_bytes(const struct zti_coding *coding)
{
    const bool is_large = alphabet_of(sz_of(coding)) > (uint32_t)ZTI_HOST_BOOK_SYMBOLS;
    const uint64_t counts =
        sizeof(struct zti_sz_tally) + counters(coding, ZTI_SZ_BOOKS_PASS) * sizeof(uint64_t);
    const uint64_t samples = (uint64_t)ZTI_SZ_SOURCE_VALUES * zt_type_bytes(coding->type);
    if (is_large)
        return zti_cuda_making_bytes(alphabet_of(sz_of(coding)));
    return zti_sz_may_have_keys(coding)
               ? samples + zti_ll_model_bytes() + book_bytes(coding) + counts
           : sz_of(coding)->may_be_smooth ? samples
                                          : 0;
}

static const struct zti_cuda_learning learning = {model_bytes, write_model, powers_bytes, counters,
                                                  count,       add_counts,  learn_bytes};

extern "C" const struct zti_cuda_codec zti_cuda_sz = {
    false, false, align_bytes, can_code, state_words, encode, decode, work_bytes, &learning};
