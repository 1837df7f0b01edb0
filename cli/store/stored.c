/* stored.c: an array however it is kept: a .zt file, a bare stream (zfp.c, ndzip.c),
 * a plain file. */
#include "store/stored.h"

#include "store/ndzip.h"
#include "store/zfp.h"
#include "util/errors.h"
#include "util/memory.h"
#include "util/numbers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Raw bytes of a slab of a plain file, and of a part of a .zt file, about: what a thread decodes at
 * a time stays in a processor's caches. */
enum { PLAIN_STEP_BYTES = 32 << 20, PART_BYTES = 4 << 20 };

static const unsigned char zt_magic[4] = {0x93, 'Z', 'T', 'F'}; /* docs/format/zt.md */
static const unsigned char zfp_magic[3] = {'z', 'f', 'p'};

static uint64_t part_bytes_of(const struct execution *exec)
{
    if (exec->policy == ZT_CUDA) /* whole frames */
        return UINT64_MAX;
    return (uint64_t)PART_BYTES * threads_of(exec);
}

static bool open_zt(struct stored *s, const struct execution *exec, struct ztio_error *error)
{
    s->part_bytes = part_bytes_of(exec);
    zt_status status = zt_reader_open(s->context, &s->bytes.source, &s->reader);
    if (status == ZT_OK)
        status = zt_info_init(&s->info, sizeof s->info);
    if (status == ZT_OK)
        status = zt_reader_info(s->reader, &s->info);
    if (status != ZT_OK)
        return fail_source(error, &s->bytes, s->context, status);
    s->type = s->info.type;
    s->rank = s->info.rank;
    memcpy(s->shape, s->info.shape, sizeof s->shape);
    return true;
}

static bool open_plain(struct stored *s, const struct options *o, const struct ztio_meta *hints,
                       struct ztio_error *error)
{
    bool has_own = o->hints.type || o->hints.rank;
    s->input = ztio_open(s->place, has_own ? &o->hints : NULL, error);
    if (!s->input && !has_own && hints && error->exit_status == ZTIO_BAD_USE)
        s->input = ztio_open(s->place, hints, error);
    if (!s->input)
        return false;
    const struct ztio_meta *meta = ztio_meta_of(s->input);
    s->type = meta->type;
    s->rank = meta->rank;
    memcpy(s->shape, meta->shape, sizeof s->shape);
    s->is_sequential = !ztio_is_seekable(s->input);
    if (s->shape[0] == ZT_UNKNOWN)
        return fail(error, ZTIO_BAD_USE, "%s: its first extent is not known; give it with -s",
                    input_name(s->place));
    return true;
}

/* -t and -s, where given, must be what the file says. */
static bool agrees(const struct stored *s, const struct ztio_meta *hints, struct ztio_error *error)
{
    char own[CLI_TEXT_BYTES], asked[CLI_TEXT_BYTES];
    if (hints->type && hints->type != s->type)
        return fail(error, ZTIO_BAD_USE, "%s: its type is %s, not %s; leave out -t",
                    input_name(s->place), ztio_name_of_type(s->type),
                    ztio_name_of_type(hints->type));
    bool is_same = hints->rank == 0 || hints->rank == s->rank;
    for (uint32_t i = 0; is_same && i < hints->rank; i++)
        is_same = hints->shape[i] == s->shape[i] || hints->shape[i] == ZT_UNKNOWN ||
                  s->shape[i] == ZT_UNKNOWN;
    if (is_same)
        return true;
    return fail(error, ZTIO_BAD_USE, "%s: its shape is %s (slowest first), not %s; leave out -s",
                input_name(s->place), ztio_format_shape(s->rank, s->shape, own),
                ztio_format_shape(hints->rank, hints->shape, asked));
}

