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

/** @name Ways
 * Efforts fast and default look at samples of an array to choose the axes that values are predicted
 * along, and groups of symbols. For arrays of 1 MiB this is a third of the time. Arrays that are
 * alike, such as the chunks of a dataset, can be coded in the same ways, which are a number.
 * @{ */
/** The ways of a file's first frame that is not raw; 0 if it has none. With a plan they are of the
 * coded array, whose axes may be others than those of the file. */
ZT_API uint32_t zt_info_sz_ways(const zt_info *info);

/** Have the next arrays coded in the ways of a file, without samples. ZT_SZ_CUSZ, effort high and
 * calls with a plan ignore them.
 * @param params set up by zt_params_init() or zt_params_abs() and the like
 * @param ways from zt_info_sz_ways(); 0: each array has ways of its own. Calls that take params
 *        return ZT_BAD_ARG for numbers that are no ways, and for those of arrays of another rank.
 */
ZT_API void zt_params_set_sz_ways(zt_params *params, uint32_t ways);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
