/* ndzip_vectors_test.c: the reference's own streams, both directions, byte for byte, under every
 * instruction set and policy.
 *
 *     ndzip_vectors_test VECTORS_DIR [--cuda [MOST_BYTES]]
 *
 * With --cuda under that policy only, and of inputs of at most so many bytes.
 *
 * VECTORS_DIR holds MANIFEST.tsv, inputs (*.raw) and streams (*.ndz); the README beside them has
 * the formulas of the inputs that are not files. Large streams are known by SHA-256 only. */
#include "golden/golden.h"
#include "support/sha256.h"
#include "support/support.h"
#include "ztile_ndzip.h"
#include "ztile_expert.h"

#include <stdlib.h>
#include <string.h>

struct row {
    char *name, *type, *dims, *input, *input_bytes, *input_sum, *stream, *stream_bytes, *stream_sum;
};

struct run {
    const char *dir;
    zt_context *context;
    const char *how; /* instruction set and policy, for messages */
    unsigned rows, passes, failures;
    bool is_cuda;
    size_t most_bytes;
};

static void complain(struct run *run, const struct row *row, const char *what)
{
    run->failures++;
    printf("%s (%s): %s: %s\n", row->name, run->how, what, zt_context_error(run->context));
}

/* ---- inputs ---- */

