/* fuzz_salvage.c: any bytes as a damaged .zt file. The calls must return, touch nothing but their
 * own memory and give it back; boxes lie in the array; and where zt_decompress takes the file,
 * nothing is lost and the values are its own.
 *
 * Every input is tried as it is, with checksums made right (tests/fuzz/zt_repair.c), and with one
 * bit changed after that, so that repairs and half-good files are reached. */
#include "fuzz.h"
#include "zt_repair.h"
#include "ztile_expert.h"

#include <stdlib.h>
#include <string.h>

struct input {
    const uint8_t *data;
    size_t bytes;
    uint32_t rank;
    uint64_t first, extent; /* of the frame at hand */
    uint64_t shape[ZT_MAX_RANK];
    uint64_t told;
};

static int read_at(void *user, uint64_t offset, void *buffer, size_t bytes, size_t *got_bytes)
{
    const struct input *in = user;
    const size_t left = offset < in->bytes ? in->bytes - (size_t)offset : 0;
    *got_bytes = bytes < left ? bytes : left;
    if (*got_bytes)
        memcpy(buffer, in->data + offset, *got_bytes);
    return 0;
}

static int note(void *user, zt_loss loss, const zt_box *box, const char *why)
{
    struct input *in = user;
    uint64_t values = 1;
    fuzz_require(why && why[0] && (loss == ZT_LOSS_LOST || loss == ZT_LOSS_UNVERIFIED),
                 "a box without a reason or kind");
    for (uint32_t i = 0; i < in->rank; i++) {
        const uint64_t lo = i ? 0 : in->first, hi = i ? in->shape[i] : in->first + in->extent;
        fuzz_require(box->lo[i] >= lo && box->lo[i] < box->hi[i] && box->hi[i] <= hi,
                     "a box outside the frame");
        values *= box->hi[i] - box->lo[i];
    }
    in->told += values;
    return 0;
}

/* All frames into out, which has room for raw_bytes. */
static zt_status read_frames(zt_reader *reader, struct input *in, const zt_info *info,
                             zt_salvage *salvage, uint8_t *out, size_t raw_bytes)
{
    const size_t slice_bytes = raw_bytes / (size_t)info->shape[0];
    uint64_t next = 0;
    zt_status s;
    while ((s = zt_reader_next(reader, &in->first, &in->extent)) == ZT_OK && in->extent > 0) {
        fuzz_require(in->first == next && in->extent <= info->shape[0] - next,
                     "frames are not in order");
        next = in->first + in->extent;
        zt_array slab = zt_array_nd(out + in->first * slice_bytes, (zt_type)info->type, info->rank,
                                    info->shape);
        slab.shape[0] = in->extent;
        s = zt_reader_salvage(reader, &slab, salvage);
        if (s != ZT_OK)
            return s;
    }
    fuzz_require(s != ZT_OK || next == info->shape[0], "frames do not make up the array");
    return s;
}

static void try_file(const uint8_t *data, size_t bytes, uint64_t fail_at)
{
    struct fuzz_memory memory;
    zt_context *context = fuzz_context(&memory, fail_at);
    if (!context)
        return;
    struct input in = {.data = data, .bytes = bytes};
    zt_source source = {read_at, &in, bytes, {0, 0}};
    zt_reader *reader = NULL;
    zt_salvage salvage;
    zt_info info;
    size_t raw_bytes;
    zt_info_init(&info, sizeof info);
    zt_salvage_init(&salvage, sizeof salvage);
    salvage.part = note;
    salvage.user = &in;
    zt_status s = zt_reader_open_damaged(context, &source, &reader);
    if (s == ZT_OK)
        s = zt_reader_info(reader, &info);
    if (s == ZT_OK && fuzz_raw_bytes(info.type, info.rank, info.shape, &raw_bytes)) {
        uint8_t *whole = malloc(raw_bytes), *left = malloc(raw_bytes);
        fuzz_require(whole && left, "no memory");
        memset(left, 1, raw_bytes);
        in.rank = info.rank;
        memcpy(in.shape, info.shape, sizeof in.shape);
        s = read_frames(reader, &in, &info, &salvage, left, raw_bytes);
        zt_array out = zt_array_nd(whole, (zt_type)info.type, info.rank, info.shape);
        if (fail_at == 0 && s == ZT_OK) {
            fuzz_require(in.told == salvage.lost_values + salvage.unverified_values,
                         "counts are not those of the boxes");
            if (zt_decompress(context, data, bytes, &out) == ZT_OK)
                fuzz_require(in.told == 0 && memcmp(whole, left, raw_bytes) == 0,
                             "a whole file lost something");
        }
        free(whole);
        free(left);
    }
    fuzz_require(s == ZT_OK || zt_context_error(context)[0] != 0,
                 "an error came without a sentence");
    zt_reader_close(reader);
    fuzz_context_free(context, &memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_bytes)
{
    uint8_t *copy = malloc(data_bytes ? data_bytes : 1);
    uint64_t sum = data_bytes;
    fuzz_require(copy, "no memory");
    try_file(data, data_bytes, 0);
    if (data_bytes)
        memcpy(copy, data, data_bytes);
    zt_repair(copy, data_bytes);
    try_file(copy, data_bytes, 0);
    for (size_t i = 0; i < data_bytes; i++)
        sum = sum * 31 + data[i];
    if (data_bytes) {
        copy[sum % data_bytes] ^= (uint8_t)(1u << (sum >> 32) % 8);
        try_file(copy, data_bytes, 0);
        try_file(copy, data_bytes, 2 + (sum >> 40) % 12);
    }
    free(copy);
    return 0;
}
