/* codec.h: what a codec is to the rest of the library: a table of functions over tiles. A codec
 * does not know which thread runs it, nor how a decoder finds its tiles. */
#ifndef ZTI_CODEC_H
#define ZTI_CODEC_H

#include "array/array.h"
#include "bits/bits.h"

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

/* What is asked of a codec for one stream. */
struct zti_ask {
    const zt_params *params;
    zt_bound_kind kind; /* ZT_ABS for rel and psnr as well; ZT_LOSSLESS where a bound is 0, or less
                           than the type can tell */
    double abs_bound;   /* ZT_ABS only */
    double part;        /* ZT_PWREL only: of each value's magnitude; below 1 */
    uint32_t choice;    /* ZT_PWREL only: below what the codec's 'choices' says */
    uint32_t loose_planes; /* ZT_ABS only: to be dropped beyond what the bound allows for */
    bool has_axes;         /* axes that are not the codec's to choose, where it does: */
    uint32_t axes;         /* bit i: axis i of the coded array */
    bool has_groups;       /* and these, as the codec would choose them: */
    uint32_t is_blocked;
    int64_t centre;
    uint64_t special_values; /* of the array, which are taken out before it is coded */
    double min, max;         /* of the stream's finite values; NaN where there are none or where the
                                values are not known yet (sizes are asked for) */
};

enum { ZTI_CODEC_PARAMS_BYTES = 32, ZTI_CHOICE_RUNS = 2 };

struct zti_codec {
    const char *name;
    uint32_t id;        /* zt_codec */
    uint32_t unit_bits; /* what index offsets count; 0: values of the array's type */

    /* Values of a tile along each axis, by the array's rank. Slabs are cut at multiples of the
     * first. */
    const uint32_t (*tile_shape)[ZT_MAX_RANK]; /* [rank - 1][axis] */

    /* Tiles a chunk of the default index. */
    uint32_t (*chunk_tiles)(uint32_t rank);

    /* Fill coding->numbers and verify_bound; type and grid are there.
     * ZT_BAD_ARG or ZT_UNSUPPORTED, with a sentence, where the codec cannot do what is asked. */
    zt_status (*configure)(zt_context *context, const struct zti_ask *ask,
                           struct zti_coding *coding);

    /* An absolute bound counts as the power of two at or below it. */
    bool has_power_bounds;

    /* Ways to keep a bound of ZT_PWREL, in runs from the loosest to the tightest one, of which
     * trials on a sample tell the best: run i ends before way ends[i]. Returns how many runs there
     * are; NULL: there is one way. */
    uint32_t (*choices)(const struct zti_coding *coding, uint32_t ends[ZTI_CHOICE_RUNS]);

    /* Serialize the codec's part of a coding to at most ZTI_CODEC_PARAMS_BYTES; returns how many
     * bytes were used. Load checks every field: ZT_CORRUPT or ZT_UNSUPPORTED. */
    size_t (*store_params)(const struct zti_coding *coding, uint8_t *out);
    zt_status (*load_params)(zt_context *context, const uint8_t *in, size_t in_bytes,
                             struct zti_coding *coding);

    /* Fill the codec's fields of zt_info. */
    void (*describe)(const struct zti_coding *coding, zt_info *info);

    /* The least and the most bits a tile can take, the most that decoding one looks at (less where
     * tiles are padded), and the number each takes where all take the same (else 0). */
    uint64_t (*tile_min_bits)(const struct zti_coding *coding);
    uint64_t (*tile_max_bits)(const struct zti_coding *coding);
    uint64_t (*tile_reach_bits)(const struct zti_coding *coding);
    uint64_t (*tile_fixed_bits)(const struct zti_coding *coding);

    /* The stream ends at a multiple of this many bits. */
    uint32_t (*stream_align_bits)(const struct zti_coding *coding);

    /* Bytes, at most, of the tiles that a thread codes at a time; 0: as the policy sees fit. */
    uint32_t piece_bytes;

    /* Bytes of room (zti_coding) that decoding would rather have. */
    size_t room_bytes;

    /* ---- slots from here to the next line may be NULL ---- */

    /* For codecs that must see all values before they code the first: what is to be learnt, in one
     * or more passes. exec runs pass 0, 1, ... until tally_bytes returns 0: zeroed tallies, each
     * filled by one thread from runs of tiles in any order, are merged into one, which learn turns
     * into coding->model. The outcome must not depend on how tiles were dealt to tallies. */
    size_t (*tally_bytes)(const struct zti_coding *coding, uint32_t pass);
    bool (*is_sampled)(const struct zti_coding *coding, uint32_t pass); /* only samples are looked
                                                                           at; NULL: in no pass */
    void (*tally)(const struct zti_coding *coding, uint32_t pass, const zt_array *array,
                  uint64_t first, uint64_t last, void *tally);
    void (*merge)(const struct zti_coding *coding, uint32_t pass, void *into, const void *from);
    zt_status (*learn)(zt_context *context, struct zti_coding *coding, uint32_t pass,
                       const zt_array *array, void *tally);
    /* Make the coding one that learning may lead to, number i, with other tiles; false past the
     * last. NULL: learning leaves tiles as they are. */
    bool (*vary)(struct zti_coding *coding, uint32_t i);
    void (*forget)(zt_context *context, struct zti_coding *coding); /* free the model */

