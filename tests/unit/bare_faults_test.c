/* bare_faults_test.c: the calls over bare zfp and ndzip streams, each with an argument that makes
 * no sense, with a stream that ends too early at every byte, with memory that ends at every
 * allocation, and with a source that fails at every read: the status that says so, a sentence, no
 * memory kept. */
#include "unit/frame_support.h"
#include "ztile_zfp.h"
#include "ztile_ndzip.h"
#include "ztile_expert.h"

/* What the calls are given. */
struct call {
    zt_context *context;
    const zt_array *array; /* to compress, and what the stream is of */
    const zt_array *out, *part;
    const zt_box *box;
    const zt_zfp *zfp;
    zt_zfp_index *index;
    const zt_source *source;
    void *stream;
    size_t stream_bytes;
    void *to;
    size_t to_bytes;
    size_t *used;
};

static zt_status bound(struct call *c)
{
    return zt_zfp_compress_bound(c->context, c->array, c->zfp, c->used);
}

static zt_status compress_bare(struct call *c)
{
    return zt_zfp_compress(c->context, c->array, c->zfp, c->to, c->to_bytes, c->used);
}

static zt_status compress_indexed(struct call *c)
{
    if (c->index)
        c->index->index_bytes = 0;
    return zt_zfp_compress_indexed(c->context, c->array, c->zfp, c->to, c->to_bytes, c->used,
                                   c->index);
}

static zt_status index_bound(struct call *c)
{
    return zt_zfp_index_bound(c->context, c->array, c->zfp, c->index, c->used);
}

static zt_status index_build(struct call *c)
{
    return zt_zfp_index_build(c->context, c->stream, c->stream_bytes, c->zfp, c->array, c->index);
}

static zt_status index_check(struct call *c)
{
    return zt_zfp_index_check(c->context, c->stream, c->stream_bytes, c->zfp, c->array, c->index);
}

static zt_status index_describe(struct call *c)
{
    return zt_zfp_index_describe(c->context, c->index);
}

static zt_status read_header(struct call *c)
{
    zt_zfp zfp;
    zt_array array;
    uint32_t bits;
    if (c->zfp)
        zfp = *c->zfp;
    return zt_zfp_read_header(c->context, c->stream, c->stream_bytes, c->zfp ? &zfp : NULL,
                              c->out ? &array : NULL, c->used ? &bits : NULL);
}

static zt_status decompress_bare(struct call *c)
{
    return zt_zfp_decompress(c->context, c->stream, c->stream_bytes, c->zfp, c->out, c->used);
}

static zt_status decompress_indexed(struct call *c)
{
    return zt_zfp_decompress_indexed(c->context, c->stream, c->stream_bytes, c->zfp, c->index,
                                     c->out, c->used);
}

static zt_status decompress_noting(struct call *c)
{
    return zt_zfp_decompress_and_index(c->context, c->stream, c->stream_bytes, c->zfp, c->index,
                                       c->out, c->used);
}

static zt_status decompress_box(struct call *c)
{
    return zt_zfp_decompress_box(c->context, c->stream, c->stream_bytes, c->zfp, c->index, c->array,
                                 c->box, c->part);
}

static zt_status read_box(struct call *c)
{
    return zt_zfp_read_box(c->context, c->source, c->zfp, c->index, c->array, c->box, c->part);
}

static zt_status write_box(struct call *c)
{
    return zt_zfp_write_box(c->context, c->stream, c->stream_bytes, c->zfp, c->array, c->box,
                            c->part);
}

static zt_status ndzip_bound(struct call *c)
{
    return zt_ndzip_compress_bound(c->context, c->array, c->used);
}

static zt_status ndzip_compress(struct call *c)
{
    return zt_ndzip_compress(c->context, c->array, c->to, c->to_bytes, c->used);
}

static zt_status ndzip_decompress(struct call *c)
{
    return zt_ndzip_decompress(c->context, c->stream, c->stream_bytes, c->out, c->used);
}

static zt_status ndzip_box(struct call *c)
{
    return zt_ndzip_decompress_box(c->context, c->stream, c->stream_bytes, c->array, c->box,
                                   c->part);
}

