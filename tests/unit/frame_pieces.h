/* frame_pieces.h: files of one frame taken to pieces and put together otherwise, with checksums
 * that hold. */
#ifndef ZTILE_TEST_FRAME_PIECES_H
#define ZTILE_TEST_FRAME_PIECES_H

#include "unit/frame_support.h"

#include "codec/sz/sz.h"
#include "frame/format/format.h"

/* A one-frame file taken to pieces, to be put together otherwise. */
struct pieces {
    struct zti_frame frame;
    unsigned char payload[4096];
    unsigned char tail[4096]; /* sections only */
    size_t tail_bytes;
};

static inline struct pieces take_apart(const struct bytes *file)
{
    struct pieces p;
    uint32_t header_bytes;
    assert_int_equal(zti_header_bytes(NULL, 0, file->data, &header_bytes), ZT_OK);
    assert_int_equal(zti_header_parse(NULL, 0, file->data, header_bytes, &p.frame), ZT_OK);
    assert_true(p.frame.payload_bytes <= sizeof p.payload - 64);
    memcpy(p.payload, file->data + header_bytes, (size_t)p.frame.payload_bytes);
    p.tail_bytes = (size_t)p.frame.tail_bytes - 8;
    memcpy(p.tail, file->data + header_bytes + p.frame.payload_bytes + 8, p.tail_bytes);
    return p;
}

static inline struct bytes put_together(struct pieces *p)
{
    struct bytes b = {.capacity = 16384};
    unsigned char *at = b.data = (unsigned char *)need(b.capacity);
    memset(b.data, 0, b.capacity);
    p->frame.tail_bytes = p->tail_bytes + 8;
    p->frame.header_bytes = (uint32_t)zti_header_store(&p->frame, at);
    at += p->frame.header_bytes;
    memset(at, 0, b.capacity - p->frame.header_bytes);
    memcpy(at, p->payload, (size_t)p->frame.payload_bytes);
    at += p->frame.payload_bytes + 8;
    memcpy(at, p->tail, p->tail_bytes);
    zti_put_le64(at + p->tail_bytes, zti_hash(at, p->tail_bytes));
    at += p->tail_bytes + 8;
    struct zti_table table = {.entries = NULL};
    assert_int_equal(zti_table_add(NULL, &table, (uint64_t)(at - b.data), p->frame.shape[0]),
                     ZT_OK);
    zti_table_store(&table, at);
    b.n = (size_t)(at - b.data) + (size_t)zti_table_bytes(&table);
    zti_table_free(NULL, &table);
    return b;
}

/* The checksum section, written again for what the payload has become. */
static inline void checksum_again(struct pieces *p)
{
    p->tail_bytes = 0;
    p->tail[p->tail_bytes++] = ZTI_SECTION_CHECKSUMS;
    p->tail[p->tail_bytes++] = 5;
    p->tail[p->tail_bytes++] = 16;
    zti_put_le32(p->tail + p->tail_bytes,
                 (uint32_t)zti_hash(p->payload, (size_t)p->frame.payload_bytes));
    p->tail_bytes += 4;
}

static inline void add_section(struct pieces *p, unsigned char type, const void *body,
                               size_t body_bytes)
{
    p->tail[p->tail_bytes++] = type;
    p->tail[p->tail_bytes++] = (unsigned char)body_bytes;
    memcpy(p->tail + p->tail_bytes, body, body_bytes);
    p->tail_bytes += body_bytes;
}

#endif
