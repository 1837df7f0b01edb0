/* policy.c: the one tool of the tests that calls the library; programs that share no code with it
 * do without. */
#include "support.h"
#include "ztile_expert.h"

void random_policy(struct rng *r, zt_context *context)
{
    (void)zt_context_set_isa(context, (zt_isa)rng_below(r, ZT_ISA_AVX512 + 1));
    zt_omp omp = {.threads = 1 + (uint32_t)rng_below(r, 5), .grain = (uint32_t)rng_below(r, 40)};
    zt_context_set_isa(context, (zt_isa)rng_below(r, ZT_ISA_AVX512 + 1));
    if (rng_once_in(r, 3) && zt_context_set_omp(context, &omp) == ZT_OK)
        return;
    zt_context_set_policy(context, ZT_SERIAL);
}
