/* options.c: the words of a command line, checked one by one. Which options a subcommand has stands
 * on its page. */
#include "util/options.h"
#include "ztile_zfp.h"
#include "ztile_sz.h"

#include "ztile_huffman.h"

#include "util/errors.h"
#include "util/memory.h"
#include "util/numbers.h"

#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The value of an option makes no sense. */
static bool bad(struct ztio_error *error, const char *name, const char *argument,
                const char *wanted)
{
    if (is_beyond_double(argument))
        return fail(error, ZTIO_BAD_USE,
                    "--%s: %s is a number that no double holds; they go from 4.95e-324 to 1.79e308",
                    name, argument);
    return fail(error, ZTIO_BAD_USE, "--%s: '%s' is not %s", name, argument, wanted);
}

static bool set_bound(struct options *o, zt_bound bound, struct ztio_error *error)
{
    if (is_mean_bound(bound.kind) && o->params.mean.kind == ZT_LOSSLESS) {
        o->params.mean = bound; /* it may stand beside another */
        return true;
    }
    if (o->has_bound || is_mean_bound(bound.kind)) {
        char old[CLI_TEXT_BYTES], new[CLI_TEXT_BYTES];
        return fail(
            error, ZTIO_BAD_USE, "more than one bound is given, %s and %s; give one",
            format_bound(is_mean_bound(bound.kind) ? &o->params.mean : &o->params.bound, old),
            format_bound(&bound, new));
    }
    bound.flags |= o->params.bound.flags;
    o->params.bound = bound;
    o->has_bound = true;
    return true;
}

/* MINB,MAXB,MAXP,MINE */
static bool parse_expert(struct options *o, const char *argument, struct ztio_error *error)
{
    double v[4];
    char word[32];
    const char *p = argument;
    for (int i = 0; i < 4; i++) {
        size_t n = strcspn(p, ",");
        bool is_sane = n < sizeof word && (p[n] == ',') == (i < 3);
        if (is_sane) {
            memcpy(word, p, n);
            word[n] = '\0';
            is_sane = parse_number(word, &v[i]) && v[i] == floor(v[i]) && fabs(v[i]) <= 1e6;
        }
        if (!is_sane)
            return bad(error, "expert", argument, "four whole numbers MINB,MAXB,MAXP,MINE");
        p += n + (i < 3);
    }
    if (v[0] < 0 || v[1] < v[0] || v[2] < 1 || v[2] > 64)
        return bad(error, "expert", argument,
                   "MINB,MAXB,MAXP,MINE with MINB <= MAXB and MAXP in 1..64");
    return set_bound(o, zt_expert((uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2], (int32_t)v[3]),
                     error);
}

/* LO:HI, LO: or :HI */
static bool parse_within(struct options *o, const char *argument, struct ztio_error *error)
{
    char low[64];
    const char *colon = strchr(argument, ':');
    size_t n = colon ? (size_t)(colon - argument) : 0;
    zt_params *p = &o->params;
    if (!colon || n >= sizeof low || (n == 0 && !colon[1]))
        return bad(error, "within", argument, "LO:HI, LO: or :HI");
    memcpy(low, argument, n);
    low[n] = '\0';
    if (is_beyond_double(low) || is_beyond_double(colon + 1))
        return bad(error, "within", is_beyond_double(low) ? low : colon + 1, "");
    if ((n > 0 && !parse_number(low, &p->within_lo)) ||
        (colon[1] && !parse_number(colon + 1, &p->within_hi)) || p->within_lo > p->within_hi)
        return bad(error, "within", argument, "LO:HI, LO: or :HI, with LO <= HI");
    return true;
}

static bool parse_range(struct options *o, const char *argument, struct ztio_error *error)
{
    char low[64];
    const char *colon = strchr(argument, ':');
    size_t n = colon ? (size_t)(colon - argument) : 0;
    if (!colon || n >= sizeof low)
        return bad(error, "range", argument, "LO:HI");
    memcpy(low, argument, n);
    low[n] = '\0';
    if (is_beyond_double(low) || is_beyond_double(colon + 1))
        return bad(error, "range", is_beyond_double(low) ? low : colon + 1, "");
    if (!parse_number(low, &o->params.range_lo) || !parse_number(colon + 1, &o->params.range_hi) ||
        o->params.range_lo > o->params.range_hi)
        return bad(error, "range", argument, "LO:HI, two numbers with LO <= HI");
    return true;
}

