/* async.c: zt_compress_async: a file of one frame, coded on a GPU without waiting. The host checks
 * what is asked and queues kernels; these scan, choose, code and emit, and the host sees no number
 * of it. So what it would decide by values is left out or decided by kernels: no plan, no fill
 * values, NaN and infinities exact in the stream. zt_compress takes the same kernels where the file
 * is the same, and waits once.
 *
 *     scratch:  what kernels find in zeroed memory: range | codec | index | moving
 *               then: codec | chosen | starts | blocks of the index | emitted
 */
#include "array/on_device.h"
#include "codec/gpu_alone.h"
#include "core/device.h"
#include "frame/write/gpu/emit.h"
#include "frame/write/writer.h"
#include "ztile_cuda.h"

#include <math.h>

/* What is asked, and where in scratch the parts of the work are. */
struct alone {
    const struct zti_cuda_alone *codec;
    struct zti_request request;
    double abs_bound;
    struct zti_frame frame;
    uint64_t chunks_most, payload_most, room_bytes, out_bytes;
    struct {
        uint64_t found, zeroed, words, moving, rest; /* zeros up to 'rest' */
        uint64_t chosen, index, emitted, work, starts, blocks, end;
    } at;
};

/* ---- what is asked ---- */

static zt_status refuse(zt_context *context, const char *what)
{
    return zti_fail(context, ZT_UNSUPPORTED, "without waiting, %s; use zt_compress", what);
}

/* Why a request is refused, or NULL. */
static const char *objection_to(const struct zti_request *r)
{
    const zt_params *const p = &r->params;
    if (p->mean.kind != ZT_LOSSLESS)
        return "there are no bounds on mean errors";
    if (p->plan != ZT_PLAN_OFF || p->fills > 0 || !isnan(p->within_lo) || !isnan(p->within_hi))
        return "there are no plans, fill values and limits";
    return r->thickness < r->shape[0] ? "an array has one frame; set a larger slab_bytes" : NULL;
}

/* The coding of the only frame for values of an unknown range. */
static zt_status open_frame(zt_context *context, struct alone *a)
{
    const struct zti_request *const r = &a->request;
    struct zti_frame *const f = &a->frame;
    const struct zti_target target = {.params = &r->params,
                                      .kind = ZT_ABS,
                                      .abs_bound = a->abs_bound,
                                      .min = (double)NAN,
                                      .max = (double)NAN};
    memset(f, 0, sizeof *f);
    f->type = r->type;
    f->rank = r->rank;
    memcpy(f->shape, r->shape, sizeof f->shape);
    memcpy(f->name, r->name, sizeof f->name);
    memcpy(f->units, r->units, sizeof f->units);
    f->bound = r->params.bound;
    f->abs_bound = a->abs_bound;
    f->limits.lo = -(double)INFINITY;
    f->limits.hi = (double)INFINITY;
    f->coding = zti_coding_of(r->codec, r->type, r->rank, r->shape);
    zti_frame_set_plan(f, NULL);
    return r->codec->configure(context, &target, &f->coding);
}

static uint32_t header_bytes_of(const struct zti_frame *f, const struct zti_header_text *text,
                                const struct zti_header_numbers *numbers)
{
    return zti_header_whole_bytes(zti_header_rest_bytes(text, numbers), f->payload_bytes,
                                  f->tail_bytes);
}

