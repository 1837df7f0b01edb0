/* plane.h: text: one bit plane of a tile to bits and back, for C and for kernels.
 *
 * A plane is one bit of each of the tile's n = 4, 16, 64 or 256 coefficients, in rank order. With c
 * the number of leading coefficients known to be significant, a plane is coded as its c low bits,
 * then a group test ("is any later bit set?"), and after each positive one the bits up to and
 * including the next 1, which makes one more coefficient significant. The last coefficient's bit is
 * implied by a positive group test that leaves only it. A run of zeros is coded in one step (a
 * count of trailing zeros). A budget may cut the coded bits anywhere.
 *
 * The includer defines the following, and this text undefines them, all but FN:
 *   FN, PLANE(x)                 storage class; x with a suffix
 *   SINK, PUT_BITS               a writer; how many bits are appended at once, at least 31
 *   WORD, WORD_AT(p, j)          unsigned integer of a plane that is coded; word j of plane p
 *   PUT(s, v, n)                 appends n bits
 *   PUT_WORD(s, v, n)            appends the low n bits of a word, or all of it
 *   PUT_RUN(s, zeros)            appends a 1 and zeros
 *   SOURCE, FIELD, PEEK_BITS     a reader (by default a bit reader; so for the next lines);
 *                                unsigned integer; how many bits of it are read ahead, at least 31
 *   PEEK(r), PASS(r, n)          reads ahead; skips n bits
 *   PLACE(x)                     place of the lowest 1 of a field, at least PEEK_BITS if it is 0
 *   TAKEN                        unsigned integer of a plane that is decoded
 *   TAKE_KNOWN(r, p, n, c)       reads c bits to plane p of n
 *   SET(p, n, i)                 sets bit i of plane p of n
 * 'n' is a constant. */

#if !defined(SOURCE)
#define SOURCE     struct zti_bit_reader
#define FIELD      uint64_t
#define PEEK_BITS  57
#define PEEK       zti_peek_bits
#define PASS(r, n) ((r)->at += (n))
#define PLACE(x)   ((x) ? zti_ctz64(x) : 64)
#endif

/* Append a plane whose bits from 'top' on are zero; returns the new c. */
FN uint32_t PLANE(write_plane)(SINK *s, const WORD *plane, uint32_t n, uint32_t c, uint32_t top)
{
    const uint32_t word_bits = 8 * sizeof(WORD), known = c;
    WORD string = 0;
    uint32_t length = 0;
    if (n <= 16) { /* a field holds all of it */
        string = WORD_AT(plane, 0) & (WORD)low_mask(known);
        length = known;
    } else {
        uint32_t from = 0;
        do {
            PUT_WORD(s, WORD_AT(plane, from / word_bits), known - from);
            from += word_bits;
        } while (n > word_bits && from < known);
    }
    if (known == n)
        goto done;
    for (uint32_t j = n <= word_bits ? 0 : known / word_bits; word_bits * j < top; j++) {
        const uint32_t from = word_bits * j;
        WORD x = WORD_AT(plane, j) & ~(WORD)low_mask(from < known ? known - from : 0);
        for (; x; x &= x - 1) {
            const uint32_t place = word_bits == 64 ? zti_ctz64(x) : zti_ctz32((uint32_t)x);
            const uint32_t zeros = from + place - c;
            if (n > 16 && length + zeros + 3 > PUT_BITS) {
                PUT(s, string, length);
                PUT_RUN(s, zeros);
                string = length = 0;
            } else {
                string |= (WORD)1 << length;
                length += 1 + zeros;
            }
            c += zeros + 1;
            if (c == n) /* the last coefficient's 1 is implied */
                goto done;
            string |= (WORD)1 << length++;
        }
    }
    length++; /* a negative group test */
done:
    PUT(s, string, length);
    return c;
}

/* Read a plane with *c known coefficients from at most 'left' bits; returns how many of these are
 * left. If they end within a run of zeros, the run is taken to end in a 1 there, as libzfp does. */
FN uint32_t PLANE(read_plane)(SOURCE *r, TAKEN *plane, uint32_t n, uint32_t *c, uint32_t left)
{
    const bool is_small = n <= 16; /* a field holds all of it */
    const FIELD all = is_small ? PEEK(r) : 0;
    uint32_t at = *c, used = at < left ? at : left;
    if (is_small) {
        *plane = (TAKEN)(all & (FIELD)low_mask(used));
    } else {
        TAKE_KNOWN(r, plane, n, used);
        left -= used;
        used = 0;
    }
    while (used < left && at < n) {
        FIELD x = is_small ? all >> used : PEEK(r);
        used++;
        if (!(x & 1))
            break;
        uint32_t scan = n - 1 - at < left - used ? n - 1 - at : left - used;
        x >>= 1;
        for (uint32_t have = PEEK_BITS - 1; !is_small && !x && scan > have; have = PEEK_BITS) {
            PASS(r, used + have);
            left -= used + have;
            used = 0;
            at += have;
            scan -= have;
            x = PEEK(r);
        }
        const uint32_t found = PLACE(x), zeros = found < scan ? found : scan;
        used += zeros + (zeros < scan);
        at += zeros;
        SET(plane, n, at);
        at++;
        if (!is_small) {
            PASS(r, used);
            left -= used;
            used = 0;
        }
    }
    PASS(r, used);
    *c = at;
    return left - used;
}

/* Skip planes before the first significant coefficient, at most 'most'; returns how many. */
FN uint32_t PLANE(read_empty_planes)(SOURCE *r, uint32_t most)
{
    uint32_t n = 0, step = PEEK_BITS;
    while (step == PEEK_BITS && n < most) {
        const uint32_t zeros = PLACE(PEEK(r));
        step = zeros < PEEK_BITS ? zeros : PEEK_BITS;
        const uint32_t some = step < most - n ? step : most - n;
        PASS(r, some);
        n += some;
    }
    return n;
}

#undef PLANE
#undef SINK
#undef PUT_BITS
#undef WORD
#undef WORD_AT
#undef PUT
#undef PUT_WORD
#undef PUT_RUN
#undef SOURCE
#undef FIELD
#undef PEEK_BITS
#undef PEEK
#undef PASS
#undef PLACE
#undef TAKEN
#undef TAKE_KNOWN
#undef SET
