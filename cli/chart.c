/* chart.c: several lines through points, with axes and a legend.
 *
 *   title
 *   vertical axis
 *   +-----------+  -- a
 *   |           |  -- b
 *   +-----------+
 *    horizontal axis
 */
#include "chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels. */
enum {
    MARGIN = 18,
    TOP_ROOM = 66,    /* the title and the name of the vertical axis */
    LEFT_ROOM = 74,   /* tick labels */
    BOTTOM_ROOM = 56, /* tick labels and the name of the horizontal axis */
    LEGEND_GAP = 22,
    LEGEND_LINE = 30, /* how long a sample is */
    LEGEND_PITCH = 24,
    WIDTH = 620,
    HEIGHT = 340,
    MARKER_SIZE = 9
};

static const double big = 11, normal = 9, little = 7.5; /* heights of capitals */

/* Of an axis; logarithms where it is logarithmic. */
struct scale {
    double lo, hi;
};

struct frame {
    struct canvas canvas;
    struct scale x, y;
    int width, height; /* of all */
};

struct series *chart_add(struct chart *c, const char *name, int paint, double thickness)
{
    struct series *line = &c->series[c->count++];
    *line = (struct series){.paint = paint, .thickness = thickness,
                            .marker = thickness > 1.5 ? MARKER_DISC : MARKER_NONE};
    (void)snprintf(line->name, sizeof line->name, "%s", name ? name : "");
    for (int i = 0; i < CHART_POINTS; i++)
        line->value[i] = (double)NAN;
    return line;
}

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
        s = (struct scale){floor(s.lo), ceil(s.hi)};
    else if (c->is_from_any)
        s = (struct scale){s.lo - 0.05 * (s.hi - s.lo), s.hi + 0.05 * (s.hi - s.lo)};
    else
        s = (struct scale){0, 1.06 * s.hi};
    s.hi = s.hi > s.lo ? s.hi : s.lo + 1;
    return s;
}

/* Of numbers along the horizontal axis: whole powers of two around them. */
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
    s = (struct scale){floor(s.lo), ceil(s.hi)};
    s.hi = s.hi > s.lo ? s.hi : s.lo + 1;
    return s;
}

static double x_of(const struct chart *c, const struct scale *s, const struct series *line,
                   int point)
{
    const double part = c->has_numbers ? (log2(line->at[point]) - s->lo) / (s->hi - s->lo)
                                       : (point + 0.5) / c->points;
    return MARGIN + LEFT_ROOM + WIDTH * part;
}

static double y_of(const struct scale *s, double height)
{
    return MARGIN + TOP_ROOM + (s->hi - height) / (s->hi - s->lo) * HEIGHT;
}

static void draw_vertical(struct frame *f, const struct chart *c)
{
    char text[32];
    const int left = MARGIN + LEFT_ROOM;
    struct ticks t = ticks_of(f->y.lo, f->y.hi, 7, c->is_log ? 1 : 0);
    for (int i = 0; i < t.count; i++) {
        const double y = y_of(&f->y, t.at[i]);
        canvas_box(&f->canvas, left, floor(y), WIDTH, 1, PAINT_FAINT);
        canvas_text(&f->canvas, left - 9, y + little / 2 + 0.5, little, ALIGN_RIGHT, false,
                    PAINT_INK,
                    c->is_log ? format_short(pow(10, t.at[i]), text) : format_tick(&t, i, text));
    }
}

static void draw_horizontal(struct frame *f, const struct chart *c)
{
    char text[32];
    const int left = MARGIN + LEFT_ROOM, bottom = MARGIN + TOP_ROOM + HEIGHT;
    const int powers = (int)(f->x.hi - f->x.lo);
    for (int i = 0; !c->has_numbers && i < c->points; i++) {
        const double x = left + WIDTH * (i + 0.5) / c->points;
        canvas_box(&f->canvas, floor(x), bottom + 1, 1, 4, PAINT_SOFT);
        canvas_text(&f->canvas, x, bottom + 18, little, ALIGN_CENTER, false, PAINT_INK,
                    c->label[i]);
    }
    for (int i = 0; c->has_numbers && i <= powers; i++) {
        const double x = left + (double)WIDTH * i / powers;
        canvas_box(&f->canvas, floor(x), bottom - HEIGHT, 1, HEIGHT, PAINT_FAINT);
        canvas_text(&f->canvas, x, bottom + 18, little, ALIGN_CENTER, false, PAINT_INK,
                    format_short(exp2(f->x.lo + i), text));
    }
}

static void draw_axes(struct frame *f, const struct chart *c)
{
    const int left = MARGIN + LEFT_ROOM, top = MARGIN + TOP_ROOM, bottom = top + HEIGHT;
    draw_vertical(f, c);
    draw_horizontal(f, c);
    canvas_box(&f->canvas, left - 1, top, 1, HEIGHT + 1, PAINT_SOFT);
    canvas_box(&f->canvas, left - 1, bottom, WIDTH + 1, 1, PAINT_SOFT);
    canvas_text(&f->canvas, left + WIDTH / 2.0, bottom + 40, normal, ALIGN_CENTER, false,
                PAINT_SOFT, c->x_axis);
    canvas_text(&f->canvas, left - 40, top - 14, normal, ALIGN_LEFT, false, PAINT_SOFT, c->y_axis);
}

