/* ztile_bench.c: ztile and libzfp on the same arrays in one run, one thread each.
 *
 * Arrays: sines and noise, by default 16 MB of each type in 1 to 4 dimensions; or a raw file.
 * Every row alternates the two codecs, verifies that streams and outputs are the same, and reports
 * the fastest run, the spread, and the median of the pairs' ratios. */
#include "bench.h"
#include "ztile_quality.h"
#include "ztile_expert.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

struct command {
    struct bench_options options;
    const char *csv, *json, *file;
    uint32_t type, rank; /* 0: all */
    const char *mode;    /* NULL: all */
    uint64_t shape[ZT_MAX_RANK];
    double megabytes;
    double noise;
    int cpu; /* -1: not pinned */
};

static const char help[] =
    "use: ztile_bench [options]\n"
    "  --csv FILE, --json FILE   write every number there\n"
    "  --pairs N        alternated runs of each codec (default 7)\n"
    "  --type T         f32, f64, i32 or i64 only\n"
    "  --rank N         N dimensions only\n"
    "  --mode M         rate, precision, accuracy or reversible only\n"
    "  --mb N           size of an array in MB (default 16)\n"
    "  --noise X        amplitude of the noise, of a field in [-4, 4] (default 1e-4)\n"
    "  --clock cpu|wall process time (default) or wall-clock time\n"
    "  --isa I          plain, avx2 or avx512: the most that ztile may use (default: all)\n"
    "  --cpu N          pin to this processor\n"
    "  --file F --type T --shape 512x512x128   a raw file instead, slowest axis first\n";

/* ---- arrays ---- */

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 11;
}

/* A sine along each axis and one across them, and uniform noise. Integers use the width that zfp
 * wants them to: |v| is at most 5, so they stay below 2^29 and 2^61. */
static void make_field(void *out, uint32_t type, uint32_t rank, const uint64_t *shape, double noise)
{
    uint64_t at[ZT_MAX_RANK] = {0}, n = 1, state = 1;
    static const double frequency[] = {0.021, 0.033, 0.047, 0.063};
    for (uint32_t i = 0; i < rank; i++)
        n *= shape[i];
    for (uint64_t k = 0; k < n; k++) {
        double v = 0, across = 0;
        for (uint32_t i = 0; i < rank; i++) {
            v += sin(frequency[i] * (double)at[i] + i);
            across += (double)at[i];
        }
        v += sin(0.011 * across) + noise * (ldexp((double)next_random(&state), -53) - 0.5);
        switch (type) {
        case ZT_F32: ((float *)out)[k] = (float)v; break;
        case ZT_F64: ((double *)out)[k] = v; break;
        case ZT_I32: ((int32_t *)out)[k] = (int32_t)(v * 67108864); break;
        default: ((int64_t *)out)[k] = (int64_t)ldexp(v, 58); break;
        }
        for (uint32_t i = rank; i-- > 0 && ++at[i] == shape[i];)
            at[i] = 0;
    }
}

/* Shapes of about 'values' values, none a multiple of what a cache would alias on. */
static void pick_shape(uint32_t rank, double values, uint64_t *shape)
{
    static const uint64_t inner[][3] = {{0}, {0}, {1020}, {124, 508}, {28, 60, 124}};
    double left = values;
    for (uint32_t i = 1; i < rank; i++) {
        shape[i] = inner[rank][i - 1];
        left /= (double)shape[i];
    }
    shape[0] = left >= 8 ? (uint64_t)left / 4 * 4 : 4;
}

static double range_of(const struct bench_case *c)
{
    zt_array a = zt_array_const_nd(c->data, (zt_type)c->type, c->rank, c->shape);
    zt_stats s;
    zt_stats_init(&s, sizeof s);
    if (zt_scan(NULL, &a, &s) != ZT_OK)
        return NAN;
    return s.max - s.min;
}

/* ---- rows ---- */

