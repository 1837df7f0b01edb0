/* fill_check.c: fill values that nobody declared: found in what is compressed, and told. The range
 * that a bound is a part of would be the fill value's, and all others be lost within the bound. */
#include "cmd/compress/fill_check.h"

#include "cmd/compress/far_values.h"
#include "util/errors.h"
#include "util/numbers.h"

#include <inttypes.h>
#include <stdlib.h>

bool far_open(struct compress_job *job, struct ztio_error *error)
{
    const zt_bound *bound = &job->params.bound;
    const bool is_lossless =
        bound->kind == ZT_LOSSLESS ||
        ((bound->kind == ZT_ABS || bound->kind == ZT_REL || bound->kind == ZT_PWREL) &&
         bound->value == 0);
    if (is_lossless || job->options->no_fill || job->far || job->has_far)
        return true;
    job->far = malloc(sizeof *job->far);
    if (!job->far)
        return fail(error, ZTIO_LACKING, "%s: no memory; free some", input_name(job->place));
    const uint64_t slices = job->meta->shape[0];
    far_begin(job->far, job->params.fills, job->params.fill,
              slices == ZT_UNKNOWN ? slices
                                   : slices * (job->slice_bytes / zt_type_bytes(job->meta->type)));
    return true;
}

void far_free(struct compress_job *job)
{
    free(job->far);
    job->far = NULL;
}

/* The shortest text that is the value, of a float the float. */
static const char *format_value(uint32_t type, double v, char *text)
{
    for (int digits = 1; digits <= 17; digits++) {
        (void)snprintf(text, CLI_TEXT_BYTES, "%.*g", digits, v);
        const double back = strtod(text, NULL);
        if (back == v || (type == ZT_F32 && (float)back == (float)v))
            break;
    }
    return text;
}

/* "1e+20 (344091 times) is farther ...; add --fill 1e+20 ...", into text; false: there is none. */
static bool describe(struct compress_job *job, char *text, size_t room)
{
    struct far_value found[ZT_MAX_FILLS];
    const uint32_t n = job->far ? far_find(job->far, found) : 0;
    const uint32_t type = job->meta->type;
    char value[CLI_TEXT_BYTES];
    size_t used = 0;
    far_free(job);
    job->has_far = true;
    for (uint32_t i = 0; i < n && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%s (%" PRIu64 " times)",
                                 i > 0 ? ", " : "", format_value(type, found[i].value, value),
                                 found[i].count);
    if (n > 0 && used < room)
        used += (size_t)snprintf(text + used, room - used,
                                 " %s farther from the other values than 10 times their range; ",
                                 n > 1 ? "are" : "is");
    if (n > 0 && used < room)
        used += (size_t)snprintf(text + used, room - used,
                                 job->format == FORMAT_ZFP ? "write a .zt file with" : "add");
    for (uint32_t i = 0; i < n && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, " --fill %s",
                                 format_value(type, found[i].value, value));
    if (n > 0 && used < room)
        (void)snprintf(text + used, room - used, " if there is no value there, or say --no-fill");
    return n > 0;
}

void far_warn(struct compress_job *job)
{
    char text[1024];
    if (describe(job, text, sizeof text) && !job->options->quiet)
        print(stderr, "ztile: warning: %s: %s\n", input_name(job->place), text);
}

bool far_refuse(struct compress_job *job, struct ztio_error *error)
{
    char text[1024];
    return !describe(job, text, sizeof text) ||
           fail(error, ZTIO_BAD_USE, "%s: --%s is of the range, but %s", input_name(job->place),
                name_of_bound(job->params.bound.kind), text);
}

bool far_check(struct compress_job *job, const zt_array *array, struct ztio_error *error)
{
    if (!far_open(job, error))
        return false;
    const zt_status status = job->far ? far_take(job->far, job->context, array, 0, NULL) : ZT_OK;
    if (status != ZT_OK)
        return fail_zt(error, job->context, status, input_name(job->place));
    far_warn(job);
    return true;
}
