/* chart.c: several lines through points, with axes and a legend, drawn by cairo.
 *
 *   title
 *   vertical axis
 *   +-----------+  -- a
 *   |           |  -- b
 *   +-----------+
 *    horizontal axis
 *
 * On a narrow page the legend is below, in columns.
 */
#include "draw/chart.h"

#include "draw/canvas.h"
#include "draw/picture.h"

#include <math.h>

/* Pixels. */
enum {
    MARGIN = 18,
    TOP_ROOM = 66,    /* the title and the name of the vertical axis */
    LEFT_ROOM = 74,   /* tick labels */
    BOTTOM_ROOM = 56, /* tick labels and the name of the horizontal axis */
    LEGEND_GAP = 22,
    LEGEND_LINE = 30, /* how long a sample is */
    LEGEND_PITCH = 24,
    LABEL_PITCH = 14,
    WIDTH = 620,
    HEIGHT = 340,
    NARROW_MARGIN = 8,
    NARROW_LEFT_ROOM = 50,
    NARROW_WIDTH = 300,
    NARROW_HEIGHT = 280,
    NARROW_LEGEND_GAP = 10,
    NARROW_LEGEND_PITCH = 20
};

static const double big = 11, normal = 9, little = 7.5; /* heights of capitals */

/* Of an axis; logarithms where it is logarithmic. */
struct scale {
    double lo, hi;
};

struct frame {
    struct canvas canvas;
    struct scale x, y;
    bool is_narrow;
    int margin;
    int left, top, right, bottom; /* of the axes */
    int legend;                   /* its widest entry */
    int width, height;            /* of all */
};

static const struct color paints[PAINT_SERIES + PAINTS_OF_SERIES] = {
    [PAINT_PAPER] = {0xff, 0xff, 0xff},
    [PAINT_INK] = {0x22, 0x28, 0x31},
    [PAINT_SOFT] = {0x5f, 0x67, 0x72},
    [PAINT_FAINT] = {0xe4, 0xe7, 0xeb},
    [PAINT_GREY] = {0xc6, 0xcb, 0xd1},
    [PAINT_SERIES] = {0x00, 0x72, 0xb2}, /* blue */
    {0xd5, 0x5e, 0x00},                  /* vermilion */
    {0x00, 0x9e, 0x73},                  /* bluish green */
    {0x56, 0xb4, 0xe9},                  /* sky blue */
    {0xb5, 0x65, 0x9a},                  /* reddish purple */
    {0xc7, 0x8a, 0x00},                  /* orange */
    {0x5f, 0x67, 0x72},                  /* grey */
    {0x22, 0x28, 0x31},                  /* black */
};

/* Where a value is on the vertical axis, in its own units; NaN: nowhere. */
static double height_of(const struct chart *c, double value)
{
    if (!isfinite(value) || (c->is_log && value <= 0))
        return (double)NAN;
    return c->is_log ? log10(value) : value;
}

static struct scale empty_scale(void)
{
    return (struct scale){(double)INFINITY, -(double)INFINITY};
}

/* With a margin of a part of it at both ends, at least one of 'least'. */
static struct scale around(struct scale s, double least)
{
    const double margin = fmax(0.05 * (s.hi - s.lo), least);
    return (struct scale){s.lo - margin, s.hi + margin};
}

static struct scale scale_of(const struct chart *c)
{
    struct scale s = empty_scale();
    for (int i = 0; i < c->count; i++)
        for (int j = 0; j < c->points; j++) {
            const double v = height_of(c, c->series[i].value[j]);
            s.lo = fmin(s.lo, v);
            s.hi = fmax(s.hi, v);
        }
    if (!(s.lo <= s.hi))
        return (struct scale){0, 1};
    if (c->is_log)
        s = around(s, 0.1);
    else if (c->is_from_any)
        s = (struct scale){s.lo - 0.05 * (s.hi - s.lo), s.hi + 0.05 * (s.hi - s.lo)};
    else
        s = (struct scale){0, 1.06 * s.hi};
    s.hi = s.hi > s.lo ? s.hi : s.lo + 1;
    return s;
}

