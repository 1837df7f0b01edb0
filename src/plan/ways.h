/* ways.h: for codecs that choose their axes of prediction: estimate the size of an array under
 * ways, which are plans together with these axes. */
#ifndef ZTI_WAYS_H
#define ZTI_WAYS_H

#include "plan/estimate.h"

/* What the codec measured on the array as it is, and how the roughness of values is measured. */
struct zti_seen {
    struct zti_look look;
    bool is_rough_known; /* roughness: log2 of the difference from the neighbour, times scale */
    uint32_t along;      /* axis of the array along which the neighbour lies */
    double scale;
};

zt_status zti_ways_look(struct zti_estimator *estimator, struct zti_seen *seen);

/* The coded axes of a plan that contain an axis which the codec chose without a plan. */
uint32_t zti_ways_axes(const struct zti_seen *seen, const struct zti_plan *plan,
                       const uint64_t *shape);

/* List the ways with the lowest estimated cost, the best first, at most 'most'; the one without a
 * plan may be among them. Returns their number. */
uint32_t zti_ways_list(const struct zti_estimator *estimator, const struct zti_seen *seen,
                       uint32_t most, struct zti_way *list);

enum { ZTI_PLACES_MOST = 128 };

/* Pieces of tiles of a way at places of the array: bits for each value, and the mean roughness of
 * the values, which explains part of these bits. */
struct zti_rates {
    uint32_t count;
    double rate[ZTI_PLACES_MOST], rough[ZTI_PLACES_MOST];
};

/* Add a piece of the tile that holds the next place, by the codec's estimate. */
zt_status zti_ways_guess(struct zti_estimator *estimator, const struct zti_seen *seen,
                         const struct zti_way *way, struct zti_rates *rates);

/* Estimate the bytes of the array: encode the tiles that hold the first 'places' places, or all
 * tiles if these are hardly more, with tables made from them. */
zt_status zti_ways_code(struct zti_estimator *estimator, const struct zti_seen *seen,
                        const struct zti_way *way, uint32_t places, double *bytes);

#endif
