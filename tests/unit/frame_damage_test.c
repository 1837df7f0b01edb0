/* frame_damage_test.c: .zt files that are damaged, cut short, or made to deceive: an error or the
 * same array, never a crash, and no memory that the file's own bytes do not justify. */
#include "unit/frame_pieces.h"
#include "ztile_zfp.h"

/* ---- small files of every kind ---- */

struct sample {
    struct bytes file;
    zt_array array; /* what it decodes to */
};

enum { SAMPLES = 8 };

static struct sample sample_number(uint32_t i)
{
    static const uint64_t shape[] = {9, 6, 5};
    static const zt_type types[SAMPLES] = {ZT_F32, ZT_F64, ZT_I32, ZT_I64,
                                           ZT_F32, ZT_F32, ZT_F64, ZT_I32};
    struct sample s = {.array = new_array(types[i], 1 + i % 3, shape)};
    zt_params p = params_of(i == 1   ? zt_rel(1e-4)
                            : i == 2 ? zt_rate(9)
                            : i == 3 ? zt_abs(2)
                            : i == 4 ? zt_lossless()
                            : i == 5 ? zt_abs(0.1)
                            : i == 7 ? zt_lossless()
                                     : zt_precision(12));
    fill_array(&s.array,
               i == 4   ? DATA_FEW_BITS
               : i == 7 ? DATA_BITS
                        : DATA_WAVE_NOISE,
               i == 4   ? 7
               : i == 5 ? 6
                        : i);
    if (i == 5) /* exact values: the others of two tiles that have 8 */
        ((float *)s.array.data)[29] = ((float *)s.array.data)[149] = 3e20f;
    p.slab_bytes = i % 2 ? 200 : 1 << 20;
    zt_params_set_zfp_words(&p, i % 3 ? 8 : 64);
    p.name = i == 4 ? "u" : NULL;
    p.units = i == 4 ? "m/s" : NULL;
    s.file = compress(&s.array, &p);
    assert_int_equal(zt_decompress(NULL, s.file.data, s.file.n, &s.array), ZT_OK);
    assert_true((info_of(&s.file).exact_values > 0) == (i == 5));
    assert_true(i != 4 || info_of(&s.file).raw_frames == 0);
    assert_true(i != 7 || info_of(&s.file).raw_frames > 0);
    return s;
}

static void sample_free(struct sample *s)
{
    free(s->file.data);
    free(s->array.data);
}

/* Read everything that a file lets itself be read, in every way, with a sequence of statuses that
 * stop at the first failure. Where decoding succeeds and 'array' is given, values must be its. */
static zt_status read_whole(zt_context *c, const unsigned char *data, size_t n,
                            const zt_array *array)
{
    zt_info info;
    zt_info_init(&info, sizeof info);
    zt_status status = zt_inspect(c, data, n, &info);
    if (status || info.raw_bytes > 1 << 20)
        return status;
    zt_array out = new_array((zt_type)info.type, info.rank, info.shape);
    status = zt_decompress(c, data, n, &out);
    if (!status && array) {
        assert_int_equal(array_bytes(&out), array_bytes(array));
        assert_memory_equal(out.data, array->data, array_bytes(array));
    }
    free(out.data);
    return status;
}

static zt_status read_frames(zt_context *c, const unsigned char *data, size_t n, bool is_sequential,
                             const zt_array *array)
{
    struct mem_source s;
    zt_source source = source_of(&s, data, n, is_sequential);
    zt_reader *r = NULL;
    zt_info info;
    zt_info_init(&info, sizeof info);
    zt_status status = zt_reader_open(c, &source, &r);
    if (!status)
        status = zt_reader_info(r, &info);
    uint64_t first = 0, extent = 1;
    while (!status && extent > 0) {
        status = zt_reader_next(r, &first, &extent);
        info.shape[0] = extent;
        if (status || extent == 0 || values_of(info.rank, info.shape) > 1 << 17)
            continue;
        zt_array out = new_array((zt_type)info.type, info.rank, info.shape);
        status = zt_reader_read(r, &out);
        if (!status && array) {
            uint64_t at = first * (array_bytes(array) / array->shape[0]);
            assert_true(at + array_bytes(&out) <= array_bytes(array));
            assert_memory_equal(out.data, (char *)array->data + at, array_bytes(&out));
        }
        free(out.data);
    }
    if (!status && !is_sequential)
        status = zt_reader_check(r);
    zt_reader_close(r);
    return status;
}

