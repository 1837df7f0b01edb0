/* interp.h: the structures and functions that the files of effort 'high' of the sz codec share.
 * interp/levels.c describes the algorithm. */
#ifndef ZTI_SZ_INTERP_INTERP_H
#define ZTI_SZ_INTERP_INTERP_H

#include "codec/sz/interp/spec.h"
#include "entropy/ans/mixed.h"

#include <stdatomic.h>

/* The points of a level that are odd along some axes and even along the others. */
struct zti_sz_band {
    uint32_t odd;    /* bit i: points are odd along axis i (of four, slowest first) */
    uint32_t dim[4]; /* points along each axis */
    uint32_t own[4]; /* points that the tile codes; the last may be the next tile's */
    size_t at;       /* place of its first point among all bands */
};

struct zti_sz_level {
    uint32_t dim[4]; /* extents of the level's points */
    uint32_t step;   /* units in a step of its residuals; odd */
    uint32_t depth;  /* as zti_sz_high_depth */
    uint32_t bands;
    struct zti_sz_band band[ZTI_SZ_HIGH_BANDS];
    uint8_t band_of[16]; /* number of a band by its odd axes */
};

/* A box of integers as bands of levels; level 0 is the finest. Points of level i are in grid[i % 2]
 * before they are split and after they are merged. */
struct zti_sz_pyramid {
    uint32_t axes; /* interpolated axes */
    uint32_t levels;
    bool is_linear;
    bool has_anchors;                                  /* the coarsest points are coded too */
    uint64_t anchor_bits;                              /* bits that their symbols leave open */
    struct zti_sz_level level[ZTI_SZ_HIGH_LEVELS + 1]; /* the last has points but no bands */
    uint8_t *memory; /* memory of the arrays below; NULL: the coarse grid's integers are all 0 */
    uint32_t integer_bytes;                        /* 8 in wide streams, else 4 */
    void *bands, *grid[2];                         /* integers */
    uint8_t *band_magnitudes, *grid_magnitudes[2]; /* magnitudes of the residuals */
    uint8_t *symbols, *contexts;                   /* in the order of coding */
    size_t count;                                  /* number of symbols */
};

/* A writer of the bits that symbols leave open; without a base, they are only counted. */
struct zti_sz_extras {
    struct zti_bit_writer writer;
    uint64_t bits, most_bits;
    bool is_over;
};

/* Counts of the symbols of a sample or of tiles. */
struct zti_sz_high_counts {
    uint64_t values; /* number of values counted */
    uint64_t extra_bits;
    uint64_t anchor_bits; /* of these, of anchors */
    uint64_t count[ZTI_SZ_HIGH_CONTEXTS][ZTI_SZ_HIGH_ALPHABET];
};

struct zti_sz_slot {
    atomic_flag is_claimed;
    struct zti_sz_pyramid pyramid;
    uint8_t *bytes; /* extras, then the ANS coder's scratch; or a sample's integers */
    size_t most_extra_bytes;
    uint64_t *is_exact;
};

/* coding->model of effort 'high'. */
struct zti_sz_high {
    struct zti_sz_pyramid coarse; /* the coarse grid of the whole array */
    uint32_t models;
    struct zti_ans_model model[ZTI_SZ_HIGH_MODELS];
    uint8_t model_of[ZTI_SZ_HIGH_CONTEXTS];
    const struct zti_ans_model *of[ZTI_SZ_HIGH_CONTEXTS]; /* the model of each context */
    struct zti_ans_mixed_table table;                     /* for encoding */
    uint8_t (*has)[ZTI_SZ_HIGH_ALPHABET]; /* NULL, or the symbols that each context has, if some
                                             were not counted */
    uint32_t slots;
    struct zti_sz_slot *slot; /* one for each thread */
    uint8_t *head;
    double farthest; /* units from the centre up to which values were measured (set_farthest) */
    bool is_sure;    /* values that are not farther keep the bound without a check */
    struct zti_sz lorenzo; /* the alternative, if effort 'high' is not better */
    struct zti_sz_model *lorenzo_model;
    uint64_t lorenzo_bits;
    double least_bits; /* bits of the best variant tried */
    uint64_t coarse_extra_bits, coarse_code_bits;
    uint8_t *coarse_extras;
};

