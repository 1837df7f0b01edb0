/* transform.h: inside the sz codec: the transform coder, what its files share. A tile's values
 * become coefficients of a lifted wavelet, these multiples of a step, and their magnitudes symbols
 * in contexts of neighbours, coded by ANS with models of the tile's own. Under a bound on each
 * value corrections follow. */
#ifndef ZTI_SZ_TRANSFORM_TRANSFORM_H
#define ZTI_SZ_TRANSFORM_TRANSFORM_H

#include "codec/sz/lossless/lossless.h"
#include "codec/sz/transform/spec.h"

/* A tile's axes, levels and bands, coarse bands first. */
struct zti_tf_plan {
    uint32_t extent[ZTI_TF_AXES];
    size_t stride[ZTI_TF_AXES];
    size_t values;
    uint32_t levels, bands, most_bands;
    struct zti_tf_level level[ZTI_TF_LEVELS];
    struct zti_tf_band *band;
};

/* How many lines of n values are lifted side by side; a line has so many values more on each side.
 */
enum {
    ZTI_TF_LINE_MARGIN = 3,
    ZTI_TF_MOST_LINES = 128, /* of short ones */
    ZTI_TF_FEW_LINES = 16,
    ZTI_TF_LINES_VALUES = 16384,
    ZTI_TF_LONG_LINE = 1 << 16 /* longer ones are lifted one by one */
};

static inline size_t tf_lines_at_once(size_t n)
{
    const size_t some = ZTI_TF_LINES_VALUES / n;
    return n > ZTI_TF_LONG_LINE       ? 1
           : some < ZTI_TF_FEW_LINES  ? ZTI_TF_FEW_LINES
           : some < ZTI_TF_MOST_LINES ? some
                                      : ZTI_TF_MOST_LINES;
}

/* The room that lines of n values and of all fewer need, where so many lie side by side: shorter
 * lines can need more, as more of them are lifted at once. */
static inline size_t tf_lines_room(size_t n, size_t lines)
{
    const size_t most = lines < ZTI_TF_MOST_LINES ? lines : ZTI_TF_MOST_LINES;
    const size_t few = lines < ZTI_TF_FEW_LINES ? lines : ZTI_TF_FEW_LINES;
    const size_t short_ones = n * most < ZTI_TF_LINES_VALUES ? n * most : ZTI_TF_LINES_VALUES;
    const size_t long_ones = few * (n < ZTI_TF_LONG_LINE ? n : ZTI_TF_LONG_LINE);
    const size_t values = short_ones > long_ones ? short_ones : long_ones;
    return (values > n ? values : n) + 4 * ZTI_TF_LINE_MARGIN * most;
}

/* Blocks of a band with the same extents, coded side by side. */
struct zti_tf_run {
    uint32_t lanes;
    uint32_t extent[ZTI_TF_AXES];
    size_t at[ZTI_TF_LANES]; /* the first coefficient of each */
};

/* Where a walk through the blocks of a band is. */
struct zti_tf_walk {
    const struct zti_tf_plan *plan;
    const struct zti_tf_band *band;
    uint32_t side[ZTI_TF_AXES], full[ZTI_TF_AXES]; /* of blocks; how many have it */
    uint32_t cut; /* bit i: blocks at the end of axis i, which are shorter */
    uint32_t next[ZTI_TF_AXES];
    bool is_open; /* there are blocks left of this cut */
};

/* A value that is decoded beyond the bound: its place in the tile, in C order, below 9 bits of what
 * is added to it, in steps; 0: it is stored as it is. */
typedef uint32_t zti_tf_correction;

enum { ZTI_TF_PLACE_BITS = 23, ZTI_TF_MOST_STEPS = 255 };

_Static_assert(ZTI_TF_VALUES <= 1 << ZTI_TF_PLACE_BITS, "places of corrections have room");

static inline uint32_t tf_place_of(zti_tf_correction c)
{
    return c & ((UINT32_C(1) << ZTI_TF_PLACE_BITS) - 1);
}

