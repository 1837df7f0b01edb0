/* sz_support.h: arrays through the sz codec below the frame, in memory, for its tests. */
#ifndef ZTILE_TEST_SZ_SUPPORT_H
#define ZTILE_TEST_SZ_SUPPORT_H

#include "codec/sz/sz.h"
#include "exec/exec.h"
#include "support/inside.h"
#include "support/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Room for a coding to put tiles together in, with something behind that is not to be written. */
struct test_room {
    uint8_t *bytes;
    size_t n;
};

enum { BEHIND_ROOM = 64 };

static inline struct test_room test_room_open(size_t n, struct zti_coding *coding)
{
    struct test_room room = {need(n + BEHIND_ROOM), n};
    memset(room.bytes + n, 0x3c, BEHIND_ROOM);
    coding->run.room = n > 0 ? room.bytes : NULL;
    coding->run.room_bytes = n;
    return room;
}

static inline void test_room_close(struct test_room *room)
{
    for (uint32_t i = 0; i < BEHIND_ROOM; i++)
        assert_int_equal(room->bytes[room->n + i], 0x3c);
    free(room->bytes);
}

/* A stream, and what decoding it needs. */
struct coded {
    struct zti_coding coding;
    uint8_t *bytes;
    size_t capacity;
    uint64_t end_bits;
};

static zt_bound_kind kind_of(double bound)
{
    return bound > 0 ? ZT_ABS : bound < 0 ? ZT_PWREL : ZT_LOSSLESS;
}

/* Code an array as the frame layer does; bound 0: without loss; below 0: less by a part of each
 * value. axes: to take differences along, bit i for axis i; negative: what the codec chooses. min,
 * max: the range that the codec is told. */
static struct coded code_within(zt_context *context, const zt_array *array, double bound,
                                uint32_t effort, int axes, double min, double max)
{
    const struct zti_array own = inside(array);
    struct coded c;
    zt_params params;
    memset(&c, 0, sizeof c);
    zt_params_init(&params, sizeof params);
    params.codec = ZT_CODEC_SZ;
    set_coder(&params, effort);
    const struct zti_target target = {
        .params = &params,
        .kind = kind_of(bound),
        .abs_bound = bound,
        .part = -bound,
        .min = min,
        .max = max,
        .found = {.has_axes = axes >= 0, .axes = axes >= 0 ? (uint32_t)axes : 0}};
    c.coding = (struct zti_coding){.codec = &zti_codec_sz, .type = array->type};
    c.coding.grid = zti_codec_grid(&zti_codec_sz, array->rank, array->shape);
    assert_int_equal(zti_codec_sz.configure(context, &target, &c.coding), ZT_OK);
    assert_int_equal(zti_exec_survey(context, &c.coding, &own, NULL), ZT_OK);
    assert_int_equal(zti_exec_capacity(context, &c.coding, &c.capacity), ZT_OK);
    c.bytes = need(c.capacity);
    assert_int_equal(
        zti_exec_encode(context, &c.coding, &own, c.bytes, c.capacity, 0, &c.end_bits, NULL, NULL),
        ZT_OK);
    return c;
}

static struct coded code_along(zt_context *context, const zt_array *array, double bound,
                               uint32_t effort, int axes)
{
    double min, max;
    range_of(array, &min, &max);
    return code_within(context, array, bound, effort, axes, min, max);
}

static struct coded code(zt_context *context, const zt_array *array, double bound, uint32_t effort)
{
    return code_along(context, array, bound, effort, -1);
}

