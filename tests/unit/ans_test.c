/* ans_test.c: ANS models and streams: frequencies, tables, symbols with different models, hostile
 * bits, how near to the entropy it comes. */
#include "core/cpu.h"
#include "entropy/ans/mixed.h"
#include "support/support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { MODELS = 6, MOST = 4000, ALPHABET = 256 };

static void random_counts(struct rng *r, uint64_t *counts, uint32_t alphabet)
{
    const uint64_t most = UINT64_C(1) << rng_below(r, 38), kind = rng_below(r, 5);
    for (uint32_t s = 0; s < alphabet; s++)
        counts[s] = kind == 0   ? rng_below(r, most + 1)
                    : kind == 1 ? most >> (s < 60 ? s : 60)
                    : kind == 2 ? rng_once_in(r, 10) * (1 + rng_below(r, most))
                    : kind == 3 ? 1
                                : (s == 5) * most + rng_below(r, 3);
}

static void check_model(const struct zti_ans_model *model, const uint64_t *counts)
{
    uint32_t sum = 0, used = 0;
    for (uint32_t s = 0; s < model->alphabet; s++) {
        assert_int_equal(model->frequencies[s] > 0, counts[s] > 0);
        sum += model->frequencies[s];
        used += counts[s] > 0;
    }
    assert_int_equal(model->used, used);
    assert_int_equal(sum, used > 0 ? ZTI_ANS_STATES : 0);
    const uint64_t bits = zti_ans_stored_bits(model);
    uint8_t *buffer = need((size_t)(bits / 8) + 256);
    struct zti_bit_writer w = zti_bit_writer_at(buffer);
    zti_put_bits(&w, 1, 2);
    zti_ans_write(model, &w);
    assert_int_equal(zti_bits_written(&w), bits + 2);
    const size_t bytes = (size_t)(bits + 2 + 7) / 8;
    uint8_t *exact = need(bytes);
    memcpy(exact, buffer, bytes);
    for (uint64_t end = bits + 2 > 20 ? bits - 18 : 2; end <= bits + 2; end++) {
        struct zti_bit_reader reader = {exact, 2, end};
        struct zti_ans_model again;
        const zt_status status = zti_ans_load(NULL, &reader, model->alphabet, &again);
        assert_int_equal(status, end == bits + 2 ? ZT_OK : ZT_CORRUPT);
        if (status != ZT_OK)
            continue;
        assert_int_equal(reader.at, bits + 2);
        assert_int_equal(again.used, model->used);
        assert_memory_equal(again.frequencies, model->frequencies, model->alphabet * 2);
        if (used > 1)
            assert_memory_equal(again.decode, model->decode, ZTI_ANS_STATES * 4);
        zti_ans_free(NULL, &again);
    }
    free(exact);
    free(buffer);
}

static void models_come_back_from_their_tables(void **state)
{
    (void)state;
    struct rng r = {1};
    uint64_t counts[ZTI_ANS_MAX_ALPHABET];
    for (int k = 0; k < 600; k += TEST_SHARE) {
        const uint32_t alphabet =
            1 + (uint32_t)rng_below(&r, rng_once_in(&r, 20) ? ZTI_ANS_MAX_ALPHABET : 100);
        random_counts(&r, counts, alphabet);
        struct zti_ans_model model;
        assert_int_equal(zti_ans_build(NULL, counts, alphabet, &model), ZT_OK);
        check_model(&model, counts);
        zti_ans_free(NULL, &model);
    }
    struct zti_ans_model model;
    assert_int_equal(zti_ans_build(NULL, counts, 0, &model), ZT_BAD_ARG);
    assert_int_equal(zti_ans_build(NULL, counts, ZTI_ANS_MAX_ALPHABET + 1, &model), ZT_BAD_ARG);
}

/* The instances that this machine has. */
struct coder {
    uint8_t *(*put)(const struct zti_ans_mixed_table *table, const uint8_t *contexts,
                    const uint8_t *symbols, size_t n, uint32_t states, uint8_t *scratch);
    void (*take)(struct zti_ans_mixed *m, const uint32_t *const *tables, const uint8_t *contexts,
                 size_t n, uint8_t *out);
};

enum { CODERS = 3, TABLES = 16 /* for the third */ };

