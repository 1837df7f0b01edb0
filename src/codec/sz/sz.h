/* sz.h: the parameters, structures and functions that the files of the sz codec share. stream.c
 * describes the stream. */
#ifndef ZTI_SZ_H
#define ZTI_SZ_H

#include "codec/batch.h"
#include "codec/holes.h"
#include "codec/learning.h"
#include "codec/planning.h"
#include "entropy/huffman/huffman.h"
#include "ztile_sz.h"

enum {
    ZTI_SZ_TILE_VALUES = 4096, /* most values of a tile */
    ZTI_SZ_ROW = 16,           /* least values of its rows, where they are not along differences */
    ZTI_SZ_GROUP = 64,         /* values that share a class */
    ZTI_SZ_GROUPS = ZTI_SZ_TILE_VALUES / ZTI_SZ_GROUP,
    ZTI_SZ_ROUNDS = 12,      /* most ones of a unary code; a number follows if there are more */
    ZTI_SZ_LONGER_MOST = 39, /* most values of a group with more bits than its planes */
    ZTI_SZ_UNARY_MOST = 20,  /* most bits of a unary code in estimates */
    ZTI_SZ_SPARSE = 16,      /* most values other than 0 that a group lists */
    ZTI_SZ_SPARSE_CODED = 6, /* the same, with Huffman codes */
    ZTI_SZ_FEW = ZTI_SZ_SPARSE + 1, /* class without planes; most values other than 0: */
    ZTI_SZ_FEW_MOST = 34,
    ZTI_SZ_BOX_VALUES = ZTI_SZ_TILE_VALUES / ZT_MAX_RANK, /* most values of a sample */
    ZTI_SZ_SAMPLES = 48,  /* most samples from which the axes are chosen */
    ZTI_SZ_FINALISTS = 3, /* sets of axes compared in the second pass */
    ZTI_SZ_RAW_BYTES = 8 * ZTI_SZ_TILE_VALUES,
    /* most bytes of a group's variable part: 64 times 12 unary bits, 6 bits of a length, and 63
     * bits */
    ZTI_SZ_GROUP_MOST_BYTES = ZTI_SZ_GROUP * (ZTI_SZ_ROUNDS + 6 + 64) / 8,
    ZTI_SZ_CLASS_MOST_BITS = 32,
    ZTI_SZ_BOOKS = 5, /* of effort 'default': classes, then values */
    /* by how much a tile may exceed its limit before the writer checks */
    ZTI_SZ_SLACK_BYTES = ZTI_SZ_GROUPS * ZTI_SZ_CLASS_MOST_BITS / 8 + ZTI_SZ_GROUP_MOST_BYTES +
                         ZTI_SZ_TILE_VALUES * ZTI_HUFFMAN_MAX_BITS / 8
};

/* The best sets of axes after the first pass over samples, the best first; none before it. */
struct zti_sz_finalists {
    uint8_t count;
    uint8_t axes[ZTI_SZ_FINALISTS];
    uint8_t worse[ZTI_SZ_FINALISTS]; /* by how many 128ths of the first's bits */
};

/* The coder of a stream, by its number in the file: efforts default, fast and high, the method
 * published for cuSZ, lossless coding with effort high and method multiples (lossless/), and the
 * transform (transform/). */
enum zti_sz_coder {
    ZTI_SZ_DEFAULT = 0,
    ZTI_SZ_CUSZ = 1,
    ZTI_SZ_FAST = 2,
    ZTI_SZ_HIGH = 3,
    ZTI_SZ_LOSSLESS_HIGH = 4,
    ZTI_SZ_TRANSFORM = 5
};

/* The parameters of an sz stream. They lie in a coding's bytes. */
struct ZTI_MAY_ALIAS zti_sz {
    uint32_t coder;       /* zti_sz_coder */
    uint32_t source;      /* how values become integers: zti_sz_source */
    uint32_t axes;        /* bit i: differences are taken along axis i */
    uint32_t is_blocked;  /* groups of values are blocks of a tile, not runs */
    uint32_t bins;        /* the cuSZ coder: number of residuals with a symbol of their own */
    uint64_t head_bits;   /* bits of the codebooks' tables */
    double step;          /* floats: values become multiples of it */
    double bound;         /* floats, not in the file: the bound that the encoder checks */
    uint64_t whole_step;  /* integers: values become multiples of it; odd */
    uint64_t fineness;    /* logarithms: number of steps in eight doublings of a value */
    uint8_t digits;       /* decimals: behind the point, or significant */
    uint8_t zeros;        /* short bits: how many are left out */
    int16_t lowest;       /* significant digits: the power of ten of the least */
    int64_t centre;       /* tiles' bases, or numbers of multiples, are stored less it */
    bool wants_high;      /* not in the file: effort 'high' is to be tried */
    bool may_be_smooth;   /* not in the file: effort 'default' interpolates smooth values */
    bool is_pointwise;    /* not in the file, transform: the bound holds for each value, */
    bool has_mean;        /* and the step was chosen for a mean error */
    uint32_t reach;       /* effort 'high': units in a step, 'step' being the unit; odd */
    uint32_t tuning;      /* effort 'high': predictors, and size of tiles; lossless: size, width */
    double least, most;   /* not in the file: the range of the values */
    bool has_axes;        /* not in the file: the caller gives axes, which are not learnt */
    bool has_few_samples; /* of effort 'high': learns from a part of the usual samples */
    bool has_shape;       /* not in the file: it gives is_blocked too */
    bool has_groups;      /* not in the file: it gives is_blocked, centre and source too */
    bool is_compared;     /* not in the file: effort 'high' was compared with the other coder, and
                             that was taken or is clearly larger */
    struct zti_sz_finalists finalists; /* not in the file */
};

