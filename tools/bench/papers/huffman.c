/* huffman.c: ztile bench --huffman: what Tian et al., "Revisiting Huffman Coding" (IPDPS 2021)
 * measure, on this machine: codebooks by alphabet (tables III and IV), encoding by merges over M
 * and r (II), beside earlier encoders on several texts (V), and by threads (VI). Without files the
 * texts are made: letters, words of a genome (k-mers), quantization codes; of a file it is the
 * bytes. With --exec cuda the library's columns are of the GPU, copies included. */
#include "bench/papers/papers.h"
#include "bench/papers/ways.h"

#include "store/bytes.h"
#include "util/errors.h"
#include "util/json.h"
#include "util/memory.h"
#include "util/numbers.h"
#include "util/table.h"

#include "ztile_expert.h"
#include "ztile_huffman.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_RUNS = 3, MOST_RUNS = 15, TEXT_SYMBOLS = 1 << 22, MOST_SYMBOLS = 1 << 26 };
static const double enough_seconds = 0.3;

/* Symbols of a text, and room to code them. */
struct text_of {
    char name[40];
    uint32_t alphabet, bytes; /* of a symbol as it is counted: 1, or 2 */
    size_t n;
    uint16_t *symbols;
    uint64_t counts[WAYS_ALPHABET];
    struct ways_book book;
    double bits; /* mean */
};

struct bench {
    const struct options *options;
    zt_context *context;
    struct json json;
    struct text_of text;
    uint64_t *starts; /* [MOST + 1] of ways.h */
    uint32_t *words;
    uint8_t *stream;
    size_t stream_room;
    double since, by[ZT_STAGES], least[ZT_STAGES]; /* seconds of the library's stages */
    zt_stage stage;
};

/* ---- times ----------------------------------------------------------------------------------- */

static void begin_stage(void *user, zt_stage stage)
{
    struct bench *const b = user;
    const double now = now_seconds();
    b->by[b->stage] += now - b->since;
    b->since = now;
    b->stage = stage;
}

/* The fastest of some runs of each stage of zt_huffman_encode; least[ZT_STAGE_OTHER] is of all.
 * magnitude 0: in parts. */
static bool time_library(struct bench *b, uint32_t magnitude, uint32_t reduction,
                         struct ztio_error *error)
{
    const struct text_of *t = &b->text;
    const double began = now_seconds();
    for (int run = 0; run < MOST_RUNS; run++) {
        size_t bytes;
        if (run >= LEAST_RUNS && now_seconds() - began > enough_seconds)
            break;
        memset(b->by, 0, sizeof b->by);
        const double start = b->since = now_seconds();
        b->stage = ZT_STAGE_OTHER;
        const zt_status status =
            magnitude
                ? zt_huffman_encode_merged(b->context, t->symbols, 2, t->n, t->alphabet, magnitude,
                                           reduction, b->stream, b->stream_room, &bytes)
                : zt_huffman_encode(b->context, t->symbols, 2, t->n, t->alphabet, b->stream,
                                    b->stream_room, &bytes);
        begin_stage(b, ZT_STAGE_OTHER);
        if (status != ZT_OK)
            return fail_zt(error, b->context, status, t->name);
        b->by[ZT_STAGE_OTHER] = b->since - start;
        for (int k = 0; k < ZT_STAGES; k++)
            b->least[k] = run == 0 || b->by[k] < b->least[k] ? b->by[k] : b->least[k];
    }
    return true;
}

/* The same of one of the earlier encoders. */
static double time_way(struct bench *b, uint64_t (*way)(const struct ways_book *, const uint16_t *,
                                                        size_t, uint64_t *, uint32_t *))
{
    const struct text_of *t = &b->text;
    const double began = now_seconds();
    double least = (double)INFINITY;
    for (int run = 0; run < MOST_RUNS; run++) {
        if (run >= LEAST_RUNS && now_seconds() - began > enough_seconds)
            break;
        memset(b->words, 0, 4 * (t->n + t->n / WAYS_CHUNK + 2));
        const double start = now_seconds();
        if (way(&t->book, t->symbols, t->n, b->starts, b->words) !=
            (uint64_t)(t->bits * (double)t->n + 0.5))
            return (double)NAN;
        least = fmin(least, now_seconds() - start);
    }
    return least;
}