/* Places in scratch and in the output. */
static void lay_out(struct alone *a)
{
    const struct zti_coding *const coding = &a->frame.coding;
    const struct zti_cuda_alone *const codec = a->codec;
    struct zti_frame *const f = &a->frame;
    f->index = zti_layout_of(&a->request.params, coding);
    const uint32_t each = f->index.chunk_tiles;
    struct zti_frame largest = *f;
    struct zti_header_text text;
    struct zti_header_numbers numbers;
    a->chunks_most = zti_index_chunks(codec->tiles_most(coding), each);
    a->payload_most = codec->bits_most(coding) / 8;
    largest.payload_bytes = a->payload_most;
    largest.index_bytes =
        f->index.kind == ZT_INDEX_NONE ? 0 : zti_index_bytes_max(&f->index, a->chunks_most);
    largest.tail_bytes = zti_tail_bytes_max(&largest);
    zti_header_split(&largest, &text, &numbers);
    numbers.params_bytes = codec->params_likely(coding);
    a->room_bytes = header_bytes_of(&largest, &text, &numbers);
    numbers.params_bytes = codec->params_most(coding);
    a->out_bytes = header_bytes_of(&largest, &text, &numbers) + ZTI_FRAME_ALIGN_BYTES +
                   a->payload_most + ZTI_GAP_BYTES + largest.tail_bytes + ZTI_TABLE_HEAD_MAX_BYTES +
                   2 * ZTI_VARINT_MAX_BYTES + ZTI_TABLE_FOOT_BYTES;
    const uint64_t sizes[] = {sizeof(struct zti_scan_found),
                              codec->zeroed_bytes(coding),
                              zti_cuda_index_room(&f->index, a->chunks_most),
                              8 * zti_cuda_moving_words(a->payload_most),
                              0,
                              sizeof(struct zti_cuda_chosen),
                              sizeof(struct zti_index_found),
                              sizeof(struct zti_emitted),
                              codec->work_bytes(coding),
                              8 * a->chunks_most,
                              8 * zti_cuda_index_blocks(a->chunks_most)};
    zti_lay_out_scratch(sizes, sizeof sizes / sizeof *sizes, &a->at.found);
}

static bool takes(const zt_context *context, const struct alone *a)
{
    const int before = context->device->enter(context);
    const bool is_taken = a->codec->takes(&a->frame.coding);
    context->device->leave(before);
    return is_taken;
}

/* Find kernels for a request, to which there is no objection, and how they divide memory. false:
 * there are none. */
static bool open_kernels(const zt_context *context, struct alone *a)
{
    a->codec = zti_cuda_alone_of(a->request.codec->id);
    if (!a->codec || !takes(context, a))
        return false;
    lay_out(a);
    return true;
}

static zt_status open_alone(zt_context *context, const struct zti_array *array,
                            const zt_params *params, struct alone *a)
{
    if (!context || !context->device)
        return zti_fail(context, ZT_BAD_ARG, "calls that do not wait are for the cuda policy");
    zt_status status = zti_request_init(context, array, params, &a->request);
    if (status)
        return status;
    const zt_bound *const bound = &a->request.params.bound;
    const char *const objection = bound->kind != ZT_ABS || bound->value == 0
                                      ? "arrays are coded under an absolute bound above 0 alone"
                                      : objection_to(&a->request);
    if (objection)
        return refuse(context, objection);
    a->abs_bound = bound->value;
    status = open_frame(context, a);
    if (!status && !open_kernels(context, a))
        return refuse(context, "arrays are coded by sz with effort fast or default alone, on a GPU "
                               "that has shared memory for their tiles");
    return status;
}

/* ---- what is queued ---- */

/* The emission of a frame whose kernels get these parts of scratch. */
static struct zti_emission emission_of(const struct alone *a, const struct zti_array *array,
                                       uint8_t *scratch)
{
    const struct zti_frame *const f = &a->frame;
    struct zti_frame raw = *f;
    struct zti_header_text text;
    struct zti_header_numbers numbers;
    struct zti_emission e = {
        .layout = f->index,
        .has_default_index = a->request.params.index == ZT_INDEX_DEFAULT,
        .array = *array,
        .values_bytes = zti_array_values(f->rank, f->shape) * zt_type_bytes(f->type),
        .room_bytes = (uint32_t)a->room_bytes,
        .moving = (uint64_t *)(void *)(scratch + a->at.moving),
        .payload_most = a->payload_most,
        .chosen = (const struct zti_cuda_chosen *)(void *)(scratch + a->at.chosen),
        .index = (const struct zti_index_found *)(void *)(scratch + a->at.index),
        .index_words = (const uint32_t *)(void *)(scratch + a->at.words),
        .emitted = (struct zti_emitted *)(void *)(scratch + a->at.emitted)};
    e.fits_chunks = zti_fits_chunks(&a->request.params, &f->coding);
    e.counted_chunk_tiles = zti_counted_chunk_tiles(&a->request.params, &f->coding);
    e.least_chunks = zti_least_chunks(&a->request.params, &f->coding);
    zti_header_split(f, &e.text, &numbers);
    zti_frame_set_raw(&raw);
    zti_header_split(&raw, &text, &numbers);
    e.raw_codec = text.front[ZTI_AT_CODEC];
    e.raw_params_bytes = numbers.params_bytes;
    memcpy(e.raw_params, numbers.params, sizeof e.raw_params);
    return e;
}

