/* bench.c: the page of ztile bench. */
#include "pages/shared.h"

static const struct option_rule options[] = {
    {"output", 'o', "DIR", "also write a report, charts and all rows to DIR",
     "The directory is made if need be. report.html holds all charts, pictures and figures and "
     "asks for nothing from elsewhere. The charts are there too, as .svg and as .png: ratio, "
     "speed-compress, speed-decompress and, of each array, rate-distortion-NAME. "
     "slices-NAME-CODEC.png show a slice, what zfp and sz make of it at the second bound, and the "
     "error. A build without cairo draws neither charts nor slices, and says so. bench.json and "
     "bench.tsv have every measurement. Of the index study it is index-overhead, index-throughput "
     "and, but with `-x cuda`, index-speedup, each as .csv and as .png."},
    {"force", 'f', NULL, "overwrite them", NULL},
    {"bounds", OPT_BOUNDS, "LIST", "bounds, such as rel=1e-3,abs=0.5,lossless",
     "Apart by commas, at most 12: rel=E (of the array's range), abs=E, lossless. Default: "
     "rel=1e-2,rel=1e-3,rel=1e-4,rel=1e-5,lossless."},
    {"codecs", OPT_CODECS, "LIST", "codecs, such as zfp,sz,sz-high,libzfp",
     "Of zfp, sz, sz-fast, sz-high (the efforts of sz), ndzip, libzfp, fpzip, zstd; default: all "
     "that are there. By name and with `--distortion` also sz-transform, sz-cusz and zfp-rate."},
    {"peers", OPT_PEERS, "TSV", "add rows that another program measured; repeatable",
     "`python -m ztile.bench` writes them for SZ3, SPERR, Blosc2 and pcodec. Lines of ten fields "
     "with tabs between, as in bench.tsv: file (the last part of its name), codec, threads, bound, "
     "its value, bytes, max_error, psnr, encode_seconds, decode_seconds. Rows of other files are "
     "passed over."},
    {"stages", OPT_STAGES, NULL, "where the time of sz goes, stage by stage", NULL},
    {"end-to-end", OPT_END_TO_END, NULL, "whole commands from file to file, beside cp", NULL},
    {"index-study", OPT_INDEX_STUDY, NULL, "what an index costs and gives", NULL},
    {"distortion", OPT_DISTORTION, NULL, "rate against PSNR, every effort and zfp's rates", NULL},
    {"huffman", OPT_HUFFMAN, NULL, "Huffman coding by itself, beside earlier ways", NULL},
    {"link", OPT_LINK, "GBITS", "what compressing gains over links, such as 10,100,400",
     "Speeds of links in 10^9 bits a second, at most six."},
    {"json", OPT_JSON, NULL, "every measurement as JSON, in place of the tables",
     "Keys: version; threads; files (file type shape raw_bytes min max special_values); rows (file "
     "codec peer policy threads bound bound_value abs_bound bytes ratio bits_per_value "
     "max_abs_error psnr encode_seconds decode_seconds encode_mb_per_s decode_mb_per_s). What is "
     "not finite or does not apply is null. Of the index study: threads; files (file type shape "
     "raw_bytes tiles ratio, precisions with stream_bytes and chunks of index_bytes and gb_per_s, "
     "speedup by threads, empty where the file has fewer than 4096 tiles); means (chunk files "
     "ratio overhead gb_per_s); mean_speedup. Of the stages: version; isa; policy; rows (file "
     "effort bound bound_value raw_bytes bytes, compress_seconds and decompress_seconds of rest "
     "range samples count models encode tables decode all)."},
    TYPE_OPTION,
    SHAPE_OPTION,
    {"fill", OPT_FILL, "V", "a value that stands for 'no data'",
     "It is no part of ranges and errors."},
    {"exec", 'x', "serial|omp[=THREADS[,GRAIN]]|cuda[=DEVICE]", "where tiles are coded",
     "THREADS is what \"all threads\" means, by default the number of processors; `serial` "
     "measures one thread alone. GRAIN is the least number of tiles a thread takes at a time, "
     "rounded up to whole chunks; with omp=THREADS,1 a thread takes one chunk at a time, as in the "
     "paper. `cuda` is for the index study alone."},
    ISA_OPTION,
    COMMON_OPTIONS,
    LAST};