/* Go through the frames of a sequential source without reading them. */
static zt_status skip_frames(zt_context *c, const unsigned char *data, size_t n)
{
    struct mem_source s;
    zt_source source = source_of(&s, data, n, true);
    zt_reader *r = NULL;
    uint64_t first, extent = 1;
    zt_status status = zt_reader_open(c, &source, &r);
    bool is_open = status == ZT_OK;
    while (!status && extent > 0)
        status = zt_reader_next(r, &first, &extent);
    if (is_open && status)
        assert_int_equal(zt_reader_next(r, &first, &extent), ZT_BAD_ARG);
    zt_reader_close(r);
    return status;
}

static void a_flipped_byte_gives_an_error_or_the_same_array(void **state)
{
    (void)state;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        struct sample s = sample_number(i);
        for (size_t at = 0; at < s.file.n; at++)
            for (uint32_t k = 0; k < 9; k++) {
                unsigned char flip = (unsigned char)(k < 8 ? 1u << k : 0xffu);
                s.file.data[at] = (unsigned char)(s.file.data[at] ^ flip);
                (void)read_whole(c, s.file.data, s.file.n, &s.array);
                /* these two verify every byte */
                assert_true(read_frames(c, s.file.data, s.file.n, true, &s.array) != ZT_OK);
                assert_true(read_frames(c, s.file.data, s.file.n, false, &s.array) != ZT_OK);
                s.file.data[at] = (unsigned char)(s.file.data[at] ^ flip);
            }
        need_ok(c, read_frames(c, s.file.data, s.file.n, true, &s.array));
        need_ok(c, read_frames(c, s.file.data, s.file.n, false, &s.array));
        sample_free(&s);
    }
    zt_context_free(c);
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        struct sample s = sample_number(i);
        for (size_t n = 0; n < s.file.n; n++) {
            unsigned char *cut = (unsigned char *)need(n + !n); /* its end is watched */
            memcpy(cut, s.file.data, n);
            assert_int_equal(read_whole(c, cut, n, NULL), ZT_CORRUPT);
            assert_int_equal(read_frames(c, cut, n, false, NULL), ZT_CORRUPT);
            assert_int_equal(read_frames(c, cut, n, true, NULL), ZT_CORRUPT);
            if (n >= 64)
                assert_non_null(strstr(zt_context_error(c), "cut short"));
            assert_int_equal(skip_frames(c, cut, n), ZT_CORRUPT);
            free(cut);
        }
        sample_free(&s);
    }
    zt_context_free(c);
}

static void bytes_after_the_end_are_refused(void **state)
{
    (void)state;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    struct sample s = sample_number(0);
    unsigned char *longer = (unsigned char *)need(s.file.n + 70);
    for (size_t more = 1; more <= 70; more++) {
        memset(longer, 0, s.file.n + more);
        memcpy(longer, s.file.data, s.file.n);
        assert_int_equal(read_whole(c, longer, s.file.n + more, NULL), ZT_CORRUPT);
        need_failure(c, read_frames(c, longer, s.file.n + more, true, NULL), ZT_CORRUPT,
                     "after the end");
    }
    free(longer);
    sample_free(&s);
    zt_context_free(c);
}

static void foreign_files_are_called_so(void **state)
{
    (void)state;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    unsigned char zeros[256] = {0};
    for (size_t n = 0; n <= sizeof zeros; n += 16) {
        need_failure(c, read_whole(c, zeros, n, NULL), ZT_CORRUPT, "not a .zt file");
        need_failure(c, read_frames(c, zeros, n, true, NULL), ZT_CORRUPT, "not a .zt file");
    }
    zt_context_free(c);
}

/* ---- files whose checksums are right ---- */

/* Put right the hash of the header at byte 0 and of the seek table, as far as they are there. */
static void rehash(struct bytes *file)
{
    size_t header = (size_t)file->data[8] * 64;
    if (header >= 64 && header <= file->n)
        zti_put_le64(file->data + header - 8, zti_hash(file->data, header - 8));
    size_t table = zti_get_le32(file->data + file->n - 8);
    if (table >= 24 && table <= file->n) {
        unsigned char *from = file->data + file->n - table;
        zti_put_le64(from + table - 16, zti_hash(from, table - 16));
    }
}

