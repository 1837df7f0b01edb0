/* load.c: pictures are drawn by the module ztile-draw.so (canvas.c, chart.c, figure.c), which is
 * loaded for the first one, since cairo takes long to load. */
#include "draw/drawing.h"
#include "util/errors.h"

static const struct drawing *load(struct ztio_error *error)
{
#ifdef ZTILE_HAVE_CAIRO
    return ztio_load_module("ztile-draw.so", "ztile_draw", "drawing", "pictures", error);
#else
    (void)fail(error, ZTIO_LACKING,
               "this build of ztile draws no pictures; install the Debian package libcairo2-dev "
               "and build ztile from its source");
    return NULL;
#endif
}

bool can_save_pictures(struct ztio_error *error)
{
    return load(error) != NULL;
}

bool figure_save(const struct figure *figure, const char *path, const struct options *options,
                 struct ztio_error *error)
{
    const struct drawing *drawing = load(error);
    return drawing && drawing->figure_save(figure, path, options, error);
}

bool chart_save(const struct chart *chart, const char *path, const struct options *options,
                struct ztio_error *error)
{
    const struct drawing *drawing = load(error);
    return drawing && drawing->chart_save(chart, path, options, error);
}

bool chart_add_image(const struct chart *chart, struct text *text, const char *id,
                     struct ztio_error *error)
{
    const struct drawing *drawing = load(error);
    return drawing && drawing->chart_add_image(chart, text, id, error);
}