static struct coder coder_of(uint32_t number)
{
#if defined(ZTI_HAS_X86_INSTANCES)
    if (number > 1 && zti_isa_of(NULL) >= ZT_ISA_AVX512)
        return (struct coder){zti_ans_mixed_encode_avx2, zti_ans_mixed_decode_16_avx512};
    if (number > 0 && zti_isa_of(NULL) >= ZT_ISA_AVX2)
        return (struct coder){zti_ans_mixed_encode_avx2, zti_ans_mixed_decode_avx2};
#endif
    (void)number;
    return (struct coder){zti_ans_mixed_encode, zti_ans_mixed_decode};
}

/* Models, and symbols each of which has one by chance. */
struct world {
    struct coder coder;
    struct zti_ans_model models[MODELS];
    const struct zti_ans_model *of[MODELS];
    uint32_t decode[TABLES][ZTI_ANS_STATES]; /* copies of the models' */
    const uint32_t *tables[TABLES];
    uint8_t drawn[MODELS][64]; /* symbols to draw from, with repetition */
    uint8_t contexts[MOST];
    uint8_t symbols[MOST];
    size_t n;
    uint32_t states;
};

static void make_world(struct rng *r, struct world *w)
{
    for (int m = 0; m < MODELS; m++) {
        uint64_t counts[ALPHABET] = {0};
        const uint64_t wide = 1 + rng_below(r, m == 0 ? 1 : ALPHABET);
        for (int k = 0; k < 64; k++) {
            const uint64_t any = rng_below(r, wide);
            w->drawn[m][k] = (uint8_t)(any & rng_next(r));
            counts[w->drawn[m][k]] += 1 + rng_below(r, UINT64_C(1) << rng_below(r, 12));
        }
        assert_int_equal(zti_ans_build(NULL, counts, ALPHABET, &w->models[m]), ZT_OK);
        w->of[m] = &w->models[m];
        memcpy(w->decode[m], w->models[m].decode, sizeof w->decode[m]);
    }
    for (int k = 0; k < TABLES; k++)
        w->tables[k] = w->decode[k < MODELS ? k : 0];
    w->n = (size_t)rng_below(r, rng_once_in(r, 4) ? 100 : MOST);
    for (size_t i = 0; i < w->n; i++) {
        w->contexts[i] = (uint8_t)rng_below(r, MODELS);
        w->symbols[i] = w->drawn[w->contexts[i]][rng_below(r, 64)];
    }
}

static void free_world(struct world *w)
{
    for (int m = 0; m < MODELS; m++)
        zti_ans_free(NULL, &w->models[m]);
}

/* The stream as memory of its own, so that reading beyond it is noticed. */
static uint8_t *coded_world(const struct world *w, size_t *bytes)
{
    const size_t most = zti_ans_mixed_bytes(w->n);
    uint8_t *const scratch = need(most);
    struct zti_ans_mixed_table table;
    assert_int_equal(zti_ans_mixed_make(NULL, w->of, MODELS, &table), ZT_OK);
    const uint8_t *const codes =
        w->coder.put(&table, w->contexts, w->symbols, w->n, w->states, scratch);
    zti_ans_mixed_free(NULL, &table);
    assert_true(codes > scratch);
    *bytes = (size_t)(scratch + most - codes);
    uint8_t *const exact = need(*bytes);
    memcpy(exact, codes, *bytes);
    free(scratch);
    return exact;
}

/* Take n symbols in pieces, as a codec does; whether that was the stream. */
static bool take_world(struct rng *r, const struct world *w, const struct zti_bit_reader *in,
                       uint8_t *out)
{
    struct zti_ans_mixed m;
    if (!zti_ans_mixed_open(&m, in, w->states))
        return false;
    for (size_t i = 0, n; i < w->n; i += n) {
        const uint64_t piece = 1 + rng_below(r, rng_once_in(r, 2) ? 8 : 400);
        n = piece < w->n - i ? (size_t)piece : w->n - i;
        w->coder.take(&m, w->tables, w->contexts + i, n, out + i);
    }
    return zti_ans_mixed_ends(&m);
}