static double rate_of(const struct text_of *t, double seconds)
{
    return 1e-9 * (double)t->bytes * (double)t->n / seconds;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static double next_uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ldexp((double)(*state >> 11) + 0.5, -53);
}

static bool count_text(struct text_of *t, struct ztio_error *error)
{
    memset(t->counts, 0, sizeof t->counts);
    for (size_t i = 0; i < t->n; i++)
        t->counts[t->symbols[i]]++;
    if (!ways_build(t->counts, t->alphabet, &t->book))
        return fail(error, ZTIO_LACKING, "%s: its tree has codes of more than 32 bits", t->name);
    t->bits = (double)ways_bits(&t->book, t->symbols, t->n) / (double)t->n;
    return true;
}

/* Two-sided geometric residuals around the middle: P(d) ~ ratio^|d|. */
static void draw_codes(struct text_of *t, uint32_t alphabet, double ratio)
{
    uint64_t state = 1;
    t->alphabet = alphabet;
    t->bytes = 2;
    const double zero = (1 - ratio) / (1 + ratio), most = alphabet / 2 - 1;
    for (size_t i = 0; i < t->n; i++) {
        const double d = next_uniform(&state) > zero
                             ? fmin(1 + floor(log(next_uniform(&state)) / log(ratio)), most)
                             : 0;
        t->symbols[i] = (uint16_t)(alphabet / 2 + (next_uniform(&state) < 0.5 ? d : -d));
    }
}

/* Bases that depend on the one before, A and T more often, k of them a symbol. */
static void draw_kmers(struct text_of *t, uint32_t k)
{
    static const double until[4] = {0.32, 0.50, 0.69, 1};
    uint64_t state = 2;
    uint32_t base = 0;
    t->alphabet = UINT32_C(1) << 2 * k;
    t->bytes = 2;
    for (size_t i = 0; i < t->n; i++) {
        uint32_t word = 0;
        for (uint32_t j = 0; j < k; j++) {
            const double u = next_uniform(&state);
            if (next_uniform(&state) > 0.15) /* else once more the same */
                for (base = 0; u > until[base];)
                    base++;
            word = word << 2 | base;
        }
        t->symbols[i] = (uint16_t)word;
    }
}

/* Letters as often as in English, and spaces. */
static void draw_letters(struct text_of *t)
{
    static const char letters[] = " etaoinshrdlucmwfgypbvkxjqz";
    static const double share[] = {.183, .102, .075, .065, .062, .057, .057, .053, .050,
                                   .050, .034, .033, .023, .023, .020, .018, .018, .016,
                                   .015, .015, .012, .008, .006, .001, .001, .001, 1};
    uint64_t state = 3;
    t->alphabet = 256;
    t->bytes = 1;
    for (size_t i = 0; i < t->n; i++) {
        double u = next_uniform(&state);
        uint32_t k = 0;
        while (k < sizeof letters - 2 && u > share[k])
            u -= share[k++];
        t->symbols[i] = (uint8_t)letters[k];
    }
}

enum { MADE_TEXTS = 7 };

static bool make_text(struct text_of *t, int which, struct ztio_error *error)
{
    static const uint32_t ks[] = {3, 4, 5, 8};
    t->n = TEXT_SYMBOLS;
    if (which == 0)
        draw_letters(t);
    else if (which < 5)
        draw_kmers(t, ks[which - 1]);
    else
        draw_codes(t, 1024, which == 5 ? 0.0098 : 0.6);
    if (which == 0)
        (void)snprintf(t->name, sizeof t->name, "letters");
    else if (which < 5)
        (void)snprintf(t->name, sizeof t->name, "DNA, k = %u", (unsigned)ks[which - 1]);
    else
        (void)snprintf(t->name, sizeof t->name, "quantization codes%s", which == 5 ? "" : ", wide");
    return count_text(t, error);
}

