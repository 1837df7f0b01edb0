/* ndzip.h: what the files of the ndzip codec share. */
#ifndef ZTI_NDZIP_H
#define ZTI_NDZIP_H

#include "codec/codec.h"
#include "codec/ndzip/spec.h"
#include "core/cpu.h"

enum {
    ZTI_NDZIP_OVERSHOOT = 64, /* bytes that kernels touch beyond a record */
    ZTI_NDZIP_AHEAD = 16,     /* parts (of 64 values) between asking memory for values and using
                                 them; of 4 to 64 the best on average on a Xeon with AVX-512 */
    ZTI_NDZIP_NEAR = 8        /* the same where they were fetched to a farther cache before */
};

extern const struct zti_codec zti_codec_ndzip;

/* The values of a cube as rows of consecutive elements: y rows row_bytes apart make a plane, and z
 * planes are plane_bytes apart. ahead is where the next cube's first row is, at the same distances,
 * to have its memory fetched while this cube is worked on. From far on, also at these distances,
 * are far_rows rows of far_bytes to be fetched meanwhile on behalf of cubes after that; 0: none. So
 * these rows were, to a farther cache, where is_fetched is set. */
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

/* The kernels of one instruction set, element width and cube. put codes a cube and returns the end
 * of its record; so does stream, past the caches where it can; take decodes one. stream is NULL for
 * more than one dimension: the buffers in which stores wait on their way past the caches are those
 * in which lines wait that were asked for, and where neither is in sequence both wait longer than
 * reading what is overwritten takes. rotation is that of spec.h. Both touch up to
 * ZTI_NDZIP_OVERSHOOT bytes beyond the record's end. take reads at most as much as put can write,
 * whatever the record holds. */
struct zti_ndzip_kernels {
    uint8_t *(*put)(const struct zti_ndzip_rows *rows, uint32_t rotation, uint8_t *record);
    uint8_t *(*stream)(const struct zti_ndzip_rows *rows, uint32_t rotation, uint8_t *record);
    const uint8_t *(*take)(const uint8_t *record, uint32_t rotation,
                           const struct zti_ndzip_rows *rows);
};

/* By width (32 and 64 bits) and rank of the cube less one. */
typedef const struct zti_ndzip_kernels zti_ndzip_kernel_table[2][3];
extern zti_ndzip_kernel_table zti_ndzip_plain;
#if defined(ZTI_HAS_X86_INSTANCES)
extern zti_ndzip_kernel_table zti_ndzip_avx2;
extern zti_ndzip_kernel_table zti_ndzip_avx512;
#endif

/* The kernels for an instruction set (zt_isa). */
const struct zti_ndzip_kernels *zti_ndzip_kernels_of(uint32_t isa, uint32_t width, uint32_t rank);

/* Whether the coding copies values instead of coding cubes: its tiles are single values. */
static inline bool zti_ndzip_is_stored(const struct zti_coding *coding)
{
    for (uint32_t i = 0; i < coding->grid.rank; i++)
        if (coding->grid.side[i] != 1)
            return false;
    return true;
}

/* The ends of the rows that cubes cover but for their last elements, which a bare stream keeps as
 * they are: copied with the last cube of a line of cubes, whose memory they share. As the model of
 * a coding of two or three dimensions; none where it is NULL. */
struct zti_ndzip_tails {
    uint8_t *bytes;       /* of row 0 of plane 0 */
    uint32_t values;      /* of a row */
    uint64_t plane_bytes; /* from a plane's first to the next's; rows follow each other */
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

/* As zti_prefetch, no nearer than the second cache. */
#if defined(__GNUC__)
#define zti_prefetch_far(p) __builtin_prefetch(p, 0, 2)
#else
#define zti_prefetch_far(p) ((void)(p))
#endif

#endif
