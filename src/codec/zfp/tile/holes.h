/* holes.h: kernel text: choose the values of holes, so that their tiles take few bits: an array and
 * its holes come in, and values for the holes are written to the array. The includer defines
 * FIT_HOLES, what the instance is called.
 *
 * A coefficient takes about log2(|coefficient| / tolerance) bits, and more the later it is in rank
 * order. The sum of these is made small by iteratively reweighted least squares: with a weight of 1
 * / coefficient^2, a square stands for its logarithm. A round computes the weights, then moves each
 * hole in turn towards the value at which the weighted sum of squares is least, all else fixed, and
 * past it, since the other holes will follow: coordinate descent with over-relaxation.
 *
 * The values are computed in double, in a fixed order and with only exact functions (fabs, ldexp),
 * so that all machines write the same stream. Tiles that the array's end cuts are
 * skipped. */
enum {
    MOST_VALUES = 256,
    PLANE = 16, /* values along the two fastest axes */
    ROUNDS = 3, /* each computes weights, then moves every hole once */
    LANES = 4,
    LINES = PLANE / LANES
};

/* Values of a tile. */
typedef double lanes __attribute__((vector_size(8 * LANES), may_alias));

/* The transform of four values along an axis: row k gives coefficient k. It is the stream's lifted
 * transform without its rounding. */
static const double basis[4][4] = {{0.25, 0.25, 0.25, 0.25},
                                   {0.3125, 0.0625, -0.0625, -0.3125},
                                   {-0.25, 0.25, 0.25, -0.25},
                                   {-0.125, 0.375, -0.375, 0.125}};

static const double relaxation =
    1.4; /* over-relaxation: a move, over the distance to the minimum */

/* A tile. Of rank 1, its 4 values are followed by zeros, up to a plane. */
struct cube {
    uint32_t rank, values, planes, holes;
    double least, most; /* of the values that are no holes */
    double floor;       /* square of half the tolerance: smaller coefficients cost little */
    double value[MOST_VALUES];
    uint8_t place[MOST_VALUES]; /* of hole i */
    lanes coefficient[MOST_VALUES / LANES], weight[MOST_VALUES / LANES];
    lanes degree[MOST_VALUES / LANES]; /* degree of a coefficient as a polynomial, plus 1 */
    lanes low_column[PLANE][LINES];
    double high_column[PLANE][PLANE];
};

static void write_number(uint32_t type, double v, char *at)
{
    const float f = (float)v;
    if (type == ZT_F64)
        memcpy(at, &v, sizeof v);
    else
        memcpy(at, &f, sizeof f);
}

/* The index in the array of value i of a tile. */
static uint64_t find_number(const struct zti_array *array, const struct zti_walk *walk, uint32_t i)
{
    uint64_t at = 0;
    for (uint32_t a = 0; a < array->rank; a++)
        at = at * array->shape[a] + walk->origin[a] + (i >> 2 * (array->rank - 1 - a) & 3);
    return at;
}

