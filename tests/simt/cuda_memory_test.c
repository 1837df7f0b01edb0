/* cuda_memory_test.c: the calls on arrays of the device's memory that random cases leave out:
 * writers, readers, scans, comparisons, plans; and those that refuse such memory. */
#include "core/device.h"
#include "simt_device.h"
#include "support/support.h"
#include "ztile_cuda.h"
#include "ztile_sz.h"
#include "ztile_zfp.h"
#include "ztile_quality.h"
#include "ztile_expert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NZ = 37, NY = 21, NX = 30, VALUES = NZ * NY * NX, FILE_BYTES = 1 << 20 };

static unsigned failures;

#define CHECK(condition, context)                                                                  \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, zt_context_error(context)); \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

struct file {
    uint8_t bytes[FILE_BYTES];
    size_t n;
};

static int put_to(void *user, const void *data, size_t bytes)
{
    struct file *f = user;
    if (bytes > FILE_BYTES - f->n)
        return 1;
    memcpy(f->bytes + f->n, data, bytes);
    f->n += bytes;
    return 0;
}

static int take_from(void *user, uint64_t offset, void *buffer, size_t bytes, size_t *got)
{
    const struct file *f = user;
    *got = offset >= f->n ? 0 : f->n - offset < bytes ? (size_t)(f->n - offset) : bytes;
    memcpy(buffer, f->bytes + offset, *got);
    return 0;
}

/* A writer that is given slabs of 5 slices of the device's memory, and a reader into it. */
static void check_files(zt_context *cuda, zt_context *serial, const float *values,
                        const zt_array *there, const zt_params *p)
{
    static struct file one, two;
    static float back[VALUES], wanted[VALUES];
    const zt_array here = zt_array_const_3d(values, ZT_F32, NZ, NY, NX);
    const zt_array to = zt_array_3d(wanted, ZT_F32, NZ, NY, NX);
    const zt_sink sink = {.write = put_to, .user = &two};
    zt_writer *writer = NULL;
    zt_reader *reader = NULL;
    uint64_t first = 0, extent = 0;
    CHECK(zt_compress(serial, &here, p, one.bytes, FILE_BYTES, &one.n) == ZT_OK, serial);
    two.n = 0;
    CHECK(zt_writer_open(cuda, &sink, there, p, &writer) == ZT_OK, cuda);
    for (uint64_t z = 0; z < NZ; z += 5) {
        zt_array slab = *there;
        slab.data = (float *)there->data + z * NY * NX;
        slab.shape[0] = NZ - z < 5 ? NZ - z : 5;
        CHECK(zt_writer_put(writer, &slab) == ZT_OK, cuda);
    }
    CHECK(zt_writer_close(writer) == ZT_OK, cuda);
    zt_writer_free(writer);
    CHECK(one.n == two.n && memcmp(one.bytes, two.bytes, one.n) == 0, cuda);

    const zt_source source = {.read = take_from, .user = &two, .source_bytes = two.n};
    float *const out = simt_device_take(sizeof back);
    CHECK(zt_reader_open(cuda, &source, &reader) == ZT_OK, cuda);
    while (zt_reader_next(reader, &first, &extent) == ZT_OK && extent > 0) {
        const zt_array slab = zt_array_3d(out + first * NY * NX, ZT_F32, extent, NY, NX);
        CHECK(zt_reader_read(reader, &slab) == ZT_OK, cuda);
    }
    zt_reader_close(reader);
    simt_device_move(back, out, sizeof back);
    CHECK(zt_decompress(serial, one.bytes, one.n, &to) == ZT_OK &&
              memcmp(back, wanted, sizeof back) == 0,
          serial);

    zt_quality a, b;
    zt_quality_init(&a, sizeof a);
    zt_quality_init(&b, sizeof b);
    const zt_array made = zt_array_3d(out, ZT_F32, NZ, NY, NX);
    CHECK(zt_compare(cuda, there, &made, &a) == ZT_OK, cuda);
    CHECK(zt_compare(serial, &here, &to, &b) == ZT_OK, serial);
    CHECK(a.values == VALUES && a.max_abs_error == b.max_abs_error &&
              a.different_values == b.different_values && a.sum_squares == b.sum_squares,
          cuda);
    simt_device_give(out);
}

