/* codebook.cu: counts to canonical codes on a GPU, in one cooperative launch: the two phases of
 * codebook.c (Tian et al., IPDPS 2021, algorithm 1), with a thread for each leaf, pair or symbol,
 * and a grid barrier between dependent steps.
 *
 *   sort         runs of 32, each by a warp; then runs are merged in pairs: every item finds its
 *                place in the other run by bisection
 *   GenerateCL   a barrier a round. All threads have the queues' positions, and every warp finds
 *                the round's ends. Thread p joins pair p, which it finds by merge path; the merged
 *                list is never stored. At the end each leaf walks up to the root, which gives its
 *                depth.
 *   limit        package-merge (limit.c), a barrier a list; each list's places of leaves are kept
 *   GenerateCW   each symbol's rank within its length: in its warp, then over warps
 *
 * Ties are decided as in codebook.c, so the lengths are the same. With one block the barriers are
 * the block's, which take less time. Of several books of a small alphabet each has a block, which
 * works in shared memory. */
#include "entropy/huffman/gpu/launches.h"

#include "entropy/huffman/build.h"

enum {
    THREADS = 256,
    MOST_BLOCKS = 32, /* all are resident on any device from sm_80 on */
    ONE_BLOCK = 1024, /* symbols up to which one block is used */
    LENGTHS = ZTI_HUFFMAN_MAX_BITS + 1
};

#define NONE UINT32_MAX

static __host__ __device__ __forceinline__ uint32_t tiles_of(uint32_t alphabet)
{
    return (alphabet + 31) / 32;
}

/* A barrier for the threads of all blocks of a book. */
#define MEET()                                                                                     \
    do {                                                                                           \
        if (g->blocks == 1)                                                                        \
            __syncthreads();                                                                       \
        else                                                                                       \
            simt_grid_sync();                                                                      \
    } while (0)

struct sorted {
    uint64_t *counts; /* [alphabet] */
    uint32_t *symbols;
};

struct building {
    const uint64_t *counts;
    struct zti_cuda_book book;
    struct sorted a, b;
    uint64_t *weight;  /* [2 alphabet]: leaves in order of weight, then inner nodes by age */
    uint32_t *up;      /* [2 alphabet] */
    uint64_t *list[2]; /* [2 alphabet]: of package-merge */
    uint32_t *places;  /* [limit][alphabet]: places of leaves in its lists */
    uint32_t *tiles;   /* [LENGTHS][tiles]: symbols of each length in each tile of 32 symbols; then
                          their prefix sums */
    uint8_t *depth;    /* [alphabet]: of leaves in order of weight */
    uint32_t limit;
    uint32_t blocks; /* that build it: all of the launch, or one */
};

/* The number of the thread among those of the book, and their number. */
static __device__ __forceinline__ uint32_t thread_number(const struct building *g)
{
    return (g->blocks > 1 ? blockIdx.x * THREADS : 0) + threadIdx.x;
}

static __device__ __forceinline__ uint32_t threads_of_all(const struct building *g)
{
    return g->blocks * THREADS;
}

/* How many of n sorted numbers are below 'than', or (is_up) not above it. */
static __device__ __forceinline__ uint32_t count_below(const uint64_t *numbers, uint32_t n,
                                                       uint64_t than, bool is_up)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (is_up ? numbers[middle] <= than : numbers[middle] < than)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- sorting by (count, symbol) ---- */

static __device__ __forceinline__ void sort_runs_of_32(const struct building *g)
{
    const uint32_t n = g->book.alphabet, lane = threadIdx.x % 32;
    for (uint32_t first = thread_number(g) - lane; first < n; first += threads_of_all(g)) {
        const uint32_t symbol = first + lane;
        const uint64_t count = symbol < n ? g->counts[symbol] : UINT64_MAX;
        uint32_t place = 0;
        for (uint32_t k = 0; k < 32; k++) {
            const uint64_t other = __shfl_sync(SIMT_ALL_LANES, count, (int)k);
            place += other < count || (other == count && k < lane);
        }
        if (symbol < n) {
            g->a.counts[first + place] = count;
            g->a.symbols[first + place] = symbol;
        }
    }
}

