/* bits_test.c: the bit writer and reader against a plain array of bits. */
#include "bits/bits.h"
#include "support/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

enum { ROOM_BITS = 40000 };

/* Bits as bytes, one each: the plain model. */
struct model {
    uint8_t bit[ROOM_BITS];
    uint64_t count;
};

static void model_put(struct model *m, uint64_t v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        m->bit[m->count++] = v >> i & 1;
}

static uint64_t model_take(const struct model *m, uint64_t at, uint32_t n)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < n; i++)
        v |= (uint64_t)m->bit[at + i] << i;
    return v;
}

static uint64_t low_bits(uint64_t v, uint32_t n)
{
    return n < 64 ? v & ((UINT64_C(1) << n) - 1) : v;
}

static void fields_are_least_significant_bit_first(void **state)
{
    (void)state;
    uint8_t buffer[64] = {0};
    struct zti_bit_writer w = zti_bit_writer_at(buffer);
    zti_put_bits(&w, 1, 1);
    zti_put_bits(&w, 0x81, 8);
    zti_put_bits(&w, 5, 3);
    assert_int_equal(zti_bits_written(&w), 12);
    assert_int_equal(buffer[0], 0x03); /* 1, then 1000000 of 0x81 */
    assert_int_equal(buffer[1], 0x0b); /* the last bit of 0x81, then 101 */
}

static void random_fields_come_back(void **state)
{
    (void)state;
    struct rng r = {7};
    uint8_t *buffer = need(ROOM_BITS / 8 + 64);
    struct model *m = need(sizeof *m);
    for (int round = 0; round < 200; round++) {
        struct zti_bit_writer w = zti_bit_writer_at(buffer);
        memset(buffer, 0xff, ROOM_BITS / 8 + 64);
        m->count = 0;
        while (m->count < ROOM_BITS - 250) {
            uint32_t n = (uint32_t)rng_below(&r, 65);
            uint64_t v = low_bits(rng_next(&r), n);
            if (n <= 56 && rng_once_in(&r, 2))
                zti_put_bits(&w, v, n);
            else
                zti_put_bits64(&w, v, n);
            model_put(m, v, n);
            if (rng_once_in(&r, 20)) {
                uint32_t zeros = (uint32_t)rng_below(&r, 150);
                zti_put_zeros(&w, zeros);
                for (uint32_t left = zeros; left > 0; left--)
                    model_put(m, 0, 1);
            }
            assert_int_equal(zti_bits_written(&w), m->count);
        }
        for (uint64_t at = 0; at + 64 <= m->count; at += 1 + rng_below(&r, 90)) {
            uint32_t n = (uint32_t)rng_below(&r, 65);
            struct zti_bit_reader reader = {buffer, at, m->count};
            uint64_t wanted = model_take(m, at, n);
            assert_int_equal(n <= 57 ? zti_get_bits(&reader, n) : zti_get_bits64(&reader, n),
                             wanted);
            assert_int_equal(reader.at, at + n);
        }
    }
    free(m);
    free(buffer);
}

static void a_cut_keeps_what_was_before(void **state)
{
    (void)state;
    struct rng r = {11};
    uint8_t buffer[256];
    for (int round = 0; round < 2000; round++) {
        struct model m = {.count = 0};
        struct zti_bit_writer w = zti_bit_writer_at(buffer);
        memset(buffer, 0, sizeof buffer);
        for (int i = 0; i < 12; i++) {
            uint32_t n = (uint32_t)rng_below(&r, 57);
            uint64_t v = low_bits(rng_next(&r), n);
            zti_put_bits(&w, v, n);
            model_put(&m, v, n);
        }
        uint64_t cut = rng_below(&r, m.count + 1);
        zti_bits_cut(&w, cut);
        m.count = cut;
        assert_int_equal(zti_bits_written(&w), cut);
        zti_put_bits(&w, 0x2a5, 10);
        model_put(&m, 0x2a5, 10);
        for (uint64_t at = 0; at < m.count; at++)
            assert_int_equal(buffer[at / 8] >> at % 8 & 1, m.bit[at]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_least_significant_bit_first),
        cmocka_unit_test(random_fields_come_back),
        cmocka_unit_test(a_cut_keeps_what_was_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
