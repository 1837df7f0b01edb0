/* plan.c: plans as views: a permutation is strides in another order; axes are joined where the
 * strides of memory allow it, and otherwise parts of an array are looked at one after the
 * other. */
#include "plan/plan.h"

struct zti_plan zti_plan_none(uint32_t rank)
{
    struct zti_plan plan = {.rank = (uint8_t)rank};
    for (uint32_t k = 0; k < rank; k++)
        plan.axis[k] = (uint8_t)k;
    return plan;
}

bool zti_plan_is_none(const struct zti_plan *plan)
{
    for (uint32_t k = 0; k < plan->rank; k++)
        if (plan->axis[k] != k || plan->is_joined[k])
            return false;
    return true;
}

/* The axes [from, to) of plan->axis that make one coded axis, beginning at 'from'. */
static uint32_t end_of_axis(const struct zti_plan *plan, uint32_t from)
{
    uint32_t to = from + 1;
    while (to < plan->rank && plan->is_joined[to])
        to++;
    return to;
}

uint32_t zti_plan_shape(const struct zti_plan *plan, const uint64_t *shape, uint64_t *coded)
{
    uint32_t rank = 0;
    memset(coded, 0, ZT_MAX_RANK * sizeof *coded);
    for (uint32_t k = 0; k < plan->rank; k++) {
        if (plan->is_joined[k])
            coded[rank - 1] *= shape[plan->axis[k]];
        else
            coded[rank++] = shape[plan->axis[k]];
    }
    return rank;
}

bool zti_plan_view(const struct zti_plan *plan, const zt_array *array, zt_array *coded)
{
    struct zti_view whole = zti_view_whole(array), part;
    uint32_t axis;
    if (!zti_plan_part(plan, array->shape, &whole, &part, &axis))
        return false;
    *coded = part.out;
    return true;
}

/* Copy a plane: elements along axis 'from', which lie together in the array, become rows 'row'
 * elements apart; those along the other axis, 'step' elements apart, lie together in 'to'. In
 * squares that fit in the cache line by line. */
static void copy_plane(const uint8_t *from, uint64_t n, uint64_t rows, int64_t step, uint64_t row,
                       size_t value_bytes, uint8_t *to)
{
    enum { SQUARE = 16 };
    for (uint64_t i = 0; i < n; i += SQUARE)
        for (uint64_t k = 0; k < rows; k += SQUARE) {
            const uint64_t i_end = n - i < SQUARE ? n : i + SQUARE;
            const uint64_t k_end = rows - k < SQUARE ? rows : k + SQUARE;
            for (uint64_t a = i; a < i_end; a++) {
                const uint8_t *in = from + ((int64_t)a + (int64_t)k * step) * (int64_t)value_bytes;
                uint8_t *out = to + (a * row + k) * value_bytes;
                for (uint64_t b = k; b < k_end && value_bytes == 4; b++, out += 4, in += 4 * step)
                    memcpy(out, in, 4);
                for (uint64_t b = k; b < k_end && value_bytes == 8; b++, out += 8, in += 8 * step)
                    memcpy(out, in, 8);
            }
        }
}

/* The elements in the coded order of axes. Where an axis whose elements lie together is not the
 * last of that order, planes of that axis and the last one are copied, one after the other. */
void zti_plan_copy(const struct zti_plan *plan, const zt_array *array, uint8_t *to)
{
    const size_t value_bytes = zt_type_bytes(array->type);
    const uint32_t last = plan->rank - 1;
    uint64_t row[ZT_MAX_RANK], at[ZT_MAX_RANK] = {0}, n = 1;
    zt_array turned = *array; /* its axes in the coded order, none joined */
    uint32_t along = last, i;
    for (uint32_t k = plan->rank; k-- > 0;) {
        turned.shape[k] = array->shape[plan->axis[k]];
        turned.stride[k] = array->stride[plan->axis[k]];
        row[k] = n;
        n *= turned.shape[k];
        along = turned.stride[k] == 1 && turned.shape[k] > 1 ? k : along;
    }
    if (along == last) {
        zti_array_copy(&turned, to);
        return;
    }
    do {
        uint64_t offset = 0;
        for (uint32_t k = 0; k < last; k++)
            offset += at[k] * row[k];
        copy_plane(zti_array_at(&turned, at), turned.shape[along], turned.shape[last],
                   turned.stride[last], row[along], value_bytes, to + offset * value_bytes);
        for (i = last; i-- > 0;) {
            if (i == along)
                continue;
            if (++at[i] < turned.shape[i])
                break;
            at[i] = 0;
        }
    } while (i < last);
}

