/* encode.c: encodes a run of tiles on one thread. In: an array and a coding. Out: bits, where
 * chunks begin, and the values that miss the bound.
 *
 * Tiles are appended in groups. As long as the output has room for a worst-case group, they are
 * written to it directly; then one at a time to a scratch buffer, from which they are copied if
 * they fit. Tiles whose bound the codec cannot prove are decoded at once and compared. */
#include "exec/run.h"

#include <math.h>

/* Tiles that are encoded and then verified at a time; with dropped planes, where no tile's bound is
 * proved, more at a time. */
enum { CHECK_TILES = 8, CHECK_LOOSE_TILES = 64 };

/* Append tiles to a writer whose buffer has room for them, and verify those whose bound is not
 * proved. */
static zt_status encode_tiles(zt_context *context, const struct zti_coding *coding,
                              const struct zti_array *array, uint64_t first, uint64_t last,
                              struct zti_bit_writer *w, struct zti_misses *misses)
{
    zt_status status = ZT_OK;
    if (isnan(coding->verify_bound)) {
        (void)coding->codec->encode(coding, array, first, last, w);
        return ZT_OK;
    }
    const uint64_t some = coding->loose_planes > 0 ? CHECK_LOOSE_TILES : CHECK_TILES;
    while (first < last && status == ZT_OK && !misses->exceeds_limit) {
        const uint64_t start = zti_bits_written(w);
        const uint64_t end = last - first < some ? last : first + some;
        if (!coding->codec->encode(coding, array, first, end, w))
            status = zti_check_tiles(context, coding, array, first, end, w, start, misses);
        first = end;
    }
    return status;
}

/* Append one tile to an output that may be too small, through a scratch buffer. */
static zt_status encode_tile_via_scratch(zt_context *context, const struct zti_coding *coding,
                                         const struct zti_array *array, uint64_t tile,
                                         uint8_t *scratch, uint64_t capacity_bits,
                                         struct zti_bit_writer *w, struct zti_misses *misses)
{
    struct zti_bit_writer own = zti_bit_writer_at(scratch);
    zti_put_bits(&own, w->held, w->held_bits);
    zt_status status = encode_tiles(context, coding, array, tile, tile + 1, &own, misses);
    if (status != ZT_OK)
        return status;
    zti_put_le64(own.next, own.held);
    const uint64_t begin = (uint64_t)(w->next - w->base);
    const uint64_t bits = begin * 8 + zti_bits_written(&own);
    if (bits > capacity_bits)
        return zti_fail_for_space(context, capacity_bits / 8);
    memcpy(w->next, scratch, (size_t)(zti_bytes_of_bits(bits) - begin));
    w->next += own.next - own.base;
    w->held = own.held;
    w->held_bits = own.held_bits;
    return ZT_OK;
}

/* Note where a tile begins, if it is the first of a chunk. */
static void note_start(const struct zti_starts *starts, uint64_t tile, uint64_t bits)
{
    if (starts && tile % starts->chunk_tiles == 0)
        starts->list[tile / starts->chunk_tiles] = bits;
}

/* How many tiles from 'first' on to append with one call: at most a group, not past the end of a
 * chunk, and as many as fit in the room at their largest. */
static uint64_t next_group(const struct zti_starts *starts, uint64_t first, uint64_t last,
                           uint64_t free_bytes, uint64_t tile_bits)
{
    const uint64_t margin = 2 * ZTI_BIT_MARGIN_BYTES;
    const uint64_t fit = free_bytes < margin ? 0 : (free_bytes - margin) * 8 / (tile_bits + 1);
    uint64_t n = last - first < ZTI_GROUP_TILES ? last - first : ZTI_GROUP_TILES;
    if (starts && n > starts->chunk_tiles - first % starts->chunk_tiles)
        n = starts->chunk_tiles - first % starts->chunk_tiles;
    return n < fit ? n : fit;
}

static zt_status write_last_tiles(zt_context *context, const struct zti_coding *coding,
                                  const struct zti_array *array, uint64_t first, uint64_t last,
                                  size_t capacity_bytes, uint64_t start_bits,
                                  struct zti_bit_writer *w, struct zti_misses *misses,
                                  const struct zti_starts *starts)
{
    const uint64_t tile_bytes = coding->codec->sizes(coding).tile_max_bits / 8;
    uint8_t spare[ZTI_SPARE_BYTES], *scratch = spare;
    if (tile_bytes > sizeof spare - 2 * ZTI_BIT_MARGIN_BYTES)
        scratch = tile_bytes < SIZE_MAX - 2 * ZTI_BIT_MARGIN_BYTES
                      ? zti_alloc(context, (size_t)tile_bytes + 2 * ZTI_BIT_MARGIN_BYTES)
                      : NULL;
    if (!scratch)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for a tile of %llu bytes",
                        (unsigned long long)tile_bytes);
    zt_status status = ZT_OK;
    for (; first < last && status == ZT_OK; first++) {
        note_start(starts, first, zti_bits_written(w) - start_bits);
        status = encode_tile_via_scratch(context, coding, array, first, scratch,
                                         (uint64_t)capacity_bytes * 8, w, misses);
    }
    if (scratch != spare)
        zti_release(context, scratch);
    return status;
}

zt_status zti_encode_run(zt_context *context, const struct zti_coding *coding,
                         const struct zti_array *array, uint64_t first, uint64_t last, uint8_t *out,
                         size_t out_capacity_bytes, uint64_t start_bits, uint64_t *end_bits,
                         struct zti_misses *misses, const struct zti_starts *starts)
{
    const uint64_t every = zti_report_tiles(coding);
    const uint64_t tile_bits = coding->codec->sizes(coding).tile_max_bits;
    struct zti_bit_writer w = zti_bit_writer_at(out);
    zt_status status = ZT_OK;
    uint64_t reported = first, n;

    w.next += start_bits / 8;
    w.held_bits = start_bits % 8;
    w.held = w.held_bits ? *w.next & ((1u << w.held_bits) - 1) : 0;
    while ((n = next_group(starts, first, last, out_capacity_bytes - (uint64_t)(w.next - w.base),
                           tile_bits)) > 0) {
        note_start(starts, first, zti_bits_written(&w) - start_bits);
        status = encode_tiles(context, coding, array, first, first + n, &w, misses);
        first += n;
        if (status == ZT_OK && first - reported >= every) {
            reported = first;
            status = zti_report(context, first, coding->grid.count);
        }
        if (status != ZT_OK || (misses && misses->exceeds_limit))
            return status;
    }
    if (first < last)
        status = write_last_tiles(context, coding, array, first, last, out_capacity_bytes,
                                  start_bits, &w, misses, starts);
    *end_bits = zti_bits_written(&w);
    return status;
}
