/* picture.h: a picture in memory: boxes, lines and text with smooth edges, saved as PNG; colour
 * maps; figures made of panels. Coordinates are pixels, x to the right, y down. */
#ifndef PICTURE_H
#define PICTURE_H

#include "cli.h"

struct color {
    unsigned char r, g, b;
};

struct picture {
    int width;
    int height;
    unsigned char *rgb; /* rows of 3 bytes a pixel */
};

enum align { ALIGN_LEFT, ALIGN_CENTER, ALIGN_RIGHT };

/* White, of these sizes; rgb is to be freed. */
bool picture_new(struct picture *picture, int width, int height, struct ztio_error *error);

void picture_fill(struct picture *picture, int x, int y, int width, int height,
                  struct color color);
void picture_line(struct picture *picture, double x0, double y0, double x1, double y1,
                  double thickness, struct color color);

/* Text on the baseline y; height is that of a capital letter. With is_upwards it runs up from
 * (x, y), turned by a quarter. */
void picture_text(struct picture *picture, double x, double y, double height, enum align align,
                  bool is_upwards, struct color color, const char *text);
double text_width(double height, const char *text);

/* ZTIO_LACKING where the build has no libpng. */
bool can_save_pictures(struct ztio_error *error);
bool picture_save(const struct picture *picture, const char *path, bool force,
                  struct ztio_error *error);

/* font.c: the strokes of a character: its width and then, apart by spaces, lines of points, each
 * point two digits x y. Capitals stand on y = 2 and end at y = 8, x-height is 6, tails reach 0. */
const char *strokes_of(char character);

/* colormap.c: from dark to light for values, blue to red through white for errors; at in 0..1. */
struct color color_of_value(double at);
struct color color_of_error(double at);

/* figure.c */
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

enum { FIGURE_PANELS = 3 };

struct panel {
    char title[CLI_TEXT_BYTES];
    const double *values; /* rows x columns, or columns points of a line */
    const double *behind; /* of a line: drawn below it; NULL: nothing */
    double lo, hi;        /* of the colours, or of the line's axis */
    bool is_error;        /* colours of errors; shrunk pixels show the largest value */
};

struct figure {
    char title[256];
    char row_axis[32]; /* what the vertical axis is; "" for lines */
    char column_axis[32];
    uint64_t rows; /* 1: lines */
    uint64_t columns;
    int panels;
    struct panel panel[FIGURE_PANELS];
};

bool figure_save(const struct figure *figure, const char *path, bool force,
                 struct ztio_error *error);

/* slice.c: plot.c and demo.c fill figures by these. */

/* Smallest and largest finite value, for a scale: 0, 1 if there is none, apart by something if they
 * are equal, and less if their distance is no number. */
void find_limits(const double *values, uint64_t n, double *lo, double *hi);

/* What an axis of a slice is called. */
void name_axis(char *text, size_t text_bytes, uint32_t axis, uint32_t rank);

/* Contiguous elements of a type as doubles. */
void to_doubles(uint32_t type, const void *from, uint64_t n, double *to);

/* A number as short as can be told apart from its neighbours: 0.001, 5e-4. text has 32 bytes. */
char *format_short(double value, char *text);

/* The panels of a slice: the original, and where other is not NULL its reconstruction and the
 * error, which is written to error_values. what says what other is. */
void fill_panels(struct figure *figure, const double *original, const double *other,
                 double *error_values, const char *what);

#endif
