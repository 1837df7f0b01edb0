/* frame_api_test.c: how the calls over .zt files fail, and how their structs grow: arguments,
 * memory that runs out anywhere, sinks and sources that fail, cancelling. */
#include "unit/frame_support.h"
#include "ztile_quality.h"
#include "ztile_zfp.h"

enum { SLICES = 39, ARRAY_BYTES = SLICES * 6 * 5 * 4 };

static zt_array sample_array(void)
{
    zt_array a = zt_array_3d(need(ARRAY_BYTES), ZT_F32, SLICES, 6, 5);
    fill_array(&a, DATA_WAVE_NOISE, 6);
    ((float *)a.data)[29] = 1e20f; /* in a tile of 8 values: the others are kept exactly */
    return a;
}

static zt_params sample_params(void)
{
    zt_params p = params_of(zt_abs(0.01));
    p.slab_bytes = 8 * 6 * 5 * 4;
    return p;
}

/* ---- growth of structs ---- */

/* zt_params as a program compiled against a later header has it. */
struct later_params {
    zt_params known;
    uint64_t later[3];
};

struct later_info {
    zt_info known;
    uint64_t later[3];
};

static void params_of_a_later_header_work_while_its_fields_are_zero(void **state)
{
    (void)state;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    zt_array a = sample_array();
    zt_params p = sample_params();
    struct bytes file = compress(&a, &p);
    struct later_params later;
    memset(&later, 0x55, sizeof later);
    assert_int_equal(zt_params_init(&later.known, sizeof later), ZT_OK);
    assert_int_equal(later.known.struct_bytes, sizeof later);
    assert_int_equal(later.later[0] | later.later[1] | later.later[2], 0);
    assert_int_equal(later.known.slab_bytes, 256u << 20);
    later.known.codec = p.codec;
    later.known.bound = p.bound;
    later.known.slab_bytes = p.slab_bytes;
    unsigned char *out = (unsigned char *)need(file.capacity);
    size_t n = 0;
    need_ok(c, zt_compress(c, &a, &later.known, out, file.capacity, &n));
    assert_int_equal(n, file.n);
    assert_memory_equal(out, file.data, n);
    later.later[2] = 1;
    need_failure(c, zt_compress(c, &a, &later.known, out, file.capacity, &n), ZT_UNSUPPORTED,
                 "does not know");
    free(out);
    free(file.data);
    free(a.data);
    zt_context_free(c);
}

static void params_shorter_than_any_release_are_refused(void **state)
{
    (void)state;
    zt_params p;
    memset(&p, 0x55, sizeof p);
    assert_int_equal(zt_params_init(&p, offsetof(zt_params, codec_words)), ZT_BAD_ARG);
    assert_int_equal(p.struct_bytes, 0x55555555);
    assert_int_equal(zt_params_init(NULL, sizeof p), ZT_BAD_ARG);
    p = sample_params();
    p.struct_bytes = offsetof(zt_params, codec_words);
    zt_array a = sample_array();
    size_t n;
    assert_int_equal(zt_compress_bound(NULL, &a, &p, &n), ZT_BAD_ARG);
    free(a.data);
}

static void info_is_written_as_far_as_the_caller_has_it(void **state)
{
    (void)state;
    zt_array a = sample_array();
    zt_params p = sample_params();
    struct bytes file = compress(&a, &p);
    struct later_info later;
    memset(&later, 0x55, sizeof later);
    assert_int_equal(zt_info_init(&later.known, sizeof later), ZT_OK);
    later.later[1] = 77;
    assert_int_equal(zt_inspect(NULL, file.data, file.n, &later.known), ZT_OK);
    assert_int_equal(later.known.struct_bytes, sizeof later);
    assert_int_equal(later.known.frames, 5);
    assert_int_equal(later.known.slab_extent, 8);
    assert_true(later.known.exact_values > 0);
    assert_int_equal(later.later[1], 77);
    zt_info short_info;
    assert_int_equal(zt_info_init(&short_info, offsetof(zt_info, plan_words)), ZT_BAD_ARG);
    zt_info_init(&short_info, sizeof short_info);
    short_info.struct_bytes = offsetof(zt_info, plan_words);
    assert_int_equal(zt_inspect(NULL, file.data, file.n, &short_info), ZT_BAD_ARG);
    assert_int_equal(zt_inspect(NULL, file.data, file.n, NULL), ZT_BAD_ARG);
    free(file.data);
    free(a.data);
}

/* ---- what can be asked for ---- */

