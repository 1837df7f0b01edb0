/* compress.c: the page of ztile compress. */
#include "pages/shared.h"

static const struct option_rule options[] = {
    HEADING("# The bound\n\nOne of these, or two: see `--rmse`. Without any, every bit is kept."),
    {"abs", OPT_ABS, "E", "no value is off by more than E", "0 is lossless."},
    {"rel", OPT_REL, "E", "no value is off by more than E times the array's range",
     "The range is the largest value less the smallest, of those that are finite and no fill "
     "values. It is measured first; on a pipe it must be given with `--range`."},
    {"pwrel", OPT_PWREL, "E", "no value is off by more than E times itself",
     "E is below 1; 0 is lossless. Zero stays zero, and keeps its sign. For floats, in a .zt "
     "file."},
    {"psnr", OPT_PSNR, "DB", "a peak signal-to-noise ratio of at least DB decibels",
     "That is 20 log10(range / RMSE) over the values that are finite and no fill values. The "
     "summary says what is reached, and the file keeps it. With sz it is at most 0.5 dB more, "
     "except where many values are the same, where a few waves are the whole field, and near the "
     "last bits of the type; with zfp up to a power of two of the tolerance more. It needs the "
     "range, like `--rel`, and a .zt file. Each part of the array is coded and decoded once or "
     "more to measure it."},
    {"rmse", OPT_RMSE, "E", "the root of the mean squared error is at most E",
     "Over the values that are finite and no fill values. The summary says what is reached, and "
     "the file keeps it: with sz at least 0.98 of E, with the exceptions of `--psnr`. `--psnr`, "
     "`--rmse` and `--mae` (one of them) may stand beside `--abs` or `--rel`, and both are kept. A "
     ".zt file."},
    {"rmse-rel", OPT_RMSE_REL, "E", "the same, E times the array's range",
     "`--rmse-rel 1e-3` is `--psnr 60`."},
    {"mae", OPT_MAE, "E", "the mean of the errors' magnitudes is at most E", "Like `--rmse`."},
    {"mae-rel", OPT_MAE_REL, "E", "the same, E times the array's range", NULL},
    {"within", OPT_WITHIN, "LO:HI", "no value is decoded below LO or above HI",
     "Beside any bound, also on each value. Either may be left out: `0:` for what is never "
     "negative. Where a value of the array lies outside, it is refused, unless that is a fill "
     "value. A .zt file."},
    {"lossless", OPT_LOSSLESS, NULL, "every bit comes back, also those of NaN and infinities",
     NULL},
    RATE_OPTIONS,
    HEADING("# The array"),
    TYPE_OPTION,
    {"shape", 's', "SHAPE", "their shape, slowest axis first, such as 512x512x128",
     "The first extent may be `?`: it then comes from the file's size, or from the end of a "
     "pipe."},
    {"range", OPT_RANGE, "LO:HI", "the array's range, which is then not measured",
     "For the bounds that are of the range: `--rel`, `--psnr`, `--rmse-rel`, `--mae-rel`."},
    {"fill", OPT_FILL, "V", "a value that stands for 'no data'",
     "Up to four of them. Like NaN and infinities they come back bit for bit under any bound, and "
     "are no part of the array's range; something smooth is coded in their places. `_FillValue` "
     "and `missing_value` of a netCDF or HDF5 variable need not be named. Bare zfp streams have "
     "no place for any of these."},
    {"no-fill", OPT_NO_FILL, NULL, "what looks like a fill value is none",
     "Fill values that are declared stay. A value looks like one if it occurs at least three "
     "times and is farther from all others than 10 times the range that holds 99 % of them. "
     "Without this option such a value is reported with its count under a lossy bound. `--rel` "
     "and `--psnr` are refused, since the range would be that of the fill value, and the other "
     "values could be lost. What comes from a pipe, or with `--range`, is reported when it has "
     "been coded. A whole netCDF or HDF5 file is not looked through."},
    HEADING("# The output"),
    {"output", 'o', "OUT", "file, directory, '-' or a device; default: IN.zt", NULL},
    FORCE_OPTION,
    SYNC_OPTION,
    REMOVE_OPTION("Only inputs that are whole files are removed: no variable of a file, no pipe, "
                  "and nothing if OUT is a device."),
    {"format", OPT_FORMAT, "zt|zfp|ndzip", "a .zt file, or a bare stream",
     "The default is zfp if OUT ends in .zfp, ndzip if it ends in .ndz, otherwise zt. A bare "
     "stream is as libzfp or ndzip writes it. That of ndzip is lossless, of float or double in 1 "
     "to 3 dimensions, and says neither its type nor its shape. A bare stream is one stream for "
     "the whole array: array and stream are in memory at once, twice with the verifying decode. A "
     ".zt file is written slab by slab."},
    {"slab-bytes", OPT_SLAB_BYTES, "BYTES", "raw bytes of a frame, such as 64M",
     "Units are of 1024. A frame has at least 4 slices. Default: 256M. With pipes and with "
     "variables of netCDF and HDF5 memory grows with it (ztile(1), Memory); a box is decoded frame "
     "by frame."},
    {"index", OPT_INDEX, "none|offsets|lengths|hybrid|compact", "how a decoder finds its tiles",
     "The default, `compact`, costs a few bits a chunk. All threads then decode at full speed, and "
     "a box is read and decoded without the rest. It never changes the stream. At a fixed rate "
     "places are computed, and small arrays go without. Of a bare zfp stream an index is written "
     "only if one of these options is given, to OUT.zti."},
    INDEX_SIZE_OPTIONS,
    WORD_BITS_OPTION,
    {"dry-run", OPT_DRY_RUN, NULL, "predict size and time by samples; write nothing", NULL},
    HEADING("# Bare zfp streams only"),
    {"zfp-header", OPT_ZFP_HEADER, "on|off", "write zfp's own header (on)",
     "`zfp -h` then reads the file."},
    {"allow-nonfinite", OPT_ALLOW_NONFINITE, NULL, "code NaN and infinities as libzfp does",
     "That does not bring them back. Without it they are refused."},
    {"no-verify", OPT_NO_VERIFY, NULL, "do not decode the stream to check it",
     "With `--abs`, `--rel` and `--lossless` a bare stream is otherwise decoded once more, and a "
     "warning tells how many values are beyond the tolerance, and the worst error."},
    HEADING("# How"),
    {"codec", 'c', "auto|zfp|ndzip|sz", "the codec",
     "`auto` (the default) takes the one that codes samples, and then the array, in the fewest "
     "bytes. Nothing is tried for whole files and with `--plan off`: it is then zfp for `--rate`, "
     "`--precision` and `--expert`, ndzip with `--plan off` for floats without loss, else sz. "
     "ndzip is lossless; sz takes all bounds but the three of zfp."},
    {"effort", OPT_EFFORT, "fast|default|high", "how much time may go into the ratio",
     "For sz `fast` makes one pass over the values; `default` two, with Huffman codes for what "
     "the first has counted, or interpolates floats where that halves the file; `high` also "
     "transforms floats, and keeps what is smallest. zfp and ndzip have one effort: the "
     "option changes nothing."},
    {"method", OPT_METHOD, "default|prediction|multiples|cusz|transform",
     "sz's coder: an effort's, or another",
     "`prediction` leaves transform, multiples and coding without loss out of what `--effort high` "
     "and `-c auto` try: some nine times as fast, and small boxes decode less. `cusz` is Lorenzo "
     "prediction and one Huffman code as published for cuSZ. `transform` is a wavelet over tiles "
     "of up to 8 million "
     "values, for floats. `multiples` are those of a step, coded as `--lossless --effort high` "
     "codes integers: for noise, repeats and few digits. Both are for all bounds but `--pwrel`; "
     "what they are not for is coded at effort high. With `cusz`, `transform` and `multiples` the "
     "codec is sz."},
    {"sz-bins", OPT_SZ_BINS, "N", "with --method cusz: how many residuals have a code",
     "Even, 4 to 65536; default 1024."},
    {"plan", OPT_PLAN, "on|off|tight", "choose axis order and rank by samples",
     "The default is `on`, but for `--method cusz`, `transform` and `multiples`. `tight` also "
     "looks for zfp's "
     "loosest tolerance that keeps the bound."},
    {"prefer", OPT_PREFER, "ratio|speed|balanced", "what the codec auto is chosen by",
     "Default: ratio. With `-c sz` `speed` leaves interpolation out of effort default."},
    {"explain", OPT_EXPLAIN, NULL, "say what the array was coded with, and why",
     "For its first frame: what else was coded and was larger, and what samples said of these and "
     "others."},
    EXEC_OPTIONS,
    HEADING("# Whole files"),
    {"var", OPT_VAR, "NAME[:WORDS]", "of a whole file, compress only this variable",
     "NAME is a path, or a name wherever it is. Repeatable; `*` stands for the rest. WORDS are a "
     "bound, and a codec, of its own, as ztile_h5.h has them: `--var temp:abs=0.01,codec=sz`."},
    HEADING("# Every subcommand"),
    COMMON_OPTIONS,
    LAST};

