/* zfp_index_test.c: indexes of bare zfp streams, and other indexes for .zt files. That every layout
 * gives the same array under every policy is tested with support/every_way.h. */
#include "frame_support.h"
#include "ztile_zfp.h"
#include "ztile_expert.h"

#include <xxhash.h>

enum { NZ = 24, NY = 37, NX = 50, N = NZ * NY * NX };

static const uint64_t shape[] = {NZ, NY, NX};

/* A field, its stream and the stream's index. */
struct case_of {
    zt_array field;
    zt_array out; /* memory for what is decoded */
    zt_zfp zfp;
    unsigned char *stream;
    size_t bytes;
    zt_zfp_index index;
};

static zt_zfp_index new_index(const struct case_of *c, uint32_t kind, uint32_t chunk)
{
    zt_zfp_index index;
    assert_int_equal(zt_zfp_index_init(&index, sizeof index), ZT_OK);
    index.kind = kind;
    index.chunk = chunk;
    need_ok(NULL, zt_zfp_index_bound(NULL, &c->field, &c->zfp, &index, &index.capacity_bytes));
    index.bytes = need(index.capacity_bytes);
    return index;
}

static struct case_of new_case(uint32_t kind, uint32_t chunk, uint32_t seed)
{
    struct case_of c = {.field = new_array(ZT_F32, 3, shape), .out = new_array(ZT_F32, 3, shape)};
    size_t capacity;
    fill_array(&c.field, DATA_WAVE_NOISE, seed);
    assert_int_equal(zt_zfp_init(&c.zfp, sizeof c.zfp), ZT_OK);
    assert_int_equal(zt_zfp_set_precision(&c.zfp, 14, NULL), ZT_OK);
    c.zfp.flags = ZT_ZFP_HEADER;
    assert_int_equal(zt_zfp_compress_bound(NULL, &c.field, &c.zfp, &capacity), ZT_OK);
    c.stream = need(capacity);
    c.index = new_index(&c, kind, chunk);
    assert_int_equal(
        zt_zfp_compress_indexed(NULL, &c.field, &c.zfp, c.stream, capacity, &c.bytes, &c.index),
        ZT_OK);
    assert_true(c.index.index_bytes > 0 && c.index.index_bytes <= c.index.capacity_bytes);
    return c;
}

static void free_case(struct case_of *c)
{
    free(c->field.data);
    free(c->out.data);
    free(c->stream);
    free(c->index.bytes);
}

static zt_status decode_with(zt_context *context, struct case_of *c, zt_zfp_index *index)
{
    return decode_or_index(context, c->stream, c->bytes, &c->zfp, index, &c->out, NULL);
}

static zt_context *new_context(void)
{
    zt_context *context;
    assert_int_equal(zt_context_new(NULL, &context), ZT_OK);
    return context;
}

/* ---- what an index is ---- */

static void an_index_tells_what_it_is(void **state)
{
    (void)state;
    struct case_of c = new_case(ZT_INDEX_HYBRID, 7, 1);
    zt_zfp_index other = c.index;
    other.kind = other.chunk = other.partition = 0;
    assert_int_equal(zt_zfp_index_check(NULL, c.stream, c.bytes, &c.zfp, &c.field, &other), ZT_OK);
    assert_int_equal(zt_zfp_index_describe(NULL, &other), ZT_OK);
    assert_int_equal(other.kind, ZT_INDEX_HYBRID);
    assert_int_equal(other.chunk, 7);
    assert_int_equal(other.partition, 32);
    other.index_bytes--;
    assert_int_equal(zt_zfp_index_describe(NULL, &other), ZT_CORRUPT);
    other.index_bytes = 0;
    assert_int_equal(zt_zfp_index_describe(NULL, &other), ZT_BAD_ARG);
    assert_int_equal(zt_zfp_index_describe(NULL, NULL), ZT_BAD_ARG);
    free_case(&c);
}

static void the_stream_is_the_one_without_an_index(void **state)
{
    (void)state;
    struct case_of c = new_case(ZT_INDEX_COMPACT, 0, 1);
    unsigned char *plain = need(c.bytes + 1000);
    size_t bytes;
    assert_int_equal(zt_zfp_compress(NULL, &c.field, &c.zfp, plain, c.bytes + 1000, &bytes), ZT_OK);
    assert_int_equal(bytes, c.bytes);
    assert_memory_equal(plain, c.stream, bytes);
    free(plain);
    free_case(&c);
}

