/* canvas.c: a cairo context on a PNG, SVG or PDF, and what is drawn on it more than once. */
#include "draw/canvas.h"

#include "store/bytes.h"
#include "util/errors.h"
#include "util/numbers.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <string.h>

enum canvas_format canvas_format_of(const char *path)
{
    return has_suffix(path, ".svg")   ? CANVAS_SVG
           : has_suffix(path, ".pdf") ? CANVAS_PDF
                                      : CANVAS_PNG;
}

static cairo_status_t keep_bytes(void *text, const unsigned char *data, unsigned n)
{
    text_add_bytes(text, data, n);
    return ((struct text *)text)->is_failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

/* Any sans serif font that the machine has. */
static cairo_t *context_on(cairo_surface_t *surface)
{
    cairo_t *c = cairo_create(surface);
    cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
    return c;
}

void canvas_open(struct canvas *c, enum canvas_format format, const char *title, double width,
                 double height)
{
    char name[512];
    *c = (struct canvas){.format = format, .title = title};
    switch (format) {
    case CANVAS_SVG:
        c->surface = cairo_svg_surface_create_for_stream(keep_bytes, &c->bytes, width, height);
        cairo_svg_surface_set_document_unit(c->surface, CAIRO_SVG_UNIT_PX);
        break;
    case CANVAS_PDF:
        copy_utf8(title, name, sizeof name);
        c->surface = cairo_pdf_surface_create_for_stream(keep_bytes, &c->bytes, width, height);
        cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_TITLE, name);
        break;
    default: c->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    }
    c->cairo = context_on(c->surface);
}

/* cairo's SVG, with title and style behind its first tag. */
static void add_svg(struct text *t, const struct canvas *c, const char *style)
{
    char title[512];
    const char *tag = strstr(c->bytes.bytes, "<svg"), *end = tag ? strchr(tag, '>') : NULL;
    const size_t head = end ? (size_t)(end + 1 - c->bytes.bytes) : 0;
    text_add_bytes(t, c->bytes.bytes, head);
    if (end) {
        copy_utf8(c->title, title, sizeof title);
        text_add(t, "\n<title>");
        text_add_escaped(t, title);
        text_add(t, "</title>");
        if (style)
            text_add(t, "\n<style>%s</style>", style);
    }
    text_add_bytes(t, c->bytes.bytes + head, c->bytes.n - head);
}

bool canvas_close(struct canvas *c, const char *style, const char *what, struct text *text,
                  struct ztio_error *error)
{
    cairo_status_t status = cairo_status(c->cairo);
    if (status == CAIRO_STATUS_SUCCESS && c->format == CANVAS_PNG)
        status = cairo_surface_write_to_png_stream(c->surface, keep_bytes, &c->bytes);
    cairo_destroy(c->cairo);
    cairo_surface_finish(c->surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(c->surface);
    cairo_surface_destroy(c->surface);
    *text = (struct text){NULL, 0, 0, false};
    if (status == CAIRO_STATUS_SUCCESS && c->format == CANVAS_SVG)
        add_svg(text, c, style);
    else if (status == CAIRO_STATUS_SUCCESS)
        text_add_bytes(text, c->bytes.bytes, c->bytes.n);
    text_free(&c->bytes);
    if (status == CAIRO_STATUS_NO_MEMORY || text->is_failed)
        return fail(error, ZTIO_LACKING, "%s: no memory for a picture; free some", what);
    return status == CAIRO_STATUS_SUCCESS ||
           fail(error, ZTIO_LACKING, "%s: cairo cannot draw it: %s", what,
                cairo_status_to_string(status));
}

bool canvas_save(struct canvas *c, const char *style, const char *path, const struct options *o,
                 struct ztio_error *error)
{
    struct text text;
    const bool saved = canvas_close(c, style, output_name(path), &text, error) &&
                       !refuse_terminal(path, o->force, error) && text_save(&text, path, o, error);
    text_free(&text);
    return saved;
}

/* ---- drawing ------------------------------------------------------------------------------- */

void canvas_color(struct canvas *c, struct color color)
{
    cairo_set_source_rgb(c->cairo, color.r / 255.0, color.g / 255.0, color.b / 255.0);
}

void canvas_box(struct canvas *c, double x, double y, double width, double height,
                struct color color)
{
    canvas_color(c, color);
    cairo_rectangle(c->cairo, x, y, width, height);
    cairo_fill(c->cairo);
}

void canvas_stroke(struct canvas *c, double thickness, bool is_dashed, struct color color)
{
    static const double dash = 5;
    canvas_color(c, color);
    cairo_set_line_width(c->cairo, thickness);
    cairo_set_line_cap(c->cairo, is_dashed ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    cairo_set_dash(c->cairo, &dash, is_dashed, 0);
    cairo_stroke(c->cairo);
}

/* Of a font's size; most fonts are near it. */
static const double capital = 0.72;

/* What cairo takes: UTF-8 on one line. Returns its width in the context's font. */
static double prepare(cairo_t *c, double height, const char *words, char *clean, size_t clean_bytes)
{
    cairo_text_extents_t extents;
    copy_utf8(words, clean, clean_bytes);
    for (char *p = clean; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = ' ';
    cairo_set_font_size(c, height / capital);
    cairo_text_extents(c, clean, &extents);
    return extents.x_advance;
}

double text_width(double height, const char *words)
{
    char clean[512];
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *c = context_on(surface);
    const double width = prepare(c, height, words, clean, sizeof clean);
    cairo_destroy(c);
    cairo_surface_destroy(surface);
    return width;
}

void canvas_text(struct canvas *c, double x, double y, double height, enum align align,
                 bool is_upwards, struct color color, const char *words)
{
    char clean[512];
    const double width = prepare(c->cairo, height, words, clean, sizeof clean);
    cairo_save(c->cairo);
    canvas_color(c, color);
    cairo_translate(c->cairo, x, y);
    if (is_upwards)
        cairo_rotate(c->cairo, -acos(-1) / 2);
    cairo_move_to(c->cairo, align == ALIGN_LEFT ? 0 : -width / (align == ALIGN_CENTER ? 2 : 1), 0);
    cairo_show_text(c->cairo, clean);
    cairo_restore(c->cairo);
    cairo_new_path(c->cairo);
}

int canvas_density(const struct canvas *c)
{
    return c->format == CANVAS_PNG ? 1 : 2;
}

void canvas_image(struct canvas *c, cairo_surface_t *image, double x, double y)
{
    cairo_save(c->cairo);
    cairo_translate(c->cairo, x, y);
    cairo_scale(c->cairo, 1.0 / canvas_density(c), 1.0 / canvas_density(c));
    cairo_set_source_surface(c->cairo, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(c->cairo), CAIRO_FILTER_NEAREST);
    cairo_paint(c->cairo);
    cairo_restore(c->cairo);
    cairo_surface_destroy(image);
}
