/* formats.c: the table of the module ztile-hdf5.so; see modules.c. */
#include "format.h"

extern const struct ztio_formats ztile_hdf5;

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct ztio_formats ztile_hdf5 = {
    .hdf5 = {ztio_open_hdf5, ztio_places_of_hdf5, ztio_start_hdf5},
    .prepare = ztio_prepare_hdf5,
    .check_filters_at = ztio_check_filters_at,
    .rewrite = ztio_rewrite_hdf5,
    .each_filtered = ztio_each_filtered,
    .scan = ztio_scan_hdf5,
};
