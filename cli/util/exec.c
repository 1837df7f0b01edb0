/* exec.c: where tiles are run, and with which instructions: -x, --isa, and contexts that do so. */
#include "util/exec.h"

#include "util/errors.h"
#include "util/memory.h"
#include "util/numbers.h"

#include <string.h>
#include <unistd.h>

/* "N" or "N,GRAIN" */
static bool parse_omp(const char *text, zt_omp *omp)
{
    char first[24];
    uint64_t threads, grain = 0;
    const size_t n = strcspn(text, ",");
    if (n >= sizeof first)
        return false;
    memcpy(first, text, n);
    first[n] = '\0';
    if (!parse_count(first, &threads) || (text[n] && !parse_count(text + n + 1, &grain)) ||
        threads > 1024 || grain > UINT32_MAX)
        return false;
    omp->threads = (uint32_t)threads;
    omp->grain = (uint32_t)grain;
    return true;
}

/* "N" */
static bool parse_device(const char *text, zt_cuda *cuda)
{
    uint64_t device;
    if (!parse_count(text, &device) || device > INT32_MAX)
        return false;
    cuda->device = (int32_t)device;
    return true;
}

bool parse_exec(struct execution *exec, const char *argument, struct ztio_error *error)
{
    memset(&exec->omp, 0, sizeof exec->omp);
    memset(&exec->cuda, 0, sizeof exec->cuda);
    if (strcmp(argument, "serial") == 0) {
        exec->policy = ZT_SERIAL;
        return true;
    }
    if (strcmp(argument, "omp") == 0 ||
        (strncmp(argument, "omp=", 4) == 0 && parse_omp(argument + 4, &exec->omp))) {
        exec->policy = ZT_OMP;
        exec->is_policy_given = true;
        return true;
    }
    if (strcmp(argument, "cuda") == 0 ||
        (strncmp(argument, "cuda=", 5) == 0 && parse_device(argument + 5, &exec->cuda))) {
        exec->policy = ZT_CUDA;
        exec->is_policy_given = true;
        return true;
    }
    return fail(error, ZTIO_BAD_USE,
                "--exec: '%s' is not serial, omp, omp=THREADS, omp=THREADS,GRAIN (at most 1024), "
                "cuda or cuda=DEVICE",
                argument);
}

bool parse_isa(struct execution *exec, const char *argument, struct ztio_error *error)
{
    for (zt_isa isa = ZT_ISA_PLAIN; isa <= ZT_ISA_AVX512; isa++)
        if (strcmp(argument, zt_isa_name(isa)) == 0) {
            exec->isa = isa;
            return true;
        }
    return fail(error, ZTIO_BAD_USE, "--isa: '%s' is not plain, avx2 or avx512", argument);
}

uint32_t threads_of(const struct execution *exec)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (exec->policy != ZT_OMP)
        return 1;
    return exec->omp.threads > 0 ? exec->omp.threads : processors > 1 ? (uint32_t)processors : 1;
}

bool context_new(zt_context **context, struct ztio_error *error)
{
    zt_limits limits;
    const zt_status status = zt_context_new(NULL, context);
    if (status != ZT_OK)
        return fail_zt(error, NULL, status, "ztile");
    (void)zt_limits_init(&limits, sizeof limits);
    limits.memory_bytes = memory_limit();
    (void)zt_context_set_limits(*context, &limits);
    (void)zt_context_set_kept(*context, 0); /* malloc keeps it: util/memory.c */
    return true;
}

bool context_open(const struct execution *exec, zt_context **context, struct ztio_error *error)
{
    zt_status status;
    if (!context_new(context, error))
        return false;
    (void)zt_context_set_isa(*context, exec->isa);
    if (exec->policy == ZT_SERIAL)
        return true;
    status = exec->policy == ZT_CUDA ? zt_context_set_cuda(*context, &exec->cuda)
                                     : zt_context_set_omp(*context, &exec->omp);
    if (status == ZT_OK || (status == ZT_UNSUPPORTED && !exec->is_policy_given))
        return true; /* a build without threads does without, unless they were asked for */
    (void)fail_zt(error, *context, status, "--exec");
    zt_context_free(*context);
    *context = NULL;
    return false;
}
