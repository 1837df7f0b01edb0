/* page.h: what a subcommand is and which options it has. The parser, --help, --help-all, the manual
 * pages and the completions are all made of these tables.
 *
 * Texts are paragraphs with an empty line between. A paragraph that begins with "# " is a heading,
 * one that begins with a blank is left as it is, and one with a tab is a term and what it means.
 * `words` between backticks are typed as they are. */
#ifndef ZTI_PAGES_PAGE_H
#define ZTI_PAGES_PAGE_H

#include <stdbool.h>
#include <stdio.h>

enum command {
    CMD_COMPRESS = 1u << 0,
    CMD_DECOMPRESS = 1u << 1,
    CMD_INFO = 1u << 2,
    CMD_COMPARE = 1u << 3,
    CMD_PLOT = 1u << 4,
    CMD_DEMO = 1u << 5,
    CMD_BENCH = 1u << 6,
    CMD_INDEX = 1u << 7,
    CMD_PLAN = 1u << 8,
    CMD_ENTROPY = 1u << 9
};

/* Options without a letter. */
enum option_id {
    OPT_ABS = 256,
    OPT_REL,
    OPT_PWREL,
    OPT_PSNR,
    OPT_RMSE,
    OPT_RMSE_REL,
    OPT_MAE,
    OPT_MAE_REL,
    OPT_WITHIN,
    OPT_RATE,
    OPT_RATE_ALIGN,
    OPT_PRECISION,
    OPT_LOSSLESS,
    OPT_EXPERT,
    OPT_RANGE,
    OPT_FILL,
    OPT_NO_FILL,
    OPT_ALLOW_NONFINITE,
    OPT_FORMAT,
    OPT_ZFP_HEADER,
    OPT_ZFP_WORD_BITS,
    OPT_NO_VERIFY,
    OPT_SLAB_BYTES,
    OPT_BOX,
    OPT_SALVAGE,
    OPT_SALVAGE_FILL,
    OPT_JSON,
    OPT_CHECK,
    OPT_SLICE,
    OPT_INDEX,
    OPT_INDEX_CHUNK,
    OPT_INDEX_PARTITION,
    OPT_INDEX_FILE,
    OPT_SAVE,
    OPT_INDEX_STUDY,
    OPT_STAGES,
    OPT_END_TO_END,
    OPT_EFFORT,
    OPT_METHOD,
    OPT_SZ_BINS,
    OPT_ISA,
    OPT_VAR,
    OPT_BOUNDS,
    OPT_CODECS,
    OPT_PEERS,
    OPT_PLAN,
    OPT_PREFER,
    OPT_EXPLAIN,
    OPT_DRY_RUN,
    OPT_MEMORY_LIMIT,
    OPT_SYNC,
    OPT_HELP_ALL,
    OPT_REMOVE,
    OPT_SYMBOLS,
    OPT_MERGE,
    OPT_DISTORTION,
    OPT_HUFFMAN,
    OPT_LINK
};

struct option_rule {
    const char *name;     /* of the long form; NULL: a heading, which is 'text' */
    int id;               /* the letter of the short form, or a number above 255 */
    const char *argument; /* as help shows it, its values with '|' between; NULL: takes none */
    const char *brief;    /* a line */
    const char *text;     /* what --help-all and the manual add to it; may be NULL */
};

enum { MAIN_OPTIONS = 5 };

struct page {
    const char *name; /* of the subcommand */
    enum command command;
    const char *brief;              /* what it does, in a line */
    const char *usage;              /* lines without "ztile NAME" */
    const char *example;            /* one command */
    const char *about;              /* the first paragraph is shown by --help, all by the others */
    int main_options[MAIN_OPTIONS]; /* ids of those that --help shows */
    const struct option_rule *options; /* the last has neither name nor text */
    const char *notes;                 /* behind the options; may be NULL */
    const char *examples;              /* lines; may be NULL */
    int least, most;                   /* operands */
    const char *operands;              /* in words */
};

extern const struct page compress_page, decompress_page, info_page, index_page, plan_page,
    compare_page, plot_page, demo_page, bench_page, entropy_page;
extern const struct page ztile_page; /* the command itself; its options are on no command line */

/* All subcommands, in the order in which they are listed; the last is NULL. */
extern const struct page *const pages[];

/* What is printed for a page: a screen, everything, or everything as a manual page. */
enum page_form { PAGE_SCREEN, PAGE_ALL, PAGE_MANUAL };
void page_print(const struct page *page, enum page_form form, FILE *file);

/* Completion for a shell: bash, zsh or fish. False for another. */
bool pages_complete(const char *shell, FILE *file);

#endif
