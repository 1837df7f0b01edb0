/* figure.c: panels side by side with titles, axes and colour bars; lines one above the other.
 *
 *   title
 *   panel title       panel title       panel title
 *   +-------+ +-+     +-------+ +-+     +-------+ +-+
 *   | image | |b| 1.0 |       | | |     |       | | |
 *   +-------+ +-+     +-------+ +-+     +-------+ +-+
 *    column axis
 */
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels. */
enum {
    MARGIN = 18,
    TITLE_ROOM = 40,  /* the figure's title */
    PANEL_TITLE = 26, /* above a panel */
    LEFT_ROOM = 62,   /* tick labels and name of the vertical axis */
    BOTTOM_ROOM = 48, /* likewise of the horizontal one */
    BAR_GAP = 12,
    BAR_WIDTH = 14,
    BAR_ROOM = 74,    /* tick labels of the bar */
    LONG_SIDE = 380,  /* of an image */
    SHORT_SIDE = 110, /* at least */
    LINES_WIDTH = 900,
    LINES_HEIGHT = 230
};

static const double big = 11, normal = 9, little = 7.5; /* heights of capitals */
static const struct color ink = {34, 40, 49}, soft = {120, 128, 138}, faint = {228, 231, 235},
                          missing = {200, 200, 200}, blue = {38, 84, 150}, orange = {222, 118, 36},
                          red = {176, 46, 44};

struct ticks ticks_of(double lo, double hi, int wanted, double least_step)
{
    struct ticks t = {.count = 0};
    double raw = (hi - lo) / wanted;
    double power = pow(10, floor(log10(raw)));
    double lead = raw / power;
    t.step = fmax(power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10), least_step);
    double first = ceil(lo / t.step - 1e-9) * t.step;
    for (int i = 0; i < (int)(sizeof t.at / sizeof *t.at); i++) {
        double v = first + i * t.step;
        if (!(v >= lo - 1e-9 * t.step && v <= hi + 1e-9 * t.step))
            break;
        t.at[t.count++] = fabs(v) < 1e-9 * t.step ? 0 : v;
    }
    return t;
}

const char *format_tick(const struct ticks *t, int i, char *text)
{
    double size = fmax(fabs(t->at[0]), fabs(t->at[t->count - 1]));
    if (size >= 1e7 || size < 1e-2 || t->step < 1e-6)
        return format_short(t->at[i], text);
    int decimals = (int)fmax(0, -floor(log10(t->step) + 1e-9));
    (void)snprintf(text, 32, "%.*f", decimals, t->at[i]);
    return text;
}

static void frame(struct picture *p, int x, int y, int width, int height)
{
    picture_fill(p, x - 1, y - 1, width + 2, 1, soft);
    picture_fill(p, x - 1, y + height, width + 2, 1, soft);
    picture_fill(p, x - 1, y, 1, height, soft);
    picture_fill(p, x + width, y, 1, height, soft);
}

/* The value that a pixel shows of the values first..last in each direction: their mean, or for
 * errors the largest, so that no bad value hides. */
static double pixel_value(const struct figure *f, const struct panel *panel, uint64_t row,
                          uint64_t row_end, uint64_t column, uint64_t column_end)
{
    double sum = 0, worst = 0;
    uint64_t count = 0;
    for (uint64_t i = row; i < row_end; i++)
        for (uint64_t j = column; j < column_end; j++) {
            double v = panel->values[i * f->columns + j];
            if (!isfinite(v))
                continue;
            sum += v;
            count++;
            worst = fabs(v) > fabs(worst) ? v : worst;
        }
    return count == 0 ? (double)NAN : panel->is_error ? worst : sum / (double)count;
}

/* Where pixel i of n begins in m values, and where it ends: one value at least. */
static void span(int i, int n, uint64_t m, uint64_t *first, uint64_t *end)
{
    *first = (uint64_t)((double)i * (double)m / n);
    *end = (uint64_t)((double)(i + 1) * (double)m / n);
    *end = *end > *first ? *end : *first + 1;
    *end = *end < m ? *end : m;
}

static struct color color_of(const struct panel *panel, double value)
{
    if (isnan(value))
        return missing;
    double at = (value - panel->lo) / (panel->hi - panel->lo);
    return panel->is_error ? color_of_error(at) : color_of_value(at);
}