static void lies_with_good_checksums_cost_no_memory(void **state)
{
    (void)state;
    struct counted counted;
    zt_context *c = counted_context(&counted);
    struct rng rng = {.state = 3};
    for (uint32_t i = 0; i < SAMPLES; i++) {
        struct sample s = sample_number(i);
        unsigned char *original = (unsigned char *)need(s.file.n);
        memcpy(original, s.file.data, s.file.n);
        size_t table = zti_get_le32(s.file.data + s.file.n - 8);
        for (uint32_t run = 0; run < 3000; run += TEST_SHARE) {
            memcpy(s.file.data, original, s.file.n);
            for (uint32_t k = 1 + (uint32_t)rng_below(&rng, 4); k > 0; k--) {
                size_t at = rng_once_in(&rng, 2) ? 4 + (size_t)rng_below(&rng, 52)
                                                 : s.file.n - table + rng_below(&rng, table);
                s.file.data[at] = rng_once_in(&rng, 2) ? (unsigned char)rng_next(&rng)
                                                       : (unsigned char)(rng_next(&rng) | 0xfe);
            }
            rehash(&s.file);
            (void)read_whole(c, s.file.data, s.file.n, NULL);
            (void)read_frames(c, s.file.data, s.file.n, false, NULL);
            (void)read_frames(c, s.file.data, s.file.n, true, NULL);
        }
        free(original);
        sample_free(&s);
    }
    assert_int_equal(counted.held, 1);       /* the context */
    assert_true(counted.largest <= 9 << 20); /* two steps of a sequential source */
    zt_context_free(c);
}

/* Put the pieces together; all ways of reading must end in the same status and sentence. */
static void need_outcome(struct pieces *p, zt_status wanted, const char *word,
                         const zt_array *array)
{
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    struct bytes b = put_together(p);
    for (uint32_t way = 0; way < 3; way++) {
        zt_status status = way == 0 ? read_whole(c, b.data, b.n, array)
                                    : read_frames(c, b.data, b.n, way == 1, array);
        if (wanted == ZT_OK)
            need_ok(c, status);
        else
            need_failure(c, status, wanted, word);
    }
    free(b.data);
    zt_context_free(c);
}

static void unknown_sections_are_skipped_unless_critical(void **state)
{
    (void)state;
    struct sample s = sample_number(0);
    struct pieces p = take_apart(&s.file);
    need_outcome(&p, ZT_OK, "", &s.array);
    add_section(&p, 0x7e, "hello", 5);
    add_section(&p, ZTI_SECTION_NAME, "name", 4); /* has no meaning in a tail */
    need_outcome(&p, ZT_OK, "", &s.array);
    add_section(&p, 0xfe, "", 0);
    need_outcome(&p, ZT_UNSUPPORTED, "section type fe", NULL);
    sample_free(&s);
}

static void headers_take_unknown_sections_as_tails_do(void **state)
{
    (void)state;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    struct sample s = sample_number(4); /* its header ends with name and units */
    unsigned char *at = s.file.data;
    while (at[0] != ZTI_SECTION_UNITS || at[1] != 3 || memcmp(at + 2, "m/s", 3) != 0)
        at++;
    at[0] = 0x7e;
    rehash(&s.file);
    need_ok(c, read_whole(c, s.file.data, s.file.n, &s.array));
    assert_string_equal(info_of(&s.file).units, "");
    at[0] = 0xfe;
    rehash(&s.file);
    need_failure(c, read_whole(c, s.file.data, s.file.n, NULL), ZT_UNSUPPORTED, "type fe");
    at[0] = ZTI_SECTION_NAME;
    rehash(&s.file);
    need_failure(c, read_whole(c, s.file.data, s.file.n, NULL), ZT_CORRUPT, "once");
    at[0] = ZTI_SECTION_UNITS;
    at[2] = 0xc3; /* begins a character that does not follow */
    rehash(&s.file);
    need_failure(c, read_whole(c, s.file.data, s.file.n, NULL), ZT_CORRUPT, "UTF-8");
    at[2] = 'm';
    at[5] = 0;
    at[6] = 1; /* after the end */
    rehash(&s.file);
    need_failure(c, read_whole(c, s.file.data, s.file.n, NULL), ZT_CORRUPT, "after the last");
    sample_free(&s);
    zt_context_free(c);
}