static void check_scan(zt_context *cuda, zt_context *serial, const float *values,
                       const zt_array *there)
{
    const zt_array here = zt_array_const_3d(values, ZT_F32, NZ, NY, NX);
    zt_stats a, b;
    zt_stats_init(&a, sizeof a);
    zt_stats_init(&b, sizeof b);
    CHECK(zt_scan(cuda, there, &a) == ZT_OK && zt_scan(serial, &here, &b) == ZT_OK, cuda);
    CHECK(a.values == VALUES && a.nan_values == 1 && a.nan_values == b.nan_values &&
              a.min == b.min && a.max == b.max,
          cuda);
}

/* Arrays of any type, kind and strides, with fill values. */
static void check_scans(zt_context *cuda, zt_context *serial)
{
    for (uint64_t number = 0; number < 60; number += TEST_STEP) {
        struct rng r = {mix64(3, number)};
        const uint32_t rank = 1 + (uint32_t)rng_below(&r, 4), type = 1 + (uint32_t)(number % 4);
        uint64_t shape[ZT_MAX_RANK] = {0};
        int64_t stride[ZT_MAX_RANK] = {0};
        for (uint32_t i = 0; i < rank; i++)
            shape[i] = 1 + rng_below(&r, rank == 1 ? 3000 : 9);
        contiguous_strides(rank, shape, stride);
        if (rng_once_in(&r, 2))
            random_strides(&r, rank, shape, stride);
        struct test_array here = test_array_new(type, rank, shape, stride);
        fill_array(&here.array, (enum data_kind)rng_below(&r, DATA_KINDS), number);
        unsigned char *const memory = simt_device_take(here.memory_bytes);
        simt_device_move(memory, here.memory, here.memory_bytes);
        zt_array there = here.array;
        there.data = memory + ((unsigned char *)here.array.data - here.memory);
        zt_stats a, b;
        zt_stats_init(&a, sizeof a);
        zt_stats_init(&b, sizeof b);
        a.fills = b.fills = (uint32_t)rng_below(&r, 3);
        for (uint32_t k = 0; k < a.fills; k++) /* some value's bits, perhaps NaN's */
            memcpy(&a.fill[k], here.array.data, zt_type_bytes(type));
        memcpy(b.fill, a.fill, sizeof b.fill);
        CHECK(zt_scan(cuda, &there, &a) == ZT_OK && zt_scan(serial, &here.array, &b) == ZT_OK,
              cuda);
        CHECK(memcmp(&a, &b, sizeof a) == 0 ||
                  (isnan(a.min) && isnan(b.min) && a.nan_values == b.nan_values &&
                   a.inf_values == b.inf_values && a.fill_values == b.fill_values),
              cuda);
        simt_device_give(memory);
        test_array_free(&here);
    }
}

/* The largest piece of the host's memory that a context asks for. */
static size_t largest;

static void *take_noting(void *user, size_t bytes)
{
    (void)user;
    largest = bytes > largest ? bytes : largest;
    return malloc(bytes);
}

