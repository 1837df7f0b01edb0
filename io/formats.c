/* formats.c: the table of the module ztile-hdf5.so; see modules.c. */
#include "format.h"

extern const struct ztio_formats ztile_module;

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct ztio_formats ztile_module = {
#if ZTIO_HAVE_NETCDF
    .netcdf = {ztio_open_netcdf, ztio_places_of_netcdf, ztio_start_netcdf},
#endif
#if ZTIO_HAVE_HDF5
    .hdf5 = {ztio_open_hdf5, ztio_places_of_hdf5, ztio_start_hdf5},
    .rewrite = ztio_rewrite_hdf5,
    .each_filtered = ztio_each_filtered,
    .scan = ztio_scan_hdf5,
#endif
};
