/* errors.h: sentences and exit statuses.
 *
 * A function that can fail returns false and fills a ztio_error: one sentence that names the file
 * and the fix, and the exit status. main prints it; nothing else exits or prints errors. */
#ifndef ZTI_UTIL_ERRORS_H
#define ZTI_UTIL_ERRORS_H

#include "io.h"
#include "util/print.h"
#include "ztile.h"

/* Exit status of compare, beside those of io.h. */
enum { CLI_BOUND_BROKEN = 4 };

/* Fill error and return false. */
bool fail(struct ztio_error *error, int exit_status, const char *format, ...) CLI_PRINTF(3, 4);

/* The same from what a library call returned: "place: sentence of the context". */
bool fail_zt(struct ztio_error *error, const zt_context *context, zt_status status,
             const char *place);

/* On standard error, in one line whatever a file is called. It takes no memory, of which there may
 * be none. */
void print_error(struct ztio_error *error);

/* What a place is called in messages: standard input or output for "-". */
const char *input_name(const char *place);
const char *output_name(const char *place);

#endif
