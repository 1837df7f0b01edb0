/* ztile_filter.c: the HDF5 filter for all that ztile can do. A chunk is a complete .zt file
 * (docs/format/zt.md), with its checksums and index; the dataset's cd_values are the table of
 * ztile_h5.h.
 *
 * Axes of extent 1 are left out of a chunk; where more than 4 are left, the slowest are joined into
 * one: a chunk of 6x5x4x3x2x7 is coded as 120x3x2x7, which lies in memory alike. Unsigned integers
 * are coded as signed ones less half their range, so that their order and their differences stay.
 * NaN, infinities and HDF5's padding of chunks at an edge are kept apart by the .zt file. */
#include "filters.h"
#include "workers.h"
#include "ztile_sz.h"
#include "ztile_zfp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILTER = ZTILE_H5_FILTER, MAX_WORDS = 32, FORM_STORED = 1 };
enum { STORED_AT = ZTILE_H5_STORED_AT, SHAPE_AT = STORED_AT + 1 };

/* ---- the table ---- */

static unsigned kind_of(const unsigned *words)
{
    return words[1] >> 8 & 0xff;
}

/* Where ways are: in the stored form behind all else. */
static size_t ways_at(size_t count, const unsigned *words)
{
    if ((words[0] & 0xff) != FORM_STORED || count <= STORED_AT)
        return STORED_AT;
    return SHAPE_AT + (words[STORED_AT] >> 16 & 0xff) + (words[STORED_AT] >> 24 ? 2 : 0);
}

/* What is asked, from either form; false after a complaint. */
static bool load_config(void *caller, size_t count, const unsigned *words,
                        struct ztile_h5_config *c)
{
    memset(c, 0, sizeof *c);
    c->filter = FILTER;
    if (count < 4 || (words[0] & 0xffffff00u) != ZTILE_H5_TABLE || (words[0] & 0xff) > 1) {
        zh_complain(caller,
                    "the %zu cd_values of filter %d are no table that this version knows "
                    "(the first is 0x%08x, version 1 begins with 0x%08x); let ztile_h5.h or "
                    "ztile_h5_words make them",
                    count, FILTER, count ? words[0] : 0, ZTILE_H5_TABLE);
        return false;
    }
    c->codec = words[1] & 0xff;
    c->kind = kind_of(words);
    c->flags = words[1] >> 16 & 0xff;
    c->effort = words[1] >> 24;
    c->value = ztile_h5_get_double(words + 2);
    const bool is_long = c->kind == ZT_EXPERT || c->kind == ZT_REL || c->kind == ZT_PSNR;
    if (c->effort > ZT_EFFORT_HIGH || c->kind > ZT_EXPERT || (is_long && count < STORED_AT)) {
        zh_complain(caller,
                    "the cd_values of filter %d name effort %u and bound %u with %zu words; this "
                    "version knows efforts to %d, bounds 0 to %d, and rel, psnr and expert take %d "
                    "words",
                    FILTER, c->effort, c->kind, count, ZT_EFFORT_HIGH, ZT_EXPERT, STORED_AT);
        return false;
    }
    if (c->kind == ZT_EXPERT) {
        memcpy(c->expert, words + 4, sizeof c->expert);
    } else if (is_long) {
        c->range[0] = ztile_h5_get_double(words + 4);
        c->range[1] = ztile_h5_get_double(words + 6);
        c->has_range = 1;
    }
    c->ways = count > ways_at(count, words) ? words[ways_at(count, words)] : 0;
    return true;
}

/* Where no codec is named: zfp for what only zfp has, else sz, also without loss, since files want
 * ratio more than the speed of memory. */
static uint32_t codec_of(const struct ztile_h5_config *c)
{
    const bool is_of_zfp = c->kind == ZT_RATE || c->kind == ZT_PRECISION || c->kind == ZT_EXPERT;
    const uint32_t own = is_of_zfp ? ZT_CODEC_ZFP : ZT_CODEC_SZ;
    return c->codec == ZT_CODEC_AUTO ? own : c->codec;
}

/* has_fill: fill is no value, but what HDF5 pads chunks with and netCDF leaves where nothing was
 * written; it is kept exactly and no part of a bound. */
