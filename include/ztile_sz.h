/** @file
 * What only the sz codec has: its methods, and how a file's sz streams are coded.
 * The rules of ztile.h hold here. Stream: docs/format/sz.md.
 */
#ifndef ZTILE_SZ_H
#define ZTILE_SZ_H

#include "ztile.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which coder of sz. */
typedef enum zt_sz_method {
    ZT_SZ_OWN = 0,  /**< ztile's own, at the effort of zt_params; the default. Effort high takes
                         the smallest of differences, interpolation, the transform and
                         multiples. */
    ZT_SZ_CUSZ = 1, /**< Lorenzo prediction and one Huffman code, as Tian et al. publish it for cuSZ
                         (PACT 2020). Efforts do not apply. */
    ZT_SZ_TRANSFORM = 2,  /**< A lifted wavelet over large tiles, for floats under all bounds but
                             pwrel; anything else is coded at effort high. */
    ZT_SZ_PREDICTION = 3, /**< ztile's own without the transform, multiples and coding without
                               loss, which effort high also tries: some nine times as fast. */
    ZT_SZ_MULTIPLES = 4   /**< Multiples of a step, coded by the lossless coder of effort high:
                               for noise, repeats and digits, under all bounds but pwrel. If these
                               are too many, or no numbers of the type: effort high. */
} zt_sz_method;

/** Choose the coder of sz; other codecs ignore it.
 * @param params set up by zt_params_init() or zt_params_abs() and the like
 * @param method which coder
 * @param bins for ZT_SZ_CUSZ: how many residuals have a symbol, even, 4 to 65536; 0: 1024.
 *        Calls that take params return ZT_BAD_ARG for other numbers. */
ZT_API void zt_params_set_sz(zt_params *params, zt_sz_method method, uint32_t bins);

/** How a file's first frame that is not raw is coded. Frozen. */
typedef struct zt_sz_info {
    uint32_t method; /**< #zt_sz_method */
    uint32_t effort; /**< #zt_effort that was used; it can be less than was asked for. */
    uint32_t axes;   /**< Bit i: values are predicted along axis i. */
    uint32_t bins;   /**< Of ZT_SZ_CUSZ; else 0. */
    double step;     /**< Values are multiples of it. Bound pwrel: numbers that each doubling of
                          a value is cut into. */
    uint64_t reserved[2]; /**< 0 */
} zt_sz_info;

/** How a file's first frame that is not raw is coded.
 * @param info set by zt_inspect() or zt_reader_info()
 * @param sz is set
 * @return ZT_BAD_ARG if its codec is not sz */
ZT_API zt_status zt_info_sz(const zt_info *info, zt_sz_info *sz);

#ifdef __cplusplus
}
#endif

#endif