/* The options, the file's first bytes or its suffix say what it is. */
static bool find_kind(struct stored *s, const struct options *o, bool plain_too, bool *has_header,
                      struct ztio_error *error)
{
    if (plain_too && strchr(s->place, ':') && access(s->place, F_OK) != 0) {
        s->kind = STORED_PLAIN; /* file.nc:variable */
        return true;
    }
    if (!byte_source_open(&s->bytes, s->place, error))
        return false;
    s->is_sequential = s->bytes.source.source_bytes == ZT_UNKNOWN;
    const struct byte_source *b = &s->bytes;
    bool is_zt =
        b->head_bytes >= sizeof zt_magic && memcmp(b->head, zt_magic, sizeof zt_magic) == 0;
    *has_header =
        b->head_bytes >= sizeof zfp_magic && memcmp(b->head, zfp_magic, sizeof zfp_magic) == 0;
    if (o->format == FORMAT_ZT || (o->format == FORMAT_AUTO && is_zt))
        s->kind = STORED_ZT;
    else if (o->format == FORMAT_NDZIP || has_suffix(s->place, ".ndz"))
        s->kind = STORED_NDZIP;
    else if (o->format == FORMAT_ZFP || *has_header || has_suffix(s->place, ".zfp"))
        s->kind = STORED_ZFP;
    else
        s->kind = plain_too && !has_suffix(s->place, ".zt") ? STORED_PLAIN : STORED_ZT;
    if (s->kind == STORED_PLAIN && s->is_sequential && strcmp(s->place, "-") == 0)
        return fail(error, ZTIO_BAD_USE,
                    "standard input: holds neither a .zt nor a zfp header; name a file instead");
    if (s->kind == STORED_PLAIN)
        byte_source_close(&s->bytes);
    return true;
}

bool stored_open(struct stored *s, const char *place, const struct options *o, bool plain_too,
                 const struct ztio_meta *hints, zt_context *context, struct ztio_error *error)
{
    bool has_header = false, opened;
    memset(s, 0, sizeof *s);
    s->place = place;
    s->context = context;
    if (!find_kind(s, o, plain_too, &has_header, error))
        return false;
    if (s->kind == STORED_PLAIN)
        opened = open_plain(s, o, hints, error);
    else if (s->kind == STORED_ZFP)
        opened = stored_zfp_open(s, o, has_header, error);
    else if (s->kind == STORED_NDZIP)
        opened = stored_ndzip_open(s, o, error);
    else
        opened = open_zt(s, &o->exec, error);
    return opened && agrees(s, &o->hints, error);
}

void stored_close(struct stored *s)
{
    zt_reader_close(s->reader);
    ztio_close(s->input);
    free(s->stream);
    free(s->index.bytes);
    free(s->index_place);
    byte_source_close(&s->bytes);
    memset(s, 0, sizeof *s);
}

uint64_t stored_file_bytes(const struct stored *s)
{
    if (s->kind == STORED_ZFP || s->kind == STORED_NDZIP)
        return s->stream_bytes;
    return s->is_sequential ? s->bytes.position : s->bytes.source.source_bytes;
}

static uint64_t plain_step(const struct stored *s)
{
    uint64_t slice_bytes;
    if (!count_slice_bytes(s->type, s->rank, s->shape, &slice_bytes) || slice_bytes == 0)
        return 1;
    return slice_bytes < PLAIN_STEP_BYTES ? PLAIN_STEP_BYTES / slice_bytes : 1;
}

bool stored_next(struct stored *s, uint64_t *first, uint64_t *extent, struct ztio_error *error)
{
    if (s->kind == STORED_ZT) {
        *first = s->next;
        *extent = zt_reader_part_extent(s->reader, s->part_bytes);
        const zt_status status = *extent > 0 ? ZT_OK : zt_reader_next(s->reader, first, extent);
        if (status != ZT_OK)
            return fail_source(error, &s->bytes, s->context, status);
        if (*extent > 0)
            *extent = zt_reader_part_extent(s->reader, s->part_bytes);
    } else {
        uint64_t step = s->kind == STORED_PLAIN ? plain_step(s) : s->shape[0];
        uint64_t left = s->shape[0] - s->next;
        *first = s->next;
        *extent = step < left ? step : left;
    }
    s->next = *first + *extent;
    s->extent = *extent;
    return true;
}

static bool read_plain(struct stored *s, uint64_t first, uint64_t extent, void *buffer,
                       struct ztio_error *error)
{
    uint64_t got;
    if (!ztio_read(s->input, first, extent, buffer, &got, error))
        return false;
    return got == extent ||
           fail(error, ZTIO_BAD_DATA,
                "%s: ends after %" PRIu64 " slices of %" PRIu64 "; give the right shape with -s",
                input_name(s->place), first + got, s->shape[0]);
}

