/* decode.h: kernel text of the lossless coder, for values of one width: residuals of symbols and
 * their open bits; keys (predict.h); values of keys and the bits that transforms leave open, to the
 * view. A block has a tile. The includer defines WIDTH and NAME. */
#include "codec/sz/lossless/gpu/tiles.h"

#include "codec/sz/lossless/value.h"

/* ---- parts of a tile, one for each warp ---- */

struct ll_part {
    uint32_t from, to; /* values in the order of coding */
};

static __device__ __forceinline__ struct ll_part part_of_warp(uint32_t values)
{
    const uint32_t each = (values + 32 * LL_WARPS - 1) / (32 * LL_WARPS) * 32;
    const uint32_t from = threadIdx.x / 32 * each;
    const struct ll_part part = {from < values ? from : values,
                                 from + each < values ? from + each : values};
    return part;
}

/* Where the bits of a warp's part begin: behind 'at' come the bits of the warps before it. 'bits':
 * the own lane's; *all: the sum over the tile. The block calls it. */
static __device__ __forceinline__ uint64_t place_of_warp(uint64_t at, uint32_t bits, uint32_t *all)
{
    SIMT_SHARED(uint32_t, sums, [LL_WARPS]);
    const uint32_t warp = threadIdx.x / 32, own = simt_reduce_add(bits);
    if (threadIdx.x % 32 == 0)
        sums[warp] = own;
    __syncthreads();
    *all = 0;
    for (uint32_t i = 0; i < LL_WARPS; i++) {
        at += i < warp ? sums[i] : 0;
        *all += sums[i];
    }
    return at;
}

/* The cell of value number i of a tile. */
static __device__ __forceinline__ size_t cell_of(const struct zti_ll_shape *s, uint32_t i)
{
    const uint32_t row = i / s->width;
    return ll_cell(s, row) + (i - row * s->width);
}

/* Refuse a tile. The block calls it, after others have read the note. */
static __device__ __forceinline__ void refuse(const struct ll_tiles *l, const struct sz_numbered *t,
                                              const struct ll_slot *slot)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        slot->note->tile.is_good = 0;
        note_bad(&l->s, t->chunk);
    }
}

/* ---- residuals ---- */

SIMT_KERNEL void SIMT_BOUNDS(LL_THREADS, 4) NAME(ll_make_residuals)(const struct ll_tiles l)
{
    SIMT_SHARED(struct steps, steps, );
    struct sz_numbered t;
    struct ll_slot slot;
    struct zti_ll_shape shape;
    if (!ll_open(&l, &t, &slot, &shape))
        return;
    const struct ll_part part = part_of_warp(shape.values);
    const bool has_signs = slot.front->has_signs;
    const uint32_t lane = threadIdx.x % 32;
    key *const k = (key *)slot.keys;
    uint32_t bits = 0, all;
    for (uint32_t i = threadIdx.x; i < ZTI_LL_ALPHABET; i += LL_THREADS)
        make_step(has_signs, slot.front->t.has_marks, i, &steps);
    __syncthreads();
    for (uint32_t i = part.from + lane; i < part.to; i += 32)
        bits += steps.open[slot.symbols[i]];
    uint64_t at = place_of_warp(slot.note->open, bits, &all);
    for (uint32_t i = part.from; i < part.to; i += 32) {
        const bool is_there = i + lane < part.to;
        const uint8_t symbol = is_there ? slot.symbols[i + lane] : 0;
        const uint32_t open = is_there ? steps.open[symbol] : 0, up_to = warp_sums_32(open);
        struct zti_bit_reader r = sz_reader(&l.s, at + up_to - open);
        if (is_there)
            k[cell_of(&shape, i + lane)] = residual_of(has_signs, &steps, symbol, ll_get(&r, open));
        at += __shfl_sync(SIMT_ALL_LANES, up_to, 31);
    }
    if (!sz_is_at_end(slot.note->open + all, slot.note->open_end))
        refuse(&l, &t, &slot);
}

#include "codec/sz/lossless/gpu/predict.h"

/* ---- values ---- */

/* What values of keys need. */
struct opening {
    const struct ll_tiles *l;
    const struct zti_ll_transform *t;
    const struct zti_ll_shape *shape;
    const struct sz_tile *tile;
    const struct lengths *lengths;
    const key *k;
    const uint8_t *mark; /* or NULL */
};

