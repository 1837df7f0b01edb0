/** @file
 * Contexts in detail, indexes, plans, frames one by one, damaged files. Few programs need them.
 * The rules of ztile.h hold here.
 */
#ifndef ZTILE_EXPERT_H
#define ZTILE_EXPERT_H

#include "ztile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- context --------------------------------------------------------------------------------- */

/** Memory functions for everything that the library allocates on the host. Frozen. */
struct zt_allocator {
    /** Memory aligned for any type, or NULL if there is none. */
    void *(*alloc)(void *user, size_t bytes);
    /** Free memory that alloc returned; accepts NULL. */
    void (*release)(void *user, void *memory);
    void *user;           /**< Passed to both. */
    uint64_t reserved[2]; /**< 0 */
};

/** The policy of a context. */
ZT_API zt_policy zt_context_policy(const zt_context *context);

/** The parameters of ZT_OMP as they were set; ZT_BAD_ARG under another policy. */
ZT_API zt_status zt_context_omp(const zt_context *context, zt_omp *omp);

/** Instruction sets that kernels are compiled for. */
typedef enum zt_isa {
    ZT_ISA_PLAIN = 0, /**< C, as the compiler translates it. */
    ZT_ISA_AVX2 = 1,  /**< AVX2 with BMI1, BMI2, LZCNT and POPCNT. */
    ZT_ISA_AVX512 = 2 /**< AVX-512 F, BW, VL, DQ, CD, VBMI, VBMI2, BITALG, VPOPCNTDQ, and GFNI. */
} zt_isa;

/** Use at most this instruction set, for tests and measurements. A new context uses the best that
 * the machine has. ZT_BAD_ARG for a number that is no #zt_isa. */
ZT_API zt_status zt_context_set_isa(zt_context *context, zt_isa most);

/** What a context uses; for NULL, what calls without a context use. */
ZT_API zt_isa zt_context_isa(const zt_context *context);

/** "plain", "avx2" or "avx512"; never NULL. */
ZT_API const char *zt_isa_name(zt_isa isa);

/** Called from the calling thread, about once a mebibyte of raw values. Returns 0 to go on,
 * anything else to cancel the call.
 *
 * Of the current frame's total_tiles, done_tiles are coded. Other threads continue meanwhile, and
 * no lock is held. The function must not use this context, nor writers and readers opened on it. */
typedef int (*zt_progress)(void *user, uint64_t done_tiles, uint64_t total_tiles);

/** Set the progress function; NULL: none. user is passed to it. */
ZT_API zt_status zt_context_set_progress(zt_context *context, zt_progress progress, void *user);

/** What calls on a context may use. */
typedef struct zt_limits {
    uint32_t struct_bytes; /**< Set by zt_limits_init(). */
    uint32_t reserved;     /**< 0 */
    uint64_t memory_bytes; /**< Host memory that the context, its writers and readers may have
                                allocated at one time; 0: no limit. */
    uint64_t output_bytes; /**< Values that one call decodes; 0: no limit. */
} zt_limits;

/** Set up no limits; limits_bytes is sizeof(zt_limits). */
ZT_API zt_status zt_limits_init(zt_limits *limits, size_t limits_bytes);

/** Limit a context. A call that would need more fails with ZT_NO_MEMORY and a sentence that names
 * the limit. Memory allocated before counts. NULL: no limits. */
ZT_API zt_status zt_context_set_limits(zt_context *context, const zt_limits *limits);

/** How much released memory a context keeps for later calls, at most (128 MiB unless it is told);
 * what is kept beyond that is given back. It saves the time that the system takes to zero fresh
 * memory. What is kept counts to the limit of memory, but is given back where that would be
 * exceeded, and at zt_context_free(). A context with an allocator of its own keeps none:
 * ZT_UNSUPPORTED. Not while a call is running.
 */
ZT_API zt_status zt_context_set_kept(zt_context *context, uint64_t bytes);