const struct page compress_page = {
    "compress",
    CMD_COMPRESS,
    "compress arrays into .zt files or bare streams",
    "IN... [-o OUT] [options]",
    "ztile compress --rel 1e-3 wind_512x512x128.f32",
    "Compress arrays, each to a file of its own. IN is a raw file, a .npy file, or file.nc:wind; "
    "of a directory, all .f32, .f64, .i32, .i64 and .npy files below it.\n\n"
    "`ztile(1)` says how an array is named. Of a netCDF or HDF5 file without a variable's name "
    "every float variable is compressed, each to a file of its own.\n\n"
    "Without `-o` the output is IN.zt (IN.zfp, IN.ndz for a bare stream), for file.nc:wind it is "
    "file.wind.zt, and standard output where IN is `-`. If OUT is a directory, files of these "
    "names go there; for several inputs or variables OUT is a directory, which is made if it is "
    "missing, or a device such as /dev/null. What cannot be compressed is reported, the others "
    "are compressed, and the exit status is that of the first that failed.\n\n"
    "# Whole files\n\n"
    "If OUT ends in .nc, .nc4, .h5, .hdf5 or .he5, IN is a netCDF-4 or HDF5 file that is written "
    "again as a whole: its float variables go through ztile's HDF5 filter (48613; with `--format "
    "zfp` through 32013, as H5Z-ZFP writes it) with the bound asked for. All else stays as it is: "
    "attributes, dimensions (unlimited ones too), groups, links, other variables and their "
    "filters.\n\n"
    "Unless `--var` names them, these stay as they are: coordinates, their bounds and all else "
    "that attributes of the CF conventions name (cell areas, grid mappings, ancillary variables), "
    "variables of less than 1024 bytes, those that one of the two filters has compressed before, "
    "and those that would not become smaller. A file that would not become smaller as a whole is "
    "copied. Chunks are kept where they have 32 KiB to 64 MiB, else chosen. Classic netCDF files "
    "are refused; `nccopy -k nc4` converts them. Under `--format zfp` an absolute bound is "
    "measured afterwards, and a warning tells what is beyond it.",
    {OPT_ABS, OPT_REL, 't', 's', 'o'},
    options,
    "# Bounds and special values\n\n"
    "In a .zt file the bound is a promise: values that a codec would put beyond it are kept "
    "exactly beside the stream, and NaN, infinities and fill values come back bit for bit. A bare "
    "zfp stream has no place for these: they are refused with their count where the stream is "
    "lossy.",
    "ztile compress --abs 1e-3 wind_512x512x128.f32\n"
    "ztile compress --rel 1e-4 run.nc:temperature -o t.zt\n"
    "ztile compress --rel 1e-3 --rm *.f32\n"
    "ztile compress --rate 8 --zfp-word-bits 8 a.npy -o a.zfp\n"
    "simulate | ztile compress - -t f32 -s '?x256x256' --abs 1e-3 -o run.zt\n",
    1,
    INT_MAX,
    "one input or more"};