/* Merge runs of 'width' items in pairs. */
static __device__ __forceinline__ void merge_runs(const struct building *g,
                                                  const struct sorted *from,
                                                  const struct sorted *to, uint32_t width)
{
    const uint32_t n = g->book.alphabet;
    for (uint32_t i = thread_number(g); i < n; i += threads_of_all(g)) {
        const uint32_t run = i / width, pair = run / 2 * 2 * width, other = (run ^ 1) * width;
        const uint32_t left = other < n ? n - other : 0, others = left < width ? left : width;
        const uint32_t before =
            others > 0 ? count_below(from->counts + other, others, from->counts[i], run % 2 == 1)
                       : 0;
        const uint32_t place = pair + (i - run * width) + before;
        to->counts[place] = from->counts[i];
        to->symbols[place] = from->symbols[i];
    }
}

/* ---- GenerateCL ---- */

/* The first node in [from, end) that weighs 'weight' or more. The 32 lanes of a warp look at places
 * that cut the range into 33: three steps for 32,768 nodes. */
static __device__ __forceinline__ uint32_t lighter_end(const uint64_t *nodes, uint32_t from,
                                                       uint32_t end, uint64_t weight)
{
    const uint32_t lane = threadIdx.x % 32;
    while (from < end) {
        const uint32_t left = end - from;
        const uint32_t at = from + (uint32_t)((uint64_t)left * (lane + 1) / 33);
        const bool is_lighter = at < end && nodes[at] < weight;
        const uint32_t lighter = (uint32_t)__popc(__ballot_sync(SIMT_ALL_LANES, is_lighter));
        const uint32_t old = from;
        if (lighter > 0)
            from = old + (uint32_t)((uint64_t)left * lighter / 33) + 1;
        if (lighter < 32)
            end = old + (uint32_t)((uint64_t)left * (lighter + 1) / 33);
    }
    return from;
}

static __device__ __forceinline__ void join(const struct building *g, uint32_t into, uint32_t first,
                                            uint32_t second)
{
    g->weight[into] = g->weight[first] + g->weight[second];
    g->up[into] = NONE;
    g->up[first] = g->up[second] = into;
}

/* Join pair p of a round. */
static __device__ __forceinline__ void join_pair(const struct building *g,
                                                 const struct zti_queues *q,
                                                 const struct zti_round *r, uint32_t p)
{
    const uint32_t first =
        zti_merge_split(g->weight + q->leaf_head, r->an, g->weight + q->inner_head, r->bn, 2 * p);
    uint32_t leaf = q->leaf_head + first, inner = q->inner_head + 2 * p - first, node[2];
    for (uint32_t k = 0; k < 2; k++)
        node[k] =
            zti_pop_lightest(g->weight, &leaf, q->leaf_head + r->an, &inner, q->inner_head + r->bn);
    join(g, r->into + 1 + p, node[0], node[1]);
}

/* join_round of codebook.c; q is the same in all threads. */
static __device__ __forceinline__ void join_round(const struct building *g, struct zti_queues *q)
{
    struct zti_round r = zti_round_begin(g->weight, q);
    const uint64_t weight = g->weight[r.first] + g->weight[r.second];
    zti_round_pairs(g->weight, q, lighter_end(g->weight, q->leaf_head, q->leaves, weight),
                    lighter_end(g->weight, q->inner_head, r.into, weight), &r);
    if (thread_number(g) == 0)
        join(g, r.into, r.first, r.second);
    for (uint32_t p = thread_number(g); p < (r.an + r.bn) / 2; p += threads_of_all(g))
        join_pair(g, q, &r, p);
    zti_round_end(&r, q);
}

static __device__ __forceinline__ uint32_t depth_of(const struct building *g, uint32_t node)
{
    uint32_t depth = 0;
    for (node = g->up[node]; node != NONE; node = g->up[node])
        depth++;
    return depth;
}

/* ---- the limit ---- */

