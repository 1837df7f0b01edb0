/* info.c: ztile info: what is in a .zt file or a bare zfp stream; filtered.c has HDF5 files. */
#include "cmd/commands.h"
#include "ztile_sz.h"

#include "cmd/plan.h"
#include "cmd/salvage.h"
#include "store/filtered.h"
#include "store/stored.h"
#include "store/zfp.h"
#include "util/errors.h"
#include "util/json.h"
#include "util/memory.h"
#include "util/numbers.h"
#include "util/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Verify what there is to verify. A zfp stream has no checksum; that it decodes to its last tile
 * is all that can be said of it. */
static bool check(struct stored *s, struct ztio_error *error)
{
    if (s->kind == STORED_ZT) {
        zt_status status = zt_reader_check(s->reader);
        return status == ZT_OK || fail_source(error, &s->bytes, s->context, status);
    }
    uint64_t first, extent;
    void *values;
    if (!allocate(&values, s->info.raw_bytes, s->bytes.place, error))
        return false;
    bool decoded = stored_next(s, &first, &extent, error) && stored_read(s, values, error);
    free(values);
    return decoded;
}

/* The parameters of a zfp stream, or of a file's first frame, and the shift of its integers. */
static zt_zfp zfp_of_stored(const struct stored *s, int32_t *shift)
{
    zt_zfp zfp = s->zfp;
    *shift = 0;
    if (s->kind == STORED_ZT) {
        (void)zt_zfp_init(&zfp, sizeof zfp);
        (void)zt_info_zfp(&s->info, &zfp, shift);
    }
    return zfp;
}

/* A bare stream does not say what words it was padded to. */
static void print_zfp_json(struct json *j, const struct stored *s)
{
    int32_t shift;
    const zt_zfp zfp = zfp_of_stored(s, &shift);
    json_object(j, "zfp");
    json_count_or_null(j, "word_bits", s->kind == STORED_ZT, zfp.word_bits);
    json_count(j, "minbits", zfp.minbits);
    json_count(j, "maxbits", zfp.maxbits);
    json_count(j, "maxprec", zfp.maxprec);
    json_number(j, "minexp", zfp.minexp);
    json_number(j, "shift", shift);
    json_close(j);
}

/* The coded shape, and the axes joined in each of its axes. */
static void print_plan_json(struct json *j, const zt_plan *plan)
{
    json_object(j, "plan");
    json_shape(j, "coded_shape", plan->coded_rank, plan->coded_shape);
    json_list(j, "axes");
    for (uint32_t k = 0; k < plan->rank; k++) {
        if (!plan->joined[k])
            json_list(j, NULL);
        json_count(j, NULL, plan->axis[k]);
        if (k + 1 == plan->rank || !plan->joined[k + 1])
            json_close_list(j);
    }
    json_close_list(j);
    json_close(j);
}

static void print_sz_json(struct json *j, const zt_info *info)
{
    zt_sz_info sz;
    (void)zt_info_sz(info, &sz);
    json_object(j, "sz");
    json_text(j, "method", name_of_method(sz.method));
    json_text(j, "effort", name_of_effort(sz.effort));
    json_number(j, "step", sz.step);
    json_count(j, "axes", sz.axes);
    json_close(j);
}

/* The codec, where there is one frame at least that is coded. */
static const char *name_of_coding(const zt_info *info)
{
    return info->raw_frames < info->frames ? name_of_codec(info->codec) : "none";
}

