/* holes_test.c: values in the place of NaN and fill values: every build, instruction set and number
 * of threads chooses the same, so files have the sizes and hashes below. Who changes that choice
 * renews them, and sees that the files do not grow. */
#include "frame_support.h"

#include <inttypes.h>

enum { ISLANDS, STRIPES, SPOTS };

/* Numbers that every machine computes alike: polynomials, which bend at the axes' middles. */
static double field_at(const uint64_t *place, uint32_t rank, struct rng *noise)
{
    double x = 0;
    for (uint32_t i = 0; i < rank; i++) {
        const double k = (double)(place[i] % 64);
        x += (double)(i + 2) * k * (64 - k) + (i > 0 ? k * (double)(place[i - 1] % 64) : 0);
    }
    return x + floor(64 * rng_unit(noise));
}

static bool is_hole_at(const uint64_t *place, uint32_t rank, uint32_t mask, struct rng *noise)
{
    uint64_t far = 0;
    for (uint32_t i = 0; i < rank; i++) {
        const uint64_t k = place[i] % 40, away = k < 20 ? 20 - k : k - 20;
        far += away * away;
    }
    return mask == ISLANDS   ? far < 130
           : mask == STRIPES ? place[rank - 1] % 23 < 9
                             : rng_unit(noise) < 0.1;
}

static zt_array make_field(zt_type type, uint32_t rank, const uint64_t *shape, uint32_t mask)
{
    const zt_array a = new_array(type, rank, shape);
    struct rng noise = {7 * rank + mask};
    for (uint64_t i = 0; i < values_of(rank, shape); i++) {
        uint64_t place[ZT_MAX_RANK], rest = i;
        for (uint32_t k = rank; k-- > 0; rest /= shape[k])
            place[k] = rest % shape[k];
        const double x = field_at(place, rank, &noise);
        const bool is_float = type == ZT_F32 || type == ZT_F64;
        set_number(&a, i,
                   !is_hole_at(place, rank, mask, &noise)   ? x
                   : is_float && (place[rank - 1] & 8) == 0 ? (double)NAN
                                                            : -32768);
    }
    return a;
}

static uint64_t bits_of_fill(zt_type type)
{
    uint64_t bits = 0;
    assert_int_equal(zt_fill_bits(type, -32768, &bits), ZT_OK);
    return bits;
}

/* The bytes of a file by one instruction set, on threads or not. */
static void check_bytes(const zt_array *a, const zt_params *p, uint32_t isa, uint64_t bytes,
                        uint64_t hash)
{
    static const zt_omp two = {.threads = 2};
    zt_context *context = NULL;
    size_t capacity, n;
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    need_ok(context, zt_context_set_isa(context, (zt_isa)(isa % 3)));
    if (isa >= 3)
        (void)zt_context_set_omp(context, &two); /* where there is none: one thread */
    need_ok(context, zt_compress_bound(context, a, p, &capacity));
    unsigned char *const out = need(capacity);
    need_ok(context, zt_compress(context, a, p, out, capacity, &n));
    if (n != bytes || fnv1a64(out, n) != hash)
        fail_msg("type %u, rank %u, codec %u, isa %u: %zu bytes, 0x%016" PRIx64, a->type, a->rank,
                 p->codec, isa, n, fnv1a64(out, n));
    zt_context_free(context);
    free(out);
}

static void holes_have_the_same_values_everywhere(void **state)
{
    static const struct {
        zt_type type;
        uint32_t rank, mask;
        uint64_t shape[ZT_MAX_RANK];
        uint32_t codec;
        double bound;
        uint64_t bytes, hash;
    } cases[] = {
        {ZT_F32, 3, ISLANDS, {50, 61, 77}, ZT_CODEC_SZ, 16, 79009, UINT64_C(0xf91a6faec103280f)},
        {ZT_F64, 3, STRIPES, {33, 40, 130}, ZT_CODEC_SZ, 4, 95933, UINT64_C(0x93e50af1c8f41a90)},
        {ZT_F32, 2, ISLANDS, {200, 301}, ZT_CODEC_SZ, 16, 21517, UINT64_C(0x86ddc50f4d0770aa)},
        {ZT_F32, 1, STRIPES, {20011}, ZT_CODEC_SZ, 8, 12674, UINT64_C(0x1ec77a5749a8748c)},
        {ZT_F32, 4, SPOTS, {9, 12, 17, 21}, ZT_CODEC_SZ, 16, 16455, UINT64_C(0x5abb7ce522dee2b0)},
        {ZT_I32, 3, SPOTS, {40, 40, 40}, ZT_CODEC_SZ, 8, 30050, UINT64_C(0x8243ce879d77c15e)},
        {ZT_I64, 2, ISLANDS, {150, 200}, ZT_CODEC_SZ, 8, 12956, UINT64_C(0x95e1b44ac4c237ab)},
        {ZT_F32, 3, ISLANDS, {50, 61, 77}, ZT_CODEC_ZFP, 16, 230871, UINT64_C(0xca4b4f19054efa09)},
        {ZT_F64, 2, STRIPES, {130, 170}, ZT_CODEC_ZFP, 8, 18008, UINT64_C(0x3884432b9e9c5734)},
    };
    (void)state;
    for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const zt_array a = make_field(cases[k].type, cases[k].rank, cases[k].shape, cases[k].mask);
        zt_params p = params_of(zt_bound_of(ZT_ABS, cases[k].bound));
        p.codec = cases[k].codec;
        p.fills = 1;
        p.fill[0] = bits_of_fill(cases[k].type);
        for (uint32_t isa = 0; isa < 6; isa++)
            check_bytes(&a, &p, isa, cases[k].bytes, cases[k].hash);
        free(a.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(holes_have_the_same_values_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
