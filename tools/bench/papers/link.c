/* link.c: ztile bench --link: whether it pays to compress what is sent over a link, from speeds and
 * ratios that were measured (rates.c). Times of an array of S raw bytes that compresses to Z, in E
 * seconds and back in D, over a link of B bytes a second:
 *
 *     as it is               S / B
 *     one after another      E + Z / B + D        pays while B < (S - Z) / (E + D)
 *     pipelined, slabs       max(E, Z / B, D)     pays while B < S / max(E, D), if Z < S
 *
 * These are equations 1 to 4 of Noordsij et al. (PDP 2020) with the time to compress added; the
 * application's own time is left out. */
#include "bench/papers/papers.h"

#include "draw/picture.h"
#include "util/errors.h"
#include "util/json.h"
#include "util/numbers.h"
#include "util/table.h"

#include <stdlib.h>
#include <string.h>

/* Of a chart: links of 2^LEAST to 2^(LEAST + POINTS - 1) Gbit/s. */
enum { CHART_LEAST = -1, CHART_LINKS = 15 };

bool link_parse(const char *text, struct links *l, struct ztio_error *error)
{
    char word[32];
    l->count = 0;
    for (const char *p = text; *p || l->count == 0; p += *p == ',') {
        const size_t n = strcspn(p, ",");
        double gbit;
        (void)snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : 0, p);
        if (!parse_number(word, &gbit) || gbit <= 0 || gbit > 1e9)
            return fail(error, ZTIO_BAD_USE,
                        "--link: '%.*s' is no speed in Gbit/s, such as 10,100,400", (int)n, p);
        if (l->count == LINKS_MOST)
            return fail(error, ZTIO_BAD_USE, "--link: takes at most %d speeds", LINKS_MOST);
        l->gbit[l->count++] = gbit;
        p += n;
    }
    return true;
}

/* ---- the model ------------------------------------------------------------------------------- */

struct sent {
    double raw, serial, pipelined; /* seconds */
};

static struct sent send_over(double gbit, double raw_bytes, const struct rate *row)
{
    const double bytes_a_second = 1e9 / 8 * gbit, send = (double)row->bytes / bytes_a_second;
    const double most = fmax(row->encode_seconds, row->decode_seconds);
    return (struct sent){raw_bytes / bytes_a_second,
                         row->encode_seconds + send + row->decode_seconds, fmax(most, send)};
}

/* Gbit/s up to which compressing pays; 0: never. */
static double pays_up_to(double raw_bytes, const struct rate *row, bool is_pipelined)
{
    const double saved = raw_bytes - (double)row->bytes;
    if (saved <= 0)
        return 0;
    const double bytes_a_second = is_pipelined
                                      ? raw_bytes / fmax(row->encode_seconds, row->decode_seconds)
                                      : saved / (row->encode_seconds + row->decode_seconds);
    return 8e-9 * bytes_a_second;
}

/* A row that says both speeds. */
static bool is_whole(const struct rate *row)
{
    return row->encode_seconds > 0 && row->decode_seconds > 0;
}

static bool is_of(const struct rates *r, const struct rate *row, int file, int bound)
{
    const zt_bound *b = &r->bound[bound];
    return row->file == file && is_whole(row) && row->bound.kind == b->kind &&
           (b->kind == ZT_LOSSLESS || row->bound.value == b->value);
}

/* ---- report ---------------------------------------------------------------------------------- */

static void print_one(const struct rates *r, const struct links *l, int file, int bound)
{
    char text[CLI_TEXT_BYTES];
    const double raw = (double)r->file[file].raw_bytes;
    struct table *const t = calloc(1, sizeof *t);
    if (!t)
        return;
    table_row(t);
    table_cell(t, "codec");
    table_cell(t, "threads");
    table_cell(t, "ratio");
    table_cell(t, "pays up to");
    for (int k = 0; k < l->count; k++)
        table_cell(t, "%g Gbit/s", l->gbit[k]);
    for (size_t i = 0; i < r->rows && t->rows < TABLE_ROWS; i++) {
        const struct rate *row = &r->row[i];
        if (!is_of(r, row, file, bound))
            continue;
        table_row(t);
        table_cell(t, "%s", row->codec);
        table_cell(t, "%u", (unsigned)row->threads);
        table_cell(t, "%.2f", rate_ratio(r, row));
        table_cell(t, "%.3g (%.3g)", pays_up_to(raw, row, false), pays_up_to(raw, row, true));
        for (int k = 0; k < l->count; k++) {
            const struct sent s = send_over(l->gbit[k], raw, row);
            table_cell(t, "%.3g (%.3g)", s.raw / s.serial, s.raw / s.pipelined);
        }
    }
    print(stdout, "\n%s, %s\n", rates_name(&r->file[file]), format_bound(&r->bound[bound], text));
    table_print(t, stdout, 0x3fe);
    free(t);
}

