/* salvage.h: reading the intact parts of a damaged .zt file. */
#ifndef ZTI_CMD_SALVAGE_H
#define ZTI_CMD_SALVAGE_H

#include "util/options.h"

bool run_salvage(const struct options *options, const char *out, struct ztio_error *error);

/* For info --check, of a .zt file that was found to be damaged: list what is, and put the outcome
 * in place of the error; which stays what it is where there is nothing to list. Returns false. */
bool list_damage(const struct options *options, struct ztio_error *error);

#endif
