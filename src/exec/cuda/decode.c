/* decode.c: the host's part of decoding under the cuda policy. A view is decoded in slabs: the
 * places and bits of the chunks that meet a slab are copied to the device, kernels decode them, and
 * the values are copied back. While kernels run on a slab, the values of the one before and the
 * bits of the next one are copied. An array in the device's memory is written directly, a stream
 * there read in place; if both are there, all tiles are one slab.
 *
 * At fixed rate the starts of chunks are computed. For a whole array with an index, kernels find
 * them (index.c) while others decode the slab before; for a box, the host looks them up. A stream
 * of several tiles without an index is first parsed by one thread of the host. */
#include "array/memory.h"
#include "array/mirror.h"
#include "codec/gpu.h"
#include "core/device.h"
#include "exec/cuda/cuda.h"
#include "exec/run.h"

/* A slab in progress. */
struct slab {
    uint32_t number; /* 0 or 1: whose parts of the device's memory */
    struct zti_view view;
    struct zti_cuda_decoding args;
    uint64_t *chunks; /* numbers of the wanted chunks; NULL: they are consecutive */
    uint64_t *places; /* two for each chunk, see codec/gpu.h, in bits of the data; NULL: not needed,
                         or only on the device */
    uint64_t first, count; /* chunks: the first, and how many */
    struct zti_cuda_places expanded;
    uint64_t base;      /* the bit of the data that is bit 0 of the copy on the device */
    uint64_t states[2]; /* results of the kernels */
    uint8_t *staged;    /* values to be scattered, or NULL */
    uint64_t first_tile, done_tiles; /* the slab's first tile, and the one after its last */
};

struct decoder {
    zt_context *context;
    struct zti_device *device;
    const struct zti_cuda_codec *codec;
    const struct zti_coding *coding;
    const uint8_t *data;
    uint64_t data_bytes;
    uint64_t start_bits;
    uint64_t fixed_bits; /* bits of each tile; 0: not fixed */
    const struct zti_index *index;
    const uint8_t *there;   /* the data on the device, for kernels to read; or NULL */
    bool is_expanded;       /* kernels expand the index */
    const uint64_t *starts; /* without an index: starts of chunks, in bits from start_bits */
    uint64_t chunk_tiles;
    const void *model; /* what the codec learnt, on the device */
    void *work;        /* scratch memory for kernels there, or NULL */
    uint64_t end; /* where the last tile that was decoded or skipped ends, in bits of the data */
    const struct zti_scatter *scatter; /* where values go; NULL: into the view's memory */
    struct slab slabs[3];              /* two of them have memory on the device */
};

static uint64_t chunks_of_stream(const struct decoder *d)
{
    return zti_index_chunks(d->coding->grid.count, (uint32_t)d->chunk_tiles);
}

/* Where a chunk begins, or the one before it ends; may be outside the data. */
static uint64_t place_of(const struct decoder *d, uint64_t chunk)
{
    if (!d->index)
        return d->start_bits + d->starts[chunk];
    return zti_chunk_start_bits(zti_unit_bits(d->coding), d->index, d->start_bits, chunk);
}

/* The number of the i-th wanted chunk. */
static uint64_t chunk_of(const struct slab *s, uint64_t i)
{
    return s->chunks ? s->chunks[i] : s->first + i;
}

/* List the chunks that meet a slab whose view has not whole layers of tiles. */
static zt_status list_chunks(struct decoder *d, struct slab *s)
{
    struct zti_runs runs = zti_runs_of(&d->coding->grid, &s->view, NULL);
    const uint64_t most = (s->done_tiles - s->first_tile) / d->chunk_tiles + 2;
    uint64_t first, last;
    s->chunks = zti_alloc(d->context, (size_t)(most * sizeof *s->chunks));
    if (!s->chunks)
        return zti_fail(d->context, ZT_NO_MEMORY, "no memory for the numbers of %llu chunks",
                        (unsigned long long)most);
    s->count = 0;
    while (zti_runs_next(&runs, UINT64_MAX, &first, &last))
        for (uint64_t c = first / d->chunk_tiles; c * d->chunk_tiles < last; c++)
            if (s->count == 0 || c > s->chunks[s->count - 1])
                s->chunks[s->count++] = c;
    s->first = s->chunks[0];
    if (s->chunks[s->count - 1] - s->first == s->count - 1) {
        zti_release(d->context, s->chunks);
        s->chunks = NULL;
    }
    return ZT_OK;
}