static void params_that_make_no_sense_are_refused_in_words(void **state)
{
    (void)state;
    char long_name[200];
    memset(long_name, 'x', sizeof long_name);
    long_name[199] = 0;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    zt_array a = sample_array();
    const uint32_t type = a.type;
    zt_params good = sample_params(), p;
    size_t n;
#define REFUSED(change, status, word)                                                              \
    do {                                                                                           \
        p = good;                                                                                  \
        change;                                                                                    \
        need_failure(c, zt_compress_bound(c, &a, &p, &n), status, word);                           \
    } while (0)
    REFUSED(p.bound = zt_abs(-1), ZT_BAD_ARG, "-1");
    REFUSED(p.bound = zt_abs(NAN), ZT_BAD_ARG, "nan");
    REFUSED(p.bound = zt_rel(INFINITY), ZT_BAD_ARG, "inf");
    REFUSED(p.bound = zt_rate(0), ZT_BAD_ARG, "rate");
    REFUSED(p.bound = zt_rate(NAN), ZT_BAD_ARG, "rate");
    REFUSED(p.bound = zt_rate(1e9), ZT_BAD_ARG, "rate");
    REFUSED(p.bound = zt_precision(0), ZT_BAD_ARG, "precision");
    REFUSED(p.bound = zt_precision(65), ZT_BAD_ARG, "precision");
    REFUSED(p.bound = zt_bound_of(ZT_PRECISION, 1.5), ZT_BAD_ARG, "precision");
    REFUSED(p.bound = zt_expert(9, 8, 10, 0), ZT_BAD_ARG, "expert");
    REFUSED(p.bound = zt_pwrel(-1e-3), ZT_BAD_ARG, "-0.001");
    REFUSED(p.bound = zt_pwrel(1), ZT_BAD_ARG, "below 1");
    REFUSED(p.bound = zt_pwrel(NAN), ZT_BAD_ARG, "nan");
    REFUSED(p.bound = zt_pwrel(1e-3); a.type = ZT_I32, ZT_UNSUPPORTED, "floating-point");
    a.type = type;
    REFUSED(p.bound = zt_psnr(0), ZT_BAD_ARG, "above 0");
    REFUSED(p.bound = zt_psnr(INFINITY), ZT_BAD_ARG, "inf");
    REFUSED(p.bound.kind = 12, ZT_BAD_ARG, "12 is no kind");
    REFUSED(p.bound.flags = ZT_RATE_ALIGN, ZT_BAD_ARG, "flags");
    REFUSED(p.bound.words[1] = 1, ZT_BAD_ARG, "words");
    REFUSED(p.codec = ZT_CODEC_NDZIP, ZT_UNSUPPORTED, "ndzip");
    REFUSED(p.codec = ZT_CODEC_SZ; p.bound = zt_rate(8), ZT_UNSUPPORTED, "sz");
    REFUSED(p.effort = 4, ZT_BAD_ARG, "effort");
    REFUSED(p.effort = 0, ZT_BAD_ARG, "effort");
    REFUSED(p.codec = ZT_CODEC_SZ; zt_params_set_sz(&p, ZT_SZ_CUSZ, 1023), ZT_BAD_ARG, "1023 bins");
    REFUSED(p.codec = ZT_CODEC_SZ; zt_params_set_sz(&p, (zt_sz_method)5, 0), ZT_BAD_ARG, "method");
    REFUSED(p.codec = 4, ZT_BAD_ARG, "codec");
    REFUSED(p.prefer = 3, ZT_BAD_ARG, "preference");
    REFUSED(p.plan = 3, ZT_BAD_ARG, "plan");
    REFUSED(p.index = 6, ZT_BAD_ARG, "index");
    REFUSED(p.index = ZT_INDEX_NONE; p.index_chunk = 16, ZT_BAD_ARG, "index");
    REFUSED(p.index = ZT_INDEX_COMPACT; p.index_partition = 8, ZT_BAD_ARG, "hybrid");
    REFUSED(p.reserved = 2, ZT_BAD_ARG, "reserved");
    REFUSED(p.range_lo = 1, ZT_BAD_ARG, "range");
    REFUSED(p.range_lo = 2; p.range_hi = 1, ZT_BAD_ARG, "range");
    REFUSED(p.range_lo = 2; p.range_hi = INFINITY, ZT_BAD_ARG, "range");
    REFUSED(p.name = long_name, ZT_BAD_ARG, "name");
    REFUSED(p.units = "\xff", ZT_BAD_ARG, "units");
    REFUSED(p.units = long_name + 199 - 64, ZT_BAD_ARG, "units");
    REFUSED(zt_params_set_zfp_words(&p, 12), ZT_BAD_ARG, "12");
#undef REFUSED
    p = good;
    p.index = ZT_INDEX_NONE;
    p.name = long_name + 199 - 127;
    p.units = long_name + 199 - 63;
    struct bytes file = compress(&a, &p);
    assert_string_equal(info_of(&file).name, p.name);
    assert_string_equal(info_of(&file).units, p.units);
    free(file.data);
    free(a.data);
    zt_context_free(c);
}

