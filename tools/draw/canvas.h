/* canvas.h: what figures and charts are drawn on: a cairo context, saved as PNG, SVG or PDF.
 * Coordinates are pixels (of PDF points), x to the right, y down. Only files that need cairo
 * include this. */
#ifndef ZTI_DRAW_CANVAS_H
#define ZTI_DRAW_CANVAS_H

#include "draw/text.h"

#include <cairo.h>

enum canvas_format { CANVAS_PNG, CANVAS_SVG, CANVAS_PDF };

/* By the suffix of path: .svg, .pdf, else PNG. */
enum canvas_format canvas_format_of(const char *path);

/* Not to be moved between opening and closing: cairo writes to bytes. */
struct canvas {
    enum canvas_format format;
    const char *title; /* of SVG and PDF, for those who do not see the picture */
    cairo_surface_t *surface;
    cairo_t *cairo;
    struct text bytes;
};

/* Nothing is drawn yet: PNG is black, SVG and PDF are transparent. What goes wrong from here on
 * is told at the end. */
void canvas_open(struct canvas *canvas, enum canvas_format format, const char *title, double width,
                 double height);

/* The picture's bytes into text, which is to be freed either way. style: CSS that an SVG holds,
 * or NULL. what is for the message. */
bool canvas_close(struct canvas *canvas, const char *style, const char *what, struct text *text,
                  struct ztio_error *error);

/* Likewise, into a file. */
bool canvas_save(struct canvas *canvas, const char *style, const char *path,
                 const struct options *options, struct ztio_error *error);

/* ---- drawing: beside cairo's own functions -------------------------------------------------- */

struct color {
    unsigned char r, g, b;
};

void canvas_color(struct canvas *canvas, struct color color);
void canvas_box(struct canvas *canvas, double x, double y, double width, double height,
                struct color color);

/* Draw the path and forget it. */
void canvas_stroke(struct canvas *canvas, double thickness, bool is_dashed, struct color color);

/* Text on the baseline y; height is that of a capital letter. With is_upwards it runs up from
 * (x, y), turned by a quarter. */
enum align { ALIGN_LEFT, ALIGN_CENTER, ALIGN_RIGHT };
void canvas_text(struct canvas *canvas, double x, double y, double height, enum align align,
                 bool is_upwards, struct color color, const char *words);
double text_width(double height, const char *words);

/* How many pixels of an image go side by side into one unit of the canvas. */
int canvas_density(const struct canvas *canvas);

/* An image with that many, from (x, y). Frees it. */
void canvas_image(struct canvas *canvas, cairo_surface_t *image, double x, double y);

/* ---- colormap.c: from dark to light for values, blue to red through white for errors; at in
 * 0..1 ---- */

struct color color_of_value(double at);
struct color color_of_error(double at);

/* ---- figure.c: ticks of axes ---------------------------------------------------------------- */

struct ticks {
    double step;
    double at[12];
    int count;
};

/* Round values from lo to hi, about `wanted` of them: 1, 2 or 5 times a power of ten apart. Few at
 * most, also where lo and hi are too near each other for that. */
struct ticks ticks_of(double lo, double hi, int wanted, double least_step);

/* Tick i into text of 32 bytes; all of one scale with as many decimals as its step needs. Returns
 * text. */
const char *format_tick(const struct ticks *ticks, int i, char *text);

#endif