static bool read_text(struct text_of *t, const char *path, struct ztio_error *error)
{
    struct byte_source source;
    unsigned char *data;
    size_t n;
    if (!byte_source_open(&source, path, error))
        return false;
    const bool done = byte_source_slurp(&source, &data, &n, error);
    byte_source_close(&source);
    if (!done)
        return false;
    t->n = n < MOST_SYMBOLS ? n : MOST_SYMBOLS;
    t->alphabet = 256;
    t->bytes = 1;
    for (size_t i = 0; i < t->n; i++)
        t->symbols[i] = data[i];
    free(data);
    (void)snprintf(t->name, sizeof t->name, "%.39s",
                   strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    if (t->n == 0)
        return fail(error, ZTIO_BAD_DATA, "%s: is empty; there is nothing to code", path);
    return count_text(t, error);
}

/* ---- codebooks ------------------------------------------------------------------------------- */

/* Counts as of residuals in a field of 10^8 values, given as symbols: each at least once. */
static bool draw_alphabet(struct text_of *t, uint32_t alphabet, struct ztio_error *error)
{
    t->n = TEXT_SYMBOLS / 4;
    draw_codes(t, alphabet, exp(-24.0 / alphabet));
    for (uint32_t s = 0; s < alphabet; s++)
        t->symbols[s] = (uint16_t)s;
    (void)snprintf(t->name, sizeof t->name, "%u symbols", (unsigned)alphabet);
    return count_text(t, error);
}

static bool bench_books(struct bench *b, struct table *out, struct ztio_error *error)
{
    struct ways_book *const again = malloc(sizeof *again);
    if (!again)
        return fail(error, ZTIO_LACKING, "bench: no memory for a codebook");
    bool done = true;
    for (uint32_t alphabet = 256; done && alphabet <= 65536; alphabet *= 2) {
        double serial = (double)INFINITY;
        done = draw_alphabet(&b->text, alphabet, error) && time_library(b, 0, 0, error);
        for (int run = 0; done && run < MOST_RUNS; run++) {
            const double start = now_seconds();
            (void)ways_build(b->text.counts, alphabet, again);
            serial = fmin(serial, now_seconds() - start);
        }
        if (!done)
            break;
        const double own = b->least[ZT_STAGE_MODELS];
        table_row(out);
        table_cell(out, "%u", (unsigned)alphabet);
        table_cell(out, "%u", (unsigned)b->text.book.longest);
        table_cell(out, "%.1f", 1e6 * serial);
        table_cell(out, "%.1f", 1e6 * own);
        table_cell(out, "%.2f", serial / own);
        json_object(&b->json, NULL);
        json_count(&b->json, "alphabet", alphabet);
        json_number(&b->json, "serial_seconds", serial);
        json_number(&b->json, "seconds", own);
        json_close(&b->json);
    }
    free(again);
    return done;
}

/* ---- merges over M and r --------------------------------------------------------------------- */

static bool bench_merges(struct bench *b, struct table *out, struct ztio_error *error)
{
    for (uint32_t r = 4; r >= 2; r--) {
        const double breaking = ways_breaking(&b->text.book, b->text.symbols, b->text.n, r);
        table_row(out);
        table_cell(out, "%u", 1u << r);
        for (uint32_t m = 12; m >= 10; m--) {
            if (!time_library(b, m, r, error))
                return false;
            table_cell(out, "%.3f", rate_of(&b->text, b->least[ZT_STAGE_ENCODE]));
            json_object(&b->json, NULL);
            json_count(&b->json, "magnitude", m);
            json_count(&b->json, "reduction", r);
            json_number(&b->json, "breaking", breaking);
            json_number(&b->json, "gb_per_s", rate_of(&b->text, b->least[ZT_STAGE_ENCODE]));
            json_close(&b->json);
        }
        table_cell(out, "%.6f %%", 100 * breaking);
    }
    return true;
}

/* ---- encoders by text ------------------------------------------------------------------------ */

/* The paper's reduction factor for a mean length: units of half a word of 32 bits to a whole one.
 */
static uint32_t reduction_of(double bits)
{
    const double log2_mean = bits < 1 ? 0 : floor(log2(bits));
    return log2_mean < 4 ? 4 - (uint32_t)log2_mean : 0;
}

static bool bench_text(struct bench *b, struct table *out, struct table *stages,
                       struct ztio_error *error)
{
    struct text_of *const t = &b->text;
    const uint32_t r = reduction_of(t->bits);
    const double breaking = ways_breaking(&t->book, t->symbols, t->n, r);
    const double by_sum = time_way(b, ways_by_prefix_sum), by_chunks = time_way(b, ways_by_chunks);
    if (!time_library(b, 10, r, error))
        return false;
    const double merged = b->least[ZT_STAGE_ENCODE];
    if (!time_library(b, 0, 0, error))
        return false;
    const double parts = b->least[ZT_STAGE_ENCODE];
    table_row(out);
    table_cell(out, "%s", t->name);
    table_cell(out, "%.4f", t->bits);
    table_cell(out, "%u", (unsigned)r);
    table_cell(out, "%.4f %%", 100 * breaking);
    const double seconds[] = {by_sum, by_chunks, merged, parts};
    for (int k = 0; k < 4; k++)
        table_cell(out, "%.3f", rate_of(t, seconds[k]));
    table_row(stages);
    table_cell(stages, "%s", t->name);
    table_cell(stages, "%.3f", rate_of(t, b->least[ZT_STAGE_COUNT]));
    table_cell(stages, "%.1f", 1e6 * b->least[ZT_STAGE_MODELS]);
    table_cell(stages, "%.3f", rate_of(t, parts));
    table_cell(stages, "%.3f", rate_of(t, b->least[ZT_STAGE_OTHER]));
    static const char *const names[] = {"prefix_sum", "chunks", "merge", "parts"};
    json_object(&b->json, NULL);
    json_text(&b->json, "text", t->name);
    json_number(&b->json, "mean_bits", t->bits);
    json_count(&b->json, "reduction", r);
    json_number(&b->json, "breaking", breaking);
    for (int k = 0; k < 4; k++)
        json_number(&b->json, names[k], rate_of(t, seconds[k]));
    json_number(&b->json, "count", rate_of(t, b->least[ZT_STAGE_COUNT]));
    json_number(&b->json, "codebook_seconds", b->least[ZT_STAGE_MODELS]);
    json_number(&b->json, "all", rate_of(t, b->least[ZT_STAGE_OTHER]));
    json_close(&b->json);
    return true;
}

/* ---- threads --------------------------------------------------------------------------------- */

static bool bench_threads(struct bench *b, struct table *out, struct ztio_error *error)
{
    const long all = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t most = all > 1 ? (uint32_t)(all < 1024 ? all : 1024) : 1;
    double one = 0;
    for (uint32_t n = 1; n <= most; n = n < most && 2 * n > most ? most : 2 * n) {
        const zt_omp omp = {.threads = n};
        double rate[2];
        if (zt_context_set_omp(b->context, &omp) != ZT_OK)
            return true;
        for (int k = 0; k < 2; k++) {
            if (!time_library(b, k ? 10 : 0, ZT_REDUCTION_AUTO, error))
                return false;
            rate[k] = rate_of(&b->text, b->least[ZT_STAGE_ENCODE]);
        }
        one = n == 1 ? rate[0] : one;
        table_row(out);
        table_cell(out, "%u", (unsigned)n);
        table_cell(out, "%.3f", rate[0]);
        table_cell(out, "%.2f", rate[0] / one / n);
        table_cell(out, "%.3f", rate[1]);
        json_object(&b->json, NULL);
        json_count(&b->json, "threads", n);
        json_number(&b->json, "parts", rate[0]);
        json_number(&b->json, "merge", rate[1]);
        json_close(&b->json);
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static struct table *begin_table(int columns, const char *const *heads)
{
    struct table *t = calloc(1, sizeof *t);
    if (t)
        table_row(t);
    for (int i = 0; t && i < columns; i++)
        table_cell(t, "%s", heads[i]);
    return t;
}

static void end_table(struct bench *b, const char *title, struct table *t, bool is_shown)
{
    if (t && is_shown && !b->options->json) {
        print(stdout, "\n%s\n", title);
        table_print(t, stdout, 0x3fe);
    }
    free(t);
}

static bool bench_texts(struct bench *b, struct ztio_error *error)
{
    static const char *const heads[] = {
        "text", "bits", "r", "breaking", "prefix sum", "coarse chunks", "merge, M = 10", "parts"};
    static const char *const stage_heads[] = {"text", "count", "codebook us", "encode", "all"};
    struct table *out = begin_table(8, heads), *stages = begin_table(5, stage_heads);
    const int texts = b->options->operands ? b->options->operands : MADE_TEXTS;
    bool done = out && stages;
    for (int i = 0; done && i < texts; i++)
        done = (b->options->operands ? read_text(&b->text, b->options->operands_all[i], error)
                                     : make_text(&b->text, i, error)) &&
               bench_text(b, out, stages, error);
    end_table(b, "encoding, GB/s", out, done);
    end_table(b, "stages of zt_huffman_encode, GB/s", stages, done);
    return done;
}

static bool run(struct bench *b, struct ztio_error *error)
{
    static const char *const book_heads[] = {"symbols", "longest", "serial tree us",
                                             "GenerateCL, CW us", "times"};
    static const char *const merge_heads[] = {"codes a unit", "M = 12", "M = 11", "M = 10",
                                              "breaking"};
    static const char *const thread_heads[] = {"threads", "parts", "efficiency", "merge"};
    struct table *t = begin_table(5, book_heads);
    json_list(&b->json, "codebooks");
    bool done = t && bench_books(b, t, error);
    json_close_list(&b->json);
    end_table(b, "codebooks", t, done);
    json_list(&b->json, "merges");
    t = begin_table(5, merge_heads);
    done = done && t && make_text(&b->text, 5, error) && bench_merges(b, t, error);
    json_close_list(&b->json);
    end_table(b, "merges of quantization codes, GB/s", t, done);
    json_list(&b->json, "texts");
    done = done && bench_texts(b, error);
    json_close_list(&b->json);
    json_list(&b->json, "threads");
    t = begin_table(4, thread_heads);
    done = done && t && make_text(&b->text, 5, error) &&
           (zt_context_policy(b->context) == ZT_CUDA || bench_threads(b, t, error));
    json_close_list(&b->json);
    end_table(b, "threads, quantization codes, GB/s", t, done);
    return done;
}

static bool provide(struct bench *b, struct ztio_error *error)
{
    void *symbols, *starts, *words, *stream;
    const size_t n = b->options->operands ? MOST_SYMBOLS : TEXT_SYMBOLS;
    if (zt_huffman_bound(n, WAYS_ALPHABET, &b->stream_room) != ZT_OK)
        return false;
    if (!allocate(&symbols, n * sizeof *b->text.symbols, "bench", error))
        return false;
    b->text.symbols = symbols;
    if (!allocate(&starts, (n + 1) * sizeof *b->starts, "bench", error))
        return false;
    b->starts = starts;
    if (!allocate(&words, (n + n / WAYS_CHUNK + 2) * sizeof *b->words, "bench", error))
        return false;
    b->words = words;
    if (!allocate(&stream, b->stream_room, "bench", error))
        return false;
    b->stream = stream;
    return true;
}

bool run_bench_huffman(const struct options *o, struct ztio_error *error)
{
    struct execution serial = o->exec;
    struct bench *const b = calloc(1, sizeof *b);
    FILE *const nowhere = o->json ? NULL : fopen("/dev/null", "w");
    if (!b)
        return fail(error, ZTIO_LACKING, "bench: no memory; free some");
    b->options = o;
    if (serial.policy == ZT_OMP)
        serial.policy = ZT_SERIAL;
    bool done = context_open(&serial, &b->context, error) && provide(b, error);
    if (done) {
        (void)zt_context_set_stages(b->context, begin_stage, b);
        json_begin(&b->json, nowhere ? nowhere : stdout);
        json_text(&b->json, "version", zt_version());
        json_text(&b->json, "isa", zt_isa_name(zt_context_isa(b->context)));
        for (int i = 0; done && i < o->operands; i++) /* before minutes are spent */
            done = read_text(&b->text, o->operands_all[i], error);
        done = done && run(b, error);
        json_end(&b->json);
    }
    if (nowhere)
        (void)fclose(nowhere);
    free(b->text.symbols);
    free(b->starts);
    free(b->words);
    free(b->stream);
    zt_context_free(b->context);
    free(b);
    return done;
}
