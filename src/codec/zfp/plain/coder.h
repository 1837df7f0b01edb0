/* coder.h: text: between the values of an array and a tile (gather, scatter), and between a tile's
 * coefficients and bits (write_planes, read_planes), for one width. In plain C; a thread has a
 * tile.
 *
 * The includer has tile/planes.h and defines what tile/arithmetic.h says. Every function takes
 * 'rank' as a constant, so that each use is compiled for its own rank. */

#include "codec/zfp/tile/transform.h"

/* Hides v from the optimizer, so that a kernel recomputes results instead of keeping them in
 * registers. Plain C has no need. */
FN ulane NAME(opaque)(ulane v)
{
    return v;
}

FN void NAME(clear_values)(ulane *u, uint32_t n)
{
    memset(u, 0, sizeof *u * n);
}

/* Planes of a tile. Of n <= 16 coefficients, row[] has the n transposed rows: plane k is in row k %
 * n, from bit k - k % n on. */
union NAME(planes) {
    ulane row[16];
    uint64_t word[WIDTH];
    uint64_t quad[WIDTH][4]; /* 256 coefficients: four words a plane */
};

FN void NAME(split)(const ulane *u, union NAME(planes) * p, uint32_t rank)
{
    if (rank < 3) {
        memcpy(p->row, u, sizeof(ulane) << 2 * rank);
        NAME(transpose)(p->row, 1u << 2 * rank);
    } else {
        uint64_t a[64];
        for (uint32_t part = 0; part < (rank == 4 ? 4 : 1); part++, u += 64) {
            for (uint32_t i = 0; i < WIDTH; i++)
                a[i] = WIDTH == 64 ? u[i] : u[i] | (uint64_t)u[(i + 32) % 64] << 32;
            transpose_64(a, WIDTH);
            for (uint32_t k = 0; k < WIDTH; k++)
                *(rank == 4 ? &p->quad[k][part] : &p->word[k]) = a[k];
        }
    }
}

FN void NAME(join)(union NAME(planes) * p, ulane *u, uint32_t rank)
{
    if (rank < 3) {
        NAME(transpose)(p->row, 1u << 2 * rank);
        memcpy(u, p->row, sizeof(ulane) << 2 * rank);
    } else {
        uint64_t a[64];
        for (uint32_t part = 0; part < (rank == 4 ? 4 : 1); part++, u += 64) {
            for (uint32_t k = 0; k < WIDTH; k++)
                a[k] = rank == 4 ? p->quad[k][part] : p->word[k];
            transpose_64(a, WIDTH);
            for (uint32_t i = 0; i < WIDTH; i++) {
                u[i] = (ulane)a[i];
                if (WIDTH == 32)
                    u[(i + 32) % 64] = (ulane)(a[i] >> 32);
            }
        }
    }
}

/* As join, if only a few bits are set, all in the first 64 coefficients and planes kmin to kmax -
 * 1. */
FN void NAME(join_few)(const union NAME(planes) * p, ulane *u, uint32_t rank, uint32_t kmin,
                       uint32_t kmax)
{
    memset(u, 0, sizeof(ulane) << 2 * rank);
    for (uint32_t k = kmin; k < kmax; k++)
        for (uint64_t plane = rank == 4 ? p->quad[k][0] : p->word[k]; plane; plane &= plane - 1)
            u[zti_ctz64(plane)] |= (ulane)1 << k;
}

/* Append the 'precision' highest planes of coefficients in negabinary, at most budget bits. */
FN void NAME(write_planes)(struct zti_bit_writer *out, const ulane *u, uint32_t rank,
                           uint32_t precision, uint32_t budget)
{
    const uint32_t n = 1u << 2 * rank;
    const uint32_t kmin = WIDTH - precision;
    struct zti_bit_writer w = *out;
    const uint64_t start = zti_bits_written(&w);
    union NAME(planes) p;
    ulane any = 0;
    for (uint32_t i = 0; i < n; i++)
        any |= u[i];

    uint32_t k = zti_bit_length64(any); /* planes from k up are zero: one bit each */
    if (k < kmin)
        k = kmin;
    zti_put_bits64(&w, 0, WIDTH - k);
    if (k > kmin)
        NAME(split)(u, &p, rank);
    uint32_t c = 0;
    while (k > kmin && zti_bits_written(&w) - start < budget) {
        k--;
        const uint64_t small = rank < 3 ? p.row[k % n] >> (k - k % n) & low_mask(n) : 0;
        const uint64_t *const plane = rank == 4 ? p.quad[k] : rank == 3 ? &p.word[k] : &small;
        c = write_plane(&w, plane, n, c, n);
    }
    if (zti_bits_written(&w) - start > budget)
        zti_bits_cut(&w, start + budget);
    *out = w;
}

/* Read planes written by write_planes with the same precision and budget; if u is NULL, skip them.
 * Returns how many leading coefficients may be other than zero. */
