/* behind.c: see behind.h. */
#include "util/behind.h"

static void *write_slabs(void *user)
{
    struct behind *const b = user;
    (void)pthread_mutex_lock(&b->lock);
    for (;;) {
        while (!b->slab && !b->is_ended)
            (void)pthread_cond_wait(&b->changed, &b->lock);
        if (!b->slab)
            break;
        (void)pthread_mutex_unlock(&b->lock);
        const bool is_written = ztio_write(b->output, b->extent, b->slab, &b->error);
        (void)pthread_mutex_lock(&b->lock);
        b->is_failed = b->is_failed || !is_written;
        b->slab = NULL;
        (void)pthread_cond_broadcast(&b->changed);
    }
    (void)pthread_mutex_unlock(&b->lock);
    return NULL;
}

void behind_begin(struct behind *b, struct ztio_output *output)
{
    *b = (struct behind){.output = output};
    (void)pthread_mutex_init(&b->lock, NULL);
    (void)pthread_cond_init(&b->changed, NULL);
    b->has_thread = pthread_create(&b->thread, NULL, write_slabs, b) == 0;
}

/* With the lock: wait until the thread has nothing to do. False: it failed. */
static bool wait_for_thread(struct behind *b, struct ztio_error *error)
{
    while (b->slab)
        (void)pthread_cond_wait(&b->changed, &b->lock);
    if (b->is_failed)
        *error = b->error;
    return !b->is_failed;
}

bool behind_write(struct behind *b, uint64_t extent, const void *slab, struct ztio_error *error)
{
    if (!b->has_thread)
        return ztio_write(b->output, extent, slab, error);
    (void)pthread_mutex_lock(&b->lock);
    const bool is_good = wait_for_thread(b, error);
    if (is_good) {
        b->slab = slab;
        b->extent = extent;
        (void)pthread_cond_broadcast(&b->changed);
    }
    (void)pthread_mutex_unlock(&b->lock);
    return is_good;
}

bool behind_end(struct behind *b, struct ztio_error *error)
{
    bool is_good = true;
    if (b->has_thread) {
        (void)pthread_mutex_lock(&b->lock);
        is_good = wait_for_thread(b, error);
        b->is_ended = true;
        (void)pthread_cond_broadcast(&b->changed);
        (void)pthread_mutex_unlock(&b->lock);
        (void)pthread_join(b->thread, NULL);
    }
    (void)pthread_cond_destroy(&b->changed);
    (void)pthread_mutex_destroy(&b->lock);
    return is_good;
}
