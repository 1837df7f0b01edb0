/* xxh3.h: XXH3 with 64 bits, no seed and its own secret, in kernels (Yann Collet,
 * github.com/Cyan4973/xxHash, doc/xxhash_spec.md). Inputs of at most 240 bytes are hashed by one
 * thread. Of longer ones stripes of 64 bytes are added to eight accumulators, which are scrambled
 * after each block of 16 stripes; eight lanes have an accumulator each. */
#ifndef ZTI_GPU_XXH3_H
#define ZTI_GPU_XXH3_H

#include "gpu/simt.h"

enum {
    XXH3_LANES = 8,
    XXH3_STRIPE_BYTES = 64,
    XXH3_BLOCK_STRIPES = 16,
    XXH3_SHORT_BYTES = 240 /* the most of an input that one thread hashes */
};

#define PRIME_32_1 UINT64_C(0x9E3779B1)
#define PRIME_32_2 UINT64_C(0x85EBCA77)
#define PRIME_32_3 UINT64_C(0xC2B2AE3D)
#define PRIME_64_1 UINT64_C(0x9E3779B185EBCA87)
#define PRIME_64_2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define PRIME_64_3 UINT64_C(0x165667B19E3779F9)
#define PRIME_64_4 UINT64_C(0x85EBCA77C2B2AE63)
#define PRIME_64_5 UINT64_C(0x27D4EB2F165667C5)

/* The 192 bytes of the secret, as words: whole ones (word i begins at byte 8 i), and for each
 * accumulator the word for the last stripe (from byte 121) and for the sum (from byte 11). */
struct xxh3_secret {
    uint64_t word[24], last[XXH3_LANES], sum[XXH3_LANES], first[XXH3_LANES];
};

static inline struct xxh3_secret xxh3_secret_of_bytes(void)
{
    static const uint8_t bytes[192] = {
        0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad,
        0x1c, 0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3,
        0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc,
        0xff, 0x72, 0x21, 0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6,
        0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65,
        0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19,
        0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8, 0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9,
        0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31,
        0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64, 0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb,
        0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb, 0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0,
        0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16, 0xbe, 0x58, 0x7d,
        0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f,
        0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e};
    static const uint64_t first[XXH3_LANES] = {PRIME_32_3, PRIME_64_1, PRIME_64_2, PRIME_64_3,
                                               PRIME_64_4, PRIME_32_2, PRIME_64_5, PRIME_32_1};
    struct xxh3_secret s;
    memcpy(s.word, bytes, sizeof s.word);
    memcpy(s.last, bytes + 121, sizeof s.last);
    memcpy(s.sum, bytes + 11, sizeof s.sum);
    memcpy(s.first, first, sizeof s.first);
    return s;
}

/* The secret's words to shared memory. All threads of the block call it. */
static __device__ __forceinline__ void xxh3_load_secret(uint64_t *word, const struct xxh3_secret *s)
{
    if (threadIdx.x < 24)
        word[threadIdx.x] = s->word[threadIdx.x];
    __syncthreads();
}

/* Eight bytes at any address. */
static __device__ __forceinline__ uint64_t load_word(const uint8_t *from)
{
    uint64_t v = 0;
    if ((uintptr_t)from % 8 == 0)
        return *(const uint64_t *)(const void *)from;
    SIMT_UNROLL
    for (int i = 0; i < 8; i++)
        v |= (uint64_t)from[i] << 8 * i;
    return v;
}

/* The upper and the lower half of a product, each in the other's place. */
static __device__ __forceinline__ uint64_t fold_product(uint64_t a, uint64_t b)
{
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t low = a0 * b0, one = a1 * b0 + (low >> 32), two = a0 * b1 + (uint32_t)one;
    return (a * b) ^ (a1 * b1 + (one >> 32) + (two >> 32));
}

static __device__ __forceinline__ uint64_t xxh3_avalanche(uint64_t h)
{
    h = (h ^ h >> 37) * UINT64_C(0x165667919E3779F9);
    return h ^ h >> 32;
}

/* ---- long inputs ---- */

