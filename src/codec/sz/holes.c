/* holes.c: choose the values of holes, so that the residuals around them take few bits: an array
 * and its holes come in, and values for the holes are written to the array.
 *
 * If differences are taken along n axes, a value is part of 2^n residuals, with a sign of + or -. A
 * group of residuals takes about log2(their mean magnitude) bits each. The sum of these is made
 * small by iteratively reweighted least squares: the weights make each square stand for its share
 * of the logarithm. A sweep moves each hole in turn to the value at which the weighted sum of
 * squares is least, all else fixed, and some way past it, since its neighbours will follow.
 *
 * The values of each tile are computed in double, in a fixed order and without functions of the
 * mathematical library, so that all machines write the same stream. */
#include "codec/sz/sz.h"

#include <float.h>
#include <math.h>

enum {
    WEIGHTINGS = 4,
    SWEEPS = 2, /* over the holes with the same weights, all in the same direction (alternating
                   gains less) */
    GROUP = 64, /* successive residuals whose mean magnitude is in their weights */
    LANES = 8,  /* of a sum */
    CORNERS = 1 << ZT_MAX_RANK
};

static const double integer_most = 0x1p40; /* tiles with larger integers are skipped */

/* The best values of those tried on five kinds of fields. */
static const double beyond = 1.4;    /* a move, over the distance to the least sum */
static const double floor_of = 0.75; /* added to mean magnitudes */
static const double own_part = 0.75; /* of a residual in its weight; the rest is its group's mean */

/* The residuals that a value is part of: distances to those that grow with it, and to those that
 * fall. */
struct corners {
    uint32_t pairs; /* 0: no value follows along any axis; only its own residual, which grows */
    uint16_t rising[CORNERS / 2], falling[CORNERS / 2];
};

/* A tile's n integers q and their residuals d; the last axis is fastest. Zeros follow the
 * residuals. */
struct sheet {
    uint32_t rank, n, holes;
    uint32_t axes; /* bit i: differences are taken along axis i */
    uint32_t extent[ZT_MAX_RANK], step[ZT_MAX_RANK];
    struct corners corners[CORNERS]; /* by the axes along which a value follows */
    double least, most;              /* range of the values that are not holes */
    double q[ZTI_SZ_TILE_VALUES];
    double d[ZTI_SZ_TILE_VALUES + GROUP], weight[ZTI_SZ_TILE_VALUES + GROUP];
    uint16_t place[ZTI_SZ_TILE_VALUES]; /* of the holes */
    /* of values, set for holes: */
    uint64_t at[ZTI_SZ_TILE_VALUES];               /* number in the array */
    uint16_t number[ZTI_SZ_TILE_VALUES];           /* in sort_holes */
    uint8_t ahead[ZTI_SZ_TILE_VALUES];             /* axes along which a value follows */
    bool is_moved[ZTI_SZ_TILE_VALUES / GROUP + 1]; /* groups of residuals that depend on a hole */
};

/* ---- between values and integers ---- */

/* A multiple of the step may be up to half a step outside the type's range; it is then not
 * stored. */
static void write_number(uint32_t type, double v, void *at)
{
    static const double most[] = {
        [ZT_F32] = FLT_MAX, [ZT_F64] = DBL_MAX, [ZT_I32] = 0x1p31 - 1, [ZT_I64] = 0x1p63 - 1024};
    union {
        float f;
        double d;
        int32_t i;
        int64_t l;
    } u;
    if (!(fabs(v) <= most[type]))
        return;
    if (type == ZT_F32)
        u.f = (float)v;
    else if (type == ZT_F64)
        u.d = v;
    else if (type == ZT_I32)
        u.i = (int32_t)v;
    else
        u.l = (int64_t)v;
    memcpy(at, &u, zt_type_bytes(type));
}

static double step_of(const struct zti_sz *sz)
{
    return sz->source == ZTI_SZ_LATTICE ? sz->step : (double)sz->whole_step;
}

