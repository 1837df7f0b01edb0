/* study.c: the measurements of the index study, and their means. */
#include "bench/study.h"
#include "ztile_cuda.h"

#include "util/errors.h"
#include "util/memory.h"
#include "util/numbers.h"

#include "ztile_zfp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const uint32_t study_layout[STUDY_LAYOUTS] = {ZT_INDEX_OFFSETS, ZT_INDEX_LENGTHS, ZT_INDEX_HYBRID,
                                              ZT_INDEX_COMPACT};

/* A time is the fastest of at least so many runs that take together at least so long. */
enum { LEAST_RUNS = 7 };
static const double least_seconds = 0.03;

uint32_t study_precision(int i)
{
    return 8 + 4 * (uint32_t)i;
}

void study_choose(struct study *s)
{
    s->sizes = study_is_on_gpu(s) ? STUDY_CHUNKS_CUDA : STUDY_CHUNKS;
    s->timed_count = 0;
    for (int i = 0; i < STUDY_LAYOUTS; i++)
        if (study_is_on_gpu(s) || study_layout[i] == ZT_INDEX_OFFSETS ||
            study_layout[i] == ZT_INDEX_COMPACT)
            s->timed[s->timed_count++] = i;
}

bool study_is_on_gpu(const struct study *s)
{
    return zt_context_policy(s->context) == ZT_CUDA;
}

uint32_t study_chunk(const struct study *s, int i)
{
    (void)s;
    return UINT32_C(1) << i;
}

/* An array, compressed with one layout: a .zt file, of which the sizes are taken, and then a bare
 * stream in the same memory, with its index. */
struct coded {
    void *bytes;
    size_t capacity;
    size_t n;
    zt_zfp zfp;
    zt_zfp_index index;
};

/* One thing to time: decoding some bytes on some threads. */
struct timing {
    struct coded *coded;
    uint32_t threads;
    double *seconds;
};

/* A build without threads has one, which no policy has to be set for; on a GPU there are none to
 * choose. */
static bool use_threads(const struct study *s, uint32_t threads, struct ztio_error *error)
{
    const zt_omp omp = {.threads = threads, .grain = s->options->exec.omp.grain};
    if (s->options->exec.policy == ZT_SERIAL || zt_context_policy(s->context) != ZT_OMP)
        return true;
    zt_status status = zt_context_set_omp(s->context, &omp);
    return status == ZT_OK || fail_zt(error, s->context, status, "bench");
}

/* Run all of them in turn, and again, so that what else the machine does hits all alike. */
static bool take_times(const struct study *s, const struct study_file *f, void *decoded,
                       const struct timing *timings, int n, struct ztio_error *error)
{
    zt_array out = zt_array_nd(decoded, (zt_type)f->type, f->rank, f->shape);
    const double began = now_seconds();
    for (int i = 0; i < n; i++)
        *timings[i].seconds = (double)INFINITY;
    for (int run = 0; run < LEAST_RUNS || now_seconds() - began < least_seconds * n; run++)
        for (int i = 0; i < n; i++) {
            const struct timing *t = &timings[i];
            if (!use_threads(s, t->threads, error))
                return false;
            const double start = now_seconds();
            zt_status status =
                zt_zfp_decompress_indexed(s->context, t->coded->bytes, t->coded->n, &t->coded->zfp,
                                          &t->coded->index, &out, NULL);
            if (status != ZT_OK)
                return fail_zt(error, s->context, status, f->place);
            *t->seconds = fmin(*t->seconds, now_seconds() - start);
        }
    return true;
}

/* One frame, so that the index is one and its chunks are what C says. */
static zt_params params_of(const struct study *s, const struct study_file *f, int precision,
                           int chunk, uint32_t layout)
{
    zt_params p;
    (void)zt_params_init(&p, sizeof p);
    p.bound = zt_precision(study_precision(precision));
    p.slab_bytes = f->raw_bytes;
    p.index = layout;
    p.index_chunk = study_chunk(s, chunk);
    return p;
}

