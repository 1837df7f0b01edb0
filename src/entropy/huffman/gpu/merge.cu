/* merge.cu: symbols to Huffman codes on a GPU by reduce-merge and shuffle-merge (see merge.c): a
 * block codes a chunk and places it in the stream, in one pass. This is the paper's method, with a
 * choice of magnitude and reduction factor, for zt_huffman_encode_merged; other streams are made by
 * encode.cu, which is faster.
 *
 *     reduce   a thread merges the codes of 2^r symbols into a word of a cell
 *     shuffle  rounds between two buffers in shared memory; for each word of a merged group, a
 *              thread gathers its bits from the left group, the shifted right group, or both. So
 *              the paper's two steps become one, and no bit has two writers.
 *     append   if a chunk of the stream has several groups of 2^M symbols, they are joined
 *     place    look-back over the bytes of the chunks before; whole words go to global memory,
 *              bytes in a shared word one by one
 *
 * If a chunk has a breaking unit (more than 32 bits), all its cells have room for the longest
 * possible unit, so that the bits do not depend on r. */
#include "gpu/lookback.h"
#include "gpu/place.h"

#include "entropy/huffman/gpu/launches.h"

enum { THREADS = 256, WORD_BITS = ZTI_MERGE_WORD_BITS, OWN_BYTES = 256 /* beside the cells */ };

/* Shared memory of a block. */
struct cells {
    uint32_t *from, *to;           /* words of cells */
    uint32_t *from_bits, *to_bits; /* bits of each group */
    const uint32_t *codes;
    uint32_t units, cell_words;
};

static inline uint32_t room_words(uint32_t magnitude, uint32_t factor)
{
    return factor == 0 ? 1u << magnitude : 1u << (magnitude - 1);
}

/* Merge the codes of a unit and store at most as many words as a cell has. Returns the unit's
 * bits. */
static __device__ __forceinline__ uint32_t reduce(const struct zti_cuda_merging *m,
                                                  const struct cells *c, uint64_t first,
                                                  uint32_t *cell)
{
    const uint64_t left = first < m->symbols.count ? m->symbols.count - first : 0;
    const uint32_t n = left < 1u << m->factor ? (uint32_t)left : 1u << m->factor;
    uint64_t held = 0;
    uint32_t bits = 0, word = 0;
    for (uint32_t i = 0; i < n; i += 4) {
        const uint32_t some = n - i < 4 ? n - i : 4;
        uint64_t four = four_symbols(&m->symbols, first + i, some);
        for (uint32_t k = 0; k < some; k++, four >>= 16) {
            const uint32_t code = c->codes[four & 0xffff];
            held |= (uint64_t)(code & 0xffff) << (bits - word * WORD_BITS);
            bits += code >> 16;
            if (bits > (word + 1) * WORD_BITS) {
                if (word < c->cell_words)
                    cell[word] = (uint32_t)held;
                held >>= WORD_BITS;
                word++;
            }
        }
    }
    if (word < c->cell_words)
        cell[word] = (uint32_t)held;
    return bits;
}

/* Reduce all units of a chunk; returns whether one is breaking. */
static __device__ __forceinline__ bool reduce_chunk(const struct zti_cuda_merging *m,
                                                    struct cells *c, uint64_t chunk)
{
    uint32_t broken = 0;
    for (uint32_t u = threadIdx.x; u < c->units; u += THREADS) {
        const uint64_t first = (chunk << m->magnitude) + ((uint64_t)u << m->factor);
        const uint32_t bits = reduce(m, c, first, c->from + u * c->cell_words);
        c->from_bits[u] = bits;
        broken += bits > WORD_BITS;
    }
    if (c->cell_words == 1 && broken > 0)
        (void)atomicAdd((unsigned long long *)m->breaking, (unsigned long long)broken);
    return __syncthreads_or(broken > 0);
}

static __device__ __forceinline__ void swap_buffers(struct cells *c)
{
    uint32_t *const words = c->from, *const bits = c->from_bits;
    c->from = c->to;
    c->from_bits = c->to_bits;
    c->to = words;
    c->to_bits = bits;
}

/* Merge groups of 2^log2_words words in pairs, from buffer 'from' to buffer 'to', and swap
 * these. */
static __device__ __forceinline__ void shuffle(struct cells *c, uint32_t log2_words)
{
    const uint32_t group_words = 1u << log2_words;
    for (uint32_t x = threadIdx.x; x < c->units * c->cell_words; x += THREADS) {
        const uint32_t w = x & (2 * group_words - 1), p = x >> (log2_words + 1);
        const uint32_t left_bits = c->from_bits[2 * p], right_bits = c->from_bits[2 * p + 1];
        const uint32_t skip = left_bits / WORD_BITS, shift = left_bits % WORD_BITS;
        const uint32_t right_words = zti_merge_words(right_bits);
        const uint32_t *const left = c->from + (x - w), *const right = left + group_words;
        if (w == 0)
            c->to_bits[p] = left_bits + right_bits;
        if (w >= zti_merge_words(left_bits + right_bits))
            continue;
        uint32_t v = w < zti_merge_words(left_bits) ? left[w] : 0;
        if (w >= skip && w - skip < right_words)
            v |= right[w - skip] << shift;
        if (w > skip && w - skip - 1 < right_words && shift > 0)
            v |= right[w - skip - 1] >> (WORD_BITS - shift);
        c->to[x] = v;
    }
    __syncthreads();
    swap_buffers(c);
}

