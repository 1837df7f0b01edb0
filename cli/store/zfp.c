/* zfp.c: a bare zfp stream: what it is, by its header or the options; its index, in a file
 * beside it; its values. Of a file only what is needed is read: its first bytes, then what a box
 * needs, or all. */
#include "store/zfp.h"

#include "store/zfp_mode.h"
#include "util/errors.h"
#include "util/numbers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD_BYTES = 64 }; /* at least of zfp's header */

/* ---- what it is ---- */

/* The stream can hold this many tiles, of which each takes minbits, and at least a bit. Keeps a
 * garbled header from asking for memory that no honest one needs. */
static bool is_plausible(const struct stored *s)
{
    uint64_t tiles = 1;
    uint64_t bits = (uint64_t)s->stream_bytes * 8;
    for (uint32_t i = 0; i < s->rank; i++) {
        uint64_t across = s->shape[i] / 4 + (s->shape[i] % 4 != 0);
        if (across && tiles > UINT64_MAX / across)
            return false;
        tiles *= across;
    }
    uint64_t least = s->zfp.minbits ? s->zfp.minbits : s->zfp.maxbits > 0;
    return least == 0 || tiles <= bits / least;
}

static void describe(struct stored *s)
{
    zt_info *info = &s->info;
    (void)zt_info_init(info, sizeof *info);
    info->codec = ZT_CODEC_ZFP;
    info->type = s->type;
    info->rank = s->rank;
    info->index = ZT_INDEX_NONE;
    memcpy(info->shape, s->shape, sizeof info->shape);
    bound_of_zfp(&s->zfp, s->type, s->rank, &info->bound, &info->abs_bound);
    info->stream_bytes = info->file_bytes = s->stream_bytes;
}

/* Type, shape and parameters of a stream without a header come from the options. */
static bool take_options(struct stored *s, const struct options *o, struct ztio_error *error)
{
    if (o->format != FORMAT_ZFP || !o->hints.type || !o->hints.rank || !o->has_bound ||
        o->hints.shape[0] == ZT_UNKNOWN)
        return fail(error, ZTIO_BAD_DATA,
                    "%s: has neither a .zt nor a zfp header; for a bare zfp stream without one "
                    "give --format zfp, -t, -s and its mode (such as --rate 8)",
                    s->bytes.place);
    s->type = o->hints.type;
    s->rank = o->hints.rank;
    memcpy(s->shape, o->hints.shape, sizeof s->shape);
    return zfp_of_bound(&s->zfp, &o->params, o->zfp_word_bits, s->type, s->rank, s->bytes.place,
                        error);
}

static bool take_header(struct stored *s, const struct options *o, struct ztio_error *error)
{
    unsigned char head[HEAD_BYTES];
    size_t n = s->stream_bytes < sizeof head ? s->stream_bytes : sizeof head;
    zt_array array;
    uint32_t header_bits;
    if (s->stream)
        memcpy(head, s->stream, n);
    else if (s->bytes.source.read(&s->bytes, 0, head, n, &n) != 0)
        return fail_source(error, &s->bytes, s->context, ZT_IO);
    (void)zt_zfp_init(&s->zfp, sizeof s->zfp);
    s->zfp.word_bits = o->zfp_word_bits;
    s->zfp.flags = ZT_ZFP_HEADER;
    zt_status status = zt_zfp_read_header(s->context, head, n, &s->zfp, &array, &header_bits);
    if (status != ZT_OK)
        return fail_zt(error, s->context, status, s->bytes.place);
    s->type = array.type;
    s->rank = array.rank;
    memcpy(s->shape, array.shape, sizeof s->shape);
    return true;
}

bool stored_zfp_load(struct stored *s, struct ztio_error *error)
{
    return s->stream || byte_source_slurp(&s->bytes, &s->stream, &s->stream_bytes, error);
}

/* ---- its index ---- */

char *index_place_of(const char *place)
{
    const size_t n = strlen(place);
    char *index = malloc(n + sizeof ".zti");
    if (index) {
        memcpy(index, place, n);
        memcpy(index + n, ".zti", sizeof ".zti");
    }
    return index;
}

