/* stages.h: the stages by which a slab becomes a frame of a file, in their order:
 *
 *   resolve   resolve.c: the caller's bound to what is asked of a codec; psnr.c and pwrel.c are how
 *             that is searched for where the range alone does not say
 *   plan      plan.c: codec, effort and order of axes, by samples
 *   fill      fill.c: special values out, something smooth in
 *   code      code.c: values to a payload; index.c: where its chunks begin; raw.c: values as they
 *             are, where nothing shorter came out
 *   emit      emit.c: header, payload and tail to the output, and the seek table at the end
 *
 * A frame is a job on its way through them (stages.c). Slabs are cut by writer.c. */
#ifndef ZTI_FRAME_WRITE_STAGES_H
#define ZTI_FRAME_WRITE_STAGES_H

#include "core/buffer.h"
#include "frame/format/format.h"
#include "plan/contest.h"
#include "plan/tight.h"

/* What the caller asks of all frames. */
struct zti_request {
    zt_params params; /* the range, codec and effort, where they are left open, are set later */
    char name[ZTI_NAME_BYTES + 1];
    char units[ZTI_UNITS_BYTES + 1];
    uint32_t type;
    uint32_t rank;
    uint64_t shape[ZT_MAX_RANK]; /* of the whole array; shape[0] may be ZT_UNKNOWN */
    uint64_t slice_bytes;
    uint64_t thickness; /* slices of a frame */
    const struct zti_codec *codec;
    bool is_codec_open;             /* codec and effort are chosen with the first frame */
    const struct zti_choice *fixed; /* plan and axes of all frames, instead of a choice; or NULL */
};

/* Where frames go, and what went there. */
struct zti_output {
    zt_sink sink;
    uint8_t *memory; /* the caller's, where sink.write is NULL */
    size_t memory_bytes;
    uint64_t at; /* bytes written */
    struct zti_buffer tail;
    struct zti_table table;
    uint64_t special_values;
    uint64_t counted_values; /* those of which the PSNR is */
    double error;            /* psnr only: their squared errors over the square of the range */
};

/* Memory that jobs use one after the other. */
struct zti_scratch {
    struct zti_buffer turned;  /* a slab as the coded array, where its strides cannot be that */
    struct zti_buffer decoded; /* psnr only: a slab */
    struct zti_buffer payload, starts; /* while no job has them */
};

/* What a pass over a slab's values finds. */
struct zti_scanned {
    double min, max;         /* of its finite values; NaN: there are none */
    uint64_t special_values; /* NaN, infinities, fill values */
};

/* A search for the bound that meets a PSNR (psnr.c). */
struct zti_search {
    double bound;  /* to be tried next, or taken; 0: none is met */
    double target; /* of the mean squared error over the square of the range */
    double range;
    uint32_t type;   /* zt_type */
    uint32_t trial;  /* number of the one that is made */
    bool is_last;    /* there is no other after it */
    bool has_powers; /* bounds are powers of two: */
    struct zti_powers {
        int k, most, least; /* the one that is tried; between these */
        int met, unmet;     /* most + 1: none is known */
        int step;           /* for as long as only one is */
        uint32_t steps;
    } powers;
    struct zti_bracket { /* any bounds, over range; 0: not known */
        double bound;
        double met, unmet;
        uint32_t misses; /* trials, as long as none was met */
        double best, best_error;
    } bracket;
};

/* A frame on its way. */
struct zti_job {
    zt_context *context;
    const struct zti_request *request;
    struct zti_scratch *scratch;
    struct zti_output *output;
    const struct zti_array *slab; /* in the host's memory, but where only kernels look at it */

    /* resolve */
    struct zti_frame frame;
    struct zti_target target;
    struct zti_search search; /* if has_search */
    bool has_search;
    bool is_loosened;     /* planes that samples said could be dropped were too many, once */
    uint64_t misses_most; /* with planes dropped, more values than that kept exactly do not pay */

    /* plan */
    zt_params params; /* of target: the caller's, with the effort of the candidate */

    /* fill */
    struct zti_array values; /* the coded array, as the codec is given it */
    struct zti_special special;

    /* code */
    bool is_aside; /* the place in the output is taken by another coding of this slab */
    struct zti_misses misses;
    struct zti_buffer starts;  /* of chunks, uint64_t */
    struct zti_buffer payload; /* unless it lies in the output */
    uint8_t *stream;           /* the payload, where it lies */
};

