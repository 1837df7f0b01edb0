/* entropy.c: the page of ztile entropy. */
#include "pages/shared.h"

static const struct option_rule options[] = {
    {"decode", 'd', NULL, "codes back to bytes", NULL},
    {"output", 'o', "OUT", "the file to write; default: IN.zth, or IN without it",
     "`-` is standard output, and is where a pipe goes by default."},
    {"force", 'f', NULL, "overwrite OUT; write to a terminal", NULL},
    {"symbols", OPT_SYMBOLS, "bytes|words|kmers=K[:LETTERS]", "what a symbol is; default: bytes",
     "`words` are of 16 bits, little-endian. A symbol of `kmers` is K letters side by side: of "
     "those given, such as `kmers=8:ACGT`, or of those that occur in a block. LETTERS to the power "
     "of K may be 65,536."},
    {"merge", OPT_MERGE, "M[,R]", "merge the codes of 2^M symbols, as on a GPU",
     "By reduce-merge and shuffle-merge: M is 10, 11 or 12, and 2^R codes, R from 0 to 4, are "
     "merged at once; without R that follows from the mean length of codes. The result is the "
     "same."},
    EXEC_OPTIONS,
    SYNC_OPTION,
    COMMON_OPTIONS,
    LAST};

const struct page entropy_page = {
    "entropy",
    CMD_ENTROPY,
    "code any file by Huffman, and back",
    "IN [-o OUT] [--symbols KIND]\n"
    "-d IN.zth [-o OUT]",
    "ztile entropy --symbols kmers=4:ACGT genome.txt",
    "Code the bytes of any file by Huffman, without looking at what it means: residuals, text, "
    "bases of a genome. Blocks of 16 MiB have a codebook and a checksum each.\n\n"
    "Files of any length, and pipes, take the memory of a few blocks. Bytes are the same with any "
    "number of threads, and on a GPU.",
    {'o', 'd', OPT_SYMBOLS, 'f', 'q'},
    options,
    NULL,
    "ztile entropy notes.txt\n"
    "ztile entropy -d notes.txt.zth -o again.txt\n"
    "ztile entropy --symbols words - < residuals.u16 > residuals.zth\n",
    1,
    1,
    "one file, or - for standard input"};
