/* encode_text.h: kernel text of the Huffman encoder, compiled for each instruction set; the
 * includer defines NAME(x). Four codes of at most 16 bits are merged in a register of 64 bits and
 * appended. */

/* Two codes, one after the other. */
static inline uint64_t NAME(pair)(uint32_t a, uint32_t b)
{
    return (a & 0xffff) | (uint64_t)(b & 0xffff) << (a >> 16);
}

static void NAME(encode)(const uint32_t *codes, const uint16_t *symbols, size_t n,
                         struct zti_bit_writer *writer)
{
    struct zti_bit_writer w = *writer;
    const uint16_t *end = symbols + n;
    for (; end - symbols >= 4; symbols += 4) {
        const uint32_t a = codes[symbols[0]], b = codes[symbols[1]];
        const uint32_t c = codes[symbols[2]], d = codes[symbols[3]];
        const uint64_t ab = NAME(pair)(a, b), cd = NAME(pair)(c, d);
        const uint32_t ab_bits = (a >> 16) + (b >> 16), cd_bits = (c >> 16) + (d >> 16);
        if (zti_likely(ab_bits + cd_bits <= 56)) {
            zti_put_bits(&w, ab | cd << ab_bits, ab_bits + cd_bits);
        } else {
            zti_put_bits(&w, ab, ab_bits);
            zti_put_bits(&w, cd, cd_bits);
        }
    }
    for (; symbols < end; symbols++)
        zti_put_bits(&w, codes[*symbols] & 0xffff, codes[*symbols] >> 16);
    *writer = w;
}
