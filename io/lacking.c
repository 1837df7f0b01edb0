/* lacking.c: what stands in for netCDF and HDF5 in a build without their libraries. */
#include "format.h"

#if !ZTIO_HAVE_NETCDF || !ZTIO_HAVE_HDF5
static bool fail_lacking(const char *label, const char *format, const char *package,
                         struct ztio_error *error)
{
    return ztio_fail(error, ZTIO_LACKING,
                     "%s: this build of ztile has no %s; install the Debian package %s and build "
                     "ztile from its source",
                     label, format, package);
}
#endif

#if !ZTIO_HAVE_NETCDF
struct ztio_input *ztio_open_netcdf(struct ztio_place *place, const struct ztio_meta *hints,
                                    struct ztio_error *error)
{
    (void)hints;
    fail_lacking(place->label, "netCDF", "libnetcdf-dev", error);
    return NULL;
}

bool ztio_places_of_netcdf(const char *path, struct ztio_candidates *all, struct ztio_error *error)
{
    (void)all;
    return fail_lacking(path, "netCDF", "libnetcdf-dev", error);
}

struct ztio_output *ztio_start_netcdf(struct ztio_bytes *bytes, const char *variable,
                                      const struct ztio_meta *meta, struct ztio_error *error)
{
    (void)variable;
    (void)meta;
    fail_lacking(ztio_bytes_label(bytes), "netCDF", "libnetcdf-dev", error);
    return NULL;
}
#endif

#if !ZTIO_HAVE_HDF5
struct ztio_input *ztio_open_hdf5(struct ztio_place *place, const struct ztio_meta *hints,
                                  struct ztio_error *error)
{
    (void)hints;
    fail_lacking(place->label, "HDF5", "libhdf5-dev", error);
    return NULL;
}

bool ztio_places_of_hdf5(const char *path, struct ztio_candidates *all, struct ztio_error *error)
{
    (void)all;
    return fail_lacking(path, "HDF5", "libhdf5-dev", error);
}

struct ztio_output *ztio_start_hdf5(struct ztio_bytes *bytes, const char *variable,
                                    const struct ztio_meta *meta, struct ztio_error *error)
{
    (void)variable;
    (void)meta;
    fail_lacking(ztio_bytes_label(bytes), "HDF5", "libhdf5-dev", error);
    return NULL;
}

bool ztio_rewrite_hdf5(const char *path, const char *out, const struct ztio_creation *creation,
                       const struct ztio_rewrite *how, struct ztio_error *error)
{
    (void)out;
    (void)creation;
    (void)how;
    return fail_lacking(path, "HDF5", "libhdf5-dev", error);
}

bool ztio_each_filtered(const char *place,
                        bool (*one)(void *user, const struct ztio_filtered *dataset), void *user,
                        uint64_t *others, struct ztio_error *error)
{
    (void)one;
    (void)user;
    *others = 0;
    return fail_lacking(place, "HDF5", "libhdf5-dev", error);
}

bool ztio_scan_hdf5(const char *path, const struct ztio_variable *variable,
                    bool (*part)(void *user, const void *values, uint64_t count), void *user,
                    struct ztio_error *error)
{
    (void)variable;
    (void)part;
    (void)user;
    return fail_lacking(path, "HDF5", "libhdf5-dev", error);
}

void ztio_add_filter(const void *filter, ztio_stored *stored)
{
    (void)filter;
    (void)stored;
}
#endif
