/* later.c: options that the design has and this version has not. */
#include "later.h"
#include "cli.h"

#include <string.h>

/* values is "number" or words apart by spaces. The words before '|' are accepted: they
 * ask for what there is. */
const struct later_rule later_rules[LATER_OPTIONS] = {
    {"link", "number", CMD_BENCH, "leave it out"},
};

/* Look argument up in values. *is_here: it stands before '|'. */
static bool is_listed(const char *values, const char *argument, bool *is_here)
{
    *is_here = strchr(values, '|') != NULL;
    for (const char *word = values; *word;) {
        size_t n = strcspn(word, " ");
        if (n == 1 && word[0] == '|') {
            *is_here = false;
        } else if (strlen(argument) == n && memcmp(argument, word, n) == 0) {
            return true;
        }
        word += n;
        word += strspn(word, " ");
    }
    return false;
}

bool later_option(int rule, const char *argument, struct ztio_error *error)
{
    const struct later_rule *r = &later_rules[rule];
    bool is_here = false, is_sane;
    double number;
    if (!r->values)
        is_sane = true;
    else if (strcmp(r->values, "number") == 0)
        is_sane = parse_number(argument, &number);
    else
        is_sane = is_listed(r->values, argument, &is_here);
    if (!is_sane)
        return fail(error, ZTIO_BAD_USE, "--%s: '%s' is no value for it; %s", r->name, argument,
                    r->instead);
    if (is_here)
        return true;
    return fail(error, ZTIO_LACKING, "--%s%s%s is not in this version; %s", r->name,
                r->values ? " " : "", r->values ? argument : "", r->instead);
}
