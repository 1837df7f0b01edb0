/* kernel.h: kernel text: encode and decode tiles of one type, a thread for each tile (gpu/thread.h)
 * or a warp (gpu/warp.h). The includer defines IS_FLOAT, BITS (32 or 64) and ZTI_ZFP_LAUNCHES, the
 * name of the two functions that queue kernels.
 *
 *     tile (registers) --> bits in the tile's slot (shared memory) --> the tile's place in the
 * stream
 *
 * At fixed rate the place is computed. Otherwise it is the number of bits of all tiles before: a
 * sum within the block, and decoupled look-back over the blocks before (gpu/lookback.h). Values are
 * read once and bits are written once. Slots have odd numbers of words, so neighbouring threads use
 * different banks. */
#include "gpu/lookback.h"

#include "codec/zfp/gpu/kernels.h"

typedef uint32_t uint_32;
typedef uint64_t uint_64;
#define JOIN3(a, b, c)      a##b##c
#define OF_TYPE(name, type) JOIN3(name, _, type)
#define VALUE               OF_TYPE(uint, BITS) /* uint_32 */

#define FN            static __device__ __forceinline__
#define EXPORTED      static __device__
#define LOCAL         static __device__
#define zti_zfp_pad   pad_cuda
#define zti_zfp_order order_cuda
#include "codec/zfp/tile/order.h"
#include "codec/zfp/gpu/thread.h" /* encode_tile_32, decode_tile_64, gather_32, ... */
#include "codec/zfp/gpu/warp.h"   /* encode_tile_warp_32, ... */

/* zti_walk_from for a constant rank, so that places stay in registers. */
static __device__ __forceinline__ struct zti_walk walk_from(const struct zti_grid *grid,
                                                            uint64_t tile, uint32_t rank)
{
    struct zti_walk walk = {tile, {0, 0, 0, 0}};
    SIMT_UNROLL
    for (uint32_t i = rank; i-- > 0;) {
        walk.origin[i] = tile % grid->tiles[i] * grid->side[i];
        tile /= grid->tiles[i];
    }
    return walk;
}

/* Move on to the next tile. */
static __device__ __forceinline__ void walk_on(struct zti_walk *walk, const struct zti_grid *grid,
                                               uint32_t rank)
{
    bool is_next = true; /* of the row of tiles along axis i */
    SIMT_UNROLL
    for (uint32_t i = rank; i-- > 0;) {
        const uint64_t at = walk->origin[i] + (is_next ? grid->side[i] : 0);
        is_next = at >= grid->tiles[i] * grid->side[i];
        walk->origin[i] = is_next ? 0 : at;
    }
    walk->tile++;
}

/* ---- placing ----
 *
 * A word of the stream belongs to the tile, and the block, that has its first bit. That thread
 * stores the word, with zeros for the bits of later tiles. After a barrier the later tiles OR their
 * bits into it. If the word belongs to an earlier block, they wait until that block has published
 * that its words are stored. If the stream begins within a word, that word belongs to no tile; the
 * host has cleared it, except for the bits before the stream. */

/* Store the 'bits' bits of a slot at bit 'at' of the stream, except those in the word of another
 * tile, which are returned. A slot has zeros after its bits. */
static __device__ __forceinline__ uint64_t store_words(uint64_t *words, uint64_t at,
                                                       const uint64_t *slot, uint32_t slot_words,
                                                       uint64_t bits)
{
    const uint32_t shift = (uint32_t)(at % 64);
    const uint64_t all = (uint64_t)slot_words * 64, end = shift + bits;
    uint64_t *to = words + at / 64, carry = 0, head = 0;
    for (uint64_t from = 0; from < end; from += 64, to++) {
        const uint64_t v = from < bits && from < all ? slot[from / 64] : 0;
        const uint64_t out = v << shift | carry;
        carry = shift > 0 ? v >> (64 - shift) : 0;
        if (from == 0 && shift > 0)
            head = out;
        else
            *to = out;
    }
    return head;
}

/* Whether each word of the stream has bits of one block only. Then blocks need not wait for each
 * other, nor start in their order. tiles: of a block. */