FN uint32_t NAME(read_planes)(struct zti_bit_reader *in, ulane *u, uint32_t rank,
                              uint32_t precision, uint32_t budget)
{
    const uint32_t n = 1u << 2 * rank;
    const uint32_t kmin = WIDTH - precision;
    struct zti_bit_reader r = *in;
    union NAME(planes) p;
    uint32_t k = WIDTH, c = 0, left = budget;

    k -= read_empty_planes(&r, k - kmin < left ? k - kmin : left);
    left -= WIDTH - k;
    const uint32_t kmax = k;
    if (u)
        memset(&p, 0, rank == 4 ? WIDTH * 32 : rank == 3 ? WIDTH * 8 : sizeof(ulane) * n);
    while (k > kmin && left > 0) {
        k--;
        uint64_t plane[4] = {0, 0, 0, 0};
        left = read_plane(&r, plane, n, &c, left);
        if (u && rank == 4)
            memcpy(p.quad[k], plane, sizeof plane);
        else if (u && rank == 3)
            p.word[k] = plane[0];
        else if (u)
            p.row[k % n] |= (ulane)(plane[0] << (k - k % n));
    }
    /* for a tile of few bits, setting them one by one is faster than a transposition */
    if (u && rank >= 3 && c <= 64 && r.at - in->at <= (WIDTH == 64 ? 512 : 160))
        NAME(join_few)(&p, u, rank, k, kmax);
    else if (u)
        NAME(join)(&p, u, rank);
    *in = r;
    return c;
}

/* Read a tile of the array in block order. A tile that the array's end cuts is padded along each
 * axis as zfp pads it: a b c becomes a b c a; a b becomes a b b a; a becomes a a a a. */
FN void NAME(gather)(const struct zti_array *array, const uint64_t *origin, ulane *tile,
                     uint32_t rank)
{
    const ulane *p = (const ulane *)zti_array_at(array, origin);
    int64_t offset[4][4] = {{0}}; /* [axis from the fastest][place along it] */
    bool is_whole = true;
    for (uint32_t a = 0; a < rank; a++) {
        const uint32_t axis = rank - 1 - a;
        const uint64_t rest = array->shape[axis] - origin[axis];
        const uint8_t *from = zti_zfp_pad[rest < 4 ? rest : 4];
        is_whole &= rest >= 4;
        for (uint32_t i = 0; i < 4; i++)
            offset[a][i] = from[i] * array->stride[axis];
    }
    is_whole &= array->stride[rank - 1] == 1;
    for (uint32_t l = 0; l < (rank > 3 ? 4 : 1); l++)
        for (uint32_t k = 0; k < (rank > 2 ? 4 : 1); k++)
            for (uint32_t j = 0; j < (rank > 1 ? 4 : 1); j++, tile += 4) {
                const ulane *row = p + offset[1][j] + offset[2][k] + offset[3][l];
                if (is_whole)
                    memcpy(tile, row, 4 * sizeof(ulane));
                else
                    for (uint32_t i = 0; i < 4; i++)
                        memcpy(tile + i, row + offset[0][i], sizeof(ulane));
            }
}

/* Write the values of a tile that are in the view. */
FN void NAME(scatter)(const struct zti_view *view, const uint64_t *origin, const ulane *tile,
                      uint32_t rank)
{
    const struct zti_array *out = &view->out;
    ulane *p = (ulane *)out->data;
    uint32_t from[4] = {0, 0, 0, 0}, to[4] = {1, 1, 1, 1}; /* [axis from the fastest] */
    int64_t step[4] = {0, 0, 0, 0};
    for (uint32_t a = 0; a < rank; a++) {
        const uint32_t axis = rank - 1 - a;
        const uint64_t lo = view->lo[axis], hi = view->hi[axis], o = origin[axis];
        if (o >= hi || o + 4 <= lo)
            return;
        from[a] = o < lo ? (uint32_t)(lo - o) : 0;
        to[a] = hi - o < 4 ? (uint32_t)(hi - o) : 4;
        step[a] = out->stride[axis];
        p += (int64_t)(o + from[a] - lo) * step[a];
    }
    const bool is_row = step[0] == 1 && to[0] - from[0] == 4;
    for (uint32_t l = from[3]; l < to[3]; l++)
        for (uint32_t k = from[2]; k < to[2]; k++)
            for (uint32_t j = from[1]; j < to[1]; j++) {
                ulane *row =
                    p + (l - from[3]) * step[3] + (k - from[2]) * step[2] + (j - from[1]) * step[1];
                const ulane *line = tile + 64 * l + 16 * k + 4 * j;
                if (is_row)
                    memcpy(row, line, 4 * sizeof(ulane));
                else
                    for (uint32_t i = from[0]; i < to[0]; i++)
                        memcpy(row + (i - from[0]) * step[0], line + i, sizeof(ulane));
            }
}
