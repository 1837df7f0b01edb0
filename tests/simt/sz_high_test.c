/* sz_high_test.c: effort 'high' of sz under the cuda policy where arrays have several tiles, which
 * random cases are too small for: planes behind a tile and behind a slab, tiles in the middle of
 * chunks, boxes, symbols that escape. Byte for byte what the serial policy writes and reads. And,
 * number for number, what kernels count for the codec to learn from: of all tiles, of some, of
 * pieces of them. */
#include "codec/sz/interp/spec.h"
#include "core/core.h"
#include "exec/exec.h"
#include "frame/write/writer.h"
#include "compare.h"
#include "simt_device.h"
#include "simt_runtime.h"
#include "support/inside.h"
#include "support/rare.h"
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A file all of whose frames are coded with effort 'high', though 'default' may be smaller. */
static zt_status compress_high(zt_context *context, const zt_array *a, const zt_params *params,
                               uint8_t *out, size_t capacity, size_t *bytes)
{
    const struct zti_choice plain = {.plan = zti_plan_none(a->rank)};
    const struct zti_array own = inside(a);
    struct zt_writer w;
    zt_status status = zti_writer_init(context, &own, params, &w);
    w.output.memory = out;
    w.output.memory_bytes = capacity;
    w.request.fixed = &plain;
    if (!status)
        status = zti_writer_put(&w, &own);
    if (!status)
        status = zti_writer_finish(&w);
    *bytes = (size_t)w.output.at;
    zti_writer_clear(&w);
    return status;
}

/* Both policies, at a bound that is a part of the range. */
static void check_array(zt_context *serial, zt_context *cuda, const zt_array *a, double part,
                        unsigned number)
{
    zt_params p;
    zt_info info;
    double lo, hi;
    size_t cap = 0, n = 0, m = 0;
    range_of(a, &lo, &hi);
    (void)zt_params_init(&p, sizeof p);
    (void)zt_info_init(&info, sizeof info);
    p.codec = ZT_CODEC_SZ;
    set_coder(&p, CODER_HIGH);
    p.index_chunk = 1 + number % 3;
    p.bound = zt_abs(hi * part - lo * part); /* the range may be too large a number */
    simt_opt.seed = number;
    simt_slab_bytes = number % 2 ? 1 : 1 << 22; /* a layer of tiles, or several */
    need_that(zt_context_set_policy(cuda, ZT_CUDA) == ZT_OK &&
                  zt_compress_bound(serial, a, &p, &cap) == ZT_OK,
              "no policy or bound", number, cuda);
    uint8_t *const one = need(cap), *const two = need(cap);
    need_that(compress_high(serial, a, &p, one, cap, &n) == ZT_OK &&
                  compress_high(cuda, a, &p, two, cap, &m) == ZT_OK && n == m &&
                  memcmp(one, two, n) == 0,
              "the file differs", number, cuda);
    need_that(zt_inspect(serial, one, n, &info) == ZT_OK && coder_of_info(&info) == CODER_HIGH,
              "another effort was shorter", number, serial);
    compare_values(serial, cuda, a, one, n, number);
    free(one);
    free(two);
}

static void check(zt_context *serial, zt_context *cuda, uint32_t type, uint32_t rank,
                  const uint64_t *shape, enum data_kind kind, double part, unsigned number)
{
    int64_t stride[ZT_MAX_RANK];
    contiguous_strides(rank, shape, stride);
    struct test_array a = test_array_new(type, rank, shape, stride);
    fill_array(&a.array, kind, number);
    check_array(serial, cuda, &a.array, part, number);
    test_array_free(&a);
}

