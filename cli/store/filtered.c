/* filtered.c: variables of HDF5 and netCDF-4 files behind ztile's filters: what the filters' words
 * promise, and ztile info FILE.nc and FILE.nc:variable. */
#include "store/filtered.h"

#include "store/zfp_mode.h"
#include "util/errors.h"
#include "util/json.h"
#include "util/numbers.h"
#include "util/table.h"
#include "ztile_h5.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file of a place, to be freed; NULL without memory. */
static char *path_of(const char *place)
{
    const char *colon = access(place, F_OK) == 0 ? NULL : strrchr(place, ':');
    return colon ? strndup(place, (size_t)(colon - place)) : strdup(place);
}

bool is_hdf5_place(const char *place)
{
    char *path = path_of(place);
    const bool is_hdf5 = path && ztio_is_hdf5(path);
    free(path);
    return is_hdf5;
}

/* ---- what a filter's words promise ----------------------------------------------------------- */

/* Of filter 32013 the words are zfp's header, the other way round from a big-endian machine. */
static bool read_zfp_words(const struct ztio_filtered *d, zt_info *info)
{
    unsigned char bytes[20] = {0};
    zt_array array;
    zt_zfp zfp;
    (void)zt_zfp_init(&zfp, sizeof zfp);
    zfp.word_bits = 8;
    const bool is_turned = d->words > 1 && (d->word[1] & 0xffffff00u) == 0x7a667000u;
    for (size_t i = 0; i + 1 < d->words && i < 5; i++)
        for (size_t k = 0; k < 4; k++)
            bytes[4 * i + k] = (unsigned char)(d->word[i + 1] >> 8 * (is_turned ? 3 - k : k));
    if (zt_zfp_read_header(NULL, bytes, sizeof bytes, &zfp, &array, NULL) != ZT_OK)
        return false;
    info->codec = ZT_CODEC_ZFP;
    bound_of_zfp(&zfp, array.type, array.rank, &info->bound, &info->abs_bound);
    return true;
}

static bool read_table(const struct ztio_filtered *d, zt_info *info)
{
    const unsigned *word = d->word;
    if (d->words < 4 || (word[0] & 0xffffff00u) != ZTILE_H5_TABLE)
        return false;
    const unsigned kind = word[1] >> 8 & 0xff;
    const bool has_more = d->words >= ZTILE_H5_STORED_AT;
    info->codec = word[1] & 0xff;
    info->bound = zt_bound_of((zt_bound_kind)kind, ztile_h5_get_double(word + 2));
    if (kind == ZT_EXPERT && has_more)
        info->bound = zt_expert(word[4], word[5], word[6], (int32_t)word[7]);
    if (has_more && (kind == ZT_REL || kind == ZT_PSNR))
        info->range = ztile_h5_get_double(word + 6) - ztile_h5_get_double(word + 4);
    info->abs_bound = kind == ZT_LOSSLESS ? 0
                      : kind == ZT_ABS    ? info->bound.value
                      : kind == ZT_REL    ? info->bound.value * info->range
                                          : (double)NAN;
    return true;
}

bool info_of_filtered(const struct ztio_filtered *d, zt_info *info)
{
    (void)zt_info_init(info, sizeof *info);
    info->raw_bytes = d->variable.raw_bytes;
    info->file_bytes = d->variable.stored_bytes;
    info->abs_bound = info->psnr = info->mean_error = (double)NAN;
    info->within_lo = info->within_hi = (double)NAN;
    const bool done =
        d->filter == ZTILE_H5_FILTER_ZFP ? read_zfp_words(d, info) : read_table(d, info);
    if (done && is_mean_bound(info->bound.kind))
        info->mean = info->bound;
    return done;
}

/* ---- ztile info ------------------------------------------------------------------------------ */

struct listing {
    const struct options *options;
    zt_context *context;
    uint64_t count;
    struct table table;
    struct json json;
    struct ztio_error *error;
};

static const char *format_axes(uint32_t rank, const uint64_t *extent, char *text)
{
    size_t at = 0;
    for (uint32_t i = 0; i < rank && at < CLI_TEXT_BYTES; i++)
        at +=
            (size_t)snprintf(text + at, CLI_TEXT_BYTES - at, "%s%" PRIu64, i ? "x" : "", extent[i]);
    return text;
}

static double ratio_of(const struct ztio_variable *v)
{
    return (double)v->raw_bytes / (double)(v->stored_bytes ? v->stored_bytes : 1);
}

static bool skip_part(void *user, const void *values, uint64_t count)
{
    (void)user;
    (void)values;
    (void)count;
    return true;
}