static void print_tables(const struct rates *r, const struct links *l)
{
    (void)printf("compress, send and decompress against sending raw values: times as fast, one\n"
                 "after another (pipelined); pays up to: Gbit/s of the link\n");
    for (int f = 0; f < r->files; f++)
        for (int b = 0; b < r->bounds; b++)
            print_one(r, l, f, b);
}

static void print_rows(const struct rates *r, const struct links *l)
{
    struct json j;
    json_begin(&j, stdout);
    json_text(&j, "version", zt_version());
    json_list(&j, "rows");
    for (size_t i = 0; i < r->rows; i++) {
        const struct rate *row = &r->row[i];
        const double raw = (double)r->file[row->file].raw_bytes;
        if (!is_whole(row))
            continue;
        json_object(&j, NULL);
        json_text(&j, "file", r->file[row->file].place);
        json_text(&j, "codec", row->codec);
        json_count(&j, "threads", row->threads);
        json_text(&j, "bound", name_of_bound(row->bound.kind));
        json_number(&j, "bound_value",
                    row->bound.kind == ZT_LOSSLESS ? (double)NAN : row->bound.value);
        json_count(&j, "raw_bytes", r->file[row->file].raw_bytes);
        json_count(&j, "bytes", row->bytes);
        json_number(&j, "encode_seconds", row->encode_seconds);
        json_number(&j, "decode_seconds", row->decode_seconds);
        json_number(&j, "pays_up_to_gbit", pays_up_to(raw, row, false));
        json_number(&j, "pays_up_to_gbit_pipelined", pays_up_to(raw, row, true));
        json_list(&j, "links");
        for (int k = 0; k < l->count; k++) {
            const struct sent s = send_over(l->gbit[k], raw, row);
            json_object(&j, NULL);
            json_number(&j, "gbit", l->gbit[k]);
            json_number(&j, "raw_seconds", s.raw);
            json_number(&j, "seconds", s.serial);
            json_number(&j, "pipelined_seconds", s.pipelined);
            json_close(&j);
        }
        json_close_list(&j);
        json_close(&j);
    }
    json_close_list(&j);
    json_end(&j);
}

/* ---- picture --------------------------------------------------------------------------------- */

/* Gain over links of powers of two, with all threads; pipelined, and dashed one after another. */
static void draw_links(const struct rates *r, int file, int bound, struct chart *c)
{
    char text[CLI_TEXT_BYTES], name[48];
    const double raw = (double)r->file[file].raw_bytes;
    memset(c, 0, sizeof *c);
    (void)snprintf(c->title, sizeof c->title, "Compress, send, decompress: %.60s, %.40s",
                   rates_name(&r->file[file]), format_bound(&r->bound[bound], text));
    c->x_axis = "speed of the link, Gbit/s; dashed: one step after another";
    c->y_axis = "times as fast as sending raw values";
    c->has_numbers = c->is_log = c->is_first_on_top = true;
    c->points = CHART_LINKS;
    for (size_t i = 0, color = 0; i < r->rows && c->count + 2 <= CHART_SERIES; i++) {
        const struct rate *row = &r->row[i];
        if (!is_of(r, row, file, bound) || (!row->is_peer && row->threads != r->threads))
            continue;
        const int paint = PAINT_SERIES + (int)(color++ % PAINTS_OF_SERIES);
        (void)snprintf(name, sizeof name, "%s, pipelined", row->codec);
        struct series *both = chart_add(c, name, paint, 2.2);
        struct series *serial = chart_add(c, "", paint, 1.2);
        serial->is_dashed = true;
        for (int k = 0; k < CHART_LINKS; k++) {
            const double gbit = ldexp(1, CHART_LEAST + k);
            const struct sent s = send_over(gbit, raw, row);
            both->at[k] = serial->at[k] = gbit;
            both->value[k] = s.raw / s.pipelined;
            serial->value[k] = s.raw / s.serial;
        }
    }
}

static bool save_charts(const struct rates *r, struct ztio_error *error)
{
    char slug[CLI_TEXT_BYTES], path[4096];
    struct chart *c = malloc(sizeof *c);
    bool saved = c != NULL || fail(error, ZTIO_LACKING, "bench: no memory for a picture");
    for (int f = 0; saved && f < r->files; f++)
        for (int b = 0; saved && b < r->bounds; b++)
            for (int s = 0; saved && s < 2; s++) {
                draw_links(r, f, b, c);
                (void)snprintf(path, sizeof path, "%s/link-%s-%d.%s", r->options->out,
                               rates_slug(r, f, slug), b, s ? "png" : "svg");
                saved = chart_save(c, path, r->options, error);
            }
    free(c);
    return saved;
}

bool link_report(const struct rates *r, const struct links *l, struct ztio_error *error)
{
    struct ztio_error no_picture = {0, ""};
    if (r->options->json)
        print_rows(r, l);
    else
        print_tables(r, l);
    if (!r->options->out)
        return true;
    if (!can_save_pictures(&no_picture)) {
        if (!r->options->json)
            (void)printf("\nno charts: %s\n", no_picture.sentence);
        return true;
    }
    return save_charts(r, error);
}