static uint64_t formula_noise(uint64_t seed, uint64_t i)
{
    uint64_t t = seed + (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    t = (t ^ (t >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    t = (t ^ (t >> 27)) * UINT64_C(0x94D049BB133111EB);
    return t ^ (t >> 31);
}

static const uint32_t special32[16] = {
    0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F800001, 0xFFBFFFFF,
    0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0x3F800000, 0xBF800000};
static const uint64_t special64[16] = {
    0x0000000000000000, 0x8000000000000000, 0x7FF0000000000000, 0xFFF0000000000000,
    0x7FF8000000000000, 0xFFF8000000000001, 0x7FF0000000000001, 0xFFF7FFFFFFFFFFFF,
    0x0000000000000001, 0x8000000000000001, 0x000FFFFFFFFFFFFF, 0x800FFFFFFFFFFFFF,
    0x0010000000000000, 0x7FEFFFFFFFFFFFFF, 0x3FF0000000000000, 0xBFF0000000000000};

static double poly(uint64_t r, int64_t x, int64_t y, int64_t z)
{
    const int64_t q = 3 * x * x + 5 * y * y + 7 * z * z + 11 * x * y - 13 * y * z + 2 * x * z +
                      1000 * x - 700 * y + 300 * z;
    return (double)(64 * q + (int64_t)(r >> 58)) / 1048576.0;
}

static void put_number(void *to, bool is_double, double v)
{
    const float f = (float)v;
    if (is_double)
        memcpy(to, &v, sizeof v);
    else
        memcpy(to, &f, sizeof f);
}

/* Element i, at x, y, z, of a formula. */
static void put_element(const char *formula, bool is_double, uint64_t i, const uint64_t *xyz,
                        void *to)
{
    const char *open = strchr(formula, '(');
    const uint64_t r = formula_noise(open ? strtoull(open + 1, NULL, 10) : 0, i);
    const uint64_t noise = is_double ? r : r >> 32;
    const size_t bytes = is_double ? 8 : 4;
    uint64_t bits = 0;
    if (strncmp(formula, "ramp", 4) == 0) {
        put_number(to, is_double, (double)i);
        return;
    }
    if (strncmp(formula, "poly", 4) == 0) {
        put_number(to, is_double, poly(r, (int64_t)xyz[0], (int64_t)xyz[1], (int64_t)xyz[2]));
        return;
    }
    if (strncmp(formula, "sparse", 6) == 0) {
        put_number(to, is_double,
                   (r >> 32) % 37 == 0 ? (double)((int64_t)(r & 65535) - 32768) / 16 : 0.0);
        return;
    }
    if (strncmp(formula, "const", 5) == 0) {
        put_number(to, is_double, -1.1);
        return;
    }
    if (strncmp(formula, "noise", 5) == 0)
        bits = noise;
    else if (strncmp(formula, "special", 7) == 0)
        bits = (r >> 8) % 8 == 0 ? noise : is_double ? special64[r & 15] : special32[r & 15];
    memcpy(to, &bits, bytes);
}

static unsigned char *load_input(struct run *run, const struct row *row, const zt_array *array,
                                 size_t bytes)
{
    char path[4096];
    size_t found = 0;
    if (strncmp(row->input, "formula:", 8) != 0) {
        snprintf(path, sizeof path, "%s/%s", run->dir, row->input);
        unsigned char *memory = read_file(path, &found);
        if (!memory || found != bytes) {
            complain(run, row, "the input cannot be read");
            free(memory);
            return NULL;
        }
        return memory;
    }
    const bool is_double = array->type == ZT_F64;
    const size_t value_bytes = is_double ? 8 : 4;
    unsigned char *memory = need(bytes + 1);
    for (uint64_t i = 0; i < bytes / value_bytes; i++) {
        uint64_t xyz[3] = {0, 0, 0}, rest = i;
        for (uint32_t k = 0; k < array->rank; k++) {
            xyz[k] = rest % array->shape[array->rank - 1 - k];
            rest /= array->shape[array->rank - 1 - k];
        }
        put_element(row->input + 8, is_double, i, xyz, memory + i * value_bytes);
    }
    return memory;
}

/* ---- checks ---- */

static bool has_sum(const void *data, size_t bytes, const char *sum)
{
    char text[65];
    sha256_text(data, bytes, text);
    return strcmp(text, sum) == 0;
}

/* The stream in a buffer that is exactly as long, decoded into memory with a pattern. */
static void check_decode(struct run *run, const struct row *row, const zt_array *array,
                         const unsigned char *stream, size_t stream_bytes, size_t raw_bytes)
{
    unsigned char *copy = need(stream_bytes + 1), *out = need(raw_bytes + 1);
    size_t consumed = 0;
    zt_array to = *array;
    memcpy(copy, stream, stream_bytes);
    memset(out, 0xa5, raw_bytes + 1);
    to.data = out;
    if (zt_ndzip_decompress(run->context, copy, stream_bytes, &to, &consumed) != ZT_OK)
        complain(run, row, "decoding failed");
    else if (consumed != stream_bytes)
        complain(run, row, "decoding stopped elsewhere");
    else if (memcmp(out, array->data, raw_bytes) != 0 || out[raw_bytes] != 0xa5)
        complain(run, row, "the decoded array differs");
    if (stream_bytes > 0 &&
        zt_ndzip_decompress(run->context, copy, stream_bytes - 1, &to, NULL) != ZT_CORRUPT)
        complain(run, row, "a stream cut short is accepted");
    free(copy);
    free(out);
}

/* One row under the present instruction set and policy. *known is its stream, once one pass has
 * found the right one. */
static void check_pass(struct run *run, const struct row *row, const zt_array *array,
                       size_t raw_bytes, unsigned char **known)
{
    const size_t wanted_bytes = strtoull(row->stream_bytes, NULL, 10);
    size_t capacity = 0, bytes = 0;
    if (zt_ndzip_compress_bound(run->context, array, &capacity) != ZT_OK || capacity < wanted_bytes)
        complain(run, row, "the bound is too small");
    unsigned char *stream = need(capacity + 1);
    memset(stream, 0x5a, capacity + 1);
    if (zt_ndzip_compress(run->context, array, stream, capacity, &bytes) != ZT_OK)
        complain(run, row, "encoding failed");
    else if (bytes != wanted_bytes || stream[capacity] != 0x5a ||
             !(*known ? memcmp(stream, *known, bytes) == 0
                      : has_sum(stream, bytes, row->stream_sum)))
        complain(run, row, "the stream differs");
    else if (!*known)
        *known = memcpy(need(bytes + 1), stream, bytes);
    check_decode(run, row, array, stream, bytes, raw_bytes);
    free(stream);
    run->passes++;
}

/* The streams that are files must be those that the sums are of. */
static void check_file(struct run *run, const struct row *row, const unsigned char *known)
{
    char path[4096];
    size_t found = 0;
    if (row->stream[0] == '-')
        return;
    snprintf(path, sizeof path, "%s/%s", run->dir, row->stream);
    unsigned char *wanted = read_file(path, &found);
    if (!wanted || !known || found != strtoull(row->stream_bytes, NULL, 10) ||
        memcmp(wanted, known, found) != 0)
        complain(run, row, "the stored stream differs");
    free(wanted);
}

static void check_row(struct run *run, const struct row *row)
{
    uint64_t shape[ZT_MAX_RANK] = {0};
    uint32_t rank = 0;
    char *dims = row->dims, how[64] = "input";
    run->how = how;
    for (; rank < 3 && dims && *dims; rank++) {
        shape[rank] = strtoull(dims, &dims, 10);
        dims += *dims == 'x';
    }
    zt_array array =
        zt_array_nd(NULL, strcmp(row->type, "double") == 0 ? ZT_F64 : ZT_F32, rank, shape);
    const size_t raw_bytes = strtoull(row->input_bytes, NULL, 10);
    if (raw_bytes > run->most_bytes)
        return;
    unsigned char *raw = load_input(run, row, &array, raw_bytes), *known = NULL;
    if (!raw)
        return;
    array.data = raw;
    if (!has_sum(raw, raw_bytes, row->input_sum))
        complain(run, row, "the input is another");
    if (run->is_cuda) {
        snprintf(how, sizeof how, "cuda");
        check_pass(run, row, &array, raw_bytes, &known);
    }
    int ways = 2; /* serial and omp */
    for (uint32_t isa = ZT_ISA_AVX512 + 1; !run->is_cuda && isa-- > ZT_ISA_PLAIN;) {
        const zt_omp three = {.threads = 3, .grain = 1};
        (void)zt_context_set_isa(run->context, (zt_isa)isa);
        if ((uint32_t)zt_context_isa(run->context) != isa)
            continue;
        for (int is_parallel = 0; is_parallel < ways; is_parallel++) {
            if ((is_parallel ? zt_context_set_omp(run->context, &three)
                             : zt_context_set_policy(run->context, ZT_SERIAL)) != ZT_OK)
                continue;
            snprintf(how, sizeof how, "%s, %s", zt_isa_name((zt_isa)isa),
                     is_parallel ? "omp" : "serial");
            check_pass(run, row, &array, raw_bytes, &known);
        }
        ways = TEST_SHARE > 1 ? 1 : 2; /* threads do the same with each instance */
    }
    check_file(run, row, known);
    free(known);
    free(raw);
    run->rows++;
}

/* Cut a line into the columns of MANIFEST.tsv. */
static bool parse_row(char *line, struct row *row)
{
    char *cell[9];
    int columns = 0;
    for (; line && columns < 9; columns++) {
        cell[columns] = line;
        line = strchr(line, '\t');
        if (line)
            *line++ = 0;
    }
    if (columns == 9)
        *row = (struct row){cell[0], cell[1], cell[2], cell[3], cell[4],
                            cell[5], cell[6], cell[7], cell[8]};
    return columns == 9 && !line;
}

static void check_all(struct run *run, const char *manifest, size_t manifest_bytes)
{
    char *text = need(manifest_bytes + 1);
    memcpy(text, manifest, manifest_bytes);
    text[manifest_bytes] = 0;
    for (char *line = text; line && *line;) {
        struct row row;
        char *next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        if (*line != '#') {
            if (parse_row(line, &row)) {
                check_row(run, &row);
            } else {
                printf("MANIFEST.tsv: a line without nine columns\n");
                run->failures++;
            }
        }
        line = next;
    }
    free(text);
}

int ndzip_vectors(int argc, char **argv)
{
    if (argc < 2 || argc > 4 || (argc > 2 && strcmp(argv[2], "--cuda") != 0)) {
        fprintf(stderr, "use: ndzip_vectors_test VECTORS_DIR [--cuda [MOST_BYTES]]\n");
        return 2;
    }
    struct run run = {.dir = argv[1], .is_cuda = argc > 2};
    run.most_bytes = TEST_SHARE > 1 ? 1000000 : SIZE_MAX;
    if (argc > 3)
        run.most_bytes = strtoull(argv[3], NULL, 10);
    char path[4096];
    size_t manifest_bytes = 0;
    snprintf(path, sizeof path, "%s/MANIFEST.tsv", argv[1]);
    unsigned char *manifest = read_file(path, &manifest_bytes);
    if (!manifest) {
        printf("SKIP: no golden ndzip streams in %s (ZTILE_SHARED_DIR says where they are)\n",
               argv[1]);
        return TEST_SKIPPED;
    }
    if (zt_context_new(NULL, &run.context) != ZT_OK)
        return 1;
    if (run.is_cuda && zt_context_set_policy(run.context, ZT_CUDA) != ZT_OK) {
        printf("SKIP: %s\n", zt_context_error(run.context));
        return TEST_SKIPPED;
    }
    check_all(&run, (const char *)manifest, manifest_bytes);
    printf("%u rows, %u passes over one, %u failures\n", run.rows, run.passes, run.failures);
    if (run.rows == 0)
        run.failures++;
    zt_context_free(run.context);
    free(manifest);
    return run.failures ? 1 : 0;
}
