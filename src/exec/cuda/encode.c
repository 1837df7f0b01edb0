/* encode.c: the host's part of encoding under the cuda policy: copies slabs of an array to the
 * device, runs kernels over their tiles, copies the bits back.
 *
 *     array   --slab-->  values (device)  --kernels-->  stream, starts, unproven (device)
 *     stream  <--- bits behind those of the slab before ---'
 *
 * A slab is whole layers of tiles along the slowest axis, so its tiles are consecutive in the
 * stream. The host decodes and compares tiles whose bound the codec cannot prove (verify.c).
 *
 * Two slabs are in progress. The place of a slab's bits is known when those of the slab before are
 * counted; then its kernels begin. While they run, the bits of the slab before and the values of
 * the next one are copied:
 *
 *     in        values 0 | values 1 | values 2 | values 3 |
 *     kernels            | slab 0   | slab 1   | slab 2   | slab 3   |
 *     out                           | bits 0   | bits 1   | bits 2   | bits 3
 *
 * Values in the device's memory are read in place. If the output is there too, has room for the
 * longest stream and suits the kernels, they write it in place, all tiles in one slab. */
#include "array/memory.h"
#include "codec/gpu.h"
#include "exec/cuda/cuda.h"
#include "exec/run.h"

#include <math.h>

enum { SLABS_IN_PLACE = 8 }; /* an array of at most this size, in slabs, may be one */

/* A slab in progress. */
struct slab {
    uint32_t number;       /* 0 or 1: which parts of the device's memory */
    struct zti_coding own; /* the coding with the slab's grid */
    struct zti_cuda_encoding args;
    uint64_t tiles, bits;
    uint64_t at;    /* where its bits begin in the output */
    uint64_t *list; /* starts of chunks, on the host */
    uint64_t list_count;
    uint64_t starts_count;  /* that kernels note: of all tiles, or of chunks */
    uint64_t *chunk_starts; /* those of chunks among them, on the device; NULL: all are */
    uint8_t *staged;        /* C-contiguous values, or NULL */
    uint8_t *unproven;      /* on the host; NULL: nothing is verified */
};

struct encoder {
    zt_context *context;
    struct zti_device *device;
    const struct zti_cuda_codec *codec;
    const struct zti_coding *coding;
    const struct zti_array *array;
    uint8_t *out;
    size_t capacity_bytes;
    uint64_t start_bits;  /* where the stream begins */
    uint64_t at;          /* end of the bits written so far */
    uint8_t before;       /* the byte in which the stream begins */
    bool is_in_place;     /* kernels write to the output */
    const void *model;    /* what the codec learnt, on the device */
    void *work;           /* scratch memory for kernels there, or NULL */
    struct zti_kept kept; /* values that are on the device already */
    struct zti_misses *misses;
    const struct zti_starts *starts;
    struct slab slabs[3]; /* two of them have memory on the device */
};

static bool is_verified(const struct encoder *e)
{
    return !isnan(e->coding->verify_bound);
}

/* Whether kernels can write to the output: it has room for all tiles at their largest and a word,
 * or they keep to what there is. */
static bool can_write_in_place(const struct encoder *e)
{
    const uint32_t align = e->codec->align_bytes ? e->codec->align_bytes(e->coding) : 8;
    const uint64_t at = e->start_bits / 8;
    uint64_t bits = 0;
    return e->array->is_on_device && zti_cuda_is_one_slab(e->context, zti_array_bytes(e->array)) &&
           zti_bytes_there(e->context, e->out, 1) == e->out && e->start_bits % 8 == 0 &&
           ((uintptr_t)e->out + at) % align == 0 && e->capacity_bytes > at &&
           (e->codec->keeps_to_most ||
            (zti_mul(e->coding->grid.count, e->coding->codec->sizes(e->coding).tile_max_bits,
                     &bits) &&
             bits / 8 + 2 * sizeof(uint64_t) <= e->capacity_bytes - at));
}

bool zti_cuda_is_one_slab(const zt_context *context, uint64_t array_bytes)
{
    return array_bytes / SLABS_IN_PLACE <= context->device->slab_bytes;
}

