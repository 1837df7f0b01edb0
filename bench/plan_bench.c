/* plan_bench.c: what planning finds, beside all that there is to be found.
 *
 *     plan_bench [--codec zfp|sz|ndzip] [--variants] [MODE] DATA [FIELD...]
 *
 * DATA holds MANIFEST.tsv and the fields it lists, some of them as .zst (zstd -dc is run). For each
 * field and relative bound (ndzip: lossless): bytes without a plan, with one, and with the best of
 * all orders of axes, all ways to join them and with sz all sets of axes to take differences along,
 * each of which is really compressed. --search only does that, and prints the best few of each;
 * its output, as --best FILE, saves others the search. --variants: also the field as it would be
 * declared with its axes reversed, with a useless axis of 1 or 2, and flat; beside the best of the
 * right declaration. --quick leaves the exhaustive search out.
 * --tight: 'off' is a plan, 'on' a tight one. --auto: 'off' is the best of all fixed choices of
 * codec and effort, each with a plan, 'on' is -c auto. --cost: the time of planning alone, beside
 * that of compressing without a plan; also of each field stacked to 64 MB and more. --speed: how
 * fast those are that -c auto chooses among, in turn and without a plan.
 * Times are CPU time of one thread. */
#include "frame/write/writer.h"
#include "plan/contest.h"
#include "plan/plans.h"
#include "plan/ways.h"
#include "ztile_quality.h"
#include "ztile_sz.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double bounds[] = {1e-2, 1e-3, 1e-4};

enum { BOUNDS = 3, VARIANTS = 9, NAME_BYTES = 128 };

struct field {
    char name[NAME_BYTES], stored[NAME_BYTES];
    zt_array array;
};

enum mode { PLAIN, QUICK, TIGHT, AUTO, COST, SEARCH, SPEED };

/* What the command line says. */
struct asked {
    enum mode mode;
    uint32_t codec;
    bool has_variants;
    const char *known; /* output of --search */
};

struct sums {
    double log_on, log_best, log_on_off; /* sums of logarithms of ratios of bytes */
    double worst_best, worst_off;
    double plan_seconds, off_seconds;
    unsigned count;
};

static void *need(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) {
        (void)fprintf(stderr, "plan_bench: no memory\n");
        exit(1);
    }
    return memory;
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static size_t array_bytes(const zt_array *a)
{
    size_t n = zt_type_bytes(a->type);
    for (uint32_t i = 0; i < a->rank; i++)
        n *= (size_t)a->shape[i];
    return n;
}

static void print_shape(uint32_t rank, const uint64_t *shape)
{
    for (uint32_t i = 0; i < rank; i++)
        printf("%s%llu", i ? "x" : "", (unsigned long long)shape[i]);
}

/* The axes in another order, C-contiguous memory of its own. */
static zt_array transposed(const zt_array *a, const uint32_t *axis)
{
    const size_t element = zt_type_bytes(a->type);
    uint64_t shape[ZT_MAX_RANK] = {0}, at[ZT_MAX_RANK] = {0};
    for (uint32_t k = 0; k < a->rank; k++)
        shape[k] = a->shape[axis[k]];
    char *data = need(array_bytes(a)), *to = data;
    uint32_t k;
    do {
        int64_t offset = 0;
        for (k = 0; k < a->rank; k++)
            offset += (int64_t)at[k] * a->stride[axis[k]];
        memcpy(to, (const char *)a->data + offset * (int64_t)element, element);
        to += element;
        for (k = a->rank; k-- > 0;) {
            if (++at[k] < shape[k])
                break;
            at[k] = 0;
        }
    } while (k < a->rank);
    return zt_array_nd(data, (zt_type)a->type, a->rank, shape);
}

static size_t compressed(const zt_array *a, const zt_params *params, double *cpu, zt_plan *plan)
{
    zt_context *context = NULL;
    size_t capacity = 0, n = 0;
    (void)zt_context_new(NULL, &context);
    zt_status status = zt_compress_bound(context, a, params, &capacity);
    void *out = need(capacity ? capacity : 1);
    const double began = seconds();
    if (!status)
        status = zt_compress(context, a, params, out, capacity, &n);
    *cpu = seconds() - began;
    zt_info info;
    (void)zt_info_init(&info, sizeof info);
    if (!status && plan)
        status = zt_inspect(context, out, n, &info);
    if (status) {
        (void)fprintf(stderr, "plan_bench: %s\n", zt_context_error(context));
        exit(1);
    }
    if (plan)
        (void)zt_info_plan(&info, plan);
    free(out);
    zt_context_free(context);
    return n;
}