/* Of numbers along the horizontal axis, which has ticks at whole powers of two. */
static struct scale numbers_of(const struct chart *c)
{
    struct scale s = empty_scale();
    for (int i = 0; i < c->count; i++)
        for (int j = 0; j < c->points; j++)
            if (!isnan(height_of(c, c->series[i].value[j])) && c->series[i].at[j] > 0) {
                s.lo = fmin(s.lo, log2(c->series[i].at[j]));
                s.hi = fmax(s.hi, log2(c->series[i].at[j]));
            }
    if (!(s.lo <= s.hi))
        return (struct scale){0, 1};
    return s.hi - s.lo < 2 ? (struct scale){floor(s.lo), fmax(ceil(s.hi), floor(s.lo) + 1)}
                           : around(s, 0.1);
}

static double x_of(const struct chart *c, const struct frame *f, const struct series *line,
                   int point)
{
    const double part = c->has_numbers ? (log2(line->at[point]) - f->x.lo) / (f->x.hi - f->x.lo)
                                       : (point + 0.5) / c->points;
    return f->left + (f->right - f->left) * part;
}

static double y_of(const struct frame *f, double height)
{
    return f->top + (f->y.hi - height) / (f->y.hi - f->y.lo) * (f->bottom - f->top);
}

static void draw_tick(struct frame *f, double height, const char *words)
{
    const double y = y_of(f, height);
    canvas_box(&f->canvas, f->left, floor(y), f->right - f->left, 1, paints[PAINT_FAINT]);
    canvas_text(&f->canvas, f->left - 9, y + little / 2 + 0.5, little, ALIGN_RIGHT, false,
                paints[PAINT_INK], words);
}

/* At 1, 2 and 5 times powers of ten; over more than three decades, at the powers alone. */
static void draw_logarithms(struct frame *f)
{
    static const double steps[] = {1, 2, 5};
    const int used = f->y.hi - f->y.lo > 3 ? 1 : 3;
    char text[32];
    for (int power = (int)floor(f->y.lo); power <= (int)f->y.hi; power++)
        for (int i = 0; i < used; i++) {
            const double height = power + log10(steps[i]);
            if (height >= f->y.lo && height <= f->y.hi)
                draw_tick(f, height, format_short(steps[i] * pow(10, power), text));
        }
}

static void draw_vertical(struct frame *f, const struct chart *c)
{
    char text[32];
    if (c->is_log) {
        draw_logarithms(f);
        return;
    }
    struct ticks t = ticks_of(f->y.lo, f->y.hi, 7, 0);
    for (int i = 0; i < t.count; i++)
        draw_tick(f, t.at[i], format_tick(&t, i, text));
}

/* Names of points; where they are too wide to stand in one row, in two. */
static void draw_names(struct frame *f, const struct chart *c)
{
    const double pitch = (double)(f->right - f->left) / c->points;
    double widest = 0;
    for (int i = 0; i < c->points; i++)
        widest = fmax(widest, text_width(little, c->label[i]));
    for (int i = 0; i < c->points; i++) {
        const double x = f->left + pitch * (i + 0.5);
        const int row = widest > pitch - 4 ? i % 2 : 0;
        canvas_box(&f->canvas, floor(x), f->bottom + 1, 1, 4 + row * LABEL_PITCH,
                   paints[PAINT_SOFT]);
        canvas_text(&f->canvas, x, f->bottom + 18 + row * LABEL_PITCH, little, ALIGN_CENTER, false,
                    paints[PAINT_INK], c->label[i]);
    }
}

static void draw_horizontal(struct frame *f, const struct chart *c)
{
    char text[32];
    if (!c->has_numbers)
        draw_names(f, c);
    for (double power = ceil(f->x.lo); c->has_numbers && power <= f->x.hi; power++) {
        const double x = f->left + (f->right - f->left) * (power - f->x.lo) / (f->x.hi - f->x.lo);
        canvas_box(&f->canvas, floor(x), f->top, 1, f->bottom - f->top, paints[PAINT_FAINT]);
        canvas_text(&f->canvas, x, f->bottom + 18, little, ALIGN_CENTER, false, paints[PAINT_INK],
                    format_short(exp2(power), text));
    }
}

