/* bare.c: ztile compress --format zfp and ndzip: one bare stream for the whole array, as libzfp
 * and ndzip would write it. Array and stream are in memory at once. */
#include "cmd/compress/bare.h"
#include "ztile_ndzip.h"
#include "ztile_quality.h"

#include "cmd/compress/fill_check.h"
#include "cmd/compress/range.h"
#include "store/zfp.h"
#include "store/zfp_mode.h"
#include "util/errors.h"
#include "util/memory.h"
#include "util/numbers.h"
#include "util/paths.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Read everything; on a pipe of unknown extent the buffer grows. *values is to be freed, also after
 * a failure. */
static bool read_whole(struct compress_job *job, unsigned char **values, uint64_t *slices,
                       struct ztio_error *error)
{
    enum { FIRST_BYTES = 1 << 20 };
    uint64_t total = job->meta->shape[0], got, used = 0;
    bool is_known = total != ZT_UNKNOWN;
    uint64_t capacity = is_known ? total
                        : job->slice_bytes && job->slice_bytes < FIRST_BYTES
                            ? FIRST_BYTES / job->slice_bytes
                            : 1;
    unsigned char *buffer = NULL;
    for (;;) {
        bool fits = job->slice_bytes == 0 || capacity <= (SIZE_MAX - 1) / job->slice_bytes;
        unsigned char *more =
            fits ? realloc(buffer, (size_t)(capacity * job->slice_bytes) + 1) : NULL;
        *values = more ? more : buffer;
        if (!more)
            return fail(error, ZTIO_LACKING,
                        "%s: no memory for the whole array, which a bare stream needs; use "
                        "the .zt format",
                        input_name(job->place));
        buffer = more;
        if (!ztio_read(job->input, used, capacity - used, buffer + used * job->slice_bytes, &got,
                       error))
            return false;
        used += got;
        if (is_known || used < capacity)
            break;
        capacity *= 2;
    }
    *slices = used;
    return true;
}

/* Create the file of the index, where one is asked for and there is a place beside the output. */
static bool open_index(struct compress_job *job, struct ztio_error *error)
{
    const zt_params *p = &job->options->params;
    const bool is_detailed = p->index_chunk || p->index_partition;
    if (p->index == ZT_INDEX_NONE && is_detailed)
        return fail(error, ZTIO_BAD_USE, "%s: no index has no chunks; choose an index",
                    output_name(job->out));
    if (p->index == ZT_INDEX_NONE || (p->index == ZT_INDEX_DEFAULT && !is_detailed))
        return true;
    if (strcmp(job->out, "-") == 0 || is_device(job->out))
        return fail(error, ZTIO_BAD_USE,
                    "%s: a bare stream's index goes to a file beside it; name a file with -o, or "
                    "leave out --index",
                    output_name(job->out));
    char *place = index_place_of(job->out);
    const struct ztio_creation how = creation_of(job->options);
    const bool done =
        place ? byte_sink_open(&job->index_sink, place, &how, error)
              : fail(error, ZTIO_LACKING, "%s: no memory for a file name; free some", job->out);
    free(place);
    return done;
}

/* Ready for zt_zfp_compress_indexed; bytes are to be freed. */
static bool prepare_index(struct compress_job *job, const zt_array *array, const zt_zfp *zfp,
                          zt_zfp_index *index, struct ztio_error *error)
{
    (void)zt_zfp_index_init(index, sizeof *index);
    if (job->params.index != ZT_INDEX_DEFAULT)
        index->kind = job->params.index;
    index->chunk = job->params.index_chunk;
    index->partition = job->params.index_partition;
    const zt_status status =
        zt_zfp_index_bound(job->context, array, zfp, index, &index->capacity_bytes);
    if (status != ZT_OK)
        return fail_zt(error, job->context, status, output_name(job->out));
    return allocate(&index->bytes, index->capacity_bytes, input_name(job->place), error);
}

/* Put the index into its file; at fixed rate there is none, and no file. */
static bool write_index(struct compress_job *job, const zt_zfp_index *index,
                        struct ztio_error *error)
{
    if (index->index_bytes == 0) {
        byte_sink_abandon(&job->index_sink);
        if (!job->options->quiet)
            print(stderr,
                  "%s: needs no index: at a fixed rate the places of tiles are "
                  "computed\n",
                  job->out);
        return true;
    }
    if (job->index_sink.sink.write(&job->index_sink, index->bytes, index->index_bytes) == 0)
        return true;
    *error = job->index_sink.error;
    return false;
}