static void queue_index(const struct alone *a, const struct zti_emission *e, uint8_t *scratch,
                        void *queue)
{
    const struct zti_index_store_args store_args = {
        .layout = e->layout,
        .chunk_tiles = &e->emitted->chunk_tiles,
        .starts = (const uint64_t *)(void *)(scratch + a->at.starts),
        .step = &e->emitted->noted_step,
        .chunks = &e->emitted->chunks,
        .chunks_most = a->chunks_most,
        .end = &e->chosen->bits,
        .unit_bits = zti_unit_bits(&a->frame.coding),
        .blocks = (uint64_t *)(void *)(scratch + a->at.blocks),
        .words = (uint32_t *)(void *)(scratch + a->at.words),
        .found = (struct zti_index_found *)(void *)(scratch + a->at.index)};
    if (e->layout.kind == ZT_INDEX_NONE)
        return;
    zti_cuda_choose_chunks(e, queue);
    zti_cuda_index_store(&store_args, queue);
}

static zt_status queue_all(zt_context *context, const struct alone *a, struct zti_emission *e,
                           uint8_t *scratch)
{
    static const struct zti_scan_fills none = {.count = 0};
    struct zti_device *const device = context->device;
    struct zti_scan_found *const found = (struct zti_scan_found *)(void *)(scratch + a->at.found);
    const struct zti_cuda_alone_encoding encoding = {
        .coding = &a->frame.coding,
        .array = e->array,
        .found = found,
        .stream = e->out + a->room_bytes,
        .starts = (uint64_t *)(void *)(scratch + a->at.starts),
        .chunk_tiles = e->layout.chunk_tiles,
        .zeroed = scratch + a->at.zeroed,
        .work = scratch + a->at.work,
        .chosen = (struct zti_cuda_chosen *)(void *)(scratch + a->at.chosen),
        .queue = device->queue};
    const zt_status status = device->zero(context, ZTI_QUEUE_KERNELS, scratch, a->at.rest);
    if (status)
        return status;
    device->scan(context, &e->array, &none, found);
    const int before = device->enter(context);
    a->codec->encode(&encoding);
    queue_index(a, e, scratch, device->queue);
    zti_cuda_emit(e, device->queue);
    device->leave(before);
    return device->launched(context);
}

/* ---- zt_compress ---- */

static bool open_at_once(zt_context *context, double abs_bound, struct alone *a)
{
    const uint32_t kind = a->request.params.bound.kind;
    a->abs_bound = abs_bound;
    return (kind == ZT_ABS || kind == ZT_REL) && abs_bound > 0 && !objection_to(&a->request) &&
           open_frame(context, a) == ZT_OK && open_kernels(context, a);
}

struct zti_at_once zti_at_once_of(zt_context *context, const struct zti_request *request)
{
    struct alone a = {.request = *request};
    struct zti_at_once sizes = {0, 0};
    if (!context || !context->device || !open_at_once(context, request->params.bound.value, &a))
        return sizes;
    sizes.scratch_bytes = a.at.end;
    sizes.out_bytes = a.out_bytes;
    return sizes;
}

/* Whether the file is that of the other kernels: these keep NaN and infinities beside the stream,
 * and try other codings before values are stored as they are. */
static bool is_usual(const struct zti_scan_found *found, const struct zti_emitted *emitted)
{
    return found->nan_values == 0 && found->inf_values == 0 && !emitted->is_raw;
}

