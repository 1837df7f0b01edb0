/* bits.h: the bit stream of bits.h in kernels: a writer into a slot of whole words of 64
 * bits, which one thread fills, and a reader that gives zeros beyond its end.
 *
 * The writer stores nothing beyond its slot, and is only ever told to write zeros there: padding,
 * which is as long as the caller likes. */
#ifndef ZTI_GPU_BITS_H
#define ZTI_GPU_BITS_H

struct zti_bit_writer {
    uint64_t *slot;
    uint32_t slot_words;
    uint64_t words;     /* that were completed */
    uint64_t held;      /* bits of the next one, the others zero */
    uint32_t held_bits; /* 0..63 */
};

ZTI_INLINE struct zti_bit_writer zti_bit_writer_in(uint64_t *slot, uint32_t slot_words)
{
    const struct zti_bit_writer w = {slot, slot_words, 0, 0, 0};
    return w;
}

ZTI_INLINE uint64_t zti_bits_written(const struct zti_bit_writer *w)
{
    return w->words * 64 + w->held_bits;
}

/* Append the low n <= 64 bits of v; the higher ones must be zero. */
ZTI_INLINE void zti_put_bits64(struct zti_bit_writer *w, uint64_t v, uint32_t n)
{
    const uint32_t before = w->held_bits, all = before + n;
    w->held |= v << before;
    if (all >= 64) {
        if (w->words < w->slot_words)
            w->slot[w->words] = w->held;
        w->words++;
        w->held = before > 0 ? v >> (64 - before) : 0;
    }
    w->held_bits = all % 64;
}

ZTI_INLINE void zti_put_bits(struct zti_bit_writer *w, uint64_t v, uint32_t n)
{
    zti_put_bits64(w, v, n);
}

ZTI_INLINE void zti_put_zeros(struct zti_bit_writer *w, uint64_t n)
{
    const uint64_t end = zti_bits_written(w) + n, words = end / 64;
    for (; w->words < words && w->words < w->slot_words; w->words++, w->held = 0)
        w->slot[w->words] = w->held;
    if (w->words < words)
        w->held = 0;
    w->words = words;
    w->held_bits = (uint32_t)(end % 64);
}

/* Go back to bit position 'bits', not after the present one. */
ZTI_INLINE void zti_bits_cut(struct zti_bit_writer *w, uint64_t bits)
{
    const uint32_t rest = (uint32_t)(bits % 64);
    if (bits / 64 < w->words)
        w->held = w->slot[bits / 64];
    w->words = bits / 64;
    w->held_bits = rest;
    w->held &= (UINT64_C(1) << rest) - 1;
}

struct zti_bit_reader {
    const uint64_t *words;
    uint64_t count; /* of words */
    uint64_t at;    /* bit position */
};

ZTI_INLINE uint64_t zti_word_at(const struct zti_bit_reader *r, uint64_t word)
{
    return word < r->count ? r->words[word] : 0;
}

/* At least 57 bits (64) from the present position, the next one lowest. */
ZTI_INLINE uint64_t zti_peek_bits(const struct zti_bit_reader *r)
{
    const uint64_t word = r->at / 64;
    const uint32_t skip = (uint32_t)(r->at % 64);
    const uint64_t low = zti_word_at(r, word);
    return skip == 0 ? low : low >> skip | zti_word_at(r, word + 1) << (64 - skip);
}

/* Get n <= 64 bits. */
ZTI_INLINE uint64_t zti_get_bits64(struct zti_bit_reader *r, uint32_t n)
{
    const uint64_t v = zti_peek_bits(r);
    r->at += n;
    return n < 64 ? v & ((UINT64_C(1) << n) - 1) : v;
}

ZTI_INLINE uint64_t zti_get_bits(struct zti_bit_reader *r, uint32_t n)
{
    return zti_get_bits64(r, n);
}

#endif