uint64_t zti_cuda_slab_layers(const zt_context *context, const struct zti_coding *coding,
                              const uint64_t *shape)
{
    const struct zti_grid *grid = &coding->grid;
    uint64_t bytes = grid->side[0] * zt_type_bytes(coding->type);
    for (uint32_t i = 1; i < grid->rank; i++)
        bytes *= shape[i];
    const uint64_t most = context->device->slab_bytes, n = most / bytes;
    const uint64_t total = (shape[0] - 1) / grid->side[0] + 1, half = (total + 1) / 2;
    if (half > n && bytes / grid->side[0] * shape[0] <= 2 * most)
        return half; /* two slabs, whose values stay on the device, instead of three */
    return n > 1 ? n : 1;
}

/* ---- values to the device ---- */

static zt_status write_values(struct encoder *e, struct slab *s, const struct zti_array *values)
{
    struct zti_cuda_bringing b = {.queue = ZTI_QUEUE_IN, .number = s->number, .kept = &e->kept};
    const zt_status status = zti_cuda_bring(e->context, values, &b);
    s->staged = b.staged;
    s->args.array = b.there;
    return status;
}

/* Choose which starts the kernels of a slab note: those of all tiles if these may have to be
 * verified, else those of chunks. The host gets those of chunks. */
static void choose_starts(const struct encoder *e, struct slab *s)
{
    const uint64_t first = s->args.first_tile, last = first + s->tiles;
    const uint32_t each = e->starts ? e->starts->chunk_tiles : 0;
    s->list_count = each == 0 ? 0 : zti_index_chunks(last, each) - zti_index_chunks(first, each);
    s->args.chunk_tiles = is_verified(e) ? 1 : each;
    s->starts_count = is_verified(e) ? s->tiles : s->list_count;
}

/* Begin a slab: queue the copy of its values, and allocate host memory for the results. */
static zt_status begin_slab(struct encoder *e, uint64_t k, uint64_t first_layer, uint64_t layers)
{
    struct slab *const s = &e->slabs[k % 3];
    const struct zti_grid *grid = &e->coding->grid;
    const uint64_t row = first_layer * grid->side[0];
    const uint64_t rest = grid->shape[0] - row, rows = layers * grid->side[0];
    const struct zti_array values = zti_array_slab(e->array, row, rows < rest ? rows : rest);
    s->number = k % 2;
    s->own = *e->coding;
    s->own.grid = zti_grid_of(grid->rank, values.shape, grid->side);
    s->tiles = s->own.grid.count;
    s->args = (struct zti_cuda_encoding){.coding = &s->own,
                                         .first_tile = first_layer * (grid->count / grid->tiles[0]),
                                         .whole = e->coding,
                                         .model = e->model,
                                         .work = e->work,
                                         .queue = e->device->queue};
    choose_starts(e, s);
    if (s->list_count > 0)
        s->list = zti_alloc(e->context, (size_t)s->list_count * sizeof *s->list);
    if (is_verified(e))
        s->unproven = zti_alloc(e->context, (size_t)s->tiles);
    if ((s->list_count > 0 && !s->list) || (is_verified(e) && !s->unproven))
        return zti_fail(e->context, ZT_NO_MEMORY, "no memory for the places of %llu chunks",
                        (unsigned long long)s->list_count);
    return write_values(e, s, &values);
}

static void release_slab(struct encoder *e, struct slab *s)
{
    zti_release(e->context, s->staged);
    zti_release(e->context, s->list);
    zti_release(e->context, s->unproven);
    s->staged = s->unproven = NULL;
    s->list = NULL;
}

/* ---- kernels ---- */

