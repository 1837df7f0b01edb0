/* zfp/version.h: the version of libzfp whose API this library has. */
#ifndef ZFP_VERSION_H
#define ZFP_VERSION_H

#define ZFP_VERSION_MAJOR 1
#define ZFP_VERSION_MINOR 0
#define ZFP_VERSION_PATCH 1
#define ZFP_VERSION_TWEAK 0

/* Of the stream; it is in every header. */
#define ZFP_CODEC 5

#define ZFP_MAKE_VERSION(major, minor, patch, tweak)                                               \
    (((major) << 12) + ((minor) << 8) + ((patch) << 4) + (tweak))

#define ZFP_STRING_OF_(x) #x
#define ZFP_MAKE_VERSION_STRING_(major, minor, patch)                                              \
    ZFP_STRING_OF_(major) "." ZFP_STRING_OF_(minor) "." ZFP_STRING_OF_(patch)
#define ZFP_MAKE_FULLVERSION_STRING_(major, minor, patch, tweak)                                   \
    ZFP_MAKE_VERSION_STRING_(major, minor, patch) "." ZFP_STRING_OF_(tweak)
#define ZFP_MAKE_VERSION_STRING(major, minor, patch) ZFP_MAKE_VERSION_STRING_(major, minor, patch)
#define ZFP_MAKE_FULLVERSION_STRING(major, minor, patch, tweak)                                    \
    ZFP_MAKE_FULLVERSION_STRING_(major, minor, patch, tweak)

#define ZFP_VERSION                                                                                \
    ZFP_MAKE_VERSION(ZFP_VERSION_MAJOR, ZFP_VERSION_MINOR, ZFP_VERSION_PATCH, ZFP_VERSION_TWEAK)
#define ZFP_VERSION_STRING                                                                         \
    ZFP_MAKE_VERSION_STRING(ZFP_VERSION_MAJOR, ZFP_VERSION_MINOR, ZFP_VERSION_PATCH)

#endif
