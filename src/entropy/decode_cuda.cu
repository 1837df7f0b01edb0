/* decode_cuda.cu: bits to symbols on a GPU. A block takes a chunk, its warps a part of it each, and
 * the lanes of a warp 32 pieces of the part that are equally long in bits (sync_cuda.h). Then
 * counts of codes give each lane its place, and symbols go through shared memory, from where they
 * are stored side by side. */
#include "cuda/lookback.h"

#include "entropy/sync_cuda.h"

enum {
    THREADS = 128,
    PARTS = ZTI_HUFFMAN_PARTS,
    PART_SYMBOLS = 1 << ZTI_PART_MAGNITUDE,
    CHUNK_SYMBOLS = PARTS * PART_SYMBOLS,
    CHUNK_MOST_BYTES = CHUNK_SYMBOLS * ZTI_HUFFMAN_MAX_BITS / 8,
    CHUNK_WORDS = CHUNK_MOST_BYTES / 4 + 3, /* it begins within a word, and is read ahead of */
    TABLE = 1 << ZTI_SMALL_TABLE_BITS
};

/* What a block has in shared memory. */
struct unpacking {
    uint32_t numbers[ZTI_BOOK_NUMBERS];
    uint32_t table[TABLE]; /* by the next bits: symbol | bits << 16; 0: the code is longer */
    uint32_t words[CHUNK_WORDS];
    uint16_t symbols[PARTS][PART_SYMBOLS];
    unsigned long long place;
};

/* A part: bits of the words at hand. */
struct part {
    uint32_t begin, end;
    uint32_t symbols; /* wanted */
    uint32_t slack;   /* bits that may be left */
};

static __device__ __forceinline__ void make_table(const struct zti_cuda_book *book,
                                                  struct unpacking *s)
{
    for (uint32_t i = threadIdx.x; i < ZTI_BOOK_NUMBERS; i += THREADS)
        s->numbers[i] = book->numbers[i];
    __syncthreads();
    zti_make_table(book->order, s->numbers, s->table, ZTI_SMALL_TABLE_BITS, THREADS);
}

/* Bits of a part, from the list of lengths. */
static __device__ __forceinline__ uint32_t part_bits(const struct zti_cuda_unmerging *u,
                                                     uint64_t part)
{
    const uint64_t bit = part * u->width;
    uint32_t v = 0;
    for (uint32_t k = 0; k < 3; k++)
        v |= (uint32_t)u->lengths[bit / 8 + k] << 8 * k;
    return u->least + (v >> (bit & 7) & ((1u << u->width) - 1));
}

/* Bits of a chunk's parts before part k; of all, k = PARTS. Parts without a length count
 * nothing. */
static __device__ __forceinline__ uint32_t bits_before(const struct zti_cuda_unmerging *u,
                                                       uint64_t chunk, uint32_t k)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < k; i++) {
        const uint64_t part = u->first_part + chunk * PARTS + i;
        bits += part < u->measured_parts ? part_bits(u, part) : 0;
    }
    return bits;
}

/* A warp's part of a chunk of so many bytes, which begins at bit 'skip' of the words at hand. */
static __device__ __forceinline__ struct part part_of(const struct zti_cuda_unmerging *u,
                                                      uint64_t chunk, uint32_t k, uint32_t skip,
                                                      uint32_t bytes)
{
    const uint64_t number = u->first_part + chunk * PARTS + k;
    const uint64_t first = chunk * CHUNK_SYMBOLS + (uint64_t)k * PART_SYMBOLS;
    const uint64_t left = first < u->symbols.count ? u->symbols.count - first : 0;
    const bool is_measured = number < u->measured_parts;
    struct part p;
    p.begin = skip + bits_before(u, chunk, k);
    p.end = is_measured ? p.begin + part_bits(u, number) : skip + bytes * 8;
    p.symbols = simt_at_most(left, PART_SYMBOLS);
    p.slack = is_measured ? 0 : 7;
    return p;
}

/* A part of a book with two symbols or more, by a warp. Returns whether the lane found nothing
 * wrong: there are as many codes as wanted, and the last one ends where the part does. */
