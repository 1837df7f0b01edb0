/* stages.h: text: a tile of integers to bits and back, lossy and reversible, for one width.
 *
 * The includer defines
 *   ulane, FN, NAME   as in tile/transform.h
 *   WIDTH             32 or 64
 *   PRECISION_BITS    width of the precision field of a reversible tile: 5 or 6
 *   NEGABINARY        1010...10 of the width
 *   OWN_VALUES(rank)  how many of a tile's values who runs the text has: all of them, or a lane's
 * and has, of the same width, what works on values: transform, to_negabinary, put_planes,
 * or_of_tile, clear, again, and what undoes them (plain/coder.h; in kernels gpu/thread_coder.h,
 * gpu/warp_coder.h). Every function takes 'rank' as a constant. */

/* Append a lossy tile of integers, of which the bits of a header have been written already and
 * are taken off the limits; q is used up. */
FN void NAME(put_lossy)(struct zti_bit_writer *w, ulane *q, uint32_t rank, uint32_t precision,
                        uint32_t minbits, uint32_t maxbits)
{
    const uint64_t start = zti_bits_written(w);
    ulane u[OWN_VALUES(ZT_MAX_RANK)];
    NAME(transform)(q, rank);
    NAME(to_negabinary)(q, u, zti_zfp_order[rank - 1], 1u << 2 * rank, NEGABINARY);
    NAME(put_planes)(w, u, rank, precision, maxbits);
    const uint64_t n = zti_bits_written(w) - start;
    if (n < minbits)
        zti_put_zeros(w, minbits - n);
}

FN void NAME(take_lossy)(struct zti_bit_reader *r, ulane *q, uint32_t rank, uint32_t precision,
                         uint32_t minbits, uint32_t maxbits)
{
    const uint64_t start = r->at;
    ulane u[OWN_VALUES(ZT_MAX_RANK)];
    const uint32_t c = NAME(take_planes)(r, q ? u : NULL, rank, precision, maxbits);
    if (r->at - start < minbits)
        r->at = start + minbits;
    if (q && c == 0) {
        NAME(clear)(q, OWN_VALUES(rank));
    } else if (q) {
        NAME(from_negabinary)(u, q, zti_zfp_order[rank - 1], 1u << 2 * rank, NEGABINARY);
        NAME(untransform)(q, rank);
    }
}

/* The same for a reversible tile, which says how many planes it has. */
FN void NAME(put_exact)(struct zti_bit_writer *w, ulane *q, uint32_t rank, uint32_t maxprec,
                        uint32_t minbits, uint32_t maxbits)
{
    const uint64_t start = zti_bits_written(w);
    ulane u[OWN_VALUES(ZT_MAX_RANK)], any = 0;
    NAME(transform_exact)(q, rank);
    NAME(to_negabinary)(q, u, zti_zfp_order[rank - 1], 1u << 2 * rank, NEGABINARY);
    for (uint32_t i = 0; i < OWN_VALUES(rank); i++)
        any |= u[i];
    any = NAME(or_of_tile)(any);
    uint32_t precision = any ? WIDTH - zti_ctz64(any) : 0;
    if (precision > maxprec)
        precision = maxprec;
    if (precision < 1)
        precision = 1;
    zti_put_bits(w, precision - 1, PRECISION_BITS);
    NAME(put_planes)(w, u, rank, precision, maxbits - PRECISION_BITS);
    const uint64_t n = zti_bits_written(w) - start;
    if (n < minbits)
        zti_put_zeros(w, minbits - n);
}

FN void NAME(take_exact)(struct zti_bit_reader *r, ulane *q, uint32_t rank, uint32_t minbits,
                         uint32_t maxbits)
{
    const uint64_t start = r->at;
    ulane u[OWN_VALUES(ZT_MAX_RANK)];
    const uint32_t precision = (uint32_t)zti_take_bits(r, PRECISION_BITS) + 1;
    const uint32_t c =
        NAME(take_planes)(r, q ? u : NULL, rank, precision, maxbits - PRECISION_BITS);
    if (r->at - start < minbits)
        r->at = start + minbits;
    if (q && c == 0) {
        NAME(clear)(q, OWN_VALUES(rank));
    } else if (q) {
        NAME(from_negabinary)(u, q, zti_zfp_order[rank - 1], 1u << 2 * rank, NEGABINARY);
        NAME(untransform_exact)(q, rank);
    }
}
