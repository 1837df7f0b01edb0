/* compare.c: the page of ztile compare. */
#include "pages/shared.h"

static const struct option_rule options[] = {
    {"json", OPT_JSON, NULL, "one JSON object for scripts", NULL},
    {"fill", OPT_FILL, "V", "a value of ORIGINAL that stands for 'no data'",
     "Up to four of them. They are no part of errors or range, but have to come back bit for bit. "
     "That of a netCDF or HDF5 variable need not be named, nor those that a .zt file keeps beside "
     "its streams."},
    INDEX_FILE_OPTION("FILE"),
    EXEC_OPTIONS,
    COMMON_OPTIONS,
    STREAM_OPTIONS,
    LAST};

const struct page compare_page = {
    "compare",
    CMD_COMPARE,
    "measure errors, and whether the bound holds",
    "ORIGINAL FILE [--json] [options]",
    "ztile compare wind_512x512x128.f32 wind_512x512x128.f32.zt",
    "Measure how far FILE (a .zt file, a bare zfp stream or a plain array) is from ORIGINAL. The "
    "exit status is 4 if FILE stores a bound and a value breaks it.\n\n"
    "The two are read slab by slab. A raw original takes its type and shape from its name, from "
    "`-t` and `-s`, or from FILE. A netCDF-4 or HDF5 variable may be behind ztile's filters. "
    "Errors are of finite originals.\n\n"
    "A broken bound in a .zt file means that it was made from another original. A bare zfp stream "
    "of fixed accuracy stores a power of two at most as large as the tolerance that was asked for, "
    "and promises no more than zfp does; for integers it promises nothing.",
    {OPT_JSON, 't', 's', OPT_FILL, 'q'},
    options,
    "# Keys\n\n"
    "Of `--json`. What is not finite or does not apply is null.\n\n"
    "max_abs_error\tthe largest error\n\n"
    "max_rel_error\tthat over the range of the original's finite values\n\n"
    "max_pwrel_error\tthe largest error over the original's magnitude, where that is not 0\n\n"
    "rmse, psnr, mae\troot of the mean squared error, 20 log10(range / RMSE) in decibel, and mean "
    "of the errors' magnitudes\n\n"
    "ratio, bits_per_value\tof the whole file; null for a plain one\n\n"
    "bound_held\ttrue, false, or null where no error was promised; lossless means every bit\n\n"
    "identical\twhether no bit differs\n\n"
    "special_changed\tNaN, infinities and fill values of which any bit changed\n\n"
    "abs_bound, beyond_bound, outside, values, different_values\tthe bound, and counts of "
    "values: beyond it, and decoded beyond the limits of `--within`",
    NULL,
    2,
    2,
    "an original and a file to compare with it"};
