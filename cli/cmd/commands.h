/* commands.h: the subcommands, each in a file of its name. */
#ifndef ZTI_CMD_COMMANDS_H
#define ZTI_CMD_COMMANDS_H

#include "util/options.h"

bool run_compress(const struct options *options, struct ztio_error *error);
bool run_decompress(const struct options *options, struct ztio_error *error);
bool run_info(const struct options *options, struct ztio_error *error);
bool run_compare(const struct options *options, struct ztio_error *error);
bool run_plot(const struct options *options, struct ztio_error *error);
bool run_demo(const struct options *options, struct ztio_error *error);
bool run_bench(const struct options *options, struct ztio_error *error);
bool run_index(const struct options *options, struct ztio_error *error);
bool run_entropy(const struct options *options, struct ztio_error *error);
bool run_plan(const struct options *options, struct ztio_error *error);

#endif