/* ---- the exhaustive search ---- */

enum { TOP = 6 };

struct found {
    size_t bytes;
    struct zti_plan plan;
    bool has_axes;
    uint32_t axes;
};

/* The bytes of a file with all that planning may choose as it is given; out has room for it. */
static size_t compressed_as(zt_context *context, const zt_array *a, const zt_params *params,
                            const struct found *as, uint8_t *out, size_t capacity)
{
    const struct zti_choice choice = {.plan = as->plan,
                                      .found = {.has_axes = as->has_axes, .axes = as->axes}};
    struct zt_writer w;
    struct zti_array own;
    zt_status status = zti_array_check(context, a, ZTI_TO_READ, &own);
    if (!status)
        status = zti_writer_init(context, &own, params, &w);
    w.output.memory = out;
    w.output.memory_bytes = capacity;
    w.request.fixed = &choice;
    if (!status)
        status = zti_writer_measure(&w, &own);
    if (!status)
        status = zti_writer_put(&w, &own);
    if (!status)
        status = zti_writer_finish(&w);
    const size_t n = (size_t)w.output.at;
    zti_writer_clear(&w);
    if (status) {
        (void)fprintf(stderr, "plan_bench: %s\n", zt_context_error(context));
        exit(1);
    }
    return n;
}

/* The best few, the best first. */
static void keep(struct found *top, const struct found *one)
{
    uint32_t at = TOP;
    while (at > 0 && (top[at - 1].bytes == 0 || one->bytes < top[at - 1].bytes))
        at--;
    for (uint32_t i = TOP - 1; i > at; i--)
        top[i] = top[i - 1];
    if (at < TOP)
        top[at] = *one;
}

/* Compress an array under all plans, with sz along all sets of axes. */
static void search(const zt_array *a, zt_params params, struct found *top)
{
    static struct zti_plan list[ZTI_PLANS_MOST];
    zt_context *context = NULL;
    size_t capacity = 0;
    const uint32_t plans = zti_plans_of(a->rank, a->shape, list);
    memset(top, 0, TOP * sizeof *top);
    (void)zt_context_new(NULL, &context);
    params.plan = ZT_PLAN_ON;
    (void)zt_compress_bound(context, a, &params, &capacity);
    uint8_t *const out = need(capacity ? capacity : 1);
    for (uint32_t i = 0; i < plans; i++) {
        uint64_t coded[ZT_MAX_RANK];
        const uint32_t rank = zti_plan_shape(&list[i], a->shape, coded);
        const bool is_sz = params.codec == ZT_CODEC_SZ;
        for (uint32_t axes = is_sz ? 1 : 0; axes < (is_sz ? 1u << rank : 1); axes++) {
            struct found one = {.plan = list[i], .has_axes = is_sz, .axes = axes};
            one.bytes = compressed_as(context, a, &params, &one, out, capacity);
            keep(top, &one);
        }
    }
    free(out);
    zt_context_free(context);
}

/* "2,0+1 d3": axis 2, then axes 0 and 1 joined; differences along both. */
static void describe(const struct found *f, char *text)
{
    char *at = text;
    for (uint32_t k = 0; k < f->plan.rank; k++)
        at += sprintf(at, "%s%u", k == 0 ? "" : f->plan.is_joined[k] ? "+" : ",", f->plan.axis[k]);
    if (f->has_axes)
        (void)sprintf(at, " d%u", f->axes);
}

static void print_search(const char *name, double bound, const struct found *top)
{
    char text[NAME_BYTES];
    for (uint32_t i = 0; i < TOP && top[i].bytes > 0; i++) {
        describe(&top[i], text);
        printf("%-24s %7.0e %u %10zu %s\n", name, bound, i, top[i].bytes, text);
    }
    (void)fflush(stdout);
}

/* What a search found before, from a file of its output; 0 if it is not there. */
static size_t looked_up(const char *path, const char *name, double bound, char *text)
{
    char line[256], own[NAME_BYTES];
    FILE *in = fopen(path, "r");
    size_t best = 0;
    while (in && best == 0 && fgets(line, sizeof line, in)) {
        double value;
        unsigned rank;
        size_t bytes;
        int used = 0;
        if (sscanf(line, "%127s %lf %u %zu %n", own, &value, &rank, &bytes, &used) < 4 ||
            rank != 0 || strcmp(own, name) != 0 || fabs(value - bound) > 1e-3 * bound)
            continue;
        best = bytes;
        (void)snprintf(text, NAME_BYTES, "%.*s", (int)strcspn(line + used, "\n"), line + used);
    }
    if (in)
        (void)fclose(in);
    return best;
}

