/* codec.h: what a codec is to the rest of the library: a table of functions over tiles. A codec
 * does not know which thread runs it, nor how a decoder finds its tiles. What only some codecs do
 * is in tables of their own: learning.h, planning.h, holes.h, batch.h; kernels in gpu.h. */
#ifndef ZTI_CODEC_H
#define ZTI_CODEC_H

#include "array/array.h"
#include "bits/bits.h"

#include <math.h>

struct zti_codec;

/* Values that the cuda policy brought to the device to look at them, and did not overwrite since:
 * slabs in the two parts ZTI_DEVICE_VALUES. */
struct zti_kept {
    uint64_t number; /* the device's values_number; 0: there are none */
    struct {
        const void *from; /* in the host's memory */
        uint64_t bytes;
        void *there;
    } slab[2];
};

/* What a run of tiles needs beside the coding, which exec sets and no file has: zeros are plain C
 * on one thread. */
struct zti_run {
    uint32_t isa;     /* zt_isa that encode, decode and skip may use */
    bool is_streamed; /* what is written is too much for the caches to be found there again */
    uint8_t *room;    /* decoding: memory of this thread's where tiles may be put together on their
                         way to the view, or NULL */
    size_t room_bytes;
    struct zti_kept kept; /* of the array that was surveyed, until it is encoded */
};

enum { ZTI_NUMBERS_BYTES = 128 };

/* How one stream is coded: fixed before its first tile, and enough to decode it. */
struct zti_coding {
    const struct zti_codec *codec;
    uint32_t type;        /* zt_type */
    struct zti_grid grid; /* of the stream's own array: a slab, not the whole */
    union {
        uint8_t bytes[ZTI_NUMBERS_BYTES];
        uint64_t aligned;
    } numbers;             /* the codec's own struct */
    uint32_t loose_planes; /* that are dropped beyond what the bound allows for any values: nothing
                              is vouched for; while coding only */
    double verify_bound;   /* error that the encoder must prove or verify; NaN: none */
    bool is_of_value;      /* it is a part of each value's magnitude, not absolute */
    void *model;           /* what the codec learnt from the values, or read in the stream's head;
                              NULL for codecs that have none */
    struct zti_run run;
};

/* What was found out of an array before it is coded, so that the codec need not look for it. */
struct zti_found {
    bool has_axes;   /* along which axes it is predicted: */
    uint32_t axes;   /* bit i: axis i of the coded array */
    bool has_rest;   /* and what else the codec would look for, */
    int64_t rest[2]; /* in numbers of its own */
};

/* The target of a stream: what a codec is to keep to. */
struct zti_target {
    const zt_params *params;
    zt_bound_kind kind; /* ZT_ABS for rel and psnr as well; ZT_LOSSLESS where a bound is 0, or less
                           than the type can tell */
    double abs_bound;   /* ZT_ABS only */
    double part;        /* ZT_PWREL only: of each value's magnitude; below 1 */
    uint32_t choice;    /* ZT_PWREL only: of the codec's ways to keep it (planning.h) */
    uint32_t loose_planes; /* ZT_ABS only: to be dropped beyond what the bound allows for */
    struct zti_found found;
    uint64_t special_values; /* of the array, which are taken out before it is coded */
    double min, max;         /* of the stream's finite values; NaN where there are none or where the
                                values are not known yet (sizes are asked for) */
};

/* Lengths that follow from a coding. */
struct zti_sizes {
    uint64_t tile_min_bits, tile_max_bits; /* the least and the most that a tile can take */
    uint64_t tile_reach_bits; /* the most that decoding one looks at; less where tiles are padded */
    uint64_t tile_fixed_bits; /* what each takes where all take the same, else 0 */
    uint32_t align_bits;      /* the stream ends at a multiple of it */
    uint32_t unit_bits;       /* what index offsets count */
    uint32_t piece_bytes; /* of tiles that a thread codes at a time, at most; 0: as the policy sees
                             fit */
    uint32_t room_bytes;  /* of room (zti_run) that decoding would rather have */
};

enum { ZTI_CODEC_PARAMS_BYTES = 32 };

/* Optional tables; NULL where a codec has none. */
struct zti_tables {
    const struct zti_learning *learning;
    const struct zti_planning *planning;
    const struct zti_holes *holes;
    const struct zti_batch *batch;
};