struct zti_sz_high_ops {
    /* Move n points of a row of the finest level, from point 'first' on, which is even, to their
     * bands, and back; or whole rows, if first + n is past the row's end. 'split' then splits the
     * other levels. */
    void (*split_row)(struct zti_sz_pyramid *p, const uint32_t *at, uint32_t first, uint32_t n,
                      const void *integers);
    void (*merge_row)(const struct zti_sz_pyramid *p, const uint32_t *at, uint32_t first,
                      uint32_t n, void *integers);
    void (*split)(struct zti_sz_pyramid *p);
    /* Encode the integers in the bands and the coarsest grid to symbols and open bits. 'has' (NULL:
     * all) tells which symbols a context has. The integers become the decoded ones. */
    void (*code)(struct zti_sz_pyramid *p, const uint8_t (*has)[ZTI_SZ_HIGH_ALPHABET],
                 struct zti_sz_extras *extras);
    /* codes NULL: all symbols are 0 */
    bool (*decode)(struct zti_sz_pyramid *p, const struct zti_ans_model *const *of,
                   struct zti_ans_mixed *codes, struct zti_bit_reader *extras);
    uint8_t *(*write_codes)(const struct zti_ans_mixed_table *table, const struct zti_sz_pyramid *p,
                            uint32_t states, uint8_t *scratch); /* as zti_ans_mixed_encode */
    /* The integers of n values; a value without one has that of the value before. Returns the last;
     * sets *is_far if one is beyond high->farthest. */
    int64_t (*integers)(const struct zti_coding *coding, const void *values, uint32_t n,
                        int64_t before, void *integers, bool *is_far);
    void (*values)(const struct zti_coding *coding, const void *integers, uint32_t n, void *values);
    /* Whether n values keep the bound. */
    bool (*check)(const struct zti_coding *coding, const void *integers, const void *values,
                  uint32_t n);
};

extern const struct zti_sz_high_ops zti_sz_high_plain;
extern const struct zti_sz_high_ops zti_sz_high_wide; /* with integers of 64 bits */
extern const struct zti_sz_high_ops zti_sz_high_avx2;
extern const struct zti_sz_high_ops zti_sz_high_avx512;

const struct zti_sz_high_ops *zti_sz_high_ops_of(const struct zti_coding *coding);

/* Whether a stream is wide: its integers have 64 bits. */
static inline bool zti_sz_high_is_wide(const struct zti_coding *coding)
{
    return sz_of(coding)->tuning & ZTI_SZ_HIGH_WIDE;
}

static inline uint32_t zti_sz_high_integer_bytes(const struct zti_coding *coding)
{
    return zti_sz_high_is_wide(coding) ? 8 : 4;
}

static inline void zti_sz_gather_row(void *to, const void *from, int64_t stride, uint32_t n,
                                     size_t value_bytes)
{
    if (value_bytes == 4) {
        for (int64_t i = 0; i < n; i++)
            ((uint32_t *)to)[i] = ((const uint32_t *)from)[i * stride];
    } else {
        for (int64_t i = 0; i < n; i++)
            ((uint64_t *)to)[i] = ((const uint64_t *)from)[i * stride];
    }
}

/* The rows of a box of values; if they are contiguous in the array too, those along axis 2 are
 * joined to one. */
struct zti_sz_high_rows {
    uint32_t dim[3];
    uint32_t length;
    uint32_t piece; /* values moved at a time; of joined rows, whole rows */
    bool is_joined;
};

ZTI_INLINE struct zti_sz_high_rows zti_sz_high_rows_of(const uint32_t *dim, bool is_joined)
{
    struct zti_sz_high_rows rows = {
        .dim = {dim[0], dim[1], dim[2]}, .length = dim[3], .piece = ZTI_SZ_HIGH_SEGMENT};
    rows.is_joined = is_joined && dim[3] <= ZTI_SZ_HIGH_SEGMENT / 2;
    if (rows.is_joined) {
        rows.dim[2] = 1;
        rows.length = dim[2] * dim[3];
        rows.piece = ZTI_SZ_HIGH_SEGMENT / dim[3] * dim[3];
    }
    return rows;
}

/* Go to the next row of a box; false after the last one. */
ZTI_INLINE bool zti_sz_high_next_row(const uint32_t *dim, uint32_t *at)
{
    for (uint32_t i = 3; i-- > 0;) {
        if (++at[i] < dim[i])
            return true;
        at[i] = 0;
    }
    return false;
}

/* Rows of fewer bytes are prefetched: the rows of a tile are too short for the hardware prefetcher,
 * and a row is processed before the next one arrives. */
enum { ZTI_SZ_HIGH_ASKED = 8192 };

static inline uint32_t zti_sz_high_ahead(size_t row_bytes)
{
    return 1 + (uint32_t)(1024 / (row_bytes + 1));
}

static inline void zti_sz_high_prefetch(const char *row, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        zti_prefetch(row + i);
}

static inline void zti_sz_high_prefetch_to_write(char *row, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        zti_prefetch_to_write(row + i);
}

/* ---- interp/levels.c ---- */

