/* cuda_encode.c: encoding under the cuda policy, the host's part: slabs of an array to the device,
 * kernels over their tiles, bits back.
 *
 *     array (host)  --slab-->  values (device)  --kernels-->  stream, starts, doubts (device)
 *     stream (host) <--- bits behind those of the slab before ---'
 *
 * A slab is whole layers of tiles along the slowest axis, so its tiles follow each other in the
 * stream. Tiles that the codec does not vouch for are decoded and compared on the host. */
#include "codec/cuda.h"
#include "core/device.h"
#include "exec/cuda.h"
#include "exec/run.h"

#include <math.h>

struct encoder {
    zt_context *context;
    struct zti_device *device;
    const struct zti_cuda_codec *codec;
    const struct zti_coding *coding;
    const zt_array *array;
    uint8_t *out;
    size_t capacity_bytes;
    uint64_t start_bits; /* of the stream */
    uint64_t at;         /* bits of out that are written */
    struct zti_misses *misses;
    const struct zti_starts *starts;
    /* of the slab at hand */
    struct zti_coding own; /* with the slab's grid */
    struct zti_cuda_encoding args;
    const void *model; /* what the codec learnt, on the device */
    uint64_t tiles;
    uint64_t slab_bits;
    uint64_t *list; /* where chunks begin, on the host */
    uint64_t list_count;
};

static bool is_verified(const struct encoder *e)
{
    return !isnan(e->coding->verify_bound);
}

/* Layers of tiles in a slab. */
static uint64_t slab_layers(const struct encoder *e)
{
    const struct zti_grid *grid = &e->coding->grid;
    uint64_t bytes = grid->side[0] * zt_type_bytes(e->coding->type);
    for (uint32_t i = 1; i < grid->rank; i++)
        bytes *= grid->shape[i];
    const uint64_t n = e->device->slab_bytes / bytes;
    return n > 1 ? n : 1;
}

/* Queue the slab's values to the device, as a C-contiguous array. *staged is for the caller to
 * free when they are there. */
static zt_status put_values(struct encoder *e, const zt_array *slab, uint8_t **staged)
{
    const uint64_t values = zti_array_values(slab->rank, slab->shape);
    const uint64_t bytes = values * zt_type_bytes(slab->type);
    const zt_array like = zt_array_nd(slab->data, (zt_type)slab->type, slab->rank, slab->shape);
    bool is_contiguous = true;
    void *memory;
    for (uint32_t i = 0; i < slab->rank; i++)
        is_contiguous &= slab->shape[i] == 1 || slab->stride[i] == like.stride[i];
    if (!is_contiguous) {
        *staged = zti_alloc(e->context, (size_t)bytes);
        if (!*staged)
            return zti_fail(e->context, ZT_NO_MEMORY, "no memory for a slab of %llu bytes",
                            (unsigned long long)bytes);
        zti_array_copy(slab, *staged);
    }
    zt_status status = e->device->room(e->context, ZTI_DEVICE_VALUES, bytes, &memory);
    if (status == ZT_OK)
        status = e->device->put(e->context, memory, *staged ? *staged : slab->data, bytes);
    e->args.array = like;
    e->args.array.data = memory;
    return status;
}

/* Memory on the device for what the kernels write, zeroed where they expect it. */
static zt_status make_room(struct encoder *e)
{
    const uint64_t most = e->coding->codec->tile_max_bits(e->coding);
    uint64_t bits, words;
    void *memory;
    if (!zti_mul(e->tiles, most, &bits) || bits > UINT64_MAX - 1024)
        return zti_fail(e->context, ZT_NO_MEMORY, "a slab's stream is too large for the device");
    words = bits / 64 + 2;
    zt_status status = e->device->room(e->context, ZTI_DEVICE_STREAM, words * 8, &memory);
    if (status == ZT_OK && e->codec->expects_zeros)
        status = e->device->zero(e->context, memory, words * 8);
    e->args.words = memory;
    words = e->codec->state_words(&e->own, e->tiles);
    if (status == ZT_OK)
        status = e->device->room(e->context, ZTI_DEVICE_STATES, words * 8, &memory);
    if (status == ZT_OK)
        status = e->device->zero(e->context, memory, words * 8);
    e->args.states = memory;
    e->args.starts = NULL;
    e->args.doubts = NULL;
    if (status == ZT_OK && e->list_count > 0) {
        status = e->device->room(e->context, ZTI_DEVICE_STARTS, e->list_count * 8, &memory);
        e->args.starts = memory;
    }
    if (status == ZT_OK && is_verified(e)) {
        status = e->device->room(e->context, ZTI_DEVICE_DOUBTS, e->tiles, &memory);
        e->args.doubts = memory;
    }
    return status;
}

