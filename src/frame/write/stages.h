/* stages.h: the stages by which a slab becomes a frame of a file, in their order:
 *
 *   resolve   resolve.c: the caller's bound to the codec's target; mean.c and pwrel.c search for it
 *             where the range alone does not give it
 *   plan      plan.c: codec, effort and order of axes, chosen by samples
 *   fill      fill.c: special values replaced by smooth ones
 *   code      code.c: values to a payload; index.c: where its chunks begin; measure.c: the mean
 *             error; raw.c: values uncompressed where the payload would be longer; spool.c:
 *             payloads of a store, which leave while they are coded
 *   emit      emit.c: header, payload and tail to the output, and the seek table at the end
 *
 * A frame is a job on its way through them (stages.c). Slabs are cut by writer.c. */
#ifndef ZTI_FRAME_WRITE_STAGES_H
#define ZTI_FRAME_WRITE_STAGES_H

#include "core/buffer.h"
#include "frame/format/format.h"
#include "plan/contest.h"
#include "plan/loosen.h"
#include "ztile_quality.h"
#include "ztile_store.h"

/* What the caller asks of all frames. */
struct zti_request {
    zt_params params; /* an open range, codec or effort is set later */
    char name[ZTI_NAME_BYTES + 1];
    char units[ZTI_UNITS_BYTES + 1];
    uint32_t type;
    uint32_t rank;
    uint64_t shape[ZT_MAX_RANK]; /* of the whole array; shape[0] may be ZT_UNKNOWN */
    uint64_t slice_bytes;
    uint64_t thickness; /* slices of a frame */
    const struct zti_codec *codec;
    bool is_codec_open;             /* codec and effort are chosen with the first frame */
    const struct zti_choice *fixed; /* for tests, which code every plan: the one for all frames */
};

/* Where frames are written, and what was written so far. */
struct zti_output {
    zt_sink sink;
    zt_store store;
    uint8_t *memory; /* the caller's, if both have no write */
    size_t memory_bytes;
    bool is_on_device; /* memory is the GPU's */
    uint64_t at;
    uint64_t end; /* of the store's file, which may be after 'at' */
    struct zti_buffer tail;
    struct zti_table table;
    uint64_t special_values;
    uint64_t counted_values; /* that a mean error counts */
    double range, error;     /* with a mean only: the frames' range; sum of their errors, each times
                                its counted values */
};

/* Memory that one job after the other uses. */
struct zti_scratch {
    struct zti_buffer permuted; /* the coded array, where strides over the slab cannot express it */
    struct zti_buffer decoded;  /* with a mean only: slices as a decoder gets them */
    struct zti_buffer payload, starts; /* empty while a job holds them */
    struct zti_buffer window;          /* of spooled streams */
};

/* A payload that goes to a store while it is coded (spool.c). */
struct zti_spool {
    uint64_t at; /* byte of the file where it begins; 0: not known yet */
    uint64_t head_bytes;
    uint64_t bytes; /* that were coded and left the window */
    uint64_t limit_bytes;
    struct zti_buffer front; /* its first bytes, which are written last */
    struct zti_buffer sums;  /* checksums of its ranges */
};

/* A payload that stays in the GPU's memory (device_payload.c). */
struct zti_device_payload {
    uint8_t *place;               /* in the output; NULL: the payload is in the host's memory */
    struct zti_buffer head, sums; /* its head, and checksums of its ranges */
};

/* What a pass over a slab's values finds. */
struct zti_scanned {
    double min, max;         /* of its finite values; NaN: there are none */
    uint64_t special_values; /* NaN, infinities, fill values */
};

static inline struct zti_scanned zti_scanned_of(const zt_stats *stats)
{
    return (struct zti_scanned){.min = stats->min,
                                .max = stats->max,
                                .special_values =
                                    stats->nan_values + stats->inf_values + stats->fill_values};
}

/* A search for the bound that meets a mean error (mean.c). */
struct zti_search {
    double bound;  /* absolute bound to try next, or the result; 0: no bound meets the target */
    double target; /* of the mean squared error over the square of the range, or of the square of
                      the mean error over the range */
    double range;
    double limit;     /* the largest bound that may be tried; infinite: any */
    double most;      /* the same over range */
    bool is_absolute; /* errors count by their magnitudes, not squares */
    uint32_t type;    /* zt_type */
    uint32_t trial;   /* number of the current one */
    uint32_t probes;  /* trials that may follow the usual ones */
    bool is_last;     /* no trial follows it */
    bool has_powers;  /* bounds are powers of two (2^k); else any */
    struct zti_powers {
        int k, most, least; /* exponents: tried now, and its limits */
        int met, unmet;     /* most + 1: none is known */
        int step;           /* distance to the next k while met or unmet is not known */
        uint32_t steps;
    } powers;
    struct zti_bracket { /* bounds over range; 0: not known */
        double bound;
        double met, unmet;
        uint32_t misses; /* trials so far, as long as none has met the target */
        double best, best_error;
        double last, last_error; /* the trial before */
    } bracket;
};

