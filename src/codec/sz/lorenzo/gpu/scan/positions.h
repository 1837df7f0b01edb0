/* positions.h: what one kernel of the sz codec finds in a tile for the one that makes values of
 * it: the only parts of a tile that must be gone through bit by bit. A slot a tile, in memory that
 * kernels work in:
 *
 *     found | marks (logarithms) | symbols (Huffman codes)   ...   tables of codes, chunks' places
 */
#ifndef ZTI_SZ_LORENZO_GPU_SCAN_POSITIONS_H
#define ZTI_SZ_LORENZO_GPU_SCAN_POSITIONS_H

#include "codec/sz/lorenzo/spec.h"

enum {
    FOUND_TILES = 1 << 14, /* slots at most: more tiles take several launches */
    CODED_SYMBOLS = ZTI_SZ_TILE_VALUES / 2 + 16 * ZTI_SZ_BOOKS /* each book's begin at 16 bytes */
};

#define FOUND_NOTHING UINT64_MAX /* the start of a tile that makes no sense */

/* A group: its class in 8 bits, where its planes are in 24, and in 32 its list or rounds, from the
 * tile's first bit, or with effort 'default' the number of its first symbol. */
struct sz_found {
    uint64_t start;                      /* bit of the stream */
    uint64_t away;                       /* the base less the centre, folded */
    uint32_t form, planes_at, values_at; /* bits from start */
    uint32_t rest_at;                    /* outliers; where there are none, the tile's end */
    uint32_t way[2];                     /* of marks */
    uint64_t excess_groups; /* a bit for each with values that are more than their symbols say, */
    uint32_t excess_at[ZTI_SZ_GROUPS]; /* and where it says how much more */
    uint64_t groups[ZTI_SZ_GROUPS];
    uint64_t exact[ZTI_SZ_GROUPS]; /* where the form says that there are any */
};

/* Bits of marks: of zeros, of negative values. */
struct sz_found_marks {
    uint64_t bits[2][ZTI_SZ_GROUPS];
};

ZTI_STATIC uint64_t sz_marks_bytes(const struct zti_sz *sz)
{
    return sz->source == ZTI_SZ_LOG ? sizeof(struct sz_found_marks) : 0;
}

/* Tables of codes: an entry for the next so many bits. */
enum { CUSZ_TABLE_BITS = 13, CODED_TABLE_BITS = 11 };

ZTI_STATIC uint32_t sz_table_bits(uint32_t coder)
{
    return coder == ZTI_SZ_CUSZ ? (uint32_t)CUSZ_TABLE_BITS : (uint32_t)CODED_TABLE_BITS;
}

ZTI_STATIC uint32_t sz_table_words(uint32_t coder)
{
    return books_of(coder) << sz_table_bits(coder);
}

/* Where symbols are in a slot, and the bytes of one: multiples of 64, since symbols of the cuSZ
 * coder are stored by so many, which then are two sectors of memory and not three. */
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

/* Slots for an array of so many tiles, and the bytes of these, of tables, and of the places of as
 * many chunks. */
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

/* Where chunks go on whose tiles take several launches. */
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
