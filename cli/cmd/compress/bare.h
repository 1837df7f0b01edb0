/* bare.h: one bare stream for the whole array. */
#ifndef ZTI_CMD_COMPRESS_BARE_H
#define ZTI_CMD_COMPRESS_BARE_H

#include "cmd/compress/job.h"

/* Write the whole array as a bare zfp stream, and its index where the options ask for one. */
bool compress_zfp(struct compress_job *job, struct ztio_error *error);

/* Write the whole array as a bare ndzip stream. */
bool compress_ndzip(struct compress_job *job, struct ztio_error *error);

#endif