static bool parse_format(struct options *o, const char *argument, struct ztio_error *error)
{
    if (strcmp(argument, "zt") == 0)
        o->format = FORMAT_ZT;
    else if (strcmp(argument, "zfp") == 0)
        o->format = FORMAT_ZFP;
    else if (strcmp(argument, "ndzip") == 0)
        o->format = FORMAT_NDZIP;
    else
        return bad(error, "format", argument, "zt, zfp or ndzip");
    return true;
}

static bool parse_word_bits(struct options *o, const char *argument, struct ztio_error *error)
{
    uint64_t bits;
    if (!parse_count(argument, &bits) || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
        return bad(error, "zfp-word-bits", argument, "8, 16, 32 or 64");
    o->zfp_word_bits = (uint32_t)bits;
    zt_params_set_zfp_words(&o->params, o->zfp_word_bits);
    return true;
}

static bool take_mean(struct options *o, int option, const char *argument, struct ztio_error *error)
{
    const zt_bound_kind kind = option == OPT_RMSE       ? ZT_RMSE
                               : option == OPT_RMSE_REL ? ZT_RMSE_REL
                               : option == OPT_MAE      ? ZT_MAE
                                                        : ZT_MAE_REL;
    double v = 0;
    if (!parse_number(argument, &v) || v < 0)
        return bad(error, name_of_bound(kind), argument, "a number of at least 0");
    return set_bound(o, zt_bound_of(kind, v), error);
}

static bool take_bound(struct options *o, int option, const char *argument,
                       struct ztio_error *error)
{
    double v = 0;
    uint64_t planes;
    switch (option) {
    case OPT_ABS:
    case OPT_REL:
        if (!parse_number(argument, &v) || v < 0)
            return bad(error, option == OPT_ABS ? "abs" : "rel", argument,
                       "a number of at least 0");
        return set_bound(o, option == OPT_ABS ? zt_abs(v) : zt_rel(v), error);
    case OPT_PWREL:
        if (!parse_number(argument, &v) || v < 0 || v >= 1)
            return bad(error, "pwrel", argument, "a number of at least 0 and below 1");
        return set_bound(o, zt_pwrel(v), error);
    case OPT_PSNR:
        if (!parse_number(argument, &v) || v <= 0)
            return bad(error, "psnr", argument, "a number of dB above 0");
        return set_bound(o, zt_psnr(v), error);
    case OPT_RMSE:
    case OPT_RMSE_REL:
    case OPT_MAE:
    case OPT_MAE_REL: return take_mean(o, option, argument, error);
    case OPT_RATE:
        if (!parse_number(argument, &v) || v <= 0)
            return bad(error, "rate", argument, "a number of bits per value above 0");
        return set_bound(o, zt_rate(v), error);
    case OPT_PRECISION:
        if (!parse_count(argument, &planes) || planes < 1 || planes > 64)
            return bad(error, "precision", argument, "a number of bit planes in 1..64");
        return set_bound(o, zt_precision((uint32_t)planes), error);
    case OPT_LOSSLESS: return set_bound(o, zt_lossless(), error);
    default: return parse_expert(o, argument, error);
    }
}

static bool take_array(struct options *o, int option, const char *argument,
                       struct ztio_error *error)
{
    if (option == 't') {
        o->hints.type = ztio_type_of_name(argument);
        return o->hints.type || bad(error, "type", argument, "f32, f64, i32 or i64");
    }
    return ztio_parse_shape(argument, &o->hints.rank, o->hints.shape) ||
           bad(error, "shape", argument,
               "1 to 4 extents such as 512x512x128, slowest first; only the first may be ?");
}

static bool take_slab_bytes(struct options *o, const char *argument, struct ztio_error *error)
{
    o->has_slab_bytes = true;
    return (parse_bytes(argument, &o->params.slab_bytes) && o->params.slab_bytes > 0) ||
           bad(error, "slab-bytes", argument, "a number of bytes such as 1048576, 64M or 1G");
}

static bool take_memory_limit(const char *argument, struct ztio_error *error)
{
    uint64_t bytes;
    if (!parse_bytes(argument, &bytes) || bytes == 0)
        return bad(error, "memory-limit", argument, "a number of bytes such as 500M or 4G");
    limit_memory(bytes);
    return true;
}

static bool take_header(struct options *o, const char *argument, struct ztio_error *error)
{
    o->zfp_header = strcmp(argument, "on") == 0;
    return o->zfp_header || strcmp(argument, "off") == 0 ||
           bad(error, "zfp-header", argument, "on or off");
}

static bool take_index(struct options *o, int option, const char *argument,
                       struct ztio_error *error)
{
    uint64_t count;
    if (option == OPT_INDEX) {
        for (uint32_t kind = ZT_INDEX_NONE; kind <= ZT_INDEX_COMPACT; kind++)
            if (strcmp(argument, name_of_index(kind)) == 0) {
                o->params.index = kind;
                return true;
            }
        return bad(error, "index", argument, "none, offsets, lengths, hybrid or compact");
    }
    const bool is_chunk = option == OPT_INDEX_CHUNK;
    const uint64_t most = is_chunk ? UINT64_C(1) << 30 : UINT64_C(1) << 16;
    if (!parse_count(argument, &count) || count < 1 || count > most)
        return bad(error, is_chunk ? "index-chunk" : "index-partition", argument,
                   is_chunk ? "a number of tiles in 1..2^30" : "a number of chunks in 1..65536");
    *(is_chunk ? &o->params.index_chunk : &o->params.index_partition) = (uint32_t)count;
    return true;
}

static bool take_codec(struct options *o, const char *argument, struct ztio_error *error)
{
    for (uint32_t codec = ZT_CODEC_AUTO; codec <= ZT_CODEC_SZ; codec++)
        if (strcmp(argument, name_of_codec(codec)) == 0) {
            o->params.codec = codec;
            return true;
        }
    return bad(error, "codec", argument, "auto, zfp, ndzip or sz");
}

/* One of some words, by its number. */
static bool take_word(const char *name, const char *const *words, uint32_t count,
                      const char *argument, uint32_t *value, const char *wanted,
                      struct ztio_error *error)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(argument, words[i]) == 0) {
            *value = i;
            return true;
        }
    return bad(error, name, argument, wanted);
}

