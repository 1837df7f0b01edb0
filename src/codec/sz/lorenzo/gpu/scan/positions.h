/* positions.h: the positions of each group, list and symbol of a tile, found by the scan kernel and
 * read by the decode kernel. Only these must be found bit by bit, one after another. A tile has a
 * slot in the kernels' work memory:
 *
 *     found | marks (logarithms) | symbols (Huffman codes)  ...  tables of codes, chunks' places
 */
#ifndef ZTI_SZ_LORENZO_GPU_SCAN_POSITIONS_H
#define ZTI_SZ_LORENZO_GPU_SCAN_POSITIONS_H

#include "codec/sz/lorenzo/spec.h"

enum {
    FOUND_TILES = 1 << 14, /* most slots; more tiles take several launches */
    CODED_SYMBOLS = ZTI_SZ_TILE_VALUES / 2 + 16 * ZTI_SZ_BOOKS /* books begin at 16 bytes */
};

#define FOUND_NOTHING UINT64_MAX /* the start of a tile that is not valid */

/* groups[]: 8 bits have the class, 24 the place of the planes, and 32 the place of the list or
 * rounds, all from the tile's first bit; with effort 'default' the 32 bits have the number of the
 * first symbol. */
struct sz_found {
    uint64_t start;                      /* bit of the stream */
    uint64_t away;                       /* the base less the centre, folded */
    uint32_t form, planes_at, values_at; /* bits from start */
    uint32_t rest_at;                    /* outliers, or the tile's end */
    uint32_t way[2];                     /* forms of marks */
    uint64_t excess_groups;              /* a bit for each group with excesses, */
    uint32_t excess_at[ZTI_SZ_GROUPS];   /* and the place of its excesses */
    uint64_t groups[ZTI_SZ_GROUPS];
    uint64_t exact[ZTI_SZ_GROUPS]; /* if the form has exact values */
};

/* Bits of marks: of zeros, of negative values. */
struct sz_found_marks {
    uint64_t bits[2][ZTI_SZ_GROUPS];
};

ZTI_STATIC uint64_t sz_marks_bytes(const struct zti_sz *sz)
{
    return sz->source == ZTI_SZ_LOG ? sizeof(struct sz_found_marks) : 0;
}

/* Bits of the index of tables of codes. */
enum { CUSZ_TABLE_BITS = 13, CODED_TABLE_BITS = 11 };

ZTI_STATIC uint32_t sz_table_bits(uint32_t coder)
{
    return coder == ZTI_SZ_CUSZ ? (uint32_t)CUSZ_TABLE_BITS : (uint32_t)CODED_TABLE_BITS;
}

ZTI_STATIC uint32_t sz_table_words(uint32_t coder)
{
    return books_of(coder) << sz_table_bits(coder);
}

/* The place of symbols in a slot, and the bytes of a slot, are multiples of 64: the cuSZ coder
 * stores symbols by 64 bytes, which are then two memory sectors rather than three. */
enum { FOUND_ALIGNED = 64 };

ZTI_STATIC uint64_t sz_symbols_at(const struct zti_sz *sz)
{
    const uint64_t at = sizeof(struct sz_found) + sz_marks_bytes(sz);
    return (at + FOUND_ALIGNED - 1) / FOUND_ALIGNED * FOUND_ALIGNED;
}

ZTI_STATIC uint64_t sz_slot_bytes(const struct zti_sz *sz)
{
    const uint64_t symbols = sz->coder == ZTI_SZ_CUSZ   ? 2 * (uint64_t)ZTI_SZ_TILE_VALUES
                             : sz->coder == ZTI_SZ_FAST ? 0
                                                        : (uint64_t)CODED_SYMBOLS;
    return (sz_symbols_at(sz) + symbols + FOUND_ALIGNED - 1) / FOUND_ALIGNED * FOUND_ALIGNED;
}

/* The number of slots for an array of 'tiles' tiles, and the bytes of these, of the tables, and of
 * the places of as many chunks. */
ZTI_STATIC uint64_t sz_slots_of(uint64_t tiles)
{
    return tiles < (uint64_t)FOUND_TILES ? tiles : (uint64_t)FOUND_TILES;
}

ZTI_STATIC uint64_t sz_found_bytes(const struct zti_sz *sz, uint64_t tiles)
{
    return sz_slots_of(tiles) * (sz_slot_bytes(sz) + sizeof(uint64_t)) +
           sz_table_words(sz->coder) * sizeof(uint32_t);
}

ZTI_STATIC struct sz_found *sz_slot(void *work, const struct zti_sz *sz, uint64_t slot)
{
    return (struct sz_found *)(void *)((char *)work + slot * sz_slot_bytes(sz));
}

ZTI_STATIC uint32_t *sz_tables_in(void *work, const struct zti_sz *sz, uint64_t slots)
{
    return (uint32_t *)(void *)((char *)work + slots * sz_slot_bytes(sz));
}

/* Where chunks continue whose tiles take several launches. */
ZTI_STATIC uint64_t *sz_chunk_places(void *work, const struct zti_sz *sz, uint64_t slots)
{
    uint32_t *const tables = sz_tables_in(work, sz, slots);
    return (uint64_t *)(void *)(tables + sz_table_words(sz->coder));
}

ZTI_STATIC struct sz_found_marks *sz_marks_in(struct sz_found *found)
{
    return (struct sz_found_marks *)(void *)(found + 1);
}

ZTI_STATIC void *sz_symbols_in(struct sz_found *found, const struct zti_sz *sz)
{
    return (char *)found + sz_symbols_at(sz);
}

#endif
