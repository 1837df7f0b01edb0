/* ndzip.h: declarations that the files of the ndzip codec share: its kernels, and the walk over
 * cubes. */
#ifndef ZTI_NDZIP_H
#define ZTI_NDZIP_H

#include "codec/codec.h"
#include "codec/ndzip/spec.h"
#include "core/cpu.h"

enum {
    ZTI_NDZIP_OVERSHOOT = 64, /* bytes beyond a record that kernels may read or write */
    ZTI_NDZIP_AHEAD = 16,     /* distance of the prefetch of values, in parts of 64 values */
    ZTI_NDZIP_NEAR = 8        /* the same for values that are in a farther cache already */
};

extern const struct zti_codec zti_codec_ndzip;

/* The values of a cube as rows of consecutive elements: a plane has rows row_bytes apart, and
 * planes are plane_bytes apart. ahead: the next cube's first row, with the same distances, to be
 * prefetched while this cube is coded. far: the first of far_rows rows of far_bytes (0: none), with
 * the same distances, to be prefetched to a farther cache for later cubes. is_fetched: this was
 * done for the rows of this cube. */
struct zti_ndzip_rows {
    uint8_t *at;
    uint8_t *ahead;
    uint8_t *far;
    uint32_t far_rows;
    uint32_t far_bytes;
    bool is_fetched;
    int64_t row_bytes;
    int64_t plane_bytes;
};

/* The kernels for one instruction set, element width and rank of cubes. put encodes a cube and
 * returns the end of its record; stream does the same with stores past the caches; take decodes a
 * cube. stream is NULL for 2-D and 3-D cubes, where it is slower: stores past the caches and
 * prefetches compete for the line fill buffers. rotation: zti_ndzip_rotation. All may touch up to
 * ZTI_NDZIP_OVERSHOOT bytes beyond the record's end. take never reads more than put can write,
 * whatever the record holds. */
struct zti_ndzip_kernels {
    uint8_t *(*put)(const struct zti_ndzip_rows *rows, uint32_t rotation, uint8_t *record);
    uint8_t *(*stream)(const struct zti_ndzip_rows *rows, uint32_t rotation, uint8_t *record);
    const uint8_t *(*take)(const uint8_t *record, uint32_t rotation,
                           const struct zti_ndzip_rows *rows);
};

/* Indexed by width (32 or 64 bits), and by the cube's rank minus 1. */
typedef const struct zti_ndzip_kernels zti_ndzip_kernel_table[2][3];
extern zti_ndzip_kernel_table zti_ndzip_plain;
#if defined(ZTI_HAS_X86_INSTANCES)
extern zti_ndzip_kernel_table zti_ndzip_avx2;
extern zti_ndzip_kernel_table zti_ndzip_avx512;
#endif

/* The kernels for an instruction set (zt_isa). */
const struct zti_ndzip_kernels *zti_ndzip_kernels_of(uint32_t isa, uint32_t width, uint32_t rank);

/* Whether the coding is raw: values are copied, in tiles of one value. */
static inline bool zti_ndzip_is_stored(const struct zti_coding *coding)
{
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        if (coding->grid.side[i] != 1)
            return false;
    return true;
}

/* The ends of rows in a bare stream: the elements of a row beyond its last whole cube, which the
 * stream stores unchanged. They are copied together with that cube, with which they share cache
 * lines. It is the model of a 2-D or 3-D coding; NULL: none. */
struct zti_ndzip_tails {
    uint8_t *bytes;       /* the end of row 0 of plane 0 in the stream */
    uint32_t values;      /* elements at the end of a row */
    uint64_t plane_bytes; /* distance of planes; the ends of a plane's rows are adjacent */
};

/* Copy n values of 4 or 8 bytes. */
void zti_ndzip_copy_row(uint8_t *to, int64_t to_step, const uint8_t *from, int64_t from_step,
                        uint64_t n, uint32_t value_bytes);

bool zti_ndzip_encode(const struct zti_coding *coding, const struct zti_array *array,
                      uint64_t first, uint64_t last, struct zti_bit_writer *w);
void zti_ndzip_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                      uint64_t last, const struct zti_view *view);
void zti_ndzip_skip(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                    uint64_t last);

/* zti_prefetch to the second-level cache. */
#if defined(__GNUC__)
#define zti_prefetch_far(p) __builtin_prefetch(p, 0, 2)
#else
#define zti_prefetch_far(p) ((void)(p))
#endif

#endif
