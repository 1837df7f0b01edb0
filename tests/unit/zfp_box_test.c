/* zfp_box_test.c: zt_zfp_write_box against compressing the changed array, block by block and bit by
 * bit, and what it refuses. */
#include "support/support.h"
#include "ztile_zfp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- bits and blocks ---- */

static bool bits_are_equal(const uint8_t *a, const uint8_t *b, uint64_t first, uint64_t last)
{
    for (; first < last; first++)
        if ((a[first / 8] ^ b[first / 8]) >> first % 8 & 1)
            return false;
    return true;
}

static bool block_meets(const zt_array *a, uint64_t block, const zt_box *box)
{
    for (uint32_t i = a->rank; i-- > 0;) {
        const uint64_t blocks = (a->shape[i] + 3) / 4, at = block % blocks * 4;
        if (at >= box->hi[i] || at + 4 <= box->lo[i])
            return false;
        block /= blocks;
    }
    return true;
}

static uint64_t blocks_of(const zt_array *a)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < a->rank; i++)
        n *= (a->shape[i] + 3) / 4;
    return n;
}

/* ---- a case ---- */

struct stream {
    uint8_t *bytes; /* with 16 guard bytes behind */
    size_t count;
    size_t capacity;
};

enum { GUARD = 16 };

static struct stream compressed(const zt_array *a, const zt_zfp *z, zt_status *status)
{
    struct stream s;
    assert_int_equal(zt_zfp_compress_bound(NULL, a, z, &s.capacity), ZT_OK);
    s.bytes = need(s.capacity + GUARD);
    memset(s.bytes, 0xc7, s.capacity + GUARD);
    *status = zt_zfp_compress(NULL, a, z, s.bytes, s.capacity, &s.count);
    return s;
}

static zt_zfp random_rate(struct rng *r, zt_type type, uint32_t rank)
{
    static const uint32_t words[4] = {8, 16, 32, 64};
    const uint32_t n = 1u << 2 * rank;
    zt_zfp z;
    assert_int_equal(zt_zfp_init(&z, sizeof z), ZT_OK);
    z.word_bits = words[rng_below(r, 4)];
    z.flags = (rng_once_in(r, 2) ? ZT_ZFP_HEADER : 0) | (rng_once_in(r, 2) ? ZT_ZFP_AS_LIBZFP : 0);
    if (rng_once_in(r, 4)) { /* any size of block, and other limits beside it */
        const uint32_t bits = 12 + (uint32_t)rng_below(r, 12 + 40 * (uint64_t)n);
        assert_int_equal(zt_zfp_set_expert(&z, bits, bits, 1 + (uint32_t)rng_below(r, 64),
                                           -1074 + (int32_t)rng_below(r, 1100)),
                         ZT_OK);
    } else {
        const double bits = 13 + 40 * (double)n * rng_unit(r) * rng_unit(r);
        assert_int_equal(zt_zfp_set_rate(&z, bits / n, type, rank, rng_once_in(r, 4), NULL), ZT_OK);
    }
    return z;
}

static zt_box random_box(struct rng *r, const zt_array *a, bool is_aligned)
{
    zt_box box;
    memset(&box, 0, sizeof box);
    for (uint32_t i = 0; i < a->rank; i++) {
        const uint64_t n = a->shape[i];
        box.lo[i] = rng_below(r, n);
        box.hi[i] = box.lo[i] + 1 + rng_below(r, n - box.lo[i]);
        if (is_aligned) {
            box.lo[i] &= ~UINT64_C(3);
            box.hi[i] = (box.hi[i] + 3) & ~UINT64_C(3);
            if (box.hi[i] > n)
                box.hi[i] = n;
        }
    }
    return box;
}

/* The part of an array that is the box. */
static zt_array part_of(const zt_array *a, const zt_box *box)
{
    zt_array part = *a;
    int64_t offset = 0;
    for (uint32_t i = 0; i < a->rank; i++) {
        offset += (int64_t)box->lo[i] * a->stride[i];
        part.shape[i] = box->hi[i] - box->lo[i];
    }
    part.data = (char *)a->data + offset * (int64_t)zt_type_bytes(a->type);
    return part;
}

static void copy_values(const zt_array *from, const zt_array *to)
{
    void *const flat = need(values_of(from->rank, from->shape) * zt_type_bytes(from->type));
    gather(from, flat);
    scatter(to, flat);
    free(flat);
}

/* 'stream' is 'after' where blocks meet the box, 'before' in all other bits, guard included. */
static void compare_blocks(const struct stream *stream, const uint8_t *before,
                           const struct stream *after, const zt_array *a, const zt_zfp *z,
                           const zt_box *box)
{
    uint32_t at = 0;
    zt_zfp found = *z;
    zt_array shape;
    if (z->flags & ZT_ZFP_HEADER)
        assert_int_equal(zt_zfp_read_header(NULL, before, stream->count, &found, &shape, &at),
                         ZT_OK);
    assert_true(bits_are_equal(stream->bytes, before, 0, at));
    const uint64_t blocks = blocks_of(a);
    for (uint64_t b = 0; b < blocks; b++) {
        const uint64_t first = at + b * z->maxbits;
        const bool meets = block_meets(a, b, box);
        if (!bits_are_equal(stream->bytes, meets ? after->bytes : before, first,
                            first + z->maxbits))
            fail_msg("block %llu, which %s the box, is wrong", (unsigned long long)b,
                     meets ? "meets" : "does not meet");
    }
    assert_true(bits_are_equal(stream->bytes, before, at + blocks * z->maxbits,
                               (uint64_t)(stream->capacity + GUARD) * 8));
}

