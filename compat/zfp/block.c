/* block.c: libzfp's calls on single blocks: 4 types x 4 ranks x 6 functions, each of which is the
 * codec's function for tiles [0, 1) of an array of one tile. */
#include "compat.h"
#include "core/cpu.h"

#include <math.h>
#include <stdlib.h>

/* A block where it is in memory: sizes (1 to 4, or 0: nothing is there) and strides, x first. */
struct block {
    uint32_t type; /* zt_type */
    uint32_t rank;
    void *data;
    size_t size[4];
    ptrdiff_t stride[4];
};

enum { PRIVATE_BYTES = (ZTI_ZFP_MAX_BITS + 7) / 8 + ZTI_BIT_MARGIN_BYTES };

/* False where the parameters are none, which codes nothing. */
static bool coding_of(const zfp_stream *stream, const struct block *block,
                      struct zti_coding *coding, struct zti_array *array)
{
    const zt_zfp params = compat_params(stream);
    *array = (struct zti_array){.data = block->data, .type = block->type, .rank = block->rank};
    for (uint32_t i = 0; i < block->rank; i++) {
        array->shape[block->rank - 1 - i] = block->size[i] < 4 ? block->size[i] : 4;
        array->stride[block->rank - 1 - i] = block->stride[i];
    }
    *coding = (struct zti_coding){.codec = &zti_codec_zfp,
                                  .type = block->type,
                                  .grid = zti_codec_grid(&zti_codec_zfp, block->rank, array->shape),
                                  .run.isa = zti_isa_of(NULL),
                                  .verify_bound = NAN};
    return zti_zfp_check(NULL, &params, zfp_in(coding)) == ZT_OK;
}

static bool is_empty(const struct block *block)
{
    for (uint32_t i = 0; i < block->rank; i++)
        if (block->size[i] == 0)
            return true;
    return false;
}

/* The codec writes into memory of our own, which has its margin; from there the bits are copied. */
static size_t encode(zfp_stream *stream, struct block block)
{
    static const uint64_t zeros[256] = {0};
    uint8_t own[PRIVATE_BYTES], *room = own;
    struct zti_coding coding;
    struct zti_array array;
    if (is_empty(&block)) { /* of nothing, libzfp makes zeros */
        union {
            const void *in;
            void *out;
        } u = {.in = zeros};
        block.data = u.out;
        for (uint32_t i = 0; i < block.rank; i++)
            block.size[i] = 4, block.stride[i] = (ptrdiff_t)1 << 2 * i;
    }
    if (!coding_of(stream, &block, &coding, &array))
        return 0;
    const uint64_t most = zti_codec_zfp.sizes(&coding).tile_max_bits;
    if (most > ZTI_ZFP_MAX_BITS) /* padded to more than any block needs */
        room = malloc((size_t)(most / 8) + 2 * ZTI_BIT_MARGIN_BYTES);
    if (!room)
        return 0;
    struct zti_bit_writer w = zti_bit_writer_at(room);
    (void)zti_codec_zfp.encode(&coding, &array, 0, 1, &w);
    const uint64_t bits = zti_bits_written(&w);
    compat_write_run(stream->stream, room, bits);
    if (room != own)
        free(room);
    return (size_t)bits;
}

/* The codec reads from the stream's memory where it has its margin there, else from a copy. */
static size_t decode(zfp_stream *stream, const struct block *block)
{
    bitstream *s = stream->stream;
    uint8_t own[PRIVATE_BYTES + ZTI_BIT_MARGIN_BYTES];
    struct zti_coding coding;
    struct zti_array array;
    if (!coding_of(stream, block, &coding, &array))
        return 0;
    const uint64_t start = stream_rtell(s), first_byte = start / 8;
    const uint64_t most_bytes =
        zti_codec_zfp.sizes(&coding).tile_read_max_bits / 8 + ZTI_BIT_MARGIN_BYTES;
    struct zti_bit_reader r = {.base = s->data, .at = start, .end = (uint64_t)s->bytes * 8};
    if (first_byte > s->bytes || s->bytes - first_byte < most_bytes) {
        const size_t there = first_byte < s->bytes ? s->bytes - (size_t)first_byte : 0;
        memset(own, 0, sizeof own);
        if (there > 0)
            memcpy(own, s->data + first_byte, there);
        r = (struct zti_bit_reader){.base = own, .at = start % 8, .end = (uint64_t)there * 8};
    }
    const uint64_t from = r.at;
    if (is_empty(block)) {
        zti_codec_zfp.skip(&coding, &r, 0, 1);
    } else {
        const struct zti_view view = zti_view_whole(&array);
        zti_codec_zfp.decode(&coding, &r, 0, 1, &view);
    }
    stream_rseek(s, start + (r.at - from));
    return (size_t)(r.at - from);
}

