/* array.c: checks callers' arrays and boxes, and sets up views and grids of tiles. */
#include "array/array.h"
#include "array/memory.h"
#include "core/cpu.h"
#include "simd/rounding.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static zt_status check_shape(zt_context *context, uint32_t type, uint32_t rank,
                             const uint64_t *shape)
{
    uint64_t bytes = zt_type_bytes(type);
    if (bytes == 0)
        return zti_fail(context, ZT_BAD_ARG,
                        "%u is no element type; use ZT_F32, ZT_F64, ZT_I32 or "
                        "ZT_I64",
                        type);
    if (rank < 1 || rank > ZT_MAX_RANK)
        return zti_fail(context, ZT_BAD_ARG, "rank %u is not in 1..%d", rank, ZT_MAX_RANK);
    for (uint32_t i = 0; i < rank; i++) {
        if (shape[i] == 0)
            return zti_fail(context, ZT_BAD_ARG, "axis %u (slowest first) has no elements", i);
        if (!zti_mul(bytes, shape[i], &bytes) || bytes > INT64_MAX)
            return zti_fail(context, ZT_BAD_ARG, "the array takes more than 2^63 bytes");
    }
    return ZT_OK;
}

bool zti_shape_fits(uint32_t type, uint32_t rank, const uint64_t *shape)
{
    return check_shape(NULL, type, rank, shape) == ZT_OK;
}

static zt_status check_data(zt_context *context, struct zti_array *array)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    uint64_t span = value_bytes;
    if (!array->data)
        return zti_fail(context, ZT_BAD_ARG, "the array has no data pointer");
    for (uint32_t i = 0; i < array->rank; i++) {
        int64_t s = array->stride[i];
        uint64_t step = s < 0 ? -(uint64_t)s : (uint64_t)s;
        uint64_t reach;
        if (!zti_mul(step, array->shape[i] - 1, &reach) || !zti_mul(reach, value_bytes, &reach) ||
            !zti_add(span, reach, &span) || span > INT64_MAX)
            return zti_fail(context, ZT_BAD_ARG, "the strides span more than 2^63 bytes");
    }
    return zti_find_memory(context, array->data, "the array", &array->is_on_device);
}

static zt_status check_output(zt_context *context, const struct zti_array *array)
{
    for (uint32_t i = 0; i < array->rank; i++)
        if (array->stride[i] == 0 && array->shape[i] > 1)
            return zti_fail(context, ZT_BAD_ARG,
                            "axis %u (slowest first) of the output has stride 0", i);
    const uint64_t bytes = zti_array_bytes(array);
    if (context && context->most_output_bytes > 0 && bytes > context->most_output_bytes)
        return zti_fail(context, ZT_NO_MEMORY,
                        "an array of %" PRIu64 " bytes is more than the output limit of %" PRIu64
                        " bytes",
                        bytes, context->most_output_bytes);
    return ZT_OK;
}

zt_status zti_array_check(zt_context *context, const zt_array *given, enum zti_use use,
                          struct zti_array *array)
{
    if (!given)
        return zti_fail(context, ZT_BAD_ARG, "no array given");
    if (!zti_rounds_products(zti_isa_of(context)))
        return zti_fail(context, ZT_UNSUPPORTED,
                        "this build of ztile fuses products with sums, which changes bytes: "
                        "compile it with -ffp-contract=off");
    zt_status status = check_shape(context, given->type, given->rank, given->shape);
    if (!status && (given->reserved[0] || given->reserved[1]))
        status = zti_fail(context, ZT_BAD_ARG, "reserved words of an array are not zero");
    if (status)
        return status;
    *array = (struct zti_array){.data = given->data, .type = given->type, .rank = given->rank};
    memcpy(array->shape, given->shape, sizeof array->shape);
    memcpy(array->stride, given->stride, sizeof array->stride);
    if (use == ZTI_SHAPE_ONLY)
        array->is_on_device = zti_is_on_device(context, array->data);
    else
        status = check_data(context, array);
    return status || use != ZTI_TO_WRITE ? status : check_output(context, array);
}