/* The whole array, with the box changed in what its stream decodes to, and compressed. */
static struct stream expected(const zt_array *a, const struct stream *stream, const zt_zfp *z,
                              const zt_box *box, const zt_array *values, zt_status *status)
{
    struct test_array changed = test_array_new(a->type, a->rank, a->shape, a->stride);
    const zt_array part = part_of(&changed.array, box);
    assert_int_equal(zt_zfp_decompress(NULL, stream->bytes, stream->count, z, &changed.array, NULL),
                     ZT_OK);
    copy_values(values, &part);
    struct stream s = compressed(&changed.array, z, status);
    test_array_free(&changed);
    return s;
}

static void run_case(struct rng *r, bool is_aligned)
{
    static const uint64_t most[5] = {0, 70, 23, 14, 9};
    const zt_type type = (zt_type)(1 + rng_below(r, 4));
    const uint32_t rank = 1 + (uint32_t)rng_below(r, 4);
    uint64_t shape[ZT_MAX_RANK];
    int64_t stride[ZT_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = 1 + rng_below(r, most[rank]);
    random_strides(r, rank, shape, stride);
    struct test_array whole = test_array_new(type, rank, shape, stride);
    fill_array(&whole.array, (enum data_kind)rng_below(r, DATA_NONFINITE), rng_next(r));
    const zt_zfp z = random_rate(r, type, rank);
    const zt_box box = random_box(r, &whole.array, is_aligned);
    const zt_array part = part_of(&whole.array, &box);
    random_strides(r, rank, part.shape, stride);
    struct test_array values = test_array_new(type, rank, part.shape, stride);
    fill_array(&values.array, (enum data_kind)rng_below(r, DATA_NONFINITE), rng_next(r));

    zt_status made, again;
    struct stream stream = compressed(&whole.array, &z, &made), after;
    assert_int_equal(made, ZT_OK);
    uint8_t *const before = need(stream.capacity + GUARD);
    memcpy(before, stream.bytes, stream.capacity + GUARD);
    if (is_aligned) {
        copy_values(&values.array, &part);
        after = compressed(&whole.array, &z, &again);
        assert_int_equal(again, ZT_OK);
    } else {
        after = expected(&whole.array, &stream, &z, &box, &values.array, &again);
    }
    zt_array shape_only = whole.array;
    shape_only.data = NULL;
    const zt_status status =
        zt_zfp_write_box(NULL, stream.bytes, stream.count, &z, &shape_only, &box, &values.array);
    if (status == ZT_NONFINITE && again == ZT_NONFINITE) {
        assert_memory_equal(stream.bytes, before, stream.capacity + GUARD);
    } else if (again == ZT_NONFINITE) { /* in a block that the box does not meet */
        assert_int_equal(status, ZT_OK);
    } else {
        assert_int_equal(status, ZT_OK);
        compare_blocks(&stream, before, &after, &whole.array, &z, &box);
    }
    if (is_aligned)
        assert_memory_equal(stream.bytes, after.bytes, stream.count);
    free(before);
    free(stream.bytes);
    free(after.bytes);
    test_array_free(&values);
    test_array_free(&whole);
}

static void whole_blocks_become_those_of_the_changed_array(void **state)
{
    (void)state;
    struct rng r = {21};
    for (int i = 0; i < 1500; i++)
        run_case(&r, true);
}

static void blocks_partly_in_the_box_keep_their_other_values(void **state)
{
    (void)state;
    struct rng r = {22};
    for (int i = 0; i < 1500; i++)
        run_case(&r, false);
}

/* A rate at which nothing is lost: values beside the box stay as they are. */
static void one_value_changes_alone_at_a_high_rate(void **state)
{
    (void)state;
    float in[6 * 7], back[6 * 7], one = -41;
    zt_zfp z;
    uint8_t stream[6 * 7 * 16];
    size_t n;
    for (int i = 0; i < 6 * 7; i++)
        in[i] = (float)(i % 9);
    const zt_array a = zt_array_2d(in, ZT_F32, 6, 7), b = zt_array_2d(back, ZT_F32, 6, 7);
    const zt_array value = zt_array_2d(&one, ZT_F32, 1, 1);
    zt_zfp_init(&z, sizeof z);
    zt_zfp_set_rate(&z, 36.1, ZT_F32, 2, 0, NULL);
    assert_int_equal(zt_zfp_compress(NULL, &a, &z, stream, sizeof stream, &n), ZT_OK);
    for (uint64_t i = 0; i < 6 * 7; i++) {
        const zt_box box = {.lo = {i / 7, i % 7}, .hi = {i / 7 + 1, i % 7 + 1}};
        one -= 1;
        assert_int_equal(zt_zfp_write_box(NULL, stream, n, &z, &a, &box, &value), ZT_OK);
        in[i] = one;
        assert_int_equal(zt_zfp_decompress(NULL, stream, n, &z, &b, NULL), ZT_OK);
        for (int k = 0; k < 6 * 7; k++)
            assert_true(fabsf(back[k] - in[k]) < 1e-4f);
    }
}

static void what_cannot_be_written_leaves_the_stream_alone(void **state)
{
    (void)state;
    float in[64], values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t stream[2048], before[2048];
    size_t n;
    zt_zfp z, other;
    zt_context *context;
    for (int i = 0; i < 64; i++)
        in[i] = sinf((float)i);
    const zt_array a = zt_array_3d(in, ZT_F32, 4, 4, 4), flat = zt_array_2d(in, ZT_F32, 8, 8);
    zt_array v = zt_array_3d(values, ZT_F32, 2, 2, 2), wrong = v;
    zt_box box = {.lo = {1, 1, 1}, .hi = {3, 3, 3}}, outside = {.lo = {3, 3, 3}, .hi = {5, 5, 5}};
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    zt_zfp_init(&z, sizeof z);
    zt_zfp_set_rate(&z, 16, ZT_F32, 3, 0, NULL);
    assert_int_equal(zt_zfp_compress(NULL, &a, &z, stream, sizeof stream, &n), ZT_OK);
    memcpy(before, stream, n);

    assert_int_equal(zt_zfp_write_box(context, stream, n, &z, &a, &outside, &v), ZT_BAD_ARG);
    assert_int_equal(zt_zfp_write_box(context, stream, n, &z, &a, NULL, &v), ZT_BAD_ARG);
    assert_int_equal(zt_zfp_write_box(context, stream, n, &z, &flat, &box, &v), ZT_BAD_ARG);
    assert_int_equal(zt_zfp_write_box(context, NULL, n, &z, &a, &box, &v), ZT_BAD_ARG);
    wrong.type = ZT_I32;
    assert_int_equal(zt_zfp_write_box(context, stream, n, &z, &a, &box, &wrong), ZT_BAD_ARG);
    wrong = v;
    wrong.shape[2] = 1;
    assert_int_equal(zt_zfp_write_box(context, stream, n, &z, &a, &box, &wrong), ZT_BAD_ARG);
    assert_int_equal(zt_zfp_write_box(context, stream, n - 1, &z, &a, &box, &v), ZT_CORRUPT);
    other = z;
    zt_zfp_set_precision(&other, 16, NULL);
    assert_int_equal(zt_zfp_write_box(context, stream, n, &other, &a, &box, &v), ZT_UNSUPPORTED);
    assert_non_null(strstr(zt_context_error(context), "fixed rate"));
    zt_zfp_set_expert(&other, 512, 512, 64, -1075);
    assert_int_not_equal(zt_zfp_write_box(context, stream, n, &other, &a, &box, &v), ZT_OK);
    values[5] = NAN;
    assert_int_equal(zt_zfp_write_box(context, stream, n, &z, &a, &box, &v), ZT_NONFINITE);
    assert_memory_equal(stream, before, n);
    zt_context_free(context);
}

/* Values next to the type's largest decode to infinity at a low rate. */
static void infinities_beside_the_box_are_refused(void **state)
{
    (void)state;
    float in[16], one = 1;
    uint8_t stream[64], before[64];
    size_t n;
    zt_zfp z;
    const zt_array a = zt_array_2d(in, ZT_F32, 4, 4), v = zt_array_2d(&one, ZT_F32, 1, 1);
    const zt_box box = {.lo = {3, 3}, .hi = {4, 4}};
    for (int i = 0; i < 16; i++)
        in[i] = i % 3 == 0 ? 3.4e38f : 3.3e38f;
    zt_zfp_init(&z, sizeof z);
    zt_zfp_set_rate(&z, 1, ZT_F32, 2, 0, NULL);
    assert_int_equal(zt_zfp_compress(NULL, &a, &z, stream, sizeof stream, &n), ZT_OK);
    memcpy(before, stream, n);
    assert_int_equal(zt_zfp_write_box(NULL, stream, n, &z, &a, &box, &v), ZT_NONFINITE);
    assert_memory_equal(stream, before, n);
    z.flags = ZT_ZFP_AS_LIBZFP;
    assert_int_equal(zt_zfp_write_box(NULL, stream, n, &z, &a, &box, &v), ZT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_blocks_become_those_of_the_changed_array),
        cmocka_unit_test(blocks_partly_in_the_box_keep_their_other_values),
        cmocka_unit_test(one_value_changes_alone_at_a_high_rate),
        cmocka_unit_test(what_cannot_be_written_leaves_the_stream_alone),
        cmocka_unit_test(infinities_beside_the_box_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
