/* decode.h: kernel text of the transform coder, for values of one type: parts to coefficients, the
 * levels of lifting back, corrections, and values to the view. The includer defines IS_NARROW and
 * NAME. */
#include "codec/sz/transform/gpu/tiles.h"

#include <math.h>

#include "codec/sz/transform/numbers.h"

#include "codec/sz/transform/gpu/parts.h"

/* ---- lifting ---- */

/* A line of a level: its low and high coefficients, 'step' apart. */
struct line {
    const number *low, *high;
    uint32_t n;
    size_t step;
};

/* The place that one beyond the line's ends is mirrored to. */
static __device__ __forceinline__ uint32_t mirrored(const struct line *l, int64_t place)
{
    return place >= 0 && place < (int64_t)l->n ? (uint32_t)place : tf_mirror(place, l->n);
}

static __device__ __forceinline__ number high_at(const struct line *l, int64_t i)
{
    return l->high[mirrored(l, 2 * i + 1) / 2 * l->step];
}

/* The value at an even place. */
static __device__ __forceinline__ number even_at(const struct line *l, int64_t i)
{
    const int64_t k = mirrored(l, 2 * i) / 2;
    return l->low[(size_t)k * l->step] - ZTI_TF_UPDATE(number, high_at(l, k - 2), high_at(l, k - 1),
                                                       high_at(l, k), high_at(l, k + 1));
}

/* Where pair number i of a level's lines is, in C order: the first value of its line, and its place
 * in it. */
static __device__ __forceinline__ size_t pair_at(const struct zti_tf_layout *layout,
                                                 const struct zti_tf_level *level, uint64_t i,
                                                 uint32_t *pair)
{
    size_t at = 0;
    for (uint32_t a = ZTI_TF_AXES; a-- > 0;) {
        const uint32_t n = a == level->axis ? (level->extent[a] + 1) / 2 : level->extent[a];
        const uint32_t own = (uint32_t)(i % n);
        i /= n;
        if (a == level->axis)
            *pair = own;
        else
            at += own * layout->stride[a];
    }
    return at;
}

/* A level of a tile: its pairs are shared by the threads of the tile's blocks. */
struct lifting {
    struct tf_slot slot;
    const struct zti_tf_level *level;
    uint64_t pairs;
    uint32_t n;  /* values of a line */
    size_t step; /* between them */
};

/* False: a block's tile has no such level. */
static __device__ __forceinline__ bool open_level(const struct tf_tiles *f, struct lifting *g)
{
    const uint32_t which = blockIdx.x / f->blocks;
    const struct sz_numbered t = sz_numbered_of(&f->s, &f->batch, which);
    g->slot = tf_slot_of(f, which);
    const struct zti_tf_layout *const layout = g->slot.layout;
    if (!tf_goes_on(&t, &g->slot) || g->slot.note->is_bad || f->level >= layout->levels)
        return false;
    g->level = &layout->level[f->level];
    g->pairs = 1;
    for (uint32_t a = 0; a < ZTI_TF_AXES; a++)
        g->pairs *= a == g->level->axis ? (g->level->extent[a] + 1) / 2 : g->level->extent[a];
    g->n = g->level->extent[g->level->axis];
    g->step = layout->stride[g->level->axis];
    return true;
}

/* Values of a level beside the coefficients, which other threads still read. */
SIMT_KERNEL void SIMT_BOUNDS(TF_THREADS, 4) NAME(tf_unlift)(const struct tf_tiles f)
{
    struct lifting g;
    if (!open_level(&f, &g))
        return;
    for (uint64_t i = blockIdx.x % f.blocks * TF_THREADS + threadIdx.x; i < g.pairs;
         i += f.blocks * TF_THREADS) {
        uint32_t pair = 0;
        const size_t at = pair_at(g.slot.layout, g.level, i, &pair);
        const number *const from = (const number *)g.slot.values + at;
        const struct line l = {from, from + (size_t)((g.n + 1) / 2) * g.step, g.n, g.step};
        number *const to = (number *)g.slot.others + at + 2 * (size_t)pair * g.step;
        const int64_t k = pair;
        to[0] = even_at(&l, k);
        if (2 * pair + 1 < g.n)
            to[g.step] =
                high_at(&l, k) + ZTI_TF_PREDICT(number, even_at(&l, k - 2), even_at(&l, k - 1),
                                                even_at(&l, k), even_at(&l, k + 1),
                                                even_at(&l, k + 2), even_at(&l, k + 3));
    }
}

SIMT_KERNEL void SIMT_BOUNDS(TF_THREADS, 4) NAME(tf_copy_back)(const struct tf_tiles f)
{
    struct lifting g;
    if (!open_level(&f, &g))
        return;
    for (uint64_t i = blockIdx.x % f.blocks * TF_THREADS + threadIdx.x; i < g.pairs;
         i += f.blocks * TF_THREADS) {
        uint32_t pair = 0;
        const size_t at = pair_at(g.slot.layout, g.level, i, &pair) + 2 * (size_t)pair * g.step;
        number *const to = (number *)g.slot.values + at;
        const number *const from = (const number *)g.slot.others + at;
        to[0] = from[0];
        if (2 * pair + 1 < g.n)
            to[g.step] = from[g.step];
    }
}

