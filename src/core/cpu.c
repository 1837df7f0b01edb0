/* cpu.c: which instances of the kernels this machine can run, and which of them a context uses. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include <cpuid.h>

/* Bits of CPUID's leaves 1 (ECX), 7 (EBX, ECX) and 0x80000001 (ECX), and of XCR0: the registers
 * that the operating system saves. Sources: Intel SDM, volume 2, CPUID, and volume 1, 13.3. */
enum {
    ECX1_POPCNT_OSXSAVE = 1 << 23 | 1 << 27,
    EBX7_AVX2_BMI_BMI2 = 1 << 5 | 1 << 3 | 1 << 8,
    EBX7_AVX512_F_DQ_CD_BW = 1 << 16 | 1 << 17 | 1 << 28 | 1 << 30,
    ECX7_VBMI_VBMI2_GFNI_BITALG_VPOPCNTDQ = 1 << 1 | 1 << 6 | 1 << 8 | 1 << 12 | 1 << 14,
    ECX80000001_LZCNT = 1 << 5,
    XCR0_YMM = 1 << 1 | 1 << 2,
    XCR0_ZMM = XCR0_YMM | 1 << 5 | 1 << 6 | 1 << 7,
};
#define EBX7_AVX512_VL (UINT32_C(1) << 31)

static bool has(uint32_t bits, uint32_t wanted)
{
    return (bits & wanted) == wanted;
}

static uint32_t saved_registers(void)
{
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* The processor is asked directly: not every compiler's run-time library has
 * __builtin_cpu_supports (that of PyPI's ziglang lacks it). */
static uint32_t read_cpuid(void)
{
    uint32_t eax, ebx, ecx, edx;
    if (!__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) || !has(ecx, ECX80000001_LZCNT) ||
        !__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !has(ecx, ECX1_POPCNT_OSXSAVE))
        return ZT_ISA_PLAIN;
    const uint32_t saved = saved_registers();
    if (!has(saved, XCR0_YMM) || !__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) ||
        !has(ebx, EBX7_AVX2_BMI_BMI2))
        return ZT_ISA_PLAIN;
    return has(saved, XCR0_ZMM) && has(ebx, EBX7_AVX512_F_DQ_CD_BW | EBX7_AVX512_VL) &&
                   has(ecx, ECX7_VBMI_VBMI2_GFNI_BITALG_VPOPCNTDQ)
               ? ZT_ISA_AVX512
               : ZT_ISA_AVX2;
}

/* CPUID takes some 35 us on a virtual machine: it is run once, as the library is loaded. */
static uint32_t found_isa;

__attribute__((constructor)) static void find_isa(void)
{
    found_isa = read_cpuid();
}

static uint32_t isa_of_machine(void)
{
    return found_isa;
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