/* What a call looks at. */
enum {
    ARRAY = 1u << 0,
    VALUES = 1u << 1, /* and its values */
    ZFP = 1u << 2,
    TO = 1u << 3,
    USED = 1u << 4,  /* must be there */
    INDEX = 1u << 5, /* must be there; not where it is only MAYBE looked at */
    MAYBE = 1u << 6,
    MADE = 1u << 7,  /* it is made: kind and capacity count */
    THERE = 1u << 8, /* it is there already */
    STREAM = 1u << 9,
    OUT = 1u << 10,
    PART = 1u << 11,
    SOURCE = 1u << 12,
    IS_ZFP = ZFP | ARRAY
};

static const struct {
    zt_status (*run)(struct call *c);
    uint32_t looks;
} calls[] = {
    {bound, IS_ZFP | USED},
    {compress_bare, IS_ZFP | VALUES | TO | USED},
    {compress_indexed, IS_ZFP | VALUES | TO | USED | INDEX | MADE},
    {index_bound, IS_ZFP | USED | INDEX | MADE},
    {index_check, IS_ZFP | STREAM | INDEX | THERE},
    {index_describe, INDEX | THERE},
    {decompress_indexed, ZFP | STREAM | OUT | MAYBE | THERE},
    {decompress_box, IS_ZFP | STREAM | PART | MAYBE | THERE},
    {read_box, IS_ZFP | SOURCE | PART | MAYBE | THERE},
    {index_build, IS_ZFP | STREAM | INDEX | MADE}, /* those before need the index as it is */
    {decompress_noting, ZFP | STREAM | OUT | INDEX | MADE},
    {decompress_bare, ZFP | STREAM | OUT},
    {read_header, ZFP | STREAM | OUT},
};

enum { CALLS = sizeof calls / sizeof *calls };

/* A field with its stream and index, and all that the calls want. */
struct bench {
    zt_array array, out, part;
    zt_box box;
    zt_zfp zfp;
    zt_zfp_index index;
    struct mem_source from;
    zt_source source;
    struct bytes stream, to;
    size_t used;
    struct counted memory;
    zt_context *context;
};

static void set_up(struct bench *b, uint32_t flags)
{
    static const uint64_t shape[] = {9, 10, 11}, part[] = {4, 5, 6};
    memset(b, 0, sizeof *b);
    b->context = counted_context(&b->memory);
    b->array = new_array(ZT_F32, 3, shape);
    b->out = new_array(ZT_F32, 3, shape);
    b->part = new_array(ZT_F32, 3, part);
    fill_array(&b->array, DATA_WAVE_NOISE, 5);
    fill_array(&b->part, DATA_WAVE_NOISE, 6);
    b->box = (zt_box){.lo = {1, 3, 5}, .hi = {5, 8, 11}};
    (void)zt_zfp_init(&b->zfp, sizeof b->zfp);
    (void)zt_zfp_set_precision(&b->zfp, 13, NULL);
    b->zfp.flags = flags;
    (void)zt_zfp_index_init(&b->index, sizeof b->index);
    b->index.chunk = 1;
    need_ok(b->context, zt_zfp_index_bound(b->context, &b->array, &b->zfp, &b->index,
                                           &b->index.capacity_bytes));
    b->index.bytes = need(b->index.capacity_bytes);
    need_ok(b->context, zt_zfp_compress_bound(b->context, &b->array, &b->zfp, &b->to.capacity));
    b->to.data = need(b->to.capacity);
    b->stream.data = need(b->to.capacity);
    need_ok(b->context, zt_zfp_compress_indexed(b->context, &b->array, &b->zfp, b->stream.data,
                                                b->to.capacity, &b->stream.n, &b->index));
    b->source = source_of(&b->from, b->stream.data, b->stream.n, false);
}

static struct call call_of(struct bench *b)
{
    return (struct call){.context = b->context,
                         .array = &b->array,
                         .out = &b->out,
                         .part = &b->part,
                         .box = &b->box,
                         .zfp = &b->zfp,
                         .index = &b->index,
                         .source = &b->source,
                         .stream = b->stream.data,
                         .stream_bytes = b->stream.n,
                         .to = b->to.data,
                         .to_bytes = b->to.capacity,
                         .used = &b->used};
}

