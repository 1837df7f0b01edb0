/* cuda_decode.c: decoding under the cuda policy, the host's part: slab after slab of a view, the
 * chunks that meet it: their places and bits to the device, kernels over them, values back.
 *
 * Where chunks begin is computed at fixed rate and looked up in the index otherwise. Of a stream
 * without an index, one thread of the host parses the tiles first, and reconstructs none. */
#include "codec/cuda.h"
#include "core/device.h"
#include "exec/cuda.h"
#include "exec/run.h"

struct decoder {
    zt_context *context;
    struct zti_device *device;
    const struct zti_cuda_codec *codec;
    const struct zti_coding *coding;
    const uint8_t *data;
    uint64_t data_bytes;
    uint64_t start_bits;
    uint64_t fixed_bits; /* of each tile, or 0 */
    const struct zti_index *index;
    const uint64_t *starts; /* of chunks, where there is no index: bits from start_bits */
    uint64_t chunk_tiles;
    const void *model; /* what the codec learnt, on the device */
    uint64_t end; /* where the last tile that was looked at ends, in bits of the data */
    /* of the slab at hand */
    struct zti_cuda_decoding args;
    uint64_t *chunks; /* numbers of those wanted */
    uint64_t *places; /* two a chunk, cf. codec/cuda.h, here in bits of the data */
    uint64_t count;
    bool is_run; /* the chunks follow each other */
};

static uint64_t chunks_of_stream(const struct decoder *d)
{
    return zti_index_chunks(d->coding->grid.count, (uint32_t)d->chunk_tiles);
}

/* Where chunk 'chunk' begins, or ends; it need not be within the data. */
static uint64_t place_of(const struct decoder *d, uint64_t chunk)
{
    if (!d->index)
        return d->start_bits + d->starts[chunk];
    return zti_index_bits(d->coding, d->index, d->start_bits, chunk);
}

/* List the chunks that meet a view. */
static zt_status list_chunks(struct decoder *d, const struct zti_view *view, uint64_t most_tiles)
{
    struct zti_runs runs = zti_runs_of(&d->coding->grid, view);
    const uint64_t most = most_tiles / d->chunk_tiles + 2, all = chunks_of_stream(d);
    uint64_t first, last;
    d->chunks = zti_alloc(d->context, (size_t)(most * sizeof *d->chunks));
    d->places = zti_alloc(d->context, (size_t)(2 * most * sizeof *d->places));
    if (!d->chunks || !d->places)
        return zti_fail(d->context, ZT_NO_MEMORY, "no memory for the places of %llu chunks",
                        (unsigned long long)most);
    d->count = 0;
    while (zti_runs_next(&runs, UINT64_MAX, &first, &last))
        for (uint64_t c = first / d->chunk_tiles; c * d->chunk_tiles < last; c++)
            if (d->count == 0 || c > d->chunks[d->count - 1])
                d->chunks[d->count++] = c;
    d->is_run = d->chunks[d->count - 1] - d->chunks[0] == d->count - 1;
    for (uint64_t i = 0; d->fixed_bits == 0 && i < d->count; i++) {
        const uint64_t c = d->chunks[i];
        d->places[2 * i] = place_of(d, c);
        d->places[2 * i + 1] = c + 1 < all ? place_of(d, c + 1) : ZTI_CUDA_ANY_END;
    }
    return ZT_OK;
}

/* The bytes of the data that the chunks are in; false where they are not in it. */
static bool bytes_of_chunks(const struct decoder *d, uint64_t *first, uint64_t *last)
{
    const uint64_t end = d->data_bytes * 8;
    uint64_t from = UINT64_MAX, to = 0;
    for (uint64_t i = 0; d->fixed_bits == 0 && i < d->count; i++) {
        const uint64_t begin = d->places[2 * i], stop = d->places[2 * i + 1];
        if (begin > end || (stop > end && stop != ZTI_CUDA_ANY_END))
            return false;
        from = begin < from ? begin : from;
        to = stop == ZTI_CUDA_ANY_END ? end : stop > to ? stop : to;
    }
    if (d->fixed_bits > 0) {
        const uint64_t tile_end = d->chunks[d->count - 1] + 1;
        if (!zti_mul(d->chunks[0], d->fixed_bits, &from) || !zti_add(from, d->start_bits, &from) ||
            !zti_mul(tile_end, d->fixed_bits, &to) || !zti_add(to, d->start_bits, &to) || to > end)
            return false;
    }
    *first = from / 8;
    *last = zti_bytes_of_bits(to);
    return *first <= *last;
}

static zt_status cut_short(const struct decoder *d)
{
    return zti_fail(d->context, ZT_CORRUPT,
                    "the %s stream is damaged or cut short, or the index is not this stream's: "
                    "chunks of %llu tiles reach beyond its %llu bytes",
                    d->coding->codec->name, (unsigned long long)d->chunk_tiles,
                    (unsigned long long)d->data_bytes);
}

