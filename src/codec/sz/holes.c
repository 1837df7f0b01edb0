/* holes.c: choose the values of holes, so that the residuals around them take few bits: an array
 * and its holes come in, and values for the holes are written to the array.
 *
 * If differences are taken along n axes, a value is part of 2^n residuals, with a sign of + or -. A
 * group of residuals takes about log2(their mean magnitude) bits each. The sum of these is made
 * small by iteratively reweighted least squares: the weights make each square stand for its share
 * of the logarithm. A sweep moves each hole in turn to the value at which the weighted sum of
 * squares is least, all else fixed, and some way past it, since its neighbours will follow. Where
 * that gains nothing, as in rough fields, a tile keeps the smooth values that it came with.
 *
 * The values of each tile are computed in double, in a fixed order and without functions of the
 * mathematical library, so that all machines write the same stream. */
#include "codec/holes.h"
#include "codec/sz/sz.h"
#include "simd/vectors.h"

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
    uint64_t stride[ZT_MAX_RANK];    /* of the array, in values */
    struct corners corners[CORNERS]; /* by the axes along which a value follows */
    double least, most;              /* range of the values that are not holes */
    double q[ZTI_SZ_TILE_VALUES];
    double d[ZTI_SZ_TILE_VALUES + GROUP], weight[ZTI_SZ_TILE_VALUES + GROUP];
    uint16_t place[ZTI_SZ_TILE_VALUES]; /* of the holes */
    double smooth[ZTI_SZ_TILE_VALUES];  /* what each hole had at first */
    /* of values, set for holes: */
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
    uint64_t stride = 1;
    s->rank = grid->rank;
    s->n = 1;
    s->axes = 0;
    for (uint32_t i = grid->rank; i-- > 0;) {
        const uint64_t rest = grid->shape[i] - walk->origin[i];
        s->extent[i] = rest < grid->side[i] ? (uint32_t)rest : grid->side[i];
        s->step[i] = s->n;
        s->stride[i] = stride;
        stride *= grid->shape[i];
        s->n *= s->extent[i];
        if (sz_of(coding)->axes >> i & 1 && s->extent[i] > 1)
            s->axes |= 1u << i;
    }
    find_corners(s);
}

/* A row of a tile: its first value, that one's number in the array, and its place in the tile. */
struct row {
    uint32_t first;
    uint64_t at;
    uint32_t place[ZT_MAX_RANK];
};

static struct row first_row(const struct sheet *s, const struct zti_walk *walk)
{
    struct row r = {.at = 0};
    for (uint32_t a = 0; a < s->rank; a++)
        r.at += walk->origin[a] * s->stride[a];
    return r;
}

/* Go to the next row; false after the last one. */
ZTI_INLINE bool next_row(const struct sheet *s, struct row *r)
{
    r->first += s->extent[s->rank - 1];
    for (uint32_t a = s->rank - 1; a-- > 0;) {
        r->at += s->stride[a];
        if (++r->place[a] < s->extent[a])
            return true;
        r->at -= s->stride[a] * s->extent[a];
        r->place[a] = 0;
    }
    return false;
}

/* Of the n values from number 'at' of the array on: how many are holes. */
static uint32_t count_holes(const uint64_t *holes, uint64_t at, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t done = 0; done < n; done += 64)
        count += zti_popcount64(zti_hole_bits(holes, at + done, n - done < 64 ? n - done : 64));
    return count;
}

/* Whether some of a tile's values are holes, and not all. */
static bool has_some_holes(const uint64_t *holes, const struct zti_walk *walk,
                           const struct sheet *s)
{
    struct row r = first_row(s, walk);
    uint32_t count = 0;
    do
        count += count_holes(holes, r.at, s->extent[s->rank - 1]);
    while (next_row(s, &r));
    return count > 0 && count < s->n;
}

