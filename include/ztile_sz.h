/** @file
 * What only the sz codec has: the method published for cuSZ, and what a file's sz streams are.
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
    ZT_SZ_OWN = 0,  /**< ztile's own, at the effort of zt_params; the default. */
    ZT_SZ_CUSZ = 1, /**< Lorenzo prediction and one Huffman code, as Tian et al. publish it for cuSZ
                         (PACT 2020). Efforts do not apply. */
    ZT_SZ_TRANSFORM = 2 /**< A lifted wavelet over large tiles, for floats under abs, rel and psnr;
                             anything else is coded at effort high. */
} zt_sz_method;

/** Choose the coder of sz; other codecs ignore it.
 * @param params set up by zt_params_init() or zt_params_abs() and the like
 * @param method which coder
 * @param bins ZT_SZ_CUSZ: residuals that have a symbol, an even number in 4..65536; 0: 1024.
 *        Calls that take params return ZT_BAD_ARG for other numbers. */
ZT_API void zt_params_set_sz(zt_params *params, zt_sz_method method, uint32_t bins);

/** How a file's first coded frame (one that is not raw) is coded. Frozen. */
typedef struct zt_sz_info {
    uint32_t method; /**< #zt_sz_method */
    uint32_t effort; /**< #zt_effort that won; it can be less than was asked for. */
    uint32_t axes;   /**< Bit i: values are predicted along axis i. */
    uint32_t bins;   /**< Of ZT_SZ_CUSZ; else 0. */
    double step;     /**< Values are multiples of it. Bound pwrel: numbers that each doubling of
                          a value is cut into. */
    uint64_t reserved[2]; /**< 0 */
} zt_sz_info;

/** How a file's first coded frame is coded.
 * @param info what zt_inspect() or zt_reader_info() has told
 * @param sz is set
 * @return ZT_BAD_ARG if its codec is not sz */
ZT_API zt_status zt_info_sz(const zt_info *info, zt_sz_info *sz);

#ifdef __cplusplus
}
#endif

#endif
