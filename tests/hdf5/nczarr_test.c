/* nczarr_test.c: both filters through netCDF-C's Zarr stores: written, opened again, read; the
 * store's metadata hold the codec's words.
 *
 *     nczarr_test FOLDER       HDF5_PLUGIN_PATH names the plug-ins' folder */
#include "ztile_h5.h"

#include <math.h>
#include <netcdf.h>
#include <netcdf_filter.h>

enum { NY = 40, NX = 50, SKIPPED = 77 };

static int failures;

static int check(int status, const char *what)
{
    if (status == NC_NOERR)
        return 1;
    printf("%s: %s\n", what, nc_strerror(status));
    failures++;
    return 0;
}

static void values(double *v)
{
    for (int i = 0; i < NY * NX; i++)
        v[i] = sin(i % NX / 9.0) + cos(i / NX / 7.0);
}

/* Write a variable with a filter and read it again, within the bound that config asks for. */
static void check_filter(const char *folder, const char *name, const char *config, double bound)
{
    static double in[NY * NX], out[NY * NX];
    const size_t chunks[2] = {16, NX};
    struct ztile_h5_config c;
    unsigned words[ZTILE_H5_ASKED_WORDS];
    char url[4200];
    int file, dims[2], var;
    double worst = 0;
    if (ztile_h5_parse(config, &c) != 0) {
        printf("%s\n", c.error);
        failures++;
        return;
    }
    const size_t count = ztile_h5_words(&c, words);
    snprintf(url, sizeof url, "file://%s/%s.file#mode=nczarr,file", folder, name);
    values(in);
    if (!check(nc_create(url, NC_NETCDF4 | NC_CLOBBER, &file), "nc_create"))
        return;
    check(nc_def_dim(file, "y", NY, &dims[0]), "nc_def_dim");
    check(nc_def_dim(file, "x", NX, &dims[1]), "nc_def_dim");
    check(nc_def_var(file, "v", NC_DOUBLE, 2, dims, &var), "nc_def_var");
    check(nc_def_var_chunking(file, var, NC_CHUNKED, chunks), "nc_def_var_chunking");
    check(nc_def_var_filter(file, var, (unsigned)c.filter, count, words), "nc_def_var_filter");
    check(nc_put_var_double(file, var, in), "nc_put_var_double");
    check(nc_close(file), "nc_close");
    if (!check(nc_open(url, NC_NOWRITE, &file), "nc_open"))
        return;
    check(nc_inq_varid(file, "v", &var), "nc_inq_varid");
    check(nc_get_var_double(file, var, out), "nc_get_var_double");
    check(nc_close(file), "nc_close");
    for (int i = 0; i < NY * NX; i++)
        worst = fmax(worst, fabs(out[i] - in[i]));
    if (!(worst <= bound) || (bound > 0 && worst == 0)) {
        printf("%s: the largest error is %g, the bound %g\n", config, worst, bound);
        failures++;
    }
    printf("%s: largest error %g\n", config, worst);
}

/* Some builds of netCDF have Zarr stores and no filters for them: what is asked for is taken, and
 * nothing done. */
static int has_filters(const char *folder)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/abs.file/v/0.0", folder);
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    fseek(f, 0, SEEK_END);
    const long bytes = ftell(f);
    fclose(f);
    return bytes < 16 * NX * 8;
}

int main(int argc, char **argv)
{
    char url[4200];
    int file;
    if (argc != 2)
        return 2;
    snprintf(url, sizeof url, "file://%s/none.file#mode=nczarr,file", argv[1]);
    if (nc_create(url, NC_NETCDF4 | NC_CLOBBER, &file) != NC_NOERR) {
        printf("SKIP: this netCDF library has no Zarr stores\n");
        return SKIPPED;
    }
    nc_close(file);
    check_filter(argv[1], "abs", "codec=zfp,abs=1e-3", 1e-3);
    if (!has_filters(argv[1])) {
        printf("SKIP: this netCDF library's Zarr stores have no filters\n");
        return SKIPPED;
    }
    check_filter(argv[1], "lossless", "lossless", 0);
    check_filter(argv[1], "rel", "rel=1e-4,range=-2:2", 4e-4);
    check_filter(argv[1], "zfp", "format=zfp,abs=1e-3", 1e-3);
    check_filter(argv[1], "reversible", "format=zfp,lossless", 0);
    return failures > 0;
}