static void fixed_rate_has_no_index(void **state)
{
    (void)state;
    struct case_of c = new_case(ZT_INDEX_COMPACT, 0, 1);
    assert_int_equal(zt_zfp_set_rate(&c.zfp, 8, ZT_F32, 3, 0, NULL), ZT_OK);
    size_t bytes;
    c.index.index_bytes = 1;
    need_ok(NULL,
            zt_zfp_compress_indexed(NULL, &c.field, &c.zfp, c.stream, N * 4, &bytes, &c.index));
    assert_int_equal(c.index.index_bytes, 0);
    need_ok(NULL, zt_zfp_index_build(NULL, c.stream, bytes, &c.zfp, &c.field, &c.index));
    assert_int_equal(c.index.index_bytes, 0);
    free_case(&c);
}

/* ---- wrong indexes ---- */

static void another_streams_index_is_refused(void **state)
{
    (void)state;
    struct case_of a = new_case(ZT_INDEX_OFFSETS, 4, 1), b = new_case(ZT_INDEX_OFFSETS, 4, 2);
    zt_context *context = new_context();
    need_failure(context, decode_with(context, &a, &b.index), ZT_CORRUPT, "another stream's");

    /* of one length, other bytes at either end */
    b.bytes = a.bytes;
    memcpy(b.stream, a.stream, a.bytes);
    b.stream[100] ^= 1;
    need_failure(context, decode_with(context, &b, &a.index), ZT_CORRUPT, "begins with other");
    b.stream[100] ^= 1;
    b.stream[b.bytes - 100] ^= 1;
    need_failure(context, decode_with(context, &b, &a.index), ZT_CORRUPT, "ends with other");
    b.stream[b.bytes - 100] ^= 1;

    /* in the middle: chunks end elsewhere */
    memset(b.stream + b.bytes / 2, 0x5a, 400);
    need_failure(context, decode_with(context, &b, &a.index), ZT_CORRUPT, "chunk");

    /* another shape */
    zt_array other = a.out;
    other.shape[0] -= 4;
    a.zfp.flags = 0;
    need_failure(context, zt_zfp_index_check(context, a.stream, a.bytes, &a.zfp, &other, &a.index),
                 ZT_CORRUPT, "tiles behind");
    zt_context_free(context);
    free_case(&a);
    free_case(&b);
}

static void damaged_and_cut_indexes_are_refused(void **state)
{
    (void)state;
    struct case_of c = new_case(ZT_INDEX_COMPACT, 16, 3);
    zt_context *context = new_context();
    const size_t n = c.index.index_bytes;
    unsigned char *bytes = c.index.bytes;
    for (size_t i = 0; i < n; i++) {
        zt_zfp_index damaged = c.index;
        unsigned char *copy = need(n);
        memcpy(copy, bytes, n);
        copy[i] ^= (unsigned char)(1u << i % 8);
        damaged.bytes = copy;
        zt_status s = zt_zfp_index_check(context, c.stream, c.bytes, &c.zfp, &c.field, &damaged);
        assert_true(s == ZT_CORRUPT || (s == ZT_UNSUPPORTED && i == 4));
        free(copy);
        copy = need(i > 0 ? i : 1); /* cut to i bytes, which the sanitizer sees the end of */
        memcpy(copy, bytes, i);
        damaged.bytes = copy;
        damaged.index_bytes = i;
        if (i > 0)
            need_failure(context, decode_with(context, &c, &damaged), ZT_CORRUPT, "index");
        free(copy);
    }
    zt_context_free(context);
    free_case(&c);
}