static void sizes_that_cannot_be_are_refused(void **state)
{
    (void)state;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    zt_params p = params_of(zt_rate(64)); /* of tiles that are padded to 64 times their values */
    zt_array a = zt_array_4d(NULL, ZT_F64, UINT64_C(1) << 59, 1, 1, 1);
    size_t n = 0;
    need_failure(c, zt_compress_bound(c, &a, &p, &n), ZT_BAD_ARG, "use a writer");
    a.shape[0] = 16;
    p.bound = zt_expert(1u << 20, 1u << 20, 64, -1074);
    need_ok(c, zt_compress_bound(c, &a, &p, &n));
    assert_true(n > 4 * (1u << 17));
    p.bound = zt_expert(4000000000u, 4000000000u, 64, -1074); /* gigabytes of padding */
    need_failure(c, zt_compress_bound(c, &a, &p, &n), ZT_BAD_ARG, "use less");
    zt_context_free(c);
}

static void names_are_utf8(void **state)
{
    (void)state;
    static const char *const good[] = {"gr\u00f6\u00dfe", "\u6e29\u5ea6", "\U0001f321",
                                       "\u07ff\u0800\uffff"};
    static const char *const bad[] = {"\x80",
                                      "\xc3",
                                      "\xc0\xaf",
                                      "\xe0\x80\xaf",
                                      "\xed\xa0\x80",
                                      "\xf0\x80\x80\xaf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "a\xe6\xb8",
                                      "\xe6\xb8g",
                                      "\xfe"};
    zt_array a = sample_array();
    zt_params p = sample_params();
    size_t n;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        p.name = good[i];
        struct bytes file = compress(&a, &p);
        assert_string_equal(info_of(&file).name, good[i]);
        free(file.data);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        p.name = bad[i];
        assert_int_equal(zt_compress_bound(NULL, &a, &p, &n), ZT_BAD_ARG);
    }
    free(a.data);
}

static void expert_parameters_come_back_in_the_bound(void **state)
{
    (void)state;
    zt_array a = sample_array();
    zt_params p = params_of(zt_expert(70, 900, 22, -11));
    struct bytes file = compress(&a, &p);
    zt_info info = info_of(&file);
    assert_memory_equal(&info.bound, &p.bound, sizeof p.bound);
    assert_true(isnan(info.abs_bound));
    free(file.data);
    free(a.data);
}