static void draw_axes(struct frame *f, const struct chart *c)
{
    draw_vertical(f, c);
    draw_horizontal(f, c);
    canvas_box(&f->canvas, f->left - 1, f->top, 1, f->bottom - f->top + 1, paints[PAINT_SOFT]);
    canvas_box(&f->canvas, f->left - 1, f->bottom, f->right - f->left + 1, 1, paints[PAINT_SOFT]);
    canvas_text(&f->canvas, (f->left + f->right) / 2.0, f->bottom + (f->is_narrow ? 48 : 40),
                normal, ALIGN_CENTER, false, paints[PAINT_SOFT], c->x_axis);
    canvas_text(&f->canvas, f->left - 40, f->top - 14, normal, ALIGN_LEFT, false,
                paints[PAINT_SOFT], c->y_axis);
}

/* Points of outlines, in units of the size. */
static const struct {
    int points;
    double at[4][2];
} outlines[MARKERS] = {
    [MARKER_SQUARE] = {4, {{-0.45, -0.45}, {0.45, -0.45}, {0.45, 0.45}, {-0.45, 0.45}}},
    [MARKER_UP] = {3, {{0, -0.58}, {0.55, 0.42}, {-0.55, 0.42}}},
    [MARKER_DIAMOND] = {4, {{0, -0.62}, {0.62, 0}, {0, 0.62}, {-0.62, 0}}},
    [MARKER_DOWN] = {3, {{0, 0.58}, {0.55, -0.42}, {-0.55, -0.42}}},
};

static void draw_marker(struct frame *f, double x, double y, enum marker m, struct color color)
{
    enum { SIZE = 9 }; /* pixels */
    cairo_t *c = f->canvas.cairo;
    const double r = SIZE / 2.0;
    if (m == MARKER_NONE)
        return;
    if (m == MARKER_CROSS) {
        cairo_move_to(c, x - r, y - r);
        cairo_line_to(c, x + r, y + r);
        cairo_move_to(c, x - r, y + r);
        cairo_line_to(c, x + r, y - r);
        canvas_stroke(&f->canvas, 1.8, false, color);
    } else if (m == MARKER_RING) { /* to be seen around another marker */
        cairo_arc(c, x, y, r + 1, 0, 2 * acos(-1));
        canvas_color(&f->canvas, paints[PAINT_PAPER]);
        cairo_fill_preserve(c);
        canvas_stroke(&f->canvas, 2, false, color);
    } else {
        if (m == MARKER_DISC)
            cairo_arc(c, x, y, r, 0, 2 * acos(-1));
        for (int i = 0; i < outlines[m].points; i++)
            cairo_line_to(c, x + SIZE * outlines[m].at[i][0], y + SIZE * outlines[m].at[i][1]);
        canvas_color(&f->canvas, color);
        cairo_fill(c);
    }
}

/* The line first, then its points, so that it crosses none of them. */
static void draw_series(struct frame *f, const struct chart *c, const struct series *line)
{
    for (int i = 0; i < c->points; i++) {
        const double v = height_of(c, line->value[i]);
        if (c->is_apart[i])
            cairo_new_sub_path(f->canvas.cairo);
        if (!isnan(v))
            cairo_line_to(f->canvas.cairo, x_of(c, f, line, i), y_of(f, v));
        else if (!c->has_numbers) /* a gap between names; numbers stand where they are */
            cairo_new_sub_path(f->canvas.cairo);
    }
    canvas_stroke(&f->canvas, line->thickness, line->is_dashed, paints[line->paint]);
    for (int i = 0; i < c->points; i++) {
        const double v = height_of(c, line->value[i]);
        if (!isnan(v))
            draw_marker(f, x_of(c, f, line, i), y_of(f, v), line->marker, paints[line->paint]);
    }
}

