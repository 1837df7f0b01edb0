/* exec.c: what exec offers: the choice of policy, what all policies have in common at the ends of
 * a stream, and the serial policy. Arrays and streams in a GPU's memory are fetched here where the
 * host has to do with them. */
#include "array/mirror.h"
#include "core/cpu.h"
#include "core/device.h"
#include "core/threads.h"
#include "exec/cuda/cuda.h"
#include "exec/run.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

zt_status zti_exec_capacity(zt_context *context, const struct zti_coding *coding,
                            size_t *capacity_bytes)
{
    uint64_t bits;
    if (!zti_mul(coding->grid.count, coding->codec->sizes(coding).tile_max_bits, &bits) ||
        bits / 8 + 4 * ZTI_BIT_MARGIN_BYTES > SIZE_MAX)
        return zti_fail(context, ZT_BAD_ARG,
                        "the stream could take more than this machine's "
                        "address space");
    *capacity_bytes = (size_t)(bits / 8 + 2 * ZTI_BIT_MARGIN_BYTES);
    return ZT_OK;
}

zt_status zti_report(zt_context *context, uint64_t done, uint64_t total)
{
    if (context && context->progress && context->progress(context->progress_user, done, total) != 0)
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
    return zti_threads_wanted(context) > 1;
}
#else
#define is_parallel(context) false /* the policy cannot be set */
#define zti_omp_encode(...)  ZT_UNSUPPORTED
#define zti_omp_decode(...)  ZT_UNSUPPORTED
#endif

bool zti_exec_is_on_device(const zt_context *context, const struct zti_coding *coding)
{
    return context && context->policy == ZT_CUDA && zti_cuda_takes(coding);
}

/* What kernels work in depends on the current device. */
static zt_status cuda_scratch(zt_context *context, const struct zti_coding *coding,
                              uint32_t chunk_tiles, uint64_t *bytes)
{
    if (!zti_exec_is_on_device(context, coding))
        return ZT_OK;
    const int before = context->device->enter(context);
    const zt_status status = zti_cuda_scratch(context, coding, chunk_tiles, bytes);
    context->device->leave(before);
    return status;
}

zt_status zti_exec_scratch(zt_context *context, const struct zti_coding *coding,
                           uint32_t chunk_tiles, uint64_t *bytes)
{
    const struct zti_learning *const learning = zti_learning_of(coding->codec);
    struct zti_coding own = *coding;
    zt_status status = cuda_scratch(context, coding, chunk_tiles, bytes);
    for (uint32_t i = 0; !status && learning && learning->vary && learning->vary(&own, i); i++)
        status = cuda_scratch(context, &own, chunk_tiles, bytes);
    return status;
}

/* Values of a tile that is a chunk by itself. */
enum { LARGE_TILE_VALUES = 1 << 14 };

uint32_t zti_usual_chunk_tiles(const struct zti_coding *coding)
{
    const struct zti_grid *grid = &coding->grid;
    return zti_array_values(grid->rank, grid->shape) / grid->count >= LARGE_TILE_VALUES
               ? 1
               : coding->codec->chunk_tiles(grid->rank);
}

/* ---- encode ---- */

/* The list's last entry, once the stream was gone through. */
static void note_end(const struct zti_coding *coding, const struct zti_starts *starts,
                     uint64_t stream_bits)
{
    starts->list[zti_index_chunks(coding->grid.count, starts->chunk_tiles)] = stream_bits;
}

/* Pad to the codec's alignment; the bytes that are written end there. */
static zt_status finish(zt_context *context, const struct zti_coding *coding, uint8_t *out,
                        size_t capacity_bytes, uint64_t *end_bits)
{
    const uint64_t bits = *end_bits, from = zti_bytes_of_bits(bits);
    const uint64_t end = zti_round_up(bits, coding->codec->sizes(coding).align_bits);
    if (end / 8 > capacity_bytes)
        return zti_fail(context, ZT_NO_SPACE,
                        "the stream needs %llu bytes and the output buffer has %zu",
                        (unsigned long long)(end / 8), capacity_bytes);
    *end_bits = end;
    if (bits % 8 && !zti_exec_is_on_device(context, coding)) /* kernels leave zeros there */
        out[bits / 8] &= (uint8_t)((1u << bits % 8) - 1);
    return zti_zero_bytes(context, out + from, end / 8 - from);
}