/* A frame on its way. */
struct zti_job {
    zt_context *context;
    const struct zti_request *request;
    struct zti_scratch *scratch;
    struct zti_output *output;
    const struct zti_array *slab; /* in the host's memory where a stage here reads it */

    /* resolve */
    struct zti_frame frame;
    struct zti_target target;
    struct zti_search search; /* if has_search */
    bool has_search;
    bool is_loosened;     /* the number of dropped planes was reduced once */
    uint64_t misses_most; /* with dropped planes: more exact values than this do not pay */

    /* plan */
    zt_params params; /* target.params: the caller's, with the candidate's effort */

    /* fill */
    struct zti_array values; /* the coded array, as the codec is given it */
    struct zti_special special;

    /* code */
    bool is_aside;      /* another coding of this slab holds the place in the output */
    uint64_t won_bytes; /* of the frame by the smallest of other codings; 0: there is none */
    struct zti_misses misses;
    struct zti_buffer starts;            /* of chunks, uint64_t */
    struct zti_buffer payload;           /* unused where the payload lies in the output */
    struct zti_spool spool;              /* if zti_spools */
    struct zti_device_payload on_device; /* if the payload stays in the GPU's memory */
    uint8_t *stream; /* the payload, in any of them; of a spool its front, of a GPU's its
                        head */
};

/* ---- stages.c ---- */

enum { ZTI_OPTIONS_MOST = 64 };

/* The choices that the first frame had. */
struct zti_options {
    zt_option list[ZTI_OPTIONS_MOST];
    uint32_t count;
};

/* Write the frame of a slab, which may be in a GPU's memory. Sets codec and effort of request if
 * they were open; fills options with the first frame. scanned may be NULL. */
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
                                   .sums = job->spool.at > 0      ? job->spool.sums.bytes
                                           : job->on_device.place ? job->on_device.sums.bytes
                                                                  : NULL,
                                   .starts = (const uint64_t *)(const void *)job->starts.bytes};
}

/* ---- device_payload.c ---- */

/* Room for a payload of 'capacity' bytes in the output, if that is the GPU's and kernels code the
 * frame; else NULL, and so is job->on_device.place. */
uint8_t *zti_device_payload_room(struct zti_job *job, size_t capacity, size_t *room_bytes);

/* Put the head of a coded payload in its place; sets job->stream. */
zt_status zti_device_payload_write_head(struct zti_job *job, const struct zti_starts *starts);

/* Checksums of the payload, if there is one, and the place that it has behind its header. */
zt_status zti_device_payload_end(struct zti_job *job);

void zti_device_payload_free(zt_context *context, struct zti_device_payload *payload);

/* ---- resolve.c ---- */

/* Check the caller's parameters for an array; does not read its data. */
zt_status zti_request_init(zt_context *context, const struct zti_array *whole,
                           const zt_params *params, struct zti_request *request);

/* Measure the range of the whole array, for rel and psnr, in slabs of 'step' slices; scanned has an
 * entry for each slab. */
zt_status zti_measure_range(zt_context *context, struct zti_request *request,
                            const struct zti_array *array, uint64_t step,
                            struct zti_scanned *scanned);

/* The first stage: set job->target and the header's numbers of the bound. scanned: from a pass over
 * the slab; NULL: the pass is made here. job->context, request and slab are set. */
zt_status zti_resolve(struct zti_job *job, const struct zti_scanned *scanned);

/* Its second half, after filling, for targets that need the values: PSNR, bounds relative to each
 * value, dropped planes. */
zt_status zti_resolve_by_values(struct zti_job *job);

/* Whether the slab has to be coded again; sets job->target for that: the search's next bound for a
 * PSNR, more planes where too many values were kept exactly, lossless where misses.exceeds_limit.
 */
bool zti_resolve_again(struct zti_job *job);

/* Whether a kind of bound limits errors, of each value or on average: not a rate or precision. */
static inline bool zti_limits_errors(uint32_t kind)
{
    return kind == ZT_ABS || kind == ZT_REL || kind == ZT_PWREL || zti_is_mean(kind);
}

/* Whether the caller's bound asks for no loss: 0 does, but of a PSNR. */
static inline bool zti_is_lossless(const zt_bound *bound)
{
    return bound->kind == ZT_LOSSLESS ||
           (zti_limits_errors(bound->kind) && bound->kind != ZT_PSNR && bound->value == 0);
}

/* Whether under a bound of this kind no frame is longer than a raw one, except for an index that
 * was asked for. */
