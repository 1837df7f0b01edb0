/* later.h: options that the design has and this version has not: each is refused
 * with one sentence that says what to use instead. */
#ifndef LATER_H
#define LATER_H

#include "io.h"

enum { LATER_OPTIONS = 1 };

struct later_rule {
    const char *name;
    const char *values; /* what a sensible value is, see later.c; NULL: takes none */
    unsigned commands;
    const char *instead;
};

extern const struct later_rule later_rules[LATER_OPTIONS];

/* True for the one value that means "do without it" (--plan off); else false: ZTIO_LACKING, or
 * ZTIO_BAD_USE for a value that no version takes. */
bool later_option(int rule, const char *argument, struct ztio_error *error);

#endif
