/* cuda_scratch_test.c: memory of the device that the cuda policy works in: after zt_cuda_reserve no
 * call allocates; the caller's memory of as many bytes as zt_cuda_scratch_bytes says is enough, and
 * used, and much less is not; and memory of a GPU is refused, with a sentence, where it cannot be
 * used. */
#include "simt_device.h"
#include "support/support.h"
#include "ztile_cuda.h"
#include "ztile_zfp.h"
#include "ztile_expert.h"

#include <stdlib.h>
#include <string.h>

static unsigned failures;

static void check(bool is_good, uint64_t number, const char *what, const zt_context *context)
{
    if (is_good)
        return;
    printf("array %llu: %s (%s)\n", (unsigned long long)number, what, zt_context_error(context));
    failures++;
}

/* A type, rank, codec and bound that kernels are for. */
static zt_params draw(struct rng *r, zt_array *a, struct test_array *memory)
{
    static const uint64_t most[4] = {40000, 200, 36, 14};
    static const uint32_t many_bins[4] = {0, 0, 1026, 4096}; /* of books that kernels make */
    uint64_t shape[ZT_MAX_RANK] = {0};
    int64_t stride[ZT_MAX_RANK] = {0};
    const uint32_t rank = 1 + (uint32_t)rng_below(r, 4);
    zt_params p;
    (void)zt_params_init(&p, sizeof p);
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = 1 + rng_below(r, most[rank - 1]);
    contiguous_strides(rank, shape, stride);
    *memory = test_array_new(1 + (uint32_t)rng_below(r, 4), rank, shape, stride);
    fill_array(&memory->array, (enum data_kind)rng_below(r, DATA_KINDS), rng_next(r));
    *a = memory->array;
    p.codec = ZT_CODEC_ZFP + (uint32_t)rng_below(r, 3);
    const uint32_t coder = (uint32_t)rng_below(r, CODER_HIGH + 1);
    set_coder(&p, coder);
    p.index = (uint32_t)rng_below(r, ZT_INDEX_COMPACT + 1);
    p.index_chunk = rng_once_in(r, 2) ? 0 : 1 + (uint32_t)rng_below(r, 60);
    if (p.index == ZT_INDEX_HYBRID && rng_once_in(r, 2))
        p.index_partition = 1u << rng_below(r, 17);
    p.slab_bytes = rng_once_in(r, 3) ? 1 + rng_below(r, 1 << 15) : p.slab_bytes;
    const double part = 1 / (double)(1 + rng_below(r, 1000));
    const bool is_float = memory->array.type == ZT_F32 || memory->array.type == ZT_F64;
    if (p.codec != ZT_CODEC_NDZIP && rng_once_in(r, 2))
        p.bound = rng_once_in(r, 2)               ? zt_abs(part)
                  : is_float && rng_once_in(r, 3) ? zt_pwrel(part / 2)
                                                  : zt_rel(part / 10);
    else if (p.codec == ZT_CODEC_ZFP && rng_once_in(r, 2))
        p.bound = zt_rate((double)(1 + rng_below(r, 20)));
    if (is_float && coder == CODER_HIGH && (p.bound.kind == ZT_ABS || p.bound.kind == ZT_REL))
        set_coder(&p, rng_once_in(r, 2) ? CODER_TRANSFORM : CODER_HIGH);
    if (p.codec == ZT_CODEC_SZ && coder == CODER_CUSZ && p.slab_bytes > 1 << 15)
        /* one book an array: kernels take long here */
        zt_params_set_sz(&p, ZT_SZ_CUSZ, many_bins[rng_below(r, 4)]);
    return p;
}

/* Whether the host may code an array, which then needs no memory of the device: at effort high,
 * which has no kernels for some, and floats without loss that are decimals or have short bits. */
static bool may_be_coded_here(const zt_array *a, const zt_params *p)
{
    const bool is_float = a->type == ZT_F32 || a->type == ZT_F64;
    return p->effort == ZT_EFFORT_HIGH ||
           (p->codec == ZT_CODEC_SZ && is_float && p->bound.kind == ZT_LOSSLESS);
}

/* Where values, file and decoded values are: the host's memory or the device's. */
struct trip {
    bool is_there;
    zt_array values, back;
    void *file;
    size_t capacity;
};

static struct trip trip_new(bool is_there, const zt_array *a, size_t bytes, size_t capacity)
{
    struct trip p = {is_there, *a, *a, NULL, capacity};
    p.back.data = is_there ? simt_device_take(bytes) : need(bytes);
    p.file = is_there ? simt_device_take(capacity) : need(capacity);
    if (!is_there)
        return p;
    p.values.data = simt_device_take(bytes);
    simt_device_move(p.values.data, a->data, bytes);
    return p;
}

static void trip_free(struct trip *p)
{
    void (*const give)(void *) = p->is_there ? simt_device_give : free;
    give(p->back.data);
    give(p->file);
    if (p->is_there)
        give(p->values.data);
}