static void streams_come_back(void **state)
{
    (void)state;
    struct rng r = {2};
    struct world *const w = need(sizeof *w);
    uint8_t out[MOST + 1];
    for (int round = 0; round < 300; round += TEST_SHARE) {
        size_t bytes;
        make_world(&r, w);
        w->states = round % 2 ? ZTI_ANS_MANY : ZTI_ANS_FEW;
        w->coder = coder_of((uint32_t)round / 2 % CODERS);
        uint8_t *const coded = coded_world(w, &bytes);
        struct zti_bit_reader reader = {coded, 0, 8 * bytes};
        out[w->n] = 0x77;
        assert_true(take_world(&r, w, &reader, out));
        assert_memory_equal(out, w->symbols, w->n);
        assert_int_equal(out[w->n], 0x77);
        const uint64_t less = 1 + rng_below(&r, 20); /* cut short */
        reader.end -= less < reader.end ? less : reader.end;
        assert_false(take_world(&r, w, &reader, out));
        free(coded);
        free_world(w);
    }
    free(w);
}

/* All lengths, and with many states all of them as the first of a piece of any length: contexts
 * and what is written end where memory does. */
static void instances_do_the_same_at_every_length_and_state(void **state)
{
    enum { LONGEST = 150, PIECE = 40 };
    (void)state;
    struct rng r = {6};
    struct world *const w = need(sizeof *w);
    for (uint32_t n = 0; n < LONGEST; n += TEST_SHARE) {
        uint8_t *coded[CODERS];
        size_t bytes[CODERS];
        make_world(&r, w);
        w->n = w->n < n ? w->n : n;
        w->states = n % 8 == 5 ? ZTI_ANS_FEW : ZTI_ANS_MANY;
        for (uint32_t k = 0; k < CODERS; k++) {
            w->coder = coder_of(k);
            coded[k] = coded_world(w, &bytes[k]);
        }
        assert_int_equal(bytes[0], bytes[1]);
        assert_memory_equal(coded[0], coded[1], bytes[0]);
        for (uint32_t k = 0; k < PIECE * (CODERS - 1); k++) {
            const uint32_t piece = 1 + k / (CODERS - 1);
            const struct zti_bit_reader in = {coded[1], 0, 8 * bytes[1]};
            struct zti_ans_mixed m;
            assert_true(zti_ans_mixed_open(&m, &in, w->states));
            for (size_t i = 0, some; i < w->n; i += some) {
                some = piece < w->n - i ? piece : w->n - i;
                uint8_t *const contexts = need(some), *const out = need(some);
                memcpy(contexts, w->contexts + i, some);
                coder_of(1 + k % (CODERS - 1)).take(&m, w->tables, contexts, some, out);
                assert_memory_equal(out, w->symbols + i, some);
                free(contexts);
                free(out);
            }
            assert_true(zti_ans_mixed_ends(&m));
        }
        for (uint32_t k = 0; k < CODERS; k++)
            free(coded[k]);
        free_world(w);
    }
    free(w);
}

static void hostile_streams_are_contained(void **state)
{
    (void)state;
    struct rng r = {3};
    struct world *const w = need(sizeof *w);
    uint8_t out[MOST + 1];
    uint32_t accepted = 0, rounds = 0;
    for (int round = 0; round < 100; round += TEST_SHARE) {
        make_world(&r, w);
        w->states = round % 2 ? ZTI_ANS_MANY : ZTI_ANS_FEW;
        w->coder = coder_of((uint32_t)round / 2 % CODERS);
        for (int k = 0; k < 20; k++, rounds++) {
            const size_t bytes = (size_t)rng_below(&r, 900);
            uint8_t *const buffer = need(bytes + 1);
            for (size_t i = 0; i < bytes; i++)
                buffer[i] = (uint8_t)rng_next(&r);
            uint8_t *const exact = realloc(buffer, bytes > 0 ? bytes : 1);
            assert_non_null(exact);
            const struct zti_bit_reader reader = {exact, 0, 8 * bytes};
            accepted += take_world(&r, w, &reader, out);
            free(exact);
        }
        free_world(w);
    }
    assert_true(accepted < rounds / 100); /* only what ends in the right states */
    free(w);
}

static void random_tables_are_models_or_refused(void **state)
{
    (void)state;
    struct rng r = {4};
    uint32_t models = 0;
    for (int k = 0; k < 20000; k += TEST_SHARE) {
        uint8_t bytes[40];
        for (size_t i = 0; i < sizeof bytes; i += 8) {
            const uint64_t v = rng_next(&r) & (rng_once_in(&r, 2) ? UINT64_MAX : rng_next(&r));
            memcpy(bytes + i, &v, 8);
        }
        struct zti_bit_reader reader = {bytes, 0, 1 + rng_below(&r, 8 * sizeof bytes)};
        struct zti_ans_model model;
        const uint32_t alphabet = 1 + (uint32_t)rng_below(&r, 60);
        if (zti_ans_load(NULL, &reader, alphabet, &model) != ZT_OK)
            continue;
        uint64_t counts[60];
        for (uint32_t s = 0; s < alphabet; s++)
            counts[s] = model.frequencies[s];
        check_model(&model, counts);
        zti_ans_free(NULL, &model);
        models++;
    }
    assert_true(models > 500 / TEST_SHARE);
}

