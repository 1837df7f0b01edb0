/* ztile.c: the page of the command itself, and the list of its subcommands. */
#include "pages/shared.h"

static const struct option_rule options[] = {LAST};

const struct page ztile_page = {
    "",
    0,
    "compress scientific arrays",
    "SUBCOMMAND ...",
    "ztile compress --rel 1e-3 wind_512x512x128.f32",
    "Compress arrays of 1 to 4 dimensions of float32, float64, int32 or int64, within an error "
    "bound or lossless, and decompress them, whole or in part. Arrays are raw files (type and "
    "shape from the name, as above, or from -t and -s), .npy files, or variables of netCDF and "
    "HDF5 files (file.nc:wind).",
    {0},
    options,
    "# Options\n\n"
    "--version, -V\tThe version; with `-v` also which instructions are used here.\n\n"
    "--help, --help-all\tOf a subcommand: an example and the main options, or everything that its "
    "manual page says. `ztile help SUBCOMMAND` is the same as `--help`.\n\n"
    "# Arrays\n\n"
    "Where a subcommand takes an array, it takes\n\n"
    "NAME_512x512x128.f32\ta raw file: little-endian values and nothing else. The type is the "
    "suffix (.f32, .f64, .i32, .i64), the shape the last part of the name. Where the name does not "
    "say them, or says them wrong, `-t` and `-s` do;\n\n"
    "NAME.npy\ta NumPy array, in C or Fortran order, of either endianness;\n\n"
    "file.nc:variable, file.h5:/group/data\ta variable of a netCDF or HDF5 file, where the build "
    "has these formats. Packed integers (`scale_factor`, `add_offset`) are unpacked to floats;\n\n"
    "-\tstandard input or output. A pipe of raw values may have an unknown number of slices: `-s "
    "?x512x512`.\n\n"
    "Shapes are written slowest axis first, as in C, NumPy and HDF5: the last number is the axis "
    "along which values are next to each other.\n\n"
    "# Files written\n\n"
    "A file is written under another name beside its own and renamed when it is whole; a run that "
    "fails or is interrupted leaves nothing. Nothing is overwritten without `-f`. Standard output, "
    "devices and pipes are written directly. A progress bar is drawn on standard error if that is "
    "a terminal and `-q` is not given.\n\n"
    "# Memory\n\n"
    "Every subcommand takes `--memory-limit BYTES`: what each array of the command, and all that "
    "the library holds at once, may take, such as 500M or 4G; 80 % of the machine's memory by "
    "default. What would take more ends with a sentence and status 5. A small file can speak of a "
    "large array: the limit is for files of strangers.\n\n"
    "Raw and .npy files take some 64 MiB and 16 MiB a thread, whatever `--slab-bytes` says. A pipe "
    "that is written or decompressed takes the coded bytes of one frame more. A pipe of raw values "
    "goes slab by slab, from 48 MiB on, through a temporary file without a name in TMPDIR, "
    "/var/tmp or /tmp, since a slab is read more than once; where these are in memory or have "
    "little room, a slab is held in memory. So is a slab of a netCDF or HDF5 variable.\n\n"
    "# Completion\n\n"
    "`ztile help --bash`, `--zsh` and `--fish` print what completes words for these shells; `make "
    "install` puts them where each looks. `ztile help --man SUBCOMMAND` prints a manual page.\n\n"
    "# Exit status\n\n"
    "0\tdone\n\n"
    "1\tbad use: options or arguments that make no sense, or a file that exists\n\n"
    "2\tbad data: damaged, cut short, not what they claim to be, or with NaN where the bound "
    "cannot keep it\n\n"
    "3\tinput or output failed\n\n"
    "4\ta bound does not hold (`ztile-compare(1)`)\n\n"
    "5\tout of memory, or not in this version or build\n\n"
    "Killed by a signal, the shell sees 128 and its number, and no file is left half-written. "
    "netCDF and HDF5 files are read by the libraries of these formats, which can fall over one "
    "that was damaged on purpose. Every error is one line on standard error that names the file "
    "and what to change.",
    "ztile compress --abs 1e-3 wind_512x512x128.f32\n"
    "ztile info wind_512x512x128.f32.zt\n"
    "ztile compare wind_512x512x128.f32 wind_512x512x128.f32.zt\n"
    "ztile decompress wind_512x512x128.f32.zt --box 0:10,:,: -o part.npy\n"
    "simulate | ztile compress - -t f64 -s '?x512x512' --abs 1e-6 -o run.zt\n",
    0,
    0,
    ""};

const struct page *const pages[] = {&compress_page, &decompress_page, &info_page, &compare_page,
                                    &plot_page,     &index_page,      &plan_page, &bench_page,
                                    &demo_page,     &entropy_page,    NULL};