/* Make list j from the one before; returns how many items it has. */
static __device__ __forceinline__ uint32_t merge_list(const struct building *g, uint32_t leaves,
                                                      uint32_t items, uint32_t j)
{
    const uint64_t *const from = g->list[j % 2];
    uint64_t *const to = g->list[(j + 1) % 2];
    const uint32_t packages = items / 2;
    for (uint32_t i = thread_number(g); i < leaves; i += threads_of_all(g)) {
        const uint64_t own = g->weight[i];
        uint32_t low = 0, high = packages;
        while (low < high) { /* the number of lighter packages */
            const uint32_t middle = low + (high - low) / 2;
            if (zti_pack(from[2 * middle], from[2 * middle + 1]) < own)
                low = middle + 1;
            else
                high = middle;
        }
        to[i + low] = own;
        g->places[j * g->book.alphabet + i] = i + low;
    }
    for (uint32_t k = thread_number(g); k < packages; k += threads_of_all(g)) {
        const uint64_t own = zti_pack(from[2 * k], from[2 * k + 1]);
        to[k + count_below(g->weight, leaves, own, true)] = own;
    }
    return leaves + packages;
}

/* zti_limit_lengths: set depths of leaves, none above the limit. */
static __device__ __forceinline__ void limit_depths(const struct building *g, uint32_t leaves)
{
    SIMT_SHARED(uint32_t, chosen_leaves, [ZTI_HUFFMAN_MAX_BITS]);
    uint32_t items = 0;
    for (uint32_t j = 0; j < g->limit; j++) {
        items = merge_list(g, leaves, items, j);
        MEET();
    }
    if (threadIdx.x == 0) {
        uint32_t chosen = zti_chosen_of_last(leaves);
        for (uint32_t j = g->limit; j-- > 0;) {
            const uint32_t *const places = g->places + j * g->book.alphabet;
            uint32_t low = 0, high = leaves;
            while (low < high) {
                const uint32_t middle = low + (high - low) / 2;
                if (places[middle] < chosen)
                    low = middle + 1;
                else
                    high = middle;
            }
            chosen_leaves[j] = low;
            chosen = zti_chosen_before(chosen, low);
        }
    }
    __syncthreads();
    for (uint32_t i = thread_number(g); i < leaves; i += threads_of_all(g)) {
        uint32_t depth = 0;
        for (uint32_t j = 0; j < g->limit; j++)
            depth += i < chosen_leaves[j];
        g->depth[i] = (uint8_t)depth;
    }
}

/* ---- GenerateCW ---- */

/* Count the symbols of each length in each tile of 32 symbols. */
static __device__ __forceinline__ void count_lengths(const struct building *g, uint32_t tiles)
{
    const uint32_t n = g->book.alphabet, lane = threadIdx.x % 32;
    for (uint32_t first = thread_number(g) - lane; first < n; first += threads_of_all(g)) {
        const uint32_t length = first + lane < n ? g->book.lengths[first + lane] : 0;
        const unsigned same = __match_any_sync(SIMT_ALL_LANES, length);
        if (lane < LENGTHS)
            g->tiles[lane * tiles + first / 32] = 0;
        __syncwarp();
        if ((unsigned)__ffs((int)same) - 1 == lane)
            g->tiles[length * tiles + first / 32] = (uint32_t)__popc(same);
    }
}

/* Replace the counts of each length by their prefix sums, a warp for each length; the total goes
 * after all tiles. */
static __device__ __forceinline__ void sum_lengths(const struct building *g, uint32_t tiles)
{
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t length = thread_number(g) / 32; length < LENGTHS;
         length += threads_of_all(g) / 32) {
        uint32_t *const row = g->tiles + length * tiles, sum = 0;
        for (uint32_t first = 0; first < tiles; first += 32) {
            const uint32_t own = first + lane < tiles ? row[first + lane] : 0;
            uint32_t up_to = own;
            for (uint32_t step = 1; step < 32; step *= 2) {
                const uint32_t left = __shfl_up_sync(SIMT_ALL_LANES, up_to, (int)step);
                up_to += lane >= step ? left : 0;
            }
            if (first + lane < tiles)
                row[first + lane] = sum + up_to - own;
            sum += __shfl_sync(SIMT_ALL_LANES, up_to, 31);
        }
        if (lane == 0)
            g->tiles[LENGTHS * tiles + length] = sum;
    }
}

/* Compute first and entry from the number of codes of each length; each block does it for itself.
 * only: 1 if a symbol has a code of no bits. */
