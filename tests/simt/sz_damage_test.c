/* sz_damage_test.c: damaged tiles of sz, to kernels that run on the CPU and to the CPU's own text:
 * both refuse a tile or both take the same values from it, and it ends at the same place. What is
 * read is a copy of the stream and no byte more, so that a sanitizer sees every access beyond. */
#include "codec/gpu.h"
#include "simt_runtime.h"
#include "unit/sz_support.h"

#include <math.h>

enum { WAYS = 40 }; /* that a stream is damaged in: with fewer, too few are taken to tell */

/* A stream, and where its tiles begin. */
struct stream {
    struct zti_coding coding;
    const uint8_t *bytes; /* with as many zeros behind them as a tile may be read beyond */
    size_t n;
    uint64_t *starts; /* one more than there are tiles */
    void *model;
};

/* One tile by the CPU; where it ends, or UINT64_MAX where it is refused. */
static uint64_t take_here(const struct stream *s, uint64_t tile, size_t room,
                          const struct zti_view *view)
{
    struct zti_bit_reader r = {.base = s->bytes, .at = s->starts[tile], .end = 8 * (uint64_t)room};
    zti_codec_sz.decode(&s->coding, &r, tile, tile + 1, view);
    return r.at > r.end ? UINT64_MAX : r.at;
}

/* Whether both are told how many bytes there are. */
static bool is_large(const struct stream *s)
{
    return sz_of(&s->coding)->coder >= CODER_HIGH;
}

/* The same by kernels. */
static uint64_t take_there(const struct stream *s, uint64_t tile, size_t room,
                           const struct zti_view *view)
{
    const struct zti_cuda_codec *const codec = zti_cuda_codec_of(ZT_CODEC_SZ);
    const size_t words = (is_large(s) ? room : s->n) / 8 + 1;
    uint64_t *const copy = need(8 * words), states[2] = {0, 0};
    void *const work = need(codec->work_bytes(&s->coding) + 1);
    const uint64_t places[2] = {s->starts[tile], ZTI_CUDA_ANY_END};
    memset(copy, 0, 8 * words);
    memcpy(copy, s->bytes, s->n);
    const struct zti_cuda_decoding d = {.coding = &s->coding,
                                        .view = *view,
                                        .words = copy,
                                        .words_count = words,
                                        .places = places,
                                        .model = s->model,
                                        .work = work,
                                        .first_chunk = tile,
                                        .count = 1,
                                        .chunk_tiles = 1,
                                        .states = states};
    codec->decode(&d);
    free(copy);
    free(work);
    return states[1] >> 62 ? UINT64_MAX : states[1];
}

static void damage(struct rng *r, uint8_t *bytes, size_t n, uint32_t way)
{
    const uint32_t flips = way % 4 ? 1 + way % 9 : 0;
    for (uint32_t i = 0; i < flips; i++)
        bytes[rng_below(r, n)] ^= (uint8_t)(1u << rng_below(r, 8));
    for (size_t i = 1; i < n && way % 4 == 0; i++) /* the first byte says what there is */
        bytes[i] = (uint8_t)(rng_next(r) & (way % 8 ? 255 : rng_next(r)));
}

/* All tiles of a stream, each damaged in some way; counts those that were refused and taken. */
static void compare(struct rng *r, struct stream *s, const zt_array *like, size_t room,
                    uint32_t *refused, uint32_t *taken)
{
    struct test_array a = array_of(like->type, like->rank, like->shape);
    struct test_array b = array_of(like->type, like->rank, like->shape);
    const struct zti_view here = view_of(&a.array), there = view_of(&b.array);
    const size_t bytes = (size_t)values_of(like->rank, like->shape) * zt_type_bytes(like->type);
    const uint8_t *const whole = s->bytes;
    uint8_t *const bad = need(room);
    for (uint32_t way = 0; way < WAYS; way++) {
        const uint64_t tile = rng_below(r, s->coding.grid.count);
        const size_t first = (size_t)(s->starts[tile] / 8);
        memcpy(bad, whole, room);
        damage(r, bad + first, (size_t)(s->starts[tile + 1] / 8) - first, way);
        memset(a.array.data, 0x5a, bytes);
        memset(b.array.data, 0x5a, bytes);
        s->bytes = bad;
        simt_opt.seed = way;
        if (!zti_cuda_codec_of(ZT_CODEC_SZ)->can_code(&s->coding))
            simt_opt.seed++; /* an even one has the shared memory of 9.0 */
        const uint64_t end = take_here(s, tile, room, &here);
        assert_int_equal(take_there(s, tile, room, &there), end);
        *(end == UINT64_MAX ? refused : taken) += 1;
        if (end != UINT64_MAX)
            assert_memory_equal(a.array.data, b.array.data, bytes);
    }
    s->bytes = whole;
    free(bad);
    test_array_free(&a);
    test_array_free(&b);
}

