/* plan.h: which plans there are for an array, and how they are told. */
#ifndef ZTI_CMD_PLAN_H
#define ZTI_CMD_PLAN_H

#include "cmd/compress/job.h"

/* How an array is coded under a plan: "1446x480, axes 0+1+2 3". */
const char *format_plan(const zt_plan *plan, char *text);

/* Say on standard error what the first frame was chosen from. */
void explain_options(const struct compress_job *job, const zt_writer *writer);

/* Predict size and time, write nothing. */
bool run_dry(struct compress_job *job, struct ztio_error *error);

#endif
