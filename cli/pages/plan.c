/* plan.c: the page of ztile plan. */
#include "pages/shared.h"

static const struct option_rule options[] = {
    HEADING("# The bound\n\nOne of these, or a mean one beside abs or rel. Without any, every bit "
            "is kept."),
    {"abs", OPT_ABS, "E", "no value is off by more than E", NULL},
    {"rel", OPT_REL, "E", "no value is off by more than E times the array's range", NULL},
    {"pwrel", OPT_PWREL, "E", "no value is off by more than E times itself", NULL},
    {"psnr", OPT_PSNR, "DB", "a peak signal-to-noise ratio of at least DB decibels", NULL},
    {"rmse", OPT_RMSE, "E", "the root of the mean squared error is at most E", NULL},
    {"rmse-rel", OPT_RMSE_REL, "E", "the same, E times the array's range", NULL},
    {"mae", OPT_MAE, "E", "the mean of the errors' magnitudes is at most E", NULL},
    {"mae-rel", OPT_MAE_REL, "E", "the same, E times the array's range", NULL},
    {"lossless", OPT_LOSSLESS, NULL, "every bit comes back", NULL},
    HEADING("# The array"),
    TYPE_OPTION,
    SHAPE_OPTION,
    {"range", OPT_RANGE, "LO:HI", "the array's range, for bounds that are of it", NULL},
    {"fill", OPT_FILL, "V", "a value that stands for 'no data'", "Up to four of them."},
    {"no-fill", OPT_NO_FILL, NULL, "what looks like a fill value is none", NULL},
    HEADING("# How"),
    {"codec", 'c', "auto|zfp|ndzip|sz", "try this codec only; default: auto, which is all", NULL},
    {"effort", OPT_EFFORT, "fast|default|high", "how much time may go into the ratio", NULL},
    {"prefer", OPT_PREFER, "ratio|speed|balanced", "what the codec auto is chosen by",
     "Default: ratio."},
    EXEC_OPTIONS,
    HEADING("# Every subcommand"),
    COMMON_OPTIONS,
    LAST};

const struct page plan_page = {
    "plan",
    CMD_PLAN,
    "find the axis order and codec that make an array small",
    "FILE [--rel E] [options]",
    "ztile plan --rel 1e-3 wind_512x512x128.f32",
    "Try on samples under which order of axes, which of them joined, and with which codec an array "
    "gets small. Nothing is written.\n\n"
    "This is what `ztile compress --plan on` begins with. Ratios are those of samples; what an "
    "array took is what `ztile compress --explain` says.\n\n"
    "The last lines are for bare streams, which have no place for a plan: how to transpose and "
    "reshape the array. Where raw data seem to have another shape than was said, a warning says "
    "so.",
    {OPT_ABS, OPT_REL, 't', 's', 'c'},
    options,
    NULL,
    "ztile plan --rel 1e-3 wind_512x512x128.f32\n"
    "ztile plan -c sz --effort high --abs 0.5 data.nc:tas\n",
    1,
    1,
    "one array"};
