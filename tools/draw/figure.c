/* figure.c: panels side by side with titles, axes and colour bars; lines one above the other;
 * drawn by cairo.
 *
 *   title
 *   panel title       panel title       panel title
 *   +-------+ +-+     +-------+ +-+     +-------+ +-+
 *   | image | |b| 1.0 |       | | |     |       | | |
 *   +-------+ +-+     +-------+ +-+     +-------+ +-+
 *    column axis
 */
#include "draw/canvas.h"
#include "draw/picture.h"

#include <math.h>

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
static const struct color white = {255, 255, 255};
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

bool can_save_pictures(struct ztio_error *error)
{
    (void)error;
    return true;
}

static void frame(struct canvas *c, int x, int y, int width, int height)
{
    canvas_box(c, x - 1, y - 1, width + 2, 1, soft);
    canvas_box(c, x - 1, y + height, width + 2, 1, soft);
    canvas_box(c, x - 1, y, 1, height, soft);
    canvas_box(c, x + width, y, 1, height, soft);
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

static void draw_image(struct canvas *c, const struct figure *f, const struct panel *panel, int x,
                       int y, int width, int height)
{
    const int columns = width * canvas_density(c), rows = height * canvas_density(c);
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, columns, rows);
    unsigned char *data = cairo_image_surface_get_data(image); /* NULL: canvas_close tells */
    const size_t stride = (size_t)cairo_image_surface_get_stride(image);
    for (int j = 0; data && j < rows; j++) {
        uint32_t *pixel = (void *)(data + (size_t)j * stride);
        for (int i = 0; i < columns; i++) {
            uint64_t row, row_end, column, column_end;
            span(j, rows, f->rows, &row, &row_end);
            span(i, columns, f->columns, &column, &column_end);
            const struct color v =
                color_of(panel, pixel_value(f, panel, row, row_end, column, column_end));
            pixel[i] = (uint32_t)v.r << 16 | (uint32_t)v.g << 8 | v.b;
        }
    }
    cairo_surface_mark_dirty(image);
    canvas_image(c, image, x, y);
    frame(c, x, y, width, height);
}

static void draw_bar(struct canvas *c, const struct panel *panel, int x, int y, int height)
{
    enum { STOPS = 64 };
    char text[32];
    cairo_pattern_t *colors = cairo_pattern_create_linear(x, y + height, x, y);
    for (int i = 0; i <= STOPS; i++) {
        const double at = (double)i / STOPS;
        const struct color v = color_of(panel, panel->lo + at * (panel->hi - panel->lo));
        cairo_pattern_add_color_stop_rgb(colors, at, v.r / 255.0, v.g / 255.0, v.b / 255.0);
    }
    cairo_set_source(c->cairo, colors);
    cairo_pattern_destroy(colors);
    cairo_rectangle(c->cairo, x, y, BAR_WIDTH, height);
    cairo_fill(c->cairo);
    frame(c, x, y, BAR_WIDTH, height);
    struct ticks t = ticks_of(panel->lo, panel->hi, height > 200 ? 6 : 4, 0);
    for (int i = 0; i < t.count; i++) {
        int at = y + (int)lrint((panel->hi - t.at[i]) / (panel->hi - panel->lo) * (height - 1));
        canvas_box(c, x + BAR_WIDTH + 1, at, 4, 1, soft);
        canvas_text(c, x + BAR_WIDTH + 9, at + little / 2 + 0.5, little, ALIGN_LEFT, false, ink,
                    format_tick(&t, i, text));
    }
}

/* Ticks of indices below and left of an image. */
static void draw_axes(struct canvas *c, const struct figure *f, int x, int y, int width, int height,
                      bool has_rows)
{
    char text[32];
    struct ticks t = ticks_of(0, (double)(f->columns - 1), width > 250 ? 5 : 3, 1);
    for (int i = 0; i < t.count; i++) {
        int at = x + (int)((t.at[i] + 0.5) / (double)f->columns * width);
        canvas_box(c, at, y + height + 1, 1, 4, soft);
        canvas_text(c, at, y + height + 17, little, ALIGN_CENTER, false, ink,
                    format_tick(&t, i, text));
    }
    canvas_text(c, x + width / 2.0, y + height + 36, little, ALIGN_CENTER, false, soft,
                f->column_axis);
    if (!has_rows)
        return;
    t = ticks_of(0, (double)(f->rows - 1), height > 250 ? 5 : 3, 1);
    for (int i = 0; i < t.count; i++) {
        int at = y + (int)((t.at[i] + 0.5) / (double)f->rows * height);
        canvas_box(c, x - 5, at, 4, 1, soft);
        canvas_text(c, x - 9, at + little / 2, little, ALIGN_RIGHT, false, ink,
                    format_tick(&t, i, text));
    }
    canvas_text(c, x - 44, y + height / 2.0, little, ALIGN_CENTER, true, soft, f->row_axis);
}

/* Pixels of an image: true to its shape unless that is very long. */
static void image_size(const struct figure *f, int *width, int *height)
{
    double rows = (double)f->rows, columns = (double)f->columns;
    double scale = LONG_SIDE / fmax(rows, columns);
    *width = (int)fmax(columns * scale, SHORT_SIDE);
    *height = (int)fmax(rows * scale, SHORT_SIDE);
}

