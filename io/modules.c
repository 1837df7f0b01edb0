/* modules.c: parts of the command that are loaded when a file needs them, since the libraries that
 * they are linked with take longer to load than most files to compress. ztile-hdf5.so has HDF5 and
 * whole files of either format, ztile-netcdf.so single variables of netCDF; they are beside the
 * program or in lib/ztile, where the program's run path leads. */
#include "format.h"

#include <dlfcn.h>

const void *ztio_load_module(const char *file, const char *name, const char *purpose,
                             const char *label, struct ztio_error *error)
{
    /* global: filters of HDF5 look there for its functions */
    void *module = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
    const void *table = module ? dlsym(module, name) : NULL;
    if (!table)
        (void)ztio_fail(
            error, ZTIO_LACKING,
            "%s: %s needs a part of ztile that cannot be loaded: %s; it belongs beside the "
            "program, or in lib/ztile",
            label, purpose, dlerror());
    return table;
}

static bool has_format(bool has, const char *name, const char *package, const char *label,
                       struct ztio_error *error)
{
    return has || ztio_fail(error, ZTIO_LACKING,
                            "%s: this build of ztile has no %s; install the Debian package %s and "
                            "build ztile from its source",
                            label, name, package);
}

/* The module's table if the build has the format. */
static const struct ztio_formats *load(const char *label, struct ztio_error *error)
{
    return has_format(ZTIO_HAVE_HDF5, "HDF5", "libhdf5-dev", label, error)
               ? ztio_load_module("ztile-hdf5.so", "ztile_hdf5", "HDF5", label, error)
               : NULL;
}

static const struct ztio_format_functions *load_netcdf(const char *label, struct ztio_error *error)
{
    return has_format(ZTIO_HAVE_NETCDF, "netCDF", "libnetcdf-dev", label, error)
               ? ztio_load_module("ztile-netcdf.so", "ztile_netcdf", "netCDF", label, error)
               : NULL;
}

struct ztio_input *ztio_open_netcdf(struct ztio_place *place, const struct ztio_meta *hints,
                                    struct ztio_error *error)
{
    const struct ztio_format_functions *netcdf = load_netcdf(place->label, error);
    return netcdf ? netcdf->open(place, hints, error) : NULL;
}

bool ztio_places_of_netcdf(const char *path, struct ztio_candidates *all, struct ztio_error *error)
{
    const struct ztio_format_functions *netcdf = load_netcdf(path, error);
    return netcdf && netcdf->places(path, all, error);
}

struct ztio_output *ztio_start_netcdf(struct ztio_bytes *bytes, const char *variable,
                                      const struct ztio_meta *meta, struct ztio_error *error)
{
    const struct ztio_format_functions *netcdf = load_netcdf(ztio_bytes_label(bytes), error);
    return netcdf ? netcdf->start(bytes, variable, meta, error) : NULL;
}

#if ZTIO_HAVE_HDF5
/* Where the module is lacking, netCDF does without it, and finds no filters of ztile's. */
void ztio_prepare_hdf5(void)
{
    struct ztio_error ignored;
    const struct ztio_formats *formats = load("", &ignored);
    if (formats)
        formats->prepare();
}

bool ztio_check_filters_at(const char *path, const char *group, const char *variable,
                           const char *label, struct ztio_error *error)
{
    const struct ztio_formats *formats = load(label, error);
    return formats && formats->check_filters_at(path, group, variable, label, error);
}
#endif

struct ztio_input *ztio_open_hdf5(struct ztio_place *place, const struct ztio_meta *hints,
                                  struct ztio_error *error)
{
    const struct ztio_formats *formats = load(place->label, error);
    return formats ? formats->hdf5.open(place, hints, error) : NULL;
}

bool ztio_places_of_hdf5(const char *path, struct ztio_candidates *all, struct ztio_error *error)
{
    const struct ztio_formats *formats = load(path, error);
    return formats && formats->hdf5.places(path, all, error);
}

struct ztio_output *ztio_start_hdf5(struct ztio_bytes *bytes, const char *variable,
                                    const struct ztio_meta *meta, struct ztio_error *error)
{
    const struct ztio_formats *formats = load(ztio_bytes_label(bytes), error);
    return formats ? formats->hdf5.start(bytes, variable, meta, error) : NULL;
}

bool ztio_rewrite_hdf5(const char *path, const char *out, const struct ztio_creation *creation,
                       const struct ztio_rewrite *how, struct ztio_error *error)
{
    const struct ztio_formats *formats = load(path, error);
    return formats && formats->rewrite(path, out, creation, how, error);
}

bool ztio_each_filtered(const char *place,
                        bool (*one)(void *user, const struct ztio_filtered *dataset), void *user,
                        uint64_t *others, struct ztio_error *error)
{
    const struct ztio_formats *formats = load(place, error);
    *others = 0;
    return formats && formats->each_filtered(place, one, user, others, error);
}

bool ztio_scan_hdf5(const char *path, const struct ztio_variable *variable,
                    bool (*part)(void *user, const void *values, uint64_t count), void *user,
                    struct ztio_error *error)
{
    const struct ztio_formats *formats = load(path, error);
    return formats && formats->scan(path, variable, part, user, error);
}

static struct ztio_added_filter filters[ZTIO_FILTERS];

void ztio_add_filter(const void *filter, ztio_stored *stored, ztio_filter_run *run)
{
    size_t i = 0;
    while (i < ZTIO_FILTERS && filters[i].class)
        i++;
    if (i < ZTIO_FILTERS)
        filters[i] = (struct ztio_added_filter){filter, stored, run};
}

const struct ztio_added_filter *ztio_added_filters(void)
{
    return filters;
}