/* Lines first, then their points, so that no line crosses a point of its own series. */
static void draw_series(struct frame *f, const struct chart *c, const struct series *line)
{
    double last_x = 0, last_y = (double)NAN;
    for (int i = 0; i < c->points; i++) {
        const double v = height_of(c, line->value[i]);
        if (isnan(v)) { /* a gap between names; numbers stand where they are */
            last_y = c->has_numbers ? last_y : (double)NAN;
            continue;
        }
        const double x = x_of(c, &f->x, line, i), y = y_of(&f->y, v);
        if (!isnan(last_y))
            canvas_line(&f->canvas, last_x, last_y, x, y, line->thickness, line->is_dashed,
                        line->paint);
        last_x = x;
        last_y = y;
    }
    for (int i = 0; i < c->points; i++) {
        const double v = height_of(c, line->value[i]);
        if (!isnan(v))
            canvas_marker(&f->canvas, x_of(c, &f->x, line, i), y_of(&f->y, v), MARKER_SIZE,
                          line->marker, line->paint);
    }
}

static void draw_legend(struct frame *f, const struct chart *c)
{
    const int x = MARGIN + LEFT_ROOM + WIDTH + LEGEND_GAP;
    int y = MARGIN + TOP_ROOM + 12;
    for (int i = 0; i < c->count; i++) {
        const struct series *line = &c->series[i];
        if (!line->name[0])
            continue;
        canvas_line(&f->canvas, x, y, x + LEGEND_LINE, y, line->thickness, line->is_dashed,
                    line->paint);
        canvas_marker(&f->canvas, x + LEGEND_LINE / 2.0, y, MARKER_SIZE, line->marker, line->paint);
        canvas_text(&f->canvas, x + LEGEND_LINE + 9, y + normal / 2, normal, ALIGN_LEFT, false,
                    PAINT_INK, line->name);
        y += LEGEND_PITCH;
    }
}

static void measure(struct frame *f, const struct chart *c)
{
    double legend = 0;
    int names = 0;
    for (int i = 0; i < c->count; i++)
        if (c->series[i].name[0]) {
            legend = fmax(legend, LEGEND_LINE + 9 + text_width(normal, c->series[i].name));
            names++;
        }
    const int all = 2 * MARGIN + LEFT_ROOM + WIDTH + LEGEND_GAP + (int)legend;
    const int title = 2 * MARGIN + (int)text_width(big, c->title);
    const int lines = MARGIN + TOP_ROOM + 12 + names * LEGEND_PITCH;
    const int high = MARGIN + TOP_ROOM + HEIGHT + BOTTOM_ROOM + MARGIN / 2;
    f->width = all > title ? all : title;
    f->height = high > lines ? high : lines;
    f->x = numbers_of(c);
    f->y = scale_of(c);
}

static void draw(struct frame *f, const struct chart *c)
{
    canvas_text(&f->canvas, MARGIN, MARGIN + big, big, ALIGN_LEFT, false, PAINT_INK, c->title);
    draw_axes(f, c);
    for (int i = 0; i < c->count; i++)
        draw_series(f, c, &c->series[c->is_first_on_top ? c->count - 1 - i : i]);
    draw_legend(f, c);
}

void chart_add_svg(const struct chart *c, struct text *t, const char *id, bool is_standalone)
{
    struct frame f = {.canvas = {.svg = t}};
    measure(&f, c);
    text_add(t, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"zt-plot\" id=\"%s\" "
                "role=\"img\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n<title>",
             id, f.width, f.height, f.width, f.height);
    text_add_escaped(t, c->title);
    text_add(t, "</title>\n");
    if (is_standalone) {
        text_add(t, "<style>");
        add_paint_style(t);
        text_add(t, "</style>\n");
    }
    canvas_box(&f.canvas, 0, 0, f.width, f.height, PAINT_PAPER);
    draw(&f, c);
    text_add(t, "</svg>\n");
}

static bool save_svg(const struct chart *c, const char *path, bool force, struct ztio_error *error)
{
    struct text t = {NULL, 0, 0, false};
    chart_add_svg(c, &t, "chart", true);
    const bool saved = text_save(&t, path, force, error);
    text_free(&t);
    return saved;
}

bool chart_save(const struct chart *c, const char *path, bool force, struct ztio_error *error)
{
    struct picture p = {0, 0, NULL};
    struct frame f = {.canvas = {.picture = &p}};
    if (has_suffix(path, ".svg"))
        return save_svg(c, path, force, error);
    measure(&f, c);
    if (!picture_new(&p, f.width, f.height, error))
        return false;
    draw(&f, c);
    const bool saved = picture_save(&p, path, force, error);
    free(p.rgb);
    return saved;
}
