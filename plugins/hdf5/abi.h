/* abi.h: what of HDF5's and netCDF's interfaces the plug-ins use, written out.
 *
 * A plug-in is built against no HDF5: one file serves every HDF5 from 1.10 on, serial or parallel,
 * Debian's or a Python wheel's. The types and numbers below are fixed by HDF5's binary interface
 * (H5public.h, H5Ipublic.h, H5Zpublic.h, H5PLextern.h, H5Epublic.h, H5Tpublic.h) and by netCDF's
 * (netcdf.h, netcdf_filter_build.h); a test compiles them against the real headers. Function names
 * are looked up in the host, see host.h. */
#ifndef ZTILE_H5_ABI_H
#define ZTILE_H5_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef int64_t zh_hid;             /* hid_t, since HDF5 1.10 */
typedef unsigned long long zh_size; /* hsize_t */

enum {
    ZH_FLAG_OPTIONAL = 0x0001, /* H5Z_FLAG_OPTIONAL: a chunk may be stored without it */
    ZH_FLAG_REVERSE = 0x0100
}; /* H5Z_FLAG_REVERSE: decompress */
enum {
    ZH_FILTER_DEFLATE = 1,
    ZH_FILTER_SHUFFLE = 2,
    ZH_FILTER_FLETCHER32 = 3,
    ZH_FILTER_SZIP = 4,
    ZH_FILTER_NBIT = 5,
    ZH_FILTER_SCALEOFFSET = 6
};
enum { ZH_CLASS_VERSION = 1 };             /* H5Z_CLASS_T_VERS */
enum { ZH_PLUGIN_FILTER = 0 };             /* H5PL_TYPE_FILTER */
enum { ZH_MAX_RANK = 32 };                 /* H5S_MAX_RANK */
enum { ZH_INTEGER = 0, ZH_FLOAT = 1 };     /* H5T_class_t */
enum { ZH_ORDER_LE = 0, ZH_ORDER_BE = 1 }; /* H5T_order_t */
enum { ZH_SIGN_NONE = 0 };                 /* H5T_sign_t */
enum { ZH_FILL_BY_USER = 2 };              /* H5D_fill_value_t */

/* H5Z_class2_t */
struct zh_class {
    int version;
    int id;
    unsigned encoder_present;
    unsigned decoder_present;
    const char *name;
    int (*can_apply)(zh_hid dcpl, zh_hid type, zh_hid space);
    int (*set_local)(zh_hid dcpl, zh_hid type, zh_hid space);
    size_t (*filter)(unsigned flags, size_t cd_nelmts, const unsigned *cd_values, size_t nbytes,
                     size_t *buf_size, void **buf);
};

/* NCZ_codec_t of netCDF 4.9 */
struct zh_codec {
    int version; /* 1 */
    int sort;    /* 1: between JSON and HDF5's numbers */
    const char *codecid;
    unsigned hdf5id;
    void (*initialize)(void);
    void (*finalize)(void);
    int (*codec_to_hdf5)(const char *json, size_t *count, unsigned **values);
    int (*hdf5_to_codec)(size_t count, const unsigned *values, char **json);
    int (*modify_parameters)(int ncid, int varid, size_t *visible_count, unsigned **visible,
                             size_t *working_count, unsigned **working);
};

enum { ZH_NC_NOERR = 0, ZH_NC_ENOMEM = -61, ZH_NC_EFILTER = -132 };
enum {
    ZH_NC_INT = 4,
    ZH_NC_FLOAT = 5,
    ZH_NC_DOUBLE = 6,
    ZH_NC_UINT = 9,
    ZH_NC_INT64 = 10,
    ZH_NC_UINT64 = 11
};

#define ZH_EXPORT __attribute__((visibility("default")))

/* What HDF5 and netCDF ask a plug-in for. */
ZH_EXPORT int H5PLget_plugin_type(void);
ZH_EXPORT const void *H5PLget_plugin_info(void);
ZH_EXPORT const void *NCZ_get_codec_info(void);

#endif
