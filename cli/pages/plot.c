/* plot.c: the page of ztile plot. */
#include "pages/shared.h"

static const struct option_rule options[] = {
    {"output", 'o', "PICTURE", "a PNG; SVG or PDF where the name ends in .svg or .pdf",
     "Default: the last part of ORIGINAL's name with .png added, in the current directory."},
    {"force", 'f', NULL, "overwrite it", NULL},
    {"slice", OPT_SLICE, "SLICE", "an index or ':' for each axis, such as 64,:,:",
     "Slowest axis first; one or two `:` stay. Default: the middle of every axis but the last two. "
     "A slice has at most 134217728 values (2^27)."},
    INDEX_FILE_OPTION("FILE"),
    EXEC_OPTIONS,
    COMMON_OPTIONS,
    STREAM_OPTIONS,
    LAST};

const struct page plot_page = {
    "plot",
    CMD_PLOT,
    "draw a slice, its reconstruction and the error",
    "ORIGINAL [FILE] [-o PICTURE] [options]",
    "ztile plot wind_512x512x128.f32 wind_512x512x128.f32.zt -o wind.png",
    "Draw a slice of ORIGINAL and, if FILE is given, the same slice of FILE and the error. "
    "Each may be a plain array, a .zt file or a bare zfp stream.\n\n"
    "The first two share their colours. A pixel that stands for many values shows their mean, of "
    "errors the largest. NaN and infinities are grey. One-dimensional arrays and slices are drawn "
    "as lines, original and reconstruction in one diagram, the error below it.",
    {'o', 'f', OPT_SLICE, 't', 's'},
    options,
    NULL,
    "ztile plot wind_512x512x128.f32 wind_512x512x128.f32.zt -o wind.png\n"
    "ztile plot run.nc:temperature --slice 0,:,100 -o line.pdf\n",
    1,
    2,
    "an original and at most one file beside it"};