const struct page bench_page = {
    "bench",
    CMD_BENCH,
    "compare codecs, bounds and peers on your arrays",
    "FILE... [-o DIR] [--json] [options]\n"
    "--stages FILE... [--bounds LIST] [--json]\n"
    "--end-to-end FILE [-o DIR] [--bounds BOUND]\n"
    "--index-study FILE... [-o DIR] [--json]\n"
    "--link GBITS FILE... [-o DIR] [--json]\n"
    "--distortion FILE... [-o DIR] [--json]\n"
    "--huffman [FILE...] [--json]",
    "ztile bench wind_512x512x128.f32 -o report",
    "Compress arrays with every codec at several bounds, with one thread and with all, in memory, "
    "beside libzfp, fpzip and zstd where they are installed.\n\n"
    "A FILE is an array as `ztile compress` takes it, at most 38 of them. All are read into memory "
    "first.\n\n"
    "# Codecs and bounds\n\n"
    "Each codec compresses each array at each bound that it can keep, from memory to memory, with "
    "one thread and, unless `-x serial` is given, with all. What it gives back is compared with "
    "what went in. A time is the fastest of at least 3 runs: processor time with one thread, by "
    "the clock with more. ztile's codecs write whole .zt files with index and checksums, without "
    "planning (`--plan off`). Peers are opened where they are installed: libzfp (libzfp.so.1), "
    "fpzip (libfpzip.so.1; it has no bounds, so that it is measured lossless and at 4 precisions) "
    "and zstd (libzstd.so.1, level 3, lossless). NaN, infinities and fill values are no part of "
    "ranges and errors; an array that has some is not given to libzfp.\n\n"
    "Bits are per value; of bound is the largest error over the bound; PSNR is 20 log10(range / "
    "RMSE) in dB; MB/s and GB/s are of raw data. Over several files, ratios are harmonic means and "
    "speeds are all raw bytes over all time.\n\n"
    "# Stages\n\n"
    "`--stages` compresses each array with sz at each bound (default: rel=1e-2,rel=1e-3,rel=1e-4) "
    "with every effort, decompresses it, and says how long each stage takes: the range of all "
    "values and which are special; samples on which ways to predict are tried; the count of "
    "symbols; models (codebooks) made of it; tiles to bits (encode); back, the decoder's tables "
    "and bits to tiles (decode); and the rest: headers, checksums, index. Whole .zt files with "
    "index and checksums, in memory, without planning. Of at least 3 runs the fastest is shown; "
    "with `-x serial` it is processor time, else time by the clock with all threads.\n\n"
    "# Links\n\n"
    "`--link` says what it gains to compress before data is sent and to decompress behind it, from "
    "measured speeds and ratios: of S raw bytes that compress to Z in E seconds and decompress in "
    "D, over a link of B bytes a second, raw values take S / B; one after another E + Z / B + D; "
    "pipelined, slab by slab, the longest of E, Z / B and D. The tables have the gain one after "
    "another, and pipelined in parentheses; \"pays up to\" is the speed of link from which on raw "
    "values are there first. Rows of `--peers` take part. With `-o`, link-NAME-N.svg and .png draw "
    "it for links of 0.5 to 8192 Gbit/s.\n\n"
    "# Distortion\n\n"
    "`--distortion` measures every effort of sz, its transform (`sz-transform`), the published "
    "coder of cuSZ (`sz-cusz`), zfp within a bound and at fixed rates (`zfp-rate`: 1 to 16 bits a "
    "value), and peers, by default at rel=1e-1 to rel=1e-6, with one thread. For each array and "
    "codec the table has the bits a value at 85 dB, on the line between neighbours, and bits:PSNR "
    "of each bound or rate. `-o` writes the report, in which rate-distortion-NAME is the "
    "picture.\n\n"
    "# Huffman\n\n"
    "`--huffman` repeats the evaluation of Tian et al., \"Revisiting Huffman Coding\", IPDPS 2021: "
    "codebooks of 256 to 65,536 symbols, by a serial tree and by GenerateCL and GenerateCW; merges "
    "of 2^M symbols, 2^r of them in one step, with the share of units that break; encoding by a "
    "prefix sum, in coarse chunks, by merges, and in parts, as the library does by default; its "
    "stages; and threads. Rates are of the bytes that symbols stand in, on one thread but in the "
    "last table. Texts are made (letters, k-mers of a genome with k = 3, 4, 5 and 8, quantization "
    "codes) unless FILEs are given, whose bytes are coded. With `-x cuda` the library's columns "
    "are of the GPU, with copies.\n\n"
    "# End to end\n\n"
    "`--end-to-end` compresses one array from a file to a new file and back by whole commands: "
    "`cp`, `ztile` with each codec (`-x serial` and, unless that was asked for, on all threads), "
    "and `zfp`, `sz3` and `zstd` where they are on the PATH. All take turns; times are medians of "
    "9 by the clock, or of 3 where a round takes more than 20 s, and peak MB is the largest "
    "resident memory. The files are in a folder of their own in DIR (default: TMPDIR or /tmp) and "
    "are removed. ztile plans as it does by default.\n\n"
    "Then, of ztile, where the time goes, in milliseconds: clock and processors (of all threads) "
    "are the command's; codec is the same coding from memory to memory (fastest of 5), copies are "
    "read and write of the same bytes through one buffer, faults are the page faults that were "
    "counted times the least that one takes. waiting is what the clock has beyond the processors: "
    "nothing ran.\n\n"
    "# The index study\n\n"
    "Repeat on each FILE the evaluation of Noordsij et al., \"Parallelization of Variable Rate "
    "Decompression through Metadata\", PDP 2020: code it with zfp at fixed precision 8, 12, 16, 20 "
    "and 24, with an index of chunks of C = 1, 4, 16 ... 4^12 tiles, and measure the overhead f, "
    "index bits over stream bits, of the layouts offsets, lengths, hybrid (32 chunks a partition) "
    "and compact; the speed of decoding on all threads with offsets and with compact; and the "
    "speed of decoding with offsets at C = 4096 on 1 thread, 2 threads, and so on up to all.\n\n"
    "With `-x cuda` the study is that of decoding on a GPU: C = 1, 2, 4, 8 and 16, the overhead at "
    "C = 1, the speed with each of the four layouts, copies to and from the GPU included, and "
    "nothing by threads.\n\n"
    "An array with NaN or infinities is refused, since fixed precision cannot keep them. Each is "
    "coded as one frame. A file takes part in what is measured at C if it has that many tiles. A "
    "time is the fastest of at least 7 runs, all that is compared taken in turns; decoding is from "
    "memory to memory and verifies every checksum. Of a file, its sizes and its times are means "
    "over the five precisions; its ratio is then the harmonic mean of the five ratios. Over the "
    "files, ratios, speeds and speed-ups are harmonic means, and f is such that the harmonic mean "
    "of the effective ratios is ratio / (1 + f). Other work on the machine shows in the speeds, "
    "not in the sizes.",
    {'o', OPT_BOUNDS, OPT_STAGES, OPT_END_TO_END, OPT_INDEX_STUDY},
    options,
    NULL,
    "ztile bench wind_512x512x128.f32 -o report\n"
    "ztile bench data.nc --bounds abs=0.01,abs=0.1 --codecs zfp,sz,libzfp\n"
    "ztile bench --index-study wind_512x512x128.f32 -o study\n",
    0,
    INT_MAX,
    "any number of arrays"};