bool zti_array_is_of(const struct zti_array *array, uint32_t type, uint32_t rank,
                     const uint64_t *shape)
{
    return array->type == type && array->rank == rank &&
           memcmp(array->shape, shape, rank * sizeof *shape) == 0;
}

struct zti_array zti_array_slab(const struct zti_array *array, uint64_t first, uint64_t extent)
{
    const uint64_t at[ZT_MAX_RANK] = {first, 0, 0, 0};
    struct zti_array slab = *array;
    if (array->data)
        slab.data = zti_array_at(array, at);
    slab.shape[0] = extent;
    return slab;
}

zt_status zti_box_check(zt_context *context, const zt_box *box, uint32_t rank,
                        const uint64_t *shape)
{
    if (!box)
        return zti_fail(context, ZT_BAD_ARG, "no box given");
    for (uint32_t i = 0; i < rank; i++)
        if (box->lo[i] >= box->hi[i] || box->hi[i] > shape[i])
            return zti_fail(context, ZT_BAD_ARG,
                            "box %llu:%llu along axis %u (slowest first) is not inside 0:%llu",
                            (unsigned long long)box->lo[i], (unsigned long long)box->hi[i], i,
                            (unsigned long long)shape[i]);
    return ZT_OK;
}

struct zti_view zti_view_whole(const struct zti_array *out)
{
    struct zti_view view = {.out = *out};
    for (uint32_t i = 0; i < out->rank; i++)
        view.hi[i] = out->shape[i];
    return view;
}

bool zti_view_box(const struct zti_array *whole, const zt_box *box, const struct zti_array *out,
                  struct zti_view *view)
{
    uint64_t shape[ZT_MAX_RANK];
    *view = (struct zti_view){.out = *out};
    for (uint32_t i = 0; i < whole->rank; i++) {
        view->lo[i] = box->lo[i];
        view->hi[i] = box->hi[i];
        shape[i] = box->hi[i] - box->lo[i];
    }
    return zti_array_is_of(out, whole->type, whole->rank, shape);
}

/* ---- points spread over an array ---- */

/* A Kronecker sequence: multiples of an irrational step modulo 1, a step for each axis. */
uint64_t zti_spread_along(uint64_t room, uint32_t axis, uint32_t k)
{
    /* Roberts' R4 sequence: powers of 1 / 1.1673, the root of x^5 = x + 1, as fractions of 2^32 */
    static const uint32_t step[ZT_MAX_RANK] = {3679390609u, 3152041523u, 2700274805u, 2313257604u};
    const uint32_t fraction = 0x80000000u + k * step[axis];
    const uint64_t high = room >> 32, low = room & UINT32_MAX; /* room * fraction / 2^32 */
    return high * fraction + (low * fraction >> 32);
}

void zti_array_point(const struct zti_array *array, uint32_t k, uint64_t *at)
{
    for (uint32_t i = 0; i < array->rank; i++)
        at[i] = zti_spread_along(array->shape[i], i, k);
}

bool zti_is_off_cubic(double value, double near, double far, double bound)
{
    return !(fabs(value - (9 * near - far) / 16) <= bound);
}

bool zti_are_flat(const double *values, double most)
{
    double low = (double)INFINITY, high = (double)-INFINITY;
    for (uint32_t i = 0; i < ZTI_FLAT_POINTS; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    return high - low <= most;
}

bool zti_array_is_flat(const struct zti_array *array, const uint64_t *origin, const uint64_t *shape,
                       double most)
{
    struct zti_array box = *array;
    double values[ZTI_FLAT_POINTS];
    box.data = zti_array_at(array, origin);
    memcpy(box.shape, shape, box.rank * sizeof *shape);
    for (uint32_t i = 0; i < ZTI_FLAT_POINTS; i++) {
        uint64_t at[ZT_MAX_RANK];
        zti_array_point(&box, i, at);
        values[i] = zti_number_at(box.type, zti_array_at(&box, at));
    }
    return zti_are_flat(values, most);
}
