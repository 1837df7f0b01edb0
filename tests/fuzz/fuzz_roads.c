/* fuzz_roads.c: any bytes as a .zt file, read by every road: whole and in boxes, by one thread and
 * by several, and as a damaged file. One file has one content:
 *
 *   - the policies agree on each box: on its status, and on its values where it is good;
 *   - where the whole array is good each box is, with the same values;
 *   - where all boxes of a partition are good, and zt_reader_check finds nothing, the whole is;
 *   - what a box gives salvage keeps, with the same values.
 *
 * Every input is tried as it is and with its checksums made right. */
#include "fuzz.h"
#include "zt_repair.h"
#include "ztile_expert.h"

#include <stdlib.h>
#include <string.h>

enum { BOXES = 6, MOST_RAW_BYTES = 1 << 17 };

struct file {
    const uint8_t *data;
    size_t bytes;
    zt_context *serial, *omp;
    zt_info info;
    size_t raw_bytes, value_bytes;
    uint8_t *whole, *kept; /* all values: as decoded at once, and what salvage has */
    uint8_t *lost;         /* a byte for each value: not 0 where salvage has none */
    bool is_whole, is_kept;
    zt_reader *reader;
    uint64_t random;
};

static int read_at(void *user, uint64_t offset, void *buffer, size_t bytes, size_t *got_bytes)
{
    const struct file *f = user;
    const size_t left = offset < f->bytes ? f->bytes - (size_t)offset : 0;
    *got_bytes = bytes < left ? bytes : left;
    if (*got_bytes)
        memcpy(buffer, f->data + offset, *got_bytes);
    return 0;
}

static uint64_t below(struct file *f, uint64_t n)
{
    f->random = f->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (f->random >> 33) % n;
}

static zt_array array_of(const zt_info *info, void *data)
{
    return zt_array_nd(data, (zt_type)info->type, info->rank, info->shape);
}

/* Call for each row of a box: where it is among all values, and in the box, and its length. */
static void for_rows(struct file *f, const zt_box *box, void *user,
                     void (*call)(struct file *f, void *user, uint64_t at, uint64_t in_box,
                                  uint64_t n))
{
    const uint32_t rank = f->info.rank, last = rank - 1;
    uint64_t place[ZT_MAX_RANK], in_box = 0;
    const uint64_t n = box->hi[last] - box->lo[last];
    uint32_t i;
    memcpy(place, box->lo, sizeof place);
    do {
        uint64_t at = 0;
        for (i = 0; i < rank; i++)
            at = at * f->info.shape[i] + place[i];
        call(f, user, at, in_box, n);
        in_box += n;
        for (i = last; i-- > 0;) {
            if (++place[i] < box->hi[i])
                break;
            place[i] = box->lo[i];
        }
    } while (i < last);
}

static void compare_row(struct file *f, void *user, uint64_t at, uint64_t in_box, uint64_t n)
{
    const uint8_t *const values = (const uint8_t *)user + in_box * f->value_bytes;
    const size_t from = (size_t)at * f->value_bytes, bytes = (size_t)n * f->value_bytes;
    if (f->is_whole)
        fuzz_require(memcmp(values, f->whole + from, bytes) == 0,
                     "a box has other values than the whole");
    if (!f->is_kept)
        return;
    for (uint64_t i = 0; i < n; i++)
        fuzz_require(f->lost[at + i] == 0, "salvage has lost what a box has");
    fuzz_require(memcmp(values, f->kept + from, bytes) == 0, "salvage has other values than a box");
}

/* One box by all roads; true where it is good. */
static bool try_box(struct file *f, const zt_box *box)
{
    uint64_t shape[ZT_MAX_RANK] = {0};
    size_t bytes = f->value_bytes;
    for (uint32_t i = 0; i < f->info.rank; i++) {
        shape[i] = box->hi[i] - box->lo[i];
        bytes *= (size_t)shape[i];
    }
    uint8_t *const one = malloc(bytes), *const other = malloc(bytes);
    fuzz_require(one && other, "no memory");
    zt_array out = zt_array_nd(one, (zt_type)f->info.type, f->info.rank, shape);
    const zt_status serial = zt_reader_read_box(f->reader, box, &out);
    out.data = other;
    const zt_status omp = zt_decompress_box(f->omp, f->data, f->bytes, box, &out);
    fuzz_require(serial == omp, "the policies disagree about a box");
    fuzz_require(serial == ZT_OK || !f->is_whole, "a box of a good file is refused");
    if (serial == ZT_OK) {
        fuzz_require(memcmp(one, other, bytes) == 0, "the policies give different values");
        for_rows(f, box, one, compare_row);
    }
    free(one);
    free(other);
    return serial == ZT_OK;
}

static zt_box random_box(struct file *f)
{
    zt_box box = {{0}, {0}};
    for (uint32_t i = 0; i < f->info.rank; i++) {
        const uint64_t extent = f->info.shape[i];
        const uint64_t n = below(f, 3) == 0 ? extent : 1 + below(f, extent);
        box.lo[i] = below(f, extent - n + 1);
        box.hi[i] = box.lo[i] + n;
    }
    return box;
}