/* Fetch the slab's bits and where its chunks begin. */
static zt_status get_bits(struct encoder *e)
{
    const uint64_t fixed = e->coding->codec->tile_fixed_bits(e->coding);
    const uint32_t before = e->at % 8;
    zt_status status = ZT_OK;
    e->slab_bits = fixed * e->tiles;
    if (fixed == 0)
        status = e->device->get(e->context, &e->slab_bits, e->args.states + 1, 8);
    if (status == ZT_OK && e->args.starts)
        status = e->device->get(e->context, e->list, e->args.starts, e->list_count * 8);
    if (status == ZT_OK)
        status = e->device->wait(e->context);
    if (status != ZT_OK)
        return status;
    const uint64_t end = e->at + e->slab_bits, first = e->at / 8;
    if (zti_bytes_of_bits(end) > e->capacity_bytes)
        return zti_fail(e->context, ZT_NO_SPACE,
                        "the stream needs more than the output buffer's %zu bytes",
                        e->capacity_bytes);
    if (e->slab_bits == 0)
        return ZT_OK;
    const uint8_t mask = (uint8_t)((1u << before) - 1), kept = e->out[first] & mask;
    status = e->device->get(e->context, e->out + first, e->args.words,
                            zti_bytes_of_bits(end) - first);
    if (status == ZT_OK)
        status = e->device->wait(e->context);
    e->out[first] = (uint8_t)((e->out[first] & ~mask) | kept);
    return status;
}

/* Decode and compare the tiles that the codec does not vouch for. */
static zt_status check_doubts(struct encoder *e)
{
    const uint64_t most_bytes = e->coding->codec->tile_max_bits(e->coding) / 8;
    uint8_t *doubts = zti_alloc(e->context, (size_t)e->tiles);
    uint8_t *copy = zti_alloc(e->context, (size_t)most_bytes + 2 * ZTI_BIT_MARGIN_BYTES);
    zt_status status = doubts && copy ? ZT_OK
                                      : zti_fail(e->context, ZT_NO_MEMORY,
                                                 "no memory for the verification of %llu tiles",
                                                 (unsigned long long)e->tiles);
    if (status == ZT_OK)
        status = e->device->get(e->context, doubts, e->args.doubts, e->tiles);
    if (status == ZT_OK)
        status = e->device->wait(e->context);
    for (uint64_t i = 0; status == ZT_OK && !e->misses->is_over && i < e->tiles; i++) {
        if (!doubts[i] && !e->coding->is_of_value) /* of which kernels prove nothing */
            continue;
        const uint64_t start = e->at + e->list[i];
        const uint64_t end = e->at + (i + 1 < e->tiles ? e->list[i + 1] : e->slab_bits);
        const uint64_t n = zti_bytes_of_bits(end) - start / 8;
        struct zti_bit_writer w = zti_bit_writer_at(copy);
        memcpy(copy, e->out + start / 8, (size_t)n);
        memset(copy + n, 0, ZTI_BIT_MARGIN_BYTES);
        w.next += n;
        const uint64_t tile = e->args.first_tile + i;
        status = zti_check_tiles(e->context, e->coding, e->array, tile, tile + 1, &w, start % 8,
                                 e->misses);
    }
    zti_release(e->context, doubts);
    zti_release(e->context, copy);
    return status;
}

