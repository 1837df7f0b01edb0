/* cuda_async_test.c: streams of fixed-rate zfp and of ndzip coded without waiting: the bytes of the
 * host, with every order of threads, blocks and queues; that nothing is waited for or allocated;
 * calls that follow each other on the stream; and what is refused. */
#include "simt_device.h"
#include "simt_runtime.h"
#include "support/support.h"
#include "ztile_cuda.h"
#include "ztile_ndzip.h"
#include "ztile_zfp.h"

#include <stdlib.h>
#include <string.h>

static unsigned failures;

static void check(bool is_good, uint64_t number, const char *what, const zt_context *context)
{
    if (is_good)
        return;
    printf("case %llu: %s (%s)\n", (unsigned long long)number, what, zt_context_error(context));
    failures++;
}

/* A type, shape, strides and rate, with values of every kind, NaN included. */
static zt_zfp draw(struct rng *r, struct test_array *a)
{
    static const uint64_t most[4] = {3000, 70, 21, 9};
    uint64_t shape[ZT_MAX_RANK] = {0};
    int64_t stride[ZT_MAX_RANK] = {0};
    const uint32_t rank = 1 + (uint32_t)rng_below(r, 4);
    zt_zfp zfp;
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = 1 + rng_below(r, most[rank - 1]);
    contiguous_strides(rank, shape, stride);
    if (rng_once_in(r, 3) && rank > 1) { /* the last two axes change places */
        stride[rank - 2] = 1;
        stride[rank - 1] = (int64_t)shape[rank - 2];
    }
    *a = test_array_new(1 + (uint32_t)rng_below(r, 4), rank, shape, stride);
    fill_array(&a->array, (enum data_kind)rng_below(r, DATA_KINDS), rng_next(r));
    (void)zt_zfp_init(&zfp, sizeof zfp);
    zfp.flags = ZT_ZFP_AS_LIBZFP;
    zfp.word_bits = 8u << rng_below(r, 4);
    (void)zt_zfp_set_rate(&zfp, 0.5 + (double)rng_below(r, 200) / 8, (zt_type)a->array.type, rank,
                          0, NULL);
    return zfp;
}

/* There and back on the device, and the same on the host. */
static void check_case(uint64_t number, zt_context *cuda, zt_context *serial, struct rng *r)
{
    struct test_array a;
    const zt_zfp zfp = draw(r, &a);
    const size_t bytes = array_bytes(&a.array);
    size_t capacity = 0, scratch_bytes = 0, n = 0, length = 0;
    check(zt_zfp_compress_bound(serial, &a.array, &zfp, &capacity) == ZT_OK, number, "no bound",
          serial);
    capacity = (capacity + 7) / 8 * 8;
    check(zt_zfp_async_scratch_bytes(cuda, &a.array, &zfp, &scratch_bytes) == ZT_OK, number,
          "no scratch", cuda);
    uint8_t *const wanted = malloc(capacity), *const found = malloc(capacity);
    uint8_t *const back = malloc(bytes), *const home = malloc(bytes);
    uint8_t *const values = simt_device_take(bytes), *const out = simt_device_take(capacity);
    uint8_t *const again = simt_device_take(bytes), *const scratch =
                                                        simt_device_take(scratch_bytes);
    zt_array there = a.array, target = a.array, host = a.array;
    there.data = values;
    target.data = again;
    host.data = home;
    simt_device_move(values, a.array.data, bytes);
    check(zt_zfp_compress(serial, &a.array, &zfp, wanted, capacity, &n) == ZT_OK, number,
          "the host does not compress", serial);
    check(zt_zfp_decompress(serial, wanted, n, &zfp, &host, NULL) == ZT_OK, number,
          "the host does not decompress", serial);
    const uint64_t waits = simt_waits, allocations = simt_allocations;
    check(zt_zfp_compress_async(cuda, &there, &zfp, out, capacity, scratch, scratch_bytes,
                                &length) == ZT_OK,
          number, "it does not compress", cuda);
    check(zt_zfp_decompress_async(cuda, out, length, &zfp, &target, scratch, scratch_bytes) ==
              ZT_OK,
          number, "it does not decompress", cuda);
    check(waits == simt_waits && allocations == simt_allocations, number, "it waits or allocates",
          cuda);
    simt_device_finish();
    simt_device_move(found, out, capacity);
    simt_device_move(back, again, bytes);
    check(length == n && memcmp(found, wanted, n) == 0, number, "other bytes", cuda);
    check(memcmp(back, home, bytes) == 0, number, "other values", cuda);
    simt_device_give(values);
    simt_device_give(out);
    simt_device_give(again);
    simt_device_give(scratch);
    free(wanted);
    free(found);
    free(back);
    free(home);
    test_array_free(&a);
}