/* Queue what the kernels read. *base: the bit of the data that is bit 0 on the device. */
static zt_status put_stream(struct decoder *d, uint64_t *base)
{
    struct zti_device *const device = d->device;
    uint64_t first, last;
    void *memory;
    if (!bytes_of_chunks(d, &first, &last))
        return cut_short(d);
    const uint64_t n = last - first, words = n / 8 + 1;
    *base = first * 8;
    zt_status status = device->room(d->context, ZTI_DEVICE_STREAM, words * 8, &memory);
    if (status == ZT_OK)
        status = device->zero(d->context, (uint8_t *)memory + n / 8 * 8, 8);
    if (status == ZT_OK && n > 0)
        status = device->put(d->context, memory, d->data + first, n);
    d->args.words = memory;
    d->args.words_count = words;
    d->args.first_bits = (int64_t)d->start_bits - (int64_t)*base;
    if (status == ZT_OK && d->fixed_bits == 0) {
        for (uint64_t i = 0; i < 2 * d->count; i++)
            d->places[i] -= d->places[i] == ZTI_CUDA_ANY_END ? 0 : *base;
        status = device->room(d->context, ZTI_DEVICE_STARTS, 16 * d->count, &memory);
        if (status == ZT_OK)
            status = device->put(d->context, memory, d->places, 16 * d->count);
        d->args.places = memory;
    }
    if (status == ZT_OK && !d->is_run) {
        status = device->room(d->context, ZTI_DEVICE_CHUNKS, 8 * d->count, &memory);
        if (status == ZT_OK)
            status = device->put(d->context, memory, d->chunks, 8 * d->count);
        d->args.chunks = memory;
    }
    if (status == ZT_OK)
        status = device->room(d->context, ZTI_DEVICE_STATES, 16, &memory);
    if (status == ZT_OK)
        status = device->zero(d->context, memory, 16);
    d->args.states = memory;
    return status;
}

/* Whether chunks ended where they must, as the kernels tell. */
static zt_status check_ends(struct decoder *d, const uint64_t *states, uint64_t base)
{
    if (states[0] > 0) {
        const uint64_t i = d->count - states[0];
        return zti_fail(d->context, ZT_CORRUPT,
                        "the index is not this stream's: chunk %llu of %llu ends elsewhere",
                        (unsigned long long)d->chunks[i] + 1,
                        (unsigned long long)chunks_of_stream(d));
    }
    d->end = base + states[1];
    return d->end > d->data_bytes * 8 ? cut_short(d) : ZT_OK;
}

/* Fetch the values of a slab into the caller's array. */
static zt_status get_values(struct decoder *d, const zt_array *out)
{
    const uint64_t bytes = zti_array_values(out->rank, out->shape) * zt_type_bytes(out->type);
    const zt_array like = zt_array_nd(out->data, (zt_type)out->type, out->rank, out->shape);
    bool is_contiguous = true;
    for (uint32_t i = 0; i < out->rank; i++)
        is_contiguous &= out->shape[i] == 1 || out->stride[i] == like.stride[i];
    uint8_t *staged = is_contiguous ? NULL : zti_alloc(d->context, (size_t)bytes);
    if (!is_contiguous && !staged)
        return zti_fail(d->context, ZT_NO_MEMORY, "no memory for a slab of %llu bytes",
                        (unsigned long long)bytes);
    zt_status status = d->device->get(d->context, is_contiguous ? out->data : staged,
                                      d->args.view.out.data, bytes);
    if (status == ZT_OK)
        status = d->device->wait(d->context);
    if (status == ZT_OK && !is_contiguous)
        zti_array_paste(staged, out);
    zti_release(d->context, staged);
    return status;
}

static zt_status decode_slab(struct decoder *d, const struct zti_view *view, uint64_t tiles)
{
    const uint64_t bytes =
        zti_array_values(view->out.rank, view->out.shape) * zt_type_bytes(view->out.type);
    uint64_t states[2] = {0, 0}, base = 0;
    void *memory;
    d->args = (struct zti_cuda_decoding){.coding = d->coding, .view = *view,
                                         .chunk_tiles = (uint32_t)d->chunk_tiles,
                                         .model = d->model, .queue = d->device->queue};
    zt_status status = list_chunks(d, view, tiles);
    if (status == ZT_OK)
        status = put_stream(d, &base);
    if (status == ZT_OK)
        status = d->device->room(d->context, ZTI_DEVICE_VALUES, bytes, &memory);
    if (status == ZT_OK) {
        d->args.view.out = zt_array_nd(memory, (zt_type)view->out.type, view->out.rank,
                                       view->out.shape);
        d->args.first_chunk = d->chunks[0];
        d->args.count = d->count;
        d->codec->decode(&d->args);
        status = d->device->get(d->context, states, d->args.states, sizeof states);
    }
    if (status == ZT_OK)
        status = d->device->wait(d->context);
    if (status == ZT_OK)
        status = check_ends(d, states, base);
    if (status == ZT_OK)
        status = get_values(d, &view->out);
    zti_release(d->context, d->chunks);
    zti_release(d->context, d->places);
    return status;
}

