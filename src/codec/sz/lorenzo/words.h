/* words.h: kernel text: convert groups of 64 integers to bytes (lorenzo/bytes.h). The includer
 * defines
 *   uval        uint32_t or uint64_t
 *   VAL_BITS    their width
 *   NAME(x)     x with this instance's suffix
 * and has included lorenzo/lines.h. */

/* The OR of the values, or 255 if it is less. */
ZTI_INLINE uval NAME(any)(const uval *u)
{
    NAME(line) all = NAME(load_line)(u);
    for (uint32_t i = LANES; i < ZTI_SZ_GROUP; i += LANES)
        all |= NAME(load_line)(u + i);
    if (!v_is_any((u32s)(all >> 8)))
        return 255;
    return NAME(v_or)(all);
}

/* Values below 256 as bytes. */
ZTI_INLINE struct small NAME(bytes_of)(const uval *u)
{
    struct small s;
    for (uint32_t i = 0; i < SMALL_PARTS; i++) {
        u32s part[4];
        for (uint32_t j = 0; j < 4; j++, u += V_LANES_32) {
            const u32s v = (u32s)NAME(load_line)(u);
            part[j] =
                VAL_BITS == 32 ? v : v_even_32(v, (u32s)NAME(load_line)(u + V_LANES_32 - LANES));
        }
        s.v[i] = v_bytes_32(part);
    }
    return s;
}

/* The values shifted right by k bits, as bytes: clipped to 255 or, if is_cut, their lowest eight
 * bits. */
ZTI_INLINE struct small NAME(bytes_above)(const uval *u, uint32_t k, bool is_cut)
{
    u32s part[ZTI_SZ_GROUP / V_LANES_32];
    for (uint32_t i = 0; i < ZTI_SZ_GROUP / V_LANES_32; i++, u += V_LANES_32) {
        const u32s a = (u32s)(NAME(load_line)(u) >> (uval)k);
        const u32s b = (u32s)(NAME(load_line)(u + V_LANES_32 - LANES) >> (uval)k);
        const u32s v = VAL_BITS == 32 ? a
                       : is_cut       ? v_even_32(a, b)
                                      : v_saturated_64((u64s)a, (u64s)b);
        part[i] = is_cut ? v & 255 : v_min_32(v, v_all_32(255));
    }
    struct small s;
    for (uint32_t i = 0; i < SMALL_PARTS; i++)
        s.v[i] = v_bytes_32(part + 4 * i);
    return s;
}
