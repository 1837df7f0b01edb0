/* rates_html.c: the report of ztile bench: one HTML file that holds its charts as SVG and its
 * pictures as PNG, and asks for nothing from elsewhere. */
#include "bench/rates.h"
#include "draw/picture.h"
#include "store/bytes.h"
#include "util/errors.h"
#include "ztile_zfp.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char style[] =
    ":root{--paper:#fff;--ink:#222831;--soft:#5f6772;--faint:#e4e7eb;--accent:#0072b2;"
    "color-scheme:light dark}"
    "@media(prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e6e9ed;--soft:#a3abb5;"
    "--faint:#2c3138;--accent:#4aa8e8}}"
    "body{background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif;"
    "max-width:78rem;margin:0 auto;padding:1.5rem}"
    "h1{font-size:1.9rem;margin:.2em 0}h2,nav{overflow-wrap:anywhere}"
    "h2{font-size:1.4rem;margin:2.2em 0 .4em;"
    "border-bottom:1px solid var(--faint)}h3{font-size:1.05rem;margin:1.6em 0 .3em}"
    "p{max-width:46rem}.soft{color:var(--soft)}a{color:var(--accent)}"
    "figure{margin:1em 0}figcaption{color:var(--soft);font-size:.9rem}"
    "img{max-width:100%;height:auto}.slices{background:#fff;border-radius:4px}"
    "@media(max-width:" CHART_NARROW_PAGE "){.chart{width:100%;max-width:36rem}}"
    "@media(prefers-color-scheme:dark){.chart{" CHART_IN_THE_DARK "}}"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;"
    "font-variant-numeric:tabular-nums}"
    "th,td{padding:.2em .7em;text-align:right;border-bottom:1px solid var(--faint);"
    "white-space:nowrap}th:first-child,td:first-child{text-align:left}"
    "thead th{color:var(--soft);font-weight:600}"
    "td:first-child{position:sticky;left:0;background:var(--paper)}"
    "tr.group td{font-weight:600;text-align:left;padding-top:1em}"
    "@media(max-width:40rem){body{padding:.8rem}th,td{padding:.2em .35em}"
    "thead th{white-space:normal;vertical-align:bottom}}";

static void add_machine(struct text *t)
{
    char line[256], *colon;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && (colon = strchr(line, ':'))) {
            line[strcspn(line, "\n")] = 0;
            text_add_escaped(t, colon + 2);
            text_add(t, ", ");
            break;
        }
    if (file)
        (void)fclose(file);
}

static void add_head(struct text *t, const struct rates *r)
{
    char date[32] = "";
    const time_t now = time(NULL);
    struct tm parts;
    if (localtime_r(&now, &parts))
        (void)strftime(date, sizeof date, "%Y-%m-%d", &parts);
    text_add(t,
             "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
             "<title>ztile bench</title>\n<style>%s</style>\n</head>\n<body>\n"
             "<h1>ztile bench</h1>\n<p class=\"soft\">ztile %s, ",
             style, zt_version());
    add_machine(t);
    text_add(t, "instruction set %s, up to %" PRIu32 " thread%s, %s</p>\n",
             zt_isa_name(zt_context_isa(r->serial)), r->threads, r->threads == 1 ? "" : "s", date);
    text_add(t, "<nav><a href=\"#overview\">Overview</a>");
    for (int i = 0; i < r->files; i++) {
        text_add(t, " · <a href=\"#file-%d\">", i);
        text_add_escaped(t, rates_name(&r->file[i]));
        text_add(t, "</a>");
    }
    text_add(t, "</nav>\n");
}

static void add_number(struct text *t, const char *format, double value)
{
    char text[CLI_TEXT_BYTES];
    (void)snprintf(text, sizeof text, format, value);
    text_add(t, "<td>%s</td>", isfinite(value) ? text : "–");
}

