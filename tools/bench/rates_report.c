/* rates_report.c: what ztile bench measured, as tables, as JSON and as rows of text. */
#include "bench/rates.h"
#include "draw/picture.h"
#include "util/errors.h"
#include "util/json.h"
#include "util/table.h"
#include "ztile_zfp.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *rates_name(const struct subject *s)
{
    const char *slash = strrchr(s->place, '/');
    return slash && slash[1] ? slash + 1 : input_name(s->place);
}

static double mb_per_s(const struct rates *r, const struct rate *row, double seconds)
{
    return (double)r->file[row->file].raw_bytes / 1e6 / seconds;
}

static void add_cells(struct table *t, const struct rates *r, const struct rate *row)
{
    char text[32];
    table_row(t);
    table_cell(t, "%s", row->codec);
    table_cell(t, "%" PRIu32, row->threads);
    table_cell(t, "%.2f", rate_ratio(r, row));
    table_cell(t, "%.3f", rate_bits(r, row));
    table_cell(t, "%s", format_short(row->max_error, text));
    if (row->tolerance > 0)
        table_cell(t, "%.3f", row->max_error / row->tolerance);
    else
        table_cell(t, "-");
    if (isfinite(row->psnr))
        table_cell(t, "%.1f", row->psnr);
    else
        table_cell(t, "-");
    table_cell(t, "%.0f", mb_per_s(r, row, row->encode_seconds));
    if (isfinite(row->decode_seconds))
        table_cell(t, "%.0f", mb_per_s(r, row, row->decode_seconds));
    else
        table_cell(t, "-");
}

static void print_bound(const struct rates *r, int file, const zt_bound *bound, struct table *t)
{
    static const char *const heads[] = {"codec",    "threads", "ratio",    "bits",    "max error",
                                        "of bound", "PSNR",    "enc MB/s", "dec MB/s"};
    char text[CLI_TEXT_BYTES];
    memset(t, 0, sizeof *t);
    table_row(t);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        table_cell(t, "%s", heads[i]);
    for (size_t i = 0; i < r->rows && t->rows < TABLE_ROWS; i++) {
        const struct rate *row = &r->row[i];
        if (row->file == file && row->bound.kind == bound->kind &&
            (bound->kind == ZT_LOSSLESS || bound->kind == ZT_PRECISION ||
             row->bound.value == bound->value))
            add_cells(t, r, row);
    }
    if (t->rows == 1)
        return;
    (void)printf("\n%s\n", bound->kind == ZT_PRECISION ? "precision (of fpzip: bits kept)"
                                                       : format_bound(bound, text));
    table_print(t, stdout, 0x1fe);
}

void rates_print(const struct rates *r)
{
    const zt_bound precision = zt_precision(1);
    char shape[CLI_TEXT_BYTES], size[CLI_TEXT_BYTES];
    struct table *t = malloc(sizeof *t);
    if (!t)
        return;
    for (int i = 0; i < r->files; i++) {
        const struct subject *s = &r->file[i];
        (void)fputs(i ? "\n" : "", stdout);
        print(stdout, "%s: %s, shape %s (slowest first), %s\n", rates_name(s),
              ztio_name_of_type(s->type), ztio_format_shape(s->rank, s->shape, shape),
              format_size((double)s->raw_bytes, size));
        for (int k = 0; k < r->bounds; k++)
            print_bound(r, i, &r->bound[k], t);
        print_bound(r, i, &precision, t);
    }
    free(t);
}

static void json_row(struct json *j, const struct rates *r, const struct rate *row)
{
    json_object(j, NULL);
    json_text(j, "file", r->file[row->file].place);
    json_text(j, "codec", row->codec);
    json_bool(j, "peer", row->is_peer);
    json_text(j, "policy", row->threads == 1 ? "serial" : "omp");
    json_count(j, "threads", row->threads);
    json_text(j, "bound", name_of_bound(row->bound.kind));
    json_number(j, "bound_value", row->bound.kind == ZT_LOSSLESS ? (double)NAN : row->bound.value);
    json_number(j, "abs_bound", row->tolerance);
    json_count(j, "bytes", row->bytes);
    json_number(j, "ratio", rate_ratio(r, row));
    json_number(j, "bits_per_value", rate_bits(r, row));
    json_number(j, "max_abs_error", row->max_error);
    json_number(j, "psnr", row->psnr);
    json_number(j, "encode_seconds", row->encode_seconds);
    json_number(j, "decode_seconds", row->decode_seconds);
    json_number(j, "encode_mb_per_s", mb_per_s(r, row, row->encode_seconds));
    json_number(j, "decode_mb_per_s", mb_per_s(r, row, row->decode_seconds));
    json_close(j);
}

void rates_print_json(const struct rates *r, FILE *file)
{
    struct json j;
    json_begin(&j, file);
    json_text(&j, "version", zt_version());
    json_count(&j, "threads", r->threads);
    json_list(&j, "files");
    for (int i = 0; i < r->files; i++) {
        const struct subject *s = &r->file[i];
        json_object(&j, NULL);
        json_text(&j, "file", s->place);
        json_text(&j, "type", ztio_name_of_type(s->type));
        json_shape(&j, "shape", s->rank, s->shape);
        json_count(&j, "raw_bytes", s->raw_bytes);
        json_number(&j, "min", s->lo);
        json_number(&j, "max", s->hi);
        json_count(&j, "special_values", s->special_values);
        json_close(&j);
    }
    json_close_list(&j);
    json_list(&j, "rows");
    for (size_t i = 0; i < r->rows; i++)
        json_row(&j, r, &r->row[i]);
    json_close_list(&j);
    json_end(&j);
}

void rates_add_rows(const struct rates *r, struct text *t)
{
    text_add(t, "#file\tcodec\tthreads\tbound\tvalue\tbytes\tmax_error\tpsnr\tencode_seconds\t"
                "decode_seconds\n");
    for (size_t i = 0; i < r->rows; i++) {
        const struct rate *row = &r->row[i];
        text_add(t, "%s\t%s\t%" PRIu32 "\t%s\t%.17g\t%" PRIu64 "\t%.9g\t%.6g\t%.6g\t%.6g\n",
                 rates_name(&r->file[row->file]), row->codec, row->threads,
                 name_of_bound(row->bound.kind),
                 row->bound.kind == ZT_LOSSLESS ? 0 : row->bound.value, row->bytes, row->max_error,
                 row->psnr, row->encode_seconds, row->decode_seconds);
    }
}
