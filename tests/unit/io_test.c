/* io_test.c: io/ without libraries: names and shapes, raw files, .npy files, pipes, and output that
 * is whole or not there. netCDF and HDF5 are in io_variables_test.c. */
#include "io_support.h"

static const uint32_t all_types[] = {ZT_F32, ZT_F64, ZT_I32, ZT_I64};
static const uint64_t all_shapes[4][4] = {{7}, {5, 3}, {5, 3, 2}, {5, 1, 3, 2}};

/* ---- names and shapes ---------------------------------------------------------------------- */

static void shapes_are_parsed_and_formatted(void **state)
{
    static const char *const good[] = {"1", "512x512x128", "?x3",
                                       "?", "1x2x3x4",     "9223372036854775807"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint32_t rank;
        uint64_t shape[4];
        char text[96];
        assert_true(ztio_parse_shape(good[i], &rank, shape));
        assert_string_equal(ztio_format_shape(rank, shape, text), good[i]);
    }
}

static void what_is_no_shape_is_refused(void **state)
{
    /* clang-format off */
    static const char *const bad[] = {"",    "x",    "3x",  "x3",   "3x?",       "0",
                                      "3x0", "-3",   "3 x", " 3",   "3xx3",      "3X3",
                                      "3.0", "+3x3", "??",  "?3x3", "1x2x3x4x5", "0x10",
                                      "9223372036854775808", "99999999999999999999"};
    /* clang-format on */
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t rank = 77;
        uint64_t shape[4];
        if (ztio_parse_shape(bad[i], &rank, shape))
            fail_msg("'%s' was taken for a shape", bad[i]);
        assert_int_equal(rank, 77);
    }
}

static void types_have_names(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(ztio_type_of_name(ztio_name_of_type(all_types[i])), all_types[i]);
    assert_int_equal(ztio_type_of_name("f16"), 0);
    assert_int_equal(ztio_type_of_name(""), 0);
}

/* ---- raw ----------------------------------------------------------------------------------- */

static void raw_files_come_back_in_slabs(void **state)
{
    (void)state;
    for (int t = 0; t < 4; t++)
        for (uint32_t rank = 1; rank <= 4; rank++) {
            struct ztio_meta meta = meta_of(all_types[t], rank, all_shapes[rank - 1]);
            void *values = values_of(meta.type, count_of(&meta));
            write_place("a.raw", &meta, meta.shape[0], values);
            for (uint64_t step = 1; step <= 7; step += 2) {
                struct ztio_input *input = open_place("a.raw", &meta);
                assert_true(ztio_is_seekable(input));
                expect_values(input, values, step);
                ztio_close(input);
            }
            free(values);
            empty_folder(NULL);
        }
}

static void raw_bytes_are_little_endian(void **state)
{
    const float values[2] = {1.0f, -2.0f};
    size_t n;
    (void)state;
    struct ztio_meta meta = meta_of(ZT_F32, 1, (uint64_t[]){2});
    write_place("a", &meta, 2, values);
    char *data = get_file("a", &n);
    assert_int_equal(n, 8);
    assert_memory_equal(data, "\0\0\x80\x3f\0\0\0\xc0", 8);
    free(data);
}

static void names_tell_type_and_shape(void **state)
{
    char zeros[480] = {0};
    (void)state;
    put_file("wind_v2_4x5x6.f32", zeros, 480);
    struct ztio_input *input = open_place("wind_v2_4x5x6.f32", NULL);
    const struct ztio_meta *meta = ztio_meta_of(input);
    assert_int_equal(meta->format, ZTIO_RAW);
    assert_int_equal(meta->type, ZT_F32);
    assert_int_equal(meta->rank, 3);
    assert_int_equal(meta->shape[0], 4);
    assert_int_equal(meta->shape[2], 6);
    ztio_close(input);

    struct ztio_meta hints = meta_of(ZT_I64, 2, (uint64_t[]){ZT_UNKNOWN, 30});
    input = open_place("wind_v2_4x5x6.f32", &hints); /* what is asked for wins */
    assert_int_equal(ztio_meta_of(input)->type, ZT_I64);
    assert_int_equal(ztio_meta_of(input)->shape[0], 2);
    ztio_close(input);
}

