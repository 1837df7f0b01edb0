/* many_contexts_test.c: two hundred contexts on twenty threads at once, mixed codecs, types,
 * bounds, index layouts, policies and instruction sets: the bytes, and the values that come back,
 * are those of a run alone. */
#include "support/support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 20, CONTEXTS = 200, VALUES = 15 * 16 * 17 };

struct job {
    zt_params params;
    uint32_t type;
    unsigned char raw[VALUES * 8];
    uint64_t file_hash, back_hash; /* of the run alone */
};

static struct job jobs[CONTEXTS];

static zt_array array_of(const struct job *job, void *data)
{
    return zt_array_3d(data, (zt_type)job->type, 15, 16, 17);
}

static void make_job(struct job *job, uint32_t n)
{
    struct rng r = {n};
    zt_params_init(&job->params, sizeof job->params);
    job->type = 1 + n % 4;
    job->params.codec = ZT_CODEC_ZFP + n / 4 % 3;
    set_coder(&job->params, n / 12 % 3);
    job->params.index = n % 6;
    job->params.slab_bytes = 1 + rng_below(&r, 30000);
    if (job->params.codec != ZT_CODEC_NDZIP)
        job->params.bound = n % 5 == 0   ? zt_lossless()
                            : n % 5 < 3  ? zt_rel(1e-3)
                            : n % 5 == 3 ? zt_abs(0.01)
                                         : zt_rel(1e-6);
    zt_array a = array_of(job, job->raw);
    fill_array(&a, (enum data_kind)(n % DATA_KINDS), n);
}

/* One context's life: compress, decompress, hash. */
static bool live(struct job *job, uint32_t round, uint64_t *file_hash, uint64_t *back_hash)
{
    zt_context *context;
    struct rng r = {mix64(round, (uint64_t)(job - jobs))};
    unsigned char *back = need(sizeof job->raw);
    size_t capacity = 0, bytes = 0;
    zt_array a = array_of(job, job->raw), out = array_of(job, back);
    if (zt_context_new(NULL, &context) != ZT_OK)
        return false;
    if (round > 0)
        random_policy(&r, context);
    zt_status s = zt_compress_bound(context, &a, &job->params, &capacity);
    unsigned char *file = need(capacity);
    if (s == ZT_OK)
        s = zt_compress(context, &a, &job->params, file, capacity, &bytes);
    if (s == ZT_OK)
        s = zt_decompress(context, file, bytes, &out);
    if (s == ZT_OK) {
        *file_hash = fnv1a64(file, bytes);
        *back_hash = fnv1a64(back, VALUES * zt_type_bytes(job->type));
    } else {
        printf("context %td: %s\n", job - jobs, zt_context_error(context));
    }
    zt_context_free(context);
    free(file);
    free(back);
    return s == ZT_OK;
}

struct worker {
    pthread_t thread;
    uint32_t number, failures;
};

/* Each thread goes through every tenth context, two threads to one array, from other ends. */
static void *work(void *shared)
{
    struct worker *w = shared;
    for (uint32_t i = 0; i < CONTEXTS / 10; i++) {
        const uint32_t at = w->number & 1 ? CONTEXTS / 10 - 1 - i : i;
        struct job *job = &jobs[at * 10 + w->number / 2];
        uint64_t file_hash = 0, back_hash = 0;
        if (!live(job, w->number + 1, &file_hash, &back_hash) || file_hash != job->file_hash ||
            back_hash != job->back_hash)
            w->failures++;
    }
    return NULL;
}

int main(void)
{
    static struct worker workers[THREADS];
    uint32_t failures = 0;
    for (uint32_t n = 0; n < CONTEXTS; n++) {
        make_job(&jobs[n], n);
        if (!live(&jobs[n], 0, &jobs[n].file_hash, &jobs[n].back_hash))
            return 1;
    }
    for (uint32_t t = 0; t < THREADS; t++) {
        workers[t].number = t;
        if (pthread_create(&workers[t].thread, NULL, work, &workers[t]) != 0)
            return 1;
    }
    for (uint32_t t = 0; t < THREADS; t++) {
        pthread_join(workers[t].thread, NULL);
        failures += workers[t].failures;
    }
    printf("%d contexts, each twice, on %d threads: %u differ from the run alone\n", CONTEXTS,
           THREADS, failures);
    return failures ? 1 : 0;
}
