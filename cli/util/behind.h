/* behind.h: write-behind: slabs are written by a thread of their own while the next ones are made.
 */
#ifndef ZTI_UTIL_BEHIND_H
#define ZTI_UTIL_BEHIND_H

#include "io.h"

#include <pthread.h>

struct behind {
    struct ztio_output *output;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const void *slab; /* to be written, or being written; NULL: the thread waits */
    uint64_t extent;  /* of it, slices */
    bool has_thread, is_ended, is_failed;
    struct ztio_error error; /* if is_failed */
};

/* Begin; where there is no thread to be had, behind_write writes itself. behind_end follows. */
void behind_begin(struct behind *behind, struct ztio_output *output);

/* Write a slab, which is in use until the next call. False: this one or the one before it was not
 * written. */
bool behind_write(struct behind *behind, uint64_t extent, const void *slab,
                  struct ztio_error *error);

/* Wait for the last slab. False, with a sentence: one was not written. */
bool behind_end(struct behind *behind, struct ztio_error *error);

#endif
