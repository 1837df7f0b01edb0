/* quality.h: statistics of an array, and tests of values against a bound. */
#ifndef ZTI_QUALITY_H
#define ZTI_QUALITY_H

#include "array/array.h"
#include "quality/within.h"
#include "ztile_quality.h"

#include <math.h>

/* zt_scan of an array that was checked, into statistics that were set up. */
zt_status zti_scan(zt_context *context, const struct zti_array *array, zt_stats *stats);

/* True where both elements (of one type, given as their bits) are within an absolute bound of
 * each other in exact arithmetic, or are the same bits. */
bool zti_within(uint32_t type, uint64_t original_bits, uint64_t reconstructed_bits, double bound);

/* True only where n elements, 'stride' elements apart, are within the bound of n contiguous ones;
 * a quick test, which may fail where zti_within would find each of them within it. */
bool zti_row_within(uint32_t type, const void *original, int64_t stride, const void *reconstructed,
                    uint64_t n, double bound);

/* The same for a bound on |reconstructed - original| / |original|: zero stays zero, and so does its
 * sign. Floating-point types only. */
bool zti_within_part(uint32_t type, uint64_t original_bits, uint64_t reconstructed_bits,
                     double part);
bool zti_row_within_part(uint32_t type, const void *original, int64_t stride,
                         const void *reconstructed, uint64_t n, double part);

/* The bits of the element 'offset' elements from a place in memory. */
static inline uint64_t zti_bits_at(const void *from, int64_t offset, size_t value_bytes)
{
    const char *at = (const char *)from + offset * (int64_t)value_bytes;
    uint32_t low;
    uint64_t all;
    if (value_bytes == 4) {
        memcpy(&low, at, 4);
        return low;
    }
    memcpy(&all, at, 8);
    return all;
}

/* Make these bits the element at a place in memory. */
static inline void zti_set_bits_at(void *to, uint64_t bits, size_t value_bytes)
{
    const uint32_t low = (uint32_t)bits;
    if (value_bytes == 4)
        memcpy(to, &low, 4);
    else
        memcpy(to, &bits, 8);
}

/* Whether a value, given as bits, is none: it has a fill value's bits, or is NaN or infinite. */
static inline bool zti_is_special(uint32_t type, uint64_t bits, uint32_t fills,
                                  const uint64_t *fill)
{
    const uint64_t f32 = 0x7f800000, f64 = UINT64_C(0x7ff0000000000000);
    for (uint32_t i = 0; i < fills; i++)
        if (bits == fill[i])
            return true;
    return (type == ZT_F32 && (bits & f32) == f32) || (type == ZT_F64 && (bits & f64) == f64);
}

/* |a - b| of two elements given as their bits, rounded to double; exact before rounding for
 * integers too. */
ZTI_INLINE double zti_error_of(uint32_t type, uint64_t a, uint64_t b)
{
    if (type == ZT_F32)
        return fabs(zti_float_from_bits(a) - zti_float_from_bits(b));
    if (type == ZT_F64)
        return fabs(zti_double_from_bits(a) - zti_double_from_bits(b));
    const int64_t x = type == ZT_I32 ? (int32_t)a : (int64_t)a;
    const int64_t y = type == ZT_I32 ? (int32_t)b : (int64_t)b;
    return (double)(x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x);
}

/* The sum of errors between an array and C-contiguous memory of its shape, over range, or of their
 * squares; values whose bit in mask (NULL: none) is set do not count. It does not depend on the
 * context. Infinite where an error is no number. */
double zti_sum_errors(zt_context *context, const struct zti_array *array, const uint8_t *decoded,
                      const uint64_t *mask, bool is_absolute, double range);

/* The same sum in steps: of the first values of the array so far. */
struct zti_error_sum {
    const struct zti_array *array;
    const uint64_t *mask;
    bool is_absolute;
    double range;
    uint64_t values;
    double sum;
};

/* Count n more values, which are at 'decoded': whole parts, but at the array's end. */
enum { ZTI_ERRORS_PART = 1 << 16 };
void zti_add_errors(zt_context *context, struct zti_error_sum *sum, const uint8_t *decoded,
                    uint64_t n);
double zti_end_errors(const struct zti_error_sum *sum);

/* The search for the least, the greatest and the not finite values of a row, which are added to the
 * statistics; instances for each instruction set. */
struct zti_scan_floats {
    void (*f32)(const char *row, uint64_t n, int64_t stride, zt_stats *stats);
    void (*f64)(const char *row, uint64_t n, int64_t stride, zt_stats *stats);
};

extern const struct zti_scan_floats zti_scan_plain;
extern const struct zti_scan_floats zti_scan_avx2;
extern const struct zti_scan_floats zti_scan_avx512;

#endif
