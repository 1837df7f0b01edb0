/* limits.c: moves decoded values between the limits that a frame notes. The numbers of the type
 * between them count: an error cannot grow where the original is between them too. */
#include "array/rows.h"
#include "core/map.h"
#include "frame/format/format.h"

#include <float.h>
#include <math.h>

enum { PART_VALUES = 1 << 16 };

/* The least float that is no less than v, and the greatest that is no more. */
static float float_above(double v)
{
    const float f = v > (double)FLT_MAX ? INFINITY : v < -(double)FLT_MAX ? -FLT_MAX : (float)v;
    return (double)f < v ? nextafterf(f, INFINITY) : f;
}

static float float_below(double v)
{
    return -float_above(-v);
}

static int64_t whole_of(double v, int64_t least, int64_t most)
{
    return v <= (double)least ? least : v >= (double)most ? most : (int64_t)v;
}

/* The limits as numbers of the type. */
struct ends {
    const struct zti_array *array;
    uint64_t values;
    float lo_f32, hi_f32;
    double lo_f64, hi_f64;
    int64_t lo_int, hi_int;
};

#define MOVE_ROW(name, scalar, lo, hi)                                                             \
    static void name(const struct ends *e, char *row, int64_t stride, uint64_t n)                  \
    {                                                                                              \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            char *const at = row + (int64_t)i * stride * (int64_t)sizeof(scalar);                  \
            scalar v;                                                                              \
            memcpy(&v, at, sizeof v);                                                              \
            v = v < (scalar)(lo) ? (scalar)(lo) : v > (scalar)(hi) ? (scalar)(hi) : v;             \
            memcpy(at, &v, sizeof v);                                                              \
        }                                                                                          \
    }

MOVE_ROW(move_f32, float, e->lo_f32, e->hi_f32)
MOVE_ROW(move_f64, double, e->lo_f64, e->hi_f64)
MOVE_ROW(move_i32, int32_t, e->lo_int, e->hi_int)
MOVE_ROW(move_i64, int64_t, e->lo_int, e->hi_int)

static bool move_part(void *shared, uint32_t worker, uint64_t number)
{
    const struct ends *const e = shared;
    const struct zti_array *const array = e->array;
    const uint64_t first = number * PART_VALUES, rest = e->values - first;
    const uint64_t end = first + (rest < PART_VALUES ? rest : PART_VALUES);
    (void)worker;
    for (uint64_t at = first, n; at < end; at += n) {
        char *const row =
            (char *)array->data + (zti_array_row(array, at, &n) - (const char *)array->data);
        const int64_t stride = array->stride[array->rank - 1];
        n = n < end - at ? n : end - at;
        (array->type == ZT_F32   ? move_f32
         : array->type == ZT_F64 ? move_f64
         : array->type == ZT_I32 ? move_i32
                                 : move_i64)(e, row, stride, n);
    }
    return true;
}

void zti_limits_apply(const zt_context *context, const struct zti_limits *limits,
                      const struct zti_array *array)
{
    const bool is_long = array->type == ZT_I64;
    const int64_t least = is_long ? INT64_MIN : INT32_MIN, most = is_long ? INT64_MAX : INT32_MAX;
    struct ends e = {.array = array,
                     .values = zti_array_values(array->rank, array->shape),
                     .lo_f32 = float_above(limits->lo),
                     .hi_f32 = float_below(limits->hi),
                     .lo_f64 = limits->lo,
                     .hi_f64 = limits->hi,
                     .lo_int = whole_of(ceil(limits->lo), least, most),
                     .hi_int = whole_of(floor(limits->hi), least, most)};
    if (limits->is_applied && e.values > 0)
        zti_map(context, (e.values - 1) / PART_VALUES + 1, move_part, &e);
}
