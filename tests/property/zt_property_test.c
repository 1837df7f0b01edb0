/* zt_property_test.c: random arrays and parameters through the .zt calls of the API.
 *
 *     zt_property_test [--seed N] [--cases N] [--only N] [--targets 1]
 *                      [--command ZTILE --folder DIR]
 *
 * For each case: what comes back is within the bound in exact arithmetic (abs, rel, pwrel), in
 * extended precision (psnr, rmse, mae; alone or beside another), within limits, or the same bits
 * (lossless), and none of this is the library's code;
 * policy, strides, slabs and memory in place of callbacks change no byte; a box is the slice of the
 * whole; a damaged file gives an error or the same array.
 * With --targets each case but of ndzip has a bound on the mean error, alone or beside one on each
 * value, and every second one limits. With --command the cases that the command can be told go
 * through it instead of the writer, the reader and the damage: it makes the same bytes and the same
 * values. A case depends on the seed and its number alone; one that fails is made smaller as long
 * as it still fails. */
#include "property/zt_command.h"
#include "property/zt_memory.h"
#include "support/support.h"
#include "ztile_expert.h"
#include "ztile_store.h"
#include "ztile_zfp.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct test_case {
    uint64_t seed; /* of the case's own choices */
    uint32_t type, rank;
    uint64_t shape[ZT_MAX_RANK];
    int64_t stride[ZT_MAX_RANK];
    enum data_kind kind;
    zt_params params;
};

struct trial {
    const struct test_case *c;
    zt_context *context;
    struct rng rng;
    struct test_array in;
    size_t element, raw_bytes, capacity, bytes;
    unsigned char *raw;  /* the input's elements in C order */
    unsigned char *file; /* what zt_compress made of it */
    unsigned char *back; /* what came back, in C order */
    zt_info info;
    char why[512];
};

static bool fail(struct trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct trial *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(t->why, sizeof t->why, format, args);
    va_end(args);
    return false;
}

/* A value as double; int64 is rounded. */
static double number_at(uint32_t type, const unsigned char *at)
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

/* ---- making a case ---- */

/* Tiles have 4^rank values, or with sz about 4096. */
static void random_shape(struct rng *r, struct test_case *c)
{
    static const uint64_t most[] = {0, 600, 36, 14, 8}, most_sz[] = {0, 18000, 150, 36, 14};
    const bool is_large = c->params.codec != ZT_CODEC_ZFP && rng_once_in(r, 2);
    c->rank = 1 + (uint32_t)rng_below(r, ZT_MAX_RANK);
    for (uint32_t i = 0; i < c->rank; i++)
        c->shape[i] = 1 + rng_below(r, rng_once_in(r, 4) ? 5
                                       : is_large        ? most_sz[c->rank]
                                                         : most[c->rank]);
}

static void random_codec(struct rng *r, struct test_case *c)
{
    static const uint32_t bins[] = {0, 4, 64, 1024, 65536};
    c->params.plan = (uint32_t)rng_below(r, 3);
    c->params.prefer = (uint32_t)rng_below(r, 3);
    if (rng_once_in(r, 2)) {
        c->params.codec = rng_once_in(r, 2) ? ZT_CODEC_AUTO : ZT_CODEC_ZFP;
        if (rng_once_in(r, 4))
            c->params.codec = ZT_CODEC_NDZIP;
        return;
    }
    c->params.codec = ZT_CODEC_SZ;
    const uint32_t coder = (uint32_t)rng_below(r, CODER_MULTIPLES + 1);
    const uint32_t n = bins[rng_below(r, sizeof bins / sizeof *bins)];
    set_coder(&c->params, coder);
    if (coder == CODER_CUSZ)
        zt_params_set_sz(&c->params, ZT_SZ_CUSZ, n);
}

/* A bound for values of this range: from far below their last bit to far above their range. */
static double random_abs(struct rng *r, double range)
{
    static const double few[] = {0, 5e-324, 1e-310, 1, 0.5, 0.3, 2, 7.5, 1e10, 1e300};
    if (rng_once_in(r, 4))
        return few[rng_below(r, sizeof few / sizeof *few)];
    if (!(range > 0) || !isfinite(range))
        range = 1;
    return range * ldexp(1 + rng_unit(r), -(int)rng_below(r, rng_once_in(r, 6) ? 70 : 24));
}