/* Whether a view has whole layers of tiles. */
static bool has_whole_layers(const struct decoder *d, const struct zti_view *view)
{
    const struct zti_grid *const grid = &d->coding->grid;
    for (uint32_t i = 1; i < grid->rank; i++)
        if (view->lo[i] > 0 || view->hi[i] < grid->shape[i])
            return false;
    return true;
}

/* Find the chunks that meet a slab. */
static zt_status choose_chunks(struct decoder *d, struct slab *s)
{
    if (!has_whole_layers(d, &s->view))
        return list_chunks(d, s);
    s->first = s->first_tile / d->chunk_tiles;
    s->count = zti_index_chunks(s->done_tiles, (uint32_t)d->chunk_tiles) - s->first;
    return ZT_OK;
}

/* Look up where the chunks begin and end. */
static zt_status look_up_places(struct decoder *d, struct slab *s)
{
    const uint64_t all = chunks_of_stream(d);
    s->places = zti_alloc(d->context, (size_t)(2 * s->count * sizeof *s->places));
    if (!s->places)
        return zti_fail(d->context, ZT_NO_MEMORY, "no memory for the places of %llu chunks",
                        (unsigned long long)s->count);
    for (uint64_t i = 0; i < s->count; i++) {
        const uint64_t c = chunk_of(s, i);
        s->places[2 * i] = place_of(d, c);
        s->places[2 * i + 1] = c + 1 < all ? place_of(d, c + 1) : ZTI_CUDA_ANY_END;
    }
    return ZT_OK;
}

/* Set [*from, *to) to the bits of the data that the chunks take; false if these are outside the
 * data. */
static bool bits_of_chunks(const struct decoder *d, const struct slab *s, uint64_t *from,
                           uint64_t *to)
{
    const uint64_t end = d->data_bytes * 8, unit = zti_unit_bits(d->coding);
    const struct zti_index_expand_result *const b = &s->expanded.result;
    *from = UINT64_MAX;
    *to = 0;
    if (d->fixed_bits > 0)
        return zti_mul(chunk_of(s, 0), d->fixed_bits, from) &&
               zti_add(*from, d->start_bits, from) &&
               zti_mul(chunk_of(s, s->count - 1) + 1, d->fixed_bits, to) &&
               zti_add(*to, d->start_bits, to) && *to <= end;
    if (d->is_expanded) { /* up to the index's end, so that no product overflows */
        *from = b->first * unit + d->start_bits;
        *to = s->first + s->count == d->index->chunks ? end : b->end * unit + d->start_bits;
        return *from <= end && *to <= end;
    }
    for (uint64_t i = 0; i < s->count; i++) {
        const uint64_t begin = s->places[2 * i], stop = s->places[2 * i + 1];
        if (begin > end || (stop > end && stop != ZTI_CUDA_ANY_END))
            return false;
        *from = begin < *from ? begin : *from;
        *to = stop == ZTI_CUDA_ANY_END ? end : stop > *to ? stop : *to;
    }
    return true;
}

static zt_status cut_short(const struct decoder *d)
{
    return zti_fail(d->context, ZT_CORRUPT,
                    "the %s stream is damaged or cut short, or the index is not this stream's: "
                    "chunks of %llu tiles reach beyond its %llu bytes",
                    d->coding->codec->name, (unsigned long long)d->chunk_tiles,
                    (unsigned long long)d->data_bytes);
}

/* Queue a copy of a list to a part of the slab's memory. */
static zt_status write_list(struct decoder *d, const struct slab *s, enum zti_device_part part,
                            const uint64_t *list, uint64_t count, const uint64_t **there)
{
    void *memory;
    zt_status status =
        d->device->room(d->context, zti_part_of(part, s->number), 8 * count, &memory);
    if (status == ZT_OK)
        status = d->device->copy(d->context, ZTI_QUEUE_IN, memory, list, 8 * count);
    *there = memory;
    return status;
}

/* Data that kernels can read where they are: words that end with the data or behind them. */
static const uint8_t *find_data_there(const struct decoder *d)
{
    const uint8_t *const there = zti_bytes_there(d->context, d->data, d->data_bytes);
    const bool is_whole = d->coding->run.is_padded || d->data_bytes % 8 == 0;
    return is_whole && (uintptr_t)there % 8 == 0 ? there : NULL;
}

