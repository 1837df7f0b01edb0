/* decompress.c: the page of ztile decompress. */
#include "pages/shared.h"

static const struct option_rule options[] = {
    {"output", 'o', "OUT", "file or directory; its suffix says the format",
     "`-` is standard output. The suffixes .npy, .nc (netCDF) and .h5 (HDF5) have a format; "
     "otherwise OUT holds raw little-endian values. For several inputs OUT is a directory."},
    FORCE_OPTION,
    SYNC_OPTION,
    REMOVE_OPTION("Nothing is removed if OUT is a device, nor with `--box` or `--salvage`."),
    {"box", OPT_BOX, "BOX", "only this box, slowest axis first: 0:10,5:20,:",
     "For each axis LO:HI (HI is not in it), LO:, :HI, `:` for all of it, or a single index k for "
     "k:k+1. With an index only what the box needs is read and decoded. Without one, in the frames "
     "that the box meets, what lies before it is parsed as well (`-v` says so), except at a fixed "
     "rate. Not from a pipe."},
    {"salvage", OPT_SALVAGE, NULL, "write what is left of a damaged .zt file",
     "Also of one that is cut short or whose seek table is lost. What cannot be decoded is NaN "
     "(integers: 0), and is listed as boxes in the form that `--box` takes; all other values are "
     "those of the undamaged file. A bit that was changed in a header, a tail or the seek table is "
     "put right. Values that are decoded but cannot be verified, because the file ends before the "
     "checksums, are listed as unverified. The exit status is 2 if anything is lost or "
     "unverified. Not from a pipe."},
    {"salvage-fill", OPT_SALVAGE_FILL, "V", "the same, with V in place of what is lost", NULL},
    {"json", OPT_JSON, NULL, "with --salvage: the list as JSON, on standard output", NULL},
    INDEX_FILE_OPTION("IN"),
    EXEC_OPTIONS,
    COMMON_OPTIONS,
    STREAM_OPTIONS,
    LAST};

const struct page decompress_page = {
    "decompress",
    CMD_DECOMPRESS,
    "decompress arrays, or a box of one",
    "IN... [-o OUT] [options]",
    "ztile decompress wind_512x512x128.f32.zt",
    "Decompress .zt files and bare streams. OUT is IN without .zt; .npy is added where what is "
    "left does not name a type of file. Of a directory, all .zt files below it.\n\n"
    "IN may also be `-` for standard input, which may be a pipe. Every checksum of a .zt file is "
    "verified before its data are used.\n\n"
    "Without `-o` the output is IN without .zt, .zfp or .ndz. If what is left does not end in "
    ".f32, .f64, .i32, .i64, .raw, .bin, .dat, .npy, .nc, .nc4, .cdf, .h5 or .hdf5, then .npy is "
    "added, which says type and shape itself: file.variable.zt becomes file.variable.npy. From "
    "standard input it is standard output. If OUT is a directory, files of these names go there. "
    "Of several inputs, what cannot be decompressed is reported, the others are decompressed, and "
    "the exit status is that of the first that failed.\n\n"
    "An IN that is a netCDF-4 or HDF5 file is written again as a whole to `-o`, its variables "
    "without ztile's or H5Z-ZFP's filter; see `ztile-compress(1)`.",
    {'o', 'f', OPT_BOX, OPT_SALVAGE, 'x'},
    options,
    "# Notes\n\nA zfp stream has no checksum: a garbled one decodes to something, a cut one is "
    "found out.",
    "ztile decompress wind_512x512x128.f32.zt\n"
    "ztile decompress run.zt --box 100:200,:,: -o part.nc\n"
    "ztile decompress a.zfp --format zfp -t f32 -s 64x64 --rate 8 -o a.npy\n"
    "ztile decompress --salvage damaged.zt -o left.npy\n"
    "cat run.zt | ztile decompress - | analyse\n",
    1,
    INT_MAX,
    "one input or more"};
