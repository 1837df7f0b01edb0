/* decode.h: kernel text of the transform coder, for values of one type: parts to coefficients, the
 * levels of lifting back, corrections, and values to the view. The includer defines IS_NARROW and
 * NAME. */
#include "codec/sz/transform/gpu/tiles.h"

#include <math.h>

#include "codec/sz/transform/numbers.h"

#include "codec/sz/transform/gpu/lift.h"
#include "codec/sz/transform/gpu/rows.h"

#include "codec/sz/transform/gpu/parts.h"

/* ---- lifting ---- */

/* The level that a block is at work on; false: its tile has no such level. */
static __device__ __forceinline__ bool open_level(const struct tf_tiles *f, struct tf_slot *slot,
                                                  struct lifting *g)
{
    const uint32_t which = blockIdx.x / f->blocks;
    const struct sz_numbered t = sz_numbered_of(&f->s, &f->batch, which);
    *slot = tf_slot_of(f, which);
    if (!tf_goes_on(&t, slot) || slot->note->is_bad || f->level >= slot->layout->levels)
        return false;
    *g = lifting_of(slot->layout, f->level);
    return true;
}

/* Values of a level beside the coefficients, which other threads still read. */
SIMT_KERNEL void SIMT_BOUNDS(TF_THREADS, 4) NAME(tf_unlift)(const struct tf_tiles f)
{
    struct tf_slot slot;
    struct lifting g;
    if (open_level(&f, &slot, &g))
        unlift_pairs(&g, slot.values, slot.others, blockIdx.x % f.blocks * TF_THREADS + threadIdx.x,
                     f.blocks * TF_THREADS);
}

SIMT_KERNEL void SIMT_BOUNDS(TF_THREADS, 4) NAME(tf_copy_back)(const struct tf_tiles f)
{
    struct tf_slot slot;
    struct lifting g;
    if (open_level(&f, &slot, &g))
        copy_pairs(&g, slot.others, slot.values, blockIdx.x % f.blocks * TF_THREADS + threadIdx.x,
                   f.blocks * TF_THREADS);
}

/* ---- corrections: a warp has a chunk ---- */

/* Exact values. One lane calls it. */
static __device__ bool read_exact(const struct tf_tiles *f, number *value, uint64_t at,
                                  uint64_t end, struct zti_cursor *c)
{
    const uint32_t bytes = value_bytes_of(f->s.type);
    for (uint64_t n = zti_get_varint(c); n > 0; n--, at++) {
        const uint64_t gap = zti_get_varint(c);
        const uint8_t *const own = zti_get_bytes(c, bytes);
        if (!own || at >= end || gap >= end - at)
            return false;
        at += gap;
        value[at] = (number)tf_number_of(f->s.type, zti_get_value(own, bytes));
    }
    return !c->is_bad;
}

/* What a lane has of some corrections: gaps and steps in turns. */
struct number_read {
    uint64_t number;
    bool has_sign, is_good;
};

/* The numbers of the lanes' symbols: a sign for each odd lane's, and the bits that symbols leave
 * open, from *open on. */
static __device__ __forceinline__ struct number_read read_numbers(uint32_t symbol, uint32_t n,
                                                                  struct zti_bit_reader *open)
{
    const uint32_t lane = threadIdx.x, signs = lane % 2;
    struct number_read own = {0, false, lane >= n || symbol < ZTI_TF_SYMBOLS};
    symbol = lane < n && own.is_good ? symbol : 0;
    const uint32_t left = tf_open_bits(symbol), bits = lane < n ? left + signs : 0;
    const uint32_t up_to = warp_sums_32(bits);
    struct zti_bit_reader r = *open;
    r.at += up_to - bits;
    const uint64_t low = zti_peek_bits(&r);
    own.has_sign = low & signs;
    own.number = tf_least_magnitude(symbol) + (low >> signs & ((UINT64_C(1) << left) - 1));
    open->at += __shfl_sync(SIMT_ALL_LANES, up_to, 31);
    return own;
}

