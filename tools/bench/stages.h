/* stages.h: ztile bench --stages: where a codec's time goes. */
#ifndef ZTI_BENCH_STAGES_H
#define ZTI_BENCH_STAGES_H

#include "util/options.h"

bool run_bench_stages(const struct options *options, struct ztio_error *error);

#endif