static bool encode(struct compress_job *job, const zt_array *array, const zt_zfp *zfp,
                   unsigned char **stream, size_t *stream_bytes, struct ztio_error *error)
{
    size_t capacity;
    void *memory;
    zt_zfp_index index = {.bytes = NULL};
    const bool has_index = job->index_sink.bytes != NULL;
    zt_status status = zt_zfp_compress_bound(job->context, array, zfp, &capacity);
    if (status != ZT_OK)
        return fail_zt(error, job->context, status, input_name(job->place));
    if (!allocate(&memory, capacity, input_name(job->place), error))
        return false;
    *stream = memory;
    if (has_index && !prepare_index(job, array, zfp, &index, error))
        return false;
    status = has_index ? zt_zfp_compress_indexed(job->context, array, zfp, *stream, capacity,
                                                 stream_bytes, &index)
                       : zt_zfp_compress(job->context, array, zfp, *stream, capacity, stream_bytes);
    const bool is_written = status != ZT_OK || !has_index || write_index(job, &index, error);
    free(index.bytes);
    if (!is_written)
        return false;
    if (status == ZT_NONFINITE) {
        (void)fail_nonfinite(job, status, error);
        size_t n = strlen(error->sentence);
        (void)snprintf(error->sentence + n, sizeof error->sentence - n,
                       ", or --allow-nonfinite to code them as libzfp does");
        return false;
    }
    return status == ZT_OK || fail_zt(error, job->context, status, input_name(job->place));
}

/* A bare zfp stream promises only what libzfp does, so what it does to this array is looked at. */
static bool verify(struct compress_job *job, const zt_array *array, const zt_zfp *zfp,
                   const unsigned char *stream, size_t stream_bytes, struct ztio_error *error)
{
    zt_quality q;
    void *memory;
    double tolerance = job->params.bound.kind == ZT_LOSSLESS ? 0 : tolerance_of(&job->params);
    uint64_t bytes;
    if (isnan(tolerance))
        return true;
    (void)count_bytes(array->type, array->rank, array->shape, &bytes);
    if (!allocate(&memory, bytes, input_name(job->place), error))
        return false;
    zt_array decoded = zt_array_nd(memory, (zt_type)array->type, array->rank, array->shape);
    (void)zt_quality_init(&q, sizeof q);
    q.abs_bound = tolerance;
    zt_status status = zt_zfp_decompress(job->context, stream, stream_bytes, zfp, &decoded, NULL);
    if (status == ZT_OK)
        status = zt_compare(job->context, array, &decoded, &q);
    free(memory);
    if (status != ZT_OK)
        return fail_zt(error, job->context, status, input_name(job->place));
    uint64_t wrong = tolerance > 0 ? q.beyond_bound + q.special_changed : q.different_values;
    if (wrong) {
        progress_end(&job->progress);
        print(stderr,
              "ztile: %s: warning: %" PRIu64 " values are off by more than %.6g, the worst "
              "by %.6g; zfp's own arithmetic does that, the .zt format does not\n",
              output_name(job->out), wrong, tolerance, q.max_abs_error);
    }
    return true;
}

/* An index of what the output was before would make it unreadable until it is gone. */
static void warn_of_old_index(const struct compress_job *job)
{
    char *place = index_place_of(job->out);
    if (!job->index_sink.bytes && place && strcmp(job->out, "-") != 0 && access(place, F_OK) == 0)
        print(stderr,
              "ztile: %s: warning: is the index of another stream; remove it, or "
              "make it again with 'ztile index -f %s'\n",
              place, job->out);
    free(place);
}