static bool take_plan(struct options *o, int option, const char *argument, struct ztio_error *error)
{
    static const char *const plans[] = {"off", "on", "tight"};
    static const char *const preferences[] = {"ratio", "speed", "balanced"};
    if (option == OPT_PLAN)
        return take_word("plan", plans, 3, argument, &o->params.plan, "on, off or tight", error);
    return take_word("prefer", preferences, 3, argument, &o->params.prefer,
                     "ratio, speed or balanced", error);
}

static bool take_effort(struct options *o, const char *argument, struct ztio_error *error)
{
    if (strcmp(argument, "paper") == 0)
        return fail(error, ZTIO_BAD_USE, "--effort paper is now --method cusz");
    for (uint32_t effort = ZT_EFFORT_FAST; effort <= ZT_EFFORT_HIGH; effort++)
        if (strcmp(argument, name_of_effort(effort)) == 0) {
            o->params.effort = effort;
            return true;
        }
    return bad(error, "effort", argument, "fast, default or high");
}

static bool take_bins(struct options *o, const char *argument, struct ztio_error *error)
{
    uint64_t bins;
    if (!parse_count(argument, &bins) || bins < 4 || bins > 65536 || bins % 2)
        return bad(error, "sz-bins", argument, "an even number in 4..65536");
    o->sz_bins = (uint32_t)bins;
    return true;
}

static bool take_method(struct options *o, const char *argument, struct ztio_error *error)
{
    o->has_method = strcmp(argument, "cusz") == 0;
    o->has_transform = strcmp(argument, "transform") == 0;
    o->has_multiples = strcmp(argument, "multiples") == 0;
    o->has_prediction = strcmp(argument, "prediction") == 0;
    return o->has_method || o->has_transform || o->has_multiples || o->has_prediction ||
           strcmp(argument, "default") == 0 ||
           bad(error, "method", argument, "default, prediction, multiples, cusz or transform");
}

static bool take_var(struct options *o, const char *argument, struct ztio_error *error)
{
    if (o->vars == MAX_VARS)
        return fail(error, ZTIO_BAD_USE, "--var: more than %d of them; '*' stands for the rest",
                    MAX_VARS);
    if (!argument[0] || argument[0] == ':')
        return bad(error, "var", argument, "NAME or NAME:BOUND, such as temp:abs=0.01");
    o->var[o->vars++] = argument;
    return true;
}