/* One flat list of calls. */
static void missing_arguments_are_refused(void **state)
{
    (void)state;
    zt_array a = sample_array(), broken = a;
    zt_params p = sample_params();
    struct bytes file = compress(&a, &p);
    struct mem_sink sink_bytes = {.limit = SIZE_MAX};
    struct mem_source source_bytes;
    zt_sink sink = sink_of(&sink_bytes);
    zt_source source = source_of(&source_bytes, file.data, file.n, false);
    zt_box box = {.hi = {SLICES, 6, 5}};
    zt_writer *w = NULL;
    zt_reader *r = NULL;
    zt_info info;
    uint64_t first, extent;
    size_t n;
    zt_info_init(&info, sizeof info);
#define BAD(call) assert_int_equal(call, ZT_BAD_ARG)
    BAD(zt_compress_bound(NULL, NULL, &p, &n));
    BAD(zt_compress_bound(NULL, &a, &p, NULL));
    BAD(zt_compress(NULL, NULL, &p, file.data, file.n, &n));
    BAD(zt_compress(NULL, &a, &p, NULL, file.n, &n));
    BAD(zt_compress(NULL, &a, &p, file.data, file.n, NULL));
    broken.data = NULL;
    BAD(zt_compress(NULL, &broken, &p, file.data, file.n, &n));
    BAD(zt_decompress(NULL, file.data, file.n, &broken));
    broken = a;
    broken.shape[1] = 7;
    BAD(zt_decompress(NULL, file.data, file.n, &broken));
    broken = a;
    broken.stride[2] = 0;
    BAD(zt_decompress(NULL, file.data, file.n, &broken));
    broken = a;
    broken.type = ZT_F64;
    broken.shape[0] = 1;
    BAD(zt_decompress(NULL, file.data, file.n, &broken));
    BAD(zt_decompress(NULL, NULL, file.n, &a));
    BAD(zt_decompress(NULL, file.data, file.n, NULL));
    BAD(zt_decompress_box(NULL, file.data, file.n, NULL, &a));
    box.hi[2] = 6;
    BAD(zt_decompress_box(NULL, file.data, file.n, &box, &a));
    box.hi[2] = 4;
    BAD(zt_decompress_box(NULL, file.data, file.n, &box, &a));
    BAD(zt_inspect(NULL, NULL, 0, &info));
    BAD(zt_writer_open(NULL, NULL, &a, &p, &w));
    BAD(zt_writer_open(NULL, &sink, NULL, &p, &w));
    BAD(zt_writer_open(NULL, &sink, &a, &p, NULL));
    BAD(zt_writer_put(NULL, &a));
    BAD(zt_writer_close(NULL));
    assert_int_equal(zt_writer_slab_extent(NULL), 0);
    zt_writer_free(NULL);
    BAD(zt_reader_open(NULL, NULL, &r));
    BAD(zt_reader_open(NULL, &source, NULL));
    source.reserved[0] = 1;
    BAD(zt_reader_open(NULL, &source, &r));
    source.reserved[0] = 0;
    source.source_bytes = UINT64_MAX - 1;
    BAD(zt_reader_open(NULL, &source, &r));
    source.source_bytes = file.n;
    assert_int_equal(zt_reader_open(NULL, &source, &r), ZT_OK);
    BAD(zt_reader_info(r, NULL));
    BAD(zt_reader_next(r, NULL, &extent));
    BAD(zt_reader_read(r, &a));
    assert_int_equal(zt_reader_next(r, &first, &extent), ZT_OK);
    BAD(zt_reader_read(r, NULL));
    BAD(zt_reader_read_box(r, NULL, &a));
    BAD(zt_reader_info(NULL, &info));
    BAD(zt_reader_next(NULL, &first, &extent));
    BAD(zt_reader_read(NULL, &a));
    BAD(zt_reader_read_box(NULL, &box, &a));
    BAD(zt_reader_check(NULL));
#undef BAD
    zt_reader_close(r);
    zt_reader_close(NULL);
    free(file.data);
    free(a.data);
}

static void writers_refuse_what_was_not_announced(void **state)
{
    (void)state;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    zt_array a = sample_array(), slab;
    zt_params p = sample_params();
    struct mem_sink s = {.limit = SIZE_MAX};
    zt_sink sink = sink_of(&s);
    zt_writer *w = NULL;

    p.bound = zt_rel(1e-3);
    need_failure(c, zt_writer_open(c, &sink, &a, &p, &w), ZT_BAD_ARG, "range_lo");
    p.range_lo = p.range_hi = 3;
    need_ok(c, zt_writer_open(c, &sink, &a, &p, &w)); /* no range: lossless */
    zt_writer_free(w);

    p = sample_params();
    need_ok(c, zt_writer_open(c, &sink, &a, &p, &w));
    need_failure(c, zt_writer_close(w), ZT_BAD_ARG, "0 slices were put, 39");
    need_failure(c, zt_writer_close(w), ZT_BAD_ARG, "has failed");
    zt_writer_free(w);

    need_ok(c, zt_writer_open(c, &sink, &a, &p, &w));
    need_ok(c, zt_writer_put(w, &a));
    slab = a;
    slab.shape[0] = 1;
    need_failure(c, zt_writer_put(w, &slab), ZT_BAD_ARG, "1 slices after 39");
    need_failure(c, zt_writer_put(w, &slab), ZT_BAD_ARG, "has failed");
    zt_writer_free(w);

    need_ok(c, zt_writer_open(c, &sink, &a, &p, &w));
    need_failure(c, zt_writer_put(w, NULL), ZT_BAD_ARG, "no slab");
    zt_writer_free(w);
    need_ok(c, zt_writer_open(c, &sink, &a, &p, &w));
    slab = a;
    slab.data = NULL;
    need_failure(c, zt_writer_put(w, &slab), ZT_BAD_ARG, "no data");
    zt_writer_free(w);
    need_ok(c, zt_writer_open(c, &sink, &a, &p, &w));
    slab = a;
    slab.shape[2] = 4;
    need_failure(c, zt_writer_put(w, &slab), ZT_BAD_ARG, "not those");
    zt_writer_free(w);

    slab = a;
    slab.shape[0] = ZT_UNKNOWN;
    need_ok(c, zt_writer_open(c, &sink, &slab, &p, &w));
    need_failure(c, zt_writer_close(w), ZT_BAD_ARG, "0 slices");
    zt_writer_free(w);
    need_ok(c, zt_writer_open(c, &sink, &a, &p, &w));
    need_ok(c, zt_writer_put(w, &a));
    need_ok(c, zt_writer_close(w));
    need_failure(c, zt_writer_put(w, &a), ZT_BAD_ARG, "is closed");
    zt_writer_free(w);
    free(s.bytes.data);
    free(a.data);
    zt_context_free(c);
}

