/* quality.c: what is in an array, and how far two arrays are apart. */
#include "quality/quality.h"

#include "array/mirror.h"
#include "core/cpu.h"
#include "core/device.h"
#include "core/map.h"
#include "quality/within.h"

static bool is_within_integers(int64_t a, int64_t b, double bound)
{
    const uint64_t d = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
    return bound >= 18446744073709551616.0 || (bound >= 0 && d <= (uint64_t)bound);
}

bool zti_within(uint32_t type, uint64_t original_bits, uint64_t reconstructed_bits, double bound)
{
    if (original_bits == reconstructed_bits)
        return true;
    switch (type) {
    case ZT_F32:
    case ZT_F64: return zti_floats_within(type, original_bits, reconstructed_bits, bound);
    case ZT_I32:
        return is_within_integers((int32_t)original_bits, (int32_t)reconstructed_bits, bound);
    default: return is_within_integers((int64_t)original_bits, (int64_t)reconstructed_bits, bound);
    }
}

/* Whether |b - a| <= part |a| exactly, of finite values. The product and the difference are each a
 * rounded number and what the rounding left out, which fma and two-sum give exactly while nothing
 * is subnormal: small values are scaled up first. b of another binade or sign than a's is settled
 * by the rounded numbers. */
static bool is_within_part(double a, double b, double part)
{
    const double tiny = 0x1p-400, up = 0x1p600;
    if (a == 0 || !isfinite(b))
        return false;
    if (fabs(a) < tiny) {
        if (fabs(b) >= 2 * tiny) /* off by more than |a| */
            return false;
        a *= up;
        b *= up;
    } else if (fabs(a) > 1 / tiny) { /* so that nothing overflows */
        a /= up;
        b /= up;
    }
    double rest;
    const double d = fabs(zti_difference(a, b, &rest)), most = part * fabs(a);
    if (d != most)
        return d < most;
    const double left_out = fma(part, fabs(a), -most); /* of the product */
    return (a > b ? rest : -rest) <= left_out;
}

bool zti_within_part(uint32_t type, uint64_t original_bits, uint64_t reconstructed_bits,
                     double part)
{
    if (original_bits == reconstructed_bits)
        return true;
    if (type == ZT_F32)
        return is_within_part(zti_float_from_bits(original_bits),
                              zti_float_from_bits(reconstructed_bits), part);
    return is_within_part(zti_double_from_bits(original_bits),
                          zti_double_from_bits(reconstructed_bits), part);
}

/* Whether 'test' holds for all values x and y of two rows; it compares with 'limit'. */
#define ROW_WITHIN(name, scalar, test)                                                             \
    static bool name(const char *a, int64_t stride, const char *b, uint64_t n, double limit)       \
    {                                                                                              \
        bool is_within = true;                                                                     \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            scalar x, y;                                                                           \
            memcpy(&x, a + (int64_t)i * stride * (int64_t)sizeof x, sizeof x);                     \
            memcpy(&y, b + i * sizeof y, sizeof y);                                                \
            is_within &= test;                                                                     \
        }                                                                                          \
        return is_within;                                                                          \
    }

/* A rounded difference strictly below the bound is of values within it; NaN is not below. */
#define DIFFERS_LESS (fabs((double)x - (double)y) < limit)

/* The same with the rounded product, which is at least tiny so that its rounding is relative. */
#define DIFFERS_LESS_BY_PART                                                                       \
    (fabs((double)x - (double)y) < limit * fabs((double)x) && limit * fabs((double)x) > 0x1p-960)

ROW_WITHIN(row_within_f32, float, DIFFERS_LESS)
ROW_WITHIN(row_within_f64, double, DIFFERS_LESS)
ROW_WITHIN(row_within_part_f32, float, DIFFERS_LESS_BY_PART)
ROW_WITHIN(row_within_part_f64, double, DIFFERS_LESS_BY_PART)

