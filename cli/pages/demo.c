/* demo.c: the page of ztile demo. */
#include "pages/shared.h"

static const struct option_rule options[] = {
    {"output", 'o', "PICTURE", "a PNG; SVG or PDF by its suffix; default: demo.png", NULL},
    {"save", OPT_SAVE, "FIELD", "keep the field: .npy, .nc or .h5, otherwise raw",
     "Without `-o` that is all that is done: no table, no picture."},
    {"force", 'f', NULL, "overwrite them", NULL},
    EXEC_OPTIONS,
    COMMON_OPTIONS,
    LAST};

const struct page demo_page = {
    "demo",
    CMD_DEMO,
    "simulate a field, compress it in many ways, show it",
    "[-o PICTURE] [--save FIELD] [options]",
    "ztile demo -o demo.png",
    "Simulate a field, compress it with each codec and several bounds, print a table of what comes "
    "out, and draw a slice of it, its reconstruction and the error.\n\n"
    "The field is a reaction and diffusion of two substances (the Gray-Scott model) in a periodic "
    "box of 96x96x96 cells, a few seconds of work with the same result on every machine. One of "
    "them, float32, is compressed in memory with each codec, and sz with three efforts, within "
    "bounds and without loss. The picture shows its middle slice, the reconstruction by sz with "
    "effort high at `--abs 0.001`, and the error. Nothing else is written but what `--save` asks "
    "for.\n\n"
    "Columns of the table: ratio and bits/val count the whole file; max error is measured, and of "
    "bound is that as a part of the absolute bound; PSNR is 20 log10(range / RMSE); enc and dec "
    "are speeds of raw data, the fastest of 3 runs.",
    {'o', OPT_SAVE, 'f', 'x', 'q'},
    options,
    NULL,
    NULL,
    0,
    0,
    "no file"};
