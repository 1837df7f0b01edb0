/* layout.h: the table of functions that each layout (offsets.c, lengths.c, hybrid.c, compact.c,
 * ends.c) gives to head.c, and helpers and rules that they and kernels share. Used in this folder
 * only. */
#ifndef ZTI_INDEX_LAYOUT_H
#define ZTI_INDEX_LAYOUT_H

#include "core/wire.h"
#include "index/elias_fano.h"
#include "index/index.h"

struct zti_layout {
    const char *name;

    /* Bytes of the body; write the body. Arguments as for zti_index_store. NULL for ends, which the
     * codec writes. */
    uint64_t (*body_bytes)(const struct zti_index_layout *layout, const uint64_t *starts,
                           uint64_t chunks);
    void (*store)(const struct zti_index_layout *layout, const uint64_t *starts, uint64_t chunks,
                  uint8_t *out);

    /* Check the body's size and set the fields that the other functions need. layout, chunks, body
     * and body_bytes are set, and end is the stream's. If the body says where the last chunk ends,
     * open or check sets end to that. */
    zt_status (*open)(zt_context *context, struct zti_index *index);

    /* Check the body's contents. */
    zt_status (*check)(zt_context *context, struct zti_index *index);

    /* Where a chunk begins, 0 < chunk < chunks. */
    uint64_t (*start)(const struct zti_index *index, uint64_t chunk);

    /* The parts that chunks [first, last] need, first < last; w is all zeros. */
    void (*window)(const struct zti_index *index, uint64_t first, uint64_t last,
                   struct zti_index_window *w);
};

extern const struct zti_layout zti_layout_offsets;
extern const struct zti_layout zti_layout_lengths;
extern const struct zti_layout zti_layout_hybrid;
extern const struct zti_layout zti_layout_compact;
extern const struct zti_layout zti_layout_ends;

/* ZT_CORRUPT for a body of another size than the chunks need. */
zt_status zti_index_bad_size(zt_context *context, const struct zti_index *index);

/* Set 'end' as the end of the last chunk; ZT_CORRUPT unless it is the stream's, except for
 * padding. */
zt_status zti_index_set_end(zt_context *context, struct zti_index *index, uint64_t end);

/* ---- the head that all layouts but ends share: kind, C, P ---- */

ZTI_STATIC uint64_t zti_index_head_bytes(const struct zti_index_layout *layout)
{
    return 1 + zti_varint_bytes(layout->chunk_tiles) +
           (layout->kind == ZT_INDEX_HYBRID ? zti_varint_bytes(layout->partition) : 0);
}

ZTI_STATIC uint8_t *zti_index_put_head(const struct zti_index_layout *layout, uint8_t *out)
{
    *out++ = (uint8_t)layout->kind;
    out = zti_put_varint(out, layout->chunk_tiles);
    return layout->kind == ZT_INDEX_HYBRID ? zti_put_varint(out, layout->partition) : out;
}

/* ---- lengths of 2, 4 or 8 bytes (lengths.c): the width that the longest chunk needs ---- */

uint32_t zti_length_width(const uint64_t *starts, uint64_t chunks);

/* The width for the bitwise OR of all lengths, which has as many bits as the longest length. */
ZTI_STATIC uint32_t zti_length_width_of(uint64_t any)
{
    return any <= UINT16_MAX ? 2 : any <= UINT32_MAX ? 4 : 8;
}

/* Bytes of a partition of a hybrid index, and how many there are. */
ZTI_STATIC uint64_t zti_partition_bytes(uint32_t partition, uint32_t width)
{
    return 8 + (uint64_t)partition * width;
}

ZTI_STATIC uint64_t zti_partitions_of(uint64_t chunks, uint32_t partition)
{
    return zti_ceil_div(chunks, partition);
}

ZTI_STATIC bool zti_is_length_width(uint32_t width)
{
    return width == 2 || width == 4 || width == 8;
}

/* Bytes of a body of numbers of 'width' bytes (offsets: 8); bits: of compact's blocks. */
ZTI_STATIC uint64_t zti_index_body_bytes(const struct zti_index_layout *layout, uint64_t chunks,
                                         uint32_t width, uint64_t bits)
{
    return layout->kind == ZT_INDEX_OFFSETS   ? 8 * chunks
           : layout->kind == ZT_INDEX_LENGTHS ? 1 + chunks * width
           : layout->kind == ZT_INDEX_HYBRID
               ? 1 + zti_partitions_of(chunks, layout->partition) *
                         zti_partition_bytes(layout->partition, width)
               : 1 + compact_directory_bytes(chunks, width) + zti_ceil_div(bits, 8);
}

/* zti_layout.open of lengths and hybrid. */
zt_status zti_open_lengths(zt_context *context, struct zti_index *index);

uint8_t *zti_store_length(uint8_t *to, uint64_t length, uint32_t width);

/* Store the lengths of n chunks in 'width' bytes each; returns the end. */
uint8_t *zti_store_lengths(uint8_t *to, const uint64_t *starts, uint64_t n, uint32_t width);

/* The sum of n lengths, modulo 2^64. */
uint64_t zti_sum_lengths(const uint8_t *from, uint64_t n, uint32_t width);

/* Add n <= ZTI_INDEX_PARTITION_MOST lengths to *sum; false if that exceeds 'limit'. */
bool zti_add_lengths(const uint8_t *from, uint64_t n, uint32_t width, uint64_t limit,
                     uint64_t *sum);

#endif
