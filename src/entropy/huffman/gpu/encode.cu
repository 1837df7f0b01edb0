/* encode.cu: symbols to Huffman codes on a GPU: a block codes a chunk and places it in the stream,
 * in one pass.
 *
 *     codes    a thread looks up 16 symbols; the codes of four fit in 64 bits
 *     sums     a prefix sum of bits over the block gives each thread's position in the chunk
 *     bits     each thread or's its bits into shared memory
 *     place    look-back over the bytes of the chunks before, after the next chunk's length is
 *              published; whole words go to global memory, bytes in a shared word one by one
 *
 * The bits are those of merge.cu, which follows the paper. */
#include "gpu/lookback.h"
#include "gpu/place.h"

#include "entropy/huffman/gpu/launches.h"

enum {
    THREADS = 256,
    WARPS = THREADS / 32,
    FOURS = 4, /* groups of four symbols of a thread */
    BUFFERS = 3,
    CHUNK_WORDS = ZTI_CHUNK_MOST_BYTES / 4,
    PART_WARPS = WARPS / ZTI_CHUNK_PARTS
};
static_assert(THREADS * FOURS * 4 == ZTI_CHUNK_SYMBOLS, "the symbols of a block are a chunk");

/* Shared memory of a block, beside codes. */
struct packing {
    alignas(16) uint32_t words[BUFFERS][CHUNK_WORDS]; /* one filled, one placed, one zeroed */
    uint32_t sums[WARPS];                             /* bits */
    uint64_t place[BUFFERS];                          /* bytes */
    uint64_t ticket;
};

/* Merged codes of consecutive symbols, the first in the lowest bits. */
struct codes {
    uint64_t bits;
    uint32_t count;
};

static __device__ __forceinline__ struct codes join(struct codes a, struct codes b)
{
    return {a.bits | b.bits << a.count, a.count + b.count};
}

/* The codes of the first n of four symbols, 16 bits each. */
static __device__ __forceinline__ struct codes codes_of(const uint32_t *codes, uint64_t four,
                                                        uint32_t n)
{
    uint32_t code[4];
    SIMT_UNROLL
    for (uint32_t k = 0; k < 4; k++)
        code[k] = k < n ? codes[four >> 16 * k & 0xffff] : 0;
    const uint32_t first = code[0] >> 16, third = code[2] >> 16;
    const struct codes left = {(code[0] & 0xffff) | (code[1] & 0xffff) << first,
                               first + (code[1] >> 16)};
    const struct codes right = {(code[2] & 0xffff) | (code[3] & 0xffff) << third,
                                third + (code[3] >> 16)};
    return join(left, right); /* at most 32 bits each */
}

/* Load a thread's symbols from 'first' on, 16 bits each; zeros after the last. */
static __device__ __forceinline__ void load(const struct zti_symbols *s, uint64_t first,
                                            uint64_t *four)
{
    const bool is_whole = first + 4 * FOURS <= s->count;
    if (s->bytes == 2 && is_whole) {
        SIMT_UNROLL
        for (uint32_t i = 0; i < FOURS; i += 2)
            simt_load_16(four + i, (const uint16_t *)s->data + first + 4 * i);
        return;
    }
    SIMT_UNROLL
    for (uint32_t i = 0; i < FOURS; i++) {
        const uint64_t at = first + 4 * i, left = at < s->count ? s->count - at : 0;
        four[i] = four_symbols(s, at, simt_at_most(left, 4));
    }
}

/* Look up their codes. */
static __device__ __forceinline__ void look_up(const struct zti_symbols *s, const uint32_t *codes,
                                               uint64_t first, const uint64_t *symbols,
                                               struct codes *four)
{
    const uint64_t left = first < s->count ? s->count - first : 0;
    const uint32_t n = simt_at_most(left, 4 * FOURS);
    if (n == 4 * FOURS) {
        SIMT_UNROLL
        for (uint32_t i = 0; i < FOURS; i++)
            four[i] = codes_of(codes, symbols[i], 4);
        return;
    }
    SIMT_UNROLL
    for (uint32_t i = 0; i < FOURS; i++)
        four[i] = codes_of(codes, symbols[i], n > 4 * i ? n - 4 * i : 0);
}

/* Or codes into zeroed words, to which other threads write too. */
static __device__ __forceinline__ void write_codes(uint32_t *words, uint32_t at, struct codes c)
{
    const uint32_t low = (uint32_t)c.bits, high = (uint32_t)(c.bits >> 32), shift = at % 32;
    const uint32_t word[3] = {low << shift, __funnelshift_l(low, high, shift),
                              __funnelshift_l(high, 0, shift)};
    SIMT_UNROLL
    for (uint32_t i = 0; i < 3; i++)
        if (word[i] != 0)
            (void)atomicOr(words + at / 32 + i, word[i]);
}

/* Put a thread's codes; at once if they fit in 64 bits, as most do. */
static __device__ __forceinline__ void write_fours(uint32_t *words, uint32_t at, uint32_t bits,
                                                   const struct codes *four)
{
    if (bits <= 64) {
        struct codes all = four[0];
        SIMT_UNROLL
        for (uint32_t i = 1; i < FOURS; i++)
            all = all.count < 64 ? join(all, four[i]) : all;
        write_codes(words, at, all);
        return;
    }
    SIMT_UNROLL
    for (uint32_t i = 0; i < FOURS; i++) {
        write_codes(words, at, four[i]);
        at += four[i].count;
    }
}

