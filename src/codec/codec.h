/* codec.h: the interface of a codec: a table of functions over tiles, and the coding of a stream. A
 * codec knows neither which thread runs it nor how a decoder finds its tiles. Optional functions
 * are in tables of their own: learning.h, planning.h, holes.h, batch.h; kernels are in gpu.h. */
#ifndef ZTI_CODEC_H
#define ZTI_CODEC_H

#include "array/array.h"
#include "bits/bits.h"

#include <math.h>

struct zti_codec;

/* Values that a pass has copied to the device and that are still there: slabs in the two parts
 * ZTI_DEVICE_VALUES. */
struct zti_kept {
    uint64_t number; /* the device's values_number; 0: none */
    struct {
        const void *from; /* in the host's memory */
        uint64_t bytes;
        void *there;
    } slab[2];
};

/* What a run of tiles needs beside what a file stores; exec sets it. Zeros mean plain C on one
 * thread. */
struct zti_run {
    uint32_t isa;     /* zt_isa that encode, decode and skip may use */
    bool is_streamed; /* the output is larger than the caches: store past them */
    uint8_t *room; /* decoding: this thread's scratch for assembling tiles before they are written
                      to the view, or NULL */
    size_t room_bytes;
    uint64_t first, last; /* encoding: other threads encode the tiles before and after these; last =
                             0: this one encodes all */
    uint64_t won_bytes;   /* encoding: what the smallest of other codings of the array takes; 0:
                             there is none */
    bool has_host_passes; /* encoding: the host made the passes over the values */
    bool is_padded;       /* decoding: eight bytes behind the stream can be read */
    bool is_by_kernels;   /* decoding: the host decodes no tile */
    struct zti_kept kept; /* of the array, from the passes over values to encoding */
};

enum { ZTI_NUMBERS_BYTES = 128 };

/* How one stream is coded. Fixed before its first tile, and sufficient to decode it. */
struct zti_coding {
    const struct zti_codec *codec;
    uint32_t type;        /* zt_type */
    struct zti_grid grid; /* of the coded array: a slab, not the whole array */
    union {
        uint8_t bytes[ZTI_NUMBERS_BYTES];
        uint64_t aligned;
    } numbers;             /* the codec's own struct (ZTI_MAY_ALIAS) */
    uint32_t loose_planes; /* bit planes dropped beyond what the bound allows for any values, so
                              that no tile's bound is proved; while coding only */
    double verify_bound;   /* error bound that the encoder must prove or verify; NaN: none */
    bool is_of_value;      /* verify_bound is relative to each value's magnitude, not absolute */
    void *model; /* what the codec learnt from the values, or read from the stream's head; NULL:
                    nothing */
    struct zti_run run;
};

/* What planning found out about an array, so that the codec need not search again. */
struct zti_found {
    bool has_axes;   /* the axes of prediction are chosen: */
    uint32_t axes;   /* bit i: axis i of the coded array */
    bool has_rest;   /* other results are known: */
    int64_t rest[3]; /* numbers that only the codec understands */
};

/* The target of a stream: the bound or rate that the codec must keep. */
struct zti_target {
    const zt_params *params;
    zt_bound_kind kind; /* ZT_ABS for rel and psnr too; ZT_LOSSLESS if a bound is 0 or below the
                           type's resolution */
    double abs_bound;   /* ZT_ABS only */
    double each_bound;  /* ZT_ABS only, where abs_bound was chosen for a mean error: the bound that
                           each value has to keep beside, no less; 0: none. A codec may leave errors
                           between the two */
    double part;        /* ZT_PWREL only: the bound relative to each value's magnitude; below 1 */
    uint32_t choice;    /* ZT_PWREL only: number of the codec's way to keep it (planning.h) */
    uint32_t loose_planes; /* ZT_ABS only: bit planes to drop beyond what the bound allows */
    struct zti_found found;
    bool has_few_samples;    /* learn from few samples: speed counts too */
    uint64_t special_values; /* of the array; replaced before it is coded */
    double min, max; /* of the stream's finite values; NaN: there are none or not known yet */
};

/* Whether a bound is of a mean error: a frame keeps it as a whole. */
static inline bool zti_is_mean(uint32_t kind)
{
    return kind == ZT_PSNR || (kind >= ZT_RMSE && kind <= ZT_MAE_REL);
}

/* The bound of a mean error that params have, alone or beside another; ZT_LOSSLESS: none. */
static inline zt_bound zti_mean_of(const zt_params *params)
{
    return zti_is_mean(params->bound.kind) ? params->bound : params->mean;
}