bool zti_row_within(uint32_t type, const void *original, int64_t stride, const void *reconstructed,
                    uint64_t n, double bound)
{
    const size_t value_bytes = zt_type_bytes(type);
    if (type == ZT_F32)
        return row_within_f32(original, stride, reconstructed, n, bound);
    if (type == ZT_F64)
        return row_within_f64(original, stride, reconstructed, n, bound);
    for (uint64_t i = 0; i < n; i++)
        if (!zti_within(type, zti_bits_at(original, (int64_t)i * stride, value_bytes),
                        zti_bits_at(reconstructed, (int64_t)i, value_bytes), bound))
            return false;
    return true;
}

bool zti_row_within_part(uint32_t type, const void *original, int64_t stride,
                         const void *reconstructed, uint64_t n, double part)
{
    return type == ZT_F32 ? row_within_part_f32(original, stride, reconstructed, n, part)
                          : row_within_part_f64(original, stride, reconstructed, n, part);
}

/* Go through an array's rows (lines along the last axis), two arrays at a time. */
struct rows {
    uint64_t at[ZT_MAX_RANK];
    uint64_t left;
};

static struct rows rows_of(const struct zti_array *array)
{
    return (struct rows){.left = zti_array_values(array->rank - 1, array->shape)};
}

static void next_row(struct rows *rows, const struct zti_array *array)
{
    rows->left--;
    for (uint32_t i = array->rank - 1; i-- > 0;) {
        if (++rows->at[i] < array->shape[i])
            return;
        rows->at[i] = 0;
    }
}

static double value_of(uint32_t type, uint64_t bits)
{
    switch (type) {
    case ZT_F32: return zti_float_from_bits(bits);
    case ZT_F64: return zti_double_from_bits(bits);
    case ZT_I32: return (int32_t)bits;
    default: return (double)(int64_t)bits;
    }
}

/* ---- zt_scan ---- */

#define SCAN zti_scan_plain
#include "quality/scan_instance.h"

/* Values that are copied at once where fill values are left out. */
enum { SCAN_BLOCK = 1024 };

#define SCAN_INTEGERS(name, integer)                                                               \
    ZTI_INLINE void name##_row(const char *row, uint64_t n, int64_t stride, zt_stats *s)           \
    {                                                                                              \
        integer low, high;                                                                         \
        memcpy(&low, row, sizeof low);                                                             \
        high = low;                                                                                \
        for (uint64_t i = 1; i < n; i++) {                                                         \
            integer v;                                                                             \
            memcpy(&v, row + (int64_t)i * stride * (int64_t)sizeof v, sizeof v);                   \
            low = v < low ? v : low;                                                               \
            high = v > high ? v : high;                                                            \
        }                                                                                          \
        s->min = s->min < (double)low ? s->min : (double)low;                                      \
        s->max = s->max > (double)high ? s->max : (double)high;                                    \
    }                                                                                              \
    static void name(const char *row, uint64_t n, int64_t stride, zt_stats *s)                     \
    {                                                                                              \
        if (stride == 1)                                                                           \
            name##_row(row, n, 1, s);                                                              \
        else                                                                                       \
            name##_row(row, n, stride, s);                                                         \
    }

SCAN_INTEGERS(scan_i32, int32_t)
SCAN_INTEGERS(scan_i64, int64_t)

zt_status zt_stats_init(zt_stats *stats, size_t stats_bytes)
{
    if (!stats || stats_bytes < sizeof *stats)
        return ZT_BAD_ARG;
    memset(stats, 0, stats_bytes);
    stats->struct_bytes = (uint32_t)stats_bytes;
    stats->min = stats->max = NAN;
    return ZT_OK;
}

static const struct zti_scan_floats *floats_of(uint32_t isa)
{
#if defined(ZTI_HAS_X86_INSTANCES)
    static const struct zti_scan_floats *const instances[] = {&zti_scan_plain, &zti_scan_avx2,
                                                              &zti_scan_avx512};
    return instances[isa];
#else
    (void)isa;
    return &zti_scan_plain;
#endif
}

