/* ndzip_planes.h: kernel text: folded differences into a record of masks and bit planes, and back.
 * The includer defines word, WIDTH, FN and NAME as for ndzip_tile.h, and NAME(transpose)(a), which
 * turns WIDTH words into their bit planes in place: afterwards bit WIDTH-1-j of a[i] is what bit
 * WIDTH-1-i of a[j] was. */

/* Append the groups of 64 residuals: their masks at 'masks', their planes at 'to', whose end is
 * returned. f is destroyed. */
FN uint8_t *NAME(pack)(word *f, uint8_t *masks, uint8_t *to)
{
    for (uint32_t g = 0; g < 64 / WIDTH; g++, f += WIDTH) {
        word mask = 0;
        for (uint32_t j = 0; j < WIDTH; j++)
            mask |= f[j];
        NAME(put)(masks + g * sizeof(word), mask);
        if (mask == 0)
            continue;
        NAME(transpose)(f);
        for (uint32_t i = 0; i < WIDTH; i++) { /* what is absent is overwritten by the next */
            NAME(put)(to, f[i]);
            to += sizeof(word) * (mask >> (WIDTH - 1 - i) & 1);
        }
    }
    return to;
}

/* The inverse; returns where the planes end. */
FN const uint8_t *NAME(unpack)(const uint8_t *masks, const uint8_t *from, word *f)
{
    for (uint32_t g = 0; g < 64 / WIDTH; g++, f += WIDTH) {
        const word mask = NAME(get)(masks + g * sizeof(word));
        if (mask == 0) {
            memset(f, 0, WIDTH * sizeof(word));
            continue;
        }
        for (uint32_t i = 0; i < WIDTH; i++) {
            const word is_there = mask >> (WIDTH - 1 - i) & 1;
            f[i] = NAME(get)(from) & -is_there;
            from += sizeof(word) * is_there;
        }
        NAME(transpose)(f);
    }
    return from;
}
