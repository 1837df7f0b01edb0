/* end_to_end.c: ztile bench --end-to-end: an array from file to file and back by whole commands, in
 * turns: cp, ztile with each codec, and SZ3, zfp and zstd where they are on the PATH. What stands
 * beside the times is measured in this process: the codec in memory, read and write of the same
 * bytes, and a page fault.
 *
 * A process begins with the peak memory of the one that starts it. All that takes memory here is
 * therefore done by a child. */
#include "bench/end_to_end.h"

#include "bench/files.h"
#include "util/errors.h"
#include "util/memory.h"
#include "util/numbers.h"
#include "util/progress.h"
#include "util/table.h"
#include "ztile_quality.h"
#include "ztile_zfp.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { RUNS = 9, WORDS = 32, WAYS_MOST = 24, PATH_BYTES = 4096, MEMORY_RUNS = 5 };

/* Where a round of all commands takes more than LONG_SECONDS, there are LONG_RUNS. */
enum { LONG_SECONDS = 20, LONG_RUNS = 3 };

/* A way to compress. The words of its commands that are capital letters stand for others:
 * put_word. */
struct way {
    const char *name;
    const char *compress, *decompress;
    uint32_t codec, effort; /* of ztile; 0: another program's */
    bool has_bound;         /* the one asked for; else lossless, or 8 bits a value for zfp */
};

#define ZTILE_BACK "SELF decompress -q -x EXEC PACKED -o OUT"
#define ZTILE      "SELF compress -q -x EXEC IN -o PACKED -c "