/* How many columns of a narrow chart's legend are side by side. */
static int legend_columns(const struct frame *f)
{
    const int columns =
        (f->width - 2 * f->margin + NARROW_LEGEND_GAP) / (f->legend + NARROW_LEGEND_GAP);
    return columns > 1 ? columns : 1;
}

static void draw_legend(struct frame *f, const struct chart *c)
{
    const int columns = f->is_narrow ? legend_columns(f) : 1;
    const int pitch = f->is_narrow ? NARROW_LEGEND_PITCH : LEGEND_PITCH;
    const int left = f->is_narrow ? f->margin : f->right + LEGEND_GAP;
    const int top = f->is_narrow ? f->bottom + BOTTOM_ROOM + 14 : f->top + 12;
    int at = 0;
    for (int i = 0; i < c->count; i++) {
        const struct series *line = &c->series[i];
        if (!line->name[0])
            continue;
        const int x = left + at % columns * ((f->width - left) / columns);
        const int y = top + at / columns * pitch;
        cairo_move_to(f->canvas.cairo, x, y);
        cairo_line_to(f->canvas.cairo, x + LEGEND_LINE, y);
        canvas_stroke(&f->canvas, line->thickness, line->is_dashed, paints[line->paint]);
        draw_marker(f, x + LEGEND_LINE / 2.0, y, line->marker, paints[line->paint]);
        canvas_text(&f->canvas, x + LEGEND_LINE + 9, y + normal / 2, normal, ALIGN_LEFT, false,
                    paints[PAINT_INK], line->name);
        at++;
    }
}

/* Where the last point of a line is; false: it has none. */
static bool end_of(const struct frame *f, const struct chart *c, const struct series *line,
                   double *x, double *y)
{
    for (int i = c->points - 1; i >= 0; i--) {
        const double v = height_of(c, line->value[i]);
        if (isnan(v))
            continue;
        *x = x_of(c, f, line, i);
        *y = y_of(f, v);
        return true;
    }
    return false;
}

struct label {
    const struct series *line;
    double x, end, y; /* where the line ends; where the label is */
};

/* Names at the right, from the top down, apart; a thin line leads from each to the end of its
 * line. */
static void draw_labels(struct frame *f, const struct chart *c)
{
    struct label label[CHART_SERIES];
    const int x = f->right + LEGEND_GAP;
    int n = 0;
    for (int i = 0; i < c->count; i++) {
        struct label own = {.line = &c->series[i]};
        if (!own.line->name[0] || !end_of(f, c, own.line, &own.x, &own.end))
            continue;
        int at = n++;
        for (; at > 0 && label[at - 1].end > own.end; at--)
            label[at] = label[at - 1];
        label[at] = own;
    }
    double lowest = f->height - f->margin;
    for (int i = 0; i < n; i++)
        label[i].y = fmax(label[i].end, i > 0 ? label[i - 1].y + LABEL_PITCH : f->top);
    for (int i = n - 1; i >= 0; i--, lowest -= LABEL_PITCH)
        label[i].y = fmin(label[i].y, lowest);
    for (int i = 0; i < n; i++) {
        const struct color color = paints[label[i].line->paint];
        cairo_move_to(f->canvas.cairo, label[i].x + 6, label[i].end);
        cairo_line_to(f->canvas.cairo, x - 4, label[i].y);
        canvas_stroke(&f->canvas, 0.6, false, color);
        canvas_text(&f->canvas, x, label[i].y + little / 2, little, ALIGN_LEFT, false, color,
                    label[i].line->name);
    }
}

/* The legend's widest entry, and how many there are. */
static int measure_legend(struct frame *f, const struct chart *c)
{
    double widest = 0;
    int names = 0;
    for (int i = 0; i < c->count; i++)
        if (c->series[i].name[0]) {
            widest = fmax(widest, c->is_labelled
                                      ? text_width(little, c->series[i].name)
                                      : LEGEND_LINE + 9 + text_width(normal, c->series[i].name));
            names++;
        }
    f->legend = (int)widest;
    return names;
}

