/* fill.c: the third stage: replaces the special values of a slab by values that cost few bits. In:
 * the slab and the mask of its special values. Out: a filled copy, which the codec is given.
 *
 * The copy is filled cell by cell; a cell is one of the codec's tiles, or a part of a larger one. A
 * cell without a valid value becomes 0. In the others a missing value is estimated in one of two
 * ways:
 *   - Where an axis has valid values on both sides within REACH steps, in the cell or beyond it: by
 *     the Lagrange polynomial through up to two of them on each side. Estimates of several axes are
 *     averaged; nearer values weigh more.
 *   - Else from the known values on the lines of the cell: linear between two of them, constant
 *     beyond the last one. Passes repeat until none is missing; each uses what the passes before it
 *     filled in.
 * All arithmetic is in double and in a fixed order, because the bytes depend on it. At the end the
 * codec may replace the filled values by others that it codes in fewer bits (zti_holes' fit). */
#include "frame/write/stages.h"

#include "codec/holes.h"
#include "core/cpu.h"
#include "core/map.h"

#include <inttypes.h>
#include <math.h>

enum {
    CELL_VALUES = 4096,
    CELLS_A_PART = 64,
    TILES_A_PART = 64,
    REACH = 7, /* steps: valid values farther away are not used */
    SIDES = REACH * (REACH + 1) / 2
};

/* Of a value between up to two valid ones on each side, by their distances: what part of each is in
 * its estimate, and the estimate's weight. */
struct shares {
    double of[4]; /* first those that are back, nearer ones first */
    double weight;
};

struct filling {
    const struct zti_array *slab;
    const struct zti_special *special;
    struct zti_grid grid;       /* how the slab is cut into cells */
    uint64_t step[ZT_MAX_RANK]; /* distance in the copy, in values, of neighbours along an axis */
    uint8_t *copy;
};

struct cell {
    uint32_t rank;
    uint64_t origin[ZT_MAX_RANK];
    uint32_t side[ZT_MAX_RANK]; /* within the slab */
    uint32_t step[ZT_MAX_RANK]; /* the same distance in the lists below */
    uint32_t values;
    bool is_known[CELL_VALUES]; /* valid, or filled in before */
    bool is_near[CELL_VALUES];  /* filled in from valid values close by */
    double value[CELL_VALUES];
    double sum[CELL_VALUES]; /* of estimates, each times its weight */
    double weight[CELL_VALUES];
    struct shares shares[SIDES][SIDES]; /* of all cells, made when they are needed */
    bool has_shares[SIDES][SIDES];
};

/* ---- a line of a cell ---- */

static void add_estimate(struct cell *c, uint32_t i, double estimate, double weight)
{
    c->sum[i] += weight * estimate;
    c->weight[i] += weight;
}

/* Estimate the unknown values between two known ones, which are a and b steps from the line's
 * start. Weights are at most 1/4, so that the sum of four estimates does not overflow. */
static void estimate_between(struct cell *c, uint32_t start, uint32_t step, uint32_t a, uint32_t b)
{
    const double low = c->value[start + a * step], high = c->value[start + b * step];
    for (uint32_t k = a + 1; k < b; k++) {
        const double part = (double)(k - a) / (double)(b - a);
        const uint32_t near = k - a < b - k ? k - a : b - k;
        const double from_low = low * (1 - part), from_high = high * part;
        add_estimate(c, start + k * step, from_low + from_high, 0.25 / near);
    }
}

/* Estimate values [from, to), which lie before the first or after the last known one of a line: as
 * the one at 'known'. */
static void estimate_beyond(struct cell *c, uint32_t start, uint32_t step, uint32_t from,
                            uint32_t to, uint32_t known)
{
    for (uint32_t k = from; k < to; k++) {
        const uint32_t distance = k < known ? known - k : k - known;
        add_estimate(c, start + k * step, c->value[start + known * step], 0.125 / distance);
    }
}

