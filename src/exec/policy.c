/* policy.c: selects the policy that runs the tiles of a coding. */
#include "exec/policy.h"

#include "core/threads.h"
#include "exec/cuda/cuda.h"

/* The policy of the host: omp if several threads are wanted, else serial, or where the codec itself
 * runs each tile on the threads. */
static const struct zti_policy *host_policy(const zt_context *context,
                                            const struct zti_coding *coding)
{
#if defined(ZTI_HAS_THREADS)
    if (zti_threads_wanted(context) > 1 && !coding->codec->sizes(coding).is_wide)
        return &zti_omp;
#else
    (void)context;
    (void)coding;
#endif
    return &zti_serial;
}

const struct zti_policy *zti_policy_of(const zt_context *context, const struct zti_coding *coding)
{
    return context && context->policy == ZT_CUDA && zti_cuda_can_code(context, coding)
               ? &zti_cuda
               : host_policy(context, coding);
}

const struct zti_policy *zti_policy_to_decode(const zt_context *context,
                                              const struct zti_coding *coding,
                                              const struct zti_scatter *scatter)
{
    const struct zti_policy *const policy = zti_policy_of(context, coding);
    const bool can_decode = !policy->can_decode || policy->can_decode(coding, scatter);
    return can_decode ? policy : host_policy(context, coding);
}