struct setting {
    enum bench_mode mode;
    double value; /* accuracy: of the range */
    const char *name;
};

/* What is measured for a type: accuracy means nothing for integers (all planes are coded). */
static uint32_t settings_of(uint32_t type, struct setting *out)
{
    bool is_float = type == ZT_F32 || type == ZT_F64;
    uint32_t n = 0;
    out[n++] = (struct setting){BENCH_RATE, 8, "rate"};
    out[n++] = (struct setting){BENCH_RATE, 16, "rate"};
    out[n++] = (struct setting){BENCH_PRECISION, 16, "precision"};
    out[n++] = (struct setting){BENCH_PRECISION, 24, "precision"};
    if (is_float)
        out[n++] = (struct setting){BENCH_ACCURACY, 1e-3, "accuracy"};
    out[n++] = (struct setting){BENCH_REVERSIBLE, 0, "reversible"};
    return n;
}

enum { MOST_ROWS = 128 };

/* All modes on one array. */
static bool run_array(const struct command *cmd, struct bench_case *c, struct bench_result *rows,
                      size_t *n)
{
    struct setting settings[8];
    uint32_t count = settings_of(c->type, settings);
    double range = range_of(c);
    for (uint32_t i = 0; i < count && *n < MOST_ROWS; i++) {
        if (cmd->mode && strcmp(cmd->mode, settings[i].name) != 0)
            continue;
        c->mode = settings[i].mode;
        c->value = settings[i].value * (c->mode == BENCH_ACCURACY ? range : 1);
        if (!bench_run(&cmd->options, c, &rows[*n]))
            return false;
        bench_table_row(stdout, &rows[(*n)++]);
    }
    return true;
}

static bool run_made_up(const struct command *cmd, struct bench_result *rows, size_t *n)
{
    for (uint32_t type = ZT_F32; type <= ZT_I64; type++)
        for (uint32_t rank = 1; rank <= ZT_MAX_RANK; rank++) {
            if ((cmd->type && cmd->type != type) || (cmd->rank && cmd->rank != rank))
                continue;
            struct bench_case c = {.type = type, .rank = rank, .source = "sines"};
            double values = cmd->megabytes * 1e6 / (double)zt_type_bytes(type);
            uint64_t total = 1;
            pick_shape(rank, values, c.shape);
            for (uint32_t i = 0; i < rank; i++)
                total *= c.shape[i];
            c.raw_bytes = total * zt_type_bytes(type);
            void *data = malloc(c.raw_bytes);
            if (!data)
                return false;
            make_field(data, type, rank, c.shape, cmd->noise);
            c.data = data;
            bool ok = run_array(cmd, &c, rows, n);
            free(data);
            if (!ok)
                return false;
        }
    return true;
}

static bool run_file(const struct command *cmd, struct bench_result *rows, size_t *n)
{
    struct bench_case c = {.type = cmd->type, .rank = cmd->rank};
    const char *slash = strrchr(cmd->file, '/');
    uint64_t total = 1;
    snprintf(c.source, sizeof c.source, "%s", slash ? slash + 1 : cmd->file);
    memcpy(c.shape, cmd->shape, sizeof c.shape);
    for (uint32_t i = 0; i < c.rank; i++)
        total *= c.shape[i];
    c.raw_bytes = total * zt_type_bytes(c.type);
    void *data = malloc(c.raw_bytes ? c.raw_bytes : 1);
    FILE *f = fopen(cmd->file, "rb");
    bool ok = data && f && c.raw_bytes && fread(data, 1, c.raw_bytes, f) == c.raw_bytes;
    if (f)
        fclose(f);
    if (!ok)
        fprintf(stderr, "%s: cannot read %llu bytes; give --type and --shape\n", cmd->file,
                (unsigned long long)c.raw_bytes);
    c.data = data;
    ok = ok && run_array(cmd, &c, rows, n);
    free(data);
    return ok;
}

/* ---- command line ---- */