static void a_lone_number_is_a_shape_only_if_it_fits(void **state)
{
    char zeros[480] = {0};
    (void)state;
    put_file("step_120.f32", zeros, 480);
    put_file("step_0100.f32", zeros, 480);
    struct ztio_input *input = open_place("step_120.f32", NULL);
    assert_int_equal(ztio_meta_of(input)->shape[0], 120);
    ztio_close(input);
    expect_refusal("step_0100.f32", NULL, ZTIO_BAD_USE, "does not say its shape; give it with -s");
}

static void raw_sizes_must_fit(void **state)
{
    char *zeros = calloc(4001, 1);
    (void)state;
    put_file("file.f32", zeros, 4000);
    struct ztio_meta hints = meta_of(0, 3, (uint64_t[]){10, 10, 11});
    expect_refusal("file.f32", &hints, ZTIO_BAD_DATA,
                   "file.f32: 4000 bytes are no 10x10x11 array of f32 (slowest first), which takes "
                   "4400 bytes; give the shape with -s");
    hints = meta_of(0, 2, (uint64_t[]){ZT_UNKNOWN, 7});
    expect_refusal("file.f32", &hints, ZTIO_BAD_DATA,
                   "4000 bytes are no whole number of slices of 28 bytes");
    hints = meta_of(0, 4, (uint64_t[]){UINT64_C(1) << 40, 1 << 20, 1 << 20, 1});
    expect_refusal("file.f32", &hints, ZTIO_BAD_DATA, "larger than any file");
    hints = meta_of(0, 2, (uint64_t[]){ZT_UNKNOWN, UINT64_C(1) << 62});
    expect_refusal("file.f32", &hints, ZTIO_BAD_DATA, "larger than any file");
    put_file("empty.f32", zeros, 0);
    hints = meta_of(0, 2, (uint64_t[]){ZT_UNKNOWN, 7});
    expect_refusal("empty.f32", &hints, ZTIO_BAD_DATA, "there are no values in it");
    free(zeros);
}

static void what_is_not_known_is_asked_for(void **state)
{
    struct ztio_meta hints = meta_of(0, 1, (uint64_t[]){2});
    (void)state;
    put_file("file.bin", "12345678", 8);
    expect_refusal("file.bin", &hints, ZTIO_BAD_USE, "does not say its type; give it with -t");
    hints = (struct ztio_meta){.type = ZT_F32};
    expect_refusal("file.bin", &hints, ZTIO_BAD_USE, "does not say its shape; give it with -s");
}

static void what_cannot_be_opened_is_named(void **state)
{
    (void)state;
    expect_refusal("none.f32", NULL, ZTIO_IO_ERROR,
                   "cannot open none.f32: No such file or directory; check the name");
    expect_refusal("none.nc:a", NULL, ZTIO_IO_ERROR,
                   "cannot open none.nc: No such file or directory; check the name");
    assert_int_equal(mkdir("dir", 0777), 0);
    expect_refusal("dir", NULL, ZTIO_IO_ERROR, "dir is a directory; name a file in it");
    put_file("secret.f32", "12345678", 8);
    assert_int_equal(chmod("secret.f32", 0), 0);
    if (geteuid() != 0) /* root may read anything */
        expect_refusal("secret.f32", NULL, ZTIO_IO_ERROR, "Permission denied");
    put_file("plain_1x2.f32", "12345678", 8);
    expect_refusal("plain_1x2.f32:a", NULL, ZTIO_BAD_USE, "has no variables; leave out :a");
}

static void a_colon_may_be_part_of_a_name(void **state)
{
    (void)state;
    put_file("run:2_1x2.f32", "12345678", 8);
    struct ztio_input *input = open_place("run:2_1x2.f32", NULL);
    assert_int_equal(ztio_meta_of(input)->rank, 2);
    ztio_close(input);
}

static void slices_out_of_range_are_refused(void **state)
{
    char slab[8];
    uint64_t got;
    (void)state;
    put_file("a_2x1.f32", "12345678", 8);
    struct ztio_input *input = open_place("a_2x1.f32", NULL);
    assert_false(ztio_read(input, 1, 2, slab, &got, &error));
    assert_false(ztio_read(input, 3, 0, slab, &got, &error));
    assert_false(ztio_read(input, 1, UINT64_MAX, slab, &got, &error));
    assert_true(ztio_read(input, 2, 0, slab, &got, &error));
    assert_int_equal(got, 0);
    ztio_close(input);
}

static void a_file_cut_while_it_is_read_is_noticed(void **state)
{
    char slab[8];
    uint64_t got;
    (void)state;
    put_file("a_2x1.f32", "12345678", 8);
    struct ztio_input *input = open_place("a_2x1.f32", NULL);
    assert_int_equal(truncate("a_2x1.f32", 6), 0);
    assert_false(ztio_read(input, 0, 2, slab, &got, &error));
    assert_non_null(strstr(error.sentence, "cut while it was read"));
    ztio_close(input);
}

