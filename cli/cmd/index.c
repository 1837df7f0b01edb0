/* index.c: ztile index: add an index to a .zt file or replace the one it has, or make one for a
 * bare zfp stream, in a file beside it. Streams are parsed, not decoded, and stay as they are. */
#include "cmd/commands.h"

#include "store/stored.h"
#include "store/zfp.h"
#include "util/errors.h"
#include "util/memory.h"
#include "util/numbers.h"
#include "util/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct job {
    const struct options *options;
    zt_params params; /* the index asked for */
    zt_context *context;
    struct stored stored;
    struct byte_sink sink;
    struct progress progress;
    zt_zfp_index index; /* of a bare stream */
};

/* A .zt file: itself again unless -o says otherwise. */
static bool index_zt(struct job *job, struct ztio_error *error)
{
    const struct options *o = job->options;
    struct stored *s = &job->stored;
    const char *out = o->out ? o->out : s->place;
    struct ztio_creation how = creation_of(o);
    how.overwrite = how.overwrite || !o->out;
    if (!byte_sink_open(&job->sink, out, &how, error))
        return false;
    const zt_params *const p = &job->params;
    const zt_status status =
        zt_replace_index(job->context, &s->bytes.source, &job->sink.sink, (zt_index_kind)p->index,
                         p->index_chunk, p->index_partition);
    if (status != ZT_OK && job->sink.error.exit_status) {
        *error = job->sink.error;
        return false;
    }
    return status == ZT_OK || fail_source(error, &s->bytes, job->context, status);
}

static bool make_index(struct job *job, struct ztio_error *error)
{
    struct stored *s = &job->stored;
    const zt_array array = zt_array_nd(NULL, (zt_type)s->type, s->rank, s->shape);
    zt_zfp_index *index = &job->index;
    (void)zt_zfp_index_init(index, sizeof *index);
    index->kind = job->params.index;
    index->chunk = job->params.index_chunk;
    index->partition = job->params.index_partition;
    zt_status status =
        zt_zfp_index_bound(job->context, &array, &s->zfp, index, &index->capacity_bytes);
    if (status != ZT_OK)
        return fail_zt(error, job->context, status, s->bytes.place);
    if (!allocate(&index->bytes, index->capacity_bytes, s->bytes.place, error) ||
        !stored_zfp_load(s, error))
        return false;
    status = zt_zfp_index_build(job->context, s->stream, s->stream_bytes, &s->zfp, &array, index);
    if (status != ZT_OK)
        return fail_zt(error, job->context, status, s->bytes.place);
    return index->index_bytes > 0 ||
           fail(error, ZTIO_BAD_USE,
                "%s: needs no index: at a fixed rate the places of tiles are computed",
                s->bytes.place);
}

/* A bare stream: a file of its own. */
static bool index_zfp(struct job *job, struct ztio_error *error)
{
    const struct options *o = job->options;
    char *beside = index_place_of(job->stored.place);
    const char *out = o->out ? o->out : beside;
    const struct ztio_creation how = creation_of(o);
    bool done = out || fail(error, ZTIO_LACKING, "%s: no memory for a file name; free some",
                            job->stored.place);
    if (done && job->params.index == ZT_INDEX_NONE)
        done = fail(error, ZTIO_BAD_USE,
                    "%s: a bare zfp stream holds no index that could be taken away; remove %s",
                    job->stored.place, out);
    done = done && byte_sink_open(&job->sink, out, &how, error) && make_index(job, error);
    if (done && job->sink.sink.write(&job->sink, job->index.bytes, job->index.index_bytes) != 0) {
        *error = job->sink.error;
        done = false;
    }
    free(beside);
    return done;
}

static void print_summary(const struct job *job)
{
    const struct stored *s = &job->stored;
    char before[CLI_TEXT_BYTES], after[CLI_TEXT_BYTES];
    if (s->kind == STORED_ZT)
        print(stderr, "%s: index %s, %s -> %s\n",
              output_name(job->options->out ? job->options->out : s->place),
              name_of_index(job->params.index),
              format_size((double)s->bytes.source.source_bytes, before),
              format_size((double)job->sink.written, after));
    else
        print(stderr, "%s: index %s, %" PRIu64 " bytes, %.3g %% of the stream\n", s->place,
              name_of_index(job->index.kind), job->sink.written,
              100 * (double)job->sink.written / (double)s->stream_bytes);
}

static bool run_job(struct job *job, struct ztio_error *error)
{
    const struct options *o = job->options;
    struct stored *s = &job->stored;
    const char *place = o->operand[0];
    bool is_file = strcmp(place, "-") != 0;
    if (is_file && !stored_open(s, place, o, false, NULL, job->context, error))
        return false;
    if (!is_file || s->is_sequential)
        return fail(error, ZTIO_BAD_USE, "%s: a pipe cannot be given an index; name a file",
                    input_name(place));
    const uint64_t frames = s->kind == STORED_ZT && s->info.frames > 0 ? s->info.frames : 1;
    progress_begin(&job->progress, "index", s->info.raw_bytes, o->quiet, job->context);
    progress_slab(&job->progress, s->info.raw_bytes / frames);
    bool done = s->kind == STORED_ZT ? index_zt(job, error) : index_zfp(job, error);
    progress_end(&job->progress);
    if (!done || !byte_sink_commit(&job->sink, error))
        return false;
    if (!o->quiet)
        print_summary(job);
    return true;
}

bool run_index(const struct options *o, struct ztio_error *error)
{
    struct job job;
    memset(&job, 0, sizeof job);
    job.options = o;
    job.params = o->params;
    if (job.params.index == ZT_INDEX_DEFAULT) /* the default leaves out small frames */
        job.params.index = ZT_INDEX_COMPACT;
    if (!context_new(&job.context, error))
        return false;
    bool done = run_job(&job, error);
    byte_sink_abandon(&job.sink);
    progress_end(&job.progress);
    stored_close(&job.stored);
    free(job.index.bytes);
    zt_context_free(job.context);
    return done;
}
