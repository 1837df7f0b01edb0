/* words.h: kernel text: groups of 64 integers, and what of them fits in bytes
 * (lorenzo/plain/bytes.h). The includer defines uval        uint32_t or uint64_t VAL_BITS    their
 * width NAME(x)     x with this instance's suffix This text is the specification; instances for 32
 * bits have their own of most of it, in lorenzo/x86/words_avx2.h and lorenzo/x86/words_avx512.h. */

/* All bits that one of the values has. */
ZTI_INLINE uval NAME(any)(const uval *u)
{
    uval any = 0;
    for (uint32_t i = 0; i < 64; i++)
        any |= u[i];
    return any;
}

/* The values without their low k bits: where that is more, 255, or the lowest eight bits of it. */
ZTI_INLINE struct small NAME(bytes_above)(const uval *u, uint32_t k, bool is_cut)
{
    uint8_t bytes[64];
    for (uint32_t i = 0; i < 64; i++) {
        const uval high = k < VAL_BITS ? u[i] >> k : 0;
        bytes[i] = is_cut || high < 255 ? (uint8_t)high : 255;
    }
    return small_load(bytes);
}
