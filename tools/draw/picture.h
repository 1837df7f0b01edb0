/* picture.h: figures: a slice of an array, its reconstruction and the error, as a picture. */
#ifndef ZTI_DRAW_PICTURE_H
#define ZTI_DRAW_PICTURE_H

#include "util/numbers.h"
#include "util/options.h"

/* ZTIO_LACKING in a build without cairo. */
bool can_save_pictures(struct ztio_error *error);

/* ---- figure.c ------------------------------------------------------------------------------- */

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

/* By the suffix of path: .svg, .pdf, else PNG. */
bool figure_save(const struct figure *figure, const char *path, const struct options *options,
                 struct ztio_error *error);

/* ---- slice.c: plot.c and demo.c fill figures by these ---------------------------------------- */

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
