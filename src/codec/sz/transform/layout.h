/* layout.h: the levels of a tile's transform, the bands that they leave, and the blocks of a band;
 * functions for the CPU and for kernels. In: extents and the way of each axis. Out: levels in the
 * order of the transform, bands from coarse to fine, runs of blocks, parts. */
#ifndef ZTI_SZ_TRANSFORM_LAYOUT_H
#define ZTI_SZ_TRANSFORM_LAYOUT_H

#include "codec/sz/transform/spec.h"

struct zti_tf_item;

/* Places from one up to another along an axis. */
struct zti_tf_span {
    uint32_t from, to;
};

/* What is needed along an axis: values; and of each level low and high ones. */
struct zti_tf_need {
    uint32_t levels;
    uint32_t length[ZTI_TF_LEVELS + 1]; /* [l]: of what is left after l levels */
    struct zti_tf_span low[ZTI_TF_LEVELS + 1], high[ZTI_TF_LEVELS];
};

/* A tile's axes, levels and bands, coarse bands first; and its blocks, as items of work. */
struct zti_tf_layout {
    uint32_t extent[ZTI_TF_AXES];
    size_t stride[ZTI_TF_AXES];
    size_t values;
    uint32_t levels, bands;
    struct zti_tf_level level[ZTI_TF_LEVELS];
    struct zti_tf_band *band;
    struct zti_tf_need need[ZTI_TF_AXES];
    uint32_t items, parts;
    struct zti_tf_item *item;
};

/* Blocks of a band with the same extents, coded side by side. */
struct zti_tf_run {
    const struct zti_tf_band *band;
    uint32_t lanes;
    uint32_t extent[ZTI_TF_AXES];
    size_t at[ZTI_TF_LANES]; /* the first coefficient of each */
};

/* A place in a walk through the blocks of a tile. */
struct zti_tf_walk {
    uint32_t band;
    uint32_t side[ZTI_TF_AXES]; /* of blocks, along each axis */
    uint32_t full[ZTI_TF_AXES]; /* how many blocks have that side */
    uint32_t cut;               /* bit i: blocks at the end of axis i, which are shorter */
    uint32_t next[ZTI_TF_AXES];
    bool is_open; /* there are blocks left of this cut */
};

/* An item of work, which one thread codes: a run whose blocks are parts by themselves, or a part of
 * one or more runs. */
struct zti_tf_item {
    struct zti_tf_walk walk;    /* before its first run */
    uint32_t runs, part, parts; /* part: the first one */
    bool is_alone;              /* each block is a part */
    size_t symbols_at;          /* its place in the list of symbols; encoding only */
};

/* ---- levels and bands ---- */

/* What some levels leave along one axis: low coefficients, or high ones of the last level. */
struct zti_tf_axis_part {
    uint32_t origin, extent, level; /* the finest level is 0 */
    uint32_t levels;                /* see struct zti_tf_band */
    bool is_high;
    double gain;
};

/* The most bands of a tile of these extents, whatever its way. */
ZTI_STATIC uint32_t tf_most_bands(const uint32_t *extent)
{
    uint32_t bands = 1;
    for (uint32_t i = 0; i < ZTI_TF_AXES; i++)
        bands *= tf_levels(extent[i], 2) + 1;
    return bands;
}

/* Set extents, values and strides. */
ZTI_STATIC void tf_set_extent(struct zti_tf_layout *layout, const uint32_t *extent)
{
    layout->values = 1;
    for (uint32_t i = ZTI_TF_AXES; i-- > 0;) {
        layout->extent[i] = extent[i];
        layout->stride[i] = layout->values;
        layout->values *= extent[i];
    }
}

ZTI_STATIC void tf_add_level(struct zti_tf_layout *layout, uint32_t axis, const uint32_t *extent)
{
    struct zti_tf_level *const level = &layout->level[layout->levels++];
    level->axis = axis;
    memcpy(level->extent, extent, sizeof level->extent);
}

