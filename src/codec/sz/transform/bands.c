/* bands.c: the levels of a tile's transform, the bands that they leave, and the blocks of a band.
 * In: extents and the way of each axis. Out: levels in the order of the transform, bands from
 * coarse to fine, runs of blocks. */
#include "codec/sz/transform/transform.h"

/* Along one axis: what a level leaves. */
struct part {
    uint32_t origin, extent, level; /* the finest level is 0 */
    double gain;
};

uint32_t zti_tf_most_bands(const uint32_t *extent)
{
    uint32_t bands = 1;
    for (uint32_t i = 0; i < ZTI_TF_AXES; i++)
        bands *= tf_levels(extent[i], 2) + 1;
    return bands;
}

void zti_tf_set_extent(struct zti_tf_plan *plan, const uint32_t *extent)
{
    plan->values = 1;
    for (uint32_t i = ZTI_TF_AXES; i-- > 0;) {
        plan->extent[i] = extent[i];
        plan->stride[i] = plan->values;
        plan->values *= extent[i];
    }
}

static void add_level(struct zti_tf_plan *plan, uint32_t axis, const uint32_t *extent)
{
    struct zti_tf_level *const level = &plan->level[plan->levels++];
    level->axis = axis;
    memcpy(level->extent, extent, sizeof level->extent);
}

static void set_levels(struct zti_tf_plan *plan, const struct zti_tf_way *way)
{
    uint32_t extent[ZTI_TF_AXES];
    const uint32_t least = tf_least(way);
    plan->levels = 0;
    memcpy(extent, plan->extent, sizeof extent);
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        for (; way->axis[a] == ZTI_TF_FIRST && extent[a] >= least; extent[a] = (extent[a] + 1) / 2)
            add_level(plan, a, extent);
        extent[a] = plan->extent[a];
    }
    for (bool is_cut = true; is_cut;) {
        uint32_t next[ZTI_TF_AXES];
        is_cut = false;
        memcpy(next, extent, sizeof next);
        for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
            if (way->axis[a] != ZTI_TF_JOINT || extent[a] < least)
                continue;
            add_level(plan, a, extent);
            next[a] = (extent[a] + 1) / 2;
            is_cut = true;
        }
        memcpy(extent, next, sizeof extent);
    }
}

/* What is left of an axis after some levels: the low part, or the high one of the last level. */
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
    return p;
}

static void add_band(struct zti_tf_plan *plan, const struct part *part, uint32_t joint_level)
{
    struct zti_tf_band *const band = &plan->band[plan->bands];
    uint32_t level = joint_level;
    band->gain = 1;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        if (part[a].extent == 0)
            return;
        band->origin[a] = part[a].origin;
        band->extent[a] = part[a].extent;
        band->gain *= part[a].gain;
        level += part[a].level;
    }
    band->group = level < ZTI_TF_GROUPS ? level : ZTI_TF_GROUPS - 1;
    plan->bands++;
}

/* The bands with these parts of the axes that are not first, for all parts of those that are. */
static void add_bands(struct zti_tf_plan *plan, const struct zti_tf_way *way, struct part *part,
                      uint32_t joint_level)
{
    uint32_t levels[ZTI_TF_AXES] = {0}, at[ZTI_TF_AXES] = {0};
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        if (way->axis[a] == ZTI_TF_FIRST)
            levels[a] = tf_levels(plan->extent[a], tf_least(way));
    for (;;) {
        uint32_t axis = ZTI_TF_AXES;
        for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
            if (way->axis[a] == ZTI_TF_FIRST)
                part[a] = part_of(plan->extent[a], at[a] == 0 ? levels[a] : levels[a] - at[a] + 1,
                                  at[a] > 0);
        add_band(plan, part, joint_level);
        while (axis > 0 && ++at[axis - 1] > levels[axis - 1])
            at[--axis] = 0;
        if (axis == 0)
            return;
    }
}

/* Those of the joint axes are numbered from the last level to the first; of a level, in all
 * combinations of low and high but the first, which has the next levels. */
void zti_tf_set_way(struct zti_tf_plan *plan, const struct zti_tf_way *way)
{
    uint32_t levels[ZTI_TF_AXES] = {0}, most = 0;
    struct part part[ZTI_TF_AXES];
    set_levels(plan, way);
    plan->bands = 0;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        if (way->axis[a] == ZTI_TF_JOINT)
            levels[a] = tf_levels(plan->extent[a], tf_least(way));
        most = levels[a] > most ? levels[a] : most;
        part[a] = part_of(plan->extent[a], levels[a], false);
        part[a].level = 0;
    }
    add_bands(plan, way, part, most);
    for (uint32_t level = most; level-- > 0;) {
        for (uint32_t high = 1; high < 1u << ZTI_TF_AXES; high++) {
            bool is_band = true;
            for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
                const bool is_high = high >> a & 1, is_cut = level < levels[a];
                is_band = is_band && (is_cut || !is_high);
                part[a] = part_of(plan->extent[a], is_cut ? level + 1 : levels[a], is_high);
                part[a].level = 0;
            }
            if (is_band)
                add_bands(plan, way, part, level);
        }
    }
}

/* ---- blocks ---- */

struct zti_tf_walk zti_tf_walk_of(const struct zti_tf_plan *plan, const struct zti_tf_band *band)
{
    struct zti_tf_walk walk = {.plan = plan, .band = band, .is_open = true};
    const uint32_t axes = tf_block_axes(band->extent);
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        walk.side[a] = tf_block_side(band->extent[a], axes);
        walk.full[a] = band->extent[a] / walk.side[a];
    }
    return walk;
}

/* Begin with the next cut of which there are blocks. */
static bool next_cut(struct zti_tf_walk *walk)
{
    for (walk->cut++; walk->cut < 1u << ZTI_TF_AXES; walk->cut++) {
        walk->is_open = true;
        for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
            if (walk->cut >> a & 1 && walk->band->extent[a] % walk->side[a] == 0)
                walk->is_open = false;
        if (walk->is_open)
            return true;
    }
    return false;
}

/* The place of the next block; the walk goes on behind it. */
static size_t next_block(struct zti_tf_walk *walk)
{
    size_t at = 0;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++) {
        const uint32_t block = walk->cut >> a & 1 ? walk->full[a] : walk->next[a];
        at += (walk->band->origin[a] + (size_t)block * walk->side[a]) * walk->plan->stride[a];
    }
    for (uint32_t a = ZTI_TF_AXES; a-- > 0;) {
        if (!(walk->cut >> a & 1) && ++walk->next[a] < walk->full[a])
            return at;
        walk->next[a] = 0;
    }
    walk->is_open = false;
    return at;
}

bool zti_tf_next_run(struct zti_tf_walk *walk, struct zti_tf_run *run)
{
    if (!walk->is_open && !next_cut(walk))
        return false;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        run->extent[a] = walk->cut >> a & 1 ? walk->band->extent[a] % walk->side[a] : walk->side[a];
    for (run->lanes = 0; run->lanes < ZTI_TF_LANES && walk->is_open; run->lanes++)
        run->at[run->lanes] = next_block(walk);
    return true;
}
