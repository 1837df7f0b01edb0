/* special.h: values that no lossy codec can be given as they are: NaN, infinities, and the fill
 * values that the caller names. Their places and bits are kept in a section of the frame, and
 * what the codec sees in their places is smooth. */
#ifndef ZTI_FRAME_FORMAT_SPECIAL_H
#define ZTI_FRAME_FORMAT_SPECIAL_H

#include "array/array.h"
#include "bits/bits.h"
#include "codec/codec.h"
#include "core/buffer.h"
#include "quality/quality.h"

/* The section's body (tail section 86). The frame's header has the number of special values.
 *
 *   size       field
 *   u8         P, distinct bit patterns, 0..16; 0: each special value is stored
 *   u8         k, 0..20; 255: the places are a bit map; 32 + k: of repeats, see below
 *   varint     repeats only: the distance, 64 values or more
 *   varint     R, bytes of the places
 *   P values   the patterns, in the order in which they first occur
 *   R bytes    places, by runs in C order: values that are not special before a run (after the
 *              first run one less, as there is one at least), then the run's length less 1; both
 *              in Golomb's code of exponential order, the first with k, the second with 0; padded
 *              with zero bits. Or a bit for each value of the frame, set where it is special
 *   bytes      P > 1: the pattern's number for each special value, in as many bits as P - 1 has.
 *              P = 0: the values
 *
 * Where one slice has special values in the places of the one before, the runs are those of values
 * that are special and whose fellow the distance before them is not, or the other way round; the
 * first ones have none, which is not special. The distance is the product of the last extents.
 *
 * The code of n with k: v = n + 2^k has L + 1 bits; L - k zero bits, a one bit, then the low L bits
 * of v, least significant first. */
enum {
    ZTI_SPECIAL_PATTERNS = 16,
    ZTI_SPECIAL_MAX_K = 20,
    ZTI_SPECIAL_BIT_MAP = 255,
    ZTI_SPECIAL_REPEATS = 32,
    ZTI_SPECIAL_DISTANCE_LEAST = 64,
    /* Of the values of a frame, this part at most is stored one by one; with more patterns of more
     * values the frame is coded without loss. */
    ZTI_SPECIAL_PART = 8
};

/* The special values of a slab while it is coded. */
struct zti_special {
    uint64_t *mask; /* a bit for each value, in C order; whole words */
    uint64_t values;
    uint64_t count;         /* of special ones */
    bool is_over;           /* too many to be stored one by one */
    struct zti_buffer body; /* of the section */
    uint64_t body_bytes;
    struct zti_buffer filled; /* the slab with them filled in */
};

/* Find the special values of a slab and make the section's body: values with one of 'fills' bit
 * patterns, and where the type has them NaN and infinities. */
zt_status zti_special_find(zt_context *context, const struct zti_array *slab, uint32_t fills,
                           const uint64_t *fill, struct zti_special *special);
void zti_special_free(zt_context *context, struct zti_special *special);

/* The most bytes of a body. */
uint64_t zti_special_bytes_max(uint32_t type, uint64_t values);

/* Places that are changes from slice to slice (special_repeats.c). */
struct zti_special_repeats {
    uint64_t distance;  /* values of a slice; 0: the places are no changes */
    uint64_t pieces;    /* of a slice, between columns where changes begin or end */
    uint64_t leaves;    /* of the tree: a power of two; pieces or more */
    uint64_t *cut;      /* where each piece begins, and the slice's end */
    uint64_t *special;  /* columns below each node of the tree, number 1 the root, that are */
    uint8_t *is_turned; /* nodes below which what is special is the other way round */
};

/* A section that is read. */
struct zti_special_section {
    const uint8_t *body;
    uint64_t body_bytes;
    uint32_t type; /* zt_type */
    uint64_t values, count;
    uint32_t patterns;
    uint32_t k;
    const uint8_t *pattern, *places, *rest;
    uint64_t places_bytes;
    struct zti_special_repeats repeats;
};

/* Parse and check a body; ZT_CORRUPT unless it places 'count' values of an array of this shape.
 * Eight bytes beyond the body are readable. Memory that places need, which is no more than a few
 * hundred times the body's, is in 'memory'. */
zt_status zti_special_parse(zt_context *context, uint64_t number, const uint8_t *body,
                            uint64_t body_bytes, uint32_t type, uint32_t rank,
                            const uint64_t *shape, uint64_t count, struct zti_buffer *memory,
                            struct zti_special_section *section);

/* Add a section's finite values to a list of ZT_MAX_FILLS fill values at most. */
void zti_special_fills(const struct zti_special_section *section, uint32_t *fills, uint64_t *fill);

/* Put the special values of a frame of this shape that lie in a view where they belong; repeats are
 * of the last of its extents. */
void zti_special_apply(const struct zti_special_section *section, uint32_t rank,
                       const uint64_t *shape, const struct zti_view *view);

/* ---- special.c and special_repeats.c ---- */

/* The runs of a section, one after the other. */
struct zti_special_places {
    const struct zti_special_section *section;
    struct zti_bit_reader reader;
    uint64_t first, last; /* the run at hand */
};

struct zti_special_places zti_special_places_of(const struct zti_special_section *section);

/* The next run; false after the last one, or where the bits make no run within the frame. */
bool zti_special_next(struct zti_special_places *places);

/* The rows of a view, one after the other: values [first, first + n) of the frame. */
struct zti_special_row {
    const struct zti_special_section *section;
    uint32_t rank;
    const uint64_t *shape;
    const struct zti_view *view;
    uint64_t place[ZT_MAX_RANK];
    uint64_t first, n;
    char *out;
};

bool zti_special_next_row(struct zti_special_row *row);

/* Put special values in the places [first, last) of a row; the first is number 'number' of them. */
void zti_special_put(const struct zti_special_row *row, uint64_t first, uint64_t last,
                     uint64_t number);

/* What reading repeats takes, in 'memory'; and whether they are the section's 'count' values. */
zt_status zti_special_repeats_open(zt_context *context, struct zti_special_section *section,
                                   struct zti_buffer *memory);
bool zti_special_repeats_are_good(const struct zti_special_section *section);

/* Put what the rows of a view, from the one at hand on, have of them. */
void zti_special_repeats_apply(const struct zti_special_section *section,
                               struct zti_special_row *row);

#endif