static void print_json(const struct stored *s, bool is_checked)
{
    const zt_info *info = &s->info;
    bool is_zt = s->kind == STORED_ZT;
    bool has_value = info->bound.kind != ZT_LOSSLESS && info->bound.kind != ZT_EXPERT;
    bool has_index = info->index != ZT_INDEX_NONE;
    double streams = (double)(info->stream_bytes + info->index_bytes);
    struct json j;
    json_begin(&j, stdout);
    json_text(&j, "format", is_zt ? "zt" : "zfp");
    json_count_or_null(&j, "format_version", is_zt, info->format_version);
    json_text(&j, "codec", is_zt ? name_of_coding(info) : name_of_codec(info->codec));
    json_text(&j, "type", ztio_name_of_type(info->type));
    json_shape(&j, "shape", info->rank, info->shape);
    json_text(&j, "bound", name_of_bound(info->bound.kind));
    json_number(&j, "bound_value", has_value ? info->bound.value : (double)NAN);
    json_number(&j, "abs_bound", info->abs_bound);
    json_number(&j, "psnr", s->kind == STORED_ZT ? info->psnr : (double)NAN);
    const bool has_mean = is_zt && info->mean.kind != ZT_LOSSLESS;
    json_text(&j, "mean", has_mean ? name_of_bound(info->mean.kind) : NULL);
    json_number(&j, "mean_value", has_mean ? info->mean.value : (double)NAN);
    json_number(&j, "mean_error", has_mean ? info->mean_error : (double)NAN);
    json_number(&j, "within_lo", is_zt ? info->within_lo : (double)NAN);
    json_number(&j, "within_hi", is_zt ? info->within_hi : (double)NAN);
    json_count(&j, "raw_bytes", info->raw_bytes);
    json_count(&j, "stream_bytes", info->stream_bytes);
    json_count(&j, "file_bytes", info->file_bytes);
    json_number(&j, "ratio", (double)info->raw_bytes / (double)info->file_bytes);
    json_number(&j, "effective_ratio", (double)info->raw_bytes / streams);
    json_object(&j, "index");
    json_text(&j, "kind", name_of_index(info->index));
    json_count_or_null(&j, "chunk", has_index, info->index_chunk);
    json_count_or_null(&j, "partition", has_index, info->index_partition);
    json_count(&j, "bytes", info->index_bytes);
    json_number(&j, "overhead", (double)info->index_bytes / (double)info->stream_bytes);
    json_text(&j, "file", has_index && !is_zt ? s->index_place : NULL);
    json_close(&j);
    zt_plan plan;
    (void)zt_info_plan(info, &plan);
    if (plan.rank)
        print_plan_json(&j, &plan);
    else
        json_null(&j, "plan");
    json_count_or_null(&j, "frames", is_zt, info->frames);
    json_count_or_null(&j, "raw_frames", is_zt, info->raw_frames);
    json_count_or_null(&j, "slab_extent", is_zt, info->slab_extent);
    json_count_or_null(&j, "exact_values", is_zt, info->exact_values);
    json_count_or_null(&j, "special_values", is_zt, info->special_values);
    if (info->codec == ZT_CODEC_SZ)
        print_sz_json(&j, info);
    else if (info->codec == ZT_CODEC_ZFP)
        print_zfp_json(&j, s);
    else
        json_null(&j, "zfp");
    json_text(&j, "name", info->name[0] ? info->name : NULL);
    json_text(&j, "units", info->units[0] ? info->units : NULL);
    if (is_checked && is_zt)
        json_bool(&j, "checksums_hold", true);
    else
        json_null(&j, "checksums_hold");
    json_end(&j);
}

static void row(struct table *t, const char *name, const char *value)
{
    table_row(t);
    table_cell(t, "%s", name);
    table_cell(t, "%s", value);
}

/* " (4.00 MB)", or "" where the number is as short. */
static const char *in_words(double bytes, char *text)
{
    char size[CLI_TEXT_BYTES];
    if (bytes < 1000)
        return "";
    (void)snprintf(text, CLI_TEXT_BYTES, " (%.60s)", format_size(bytes, size));
    return text;
}

static void rows_of_sizes(struct table *t, const struct stored *s)
{
    const zt_info *info = &s->info;
    char size[CLI_TEXT_BYTES];
    double raw = (double)info->raw_bytes, file = (double)info->file_bytes;
    uint64_t values = info->raw_bytes / zt_type_bytes(info->type);
    table_row(t);
    table_cell(t, "raw");
    table_cell(t, "%" PRIu64 " bytes%s", info->raw_bytes, in_words(raw, size));
    table_row(t);
    table_cell(t, "file");
    table_cell(t, "%" PRIu64 " bytes%s, of these %" PRIu64 " in streams", info->file_bytes,
               in_words(file, size), info->stream_bytes);
    table_row(t);
    table_cell(t, "ratio");
    table_cell(t, "%.3f, %.4g bits per value", raw / file, 8 * file / (double)values);
    table_row(t);
    table_cell(t, "index");
    if (info->index == ZT_INDEX_NONE)
        table_cell(t, "none");
    else if (info->index == ZT_INDEX_STREAM)
        table_cell(t, "in the streams");
    else
        table_cell(
            t, "%s, %" PRIu64 " bytes, %.2f %% of the streams%s%s", name_of_index(info->index),
            info->index_bytes, 100 * (double)info->index_bytes / (double)info->stream_bytes,
            s->kind == STORED_ZFP ? ", in " : "", s->kind == STORED_ZFP ? s->index_place : "");
}

static void rows_of_zfp(struct table *t, const struct stored *s)
{
    int32_t shift;
    const zt_zfp zfp = zfp_of_stored(s, &shift);
    table_row(t);
    table_cell(t, "zfp");
    table_cell(t, "minbits %u, maxbits %u, maxprec %u, minexp %d", zfp.minbits, zfp.maxbits,
               zfp.maxprec, zfp.minexp);
    if (s->kind == STORED_ZT) {
        table_row(t);
        table_cell(t, "words");
        table_cell(t, "%u bits", zfp.word_bits);
    }
    if (shift) {
        table_row(t);
        table_cell(t, "shift");
        table_cell(t, "integers times 2^%d", shift);
    }
}

static void rows_of_sz(struct table *t, const zt_info *info)
{
    table_row(t);
    table_cell(t, "sz");
    zt_sz_info sz;
    (void)zt_info_sz(info, &sz);
    table_cell(t, "%s %s, step %.6g%s", sz.method == ZT_SZ_OWN ? "effort" : "method",
               sz.method == ZT_SZ_OWN ? name_of_effort(sz.effort) : name_of_method(sz.method),
               sz.step, sz.axes ? ", differences along axes" : "");
    for (uint32_t i = 0; i < info->rank; i++)
        if (sz.axes >> i & 1)
            table_cell(t, "%u", i);
}

