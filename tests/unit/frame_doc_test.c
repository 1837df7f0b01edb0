/* frame_doc_test.c: the worked examples of docs/format/zt.md and docs/format/zti.md: their bytes
 * decode to their values, and their values are compressed to their bytes. */
#include "unit/frame_support.h"
#include "ztile_zfp.h"
#include "ztile_expert.h"

enum { SIDE = 5, VALUES = SIDE * SIDE, FILE_CAPACITY = 1024 };

/* The text of the fenced block of this kind. */
static char *block_of(const char *text, const char *kind)
{
    char fence[32];
    (void)snprintf(fence, sizeof fence, "\n```%s\n", kind);
    const char *from = strstr(text, fence);
    assert_non_null(from);
    from += strlen(fence);
    const char *to = strstr(from, "```");
    assert_non_null(to);
    char *block = (char *)need((size_t)(to - from) + 1);
    memcpy(block, from, (size_t)(to - from));
    block[to - from] = 0;
    return block;
}

static char *read_document(const char *name)
{
    char path[4096];
    size_t n;
    (void)snprintf(path, sizeof path, "%s/docs/%s", ZTILE_SOURCE_DIR, name);
    char *text = (char *)read_file(path, &n);
    assert_non_null(text);
    text = (char *)realloc(text, n + 1);
    assert_non_null(text);
    text[n] = 0;
    return text;
}

static size_t parse_hex(char *block, unsigned char *bytes)
{
    size_t n = 0;
    for (char *at = block, *end; n < FILE_CAPACITY; at = end, n++) {
        unsigned long byte = strtoul(at, &end, 16);
        if (end == at)
            break;
        assert_true(byte < 256);
        bytes[n] = (unsigned char)byte;
    }
    free(block);
    return n;
}

static void parse_values(char *block, float *values)
{
    char *at = block;
    for (size_t i = 0; i < VALUES; i++) {
        char *end;
        values[i] = strtof(at, &end);
        assert_true(end != at);
        at = end;
    }
    free(block);
}

static void the_worked_example_of_the_document_is_true(void **state)
{
    (void)state;
    char *text = read_document("format/zt.md");
    unsigned char file[FILE_CAPACITY], made[FILE_CAPACITY];
    float original[VALUES], decoded[VALUES], out[VALUES];
    size_t n = parse_hex(block_of(text, "hex"), file), made_bytes = 0;
    parse_values(block_of(text, "values"), original);
    parse_values(block_of(text, "decoded"), decoded);

    zt_array a = zt_array_2d(original, ZT_F32, SIDE, SIDE);
    zt_array b = zt_array_2d(out, ZT_F32, SIDE, SIDE);
    zt_params p = params_of(zt_abs(0.05));
    zt_params_set_zfp_words(&p, 8);
    p.name = "height";
    p.units = "m";
    assert_int_equal(zt_compress(NULL, &a, &p, made, sizeof made, &made_bytes), ZT_OK);
    for (size_t i = 0; i < made_bytes && (made_bytes != n || memcmp(file, made, n)); i++)
        print_message("%02x%c", made[i], i % 16 == 15 || i + 1 == made_bytes ? '\n' : ' ');
    assert_int_equal(made_bytes, n);
    assert_memory_equal(made, file, n);
    assert_int_equal(zt_decompress(NULL, file, n, &b), ZT_OK);
    assert_memory_equal(out, decoded, sizeof out);
    free(text);
}

/* Each row "| at | `bytes` ... |" of an example's table is what the file has there. Returns how
 * many rows there are. */
static size_t check_table(const char *text)
{
    unsigned char file[FILE_CAPACITY];
    size_t n = parse_hex(block_of(text, "hex"), file), rows = 0;
    const char *line = strstr(text, "| at | bytes | meaning |");
    assert_non_null(line);
    for (; line[0] == '|'; line = strchr(line, '\n') + 1) {
        size_t at;
        int used = 0;
        if (sscanf(line, "| %zu | %n", &at, &used) != 1 || line[used] != '`')
            continue;
        rows++;
        for (const char *c = line + used; *c != '|'; c++) {
            unsigned byte;
            if (sscanf(c, "%2x", &byte) != 1 || *c == ' ')
                continue;
            assert_true(at < n);
            assert_int_equal(file[at], byte);
            at++;
            c++;
        }
    }
    return rows;
}

static void the_tables_of_the_examples_fit_their_bytes(void **state)
{
    (void)state;
    char *file = read_document("format/zt.md"), *index = read_document("format/zti.md");
    assert_true(check_table(file) >= 30);
    assert_true(check_table(index) >= 14);
    free(file);
    free(index);
}

/* The index of the example's stream is the example's file, and decodes the stream. */
static void the_worked_example_of_an_index_is_true(void **state)
{
    (void)state;
    char *text = read_document("format/zt.md"), *page = read_document("format/zti.md");
    unsigned char stream[FILE_CAPACITY], file[FILE_CAPACITY], made[FILE_CAPACITY];
    float original[VALUES], decoded[VALUES], out[VALUES];
    const size_t stream_bytes = parse_hex(block_of(page, "stream"), stream);
    const size_t n = parse_hex(block_of(page, "hex"), file);
    size_t made_bytes = 0;
    parse_values(block_of(text, "values"), original);
    const zt_array a = zt_array_2d(original, ZT_F32, SIDE, SIDE);
    const zt_array b = zt_array_2d(out, ZT_F32, SIDE, SIDE);
    const zt_array c = zt_array_2d(decoded, ZT_F32, SIDE, SIDE);
    zt_zfp zfp;
    zt_zfp_index index;
    assert_int_equal(zt_zfp_init(&zfp, sizeof zfp), ZT_OK);
    assert_int_equal(zt_zfp_set_accuracy(&zfp, 0.05, NULL), ZT_OK);
    zfp.word_bits = 8;
    zfp.flags = ZT_ZFP_HEADER;
    assert_int_equal(zt_zfp_index_init(&index, sizeof index), ZT_OK);
    index.kind = ZT_INDEX_LENGTHS;
    index.chunk = 1;
    index.bytes = file + n;
    index.capacity_bytes = sizeof file - n;
    assert_int_equal(
        zt_zfp_compress_indexed(NULL, &a, &zfp, made, sizeof made, &made_bytes, &index), ZT_OK);
    assert_int_equal(made_bytes, stream_bytes);
    assert_memory_equal(made, stream, stream_bytes);
    assert_int_equal(index.index_bytes, n);
    assert_memory_equal(index.bytes, file, n);
    index.bytes = file;
    assert_int_equal(zt_zfp_decompress_indexed(NULL, stream, stream_bytes, &zfp, &index, &b, NULL),
                     ZT_OK);
    assert_int_equal(zt_zfp_decompress(NULL, stream, stream_bytes, &zfp, &c, NULL), ZT_OK);
    assert_memory_equal(out, decoded, sizeof out);
    free(text);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_example_of_the_document_is_true),
        cmocka_unit_test(the_tables_of_the_examples_fit_their_bytes),
        cmocka_unit_test(the_worked_example_of_an_index_is_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