static uint32_t type_of(const char *name)
{
    static const char *const names[] = {"", "f32", "f64", "i32", "i64"};
    for (uint32_t i = 1; i <= ZT_I64; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return 0;
}

static bool parse(int argc, char **argv, struct command *cmd)
{
    if (argc % 2 == 0)
        return false;
    for (int i = 1; i < argc; i += 2) {
        const char *o = argv[i], *v = argv[i + 1];
        if (strcmp(o, "--csv") == 0)
            cmd->csv = v;
        else if (strcmp(o, "--json") == 0)
            cmd->json = v;
        else if (strcmp(o, "--pairs") == 0)
            cmd->options.pairs = (uint32_t)strtoul(v, NULL, 10);
        else if (strcmp(o, "--type") == 0)
            cmd->type = type_of(v);
        else if (strcmp(o, "--rank") == 0)
            cmd->rank = (uint32_t)strtoul(v, NULL, 10);
        else if (strcmp(o, "--mode") == 0)
            cmd->mode = v;
        else if (strcmp(o, "--mb") == 0)
            cmd->megabytes = strtod(v, NULL);
        else if (strcmp(o, "--noise") == 0)
            cmd->noise = strtod(v, NULL);
        else if (strcmp(o, "--clock") == 0)
            cmd->options.use_wall_clock = strcmp(v, "wall") == 0;
        else if (strcmp(o, "--isa") == 0) {
            for (cmd->options.isa = ZT_ISA_PLAIN;
                 cmd->options.isa <= ZT_ISA_AVX512 &&
                 strcmp(v, zt_isa_name((zt_isa)cmd->options.isa)) != 0;
                 cmd->options.isa++)
                ;
            if (cmd->options.isa > ZT_ISA_AVX512)
                return false;
        } else if (strcmp(o, "--cpu") == 0)
            cmd->cpu = atoi(v);
        else if (strcmp(o, "--file") == 0)
            cmd->file = v;
        else if (strcmp(o, "--shape") == 0)
            for (cmd->rank = 0; *v && cmd->rank < ZT_MAX_RANK; v += *v == 'x') {
                char *end;
                cmd->shape[cmd->rank++] = strtoull(v, &end, 10);
                if (end == v)
                    return false;
                v = end;
            }
        else
            return false;
    }
    return cmd->options.pairs >= 1 && cmd->options.pairs <= BENCH_MOST_PAIRS &&
           cmd->rank <= ZT_MAX_RANK && cmd->megabytes > 0;
}

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        fprintf(stderr, "cannot pin to processor %d, going on without\n", cpu);
}

int main(int argc, char **argv)
{
    struct command cmd = {
        .options = {.pairs = 7, .isa = ZT_ISA_AVX512}, .megabytes = 16, .noise = 1e-4, .cpu = -1};
    if (!parse(argc, argv, &cmd)) {
        bool is_asked = argc == 2 && strcmp(argv[1], "--help") == 0;
        fputs(help, is_asked ? stdout : stderr);
        return is_asked ? 0 : 1;
    }
    if (cmd.cpu >= 0)
        pin(cmd.cpu);
    struct bench_result *rows = calloc(MOST_ROWS, sizeof *rows);
    size_t n = 0;
    if (!rows)
        return 1;
    bench_table_head(stdout);
    bool ok = cmd.file ? run_file(&cmd, rows, &n) : run_made_up(&cmd, rows, &n);
    bench_closing_lines(stdout, rows, n);
    if (cmd.csv && !bench_write_csv(cmd.csv, rows, n)) {
        fprintf(stderr, "%s cannot be written\n", cmd.csv);
        ok = false;
    }
    if (cmd.json && !bench_write_json(cmd.json, &cmd.options, rows, n)) {
        fprintf(stderr, "%s cannot be written\n", cmd.json);
        ok = false;
    }
    free(rows);
    return ok ? 0 : 1;
}