/* There and back; the file is copied to 'copy'. */
static zt_status both_ways(zt_context *context, struct trip *trip, const zt_params *p, void *copy,
                           size_t *n)
{
    const zt_status status = zt_compress(context, &trip->values, p, trip->file, trip->capacity, n);
    if (status)
        return status;
    if (trip->is_there)
        simt_device_move(copy, trip->file, *n);
    else
        memcpy(copy, trip->file, *n);
    return zt_decompress(context, trip->file, *n, &trip->back);
}

static void check_array(zt_context *serial, uint64_t number)
{
    struct rng r = {mix64(7, number)};
    struct test_array memory;
    zt_context *cuda = NULL;
    zt_array a;
    const zt_params p = draw(&r, &a, &memory);
    size_t cap = 0, n = 0, m = 0, bytes = 0;
    int token;
    const zt_cuda on_stream = {.stream = &token}; /* a kernel on another one ends the program */
    simt_slab_bytes = 1 + rng_below(&r, 1 << 16);
    if (zt_compress_bound(serial, &a, &p, &cap) != ZT_OK) {
        test_array_free(&memory);
        return;
    }
    uint8_t *one = need(cap), *two = need(cap);
    const zt_status wanted = zt_compress(serial, &a, &p, one, cap, &n);
    if (zt_context_new(NULL, &cuda) != ZT_OK ||
        zt_cuda_scratch_bytes(cuda, &a, &p, &bytes) != ZT_BAD_ARG ||
        zt_context_set_cuda(cuda, &on_stream) != ZT_OK)
        exit(1);
    struct trip trip = trip_new(rng_once_in(&r, 2), &a, memory.memory_bytes, cap);
    check(zt_cuda_reserve(cuda, &a, &p) == ZT_OK, number, "no memory is reserved", cuda);
    const uint64_t before = simt_allocations;
    for (int i = 0; i < 2; i++)
        check(both_ways(cuda, &trip, &p, two, &m) == wanted && m == n && memcmp(one, two, n) == 0,
              number, "the file differs", cuda);
    check(simt_allocations == before, number, "a call allocates", cuda);

    check(zt_cuda_scratch_bytes(cuda, &a, &p, &bytes) == ZT_OK, number, "no answer", cuda);
    void *const lent = simt_device_take(bytes);
    check(zt_cuda_set_scratch(cuda, lent, bytes) == ZT_OK &&
              zt_cuda_reserve(cuda, &a, &p) == ZT_OK &&
              both_ways(cuda, &trip, &p, two, &m) == wanted && m == n && memcmp(one, two, n) == 0 &&
              simt_allocations == before,
          number, "lent memory does not do", cuda);
    check(zt_cuda_set_scratch(cuda, lent, 300) == ZT_OK &&
              (may_be_coded_here(&a, &p) || trip.is_there || /* tiny arrays need no more */
               both_ways(cuda, &trip, &p, two, &m) == ZT_NO_MEMORY),
          number, "300 bytes do", cuda);
    check(zt_cuda_set_scratch(cuda, two, cap) == ZT_BAD_ARG, number, "the host's memory does",
          cuda);
    check(zt_cuda_set_scratch(cuda, NULL, 0) == ZT_OK &&
              both_ways(cuda, &trip, &p, two, &m) == wanted,
          number, "its own memory does not do", cuda);
    simt_device_give(lent);
    trip_free(&trip);
    zt_context_free(cuda);
    test_array_free(&memory);
    free(one);
    free(two);
}

/* Memory of the device without the cuda policy. */
static void check_refusal(zt_context *serial)
{
    void *const there = simt_device_take(4096);
    float here[1024] = {0};
    uint8_t out[16384];
    size_t n;
    zt_params p;
    const zt_array a = zt_array_1d(there, ZT_F32, 1024), b = zt_array_1d(here, ZT_F32, 1024);
    (void)zt_params_init(&p, sizeof p);
    check(zt_compress(serial, &a, &p, out, sizeof out, &n) == ZT_BAD_ARG &&
              strcmp(zt_context_error(serial), "the array is in a GPU's memory, which the cuda "
                                               "policy can use and the others cannot") == 0,
          0, "an array of the device's is not refused", serial);
    check(zt_compress(serial, &b, &p, there, 4096, &n) == ZT_BAD_ARG, 0,
          "a buffer of the device's is not refused", serial);
    check(zt_compress(serial, &b, &p, out, sizeof out, &n) == ZT_OK &&
              zt_decompress(serial, out, n, &a) == ZT_BAD_ARG &&
              zt_decompress(serial, there, 4096, &b) == ZT_BAD_ARG,
          0, "memory of the device's is not refused", serial);
    simt_device_give(there);
}

int main(int argc, char **argv)
{
    const uint64_t arrays = argc > 1 ? strtoull(argv[1], NULL, 10) : 80 / TEST_SHARE;
    zt_context *serial = NULL;
    if (zt_context_new(NULL, &serial) != ZT_OK)
        return 1;
    check_refusal(serial);
    for (uint64_t i = 0; i < arrays && failures < 10; i++)
        check_array(serial, i);
    printf("%llu arrays, %u failures\n", (unsigned long long)arrays, failures);
    zt_context_free(serial);
    return failures != 0;
}
