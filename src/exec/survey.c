/* survey.c: let a codec look at the values before the first is coded: pass after pass, each thread
 * into a tally of its own, all of them then merged. What is learnt does not depend on threads. */
#include "array/mirror.h"
#include "core/cpu.h"
#include "core/map.h"
#include "exec/cuda/cuda.h"
#include "exec/run.h"

/* Tiles that a thread takes at a time: so many, or as hold so many values. */
enum { GRAIN_TILES = 32, GRAIN_VALUES = GRAIN_TILES * 4096 };

struct surveyor {
    const struct zti_learning *learning;
    const struct zti_coding *coding;
    const zt_array *array;
    uint32_t pass;
    uint64_t grain;     /* tiles that are counted at a time */
    size_t tally_bytes; /* whole cache lines */
    char *tallies;      /* one a thread */
};

static uint64_t grain_of(const struct zti_coding *coding)
{
    uint64_t values = 1;
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        values *= coding->grid.side[i];
    const uint64_t tiles = GRAIN_VALUES / values;
    return tiles < 1 ? 1 : tiles < GRAIN_TILES ? tiles : GRAIN_TILES;
}

static bool count_tiles(void *shared, uint32_t worker, uint64_t number)
{
    const struct surveyor *s = shared;
    const uint64_t first = number * s->grain, left = s->coding->grid.count - first;
    s->learning->tally(s->coding, s->pass, s->array, first,
                       first + (left < s->grain ? left : s->grain),
                       s->tallies + worker * s->tally_bytes);
    return true;
}

/* One thread counts all tiles at a time. */
static void run_pass(zt_context *context, struct surveyor *s, uint32_t threads)
{
    const uint64_t count = s->coding->grid.count;
    s->grain = threads > 1 ? grain_of(s->coding) : count;
    zti_map(context, (count - 1) / s->grain + 1, count_tiles, s);
    for (uint32_t i = 1; i < threads; i++)
        s->learning->merge(s->coding, s->pass, s->tallies, s->tallies + i * s->tally_bytes);
}

static zt_status survey(zt_context *context, struct zti_coding *coding, const zt_array *array)
{
    const struct zti_learning *const learning = zti_learning_of(coding->codec);
    zt_status status = ZT_OK;
    size_t bytes;
    coding->run.isa = zti_isa_of(context);
    for (uint32_t pass = 0; !status && (bytes = learning->tally_bytes(coding, pass)) > 0; pass++) {
        const uint32_t threads =
            zti_map_workers(context, (coding->grid.count - 1) / grain_of(coding) + 1);
        struct surveyor s = {.learning = learning,
                             .coding = coding,
                             .array = array,
                             .pass = pass,
                             .tally_bytes = (size_t)zti_round_up(bytes, 64)};
        s.tallies = zti_alloc_zeroed(context, threads * s.tally_bytes);
        if (!s.tallies)
            return zti_fail(context, ZT_NO_MEMORY, "no memory for %u tallies of %zu bytes", threads,
                            s.tally_bytes);
        const bool is_sample = learning->is_sampled(coding, pass);
        zti_stage(context, is_sample ? ZT_STAGE_SAMPLES : ZT_STAGE_COUNT);
        bool is_done = false;
        if (zti_exec_is_on_device(context, coding)) {
            const int before = context->device->enter(context);
            status = zti_cuda_tally(context, coding, pass, array, s.tallies, &is_done);
            context->device->leave(before);
        }
        if (status == ZT_OK && !is_done)
            run_pass(context, &s, threads);
        zti_stage(context, ZT_STAGE_MODELS);
        if (status == ZT_OK)
            status = learning->learn(context, coding, pass, array, s.tallies);
        zti_release(context, s.tallies);
        zti_stage(context, ZT_STAGE_OTHER);
    }
    return status;
}

zt_status zti_exec_survey(zt_context *context, struct zti_coding *coding, const zt_array *array)
{
    struct zti_mirror values;
    memset(&coding->run.kept, 0, sizeof coding->run.kept);
    if (!zti_learns(coding->codec))
        return ZT_OK;
    zt_status status = zti_mirror_open(context, array, &values);
    if (!status)
        status = survey(context, coding, &values.array);
    zti_mirror_close(&values);
    return status;
}