static void tear_down(struct bench *b)
{
    assert_int_equal(b->memory.held, 1);
    zt_context_free(b->context);
    free(b->array.data);
    free(b->out.data);
    free(b->part.data);
    free(b->index.bytes);
    free(b->stream.data);
    free(b->to.data);
}

/* ---- arguments ---- */

static void need_refusals(struct bench *b, struct call *wrong, uint32_t looked_at)
{
    for (size_t i = 0; i < CALLS; i++) {
        struct call c = *wrong;
        zt_zfp_index index;
        if (!(calls[i].looks & looked_at))
            continue;
        if (wrong->index) /* which calls may change */
            index = *wrong->index;
        c.index = wrong->index ? &index : NULL;
        const zt_status status = calls[i].run(&c);
        if (status == ZT_OK || status == ZT_IO || !zt_context_error(b->context)[0])
            fail_msg("call %zu took what makes no sense: %s", i, zt_strerror(status));
        assert_int_equal(b->memory.held, 1);
    }
}

static void arrays_and_outputs_that_make_no_sense(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, ZT_ZFP_HEADER);
    struct call c;
    zt_array wrong;
#define WRONG(setup, looks)                                                                        \
    do {                                                                                           \
        c = call_of(&b);                                                                           \
        setup;                                                                                     \
        need_refusals(&b, &c, looks);                                                              \
    } while (0)
#define WRONG_ARRAY(field, change, looks) WRONG(wrong = *c.field; change; c.field = &wrong, looks)
    WRONG(c.array = NULL, ARRAY);
    WRONG_ARRAY(array, wrong.rank = 0, ARRAY);
    WRONG_ARRAY(array, wrong.rank = 5, ARRAY);
    WRONG_ARRAY(array, wrong.type = 9, ARRAY);
    WRONG_ARRAY(array, wrong.shape[1] = 0, ARRAY);
    WRONG_ARRAY(array, wrong.shape[1] = UINT64_MAX / 2, ARRAY);
    WRONG_ARRAY(array, wrong.data = NULL, VALUES);
    WRONG(c.out = NULL, OUT);
    WRONG_ARRAY(part, wrong.shape[0] = 3, PART);
    WRONG_ARRAY(part, wrong.type = ZT_I32, PART);
    WRONG_ARRAY(part, wrong.rank = 2, PART);
    WRONG_ARRAY(part, wrong.data = NULL, PART);
    WRONG(c.part = NULL, PART);
    WRONG(c.box = NULL, PART);
    zt_box box = b.box;
    WRONG(box.hi[1] = 11; c.box = &box, PART);
    WRONG(box.hi[1] = box.lo[1]; c.box = &box, PART);
    WRONG(c.to = NULL, TO);
    WRONG(c.to_bytes = 3, TO);
    WRONG(c.to_bytes = 20, TO);
    WRONG(c.used = NULL, USED);
    WRONG(c.stream = NULL, STREAM);
    WRONG(c.stream_bytes = 7, STREAM);
    WRONG(c.stream_bytes = 0, STREAM);
    c = call_of(&b);
    wrong = b.array; /* the header and the index say what the stream is of */
    wrong.shape[0] = 10;
    c.array = &wrong;
    assert_int_equal(index_check(&c), ZT_BAD_ARG);
    assert_int_equal(decompress_box(&c), ZT_BAD_ARG);
    assert_int_equal(read_box(&c), ZT_BAD_ARG);
    wrong = b.out;
    wrong.shape[2] = 10;
    c.out = c.array = &wrong;
    assert_int_equal(decompress_bare(&c), ZT_BAD_ARG);
    assert_int_equal(decompress_box(&c), ZT_BAD_ARG);
    tear_down(&b);
}

static void parameters_and_sources_that_make_no_sense(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, 0);
    struct call c;
    zt_zfp wrong;
    zt_source source;
