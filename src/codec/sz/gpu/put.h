/* put.h: kernel text: the box of an array that coders of large tiles encode by kernels, its values
 * as they are, bytes to any place, and fields of bits. */
#ifndef ZTI_SZ_GPU_PUT_H
#define ZTI_SZ_GPU_PUT_H

#include "codec/sz/gpu/kernels.h"

struct sz_box {
    struct zti_array array;
    uint64_t origin[ZT_MAX_RANK];
    uint32_t extent[ZT_MAX_RANK];
    uint32_t n; /* its values */
};

ZTI_STATIC uint64_t sz_bits_of(uint32_t type, const void *at)
{
    return type == ZT_F32 || type == ZT_I32 ? *(const uint32_t *)at : *(const uint64_t *)at;
}

/* Value i of a box, in C order. */
static __device__ __forceinline__ uint64_t sz_box_bits(const struct sz_box *b, uint32_t i)
{
    int64_t offset = 0;
    for (uint32_t a = b->array.rank; a-- > 0; i /= b->extent[a])
        offset += (int64_t)(b->origin[a] + i % b->extent[a]) * b->array.stride[a];
    return sz_bits_of(b->array.type, (const char *)b->array.data +
                                         offset * (int64_t)value_bytes_of(b->array.type));
}

/* Store the number of a raw tile and the values of a box, shared by threads. */
static __device__ __forceinline__ void sz_put_raw_box(const struct sz_box *b, uint8_t *to,
                                                      uint32_t own, uint32_t threads)
{
    const uint32_t bytes = value_bytes_of(b->array.type);
    if (own == 0)
        *to = ZTI_TILE_RAW;
    for (uint32_t i = own; i < b->n; i += threads)
        (void)zti_put_value(to + 1 + (size_t)i * bytes, sz_box_bits(b, i), bytes);
}

/* Copy bytes, from memory that can be read in whole words, up to one behind those that have some of
 * the bytes. */
static __device__ __forceinline__ void copy_bytes(uint8_t *to, const uint8_t *from, uint64_t bytes,
                                                  uint32_t own, uint32_t threads)
{
    const uint64_t before = -(uintptr_t)to & 3, head = before < bytes ? before : bytes;
    const uint64_t whole = (bytes - head) / 4, tail = head + 4 * whole;
    const uint32_t skip = (uint32_t)((uintptr_t)(from + head) & 3);
    const uint32_t *const words = (const uint32_t *)(const void *)(from + head - skip);
    uint32_t *const aligned = (uint32_t *)(void *)(to + head);
    for (uint64_t i = own; i < whole; i += threads)
        aligned[i] = __funnelshift_r(words[i], words[i + 1], 8 * skip);
    for (uint64_t i = own; i < head; i += threads)
        to[i] = from[i];
    for (uint64_t i = tail + own; i < bytes; i += threads)
        to[i] = from[i];
}

/* Add a field of n <= 64 bits to zeros at a bit of a list; bits of v from n on are 0. */
static __device__ __forceinline__ void put_field(unsigned *list, uint64_t at, uint64_t v,
                                                 uint32_t n)
{
    unsigned *const to = list + at / 32;
    const uint32_t skip = at % 32;
    const uint64_t low = v << skip, high = skip > 0 ? v >> (64 - skip) : 0;
    if (n == 0)
        return;
    (void)atomicOr(to, (unsigned)low);
    if (low >> 32 > 0)
        (void)atomicOr(to + 1, (unsigned)(low >> 32));
    if (high > 0)
        (void)atomicOr(to + 2, (unsigned)high);
}

#endif
