/* exec.h: where tiles are run, and with which instructions. */
#ifndef ZTI_UTIL_EXEC_H
#define ZTI_UTIL_EXEC_H

#include "io.h"
#include "ztile_expert.h"
#include "ztile_cuda.h"

struct execution {
    zt_policy policy;     /* -x; ZT_OMP by default */
    bool is_policy_given; /* and not only the default */
    zt_omp omp;
    zt_cuda cuda;
    zt_isa isa; /* --isa: the most that may be used */
};

/* The value of -x. */
bool parse_exec(struct execution *exec, const char *argument, struct ztio_error *error);

/* The same of --isa. */
bool parse_isa(struct execution *exec, const char *argument, struct ztio_error *error);

/* How many threads that will be, about. */
uint32_t threads_of(const struct execution *exec);

/* A context with the limit of memory; and one that runs tiles where the options say. */
bool context_new(zt_context **context, struct ztio_error *error);
bool context_open(const struct execution *exec, zt_context **context, struct ztio_error *error);

#endif