static void draw_image(struct picture *p, const struct figure *f, const struct panel *panel, int x,
                       int y, int width, int height)
{
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            uint64_t row, row_end, column, column_end;
            span(j, height, f->rows, &row, &row_end);
            span(i, width, f->columns, &column, &column_end);
            double v = pixel_value(f, panel, row, row_end, column, column_end);
            picture_fill(p, x + i, y + j, 1, 1, color_of(panel, v));
        }
    frame(p, x, y, width, height);
}

static void draw_bar(struct picture *p, const struct panel *panel, int x, int y, int height)
{
    char text[32];
    for (int j = 0; j < height; j++) {
        double at = 1 - (j + 0.5) / height;
        picture_fill(p, x, y + j, BAR_WIDTH, 1,
                     color_of(panel, panel->lo + at * (panel->hi - panel->lo)));
    }
    frame(p, x, y, BAR_WIDTH, height);
    struct ticks t = ticks_of(panel->lo, panel->hi, height > 200 ? 6 : 4, 0);
    for (int i = 0; i < t.count; i++) {
        int at = y + (int)lrint((panel->hi - t.at[i]) / (panel->hi - panel->lo) * (height - 1));
        picture_fill(p, x + BAR_WIDTH + 1, at, 4, 1, soft);
        picture_text(p, x + BAR_WIDTH + 9, at + little / 2 + 0.5, little, ALIGN_LEFT, false, ink,
                     format_tick(&t, i, text));
    }
}

/* Ticks of indices below and left of an image. */
static void draw_axes(struct picture *p, const struct figure *f, int x, int y, int width,
                      int height, bool has_rows)
{
    char text[32];
    struct ticks t = ticks_of(0, (double)(f->columns - 1), width > 250 ? 5 : 3, 1);
    for (int i = 0; i < t.count; i++) {
        int at = x + (int)((t.at[i] + 0.5) / (double)f->columns * width);
        picture_fill(p, at, y + height + 1, 1, 4, soft);
        picture_text(p, at, y + height + 17, little, ALIGN_CENTER, false, ink,
                     format_tick(&t, i, text));
    }
    picture_text(p, x + width / 2.0, y + height + 36, little, ALIGN_CENTER, false, soft,
                 f->column_axis);
    if (!has_rows)
        return;
    t = ticks_of(0, (double)(f->rows - 1), height > 250 ? 5 : 3, 1);
    for (int i = 0; i < t.count; i++) {
        int at = y + (int)((t.at[i] + 0.5) / (double)f->rows * height);
        picture_fill(p, x - 5, at, 4, 1, soft);
        picture_text(p, x - 9, at + little / 2, little, ALIGN_RIGHT, false, ink,
                     format_tick(&t, i, text));
    }
    picture_text(p, x - 44, y + height / 2.0, little, ALIGN_CENTER, true, soft, f->row_axis);
}

/* Pixels of an image: true to its shape unless that is very long. */
static void image_size(const struct figure *f, int *width, int *height)
{
    double rows = (double)f->rows, columns = (double)f->columns;
    double scale = LONG_SIDE / fmax(rows, columns);
    *width = (int)fmax(columns * scale, SHORT_SIDE);
    *height = (int)fmax(rows * scale, SHORT_SIDE);
}

static bool draw_images(const struct figure *f, struct picture *p, struct ztio_error *error)
{
    int width, height;
    image_size(f, &width, &height);
    int panel_width = LEFT_ROOM + width + BAR_GAP + BAR_WIDTH + BAR_ROOM;
    int title_width = (int)text_width(big, f->title) + 2 * MARGIN;
    int all = f->panels * panel_width + 2 * MARGIN;
    all = all > title_width ? all : title_width;
    int top = MARGIN + TITLE_ROOM + PANEL_TITLE;
    if (!picture_new(p, all, top + height + BOTTOM_ROOM + MARGIN / 2, error))
        return false;
    picture_text(p, MARGIN, MARGIN + big, big, ALIGN_LEFT, false, ink, f->title);
    for (int k = 0; k < f->panels; k++) {
        const struct panel *panel = &f->panel[k];
        int x = MARGIN + k * panel_width + LEFT_ROOM;
        picture_text(p, x, top - 10, normal, ALIGN_LEFT, false, ink, panel->title);
        draw_image(p, f, panel, x, top, width, height);
        draw_axes(p, f, x, top, width, height, true);
        draw_bar(p, panel, x + width + BAR_GAP, top, height);
    }
    return true;
}

