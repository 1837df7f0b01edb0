/* each.h: compress and decompress of any number of files and directories. */
#ifndef ZTI_CMD_EACH_H
#define ZTI_CMD_EACH_H

#include "util/options.h"

/* Call run with options of one operand for each input, and remove inputs if --rm was given. Of
 * several, one that fails is reported, and the others are run. */
bool run_each(const struct options *options,
              bool (*run)(const struct options *options, struct ztio_error *error),
              struct ztio_error *error);

#endif
