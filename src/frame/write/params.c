/* params.c: zt_params and zt_info: defaults, structs of other versions' sizes, and the checks that
 * are the same for all codecs. */
#include "frame/format/format.h"
#include "ztile_zfp.h"

#include <float.h>
#include <math.h>

/* Bytes of the structs in the first release; they stay when fields are added. */
#define PARAMS_FIRST_BYTES (offsetof(zt_params, codec_words) + sizeof((zt_params *)0)->codec_words)
#define INFO_FIRST_BYTES   (offsetof(zt_info, plan_words) + sizeof((zt_info *)0)->plan_words)

static const uint64_t default_slab_bytes = UINT64_C(256) << 20;

/* Zero the caller's struct and copy as much of the defaults as fits. */
static zt_status init(void *out, size_t bytes, size_t first_bytes, const void *defaults,
                      size_t known_bytes)
{
    if (!out || bytes < first_bytes || bytes > UINT32_MAX)
        return ZT_BAD_ARG;
    uint32_t struct_bytes = (uint32_t)bytes;
    memset(out, 0, bytes);
    memcpy(out, defaults, bytes < known_bytes ? bytes : known_bytes);
    memcpy(out, &struct_bytes, sizeof struct_bytes);
    return ZT_OK;
}

zt_status zt_params_init(zt_params *params, size_t params_bytes)
{
    zt_params defaults;
    memset(&defaults, 0, sizeof defaults);
    defaults.codec = ZT_CODEC_AUTO;
    defaults.bound = zt_lossless();
    defaults.slab_bytes = default_slab_bytes;
    defaults.range_lo = defaults.range_hi = (double)NAN;
    defaults.within_lo = defaults.within_hi = (double)NAN;
    defaults.effort = ZT_EFFORT_DEFAULT;
    defaults.plan = ZT_PLAN_OFF;
    defaults.index = ZT_INDEX_DEFAULT;
    return init(params, params_bytes, PARAMS_FIRST_BYTES, &defaults, sizeof defaults);
}

zt_status zt_info_init(zt_info *info, size_t info_bytes)
{
    zt_info zero;
    memset(&zero, 0, sizeof zero);
    return init(info, info_bytes, INFO_FIRST_BYTES, &zero, sizeof zero);
}

zt_status zti_info_check(zt_context *context, const zt_info *info)
{
    if (!info || info->struct_bytes < INFO_FIRST_BYTES)
        return zti_fail(context, ZT_BAD_ARG,
                        "zt_info is missing or too small; zt_info_init sets it up");
    return ZT_OK;
}

void zti_info_store(const zt_info *known, zt_info *info)
{
    uint32_t struct_bytes = info->struct_bytes;
    memcpy(info, known, struct_bytes < sizeof *known ? struct_bytes : sizeof *known);
    info->struct_bytes = struct_bytes;
}

static zt_status check_text(zt_context *context, const char *text, size_t max_bytes,
                            const char *what)
{
    if (!text)
        return ZT_OK;
    size_t n = 0;
    while (n <= max_bytes && text[n])
        n++;
    if (n > max_bytes || !zti_is_utf8((const uint8_t *)text, n))
        return zti_fail(context, ZT_BAD_ARG, "the %s must be UTF-8 of at most %zu bytes", what,
                        max_bytes);
    return ZT_OK;
}