static __device__ __forceinline__ bool has_own_words(const struct zfp_tiles *t, uint64_t tiles)
{
    return t->fixed_bits > 0 && t->start_bits % 64 == 0 && t->fixed_bits * tiles % 64 == 0;
}

/* The number of the block, which has this number of tiles. */
static __device__ __forceinline__ uint64_t number_of_block(const struct zfp_tiles *t,
                                                           uint64_t tiles)
{
    return has_own_words(t, tiles) ? blockIdx.x : lookback_ticket(t->states);
}

/* The bits of a block in the stream. */
struct span {
    uint64_t start, end;
};

/* The flag of a block that its words are stored; flags follow the states of all blocks. */
static __device__ __forceinline__ uint64_t *stored_flag(const struct zfp_tiles *t, uint64_t block)
{
    return t->states + 2 + gridDim.x + block;
}

static __device__ __forceinline__ void wait_for_block(const struct zfp_tiles *t, uint64_t block)
{
    while (simt_load_acquire(stored_flag(t, block)) == 0) {
    }
}

/* Publish that a block's words are stored; one thread calls this after a barrier. A block without a
 * word of its own waits for the block before first, because later bits may be in that block's word.
 */
static __device__ __forceinline__ void publish_stored(const struct zfp_tiles *t, uint64_t block,
                                                      uint64_t tiles, struct span span)
{
    if (has_own_words(t, tiles))
        return;
    if (block > 0 && (span.start + 63) / 64 * 64 >= span.end)
        wait_for_block(t, block - 1);
    simt_store_release(stored_flag(t, block), 1);
}

/* OR bits into a word of another tile, which may belong to an earlier block. */
static __device__ __forceinline__ void or_head(const struct zfp_tiles *t, uint64_t block,
                                               struct span span, uint64_t at, uint64_t head)
{
    if (block > 0 && at / 64 == span.start / 64 && span.start % 64 > 0)
        wait_for_block(t, block - 1);
    simt_or(t->words + at / 64, head);
}

/* The place of the thread's bits, after those of all threads before it, by sums and look-back.
 * *span is complete in the first warp only; the others get its start. */
static __device__ __forceinline__ uint64_t place_by_sums(const struct zfp_tiles *t, uint64_t block,
                                                         uint64_t bits, struct span *span)
{
    SIMT_SHARED(uint64_t, sums, [4]);
    SIMT_SHARED(uint64_t, base, );
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const uint64_t own = warp_sums(bits);
    uint64_t before = own - bits, all = 0;
    if (lane == 31)
        sums[warp] = own;
    __syncthreads();
    for (uint32_t i = 0; i < warp; i++)
        before += sums[i];
    if (warp == 0) {
        for (uint32_t i = 0; i < warps; i++)
            all += sums[i];
        const uint64_t found = lookback(t->states, block, gridDim.x, all);
        if (lane == 0)
            base = found;
    }
    __syncthreads();
    span->start = t->start_bits + base;
    span->end = span->start + all;
    return span->start + before;
}

/* The same at fixed rate. first: the tile of the thread, or of the lane; tiles: of a block. */
static __device__ __forceinline__ uint64_t place_at_rate(const struct zfp_tiles *t, uint64_t block,
                                                         uint64_t first, uint64_t tiles,
                                                         struct span *span)
{
    const uint64_t from = block * tiles, rest = t->grid.count - from;
    span->start = t->start_bits + from * t->fixed_bits;
    span->end = span->start + (rest < tiles ? rest : tiles) * t->fixed_bits;
    return t->start_bits + first * t->fixed_bits;
}

/* Note where a tile begins, for the index. */
static __device__ __forceinline__ void note_start(const struct zfp_tiles *t, uint64_t tile,
                                                  uint64_t at)
{
    const uint64_t number = t->first_tile + tile;
    if (t->starts && number % t->chunk_tiles == 0)
        t->starts[number / t->chunk_tiles - t->first_chunk] = at - t->start_bits;
}

/* Move a thread's slot to its place in the stream, and note where the tile begins. All threads of
 * the block call this, those beyond the last tile too. */