static void fill_values_are_values_of_the_type(void **state)
{
    (void)state;
    uint64_t bits = 0;
    assert_int_equal(zt_fill_bits(ZT_F32, 1, NULL), ZT_BAD_ARG);
    assert_int_equal(zt_fill_bits((zt_type)9, 1, &bits), ZT_BAD_ARG);
    assert_int_equal(zt_fill_bits(ZT_F64, -2, &bits), ZT_OK);
    assert_true(bits == UINT64_C(0xc000000000000000));
    assert_int_equal(zt_fill_bits(ZT_F32, 0.1, &bits), ZT_OK);
    assert_true(bits == 0x3dcccccd);
    assert_int_equal(zt_fill_bits(ZT_F32, -0.0, &bits), ZT_OK);
    assert_true(bits == 0x80000000);
    assert_int_equal(zt_fill_bits(ZT_F32, (double)NAN, &bits), ZT_OK);
    assert_int_equal(zt_fill_bits(ZT_F32, 1e39, &bits), ZT_BAD_ARG);
    assert_int_equal(zt_fill_bits(ZT_F32, 1e-60, &bits), ZT_BAD_ARG); /* would be 0, a value */
    assert_int_equal(zt_fill_bits(ZT_F32, 1e-44, &bits), ZT_OK);
    assert_int_equal(zt_fill_bits(ZT_I32, -999, &bits), ZT_OK);
    assert_true(bits == 0xfffffc19);
    assert_int_equal(zt_fill_bits(ZT_I64, -9223372036854775808.0, &bits), ZT_OK);
    assert_true(bits == UINT64_C(0x8000000000000000));
    assert_int_equal(zt_fill_bits(ZT_I32, 0.5, &bits), ZT_BAD_ARG);
    assert_int_equal(zt_fill_bits(ZT_I32, 2147483648.0, &bits), ZT_BAD_ARG);
    assert_int_equal(zt_fill_bits(ZT_I32, -2147483649.0, &bits), ZT_BAD_ARG);
    assert_int_equal(zt_fill_bits(ZT_I64, (double)NAN, &bits), ZT_BAD_ARG);
}

static void no_params_mean_lossless(void **state)
{
    (void)state;
    zt_array a = sample_array(), back = sample_array();
    zt_params p = zt_params_lossless();
    struct bytes file = compress(&a, &p), other = compress(&a, NULL);
    assert_int_equal(file.n, other.n);
    assert_memory_equal(file.data, other.data, file.n);
    assert_int_equal(info_of(&other).bound.kind, ZT_LOSSLESS);
    assert_int_equal(zt_decompress(NULL, other.data, other.n, &back), ZT_OK);
    assert_memory_equal(a.data, back.data, array_bytes(&a));
    free(file.data);
    free(other.data);
    free(a.data);
    free(back.data);
}

static void parameters_of_a_bound_have_it(void **state)
{
    (void)state;
    const zt_params all[] = {zt_params_lossless(), zt_params_abs(0.5), zt_params_rel(0.25),
                             zt_params_pwrel(0.125), zt_params_psnr(60)};
    static const double values[] = {0, 0.5, 0.25, 0.125, 60};
    for (uint32_t i = 0; i < 5; i++)
        assert_true(all[i].bound.kind == ZT_LOSSLESS + i && all[i].bound.value == values[i] &&
                    all[i].effort == ZT_EFFORT_DEFAULT);
}

static void what_a_codec_has_is_told_by_its_own_query(void **state)
{
    (void)state;
    zt_array a = sample_array();
    zt_params p = zt_params_abs(1e-3);
    zt_zfp zfp;
    zt_sz_info sz;
    assert_int_equal(zt_zfp_init(&zfp, sizeof zfp), ZT_OK);
    for (uint32_t i = 0; i < 3; i++) {
        p.codec = i ? ZT_CODEC_SZ : ZT_CODEC_ZFP;
        zt_params_set_zfp_words(&p, 16);
        zt_params_set_sz(&p, i == 2 ? ZT_SZ_CUSZ : ZT_SZ_OWN, i == 2 ? 64 : 0);
        struct bytes file = compress(&a, &p);
        const zt_info info = info_of(&file);
        assert_int_equal(zt_info_zfp(&info, &zfp, NULL), i ? ZT_BAD_ARG : ZT_OK);
        assert_int_equal(zt_info_sz(&info, &sz), i ? ZT_OK : ZT_BAD_ARG);
        if (i == 0)
            assert_true(zfp.word_bits == 16 && zfp.minexp <= -10 && zfp.maxprec == 64);
        else
            assert_true(sz.step > 0 && sz.method == (i == 2 ? ZT_SZ_CUSZ : ZT_SZ_OWN) &&
                        sz.bins == (i == 2 ? 64u : 0u));
        free(file.data);
    }
    free(a.data);
}

