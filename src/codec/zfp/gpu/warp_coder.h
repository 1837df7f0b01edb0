/* warp_coder.h: kernel text: the transform of a 4-D tile, coefficients to bit planes and back, and
 * a tile to and from the array, for one width and a warp for each tile (gpu/warp.h). On the CPU:
 * tile/transform.h and plain/coder.h.
 *
 * The includer defines what tile/arithmetic.h says, and OWN_VALUES. 'rank' is always 4. */

#include "codec/zfp/tile/arithmetic.h"
#include "gpu/warp_words.h"

#define PARTS       (WIDTH / 32) /* planes of a lane, words of 32 bits of a value */
#define PITCH(rank) ZTI_ZFP_PLANE_PITCH(rank)

/* ---- the largest value of the tile, and the OR of all ---- */

FN ulane NAME(find_most)(ulane most)
{
#if WIDTH == 64
    const uint32_t high = simt_reduce_max((uint32_t)(most >> 32));
    const uint32_t low = (uint32_t)(most >> 32) == high ? (uint32_t)most : 0;
    return (ulane)high << 32 | simt_reduce_max(low);
#else
    return simt_reduce_max(most);
#endif
}

FN ulane NAME(find_or)(ulane any)
{
    return NAME(or_of_warp)(any);
}

FN ulane NAME(opaque)(ulane v)
{
    return v;
}

FN void NAME(clear_values)(ulane *u, uint32_t n)
{
    memset(u, 0, sizeof *u * n);
}

/* ---- the transform ----
 *
 * A value's place has two bits for each axis. They are bits of the lane (l) and of the number
 * within the lane (q), the lowest first:
 *
 *     before   l  x0 x1 y0 y1 z0   q  w0 w1 z1
 *     after    l  z0 z1 x0 x1 y1   q  y0 w0 w1
 */

/* Exchange bit l of the lane and bit q of the number. */
FN void NAME(exchange)(ulane *own, uint32_t rank, uint32_t l, uint32_t q)
{
    const bool is_upper = threadIdx.x >> l & 1;
    SIMT_UNROLL
    for (uint32_t i = 0; i < OWN_VALUES(rank); i++)
        if (!(i >> q & 1)) {
            const uint32_t k = i | 1u << q;
            const ulane got = __shfl_xor_sync(SIMT_ALL_LANES, is_upper ? own[i] : own[k], 1 << l);
            own[i] = is_upper ? got : own[i];
            own[k] = is_upper ? own[k] : got;
        }
}

/* Exchange bits l, l + 1 of the lane and bits q, q + 1 of the number. */
FN void NAME(exchange_axes)(ulane *own, uint32_t rank, uint32_t l, uint32_t q)
{
    NAME(exchange)(own, rank, l, q);
    NAME(exchange)(own, rank, l + 1, q + 1);
}

FN void NAME(transform)(ulane *own, uint32_t rank, bool is_exact)
{
    for (uint32_t axis = 0; axis < 2; axis++) {
        NAME(exchange_axes)(own, rank, 2 * axis, 0);
        NAME(transform_axis)(own, 1, is_exact);
        NAME(transform_axis)(own + 4, 1, is_exact);
    }
    NAME(exchange)(own, rank, 4, 1);
    for (uint32_t axis = 2; axis < 4; axis++) {
        if (axis == 3)
            NAME(exchange_axes)(own, rank, 0, 1);
        NAME(transform_axis)(own, 2, is_exact);
        NAME(transform_axis)(own + 1, 2, is_exact);
    }
}

FN void NAME(untransform)(ulane *own, uint32_t rank, bool is_exact)
{
    for (uint32_t axis = 4; axis-- > 2;) {
        NAME(untransform_axis)(own, 2, is_exact);
        NAME(untransform_axis)(own + 1, 2, is_exact);
        if (axis == 3)
            NAME(exchange_axes)(own, rank, 0, 1);
    }
    NAME(exchange)(own, rank, 4, 1);
    for (uint32_t axis = 2; axis-- > 0;) {
        NAME(untransform_axis)(own, 1, is_exact);
        NAME(untransform_axis)(own + 4, 1, is_exact);
        NAME(exchange_axes)(own, rank, 2 * axis, 0);
    }
}

/* ---- order ---- */

/* The warp's shared memory: the tile in block order; behind it its planes. */
FN ulane *NAME(stage_of_warp)(uint32_t rank)
{
    SIMT_SHARED_DYNAMIC(uint64_t, memory);
    return (ulane *)(void *)(memory + threadIdx.x / 32 * zti_zfp_warp_words(WIDTH, rank));
}

