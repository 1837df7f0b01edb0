/* behind.c: see behind.h. */
#include "util/behind.h"

static void *write_all(void *user)
{
    struct behind *const b = user;
    (void)pthread_mutex_lock(&b->lock);
    for (;;) {
        while (!b->data && !b->is_ended)
            (void)pthread_cond_wait(&b->changed, &b->lock);
        if (!b->data)
            break;
        (void)pthread_mutex_unlock(&b->lock);
        const bool is_written = b->write(b->user, b->at, b->data, b->extent, &b->error);
        (void)pthread_mutex_lock(&b->lock);
        b->is_failed = b->is_failed || !is_written;
        b->data = NULL;
        (void)pthread_cond_broadcast(&b->changed);
    }
    (void)pthread_mutex_unlock(&b->lock);
    return NULL;
}

void behind_begin(struct behind *b, behind_function *write, void *user)
{
    *b = (struct behind){.write = write, .user = user, .is_begun = true};
    (void)pthread_mutex_init(&b->lock, NULL);
    (void)pthread_cond_init(&b->changed, NULL);
    b->has_thread = pthread_create(&b->thread, NULL, write_all, b) == 0;
}

/* With the lock: wait until the thread has nothing to do. False: it failed. */
static bool wait_for_thread(struct behind *b, struct ztio_error *error)
{
    while (b->data)
        (void)pthread_cond_wait(&b->changed, &b->lock);
    if (b->is_failed)
        *error = b->error;
    return !b->is_failed;
}

bool behind_write(struct behind *b, uint64_t at, const void *data, uint64_t extent,
                  struct ztio_error *error)
{
    if (!b->has_thread)
        return b->write(b->user, at, data, extent, error);
    (void)pthread_mutex_lock(&b->lock);
    const bool is_good = wait_for_thread(b, error);
    if (is_good) {
        b->data = data;
        b->at = at;
        b->extent = extent;
        (void)pthread_cond_broadcast(&b->changed);
    }
    (void)pthread_mutex_unlock(&b->lock);
    return is_good;
}

bool behind_wait(struct behind *b, struct ztio_error *error)
{
    if (!b->has_thread)
        return true;
    (void)pthread_mutex_lock(&b->lock);
    const bool is_good = wait_for_thread(b, error);
    (void)pthread_mutex_unlock(&b->lock);
    return is_good;
}

bool behind_end(struct behind *b, struct ztio_error *error)
{
    if (!b->is_begun)
        return true;
    const bool is_good = behind_wait(b, error);
    if (b->has_thread) {
        (void)pthread_mutex_lock(&b->lock);
        b->is_ended = true;
        (void)pthread_cond_broadcast(&b->changed);
        (void)pthread_mutex_unlock(&b->lock);
        (void)pthread_join(b->thread, NULL);
    }
    (void)pthread_cond_destroy(&b->changed);
    (void)pthread_mutex_destroy(&b->lock);
    b->is_begun = false;
    return is_good;
}
