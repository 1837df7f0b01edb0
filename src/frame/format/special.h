/* special.h: the section of special values: NaN, infinities and the fill values that the caller
 * names, which no lossy codec is given. The section keeps their places and bits exactly. */
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
 *   u8         k, 0..20; 255: the places are a bit map; 32 + k: they are repeats, see below
 *   varint     repeats only: the distance D, 64 values or more
 *   varint     R, bytes of the places
 *   P values   the patterns, in the order in which they first occur
 *   R bytes    runs of special values in C order: the number of values between the run before and
 *              this one (less 1 but for the first run), then the run's length less 1; both in
 *              exp-Golomb codes, the first with k, the second with 0; padded with zero bits. Or a
 *              bit map: a bit for each value of the frame, set where it is special
 *   bytes      P > 1: the pattern's number for each special value, in as many bits as P - 1 has.
 *              P = 0: the values
 *
 * Repeats are for arrays whose slices have special values in the same places. Let s(i) be 1 if
 * value i is special, else 0; s(i) = 0 for i < 0. The runs are then those of the values whose s(i)
 * differs from s(i - D). D is a product of the last extents: the values of a row, slice or volume.
 *
 * The exp-Golomb code of n with k: v = n + 2^k has L + 1 bits; the code is L - k zero bits, a one
 * bit, then the low L bits of v, least significant first. */
enum {
    ZTI_SPECIAL_PATTERNS = 16,
    ZTI_SPECIAL_MAX_K = 20,
    ZTI_SPECIAL_BIT_MAP = 255,
    ZTI_SPECIAL_REPEATS = 32,
    ZTI_SPECIAL_DISTANCE_LEAST = 64,
    /* Above 16 patterns, at most 1 in 8 values of a frame may be special; else the frame is coded
     * without loss. */
    ZTI_SPECIAL_PART = 8
};

/* The special values of a slab while it is coded. */
struct zti_special {
    uint64_t *mask; /* a bit for each value, in C order; whole words */
    uint64_t values;
    uint64_t count;         /* special ones among them */
    bool is_over;           /* too many patterns and values to be stored */
    struct zti_buffer body; /* the section's */
    uint64_t body_bytes;
    struct zti_buffer filled; /* the slab with special values replaced (write/fill.c) */
};

/* Find the special values of a slab and make the section's body. Special are NaN, infinities, and
 * values with one of the 'fills' bit patterns of 'fill'. */
zt_status zti_special_find(zt_context *context, const struct zti_array *slab, uint32_t fills,
                           const uint64_t *fill, struct zti_special *special);
void zti_special_free(zt_context *context, struct zti_special *special);

/* The most bytes of a body. */
uint64_t zti_special_bytes_max(uint32_t type, uint64_t values);

/* A segment tree for reading repeats (special_repeats.c). */
struct zti_special_repeats {
    uint64_t distance;  /* D above; 0: the places are no repeats */
    uint64_t pieces;    /* of a slice, cut where any run begins or ends */
    uint64_t leaves;    /* of the tree: a power of two, at least pieces */
    uint64_t *cut;      /* where each piece begins, and the slice's end */
    uint64_t *special;  /* special columns below each node; node 1 is the root */
    uint8_t *is_turned; /* nodes whose subtrees count inverted */
};

/* A parsed section. */
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

/* Parse and check a body; ZT_CORRUPT unless it places 'count' values in an array of this shape.
 * Eight bytes beyond the body are readable. Repeats are expanded in 'memory', at most a few hundred
 * times the body's size. */
zt_status zti_special_parse(zt_context *context, uint64_t number, const uint8_t *body,
                            uint64_t body_bytes, uint32_t type, uint32_t rank,
                            const uint64_t *shape, uint64_t count, struct zti_buffer *memory,
                            struct zti_special_section *section);

/* Add a section's finite values to a list of ZT_MAX_FILLS fill values at most. */
void zti_special_fills(const struct zti_special_section *section, uint32_t *fills, uint64_t *fill);

/* Store those special values of a frame of this shape that lie in a view. */
void zti_special_apply(const struct zti_special_section *section, uint32_t rank,
                       const uint64_t *shape, const struct zti_view *view);

/* ---- special.c and special_repeats.c ---- */

/* An iterator over the runs of a section. */
struct zti_special_places {
    const struct zti_special_section *section;
    struct zti_bit_reader reader;
    uint64_t first, last; /* the current run */
};

struct zti_special_places zti_special_places_of(const struct zti_special_section *section);

/* Go to the next run; false after the last one, or if the bits give no run within the frame. */
bool zti_special_next(struct zti_special_places *places);

/* An iterator over the rows of a view: a row is values [first, first + n) of the frame. */
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

/* Store special values number, number + 1, ... of the section in places [first, last) of a row. */
void zti_special_restore(const struct zti_special_row *row, uint64_t first, uint64_t last,
                         uint64_t number);

/* Build the segment tree of repeats in 'memory'; then check that they place 'count' values. */
zt_status zti_special_repeats_open(zt_context *context, struct zti_special_section *section,
                                   struct zti_buffer *memory);
bool zti_special_repeats_are_good(const struct zti_special_section *section);

/* Store special values in the current row of a view and all after it. */
void zti_special_repeats_apply(const struct zti_special_section *section,
                               struct zti_special_row *row);

#endif
