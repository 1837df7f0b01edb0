/* whole.h: ztile compress and decompress of a whole netCDF or HDF5 file. */
#ifndef ZTI_CMD_WHOLE_H
#define ZTI_CMD_WHOLE_H

#include "util/options.h"

/* True if compress or decompress is to write a whole netCDF or HDF5 file again; and that. */
bool wants_whole_file(const struct options *options);
bool run_whole(const struct options *options, struct ztio_error *error);

bool is_hdf5_name(const char *path); /* also of netCDF */
bool is_zarr_name(const char *path);

#endif
