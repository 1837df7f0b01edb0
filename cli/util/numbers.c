/* numbers.c: text to numbers and back, sizes of arrays. */
#include "util/numbers.h"
#include "ztile_zfp.h"
#include "ztile_sz.h"

#include "util/errors.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The whole text as a number. *is_beyond: it is too large for a double, or too close to 0. */
static bool parse_double(const char *text, double *value, bool *is_beyond)
{
    char *end;
    if (isspace((unsigned char)text[0]))
        return false;
    errno = 0;
    *value = strtod(text, &end);
    *is_beyond = errno == ERANGE && (*value == 0 || isinf(*value));
    return end != text && *end == '\0';
}

bool parse_number(const char *text, double *value)
{
    bool is_beyond;
    return parse_double(text, value, &is_beyond) && isfinite(*value) && !is_beyond;
}

bool is_beyond_double(const char *text)
{
    double value;
    bool is_beyond;
    return parse_double(text, &value, &is_beyond) && is_beyond;
}

/* Decimal digits at *text; moves *text past them. */
static bool take_count(const char **text, uint64_t *value)
{
    const char *p = *text;
    uint64_t v = 0;
    for (; isdigit((unsigned char)*p); p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (v > (UINT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    if (p == *text)
        return false;
    *text = p;
    *value = v;
    return true;
}

bool parse_count(const char *text, uint64_t *value)
{
    return take_count(&text, value) && *text == '\0';
}

bool parse_bytes(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    uint64_t value;
    if (!take_count(&text, &value))
        return false;
    if (*text) {
        const char *unit = strchr(units, toupper((unsigned char)*text));
        if (!unit)
            return false;
        unsigned shift = 10u * (unsigned)(unit - units + 1);
        if (value > UINT64_MAX >> shift)
            return false;
        value <<= shift;
        text++;
        if (strcmp(text, "iB") == 0)
            text += 2;
    }
    *bytes = value;
    return *text == '\0';
}

/* "lo:hi", "lo:", ":hi", ":" or "k", up to a comma or the end; moves *text past it. */
static bool take_span(const char **text, uint64_t extent, uint64_t *lo, uint64_t *hi)
{
    bool has_lo = take_count(text, lo);
    if (!has_lo)
        *lo = 0;
    if (**text == ':') {
        (*text)++;
        if (!take_count(text, hi))
            *hi = extent;
    } else if (has_lo && *lo < UINT64_MAX) {
        *hi = *lo + 1;
    } else {
        return false;
    }
    return **text == ',' || **text == '\0';
}

bool parse_box(const char *text, uint32_t rank, const uint64_t *shape, const char *place,
               zt_box *box, struct ztio_error *error)
{
    char shape_text[CLI_TEXT_BYTES];
    const char *p = text;
    ztio_format_shape(rank, shape, shape_text);
    memset(box, 0, sizeof *box);
    for (uint32_t i = 0; i < rank; i++) {
        if (!take_span(&p, shape[i], &box->lo[i], &box->hi[i]) || (*p == ',') != (i + 1 < rank))
            return fail(error, ZTIO_BAD_USE,
                        "%s: '%s' is no box of an array of shape %s (slowest first); write one "
                        "LO:HI for each axis, such as 0:10,5:20,:",
                        place, text, shape_text);
        if (box->lo[i] >= box->hi[i] || box->hi[i] > shape[i])
            return fail(error, ZTIO_BAD_USE,
                        "%s: the box '%s' leaves the array or is empty on axis %u; its shape is "
                        "%s (slowest first)",
                        place, text, (unsigned)i, shape_text);
        p += *p == ',';
    }
    return true;
}

char *format_size(double bytes, char *text)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    unsigned u = 0;
    while (bytes >= 999.5 && u + 1 < sizeof units / sizeof *units) {
        bytes /= 1000;
        u++;
    }
    int digits = u == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
    (void)snprintf(text, CLI_TEXT_BYTES, "%.*f %s", digits, bytes, units[u]);
    return text;
}

char *format_ratio(double ratio, char *text)
{
    const int digits = ratio >= 999.95 ? 0 : ratio >= 99.995 ? 1 : 2;
    if (ratio >= 9999.5)
        (void)snprintf(text, CLI_TEXT_BYTES, "above 9999");
    else
        (void)snprintf(text, CLI_TEXT_BYTES, "%.*f", digits, ratio);
    return text;
}

char *format_speed(double bytes, double seconds, char *text)
{
    static const double least_bytes = 1e6;
    char speed[CLI_TEXT_BYTES];
    text[0] = '\0';
    if (bytes >= least_bytes && seconds > 0)
        (void)snprintf(text, CLI_TEXT_BYTES, ", %.90s/s", format_size(bytes / seconds, speed));
    return text;
}

char *format_exact(double value, char *text)
{
    for (int digits = 6; digits <= 17; digits++) {
        (void)snprintf(text, CLI_TEXT_BYTES, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

const char *name_of_bound(uint32_t kind)
{
    static const char *const names[] = {"lossless", "abs",      "rel",       "pwrel",
                                        "psnr",     "rate",     "precision", "expert",
                                        "rmse",     "rmse-rel", "mae",       "mae-rel"};
    return kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

const char *name_of_codec(uint32_t codec)
{
    static const char *const names[] = {"auto", "zfp", "ndzip", "sz"};
    return codec < sizeof names / sizeof *names ? names[codec] : "unknown";
}

const char *name_of_method(uint32_t method)
{
    return method == ZT_SZ_CUSZ         ? "cusz"
           : method == ZT_SZ_TRANSFORM  ? "transform"
           : method == ZT_SZ_PREDICTION ? "prediction"
           : method == ZT_SZ_MULTIPLES  ? "multiples"
                                        : "default";
}

const char *name_of_effort(uint32_t effort)
{
    static const char *const names[] = {"unknown", "fast", "default", "high"};
    return effort < sizeof names / sizeof *names ? names[effort] : "unknown";
}

const char *name_of_index(uint32_t index)
{
    static const char *const names[] = {"none",   "none",    "offsets", "lengths",
                                        "hybrid", "compact", "stream"};
    return index < sizeof names / sizeof *names ? names[index] : "unknown";
}

bool is_mean_bound(uint32_t kind)
{
    return kind == ZT_PSNR || (kind >= ZT_RMSE && kind <= ZT_MAE_REL);
}

static bool is_kind_of_range(uint32_t kind)
{
    return kind == ZT_REL || kind == ZT_PSNR || kind == ZT_RMSE_REL || kind == ZT_MAE_REL;
}

bool is_of_range(const zt_params *p)
{
    return is_kind_of_range(p->bound.kind) || is_kind_of_range(p->mean.kind);
}

char *format_bounds(const zt_bound *bound, const zt_bound *mean, char *text)
{
    char beside[CLI_TEXT_BYTES];
    (void)format_bound(bound, text);
    if (mean->kind != ZT_LOSSLESS && !is_mean_bound(bound->kind)) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, CLI_TEXT_BYTES - used, " and %.60s",
                       format_bound(mean, beside));
    }
    return text;
}

char *format_mean_error(const zt_bound *mean, double reached, char *text)
{
    if (mean->kind == ZT_PSNR && !isfinite(reached))
        (void)snprintf(text, CLI_TEXT_BYTES, "no error");
    else if (mean->kind == ZT_PSNR)
        (void)snprintf(text, CLI_TEXT_BYTES, "%.2f dB", reached);
    else
        (void)snprintf(text, CLI_TEXT_BYTES, "%.4g", reached);
    return text;
}

char *format_bound(const zt_bound *bound, char *text)
{
    const char *name = name_of_bound(bound->kind);
    if (bound->kind == ZT_LOSSLESS)
        (void)snprintf(text, CLI_TEXT_BYTES, "%s", name);
    else if (bound->kind == ZT_EXPERT)
        (void)snprintf(text, CLI_TEXT_BYTES, "%s %u,%u,%u,%d", name, (uint32_t)bound->words[0],
                       (uint32_t)(bound->words[0] >> 32), (uint32_t)bound->words[1],
                       (int32_t)(uint32_t)(bound->words[1] >> 32));
    else
        (void)snprintf(text, CLI_TEXT_BYTES, "%s %.6g%s", name, bound->value,
                       bound->flags & ZT_RATE_ALIGN ? " aligned" : "");
    return text;
}

static bool multiply(uint64_t a, uint64_t b, uint64_t *out)
{
    *out = a * b;
    return a == 0 || *out / a == b;
}

bool count_values(uint32_t rank, const uint64_t *shape, uint64_t *values)
{
    *values = 1;
    for (uint32_t i = 0; i < rank; i++)
        if (shape[i] == ZT_UNKNOWN || !multiply(*values, shape[i], values))
            return false;
    return true;
}

bool count_bytes(uint32_t type, uint32_t rank, const uint64_t *shape, uint64_t *bytes)
{
    uint64_t values;
    return count_values(rank, shape, &values) && multiply(values, zt_type_bytes(type), bytes);
}

bool count_slice_bytes(uint32_t type, uint32_t rank, const uint64_t *shape, uint64_t *bytes)
{
    return count_bytes(type, rank - 1, shape + 1, bytes);
}

bool has_suffix(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n > m && strcmp(text + n - m, suffix) == 0;
}

double now_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
