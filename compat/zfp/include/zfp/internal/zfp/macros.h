/* zfp/internal/zfp/macros.h: what zfp's own programs take from here. */
#ifndef ZFP_MACROS_H
#define ZFP_MACROS_H

#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define MIN(x, y) ((x) < (y) ? (x) : (y))

#endif