static void params_of(const struct ztile_h5_config *c, bool has_fill, uint64_t fill, zt_params *p)
{
    (void)zt_params_init(p, sizeof *p);
    p->codec = codec_of(c);
    p->effort = c->effort ? c->effort : ZT_EFFORT_DEFAULT;
    p->bound = zt_bound_of((zt_bound_kind)c->kind, c->value);
    p->bound.flags = c->flags;
    zt_params_set_sz_ways(p, c->ways);
    if (c->kind == ZT_EXPERT)
        p->bound = zt_expert(c->expert[0], c->expert[1], c->expert[2], (int32_t)c->expert[3]);
    if (c->has_range) {
        p->range_lo = c->range[0];
        p->range_hi = c->range[1];
    }
    if (has_fill) {
        p->fills = 1;
        p->fill[0] = fill;
    }
}

/* What of a dataset's chunks is in the stored form; false after a complaint. */
static bool load_chunk(void *caller, size_t count, const unsigned *words, struct zh_chunk *chunk)
{
    const uint32_t type = count > STORED_AT ? words[STORED_AT] & 0xff : 0;
    const uint32_t rank = count > STORED_AT ? words[STORED_AT] >> 16 & 0xff : 0;
    if ((words[0] & 0xff) != FORM_STORED || zt_type_bytes(type) == 0 || rank < 1 ||
        rank > ZT_MAX_RANK || count < SHAPE_AT + rank + (words[STORED_AT] >> 24 ? 2 : 0)) {
        zh_complain(caller, "the dataset's cd_values do not say what a chunk is; the filter was "
                            "not applied when the dataset was created, or the file is damaged");
        return false;
    }
    *chunk = (struct zh_chunk){.type = type, .rank = rank};
    for (uint32_t i = 0; i < rank; i++)
        chunk->shape[i] = words[SHAPE_AT + i];
    chunk->is_unsigned = (words[STORED_AT] >> 8 & 0xff) != 0;
    chunk->has_fill = words[STORED_AT] >> 24 != 0;
    if (chunk->has_fill)
        chunk->fill = words[SHAPE_AT + rank] | (uint64_t)words[SHAPE_AT + rank + 1] << 32;
    return true;
}

bool zh_ztile_stored(size_t count, const unsigned *words, uint64_t *chunk_bytes, bool *is_lossless)
{
    struct ztile_h5_config config;
    struct zh_chunk chunk;
    if (!load_config(NULL, count, words, &config) || !load_chunk(NULL, count, words, &chunk))
        return false;
    *chunk_bytes = zh_raw_bytes(chunk.type, chunk.rank, chunk.shape);
    *is_lossless = config.kind == ZT_LOSSLESS;
    return true;
}

/* Join the slowest axes while there are more than 4. */
static void join_axes(struct zh_chunk *chunk)
{
    const uint32_t extra = zh_drop_unit_axes(chunk) > ZT_MAX_RANK ? chunk->rank - ZT_MAX_RANK : 0;
    for (uint32_t i = 0; i < extra; i++)
        chunk->shape[extra] *= chunk->shape[i];
    if (extra > 0)
        memmove(chunk->shape, chunk->shape + extra, ZT_MAX_RANK * sizeof *chunk->shape);
    chunk->rank -= extra;
}

/* The words to be stored for a dataset; 0 after a complaint. */
static size_t words_of(void *caller, struct zh_chunk *chunk, size_t count, const unsigned *asked,
                       unsigned *stored)
{
    struct ztile_h5_config config;
    zt_params params;
    size_t capacity;
    if (!load_config(caller, count, asked, &config))
        return 0;
    join_axes(chunk);
    if (chunk->is_unsigned) /* as it is coded */
        chunk->fill ^= zt_type_bytes(chunk->type) == 8 ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    params_of(&config, chunk->has_fill, chunk->fill, &params);
    zt_context *context = zh_context(caller);
    if (!context)
        return 0;
    const zt_array array = zt_array_nd(NULL, (zt_type)chunk->type, chunk->rank, chunk->shape);
    const zt_status status = zt_compress_bound(context, &array, &params, &capacity);
    if (status != ZT_OK)
        zh_complain(caller, "%s", zt_context_error(context));
    zt_context_free(context);
    if (status != ZT_OK)
        return 0;
    config.codec = codec_of(&config); /* a file says which, whatever a later version would take */
    (void)ztile_h5_words(&config, stored);
    stored[0] |= FORM_STORED;
    stored[STORED_AT] = chunk->type | (unsigned)chunk->is_unsigned << 8 | chunk->rank << 16 |
                        (unsigned)chunk->has_fill << 24;
    for (uint32_t i = 0; i < chunk->rank; i++) {
        if (chunk->shape[i] > UINT32_MAX) {
            zh_complain(caller, "a chunk is longer than 2^32 - 1 along an axis; make it smaller");
            return 0;
        }
        stored[SHAPE_AT + i] = (unsigned)chunk->shape[i];
    }
    size_t end = SHAPE_AT + chunk->rank;
    if (chunk->has_fill) {
        stored[end++] = (unsigned)chunk->fill;
        stored[end++] = (unsigned)(chunk->fill >> 32);
    }
    if (config.ways)
        stored[end++] = config.ways;
    return end;
}