/* Few groups of 2^log2_words words each one behind another: from the buffer 'from' to the other. */
static __device__ __forceinline__ void append(struct cells *c, uint32_t log2_words, uint32_t groups)
{
    for (uint32_t x = threadIdx.x; x < c->units * c->cell_words; x += THREADS) {
        uint32_t start = 0, v = 0;
        for (uint32_t g = 0; g < groups; g++) {
            const uint32_t *const group = c->from + (g << log2_words);
            const uint32_t words = zti_merge_words(c->from_bits[g]);
            const uint32_t skip = start / WORD_BITS, shift = start % WORD_BITS;
            if (x >= skip && x - skip < words)
                v |= group[x - skip] << shift;
            if (x > skip && x - skip - 1 < words && shift > 0)
                v |= group[x - skip - 1] >> (WORD_BITS - shift);
            start += c->from_bits[g];
        }
        if (x == 0)
            c->to_bits[0] = start;
        c->to[x] = v;
    }
    __syncthreads();
    swap_buffers(c);
}

/* Store the bits of parts, in the round in which groups are parts. */
static __device__ __forceinline__ void
note_parts(const struct zti_cuda_merging *m, const struct cells *c, uint64_t chunk, uint32_t cells)
{
    const uint32_t parts = 1u << (m->magnitude - ZTI_PART_MAGNITUDE);
    if (cells << m->factor == 1u << ZTI_PART_MAGNITUDE && threadIdx.x < parts)
        m->part_bits[chunk * parts + threadIdx.x] = (uint16_t)c->from_bits[threadIdx.x];
}

/* Code a chunk to c->from; returns its bits. */
static __device__ __forceinline__ uint32_t merge(const struct zti_cuda_merging *m, struct cells *c,
                                                 uint64_t chunk)
{
    c->cell_words = 1;
    if (reduce_chunk(m, c, chunk) && m->factor > 0) {
        c->cell_words = zti_merge_cell_words(m->factor);
        if (c->cell_words > 1)
            (void)reduce_chunk(m, c, chunk);
    }
    uint32_t log2_words = (uint32_t)__ffs((int)c->cell_words) - 1;
    const uint32_t most_cells = 1u << (m->merged - m->factor);
    for (uint32_t cells = 1; cells < most_cells; cells *= 2) {
        note_parts(m, c, chunk, cells);
        shuffle(c, log2_words++);
    }
    note_parts(m, c, chunk, most_cells);
    if (most_cells < c->units)
        append(c, log2_words, c->units / most_cells);
    return c->from_bits[0];
}

SIMT_KERNEL void __launch_bounds__(THREADS)
    merge_chunks(const struct zti_cuda_merging m, const uint64_t chunks, const uint32_t room)
{
    SIMT_SHARED_DYNAMIC(uint32_t, memory);
    SIMT_SHARED(unsigned long long, place, );
    struct cells c;
    c.units = 1u << (m.magnitude - m.factor);
    const bool has_codes = m.book.alphabet <= ZTI_FEW_CODES;
    uint32_t *const codes = memory + 2 * (room + c.units);
    c.codes = has_codes ? codes : m.book.codes;
    for (uint32_t i = threadIdx.x; has_codes && i < m.book.alphabet; i += THREADS)
        codes[i] = m.book.codes[i];
    for (;;) {
        const uint64_t chunk = lookback_ticket(m.states);
        if (chunk >= chunks)
            return;
        c.from = memory;
        c.to = memory + room;
        c.from_bits = memory + 2 * room;
        c.to_bits = c.from_bits + c.units;
        const uint32_t bytes = (merge(&m, &c, chunk) + 7) / 8;
        if (threadIdx.x < 32) {
            const uint64_t before = lookback(m.states, chunk, chunks, bytes);
            if (threadIdx.x == 0)
                place = before;
        }
        __syncthreads();
        place_bytes(c.from, bytes, m.out, place, THREADS); /* lookback_ticket has a barrier */
    }
}

extern "C" void zti_cuda_merge(const struct zti_cuda_merging *m, void *queue)
{
    const uint64_t chunks = (m->symbols.count + (UINT64_C(1) << m->magnitude) - 1) >> m->magnitude;
    const uint32_t room = room_words(m->magnitude, m->factor);
    const uint32_t units = 1u << (m->magnitude - m->factor);
    const uint32_t codes = m->book.alphabet <= ZTI_FEW_CODES ? m->book.alphabet : 0;
    const uint32_t bytes = 4 * (2 * (room + units) + codes);
    const bool has_room = bytes + OWN_BYTES <= simt_shared_most();
    if (!has_room) /* before compute capability 8.0, without reduction: the same bytes */
        zti_cuda_code_chunks(m, queue);
    else if (chunks > 0)
        SIMT_LAUNCH(merge_chunks, simt_at_most(chunks, ZTI_CUDA_BLOCKS_MOST), THREADS, bytes, queue,
                    *m, chunks, room);
}