static void other_versions_and_codecs_are_named(void **state)
{
    (void)state;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    struct sample s = sample_number(0);
    s.file.data[4] = 2;
    rehash(&s.file);
    need_failure(c, read_whole(c, s.file.data, s.file.n, NULL), ZT_UNSUPPORTED, "version 2");
    s.file.data[4] = 1;
    s.file.data[6] = 9;
    rehash(&s.file);
    need_failure(c, read_whole(c, s.file.data, s.file.n, NULL), ZT_UNSUPPORTED, "codec 9");
    s.file.data[6] = 1;
    s.file.data[7] = 12;
    rehash(&s.file);
    need_failure(c, read_whole(c, s.file.data, s.file.n, NULL), ZT_UNSUPPORTED, "bound kind 12");
    s.file.data[7] = 1;
    size_t table = zti_get_le32(s.file.data + s.file.n - 8);
    s.file.data[s.file.n - table + 4] = 9;
    rehash(&s.file);
    need_failure(c, read_whole(c, s.file.data, s.file.n, NULL), ZT_UNSUPPORTED, "version 9");
    sample_free(&s);
    zt_context_free(c);
}

static void tails_must_hold_what_the_header_says(void **state)
{
    (void)state;
    struct sample s = sample_number(0);
    struct pieces p = take_apart(&s.file), whole = p;
    p.tail_bytes = 0;
    need_outcome(&p, ZT_CORRUPT, "lacks", NULL);
    p = whole;
    memcpy(p.tail + p.tail_bytes, whole.tail, whole.tail_bytes);
    p.tail_bytes *= 2;
    need_outcome(&p, ZT_CORRUPT, "twice", NULL);
    p = whole;
    p.tail[2] = ZTI_RANGE_LEAST_LOG2 - 1;
    need_outcome(&p, ZT_CORRUPT, "one checksum for each", NULL);
    p = whole;
    p.tail[2] = ZTI_RANGE_MOST_LOG2 + 1;
    need_outcome(&p, ZT_CORRUPT, "one checksum for each", NULL);
    p = whole;
    p.tail[2] = ZTI_RANGE_MOST_LOG2; /* one range, whatever its size, is the whole payload */
    need_outcome(&p, ZT_OK, NULL, &s.array);
    p = whole;
    p.tail[1]--;
    p.tail_bytes--;
    need_outcome(&p, ZT_CORRUPT, "one checksum for each", NULL);
    p = whole;
    p.frame.exact_values = 1;
    need_outcome(&p, ZT_CORRUPT, "lacks", NULL);
    p = whole;
    p.tail[1] = 100;
    need_outcome(&p, ZT_CORRUPT, "beyond the tail", NULL);
    sample_free(&s);
}

static void payloads_must_be_streams_of_the_frame(void **state)
{
    (void)state;
    struct sample s = sample_number(0); /* 64-bit words */
    struct pieces p = take_apart(&s.file), whole = p;
    p.frame.payload_bytes -= 8;
    checksum_again(&p);
    need_outcome(&p, ZT_CORRUPT, "", NULL);
    p = whole;
    memset(p.payload + p.frame.payload_bytes, 0, 8);
    p.frame.payload_bytes += 8; /* more than three tiles at 12 planes can take */
    checksum_again(&p);
    need_outcome(&p, ZT_CORRUPT, "cannot hold", NULL);
    p = whole;
    p.frame.payload_bytes -= 1;
    checksum_again(&p);
    need_outcome(&p, ZT_CORRUPT, "cannot hold", NULL);
    p = whole;
    p.frame.shape[0] = UINT64_C(1) << 60;
    p.frame.rank = 1;
    need_outcome(&p, ZT_CORRUPT, "cannot hold", NULL);
    sample_free(&s);
    s = sample_number(4); /* 8-bit words, lossless */
    p = take_apart(&s.file);
    p.payload[p.frame.payload_bytes++] = 0;
    checksum_again(&p);
    need_outcome(&p, ZT_CORRUPT, "ends at bit", NULL);
    sample_free(&s);
}

