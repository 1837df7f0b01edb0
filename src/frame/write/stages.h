/* stages.h: the writer behind zt_writer_* and zt_compress, which the stages of writing share. */
#ifndef ZTI_FRAME_WRITE_STAGES_H
#define ZTI_FRAME_WRITE_STAGES_H

#include "core/buffer.h"
#include "frame/format/format.h"
#include "plan/contest.h"
#include "plan/tight.h"

enum { ZTI_OPTIONS_MOST = 64 };

enum zti_writer_state { ZTI_WRITER_OPEN, ZTI_WRITER_CLOSED, ZTI_WRITER_FAILED };

struct zt_writer {
    zt_context *context;
    zt_sink sink;
    uint8_t *memory; /* the caller's, where sink.write is NULL */
    size_t memory_bytes;
    uint64_t at; /* bytes written */
    zt_params params;
    char name[ZTI_NAME_BYTES + 1];
    char units[ZTI_UNITS_BYTES + 1];
    const struct zti_codec *codec;
    bool is_codec_open;                  /* codec and effort are chosen with the first frame */
    zt_option options[ZTI_OPTIONS_MOST]; /* what there was to choose from for the first frame */
    uint32_t options_count;
    uint32_t type;
    uint32_t rank;
    uint64_t shape[ZT_MAX_RANK]; /* of the whole array; shape[0] may be ZT_UNKNOWN */
    uint64_t slice_bytes;
    uint64_t thickness;      /* slices of a frame */
    uint64_t special_values; /* in frames that were written */
    uint64_t counted_values; /* in them: those of which the PSNR is */
    double error;    /* psnr only: their squared errors over the square of the range, summed */
    uint64_t put;    /* slices that were put */
    uint64_t staged; /* of them not coded yet, in stage */
    struct zti_buffer stage;
    struct zti_buffer payload; /* where memory is, of all codings of a frame but the first */
    bool is_aside;             /* one of these */
    struct zti_buffer tail;
    struct zti_buffer starts; /* of chunks, uint64_t */
    struct zti_buffer turned; /* a slab as the coded array, where its strides cannot be that */
    const struct zti_choice *fixed; /* plan and axes of all frames, instead of a choice; or NULL */
    struct zti_buffer decoded;      /* psnr only: a slab */
    uint64_t *device_parts; /* NULL, or: raised to the memory of a GPU that codings need, when their
                               frames' bounds are computed */
    struct zti_table table;
    enum zti_writer_state state;
};

/* Set up a writer that has neither sink nor memory yet; nothing is allocated. */
zt_status zti_writer_init(zt_context *context, const struct zti_array *whole,
                          const zt_params *params, struct zt_writer *writer);

/* Append slices. stats may be NULL; otherwise they are those of the whole slab, which is known to
 * be one frame. */
zt_status zti_writer_put(struct zt_writer *writer, const struct zti_array *slab,
                         const zt_stats *stats);

/* ZT_BAD_ARG where a sink is none, or cannot do what params ask of it. */
zt_status zti_sink_check(zt_context *context, const zt_sink *sink, const zt_params *params);

/* Write the rest and the seek table. */
zt_status zti_writer_finish(struct zt_writer *writer);

/* Free what a writer holds, not itself. */
void zti_writer_clear(struct zt_writer *writer);

/* The frame of a slab, but for its lengths, and what is asked of the codec for it. */
zt_status zti_writer_prepare(struct zt_writer *writer, const struct zti_array *slab,
                             const zt_stats *stats, struct zti_frame *frame, struct zti_ask *ask);

/* room.c: the most bytes of a frame of this many slices under a plan (NULL: none), with the padding
 * before it. */
zt_status zti_writer_bound_of(struct zt_writer *writer, uint64_t extent,
                              const struct zti_plan *plan, uint64_t *bytes);

/* ---- planned.c ---- */

/* Whether params ask for a plan, and for something that there is a choice of. At a fixed rate a
 * stream is as long under any plan, and expert parameters say nothing about errors. */
bool zti_has_planning(const zt_params *params);

/* What slabs are cut at where each codec may still be chosen: a multiple of each one's side. */
uint32_t zti_side_of_all(const struct zt_writer *writer);

/* Code the frame's slab under a plan; NULL: as it is. */
void zti_frame_set_plan(struct zti_frame *frame, const struct zti_plan *plan);

/* What a frame may be coded with, the one to be coded first first, by what samples say where params
 * ask for a plan. */
zt_status zti_writer_contest(struct zt_writer *writer, const struct zti_frame *frame,
                             const struct zti_ask *ask, const struct zti_array *slab,
                             struct zti_result *results, uint32_t *count);

/* Code a frame as was chosen, with the effort that ask->params has. */
void zti_frame_take(struct zti_frame *frame, const struct zti_choice *choice, struct zti_ask *ask);

/* What users are told of results: the one that was taken first, then the others, then plans that
 * went far. Returns how many. */
uint32_t zti_describe_results(const struct zti_result *results, uint32_t count, uint32_t taken,
                              const uint64_t *shape, zt_option *options, uint32_t room);

/* The slab as the coded array: where it lies if strides can say that, else copied. */
zt_status zti_writer_turn(struct zt_writer *writer, const struct zti_frame *frame,
                          const struct zti_array *slab, struct zti_array *coded);

