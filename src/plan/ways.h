/* ways.h: for codecs that choose along which axes they predict: plans together with these axes, and
 * how small they make an array. */
#ifndef ZTI_WAYS_H
#define ZTI_WAYS_H

#include "plan/estimate.h"

/* What the codec finds out of an array as it is, and what follows from that for others. */
struct zti_seen {
    struct zti_look look;
    bool is_rough_known; /* how rough values are: by how many bits they differ from others, */
    uint32_t along;      /* along this axis of the array, */
    double scale;        /* multiplied by this */
};

zt_status zti_ways_look(struct zti_estimator *estimator, struct zti_seen *seen);

/* The coded axes of a plan that hold one of those that the codec would choose without. */
uint32_t zti_ways_axes(const struct zti_seen *seen, const struct zti_plan *plan,
                       const uint64_t *shape);

/* Ways that may be the best by what was looked at alone, the best first; the one without a plan may
 * be among them. Returns how many, 'most' or fewer. */
uint32_t zti_ways_list(const struct zti_estimator *estimator, const struct zti_seen *seen,
                       uint32_t most, struct zti_way *list);

enum { ZTI_PLACES_MOST = 128 };

/* Pieces of tiles of a way at places of the array: bits for each value, and how rough the values
 * are, as some parts of an array take more than others. */
struct zti_rates {
    uint32_t count;
    double rate[ZTI_PLACES_MOST], rough[ZTI_PLACES_MOST];
};

/* Add a piece of the tile that holds the next place, by the codec's estimate. */
zt_status zti_ways_guess(struct zti_estimator *estimator, const struct zti_seen *seen,
                         const struct zti_way *way, struct zti_rates *rates);

/* Code the tiles that hold the first so many places, or all where they are hardly more, with all
 * that is learnt from them. *bytes is what the array takes, by these. */
zt_status zti_ways_code(struct zti_estimator *estimator, const struct zti_seen *seen,
                        const struct zti_way *way, uint32_t places, double *bytes);

#endif
