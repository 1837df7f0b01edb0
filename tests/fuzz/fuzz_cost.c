/* fuzz_cost.c: what one value of any bytes as a .zt file costs. Memory, bytes read from the source
 * and bytes allocated in all, which stand for the time, are at most a constant and so many for each
 * byte of the file; in a fuzzing run the processor's time is, too. The same for verifying the file,
 * and for opening it as a damaged one.
 *
 * Every input is tried as it is and with its checksums made right, as in fuzz_zt.c. */
#include "fuzz.h"
#include "zt_repair.h"
#include "ztile_expert.h"
#include "ztile_sz.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What may be spent for each byte of a file, and on any. Effort high of sz has a coarse grid to
 * decode before any value: of a tile, which has a byte or more, 2^13 points, 5.3 to 8.75
 * bytes each. Method transform decodes all of a tile, at most 2^23 values of 8 bytes, which can be
 * few bytes of a file. */
enum {
    LEAST_BYTES = 40 << 20, /* tables, and a tile of 2^18 values */
    BYTES_A_BYTE = 1 << 10,
    HIGH_BYTES_A_POINT = 9,
    HIGH_BYTES_A_BYTE = HIGH_BYTES_A_POINT << 13,
    TRANSFORM_BYTES = (8 << 23) + (16 << 20),
    ALLOCATED = 8, /* in all, for what may be held at a time */
    READS = 16     /* of each byte of the file */
};

static const double least_seconds = 1, seconds_a_byte = 1e-5, high_seconds_a_byte = 1e-3,
                    transform_seconds = 8;

struct spent {
    uint64_t held, most, all;
    uint64_t read;
    const uint8_t *data;
    size_t bytes;
};

enum { HEAD_BYTES = 32 };

static void *spend(void *user, size_t bytes)
{
    struct spent *s = user;
    unsigned char *block = bytes < (size_t)4 << 30 ? malloc(HEAD_BYTES + bytes) : NULL;
    s->held += bytes;
    s->all += bytes;
    s->most = s->held > s->most ? s->held : s->most;
    fuzz_require(block, "a block is larger than any file here can account for");
    memcpy(block, &bytes, sizeof bytes);
    return block + HEAD_BYTES;
}

static void give_back(void *user, void *block)
{
    struct spent *s = user;
    size_t bytes;
    if (!block)
        return;
    memcpy(&bytes, (unsigned char *)block - HEAD_BYTES, sizeof bytes);
    s->held -= bytes;
    free((unsigned char *)block - HEAD_BYTES);
}

static int read_at(void *user, uint64_t offset, void *buffer, size_t bytes, size_t *got_bytes)
{
    struct spent *s = user;
    const size_t left = offset < s->bytes ? s->bytes - (size_t)offset : 0;
    *got_bytes = bytes < left ? bytes : left;
    if (*got_bytes)
        memcpy(buffer, s->data + offset, *got_bytes);
    s->read += *got_bytes;
    return 0;
}

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Bytes that a file's coarse grid can take; 0 where there is none. Of several frames only the first
 * one's effort and axes are known. */
static uint64_t grid_bytes(const zt_info *info)
{
    static const unsigned distance_log2[] = {0, 6, 4, 3, 2}; /* by how many axes are halved */
    zt_plan plan;
    zt_sz_info sz;
    (void)zt_info_plan(info, &plan);
    const uint64_t *const shape = plan.rank ? plan.coded_shape : info->shape;
    const uint32_t rank = plan.rank ? plan.coded_rank : info->rank;
    unsigned axes = 0;
    double points = 1;
    if (info->codec == ZT_CODEC_SZ && info->frames > 1)
        return UINT64_MAX;
    if (zt_info_sz(info, &sz) != ZT_OK || sz.effort != ZT_EFFORT_HIGH ||
        sz.method == ZT_SZ_TRANSFORM)
        return 0;
    for (uint32_t i = 0; i < rank; i++)
        axes += sz.axes >> i & 1;
    for (uint32_t i = 0; i < rank; i++)
        points *= sz.axes >> i & 1 ? (double)(((shape[i] - 1) >> distance_log2[axes]) + 1)
                                   : (double)shape[i];
    return points < 1e12 ? HIGH_BYTES_A_POINT * (uint64_t)points : UINT64_C(1) << 60;
}