static void random_bound(struct rng *r, struct test_case *c)
{
    if (c->params.codec == ZT_CODEC_NDZIP) { /* lossless, however that is said */
        c->params.bound = rng_once_in(r, 2) ? zt_lossless() : zt_abs(0);
        return;
    }
    int64_t stride[ZT_MAX_RANK];
    double min, max;
    const bool is_float = c->type == ZT_F32 || c->type == ZT_F64;
    if (rng_once_in(r, 5)) { /* from far above what is of use to far below it */
        c->params.bound = zt_psnr(rng_once_in(r, 6) ? 400 * rng_unit(r) : 130 * rng_unit(r) + 0.01);
        return;
    }
    if (is_float && rng_once_in(r, 4)) {
        c->params.bound = zt_pwrel(
            ldexp(0.49 + 0.49 * rng_unit(r), -(int)rng_below(r, rng_once_in(r, 4) ? 60 : 24)));
        return;
    }
    switch (rng_below(r, c->params.codec == ZT_CODEC_SZ ? 5 : 8)) {
    case 0:
    case 1:
    case 2:
        contiguous_strides(c->rank, c->shape, stride);
        struct test_array a = test_array_new(c->type, c->rank, c->shape, stride);
        fill_array(&a.array, c->kind, c->seed);
        range_of(&a.array, &min, &max);
        test_array_free(&a);
        c->params.bound = zt_abs(random_abs(r, max / 4 - min / 4));
        break;
    case 3:
    case 4:
        c->params.bound = zt_rel(rng_once_in(r, 8) ? 0 : random_abs(r, 1));
        if (c->params.bound.value > 10)
            c->params.bound.value = 0.1;
        break;
    case 5: c->params.bound = zt_rate(1 + 30 * rng_unit(r)); break;
    case 6: c->params.bound = zt_precision(1 + (uint32_t)rng_below(r, 40)); break;
    default: break;
    }
}

/* Some of the array's own values are to be none. */
static void random_fills(struct rng *r, struct test_case *c)
{
    int64_t stride[ZT_MAX_RANK];
    const size_t element = zt_type_bytes(c->type);
    contiguous_strides(c->rank, c->shape, stride);
    struct test_array a = test_array_new(c->type, c->rank, c->shape, stride);
    fill_array(&a.array, c->kind, c->seed);
    c->params.fills = 1 + (uint32_t)rng_below(r, ZT_MAX_FILLS);
    for (uint32_t i = 0; i < c->params.fills; i++) {
        const uint64_t at = rng_below(r, values_of(c->rank, c->shape));
        uint32_t low;
        memcpy(&low, (unsigned char *)a.array.data + at * element, sizeof low);
        c->params.fill[i] = low;
        if (element == 8)
            memcpy(&c->params.fill[i], (unsigned char *)a.array.data + at * element, element);
    }
    test_array_free(&a);
}

static void valid_range(const struct test_case *c, const unsigned char *raw, double *min,
                        double *max);

/* A bound on the mean error, of an array or of its range. */
static zt_bound random_mean(struct rng *r, double range)
{
    const uint32_t kind = (uint32_t)rng_below(r, 5);
    if (kind == 0)
        return zt_psnr(rng_once_in(r, 6) ? 400 * rng_unit(r) : 130 * rng_unit(r) + 0.01);
    const bool is_of_range = kind % 2 == 0; /* rmse-rel, mae-rel */
    const double value = random_abs(r, is_of_range ? 1 : range);
    return zt_bound_of((zt_bound_kind)(ZT_RMSE + kind - 1),
                       is_of_range && value > 10 ? 0.1 : value);
}

static bool has_targets; /* each case has a bound on the mean error */

