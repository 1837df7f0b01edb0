/* exec.c: where tiles are run, and with which instructions: -x, --isa, and contexts that do so. */
#include "cli.h"

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

bool parse_exec(struct options *o, const char *argument, struct ztio_error *error)
{
    memset(&o->omp, 0, sizeof o->omp);
    memset(&o->cuda, 0, sizeof o->cuda);
    if (strcmp(argument, "serial") == 0) {
        o->policy = ZT_SERIAL;
        return true;
    }
    if (strcmp(argument, "omp") == 0 ||
        (strncmp(argument, "omp=", 4) == 0 && parse_omp(argument + 4, &o->omp))) {
        o->policy = ZT_OMP;
        o->is_policy_given = true;
        return true;
    }
    if (strcmp(argument, "cuda") == 0 ||
        (strncmp(argument, "cuda=", 5) == 0 && parse_device(argument + 5, &o->cuda))) {
        o->policy = ZT_CUDA;
        o->is_policy_given = true;
        return true;
    }
    return fail(error, ZTIO_BAD_USE,
                "--exec: '%s' is not serial, omp, omp=THREADS, omp=THREADS,GRAIN (at most 1024), "
                "cuda or cuda=DEVICE",
                argument);
}

bool parse_isa(struct options *o, const char *argument, struct ztio_error *error)
{
    for (zt_isa isa = ZT_ISA_PLAIN; isa <= ZT_ISA_AVX512; isa++)
        if (strcmp(argument, zt_isa_name(isa)) == 0) {
            o->isa = isa;
            return true;
        }
    return fail(error, ZTIO_BAD_USE, "--isa: '%s' is not plain, avx2 or avx512", argument);
}

static uint64_t limit_bytes; /* 0: not given */

void limit_memory(uint64_t bytes)
{
    limit_bytes = bytes;
}

uint64_t memory_limit(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    if (limit_bytes > 0)
        return limit_bytes;
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes / 5 * 4
                                       : UINT64_MAX;
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
    return true;
}

bool context_open(const struct options *o, zt_context **context, struct ztio_error *error)
{
    zt_status status;
    if (!context_new(context, error))
        return false;
    (void)zt_context_set_isa(*context, o->isa);
    if (o->policy == ZT_SERIAL)
        return true;
    const void *const parameters =
        o->policy == ZT_CUDA ? (const void *)&o->cuda : (const void *)&o->omp;
    status = zt_context_set_policy(*context, o->policy, parameters);
    if (status == ZT_OK || (status == ZT_UNSUPPORTED && !o->is_policy_given))
        return true; /* a build without threads does without, unless they were asked for */
    (void)fail_zt(error, *context, status, "--exec");
    zt_context_free(*context);
    *context = NULL;
    return false;
}