static size_t best_of_all(const struct field *f, const zt_params *params, const char *known,
                          char *text)
{
    struct found top[TOP];
    const size_t bytes = known ? looked_up(known, f->name, params->bound.value, text) : 0;
    if (bytes > 0)
        return bytes;
    search(&f->array, *params, top);
    describe(&top[0], text);
    return top[0].bytes;
}

/* ---- fields ---- */

static bool parse_row(char *line, struct field *f)
{
    char type[8], dims[64];
    static const struct {
        const char *name;
        zt_type type;
    } types[] = {{"f32", ZT_F32}, {"f64", ZT_F64}, {"i32", ZT_I32}, {"i64", ZT_I64}};
    if (sscanf(line, "%127s %127s %7s %63s", f->name, f->stored, type, dims) != 4)
        return false;
    zt_type t = (zt_type)0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0)
            t = types[i].type;
    uint64_t shape[ZT_MAX_RANK] = {0};
    uint32_t rank = 0;
    for (char *at = strtok(dims, "x"); at && rank < ZT_MAX_RANK; at = strtok(NULL, "x"))
        shape[rank++] = strtoull(at, NULL, 10);
    if (t == 0 || rank == 0)
        return false;
    f->array = zt_array_nd(NULL, t, rank, shape);
    return true;
}

static void load(const char *folder, struct field *f)
{
    char command[2 * NAME_BYTES + 512];
    const size_t n = array_bytes(&f->array), stored = strlen(f->stored);
    const bool is_packed = stored > 4 && strcmp(f->stored + stored - 4, ".zst") == 0;
    (void)snprintf(command, sizeof command, "%s '%s/%s'", is_packed ? "zstd -dcq" : "cat", folder,
                   f->stored);
    FILE *in = popen(command, "r");
    f->array.data = need(n);
    if (!in || fread(f->array.data, 1, n, in) != n) {
        (void)fprintf(stderr, "plan_bench: %s: cannot be read\n", f->stored);
        exit(1);
    }
    (void)pclose(in);
}

/* ---- variants of a declaration ---- */

static bool insert_axis(const zt_array *a, uint32_t at, uint64_t extent, zt_array *out)
{
    uint64_t shape[ZT_MAX_RANK] = {0};
    uint32_t rank = 0;
    if (a->rank == ZT_MAX_RANK)
        return false;
    for (uint32_t k = 0; k <= a->rank; k++) {
        if (k == at)
            shape[rank++] = extent;
        if (k < a->rank)
            shape[rank++] = a->shape[k];
    }
    const uint32_t cut = at == a->rank ? at - 1 : at + 1; /* whose extent is the less for it */
    if (shape[cut] % extent != 0)
        return false;
    shape[cut] /= extent;
    *out = zt_array_nd(a->data, (zt_type)a->type, rank, shape);
    return true;
}

/* Variant i of an array; memory of its own only if *is_own. False where there is none. */
static bool variant(const zt_array *a, uint32_t i, zt_array *out, bool *is_own, const char **name)
{
    static const char *const names[VARIANTS] = {"as it is", "reversed", "flat",  "1 first", "1 mid",
                                                "1 last",   "2 first",  "2 mid", "2 last"};
    static const uint32_t backwards[ZT_MAX_RANK][ZT_MAX_RANK] = {
        {0}, {1, 0}, {2, 1, 0}, {3, 2, 1, 0}};
    uint64_t values = 1;
    for (uint32_t k = 0; k < a->rank; k++)
        values *= a->shape[k];
    *name = names[i];
    *is_own = i == 1;
    *out = *a;
    if (i == 1 && a->rank > 1)
        *out = transposed(a, backwards[a->rank - 1]);
    else if (i == 2 && a->rank > 1)
        *out = zt_array_nd(a->data, (zt_type)a->type, 1, &values);
    else if (i >= 3)
        return insert_axis(a, (i % 3) * a->rank / 2, i < 6 ? 1 : 2, out);
    else
        return i == 0;
    return true;
}

