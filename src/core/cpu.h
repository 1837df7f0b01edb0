/* cpu.h: which instances of the kernels this machine can run. */
#ifndef ZTI_CPU_H
#define ZTI_CPU_H

#include "core/core.h"

/* The instruction sets that instances are compiled for, each a superset of the one before. What a
 * level contains is in cpu.c; the compiler is told the same in src/CMakeLists.txt. Who compiles
 * with ZTILE_PLAIN leaves out the files *_avx2*.c and *_avx512*.c. */
#if (defined(__x86_64__) || defined(_M_X64)) && defined(__GNUC__) && !defined(ZTILE_PLAIN)
#define ZTI_HAS_X86_INSTANCES
#endif

/* The best instances that this build has, this machine runs and the context allows. The context
 * may be NULL. */
uint32_t zti_isa_of(const zt_context *context);

#endif