/* Whether a frame can be of method transform. */
static bool may_be_transformed(const zt_info *info)
{
    zt_sz_info sz;
    return info->codec == ZT_CODEC_SZ &&
           (info->frames > 1 || (zt_info_sz(info, &sz) == ZT_OK && sz.method == ZT_SZ_TRANSFORM));
}

static void require_cheap(struct spent *s, uint64_t grid, bool has_transform, double began)
{
    const bool is_high = grid > 0;
    const uint64_t by_bytes = (is_high ? HIGH_BYTES_A_BYTE : BYTES_A_BYTE) * (uint64_t)s->bytes;
    const uint64_t tile = has_transform ? (uint64_t)TRANSFORM_BYTES : 0;
    const uint64_t most = LEAST_BYTES + tile + (is_high && grid < by_bytes ? grid : by_bytes);
    fuzz_require(s->held == 0, "memory was not given back");
    fuzz_require(s->most <= most, "more memory than the file's bytes account for");
    fuzz_require(s->all <= ALLOCATED * most, "more work than the file's bytes account for");
    fuzz_require(s->read <= READS * ((uint64_t)s->bytes + 4096),
                 "the file was read again and again");
#if defined(ZTILE_FUZZ)
    const double a_byte_seconds = is_high ? high_seconds_a_byte : seconds_a_byte;
    const double least = least_seconds + (has_transform ? transform_seconds : 0);
    fuzz_require(seconds() - began <= least + a_byte_seconds * (double)s->bytes,
                 "more time than the file's bytes account for");
#else
    (void)began;
    (void)least_seconds, (void)seconds_a_byte, (void)high_seconds_a_byte, (void)transform_seconds;
#endif
}

/* The corners of an array, and a place in the middle. */
static zt_box one_value(const zt_info *info, unsigned place)
{
    zt_box box;
    memset(&box, 0, sizeof box);
    for (uint32_t i = 0; i < info->rank; i++) {
        const uint64_t last = info->shape[i] - 1;
        box.lo[i] = place == 0 ? 0 : place == 1 ? last : last / 3 * (1 + i % 2);
        box.hi[i] = box.lo[i] + 1;
    }
    return box;
}

enum { PLACES = 3, CHECK = PLACES, DAMAGED, CALLS };

static void call(zt_context *context, const zt_source *source, const zt_info *info, unsigned which)
{
    zt_reader *reader = NULL;
    uint64_t value = 0, first, extent;
    const zt_status status = which == DAMAGED ? zt_reader_open_damaged(context, source, &reader)
                                              : zt_reader_open(context, source, &reader);
    if (status != ZT_OK)
        return;
    if (which < PLACES) {
        static const uint64_t shape[ZT_MAX_RANK] = {1, 1, 1, 1};
        const zt_box box = one_value(info, which);
        const zt_array out = zt_array_nd(&value, (zt_type)info->type, info->rank, shape);
        (void)zt_reader_read_box(reader, &box, &out);
    } else if (which == CHECK) {
        (void)zt_reader_check(reader);
    } else {
        (void)zt_reader_next(reader, &first, &extent);
    }
    zt_reader_close(reader);
}

static void try_file(const uint8_t *data, size_t bytes)
{
    zt_info info;
    zt_info_init(&info, sizeof info);
    const bool is_file = zt_inspect(NULL, data, bytes, &info) == ZT_OK;
    for (unsigned which = is_file ? 0 : DAMAGED; which < CALLS; which++) {
        struct spent s = {.data = data, .bytes = bytes};
        const zt_allocator allocator = {spend, give_back, &s, {0, 0}};
        const zt_source source = {read_at, &s, bytes, {0, 0}};
        zt_context *context = NULL;
        fuzz_require(zt_context_new(&allocator, &context) == ZT_OK, "no context");
        const double began = seconds();
        call(context, &source, &info, which);
        zt_context_free(context);
        require_cheap(&s, is_file ? grid_bytes(&info) : 0, is_file && may_be_transformed(&info),
                      began);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_bytes)
{
    try_file(data, data_bytes);
    uint8_t *repaired = malloc(data_bytes ? data_bytes : 1);
    fuzz_require(repaired, "no memory");
    if (data_bytes)
        memcpy(repaired, data, data_bytes);
    zt_repair(repaired, data_bytes);
    if (data_bytes && memcmp(repaired, data, data_bytes) != 0)
        try_file(repaired, data_bytes);
    free(repaired);
    return 0;
}
