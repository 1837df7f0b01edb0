/* zfp.h: libzfp's C API, as ztile's compatibility library has it.
 *
 * Programs written for libzfp 1.0 compile against this header and run with this library or with
 * libzfp: names, numbers and layouts are the same, and so are all bytes. docs/zfp.md says
 * how to use it and what it does where libzfp leaves things undefined.
 *
 * A zfp_field says where an array is in memory, a zfp_stream how it is coded and into which bit
 * stream. Sizes and strides are x first, the fastest axis; strides count scalars, and 0 stands for
 * contiguous. Different streams may be used by different threads at once, one stream may not. */
#ifndef ZFP_H
#define ZFP_H

#include "zfp/bitstream.h"
#include "zfp/internal/zfp/system.h"
#include "zfp/internal/zfp/types.h"
#include "zfp/version.h"

/* ---- numbers ------------------------------------------------------------------------------- */

/* Limits of a stream's four parameters, also their initial values. */
#define ZFP_MIN_BITS 1
#define ZFP_MAX_BITS 16658
#define ZFP_MAX_PREC 64
#define ZFP_MIN_EXP  (-1074)

/* Parts of a header, and their sizes in bits. */
#define ZFP_HEADER_NONE     0x0u
#define ZFP_HEADER_MAGIC    0x1u
#define ZFP_HEADER_META     0x2u
#define ZFP_HEADER_MODE     0x4u
#define ZFP_HEADER_FULL     0x7u
#define ZFP_MAGIC_BITS      32
#define ZFP_META_BITS       52
#define ZFP_MODE_SHORT_BITS 12
#define ZFP_MODE_LONG_BITS  64
#define ZFP_HEADER_MAX_BITS 148
#define ZFP_MODE_SHORT_MAX  ((1u << ZFP_MODE_SHORT_BITS) - 2)
#define ZFP_META_NULL       UINT64C(0xffffffffffffffff)

/* What zfp's C++ arrays count as their storage. */
#define ZFP_DATA_UNUSED  0x01u
#define ZFP_DATA_PADDING 0x02u
#define ZFP_DATA_META    0x04u
#define ZFP_DATA_MISC    0x08u
#define ZFP_DATA_PAYLOAD 0x10u
#define ZFP_DATA_INDEX   0x20u
#define ZFP_DATA_CACHE   0x40u
#define ZFP_DATA_HEADER  0x80u
#define ZFP_DATA_ALL     0xffu

/* Rounding of coefficients; this library never rounds. */
#define ZFP_ROUND_FIRST (-1)
#define ZFP_ROUND_NEVER 0
#define ZFP_ROUND_LAST  1

/* ---- types --------------------------------------------------------------------------------- */

typedef int zfp_bool;
enum { zfp_false = 0, zfp_true = 1 };

typedef enum {
    zfp_type_none = 0,
    zfp_type_int32 = 1,
    zfp_type_int64 = 2,
    zfp_type_float = 3,
    zfp_type_double = 4
} zfp_type;

typedef enum {
    zfp_mode_null = 0,
    zfp_mode_expert = 1,
    zfp_mode_fixed_rate = 2,
    zfp_mode_fixed_precision = 3,
    zfp_mode_fixed_accuracy = 4,
    zfp_mode_reversible = 5
} zfp_mode;

typedef enum { zfp_exec_serial = 0, zfp_exec_omp = 1, zfp_exec_cuda = 2 } zfp_exec_policy;

typedef struct {
    uint threads;    /* 0: as many as OpenMP would use */
    uint chunk_size; /* blocks that a thread takes at a time; 0: the library's choice */
} zfp_exec_params_omp;

typedef struct {
    zfp_exec_policy policy;
    void *params; /* of omp: a zfp_exec_params_omp, which the stream owns */
} zfp_execution;

typedef struct {
    uint minbits; /* bits of a block, at least */
    uint maxbits; /* and at most */
    uint maxprec; /* bit planes coded at most */
    int minexp;   /* exponent of the least bit plane coded; below ZFP_MIN_EXP: reversible */
    bitstream *stream;
    zfp_execution exec;
} zfp_stream;

