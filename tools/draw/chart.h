/* chart.h: lines through points, over names or over numbers, saved as PNG, SVG or PDF. */
#ifndef ZTI_DRAW_CHART_H
#define ZTI_DRAW_CHART_H

#include "draw/text.h"

#include <math.h>

/* What colours are for. Those of series can be told apart by those who see no red or no green
 * (Okabe and Ito). */
enum paint { PAINT_PAPER, PAINT_INK, PAINT_SOFT, PAINT_FAINT, PAINT_GREY, PAINT_SERIES };
enum { PAINTS_OF_SERIES = 8 }; /* PAINT_SERIES, PAINT_SERIES + 1 .. */

enum marker {
    MARKER_NONE,
    MARKER_DISC,
    MARKER_SQUARE,
    MARKER_UP,
    MARKER_DIAMOND,
    MARKER_DOWN,
    MARKER_CROSS,
    MARKER_RING,
    MARKERS
};

enum { CHART_POINTS = 24, CHART_SERIES = 48 };

struct series {
    char name[48]; /* in the legend; empty: not there */
    int paint;
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
    bool is_log;      /* the vertical axis, by powers of ten */
    bool is_from_any; /* it may begin anywhere; else from 0 up */
    bool has_numbers; /* along the horizontal axis, by powers of two; else points have names */
    int points;       /* of each series; without NaN or fewer */
    char label[CHART_POINTS][20]; /* names of the points */
    bool is_apart[CHART_POINTS];  /* of another kind than the point before: no line joins them */
    bool is_first_on_top;         /* of the series; else the last is */
    bool is_labelled; /* names of series stand at the ends of their lines, in their colours */
    int count;
    struct series series[CHART_SERIES];
};

/* name may be NULL: not in the legend. */
static inline struct series *chart_add(struct chart *chart, const char *name, int paint,
                                       double thickness)
{
    struct series *line = &chart->series[chart->count++];
    *line = (struct series){.paint = paint,
                            .thickness = thickness,
                            .marker = thickness > 1.5 ? MARKER_DISC : MARKER_NONE};
    (void)snprintf(line->name, sizeof line->name, "%s", name ? name : "");
    for (int i = 0; i < CHART_POINTS; i++)
        line->value[i] = (double)NAN;
    return line;
}

/* By the suffix of path: .svg, .pdf, else PNG. */
bool chart_save(const struct chart *chart, const char *path, const struct options *options,
                struct ztio_error *error);

/* CSS of a chart where the reader prefers dark pages: light and dark are exchanged, hues stay. */
#define CHART_IN_THE_DARK "filter:invert(.92) hue-rotate(180deg) brightness(1.15)"

/* Up to which width of a page the chart that is made for a telephone is shown. */
#define CHART_NARROW_PAGE "48rem"

/* A <picture> element of HTML that holds the chart as SVG, twice: for wide and for narrow pages. No
 * paper is behind it: the page's own is seen. */
bool chart_add_image(const struct chart *chart, struct text *text, const char *id,
                     struct ztio_error *error);

#endif
