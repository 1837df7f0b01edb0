/* behind.h: write-behind: what is written is written by a thread of its own while the next is made.
 */
#ifndef ZTI_UTIL_BEHIND_H
#define ZTI_UTIL_BEHIND_H

#include "io.h"

#include <pthread.h>

/* Write data: its extent and its place are in units of whoever begins. */
typedef bool behind_function(void *user, uint64_t at, const void *data, uint64_t extent,
                             struct ztio_error *error);

struct behind {
    behind_function *write;
    void *user;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const void *data; /* to be written, or being written; NULL: the thread waits */
    uint64_t at, extent;
    bool is_begun, has_thread, is_ended, is_failed;
    struct ztio_error error; /* if is_failed */
};

/* Begin; where there is no thread to be had, behind_write writes itself. behind_end follows. */
void behind_begin(struct behind *behind, behind_function *write, void *user);

/* Write data, which is in use until the next call. False: this or what came before it was not
 * written. */
bool behind_write(struct behind *behind, uint64_t at, const void *data, uint64_t extent,
                  struct ztio_error *error);

/* Wait until all is written. False, with a sentence: something was not. */
bool behind_wait(struct behind *behind, struct ztio_error *error);

/* behind_wait, and end. Nothing if it was not begun. */
bool behind_end(struct behind *behind, struct ztio_error *error);

#endif