/* All slabs of a view. */
static zt_status decode_view(struct decoder *d, const struct zti_view *view)
{
    const struct zti_grid *grid = &d->coding->grid;
    const uint64_t layer_tiles = grid->count / grid->tiles[0];
    uint64_t bytes = grid->side[0] * zt_type_bytes(d->coding->type);
    for (uint32_t i = 1; i < grid->rank; i++)
        bytes *= view->out.shape[i];
    const uint64_t most = d->device->slab_bytes / bytes, layers = most > 1 ? most : 1;
    const uint64_t last = (view->hi[0] - 1) / grid->side[0] + 1;
    zt_status status = ZT_OK;
    for (uint64_t at = view->lo[0] / grid->side[0]; status == ZT_OK && at < last; at += layers) {
        const uint64_t rows = (at + layers) * grid->side[0], from = at * grid->side[0];
        struct zti_view slab = *view;
        slab.lo[0] = from > view->lo[0] ? from : view->lo[0];
        slab.hi[0] = rows < view->hi[0] ? rows : view->hi[0];
        slab.out = zti_array_slab(&view->out, slab.lo[0] - view->lo[0], slab.hi[0] - slab.lo[0]);
        status = decode_slab(d, &slab, (layers < last - at ? layers : last - at) * layer_tiles);
        if (status == ZT_OK)
            status = zti_report(d->context, (at + layers < last ? at + layers : last) * layer_tiles,
                                grid->count);
    }
    return status;
}

/* One past the last tile that meets a view. */
static uint64_t tiles_before_end(const struct zti_grid *grid, const struct zti_view *view)
{
    uint64_t tile = 0;
    for (uint32_t i = 0; i < grid->rank; i++)
        tile = tile * grid->tiles[i] + (view->hi[i] - 1) / grid->side[i];
    return tile + 1;
}

/* Find where chunks begin up to tile 'last', and note it, with an entry for the end. */
static zt_status scan(struct decoder *d, uint64_t last, const struct zti_starts *starts)
{
    struct zti_tile_source source =
        zti_tile_source_at(d->coding, d->data, (size_t)d->data_bytes, d->start_bits);
    const zt_status status =
        zti_take_noting(d->context, d->coding, &source, d->start_bits, 0, last, NULL, starts);
    const uint64_t chunks = zti_index_chunks(last, starts->chunk_tiles);
    if (status == ZT_OK)
        starts->list[chunks] = zti_tile_source_bits(&source) - d->start_bits;
    zti_tile_source_free(d->context, &source);
    return status;
}

zt_status zti_cuda_decode(zt_context *context, const struct zti_coding *coding,
                          const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                          const struct zti_index *index, const struct zti_view *view,
                          const struct zti_starts *starts, uint64_t *end_bits)
{
    struct decoder d = {.context = context, .device = context->device, .coding = coding,
                        .data = data, .data_bytes = data_bytes, .start_bits = start_bits,
                        .index = index, .codec = zti_cuda_codec_of(coding->codec->id),
                        .fixed_bits = coding->codec->tile_fixed_bits(coding), .chunk_tiles = 1};
    struct zti_starts own = {.chunk_tiles = coding->codec->chunk_tiles(coding->grid.rank)};
    zt_status status = ZT_OK;
    if (!d.codec)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "the %s codec has no CUDA kernels in this version; use serial or omp",
                        coding->codec->name);
    if (index && d.fixed_bits == 0)
        d.chunk_tiles = index->layout.chunk_tiles;
    else
        d.index = NULL;
    if (!d.index && d.fixed_bits == 0) {
        const uint32_t each = starts ? starts->chunk_tiles : own.chunk_tiles;
        const uint64_t chunks = zti_index_chunks(tiles_before_end(&coding->grid, view), each);
        const uint64_t all = zti_index_chunks(coding->grid.count, each);
        const uint64_t last = chunks < all ? chunks * each : coding->grid.count;
        if (!starts) {
            const uint64_t n = chunks + 1;
            own.list = zti_alloc(context, (size_t)(n * sizeof *own.list));
            if (!own.list)
                return zti_fail(context, ZT_NO_MEMORY, "no memory for the places of %llu chunks",
                                (unsigned long long)n);
        }
        d.starts = starts ? starts->list : own.list;
        d.chunk_tiles = each;
        status = scan(&d, last, starts ? starts : &own);
    }
    if (status == ZT_OK)
        status = zti_cuda_put_model(context, coding, &d.model);
    if (status == ZT_OK)
        status = decode_view(&d, view);
    zti_release(context, own.list);
    *end_bits = d.end;
    return status;
}
