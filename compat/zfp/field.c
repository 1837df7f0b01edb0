/* field.c: libzfp's descriptions of arrays, their codes in headers, and its configurations. */
#include "compat.h"

#include <stdlib.h>

/* ---- as ztile sees them ---- */

uint32_t compat_type(zfp_type type)
{
    switch (type) {
    case zfp_type_int32: return ZT_I32;
    case zfp_type_int64: return ZT_I64;
    case zfp_type_float: return ZT_F32;
    case zfp_type_double: return ZT_F64;
    case zfp_type_none: break;
    }
    return 0;
}

size_t zfp_type_size(zfp_type type)
{
    return zt_type_bytes(compat_type(type));
}

static zfp_type type_of(uint32_t type)
{
    switch (type) {
    case ZT_I32: return zfp_type_int32;
    case ZT_I64: return zfp_type_int64;
    case ZT_F32: return zfp_type_float;
    case ZT_F64: return zfp_type_double;
    }
    return zfp_type_none;
}

/* Strides in effect, x first. Each default stands on its own: that of y is nx whatever x has. */
static void effective_strides(const zfp_field *field, int64_t *stride)
{
    const ptrdiff_t set[4] = {field->sx, field->sy, field->sz, field->sw};
    const size_t size[4] = {field->nx, field->ny, field->nz, field->nw};
    uint64_t contiguous = 1;
    for (uint32_t i = 0; i < 4; i++) {
        stride[i] = set[i] ? set[i] : (int64_t)contiguous;
        contiguous *= size[i];
    }
}

bool compat_array(const zfp_field *field, zt_array *array)
{
    const size_t size[4] = {field->nx, field->ny, field->nz, field->nw};
    const uint32_t rank = zfp_field_dimensionality(field);
    int64_t stride[4];
    if (rank == 0 || compat_type(field->type) == 0)
        return false;
    effective_strides(field, stride);
    *array = (zt_array){.data = field->data, .type = compat_type(field->type), .rank = rank};
    for (uint32_t i = 0; i < rank; i++) {
        array->shape[rank - 1 - i] = size[i];
        array->stride[rank - 1 - i] = stride[i];
    }
    return true;
}

/* ---- objects ---- */

zfp_field *zfp_field_alloc(void)
{
    zfp_field *field = malloc(sizeof *field);
    if (field)
        *field = (zfp_field){.type = zfp_type_none};
    return field;
}

static zfp_field *new_field(void *pointer, zfp_type type, size_t nx, size_t ny, size_t nz,
                            size_t nw)
{
    zfp_field *field = malloc(sizeof *field);
    if (field)
        *field = (zfp_field){.type = type, .nx = nx, .ny = ny, .nz = nz, .nw = nw, .data = pointer};
    return field;
}

zfp_field *zfp_field_1d(void *pointer, zfp_type type, size_t nx)
{
    return new_field(pointer, type, nx, 0, 0, 0);
}

zfp_field *zfp_field_2d(void *pointer, zfp_type type, size_t nx, size_t ny)
{
    return new_field(pointer, type, nx, ny, 0, 0);
}

zfp_field *zfp_field_3d(void *pointer, zfp_type type, size_t nx, size_t ny, size_t nz)
{
    return new_field(pointer, type, nx, ny, nz, 0);
}

zfp_field *zfp_field_4d(void *pointer, zfp_type type, size_t nx, size_t ny, size_t nz, size_t nw)
{
    return new_field(pointer, type, nx, ny, nz, nw);
}

void zfp_field_free(zfp_field *field)
{
    free(field);
}

/* ---- what they say ---- */

void *zfp_field_pointer(const zfp_field *field)
{
    return field->data;
}

