/** @file
 * What is in an array, and how far two arrays are apart. The rules of ztile.h hold here.
 *
 * Both calls add to a struct, so that an array can be looked at slab by slab.
 */
#ifndef ZTILE_QUALITY_H
#define ZTILE_QUALITY_H

#include "ztile.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What zt_scan() counts. */
typedef struct zt_stats {
    uint32_t struct_bytes;       /**< Set by zt_stats_init(). */
    uint32_t reserved;           /**< 0 */
    uint64_t values;             /**< All elements. */
    uint64_t nan_values;         /**< NaN that are no fill values. */
    uint64_t inf_values;         /**< Infinities that are no fill values. */
    double min;                  /**< The smallest finite value that is no fill value; NaN: there is
                                      none. An int64 is rounded to double. */
    double max;                  /**< The largest one. */
    uint64_t fill_values;        /**< Elements with a bit pattern in fill. */
    uint32_t fills;              /**< Set by the caller: entries of fill. */
    uint32_t reserved2;          /**< 0 */
    uint64_t fill[ZT_MAX_FILLS]; /**< Set by the caller, as in zt_params. */
} zt_stats;

/** Set the counts to 0; stats_bytes is sizeof(zt_stats). */
ZT_API zt_status zt_stats_init(zt_stats *stats, size_t stats_bytes);

/** Add the values of an array to stats. */
ZT_API zt_status zt_scan(zt_context *context, const zt_array *array, zt_stats *stats);

/** What zt_compare() accumulates. Errors are those of finite originals that are no fill values. For
 * integers they are exact differences, rounded to double. */
typedef struct zt_quality {
    uint32_t struct_bytes;       /**< Set by zt_quality_init(). */
    uint32_t fills;              /**< Set by the caller: entries of fill. */
    uint64_t values;             /**< All elements. */
    uint64_t finite_values;      /**< Finite originals that are no fill values. */
    uint64_t special_changed;    /**< NaN, infinite or fill originals of which a bit changed. */
    uint64_t different_values;   /**< Elements of which any bit differs. */
    uint64_t beyond_bound;       /**< Elements off by more than abs_bound or pwrel_bound. */
    double abs_bound;            /**< Set by the caller; default NaN: none. */
    double min;                  /**< The smallest finite original; NaN: there is none. */
    double max;                  /**< The largest one. */
    double max_abs_error;        /**< The largest error. */
    double max_pwrel_error;      /**< The largest error / |original|, where that is not 0. */
    double sum_squares;          /**< Of all errors. */
    uint64_t fill[ZT_MAX_FILLS]; /**< Set by the caller, as in zt_params. */
    double pwrel_bound;          /**< Set by the caller; default NaN: none. */
    double sum_errors;           /**< Of all errors' magnitudes. */
    double within_lo;            /**< Set by the caller; default NaN: none. */
    double within_hi;            /**< Likewise. */
    uint64_t outside; /**< Reconstructed values of those beyond within_lo and within_hi. */
} zt_quality;

/** Set counts and errors to 0, and no bounds; quality_bytes is sizeof(zt_quality). */
ZT_API zt_status zt_quality_init(zt_quality *quality, size_t quality_bytes);

/** Add the differences between two arrays of one type and shape. */
ZT_API zt_status zt_compare(zt_context *context, const zt_array *original,
                            const zt_array *reconstructed, zt_quality *quality);

/** The root of the mean squared error; NaN if there is no finite value. */
ZT_API double zt_quality_rmse(const zt_quality *quality);

/** The mean of the errors' magnitudes; NaN if there is no finite value. */
ZT_API double zt_quality_mae(const zt_quality *quality);

/** 20 log10(range / RMSE) in dB; infinite without any error, NaN if there is no range. */
ZT_API double zt_quality_psnr(const zt_quality *quality);

#ifdef __cplusplus
}
#endif

#endif
