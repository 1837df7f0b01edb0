/* bands.c: the levels of a tile's transform, the bands that they leave, and the blocks of a band.
 * In: extents and the way of each axis. Out: levels in the order of the transform, bands from
 * coarse to fine, runs of blocks. */
#include "codec/sz/transform/transform.h"

/* What some levels leave along one axis: low coefficients, or high ones of the last level. */
struct part {
    uint32_t origin, extent, level; /* the finest level is 0 */
    uint32_t levels;                /* see struct zti_tf_band */
    bool is_high;
    double gain;
};

uint32_t zti_tf_most_bands(const uint32_t *extent)
{
    uint32_t bands = 1;
    for (uint32_t i = 0; i < ZTI_TF_AXES; i++)
        bands *= tf_levels(extent[i], 2) + 1;
    return bands;
}

void zti_tf_set_extent(struct zti_tf_layout *layout, const uint32_t *extent)
{
    layout->values = 1;
    for (uint32_t i = ZTI_TF_AXES; i-- > 0;) {
        layout->extent[i] = extent[i];
        layout->stride[i] = layout->values;
        layout->values *= extent[i];
    }
}

static void add_level(struct zti_tf_layout *layout, uint32_t axis, const uint32_t *extent)
{
    struct zti_tf_level *const level = &layout->level[layout->levels++];
    level->axis = axis;
    memcpy(level->extent, extent, sizeof level->extent);
}

static void set_levels(struct zti_tf_layout *layout, const struct zti_tf_way *way)
{
    uint32_t extent[ZTI_TF_AXES];
    const uint32_t least = tf_least(way);
    layout->levels = 0;
    memcpy(extent, layout->extent, sizeof extent);
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        for (; way->axis[a] == ZTI_TF_FIRST && extent[a] >= least; extent[a] = (extent[a] + 1) / 2)
            add_level(layout, a, extent);
        extent[a] = layout->extent[a];
    }
    for (bool is_cut = true; is_cut;) {
        uint32_t next[ZTI_TF_AXES];
        is_cut = false;
        memcpy(next, extent, sizeof next);
        for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
            if (way->axis[a] != ZTI_TF_JOINT || extent[a] < least)
                continue;
            add_level(layout, a, extent);
            next[a] = (extent[a] + 1) / 2;
            is_cut = true;
        }
        memcpy(extent, next, sizeof extent);
    }
}

static struct part part_of(uint32_t n, uint32_t levels, bool is_high)
{
    struct part p = {.extent = n, .gain = 1};
    for (uint32_t i = 0; i < levels; i++) {
        const uint32_t low = (p.extent + 1) / 2;
        const bool is_last = is_high && i + 1 == levels;
        p.origin = is_last ? low : 0;
        p.extent = is_last ? p.extent - low : low;
        p.gain *= is_last ? ZTI_TF_HIGH : ZTI_TF_LOW;
    }
    p.level = is_high ? levels - 1 : levels;
    p.levels = levels;
    p.is_high = is_high;
    return p;
}

static void add_band(struct zti_tf_layout *layout, const struct part *part, uint32_t joint_level)
{
    struct zti_tf_band *const band = &layout->band[layout->bands];
    uint32_t level = joint_level;
    band->gain = 1;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        if (part[a].extent == 0)
            return;
        band->origin[a] = part[a].origin;
        band->extent[a] = part[a].extent;
        band->levels[a] = part[a].levels;
        band->is_high[a] = part[a].is_high;
        band->gain *= part[a].gain;
        level += part[a].level;
    }
    band->octave = level < ZTI_TF_OCTAVES ? level : ZTI_TF_OCTAVES - 1;
    layout->bands++;
}

/* Add the bands with these parts of the other axes, for all parts of the axes that are
 * ZTI_TF_FIRST. */
static void add_bands(struct zti_tf_layout *layout, const struct zti_tf_way *way, struct part *part,
                      uint32_t joint_level)
{
    uint32_t levels[ZTI_TF_AXES] = {0}, at[ZTI_TF_AXES] = {0};
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        if (way->axis[a] == ZTI_TF_FIRST)
            levels[a] = tf_levels(layout->extent[a], tf_least(way));
    for (;;) {
        uint32_t axis = ZTI_TF_AXES;
        for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
            if (way->axis[a] == ZTI_TF_FIRST)
                part[a] = part_of(layout->extent[a], at[a] == 0 ? levels[a] : levels[a] - at[a] + 1,
                                  at[a] > 0);
        add_band(layout, part, joint_level);
        while (axis > 0 && ++at[axis - 1] > levels[axis - 1])
            at[--axis] = 0;
        if (axis == 0)
            return;
    }
}

/* Levels of the joint axes come from the last, coarsest, to the first. A level leaves a band for
 * each combination of low and high along these axes, but for low along all: that one has further
 * levels. */
void zti_tf_set_way(struct zti_tf_layout *layout, const struct zti_tf_way *way)
{
    uint32_t levels[ZTI_TF_AXES] = {0}, most = 0;
    struct part part[ZTI_TF_AXES];
    set_levels(layout, way);
    layout->bands = 0;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        if (way->axis[a] == ZTI_TF_JOINT)
            levels[a] = tf_levels(layout->extent[a], tf_least(way));
        most = levels[a] > most ? levels[a] : most;
        part[a] = part_of(layout->extent[a], levels[a], false);
        part[a].level = 0;
    }
    add_bands(layout, way, part, most);
    for (uint32_t level = most; level-- > 0;) {
        for (uint32_t high = 1; high < 1u << ZTI_TF_AXES; high++) {
            bool is_band = true;
            for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
                const bool is_high = high >> a & 1, is_cut = level < levels[a];
                is_band = is_band && (is_cut || !is_high);
                part[a] = part_of(layout->extent[a], is_cut ? level + 1 : levels[a], is_high);
                part[a].level = 0;
            }
            if (is_band)
                add_bands(layout, way, part, level);
        }
    }
    struct zti_tf_span all[ZTI_TF_AXES];
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        all[a] = (struct zti_tf_span){0, layout->extent[a]};
    zti_tf_set_need(layout, all);
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

