/* lossless.h: inside the sz codec: the lossless coder of effort 'high', what its files share. A
 * tile's values become integer keys, keys residuals of a prediction by neighbours, and residuals
 * symbols in contexts of rows before, coded by ANS with models of the tile's own. */
#ifndef ZTI_SZ_LOSSLESS_LOSSLESS_H
#define ZTI_SZ_LOSSLESS_LOSSLESS_H

#include "codec/sz/lossless/read_front.h"

#include <stdatomic.h>

/* Symbols by group of contexts. */
enum { ZTI_LL_GROUPS = 80 };
typedef uint32_t zti_ll_counts[ZTI_LL_GROUPS][ZTI_LL_ALPHABET];

/* What tables there are beside a tile's, the same for all streams. */
struct zti_ll_tables {
    struct zti_ll_power ten[2 * ZTI_LL_POWERS + 1];
    uint32_t log2[4097]; /* 16 bits behind the point */
    uint8_t sample_groups[ZTI_LL_TABLE];
    uint32_t groups; /* of these */
};

/* What some tiles of a stream came to, so that the others need not try all there is. */
struct zti_ll_known {
    bool is_learnt;
    bool with_fill, without_fill; /* where there is a fill value */
    uint32_t parts[ZTI_LL_KINDS]; /* transforms that won: bit i for part i (0 but for linear) */
    bool has_rows;                /* in any of them, rows repeat rows */
    bool has_weights, has_differences; /* in any of them, these win by far */
    uint32_t weights, tiles;           /* tiles where weights win; all */
    uint32_t axes;                     /* of differences that were best in the last of them */
};

struct zti_ll_kernels;

/* What a tile is coded in: memory of one thread. */
struct zti_ll_slot {
    atomic_flag is_claimed;
    uint8_t *memory;
    void *values;        /* bits, in the order of coding */
    void *keys;          /* cells */
    uint8_t *magnitudes; /* cells: codes */
    uint8_t *marks;      /* cells: 0, or a mark's symbol */
    void *residuals;
    uint8_t *symbols;
    uint16_t *contexts;
    uint16_t *means;           /* of a row */
    void *sums;                /* of a row, 8 bytes each */
    uint64_t *sample, *sorted; /* of ZTI_LL_SLICE_SAMPLE */
    uint64_t *all;             /* values */
    void *wave;                /* of ZTI_LL_WAVE_BYTES, decoding only */
    double *lattices;          /* 4 a slice */
    uint64_t *ranks;           /* ZTI_LL_MOST_RANKS */
    int32_t *source;           /* rows that are repeated, a row; twice */
    uint8_t *how;              /* the same */
    int32_t *found;            /* a value: its place, where the same was before, and how; encoding
                                  only */
    int32_t *places;           /* of hashes: two numbers each */
    uint32_t *votes;           /* four a row, or two rows */
    zti_ll_counts *counts;     /* two */
    uint8_t *bits;             /* what symbols leave open; then what the transform does; then
                                  codes */
    uint8_t *codes;
    struct zti_ans_model model[ZTI_LL_MODELS];
    struct zti_ans_mixed_table table;
};

enum { ZTI_LL_WAVE_BYTES = 114688, ZTI_LL_WAVE_ROWS = 16 /* rows decoded side by side, at most */ };
enum { ZTI_LL_SLICE_SAMPLE = 16384, ZTI_LL_WHOLE = 32768 };

/* coding->model of the coder. */
struct zti_ll {
    struct zti_ll_tables tables;
    struct zti_ll_known known;
    uint32_t slots;
    size_t slot_bytes;
    struct zti_ll_slot *slot; /* one a thread */
};

/* What is found in the first tiles, one after another. */
struct zti_ll_far {
    uint64_t all, far; /* pairs of values: those looked at, those that a row far before has too */
    uint32_t rows;     /* so far */
};

/* The instances of the tile coder, for one instruction set and width of values each. A tile that
 * is decoded into no view is passed over. */
struct zti_ll_ops {
    void (*encode)(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *w);
    void (*decode)(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, const struct zti_view *view);
    void (*encode_by)(struct zti_ll_kernels *kernels, const struct zti_coding *coding,
                      const uint64_t *origin, const uint32_t *extent);
    /* Before the first tile, of tiles that have an array of their own. Add what a tile comes to
     * when all there is is tried. */
    void (*learn)(const struct zti_coding *coding, const struct zti_array *array,
                  struct zti_ll_slot *slot, struct zti_ll_known *known);
    /* Count pairs of values of a tile that occurred in tiles before. */
    void (*look_far)(const struct zti_coding *coding, const struct zti_array *array,
                     struct zti_ll_slot *slot, struct zti_ll_far *far);
    /* Whether rows of a large tile repeat rows of other tiles of ZTI_LL_VALUES, in memory of a
     * large one. */
    bool (*repeats_far)(const struct zti_coding *coding, const struct zti_array *array,
                        struct zti_ll_slot *slot);
};

