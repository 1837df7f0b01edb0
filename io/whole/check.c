/* check.c: which files can be written again as a whole, by their first bytes. */
#include "format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { SIGNATURE_BYTES = 8, USER_BLOCK_MOST = 1 << 20 };

/* HDF5's first bytes are at 0, or at 512, 1024, 2048 and so on behind a user block. */
static bool find_signature(FILE *file)
{
    static const char signature[SIGNATURE_BYTES] = {'\x89', 'H',  'D',    'F',
                                                    '\r',   '\n', '\x1a', '\n'};
    char head[SIGNATURE_BYTES];
    for (int at = 0; at <= USER_BLOCK_MOST; at = at ? 2 * at : 512)
        if (fseek(file, at, SEEK_SET) != 0 || fread(head, 1, sizeof head, file) != sizeof head)
            return false;
        else if (memcmp(head, signature, sizeof head) == 0)
            return true;
    return false;
}

static FILE *open_regular(const char *path)
{
    struct stat is;
    if (stat(path, &is) != 0)
        return NULL;
    if (!S_ISREG(is.st_mode)) {
        errno = S_ISDIR(is.st_mode) ? EISDIR : ESPIPE;
        return NULL;
    }
    return fopen(path, "rb");
}

bool ztio_is_hdf5(const char *path)
{
    FILE *file = open_regular(path);
    const bool is_hdf5 = file && find_signature(file);
    if (file)
        (void)fclose(file);
    return is_hdf5;
}

bool ztio_check_whole(const char *path, struct ztio_error *error)
{
    char head[4] = "";
    FILE *file = open_regular(path);
    if (!file)
        return ztio_fail(error, ZTIO_IO_ERROR, "%s: cannot read it: %s%s", path, strerror(errno),
                         ztio_remedy(errno));
    const bool is_hdf5 = find_signature(file);
    rewind(file);
    const size_t n = fread(head, 1, 3, file);
    (void)fclose(file);
    if (is_hdf5)
        return true;
    if (n == 3 && memcmp(head, "CDF", 3) == 0)
        return ztio_fail(error, ZTIO_BAD_DATA,
                         "%s: a classic netCDF file has no place for filters; convert it first, "
                         "with 'nccopy -k nc4 %s OUT.nc'",
                         path, path);
    return ztio_fail(error, ZTIO_BAD_DATA,
                     "%s: neither a netCDF-4 nor an HDF5 file, which alone are compressed as a "
                     "whole; for an array, let -o name a .zt file",
                     path);
}
