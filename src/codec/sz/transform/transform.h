/* transform.h: inside the sz codec: the transform coder, what its files share. A tile's values
 * become coefficients of a lifted wavelet, these multiples of a step, and their magnitudes symbols
 * in contexts of neighbours, coded by ANS with models of the tile's own. Under a bound on each
 * value corrections follow. */
#ifndef ZTI_SZ_TRANSFORM_TRANSFORM_H
#define ZTI_SZ_TRANSFORM_TRANSFORM_H

#include "codec/sz/lossless/lossless.h"
#include "codec/sz/transform/kernels.h"
#include "codec/sz/transform/layout.h"

/* Limits of lines that are lifted side by side. */
enum {
    ZTI_TF_LINE_MARGIN = 3,  /* values before and behind a line */
    ZTI_TF_MOST_LINES = 256, /* of short ones */
    ZTI_TF_FEW_LINES = 16,
    ZTI_TF_LINES_VALUES = 32768,
    ZTI_TF_LONG_LINE = 1 << 16,  /* longer ones are lifted one by one */
    ZTI_TF_LEAST_LONG = 1 << 14, /* values of a row that threads may share */
    ZTI_TF_PIECE = 1 << 12,      /* pairs of values of a long row that are lifted at a time */
    ZTI_TF_PIECE_MARGIN = 4      /* pairs before and behind them that this takes */
};

/* The values of memory that a piece of a long row needs: its pairs with their margins. */
static inline size_t tf_piece_room(void)
{
    return 2 * (ZTI_TF_PIECE + 2 * ZTI_TF_PIECE_MARGIN);
}

static inline size_t tf_lines_at_once(size_t n)
{
    const size_t some = ZTI_TF_LINES_VALUES / n;
    return n > ZTI_TF_LONG_LINE       ? 1
           : some < ZTI_TF_FEW_LINES  ? ZTI_TF_FEW_LINES
           : some < ZTI_TF_MOST_LINES ? some
                                      : ZTI_TF_MOST_LINES;
}

/* Memory, in values, to lift 'lines' lines that lie side by side, of n values or fewer. Shorter
 * lines can need more of it, as more of them are lifted at once. */
static inline size_t tf_lines_room(size_t n, size_t lines)
{
    const size_t most = lines < ZTI_TF_MOST_LINES ? lines : ZTI_TF_MOST_LINES;
    const size_t few = lines < ZTI_TF_FEW_LINES ? lines : ZTI_TF_FEW_LINES;
    const size_t short_ones = n * most < ZTI_TF_LINES_VALUES ? n * most : ZTI_TF_LINES_VALUES;
    const size_t long_ones = few * (n < ZTI_TF_LONG_LINE ? n : ZTI_TF_LONG_LINE);
    const size_t values = short_ones > long_ones ? short_ones : long_ones;
    return (values > n ? values : n) + 4 * ZTI_TF_LINE_MARGIN * most;
}

/* Where in scratch the codes of part number 'part' go, whose first symbol is number 'at': each part
 * has room for its codes at their longest. */
static inline size_t zti_tf_codes_bytes(size_t at, size_t part)
{
    return at + at / 2 + part * (zti_ans_mixed_bytes(0) + 1);
}

/* Boxes of a tile on which steps are tried, and the values of each, at most. Each has models of its
 * own to make, so that tiles with few values are tried whole. */
enum { ZTI_TF_BOXES = 8, ZTI_TF_BOX_VALUES = 1 << 15, ZTI_TF_FEW_VALUES = 1 << 20 };

/* Blocks that are decoded side by side, at most: of two runs, if each block is a part. */
enum { ZTI_TF_DECODED_LANES = 2 * ZTI_TF_LANES };

/* Memory of one thread at work on a tile. */
struct zti_tf_worker {
    void *lines;                           /* of lifting, of the type of values */
    void *piece;                           /* of a long row, if there are any */
    uint16_t *cells;                       /* magnitudes of blocks side by side, with margins */
    uint32_t *sums;                        /* of a row of each of them */
    uint8_t *symbol[ZTI_TF_DECODED_LANES]; /* of a block of each; encoding: of a row */
    uint8_t *context[ZTI_TF_LANES];        /* encoding only, as what follows */
    zti_ll_counts *counts;
    struct zti_tf_tally *tally;
};