static void add_means(struct text *t, const struct rates *r)
{
    const struct rate *first[RATES_CODECS];
    const int codecs = rates_codecs(r, first);
    char text[CLI_TEXT_BYTES];
    text_add(t, "<div class=\"wide\"><table id=\"means\">\n<thead><tr><th>codec</th>"
                "<th>threads</th><th>files</th><th>ratio</th><th>compress, MB/s</th>"
                "<th>decompress, MB/s</th></tr></thead>\n");
    for (int i = 0; i < r->bounds; i++) {
        text_add(t, "<tr class=\"group\"><td colspan=\"6\">%s</td></tr>\n",
                 format_bound(&r->bound[i], text));
        for (int k = 0; k < 2 * codecs; k++) {
            const struct rate *codec = first[k / 2];
            const uint32_t threads = k % 2 ? r->threads : 1;
            const struct rate_mean m = rates_mean(r, codec->codec, threads, &r->bound[i]);
            if (m.files == 0 || (k % 2 && r->threads == 1))
                continue;
            text_add(t, "<tr><td>");
            text_add_escaped(t, codec->codec);
            text_add(t, "</td><td>%" PRIu32 "</td><td>%d</td>", threads, m.files);
            add_number(t, "%.2f", m.ratio);
            add_number(t, "%.0f", m.encode_speed / 1e6);
            add_number(t, "%.0f", m.decode_speed / 1e6);
            text_add(t, "</tr>\n");
        }
    }
    text_add(t, "</table></div>\n");
}

/* A chart with its caption; nothing in a build without pictures. */
static bool add_chart(struct text *t, const struct chart *c, const char *id, const char *caption,
                      struct ztio_error *error)
{
    struct ztio_error ignored;
    if (!can_save_pictures(&ignored))
        return true;
    text_add(t, "<figure>\n");
    const bool is_drawn = chart_add_image(c, t, id, error);
    text_add(t, "<figcaption>%s</figcaption>\n</figure>\n", caption);
    return is_drawn;
}

static bool add_overview(struct text *t, const struct rates *r, struct chart *c,
                         struct ztio_error *error)
{
    static const char *const captions[RATES_CHARTS] = {
        "How many times smaller. Only codecs that can keep the bound are shown at it; where "
        "several files are measured, means are harmonic.",
        "Raw bytes over the time to compress them, in memory.",
        "Raw bytes over the time to decompress them, in memory. libzfp has no threads for this on "
        "a CPU."};
    struct ztio_error no_charts;
    text_add(t, "<section id=\"overview\">\n<h2>Overview</h2>\n");
    if (!can_save_pictures(&no_charts))
        text_add(t, "<p>No charts: %s.</p>\n", no_charts.sentence);
    for (int i = 0; i < RATES_CHARTS; i++) {
        rates_chart(r, i, c);
        if (!add_chart(t, c, rates_chart_name(i), captions[i], error))
            return false;
    }
    add_means(t, r);
    text_add(t, "</section>\n");
    return true;
}

/* A picture that rates_save wrote; nothing where there is none. */
static void add_picture(struct text *t, const struct rates *r, int file, uint32_t codec)
{
    char slug[CLI_TEXT_BYTES], path[4096];
    struct byte_source bytes;
    struct ztio_error ignored;
    unsigned char *data;
    size_t n;
    (void)snprintf(path, sizeof path, "%s/slices-%s-%s.png", r->options->out,
                   rates_slug(r, file, slug), name_of_codec(codec));
    if (!byte_source_open(&bytes, path, &ignored))
        return;
    if (byte_source_slurp(&bytes, &data, &n, &ignored)) {
        text_add(t,
                 "<figure><img class=\"slices\" alt=\"A slice of the array, what %s makes of "
                 "it, and the error\" src=\"data:image/png;base64,",
                 name_of_codec(codec));
        text_add_base64(t, data, n);
        text_add(t, "\"></figure>\n");
        free(data);
    }
    byte_source_close(&bytes);
}

static void add_row(struct text *t, const struct rates *r, const struct rate *row)
{
    const double mb = (double)r->file[row->file].raw_bytes / 1e6;
    char text[32];
    text_add(t, "<tr><td>");
    text_add_escaped(t, row->codec);
    text_add(t, "</td><td>%" PRIu32 "</td>", row->threads);
    add_number(t, "%.2f", rate_ratio(r, row));
    add_number(t, "%.3f", rate_bits(r, row));
    text_add(t, "<td>%s</td>", isfinite(row->max_error) ? format_short(row->max_error, text) : "–");
    add_number(t, "%.3f", row->tolerance > 0 ? row->max_error / row->tolerance : (double)NAN);
    add_number(t, "%.1f", row->psnr);
    add_number(t, "%.0f", mb / row->encode_seconds);
    add_number(t, "%.0f", mb / row->decode_seconds);
    text_add(t, "</tr>\n");
}

