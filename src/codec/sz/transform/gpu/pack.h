/* pack.h: kernel text: a warp appends bits to bytes, a field a lane. */
#ifndef ZTI_SZ_TRANSFORM_GPU_PACK_H
#define ZTI_SZ_TRANSFORM_GPU_PACK_H

#include "codec/sz/gpu/put.h"

enum {
    PACK_FULL = 1024, /* bits: when this many are held, they are stored */
    PACK_WORDS = (PACK_FULL + 32 * 64) / 32 + 2
};

/* Bits that are not stored yet are in shared memory, zeros behind them. */
struct packer {
    unsigned *words;
    uint32_t held; /* bits */
    uint8_t *to;
};

static __device__ __forceinline__ struct packer packer_at(unsigned *words, uint8_t *to)
{
    const struct packer p = {words, 0, to};
    for (uint32_t i = threadIdx.x; i < PACK_WORDS; i += 32)
        words[i] = 0;
    simt_order_warp();
    return p;
}

/* Store the first 'bits' held bits: a multiple of 8, or all of them. */
static __device__ __forceinline__ void store_held(struct packer *p, uint32_t bits)
{
    const uint32_t lane = threadIdx.x, bytes = (bits + 7) / 8, words = (p->held + 31) / 32;
    const unsigned rest = p->words[bits / 32] >> bits % 32 & 255;
    for (uint32_t i = lane; i < bytes; i += 32)
        p->to[i] = (uint8_t)(p->words[i / 4] >> i % 4 * 8);
    simt_order_warp();
    for (uint32_t i = lane; i < words; i += 32)
        p->words[i] = i == 0 && bits < p->held ? rest : 0;
    simt_order_warp();
    p->to += bytes;
    p->held -= bits;
}

/* Append the lanes' fields of n <= 64 bits each; bits of v from n on are 0. */
static __device__ __forceinline__ void pack(struct packer *p, uint64_t v, uint32_t n)
{
    const uint32_t up_to = warp_sums_32(n);
    put_field(p->words, p->held + up_to - n, v, n);
    p->held += __shfl_sync(SIMT_ALL_LANES, up_to, 31);
    simt_order_warp();
    if (p->held >= PACK_FULL)
        store_held(p, p->held / 8 * 8);
}

/* Store what is left; returns the place behind its last byte. */
static __device__ __forceinline__ uint8_t *end_packed(struct packer *p)
{
    store_held(p, p->held);
    return p->to;
}

#endif
