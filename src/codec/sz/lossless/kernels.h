/* kernels.h: what kernels do of the coding of a tile whose values are in a GPU's memory, as the
 * coder of tiles asks for it. The host decides, from samples and counts, makes models, and writes
 * what stands before symbols (choose.h, tile.h); values, keys, residuals and symbols stay on the
 * GPU. A function works on what those before it left, and waits for its results, but for 'finish'
 * and 'put_raw': these leave a tile to be coded and placed with others. */
#ifndef ZTI_SZ_LOSSLESS_KERNELS_H
#define ZTI_SZ_LOSSLESS_KERNELS_H

#include "codec/sz/lossless/read_front.h"

/* Values of a tile in the order of coding, those of rows dim[0] to dim[2], and of columns dim[3].
 */
struct zti_ll_box {
    uint32_t at[4], dim[4];
};

/* Values of each exponent that are not 'none', all or those of some pieces; and their mantissas'
 * bits together. */
struct zti_ll_exponents {
    uint32_t count[ZTI_LL_EXPONENTS];
    uint64_t bits[ZTI_LL_EXPONENTS];
};

/* Low bits that are zero are first looked for in pieces: so many values, and from the beginning of
 * one piece to that of the next. */
enum { ZTI_LL_PIECE_VALUES = 64, ZTI_LL_PIECES_APART = 512 };

#define ZTI_LL_LEAST_MAGNITUDE 1e-290 /* of decimals that have a decade */

/* Where value 0 of a row of a box is in the order of coding. */
ZTI_STATIC size_t ll_box_row(const struct zti_ll_shape *s, const struct zti_ll_box *box,
                             uint32_t row)
{
    const uint32_t y = box->at[2] + row % box->dim[2], plane = row / box->dim[2];
    const uint32_t z = box->at[1] + plane % box->dim[1], t = box->at[0] + plane / box->dim[1];
    return ((size_t)(t * s->dim[1] + z) * s->dim[2] + y) * s->width + box->at[3];
}

/* A table of distinct values has four places for each that may be in it; where one is looked for
 * first. */
enum { ZTI_LL_DISTINCT_BITS = 14 };

ZTI_STATIC uint32_t ll_place_of_distinct(uint64_t ranked)
{
    return (uint32_t)(ranked * ZTI_LL_HASH_FACTOR >> (64 - ZTI_LL_DISTINCT_BITS));
}

/* A tile that is coded but for its codes. */
struct zti_ll_coded {
    size_t most; /* a raw tile's */
    size_t front_bytes, code_bytes, open_bytes, rest_bytes;
};

/* The encoder's table of ANS. */
struct zti_ll_table {
    const void *bytes;
    size_t size;
};

struct zti_ll_kernels {
    bool has_failed;                    /* nothing that comes back means anything */
    uint32_t contexts[ZTI_LL_CONTEXTS]; /* what make_symbols counted, of four values in sixteen */
    uint8_t *front;                     /* memory of the kernels' for a front with its tables */

    /* Bring a tile's values, or numbers of multiples, to the order of coding. False: one has no
     * multiple within the bound. */
    bool (*bring)(struct zti_ll_kernels *k, const uint64_t *origin, const uint32_t *extent,
                  const struct zti_ll_shape *shape);

    /* Values, bits of the width that is coded: n of them, 'every' apart; and those of n boxes. */
    void (*sample)(struct zti_ll_kernels *k, uint32_t first, uint32_t every, uint32_t n, void *to);
    void (*boxes)(struct zti_ll_kernels *k, const struct zti_ll_box *box, uint32_t n, void *to);

    uint32_t (*count_equal)(struct zti_ll_kernels *k, uint64_t bits);
    void (*count_exponents)(struct zti_ll_kernels *k, bool is_all, uint64_t none,
                            struct zti_ll_exponents *to);
    double (*least)(struct zti_ll_kernels *k); /* magnitude above 1e-290, or infinity */

    /* Distinct values, as they are ranked, in any order: at most ZTI_LL_MOST_RANKS. Returns how
     * many there are, or one more than that. */
    uint32_t (*distinct)(struct zti_ll_kernels *k, uint64_t *list);

    /* Which rows repeat rows: the transform's mirror, and its source and how of each row. Returns
     * about how many values these have in common: 0, and nothing is set, where too few values occur
     * in more than one row, or few pairs do and it is not known that rows repeat rows. */
    size_t (*find_rows)(struct zti_ll_kernels *k, bool is_known, struct zti_ll_transform *t);

    /* Keys and marks of a transform: returns the bits beside residuals. */
    uint64_t (*make_keys)(struct zti_ll_kernels *k, const struct zti_ll_transform *t,
                          bool *has_marks);
    /* Keys of n values' taps, before and own, then their own keys: [taps + 1][n]; and whether any
     * of them has a mark. */
    void (*points)(struct zti_ll_kernels *k, uint32_t regime, const uint32_t *value, uint32_t n,
                   void *keys, uint8_t *marked);
    /* Residuals by a predictor, symbols and contexts: returns the bits that symbols leave open. */
    uint64_t (*make_symbols)(struct zti_ll_kernels *k, const struct zti_ll_transform *t,
                             const struct zti_ll_predictor *p, bool *has_signs);
    void (*count_symbols)(struct zti_ll_kernels *k, const uint8_t *group_of, uint32_t groups,
                          uint32_t (*counts)[ZTI_LL_ALPHABET]);

    /* Code and place the tile, whose front is in 'front', unless a raw one is shorter; or place the
     * tile's values as they are. */
    void (*finish)(struct zti_ll_kernels *k, const struct zti_ll_coded *coded,
                   const uint8_t *model_of, const struct zti_ll_table *table);
    void (*put_raw)(struct zti_ll_kernels *k);
};

#ifdef __cplusplus
extern "C" {
#endif

/* Code a tile of a coding by kernels. */
void zti_ll_encode_by(struct zti_ll_kernels *kernels, const struct zti_coding *coding,
                      const uint64_t *origin, const uint32_t *extent);

/* Begin a tile at its place, its first byte to its parts' lengths; returns how many bytes these
 * take, or 0 where a raw tile is shorter. */
size_t zti_ll_begin_tile(const struct zti_ll_coded *coded, uint8_t *to);

#ifdef __cplusplus
}
#endif

#endif
