/* kernels.h: what kernels do of the coding of a tile whose values are in a GPU's memory, as the
 * coder of tiles asks for it. The host decides, makes models of counts, and writes what stands
 * before symbols (choose.h, tile.h); values, coefficients, symbols and codes stay on the GPU.
 *
 *     make_symbols       values of a box to coefficients, multiples, symbols; counts come back
 *     code_parts         symbols to codes; the lengths of parts come back
 *     find_corrections   multiples to values again, and what these need; counts come back
 *     code_chunks        corrections to codes; the lengths of chunks come back
 *     join               all of a tile to its place in the stream
 *
 * Each works on what those before it left, and waits for its results. */
#ifndef ZTI_SZ_TRANSFORM_KERNELS_H
#define ZTI_SZ_TRANSFORM_KERNELS_H

#include "codec/sz/transform/corrections.h"
#include "codec/sz/transform/read_front.h"

/* A part of a tile, or a chunk of corrections: its codes and open bits. */
struct zti_tf_part {
    size_t at, symbols; /* in the list of symbols; encoding only */
    uint64_t open_bits;
    size_t open_bytes, code_bytes;
    const uint8_t *codes, *open;
    size_t exact, exact_bytes; /* of a chunk: exact values */
};

/* Sums over the coefficients of a tile, by octave: how far magnitudes of 1, 2 and others are from
 * their multiple of the step, in parts of a step (1 / ZTI_TF_OFF_PARTS), and how many there are. */
struct zti_tf_tally {
    int64_t off[ZTI_TF_OCTAVES][ZTI_TF_CENTROIDS];
    uint32_t times[ZTI_TF_OCTAVES][ZTI_TF_CENTROIDS];
    uint64_t open_bits; /* signs, and bits that symbols leave open */
    bool is_over;       /* a magnitude has no symbol */
};

/* The encoder's table of ANS: entries of models' symbols, then states. */
struct zti_tf_table {
    const void *bytes;
    size_t size;
};

/* The bytes of a coded tile: what stands before the parts, from the tile's first byte on; before
 * the chunks of corrections; and where parts and chunks are behind these. */
struct zti_tf_joined {
    uint8_t *head, *tail; /* memory of the kernels' for them */
    size_t head_bytes, tail_bytes, parts_bytes, chunks_bytes;
    uint32_t parts, chunks;
    const struct zti_tf_part *part, *chunk;
};

struct zti_tf_kernels {
    bool has_failed; /* nothing that comes back means anything */
    struct zti_tf_joined joined;

    /* zti_array_is_flat of a box of the array. */
    bool (*is_flat)(struct zti_tf_kernels *k, const uint64_t *origin, const uint64_t *shape,
                    double most);

    /* False: not all values are finite. counts: of contexts' symbols. */
    bool (*make_symbols)(struct zti_tf_kernels *k, const uint64_t *origin,
                         const struct zti_tf_layout *layout, double step, uint32_t shift,
                         uint32_t (*counts)[ZTI_LL_ALPHABET], struct zti_tf_tally *tally);
    void (*code_parts)(struct zti_tf_kernels *k, const struct zti_tf_table *table,
                       const uint8_t *model_of, uint32_t parts, struct zti_tf_part *part);

    /* False: there are too many in a chunk. counts: of gaps and steps. */
    bool (*find_corrections)(struct zti_tf_kernels *k, const struct zti_tf_front *front,
                             uint32_t chunks, struct zti_tf_part *chunk,
                             uint32_t (*counts)[ZTI_LL_ALPHABET]);
    void (*code_chunks)(struct zti_tf_kernels *k, const struct zti_tf_table *table, uint32_t chunks,
                        struct zti_tf_part *chunk);

    /* Write the tile, or the values of a box as they are. */
    void (*join)(struct zti_tf_kernels *k);
    void (*write_raw)(struct zti_tf_kernels *k, const uint64_t *origin,
                      const struct zti_tf_layout *layout);
};

#ifdef __cplusplus
extern "C" {
#endif

/* Code a tile of a coding by kernels, and let them write it. */
void zti_tf_encode_by(struct zti_tf_kernels *kernels, const struct zti_coding *coding,
                      const uint64_t *origin, const uint32_t *extent);

#ifdef __cplusplus
}
#endif

#endif