FN uint32_t *NAME(planes_of_warp)(uint32_t rank)
{
    return (uint32_t *)(void *)(NAME(stage_of_warp)(rank) + (1u << 2 * rank));
}

/* The place in block order where the transform leaves own value i. */
FN uint32_t NAME(block_place)(uint32_t i)
{
    const uint32_t me = threadIdx.x % 32, x = me >> 2 & 3, z = me & 3;
    return x + 4 * (2 * (me >> 4) + (i & 1)) + 16 * z + 64 * (i >> 1);
}

/* To coefficients 32 j + lane in negabinary. */
FN void NAME(to_rank_order)(const ulane *q, ulane *u, uint32_t rank)
{
    const uint32_t me = threadIdx.x % 32;
    ulane *const stage = NAME(stage_of_warp)(rank);
    for (uint32_t i = 0; i < OWN_VALUES(rank); i++) {
        stage[NAME(block_place)(i)] = q[i];
        u[i] = 0;
    }
    __syncwarp();
    for (uint32_t j = 0; 32 * j < 1u << 2 * rank; j++)
        u[j] = NAME(to_negabinary)(stage[zti_zfp_order[rank - 1][32 * j + me]]);
}

FN void NAME(from_rank_order)(const ulane *u, ulane *q, uint32_t rank)
{
    const uint32_t me = threadIdx.x % 32;
    ulane *const stage = NAME(stage_of_warp)(rank);
    for (uint32_t j = 0; 32 * j < 1u << 2 * rank; j++)
        stage[zti_zfp_order[rank - 1][32 * j + me]] = NAME(of_negabinary)(u[j]);
    __syncwarp();
    for (uint32_t i = 0; i < OWN_VALUES(rank); i++)
        q[i] = stage[NAME(block_place)(i)];
}

/* ---- planes, the highest first ---- */

FN ulane NAME(reverse_bits)(ulane v)
{
    return (ulane)(WIDTH == 64 ? __brevll(v) : __brev((uint32_t)v));
}

/* Coefficients to planes; the lane has planes 32 q + lane. top[q]: 1 + the number of the plane's
 * last coefficient with a bit, or 0. */
FN void NAME(split_planes)(const ulane *u, uint32_t *planes, uint32_t *top, uint32_t rank)
{
    for (uint32_t q = 0; q < PARTS; q++)
        top[q] = 0;
    for (uint32_t g = 0; g < (1u << 2 * rank) / WIDTH; g++) {
        ulane a[PARTS];
        for (uint32_t q = 0; q < PARTS; q++)
            a[q] = u[PARTS * g + q];
        NAME(turn_square)(a);
        for (uint32_t q = 0; q < PARTS; q++) {
            const ulane v = NAME(reverse_bits)(a[q]);
            for (uint32_t h = 0; h < PARTS; h++)
                planes[32 * q * PITCH(rank) + PARTS * g + h] = (uint32_t)(v >> 32 * h);
            top[q] = v ? WIDTH * g + zti_bit_length64(v) : top[q];
        }
    }
}

FN void NAME(join_planes)(const uint32_t *planes, ulane *u, uint32_t rank)
{
    for (uint32_t g = 0; g < (1u << 2 * rank) / WIDTH; g++) {
        ulane a[PARTS];
        for (uint32_t q = 0; q < PARTS; q++) {
            a[q] = 0;
            for (uint32_t h = 0; h < PARTS; h++)
                a[q] |= (ulane)planes[32 * q * PITCH(rank) + PARTS * g + h] << 32 * h;
            a[q] = NAME(reverse_bits)(a[q]);
        }
        NAME(turn_square)(a);
        for (uint32_t q = 0; q < PARTS; q++)
            u[PARTS * g + q] = a[q];
    }
}

/* Clear a slot for 'bits' bits and store the tile's header in it. */
FN void NAME(begin_slot)(const struct zti_bit_writer *w, uint32_t bits)
{
    uint32_t *const slot = (uint32_t *)(void *)w->slot;
    const uint32_t me = threadIdx.x % 32;
    for (uint32_t i = me; i < (bits + 63) / 64 * 2; i += 32)
        slot[2 + i] = 0;
    __syncwarp();
    if (me == 0) {
        slot[0] = bits;
        (void)atomicOr(slot + 2, (uint32_t)w->held);
    }
}

/* Store the first group test of a plane's tail and its last 1, which write_word leaves out; each
 * lane has a plane. */
FN void NAME(write_tail)(const struct content *s, uint32_t at, uint32_t n, uint32_t c, uint32_t top,
                         uint32_t bits)
{
    if (top <= c)
        return;
    or_bit(s, at + c);
    if (top < n)
        or_bit(s, at + bits - 2);
}

