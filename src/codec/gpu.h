/* gpu.h: what a codec is to the cuda policy: kernels over all tiles of an array in the device's
 * memory, queued and not waited for. What they write is what the functions of codec.h write. */
#ifndef ZTI_GPU_H
#define ZTI_GPU_H

#include "codec/codec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pointers are to the device's memory, but for codings. */
struct zti_cuda_encoding {
    const struct zti_coding *coding; /* its grid is the array's, perhaps a slab of a larger one */
    struct zti_array array;
    uint64_t *words;     /* the stream; room for all tiles at their largest and a word */
    uint32_t start_bits; /* where the first tile goes: bit of words, 0..7 */
    uint64_t *starts;    /* NULL, or: where chunks begin, in bits from the first tile */
    uint32_t chunk_tiles;
    uint64_t first_tile; /* the number of the array's first tile; chunks that begin before it are
                            not noted, and starts[0] is of the first one that is */
    const struct zti_coding *whole; /* of the larger one */
    const void *model;              /* what zti_cuda_learning says, or NULL */
    void *work;                     /* as many bytes as work_bytes says of that */
    uint8_t *unproven; /* NULL, or: a byte a tile, 1 where the codec does not vouch for it */
    uint64_t *states;  /* zeroed; afterwards states[1] is the bits of all tiles, unless each
                          takes the same */
    void *queue;
};

/* A chunk of which it is not known where it must end. */
#define ZTI_CUDA_ANY_END UINT64_MAX

struct zti_cuda_decoding {
    const struct zti_coding *coding; /* of the whole array */
    struct zti_view view;            /* may be a part of it */
    const uint64_t *words;           /* of the stream */
    uint64_t words_count;            /* zeros are read beyond */
    const uint64_t *places; /* two numbers a chunk: bits of words where it begins, and where it must
                               end. NULL where all tiles take the same: tile 0 begins at bit
                               first_bits, which may lie before words */
    int64_t first_bits;
    const uint64_t *chunks; /* the numbers of the chunks wanted, or NULL: from first_chunk on */
    uint64_t first_chunk;
    uint64_t count; /* of chunks */
    uint32_t chunk_tiles;
    const void *model; /* what zti_cuda_learning says, or NULL */
    void *work;        /* as many bytes as work_bytes says */
    uint64_t *states;  /* zeroed; afterwards [0]: count less the least i whose chunk i does not
                          end where it must, or 0; [1]: the bit where the last chunk ends */
    void *queue;
};

/* What each codec's own arguments of kernels have of these, by the same names: stream, places and
 * chunks. 'words' is there for both directions, and only read when decoding. */
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
    return each > 0 ? first / each + (first % each != 0) : 0;
}

/* What is to be counted in all tiles of an array, which may be a slab of a larger one. */
struct zti_cuda_counting {
    const struct zti_coding *coding; /* of the larger one */
    struct zti_grid grid;            /* of this one */
    struct zti_array array;
    uint64_t first_tile; /* its number in the larger one */
    const void *model;   /* what the codec learnt before this pass, or NULL */
    void *work;          /* as many bytes as work_bytes says of the larger one */
    uint64_t *counts;    /* to be added to */
    void *queue;
};

/* For codecs that learn something from the values before they code the first. */
struct zti_cuda_learning {
    /* What was learnt, in the form that kernels read: its bytes, 0 where there is nothing, and the
     * bytes themselves, in memory of the host that is aligned to 8. */
    uint64_t (*model_bytes)(const struct zti_coding *coding);
    void (*put_model)(const struct zti_coding *coding, void *memory);

    /* Passes over all tiles (tally in codec.h) that are counting: the numbers that are counted in a
     * pass, 0 where it is none; the kernels; and adding what they counted to a tally. */
    uint64_t (*counters)(const struct zti_coding *coding, uint32_t pass);
    void (*count)(const struct zti_cuda_counting *c);
    void (*add_counts)(const struct zti_coding *coding, const uint64_t *counts, void *tally);

    /* Bytes of ZTI_DEVICE_MODEL that learning from tallies takes, where kernels help with it. */
    uint64_t (*learn_bytes)(const struct zti_coding *coding);
};

struct zti_cuda_codec {
    bool adds_to_first_word; /* of words, which is zeroed but for start_bits bits */
    /* Whether there are kernels for a coding; the rest is for the host. */
    bool (*has_kernels)(const struct zti_coding *coding);
    /* How many words of states encode needs to code a number of tiles. */
    uint64_t (*state_words)(const struct zti_coding *coding, uint64_t tiles);
    void (*encode)(const struct zti_cuda_encoding *e);
    void (*decode)(const struct zti_cuda_decoding *d);
    /* Memory that kernels work in; NULL: none. It is theirs from their launch to their end. */
    uint64_t (*work_bytes)(const struct zti_coding *coding);
    const struct zti_cuda_learning *learning; /* NULL: nothing is learnt by kernels */
};

/* The kernels of the codec with this zt_codec number, or NULL. */
const struct zti_cuda_codec *zti_cuda_codec_of(uint32_t id);

/* What it learns with kernels, or NULL. */
static inline const struct zti_cuda_learning *zti_cuda_learning_of(const struct zti_codec *codec)
{
    const struct zti_cuda_codec *const kernels = zti_cuda_codec_of(codec->id);
    return kernels ? kernels->learning : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