/* Add a stripe's word to an accumulator, and to the neighbour's; all lanes of the warp call it. */
static __device__ __forceinline__ uint64_t add_word(uint64_t sum, uint64_t word, uint64_t key,
                                                    bool is_there)
{
    const uint64_t other = __shfl_xor_sync(SIMT_ALL_LANES, word, 1), both = word ^ key;
    return is_there ? sum + other + (uint64_t)(uint32_t)both * (both >> 32) : sum;
}

/* What the eight lanes' accumulators give for an input of so many bytes. */
static __device__ __forceinline__ uint64_t sum_of(uint64_t sum, uint64_t key, uint64_t bytes,
                                                  uint32_t lane)
{
    const uint64_t own = sum ^ key, other = __shfl_xor_sync(SIMT_ALL_LANES, own, 1);
    uint64_t all = lane % 2 == 0 ? fold_product(own, other) : 0;
    for (int step = 1; step < XXH3_LANES; step *= 2)
        all += __shfl_xor_sync(SIMT_ALL_LANES, all, step);
    return xxh3_avalanche(all + bytes * PRIME_64_1);
}

/* The hash of n bytes, more than XXH3_SHORT_BYTES, or anything if there are fewer, in each of the
 * eight lanes. All lanes of the warp call it; 'longest' is the most of their n. word: the secret's
 * words, in shared memory. */
static __device__ __forceinline__ uint64_t xxh3_long(const uint8_t *bytes, uint64_t n,
                                                     uint64_t longest, const uint64_t *word,
                                                     const struct xxh3_secret *s)
{
    const uint32_t lane = threadIdx.x % XXH3_LANES;
    const bool is_there = n > (uint64_t)XXH3_SHORT_BYTES;
    const uint64_t stripes = is_there ? (n - 1) / XXH3_STRIPE_BYTES : 0;
    const uint8_t *const at = bytes + 8 * lane;
    uint64_t sum = s->first[lane];
    for (uint64_t i = 0; i < (longest - 1) / XXH3_STRIPE_BYTES; i += XXH3_BLOCK_STRIPES) {
        uint64_t v[XXH3_BLOCK_STRIPES];
        SIMT_UNROLL
        for (uint32_t k = 0; k < XXH3_BLOCK_STRIPES; k++)
            v[k] = i + k < stripes ? load_word(at + (i + k) * XXH3_STRIPE_BYTES) : 0;
        SIMT_UNROLL
        for (uint32_t k = 0; k < XXH3_BLOCK_STRIPES; k++)
            sum = add_word(sum, v[k], word[k + lane], i + k < stripes);
        if (i + XXH3_BLOCK_STRIPES <= stripes)
            sum = (sum ^ sum >> 47 ^ word[16 + lane]) * PRIME_32_1;
    }
    sum = add_word(sum, is_there ? load_word(at + n - XXH3_STRIPE_BYTES) : 0, s->last[lane],
                   is_there);
    return sum_of(sum, s->sum[lane], n, lane);
}

/* ---- long inputs, by a block ---- */

/* Bytes of an input that a block has in shared memory at a time, words for them at any address, and
 * what blocks of stripes add to accumulators, in four parts. A block has 256 threads. */
enum {
    XXH3_STAGE_THREADS = 256,
    XXH3_STAGE_STRIPES = 128,
    XXH3_STAGE_BYTES = 64 * XXH3_STAGE_STRIPES,
    XXH3_STAGE_PARTS = 4,
    XXH3_PART_STRIPES = XXH3_BLOCK_STRIPES / XXH3_STAGE_PARTS,
    XXH3_STAGE_SUMS = XXH3_STAGE_STRIPES / XXH3_PART_STRIPES * XXH3_LANES,
    XXH3_STAGE_WORDS = 8 * XXH3_STAGE_STRIPES + 1 + XXH3_STAGE_SUMS,
    XXH3_STAGE_LOADS = 8 * XXH3_STAGE_STRIPES / XXH3_STAGE_THREADS + 1 /* of a thread */
};

/* Word i of what is staged, whose first byte is byte 'skip' of its first word. */
static __device__ __forceinline__ uint64_t staged_word(const uint64_t *stage, uint32_t i,
                                                       uint32_t skip)
{
    const uint64_t low = stage[i] >> 8 * skip;
    return skip == 0 ? low : low | stage[i + 1] << (64 - 8 * skip);
}

