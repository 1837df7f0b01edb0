/* copy.c: copies values between arrays with different strides. Rows that are contiguous in both are
 * copied with memcpy. Others are copied in squares of 16 x 16 values, over the axis with the
 * shortest steps in the source and that in the destination, so that whole cache lines are used. */
#include "array/copy.h"
#include "array/array.h"

/* The axes of more than one element, sorted by descending steps in 'to'; neighbouring axes that act
 * as one in both arrays are merged. */
struct axes {
    uint32_t rank;
    uint64_t n[ZT_MAX_RANK];
    int64_t from[ZT_MAX_RANK], to[ZT_MAX_RANK];
};

static uint64_t length_of(int64_t stride)
{
    return stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
}

static void put_axis(struct axes *a, uint32_t at, uint64_t n, int64_t from, int64_t to)
{
    a->n[at] = n;
    a->from[at] = from;
    a->to[at] = to;
}

static struct axes axes_of(uint32_t rank, const uint64_t *n, const int64_t *from, const int64_t *to)
{
    struct axes a = {.rank = 0}, merged = {.rank = 0};
    for (uint32_t i = 0; i < rank; i++) {
        if (n[i] == 1)
            continue;
        uint32_t at = a.rank++;
        for (; at > 0 && length_of(a.to[at - 1]) < length_of(to[i]); at--)
            put_axis(&a, at, a.n[at - 1], a.from[at - 1], a.to[at - 1]);
        put_axis(&a, at, n[i], from[i], to[i]);
    }
    for (uint32_t i = 0; i < a.rank; i++) {
        const uint32_t last = merged.rank - 1;
        const int64_t extent = (int64_t)a.n[i];
        if (i > 0 && merged.from[last] == a.from[i] * extent && merged.to[last] == a.to[i] * extent)
            put_axis(&merged, last, merged.n[last] * a.n[i], a.from[i], a.to[i]);
        else
            put_axis(&merged, merged.rank++, a.n[i], a.from[i], a.to[i]);
    }
    return merged;
}

/* Make the axis with the shortest steps in 'from' the last but one. */
static void choose_square_axes(struct axes *a)
{
    const uint32_t place = a->rank - 2;
    uint32_t best = place;
    for (uint32_t i = 0; i < place; i++)
        if (length_of(a->from[i]) < length_of(a->from[best]))
            best = i;
    const uint64_t n = a->n[best];
    const int64_t from = a->from[best], to = a->to[best];
    put_axis(a, best, a->n[place], a->from[place], a->to[place]);
    put_axis(a, place, n, from, to);
}

/* Copy the last two axes in squares. */
ZTI_INLINE void copy_two_axes(const struct axes *a, size_t value_bytes, const uint8_t *from,
                              uint8_t *to)
{
    enum { SQUARE = 16 };
    const int64_t bytes = (int64_t)value_bytes;
    const uint64_t rows = a->n[a->rank - 2], n = a->n[a->rank - 1];
    const int64_t from_row = a->from[a->rank - 2] * bytes, from_step = a->from[a->rank - 1] * bytes;
    const int64_t to_row = a->to[a->rank - 2] * bytes, to_step = a->to[a->rank - 1] * bytes;
    for (uint64_t k = 0; k < n; k += SQUARE)
        for (uint64_t i = 0; i < rows; i += SQUARE) {
            const uint64_t i_end = rows - i < SQUARE ? rows : i + SQUARE;
            const uint64_t k_end = n - k < SQUARE ? n : k + SQUARE;
            for (uint64_t row = i; row < i_end; row++) {
                const uint8_t *in = from + (int64_t)row * from_row + (int64_t)k * from_step;
                uint8_t *out = to + (int64_t)row * to_row + (int64_t)k * to_step;
                for (uint64_t at = k; at < k_end; at++, in += from_step, out += to_step)
                    memcpy(out, in, value_bytes);
            }
        }
}

void zti_copy_values(size_t value_bytes, uint32_t rank, const uint64_t *n, const void *from,
                     const int64_t *from_stride, void *to, const int64_t *to_stride)
{
    enum { ROW_BYTES = 32 }; /* shorter rows are not worth a call of memcpy */
    struct axes a = axes_of(rank, n, from_stride, to_stride);
    const int64_t bytes = (int64_t)value_bytes;
    for (; a.rank < 2; a.rank++)
        put_axis(&a, a.rank, 1, 0, 0);
    if (a.n[1] == 1) { /* one row */
        put_axis(&a, 1, a.n[0], a.from[0], a.to[0]);
        put_axis(&a, 0, 1, 0, 0);
    }
    const uint64_t row_bytes = a.n[a.rank - 1] * value_bytes;
    const bool is_row = a.from[a.rank - 1] == 1 && a.to[a.rank - 1] == 1 && row_bytes >= ROW_BYTES;
    if (!is_row)
        choose_square_axes(&a);
    const uint32_t outer = a.rank - (is_row ? 1 : 2);
    uint64_t at[ZT_MAX_RANK] = {0};
    uint32_t i;
    do {
        const uint8_t *in = from;
        uint8_t *out = to;
        for (i = 0; i < outer; i++) {
            in += (int64_t)at[i] * a.from[i] * bytes;
            out += (int64_t)at[i] * a.to[i] * bytes;
        }
        if (is_row)
            memcpy(out, in, (size_t)row_bytes);
        else if (value_bytes == 4)
            copy_two_axes(&a, 4, in, out);
        else
            copy_two_axes(&a, 8, in, out);
        for (i = outer; i-- > 0;) {
            if (++at[i] < a.n[i])
                break;
            at[i] = 0;
        }
    } while (i < outer);
}

void zti_array_copy(const struct zti_array *from, uint8_t *to)
{
    const struct zti_array packed = zti_array_packed(to, from->type, from->rank, from->shape);
    zti_copy_values(zt_type_bytes(from->type), from->rank, from->shape, from->data, from->stride,
                    to, packed.stride);
}

void zti_array_paste(const uint8_t *from, const struct zti_array *to)
{
    const struct zti_array packed = zti_array_packed(NULL, to->type, to->rank, to->shape);
    zti_copy_values(zt_type_bytes(to->type), to->rank, to->shape, from, packed.stride, to->data,
                    to->stride);
}