/* ---- pipes --------------------------------------------------------------------------------- */

static void a_pipe_of_unknown_length_is_read_to_its_end(void **state)
{
    int32_t values[6] = {1, 2, 3, 4, 5, 6}, slab[8];
    uint64_t got;
    (void)state;
    feed_input(values, sizeof values);
    struct ztio_meta hints = meta_of(ZT_I32, 2, (uint64_t[]){ZT_UNKNOWN, 2});
    struct ztio_input *input = open_place("-", &hints);
    assert_false(ztio_is_seekable(input));
    assert_true(ztio_meta_of(input)->shape[0] == ZT_UNKNOWN);
    assert_true(ztio_read(input, 0, 2, slab, &got, &error));
    assert_int_equal(got, 2);
    assert_memory_equal(slab, values, 16);
    assert_false(ztio_read(input, 0, 1, slab, &got, &error)); /* gone */
    assert_true(ztio_read(input, 2, 4, slab, &got, &error));
    assert_int_equal(got, 1);
    assert_memory_equal(slab, values + 4, 8);
    assert_true(ztio_read(input, 3, 4, slab, &got, &error));
    assert_int_equal(got, 0);
    ztio_close(input);
    give_back_input();
}

/* Reading four slices of two i32 from a pipe of n bytes fails with these words, or not at all. */
static void read_piped(size_t n, uint64_t slices, const char *words)
{
    const char bytes[64] = {0};
    int32_t slab[64];
    uint64_t got;
    struct ztio_meta hints = meta_of(ZT_I32, 2, (uint64_t[]){slices, 2});
    feed_input(bytes, n);
    struct ztio_input *input = open_place("-", &hints);
    bool is_read = ztio_read(input, 0, 4, slab, &got, &error);
    assert_true(is_read == (words == NULL));
    if (words && !strstr(error.sentence, words))
        fail_msg("'%s' is not in: %s", words, error.sentence);
    if (words)
        assert_int_equal(error.exit_status, ZTIO_BAD_DATA);
    ztio_close(input);
    give_back_input();
}

static void a_pipe_must_hold_its_shape(void **state)
{
    (void)state;
    read_piped(32, 4, NULL);
    read_piped(32, ZT_UNKNOWN, NULL);
    read_piped(24, 4, "standard input ends after 3 of the 4 slices of its shape 4x2");
    read_piped(27, 4, "standard input ends 3 bytes into a slice of 8 bytes");
    read_piped(27, ZT_UNKNOWN, "ends 3 bytes into a slice of 8 bytes (shape ?x2, slowest first");
    read_piped(33, 4, "goes on after its 4x2 array of i32");
    read_piped(3, 4, "ends 3 bytes into a slice");
}

static void a_file_redirected_to_standard_input_is_a_file(void **state)
{
    int32_t values[6] = {1, 2, 3, 4, 5, 6};
    (void)state;
    put_file("a", values, sizeof values);
    int kept = dup(0), fd = open("a", O_RDONLY);
    assert_true(lseek(fd, 8, SEEK_SET) == 8);
    dup2(fd, 0);
    struct ztio_meta hints = meta_of(ZT_I32, 2, (uint64_t[]){ZT_UNKNOWN, 2});
    struct ztio_input *input = open_place("-", &hints);
    assert_true(ztio_is_seekable(input));
    assert_int_equal(ztio_meta_of(input)->shape[0], 2);
    expect_values(input, values + 2, 1);
    ztio_close(input);
    dup2(kept, 0);
    close(kept);
    close(fd);
}

/* ---- npy ----------------------------------------------------------------------------------- */

/* An .npy file as numpy would write it. */
static size_t make_npy(char *out, int version, const char *dictionary, const void *values,
                       size_t value_bytes)
{
    size_t length_bytes = version == 1 ? 2 : 4, n = strlen(dictionary) + 1;
    size_t pad = (64 - (8 + length_bytes + n) % 64) % 64;
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (char)version;
    out[7] = 0;
    for (size_t i = 0; i < length_bytes; i++)
        out[8 + i] = (char)((n + pad) >> 8 * i);
    char *text = out + 8 + length_bytes;
    memcpy(text, dictionary, n - 1);
    memset(text + n - 1, ' ', pad);
    text[n + pad - 1] = '\n';
    memcpy(text + n + pad, values, value_bytes);
    return 8 + length_bytes + n + pad + value_bytes;
}