/* Of a row's first value: its number in sort_holes, and the slower axes along which one follows. */
static void find_row(const struct sheet *s, const struct row *r, uint32_t *number, uint32_t *ahead)
{
    uint32_t weights = s->extent[s->rank - 1] > 1;
    *number = *ahead = 0;
    for (uint32_t a = s->rank - 1; a-- > 0;) {
        if (s->extent[a] > 1)
            *number += r->place[a] << weights++;
        if (s->axes >> a & 1 && r->place[a] + 1 < s->extent[a])
            *ahead |= 1u << a;
    }
}

static void note_hole(struct sheet *s, uint32_t i, uint32_t number, uint32_t ahead)
{
    s->place[s->holes++] = (uint16_t)i;
    s->number[i] = (uint16_t)number;
    s->ahead[i] = (uint8_t)ahead;
}

/* Prefetch the rows of a tile, which lie far from each other. */
static void prefetch_rows(const struct sheet *s, const struct zti_walk *walk,
                          const struct zti_array *array)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    const size_t row_bytes = s->extent[s->rank - 1] * value_bytes;
    struct row r = first_row(s, walk);
    do {
        const char *const from = (const char *)array->data + r.at * value_bytes;
        for (size_t at = 0; at < row_bytes; at += 64)
            __builtin_prefetch(from + at);
        __builtin_prefetch(from + row_bytes - 1);
    } while (next_row(s, &r));
}

/* The nearest integer of a number below 2^51, as rint has it, but in loops that become vectors:
 * beside 2^52 a sum has no bits for fractions. Larger numbers stay large. */
ZTI_INLINE double nearest(double v)
{
    return copysign(fabs(v) + 0x1p52 - 0x1p52, v);
}

ZTI_INLINE bool quantize_as(uint32_t type, const void *values, uint32_t n, double scale, double *q)
{
    const size_t value_bytes = zt_type_bytes(type);
    double far = 0; /* 1: one is, or no number */
    for (uint32_t i = 0; i < n; i++) {
        q[i] = nearest(zti_number_at(type, (const char *)values + i * value_bytes) * scale);
        far = fabs(q[i]) < integer_most ? far : 1;
    }
    return far == 0;
}

/* n values as integers, in double; false if one is too large. */
static bool quantize(uint32_t type, const void *values, uint32_t n, double scale, double *q)
{
    switch (type) {
    case ZT_F32: return quantize_as(ZT_F32, values, n, scale, q);
    case ZT_F64: return quantize_as(ZT_F64, values, n, scale, q);
    case ZT_I32: return quantize_as(ZT_I32, values, n, scale, q);
    default: return quantize_as(ZT_I64, values, n, scale, q);
    }
}

/* Widen the range of a tile's values by those of the n from q on that are no holes. */
static void widen_range(struct sheet *s, const double *q, uint32_t n, uint64_t bits)
{
    double least = s->least, most = s->most;
    for (uint32_t k = 0; k < n; k++) {
        const double v = q[k];
        const bool is_hole = bits >> k & 1;
        least = !is_hole && v < least ? v : least;
        most = !is_hole && v > most ? v : most;
    }
    s->least = least;
    s->most = most;
}

/* Note the holes of a row, and widen the range of the tile's values by the others. */
static void take_holes(struct sheet *s, const uint64_t *holes, const struct row *r)
{
    const uint32_t row = s->extent[s->rank - 1], last_axis = 1u << (s->rank - 1) & s->axes;
    uint32_t number, ahead;
    find_row(s, r, &number, &ahead);
    for (uint32_t k = 0; k < row; k += 64) {
        const uint32_t n = row - k < 64 ? row - k : 64;
        const uint64_t bits = zti_hole_bits(holes, r->at + k, n);
        widen_range(s, s->q + r->first + k, n, bits);
        for (uint64_t left = bits; left; left &= left - 1) {
            const uint32_t x = k + zti_ctz64(left);
            if (r->first + x > 0) /* value 0 is the tile's base */
                note_hole(s, r->first + x, number + x, x + 1 < row ? ahead | last_axis : ahead);
        }
    }
}

