/* chart.c: several lines through points, with axes and a legend.
 *
 *   title
 *   vertical axis
 *   +-----------+  -- a
 *   |           |  -- b
 *   +-----------+
 *    horizontal axis
 */
#include "picture.h"

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
    LEGEND_LINE = 26, /* how long a sample is */
    LEGEND_PITCH = 24,
    WIDTH = 620,
    HEIGHT = 340
};

static const double big = 11, normal = 9, little = 7.5; /* heights of capitals */
static const struct color ink = {34, 40, 49}, soft = {120, 128, 138}, faint = {228, 231, 235};

/* Of the vertical axis; powers of ten where the chart is logarithmic. */
struct scale {
    double lo, hi;
};

static struct scale scale_of(const struct chart *c)
{
    struct scale s = {c->is_log ? (double)INFINITY : 0, -(double)INFINITY};
    for (int i = 0; i < c->count; i++)
        for (int j = 0; j < c->points; j++) {
            double v = c->series[i].value[j];
            if (!isfinite(v) || (c->is_log && v <= 0))
                continue;
            v = c->is_log ? log10(v) : v;
            s.lo = fmin(s.lo, v);
            s.hi = fmax(s.hi, v);
        }
    if (!(s.lo <= s.hi))
        s = (struct scale){0, 1};
    if (c->is_log)
        s = (struct scale){floor(s.lo), ceil(s.hi)};
    else
        s.hi *= 1.06;
    s.hi = s.hi > s.lo ? s.hi : s.lo + 1;
    return s;
}

static double x_of(const struct chart *c, int point)
{
    return MARGIN + LEFT_ROOM + WIDTH * (point + 0.5) / c->points;
}

static double y_of(const struct scale *s, double value)
{
    return MARGIN + TOP_ROOM + (s->hi - value) / (s->hi - s->lo) * HEIGHT;
}

static void draw_axes(struct picture *p, const struct chart *c, const struct scale *s)
{
    char text[32];
    const int left = MARGIN + LEFT_ROOM, top = MARGIN + TOP_ROOM, bottom = top + HEIGHT;
    struct ticks t = ticks_of(s->lo, s->hi, 7, c->is_log ? 1 : 0);
    for (int i = 0; i < t.count; i++) {
        int y = (int)lrint(y_of(s, t.at[i]));
        picture_fill(p, left, y, WIDTH, 1, faint);
        picture_text(p, left - 9, y + little / 2 + 0.5, little, ALIGN_RIGHT, false, ink,
                     c->is_log ? format_short(pow(10, t.at[i]), text) : format_tick(&t, i, text));
    }
    for (int i = 0; i < c->points; i++) {
        picture_fill(p, (int)x_of(c, i), bottom + 1, 1, 4, soft);
        picture_text(p, x_of(c, i), bottom + 18, little, ALIGN_CENTER, false, ink, c->label[i]);
    }
    picture_fill(p, left - 1, top, 1, HEIGHT + 1, soft);
    picture_fill(p, left - 1, bottom, WIDTH + 1, 1, soft);
    picture_text(p, left + WIDTH / 2.0, bottom + 40, normal, ALIGN_CENTER, false, soft, c->x_axis);
    picture_text(p, left - 40, top - 14, normal, ALIGN_LEFT, false, soft, c->y_axis);
}

static void draw_series(struct picture *p, const struct chart *c, const struct scale *s,
                        const struct series *line)
{
    double last_x = 0, last_y = (double)NAN;
    for (int i = 0; i < c->points; i++) {
        double v = c->is_log ? log10(line->value[i]) : line->value[i];
        if (!isfinite(v)) {
            last_y = (double)NAN;
            continue;
        }
        double x = x_of(c, i), y = y_of(s, v);
        if (!isnan(last_y))
            picture_line(p, last_x, last_y, x, y, line->thickness, line->color);
        if (line->thickness > 1.5)
            picture_line(p, x, y, x, y, 3 * line->thickness, line->color);
        last_x = x;
        last_y = y;
    }
}

static void draw_legend(struct picture *p, const struct chart *c)
{
    const int x = MARGIN + LEFT_ROOM + WIDTH + LEGEND_GAP;
    int y = MARGIN + TOP_ROOM + 12;
    for (int i = 0; i < c->count; i++) {
        const struct series *line = &c->series[i];
        if (!line->name)
            continue;
        picture_line(p, x, y, x + LEGEND_LINE, y, line->thickness, line->color);
        picture_text(p, x + LEGEND_LINE + 8, y + normal / 2, normal, ALIGN_LEFT, false, ink,
                     line->name);
        y += LEGEND_PITCH;
    }
}

bool chart_save(const struct chart *c, const char *path, bool force, struct ztio_error *error)
{
    struct picture p = {0, 0, NULL};
    double legend = 0;
    for (int i = 0; i < c->count; i++)
        if (c->series[i].name)
            legend = fmax(legend, LEGEND_LINE + 8 + text_width(normal, c->series[i].name));
    int all = 2 * MARGIN + LEFT_ROOM + WIDTH + LEGEND_GAP + (int)legend;
    int title = 2 * MARGIN + (int)text_width(big, c->title);
    if (!picture_new(&p, all > title ? all : title,
                     MARGIN + TOP_ROOM + HEIGHT + BOTTOM_ROOM + MARGIN / 2, error))
        return false;
    const struct scale s = scale_of(c);
    picture_text(&p, MARGIN, MARGIN + big, big, ALIGN_LEFT, false, ink, c->title);
    draw_axes(&p, c, &s);
    for (int i = 0; i < c->count; i++)
        draw_series(&p, c, &s, &c->series[i]);
    draw_legend(&p, c);
    bool saved = picture_save(&p, path, force, error);
    free(p.rgb);
    return saved;
}