bool compress_zfp(struct compress_job *job, struct ztio_error *error)
{
    const struct options *o = job->options;
    const struct ztio_meta *meta = job->meta;
    unsigned char *values = NULL, *stream = NULL;
    size_t stream_bytes = 0;
    uint64_t shape[ZT_MAX_RANK];
    zt_zfp zfp;
    if (o->has_slab_bytes)
        return fail(error, ZTIO_BAD_USE,
                    "%s: --slab-bytes is for .zt files, a bare zfp stream is one for the whole "
                    "array; leave it out",
                    output_name(job->out));
    if (!zfp_of_bound(&zfp, &job->params, job->options->zfp_word_bits, meta->type, meta->rank,
                      input_name(job->place), error))
        return false;
    zfp.flags = (o->zfp_header ? ZT_ZFP_HEADER : 0) | (o->allow_nonfinite ? ZT_ZFP_AS_LIBZFP : 0);
    memcpy(shape, meta->shape, sizeof shape);
    bool done = open_index(job, error) && read_whole(job, &values, &shape[0], error) &&
                (shape[0] > 0 || fail_empty(job, error));
    if (done) {
        zt_array array = zt_array_nd(values, (zt_type)meta->type, meta->rank, shape);
        job->slices = shape[0];
        progress_begin(&job->progress, "compress", shape[0] * job->slice_bytes, o->quiet,
                       job->context);
        progress_slab(&job->progress, shape[0] * job->slice_bytes);
        done = far_check(job, &array, error) &&
               encode(job, &array, &zfp, &stream, &stream_bytes, error);
        if (done && !o->no_verify) {
            progress_begin(&job->progress, "verify", shape[0] * job->slice_bytes, o->quiet,
                           job->context);
            progress_slab(&job->progress, shape[0] * job->slice_bytes);
            done = verify(job, &array, &zfp, stream, stream_bytes, error);
        }
    }
    progress_end(&job->progress);
    if (done && job->sink.sink.write(&job->sink, stream, stream_bytes) != 0) {
        *error = job->sink.error;
        done = false;
    }
    if (done)
        warn_of_old_index(job);
    free(stream);
    free(values);
    return done;
}

/* ---- ndzip ---- */

/* Options that a bare ndzip stream has no place for. */
static bool check_ndzip_options(const struct compress_job *job, struct ztio_error *error)
{
    const struct options *o = job->options;
    const char *const odd =
        o->has_slab_bytes    ? "--slab-bytes"
        : o->allow_nonfinite ? "--allow-nonfinite"
        : o->no_verify       ? "--no-verify"
        : !o->zfp_header     ? "--zfp-header off"
        : o->params.index != ZT_INDEX_DEFAULT || o->params.index_chunk || o->params.index_partition
            ? "--index"
            : NULL;
    if (odd)
        return fail(error, ZTIO_BAD_USE,
                    "%s: %s does not go with a bare ndzip stream; leave it out",
                    output_name(job->out), odd);
    return o->params.bound.kind == ZT_LOSSLESS ||
           fail(error, ZTIO_BAD_USE,
                "%s: ndzip is lossless; leave out the bound, or write a .zt file",
                output_name(job->out));
}

bool compress_ndzip(struct compress_job *job, struct ztio_error *error)
{
    const struct ztio_meta *meta = job->meta;
    unsigned char *values = NULL;
    void *stream = NULL;
    size_t capacity = 0, stream_bytes = 0;
    uint64_t shape[ZT_MAX_RANK];
    memcpy(shape, meta->shape, sizeof shape);
    bool done = check_ndzip_options(job, error) && read_whole(job, &values, &shape[0], error) &&
                (shape[0] > 0 || fail_empty(job, error));
    if (done) {
        const zt_array array = zt_array_nd(values, (zt_type)meta->type, meta->rank, shape);
        job->slices = shape[0];
        zt_status status = zt_ndzip_compress_bound(job->context, &array, &capacity);
        done = status == ZT_OK || fail_zt(error, job->context, status, input_name(job->place));
        done = done && allocate(&stream, capacity, input_name(job->place), error);
        if (done) {
            progress_begin(&job->progress, "compress", shape[0] * job->slice_bytes,
                           job->options->quiet, job->context);
            progress_slab(&job->progress, shape[0] * job->slice_bytes);
            status = zt_ndzip_compress(job->context, &array, stream, capacity, &stream_bytes);
            progress_end(&job->progress);
            done = status == ZT_OK || fail_zt(error, job->context, status, input_name(job->place));
        }
    }
    if (done && job->sink.sink.write(&job->sink, stream, stream_bytes) != 0) {
        *error = job->sink.error;
        done = false;
    }
    free(stream);
    free(values);
    return done;
}