/* As in plain/coder.h. The writer holds a header of less than 32 bits, and counts the bits that are
 * written after it. */
FN void NAME(write_planes)(struct zti_bit_writer *w, const ulane *u, uint32_t rank,
                           uint32_t precision, uint32_t budget)
{
    const uint32_t n = 1u << 2 * rank, me = threadIdx.x % 32, start = w->held_bits;
    uint32_t *const planes = NAME(planes_of_warp)(rank), *const own = planes + me * PITCH(rank);
    uint32_t top[PARTS], c[PARTS], at[PARTS], bits[PARTS], known = 0, end = start;
    NAME(split_planes)(u, own, top, rank);
    for (uint32_t q = 0; q < PARTS; q++) {
        uint32_t *const plane = own + 32 * q * PITCH(rank);
        top[q] = 32 * q + me < precision ? top[q] : 0;
        c[q] = scan_most(top[q], &known);
        bits[q] =
            32 * q + me < precision ? plane_bits(n, c[q], top[q], ones_from(plane, n, c[q])) : 0;
        const uint32_t sum = part_sums(bits[q], 32);
        at[q] = end + sum - bits[q];
        end += __shfl_sync(SIMT_ALL_LANES, sum, 31);
        if (top[q] > c[q]) /* write_tail stores it */
            plane[(top[q] - 1) / 32] &= ~(1u << (top[q] - 1) % 32);
    }
    const uint32_t most = end - start < budget ? end : start + budget;
    const struct content s = {(uint32_t *)(void *)w->slot + 2, most};
    NAME(begin_slot)(w, most);
    for (uint32_t q = 0; q < PARTS; q++) {
        NAME(write_tail)(&s, at[q], n, c[q], top[q], bits[q]);
        const uint32_t some =
            __ballot_sync(SIMT_ALL_LANES, at[q] < most && (c[q] > 0 || top[q] > 0));
        for (uint32_t i = some ? (uint32_t)__ffs((int)some) - 1 : 32; i < 32 && some >> i; i += 4) {
            const uint32_t from = i + me / 8 < 32 ? i + me / 8 : 31;
            write_word(&s, __shfl_sync(SIMT_ALL_LANES, at[q], (int)from),
                       __shfl_sync(SIMT_ALL_LANES, c[q], (int)from), me % 8,
                       planes[(32 * q + from) * PITCH(rank) + me % 8]);
        }
    }
    w->words = most / 64;
    w->held_bits = most % 64;
    w->held = 0;
}

/* Clear a lane's plane, but for its last 1. */
FN void NAME(clear_plane)(uint32_t *plane, uint32_t rank, uint32_t c, uint32_t top)
{
    SIMT_UNROLL
    for (uint32_t j = 0; j < (1u << 2 * rank) / 32; j++)
        plane[j] = 0;
    if (top > c)
        plane[(top - 1) / 32] = 1u << (top - 1) % 32;
}

/* Read planes that a lane has noted (gpu/notes.h). */
FN uint32_t NAME(read_planes)(struct zti_bit_reader *in, ulane *u, uint32_t rank,
                              uint32_t precision, uint32_t budget)
{
    const uint32_t me = threadIdx.x % 32, *const notes = notes_of_lane(WIDTH, *noted_lane(WIDTH));
    const uint32_t all = notes[WIDTH], plane_mask = (1u << NOTE_PLANE_BITS) - 1;
    const uint32_t first = all & plane_mask, last = all >> NOTE_PLANE_BITS & plane_mask;
    uint32_t *const planes = NAME(planes_of_warp)(rank), *const own = planes + me * PITCH(rank);
    const struct bit_words b = bit_words_at(in);
    uint32_t where[PARTS], more[PARTS], before = 0; /* coefficients known */
    (void)precision;
    for (uint32_t q = 0; q < PARTS; q++) {
        const bool is_noted = 32 * q + me >= first && 32 * q + me < last;
        const uint32_t note = is_noted ? notes[32 * q + me] : 0;
        const uint32_t place = note & ((1u << NOTE_PLACE_BITS) - 1), top = note >> NOTE_PLACE_BITS;
        const uint32_t left = __shfl_up_sync(SIMT_ALL_LANES, top, 1), c = me > 0 ? left : before;
        const uint32_t room = budget - place; /* the budget may end within known coefficients */
        before = __shfl_sync(SIMT_ALL_LANES, top, 31);
        where[q] = place | (is_noted ? c < room ? c : room : 0) << NOTE_PLACE_BITS;
        more[q] = top > c ? top - c : 0;
        NAME(clear_plane)(own + 32 * q * PITCH(rank), rank, c, top);
    }
    __syncwarp();
    for (uint32_t q = 0; q < PARTS; q++)
        for (uint32_t i = first > 32 * q ? first - 32 * q : 0; i < 32 && 32 * q + i < last;
             i += 4) {
            const uint32_t from = i + me / 8 < 32 ? i + me / 8 : 31;
            const uint32_t at = __shfl_sync(SIMT_ALL_LANES, where[q], (int)from);
            read_words(&b, planes + (32 * q + from) * PITCH(rank),
                       at & ((1u << NOTE_PLACE_BITS) - 1), at >> NOTE_PLACE_BITS,
                       __shfl_sync(SIMT_ALL_LANES, more[q], (int)from), me % 8);
        }
    __syncwarp();
    NAME(join_planes)(own, u, rank);
    return all >> 2 * NOTE_PLANE_BITS;
}

