/* verify.c: verification under the cuda policy: the host decodes the tiles whose bound the codec
 * cannot prove and compares them with the array. Where both are in the device's memory, few tiles
 * are copied one by one, and many with all of their slab. */
#include "array/mirror.h"
#include "array/scatter.h"
#include "core/wire.h"
#include "exec/cuda/cuda.h"
#include "exec/run.h"

/* More unproven tiles than this are not copied one by one. */
enum { FEW = 64 };

struct verifier {
    zt_context *context;
    const struct zti_coding *coding;
    const struct zti_array *array; /* in the device's memory only where few tiles are unproven */
    uint64_t first_tile;           /* of the slab, in 'array' */
    const uint8_t *stream;         /* likewise, from byte first_byte on */
    uint64_t first_byte;
    bool is_stream_there; /* in the device's memory */
    const struct zti_cuda_unproven *unproven;
    struct zti_misses *misses;
    uint64_t *starts;       /* of all tiles */
    uint8_t *bits, *values; /* room for a tile */
};

static bool is_unproven(const struct verifier *v, uint64_t i)
{
    return v->unproven->tiles[i] || v->coding->is_of_value; /* kernels prove no such bound */
}

/* Where a value of a box is in the array, by its place in the box, both in C order. */
static uint64_t place_of(const struct zti_grid *grid, const zt_box *box, uint64_t at)
{
    uint64_t in_box[ZT_MAX_RANK], place = 0;
    for (uint32_t i = grid->rank; i-- > 0; at /= box->hi[i] - box->lo[i])
        in_box[i] = at % (box->hi[i] - box->lo[i]);
    for (uint32_t i = 0; i < grid->rank; i++)
        place = place * grid->shape[i] + box->lo[i] + in_box[i];
    return place;
}

/* Compare a tile of the device's memory, as an array by itself. */
static zt_status check_copy(const struct verifier *v, uint64_t tile, const struct zti_bit_writer *w,
                            uint64_t start)
{
    const struct zti_grid *const grid = &v->coding->grid;
    const uint64_t before = v->misses->count, end = tile + 1;
    const zt_box box = zti_box_of_tiles(grid, &tile, end);
    struct zti_coding own = *v->coding;
    struct zti_array values = *v->array;
    for (uint32_t i = 0; i < grid->rank; i++)
        values.shape[i] = box.hi[i] - box.lo[i];
    values.data = zti_array_at(v->array, box.lo);
    own.grid = zti_grid_of(grid->rank, values.shape, grid->side);
    zt_status status = zti_fetch_array(v->context, &values, v->values);
    values = zti_array_packed(v->values, values.type, values.rank, values.shape);
    if (!status)
        status = zti_check_tiles(v->context, &own, &values, 0, 1, w, start, v->misses);
    for (uint64_t k = before; k < v->misses->count; k++)
        v->misses->list[k].at = place_of(grid, &box, v->misses->list[k].at);
    return status;
}

/* Copy tile i's bits, from 'start' bits of the stream on, and compare it. */
static zt_status check_tile(const struct verifier *v, uint64_t i)
{
    const struct zti_cuda_unproven *const d = v->unproven;
    const uint64_t start = d->at + v->starts[i], tile = v->first_tile + i;
    const uint64_t end = i + 1 < d->count ? d->at + v->starts[i + 1] : d->end;
    const uint64_t n = zti_bytes_of_bits(end) - start / 8;
    struct zti_bit_writer w = zti_bit_writer_at(v->bits);
    const uint8_t *const from = v->stream + (start / 8 - v->first_byte);
    zt_status status = ZT_OK;
    if (v->is_stream_there)
        status = zti_copy_bytes(v->context, v->bits, from, n);
    else
        memcpy(v->bits, from, (size_t)n);
    if (status)
        return status;
    memset(v->bits + n, 0, ZTI_BIT_MARGIN_BYTES);
    w.next += n;
    return v->array->is_on_device ? check_copy(v, tile, &w, start % 8)
                                  : zti_check_tiles(v->context, v->coding, v->array, tile, tile + 1,
                                                    &w, start % 8, v->misses);
}

static zt_status check_tiles(struct verifier *v)
{
    const uint64_t most_bits = v->coding->codec->sizes(v->coding).tile_max_bits;
    v->bits = zti_alloc(v->context, (size_t)most_bits / 8 + 2 * ZTI_BIT_MARGIN_BYTES);
    v->values = zti_alloc(v->context, (size_t)zti_tile_bytes(v->coding));
    v->starts = zti_alloc(v->context, (size_t)v->unproven->count * sizeof *v->starts);
    zt_status status = v->bits && v->values && v->starts
                           ? zti_copy_bytes(v->context, v->starts, v->unproven->starts,
                                            v->unproven->count * sizeof *v->starts)
                           : zti_fail(v->context, ZT_NO_MEMORY, "no memory to verify a tile");
    for (uint64_t i = 0; !status && !v->misses->exceeds_limit && i < v->unproven->count; i++)
        if (is_unproven(v, i))
            status = check_tile(v, i);
    zti_release(v->context, v->bits);
    zti_release(v->context, v->values);
    zti_release(v->context, v->starts);
    return status;
}

/* Compare copies of the slab and of its bits. Misses are numbered from the slab's first value, and
 * at the end from the array's. */
static zt_status check_slab(struct verifier *v)
{
    const struct zti_cuda_unproven *const u = v->unproven;
    const struct zti_grid *const grid = &v->coding->grid;
    const uint64_t layer = grid->count / grid->tiles[0], row = u->first / layer * grid->side[0];
    const uint64_t rest = grid->shape[0] - row, rows = u->count / layer * grid->side[0];
    const struct zti_array slab = zti_array_slab(v->array, row, rows < rest ? rows : rest);
    const uint64_t first = row * zti_array_values(grid->rank - 1, grid->shape + 1);
    const uint64_t before = v->misses->count;
    struct zti_coding own = *v->coding;
    struct zti_mirror values = {.own = NULL}, bytes = {.own = NULL};
    own.grid = zti_grid_of(grid->rank, slab.shape, grid->side);
    v->first_byte = u->at / 8;
    zt_status status = zti_mirror_open(v->context, &slab, &values);
    if (!status)
        status = zti_mirror_open_bytes(v->context, v->stream + v->first_byte,
                                       zti_bytes_of_bits(u->end) - v->first_byte, &bytes);
    v->coding = &own;
    v->array = &values.array;
    v->first_tile = 0;
    v->stream = bytes.bytes;
    if (!status)
        status = check_tiles(v);
    for (uint64_t k = before; k < v->misses->count; k++)
        v->misses->list[k].at += first;
    zti_mirror_close(&bytes);
    zti_mirror_close(&values);
    return status;
}

zt_status zti_cuda_verify(zt_context *context, const struct zti_coding *coding,
                          const struct zti_array *array, const uint8_t *stream,
                          const struct zti_cuda_unproven *unproven, struct zti_misses *misses)
{
    struct verifier v = {.context = context,
                         .coding = coding,
                         .array = array,
                         .first_tile = unproven->first,
                         .stream = stream,
                         .unproven = unproven,
                         .misses = misses};
    uint64_t count = 0;
    if (!coding->is_of_value && zti_all_zero(unproven->tiles, (size_t)unproven->count))
        return ZT_OK;
    for (uint64_t i = 0; i < unproven->count && count <= FEW; i++)
        count += is_unproven(&v, i);
    if (count > FEW)
        return check_slab(&v);
    const zt_status status = zti_find_memory(context, stream, "the stream", &v.is_stream_there);
    return status ? status : check_tiles(&v);
}
