/* cpu.h: the instruction set whose instances a context uses. */
#ifndef ZTI_CPU_H
#define ZTI_CPU_H

#include "core/core.h"

/* Whether instances for AVX2 and AVX-512 are compiled; ZTILE_PLAIN leaves them out. cpu.c tests the
 * features of each level, and simd/avx*.h enables the same ones in the compiler. */
#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__) && !defined(ZTILE_PLAIN)
#define ZTI_HAS_X86_INSTANCES
#endif

/* The best zt_isa that this build has, the machine supports and the context (may be NULL)
 * allows. */
uint32_t zti_isa_of(const zt_context *context);

#endif