static int by_place(const void *a, const void *b)
{
    const uint64_t x = ((const struct zti_miss *)a)->at, y = ((const struct zti_miss *)b)->at;
    return (x > y) - (x < y);
}

/* Raw bytes from which on caches are written past: more than a core's part of them anywhere. */
enum { STREAMED_BYTES = 64 << 20 };

/* The coding with the instances that the context chose. */
static struct zti_coding with_isa(const zt_context *context, const struct zti_coding *coding)
{
    struct zti_coding own = *coding;
    const uint64_t values = zti_array_values(coding->grid.rank, coding->grid.shape);
    own.run.isa = zti_isa_of(context);
    own.run.is_streamed = values * zt_type_bytes(coding->type) >= STREAMED_BYTES;
    return own;
}

static zt_status cuda_encode(zt_context *context, const struct zti_coding *coding,
                             const zt_array *array, uint8_t *out, size_t out_capacity_bytes,
                             uint64_t start_bits, uint64_t *end_bits, struct zti_misses *misses,
                             const struct zti_starts *starts)
{
    const int before = context->device->enter(context);
    const zt_status status = zti_cuda_encode(context, coding, array, out, out_capacity_bytes,
                                             start_bits, end_bits, misses, starts);
    context->device->leave(before);
    return status;
}

static zt_status encode(zt_context *context, const struct zti_coding *coding, const zt_array *array,
                        uint8_t *out, size_t out_capacity_bytes, uint64_t start_bits,
                        uint64_t *end_bits, struct zti_misses *misses,
                        const struct zti_starts *starts)
{
    const uint64_t total = coding->grid.count;
    zti_stage(context, ZT_STAGE_ENCODE);
    zt_status status =
        zti_exec_is_on_device(context, coding)
            ? cuda_encode(context, coding, array, out, out_capacity_bytes, start_bits, end_bits,
                          misses, starts)
        : is_parallel(context)
            ? zti_omp_encode(context, coding, array, out, out_capacity_bytes, start_bits, end_bits,
                             misses, starts)
            : zti_encode_run(context, coding, array, 0, total, out, out_capacity_bytes, start_bits,
                             end_bits, misses, starts);
    zti_stage(context, ZT_STAGE_OTHER);
    if (status != ZT_OK || (misses && misses->is_over))
        return status;
    if (starts)
        note_end(coding, starts, *end_bits - start_bits);
    status = zti_report(context, total, total);
    if (status == ZT_OK)
        status = finish(context, coding, out, out_capacity_bytes, end_bits);
    if (status == ZT_OK && misses && misses->count > 1)
        qsort(misses->list, (size_t)misses->count, sizeof *misses->list, by_place);
    if (coding->run.is_streamed) /* stores past the caches are not ordered by others' locks */
        atomic_thread_fence(memory_order_seq_cst);
    return status;
}

/* The same by the host into a stream in any memory. */
static zt_status encode_on_host(zt_context *context, const struct zti_coding *coding,
                                const zt_array *array, uint8_t *out, size_t out_capacity_bytes,
                                uint64_t start_bits, uint64_t *end_bits, struct zti_misses *misses,
                                const struct zti_starts *starts)
{
    const uint64_t first = start_bits / 8;
    const size_t rest = out_capacity_bytes > first ? out_capacity_bytes - (size_t)first : 0;
    size_t bytes = 0;
    struct zti_mirror stream = {.own = NULL};
    zt_status status = zti_exec_capacity(context, coding, &bytes);
    bytes = bytes < rest ? bytes : rest; /* with padding */
    if (!status)
        status =
            zti_mirror_open_room(context, out + first, bytes + 2 * ZTI_BIT_MARGIN_BYTES, &stream);
    if (!status && !stream.own)
        return encode(context, coding, array, out, out_capacity_bytes, start_bits, end_bits, misses,
                      starts);
    if (!status && start_bits % 8 > 0)
        status = zti_copy_bytes(context, stream.own, out + first, 1);
    if (!status)
        status = encode(context, coding, array, stream.own, bytes, start_bits % 8, end_bits, misses,
                        starts);
    if (!status && !(misses && misses->is_over))
        status = zti_mirror_store_bytes(&stream, out + first, *end_bits / 8);
    *end_bits += first * 8;
    zti_mirror_close(&stream);
    return status;
}