#define WRONG_ZFP(change, looks) WRONG(wrong = b.zfp; change; c.zfp = &wrong, looks)
    WRONG(c.zfp = NULL, ZFP);
    WRONG_ZFP(wrong.struct_bytes = 4, ZFP);
    WRONG_ZFP(wrong.reserved = 1, ZFP);
    WRONG_ZFP(wrong.word_bits = 12, ZFP);
    WRONG_ZFP(wrong.flags = 8, ZFP);
    WRONG_ZFP(wrong.maxprec = 0, ARRAY);
    WRONG_ZFP(wrong.maxprec = 65, ARRAY);
    WRONG_ZFP(wrong.minbits = 9; wrong.maxbits = 8, ARRAY);
#define WRONG_SOURCE(change) WRONG(source = b.source; change; c.source = &source, SOURCE)
    WRONG(c.source = NULL, SOURCE);
    WRONG_SOURCE(source.read = NULL);
    WRONG_SOURCE(source.reserved[0] = 1);
    WRONG_SOURCE(source.reserved[1] = 1);
    WRONG_SOURCE(source.source_bytes = ZT_UNKNOWN);
    tear_down(&b);
}

static void indexes_that_make_no_sense(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, ZT_ZFP_HEADER);
    struct call c;
    zt_zfp_index wrong;
#define WRONG_INDEX(change, looks) WRONG(wrong = b.index; change; c.index = &wrong, looks)
    WRONG(c.index = NULL, INDEX);
    WRONG_INDEX(wrong.struct_bytes = 8, INDEX | MAYBE);
    WRONG_INDEX(wrong.reserved[0] = 1, INDEX | MAYBE);
    WRONG_INDEX(wrong.reserved[1] = 1, INDEX | MAYBE);
    WRONG_INDEX(wrong.bytes = NULL, THERE);
    WRONG_INDEX(wrong.index_bytes -= 1, THERE);
    WRONG_INDEX(wrong.kind = ZT_INDEX_NONE, MADE);
    WRONG_INDEX(wrong.kind = 77, MADE);
    WRONG_INDEX(wrong.chunk = UINT32_MAX, MADE);
    WRONG_INDEX(wrong.partition = 4, MADE); /* of a layout that has none */
    c = call_of(&b);
    wrong = b.index;
    wrong.capacity_bytes = 8;
    c.index = &wrong;
    assert_int_equal(index_build(&c), ZT_NO_SPACE);
    wrong = b.index;
    wrong.index_bytes = 0;
    assert_int_equal(index_check(&c), ZT_BAD_ARG);
    wrong.bytes = NULL;
    assert_int_equal(index_build(&c), ZT_NO_SPACE);
    assert_int_equal(decompress_noting(&c), ZT_NO_SPACE);
    assert_int_equal(decompress_indexed(&c), ZT_OK); /* without one */
    assert_int_equal(zt_zfp_index_init(NULL, sizeof wrong), ZT_BAD_ARG);
    assert_int_equal(zt_zfp_index_init(&wrong, 8), ZT_BAD_ARG);
    assert_int_equal(zt_zfp_index_init(&wrong, (size_t)UINT32_MAX + 1), ZT_BAD_ARG);
    tear_down(&b);
}

/* ---- streams that end too early, memory that does, sources that fail ---- */

static void a_stream_cut_anywhere_is_refused(void **state)
{
    (void)state;
    for (uint32_t flags = 0; flags <= ZT_ZFP_HEADER; flags++) {
        struct bench b;
        set_up(&b, flags);
        for (size_t n = 0; n + 8 < b.stream.n; n++) {
            struct call c = call_of(&b);
            unsigned char *const cut = need(n + (n == 0)); /* so that sanitizers see its end */
            zt_zfp_index index = b.index;
            memcpy(cut, b.stream.data, n);
            c.stream = cut;
            c.stream_bytes = n;
            c.index = &index;
            assert_int_not_equal(decompress_bare(&c), ZT_OK);
            assert_int_not_equal(decompress_indexed(&c), ZT_OK);
            assert_int_not_equal(decompress_box(&c), ZT_OK);
            b.source.source_bytes = b.from.n = n;
            assert_int_not_equal(read_box(&c), ZT_OK);
            free(cut);
        }
        b.from.n = b.stream.n;
        tear_down(&b);
    }
}

