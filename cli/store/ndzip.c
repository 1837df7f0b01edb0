/* ndzip.c: bare ndzip streams, as ndzip itself writes and reads them: one for the whole
 * array, without a word on its type and shape. Array and stream are in memory at once. */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Options that a bare ndzip stream has no place for. */
static bool check_options(const struct compress_job *job, struct ztio_error *error)
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
    bool done = check_options(job, error) && read_whole(job, &values, &shape[0], error) &&
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

bool stored_ndzip_open(struct stored *s, const struct options *o, struct ztio_error *error)
{
    if (o->command == CMD_INDEX)
        return fail(error, ZTIO_BAD_USE,
                    "%s: an ndzip stream begins with its own index; it needs no other", s->place);
    if (o->command == CMD_INFO)
        return fail(error, ZTIO_BAD_USE,
                    "%s: an ndzip stream does not say what it holds; 'ztile decompress' takes its "
                    "type and shape with -t and -s",
                    s->place);
    if (!o->hints.type || !o->hints.rank || o->hints.shape[0] == ZT_UNKNOWN)
        return fail(error, ZTIO_BAD_USE,
                    "%s: an ndzip stream does not say what it holds; give its type with -t and its "
                    "shape with -s",
                    s->bytes.place);
    s->type = o->hints.type;
    s->rank = o->hints.rank;
    memcpy(s->shape, o->hints.shape, sizeof s->shape);
    if (!byte_source_slurp(&s->bytes, &s->stream, &s->stream_bytes, error))
        return false;
    zt_info *info = &s->info;
    (void)zt_info_init(info, sizeof *info);
    info->codec = ZT_CODEC_NDZIP;
    info->type = s->type;
    info->rank = s->rank;
    info->index = ZT_INDEX_STREAM;
    info->index_chunk = 1;
    info->abs_bound = 0;
    memcpy(info->shape, s->shape, sizeof info->shape);
    info->stream_bytes = info->file_bytes = s->stream_bytes;
    return count_bytes(s->type, s->rank, s->shape, &info->raw_bytes) ||
           fail(error, ZTIO_BAD_USE, "%s: the shape has more bytes than 64 bits count; check -s",
                s->bytes.place);
}

bool stored_ndzip_read(struct stored *s, void *buffer, struct ztio_error *error)
{
    const zt_array out = zt_array_nd(buffer, (zt_type)s->type, s->rank, s->shape);
    size_t used = 0;
    const zt_status status =
        zt_ndzip_decompress(s->context, s->stream, s->stream_bytes, &out, &used);
    if (status != ZT_OK)
        return fail_zt(error, s->context, status, s->bytes.place);
    return used == s->stream_bytes ||
           fail(error, ZTIO_BAD_DATA, "%s: has %zu bytes behind the stream of %zu; check -t and -s",
                s->bytes.place, s->stream_bytes - used, used);
}

bool stored_ndzip_read_box(struct stored *s, const zt_box *box, void *buffer,
                           struct ztio_error *error)
{
    uint64_t shape[ZT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < s->rank; i++)
        shape[i] = box->hi[i] - box->lo[i];
    const zt_array out = zt_array_nd(buffer, (zt_type)s->type, s->rank, shape);
    const zt_array whole = zt_array_nd(NULL, (zt_type)s->type, s->rank, s->shape);
    const zt_status status =
        zt_ndzip_decompress_box(s->context, s->stream, s->stream_bytes, &whole, box, &out);
    return status == ZT_OK || fail_zt(error, s->context, status, s->bytes.place);
}
