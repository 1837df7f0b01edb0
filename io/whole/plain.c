/* plain.c: a dataset whose values lie in the file one after another, as they are in memory: they
 * are mapped, which saves the copies that HDF5 would make. */
#include "whole/whole.h"

bool whole_is_native(hid_t dataset, hid_t native)
{
    hid_t type = H5Dget_type(dataset);
    const bool is_same = type >= 0 && H5Tequal(type, native) > 0;
    (void)H5Tclose(type);
    return is_same;
}

bool whole_is_one_file(hid_t file)
{
    hid_t access = H5Fget_access_plist(file);
    const bool is_one = access >= 0 && H5Pget_driver(access) == H5FD_SEC2;
    (void)H5Pclose(access);
    return is_one;
}

struct ztio_input *whole_map(hid_t file, const char *path, hid_t dataset, hid_t native,
                             const struct ztio_variable *v, const void **values)
{
    const uint64_t count = v->raw_bytes / zt_type_bytes(v->type);
    struct ztio_error ignored;
    haddr_t at = HADDR_UNDEF;
    hid_t properties = H5Dget_create_plist(dataset);
    H5E_BEGIN_TRY
    {
        if (H5Pget_layout(properties) == H5D_CONTIGUOUS && whole_is_one_file(file) &&
            whole_is_native(dataset, native) && H5Dget_storage_size(dataset) == v->raw_bytes)
            at = H5Dget_offset(dataset);
    }
    H5E_END_TRY(void) H5Pclose(properties);
    struct ztio_input *const input =
        at == HADDR_UNDEF ? NULL : ztio_open_values(path, v->type, at, count, &ignored);
    *values = input ? ztio_map(input, 0, count) : NULL;
    if (input && !*values)
        ztio_close(input);
    return *values ? input : NULL;
}
