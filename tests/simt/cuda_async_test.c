/* cuda_async_test.c: gpu/async_cases.h with every order of threads, blocks and queues, and what
 * calls without waiting refuse. */
#include "gpu/async_cases.h"
#include "simt_device.h"
#include "simt_runtime.h"
#include "support/support.h"
#include "ztile_cuda.h"
#include "ztile_expert.h"
#include "ztile_ndzip.h"
#include "ztile_sz.h"
#include "ztile_zfp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static unsigned failures;

static void check(bool is_good, const char *what, const zt_context *context)
{
    if (is_good)
        return;
    printf("%s (%s)\n", what, zt_context_error(context));
    failures++;
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
    check(zt_ndzip_async_scratch_bytes(cuda, &odd, &n) == ZT_UNSUPPORTED, "a border passes", cuda);
    check(zt_ndzip_async_scratch_bytes(cuda, &integers, &n) == ZT_UNSUPPORTED, "integers pass",
          cuda);
    check(zt_ndzip_async_scratch_bytes(cuda, &whole, &n) == ZT_OK && n <= 1024, "no scratch", cuda);
    check(zt_ndzip_compress_async(cuda, &whole, out, 4096, scratch, n, result) == ZT_NO_SPACE,
          "little room passes", cuda);
    check(zt_ndzip_compress_async(cuda, &whole, out, ROOM, scratch, n - 1, result) == ZT_NO_MEMORY,
          "little scratch passes", cuda);
    check(zt_ndzip_compress_async(cuda, &whole, out, ROOM, scratch, n, &length) == ZT_BAD_ARG,
          "a length on the host passes", cuda);
    check(zt_ndzip_decompress_async(cuda, out, 3, &whole, scratch, n, result) == ZT_CORRUPT,
          "no table passes", cuda);
    simt_device_give(memory);
    simt_device_give(out);
    simt_device_give(scratch);
    simt_device_give(result);
}

/* What a file of sz refuses. */
static void check_file_refusals(zt_context *cuda, zt_context *serial)
{
    enum { N = 5000, ROOM = 60000, SCRATCH = 20000 };
    size_t scratch_bytes = 0, capacity = 0;
    uint64_t length;
    uint8_t *const memory = simt_device_take(N * 4), *const out = simt_device_take(ROOM),
                   *const scratch = simt_device_take(SCRATCH);
    uint64_t *const result = simt_device_take(8);
    const zt_array there = zt_array_1d(memory, ZT_F32, N);
    zt_params fast = zt_params_abs(1e-3);
    fast.effort = ZT_EFFORT_FAST;
    enum { OTHERS = 10 };
    zt_params other[OTHERS];
    for (int i = 0; i < OTHERS; i++)
        other[i] = fast;
    other[0].effort = ZT_EFFORT_HIGH;
    other[1].bound = zt_rel(1e-3);
    other[2].bound = zt_abs(0);
    other[3].plan = ZT_PLAN_ON;
    other[4].fills = 1;
    other[5].within_lo = 0;
    other[6].slab_bytes = 16384;
    other[7].codec = ZT_CODEC_ZFP;
    other[8].mean = zt_psnr(60);
    zt_params_set_sz(&other[9], ZT_SZ_CUSZ, 0);
    for (int i = 0; i < OTHERS; i++) {
        char what[40];
        (void)snprintf(what, sizeof what, "parameters %d pass", i);
        check(zt_compress_async_bytes(cuda, &there, &other[i], &scratch_bytes, &capacity) ==
                  ZT_UNSUPPORTED,
              what, cuda);
    }
    check(zt_compress_async_bytes(serial, &there, &fast, &scratch_bytes, &capacity) == ZT_BAD_ARG,
          "another policy passes", serial);
    check(zt_compress_async_bytes(cuda, &there, &fast, &scratch_bytes, NULL) == ZT_BAD_ARG,
          "no place for a number passes", cuda);
    check(zt_compress_async_bytes(cuda, &there, &fast, &scratch_bytes, &capacity) == ZT_OK &&
              scratch_bytes <= SCRATCH && capacity <= ROOM,
          "sizes are not known", cuda);
    check(zt_compress_async(cuda, &there, &fast, out, capacity - 1, scratch, scratch_bytes,
                            result) == ZT_NO_SPACE,
          "little room passes", cuda);
    check(zt_compress_async(cuda, &there, &fast, out, capacity, scratch, scratch_bytes - 1,
                            result) == ZT_NO_MEMORY,
          "little scratch passes", cuda);
    check(zt_compress_async(cuda, &there, &fast, out, capacity, scratch, scratch_bytes, &length) ==
              ZT_BAD_ARG,
          "a length on the host passes", cuda);
    check(zt_compress_async(cuda, &there, &fast, out + 4, capacity, scratch, scratch_bytes,
                            result) == ZT_BAD_ARG,
          "half a word passes", cuda);
    check(zt_decompress_async_bytes(serial, &there, &scratch_bytes) == ZT_BAD_ARG,
          "another policy passes to decode", serial);
    check(zt_decompress_async(cuda, out, 63, &there, scratch, SCRATCH, result) != ZT_OK,
          "63 bytes pass", cuda);
    check(zt_decompress_async(cuda, out, capacity, &there, scratch, 64, result) == ZT_NO_MEMORY,
          "little scratch passes to decode", cuda);
    check(zt_decompress_async(cuda, &length, capacity, &there, scratch, SCRATCH, result) ==
              ZT_BAD_ARG,
          "a file on the host passes", cuda);
    simt_device_give(memory);
    simt_device_give(out);
    simt_device_give(scratch);
    simt_device_give(result);
}

