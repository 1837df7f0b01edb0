/* thread_coder.h: kernel text: coefficients of a tile to bit planes and back, and a tile to and
 * from the array, for one width and a thread for each tile (gpu/thread.h). On the CPU:
 * plain/coder.h.
 *
 * The includer defines what tile/arithmetic.h says. 'rank' is 1 to 3, and a constant.
 *
 * Planes 32 h to 32 h + 31 come from words h of the coefficients. They are in shared memory only
 * while they are coded: of 64-bit values first the higher half of the planes, then the lower. */

#include "codec/zfp/tile/transform.h"

/* The same value, but opaque to the compiler, so that it keeps no result made from it in a register
 * for a later use. */
FN ulane NAME(opaque)(ulane v)
{
#if WIDTH == 64
    __asm__ volatile("" : IN_REGISTER_64(v));
#else
    __asm__ volatile("" : "+r"(v));
#endif
    return v;
}

/* Set values to 0; opaque, so that no register holds a zero earlier. */
FN void NAME(clear_values)(ulane *u, uint32_t n)
{
    SIMT_UNROLL
    for (uint32_t i = 0; i < n; i++)
        u[i] = NAME(opaque)(0);
}

/* Words 'half' of the coefficients to 32 planes. If there are n < 32 coefficients, word k % n has
 * plane k at bit k - k % n. */
FN void NAME(split_planes)(const ulane *u, uint32_t *planes, uint32_t rank, uint32_t half)
{
    const uint32_t n = 1u << 2 * rank, rows = n < 32 ? n : 32;
    SIMT_UNROLL
    for (uint32_t part = 0; part < n / rows; part++) {
        uint32_t a[32];
        SIMT_UNROLL
        for (uint32_t i = 0; i < rows; i++)
            a[i] = (uint32_t)(u[rows * part + i] >> 32 * half);
        transpose_words(a, rows);
        SIMT_UNROLL
        for (uint32_t i = 0; i < rows; i++)
            planes[32 * (n / rows * i + part)] = a[i];
    }
}

/* The same for 64 coefficients, to words of 64 bits, the highest plane first. */
FN void NAME(split_cube)(const ulane *u, uint64_t *planes, uint32_t half)
{
    uint32_t low[32], high[32];
    SIMT_UNROLL
    for (uint32_t i = 0; i < 32; i++) {
        low[i] = (uint32_t)(u[i] >> 32 * half);
        high[i] = (uint32_t)(u[32 + i] >> 32 * half);
    }
    transpose_words(low, 32);
    transpose_words(high, 32);
    SIMT_UNROLL
    for (uint32_t i = 0; i < 32; i++)
        planes[31 - i] = low[i] | (uint64_t)high[i] << 32;
}

FN void NAME(join_planes)(const uint32_t *planes, ulane *u, uint32_t rank, uint32_t half)
{
    const uint32_t n = 1u << 2 * rank, rows = n < 32 ? n : 32;
    SIMT_UNROLL
    for (uint32_t part = 0; part < n / rows; part++) {
        uint32_t a[32];
        SIMT_UNROLL
        for (uint32_t i = 0; i < rows; i++)
            a[i] = planes[32 * (n / rows * i + part)];
        transpose_words(a, rows);
        SIMT_UNROLL
        for (uint32_t i = 0; i < rows; i++)
            u[rows * part + i] =
                half + 1 < WIDTH / 32 ? u[rows * part + i] | a[i] : (ulane)a[i] << 32 * half;
    }
}

FN void NAME(join_cube)(const uint64_t *planes, ulane *u, uint32_t half)
{
    uint32_t low[32], high[32];
    SIMT_UNROLL
    for (uint32_t i = 0; i < 32; i++) {
        const uint64_t plane = planes[32 * i];
        low[i] = (uint32_t)plane;
        high[i] = (uint32_t)(plane >> 32);
    }
    transpose_words(low, 32);
    transpose_words(high, 32);
    SIMT_UNROLL
    for (uint32_t i = 0; i < 32; i++) {
        const bool is_first = half + 1 == WIDTH / 32;
        u[i] = (is_first ? 0 : u[i]) | (ulane)low[i] << 32 * half;
        u[32 + i] = (is_first ? 0 : u[32 + i]) | (ulane)high[i] << 32 * half;
    }
}

/* Append the 'precision' <= WIDTH highest planes of coefficients in negabinary, at most budget
 * bits. */