/* A coding's sz parameters, to read and to set. */
ZTI_STATIC const struct zti_sz *sz_of(const struct zti_coding *coding)
{
    return (const struct zti_sz *)(const void *)&coding->numbers;
}

ZTI_STATIC struct zti_sz *sz_in(struct zti_coding *coding)
{
    return (struct zti_sz *)(void *)&coding->numbers;
}

/* How values become integers. */
enum zti_sz_source {
    ZTI_SZ_LATTICE = 0, /* floats: the nearest multiple of a step */
    ZTI_SZ_STEPS = 1,   /* integers: the nearest multiple of a step; 1: themselves */
    ZTI_SZ_BITS = 2,    /* floats, without loss: their bits, in the order of the numbers */
    ZTI_SZ_LOG = 3,     /* floats: the nearest of numbers that are nearly a fixed ratio apart */
    /* floats, without loss, keys (quantize/keys.h): */
    ZTI_SZ_DECIMALS = 4, /* n of n / 10^digits */
    ZTI_SZ_DIGITS = 5,   /* decimals of so many significant digits, numbered in order */
    ZTI_SZ_SHORT = 6,    /* bits, in the order of the numbers, without low ones that are 0 */
    ZTI_SZ_SOURCES
};

/* Bits 0 to 3 of a tile's first byte; bits 4 to 7 are the number of bytes of its base. */
enum {
    ZTI_SZ_ZERO = 0,     /* all integers are the base */
    ZTI_SZ_NARROW = 1,   /* integers of 32 bits */
    ZTI_SZ_WIDE = 2,     /* integers of 64 bits */
    ZTI_SZ_RAW = 3,      /* the values themselves */
    ZTI_SZ_KIND = 3,     /* mask of the above */
    ZTI_SZ_LOSSLESS = 4, /* lattice: this tile is coded from the values' bits */
    ZTI_SZ_FORM = 7,
    ZTI_SZ_HAS_EXACT = 8
};

/* Learning passes over the values: two over samples (lorenzo/axes.c), one for the codebooks, then
 * those of effort 'high' (interp/spec.h). */
enum { ZTI_SZ_LOOK_PASS, ZTI_SZ_RACE_PASS, ZTI_SZ_BOOKS_PASS, ZTI_SZ_HIGH_PASS };

/* The tally of a pass over samples. */
struct zti_sz_tally {
    uint64_t bits[1 << ZT_MAX_RANK];    /* bits of values inside tiles, by set of axes */
    int64_t base[ZTI_SZ_SAMPLES];       /* first integer of each sample */
    uint64_t race[ZTI_SZ_FINALISTS][2]; /* bits of tiles with groups as runs, as blocks */
    uint64_t values[ZTI_SZ_FINALISTS];  /* number of values of these tiles */
};

/* The tally of the codebooks' pass; it is followed by a histogram for each book. */
struct zti_sz_counts {
    uint64_t rice_bits; /* estimate for the same integers in Rice codes */
};

struct zti_sz_model {
    struct zti_codebook book[ZTI_SZ_BOOKS];
    struct zti_huffman_decoder decoder[ZTI_SZ_BOOKS]; /* decoding only */
    uint8_t *head;                                    /* the books' tables; encoding only */
    struct zti_sz_counted *counted;                   /* each tile; encoding only, or NULL */
};

