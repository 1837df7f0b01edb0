/* zfp_vectors_test.c: upstream's own streams, both directions, byte for byte.
 *
 *     zfp_vectors_test VECTORS_DIR LIST [--write-list | --every-way]
 *
 * VECTORS_DIR holds MANIFEST.tsv, streams.bin and in/ (written by libzfp 1.0.1, 64-bit words, and
 * for the rows .w8, .w16, .w32 the same version built with those). Everything goes through
 * ZT_ZFP_AS_LIBZFP. LIST is the checked-in list of the rows that need that flag: the test fails
 * where a row joins or leaves it; --write-list writes it anew. --every-way takes each row through
 * all policies, index layouts and boxes instead. */
#include "golden/golden.h"
#include "golden/vectors.h"
#include "support/every_way.h"
#include "ztile_expert.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct run {
    const char *dir;
    zt_context *context;
    unsigned char *streams;
    size_t streams_bytes;
    FILE *list; /* of the rows that need the flag, as found in this run */
    unsigned failures;
    unsigned rows, encoded, decoded, need_flag;
    bool is_every_way;
    struct every_way_tally ways;
};

static void complain(struct run *run, const struct vector_row *row, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void complain(struct run *run, const struct vector_row *row, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (++run->failures <= 40) {
        printf("%s: ", row->at[ID]);
        vprintf(format, args);
        printf(" [%s %s %s %s %s %s header %s, words of %s bits, flags %s]\n", row->at[TYPE],
               row->at[SET], row->at[P1], row->at[P2], row->at[P3], row->at[P4], row->at[HEADER],
               row->at[WORDBITS], row->at[FLAGS]);
    }
    va_end(args);
}

/* ---- parameters ---- */

/* The setter that the row names, and what it returns as libzfp's. */
static double apply_setter(struct run *run, struct vector_row *row)
{
    const char *set = row->at[SET];
    double value = strtod(row->at[P1], NULL), actual = 0;
    uint32_t planes = 0;
    zt_status s = ZT_BAD_ARG;

    if (strcmp(set, "rate") == 0) {
        s = zt_zfp_set_rate(&row->zfp, value, (zt_type)row->type, row->rank,
                            (int)number(row->at[P2]), &actual);
    } else if (strcmp(set, "prec") == 0) {
        s = zt_zfp_set_precision(&row->zfp, (uint32_t)number(row->at[P1]), &planes);
        actual = planes;
    } else if (strcmp(set, "acc") == 0) {
        s = zt_zfp_set_accuracy(&row->zfp, value, &actual);
    } else if (strcmp(set, "rev") == 0) {
        s = zt_zfp_set_reversible(&row->zfp);
    } else if (strcmp(set, "expert") == 0) {
        s = zt_zfp_set_expert(&row->zfp, (uint32_t)number(row->at[P1]),
                              (uint32_t)number(row->at[P2]), (uint32_t)number(row->at[P3]),
                              (int32_t)strtol(row->at[P4], NULL, 10));
        actual = s == ZT_OK;
    }
    if (s != ZT_OK)
        complain(run, row, "the setter failed: %s", zt_strerror(s));
    return actual;
}

static const char *const mode_names[] = {"null",      "expert",   "rate",
                                         "precision", "accuracy", "reversible"};

static void check_parameters(struct run *run, struct vector_row *row)
{
    zt_zfp *z = &row->zfp;
    if (zt_zfp_init(z, sizeof *z) != ZT_OK)
        complain(run, row, "zt_zfp_init failed");
    z->word_bits = (uint32_t)number(row->at[WORDBITS]);
    double actual = apply_setter(run, row);

    if (actual != strtod(row->at[SET_RETURN], NULL))
        complain(run, row, "the setter returned %.17g, not %s", actual, row->at[SET_RETURN]);
    if (z->minbits != number(row->at[MINBITS]) || z->maxbits != number(row->at[MAXBITS]) ||
        z->maxprec != number(row->at[MAXPREC]) ||
        z->minexp != (int32_t)strtol(row->at[MINEXP], NULL, 10))
        complain(run, row, "parameters are %u %u %u %d", z->minbits, z->maxbits, z->maxprec,
                 z->minexp);
    zt_zfp_mode mode = zt_zfp_mode_of(z);
    if (strcmp(mode_names[mode], row->at[MODE]) != 0)
        complain(run, row, "mode is %s, not %s", mode_names[mode], row->at[MODE]);
    uint64_t code = zt_zfp_mode_code(z);
    if (code != number(row->at[MODE_CODE]))
        complain(run, row, "mode code is 0x%llx, not %s", (unsigned long long)code,
                 row->at[MODE_CODE]);
    zt_array a = zt_array_nd(NULL, (zt_type)row->type, row->rank, row->shape);
    zt_status s = zt_zfp_field_code(&a, &code);
    if (s != ZT_OK || code != number(row->at[METADATA]))
        complain(run, row, "field code is 0x%llx, not %s", (unsigned long long)code,
                 row->at[METADATA]);
    z->flags = ZT_ZFP_AS_LIBZFP | (number(row->at[HEADER]) ? ZT_ZFP_HEADER : 0);
}

/* libzfp's own maximum, but for streams that are longer than that. */
static size_t check_bound(struct run *run, const struct vector_row *row)
{
    zt_array a = zt_array_nd(NULL, (zt_type)row->type, row->rank, row->shape);
    size_t bound = 0, max_size = (size_t)number(row->at[MAX_SIZE]);
    zt_status s = zt_zfp_compress_bound(run->context, &a, &row->zfp, &bound);
    if (s != ZT_OK)
        complain(run, row, "no bound: %s", zt_context_error(run->context));
    bool is_longer = has_flag(row, "undersized") && row->at[KIND][0] == 'E';
    if (is_longer ? bound < row->zbytes : bound != max_size)
        complain(run, row, "bound is %zu, not %zu (stream: %zu)", bound, max_size, row->zbytes);
    return bound;
}

/* ---- both directions ---- */

static void check_header(struct run *run, const struct vector_row *row, const unsigned char *stream,
                         size_t bytes)
{
    zt_zfp z = row->zfp;
    zt_array a;
    uint32_t bits = 0;
    /* a header cannot hold minbits 0 or maxbits 0: they come back as 1 */
    bool has_all_limits = z.minbits && z.maxbits;
    zt_status s = zt_zfp_read_header(run->context, stream, bytes, &z, &a, &bits);
    if (s != ZT_OK)
        complain(run, row, "the header is refused: %s", zt_context_error(run->context));
    else if (bits != number(row->at[HEADER_BITS]))
        complain(run, row, "the header has %u bits, not %s", bits, row->at[HEADER_BITS]);
    else if (a.type != row->type || a.rank != row->rank ||
             memcmp(a.shape, row->shape, row->rank * sizeof *a.shape) != 0)
        complain(run, row, "the header describes another array");
    else if (has_all_limits && zt_zfp_mode_code(&z) != number(row->at[MODE_CODE]))
        complain(run, row, "the header gives other parameters");
}

/* Decode 'bytes' bytes at 'stream', into contiguous memory and with the row's own strides. */
static void check_decode(struct run *run, const struct vector_row *row, const unsigned char *stream,
                         size_t bytes)
{
    size_t consumed = 0, out_bytes = values_of(row->rank, row->shape) * zt_type_bytes(row->type);
    uint64_t wanted = strtoull(row->at[DECFNV], NULL, 16);
    unsigned char *out = need(out_bytes);
    zt_array a = zt_array_nd(out, (zt_type)row->type, row->rank, row->shape);

    zt_status s = zt_zfp_decompress(run->context, stream, bytes, &row->zfp, &a, &consumed);
    if (s != ZT_OK)
        complain(run, row, "decoding failed: %s", zt_context_error(run->context));
    else if (fnv1a64(out, out_bytes) != wanted)
        complain(run, row, "decoded values differ");
    else if (consumed != row->consumed)
        complain(run, row, "decoding consumed %zu bytes, not %zu", consumed, row->consumed);

    struct test_array strided = test_array_new(row->type, row->rank, row->shape, row->stride);
    s = zt_zfp_decompress(run->context, stream, bytes, &row->zfp, &strided.array, NULL);
    gather(&strided.array, out);
    if (s != ZT_OK || fnv1a64(out, out_bytes) != wanted)
        complain(run, row, "decoded values differ with strides");
    else if (!gaps_are_untouched(&strided))
        complain(run, row, "decoding wrote between the elements");
    test_array_free(&strided);
    free(out);
    run->decoded++;
}

/* A row that is refused without ZT_ZFP_AS_LIBZFP goes to the list; where it is not refused, the
 * flag must change nothing. */
static void check_without_flag(struct run *run, const struct vector_row *row, const zt_array *array,
                               const unsigned char *stream, size_t bytes, size_t capacity)
{
    zt_zfp z = row->zfp;
    z.flags &= ~ZT_ZFP_AS_LIBZFP;
    unsigned char *again = need(capacity);
    size_t again_bytes = 0;
    zt_status s = zt_zfp_compress(run->context, array, &z, again, capacity, &again_bytes);
    if (s == ZT_OK) {
        if (again_bytes != bytes || memcmp(stream, again, bytes) != 0)
            complain(run, row, "the stream differs without ZT_ZFP_AS_LIBZFP");
    } else if (s == ZT_NONFINITE || s == ZT_UNSUPPORTED) {
        run->need_flag++;
        fprintf(run->list, "%s\t%s\t%s\t%s\t%s\n", row->at[ID],
                s == ZT_NONFINITE ? "nonfinite" : "undecodable", row->at[TYPE], row->at[MODE],
                row->at[FLAGS]);
    } else {
        complain(run, row, "refused without ZT_ZFP_AS_LIBZFP: %s", zt_context_error(run->context));
    }
    free(again);
}

static void check_encode(struct run *run, const struct vector_row *row, size_t bound)
{
    zt_array array;
    void *memory = vector_input(run->dir, row, &array);
    if (!memory) {
        complain(run, row, "input %s cannot be read or is too short", row->at[INPUT]);
        return;
    }
    size_t capacity = bound > row->zbytes ? bound : row->zbytes, bytes = 0;
    /* the zeros behind are for v1250, whose decoder reads more than the encoder wrote */
    unsigned char *stream = need(capacity + 4096);
    memset(stream, 0, capacity + 4096);
    zt_status s = zt_zfp_compress(run->context, &array, &row->zfp, stream, bound, &bytes);
    if (s != ZT_OK) {
        complain(run, row, "encoding failed: %s", zt_context_error(run->context));
    } else {
        bool is_stored = row->at[ZOFFSET][0] != '-';
        const unsigned char *wanted = is_stored ? run->streams + number(row->at[ZOFFSET]) : NULL;
        if (bytes != row->zbytes)
            complain(run, row, "the stream has %zu bytes, not %zu", bytes, row->zbytes);
        else if (fnv1a64(stream, bytes) != strtoull(row->at[ZFNV], NULL, 16))
            complain(run, row, "the stream differs");
        else if (wanted && memcmp(stream, wanted, bytes) != 0)
            complain(run, row, "the stream has the hash and differs");
        run->encoded++;
        check_without_flag(run, row, &array, stream, bytes, capacity);
        size_t there = row->consumed > bytes ? row->consumed : bytes;
        if (number(row->at[HEADER]))
            check_header(run, row, stream, bytes);
        check_decode(run, row, stream, there);
    }
    free(stream);
    free(memory);
}

/* Random bits: what is behind them may be read, and reads as zero. */
static void check_decode_only(struct run *run, const struct vector_row *row)
{
    size_t room = row->zbytes > row->consumed ? row->zbytes : row->consumed;
    unsigned char *padded = need(room + 4096);
    memset(padded, 0, room + 4096);
    memcpy(padded, run->streams + number(row->at[ZOFFSET]), row->zbytes);
    check_decode(run, row, padded, room + 4096);
    check_decode(run, row, padded, row->consumed);
    free(padded);
}

/* A row in every way. That its stream is upstream's is the business of the run without. */
static void check_every_way(struct run *run, const struct vector_row *row)
{
    char why[EVERY_WAY_WHY_BYTES];
    zt_array array;
    bool ok;
    if (row->at[KIND][0] == 'E') {
        void *memory = vector_input(run->dir, row, &array);
        ok = !memory || every_way_of_array(&array, &row->zfp, run->rows, &run->ways, why);
        free(memory);
    } else {
        size_t room = row->zbytes > row->consumed ? row->zbytes : row->consumed;
        unsigned char *padded = need(room);
        memset(padded, 0, room);
        memcpy(padded, run->streams + number(row->at[ZOFFSET]), row->zbytes);
        array = zt_array_nd(NULL, (zt_type)row->type, row->rank, row->shape);
        ok = every_way_of_stream(padded, room, &row->zfp, &array, run->rows, &run->ways, why);
        free(padded);
    }
    if (!ok)
        complain(run, row, "%s", why);
}

static void check_row(struct run *run, char *line)
{
    struct vector_row row;
    if (!vector_row_of(line, &row)) {
        printf("MANIFEST.tsv: a line of another number of columns\n");
        run->failures++;
        return;
    }
    check_parameters(run, &row);
    size_t bound = check_bound(run, &row);
    if (row.at[ZOFFSET][0] != '-' && number(row.at[ZOFFSET]) + row.zbytes > run->streams_bytes) {
        complain(run, &row, "streams.bin is too short");
        return;
    }
    if (run->is_every_way)
        check_every_way(run, &row);
    else if (row.at[KIND][0] == 'E')
        check_encode(run, &row, bound);
    else
        check_decode_only(run, &row);
    run->rows++;
}

/* Compare the list of this run with the one that is checked in. */
static void check_list(struct run *run, const char *path, bool write)
{
    long end = ftell(run->list);
    size_t found_bytes = (size_t)end, known_bytes = 0;
    char *found = need(found_bytes);
    rewind(run->list);
    if (fread(found, 1, found_bytes, run->list) != found_bytes) {
        printf("the temporary list cannot be read\n");
        run->failures++;
    }
    if (write) {
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(found, 1, found_bytes, f) != found_bytes || fclose(f) != 0) {
            printf("%s cannot be written\n", path);
            run->failures++;
        }
    } else {
        unsigned char *known = read_file(path, &known_bytes);
        if (!known || known_bytes != found_bytes || memcmp(known, found, found_bytes) != 0) {
            printf("the rows that need ZT_ZFP_AS_LIBZFP are not those of %s; they are:\n%.*s", path,
                   (int)found_bytes, found);
            run->failures++;
        }
        free(known);
    }
    free(found);
}