/* ---- stages.c ---- */

enum { ZTI_OPTIONS_MOST = 64 };

/* What there was to choose from for the first frame. */
struct zti_options {
    zt_option list[ZTI_OPTIONS_MOST];
    uint32_t count;
};

/* Write the frame of a slab, which may be in a GPU's memory. What it is coded with settles codec
 * and effort of request, if they are open, and is described in options. scanned may be NULL. */
zt_status zti_write_frame(zt_context *context, struct zti_request *request,
                          struct zti_scratch *scratch, struct zti_output *output,
                          const struct zti_array *slab, const struct zti_scanned *scanned,
                          struct zti_options *options);

/* Free what a job holds; buffers go back to the scratch. */
void zti_job_free(struct zti_job *job);

static inline struct zti_tail_parts zti_job_parts(const struct zti_job *job)
{
    return (struct zti_tail_parts){.exact = job->misses.list,
                                   .special = job->special.body.bytes,
                                   .starts = (const uint64_t *)(const void *)job->starts.bytes};
}

/* ---- resolve.c ---- */

/* Check what a caller asks for an array, whose data is not looked at. */
zt_status zti_request_init(zt_context *context, const struct zti_array *whole,
                           const zt_params *params, struct zti_request *request);

/* Go through a slab's values once. */
zt_status zti_scan_slab(zt_context *context, const struct zti_request *request,
                        const struct zti_array *slab, struct zti_scanned *scanned);

/* Measure the range that rel and psnr are of, by slabs of 'step' slices, which the list is of. */
zt_status zti_measure_range(zt_context *context, struct zti_request *request,
                            const struct zti_array *array, uint64_t step,
                            struct zti_scanned *scanned);

/* The first stage: from the bound asked for, the range and what a pass over the values finds
 * (scanned; NULL: it is made here) to what is asked of the codec, and what the header says of it.
 * job->context, request and slab are set. */
zt_status zti_resolve(struct zti_job *job, const struct zti_scanned *scanned);

/* Its second half, where the range alone does not say: by the values that the codec is given. */
zt_status zti_resolve_by_values(struct zti_job *job);

/* Whether the slab has to be coded again, as it is then asked: for a PSNR with the search's next
 * bound; with more planes where too many values were kept exactly; without loss where nothing of
 * use came out. */
bool zti_resolve_again(struct zti_job *job);

/* Whether a bound is as asked for one that leaves no loss. */
bool zti_is_lossless(const zt_bound *bound);

/* Ask for no loss. */
static inline void zti_target_lossless(struct zti_target *target)
{
    target->kind = ZT_LOSSLESS;
    target->abs_bound = 0;
}

/* ---- psnr.c ---- */

/* The absolute bound at which errors spread evenly below it have a PSNR. */
double zti_psnr_bound(double decibel, double range);

/* Begin the search for the largest error that meets the PSNR asked for. */
zt_status zti_search_begin(struct zti_job *job);

/* The bound to try after one that made an error; false: it is the one to be taken. */
bool zti_search_next(struct zti_search *search, double error);

/* ---- pwrel.c ---- */

/* Set target.choice to the codec's way of keeping a bound of ZT_PWREL that makes the smallest
 * stream, exact values included. */
zt_status zti_choose_way(struct zti_job *job);

/* ---- plan.c ---- */

/* Whether params ask for a plan, and for something that there is a choice of. At a fixed rate a
 * stream is as long under any plan, and expert parameters say nothing about errors. */
bool zti_has_planning(const zt_params *params);

/* All that may be chosen for a request, with loss and without: an absolute bound may come to 0. */
uint32_t zti_candidates_of(const struct zti_request *request,
                           struct zti_candidate list[2 * ZTI_CANDIDATES_MOST]);

/* Code the frame's slab under a plan; NULL: as it is. */
void zti_frame_set_plan(struct zti_frame *frame, const struct zti_plan *plan);

/* What a frame may be coded with, the one to be coded first first, by what samples say where params
 * ask for a plan. */
zt_status zti_plan_frame(const struct zti_job *job, struct zti_result *results, uint32_t *count);

/* What samples are coded under: for a PSNR the absolute bound that errors spread evenly need. */
struct zti_target zti_target_of_samples(const struct zti_job *job);

/* Code a frame as was chosen: codec, effort, and the slab as the coded array, where it lies if
 * strides can say that, else copied. */