struct zti_codec {
    const char *name;
    uint32_t id; /* zt_codec */

    /* Values of a tile along each axis, by the array's rank. Slabs are cut at multiples of the
     * first. */
    const uint32_t (*tile_shape)[ZT_MAX_RANK]; /* [rank - 1][axis] */

    /* Tiles a chunk of the default index. */
    uint32_t (*chunk_tiles)(uint32_t rank);

    /* Fill coding->numbers and verify_bound; type and grid are there. ZT_BAD_ARG or ZT_UNSUPPORTED,
     * with a sentence, where the codec cannot do what is asked. */
    zt_status (*configure)(zt_context *context, const struct zti_target *target,
                           struct zti_coding *coding);

    /* Serialize the codec's part of a coding to at most ZTI_CODEC_PARAMS_BYTES; returns how many
     * bytes were used. Load checks every field: ZT_CORRUPT or ZT_UNSUPPORTED. */
    size_t (*store_params)(const struct zti_coding *coding, uint8_t *out);
    zt_status (*load_params)(zt_context *context, const uint8_t *in, size_t in_bytes,
                             struct zti_coding *coding);

    /* Fill zt_info.codec_words, for the codec's own query. */
    void (*describe)(const struct zti_coding *coding, zt_info *info);

    struct zti_sizes (*sizes)(const struct zti_coding *coding);

    /* Append tiles [first, last) of the array. The buffer has room for them at their largest and
     * the margin. Returns true where the codec vouches for verify_bound in all of them; where it
     * does not, the caller decodes and compares, tiles of at most 4096 values. */
    bool (*encode)(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *writer);

    /* Decode tiles [first, last), of which the reader is at the first, into a view; or only pass
     * over them. The reader's buffer is readable to the end of the last tile at its largest, and
     * the margin beyond. Any bits decode to something. */
    void (*decode)(const struct zti_coding *coding, struct zti_bit_reader *reader, uint64_t first,
                   uint64_t last, const struct zti_view *view);
    void (*skip)(const struct zti_coding *coding, struct zti_bit_reader *reader, uint64_t first,
                 uint64_t last);

    /* Turn a coding into one that copies: exactly the raw bytes, whatever they are, in tiles of one
     * size. Asked for where the stream would be longer than that. NULL: another codec's is used
     * (zti_codec_raw). */
    void (*copy)(struct zti_coding *coding);

    const struct zti_tables *tables; /* NULL: none */
};

/* The tiles of an array of this shape. */
static inline struct zti_grid zti_codec_grid(const struct zti_codec *codec, uint32_t rank,
                                             const uint64_t *shape)
{
    return zti_grid_of(rank, shape, codec->tile_shape[rank - 1]);
}

/* A coding of such an array, to be configured. */
static inline struct zti_coding zti_coding_of(const struct zti_codec *codec, uint32_t type,
                                              uint32_t rank, const uint64_t *shape)
{
    struct zti_coding coding;
    memset(&coding, 0, sizeof coding);
    coding.codec = codec;
    coding.type = type;
    coding.grid = zti_codec_grid(codec, rank, shape);
    coding.verify_bound = (double)NAN;
    return coding;
}

/* What index offsets of a stream count, in bits. */
static inline uint32_t zti_unit_bits(const struct zti_coding *coding)
{
    return coding->codec->sizes(coding).unit_bits;
}

/* What each tile takes where all take the same, else 0. */
static inline uint64_t zti_fixed_bits(const struct zti_coding *coding)
{
    return coding->codec->sizes(coding).tile_fixed_bits;
}

/* ---- registry.c ---- */

/* Codec number i of this build, or NULL past the last; the one with this zt_codec number, or NULL
 * if it is none's. */
const struct zti_codec *zti_codec_number(uint32_t i);
const struct zti_codec *zti_codec_by_id(uint32_t id);

/* What ZT_CODEC_AUTO stands for where nothing is tried out, under a bound of this kind
 * (ZT_LOSSLESS: none). */
const struct zti_codec *zti_codec_auto(uint32_t type, uint32_t kind);

/* The codec whose copying form any file may have. */
const struct zti_codec *zti_codec_raw(void);

/* Whether a codec knows an effort of this number. */
bool zti_is_effort(uint32_t effort);

#endif
