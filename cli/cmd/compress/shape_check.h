/* shape_check.h: the warning where a raw array looks as if it had another shape than was said. */
#ifndef ZTI_CMD_COMPRESS_SHAPE_CHECK_H
#define ZTI_CMD_COMPRESS_SHAPE_CHECK_H

#include "cmd/compress/job.h"

/* Warn where a raw array looks as if it had another shape. */
void warn_of_shape(const struct compress_job *job, const zt_array *slab);

#endif