/* Values that have no integer, which frames keep elsewhere. */
static void put_gaps(struct rng *r, const struct test_array *a, uint64_t values)
{
    for (uint32_t i = 0; i < 50 && a->array.type <= ZT_F64; i++) {
        const uint64_t at = rng_below(r, values);
        if (a->array.type == ZT_F32)
            ((float *)a->array.data)[at] = NAN;
        else
            ((double *)a->array.data)[at] = (double)NAN;
    }
}

static void check(struct rng *r, const zt_array *array, double bound, uint32_t effort,
                  uint32_t *refused, uint32_t *taken)
{
    const struct zti_cuda_learning *const learning = zti_cuda_learning_of(&zti_codec_sz);
    struct coded c = code(NULL, array, bound, effort);
    simt_opt.seed = 0;
    const bool is_other =
        effort == CODER_HIGH && bound != 0 && sz_of(&c.coding)->coder != effort; /* shorter */
    if (is_other || !zti_cuda_codec_of(ZT_CODEC_SZ)->can_code(&c.coding)) {
        coded_free(NULL, &c);
        return;
    }
    struct stream s = {.coding = loaded(NULL, &c), .n = (size_t)(c.end_bits / 8)};
    const size_t room = s.n + (size_t)(zti_codec_sz.sizes(&s.coding).tile_read_max_bits / 8) + 1;
    const uint64_t tiles = s.coding.grid.count, model_bytes = learning->model_bytes(&s.coding);
    uint8_t *const bytes = need(room);
    memset(bytes, 0, room);
    memcpy(bytes, c.bytes, s.n);
    s.bytes = bytes;
    s.starts = need((tiles + 1) * sizeof *s.starts);
    s.model = need(model_bytes + 1);
    if (model_bytes > 0)
        learning->write_model(&s.coding, s.model);
    s.starts[0] = 0;
    for (uint64_t tile = 0; tile < tiles; tile++)
        s.starts[tile + 1] = take_here(&s, tile, room, NULL);
    assert_int_equal(s.starts[tiles], c.end_bits);
    compare(r, &s, array, room, refused, taken);
    sz_in(&s.coding)->is_blocked =
        !sz_of(&s.coding)->is_blocked; /* nobody writes that with method cusz */
    if (effort == CODER_CUSZ)
        compare(r, &s, array, room, refused, taken);
    free(bytes);
    free(s.starts);
    free(s.model);
    zti_sz_forget(NULL, &s.coding);
    coded_free(NULL, &c);
}

static void lossless_tiles_are_as_on_the_cpu(void **state)
{
    static const uint64_t shape[3] = {12, 20, 30}, few[1] = {900};
    struct rng r = {7};
    uint32_t refused = 0, taken = 0;
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        struct test_array a =
            i % 4 == 3 ? array_of(1 + i / 2 % 4, 1, few) : array_of(1 + i / 2 % 4, 3, shape);
        double lo, hi;
        fill_array(&a.array, (enum data_kind)rng_below(&r, DATA_KINDS), i);
        range_of(&a.array, &lo, &hi);
        const bool is_lossless = i % 4 == 0 || !(hi > lo) || !(hi - lo < 1e30);
        check(&r, &a.array, is_lossless ? 0 : ldexp(hi - lo, -4 - (int)(i % 12)),
              is_lossless ? CODER_HIGH : CODER_MULTIPLES, &refused, &taken);
        test_array_free(&a);
    }
    assert_true(refused > WAYS && taken > WAYS);
}

