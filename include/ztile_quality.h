/* ztile_quality.h: what is in an array, and how far two arrays are apart. What holds for every
 * declaration of ztile.h holds here. */
#ifndef ZTILE_QUALITY_H
#define ZTILE_QUALITY_H

#include "ztile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- quality: what is in an array, and how far two arrays are apart -------------------------- */

/* Counted by zt_scan, over as many slabs as it is given. */
typedef struct zt_stats {
    uint32_t struct_bytes; /* set by zt_stats_init */
    uint32_t reserved;
    uint64_t values;
    uint64_t nan_values;
    uint64_t inf_values;
    double min; /* over finite values; NaN if there is none. int64 is rounded to double */
    double max;
    uint64_t fill_values; /* that have one of the bit patterns in fill: not in min and max,
                             nor in the counts of NaN and infinities */
    uint32_t fills;
    uint32_t reserved2;
    uint64_t fill[ZT_MAX_FILLS]; /* set by the caller, as in zt_params; default none */
} zt_stats;

ZT_API zt_status zt_stats_init(zt_stats *stats, size_t stats_bytes);

/* Add an array's values to stats. */
ZT_API zt_status zt_scan(zt_context *context, const zt_array *array, zt_stats *stats);

/* Accumulated by zt_compare, over as many slabs as it is given. Errors are of finite originals that
 * are no fill values; for integers they are exact differences, rounded to double. */
typedef struct zt_quality {
    uint32_t struct_bytes; /* set by zt_quality_init */
    uint32_t fills;        /* set by the caller, with fill[]; default 0 */
    uint64_t values;
    uint64_t finite_values;    /* and no fill values */
    uint64_t special_changed;  /* originals that are NaN, infinite or fill values, of which any bit
                                  changed */
    uint64_t different_values; /* values of which any bit differs */
    uint64_t beyond_bound;     /* values off by more than abs_bound, if that is not NaN */
    double abs_bound;          /* set by the caller; default NaN */
    double min;                /* of the finite originals */
    double max;
    double max_abs_error;
    double max_pwrel_error;      /* largest |error| / |original| where the original is not 0 */
    double sum_squares;          /* of the errors */
    uint64_t fill[ZT_MAX_FILLS]; /* bit patterns, as in zt_params */
    double pwrel_bound;          /* set by the caller; default NaN: beyond_bound then also counts
                                    values off by more than this part of themselves */
} zt_quality;

ZT_API zt_status zt_quality_init(zt_quality *quality, size_t quality_bytes);

/* Add the differences between two arrays of one type and shape. */
ZT_API zt_status zt_compare(zt_context *context, const zt_array *original,
                            const zt_array *reconstructed, zt_quality *quality);

/* Root of the mean squared error; NaN if there is no finite value. */
ZT_API double zt_quality_rmse(const zt_quality *quality);

/* 20 log10(range / RMSE) in dB; infinite if the error is zero, NaN if there is no range. */
ZT_API double zt_quality_psnr(const zt_quality *quality);

#ifdef __cplusplus
}
#endif

#endif