FN void NAME(write_planes)(struct zti_bit_writer *w, const ulane *u, uint32_t rank,
                           uint32_t precision, uint32_t budget)
{
    const uint32_t n = 1u << 2 * rank, kmin = WIDTH - precision;
    uint32_t *const planes = planes_of_thread(rank);
    uint64_t *const cube = cube_in_slot(w);
    struct string s = begin_string(w);
    const uint32_t most = budget < 1u << 20 ? string_bits(&s) + budget : 1u << 20;
    ulane any = 0;
    SIMT_UNROLL
    for (uint32_t i = 0; i < n; i++)
        any |= u[i];
    uint32_t k = zti_bit_length64(any), c = 0; /* planes k and above are zero: one bit each */
    k = k < kmin ? kmin : k;
    append_zero_bits(&s, WIDTH - k);
    SIMT_UNROLL
    for (uint32_t half = WIDTH / 32; half-- > 0;) {
        const uint32_t last = kmin > 32 * half ? kmin : 32 * half;
        if (k <= last || string_bits(&s) >= most)
            continue;
        if (rank == 3)
            NAME(split_cube)(u, cube, half);
        else
            NAME(split_planes)(u, planes, rank, half);
        while (k > last && string_bits(&s) < most) {
            k--;
            const uint32_t i = k % 32;
            const uint32_t v = rank < 3 ? low_bits(planes[32 * (i % n)] >> (i - i % n), n) : 0;
            c = rank == 3   ? encode_cube_plane(&s, cube[31 - i], c)
                : rank == 2 ? write_small_plane(&s, v, n, c)
                            : write_line_plane(&s, v, c);
        }
    }
    end_string(&s, w, most);
}

/* Read planes written by write_planes with the same precision and budget. Returns the number of
 * leading coefficients that may not be 0. Planes of a 4-D tile are noted, not read. */
FN uint32_t NAME(read_planes)(struct zti_bit_reader *r, ulane *u, uint32_t rank, uint32_t precision,
                              uint32_t budget)
{
    const uint32_t n = 1u << 2 * rank, kmin = WIDTH - precision;
    if (rank == 4)
        return note_planes(r, WIDTH, n, precision, budget);
    uint32_t *const planes = planes_of_thread(rank);
    uint64_t *const cube = cube_of_thread();
    struct source s = begin_source(r);
    const uint32_t start = s.at, end = start + (budget < 1u << 20 ? budget : 1u << 20);
    uint32_t k = WIDTH, c = 0;
    k -= read_empty_planes(&s, k - kmin < end - start ? k - kmin : end - start);
    SIMT_UNROLL
    for (uint32_t half = WIDTH / 32; half-- > 0;) {
        const uint32_t last = kmin > 32 * half ? kmin : 32 * half;
        if (k <= last || s.at >= end) {
            if (half + 1 == WIDTH / 32)
                NAME(clear_values)(u, n);
            continue;
        }
        SIMT_UNROLL
        for (uint32_t i = 0; i < n / 2; i++)
            if (rank == 3)
                cube[32 * i] = 0;
            else
                planes[64 * i] = planes[64 * i + 32] = 0;
        while (k > last && s.at < end) {
            k--;
            const uint32_t i = k % 32;
            if (rank == 3) {
                cube[32 * i] = decode_cube_plane(&s, &c, end - s.at);
            } else {
                const uint32_t v = rank == 2 ? read_small_plane(&s, n, &c, end - s.at)
                                             : read_line_plane(&s, &c, end - s.at);
                planes[32 * (i % n)] |= v << (i - i % n);
            }
        }
        if (rank == 3)
            NAME(join_cube)(cube, u, half);
        else
            NAME(join_planes)(planes, u, rank, half);
    }
    r->at += s.at - start;
    return c;
}

/* ---- arrays ----
 *
 * Whole tiles are loaded and stored in rows of four, 16 bytes at a time if the array is aligned.
 * Neighbouring threads have neighbouring tiles, so each load or store then uses whole sectors of
 * memory. Cut tiles pass through shared memory value by value. */

/* Whether all rows of four values begin at multiples of 16 bytes. */
FN bool NAME(has_rows_of_16)(const struct zti_array *array, const ulane *first, uint32_t rank)
{
    bool is_aligned = (uintptr_t)first % 16 == 0;
    SIMT_UNROLL
    for (uint32_t axis = 0; axis + 1 < rank; axis++)
        is_aligned = is_aligned && array->stride[axis] * (int64_t)sizeof(ulane) % 16 == 0;
    return is_aligned;
}

/* The offset of row i of a tile from its first value. */
FN int64_t NAME(row_offset)(const struct zti_array *array, uint32_t i, uint32_t rank)
{
    return (rank > 1 ? (int64_t)(i & 3) * array->stride[rank - 2] : 0) +
           (rank > 2 ? (int64_t)(i >> 2) * array->stride[rank - 3] : 0);
}