/* What a part of a block of 'some' staged stripes adds to an accumulator, that of number i %
 * XXH3_LANES. */
static __device__ __forceinline__ uint64_t sum_of_part(const uint64_t *stage, uint32_t some,
                                                       uint32_t i, uint32_t skip,
                                                       const uint64_t *word)
{
    const uint32_t lane = i % XXH3_LANES, first = i / XXH3_LANES * XXH3_PART_STRIPES;
    uint64_t sum = 0;
    for (uint32_t k = first; k < first + XXH3_PART_STRIPES && k < some; k++) {
        const uint64_t key = word[k % XXH3_BLOCK_STRIPES + lane];
        const uint64_t both = staged_word(stage, k * XXH3_LANES + lane, skip) ^ key;
        sum += staged_word(stage, k * XXH3_LANES + (lane ^ 1), skip) +
               (uint64_t)(uint32_t)both * (both >> 32);
    }
    return sum;
}

/* A thread's words of the stage that begins with word 'at' of 'all', loaded at once. */
static __device__ __forceinline__ void load_stage(const uint64_t *words, uint64_t at, uint64_t all,
                                                  uint64_t *own)
{
    SIMT_UNROLL
    for (uint32_t k = 0; k < XXH3_STAGE_LOADS; k++) {
        const uint64_t i = at + k * XXH3_STAGE_THREADS + threadIdx.x;
        own[k] = i < all ? words[i] : 0;
    }
}

static __device__ __forceinline__ void store_stage(const uint64_t *own, uint64_t *stage)
{
    SIMT_UNROLL
    for (uint32_t k = 0; k < XXH3_STAGE_LOADS; k++) {
        const uint32_t i = k * XXH3_STAGE_THREADS + threadIdx.x;
        if (i <= (uint32_t)XXH3_STAGE_STRIPES * XXH3_LANES)
            stage[i] = own[k];
    }
}

/* The hash of n bytes, more than XXH3_SHORT_BYTES, in the first eight lanes of the block, all of
 * whose threads call it: they load whole words, of the next stage while they sum up parts of this
 * one, and the first warp goes from block to block. A word beside the first or last byte is read
 * whole. stage: shared memory. */
static __device__ __forceinline__ uint64_t xxh3_staged(const uint8_t *bytes, uint64_t n,
                                                       uint64_t *stage, const uint64_t *word,
                                                       const struct xxh3_secret *s)
{
    const uint32_t lane = threadIdx.x % XXH3_LANES, skip = (uint32_t)((uintptr_t)bytes % 8);
    const uint64_t *const words = (const uint64_t *)(const void *)(bytes - skip);
    const uint64_t stripes = (n - 1) / XXH3_STRIPE_BYTES, all = (skip + n + 7) / 8;
    uint64_t *const sums = stage + (XXH3_STAGE_WORDS - XXH3_STAGE_SUMS);
    uint64_t sum = s->first[lane], own[XXH3_STAGE_LOADS];
    load_stage(words, 0, all, own);
    for (uint64_t at = 0; at < stripes * XXH3_STRIPE_BYTES; at += XXH3_STAGE_BYTES) {
        const uint64_t left = stripes - at / XXH3_STRIPE_BYTES;
        const uint32_t some = simt_at_most(left, XXH3_STAGE_STRIPES);
        store_stage(own, stage);
        __syncthreads();
        load_stage(words, (at + XXH3_STAGE_BYTES) / 8, all, own);
        for (uint32_t i = threadIdx.x; i < XXH3_STAGE_SUMS; i += blockDim.x)
            sums[i] = sum_of_part(stage, some, i, skip, word);
        __syncthreads();
        for (uint32_t i = 0; i < some && threadIdx.x < 32; i += XXH3_BLOCK_STRIPES) {
            for (uint32_t k = i; k < i + XXH3_BLOCK_STRIPES; k += XXH3_PART_STRIPES)
                sum += sums[k / XXH3_PART_STRIPES * XXH3_LANES + lane];
            if (i + XXH3_BLOCK_STRIPES <= some)
                sum = (sum ^ sum >> 47 ^ word[16 + lane]) * PRIME_32_1;
        }
    }
    if (threadIdx.x >= 32)
        return 0;
    sum = add_word(sum, load_word(bytes + n - XXH3_STRIPE_BYTES + 8 * lane), s->last[lane], true);
    return sum_of(sum, s->sum[lane], n, lane);
}