static __device__ __forceinline__ void make_numbers(const struct building *g, uint32_t tiles,
                                                    uint32_t only, uint32_t *numbers)
{
    if (threadIdx.x == 0) {
        numbers[ZTI_BOOK_FIRST] = numbers[ZTI_BOOK_ENTRY] = 0;
        numbers[ZTI_BOOK_LONGEST] = zti_first_codes(
            g->tiles + LENGTHS * tiles, numbers + ZTI_BOOK_FIRST, numbers + ZTI_BOOK_ENTRY);
        numbers[ZTI_BOOK_USED] = numbers[ZTI_BOOK_LONGEST] == 0
                                     ? only
                                     : numbers[ZTI_BOOK_ENTRY + (int)ZTI_HUFFMAN_MAX_BITS + 1];
        for (uint32_t i = 0; thread_number(g) == 0 && i < ZTI_BOOK_NUMBERS; i++)
            g->book.numbers[i] = numbers[i];
    }
    __syncthreads();
}

static __device__ __forceinline__ void write_codes(const struct building *g, uint32_t tiles,
                                                   const uint32_t *numbers)
{
    const uint32_t n = g->book.alphabet, lane = threadIdx.x % 32;
    for (uint32_t first = thread_number(g) - lane; first < n; first += threads_of_all(g)) {
        const uint32_t symbol = first + lane;
        const uint32_t l = symbol < n ? g->book.lengths[symbol] : 0;
        const unsigned same = __match_any_sync(SIMT_ALL_LANES, l);
        const uint32_t before = (uint32_t)__popc(same & ((1u << lane) - 1));
        if (symbol >= n)
            continue;
        if (l == 0) {
            g->book.codes[symbol] = 0;
            continue;
        }
        /* among the symbols of its length */
        const uint32_t place = g->tiles[l * tiles + first / 32] + before;
        g->book.order[numbers[ZTI_BOOK_ENTRY + l] + place] = (uint16_t)symbol;
        g->book.codes[symbol] = zti_code_word(numbers + ZTI_BOOK_FIRST, place, l);
    }
}

/* ---- the whole ---- */

/* Set the depths of the leaves. */
static __device__ __forceinline__ void generate_lengths(const struct building *g, uint32_t leaves)
{
    struct zti_queues q = {leaves, 0, leaves, leaves};
    while (zti_has_rounds(&q)) {
        join_round(g, &q);
        MEET();
    }
    if (depth_of(g, 0) > g->limit) { /* the lightest is the deepest */
        limit_depths(g, leaves);
        return;
    }
    for (uint32_t i = thread_number(g); i < leaves; i += threads_of_all(g))
        g->depth[i] = (uint8_t)depth_of(g, i);
}

