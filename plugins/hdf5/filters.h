/* filters.h: the two filters, for the plug-ins and for programs that register them themselves
 * (H5Zregister), as the ztile command does: it needs no HDF5_PLUGIN_PATH. */
#ifndef ZTILE_H5_FILTERS_H
#define ZTILE_H5_FILTERS_H

#include "abi.h"

#include <stdbool.h>

/* ztile_filter.c and zfp_filter.c: what H5Zregister takes, an H5Z_class2_t. */
extern const struct zh_class zh_ztile_class, zh_zfp_class;

/* What cd_values that are stored with a dataset say of its chunks: the bytes that the filter takes
 * and gives back, and whether it keeps all of them. False for cd_values that the filter refuses. */
bool zh_ztile_stored(size_t count, const unsigned *words, uint64_t *chunk_bytes, bool *is_lossless);
bool zh_zfp_stored(size_t count, const unsigned *words, uint64_t *chunk_bytes, bool *is_lossless);

/* The same for netCDF's Zarr stores, an NCZ_codec_t. */
extern const struct zh_codec zh_ztile_codec, zh_zfp_codec;

#endif