static void open_white(struct canvas *c, const struct figure *f, enum canvas_format format,
                       int width, int height)
{
    canvas_open(c, format, f->title, width, height);
    canvas_box(c, 0, 0, width, height, white);
    canvas_text(c, MARGIN, MARGIN + big, big, ALIGN_LEFT, false, ink, f->title);
}

static void draw_images(const struct figure *f, struct canvas *c, enum canvas_format format)
{
    int width, height;
    image_size(f, &width, &height);
    int panel_width = LEFT_ROOM + width + BAR_GAP + BAR_WIDTH + BAR_ROOM;
    int title_width = (int)text_width(big, f->title) + 2 * MARGIN;
    int all = f->panels * panel_width + 2 * MARGIN;
    all = all > title_width ? all : title_width;
    int top = MARGIN + TITLE_ROOM + PANEL_TITLE;
    open_white(c, f, format, all, top + height + BOTTOM_ROOM + MARGIN / 2);
    for (int k = 0; k < f->panels; k++) {
        const struct panel *panel = &f->panel[k];
        int x = MARGIN + k * panel_width + LEFT_ROOM;
        canvas_text(c, x, top - 10, normal, ALIGN_LEFT, false, ink, panel->title);
        draw_image(c, f, panel, x, top, width, height);
        draw_axes(c, f, x, top, width, height, true);
        draw_bar(c, panel, x + width + BAR_GAP, top, height);
    }
}

/* A line through values, each pixel column from the smallest to the largest of its values. */
static void draw_line(struct canvas *c, const struct figure *f, const struct panel *panel,
                      const double *values, int x, int y, struct color color, double thickness)
{
    double scale = (LINES_HEIGHT - 1) / (panel->hi - panel->lo);
    int columns = f->columns < LINES_WIDTH ? (int)f->columns : LINES_WIDTH;
    for (int i = 0; i < columns; i++) {
        uint64_t first, end;
        double lo = (double)INFINITY, hi = -(double)INFINITY;
        span(i, columns, f->columns, &first, &end);
        for (uint64_t j = first; j < end; j++)
            if (isfinite(values[j])) {
                lo = fmin(lo, values[j]);
                hi = fmax(hi, values[j]);
            }
        if (!(lo <= hi)) {
            cairo_new_sub_path(c->cairo);
            continue;
        }
        double at = x + (i + 0.5) * LINES_WIDTH / columns;
        double top = y + (panel->hi - hi) * scale, bottom = y + (panel->hi - lo) * scale;
        cairo_line_to(c->cairo, at, (top + bottom) / 2);
        cairo_line_to(c->cairo, at, top);
        cairo_line_to(c->cairo, at, bottom);
        cairo_line_to(c->cairo, at, (top + bottom) / 2);
    }
    canvas_stroke(c, thickness, false, color);
}

static void draw_value_axis(struct canvas *c, const struct panel *panel, int x, int y)
{
    char text[32];
    struct ticks t = ticks_of(panel->lo, panel->hi, 5, 0);
    for (int i = 0; i < t.count; i++) {
        double part = (panel->hi - t.at[i]) / (panel->hi - panel->lo);
        int at = y + (int)lrint(part * (LINES_HEIGHT - 1));
        canvas_box(c, x, at, LINES_WIDTH, 1, faint);
        canvas_box(c, x - 5, at, 4, 1, soft);
        canvas_text(c, x - 9, at + little / 2 + 0.5, little, ALIGN_RIGHT, false, ink,
                    format_tick(&t, i, text));
    }
}

/* The panels of a line: the first alone, or the second over the first and the third below. */
static void draw_lines(const struct figure *f, struct canvas *c, enum canvas_format format)
{
    int panels = f->panels == 1 ? 1 : 2, pitch = PANEL_TITLE + LINES_HEIGHT + BOTTOM_ROOM;
    int x = MARGIN + LEFT_ROOM, title_width = (int)text_width(big, f->title) + 2 * MARGIN;
    int all = LINES_WIDTH + x + 2 * MARGIN;
    all = all > title_width ? all : title_width;
    open_white(c, f, format, all, MARGIN + TITLE_ROOM + panels * pitch + MARGIN / 2);
    for (int k = 0; k < panels; k++) {
        const struct panel *panel = &f->panel[f->panels == 1 ? 0 : k + 1];
        int y = MARGIN + TITLE_ROOM + k * pitch + PANEL_TITLE;
        double title_x = x;
        draw_value_axis(c, panel, x, y);
        if (panel->behind) {
            draw_line(c, f, panel, panel->behind, x, y, blue, 2.6);
            canvas_text(c, x, y - 10, normal, ALIGN_LEFT, false, blue, "original");
            title_x += text_width(normal, "original") + 24;
        }
        struct color color = panel->is_error ? red : panel->behind ? orange : blue;
        draw_line(c, f, panel, panel->values, x, y, color, panel->behind ? 1.0 : 1.4);
        canvas_text(c, title_x, y - 10, normal, ALIGN_LEFT, false, color, panel->title);
        frame(c, x, y, LINES_WIDTH, LINES_HEIGHT);
        draw_axes(c, f, x, y, LINES_WIDTH, LINES_HEIGHT, false);
    }
}

bool figure_save(const struct figure *f, const char *path, const struct options *o,
                 struct ztio_error *error)
{
    struct canvas c;
    if (f->rows == 1)
        draw_lines(f, &c, canvas_format_of(path));
    else
        draw_images(f, &c, canvas_format_of(path));
    return canvas_save(&c, NULL, path, o, error);
}