static void estimate_line(struct cell *c, uint32_t start, uint32_t step, uint32_t n)
{
    uint32_t last = n; /* the last known one so far; n: none */
    for (uint32_t k = 0; k < n; k++) {
        if (!c->is_known[start + k * step])
            continue;
        if (last == n)
            estimate_beyond(c, start, step, 0, k, k);
        else
            estimate_between(c, start, step, last, k);
        last = k;
    }
    if (last < n)
        estimate_beyond(c, start, step, last + 1, n, last);
}

/* Estimate on 'count' lines that begin side by side. Lines without an unknown value, or without a
 * known one, are passed over. */
static void estimate_lines(struct cell *c, uint32_t first, uint32_t step, uint32_t n,
                           uint32_t count)
{
    bool all[CELL_VALUES / 2], any[CELL_VALUES / 2];
    memset(all, true, count);
    memset(any, false, count);
    for (uint32_t k = 0; k < n; k++) {
        const bool *const is_known = c->is_known + first + k * step;
        for (uint32_t i = 0; i < count; i++) {
            all[i] = all[i] & is_known[i];
            any[i] = any[i] | is_known[i];
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (any[i] && !all[i])
            estimate_line(c, first + i, step, n);
}

/* Estimate on all lines of the cell along an axis. */
static void estimate_axis(struct cell *c, uint32_t axis)
{
    const uint32_t step = c->step[axis], run = step * c->side[axis];
    if (c->side[axis] == 1)
        return;
    for (uint32_t first = 0; first < c->values; first += run)
        if (step > 1)
            estimate_lines(c, first, step, c->side[axis], step);
        else if (memchr(c->is_known + first, false, run))
            estimate_line(c, first, step, run);
}

/* Estimate all unknown values of a cell that has a known one, and clamp them to [low, high]. */
static void fill_from_lines(struct cell *c, double low, double high)
{
    bool is_done = !memchr(c->is_known, false, c->values);
    while (!is_done) {
        memset(c->sum, 0, c->values * sizeof c->sum[0]);
        memset(c->weight, 0, c->values * sizeof c->weight[0]);
        for (uint32_t axis = 0; axis < c->rank; axis++)
            estimate_axis(c, axis);
        is_done = true;
        for (uint32_t i = 0; i < c->values; i++) {
            if (c->is_known[i])
                continue;
            if (c->weight[i] == 0) {
                is_done = false;
                continue;
            }
            const double v = c->sum[i] / c->weight[i];
            c->value[i] = v < low ? low : v > high ? high : v;
            c->is_known[i] = true;
        }
    }
}

/* ---- cells and the slab ---- */

/* The magnitude of v is at most that of a value of the type. That of the least integer is one more
 * than the greatest has, and the greatest int64 values round up to 2^63 in double. */
static void write_value(uint32_t type, double v, uint8_t *at)
{
    const double most = 9223372036854774784.0; /* the largest double below 2^63 */
    union {
        float f;
        double d;
        int32_t i;
        int64_t l;
    } u;
    if (type == ZT_F32)
        u.f = (float)v;
    else if (type == ZT_F64)
        u.d = v;
    else if (type == ZT_I32)
        u.i = (int32_t)(v < INT32_MAX ? v : INT32_MAX);
    else
        u.l = (int64_t)(v < most ? v : most);
    memcpy(at, &u, zt_type_bytes(type));
}

/* A row of a cell: its first value, that one's C-order position in the slab, and its place in the
 * cell. */
struct row {
    uint32_t first;
    uint64_t at;
    uint32_t place[ZT_MAX_RANK];
};

static struct row first_row(const struct filling *f, const struct cell *c)
{
    struct row r = {.at = 0};
    for (uint32_t a = 0; a < c->rank; a++)
        r.at += c->origin[a] * f->step[a];
    return r;
}

/* Go to the next row; false after the last one. */
static bool next_row(const struct filling *f, const struct cell *c, struct row *r)
{
    r->first += c->side[c->rank - 1];
    for (uint32_t a = c->rank - 1; a-- > 0;) {
        r->at += f->step[a];
        if (++r->place[a] < c->side[a])
            return true;
        r->at -= f->step[a] * c->side[a];
        r->place[a] = 0;
    }
    return false;
}

static bool is_special(const struct filling *f, uint64_t at)
{
    return f->special->mask[at / 64] >> at % 64 & 1;
}

/* ---- from valid values close by ---- */

/* The nearest valid values on one side of a missing one along an axis, two at most. */
struct side {
    uint32_t number; /* below SIDES: of these distances */
    uint32_t count;
    uint32_t distance[2]; /* in steps */
};

/* valid: bit k - 1 for the value k steps away; some are. */
static struct side side_of(uint32_t valid)
{
    const uint32_t rest = valid & (valid - 1), near = zti_ctz64(valid) + 1;
    const uint32_t far = rest ? zti_ctz64(rest) + 1 : near;
    return (struct side){.number = (near - 1) * (2 * REACH + 2 - near) / 2 + (far - near),
                         .count = rest ? 2 : 1,
                         .distance = {near, far}};
}

/* 1 over the product of the distances: the polynomial's error grows with that product. */
static double weight_of(const struct side *s)
{
    return 1 / ((double)s->distance[0] * (s->count > 1 ? s->distance[1] : REACH + 1));
}

/* Those of the Lagrange polynomial through the values of both sides, evaluated at distance 0. */
static void make_shares(const struct side *back, const struct side *ahead, struct shares *shares)
{
    double x[4];
    uint32_t n = 0;
    for (uint32_t i = 0; i < back->count; i++)
        x[n++] = -(double)back->distance[i];
    for (uint32_t i = 0; i < ahead->count; i++)
        x[n++] = (double)ahead->distance[i];
    for (uint32_t i = 0; i < n; i++) {
        shares->of[i] = 1;
        for (uint32_t k = 0; k < n; k++)
            if (k != i)
                shares->of[i] *= x[k] / (x[k] - x[i]);
    }
    shares->weight = weight_of(back) * weight_of(ahead);
}

static const struct shares *shares_of(struct cell *c, const struct side *back,
                                      const struct side *ahead)
{
    struct shares *const shares = &c->shares[back->number][ahead->number];
    if (!c->has_shares[back->number][ahead->number])
        make_shares(back, ahead, shares);
    c->has_shares[back->number][ahead->number] = true;
    return shares;
}

/* The estimate of value 'at' of the slab along an axis. */
static double interpolate(const struct filling *f, const struct shares *shares, uint64_t at,
                          uint64_t step, const struct side *back, const struct side *ahead)
{
    const uint32_t type = f->slab->type;
    const size_t value_bytes = zt_type_bytes(type);
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < back->count; i++)
        sum += shares->of[n++] *
               zti_number_at(type, f->copy + (at - back->distance[i] * step) * value_bytes);
    for (uint32_t i = 0; i < ahead->count; i++)
        sum += shares->of[n++] *
               zti_number_at(type, f->copy + (at + ahead->distance[i] * step) * value_bytes);
    return sum;
}

/* Which of the n values from number 'at' on are valid, at most 64: bit i for value i. */
static uint64_t valid_bits(const struct filling *f, uint64_t at, uint64_t n)
{
    const uint64_t ones = n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
    return zti_hole_bits(f->special->mask, at, n) ^ ones;
}

/* Up to 64 successive values of a row. */
struct piece {
    uint64_t at, n;              /* number of the first in the slab; how many */
    uint64_t place[ZT_MAX_RANK]; /* coordinates of the first */
    /* of each value and axis: bit k, whether the value k + 1 steps back or ahead is valid */
    uint8_t back[ZT_MAX_RANK][64], ahead[ZT_MAX_RANK][64];
};

/* Which values of a piece have a valid one k steps back or ahead along the last axis. */
static uint64_t valid_beside(const struct filling *f, const struct piece *p, uint64_t k,
                             bool is_back)
{
    const uint32_t last = f->slab->rank - 1;
    const uint64_t before = p->place[last], after = f->slab->shape[last] - 1 - before;
    if (!is_back)
        return k > after ? 0
                         : valid_bits(f, p->at + k, p->n < after + 1 - k ? p->n : after + 1 - k);
    if (k <= before)
        return valid_bits(f, p->at - k, p->n);
    const uint64_t dropped = k - before; /* the first ones have none so far back */
    return dropped < p->n ? valid_bits(f, p->at - before, p->n - dropped) << dropped : 0;
}

/* Transpose 8 x 8 bits: bit i of byte k becomes bit k of byte i. */
static uint64_t transpose(uint64_t x)
{
    uint64_t turned = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);
    x ^= turned ^ turned << 7;
    turned = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
    x ^= turned ^ turned << 14;
    turned = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
    return x ^ turned ^ turned << 28;
}