/* Add the steps of n / 2 corrections to values from *at on; false: these do not end before 'end'.
 */
static __device__ __forceinline__ bool add_steps(const struct tf_tiles *f, number *value,
                                                 const struct number_read *own, uint32_t n,
                                                 uint64_t *at, uint64_t end)
{
    const uint32_t lane = threadIdx.x;
    const bool is_step = lane % 2 == 1 && lane < n, is_gap = lane % 2 == 0 && lane < n;
    const bool is_good = own->is_good && (lane >= n || own->number < UINT64_C(1) << 31);
    if (!__all_sync(SIMT_ALL_LANES, is_good))
        return false;
    const uint64_t to = *at + warp_sums(is_gap ? own->number + 1 : 0);
    if (!__all_sync(SIMT_ALL_LANES, to <= end))
        return false;
    if (is_step) {
        const double k = (double)own->number + 1;
        number *const v = value + to - 1;
        *v = (number)((double)*v + (own->has_sign ? -k : k) * f->s.sz.step);
    }
    *at = __shfl_sync(SIMT_ALL_LANES, to, 31);
    return true;
}

/* The symbols of n / 2 <= 16 corrections, a lane's each: four at a time, whose states are
 * independent, of both tables in turns. */
static __device__ __forceinline__ uint32_t read_corrections(const struct tf_slot *slot,
                                                            struct ahead *bits, uint32_t *state,
                                                            uint32_t n)
{
    const uint32_t *const tables = slot->models.tables + (size_t)TF_GAPS * ZTI_ANS_STATES;
    uint32_t symbol = 0;
    for (uint32_t i = 0; i < n; i += ZTI_ANS_FEW) {
        uint32_t entry[ZTI_ANS_FEW];
        SIMT_UNROLL
        for (uint32_t k = 0; k < ZTI_ANS_FEW; k++)
            entry[k] = tables[k % 2 * (TF_STEPS - TF_GAPS) * (uint32_t)ZTI_ANS_STATES + state[k]];
        SIMT_UNROLL
        for (uint32_t k = 0; k < ZTI_ANS_FEW && i + k < n; k++) {
            state[k] = next_state(bits, entry[k]);
            symbol = threadIdx.x == i + k ? entry[k] & 255 : symbol;
            if (k % 2 == 1)
                fill_ahead(bits);
        }
    }
    return symbol;
}

/* n corrections of the values from 'at' on, in the bytes from c on. */
static __device__ bool read_steps(const struct tf_tiles *f, const struct tf_slot *slot, uint64_t at,
                                  uint64_t end, uint64_t n, struct zti_cursor *c)
{
    const uint64_t bytes = zti_get_varint(c);
    if (c->is_bad || bytes > zti_cursor_left(c) || !slot->note->has_steps || n > end - at)
        return false;
    struct zti_bit_reader open = sz_reader(&f->s, sz_bit_of(&f->s, c->at));
    const uint64_t codes_at = open.at + 8 * (zti_cursor_left(c) - bytes);
    uint32_t state[ZTI_ANS_FEW];
    struct ahead bits;
    bool is_good = open_ahead(&f->s, codes_at, &bits, state);
    for (uint64_t left = 2 * n; left > 0 && is_good;) {
        const uint32_t some = simt_at_most(left, 32);
        const uint32_t symbol = read_corrections(slot, &bits, state, some);
        const struct number_read own = read_numbers(symbol, some, &open);
        is_good = add_steps(f, (number *)slot->values, &own, some, &at, end);
        left -= some;
    }
    return is_good && ahead_ends_at(&bits, state, codes_at + 8 * bytes) && open.at <= codes_at &&
           codes_at - open.at < 8;
}