/* The lowest and the highest place that the field reaches, in scalars from its pointer. */
static void reach(const zfp_field *field, int64_t *lowest, int64_t *highest)
{
    const size_t size[4] = {field->nx, field->ny, field->nz, field->nw};
    int64_t stride[4];
    effective_strides(field, stride);
    *lowest = *highest = 0;
    for (uint32_t i = 0; i < zfp_field_dimensionality(field); i++) {
        const int64_t far = (int64_t)((uint64_t)stride[i] * (size[i] - 1));
        if (far < 0)
            *lowest += far;
        else
            *highest += far;
    }
}

void *zfp_field_begin(const zfp_field *field)
{
    int64_t lowest, highest;
    if (!field->data)
        return NULL;
    reach(field, &lowest, &highest);
    /* a number: extents may be nonsense where only a description is asked for */
    return (void *)((uintptr_t)field->data + (uintptr_t)lowest * zfp_type_size(field->type));
}

zfp_type zfp_field_type(const zfp_field *field)
{
    return field->type;
}

uint zfp_field_precision(const zfp_field *field)
{
    return 8 * (uint)zfp_type_size(field->type);
}

uint zfp_field_dimensionality(const zfp_field *field)
{
    return field->nx == 0 ? 0 : field->ny == 0 ? 1 : field->nz == 0 ? 2 : field->nw == 0 ? 3 : 4;
}

size_t zfp_field_size(const zfp_field *field, size_t *size)
{
    const size_t all[4] = {field->nx, field->ny, field->nz, field->nw};
    size_t product = 1;
    for (uint32_t i = 0; i < 4; i++)
        product *= all[i] ? all[i] : 1;
    for (uint32_t i = 0; size && i < zfp_field_dimensionality(field); i++)
        size[i] = all[i];
    return product;
}

size_t zfp_field_size_bytes(const zfp_field *field)
{
    int64_t lowest, highest;
    reach(field, &lowest, &highest);
    return (size_t)(highest - lowest + 1) * zfp_type_size(field->type);
}

size_t zfp_field_blocks(const zfp_field *field)
{
    const size_t size[4] = {field->nx, field->ny, field->nz, field->nw};
    const uint32_t rank = zfp_field_dimensionality(field);
    size_t blocks = rank > 0;
    for (uint32_t i = 0; i < rank; i++)
        blocks *= (size[i] - 1) / 4 + 1;
    return blocks;
}

zfp_bool zfp_field_stride(const zfp_field *field, ptrdiff_t *stride)
{
    int64_t all[4];
    effective_strides(field, all);
    for (uint32_t i = 0; stride && i < zfp_field_dimensionality(field); i++)
        stride[i] = (ptrdiff_t)all[i];
    return field->sx || field->sy || field->sz || field->sw;
}

zfp_bool zfp_field_is_contiguous(const zfp_field *field)
{
    int64_t lowest, highest;
    reach(field, &lowest, &highest);
    return (uint64_t)(highest - lowest) + 1 == zfp_field_size(field, NULL);
}

uint64 zfp_field_metadata(const zfp_field *field)
{
    zt_array array;
    uint64_t code;
    return compat_array(field, &array) && zt_zfp_field_code(&array, &code) == ZT_OK ? code
                                                                                    : ZFP_META_NULL;
}

/* ---- setters ---- */

void zfp_field_set_pointer(zfp_field *field, void *pointer)
{
    field->data = pointer;
}

zfp_type zfp_field_set_type(zfp_field *field, zfp_type type)
{
    if (compat_type(type) == 0)
        return zfp_type_none;
    field->type = type;
    return type;
}

void zfp_field_set_size_1d(zfp_field *field, size_t nx)
{
    zfp_field_set_size_4d(field, nx, 0, 0, 0);
}

void zfp_field_set_size_2d(zfp_field *field, size_t nx, size_t ny)
{
    zfp_field_set_size_4d(field, nx, ny, 0, 0);
}

void zfp_field_set_size_3d(zfp_field *field, size_t nx, size_t ny, size_t nz)
{
    zfp_field_set_size_4d(field, nx, ny, nz, 0);
}