/* Whatever an index says under a hash that fits: an error, or the right array. */
static void an_index_that_lies_gives_no_other_array(void **state)
{
    (void)state;
    for (uint32_t kind = ZT_INDEX_OFFSETS; kind <= ZT_INDEX_COMPACT; kind++) {
        struct case_of c = new_case(kind, 3, 4);
        struct rng r = {kind};
        zt_context *context = new_context();
        const size_t n = c.index.index_bytes;
        unsigned char *bytes = c.index.bytes;
        float *wanted = need(sizeof(float) * N);
        assert_int_equal(decode_with(NULL, &c, NULL), ZT_OK);
        memcpy(wanted, c.out.data, sizeof(float) * N);
        for (uint32_t round = 0, refused = 0; round < 150 || refused == 0; round++) {
            const size_t at = 30 + (size_t)rng_below(&r, n - 38);
            const unsigned char old = bytes[at];
            bytes[at] = (unsigned char)rng_next(&r);
            uint64_t hash = XXH3_64bits(bytes, n - 8);
            for (int i = 0; i < 8; i++)
                bytes[n - 8 + (size_t)i] = (unsigned char)(hash >> 8 * i);
            random_policy(&r, context);
            const zt_status s = decode_with(context, &c, &c.index);
            assert_true(s == ZT_OK || s == ZT_CORRUPT || s == ZT_UNSUPPORTED);
            refused += s != ZT_OK;
            if (s == ZT_OK)
                assert_memory_equal(c.out.data, wanted, sizeof(float) * N);
            bytes[at] = old;
        }
        free(wanted);
        zt_context_free(context);
        free_case(&c);
    }
}

static void impossible_requests_are_refused(void **state)
{
    (void)state;
    struct case_of c = new_case(ZT_INDEX_COMPACT, 16, 3);
    zt_context *context = new_context();
    zt_zfp_index i = c.index;
    i.capacity_bytes = 10;
    need_failure(context, zt_zfp_index_build(context, c.stream, c.bytes, &c.zfp, &c.field, &i),
                 ZT_NO_SPACE, "zt_zfp_index_bound");
    i = c.index;
    i.kind = ZT_INDEX_NONE;
    need_failure(context, zt_zfp_index_bound(context, &c.field, &c.zfp, &i, &i.capacity_bytes),
                 ZT_BAD_ARG, "no kind");
    i.kind = ZT_INDEX_COMPACT;
    i.partition = 4;
    need_failure(context, zt_zfp_index_bound(context, &c.field, &c.zfp, &i, &i.capacity_bytes),
                 ZT_BAD_ARG, "hybrid");
    i = c.index;
    i.reserved[1] = 1;
    need_failure(context, decode_with(context, &c, &i), ZT_UNSUPPORTED, "later version");
    i = c.index;
    i.bytes = NULL;
    need_failure(context, decode_with(context, &c, &i), ZT_BAD_ARG, "no place");
    need_failure(context, zt_zfp_index_check(context, c.stream, c.bytes, &c.zfp, &c.field, NULL),
                 ZT_BAD_ARG, "no index");
    assert_int_equal(zt_zfp_index_init(&i, sizeof i - 1), ZT_BAD_ARG);
    zt_context_free(context);
    free_case(&c);
}

/* ---- memory, sources ---- */

static void without_memory_calls_fail_and_leak_nothing(void **state)
{
    (void)state;
    struct case_of c = new_case(ZT_INDEX_LENGTHS, 1, 5);
    zt_zfp_index found = new_index(&c, ZT_INDEX_COMPACT, 2);
    for (int64_t calls = 0, failures = 1; failures > 0; calls++) {
        struct counted counted;
        zt_context *context = counted_context(&counted);
        failures = 0;
        for (int i = 0; i < 3; i++) {
            counted.calls_left = calls;
            zt_status s =
                i == 0   ? decode_with(context, &c, &c.index)
                : i == 1 ? decode_with(context, &c, &found)
                         : zt_zfp_index_build(context, c.stream, c.bytes, &c.zfp, &c.field, &found);
            found.index_bytes = 0;
            assert_true(s == ZT_OK || s == ZT_NO_MEMORY);
            failures += s != ZT_OK;
        }
        assert_int_equal(counted.held, 1); /* the context */
        zt_context_free(context);
        assert_true(calls < 50);
    }
    free(found.bytes);
    free_case(&c);
}

