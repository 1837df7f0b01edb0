/* bands.c: a tile's layout (layout.h), for all instances; and what of it a box needs. */
#include "codec/sz/transform/transform.h"

uint32_t zti_tf_most_bands(const uint32_t *extent)
{
    return tf_most_bands(extent);
}

void zti_tf_set_extent(struct zti_tf_layout *layout, const uint32_t *extent)
{
    tf_set_extent(layout, extent);
}

void zti_tf_set_way(struct zti_tf_layout *layout, const struct zti_tf_way *way)
{
    struct zti_tf_span all[ZTI_TF_AXES];
    tf_set_way(layout, way);
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        all[a] = (struct zti_tf_span){0, layout->extent[a]};
    zti_tf_set_need(layout, all);
}

struct zti_tf_walk zti_tf_walk_from(const struct zti_tf_layout *layout, uint32_t band)
{
    return tf_walk_from(layout, band);
}

bool zti_tf_next_run(const struct zti_tf_layout *layout, struct zti_tf_walk *walk,
                     struct zti_tf_run *run)
{
    return tf_next_run(layout, walk, run);
}

void zti_tf_set_items(struct zti_tf_layout *layout, uint32_t parts_way)
{
    tf_set_items(layout, parts_way);
}

uint32_t zti_tf_count_parts(const struct zti_tf_layout *layout, uint32_t parts_way)
{
    return tf_count_parts(layout, parts_way);
}

size_t zti_tf_most_parts(size_t values)
{
    return tf_most_parts(values);
}

size_t zti_tf_block_symbols(const uint32_t *extent)
{
    return tf_block_symbols(extent);
}

/* ---- what a box needs ---- */

/* Places around some that lie in a line of n. */
static struct zti_tf_span widened(uint32_t from, uint32_t before, uint32_t to, uint32_t n)
{
    return (struct zti_tf_span){.from = from < before ? 0 : from - before, .to = to < n ? to : n};
}

/* The low and high values of a line of n from which some of its values are made: a value at an odd
 * place takes the low ones up to two places before and three behind, these the high ones up to two
 * before and one behind. Mirrored ones lie among them. */
static void find_need(uint32_t n, const struct zti_tf_span *values, struct zti_tf_span *low,
                      struct zti_tf_span *high)
{
    enum { SHORT = 16 };
    *low = (struct zti_tf_span){0, (n + 1) / 2};
    *high = (struct zti_tf_span){0, n / 2};
    if (n < SHORT || values->from == values->to)
        return;
    *low = widened(values->from / 2, 2, values->to / 2 + 4, (n + 1) / 2);
    *high = widened(low->from, 2, low->to + 1, n / 2);
}

void zti_tf_set_need(struct zti_tf_layout *layout, const struct zti_tf_span *box)
{
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        struct zti_tf_need *const need = &layout->need[a];
        need->levels = 0;
        need->length[0] = layout->extent[a];
        need->low[0] = box[a];
        for (uint32_t i = 0; i < layout->levels; i++) {
            if (layout->level[i].axis != a)
                continue;
            const uint32_t k = need->levels++, n = need->length[k];
            need->length[k + 1] = (n + 1) / 2;
            find_need(n, &need->low[k], &need->low[k + 1], &need->high[k]);
        }
    }
}

uint32_t zti_tf_needed(const struct zti_tf_need *need, uint32_t levels, uint32_t below,
                       struct zti_tf_span *span)
{
    uint32_t n = 0;
    for (uint32_t k = levels + 1; k-- > 0;) {
        const struct zti_tf_span *const s = k == levels ? &need->low[k] : &need->high[k];
        const uint32_t first = k == levels ? 0 : need->length[k + 1];
        const uint32_t to = first + s->to < below ? first + s->to : below;
        if (first + s->from >= to)
            continue;
        if (n > 0 && span[n - 1].to == first + s->from)
            span[n - 1].to = to;
        else
            span[n++] = (struct zti_tf_span){first + s->from, to};
    }
    return n;
}