ZTI_STATIC void tf_set_levels(struct zti_tf_layout *layout, const struct zti_tf_way *way)
{
    uint32_t extent[ZTI_TF_AXES];
    const uint32_t least = tf_least(way);
    layout->levels = 0;
    memcpy(extent, layout->extent, sizeof extent);
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        for (; way->axis[a] == ZTI_TF_FIRST && extent[a] >= least; extent[a] = (extent[a] + 1) / 2)
            tf_add_level(layout, a, extent);
        extent[a] = layout->extent[a];
    }
    for (bool is_cut = true; is_cut;) {
        uint32_t next[ZTI_TF_AXES];
        is_cut = false;
        memcpy(next, extent, sizeof next);
        for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
            if (way->axis[a] != ZTI_TF_JOINT || extent[a] < least)
                continue;
            tf_add_level(layout, a, extent);
            next[a] = (extent[a] + 1) / 2;
            is_cut = true;
        }
        memcpy(extent, next, sizeof extent);
    }
}

ZTI_STATIC struct zti_tf_axis_part tf_part_of(uint32_t n, uint32_t levels, bool is_high)
{
    struct zti_tf_axis_part p = {0, n, 0, 0, false, 1};
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

ZTI_STATIC void tf_add_band(struct zti_tf_layout *layout, const struct zti_tf_axis_part *part,
                            uint32_t joint_level)
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
ZTI_STATIC void tf_add_bands(struct zti_tf_layout *layout, const struct zti_tf_way *way,
                             struct zti_tf_axis_part *part, uint32_t joint_level)
{
    uint32_t levels[ZTI_TF_AXES] = {0}, at[ZTI_TF_AXES] = {0};
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        if (way->axis[a] == ZTI_TF_FIRST)
            levels[a] = tf_levels(layout->extent[a], tf_least(way));
    for (;;) {
        uint32_t axis = ZTI_TF_AXES;
        for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
            if (way->axis[a] == ZTI_TF_FIRST)
                part[a] = tf_part_of(layout->extent[a],
                                     at[a] == 0 ? levels[a] : levels[a] - at[a] + 1, at[a] > 0);
        tf_add_band(layout, part, joint_level);
        while (axis > 0 && ++at[axis - 1] > levels[axis - 1])
            at[--axis] = 0;
        if (axis == 0)
            return;
    }
}

/* Levels of the joint axes come from the last, coarsest, to the first. A level leaves a band for
 * each combination of low and high along these axes, but for low along all: that one has further
 * levels. */
ZTI_STATIC void tf_set_way(struct zti_tf_layout *layout, const struct zti_tf_way *way)
{
    uint32_t levels[ZTI_TF_AXES] = {0}, most = 0;
    struct zti_tf_axis_part part[ZTI_TF_AXES];
    tf_set_levels(layout, way);
    layout->bands = 0;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        if (way->axis[a] == ZTI_TF_JOINT)
            levels[a] = tf_levels(layout->extent[a], tf_least(way));
        most = levels[a] > most ? levels[a] : most;
        part[a] = tf_part_of(layout->extent[a], levels[a], false);
        part[a].level = 0;
    }
    tf_add_bands(layout, way, part, most);
    for (uint32_t level = most; level-- > 0;) {
        for (uint32_t high = 1; high < 1u << ZTI_TF_AXES; high++) {
            bool is_band = true;
            for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
                const bool is_high = high >> a & 1, is_cut = level < levels[a];
                is_band = is_band && (is_cut || !is_high);
                part[a] = tf_part_of(layout->extent[a], is_cut ? level + 1 : levels[a], is_high);
                part[a].level = 0;
            }
            if (is_band)
                tf_add_bands(layout, way, part, level);
        }
    }
}

/* ---- blocks ---- */

ZTI_STATIC void tf_open_band(const struct zti_tf_layout *layout, struct zti_tf_walk *walk,
                             uint32_t band)
{
    memset(walk, 0, sizeof *walk);
    walk->band = band;
    walk->is_open = band < layout->bands;
    if (!walk->is_open)
        return;
    const uint32_t *const extent = layout->band[band].extent, axes = tf_block_axes(extent);
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        walk->side[a] = tf_block_side(extent[a], axes);
        walk->full[a] = extent[a] / walk->side[a];
    }
}

/* A walk through the blocks of a band and of those after it: of a band those of full size first,
 * then those that are cut. */
