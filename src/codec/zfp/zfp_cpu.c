/* zfp_cpu.c: the plain C instance of the zfp codec: 4 types x 4 ranks. */
#include "codec/zfp/zfp.h"
#include "codec/zfp/zfp_planes.h"

#define FN ZTI_INLINE

#define lane int64_t
#define ulane uint64_t
#define NAME(x) x##_64
#define WIDTH 64
#define PRECISION_BITS 6
#define NEGABINARY UINT64_C(0xaaaaaaaaaaaaaaaa)
#define FEW_BITS 512
#include "codec/zfp/zfp_tile.h"
#include "codec/zfp/zfp_coder.h" /* put_lossy_64, take_exact_64, gather_64, ... */
#undef NAME
#undef PRECISION_BITS

#define NAME(x) x##_f64
#define INTS(x) x##_64
#define scalar double
#define EXPONENT_BITS 11
#define BIAS 1023
#define MANTISSA_BITS 52
#define PROOF_PLANES 8
#include "codec/zfp/zfp_float.h" /* put_lossy_f64, take_exact_f64, ... */
#undef lane
#undef ulane
#undef NAME
#undef INTS
#undef WIDTH
#undef NEGABINARY
#undef FEW_BITS
#undef scalar
#undef EXPONENT_BITS
#undef BIAS
#undef MANTISSA_BITS
#undef PROOF_PLANES

#define lane int32_t
#define ulane uint32_t
#define NAME(x) x##_32
#define WIDTH 32
#define PRECISION_BITS 5
#define NEGABINARY UINT32_C(0xaaaaaaaa)
#define FEW_BITS 160
#include "codec/zfp/zfp_tile.h"
#include "codec/zfp/zfp_coder.h" /* put_lossy_32, take_exact_32, gather_32, ... */
#undef NAME
#undef PRECISION_BITS

#define NAME(x) x##_f32
#define INTS(x) x##_32
#define scalar float
#define EXPONENT_BITS 8
#define BIAS 127
#define MANTISSA_BITS 23
#define PROOF_PLANES 5
#include "codec/zfp/zfp_float.h" /* put_lossy_f32, take_exact_f32, ... */
#undef lane
#undef ulane
#undef NAME
#undef INTS
#undef WIDTH
#undef NEGABINARY
#undef FEW_BITS
#undef scalar
#undef EXPONENT_BITS
#undef BIAS
#undef MANTISSA_BITS
#undef PROOF_PLANES

/* Integers under an absolute bound use the bits above them: value * 2^shift. */
ZTI_INLINE void raise_32(uint32_t *q, uint32_t n, int32_t shift)
{
    for (uint32_t i = 0; i < n && shift != 0; i++)
        q[i] = shift > 0 ? q[i] << shift : (uint32_t)((int32_t)q[i] >> -shift);
}

ZTI_INLINE void raise_64(uint64_t *q, uint32_t n, int32_t shift)
{
    for (uint32_t i = 0; i < n && shift != 0; i++)
        q[i] = shift > 0 ? q[i] << shift : (uint64_t)((int64_t)q[i] >> -shift);
}

/* And back, to the nearest integer, within the type. */
ZTI_INLINE void lower_32(uint32_t *q, uint32_t n, int32_t shift)
{
    for (uint32_t i = 0; i < n && shift != 0; i++) {
        const int64_t v = (int32_t)q[i];
        if (shift > 0) {
            q[i] = (uint32_t)((v + (INT64_C(1) << (shift - 1))) >> shift);
        } else {
            const int64_t up = v * (INT64_C(1) << -shift);
            q[i] = (uint32_t)(up > INT32_MAX ? INT32_MAX : up < INT32_MIN ? INT32_MIN : up);
        }
    }
}

ZTI_INLINE void lower_64(uint64_t *q, uint32_t n, int32_t shift)
{
    for (uint32_t i = 0; i < n && shift != 0; i++) {
        const int64_t v = (int64_t)q[i];
        if (shift > 0)
            q[i] = (uint64_t)((v >> shift) + (v >> (shift - 1) & 1));
        else if (v > INT64_MAX >> -shift)
            q[i] = INT64_MAX;
        else if (v < INT64_MIN >> -shift)
            q[i] = (uint64_t)INT64_MIN;
        else
            q[i] = (uint64_t)v << -shift;
    }
}

/* One tile of each type; 'tile' may be NULL in take_tile to pass over it. */
ZTI_INLINE bool put_tile_i32(const struct zti_zfp *z, uint32_t *tile, uint32_t rank,
                             struct zti_bit_writer *w)
{
    raise_32(tile, 1u << 2 * rank, z->shift);
    if (zti_zfp_is_reversible(z))
        put_exact_32(w, tile, rank, z->maxprec, z->minbits, z->maxbits);
    else
        put_lossy_32(w, tile, rank, z->maxprec, z->minbits, z->maxbits);
    return zti_zfp_proves_integers(z, rank, 32);
}