static void scan_row(uint32_t isa, uint32_t type, const char *row, uint64_t n, int64_t stride,
                     zt_stats *stats)
{
    if (type == ZT_F32)
        floats_of(isa)->f32(row, n, stride, stats);
    else if (type == ZT_F64)
        floats_of(isa)->f64(row, n, stride, stats);
    else if (type == ZT_I32)
        scan_i32(row, n, stride, stats);
    else
        scan_i64(row, n, stride, stats);
}

/* The same without values that have a fill value's bits, which are left out of a copy. */
static void scan_filled_row(uint32_t isa, uint32_t type, const char *row, uint64_t n,
                            int64_t stride, zt_stats *stats)
{
    const size_t value_bytes = zt_type_bytes(type);
    uint64_t kept[SCAN_BLOCK]; /* of values of 4 or 8 bytes, packed */
    for (uint64_t i = 0; i < n;) {
        const uint64_t end = n - i < SCAN_BLOCK ? n : i + SCAN_BLOCK, first = i;
        uint64_t count = 0;
        for (; i < end; i++) {
            const char *at = row + (int64_t)i * stride * (int64_t)value_bytes;
            const uint64_t bits = zti_bits_at(at, 0, value_bytes);
            bool is_fill = false;
            for (uint32_t k = 0; k < stats->fills; k++)
                is_fill |= bits == stats->fill[k];
            memcpy((char *)kept + count * value_bytes, at, value_bytes);
            count += !is_fill;
        }
        stats->fill_values += end - first - count;
        if (count > 0)
            scan_row(isa, type, (const char *)kept, count, 1, stats);
    }
}

/* Axes that follow each other in memory are scanned as one. */
static void scan_rows(uint32_t isa, const struct zti_array *array, zt_stats *stats)
{
    uint32_t last = array->rank - 1;
    uint64_t n = array->shape[last];
    const int64_t stride = array->stride[last];
    for (; last > 0 && array->stride[last - 1] == stride * (int64_t)n; last--)
        n *= array->shape[last - 1];
    struct zti_array rest = *array;
    rest.rank = last + 1;
    struct rows rows = rows_of(&rest);
    for (; rows.left > 0; next_row(&rows, &rest))
        (stats->fills > 0 ? scan_filled_row : scan_row)(
            isa, array->type, zti_array_at(&rest, rows.at), n, stride, stats);
    stats->values += zti_array_values(array->rank, array->shape);
}

/* An array is cut along its slowest axis into parts that are worth a thread. */
enum { SCAN_PART_BYTES = 1 << 20, SCAN_PARTS_MOST = 128 };

struct scan {
    const struct zti_array *array;
    uint32_t isa;
    uint64_t step; /* slices a part */
    uint32_t fills;
    uint64_t fill[ZT_MAX_FILLS];
    zt_stats found[SCAN_PARTS_MOST];
};

static void join_stats(zt_stats *to, const zt_stats *from)
{
    to->values += from->values;
    to->nan_values += from->nan_values;
    to->inf_values += from->inf_values;
    to->fill_values += from->fill_values;
    if (from->values == from->nan_values + from->inf_values + from->fill_values)
        return;
    to->min = to->min < from->min ? to->min : from->min;
    to->max = to->max > from->max ? to->max : from->max;
}

static bool scan_part(void *shared, uint32_t worker, uint64_t number)
{
    struct scan *s = shared;
    (void)worker;
    const uint64_t first = number * s->step, left = s->array->shape[0] - first;
    zt_stats *found = &s->found[number];
    const struct zti_array part = zti_array_slab(s->array, first, left < s->step ? left : s->step);
    (void)zt_stats_init(found, sizeof *found);
    found->fills = s->fills;
    memcpy(found->fill, s->fill, sizeof found->fill);
    scan_rows(s->isa, &part, found);
    return true;
}