/* Memory of the device for a stream of ndzip's and its coding. */
struct ndzip {
    zt_array there, target;
    uint8_t *out, *scratch;
    uint64_t *result;
    size_t capacity, scratch_bytes;
};

/* Decode a damaged stream; what *result becomes. */
static uint64_t damage_of(zt_context *cuda, const struct ndzip *z, const uint8_t *stream,
                          size_t bytes)
{
    uint64_t found = 0;
    simt_device_move(z->out, stream, bytes);
    check(zt_ndzip_decompress_async(cuda, z->out, bytes, &z->target, z->scratch, z->scratch_bytes,
                                    z->result) == ZT_OK,
          0, "damage is looked at on the host", cuda);
    simt_device_finish();
    simt_device_move(&found, z->result, sizeof found);
    return found;
}

/* Tables that say something else, and a stream that is cut short. */
static void check_damage(uint64_t number, zt_context *cuda, const struct ndzip *z, uint8_t *stream,
                         size_t bytes, size_t tiles, struct rng *r)
{
    for (int i = 0; i < 3; i++) {
        const size_t at = 4 * (size_t)rng_below(r, tiles) + (size_t)rng_below(r, 4);
        const uint8_t bit = (uint8_t)(1u << rng_below(r, 8));
        stream[at] ^= bit;
        check(damage_of(cuda, z, stream, bytes) != 0, number, "a bad table passes", cuda);
        stream[at] ^= bit;
    }
    check(damage_of(cuda, z, stream, bytes - 8) != 0, number, "a short stream passes", cuda);
    check(damage_of(cuda, z, stream, bytes) == 0, number, "a good stream does not pass", cuda);
}

static struct test_array draw_ndzip(struct rng *r, size_t *tiles)
{
    static const uint64_t side[3] = {4096, 64, 16};
    uint64_t shape[ZT_MAX_RANK] = {0};
    int64_t stride[ZT_MAX_RANK] = {0};
    const uint32_t rank = 1 + (uint32_t)rng_below(r, 3);
    *tiles = 1;
    for (uint32_t i = 0; i < rank; i++) {
        const uint64_t n = 1 + rng_below(r, rank == 1 ? 5 : 2);
        shape[i] = n * side[rank - 1];
        *tiles *= (size_t)n;
    }
    contiguous_strides(rank, shape, stride);
    if (rng_once_in(r, 3) && rank > 1) {
        stride[rank - 2] = 1;
        stride[rank - 1] = (int64_t)shape[rank - 2];
    }
    const struct test_array a = test_array_new(1 + (uint32_t)rng_below(r, 2), rank, shape, stride);
    fill_array(&a.array, (enum data_kind)rng_below(r, DATA_KINDS), rng_next(r));
    return a;
}