/* Sizes that follow from a coding. */
struct zti_sizes {
    uint64_t tile_min_bits, tile_max_bits; /* the least and the most that a tile can take */
    uint64_t tile_read_max_bits; /* the most that decoding a tile reads; less than the most if tiles
                                 are padded */
    uint64_t tile_fixed_bits;    /* bits of each tile if all have the same, else 0 */
    uint32_t align_bits;         /* the stream is padded to a multiple of it */
    uint32_t unit_bits;          /* the unit of index offsets */
    uint32_t piece_bytes; /* the most bytes of the tiles that a thread codes at a time; 0: the
                             policy decides */
    uint32_t room_bytes;  /* wanted bytes of run.room for decoding */
    bool is_wide;         /* the codec runs each tile on the policy's threads */
    bool is_bounded;      /* decoding reads nothing behind the reader's end */
};

enum { ZTI_CODEC_PARAMS_BYTES = 32 };

/* Optional tables; NULL: the codec has none. */
struct zti_tables {
    const struct zti_learning *learning;
    const struct zti_planning *planning;
    const struct zti_holes *holes;
    const struct zti_batch *batch;
};

struct zti_codec {
    const char *name;
    uint32_t id; /* zt_codec */

    /* Values of a tile along each axis, by the array's rank. The thickness of slabs is a multiple
     * of the first axis' number. */
    const uint32_t (*tile_shape)[ZT_MAX_RANK]; /* [rank - 1][axis] */

    /* Tiles of a chunk in the default index. */
    uint32_t (*chunk_tiles)(uint32_t rank);

    /* Set coding->numbers and verify_bound for a target; type and grid are set. ZT_BAD_ARG or
     * ZT_UNSUPPORTED, with a message, if the codec cannot keep the target. */
    zt_status (*configure)(zt_context *context, const struct zti_target *target,
                           struct zti_coding *coding);

    /* Store the codec's part of a coding in at most ZTI_CODEC_PARAMS_BYTES; returns the bytes used.
     * load_params checks every field: ZT_CORRUPT or ZT_UNSUPPORTED. */
    size_t (*store_params)(const struct zti_coding *coding, uint8_t *out);
    zt_status (*load_params)(zt_context *context, const uint8_t *in, size_t in_bytes,
                             struct zti_coding *coding);

    /* Fill zt_info.codec_words, for the codec's own query. */
    void (*describe)(const struct zti_coding *coding, zt_info *info);

    struct zti_sizes (*sizes)(const struct zti_coding *coding);

    /* Append tiles [first, last) of the array. The buffer has room for them at their largest and
     * the margin. Returns true if verify_bound is proved for all of them; if not, the caller
     * decodes them and compares, which needs tiles of at most 4096 values. */
    bool (*encode)(const struct zti_coding *coding, const struct zti_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *writer);

    /* Decode tiles [first, last) from the reader's position into a view; skip only parses them. The
     * reader's buffer is readable to the end of the last tile at its largest, and the margin
     * beyond. Any bits decode to some values. */
    void (*decode)(const struct zti_coding *coding, struct zti_bit_reader *reader, uint64_t first,
                   uint64_t last, const struct zti_view *view);
    void (*skip)(const struct zti_coding *coding, struct zti_bit_reader *reader, uint64_t first,
                 uint64_t last);

    /* Turn a coding into a raw one, whose stream is the values' bytes in tiles of one size. Used if
     * the coded stream would be longer. NULL: another codec's is used (zti_codec_raw). */
    void (*copy)(struct zti_coding *coding);

    const struct zti_tables *tables; /* NULL: none */
};

/* The grid of tiles of an array of this shape. */
static inline struct zti_grid zti_codec_grid(const struct zti_codec *codec, uint32_t rank,
                                             const uint64_t *shape)
{
    return zti_grid_of(rank, shape, codec->tile_shape[rank - 1]);
}

/* A coding of such an array, before configure. */
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

/* Values of a whole tile. */
static inline uint64_t zti_tile_values(const struct zti_coding *coding)
{
    uint64_t values = 1;
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        values *= coding->grid.side[i];
    return values;
}

/* Bytes of them. */
static inline uint64_t zti_tile_bytes(const struct zti_coding *coding)
{
    return zti_tile_values(coding) * zt_type_bytes(coding->type);
}

/* The unit of index offsets, in bits. */
static inline uint32_t zti_unit_bits(const struct zti_coding *coding)
{
    return coding->codec->sizes(coding).unit_bits;
}

/* Bits of each tile if all have the same, else 0. */
static inline uint64_t zti_fixed_bits(const struct zti_coding *coding)
{
    return coding->codec->sizes(coding).tile_fixed_bits;
}

/* ---- registry.c ---- */

/* Codec number i of this build, NULL past the last; the codec with a zt_codec number, NULL if there
 * is none. */
const struct zti_codec *zti_codec_number(uint32_t i);
const struct zti_codec *zti_codec_by_id(uint32_t id);

/* The codec that ZT_CODEC_AUTO means without planning, under a bound of this kind (ZT_LOSSLESS:
 * none). */
const struct zti_codec *zti_codec_auto(uint32_t type, uint32_t kind);

/* The codec whose raw form a file of any codec may contain. */
const struct zti_codec *zti_codec_raw(void);

/* Whether this number is an effort. */
bool zti_is_effort(uint32_t effort);

#endif
