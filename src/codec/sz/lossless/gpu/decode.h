/* decode.h: kernel text of the lossless coder, for values of one width: residuals of symbols and
 * their open bits; keys (predict.h); values of keys and the bits that transforms leave open, to the
 * view. A block has a tile. The includer defines WIDTH and NAME. */
#include "codec/sz/lossless/gpu/tiles.h"

#include "codec/sz/lossless/value.h"

/* ---- parts of a tile, one for each warp ---- */

struct ll_part {
    uint32_t from, to; /* values in the order of coding */
};

static __device__ __forceinline__ struct ll_part part_of_warp(const struct ll_part *whole)
{
    const uint32_t values = whole->to - whole->from;
    const uint32_t each = (values + 32 * LL_WARPS - 1) / (32 * LL_WARPS) * 32;
    const uint32_t from = simt_at_most(threadIdx.x / 32 * each, values);
    const struct ll_part part = {whole->from + from,
                                 whole->from + simt_at_most(from + each, values)};
    return part;
}

/* Where what a warp has begins: behind 'at' comes what the warps before it have. 'own': the lane's;
 * *all: the sum over the block, which calls it. */
static __device__ __forceinline__ uint64_t place_of_warp(uint64_t at, uint32_t own, uint32_t *all)
{
    SIMT_SHARED(uint32_t, sums, [LL_WARPS]);
    const uint32_t warp = threadIdx.x / 32, of_warp = simt_reduce_add(own);
    __syncthreads(); /* those of the last call were read */
    if (threadIdx.x % 32 == 0)
        sums[warp] = of_warp;
    __syncthreads();
    *all = 0;
    for (uint32_t i = 0; i < LL_WARPS; i++) {
        at += i < warp ? sums[i] : 0;
        *all += sums[i];
    }
    return at;
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
    const struct ll_part whole = {0, shape.values}, part = part_of_warp(&whole);
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
            k[ll_cell_of(&shape, i + lane)] =
                residual_of(has_signs, &steps, symbol, ll_get(&r, open));
        at += __shfl_sync(SIMT_ALL_LANES, up_to, 31);
    }
    if (!sz_is_at_end(slot.note->open + all, slot.note->open_end))
        refuse(&l, &t, &slot);
}

#include "codec/sz/lossless/gpu/predict.h"
#include "codec/sz/lossless/gpu/wave.h"

SIMT_KERNEL void SIMT_BOUNDS(LL_THREADS, 2) NAME(ll_make_keys)(const struct ll_tiles l)
{
    struct sz_numbered t;
    struct ll_slot slot;
    struct zti_ll_shape shape;
    if (!ll_open(&l, &t, &slot, &shape))
        return;
    key *const k = (key *)slot.keys;
    const uint8_t *const mark = slot.front->t.has_marks ? slot.marks : NULL;
    if (is_plain(slot.front))
        run_sums(&shape, slot.front->p.axes, k);
    else if (slot.front->t.has_rows || shape.is_lanes)
        run_groups(&shape, slot.front, mark, k);
    else
        run_wave(&shape, slot.front, mark, k);
}

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
    const size_t cell = ll_cell_of(o->shape, i);
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
    const size_t cell = ll_cell_of(o->shape, i);
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

/* Keys that are 0 say by a bit whether WIDTH - 1 more follow. These are listed in their order:
 * where they are if none has more, then how many more all up to it have. */

/* List those of a warp's part, whose bits begin 'at' bits behind the first of all. */
static __device__ __forceinline__ void
list_zeros(const struct opening *o, const struct ll_part *part, uint32_t at, uint32_t *list)
{
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t i = part->from; i < part->to; i += 32) {
        bool is_zero = false;
        const uint32_t open = i + lane < part->to ? open_bits_at(o, i + lane, &is_zero) : 0;
        const uint32_t up_to = warp_sums_32(open), zeros = __ballot_sync(SIMT_ALL_LANES, is_zero);
        if (is_zero)
            list[__popc(zeros & ((1u << lane) - 1))] = at + up_to - open;
        list += __popc(zeros);
        at += __shfl_sync(SIMT_ALL_LANES, up_to, 31);
    }
}

