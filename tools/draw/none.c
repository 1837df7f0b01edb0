/* none.c: what stands for canvas.c, chart.c and figure.c in a build without cairo. */
#include "draw/chart.h"
#include "draw/picture.h"
#include "util/errors.h"

bool can_save_pictures(struct ztio_error *error)
{
    return fail(error, ZTIO_LACKING,
                "this build of ztile draws no pictures; install the Debian package libcairo2-dev "
                "and build ztile from its source");
}

bool figure_save(const struct figure *figure, const char *path, const struct options *options,
                 struct ztio_error *error)
{
    (void)figure;
    (void)path;
    (void)options;
    return can_save_pictures(error);
}

bool chart_save(const struct chart *chart, const char *path, const struct options *options,
                struct ztio_error *error)
{
    (void)chart;
    (void)path;
    (void)options;
    return can_save_pictures(error);
}

bool chart_add_image(const struct chart *chart, struct text *text, const char *id,
                     struct ztio_error *error)
{
    (void)chart;
    (void)text;
    (void)id;
    return can_save_pictures(error);
}