static void measure(struct frame *f, const struct chart *c)
{
    const int names = measure_legend(f, c);
    f->margin = f->is_narrow ? NARROW_MARGIN : MARGIN;
    f->left = f->margin + (f->is_narrow ? NARROW_LEFT_ROOM : LEFT_ROOM);
    f->right = f->left + (f->is_narrow ? NARROW_WIDTH : WIDTH);
    f->top = f->margin + TOP_ROOM;
    f->bottom = f->top + (f->is_narrow ? NARROW_HEIGHT : HEIGHT);
    f->x = numbers_of(c);
    f->y = scale_of(c);
    if (f->is_narrow) {
        f->width = f->right + f->margin;
        const int columns = legend_columns(f);
        f->height =
            f->bottom + BOTTOM_ROOM + (names + columns - 1) / columns * NARROW_LEGEND_PITCH + 14;
        return;
    }
    const int all = f->right + LEGEND_GAP + f->legend + f->margin;
    const int title = 2 * f->margin + (int)text_width(big, c->title);
    const int lines = f->top + 12 + names * (c->is_labelled ? LABEL_PITCH : LEGEND_PITCH);
    const int high = f->bottom + BOTTOM_ROOM + f->margin / 2;
    f->width = all > title ? all : title;
    f->height = high > lines ? high : lines;
}

static void draw(struct frame *f, const struct chart *c, enum canvas_format format, bool has_paper)
{
    measure(f, c);
    const double room = f->width - 2 * f->margin;
    const double title = big * fmin(1, room / fmax(room, text_width(big, c->title)));
    canvas_open(&f->canvas, format, c->title, f->width, f->height);
    if (has_paper)
        canvas_box(&f->canvas, 0, 0, f->width, f->height, paints[PAINT_PAPER]);
    canvas_text(&f->canvas, f->margin, f->margin + big, title, ALIGN_LEFT, false, paints[PAINT_INK],
                c->title);
    draw_axes(f, c);
    for (int i = 0; i < c->count; i++)
        draw_series(f, c, &c->series[c->is_first_on_top ? c->count - 1 - i : i]);
    if (c->is_labelled && !f->is_narrow)
        draw_labels(f, c);
    else
        draw_legend(f, c);
}

bool chart_save(const struct chart *c, const char *path, const struct options *o,
                struct ztio_error *error)
{
    static const char style[] = "@media(prefers-color-scheme:dark){svg{" CHART_IN_THE_DARK "}}";
    struct frame f = {.is_narrow = false};
    draw(&f, c, canvas_format_of(path), true);
    return canvas_save(&f.canvas, style, path, o, error);
}

/* An SVG without paper as base64, in quotes, and its extents. */
static bool add_drawing(const struct chart *c, bool is_narrow, struct text *t,
                        struct ztio_error *error)
{
    struct frame f = {.is_narrow = is_narrow};
    struct text svg;
    draw(&f, c, CANVAS_SVG, false);
    const bool is_drawn = canvas_close(&f.canvas, NULL, c->title, &svg, error);
    if (is_drawn) {
        text_add(t, "\"data:image/svg+xml;base64,");
        text_add_base64(t, svg.bytes, svg.n);
        text_add(t, "\" width=\"%d\" height=\"%d\">", f.width, f.height);
    }
    text_free(&svg);
    return is_drawn;
}

bool chart_add_image(const struct chart *c, struct text *t, const char *id,
                     struct ztio_error *error)
{
    text_add(t, "<picture><source media=\"(max-width:" CHART_NARROW_PAGE ")\" srcset=");
    if (!add_drawing(c, true, t, error))
        return false;
    text_add(t, "<img class=\"chart\" id=\"%s\" alt=\"", id);
    text_add_escaped(t, c->title);
    text_add(t, "\" src=");
    const bool is_drawn = add_drawing(c, false, t, error);
    text_add(t, "</picture>\n");
    return is_drawn;
}