/* Set which values of a piece have valid ones near by on one side along an axis; returns which have
 * any. */
static uint64_t find_valid(const struct filling *f, const struct piece *p, uint32_t axis,
                           bool is_back, uint8_t *of)
{
    const bool is_last = axis == f->slab->rank - 1;
    const uint64_t left = is_back ? p->place[axis] : f->slab->shape[axis] - 1 - p->place[axis];
    const uint64_t step = f->step[axis];
    uint64_t valid[REACH], any = 0;
    for (uint64_t k = 1; k <= REACH; k++) {
        valid[k - 1] = is_last ? valid_beside(f, p, k, is_back)
                       : k > left
                           ? 0
                           : valid_bits(f, is_back ? p->at - k * step : p->at + k * step, p->n);
        any |= valid[k - 1];
    }
    for (uint32_t first = 0; first < p->n; first += 8) {
        uint64_t bits = 0;
        for (uint32_t k = 0; k < REACH; k++)
            bits |= (valid[k] >> first & 0xff) << 8 * k;
        zti_put_le64(of + first, transpose(bits));
    }
    return any;
}

/* Which missing values of a piece have valid ones on both sides along any axis. */
static uint64_t find_sides(const struct filling *f, struct piece *p)
{
    const uint64_t ones = p->n < 64 ? (UINT64_C(1) << p->n) - 1 : ~UINT64_C(0);
    const uint64_t missing = ~valid_bits(f, p->at, p->n) & ones;
    uint64_t any = 0;
    for (uint32_t a = 0; a < f->slab->rank && missing; a++)
        any |= find_valid(f, p, a, true, p->back[a]) & find_valid(f, p, a, false, p->ahead[a]);
    return any & missing;
}