zt_status zti_exec_encode(zt_context *context, const struct zti_coding *as_asked,
                          const zt_array *array, uint8_t *out, size_t out_capacity_bytes,
                          uint64_t start_bits, uint64_t *end_bits, struct zti_misses *misses,
                          const struct zti_starts *starts)
{
    const struct zti_coding own = with_isa(context, as_asked), *coding = &own;
    const bool is_by_kernels = zti_exec_is_on_device(context, coding);
    struct zti_mirror values = {.array = *array};
    zt_status status = ZT_OK;
    if (!is_by_kernels || !isnan(coding->verify_bound))
        status = zti_mirror_open(context, array, &values);
    if (!status)
        status = (is_by_kernels ? encode : encode_on_host)(context, coding, &values.array, out,
                                                           out_capacity_bytes, start_bits, end_bits,
                                                           misses, starts);
    zti_mirror_close(&values);
    return status;
}

/* ---- decode ---- */

static zt_status serial_decode(zt_context *context, const struct zti_coding *as_shared,
                               const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                               const struct zti_index *index, const struct zti_view *view,
                               const struct zti_scatter *scatter, const struct zti_starts *starts,
                               uint64_t *end_bits)
{
    struct zti_coding own = *as_shared, *const coding = &own;
    uint8_t spare[ZTI_SPARE_BYTES];
    struct zti_tile_source source = zti_tile_source_at(coding, data, data_bytes, start_bits);
    struct zti_output output;
    zti_room_open(context, view, &own);
    source.spare = spare;
    source.spare_bytes = sizeof spare;
    struct zti_runs runs = zti_runs_of(&coding->grid, view, scatter ? scatter->spans : NULL);
    const uint64_t every = zti_report_tiles(coding);
    uint64_t first, last, here = 0, reported = 0;
    zt_status status = zti_output_open(context, coding, view, scatter, &output);
    const uint64_t most = scatter ? output.scratch_tiles : every;
    while (status == ZT_OK && zti_runs_next(&runs, most, &first, &last)) {
        status = zti_go_to(context, coding, &source, start_bits, index, here, first);
        if (status == ZT_OK)
            status = starts ? zti_take_noting(context, coding, &source, start_bits, first, last,
                                              view, starts)
                            : zti_take_out(context, coding, &source, start_bits, index, first, last,
                                           &output);
        here = last;
        if (status == ZT_OK && here - reported >= every) {
            reported = here;
            status = zti_report(context, here, coding->grid.count);
        }
    }
    if (status == ZT_OK)
        status = zti_end_chunk(context, coding, &source, start_bits, index, here);
    *end_bits = zti_tile_source_bits(&source);
    zti_tile_source_free(context, &source);
    zti_output_close(context, &output);
    zti_room_close(context, &own);
    return status;
}

/* Whether far fewer tiles are wanted than the cover of a scatter has, all of which the device
 * decodes. */
static bool is_sparse(const struct zti_coding *coding, const struct zti_scatter *scatter)
{
    enum { PART = 4 };
    struct zti_runs all = zti_runs_of(&coding->grid, &scatter->cover, NULL);
    struct zti_runs runs = zti_runs_of(&coding->grid, &scatter->cover, scatter->spans);
    uint64_t first, last, tiles = 1, wanted = 0;
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        tiles *= all.hi[i] - all.lo[i];
    while (wanted <= tiles / PART && zti_runs_next(&runs, UINT64_MAX, &first, &last))
        wanted += last - first;
    return wanted <= tiles / PART;
}

/* Whether the device decodes what is wanted. */
static bool is_for_device(const zt_context *context, const struct zti_coding *coding,
                          const struct zti_scatter *scatter)
{
    return zti_exec_is_on_device(context, coding) && !(scatter && is_sparse(coding, scatter));
}

static zt_status cuda_decode(zt_context *context, const struct zti_coding *coding,
                             const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                             const struct zti_index *index, const struct zti_view *view,
                             const struct zti_scatter *scatter, const struct zti_starts *starts,
                             uint64_t *end_bits)
{
    const int before = context->device->enter(context);
    const zt_status status = zti_cuda_decode(context, coding, data, data_bytes, start_bits, index,
                                             view, scatter, starts, end_bits);
    context->device->leave(before);
    return status;
}

