/* cpu.c: which instances of the kernels this machine can run, and which of them a context uses. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
/* __builtin_cpu_supports reads what the compiler's run-time library found out at start, the
 * operating system's saving of the registers included. */
static uint32_t isa_of_machine(void)
{
    if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")))
        return ZT_ISA_PLAIN;
    if (!(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
          __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
          __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bitalg") &&
          __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("gfni")))
        return ZT_ISA_AVX2;
    return ZT_ISA_AVX512;
}
#else
static uint32_t isa_of_machine(void)
{
    return ZT_ISA_PLAIN;
}
#endif

uint32_t zti_isa_of(const zt_context *context)
{
    return context ? context->isa : isa_of_machine();
}

zt_status zt_context_set_isa(zt_context *context, zt_isa most)
{
    if (!context)
        return ZT_BAD_ARG;
    if ((uint32_t)most > ZT_ISA_AVX512)
        return zti_fail(context, ZT_BAD_ARG, "%u is no instruction set", (unsigned)most);
    const uint32_t machine = isa_of_machine();
    context->isa = (uint32_t)most < machine ? (uint32_t)most : machine;
    return ZT_OK;
}

zt_isa zt_context_isa(const zt_context *context)
{
    return (zt_isa)zti_isa_of(context);
}

const char *zt_isa_name(zt_isa isa)
{
    static const char *const names[] = {"plain", "avx2", "avx512"};
    return (uint32_t)isa < sizeof names / sizeof *names ? names[isa] : "unknown";
}