/* The corrections of a chunk. */
static __device__ bool correct_chunk(const struct tf_tiles *f, const struct tf_slot *slot,
                                     uint32_t chunk)
{
    const struct tf_part *const own = &slot->chunk[chunk];
    const uint8_t *const bytes = (const uint8_t *)(const void *)f->s.words;
    struct zti_cursor c = {bytes + own->open / 8, bytes + own->end / 8, false};
    if (own->open == own->end)
        return true;
    const uint64_t values = tf_chunk_values(slot->front->parts_way), first = chunk * values;
    const uint64_t left = slot->layout->values - first,
                   end = first + (left < values ? left : values);
    bool is_good = false;
    if (threadIdx.x == 0)
        is_good = read_exact(f, (number *)slot->values, first, end, &c);
    c.at = c.end - __shfl_sync(SIMT_ALL_LANES, (uint64_t)(c.end - c.at), 0);
    if (!simt_same(is_good))
        return false;
    simt_order_block(); /* damage alone puts a step where an exact value is: no case shows it */
    const uint64_t n = zti_get_varint(&c);
    return n > 0 ? !c.is_bad && read_steps(f, slot, first, end, n, &c)
                 : !c.is_bad && zti_cursor_left(&c) == 0;
}

SIMT_KERNEL void SIMT_BOUNDS(32, 16) NAME(tf_correct)(const struct tf_tiles f)
{
    const uint32_t which = blockIdx.x / f.most_chunks, chunk = blockIdx.x % f.most_chunks;
    const struct sz_numbered t = sz_numbered_of(&f.s, &f.batch, which);
    const struct tf_slot slot = tf_slot_of(&f, which);
    if (!tf_goes_on(&t, &slot) || chunk >= slot.note->chunks)
        return;
    if (!correct_chunk(&f, &slot, chunk) && threadIdx.x == 0)
        tf_refuse(&f, &t, &slot);
}

/* ---- values ---- */

/* The last tile of a chunk notes where the chunk ends. */
SIMT_KERNEL void SIMT_BOUNDS(TF_THREADS, 4) NAME(tf_put_values)(const struct tf_tiles f)
{
    const uint32_t which = blockIdx.x / f.blocks, block = blockIdx.x % f.blocks;
    const struct sz_numbered t = sz_numbered_of(&f.s, &f.batch, which);
    const struct tf_slot slot = tf_slot_of(&f, which);
    if (!t.is_there || !slot.note->tile.is_good || slot.note->is_bad)
        return;
    const struct sz_tile tile = tile_of(&f.s, t.number);
    const number *const value = (const number *)slot.values;
    if (slot.note->tile.is_raw && block == 0)
        sz_put_raw(&f.s, &tile, slot.note->tile.raw);
    for (uint32_t i = block * TF_THREADS + threadIdx.x; !slot.note->tile.is_raw && i < tile.n;
         i += f.blocks * TF_THREADS) {
        char *const to = value_at(&f.s, &tile, i);
        void *const at = to;
        if (to && f.s.type == ZT_F32)
            *(float *)at = (float)value[i];
        else if (to)
            *(double *)at = (double)value[i];
    }
    if (block == 0 && threadIdx.x == 0 && t.is_last)
        note_end(f.s.states, t.chunk, f.s.count, slot.note->tile.end, f.s.places[2 * t.chunk + 1]);
}

extern "C" void NAME(zti_tf_cuda_values)(struct tf_tiles *f, void *queue)
{
    const uint32_t tiles = f->batch.count;
    SIMT_LAUNCH(NAME(tf_decode_parts), tiles * f->most_parts, 32, 0, queue, *f);
    for (f->level = f->most_levels; f->level-- > 0;) {
        SIMT_LAUNCH(NAME(tf_unlift), tiles * f->blocks, TF_THREADS, 0, queue, *f);
        SIMT_LAUNCH(NAME(tf_copy_back), tiles * f->blocks, TF_THREADS, 0, queue, *f);
    }
    SIMT_LAUNCH(NAME(tf_correct), tiles * f->most_chunks, 32, 0, queue, *f);
    SIMT_LAUNCH(NAME(tf_put_values), tiles * f->blocks, TF_THREADS, 0, queue, *f);
}