static __device__ __forceinline__ bool decode_part(const struct zti_cuda_unmerging *u,
                                                   struct unpacking *s, const struct part *p,
                                                   uint32_t k)
{
    const struct zti_code_bits c = {s->numbers,           u->book.order, s->table,
                                    ZTI_SMALL_TABLE_BITS, s->words,      CHUNK_WORDS};
    const uint32_t lane = threadIdx.x % 32, each = (p->end - p->begin + 31) / 32;
    const uint32_t border = p->begin + lane * each, next = border + each;
    const uint32_t limit = next < p->end ? next : p->end;
    uint32_t start = border, count;
    (void)zti_settle(&c, &start, limit, &count);
    const uint32_t up_to = warp_sums_32(count);
    bool is_good = __shfl_sync(SIMT_ALL_LANES, up_to, 31) >= p->symbols;
    uint32_t place = up_to - count;
    struct zti_held_bits b = zti_held_at(&c, start < limit ? start : 0);
    for (uint32_t at = start; at < limit && place < p->symbols; place++) {
        const uint32_t code = zti_take_code(&c, &b);
        at += code >> 16;
        s->symbols[k][place] = (uint16_t)code;
        if (place + 1 == p->symbols)
            is_good = p->end - at <= p->slack; /* wraps around where it ends beyond */
    }
    return is_good;
}

/* Symbols of a part to where they belong, side by side. */
static __device__ __forceinline__ void put_symbols(const struct zti_symbols *to, uint64_t first,
                                                   const uint16_t *symbols, uint32_t n)
{
    for (uint32_t i = threadIdx.x % 32; i < n; i += 32) {
        if (to->bytes == 2)
            ((uint16_t *)to->data)[first + i] = symbols[i];
        else if (to->bytes == 1)
            ((uint8_t *)to->data)[first + i] = (uint8_t)symbols[i];
        else
            ((uint32_t *)to->data)[first + i] = symbols[i];
    }
}

/* A warp's part: decoded, checked and stored. */
static __device__ __forceinline__ void take_part(const struct zti_cuda_unmerging *u,
                                                 struct unpacking *s, uint64_t chunk,
                                                 const struct part *p)
{
    const uint32_t k = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t used = s->numbers[ZTI_BOOK_USED];
    if (p->symbols == 0)
        return;
    bool is_good = p->end - p->begin <= p->slack; /* codes of no bits */
    if (used > 1)
        is_good = decode_part(u, s, p, k);
    else
        for (uint32_t i = lane; i < p->symbols; i += 32)
            s->symbols[k][i] = u->book.order[0];
    __syncwarp();
    if (!is_good)
        (void)atomicExch((unsigned long long *)u->bad, 1ull);
    put_symbols(&u->symbols, chunk * CHUNK_SYMBOLS + (uint64_t)k * PART_SYMBOLS, s->symbols[k],
                p->symbols);
}

/* A chunk's words to shared memory, and its parts from there. */
static __device__ __forceinline__ void
take_chunk(const struct zti_cuda_unmerging *u, struct unpacking *s, uint64_t chunk, uint32_t bits)
{
    const uint64_t at = s->place, left = at < u->bytes ? u->bytes - at : 0;
    const bool is_last = u->first_part + (chunk + 1) * PARTS > u->measured_parts;
    const uint64_t bytes = is_last ? left : (bits + 7) / 8;
    if (bytes > left || bytes > CHUNK_MOST_BYTES || bits > bytes * 8) { /* no codes are so long */
        if (threadIdx.x == 0)
            (void)atomicExch((unsigned long long *)u->bad, 1ull);
        return;
    }
    const uint32_t skip = (uint32_t)(at % 4 * 8), words = (skip + (uint32_t)bytes * 8 + 31) / 32;
    for (uint32_t i = threadIdx.x; i < CHUNK_WORDS; i += THREADS)
        s->words[i] = i < words ? u->words[at / 4 + i] : 0;
    __syncthreads();
    const struct part p = part_of(u, chunk, threadIdx.x / 32, skip, (uint32_t)bytes);
    take_part(u, s, chunk, &p);
}

SIMT_KERNEL void __launch_bounds__(THREADS)
    unmerge_chunks(const struct zti_cuda_unmerging u, const uint64_t chunks)
{
    SIMT_SHARED(struct unpacking, s, );
    make_table(&u.book, &s);
    for (;;) {
        const uint64_t chunk = lookback_ticket(u.states);
        if (chunk >= chunks)
            return;
        const uint32_t bits = bits_before(&u, chunk, PARTS);
        if (threadIdx.x < 32) {
            const uint64_t before = lookback(u.states, chunk, chunks, (bits + 7) / 8);
            if (threadIdx.x == 0)
                s.place = before;
        }
        __syncthreads();
        take_chunk(&u, &s, chunk, bits); /* the next ticket is a barrier */
    }
}

extern "C" void zti_cuda_unmerge(const struct zti_cuda_unmerging *u, void *queue)
{
    const uint64_t chunks = (u->symbols.count + CHUNK_SYMBOLS - 1) / CHUNK_SYMBOLS;
    if (chunks > 0)
        SIMT_LAUNCH(unmerge_chunks, simt_at_most(chunks, ZTI_CUDA_TAKERS), THREADS, 0, queue, *u,
                    chunks);
}