static bool has_odd_count(uint32_t set)
{
    return zti_popcount64(set) & 1;
}

static void find_corners(struct sheet *s)
{
    for (uint32_t ahead = 0; ahead < CORNERS; ahead++) {
        struct corners *const c = &s->corners[ahead];
        uint32_t rising = 0, falling = 0;
        for (uint32_t set = 0; set < CORNERS; set++) {
            uint32_t distance = 0;
            if ((set & ahead) != set)
                continue;
            for (uint32_t i = 0; i < s->rank; i++)
                distance += set >> i & 1 ? s->step[i] : 0;
            if (has_odd_count(set))
                c->falling[falling++] = (uint16_t)distance;
            else
                c->rising[rising++] = (uint16_t)distance;
        }
        c->pairs = falling;
    }
}

static void lay_out(const struct zti_coding *coding, const struct zti_walk *walk, struct sheet *s)
{
    const struct zti_grid *const grid = &coding->grid;
    s->rank = grid->rank;
    s->n = 1;
    s->axes = 0;
    for (uint32_t i = grid->rank; i-- > 0;) {
        const uint64_t rest = grid->shape[i] - walk->origin[i];
        s->extent[i] = rest < grid->side[i] ? (uint32_t)rest : grid->side[i];
        s->step[i] = s->n;
        s->n *= s->extent[i];
        if (sz_of(coding)->axes >> i & 1 && s->extent[i] > 1)
            s->axes |= 1u << i;
    }
    find_corners(s);
}

/* The index in the array of value i of a tile. */
static uint64_t number_of(const struct sheet *s, const struct zti_walk *walk,
                          const struct zti_array *array, uint32_t i)
{
    uint64_t at = 0;
    for (uint32_t a = 0; a < s->rank; a++)
        at = at * array->shape[a] + walk->origin[a] + i / s->step[a] % s->extent[a];
    return at;
}

/* Of the n values from number 'at' of the array on: how many are holes. */
static uint32_t count_holes(const uint64_t *holes, uint64_t at, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t more; n > 0; at += more, n -= more) {
        const uint32_t left = 64 - (uint32_t)(at % 64);
        more = n < left ? n : left;
        const uint64_t bits = holes[at / 64] >> at % 64;
        count += zti_popcount64(more < 64 ? bits & ((UINT64_C(1) << more) - 1) : bits);
    }
    return count;
}

/* Whether some of a tile's values are holes, and not all. */
static bool has_some_holes(const struct zti_array *array, const uint64_t *holes,
                           const struct zti_walk *walk, const struct sheet *s)
{
    const uint32_t row = s->extent[s->rank - 1];
    uint32_t count = 0;
    for (uint32_t first = 0; first < s->n; first += row)
        count += count_holes(holes, number_of(s, walk, array, first), row);
    return count > 0 && count < s->n;
}

/* Of a row's first value: its number in sort_holes, and the slower axes along which one follows. */
static void find_row(const struct sheet *s, uint32_t first, uint32_t *number, uint32_t *ahead)
{
    uint32_t weights = s->extent[s->rank - 1] > 1;
    *number = *ahead = 0;
    for (uint32_t a = s->rank - 1; a-- > 0;) {
        const uint32_t k = first / s->step[a] % s->extent[a];
        if (s->extent[a] > 1)
            *number += k << weights++;
        if (s->axes >> a & 1 && k + 1 < s->extent[a])
            *ahead |= 1u << a;
    }
}

static void note_hole(struct sheet *s, uint32_t i, uint32_t number, uint32_t ahead, uint64_t at)
{
    s->place[s->holes++] = (uint16_t)i;
    s->number[i] = (uint16_t)number;
    s->ahead[i] = (uint8_t)ahead;
    s->at[i] = at;
}

/* Prefetch the rows of a tile, which lie far from each other. */
static void prefetch_rows(const struct sheet *s, const struct zti_walk *walk,
                          const struct zti_array *array)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    const uint32_t row = s->extent[s->rank - 1];
    for (uint32_t first = 0; first < s->n; first += row) {
        const char *const from =
            (const char *)array->data + number_of(s, walk, array, first) * value_bytes;
        for (size_t at = 0; at < row * value_bytes; at += 64)
            __builtin_prefetch(from + at);
    }
}

