/* choose.h: choose the plan under which a codec makes an array smallest, by samples. */
#ifndef ZTI_PLAN_CHOOSE_H
#define ZTI_PLAN_CHOOSE_H

#include "codec/planning.h"
#include "plan/plan.h"

/* Plans with an estimate of the stream's bytes, the best first. */
struct zti_tried {
    struct zti_plan plan;
    double bytes;
};

enum { ZTI_TRIED_MOST = 64 };

struct zti_choice {
    struct zti_plan plan;      /* the plan to use */
    struct zti_plan unplanned; /* the array as it is, but without axes of one element */
    bool is_other;             /* 'plan', or its axes of prediction, are not those of 'unplanned' */
    struct zti_found found;    /* what this codec need not search for again */
    bool is_sampled;           /* the bytes below are of coded samples; else they are guessed */
    bool is_limit;             /* the bytes below are an upper limit, by other candidates */
    double bytes;              /* expected with 'plan' */
    double unplanned_bytes;    /* expected with 'unplanned' */
    uint32_t tried;            /* plans in 'list', in the order of their bytes */
    struct zti_tried list[ZTI_TRIED_MOST];
};

/* Choose a plan for an array (a frame's slab), a codec and a target. The choice is a function of
 * values and parameters alone. */
zt_status zti_plan_choose(zt_context *context, const struct zti_array *array,
                          const struct zti_codec *codec, const struct zti_target *target,
                          struct zti_choice *choice);

/* Replace the estimated bytes of a choice, with the plan and without, by those of larger samples
 * that are encoded with all passes; scale the bytes in the list by the same factor. */
zt_status zti_plan_measure(zt_context *context, const struct zti_array *array,
                           const struct zti_candidate *candidate, const struct zti_target *target,
                           struct zti_choice *choice);

/* Turn a choice into the one without a plan. */
void zti_choice_drop_plan(struct zti_choice *choice);

#endif
