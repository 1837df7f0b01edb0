/* end_to_end.h: ztile bench --end-to-end: whole commands, from file to file. */
#ifndef ZTI_BENCH_END_TO_END_H
#define ZTI_BENCH_END_TO_END_H

#include "util/options.h"

bool run_bench_end_to_end(const struct options *options, struct ztio_error *error);

#endif
