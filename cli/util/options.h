/* options.h: the words of a command line. */
#ifndef ZTI_UTIL_OPTIONS_H
#define ZTI_UTIL_OPTIONS_H

#include "pages/page.h"
#include "util/exec.h"

enum { MAX_VARS = 64, MAX_PEERS = 16 }; /* of --var, of --peers */

enum coded_format { FORMAT_AUTO, FORMAT_ZT, FORMAT_ZFP, FORMAT_NDZIP };

struct options {
    enum command command;
    const char *operand[2];
    int operands;
    char **operands_all; /* of bench, which takes any number */
    const char *out;     /* -o; NULL where not given */
    bool force;          /* -f */
    bool sync;
    bool quiet;   /* -q */
    bool verbose; /* -v */
    bool json;
    bool check;
    bool index_study;
    bool stages;
    bool distortion;     /* of bench */
    bool huffman;        /* of bench */
    const char *link;    /* of bench: --link; NULL where not given */
    bool decode;         /* -d */
    const char *symbols; /* --symbols; NULL: bytes */
    uint32_t magnitude;  /* of --merge; 0 where not given */
    uint32_t reduction;
    bool end_to_end;
    bool help;     /* --help: nothing else was looked at */
    bool help_all; /* the same, of --help-all */
    bool remove;   /* --rm */
    bool explain;
    bool has_plan; /* --plan was given */
    bool dry_run;
    struct ztio_meta hints; /* type of -t, rank and shape of -s */
    zt_params params;       /* bound, range, slab bytes, zfp word bits */
    bool has_bound;
    enum coded_format format; /* of the .zt or .zfp side */
    bool zfp_header;          /* a bare zfp stream carries zfp's header */
    uint32_t zfp_word_bits;   /* of zfp streams, bare and in files */
    bool has_method;          /* --method cusz */
    bool has_transform;       /* --method transform */
    bool has_multiples;       /* --method multiples */
    bool has_prediction;      /* --method prediction */
    uint32_t sz_bins;         /* of it; 0: the default */
    bool allow_nonfinite;
    uint32_t fills; /* values of --fill */
    double fill[ZT_MAX_FILLS];
    bool no_fill;       /* what looks like a fill value is none */
    const char *bounds; /* of bench: --bounds and --codecs; NULL: all */
    const char *codecs;
    int peer_files; /* of bench: --peers */
    const char *peer_file[MAX_PEERS];
    int vars; /* of a whole file: --var, in their order */
    const char *var[MAX_VARS];
    bool no_verify;
    bool has_slab_bytes;
    const char *box;
    bool salvage; /* write the intact parts of a damaged file */
    bool has_salvage_fill;
    double salvage_fill;    /* stands for lost values */
    const char *index_file; /* of a bare zfp stream; NULL: IN.zti, if it is there */
    const char *slice;
    const char *save; /* demo: where its field goes; NULL: nowhere */
    struct execution exec;
};

/* Read the words after the subcommand's name, as its page has the options: argv[0] is the
 * subcommand. */
bool options_parse(struct options *options, const struct page *page, int argc, char **argv,
                   struct ztio_error *error);

#endif