/* Read a tile, row by row; false if its integers are too large. */
static bool gather(const struct zti_coding *coding, const struct zti_array *array,
                   const uint64_t *holes, const struct zti_walk *walk, struct sheet *s)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    const uint32_t row = s->extent[s->rank - 1], last_axis = 1u << (s->rank - 1);
    const double scale = 1 / step_of(sz_of(coding));
    prefetch_rows(s, walk, array);
    s->holes = 0;
    s->least = INFINITY;
    s->most = -INFINITY;
    for (uint32_t first = 0; first < s->n; first += row) {
        const uint64_t at = number_of(s, walk, array, first);
        uint32_t number, ahead;
        find_row(s, first, &number, &ahead);
        for (uint32_t k = 0; k < row; k++) {
            const uint32_t i = first + k;
            const char *const from = (const char *)array->data + (at + k) * value_bytes;
            const double v = rint(zti_number_at(array->type, from) * scale);
            if (!(fabs(v) < integer_most))
                return false;
            s->q[i] = v;
            if (holes[(at + k) / 64] >> (at + k) % 64 & 1) {
                if (i > 0) /* value 0 is the tile's base */
                    note_hole(s, i, number + k, k + 1 < row ? ahead | (last_axis & s->axes) : ahead,
                              at + k);
                continue;
            }
            s->least = v < s->least ? v : s->least;
            s->most = v > s->most ? v : s->most;
        }
    }
    return true;
}

static void scatter(const struct zti_coding *coding, const struct sheet *s,
                    const struct zti_array *array)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    const double step = step_of(sz_of(coding));
    for (uint32_t i = 0; i < s->holes; i++)
        write_number(array->type, rint(s->q[s->place[i]]) * step,
                     (char *)array->data + s->at[s->place[i]] * value_bytes);
}

/* ---- residuals ---- */

/* Note the groups of residuals that depend on a hole. */
static void note_groups(struct sheet *s, uint32_t place)
{
    const struct corners *const c = &s->corners[s->ahead[place]];
    s->is_moved[place / GROUP] = true;
    for (uint32_t i = 0; i < c->pairs; i++) {
        s->is_moved[(place + c->rising[i]) / GROUP] = true;
        s->is_moved[(place + c->falling[i]) / GROUP] = true;
    }
}

static void make_differences(struct sheet *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        s->d[i] = s->q[i] - s->q[0];
    for (uint32_t a = 0; a < s->rank; a++) {
        const uint32_t step = s->step[a], run = step * s->extent[a];
        for (uint32_t first = 0; s->axes >> a & 1 && first < s->n; first += run)
            for (uint32_t i = first + run; i-- > first + step;)
                s->d[i] -= s->d[i - step];
    }
    memset(s->d + s->n, 0, GROUP * sizeof s->d[0]);
    memset(s->is_moved, 0, sizeof s->is_moved);
    for (uint32_t h = 0; h < s->holes; h++)
        note_groups(s, s->place[h]);
}

/* The mean magnitude of a group of residuals. */
static double mean_of(const struct sheet *s, uint32_t first)
{
    double sum[LANES] = {0};
    for (uint32_t k = 0; k < GROUP; k += LANES)
        for (uint32_t i = 0; i < LANES; i++)
            sum[i] += fabs(s->d[first + k + i]);
    const uint32_t n = s->n - first < GROUP ? s->n - first : GROUP;
    return (sum[0] + sum[1] + (sum[2] + sum[3]) + (sum[4] + sum[5] + (sum[6] + sum[7]))) / n;
}