/* What encodes reads only. */
static void *unconst(const void *p)
{
    union {
        const void *in;
        void *out;
    } u = {.in = p};
    return u.out;
}

/* The six functions of one type and rank, named in full where they are made. */
#define BLOCK(scalar, code, dims, encode_whole, encode_strided, encode_partial, decode_whole,      \
              decode_strided, decode_partial)                                                      \
    size_t encode_whole(zfp_stream *stream, const scalar *p)                                       \
    {                                                                                              \
        return encode(stream, (struct block){code, dims, unconst(p), FOURS, PACKED});              \
    }                                                                                              \
    size_t encode_strided(zfp_stream *stream, const scalar *p, STRIDES_##dims)                     \
    {                                                                                              \
        return encode(stream, (struct block){code, dims, unconst(p), FOURS, {S_##dims}});          \
    }                                                                                              \
    size_t encode_partial(zfp_stream *stream, const scalar *p, SIZES_##dims, STRIDES_##dims)       \
    {                                                                                              \
        return encode(stream, (struct block){code, dims, unconst(p), {N_##dims}, {S_##dims}});     \
    }                                                                                              \
    size_t decode_whole(zfp_stream *stream, scalar *p)                                             \
    {                                                                                              \
        return decode(stream, &(struct block){code, dims, p, FOURS, PACKED});                      \
    }                                                                                              \
    size_t decode_strided(zfp_stream *stream, scalar *p, STRIDES_##dims)                           \
    {                                                                                              \
        return decode(stream, &(struct block){code, dims, p, FOURS, {S_##dims}});                  \
    }                                                                                              \
    size_t decode_partial(zfp_stream *stream, scalar *p, SIZES_##dims, STRIDES_##dims)             \
    {                                                                                              \
        return decode(stream, &(struct block){code, dims, p, {N_##dims}, {S_##dims}});             \
    }

#define FOURS                                                                                      \
    {                                                                                              \
        4, 4, 4, 4                                                                                 \
    }
#define PACKED                                                                                     \
    {                                                                                              \
        1, 4, 16, 64                                                                               \
    }

/* Of each rank: parameters, and the same as initializers. */
#define STRIDES_1 ptrdiff_t sx
#define STRIDES_2 STRIDES_1, ptrdiff_t sy
#define STRIDES_3 STRIDES_2, ptrdiff_t sz
#define STRIDES_4 STRIDES_3, ptrdiff_t sw
#define SIZES_1   size_t nx
#define SIZES_2   SIZES_1, size_t ny
#define SIZES_3   SIZES_2, size_t nz
#define SIZES_4   SIZES_3, size_t nw
#define S_1       sx
#define S_2       sx, sy
#define S_3       sx, sy, sz
#define S_4       sx, sy, sz, sw
#define N_1       nx
#define N_2       nx, ny
#define N_3       nx, ny, nz
#define N_4       nx, ny, nz, nw

BLOCK(int32, ZT_I32, 1, zfp_encode_block_int32_1, zfp_encode_block_strided_int32_1,
      zfp_encode_partial_block_strided_int32_1, zfp_decode_block_int32_1,
      zfp_decode_block_strided_int32_1, zfp_decode_partial_block_strided_int32_1)
BLOCK(int32, ZT_I32, 2, zfp_encode_block_int32_2, zfp_encode_block_strided_int32_2,
      zfp_encode_partial_block_strided_int32_2, zfp_decode_block_int32_2,
      zfp_decode_block_strided_int32_2, zfp_decode_partial_block_strided_int32_2)
BLOCK(int32, ZT_I32, 3, zfp_encode_block_int32_3, zfp_encode_block_strided_int32_3,
      zfp_encode_partial_block_strided_int32_3, zfp_decode_block_int32_3,
      zfp_decode_block_strided_int32_3, zfp_decode_partial_block_strided_int32_3)
BLOCK(int32, ZT_I32, 4, zfp_encode_block_int32_4, zfp_encode_block_strided_int32_4,
      zfp_encode_partial_block_strided_int32_4, zfp_decode_block_int32_4,
      zfp_decode_block_strided_int32_4, zfp_decode_partial_block_strided_int32_4)
BLOCK(int64, ZT_I64, 1, zfp_encode_block_int64_1, zfp_encode_block_strided_int64_1,
      zfp_encode_partial_block_strided_int64_1, zfp_decode_block_int64_1,
      zfp_decode_block_strided_int64_1, zfp_decode_partial_block_strided_int64_1)
BLOCK(int64, ZT_I64, 2, zfp_encode_block_int64_2, zfp_encode_block_strided_int64_2,
      zfp_encode_partial_block_strided_int64_2, zfp_decode_block_int64_2,
      zfp_decode_block_strided_int64_2, zfp_decode_partial_block_strided_int64_2)
BLOCK(int64, ZT_I64, 3, zfp_encode_block_int64_3, zfp_encode_block_strided_int64_3,
      zfp_encode_partial_block_strided_int64_3, zfp_decode_block_int64_3,
      zfp_decode_block_strided_int64_3, zfp_decode_partial_block_strided_int64_3)
BLOCK(int64, ZT_I64, 4, zfp_encode_block_int64_4, zfp_encode_block_strided_int64_4,
      zfp_encode_partial_block_strided_int64_4, zfp_decode_block_int64_4,
      zfp_decode_block_strided_int64_4, zfp_decode_partial_block_strided_int64_4)
BLOCK(float, ZT_F32, 1, zfp_encode_block_float_1, zfp_encode_block_strided_float_1,
      zfp_encode_partial_block_strided_float_1, zfp_decode_block_float_1,
      zfp_decode_block_strided_float_1, zfp_decode_partial_block_strided_float_1)
BLOCK(float, ZT_F32, 2, zfp_encode_block_float_2, zfp_encode_block_strided_float_2,
      zfp_encode_partial_block_strided_float_2, zfp_decode_block_float_2,
      zfp_decode_block_strided_float_2, zfp_decode_partial_block_strided_float_2)
BLOCK(float, ZT_F32, 3, zfp_encode_block_float_3, zfp_encode_block_strided_float_3,
      zfp_encode_partial_block_strided_float_3, zfp_decode_block_float_3,
      zfp_decode_block_strided_float_3, zfp_decode_partial_block_strided_float_3)
BLOCK(float, ZT_F32, 4, zfp_encode_block_float_4, zfp_encode_block_strided_float_4,
      zfp_encode_partial_block_strided_float_4, zfp_decode_block_float_4,
      zfp_decode_block_strided_float_4, zfp_decode_partial_block_strided_float_4)
BLOCK(double, ZT_F64, 1, zfp_encode_block_double_1, zfp_encode_block_strided_double_1,
      zfp_encode_partial_block_strided_double_1, zfp_decode_block_double_1,
      zfp_decode_block_strided_double_1, zfp_decode_partial_block_strided_double_1)
BLOCK(double, ZT_F64, 2, zfp_encode_block_double_2, zfp_encode_block_strided_double_2,
      zfp_encode_partial_block_strided_double_2, zfp_decode_block_double_2,
      zfp_decode_block_strided_double_2, zfp_decode_partial_block_strided_double_2)
BLOCK(double, ZT_F64, 3, zfp_encode_block_double_3, zfp_encode_block_strided_double_3,
      zfp_encode_partial_block_strided_double_3, zfp_decode_block_double_3,
      zfp_decode_block_strided_double_3, zfp_decode_partial_block_strided_double_3)
BLOCK(double, ZT_F64, 4, zfp_encode_block_double_4, zfp_encode_block_strided_double_4,
      zfp_encode_partial_block_strided_double_4, zfp_decode_block_double_4,
      zfp_decode_block_strided_double_4, zfp_decode_partial_block_strided_double_4)

/* ---- small integers: raised to the top of 31 bits, as zfp's documentation says ---- */

#define PROMOTE(name, small, zero, shift)                                                          \
    void name(int32 *oblock, const small *iblock, uint dims)                                       \
    {                                                                                              \
        for (uint32_t i = 0; i < 1u << 2 * dims; i++)                                              \
            oblock[i] = ((int32_t)iblock[i] - (zero)) * (1 << (shift));                            \
    }

#define DEMOTE(name, small, zero, lowest, highest, shift)                                          \
    void name(small *oblock, const int32 *iblock, uint dims)                                       \
    {                                                                                              \
        for (uint32_t i = 0; i < 1u << 2 * dims; i++) {                                            \
            const int32_t v = (iblock[i] >> (shift)) + (zero);                                     \
            oblock[i] = (small)(v < (lowest) ? (lowest) : v > (highest) ? (highest) : v);          \
        }                                                                                          \
    }

PROMOTE(zfp_promote_int8_to_int32, int8, 0, 23)
PROMOTE(zfp_promote_uint8_to_int32, uint8, 0x80, 23)
PROMOTE(zfp_promote_int16_to_int32, int16, 0, 15)
PROMOTE(zfp_promote_uint16_to_int32, uint16, 0x8000, 15)
DEMOTE(zfp_demote_int32_to_int8, int8, 0, -0x80, 0x7f, 23)
DEMOTE(zfp_demote_int32_to_uint8, uint8, 0x80, 0, 0xff, 23)
DEMOTE(zfp_demote_int32_to_int16, int16, 0, -0x8000, 0x7fff, 15)
DEMOTE(zfp_demote_int32_to_uint16, uint16, 0x8000, 0, 0xffff, 15)
