/* frame_doc_test.c: the worked example of docs/format.md: its bytes decode to its values, and its
 * values are compressed to its bytes. */
#include "unit/frame_support.h"

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

static char *read_document(void)
{
    size_t n;
    char *text = (char *)read_file(ZTILE_SOURCE_DIR "/docs/format.md", &n);
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
    char *text = read_document();
    unsigned char file[FILE_CAPACITY], made[FILE_CAPACITY];
    float original[VALUES], decoded[VALUES], out[VALUES];
    size_t n = parse_hex(block_of(text, "hex"), file), made_bytes = 0;
    parse_values(block_of(text, "values"), original);
    parse_values(block_of(text, "decoded"), decoded);

    zt_array a = zt_array_2d(original, ZT_F32, SIDE, SIDE);
    zt_array b = zt_array_2d(out, ZT_F32, SIDE, SIDE);
    zt_params p = params_of(zt_abs(0.05));
    p.zfp_word_bits = 8;
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

/* Each row "| at | `bytes` ... |" of the example's table is what the file has there. */
static void the_table_of_the_example_fits_its_bytes(void **state)
{
    (void)state;
    char *text = read_document();
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
    assert_true(rows >= 30);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_example_of_the_document_is_true),
        cmocka_unit_test(the_table_of_the_example_fits_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
