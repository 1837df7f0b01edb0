/* paths.h: what a path names. */
#ifndef ZTI_UTIL_PATHS_H
#define ZTI_UTIL_PATHS_H

#include <stdbool.h>

bool is_directory(const char *path);
bool is_device(const char *path); /* or a pipe: neither a regular file nor a directory */

/* What follows the last '/'. */
const char *base_name(const char *path);

#endif