/* Estimate missing value i of a cell, value 'lane' of the piece, from near valid values along the
 * axes that have some on both sides. False for an overflow. */
static bool fill_from_near(const struct filling *f, struct cell *c, uint32_t i,
                           const struct piece *p, uint32_t lane, double limit)
{
    double sum = 0, weight = 0;
    for (uint32_t a = 0; a < c->rank; a++) {
        const uint32_t before = p->back[a][lane], after = p->ahead[a][lane];
        if (!before || !after)
            continue;
        const struct side back = side_of(before), ahead = side_of(after);
        const struct shares *const shares = shares_of(c, &back, &ahead);
        sum += shares->weight * interpolate(f, shares, p->at + lane, f->step[a], &back, &ahead);
        weight += shares->weight;
    }
    const double v = sum / weight;
    if (!(fabs(v) <= limit)) /* an overflow */
        return false;
    c->value[i] = v;
    return true;
}

/* ---- cells ---- */

static void open_cell(const struct filling *f, const struct zti_walk *walk, struct cell *c)
{
    c->rank = f->grid.rank;
    c->values = 1;
    for (uint32_t a = c->rank; a-- > 0;) {
        const uint64_t left = f->grid.shape[a] - walk->origin[a];
        c->origin[a] = walk->origin[a];
        c->side[a] = left < f->grid.side[a] ? (uint32_t)left : f->grid.side[a];
        c->step[a] = c->values;
        c->values *= c->side[a];
    }
}

/* Whether any value of a cell is special, by whole rows of the mask. */
static bool has_special(const struct filling *f, const struct cell *c)
{
    const uint32_t row = c->side[c->rank - 1];
    struct row r = first_row(f, c);
    do {
        for (uint32_t done = 0; done < row; done += 64) {
            const uint64_t n = row - done < 64 ? row - done : 64;
            if (zti_hole_bits(f->special->mask, r.at + done, n) != 0)
                return true;
        }
    } while (next_row(f, c, &r));
    return false;
}