/* ---- things that run out or fail ---- */

struct synced_sink {
    struct mem_sink memory; /* what it is given, as a mem_sink */
    size_t synced_bytes;    /* that it held when it was last asked to sync; 0: never */
    bool fails;
};

static int note_sync(void *user)
{
    struct synced_sink *s = (struct synced_sink *)user;
    s->synced_bytes = s->memory.bytes.n;
    return s->fails;
}

static void sync_comes_after_the_last_byte_and_only_where_there_is_one(void **state)
{
    (void)state;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    zt_array a = sample_array();
    zt_params p = sample_params();
    struct synced_sink s = {.memory = {.limit = SIZE_MAX}}, copy = s;
    zt_sink sink = {.write = mem_write, .user = &s};
    zt_writer *w = NULL;
    for (int i = 0; i < 3; i++) { /* there is none; there is one; and it fails */
        sink.sync = i ? note_sync : NULL;
        s.fails = i == 2;
        s.memory.bytes.n = s.synced_bytes = 0;
        need_ok(c, zt_writer_open(c, &sink, &a, &p, &w));
        need_ok(c, zt_writer_put(w, &a));
        assert_int_equal(s.synced_bytes, 0);
        if (i == 2)
            need_failure(c, zt_writer_close(w), ZT_IO, "durable");
        else
            need_ok(c, zt_writer_close(w));
        assert_int_equal(s.synced_bytes, i ? s.memory.bytes.n : 0);
        zt_writer_free(w);
    }
    struct mem_source source_bytes;
    const zt_source source = source_of(&source_bytes, s.memory.bytes.data, s.memory.bytes.n, false);
    zt_sink to = {.write = mem_write, .user = &copy};
    to.sync = note_sync;
    need_ok(c, zt_replace_index(c, &source, &to, (zt_index_kind)p.index, 0, 0));
    assert_true(copy.synced_bytes > 0 && copy.synced_bytes == copy.memory.bytes.n);
    free(s.memory.bytes.data);
    free(copy.memory.bytes.data);
    free(a.data);
    zt_context_free(c);
}

static zt_status write_to_sink(zt_context *c, const zt_array *a, size_t limit, uint64_t thickness)
{
    zt_params p = sample_params();
    struct mem_sink s = {.limit = limit};
    zt_sink sink = sink_of(&s);
    zt_writer *w = NULL;
    zt_array whole = *a;
    whole.shape[0] = ZT_UNKNOWN;
    zt_status status = zt_writer_open(c, &sink, &whole, &p, &w);
    for (uint64_t done = 0; !status && done < a->shape[0]; done += thickness) {
        zt_array slab = *a;
        slab.data = (float *)a->data + done * 30;
        slab.shape[0] = a->shape[0] - done < thickness ? a->shape[0] - done : thickness;
        status = zt_writer_put(w, &slab);
    }
    if (!status)
        status = zt_writer_close(w);
    zt_writer_free(w);
    free(s.bytes.data);
    return status;
}

static zt_status read_source(zt_context *c, const struct bytes *file, bool is_sequential,
                             int64_t calls)
{
    zt_array out = zt_array_3d(need(ARRAY_BYTES), ZT_F32, SLICES, 6, 5), slab = out;
    struct mem_source s;
    zt_source source = source_of(&s, file->data, file->n, is_sequential);
    s.calls_left = calls;
    zt_reader *r = NULL;
    zt_info info;
    zt_info_init(&info, sizeof info);
    uint64_t first, extent = 1;
    zt_status status = zt_reader_open(c, &source, &r);
    if (!status)
        status = zt_reader_info(r, &info);
    while (!status && extent > 0) {
        status = zt_reader_next(r, &first, &extent);
        slab.shape[0] = extent;
        if (!status && extent > 0)
            status = zt_reader_read(r, &slab);
    }
    zt_box box = {.lo = {3, 2, 1}, .hi = {30, 5, 4}};
    const uint64_t shape[] = {27, 3, 3};
    slab = zt_array_nd(out.data, ZT_F32, 3, shape);
    if (!status && !is_sequential)
        status = zt_reader_read_box(r, &box, &slab);
    if (!status && !is_sequential)
        status = zt_reader_check(r);
    zt_reader_close(r);
    free(out.data);
    return status;
}