static void a_box_reads_only_its_part_of_the_stream(void **state)
{
    (void)state;
    const uint64_t n[] = {64, 128, 128};
    const zt_box box = {{24, 40, 40}, {32, 48, 48}};
    float out[8 * 8 * 8], part[8 * 8 * 8];
    struct case_of c = {.field = new_array(ZT_F32, 3, n)};
    zt_array o = zt_array_3d(out, ZT_F32, 8, 8, 8), p = zt_array_3d(part, ZT_F32, 8, 8, 8);
    size_t capacity;
    fill_array(&c.field, DATA_NOISE, 3);
    for (int mode = 0; mode < 2; mode++) {
        assert_int_equal(zt_zfp_init(&c.zfp, sizeof c.zfp), ZT_OK);
        c.zfp.flags = ZT_ZFP_HEADER;
        if (mode == 0)
            zt_zfp_set_rate(&c.zfp, 11.3, ZT_F32, 3, 0, NULL);
        else
            zt_zfp_set_reversible(&c.zfp);
        assert_int_equal(zt_zfp_compress_bound(NULL, &c.field, &c.zfp, &capacity), ZT_OK);
        c.stream = need(capacity);
        c.index = new_index(&c, ZT_INDEX_COMPACT, 0);
        need_ok(NULL, zt_zfp_compress_indexed(NULL, &c.field, &c.zfp, c.stream, capacity, &c.bytes,
                                              &c.index));
        struct mem_source memory;
        zt_source source = source_of(&memory, c.stream, c.bytes, false);
        need_ok(NULL, zt_zfp_read_box(NULL, &source, &c.zfp, &c.index, &c.field, &box, &o));
        assert_true(memory.read_bytes < c.bytes / 16);
        need_ok(NULL,
                zt_zfp_decompress_box(NULL, c.stream, c.bytes, &c.zfp, NULL, &c.field, &box, &p));
        assert_memory_equal(out, part, sizeof out);
        zt_context *context = new_context();
        memory.calls_left = 1;
        need_failure(context,
                     zt_zfp_read_box(context, &source, &c.zfp, &c.index, &c.field, &box, &o), ZT_IO,
                     "reading");
        source.source_bytes = ZT_UNKNOWN;
        need_failure(context,
                     zt_zfp_read_box(context, &source, &c.zfp, &c.index, &c.field, &box, &o),
                     ZT_BAD_ARG, "known size");
        zt_context_free(context);
        free(c.stream);
        free(c.index.bytes);
    }
    free(c.field.data);
}

/* ---- the same struct, longer ---- */

static void a_longer_struct_is_taken_while_its_tail_is_zero(void **state)
{
    (void)state;
    struct {
        zt_zfp_index index;
        uint64_t later;
    } longer;
    struct case_of c = new_case(ZT_INDEX_COMPACT, 0, 1);
    assert_int_equal(zt_zfp_index_init(&longer.index, sizeof longer), ZT_OK);
    longer.index.bytes = c.index.bytes;
    longer.index.index_bytes = c.index.index_bytes;
    assert_int_equal(decode_with(NULL, &c, &longer.index), ZT_OK);
    longer.later = 1;
    assert_int_equal(decode_with(NULL, &c, &longer.index), ZT_UNSUPPORTED);
    free_case(&c);
}

/* ---- other indexes for .zt files ---- */

static struct bytes with_index(const zt_array *a, zt_bound bound, uint32_t kind, uint32_t chunk)
{
    zt_params p = params_of(bound);
    p.index = kind;
    p.index_chunk = chunk;
    p.slab_bytes = 12 * NY * NX * 4; /* two frames */
    p.name = "height";
    return compress(a, &p);
}

static void a_replaced_index_is_the_one_of_the_writer(void **state)
{
    (void)state;
    const zt_bound bounds[] = {zt_abs(1e-2), zt_abs(1e-7), zt_lossless(), zt_rate(6)};
    zt_array a = new_array(ZT_F32, 3, shape);
    uint64_t exact = 0, special = 0;
    fill_array(&a, DATA_WAVE_NOISE, 7);
    ((float *)a.data)[100] = 1e30f; /* spoils its neighbours: exact values */
    ((float *)a.data)[5000] = (float)NAN;
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
        for (uint32_t from = ZT_INDEX_NONE; from <= ZT_INDEX_COMPACT; from++)
            for (uint32_t to = ZT_INDEX_NONE; to <= ZT_INDEX_COMPACT; to++) {
                const uint32_t chunk = to == ZT_INDEX_NONE ? 0 : 5;
                struct bytes old = with_index(&a, bounds[b], from, 0);
                struct bytes wanted = with_index(&a, bounds[b], to, chunk);
                struct mem_source memory;
                struct mem_sink made = {.limit = SIZE_MAX};
                const zt_source source = source_of(&memory, old.data, old.n, false);
                const zt_sink sink = sink_of(&made);
                need_ok(NULL, zt_replace_index(NULL, &source, &sink, (zt_index_kind)to, chunk, 0));
                assert_int_equal(made.bytes.n, wanted.n);
                assert_memory_equal(made.bytes.data, wanted.data, wanted.n);
                exact += info_of(&wanted).exact_values;
                special += info_of(&wanted).special_values;
                free(old.data);
                free(wanted.data);
                free(made.bytes.data);
            }
    assert_true(exact > 0 && special > 0);
    free(a.data);
}