/* Bits that value i has of the transform's. *is_zero: the first of them tells of WIDTH - 1 more. */
static __device__ __forceinline__ uint32_t open_bits_at(const struct opening *o, uint32_t i,
                                                        bool *is_zero)
{
    const size_t cell = cell_of(o->shape, i);
    const uint8_t mark = o->mark ? o->mark[cell] : 0;
    *is_zero = false;
    if (mark)
        return mark == ZTI_LL_MARK_RAW ? WIDTH : 0;
    if (o->t->kind != ZTI_LL_LINEAR)
        return 0;
    const key k = o->k[cell];
    const value linear = (value)k ^ (value)(k >> (WIDTH - 1));
    *is_zero = linear == 0;
    return linear == 0                    ? 1
           : linear >= ONE >> o->t->zeros ? 0
                                          : o->lengths->open[zti_bit_length64(linear)];
}

/* The value of a key and its bits. */
static __device__ __forceinline__ value value_of(const struct opening *o, uint32_t i,
                                                 struct zti_bit_reader *r)
{
    const struct zti_ll_transform *const t = o->t;
    const size_t cell = cell_of(o->shape, i);
    const key k = o->k[cell];
    const bool is_float = zti_is_float(o->l->type);
    if (o->mark && o->mark[cell])
        return o->mark[cell] == ZTI_LL_MARK_FILL ? (value)t->fill : (value)ll_get(r, WIDTH);
    switch (t->kind) {
    case ZTI_LL_ORDER: return (value)order_of(is_float, (value)k);
    case ZTI_LL_LINEAR: return linear_value(t, o->lengths, k, r);
    case ZTI_LL_DECIMAL: return decimal_value(ll_ten_to(t->digits), k);
    case ZTI_LL_LATTICE: {
        const uint32_t slice = ll_part(i / o->shape->width, o->shape->inverse[1]);
        return lattice_value(t->offset[slice], t->step[slice], k);
    }
    case ZTI_LL_DIGITS:
        return bits_of(ll_of_digits((const struct zti_ll_power *)o->l->s.model, o->l->type,
                                    t->digits, t->lowest, k));
    default: return ranked_value(t, is_float, k);
    }
}

/* The place in C order of value i. */
static __device__ __forceinline__ uint32_t place_in_order(const struct zti_ll_shape *s, uint32_t i)
{
    const uint32_t row = i / s->width, x = i - row * s->width;
    if (s->is_lanes) {
        const uint32_t length = s->values / s->width, more = s->values % s->width;
        return x * length + (x < more ? x : more) + row;
    }
    return s->is_turned ? ll_turned_row(s, row) + x * s->step[3] : i;
}

/* Store the value of bits, or a multiple of its number. */
static __device__ __forceinline__ void put_value(const struct ll_tiles *l, char *to, value bits)
{
    const struct zti_sz *const sz = &l->s.sz;
    const key k = (key)bits;
    void *const at = to;
    if (!l->is_multiples)
        store_bits(&l->s, to, bits);
    else if (l->s.type == ZT_F32)
        *(float *)at = (float)multiple_of(k, (double)sz->centre, sz->step);
    else if (l->s.type == ZT_F64)
        *(double *)at = multiple_of(k, (double)sz->centre, sz->step);
    else if (l->s.type == ZT_I32)
        *(int32_t *)at = (int32_t)whole_multiple_of(k, sz->centre, (int64_t)sz->whole_step,
                                                    INT32_MIN, INT32_MAX);
    else
        *(int64_t *)at =
            whole_multiple_of(k, sz->centre, (int64_t)sz->whole_step, INT64_MIN, INT64_MAX);
}

/* How many bits zeros before a lane have beyond their first; *all: those of the warp. The first
 * bits of lanes begin behind 'at' as told; zeros follow each other. */
static __device__ __forceinline__ uint32_t zeros_before(const struct sz_tiles *s, uint64_t at,
                                                        uint32_t before, bool is_zero,
                                                        uint32_t *all)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t left = __ballot_sync(SIMT_ALL_LANES, is_zero), own = 0;
    *all = 0;
    while (left != 0) {
        const uint32_t next = (uint32_t)__ffs((int)left) - 1;
        struct zti_bit_reader r =
            sz_reader(s, at + __shfl_sync(SIMT_ALL_LANES, before, (int)next) + *all);
        const uint32_t more = zti_get_within(&r, 1) ? WIDTH - 1 : 0;
        own += next < lane ? more : 0;
        *all += more;
        left &= left - 1;
    }
    return own;
}