/* The absolute bound of a request whose range is known, or 0. */
static double bound_of(zt_context *context, const struct zti_request *r)
{
    zt_bound_kind kind;
    double abs_bound, range;
    const zt_status status =
        zti_params_resolve(context, &r->params, r->type, &kind, &abs_bound, &range);
    return !status && kind == ZT_ABS ? abs_bound : 0;
}

zt_status zti_write_at_once(struct zt_writer *w, const struct zti_array *array, bool *is_done)
{
    zt_context *const context = w->context;
    struct zti_device *const device = context ? context->device : NULL;
    struct alone a = {.request = w->request};
    struct zti_scan_found found;
    struct zti_emitted emitted;
    void *scratch;
    *is_done = false;
    if (!device || !array->is_on_device || !w->output.is_on_device || context->progress ||
        (uintptr_t)w->output.memory % 8 > 0 || (w->scanned && w->scanned->special_values > 0) ||
        !open_at_once(context, bound_of(context, &w->request), &a) ||
        w->output.memory_bytes < a.out_bytes)
        return ZT_OK;
    bool is_left;
    zt_status status = a.codec->is_for_others(context, &a.frame.coding, array, &is_left);
    if (status || is_left || device->room(context, ZTI_DEVICE_WORK, a.at.end, &scratch) != ZT_OK)
        return status;
    struct zti_emission e = emission_of(&a, array, scratch);
    e.out = w->output.memory;
    e.out_bytes = &e.emitted->file_bytes;
    status = queue_all(context, &a, &e, scratch);
    if (!status)
        status = device->copy(context, ZTI_QUEUE_KERNELS, &found, (uint8_t *)scratch + a.at.found,
                              sizeof found);
    if (!status)
        status = device->copy(context, ZTI_QUEUE_KERNELS, &emitted, e.emitted, sizeof emitted);
    status = zti_device_settle(context, status);
    *is_done = !status && is_usual(&found, &emitted);
    w->output.at = *is_done ? emitted.file_bytes : 0;
    return status;
}

/* ---- public calls ---- */

zt_status zt_compress_async_bytes(zt_context *context, const zt_array *given,
                                  const zt_params *params, size_t *scratch_bytes,
                                  size_t *out_capacity_bytes)
{
    struct zti_array array;
    struct alone a;
    zt_status status = zti_array_check(context, given, ZTI_SHAPE_ONLY, &array);
    if (!status && (!scratch_bytes || !out_capacity_bytes))
        status = zti_fail(context, ZT_BAD_ARG, "no place for the numbers of bytes");
    if (!status)
        status = open_alone(context, &array, params, &a);
    if (status)
        return status;
    *scratch_bytes = (size_t)a.at.end;
    *out_capacity_bytes = (size_t)a.out_bytes;
    return ZT_OK;
}

zt_status zt_compress_async(zt_context *context, const zt_array *given, const zt_params *params,
                            void *out, size_t out_capacity_bytes, void *scratch,
                            size_t scratch_bytes, uint64_t *out_bytes)
{
    struct zti_array array;
    struct alone a;
    zt_status status = zti_check_array_there(context, given, ZTI_TO_READ, &array);
    if (!status)
        status = open_alone(context, &array, params, &a);
    if (!status)
        status = zti_check_words_there(context, out, "the output buffer");
    if (!status)
        status = zti_check_words_there(context, out_bytes, "the place for the file's length");
    if (!status)
        status = zti_check_scratch_there(context, scratch, scratch_bytes, a.at.end);
    if (!status && out_capacity_bytes < a.out_bytes)
        status = zti_fail(context, ZT_NO_SPACE,
                          "the output buffer of %zu bytes is too small; without waiting it has the "
                          "%llu bytes that zt_compress_async_bytes says",
                          out_capacity_bytes, (unsigned long long)a.out_bytes);
    if (status)
        return status;
    struct zti_emission e = emission_of(&a, &array, scratch);
    e.out = out;
    e.out_bytes = out_bytes;
    return queue_all(context, &a, &e, scratch);
}