/* ---- corrections: a thread has a chunk ---- */

static __device__ __forceinline__ number number_of_bits(uint32_t type, uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return type == ZT_F32 ? (number)x : (number)zti_double_from_bits(bits);
}

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
        value[at] = number_of_bits(f->s.type, zti_get_value(own, bytes));
    }
    return !c->is_bad;
}

/* A number: its symbol from the codes, then its sign, if sign_bits is 1, and the bits that the
 * symbol leaves open. UINT64_MAX: no symbol of one. */
static __device__ uint64_t read_number(struct part_codes *codes, const uint32_t *table,
                                       struct zti_bit_reader *open, uint32_t sign_bits,
                                       uint64_t *sign)
{
    const uint32_t symbol = take_symbol(codes, table);
    const uint32_t n = symbol < ZTI_TF_SYMBOLS ? tf_open_bits(symbol) : 0;
    const uint64_t low = zti_peek_bits(open);
    *sign = low & sign_bits;
    open->at += n + sign_bits;
    return symbol < ZTI_TF_SYMBOLS
               ? tf_least_magnitude(symbol) + (low >> sign_bits & ((UINT64_C(1) << n) - 1))
               : UINT64_MAX;
}

static __device__ bool read_steps(const struct tf_tiles *f, const struct tf_slot *slot, uint64_t at,
                                  uint64_t end, uint64_t n, struct zti_cursor *c)
{
    const uint64_t bytes = zti_get_varint(c);
    if (c->is_bad || bytes > zti_cursor_left(c) || !slot->note->has_steps)
        return false;
    struct zti_bit_reader open = sz_reader(&f->s, sz_bit_of(&f->s, c->at));
    const uint64_t codes_at = open.at + 8 * (zti_cursor_left(c) - bytes);
    const uint32_t *const gaps = slot->models.tables + (size_t)TF_GAPS * ZTI_ANS_STATES;
    const uint32_t *const steps_of = slot->models.tables + (size_t)TF_STEPS * ZTI_ANS_STATES;
    struct part_codes codes;
    bool is_good = open_codes(&f->s, codes_at, &codes);
    for (; is_good && n > 0; n--, at++) {
        uint64_t sign;
        const uint64_t gap = read_number(&codes, gaps, &open, 0, &sign);
        const uint64_t steps = read_number(&codes, steps_of, &open, 1, &sign);
        is_good = at < end && gap < end - at && steps < 1u << 31 &&
                  codes.r.at <= codes_at + 8 * bytes && open.at <= codes_at;
        if (!is_good)
            break;
        at += gap;
        const double k = (double)steps + 1;
        number *const v = (number *)slot->values + at;
        *v = (number)((double)*v + (sign ? -k : k) * f->s.sz.step);
    }
    return is_good && codes_end_at(&codes, codes_at + 8 * bytes) && codes_at - open.at < 8;
}

SIMT_KERNEL void SIMT_BOUNDS(32, 16) NAME(tf_correct)(const struct tf_tiles f)
{
    const uint32_t each = (f.most_chunks + 31) / 32, which = blockIdx.x / each;
    const uint32_t chunk = blockIdx.x % each * 32 + threadIdx.x;
    const struct sz_numbered t = sz_numbered_of(&f.s, &f.batch, which);
    const struct tf_slot slot = tf_slot_of(&f, which);
    if (!tf_goes_on(&t, &slot) || chunk >= slot.note->chunks)
        return;
    const struct tf_part *const own = &slot.chunk[chunk];
    const uint8_t *const bytes = (const uint8_t *)(const void *)f.s.words;
    struct zti_cursor c = {bytes + own->open / 8, bytes + own->end / 8, false};
    if (own->open == own->end)
        return;
    const uint64_t values = tf_chunk_values(slot.front->parts_way), first = chunk * values;
    const uint64_t left = slot.layout->values - first,
                   end = first + (left < values ? left : values);
    bool is_good = read_exact(&f, (number *)slot.values, first, end, &c);
    const uint64_t n = is_good ? zti_get_varint(&c) : 0;
    if (is_good && n > 0)
        is_good = read_steps(&f, &slot, first, end, n, &c);
    else if (is_good)
        is_good = !c.is_bad && zti_cursor_left(&c) == 0;
    if (!is_good)
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
    const uint32_t tiles = f->batch.count, chunks = (f->most_chunks + 31) / 32;
    SIMT_LAUNCH(NAME(tf_decode_parts), tiles * f->most_parts, 32, 0, queue, *f);
    for (f->level = f->most_levels; f->level-- > 0;) {
        SIMT_LAUNCH(NAME(tf_unlift), tiles * f->blocks, TF_THREADS, 0, queue, *f);
        SIMT_LAUNCH(NAME(tf_copy_back), tiles * f->blocks, TF_THREADS, 0, queue, *f);
    }
    SIMT_LAUNCH(NAME(tf_correct), tiles * chunks, 32, 0, queue, *f);
    SIMT_LAUNCH(NAME(tf_put_values), tiles * f->blocks, TF_THREADS, 0, queue, *f);
}
