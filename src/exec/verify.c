/* verify.c: verifies the bound: decodes tiles whose bound the codec cannot prove, compares them
 * with the array, and collects the values that miss the bound. */
#include "exec/run.h"
#include "quality/quality.h"

void zti_misses_free(zt_context *context, struct zti_misses *misses)
{
    zti_release(context, misses->list);
    misses->list = NULL;
    misses->count = misses->capacity = 0;
}

zt_status zti_add_miss(zt_context *context, struct zti_misses *misses, uint64_t at, uint64_t bits)
{
    if (misses->count >= misses->limit) {
        misses->exceeds_limit = true;
        return ZT_OK;
    }
    if (misses->count == misses->capacity) {
        const uint64_t capacity = misses->capacity ? 2 * misses->capacity : 1024;
        struct zti_miss *list = zti_alloc(context, (size_t)capacity * sizeof *list);
        if (!list)
            return zti_fail(context, ZT_NO_MEMORY, "no memory for the values beyond the bound");
        if (misses->count)
            memcpy(list, misses->list, (size_t)misses->count * sizeof *list);
        zti_release(context, misses->list);
        misses->list = list;
        misses->capacity = capacity;
    }
    misses->list[misses->count++] = (struct zti_miss){.at = at, .bits = bits};
    return ZT_OK;
}

/* Values that are decoded at a time: at least a tile of any codec that leaves this to exec
 * (codec.h: encode). */
enum { TILE_VALUES = 4096 };

/* Collect the values of a row, which begins at 'at', that miss the bound. */
static zt_status check_row(zt_context *context, const struct zti_coding *coding, const uint64_t *at,
                           const char *original, int64_t stride, const char *back, uint64_t n,
                           struct zti_misses *misses)
{
    const struct zti_grid *grid = &coding->grid;
    const size_t value_bytes = zt_type_bytes(coding->type);
    uint64_t place = 0;
    zt_status status = ZT_OK;
    for (uint32_t i = 0; i < grid->rank; i++)
        place = place * grid->shape[i] + at[i];
    for (uint64_t i = 0; i < n && status == ZT_OK && !misses->exceeds_limit; i++) {
        const uint64_t bits = zti_bits_at(original, (int64_t)i * stride, value_bytes);
        const uint64_t other = zti_bits_at(back, (int64_t)i, value_bytes);
        if (!(coding->is_of_value ? zti_within_part : zti_within)(coding->type, bits, other,
                                                                  coding->verify_bound))
            status = zti_add_miss(context, misses, place + i, bits);
    }
    return status;
}

/* Decode 'tiles' tiles from walk on, neighbours along the last axis, and collect the values that
 * miss the bound. */
static zt_status check_some(zt_context *context, const struct zti_coding *coding,
                            const struct zti_array *array, const struct zti_walk *walk,
                            uint64_t tiles, struct zti_bit_reader *reader,
                            struct zti_misses *misses)
{
    uint64_t decoded[TILE_VALUES], at[ZT_MAX_RANK], shape[ZT_MAX_RANK], rows = 1;
    const struct zti_grid *grid = &coding->grid;
    const uint32_t last = grid->rank - 1;
    struct zti_view view;
    for (uint32_t i = 0; i < grid->rank; i++) {
        const uint64_t rest = grid->shape[i] - walk->origin[i];
        const uint64_t side = i < last ? grid->side[i] : tiles * grid->side[i];
        shape[i] = rest < side ? rest : side;
        rows *= i < last ? shape[i] : 1;
        at[i] = view.lo[i] = walk->origin[i];
        view.hi[i] = walk->origin[i] + shape[i];
    }
    view.out = zti_array_packed(decoded, coding->type, grid->rank, shape);
    coding->codec->decode(coding, reader, walk->tile, walk->tile + tiles, &view);
    const char *back = (const char *)decoded;
    for (; rows > 0; rows--, back += shape[last] * zt_type_bytes(coding->type)) {
        const char *original = zti_array_at(array, at);
        if (!(coding->is_of_value ? zti_row_within_part
                                  : zti_row_within)(coding->type, original, array->stride[last],
                                                    back, shape[last], coding->verify_bound)) {
            const zt_status status = check_row(context, coding, at, original, array->stride[last],
                                               back, shape[last], misses);
            if (status != ZT_OK || misses->exceeds_limit)
                return status;
        }
        for (uint32_t i = last; i-- > 0;) {
            if (++at[i] < view.hi[i])
                break;
            at[i] = view.lo[i];
        }
    }
    return ZT_OK;
}

/* How many tiles from walk on, before 'end', are neighbours along the last axis and together have
 * at most TILE_VALUES values. */
static uint64_t tiles_together(const struct zti_grid *grid, const struct zti_walk *walk,
                               uint64_t end)
{
    const uint32_t last = grid->rank - 1;
    const uint64_t row = grid->tiles[last] - walk->origin[last] / grid->side[last];
    uint64_t most = TILE_VALUES;
    for (uint32_t i = 0; i < grid->rank; i++)
        most /= grid->side[i];
    most = most < 1 ? 1 : most < row ? most : row;
    return end - walk->tile < most ? end - walk->tile : most;
}

zt_status zti_check_tiles(zt_context *context, const struct zti_coding *coding,
                          const struct zti_array *array, uint64_t first, uint64_t last,
                          const struct zti_bit_writer *w, uint64_t start, struct zti_misses *misses)
{
    struct zti_bit_reader r = {.base = w->base, .at = start, .end = zti_bits_written(w)};
    struct zti_walk walk = zti_walk_from(&coding->grid, first);
    zt_status status = ZT_OK;
    if (zti_tile_values(coding) > TILE_VALUES)
        return zti_fail(
            context, ZT_UNSUPPORTED,
            "%s has not proved the bound of tiles of %llu values; at most %d are verified",
            coding->codec->name, (unsigned long long)zti_tile_values(coding), TILE_VALUES);
    zti_put_le64(w->next, w->held);
    while (walk.tile < last && status == ZT_OK && !misses->exceeds_limit) {
        const uint64_t tiles = tiles_together(&coding->grid, &walk, last);
        status = check_some(context, coding, array, &walk, tiles, &r, misses);
        for (uint64_t i = 0; i < tiles; i++)
            zti_walk_next(&coding->grid, &walk);
    }
    return status;
}
