/* copy.c: copies values between arrays with different strides. Rows that are contiguous in both are
 * copied with memcpy. Others are copied in squares of 16 x 16 values, over the axis with the
 * shortest steps in the source and that in the destination, so that whole cache lines are used;
 * where both steps are one value, squares are transposed by shuffles of 16 bytes. */
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

static void write_axis(struct axes *a, uint32_t at, uint64_t n, int64_t from, int64_t to)
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
            write_axis(&a, at, a.n[at - 1], a.from[at - 1], a.to[at - 1]);
        write_axis(&a, at, n[i], from[i], to[i]);
    }
    for (uint32_t i = 0; i < a.rank; i++) {
        const uint32_t last = merged.rank - 1;
        const int64_t extent = (int64_t)a.n[i];
        if (i > 0 && merged.from[last] == a.from[i] * extent && merged.to[last] == a.to[i] * extent)
            write_axis(&merged, last, merged.n[last] * a.n[i], a.from[i], a.to[i]);
        else
            write_axis(&merged, merged.rank++, a.n[i], a.from[i], a.to[i]);
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
    write_axis(a, best, a->n[place], a->from[place], a->to[place]);
    write_axis(a, place, n, from, to);
}

/* The last two axes: rows are the last but one. Steps are in bytes. */
struct plane {
    uint64_t rows, n;
    int64_t from_row, from_step, to_row, to_step;
};

/* Copy rows [row, rows) and values [k, n) of a plane. */
ZTI_INLINE void copy_square(const struct plane *p, size_t value_bytes, uint64_t row, uint64_t rows,
                            uint64_t k, uint64_t n, const uint8_t *from, uint8_t *to)
{
    for (; row < rows; row++) {
        const uint8_t *in = from + (int64_t)row * p->from_row + (int64_t)k * p->from_step;
        uint8_t *out = to + (int64_t)row * p->to_row + (int64_t)k * p->to_step;
        for (uint64_t at = k; at < n; at++, in += p->from_step, out += p->to_step)
            memcpy(out, in, value_bytes);
    }
}

typedef uint32_t vec32 __attribute__((vector_size(16)));
typedef uint64_t vec64 __attribute__((vector_size(16)));

ZTI_INLINE vec32 load_32(const uint8_t *in)
{
    vec32 v;
    memcpy(&v, in, sizeof v);
    return v;
}

ZTI_INLINE void store_32(uint8_t *out, vec32 v)
{
    memcpy(out, &v, sizeof v);
}

/* Transpose 16 bytes by 16 bytes of values: lines are 'in_step' apart in the source and 'out_step'
 * in the destination. */
ZTI_INLINE void transpose_32(const uint8_t *in, int64_t in_step, uint8_t *out, int64_t out_step)
{
    const vec32 a = load_32(in), b = load_32(in + in_step);
    const vec32 c = load_32(in + 2 * in_step), d = load_32(in + 3 * in_step);
    const vec32 ac = __builtin_shufflevector(a, c, 0, 4, 1, 5);
    const vec32 bd = __builtin_shufflevector(b, d, 0, 4, 1, 5);
    const vec32 ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7);
    const vec32 bd_high = __builtin_shufflevector(b, d, 2, 6, 3, 7);
    store_32(out, __builtin_shufflevector(ac, bd, 0, 4, 1, 5));
    store_32(out + out_step, __builtin_shufflevector(ac, bd, 2, 6, 3, 7));
    store_32(out + 2 * out_step, __builtin_shufflevector(ac_high, bd_high, 0, 4, 1, 5));
    store_32(out + 3 * out_step, __builtin_shufflevector(ac_high, bd_high, 2, 6, 3, 7));
}

ZTI_INLINE void transpose_64(const uint8_t *in, int64_t in_step, uint8_t *out, int64_t out_step)
{
    vec64 a, b;
    memcpy(&a, in, sizeof a);
    memcpy(&b, in + in_step, sizeof b);
    const vec64 low = __builtin_shufflevector(a, b, 0, 2);
    const vec64 high = __builtin_shufflevector(a, b, 1, 3);
    memcpy(out, &low, sizeof low);
    memcpy(out + out_step, &high, sizeof high);
}

/* The same square where rows follow each other in the source, and values in the destination. */
ZTI_INLINE void transpose_square(const struct plane *p, size_t value_bytes, uint64_t row,
                                 uint64_t rows, uint64_t k, uint64_t n, const uint8_t *from,
                                 uint8_t *to)
{
    const uint64_t side = 16 / value_bytes;
    const uint64_t rows_end = rows - (rows - row) % side, n_end = n - (n - k) % side;
    for (uint64_t i = row; i < rows_end; i += side)
        for (uint64_t at = k; at < n_end; at += side) {
            const uint8_t *in = from + i * value_bytes + (int64_t)at * p->from_step;
            uint8_t *out = to + (int64_t)i * p->to_row + at * value_bytes;
            if (value_bytes == 4)
                transpose_32(in, p->from_step, out, p->to_row);
            else
                transpose_64(in, p->from_step, out, p->to_row);
        }
    copy_square(p, value_bytes, row, rows_end, n_end, n, from, to);
    copy_square(p, value_bytes, rows_end, rows, k, n, from, to);
}

/* Copy the last two axes in squares. */
ZTI_INLINE void copy_two_axes(const struct axes *a, size_t value_bytes, const uint8_t *from,
                              uint8_t *to)
{
    enum { SQUARE = 16 };
    const int64_t bytes = (int64_t)value_bytes;
    const uint32_t last = a->rank - 1;
    const struct plane p = {.rows = a->n[last - 1],
                            .n = a->n[last],
                            .from_row = a->from[last - 1] * bytes,
                            .from_step = a->from[last] * bytes,
                            .to_row = a->to[last - 1] * bytes,
                            .to_step = a->to[last] * bytes};
    const bool is_transposed = p.from_row == bytes && p.to_step == bytes;
    for (uint64_t k = 0; k < p.n; k += SQUARE)
        for (uint64_t i = 0; i < p.rows; i += SQUARE) {
            const uint64_t i_end = p.rows - i < SQUARE ? p.rows : i + SQUARE;
            const uint64_t k_end = p.n - k < SQUARE ? p.n : k + SQUARE;
            if (is_transposed)
                transpose_square(&p, value_bytes, i, i_end, k, k_end, from, to);
            else
                copy_square(&p, value_bytes, i, i_end, k, k_end, from, to);
        }
}

void zti_copy_values(size_t value_bytes, uint32_t rank, const uint64_t *n, const void *from,
                     const int64_t *from_stride, void *to, const int64_t *to_stride)
{
    enum { ROW_BYTES = 32 }; /* shorter rows are not worth a call of memcpy */
    struct axes a = axes_of(rank, n, from_stride, to_stride);
    const int64_t bytes = (int64_t)value_bytes;
    for (; a.rank < 2; a.rank++)
        write_axis(&a, a.rank, 1, 0, 0);
    if (a.n[1] == 1) { /* one row */
        write_axis(&a, 1, a.n[0], a.from[0], a.to[0]);
        write_axis(&a, 0, 1, 0, 0);
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
