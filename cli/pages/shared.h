/* shared.h: options that several subcommands have. */
#ifndef ZTI_PAGES_SHARED_H
#define ZTI_PAGES_SHARED_H

#include "pages/page.h"

#include <limits.h>

/* clang-format off */
#define HEADING(heading) {NULL, 0, NULL, NULL, heading}
#define LAST {NULL, 0, NULL, NULL, NULL}

#define COMMON_OPTIONS \
    {"memory-limit", OPT_MEMORY_LIMIT, "BYTES", "the most memory to use, such as 4G", \
     "80 % of the machine's memory by default. `ztile(1)` says what counts."}, \
    {"quiet", 'q', NULL, "no summary, no progress bar", NULL}, \
    {"verbose", 'v', NULL, "say more", NULL}, \
    {"help", 'h', NULL, "an example and the main options", NULL}, \
    {"help-all", OPT_HELP_ALL, NULL, "everything that the manual page says", NULL}

#define FORCE_OPTION \
    {"force", 'f', NULL, "overwrite files; write to a terminal", \
     "A file that is replaced keeps its mode and, where that is permitted, its owner; a new one " \
     "gets the mode of the input."}

#define SYNC_OPTION \
    {"sync", OPT_SYNC, NULL, "return when the output would survive a power cut", \
     "The output and its name are then on the disk."}

#define REMOVE_OPTION(names) \
    {"rm", OPT_REMOVE, NULL, "remove each input when its output is on the disk", names}

#define EXEC_OPTIONS \
    {"exec", 'x', "serial|omp[=THREADS[,GRAIN]]|cuda[=DEVICE]", "where tiles are coded", \
     "`serial` is the calling thread. `omp` (the default) is as many threads as " \
     "`OMP_NUM_THREADS` or the processors say, or THREADS of them, each of which takes GRAIN " \
     "tiles at a time. `cuda` is a GPU, where the build has CUDA. The result is the same."}, \
    ISA_OPTION

#define ISA_OPTION \
    {"isa", OPT_ISA, "plain|avx2|avx512", "the most modern instructions to use", \
     "By default those that the processor has, which `ztile --version -v` names. The result is " \
     "the same."}

#define TYPE_OPTION \
    {"type", 't', "f32|f64|i32|i64", "type of raw values", NULL}
#define SHAPE_OPTION \
    {"shape", 's', "SHAPE", "their shape, slowest axis first, such as 512x512x128", NULL}

#define INDEX_FILE_OPTION(place) \
    {"index-file", OPT_INDEX_FILE, "FILE", "the index of a bare zfp stream", \
     "`ztile index` or `ztile compress --index` made it. By default " place ".zti is used, if it " \
     "is there. An index that is damaged, or that of another stream, is refused."}

#define INDEX_SIZE_OPTIONS \
    {"index-chunk", OPT_INDEX_CHUNK, "TILES", "tiles in a chunk", \
     "Default: of zfp and ndzip 16, in one dimension 64; of sz 4, or fewer where tiles have so " \
     "many bits that the index stays below some 0.25 % of them."}, \
    {"index-partition", OPT_INDEX_PARTITION, "CHUNKS", \
     "chunks in a partition of the hybrid index", \
     "Default: 32."}

#define RATE_OPTIONS \
    {"rate", OPT_RATE, "BITS", "BITS per value: zfp's fixed rate", "No error is promised."}, \
    {"rate-align", OPT_RATE_ALIGN, NULL, "with --rate: whole stream words for each tile", NULL}, \
    {"precision", OPT_PRECISION, "PLANES", \
     "PLANES bit planes of each tile: zfp's fixed precision", \
     "1 to 64. No error is promised."}, \
    {"expert", OPT_EXPERT, "MINB,MAXB,MAXP,MINE", "four numbers that limit zfp's tiles", \
     "The fewest and the most bits of a tile, the most bit planes, and the exponent of the least " \
     "bit plane."}

#define WORD_BITS_OPTION \
    {"zfp-word-bits", OPT_ZFP_WORD_BITS, "8|16|32|64", "bits of the words of a zfp stream", \
     "A stream is padded to whole words. Default: 64, as in zfp. Debian's libzfp and the HDF5 " \
     "filter H5Z-ZFP use 8."}

/* What describes a stream that does not describe itself. */
#define STREAM_OPTIONS \
    HEADING("# Streams without a header\n\n" \
            "A bare zfp stream without zfp's header does not say what it is: give `--format " \
            "zfp`, its type, its shape and its mode. A bare ndzip stream never does: give " \
            "`--format ndzip` (or a name that ends in .ndz), type and shape."), \
    {"format", OPT_FORMAT, "zt|zfp|ndzip", "what kind of file it is", NULL}, \
    TYPE_OPTION, SHAPE_OPTION, \
    {"abs", OPT_ABS, "E", "mode of a zfp stream: fixed accuracy E", NULL}, \
    {"lossless", OPT_LOSSLESS, NULL, "mode of a zfp stream: reversible", NULL}, \
    RATE_OPTIONS, WORD_BITS_OPTION
/* clang-format on */

#endif