static void side_values_must_lie_in_the_frame_in_order(void **state)
{
    (void)state;
    struct sample s = sample_number(0); /* 9 floats */
    struct pieces p = take_apart(&s.file), whole = p;
    static const unsigned char good[] = {0, 2, 5, 0, 0, 0, 0, 1, 2, 3, 4};
    unsigned char body[sizeof good];
    p.frame.exact_values = 2;
    add_section(&p, ZTI_SECTION_SIDE, good, sizeof good); /* values 2 and 8 */
    float two, eight;
    memcpy(&two, good + 3, 4);
    memcpy(&eight, good + 7, 4);
    ((float *)s.array.data)[2] = two;
    ((float *)s.array.data)[8] = eight;
    need_outcome(&p, ZT_OK, "", &s.array);
    add_section(&p, ZTI_SECTION_SIDE, good, sizeof good);
    need_outcome(&p, ZT_CORRUPT, "twice", NULL);

    static const struct {
        unsigned char at, value;
        uint64_t count;
        zt_status status;
        const char *word;
    } cases[] = {
        {2, 6, 2, ZT_CORRUPT, "does not hold 2"}, /* position 9 of 0..8 */
        {1, 9, 2, ZT_CORRUPT, "does not hold 2"},
        {1, 0x80, 2, ZT_CORRUPT, "does not hold 2"}, /* not the shortest form */
        {0, 1, 2, ZT_UNSUPPORTED, "method 1"},
        {0, 0, 1, ZT_CORRUPT, "does not hold 1"},
        {0, 0, 3, ZT_CORRUPT, "does not hold 3"},
        {0, 0, 0, ZT_CORRUPT, "does not hold 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(body, good, sizeof good);
        body[cases[i].at] = cases[i].value;
        p = whole;
        p.frame.exact_values = cases[i].count;
        add_section(&p, ZTI_SECTION_SIDE, body, sizeof body);
        need_outcome(&p, cases[i].status, cases[i].word, NULL);
    }
    p = whole;
    p.frame.exact_values = 10; /* of 9 */
    need_outcome(&p, ZT_CORRUPT, "impossible shape", NULL);
    sample_free(&s);
}

static void frames_must_belong_together(void **state)
{
    (void)state;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    struct sample s = sample_number(1); /* several frames */
    struct bytes *f = &s.file;
    assert_true(info_of(f).frames > 1);
    uint32_t n;
    struct zti_frame first, second;
    assert_int_equal(zti_header_parse(NULL, 0, f->data, 64, &first), ZT_OK);
    size_t at = (size_t)zti_round_up(zti_frame_bytes(&first), 64);
    assert_int_equal(zti_header_bytes(NULL, 1, f->data + at, &n), ZT_OK);
    assert_int_equal(zti_header_parse(NULL, 1, f->data + at, n, &second), ZT_OK);
    static const char *const words[] = {"another bound", "another bound", "another type",
                                        "begins at slice", "impossible shape"};
    for (uint32_t i = 0; i < 5; i++) {
        unsigned char header[ZTI_HEADER_STORED_BYTES];
        struct zti_frame other = second;
        other.bound.value *= i == 0 ? 2 : 1;
        other.abs_bound *= i == 1 ? 2 : 1;
        other.shape[1] += i == 2;
        other.first += i == 3;
        other.first = i == 4 ? (uint64_t)INT64_MAX + 1 : other.first;
        assert_int_equal(zti_header_store(&other, header), 64);
        memcpy(f->data + at, header, 64);
        /* of known size, the seek table tells the last two cases apart first */
        need_failure(c, read_frames(c, f->data, f->n, false, NULL), ZT_CORRUPT,
                     i == 3 ? "seek table says" : words[i]);
        need_failure(c, read_frames(c, f->data, f->n, true, NULL), ZT_CORRUPT, words[i]);
    }
    sample_free(&s);
    zt_context_free(c);
}

/* ---- tables that lie about where tiles are ---- */

static int mark_lost(void *user, zt_loss loss, const zt_box *box, const char *why)
{
    (void)loss;
    (void)why;
    for (uint64_t z = box->lo[0]; z < box->hi[0]; z++)
        ((bool *)user)[z] = true;
    return 0;
}

/* Whatever the road: the whole is refused, boxes of layers of tiles are where the lie is, salvage
 * keeps the others. */
static void need_same_verdicts(const struct bytes *file, const zt_array *array, uint64_t layer,
                               const bool *is_bad)
{
    zt_array out = new_array((zt_type)array->type, array->rank, array->shape);
    const size_t slice_bytes = array_bytes(array) / (size_t)array->shape[0];
    bool is_lost[64] = {false};
    struct mem_source memory;
    zt_source source = source_of(&memory, file->data, file->n, false);
    zt_reader *reader = NULL;
    zt_salvage salvage;
    uint64_t first, extent;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        zt_context *c = NULL;
        const zt_omp omp = {.threads = threads, .grain = 1};
        need_ok(NULL, zt_context_new(NULL, &c));
        need_ok(c, zt_context_set_omp(c, &omp));
        need_failure(c, zt_decompress(c, file->data, file->n, &out), ZT_CORRUPT, "ends elsewhere");
        for (uint64_t z = 0; z < array->shape[0]; z += layer) {
            const zt_box box = {{z}, {z + layer, array->shape[1], array->shape[2]}};
            const zt_array part = slab_of(&out, z, layer);
            const zt_status status = zt_decompress_box(c, file->data, file->n, &box, &part);
            if (is_bad[z / layer]) {
                need_failure(c, status, ZT_CORRUPT, "ends elsewhere");
            } else {
                need_ok(c, status);
                assert_memory_equal(part.data, (char *)array->data + z * slice_bytes,
                                    (size_t)layer * slice_bytes);
            }
        }
        zt_context_free(c);
    }
    (void)zt_salvage_init(&salvage, sizeof salvage);
    salvage.part = mark_lost;
    salvage.user = is_lost;
    need_ok(NULL, zt_reader_open_damaged(NULL, &source, &reader));
    need_ok(NULL, zt_reader_next(reader, &first, &extent));
    need_ok(NULL, zt_reader_salvage(reader, &out, &salvage));
    struct mem_sink sink = {.limit = SIZE_MAX};
    const zt_sink to = sink_of(&sink);
    assert_int_equal(zt_replace_index(NULL, &source, &to, ZT_INDEX_DEFAULT, 0, 0), ZT_CORRUPT);
    free(sink.bytes.data);
    for (uint64_t z = 0; z < array->shape[0]; z++) {
        assert_int_equal(is_lost[z], is_bad[z / layer]);
        if (!is_lost[z])
            assert_memory_equal((char *)out.data + z * slice_bytes,
                                (char *)array->data + z * slice_bytes, slice_bytes);
    }
    zt_reader_close(reader);
    free(out.data);
}