/* A bound on the mean error in place of the bound or beside it, and limits that the values keep. */
static void random_targets(struct rng *r, struct test_case *c)
{
    static const double whole = 0x1p53;
    int64_t stride[ZT_MAX_RANK];
    double min, max;
    zt_params *const p = &c->params;
    contiguous_strides(c->rank, c->shape, stride);
    struct test_array a = test_array_new(c->type, c->rank, c->shape, stride);
    fill_array(&a.array, c->kind, c->seed);
    valid_range(c, a.array.data, &min, &max);
    test_array_free(&a);
    if (p->codec == ZT_CODEC_SZ && p->effort == ZT_EFFORT_HIGH && rng_once_in(r, 2))
        zt_params_set_sz(p, ZT_SZ_OWN, 0); /* what is the smallest */
    const double range = max / 4 - min / 4;
    const zt_bound mean = random_mean(r, isfinite(range) ? range : 1);
    const bool may_be_beside = p->bound.kind == ZT_ABS || p->bound.kind == ZT_REL;
    const bool is_due = has_targets && (!may_be_beside || rng_once_in(r, 3));
    if (p->codec != ZT_CODEC_NDZIP && (is_due || rng_once_in(r, 6)))
        p->bound = mean;
    else if (may_be_beside && p->codec != ZT_CODEC_NDZIP && (has_targets || rng_once_in(r, 4)))
        p->mean = mean;
    if (!rng_once_in(r, has_targets ? 2 : 4) || isnan(min) ||
        (c->type == ZT_I64 && fabs(min) + fabs(max) > whole))
        return;
    if (!rng_once_in(r, 3))
        p->within_lo = min;
    if (!rng_once_in(r, 3))
        p->within_hi = max;
}

static struct test_case random_case(uint64_t seed, uint64_t n)
{
    struct rng r = {mix64(seed, n)};
    struct test_case c;
    memset(&c, 0, sizeof c);
    zt_params_init(&c.params, sizeof c.params);
    c.seed = rng_next(&r);
    c.type = 1 + (uint32_t)rng_below(&r, 4);
    random_codec(&r, &c);
    random_shape(&r, &c);
    if (rng_once_in(&r, 2))
        random_strides(&r, c.rank, c.shape, c.stride);
    else
        contiguous_strides(c.rank, c.shape, c.stride);
    c.kind = (enum data_kind)rng_below(&r, DATA_KINDS);
    random_bound(&r, &c);
    if (rng_once_in(&r, 4))
        random_fills(&r, &c);
    zt_params_set_zfp_words(&c.params, 8u << rng_below(&r, 4));
    if (rng_once_in(&r, 2))
        c.params.slab_bytes = 1 + rng_below(&r, 8192);
    if (rng_once_in(&r, 4))
        c.params.name = "temperature";
    if (rng_once_in(&r, 4))
        c.params.units = "K";
    struct rng own = {mix64(seed ^ 0x7a, n)}; /* the draws above stay what they are */
    random_targets(&own, &c);
    return c;
}

static void print_case(const struct test_case *c)
{
    static const char *const bounds[] = {"lossless", "abs",      "rel",       "pwrel",
                                         "psnr",     "rate",     "precision", "expert",
                                         "rmse",     "rmse-rel", "mae",       "mae-rel"};
    char shape[96], stride[96];
    printf("%s, shape %s (slowest first), strides %s, data %s, %s %.17g, slabs of %llu bytes, "
           "%u-bit words, %u fill values, codec %u, effort %u, method and bins %llx",
           type_name(c->type), shape_text(c->rank, c->shape, shape),
           stride_text(c->rank, c->stride, stride), data_kind_name(c->kind),
           bounds[c->params.bound.kind], c->params.bound.value,
           (unsigned long long)c->params.slab_bytes, (uint32_t)c->params.codec_words[0],
           c->params.fills, c->params.codec, c->params.effort,
           (unsigned long long)c->params.codec_words[1]);
    if (c->params.mean.kind)
        printf(", and %s %.17g", bounds[c->params.mean.kind], c->params.mean.value);
    printf(", within %.17g to %.17g", c->params.within_lo, c->params.within_hi);
}

/* ---- what holds ---- */

static bool is_lossless(const struct test_case *c)
{
    uint32_t kind = c->params.bound.kind;
    return kind == ZT_LOSSLESS ||
           ((kind == ZT_ABS || kind == ZT_REL) && c->params.bound.value == 0);
}

/* Whether a value, given where it is, is none: not finite, or a fill value. */
static bool is_special(const struct test_case *c, const unsigned char *at)
{
    const bool is_wide = zt_type_bytes(c->type) == 8;
    uint64_t bits = 0;
    uint32_t low;
    memcpy(&low, at, sizeof low);
    if (is_wide)
        memcpy(&bits, at, sizeof bits);
    else
        bits = low;
    for (uint32_t i = 0; i < c->params.fills; i++)
        if (bits == c->params.fill[i])
            return true;
    return (c->type == ZT_F32 || c->type == ZT_F64) && !isfinite(number_at(c->type, at));
}