/* Bytes of each part that a slab needs, without its values; false on overflow. */
static bool part_bytes(const struct zti_cuda_codec *codec, const struct zti_coding *own,
                       uint64_t starts_count, uint64_t list_count, bool has_unproven,
                       uint64_t *bytes)
{
    uint64_t bits;
    if (!zti_mul(own->grid.count, own->codec->sizes(own).tile_max_bits, &bits) ||
        bits > UINT64_MAX - 1024)
        return false;
    bytes[ZTI_DEVICE_STREAM] = (bits / 64 + 2) * 8;
    bytes[ZTI_DEVICE_STATES] = codec->state_words(own, own->grid.count) * 8;
    bytes[ZTI_DEVICE_STARTS] = starts_count * 8;
    bytes[ZTI_DEVICE_CHUNKS] = starts_count > list_count ? list_count * 8 : 0;
    bytes[ZTI_DEVICE_UNPROVEN] = has_unproven ? own->grid.count : 0;
    return true;
}

/* Allocate device memory for the kernels' results; its first word is 0 where kernels combine their
 * bits with what it holds. */
static zt_status make_room(struct encoder *e, struct slab *s)
{
    uint64_t bytes[ZTI_DEVICE_KINDS] = {0};
    void *memory[ZTI_DEVICE_KINDS] = {NULL};
    zt_status status = ZT_OK;
    if (!part_bytes(e->codec, &s->own, s->starts_count, s->list_count, is_verified(e), bytes))
        return zti_fail(e->context, ZT_NO_MEMORY, "a slab's stream is too large for the device");
    if (e->is_in_place) {
        bytes[ZTI_DEVICE_STREAM] = 0;
        memory[ZTI_DEVICE_STREAM] = e->out + e->at / 8;
        s->args.words_most = e->codec->keeps_to_most ? (e->capacity_bytes - e->at / 8) / 8 : 0;
    }
    for (uint32_t i = 0; i < ZTI_DEVICE_KINDS && status == ZT_OK; i++)
        if (bytes[i] > 0)
            status = e->device->room(e->context, zti_part_of((enum zti_device_part)i, s->number),
                                     bytes[i], &memory[i]);
    if (status == ZT_OK && e->codec->adds_to_first_word)
        status = e->device->zero(e->context, ZTI_QUEUE_KERNELS, memory[ZTI_DEVICE_STREAM], 8);
    if (status == ZT_OK)
        status = e->device->zero(e->context, ZTI_QUEUE_KERNELS, memory[ZTI_DEVICE_STATES],
                                 bytes[ZTI_DEVICE_STATES]);
    s->args.words = memory[ZTI_DEVICE_STREAM];
    s->args.states = memory[ZTI_DEVICE_STATES];
    s->args.starts = memory[ZTI_DEVICE_STARTS];
    s->args.unproven = memory[ZTI_DEVICE_UNPROVEN];
    s->chunk_starts = bytes[ZTI_DEVICE_CHUNKS] > 0 ? memory[ZTI_DEVICE_CHUNKS] : NULL;
    return status;
}

/* Queue the copy of the byte that a slab's first bits share with earlier ones. */
static zt_status write_first_byte(struct encoder *e, const struct slab *s,
                                  const struct slab *before)
{
    const void *byte = &e->before;
    if (before)
        byte = (const uint8_t *)before->args.words + (before->args.start_bits + before->bits) / 8;
    return e->device->copy(e->context, ZTI_QUEUE_KERNELS, s->args.words, byte, 1);
}

/* Queue the choice of the starts of chunks among those of all tiles. */
static void pick_starts(struct encoder *e, const struct slab *s)
{
    if (!s->chunk_starts)
        return;
    const uint64_t each = e->starts->chunk_tiles, over = s->args.first_tile % each;
    uint64_t *const first = s->args.starts + (over > 0 ? each - over : 0);
    struct zti_array picked = zti_array_packed(first, ZT_I64, 1, &s->list_count);
    picked.stride[0] = (int64_t)each;
    e->device->pack(e->context, s->chunk_starts, &picked);
}

/* Queue copies of the starts of chunks, and of what is not proved. */
static zt_status get_notes(struct encoder *e, const struct slab *s, enum zti_device_queue queue)
{
    zt_status status = ZT_OK;
    if (s->list_count > 0)
        status =
            e->device->copy(e->context, queue, s->list,
                            s->chunk_starts ? s->chunk_starts : s->args.starts, s->list_count * 8);
    if (status == ZT_OK && s->unproven)
        status = e->device->copy(e->context, queue, s->unproven, s->args.unproven, s->tiles);
    return status;
}

