/* planes.h: kernel text: folded residuals to masks and bit planes, and back. The includer of
 * tile/instance.h defines NAME(transpose)(a), which transposes each group of WIDTH among 64 words
 * to its bit planes in place. */

/* Store the groups of 64 residuals f: masks at 'masks', planes at 'to'; returns the planes' end.
 * Overwrites f. */
ZTI_INLINE uint8_t *NAME(pack)(word *f, uint8_t *masks, uint8_t *to)
{
    word mask[64 / WIDTH] = {0}, any = 0;
    for (uint32_t g = 0; g < 64 / WIDTH; g++) {
        for (uint32_t j = 0; j < WIDTH; j++)
            mask[g] |= f[g * WIDTH + j];
        LE(zti_put)(masks + g * sizeof(word), mask[g]);
        any |= mask[g];
    }
    if (any == 0)
        return to;
    NAME(transpose)(f);
    for (uint32_t g = 0; g < 64 / WIDTH; g++, f += WIDTH)
        for (uint32_t i = 0; i < WIDTH; i++) { /* a zero plane is overwritten by the next one */
            LE(zti_put)(to, f[i]);
            to += sizeof(word) * (mask[g] >> zti_ndzip_plane_bit(WIDTH, i) & 1);
        }
    return to;
}

/* The inverse of pack; returns the planes' end. */
ZTI_INLINE const uint8_t *NAME(unpack)(const uint8_t *masks, const uint8_t *from, word *f)
{
    word any = 0;
    for (uint32_t g = 0; g < 64 / WIDTH; g++) {
        const word mask = LE(zti_get)(masks + g * sizeof(word));
        for (uint32_t i = 0; i < WIDTH; i++) {
            const word is_there = mask >> zti_ndzip_plane_bit(WIDTH, i) & 1;
            f[g * WIDTH + i] = LE(zti_get)(from) & -is_there;
            from += sizeof(word) * is_there;
        }
        any |= mask;
    }
    if (any != 0)
        NAME(transpose)(f);
    return from;
}