static zt_status in_memory(zt_context *c, const zt_array *a)
{
    zt_params p = sample_params();
    unsigned char *out = (unsigned char *)need(1 << 16);
    zt_array back = zt_array_3d(need(ARRAY_BYTES), ZT_F32, SLICES, 6, 5);
    size_t n = 0;
    zt_status status = zt_compress(c, a, &p, out, 1 << 16, &n);
    if (!status)
        status = zt_decompress(c, out, n, &back);
    free(out);
    free(back.data);
    return status;
}

static void memory_that_runs_out_anywhere_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    struct counted counted;
    zt_context *c = counted_context(&counted);
    zt_array a = sample_array();
    zt_params p = sample_params();
    struct bytes file = compress(&a, &p);
    for (uint32_t what = 0; what < 5; what++)
        for (int64_t n = 0;; n++) {
            counted.calls_left = n;
            zt_status status = what < 2   ? write_to_sink(c, &a, SIZE_MAX, what ? 5 : 8)
                               : what < 4 ? read_source(c, &file, what == 3, -1)
                                          : in_memory(c, &a);
            assert_int_equal(counted.held, 1); /* the context */
            if (status == ZT_OK)
                break;
            need_failure(c, status, ZT_NO_MEMORY, "no memory");
            assert_true(n < 1000);
        }
    counted.calls_left = -1;
    free(file.data);
    free(a.data);
    zt_context_free(c);
}

static void sinks_and_sources_that_fail_are_reported(void **state)
{
    (void)state;
    struct counted counted;
    zt_context *c = counted_context(&counted);
    zt_array a = sample_array();
    zt_params p = sample_params();
    struct bytes file = compress(&a, &p);
    for (size_t limit = 0; limit < file.n; limit += 7) {
        need_failure(c, write_to_sink(c, &a, limit, 8), ZT_IO, "writing");
        need_failure(c, write_to_sink(c, &a, limit, 3), ZT_IO, "writing");
    }
    need_ok(c, write_to_sink(c, &a, file.n, 3));
    for (uint32_t sequential = 0; sequential < 2; sequential++)
        for (int64_t n = 0;; n++) {
            zt_status status = read_source(c, &file, sequential == 1, n);
            if (status == ZT_OK)
                break;
            need_failure(c, status, ZT_IO, "reading");
        }
    assert_int_equal(counted.held, 1);
    free(file.data);
    free(a.data);
    zt_context_free(c);
}

/* A source that has shrunk since it was opened: half of what is asked for from some call on. */
struct shrinking {
    struct mem_source source;
    uint32_t calls_left;
};

static int shrinking_read(void *user, uint64_t offset, void *buffer, size_t n, size_t *got)
{
    struct shrinking *s = (struct shrinking *)user;
    int failed = mem_read(&s->source, offset, buffer, n, got);
    if (s->calls_left == 0)
        *got /= 2;
    else
        s->calls_left--;
    return failed;
}

static void sources_that_shrink_are_reported(void **state)
{
    (void)state;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    zt_array a = sample_array(), out = sample_array();
    zt_params p = sample_params();
    struct bytes file = compress(&a, &p);
    for (uint32_t n = 0;; n++) {
        struct shrinking s = {.calls_left = n};
        zt_source source = source_of(&s.source, file.data, file.n, false);
        source.read = shrinking_read;
        source.user = &s;
        zt_box box = {.hi = {SLICES, 6, 5}};
        zt_reader *r = NULL;
        zt_status status = zt_reader_open(c, &source, &r);
        if (!status)
            status = zt_reader_read_box(r, &box, &out);
        zt_reader_close(r);
        if (status == ZT_OK)
            break;
        need_failure(c, status, ZT_IO, "when it was opened");
    }
    free(file.data);
    free(a.data);
    free(out.data);
    zt_context_free(c);
}

static void a_buffer_that_is_too_small_is_reported(void **state)
{
    (void)state;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    zt_array a = sample_array();
    for (uint32_t slabs = 0; slabs < 2; slabs++) {
        zt_params p = sample_params();
        p.slab_bytes = slabs ? p.slab_bytes : 1 << 20;
        struct bytes file = compress(&a, &p);
        for (size_t n = 0; n < file.n; n++) {
            size_t used = 12345;
            unsigned char *out = (unsigned char *)need(n + !n);
            assert_int_equal(zt_compress(c, &a, &p, out, n, &used), ZT_NO_SPACE);
            assert_int_equal(used, 12345);
            free(out);
        }
        size_t used = 0;
        unsigned char *out = (unsigned char *)need(file.n);
        need_ok(c, zt_compress(c, &a, &p, out, file.n, &used));
        assert_int_equal(used, file.n);
        assert_memory_equal(out, file.data, used);
        free(out);
        free(file.data);
    }
    free(a.data);
    zt_context_free(c);
}

