/* exec.c: the functions of exec.h: calls the policy, and does what all policies have in common:
 * padding, reports, sorting of misses. Arrays and streams in a GPU's memory are copied here if the
 * host codes them. */
#include "array/mirror.h"
#include "core/cpu.h"
#include "core/device.h"
#include "core/threads.h"
#include "exec/exec.h"
#include "exec/policy.h"
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

bool zti_exec_is_by_kernels(const zt_context *context, const struct zti_coding *coding)
{
    return zti_policy_of(context, coding)->is_by_kernels;
}

bool zti_exec_decodes_by_kernels(const zt_context *context, const struct zti_coding *coding)
{
    return zti_policy_to_decode(context, coding, NULL)->is_by_kernels;
}

zt_status zti_exec_scratch(zt_context *context, const struct zti_coding *coding,
                           const struct zti_index_layout *layout, uint64_t *bytes)
{
    const struct zti_learning *const learning = zti_learning_of(coding->codec);
    struct zti_coding own = *coding;
    const struct zti_policy *policy = zti_policy_to_decode(context, coding, NULL);
    zt_status status = policy->scratch ? policy->scratch(context, coding, layout, bytes) : ZT_OK;
    for (uint32_t i = 0; !status && learning && learning->vary && learning->vary(&own, i); i++) {
        policy = zti_policy_to_decode(context, &own, NULL);
        status = policy->scratch ? policy->scratch(context, &own, layout, bytes) : ZT_OK;
    }
    return status;
}

/* ---- encode ---- */

/* Set the list's last entry, the end of the stream. */
static void note_end(const struct zti_coding *coding, const struct zti_starts *starts,
                     uint64_t stream_bits)
{
    starts->list[zti_index_chunks(coding->grid.count, starts->chunk_tiles)] = stream_bits;
}

/* Pad the stream to the codec's alignment. */
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
    if (bits % 8 && !zti_exec_is_by_kernels(context, coding)) /* kernels leave zeros there */
        out[bits / 8] &= (uint8_t)((1u << bits % 8) - 1);
    return zti_zero_bytes(context, out + from, end / 8 - from);
}

static int by_place(const void *a, const void *b)
{
    const uint64_t x = ((const struct zti_miss *)a)->at, y = ((const struct zti_miss *)b)->at;
    return (x > y) - (x < y);
}

static void sort_misses(struct zti_misses *misses)
{
    if (misses && misses->count > 1)
        qsort(misses->list, (size_t)misses->count, sizeof *misses->list, by_place);
}

/* Outputs of this size and more, above any core's share of the caches, are stored past them. */
enum { STREAMED_BYTES = 64 << 20 };

/* The coding with the context's instruction set and the choice of stores past the caches. */
static struct zti_coding with_isa(const zt_context *context, const struct zti_coding *coding)
{
    struct zti_coding own = *coding;
    const uint64_t values = zti_array_values(coding->grid.rank, coding->grid.shape);
    own.run.isa = zti_isa_of(context);
    own.run.is_streamed = values * zt_type_bytes(coding->type) >= STREAMED_BYTES;
    return own;
}

static zt_status encode(zt_context *context, const struct zti_coding *coding,
                        const struct zti_array *array, uint8_t *out, size_t out_capacity_bytes,
                        uint64_t start_bits, uint64_t *end_bits, struct zti_misses *misses,
                        const struct zti_starts *starts)
{
    const uint64_t total = coding->grid.count;
    zti_stage(context, ZT_STAGE_ENCODE);
    zt_status status = zti_policy_of(context, coding)
                           ->encode(context, coding, array, (struct zti_tiles){0, total}, out,
                                    out_capacity_bytes, start_bits, end_bits, misses, starts);
    zti_stage(context, ZT_STAGE_OTHER);
    if (status != ZT_OK || (misses && misses->exceeds_limit))
        return status;
    if (starts)
        note_end(coding, starts, *end_bits - start_bits);
    status = zti_report(context, total, total);
    if (status == ZT_OK)
        status = finish(context, coding, out, out_capacity_bytes, end_bits);
    sort_misses(misses);
    if (coding->run.is_streamed) /* locks do not order stores past the caches */
        atomic_thread_fence(memory_order_seq_cst);
    return status;
}

/* encode by the host, to a stream in the host's memory or a GPU's. */
static zt_status encode_on_host(zt_context *context, const struct zti_coding *coding,
                                const struct zti_array *array, uint8_t *out,
                                size_t out_capacity_bytes, uint64_t start_bits, uint64_t *end_bits,
                                struct zti_misses *misses, const struct zti_starts *starts)
{
    const uint64_t first = start_bits / 8;
    const size_t rest = out_capacity_bytes - (size_t)first;
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
    if (!status && !(misses && misses->exceeds_limit))
        status = zti_mirror_store_bytes(&stream, out + first, *end_bits / 8);
    if (!status)
        *end_bits += first * 8;
    zti_mirror_close(&stream);
    return status;
}