/* The dictionary for a shape; order is '<', '>' or '='. */
static void describe_npy(char *text, char order, const struct ztio_meta *meta, bool is_fortran)
{
    static const char *const names[] = {"", "f4", "f8", "i4", "i8"};
    int n = sprintf(text, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (", order,
                    names[meta->type], is_fortran ? "True" : "False");
    for (uint32_t i = 0; i < meta->rank; i++)
        n += sprintf(text + n, "%llu,%s", (unsigned long long)meta->shape[i],
                     i + 1 < meta->rank ? " " : "");
    if (meta->rank > 1)
        n--;
    sprintf(text + n, "), }");
}

/* The values in the order and byte order of a file. */
static char *store_npy(const struct ztio_meta *meta, const char *values, char order,
                       bool is_fortran)
{
    size_t bytes = zt_type_bytes(meta->type), n = count_of(meta);
    char *stored = malloc(n * bytes);
    for (size_t i = 0; i < n; i++) {
        size_t rest = i, to = 0, step = n;
        for (uint32_t k = meta->rank; k-- > 0;) {
            step /= (size_t)meta->shape[k];
            to += rest % (size_t)meta->shape[k] * step;
            rest /= (size_t)meta->shape[k];
        }
        char *place = stored + (is_fortran ? to : i) * bytes;
        for (size_t b = 0; b < bytes; b++)
            place[order == '>' ? bytes - 1 - b : b] = values[i * bytes + b];
    }
    return stored;
}

/* Write an .npy file of this kind and read it back in slabs, or from a pipe. */
static void try_npy(const struct ztio_meta *meta, char order, bool is_fortran, int version,
                    bool is_piped, uint64_t step)
{
    char dictionary[256];
    char *values = values_of(meta->type, count_of(meta));
    char *stored = store_npy(meta, values, order, is_fortran);
    size_t bytes = count_of(meta) * zt_type_bytes(meta->type);
    char *file = malloc(bytes + 512);
    describe_npy(dictionary, order, meta, is_fortran);
    size_t n = make_npy(file, version, dictionary, stored, bytes);
    if (is_piped)
        feed_input(file, n);
    else
        put_file("a.npy", file, n);
    struct ztio_input *input = open_place(is_piped ? "-" : "a.npy", NULL);
    assert_int_equal(ztio_meta_of(input)->type, meta->type);
    assert_int_equal(ztio_meta_of(input)->rank, meta->rank);
    assert_memory_equal(ztio_meta_of(input)->shape, meta->shape, meta->rank * sizeof(uint64_t));
    expect_values(input, values, step);
    ztio_close(input);
    if (is_piped)
        give_back_input();
    free(file);
    free(stored);
    free(values);
}

static void npy_files_of_any_order_are_read(void **state)
{
    (void)state;
    for (int t = 0; t < 4; t++)
        for (uint32_t rank = 1; rank <= 4; rank++)
            for (int k = 0; k < 24; k++) {
                struct ztio_meta meta = meta_of(all_types[t], rank, all_shapes[rank - 1]);
                bool is_fortran = k & 1, is_piped = k & 2;
                try_npy(&meta, "<>="[k / 4 % 3], is_fortran, 1 + k % 3, is_piped, k < 12 ? 2 : 7);
            }
}

static void fortran_order_is_gathered_from_large_files(void **state)
{
    (void)state;
    /* columns of 40 kB of which little is wanted, then more than half; of 4.8 MB, more than a
     * window; and many short ones, more than a window of them */
    struct ztio_meta meta = meta_of(ZT_F64, 3, (uint64_t[]){5000, 3, 2});
    try_npy(&meta, '<', true, 1, false, 700);
    try_npy(&meta, '>', true, 1, false, 3000);
    meta = meta_of(ZT_F64, 2, (uint64_t[]){600000, 2});
    try_npy(&meta, '<', true, 1, false, 600000);
    try_npy(&meta, '<', true, 1, false, 550001);
    meta = meta_of(ZT_F32, 3, (uint64_t[]){3, 700, 701});
    try_npy(&meta, '<', true, 1, false, 2);
}

static void npy_files_are_written_as_numpy_writes_them(void **state)
{
    static const char expected[] = "\x93NUMPY\x01\0v\0"
                                   "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }";
    size_t n;
    (void)state;
    struct ztio_meta meta = meta_of(ZT_F64, 2, (uint64_t[]){3, 2});
    void *values = values_of(ZT_F64, 6);
    write_place("a.npy", &meta, 3, values);
    char *file = get_file("a.npy", &n);
    assert_int_equal(n, 128 + 48);
    assert_memory_equal(file, expected, sizeof expected - 1);
    assert_int_equal(file[127], '\n');
    for (size_t i = sizeof expected - 1; i < 127; i++)
        assert_int_equal(file[i], ' ');
    assert_memory_equal(file + 128, values, 48);
    free(file);

    meta.shape[0] = ZT_UNKNOWN; /* the header is written again when the length is known */
    write_place("b.npy", &meta, 3, values);
    struct ztio_input *input = open_place("b.npy", NULL);
    assert_int_equal(ztio_meta_of(input)->shape[0], 3);
    expect_values(input, values, 3);
    ztio_close(input);
    assert_null(ztio_create(
        "/dev/null",
        &(struct ztio_meta){.format = ZTIO_NPY, .type = ZT_F32, .rank = 1, .shape = {ZT_UNKNOWN}},
        false, &error));
    assert_non_null(strstr(error.sentence, "write to a file"));
    free(values);
}

static void npy_round_trips_every_type_and_rank(void **state)
{
    (void)state;
    for (int t = 0; t < 4; t++)
        for (uint32_t rank = 1; rank <= 4; rank++) {
            struct ztio_meta meta = meta_of(all_types[t], rank, all_shapes[rank - 1]);
            void *values = values_of(meta.type, count_of(&meta));
            write_place("a.npy", &meta, meta.shape[0], values);
            struct ztio_input *input = open_place("a.npy", &meta);
            assert_int_equal(ztio_meta_of(input)->format, ZTIO_NPY);
            expect_values(input, values, 3);
            ztio_close(input);
            free(values);
            empty_folder(NULL);
        }
}

static void refuse_npy(const char *dictionary, const char *words)
{
    char file[1024];
    const char values[48] = {0};
    put_file("a.npy", file, make_npy(file, 1, dictionary, values, sizeof values));
    expect_refusal("a.npy", NULL, ZTIO_BAD_DATA, words);
}

static void npy_headers_that_are_wrong_are_refused(void **state)
{
    /* clang-format off */
    static const char *const damaged[] = {
        "", "{", "}", "{}", "[]", "{'descr': '<f4'}", "{'descr': '<f4', 'shape': (3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), 'x': 1}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (3, 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 12}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (12)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-3, 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,, 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 4)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)} more",
        "{'descr': '<f4', 'fortran_order': Fals",
        "{'descr': '<f4", "{'descr", "{'descr'", "{'descr':", "{'descr': [[[[",
    };
    /* clang-format on */
    (void)state;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        refuse_npy(damaged[i], "the .npy header is damaged");
    refuse_npy("{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4)}",
               "dtype <f2 is not one ztile compresses: f4 f8 i4 i8");
    refuse_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4)}", "dtype |u1");
    refuse_npy("{'descr': '', 'fortran_order': False, 'shape': (3, 4)}", "dtype  is not");
    refuse_npy("{'descr': '<f4\x1b[31m', 'fortran_order': False, 'shape': (3, 4)}",
               "dtype <f4?[31m is not");
    refuse_npy("{'descr': [('a', '<f4', (2,)), ('b', '<i8')], 'fortran_order': False, "
               "'shape': (3, 4)}",
               "dtype with fields is not");
    refuse_npy("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", "rank 0");
    refuse_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 3, 4)}", "rank 5");
    refuse_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 0)}", "no values");
    refuse_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5)}",
               "48 bytes are no 3x5 array of f32 (slowest first), which takes 60 bytes");
    refuse_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
               "larger than any file");
}

