/* plan.c: plans as views. A permutation is strides in another order. Joined axes are one stride
 * where memory allows it; otherwise decoded values are copied box by box. */
#include "plan/plan.h"

#include "array/copy.h"

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

void zti_plan_describe(const struct zti_plan *plan, const uint64_t *shape, zt_plan *described)
{
    if (zti_plan_is_none(plan))
        return;
    described->rank = plan->rank;
    described->coded_rank = zti_plan_shape(plan, shape, described->coded_shape);
    for (uint32_t k = 0; k < ZT_MAX_RANK; k++) { /* 0 beyond the rank */
        described->axis[k] = plan->axis[k];
        described->joined[k] = plan->is_joined[k];
    }
}

bool zti_plan_view(const struct zti_plan *plan, const struct zti_array *array,
                   struct zti_array *coded)
{
    struct zti_view whole = zti_view_whole(array), part;
    if (!zti_plan_part(plan, array->shape, &whole, &part))
        return false;
    *coded = part.out;
    return true;
}

void zti_plan_copy(const struct zti_plan *plan, const struct zti_array *array, uint8_t *to)
{
    uint64_t n[ZT_MAX_RANK];
    int64_t from[ZT_MAX_RANK], step[ZT_MAX_RANK], row = 1;
    for (uint32_t k = plan->rank; k-- > 0; row *= (int64_t)n[k]) {
        n[k] = array->shape[plan->axis[k]];
        from[k] = array->stride[plan->axis[k]];
        step[k] = row;
    }
    zti_copy_values(zt_type_bytes(array->type), plan->rank, n, array->data, from, to, step);
}

uint32_t zti_plan_place(const struct zti_plan *plan, const uint64_t *shape, const uint64_t *place,
                        uint64_t *coded)
{
    uint32_t rank = 0;
    memset(coded, 0, ZT_MAX_RANK * sizeof *coded);
    for (uint32_t from = 0, to; from < plan->rank; from = to, rank++) {
        to = zti_plan_axis_end(plan, from);
        for (uint32_t k = from; k < to; k++)
            coded[rank] = coded[rank] * shape[plan->axis[k]] + place[plan->axis[k]];
    }
    return rank;
}

/* The smallest box of the coded array that holds the box of a view. */
static void cover_view(const struct zti_plan *plan, const uint64_t *shape,
                       const struct zti_view *view, zt_box *cover)
{
    uint64_t last[ZT_MAX_RANK] = {0};
    for (uint32_t i = 0; i < plan->rank; i++)
        last[i] = view->hi[i] - 1;
    (void)zti_plan_place(plan, shape, view->lo, cover->lo);
    const uint32_t rank = zti_plan_place(plan, shape, last, cover->hi);
    for (uint32_t i = 0; i < rank; i++)
        cover->hi[i]++;
}

/* Join axes [from, to) of plan->axis: the extent and the stride of a view along the coded axis that
 * they make. False if the view is more than one range of it, or has more than one stride. */
static bool join_axes(const struct zti_plan *plan, const uint64_t *shape,
                      const struct zti_view *view, uint32_t from, uint32_t to, uint64_t *extent,
                      int64_t *stride)
{
    bool is_full = true; /* the view has the faster axes from end to end */
    *extent = 1;
    *stride = 1;
    for (uint32_t k = to; k-- > from;) {
        const uint32_t axis = plan->axis[k];
        const uint64_t n = view->hi[axis] - view->lo[axis];
        if (n > 1 && *extent > 1 &&
            (!is_full || view->out.stride[axis] != *stride * (int64_t)*extent))
            return false;
        if (n > 1 && *extent == 1 && !is_full) /* values with gaps between them are no range */
            return false;
        if (n > 1 && *extent == 1)
            *stride = view->out.stride[axis];
        *extent *= n;
        is_full = is_full && n == shape[axis];
    }
    return true;
}

bool zti_plan_part(const struct zti_plan *plan, const uint64_t *shape, const struct zti_view *view,
                   struct zti_view *coded)
{
    zt_box cover;
    uint32_t rank = 0;
    cover_view(plan, shape, view, &cover);
    *coded = (struct zti_view){.out = view->out};
    memset(coded->out.shape, 0, sizeof coded->out.shape);
    memset(coded->out.stride, 0, sizeof coded->out.stride);
    for (uint32_t from = 0, to; from < plan->rank; from = to, rank++) {
        to = zti_plan_axis_end(plan, from);
        if (!join_axes(plan, shape, view, from, to, &coded->out.shape[rank],
                       &coded->out.stride[rank]))
            return false;
        coded->lo[rank] = cover.lo[rank];
        coded->hi[rank] = cover.hi[rank];
    }
    coded->out.rank = rank;
    return true;
}

/* A box of the coded array while it is cut into boxes of the array, which are copied into a view.
 */
struct uncovering {
    const struct zti_plan *plan;
    const uint64_t *shape;
    const zt_box *coded;
    const uint8_t *from;
    const struct zti_view *view;
    int64_t base;                /* values: where element 0 of the coded array would be in 'from' */
    int64_t stride[ZT_MAX_RANK]; /* there, of the array's axes */
    zt_box box;                  /* of the array */
};

