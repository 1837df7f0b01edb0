/* drawing.h: the table of the module ztile-draw.so; see load.c. */
#ifndef ZTI_DRAW_DRAWING_H
#define ZTI_DRAW_DRAWING_H

#include "draw/chart.h"
#include "draw/picture.h"

/* The functions of these names. */
struct drawing {
    bool (*figure_save)(const struct figure *figure, const char *path,
                        const struct options *options, struct ztio_error *error);
    bool (*chart_save)(const struct chart *chart, const char *path, const struct options *options,
                       struct ztio_error *error);
    bool (*chart_add_image)(const struct chart *chart, struct text *text, const char *id,
                            struct ztio_error *error);
};

#endif
