/* info.c: the page of ztile info. */
#include "pages/shared.h"

static const struct option_rule options[] = {
    {"json", OPT_JSON, NULL, "one JSON object for scripts", NULL},
    {"check", OPT_CHECK, NULL, "verify every checksum; list what is damaged",
     "As `ztile decompress --salvage` lists it. A zfp stream has no checksum: it is decoded, and "
     "found whole or cut. Of HDF5's variables every chunk is decoded."},
    INDEX_FILE_OPTION("FILE"),
    COMMON_OPTIONS,
    STREAM_OPTIONS,
    LAST};

const struct page info_page = {
    "info",
    CMD_INFO,
    "say what is in a compressed file",
    "FILE[:VARIABLE] [--json] [--check] [options]",
    "ztile info wind_512x512x128.f32.zt",
    "Say what a .zt file, or a bare zfp stream with a header, holds: type, shape, bound, codec, "
    "sizes. Of a netCDF-4 or HDF5 file: which variables are behind ztile's filters.\n\n"
    "Headers and the seek table are verified; the data are not looked at unless `--check` is "
    "given.\n\n"
    "Of a netCDF-4 or HDF5 file there is a line for each variable that ztile's filters (48613, "
    "32013) or H5Z-ZFP compressed, with its filter, codec, bound, bytes and ratio. "
    "FILE:VARIABLE is that one alone. With `-v`, zfp's parameters are shown as well.",
    {OPT_JSON, OPT_CHECK, OPT_INDEX_FILE, 'v'},
    options,
    "# Keys\n\n"
    "Of `--json`. What is not finite or does not apply is null.\n\n"
    "format\t\"zt\", \"zfp\", \"ndzip\" or \"hdf5\"\n\n"
    "format_version, codec, type, shape\tthe shape is a list, slowest axis first\n\n"
    "bound, bound_value\tthe bound as it was asked for: lossless, abs, rel, pwrel, psnr, rmse, "
    "rmse-rel, mae, mae-rel, rate, precision or expert; of a bare stream, what its header stands "
    "for\n\n"
    "abs_bound\tthe absolute error that was promised; 0 if lossless\n\n"
    "psnr\tthe decibels that were reached, of the bound psnr; null for others, and where there is "
    "no error\n\n"
    "mean, mean_value, mean_error\tthe bound on the mean, alone or beside another, and what was "
    "reached, in its unit\n\n"
    "within_lo, within_hi\tlimits of decoded values\n\n"
    "raw_bytes, stream_bytes, file_bytes\tof the array, of the streams alone, of all\n\n"
    "ratio\traw over file bytes\n\n"
    "effective_ratio\traw over stream and index bytes\n\n"
    "index\tan object: kind, chunk, partition, bytes, overhead (index over stream bytes), file "
    "(that holds it, of a bare stream)\n\n"
    "frames, raw_frames, slab_extent, exact_values\tframes in the file, those that hold their "
    "values as they are because coded they would be longer (codec is none where all do), slices "
    "in each but the last, and values kept beside the stream to hold the bound\n\n"
    "zfp\tan object: word_bits, minbits, maxbits, maxprec, minexp, shift\n\n"
    "sz\tan object: method, effort, step, axes\n\n"
    "name, units\tof the variable\n\n"
    "checksums_hold\ttrue after `--check`, otherwise null\n\n"
    "Of an HDF5 file there are format, variables and other_variables (how many are behind no "
    "filter of ztile's). Each variable is an object: name, filter, codec, type, shape, "
    "chunk_shape, bound, bound_value, abs_bound, raw_bytes, stored_bytes, ratio.",
    NULL,
    1,
    1,
    "one file"};