static inline bool zti_has_limit(const zt_bound *bound)
{
    return bound->kind == ZT_LOSSLESS || zti_limits_errors(bound->kind);
}

static inline void zti_target_lossless(struct zti_target *target)
{
    target->kind = ZT_LOSSLESS;
    target->abs_bound = 0;
}

/* ---- mean.c ---- */

/* The absolute bound with which a frame meets its bound on the mean error if errors are spread
 * evenly within it. */
double zti_mean_bound(const struct zti_frame *frame);

/* Begin the search for the largest bound that meets the mean error. */
zt_status zti_search_begin(struct zti_job *job);

/* Set search->bound to the next one to try, where the last one had a frame's 'error'; false: the
 * last one is the result. */
bool zti_search_next(struct zti_search *search, double error);

/* ---- pwrel.c ---- */

/* Set target.choice to the codec's way of keeping a bound of ZT_PWREL that takes the fewest bits on
 * a sample, exact values included. */
zt_status zti_choose_way(struct zti_job *job);

/* ---- plan.c ---- */

/* Whether params ask for a plan and their bound leaves a choice. At a fixed rate all plans give the
 * same length, and expert parameters say nothing about errors. */
bool zti_has_planning(const zt_params *params);

/* All candidates for a request, lossy and lossless ones, because a bound may come to 0. */
uint32_t zti_candidates_of(const struct zti_request *request,
                           struct zti_candidate list[2 * ZTI_CANDIDATES_MOST]);

/* Set a frame's plan and the grid of its coded array; NULL: no plan. */
void zti_frame_set_plan(struct zti_frame *frame, const struct zti_plan *plan);

/* The candidates for a frame, the most promising first; where params ask for a plan, by samples. */
zt_status zti_plan_frame(const struct zti_job *job, struct zti_result *results, uint32_t *count);

/* The target for coding samples: for a mean error, the absolute bound of evenly spread ones. */
struct zti_target zti_target_of_samples(const struct zti_job *job);

/* Set the chosen codec, effort and plan, and job->values to the coded array: the slab itself with
 * other strides if they can express it, else a copy. */
zt_status zti_apply_plan(struct zti_job *job, const struct zti_result *result);

/* ---- options.c ---- */

/* Describe results for users: first number 'taken', then the others, then other plans that samples
 * tried. Returns how many. */
uint32_t zti_describe_results(const struct zti_result *results, uint32_t count, uint32_t taken,
                              const uint64_t *shape, zt_option *options, uint32_t room);

/* ---- fill.c ---- */

/* Move the special values of job->values to job->special and fill their places with values that
 * cost few bits. With too many different ones they stay, and the target becomes lossless. */
zt_status zti_fill(struct zti_job *job);

/* ---- code.c ---- */

/* Code job->values under job->target; may be called again with another target.
 * misses.exceeds_limit: too many values missed the bound, or the stream is longer than the values.
 */
zt_status zti_code(struct zti_job *job);

/* Encode values with frame.coding, all but the head; sets job->stream and frame.payload_bytes.
 * ZT_NO_SPACE: the payload is longer than most_bytes. misses and starts may be NULL. */
zt_status zti_encode_payload(struct zti_job *job, const struct zti_array *values,
                             uint64_t most_bytes, struct zti_misses *misses,
                             const struct zti_starts *starts);

/* The most values of an array that may miss the bound and are kept exactly beside the stream, 1 in
 * 8: with more, coding without loss takes about as few bytes. */
static inline uint64_t zti_misses_limit(uint32_t rank, const uint64_t *shape)
{
    return zti_array_values(rank, shape) / 8;
}

/* ---- measure.c ---- */

/* Decode the stream and set frame.error. */
zt_status zti_measure(struct zti_job *job);

/* ---- spool.c ---- */

/* Whether a job's payload leaves while it is coded. */
bool zti_spools(const struct zti_job *job);

/* Encode values to the job's store; sets job->stream to the payload's front, into which the head is
 * to be put. spool.bytes: the payload's. ZT_NO_SPACE: it is longer than limit_bytes. */
zt_status zti_spool_encode(struct zti_job *job, const struct zti_coding *coding,
                           const struct zti_array *values, uint64_t limit_bytes,
                           struct zti_misses *misses, const struct zti_starts *starts);

/* When the frame is measured: write the front, complete the checksums, and move the payload to its
 * place if it is elsewhere. Does nothing for other jobs. */
zt_status zti_spool_end(struct zti_job *job);

void zti_spool_free(zt_context *context, struct zti_spool *spool);

/* ---- index.c ---- */

/* Whether the number of tiles in a chunk follows from the bits that they take. */
bool zti_fits_chunks(const zt_params *params, const struct zti_coding *coding);