/* Read a tile, row by row; false if its integers are too large. */
static bool gather(const struct zti_coding *coding, const struct zti_array *array,
                   const uint64_t *holes, const struct zti_walk *walk, struct sheet *s)
{
    const uint32_t row = s->extent[s->rank - 1];
    const double scale = 1 / step_of(sz_of(coding));
    struct row r = first_row(s, walk);
    prefetch_rows(s, walk, array);
    s->holes = 0;
    s->least = INFINITY;
    s->most = -INFINITY;
    do {
        const char *const from = (const char *)array->data + r.at * zt_type_bytes(array->type);
        if (!quantize(array->type, from, row, scale, s->q + r.first))
            return false;
        take_holes(s, holes, &r);
    } while (next_row(s, &r));
    return true;
}

static void scatter(const struct zti_coding *coding, const struct sheet *s,
                    const struct zti_walk *walk, const uint64_t *holes,
                    const struct zti_array *array)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    const double step = step_of(sz_of(coding));
    const uint32_t row = s->extent[s->rank - 1];
    struct row r = first_row(s, walk);
    do
        for (uint32_t k = 0; k < row; k += 64) {
            const uint32_t n = row - k < 64 ? row - k : 64;
            for (uint64_t left = zti_hole_bits(holes, r.at + k, n); left; left &= left - 1) {
                const uint32_t x = k + zti_ctz64(left), i = r.first + x;
                if (i > 0)
                    write_number(array->type, s->q[i] * step,
                                 (char *)array->data + (r.at + x) * value_bytes);
            }
        }
    while (next_row(s, &r));
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

/* About the bits of the residuals that depend on a hole: the logarithms of all of them, and half of
 * what their groups' means would have. Means alone make too much of single large residuals. */
