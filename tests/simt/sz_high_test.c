/* sz_high_test.c: effort 'high' of sz under the cuda policy where arrays have several tiles, which
 * random cases are too small for: planes behind a tile and behind a slab, tiles in the middle of
 * chunks, boxes. Byte for byte what the serial policy writes and reads. */
#include "simt_device.h"
#include "simt_runtime.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static unsigned failures;

static void need_that(bool is_good, const char *what, unsigned number, const zt_context *context)
{
    if (is_good)
        return;
    printf("array %u: %s (%s)\n", number, what, zt_context_error(context));
    failures++;
}

/* The middle of an array, and all of it, as both policies read them. */
static void compare_values(zt_context *serial, zt_context *cuda, const zt_array *a,
                           const uint8_t *file, size_t n, unsigned number)
{
    for (uint32_t part = 0; part < 2; part++) {
        uint64_t shape[ZT_MAX_RANK];
        zt_box box;
        memset(&box, 0, sizeof box);
        for (uint32_t i = 0; i < a->rank; i++) {
            box.lo[i] = part * (a->shape[i] / 3);
            box.hi[i] = a->shape[i] - part * (a->shape[i] / 4);
            shape[i] = box.hi[i] - box.lo[i];
        }
        const size_t bytes = (size_t)values_of(a->rank, shape) * zt_type_bytes(a->type);
        void *const one = need(bytes), *const two = need(bytes);
        const zt_array to_one = zt_array_nd(one, (zt_type)a->type, a->rank, shape);
        const zt_array to_two = zt_array_nd(two, (zt_type)a->type, a->rank, shape);
        need_that(zt_decompress_box(serial, file, n, &box, &to_one) == ZT_OK &&
                      zt_decompress_box(cuda, file, n, &box, &to_two) == ZT_OK &&
                      memcmp(one, two, bytes) == 0,
                  part ? "a box differs" : "the values differ", number, cuda);
        free(one);
        free(two);
    }
}

static void check(zt_context *serial, zt_context *cuda, uint32_t type, uint32_t rank,
                  const uint64_t *shape, double part, unsigned number)
{
    int64_t stride[ZT_MAX_RANK];
    zt_params p;
    zt_info info;
    double lo, hi;
    size_t cap = 0, n = 0, m = 0;
    contiguous_strides(rank, shape, stride);
    struct test_array a = test_array_new(type, rank, shape, stride);
    fill_array(&a.array, DATA_WAVE_NOISE, number);
    range_of(&a.array, &lo, &hi);
    (void)zt_params_init(&p, sizeof p);
    (void)zt_info_init(&info, sizeof info);
    p.codec = ZT_CODEC_SZ;
    p.effort = ZT_EFFORT_HIGH;
    p.index_chunk = 1 + number % 3;
    p.bound = zt_abs((hi - lo) * part);
    simt_opt.seed = number;
    simt_slab_bytes = number % 2 ? 1 : 1 << 22; /* a layer of tiles, or several */
    need_that(zt_context_set_policy(cuda, ZT_CUDA, NULL) == ZT_OK &&
                  zt_compress_bound(serial, &a.array, &p, &cap) == ZT_OK,
              "no policy or bound", number, cuda);
    uint8_t *const one = need(cap), *const two = need(cap);
    need_that(zt_compress(serial, &a.array, &p, one, cap, &n) == ZT_OK &&
                  zt_compress(cuda, &a.array, &p, two, cap, &m) == ZT_OK && n == m &&
                  memcmp(one, two, n) == 0,
              "the file differs", number, cuda);
    need_that(zt_inspect(serial, one, n, &info) == ZT_OK && info.sz_effort == ZT_EFFORT_HIGH,
              "another effort was shorter", number, serial);
    compare_values(serial, cuda, &a.array, one, n, number);
    test_array_free(&a);
    free(one);
    free(two);
}

int main(void)
{
    static const uint64_t volume[3] = {70, 66, 60}, plane[2] = {520, 520}, series[1] = {270000};
    zt_context *serial = NULL, *cuda = NULL;
    if (zt_context_new(NULL, &serial) != ZT_OK || zt_context_new(NULL, &cuda) != ZT_OK)
        return 1;
    check(serial, cuda, ZT_F32, 3, volume, 0x1p-8, 1);
    check(serial, cuda, ZT_I64, 2, plane, 0x1p-6, 2);
    check(serial, cuda, ZT_F64, 1, series, 0x1p-10, 3);
    printf("3 arrays of several tiles, %u failures\n", failures);
    zt_context_free(serial);
    zt_context_free(cuda);
    return failures != 0;
}
