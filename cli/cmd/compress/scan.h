/* scan.h: scan slices in the host's memory: count NaN, infinities and fill values, find the range,
 * and look for fill values that nobody declared. */
#ifndef ZTI_CMD_COMPRESS_SCAN_H
#define ZTI_CMD_COMPRESS_SCAN_H

#include "cmd/compress/job.h"

/* Set up counts, with the declared fill values. */
void stats_begin(const struct compress_job *job, zt_stats *stats);

/* Add what is found to the counts. */
void stats_add(zt_stats *all, const zt_stats *own);

/* Scan slices: into stats, and into what is looked for (fill_check.h). before: how many slices of
 * the array, or of what is mapped, are before these. */
bool scan_slices(struct compress_job *job, const zt_array *slices, uint64_t before, zt_stats *stats,
                 struct ztio_error *error);

#endif
