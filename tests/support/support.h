/* support.h: what several test programs share: random numbers that are the same everywhere, arrays
 * with awkward strides and awkward values, hashes, whole files. */
#ifndef ZTILE_TEST_SUPPORT_H
#define ZTILE_TEST_SUPPORT_H

#include "ztile_sz.h"
#include "ztile_zfp.h"

#include <stdbool.h>
#include <stdio.h>

/* What a test exits with to be shown as skipped (SKIP_RETURN_CODE in CMake); it has printed a line
 * "SKIP: reason" before, which the summary of a test run repeats. */
enum { TEST_SKIPPED = 77 };

/* Long loops over cases of one kind take one in so many: all of them, but in the builds whose
 * sanitizers make a program many times slower and that are to end soon (ZTILE_SANITIZE QUICK and
 * THREAD). */
#if defined(ZTILE_TEST_SHARE)
enum { TEST_SHARE = ZTILE_TEST_SHARE };
#else
enum { TEST_SHARE = 1 };
#endif

/* The same for short loops whose cases take long: one in five. */
enum { TEST_STEP = TEST_SHARE == 1 ? 1 : 5 };

/* What tests go through as coders: the efforts, of 'high' prediction alone, and the other methods,
 * by the numbers that sz streams have for them, but for the last. */
enum {
    CODER_DEFAULT = 0,
    CODER_CUSZ = 1,
    CODER_FAST = 2,
    CODER_HIGH = 3,
    CODER_LOSSLESS = 4, /* what CODER_HIGH becomes */
    CODER_TRANSFORM = 5,
    CODER_MULTIPLES = 6 /* 4 in streams */
};

static inline void set_coder(zt_params *params, uint32_t coder)
{
    static const uint32_t efforts[] = {ZT_EFFORT_DEFAULT, ZT_EFFORT_DEFAULT, ZT_EFFORT_FAST,
                                       ZT_EFFORT_HIGH,    ZT_EFFORT_HIGH,    ZT_EFFORT_DEFAULT,
                                       ZT_EFFORT_DEFAULT};
    params->effort = efforts[coder];
    zt_params_set_sz(params,
                     coder == CODER_CUSZ        ? ZT_SZ_CUSZ
                     : coder == CODER_TRANSFORM ? ZT_SZ_TRANSFORM
                     : coder == CODER_MULTIPLES ? ZT_SZ_MULTIPLES
                     : coder == CODER_HIGH      ? ZT_SZ_PREDICTION
                                                : ZT_SZ_OWN,
                     0);
}

/* The coder of a file's sz streams; what is no sz has none. */
static inline uint32_t coder_of_info(const zt_info *info)
{
    zt_sz_info sz;
    return zt_info_sz(info, &sz) != ZT_OK ? UINT32_MAX
           : sz.method == ZT_SZ_CUSZ      ? CODER_CUSZ
           : sz.method == ZT_SZ_TRANSFORM ? CODER_TRANSFORM
           : sz.method == ZT_SZ_MULTIPLES ? CODER_MULTIPLES
           : sz.effort == ZT_EFFORT_FAST  ? CODER_FAST
           : sz.effort == ZT_EFFORT_HIGH  ? CODER_HIGH
                                          : CODER_DEFAULT;
}

/* The parameters of a file's zfp streams. */
static inline zt_zfp zfp_of_info(const zt_info *info)
{
    zt_zfp zfp;
    (void)zt_zfp_init(&zfp, sizeof zfp);
    (void)zt_info_zfp(info, &zfp, NULL);
    return zfp;
}

/* Decode a zfp stream by an index that is there, or make the one that there is room for. */
static inline zt_status decode_or_index(zt_context *context, const void *data, size_t data_bytes,
                                        const zt_zfp *zfp, zt_zfp_index *index, const zt_array *out,
                                        size_t *consumed_bytes)
{
    return index && index->index_bytes == 0 && index->bytes
               ? zt_zfp_decompress_and_index(context, data, data_bytes, zfp, index, out,
                                             consumed_bytes)
               : zt_zfp_decompress_indexed(context, data, data_bytes, zfp, index, out,
                                           consumed_bytes);
}

/* ---- random numbers: splitmix64 ---- */

struct rng {
    uint64_t state;
};

uint64_t rng_next(struct rng *r);
/* Uniform in [0, n), n > 0. */
uint64_t rng_below(struct rng *r, uint64_t n);
/* Uniform in [0, 1). */
double rng_unit(struct rng *r);
/* True once in n calls. */
bool rng_once_in(struct rng *r, uint64_t n);

/* One number of 64 bits from two: to give case 'n' of a run with a seed its own generator. */
uint64_t mix64(uint64_t a, uint64_t b);

/* The time of day and process number, for runs whose seed was not given. */
uint64_t seed_of_today(void);

/* Which random cases run: --seed N, --cases N, --only N. */
struct case_range {
    uint64_t seed, first, cases;
};

/* Take one of these options and its value; false for others. */
bool take_case_option(const char *name, const char *value, struct case_range *range);

