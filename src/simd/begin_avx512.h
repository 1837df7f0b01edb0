/* begin_avx512.h: as begin_avx2.h, for AVX-512 as core/cpu.c looks for it; AVX2 is part of it. */
#define ZTI_WITH_AVX2
#define ZTI_WITH_AVX512
#if defined(__clang__)
#pragma clang attribute push(                                                                      \
    __attribute__((target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512cd,"      \
                          "avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq,gfni"))),           \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi")
#pragma GCC target("avx512vbmi2,avx512bitalg,avx512vpopcntdq,gfni,prefer-vector-width=512")
#endif

#include <immintrin.h>