/* Check codec, plan, effort and index. */
static zt_status check_supported(zt_context *context, const zt_params *p)
{
    if (p->codec != ZT_CODEC_AUTO && !zti_codec_by_id(p->codec))
        return zti_fail(context, ZT_BAD_ARG, "%u is no codec", p->codec);
    if (p->plan > ZT_PLAN_TIGHT)
        return zti_fail(context, ZT_BAD_ARG, "%u is no kind of plan", p->plan);
    if (!zti_is_effort(p->effort))
        return zti_fail(context, ZT_BAD_ARG, "%u is no effort", p->effort);
    if (p->index > ZT_INDEX_COMPACT)
        return zti_fail(context, ZT_BAD_ARG, "%u is no kind of index", p->index);
    if (p->index_chunk > ZTI_INDEX_CHUNK_MOST || p->index_partition > ZTI_INDEX_PARTITION_MOST)
        return zti_fail(context, ZT_BAD_ARG,
                        "index chunks have at most %d tiles and partitions at most %d chunks",
                        ZTI_INDEX_CHUNK_MOST, ZTI_INDEX_PARTITION_MOST);
    if (p->index_partition && p->index != ZT_INDEX_HYBRID)
        return zti_fail(context, ZT_BAD_ARG, "only the hybrid index has partitions");
    if (p->index_chunk && p->index == ZT_INDEX_NONE)
        return zti_fail(context, ZT_BAD_ARG, "no index has no chunks; choose an index");
    return ZT_OK;
}

static zt_status check_range(zt_context *context, const zt_params *p)
{
    if (isnan(p->range_lo) && isnan(p->range_hi))
        return ZT_OK;
    if (!isfinite(p->range_lo) || !isfinite(p->range_hi) || p->range_lo > p->range_hi)
        return zti_fail(context, ZT_BAD_ARG,
                        "range %g to %g is not one of finite numbers in ascending order",
                        p->range_lo, p->range_hi);
    return ZT_OK;
}

/* A mean error stands alone, as the bound, or beside an absolute one. */
static zt_status check_mean(zt_context *context, const zt_params *p)
{
    const uint32_t kind = p->mean.kind;
    if (kind == ZT_LOSSLESS)
        return ZT_OK;
    if (!zti_is_mean(kind))
        return zti_fail(context, ZT_BAD_ARG, "%u is no bound on a mean: psnr, rmse or mae", kind);
    if (p->bound.kind != ZT_ABS && p->bound.kind != ZT_REL)
        return zti_fail(context, ZT_BAD_ARG,
                        "a bound on the mean (psnr, rmse, mae) stands alone or beside abs or rel");
    return zti_bound_check(context, &p->mean);
}

static zt_status check_limits(zt_context *context, const zt_params *p)
{
    if (p->within_lo > p->within_hi || isinf(p->within_lo) || isinf(p->within_hi))
        return zti_fail(context, ZT_BAD_ARG,
                        "limits %g to %g are not two finite numbers in ascending order",
                        p->within_lo, p->within_hi);
    return ZT_OK;
}

zt_status zti_params_load(zt_context *context, const zt_params *params, zt_params *known)
{
    zt_params_init(known, sizeof *known);
    if (!params)
        return ZT_OK;
    size_t bytes = params->struct_bytes;
    if (bytes < PARAMS_FIRST_BYTES)
        return zti_fail(context, ZT_BAD_ARG,
                        "zt_params says that it has %zu bytes, the smallest has %zu; "
                        "zt_params_init sets it up",
                        bytes, PARAMS_FIRST_BYTES);
    if (bytes > sizeof *known &&
        !zti_all_zero((const uint8_t *)params + sizeof *known, bytes - sizeof *known))
        return zti_fail(context, ZT_UNSUPPORTED,
                        "zt_params has fields set that this version (%s) does not know",
                        ZT_VERSION_STRING);
    memcpy(known, params, bytes < sizeof *known ? bytes : sizeof *known);
    known->struct_bytes = (uint32_t)sizeof *known;

    if (known->fills > ZT_MAX_FILLS)
        return zti_fail(context, ZT_BAD_ARG, "%u fill values are more than %d", known->fills,
                        ZT_MAX_FILLS);
    if (known->prefer > ZT_PREFER_BALANCED)
        return zti_fail(context, ZT_BAD_ARG, "%u is no preference", known->prefer);
    if (known->reserved)
        return zti_fail(context, ZT_BAD_ARG, "the reserved word of zt_params must be 0");
    zt_status status = check_supported(context, known);
    if (!status)
        status = zti_bound_check(context, &known->bound);
    if (!status)
        status = check_mean(context, known);
    if (!status)
        status = check_range(context, known);
    if (!status)
        status = check_limits(context, known);
    if (!status)
        status = check_text(context, known->name, ZTI_NAME_BYTES, "name");
    if (!status)
        status = check_text(context, known->units, ZTI_UNITS_BYTES, "units");
    return status;
}

