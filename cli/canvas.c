/* canvas.c: lines, boxes, markers and words, as pixels or as SVG. */
#include "canvas.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- text that grows ----------------------------------------------------------------------- */

static bool make_room(struct text *t, size_t more)
{
    if (t->is_failed)
        return false;
    if (t->n + more + 1 <= t->room)
        return true;
    const size_t room = 2 * (t->n + more + 1024);
    char *bytes = realloc(t->bytes, room);
    t->is_failed = !bytes;
    if (bytes) {
        t->bytes = bytes;
        t->room = room;
    }
    return bytes != NULL;
}

void text_add(struct text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n >= 0 && make_room(t, (size_t)n)) {
        (void)vsnprintf(t->bytes + t->n, (size_t)n + 1, format, again);
        t->n += (size_t)n;
    }
    va_end(again);
}

void text_add_escaped(struct text *t, const char *words)
{
    for (; *words; words++) {
        switch (*words) {
        case '<': text_add(t, "&lt;"); break;
        case '>': text_add(t, "&gt;"); break;
        case '&': text_add(t, "&amp;"); break;
        case '"': text_add(t, "&quot;"); break;
        default:
            if ((unsigned char)*words >= 0x20)
                text_add(t, "%c", *words);
        }
    }
}

void text_add_base64(struct text *t, const void *data, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = data;
    if (!make_room(t, (n + 2) / 3 * 4))
        return;
    char *out = t->bytes + t->n;
    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const unsigned v = (unsigned)in[i] << 16 | (left > 1 ? (unsigned)in[i + 1] << 8 : 0) |
                           (left > 2 ? in[i + 2] : 0u);
        *out++ = digits[v >> 18];
        *out++ = digits[v >> 12 & 63];
        *out++ = left > 1 ? digits[v >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[v & 63] : '=';
    }
    *out = 0;
    t->n = (size_t)(out - t->bytes);
}

bool text_save(const struct text *t, const char *path, bool force, struct ztio_error *error)
{
    if (t->is_failed)
        return fail(error, ZTIO_LACKING, "%s: no memory for its text; free some", path);
    struct ztio_bytes *bytes = ztio_bytes_create(path, force, error);
    if (!bytes)
        return false;
    if (ztio_bytes_write(bytes, t->bytes ? t->bytes : "", t->n, error))
        return ztio_bytes_commit(bytes, error);
    ztio_bytes_abandon(bytes);
    return false;
}

void text_free(struct text *t)
{
    free(t->bytes);
    *t = (struct text){NULL, 0, 0, false};
}

/* ---- colours ------------------------------------------------------------------------------- */

static const struct {
    unsigned light, dark; /* 0xrrggbb */
} paints[PAINT_SERIES + PAINTS_OF_SERIES] = {
    {0xffffff, 0x15181c}, {0x222831, 0xe6e9ed}, {0x5f6772, 0xa3abb5}, {0xe4e7eb, 0x2c3138},
    {0xc6cbd1, 0x4a515a},
    {0x0072b2, 0x4aa8e8}, /* blue */
    {0xd55e00, 0xf08048}, /* vermilion */
    {0x009e73, 0x2dc79b}, /* bluish green */
    {0x56b4e9, 0x9bd6ff}, /* sky blue */
    {0xb5659a, 0xe8a0cb}, /* reddish purple */
    {0xc78a00, 0xf2bb44}, /* orange */
    {0x5f6772, 0xa3abb5}, /* grey */
    {0x222831, 0xe6e9ed}, /* black */
};

struct color color_of_paint(int paint)
{
    const unsigned v = paints[paint].light;
    return (struct color){(unsigned char)(v >> 16), (unsigned char)(v >> 8), (unsigned char)v};
}

void add_paint_style(struct text *t)
{
    text_add(t, ".zt-plot text{font-family:system-ui,sans-serif}");
    for (int i = 0; i < PAINT_SERIES + PAINTS_OF_SERIES; i++)
        text_add(t, ".f%d{fill:#%06x}.s%d{stroke:#%06x}", i, paints[i].light, i, paints[i].light);
    text_add(t, "@media(prefers-color-scheme:dark){");
    for (int i = 0; i < PAINT_SERIES + PAINTS_OF_SERIES; i++)
        text_add(t, ".f%d{fill:#%06x}.s%d{stroke:#%06x}", i, paints[i].dark, i, paints[i].dark);
    text_add(t, "}");
}

/* ---- drawing ------------------------------------------------------------------------------- */

void canvas_box(struct canvas *c, double x, double y, double width, double height, int paint)
{
    if (c->picture)
        picture_fill(c->picture, (int)lrint(x), (int)lrint(y), (int)lrint(width),
                     (int)lrint(height), color_of_paint(paint));
    else
        text_add(c->svg,
                 "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"f%d\"/>\n", x,
                 y, width, height, paint);
}

