/* zfp/internal/zfp/system.h: what depends on the compiler. */
#ifndef ZFP_SYSTEM_H
#define ZFP_SYSTEM_H

/* Declarations of what the shared library exports. */
#ifdef __cplusplus
#define extern_ extern "C"
#else
#define extern_ extern
#endif

#if defined(__GNUC__)
#define restrict_ __restrict__
#define align_(n) __attribute__((aligned(n)))
#elif defined(_MSC_VER)
#define restrict_ __restrict
#define align_(n) __declspec(align(n))
#else
#define restrict_
#define align_(n)
#endif

#ifndef ZFP_CACHE_LINE_SIZE
#define ZFP_CACHE_LINE_SIZE 0x100
#endif
#define cache_align_(x) x align_(ZFP_CACHE_LINE_SIZE)

#endif
