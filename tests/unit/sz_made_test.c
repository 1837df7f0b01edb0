/* sz_made_test.c: made fields take what they may without loss (support/made.h), and come back. */
#include "support/made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void made_fields_take_little_more_than_they_hold(void **state)
{
    zt_context *context;
    (void)state;
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    for (uint32_t k = 0; k < MADE_FIELDS; k += TEST_SHARE) {
        struct made_field f = made_field_of(k);
        const double n = (double)values_of(f.values.array.rank, f.values.array.shape);
        const double high = 8 * (double)made_field_bytes(context, &f, CODER_HIGH) / n;
        const double usual = 8 * (double)made_field_bytes(context, &f, CODER_DEFAULT) / n;
        if (high > f.high_bits || usual > f.default_bits)
            fail_msg("%s: %.3f and %.3f bits a value; %.3f and %.3f are let pass", f.name, high,
                     usual, f.high_bits, f.default_bits);
        test_array_free(&f.values);
    }
    zt_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_fields_take_little_more_than_they_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
