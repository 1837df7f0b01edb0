/* errors.c: sentences and exit statuses. */
#include "util/errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool fail(struct ztio_error *error, int exit_status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(error->sentence, sizeof error->sentence, format, args);
    va_end(args);
    error->exit_status = exit_status;
    return false;
}

static int exit_of(zt_status status)
{
    switch (status) {
    case ZT_OK: return 0;
    case ZT_BAD_ARG: return ZTIO_BAD_USE;
    case ZT_CORRUPT:
    case ZT_NONFINITE: return ZTIO_BAD_DATA;
    case ZT_IO: return ZTIO_IO_ERROR;
    case ZT_UNSUPPORTED:
    case ZT_NO_MEMORY:
    case ZT_NO_SPACE:
    case ZT_CANCELLED: return ZTIO_LACKING;
    }
    return ZTIO_LACKING;
}

bool fail_zt(struct ztio_error *error, const zt_context *context, zt_status status,
             const char *place)
{
    const char *sentence = zt_context_error(context);
    return fail(error, exit_of(status), "%s: %s", place,
                sentence[0] ? sentence : zt_strerror(status));
}

const char *input_name(const char *place)
{
    return strcmp(place, "-") == 0 ? "standard input" : place;
}

const char *output_name(const char *place)
{
    return strcmp(place, "-") == 0 ? "standard output" : place;
}

void print_error(struct ztio_error *error)
{
    char text[4 * sizeof error->sentence + 1];
    escape_text(error->sentence, text, sizeof text);
    (void)fprintf(stderr, "ztile: %s\n", text);
}