static int set_local(zh_hid dcpl, zh_hid type, zh_hid space)
{
    unsigned flags = 0, asked[MAX_WORDS] = {0}, stored[MAX_WORDS];
    size_t count = MAX_WORDS;
    struct zh_chunk chunk;
    (void)space;
    if (!zh_chunk_of_dataset(ZH_CALLER, dcpl, type, &chunk) ||
        !zh_get_values(ZH_CALLER, dcpl, FILTER, &flags, &count, asked))
        return -1;
    count = words_of(ZH_CALLER, &chunk, count < MAX_WORDS ? count : MAX_WORDS, asked, stored);
    return count > 0 &&
                   zh_check_pipeline(ZH_CALLER, dcpl, FILTER, kind_of(stored) == ZT_LOSSLESS,
                                     flags & ZH_FLAG_OPTIONAL) &&
                   zh_set_values(ZH_CALLER, dcpl, FILTER, flags, count, stored)
               ? 1
               : -1;
}

/* ---- chunks ---- */

/* Between unsigned integers and signed ones half their range lower: the highest bit turned. */
static void turn_signs(const zt_array *array, size_t bytes)
{
    const size_t size = zt_type_bytes(array->type);
    uint8_t *p = array->data;
    const uint16_t one = 1;
    const size_t high = *(const uint8_t *)&one ? size - 1 : 0;
    for (size_t i = high; i < bytes; i += size)
        p[i] ^= 0x80;
}

/* What a dataset's cd_values say of a chunk. */
struct asked {
    struct ztile_h5_config config;
    struct zh_chunk chunk;
};

/* Code the values of an array; *out NULL: it becomes memory of the worker. The bytes, 0 after a
 * complaint. */
static size_t encode(void *caller, struct zh_worker *worker, const struct asked *asked,
                     const zt_array *array, size_t nbytes, void **out, size_t room)
{
    zt_context *const context = worker->context;
    const size_t raw = zh_raw_bytes(array->type, array->rank, array->shape);
    const bool is_unsigned = asked->chunk.is_unsigned;
    size_t bytes = 0;
    zt_params params;
    zt_status status = ZT_OK;
    if (raw != nbytes) {
        zh_complain(caller,
                    "a chunk has %zu bytes and not the %zu of its values; no filter that "
                    "changes the size may come before this one",
                    nbytes, raw);
        return 0;
    }
    params_of(&asked->config, asked->chunk.has_fill, asked->chunk.fill, &params);
    if (is_unsigned)
        turn_signs(array, raw);
    if (!*out) {
        status = zt_compress_bound(context, array, &params, &room);
        *out = status == ZT_OK ? zh_worker_memory(worker, room) : NULL;
        status = status == ZT_OK && !*out ? ZT_NO_MEMORY : status;
    }
    if (status == ZT_OK)
        status = zt_compress(context, array, &params, *out, room, &bytes);
    if (is_unsigned) /* where the filter fails, HDF5 may store the values as they were */
        turn_signs(array, raw);
    if (status == ZT_OK)
        return bytes;
    zh_complain(caller, "%s",
                status == ZT_NO_MEMORY ? "no memory for a chunk" : zt_context_error(context));
    return 0;
}

/* Look at a chunk before there is memory for its values; false after a complaint. */
static bool look_at(void *caller, zt_context *context, const struct asked *asked, const void *in,
                    size_t in_bytes, zt_info *info)
{
    const struct zh_chunk *const chunk = &asked->chunk;
    const size_t raw = zh_raw_bytes(chunk->type, chunk->rank, chunk->shape);
    (void)zt_info_init(info, sizeof *info);
    if (zt_inspect(context, in, in_bytes, info) != ZT_OK) {
        zh_complain(caller, "%s", zt_context_error(context));
        return false;
    }
    if (raw == 0 || info->type != chunk->type || info->raw_bytes != raw) {
        zh_complain(caller, "a chunk holds another type or number of values than its dataset's "
                            "cd_values say; the file is damaged");
        return false;
    }
    return true;
}