/* Read a tile of the array into block order, padded as in plain/coder.h. w: the thread's slot. */
FN void NAME(gather)(const struct zti_array *array, const uint64_t *origin, ulane *tile,
                     uint32_t rank, const struct zti_bit_writer *w)
{
    const uint32_t n = 1u << 2 * rank, step = rank == 3 ? 1 : 32;
    /* volatile: words are loaded one by one, each to where it stays */
    volatile uint32_t *const own =
        rank == 3 ? (uint32_t *)(void *)cube_in_slot(w) : planes_of_thread(rank);
    const ulane *p = (const ulane *)array->data;
    uint32_t rest[4] = {0, 0, 0, 0}; /* values along an axis: up to 4 */
    bool is_whole = array->stride[rank - 1] == 1;
    SIMT_UNROLL
    for (uint32_t axis = 0; axis < rank; axis++) {
        const uint64_t left = array->shape[axis] - origin[axis];
        rest[axis] = left < 4 ? (uint32_t)left : 4;
        is_whole = is_whole && left >= 4;
        p += (int64_t)origin[axis] * array->stride[axis];
    }
    if (is_whole && NAME(has_rows_of_16)(array, p, rank)) {
        SIMT_UNROLL
        for (uint32_t i = 0; i < n / 4; i++) {
            const ulane *const row = p + NAME(row_offset)(array, i, rank);
            SIMT_UNROLL
            for (uint32_t j = 0; j < 4; j += 16 / sizeof(ulane))
                simt_load_16(tile + 4 * i + j, row + j);
        }
        return;
    }
    if (is_whole) {
        SIMT_UNROLL
        for (uint32_t i = 0; i < n; i++)
            tile[i] = p[NAME(row_offset)(array, i / 4, rank) + i % 4];
        return;
    }
    SIMT_UNROLL
    for (uint32_t half = 0; half < WIDTH / 32; half++) {
        SIMT_NO_UNROLL
        for (uint32_t i = 0; i < n; i++) {
            int64_t offset = 0;
            SIMT_UNROLL
            for (uint32_t a = 0; a < rank; a++) {
                const uint32_t axis = rank - 1 - a;
                offset += zti_zfp_pad[rest[axis]][i >> 2 * a & 3] * array->stride[axis];
            }
            own[step * i] = (uint32_t)(p[offset] >> 32 * half);
        }
        SIMT_UNROLL
        for (uint32_t i = 0; i < n; i++)
            tile[i] = (ulane)own[step * i] << 32 * half | (half > 0 ? tile[i] : 0);
    }
}

/* Write the part of a tile that is in a view. */
FN void NAME(scatter)(const struct zti_view *view, const uint64_t *origin, const ulane *tile,
                      uint32_t rank)
{
    const uint32_t n = 1u << 2 * rank;
    const struct zti_array *const out = &view->out;
    uint32_t *const own = rank == 3 ? (uint32_t *)(void *)cube_of_thread() : planes_of_thread(rank);
    ulane *p = (ulane *)out->data;
    bool is_whole = out->stride[rank - 1] == 1;
    SIMT_UNROLL
    for (uint32_t axis = 0; axis < rank; axis++) {
        is_whole = is_whole && origin[axis] >= view->lo[axis] && origin[axis] + 4 <= view->hi[axis];
        p += (int64_t)(origin[axis] - view->lo[axis]) * out->stride[axis];
    }
    if (is_whole && NAME(has_rows_of_16)(out, p, rank)) {
        SIMT_UNROLL
        for (uint32_t i = 0; i < n / 4; i++) {
            ulane *const row = p + NAME(row_offset)(out, i, rank);
            SIMT_UNROLL
            for (uint32_t j = 0; j < 4; j += 16 / sizeof(ulane))
                simt_store_16(row + j, tile + 4 * i + j);
        }
        return;
    }
    if (is_whole) {
        SIMT_UNROLL
        for (uint32_t i = 0; i < n; i++)
            p[NAME(row_offset)(out, i / 4, rank) + i % 4] = tile[i];
        return;
    }
    SIMT_UNROLL
    for (uint32_t half = 0; half < WIDTH / 32; half++) {
        SIMT_UNROLL
        for (uint32_t i = 0; i < n; i++)
            own[rank == 3 ? i / 2 * 64 + i % 2 : 32 * i] = (uint32_t)(tile[i] >> 32 * half);
        SIMT_NO_UNROLL
        for (uint32_t i = 0; i < n; i++) {
            int64_t offset = 0;
            bool is_in = true;
            SIMT_UNROLL
            for (uint32_t a = 0; a < rank; a++) {
                const uint32_t axis = rank - 1 - a, place = i >> 2 * a & 3;
                const uint64_t at = origin[axis] + place;
                is_in = is_in && at >= view->lo[axis] && at < view->hi[axis];
                offset += (int64_t)place * out->stride[axis];
            }
            if (is_in) /* GPUs are little-endian: the lower word is first */
                ((uint32_t *)(p + offset))[half] = own[rank == 3 ? i / 2 * 64 + i % 2 : 32 * i];
        }
    }
}