bool stored_read(struct stored *s, void *buffer, struct ztio_error *error)
{
    uint64_t shape[ZT_MAX_RANK];
    if (s->kind == STORED_PLAIN)
        return read_plain(s, s->next - s->extent, s->extent, buffer, error);
    if (s->kind == STORED_ZFP)
        return stored_zfp_read(s, buffer, error);
    if (s->kind == STORED_NDZIP)
        return stored_ndzip_read(s, buffer, error);
    memcpy(shape, s->shape, sizeof shape);
    shape[0] = s->extent;
    zt_array out = zt_array_nd(buffer, (zt_type)s->type, s->rank, shape);
    zt_status status = zt_reader_read(s->reader, &out);
    return status == ZT_OK || fail_source(error, &s->bytes, s->context, status);
}

void cut_box(uint32_t type, uint32_t rank, const uint64_t *shape, const void *from,
             const zt_box *box, void *to)
{
    /* Padded with axes of extent 1 in front, so that one loop nest serves every rank. */
    uint64_t n[ZT_MAX_RANK] = {1, 1, 1, 1}, lo[ZT_MAX_RANK] = {0}, hi[ZT_MAX_RANK] = {1, 1, 1, 1};
    size_t bytes = zt_type_bytes(type);
    char *out = to;
    for (uint32_t i = 0; i < rank; i++) {
        n[ZT_MAX_RANK - rank + i] = shape[i];
        lo[ZT_MAX_RANK - rank + i] = box->lo[i];
        hi[ZT_MAX_RANK - rank + i] = box->hi[i];
    }
    size_t row_bytes = (size_t)(hi[3] - lo[3]) * bytes;
    for (uint64_t i = lo[0]; i < hi[0]; i++)
        for (uint64_t j = lo[1]; j < hi[1]; j++)
            for (uint64_t k = lo[2]; k < hi[2]; k++) {
                uint64_t at = ((i * n[1] + j) * n[2] + k) * n[3] + lo[3];
                memcpy(out, (const char *)from + at * bytes, row_bytes);
                out += row_bytes;
            }
}

/* Slab by slab, so that a box takes the memory of a slab and not of the array. */
static bool read_plain_box(struct stored *s, const zt_box *box, void *buffer,
                           struct ztio_error *error)
{
    uint64_t slab_shape[ZT_MAX_RANK], part_shape[ZT_MAX_RANK] = {0};
    uint64_t step = plain_step(s), slab_bytes, part_bytes;
    bool is_whole_slices = true;
    void *slab;
    char *out = buffer;
    for (uint32_t i = 1; i < s->rank; i++)
        is_whole_slices = is_whole_slices && box->lo[i] == 0 && box->hi[i] == s->shape[i];
    if (is_whole_slices)
        return read_plain(s, box->lo[0], box->hi[0] - box->lo[0], buffer, error);
    memcpy(slab_shape, s->shape, sizeof slab_shape);
    slab_shape[0] = step < box->hi[0] - box->lo[0] ? step : box->hi[0] - box->lo[0];
    if (!count_bytes(s->type, s->rank, slab_shape, &slab_bytes) ||
        !allocate(&slab, slab_bytes, input_name(s->place), error))
        return false;
    for (uint64_t at = box->lo[0]; at < box->hi[0]; at += slab_shape[0]) {
        if (slab_shape[0] > box->hi[0] - at)
            slab_shape[0] = box->hi[0] - at;
        if (!read_plain(s, at, slab_shape[0], slab, error)) {
            free(slab);
            return false;
        }
        zt_box part = *box;
        part.lo[0] = 0;
        part.hi[0] = slab_shape[0];
        cut_box(s->type, s->rank, slab_shape, slab, &part, out);
        for (uint32_t i = 0; i < s->rank; i++)
            part_shape[i] = part.hi[i] - part.lo[i];
        (void)count_bytes(s->type, s->rank, part_shape, &part_bytes);
        out += part_bytes;
    }
    free(slab);
    return true;
}

bool stored_read_box(struct stored *s, const zt_box *box, void *buffer, struct ztio_error *error)
{
    if (s->kind == STORED_PLAIN)
        return read_plain_box(s, box, buffer, error);
    if (s->kind == STORED_ZFP)
        return stored_zfp_read_box(s, box, buffer, error);
    if (s->kind == STORED_NDZIP)
        return stored_ndzip_read_box(s, box, buffer, error);
    if (s->is_sequential)
        return fail(error, ZTIO_BAD_USE, "%s: a box cannot be cut out of a pipe; use a file",
                    s->bytes.place);
    const zt_array out = stored_box_array(s, box, buffer);
    const zt_status status = zt_reader_read_box(s->reader, box, &out);
    return status == ZT_OK || fail_source(error, &s->bytes, s->context, status);
}
