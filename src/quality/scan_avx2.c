/* scan_avx2.c: the AVX2 instance of the search for the least and the greatest. */
#include "quality/quality.h"

#define SCAN zti_scan_avx2
#include "quality/scan_instance.h"