/* An instance of the tile coder, for one instruction set. */
struct zti_sz_ops {
    void (*encode)(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *writer);
    /* if view is NULL, the tiles are skipped */
    void (*decode)(const struct zti_coding *coding, struct zti_bit_reader *reader, uint64_t first,
                   uint64_t last, const struct zti_view *view);
    void (*decode_runs)(const struct zti_coding *coding, const uint8_t *base, uint64_t *at,
                        uint32_t runs, uint64_t first, uint32_t run_tiles,
                        const struct zti_view *view);
    /* Add the bits of a tile of at most ZTI_SZ_BOX_VALUES with each set of axes, unless bits is
     * NULL; set its base. */
    void (*sample)(const struct zti_coding *coding, const struct zti_array *array, uint64_t tile,
                   uint64_t *bits, int64_t *base);
    /* Add the bits of a tile in Rice codes if its groups are runs, and if they are blocks; returns
     * its number of values. */
    uint64_t (*try_groups)(const struct zti_coding *coding, const struct zti_array *array,
                           uint64_t tile, uint64_t *bits);
    /* Count the symbols of a tile; 'next' is the tile that is counted next, or the end of the
     * tiles. */
    void (*count)(const struct zti_coding *coding, const struct zti_array *array, uint64_t tile,
                  uint64_t next, struct zti_sz_counts *counts);
};

extern const struct zti_sz_ops zti_sz_plain;
extern const struct zti_sz_ops zti_sz_avx2;
extern const struct zti_sz_ops zti_sz_avx512;

/* The instance for a coding's instruction set. */
const struct zti_sz_ops *zti_sz_ops_of(const struct zti_coding *coding);

extern const struct zti_codec zti_codec_sz;
extern const struct zti_learning zti_sz_learning;
extern const struct zti_planning zti_sz_planning; /* planning.c */

/* ---- params.c ---- */

/* Whether the number of bins is valid: even, from 4 to 65,536. */
static inline bool zti_sz_are_bins(uint64_t bins)
{
    return bins >= 4 && bins <= ZTI_HUFFMAN_MAX_ALPHABET && bins % 2 == 0;
}

/* What zt_params_set_sz has set: the method, which may be none, and cuSZ's bins or the default. */
uint32_t zti_sz_method(const zt_params *params);
uint32_t zti_sz_cusz_bins(const zt_params *params);

static inline bool zti_sz_is_cusz(const zt_params *params)
{
    return zti_sz_method(params) == ZT_SZ_CUSZ;
}

static inline bool zti_sz_is_transform(const zt_params *params)
{
    return zti_sz_method(params) == ZT_SZ_TRANSFORM;
}

static inline bool zti_sz_is_prediction(const zt_params *params)
{
    return zti_sz_method(params) == ZT_SZ_PREDICTION;
}

static inline bool zti_sz_is_multiples(const zt_params *params)
{
    return zti_sz_method(params) == ZT_SZ_MULTIPLES;
}

/* What zt_params_set_sz_ways has set, which may be no ways. */
uint32_t zti_sz_ways(const zt_params *params);

/* Cut the array into tiles of about ZTI_SZ_TILE_VALUES values, as long as possible along the axes
 * that differences are taken along. */
void zti_sz_set_grid(struct zti_coding *coding);

/* ---- source.c: before the first pass ---- */

enum { ZTI_SZ_SOURCE_VALUES = 48 * 64 }; /* samples, at most */

/* Whether an array of floats without loss may have keys; choose them, from samples. */
ZTI_STATIC bool zti_sz_may_have_keys(const struct zti_coding *coding)
{
    return sz_of(coding)->source == ZTI_SZ_BITS && sz_of(coding)->coder == ZTI_SZ_DEFAULT;
}

/* Draw runs of neighbouring values at irregular distances; if the array is small, all of it. Sets
 * first[i] to the number, in C order, of run i's first value, and *n to the number of values. */
zt_status zti_sz_draw(zt_context *context, const struct zti_array *array, uint32_t length,
                      uint64_t *first, double *values, uint32_t *n);

zt_status zti_sz_choose_source(zt_context *context, struct zti_coding *coding,
                               const struct zti_array *array);

/* Whether numbers that only effort high has for floats without loss are far smaller than the keys
 * that were found: of distinct values, or of steps of lattices. Samples tell. */
zt_status zti_sz_is_packed(zt_context *context, const struct zti_array *array,
                           const struct zti_found *found, bool *is_packed);

/* The source and its parameters as a number, and back. */
int64_t zti_sz_source_number(const struct zti_sz *sz);
void zti_sz_set_source(struct zti_sz *sz, int64_t number);

/* ---- lorenzo/axes.c: two passes over samples ---- */

void zti_sz_axes_tally(const struct zti_coding *coding, const struct zti_sz_ops *ops, uint32_t pass,
                       const struct zti_array *array, uint64_t first, uint64_t last,
                       struct zti_sz_tally *tally);
void zti_sz_axes_merge(struct zti_sz_tally *into, const struct zti_sz_tally *from);
void zti_sz_axes_learn(struct zti_coding *coding, uint32_t pass, const struct zti_sz_tally *tally);

/* zti_holes' learn: choose the axes for the values after holes are fitted. */
bool zti_sz_learn_holes(const struct zti_sz_ops *ops, struct zti_coding *coding,
                        const struct zti_array *array, const uint64_t *holes);

