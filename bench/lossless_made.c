/* lossless_made.c: what the lossless coders of sz make of made fields (tests/support/made.h),
 * beside what a coder needs that knows how they were made.
 *
 *     lossless_made
 *
 * Prints bits of a value: ideal, effort high and effort default of the whole file, and the ideal
 * over effort high's. unit.sz_made checks these sizes. */
#include "support/made.h"

int main(void)
{
    zt_context *context;
    if (zt_context_new(NULL, &context) != ZT_OK)
        return 1;
    printf("| field, 131072 values | bits | ideal | high | default | ideal / high |\n"
           "| --- | ---: | ---: | ---: | ---: | ---: |\n");
    for (uint32_t k = 0; k < MADE_FIELDS; k++) {
        struct made_field f = made_field_of(k);
        const double n = (double)values_of(f.values.array.rank, f.values.array.shape);
        const double high = 8 * (double)made_field_bytes(context, &f, CODER_HIGH) / n;
        const double usual = 8 * (double)made_field_bytes(context, &f, CODER_DEFAULT) / n;
        printf("| %s | %zu | %.2f | %.2f | %.2f | %.3f |\n", f.name,
               8 * zt_type_bytes(f.values.array.type), f.ideal_bits, high, usual,
               f.ideal_bits / high);
        test_array_free(&f.values);
    }
    zt_context_free(context);
    return 0;
}
