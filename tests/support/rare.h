/* rare.h: arrays of which effort 'high' of sz has symbols that no model has, so that they escape:
 * of many tiles not all are counted. Contexts want the magnitudes of such symbols. */
#ifndef ZTILE_TEST_RARE_H
#define ZTILE_TEST_RARE_H

#include "support/support.h"

#include <math.h>

/* Values; tiles that are not counted, the second of which has few symbols that are not 0. */
enum { RARE_TILE = 1 << 18, RARE_TILES = 34, RARE_MANY = 1, RARE_FEW = 2 };
#define RARE_UNIT 2.0f /* half of it is the bound */

/* Values from number 'first' on, n of them, as multiples of a unit: a wave a column, and but for
 * multiples of 64 along axis 0, which are the coarse grid's, up to 'far' beside it one time in so
 * many, else up to 'near'. */
static inline void fill_beside(const zt_array *array, uint64_t first, uint64_t n, uint64_t near,
                               uint64_t far, uint64_t one_in)
{
    const uint64_t row = array->rank > 1 ? array->shape[1] : 1;
    float *const to = (float *)array->data;
    struct rng r = {first};
    for (uint64_t i = first; i < first + n; i++) {
        const uint64_t most = rng_once_in(&r, one_in) ? far : near;
        const int64_t beside = (int64_t)rng_below(&r, 2 * most + 1) - (int64_t)most;
        to[i] = rintf(1000 * sinf((float)(i / row) / 300 + 2 * (float)(i % row)));
        to[i] += i / row % 64 != 0 ? (float)beside : 0;
        to[i] *= RARE_UNIT;
    }
}

/* Floats, RARE_TILES of RARE_TILE values and perhaps few more: parts of tiles have large residuals
 * in different ways, so that contexts have models of their own. */
static inline void fill_with_rare(const zt_array *array)
{
    static const uint64_t most[] = {1, 8, 25, 60};
    const uint64_t n = values_of(array->rank, array->shape), part = RARE_TILE / 4;
    for (uint64_t i = 0; i < n; i += part)
        fill_beside(array, i, n - i < part ? n - i : part, most[i / part % 4], most[i / part % 4],
                    1);
    fill_beside(array, RARE_MANY * RARE_TILE, part, 1, 30, 9);
    fill_beside(array, RARE_FEW * RARE_TILE, RARE_TILE, 0, 30, 200);
}

#endif