/** What a call is doing, for benchmarks. */
typedef enum zt_stage {
    ZT_STAGE_OTHER = 0,   /**< Headers, checksums, index, copies. */
    ZT_STAGE_RANGE = 1,   /**< Range of all values, and which are special. */
    ZT_STAGE_SAMPLES = 2, /**< sz: ways to predict, tried on samples. */
    ZT_STAGE_COUNT = 3,   /**< sz, Huffman: symbols, or some of them, are counted. */
    ZT_STAGE_MODELS = 4,  /**< sz, Huffman: codebooks or models are made. */
    ZT_STAGE_ENCODE = 5,  /**< Values or symbols to bits. */
    ZT_STAGE_TABLES = 6,  /**< The head of a stream to tables for decoding. */
    ZT_STAGE_DECODE = 7   /**< Bits to values. */
} zt_stage;

#define ZT_STAGES 8 /**< How many stages there are. */

/** Called from the calling thread when a stage begins; the stage lasts until the next call. A stage
 * can come more than once. The function may do what a #zt_progress may. */
typedef void (*zt_stage_begins)(void *user, zt_stage stage);

/** Set the function that is told of stages; NULL: none. user is passed to it. */
ZT_API zt_status zt_context_set_stages(zt_context *context, zt_stage_begins begins, void *user);

/* ---- indexes --------------------------------------------------------------------------------- */

/** How a decoder finds a tile: by an index of where chunks of tiles begin, which never changes the
 * stream. Layouts: docs/format/zt.md, and Noordsij et al., PDP 2020 (offsets, lengths, hybrid). */
typedef enum zt_index_kind {
    ZT_INDEX_DEFAULT = 0, /**< Compact; none for small arrays and at fixed rate. */
    ZT_INDEX_NONE = 1,    /**< Reading a box parses all that lies before it. */
    ZT_INDEX_OFFSETS = 2, /**< 64 bits a chunk. */
    ZT_INDEX_LENGTHS = 3, /**< 16 or 32 bits a chunk; summed when the file is opened. */
    ZT_INDEX_HYBRID = 4,  /**< 64 bits a partition of chunks, and lengths within it. */
    ZT_INDEX_COMPACT = 5, /**< Elias-Fano code: about 2 + log2(mean chunk bits) bits a chunk. */
    ZT_INDEX_STREAM = 6   /**< In zt_info only: the stream says where its tiles are (ndzip). */
} zt_index_kind;

/** Copy a .zt file and give it another index. The streams stay as they are, byte for byte: their
 * tiles are parsed on the calling thread, not decoded.
 * @param context NULL is allowed
 * @param source a file of known size; every checksum is verified
 * @param sink gets the file that zt_compress() with this index would have written. What later
 *        versions added to the file, and this one skips, is left out.
 * @param kind of the new index; ZT_INDEX_NONE removes the index
 * @param chunk tiles a chunk, as zt_params::index_chunk; 0: the default
 * @param partition chunks a partition, as zt_params::index_partition; 0: the default
 * @return ZT_CORRUPT, ZT_UNSUPPORTED, ZT_IO, ZT_CANCELLED */
ZT_API zt_status zt_replace_index(zt_context *context, const zt_source *source, const zt_sink *sink,
                                  zt_index_kind kind, uint32_t chunk, uint32_t partition);

/* ---- plans ----------------------------------------------------------------------------------- */

/** What a plan with ZT_CODEC_AUTO looks for. */
typedef enum zt_prefer {
    ZT_PREFER_RATIO = 0,   /**< The fewest bytes. */
    ZT_PREFER_SPEED = 1,   /**< The fewest bytes among the nearly fastest. */
    ZT_PREFER_BALANCED = 2 /**< The fastest among the nearly smallest. */
} zt_prefer;

/** How the axes of an array become those of the array that is coded. Frozen.
 *
 * The coded array has the axes axis[0], axis[1], ..., slowest first. Where joined[k] is 1, axis[k]
 * and axis[k - 1] are one coded axis, in which axis[k] is faster. */
typedef struct zt_plan {
    uint32_t rank;                     /**< Of the array; 0: it is coded as it is. */
    uint32_t coded_rank;               /**< Of the coded array. */
    uint64_t coded_shape[ZT_MAX_RANK]; /**< Of the coded array, slowest first. */
    uint8_t axis[ZT_MAX_RANK];         /**< The array's axes in the order of the coded array. */
    uint8_t joined[ZT_MAX_RANK];       /**< 1: with the axis before it. */
    uint64_t reserved[2];              /**< 0 */
} zt_plan;

