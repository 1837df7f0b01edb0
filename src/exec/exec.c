/* exec.c: what exec offers: the choice of policy, what all policies have in common at the ends of
 * a stream, and the serial policy. */
#include "exec/run.h"

#include <stdlib.h>

zt_status zti_exec_capacity(zt_context *context, const struct zti_coding *coding,
                            size_t *capacity_bytes)
{
    uint64_t bits;
    if (!zti_mul(coding->grid.count, coding->codec->tile_max_bits(coding), &bits) ||
        bits / 8 + 4 * ZTI_BIT_MARGIN_BYTES > SIZE_MAX)
        return zti_fail(context, ZT_BAD_ARG, "the stream could take more than this machine's "
                        "address space");
    *capacity_bytes = (size_t)(bits / 8 + 2 * ZTI_BIT_MARGIN_BYTES);
    return ZT_OK;
}

zt_status zti_report(zt_context *context, uint64_t done, uint64_t total)
{
    if (context && context->progress &&
        context->progress(context->progress_user, done, total) != 0)
        return zti_fail(context, ZT_CANCELLED, "cancelled after %llu of %llu tiles",
                        (unsigned long long)done, (unsigned long long)total);
    return ZT_OK;
}

uint64_t zti_report_tiles(const struct zti_coding *coding)
{
    uint64_t group_bytes = ZTI_GROUP_TILES * zt_type_bytes(coding->type);
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        group_bytes *= coding->grid.side[i];
    return group_bytes < 1u << 20 ? (1u << 20) / group_bytes * ZTI_GROUP_TILES : ZTI_GROUP_TILES;
}

#if defined(ZTI_HAS_THREADS)
static bool is_parallel(const zt_context *context)
{
    return context && context->policy == ZT_OMP && zti_threads_wanted(context) > 1;
}
#else
#define is_parallel(context) false /* the policy cannot be set */
#define zti_omp_encode(...) ZT_UNSUPPORTED
#define zti_omp_decode(...) ZT_UNSUPPORTED
#endif

/* ---- encode ---- */

/* Pad to the codec's alignment; the bytes that are written end there. */
static zt_status finish(zt_context *context, const struct zti_coding *coding, uint8_t *out,
                        size_t capacity_bytes, uint64_t *end_bits)
{
    const uint64_t bits = *end_bits, from = zti_bytes_of_bits(bits);
    const uint64_t end = zti_round_up(bits, coding->codec->stream_align_bits(coding));
    if (end / 8 > capacity_bytes)
        return zti_fail(context, ZT_NO_SPACE,
                        "the stream needs %llu bytes and the output buffer has %zu",
                        (unsigned long long)(end / 8), capacity_bytes);
    if (bits % 8)
        out[bits / 8] &= (uint8_t)((1u << bits % 8) - 1);
    memset(out + from, 0, (size_t)(end / 8 - from));
    *end_bits = end;
    return ZT_OK;
}

static int by_place(const void *a, const void *b)
{
    const uint64_t x = ((const struct zti_miss *)a)->at, y = ((const struct zti_miss *)b)->at;
    return (x > y) - (x < y);
}

zt_status zti_exec_encode(zt_context *context, const struct zti_coding *coding,
                          const zt_array *array, uint8_t *out, size_t out_capacity_bytes,
                          uint64_t start_bits, uint64_t *end_bits, struct zti_misses *misses)
{
    const uint64_t total = coding->grid.count;
    zt_status status =
        is_parallel(context)
            ? zti_omp_encode(context, coding, array, out, out_capacity_bytes, start_bits,
                             end_bits, misses)
            : zti_encode_run(context, coding, array, 0, total, out, out_capacity_bytes,
                             start_bits, end_bits, misses);
    if (status != ZT_OK || (misses && misses->is_over))
        return status;
    status = zti_report(context, total, total);
    if (status == ZT_OK)
        status = finish(context, coding, out, out_capacity_bytes, end_bits);
    if (status == ZT_OK && misses && misses->count > 1)
        qsort(misses->list, (size_t)misses->count, sizeof *misses->list, by_place);
    return status;
}

/* ---- decode ---- */

/* Go to a tile: at fixed size by computing where it is, otherwise by passing over the tiles
 * before it. */
static zt_status go_to(zt_context *context, const struct zti_coding *coding,
                       struct zti_tile_source *source, uint64_t start_bits, uint64_t here,
                       uint64_t tile)
{
    const uint64_t fixed = coding->codec->tile_fixed_bits(coding);
    uint64_t bits;
    if (here == tile)
        return ZT_OK;
    if (fixed == 0 || source->tail)
        return zti_take_tiles(context, coding, source, here, tile, NULL);
    source->reader.at = zti_mul(tile, fixed, &bits) && zti_add(bits, start_bits, &bits)
                            ? bits
                            : UINT64_MAX;
    return ZT_OK;
}

static zt_status serial_decode(zt_context *context, const struct zti_coding *coding,
                               const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                               const struct zti_view *view, uint64_t *end_bits)
{
    struct zti_tile_source source = zti_tile_source_at(coding, data, data_bytes, start_bits);
    struct zti_runs runs = zti_runs_of(&coding->grid, view);
    const uint64_t every = zti_report_tiles(coding);
    uint64_t first, last, here = 0, reported = 0;
    zt_status status = ZT_OK;
    while (status == ZT_OK && zti_runs_next(&runs, every, &first, &last)) {
        status = go_to(context, coding, &source, start_bits, here, first);
        if (status == ZT_OK)
            status = zti_take_tiles(context, coding, &source, first, last, view);
        here = last;
        if (status == ZT_OK && here - reported >= every) {
            reported = here;
            status = zti_report(context, here, coding->grid.count);
        }
    }
    *end_bits = zti_tile_source_bits(&source);
    zti_tile_source_free(context, &source);
    return status;
}

zt_status zti_exec_decode(zt_context *context, const struct zti_coding *coding,
                          const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                          const struct zti_view *view, uint64_t *end_bits)
{
    zt_status status =
        is_parallel(context)
            ? zti_omp_decode(context, coding, data, data_bytes, start_bits, view, end_bits)
            : serial_decode(context, coding, data, data_bytes, start_bits, view, end_bits);
    return status == ZT_OK ? zti_report(context, coding->grid.count, coding->grid.count) : status;
}

void zti_exec_extent(const struct zti_coding *coding, const struct zti_view *view,
                     uint64_t stream_bytes, uint64_t *first_byte, uint64_t *last_byte)
{
    const uint64_t fixed = coding->codec->tile_fixed_bits(coding);
    const struct zti_grid *grid = &coding->grid;
    uint64_t first = 0, last = 0, bits;
    *first_byte = 0;
    *last_byte = stream_bytes;
    if (fixed == 0)
        return;
    for (uint32_t i = 0; i < grid->rank; i++) {
        first = first * grid->tiles[i] + view->lo[i] / grid->side[i];
        last = last * grid->tiles[i] + (view->hi[i] - 1) / grid->side[i];
    }
    if (zti_mul(first, fixed, &bits) && bits / 8 < stream_bytes)
        *first_byte = bits / 8;
    if (zti_mul(last + 1, fixed, &bits) && zti_bytes_of_bits(bits) < stream_bytes)
        *last_byte = zti_bytes_of_bits(bits);
}