static void npy_preambles_that_are_wrong_are_refused(void **state)
{
    (void)state;
    put_file("a.npy", "12345678901234567890", 20);
    expect_refusal("a.npy", NULL, ZTIO_BAD_DATA, "is no .npy file");
    put_file("a.npy", "\x93NUMPY\x04\0\x10\0\0\0", 12);
    expect_refusal("a.npy", NULL, ZTIO_BAD_DATA, ".npy version 4.0 is not known");
    put_file("a.npy", "\x93NUMPY\x02\0\xff\xff\xff\xff", 12);
    expect_refusal("a.npy", NULL, ZTIO_BAD_DATA, "4294967295 bytes is not believed");
    put_file("a.npy", "\x93NUMPY\x01\0\x76\0{'descr'", 18);
    expect_refusal("a.npy", NULL, ZTIO_BAD_DATA, "ends within its .npy header");
}

/* Every prefix is refused; with a bit flipped the file is refused or read, but nothing breaks. */
static void damaged_npy_files_are_survived(void **state)
{
    char file[512], slab[48];
    const char values[48] = {0};
    uint64_t got;
    (void)state;
    size_t n = make_npy(file, 1, "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }",
                        values, sizeof values);
    put_file("a.npy", file, n);
    for (size_t i = n; i-- > 0;) {
        assert_int_equal(truncate("a.npy", (off_t)i), 0);
        assert_null(ztio_open("a.npy", NULL, &error));
    }
    put_file("a.npy", file, n);
    int fd = open("a.npy", O_WRONLY);
    for (size_t i = 0; i < (n - sizeof values) * 8; i++) {
        char bent = (char)(file[i / 8] ^ 1 << i % 8);
        if (i % 8 == 0 && i > 0)
            assert_int_equal(pwrite(fd, file + i / 8 - 1, 1, (off_t)(i / 8 - 1)), 1);
        assert_int_equal(pwrite(fd, &bent, 1, (off_t)(i / 8)), 1);
        struct ztio_input *input = ztio_open("a.npy", NULL, &error);
        if (!input)
            continue;
        assert_int_equal(count_of(ztio_meta_of(input)) * zt_type_bytes(ztio_meta_of(input)->type),
                         48);
        assert_true(ztio_read(input, 0, ztio_meta_of(input)->shape[0], slab, &got, &error));
        ztio_close(input);
    }
    close(fd);
}