/* Values up to the type's largest: what is decoded may be beyond it, and is then kept as it is. */
static void check_largest(zt_context *serial, zt_context *cuda, const uint64_t *shape,
                          unsigned number)
{
    int64_t stride[ZT_MAX_RANK];
    double lo, hi;
    contiguous_strides(3, shape, stride);
    struct test_array a = test_array_new(ZT_F32, 3, shape, stride);
    float *const values = a.array.data;
    fill_array(&a.array, DATA_WAVE_NOISE, number);
    range_of(&a.array, &lo, &hi);
    for (uint64_t i = 0; i < values_of(3, shape); i++) /* the upper quarter is the largest */
        values[i] =
            (float)fmin((values[i] - lo) / (hi - lo) * (double)FLT_MAX / 0.75, (double)FLT_MAX);
    check_array(serial, cuda, &a.array, 0x1p-8, number);
    test_array_free(&a);
}

/* ---- symbols that no model has ---- */

/* The file, and the tiles that have such symbols, as both policies read them. */
static void check_rare(zt_context *serial, zt_context *cuda)
{
    static const uint64_t shape[] = {RARE_TILES * RARE_TILE};
    static const uint64_t part[] = {2 * RARE_TILE};
    static const int64_t stride[] = {1};
    static float one[2 * RARE_TILE], two[2 * RARE_TILE];
    const zt_box box = {.lo = {RARE_MANY * RARE_TILE}, .hi = {(RARE_FEW + 1) * RARE_TILE}};
    const zt_array to_one = zt_array_nd(one, ZT_F32, 1, part);
    const zt_array to_two = zt_array_nd(two, ZT_F32, 1, part);
    struct test_array a = test_array_new(ZT_F32, 1, shape, stride);
    zt_params p;
    size_t cap = 0, n = 0, m = 0;
    fill_with_rare(&a.array);
    (void)zt_params_init(&p, sizeof p);
    p.codec = ZT_CODEC_SZ;
    set_coder(&p, CODER_HIGH);
    p.bound = zt_abs((double)RARE_UNIT / 2);
    simt_slab_bytes = 1 << 22;
    need_that(zt_context_set_policy(cuda, ZT_CUDA) == ZT_OK &&
                  zt_compress_bound(serial, &a.array, &p, &cap) == ZT_OK,
              "no policy or bound", 0, cuda);
    uint8_t *const file = need(cap), *const by_cuda = need(cap);
    need_that(compress_high(serial, &a.array, &p, file, cap, &n) == ZT_OK &&
                  compress_high(cuda, &a.array, &p, by_cuda, cap, &m) == ZT_OK && n == m &&
                  memcmp(file, by_cuda, n) == 0,
              "the file with escapes differs", 0, cuda);
    need_that(zt_decompress_box(serial, file, n, &box, &to_one) == ZT_OK &&
                  zt_decompress_box(cuda, file, n, &box, &to_two) == ZT_OK &&
                  memcmp(one, two, sizeof one) == 0,
              "the values of escapes differ", 0, cuda);
    free(file);
    free(by_cuda);
    test_array_free(&a);
}

/* ---- counts ---- */

static struct zti_learning counted; /* sz's, but for learn_and_compare */
static unsigned compared;           /* passes */

/* What effort 'high' is handed must be what the host's text tallies; it then learns from that. */
static zt_status learn_and_compare(zt_context *context, struct zti_coding *coding, uint32_t pass,
                                   const struct zti_array *array, void *tally)
{
    const size_t bytes = counted.tally_bytes(coding, pass);
    if (pass >= ZTI_SZ_HIGH_PASS) {
        void *const own = need(bytes);
        memset(own, 0, bytes);
        counted.tally(coding, pass, array, 0, coding->grid.count, own);
        need_that(memcmp(own, tally, bytes) == 0, "what was counted differs", pass, context);
        free(own);
        compared++;
    }
    return zti_sz_learning.learn(context, coding, pass, array, tally);
}