static void scan_all(zt_context *context, const struct zti_array *array, zt_stats *stats)
{
    const uint64_t slices = array->shape[0];
    const uint64_t bytes = zti_array_bytes(array);
    uint64_t parts = bytes / SCAN_PART_BYTES + 1;
    parts = parts < SCAN_PARTS_MOST ? parts : SCAN_PARTS_MOST;
    struct scan s = {
        .array = array, .isa = zti_isa_of(context), .step = (slices + parts - 1) / parts};
    s.fills = stats->fills;
    memcpy(s.fill, stats->fill, sizeof s.fill);
    parts = (slices + s.step - 1) / s.step;
    zti_map(context, parts, scan_part, &s);
    for (uint64_t i = 0; i < parts; i++)
        join_stats(stats, &s.found[i]);
}

/* An array of the device's memory, where it is. */
static zt_status scan_there(zt_context *context, const struct zti_array *array, zt_stats *stats)
{
    struct zti_device *const device = context->device;
    struct zti_scan_fills fills = {.count = stats->fills};
    struct zti_scan_found found;
    zt_stats own;
    void *memory;
    memcpy(fills.bits, stats->fill, sizeof fills.bits);
    zt_status status = device->room(context, ZTI_DEVICE_STATES, sizeof found, &memory);
    if (status == ZT_OK)
        status = device->zero(context, ZTI_QUEUE_KERNELS, memory, sizeof found);
    if (status != ZT_OK)
        return status;
    device->scan(context, array, &fills, memory);
    status = zti_copy_bytes(context, &found, memory, sizeof found);
    if (status != ZT_OK)
        return status;
    (void)zt_stats_init(&own, sizeof own);
    own.values = zti_array_values(array->rank, array->shape);
    own.nan_values = found.nan_values;
    own.inf_values = found.inf_values;
    own.fill_values = found.fill_values;
    own.min = zti_scan_value(array->type, ~found.least_flipped);
    own.max = zti_scan_value(array->type, found.most);
    join_stats(stats, &own);
    return ZT_OK;
}

zt_status zti_scan(zt_context *context, const struct zti_array *array, zt_stats *stats)
{
    zt_status status = ZT_OK;
    zti_stage(context, ZT_STAGE_RANGE);
    if (array->is_on_device)
        status = scan_there(context, array, stats);
    else
        scan_all(context, array, stats);
    zti_stage(context, ZT_STAGE_OTHER);
    return status;
}

zt_status zt_scan(zt_context *context, const zt_array *given, zt_stats *stats)
{
    struct zti_array array;
    const zt_status status = zti_array_check(context, given, ZTI_TO_READ, &array);
    if (status != ZT_OK)
        return status;
    if (!stats || stats->struct_bytes < sizeof *stats)
        return zti_fail(context, ZT_BAD_ARG, "statistics were not set by zt_stats_init");
    if (stats->fills > ZT_MAX_FILLS)
        return zti_fail(context, ZT_BAD_ARG, "%u fill values are more than %d", stats->fills,
                        ZT_MAX_FILLS);
    return zti_scan(context, &array, stats);
}

/* ---- zt_compare ---- */

zt_status zt_quality_init(zt_quality *quality, size_t quality_bytes)
{
    if (!quality || quality_bytes < sizeof *quality)
        return ZT_BAD_ARG;
    memset(quality, 0, quality_bytes);
    quality->struct_bytes = (uint32_t)quality_bytes;
    quality->abs_bound = quality->min = quality->max = quality->pwrel_bound = NAN;
    quality->within_lo = quality->within_hi = NAN;
    return ZT_OK;
}

