/* gpu.h: the interface of a codec for the cuda policy: kernels over all tiles of an array in the
 * device's memory, which are queued and not waited for, but for a few (encode). They give the same
 * bytes as the functions of codec.h. */
#ifndef ZTI_GPU_H
#define ZTI_GPU_H

#include "codec/codec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arguments of encode. Pointers are to the device's memory, except those to codings. */
struct zti_cuda_encoding {
    const struct zti_coding *coding; /* its grid is the array's, perhaps a slab of a larger one */
    struct zti_array array;
    uint64_t *words;     /* the stream: room for all tiles at their largest and a word */
    uint64_t words_most; /* 0, or fewer words than that; only for codecs that keep to it */
    uint32_t start_bits; /* the bit of words where the first tile begins, 0..7 */
    uint64_t *starts;    /* NULL, or receives where chunks begin, in bits from the first tile */
    uint32_t chunk_tiles;
    uint64_t first_tile; /* number of the array's first tile in the larger array; starts[0] is that
                            of the first chunk that begins at or after it */
    const struct zti_coding *whole; /* of the larger array */
    const void *model;              /* what write_model stored, or NULL */
    void *work;                     /* scratch: work_bytes of 'whole' */
    uint8_t *unproven; /* NULL, or receives a byte for each tile: 1: its bound is not proved */
    uint64_t *states;  /* zeroed; states[1] becomes the bits of all tiles, unless all tiles have the
                          same */
    void *queue;
};

/* The end of a chunk whose end is not known. */
#define ZTI_CUDA_ANY_END UINT64_MAX

struct zti_cuda_decoding {
    const struct zti_coding *coding; /* of the whole array */
    struct zti_view view;            /* may be a part of the array */
    const uint64_t *words;           /* of the stream */
    uint64_t words_count;            /* words beyond are read as zeros */
    const uint64_t *places; /* two for each chunk: the bits of words where it begins and where it
                               must end. NULL if all tiles have the same size: tile 0 begins at bit
                               first_bits, which may lie before words */
    int64_t first_bits;
    const uint64_t *chunks; /* numbers of the wanted ones; NULL: consecutive from first_chunk */
    uint64_t first_chunk;
    uint64_t count; /* of chunks */
    uint32_t chunk_tiles;
    const void *model; /* what write_model stored, or NULL */
    void *work;        /* scratch: work_bytes */
    uint64_t *states; /* zeroed; [0] becomes 0 if all chunks end where they must, else count - i for
                         the first chunk i that does not; [1] the bit where the last chunk ends */
    void *queue;
};

/* Copy the fields about stream, places and chunks to a codec's own struct of kernel arguments,
 * where they have the same names. 'words' serves both directions; decoding only reads it. */
#define ZTI_CUDA_SET_ENCODING(to, e)                                                               \
    do {                                                                                           \
        (to)->words = (e)->words;                                                                  \
        (to)->states = (e)->states;                                                                \
        (to)->starts = (e)->starts;                                                                \
        (to)->chunk_tiles = (e)->chunk_tiles;                                                      \
        (to)->first_tile = (e)->first_tile;                                                        \
        (to)->first_chunk = zti_first_chunk_noted(e);                                              \
    } while (0)
#define ZTI_CUDA_SET_DECODING(to, d)                                                               \
    do {                                                                                           \
        (to)->view = (d)->view;                                                                    \
        (to)->words = (uint64_t *)(d)->words;                                                      \
        (to)->words_count = (d)->words_count;                                                      \
        (to)->states = (d)->states;                                                                \
        (to)->places = (d)->places;                                                                \
        (to)->chunks = (d)->chunks;                                                                \
        (to)->first_chunk = (d)->first_chunk;                                                      \
        (to)->count = (d)->count;                                                                  \
        (to)->chunk_tiles = (d)->chunk_tiles;                                                      \
    } while (0)

/* The first chunk that begins in the array. */
static inline uint64_t zti_first_chunk_noted(const struct zti_cuda_encoding *e)
{
    const uint64_t each = e->chunk_tiles, first = e->first_tile;
    return each > 0 ? zti_ceil_div(first, each) : 0;
}

/* Arguments of count: all tiles of an array, which may be a slab of a larger array unless the pass
 * is over samples. */
struct zti_cuda_counting {
    const struct zti_coding *coding; /* of the larger array */
    uint32_t pass;
    struct zti_grid grid; /* of this array */
    struct zti_array array;
    uint64_t first_tile; /* its number in the larger array */
    const void *model;   /* what the codec learnt in earlier passes, or NULL */
    void *work;          /* scratch: work_bytes of the larger array */
    uint64_t *counts;    /* counts are added to these */
    void *queue;
};

/* Kernels for codecs that make passes over the values before the first tile is coded. */
struct zti_cuda_learning {
    /* What was learnt, in the form that kernels read: its size (0: nothing), and the bytes, stored
     * to host memory aligned to 8. */
    uint64_t (*model_bytes)(const struct zti_coding *coding);
    void (*write_model)(const struct zti_coding *coding, void *memory);
    /* How many of the first of these bytes do not depend on passes, which may read them. */
    uint64_t (*known_bytes)(const struct zti_coding *coding);

    /* Passes that count, over all values or samples (tally of learning.h): the number of counters
     * of a pass (0: the pass has no kernels); the kernels; and a function that adds the counts to a
     * tally. */
    uint64_t (*counters)(const struct zti_coding *coding, uint32_t pass);
    void (*count)(const struct zti_cuda_counting *c);
    void (*add_counts)(const struct zti_coding *coding, uint32_t pass, const uint64_t *counts,
                       void *tally);

    /* Bytes of ZTI_DEVICE_MODEL that 'begin' and 'learn' need, and coding where that is not known
     * before 'begin'. */
    uint64_t (*learn_bytes)(const struct zti_coding *coding);
};

struct zti_cuda_codec {
    bool adds_to_first_word; /* kernels or bits into words[0], which must be zeroed except its first
                                start_bits bits */
    bool keeps_to_most;      /* encode writes no tile that reaches beyond words_most */
    /* What the address of the byte where encode's first tile begins is a multiple of; NULL: 8. */
    uint32_t (*align_bytes)(const struct zti_coding *coding);
    /* Whether there are kernels for a coding, both ways; if not, the host does it. */
    bool (*can_code)(const struct zti_coding *coding);
    /* Words of 'states' that encoding a number of tiles needs. */
    uint64_t (*state_words)(const struct zti_coding *coding, uint64_t tiles);
    /* Queue the kernels. Codings whose tiles are large may wait for results between them, through
     * context->device; those of calls without waiting do not. */
    zt_status (*encode)(zt_context *context, const struct zti_cuda_encoding *e);
    void (*decode)(const struct zti_cuda_decoding *d);
    /* Bytes of scratch for kernels, used between their launch and their end; NULL: none. */
    uint64_t (*work_bytes)(const struct zti_coding *coding);
    const struct zti_cuda_learning *learning; /* NULL: no passes by kernels */
};

/* The kernels of the codec with this zt_codec number, or NULL. */
const struct zti_cuda_codec *zti_cuda_codec_of(uint32_t id);

/* A codec's kernels for passes over values, or NULL. */
static inline const struct zti_cuda_learning *zti_cuda_learning_of(const struct zti_codec *codec)
{
    const struct zti_cuda_codec *const kernels = zti_cuda_codec_of(codec->id);
    return kernels ? kernels->learning : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
