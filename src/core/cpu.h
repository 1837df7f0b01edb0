/* cpu.h: which instances of the kernels this machine can run. */
#ifndef ZTI_CPU_H
#define ZTI_CPU_H

#include "core/core.h"

/* Whether instances for AVX2 and AVX-512 are compiled. What each level contains is in cpu.c; the
 * compiler is told the same in simd/avx*.h. ZTILE_PLAIN leaves them out. */
#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__) && !defined(ZTILE_PLAIN)
#define ZTI_HAS_X86_INSTANCES
#endif

/* The best instances that this build has, this machine runs and the context allows. The context
 * may be NULL. */
uint32_t zti_isa_of(const zt_context *context);

#endif
