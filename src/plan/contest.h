/* contest.h: choose codec, effort and plan, by what each makes of samples. */
#ifndef ZTI_PLAN_CONTEST_H
#define ZTI_PLAN_CONTEST_H

#include "plan/choose.h"

/* Those candidates of all codecs that params leave a choice of, loss allowed or not; returns how
 * many. */
uint32_t zti_candidates(bool is_lossy, const zt_params *params, struct zti_candidate *list);

/* A candidate under a plan. */
struct zti_result {
    struct zti_candidate candidate;
    struct zti_choice choice;
    double coded_bytes;   /* what it took when all was coded; 0: it was not */
    double special_bytes; /* of these, or beside choice.bytes */
};

enum { ZTI_RESULTS_MOST = 2 * ZTI_CANDIDATES_MOST }; /* with a plan, and without */

/* Let the candidates code samples of an array, each with the plan that was found for it and without
 * one: results, the one to be coded first first. */
zt_status zti_plan_contest(zt_context *context, const struct zti_array *array,
                           const struct zti_target *target, struct zti_result *results,
                           uint32_t *count);

/* Which result is to be coded next, after those that have coded_bytes; count where none is. values:
 * of the array. */
uint32_t zti_contest_next(const struct zti_result *results, uint32_t count,
                          const struct zti_target *target, uint64_t values);

/* Which of those that were coded is to be taken. */
uint32_t zti_contest_winner(const struct zti_result *results, uint32_t count,
                            const zt_params *params);

#endif
