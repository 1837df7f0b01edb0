/* scan_instance.h: text: scan_text.h for both floating-point types. The includer defines SCAN, what
 * the instance is called. */
#define scalar        float
#define word          uint32_t
#define integer       int32_t
#define infinity_bits INT32_C(0x7f800000)
#define NAME(x)       x##_f32
#include "quality/scan_text.h"
#undef scalar
#undef word
#undef integer
#undef infinity_bits
#undef NAME

#define scalar        double
#define word          uint64_t
#define integer       int64_t
#define infinity_bits INT64_C(0x7ff0000000000000)
#define NAME(x)       x##_f64
#include "quality/scan_text.h"
#undef scalar
#undef word
#undef integer
#undef infinity_bits
#undef NAME

const struct zti_scan_floats SCAN = {.f32 = scan_f32, .f64 = scan_f64};