static bool encode(const struct study *s, struct study_file *f, int precision, int chunk,
                   int layout, struct coded *coded, struct ztio_error *error)
{
    const zt_params p = params_of(s, f, precision, chunk, study_layout[layout]);
    const zt_array in = zt_array_nd(f->values, (zt_type)f->type, f->rank, f->shape);
    zt_info info;
    (void)zt_info_init(&info, sizeof info);
    zt_status status = zt_compress(s->context, &in, &p, coded->bytes, coded->capacity, &coded->n);
    if (status == ZT_OK)
        status = zt_inspect(s->context, coded->bytes, coded->n, &info);
    if (status != ZT_OK)
        return fail_zt(error, s->context, status, f->place);
    f->stream_bytes[precision] = info.stream_bytes;
    f->index_bytes[precision][chunk][layout] = info.index_bytes;
    return true;
}

static bool encode_bare(const struct study *s, const struct study_file *f, int precision, int chunk,
                        int layout, struct coded *coded, struct ztio_error *error)
{
    const zt_array in = zt_array_nd(f->values, (zt_type)f->type, f->rank, f->shape);
    coded->index.kind = study_layout[layout];
    coded->index.chunk = study_chunk(s, chunk);
    coded->index.partition = study_layout[layout] == ZT_INDEX_HYBRID ? STUDY_PARTITION : 0;
    zt_status status = zt_zfp_set_precision(&coded->zfp, study_precision(precision), NULL);
    if (status == ZT_OK)
        status = zt_zfp_compress_indexed(s->context, &in, &coded->zfp, coded->bytes,
                                         coded->capacity, &coded->n, &coded->index);
    return status == ZT_OK || fail_zt(error, s->context, status, f->place);
}

/* All of one precision and chunk size: the sizes of the layouts, and the times of some. */
static bool measure_chunk(struct study *s, struct study_file *f, int precision, int chunk,
                          struct coded *coded, void *decoded, struct ztio_error *error)
{
    struct timing timings[STUDY_LAYOUTS + STUDY_COUNTS];
    const uint32_t all = s->threads[s->counts - 1];
    int n = 0;
    if (!use_threads(s, all, error))
        return false;
    for (int layout = 0; layout < STUDY_LAYOUTS; layout++)
        if (!encode(s, f, precision, chunk, layout, &coded[layout], error))
            return false;
    for (int i = 0; i < s->timed_count; i++) {
        const int layout = s->timed[i];
        if (!encode_bare(s, f, precision, chunk, layout, &coded[layout], error))
            return false;
        timings[n++] = (struct timing){&coded[layout], all, &f->seconds[precision][chunk][layout]};
    }
    for (int i = 0; chunk == STUDY_SPEEDUP_AT && i < s->counts; i++)
        timings[n++] = (struct timing){&coded[0], s->threads[i], &f->seconds_on[precision][i]};
    return take_times(s, f, decoded, timings, n, error);
}

/* The most bytes of any of a file's settings. */
static bool find_capacity(const struct study *s, const struct study_file *f, size_t *capacity,
                          struct ztio_error *error)
{
    const zt_array in = zt_array_nd(NULL, (zt_type)f->type, f->rank, f->shape);
    zt_zfp zfp;
    (void)zt_zfp_init(&zfp, sizeof zfp);
    (void)zt_zfp_set_precision(&zfp, study_precision(STUDY_PRECISIONS - 1), NULL);
    const zt_status bare = zt_zfp_compress_bound(s->context, &in, &zfp, capacity);
    if (bare != ZT_OK)
        return fail_zt(error, s->context, bare, f->place);
    for (int layout = 0; layout < STUDY_LAYOUTS; layout++) {
        const zt_params p = params_of(s, f, STUDY_PRECISIONS - 1, 0, study_layout[layout]);
        size_t bytes;
        zt_status status = zt_compress_bound(s->context, &in, &p, &bytes);
        if (status != ZT_OK)
            return fail_zt(error, s->context, status, f->place);
        *capacity = bytes > *capacity ? bytes : *capacity;
    }
    return true;
}