/** The plan of a file's first frame that is not raw. zt_inspect() or zt_reader_info() set info. */
ZT_API zt_status zt_info_plan(const zt_info *info, zt_plan *plan);

/** One way to code an array, and how many bytes it takes. Frozen. */
typedef struct zt_option {
    uint32_t codec;      /**< #zt_codec */
    uint32_t effort;     /**< #zt_effort */
    zt_plan plan;        /**< rank 0: as it is */
    double stream_bytes; /**< Estimated from samples; 0: not estimated. */
    double coded_bytes;  /**< Bytes when coded, special values included; 0: it was not coded. */
    uint32_t method;     /**< 0, or the #zt_sz_method among which effort high chose. */
    uint32_t lossless;   /**< 1: without loss, though the bound allows loss; else 0 */
} zt_option;

/** Estimate from samples what the codecs, efforts and plans that params leaves open would take.
 * @param context NULL is allowed
 * @param array to be coded, as one frame
 * @param params a bound on errors (abs, rel, pwrel, psnr, rmse, mae) or none; params->plan is
 * ignored
 * @param options options[0] is what zt_compress() would code first; others follow
 * @param room of options; 64 is enough
 * @param count gets how many there are
 * @return ZT_UNSUPPORTED, ZT_CANCELLED */
ZT_API zt_status zt_plan_options(zt_context *context, const zt_array *array,
                                 const zt_params *params, zt_option *options, uint32_t room,
                                 uint32_t *count);

/** What the first frame of a writer was chosen from.
 * @param writer that wrote a frame
 * @param options options[0] is what the frame is coded with. Others that were coded too have
 *        coded_bytes; the rest have stream_bytes, if it was estimated.
 * @param room of options; 64 is enough
 * @return how many there are, at most room; 0 before the first frame */
ZT_API uint32_t zt_writer_options(const zt_writer *writer, zt_option *options, uint32_t room);

/* ---- writer and reader, frame by frame ------------------------------------------------------- */

/** Slices in each frame that a writer cuts. Slabs of this thickness, put in order, are coded where
 * they lie; others are copied first. */
ZT_API uint64_t zt_writer_slab_extent(const zt_writer *writer);

/** NaN, infinities and fill values in the frames that were written so far. */
ZT_API uint64_t zt_writer_special_values(const zt_writer *writer);

/** Bound psnr: dB reached over the frames that were written so far, infinite without any error. NaN
 * for other bounds. */
ZT_API double zt_writer_psnr(const zt_writer *writer);

/** Bounds on a mean, beside another or alone: what was reached over the frames that were written so
 * far, in the bound's unit. NaN for other bounds. */
ZT_API double zt_writer_mean_error(const zt_writer *writer);

/** Go to the next frame; the first call goes to the first. Works on every source.
 * @param reader to move
 * @param first gets the index of the frame's first slice
 * @param extent gets how many slices it holds; 0 once the last frame has passed and the seek table
 *        has been verified
 * @return ZT_IO, ZT_CORRUPT, ZT_UNSUPPORTED */
ZT_API zt_status zt_reader_next(zt_reader *reader, uint64_t *first, uint64_t *extent);

/** Decompress the next slices of the frame that zt_reader_next() went to, as many as out has: the
 * whole frame, or parts that stay in the processor's caches. No slice can be read twice. */
ZT_API zt_status zt_reader_read(zt_reader *reader, const zt_array *out);

/** How many slices to read next with zt_reader_read(), in parts of about part_bytes. It is a number
 * of whole tiles; where that would decode tiles twice, all that is left of the frame. 0 without a
 * frame. */
ZT_API uint64_t zt_reader_part_extent(const zt_reader *reader, uint64_t part_bytes);

/** The fill values of the frames that were read so far: the finite special values.
 * @param reader of a file
 * @param fills gets how many there are
 * @param fill room for ZT_MAX_FILLS bit patterns */