static void check_counts(zt_context *cuda, uint32_t type, uint32_t rank, const uint64_t *shape,
                         uint64_t slab_bytes, double part, unsigned number)
{
    int64_t stride[ZT_MAX_RANK];
    const struct zti_tables tables = {.learning = &counted};
    struct zti_codec codec = zti_codec_sz;
    struct zti_coding coding = {.codec = &codec, .type = type};
    zt_params p;
    struct zti_target target = {.params = &p, .kind = ZT_ABS};
    contiguous_strides(rank, shape, stride);
    struct test_array a = test_array_new(type, rank, shape, stride);
    fill_array(&a.array, DATA_WAVE_NOISE, number);
    range_of(&a.array, &target.min, &target.max);
    const struct zti_array own = inside(&a.array);
    (void)zt_params_init(&p, sizeof p);
    p.codec = ZT_CODEC_SZ;
    set_coder(&p, CODER_HIGH);
    p.bound = zt_abs(target.abs_bound = (target.max - target.min) * part);
    counted = zti_sz_learning;
    counted.learn = learn_and_compare;
    codec.tables = &tables;
    coding.grid = zti_codec_grid(&codec, rank, shape);
    simt_opt.seed = number;
    simt_slab_bytes = slab_bytes;
    compared = 0;
    need_that(zt_context_set_policy(cuda, ZT_CUDA) == ZT_OK &&
                  codec.configure(cuda, &target, &coding) == ZT_OK &&
                  zti_exec_survey(cuda, &coding, &own, NULL) == ZT_OK,
              "no survey", number, cuda);
    need_that(compared == ZTI_SZ_HIGH_PASSES, "passes are left out", number, cuda);
    need_that(!(sz_of(&coding)->tuning & ZTI_SZ_HIGH_SMALL) == (values_of(rank, shape) < 1 << 20),
              "tiles have another size", number, cuda);
    counted.forget(cuda, &coding);
    test_array_free(&a);
}

int main(void)
{
    static const uint64_t strip[2] = {512 * 40, 6}, long_strip[2] = {512 * 70, 5};
    static const uint64_t volume[3] = {70, 66, 60}, plane[2] = {520, 520}, series[1] = {270000};
    static const uint64_t small_tiles[3] = {71, 122, 123}; /* and enough values for them */
    zt_context *serial = NULL, *cuda = NULL;
    if (zt_context_new(NULL, &serial) != ZT_OK || zt_context_new(NULL, &cuda) != ZT_OK)
        return 1;
    check(serial, cuda, ZT_F32, 3, volume, DATA_WAVE_NOISE, 0x1p-8, 1);
    check(serial, cuda, ZT_I64, 2, plane, DATA_WAVE_NOISE, 0x1p-6, 2);
    check(serial, cuda, ZT_F32, 3, volume, DATA_SMOOTH, 0x1p-20, 7); /* halved along all axes */
    check_largest(serial, cuda, volume, 10);
    check_counts(cuda, ZT_F32, 3, volume, 1, 0x1p-8, 4);           /* all tiles */
    check_counts(cuda, ZT_I32, 2, long_strip, 1 << 18, 0x1p-8, 6); /* pieces */
    if (TEST_SHARE == 1) { /* they take minutes where programs are several times slower */
        check(serial, cuda, ZT_F64, 1, series, DATA_WAVE_NOISE, 0x1p-10, 3);
        check_counts(cuda, ZT_F64, 2, strip, 1 << 18, 0x1p-8, 5); /* one in two */
        check(serial, cuda, ZT_F32, 3, small_tiles, DATA_WAVE_NOISE, 0x1p-14, 8);
        check_counts(cuda, ZT_F32, 3, small_tiles, 1 << 20, 0x1p-14, 9);
        check_rare(serial, cuda);
    }
    printf("%u arrays of several tiles, %u that were counted, %u failures\n",
           TEST_SHARE == 1 ? 7u : 4u, TEST_SHARE == 1 ? 4u : 2u, failures);
    zt_context_free(serial);
    zt_context_free(cuda);
    return failures != 0;
}