/* Look at the first bits of 32 of them, as if none had more; the first that has moves those behind
 * it. A warp calls it. */
static __device__ __forceinline__ void follow_zeros(const struct sz_tiles *s, uint64_t at,
                                                    uint32_t *list, uint32_t count)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t more = 0;
    for (uint32_t i = 0, some; i < count; i += some) {
        struct zti_bit_reader r = sz_reader(s, at + more + (i + lane < count ? list[i + lane] : 0));
        const uint32_t ones =
            __ballot_sync(SIMT_ALL_LANES, i + lane < count && zti_get_within(&r, 1) > 0);
        const uint32_t first = ones > 0 ? (uint32_t)__ffs((int)ones) - 1 : 32;
        some = simt_at_most(first + 1, 32);
        if (lane < some && i + lane < count)
            list[i + lane] = more + (lane == first ? WIDTH - 1 : 0);
        more += first < 32 ? WIDTH - 1 : 0;
        simt_order_warp(); /* places that others read are next */
    }
}

/* Values of a warp's part, whose bits begin at 'at' and as many behind as zeros before have more.
 * list: how many these are, of the zeros from the first on; 'zeros' are before the part. */
static __device__ __forceinline__ void put_part(const struct opening *o, const struct ll_part *part,
                                                uint64_t at, const uint32_t *list, uint32_t zeros)
{
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t i = part->from; i < part->to; i += 32) {
        const bool is_there = i + lane < part->to;
        bool is_zero = false;
        const uint32_t open = is_there ? open_bits_at(o, i + lane, &is_zero) : 0;
        const uint32_t up_to = warp_sums_32(open), own = __ballot_sync(SIMT_ALL_LANES, is_zero);
        const uint32_t before = zeros + (uint32_t)__popc(own & ((1u << lane) - 1));
        const uint32_t more = before > 0 ? list[before - 1] : 0;
        struct zti_bit_reader r = sz_reader(&o->l->s, at + up_to - open + more);
        char *const to =
            is_there ? value_at(&o->l->s, o->tile, ll_place_in_order(o->shape, i + lane)) : NULL;
        if (to)
            put_value(o->l, to, value_of(o, i + lane, &r));
        at += __shfl_sync(SIMT_ALL_LANES, up_to, 31);
        zeros += (uint32_t)__popc(own);
    }
}

/* Values of a piece of a tile, whose bits begin at 'at'; returns where they end. */
static __device__ uint64_t put_piece(const struct opening *o, const struct ll_part *piece,
                                     uint64_t at, uint32_t *list)
{
    const struct ll_part part = part_of_warp(piece);
    uint32_t bits = 0, zeros = 0, all, all_zeros;
    bool is_zero;
    for (uint32_t i = part.from + threadIdx.x % 32; i < part.to; i += 32) {
        bits += open_bits_at(o, i, &is_zero);
        zeros += is_zero;
    }
    const uint64_t own = place_of_warp(at, bits, &all);
    const uint32_t before = (uint32_t)place_of_warp(0, zeros, &all_zeros);
    if (all_zeros > 0) {
        list_zeros(o, &part, (uint32_t)(own - at), list + before);
        __syncthreads();
        if (threadIdx.x < 32)
            follow_zeros(&o->l->s, at, list, all_zeros);
        __syncthreads();
    }
    put_part(o, &part, own, list, before);
    return at + all + (all_zeros > 0 ? list[all_zeros - 1] : 0);
}

/* Values of a tile, piece by piece, so that zeros can be listed where codes were; false: its bits
 * end elsewhere. */
static __device__ bool put_values(const struct opening *o, const struct ll_slot *slot)
{
    const uint32_t values = o->shape->values, each = (values + 3) / 4;
    uint64_t at = slot->note->rest;
    for (uint32_t from = 0; from < values; from += each) {
        const struct ll_part piece = {from, simt_at_most(from + each, values)};
        at = put_piece(o, &piece, at, (uint32_t *)(void *)slot->codes);
    }
    return sz_is_at_end(at, slot->note->rest_end);
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
        is_good = put_values(&o, &slot);
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