/* Values of a part, whose bits begin at 'at'. Returns where they end. A warp calls it. */
static __device__ __forceinline__ uint64_t put_part(const struct opening *o,
                                                    const struct ll_part *part, uint64_t at)
{
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t i = part->from; i < part->to; i += 32) {
        const bool is_there = i + lane < part->to;
        bool is_zero = false;
        const uint32_t open = is_there ? open_bits_at(o, i + lane, &is_zero) : 0;
        const uint32_t up_to = warp_sums_32(open);
        uint32_t more;
        const uint32_t own = zeros_before(&o->l->s, at, up_to - open, is_zero, &more);
        struct zti_bit_reader r = sz_reader(&o->l->s, at + up_to - open + own);
        char *const to =
            is_there ? value_at(&o->l->s, o->tile, place_in_order(o->shape, i + lane)) : NULL;
        if (to)
            put_value(o->l, to, value_of(o, i + lane, &r));
        at += __shfl_sync(SIMT_ALL_LANES, up_to, 31) + more;
    }
    return at;
}

/* Values of a tile; false: its bits end elsewhere. */
static __device__ bool put_values(const struct opening *o, const struct ll_note *note)
{
    SIMT_SHARED(uint64_t, end, );
    const struct ll_part part = part_of_warp(o->shape->values), whole = {0, o->shape->values};
    bool has_zeros = false, is_zero;
    uint32_t bits = 0, all;
    for (uint32_t i = part.from + threadIdx.x % 32; i < part.to; i += 32) {
        bits += open_bits_at(o, i, &is_zero);
        has_zeros |= is_zero;
    }
    const uint64_t at = place_of_warp(note->rest, bits, &all);
    if (!__syncthreads_or(has_zeros)) {
        (void)put_part(o, &part, at);
        return sz_is_at_end(note->rest + all, note->rest_end);
    }
    if (threadIdx.x < 32) { /* how long bits of zeros are they say themselves */
        const uint64_t last = put_part(o, &whole, note->rest);
        if (threadIdx.x == 0)
            end = last;
    }
    __syncthreads();
    return sz_is_at_end(end, note->rest_end);
}

/* The last tile of a chunk notes where the chunk ends. */
SIMT_KERNEL void SIMT_BOUNDS(LL_THREADS, 3) NAME(ll_put_values)(const struct ll_tiles l)
{
    SIMT_SHARED(struct lengths, lengths, );
    const struct sz_numbered t = sz_numbered_of(&l.s, &l.batch, blockIdx.x);
    const struct ll_slot slot = ll_slot_of(&l, blockIdx.x);
    if (!t.is_there || !slot.note->tile.is_good)
        return;
    const struct sz_tile tile = tile_of(&l.s, t.number);
    const struct zti_ll_shape shape = ll_shape_of(&l, &tile);
    const struct zti_ll_transform *const transform = &slot.front->t;
    bool is_good = true;
    if (slot.note->tile.is_raw) {
        sz_put_raw(&l.s, &tile, slot.note->tile.raw);
    } else {
        const struct opening o = {&l,
                                  transform,
                                  &shape,
                                  &tile,
                                  &lengths,
                                  (const key *)slot.keys,
                                  transform->has_marks ? slot.marks : NULL};
        if (threadIdx.x == 0)
            make_lengths(transform, &lengths);
        __syncthreads();
        is_good = put_values(&o, slot.note);
    }
    if (threadIdx.x == 0 && !is_good)
        note_bad(&l.s, t.chunk);
    if (threadIdx.x == 0 && is_good && t.is_last)
        note_end(l.s.states, t.chunk, l.s.count, slot.note->tile.end, l.s.places[2 * t.chunk + 1]);
}

extern "C" void NAME(zti_ll_cuda_values)(const struct ll_tiles *l, void *queue)
{
    SIMT_LAUNCH(NAME(ll_make_residuals), l->batch.count, LL_THREADS, 0, queue, *l);
    SIMT_LAUNCH(NAME(ll_make_keys), l->batch.count, LL_THREADS, 0, queue, *l);
    SIMT_LAUNCH(NAME(ll_put_values), l->batch.count, LL_THREADS, 0, queue, *l);
}
