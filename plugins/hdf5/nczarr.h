/* nczarr.h: a filter as a codec of netCDF's Zarr stores: a flat JSON object
 * {"id": "ztile", "codec": "zfp", "abs": 0.001}, whose other keys are ztile_h5.h's words, as the
 * Python package's codec for numcodecs has them: "rate_align", lists for range and expert. */
#ifndef ZTILE_H5_NCZARR_H
#define ZTILE_H5_NCZARR_H

#include "filters.h"

/* The functions of an NCZ_codec_t, for a filter. Memory is from malloc; a netCDF status. */
int zh_words_of_json(const struct zh_words *filter, const char *json, size_t *count,
                     unsigned **words);
int zh_json_of_words(const struct zh_words *filter, void *caller, size_t count,
                     const unsigned *words, char **json);

/* From what is asked to what is stored with a variable. */
int zh_words_of_variable(const struct zh_words *filter, void *caller, int ncid, int varid,
                         size_t count, const unsigned *asked, size_t *stored_count,
                         unsigned **stored);

#endif