/* The least and the largest of an array's values that are some; NaN if there is none. */
static void valid_range(const struct test_case *c, const unsigned char *raw, double *min,
                        double *max)
{
    const size_t element = zt_type_bytes(c->type);
    const uint64_t n = values_of(c->rank, c->shape);
    *min = *max = NAN;
    for (uint64_t i = 0; i < n; i++) {
        const double v = number_at(c->type, raw + i * element);
        if (is_special(c, raw + i * element))
            continue;
        *min = *min < v ? *min : v;
        *max = *max > v ? *max : v;
    }
}

/* The same range as a sum of two doubles, exactly. */
static void exact_range(const struct test_case *c, const unsigned char *raw, double *sum,
                        double *rest)
{
    const size_t element = zt_type_bytes(c->type);
    const uint64_t n = values_of(c->rank, c->shape);
    if (c->type == ZT_F32 || c->type == ZT_F64) {
        double part, min, max;
        valid_range(c, raw, &min, &max);
        *sum = max - min;
        part = *sum - max;
        *rest = (max - (*sum - part)) + (-min - part);
        return;
    }
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (uint64_t i = 0; i < n; i++) {
        int32_t narrow;
        int64_t v;
        memcpy(&narrow, raw + i * element, sizeof narrow);
        v = narrow;
        if (element == sizeof v)
            memcpy(&v, raw + i * element, sizeof v);
        if (is_special(c, raw + i * element))
            continue;
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    uint64_t range = high < low ? 0 : (uint64_t)high - (uint64_t)low;
    *sum = (double)(range & ~UINT64_C(2047)); /* 53 bits and 11 bits: both exact */
    *rest = (double)(range & 2047);
}

static zt_bound mean_of(const zt_params *p)
{
    const bool is_alone = p->bound.kind == ZT_PSNR || p->bound.kind >= ZT_RMSE;
    return is_alone ? p->bound : p->mean;
}

/* bound <= value * range in arithmetic that is exact but for terms 2^-100 below. */
static bool is_no_more_than_asked(const struct trial *t, double bound, double value)
{
    double s, e;
    exact_range(t->c, t->raw, &s, &e);
    double p = value * s, f = fma(value, s, -p);
    if (!isfinite(p) || (p > 0 && p < 1e-280))
        return true; /* the terms below are not exact there */
    return bound - p <= f + value * e;
}

/* The absolute bound that must hold, NaN if none does. */
static bool find_bound(struct trial *t, double *bound)
{
    const struct test_case *c = t->c;
    *bound = NAN;
    if (is_lossless(c)) {
        *bound = 0;
    } else if (c->params.bound.kind == ZT_ABS) {
        *bound = c->params.bound.value;
        if (t->info.abs_bound != *bound)
            return fail(t, "the file says abs bound %.17g", t->info.abs_bound);
    } else if (c->params.bound.kind == ZT_REL) {
        double min, max;
        valid_range(c, t->raw, &min, &max);
        *bound = t->info.abs_bound;
        if (isnan(min))
            return *bound == 0 || fail(t, "rel of no value became abs %.17g", *bound);
        if (!(*bound >= 0) || !is_no_more_than_asked(t, *bound, c->params.bound.value))
            return fail(t, "rel %.17g of [%.17g, %.17g] became abs %.17g", c->params.bound.value,
                        min, max, *bound);
    }
    return true;
}

/* 10^(-decibel / 20) of the range is at least the root of the mean squared error; long doubles, and
 * nothing left out for rounding but theirs. */
static bool check_psnr(struct trial *t)
{
    const struct test_case *c = t->c;
    long double sum = 0;
    double min, max;
    uint64_t n = 0;
    valid_range(c, t->raw, &min, &max);
    if (c->type == ZT_I64 && fabs(max) + fabs(min) > 0x1p53) /* the range is rounded itself */
        return true;
    for (size_t at = 0; at < t->raw_bytes; at += t->element) {
        if (is_special(c, t->raw + at))
            continue;
        const long double d = (long double)number_at(c->type, t->raw + at) -
                              (long double)number_at(c->type, t->back + at);
        sum += d * d;
        n++;
    }
    const long double range = (long double)max - (long double)min;
    if (n == 0 || sum == 0)
        return !isnan(t->info.psnr) || fail(t, "no PSNR is noted");
    const double reached = (double)(-10 * log10l(sum / (long double)n / range / range));
    if (reached < mean_of(&c->params).value)
        return fail(t, "PSNR %.12g is below %.12g", reached, mean_of(&c->params).value);
    if (reached > 3000 && isfinite(reached) && t->info.psnr <= reached + 1e-6 &&
        t->info.psnr > 3000 - 1e-6) /* squares of such errors are less than doubles tell apart */
        return true;
    return fabs(t->info.psnr - reached) < 1e-6 ||
           fail(t, "PSNR %.12g is noted as %.12g", reached, t->info.psnr);
}

/* The root of the mean squared error, or the mean error, in long doubles. */
static bool check_mean(struct trial *t)
{
    const struct test_case *c = t->c;
    const zt_bound mean = mean_of(&c->params);
    const bool is_root = mean.kind == ZT_RMSE || mean.kind == ZT_RMSE_REL;
    const bool is_of_range = mean.kind == ZT_RMSE_REL || mean.kind == ZT_MAE_REL;
    long double sum = 0, most = (long double)mean.value;
    double min, max;
    uint64_t n = 0;
    valid_range(c, t->raw, &min, &max);
    if (c->type == ZT_I64 && fabs(max) + fabs(min) > 0x1p53)
        return true; /* the range and the values are rounded themselves */
    most *= is_of_range && !isnan(min) ? (long double)max - (long double)min : 1;
    for (size_t at = 0; at < t->raw_bytes; at += t->element) {
        if (is_special(c, t->raw + at))
            continue;
        const long double d = fabsl((long double)number_at(c->type, t->raw + at) -
                                    (long double)number_at(c->type, t->back + at));
        sum += is_root ? d * d : d;
        n++;
    }
    const long double reached = n == 0    ? 0
                                : is_root ? sqrtl(sum / (long double)n)
                                          : sum / (long double)n;
    const long double noted = (long double)t->info.mean_error *
                              (is_of_range && mean.value > 0 ? most / (long double)mean.value : 1);
    if (reached > most * (1 + 1e-12L))
        return fail(t, "the mean error %.12g is above %.12g", (double)reached, (double)most);
    if (is_of_range && mean.value > 0 && (mean.value < 0x1p-1000 || most >= 0x1p1020L))
        return true; /* what is noted has few bits, or is not told */
    /* errors far below what was asked for are told too large */
    return fabsl(noted - reached) <= 1e-6L * reached + 1e-100L * most ||
           fail(t, "the mean error %.12g is noted as %.12g", (double)reached, (double)noted);
}

static bool check_targets(struct trial *t)
{
    const zt_params *const p = &t->c->params;
    const uint32_t kind = mean_of(p).kind;
    for (size_t at = 0; at < t->raw_bytes; at += t->element) {
        const double v = number_at(t->c->type, t->back + at);
        if (!is_special(t->c, t->raw + at) && (v < p->within_lo || v > p->within_hi))
            return fail(t, "element %zu is %.17g, not within the limits", at / t->element, v);
    }
    return kind == ZT_LOSSLESS || (kind == ZT_PSNR ? check_psnr(t) : check_mean(t));
}

static bool check_info(struct trial *t)
{
    const struct test_case *c = t->c;
    zt_info_init(&t->info, sizeof t->info);
    if (zt_inspect(t->context, t->file, t->bytes, &t->info) != ZT_OK)
        return fail(t, "zt_inspect: %s", zt_context_error(t->context));
    if (t->info.type != c->type || t->info.rank != c->rank ||
        memcmp(t->info.shape, c->shape, c->rank * sizeof *c->shape) != 0)
        return fail(t, "zt_inspect gives another array");
    if (t->info.raw_bytes != t->raw_bytes || t->info.file_bytes != t->bytes)
        return fail(t, "zt_inspect gives %llu raw bytes and %llu of the file",
                    (unsigned long long)t->info.raw_bytes, (unsigned long long)t->info.file_bytes);
    if (strcmp(t->info.name, c->params.name ? c->params.name : "") != 0 ||
        strcmp(t->info.units, c->params.units ? c->params.units : "") != 0)
        return fail(t, "name '%s' and units '%s' came back", t->info.name, t->info.units);
    return true;
}

static bool check_values(struct trial *t)
{
    const struct test_case *c = t->c;
    double bound;
    struct test_array out = test_array_new(c->type, c->rank, c->shape, c->stride);
    bool ok = zt_decompress(t->context, t->file, t->bytes, &out.array) == ZT_OK ||
              fail(t, "zt_decompress: %s", zt_context_error(t->context));
    ok = ok && (gaps_are_untouched(&out) || fail(t, "decoding wrote between the elements"));
    gather(&out.array, t->back);
    test_array_free(&out);
    if (!ok || !find_bound(t, &bound))
        return false;
    if (is_lossless(c) && memcmp(t->raw, t->back, t->raw_bytes) != 0)
        return fail(t, "lossless, and other bits came back");
    for (size_t at = 0; at < t->raw_bytes; at += t->element) {
        const bool is_kept = is_special(c, t->raw + at);
        if (is_kept && memcmp(t->raw + at, t->back + at, t->element) != 0)
            return fail(t, "element %zu is no value and has other bits", at / t->element);
        if (!is_kept && !isnan(bound) &&
            !is_within_exactly(c->type, t->raw + at, t->back + at, bound))
            return fail(t, "element %zu is beyond the bound %.17g", at / t->element, bound);
        if (!is_kept && c->params.bound.kind == ZT_PWREL &&
            !is_within_part_exactly(c->type, t->raw + at, t->back + at, c->params.bound.value))
            return fail(t, "element %zu is off by more than %.17g of itself", at / t->element,
                        c->params.bound.value);
    }
    return check_targets(t);
}

static bool check_box(struct trial *t)
{
    const struct test_case *c = t->c;
    zt_box box;
    uint64_t shape[ZT_MAX_RANK];
    int64_t stride[ZT_MAX_RANK];
    memset(&box, 0, sizeof box);
    for (uint32_t i = 0; i < c->rank; i++) {
        box.lo[i] = rng_below(&t->rng, c->shape[i]);
        box.hi[i] = box.lo[i] + 1 + rng_below(&t->rng, c->shape[i] - box.lo[i]);
        shape[i] = box.hi[i] - box.lo[i];
    }
    random_strides(&t->rng, c->rank, shape, stride);
    struct test_array out = test_array_new(c->type, c->rank, shape, stride);
    bool ok = zt_decompress_box(t->context, t->file, t->bytes, &box, &out.array) == ZT_OK ||
              fail(t, "zt_decompress_box: %s", zt_context_error(t->context));
    ok = ok && (gaps_are_untouched(&out) || fail(t, "a box wrote between its elements"));

    zt_array whole = zt_array_nd(t->back, (zt_type)c->type, c->rank, c->shape);
    zt_array part = zt_array_nd(t->back, (zt_type)c->type, c->rank, shape);
    uint64_t first = 0;
    for (uint32_t i = 0; i < c->rank; i++) {
        part.stride[i] = whole.stride[i];
        first += box.lo[i] * (uint64_t)whole.stride[i];
    }
    part.data = t->back + first * t->element;
    size_t bytes = values_of(c->rank, shape) * t->element;
    unsigned char *wanted = need(bytes), *got = need(bytes);
    gather(&part, wanted);
    gather(&out.array, got);
    if (ok && memcmp(wanted, got, bytes) != 0)
        ok = fail(t, "a box from %llu.. of axis 0 is not the slice", (unsigned long long)box.lo[0]);
    free(wanted);
    free(got);
    test_array_free(&out);
    return ok;
}

/* ---- writer and reader ---- */

/* Slabs of any thickness, to a sink or to a store, give the bytes of zt_compress. */
static bool check_writer(struct trial *t)
{
    const struct test_case *c = t->c;
    /* samples of an array that is put slab by slab, or with a range that was given, are others */
    if (c->params.plan != ZT_PLAN_OFF)
        return true;
    struct memory m = {need(STORE_TIMES * t->capacity), 0, STORE_TIMES * t->capacity, 0};
    zt_sink sink = {.write = append, .user = &m};
    random_policy(&t->rng, t->context);
    zt_params params = c->params;
    const uint32_t kind = mean_of(&params).kind;
    if (params.bound.kind == ZT_REL || kind == ZT_PSNR || kind == ZT_RMSE_REL ||
        kind == ZT_MAE_REL) {
        valid_range(c, t->raw, &params.range_lo, &params.range_hi);
        if (isnan(params.range_lo))
            params.range_lo = params.range_hi = 0;
    }
    zt_writer *w = NULL;
    const zt_store store = {.write = write_at, .read = read_at, .cut = cut, .user = &m};
    zt_status s = rng_below(&t->rng, 2)
                      ? zt_writer_open(t->context, &sink, &t->in.array, &params, &w)
                      : zt_writer_open_store(t->context, &store, &t->in.array, &params, &w);
    for (uint64_t done = 0, n; s == ZT_OK && done < c->shape[0]; done += n) {
        n = 1 + rng_below(&t->rng, c->shape[0] - done);
        zt_array slab = t->in.array;
        slab.shape[0] = n;
        slab.data =
            (unsigned char *)slab.data + (int64_t)done * slab.stride[0] * (int64_t)t->element;
        s = zt_writer_put(w, &slab);
    }
    if (s == ZT_OK)
        s = zt_writer_close(w);
    zt_writer_free(w);
    bool ok = s == ZT_OK || fail(t, "the writer: %s", zt_context_error(t->context));
    if (ok && (m.bytes != t->bytes || memcmp(m.data, t->file, t->bytes) != 0))
        ok = fail(t, "the writer gives other bytes than zt_compress");
    free(m.data);
    return ok;
}

/* Frame by frame from a pipe gives the values of zt_decompress. */
static bool check_reader(struct trial *t)
{
    const struct test_case *c = t->c;
    struct memory m = {t->file, t->bytes, t->bytes, 0};
    zt_source source = {take, &m, ZT_UNKNOWN, {0, 0}};
    unsigned char *out = need(t->raw_bytes);
    size_t slice_bytes = t->raw_bytes / (size_t)c->shape[0];
    uint64_t first = 0, extent = 1, wanted = 0;
    zt_reader *r = NULL;
    zt_status s = zt_reader_open(t->context, &source, &r);
    bool is_in_order = true;
    while (s == ZT_OK && extent && is_in_order) {
        s = zt_reader_next(r, &first, &extent);
        if (s != ZT_OK || !extent)
            break;
        is_in_order = first == wanted && extent <= c->shape[0] - first;
        if (!is_in_order)
            break;
        wanted = first + extent;
        zt_array slab = zt_array_nd(out + first * slice_bytes, (zt_type)c->type, c->rank, c->shape);
        slab.shape[0] = extent;
        s = zt_reader_read(r, &slab);
    }
    zt_reader_close(r);
    bool ok = s == ZT_OK || fail(t, "the reader: %s", zt_context_error(t->context));
    if (ok && (!is_in_order || wanted != c->shape[0]))
        ok = fail(t, "the frames are not in order or not all there");
    if (ok && memcmp(out, t->back, t->raw_bytes) != 0)
        ok = fail(t, "the reader gives other values than zt_decompress");
    free(out);
    return ok;
}

/* ---- damage ---- */

/* A cut or changed file gives an error, or the same array (padding may change). */
static bool check_damage(struct trial *t)
{
    const struct test_case *c = t->c;
    for (int i = 0; i < 4; i++) {
        size_t bytes = t->bytes, at = (size_t)rng_below(&t->rng, bytes);
        bool is_cut = rng_once_in(&t->rng, 3);
        if (is_cut)
            bytes = at;
        unsigned char *copy = need(bytes); /* of exactly these bytes, for AddressSanitizer */
        memcpy(copy, t->file, bytes);
        if (!is_cut)
            copy[at] ^= (unsigned char)(1u << rng_below(&t->rng, 8));
        struct test_array out = test_array_new(c->type, c->rank, c->shape, c->stride);
        zt_status s = zt_decompress(t->context, copy, bytes, &out.array);
        unsigned char *got = need(t->raw_bytes);
        gather(&out.array, got);
        bool is_same = memcmp(got, t->back, t->raw_bytes) == 0;
        const char *sentence = zt_context_error(t->context);
        bool ok = s == ZT_OK ? is_same : sentence[0] != 0;
        free(got);
        test_array_free(&out);
        free(copy);
        if (ok)
            continue;
        return fail(t, "%s at byte %zu of %zu: %s", is_cut ? "cut" : "a bit changed", at, t->bytes,
                    s == ZT_OK ? "other values and no error" : "an error without a sentence");
    }
    return true;
}

/* ---- the command ---- */

static const char *ztile, *command_folder; /* NULL: it is not asked */
static uint64_t through_command;

static bool check_command(struct trial *t)
{
    const struct test_case *c = t->c;
    const struct command_case cc = {.ztile = ztile,
                                    .folder = command_folder,
                                    .params = &c->params,
                                    .type = c->type,
                                    .rank = c->rank,
                                    .shape = c->shape,
                                    .raw = t->raw,
                                    .file = t->file,
                                    .back = t->back,
                                    .raw_bytes = t->raw_bytes,
                                    .bytes = t->bytes};
    char why[256] = "";
    if (!command_can(&c->params, c->type))
        return true;
    through_command++;
    return command_agrees(&cc, why) || fail(t, "%s", why);
}

/* ---- a case ---- */

static bool compress(struct trial *t)
{
    const struct test_case *c = t->c;
    zt_status s = zt_compress_bound(t->context, &t->in.array, &c->params, &t->capacity);
    if (s != ZT_OK)
        return fail(t, "zt_compress_bound: %s", zt_context_error(t->context));
    t->file = need(t->capacity);
    s = zt_compress(t->context, &t->in.array, &c->params, t->file, t->capacity, &t->bytes);
    if (s != ZT_OK)
        return fail(t, "zt_compress: %s", zt_context_error(t->context));
    return t->bytes <= t->capacity || fail(t, "more bytes than zt_compress_bound says");
}

static bool run_case(const struct test_case *c, zt_context *context, char *why)
{
    struct trial t = {.c = c, .context = context, .rng = {c->seed ^ 1}};
    random_policy(&t.rng, context); /* the writer chooses again */
    t.in = test_array_new(c->type, c->rank, c->shape, c->stride);
    fill_array(&t.in.array, c->kind, c->seed);
    t.element = zt_type_bytes(c->type);
    t.raw_bytes = values_of(c->rank, c->shape) * t.element;
    t.raw = need(t.raw_bytes);
    t.back = need(t.raw_bytes);
    gather(&t.in.array, t.raw);
    bool ok =
        compress(&t) && check_info(&t) && check_values(&t) && check_box(&t) &&
        (ztile ? check_command(&t) : check_writer(&t) && check_reader(&t) && check_damage(&t));
    if (!ok)
        memcpy(why, t.why, sizeof t.why);
    free(t.raw);
    free(t.back);
    free(t.file);
    test_array_free(&t.in);
    return ok;
}

/* Make a failing case smaller: contiguous, and each extent 1, half, one less. */
static void shrink(struct test_case *c, zt_context *context, char *why)
{
    bool is_smaller = true;
    for (int rounds = 0; is_smaller && rounds < 60; rounds++) {
        is_smaller = false;
        for (uint32_t axis = 0; axis < c->rank && !is_smaller; axis++) {
            const uint64_t extents[] = {1, c->shape[axis] / 2, c->shape[axis] - 1};
            for (int i = 0; i < 3 && !is_smaller; i++) {
                struct test_case smaller = *c;
                smaller.shape[axis] = extents[i];
                contiguous_strides(c->rank, smaller.shape, smaller.stride);
                if (extents[i] == 0 || extents[i] == c->shape[axis] ||
                    run_case(&smaller, context, why))
                    continue;
                *c = smaller;
                is_smaller = true;
            }
        }
    }
}

int main(int argc, char **argv)
{
    struct case_range range = {seed_of_today(), 0, 4000};
    unsigned failures = 0;
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--command") == 0)
            ztile = argv[i + 1];
        else if (strcmp(argv[i], "--folder") == 0)
            command_folder = argv[i + 1];
        else if (strcmp(argv[i], "--targets") == 0)
            has_targets = strtoull(argv[i + 1], NULL, 10) > 0;
        else
            (void)take_case_option(argv[i], argv[i + 1], &range);
    const uint64_t seed = range.seed, first = range.first, cases = range.cases;
    zt_context *context;
    if (zt_context_new(NULL, &context) != ZT_OK)
        return 1;
    printf("seed %llu, cases %llu to %llu\n", (unsigned long long)seed, (unsigned long long)first,
           (unsigned long long)cases);
    fflush(stdout);
    for (uint64_t n = first; n < cases && failures < 5; n++) {
        struct test_case c = random_case(seed, n);
        if (ztile) { /* it names arrays after their files, and has other samples to plan by */
            c.params.name = c.params.units = NULL;
            c.params.plan = ZT_PLAN_OFF;
        }
        char why[512];
        if (run_case(&c, context, why))
            continue;
        failures++;
        printf("case %llu of seed %llu fails: %s\n  ", (unsigned long long)n,
               (unsigned long long)seed, why);
        print_case(&c);
        struct test_case small = c;
        shrink(&small, context, why);
        printf("\n  smaller: %s\n  ", why);
        print_case(&small);
        printf("\n");
        fflush(stdout);
    }
    if (ztile)
        printf("%llu cases through the command\n", (unsigned long long)through_command);
    printf("%u failures\n", failures);
    zt_context_free(context);
    return failures ? 1 : 0;
}