static bool gather_cube(const struct zti_array *array, const uint64_t *holes,
                        const struct zti_walk *walk, struct cube *c)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    c->holes = 0;
    c->least = INFINITY;
    c->most = -INFINITY;
    for (uint32_t a = 0; a < c->rank; a++)
        if (array->shape[a] - walk->origin[a] < 4)
            return false;
    for (uint32_t i = 0; i < c->values; i++) {
        const uint64_t at = find_number(array, walk, i);
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

static void transform_cube(struct cube *c)
{
    double *const coefficient = (double *)c->coefficient;
    memcpy(coefficient, c->value, c->values * sizeof c->value[0]);
    for (uint32_t step = 1; step < c->values; step *= 4)
        for (uint32_t i = 0; i < c->values; i++) {
            if (i / step % 4 != 0)
                continue;
            double *const x = coefficient + i, y[4] = {x[0], x[step], x[2 * step], x[3 * step]};
            for (uint32_t k = 0; k < 4; k++)
                x[k * step] = basis[k][0] * y[0] + basis[k][1] * y[1] + basis[k][2] * y[2] +
                              basis[k][3] * y[3];
        }
}

static void set_weights(struct cube *c)
{
    for (uint32_t k = 0; k < c->planes * LINES; k++)
        c->weight[k] = c->degree[k] / (c->coefficient[k] * c->coefficient[k] + c->floor);
}

/* The transform's column of a place along 'axes' axes: by how much each coefficient grows when the
 * value there grows by 1. The column over all axes is the product of that over the two fastest axes
 * and that over the others. */
static void find_column(uint32_t axes, uint32_t place, double *column)
{
    for (uint32_t k = 0; k < 1u << 2 * axes; k++) {
        column[k] = 1;
        for (uint32_t a = 0; a < axes; a++)
            column[k] *= basis[k >> 2 * a & 3][place >> 2 * a & 3];
    }
}

static double sum_lanes(const lanes *v)
{
    return (*v)[0] + (*v)[1] + ((*v)[2] + (*v)[3]);
}

/* The distance of a value from the one at which the weighted sum of squares is least. */
static double distance_to_minimum(const struct cube *c, const lanes *low, const double *high)
{
    lanes total = {0}, whole = {0};
    for (uint32_t i = 0; i < LINES; i++) {
        lanes sum = {0}, scale = {0};
        for (uint32_t k = 0; k < c->planes; k++) {
            const lanes weight = c->weight[k * LINES + i];
            sum += weight * c->coefficient[k * LINES + i] * high[k];
            scale += weight * (high[k] * high[k]);
        }
        total += sum * low[i];
        whole += scale * (low[i] * low[i]);
    }
    return sum_lanes(&total) / sum_lanes(&whole);
}

static void move_to_minimum(struct cube *c, uint32_t place)
{
    const lanes *const low = c->low_column[place % PLANE];
    const double *const high = c->high_column[place / PLANE];
    double v = c->value[place] - relaxation * distance_to_minimum(c, low, high);
    v = v < c->least ? c->least : v > c->most ? c->most : v;
    const double shift = v - c->value[place];
    if (!(fabs(shift) <= c->most - c->least))
        return;
    c->value[place] = v;
    for (uint32_t k = 0; k < c->planes; k++) {
        const double grown = shift * high[k];
        for (uint32_t i = 0; i < LINES; i++)
            c->coefficient[k * LINES + i] += grown * low[i];
    }
}

/* A cube with the fields that are the same for all tiles. */
static struct cube new_cube(const struct zti_coding *coding)
{
    const uint32_t rank = coding->grid.rank;
    struct cube c = {.rank = rank, .values = 1u << 2 * rank};
    c.planes = rank <= 2 ? 1 : c.values / PLANE;
    c.floor = ldexp(1, 2 * (zfp_of(coding)->minexp - 1));
    for (uint32_t place = 0; place < PLANE && place < c.values; place++)
        find_column(rank == 1 ? 1 : 2, place, (double *)c.low_column[place]);
    for (uint32_t place = 0; place < c.planes; place++)
        find_column(rank <= 2 ? 0 : rank - 2, place, c.high_column[place]);
    for (uint32_t k = 0; k < c.values; k++)
        c.degree[k / LANES][k % LANES] = 1 + (k & 3) + (k >> 2 & 3) + (k >> 4 & 3) + (k >> 6);
    return c;
}

void FIT_HOLES(const struct zti_coding *coding, const struct zti_array *array,
               const uint64_t *holes, uint64_t first, uint64_t last)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    struct cube c = new_cube(coding);
    for (struct zti_walk walk = zti_walk_from(&coding->grid, first); walk.tile < last;
         zti_walk_next(&coding->grid, &walk)) {
        if (!gather_cube(array, holes, &walk, &c))
            continue;
        transform_cube(&c);
        for (uint32_t round = 0; round < ROUNDS; round++) {
            set_weights(&c);
            for (uint32_t i = 0; i < c.holes; i++)
                move_to_minimum(&c, c.place[i]);
        }
        for (uint32_t i = 0; i < c.holes; i++)
            write_number(array->type, c.value[c.place[i]],
                         (char *)array->data + find_number(array, &walk, c.place[i]) * value_bytes);
    }
}
