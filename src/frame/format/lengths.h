/* lengths.h: the rules by which the lengths of a frame's parts follow from each other, and the
 * bytes of a header: for the CPU and for kernels. format.h describes the bytes. */
#ifndef ZTI_FRAME_FORMAT_LENGTHS_H
#define ZTI_FRAME_FORMAT_LENGTHS_H

#include "core/wire.h"
#include "index/index.h"

enum {
    ZTI_FORMAT_VERSION = 1,
    ZTI_FRAME_ALIGN_BYTES = 64,
    ZTI_GAP_BYTES = 8, /* zero bytes after a payload */
    ZTI_HASH_BYTES = 8,
    ZTI_CHECKSUM_BYTES = 4,
    ZTI_RANGE_LOG2 = 12, /* a checksum covers 2^12 bytes of payload: checksums are 0.1 % of it, and
                            boxes need not read far beyond what they need */
    ZTI_RANGE_LONG_LOG2 = 15, /* the largest, if a frame were else longer than its values */
    ZTI_RANGE_LEAST_LOG2 = 10,
    ZTI_RANGE_MOST_LOG2 = 30,
    ZTI_NAME_BYTES = 127, /* at most, without the zero byte */
    ZTI_UNITS_BYTES = 63,
    ZTI_HEADER_MAX_BYTES = 255 * ZTI_FRAME_ALIGN_BYTES, /* of any header */
    ZTI_HEADER_STORED_BYTES = 512, /* of the largest that zti_header_store writes */
    ZTI_TABLE_FOOT_BYTES = 16,     /* hash, length, magic */
    ZTI_TABLE_HEAD_MAX_BYTES = 5 + 2 * ZTI_VARINT_MAX_BYTES,
    ZTI_INDEX_CHUNK_MOST = 1 << 30, /* tiles */
    /* the smallest table: magic, version, frames, extent, one frame's two numbers, foot */
    ZTI_TABLE_MIN_BYTES = 5 + 4 + ZTI_TABLE_FOOT_BYTES
};

enum {
    ZTI_SECTION_END = 0,
    ZTI_SECTION_CHECKSUMS = 0x01,
    ZTI_SECTION_SIDE = 0x82,
    ZTI_SECTION_NAME = 0x03,
    ZTI_SECTION_UNITS = 0x04,
    ZTI_SECTION_INDEX = 0x05,
    ZTI_SECTION_SPECIAL = 0x86,
    ZTI_SECTION_PLAN = 0x87,
    ZTI_SECTION_COPY = 0x08,
    ZTI_SECTION_UNCOUNTED = 0x09,
    ZTI_SECTION_MEAN = 0x0a,
    ZTI_SECTION_LIMITS = 0x0b, /* and critical where decoded values are moved */
    ZTI_SECTION_CRITICAL = 0x80
};

/* Places in a header. */
enum {
    ZTI_AT_VERSION = 4,
    ZTI_AT_TYPE = 5,
    ZTI_AT_CODEC = 6,
    ZTI_AT_BOUND = 7,
    ZTI_AT_UNITS = 8,
    ZTI_AT_NUMBERS = 9
};

#define ZTI_FRAME_MAGIC 0x93, 'Z', 'T', 'F'
#define ZTI_TABLE_MAGIC 0x93, 'Z', 'T', 'S'
#define ZTI_END_MAGIC   'Z', 'T', 'E', 0x93

/* Whether a header can name an index of this kind with chunks of chunk_tiles tiles and partitions
 * of 'partition' chunks. Kinds of later versions can be named. */