static zt_status decode_here(zt_context *context, const struct zti_coding *coding,
                             const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                             const struct zti_index *index, const struct zti_view *view,
                             const struct zti_scatter *scatter, const struct zti_starts *starts,
                             bool is_device, uint64_t *end_bits)
{
    zti_stage(context, ZT_STAGE_DECODE);
    zt_status status = is_device ? cuda_decode(context, coding, data, data_bytes, start_bits, index,
                                               view, scatter, starts, end_bits)
                       : is_parallel(context)
                           ? zti_omp_decode(context, coding, data, data_bytes, start_bits, index,
                                            view, scatter, starts, end_bits)
                           : serial_decode(context, coding, data, data_bytes, start_bits, index,
                                           view, scatter, starts, end_bits);
    zti_stage(context, ZT_STAGE_OTHER);
    return status == ZT_OK ? zti_report(context, coding->grid.count, coding->grid.count) : status;
}

/* Streams and arrays in the device's memory go through the host's where it decodes; and streams
 * whose tiles it has to find. A scatter goes to the host's memory. */
static zt_status decode(zt_context *context, const struct zti_coding *as_asked, const uint8_t *data,
                        size_t data_bytes, uint64_t start_bits, const struct zti_index *index,
                        const struct zti_view *view, const struct zti_scatter *scatter,
                        const struct zti_starts *starts, uint64_t *end_bits)
{
    struct zti_coding own = with_isa(context, as_asked), *const coding = &own;
    const bool is_parsed = !index && zti_fixed_bits(coding) == 0;
    const bool is_device = is_for_device(context, coding, scatter);
    struct zti_mirror stream = {.bytes = data}, values = {.array = view->out};
    struct zti_view here = *view;
    zt_status status = ZT_OK;
    if (scatter) /* what is written to first is small */
        own.run.is_streamed = false;
    if (!is_device || is_parsed)
        status = zti_mirror_open_bytes(context, data, data_bytes, &stream);
    if (!status && !is_device && !scatter)
        status = zti_mirror_open_output(context, &view->out, &values);
    here.out = values.array;
    if (!status)
        status = decode_here(context, coding, stream.bytes, data_bytes, start_bits, index, &here,
                             scatter, starts, is_device, end_bits);
    if (!status && !scatter)
        status = zti_mirror_store(&values, &view->out);
    zti_mirror_close(&values);
    zti_mirror_close(&stream);
    return status;
}

zt_status zti_exec_decode(zt_context *context, const struct zti_coding *coding, const uint8_t *data,
                          size_t data_bytes, uint64_t start_bits, const struct zti_index *index,
                          const struct zti_view *view, uint64_t *end_bits)
{
    return decode(context, coding, data, data_bytes, start_bits, index, view, NULL, NULL, end_bits);
}

zt_status zti_exec_decode_scattered(zt_context *context, const struct zti_coding *coding,
                                    const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                                    const struct zti_index *index,
                                    const struct zti_scatter *scatter, uint64_t *end_bits)
{
    return decode(context, coding, data, data_bytes, start_bits, index, &scatter->cover, scatter,
                  NULL, end_bits);
}

bool zti_exec_checks_index(const zt_context *context, const struct zti_coding *coding,
                           const struct zti_index *index, const struct zti_view *view,
                           const struct zti_scatter *scatter)
{
    return is_for_device(context, coding, scatter) && zti_cuda_expands(coding, index, view);
}

zt_status zti_exec_decode_noting(zt_context *context, const struct zti_coding *coding,
                                 const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                                 const struct zti_view *view, const struct zti_starts *starts,
                                 uint64_t *end_bits)
{
    const zt_status status =
        decode(context, coding, data, data_bytes, start_bits, NULL, view, NULL, starts, end_bits);
    if (status == ZT_OK)
        note_end(coding, starts, *end_bits - start_bits);
    return status;
}