/* Read the index that the options name, or the one beside the file. */
static bool find_index(struct stored *s, const struct options *o, struct ztio_error *error)
{
    struct byte_source bytes;
    unsigned char *data = NULL;
    size_t n = 0;
    (void)zt_zfp_index_init(&s->index, sizeof s->index);
    if (o->command == CMD_INDEX || (!o->index_file && s->is_sequential))
        return true;
    s->index_place = o->index_file ? strdup(o->index_file) : index_place_of(s->place);
    if (!s->index_place)
        return fail(error, ZTIO_LACKING, "%s: no memory for a file name; free some", s->place);
    if (!o->index_file && access(s->index_place, F_OK) != 0)
        return true;
    bool done = byte_source_open(&bytes, s->index_place, error) &&
                byte_source_slurp(&bytes, &data, &n, error);
    byte_source_close(&bytes);
    s->index.bytes = data;
    s->index.index_bytes = n;
    if (done && n == 0)
        return fail(error, ZTIO_BAD_DATA,
                    "%s: is empty; 'ztile index -f %s' makes it again, or remove it",
                    s->index_place, s->place);
    return done;
}

/* A library call failed that used the index: say which, and what to do. */
static bool fail_indexed(const struct stored *s, zt_status status, struct ztio_error *error)
{
    (void)fail_source(error, &s->bytes, s->context, status);
    const size_t n = strlen(error->sentence);
    if (status == ZT_CORRUPT && s->index.index_bytes > 0)
        (void)snprintf(error->sentence + n, sizeof error->sentence - n,
                       " (index %s; 'ztile index -f %s' makes it again)", s->index_place,
                       s->bytes.place);
    return false;
}

bool stored_zfp_check_index(struct stored *s, struct ztio_error *error)
{
    const zt_array array = zt_array_nd(NULL, (zt_type)s->type, s->rank, s->shape);
    if (s->index.index_bytes == 0)
        return true;
    if (!stored_zfp_load(s, error))
        return false;
    zt_status status =
        zt_zfp_index_check(s->context, s->stream, s->stream_bytes, &s->zfp, &array, &s->index);
    if (status == ZT_OK)
        status = zt_zfp_index_describe(s->context, &s->index);
    if (status != ZT_OK)
        return fail_indexed(s, status, error);
    s->info.index = s->index.kind;
    s->info.index_chunk = s->index.chunk;
    s->info.index_partition = s->index.partition;
    s->info.index_bytes = s->index.index_bytes;
    return true;
}

bool stored_zfp_open(struct stored *s, const struct options *o, bool has_header,
                     struct ztio_error *error)
{
    if (s->is_sequential && !stored_zfp_load(s, error))
        return false;
    if (!s->is_sequential)
        s->stream_bytes = (size_t)s->bytes.source.source_bytes;
    if (has_header ? !take_header(s, o, error) : !take_options(s, o, error))
        return false;
    describe(s);
    if (count_bytes(s->type, s->rank, s->shape, &s->info.raw_bytes) && is_plausible(s))
        return find_index(s, o, error);
    char shape[CLI_TEXT_BYTES];
    return fail(error, ZTIO_BAD_DATA,
                "%s: %zu bytes are too few for shape %s (slowest first); the stream is cut short "
                "or the shape is wrong",
                s->bytes.place, s->stream_bytes, ztio_format_shape(s->rank, s->shape, shape));
}

/* ---- its values ---- */

bool stored_zfp_read(struct stored *s, void *buffer, struct ztio_error *error)
{
    if (!stored_zfp_load(s, error))
        return false;
    zt_array out = zt_array_nd(buffer, (zt_type)s->type, s->rank, s->shape);
    zt_status status = zt_zfp_decompress_indexed(s->context, s->stream, s->stream_bytes, &s->zfp,
                                                 &s->index, &out, NULL);
    return status == ZT_OK || fail_indexed(s, status, error);
}

bool stored_zfp_read_box(struct stored *s, const zt_box *box, void *buffer,
                         struct ztio_error *error)
{
    const zt_array out = stored_box_array(s, box, buffer);
    const zt_array whole = zt_array_nd(NULL, (zt_type)s->type, s->rank, s->shape);
    const zt_status status =
        s->stream
            ? zt_zfp_decompress_box(s->context, s->stream, s->stream_bytes, &s->zfp, &s->index,
                                    &whole, box, &out)
            : zt_zfp_read_box(s->context, &s->bytes.source, &s->zfp, &s->index, &whole, box, &out);
    return status == ZT_OK || fail_indexed(s, status, error);
}