/* Store the bits of a chunk's parts, from the sums of warps. */
static __device__ __forceinline__ void note_parts(const struct zti_cuda_merging *m,
                                                  const struct packing *s, uint64_t chunk)
{
    uint32_t bits = 0;
    if (threadIdx.x >= ZTI_CHUNK_PARTS)
        return;
    for (uint32_t i = 0; i < PART_WARPS; i++)
        bits += s->sums[threadIdx.x * PART_WARPS + i];
    m->part_bits[chunk * ZTI_CHUNK_PARTS + threadIdx.x] = (uint16_t)bits;
}

/* A chunk in shared memory whose length is published and that is not placed yet. */
struct waiting {
    uint64_t chunk;
    uint32_t bytes; /* 0: none */
    uint32_t buffer;
};

/* Put the codes of a chunk into zeroed words and publish its length. Sets s->ticket to the next
 * ticket, and s->place to the place of w, the chunk before. Zeroes the next buffer. */
static __device__ __forceinline__ struct waiting pack(const struct zti_cuda_merging *m,
                                                      struct packing *s, uint64_t chunk,
                                                      uint64_t chunks, const struct codes *four,
                                                      const struct waiting *w)
{
    const uint32_t warp = threadIdx.x / 32, buffer = (w->buffer + 1) % BUFFERS;
    const uint64_t zeros[2] = {0, 0};
    uint32_t own = 0, at = 0, all = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < FOURS; i++)
        own += four[i].count;
    const uint32_t up_to = warp_sums_32(own);
    if (threadIdx.x % 32 == 31)
        s->sums[warp] = up_to;
    __syncthreads(); /* also: the buffer to be zeroed was placed */
    SIMT_UNROLL
    for (uint32_t i = 0; i < WARPS; i++) {
        at += i < warp ? s->sums[i] : 0;
        all += s->sums[i];
    }
    const uint32_t bytes = (all + 7) / 8;
    if (threadIdx.x == 0) {
        lookback_publish(m->states, chunk, bytes);
        s->ticket = lookback_claim(m->states);
    }
    note_parts(m, s, chunk);
    write_fours(s->words[buffer], at + up_to - own, own, four);
    uint32_t *const zeroed = s->words[(buffer + 1) % BUFFERS];
    for (uint32_t i = 4 * threadIdx.x; i < CHUNK_WORDS; i += 4 * THREADS)
        simt_store_16(zeroed + i, zeros);
    if (warp == 0 && w->bytes > 0) {
        const uint64_t before = lookback_sum(m->states, w->chunk, chunks, w->bytes);
        if (threadIdx.x == 0)
            s->place[w->buffer] = before;
    }
    __syncthreads();
    return {chunk, bytes, buffer};
}

/* A block looks back for a chunk only after it has published the next one's length. By then the
 * lengths before it are usually published, and no block waits for a waiting one. */
SIMT_KERNEL void SIMT_BOUNDS(THREADS, 6)
    encode_chunks(const struct zti_cuda_merging m, const uint64_t chunks)
{
    SIMT_SHARED_DYNAMIC(uint32_t, own_codes);
    SIMT_SHARED(struct packing, s, );
    const bool has_codes = m.book.alphabet <= ZTI_FEW_CODES;
    const uint64_t own = threadIdx.x * 4 * FOURS, zeros[2] = {0, 0};
    struct waiting w = {0, 0, 0};
    uint64_t symbols[FOURS];
    for (uint32_t i = threadIdx.x; has_codes && i < m.book.alphabet; i += THREADS)
        own_codes[i] = m.book.codes[i];
    for (uint32_t i = 4 * threadIdx.x; i < CHUNK_WORDS; i += 4 * THREADS)
        simt_store_16(s.words[1] + i, zeros);
    uint64_t chunk = lookback_ticket(m.states);
    load(&m.symbols, chunk * ZTI_CHUNK_SYMBOLS + own, symbols);
    while (chunk < chunks) {
        struct codes four[FOURS];
        if (has_codes) /* so that the compiler uses shared-memory loads */
            look_up(&m.symbols, own_codes, chunk * ZTI_CHUNK_SYMBOLS + own, symbols, four);
        else
            look_up(&m.symbols, m.book.codes, chunk * ZTI_CHUNK_SYMBOLS + own, symbols, four);
        const struct waiting next = pack(&m, &s, chunk, chunks, four, &w);
        chunk = s.ticket;
        load(&m.symbols, chunk * ZTI_CHUNK_SYMBOLS + own, symbols);
        if (w.bytes > 0)
            place_bytes(s.words[w.buffer], w.bytes, m.out, s.place[w.buffer], THREADS);
        w = next;
    }
    if (w.bytes == 0)
        return;
    if (threadIdx.x < 32) {
        const uint64_t before = lookback_sum(m.states, w.chunk, chunks, w.bytes);
        if (threadIdx.x == 0)
            s.place[w.buffer] = before;
    }
    __syncthreads();
    place_bytes(s.words[w.buffer], w.bytes, m.out, s.place[w.buffer], THREADS);
}

extern "C" void zti_cuda_code_chunks(const struct zti_cuda_merging *m, void *queue)
{
    const uint64_t chunks = (m->symbols.count + ZTI_CHUNK_SYMBOLS - 1) / ZTI_CHUNK_SYMBOLS;
    const uint32_t codes = m->book.alphabet <= ZTI_FEW_CODES ? m->book.alphabet : 0;
    if (chunks > 0)
        SIMT_LAUNCH(encode_chunks, simt_at_most(chunks, ZTI_CUDA_BLOCKS_MOST), THREADS, 4 * codes,
                    queue, *m, chunks);
}