/* Tell the kernels where the chunks' bytes are, or queue a copy of them, followed by zeros. */
static zt_status send_stream(struct decoder *d, struct slab *s)
{
    struct zti_device *const device = d->device;
    uint64_t from, to;
    void *memory;
    if (!bits_of_chunks(d, s, &from, &to) || from / 8 > zti_bytes_of_bits(to))
        return cut_short(d);
    const uint64_t first = from / 64 * 8, n = zti_bytes_of_bits(to) - first, words = n / 8 + 1;
    s->base = first * 8;
    s->args.first_bits = (int64_t)d->start_bits - (int64_t)s->base;
    if (d->there) {
        const uint64_t left = (d->data_bytes - first) / 8 + d->coding->run.is_padded;
        s->args.words = (const uint64_t *)(const void *)(d->there + first);
        s->args.words_count = words < left ? words : left;
        return ZT_OK;
    }
    zt_status status =
        device->room(d->context, zti_part_of(ZTI_DEVICE_STREAM, s->number), words * 8, &memory);
    if (status == ZT_OK)
        status = device->zero(d->context, ZTI_QUEUE_IN, (uint8_t *)memory + n / 8 * 8, 8);
    if (status == ZT_OK && n > 0)
        status = device->copy(d->context, ZTI_QUEUE_IN, memory,
                              zti_original_of(device, d->data + first, n), n);
    s->args.words = memory;
    s->args.words_count = words;
    return status;
}

/* Where chunk s->first must begin by the slab before, which may have the same chunk as its last. */
static uint64_t expected_start(const struct slab *s, const struct slab *before)
{
    if (!before)
        return 0;
    const struct zti_cuda_places *const p = &before->expanded;
    return s->first < p->first + p->count ? p->result.last : p->result.end;
}

/* Choose the chunks of a slab, and find their places or queue the kernels that do. 'before': the
 * slab before, or NULL. */
static zt_status seek_slab(struct decoder *d, struct slab *s, const struct slab *before)
{
    s->args = (struct zti_cuda_decoding){.coding = d->coding,
                                         .view = s->view,
                                         .chunk_tiles = (uint32_t)d->chunk_tiles,
                                         .model = d->model,
                                         .work = d->work,
                                         .queue = d->device->queue};
    const zt_status status = choose_chunks(d, s);
    if (status != ZT_OK || d->fixed_bits > 0)
        return status;
    if (!d->is_expanded)
        return look_up_places(d, s);
    s->expanded = (struct zti_cuda_places){.first = s->first,
                                           .count = s->count,
                                           .slab = s->number,
                                           .expected = expected_start(s, before)};
    return zti_cuda_expand(d->context, d->coding, d->index, d->start_bits, &s->expanded);
}

/* Begin a slab whose chunks are found: queue copies of all that its kernels read. */
static zt_status begin_slab(struct decoder *d, struct slab *s)
{
    void *memory = NULL;
    zt_status status = ZT_OK;
    if (d->is_expanded)
        status = zti_cuda_fetch_result(d->context, d->index, &s->expanded);
    if (status == ZT_OK)
        status = send_stream(d, s);
    s->args.places = s->expanded.places;
    if (status == ZT_OK && s->places) {
        for (uint64_t i = 0; i < 2 * s->count; i++)
            s->places[i] -= s->places[i] == ZTI_CUDA_ANY_END ? 0 : s->base;
        status = write_list(d, s, ZTI_DEVICE_STARTS, s->places, 2 * s->count, &s->args.places);
    }
    if (status == ZT_OK && s->chunks)
        status = write_list(d, s, ZTI_DEVICE_CHUNKS, s->chunks, s->count, &s->args.chunks);
    if (status == ZT_OK)
        status =
            d->device->room(d->context, zti_part_of(ZTI_DEVICE_STATES, s->number), 16, &memory);
    if (status == ZT_OK)
        status = d->device->zero(d->context, ZTI_QUEUE_IN, memory, 16);
    s->args.states = memory;
    return status;
}

/* Queue the slab's kernels, and the copy of their results. */
static zt_status launch(struct decoder *d, struct slab *s)
{
    const struct zti_array *out = &s->view.out;
    void *memory;
    zt_status status = d->device->after(d->context, ZTI_QUEUE_KERNELS, ZTI_QUEUE_IN);
    if (status == ZT_OK && !out->is_on_device) {
        status = d->device->room(d->context, zti_part_of(ZTI_DEVICE_VALUES, s->number),
                                 zti_array_bytes(out), &memory);
        s->args.view.out = zti_array_packed(memory, out->type, out->rank, out->shape);
        s->args.view.out.is_on_device = true;
    }
    if (status != ZT_OK)
        return status;
    s->args.first_chunk = s->first;
    s->args.count = s->count;
    d->codec->decode(&s->args);
    return d->device->copy(d->context, ZTI_QUEUE_KERNELS, s->states, s->args.states,
                           sizeof s->states);
}