/* A call that fails somewhere, at each place in turn. */
static void failures_while_replacing_are_told(void **state)
{
    (void)state;
    zt_array a = new_array(ZT_F32, 3, shape);
    fill_array(&a, DATA_WAVE_NOISE, 7);
    struct bytes file = with_index(&a, zt_abs(1e-7), ZT_INDEX_COMPACT, 0);
    uint32_t reads = 0, writes = 0, allocations = 0;
    for (int64_t n = 0, failures = 1; failures > 0; n++) {
        failures = 0;
        for (int what = 0; what < 3; what++) {
            struct mem_source memory;
            struct mem_sink made = {.limit = what == 1 ? (size_t)n * 20000 : SIZE_MAX};
            const zt_source source = source_of(&memory, file.data, file.n, false);
            const zt_sink sink = sink_of(&made);
            struct counted counted;
            zt_context *context = counted_context(&counted);
            memory.calls_left = what == 0 ? n : -1;
            counted.calls_left = what == 2 ? n : -1;
            const zt_status s = zt_replace_index(context, &source, &sink, ZT_INDEX_OFFSETS, 0, 0);
            assert_true(s == ZT_OK || s == (what == 2 ? ZT_NO_MEMORY : ZT_IO));
            reads += what == 0 && s;
            writes += what == 1 && s;
            allocations += what == 2 && s;
            failures += s != ZT_OK;
            assert_int_equal(counted.held, 1);
            zt_context_free(context);
            free(made.bytes.data);
        }
        assert_true(n < 1000);
    }
    assert_true(reads > 5 && writes > 3 && allocations > 5);
    file.data[file.n / 3] ^= 1;
    struct mem_source memory;
    struct mem_sink made = {.limit = SIZE_MAX};
    const zt_source source = source_of(&memory, file.data, file.n, false);
    const zt_sink sink = sink_of(&made);
    assert_int_equal(zt_replace_index(NULL, &source, &sink, ZT_INDEX_OFFSETS, 0, 0), ZT_CORRUPT);
    assert_int_equal(zt_replace_index(NULL, &source, &sink, ZT_INDEX_OFFSETS, 0, 3), ZT_BAD_ARG);
    free(made.bytes.data);
    free(file.data);
    free(a.data);
}

static int stop(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    return done * 2 >= total;
}

static void a_scan_can_be_cancelled(void **state)
{
    (void)state;
    struct case_of c = new_case(ZT_INDEX_COMPACT, 0, 1);
    zt_context *context = new_context();
    assert_int_equal(zt_context_set_progress(context, stop, NULL), ZT_OK);
    c.index.index_bytes = 0;
    need_failure(context,
                 zt_zfp_index_build(context, c.stream, c.bytes, &c.zfp, &c.field, &c.index),
                 ZT_CANCELLED, "cancelled");
    zt_context_free(context);
    free_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_tells_what_it_is),
        cmocka_unit_test(the_stream_is_the_one_without_an_index),
        cmocka_unit_test(fixed_rate_has_no_index),
        cmocka_unit_test(another_streams_index_is_refused),
        cmocka_unit_test(damaged_and_cut_indexes_are_refused),
        cmocka_unit_test(an_index_that_lies_gives_no_other_array),
        cmocka_unit_test(impossible_requests_are_refused),
        cmocka_unit_test(without_memory_calls_fail_and_leak_nothing),
        cmocka_unit_test(a_box_reads_only_its_part_of_the_stream),
        cmocka_unit_test(a_longer_struct_is_taken_while_its_tail_is_zero),
        cmocka_unit_test(a_replaced_index_is_the_one_of_the_writer),
        cmocka_unit_test(failures_while_replacing_are_told),
        cmocka_unit_test(a_scan_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