/* Prefetch the rows of a cell, which lie far from each other. */
static void prefetch_rows(const struct filling *f, const struct cell *c)
{
    const size_t value_bytes = zt_type_bytes(f->slab->type);
    const size_t row_bytes = c->side[c->rank - 1] * value_bytes;
    struct row r = first_row(f, c);
    do {
        const uint8_t *const from = f->copy + r.at * value_bytes;
        for (size_t at = 0; at < row_bytes; at += 64)
            __builtin_prefetch(from + at);
        __builtin_prefetch(from + row_bytes - 1);
    } while (next_row(f, c, &r));
}

/* Load the valid values of a cell; returns their number, and sets their least and greatest. */
static uint32_t read_known(const struct filling *f, struct cell *c, double *low, double *high)
{
    const size_t value_bytes = zt_type_bytes(f->slab->type);
    uint32_t known = 0;
    struct row r = first_row(f, c);
    prefetch_rows(f, c);
    do {
        uint64_t at = r.at;
        for (uint32_t i = r.first; i < r.first + c->side[c->rank - 1]; i++, at++) {
            c->is_known[i] = !is_special(f, at);
            c->is_near[i] = false;
            if (!c->is_known[i])
                continue;
            const double v = zti_number_at(f->slab->type, f->copy + at * value_bytes);
            *low = known == 0 || v < *low ? v : *low;
            *high = known == 0 || v > *high ? v : *high;
            c->value[i] = v;
            known++;
        }
    } while (next_row(f, c, &r));
    return known;
}

static void write_missing(const struct filling *f, const struct cell *c)
{
    const size_t value_bytes = zt_type_bytes(f->slab->type);
    struct row r = first_row(f, c);
    do {
        uint64_t at = r.at;
        for (uint32_t i = r.first; i < r.first + c->side[c->rank - 1]; i++, at++)
            if (is_special(f, at))
                write_value(f->slab->type, c->value[i], f->copy + at * value_bytes);
    } while (next_row(f, c, &r));
}

/* The missing values of a row. */
static void fill_row_from_near(const struct filling *f, struct cell *c, const struct row *r,
                               double most)
{
    const uint32_t last = c->rank - 1, n = c->side[last];
    struct piece p;
    p.at = r->at;
    for (uint32_t a = 0; a < c->rank; a++)
        p.place[a] = c->origin[a] + r->place[a];
    for (uint32_t done = 0; done < n; done += 64, p.at += 64, p.place[last] += 64) {
        p.n = n - done < 64 ? n - done : 64;
        for (uint64_t left = find_sides(f, &p); left > 0; left &= left - 1) {
            const uint32_t lane = zti_ctz64(left), i = r->first + done + lane;
            c->is_near[i] = fill_from_near(f, c, i, &p, lane, most);
        }
    }
}

static void fill_cell(const struct filling *f, struct cell *c)
{
    double low = 0, high = 0;
    const uint32_t known = read_known(f, c, &low, &high);
    const double most = fabs(low) > fabs(high) ? fabs(low) : fabs(high);
    if (known > 0) {
        struct row r = first_row(f, c);
        do
            fill_row_from_near(f, c, &r, most);
        while (next_row(f, c, &r));
        for (uint32_t i = 0; i < c->values; i++)
            c->is_known[i] |= c->is_near[i];
        fill_from_lines(c, low, high);
    } else {
        memset(c->value, 0, c->values * sizeof c->value[0]);
    }
    write_missing(f, c);
}

static bool fill_part(void *shared, uint32_t worker, uint64_t number)
{
    const struct filling *f = shared;
    (void)worker;
    const uint64_t first = number * CELLS_A_PART;
    const uint64_t last =
        f->grid.count - first < CELLS_A_PART ? f->grid.count : first + CELLS_A_PART;
    struct cell c;
    memset(c.has_shares, 0, sizeof c.has_shares);
    for (struct zti_walk w = zti_walk_from(&f->grid, first); w.tile < last;
         zti_walk_next(&f->grid, &w)) {
        open_cell(f, &w, &c);
        if (has_special(f, &c))
            fill_cell(f, &c);
    }
    return true;
}

