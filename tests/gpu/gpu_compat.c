/* gpu_compat.c: libzfp's API with zfp_exec_cuda: every mode, type and rank, from and to the host's
 * memory and the GPU's, behind a header, against zfp_exec_serial. A test over the kernels on the
 * CPU, and ztile-gpu-compat for a GPU; exit status 77: there is none. */
#include "policy_cases.h"
#include "zfp.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 9, ROOM = 1 << 19 };

static unsigned failures, cases;

static void set_mode(zfp_stream *z, int mode, zfp_type type, uint rank)
{
    if (mode == 0)
        (void)zfp_stream_set_rate(z, 7.5, type, rank, zfp_false);
    else if (mode == 1)
        (void)zfp_stream_set_precision(z, 19);
    else if (mode == 2)
        (void)zfp_stream_set_accuracy(z, 1e-3);
    else if (mode == 3)
        zfp_stream_set_reversible(z);
    else
        (void)zfp_stream_set_params(z, 33, 900, 20, -30);
}

static zfp_field *field_of(void *data, zfp_type type, uint rank)
{
    return rank == 1   ? zfp_field_1d(data, type, SIDE)
           : rank == 2 ? zfp_field_2d(data, type, SIDE, SIDE)
           : rank == 3 ? zfp_field_3d(data, type, SIDE, SIDE, SIDE)
                       : zfp_field_4d(data, type, SIDE, SIDE, SIDE, SIDE);
}

/* Compress, or decompress, 'data' with a policy; returns what the call does. */
static size_t run(int mode, zfp_type type, uint rank, zfp_exec_policy policy, void *data,
                  unsigned char *room, bool is_back)
{
    bitstream *s = stream_open(room, ROOM);
    zfp_stream *z = zfp_stream_open(s);
    zfp_field *f = field_of(data, type, rank);
    size_t bytes = 0;
    set_mode(z, mode, type, rank);
    if (zfp_stream_set_execution(z, policy) && zfp_stream_execution(z) == policy) {
        if (is_back)
            bytes = zfp_read_header(z, f, ZFP_HEADER_FULL) ? zfp_decompress(z, f) : 0;
        else
            bytes = zfp_write_header(z, f, ZFP_HEADER_FULL) ? zfp_compress(z, f) : 0;
    }
    zfp_field_free(f);
    zfp_stream_close(z);
    stream_close(s);
    return bytes;
}

static void check(bool holds, const char *what, int mode, zfp_type type, uint rank)
{
    if (holds)
        return;
    printf("%s: mode %d, type %d, rank %u\n", what, mode, (int)type, rank);
    failures++;
}

static void check_case(struct rng *r, int mode, zfp_type type, uint rank)
{
    const size_t value_bytes = type == zfp_type_int32 || type == zfp_type_float ? 4 : 8;
    size_t values = 1;
    for (uint k = 0; k < rank; k++)
        values *= SIDE;
    const size_t bytes = values * value_bytes;
    unsigned char *data = need(bytes), *one = need(ROOM), *two = need(ROOM);
    unsigned char *back = need(bytes), *wanted = need(bytes);
    for (size_t i = 0; i < values; i++) {
        const int32_t step = (int32_t)(rng_next(r) & 0xffff) + (int32_t)i * 50;
        const float narrow = (float)step * 1e-3f;
        const double wide = (double)step * 1e-3;
        const int64_t whole = step;
        memcpy(data + i * value_bytes,
               type == zfp_type_int32   ? (const void *)&step
               : type == zfp_type_int64 ? (const void *)&whole
               : type == zfp_type_float ? (const void *)&narrow
                                        : (const void *)&wide,
               value_bytes);
    }
    memset(one, 0, ROOM);
    memset(two, 0, ROOM);
    const size_t n = run(mode, type, rank, zfp_exec_serial, data, one, false);
    void *const there = gpu_memory()->take(bytes);
    gpu_memory()->move(there, data, bytes);
    check(n > 0 && run(mode, type, rank, zfp_exec_cuda, data, two, false) == n &&
              memcmp(one, two, n) == 0,
          "the stream differs", mode, type, rank);
    memset(two, 0, ROOM);
    check(run(mode, type, rank, zfp_exec_cuda, there, two, false) == n && memcmp(one, two, n) == 0,
          "the stream of the device's memory differs", mode, type, rank);
    const size_t read = run(mode, type, rank, zfp_exec_serial, wanted, one, true);
    check(run(mode, type, rank, zfp_exec_cuda, back, one, true) == read &&
              memcmp(back, wanted, bytes) == 0,
          "the values differ", mode, type, rank);
    check(run(mode, type, rank, zfp_exec_cuda, there, one, true) == read, "no values", mode, type,
          rank);
    gpu_memory()->move(back, there, bytes);
    check(memcmp(back, wanted, bytes) == 0, "the device's values differ", mode, type, rank);
    cases++;
    free(data);
    free(one);
    free(two);
    free(back);
    free(wanted);
    gpu_memory()->give(there);
}

static bool has_gpu(void)
{
    zfp_stream *z = zfp_stream_open(NULL);
    const bool has = zfp_stream_set_execution(z, zfp_exec_cuda) != zfp_false;
    zfp_stream_close(z);
    return has;
}

int main(void)
{
    struct rng r = {11};
    if (!has_gpu()) {
        printf("SKIP: zfp_exec_cuda is not had\n");
        return TEST_SKIPPED;
    }
    for (int mode = 0; mode < 5; mode++)
        for (int type = zfp_type_int32; type <= (int)zfp_type_double; type++)
            for (uint rank = 1; rank <= 4; rank++)
                if (mode != 2 || type >= (int)zfp_type_float)
                    check_case(&r, mode, (zfp_type)type, rank);
    printf("%u cases, %u failures\n", cases, failures);
    return failures > 0;
}
