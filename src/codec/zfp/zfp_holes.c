/* zfp_holes.c: what is put where an array has holes, so that the values around them cost few bits.
 *
 * A coefficient of a tile takes about as many bits as the logarithm of what it is over the
 * tolerance. The sum of these is made small by solving, again and again, for the least sum
 * of squares under weights that make a square stand for its logarithm: each hole is moved to where
 * that is least with all else as it is, and the weights follow.
 *
 * In double, in a fixed order, without functions of the mathematical library: the bytes depend on
 * it. Tiles that the array's end cuts are left as they are. */
#include "codec/zfp/zfp.h"

#include <math.h>

enum {
    MOST_VALUES = 256,
    ROUNDS = 5, /* over the holes, each with its weights */
    LANES = 4   /* of a sum: a tile has a multiple of it */
};

/* Row k has coefficient k of four values; what the stream's lifting does but for its rounding. */
static const double basis[4][4] = {{0.25, 0.25, 0.25, 0.25},
                                   {0.3125, 0.0625, -0.0625, -0.3125},
                                   {-0.25, 0.25, 0.25, -0.25},
                                   {-0.125, 0.375, -0.375, 0.125}};

struct cube {
    uint32_t rank, values, holes;
    double least, most;  /* of the values that are no holes */
    double floor;        /* square of half the tolerance: smaller coefficients cost little */
    double value[MOST_VALUES], coefficient[MOST_VALUES], weight[MOST_VALUES];
    uint8_t place[MOST_VALUES]; /* of hole i */
};

static void put_number(uint32_t type, double v, char *at)
{
    const float f = (float)v;
    if (type == ZT_F64)
        memcpy(at, &v, sizeof v);
    else
        memcpy(at, &f, sizeof f);
}

/* The number in the array of value i of a tile. */
static uint64_t number_of(const zt_array *array, const struct zti_walk *walk, uint32_t i)
{
    uint64_t at = 0;
    for (uint32_t a = 0; a < array->rank; a++)
        at = at * array->shape[a] + walk->origin[a] + (i >> 2 * (array->rank - 1 - a) & 3);
    return at;
}

static bool gather(const zt_array *array, const uint64_t *holes, const struct zti_walk *walk,
                   struct cube *c)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    c->holes = 0;
    c->least = INFINITY;
    c->most = -INFINITY;
    for (uint32_t a = 0; a < c->rank; a++)
        if (array->shape[a] - walk->origin[a] < 4)
            return false;
    for (uint32_t i = 0; i < c->values; i++) {
        const uint64_t at = number_of(array, walk, i);
        c->value[i] = zti_number_at(array->type, (const char *)array->data + at * value_bytes);
        if (holes[at / 64] >> at % 64 & 1) {
            c->place[c->holes++] = (uint8_t)i;
            continue;
        }
        c->least = c->value[i] < c->least ? c->value[i] : c->least;
        c->most = c->value[i] > c->most ? c->value[i] : c->most;
    }
    return c->holes > 0 && c->holes < c->values && c->most - c->least < 0x1p400;
}

static void transform(struct cube *c)
{
    memcpy(c->coefficient, c->value, c->values * sizeof c->value[0]);
    for (uint32_t step = 1; step < c->values; step *= 4)
        for (uint32_t i = 0; i < c->values; i++) {
            if (i / step % 4 != 0)
                continue;
            double *const x = c->coefficient + i, y[4] = {x[0], x[step], x[2 * step], x[3 * step]};
            for (uint32_t k = 0; k < 4; k++)
                x[k * step] = basis[k][0] * y[0] + basis[k][1] * y[1] + basis[k][2] * y[2] +
                              basis[k][3] * y[3];
        }
}

static void weigh(struct cube *c)
{
    for (uint32_t k = 0; k < c->values; k++)
        c->weight[k] = 1 / (c->coefficient[k] * c->coefficient[k] + c->floor);
}

/* How much coefficients grow as a value does. */
static void column_of(const struct cube *c, uint32_t place, double *column)
{
    uint32_t n = 1;
    column[0] = 1;
    for (uint32_t a = 0; a < c->rank; a++, n *= 4) /* the fastest axis first */
        for (uint32_t k = 4; k-- > 0;)
            for (uint32_t i = 0; i < n; i++)
                column[k * n + i] = column[i] * basis[k][place >> 2 * a & 3];
}

static void move(struct cube *c, uint32_t place)
{
    double column[MOST_VALUES], sum[LANES] = {0}, scale[LANES] = {0};
    column_of(c, place, column);
    for (uint32_t k = 0; k < c->values; k += LANES)
        for (uint32_t i = 0; i < LANES; i++) {
            const double w = c->weight[k + i] * column[k + i];
            sum[i] += w * c->coefficient[k + i];
            scale[i] += w * column[k + i];
        }
    const double ahead = sum[0] + sum[1] + (sum[2] + sum[3]);
    double v = c->value[place] - ahead / (scale[0] + scale[1] + (scale[2] + scale[3]));
    v = v < c->least ? c->least : v > c->most ? c->most : v;
    const double shift = v - c->value[place];
    if (!(fabs(shift) <= c->most - c->least))
        return;
    c->value[place] = v;
    for (uint32_t k = 0; k < c->values; k++)
        c->coefficient[k] += shift * column[k];
}

bool zti_zfp_learn_holes(struct zti_coding *coding, const zt_array *array, const uint64_t *holes)
{
    (void)array;
    (void)holes;
    return (coding->type == ZT_F32 || coding->type == ZT_F64) && coding->zfp.minexp > -400 &&
           coding->zfp.minexp < 400;
}

void zti_zfp_fit_holes(const struct zti_coding *coding, const zt_array *array,
                       const uint64_t *holes, uint64_t first, uint64_t last)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    struct cube c = {.rank = coding->grid.rank, .values = 1u << 2 * coding->grid.rank};
    c.floor = ldexp(1, 2 * (coding->zfp.minexp - 1));
    for (struct zti_walk walk = zti_walk_from(&coding->grid, first); walk.tile < last;
         zti_walk_next(&coding->grid, &walk)) {
        if (!gather(array, holes, &walk, &c))
            continue;
        transform(&c);
        for (uint32_t round = 0; round < ROUNDS; round++) {
            weigh(&c);
            for (uint32_t i = 0; i < c.holes; i++)
                move(&c, c.place[i]);
        }
        for (uint32_t i = 0; i < c.holes; i++)
            put_number(array->type, c.value[c.place[i]],
                       (char *)array->data + number_of(array, &walk, c.place[i]) * value_bytes);
    }
}