static void check_ndzip(uint64_t number, zt_context *cuda, zt_context *serial, struct rng *r)
{
    size_t tiles = 0, n = 0;
    struct test_array a = draw_ndzip(r, &tiles);
    const size_t bytes = array_bytes(&a.array);
    struct ndzip z = {.there = a.array, .target = a.array};
    uint64_t length = 0;
    check(zt_ndzip_compress_bound(serial, &a.array, &z.capacity) == ZT_OK &&
              zt_ndzip_async_scratch_bytes(cuda, &a.array, &z.scratch_bytes) == ZT_OK,
          number, "sizes are not known", cuda);
    uint8_t *const wanted = malloc(z.capacity), *const found = malloc(z.capacity);
    uint8_t *const back = malloc(bytes);
    z.there.data = simt_device_take(bytes);
    z.target.data = simt_device_take(bytes);
    z.out = simt_device_take(z.capacity);
    z.scratch = simt_device_take(z.scratch_bytes);
    z.result = simt_device_take(sizeof length);
    simt_device_move(z.there.data, a.array.data, bytes);
    check(zt_ndzip_compress(serial, &a.array, wanted, z.capacity, &n) == ZT_OK, number,
          "the host does not compress", serial);
    const uint64_t waits = simt_waits, allocations = simt_allocations;
    check(zt_ndzip_compress_async(cuda, &z.there, z.out, z.capacity, z.scratch, z.scratch_bytes,
                                  z.result) == ZT_OK,
          number, "ndzip does not compress", cuda);
    check(waits == simt_waits && allocations == simt_allocations, number, "ndzip waits", cuda);
    simt_device_finish();
    simt_device_move(&length, z.result, sizeof length);
    simt_device_move(found, z.out, z.capacity);
    check(length == n && memcmp(found, wanted, n) == 0, number, "other bytes of ndzip", cuda);
    check(zt_ndzip_decompress_async(cuda, z.out, z.capacity, &z.target, z.scratch, z.scratch_bytes,
                                    z.result) == ZT_OK,
          number, "ndzip does not decompress", cuda);
    check(waits == simt_waits && allocations == simt_allocations, number, "ndzip waits", cuda);
    simt_device_finish();
    simt_device_move(&length, z.result, sizeof length);
    simt_device_move(back, z.target.data, bytes);
    check(length == 0 && memcmp(back, a.array.data, bytes) == 0, number, "other values of ndzip",
          cuda);
    check_damage(number, cuda, &z, wanted, n, tiles, r);
    simt_device_give(z.there.data);
    simt_device_give(z.target.data);
    simt_device_give(z.out);
    simt_device_give(z.scratch);
    simt_device_give(z.result);
    free(wanted);
    free(found);
    free(back);
    test_array_free(&a);
}

/* What ndzip refuses. */
static void check_ndzip_refusals(zt_context *cuda)
{
    enum { N = 4096, ROOM = 40000 };
    uint64_t length;
    uint8_t *const memory = simt_device_take(N * 8), *const out = simt_device_take(ROOM),
                   *const scratch = simt_device_take(1024);
    uint64_t *const result = simt_device_take(8);
    const zt_array whole = zt_array_1d(memory, ZT_F32, N), odd = zt_array_1d(memory, ZT_F32, N - 1),
                   integers = zt_array_1d(memory, ZT_I32, N);
    size_t n = 0;
    check(zt_ndzip_async_scratch_bytes(cuda, &odd, &n) == ZT_UNSUPPORTED, 0, "a border passes",
          cuda);
    check(zt_ndzip_async_scratch_bytes(cuda, &integers, &n) == ZT_UNSUPPORTED, 0, "integers pass",
          cuda);
    check(zt_ndzip_async_scratch_bytes(cuda, &whole, &n) == ZT_OK && n <= 1024, 0, "no scratch",
          cuda);
    check(zt_ndzip_compress_async(cuda, &whole, out, 4096, scratch, n, result) == ZT_NO_SPACE, 0,
          "little room passes", cuda);
    check(zt_ndzip_compress_async(cuda, &whole, out, ROOM, scratch, n - 1, result) == ZT_NO_MEMORY,
          0, "little scratch passes", cuda);
    check(zt_ndzip_compress_async(cuda, &whole, out, ROOM, scratch, n, &length) == ZT_BAD_ARG, 0,
          "a length on the host passes", cuda);
    check(zt_ndzip_decompress_async(cuda, out, 3, &whole, scratch, n, result) == ZT_CORRUPT, 0,
          "no table passes", cuda);
    simt_device_give(memory);
    simt_device_give(out);
    simt_device_give(scratch);
    simt_device_give(result);
}

