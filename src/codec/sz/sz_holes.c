/* sz_holes.c: what is put where an array has holes, so that the values around them cost few bits.
 *
 * Along n axes that differences are taken along, a value is in 2^n residuals, with one sign or the
 * other. What is in a hole is free: it is moved to where the magnitudes of its residuals have the
 * least sum, which is a median of them; and once nothing moves, to where one of them is 0 and the
 * others take the fewest bits. That is done hole after hole, forward and backward. A hole by itself
 * then costs as little as a value that was predicted.
 *
 * All of it is in integers, of a tile by itself: the bytes depend on it. */
#include "codec/sz/sz.h"

#include <float.h>
#include <math.h>

enum {
    SWEEPS = 12,
    CORNERS = 1 << ZT_MAX_RANK
};

static const double integer_most = 0x1p40; /* larger ones are left as they are */

/* A tile's integers; n values, the last axis is fastest. */
struct sheet {
    uint32_t rank, n, holes;
    uint32_t axes; /* bit i: differences are taken along axis i */
    uint32_t extent[ZT_MAX_RANK], step[ZT_MAX_RANK];
    uint32_t corner[CORNERS]; /* by a set of axes: from a value to a residual that it is in */
    int64_t least, most;      /* of the values that are no holes */
    int64_t q[ZTI_SZ_TILE_VALUES], d[ZTI_SZ_TILE_VALUES];
    uint32_t place[ZTI_SZ_TILE_VALUES]; /* of hole i */
    uint8_t ahead[ZTI_SZ_TILE_VALUES];  /* axes along which it has a residual after its own */
};

/* ---- between values and integers ---- */

static double number_at(uint32_t type, const void *at)
{
    union {
        float f;
        double d;
        int32_t i;
        int64_t l;
    } u = {.l = 0};
    memcpy(&u, at, zt_type_bytes(type));
    return type == ZT_F32 ? (double)u.f : type == ZT_F64 ? u.d : type == ZT_I32 ? u.i : (double)u.l;
}

/* A multiple of the step is at most half of one beyond a value of the type; there it stays what it
 * was. */
static void put_number(uint32_t type, double v, void *at)
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
        if (coding->sz.axes >> i & 1 && s->extent[i] > 1)
            s->axes |= 1u << i;
    }
    for (uint32_t set = 0; set < CORNERS; set++) {
        s->corner[set] = 0;
        for (uint32_t i = 0; i < s->rank; i++)
            s->corner[set] += set >> i & 1 ? s->step[i] : 0;
    }
}

/* The number in the array of value i of a tile. */
static uint64_t number_of(const struct sheet *s, const struct zti_walk *walk, const zt_array *array,
                          uint32_t i)
{
    uint64_t at = 0;
    for (uint32_t a = 0; a < s->rank; a++)
        at = at * array->shape[a] + walk->origin[a] + i / s->step[a] % s->extent[a];
    return at;
}

/* Read a tile, row by row; false where there is nothing to be done, or not with these integers. */
static bool gather(const struct zti_coding *coding, const zt_array *array, const uint64_t *holes,
                   const struct zti_walk *walk, struct sheet *s)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    const uint32_t row = s->extent[s->rank - 1];
    const double scale = 1 / step_of(&coding->sz);
    s->holes = 0;
    s->least = INT64_MAX;
    s->most = INT64_MIN;
    for (uint32_t first = 0; first < s->n; first += row) {
        const uint64_t at = number_of(s, walk, array, first);
        for (uint32_t k = 0; k < row; k++) {
            const uint32_t i = first + k;
            const double v = rint(
                number_at(array->type, (const char *)array->data + (at + k) * value_bytes) * scale);
            if (!(fabs(v) < integer_most))
                return false;
            s->q[i] = (int64_t)v;
            if (holes[(at + k) / 64] >> (at + k) % 64 & 1) {
                if (i > 0) /* the first one is the tile's base */
                    s->place[s->holes++] = i;
                continue;
            }
            s->least = s->q[i] < s->least ? s->q[i] : s->least;
            s->most = s->q[i] > s->most ? s->q[i] : s->most;
        }
    }
    return s->holes > 0 && s->least <= s->most;
}

static void scatter(const struct zti_coding *coding, const struct zti_walk *walk,
                    const struct sheet *s, const zt_array *array)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    const double step = step_of(&coding->sz);
    for (uint32_t i = 0; i < s->holes; i++) {
        const uint64_t at = number_of(s, walk, array, s->place[i]);
        put_number(array->type, (double)s->q[s->place[i]] * step,
                   (char *)array->data + at * value_bytes);
    }
}

/* ---- residuals ---- */

