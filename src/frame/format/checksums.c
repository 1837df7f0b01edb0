/* checksums.c: a checksum for each range of a payload, computed and verified. All threads take
 * part, because one hashes more slowly than the rest reads memory. A GPU does it where the payload
 * lies there. */
#include "array/memory.h"
#include "core/device.h"
#include "core/map.h"
#include "frame/format/format.h"

#include <inttypes.h>

/* A thread takes a part of 2^PART_LOG2 bytes at a time. */
enum { PART_LOG2 = 20 };

/* The ranges of bytes [first, last) of a payload; 'bytes' points at the first. The last range may
 * be cut short. */
struct ranges {
    const uint8_t *bytes;
    uint64_t first, last;
    uint32_t log2;
    uint8_t *made;         /* to make: where the checksums of these ranges go */
    const uint8_t *stored; /* to verify: where they are stored */
    uint64_t *bad;         /* to verify: for each part its first damaged range; 'last': none */
};

/* The logarithm of a part's bytes: at least one range. */
static uint32_t part_log2(uint32_t log2)
{
    return log2 < PART_LOG2 ? PART_LOG2 : log2;
}

static uint32_t checksum(const struct ranges *r, uint64_t from)
{
    const uint64_t left = r->last - from, whole = UINT64_C(1) << r->log2;
    return (uint32_t)zti_hash(r->bytes + (from - r->first), (size_t)(left < whole ? left : whole));
}

static bool one_part(void *shared, uint32_t worker, uint64_t number)
{
    const struct ranges *r = shared;
    (void)worker;
    const uint64_t part_bytes = UINT64_C(1) << part_log2(r->log2);
    const uint64_t first = r->first + number * part_bytes;
    const uint64_t last = r->last - first < part_bytes ? r->last : first + part_bytes;
    if (r->bad)
        r->bad[number] = r->last;
    for (uint64_t from = first; from < last; from += UINT64_C(1) << r->log2) {
        const uint64_t at = ((from - r->first) >> r->log2) * ZTI_CHECKSUM_BYTES;
        const uint32_t sum = checksum(r, from);
        if (r->made) {
            zti_put_le32(r->made + at, sum);
        } else if (sum != zti_get_le32(r->stored + at)) {
            r->bad[number] = from;
            return true;
        }
    }
    return true;
}

static uint64_t parts_of(const struct ranges *r)
{
    return ((r->last - r->first - 1) >> part_log2(r->log2)) + 1;
}

void zti_checksums_make(zt_context *context, const uint8_t *payload, uint64_t payload_bytes,
                        uint32_t log2, uint8_t *out)
{
    struct ranges r = {.bytes = payload, .last = payload_bytes, .log2 = log2, .made = out};
    if (payload_bytes > 0)
        zti_map(context, parts_of(&r), one_part, &r);
}

static zt_status is_damaged(zt_context *context, uint64_t number, const struct zti_frame *frame,
                            uint64_t at)
{
    return zti_fail(context, ZT_CORRUPT,
                    "frame %" PRIu64 ": of the %" PRIu64 " bytes of its payload the "
                    "range at byte %" PRIu64 " is damaged",
                    number, frame->payload_bytes, at);
}

zt_status zti_checksums_verify(zt_context *context, uint64_t number, const struct zti_frame *frame,
                               const struct zti_tail *tail, const uint8_t *bytes, uint64_t first,
                               uint64_t last)
{
    enum { BATCH = 256 }; /* parts */
    uint64_t bad[BATCH];
    const uint64_t batch_bytes = (uint64_t)BATCH << part_log2(tail->range_log2);
    for (uint64_t from = first; from < last; from += batch_bytes) {
        struct ranges r = {.bytes = bytes + (from - first),
                           .first = from,
                           .last = last - from < batch_bytes ? last : from + batch_bytes,
                           .log2 = tail->range_log2,
                           .stored =
                               tail->checksums + (from >> tail->range_log2) * ZTI_CHECKSUM_BYTES,
                           .bad = bad};
        const uint64_t parts = parts_of(&r);
        zti_map(context, parts, one_part, &r);
        for (uint64_t i = 0; i < parts; i++)
            if (bad[i] < r.last)
                return is_damaged(context, number, frame, bad[i]);
    }
    return ZT_OK;
}