typedef struct {
    zfp_mode mode;
    union {
        double rate; /* negative: aligned to words */
        uint precision;
        double tolerance;
        struct {
            uint minbits;
            uint maxbits;
            uint maxprec;
            int minexp;
        } expert;
    } arg;
} zfp_config;

typedef struct {
    zfp_type type;
    size_t nx, ny, nz, nw;    /* 0 for axes that are not used */
    ptrdiff_t sx, sy, sz, sw; /* 0: contiguous */
    void *data;               /* of scalar (0, 0, 0, 0) */
} zfp_field;

#ifdef __cplusplus
extern "C" {
#endif

/* ---- versions ------------------------------------------------------------------------------ */

extern_ const uint zfp_codec_version;
extern_ const uint zfp_library_version;
extern_ const char *const zfp_version_string;

/* Bytes of a scalar; 0 for no type. */
size_t zfp_type_size(zfp_type type);

/* ---- compressed streams -------------------------------------------------------------------- */

/* A stream with initial parameters and serial execution; the bit stream may be NULL for now and
 * stays the caller's. */
zfp_stream *zfp_stream_open(bitstream *stream);
void zfp_stream_close(zfp_stream *stream);

bitstream *zfp_stream_bit_stream(const zfp_stream *stream);
void zfp_stream_set_bit_stream(zfp_stream *stream, bitstream *bs);

/* What the parameters amount to; rate, precision and accuracy are 0 in other modes. */
zfp_mode zfp_stream_compression_mode(const zfp_stream *stream);
double zfp_stream_rate(const zfp_stream *stream, uint dims);
uint zfp_stream_precision(const zfp_stream *stream);
double zfp_stream_accuracy(const zfp_stream *stream);
uint64 zfp_stream_mode(const zfp_stream *stream);
/* Any pointer may be NULL. */
void zfp_stream_params(const zfp_stream *stream, uint *minbits, uint *maxbits, uint *maxprec,
                       int *minexp);
size_t zfp_stream_compressed_size(const zfp_stream *stream);
/* Bytes that always suffice for the field and a header; 0 without type or sizes. */
size_t zfp_stream_maximum_size(const zfp_stream *stream, const zfp_field *field);
void zfp_stream_rewind(zfp_stream *stream);

/* The setters return what will be used. */
void zfp_stream_set_reversible(zfp_stream *stream);
double zfp_stream_set_rate(zfp_stream *stream, double rate, zfp_type type, uint dims,
                           zfp_bool align);
uint zfp_stream_set_precision(zfp_stream *stream, uint precision);
double zfp_stream_set_accuracy(zfp_stream *stream, double tolerance);
/* From a mode's code; zfp_mode_null, and nothing changes, if it is none. */
zfp_mode zfp_stream_set_mode(zfp_stream *stream, uint64 mode);
/* zfp_false, and nothing changes, unless minbits <= maxbits and 1 <= maxprec <= 64. */
zfp_bool zfp_stream_set_params(zfp_stream *stream, uint minbits, uint maxbits, uint maxprec,
                               int minexp);

/* ---- execution: serial and omp, which both compress and decompress -------------------------- */

zfp_exec_policy zfp_stream_execution(const zfp_stream *stream);
uint zfp_stream_omp_threads(const zfp_stream *stream);
uint zfp_stream_omp_chunk_size(const zfp_stream *stream);
/* zfp_false, and nothing changes, for a policy that is not here. */
zfp_bool zfp_stream_set_execution(zfp_stream *stream, zfp_exec_policy policy);
/* These choose omp. */
zfp_bool zfp_stream_set_omp_threads(zfp_stream *stream, uint threads);
zfp_bool zfp_stream_set_omp_chunk_size(zfp_stream *stream, uint chunk_size);

/* ---- configurations ------------------------------------------------------------------------- */

zfp_config zfp_config_none(void);
zfp_config zfp_config_rate(double rate, zfp_bool align);
zfp_config zfp_config_precision(uint precision);
zfp_config zfp_config_accuracy(double tolerance);
zfp_config zfp_config_reversible(void);
zfp_config zfp_config_expert(uint minbits, uint maxbits, uint maxprec, int minexp);

/* ---- uncompressed fields -------------------------------------------------------------------- */

zfp_field *zfp_field_alloc(void);
zfp_field *zfp_field_1d(void *pointer, zfp_type type, size_t nx);
zfp_field *zfp_field_2d(void *pointer, zfp_type type, size_t nx, size_t ny);
zfp_field *zfp_field_3d(void *pointer, zfp_type type, size_t nx, size_t ny, size_t nz);
zfp_field *zfp_field_4d(void *pointer, zfp_type type, size_t nx, size_t ny, size_t nz, size_t nw);
/* Frees the description and not the data. */
void zfp_field_free(zfp_field *field);

void *zfp_field_pointer(const zfp_field *field);
/* The lowest address that the field reaches. */
void *zfp_field_begin(const zfp_field *field);
zfp_type zfp_field_type(const zfp_field *field);
/* Bits of a scalar. */
uint zfp_field_precision(const zfp_field *field);
uint zfp_field_dimensionality(const zfp_field *field);
/* Scalars; size, if not NULL, gets the extents, x first. */
size_t zfp_field_size(const zfp_field *field, size_t *size);
/* Bytes from the lowest to the highest scalar. */
size_t zfp_field_size_bytes(const zfp_field *field);
size_t zfp_field_blocks(const zfp_field *field);
/* Whether any stride was set; stride, if not NULL, gets the strides in effect. */
zfp_bool zfp_field_stride(const zfp_field *field, ptrdiff_t *stride);
/* Whether the field has no gaps, in whatever order its scalars lie. */
zfp_bool zfp_field_is_contiguous(const zfp_field *field);
/* Type and extents in 52 bits, or ZFP_META_NULL. */
uint64 zfp_field_metadata(const zfp_field *field);

void zfp_field_set_pointer(zfp_field *field, void *pointer);
/* zfp_type_none, and nothing changes, for no type. */
zfp_type zfp_field_set_type(zfp_field *field, zfp_type type);
void zfp_field_set_size_1d(zfp_field *field, size_t nx);
void zfp_field_set_size_2d(zfp_field *field, size_t nx, size_t ny);
void zfp_field_set_size_3d(zfp_field *field, size_t nx, size_t ny, size_t nz);
void zfp_field_set_size_4d(zfp_field *field, size_t nx, size_t ny, size_t nz, size_t nw);
void zfp_field_set_stride_1d(zfp_field *field, ptrdiff_t sx);
void zfp_field_set_stride_2d(zfp_field *field, ptrdiff_t sx, ptrdiff_t sy);
void zfp_field_set_stride_3d(zfp_field *field, ptrdiff_t sx, ptrdiff_t sy, ptrdiff_t sz);
void zfp_field_set_stride_4d(zfp_field *field, ptrdiff_t sx, ptrdiff_t sy, ptrdiff_t sz,
                             ptrdiff_t sw);
zfp_bool zfp_field_set_metadata(zfp_field *field, uint64 meta);

/* ---- whole arrays --------------------------------------------------------------------------- */

/* From the bit stream's place to the end of its last word; bytes from its beginning, 0 for
 * failure. */
size_t zfp_compress(zfp_stream *stream, const zfp_field *field);
size_t zfp_decompress(zfp_stream *stream, zfp_field *field);
/* The parts in mask; bits, 0 for failure. */
size_t zfp_write_header(zfp_stream *stream, const zfp_field *field, uint mask);
size_t zfp_read_header(zfp_stream *stream, zfp_field *field, uint mask);

/* ---- blocks of 4^d scalars: bits, padding included ------------------------------------------ */

/* Bits to the next whole word: written, passed over. */
size_t zfp_stream_flush(zfp_stream *stream);
size_t zfp_stream_align(zfp_stream *stream);

/* 1-D */
size_t zfp_encode_block_int32_1(zfp_stream *stream, const int32 *block);
size_t zfp_encode_block_strided_int32_1(zfp_stream *stream, const int32 *p, ptrdiff_t sx);
size_t zfp_encode_partial_block_strided_int32_1(zfp_stream *stream, const int32 *p, size_t nx,
                                                ptrdiff_t sx);
size_t zfp_decode_block_int32_1(zfp_stream *stream, int32 *block);
size_t zfp_decode_block_strided_int32_1(zfp_stream *stream, int32 *p, ptrdiff_t sx);
size_t zfp_decode_partial_block_strided_int32_1(zfp_stream *stream, int32 *p, size_t nx,
                                                ptrdiff_t sx);
size_t zfp_encode_block_int64_1(zfp_stream *stream, const int64 *block);
size_t zfp_encode_block_strided_int64_1(zfp_stream *stream, const int64 *p, ptrdiff_t sx);
size_t zfp_encode_partial_block_strided_int64_1(zfp_stream *stream, const int64 *p, size_t nx,
                                                ptrdiff_t sx);
size_t zfp_decode_block_int64_1(zfp_stream *stream, int64 *block);
size_t zfp_decode_block_strided_int64_1(zfp_stream *stream, int64 *p, ptrdiff_t sx);
size_t zfp_decode_partial_block_strided_int64_1(zfp_stream *stream, int64 *p, size_t nx,
                                                ptrdiff_t sx);
size_t zfp_encode_block_float_1(zfp_stream *stream, const float *block);
size_t zfp_encode_block_strided_float_1(zfp_stream *stream, const float *p, ptrdiff_t sx);
size_t zfp_encode_partial_block_strided_float_1(zfp_stream *stream, const float *p, size_t nx,
                                                ptrdiff_t sx);
size_t zfp_decode_block_float_1(zfp_stream *stream, float *block);
size_t zfp_decode_block_strided_float_1(zfp_stream *stream, float *p, ptrdiff_t sx);
size_t zfp_decode_partial_block_strided_float_1(zfp_stream *stream, float *p, size_t nx,
                                                ptrdiff_t sx);
size_t zfp_encode_block_double_1(zfp_stream *stream, const double *block);
size_t zfp_encode_block_strided_double_1(zfp_stream *stream, const double *p, ptrdiff_t sx);
size_t zfp_encode_partial_block_strided_double_1(zfp_stream *stream, const double *p, size_t nx,
                                                 ptrdiff_t sx);
size_t zfp_decode_block_double_1(zfp_stream *stream, double *block);
size_t zfp_decode_block_strided_double_1(zfp_stream *stream, double *p, ptrdiff_t sx);
size_t zfp_decode_partial_block_strided_double_1(zfp_stream *stream, double *p, size_t nx,
                                                 ptrdiff_t sx);

/* 2-D */
size_t zfp_encode_block_int32_2(zfp_stream *stream, const int32 *block);
size_t zfp_encode_block_strided_int32_2(zfp_stream *stream, const int32 *p, ptrdiff_t sx,
                                        ptrdiff_t sy);
size_t zfp_encode_partial_block_strided_int32_2(zfp_stream *stream, const int32 *p, size_t nx,
                                                size_t ny, ptrdiff_t sx, ptrdiff_t sy);
size_t zfp_decode_block_int32_2(zfp_stream *stream, int32 *block);
size_t zfp_decode_block_strided_int32_2(zfp_stream *stream, int32 *p, ptrdiff_t sx, ptrdiff_t sy);
size_t zfp_decode_partial_block_strided_int32_2(zfp_stream *stream, int32 *p, size_t nx, size_t ny,
                                                ptrdiff_t sx, ptrdiff_t sy);
size_t zfp_encode_block_int64_2(zfp_stream *stream, const int64 *block);
size_t zfp_encode_block_strided_int64_2(zfp_stream *stream, const int64 *p, ptrdiff_t sx,
                                        ptrdiff_t sy);
size_t zfp_encode_partial_block_strided_int64_2(zfp_stream *stream, const int64 *p, size_t nx,
                                                size_t ny, ptrdiff_t sx, ptrdiff_t sy);
size_t zfp_decode_block_int64_2(zfp_stream *stream, int64 *block);
size_t zfp_decode_block_strided_int64_2(zfp_stream *stream, int64 *p, ptrdiff_t sx, ptrdiff_t sy);
size_t zfp_decode_partial_block_strided_int64_2(zfp_stream *stream, int64 *p, size_t nx, size_t ny,
                                                ptrdiff_t sx, ptrdiff_t sy);
size_t zfp_encode_block_float_2(zfp_stream *stream, const float *block);
size_t zfp_encode_block_strided_float_2(zfp_stream *stream, const float *p, ptrdiff_t sx,
                                        ptrdiff_t sy);
size_t zfp_encode_partial_block_strided_float_2(zfp_stream *stream, const float *p, size_t nx,
                                                size_t ny, ptrdiff_t sx, ptrdiff_t sy);
size_t zfp_decode_block_float_2(zfp_stream *stream, float *block);
size_t zfp_decode_block_strided_float_2(zfp_stream *stream, float *p, ptrdiff_t sx, ptrdiff_t sy);
size_t zfp_decode_partial_block_strided_float_2(zfp_stream *stream, float *p, size_t nx, size_t ny,
                                                ptrdiff_t sx, ptrdiff_t sy);
size_t zfp_encode_block_double_2(zfp_stream *stream, const double *block);
size_t zfp_encode_block_strided_double_2(zfp_stream *stream, const double *p, ptrdiff_t sx,
                                         ptrdiff_t sy);
size_t zfp_encode_partial_block_strided_double_2(zfp_stream *stream, const double *p, size_t nx,
                                                 size_t ny, ptrdiff_t sx, ptrdiff_t sy);
size_t zfp_decode_block_double_2(zfp_stream *stream, double *block);
size_t zfp_decode_block_strided_double_2(zfp_stream *stream, double *p, ptrdiff_t sx, ptrdiff_t sy);
size_t zfp_decode_partial_block_strided_double_2(zfp_stream *stream, double *p, size_t nx,
                                                 size_t ny, ptrdiff_t sx, ptrdiff_t sy);

/* 3-D */
size_t zfp_encode_block_int32_3(zfp_stream *stream, const int32 *block);
size_t zfp_encode_block_strided_int32_3(zfp_stream *stream, const int32 *p, ptrdiff_t sx,
                                        ptrdiff_t sy, ptrdiff_t sz);
size_t zfp_encode_partial_block_strided_int32_3(zfp_stream *stream, const int32 *p, size_t nx,
                                                size_t ny, size_t nz, ptrdiff_t sx, ptrdiff_t sy,
                                                ptrdiff_t sz);
size_t zfp_decode_block_int32_3(zfp_stream *stream, int32 *block);
size_t zfp_decode_block_strided_int32_3(zfp_stream *stream, int32 *p, ptrdiff_t sx, ptrdiff_t sy,
                                        ptrdiff_t sz);
size_t zfp_decode_partial_block_strided_int32_3(zfp_stream *stream, int32 *p, size_t nx, size_t ny,
                                                size_t nz, ptrdiff_t sx, ptrdiff_t sy,
                                                ptrdiff_t sz);
size_t zfp_encode_block_int64_3(zfp_stream *stream, const int64 *block);
size_t zfp_encode_block_strided_int64_3(zfp_stream *stream, const int64 *p, ptrdiff_t sx,
                                        ptrdiff_t sy, ptrdiff_t sz);
size_t zfp_encode_partial_block_strided_int64_3(zfp_stream *stream, const int64 *p, size_t nx,
                                                size_t ny, size_t nz, ptrdiff_t sx, ptrdiff_t sy,
                                                ptrdiff_t sz);
size_t zfp_decode_block_int64_3(zfp_stream *stream, int64 *block);
size_t zfp_decode_block_strided_int64_3(zfp_stream *stream, int64 *p, ptrdiff_t sx, ptrdiff_t sy,
                                        ptrdiff_t sz);
size_t zfp_decode_partial_block_strided_int64_3(zfp_stream *stream, int64 *p, size_t nx, size_t ny,
                                                size_t nz, ptrdiff_t sx, ptrdiff_t sy,
                                                ptrdiff_t sz);
size_t zfp_encode_block_float_3(zfp_stream *stream, const float *block);
size_t zfp_encode_block_strided_float_3(zfp_stream *stream, const float *p, ptrdiff_t sx,
                                        ptrdiff_t sy, ptrdiff_t sz);
size_t zfp_encode_partial_block_strided_float_3(zfp_stream *stream, const float *p, size_t nx,
                                                size_t ny, size_t nz, ptrdiff_t sx, ptrdiff_t sy,
                                                ptrdiff_t sz);
size_t zfp_decode_block_float_3(zfp_stream *stream, float *block);
size_t zfp_decode_block_strided_float_3(zfp_stream *stream, float *p, ptrdiff_t sx, ptrdiff_t sy,
                                        ptrdiff_t sz);
size_t zfp_decode_partial_block_strided_float_3(zfp_stream *stream, float *p, size_t nx, size_t ny,
                                                size_t nz, ptrdiff_t sx, ptrdiff_t sy,
                                                ptrdiff_t sz);
size_t zfp_encode_block_double_3(zfp_stream *stream, const double *block);
size_t zfp_encode_block_strided_double_3(zfp_stream *stream, const double *p, ptrdiff_t sx,
                                         ptrdiff_t sy, ptrdiff_t sz);
size_t zfp_encode_partial_block_strided_double_3(zfp_stream *stream, const double *p, size_t nx,
                                                 size_t ny, size_t nz, ptrdiff_t sx, ptrdiff_t sy,
                                                 ptrdiff_t sz);
size_t zfp_decode_block_double_3(zfp_stream *stream, double *block);
size_t zfp_decode_block_strided_double_3(zfp_stream *stream, double *p, ptrdiff_t sx, ptrdiff_t sy,
                                         ptrdiff_t sz);
size_t zfp_decode_partial_block_strided_double_3(zfp_stream *stream, double *p, size_t nx,
                                                 size_t ny, size_t nz, ptrdiff_t sx, ptrdiff_t sy,
                                                 ptrdiff_t sz);

/* 4-D */
size_t zfp_encode_block_int32_4(zfp_stream *stream, const int32 *block);
size_t zfp_encode_block_strided_int32_4(zfp_stream *stream, const int32 *p, ptrdiff_t sx,
                                        ptrdiff_t sy, ptrdiff_t sz, ptrdiff_t sw);
size_t zfp_encode_partial_block_strided_int32_4(zfp_stream *stream, const int32 *p, size_t nx,
                                                size_t ny, size_t nz, size_t nw, ptrdiff_t sx,
                                                ptrdiff_t sy, ptrdiff_t sz, ptrdiff_t sw);
size_t zfp_decode_block_int32_4(zfp_stream *stream, int32 *block);
size_t zfp_decode_block_strided_int32_4(zfp_stream *stream, int32 *p, ptrdiff_t sx, ptrdiff_t sy,
                                        ptrdiff_t sz, ptrdiff_t sw);
size_t zfp_decode_partial_block_strided_int32_4(zfp_stream *stream, int32 *p, size_t nx, size_t ny,
                                                size_t nz, size_t nw, ptrdiff_t sx, ptrdiff_t sy,
                                                ptrdiff_t sz, ptrdiff_t sw);
size_t zfp_encode_block_int64_4(zfp_stream *stream, const int64 *block);
size_t zfp_encode_block_strided_int64_4(zfp_stream *stream, const int64 *p, ptrdiff_t sx,
                                        ptrdiff_t sy, ptrdiff_t sz, ptrdiff_t sw);
size_t zfp_encode_partial_block_strided_int64_4(zfp_stream *stream, const int64 *p, size_t nx,
                                                size_t ny, size_t nz, size_t nw, ptrdiff_t sx,
                                                ptrdiff_t sy, ptrdiff_t sz, ptrdiff_t sw);
size_t zfp_decode_block_int64_4(zfp_stream *stream, int64 *block);
size_t zfp_decode_block_strided_int64_4(zfp_stream *stream, int64 *p, ptrdiff_t sx, ptrdiff_t sy,
                                        ptrdiff_t sz, ptrdiff_t sw);
size_t zfp_decode_partial_block_strided_int64_4(zfp_stream *stream, int64 *p, size_t nx, size_t ny,
                                                size_t nz, size_t nw, ptrdiff_t sx, ptrdiff_t sy,
                                                ptrdiff_t sz, ptrdiff_t sw);
size_t zfp_encode_block_float_4(zfp_stream *stream, const float *block);
size_t zfp_encode_block_strided_float_4(zfp_stream *stream, const float *p, ptrdiff_t sx,
                                        ptrdiff_t sy, ptrdiff_t sz, ptrdiff_t sw);
size_t zfp_encode_partial_block_strided_float_4(zfp_stream *stream, const float *p, size_t nx,
                                                size_t ny, size_t nz, size_t nw, ptrdiff_t sx,
                                                ptrdiff_t sy, ptrdiff_t sz, ptrdiff_t sw);
size_t zfp_decode_block_float_4(zfp_stream *stream, float *block);
size_t zfp_decode_block_strided_float_4(zfp_stream *stream, float *p, ptrdiff_t sx, ptrdiff_t sy,
                                        ptrdiff_t sz, ptrdiff_t sw);
size_t zfp_decode_partial_block_strided_float_4(zfp_stream *stream, float *p, size_t nx, size_t ny,
                                                size_t nz, size_t nw, ptrdiff_t sx, ptrdiff_t sy,
                                                ptrdiff_t sz, ptrdiff_t sw);
size_t zfp_encode_block_double_4(zfp_stream *stream, const double *block);
size_t zfp_encode_block_strided_double_4(zfp_stream *stream, const double *p, ptrdiff_t sx,
                                         ptrdiff_t sy, ptrdiff_t sz, ptrdiff_t sw);
size_t zfp_encode_partial_block_strided_double_4(zfp_stream *stream, const double *p, size_t nx,
                                                 size_t ny, size_t nz, size_t nw, ptrdiff_t sx,
                                                 ptrdiff_t sy, ptrdiff_t sz, ptrdiff_t sw);
size_t zfp_decode_block_double_4(zfp_stream *stream, double *block);
size_t zfp_decode_block_strided_double_4(zfp_stream *stream, double *p, ptrdiff_t sx, ptrdiff_t sy,
                                         ptrdiff_t sz, ptrdiff_t sw);
size_t zfp_decode_partial_block_strided_double_4(zfp_stream *stream, double *p, size_t nx,
                                                 size_t ny, size_t nz, size_t nw, ptrdiff_t sx,
                                                 ptrdiff_t sy, ptrdiff_t sz, ptrdiff_t sw);

/* ---- small integers as blocks of int32 and back, 4^dims of them ------------------------------ */

void zfp_promote_int8_to_int32(int32 *oblock, const int8 *iblock, uint dims);
void zfp_promote_uint8_to_int32(int32 *oblock, const uint8 *iblock, uint dims);
void zfp_promote_int16_to_int32(int32 *oblock, const int16 *iblock, uint dims);
void zfp_promote_uint16_to_int32(int32 *oblock, const uint16 *iblock, uint dims);
void zfp_demote_int32_to_int8(int8 *oblock, const int32 *iblock, uint dims);
void zfp_demote_int32_to_uint8(uint8 *oblock, const int32 *iblock, uint dims);
void zfp_demote_int32_to_int16(int16 *oblock, const int32 *iblock, uint dims);
void zfp_demote_int32_to_uint16(uint16 *oblock, const int32 *iblock, uint dims);

#ifdef __cplusplus
}
#endif

#endif
