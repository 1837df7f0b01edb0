/* whole.h: ztile compress and decompress of a whole netCDF or HDF5 file. */
#ifndef ZTI_CMD_WHOLE_H
#define ZTI_CMD_WHOLE_H

#include "util/options.h"

/* True if compress or decompress is to write a whole netCDF or HDF5 file again; and that. */
bool wants_whole_file(const struct options *options);
bool run_whole(const struct options *options, struct ztio_error *error);

#endif
