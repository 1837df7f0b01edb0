/* rounding.c: the self-test for fused multiply-add. A compiler fuses by its flags and by what the
 * instruction set has: AVX-512 can where plain C for x86-64 cannot. Hence a test for each set. */
#include "simd/rounding.h"

#include "core/cpu.h"

/* The square of 1 + 2^-27 is 1 + 2^-26 + 2^-54, whose last term a rounded product has not. */
#define ROUNDS_PRODUCTS(NAME)                                                                      \
    static bool NAME(void)                                                                         \
    {                                                                                              \
        volatile double number = 1 + 0x1p-27;                                                      \
        const double x = number;                                                                   \
        number = x * x - (1 + 0x1p-26);                                                            \
        return number == 0;                                                                        \
    }

ROUNDS_PRODUCTS(rounds_in_plain_c)

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx2.h"
ROUNDS_PRODUCTS(rounds_in_avx2)
#include "simd/end.h"

#undef V_VERBS
#undef V_REGISTER_BYTES
#include "simd/avx512.h"
ROUNDS_PRODUCTS(rounds_in_avx512)
#include "simd/end.h"
#endif

bool zti_rounds_products(uint32_t isa)
{
    bool rounds = rounds_in_plain_c();
#if defined(ZTI_HAS_X86_INSTANCES)
    if (isa >= ZT_ISA_AVX2)
        rounds &= rounds_in_avx2();
    if (isa >= ZT_ISA_AVX512)
        rounds &= rounds_in_avx512();
#else
    (void)isa;
#endif
    return rounds;
}