zt_status zti_take_plan(struct zti_job *job, const struct zti_result *result);

/* ---- options.c ---- */

/* What users are told of results: the one that was taken first, then the others, then plans that
 * went far. Returns how many. */
uint32_t zti_describe_results(const struct zti_result *results, uint32_t count, uint32_t taken,
                              const uint64_t *shape, zt_option *options, uint32_t room);

/* ---- fill.c ---- */

/* Take the special values out of job->values, into job->special, and put something smooth in their
 * places, and then what the codec codes in fewer bits. With too many different ones it is given all
 * of them, without loss. */
zt_status zti_fill(struct zti_job *job);

/* ---- code.c ---- */

/* Code job->values as is asked, again if it was done before. misses.is_over: nothing of use came
 * out, since too many values missed the bound, or the stream got longer than the values. */
zt_status zti_code(struct zti_job *job);

/* Set job->stream to room for a payload of at most 'capacity' bytes. */
zt_status zti_payload_room(struct zti_job *job, size_t capacity, size_t *room_bytes);

/* The most values of a frame that are kept exactly. */
uint64_t zti_misses_limit(const struct zti_frame *frame);

/* ---- index.c ---- */

/* The index that params ask for. The default depends on codec, rank and size of tiles. */
struct zti_index_layout zti_layout_of(const zt_params *params, const struct zti_coding *coding);

/* Chunks of a frame that has an index. */
uint64_t zti_frame_chunks(const struct zti_frame *frame);

/* Choose a frame's index: none where places are computed, or where there is one chunk only. */
void zti_choose_index(const zt_params *params, struct zti_frame *frame);

/* Room to note where chunks begin, where the frame has an index or the head wants to know. */
zt_status zti_starts_room(zt_context *context, const struct zti_frame *frame,
                          struct zti_buffer *buffer, struct zti_starts *starts);

/* Where tiles begin is known: turn starts into the units of the frame's index, set its bytes. */
void zti_set_index(struct zti_frame *frame, const struct zti_starts *starts);

/* ---- raw.c ---- */

/* Whether a bound is of a kind under which no frame is longer than one with the values as they are,
 * but for an index that was asked for. */
bool zti_has_limit(const zt_bound *bound);

/* Leave special values in the payload, which then has them without loss. */
void zti_frame_leave_special(struct zti_frame *frame);

/* Make a frame one that holds its values as they are. */
void zti_frame_set_raw(struct zti_frame *frame);

/* Set the lengths of a frame's header and tail, of which all else is known. A default index with
 * which it would be longer than its values is left out. */
void zti_measure_frame(const zt_params *params, struct zti_frame *frame,
                       const struct zti_tail_parts *parts);

/* Where a frame that was coded is longer than its values, whatever its index, or nothing of use
 * came out, make it hold them as they are. */
zt_status zti_keep_short(struct zti_job *job);

/* ---- room.c ---- */

/* The lengths of a frame set to the most that they can be. */
void zti_frame_set_largest(struct zti_frame *frame, uint64_t payload_bytes);

/* The most bytes, whatever is chosen, of a frame of full thickness and of the last one (0: it is
 * full too), each with the padding before it. device_parts: NULL, or raised to the memory of a GPU
 * that their codings need. */
zt_status zti_frames_bound(zt_context *context, const struct zti_request *request,
                           uint64_t *device_parts, uint64_t *full_bytes, uint64_t *rest_bytes);

/* ---- emit.c ---- */

/* ZT_BAD_ARG where a sink is none. */
zt_status zti_sink_check(zt_context *context, const zt_sink *sink);

/* Room for a payload of at most 'capacity' bytes: in the output if that is memory and has it; else
 * NULL. */
uint8_t *zti_output_room(const struct zti_output *output, const struct zti_frame *frame,
                         size_t capacity, size_t *room_bytes);

/* Write a frame that was measured. */
zt_status zti_emit(zt_context *context, struct zti_output *output, const struct zti_frame *frame,
                   const uint8_t *payload, const struct zti_tail_parts *parts);

/* Write the seek table, and make all durable if that is asked for. */
zt_status zti_emit_table(zt_context *context, struct zti_output *output);

/* ZT_NO_SPACE, with the sentence. */
zt_status zti_no_space(zt_context *context, const struct zti_output *output);

void zti_output_free(zt_context *context, struct zti_output *output);

#endif
