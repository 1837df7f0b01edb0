/* zt_repair.c: make the checksums of a damaged .zt file right again, as far as its parts can be
 * found, so that a fuzzer gets behind them. Written from the format's description, not from the
 * library's parser. */
#include "zt_repair.h"

#include <string.h>
#include <xxhash.h>

static void put_hash(uint8_t *to, const uint8_t *from, size_t bytes)
{
    uint64_t hash = XXH3_64bits(from, bytes);
    for (int i = 0; i < 8; i++)
        to[i] = (uint8_t)(hash >> 8 * i);
}

/* False where it does not end before 'end'. */
static bool take_varint(const uint8_t *data, size_t *at, size_t end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = data[(*at)++];
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

/* The checksums of a payload are the first section of its tail: type 1, length, a byte with the
 * range's bytes as power of two, and for each range four bytes of its hash. */
static void repair_payload(uint8_t *payload, size_t payload_bytes, uint8_t *tail, size_t tail_bytes)
{
    uint64_t length;
    size_t at = 1;
    if (tail_bytes < 2 || tail[0] != 1 || !take_varint(tail, &at, tail_bytes, &length))
        return;
    const size_t range = (size_t)1 << (tail[at++] & 31);
    for (size_t from = 0; from < payload_bytes && at + 4 <= tail_bytes; from += range, at += 4) {
        const size_t bytes = payload_bytes - from < range ? payload_bytes - from : range;
        uint8_t hash[8];
        put_hash(hash, payload + from, bytes);
        memcpy(tail + at, hash, 4);
    }
}

/* Repair the frame at 'start'; returns where the next one begins, 0 where there is none. */
static size_t repair_frame(uint8_t *data, size_t bytes, size_t start)
{
    uint8_t *frame = data + start;
    size_t left = bytes - start, at = 9;
    uint64_t payload_bytes, tail_bytes;
    if (left < 64 || memcmp(frame, "\x93ZTF", 4) != 0)
        return 0;
    size_t header_bytes = (size_t)frame[8] * 64;
    if (header_bytes < 64 || header_bytes > left)
        return 0;
    put_hash(frame + header_bytes - 8, frame, header_bytes - 8);
    if (!take_varint(frame, &at, header_bytes, &payload_bytes) ||
        !take_varint(frame, &at, header_bytes, &tail_bytes))
        return 0;
    left -= header_bytes;
    if (payload_bytes > left || left - payload_bytes < 8 || tail_bytes < 8 ||
        tail_bytes > left - payload_bytes - 8)
        return 0;
    uint8_t *payload = frame + header_bytes, *tail = payload + payload_bytes + 8;
    repair_payload(payload, (size_t)payload_bytes, tail, (size_t)tail_bytes - 8);
    put_hash(tail + tail_bytes - 8, tail, (size_t)tail_bytes - 8);
    size_t end = (size_t)(tail - data) + (size_t)tail_bytes;
    size_t next = (end + 63) / 64 * 64;
    return next < bytes ? next : 0;
}

void zt_repair(uint8_t *data, size_t bytes)
{
    for (size_t at = 0, next; (next = repair_frame(data, bytes, at)) != 0; at = next)
        continue;
    if (bytes < 24 || memcmp(data + bytes - 4, "ZTE\x93", 4) != 0)
        return;
    size_t table_bytes = data[bytes - 8] | (size_t)data[bytes - 7] << 8 |
                         (size_t)data[bytes - 6] << 16 | (size_t)data[bytes - 5] << 24;
    if (table_bytes >= 16 && table_bytes <= bytes)
        put_hash(data + bytes - 16, data + bytes - table_bytes, table_bytes - 16);
}