/* ---- lorenzo/books.c: codebooks ---- */

/* The most bytes of a stream's head. */
uint64_t zti_sz_head_most(const struct zti_coding *coding);

size_t zti_sz_count_bytes(const struct zti_coding *coding);
void zti_sz_count(const struct zti_coding *coding, struct zti_sz_counts *counts, uint32_t book,
                  const uint16_t *symbols, size_t n);
void zti_sz_merge_counts(const struct zti_coding *coding, struct zti_sz_counts *into,
                         const struct zti_sz_counts *from);

/* Add counts made elsewhere: those of each book's symbols, then the bits in Rice codes. */
#ifdef __cplusplus
extern "C"
#endif
    void
    zti_sz_add_counts(const struct zti_coding *coding, struct zti_sz_counts *counts,
                      const uint64_t *more);

/* The share of the tiles that is counted: 1 in how many. */
ZTI_STATIC uint32_t zti_sz_part_of(uint32_t coder, uint64_t tiles)
{
    return coder == ZTI_SZ_CUSZ || tiles < 192 ? 1 : tiles < 768 ? 4 : 8;
}

ZTI_STATIC uint32_t zti_sz_count_part(const struct zti_coding *coding)
{
    return zti_sz_part_of(sz_of(coding)->coder, coding->grid.count);
}

ZTI_STATIC bool zti_sz_is_counted(uint64_t tile, uint32_t part)
{
    return (uint32_t)(tile * UINT32_C(2654435769)) <= UINT32_MAX / part;
}

/* Before symbols are counted: if those of all tiles are, have what is found kept to encode them. */
zt_status zti_sz_keep_counted(zt_context *context, struct zti_coding *coding);

/* How often a symbol is expected in all tiles. Where a part is counted, any symbol may occur, and
 * needs a code. */
ZTI_STATIC uint64_t zti_sz_expected(uint64_t count, uint32_t part)
{
    return part > 1 ? count * part + 1 : count;
}

/* Make coding->model; or, if all tiles are counted and Rice codes are shorter, change to effort
 * 'fast'. */
zt_status zti_sz_learn_books(zt_context *context, struct zti_coding *coding,
                             struct zti_sz_counts *counts);

void zti_sz_encode_head(const struct zti_coding *coding, uint8_t *head);
zt_status zti_sz_decode_head(zt_context *context, struct zti_coding *coding, const uint8_t *head);
void zti_sz_forget(zt_context *context, struct zti_coding *coding);

/* The fineness of logarithms that keeps the error of each value within 'part' of it; 0 if coding
 * the values' bits is as good. */
uint64_t zti_sz_fineness(uint32_t type, double part);

/* ---- interp/smooth.c ---- */

/* Whether the values of an array, which may be in a GPU's memory, are smooth beside the bound, so
 * that effort default interpolates them; false if the coding does not ask. */
#ifdef __cplusplus
extern "C"
#endif
    zt_status
    zti_sz_is_smooth(zt_context *context, const struct zti_coding *coding,
                     const struct zti_array *array, bool *is_smooth);

/* ---- exact.c: exact values of a tile ---- */

/* Write which of n values are exact, and these values, of value_bytes each; returns the end. */
uint8_t *zti_sz_encode_exact(uint8_t *to, const uint64_t *is_exact, uint32_t n, const void *values,
                             size_t value_bytes);

/* Read which of n values are exact, from bytes up to 'end'; *values points to the first exact
 * value. Returns the end of the values, or NULL if the bytes are not valid. */
const uint8_t *zti_sz_decode_exact(const uint8_t *from, const uint8_t *end, uint32_t n,
                                   size_t value_bytes, uint64_t *is_exact, const uint8_t **values);

/* ---- holes.c ---- */

/* zti_holes' fit, for differences along the coding's axes. */
void zti_sz_fit_holes(const struct zti_coding *coding, const struct zti_array *array,
                      const uint64_t *holes, uint64_t first, uint64_t last);

/* ---- marks.c: which values of a tile of logarithms are zero, and which are negative ---- */

enum { ZTI_SZ_MARKS_MOST_BYTES = 2 * (2 + ZTI_SZ_TILE_VALUES / 8) };

/* Write both marks; returns the end. Some bytes after it are overwritten. */
uint8_t *zti_sz_encode_marks(uint8_t *to, const uint64_t *is_zero, const uint64_t *is_negative,
                             uint32_t n, uint32_t row);

/* Read both marks from bytes up to 'end' (eight more are readable); returns their end, or NULL if
 * they are not valid. */
const uint8_t *zti_sz_decode_marks(const uint8_t *from, const uint8_t *end, uint32_t n,
                                   uint32_t row, uint64_t *is_zero, uint64_t *is_negative);

#endif