/* Others may have left axes of extent 1 in, or joined others: in memory it is the same. False after
 * a complaint. */
static bool decode(void *caller, zt_context *context, const struct asked *asked,
                   const zt_info *info, const void *in, size_t in_bytes, void *out)
{
    const zt_array array = zt_array_nd(out, (zt_type)info->type, info->rank, info->shape);
    if (zt_decompress(context, in, in_bytes, &array) != ZT_OK) {
        zh_complain(caller, "%s", zt_context_error(context));
        return false;
    }
    if (asked->chunk.is_unsigned)
        turn_signs(&array, (size_t)info->raw_bytes);
    return true;
}

/* A chunk that would grow is left to HDF5 where that may store it as it is. */
static size_t compress(void *caller, struct zh_worker *worker, const struct asked *asked,
                       bool is_optional, size_t nbytes, size_t *buf_size, void **buf)
{
    const struct zh_chunk *const chunk = &asked->chunk;
    const zt_array array = zt_array_nd(*buf, (zt_type)chunk->type, chunk->rank, chunk->shape);
    void *out = NULL;
    const size_t bytes = encode(caller, worker, asked, &array, nbytes, &out, 0);
    if (bytes == 0 || (is_optional && bytes >= nbytes))
        return 0;
    return zh_replace(caller, out, bytes, buf_size, buf);
}

static size_t decompress(void *caller, zt_context *context, const struct asked *asked,
                         size_t nbytes, size_t *buf_size, void **buf)
{
    zt_info info;
    if (!look_at(caller, context, asked, *buf, nbytes, &info))
        return 0;
    void *const out = malloc((size_t)info.raw_bytes);
    if (!out)
        zh_complain(caller, "no memory for a chunk of %zu bytes", (size_t)info.raw_bytes);
    if (!out || !decode(caller, context, asked, &info, *buf, nbytes, out)) {
        free(out);
        return 0;
    }
    free(*buf);
    *buf = out;
    *buf_size = (size_t)info.raw_bytes;
    return *buf_size;
}

static bool load(void *caller, size_t count, const unsigned *words, struct asked *asked)
{
    return load_config(caller, count, words, &asked->config) &&
           load_chunk(caller, count, words, &asked->chunk);
}

static size_t filter(unsigned flags, size_t count, const unsigned *words, size_t nbytes,
                     size_t *buf_size, void **buf)
{
    void *const caller = ZH_CALLER;
    struct asked asked;
    struct zh_worker worker;
    if (!load(caller, count, words, &asked) || !zh_worker_take(caller, &worker))
        return 0;
    const size_t result =
        flags & ZH_FLAG_REVERSE
            ? decompress(caller, worker.context, &asked, nbytes, buf_size, buf)
            : compress(caller, &worker, &asked, flags & ZH_FLAG_OPTIONAL, nbytes, buf_size, buf);
    zh_worker_give(&worker);
    return result;
}

size_t zh_ztile_run(unsigned flags, size_t count, const unsigned *words, uint32_t threads, void *in,
                    size_t in_bytes, void *out, size_t room)
{
    struct asked asked;
    size_t bytes = 0;
    zt_info info;
    struct zh_worker worker;
    if (!load(NULL, count, words, &asked) || !zh_worker_take_of(NULL, threads, &worker))
        return 0;
    zt_context *const context = worker.context;
    const struct zh_chunk *const chunk = &asked.chunk;
    const zt_array array = zt_array_nd(in, (zt_type)chunk->type, chunk->rank, chunk->shape);
    if (!(flags & ZH_FLAG_REVERSE))
        bytes = encode(NULL, &worker, &asked, &array, in_bytes, &out, room);
    else if (look_at(NULL, context, &asked, in, in_bytes, &info) && info.raw_bytes <= room &&
             decode(NULL, context, &asked, &info, in, in_bytes, out))
        bytes = (size_t)info.raw_bytes;
    zh_worker_give(&worker);
    return bytes;
}

const struct zh_class zh_ztile_class = {ZH_CLASS_VERSION, FILTER, 1,         1,
                                        "ztile",          NULL,   set_local, filter};

const struct zh_words zh_ztile_words = {FILTER, "ztile", true, load_config, words_of};