static void without_memory_and_with_sources_that_fail(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, ZT_ZFP_HEADER);
    struct call c = call_of(&b);
    for (size_t i = 0; i < CALLS; i++) {
        zt_status status = ZT_NO_MEMORY;
        for (int64_t n = 0; status != ZT_OK; n++) {
            b.memory.calls_left = n;
            status = calls[i].run(&c);
            assert_true(status == ZT_OK || status == ZT_NO_MEMORY);
            assert_int_equal(b.memory.held, 1);
        }
    }
    b.memory.calls_left = -1;
    need_ok(b.context, index_build(&c));
    zt_status status = ZT_IO;
    for (int64_t n = 0; status != ZT_OK; n++) {
        b.from.calls_left = n;
        status = read_box(&c);
        assert_true(status == ZT_OK || status == ZT_IO);
    }
    b.from.calls_left = -1;
    tear_down(&b);
}

/* ---- boxes that are written ---- */

static void boxes_that_cannot_be_written(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, 0);
    struct call c = call_of(&b);
    assert_int_equal(write_box(&c), ZT_UNSUPPORTED); /* not at fixed rate */
    (void)zt_zfp_set_rate(&b.zfp, 9, ZT_F32, 3, false, NULL);
    need_ok(b.context, compress_bare(&c));
    c.stream = b.to.data;
    c.stream_bytes = b.used;
    need_ok(b.context, write_box(&c));
    c.stream_bytes = b.used / 2;
    assert_int_equal(write_box(&c), ZT_CORRUPT);
    c.stream_bytes = b.used;
    c.part = NULL;
    assert_int_equal(write_box(&c), ZT_BAD_ARG);
    c.part = &b.part;
    c.box = NULL;
    assert_int_equal(write_box(&c), ZT_BAD_ARG);
    zt_array wrong = b.part;
    c = call_of(&b);
    c.stream = b.to.data;
    c.stream_bytes = b.used;
    c.part = &wrong;
    wrong.shape[1] = 4;
    assert_int_equal(write_box(&c), ZT_BAD_ARG);
    wrong = b.part;
    wrong.rank = 2;
    assert_int_equal(write_box(&c), ZT_BAD_ARG);
    wrong = b.part;
    wrong.type = ZT_I32;
    assert_int_equal(write_box(&c), ZT_BAD_ARG);
    ((float *)b.part.data)[3] = (float)NAN;
    c.part = &b.part;
    assert_int_equal(write_box(&c), ZT_NONFINITE);
    assert_int_equal(compress_bare(&(struct call){.context = b.context}), ZT_BAD_ARG);
    tear_down(&b);
}

/* ---- ndzip ---- */