static void add(struct sums *s, size_t off, size_t on, size_t best)
{
    const double to_best = (double)best / (double)on, to_off = (double)off / (double)on;
    s->log_on += log(to_best);
    s->log_on_off += log(to_off);
    if (s->count == 0 || to_best < s->worst_best)
        s->worst_best = to_best;
    if (s->count == 0 || to_off < s->worst_off)
        s->worst_off = to_off;
    s->count++;
}

/* What is compared with. */
static size_t baseline(const zt_array *a, zt_params params, enum mode mode, double *cpu)
{
    static const uint32_t fixed[][2] = {{ZT_CODEC_ZFP, ZT_EFFORT_DEFAULT},
                                        {ZT_CODEC_SZ, ZT_EFFORT_DEFAULT},
                                        {ZT_CODEC_SZ, ZT_EFFORT_FAST},
                                        {ZT_CODEC_SZ, ZT_EFFORT_HIGH},
                                        {ZT_CODEC_NDZIP, ZT_EFFORT_DEFAULT}};
    const bool is_lossless = params.bound.kind == ZT_LOSSLESS;
    size_t best = SIZE_MAX;
    params.plan = mode == PLAIN || mode == QUICK ? ZT_PLAN_OFF : ZT_PLAN_ON;
    if (mode != AUTO)
        return compressed(a, &params, cpu, NULL);
    for (size_t i = 0; i < (is_lossless ? 5 : 4); i++) {
        double own;
        params.codec = fixed[i][0];
        params.effort = fixed[i][1];
        const size_t n = compressed(a, &params, &own, NULL);
        if (n < best) {
            best = n;
            *cpu = own;
        }
    }
    return best;
}

/* The time of sz's first look at an array, which is a part of planning and else of coding. */
static double seconds_of_look(zt_context *context, const struct zti_array *a,
                              const struct zti_codec *codec, const struct zti_target *target)
{
    struct zti_estimator e;
    struct zti_seen seen;
    const double began = seconds();
    zt_status status = zti_estimator_open(context, a, codec, target, 0, &e);
    if (!status && codec->id == ZT_CODEC_SZ)
        status = zti_ways_look(&e, &seen);
    zti_estimator_free(&e);
    return status ? 0 : seconds() - began;
}

/* The least of some times of choosing a plan for an array, and of compressing it without one: the
 * part that planning takes of that, and the part without what sz would have looked at itself. */
static void run_cost(const struct field *f, const zt_array *a, zt_params params, const char *what)
{
    enum { TIMES = 7 };
    zt_context *context = NULL;
    double planning = DBL_MAX, coding = DBL_MAX, look = DBL_MAX;
    zt_stats stats;
    (void)zt_context_new(NULL, &context);
    (void)zt_stats_init(&stats, sizeof stats);
    (void)zt_scan(context, a, &stats);
    struct zti_array array;
    (void)zti_array_check(context, a, ZTI_TO_READ, &array);
    const struct zti_codec *codec = zti_codec_by_id(params.codec);
    struct zti_target target = {.params = &params,
                                .kind = ZT_ABS,
                                .min = stats.min,
                                .max = stats.max,
                                .abs_bound = params.bound.value * (stats.max - stats.min),
                                .special_values = stats.nan_values + stats.inf_values};
    if (params.bound.kind == ZT_LOSSLESS)
        target.kind = ZT_LOSSLESS;
    struct zti_choice *choice = need(sizeof *choice);
    for (uint32_t i = 0; i < TIMES; i++) {
        double own;
        const double began = seconds();
        (void)zti_plan_choose(context, &array, codec, &target, choice);
        planning = fmin(planning, seconds() - began);
        (void)compressed(a, &params, &own, NULL);
        coding = fmin(coding, own);
        look = fmin(look,
                    choice->found.has_axes ? seconds_of_look(context, &array, codec, &target) : 0);
    }
    printf("%-24s %7.0e %-9s %9.3f MB  planning %8.3f ms  coding %8.3f ms  part %.3f  added %.3f\n",
           f->name, params.bound.value, what, 1e-6 * (double)array_bytes(a), 1e3 * planning,
           1e3 * coding, planning / coding, fmax(0, planning - look) / coding);
    (void)fflush(stdout);
    free(choice);
    zt_context_free(context);
}

