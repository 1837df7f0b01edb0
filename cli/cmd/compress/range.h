/* range.h: the range of an array that can be read twice, and how many values are not finite. */
#ifndef ZTI_CMD_COMPRESS_RANGE_H
#define ZTI_CMD_COMPRESS_RANGE_H

#include "cmd/compress/job.h"

/* Measure the range where the bound is relative and the options do not say it. */
bool measure_range(struct compress_job *job, struct ztio_error *error);

/* The sentence for NaN and infinities, with their count over the whole array where it can be
 * taken. */
bool fail_nonfinite(struct compress_job *job, zt_status status, struct ztio_error *error);

#endif