/* Copy what the view has of a box of the array. */
static void uncover_box(const struct uncovering *u)
{
    const struct zti_view *const view = u->view;
    const int64_t value_bytes = (int64_t)zt_type_bytes(view->out.type);
    uint64_t n[ZT_MAX_RANK] = {0}, at[ZT_MAX_RANK] = {0};
    int64_t from = u->base;
    for (uint32_t i = 0; i < u->plan->rank; i++) {
        const uint64_t lo = u->box.lo[i] > view->lo[i] ? u->box.lo[i] : view->lo[i];
        const uint64_t hi = u->box.hi[i] < view->hi[i] ? u->box.hi[i] : view->hi[i];
        if (lo >= hi)
            return;
        n[i] = hi - lo;
        at[i] = lo - view->lo[i];
        from += (int64_t)lo * u->stride[i];
    }
    zti_copy_values((size_t)value_bytes, u->plan->rank, n, u->from + from * value_bytes, u->stride,
                    zti_array_at(&view->out, at), view->out.stride);
}

/* The coded axis that begins at plan->axis[from], and those after it: its range is cut into the
 * largest boxes of whole rows of its faster axes. */
static void uncover_axis(struct uncovering *u, uint32_t from, uint32_t coded_axis)
{
    const struct zti_plan *plan = u->plan;
    if (from == plan->rank) {
        uncover_box(u);
        return;
    }
    const uint32_t to = zti_plan_axis_end(plan, from);
    const uint64_t last = u->coded->hi[coded_axis];
    for (uint64_t at = u->coded->lo[coded_axis]; at < last;) {
        uint64_t step = 1, rest = at, n;
        uint32_t along = to - 1; /* the box is whole along faster axes, one thick along slower */
        while (along > from && at % (step * u->shape[plan->axis[along]]) == 0 &&
               last - at >= step * u->shape[plan->axis[along]])
            step *= u->shape[plan->axis[along--]];
        for (uint32_t k = to; k-- > from; rest /= u->shape[plan->axis[k]]) {
            u->box.lo[plan->axis[k]] = k > along ? 0 : rest % u->shape[plan->axis[k]];
            u->box.hi[plan->axis[k]] =
                k > along ? u->shape[plan->axis[k]] : u->box.lo[plan->axis[k]] + 1;
        }
        const uint64_t room = u->shape[plan->axis[along]] - u->box.lo[plan->axis[along]];
        n = (last - at) / step < room ? (last - at) / step : room;
        u->box.hi[plan->axis[along]] = u->box.lo[plan->axis[along]] + n;
        at += n * step;
        uncover_axis(u, to, coded_axis + 1);
    }
}

void zti_plan_uncover(const struct zti_plan *plan, const uint64_t *shape, const zt_box *box,
                      const uint8_t *from, const struct zti_view *view)
{
    struct uncovering u = {.plan = plan, .shape = shape, .coded = box, .from = from, .view = view};
    uint64_t coded[ZT_MAX_RANK];
    uint32_t rank = zti_plan_shape(plan, shape, coded) - 1;
    int64_t row = 1, step = 1; /* values of the box: of a coded axis; indices within it */
    for (uint32_t k = plan->rank; k-- > 0;) {
        u.stride[plan->axis[k]] = row * step;
        step *= (int64_t)shape[plan->axis[k]];
        if (plan->is_joined[k])
            continue;
        u.base -= (int64_t)box->lo[rank] * row;
        row *= (int64_t)(box->hi[rank] - box->lo[rank]);
        step = 1;
        rank--;
    }
    uncover_axis(&u, 0, 0);
}

/* The spans of the coded axis that axes [from, to) of plan->axis make. Spans with less than a tile
 * between them are joined. */
static struct zti_spans find_spans(const struct zti_plan *plan, const uint64_t *shape,
                                   const struct zti_view *view, uint32_t from, uint32_t to,
                                   uint32_t side)
{
    struct zti_spans s = {.first = 0, .last = 1};
    uint64_t step = 1;
    for (uint32_t k = to; k-- > from; step *= shape[plan->axis[k]]) {
        const uint64_t lo = view->lo[plan->axis[k]], hi = view->hi[plan->axis[k]];
        if (s.digits == 0 && (hi - lo == 1 || step - (s.last - s.first) < side)) {
            s.first += lo * step;
            s.last += (hi - 1) * step;
            continue;
        }
        for (uint32_t i = s.digits++; i > 0; i--) {
            s.step[i] = s.step[i - 1];
            s.lo[i] = s.lo[i - 1];
            s.hi[i] = s.hi[i - 1];
        }
        s.step[0] = step;
        s.lo[0] = lo;
        s.hi[0] = hi;
    }
    return s;
}

static void write_box(const struct zti_scatter *scatter, const zt_box *box, const uint8_t *values)
{
    const struct zti_plan_scatter *const s = (const void *)scatter;
    zti_plan_uncover(s->plan, s->shape, box, values, s->view);
}

void zti_plan_scatter(const struct zti_plan *plan, const uint64_t *shape, const uint32_t *side,
                      const struct zti_view *view, struct zti_plan_scatter *s)
{
    zt_box cover;
    uint64_t extent[ZT_MAX_RANK] = {0};
    uint32_t rank = 0;
    cover_view(plan, shape, view, &cover);
    *s = (struct zti_plan_scatter){
        .scatter = {.put = write_box}, .plan = plan, .shape = shape, .view = view};
    for (uint32_t from = 0, to; from < plan->rank; from = to, rank++) {
        to = zti_plan_axis_end(plan, from);
        s->scatter.spans[rank] = find_spans(plan, shape, view, from, to, side[rank]);
        extent[rank] = cover.hi[rank] - cover.lo[rank];
    }
    s->scatter.cover.out = zti_array_packed(NULL, view->out.type, rank, extent);
    memcpy(s->scatter.cover.lo, cover.lo, sizeof cover.lo);
    memcpy(s->scatter.cover.hi, cover.hi, sizeof cover.hi);
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
