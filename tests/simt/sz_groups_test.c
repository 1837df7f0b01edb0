/* sz_groups_test.c: groups of sz's tiles, by kernels that run on the CPU: the serial policy's
 * bytes, and values. Last groups of 1 to 63 values: such a group has a list of its values where
 * larger ones have not, and is the last of those that a warp looks at side by side. Groups of which
 * none, one or some values are much longer than the others, which are written in three ways. */
#include "simt_runtime.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static unsigned arrays, failures;

static void need_ok(zt_context *context, zt_status status)
{
    if (status == ZT_OK)
        return;
    printf("%s\n", zt_context_error(context));
    exit(1);
}

/* Integers whose differences are below 40, of either sign, but for one in 32: most of these have
 * eight rounds or more of unary code, of which the others have two, and some have all of them. */
static void fill_steps(const zt_array *a, uint64_t values)
{
    struct rng r = {values};
    int32_t sum = 0;
    for (uint64_t i = 0; i < values; i++) {
        const bool is_long = rng_once_in(&r, 32), is_all = rng_once_in(&r, 16);
        const int32_t step =
            (int32_t)rng_below(&r, is_long ? 60 : 40) + (is_long ? is_all ? 250 : 130 : 0);
        sum += rng_once_in(&r, 2) ? step : -step;
        if (a->type == ZT_I32)
            ((int32_t *)a->data)[i] = sum;
        else
            ((int64_t *)a->data)[i] = sum;
    }
}

static void check_array(zt_context *serial, zt_context *cuda, uint32_t type, uint32_t rank,
                        const uint64_t *shape, zt_bound bound, uint32_t effort)
{
    const bool is_steps = type == ZT_I32 || type == ZT_I64;
    zt_params p;
    size_t cap = 0, n = 0, m = 0;
    int64_t stride[ZT_MAX_RANK] = {0};
    uint64_t values = 1;
    for (uint32_t k = rank; k-- > 0; values *= shape[k])
        stride[k] = (int64_t)values;
    struct test_array a = test_array_new(type, rank, shape, stride);
    struct test_array b = test_array_new(type, rank, shape, stride);
    const size_t bytes = (size_t)values * zt_type_bytes((zt_type)type);
    if (is_steps)
        fill_steps(&a.array, values);
    else
        fill_array(&a.array, DATA_WAVE_NOISE, values);
    (void)zt_params_init(&p, sizeof p);
    p.codec = ZT_CODEC_SZ;
    set_coder(&p, effort);
    p.bound = bound;
    simt_opt.seed = values;
    need_ok(cuda, zt_context_set_policy(cuda, ZT_CUDA));
    need_ok(serial, zt_compress_bound(serial, &a.array, &p, &cap));
    uint8_t *const one = need(cap), *const two = need(cap), *const back = need(bytes);
    zt_array to = b.array;
    to.data = back;
    need_ok(serial, zt_compress(serial, &a.array, &p, one, cap, &n));
    need_ok(cuda, zt_compress(cuda, &a.array, &p, two, cap, &m));
    need_ok(serial, zt_decompress(serial, one, n, &b.array));
    need_ok(cuda, zt_decompress(cuda, one, n, &to));
    if (n != m || memcmp(one, two, n) != 0 || memcmp(back, b.array.data, bytes) != 0) {
        printf("%s of %llu, effort %u: %s\n", type_name(type), (unsigned long long)values, effort,
               n != m || memcmp(one, two, n) != 0 ? "the file differs" : "values differ");
        failures++;
    }
    arrays++;
    free(one);
    free(two);
    free(back);
    test_array_free(&a);
    test_array_free(&b);
}

static void check(zt_context *serial, zt_context *cuda, uint32_t type, uint64_t values,
                  uint32_t effort)
{
    const bool is_steps = type == ZT_I32 || type == ZT_I64;
    check_array(serial, cuda, type, 1, &values, is_steps ? zt_lossless() : zt_rel(1e-5), effort);
}

/* Groups that are parts of rows; of whole tiles, and of such that the array's end cuts. */
static void check_rows(zt_context *serial, zt_context *cuda)
{
    static const uint64_t rows[][2] = {{64, 128}, {40, 64}, {70, 192}};
    for (uint32_t i = 0; i < 6; i++)
        check_array(serial, cuda, ZT_F32, 2, rows[i / 2], zt_rel(1e-4),
                    i % 2 ? CODER_FAST : CODER_DEFAULT);
}

int main(void)
{
    zt_context *serial = NULL, *cuda = NULL;
    if (zt_context_new(NULL, &serial) != ZT_OK || zt_context_new(NULL, &cuda) != ZT_OK)
        return 1;
    for (uint32_t rest = 1; rest < 64; rest += TEST_SHARE)
        for (uint32_t i = 0; i < 2; i++) { /* the last of those of a whole warp */
            const uint32_t effort = i ? CODER_DEFAULT : CODER_FAST;
            check(serial, cuda, ZT_F32, 63 * 64 + rest, effort);
            check(serial, cuda, ZT_F64, (rest % 2 ? 33u : 63u) * 64 + rest, effort);
        }
    for (uint32_t i = 0; i < 6; i++) {
        const uint32_t effort = i % 3 ? CODER_FAST : CODER_DEFAULT;
        check(serial, cuda, i < 3 ? ZT_I32 : ZT_I64, 4096 + 64 * i, effort);
    }
    check_rows(serial, cuda);
    printf("%u arrays, %u failures\n", arrays, failures);
    zt_context_free(serial);
    zt_context_free(cuda);
    return failures != 0;
}
