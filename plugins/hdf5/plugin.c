/* plugin.c: what HDF5 asks a plug-in for; compiled for each filter. */
#include "filters.h"

int H5PLget_plugin_type(void)
{
    return ZH_PLUGIN_FILTER;
}

const void *H5PLget_plugin_info(void)
{
    return &ZH_CLASS;
}