ZTI_STATIC bool zti_is_index_named(uint32_t kind, uint64_t chunk_tiles, uint64_t partition)
{
    return kind >= ZT_INDEX_OFFSETS && chunk_tiles >= 1 && chunk_tiles <= ZTI_INDEX_CHUNK_MOST &&
           partition >= (kind == ZT_INDEX_HYBRID) && partition <= ZTI_INDEX_PARTITION_MOST;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Bytes of a section: type, length and body. */
ZTI_STATIC uint64_t zti_section_bytes(uint64_t body_bytes)
{
    return 1 + zti_varint_bytes(body_bytes) + body_bytes;
}

ZTI_STATIC uint8_t *zti_put_section(uint8_t *at, uint8_t type, uint64_t body_bytes)
{
    *at++ = type;
    return zti_put_varint(at, body_bytes);
}

/* Ranges of a payload that have a checksum each, and the body of their section. */
ZTI_STATIC uint64_t zti_ranges_of(uint64_t payload_bytes, uint32_t log2)
{
    return (payload_bytes >> log2) + ((payload_bytes & ((UINT64_C(1) << log2) - 1)) != 0);
}

ZTI_STATIC uint64_t zti_checksums_body_bytes(uint64_t payload_bytes, uint32_t log2)
{
    return 1 + zti_ranges_of(payload_bytes, log2) * ZTI_CHECKSUM_BYTES;
}

/* A tail has a copy of the header, and of the payload's head where that is short. The limits keep
 * the copy below about a thousandth of the payload. */
enum { ZTI_COPY_LEAST_BYTES = 1 << 19, ZTI_COPY_PART = 1024 };

ZTI_STATIC bool zti_has_copy(uint64_t payload_bytes)
{
    return payload_bytes >= ZTI_COPY_LEAST_BYTES;
}

ZTI_STATIC uint64_t zti_copied_bytes(uint64_t payload_bytes, uint64_t head_bytes)
{
    return head_bytes <= payload_bytes / ZTI_COPY_PART ? head_bytes : 0;
}

/* ---- a header -------------------------------------------------------------------------------- */

/* What of a header does not follow from the coded values: the bytes up to the payload's length;
 * those from the number of exact values to the codec's parameters; from there to the index; and
 * after it. */
struct zti_header_text {
    uint8_t front[ZTI_AT_NUMBERS], numbers[96], names[2 + ZTI_NAME_BYTES + 2 + ZTI_UNITS_BYTES],
        rest[128];
    uint32_t numbers_bytes, names_bytes, rest_bytes;
};

/* What does. index_kind 1 or less (ZT_INDEX_NONE): there is no index. */
struct zti_header_numbers {
    uint64_t payload_bytes, tail_bytes, index_bytes, index_chunk_tiles, index_partition;
    uint32_t index_kind, params_bytes;
    uint8_t params[32]; /* the codec's */
};

ZTI_STATIC bool zti_header_has_index(const struct zti_header_numbers *n)
{
    return n->index_kind != ZT_INDEX_NONE;
}

ZTI_STATIC uint64_t zti_header_index_bytes(const struct zti_header_numbers *n)
{
    return 1 + zti_varint_bytes(n->index_chunk_tiles) + zti_varint_bytes(n->index_partition) +
           zti_varint_bytes(n->index_bytes);
}

/* Bytes of a header without the lengths of payload and tail, its hash and padding. */
ZTI_STATIC uint64_t zti_header_rest_bytes(const struct zti_header_text *t,
                                          const struct zti_header_numbers *n)
{
    return (uint64_t)ZTI_AT_NUMBERS + t->numbers_bytes + 1 + n->params_bytes + t->names_bytes +
           (zti_header_has_index(n) ? zti_section_bytes(zti_header_index_bytes(n)) : 0) +
           t->rest_bytes;
}

/* Bytes of the whole header. */
ZTI_STATIC uint32_t zti_header_whole_bytes(uint64_t rest_bytes, uint64_t payload_bytes,
                                           uint64_t tail_bytes)
{
    return (uint32_t)zti_round_up(rest_bytes + zti_varint_bytes(payload_bytes) +
                                      zti_varint_bytes(tail_bytes) + ZTI_HASH_BYTES,
                                  ZTI_FRAME_ALIGN_BYTES);
}

ZTI_STATIC uint8_t *zti_put_run(uint8_t *at, const uint8_t *bytes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        at[i] = bytes[i];
    return at + n;
}

/* Write a header, all but its hash; returns its bytes, the hash included. */
ZTI_STATIC uint32_t zti_header_join(const struct zti_header_text *t,
                                    const struct zti_header_numbers *n, uint8_t *out)
{
    const uint32_t bytes =
        zti_header_whole_bytes(zti_header_rest_bytes(t, n), n->payload_bytes, n->tail_bytes);
    uint8_t *at = zti_put_run(out, t->front, ZTI_AT_NUMBERS);
    out[ZTI_AT_UNITS] = (uint8_t)(bytes / ZTI_FRAME_ALIGN_BYTES);
    at = zti_put_varint(at, n->payload_bytes);
    at = zti_put_varint(at, n->tail_bytes);
    at = zti_put_run(at, t->numbers, t->numbers_bytes);
    *at++ = (uint8_t)n->params_bytes;
    at = zti_put_run(at, n->params, n->params_bytes);
    at = zti_put_run(at, t->names, t->names_bytes);
    if (zti_header_has_index(n)) {
        at = zti_put_section(at, ZTI_SECTION_INDEX, zti_header_index_bytes(n));
        *at++ = (uint8_t)n->index_kind;
        at = zti_put_varint(at, n->index_chunk_tiles);
        at = zti_put_varint(at, n->index_partition);
        at = zti_put_varint(at, n->index_bytes);
    }
    at = zti_put_run(at, t->rest, t->rest_bytes);
    while (at < out + bytes - ZTI_HASH_BYTES)
        *at++ = 0;
    return bytes;
}

/* ---- a frame --------------------------------------------------------------------------------- */

/* The lengths from which zti_lengths_measure finds the others. */
struct zti_lengths {
    uint64_t values_bytes; /* of the slab, uncompressed */
    uint64_t payload_bytes, head_bytes;
    uint64_t sections_bytes;    /* of the tail's, but for checksums and copy */
    uint64_t header_rest_bytes; /* zti_header_rest_bytes */
    uint64_t tail_bytes;        /* result */
    uint32_t header_bytes;      /* result */
    uint32_t range_log2;        /* of checksums; result */
};

ZTI_STATIC uint64_t zti_lengths_sum(const struct zti_lengths *l)
{
    return l->header_bytes + l->payload_bytes + ZTI_GAP_BYTES + l->tail_bytes;
}

/* Bytes of the tail with the copy section. It holds the header, which states these bytes as a
 * varint; so they are found by iteration. */
ZTI_STATIC uint64_t zti_tail_with_copy(const struct zti_lengths *l, uint64_t bytes)
{
    const uint64_t head = zti_copied_bytes(l->payload_bytes, l->head_bytes);
    uint64_t all = bytes, n = 0, header_bytes;
    for (; n !=
           (header_bytes = zti_header_whole_bytes(l->header_rest_bytes, l->payload_bytes, all));) {
        n = header_bytes;
        all = bytes + zti_section_bytes(head + n);
    }
    return all;
}

/* Doubles the ranges of checksums while the frame is longer than its values and that makes
 * checksums fewer. */
ZTI_STATIC void zti_lengths_measure(struct zti_lengths *l)
{
    for (l->range_log2 = ZTI_RANGE_LOG2;; l->range_log2++) {
        l->tail_bytes =
            ZTI_HASH_BYTES + l->sections_bytes +
            zti_section_bytes(zti_checksums_body_bytes(l->payload_bytes, l->range_log2));
        if (zti_has_copy(l->payload_bytes))
            l->tail_bytes = zti_tail_with_copy(l, l->tail_bytes);
        l->header_bytes =
            zti_header_whole_bytes(l->header_rest_bytes, l->payload_bytes, l->tail_bytes);
        if (zti_lengths_sum(l) <= l->values_bytes || l->range_log2 == ZTI_RANGE_LONG_LOG2 ||
            zti_ranges_of(l->payload_bytes, l->range_log2) < 2)
            return;
    }
}

/* ---- the seek table -------------------------------------------------------------------------- */

ZTI_STATIC uint8_t *zti_table_put_head(uint8_t *out, uint64_t frames, uint64_t extent)
{
    const uint8_t magic[4] = {ZTI_TABLE_MAGIC};
    out = zti_put_run(out, magic, sizeof magic);
    *out++ = ZTI_FORMAT_VERSION;
    return zti_put_varint(zti_put_varint(out, frames), extent);
}

ZTI_STATIC uint8_t *zti_table_put_entry(uint8_t *at, uint64_t frame_bytes, uint64_t extent)
{
    return zti_put_varint(zti_put_varint(at, frame_bytes), extent);
}

/* Write what follows the table's first n bytes; hash: theirs. */
ZTI_STATIC uint8_t *zti_table_put_foot(uint8_t *at, uint64_t n, uint64_t hash)
{
    const uint8_t magic[4] = {ZTI_END_MAGIC};
    zti_put_le64(at, hash);
    zti_put_le32(at + 8, (uint32_t)(n + ZTI_TABLE_FOOT_BYTES));
    return zti_put_run(at + 12, magic, sizeof magic);
}

/* ---- the index of a frame -------------------------------------------------------------------- */

/* Frames with fewer chunks have no index by default, because they are decoded quickly without; the
 * second limit is for chunks of large tiles. */
enum { ZTI_DEFAULT_INDEX_CHUNKS = 64, ZTI_LARGE_INDEX_CHUNKS = 8 };

/* The bits that a chunk of the default index has at least, if it has fewer tiles than the codec's
 * usual number: an entry takes some 14 bits, so the index less than 0.25 % of them. */
enum { ZTI_DEFAULT_CHUNK_BITS = 5600 };

/* Tiles of a chunk of the default index of a stream of 'tiles' tiles and 'bits' bits. */
ZTI_STATIC uint32_t zti_index_fit_chunk(uint32_t usual_chunk_tiles, uint64_t tiles, uint64_t bits)
{
    uint32_t each = usual_chunk_tiles;
    while (each > 1 && bits / tiles * (each / 2) >= ZTI_DEFAULT_CHUNK_BITS)
        each /= 2;
    return each;
}

/* The fewest chunks, of the usual number of tiles, of a frame that gets an index: by default, or
 * where one was asked for. */
ZTI_STATIC uint64_t zti_index_least_chunks(bool is_default, bool has_large_chunks)
{
    if (!is_default)
        return 2;
    return has_large_chunks ? ZTI_LARGE_INDEX_CHUNKS : ZTI_DEFAULT_INDEX_CHUNKS;
}

/* Whether a frame of this many chunks, which take 'bits' bits together, gets a default index. One
 * of few and short chunks gets none. */
ZTI_STATIC bool zti_index_pays(uint32_t usual_chunk_tiles, uint64_t chunks, uint64_t bits)
{
    return usual_chunk_tiles == 1 || chunks >= ZTI_DEFAULT_INDEX_CHUNKS ||
           bits / chunks >= ZTI_DEFAULT_CHUNK_BITS;
}

#endif
