/* files.h: the arrays that ztile bench measures with, whole in memory; at which bounds; and
 * its directory. */
#ifndef ZTI_BENCH_FILES_H
#define ZTI_BENCH_FILES_H

#include "util/options.h"

struct bench_array {
    char *place;
    uint32_t type;
    uint32_t rank;
    uint64_t shape[ZT_MAX_RANK];
    uint64_t raw_bytes; /* not 0 */
    void *values;
    bool has_fill; /* the file names one */
    double fill;
};

/* Read each array that the operands mean, several where one is a netCDF or HDF5 file and names no
 * variable, and hand it to take, which may keep place and values by setting them to NULL. */
bool bench_read_all(const struct options *options,
                    bool (*take)(void *user, struct bench_array *array, struct ztio_error *error),
                    void *user, struct ztio_error *error);

/* Make the directory of -o if need be, and see that none of these names (a list that ends with
 * NULL) is in it, unless -f is given: known before the work is done, not after. */
bool bench_prepare_directory(const struct options *options, const char *const *names,
                             struct ztio_error *error);

enum { BENCH_BOUNDS = 12 };

/* "rel=1e-3,abs=0.5,lossless" */
bool bench_parse_bounds(const char *text, zt_bound *bound /* BENCH_BOUNDS */, int *bounds,
                        struct ztio_error *error);

#endif