/* Boxes at random, and boxes that make up the array. */
static void try_boxes(struct file *f)
{
    zt_box box = {{0}, {0}};
    bool are_good = true;
    for (uint32_t i = 0; i < BOXES; i++) {
        box = random_box(f);
        (void)try_box(f, &box);
    }
    memset(box.lo, 0, sizeof box.lo);
    memcpy(box.hi, f->info.shape, sizeof box.hi);
    const uint32_t axis = (uint32_t)below(f, f->info.rank);
    const uint64_t extent = f->info.shape[axis], step = extent / (1 + below(f, BOXES)) + 1;
    for (uint64_t at = 0; at < extent; at += step) {
        box.lo[axis] = at;
        box.hi[axis] = extent - at < step ? extent : at + step;
        are_good &= try_box(f, &box);
    }
    fuzz_require(f->is_whole == (are_good && zt_reader_check(f->reader) == ZT_OK),
                 "all boxes are good, and the whole is not");
}

/* ---- salvage ---- */

static void lose_row(struct file *f, void *user, uint64_t at, uint64_t in_box, uint64_t n)
{
    (void)user;
    (void)in_box;
    memset(f->lost + at, 1, (size_t)n);
}

static int note(void *user, zt_loss loss, const zt_box *box, const char *why)
{
    (void)loss;
    (void)why;
    for_rows(user, box, NULL, lose_row);
    return 0;
}

static void salvage_all(struct file *f)
{
    const zt_source source = {read_at, f, f->bytes, {0, 0}};
    const size_t slice_bytes = f->raw_bytes / (size_t)f->info.shape[0];
    zt_reader *reader = NULL;
    zt_salvage salvage;
    zt_info info;
    uint64_t first, extent = 1;
    (void)zt_salvage_init(&salvage, sizeof salvage);
    (void)zt_info_init(&info, sizeof info);
    salvage.part = note;
    salvage.user = f;
    zt_status s = zt_reader_open_damaged(f->serial, &source, &reader);
    if (s == ZT_OK)
        s = zt_reader_info(reader, &info);
    const bool is_same = s == ZT_OK && info.type == f->info.type && info.rank == f->info.rank &&
                         memcmp(info.shape, f->info.shape, sizeof info.shape) == 0;
    while (is_same && s == ZT_OK && extent > 0) {
        s = zt_reader_next(reader, &first, &extent);
        if (s != ZT_OK || extent == 0)
            break;
        zt_array slab = array_of(&info, f->kept + (size_t)first * slice_bytes);
        slab.shape[0] = extent;
        s = zt_reader_salvage(reader, &slab, &salvage);
    }
    f->is_kept = is_same && s == ZT_OK;
    zt_reader_close(reader);
}

/* ---- a file ---- */

static void decode_whole(struct file *f)
{
    uint8_t *const other = malloc(f->raw_bytes);
    fuzz_require(other, "no memory");
    zt_array out = array_of(&f->info, f->whole), again = array_of(&f->info, other);
    const zt_status serial = zt_decompress(f->serial, f->data, f->bytes, &out);
    const zt_status omp = zt_decompress(f->omp, f->data, f->bytes, &again);
    fuzz_require(serial == omp, "the policies disagree about a file");
    f->is_whole = serial == ZT_OK;
    fuzz_require(!f->is_whole || memcmp(f->whole, other, f->raw_bytes) == 0,
                 "the policies give different values");
    free(other);
}

static void try_file(const uint8_t *data, size_t bytes)
{
    struct fuzz_memory memory, omp_memory;
    struct file f = {.data = data, .bytes = bytes};
    for (size_t i = 0; i < bytes; i++)
        f.random = f.random * 31 + data[i];
    f.serial = fuzz_context(&memory, 0);
    f.omp = fuzz_context(&omp_memory, 0);
    fuzz_require(f.serial && f.omp, "no context");
    const zt_omp omp = {.threads = 2, .grain = (uint32_t)below(&f, 9)};
    const zt_source source = {read_at, &f, bytes, {0, 0}};
    (void)zt_context_set_omp(f.omp, &omp);
    (void)zt_info_init(&f.info, sizeof f.info);
    if (zt_inspect(f.serial, data, bytes, &f.info) == ZT_OK &&
        fuzz_raw_bytes(f.info.type, f.info.rank, f.info.shape, &f.raw_bytes) &&
        f.raw_bytes <= MOST_RAW_BYTES && zt_reader_open(f.serial, &source, &f.reader) == ZT_OK) {
        f.value_bytes = f.info.type == ZT_F32 || f.info.type == ZT_I32 ? 4 : 8;
        f.whole = malloc(f.raw_bytes);
        f.kept = malloc(f.raw_bytes);
        f.lost = calloc(f.raw_bytes / f.value_bytes, 1);
        fuzz_require(f.whole && f.kept && f.lost, "no memory");
        decode_whole(&f);
        salvage_all(&f);
        try_boxes(&f);
        free(f.whole);
        free(f.kept);
        free(f.lost);
    }
    zt_reader_close(f.reader);
    fuzz_context_free(f.serial, &memory);
    fuzz_context_free(f.omp, &omp_memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_bytes)
{
    uint8_t *const repaired = malloc(data_bytes ? data_bytes : 1);
    fuzz_require(repaired, "no memory");
    if (data_bytes)
        memcpy(repaired, data, data_bytes);
    zt_repair(repaired, data_bytes);
    try_file(data, data_bytes);
    if (data_bytes && memcmp(repaired, data, data_bytes) != 0)
        try_file(repaired, data_bytes);
    free(repaired);
    return 0;
}