static __device__ __forceinline__ void finish_tile(const struct zfp_tiles *t, uint64_t block,
                                                   uint64_t tile, struct zti_bit_writer *w)
{
    const bool is_tile = tile < t->grid.count;
    const uint64_t bits = is_tile ? zti_bits_written(w) : 0;
    struct span span;
    const uint64_t at = t->fixed_bits > 0 ? place_at_rate(t, block, tile, blockDim.x, &span)
                                          : place_by_sums(t, block, bits, &span);
    uint64_t head = 0;
    if (is_tile) {
        if (w->words < w->slot_words)
            w->slot[w->words] = w->held;
        head = store_words(t->words, at, w->slot, w->slot_words, bits);
        note_start(t, tile, at);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        publish_stored(t, block, blockDim.x, span);
    if (head != 0)
        or_head(t, block, span, at, head);
}

/* The same for a warp's tiles from 'first'. Lane k has the number of bits of tile first + k; slots
 * are consecutive. */
static __device__ __forceinline__ void finish_tiles(const struct zfp_tiles *t, uint64_t block,
                                                    uint64_t first, uint64_t bits,
                                                    const uint64_t *slots)
{
    const uint32_t me = threadIdx.x % 32;
    const uint32_t tiles = blockDim.x / 32 * t->warp_tiles;
    struct span span;
    const uint64_t own = t->fixed_bits > 0 ? place_at_rate(t, block, first + me, tiles, &span)
                                           : place_by_sums(t, block, bits, &span);
    uint64_t head = 0; /* of tile first + me */
    simt_order_warp(); /* slots are complete before other lanes read them */
    for (uint32_t k = 0; k < t->warp_tiles && first + k < t->grid.count; k++) {
        const uint64_t at = __shfl_sync(SIMT_ALL_LANES, own, (int)k);
        const uint32_t *const slot = (const uint32_t *)(const void *)(slots + k * t->slot_words);
        store_slot(t->words, at, slot, __shfl_sync(SIMT_ALL_LANES, bits, (int)k));
        if (me == k) {
            head = head_of_slot(at, slot);
            note_start(t, first + k, at);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        publish_stored(t, block, tiles, span);
    if (head != 0)
        or_head(t, block, span, own, head);
}

/* Kernels for tiles of a constant rank. The lossy and the reversible algorithm have kernels of
 * their own, because they need different numbers of registers. A 4-D tile is a warp's. */
#define KERNEL(threads, blocks) SIMT_KERNEL void SIMT_BOUNDS(threads, blocks)

#define THREADS(rank) ((rank) == 3 ? ZTI_ZFP_CUBE_THREADS : ZTI_ZFP_THREADS)

#define IS_OTHER_RANK(known) (t.grid.rank != (known))

/* The parameters of a kernel for one algorithm. The value of minexp tells the compiler that the
 * other algorithm's branches are dead. */
static __device__ __forceinline__ struct zti_zfp params_of_kernel(const struct zfp_tiles *t,
                                                                  bool is_exact)
{
    struct zti_zfp z = t->zfp;
    z.minexp = is_exact                     ? ZTI_ZFP_MIN_EXP - 1
               : z.minexp > ZTI_ZFP_MIN_EXP ? z.minexp
                                            : ZTI_ZFP_MIN_EXP;
    return z;
}

#define PUT_KERNEL(name, rank, blocks, is_exact)                                                   \
    KERNEL(THREADS(rank), blocks) name(struct zfp_tiles t)                                         \
    {                                                                                              \
        SIMT_SHARED_DYNAMIC(uint64_t, memory);                                                     \
        if (IS_OTHER_RANK(rank))                                                                   \
            return;                                                                                \
        const struct zti_zfp zfp = params_of_kernel(&t, is_exact);                                 \
        const uint64_t block = number_of_block(&t, blockDim.x);                                    \
        const uint64_t tile = block * blockDim.x + threadIdx.x;                                    \
        uint64_t *const slots = memory + ((rank) == 3 ? 0 : (blockDim.x << 2 * (rank)) / 2);       \
        struct zti_bit_writer w =                                                                  \
            zti_bit_writer_in(slots + threadIdx.x * t.slot_words, t.slot_words);                   \
        if (tile < t.grid.count) {                                                                 \
            VALUE values[1 << 2 * (rank)];                                                         \
            const struct zti_walk at = walk_from(&t.grid, tile, rank);                             \
            OF_TYPE(gather, BITS)(&t.view.out, at.origin, values, rank, &w);                       \
            const bool is_proved = OF_TYPE(encode_tile, BITS)(&zfp, values, rank, IS_FLOAT, &w);   \
            if (t.unproven)                                                                        \
                t.unproven[tile] = !is_proved;                                                     \
        }                                                                                          \
        finish_tile(&t, block, tile, &w);                                                          \
    }

/* The same for warps, which encode t.warp_tiles tiles one after another. */
#define PUT_WARP_KERNEL(name, rank, own_values, is_exact)                                          \
    KERNEL(ZTI_ZFP_THREADS, PUT_WARP) name(struct zfp_tiles t)                                     \
    {                                                                                              \
        SIMT_SHARED_DYNAMIC(uint64_t, memory);                                                     \
        if (IS_OTHER_RANK(rank))                                                                   \
            return;                                                                                \
        const struct zti_zfp zfp = params_of_kernel(&t, is_exact);                                 \
        const uint32_t warps = blockDim.x / 32, warp = threadIdx.x / 32, me = threadIdx.x % 32;    \
        const uint64_t block = number_of_block(&t, warps * t.warp_tiles);                          \
        const uint64_t first = (block * warps + warp) * t.warp_tiles;                              \
        uint64_t *const slots =                                                                    \
            memory + warps * zti_zfp_warp_words(BITS, rank) + warp * t.warp_tiles * t.slot_words;  \
        uint64_t bits = 0; /* of tile first + me */                                                \
        struct zti_walk at = walk_from(&t.grid, first, rank);                                      \
        for (uint32_t k = 0; k < t.warp_tiles && first + k < t.grid.count; k++) {                  \
            VALUE values[own_values];                                                              \
            struct zti_bit_writer w = zti_bit_writer_in(slots + k * t.slot_words, 0);              \
            OF_TYPE(gather_warp, BITS)(&t.view.out, at.origin, values, rank);                      \
            walk_on(&at, &t.grid, rank);                                                           \
            if (me == 0)                                                                           \
                w.slot[0] = 0;                                                                     \
            const bool is_proved =                                                                 \
                OF_TYPE(encode_tile_warp, BITS)(&zfp, values, rank, IS_FLOAT, &w);                 \
            if (t.unproven && me == 0)                                                             \
                t.unproven[first + k] = !is_proved;                                                \
            bits = me == k ? zti_bits_written(&w) : bits;                                          \
        }                                                                                          \
        finish_tiles(&t, block, first, bits, slots);                                               \
    }

/* Decode by a warp the 4-D tile that begins at the 'start' of lane k, is at its 'at' and has its
 * notes. */
static __device__ __forceinline__ void read_noted(const struct zfp_tiles *t,
                                                  const struct zti_zfp *zfp, VALUE *values,
                                                  uint32_t k, uint64_t start,
                                                  const struct zti_walk *at)
{
    struct zti_bit_reader r = {t->words, t->words_count,
                               __shfl_sync(SIMT_ALL_LANES, start, (int)k)};
    uint64_t origin[4];
    if (threadIdx.x % 32 == 0)
        *noted_lane(BITS) = k;
    __syncwarp(); /* behind it notes are complete, too */
    OF_TYPE(decode_tile_warp, BITS)(zfp, values, 4, IS_FLOAT, &r);
    SIMT_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        origin[i] = __shfl_sync(SIMT_ALL_LANES, at->origin[i], (int)k);
    OF_TYPE(scatter_warp, BITS)(&t->view, origin, values, 4);
}

static __device__ __forceinline__ struct zti_bit_reader reader_of(const struct zfp_tiles *t)
{
    const struct zti_bit_reader r = {t->words, t->words_count, 0};
    return r;
}

/* The tiles of chunk number i of the launch, and where it begins. */
struct chunk {
    uint64_t tile, last; /* the next, and the one behind the last */
};

static __device__ __forceinline__ struct chunk chunk_at(const struct zfp_tiles *t, uint64_t i,
                                                        struct zti_bit_reader *r)
{
    const uint64_t chunk = t->chunks ? t->chunks[i] : t->first_chunk + i;
    const uint64_t first = chunk * t->chunk_tiles, rest = t->grid.count - first;
    const struct chunk c = {first, first + (rest < t->chunk_tiles ? rest : t->chunk_tiles)};
    r->at = t->places ? t->places[2 * i] : (uint64_t)t->first_bits + first * t->fixed_bits;
    return c;
}

static __device__ __forceinline__ void end_chunk(const struct zfp_tiles *t, uint64_t i,
                                                 const struct zti_bit_reader *r)
{
    note_end(t->states, i, t->count, r->at, t->places ? t->places[2 * i + 1] : UINT64_MAX);
}

/* Decode a chunk by a thread. */
#define TAKE_KERNEL(name, rank, blocks, is_exact)                                                  \
    KERNEL(THREADS(rank), blocks) name(struct zfp_tiles t)                                         \
    {                                                                                              \
        const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;                        \
        if (i >= t.count || IS_OTHER_RANK(rank))                                                   \
            return;                                                                                \
        const struct zti_zfp zfp = params_of_kernel(&t, is_exact);                                 \
        struct zti_bit_reader r = reader_of(&t);                                                   \
        for (struct chunk c = chunk_at(&t, i, &r); c.tile < c.last; c.tile++) {                    \
            VALUE values[1 << 2 * (rank)];                                                         \
            OF_TYPE(decode_tile, BITS)(&zfp, values, rank, IS_FLOAT, &r);                          \
            /* after decode_tile, so that no register holds it meanwhile */                        \
            const struct zti_walk at = walk_from(&t.grid, c.tile, rank);                           \
            OF_TYPE(scatter, BITS)(&t.view, at.origin, values, rank);                              \
        }                                                                                          \
        end_chunk(&t, i, &r);                                                                      \
    }

/* Decode t.warp_tiles chunks by a warp: each lane finds the planes of its chunk's next tile; then
 * all lanes decode one of these tiles after another. */
#define TAKE_WARP_KERNEL(name, rank, own_values, is_exact)                                         \
    KERNEL(ZTI_ZFP_THREADS, TAKE_WARP) name(struct zfp_tiles t)                                    \
    {                                                                                              \
        const uint32_t me = threadIdx.x % 32;                                                      \
        const uint64_t first =                                                                     \
            ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32 * t.warp_tiles;                 \
        if (first >= t.count || IS_OTHER_RANK(rank))                                               \
            return;                                                                                \
        const struct zti_zfp zfp = params_of_kernel(&t, is_exact);                                 \
        const bool has_chunk = me < t.warp_tiles && first + me < t.count;                          \
        struct zti_bit_reader r = reader_of(&t);                                                   \
        struct chunk c = {0, 0};                                                                   \
        if (has_chunk)                                                                             \
            c = chunk_at(&t, first + me, &r);                                                      \
        struct zti_walk at = walk_from(&t.grid, c.tile, rank);                                     \
        for (uint32_t rest; (rest = __ballot_sync(SIMT_ALL_LANES, c.tile < c.last)) != 0;          \
             c.tile++) {                                                                           \
            const uint64_t start = r.at;                                                           \
            if (c.tile < c.last)                                                                   \
                OF_TYPE(decode_tile, BITS)(&zfp, NULL, rank, IS_FLOAT, &r);                        \
            for (; rest != 0; rest &= rest - 1) {                                                  \
                VALUE values[own_values];                                                          \
                read_noted(&t, &zfp, values, (uint32_t)__ffs((int)rest) - 1, start, &at);          \
            }                                                                                      \
            walk_on(&at, &t.grid, rank);                                                           \
        }                                                                                          \
        if (has_chunk)                                                                             \
            end_chunk(&t, first + me, &r);                                                         \
    }

/* Least blocks of a multiprocessor, which limits the registers of a thread (65,536 in all). */
#if BITS == 32
#define OF_SQUARE 8
#define PUT_CUBE  10
#define PUT_WARP  7
#define TAKE_CUBE 10
#define TAKE_WARP 6
#else
#define OF_SQUARE 4
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define PUT_CUBE 4 /* with 5, registers are spilled */
#else
#define PUT_CUBE 6
#endif
#define PUT_WARP  5
#define TAKE_CUBE 4
#define TAKE_WARP 4
#endif
#define OF_LINE 8

PUT_KERNEL(write_lossy_1d, 1, OF_LINE, false)
PUT_KERNEL(write_lossy_2d, 2, OF_SQUARE, false)
PUT_KERNEL(write_lossy_3d, 3, PUT_CUBE, false)
PUT_WARP_KERNEL(write_lossy_4d, 4, 8, false)
PUT_KERNEL(write_exact_1d, 1, OF_LINE, true)
PUT_KERNEL(write_exact_2d, 2, OF_SQUARE, true)
PUT_KERNEL(write_exact_3d, 3, PUT_CUBE, true)
PUT_WARP_KERNEL(write_exact_4d, 4, 8, true)
TAKE_KERNEL(read_lossy_1d, 1, OF_LINE, false)
TAKE_KERNEL(read_lossy_2d, 2, OF_SQUARE, false)
TAKE_KERNEL(read_lossy_3d, 3, TAKE_CUBE, false)
TAKE_WARP_KERNEL(read_lossy_4d, 4, 8, false)
TAKE_KERNEL(read_exact_1d, 1, OF_LINE, true)
TAKE_KERNEL(read_exact_2d, 2, OF_SQUARE, true)
TAKE_KERNEL(read_exact_3d, 3, TAKE_CUBE, true)
TAKE_WARP_KERNEL(read_exact_4d, 4, 8, true)

static void put(const struct zfp_tiles *tiles, unsigned threads, void *queue)
{
    const struct zfp_tiles t = *tiles;
    const uint64_t each = t.warp_tiles > 0 ? threads / 32 * t.warp_tiles : threads;
    const unsigned blocks = (unsigned)((t.grid.count + each - 1) / each);
    const size_t bytes = t.block_bytes;
    switch (t.grid.rank + (zti_zfp_is_reversible(&t.zfp) ? 4 : 0)) {
    case 1: SIMT_LAUNCH(write_lossy_1d, blocks, threads, bytes, queue, t); break;
    case 2: SIMT_LAUNCH(write_lossy_2d, blocks, threads, bytes, queue, t); break;
    case 3: SIMT_LAUNCH(write_lossy_3d, blocks, threads, bytes, queue, t); break;
    case 4: SIMT_LAUNCH(write_lossy_4d, blocks, threads, bytes, queue, t); break;
    case 5: SIMT_LAUNCH(write_exact_1d, blocks, threads, bytes, queue, t); break;
    case 6: SIMT_LAUNCH(write_exact_2d, blocks, threads, bytes, queue, t); break;
    case 7: SIMT_LAUNCH(write_exact_3d, blocks, threads, bytes, queue, t); break;
    default: SIMT_LAUNCH(write_exact_4d, blocks, threads, bytes, queue, t);
    }
}

static void take(const struct zfp_tiles *tiles, unsigned threads, void *queue)
{
    const struct zfp_tiles t = *tiles;
    const uint64_t each = t.warp_tiles > 0 ? threads / 32 * t.warp_tiles : threads;
    const unsigned blocks = (unsigned)((t.count + each - 1) / each);
    const size_t bytes = t.block_bytes;
    switch (t.grid.rank + (zti_zfp_is_reversible(&t.zfp) ? 4 : 0)) {
    case 1: SIMT_LAUNCH(read_lossy_1d, blocks, threads, bytes, queue, t); break;
    case 2: SIMT_LAUNCH(read_lossy_2d, blocks, threads, bytes, queue, t); break;
    case 3: SIMT_LAUNCH(read_lossy_3d, blocks, threads, bytes, queue, t); break;
    case 4: SIMT_LAUNCH(read_lossy_4d, blocks, threads, bytes, queue, t); break;
    case 5: SIMT_LAUNCH(read_exact_1d, blocks, threads, bytes, queue, t); break;
    case 6: SIMT_LAUNCH(read_exact_2d, blocks, threads, bytes, queue, t); break;
    case 7: SIMT_LAUNCH(read_exact_3d, blocks, threads, bytes, queue, t); break;
    default: SIMT_LAUNCH(read_exact_4d, blocks, threads, bytes, queue, t);
    }
}

extern "C" const struct zfp_launches ZTI_ZFP_LAUNCHES = {put, take};