/* Queue the slab's kernels, and the copy of its number of bits; in place, of all that the host
 * gets. */
static zt_status launch(struct encoder *e, struct slab *s, const struct slab *before)
{
    s->at = e->at;
    s->args.start_bits = e->at % 8;
    zt_status status = make_room(e, s);
    if (status == ZT_OK && s->args.start_bits > 0)
        status = write_first_byte(e, s, before);
    if (status == ZT_OK)
        status = e->device->after(e->context, ZTI_QUEUE_KERNELS, ZTI_QUEUE_IN);
    if (status != ZT_OK)
        return status;
    const uint64_t fixed = zti_fixed_bits(e->coding);
    status = e->codec->encode(e->context, &s->args);
    if (status != ZT_OK)
        return status;
    pick_starts(e, s);
    s->bits = fixed * s->tiles;
    if (fixed == 0)
        status = e->device->copy(e->context, ZTI_QUEUE_KERNELS, &s->bits, s->args.states + 1, 8);
    return status == ZT_OK && e->is_in_place ? get_notes(e, s, ZTI_QUEUE_KERNELS) : status;
}

/* ---- bits back ---- */

/* Queue the copies of a slab's results, after its kernels. */
static zt_status get_bits(struct encoder *e, const struct slab *s)
{
    const uint64_t end = s->at + s->bits, first = s->at / 8;
    zt_status status = ZT_OK;
    if (zti_bytes_of_bits(end) > e->capacity_bytes)
        return zti_fail_for_space(e->context, e->capacity_bytes);
    if (e->is_in_place)
        return ZT_OK;
    status = get_notes(e, s, ZTI_QUEUE_OUT);
    if (status == ZT_OK && s->bits > 0)
        status = e->device->copy(e->context, ZTI_QUEUE_OUT, e->out + first, s->args.words,
                                 zti_bytes_of_bits(end) - first);
    return status;
}

static void note_starts(const struct encoder *e, const struct slab *s)
{
    if (!e->starts)
        return;
    const uint64_t base = s->at - e->start_bits;
    uint64_t *const to =
        e->starts->list + zti_index_chunks(s->args.first_tile, e->starts->chunk_tiles);
    for (uint64_t i = 0; i < s->list_count; i++)
        to[i] = base + s->list[i];
}

/* Finish a slab after get_bits. */
static zt_status end_slab(struct encoder *e, struct slab *s)
{
    zt_status status = e->device->wait(e->context, ZTI_QUEUE_OUT);
    const struct zti_cuda_unproven unproven = {.tiles = s->unproven,
                                               .starts = s->args.starts,
                                               .first = s->args.first_tile,
                                               .count = s->tiles,
                                               .at = s->at,
                                               .end = s->at + s->bits};
    if (status == ZT_OK && is_verified(e))
        status = zti_cuda_verify(e->context, e->coding, e->array, e->out, &unproven, e->misses);
    if (status == ZT_OK)
        note_starts(e, s);
    if (status == ZT_OK)
        status = zti_report(e->context, s->args.first_tile + s->tiles, e->coding->grid.count);
    release_slab(e, s);
    return status;
}

/* ---- all slabs ---- */

static bool is_over(const struct encoder *e)
{
    return e->misses && e->misses->exceeds_limit;
}

/* Run the kernels of slab k, and meanwhile copy the bits of the slab before and the values of the
 * next one. */
static zt_status run_slab(struct encoder *e, uint64_t k, uint64_t layers, uint64_t total)
{
    struct slab *const s = &e->slabs[k % 3], *const before = &e->slabs[(k + 2) % 3];
    const uint64_t next = (k + 1) * layers;
    zt_status status = launch(e, s, k > 0 ? before : NULL);
    if (status == ZT_OK && k > 0)
        status = get_bits(e, before);
    if (status == ZT_OK && next < total)
        status = begin_slab(e, k + 1, next, layers < total - next ? layers : total - next);
    if (status == ZT_OK && k > 0)
        status = end_slab(e, before);
    if (status == ZT_OK)
        status = e->device->wait(e->context, ZTI_QUEUE_KERNELS);
    if (status == ZT_OK)
        e->at = s->at + s->bits;
    return status;
}

