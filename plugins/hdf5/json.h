/* json.h: a filter's configuration as Zarr's metadata have it, for NCZarr: a flat JSON object
 * {"id": "ztile", "codec": "zfp", "abs": 0.001}, whose other keys are ztile_h5.h's words. */
#ifndef ZTILE_H5_JSON_H
#define ZTILE_H5_JSON_H

#include "ztile_h5.h"

#include <stdbool.h>

/* False where the text is no such object or its words have no meaning. */
bool zh_from_json(const char *json, struct ztile_h5_config *config);

/* The object as text from malloc, NULL without memory. */
char *zh_to_json(const char *id, const struct ztile_h5_config *config);

/* Words as netCDF takes them, from malloc. A netCDF status. */
int zh_words_of_json(const char *json, int filter, size_t *count, unsigned **words);

#endif