ZTI_INLINE void take_tile_i32(const struct zti_zfp *z, uint32_t *tile, uint32_t rank,
                              struct zti_bit_reader *r)
{
    if (zti_zfp_is_reversible(z))
        take_exact_32(r, tile, rank, z->minbits, z->maxbits);
    else
        take_lossy_32(r, tile, rank, z->maxprec, z->minbits, z->maxbits);
    if (tile)
        lower_32(tile, 1u << 2 * rank, z->shift);
}

ZTI_INLINE bool put_tile_i64(const struct zti_zfp *z, uint64_t *tile, uint32_t rank,
                             struct zti_bit_writer *w)
{
    raise_64(tile, 1u << 2 * rank, z->shift);
    if (zti_zfp_is_reversible(z))
        put_exact_64(w, tile, rank, z->maxprec, z->minbits, z->maxbits);
    else
        put_lossy_64(w, tile, rank, z->maxprec, z->minbits, z->maxbits);
    return zti_zfp_proves_integers(z, rank, 64);
}

ZTI_INLINE void take_tile_i64(const struct zti_zfp *z, uint64_t *tile, uint32_t rank,
                              struct zti_bit_reader *r)
{
    if (zti_zfp_is_reversible(z))
        take_exact_64(r, tile, rank, z->minbits, z->maxbits);
    else
        take_lossy_64(r, tile, rank, z->maxprec, z->minbits, z->maxbits);
    if (tile)
        lower_64(tile, 1u << 2 * rank, z->shift);
}

ZTI_INLINE bool put_tile_f32(const struct zti_zfp *z, uint32_t *tile, uint32_t rank,
                             struct zti_bit_writer *w)
{
    if (!zti_zfp_is_reversible(z))
        return put_lossy_f32(z, tile, rank, w);
    put_exact_f32(z, tile, rank, w);
    return true;
}

ZTI_INLINE void take_tile_f32(const struct zti_zfp *z, uint32_t *tile, uint32_t rank,
                              struct zti_bit_reader *r)
{
    if (zti_zfp_is_reversible(z))
        take_exact_f32(z, tile, rank, r);
    else
        take_lossy_f32(z, tile, rank, r);
}

ZTI_INLINE bool put_tile_f64(const struct zti_zfp *z, uint64_t *tile, uint32_t rank,
                             struct zti_bit_writer *w)
{
    if (!zti_zfp_is_reversible(z))
        return put_lossy_f64(z, tile, rank, w);
    put_exact_f64(z, tile, rank, w);
    return true;
}

ZTI_INLINE void take_tile_f64(const struct zti_zfp *z, uint64_t *tile, uint32_t rank,
                              struct zti_bit_reader *r)
{
    if (zti_zfp_is_reversible(z))
        take_exact_f64(z, tile, rank, r);
    else
        take_lossy_f64(z, tile, rank, r);
}

/* The walks over tiles, for one type and rank. */
#define RANGES(type, width, rank)                                                                  \
    static bool encode_##type##_##rank##d(const struct zti_coding *coding, const zt_array *array,  \
                                          uint64_t first, uint64_t last, struct zti_bit_writer *w) \
    {                                                                                              \
        struct zti_walk at = zti_walk_from(&coding->grid, first);                                  \
        const struct zti_zfp z = coding->zfp;                                                      \
        bool is_proved = true;                                                                     \
        for (; at.tile < last; zti_walk_next(&coding->grid, &at)) {                                \
            uint##width##_t tile[1 << 2 * rank];                                                   \
            gather_##width(array, at.origin, tile, rank);                                          \
            is_proved &= put_tile_##type(&z, tile, rank, w);                                       \
        }                                                                                          \
        return is_proved;                                                                          \
    }                                                                                              \
    static void decode_##type##_##rank##d(const struct zti_coding *coding,                         \
                                          struct zti_bit_reader *r, uint64_t first, uint64_t last, \
                                          const struct zti_view *view)                             \
    {                                                                                              \
        struct zti_walk at = zti_walk_from(&coding->grid, first);                                  \
        const struct zti_zfp z = coding->zfp;                                                      \
        for (; at.tile < last; zti_walk_next(&coding->grid, &at)) {                                \
            uint##width##_t tile[1 << 2 * rank];                                                   \
            take_tile_##type(&z, tile, rank, r);                                                   \
            scatter_##width(view, at.origin, tile, rank);                                          \
        }                                                                                          \
    }                                                                                              \
    static void skip_##type##_##rank##d(const struct zti_coding *coding, struct zti_bit_reader *r, \
                                        uint64_t first, uint64_t last)                             \
    {                                                                                              \
        const struct zti_zfp z = coding->zfp;                                                      \
        for (; first < last; first++)                                                              \
            take_tile_##type(&z, NULL, rank, r);                                                   \
    }