/* Sort the counts; returns where the result is. */
static __device__ __forceinline__ struct sorted sort_counts(const struct building *g)
{
    struct sorted from = g->a, to = g->b;
    sort_runs_of_32(g);
    MEET();
    for (uint32_t width = 32; width < g->book.alphabet; width *= 2) {
        merge_runs(g, &from, &to, width);
        MEET();
        const struct sorted swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* GenerateCW: codes, order and numbers from lengths. */
static __device__ __forceinline__ void generate_codes(const struct building *g, uint32_t only,
                                                      uint32_t *numbers)
{
    const uint32_t tiles = tiles_of(g->book.alphabet);
    count_lengths(g, tiles);
    MEET();
    sum_lengths(g, tiles);
    MEET();
    make_numbers(g, tiles, only, numbers);
    write_codes(g, tiles, numbers);
}

static __device__ __forceinline__ void build(const struct building *g)
{
    SIMT_SHARED(uint32_t, numbers, [ZTI_BOOK_NUMBERS]);
    const uint32_t n = g->book.alphabet;
    const struct sorted sorted = sort_counts(g);
    const uint32_t zeros = count_below(sorted.counts, n, 0, true), leaves = n - zeros;
    for (uint32_t i = thread_number(g); i < leaves; i += threads_of_all(g)) {
        g->weight[i] = sorted.counts[zeros + i];
        g->up[i] = NONE;
        g->depth[i] = 0;
    }
    MEET();
    if (leaves > 1)
        generate_lengths(g, leaves);
    /* each thread reads depths that it wrote */
    for (uint32_t i = thread_number(g); i < n; i += threads_of_all(g))
        g->book.lengths[sorted.symbols[i < leaves ? zeros + i : i - leaves]] =
            i < leaves ? g->depth[i] : 0;
    MEET();
    generate_codes(g, leaves == 1, numbers);
    if (leaves == 1 && thread_number(g) == 0)
        g->book.order[0] = (uint16_t)sorted.symbols[zeros];
}

/* ---- launches ---- */

static __host__ __device__ size_t build_bytes(size_t n)
{
    const size_t tiles = tiles_of((uint32_t)n);
    const size_t bytes =
        8 * (2 * n + 2 * n + 4 * n) +
        4 * (2 * n + 2 * n + zti_codebook_limit((uint32_t)n) * n + LENGTHS * (tiles + 1)) + n;
    return (bytes + 7) / 8 * 8;
}

static __host__ __device__ struct building building_in(const uint64_t *counts,
                                                       const struct zti_cuda_book *book,
                                                       void *scratch, uint32_t blocks)
{
    struct building g;
    const size_t n = book->alphabet, tiles = tiles_of(book->alphabet);
    uint64_t *const wide = (uint64_t *)scratch;
    g.counts = counts;
    g.book = *book;
    g.a.counts = wide;
    g.b.counts = wide + n;
    g.weight = wide + 2 * n;
    g.list[0] = wide + 4 * n;
    g.list[1] = wide + 6 * n;
    g.a.symbols = (uint32_t *)(void *)(wide + 8 * n);
    g.b.symbols = g.a.symbols + n;
    g.up = g.b.symbols + n;
    g.places = g.up + 2 * n;
    g.limit = zti_codebook_limit(book->alphabet);
    g.tiles = g.places + g.limit * n;
    g.depth = (uint8_t *)(g.tiles + LENGTHS * (tiles + 1));
    g.blocks = blocks;
    return g;
}

SIMT_KERNEL void __launch_bounds__(THREADS, 1) build_book(const struct building g)
{
    build(&g);
}

/* A book in each block. */
SIMT_KERNEL void __launch_bounds__(THREADS, 1)
    build_books(const uint64_t *counts, const struct zti_cuda_books books)
{
    SIMT_SHARED_DYNAMIC(uint64_t, scratch);
    const struct zti_cuda_book book = zti_cuda_book_of(&books, blockIdx.x);
    const struct building g = building_in(counts + blockIdx.x * books.alphabet, &book, scratch, 1);
    build(&g);
}

SIMT_KERNEL void __launch_bounds__(THREADS, 1) generate_books(const struct zti_cuda_books books)
{
    SIMT_SHARED(uint32_t, tiles, [LENGTHS * (ONE_BLOCK / 32 + 1)]);
    SIMT_SHARED(uint32_t, numbers, [ZTI_BOOK_NUMBERS]);
    struct building g;
    memset(&g, 0, sizeof g);
    g.book = zti_cuda_book_of(&books, blockIdx.x);
    g.tiles = tiles;
    g.blocks = 1;
    generate_codes(&g, g.book.numbers[ZTI_BOOK_USED], numbers);
}

extern "C" size_t zti_cuda_build_bytes(uint32_t alphabet)
{
    return build_bytes(alphabet);
}

extern "C" void zti_cuda_build(const uint64_t *counts, const struct zti_cuda_book *book,
                               void *scratch, void *queue)
{
    const size_t n = book->alphabet;
    const unsigned wanted = book->alphabet <= ONE_BLOCK ? 1 : simt_grid_of(n, THREADS);
    const unsigned blocks = simt_at_most(wanted, MOST_BLOCKS);
    const struct building g = building_in(counts, book, scratch, blocks);
    SIMT_LAUNCH_COOPERATIVE(build_book, blocks, THREADS, queue, g);
}

extern "C" void zti_cuda_build_books(const uint64_t *counts, const struct zti_cuda_books *books,
                                     void *queue)
{
    SIMT_LAUNCH(build_books, books->count, THREADS, build_bytes(books->alphabet), queue, counts,
                *books);
}

extern "C" void zti_cuda_generate_books(const struct zti_cuda_books *books, void *queue)
{
    SIMT_LAUNCH(generate_books, books->count, THREADS, 0, queue, *books);
}