static bool take_fill(struct options *o, const char *argument, struct ztio_error *error)
{
    double v;
    if (!parse_number(argument, &v))
        return fail(error, ZTIO_BAD_USE,
                    "--fill: '%s' is no number%s; NaN and infinities are kept anyway", argument,
                    is_beyond_double(argument) ? " that a double holds" : "");
    if (o->fills == ZT_MAX_FILLS)
        return fail(error, ZTIO_BAD_USE, "--fill: more than %d fill values; leave some out",
                    ZT_MAX_FILLS);
    o->fill[o->fills++] = v;
    return true;
}

/* M or M,R */
static bool take_merge(struct options *o, const char *argument, struct ztio_error *error)
{
    unsigned m = 0, r = ZT_REDUCTION_AUTO;
    char end;
    const int n = sscanf(argument, "%2u,%1u%c", &m, &r, &end);
    const bool has_r = strchr(argument, ',') != NULL;
    if (n != 1 + has_r || m < 10 || m > 12 || (has_r && r > 4) ||
        argument[strspn(argument, "0123456789,")])
        return bad(error, "merge", argument, "M or M,R with M from 10 to 12 and R from 0 to 4");
    o->magnitude = m;
    o->reduction = r;
    return true;
}

static bool take(struct options *o, int option, const char *argument, struct ztio_error *error)
{
    switch (option) {
    case 'o': o->out = argument; break;
    case 'f': o->force = true; break;
    case 'q': o->quiet = true; break;
    case 'v': o->verbose = true; break;
    case 'h': o->help = true; break;
    case OPT_HELP_ALL: o->help = o->help_all = true; break;
    case OPT_REMOVE: o->remove = o->sync = true; break;
    case 't':
    case 's': return take_array(o, option, argument, error);
    case OPT_RATE_ALIGN: o->params.bound.flags |= ZT_RATE_ALIGN; break;
    case OPT_RANGE: return parse_range(o, argument, error);
    case OPT_WITHIN: return parse_within(o, argument, error);
    case OPT_FILL: return take_fill(o, argument, error);
    case OPT_NO_FILL: o->no_fill = true; break;
    case OPT_ALLOW_NONFINITE: o->allow_nonfinite = true; break;
    case OPT_FORMAT: return parse_format(o, argument, error);
    case OPT_ZFP_HEADER: return take_header(o, argument, error);
    case OPT_ZFP_WORD_BITS: return parse_word_bits(o, argument, error);
    case OPT_NO_VERIFY: o->no_verify = true; break;
    case OPT_SLAB_BYTES: return take_slab_bytes(o, argument, error);
    case OPT_BOX: o->box = argument; break;
    case OPT_SALVAGE: o->salvage = true; break;
    case OPT_SALVAGE_FILL:
        o->salvage = o->has_salvage_fill = true;
        return parse_number(argument, &o->salvage_fill) ||
               bad(error, "salvage-fill", argument, "a number");
    case OPT_JSON: o->json = true; break;
    case OPT_CHECK: o->check = true; break;
    case OPT_SLICE: o->slice = argument; break;
    case OPT_INDEX:
    case OPT_INDEX_CHUNK:
    case OPT_INDEX_PARTITION: return take_index(o, option, argument, error);
    case OPT_INDEX_FILE: o->index_file = argument; break;
    case OPT_VAR: return take_var(o, argument, error);
    case OPT_BOUNDS: o->bounds = argument; break;
    case OPT_CODECS: o->codecs = argument; break;
    case OPT_PEERS:
        if (o->peer_files == MAX_PEERS)
            return fail(error, ZTIO_BAD_USE, "--peers: more than %d files; join some", MAX_PEERS);
        o->peer_file[o->peer_files++] = argument;
        break;
    case OPT_PLAN: o->has_plan = true; return take_plan(o, option, argument, error);
    case OPT_PREFER: return take_plan(o, option, argument, error);
    case OPT_EXPLAIN: o->explain = true; break;
    case OPT_DRY_RUN: o->dry_run = true; break;
    case OPT_MEMORY_LIMIT: return take_memory_limit(argument, error);
    case OPT_SYNC: o->sync = true; break;
    case OPT_SAVE: o->save = argument; break;
    case OPT_INDEX_STUDY: o->index_study = true; break;
    case OPT_STAGES: o->stages = true; break;
    case OPT_DISTORTION: o->distortion = true; break;
    case OPT_HUFFMAN: o->huffman = true; break;
    case OPT_LINK: o->link = argument; break;
    case 'd': o->decode = true; break;
    case OPT_SYMBOLS: o->symbols = argument; break;
    case OPT_MERGE: return take_merge(o, argument, error);
    case OPT_END_TO_END: o->end_to_end = true; break;
    case 'c': return take_codec(o, argument, error);
    case OPT_EFFORT: return take_effort(o, argument, error);
    case OPT_METHOD: return take_method(o, argument, error);
    case OPT_SZ_BINS: return take_bins(o, argument, error);
    case 'x': return parse_exec(&o->exec, argument, error);
    case OPT_ISA: return parse_isa(&o->exec, argument, error);
    default: return take_bound(o, option, argument, error);
    }
    return true;
}

