/* bounds_test.c: every bound of values and of the PSNR, with every codec, over all float fields of
 * real data, looked at by a checker of its own: long doubles and whole numbers, none of the
 * library's code.
 *
 *     bounds_test DATA_DIR [--short] [--only FIELD] [--kind rel|pwrel|psnr] [--codec NAME]
 *     [--table]
 *
 * rel 1e-1 .. 1e-8, pwrel 1e-1 .. 1e-4, psnr 40 .. 120 dB; each with sz (each effort that there is)
 * and zfp. Fields with NaN or fill values are taken as they are, the fill value of bcc_tos2d named.
 * --short takes fields below 2 MiB and every second bound. --table prints a line for each file:
 * ratio, largest error over the bound (psnr: dB above what was asked), seconds of processor time.
 * */
#include "support/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What bounds are meant for: 1 + 2^-62 stands for the last bits of long doubles. */
static const long double slack = 1 + 0x1p-62L;

struct codec {
    const char *name;
    uint32_t codec, effort;
};

static const struct codec codecs[] = {{"sz", ZT_CODEC_SZ, CODER_DEFAULT},
                                      {"sz-fast", ZT_CODEC_SZ, CODER_FAST},
                                      {"sz-cusz", ZT_CODEC_SZ, CODER_CUSZ},
                                      {"sz-high", ZT_CODEC_SZ, CODER_HIGH},
                                      {"zfp", ZT_CODEC_ZFP, 0}};

struct kind {
    const char *name;
    uint32_t kind;
    double first, factor, term; /* the next one is factor times it and term more */
    uint32_t count;
};

static const struct kind kinds[] = {{"rel", ZT_REL, 0.1, 0.1, 0, 8},
                                    {"pwrel", ZT_PWREL, 0.1, 0.1, 0, 4},
                                    {"psnr", ZT_PSNR, 40, 1, 20, 5}};

enum { CODECS = sizeof codecs / sizeof *codecs, KINDS = sizeof kinds / sizeof *kinds };

struct options {
    const char *dir, *only, *kind, *codec;
    bool is_short, has_table;
};

struct tally {
    uint64_t files, values, violations, lacking;
    double psnr_most[CODECS]; /* dB above what was asked */
};

/* A field, and what came back of it. */
struct trial {
    const struct field *field;
    zt_array array;
    unsigned char *back;
    uint64_t values;
    uint32_t fills;
    uint64_t fill;
    double min, max; /* of values that count */
};

static double number(const struct trial *t, const unsigned char *from, uint64_t i)
{
    float f;
    double d;
    if (t->field->type == ZT_F32) {
        memcpy(&f, from + 4 * i, sizeof f);
        return (double)f;
    }
    memcpy(&d, from + 8 * i, sizeof d);
    return d;
}

static bool counts(const struct trial *t, uint64_t i)
{
    const size_t element = zt_type_bytes(t->field->type);
    const unsigned char *at = (const unsigned char *)t->array.data + i * element;
    return isfinite(number(t, t->array.data, i)) &&
           !(t->fills > 0 && memcmp(at, &t->fill, element) == 0);
}

/* Look at each value; *worst is the largest error over what the bound lets it be, or for a PSNR
 * the dB that were reached. Returns how many are beyond it. */