static void compare_values(uint32_t type, uint64_t a, uint64_t b, zt_quality *q)
{
    const double v = value_of(type, a);
    const bool is_integer = type == ZT_I32 || type == ZT_I64;
    q->different_values += a != b;
    if (zti_is_special(type, a, q->fills, q->fill)) {
        q->special_changed += a != b;
        return;
    }
    q->finite_values++;
    q->min = q->min < v ? q->min : v;
    q->max = q->max > v ? q->max : v;
    if (value_of(type, b) < q->within_lo || value_of(type, b) > q->within_hi)
        q->outside++;
    if (a == b)
        return;
    double e = zti_error_of(type, a, b);
    if (isnan(e))
        e = INFINITY; /* a finite value became NaN */
    q->max_abs_error = e > q->max_abs_error ? e : q->max_abs_error;
    q->sum_squares += e * e;
    q->sum_errors += e;
    if (v != 0 && e / fabs(v) > q->max_pwrel_error)
        q->max_pwrel_error = e / fabs(v);
    if (!isnan(q->abs_bound))
        q->beyond_bound += !zti_within(type, a, b, q->abs_bound);
    if (!isnan(q->pwrel_bound))
        q->beyond_bound += is_integer || !zti_within_part(type, a, b, q->pwrel_bound);
}

/* The same of arrays in the host's memory. */
static void compare(const struct zti_array *original, const struct zti_array *reconstructed,
                    zt_quality *quality)
{
    const uint32_t last = original->rank - 1;
    const size_t value_bytes = zt_type_bytes(original->type);
    struct rows rows = rows_of(original);
    for (; rows.left > 0; next_row(&rows, original)) {
        const char *a = zti_array_at(original, rows.at);
        const char *b = zti_array_at(reconstructed, rows.at);
        for (uint64_t i = 0; i < original->shape[last]; i++)
            compare_values(
                original->type, zti_bits_at(a, (int64_t)i * original->stride[last], value_bytes),
                zti_bits_at(b, (int64_t)i * reconstructed->stride[last], value_bytes), quality);
    }
    quality->values += zti_array_values(original->rank, original->shape);
}

zt_status zt_compare(zt_context *context, const zt_array *original, const zt_array *reconstructed,
                     zt_quality *quality)
{
    struct zti_array a, b;
    zt_status status = zti_array_check(context, original, ZTI_TO_READ, &a);
    if (status == ZT_OK)
        status = zti_array_check(context, reconstructed, ZTI_TO_READ, &b);
    if (status != ZT_OK)
        return status;
    if (!quality || quality->struct_bytes < sizeof *quality)
        return zti_fail(context, ZT_BAD_ARG, "a quality was not set by zt_quality_init");
    if (quality->fills > ZT_MAX_FILLS)
        return zti_fail(context, ZT_BAD_ARG, "%u fill values are more than %d", quality->fills,
                        ZT_MAX_FILLS);
    if (!zti_array_is_of(&b, a.type, a.rank, a.shape))
        return zti_fail(context, ZT_BAD_ARG,
                        "arrays of different type or shape cannot be compared");
    struct zti_mirror one, other = {.own = NULL};
    status = zti_mirror_open(context, &a, &one);
    if (status == ZT_OK)
        status = zti_mirror_open(context, &b, &other);
    if (status == ZT_OK)
        compare(&one.array, &other.array, quality);
    zti_mirror_close(&other);
    zti_mirror_close(&one);
    return status;
}

double zt_quality_rmse(const zt_quality *quality)
{
    return quality && quality->finite_values
               ? sqrt(quality->sum_squares / (double)quality->finite_values)
               : NAN;
}

double zt_quality_mae(const zt_quality *quality)
{
    return quality && quality->finite_values ? quality->sum_errors / (double)quality->finite_values
                                             : NAN;
}

double zt_quality_psnr(const zt_quality *quality)
{
    const double rmse = zt_quality_rmse(quality);
    if (isnan(rmse))
        return NAN;
    return rmse == 0 ? INFINITY : 20 * log10((quality->max - quality->min) / rmse);
}