/* Bytes are the contract: a stream and the tables of its models, by a hash. */
static void bytes_do_not_change(void **state)
{
    (void)state;
    struct rng r = {9};
    struct world *const w = calloc(1, sizeof *w);
    assert_non_null(w);
    make_world(&r, w);
    size_t bytes;
    w->states = ZTI_ANS_FEW;
    w->coder = coder_of(0);
    uint8_t *coded = coded_world(w, &bytes), tables[16384];
    struct zti_bit_writer writer = zti_bit_writer_at(tables);
    for (int m = 0; m < MODELS; m++)
        zti_ans_write(&w->models[m], &writer);
    const uint64_t bits = zti_bits_written(&writer);
    zti_put_bits(&writer, 0, 7);
    const uint64_t of_tables = fnv1a64(tables, (size_t)(bits + 7) / 8);
    const uint64_t of_codes = fnv1a64(coded, bytes);
    free(coded);
    w->states = ZTI_ANS_MANY;
    coded = coded_world(w, &bytes);
    const uint64_t of_many = fnv1a64(coded, bytes);
    assert_true(of_tables == UINT64_C(0xc149be80631314e0));
    assert_true(of_codes == UINT64_C(0xf91f1924fb85b223));
    assert_true(of_many == UINT64_C(0x778782b40f65f48c));
    free(coded);
    free_world(w);
    free(w);
}

/* Bits of n symbols of a law against n times its entropy. */
static double excess(struct rng *r, double ratio, size_t n)
{
    uint64_t counts[64] = {0};
    uint8_t *const symbols = need(n);
    double entropy = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t s = 0;
        while (s < 63 && rng_unit(r) < ratio)
            s++;
        symbols[i] = (uint8_t)s;
        counts[s]++;
    }
    for (int s = 0; s < 64; s++)
        if (counts[s] > 0)
            entropy += (double)counts[s] * log2((double)n / (double)counts[s]);
    struct zti_ans_model model;
    assert_int_equal(zti_ans_build(NULL, counts, 64, &model), ZT_OK);
    const struct zti_ans_model *const of = &model;
    uint8_t *const contexts = calloc(n, 1), *const scratch = need(zti_ans_mixed_bytes(n));
    assert_non_null(contexts);
    struct zti_ans_mixed_table table;
    assert_int_equal(zti_ans_mixed_make(NULL, &of, 1, &table), ZT_OK);
    const uint8_t *const codes =
        zti_ans_mixed_encode(&table, contexts, symbols, n, ZTI_ANS_FEW, scratch);
    zti_ans_mixed_free(NULL, &table);
    const double bits = 8 * (double)(scratch + zti_ans_mixed_bytes(n) - codes);
    const double promised = (double)zti_ans_cost_bits(&model, counts);
    print_message("entropy %.4f bits: coded %.4f, promised %.4f, table %d bits\n",
                  entropy / (double)n, bits / (double)n, promised / (double)n,
                  (int)zti_ans_stored_bits(&model));
    zti_ans_free(NULL, &model);
    free(scratch);
    free(contexts);
    free(symbols);
    return bits / entropy - 1;
}

static void streams_are_near_the_entropy(void **state)
{
    (void)state;
    struct rng r = {5};
    static const double ratios[] = {0.003, 0.02, 0.1, 0.3, 0.5, 0.8, 0.9};
    for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++)
        assert_true(excess(&r, ratios[k], 400000) < (ratios[k] < 0.1 ? 0.02 : 0.005));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_come_back_from_their_tables),
        cmocka_unit_test(streams_come_back),
        cmocka_unit_test(instances_do_the_same_at_every_length_and_state),
        cmocka_unit_test(hostile_streams_are_contained),
        cmocka_unit_test(random_tables_are_models_or_refused),
        cmocka_unit_test(bytes_do_not_change),
        cmocka_unit_test(streams_are_near_the_entropy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