void zti_plan_cover(const struct zti_plan *plan, const uint64_t *shape, const zt_box *box,
                    zt_box *cover)
{
    uint32_t rank = 0;
    memset(cover, 0, sizeof *cover);
    for (uint32_t from = 0, to; from < plan->rank; from = to, rank++) {
        to = end_of_axis(plan, from);
        uint64_t first = 0, last = 0;
        for (uint32_t k = from; k < to; k++) {
            const uint32_t axis = plan->axis[k];
            first = first * shape[axis] + box->lo[axis];
            last = last * shape[axis] + box->hi[axis] - 1;
        }
        cover->lo[rank] = first;
        cover->hi[rank] = last + 1;
    }
}

/* Axes [from, to) of plan->axis as one range of the coded axis that they make. False, with the
 * axis to cut along, where it is none, or where memory has no one stride for it. */
static bool join(const struct zti_plan *plan, const uint64_t *shape, const struct zti_view *view,
                 uint32_t from, uint32_t to, uint64_t *extent, int64_t *stride, uint32_t *cut)
{
    bool is_full = true; /* all faster axes are in the view from end to end */
    *extent = 1;
    *stride = 1;
    for (uint32_t k = to; k-- > from;) {
        const uint32_t axis = plan->axis[k];
        const uint64_t n = view->hi[axis] - view->lo[axis];
        if (n > 1 && *extent > 1 &&
            (!is_full || view->out.stride[axis] != *stride * (int64_t)*extent)) {
            *cut = axis;
            return false;
        }
        if (n > 1 && *extent == 1 && !is_full) { /* one of each step of something longer */
            *cut = axis;
            return false;
        }
        if (n > 1 && *extent == 1)
            *stride = view->out.stride[axis];
        *extent *= n;
        is_full = is_full && n == shape[axis];
    }
    return true;
}

bool zti_plan_part(const struct zti_plan *plan, const uint64_t *shape,
                   const struct zti_view *view, struct zti_view *coded, uint32_t *axis)
{
    zt_box box, cover;
    uint32_t rank = 0;
    memcpy(box.lo, view->lo, sizeof box.lo);
    memcpy(box.hi, view->hi, sizeof box.hi);
    zti_plan_cover(plan, shape, &box, &cover);
    memset(coded, 0, sizeof *coded);
    coded->out.data = view->out.data;
    coded->out.type = view->out.type;
    for (uint32_t from = 0, to; from < plan->rank; from = to, rank++) {
        to = end_of_axis(plan, from);
        if (!join(plan, shape, view, from, to, &coded->out.shape[rank], &coded->out.stride[rank],
                  axis))
            return false;
        coded->lo[rank] = cover.lo[rank];
        coded->hi[rank] = cover.hi[rank];
    }
    coded->out.rank = rank;
    return true;
}

void zti_plan_uncover(const struct zti_plan *plan, const uint64_t *shape, const zt_box *cover,
                      const uint8_t *from, const struct zti_view *view)
{
    const size_t value_bytes = zt_type_bytes(view->out.type);
    const zt_array *out = &view->out;
    uint64_t place[ZT_MAX_RANK] = {0}; /* in the view */
    uint32_t i;
    do {
        uint64_t at = 0;
        uint32_t rank = 0;
        for (uint32_t first = 0, last; first < plan->rank; first = last, rank++) {
            uint64_t x = 0;
            last = end_of_axis(plan, first);
            for (uint32_t k = first; k < last; k++) {
                const uint32_t axis = plan->axis[k];
                x = x * shape[axis] + view->lo[axis] + place[axis];
            }
            at = at * (cover->hi[rank] - cover->lo[rank]) + x - cover->lo[rank];
        }
        memcpy(zti_array_at(out, place), from + at * value_bytes, value_bytes);
        for (i = out->rank; i-- > 0;) {
            if (++place[i] < out->shape[i])
                break;
            place[i] = 0;
        }
    } while (i < out->rank);
}

