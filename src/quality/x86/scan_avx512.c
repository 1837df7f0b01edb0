/* scan_avx512.c: the AVX-512 instance of the search for the least and the greatest. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx512.h"

#include "quality/quality.h"

#define SCAN zti_scan_avx512
#include "quality/scan_instance.h"

#include "simd/end.h"
#endif