/* Memory for the index of any chunk size; that of C = 1 is the longest. */
static bool provide_index(const struct study *s, const struct study_file *f, int layout,
                          struct coded *coded, struct ztio_error *error)
{
    const zt_array in = zt_array_nd(NULL, (zt_type)f->type, f->rank, f->shape);
    (void)zt_zfp_init(&coded->zfp, sizeof coded->zfp);
    (void)zt_zfp_set_precision(&coded->zfp, study_precision(STUDY_PRECISIONS - 1), NULL);
    (void)zt_zfp_index_init(&coded->index, sizeof coded->index);
    coded->index.kind = study_layout[layout];
    coded->index.chunk = 1;
    coded->index.partition = study_layout[layout] == ZT_INDEX_HYBRID ? STUDY_PARTITION : 0;
    const zt_status status = zt_zfp_index_bound(s->context, &in, &coded->zfp, &coded->index,
                                                &coded->index.capacity_bytes);
    if (status != ZT_OK)
        return fail_zt(error, s->context, status, f->place);
    return allocate(&coded->index.bytes, coded->index.capacity_bytes, f->place, error);
}

/* Streams and decoded values are on a GPU where it decodes, so that times have no copies of them.
 */
static bool take_memory(const struct study *s, const struct study_file *f, size_t bytes,
                        void **memory, struct ztio_error *error)
{
    if (!study_is_on_gpu(s))
        return allocate(memory, bytes, f->place, error);
    const zt_status status = zt_cuda_allocate(s->context, bytes, memory);
    return status == ZT_OK || fail_zt(error, s->context, status, f->place);
}

static void give_memory(const struct study *s, void *memory)
{
    if (study_is_on_gpu(s))
        zt_cuda_free(s->options->exec.cuda.device, memory);
    else
        free(memory);
}

static bool measure_file(struct study *s, struct study_file *f, struct coded *coded, void **decoded,
                         struct ztio_error *error)
{
    size_t capacity;
    if (!find_capacity(s, f, &capacity, error))
        return false;
    for (int i = 0; i < STUDY_LAYOUTS; i++) {
        if (!take_memory(s, f, capacity, &coded[i].bytes, error))
            return false;
        coded[i].capacity = capacity;
        if (!provide_index(s, f, i, &coded[i], error))
            return false;
    }
    if (!take_memory(s, f, (size_t)f->raw_bytes, decoded, error))
        return false;
    for (int precision = 0; precision < STUDY_PRECISIONS; precision++)
        for (int chunk = 0; chunk < f->chunks; chunk++) {
            progress_slab(&s->progress, f->raw_bytes);
            if (!measure_chunk(s, f, precision, chunk, coded, *decoded, error))
                return false;
        }
    return true;
}

bool study_measure(struct study *s, struct ztio_error *error)
{
    uint64_t work = 0;
    bool done = true;
    for (int i = 0; i < s->files; i++)
        work += s->file[i].raw_bytes * STUDY_PRECISIONS * (uint64_t)s->file[i].chunks;
    progress_begin(&s->progress, "measure", work, s->options->quiet, NULL);
    s->progress.counts_steps = true;
    for (int i = 0; done && i < s->files; i++) {
        struct coded coded[STUDY_LAYOUTS];
        memset(coded, 0, sizeof coded);
        void *decoded = NULL;
        done = measure_file(s, &s->file[i], coded, &decoded, error);
        for (int j = 0; j < STUDY_LAYOUTS; j++) {
            give_memory(s, coded[j].bytes);
            free(coded[j].index.bytes);
        }
        give_memory(s, decoded);
    }
    progress_end(&s->progress);
    return done;
}

/* Over the precisions. With it the ratio is the harmonic mean of the ratios. */
static double mean_stream(const struct study_file *f)
{
    double sum = 0;
    for (int i = 0; i < STUDY_PRECISIONS; i++)
        sum += (double)f->stream_bytes[i];
    return sum / STUDY_PRECISIONS;
}

double study_ratio(const struct study_file *f)
{
    return (double)f->raw_bytes / mean_stream(f);
}

double study_overhead(const struct study_file *f, int chunk, int layout)
{
    double sum = 0;
    if (chunk >= f->chunks)
        return (double)NAN;
    for (int i = 0; i < STUDY_PRECISIONS; i++)
        sum += (double)f->index_bytes[i][chunk][layout];
    return sum / STUDY_PRECISIONS / mean_stream(f);
}