/* The index that params ask for, with defaults filled in; chunk_tiles depends on the codec, and is
 * the least where it follows from bits. */
struct zti_index_layout zti_layout_of(const zt_params *params, const struct zti_coding *coding);

/* Tiles of the chunks whose number decides whether a frame has an index. */
uint32_t zti_counted_chunk_tiles(const zt_params *params, const struct zti_coding *coding);

/* The fewest such chunks of a frame that has an index. */
uint64_t zti_least_chunks(const zt_params *params, const struct zti_coding *coding);

/* Chunks of a frame that has an index. */
uint64_t zti_frame_chunks(const struct zti_frame *frame);

/* Choose a frame's index: none where tiles have a fixed size, or where there is one chunk only. */
void zti_choose_index(const zt_params *params, struct zti_frame *frame);

/* Reserve room for the starts of chunks; none (starts->list stays NULL) where neither the index nor
 * the codec's head needs them. */
zt_status zti_starts_room(zt_context *context, const struct zti_frame *frame,
                          struct zti_buffer *buffer, struct zti_starts *starts);

/* After coding: choose how many tiles a chunk has if that follows from bits, turn starts into the
 * units of the frame's index, and set index_bytes. */
void zti_set_index(const zt_params *params, struct zti_frame *frame,
                   const struct zti_starts *starts);

/* ---- raw.c ---- */

/* Leave special values in the payload, which is then lossless. */
void zti_frame_leave_special(struct zti_frame *frame);

/* Make a frame raw: its payload is its values, uncompressed. */
void zti_frame_set_raw(struct zti_frame *frame);

/* Set the lengths of a frame's header and tail, when all else is known. A default index is dropped
 * if the frame would be longer than a raw one with it. */
void zti_measure_frame(const zt_params *params, struct zti_frame *frame,
                       const struct zti_tail_parts *parts);

/* Make a coded frame raw if it is longer than its values even without an index, or if
 * misses.exceeds_limit. */
zt_status zti_keep_short(struct zti_job *job);

/* ---- room.c ---- */

/* Set the lengths of a frame to the most that they can be. */
void zti_frame_set_largest(struct zti_frame *frame, uint64_t payload_bytes);

/* The most bytes of a frame of full thickness and of the last one (0: it is full too), for any
 * choice of codec and plan, each with the padding before it. device_parts: NULL, or the bytes of
 * each part of a GPU's memory, which are raised to what coding needs. */
zt_status zti_frames_bound(zt_context *context, const struct zti_request *request,
                           uint64_t *device_parts, uint64_t *full_bytes, uint64_t *rest_bytes);

/* ---- emit.c ---- */

static inline bool zti_output_is_store(const struct zti_output *output)
{
    return output->store.write != NULL;
}

/* Whether frames are handed to the caller's functions; else they stay in memory. */
static inline bool zti_output_is_written(const struct zti_output *output)
{
    return output->sink.write || output->store.write;
}

/* Whether the output is written at any place, not in order. */
static inline bool zti_output_has_places(const struct zti_output *output)
{
    return output->store.read != NULL;
}

static inline struct zti_passing zti_passing_of(const struct zti_output *output,
                                                const struct zti_array *slab)
{
    return (struct zti_passing){
        .passed = output->store.passed, .user = output->store.user, .slab = slab};
}

/* Write to and read from a store. */
zt_status zti_output_write_at(zt_context *context, struct zti_output *output, uint64_t at,
                              const uint8_t *bytes, size_t n);
zt_status zti_output_read_at(zt_context *context, const struct zti_output *output, uint64_t at,
                             uint8_t *bytes, size_t n);

/* ZT_BAD_ARG for an invalid sink or store. */
zt_status zti_store_check(zt_context *context, const zt_store *store);
zt_status zti_sink_check(zt_context *context, const zt_sink *sink);

/* The last place that a payload of at most most_bytes may have, see zti_payload_at: behind the
 * longest header that its frame can have. */
uint64_t zti_payload_at_most(uint64_t before, const struct zti_frame *frame, uint64_t most_bytes);

/* Room in the output for a payload of 'capacity' bytes; NULL where the output is a sink or too
 * small. */
uint8_t *zti_output_room(const struct zti_output *output, const struct zti_frame *frame,
                         size_t capacity, size_t *room_bytes);

/* Write a frame whose lengths zti_measure_frame has set; with parts->sums its payload is in its
 * place. */
zt_status zti_emit(zt_context *context, struct zti_output *output, const struct zti_frame *frame,
                   const uint8_t *payload, const struct zti_tail_parts *parts);

/* Write the seek table and make the file durable, if the sink or store can. */
zt_status zti_emit_table(zt_context *context, struct zti_output *output);

void zti_output_free(zt_context *context, struct zti_output *output);

#endif