static void print_table(const struct stored *s, const struct options *o, struct table *t)
{
    const zt_info *info = &s->info;
    char text[CLI_TEXT_BYTES], reached[CLI_TEXT_BYTES];
    row(t, "file", s->bytes.place);
    table_row(t);
    table_cell(t, "format");
    if (s->kind == STORED_ZT)
        table_cell(t, ".zt version %u, codec %s, %" PRIu64 " frame%s of at most %" PRIu64 " slices",
                   info->format_version, name_of_coding(info), info->frames,
                   info->frames == 1 ? "" : "s", info->slab_extent);
    else
        table_cell(t, "bare zfp stream");
    if (s->kind == STORED_ZT && info->raw_frames > 0) {
        table_row(t);
        table_cell(t, "not coded");
        table_cell(t, "%" PRIu64 " frame%s: values as they are take less", info->raw_frames,
                   info->raw_frames == 1 ? "" : "s");
    }
    if (info->name[0])
        row(t, "name", info->name);
    if (info->units[0])
        row(t, "units", info->units);
    row(t, "type", ztio_name_of_type(info->type));
    table_row(t);
    table_cell(t, "shape");
    table_cell(t, "%s (slowest first)", ztio_format_shape(info->rank, info->shape, text));
    zt_plan plan;
    (void)zt_info_plan(info, &plan);
    if (plan.rank) {
        table_row(t);
        table_cell(t, "plan");
        table_cell(t, "coded as %s%s", format_plan(&plan, text),
                   info->frames > 1 ? " (the first frame)" : "");
    }
    table_row(t);
    table_cell(t, "bound");
    if (info->bound.kind == ZT_REL)
        table_cell(t, "%s (abs %.6g)", format_bound(&info->bound, text), info->abs_bound);
    else if (is_mean_bound(info->bound.kind))
        table_cell(t, "%s (reached: %s)", format_bound(&info->bound, text),
                   format_mean_error(&info->mean, info->mean_error, reached));
    else
        table_cell(t, "%s", format_bound(&info->bound, text));
    if (s->kind == STORED_ZT && info->mean.kind != ZT_LOSSLESS &&
        !is_mean_bound(info->bound.kind)) {
        table_row(t);
        table_cell(t, "mean error");
        table_cell(t, "%s (reached: %s)", format_bound(&info->mean, text),
                   format_mean_error(&info->mean, info->mean_error, reached));
    }
    if (s->kind == STORED_ZT && (!isnan(info->within_lo) || !isnan(info->within_hi))) {
        table_row(t);
        table_cell(t, "within");
        table_cell(t, "%s to %s",
                   isnan(info->within_lo) ? "any" : format_exact(info->within_lo, text),
                   isnan(info->within_hi) ? "any" : format_exact(info->within_hi, reached));
    }
    rows_of_sizes(t, s);
    if (s->kind == STORED_ZT) {
        table_row(t);
        table_cell(t, "exact");
        table_cell(t, "%" PRIu64 " values kept beside the stream to hold the bound",
                   info->exact_values);
    }
    if (s->kind == STORED_ZT && info->special_values > 0) {
        table_row(t);
        table_cell(t, "special");
        table_cell(t, "%" PRIu64 " NaN, infinite or fill values kept as they are",
                   info->special_values);
    }
    if (o->verbose && info->codec == ZT_CODEC_SZ)
        rows_of_sz(t, info);
    else if (info->codec == ZT_CODEC_ZFP && (o->verbose || s->kind == STORED_ZFP))
        rows_of_zfp(t, s);
    if (o->check)
        row(t, "check",
            s->kind == STORED_ZT ? "all checksums hold"
                                 : "decodes to its end; zfp streams have no checksum");
    table_print(t, stdout, 0);
}

bool run_info(const struct options *o, struct ztio_error *error)
{
    struct stored s;
    if (is_hdf5_place(o->operand[0]))
        return run_info_hdf5(o, error);
    struct table *table = calloc(1, sizeof *table);
    zt_context *context = NULL;
    memset(&s, 0, sizeof s);
    bool done = table || fail(error, ZTIO_LACKING, "%s: no memory; free some", o->operand[0]);
    done = done && context_new(&context, error);
    const bool has_context = done;
    done = done && stored_open(&s, o->operand[0], o, false, NULL, context, error);
    if (done && s.shape[0] == ZT_UNKNOWN)
        done = fail(error, ZTIO_BAD_USE, "%s: a pipe cannot be looked through; name a file",
                    s.bytes.place);
    done = done && stored_zfp_check_index(&s, error) && (!o->check || check(&s, error));
    if (has_context && !done && o->check && s.kind == STORED_ZT && !s.is_sequential &&
        error->exit_status == ZTIO_BAD_DATA)
        (void)list_damage(o, error);
    if (done && o->json)
        print_json(&s, o->check);
    else if (done)
        print_table(&s, o, table);
    stored_close(&s);
    zt_context_free(context);
    free(table);
    return done;
}