/* A box of the coded array on its way to boxes of the array. */
struct boxes {
    const struct zti_plan *plan;
    const uint64_t *shape;
    const zt_box *coded;
    zt_status (*call)(void *user, const zt_box *box);
    void *user;
    zt_box box;
};

/* The coded axis that begins at plan->axis[from], and those after it: its range is cut into the
 * largest boxes of whole rows of its faster axes. */
static zt_status cut_axis(struct boxes *b, uint32_t from, uint32_t coded_axis)
{
    const struct zti_plan *plan = b->plan;
    if (from == plan->rank)
        return b->call(b->user, &b->box);
    const uint32_t to = end_of_axis(plan, from);
    const uint64_t last = b->coded->hi[coded_axis];
    zt_status status = ZT_OK;
    for (uint64_t at = b->coded->lo[coded_axis]; !status && at < last;) {
        uint64_t step = 1, rest = at, n;
        uint32_t along = to - 1; /* the box is whole along faster axes, one thick along slower */
        while (along > from && at % (step * b->shape[plan->axis[along]]) == 0 &&
               last - at >= step * b->shape[plan->axis[along]])
            step *= b->shape[plan->axis[along--]];
        for (uint32_t k = to; k-- > from; rest /= b->shape[plan->axis[k]]) {
            b->box.lo[plan->axis[k]] = k > along ? 0 : rest % b->shape[plan->axis[k]];
            b->box.hi[plan->axis[k]] =
                k > along ? b->shape[plan->axis[k]] : b->box.lo[plan->axis[k]] + 1;
        }
        const uint64_t room = b->shape[plan->axis[along]] - b->box.lo[plan->axis[along]];
        n = (last - at) / step < room ? (last - at) / step : room;
        b->box.hi[plan->axis[along]] = b->box.lo[plan->axis[along]] + n;
        at += n * step;
        status = cut_axis(b, to, coded_axis + 1);
    }
    return status;
}

zt_status zti_plan_boxes(const struct zti_plan *plan, const uint64_t *shape, const zt_box *coded,
                         zt_status (*call)(void *user, const zt_box *box), void *user)
{
    struct boxes b = {.plan = plan, .shape = shape, .coded = coded, .call = call, .user = user};
    return cut_axis(&b, 0, 0);
}

void zti_plan_store(const struct zti_plan *plan, uint8_t *out)
{
    uint32_t axes = 0, joined = 0;
    for (uint32_t k = 0; k < plan->rank; k++) {
        axes |= (uint32_t)plan->axis[k] << 2 * k;
        joined |= (uint32_t)plan->is_joined[k] << k;
    }
    out[0] = ZTI_PLAN_VERSION;
    out[1] = (uint8_t)axes;
    out[2] = (uint8_t)joined;
}

zt_status zti_plan_load(uint32_t rank, const uint8_t *in, uint64_t in_bytes, struct zti_plan *plan)
{
    if (in_bytes > 0 && in[0] != ZTI_PLAN_VERSION)
        return ZT_UNSUPPORTED;
    if (in_bytes != ZTI_PLAN_BYTES || in[2] >> rank || in[2] & 1 || in[1] >> 2 * rank)
        return ZT_CORRUPT;
    uint32_t seen = 0;
    *plan = (struct zti_plan){.rank = (uint8_t)rank};
    for (uint32_t k = 0; k < rank; k++) {
        plan->axis[k] = in[1] >> 2 * k & 3;
        plan->is_joined[k] = in[2] >> k & 1;
        seen |= 1u << plan->axis[k];
    }
    return seen == (1u << rank) - 1 && !zti_plan_is_none(plan) ? ZT_OK : ZT_CORRUPT;
}
