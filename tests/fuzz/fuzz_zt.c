/* fuzz_zt.c: any bytes as a .zt file. The calls must return, touch nothing but their own memory,
 * give all of it back, say a sentence with every error, and agree with each other: a reader of
 * boxes gives what zt_decompress gives, and where zt_reader_check finds nothing (it also looks at
 * the padding between frames), so does reading in order.
 *
 * Every input is tried as it is and with its checksums made right, which a fuzzer cannot guess. */
#include "fuzz.h"
#include "zt_repair.h"
#include "ztile_expert.h"

#include <stdlib.h>
#include <string.h>

struct input {
    const uint8_t *data;
    size_t bytes;
    uint64_t next; /* offset that a pipe is at */
};

static int read_at(void *user, uint64_t offset, void *buffer, size_t bytes, size_t *got_bytes)
{
    struct input *in = user;
    size_t left = offset < in->bytes ? in->bytes - (size_t)offset : 0;
    *got_bytes = bytes < left ? bytes : left;
    if (*got_bytes)
        memcpy(buffer, in->data + offset, *got_bytes);
    return 0;
}

static int read_next(void *user, uint64_t offset, void *buffer, size_t bytes, size_t *got_bytes)
{
    struct input *in = user;
    fuzz_require(offset >= in->next, "a sequential source was asked to go back");
    read_at(user, offset, buffer, bytes, got_bytes);
    in->next = offset + *got_bytes;
    return 0;
}

static zt_array array_of(const zt_info *info, void *data)
{
    return zt_array_nd(data, (zt_type)info->type, info->rank, info->shape);
}

static void require_sentence(const zt_context *context, zt_status status)
{
    fuzz_require(status == ZT_OK || zt_context_error(context)[0] != 0,
                 "an error came without a sentence");
    fuzz_require(status != ZT_BAD_ARG, "a file is no bad argument");
}

/* Frame by frame from a pipe; true if that went well to the end. */
static bool read_frames(zt_context *context, struct input *in, const zt_info *info, uint8_t *out,
                        size_t raw_bytes)
{
    zt_source source = {read_next, in, ZT_UNKNOWN, {0, 0}};
    zt_reader *reader = NULL;
    in->next = 0;
    zt_status s = zt_reader_open(context, &source, &reader);
    uint64_t first = 0, extent = 1;
    size_t slice_bytes = raw_bytes / (size_t)info->shape[0];
    while (s == ZT_OK) {
        s = zt_reader_next(reader, &first, &extent);
        if (s != ZT_OK || extent == 0)
            break;
        if (first >= info->shape[0] || extent > info->shape[0] - first) {
            zt_reader_close(reader); /* more slices than the seek table says: not the same file */
            return false;
        }
        zt_array slab = array_of(info, out + first * slice_bytes);
        slab.shape[0] = extent;
        s = zt_reader_read(reader, &slab);
    }
    zt_reader_close(reader);
    require_sentence(context, s);
    return s == ZT_OK;
}

struct grown {
    uint8_t *bytes;
    size_t n;
};

static int append(void *user, const void *data, size_t n)
{
    struct grown *g = user;
    uint8_t *more = realloc(g->bytes, g->n + n + 1);
    if (!more)
        return 1;
    memcpy(more + g->n, data, n);
    g->bytes = more;
    g->n += n;
    return 0;
}

/* The file with another index, and what that decodes to. */
static zt_status replace_index(zt_context *context, const zt_source *source, const zt_info *info,
                               uint8_t *out)
{
    struct grown made = {NULL, 0};
    const zt_sink sink = {.write = append, .user = &made};
    const zt_array array = array_of(info, out);
    const zt_index_kind kind = info->index == ZT_INDEX_HYBRID ? ZT_INDEX_COMPACT : ZT_INDEX_HYBRID;
    zt_status s = zt_replace_index(context, source, &sink, kind, 2, 0);
    if (s == ZT_OK)
        s = zt_decompress(context, made.bytes, made.n, &array);
    require_sentence(context, s);
    free(made.bytes);
    return s;
}

/* All calls on one file; with failing memory their results are not compared. */
static void try_file(const uint8_t *data, size_t bytes, uint64_t fail_at)
{
    struct fuzz_memory memory;
    zt_context *context = fuzz_context(&memory, fail_at);
    if (!context)
        return;
    struct input in = {data, bytes, 0};
    zt_info info;
    size_t raw_bytes;
    zt_info_init(&info, sizeof info);
    zt_status s = zt_inspect(context, data, bytes, &info);
    require_sentence(context, s);
    if (s != ZT_OK || !fuzz_raw_bytes(info.type, info.rank, info.shape, &raw_bytes)) {
        fuzz_context_free(context, &memory);
        return;
    }
    uint8_t *whole = malloc(raw_bytes), *other = malloc(raw_bytes);
    fuzz_require(whole && other, "no memory");
    memset(whole, 1, raw_bytes);
    memset(other, 2, raw_bytes);
    zt_array out = array_of(&info, whole), again = array_of(&info, other);
    zt_status whole_status = zt_decompress(context, data, bytes, &out);
    require_sentence(context, whole_status);

    zt_source source = {read_at, &in, bytes, {0, 0}};
    zt_reader *reader = NULL;
    zt_box box;
    memset(&box, 0, sizeof box);
    memcpy(box.hi, info.shape, info.rank * sizeof *box.hi);
    s = zt_reader_open(context, &source, &reader);
    if (s == ZT_OK)
        s = zt_reader_read_box(reader, &box, &again);
    zt_status checked = s == ZT_OK ? zt_reader_check(reader) : s;
    zt_reader_close(reader);
    require_sentence(context, s);
    if (fail_at == 0) {
        fuzz_require((whole_status == ZT_OK) == (s == ZT_OK),
                     "zt_decompress and the reader disagree about the file");
        fuzz_require(whole_status != ZT_OK || memcmp(whole, other, raw_bytes) == 0,
                     "zt_decompress and the reader give different values");
    }
    bool is_read = read_frames(context, &in, &info, other, raw_bytes);
    if (fail_at == 0 && whole_status == ZT_OK && checked == ZT_OK)
        fuzz_require(is_read && memcmp(whole, other, raw_bytes) == 0,
                     "reading the frames in order gives something else");
    memset(other, 3, raw_bytes);
    s = replace_index(context, &source, &info, other);
    if (fail_at == 0)
        fuzz_require((s == ZT_OK) == (whole_status == ZT_OK && checked == ZT_OK) &&
                         (s != ZT_OK || memcmp(whole, other, raw_bytes) == 0),
                     "with another index the file gives something else");
    free(whole);
    free(other);
    fuzz_context_free(context, &memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_bytes)
{
    try_file(data, data_bytes, 0);
    uint8_t *repaired = malloc(data_bytes ? data_bytes : 1);
    fuzz_require(repaired, "no memory");
    if (data_bytes)
        memcpy(repaired, data, data_bytes);
    zt_repair(repaired, data_bytes);
    if (data_bytes && memcmp(repaired, data, data_bytes) != 0)
        try_file(repaired, data_bytes, 0);
    for (uint64_t fail_at = 2; fail_at < 10; fail_at++) /* the first one is the context itself */
        try_file(repaired, data_bytes, fail_at);
    free(repaired);
    return 0;
}