/* How the slab is cut into cells: tiles, or parts of tiles that are larger than CELL_VALUES. */
static struct zti_grid cells_of(const struct zti_grid *tiles)
{
    static const uint32_t most[ZT_MAX_RANK] = {4096, 64, 16, 8};
    uint32_t side[ZT_MAX_RANK] = {0};
    for (uint32_t a = 0; a < tiles->rank; a++)
        side[a] = tiles->side[a] < most[tiles->rank - 1] ? tiles->side[a] : most[tiles->rank - 1];
    return zti_grid_of(tiles->rank, tiles->shape, side);
}

/* ---- the codec's own choice of values ---- */

struct fitting {
    const struct zti_coding *coding;
    const struct zti_array *filled;
    const uint64_t *holes;
};

static bool fit_part(void *shared, uint32_t worker, uint64_t number)
{
    const struct fitting *f = shared;
    (void)worker;
    const uint64_t first = number * TILES_A_PART, left = f->coding->grid.count - first;
    zti_holes_of(f->coding->codec)
        ->fit(f->coding, f->filled, f->holes, first,
              first + (left < TILES_A_PART ? left : TILES_A_PART));
    return true;
}

/* Let the codec replace the filled values. It needs the absolute bound; under a PSNR that is
 * estimated from evenly spread errors. */
static zt_status fit(const struct zti_job *j, const struct zti_array *filled)
{
    const struct zti_holes *const holes = zti_holes_of(j->frame.coding.codec);
    struct zti_coding coding = j->frame.coding;
    const struct zti_target target = zti_target_of_samples(j);
    if (!holes || target.kind != ZT_ABS || !(target.abs_bound > 0))
        return ZT_OK;
    const zt_status status = coding.codec->configure(j->context, &target, &coding);
    coding.run.isa = zti_isa_of(j->context);
    if (status || !holes->learn(&coding, filled, j->special.mask))
        return status;
    struct fitting f = {.coding = &coding, .filled = filled, .holes = j->special.mask};
    zti_map(j->context, (coding.grid.count - 1) / TILES_A_PART + 1, fit_part, &f);
    return ZT_OK;
}

/* Make job->values a copy of the slab whose special values are filled in. */
static zt_status smooth(struct zti_job *j)
{
    const struct zti_array slab = j->values;
    struct zti_buffer *const filled = &j->special.filled;
    const bool is_own = slab.data == j->scratch->permuted.bytes; /* a copy already */
    const uint64_t bytes = j->special.values * zt_type_bytes(slab.type);
    const zt_status status = is_own ? ZT_OK : zti_buffer_reserve(j->context, filled, bytes, 0);
    if (status)
        return status;
    struct filling f = {.slab = &slab,
                        .special = &j->special,
                        .grid = cells_of(&j->frame.coding.grid),
                        .copy = is_own ? slab.data : filled->bytes};
    f.step[slab.rank - 1] = 1;
    for (uint32_t a = slab.rank - 1; a-- > 0;)
        f.step[a] = f.step[a + 1] * slab.shape[a + 1];
    if (!is_own)
        zti_array_copy(&slab, f.copy);
    zti_map(j->context, (f.grid.count - 1) / CELLS_A_PART + 1, fill_part, &f);
    j->values = zti_array_packed(f.copy, slab.type, slab.rank, slab.shape);
    return fit(j, &j->values);
}

zt_status zti_fill(struct zti_job *j)
{
    const zt_params *const p = &j->request->params;
    struct zti_frame *const f = &j->frame;
    if (f->special_values == 0)
        return ZT_OK;
    if (j->target.kind == ZT_LOSSLESS) {
        zti_frame_leave_special(f);
        return ZT_OK;
    }
    const zt_status status =
        zti_special_find(j->context, &j->values, p->fills, p->fill, &j->special);
    if (status)
        return status;
    if (!j->special.is_over && j->special.count != f->special_values)
        return zti_fail(j->context, ZT_BAD_ARG,
                        "the slab has %" PRIu64 " special values and had %" PRIu64
                        " when it was scanned; it must not change meanwhile",
                        j->special.count, f->special_values);
    if (j->special.is_over) {
        zti_frame_leave_special(f);
        zti_target_lossless(&j->target);
        return ZT_OK;
    }
    f->special_bytes = j->special.body_bytes;
    return smooth(j);
}
