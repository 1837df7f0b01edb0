/* huffman_bench.c: entropy coding by itself, stage by stage, on one core.
 *
 *     huffman_bench [--msymbols N] [--runs N] [--alphabet N]
 *
 * Symbols are drawn from a two-sided geometric law around the middle of an alphabet (1024), as
 * residuals are, at several mean code lengths. Coding is by chunks of 4096 symbols in four parts,
 * as the format does.
 * Every row is the median of the runs in process CPU time, instances alternating; rates are in
 * 10^9 symbols a second; the last two columns are zt_huffman_encode and zt_huffman_decode. The
 * second table is the time of a codebook against its alphabet; the third is ANS as the sz codec's
 * effort 'high' has it, compiled for any machine: each symbol has one of 16 models by chance, in
 * streams of 65,536 symbols. */
#include "core/cpu.h"
#include "entropy/ans/mixed.h"
#include "entropy/huffman/huffman.h"
#include "ztile_huffman.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint32_t alphabet_size = 1024;

enum { CHUNK = 4096, PART = 1024, MOST_RUNS = 99, INSTANCES = 3 };

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, rising);
    return v[n / 2];
}

static void *need(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (!memory) {
        fprintf(stderr, "huffman_bench: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

static uint64_t random_state = 1;

static double uniform(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ldexp((double)(random_state >> 11) + 0.5, -53);
}

/* P(d) ~ ratio^|d|. */
static void draw(uint16_t *symbols, size_t n, double ratio)
{
    const double zero = (1 - ratio) / (1 + ratio);
    for (size_t i = 0; i < n; i++) {
        const double u = uniform();
        uint32_t d = 0;
        if (u > zero)
            d = 1 + (uint32_t)(log(uniform()) / log(ratio));
        const uint32_t most = alphabet_size / 2 - 1;
        d = d > most ? most : d;
        symbols[i] = (uint16_t)(alphabet_size / 2 + (uniform() < 0.5 ? d : 0u - d));
    }
}

struct work {
    size_t n;
    uint16_t *symbols, *out;
    uint8_t *coded;
    uint64_t *starts; /* of parts, in bits */
    struct zti_codebook book;
    struct zti_huffman_decoder decoder;
};

static void encode(struct work *w, uint32_t isa)
{
    struct zti_bit_writer writer = zti_bit_writer_at(w->coded);
    for (size_t p = 0; p < w->n / PART; p++) {
        w->starts[p] = zti_bits_written(&writer);
        zti_huffman_encode(&w->book, isa, w->symbols + p * PART, PART, &writer);
    }
    w->starts[w->n / PART] = zti_bits_written(&writer);
    zti_put_bits(&writer, 0, 7);
}

static void decode(struct work *w, uint32_t isa)
{
    const size_t bytes = (size_t)(w->starts[w->n / PART] + 7) / 8;
    for (size_t c = 0; c < w->n / CHUNK; c++) {
        struct zti_huffman_part parts[4];
        for (size_t k = 0; k < 4; k++) {
            const size_t p = 4 * c + k;
            parts[k] =
                (struct zti_huffman_part){w->starts[p], w->starts[p + 1], w->out + p * PART, PART};
        }
        if (!zti_huffman_decode(&w->decoder, isa, w->coded, bytes, parts, 4)) {
            fprintf(stderr, "huffman_bench: decoding failed\n");
            exit(1);
        }
    }
}

/* The public calls, in 16-bit symbols. */
static void stream(struct work *w, double *encode_s, double *decode_s)
{
    size_t capacity, bytes;
    if (zt_huffman_bound(w->n, alphabet_size, &capacity))
        exit(1);
    uint8_t *out = need(capacity);
    double t = cpu_seconds();
    if (zt_huffman_encode(NULL, w->symbols, 2, w->n, alphabet_size, out, capacity, &bytes))
        exit(1);
    *encode_s = cpu_seconds() - t;
    t = cpu_seconds();
    if (zt_huffman_decode(NULL, out, bytes, w->out, 2, w->n))
        exit(1);
    *decode_s = cpu_seconds() - t;
    free(out);
}

static void bench_law(struct work *w, double ratio, int runs)
{
    double count_s[MOST_RUNS], encode_s[INSTANCES][MOST_RUNS], decode_s[INSTANCES][MOST_RUNS];
    double stream_encode_s[MOST_RUNS], stream_decode_s[MOST_RUNS];
    const uint32_t best = zti_isa_of(NULL);
    void *tally = need(zti_histogram_bytes(alphabet_size));
    draw(w->symbols, w->n, ratio);
    zti_histogram_add(tally, alphabet_size, w->symbols, w->n);
    const uint64_t *const counts = zti_histogram_counts(tally, alphabet_size);
    if (zti_codebook_build(NULL, counts, alphabet_size, &w->book) ||
        zti_huffman_decoder_make(NULL, &w->book, w->n, &w->decoder))
        exit(1);
    for (int run = 0; run < runs; run++) {
        double t = cpu_seconds();
        zti_histogram_add(tally, alphabet_size, w->symbols, w->n);
        count_s[run] = cpu_seconds() - t;
        stream(w, &stream_encode_s[run], &stream_decode_s[run]);
        for (uint32_t isa = 0; isa <= best; isa++) {
            t = cpu_seconds();
            encode(w, isa);
            encode_s[isa][run] = cpu_seconds() - t;
            t = cpu_seconds();
            decode(w, isa);
            decode_s[isa][run] = cpu_seconds() - t;
            if (memcmp(w->out, w->symbols, w->n * sizeof *w->out) != 0) {
                fprintf(stderr, "huffman_bench: wrong symbols\n");
                exit(1);
            }
            memset(w->out, 0, w->n * sizeof *w->out);
        }
    }
    printf("%.3f,%.2f", (double)w->starts[w->n / PART] / (double)w->n,
           1e-9 * (double)w->n / median(count_s, runs));
    for (uint32_t isa = 0; isa < INSTANCES; isa++)
        if (isa <= best)
            printf(",%.2f,%.2f", 1e-9 * (double)w->n / median(encode_s[isa], runs),
                   1e-9 * (double)w->n / median(decode_s[isa], runs));
        else
            printf(",,");
    printf(",%.1f,%.2f,%.2f\n", (double)zti_codebook_stored_bits(&w->book) / 8,
           1e-9 * (double)w->n / median(stream_encode_s, runs),
           1e-9 * (double)w->n / median(stream_decode_s, runs));
    zti_huffman_decoder_free(NULL, &w->decoder);
    zti_codebook_free(NULL, &w->book);
    free(tally);
}

static void bench_codebook(uint32_t alphabet, int runs)
{
    uint64_t *counts = need(alphabet * sizeof *counts);
    double build_s[MOST_RUNS], table_s[MOST_RUNS];
    for (uint32_t s = 0; s < alphabet; s++) { /* as residuals in a field of 10^8 values */
        const double x = ((double)s - alphabet / 2) / (alphabet / 24.0);
        counts[s] = 1 + (uint64_t)(1e8 * exp(-fabs(x)) * uniform());
    }
    struct zti_codebook book;
    struct zti_huffman_decoder decoder;
    for (int run = 0; run < runs; run++) {
        double t = cpu_seconds();
        if (zti_codebook_build(NULL, counts, alphabet, &book))
            exit(1);
        build_s[run] = cpu_seconds() - t;
        t = cpu_seconds();
        if (zti_huffman_decoder_make(NULL, &book, UINT64_C(100000000), &decoder))
            exit(1);
        table_s[run] = cpu_seconds() - t;
        zti_huffman_decoder_free(NULL, &decoder);
        if (run + 1 < runs)
            zti_codebook_free(NULL, &book);
    }
    printf("%u,%u,%.1f,%.1f,%.1f\n", alphabet, book.longest, 1e6 * median(build_s, runs),
           1e6 * median(table_s, runs), (double)zti_codebook_stored_bits(&book) / 8);
    zti_codebook_free(NULL, &book);
    free(counts);
}

/* ---- ANS ---- */

enum { CLASSES = 16, ANS_ALPHABET = 256, ANS_STREAM = 65536 };

struct ans_work {
    uint8_t contexts[ANS_STREAM], symbols[ANS_STREAM], out[ANS_STREAM];
    struct zti_ans_model models[CLASSES];
    const struct zti_ans_model *of[CLASSES];
    struct zti_ans_mixed_table table;
    const uint32_t *tables[CLASSES];
};

/* Symbols numbered 0, -1, 1, -2, 2, ... of laws that get wider from class to class. */
static void draw_classes(struct ans_work *w, double widest)
{
    uint64_t counts[CLASSES][ANS_ALPHABET] = {{0}};
    for (size_t i = 0; i < ANS_STREAM; i++) {
        const uint32_t m = (uint32_t)(uniform() * CLASSES);
        const double ratio = widest * (m + 1) / CLASSES;
        uint32_t d = uniform() < ratio ? 1 + (uint32_t)(log(uniform()) / log(ratio)) : 0;
        w->contexts[i] = (uint8_t)m;
        w->symbols[i] = (uint8_t)(d < ANS_ALPHABET ? d : ANS_ALPHABET - 1);
        counts[m][w->symbols[i]]++;
    }
    for (int m = 0; m < CLASSES; m++) {
        if (zti_ans_build(NULL, counts[m], ANS_ALPHABET, &w->models[m]))
            exit(1);
        w->of[m] = &w->models[m];
        w->tables[m] = w->models[m].decode;
    }
    if (zti_ans_mixed_make(NULL, w->of, CLASSES, &w->table))
        exit(1);
}

static void bench_ans(size_t n, double widest, uint32_t ways, int runs)
{
    double encode_s[MOST_RUNS], decode_s[MOST_RUNS];
    struct ans_work *const w = need(sizeof *w);
    const size_t most = zti_ans_mixed_bytes(ANS_STREAM);
    uint8_t *const scratch = need(most);
    const uint8_t *codes = scratch;
    random_state = 1;
    draw_classes(w, widest);
    for (int run = 0; run < runs; run++) {
        double t = cpu_seconds();
        for (size_t i = 0; i < n; i += ANS_STREAM)
            codes =
                zti_ans_mixed_encode(&w->table, w->contexts, w->symbols, ANS_STREAM, ways, scratch);
        encode_s[run] = cpu_seconds() - t;
        const struct zti_bit_reader r = {codes, 0, 8 * (uint64_t)(scratch + most - codes)};
        bool ok = true;
        t = cpu_seconds();
        for (size_t i = 0; i < n; i += ANS_STREAM) {
            struct zti_ans_mixed m;
            ok &= zti_ans_mixed_open(&m, &r, ways);
            zti_ans_mixed_decode(&m, w->tables, w->contexts, ANS_STREAM, w->out);
            ok &= zti_ans_mixed_ends(&m);
        }
        decode_s[run] = cpu_seconds() - t;
        if (!ok || memcmp(w->out, w->symbols, ANS_STREAM) != 0) {
            fprintf(stderr, "huffman_bench: wrong symbols\n");
            exit(1);
        }
    }
    printf("%u,%.3f,%.2f,%.2f\n", ways, 8 * (double)(scratch + most - codes) / ANS_STREAM,
           1e-9 * (double)n / median(encode_s, runs), 1e-9 * (double)n / median(decode_s, runs));
    for (int m = 0; m < CLASSES; m++)
        zti_ans_free(NULL, &w->models[m]);
    zti_ans_mixed_free(NULL, &w->table);
    free(scratch);
    free(w);
}

int main(int argc, char **argv)
{
    size_t n = 4 << 20;
    int runs = 9;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--msymbols") == 0)
            n = (size_t)atoi(argv[i + 1]) << 20;
        else if (strcmp(argv[i], "--runs") == 0)
            runs = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--alphabet") == 0)
            alphabet_size = (uint32_t)atoi(argv[i + 1]);
    }
    if (n == 0 || runs < 1 || runs > MOST_RUNS || alphabet_size < 4 || alphabet_size > 65536) {
        fprintf(stderr, "use: huffman_bench [--msymbols N] [--runs 1..%d] [--alphabet 4..65536]\n",
                MOST_RUNS);
        return 2;
    }
    struct work w = {.n = n};
    w.symbols = need(n * sizeof *w.symbols);
    w.out = need(n * sizeof *w.out);
    w.coded = need(2 * n + 256);
    w.starts = need((n / PART + 1) * sizeof *w.starts);
    printf("bits,count");
    for (uint32_t isa = 0; isa < INSTANCES; isa++)
        printf(",encode %s,decode %s", zt_isa_name(isa), zt_isa_name(isa));
    printf(",table bytes,stream encode,stream decode\n");
    static const double ratios[] = {0.01, 0.1, 0.25, 0.4, 0.6, 0.8, 0.95, 0.99};
    for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++)
        bench_law(&w, ratios[k], runs);
    printf("\nsymbols,longest,codebook us,decoder us,table bytes\n");
    for (uint32_t alphabet = 64; alphabet <= 65536; alphabet *= 2)
        bench_codebook(alphabet, runs);
    printf("\nstates,bits,ANS encode,decode\n");
    static const double widest[] = {0.1, 0.5, 0.9};
    for (size_t k = 0; k < sizeof widest / sizeof *widest; k++)
        for (uint32_t i = 0; i < 2; i++)
            bench_ans(n, widest[k], i ? ZTI_ANS_MANY : ZTI_ANS_FEW, runs);
    free(w.symbols);
    free(w.out);
    free(w.coded);
    free(w.starts);
    return 0;
}