/* The coding as a reader has it: from its serialized parameters and head. */
static struct zti_coding loaded(zt_context *context, const struct coded *c)
{
    uint8_t params[ZTI_CODEC_PARAMS_BYTES];
    const size_t params_bytes = zti_codec_sz.store_params(&c->coding, params);
    const size_t head_bytes = (size_t)zti_head_bytes(&c->coding);
    uint8_t *head = need(head_bytes + 1);
    struct zti_coding coding = {.codec = &zti_codec_sz, .type = c->coding.type};
    coding.grid = zti_codec_grid(&zti_codec_sz, c->coding.grid.rank, c->coding.grid.shape);
    zti_sz_learning.encode_head(&c->coding, NULL, head);
    assert_int_equal(zti_codec_sz.load_params(context, params, params_bytes, &coding), ZT_OK);
    assert_int_equal(zti_head_bytes(&coding), head_bytes);
    assert_int_equal(zti_sz_learning.decode_head(context, &coding, head), ZT_OK);
    free(head);
    return coding;
}

static void coded_free(zt_context *context, struct coded *c)
{
    zti_sz_forget(context, &c->coding);
    free(c->bytes);
}

/* Decode what an array was coded as; every value must be within the bound, or have the same bits.
 * Returns the bits of the stream, which is freed. */
static inline uint64_t need_bound_of(zt_context *context, struct coded *coded,
                                     const zt_array *array, double bound)
{
    const uint64_t n = values_of(array->rank, array->shape);
    const size_t value_bytes = zt_type_bytes(array->type);
    const struct coded c = *coded;
    struct zti_coding coding = loaded(context, &c);
    struct test_array back;
    int64_t stride[ZT_MAX_RANK];
    uint64_t end_bits;
    contiguous_strides(array->rank, array->shape, stride);
    back = test_array_new(array->type, array->rank, array->shape, stride);
    const struct zti_view view = view_of(&back.array);
    assert_int_equal(zti_exec_decode(context, &coding, c.bytes, (size_t)(c.end_bits / 8), 0, NULL,
                                     &view, &end_bits),
                     ZT_OK);
    assert_int_equal(end_bits, c.end_bits);
    unsigned char *raw = need(n * value_bytes), *decoded = need(n * value_bytes);
    gather(array, raw);
    gather(&back.array, decoded);
    for (uint64_t i = 0; i < n; i++)
        if (!is_within_exactly(array->type, raw + i * value_bytes, decoded + i * value_bytes,
                               bound))
            fail_msg("value %llu is beyond %.17g", (unsigned long long)i, bound);
    free(raw);
    free(decoded);
    test_array_free(&back);
    zti_sz_forget(context, &coding);
    coded_free(context, coded);
    return end_bits;
}

static inline uint64_t need_bound(zt_context *context, const zt_array *array, double bound,
                                  uint32_t effort)
{
    struct coded c = code(context, array, bound, effort);
    return need_bound_of(context, &c, array, bound);
}

static struct test_array array_of(uint32_t type, uint32_t rank, const uint64_t *shape)
{
    int64_t stride[ZT_MAX_RANK];
    contiguous_strides(rank, shape, stride);
    return test_array_new(type, rank, shape, stride);
}

/* Every instance, by itself and with threads, must write the same bytes, and read them back; grain:
 * of threads. Returns the coder. */
static inline uint32_t need_same_bytes(const zt_array *array, double bound, uint32_t effort,
                                       uint32_t grain)
{
    struct coded first = code(NULL, array, bound, effort);
    const uint32_t coder = sz_of(&first.coding)->coder;
    for (uint32_t turn = 0; turn < 6; turn++) {
        zt_context *context;
        zt_context_new(NULL, &context);
        zt_context_set_isa(context, (zt_isa)(turn % 3));
        const zt_omp omp = {.threads = turn, .grain = grain};
        if (turn >= 3)
            zt_context_set_omp(context, &omp);
        struct coded c = code(context, array, bound, effort);
        assert_int_equal(sz_of(&c.coding)->coder, coder);
        assert_int_equal(c.end_bits, first.end_bits);
        assert_memory_equal(c.bytes, first.bytes, (size_t)(c.end_bits / 8));
        (void)need_bound(context, array, bound, effort);
        coded_free(context, &c);
        zt_context_free(context);
    }
    coded_free(NULL, &first);
    return coder;
}

