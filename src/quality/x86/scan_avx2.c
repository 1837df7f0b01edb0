/* scan_avx2.c: the AVX2 instance of the search for the least and the greatest. */
#include "core/cpu.h"

#if defined(ZTI_HAS_X86_INSTANCES)
#include "simd/avx2.h"

#include "quality/quality.h"

#define SCAN zti_scan_avx2
#include "quality/scan_instance.h"

#include "simd/end.h"
#endif