    /* The head: what a stream has before its first tile. head_max_bytes is asked before anything
     * was learnt. head_bytes is known after learn, and after load_params when decoding. put_head
     * comes after the tiles: starts[i] is where tile i begins and starts[count] where the last
     * one ends, in bits from the first tile (NULL unless has_ends). take_head checks a head. */
    uint64_t (*head_max_bytes)(const struct zti_coding *coding);
    uint64_t (*head_bytes)(const struct zti_coding *coding);
    void (*put_head)(const struct zti_coding *coding, const uint64_t *starts, uint8_t *head);
    zt_status (*take_head)(zt_context *context, struct zti_coding *coding, const uint8_t *head);
    bool has_ends; /* the head begins with a 32-bit number for each tile: where it ends, in units
                      of unit_bits from the first tile. It serves as the index */

    /* Drop so many more bit planes than configure did, which most values may be within the bound
     * without. False where there are not so many. */
    bool (*loosen)(struct zti_coding *coding, uint32_t planes);

    /* Both or neither, for planning, by codecs whose tiles have thousands of values. set_axes: take
     * differences along these axes (bit i: axis i), as if that had been learnt in the first pass.
     * guess: the bits of all tiles, about, without what is learnt; scratch has room for a tile. */
    void (*set_axes)(struct zti_coding *coding, uint32_t axes);
    uint64_t (*guess)(const struct zti_coding *coding, const zt_array *array, uint8_t *scratch);

    /* Both or neither: where an array (C-contiguous, and to be written to) has holes, values of
     * which nothing is kept, and something smooth in them, put there what costs fewer bits. learn
     * looks at the array for a coding that is configured; false where nothing can be won. Then
     * tiles [first, last) of the coding's grid are gone through; holes has a bit for each value. */
    bool (*learn_holes)(struct zti_coding *coding, const zt_array *array, const uint64_t *holes);
    void (*fit_holes)(const struct zti_coding *coding, const zt_array *array, const uint64_t *holes,
                      uint64_t first, uint64_t last);

    /* Turn a coding into one that copies: exactly the raw bytes, whatever they are. Asked for where
     * the stream would be longer than that. */
    void (*store)(struct zti_coding *coding);

    /* ---- */

    /* Append tiles [first, last) of the array. The buffer has room for them at their largest and
     * the margin. Returns true where the codec vouches for verify_bound in all of them; where it
     * does not, the caller decodes and compares. */
    bool (*encode)(const struct zti_coding *coding, const zt_array *array, uint64_t first,
                   uint64_t last, struct zti_bit_writer *writer);

    /* Decode tiles [first, last), of which the reader is at the first, into a view; or only pass
     * over them. The reader's buffer is readable to the end of the last tile at its largest, and
     * the margin beyond. Any bits decode to something. */
    void (*decode)(const struct zti_coding *coding, struct zti_bit_reader *reader, uint64_t first,
                   uint64_t last, const struct zti_view *view);
    void (*skip)(const struct zti_coding *coding, struct zti_bit_reader *reader, uint64_t first,
                 uint64_t last);

    /* Both or neither: how many runs of tiles that follow each other the codec would rather decode
     * side by side (0: none), where it is known where each begins; and that. Run i of run_tiles
     * tiles, the first of which is tile first + i * run_tiles, begins at bit at[i] of base, and
     * ends where at[i] is afterwards. What is readable: as for decode, for each run. */
    uint32_t (*side_by_side)(const struct zti_coding *coding);
    void (*decode_runs)(const struct zti_coding *coding, const uint8_t *base, uint64_t *at,
                        uint32_t runs, uint64_t first, uint32_t run_tiles,
                        const struct zti_view *view);
};

enum { ZTI_RUNS_MOST = 32 }; /* side by side */

/* The tiles of an array of this shape. */
static inline struct zti_grid zti_codec_grid(const struct zti_codec *codec, uint32_t rank,
                                             const uint64_t *shape)
{
    return zti_grid_of(rank, shape, codec->tile_shape[rank - 1]);
}

/* What index offsets of a stream count, in bits. */
static inline uint32_t zti_unit_bits(const struct zti_coding *coding)
{
    const uint32_t bits = coding->codec->unit_bits;
    return bits ? bits : 8 * (uint32_t)zt_type_bytes(coding->type);
}

/* Bytes of a stream before its first tile. */
static inline uint64_t zti_head_bytes(const struct zti_coding *coding)
{
    return coding->codec->head_bytes ? coding->codec->head_bytes(coding) : 0;
}

/* Whether the head says where tiles begin; a coding that copies has no head. */
static inline bool zti_has_ends(const struct zti_coding *coding)
{
    return coding->codec->has_ends && zti_head_bytes(coding) > 0;
}

/* The codec with this zt_codec number, or NULL if it is none's. */
const struct zti_codec *zti_codec_by_id(uint32_t id);

/* What ZT_CODEC_AUTO stands for. */
const struct zti_codec *zti_codec_auto(uint32_t type, bool is_lossless);

#endif
