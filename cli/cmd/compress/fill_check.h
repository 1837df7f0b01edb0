/* fill_check.h: fill values that nobody declared: found in what is compressed, and told. */
#ifndef ZTI_CMD_COMPRESS_FILL_CHECK_H
#define ZTI_CMD_COMPRESS_FILL_CHECK_H

#include "cmd/compress/job.h"
#include "ztile_quality.h"

/* Look for fill values that nobody declared, where the bound is lossy and the options leave that
 * open: begin (nothing where it was done before), take slabs (scan.h), and end with a warning, or
 * with a failure where the bound is of the range. far_free in any case. */
bool far_open(struct compress_job *job, struct ztio_error *error);
void far_warn(struct compress_job *job);
bool far_refuse(struct compress_job *job, struct ztio_error *error);
void far_free(struct compress_job *job);

/* All of that for an array in memory, with a warning. */
bool far_check(struct compress_job *job, const zt_array *array, struct ztio_error *error);

#endif
