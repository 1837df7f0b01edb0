/* ndzip.c: bare ndzip streams, as ndzip itself writes and reads them: one for the whole
 * array, without a word on its type and shape. Array and stream are in memory at once. */
#include "store/ndzip.h"
#include "ztile_ndzip.h"

#include "util/errors.h"
#include "util/numbers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    const zt_array out = stored_box_array(s, box, buffer);
    const zt_array whole = zt_array_nd(NULL, (zt_type)s->type, s->rank, s->shape);
    const zt_status status =
        zt_ndzip_decompress_box(s->context, s->stream, s->stream_bytes, &whole, box, &out);
    return status == ZT_OK || fail_zt(error, s->context, status, s->bytes.place);
}
