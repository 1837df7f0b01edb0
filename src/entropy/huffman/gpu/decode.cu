/* decode.cu: Huffman codes to symbols on a GPU. One kernel adds up the lengths of chunks. In the
 * next, a block takes a few chunks at a time; warp k decodes part k of each. A part is cut into 32
 * pieces with equally many bits, one a lane. Lanes find where codes begin as described in
 * self_sync.h, and count the codes of their pieces, several per look-up. A prefix sum of the counts
 * gives each lane its place; symbols go through shared memory, from where stores are coalesced. */
#include "gpu/lookback.h"

#include "entropy/huffman/gpu/self_sync.h"

enum {
    THREADS = 128,
    PARTS = ZTI_HUFFMAN_PARTS,
    PADDED_MOST_BITS = ZTI_PART_MOST_BITS + 7,
    PART_WORDS = PADDED_MOST_BITS / 32 + 4, /* it begins within a word, and more is read */
    ADDED = 128,                            /* chunks whose lengths a warp adds up */
    TAKEN = 4,                              /* chunks that a block takes at a time */
    TABLE = 1 << ZTI_SMALL_TABLE_BITS,
    PLACES = ZTI_PART_SYMBOLS + ZTI_PART_SYMBOLS / 32 * 2
};

/* Shared memory of a block. */
struct unpacking {
    uint32_t numbers[ZTI_BOOK_NUMBERS];
    uint32_t table[TABLE];
    uint32_t words[PARTS][PART_WORDS];
    alignas(8) uint16_t symbols[PARTS][PLACES];
    uint64_t tickets[2]; /* used by turns */
};

/* Where a part's symbol i is in shared memory: lanes write about 32 symbols each, to different
 * banks. */
static __device__ __forceinline__ uint32_t place_of(uint32_t i)
{
    return i + i / 32 * 2;
}

/* A part: bits [begin, end) of its words. */
struct part {
    uint32_t begin, end;
    uint32_t symbols; /* wanted */
    uint32_t slack;   /* bits that may be left at the end */
};

static __device__ __forceinline__ void make_table(const struct zti_cuda_book *book,
                                                  struct unpacking *s)
{
    for (uint32_t i = threadIdx.x; i < ZTI_BOOK_NUMBERS; i += THREADS)
        s->numbers[i] = book->numbers[i];
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < TABLE; i += THREADS)
        s->table[i] =
            zti_code_at(book->order, s->numbers, zti_reversed(i, 16), 1, ZTI_SMALL_TABLE_BITS);
    __syncthreads();
    uint32_t ends[TABLE / THREADS];
    SIMT_UNROLL
    for (uint32_t k = 0; k < TABLE / THREADS; k++)
        ends[k] = zti_ends_in(s->table, k * THREADS + threadIdx.x);
    simt_order_block(); /* first codes stay as they are */
    SIMT_UNROLL
    for (uint32_t k = 0; k < TABLE / THREADS; k++)
        s->table[k * THREADS + threadIdx.x] |= ends[k];
}

/* Bits of a part; 0 if its length is not stored. */
static __device__ __forceinline__ uint32_t known_bits(const struct zti_cuda_unmerging *u,
                                                      uint64_t part)
{
    return part < u->measured_parts ? zti_part_bits(u->lengths, u->width, u->least, part) : 0;
}

/* u->states holds look-back states, from here on the starts of chunks, and a ticket. */
static __host__ __device__ __forceinline__ uint64_t start_place(uint64_t chunks)
{
    return 2 + (chunks + ADDED - 1) / ADDED;
}

/* Find part k of a chunk; if it is invalid, 'end' is before 'begin'. Returns the word of u->words
 * from which p counts bits. */
static __device__ __forceinline__ uint64_t find_part(const struct zti_cuda_unmerging *u,
                                                     uint64_t chunk, uint64_t at, uint32_t k,
                                                     struct part *p)
{
    const uint32_t lane = threadIdx.x % 32;
    const uint64_t number = u->first_part + chunk * PARTS, left = at < u->bytes ? u->bytes - at : 0;
    const uint64_t first = chunk * ZTI_CHUNK_SYMBOLS + (uint64_t)k * ZTI_PART_SYMBOLS;
    const bool is_measured = number + k < u->measured_parts;
    const bool is_last = number + PARTS > u->measured_parts;
    const uint32_t own = lane < PARTS ? known_bits(u, number + lane) : 0;
    const uint32_t all = simt_reduce_add(own);
    const uint32_t before = simt_reduce_add(lane < k ? own : 0);
    const uint32_t bits = __shfl_sync(SIMT_ALL_LANES, own, (int)k);
    const uint64_t bytes = is_last ? left : (all + 7) / 8, begin = at * 8 + before;
    const uint32_t skip = (uint32_t)(begin % 32), rest = (uint32_t)bytes * 8 - before;
    p->begin = skip;
    p->end = skip + (is_measured ? bits : rest);
    p->symbols =
        first < u->symbols.count ? simt_at_most(u->symbols.count - first, ZTI_PART_SYMBOLS) : 0;
    p->slack = is_measured ? 0 : 7;
    if (bytes > left || bytes > ZTI_CHUNK_MOST_BYTES || all > bytes * 8 ||
        p->end - skip > PADDED_MOST_BITS) /* longer than codes can be */
        p->end = skip - 1;
    return begin / 32;
}

/* A warp decodes a part with a book of two symbols or more. Returns false in a lane that finds an
 * error: too few codes, or a last code that does not end where the part does. */