static void ndzip_streams_and_their_arguments(void **state)
{
    static const uint64_t shape[] = {17, 18, 19}, part[] = {4, 5, 6}, none[] = {4, 0, 6};
    (void)state;
    struct bench b;
    set_up(&b, 0);
    struct call c = call_of(&b), ok;
    zt_array a = new_array(ZT_F32, 3, shape), out = new_array(ZT_F32, 3, shape), wrong;
    zt_array p = new_array(ZT_F32, 3, part);
    fill_array(&a, DATA_WAVE_NOISE, 7);
    c.array = &a;
    c.out = &out;
    c.part = &p;
    assert_int_equal(ndzip_bound(&c), ZT_OK);
    unsigned char *stream = need(b.used);
    c.to = stream;
    c.to_bytes = b.used;
    need_ok(b.context, ndzip_compress(&c));
    c.stream = stream;
    c.stream_bytes = b.used;
    need_ok(b.context, ndzip_decompress(&c));
    assert_memory_equal(out.data, a.data, array_bytes(&a));
    need_ok(b.context, ndzip_box(&c));
    ok = c;
    const size_t bytes = b.used;
    for (size_t n = 0; n < bytes; n++) {
        c.stream_bytes = n;
        assert_int_equal(ndzip_decompress(&c), ZT_CORRUPT);
        assert_int_equal(ndzip_box(&c), ZT_CORRUPT);
    }
    unsigned char *to = need(bytes);
    for (size_t n = 0; n < bytes; n += n < 64 ? 1 : 97) {
        c = ok;
        c.to = to;
        c.to_bytes = n;
        assert_int_equal(ndzip_compress(&c), ZT_NO_SPACE);
    }
    zt_status (*const all[])(struct call *) = {ndzip_bound, ndzip_compress, ndzip_decompress,
                                               ndzip_box};
    for (size_t i = 0; i < 4; i++) {
        zt_status status = ZT_NO_MEMORY;
        for (int64_t n = 0; status != ZT_OK; n++) {
            b.memory.calls_left = n;
            c = ok;
            c.to = to;
            c.to_bytes = bytes;
            status = all[i](&c);
            assert_true(status == ZT_OK || status == ZT_NO_MEMORY);
            assert_int_equal(b.memory.held, 1);
        }
    }
    b.memory.calls_left = -1;
#define REFUSED(call, change, wanted)                                                              \
    do {                                                                                           \
        c = ok;                                                                                    \
        wrong = a;                                                                                 \
        change;                                                                                    \
        assert_int_equal(call(&c), wanted);                                                        \
    } while (0)
    REFUSED(ndzip_bound, c.used = NULL, ZT_BAD_ARG);
    REFUSED(ndzip_bound, c.array = NULL, ZT_BAD_ARG);
    REFUSED(ndzip_bound, c.array = &wrong; wrong.type = ZT_I32, ZT_UNSUPPORTED);
    REFUSED(ndzip_bound, c.array = &wrong; wrong.shape[0] = UINT64_C(1) << 33, ZT_UNSUPPORTED);
    wrong = zt_array_4d(a.data, ZT_F32, 2, 2, 2, 2);
    c = ok;
    c.array = &wrong;
    assert_int_equal(ndzip_bound(&c), ZT_UNSUPPORTED);
    REFUSED(ndzip_compress, c.to = NULL, ZT_BAD_ARG);
    REFUSED(ndzip_compress, c.used = NULL, ZT_BAD_ARG);
    REFUSED(ndzip_compress, c.array = &wrong; wrong.data = NULL, ZT_BAD_ARG);
    REFUSED(ndzip_decompress, c.stream = NULL, ZT_BAD_ARG);
    REFUSED(ndzip_decompress, c.out = NULL, ZT_BAD_ARG);
    REFUSED(ndzip_decompress, c.used = NULL, ZT_OK);
    REFUSED(ndzip_box, c.box = NULL, ZT_BAD_ARG);
    REFUSED(ndzip_box, c.array = NULL, ZT_BAD_ARG);
    REFUSED(ndzip_box, c.part = NULL, ZT_BAD_ARG);
    REFUSED(ndzip_box, c.part = &wrong, ZT_BAD_ARG);
    REFUSED(ndzip_box, c.part = &wrong; wrong = p; wrong.type = ZT_F64, ZT_BAD_ARG);
    REFUSED(ndzip_box, c.part = &wrong; wrong = p; wrong.rank = 2, ZT_BAD_ARG);
    /* an array without elements is an empty stream */
    wrong = zt_array_nd(NULL, ZT_F32, 3, none);
    c = ok;
    c.array = c.out = &wrong;
    c.stream_bytes = 0;
    assert_int_equal(ndzip_bound(&c), ZT_OK);
    assert_int_equal(b.used, 0);
    assert_int_equal(ndzip_compress(&c), ZT_OK);
    assert_int_equal(ndzip_decompress(&c), ZT_OK);
    free(a.data);
    free(out.data);
    free(p.data);
    free(stream);
    free(to);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_and_outputs_that_make_no_sense),
        cmocka_unit_test(parameters_and_sources_that_make_no_sense),
        cmocka_unit_test(indexes_that_make_no_sense),
        cmocka_unit_test(a_stream_cut_anywhere_is_refused),
        cmocka_unit_test(without_memory_and_with_sources_that_fail),
        cmocka_unit_test(boxes_that_cannot_be_written),
        cmocka_unit_test(ndzip_streams_and_their_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