static double cost_of(const struct sheet *s)
{
    double cost = 0;
    for (uint32_t first = 0; first < s->n; first += GROUP) {
        double product[LANES] = {1, 1, 1, 1, 1, 1, 1, 1};
        if (!s->is_moved[first / GROUP])
            continue;
        for (uint32_t k = 0; k < GROUP; k += LANES) /* of eight, each below 2^45 */
            for (uint32_t i = 0; i < LANES; i++)
                product[i] *= fabs(s->d[first + k + i]) + floor_of;
        for (uint32_t i = 0; i < LANES; i++)
            cost += zti_log2_about(product[i]);
        cost += GROUP / 2 * zti_log2_about(mean_of(s, first) + floor_of);
    }
    return cost;
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

/* The move of a hole whose weighted residuals have this sum and these weights. */
ZTI_INLINE double move_by(struct sheet *s, uint32_t place, double pull, double scale)
{
    double q = s->q[place] - beyond * (pull / scale);
    q = q < s->least ? s->least : q;
    q = q > s->most ? s->most : q;
    const double shift = q - s->q[place];
    s->q[place] = q;
    return shift;
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
    const double shift = move_by(s, place, pull, scale);
    d[0] += pairs > 0 ? 0 : shift;
    for (uint32_t i = 0; i < pairs; i++) {
        d[c->rising[i]] += shift;
        d[c->falling[i]] -= shift;
    }
}

_Static_assert(V_LANES_64 == 2, "a vector has two residuals");

/* Two residuals that are neighbours along the last axis. */
ZTI_INLINE f64s load_two(const double *at)
{
    return (f64s)v_load_64(at);
}

ZTI_INLINE void store_two(double *at, f64s v)
{
    v_store_64(at, (u64s)v);
}

/* As move_to_minimum, where a value follows along the last axis too. The second half of the pairs
 * is then the first, falling and rising exchanged, one step along that axis: so a vector has a
 * residual of either half. 'half': c->pairs / 2. Sums are those of move_to_minimum, in its order.
 */
ZTI_INLINE void move_by_twos(struct sheet *s, uint32_t place, const struct corners *c,
                             uint32_t half)
{
    const double *weight[CORNERS / 2];
    double *at[CORNERS / 2]; /* in turns: growing and falling with the hole's value */
    f64s d[CORNERS / 2], pulls[CORNERS / 4], scales[CORNERS / 4];
    for (uint32_t i = 0; i < half; i++) {
        at[2 * i] = s->d + place + c->rising[i];
        at[2 * i + 1] = s->d + place + c->falling[i];
        weight[2 * i] = s->weight + place + c->rising[i];
        weight[2 * i + 1] = s->weight + place + c->falling[i];
    }
    for (uint32_t i = 0; i < half; i++) {
        const f64s up = load_two(weight[2 * i]), down = load_two(weight[2 * i + 1]);
        d[2 * i] = load_two(at[2 * i]);
        d[2 * i + 1] = load_two(at[2 * i + 1]);
        pulls[i] = up * d[2 * i] - down * d[2 * i + 1];
        scales[i] = up + down;
    }
    double pull = pulls[0][0], scale = scales[0][0];
    for (uint32_t i = 1; i < half; i++) {
        pull += pulls[i][0];
        scale += scales[i][0];
    }
    for (uint32_t i = 0; i < half; i++) {
        pull -= pulls[i][1];
        scale += scales[i][1];
    }
    const double shift = move_by(s, place, pull, scale);
    const f64s shifts = {shift, -shift};
    for (uint32_t i = 0; i < half; i++) {
        store_two(at[2 * i], d[2 * i] + shifts);
        store_two(at[2 * i + 1], d[2 * i + 1] - shifts);
    }
}

static void move_holes(struct sheet *s)
{
    const uint32_t last = 1u << (s->rank - 1);
    for (uint32_t h = 0; h < s->holes; h++) {
        const uint32_t place = s->place[h], ahead = s->ahead[place];
        const struct corners *const c = &s->corners[ahead];
        switch (ahead & last && c->pairs > 1 ? c->pairs : 0) {
        case 2: move_by_twos(s, place, c, 1); break;
        case 4: move_by_twos(s, place, c, 2); break;
        case 8: move_by_twos(s, place, c, 4); break;
        default:
            if (c->pairs == 1)
                move_to_minimum(s, place, c, 1);
            else
                move_to_minimum(s, place, c, c->pairs);
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
    memset(s->is_moved, 0, sizeof s->is_moved);
    for (uint32_t h = 0; h < s->holes; h++) {
        note_groups(s, s->place[h]);
        s->smooth[h] = s->q[s->place[h]];
    }
    const double cost = cost_of(s);
    for (uint32_t k = 0; k < WEIGHTINGS; k++) {
        if (k == 1 && cost_of(s) >= cost)
            break;
        set_weights(s);
        for (uint32_t sweep = 0; sweep < SWEEPS; sweep++)
            move_holes(s);
    }
    for (uint32_t h = 0; h < s->holes; h++)
        s->q[s->place[h]] = nearest(s->q[s->place[h]]);
    make_differences(s);
    if (cost_of(s) < cost)
        return;
    for (uint32_t h = 0; h < s->holes; h++)
        s->q[s->place[h]] = s->smooth[h];
}

void zti_sz_fit_holes(const struct zti_coding *coding, const struct zti_array *array,
                      const uint64_t *holes, uint64_t first, uint64_t last)
{
    struct sheet s;
    for (struct zti_walk walk = zti_walk_from(&coding->grid, first); walk.tile < last;
         zti_walk_next(&coding->grid, &walk)) {
        lay_out(coding, &walk, &s);
        if (!has_some_holes(holes, &walk, &s) || !gather(coding, array, holes, &walk, &s) ||
            s.holes == 0)
            continue;
        minimize_residuals(&s);
        scatter(coding, &s, &walk, holes, array);
    }
}