static const struct way ways[] = {
    {"cp", "cp IN PACKED", "cp PACKED OUT", 0, 0, false},
    {"ndzip", ZTILE "ndzip", ZTILE_BACK, ZT_CODEC_NDZIP, 0, false},
    {"sz fast", ZTILE "sz --effort fast BOUND", ZTILE_BACK, ZT_CODEC_SZ, ZT_EFFORT_FAST, true},
    {"sz", ZTILE "sz BOUND", ZTILE_BACK, ZT_CODEC_SZ, ZT_EFFORT_DEFAULT, true},
    {"sz high", ZTILE "sz --effort high BOUND", ZTILE_BACK, ZT_CODEC_SZ, ZT_EFFORT_HIGH, true},
    {"zfp rate 8", ZTILE "zfp --rate 8", ZTILE_BACK, ZT_CODEC_ZFP, 0, false},
    {"zfp", ZTILE "zfp BOUND", ZTILE_BACK, ZT_CODEC_ZFP, 0, true},
    {"zfp command", "zfp LETTER EXTENTS -a TOLERANCE -i IN -z PACKED",
     "zfp LETTER EXTENTS -a TOLERANCE -z PACKED -o OUT", 0, 0, true},
    {"sz3 command", "sz3 LETTER -i IN -z PACKED EXTENTS -M ABS TOLERANCE",
     "sz3 LETTER -z PACKED -o OUT EXTENTS -M ABS TOLERANCE", 0, 0, true},
    {"zstd command", "zstd -q IN -o PACKED", "zstd -q -d PACKED -o OUT", 0, 0, false},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* A run of a command. */
struct spent {
    double seconds;   /* by the clock */
    double processor; /* user's and system's seconds, of all threads */
    double faults;
    double peak_bytes;
};

/* What is measured of a way with a number of threads; the child fills the last two. */
struct row {
    const struct way *way;
    char exec[16];
    struct spent compress[RUNS], decompress[RUNS];
    uint64_t packed_bytes;
    double codec_seconds[2]; /* in memory: compress, decompress */
};

/* In memory that a child shares. */
struct end_to_end {
    const struct options *options;
    char in[PATH_BYTES], packed[PATH_BYTES], out[PATH_BYTES], self[PATH_BYTES];
    zt_bound bound;
    char bound_words[CLI_TEXT_BYTES], tolerance[32];
    uint32_t type, rank;
    uint64_t shape[ZT_MAX_RANK];
    uint64_t raw_bytes;
    double read_seconds, write_seconds, fault_seconds; /* of all raw bytes; of a page */
    int rows, runs;
    struct row row[WAYS_MOST];
    bool is_done; /* by the child */
    struct ztio_error error;
};

/* ---- commands -------------------------------------------------------------------------------- */

struct command_line {
    int words;
    char *word[WORDS];
    char text[WORDS][64];
};

static void add_word(struct command_line *c, const char *word)
{
    if (c->words < WORDS - 1) {
        (void)snprintf(c->text[c->words], sizeof c->text[0], "%.60s", word);
        c->word[c->words] = c->text[c->words];
        c->words++;
    }
}

static void add_path(struct command_line *c, char *path)
{
    if (c->words < WORDS - 1)
        c->word[c->words++] = path;
}

static void put_word(struct end_to_end *e, const struct row *row, const char *word,
                     struct command_line *c)
{
    char text[32];
    if (strcmp(word, "SELF") == 0) {
        add_path(c, e->self);
    } else if (strcmp(word, "IN") == 0) {
        add_path(c, e->in);
    } else if (strcmp(word, "PACKED") == 0) {
        add_path(c, e->packed);
    } else if (strcmp(word, "OUT") == 0) {
        add_path(c, e->out);
    } else if (strcmp(word, "EXEC") == 0) {
        add_word(c, row->exec);
    } else if (strcmp(word, "TOLERANCE") == 0) {
        add_word(c, e->tolerance);
    } else if (strcmp(word, "LETTER") == 0) {
        add_word(c, e->type == ZT_F64 ? "-d" : "-f");
    } else if (strcmp(word, "BOUND") == 0) {
        (void)snprintf(text, sizeof text, "--%s", name_of_bound(e->bound.kind));
        add_word(c, text);
        add_word(c, e->bound_words);
    } else if (strcmp(word, "EXTENTS") == 0) { /* fastest first */
        (void)snprintf(text, sizeof text, "-%u", (unsigned)e->rank);
        add_word(c, text);
        for (uint32_t i = e->rank; i-- > 0;) {
            (void)snprintf(text, sizeof text, "%" PRIu64, e->shape[i]);
            add_word(c, text);
        }
    } else {
        add_word(c, word);
    }
}

static void make_command(struct end_to_end *e, const struct row *row, const char *template,
                         struct command_line *c)
{
    char word[64];
    c->words = 0;
    for (const char *at = template; *at; at += strspn(at, " ")) {
        const size_t n = strcspn(at, " ");
        (void)snprintf(word, sizeof word, "%.*s", (int)n, at);
        put_word(e, row, word, c);
        at += n;
    }
    c->word[c->words] = NULL;
}

static double seconds_of(const struct timeval *t)
{
    return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

/* Run a command with nothing to read and nowhere to write but its files. */
static bool run_command(struct command_line *c, struct spent *spent, struct ztio_error *error)
{
    posix_spawn_file_actions_t files;
    struct rusage usage;
    pid_t child;
    int status = 0;
    (void)posix_spawn_file_actions_init(&files);
    for (int fd = 0; fd < 3; fd++)
        (void)posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
    const double began = now_seconds();
    const int why = posix_spawnp(&child, c->word[0], &files, NULL, c->word, environ);
    (void)posix_spawn_file_actions_destroy(&files);
    if (why)
        return fail(error, ZTIO_LACKING, "%s: cannot be run: %s", c->word[0], strerror(why));
    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR)
        continue;
    *spent = (struct spent){now_seconds() - began,
                            seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime),
                            (double)usage.ru_minflt, 1024 * (double)usage.ru_maxrss};
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           fail(error, ZTIO_LACKING, "%s %s: fails with status %d; run it by hand to see why",
                c->word[0], c->words > 1 ? c->word[1] : "",
                WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static bool is_on_path(const char *command)
{
    char path[PATH_BYTES];
    const int bytes = (int)strcspn(command, " ");
    for (const char *at = getenv("PATH"); at && *at; at += *at == ':') {
        const int folder = (int)strcspn(at, ":");
        (void)snprintf(path, sizeof path, "%.*s/%.*s", folder, at, bytes, command);
        if (access(path, X_OK) == 0)
            return true;
        at += folder;
    }
    return false;
}

/* ---- what the child does --------------------------------------------------------------------- */

static zt_params params_of(const struct end_to_end *e, const struct way *way)
{
    zt_params params;
    (void)zt_params_init(&params, sizeof params);
    params.codec = way->codec;
    if (way->effort)
        params.effort = way->effort;
    params.plan = ZT_PLAN_ON;
    params.bound = way->has_bound               ? e->bound
                   : way->codec == ZT_CODEC_ZFP ? zt_rate(8)
                                                : zt_lossless();
    return params;
}

/* The fastest of some runs from memory to memory. */
static bool time_codec(struct row *row, const zt_array *array, const zt_array *back,
                       const zt_params *params, struct ztio_error *error)
{
    struct execution exec = {.policy = ZT_OMP, .isa = ZT_ISA_AVX512};
    zt_context *context = NULL;
    void *coded = NULL;
    size_t capacity = 0, bytes = 0;
    bool done = parse_exec(&exec, row->exec, error) && context_open(&exec, &context, error);
    zt_status status = done ? zt_compress_bound(context, array, params, &capacity) : ZT_OK;
    done = done && allocate(&coded, capacity, "end-to-end", error);
    row->codec_seconds[0] = row->codec_seconds[1] = (double)INFINITY;
    for (int i = 0; done && status == ZT_OK && i < MEMORY_RUNS; i++) {
        double seconds[2], began = now_seconds();
        status = zt_compress(context, array, params, coded, capacity, &bytes);
        seconds[0] = now_seconds() - began;
        began = now_seconds();
        if (status == ZT_OK)
            status = zt_decompress(context, coded, bytes, back);
        seconds[1] = now_seconds() - began;
        for (int k = 0; k < 2; k++)
            row->codec_seconds[k] = fmin(row->codec_seconds[k], seconds[k]);
    }
    if (done && status != ZT_OK)
        done = fail_zt(error, context, status, row->way->name);
    free(coded);
    zt_context_free(context);
    return done;
}

/* Read and write of all bytes by pieces through one buffer, and the first touch of a page. */
static bool time_system(struct end_to_end *e)
{
    enum { PIECE = 1 << 20, PAGES = 1 << 14, PAGE = 4096 };
    static char buffer[PIECE];
    e->read_seconds = e->write_seconds = e->fault_seconds = (double)INFINITY;
    for (int i = 0; i < MEMORY_RUNS; i++) {
        const int in = open(e->in, O_RDONLY), out = open(e->out, O_WRONLY | O_CREAT | O_EXCL, 0600);
        ssize_t n = 0;
        double began = now_seconds(), seconds;
        while (in >= 0 && (n = read(in, buffer, PIECE)) > 0)
            continue;
        e->read_seconds = fmin(e->read_seconds, now_seconds() - began);
        began = now_seconds();
        for (uint64_t left = e->raw_bytes; n >= 0 && left > 0; left -= (uint64_t)n)
            if ((n = write(out, buffer, left < PIECE ? (size_t)left : PIECE)) <= 0)
                return false;
        e->write_seconds = fmin(e->write_seconds, now_seconds() - began);
        (void)close(in);
        (void)close(out);
        (void)unlink(e->out);
        char *fresh = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (fresh == MAP_FAILED)
            return false;
        (void)madvise(fresh, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
        began = now_seconds();
        for (size_t k = 0; k < PAGES; k++)
            ((volatile char *)fresh)[k * PAGE] = 1;
        seconds = (now_seconds() - began) / PAGES;
        e->fault_seconds = fmin(e->fault_seconds, seconds);
        (void)munmap(fresh, (size_t)PAGES * PAGE);
    }
    return true;
}

static bool write_raw(const struct end_to_end *e, const struct bench_array *a,
                      struct ztio_error *error)
{
    struct ztio_bytes *file = ztio_bytes_create(e->in, NULL, error);
    if (!file)
        return false;
    if (ztio_bytes_write(file, a->values, (size_t)a->raw_bytes, error))
        return ztio_bytes_commit(file, error);
    ztio_bytes_abandon(file);
    return false;
}

/* The array to a raw file whose name says its type and shape; its range makes the tolerance. */
static bool take_array(void *user, struct bench_array *a, struct ztio_error *error)
{
    struct end_to_end *const e = user;
    char shape[CLI_TEXT_BYTES], folder[PATH_BYTES];
    zt_stats stats;
    const zt_array array = zt_array_nd(a->values, (zt_type)a->type, a->rank, a->shape);
    if (e->raw_bytes)
        return fail(error, ZTIO_BAD_USE, "--end-to-end takes one array");
    (void)zt_stats_init(&stats, sizeof stats);
    (void)zt_scan(NULL, &array, &stats);
    const double scale = e->bound.kind == ZT_REL ? stats.max - stats.min : 1;
    (void)snprintf(e->tolerance, sizeof e->tolerance, "%.17g", e->bound.value * scale);
    (void)snprintf(e->bound_words, sizeof e->bound_words, "%.17g", e->bound.value);
    e->type = a->type;
    e->rank = a->rank;
    memcpy(e->shape, a->shape, sizeof e->shape);
    e->raw_bytes = a->raw_bytes;
    (void)snprintf(folder, sizeof folder, "%.4000s", e->in);
    (void)snprintf(e->in, sizeof e->in, "%.3900s/field_%s.%s", folder,
                   ztio_format_shape(a->rank, a->shape, shape), ztio_name_of_type(a->type));
    (void)snprintf(e->packed, sizeof e->packed, "%.4000s/packed.zt", folder);
    (void)snprintf(e->out, sizeof e->out, "%.4000s/back.%s", folder, ztio_name_of_type(a->type));
    return write_raw(e, a, error);
}

static bool time_memory(void *user, struct bench_array *a, struct ztio_error *error)
{
    struct end_to_end *const e = user;
    const zt_array array = zt_array_nd(a->values, (zt_type)a->type, a->rank, a->shape);
    zt_array back = array;
    bool done = allocate(&back.data, a->raw_bytes, input_name(a->place), error) &&
                (time_system(e) ||
                 fail(error, ZTIO_IO_ERROR, "%s: cannot write: %s", e->out, strerror(errno)));
    for (int i = 0; done && i < e->rows; i++)
        if (e->row[i].way->codec) {
            const zt_params params = params_of(e, e->row[i].way);
            done = time_codec(&e->row[i], &array, &back, &params, error);
        }
    free(back.data);
    return done;
}

typedef bool take_function(void *user, struct bench_array *array, struct ztio_error *error);

static bool in_child(struct end_to_end *e, take_function *take, struct ztio_error *error)
{
    e->is_done = false;
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        e->is_done = bench_read_all(e->options, take, e, &e->error);
        _exit(0);
    }
    int status;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!e->is_done && e->error.exit_status)
        *error = e->error;
    return e->is_done || e->error.exit_status ||
           fail(error, ZTIO_LACKING, "end-to-end: a process has ended early");
}

/* ---- rows and tables ------------------------------------------------------------------------- */

static void add_row(struct end_to_end *e, const struct way *way, const char *exec)
{
    struct row *row = &e->row[e->rows++];
    row->way = way;
    (void)snprintf(row->exec, sizeof row->exec, "%s", exec);
}

static void choose_rows(struct end_to_end *e)
{
    char threads[16];
    const long all = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t asked = e->options->exec.omp.threads;
    const bool is_serial = e->options->exec.policy == ZT_SERIAL;
    (void)snprintf(threads, sizeof threads, "omp=%ld", asked ? (long)asked : all);
    for (const struct way *way = ways; way < ways + WAYS; way++) {
        const bool is_float = e->type == ZT_F32 || e->type == ZT_F64;
        if (!way->codec && ((way->has_bound && !is_float) || !is_on_path(way->compress)))
            continue;
        add_row(e, way, "serial");
        if (way->codec && !is_serial && (asked ? asked > 1 : all > 1))
            add_row(e, way, threads);
    }
}

static bool run_row(struct end_to_end *e, struct row *row, int run, struct ztio_error *error)
{
    struct command_line command;
    struct stat is;
    make_command(e, row, row->way->compress, &command);
    bool done = run_command(&command, &row->compress[run], error);
    if (done && stat(e->packed, &is) == 0)
        row->packed_bytes = (uint64_t)is.st_size;
    make_command(e, row, row->way->decompress, &command);
    done = done && run_command(&command, &row->decompress[run], error);
    if (done && (stat(e->out, &is) != 0 || (uint64_t)is.st_size != e->raw_bytes))
        done = fail(error, ZTIO_LACKING, "%s: does not bring all values back", row->way->name);
    (void)unlink(e->packed);
    (void)unlink(e->out);
    return done;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return values[n / 2];
}

/* Medians, and the largest memory. */
static struct spent middle(const struct spent *runs, int n)
{
    double seconds[RUNS], processor[RUNS], faults[RUNS], peak = 0;
    for (int i = 0; i < n; i++) {
        seconds[i] = runs[i].seconds;
        processor[i] = runs[i].processor;
        faults[i] = runs[i].faults;
        peak = fmax(peak, runs[i].peak_bytes);
    }
    return (struct spent){median(seconds, n), median(processor, n), median(faults, n), peak};
}

static void add_times(struct table *t, const struct spent *s, const struct spent *copied)
{
    table_cell(t, "%.3f", s->seconds);
    table_cell(t, "%.2f", s->seconds / copied->seconds);
    table_cell(t, "%.0f", 1e-6 * s->peak_bytes);
}

static void print_times(const struct end_to_end *e, struct table *t)
{
    static const char *const heads[] = {"codec",   "ratio",        "compress s", "times cp",
                                        "peak MB", "decompress s", "times cp",   "peak MB"};
    const struct spent copied[2] = {middle(e->row[0].compress, e->runs),
                                    middle(e->row[0].decompress, e->runs)};
    table_row(t);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        table_cell(t, "%s", heads[i]);
    for (const struct row *row = e->row; row < e->row + e->rows; row++) {
        const struct spent one = middle(row->compress, e->runs),
                           other = middle(row->decompress, e->runs);
        table_row(t);
        table_cell(t, "%s%s%s", row->way->name, row->way->codec ? ", " : "",
                   row->way->codec ? row->exec : "");
        table_cell(t, "%.2f", (double)e->raw_bytes / (double)row->packed_bytes);
        add_times(t, &one, &copied[0]);
        add_times(t, &other, &copied[1]);
    }
    table_print(t, stdout, 0xfe);
}

/* Milliseconds: the command's by the clock and of processors; of these what the codec takes in
 * memory, the copies between files and memory, and the faults. */
static void add_parts(const struct end_to_end *e, struct table *t, const struct row *row,
                      bool is_back)
{
    const struct spent s = middle(is_back ? row->decompress : row->compress, e->runs);
    const double part = (double)row->packed_bytes / (double)e->raw_bytes;
    table_row(t);
    table_cell(t, "%s %s, %s", is_back ? "decompress" : "compress", row->way->name, row->exec);
    table_cell(t, "%.0f", 1e3 * s.seconds);
    table_cell(t, "%.0f", 1e3 * s.processor);
    table_cell(t, "%.0f", 1e3 * row->codec_seconds[is_back]);
    table_cell(t, "%.0f",
               1e3 * (is_back ? part * e->read_seconds + e->write_seconds
                              : e->read_seconds + part * e->write_seconds));
    table_cell(t, "%.0f", 1e3 * s.faults * e->fault_seconds);
    table_cell(t, "%.0f", 1e3 * fmax(0, s.seconds - s.processor));
    table_cell(t, "%.0f", s.faults);
}

static void print_parts(const struct end_to_end *e, struct table *t)
{
    static const char *const heads[] = {"ms",     "clock",  "processors", "codec",
                                        "copies", "faults", "waiting",    "faults, number"};
    t->rows = t->columns = 0;
    table_row(t);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        table_cell(t, "%s", heads[i]);
    for (int k = 0; k < 2; k++)
        for (const struct row *row = e->row; row < e->row + e->rows; row++)
            if (row->way->codec)
                add_parts(e, t, row, k == 1);
    (void)printf("\nwhere the time goes\n");
    table_print(t, stdout, 0xfe);
}

/* ---- the benchmark --------------------------------------------------------------------------- */

/* Run all commands in turns. */
static bool run_rows(struct end_to_end *e, struct ztio_error *error)
{
    const double began = now_seconds();
    const uint64_t round = e->raw_bytes * (uint64_t)e->rows;
    struct progress progress;
    bool done = true;
    e->runs = RUNS;
    progress_begin(&progress, "bench", RUNS * round, e->options->quiet, NULL);
    progress.counts_steps = true;
    for (int run = 0; done && run < e->runs; run++) {
        for (int i = 0; done && i < e->rows; i++) {
            progress_slab(&progress, e->raw_bytes);
            done = run_row(e, &e->row[i], run, error);
        }
        if (run == 0 && now_seconds() - began > LONG_SECONDS) {
            e->runs = LONG_RUNS;
            progress.total_bytes = LONG_RUNS * round;
        }
    }
    progress_end(&progress);
    return done;
}

static bool measure(struct end_to_end *e, struct ztio_error *error)
{
    char size[CLI_TEXT_BYTES];
    struct table *t = calloc(1, sizeof *t);
    bool done = t || fail(error, ZTIO_LACKING, "end-to-end: no memory; free some");
    choose_rows(e);
    done = done && run_rows(e, error) && in_child(e, time_memory, error) && e->is_done;
    if (done) {
        print(stdout, "%s, %s, %s %s, in turns, medians of %d\n",
              input_name(e->options->operand[0]), format_size((double)e->raw_bytes, size),
              name_of_bound(e->bound.kind), e->bound_words, e->runs);
        (void)putchar('\n');
        print_times(e, t);
        print_parts(e, t);
    }
    free(t);
    return done;
}

/* A folder of its own for the files, below that of -o. */
static bool make_folder(struct end_to_end *e, struct ztio_error *error)
{
    const char *temporary = getenv("TMPDIR");
    const char *below = e->options->out ? e->options->out : temporary ? temporary : "/tmp";
    const ssize_t n = readlink("/proc/self/exe", e->self, sizeof e->self - 1);
    if (n <= 0)
        return fail(error, ZTIO_LACKING, "--end-to-end needs /proc to find ztile");
    (void)snprintf(e->in, sizeof e->in, "%.3800s/ztile-end-to-end.XXXXXX", below);
    return mkdtemp(e->in) || fail(error, ZTIO_IO_ERROR,
                                  "%s: cannot be made: %s; name a folder "
                                  "with -o",
                                  e->in, strerror(errno));
}

bool run_bench_end_to_end(const struct options *o, struct ztio_error *error)
{
    zt_bound bound[BENCH_BOUNDS];
    char folder[PATH_BYTES];
    int bounds = 0;
    if (!bench_parse_bounds(o->bounds ? o->bounds : "rel=1e-3", bound, &bounds, error))
        return false;
    if (bounds != 1 || bound[0].kind == ZT_LOSSLESS)
        return fail(error, ZTIO_BAD_USE, "--end-to-end takes one bound, --bounds rel=E or abs=E");
    struct end_to_end *e =
        mmap(NULL, sizeof *e, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (e == MAP_FAILED)
        return fail(error, ZTIO_LACKING, "end-to-end: no memory; free some");
    e->options = o;
    e->bound = bound[0];
    bool done = make_folder(e, error);
    memcpy(folder, e->in, sizeof folder);
    if (done) {
        done = in_child(e, take_array, error) && e->is_done && measure(e, error);
        (void)unlink(e->in);
        (void)unlink(e->packed);
        (void)unlink(e->out);
        (void)rmdir(folder);
    }
    (void)munmap(e, sizeof *e);
    return done;
}
