/* survey.c: the codec's passes over all values before the first tile is coded. In each pass every
 * thread fills its own tally; the tallies are merged, and the codec learns from the result, which
 * does not depend on threads. Between intervals of tiles the calling thread says how far a pass is,
 * and asks the progress function, which may cancel. */
#include "array/memory.h"
#include "core/cpu.h"
#include "core/crew.h"
#include "core/device.h"
#include "core/map.h"
#include "exec/exec.h"
#include "exec/policy.h"
#include "exec/run.h"

/* Tiles that a thread takes at a time: GRAIN_TILES, or fewer with GRAIN_VALUES values; of a long
 * interval more, as the first of them are not prefetched. */
enum { GRAIN_TILES = 32, GRAIN_VALUES = GRAIN_TILES * 4096, GRAINS_A_THREAD = 4 };

/* A pass. */
struct survey {
    zt_context *context;
    const struct zti_learning *learning;
    const struct zti_coding *coding;
    const struct zti_array *array;
    uint32_t pass;
    const struct zti_passing *passing;
    uint64_t interval;   /* tiles between two reports */
    uint64_t begin, end; /* tiles of this interval */
    uint64_t grain;      /* tiles that a thread takes at a time */
    size_t tally_bytes;  /* rounded up to cache lines */
    void *tally;         /* the first thread's */
    char *others;        /* the other threads' */
    zt_status status;
};

static uint64_t grain_of(const struct zti_coding *coding)
{
    const uint64_t tiles = GRAIN_VALUES / zti_tile_values(coding);
    return tiles < 1 ? 1 : tiles < GRAIN_TILES ? tiles : GRAIN_TILES;
}

static void tally_grain(void *shared, uint32_t worker, uint64_t number)
{
    const struct survey *s = shared;
    const uint64_t first = s->begin + number * s->grain, left = s->end - first;
    void *const tally = worker ? s->others + (worker - 1) * s->tally_bytes : s->tally;
    s->learning->tally(s->coding, s->pass, s->array, first,
                       first + (left < s->grain ? left : s->grain), tally);
}

/* No tile is coded yet, so the progress function is told of none. */
static void tally_tiles(void *shared, struct zti_crew *crew)
{
    struct survey *const s = shared;
    const uint64_t count = s->coding->grid.count;
    for (; s->begin < count && !s->status; s->begin = s->end) {
        s->end = count - s->begin < s->interval ? count : s->begin + s->interval;
        zti_crew_map(crew, zti_ceil_div(s->end - s->begin, s->grain), tally_grain, s);
        zti_pass(s->passing, &s->coding->grid, s->array, s->end);
        s->status = zti_report(s->context, 0, count);
    }
}

/* Tiles between two reports: those of some MiB a thread; all, if there is no one to be told. */
static uint64_t interval_of(const zt_context *context, const struct zti_coding *coding,
                            uint32_t threads, const struct zti_passing *passing)
{
    enum { INTERVAL_A_THREAD_BYTES = 8 << 20 };
    const uint64_t tiles = (uint64_t)threads * INTERVAL_A_THREAD_BYTES / zti_tile_bytes(coding);
    const uint64_t grain = grain_of(coding), least = grain * threads;
    const bool is_told = (passing && passing->passed) || (context && context->progress);
    return !is_told ? coding->grid.count : tiles < least ? least : tiles;
}

/* With one thread, it takes all tiles of an interval at a time. */
zt_status zti_tally_on_host(zt_context *context, struct zti_coding *coding, uint32_t pass,
                            const struct zti_array *array, void *tally,
                            const struct zti_passing *passing)
{
    const struct zti_learning *const learning = zti_learning_of(coding->codec);
    const uint64_t count = coding->grid.count;
    const uint32_t threads = zti_map_workers(context, zti_ceil_div(count, grain_of(coding)));
    const size_t bytes = learning->tally_bytes(coding, pass);
    struct survey s = {.context = context,
                       .learning = learning,
                       .coding = coding,
                       .array = array,
                       .pass = pass,
                       .grain = threads > 1 ? grain_of(coding) : count,
                       .tally_bytes = (size_t)zti_round_up(bytes, 64),
                       .tally = tally,
                       .passing = passing,
                       .interval = interval_of(context, coding, threads, passing)};
    s.others = threads > 1 ? zti_alloc_zeroed(context, (threads - 1) * s.tally_bytes) : NULL;
    if (threads > 1 && !s.others)
        return zti_fail(context, ZT_NO_MEMORY, "no memory for %u tallies of %zu bytes", threads,
                        s.tally_bytes);
    const uint64_t some = (s.interval < count ? s.interval : count) / threads / GRAINS_A_THREAD;
    if (threads > 1 && s.grain < some)
        s.grain = some;
    zti_crew_run(threads, tally_tiles, &s);
    for (uint32_t i = 0; i + 1 < threads; i++)
        learning->merge(coding, pass, tally, s.others + i * s.tally_bytes);
    zti_release(context, s.others);
    return s.status;
}

static zt_status survey(zt_context *context, struct zti_coding *coding,
                        const struct zti_array *array, const struct zti_passing *passing)
{
    const struct zti_learning *const learning = zti_learning_of(coding->codec);
    zt_status status = ZT_OK;
    size_t bytes;
    coding->run.isa = zti_isa_of(context);
    coding->run.has_host_passes = !zti_exec_is_by_kernels(context, coding);
    if (learning->begin) {
        zti_stage(context, ZT_STAGE_MODELS);
        status = learning->begin(context, coding, array);
        zti_stage(context, ZT_STAGE_OTHER);
    }
    for (uint32_t pass = 0; !status && (bytes = learning->tally_bytes(coding, pass)) > 0; pass++) {
        void *const tally = zti_alloc_zeroed(context, (size_t)zti_round_up(bytes, 64));
        if (!tally)
            return zti_fail(context, ZT_NO_MEMORY, "no memory for a tally of %zu bytes", bytes);
        const bool is_sample = learning->is_sampled(coding, pass);
        zti_stage(context, is_sample ? ZT_STAGE_SAMPLES : ZT_STAGE_COUNT);
        status =
            zti_policy_of(context, coding)->tally(context, coding, pass, array, tally, passing);
        zti_stage(context, ZT_STAGE_MODELS);
        if (status == ZT_OK)
            status = learning->learn(context, coding, pass, array, tally);
        zti_release(context, tally);
        zti_stage(context, ZT_STAGE_OTHER);
    }
    return status;
}

bool zti_exec_reads_values(const zt_context *context, const struct zti_coding *coding)
{
    const struct zti_learning *const learning = zti_learning_of(coding->codec);
    return !zti_exec_is_by_kernels(context, coding) ||
           (zti_learns(coding->codec) && (!learning->reads_array || learning->reads_array(coding)));
}

zt_status zti_exec_survey(zt_context *context, struct zti_coding *coding,
                          const struct zti_array *array, const struct zti_passing *passing)
{
    memset(&coding->run.kept, 0, sizeof coding->run.kept);
    return zti_learns(coding->codec) ? survey(context, coding, array, passing) : ZT_OK;
}