/* The field as often along its slowest axis as makes 64 MB. */
static void run_costs(const struct field *f, zt_params params)
{
    const size_t bytes = array_bytes(&f->array), times = (((size_t)64 << 20) + bytes - 1) / bytes;
    zt_array stack = f->array;
    stack.shape[0] *= times;
    stack.data = need(bytes * times);
    for (size_t i = 0; i < times; i++)
        memcpy((char *)stack.data + i * bytes, f->array.data, bytes);
    run_cost(f, &f->array, params, "as it is");
    run_cost(f, &stack, params, "stacked");
    free(stack.data);
}

/* Sums of logarithms of MB/s, of each of those that -c auto chooses among. */
struct speeds {
    double log_speed[2][ZTI_CANDIDATES_MOST]; /* without loss, with loss */
    unsigned count;
};

/* Those that take part under any preference. */
static uint32_t candidates_of(bool is_lossy, struct zti_candidate *list)
{
    struct zti_candidate others[ZTI_CANDIDATES_MOST];
    zt_params params;
    (void)zt_params_init(&params, sizeof params);
    uint32_t n = zti_candidates(ZT_F32, is_lossy, &params, list);
    params.prefer = ZT_PREFER_SPEED; /* where others take part */
    const uint32_t more = zti_candidates(ZT_F32, is_lossy, &params, others);
    for (uint32_t i = 0; i < more; i++)
        if (is_lossy && others[i].effort == ZT_EFFORT_FAST)
            list[n++] = others[i];
    return n;
}

/* In turn, the least of some times of each. */
static void run_speed(const struct field *f, zt_params params, struct speeds *speeds)
{
    enum { TIMES = 5 };
    const bool is_lossy = params.bound.kind != ZT_LOSSLESS;
    struct zti_candidate list[ZTI_CANDIDATES_MOST];
    double least[ZTI_CANDIDATES_MOST];
    const uint32_t n = candidates_of(is_lossy, list);
    for (uint32_t t = 0; t < TIMES; t++)
        for (uint32_t i = 0; i < n; i++) {
            double own;
            zt_params one = zti_params_for(&params, &list[i]);
            one.codec = list[i].codec;
            if (list[i].has_own_predictor) /* and nothing beside it */
                zt_params_set_sz(&one, ZT_SZ_PREDICTION, 0);
            (void)compressed(&f->array, &one, &own, NULL);
            least[i] = t == 0 ? own : fmin(own, least[i]);
        }
    for (uint32_t i = 0; i < n; i++)
        speeds->log_speed[is_lossy][i] += log(1e-6 * (double)array_bytes(&f->array) / least[i]);
    speeds->count += !is_lossy;
}

static void print_speeds(const struct speeds *speeds)
{
    for (uint32_t k = 0; k < 2; k++) {
        struct zti_candidate list[ZTI_CANDIDATES_MOST];
        const uint32_t n = candidates_of(k, list);
        const unsigned cases = speeds->count * (k ? BOUNDS : 1);
        for (uint32_t i = 0; i < n && cases > 0; i++)
            printf("# codec %u effort %u %s: %.0f MB/s, %u in the list of candidates\n",
                   list[i].codec, list[i].effort, k ? "with loss" : "without loss",
                   exp(speeds->log_speed[k][i] / cases), list[i].speed);
    }
}

static void run_search(const struct field *f, const zt_params *params)
{
    struct found top[TOP];
    search(&f->array, *params, top);
    print_search(f->name, params->bound.value, top);
}

static void run_bound(const struct field *f, zt_params params, const struct asked *asked,
                      struct sums *sums)
{
    char text[NAME_BYTES] = "";
    const enum mode mode = asked->mode;
    const bool has_variants = asked->has_variants;
    size_t best = mode != PLAIN ? 0 : best_of_all(f, &params, asked->known, text);
    for (uint32_t i = 0; i < (has_variants ? VARIANTS : 1); i++) {
        zt_array a;
        bool is_own;
        const char *name;
        double cpu_off, cpu_on;
        zt_plan plan;
        if (!variant(&f->array, i, &a, &is_own, &name))
            continue;
        const size_t off = baseline(&a, params, mode, &cpu_off);
        params.plan = mode == TIGHT ? ZT_PLAN_TIGHT : ZT_PLAN_ON;
        params.codec = mode == AUTO ? ZT_CODEC_AUTO : params.codec;
        const size_t on = compressed(&a, &params, &cpu_on, &plan);
        if (mode != PLAIN && i == 0)
            best = mode == QUICK ? on : off;
        printf("%-24s %7.0e %-9s ", f->name, params.bound.value, name);
        printf("off %8.2f on %8.2f best %8.2f  on/best %.3f  on/off %.3f  time %.2f  ",
               (double)array_bytes(&a) / (double)off, (double)array_bytes(&a) / (double)on,
               (double)array_bytes(&a) / (double)best, (double)best / (double)on,
               (double)off / (double)on, cpu_on / cpu_off);
        if (plan.rank)
            print_shape(plan.coded_rank, plan.coded_shape);
        else
            printf("-");
        printf("  %s\n", text);
        (void)fflush(stdout);
        add(&sums[i], off, on, best);
        sums[i].off_seconds += cpu_off;
        sums[i].plan_seconds += cpu_on;
        if (is_own)
            free(a.data);
    }
}

