/* contest.h: choose codec, effort and plan by the bytes of samples. */
#ifndef ZTI_PLAN_CONTEST_H
#define ZTI_PLAN_CONTEST_H

#include "plan/choose.h"
#include "plan/look.h"

/* List the candidates of all codecs that params allow for an array of this type, lossy or lossless;
 * returns their number. */
uint32_t zti_candidates(uint32_t type, bool is_lossy, const zt_params *params,
                        struct zti_candidate *list);

/* A candidate under a plan. */
struct zti_result {
    struct zti_candidate candidate;
    struct zti_choice choice;
    double coded_bytes;   /* of the whole array; 0: not coded with this candidate */
    double special_bytes; /* exact values: part of coded_bytes, and not of choice.bytes */
    bool is_compared;     /* coded: its fallback under the same plan is no smaller (planning.h) */
    double far_part;      /* of a far candidate: its bytes for some boxes over those of its codec's
                             candidate with a predictor of its own; 0: not measured */
    struct zti_expected expected; /* in a large array, of these candidates */
};

enum { ZTI_RESULTS_MOST = 2 * ZTI_CANDIDATES_MOST }; /* with a plan, and without */

/* Encode samples of an array with each candidate, with the plan chosen for it and without. Of the
 * results the first is to be coded first. */
zt_status zti_plan_contest(zt_context *context, const struct zti_array *array,
                           const struct zti_target *target, struct zti_result *results,
                           uint32_t *count);

/* A candidate without a plan, of which nothing is known. */
struct zti_result zti_result_unplanned(uint32_t rank, const struct zti_candidate *candidate);

/* Set far_part of the far candidates, which stand last, or in a large array what to expect of them
 * and of the candidate that far_part refers to. Neither is set in small arrays, which are coded
 * with all candidates, and under a bound on the mean error, as equal bounds do not give equal
 * errors. */
zt_status zti_contest_measure_far(zt_context *context, const struct zti_array *array,
                                  const struct zti_target *target, struct zti_result *results,
                                  uint32_t count);

/* The result to code next, after those that have coded_bytes; 'count' if no other can win. values:
 * those of the array. */
uint32_t zti_contest_next(const struct zti_result *results, uint32_t count,
                          const struct zti_target *target, uint64_t values);

/* The best of the results that were coded. */
uint32_t zti_contest_winner(const struct zti_result *results, uint32_t count,
                            const zt_params *params);

#endif