static void hints_must_agree_with_the_file(void **state)
{
    struct ztio_meta meta = meta_of(ZT_F32, 2, (uint64_t[]){3, 2});
    void *values = values_of(ZT_F32, 6);
    (void)state;
    write_place("a.npy", &meta, 3, values);
    free(values);
    struct ztio_meta hints = {.type = ZT_F64};
    expect_refusal("a.npy", &hints, ZTIO_BAD_USE, "a.npy holds f32, not f64; leave out -t");
    hints = meta_of(0, 2, (uint64_t[]){2, 3});
    expect_refusal("a.npy", &hints, ZTIO_BAD_USE, "has the shape 3x2 (slowest first), not 2x3");
    hints = meta_of(ZT_F32, 2, (uint64_t[]){ZT_UNKNOWN, 2});
    ztio_close(open_place("a.npy", &hints));
}

/* ---- output -------------------------------------------------------------------------------- */

static void nothing_is_left_of_what_is_abandoned(void **state)
{
    (void)state;
    struct ztio_bytes *bytes = ztio_bytes_create("out.zt", NULL, &error);
    assert_non_null(bytes);
    assert_true(ztio_bytes_write(bytes, "half", 4, &error));
    assert_int_equal(entries(), 1);                  /* the temporary name, */
    assert_int_not_equal(access("out.zt", F_OK), 0); /* not the final one */
    ztio_bytes_abandon(bytes);
    assert_int_equal(entries(), 0);
    ztio_bytes_abandon(NULL);
    ztio_abandon(NULL);
    ztio_close(NULL);

    struct ztio_meta meta = meta_of(ZT_F32, 1, (uint64_t[]){2});
    struct ztio_output *output = ztio_create("a.npy", &meta, NULL, &error);
    assert_non_null(output);
    assert_false(ztio_write(output, 3, "123456789012", &error));
    assert_true(ztio_write(output, 1, "1234", &error));
    assert_false(ztio_commit(output, &error)); /* one slice is missing */
    assert_non_null(strstr(error.sentence, "only 1 of 2 slices came"));
    assert_int_equal(entries(), 0);
}

static void a_signal_handler_can_remove_what_is_open(void **state)
{
    (void)state;
    struct ztio_bytes *a = ztio_bytes_create("a", NULL, &error);
    struct ztio_bytes *b = ztio_bytes_create("b", NULL, &error);
    struct ztio_bytes *c = ztio_bytes_create("c", NULL, &error);
    assert_true(ztio_bytes_commit(b, &error));
    assert_int_equal(entries(), 3);
    ztio_abandon_all();
    assert_int_equal(entries(), 1);
    assert_int_equal(access("b", F_OK), 0);
    ztio_bytes_abandon(a);
    assert_false(ztio_bytes_commit(c, &error));
}

