/* help.c: the help of the command and of each subcommand: a screenful of 80 columns. */
#include "cli.h"

static const char of_all[] =
    "ztile compresses scientific arrays: 1 to 4 dimensions of float32, float64,\n"
    "int32 or int64, within an error bound or lossless.\n"
    "\n"
    "usage: ztile SUBCOMMAND ...\n"
    "\n"
    "  compress IN [-o OUT]     an array into a .zt file or a bare zfp stream\n"
    "  decompress IN [-o OUT]   the array, or a box of it, back\n"
    "  info FILE                what is in a compressed file\n"
    "  compare ORIGINAL FILE    errors, ratio, and whether the bound holds\n"
    "  plot ORIGINAL [FILE]     a picture of a slice, its reconstruction, the error\n"
    "  demo                     simulate a field, compress it in many ways, show it\n"
    "  bench --index-study      what indexes cost, and how fast decoding is with them\n"
    "\n"
    "'ztile SUBCOMMAND --help' lists the options of each. --version says which\n"
    "version this is.\n"
    "\n"
    "Arrays are raw files (little-endian; type and shape from the name, such as\n"
    "wind_512x512x128.f32, or from -t and -s), .npy files, or variables of netCDF and\n"
    "HDF5 files (file.nc:wind). '-' is standard input or output. Shapes are written\n"
    "slowest axis first, as in C and NumPy.\n"
    "\n"
    "  ztile compress --abs 1e-3 wind_512x512x128.f32\n"
    "  ztile compare wind_512x512x128.f32 wind_512x512x128.f32.zt\n"
    "  ztile decompress wind_512x512x128.f32.zt -o wind.npy\n"
    "\n"
    "Exit status: 0 done, 1 bad use, 2 bad data, 3 input or output failed, 4 a bound\n"
    "does not hold (compare), 5 out of memory or not in this version.\n";

static const char of_compress[] =
    "usage: ztile compress IN [-o OUT] [options]\n"
    "\n"
    "IN is a raw file, .npy, or file.nc:variable (file.nc alone: every float\n"
    "variable, each to a file of its own in the directory -o). OUT is IN.zt, or\n"
    "standard output if IN is '-'.\n"
    "\n"
    "the bound, one of:\n"
    "  --abs E              no value off by more than E\n"
    "  --rel E              no value off by more than E times the array's range\n"
    "  --rate B             B bits per value (--rate-align: whole words a tile)\n"
    "  --precision N        N bit planes a tile\n"
    "  --lossless           every bit (what happens if no bound is given)\n"
    "  --expert MINB,MAXB,MAXP,MINE   zfp's own four numbers\n"
    "the array:\n"
    "  -t, --type T         f32, f64, i32 or i64, for raw data\n"
    "  -s, --shape S        such as 512x512x128, slowest first; a pipe: ?x512x128\n"
    "      --range LO:HI    the array's range for --rel, where IN is a pipe\n"
    "the output:\n"
    "  -o, --output OUT     file, directory, '-' or /dev/null\n"
    "  -f, --force          overwrite files, write to a terminal\n"
    "      --format F       zt, or zfp: a bare stream (also if OUT ends in .zfp)\n"
    "      --slab-bytes N   raw bytes a frame, such as 64M (default 256M)\n"
    "      --zfp-word-bits N  8, 16, 32 or 64 (default)\n"
    "bare zfp streams only:\n"
    "      --zfp-header on|off  write zfp's header (default on)\n"
    "      --allow-nonfinite    code NaN and infinities as libzfp does\n"
    "      --no-verify          do not look at what the stream decodes to\n"
    "      --index KIND     none, offsets, lengths, hybrid, compact (default), with\n"
    "                       --index-chunk TILES, --index-partition CHUNKS\n"
    "how:  -c auto|zfp  --plan off\n"
    "  -x, --exec X         serial, omp (default), omp=THREADS[,GRAIN]\n"
    "  -q, --quiet          no summary, no progress bar\n"
    "  -v, --verbose        a longer summary\n";

static const char of_decompress[] =
    "usage: ztile decompress IN [-o OUT] [options]\n"
    "\n"
    "IN is a .zt file, a bare zfp stream, or '-'. OUT is IN without .zt or .zfp; if\n"
    "what is left does not name a type of file (.f32 .f64 .i32 .i64 .npy .nc .h5\n"
    ".raw .bin .dat ...), .npy is added. From '-' it is standard output.\n"
    "\n"
    "  -o, --output OUT     .npy, .nc, .h5, otherwise raw; '-' or /dev/null\n"
    "  -f, --force          overwrite files, write to a terminal\n"
    "      --box B          only this box, slowest axis first: 0:10,5:20,: ; a\n"
    "                       single number k stands for k:k+1\n"
    "  -x, --exec X         serial, omp (default), omp=THREADS[,GRAIN]\n"
    "  -q, --quiet          no summary, no progress bar\n"
    "  -v, --verbose        say more\n"
    "\n"
    "A bare zfp stream without a header does not say what it is. Give:\n"
    "      --format zfp\n"
    "  -t, --type T         f32, f64, i32 or i64\n"
    "  -s, --shape S        such as 512x512x128, slowest first\n"
    "  and its mode: --abs E, --rate B [--rate-align], --precision N, --lossless or\n"
    "  --expert MINB,MAXB,MAXP,MINE, with --zfp-word-bits N for an aligned rate\n";