/* The most bytes of a frame of this many slices, whatever is chosen, with the padding before it. */
zt_status zti_writer_frame_bound(struct zt_writer *writer, uint64_t extent, uint64_t *bytes);

/* ---- compress.c ---- */

/* Measure the range that rel is of, where the caller did not give it. */
zt_status zti_writer_measure(struct zt_writer *writer, const struct zti_array *array,
                             zt_stats *stats);

/* ---- finals.c ---- */

/* Code a slab in the host's memory, or one that only kernels look at, and write its frame. */
zt_status zti_writer_code_slab(struct zt_writer *writer, const struct zti_array *slab,
                               const zt_stats *stats);

/* ---- write.c ---- */

/* Code a slab as the frame's codec and plan are set and as is asked, special values apart. */
zt_status zti_writer_encode(struct zt_writer *writer, struct zti_frame *frame, struct zti_ask *ask,
                            const struct zti_array *slab, struct zti_special *special,
                            struct zti_misses *misses, uint8_t **payload);

/* The lengths of a frame set to the most that they can be. */
void zti_frame_set_largest(struct zti_frame *frame, uint64_t payload_bytes);

/* Room for a payload of at most 'capacity' bytes: in the output if that is memory and has it. */
zt_status zti_writer_payload_room(struct zt_writer *writer, const struct zti_frame *frame,
                                  size_t capacity, uint8_t **room, size_t *room_bytes);

/* ZT_NO_SPACE, with the sentence. */
zt_status zti_writer_no_space(const struct zt_writer *writer);

/* Whether a bound is as asked for one that leaves no loss. */
bool zti_is_lossless(const zt_bound *bound);

/* Let fill values be counted apart. */
void zti_stats_set_fills(zt_stats *stats, const zt_params *params);

/* The index that params ask for. The default depends on codec, rank and size of tiles. */
struct zti_index_layout zti_layout_of(const zt_params *params, const struct zti_coding *coding);

/* Choose a frame's index: none where places are computed, or where there is one chunk only. */
void zti_writer_choose_index(const struct zt_writer *writer, struct zti_frame *frame);

/* Room to note where chunks begin, where the frame has an index or the head wants to know. */
zt_status zti_writer_starts_room(struct zt_writer *writer, const struct zti_frame *frame,
                                 struct zti_starts *starts);

/* Where tiles begin is known: turn starts into the units of the frame's index, set its bytes. */
void zti_writer_set_index(struct zti_frame *frame, const struct zti_starts *starts);

/* Code a slab as is asked, from its codec's configuration on, with what that notes in f; again, if
 * it was done before. misses->is_over: nothing of use came out, since too many values missed the
 * bound, or the stream got longer than the values. */
zt_status zti_writer_code(struct zt_writer *writer, struct zti_frame *frame,
                          const struct zti_ask *ask, const struct zti_array *slab,
                          struct zti_misses *misses, uint8_t **payload);

/* The absolute bound at which errors spread evenly below it have a PSNR. */
double zti_psnr_bound(double decibel, double range);

/* ---- psnr.c ---- */

/* Code a slab with the largest error that meets the PSNR asked for, and note in f what it is.
 * *special says which values do not count. */
zt_status zti_psnr_code(struct zt_writer *writer, struct zti_frame *f, struct zti_ask *ask,
                        const struct zti_array *slab, const struct zti_special *special,
                        struct zti_misses *misses, uint8_t **payload);

/* ---- pwrel.c ---- */

/* Set ask->choice to the codec's way of keeping a bound of ZT_PWREL that makes the smallest stream,
 * exact values included. */
zt_status zti_choose(struct zt_writer *writer, const struct zti_frame *frame, struct zti_ask *ask,
                     const struct zti_array *slab);

/* ---- raw.c ---- */

/* Whether a bound is of a kind under which no frame is longer than one with the values as they are,
 * but for an index that was asked for. */
bool zti_has_limit(const zt_bound *bound);

/* Leave special values in the payload, which then has them without loss. */
void zti_frame_leave_special(struct zti_frame *frame);

/* Make a frame one that holds its values as they are. */
void zti_frame_set_raw(struct zti_frame *frame);

/* Leave out an index with which a frame would be longer than that. */
void zti_frame_limit_index(struct zti_frame *frame, const struct zti_tail_parts *parts);

/* Where a frame that was coded is longer than that, whatever its index, or nothing of use came out
 * (is_over), make it hold the slab's values as they are. */
zt_status zti_writer_keep_short(struct zt_writer *writer, struct zti_frame *frame,
                                const struct zti_array *slab, bool is_over,
                                const struct zti_tail_parts *parts, uint8_t **payload);

/* ---- write.c ---- */

/* Set the lengths of a frame's header and tail, of which all else is known. */
void zti_writer_measure_frame(const struct zt_writer *writer, struct zti_frame *frame,
                              const struct zti_tail_parts *parts);

/* Write a frame of which all is known but these. */
zt_status zti_writer_emit(struct zt_writer *writer, struct zti_frame *frame, const uint8_t *payload,
                          const struct zti_tail_parts *parts);

#endif