extern const struct zti_ll_ops zti_ll_plain_32, zti_ll_plain_64;
extern const struct zti_ll_ops zti_ll_avx2_32, zti_ll_avx2_64;
extern const struct zti_ll_ops zti_ll_avx512_32, zti_ll_avx512_64;

/* ---- stream.c ---- */

/* Cut the array into tiles; and whether tiles of that size suit it. */
void zti_ll_set_grid(struct zti_coding *coding);
bool zti_ll_has_grid(const struct zti_coding *coding);

/* Set the centre, under a bound, for values from 'least' to 'most'; false if not all multiples of
 * the step are numbers of the type, or if they are too many. */
bool zti_ll_set_multiples(struct zti_coding *coding, double least, double most);

void zti_ll_make_tables(struct zti_ll_tables *tables);

/* Before the first tile, when coding and decoding; memory is made for the policy's threads. */
zt_status zti_ll_begin(zt_context *context, struct zti_coding *coding,
                       const struct zti_array *array);
zt_status zti_ll_decode_head(zt_context *context, struct zti_coding *coding);
void zti_ll_forget(zt_context *context, struct zti_coding *coding);
void zti_ll_encode(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *w);
void zti_ll_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                   uint64_t last, const struct zti_view *view);
struct zti_ll_slot *zti_ll_claim_slot(struct zti_ll *model);
void zti_ll_release_slot(struct zti_ll_slot *slot);

/* ---- merge.c: contexts to models ---- */

/* Bits, times 2^16, of symbols with these counts and, about, of their table; 'symbols' is the
 * length of 'count'. */
uint64_t zti_ll_cost(const struct zti_ll_tables *tables, const uint32_t *count, uint32_t symbols);

/* Contexts to groups of neighbours, each of about as many symbols, given how often contexts occur;
 * or fixed groups, for samples. Returns how many there are. */
uint32_t zti_ll_group(const uint32_t *count, uint8_t *group_of);
uint32_t zti_ll_group_samples(uint8_t *group_of);

/* Merge groups that are next to each other while it saves bits, or costs less than one bit in
 * 'part' (0: none), and until there are at most ZTI_LL_MODELS: model_of says which each has. Counts
 * of model k are then in counts[k]. Returns how many there are; *cost is what they take, times
 * 2^16. */
uint32_t zti_ll_merge(const struct zti_ll_tables *tables, zti_ll_counts counts, uint32_t groups,
                      uint32_t part, uint8_t *model_of, uint64_t *cost);

/* ---- lattice.c ---- */

/* Find an offset and a step, so that each of n >= 8 ascending and distinct numbers is offset + k
 * step for an integer k, rounded to the type; false if there are none. */
bool zti_ll_find_lattice(uint32_t type, const double *number, uint32_t n, double *offset,
                         double *step);

/* Ascending order; scratch has room for as many. */
void zti_ll_sort(uint64_t *list, uint64_t *scratch, size_t n);

/* ---- front.c: what a tile's bytes say before its symbols ---- */

/* Which contexts have which model, as the lengths of their runs, of run_bits each; models' tables
 * follow. Reading is ll_read_models of read_front.h, and makes the decoder's tables. */
struct zti_items;
void zti_ll_encode_models(uint32_t models, const uint8_t *model_of, uint32_t contexts,
                          uint32_t run_bits, struct zti_items *to);
bool zti_ll_decode_models(struct zti_bit_reader *r, uint32_t contexts, uint32_t run_bits,
                          uint32_t *models, uint8_t *model_of, struct zti_ans_model *model);

/* The front of a tile of values of a type. NULL writer: only the bits are counted, without those of
 * models' tables. */
uint64_t zti_ll_encode_front(uint32_t type, const struct zti_ll_shape *shape,
                             const struct zti_ll_front *front, struct zti_bit_writer *w);
bool zti_ll_decode_front(uint32_t type, const struct zti_ll_shape *shape, struct zti_bit_reader *r,
                         struct zti_ll_slot *slot, struct zti_ll_front *front);

#endif