static uint64_t check(const struct trial *t, const zt_bound *bound, double *worst)
{
    const size_t element = zt_type_bytes(t->field->type);
    const unsigned char *const raw = t->array.data;
    const long double range = (long double)t->max - (long double)t->min;
    long double squares = 0, most = 0;
    uint64_t beyond = 0, counted = 0;
    for (uint64_t i = 0; i < t->values; i++) {
        const unsigned char *const a = raw + i * element, *const b = t->back + i * element;
        if (!counts(t, i)) {
            beyond += memcmp(a, b, element) != 0;
            continue;
        }
        const long double x = (long double)number(t, raw, i);
        const long double d = fabsl(x - (long double)number(t, t->back, i));
        const long double limit =
            (long double)bound->value * (bound->kind == ZT_REL ? range : fabsl(x));
        counted++;
        squares += d * d;
        if (bound->kind == ZT_PSNR)
            continue;
        beyond += bound->kind == ZT_REL
                      ? !(d <= limit * slack)
                      : !is_within_part_exactly(t->field->type, a, b, bound->value);
        if (limit > 0 && d / limit > most)
            most = d / limit;
    }
    *worst = (double)most;
    if (bound->kind == ZT_PSNR && squares > 0) {
        *worst = (double)(-10 * log10l(squares / (long double)counted / range / range));
        beyond += *worst < bound->value;
    } else if (bound->kind == ZT_PSNR) {
        *worst = INFINITY;
    }
    return beyond;
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One file; a codec that lacks what is asked is counted. */
static void run_one(const struct trial *t, uint32_t codec, const zt_bound *bound, bool has_table,
                    struct tally *tally)
{
    zt_params p;
    size_t capacity, bytes;
    double worst = 0;
    (void)zt_params_init(&p, sizeof p);
    p.codec = codecs[codec].codec;
    set_coder(&p, codecs[codec].effort);
    p.bound = *bound;
    p.fills = t->fills;
    p.fill[0] = t->fill;
    const double begin = seconds_now();
    zt_status status = zt_compress_bound(NULL, &t->array, &p, &capacity);
    if (status == ZT_UNSUPPORTED) {
        tally->lacking++;
        return;
    }
    unsigned char *file = need(status ? 1 : capacity);
    if (!status)
        status = zt_compress(NULL, &t->array, &p, file, capacity, &bytes);
    const double packed = seconds_now();
    zt_array back = t->array;
    back.data = t->back;
    if (!status)
        status = zt_decompress(NULL, file, bytes, &back);
    const double unpacked = seconds_now();
    free(file);
    const uint64_t beyond = status ? t->values : check(t, bound, &worst);
    tally->files++;
    tally->values += t->values;
    tally->violations += beyond;
    if (beyond)
        printf("%s, %s, bound %u of %g: %s, %llu values are beyond it\n", t->field->name,
               codecs[codec].name, bound->kind, bound->value, zt_strerror(status),
               (unsigned long long)beyond);
    worst -= bound->kind == ZT_PSNR ? bound->value : 0;
    if (bound->kind == ZT_PSNR && isfinite(worst) && worst > tally->psnr_most[codec])
        tally->psnr_most[codec] = worst;
    if (beyond || !has_table)
        return;
    printf("%-22s %-8s %-5s %-6g ratio %8.2f  %s %8.4f  s %.2f %.2f\n", t->field->name,
           codecs[codec].name,
           bound->kind == ZT_REL    ? "rel"
           : bound->kind == ZT_PSNR ? "psnr"
                                    : "pwrel",
           bound->value, (double)(t->values * zt_type_bytes(t->field->type)) / (double)bytes,
           bound->kind == ZT_PSNR ? "dB above" : "of bound", worst, packed - begin,
           unpacked - packed);
    fflush(stdout);
}

static void run_bounds(const struct trial *t, const struct options *o, struct tally *tally)
{
    for (uint32_t k = 0; k < KINDS; k++) {
        double value = kinds[k].first;
        if (o->kind && strcmp(o->kind, kinds[k].name) != 0)
            continue;
        for (uint32_t i = 0; i < kinds[k].count; i++) {
            const zt_bound bound = zt_bound_of((zt_bound_kind)kinds[k].kind, value);
            value = value * kinds[k].factor + kinds[k].term;
            for (uint32_t c = 0; c < CODECS && (!o->is_short || i % 2 == 0); c++)
                if (!o->codec || strcmp(o->codec, codecs[c].name) == 0)
                    run_one(t, c, &bound, o->has_table, tally);
        }
    }
}

/* Returns false where the field cannot be read. */
static bool run_field(const struct field *f, const struct options *o, struct tally *tally)
{
    struct trial t = {.field = f, .values = values_of(f->rank, f->shape)};
    unsigned char *raw = load_field(o->dir, f);
    if (!raw)
        return false;
    t.array = zt_array_nd(raw, (zt_type)f->type, f->rank, f->shape);
    t.back = need(t.values * zt_type_bytes(f->type));
    if (strncmp(f->name, "bcc_tos2d", 9) == 0) {
        t.fills = 1;
        (void)zt_fill_bits((zt_type)f->type, 1e20, &t.fill);
    }
    t.min = t.max = NAN;
    for (uint64_t i = 0; i < t.values; i++) {
        const double v = number(&t, raw, i);
        if (!counts(&t, i))
            continue;
        t.min = t.min < v ? t.min : v;
        t.max = t.max > v ? t.max : v;
    }
    run_bounds(&t, o, tally);
    free(raw);
    free(t.back);
    return true;
}

static bool is_wanted(const struct field *f, const struct options *o)
{
    enum { SHORT_BYTES = 2 << 20 };
    const uint64_t bytes = values_of(f->rank, f->shape) * zt_type_bytes(f->type);
    return (f->type == ZT_F32 || f->type == ZT_F64) && (!o->is_short || bytes < SHORT_BYTES) &&
           (!o->only || strncmp(o->only, f->name, strlen(o->only)) == 0);
}

int main(int argc, char **argv)
{
    struct options o = {.dir = argc > 1 ? argv[1] : "."};
    struct tally tally = {.files = 0};
    char line[4096];
    for (int i = 2; i < argc; i++) {
        const bool has_next = i + 1 < argc;
        if (strcmp(argv[i], "--short") == 0)
            o.is_short = true;
        else if (strcmp(argv[i], "--table") == 0)
            o.has_table = true;
        else if (strcmp(argv[i], "--only") == 0 && has_next)
            o.only = argv[++i];
        else if (strcmp(argv[i], "--kind") == 0 && has_next)
            o.kind = argv[++i];
        else if (strcmp(argv[i], "--codec") == 0 && has_next)
            o.codec = argv[++i];
    }
    snprintf(line, sizeof line, "%s/MANIFEST.tsv", o.dir);
    FILE *manifest = fopen(line, "r");
    if (!manifest) {
        printf("SKIP: no real fields in %s (ZTILE_SHARED_DIR says where they are)\n", o.dir);
        return TEST_SKIPPED;
    }
    if (system("zstd --version >/dev/null 2>&1") != 0) {
        printf("SKIP: zstd is missing, and most fields are stored with it\n");
        fclose(manifest);
        return TEST_SKIPPED;
    }
    struct field f;
    unsigned fields = 0, unread = 0;
    while (fgets(line, sizeof line, manifest)) {
        if (!parse_field(line, &f) || !is_wanted(&f, &o))
            continue;
        fields++;
        if (!run_field(&f, &o, &tally)) {
            printf("%s: cannot be read, or is shorter than its shape\n", f.name);
            unread++;
        }
    }
    fclose(manifest);
    for (uint32_t i = 0; i < CODECS; i++)
        if (tally.psnr_most[i] > 0)
            printf("%s: at most %.3f dB above the PSNR asked for\n", codecs[i].name,
                   tally.psnr_most[i]);
    printf("%u fields, %llu files, %llu values looked at, %llu beyond a bound; %llu combinations "
           "are not in this version\n",
           fields, (unsigned long long)tally.files, (unsigned long long)tally.values,
           (unsigned long long)tally.violations, (unsigned long long)tally.lacking);
    return tally.violations || unread || tally.files == 0 ? 1 : 0;
}