/* A line through values, each pixel column from the smallest to the largest of its values. */
static void draw_line(struct picture *p, const struct figure *f, const struct panel *panel,
                      const double *values, int x, int y, struct color color, double thickness)
{
    double last = (double)NAN, scale = (LINES_HEIGHT - 1) / (panel->hi - panel->lo);
    int columns = f->columns < LINES_WIDTH ? (int)f->columns : LINES_WIDTH;
    double pitch = (double)LINES_WIDTH / columns, last_x = 0;
    for (int i = 0; i < columns; i++) {
        uint64_t first, end;
        double lo = (double)INFINITY, hi = -(double)INFINITY;
        span(i, columns, f->columns, &first, &end);
        for (uint64_t j = first; j < end; j++)
            if (isfinite(values[j])) {
                lo = fmin(lo, values[j]);
                hi = fmax(hi, values[j]);
            }
        if (lo > hi) {
            last = (double)NAN;
            continue;
        }
        double at = x + (i + 0.5) * pitch;
        double top = y + (panel->hi - hi) * scale, bottom = y + (panel->hi - lo) * scale;
        if (!isnan(last))
            picture_line(p, last_x, last, at, (top + bottom) / 2, thickness, color);
        picture_line(p, at, top, at, bottom, thickness, color);
        last = (top + bottom) / 2;
        last_x = at;
    }
}

static void draw_value_axis(struct picture *p, const struct panel *panel, int x, int y)
{
    char text[32];
    struct ticks t = ticks_of(panel->lo, panel->hi, 5, 0);
    for (int i = 0; i < t.count; i++) {
        double part = (panel->hi - t.at[i]) / (panel->hi - panel->lo);
        int at = y + (int)lrint(part * (LINES_HEIGHT - 1));
        picture_fill(p, x, at, LINES_WIDTH, 1, faint);
        picture_fill(p, x - 5, at, 4, 1, soft);
        picture_text(p, x - 9, at + little / 2 + 0.5, little, ALIGN_RIGHT, false, ink,
                     format_tick(&t, i, text));
    }
}

/* The panels of a line: the first alone, or the second over the first and the third below. */
static bool draw_lines(const struct figure *f, struct picture *p, struct ztio_error *error)
{
    int panels = f->panels == 1 ? 1 : 2, pitch = PANEL_TITLE + LINES_HEIGHT + BOTTOM_ROOM;
    int x = MARGIN + LEFT_ROOM, title_width = (int)text_width(big, f->title) + 2 * MARGIN;
    int all = LINES_WIDTH + x + 2 * MARGIN;
    all = all > title_width ? all : title_width;
    if (!picture_new(p, all, MARGIN + TITLE_ROOM + panels * pitch + MARGIN / 2, error))
        return false;
    picture_text(p, MARGIN, MARGIN + big, big, ALIGN_LEFT, false, ink, f->title);
    for (int k = 0; k < panels; k++) {
        const struct panel *panel = &f->panel[f->panels == 1 ? 0 : k + 1];
        int y = MARGIN + TITLE_ROOM + k * pitch + PANEL_TITLE;
        double title_x = x;
        draw_value_axis(p, panel, x, y);
        if (panel->behind) {
            draw_line(p, f, panel, panel->behind, x, y, blue, 2.6);
            picture_text(p, x, y - 10, normal, ALIGN_LEFT, false, blue, "original");
            title_x += text_width(normal, "original") + 24;
        }
        struct color color = panel->is_error ? red : panel->behind ? orange : blue;
        draw_line(p, f, panel, panel->values, x, y, color, panel->behind ? 1.0 : 1.4);
        picture_text(p, title_x, y - 10, normal, ALIGN_LEFT, false, color, panel->title);
        frame(p, x, y, LINES_WIDTH, LINES_HEIGHT);
        draw_axes(p, f, x, y, LINES_WIDTH, LINES_HEIGHT, false);
    }
    return true;
}

bool figure_save(const struct figure *f, const char *path, bool force, struct ztio_error *error)
{
    struct picture p = {0, 0, NULL};
    bool drawn = f->rows == 1 ? draw_lines(f, &p, error) : draw_images(f, &p, error);
    bool saved = drawn && picture_save(&p, path, force, error);
    free(p.rgb);
    return saved;
}