/* After the kernels: check that chunks ended where they must. */
static zt_status check_ends(struct decoder *d, const struct slab *s)
{
    if (s->states[0] > 0) {
        const uint64_t i = s->count - s->states[0];
        return zti_fail(d->context, ZT_CORRUPT,
                        "the index is not this stream's: chunk %llu of %llu ends elsewhere",
                        (unsigned long long)chunk_of(s, i) + 1,
                        (unsigned long long)chunks_of_stream(d));
    }
    d->end = s->base + s->states[1];
    return d->end > d->data_bytes * 8 ? cut_short(d) : ZT_OK;
}

/* Queue the copy of a slab's values, after its kernels, to the caller's array. */
static zt_status get_values(struct decoder *d, struct slab *s)
{
    const struct zti_array *out = &s->view.out;
    const uint64_t bytes = zti_array_bytes(out);
    if (out->is_on_device)
        return ZT_OK;
    if (d->scatter || !zti_array_is_contiguous(out)) {
        s->staged = zti_alloc(d->context, (size_t)bytes);
        if (!s->staged)
            return zti_fail(d->context, ZT_NO_MEMORY, "no memory for a slab of %llu bytes",
                            (unsigned long long)bytes);
    }
    return d->device->copy(d->context, ZTI_QUEUE_OUT, s->staged ? s->staged : out->data,
                           s->args.view.out.data, bytes);
}

static void release_slab(struct decoder *d, struct slab *s)
{
    zti_release(d->context, s->chunks);
    zti_release(d->context, s->places);
    zti_release(d->context, s->staged);
    s->chunks = s->places = NULL;
    s->staged = NULL;
}

/* Finish a slab after get_values. */
static zt_status end_slab(struct decoder *d, struct slab *s)
{
    zt_status status = d->device->wait(d->context, ZTI_QUEUE_OUT);
    if (status == ZT_OK && d->scatter) {
        zt_box box;
        memcpy(box.lo, s->view.lo, sizeof box.lo);
        memcpy(box.hi, s->view.hi, sizeof box.hi);
        d->scatter->put(d->scatter, &box, s->staged);
    } else if (status == ZT_OK && s->staged) {
        zti_array_paste(s->staged, &s->view.out);
    }
    release_slab(d, s);
    return status == ZT_OK ? zti_report(d->context, s->done_tiles, d->coding->grid.count) : status;
}

/* How a view is cut into slabs. */
struct way {
    const struct zti_view *view;
    uint64_t first, last, layers; /* of the view, and of a slab, in layers of tiles */
    uint64_t slabs;
};

/* Set up slab k, and find its chunks. */
static zt_status seek_number(struct decoder *d, const struct way *way, uint64_t k)
{
    const struct zti_grid *grid = &d->coding->grid;
    const uint64_t layer_tiles = grid->count / grid->tiles[0], at = way->first + k * way->layers;
    const uint64_t left = way->last - at, n = way->layers < left ? way->layers : left;
    const uint64_t from = at * grid->side[0], rows = (at + n) * grid->side[0];
    struct slab *const s = &d->slabs[k % 3];
    s->number = k % 2;
    s->view = *way->view;
    s->view.lo[0] = from > way->view->lo[0] ? from : way->view->lo[0];
    s->view.hi[0] = rows < way->view->hi[0] ? rows : way->view->hi[0];
    s->view.out = zti_array_slab(&way->view->out, s->view.lo[0] - way->view->lo[0],
                                 s->view.hi[0] - s->view.lo[0]);
    s->first_tile = at * layer_tiles;
    s->done_tiles = (at + n) * layer_tiles;
    return seek_slab(d, s, k > 0 ? &d->slabs[(k - 1) % 3] : NULL);
}

/* Run the kernels of slab k, and meanwhile copy the values of the slab before and the bits of the
 * next one, whose chunks are found first. */
static zt_status run_slab(struct decoder *d, const struct way *way, uint64_t k)
{
    struct slab *const s = &d->slabs[k % 3], *const before = &d->slabs[(k + 2) % 3];
    const bool has_next = k + 1 < way->slabs;
    zt_status status = has_next ? seek_number(d, way, k + 1) : ZT_OK;
    if (status == ZT_OK)
        status = launch(d, s);
    if (status == ZT_OK && k > 0)
        status = get_values(d, before);
    if (status == ZT_OK && has_next)
        status = begin_slab(d, &d->slabs[(k + 1) % 3]);
    if (status == ZT_OK && k > 0)
        status = end_slab(d, before);
    if (status == ZT_OK)
        status = d->device->wait(d->context, ZTI_QUEUE_KERNELS);
    return status == ZT_OK ? check_ends(d, s) : status;
}