static void an_existing_file_is_kept_until_it_is_replaced(void **state)
{
    size_t n;
    struct stat is;
    (void)state;
    put_file("out.zt", "old", 3);
    assert_int_equal(chmod("out.zt", 0640), 0);
    assert_null(ztio_bytes_create("out.zt", NULL, &error));
    assert_string_equal(error.sentence, "out.zt exists; -f overwrites it");
    assert_int_equal(error.exit_status, ZTIO_BAD_USE);

    struct ztio_bytes *bytes = ztio_bytes_create("out.zt", &replace, &error);
    assert_true(ztio_bytes_write(bytes, "newer", 5, &error));
    char *data = get_file("out.zt", &n);
    assert_int_equal(n, 3);
    free(data);
    assert_true(ztio_bytes_commit(bytes, &error));
    data = get_file("out.zt", &n);
    assert_int_equal(n, 5);
    assert_memory_equal(data, "newer", 5);
    free(data);
    assert_int_equal(stat("out.zt", &is), 0);
    assert_int_equal(is.st_mode & 0777, 0640);
    assert_int_equal(entries(), 1);
}

static void a_file_that_appears_meanwhile_is_not_replaced(void **state)
{
    size_t n;
    (void)state;
    struct ztio_bytes *bytes = ztio_bytes_create("out.zt", NULL, &error);
    put_file("out.zt", "theirs", 6);
    assert_false(ztio_bytes_commit(bytes, &error));
    assert_non_null(strstr(error.sentence, "-f overwrites it"));
    free(get_file("out.zt", &n));
    assert_int_equal(n, 6);
    assert_int_equal(entries(), 1);
}

static void new_files_follow_the_umask(void **state)
{
    struct stat is;
    (void)state;
    mode_t kept = umask(027);
    struct ztio_bytes *bytes = ztio_bytes_create("out.zt", NULL, &error);
    umask(kept);
    assert_true(ztio_bytes_commit(bytes, &error));
    assert_int_equal(stat("out.zt", &is), 0);
    assert_int_equal(is.st_mode & 0777, 0640);
}

static void a_link_is_followed(void **state)
{
    struct stat is;
    (void)state;
    put_file("real", "old", 3);
    assert_int_equal(symlink("real", "link"), 0);
    struct ztio_bytes *bytes = ztio_bytes_create("link", &replace, &error);
    assert_true(ztio_bytes_write(bytes, "newer", 5, &error));
    assert_true(ztio_bytes_commit(bytes, &error));
    assert_int_equal(lstat("link", &is), 0);
    assert_true(S_ISLNK(is.st_mode));
    assert_int_equal(stat("real", &is), 0);
    assert_int_equal(is.st_size, 5);

    assert_int_equal(symlink("nowhere", "dangling"), 0);
    assert_null(ztio_bytes_create("dangling", NULL, &error));
    assert_string_equal(error.sentence, "dangling exists; -f overwrites it");
}

static void long_names_are_possible(void **state)
{
    char name[256];
    (void)state;
    memset(name, 'n', 255);
    name[255] = 0;
    struct ztio_bytes *bytes = ztio_bytes_create(name, NULL, &error);
    assert_non_null(bytes);
    assert_true(ztio_bytes_commit(bytes, &error));
    assert_int_equal(access(name, F_OK), 0);
}

static void devices_and_pipes_are_written_directly(void **state)
{
    char got[8] = {0};
    (void)state;
    struct ztio_bytes *bytes = ztio_bytes_create("/dev/null", NULL, &error);
    assert_non_null(bytes);
    assert_true(ztio_bytes_write(bytes, "gone", 4, &error));
    assert_true(ztio_bytes_commit(bytes, &error));
    assert_int_equal(access("/dev/null", F_OK), 0);

    assert_int_equal(mkfifo("fifo", 0600), 0);
    int reader = open("fifo", O_RDONLY | O_NONBLOCK);
    bytes = ztio_bytes_create("fifo", NULL, &error);
    assert_non_null(bytes);
    assert_true(ztio_bytes_write(bytes, "piped", 5, &error));
    assert_true(ztio_bytes_commit(bytes, &error));
    assert_int_equal(read(reader, got, sizeof got), 5);
    close(reader);
    struct stat is;
    assert_int_equal(lstat("fifo", &is), 0);
    assert_true(S_ISFIFO(is.st_mode));
}

