/* vectors_client.c: a program written for libzfp, compiled against compat/zfp's header: upstream's
 * own streams through zfp_compress and zfp_decompress, and all that libzfp said of them.
 *
 *     vectors_client VECTORS_DIR
 *
 * The word size is the library's; rows of other sizes are left out and counted. The program also
 * has block coders of its own by libzfp's names, as some clients do: the library must not call
 * them. */
#include "golden/vectors.h"

#include <zfp.h>

#include <stdarg.h>
#include <string.h>

struct run {
    const char *dir;
    unsigned char *streams;
    size_t streams_bytes;
    unsigned failures, rows, other_words, encoded, decoded;
    zfp_exec_policy policy;
};

static void complain(struct run *run, const struct vector_row *row, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void complain(struct run *run, const struct vector_row *row, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (++run->failures <= 40) {
        printf("%s, policy %d: ", row->at[ID], (int)run->policy);
        vprintf(format, args);
        printf(" [%s %s %s %s %s %s header %s]\n", row->at[TYPE], row->at[SET], row->at[P1],
               row->at[P2], row->at[P3], row->at[P4], row->at[HEADER]);
    }
    va_end(args);
}

/* ---- what a client brings along ---- */

size_t zfp_encode_block_float_3(zfp_stream *stream, const float *block)
{
    (void)stream;
    (void)block;
    printf("the library calls its client's block encoder\n");
    exit(1);
}

size_t zfp_decode_block_float_3(zfp_stream *stream, float *block)
{
    (void)stream;
    (void)block;
    printf("the library calls its client's block decoder\n");
    exit(1);
}

bitstream_count stream_flush(bitstream *stream)
{
    (void)stream;
    printf("the library calls its client's stream_flush\n");
    exit(1);
}

/* ---- a row ---- */

static zfp_type type_of(const struct vector_row *row)
{
    return row->type == ZT_F32   ? zfp_type_float
           : row->type == ZT_F64 ? zfp_type_double
           : row->type == ZT_I32 ? zfp_type_int32
                                 : zfp_type_int64;
}

static void set_field(zfp_field *field, const struct vector_row *row, void *data, bool has_strides)
{
    ptrdiff_t s[4] = {0, 0, 0, 0};
    size_t n[4];
    for (int i = 0; i < 4; i++) {
        n[i] = (size_t)number(row->at[NX + i]);
        if (has_strides)
            s[i] = (ptrdiff_t)strtoll(row->at[SX + i], NULL, 10);
    }
    if (zfp_field_set_type(field, type_of(row)) != type_of(row))
        printf("zfp_field_set_type refuses %s\n", row->at[TYPE]);
    zfp_field_set_pointer(field, data);
    zfp_field_set_size_4d(field, n[0], n[1], n[2], n[3]);
    zfp_field_set_stride_4d(field, s[0], s[1], s[2], s[3]);
}

static void set_mode(struct run *run, const struct vector_row *row, zfp_stream *zfp)
{
    const char *set = row->at[SET];
    double actual = 0;
    if (strcmp(set, "rate") == 0) {
        actual = zfp_stream_set_rate(zfp, strtod(row->at[P1], NULL), type_of(row), row->rank,
                                     (zfp_bool)number(row->at[P2]));
    } else if (strcmp(set, "prec") == 0) {
        actual = zfp_stream_set_precision(zfp, (uint)number(row->at[P1]));
    } else if (strcmp(set, "acc") == 0) {
        actual = zfp_stream_set_accuracy(zfp, strtod(row->at[P1], NULL));
    } else if (strcmp(set, "rev") == 0) {
        zfp_stream_set_reversible(zfp);
    } else if (strcmp(set, "expert") == 0) {
        actual =
            zfp_stream_set_params(zfp, (uint)number(row->at[P1]), (uint)number(row->at[P2]),
                                  (uint)number(row->at[P3]), (int)strtol(row->at[P4], NULL, 10));
    }
    if (actual != strtod(row->at[SET_RETURN], NULL))
        complain(run, row, "the setter returned %.17g, not %s", actual, row->at[SET_RETURN]);
}

static void check_parameters(struct run *run, const struct vector_row *row, zfp_stream *zfp,
                             const zfp_field *field)
{
    static const char *const names[] = {"null",      "expert",   "rate",
                                        "precision", "accuracy", "reversible"};
    uint minbits, maxbits, maxprec;
    int minexp;
    zfp_stream_params(zfp, &minbits, &maxbits, &maxprec, &minexp);
    if (minbits != number(row->at[MINBITS]) || maxbits != number(row->at[MAXBITS]) ||
        maxprec != number(row->at[MAXPREC]) || minexp != (int)strtol(row->at[MINEXP], NULL, 10))
        complain(run, row, "parameters are %u %u %u %d", minbits, maxbits, maxprec, minexp);
    if (strcmp(names[zfp_stream_compression_mode(zfp)], row->at[MODE]) != 0)
        complain(run, row, "the mode is not %s", row->at[MODE]);
    if (zfp_stream_mode(zfp) != number(row->at[MODE_CODE]))
        complain(run, row, "the mode code is not %s", row->at[MODE_CODE]);
    if (zfp_field_metadata(field) != number(row->at[METADATA]))
        complain(run, row, "the metadata are not %s", row->at[METADATA]);
    /* ours are never too small */
    const size_t most = zfp_stream_maximum_size(zfp, field), known = number(row->at[MAX_SIZE]);
    const bool is_longer = has_flag(row, "undersized") && row->at[KIND][0] == 'E';
    if (is_longer ? most < row->zbytes : most != known)
        complain(run, row, "the maximum size is %zu, not %zu", most, known);
}

static void check_decode(struct run *run, const struct vector_row *row, zfp_stream *zfp,
                         unsigned char *memory, size_t bytes, bool has_strides)
{
    const size_t raw = values_of(row->rank, row->shape) * zt_type_bytes(row->type);
    struct test_array out = test_array_new(row->type, row->rank, row->shape, row->stride);
    unsigned char *values = need(raw);
    bitstream *s = stream_open(memory, bytes);
    zfp_field *field = zfp_field_alloc();
    zfp_stream_set_bit_stream(zfp, s);
    set_field(field, row, has_strides ? out.array.data : values, has_strides);
    if (number(row->at[HEADER])) {
        zfp_field *said = zfp_field_alloc();
        const size_t bits = zfp_read_header(zfp, said, ZFP_HEADER_FULL);
        if (bits != number(row->at[HEADER_BITS]))
            complain(run, row, "the header has %zu bits, not %s", bits, row->at[HEADER_BITS]);
        if (said->type != field->type || said->nx != field->nx || said->ny != field->ny ||
            said->nz != field->nz || said->nw != field->nw)
            complain(run, row, "the header describes another array");
        zfp_field_free(said);
        set_mode(run, row, zfp); /* a header does not hold minbits 0 */
    }
    const size_t consumed = zfp_decompress(zfp, field);
    if (has_strides)
        gather(&out.array, values);
    if (consumed != row->consumed)
        complain(run, row, "zfp_decompress returned %zu, not %zu", consumed, row->consumed);
    if (fnv1a64(values, raw) != strtoull(row->at[DECFNV], NULL, 16))
        complain(run, row, "decoded values differ, strides %d", has_strides);
    if (!gaps_are_untouched(&out))
        complain(run, row, "decoding wrote between the elements");
    run->decoded++;
    zfp_field_free(field);
    stream_close(s);
    test_array_free(&out);
    free(values);
}

static void check_encode(struct run *run, const struct vector_row *row, zfp_stream *zfp)
{
    zt_array array;
    void *input = vector_input(run->dir, row, &array);
    zfp_field *field = zfp_field_alloc();
    if (!input) {
        complain(run, row, "input %s cannot be read or is too short", row->at[INPUT]);
        zfp_field_free(field);
        return;
    }
    set_field(field, row, array.data, true);
    check_parameters(run, row, zfp, field);
    const size_t most = zfp_stream_maximum_size(zfp, field), room = most + 4096;
    unsigned char *memory = need(room);
    memset(memory, 0, room);
    bitstream *s = stream_open(memory, most);
    zfp_stream_set_bit_stream(zfp, s);
    if (number(row->at[HEADER]) &&
        zfp_write_header(zfp, field, ZFP_HEADER_FULL) != number(row->at[HEADER_BITS]))
        complain(run, row, "the header has not %s bits", row->at[HEADER_BITS]);
    const size_t bytes = zfp_compress(zfp, field);
    if (bytes != row->zbytes || bytes != zfp_stream_compressed_size(zfp))
        complain(run, row, "zfp_compress returned %zu, not %zu", bytes, row->zbytes);
    else if (fnv1a64(memory, bytes) != strtoull(row->at[ZFNV], NULL, 16))
        complain(run, row, "the stream differs");
    run->encoded++;
    const size_t there = row->consumed > row->zbytes ? row->consumed : row->zbytes;
    if (there <= room) {
        check_decode(run, row, zfp, memory, there, false);
        check_decode(run, row, zfp, memory, there, true);
    }
    stream_close(s);
    free(memory);
    zfp_field_free(field);
    free(input);
}

static void check_row(struct run *run, const struct vector_row *row)
{
    zfp_stream *zfp = zfp_stream_open(NULL);
    run->rows++;
    if (run->policy == zfp_exec_omp &&
        (!zfp_stream_set_omp_threads(zfp, 2) || !zfp_stream_set_omp_chunk_size(zfp, 3)))
        complain(run, row, "there is no omp policy");
    set_mode(run, row, zfp);
    if (row->at[KIND][0] == 'E') {
        check_encode(run, row, zfp);
    } else { /* random bits; zeros behind */
        const size_t room = (row->zbytes > row->consumed ? row->zbytes : row->consumed) + 4096;
        unsigned char *padded = need(room);
        memset(padded, 0, room);
        memcpy(padded, run->streams + number(row->at[ZOFFSET]), row->zbytes);
        check_decode(run, row, zfp, padded, room, false);
        free(padded);
    }
    zfp_stream_close(zfp);
}

int main(int argc, char **argv)
{
    struct run run = {.dir = argc > 1 ? argv[1] : ""};
    char path[4096];
    size_t bytes;
    snprintf(path, sizeof path, "%s/streams.bin", run.dir);
    run.streams = read_file(path, &run.streams_bytes);
    snprintf(path, sizeof path, "%s/MANIFEST.tsv", run.dir);
    unsigned char *file = read_file(path, &bytes);
    if (!file || !run.streams) {
        printf("SKIP: no golden zfp streams in '%s' (ZTILE_SHARED_DIR says where they are)\n",
               run.dir);
        free(file);
        free(run.streams);
        return TEST_SKIPPED;
    }
    char *manifest = need(bytes + 1);
    memcpy(manifest, file, bytes);
    manifest[bytes] = 0;
    unsigned rows = 0;
    for (char *line = manifest, *next; line && *line; line = next) {
        struct vector_row row;
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        if (*line == '#')
            continue;
        if (!vector_row_of(line, &row) ||
            (row.at[ZOFFSET][0] != '-' &&
             number(row.at[ZOFFSET]) + row.zbytes > run.streams_bytes)) {
            printf("MANIFEST.tsv or streams.bin is damaged\n");
            run.failures++;
        } else if (number(row.at[WORDBITS]) != stream_word_bits) {
            run.other_words++;
        } else if (rows++ % TEST_SHARE == 0) {
            for (int policy = zfp_exec_serial; policy <= zfp_exec_omp; policy++) {
                run.policy = (zfp_exec_policy)policy;
                check_row(&run, &row);
            }
        }
    }
    printf("words of %zu bits, serial and omp: %u rows, %u encoded, %u decoded; %u failures; %u "
           "rows are of other word sizes\n",
           stream_word_bits, run.rows, run.encoded, run.decoded, run.failures, run.other_words);
    free(manifest);
    free(file);
    free(run.streams);
    return run.failures || run.rows == 0;
}
