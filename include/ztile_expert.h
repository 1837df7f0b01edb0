/* ztile_expert.h: what one user of ten needs: instruction sets, limits, stages, candidates of a
 * plan, files frame by frame, another index, damaged files. What holds for every declaration of
 * ztile.h holds here. */
#ifndef ZTILE_EXPERT_H
#define ZTILE_EXPERT_H

#include "ztile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- context ------------------------------------------------------------------------------- */

/* Instruction sets that kernels have instances for. ZT_ISA_AVX2 is AVX2 with BMI1, BMI2 and POPCNT;
 * ZT_ISA_AVX512 is AVX-512 F, BW, VL, DQ, CD, VBMI, VBMI2, BITALG and VPOPCNTDQ with GFNI. */
typedef enum zt_isa { ZT_ISA_PLAIN = 0, ZT_ISA_AVX2 = 1, ZT_ISA_AVX512 = 2 } zt_isa;

/* Use at most this instruction set; a new context uses the best that the machine has. The choice
 * never shows in the bytes: it is there for tests and measurements. ZT_BAD_ARG for no zt_isa. */
ZT_API zt_status zt_context_set_isa(zt_context *context, zt_isa most);

/* What a context uses; of NULL, what calls without a context use. */
ZT_API zt_isa zt_context_isa(const zt_context *context);

/* "plain", "avx2", "avx512"; never NULL. */
ZT_API const char *zt_isa_name(zt_isa isa);

/* What calls on a context may use. */
typedef struct zt_limits {
    uint32_t struct_bytes; /* set by zt_limits_init */
    uint32_t reserved;     /* 0 */
    uint64_t memory_bytes; /* that the context's calls, writers and readers hold at once, of what
                              they allocate themselves on the host; 0: no limit */
    uint64_t output_bytes; /* of values that one call decodes; 0: no limit */
} zt_limits;

ZT_API zt_status zt_limits_init(zt_limits *limits, size_t limits_bytes);

/* Calls that would need more fail with ZT_NO_MEMORY and a sentence that names the limit. limits may
 * be NULL for none. Memory that is held already counts. */
ZT_API zt_status zt_context_set_limits(zt_context *context, const zt_limits *limits);

/* What a call is at: for benchmarks that say where its time goes. */
typedef enum zt_stage {
    ZT_STAGE_OTHER = 0,   /* headers, checksums, index, copies */
    ZT_STAGE_RANGE = 1,   /* range of all values, and which are special */
    ZT_STAGE_SAMPLES = 2, /* sz: ways to predict, tried on samples */
    ZT_STAGE_COUNT = 3,   /* sz, Huffman: symbols, or a part of them, counted */
    ZT_STAGE_MODELS = 4,  /* sz, Huffman: codebooks or models made of what was counted */
    ZT_STAGE_ENCODE = 5,  /* tiles: values to bits; Huffman: symbols to bits */
    ZT_STAGE_TABLES = 6,  /* the head of a stream to tables for decoding */
    ZT_STAGE_DECODE = 7   /* tiles: bits to values */
} zt_stage;

enum { ZT_STAGES = 8 };

/* Called from the calling thread when a stage begins, which lasts until the next call; a stage may
 * come more than once. What it may call is what zt_progress may. */
typedef void (*zt_stage_begins)(void *user, zt_stage stage);

/* NULL: no calls. */
ZT_API zt_status zt_context_set_stages(zt_context *context, zt_stage_begins begins, void *user);

/* ---- candidates of a plan ------------------------------------------------------------------ */

/* One way to code an array, and what it takes. Frozen. */
typedef struct zt_option {
    uint32_t codec;      /* zt_codec */
    uint32_t effort;     /* zt_effort */
    zt_plan plan;        /* rank 0: as it is */
    double stream_bytes; /* as samples have it; 0: nobody asked them */
    double coded_bytes;  /* what it took when all was coded, special values too; 0: it was not */
    uint64_t reserved;
} zt_option;

/* What samples say of the codecs, efforts and plans that params leave a choice of, for an array as
 * one frame with a bound on errors (abs, rel, pwrel, psnr) or none: options[0] is what zt_compress
 * codes first; then follow the others, and plans that went far. params->plan is not looked at.
 *
 * room: of options; 64 is enough. count: how many there are. */
ZT_API zt_status zt_plan_options(zt_context *context, const zt_array *array,
                                 const zt_params *params, zt_option *options, uint32_t room,
                                 uint32_t *count);

/* ---- writer and reader --------------------------------------------------------------------- */

/* Special values (NaN, infinities, fill values) in the frames that were written so far. */
ZT_API uint64_t zt_writer_special_values(const zt_writer *writer);

/* Bound psnr: the dB that were reached over the frames that were written so far, infinite where
 * there is no error; NaN for other bounds. */
ZT_API double zt_writer_psnr(const zt_writer *writer);

/* What the first frame was chosen from: options[0] is what it was coded with; others that were
 * coded too have coded_bytes, which are more (but see zt_prefer); all others only what samples
 * said, if these were asked. Returns how many there are, at most 'room', which need not be more
 * than 64; 0 before the first frame is written. */
ZT_API uint32_t zt_writer_options(const zt_writer *writer, zt_option *options, uint32_t room);

/* Go to the next frame, the first one after opening: it holds the slices [*first, *first +
 * *extent) of the array. *extent is 0 once the last frame has passed and the seek table has been
 * verified. Works on every source. */