/* Bits of the largest number below n. */
static double bits_below(double n)
{
    return ceil(log2(n));
}

double study_formula(const struct study_file *f, int chunk, int layout, uint64_t chunk_tiles)
{
    const double value_bits = f->type == ZT_F64 || f->type == ZT_I64 ? 64 : 32;
    const double tile_bits = ldexp(value_bits, 2 * (int)f->rank);
    const double y = study_ratio(f) / ((double)chunk_tiles * tile_bits);
    const double offset = bits_below(8 * mean_stream(f));
    const double length = bits_below((double)chunk_tiles * tile_bits);
    if (chunk >= f->chunks)
        return (double)NAN;
    if (layout == 0)
        return y * offset;
    return layout == 1 ? y * length
                       : y * (offset + (STUDY_PARTITION - 1) * length) / STUDY_PARTITION;
}

double study_effective(const struct study_file *f, int chunk, int layout)
{
    return study_ratio(f) / (1 + study_overhead(f, chunk, layout));
}

double study_seconds_on(const struct study_file *f, int count)
{
    double sum = 0;
    if (f->chunks <= STUDY_SPEEDUP_AT)
        return (double)NAN;
    for (int i = 0; i < STUDY_PRECISIONS; i++)
        sum += f->seconds_on[i][count];
    return sum / STUDY_PRECISIONS;
}

double study_speed(const struct study_file *f, int chunk, int layout)
{
    double sum = 0;
    if (chunk >= f->chunks)
        return (double)NAN;
    for (int i = 0; i < STUDY_PRECISIONS; i++)
        sum += f->seconds[i][chunk][layout];
    return (double)f->raw_bytes / 1e9 / (sum / STUDY_PRECISIONS);
}

double study_speed_alone(const struct study_file *f)
{
    double sum = 0;
    if (f->chunks <= STUDY_SPEEDUP_AT)
        return (double)NAN;
    for (int i = 0; i < STUDY_PRECISIONS; i++)
        sum += f->seconds_on[i][0];
    return (double)f->raw_bytes / 1e9 / (sum / STUDY_PRECISIONS);
}

double study_speedup(const struct study_file *f, int count)
{
    double alone = 0, together = 0;
    if (f->chunks <= STUDY_SPEEDUP_AT)
        return (double)NAN;
    for (int i = 0; i < STUDY_PRECISIONS; i++) {
        alone += f->seconds_on[i][0];
        together += f->seconds_on[i][count];
    }
    return alone / together;
}

struct study_mean study_mean_of(const struct study *s, int chunk)
{
    struct study_mean m = {0};
    double inverse = 0, index[STUDY_LAYOUTS] = {0}, slowness[STUDY_LAYOUTS] = {0};
    for (int i = 0; i < s->files; i++) {
        const struct study_file *f = &s->file[i];
        if (chunk >= f->chunks)
            continue;
        m.files++;
        inverse += 1 / study_ratio(f);
        for (int j = 0; j < STUDY_LAYOUTS; j++)
            index[j] += study_overhead(f, chunk, j) / study_ratio(f);
        for (int j = 0; j < s->timed_count; j++)
            slowness[s->timed[j]] += 1 / study_speed(f, chunk, s->timed[j]);
    }
    m.ratio = m.files ? m.files / inverse : (double)NAN;
    for (int j = 0; j < STUDY_LAYOUTS; j++)
        m.overhead[j] = m.files ? index[j] / inverse : (double)NAN;
    for (int j = 0; j < STUDY_LAYOUTS; j++)
        m.speed[j] = slowness[j] > 0 ? m.files / slowness[j] : (double)NAN;
    return m;
}

double study_mean_speedup(const struct study *s, int count)
{
    double inverse = 0;
    int files = 0;
    for (int i = 0; i < s->files; i++)
        if (s->file[i].chunks > STUDY_SPEEDUP_AT) {
            inverse += 1 / study_speedup(&s->file[i], count);
            files++;
        }
    return files ? files / inverse : (double)NAN;
}