zt_status zti_exec_encode(zt_context *context, const struct zti_coding *as_asked,
                          const struct zti_array *array, uint8_t *out, size_t out_capacity_bytes,
                          uint64_t start_bits, uint64_t *end_bits, struct zti_misses *misses,
                          const struct zti_starts *starts)
{
    const struct zti_coding own = with_isa(context, as_asked), *coding = &own;
    const bool is_by_kernels = zti_exec_is_by_kernels(context, coding);
    struct zti_mirror values = {.array = *array};
    zt_status status = ZT_OK;
    if (zti_bytes_of_bits(start_bits) > out_capacity_bytes)
        return zti_fail_for_space(context, out_capacity_bytes);
    if (!is_by_kernels)
        status = zti_mirror_open(context, array, &values);
    if (!status)
        status = (is_by_kernels ? encode : encode_on_host)(context, coding, &values.array, out,
                                                           out_capacity_bytes, start_bits, end_bits,
                                                           misses, starts);
    zti_mirror_close(&values);
    return status;
}

/* ---- encode piece by piece ---- */

/* At a fixed rate, where tiles are small, PIECE_TILES_STEP of them are whole bytes. With several
 * threads there are two windows. */
enum { WINDOW_A_THREAD_BYTES = 2 << 20, PIECE_TILES_STEP = 8 };

zt_status zti_tiles_in_window(zt_context *context, const struct zti_coding *coding,
                              uint64_t window_bytes, uint64_t *tiles)
{
    const uint64_t rest = ZTI_WINDOW_REST_BYTES;
    *tiles = window_bytes > rest ? (window_bytes - rest) / zti_tile_most_bytes(coding) : 0;
    return *tiles > 0
               ? ZT_OK
               : zti_fail(context, ZT_NO_MEMORY, "a window of %llu bytes is too small for a tile",
                          (unsigned long long)window_bytes);
}

static bool has_two_windows(const zt_context *context, const struct zti_coding *coding)
{
    return zti_threads_wanted(context) > 1 && zti_policy_of(context, coding)->encode_pieces;
}

zt_status zti_exec_window_bytes(zt_context *context, const struct zti_coding *coding,
                                uint64_t *window_bytes)
{
    const uint64_t windows = has_two_windows(context, coding) ? 2 : 1;
    const uint64_t tile_bytes = zti_tile_most_bytes(coding);
    const uint64_t count = coding->grid.count;
    uint64_t tiles = zti_threads_wanted(context) * WINDOW_A_THREAD_BYTES / windows / tile_bytes;
    tiles = tiles < 1 ? 1 : tiles < count ? tiles : count;
    if (!zti_mul(tiles, tile_bytes, window_bytes) ||
        !zti_add(*window_bytes, ZTI_WINDOW_REST_BYTES + 64, window_bytes) ||
        !zti_mul(*window_bytes, windows, window_bytes))
        return zti_fail(context, ZT_NO_MEMORY, "no memory for %llu tiles of %llu bytes",
                        (unsigned long long)tiles, (unsigned long long)tile_bytes);
    return ZT_OK;
}

/* Hand on whole units of a window, and move the rest to its front. */
static zt_status drain_units(struct zti_window *w, const struct zti_drain *drain)
{
    const uint64_t used = w->used_bits / 8, n = used - used % ZTI_DRAIN_UNIT_BYTES;
    const zt_status status = n > 0 ? drain->take(drain->user, w->bytes, n) : ZT_OK;
    memmove(w->bytes, w->bytes + n, (size_t)(used + 1 - n));
    w->used_bits -= n * 8;
    return status;
}

/* As zti_policy.encode_pieces, by zti_policy.encode. */
static zt_status encode_by_windows(zt_context *context, const struct zti_coding *coding,
                                   const struct zti_array *array, struct zti_window *w,
                                   const struct zti_drain *drain, uint64_t *stream_bits,
                                   struct zti_misses *misses, const struct zti_starts *starts)
{
    const struct zti_policy *const policy = zti_policy_of(context, coding);
    const uint64_t count = coding->grid.count;
    uint64_t some;
    zt_status status = zti_tiles_in_window(context, coding, w->capacity_bytes, &some);
    if (!status && some > PIECE_TILES_STEP)
        some -= some % PIECE_TILES_STEP;
    for (struct zti_tiles tiles = {0, 0}; !status && tiles.last < count;) {
        const uint64_t began = w->used_bits;
        tiles.first = tiles.last;
        tiles.last = count - tiles.first < some ? count : tiles.first + some;
        zti_stage(context, ZT_STAGE_ENCODE);
        status = policy->encode(context, coding, array, tiles, w->bytes, w->capacity_bytes, began,
                                &w->used_bits, misses, starts);
        zti_stage(context, ZT_STAGE_OTHER);
        if (status || (misses && misses->exceeds_limit))
            return status;
        if (starts)
            zti_offset_starts(starts, tiles, *stream_bits);
        *stream_bits += w->used_bits - began;
        if (tiles.last == count)
            break;
        status = drain_units(w, drain);
        if (!status)
            zti_pass(&drain->passing, &coding->grid, array, tiles.last);
    }
    return status;
}