zt_status zt_fill_bits(zt_type type, double value, uint64_t *bits)
{
    const float f = fabs(value) <= (double)FLT_MAX ? (float)value : (float)NAN;
    uint32_t low;
    if (!bits || zt_type_bytes((uint32_t)type) == 0)
        return ZT_BAD_ARG;
    if (type == ZT_F64) {
        *bits = zti_bits_of_double(value);
        return ZT_OK;
    }
    if (type == ZT_F32) {
        memcpy(&low, &f, sizeof low);
        *bits = low;
        return (isnan(f) && !isnan(value)) || (f == 0 && value != 0) ? ZT_BAD_ARG : ZT_OK;
    }
    const double most = type == ZT_I32 ? 2147483648.0 : 9223372036854775808.0;
    if (!(value >= -most && value < most) || value != floor(value))
        return ZT_BAD_ARG;
    *bits = type == ZT_I32 ? (uint32_t)(int32_t)value : (uint64_t)(int64_t)value;
    return ZT_OK;
}

zt_status zti_bound_check(zt_context *context, const zt_bound *bound)
{
    double v = bound->value;
    if (bound->kind != ZT_EXPERT && (bound->words[0] || bound->words[1]))
        return zti_fail(context, ZT_BAD_ARG, "the words of a bound must be 0");
    if (bound->flags != 0 && (bound->kind != ZT_RATE || bound->flags != ZT_RATE_ALIGN))
        return zti_fail(context, ZT_BAD_ARG,
                        "bound flags %#x: only a rate has one, and only ZT_RATE_ALIGN",
                        bound->flags);
    switch (bound->kind) {
    case ZT_LOSSLESS:
    case ZT_EXPERT: return ZT_OK;
    case ZT_ABS:
    case ZT_REL:
        if (!isfinite(v) || v < 0)
            return zti_fail(context, ZT_BAD_ARG,
                            "an error bound must be a finite number of at least 0, not %g", v);
        return ZT_OK;
    case ZT_PWREL:
        if (!(v >= 0 && v < 1))
            return zti_fail(context, ZT_BAD_ARG,
                            "a bound relative to each value must be a number of at least 0 and "
                            "below 1, not %g",
                            v);
        return ZT_OK;
    case ZT_RMSE:
    case ZT_RMSE_REL:
    case ZT_MAE:
    case ZT_MAE_REL:
        if (!isfinite(v) || v < 0)
            return zti_fail(context, ZT_BAD_ARG,
                            "a mean error must be a finite number of at least 0, not %g", v);
        return ZT_OK;
    case ZT_PSNR:
        if (!isfinite(v) || v <= 0)
            return zti_fail(context, ZT_BAD_ARG,
                            "a PSNR must be a finite number of dB above 0, not %g", v);
        return ZT_OK;
    case ZT_RATE:
        if (!isfinite(v) || v <= 0)
            return zti_fail(context, ZT_BAD_ARG,
                            "a rate must be a finite number of bits above 0, not %g", v);
        return ZT_OK;
    case ZT_PRECISION:
        if (!(v >= 1 && v <= 64) || v != floor(v))
            return zti_fail(context, ZT_BAD_ARG,
                            "a precision must be a whole number of bit planes from 1 to 64, not "
                            "%g",
                            v);
        return ZT_OK;
    }
    return zti_fail(context, ZT_BAD_ARG, "%u is no kind of bound", bound->kind);
}