/* ---- arrays ---- */

/* The place of own value i along an axis, 0 the fastest, before the transform. */
FN uint32_t NAME(axis_place)(uint32_t axis, uint32_t i)
{
    const uint32_t me = threadIdx.x % 32;
    return axis < 2 ? me >> 2 * axis & 3 : axis == 3 ? i & 3 : me >> 4 | i >> 2 << 1;
}

/* Whole tiles: the offset of the lane's first value, and from there to its value i. */
FN int64_t NAME(first_offset)(const struct zti_array *array)
{
    const uint32_t me = threadIdx.x % 32;
    return (int64_t)(me & 3) * array->stride[3] + (int64_t)(me >> 2 & 3) * array->stride[2] +
           (int64_t)(me >> 4) * array->stride[1];
}

FN int64_t NAME(own_offset)(const struct zti_array *array, uint32_t i)
{
    return (int64_t)(i & 3) * array->stride[0] + (int64_t)(i >> 2) * 2 * array->stride[1];
}

FN void NAME(gather)(const struct zti_array *array, const uint64_t *origin, ulane *own,
                     uint32_t rank)
{
    const ulane *p = (const ulane *)array->data;
    bool is_whole = true;
    int64_t start = 0;
    SIMT_UNROLL
    for (uint32_t axis = 0; axis < rank; axis++) {
        is_whole = is_whole && array->shape[axis] - origin[axis] >= 4;
        start += (int64_t)origin[axis] * array->stride[axis];
    }
    p += start;
    if (is_whole) {
        p += NAME(first_offset)(array);
        SIMT_UNROLL
        for (uint32_t i = 0; i < OWN_VALUES(rank); i++)
            own[i] = p[NAME(own_offset)(array, i)];
        return;
    }
    SIMT_UNROLL
    for (uint32_t i = 0; i < OWN_VALUES(rank); i++) {
        int64_t offset = 0;
        SIMT_UNROLL
        for (uint32_t a = 0; a < rank; a++) {
            const uint32_t axis = rank - 1 - a;
            const uint64_t rest = array->shape[axis] - origin[axis];
            const uint8_t from = zti_zfp_pad[rest < 4 ? rest : 4][NAME(axis_place)(a, i)];
            offset += (int64_t)from * array->stride[axis];
        }
        own[i] = p[offset];
    }
}

FN void NAME(scatter)(const struct zti_view *view, const uint64_t *origin, const ulane *own,
                      uint32_t rank)
{
    const struct zti_array *const out = &view->out;
    ulane *p = (ulane *)out->data;
    bool is_whole = true;
    int64_t start = 0;
    SIMT_UNROLL
    for (uint32_t axis = 0; axis < rank; axis++) {
        is_whole = is_whole && origin[axis] >= view->lo[axis] && origin[axis] + 4 <= view->hi[axis];
        start += (int64_t)(origin[axis] - view->lo[axis]) * out->stride[axis];
    }
    if (is_whole) {
        p += start + NAME(first_offset)(out);
        SIMT_UNROLL
        for (uint32_t i = 0; i < OWN_VALUES(rank); i++)
            p[NAME(own_offset)(out, i)] = own[i];
        return;
    }
    SIMT_UNROLL
    for (uint32_t i = 0; i < OWN_VALUES(rank); i++) {
        bool is_in = true;
        int64_t offset = start;
        SIMT_UNROLL
        for (uint32_t a = 0; a < rank; a++) {
            const uint32_t axis = rank - 1 - a, place = NAME(axis_place)(a, i);
            const uint64_t at = origin[axis] + place;
            is_in = is_in && at >= view->lo[axis] && at < view->hi[axis];
            offset += (int64_t)place * out->stride[axis];
        }
        if (is_in)
            p[offset] = own[i];
    }
}

#undef PARTS
#undef PITCH
