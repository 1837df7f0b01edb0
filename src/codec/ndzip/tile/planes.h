/* planes.h: kernel text: folded differences into masks and bit planes, and back. The includer
 * defines word, WIDTH, FN and NAME as for tile/differences.h, NAME(put) and NAME(get) for words in
 * memory, and NAME(transpose)(a), which turns each WIDTH of 64 words into their bit planes in
 * place: afterwards bit WIDTH-1-j of a[i] is what bit WIDTH-1-i of a[j] was. */

/* Append the groups of 64 residuals: their masks at 'masks', their planes at 'to', whose end is
 * returned. f is destroyed. */
FN uint8_t *NAME(pack)(word *f, uint8_t *masks, uint8_t *to)
{
    word mask[64 / WIDTH] = {0}, any = 0;
    for (uint32_t g = 0; g < 64 / WIDTH; g++) {
        for (uint32_t j = 0; j < WIDTH; j++)
            mask[g] |= f[g * WIDTH + j];
        NAME(put)(masks + g * sizeof(word), mask[g]);
        any |= mask[g];
    }
    if (any == 0)
        return to;
    NAME(transpose)(f);
    for (uint32_t g = 0; g < 64 / WIDTH; g++, f += WIDTH)
        for (uint32_t i = 0; i < WIDTH; i++) { /* what is absent is overwritten by the next */
            NAME(put)(to, f[i]);
            to += sizeof(word) * (mask[g] >> (WIDTH - 1 - i) & 1);
        }
    return to;
}

/* The inverse; returns where the planes end. */
FN const uint8_t *NAME(unpack)(const uint8_t *masks, const uint8_t *from, word *f)
{
    word any = 0;
    for (uint32_t g = 0; g < 64 / WIDTH; g++) {
        const word mask = NAME(get)(masks + g * sizeof(word));
        for (uint32_t i = 0; i < WIDTH; i++) {
            const word is_there = mask >> (WIDTH - 1 - i) & 1;
            f[g * WIDTH + i] = NAME(get)(from) & -is_there;
            from += sizeof(word) * is_there;
        }
        any |= mask;
    }
    if (any != 0)
        NAME(transpose)(f);
    return from;
}