static __device__ __forceinline__ bool decode_part(const struct zti_cuda_unmerging *u,
                                                   struct unpacking *s, const struct part *p,
                                                   uint32_t k)
{
    const struct zti_code_bits c = {s->numbers, u->book.order, s->table, s->words[k]};
    const uint32_t lane = threadIdx.x % 32, each = (p->end - p->begin + 31) / 32;
    const uint32_t next = p->begin + (lane + 1) * each, limit = next < p->end ? next : p->end;
    uint32_t at = next - each, count = 0;
    (void)zti_settle(&c, 32, &at, limit, &count);
    const uint32_t up_to = warp_sums_32(count);
    bool is_good = __shfl_sync(SIMT_ALL_LANES, up_to, 31) >= p->symbols;
    const uint32_t last = up_to < p->symbols ? up_to : p->symbols;
    for (uint32_t place = up_to - count; place < last; place++) {
        const uint32_t code = zti_code_from(&c, at);
        at += zti_code_length(code);
        s->symbols[k][place_of(place)] = (uint16_t)code;
        if (place + 1 == p->symbols)
            is_good = p->end - at <= p->slack; /* wraps around if the code ends beyond */
    }
    return is_good;
}

/* Store the symbols of a part, coalesced. */
static __device__ __forceinline__ void write_symbols(const struct zti_symbols *to, uint64_t first,
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

/* A warp loads, decodes, checks and stores its part of a chunk. */
static __device__ __forceinline__ void
unmerge_part(const struct zti_cuda_unmerging *u, struct unpacking *s, uint64_t chunk, uint64_t at)
{
    const uint32_t k = threadIdx.x / 32, lane = threadIdx.x % 32;
    struct part p;
    const uint64_t from = find_part(u, chunk, at, k, &p);
    if (p.symbols == 0)
        return;
    bool is_good = p.end - p.begin <= p.slack; /* codes of no bits */
    if (p.end < p.begin) {
        is_good = false;
    } else if (s->numbers[ZTI_BOOK_USED] > 1) {
        const uint32_t words = (p.end + 31) / 32;
        for (uint32_t i = lane; i <= words; i += 32) /* one word more is read */
            s->words[k][i] = i < words ? u->words[from + i] : 0;
        __syncwarp();
        is_good = decode_part(u, s, &p, k);
    } else {
        simt_order_warp(); /* lanes may still be storing the part before */
        for (uint32_t i = lane; i < p.symbols; i += 32)
            s->symbols[k][place_of(i)] = u->book.order[0];
    }
    __syncwarp();
    if (!is_good)
        (void)atomicExch((unsigned long long *)u->bad, 1ull);
    write_symbols(&u->symbols, chunk * ZTI_CHUNK_SYMBOLS + (uint64_t)k * ZTI_PART_SYMBOLS,
                  s->symbols[k], p.symbols);
}

/* Compute where chunks begin, in bytes. A block is one warp, which needs no barriers. */
SIMT_KERNEL void __launch_bounds__(32)
    place_chunks(const struct zti_cuda_unmerging u, const uint64_t chunks)
{
    const uint64_t number = lookback_ticket(u.states);
    const uint64_t first = number * ADDED + threadIdx.x * (ADDED / 32);
    uint32_t bytes[ADDED / 32], own = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < ADDED / 32; i++) {
        uint32_t bits = 0;
        for (uint32_t k = 0; k < PARTS && first + i < chunks; k++)
            bits += known_bits(&u, u.first_part + (first + i) * PARTS + k);
        bytes[i] = (bits + 7) / 8;
        own += bytes[i];
    }
    const uint32_t up_to = warp_sums_32(own), all = __shfl_sync(SIMT_ALL_LANES, up_to, 31);
    uint64_t at = lookback(u.states, number, gridDim.x, all) + up_to - own;
    SIMT_UNROLL
    for (uint32_t i = 0; i < ADDED / 32; i++) {
        if (first + i < chunks)
            u.states[start_place(chunks) + first + i] = at;
        at += bytes[i];
    }
}

SIMT_KERNEL void __launch_bounds__(THREADS)
    unmerge_chunks(const struct zti_cuda_unmerging u, const uint64_t chunks)
{
    SIMT_SHARED(struct unpacking, s, );
    const uint64_t *const starts = u.states + start_place(chunks);
    uint64_t *const ticket = u.states + start_place(chunks) + chunks;
    if (threadIdx.x == 0)
        s.tickets[0] = lookback_claim(ticket);
    __syncthreads();
    if (s.tickets[0] * TAKEN >= chunks) /* no chunk is left for this block */
        return;
    make_table(&u.book, &s);
    for (uint32_t turn = 0;; turn = 1 - turn) {
        __syncthreads();
        const uint64_t first = s.tickets[turn] * TAKEN;
        if (first >= chunks)
            return;
        if (threadIdx.x == 0)
            s.tickets[1 - turn] = lookback_claim(ticket);
        for (uint64_t chunk = first; chunk < first + TAKEN && chunk < chunks; chunk++)
            unmerge_part(&u, &s, chunk, starts[chunk]);
    }
}

extern "C" uint64_t zti_cuda_merge_states(uint64_t chunks)
{
    return start_place(chunks) + chunks + 1; /* coding needs fewer */
}

extern "C" void zti_cuda_unmerge(const struct zti_cuda_unmerging *u, void *queue)
{
    const uint64_t chunks = (u->symbols.count + ZTI_CHUNK_SYMBOLS - 1) / ZTI_CHUNK_SYMBOLS;
    if (chunks == 0)
        return;
    SIMT_LAUNCH(place_chunks, simt_grid_of(chunks, ADDED), 32, 0, queue, *u, chunks);
    SIMT_LAUNCH(unmerge_chunks, simt_at_most((chunks + TAKEN - 1) / TAKEN, ZTI_CUDA_BLOCKS_MOST),
                THREADS, 0, queue, *u, chunks);
}