static void take_differences(struct sheet *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        s->d[i] = s->q[i] - s->q[0];
    for (uint32_t a = 0; a < s->rank; a++)
        for (uint32_t i = s->n; s->axes >> a & 1 && i-- > 0;)
            if (i / s->step[a] % s->extent[a] > 0)
                s->d[i] -= s->d[i - s->step[a]];
    for (uint32_t h = 0; h < s->holes; h++) {
        uint32_t ahead = 0;
        for (uint32_t a = 0; a < s->rank; a++)
            if (s->axes >> a & 1 && s->place[h] / s->step[a] % s->extent[a] + 1 < s->extent[a])
                ahead |= 1u << a;
        s->ahead[h] = (uint8_t)ahead;
    }
}

static bool is_odd(uint32_t set)
{
    return zti_popcount64(set) & 1;
}

/* The shifts of a hole that make one of its residuals 0; residuals of one sign fall as the others
 * rise. */
static uint32_t shifts_of(const struct sheet *s, uint32_t hole, int64_t *shifts)
{
    const uint32_t place = s->place[hole], ahead = s->ahead[hole];
    uint32_t n = 0;
    for (uint32_t set = ahead;; set = (set - 1) & ahead) {
        const int64_t d = s->d[place + s->corner[set]];
        shifts[n++] = is_odd(set) ? d : -d;
        if (set == 0)
            return n;
    }
}

/* The one after which magnitudes have the least sum. */
static int64_t median_of(int64_t *shifts, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        const int64_t shift = shifts[i];
        uint32_t at = i;
        for (; at > 0 && shifts[at - 1] > shift; at--)
            shifts[at] = shifts[at - 1];
        shifts[at] = shift;
    }
    const int64_t low = shifts[(n - 1) / 2], high = shifts[n / 2];
    return low > 0 ? low : high < 0 ? high : 0;
}

/* About the bits of a residual, in sixteenths: the logarithm of one and its magnitude. */
static uint32_t bits_of(int64_t d)
{
    static const uint8_t small[16] = {0,  16, 25, 32, 37, 41, 45, 48,
                                      51, 53, 55, 57, 59, 61, 63, 64};
    const uint64_t m = (uint64_t)(d < 0 ? -d : d);
    if (m < 16)
        return small[m];
    const uint32_t more = zti_bit_length64(m) - 4;
    return small[m >> more] + 16 * more - 1;
}

/* The one after which residuals take the fewest bits; 0 where none is better. */
static int64_t cheapest_of(const int64_t *shifts, uint32_t n)
{
    int64_t best = 0;
    uint32_t least = 0;
    for (uint32_t i = 0; i < n; i++)
        least += bits_of(shifts[i]);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t bits = 0;
        for (uint32_t i = 0; i < n; i++)
            bits += bits_of(shifts[k] - shifts[i]);
        if (bits < least) {
            least = bits;
            best = shifts[k];
        }
    }
    return best;
}

static bool move(struct sheet *s, uint32_t hole, bool by_bits)
{
    const uint32_t place = s->place[hole], ahead = s->ahead[hole];
    int64_t shifts[CORNERS];
    const uint32_t n = shifts_of(s, hole, shifts);
    int64_t q = s->q[place] + (by_bits ? cheapest_of(shifts, n) : median_of(shifts, n));
    q = q < s->least ? s->least : q > s->most ? s->most : q;
    const int64_t shift = q - s->q[place];
    if (shift == 0)
        return false;
    s->q[place] = q;
    for (uint32_t set = ahead;; set = (set - 1) & ahead) {
        s->d[place + s->corner[set]] += is_odd(set) ? -shift : shift;
        if (set == 0)
            return true;
    }
}

static void settle(struct sheet *s, bool by_bits)
{
    bool is_moving = true;
    for (uint32_t sweep = 0; sweep < SWEEPS && is_moving; sweep++) {
        is_moving = false;
        for (uint32_t i = 0; i < s->holes; i++)
            is_moving |= move(s, sweep % 2 ? s->holes - 1 - i : i, by_bits);
    }
}

void zti_sz_fit_holes(const struct zti_coding *coding, const zt_array *array,
                      const uint64_t *holes, uint64_t first, uint64_t last)
{
    struct sheet s;
    for (struct zti_walk walk = zti_walk_from(&coding->grid, first); walk.tile < last;
         zti_walk_next(&coding->grid, &walk)) {
        lay_out(coding, &walk, &s);
        if (!gather(coding, array, holes, &walk, &s))
            continue;
        take_differences(&s);
        settle(&s, false);
        settle(&s, true);
        scatter(coding, &walk, &s, array);
    }
}
