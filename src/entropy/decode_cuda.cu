/* decode_cuda.cu: bits to symbols on a GPU. A block takes a chunk, its warps a part of it each, and
 * the lanes of a warp 32 pieces of the part that are equally long in bits. Lanes find code borders
 * as in sync_cuda.h; to count codes they go as many at a time as the table's bits have. Counts give
 * each lane its place, and symbols go through shared memory, from where they are stored side by
 * side. */
#include "cuda/lookback.h"

#include "entropy/sync_cuda.h"

enum {
    THREADS = 128,
    PARTS = ZTI_HUFFMAN_PARTS,
    PART_SYMBOLS = 1 << ZTI_PART_MAGNITUDE,
    CHUNK_SYMBOLS = PARTS * PART_SYMBOLS,
    CHUNK_MOST_BYTES = CHUNK_SYMBOLS * ZTI_HUFFMAN_MAX_BITS / 8,
    CHUNK_WORDS = CHUNK_MOST_BYTES / 4 + 3, /* it begins within a word, and is read ahead of */
    TABLE = 1 << ZTI_SMALL_TABLE_BITS,
    PLACES = PART_SYMBOLS + PART_SYMBOLS / 32 * 2
};
static_assert(ZTI_SMALL_TABLE_BITS == 11, "16 bits of a symbol, 11 of ends and 5 fill an entry");

/* What a block has in shared memory. An entry of the table, by the next bits: the first code's
 * symbol in 16 bits, at which of the next bits a code ends, and the first code's bits. Of that code's
 * bits there are none where it is longer than the table's. */
struct unpacking {
    uint32_t numbers[ZTI_BOOK_NUMBERS];
    uint32_t table[TABLE];
    uint32_t words[CHUNK_WORDS];
    alignas(8) uint16_t symbols[PARTS][PLACES];
    unsigned long long place;
};

static __device__ __forceinline__ uint32_t ends_of(uint32_t entry)
{
    return entry >> 16 & ((1u << ZTI_SMALL_TABLE_BITS) - 1);
}

static __device__ __forceinline__ uint32_t first_bits(uint32_t entry)
{
    return entry >> 27;
}

/* Where a part's symbol i is in shared memory: lanes write some 32 of them each, and do not meet in
 * one bank. */
static __device__ __forceinline__ uint32_t place_of(uint32_t i)
{
    return i + i / 32 * 2;
}

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
    for (uint32_t i = threadIdx.x; i < TABLE; i += THREADS) {
        const uint32_t code = zti_code_at(book->order, s->numbers, zti_reversed(i, 16), 1,
                                          ZTI_SMALL_TABLE_BITS);
        s->table[i] = (code & 0xffff) | code >> 16 << 27;
    }
    __syncthreads();
    /* what entries say of their first code stays as it is meanwhile */
    for (uint32_t i = threadIdx.x; i < TABLE; i += THREADS) {
        uint32_t ends = 0, at = 0, bits = first_bits(s->table[i]);
        for (; bits > 0 && at + bits <= ZTI_SMALL_TABLE_BITS; bits = first_bits(s->table[i >> at])) {
            at += bits;
            ends |= 1u << (at - 1);
        }
        s->table[i] |= ends << 16;
    }
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

/* The first code of bits at hand, longer than the table's: symbol | bits << 16. */
static __device__ __forceinline__ uint32_t long_code(const struct unpacking *s,
                                                     const uint16_t *order, uint32_t bits)
{
    return zti_code_at(order, s->numbers, zti_reversed(bits & 0xffff, 16),
                       ZTI_SMALL_TABLE_BITS + 1, s->numbers[ZTI_BOOK_LONGEST]);
}

/* The next 32 bits. */
static __device__ __forceinline__ uint32_t bits_at(const struct unpacking *s, uint32_t at)
{
    const uint32_t *const words = s->words + at / 32;
    return __funnelshift_r(words[0], words[1], at % 32);
}