/* ---- blocks ---- */

static void open_band(const struct zti_tf_layout *layout, struct zti_tf_walk *walk, uint32_t band)
{
    *walk = (struct zti_tf_walk){.band = band, .is_open = band < layout->bands};
    if (!walk->is_open)
        return;
    const uint32_t *const extent = layout->band[band].extent, axes = tf_block_axes(extent);
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        walk->side[a] = tf_block_side(extent[a], axes);
        walk->full[a] = extent[a] / walk->side[a];
    }
}

struct zti_tf_walk zti_tf_walk_from(const struct zti_tf_layout *layout, uint32_t band)
{
    struct zti_tf_walk walk;
    open_band(layout, &walk, band);
    return walk;
}

/* Go to the next cut that has blocks; false past the last. */
static bool next_cut(const struct zti_tf_layout *layout, struct zti_tf_walk *walk)
{
    const uint32_t *const extent = layout->band[walk->band].extent;
    for (walk->cut++; walk->cut < 1u << ZTI_TF_AXES; walk->cut++) {
        walk->is_open = true;
        for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
            if (walk->cut >> a & 1 && extent[a] % walk->side[a] == 0)
                walk->is_open = false;
        if (walk->is_open)
            return true;
    }
    return false;
}

/* The place of the next block; the walk goes on behind it. */
static size_t next_block(const struct zti_tf_layout *layout, struct zti_tf_walk *walk)
{
    const struct zti_tf_band *const band = &layout->band[walk->band];
    size_t at = 0;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        const uint32_t block = walk->cut >> a & 1 ? walk->full[a] : walk->next[a];
        at += (band->origin[a] + (size_t)block * walk->side[a]) * layout->stride[a];
    }
    for (uint32_t a = ZTI_TF_AXES; a-- > 0;) {
        if (!(walk->cut >> a & 1) && ++walk->next[a] < walk->full[a])
            return at;
        walk->next[a] = 0;
    }
    walk->is_open = false;
    return at;
}

bool zti_tf_next_run(const struct zti_tf_layout *layout, struct zti_tf_walk *walk,
                     struct zti_tf_run *run)
{
    if (walk->band < layout->bands && !walk->is_open && !next_cut(layout, walk))
        open_band(layout, walk, walk->band + 1);
    if (walk->band >= layout->bands)
        return false;
    run->band = &layout->band[walk->band];
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        run->extent[a] = walk->cut >> a & 1 ? run->band->extent[a] % walk->side[a] : walk->side[a];
    for (run->lanes = 0; run->lanes < ZTI_TF_LANES && walk->is_open; run->lanes++)
        run->at[run->lanes] = next_block(layout, walk);
    return true;
}

/* ---- parts ---- */

size_t zti_tf_block_symbols(const uint32_t *extent)
{
    const uint32_t n = extent[ZTI_TF_AXES - 1];
    const size_t values = zti_tf_block_values(extent);
    const size_t said = n < ZTI_TF_LEAST_ROW ? 0 : (n + ZTI_TF_SEGMENT - 1) / ZTI_TF_SEGMENT;
    return values + values / n * said;
}

size_t zti_tf_most_parts(size_t values)
{
    return 2 * (values / ZTI_TF_ALONE_VALUES) + values / ZTI_TF_PART_VALUES + 2;
}

/* Items from a walk on, to 'item' where that is not NULL; returns how many parts they have. */
static uint32_t find_items(const struct zti_tf_layout *layout, uint32_t parts_way,
                           struct zti_tf_item *item, uint32_t *items)
{
    struct zti_tf_walk walk = zti_tf_walk_from(layout, 0), before = walk;
    struct zti_tf_item open = {.runs = 0}; /* a part that is not full yet */
    struct zti_tf_run run;
    uint32_t parts = 0;
    size_t symbols = 0, values = 0;
    *items = 0;
    for (bool is_left = true; is_left; before = walk) {
        is_left = zti_tf_next_run(layout, &walk, &run);
        const size_t block = is_left ? zti_tf_block_values(run.extent) : 0;
        const bool is_alone = parts_way == 0 && block >= ZTI_TF_ALONE_VALUES;
        if (open.runs > 0 && (!is_left || is_alone || values >= tf_part_values(parts_way))) {
            if (item)
                item[*items] = open;
            ++*items;
            open.runs = 0;
        }
        if (is_left && open.runs == 0) {
            open = (struct zti_tf_item){.walk = before,
                                        .part = parts,
                                        .parts = is_alone ? run.lanes : 1,
                                        .is_alone = is_alone,
                                        .symbols_at = symbols};
            parts += open.parts;
            values = is_alone ? tf_part_values(parts_way) : 0; /* it is full */
        }
        open.runs++;
        values += run.lanes * block;
        symbols += is_left ? run.lanes * zti_tf_block_symbols(run.extent) : 0;
    }
    return parts;
}

void zti_tf_set_items(struct zti_tf_layout *layout, uint32_t parts_way)
{
    layout->parts = find_items(layout, parts_way, layout->item, &layout->items);
}

uint32_t zti_tf_count_parts(const struct zti_tf_layout *layout, uint32_t parts_way)
{
    uint32_t items;
    return find_items(layout, parts_way, NULL, &items);
}