int zfp_vectors(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "use: zfp_vectors_test VECTORS_DIR LIST [--write-list | --every-way | "
                        "--plain | --avx2 | --cuda]\n");
        return 2;
    }
    struct run run = {.dir = argv[1]};
    run.is_every_way = argc > 3 && strcmp(argv[3], "--every-way") == 0;
    char path[4096];
    size_t manifest_bytes;
    snprintf(path, sizeof path, "%s/MANIFEST.tsv", argv[1]);
    unsigned char *manifest = read_file(path, &manifest_bytes);
    snprintf(path, sizeof path, "%s/streams.bin", argv[1]);
    run.streams = read_file(path, &run.streams_bytes);
    if (!manifest || !run.streams) {
        printf("SKIP: no golden zfp streams in %s (ZTILE_SHARED_DIR says where they are)\n",
               argv[1]);
        free(manifest);
        free(run.streams);
        return TEST_SKIPPED;
    }
    run.list = tmpfile();
    if (!run.list || zt_context_new(NULL, &run.context) != ZT_OK)
        return 1;
    const bool is_plain = argc > 3 && strcmp(argv[3], "--plain") == 0;
    if (is_plain || (argc > 3 && strcmp(argv[3], "--avx2") == 0))
        zt_context_set_isa(run.context, is_plain ? ZT_ISA_PLAIN : ZT_ISA_AVX2);
    if (argc > 3 && strcmp(argv[3], "--cuda") == 0 &&
        zt_context_set_policy(run.context, ZT_CUDA) != ZT_OK) {
        printf("SKIP: %s\n", zt_context_error(run.context));
        return TEST_SKIPPED;
    }
    fprintf(run.list, "#row\twhy\ttype\tmode\tflags\n");

    manifest = realloc(manifest, manifest_bytes + 1);
    if (!manifest)
        return 1;
    manifest[manifest_bytes] = 0;
    /* all rows with the best instance; with others fewer where programs are many times slower */
    const unsigned share = argc > 3 && !run.is_every_way ? TEST_SHARE : 1;
    unsigned rows = 0;
    for (char *line = (char *)manifest; line && *line;) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        if (*line != '#' && rows++ % share == 0)
            check_row(&run, line);
        line = next;
    }
    if (run.is_every_way)
        every_way_print(&run.ways);
    else if (share == 1 && argv[2][0] != 0)
        check_list(&run, argv[2], argc > 3 && strcmp(argv[3], "--write-list") == 0);
    printf("%s: %u rows: %u encoded, %u decoded (with strides too); %u need ZT_ZFP_AS_LIBZFP; "
           "%u failures\n",
           zt_isa_name(zt_context_isa(run.context)), run.rows, run.encoded, run.decoded,
           run.need_flag, run.failures);
    if (run.rows == 0)
        run.failures++;
    fclose(run.list);
    zt_context_free(run.context);
    free(manifest);
    free(run.streams);
    return run.failures ? 1 : 0;
}