void zfp_field_set_size_4d(zfp_field *field, size_t nx, size_t ny, size_t nz, size_t nw)
{
    field->nx = nx;
    field->ny = ny;
    field->nz = nz;
    field->nw = nw;
}

void zfp_field_set_stride_1d(zfp_field *field, ptrdiff_t sx)
{
    zfp_field_set_stride_4d(field, sx, 0, 0, 0);
}

void zfp_field_set_stride_2d(zfp_field *field, ptrdiff_t sx, ptrdiff_t sy)
{
    zfp_field_set_stride_4d(field, sx, sy, 0, 0);
}

void zfp_field_set_stride_3d(zfp_field *field, ptrdiff_t sx, ptrdiff_t sy, ptrdiff_t sz)
{
    zfp_field_set_stride_4d(field, sx, sy, sz, 0);
}

void zfp_field_set_stride_4d(zfp_field *field, ptrdiff_t sx, ptrdiff_t sy, ptrdiff_t sz,
                             ptrdiff_t sw)
{
    field->sx = sx;
    field->sy = sy;
    field->sz = sz;
    field->sw = sw;
}

zfp_bool zfp_field_set_metadata(zfp_field *field, uint64 meta)
{
    size_t size[4] = {0, 0, 0, 0};
    zt_zfp params;
    struct zti_array array;
    if (meta >> ZFP_META_BITS || !compat_read_codes(meta, COMPAT_ANY_MODE, &params, &array))
        return zfp_false;
    for (uint32_t i = 0; i < array.rank; i++)
        size[i] = (size_t)array.shape[array.rank - 1 - i];
    field->type = type_of(array.type);
    zfp_field_set_size_4d(field, size[0], size[1], size[2], size[3]);
    zfp_field_set_stride_4d(field, 0, 0, 0, 0);
    return zfp_true;
}

bool compat_read_codes(uint64_t field_code, uint64_t mode_code, zt_zfp *params,
                       struct zti_array *array)
{
    uint8_t head[24 + ZTI_BIT_MARGIN_BYTES] = {0};
    struct zti_bit_writer w = zti_bit_writer_at(head);
    struct zti_zfp z = {.word_bits = ZFP_WORD_BITS, .as_libzfp = true};
    uint32_t header_bits;
    zti_put_bits(&w, 'z' | 'f' << 8 | 'p' << 16 | ZFP_CODEC << 24, ZFP_MAGIC_BITS);
    zti_put_bits(&w, field_code, ZFP_META_BITS);
    zti_put_bits64(&w, mode_code, ZFP_MODE_LONG_BITS);
    if (zti_zfp_decode_file_header(NULL, head, 24, &z, array, &header_bits) != ZT_OK)
        return false;
    params->minbits = z.minbits;
    params->maxbits = z.maxbits;
    params->maxprec = z.maxprec;
    params->minexp = z.minexp;
    return true;
}

/* ---- configurations: a mode and its argument, which clients look into ---- */

zfp_config zfp_config_none(void)
{
    return (zfp_config){.mode = zfp_mode_null};
}

zfp_config zfp_config_rate(double rate, zfp_bool align)
{
    return (zfp_config){.mode = zfp_mode_fixed_rate, .arg.rate = align ? -rate : rate};
}

zfp_config zfp_config_precision(uint precision)
{
    return (zfp_config){.mode = zfp_mode_fixed_precision, .arg.precision = precision};
}

zfp_config zfp_config_accuracy(double tolerance)
{
    return (zfp_config){.mode = zfp_mode_fixed_accuracy, .arg.tolerance = tolerance};
}

zfp_config zfp_config_reversible(void)
{
    return (zfp_config){.mode = zfp_mode_reversible};
}

zfp_config zfp_config_expert(uint minbits, uint maxbits, uint maxprec, int minexp)
{
    return (zfp_config){
        .mode = zfp_mode_expert,
        .arg.expert = {
            .minbits = minbits, .maxbits = maxbits, .maxprec = maxprec, .minexp = minexp}};
}