static zt_status run_slabs(struct encoder *e)
{
    const uint64_t total = e->coding->grid.tiles[0];
    const uint64_t layers =
        e->is_in_place ? total : zti_cuda_slab_layers(e->context, e->coding, e->coding->grid.shape);
    const uint64_t slabs = zti_ceil_div(total, layers);
    zt_status status = e->device->after(e->context, ZTI_QUEUE_IN, ZTI_QUEUE_KERNELS);
    if (status == ZT_OK)
        status = e->device->after(e->context, ZTI_QUEUE_OUT, ZTI_QUEUE_KERNELS);
    if (status == ZT_OK)
        status = begin_slab(e, 0, 0, layers < total ? layers : total);
    for (uint64_t k = 0; k < slabs && status == ZT_OK && !is_over(e); k++)
        status = run_slab(e, k, layers, total);
    if (status == ZT_OK && !is_over(e))
        status = get_bits(e, &e->slabs[(slabs - 1) % 3]);
    if (status == ZT_OK && !is_over(e))
        status = end_slab(e, &e->slabs[(slabs - 1) % 3]);
    return status;
}

zt_status zti_cuda_scratch(zt_context *context, const struct zti_coding *coding,
                           const struct zti_index_layout *layout, uint64_t *bytes)
{
    const struct zti_cuda_codec *codec = zti_cuda_codec_of(coding->codec->id);
    const uint32_t chunk_tiles = layout->chunk_tiles;
    const struct zti_grid *grid = &coding->grid;
    if (!codec || !codec->can_code(coding))
        return ZT_OK;
    const uint64_t layers = zti_cuda_slab_layers(context, coding, grid->shape);
    const uint64_t rows = layers < grid->tiles[0] ? layers * grid->side[0] : grid->shape[0];
    const uint64_t raw = zti_array_values(grid->rank, grid->shape) * zt_type_bytes(coding->type);
    /* in place all tiles are one slab, without memory for values and the stream */
    const bool is_one = zti_cuda_is_one_slab(context, raw);
    struct zti_coding own = *coding;
    uint64_t shape[ZT_MAX_RANK], encoding[ZTI_DEVICE_KINDS] = {0}, most = 0, stream;
    memcpy(shape, grid->shape, sizeof shape);
    shape[0] = rows;
    own.grid = zti_grid_of(grid->rank, shape, grid->side);
    const bool has_unproven = !isnan(coding->verify_bound);
    /* chunks have the index's number of tiles or, without an index, the default one */
    const uint32_t usual = zti_default_chunk_tiles(coding);
    const uint32_t least = zti_fixed_bits(coding) > 0 ? 1
                           : usual < chunk_tiles      ? usual
                                                      : chunk_tiles;
    const uint64_t around = 2 * (uint64_t)(usual < chunk_tiles ? chunk_tiles : usual);
    const uint64_t tiles = own.grid.count, at_once = is_one ? grid->count : tiles;
    const uint64_t chunks = at_once / least + 2;
    bool fits = part_bytes(codec, &own, 0, 0, false, encoding);
    stream = encoding[ZTI_DEVICE_STREAM];
    own.grid.count = at_once;
    fits = fits &&
           part_bytes(codec, &own, has_unproven ? at_once : chunks, chunks, has_unproven, encoding);
    encoding[ZTI_DEVICE_STREAM] = stream;
    if (!fits)
        return zti_fail(context, ZT_NO_MEMORY, "a slab's stream is too large for the device");
    /* decoding: whole chunks; the first and the last may reach into other slabs */
    own.grid.count = around < grid->count - tiles ? tiles + around : grid->count;
    if (!zti_mul(own.grid.count, coding->codec->sizes(coding).tile_max_bits, &most))
        return zti_fail(context, ZT_NO_MEMORY, "a slab's stream is too large for the device");
    const uint64_t decoding[ZTI_DEVICE_KINDS] = {
        [ZTI_DEVICE_VALUES] = zti_array_values(grid->rank, shape) * zt_type_bytes(coding->type),
        [ZTI_DEVICE_STREAM] = (most / 64 + 4) * 8,
        [ZTI_DEVICE_STARTS] = 16 * chunks,
        [ZTI_DEVICE_CHUNKS] = 8 * chunks,
        [ZTI_DEVICE_INDEX] = zti_cuda_index_bytes(layout, chunks),
        [ZTI_DEVICE_STATES] = sizeof(struct zti_scan_found)};
    for (uint32_t slab = 0; slab < (rows < grid->shape[0] ? 2u : 1u); slab++)
        for (uint32_t i = 0; i < ZTI_DEVICE_KINDS; i++) {
            uint64_t *const part = &bytes[zti_part_of((enum zti_device_part)i, slab)];
            *part = encoding[i] > *part ? encoding[i] : *part;
            *part = decoding[i] > *part ? decoding[i] : *part;
        }
    const uint64_t learning = zti_cuda_learning_bytes(coding);
    if (learning > bytes[ZTI_DEVICE_MODEL])
        bytes[ZTI_DEVICE_MODEL] = learning;
    /* memory that coding does not use: to move a payload, make its checksums, and decode a tile
     * that is not proved */
    const uint64_t beside =
        raw < ZTI_DEVICE_WAY_BYTES ? raw + ZTI_DEVICE_SUMS_BYTES : (uint64_t)ZTI_DEVICE_WAY_BYTES;
    if (beside > bytes[ZTI_DEVICE_STREAM])
        bytes[ZTI_DEVICE_STREAM] = beside;
    if (has_unproven && zti_tile_bytes(coding) > bytes[ZTI_DEVICE_PACKED])
        bytes[ZTI_DEVICE_PACKED] = zti_tile_bytes(coding);
    const uint64_t work = codec->work_bytes ? codec->work_bytes(coding) : 0;
    if (work > bytes[ZTI_DEVICE_WORK])
        bytes[ZTI_DEVICE_WORK] = work;
    return ZT_OK;
}