static void give(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* Values without NaN are not fetched for a lossy zfp stream or file, nor for its range. */
static void check_nothing_is_fetched(zt_context *serial, const float *values)
{
    const zt_allocator allocator = {.alloc = take_noting, .release = give};
    const zt_array here = zt_array_const_3d(values, ZT_F32, NZ, NY, NX);
    static uint8_t one[FILE_BYTES], two[FILE_BYTES];
    size_t n = 0, m = 0;
    zt_context *cuda = NULL;
    zt_params p;
    zt_zfp zfp;
    if (zt_context_new(&allocator, &cuda) != ZT_OK || zt_context_set_policy(cuda, ZT_CUDA) != ZT_OK)
        exit(1);
    float *const memory = simt_device_take(VALUES * sizeof *values);
    simt_device_move(memory, values, VALUES * sizeof *values);
    const zt_array there = zt_array_3d(memory, ZT_F32, NZ, NY, NX);
    zt_zfp_init(&zfp, sizeof zfp);
    zt_zfp_set_rate(&zfp, 4, ZT_F32, 3, 0, NULL);
    zt_params_init(&p, sizeof p);
    p.codec = ZT_CODEC_ZFP;
    p.plan = ZT_PLAN_OFF;
    p.bound = zt_precision(8);
    largest = 0;
    CHECK(zt_zfp_compress(serial, &here, &zfp, one, FILE_BYTES, &n) == ZT_OK &&
              zt_zfp_compress(cuda, &there, &zfp, two, FILE_BYTES, &m) == ZT_OK && n == m &&
              memcmp(one, two, n) == 0,
          cuda);
    CHECK(zt_compress(serial, &here, &p, one, FILE_BYTES, &n) == ZT_OK &&
              zt_compress(cuda, &there, &p, two, FILE_BYTES, &m) == ZT_OK && n == m &&
              memcmp(one, two, n) == 0,
          cuda);
    CHECK(largest < VALUES * sizeof *values, cuda);
    simt_device_give(memory);
    zt_context_free(cuda);
}

/* Waves with a little noise. */
static void fill_wave(float *values, uint32_t count, uint32_t side)
{
    for (uint32_t i = 0; i < count; i++)
        values[i] = sinf((float)i / 70000) + cosf((float)(i % side) / 20) + (float)(i % 3) / 5000;
}

/* A file that the host has encoded, from the device's memory to the device's: headers, tails and
 * counts cross, neither values nor coded bits. */
static void check_decodes_there(zt_context *cuda, zt_context *serial, uint32_t coder,
                                zt_bound bound)
{
    enum { SIDE = 65, COUNT = SIDE * SIDE * SIDE, BYTES = COUNT * 4, MOST = 20000 };
    float *const values = malloc(BYTES), *const wanted = malloc(BYTES);
    uint8_t *const file = malloc(2 * BYTES), *const there = simt_device_take(2 * BYTES);
    float *const back = simt_device_take(BYTES);
    const zt_array here = zt_array_3d(values, ZT_F32, SIDE, SIDE, SIDE);
    zt_array target = here, home = here;
    zt_params p;
    size_t n = 0;
    fill_wave(values, COUNT, SIDE);
    target.data = back;
    home.data = wanted;
    zt_params_init(&p, sizeof p);
    p.codec = ZT_CODEC_SZ;
    p.bound = bound;
    p.index = ZT_INDEX_HYBRID;
    p.index_chunk = 1;
    set_coder(&p, coder);
    CHECK(zt_compress(serial, &here, &p, file, 2 * BYTES, &n) == ZT_OK, serial);
    CHECK(zt_decompress(serial, file, n, &home) == ZT_OK, serial);
    simt_device_move(there, file, n);
    const uint64_t before = simt_crossing_bytes;
    CHECK(zt_decompress(cuda, there, n, &target) == ZT_OK, cuda);
    const uint64_t crossing = simt_crossing_bytes - before;
    CHECK(crossing < MOST && n > MOST, cuda);
    simt_device_move(values, back, BYTES);
    CHECK(memcmp(values, wanted, BYTES) == 0, cuda);
    simt_device_give(there);
    simt_device_give(back);
    free(values);
    free(wanted);
    free(file);
}

/* Coders of large tiles ask for counts and lengths, samples and boxes, and send tables, but no copy
 * is large enough for all values. */
static void check_encodes_there(zt_context *cuda, zt_context *serial, uint32_t coder,
                                zt_bound bound)
{
    enum { SIDE = 44, COUNT = SIDE * SIDE * SIDE, BYTES = COUNT * 4 };
    float *const values = malloc(BYTES);
    uint8_t *const one = malloc(2 * BYTES), *const two = malloc(2 * BYTES);
    uint8_t *const out = simt_device_take(2 * BYTES);
    float *const memory = simt_device_take(BYTES);
    const zt_array here = zt_array_3d(values, ZT_F32, SIDE, SIDE, SIDE);
    zt_array there = here;
    zt_params p;
    size_t n = 0, m = 0;
    fill_wave(values, COUNT, SIDE);
    simt_device_move(memory, values, BYTES);
    there.data = memory;
    zt_params_init(&p, sizeof p);
    p.codec = ZT_CODEC_SZ;
    p.bound = bound;
    set_coder(&p, coder);
    CHECK(zt_compress(serial, &here, &p, one, 2 * BYTES, &n) == ZT_OK, serial);
    simt_crossing_most = 0;
    CHECK(zt_compress(cuda, &there, &p, out, 2 * BYTES, &m) == ZT_OK && m == n, cuda);
    CHECK(simt_crossing_most < BYTES * 5 / 8 && n < BYTES, cuda);
    simt_device_move(two, out, m);
    CHECK(memcmp(one, two, n) == 0, cuda);
    simt_device_give(out);
    simt_device_give(memory);
    free(values);
    free(one);
    free(two);
}

/* From the device's memory to the device's, and back: the bytes of the host, and between the two
 * memories go headers, tails and counts, but neither values nor coded bits. */
static void check_stays_there(zt_context *cuda, zt_context *serial, uint32_t codec, zt_bound bound,
                              zt_effort effort, uint64_t most_bytes)
{
    enum { SIDE = 80, COUNT = SIDE * SIDE * SIDE, BYTES = COUNT * 4 };
    float *const values = malloc(BYTES);
    uint8_t *const one = malloc(2 * BYTES), *const two = malloc(2 * BYTES);
    uint8_t *const out = simt_device_take(2 * BYTES);
    float *const memory = simt_device_take(BYTES), *const back = simt_device_take(BYTES);
    const zt_array here = zt_array_3d(values, ZT_F32, SIDE, SIDE, SIDE);
    zt_array there = here, target = here, home = here;
    zt_params p;
    size_t n = 0, m = 0;
    fill_wave(values, COUNT, SIDE);
    simt_device_move(memory, values, BYTES);
    there.data = memory;
    target.data = back;
    home.data = two;
    zt_params_init(&p, sizeof p);
    p.codec = codec;
    p.bound = bound;
    p.effort = effort;
    CHECK(zt_compress(serial, &here, &p, one, 2 * BYTES, &n) == ZT_OK, serial);
    uint64_t before = simt_crossing_bytes;
    CHECK(zt_compress(cuda, &there, &p, out, 2 * BYTES, &m) == ZT_OK && m == n, cuda);
    const uint64_t compressing = simt_crossing_bytes - before;
    simt_device_move(two, out, m);
    CHECK(memcmp(one, two, n) == 0, cuda);
    before = simt_crossing_bytes;
    CHECK(zt_decompress(cuda, out, m, &target) == ZT_OK, cuda);
    const uint64_t decompressing = simt_crossing_bytes - before;
    CHECK(zt_decompress(serial, one, n, &home) == ZT_OK, serial);
    simt_device_move(values, back, BYTES);
    CHECK(memcmp(values, two, BYTES) == 0, cuda);
    one[n / 2] ^= 4;
    simt_device_move(out, one, n);
    CHECK(zt_decompress(cuda, out, m, &target) == ZT_CORRUPT, cuda);
    CHECK(zt_decompress(serial, one, n, &home) == ZT_CORRUPT, serial);
    CHECK(strcmp(zt_context_error(cuda), zt_context_error(serial)) == 0, cuda);
    /* the host goes through a small file, which has no index */
    if (compressing > most_bytes || decompressing > most_bytes + n) {
        printf("%s, effort %d: %llu and %llu of %d bytes cross; %llu may\n",
               codec == ZT_CODEC_ZFP     ? "zfp"
               : codec == ZT_CODEC_NDZIP ? "ndzip"
                                         : "sz",
               (int)effort, (unsigned long long)compressing, (unsigned long long)decompressing,
               BYTES, (unsigned long long)most_bytes);
        failures++;
    }
    free(values);
    free(one);
    free(two);
    simt_device_give(out);
    simt_device_give(memory);
    simt_device_give(back);
}

/* Smooth values, which are interpolated, are copied to the host to be learnt from; the file is the
 * same. */
static void check_smooth(zt_context *cuda, zt_context *serial)
{
    enum { COUNT = 24000, BYTES = COUNT * 4 };
    static float values[COUNT];
    static uint8_t one[2 * BYTES], two[2 * BYTES];
    uint8_t *const out = simt_device_take(2 * BYTES);
    zt_array here = zt_array_1d(values, ZT_F32, COUNT), there = here;
    zt_info info;
    zt_sz_info sz;
    zt_params p;
    size_t n = 0, m = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = sinf((float)i / 100);
    there.data = simt_device_take(BYTES);
    simt_device_move(there.data, values, BYTES);
    zt_params_init(&p, sizeof p);
    p.codec = ZT_CODEC_SZ;
    p.bound = zt_abs(1e-3);
    CHECK(zt_compress(serial, &here, &p, one, sizeof one, &n) == ZT_OK, serial);
    zt_info_init(&info, sizeof info);
    CHECK(zt_inspect(serial, one, n, &info) == ZT_OK && zt_info_sz(&info, &sz) == ZT_OK &&
              sz.effort == ZT_EFFORT_HIGH,
          serial);
    CHECK(zt_compress(cuda, &there, &p, out, sizeof two, &m) == ZT_OK && m == n, cuda);
    simt_device_move(two, out, m);
    CHECK(memcmp(one, two, n) == 0, cuda);
    simt_device_give(there.data);
    simt_device_give(out);
}

/* A header that is shorter than was guessed when its payload was coded moves that: with names of
 * all lengths some are. */
static void check_guesses(zt_context *cuda, zt_context *serial)
{
    enum { COUNT = 24000, BYTES = COUNT * 4 };
    static float values[COUNT];
    static uint8_t one[2 * BYTES], two[2 * BYTES];
    char name[72] = "";
    uint8_t *const out = simt_device_take(2 * BYTES);
    float *const memory = simt_device_take(BYTES);
    zt_array here = zt_array_1d(values, ZT_F32, COUNT), there = here;
    zt_params p;
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = sinf((float)i / 100) + (float)(i % 7) / 1000;
    simt_device_move(memory, values, BYTES);
    there.data = memory;
    zt_params_init(&p, sizeof p);
    p.codec = ZT_CODEC_SZ;
    p.bound = zt_abs(1e-3);
    for (size_t length = 0; length < 64; length += TEST_SHARE) {
        size_t n = 0, m = 0;
        memset(name, 'n', length);
        p.name = length > 0 ? name : NULL;
        CHECK(zt_compress(serial, &here, &p, one, sizeof one, &n) == ZT_OK, serial);
        const uint64_t before = simt_crossing_bytes;
        CHECK(zt_compress(cuda, &there, &p, out, sizeof two, &m) == ZT_OK && m == n, cuda);
        CHECK(simt_crossing_bytes - before < BYTES / 2, cuda);
        simt_device_move(two, out, m);
        CHECK(memcmp(one, two, n) == 0, cuda);
    }
    simt_device_give(out);
    simt_device_give(memory);
}

/* Calls that need the host's memory, and a file that does not fit into the device's. */
static void check_refusals(zt_context *cuda, const zt_array *there)
{
    uint8_t stream[4096] = {0};
    zt_zfp zfp;
    zt_params p;
    size_t n = 0;
    const zt_box box = {{0, 0, 0}, {NZ, NY, NX}};
    zt_zfp_init(&zfp, sizeof zfp);
    zt_zfp_set_rate(&zfp, 8, ZT_F32, 3, 0, NULL);
    CHECK(zt_zfp_write_box(cuda, stream, sizeof stream, &zfp, there, &box, there) == ZT_BAD_ARG,
          cuda);
    CHECK(strcmp(zt_context_error(cuda),
                 "the box is in a GPU's memory; this call takes memory of the host") == 0,
          cuda);
    zt_params_init(&p, sizeof p);
    void *const small = simt_device_take(1000);
    CHECK(zt_compress(cuda, there, &p, small, 1000, &n) == ZT_NO_SPACE, cuda);
    simt_device_give(small);
}

/* Values of the first two slabs are brought once, to be counted and to be coded; also where others
 * were at the same address before, and where there are gaps between them. */
static void check_nothing_is_brought_twice(zt_context *serial, float *values)
{
    static const struct {
        uint32_t effort, slab_rows, twice; /* rows that are */
    } rows[] = {
        {CODER_DEFAULT, 48, 0},       {CODER_DEFAULT, 32, 0},
        {CODER_DEFAULT, 19, 0}, /* not of one layer, of which there are three */
        {CODER_DEFAULT, 16, NZ - 32}, {CODER_CUSZ, 32, 0},
        {CODER_FAST, 16, 0},          {CODER_HIGH, 48, NZ}}; /* which codes with default as well */
    static uint8_t one[FILE_BYTES], two[FILE_BYTES];
    for (uint32_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const uint64_t x = i % 2 ? NX / 2 : NX; /* of rows of NX values */
        const uint64_t shape[3] = {NZ, NY, x};
        zt_array a = zt_array_nd(values, ZT_F32, 3, shape);
        zt_context *cuda = NULL;
        zt_params p;
        size_t n = 0, m = 0;
        zt_params_init(&p, sizeof p);
        p.codec = ZT_CODEC_SZ;
        set_coder(&p, rows[i / 2].effort);
        p.bound = zt_abs(1e-3);
        p.prefer = ZT_PREFER_SPEED; /* else smooth values are interpolated */
        a.stride[1] = NX;
        a.stride[0] = NY * NX;
        simt_slab_bytes = rows[i / 2].slab_rows * NY * x * 4;
        CHECK(zt_context_new(NULL, &cuda) == ZT_OK && zt_context_set_policy(cuda, ZT_CUDA) == ZT_OK,
              cuda);
        for (uint32_t k = 0; k < 2; k++) {
            values[0] += 1;
            simt_values_bytes = 0;
            CHECK(zt_compress(serial, &a, &p, one, sizeof one, &n) == ZT_OK, serial);
            CHECK(zt_compress(cuda, &a, &p, two, sizeof two, &m) == ZT_OK, cuda);
            CHECK(n == m && memcmp(one, two, n) == 0, cuda);
            CHECK(simt_values_bytes == (NZ + rows[i / 2].twice) * NY * x * 4, cuda);
        }
        zt_context_free(cuda);
    }
}

/* The device of these tests itself: a copy to the host is there once the host has waited for its
 * queue, and not before. */
static void check_copies_are_late(zt_context *cuda)
{
    enum { BYTES = 3000 };
    uint8_t here[BYTES], wanted[BYTES];
    struct zti_device *const device = cuda->device;
    uint8_t *const there = simt_device_take(BYTES);
    for (size_t bytes = 1; bytes <= BYTES; bytes += 1 + bytes / 2) {
        memset(wanted, (int)bytes, bytes);
        memset(here, (int)bytes, bytes);
        simt_device_move(there, wanted, bytes);
        CHECK(device->copy(cuda, ZTI_QUEUE_OUT, here, there, bytes) == ZT_OK &&
                  device->wait(cuda, ZTI_QUEUE_KERNELS) == ZT_OK &&
                  memcmp(here, wanted, bytes) != 0,
              cuda);
        CHECK(device->wait(cuda, ZTI_QUEUE_OUT) == ZT_OK && memcmp(here, wanted, bytes) == 0, cuda);
    }
    simt_device_give(there);
}

int main(void)
{
    static float values[VALUES];
    static const uint32_t codecs[] = {ZT_CODEC_ZFP, ZT_CODEC_NDZIP, ZT_CODEC_SZ};
    zt_context *serial = NULL, *cuda = NULL;
    const zt_cuda second = {.device = 1};
    simt_slab_bytes = 20000;
    if (zt_context_new(NULL, &serial) != ZT_OK || zt_context_new(NULL, &cuda) != ZT_OK ||
        zt_context_set_cuda(cuda, &second) != ZT_OK)
        return 1;
    for (uint32_t i = 0; i < VALUES; i++)
        values[i] = sinf((float)i / 700) + (float)(i % NX) / 50;
    check_nothing_is_fetched(serial, values);
    check_nothing_is_brought_twice(serial, values);
    simt_slab_bytes = 1 << 20;
    CHECK(zt_context_set_cuda(cuda, &second) == ZT_OK, cuda);
    check_copies_are_late(cuda);
    check_smooth(cuda, serial);
    check_guesses(cuda, serial);
    check_stays_there(cuda, serial, ZT_CODEC_ZFP, zt_rate(8), ZT_EFFORT_DEFAULT, 20000);
    check_stays_there(cuda, serial, ZT_CODEC_ZFP, zt_abs(1e-3), ZT_EFFORT_DEFAULT, 40000);
    /* most tiles are not proved: a copy of them, none of the rest */
    check_stays_there(cuda, serial, ZT_CODEC_ZFP, zt_abs(1e-6), ZT_EFFORT_DEFAULT, 3600000);
    check_stays_there(cuda, serial, ZT_CODEC_NDZIP, zt_lossless(), ZT_EFFORT_DEFAULT, 20000);
    check_stays_there(cuda, serial, ZT_CODEC_SZ, zt_abs(1e-3), ZT_EFFORT_FAST, 4000);
    check_stays_there(cuda, serial, ZT_CODEC_SZ, zt_rel(1e-3), ZT_EFFORT_DEFAULT, 30000);
    check_encodes_there(cuda, serial, CODER_TRANSFORM, zt_abs(1e-3));
    check_encodes_there(cuda, serial, CODER_HIGH, zt_lossless());
    check_decodes_there(cuda, serial, CODER_HIGH, zt_lossless());
    check_decodes_there(cuda, serial, CODER_TRANSFORM, zt_abs(1e-6));
    simt_slab_bytes = 20000;
    CHECK(zt_context_set_cuda(cuda, &second) == ZT_OK, cuda);
    check_scans(cuda, serial);
    values[123] = NAN;
    float *const memory = simt_device_take(sizeof values);
    simt_device_move(memory, values, sizeof values);
    const zt_array there = zt_array_3d(memory, ZT_F32, NZ, NY, NX);
    check_scan(cuda, serial, values, &there);
    check_refusals(cuda, &there);
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t k = 0; k < 4; k++) { /* plan, bound */
            if ((4 * c + k) % TEST_STEP != 0)
                continue;
            zt_params p;
            zt_params_init(&p, sizeof p);
            p.codec = codecs[c];
            p.plan = k & 1 ? ZT_PLAN_ON : ZT_PLAN_OFF;
            p.slab_bytes = 16 * NY * NX * sizeof *values;
            if (k & 2 && codecs[c] != ZT_CODEC_NDZIP)
                p.bound = zt_abs(1e-3);
            check_files(cuda, serial, values, &there, &p);
        }
    simt_device_give(memory);
    CHECK(simt_current_device == SIMT_CALLERS_DEVICE, cuda);
    printf("%u failures\n", failures);
    zt_context_free(serial);
    zt_context_free(cuda);
    return failures != 0;
}