/* Of 16 zfp tiles in 8 chunks the fourth chunk begins a bit later than it does. */
static void an_index_that_lies_is_refused_by_every_road(void **state)
{
    static const uint64_t shape[] = {16, 8, 8};
    static const bool is_bad[] = {false, true, false, false};
    zt_array array = new_array(ZT_F32, 3, shape);
    zt_params params = params_of(zt_lossless());
    (void)state;
    fill_array(&array, DATA_SMOOTH, 1);
    params.codec = ZT_CODEC_ZFP;
    params.index = ZT_INDEX_OFFSETS;
    params.index_chunk = 2;
    struct bytes file = compress(&array, &params);
    struct pieces p = take_apart(&file);
    unsigned char *const starts = p.tail + p.tail_bytes - 8 * 8; /* the last section's end */
    zti_put_le64(starts + 3 * 8, zti_get_le64(starts + 3 * 8) + 1);
    struct bytes lie = put_together(&p);
    need_same_verdicts(&lie, &array, 4, is_bad);
    free(lie.data);
    free(file.data);
    free(array.data);
}

/* Of 4 ndzip tiles the second one ends a word later than it does. */
static void a_table_of_ends_that_lies_is_refused_by_every_road(void **state)
{
    static const uint64_t shape[] = {64, 16, 16};
    static const bool is_bad[] = {false, true, true, false};
    zt_array array = new_array(ZT_F32, 3, shape);
    zt_params params = params_of(zt_lossless());
    (void)state;
    fill_array(&array, DATA_CONSTANT, 1);
    params.codec = ZT_CODEC_NDZIP;
    struct bytes file = compress(&array, &params);
    struct pieces p = take_apart(&file);
    zti_put_le32(p.payload + 4, zti_get_le32(p.payload + 4) + 1);
    checksum_again(&p);
    struct bytes lie = put_together(&p);
    need_same_verdicts(&lie, &array, 16, is_bad);
    free(lie.data);
    free(file.data);
    free(array.data);
}