static int stop_at(void *user, uint64_t done, uint64_t total)
{
    int *calls_left = (int *)user;
    assert_true(done <= total);
    return (*calls_left)-- <= 0;
}

static void cancelling_stops_any_call(void **state)
{
    (void)state;
    struct counted counted;
    zt_context *c = counted_context(&counted);
    zt_array a = sample_array();
    zt_params p = sample_params();
    struct bytes file = compress(&a, &p);
    for (uint32_t what = 0; what < 4; what++)
        for (int n = 0;; n++) {
            int calls_left = n;
            zt_context_set_progress(c, stop_at, &calls_left);
            zt_status status = what == 0  ? write_to_sink(c, &a, SIZE_MAX, 5)
                               : what < 3 ? read_source(c, &file, what == 2, -1)
                                          : in_memory(c, &a);
            assert_int_equal(counted.held, 1);
            if (status == ZT_OK) {
                assert_true(n >= 5); /* frames, at least once each */
                break;
            }
            need_failure(c, status, ZT_CANCELLED, "cancelled");
        }
    free(file.data);
    free(a.data);
    zt_context_free(c);
}

static void the_bound_on_the_size_holds_for_any_values(void **state)
{
    (void)state;
    struct rng rng = {.state = 21};
    static const zt_type types[] = {ZT_F32, ZT_F64, ZT_I32, ZT_I64};
    for (uint32_t run = 0; run < 300; run++) {
        uint32_t rank = 1 + (uint32_t)rng_below(&rng, 4);
        uint64_t shape[ZT_MAX_RANK];
        for (uint32_t i = 0; i < rank; i++)
            shape[i] = 1 + rng_below(&rng, i ? 6 : 40);
        zt_array a = new_array(types[run % 4], rank, shape);
        fill_array(&a, (enum data_kind)rng_below(&rng, DATA_NONFINITE), run);
        zt_params p = params_of(run % 3 == 0   ? zt_abs(ldexp(1, (int)rng_below(&rng, 80) - 60))
                                : run % 3 == 1 ? zt_rel(ldexp(1, -(int)rng_below(&rng, 60)))
                                               : zt_lossless());
        p.slab_bytes = rng_below(&rng, 3000);
        struct bytes file = compress(&a, &p); /* into that many bytes */
        zt_array back = new_array(types[run % 4], rank, shape);
        assert_int_equal(zt_decompress(NULL, file.data, file.n, &back), ZT_OK);
        zt_quality q;
        zt_quality_init(&q, sizeof q);
        q.abs_bound = info_of(&file).abs_bound;
        assert_int_equal(zt_compare(NULL, &a, &back, &q), ZT_OK);
        assert_int_equal(q.abs_bound > 0 ? q.beyond_bound : q.different_values, 0);
        free(back.data);
        free(file.data);
        free(a.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(params_of_a_later_header_work_while_its_fields_are_zero),
        cmocka_unit_test(params_shorter_than_any_release_are_refused),
        cmocka_unit_test(info_is_written_as_far_as_the_caller_has_it),
        cmocka_unit_test(params_that_make_no_sense_are_refused_in_words),
        cmocka_unit_test(sizes_that_cannot_be_are_refused),
        cmocka_unit_test(names_are_utf8),
        cmocka_unit_test(expert_parameters_come_back_in_the_bound),
        cmocka_unit_test(missing_arguments_are_refused),
        cmocka_unit_test(writers_refuse_what_was_not_announced),
        cmocka_unit_test(fill_values_are_values_of_the_type),
        cmocka_unit_test(no_params_mean_lossless),
        cmocka_unit_test(parameters_of_a_bound_have_it),
        cmocka_unit_test(what_a_codec_has_is_told_by_its_own_query),
        cmocka_unit_test(sync_comes_after_the_last_byte_and_only_where_there_is_one),
        cmocka_unit_test(memory_that_runs_out_anywhere_is_reported_and_nothing_leaks),
        cmocka_unit_test(sinks_and_sources_that_fail_are_reported),
        cmocka_unit_test(sources_that_shrink_are_reported),
        cmocka_unit_test(a_buffer_that_is_too_small_is_reported),
        cmocka_unit_test(cancelling_stops_any_call),
        cmocka_unit_test(the_bound_on_the_size_holds_for_any_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