/* Decode all slabs of a view. */
static zt_status decode_view(struct decoder *d, const struct zti_view *view)
{
    const struct zti_grid *grid = &d->coding->grid;
    struct way way = {.view = view,
                      .first = view->lo[0] / grid->side[0],
                      .last = (view->hi[0] - 1) / grid->side[0] + 1,
                      .layers = zti_cuda_slab_layers(d->context, d->coding, view->out.shape)};
    if (d->there && view->out.is_on_device &&
        zti_cuda_is_one_slab(d->context, zti_array_bytes(&view->out)))
        way.layers = way.last - way.first;
    way.slabs = (way.last - way.first + way.layers - 1) / way.layers;
    zt_status status = d->device->after(d->context, ZTI_QUEUE_IN, ZTI_QUEUE_KERNELS);
    if (status == ZT_OK)
        status = d->device->after(d->context, ZTI_QUEUE_OUT, ZTI_QUEUE_KERNELS);
    if (status == ZT_OK)
        status = seek_number(d, &way, 0);
    if (status == ZT_OK)
        status = begin_slab(d, &d->slabs[0]);
    for (uint64_t k = 0; k < way.slabs && status == ZT_OK; k++)
        status = run_slab(d, &way, k);
    if (status == ZT_OK)
        status = get_values(d, &d->slabs[(way.slabs - 1) % 3]);
    if (status == ZT_OK)
        status = end_slab(d, &d->slabs[(way.slabs - 1) % 3]);
    for (uint32_t q = 0; status != ZT_OK && q < ZTI_QUEUES; q++)
        (void)d->device->wait(d->context, (enum zti_device_queue)q);
    for (uint32_t i = 0; i < 3; i++)
        release_slab(d, &d->slabs[i]);
    return status;
}

/* The tile after the last one that meets a view. */
static uint64_t tiles_before_end(const struct zti_grid *grid, const struct zti_view *view)
{
    uint64_t tile = 0;
    for (uint32_t i = 0; i < grid->rank; i++)
        tile = tile * grid->tiles[i] + (view->hi[i] - 1) / grid->side[i];
    return tile + 1;
}

/* Parse tiles up to 'last', and note where chunks begin and the last one ends. */
static zt_status scan(struct decoder *d, uint64_t last, const struct zti_starts *starts)
{
    struct zti_tile_source source =
        zti_tile_source_at(d->coding, d->data, (size_t)d->data_bytes, d->start_bits);
    const zt_status status =
        zti_decode_noting(d->context, d->coding, &source, d->start_bits, 0, last, NULL, starts);
    const uint64_t chunks = zti_index_chunks(last, starts->chunk_tiles);
    if (status == ZT_OK)
        starts->list[chunks] = zti_tile_source_bits(&source) - d->start_bits;
    zti_tile_source_free(d->context, &source);
    return status;
}

zt_status zti_cuda_decode(zt_context *context, const struct zti_coding *coding, const uint8_t *data,
                          size_t data_bytes, uint64_t start_bits, const struct zti_index *index,
                          const struct zti_view *view, const struct zti_scatter *scatter,
                          const struct zti_starts *starts, uint64_t *end_bits)
{
    struct decoder d = {.context = context,
                        .device = context->device,
                        .coding = coding,
                        .data = data,
                        .data_bytes = data_bytes,
                        .start_bits = start_bits,
                        .index = index,
                        .codec = zti_cuda_codec_of(coding->codec->id),
                        .scatter = scatter,
                        .fixed_bits = zti_fixed_bits(coding),
                        .chunk_tiles = 1};
    struct zti_starts own = {.chunk_tiles = zti_default_chunk_tiles(coding)};
    const uint64_t first = 0;
    zt_status status = ZT_OK;
    if (!d.codec)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "the %s codec has no CUDA kernels in this version; use serial or omp",
                        coding->codec->name);
    if (index && d.fixed_bits == 0)
        d.chunk_tiles = index->layout.chunk_tiles;
    else
        d.index = NULL;
    if (!d.index && d.fixed_bits == 0 && coding->grid.count == 1 && !starts) {
        d.starts = &first;
    } else if (!d.index && d.fixed_bits == 0) {
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
    d.there = find_data_there(&d);
    d.is_expanded = d.index && zti_cuda_expands(coding, index, view);
    if (status == ZT_OK)
        status = zti_cuda_send_model(context, coding, &d.model, &d.work);
    if (status == ZT_OK)
        status = decode_view(&d, view);
    zti_release(context, own.list);
    *end_bits = d.end;
    return status;
}