enum { LONG_OPTIONS = 64 }; /* at most, of a subcommand, and their end */

/* The options of a subcommand as getopt_long wants them. */
static void list(const struct option_rule *rule, struct option *long_options, char *letters)
{
    int n = 0;
    *letters++ = ':'; /* a missing argument is told apart from an unknown option */
    for (; rule->name || rule->text; rule++) {
        if (!rule->name || n == LONG_OPTIONS - 1)
            continue;
        long_options[n++] = (struct option){rule->name, rule->argument != NULL, NULL, rule->id};
        if (rule->id < 256) {
            *letters++ = (char)rule->id;
            if (rule->argument)
                *letters++ = ':';
        }
    }
    long_options[n] = (struct option){NULL, 0, NULL, 0};
    *letters = '\0';
}

static bool read_words(struct options *o, const struct page *page, int argc, char **argv,
                       struct ztio_error *error)
{
    struct option long_options[LONG_OPTIONS];
    char letters[2 * LONG_OPTIONS + 2];
    const char *name = page->name;
    list(page->options, long_options, letters);
    opterr = 0;
    optind = 1;
    for (int c; (c = getopt_long(argc, argv, letters, long_options, NULL)) != -1;) {
        if (c == ':')
            return fail(error, ZTIO_BAD_USE, "%s needs a value; see 'ztile %s --help'",
                        argv[optind - 1], name);
        /* optopt: the letter that is unknown, or what a known word stands for */
        if (c == '?' && optopt && (optopt > 255 || strchr(letters, optopt)))
            return fail(error, ZTIO_BAD_USE, "%s: the option takes no value; see 'ztile %s --help'",
                        argv[optind - 1], name);
        if (c == '?' && optopt)
            return fail(error, ZTIO_BAD_USE, "%s has no option -%c; see 'ztile %s --help'", name,
                        optopt, name);
        if (c == '?')
            return fail(error, ZTIO_BAD_USE, "%s has no option %s; see 'ztile %s --help'", name,
                        argv[optind - 1], name);
        if (!take(o, c, optarg, error))
            return false;
        if (o->help)
            return true;
    }
    o->operands_all = argv + optind; /* getopt has moved them behind the options */
    for (; optind < argc; optind++, o->operands++)
        if (o->operands < 2)
            o->operand[o->operands] = argv[optind];
    return true;
}