zt_status zti_exec_scan(zt_context *context, const struct zti_coding *as_asked, const uint8_t *data,
                        size_t data_bytes, uint64_t start_bits, const struct zti_starts *starts,
                        uint64_t *end_bits)
{
    const struct zti_coding own = with_isa(context, as_asked), *coding = &own;
    const uint64_t every = zti_report_tiles(coding), count = coding->grid.count;
    struct zti_mirror stream;
    zt_status status = zti_mirror_open_bytes(context, data, data_bytes, &stream);
    struct zti_tile_source source =
        zti_tile_source_at(coding, stream.bytes, data_bytes, start_bits);
    for (uint64_t first = 0, last; status == ZT_OK && first < count; first = last) {
        last = count - first < every ? count : first + every;
        status = zti_take_noting(context, coding, &source, start_bits, first, last, NULL, starts);
        if (status == ZT_OK)
            status = zti_report(context, last, count);
    }
    *end_bits = zti_tile_source_bits(&source);
    if (status == ZT_OK)
        note_end(coding, starts, *end_bits - start_bits);
    zti_tile_source_free(context, &source);
    zti_mirror_close(&stream);
    return status;
}

zt_status zti_exec_check(zt_context *context, const struct zti_coding *as_asked,
                         const uint8_t *data, size_t data_bytes, uint64_t start_bits,
                         const struct zti_index *index)
{
    const struct zti_coding own = with_isa(context, as_asked), *coding = &own;
    struct zti_mirror stream;
    zt_status status = zti_mirror_open_bytes(context, data, data_bytes, &stream);
    struct zti_tile_source source =
        zti_tile_source_at(coding, stream.bytes, data_bytes, start_bits);
    if (status == ZT_OK)
        status = zti_take_indexed(context, coding, &source, start_bits, index, 0,
                                  coding->grid.count, NULL);
    zti_tile_source_free(context, &source);
    zti_mirror_close(&stream);
    return status;
}

struct zti_extents zti_exec_extents(const struct zti_coding *coding, const struct zti_index *index,
                                    const struct zti_view *view, const struct zti_spans *spans,
                                    uint64_t start_bits, uint64_t stream_bytes)
{
    return (struct zti_extents){.coding = coding,
                                .index = index,
                                .start_bits = start_bits,
                                .stream_bytes = stream_bytes,
                                .runs = zti_runs_of(&coding->grid, view, spans)};
}

/* The bytes of tiles [first, last) at fixed rate, or of the chunks that hold them. */
static void bytes_of_tiles(const struct zti_extents *e, uint64_t first, uint64_t last,
                           uint64_t *first_byte, uint64_t *last_byte)
{
    const uint64_t fixed = zti_fixed_bits(e->coding);
    uint64_t from, to;
    bool is_end;
    if (fixed > 0) {
        from =
            zti_mul(first, fixed, &from) && zti_add(from, e->start_bits, &from) ? from : UINT64_MAX;
        to = zti_mul(last, fixed, &to) && zti_add(to, e->start_bits, &to) ? to : UINT64_MAX;
        is_end = last == e->coding->grid.count;
    } else {
        const uint32_t c = e->index->layout.chunk_tiles;
        from = zti_index_bits(zti_unit_bits(e->coding), e->index, e->start_bits, first / c);
        to = zti_index_bits(zti_unit_bits(e->coding), e->index, e->start_bits,
                            zti_index_chunks(last, c));
        is_end = zti_index_chunks(last, c) == e->index->chunks;
    }
    if (is_end) /* with the padding */
        to = UINT64_MAX;
    *first_byte = from / 8 < e->stream_bytes ? from / 8 : e->stream_bytes;
    *last_byte = zti_bytes_of_bits(to) < e->stream_bytes ? zti_bytes_of_bits(to) : e->stream_bytes;
    if (*last_byte < *first_byte) /* a damaged index; decoding tells */
        *last_byte = *first_byte;
}

bool zti_extents_next(struct zti_extents *e, uint64_t *first_byte, uint64_t *last_byte)
{
    uint64_t first, last;
    if (e->is_done)
        return false;
    if (!e->index && zti_fixed_bits(e->coding) == 0) {
        e->is_done = true;
        *first_byte = 0;
        *last_byte = e->stream_bytes;
        return true;
    }
    if (!zti_runs_next(&e->runs, UINT64_MAX, &first, &last))
        return false;
    bytes_of_tiles(e, first, last, first_byte, last_byte);
    return true;
}