ZTI_STATIC struct zti_tf_walk tf_walk_from(const struct zti_tf_layout *layout, uint32_t band)
{
    struct zti_tf_walk walk;
    tf_open_band(layout, &walk, band);
    return walk;
}

/* Go to the next cut that has blocks; false past the last. */
ZTI_STATIC bool tf_next_cut(const struct zti_tf_layout *layout, struct zti_tf_walk *walk)
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
ZTI_STATIC size_t tf_next_block(const struct zti_tf_layout *layout, struct zti_tf_walk *walk)
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

/* The next run of a walk; false past the last. */
ZTI_STATIC bool tf_next_run(const struct zti_tf_layout *layout, struct zti_tf_walk *walk,
                            struct zti_tf_run *run)
{
    if (walk->band < layout->bands && !walk->is_open && !tf_next_cut(layout, walk))
        tf_open_band(layout, walk, walk->band + 1);
    if (walk->band >= layout->bands)
        return false;
    run->band = &layout->band[walk->band];
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        run->extent[a] = walk->cut >> a & 1 ? run->band->extent[a] % walk->side[a] : walk->side[a];
    for (run->lanes = 0; run->lanes < ZTI_TF_LANES && walk->is_open; run->lanes++)
        run->at[run->lanes] = tf_next_block(layout, walk);
    return true;
}

/* ---- parts ---- */

ZTI_STATIC size_t tf_block_values(const uint32_t *extent)
{
    size_t values = 1;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        values *= extent[a];
    return values;
}

/* The most symbols of a block: its magnitudes, and what is said of segments. */
ZTI_STATIC size_t tf_block_symbols(const uint32_t *extent)
{
    const uint32_t n = extent[ZTI_TF_AXES - 1];
    const size_t values = tf_block_values(extent);
    const size_t said = n < ZTI_TF_LEAST_ROW ? 0 : (n + ZTI_TF_SEGMENT - 1) / ZTI_TF_SEGMENT;
    return values + values / n * said;
}

/* The most parts of any tile of this number of values, which are the most items, too. */
ZTI_STATIC size_t tf_most_parts(size_t values)
{
    return 2 * (values / ZTI_TF_ALONE_VALUES) + values / ZTI_TF_PART_VALUES + 2;
}

/* Items from a walk on, to 'item' where that is not NULL; returns how many parts they have. */
ZTI_STATIC uint32_t tf_find_items(const struct zti_tf_layout *layout, uint32_t parts_way,
                                  struct zti_tf_item *item, uint32_t *items)
{
    struct zti_tf_walk walk = tf_walk_from(layout, 0), before = walk;
    struct zti_tf_item open; /* a part that is not full yet */
    struct zti_tf_run run;
    uint32_t parts = 0;
    size_t symbols = 0, values = 0;
    open.runs = 0;
    run.lanes = 0;
    *items = 0;
    for (bool is_left = true; is_left; before = walk) {
        is_left = tf_next_run(layout, &walk, &run);
        const size_t block = is_left ? tf_block_values(run.extent) : 0;
        const bool is_alone = parts_way == 0 && block >= ZTI_TF_ALONE_VALUES;
        if (open.runs > 0 && (!is_left || is_alone || values >= tf_part_values(parts_way))) {
            if (item)
                item[*items] = open;
            ++*items;
            open.runs = 0;
        }
        if (is_left && open.runs == 0) {
            open.walk = before;
            open.part = parts;
            open.parts = is_alone ? run.lanes : 1;
            open.is_alone = is_alone;
            open.symbols_at = symbols;
            parts += open.parts;
            values = is_alone ? tf_part_values(parts_way) : 0; /* it is full */
        }
        open.runs++;
        values += run.lanes * block;
        symbols += is_left ? run.lanes * tf_block_symbols(run.extent) : 0;
    }
    return parts;
}

/* Cut the blocks into parts and items. Count the parts of a tile that is cut like this. */
ZTI_STATIC void tf_set_items(struct zti_tf_layout *layout, uint32_t parts_way)
{
    layout->parts = tf_find_items(layout, parts_way, layout->item, &layout->items);
}

ZTI_STATIC uint32_t tf_count_parts(const struct zti_tf_layout *layout, uint32_t parts_way)
{
    uint32_t items;
    return tf_find_items(layout, parts_way, NULL, &items);
}

#endif
