/* sz_stages.c: where the sz codec's time goes, stage by stage, on one thread.
 *
 *     sz_stages [--isa plain|avx2|avx512]
 *
 * Turbulence-like float32 values, 256 x 256 x 256, at three relative bounds. For each effort, in
 * milliseconds of processor time (the least of 5 rounds) and as GB/s of raw data: the range of all
 * values; what is learnt from samples (axes, shape of groups); symbols counted for the codebooks;
 * the codebooks made; tiles coded, from values to bits; and back, the decoder's tables and tiles.
 * What a whole .zt file costs more is checksums and copies; sz_bench has that. */
#include "codec/codec.h"
#include "core/cpu.h"
#include "turbulence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIDE = 256, ROUNDS = 5, PASSES_MOST = 8 };

enum stage { RANGE, SAMPLES, COUNT, BOOKS, CODE, TABLES, DECODE, STAGES };

struct bench {
    zt_context *context;
    zt_array array, back;
    uint8_t *stream;
    size_t bytes;
    double seconds[STAGES]; /* the least */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *need(size_t bytes)
{
    void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!memory) {
        fprintf(stderr, "sz_stages: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    memset(memory, 1, bytes);
    return memory;
}

static void check(const struct bench *b, zt_status status)
{
    if (status == ZT_OK)
        return;
    fprintf(stderr, "sz_stages: %s\n", zt_context_error(b->context));
    exit(1);
}

/* What is learnt before the first tile: all but the last pass from samples. */
static void learn(struct bench *b, struct zti_coding *coding, double *seconds)
{
    const struct zti_codec *const codec = coding->codec;
    for (uint32_t pass = 0; pass < PASSES_MOST; pass++) {
        const size_t bytes = codec->tally_bytes(coding, pass);
        if (bytes == 0)
            return;
        void *const tally = need(bytes);
        memset(tally, 0, bytes);
        const double start = now();
        codec->tally(coding, pass, &b->array, 0, coding->grid.count, tally);
        const double tallied = now();
        check(b, codec->learn(b->context, coding, pass, &b->array, tally));
        seconds[pass < 2 ? SAMPLES : COUNT] += tallied - start;
        seconds[pass < 2 ? SAMPLES : BOOKS] += now() - tallied;
        free(tally);
    }
}

static uint64_t run(struct bench *b, uint32_t effort, double rel, double *seconds)
{
    zt_params params;
    zt_stats stats;
    struct zti_coding coding;
    (void)zt_params_init(&params, sizeof params);
    (void)zt_stats_init(&stats, sizeof stats);
    memset(seconds, 0, STAGES * sizeof *seconds);
    params.effort = effort;
    seconds[RANGE] = -now();
    check(b, zt_scan(b->context, &b->array, &stats));
    seconds[RANGE] += now();
    memset(&coding, 0, sizeof coding);
    coding.codec = zti_codec_by_id(ZT_CODEC_SZ);
    coding.type = ZT_F32;
    coding.isa = zti_isa_of(b->context);
    coding.is_streamed = true;
    coding.grid = zti_codec_grid(coding.codec, 3, b->array.shape);
    const struct zti_ask ask = {.params = &params, .kind = ZT_ABS,
                                .abs_bound = rel * (stats.max - stats.min),
                                .min = stats.min, .max = stats.max};
    check(b, coding.codec->configure(b->context, &ask, &coding));
    learn(b, &coding, seconds);
    struct zti_bit_writer w = zti_bit_writer_at(b->stream);
    double start = now();
    (void)coding.codec->encode(&coding, &b->array, 0, coding.grid.count, &w);
    seconds[CODE] = now() - start;
    const uint64_t bytes = zti_bits_written(&w) / 8;
    uint8_t *const head = need((size_t)zti_head_bytes(&coding) + ZTI_BIT_MARGIN_BYTES);
    coding.codec->put_head(&coding, NULL, head);
    coding.codec->forget(b->context, &coding);
    start = now();
    check(b, coding.codec->take_head(b->context, &coding, head));
    seconds[TABLES] = now() - start;
    struct zti_bit_reader r = {.base = b->stream, .end = bytes * 8};
    const struct zti_view view = zti_view_whole(&b->back);
    start = now();
    coding.codec->decode(&coding, &r, 0, coding.grid.count, &view);
    seconds[DECODE] = now() - start;
    coding.codec->forget(b->context, &coding);
    free(head);
    return bytes;
}

static void measure(struct bench *b, const char *name, uint32_t effort, double rel)
{
    double seconds[STAGES];
    uint64_t bytes = 0;
    for (int round = 0; round < ROUNDS; round++) {
        bytes = run(b, effort, rel, seconds);
        for (int i = 0; i < STAGES; i++)
            b->seconds[i] = round == 0 ? seconds[i] : fmin(b->seconds[i], seconds[i]);
    }
    printf("| %s, %.0e | %.2f |", name, rel, (double)b->bytes / (double)bytes);
    for (int i = 0; i < STAGES; i++)
        printf(" %.1f (%.1f) |", 1e3 * b->seconds[i],
               b->seconds[i] > 0 ? 1e-9 * (double)b->bytes / b->seconds[i] : 0);
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const size_t n = (size_t)SIDE * SIDE * SIDE;
    const uint64_t shape[3] = {SIDE, SIDE, SIDE};
    struct bench b = {.bytes = 4 * n};
    if (zt_context_new(NULL, &b.context) != ZT_OK)
        return 1;
    if (argc == 3 && strcmp(argv[1], "--isa") == 0)
        check(&b, zt_context_set_isa(b.context, strcmp(argv[2], "plain") == 0  ? ZT_ISA_PLAIN
                                                : strcmp(argv[2], "avx2") == 0 ? ZT_ISA_AVX2
                                                                               : ZT_ISA_AVX512));
    double *const made = need(8 * n);
    float *const values = need(b.bytes);
    if (make_turbulence(made, SIDE, 3, 11.0 / 3, 1) != 0)
        return 1;
    for (size_t i = 0; i < n; i++)
        values[i] = (float)made[i];
    free(made);
    b.array = zt_array_nd(values, ZT_F32, 3, shape);
    b.back = zt_array_nd(need(b.bytes), ZT_F32, 3, shape);
    b.stream = need(2 * b.bytes);
    printf("%s\n| effort, rel | ratio | range | samples | count | codebooks | code tiles | tables "
           "| decode tiles |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
           zt_isa_name(zt_context_isa(b.context)));
    for (int i = 2; i < 5; i++) {
        measure(&b, "fast", ZT_EFFORT_FAST, pow(10, -i));
        measure(&b, "default", ZT_EFFORT_DEFAULT, pow(10, -i));
        measure(&b, "paper", ZT_EFFORT_PAPER, pow(10, -i));
    }
    free(b.array.data);
    free(b.back.data);
    free(b.stream);
    zt_context_free(b.context);
    return 0;
}
