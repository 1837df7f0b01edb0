/* contest.h: choose codec and effort, by what each makes of samples under its best plan. */
#ifndef ZTI_PLAN_CONTEST_H
#define ZTI_PLAN_CONTEST_H

#include "plan/choose.h"

/* Who takes part. A new one is a line in contest.c. */
struct zti_contender {
    uint32_t codec;       /* zt_codec */
    uint32_t effort;      /* zt_effort */
    bool is_lossy;       /* takes part under an absolute bound, else where nothing may be lost */
    uint32_t speed;       /* about how fast it codes, MB/s of float32 on one thread: what is fast
                             and what is slow must not depend on the machine */
};

enum { ZTI_CONTENDERS_MOST = 8 };

/* Those that can code arrays of a type, loss allowed or not; returns how many. With an effort
 * other than the default, sz takes part with that one only. */
uint32_t zti_contenders(uint32_t type, bool is_lossy, const zt_params *params,
                        struct zti_contender *list);

struct zti_result {
    struct zti_contender contender;
    struct zti_choice choice;
};

/* Let them code samples of an array; results[0] is the one to be taken. is_exact: the bytes of
 * each are wanted, not only who is the best. results has room for ZTI_CONTENDERS_MOST.
 * ZT_UNSUPPORTED if there is none. */
zt_status zti_plan_contest(zt_context *context, const zt_array *array, const struct zti_ask *ask,
                           bool is_exact, struct zti_result *results, uint32_t *count);

#endif