static zt_status encode_pieces(zt_context *context, const struct zti_coding *coding,
                               const struct zti_array *array, struct zti_window *w,
                               const struct zti_drain *drain, uint64_t *stream_bits,
                               struct zti_misses *misses, const struct zti_starts *starts)
{
    zt_status status;
    if (has_two_windows(context, coding)) {
        zti_stage(context, ZT_STAGE_ENCODE);
        status = zti_policy_of(context, coding)
                     ->encode_pieces(context, coding, array, w, drain, stream_bits, misses, starts);
        zti_stage(context, ZT_STAGE_OTHER);
    } else {
        status = encode_by_windows(context, coding, array, w, drain, stream_bits, misses, starts);
    }
    if (status || (misses && misses->exceeds_limit))
        return status;
    status = finish(context, coding, w->bytes, w->capacity_bytes, &w->used_bits);
    if (!status)
        status = drain->take(drain->user, w->bytes, w->used_bits / 8);
    if (!status)
        zti_pass(&drain->passing, &coding->grid, array, coding->grid.count);
    return status;
}

zt_status zti_exec_encode_pieces(zt_context *context, const struct zti_coding *as_asked,
                                 const struct zti_array *array, struct zti_window *window,
                                 const struct zti_drain *drain, struct zti_misses *misses,
                                 const struct zti_starts *starts)
{
    struct zti_coding own = with_isa(context, as_asked);
    const uint64_t total = own.grid.count;
    struct zti_mirror values = {.array = *array};
    uint64_t stream_bits = 0;
    own.run.is_streamed = false; /* the window stays in the caches */
    zt_status status = zti_mirror_open(context, array, &values);
    if (!status)
        status = encode_pieces(context, &own, &values.array, window, drain, &stream_bits, misses,
                               starts);
    zti_mirror_close(&values);
    if (status || (misses && misses->exceeds_limit))
        return status;
    if (starts)
        note_end(&own, starts, stream_bits);
    sort_misses(misses);
    return zti_report(context, total, total);
}

/* ---- decode ---- */

/* Decode. Streams and arrays in the device's memory are copied through the host's if the host
 * decodes; streams also if the host has to parse them. A scatter writes to the host's memory. */
static zt_status decode(zt_context *context, const struct zti_coding *as_asked, const uint8_t *data,
                        size_t data_bytes, uint64_t start_bits, const struct zti_index *index,
                        const struct zti_view *view, const struct zti_scatter *scatter,
                        const struct zti_starts *starts, uint64_t *end_bits)
{
    struct zti_coding own = with_isa(context, as_asked), *const coding = &own;
    const bool is_parsed =
        !index && zti_fixed_bits(coding) == 0 && (coding->grid.count > 1 || starts);
    const struct zti_policy *const policy = zti_policy_to_decode(context, coding, scatter);
    struct zti_mirror stream = {.bytes = data}, values = {.array = view->out};
    struct zti_view here = *view;
    zt_status status = ZT_OK;
    if (scatter) /* the scratch is small */
        own.run.is_streamed = false;
    if (!policy->is_by_kernels || is_parsed)
        status = zti_mirror_open_bytes(context, data, data_bytes, &stream);
    if (!status && !policy->is_by_kernels && !scatter)
        status = zti_mirror_open_output(context, &view->out, &values);
    here.out = values.array;
    if (!status) {
        zti_stage(context, ZT_STAGE_DECODE);
        status = policy->decode(context, coding, stream.bytes, data_bytes, start_bits, index, &here,
                                scatter, starts, end_bits);
        zti_stage(context, ZT_STAGE_OTHER);
    }
    if (!status)
        status = zti_report(context, coding->grid.count, coding->grid.count);
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
    const struct zti_policy *const policy = zti_policy_to_decode(context, coding, scatter);
    return policy->checks_index && policy->checks_index(coding, index, view);
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
        status = zti_decode_noting(context, coding, &source, start_bits, first, last, NULL, starts);
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
        status = zti_decode_indexed(context, coding, &source, start_bits, index, 0,
                                    coding->grid.count, NULL);
    zti_tile_source_free(context, &source);
    zti_mirror_close(&stream);
    return status;
}