RANGES(f32, 32, 1) /* encode_f32_1d, decode_f32_1d, skip_f32_1d */
RANGES(f32, 32, 2) /* encode_f32_2d, decode_f32_2d, skip_f32_2d */
RANGES(f32, 32, 3) /* encode_f32_3d, decode_f32_3d, skip_f32_3d */
RANGES(f32, 32, 4) /* encode_f32_4d, decode_f32_4d, skip_f32_4d */
RANGES(f64, 64, 1) /* encode_f64_1d, decode_f64_1d, skip_f64_1d */
RANGES(f64, 64, 2) /* encode_f64_2d, decode_f64_2d, skip_f64_2d */
RANGES(f64, 64, 3) /* encode_f64_3d, decode_f64_3d, skip_f64_3d */
RANGES(f64, 64, 4) /* encode_f64_4d, decode_f64_4d, skip_f64_4d */
RANGES(i32, 32, 1) /* encode_i32_1d, decode_i32_1d, skip_i32_1d */
RANGES(i32, 32, 2) /* encode_i32_2d, decode_i32_2d, skip_i32_2d */
RANGES(i32, 32, 3) /* encode_i32_3d, decode_i32_3d, skip_i32_3d */
RANGES(i32, 32, 4) /* encode_i32_4d, decode_i32_4d, skip_i32_4d */
RANGES(i64, 64, 1) /* encode_i64_1d, decode_i64_1d, skip_i64_1d */
RANGES(i64, 64, 2) /* encode_i64_2d, decode_i64_2d, skip_i64_2d */
RANGES(i64, 64, 3) /* encode_i64_3d, decode_i64_3d, skip_i64_3d */
RANGES(i64, 64, 4) /* encode_i64_4d, decode_i64_4d, skip_i64_4d */

/* In the order of zt_type. */
static const struct {
    bool (*encode)(const struct zti_coding *, const zt_array *, uint64_t, uint64_t,
                   struct zti_bit_writer *);
    void (*decode)(const struct zti_coding *, struct zti_bit_reader *, uint64_t, uint64_t,
                   const struct zti_view *);
    void (*skip)(const struct zti_coding *, struct zti_bit_reader *, uint64_t, uint64_t);
} ranges[4][ZT_MAX_RANK] = {
    {{encode_f32_1d, decode_f32_1d, skip_f32_1d}, {encode_f32_2d, decode_f32_2d, skip_f32_2d},
     {encode_f32_3d, decode_f32_3d, skip_f32_3d}, {encode_f32_4d, decode_f32_4d, skip_f32_4d}},
    {{encode_f64_1d, decode_f64_1d, skip_f64_1d}, {encode_f64_2d, decode_f64_2d, skip_f64_2d},
     {encode_f64_3d, decode_f64_3d, skip_f64_3d}, {encode_f64_4d, decode_f64_4d, skip_f64_4d}},
    {{encode_i32_1d, decode_i32_1d, skip_i32_1d}, {encode_i32_2d, decode_i32_2d, skip_i32_2d},
     {encode_i32_3d, decode_i32_3d, skip_i32_3d}, {encode_i32_4d, decode_i32_4d, skip_i32_4d}},
    {{encode_i64_1d, decode_i64_1d, skip_i64_1d}, {encode_i64_2d, decode_i64_2d, skip_i64_2d},
     {encode_i64_3d, decode_i64_3d, skip_i64_3d}, {encode_i64_4d, decode_i64_4d, skip_i64_4d}},
};

bool zti_zfp_encode(const struct zti_coding *coding, const zt_array *array, uint64_t first,
                    uint64_t last, struct zti_bit_writer *w)
{
    return ranges[coding->type - 1][coding->grid.rank - 1].encode(coding, array, first, last, w);
}

void zti_zfp_decode(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                    uint64_t last, const struct zti_view *view)
{
    ranges[coding->type - 1][coding->grid.rank - 1].decode(coding, r, first, last, view);
}

void zti_zfp_skip(const struct zti_coding *coding, struct zti_bit_reader *r, uint64_t first,
                  uint64_t last)
{
    ranges[coding->type - 1][coding->grid.rank - 1].skip(coding, r, first, last);
}
