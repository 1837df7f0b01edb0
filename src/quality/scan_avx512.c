/* scan_avx512.c: the AVX-512 instance of the search for the least and the greatest. */
#include "quality/quality.h"

#define SCAN zti_scan_avx512
#include "quality/scan_instance.h"