/* Header and tail name the same layout, and a hybrid one has partitions. */
static void an_index_is_the_one_that_the_header_names(void **state)
{
    static const uint64_t shape[] = {16, 8, 8};
    zt_array array = new_array(ZT_F32, 3, shape);
    zt_params params = params_of(zt_lossless());
    (void)state;
    fill_array(&array, DATA_SMOOTH, 1);
    params.codec = ZT_CODEC_ZFP;
    params.index = ZT_INDEX_HYBRID;
    params.index_chunk = 2;
    params.index_partition = 4;
    struct bytes file = compress(&array, &params);
    const struct pieces whole = take_apart(&file);
    struct pieces p = whole;
    need_outcome(&p, ZT_OK, "", &array);
    p = whole;
    p.frame.index.chunk_tiles = 3;
    need_outcome(&p, ZT_CORRUPT, "header and tail differ on the index", NULL);
    p = whole;
    p.frame.index.partition = 8;
    need_outcome(&p, ZT_CORRUPT, "header and tail differ on the index", NULL);
    p = whole;
    p.frame.index.partition = 0;
    need_outcome(&p, ZT_CORRUPT, "impossible index", NULL);
    free(file.data);
    free(array.data);
}

static void tails_shorter_than_their_hash_are_refused(void **state)
{
    (void)state;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    struct sample s = sample_number(0);
    struct zti_frame f;
    assert_int_equal(zti_header_parse(NULL, 0, s.file.data, 64, &f), ZT_OK);
    f.tail_bytes = 7;
    unsigned char header[ZTI_HEADER_STORED_BYTES];
    assert_int_equal(zti_header_store(&f, header), 64);
    memcpy(s.file.data, header, 64);
    need_failure(c, read_frames(c, s.file.data, s.file.n, true, NULL), ZT_CORRUPT, "too short");
    sample_free(&s);
    zt_context_free(c);
}

static void extents_that_add_up_to_too_much_are_refused(void **state)
{
    (void)state;
    zt_context *c = NULL;
    zt_context_new(NULL, &c);
    struct sample s = sample_number(1); /* several frames */
    size_t bytes = zti_get_le32(s.file.data + s.file.n - 8);
    struct zti_place *places = NULL;
    uint64_t frames = 0;
    assert_int_equal(
        zti_table_parse(NULL, s.file.data + s.file.n - bytes, bytes, s.file.n, &places, &frames),
        ZT_OK);
    struct zti_table table = {.entries = NULL};
    for (uint64_t i = 0; i < frames; i++)
        zti_table_add(NULL, &table, places[i].bytes, i == 0 ? places[1].first : UINT64_C(1) << 59);
    size_t n = (size_t)places[frames].at;
    unsigned char *file = (unsigned char *)need(n + (size_t)zti_table_bytes(&table));
    memcpy(file, s.file.data, n);
    zti_table_store(&table, file + n);
    n += (size_t)zti_table_bytes(&table);
    need_failure(c, read_frames(c, file, n, false, NULL), ZT_CORRUPT, "impossible size");
    zti_release(NULL, places);
    zti_table_free(NULL, &table);
    free(file);
    sample_free(&s);
    zt_context_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flipped_byte_gives_an_error_or_the_same_array),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(bytes_after_the_end_are_refused),
        cmocka_unit_test(foreign_files_are_called_so),
        cmocka_unit_test(lies_with_good_checksums_cost_no_memory),
        cmocka_unit_test(unknown_sections_are_skipped_unless_critical),
        cmocka_unit_test(headers_take_unknown_sections_as_tails_do),
        cmocka_unit_test(other_versions_and_codecs_are_named),
        cmocka_unit_test(tails_must_hold_what_the_header_says),
        cmocka_unit_test(an_index_that_lies_is_refused_by_every_road),
        cmocka_unit_test(a_table_of_ends_that_lies_is_refused_by_every_road),
        cmocka_unit_test(an_index_is_the_one_that_the_header_names),
        cmocka_unit_test(tails_shorter_than_their_hash_are_refused),
        cmocka_unit_test(extents_that_add_up_to_too_much_are_refused),
        cmocka_unit_test(payloads_must_be_streams_of_the_frame),
        cmocka_unit_test(side_values_must_lie_in_the_frame_in_order),
        cmocka_unit_test(frames_must_belong_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
