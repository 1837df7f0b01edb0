/* filtered.h: variables of HDF5 and netCDF-4 files behind ztile's filters. */
#ifndef ZTI_STORE_FILTERED_H
#define ZTI_STORE_FILTERED_H

#include "util/options.h"

/* True for an HDF5 or netCDF-4 file, and for "file:variable" of one. */
bool is_hdf5_place(const char *place);

/* Codec, bound, absolute bound, bytes, of psnr and rel the range, as a filter's words say; false
 * where they say nothing. */
bool info_of_filtered(const struct ztio_filtered *dataset, zt_info *info);

/* info of such a file. */
bool run_info_hdf5(const struct options *options, struct ztio_error *error);

#endif
