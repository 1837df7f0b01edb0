/* progress.h: the bar on standard error: percent, speed, time to go. */
#ifndef ZTI_UTIL_PROGRESS_H
#define ZTI_UTIL_PROGRESS_H

#include "ztile.h"

#include <stdbool.h>

struct progress {
    bool is_on;
    bool is_drawn;
    bool counts_steps; /* and not bytes: no speed is shown; set after progress_begin */
    const char *verb;
    uint64_t total_bytes; /* raw bytes of all the work; ZT_UNKNOWN where not known */
    uint64_t done_bytes;  /* of the slabs before this one */
    uint64_t slab_bytes;
    double part; /* of the slab that is done */
    double began;
    double drawn;
};

/* A bar on standard error, if that is a terminal and quiet is not set. */
void progress_begin(struct progress *progress, const char *verb, uint64_t total_bytes, bool quiet,
                    zt_context *context);
/* The next slab begins. A call that goes through several of these bytes starts them itself. */
void progress_slab(struct progress *progress, uint64_t bytes);
void progress_end(struct progress *progress);

#endif