static void transformed_tiles_are_as_on_the_cpu(void **state)
{
    static const struct {
        uint32_t type, rank;
        uint64_t shape[4];
        int finer; /* the bound is the range times 2^-finer */
    } of[] = {
        {ZT_F32, 3, {12, 16, 20}, 4},
        {ZT_F32, 3, {12, 16, 20}, 14},
        {ZT_F64, 3, {12, 16, 20}, 12},
        {ZT_F64, 1, {900}, 16},
        {ZT_F64, 4, {4, 14, 16, 16}, 46} /* long enough for blocks that are parts */
    };
    struct rng r = {8};
    uint32_t refused = 0, taken = 0;
    (void)state;
    for (uint32_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct test_array a = array_of(of[i].type, of[i].rank, of[i].shape);
        double lo, hi;
        fill_array(&a.array, i > 0 ? DATA_WAVE_NOISE : DATA_SPARSE, i);
        range_of(&a.array, &lo, &hi);
        check(&r, &a.array, ldexp(hi - lo, -of[i].finer), CODER_TRANSFORM, &refused, &taken);
        test_array_free(&a);
    }
    assert_true(refused > WAYS && taken > 2);
}

static void damaged_tiles_are_as_on_the_cpu(void **state)
{
    static const uint64_t large[3] = {20, 30, 40}, small[3] = {12, 20, 30};
    struct rng r = {5};
    (void)state;
    for (uint32_t effort = 0; effort <= CODER_HIGH; effort++) {
        const bool is_high = effort == CODER_HIGH;
        uint32_t refused = 0, taken = 0;
        for (uint32_t i = 0; i < (is_high ? 10u : 24u); i++) {
            struct test_array a = array_of(1 + i % 4, 3, is_high ? small : large);
            double lo, hi;
            fill_array(&a.array,
                       is_high ? DATA_WAVE_NOISE : (enum data_kind)rng_below(&r, DATA_KINDS), i);
            if (is_high)
                put_gaps(&r, &a, values_of(3, small));
            range_of(&a.array, &lo, &hi);
            const double bound = !is_high && i % 3 == 1 && a.array.type <= ZT_F64
                                     ? -ldexp(1, -1 - (int)i) /* of each value */
                                 : !is_high && (i % 6 == 5 || !(hi > lo))
                                     ? 0
                                     : ldexp(hi - lo, -(int)(is_high ? 4 + 5 * (i % 5) : 2 * i));
            check(&r, &a.array, bound, effort, &refused, &taken);
            test_array_free(&a);
        }
        assert_true(refused > WAYS && taken > (is_high ? 2 : WAYS));
    }
}

/* Values that have no integer do not come from frames. A device is there from now on, on whose
 * stream kernels must be. */
static void exact_values_are_as_on_the_cpu(void **state)
{
    static const uint64_t shape[3] = {20, 30, 40};
    struct rng r = {6};
    zt_context *cuda = NULL;
    (void)state;
    assert_int_equal(zt_context_new(NULL, &cuda), ZT_OK);
    assert_int_equal(zt_context_set_policy(cuda, ZT_CUDA), ZT_OK);
    for (uint32_t type = ZT_F32; type <= ZT_F64; type++) {
        struct test_array a = array_of(type, 3, shape);
        double lo, hi;
        fill_array(&a.array, DATA_WAVE_NOISE, type);
        put_gaps(&r, &a, values_of(3, shape));
        range_of(&a.array, &lo, &hi);
        struct coded one = code(NULL, &a.array, (hi - lo) / 256, CODER_HIGH);
        struct coded two = code(cuda, &a.array, (hi - lo) / 256, CODER_HIGH);
        assert_int_equal(sz_of(&one.coding)->coder, CODER_HIGH);
        assert_int_equal(one.end_bits, two.end_bits);
        assert_memory_equal(one.bytes, two.bytes, (size_t)(one.end_bits / 8));
        coded_free(NULL, &one);
        coded_free(cuda, &two);
        test_array_free(&a);
    }
    zt_context_free(cuda);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_tiles_are_as_on_the_cpu),
                                       cmocka_unit_test(lossless_tiles_are_as_on_the_cpu),
                                       cmocka_unit_test(transformed_tiles_are_as_on_the_cpu),
                                       cmocka_unit_test(exact_values_are_as_on_the_cpu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