/* Memory for a tile, on which all threads work, or for a box, on which one does. */
struct zti_tf_slot {
    uint8_t *memory;
    void *values; /* coefficients, or values in C order: f32 in narrow streams, else f64 */
    void *kept;   /* coefficients that are coded with several steps, of few values; encoding only */
    uint32_t workers;
    struct zti_tf_worker *worker;
    struct zti_crew *crew;
    uint16_t weight[256]; /* of symbols in contexts; decoding only */
    struct zti_tf_layout layout;
    struct zti_tf_part *part, *chunk;
    struct zti_ans_model model[ZTI_LL_MODELS];
    struct zti_ans_model correction_model[ZTI_TF_CORRECTION_MODELS];
    struct zti_ans_mixed_table table; /* encoding only, as what follows */
    uint8_t *symbols, *contexts;
    uint8_t *codes;
    /* These overlie symbols, contexts and codes, which are not needed any more when corrections are
     * found. */
    zti_tf_correction *corrections;
    uint8_t *correction_symbols, *correction_contexts, *correction_codes;
    zti_ll_counts *counts;
    struct zti_tf_slot *box; /* for each worker, if there are more and steps are tried on boxes */
};

/* coding->model of the coder. */
struct zti_tf {
    struct zti_ll_tables tables;
    struct zti_tf_slot slot; /* tiles are coded one after the other */
};

/* The instances of the tile coder; a tile that is decoded into no view is passed over. */
struct zti_tf_ops {
    void (*encode)(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *w);
    void (*decode)(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, const struct zti_view *view);
    void (*encode_by)(struct zti_tf_kernels *kernels, const struct zti_coding *coding,
                      const uint64_t *origin, const uint32_t *extent);
};

/* With f64 and, in narrow streams, with f32. */
extern const struct zti_tf_ops zti_tf_plain, zti_tf_avx2, zti_tf_avx512;
extern const struct zti_tf_ops zti_tf_narrow, zti_tf_narrow_avx2, zti_tf_narrow_avx512;

/* ---- stream.c ---- */

/* Whether values of this coding can be transformed: floats under a bound. */
bool zti_tf_can(const struct zti_coding *coding);
void zti_tf_set_grid(struct zti_coding *coding);

/* Whether a tile's values and coefficients are f32; set it for a bound, and values up to a
 * magnitude (NaN: not known). */
static inline bool zti_tf_is_narrow(const struct zti_coding *coding)
{
    return sz_of(coding)->tuning & 1;
}
void zti_tf_set_narrow(struct zti_coding *coding, double magnitude);

/* Before the first tile is encoded, or decoded; memory is made for the policy's threads. */
zt_status zti_tf_begin(zt_context *context, struct zti_coding *coding, bool is_encoded);
void zti_tf_forget(zt_context *context, struct zti_coding *coding);
void zti_tf_encode(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *w);
void zti_tf_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, const struct zti_view *view);

/* ---- bands.c ---- */

/* Functions of layout.h, compiled once. Setting the way also says that all values are needed. */
uint32_t zti_tf_most_bands(const uint32_t *extent);
void zti_tf_set_extent(struct zti_tf_layout *layout, const uint32_t *extent);
void zti_tf_set_way(struct zti_tf_layout *layout, const struct zti_tf_way *way);
struct zti_tf_walk zti_tf_walk_from(const struct zti_tf_layout *layout, uint32_t band);
bool zti_tf_next_run(const struct zti_tf_layout *layout, struct zti_tf_walk *walk,
                     struct zti_tf_run *run);
void zti_tf_set_items(struct zti_tf_layout *layout, uint32_t parts_way);
uint32_t zti_tf_count_parts(const struct zti_tf_layout *layout, uint32_t parts_way);
size_t zti_tf_most_parts(size_t values);
size_t zti_tf_block_symbols(const uint32_t *extent);

/* Set what is needed for the values of a box; by default it is everything. */
void zti_tf_set_need(struct zti_tf_layout *layout, const struct zti_tf_span *box);

/* The places below 'below' along an axis that are needed after this number of its levels, as spans:
 * low ones, then high ones from coarse levels to fine. Returns the number of spans. */
enum { ZTI_TF_SPANS = ZTI_TF_LEVELS + 1 };
uint32_t zti_tf_needed(const struct zti_tf_need *need, uint32_t levels, uint32_t below,
                       struct zti_tf_span *span);

/* ---- front.c: what a tile's bytes say before its symbols ---- */

/* Append it, with the tables of the models; NULL writer: only count its bits. */
uint64_t zti_tf_encode_front(const struct zti_tf_slot *slot, const struct zti_tf_front *front,
                             struct zti_bit_writer *w);
bool zti_tf_decode_front(struct zti_bit_reader *r, struct zti_tf_slot *slot,
                         struct zti_tf_front *front);

#endif