/* What is refused, before anything is queued. */
static void check_refusals(zt_context *cuda, zt_context *serial)
{
    enum { N = 64, BYTES = N * 4, ROOM = 1024 };
    float values[N] = {0};
    uint8_t *const memory = simt_device_take(BYTES), *const out = simt_device_take(ROOM),
                   *const scratch = simt_device_take(ROOM);
    const zt_array there = zt_array_1d(memory, ZT_F32, N), here = zt_array_1d(values, ZT_F32, N);
    zt_zfp zfp, other;
    size_t n = 0;
    (void)zt_zfp_init(&zfp, sizeof zfp);
    (void)zt_zfp_set_rate(&zfp, 8, ZT_F32, 1, 0, NULL);
    other = zfp;
    check(zt_zfp_compress_async(cuda, &there, &other, out, ROOM, scratch, ROOM, &n) == ZT_BAD_ARG,
          0, "values that may be NaN pass", cuda);
    check(zt_zfp_decompress_async(cuda, out, 64, &other, &there, scratch, ROOM) == ZT_OK, 0,
          "decoding asks for a flag", cuda);
    zfp.flags = ZT_ZFP_AS_LIBZFP;
    other.flags = ZT_ZFP_AS_LIBZFP | ZT_ZFP_HEADER;
    check(zt_zfp_compress_async(cuda, &there, &other, out, ROOM, scratch, ROOM, &n) == ZT_BAD_ARG,
          0, "a header passes", cuda);
    other = zfp;
    (void)zt_zfp_set_precision(&other, 20, NULL);
    check(zt_zfp_compress_async(cuda, &there, &other, out, ROOM, scratch, ROOM, &n) ==
              ZT_UNSUPPORTED,
          0, "a mode without fixed rate passes", cuda);
    check(zt_zfp_async_scratch_bytes(serial, &there, &zfp, &n) == ZT_BAD_ARG, 0,
          "another policy passes", serial);
    check(zt_zfp_async_scratch_bytes(cuda, &there, &zfp, &n) == ZT_OK && n <= ROOM, 0,
          "scratch is not known", cuda);
    const size_t needed = n;
    check(zt_zfp_compress_async(cuda, &here, &zfp, out, ROOM, scratch, ROOM, &n) == ZT_BAD_ARG, 0,
          "an array of the host passes", cuda);
    check(zt_zfp_compress_async(cuda, &there, &zfp, values, BYTES, scratch, ROOM, &n) == ZT_BAD_ARG,
          0, "a stream on the host passes", cuda);
    check(zt_zfp_compress_async(cuda, &there, &zfp, out + 4, 512, scratch, ROOM, &n) == ZT_BAD_ARG,
          0, "half a word passes", cuda);
    check(zt_zfp_compress_async(cuda, &there, &zfp, out, 63, scratch, ROOM, &n) == ZT_NO_SPACE, 0,
          "too small a buffer passes", cuda);
    check(zt_zfp_compress_async(cuda, &there, &zfp, out, 64, scratch, needed - 1, &n) ==
              ZT_NO_MEMORY,
          0, "too little scratch passes", cuda);
    check(zt_zfp_compress_async(cuda, &there, &zfp, out, 64, values, needed, &n) == ZT_BAD_ARG, 0,
          "scratch on the host passes", cuda);
    check(zt_zfp_compress_async(cuda, &there, &zfp, out, 64, scratch, needed, NULL) == ZT_BAD_ARG,
          0, "no place for a length passes", cuda);
    check(zt_zfp_decompress_async(cuda, out, 63, &zfp, &there, scratch, needed) == ZT_CORRUPT, 0,
          "a short stream passes", cuda);
    check(zt_zfp_decompress_async(cuda, out, 64, &zfp, &here, scratch, needed) == ZT_BAD_ARG, 0,
          "an array of the host is decoded to", cuda);
    check(zt_zfp_compress_async(cuda, &there, &zfp, out, 64, scratch, needed, &n) == ZT_OK &&
              n == 64,
          0, "what is right does not pass", cuda);
    simt_device_finish();
    simt_device_give(memory);
    simt_device_give(out);
    simt_device_give(scratch);
}

int main(int argc, char **argv)
{
    const uint64_t cases = argc > 2 ? strtoull(argv[2], NULL, 10) : 60;
    for (uint64_t i = 1; i <= cases && failures == 0; i++) {
        struct rng r = {i};
        zt_context *cuda = NULL, *serial = NULL;
        zt_cuda on = {.device = 2, .stream = &r};
        simt_opt.seed = i;
        if (zt_context_new(NULL, &cuda) || zt_context_new(NULL, &serial) ||
            zt_context_set_cuda(cuda, &on))
            return 1;
        check_case(i, cuda, serial, &r);
        if (i % 3 == 1)
            check_ndzip(i, cuda, serial, &r);
        if (i == 1) {
            check_refusals(cuda, serial);
            check_ndzip_refusals(cuda);
        }
        zt_context_free(cuda);
        zt_context_free(serial);
    }
    printf("%llu cases, %u failures\n", (unsigned long long)cases, failures);
    return failures != 0;
}