/* Set the weights of residuals that depend on a hole. */
static void set_weights(struct sheet *s)
{
    for (uint32_t first = 0; first < s->n; first += GROUP) {
        if (!s->is_moved[first / GROUP])
            continue;
        const double mean = mean_of(s, first) + floor_of;
        const double rest = mean - own_part * (mean - floor_of);
        const double *const d = s->d + first;
        double *const weight = s->weight + first;
        for (uint32_t i = 0; i < GROUP; i++)
            weight[i] = 1 / (mean * (rest + own_part * fabs(d[i])));
    }
}

/* pairs: c->pairs, as a constant where that can be. */
ZTI_INLINE void move_to_minimum(struct sheet *s, uint32_t place, const struct corners *c,
                                uint32_t pairs)
{
    double *const d = s->d + place;
    const double *const weight = s->weight + place;
    double pull = weight[0] * d[0], scale = weight[0];
    if (pairs > 0) {
        pull = scale = 0;
        for (uint32_t i = 0; i < pairs; i++) {
            const uint32_t up = c->rising[i], down = c->falling[i];
            pull += weight[up] * d[up] - weight[down] * d[down];
            scale += weight[up] + weight[down];
        }
    }
    double q = s->q[place] - beyond * (pull / scale);
    q = q < s->least ? s->least : q;
    q = q > s->most ? s->most : q;
    const double shift = q - s->q[place];
    s->q[place] = q;
    d[0] += pairs > 0 ? 0 : shift;
    for (uint32_t i = 0; i < pairs; i++) {
        d[c->rising[i]] += shift;
        d[c->falling[i]] -= shift;
    }
}

static void move_holes(struct sheet *s)
{
    for (uint32_t h = 0; h < s->holes; h++) {
        const struct corners *const c = &s->corners[s->ahead[s->place[h]]];
        switch (c->pairs) {
        case 1: move_to_minimum(s, s->place[h], c, 1); break;
        case 2: move_to_minimum(s, s->place[h], c, 2); break;
        case 4: move_to_minimum(s, s->place[h], c, 4); break;
        default: move_to_minimum(s, s->place[h], c, c->pairs);
        }
    }
}

/* Sort holes by the number x + 2 y + 4 z + 8 w of their coordinates. Two that share a residual are
 * neighbours: no coordinate differs by more than 1, and of the later one the slowest that differs
 * is larger. So its number is larger, it stays behind the other, and all results are what they
 * were. But holes of the same number share none, and a processor moves several of them at a time.
 * Axes of one value have no part in the number, which is then less than the tile's values. */
static void sort_holes(struct sheet *s)
{
    uint16_t sorted[ZTI_SZ_TILE_VALUES];
    uint16_t before[ZTI_SZ_TILE_VALUES + 1] = {0}; /* how many holes have a smaller number */
    for (uint32_t h = 0; h < s->holes; h++)
        before[s->number[s->place[h]] + 1]++;
    for (uint32_t k = 1; k < s->n; k++)
        before[k] = (uint16_t)(before[k] + before[k - 1]);
    for (uint32_t h = 0; h < s->holes; h++)
        sorted[before[s->number[s->place[h]]]++] = s->place[h];
    memcpy(s->place, sorted, s->holes * sizeof sorted[0]);
}

static void minimize_residuals(struct sheet *s)
{
    sort_holes(s);
    make_differences(s);
    for (uint32_t k = 0; k < WEIGHTINGS; k++) {
        set_weights(s);
        for (uint32_t sweep = 0; sweep < SWEEPS; sweep++)
            move_holes(s);
    }
}

void zti_sz_fit_holes(const struct zti_coding *coding, const struct zti_array *array,
                      const uint64_t *holes, uint64_t first, uint64_t last)
{
    struct sheet s;
    for (struct zti_walk walk = zti_walk_from(&coding->grid, first); walk.tile < last;
         zti_walk_next(&coding->grid, &walk)) {
        lay_out(coding, &walk, &s);
        if (!has_some_holes(array, holes, &walk, &s) || !gather(coding, array, holes, &walk, &s) ||
            s.holes == 0)
            continue;
        minimize_residuals(&s);
        scatter(coding, &s, array);
    }
}
