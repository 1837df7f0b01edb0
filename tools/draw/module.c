/* module.c: the table of the module ztile-draw.so; see load.c. */
#include "draw/drawing.h"

extern const struct drawing ztile_draw;

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct drawing ztile_draw = {figure_save, chart_save, chart_add_image};