/* The coding's axes, as the last ones of four. */
uint32_t zti_sz_high_axes(const struct zti_coding *coding);

/* The most points of the coarse grid of an array of 'values' values; and whether the coding's
 * coarse grid has no more. */
uint64_t zti_sz_high_coarse_most(uint64_t values);
bool zti_sz_high_can(const struct zti_coding *coding);

/* Set the levels and bands of a box whose finest level is number 'first' (from 1); returns its
 * number of points. */
size_t zti_sz_high_shape(const struct zti_coding *coding, uint32_t axes, const uint32_t *dim,
                         const uint32_t *own, uint32_t first, uint32_t levels,
                         struct zti_sz_pyramid *p);
uint32_t zti_sz_high_all_levels(uint32_t axes, const uint32_t *dim);

void zti_sz_pyramid_free(zt_context *context, struct zti_sz_pyramid *p);

/* Allocate memory for each thread, for tiles of the coding's grid and boxes of 'points' points. */
zt_status zti_sz_high_slots(zt_context *context, const struct zti_coding *coding, size_t points);
void zti_sz_high_free_slots(zt_context *context, struct zti_sz_high *high);
struct zti_sz_slot *zti_sz_high_claim_slot(struct zti_sz_high *high);
void zti_sz_high_release_slot(struct zti_sz_slot *slot);

/* Set shape and memory of high->coarse for encoding; and decode the coarse grid. */
zt_status zti_sz_high_coarse_shape(zt_context *context, const struct zti_coding *coding);
zt_status zti_sz_high_coarse_decode(zt_context *context, const struct zti_coding *coding,
                                    struct zti_ans_mixed *codes, struct zti_bit_reader *extras);

/* Copy a box of the coarse grid, in C order. */
void zti_sz_high_coarse_box(const struct zti_sz_high *high, const uint32_t *from,
                            const uint32_t *dim, void *integers, uint8_t *magnitudes);

/* Quantize a box of an array from 'origin', every 2^bits-th value along the coding's axes, to the
 * bands and grids of a pyramid of that shape. Returns whether no integer is beyond
 * high->farthest. */
bool zti_sz_high_gather(const struct zti_coding *coding, const struct zti_array *array,
                        const uint64_t *origin, const uint32_t *dim, uint32_t bits,
                        struct zti_sz_pyramid *p);

/* ---- interp/tile.c ---- */

void zti_sz_high_count(const struct zti_coding *coding, const struct zti_array *array,
                       uint64_t tile, struct zti_sz_high_counts *counts);
void zti_sz_high_encode(const struct zti_coding *coding, const struct zti_array *array,
                        uint64_t first, uint64_t last, struct zti_bit_writer *w);
void zti_sz_high_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                        uint64_t last, const struct zti_view *view);

/* ---- interp/learn.c ---- */

/* The most bytes of a stream's head. */
uint64_t zti_sz_high_head_most(const struct zti_coding *coding);

/* Change a coding that is ready for another effort to effort 'high', if possible. */
zt_status zti_sz_high_begin(zt_context *context, struct zti_coding *coding);

/* Whether a tile is counted; and place k of irregularly spread places in a tile. */
bool zti_sz_high_is_counted(const struct zti_coding *coding, uint64_t tile);
void zti_sz_high_place(const struct zti_coding *coding, const struct zti_walk *walk, uint32_t k,
                       uint64_t *place);

size_t zti_sz_high_tally_bytes(const struct zti_coding *coding, uint32_t pass);
void zti_sz_high_tally(const struct zti_coding *coding, uint32_t pass,
                       const struct zti_array *array, uint64_t first, uint64_t last, void *tally);
void zti_sz_high_merge(const struct zti_coding *coding, uint32_t pass, void *into,
                       const void *from);
zt_status zti_sz_high_learn(zt_context *context, struct zti_coding *coding, uint32_t pass,
                            const struct zti_array *array, void *tally);
void zti_sz_high_forget(zt_context *context, struct zti_coding *coding);
zt_status zti_sz_high_decode_head(zt_context *context, struct zti_coding *coding,
                                  const uint8_t *head);

/* Add the symbols of an encoded pyramid. */
void zti_sz_high_add(const struct zti_sz_pyramid *p, uint64_t extra_bits,
                     struct zti_sz_high_counts *counts);

/* ---- interp/smooth.c ---- */

/* Whether effort default interpolates an array's values if they are smooth (zti_sz_is_smooth); and
 * change the coding of such to effort 'high', which then learns little. */
bool zti_sz_may_be_smooth(const struct zti_target *target, const struct zti_coding *coding);
zt_status zti_sz_begin_smooth(zt_context *context, struct zti_coding *coding);

#endif