/* Files of coders that have no kernels here give a status. */
static void check_other_files(zt_context *cuda, zt_context *serial)
{
    enum { N = 5000, ROOM = 60000 };
    static float values[N];
    static uint8_t file[ROOM];
    size_t scratch_bytes = 0, n = 0;
    uint8_t *const out = simt_device_take(ROOM);
    float *const there = simt_device_take(sizeof values);
    uint64_t *const result = simt_device_take(8), status = 0;
    const zt_array array = zt_array_1d(values, ZT_F32, N), target = zt_array_1d(there, ZT_F32, N);
    zt_params params[3] = {zt_params_abs(1e-3), zt_params_abs(1e-3), zt_params_abs(1e-3)};
    zt_params_set_sz(&params[0], ZT_SZ_CUSZ, 0);
    zt_params_set_sz(&params[1], ZT_SZ_TRANSFORM, 0);
    params[2].bound = zt_pwrel(1e-3);
    for (int i = 0; i < N; i++)
        values[i] = (float)(i * 37 % 1000) * 0.01f;
    check(zt_decompress_async_bytes(cuda, &target, &scratch_bytes) == ZT_OK, "no scratch", cuda);
    uint8_t *const scratch = simt_device_take(scratch_bytes);
    for (int i = 0; i < 3; i++) {
        params[i].codec = ZT_CODEC_SZ;
        check(zt_compress(serial, &array, &params[i], file, sizeof file, &n) == ZT_OK,
              "another coder does not code", serial);
        simt_device_move(out, file, n);
        check(zt_decompress_async(cuda, out, n, &target, scratch, scratch_bytes, result) == ZT_OK,
              "another coder's file is looked at on the host", cuda);
        simt_device_finish();
        simt_device_move(&status, result, sizeof status);
        check(status == ZT_UNSUPPORTED, "another coder's file is not refused", cuda);
    }
    simt_device_give(out);
    simt_device_give(there);
    simt_device_give(result);
    simt_device_give(scratch);
}

/* Calls that wait do so once to compress, under abs, and once to look at a header and once to
 * decompress; under rel also for the range. NaN takes other kernels. */
