/* chart.h: lines through points, saved as PNG or as SVG: over names, or over numbers. */
#ifndef CHART_H
#define CHART_H

#include "canvas.h"

enum { CHART_POINTS = 24, CHART_SERIES = 48 };

struct series {
    char name[48];    /* in the legend; empty: not there */
    int paint;        /* see canvas.h */
    double thickness;
    bool is_dashed;
    enum marker marker;
    double at[CHART_POINTS];    /* along the horizontal axis, where that has numbers */
    double value[CHART_POINTS]; /* NaN: none */
};

struct chart {
    char title[160];
    const char *x_axis;
    const char *y_axis;
    bool is_log; /* the vertical axis, by powers of ten */
    bool is_from_any; /* it may begin anywhere; else from 0 up */
    bool has_numbers;  /* along the horizontal axis, by powers of two; else points have names */
    int points;        /* of each series; without NaN or fewer */
    char label[CHART_POINTS][20]; /* names of the points */
    bool is_first_on_top; /* of the series; else the last is */
    int count;
    struct series series[CHART_SERIES];
};

/* name may be NULL: not in the legend. */
struct series *chart_add(struct chart *chart, const char *name, int paint, double thickness);

/* By the suffix of path: .svg, else PNG. */
bool chart_save(const struct chart *chart, const char *path, bool force, struct ztio_error *error);

/* An <svg> element; with its own style sheet where it is to stand alone. */
void chart_add_svg(const struct chart *chart, struct text *text, const char *id,
                   bool is_standalone);

#endif