/* What is wrong with the options taken together. */
static bool check_together(const struct options *o, struct ztio_error *error)
{
    const zt_params *p = &o->params;
    if (o->sz_bins && !o->has_method)
        return fail(error, ZTIO_BAD_USE, "--sz-bins is of --method cusz; add it");
    if (o->salvage && o->box)
        return fail(error, ZTIO_BAD_USE,
                    "--salvage writes the whole array; leave out --box, and cut it from the "
                    "result");
    if (o->command == CMD_DECOMPRESS && o->json && !o->salvage)
        return fail(error, ZTIO_BAD_USE, "decompress has --json with --salvage only; leave it out");
    if (o->stages && (o->index_study || o->codecs || o->peer_files || o->out))
        return fail(error, ZTIO_BAD_USE, "--stages is a table of its own; leave out %s",
                    o->index_study  ? "--index-study"
                    : o->codecs     ? "--codecs"
                    : o->peer_files ? "--peers"
                                    : "-o");
    if (o->decode && (o->symbols || o->magnitude))
        return fail(error, ZTIO_BAD_USE, "-d finds in the file what symbols are; leave out %s",
                    o->symbols ? "--symbols" : "--merge");
    if (o->huffman + o->stages + o->index_study + o->distortion + o->end_to_end +
            (o->link != NULL) >
        1)
        return fail(error, ZTIO_BAD_USE,
                    "--distortion, --end-to-end, --huffman, --link, --stages and --index-study are "
                    "benchmarks of "
                    "their own; give one");
    if (p->bound.flags & ZT_RATE_ALIGN && p->bound.kind != ZT_RATE)
        return fail(error, ZTIO_BAD_USE, "--rate-align goes with --rate only; leave it out");
    if (!isnan(p->range_lo) && !is_of_range(p))
        return fail(error, ZTIO_BAD_USE,
                    "--range goes with --rel, --psnr, --rmse-rel and --mae-rel only; leave it out");
    if (p->mean.kind != ZT_LOSSLESS && p->bound.kind != ZT_ABS && p->bound.kind != ZT_REL)
        return fail(error, ZTIO_BAD_USE,
                    "--%s stands alone or beside --abs or --rel; leave out --%s",
                    name_of_bound(p->mean.kind), name_of_bound(p->bound.kind));
    if ((o->format == FORMAT_NDZIP && p->codec == ZT_CODEC_ZFP) ||
        (o->format == FORMAT_ZFP && p->codec == ZT_CODEC_NDZIP))
        return fail(error, ZTIO_BAD_USE,
                    "--format names a bare stream of another codec than -c; leave one of them out");
    if (!(o->command & (CMD_COMPRESS | CMD_PLAN)) && o->has_bound && o->format != FORMAT_ZFP)
        return fail(error, ZTIO_BAD_USE,
                    "a bound describes a zfp stream that has no header: give --format zfp as "
                    "well, or leave the bound out");
    return true;
}

bool options_parse(struct options *o, const struct page *page, int argc, char **argv,
                   struct ztio_error *error)
{
    memset(o, 0, sizeof *o);
    const enum command command = o->command = page->command;
    o->zfp_header = true;
    o->zfp_word_bits = 64;
    o->exec.policy = ZT_OMP;
    o->exec.isa = ZT_ISA_AVX512; /* what the machine has of it */
    zt_status status = zt_params_init(&o->params, sizeof o->params);
    if (status != ZT_OK)
        return fail_zt(error, NULL, status, "ztile");
    if (command == CMD_COMPRESS || command == CMD_PLAN)
        o->params.plan = ZT_PLAN_ON;
    if (!read_words(o, page, argc, argv, error))
        return false;
    if (!o->help && (o->operands < page->least || o->operands > page->most))
        return fail(error, ZTIO_BAD_USE, "%s takes %s; see 'ztile %s --help'", page->name,
                    page->operands, page->name);
    if (o->params.mean.kind != ZT_LOSSLESS && !o->has_bound) {
        o->params.mean.flags |= o->params.bound.flags;
        o->params.bound = o->params.mean;
        o->params.mean = zt_lossless();
        o->has_bound = true;
    }
    if (o->has_method) {
        zt_params_set_sz(&o->params, ZT_SZ_CUSZ, o->sz_bins);
        if (o->params.codec == ZT_CODEC_AUTO)
            o->params.codec = ZT_CODEC_SZ;
        if (!o->has_plan)
            o->params.plan = ZT_PLAN_OFF; /* as published */
    }
    if (o->has_transform || o->has_multiples) {
        zt_params_set_sz(&o->params, o->has_transform ? ZT_SZ_TRANSFORM : ZT_SZ_MULTIPLES, 0);
        if (o->params.codec == ZT_CODEC_AUTO)
            o->params.codec = ZT_CODEC_SZ;
        if (!o->has_plan)
            o->params.plan = ZT_PLAN_OFF; /* it finds axes itself */
    }
    if (o->has_prediction) /* of any codec's race: auto leaves the transform out */
        zt_params_set_sz(&o->params, ZT_SZ_PREDICTION, 0);
    return o->help || check_together(o, error);
}