static void check_waits(zt_context *cuda, zt_context *serial)
{
    enum { SIDE = 34, N = SIDE * SIDE * SIDE };
    static float values[N], back[N];
    const uint64_t shape[] = {SIDE, SIDE, SIDE};
    float *const there = simt_device_take(sizeof values);
    const zt_array array = zt_array_nd(there, ZT_F32, 3, shape);
    zt_array here = array;
    here.data = values;
    for (int i = 0; i < 3; i++) { /* abs, rel, NaN */
        struct rng r = {mix64(3, (uint64_t)i)};
        size_t most = 0, n = 0, m = 0;
        zt_params p = i == 1 ? zt_params_abs(0) : zt_params_abs(1e-3);
        p.bound = i == 1 ? zt_rel(1e-4) : p.bound;
        p.codec = ZT_CODEC_SZ;
        p.index = ZT_INDEX_COMPACT;
        p.prefer = ZT_PREFER_SPEED; /* else samples are looked at before */
        fill_array(&here, DATA_WAVE_NOISE, rng_next(&r));
        values[N / 2] = i == 2 ? NAN : values[N / 2];
        simt_device_move(there, values, sizeof values);
        check(zt_compress_bound(cuda, &array, &p, &most) == ZT_OK, "no bound", cuda);
        uint8_t *const out = simt_device_take(most), *const file = malloc(2 * most);
        uint64_t waits = simt_waits;
        check(zt_compress(cuda, &array, &p, out, most, &n) == ZT_OK, "does not compress", cuda);
        waits = simt_waits - waits;
        check(i < 2 ? waits == 1 + (uint64_t)i : waits > 2, "other waits to compress", cuda);
        simt_device_move(file, out, n);
        check(zt_compress(serial, &here, &p, file + most, most, &m) == ZT_OK && n == m &&
                  memcmp(file, file + most, n) == 0,
              "other bytes of a call that waits", serial);
        waits = simt_waits;
        check(zt_decompress(cuda, out, n, &array) == ZT_OK, "does not decompress", cuda);
        check(i > 1 || simt_waits - waits == 2, "other waits to decompress", cuda);
        simt_device_move(back, there, sizeof back);
        check(zt_decompress(serial, file, n, &here) == ZT_OK &&
                  memcmp(back, values, sizeof back) == 0,
              "other values of a call that waits", serial);
        free(file);
        simt_device_give(out);
    }
    simt_device_give(there);
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
          "values that may be NaN pass", cuda);
    check(zt_zfp_decompress_async(cuda, out, 64, &other, &there, scratch, ROOM) == ZT_OK,
          "decoding asks for a flag", cuda);
    zfp.flags = ZT_ZFP_AS_LIBZFP;
    other.flags = ZT_ZFP_AS_LIBZFP | ZT_ZFP_HEADER;
    check(zt_zfp_compress_async(cuda, &there, &other, out, ROOM, scratch, ROOM, &n) == ZT_BAD_ARG,
          "a header passes", cuda);
    other = zfp;
    (void)zt_zfp_set_precision(&other, 20, NULL);
    check(zt_zfp_compress_async(cuda, &there, &other, out, ROOM, scratch, ROOM, &n) ==
              ZT_UNSUPPORTED,
          "a mode without fixed rate passes", cuda);
    check(zt_zfp_async_scratch_bytes(serial, &there, &zfp, &n) == ZT_BAD_ARG,
          "another policy passes", serial);
    check(zt_zfp_async_scratch_bytes(cuda, &there, &zfp, &n) == ZT_OK && n <= ROOM,
          "scratch is not known", cuda);
    const size_t needed = n;
    check(zt_zfp_compress_async(cuda, &here, &zfp, out, ROOM, scratch, ROOM, &n) == ZT_BAD_ARG,
          "an array of the host passes", cuda);
    check(zt_zfp_compress_async(cuda, &there, &zfp, values, BYTES, scratch, ROOM, &n) == ZT_BAD_ARG,
          "a stream on the host passes", cuda);
    check(zt_zfp_compress_async(cuda, &there, &zfp, out + 4, 512, scratch, ROOM, &n) == ZT_BAD_ARG,
          "half a word passes", cuda);
    check(zt_zfp_compress_async(cuda, &there, &zfp, out, 63, scratch, ROOM, &n) == ZT_NO_SPACE,
          "too small a buffer passes", cuda);
    check(zt_zfp_compress_async(cuda, &there, &zfp, out, 64, scratch, needed - 1, &n) ==
              ZT_NO_MEMORY,
          "too little scratch passes", cuda);
    check(zt_zfp_compress_async(cuda, &there, &zfp, out, 64, values, needed, &n) == ZT_BAD_ARG,
          "scratch on the host passes", cuda);
    check(zt_zfp_compress_async(cuda, &there, &zfp, out, 64, scratch, needed, NULL) == ZT_BAD_ARG,
          "no place for a length passes", cuda);
    check(zt_zfp_decompress_async(cuda, out, 63, &zfp, &there, scratch, needed) == ZT_CORRUPT,
          "a short stream passes", cuda);
    check(zt_zfp_decompress_async(cuda, out, 64, &zfp, &here, scratch, needed) == ZT_BAD_ARG,
          "an array of the host is decoded to", cuda);
    check(zt_zfp_compress_async(cuda, &there, &zfp, out, 64, scratch, needed, &n) == ZT_OK &&
              n == 64,
          "what is right does not pass", cuda);
    simt_device_finish();
    simt_device_give(memory);
    simt_device_give(out);
    simt_device_give(scratch);
}

int main(int argc, char **argv)
{
    const uint64_t cases = argc > 2 ? strtoull(argv[2], NULL, 10) : 60;
    struct policy_run run = {.seed = 1, .memory = gpu_memory()};
    for (uint64_t i = 1; i <= cases && run.failures == 0; i++) {
        const zt_cuda on = {.device = 2, .stream = gpu_queue()->stream};
        simt_opt.seed = i;
        if (zt_context_new(NULL, &run.cuda) || zt_context_new(NULL, &run.serial) ||
            zt_context_set_cuda(run.cuda, &on))
            return 1;
        async_case(&run, gpu_queue(), i);
        if (i == 1) {
            check_refusals(run.cuda, run.serial);
            check_ndzip_refusals(run.cuda);
            check_file_refusals(run.cuda, run.serial);
            check_other_files(run.cuda, run.serial);
            check_waits(run.cuda, run.serial);
        }
        zt_context_free(run.cuda);
        zt_context_free(run.serial);
    }
    failures += run.failures;
    printf("%llu cases (files of sz: %u with Huffman codes, %u of samples, %u with Rice codes, %u "
           "raw, %u of chunks of two tiles), %u failures\n",
           (unsigned long long)cases, run.huffman_files, run.sampled_files, run.rice_files,
           run.raw_files, run.fitted_files, failures);
    const bool is_all = run.huffman_files > 0 && run.sampled_files > 0 && run.rice_files > 0 &&
                        run.raw_files > 0 && run.fitted_files > 0;
    if (cases >= 100 && !is_all) {
        printf("one of these is missing\n");
        failures++;
    }
    return failures != 0;
}