ZT_API zt_status zt_reader_next(zt_reader *reader, uint64_t *first, uint64_t *extent);

/* Decompress the frame that zt_reader_next went to; out has its shape. Once a frame. */
ZT_API zt_status zt_reader_read(zt_reader *reader, const zt_array *out);

/* The same by parts: decompress the next slices of the frame, as many as out has, so that values
 * can be used while they are in the processor's caches and no frame takes memory. What lies in a
 * frame before the first part is not passed over again. */
ZT_API zt_status zt_reader_read_part(zt_reader *reader, const zt_array *out);

/* How many slices the next part best has, for parts of about part_bytes: whole tiles, or all that
 * is left of the frame where smaller parts would have to decode tiles more than once. 0 where there
 * is no frame. */
ZT_API uint64_t zt_reader_part_extent(const zt_reader *reader, uint64_t part_bytes);

/* The fill values that the frames which were read so far keep beside their streams: the finite ones
 * of their special values, ZT_MAX_FILLS at most. fill has room for as many. */
ZT_API zt_status zt_reader_fills(const zt_reader *reader, uint32_t *fills, uint64_t *fill);

/* Copy a .zt file and give it another index: the one that index, index_chunk and index_partition
 * of params ask for, ZT_INDEX_NONE included; the rest of params is not looked at. Streams stay as
 * they are, byte for byte. Their tiles are parsed to find where chunks begin, but not
 * reconstructed; the calling thread does that, under any policy.
 *
 * source  of known size. Every checksum is verified.
 * sink    gets the whole file: what zt_compress with this index would have written. What later
 *         versions may have added to a file and this one skips is left out.
 *
 * ZT_BAD_ARG, ZT_CORRUPT, ZT_UNSUPPORTED, ZT_NO_MEMORY, ZT_IO, ZT_CANCELLED. */
ZT_API zt_status zt_replace_index(zt_context *context, const zt_source *source, const zt_sink *sink,
                                  const zt_params *params);

/* ---- damaged files: what is left of them ---------------------------------------------------- */

/* What a damaged file does not give back of an array, or gives back without proof. */
typedef enum zt_loss {
    ZT_LOSS_LOST = 1,      /* the values are gone; the fill value is in their places */
    ZT_LOSS_UNVERIFIED = 2 /* decoded from what is there, with nothing to verify it by; values that
                              were kept beside the stream may be missing, so that the bound may not
                              hold and a NaN or fill value may be a number */
} zt_loss;

typedef enum zt_table_state {
    ZT_TABLE_WHOLE = 0,
    ZT_TABLE_REBUILT = 1, /* the seek table is damaged; the frames are all there and make it up */
    ZT_TABLE_MISSING = 2  /* none: slices after the last frame that is left are not known */
} zt_table_state;

/* How to read a damaged file, and what was found: zt_reader_salvage adds up over the frames. */
typedef struct zt_salvage {
    uint32_t struct_bytes; /* set by zt_salvage_init */
    uint32_t has_fill;     /* 1: fill takes the place of lost values; 0: NaN, for integers 0 */
    uint64_t fill;         /* a bit pattern of the array's type, see zt_fill_bits */
    /* Called for each part of the array that is not given back as it was, in ascending order of
     * frames: a box in the array's coordinates and why, in a few words. Boxes do not overlap.
     * Anything but 0 cancels the call. NULL: not called. */
    int (*part)(void *user, zt_loss loss, const zt_box *box, const char *why);
    void *user;
    uint64_t lost_boxes, lost_values;
    uint64_t unverified_boxes, unverified_values;
    uint64_t frames, damaged_frames; /* that were gone to, and of these, that had any damage */
    uint64_t repaired; /* headers, tails and seek tables in which one bit was put right, and headers
                          of which a copy was whole: a hash of 64 bits proves what they say */
    uint32_t table;    /* zt_table_state */
    uint32_t reserved;
} zt_salvage;

ZT_API zt_status zt_salvage_init(zt_salvage *salvage, size_t salvage_bytes);

/* Open what is left of a damaged .zt file. The source is of known size; the file may be cut short,
 * its seek table missing. Frames are found by the seek table, or from one to the next, past what is
 * damaged. zt_reader_info and zt_reader_next work as ever, frames that are lost included; what
 * zt_reader_next went to is read with zt_reader_salvage, and boxes cannot be. The array ends with
 * the last frame that is known.
 *
 * ZT_CORRUPT: no frame's header is whole. Also ZT_BAD_ARG, ZT_UNSUPPORTED, ZT_NO_MEMORY. */
ZT_API zt_status zt_reader_open_damaged(zt_context *context, const zt_source *source,
                                        zt_reader **reader);

/* zt_reader_read for a reader that zt_reader_open_damaged opened: all values that are whole, and
 * fill values in place of the others, each in a box that salvage->part is given. Values in no such
 * box are those of the undamaged file. A range of the source that cannot be read is damage, too.
 *
 * Lost are the tiles that damaged ranges of the payload hold; where the frame has no index, also
 * what follows them in the frame. ZT_OK however much is lost. */
ZT_API zt_status zt_reader_salvage(zt_reader *reader, const zt_array *out, zt_salvage *salvage);

#ifdef __cplusplus
}
#endif

#endif