/* Allocate memory that holds what was there before: nothing of it may be in the bytes. */
static inline void *allocate_used(void *user, size_t bytes)
{
    void *const memory = need(bytes);
    memset(memory, *(const int *)user, bytes);
    return memory;
}

static inline void free_used(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static inline void need_clean_memory(const zt_array *array, double bound, uint32_t effort)
{
    struct coded c[2];
    zt_context *context[2];
    int held[2] = {0, 0x41};
    for (uint32_t i = 0; i < 2; i++) {
        const zt_allocator used = {.alloc = allocate_used, .release = free_used, .user = &held[i]};
        assert_int_equal(zt_context_new(&used, &context[i]), ZT_OK);
        c[i] = code(context[i], array, bound, effort);
    }
    assert_int_equal(c[0].end_bits, c[1].end_bits);
    assert_memory_equal(c[0].bytes, c[1].bytes, (size_t)(c[0].end_bits / 8));
    for (uint32_t i = 0; i < 2; i++) {
        coded_free(context[i], &c[i]);
        zt_context_free(context[i]);
    }
}

/* Decode a stream that is damaged more and more, at its first bytes every other time; it becomes
 * some values or is refused. Sanitizers watch. */
static inline void decode_damaged(struct rng *r, const zt_array *array, double bound,
                                  uint32_t effort, uint32_t turns, size_t first_bytes)
{
    struct coded c = code(NULL, array, bound, effort);
    struct zti_coding coding = loaded(NULL, &c);
    struct test_array back = array_of(array->type, array->rank, array->shape);
    const struct zti_view view = view_of(&back.array);
    const size_t n = (size_t)(c.end_bits / 8);
    for (uint32_t turn = 0; turn < turns; turn++) {
        uint64_t end_bits;
        const uint64_t among = turn % 2 || n < first_bytes ? n : first_bytes;
        c.bytes[rng_below(r, among)] ^= (uint8_t)(1 << rng_below(r, 8));
        (void)zti_exec_decode(NULL, &coding, c.bytes, turn % 3 ? n : n - n / 3, 0, NULL, &view,
                              &end_bits);
    }
    test_array_free(&back);
    zti_sz_forget(NULL, &coding);
    coded_free(NULL, &c);
}

/* Whether head and tiles of an array have these bytes, of which there is a hash, by every instance;
 * says which have not. */
static inline bool writes_golden(const zt_array *array, double bound, uint32_t effort, int axes,
                                 uint64_t golden_bytes, uint64_t hash)
{
    bool is_good = true;
    for (uint32_t isa = 0; isa < 3; isa++) {
        zt_context *context;
        zt_context_new(NULL, &context);
        zt_context_set_isa(context, (zt_isa)isa);
        struct coded c = code_along(context, array, bound, effort, axes);
        const size_t head_bytes = (size_t)zti_head_bytes(&c.coding);
        const size_t bytes = head_bytes + (size_t)(c.end_bits / 8);
        uint8_t *const all = need(bytes);
        assert_int_equal(sz_of(&c.coding)->coder,
                         effort == CODER_MULTIPLES ? (uint32_t)ZTI_SZ_LOSSLESS_HIGH : effort);
        zti_sz_learning.encode_head(&c.coding, NULL, all);
        memcpy(all + head_bytes, c.bytes, bytes - head_bytes);
        if (bytes != golden_bytes || fnv1a64(all, bytes) != hash) {
            print_error("type %u, rank %u, bound %g, instance %u: %zu, UINT64_C(0x%016llx)\n",
                        array->type, array->rank, bound, isa, bytes,
                        (unsigned long long)fnv1a64(all, bytes));
            is_good = false;
        }
        free(all);
        coded_free(context, &c);
        zt_context_free(context);
    }
    return is_good;
}

#endif