bool zti_cuda_can_code(const zt_context *context, const struct zti_coding *coding)
{
    const struct zti_cuda_codec *codec = zti_cuda_codec_of(coding->codec->id);
    if (!codec)
        return true;
    const int before = context->device->enter(context);
    const bool can_code = codec->can_code(coding);
    context->device->leave(before);
    return can_code;
}

zt_status zti_cuda_encode(zt_context *context, const struct zti_coding *coding,
                          const struct zti_array *array, uint8_t *out, size_t out_capacity_bytes,
                          uint64_t start_bits, uint64_t *end_bits, struct zti_misses *misses,
                          const struct zti_starts *starts)
{
    struct encoder e = {.context = context,
                        .device = context->device,
                        .coding = coding,
                        .array = array,
                        .out = out,
                        .capacity_bytes = out_capacity_bytes,
                        .start_bits = start_bits,
                        .at = start_bits,
                        .misses = misses,
                        .starts = starts,
                        .codec = zti_cuda_codec_of(coding->codec->id),
                        .kept = coding->run.kept};
    if (!e.codec)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "the %s codec has no CUDA kernels in this version; use serial or omp, or "
                        "another codec",
                        coding->codec->name);
    e.is_in_place = can_write_in_place(&e);
    zt_status status = zti_cuda_send_model(context, coding, &e.model, &e.work);
    if (status == ZT_OK && start_bits % 8 > 0) {
        status = zti_copy_bytes(context, &e.before, out + start_bits / 8, 1);
        e.before &= (uint8_t)((1u << start_bits % 8) - 1);
    }
    if (status == ZT_OK)
        status = run_slabs(&e);
    for (uint32_t q = 0; (status != ZT_OK || is_over(&e)) && q < ZTI_QUEUES; q++)
        (void)context->device->wait(context, (enum zti_device_queue)q);
    for (uint32_t i = 0; i < 3; i++)
        release_slab(&e, &e.slabs[i]);
    *end_bits = e.at;
    return status;
}
