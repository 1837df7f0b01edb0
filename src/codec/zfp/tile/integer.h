/* integer.h: text: a tile of integers, for one type.
 *
 * The includer has tile/stages.h's instance of the same width and defines
 *   lane, ulane       the type and the unsigned integer of its width
 *   FN, NAME(x), INTS(x)   as in tile/float.h
 *   OWN_VALUES(rank)  as there
 *   WIDTH, LANE_MAX   32 or 64, and the type's largest value
 *
 * Integers under an absolute bound use the bits above them: they are coded as value * 2^shift. */

FN void NAME(raise)(ulane *q, uint32_t n, int32_t shift)
{
    if (shift > 0)
        for (uint32_t i = 0; i < n; i++)
            q[i] <<= shift;
    else if (shift < 0)
        for (uint32_t i = 0; i < n; i++)
            q[i] = (ulane)((lane)q[i] >> -shift);
}

/* And back, to the nearest integer, within the type. */
FN void NAME(lower)(ulane *q, uint32_t n, int32_t shift)
{
    const lane most = LANE_MAX >> (shift < 0 ? -shift : 0);
    if (shift > 0)
        for (uint32_t i = 0; i < n; i++)
            q[i] = (ulane)(((lane)q[i] >> shift) + ((lane)q[i] >> (shift - 1) & 1));
    else if (shift < 0)
        for (uint32_t i = 0; i < n; i++) {
            const lane v = (lane)q[i];
            const ulane low = v < -most - 1 ? (ulane)LANE_MAX + 1 : (ulane)v << -shift;
            q[i] = INTS(again)(v > most ? (ulane)LANE_MAX : low);
        }
}

/* True where the codec vouches for the bound. */
FN bool NAME(put_tile)(const struct zti_zfp *z, ulane *tile, uint32_t rank,
                       struct zti_bit_writer *w)
{
    NAME(raise)(tile, OWN_VALUES(rank), z->shift);
    if (zti_zfp_is_reversible(z))
        INTS(put_exact)(w, tile, rank, z->maxprec, z->minbits, z->maxbits);
    else
        INTS(put_lossy)(w, tile, rank, z->maxprec, z->minbits, z->maxbits);
    return zti_zfp_proves_integers(z, rank, WIDTH);
}

/* tile may be NULL to pass over it. */
FN void NAME(take_tile)(const struct zti_zfp *z, ulane *tile, uint32_t rank,
                        struct zti_bit_reader *r)
{
    if (zti_zfp_is_reversible(z))
        INTS(take_exact)(r, tile, rank, z->minbits, z->maxbits);
    else
        INTS(take_lossy)(r, tile, rank, z->maxprec, z->minbits, z->maxbits);
    if (tile)
        NAME(lower)(tile, OWN_VALUES(rank), z->shift);
}
