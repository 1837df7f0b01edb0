/* awkward.c: see awkward.h. */
#include "support/awkward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values of a kind that a transform, a mark or an escape is for, with some that are none. */
static void fill_awkwardly(const zt_array *array, uint32_t kind, struct rng *r)
{
    const uint64_t n = values_of(array->rank, array->shape);
    const uint32_t width = (uint32_t)array->shape[array->rank - 1];
    const bool is_float = array->type == ZT_F32 || array->type == ZT_F64;
    const size_t bytes = zt_type_bytes(array->type);
    const double ten = pow(10, (double)rng_below(r, 12)), start = (double)rng_below(r, 1000);
    const double step = ldexp(1, -(int)rng_below(r, 30));
    uint64_t few[8];
    for (uint32_t i = 0; i < 8; i++)
        few[i] = rng_next(r);
    for (uint64_t i = 0; i < n; i++) {
        const double wave = start + 10 * sin((double)i * 0.05) + 1e-3 * (double)rng_below(r, 1000);
        const uint64_t bits = rng_next(r);
        switch (kind) {
        case 0: set_bits(array, i, bits); break;
        case 1: set_bits(array, i, few[bits & 7]); break;
        case 2: set_number(array, i, wave); break;
        case 3: set_number(array, i, is_float ? rint(wave * ten) / ten : wave); break;
        case 4: set_number(array, i, start + (double)(bits % 65536) * step); break;
        case 5: /* runs */
            if (i > 0 && bits % 3)
                memcpy((char *)array->data + i * bytes, (char *)array->data + (i - 1) * bytes,
                       bytes);
            else
                set_bits(array, i, bits);
            break;
        case 6: /* subnormals and zeros of both signs */
            set_bits(array, i,
                     bytes == 4 ? bits & 0x807fffff
                                : bits & UINT64_C(0x800fffffffffffff) >> (bits % 3 ? 0 : 50));
            break;
        case 7: /* NaN of any payload, infinities */
            set_bits(array, i, bits | (bytes == 4 ? 0x7f800000 : UINT64_C(0x7ff0000000000000)));
            break;
        case 8: set_number(array, i, bits & 3 ? wave : bits & 4 ? -0.0 : 0.0); break;
        case 9: /* rows that repeat rows */
            if (i >= 2 * (uint64_t)width)
                memcpy((char *)array->data + i * bytes,
                       (char *)array->data + (i - 2 * (uint64_t)width) * bytes, bytes);
            else
                set_bits(array, i, bits);
            break;
        case 10: set_bits(array, i, i); break;
        case 11: { /* decimals of few digits */
            char text[40];
            snprintf(text, sizeof text, "%.*e", (int)(ten > 1e6 ? 5 : 2),
                     wave * pow(10, (double)(bits % 40) - 20));
            set_number(array, i, is_float ? strtod(text, NULL) : wave);
            break;
        }
        case 12: /* masked */ set_number(array, i, is_float && bits % 5 ? 1e20 : wave); break;
        default: set_bits(array, i, bits << (start > 64 ? 20 : 3)); break;
        }
    }
    for (uint32_t i = 0; i < 5 && kind % 2; i++)
        set_bits(array, rng_below(r, n), rng_next(r));
}

/* Array number 'number'. most[rank - 1]: the most values along each axis; one array in twelve has
 * up to 'times' times as many along its fastest axis. */
static struct test_array make_array(uint64_t number, const uint64_t *most, uint64_t times)
{
    struct rng r = {number};
    const uint32_t rank = 1 + (uint32_t)rng_below(&r, 4), type = 1 + (uint32_t)rng_below(&r, 4);
    uint64_t shape[ZT_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = 1 + rng_below(&r, most[rank - 1]);
    if (rng_once_in(&r, 12))
        shape[rank - 1] *= times;
    int64_t stride[ZT_MAX_RANK];
    contiguous_strides(rank, shape, stride);
    struct test_array a = test_array_new(type, rank, shape, stride);
    fill_awkwardly(&a.array, (uint32_t)(number % AWKWARD_KINDS), &r);
    return a;
}

struct test_array awkward_array(uint64_t number)
{
    static const uint64_t most[ZT_MAX_RANK] = {9000, 80, 20, 9};
    return make_array(number, most, 50);
}

struct test_array small_awkward_array(uint64_t number)
{
    static const uint64_t most[ZT_MAX_RANK] = {160, 20, 8, 5};
    return make_array(number, most, 3);
}