static const char of_info[] =
    "usage: ztile info FILE [--json] [--check]\n"
    "\n"
    "What is in a .zt file, or in a bare zfp stream with a header.\n"
    "\n"
    "      --json     for scripts\n"
    "      --check    verify every checksum; of a bare stream, which has none, that\n"
    "                 it decodes to its end\n"
    "  -v, --verbose  zfp's parameters as well\n"
    "\n"
    "Keys of --json: format format_version codec type shape bound bound_value\n"
    "abs_bound raw_bytes stream_bytes file_bytes ratio effective_ratio\n"
    "index {kind chunk partition bytes overhead} frames slab_extent exact_values\n"
    "zfp {word_bits minbits maxbits maxprec minexp shift} name units\n"
    "checksums_hold. What is not finite or does not apply is null. ratio is raw over\n"
    "file bytes, effective_ratio raw over stream and index bytes.\n";

static const char of_compare[] =
    "usage: ztile compare ORIGINAL FILE [--json] [-t TYPE] [-s SHAPE]\n"
    "\n"
    "How far FILE (a .zt file, a bare zfp stream, or another plain array) is from\n"
    "ORIGINAL. A raw ORIGINAL takes its type and shape from its name, from -t and -s,\n"
    "or from FILE.\n"
    "\n"
    "      --json     for scripts\n"
    "  -t, --type T   f32, f64, i32 or i64, for raw data\n"
    "  -s, --shape S  such as 512x512x128, slowest first\n"
    "  -q, --quiet    no progress bar\n"
    "      --format zfp and a mode, as for decompress, where FILE has no header\n"
    "\n"
    "Exit status 4 if the bound that FILE stores does not hold.\n"
    "\n"
    "Keys of --json: max_abs_error max_rel_error (of the range) max_pwrel_error rmse\n"
    "psnr ratio bits_per_value bound_held identical special_changed abs_bound\n"
    "beyond_bound values different_values. Errors are of finite originals;\n"
    "special_changed counts the others of which any bit changed. What is not finite\n"
    "or does not apply is null.\n";

static const char of_plot[] =
    "usage: ztile plot ORIGINAL [FILE] [-o PNG] [--slice S]\n"
    "\n"
    "A picture of a slice of ORIGINAL and, if FILE is given, of the same slice of\n"
    "FILE and of the error. Each may be a plain array, a .zt file or a bare zfp\n"
    "stream. One-dimensional arrays and slices become lines.\n"
    "\n"
    "  -o, --output PNG  default: the last part of ORIGINAL's name, .png added\n"
    "  -f, --force       overwrite it\n"
    "      --slice S     an index or ':' for each axis, slowest first; one or two\n"
    "                    ':' stay. Default: the middle of every axis but the last\n"
    "                    two, such as 64,:,: for 128x512x512\n"
    "  -t, --type T      f32, f64, i32 or i64, for raw data\n"
    "  -s, --shape S     such as 512x512x128, slowest first\n"
    "  -q, --quiet       say nothing\n"
    "      --format zfp and a mode, as for decompress, where FILE has no header\n";

static const char of_demo[] =
    "usage: ztile demo [-o PNG] [--save FIELD] [-f]\n"
    "\n"
    "Simulate a field (a reaction and diffusion of two substances in a box, float32),\n"
    "compress it with several bounds, print a table of what comes out, and draw a\n"
    "slice of it, its reconstruction and the error.\n"
    "\n"
    "  -o, --output PNG  default: demo.png\n"
    "      --save FIELD  keep the field: .npy, .nc, .h5, otherwise raw\n"
    "  -f, --force       overwrite them\n"
    "  -x, --exec X      serial, omp (default), omp=THREADS[,GRAIN]\n"
    "  -q, --quiet       no progress bar\n"
    "\n"
    "Columns: ratio is raw over compressed bytes; max error is measured, and shown as\n"
    "a part of the absolute bound, if one was asked for; PSNR is 20 log10(range /\n"
    "RMSE); enc and dec are speeds of raw data, in memory, fastest of 3.\n";

static const char of_bench[] =
    "usage: ztile bench --index-study FILE... [-o DIR] [--json]\n"
    "\n"
    "What the index costs and what it gives, over chunks of C = 1, 4, 16 .. 4^12\n"
    "tiles, with zfp at fixed precision 8, 12, 16, 20 and 24: the evaluation of\n"
    "Noordsij et al., PDP 2020, on your arrays. A FILE is an array as compress takes\n"
    "it; all are read into memory. Minutes, and a quiet machine, are needed.\n"
    "\n"
    "      --index-study  the only benchmark of this version\n"
    "  -o, --output DIR   also write index-overhead, index-throughput and\n"
    "                     index-speedup there, each as .csv and as .png\n"
    "  -f, --force        overwrite them\n"
    "      --json         for scripts, in place of the tables\n"
    "  -x, --exec X       omp (default: as many threads as processors), omp=THREADS,\n"
    "                     omp=THREADS,GRAIN, or serial\n"
    "  -t, --type T       f32, f64, i32 or i64, for raw data\n"
    "  -s, --shape S      such as 512x512x128, slowest first\n"
    "  -q, --quiet        no progress bar\n"
    "\n"
    "Columns: ratio is raw over stream bytes; f is index bits over stream bits; GB/s\n"
    "are of raw data, decoding on all threads. Of a file, sizes and times are means\n"
    "over the precisions; over files, ratios, speeds and speed-ups are harmonic\n"
    "means. A file counts for the chunk sizes that are no larger than it.\n";

const char *help_text(unsigned command)
{
    switch (command) {
    case CMD_COMPRESS: return of_compress;
    case CMD_DECOMPRESS: return of_decompress;
    case CMD_INFO: return of_info;
    case CMD_COMPARE: return of_compare;
    case CMD_PLOT: return of_plot;
    case CMD_DEMO: return of_demo;
    case CMD_BENCH: return of_bench;
    default: return of_all;
    }
}