/* ---- in a GPU's memory ---- */

/* Ranges whose checksums are copied to the host at a time, and what a thread does with them: store
 * them, or compare them until one differs, whose first byte becomes *bad. */
enum { DEVICE_RANGES = ZTI_DEVICE_SUMS_BYTES / 4 };

static bool use_sums(const struct ranges *r, uint64_t first, const uint32_t *sums, uint64_t count,
                     uint64_t *bad)
{
    const uint64_t from = ((first - r->first) >> r->log2) * ZTI_CHECKSUM_BYTES;
    for (uint64_t i = 0; i < count; i++) {
        if (r->made) {
            zti_put_le32(r->made + from + i * ZTI_CHECKSUM_BYTES, sums[i]);
        } else if (sums[i] != zti_get_le32(r->stored + from + i * ZTI_CHECKSUM_BYTES)) {
            *bad = first + (i << r->log2);
            return false;
        }
    }
    return true;
}

/* The checksums of at most DEVICE_RANGES ranges from byte 'first' on. */
static zt_status sums_on_device(zt_context *context, const struct ranges *r, uint64_t first,
                                uint64_t bytes, uint32_t *sums)
{
    const uint8_t *const at = r->bytes + (first - r->first);
    const uint64_t count = ((bytes - 1) >> r->log2) + 1, rest = (count - 1) << r->log2;
    uint8_t end[ZTI_DEVICE_UNHASHED_BYTES];
    void *there = NULL;
    zt_status status =
        context->device->room(context, ZTI_DEVICE_STREAM, count * sizeof *sums, &there);
    if (status)
        return status;
    context->device->hash(context, at, bytes, r->log2, there);
    status = zti_copy_bytes(context, sums, there, count * sizeof *sums);
    if (!status && bytes - rest <= sizeof end) {
        status = zti_copy_bytes(context, end, at + rest, bytes - rest);
        sums[count - 1] = (uint32_t)zti_hash(end, (size_t)(bytes - rest));
    }
    return status;
}

/* Make or verify them all; *bad: as in use_sums. */
static zt_status ranges_on_device(zt_context *context, const struct ranges *r, uint64_t *bad)
{
    const uint64_t most = (uint64_t)DEVICE_RANGES << r->log2;
    uint32_t *const sums = zti_alloc(context, DEVICE_RANGES * sizeof *sums);
    zt_status status =
        sums ? ZT_OK : zti_fail(context, ZT_NO_MEMORY, "no memory for the checksums of a payload");
    for (uint64_t from = r->first, n; !status && from < r->last; from += n) {
        n = r->last - from < most ? r->last - from : most;
        status = sums_on_device(context, r, from, n, sums);
        if (!status && !use_sums(r, from, sums, ((n - 1) >> r->log2) + 1, bad))
            break;
    }
    zti_release(context, sums);
    return status;
}

zt_status zti_checksums_make_on_device(zt_context *context, const uint8_t *payload,
                                       uint64_t payload_bytes, uint32_t log2, uint8_t *out)
{
    struct ranges r = {.bytes = payload, .last = payload_bytes, .log2 = log2, .made = out};
    uint64_t bad;
    return ranges_on_device(context, &r, &bad);
}

zt_status zti_checksums_verify_on_device(zt_context *context, uint64_t number,
                                         const struct zti_frame *frame, const struct zti_tail *tail,
                                         const uint8_t *bytes, uint64_t first, uint64_t last)
{
    struct ranges r = {.bytes = bytes,
                       .first = first,
                       .last = last,
                       .log2 = tail->range_log2,
                       .stored =
                           tail->checksums + (first >> tail->range_log2) * ZTI_CHECKSUM_BYTES};
    uint64_t bad = last;
    const zt_status status = ranges_on_device(context, &r, &bad);
    return status || bad == last ? status : is_damaged(context, number, frame, bad);
}
