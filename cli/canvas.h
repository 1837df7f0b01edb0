/* canvas.h: what charts are drawn on: a picture of pixels, or SVG as text. Coordinates are those of
 * picture.h. Colours are named by what they are for, so that SVG can have others in the dark. */
#ifndef CANVAS_H
#define CANVAS_H

#include "picture.h"

/* Text that grows. */
struct text {
    char *bytes; /* ends with 0; NULL: empty */
    size_t n;
    size_t room;
    bool is_failed; /* there was no memory; what was added since is not there */
};

void text_add(struct text *text, const char *format, ...) CLI_PRINTF(2, 3);
/* With <, >, & and quotes as HTML and SVG write them. */
void text_add_escaped(struct text *text, const char *words);
void text_add_base64(struct text *text, const void *data, size_t n);
bool text_save(const struct text *text, const char *path, bool force, struct ztio_error *error);
void text_free(struct text *text);

enum { PAINTS_OF_SERIES = 8 };

/* The colours of series can be told apart by those who see no red or no green (Okabe and Ito). */
enum paint { PAINT_PAPER, PAINT_INK, PAINT_SOFT, PAINT_FAINT, PAINT_GREY, PAINT_SERIES };

/* Of a series too, PAINT_SERIES + i; on white. */
struct color color_of_paint(int paint);

/* The style sheet of SVG's colours, for light and for dark: classes f0, s0 .. (fill and stroke). */
void add_paint_style(struct text *text);

enum marker { MARKER_NONE, MARKER_DISC, MARKER_SQUARE, MARKER_UP, MARKER_DIAMOND, MARKER_DOWN,
              MARKER_CROSS, MARKER_RING, MARKERS };

struct canvas {
    struct picture *picture; /* one of the two */
    struct text *svg;
};

void canvas_box(struct canvas *canvas, double x, double y, double width, double height, int paint);
void canvas_line(struct canvas *canvas, double x0, double y0, double x1, double y1,
                 double thickness, bool is_dashed, int paint);
void canvas_marker(struct canvas *canvas, double x, double y, double size, enum marker marker,
                   int paint);
/* As picture_text. */
void canvas_text(struct canvas *canvas, double x, double y, double height, enum align align,
                 bool is_upwards, int paint, const char *words);

#endif
