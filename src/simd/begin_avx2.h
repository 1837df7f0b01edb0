/* begin_avx2.h: what follows, up to end.h, is compiled for AVX2 with BMI1, BMI2 and POPCNT,
 * whatever the compiler's flags. Included before every other header of an instance, and only where
 * cpu.h says that the build has such instances. Texts ask for ZTI_WITH_AVX2, as clang's attribute
 * does not define __AVX2__. */
#define ZTI_WITH_AVX2
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt")
#endif

#include <immintrin.h>