/* Every chunk is decoded; those of ztile's own filter have checksums. */
static bool check_values(const struct listing *l, const struct ztio_filtered *d)
{
    const char *place = l->options->operand[0];
    char *path = path_of(place);
    const bool is_right = path ? ztio_scan_hdf5(path, &d->variable, skip_part, NULL, l->error)
                               : fail(l->error, ZTIO_LACKING, "%s: no memory; free some", place);
    free(path);
    return is_right;
}

static void print_json(struct listing *l, const struct ztio_filtered *d, const zt_info *info,
                       bool is_known)
{
    const struct ztio_variable *v = &d->variable;
    const bool has_value =
        is_known && info->bound.kind != ZT_LOSSLESS && info->bound.kind != ZT_EXPERT;
    struct json *j = &l->json;
    json_object(j, NULL);
    json_text(j, "name", v->path);
    json_count(j, "filter", (uint64_t)d->filter);
    json_text(j, "codec", is_known ? name_of_codec(info->codec) : NULL);
    json_text(j, "type", d->type_name);
    json_shape(j, "shape", v->rank, v->shape);
    json_shape(j, "chunk_shape", v->rank, d->chunk);
    json_text(j, "bound", is_known ? name_of_bound(info->bound.kind) : NULL);
    json_number(j, "bound_value", has_value ? info->bound.value : (double)NAN);
    json_number(j, "abs_bound", info->abs_bound);
    json_count(j, "raw_bytes", v->raw_bytes);
    json_count(j, "stored_bytes", v->stored_bytes);
    json_number(j, "ratio", ratio_of(v));
    json_close(j);
}

static const char *const columns[] = {"variable", "type",  "shape", "chunks", "filter",
                                      "codec",    "bound", "raw",   "stored", "ratio"};

static void add_row(struct table *t, const struct ztio_filtered *d, const zt_info *info,
                    bool is_known)
{
    const struct ztio_variable *v = &d->variable;
    char text[CLI_TEXT_BYTES];
    table_row(t);
    table_cell(t, "%s", v->path);
    table_cell(t, "%s", d->type_name);
    table_cell(t, "%s", format_axes(v->rank, v->shape, text));
    table_cell(t, "%s", format_axes(v->rank, d->chunk, text));
    table_cell(t, "%d", d->filter);
    table_cell(t, "%s", is_known ? name_of_codec(info->codec) : "unknown");
    table_cell(t, "%s", is_known ? format_bound(&info->bound, text) : "unknown");
    table_cell(t, "%s", format_size((double)v->raw_bytes, text));
    table_cell(t, "%s", format_size((double)v->stored_bytes, text));
    table_cell(t, "%.2f", ratio_of(v));
}

static bool list_one(void *user, const struct ztio_filtered *d)
{
    struct listing *l = user;
    zt_info info;
    const bool is_known = info_of_filtered(d, &info);
    if (l->options->check && d->variable.raw_bytes > 0 && !check_values(l, d))
        return false;
    if (l->options->json) {
        if (l->count == 0) {
            json_begin(&l->json, stdout);
            json_text(&l->json, "format", "hdf5");
            json_list(&l->json, "variables");
        }
        print_json(l, d, &info, is_known);
    } else {
        if (l->table.rows == TABLE_ROWS) {
            table_print(&l->table, stdout, 0x380);
            l->table.rows = 0;
        }
        if (l->count == 0) {
            table_row(&l->table);
            for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
                table_cell(&l->table, "%s", columns[i]);
        }
        add_row(&l->table, d, &info, is_known);
    }
    l->count++;
    return true;
}

static bool list_all(struct listing *l)
{
    const char *place = l->options->operand[0];
    const char *what = access(place, F_OK) == 0 ? "holds no variable that" : "is no variable that";
    uint64_t others = 0;
    const bool done = ztio_each_filtered(place, list_one, l, &others, l->error);
    if (l->options->json && l->count > 0) {
        json_close_list(&l->json);
        json_count(&l->json, "other_variables", others);
        json_end(&l->json);
    } else if (!l->options->json) {
        table_print(&l->table, stdout, 0x380);
    }
    if (done && l->count == 0)
        return fail(l->error, ZTIO_BAD_DATA,
                    "%s: %s ztile's filters or H5Z-ZFP compressed; "
                    "'ncdump -hs' or 'h5dump -pH' shows what there is",
                    place, what);
    if (!done || l->options->json)
        return done;
    if (others > 0)
        (void)printf("and %" PRIu64 " variables without ztile's filters\n", others);
    if (l->options->check)
        (void)puts("check: all chunks decode");
    return true;
}

bool run_info_hdf5(const struct options *options, struct ztio_error *error)
{
    struct listing *l = calloc(1, sizeof *l);
    if (!l)
        return fail(error, ZTIO_LACKING, "%s: no memory; free some", options->operand[0]);
    l->options = options;
    l->error = error;
    const bool done = list_all(l);
    free(l);
    return done;
}