/* Which chunks' starts are wanted of the slab: all tiles' where they may have to be verified. */
static void want_starts(struct encoder *e)
{
    const uint64_t first = e->args.first_tile, last = first + e->tiles;
    e->args.chunk_tiles = is_verified(e) ? 1 : e->starts ? e->starts->chunk_tiles : 0;
    e->list_count = e->args.chunk_tiles == 0
                        ? 0
                        : zti_index_chunks(last, e->args.chunk_tiles) -
                              zti_index_chunks(first, e->args.chunk_tiles);
}

static void note_starts(struct encoder *e)
{
    if (!e->starts)
        return;
    const uint64_t first = e->args.first_tile, last = first + e->tiles;
    const uint64_t each = e->starts->chunk_tiles, base = e->at - e->start_bits;
    const uint64_t step = each / e->args.chunk_tiles;
    uint64_t chunk = zti_index_chunks(first, (uint32_t)each);
    uint64_t from = step == 1 ? 0 : chunk * each - first;
    for (; chunk * each < last; chunk++, from += step)
        e->starts->list[chunk] = base + e->list[from];
}

static zt_status encode_slab(struct encoder *e, uint64_t first_layer, uint64_t layers)
{
    const struct zti_grid *grid = &e->coding->grid;
    const uint64_t row = first_layer * grid->side[0];
    const uint64_t rest = grid->shape[0] - row, rows = layers * grid->side[0];
    const zt_array slab = zti_array_slab(e->array, row, rows < rest ? rows : rest);
    uint8_t *staged = NULL;
    e->own = *e->coding;
    e->own.grid = zti_grid_of(grid->rank, slab.shape, grid->side);
    e->tiles = e->own.grid.count;
    e->args = (struct zti_cuda_encoding){.coding = &e->own, .start_bits = e->at % 8,
                                         .first_tile = first_layer * (grid->count / grid->tiles[0]),
                                         .model = e->model, .queue = e->device->queue};
    want_starts(e);
    e->list = e->list_count ? zti_alloc(e->context, (size_t)e->list_count * sizeof *e->list) : NULL;
    zt_status status = e->list_count && !e->list
                           ? zti_fail(e->context, ZT_NO_MEMORY, "no memory for the places of %llu "
                                      "chunks", (unsigned long long)e->list_count)
                           : ZT_OK;
    if (status == ZT_OK)
        status = put_values(e, &slab, &staged);
    if (status == ZT_OK)
        status = make_room(e);
    if (status == ZT_OK) {
        e->codec->encode(&e->args);
        status = get_bits(e);
    }
    if (status == ZT_OK && is_verified(e))
        status = check_doubts(e);
    if (status == ZT_OK) {
        note_starts(e);
        e->at += e->slab_bits;
    }
    zti_release(e->context, staged);
    zti_release(e->context, e->list);
    return status;
}

bool zti_cuda_takes(const struct zti_coding *coding)
{
    const struct zti_cuda_codec *codec = zti_cuda_codec_of(coding->codec->id);
    return !codec || codec->has_kernels(coding);
}

zt_status zti_cuda_encode(zt_context *context, const struct zti_coding *coding,
                          const zt_array *array, uint8_t *out, size_t out_capacity_bytes,
                          uint64_t start_bits, uint64_t *end_bits, struct zti_misses *misses,
                          const struct zti_starts *starts)
{
    struct encoder e = {.context = context, .device = context->device, .coding = coding,
                        .array = array, .out = out, .capacity_bytes = out_capacity_bytes,
                        .start_bits = start_bits, .at = start_bits, .misses = misses,
                        .starts = starts, .codec = zti_cuda_codec_of(coding->codec->id)};
    const uint64_t total = coding->grid.tiles[0], layers = e.codec ? slab_layers(&e) : 1;
    zt_status status = ZT_OK;
    if (!e.codec)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "the %s codec has no CUDA kernels in this version; use serial or omp, or "
                        "another codec", coding->codec->name);
    status = zti_cuda_put_model(context, coding, &e.model);
    for (uint64_t at = 0; status == ZT_OK && at < total && !(misses && misses->is_over);
         at += layers) {
        status = encode_slab(&e, at, layers < total - at ? layers : total - at);
        if (status == ZT_OK)
            status = zti_report(context, e.args.first_tile + e.tiles, coding->grid.count);
    }
    *end_bits = e.at;
    return status;
}