/* Go through codes that begin in [at, limit); returns where the first one beyond begins. */
static __device__ __forceinline__ uint32_t count_codes(const struct unpacking *s,
                                                       const uint16_t *order, uint32_t at,
                                                       uint32_t limit, uint32_t *count)
{
    uint32_t n = 0;
    while (at < limit) {
        const uint32_t bits = bits_at(s, at), left = limit - at;
        uint32_t ends = ends_of(s->table[bits & (TABLE - 1)]);
        if (ends == 0) {
            at += long_code(s, order, bits) >> 16;
            n++;
            continue;
        }
        /* of the ends at the limit or beyond, the first one only */
        const uint32_t inside = (1u << (left < 12 ? left - 1 : 11)) - 1, beyond = ends & ~inside;
        ends = (ends & inside) | (beyond & (0 - beyond));
        at += 32 - (uint32_t)__clz((int)ends);
        n += (uint32_t)__popc(ends);
    }
    *count = n;
    return at;
}

/* A part of a book with two symbols or more, by a warp. Returns whether the lane found nothing
 * wrong: there are as many codes as wanted, and the last one ends where the part does. */
static __device__ __forceinline__ bool decode_part(const struct zti_cuda_unmerging *u,
                                                   struct unpacking *s, const struct part *p,
                                                   uint32_t k)
{
    const uint16_t *const order = u->book.order;
    const uint32_t lane = threadIdx.x % 32, each = (p->end - p->begin + 31) / 32;
    const uint32_t next = p->begin + (lane + 1) * each, limit = next < p->end ? next : p->end;
    uint32_t start = next - each, stop = start, count, before = start;
    bool changes = true;
    do {
        if (changes) {
            start = before;
            stop = count_codes(s, order, start, limit, &count);
        }
        before = __shfl_up_sync(SIMT_ALL_LANES, stop, 1);
        changes = lane > 0 && before != start;
    } while (__any_sync(SIMT_ALL_LANES, changes));
    const uint32_t up_to = warp_sums_32(count);
    bool is_good = __shfl_sync(SIMT_ALL_LANES, up_to, 31) >= p->symbols;
    const uint32_t last = up_to < p->symbols ? up_to : p->symbols;
    for (uint32_t place = up_to - count, at = start; place < last; place++) {
        const uint32_t bits = bits_at(s, at), entry = s->table[bits & (TABLE - 1)];
        uint32_t symbol = entry, length = first_bits(entry);
        if (length == 0) {
            symbol = long_code(s, order, bits);
            length = symbol >> 16;
        }
        at += length;
        s->symbols[k][place_of(place)] = (uint16_t)symbol;
        if (place + 1 == p->symbols)
            is_good = p->end - at <= p->slack; /* wraps around where it ends beyond */
    }
    return is_good;
}

/* Symbols of a part to where they belong, side by side. */
static __device__ __forceinline__ void put_symbols(const struct zti_symbols *to, uint64_t first,
                                                   const uint16_t *symbols, uint32_t n)
{
    const uint32_t fours = to->bytes == 2 ? n / 4 : 0;
    for (uint32_t i = threadIdx.x % 32; i < fours; i += 32) {
        uint32_t two[2];
        for (uint32_t k = 0; k < 2; k++)
            two[k] = *(const uint32_t *)(const void *)(symbols + place_of(4 * i) + 2 * k);
        ((uint64_t *)to->data)[first / 4 + i] = (uint64_t)two[1] << 32 | two[0];
    }
    for (uint32_t i = 4 * fours + threadIdx.x % 32; i < n; i += 32) {
        const uint16_t symbol = symbols[place_of(i)];
        if (to->bytes == 2)
            ((uint16_t *)to->data)[first + i] = symbol;
        else if (to->bytes == 1)
            ((uint8_t *)to->data)[first + i] = (uint8_t)symbol;
        else
            ((uint32_t *)to->data)[first + i] = symbol;
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
            s->symbols[k][place_of(i)] = u->book.order[0];
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
    for (uint32_t i = threadIdx.x; i < words + 2; i += THREADS) /* codes are looked for ahead */
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
