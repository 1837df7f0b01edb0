/* sz_keys_test.c: keys of floats that effort 'default' codes without loss: they are chosen where
 * values are decimals or have low bits that are 0, values without a key keep their bits, and all
 * instances and policies write and read the same. */
#include "unit/sz_support.h"

#include <math.h>

enum { N = 200 * 150 };

static const uint64_t shape[2] = {200, 150};

/* Smooth values of magnitudes about 1 to 40 with some noise, some negative. */
static double smooth(uint32_t i, struct rng *r)
{
    const uint32_t y = i / 150, x = i % 150;
    return 20 * sin(0.02 * x) * cos(0.03 * y) + 15 + 0.01 * rng_unit(r);
}

/* A value that has keys of a source; 'digits' as in struct zti_sz. */
static double keyed(uint32_t source, uint32_t digits, double x)
{
    char text[40];
    if (source == ZTI_SZ_DECIMALS)
        return rint(x * pow(10, digits)) / pow(10, digits);
    if (source == ZTI_SZ_DIGITS) {
        snprintf(text, sizeof text, "%.*e", (int)digits - 1, exp(x));
        return strtod(text, NULL);
    }
    return ldexp(rint(ldexp(x, 6)), -6); /* some 12 bits */
}

static void set(const zt_array *array, uint32_t i, double x)
{
    if (array->type == ZT_F32)
        ((float *)array->data)[i] = (float)x;
    else
        ((double *)array->data)[i] = x;
}

/* One in 'part' values has no key: NaN of some payload, -0, infinity, a number of all its bits. */
static struct test_array keyed_array(uint32_t type, uint32_t source, uint32_t digits, uint32_t part)
{
    static const uint32_t specials[] = {0x7fc12345, 0x80000000, 0xff800000, 0x41234567, 1};
    struct test_array a = array_of(type, 2, shape);
    struct rng r = {source * 100 + digits};
    for (uint32_t i = 0; i < N; i++) {
        float special;
        const uint32_t bits = specials[rng_below(&r, 5)];
        memcpy(&special, &bits, sizeof special);
        set(&a.array, i, keyed(source, digits, smooth(i, &r)));
        if (part > 0 && rng_once_in(&r, part))
            set(&a.array, i, (double)special);
    }
    return a;
}

struct keys {
    uint32_t type, source, digits, most_bits; /* of a value, without others */
};

static const struct keys all_keys[] = {
    {ZT_F32, ZTI_SZ_DECIMALS, 1, 6},   {ZT_F32, ZTI_SZ_DECIMALS, 3, 9},
    {ZT_F64, ZTI_SZ_DECIMALS, 2, 6},   {ZT_F64, ZTI_SZ_DECIMALS, 10, 32},
    {ZT_F64, ZTI_SZ_DECIMALS, 13, 44}, {ZT_F32, ZTI_SZ_DIGITS, 3, 10},
    {ZT_F64, ZTI_SZ_DIGITS, 5, 14},    {ZT_F64, ZTI_SZ_DIGITS, 11, 34},
    {ZT_F32, ZTI_SZ_SHORT, 0, 12},     {ZT_F64, ZTI_SZ_SHORT, 0, 12}};

enum { KEYS = sizeof all_keys / sizeof *all_keys };

static void keys_are_chosen_and_small(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < KEYS; k++) {
        const struct keys *const keys = &all_keys[k];
        struct test_array a = keyed_array(keys->type, keys->source, keys->digits, 0);
        struct coded c = code(NULL, &a.array, 0, CODER_DEFAULT);
        const uint32_t source = sz_of(&c.coding)->source, digits = sz_of(&c.coding)->digits;
        if (source != keys->source || digits != keys->digits)
            fail_msg("keys %u: source %u, %u digits", k, source, digits);
        coded_free(NULL, &c);
        const uint64_t bits = need_bound(NULL, &a.array, 0, CODER_DEFAULT);
        if (bits > (uint64_t)N * keys->most_bits)
            fail_msg("keys %u: %.2f bits a value", k, (double)bits / N);
        test_array_free(&a);
    }
}

static void values_without_keys_keep_their_bits(void **state)
{
    static const uint32_t parts[] = {2, 7, 40, 900};
    (void)state;
    for (uint32_t k = 0; k < KEYS; k++)
        for (uint32_t p = 0; p < 4; p++)
            for (uint32_t isa = 0; isa < 3; isa++) {
                const struct keys *const keys = &all_keys[k];
                struct test_array a = keyed_array(keys->type, keys->source, keys->digits, parts[p]);
                zt_context *context;
                zt_context_new(NULL, &context);
                zt_context_set_isa(context, (zt_isa)isa);
                (void)need_bound(context, &a.array, 0, CODER_DEFAULT);
                zt_context_free(context);
                test_array_free(&a);
            }
}

/* Arrays of one tile and less, where codes are Rice codes or values raw. */
static void small_arrays_keep_their_bits(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < KEYS; k++) {
        struct test_array a =
            keyed_array(all_keys[k].type, all_keys[k].source, all_keys[k].digits, 50);
        for (uint64_t rows = 1; rows < 40; rows += rows < 4 ? 1 : 7) {
            zt_array part = a.array;
            part.shape[0] = rows;
            (void)need_bound(NULL, &part, 0, CODER_DEFAULT);
            part.shape[0] = 1;
            part.shape[1] = rows;
            (void)need_bound(NULL, &part, 0, CODER_DEFAULT);
        }
        test_array_free(&a);
    }
}

static void instances_and_threads_write_the_same_keys(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < KEYS; k++) {
        struct test_array a =
            keyed_array(all_keys[k].type, all_keys[k].source, all_keys[k].digits, 60);
        assert_int_equal(need_same_bytes(&a.array, 0, CODER_DEFAULT, 1), ZTI_SZ_DEFAULT);
        test_array_free(&a);
    }
}

/* Keys that no encoder writes, in damaged streams, become some value or are refused. */
static void damaged_keys_decode_or_are_refused(void **state)
{
    struct rng r = {3};
    (void)state;
    for (uint32_t k = 0; k < KEYS; k++) {
        struct test_array a =
            keyed_array(all_keys[k].type, all_keys[k].source, all_keys[k].digits, 60);
        struct coded c = code(NULL, &a.array, 0, CODER_DEFAULT);
        struct test_array back = array_of(a.array.type, 2, shape);
        const struct zti_view view = view_of(&back.array);
        for (uint32_t turn = 0; turn < 60; turn++) {
            struct zti_coding coding = loaded(NULL, &c);
            uint64_t end_bits;
            c.bytes[rng_below(&r, c.end_bits / 8)] ^= (uint8_t)(1 << rng_below(&r, 8));
            sz_in(&coding)->lowest = (int16_t)((int)rng_below(&r, 2048) - 1024);
            (void)zti_exec_decode(NULL, &coding, c.bytes, (size_t)(c.end_bits / 8), 0, NULL, &view,
                                  &end_bits);
            zti_sz_forget(NULL, &coding);
        }
        test_array_free(&back);
        coded_free(NULL, &c);
        test_array_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keys_are_chosen_and_small),
                                       cmocka_unit_test(values_without_keys_keep_their_bits),
                                       cmocka_unit_test(small_arrays_keep_their_bits),
                                       cmocka_unit_test(instances_and_threads_write_the_same_keys),
                                       cmocka_unit_test(damaged_keys_decode_or_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