static bool is_of(const struct rate *row, int file, const zt_bound *bound)
{
    return row->file == file && row->bound.kind == bound->kind &&
           (bound->kind == ZT_LOSSLESS || bound->kind == ZT_PRECISION ||
            row->bound.value == bound->value);
}

static void add_rows(struct text *t, const struct rates *r, int file)
{
    char text[CLI_TEXT_BYTES];
    text_add(t, "<div class=\"wide\"><table>\n<thead><tr><th>codec</th><th>threads</th>"
                "<th>ratio</th><th>bits a value</th><th>largest error</th><th>of the bound</th>"
                "<th>PSNR, dB</th><th>compress, MB/s</th><th>decompress, MB/s</th></tr></thead>\n");
    for (int i = 0; i <= r->bounds; i++) {
        const zt_bound bound = i < r->bounds ? r->bound[i] : zt_precision(1);
        bool is_begun = false;
        for (size_t k = 0; k < r->rows; k++) {
            if (!is_of(&r->row[k], file, &bound))
                continue;
            if (!is_begun)
                text_add(t, "<tr class=\"group\"><td colspan=\"9\">%s</td></tr>\n",
                         i < r->bounds ? format_bound(&bound, text)
                                       : "no bound: some bits of each value are kept");
            is_begun = true;
            add_row(t, r, &r->row[k]);
        }
    }
    text_add(t, "</table></div>\n");
}

static bool add_file(struct text *t, const struct rates *r, int file, struct chart *c,
                     struct ztio_error *error)
{
    const struct subject *s = &r->file[file];
    char shape[CLI_TEXT_BYTES], size[CLI_TEXT_BYTES], lo[32], hi[32], id[40];
    text_add(t, "<section id=\"file-%d\">\n<h2>", file);
    text_add_escaped(t, rates_name(s));
    text_add(t, "</h2>\n<p class=\"soft\">%s, shape %s (slowest first), %s, values from %s to %s",
             ztio_name_of_type(s->type), ztio_format_shape(s->rank, s->shape, shape),
             format_size((double)s->raw_bytes, size), format_short(s->lo, lo),
             format_short(s->hi, hi));
    if (s->special_values > 0)
        text_add(t, "; %" PRIu64 " NaN, infinite or fill values, which libzfp is not given",
                 s->special_values);
    text_add(t, "</p>\n");
    rates_distortion(r, file, c);
    (void)snprintf(id, sizeof id, "rate-distortion-%d", file);
    if (!add_chart(t, c, id, "The further up and to the left, the better.", error))
        return false;
    add_picture(t, r, file, ZT_CODEC_ZFP);
    add_picture(t, r, file, ZT_CODEC_SZ);
    text_add(t, "<details%s><summary>All rows</summary>\n", r->files == 1 ? " open" : "");
    add_rows(t, r, file);
    text_add(t, "</details>\n</section>\n");
    return true;
}

bool rates_save_html(struct rates *r, struct ztio_error *error)
{
    struct text t = {NULL, 0, 0, false};
    struct chart *c = malloc(sizeof *c);
    char path[4096];
    if (!c)
        return fail(error, ZTIO_LACKING, "bench: no memory for a picture; free some");
    add_head(&t, r);
    bool is_drawn = add_overview(&t, r, c, error);
    for (int i = 0; is_drawn && i < r->files; i++)
        is_drawn = add_file(&t, r, i, c, error);
    text_add(&t, "<footer class=\"soft\"><h2>How it was measured</h2>\n"
                 "<p>Each codec from memory to memory, the fastest of at least 3 runs, in "
                 "processor time with one thread and by the clock with more; what it "
                 "gives back is compared with what went in. A bound \"rel\" is of the range of the "
                 "array's finite values that are no fill values. PSNR is "
                 "20 log<sub>10</sub>(range / RMSE). ztile's figures are of whole .zt files with "
                 "index and checksums. Peers are drawn dashed.</p></footer>\n</body>\n</html>\n");
    (void)snprintf(path, sizeof path, "%s/report.html", r->options->out);
    const bool saved = is_drawn && text_save(&t, path, r->options, error);
    text_free(&t);
    free(c);
    return saved;
}
