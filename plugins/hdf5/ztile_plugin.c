/* ztile_plugin.c: what HDF5 and netCDF ask the plug-in of ztile_filter.c for. */
#include "filters.h"

int H5PLget_plugin_type(void)
{
    return ZH_PLUGIN_FILTER;
}

const void *H5PLget_plugin_info(void)
{
    return &zh_ztile_class;
}

const void *NCZ_get_codec_info(void)
{
    return &zh_ztile_codec;
}