static inline int32_t tf_steps_of(zti_tf_correction c)
{
    return (int32_t)c >> ZTI_TF_PLACE_BITS;
}

/* Models of corrections: gaps between them, and steps. At most 1 in 4 values has one. */
enum { ZTI_TF_GAP, ZTI_TF_STEPS, ZTI_TF_ASIDE, ZTI_TF_CORRECTED_PART = 4 };

/* Symbols of a block of a run, in C order; encoding also contexts, and of segments twice the
 * context, and 1 more where there are magnitudes. */
struct zti_tf_lane {
    uint8_t *symbol, *context, *segment;
};

/* What a tile is coded in: memory of one thread. */
struct zti_tf_slot {
    atomic_flag is_taken;
    uint8_t *memory;
    void *values;    /* coefficients, or values in C order: f32 in narrow streams, else f64 */
    void *lines;     /* of lifting, of the same type */
    uint16_t *cells; /* magnitudes of blocks side by side, with margins */
    uint32_t *sums;  /* of a row of each of them */
    struct zti_tf_lane lane[ZTI_TF_LANES];
    uint16_t middle[256]; /* of symbols; decoding only */
    struct zti_tf_plan plan;
    struct zti_ans_model model[ZTI_LL_MODELS];
    struct zti_ans_mixed_table table;         /* encoding only, as what follows */
    struct zti_ans_model aside[ZTI_TF_ASIDE]; /* of corrections */
    uint8_t *symbols, *contexts;
    uint8_t *codes;
    zti_tf_correction *corrections;
    zti_ll_counts *counts;
};

/* coding->model of the coder. */
struct zti_tf {
    struct zti_ll_tables tables;
    uint32_t slots;
    struct zti_tf_slot *slot; /* one a thread */
};

/* The instances of the tile coder; a tile that is decoded into no view is passed over. */
struct zti_tf_ops {
    void (*encode)(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *w);
    void (*decode)(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, const struct zti_view *view);
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

/* Before the first tile, when coding and decoding; memory is made for the policy's threads. */
zt_status zti_tf_begin(zt_context *context, struct zti_coding *coding);
zt_status zti_tf_take_head(zt_context *context, struct zti_coding *coding);
void zti_tf_forget(zt_context *context, struct zti_coding *coding);
void zti_tf_encode(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *w);
void zti_tf_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, const struct zti_view *view);
struct zti_tf_slot *zti_tf_take_slot(struct zti_tf *model);
void zti_tf_give_slot(struct zti_tf_slot *slot);

/* ---- bands.c ---- */

/* The most bands of a tile of these extents, whatever its way. */
uint32_t zti_tf_most_bands(const uint32_t *extent);

/* Set extents, values and strides. */
void zti_tf_set_extent(struct zti_tf_plan *plan, const uint32_t *extent);

/* Set the levels and bands of a way. */
void zti_tf_set_way(struct zti_tf_plan *plan, const struct zti_tf_way *way);

/* A walk through the blocks of a band: those of full size first, then those that are cut. False
 * past the last run. */
struct zti_tf_walk zti_tf_walk_of(const struct zti_tf_plan *plan, const struct zti_tf_band *band);
bool zti_tf_next_run(struct zti_tf_walk *walk, struct zti_tf_run *run);

/* ---- front.c: what a tile's bytes say before its symbols ---- */

struct zti_tf_front {
    struct zti_tf_way way;
    uint32_t step_parts; /* the quantizer's step, in parts of the stream's */
    uint32_t shift;      /* see tf_middle */
    uint8_t centroid[ZTI_TF_GROUPS][ZTI_TF_CENTROIDS];
    uint32_t models;
    uint8_t model_of[ZTI_LL_CONTEXTS];
};

/* Append it, with the tables of the models; NULL writer: only count its bits. */
uint64_t zti_tf_put_front(const struct zti_tf_slot *slot, const struct zti_tf_front *front,
                          struct zti_bit_writer *w);
bool zti_tf_take_front(struct zti_bit_reader *r, struct zti_tf_slot *slot,
                       struct zti_tf_front *front);

#endif
