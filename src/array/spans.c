/* spans.c: iterates over the wanted indices along a joined axis, and turns runs of tiles into boxes
 * (scatter.h). */
#include "array/scatter.h"

/* The first span whose slowest 'digits' digits are those of 'at'. */
static void span_at(const struct zti_spans *s, const uint64_t *at, uint32_t digits, uint64_t *first,
                    uint64_t *last)
{
    uint64_t start = 0;
    for (uint32_t k = 0; k < s->digits; k++)
        start += (k < digits ? at[k] : s->lo[k]) * s->step[k];
    *first = start + s->first;
    *last = start + s->last;
}

bool zti_spans_next(const struct zti_spans *s, uint64_t from, uint64_t *first, uint64_t *last)
{
    uint64_t at[ZT_MAX_RANK], rest = from;
    uint32_t k = 0;
    for (; k < s->digits; rest -= at[k] * s->step[k], k++) {
        at[k] = rest / s->step[k];
        if (at[k] < s->lo[k]) { /* all spans of these digits are after 'from' */
            span_at(s, at, k, first, last);
            return true;
        }
        if (at[k] >= s->hi[k])
            break;
    }
    if (k == s->digits && rest < s->last) {
        span_at(s, at, k, first, last);
        return true;
    }
    while (k-- > 0) { /* the next value of the fastest digit that has one */
        at[k]++;
        if (at[k] < s->hi[k]) {
            span_at(s, at, k + 1, first, last);
            return true;
        }
    }
    return false;
}

zt_box zti_box_of_tiles(const struct zti_grid *g, uint64_t *tile, uint64_t last)
{
    uint64_t at[ZT_MAX_RANK], rest = *tile, step = g->count;
    uint32_t axis = 0;
    zt_box box = {{0}, {0}};
    for (uint32_t i = g->rank; i-- > 0; rest /= g->tiles[i])
        at[i] = rest % g->tiles[i];
    for (;; axis++) {
        step /= g->tiles[axis];
        if (*tile % step == 0 && last - *tile >= step)
            break;
    }
    uint64_t n = (last - *tile) / step;
    if (n > g->tiles[axis] - at[axis])
        n = g->tiles[axis] - at[axis];
    for (uint32_t i = 0; i < g->rank; i++) {
        const uint64_t end = i < axis ? at[i] + 1 : i == axis ? at[i] + n : g->tiles[i];
        box.lo[i] = (i <= axis ? at[i] : 0) * g->side[i];
        box.hi[i] = end == g->tiles[i] ? g->shape[i] : end * g->side[i];
    }
    *tile += n * step;
    return box;
}