static void full_outputs_are_reported(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    struct ztio_bytes *bytes = ztio_bytes_create("/dev/full", NULL, &error);
    assert_non_null(bytes);
    assert_false(ztio_bytes_write(bytes, "x", 1, &error));
    assert_string_equal(error.sentence,
                        "/dev/full: cannot write: No space left on device; free some space");
    assert_int_equal(error.exit_status, ZTIO_IO_ERROR);
    ztio_bytes_abandon(bytes);
}

static void a_full_disk_leaves_no_file(void **state)
{
    (void)state;
    expect_no_space("a.raw", 1 << 20);
    expect_no_space("a.npy", 1 << 20);
}

static void outputs_that_cannot_be_are_refused(void **state)
{
    (void)state;
    assert_int_equal(mkdir("dir", 0777), 0);
    assert_null(ztio_bytes_create("dir", &replace, &error));
    assert_non_null(strstr(error.sentence, "dir is a directory"));
    assert_null(ztio_bytes_create("none/out.zt", NULL, &error));
    assert_string_equal(error.sentence,
                        "cannot create none/out.zt: No such file or directory; check the name");
    assert_null(ztio_bytes_create("new/", NULL, &error));
    assert_null(ztio_bytes_create("", NULL, &error));
    struct ztio_meta meta = {.type = ZT_F32, .rank = 5, .shape = {1, 1, 1, 1}};
    assert_null(ztio_create("a.npy", &meta, NULL, &error));
    meta = (struct ztio_meta){.format = ZTIO_HDF5, .type = ZT_F32, .rank = 1, .shape = {1}};
    assert_null(ztio_create("/dev/null", &meta, NULL, &error));
    assert_null(ztio_create("-", &meta, NULL, &error));
    assert_non_null(strstr(error.sentence, "go to files only"));
    assert_int_equal(entries(), 1);
}

static void a_plain_file_is_its_own_place(void **state)
{
    char **places;
    size_t count;
    (void)state;
    put_file("a_1x2.f32", "12345678", 8);
    assert_true(ztio_places("a_1x2.f32", &places, &count, &error));
    assert_int_equal(count, 1);
    assert_string_equal(places[0], "a_1x2.f32");
    ztio_places_free(places, count);
    assert_true(ztio_places("-", &places, &count, &error));
    assert_string_equal(places[0], "-");
    ztio_places_free(places, count);
    ztio_places_free(NULL, 0);
    assert_false(ztio_places("none", &places, &count, &error));
}

#define TEST(name) cmocka_unit_test_teardown(name, empty_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(shapes_are_parsed_and_formatted),
        TEST(what_is_no_shape_is_refused),
        TEST(types_have_names),
        TEST(raw_files_come_back_in_slabs),
        TEST(raw_bytes_are_little_endian),
        TEST(names_tell_type_and_shape),
        TEST(a_lone_number_is_a_shape_only_if_it_fits),
        TEST(raw_sizes_must_fit),
        TEST(what_is_not_known_is_asked_for),
        TEST(what_cannot_be_opened_is_named),
        TEST(a_colon_may_be_part_of_a_name),
        TEST(slices_out_of_range_are_refused),
        TEST(a_file_cut_while_it_is_read_is_noticed),
        TEST(a_pipe_of_unknown_length_is_read_to_its_end),
        TEST(a_pipe_must_hold_its_shape),
        TEST(a_file_redirected_to_standard_input_is_a_file),
        TEST(npy_files_of_any_order_are_read),
        TEST(fortran_order_is_gathered_from_large_files),
        TEST(npy_files_are_written_as_numpy_writes_them),
        TEST(npy_round_trips_every_type_and_rank),
        TEST(npy_headers_that_are_wrong_are_refused),
        TEST(npy_preambles_that_are_wrong_are_refused),
        TEST(damaged_npy_files_are_survived),
        TEST(hints_must_agree_with_the_file),
        TEST(nothing_is_left_of_what_is_abandoned),
        TEST(a_signal_handler_can_remove_what_is_open),
        TEST(an_existing_file_is_kept_until_it_is_replaced),
        TEST(a_file_that_appears_meanwhile_is_not_replaced),
        TEST(new_files_follow_the_umask),
        TEST(a_link_is_followed),
        TEST(long_names_are_possible),
        TEST(devices_and_pipes_are_written_directly),
        TEST(full_outputs_are_reported),
        TEST(a_full_disk_leaves_no_file),
        TEST(outputs_that_cannot_be_are_refused),
        TEST(a_plain_file_is_its_own_place),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
