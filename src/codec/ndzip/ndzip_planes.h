/* ndzip_planes.h: kernel text: folded differences into a record of masks and bit planes, and back.
 * The includer defines word, WIDTH, FN and NAME as for ndzip_tile.h, and NAME(transpose)(a), which
 * turns WIDTH words into their bit planes in place: afterwards bit WIDTH-1-j of a[i] is what bit
 * WIDTH-1-i of a[j] was. */

enum { NAME(groups) = ZTI_NDZIP_VALUES / WIDTH };

/* Write a record and return its end. f is destroyed. */
FN uint8_t *NAME(pack)(word *f, uint8_t *record)
{
    uint8_t *to = record + NAME(groups) * sizeof(word);
    for (uint32_t g = 0; g < NAME(groups); g++, f += WIDTH) {
        word mask = 0;
        for (uint32_t j = 0; j < WIDTH; j++)
            mask |= f[j];
        NAME(put)(record + g * sizeof(word), mask);
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

/* Read a record into f and return its end. */
FN const uint8_t *NAME(unpack)(const uint8_t *record, word *f)
{
    const uint8_t *from = record + NAME(groups) * sizeof(word);
    for (uint32_t g = 0; g < NAME(groups); g++, f += WIDTH) {
        const word mask = NAME(get)(record + g * sizeof(word));
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