static void print_sums(const struct sums *sums)
{
    for (uint32_t i = 0; i < VARIANTS; i++) {
        const struct sums *s = &sums[i];
        if (s->count)
            printf("# variant %u, %u cases: on/best mean %.4f worst %.4f, on/off mean %.4f worst "
                   "%.4f, time on/off %.3f\n",
                   i, s->count, exp(s->log_on / s->count), s->worst_best,
                   exp(s->log_on_off / s->count), s->worst_off, s->plan_seconds / s->off_seconds);
    }
}

/* One option, the argument after which is 'value'; returns how many arguments it takes. */
static int take_option(const char *name, const char *value, struct asked *asked)
{
    static const char *const modes[] = {"--plain", "--quick",  "--tight", "--auto",
                                        "--cost",  "--search", "--speed"};
    for (uint32_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(name, modes[i]) == 0)
            asked->mode = (enum mode)i;
    asked->has_variants = asked->has_variants || strcmp(name, "--variants") == 0;
    if (strcmp(name, "--best") == 0 && value)
        asked->known = value;
    else if (strcmp(name, "--codec") == 0 && value)
        asked->codec = strcmp(value, "sz") == 0      ? ZT_CODEC_SZ
                       : strcmp(value, "ndzip") == 0 ? ZT_CODEC_NDZIP
                                                     : ZT_CODEC_ZFP;
    else
        return 1;
    return 2;
}

static void run_field(const struct field *f, const struct asked *asked, struct sums *sums,
                      struct speeds *speeds)
{
    const bool is_lossless = asked->codec == ZT_CODEC_NDZIP;
    zt_params params;
    (void)zt_params_init(&params, sizeof params);
    params.codec = asked->codec;
    params.bound = zt_lossless();
    if (asked->mode == SPEED && f->array.type == ZT_F32)
        run_speed(f, params, speeds);
    for (uint32_t b = 0; b < (is_lossless ? 1 : BOUNDS); b++) {
        params.bound = is_lossless ? zt_lossless() : zt_rel(bounds[b]);
        if (asked->mode == COST)
            run_costs(f, params);
        else if (asked->mode == SEARCH)
            run_search(f, &params);
        else if (asked->mode == SPEED && f->array.type == ZT_F32)
            run_speed(f, params, speeds);
        else if (asked->mode == SPEED)
            continue;
        else
            run_bound(f, params, asked, sums);
    }
}

int main(int argc, char **argv)
{
    struct asked asked = {.codec = ZT_CODEC_ZFP};
    int i = 1;
    while (i < argc && strncmp(argv[i], "--", 2) == 0)
        i += take_option(argv[i], i + 1 < argc ? argv[i + 1] : NULL, &asked);
    char path[512], line[1024];
    (void)snprintf(path, sizeof path, "%s/MANIFEST.tsv", i < argc ? argv[i] : ".");
    FILE *manifest = fopen(path, "r");
    if (!manifest) {
        (void)fprintf(stderr, "plan_bench: %s: cannot be read\n", path);
        return 1;
    }
    struct sums sums[VARIANTS] = {{0}};
    struct speeds speeds = {.count = 0};
    while (fgets(line, sizeof line, manifest)) {
        struct field f;
        if (!parse_row(line, &f))
            continue;
        bool is_wanted = i + 1 >= argc;
        for (int k = i + 1; k < argc; k++)
            is_wanted = is_wanted || strstr(f.name, argv[k]);
        if (!is_wanted)
            continue;
        load(argv[i], &f);
        run_field(&f, &asked, sums, &speeds);
        free(f.array.data);
    }
    (void)fclose(manifest);
    print_sums(sums);
    print_speeds(&speeds);
    return 0;
}
