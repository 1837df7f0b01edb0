/* choose.h: find the plan under which a codec makes an array smallest, by trying on samples. */
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
    struct zti_plan plan;   /* the one to be taken */
    struct zti_plan plain;  /* none at all, but that axes of one element vanish */
    bool is_other;          /* what is to be taken is not what the codec does with that */
    struct zti_found found; /* what the codec need not look for, where it is this codec's */
    bool is_sampled;        /* what follows is of samples that were coded; else it is guessed */
    bool is_limit;          /* of others, which this is known to be no larger than */
    double bytes;           /* what it is expected to take */
    double unplanned_bytes; /* what coding the array as it is would */
    uint32_t tried;         /* of list; plans that went far, in the order of their bytes */
    struct zti_tried list[ZTI_TRIED_MOST];
};

/* Choose for an array (a frame's slab), a codec and what is asked of it. The choice is a function
 * of values and parameters alone. */
zt_status zti_plan_choose(zt_context *context, const struct zti_array *array,
                          const struct zti_codec *codec, const struct zti_target *target,
                          struct zti_choice *choice);

/* Set the bytes of a choice, with the plan and without, which until then are those of its
 * estimates, to what the codec makes of larger samples with all that it does; scale those of the
 * list alike. */
zt_status zti_plan_measure(zt_context *context, const struct zti_array *array,
                           const struct zti_candidate *candidate, const struct zti_target *target,
                           struct zti_choice *choice);

/* Make a choice the one without a plan. */
void zti_choice_set_plain(struct zti_choice *choice);

#endif