/* ---- hashes ---- */

uint64_t fnv1a64(const void *data, size_t bytes);

/* ---- what values an array holds ---- */

enum data_kind {
    DATA_SMOOTH,     /* a wave */
    DATA_RAMP,       /* linear in the coordinates */
    DATA_NOISE,      /* uniform around 0 */
    DATA_WAVE_NOISE, /* a wave and a little noise */
    DATA_SPARSE,     /* mostly zeros */
    DATA_CONSTANT,
    DATA_ZEROS,     /* for floats some of them negative */
    DATA_WIDE,      /* any exponent of the type */
    DATA_EXTREME,   /* near the largest values of the type */
    DATA_DENORMAL,  /* floats: subnormals and near them; integers: 0, 1, -1 */
    DATA_BITS,      /* random bits of the whole word; floats: finite ones */
    DATA_FEW_BITS,  /* multiples of a power of two: trailing zeros */
    DATA_SPIKE,     /* one large value among small ones */
    DATA_OFFSET,    /* small noise on a large constant */
    DATA_NONFINITE, /* noise with NaN and infinities; integers: as DATA_BITS */
    DATA_ANY_BITS,  /* random bits, NaN payloads and all */
    DATA_STEPS,     /* a few levels far apart, in runs */
    DATA_KINDS
};

const char *data_kind_name(enum data_kind kind);

/* True if floats of this kind can be NaN or infinite. */
bool data_kind_is_nonfinite(enum data_kind kind);

/* ---- arrays ---- */

/* An array in memory of its own, with what lies between its elements set to a pattern. */
struct test_array {
    zt_array array;
    unsigned char *memory; /* from malloc */
    size_t memory_bytes;
};

uint64_t values_of(uint32_t rank, const uint64_t *shape);
int64_t reach_of(uint32_t rank, const uint64_t *shape, const int64_t *stride, int64_t *lowest);

/* Random strides for a shape: the axes in any order in memory, each direction either way, gaps.
 * No two elements share a place. */
void random_strides(struct rng *r, uint32_t rank, const uint64_t *shape, int64_t *stride);
void contiguous_strides(uint32_t rank, const uint64_t *shape, int64_t *stride);

/* Memory for an array, all of it filled with the pattern. Exits the program if there is none. */
struct test_array test_array_new(uint32_t type, uint32_t rank, const uint64_t *shape,
                                 const int64_t *stride);
void test_array_free(struct test_array *a);

/* Fill an array with values of a kind, chosen by data_seed and nothing else. */
void fill_array(const zt_array *array, enum data_kind kind, uint64_t data_seed);

static inline size_t array_bytes(const zt_array *a)
{
    return (size_t)values_of(a->rank, a->shape) * zt_type_bytes(a->type);
}

/* Set element i of contiguous memory to bits, or to a number as the type has it. */
void set_bits(const zt_array *array, uint64_t i, uint64_t bits);
void set_number(const zt_array *array, uint64_t i, double x);

/* Copy all elements, in C order, to or from contiguous memory. */
void gather(const zt_array *array, void *out);

/* The slices [first, first + extent) of an array; and what begins at an element of it. */
zt_array slab_of(const zt_array *array, uint64_t first, uint64_t extent);
void *place_of(const zt_array *array, const uint64_t *at);

void scatter(const zt_array *array, const void *in);

/* True if every byte that belongs to no element still has the pattern. */
bool gaps_are_untouched(const struct test_array *a);

/* How many values are NaN or infinite; the two numbers apart go to *nan and *inf where these are
 * not NULL. */
uint64_t count_nonfinite(const zt_array *array, uint64_t *nan, uint64_t *inf);

/* |decoded - original| <= bound in exact arithmetic, for two elements of a type; also true where
 * both are the same bits. No code of the library's. */
bool is_within_exactly(uint32_t type, const void *original, const void *decoded, double bound);

/* |decoded - original| <= part |original| of two floats or doubles, part below 0.99, in whole
 * numbers only; zero stays zero, and its sign. Also true where both are the same bits. */
bool is_within_part_exactly(uint32_t type, const void *original, const void *decoded, double part);

/* The least and the greatest finite value; NaN if there is none. int64 is rounded to double. */
void range_of(const zt_array *array, double *min, double *max);

/* Give a context the serial policy or omp with some threads and grain, and an instruction set to
 * stay within, by chance; omp is left out where the build has none. What a library call gives must
 * not depend on it. */
void random_policy(struct rng *r, zt_context *context);

/* ---- text and files ---- */

const char *type_name(uint32_t type);    /* "f32" */
uint32_t type_of_name(const char *name); /* 0 if none */

/* "5x3x7" and "21,7,-1" into text (at least 96 bytes); return text. */
char *shape_text(uint32_t rank, const uint64_t *shape, char *text);
char *stride_text(uint32_t rank, const int64_t *stride, char *text);

/* A whole file in memory from malloc, or NULL. */
unsigned char *read_file(const char *path, size_t *bytes);

/* malloc that ends the program where there is no memory. */
void *need(size_t bytes);

#endif