ZT_API zt_status zt_reader_fills(const zt_reader *reader, uint32_t *fills, uint64_t *fill);

/** Verify every checksum of a source of known size; nothing is decoded. */
ZT_API zt_status zt_reader_check(zt_reader *reader);

/* ---- damaged files --------------------------------------------------------------------------- */

/** What is lost of a damaged file, or read from it unverified. */
typedef enum zt_loss {
    ZT_LOSS_LOST = 1,      /**< The values are gone; the fill value is in their places. */
    ZT_LOSS_UNVERIFIED = 2 /**< Decoded, with no checksum left to verify it. Exact values may be
                                missing: the bound may not hold, and a number may stand for a NaN
                                or fill value. */
} zt_loss;

/** What is left of a file's seek table. */
typedef enum zt_table_state {
    ZT_TABLE_WHOLE = 0,
    ZT_TABLE_REBUILT = 1, /**< It was damaged, and rebuilt from the frames, which are all there. */
    ZT_TABLE_MISSING = 2  /**< It is gone; what followed the last frame that is left is unknown. */
} zt_table_state;

/** How to read a damaged file, and what was found. zt_reader_salvage() adds up over the frames. */
typedef struct zt_salvage {
    uint32_t struct_bytes; /**< Set by zt_salvage_init(). */
    uint32_t has_fill;     /**< 1: fill stands for lost values; 0: NaN, for integers 0. */
    uint64_t fill;         /**< A bit pattern of the array's type; see zt_fill_bits(). */
    /** NULL, or called for each box of the array that is lost or unverified, with the reason in a
     * few words. Boxes are in the array's coordinates, do not overlap, and come frame by frame.
     * Returns 0 to go on, anything else to cancel the call. */
    int (*part)(void *user, zt_loss loss, const zt_box *box, const char *why);
    void *user;                 /**< Passed to part. */
    uint64_t lost_boxes;        /**< Boxes that are ZT_LOSS_LOST. */
    uint64_t lost_values;       /**< Values in these boxes. */
    uint64_t unverified_boxes;  /**< Boxes that are ZT_LOSS_UNVERIFIED. */
    uint64_t unverified_values; /**< Values in these boxes. */
    uint64_t frames;            /**< Frames that were read. */
    uint64_t damaged_frames;    /**< How many of them had any damage. */
    uint64_t repaired; /**< Headers, tails and seek tables that were repaired, by one bit or from a
                          copy. Their hash of 64 bits fits again. */
    uint32_t table;    /**< #zt_table_state */
    uint32_t reserved; /**< 0 */
} zt_salvage;

/** Set up a salvage without a fill value; salvage_bytes is sizeof(zt_salvage). */
ZT_API zt_status zt_salvage_init(zt_salvage *salvage, size_t salvage_bytes);

/** Open what is left of a damaged .zt file, which may be cut short and have no seek table.
 *
 * zt_reader_info() and zt_reader_next() work as on any reader; frames that are lost are visited
 * too. Read each with zt_reader_salvage(); boxes cannot be read. The array ends with the last frame
 * that is known.
 * @param context NULL is allowed
 * @param source of known size
 * @param reader gets the reader; zt_reader_close() releases it
 * @return ZT_CORRUPT if no frame's header is whole; ZT_IO, ZT_UNSUPPORTED */
ZT_API zt_status zt_reader_open_damaged(zt_context *context, const zt_source *source,
                                        zt_reader **reader);

/** Read a frame of a reader that zt_reader_open_damaged() opened. ZT_OK however much is lost.
 *
 * Values outside the boxes that are reported to salvage->part are those of the undamaged file. Lost
 * are the tiles in damaged ranges of the payload; in a frame without an index, also what follows
 * them. Ranges of the source that cannot be read count as damage.
 * @param reader at a frame that zt_reader_next() went to
 * @param out gets the frame and has its shape
 * @param salvage says what to do, and gets what was found
 * @return ZT_UNSUPPORTED, ZT_CANCELLED */
ZT_API zt_status zt_reader_salvage(zt_reader *reader, const zt_array *out, zt_salvage *salvage);

#ifdef __cplusplus
}
#endif

#endif