void canvas_line(struct canvas *c, double x0, double y0, double x1, double y1, double thickness,
                 bool is_dashed, int paint)
{
    enum { DASH = 5 }; /* pixels, and as many between */
    if (!c->picture) {
        text_add(c->svg,
                 "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"s%d\" "
                 "stroke-width=\"%.1f\" stroke-linecap=\"round\"%s/>\n",
                 x0, y0, x1, y1, paint, thickness, is_dashed ? " stroke-dasharray=\"5 5\"" : "");
        return;
    }
    const double length = hypot(x1 - x0, y1 - y0);
    const int parts = is_dashed && length > DASH ? (int)(length / (2 * DASH)) + 1 : 1;
    for (int i = 0; i < parts; i++) {
        const double from = (double)i / parts, to = from + (parts > 1 ? 0.5 : 1.0) / parts;
        picture_line(c->picture, x0 + from * (x1 - x0), y0 + from * (y1 - y0),
                     x0 + to * (x1 - x0), y0 + to * (y1 - y0), thickness, color_of_paint(paint));
    }
}

/* Points of outlines, in units of the size; discs and rings are lines of no length. */
static const struct {
    int points;
    double at[4][2];
} outlines[MARKERS] = {
    [MARKER_SQUARE] = {4, {{-0.45, -0.45}, {0.45, -0.45}, {0.45, 0.45}, {-0.45, 0.45}}},
    [MARKER_UP] = {3, {{0, -0.58}, {0.55, 0.42}, {-0.55, 0.42}}},
    [MARKER_DIAMOND] = {4, {{0, -0.62}, {0.62, 0}, {0, 0.62}, {-0.62, 0}}},
    [MARKER_DOWN] = {3, {{0, 0.58}, {0.55, -0.42}, {-0.55, -0.42}}},
};

static void fill_outline(struct picture *p, double x, double y, double size, enum marker m,
                         int paint)
{
    const int n = outlines[m].points;
    for (double part = 1; part > 0; part -= 1 / size) /* rings, a pixel apart */
        for (int i = 0; i < n; i++) {
            const double *a = outlines[m].at[i], *b = outlines[m].at[(i + 1) % n];
            picture_line(p, x + part * size * a[0], y + part * size * a[1],
                         x + part * size * b[0], y + part * size * b[1], 1.2,
                         color_of_paint(paint));
        }
}

void canvas_marker(struct canvas *c, double x, double y, double size, enum marker m, int paint)
{
    if (m == MARKER_RING) /* to be seen around another marker */
        size += 4;
    const double r = size / 2;
    if (m == MARKER_NONE)
        return;
    if (m == MARKER_CROSS) {
        canvas_line(c, x - r, y - r, x + r, y + r, 1.8, false, paint);
        canvas_line(c, x - r, y + r, x + r, y - r, 1.8, false, paint);
    } else if (c->picture && outlines[m].points) {
        fill_outline(c->picture, x, y, size, m, paint);
    } else if (c->picture) {
        picture_line(c->picture, x, y, x, y, size, color_of_paint(paint));
        if (m == MARKER_RING)
            picture_line(c->picture, x, y, x, y, size - 4, color_of_paint(PAINT_PAPER));
    } else if (outlines[m].points) {
        text_add(c->svg, "<polygon points=\"");
        for (int i = 0; i < outlines[m].points; i++)
            text_add(c->svg, "%.1f,%.1f ", x + size * outlines[m].at[i][0],
                     y + size * outlines[m].at[i][1]);
        text_add(c->svg, "\" class=\"f%d\"/>\n", paint);
    } else {
        const bool is_ring = m == MARKER_RING;
        text_add(c->svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" class=\"f%d s%d\""
                         " stroke-width=\"%.1f\"/>\n", x, y, is_ring ? r - 1 : r,
                 is_ring ? PAINT_PAPER : paint, paint, is_ring ? 2.0 : 0.0);
    }
}

void canvas_text(struct canvas *c, double x, double y, double height, enum align align,
                 bool is_upwards, int paint, const char *words)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    if (c->picture) {
        picture_text(c->picture, x, y, height, align, is_upwards, color_of_paint(paint), words);
        return;
    }
    text_add(c->svg, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\" "
                     "class=\"f%d\"", x, y, height / 0.7, anchors[align], paint);
    if (is_upwards)
        text_add(c->svg, " transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    text_add(c->svg, ">");
    text_add_escaped(c->svg, words);
    text_add(c->svg, "</text>\n");
}