/* ---- short inputs ---- */

static __device__ __forceinline__ uint64_t xxh3_mix(const uint8_t *bytes, const uint8_t *secret)
{
    return fold_product(load_word(bytes) ^ load_word(secret),
                        load_word(bytes + 8) ^ load_word(secret + 8));
}

static __device__ __forceinline__ uint64_t xxh3_turn(uint64_t v, uint32_t bits)
{
    return v << bits | v >> (64 - bits);
}

static __device__ __forceinline__ uint64_t xxh3_word_32(const uint8_t *bytes)
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
           (uint64_t)bytes[3] << 24;
}

/* Of at most 16 bytes. */
static __device__ inline uint64_t xxh3_shortest(const uint8_t *bytes, uint32_t n,
                                                const uint64_t *word)
{
    uint64_t h, swapped = 0;
    if (n > 8) {
        const uint64_t low = load_word(bytes) ^ (word[3] ^ word[4]);
        const uint64_t high = load_word(bytes + n - 8) ^ (word[5] ^ word[6]);
        for (int i = 0; i < 8; i++)
            swapped |= (low >> 8 * i & 0xff) << (56 - 8 * i);
        return xxh3_avalanche(n + swapped + high + fold_product(low, high));
    }
    if (n > 3) {
        h = (xxh3_word_32(bytes + n - 4) + (xxh3_word_32(bytes) << 32)) ^ (word[1] ^ word[2]);
        h = (h ^ xxh3_turn(h, 49) ^ xxh3_turn(h, 24)) * UINT64_C(0x9FB21C651E98DF25);
        h = (h ^ ((h >> 35) + n)) * UINT64_C(0x9FB21C651E98DF25);
        return h ^ h >> 28;
    }
    if (n > 0)
        h = ((uint64_t)bytes[0] << 16 | (uint64_t)bytes[n >> 1] << 24 | bytes[n - 1] |
             (uint64_t)n << 8) ^
            (uint32_t)(word[0] ^ word[0] >> 32);
    else
        h = word[7] ^ word[8];
    h = (h ^ h >> 33) * PRIME_64_2;
    h = (h ^ h >> 29) * PRIME_64_3;
    return h ^ h >> 32;
}

/* The hash of n bytes, at most XXH3_SHORT_BYTES. One thread calls it. word: the secret's words, in
 * shared memory. */
static __device__ inline uint64_t xxh3_short(const uint8_t *bytes, uint32_t n, const uint64_t *word)
{
    const uint8_t *const secret = (const uint8_t *)(const void *)word;
    uint64_t h = n * PRIME_64_1;
    if (n <= 16)
        return xxh3_shortest(bytes, n, word);
    if (n <= 128) {
        for (uint32_t i = (n - 1) / 32 + 1; i-- > 0;)
            h += xxh3_mix(bytes + 16 * i, secret + 32 * i) +
                 xxh3_mix(bytes + n - 16 * (i + 1), secret + 32 * i + 16);
        return xxh3_avalanche(h);
    }
    for (uint32_t i = 0; i < n / 16; i++) {
        h += xxh3_mix(bytes + 16 * i, i < 8 ? secret + 16 * i : secret + 16 * (i - 8) + 3);
        if (i == 7)
            h = xxh3_avalanche(h);
    }
    return xxh3_avalanche(h + xxh3_mix(bytes + n - 16, secret + 119));
}

/* The hash of n bytes, in the first thread of the block, all of whose threads call it. stage: as
 * for xxh3_staged. */
static __device__ __forceinline__ uint64_t xxh3_of_block(const uint8_t *bytes, uint64_t n,
                                                         uint64_t *stage, const uint64_t *word,
                                                         const struct xxh3_secret *s)
{
    if (n > (uint64_t)XXH3_SHORT_BYTES)
        return xxh3_staged(bytes, n, stage, word, s);
    return threadIdx.x == 0 ? xxh3_short(bytes, (uint32_t)n, word) : 0;
}

#endif
