/* bytes.h: kernel text: operations on 64 values of eight bits in vectors (simd/vectors.h): compare,
 * count, pack, transpose to bit planes. They are the same for both widths of integers
 * (lorenzo/words.h). AVX-512 has its own transposition (lorenzo/x86/planes.h). */

enum { SMALL_PARTS = ZTI_SZ_GROUP / V_BYTES };

struct small {
    u8s v[SMALL_PARTS]; /* the first value in the lowest byte */
};

/* The function's result; 'expression' gives vector i. */
#define SMALL_OF(expression)                                                                       \
    struct small result;                                                                           \
    for (uint32_t i = 0; i < SMALL_PARTS; i++)                                                     \
        result.v[i] = (u8s)(expression);                                                           \
    return result

ZTI_INLINE struct small small_zero(void)
{
    SMALL_OF(v_all_8(0));
}

ZTI_INLINE struct small small_load(const uint8_t *from)
{
    SMALL_OF(v_load_8(from + V_BYTES * i));
}

ZTI_INLINE void small_store(struct small s, uint8_t *to)
{
    for (uint32_t i = 0; i < SMALL_PARTS; i++)
        v_store_8(to + V_BYTES * i, s.v[i]);
}

/* Bit i is set if value i > limit; limit is at most 255. */
ZTI_INLINE uint64_t small_above(struct small s, uint32_t limit)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < SMALL_PARTS; i++)
        bits |= v_bits_above_8(s.v[i], v_all_8((uint8_t)limit)) << (V_BYTES * i % 64);
    return bits;
}

/* All values shifted right by k <= 8 bits. */
ZTI_INLINE struct small small_down(struct small s, uint32_t k)
{
    SMALL_OF((u8s)((u16s)s.v[i] >> (uint16_t)k) & v_all_8((uint8_t)(0xffu >> k)));
}

/* All values times 2^k; they stay below 256. */
ZTI_INLINE struct small small_up(struct small s, uint32_t k)
{
    SMALL_OF((u16s)s.v[i] << (uint16_t)k);
}

ZTI_INLINE struct small small_or(struct small a, struct small b)
{
    SMALL_OF(a.v[i] | b.v[i]);
}

/* The minimum of each value and 'most'. */
ZTI_INLINE struct small small_least(struct small s, uint32_t most)
{
    SMALL_OF(v_min_8(s.v[i], v_all_8((uint8_t)most)));
}

/* The sum of all values; these are at most 31. */
ZTI_INLINE uint32_t small_sum(struct small s)
{
    for (uint32_t i = 1; i < SMALL_PARTS; i++)
        s.v[0] += s.v[i];
    return v_sum_8(s.v[0]);
}

/* Add 1 to each value whose bit is set. */
ZTI_INLINE struct small small_raise(struct small s, uint64_t bits)
{
    SMALL_OF(v_raise_8(s.v[i], bits >> (V_BYTES * i % 64)));
}

/* ---- bit planes: bit i of plane j is bit j of value i ---- */

#if defined(ZTI_WITH_AVX512)
#include "codec/sz/lorenzo/x86/planes.h"
#else

/* The lowest 'count' planes. */
ZTI_INLINE void small_planes(struct small s, uint32_t count, uint64_t *planes)
{
    for (uint32_t j = count, up = 8 - count; j-- > 0; up = 1) {
        s = small_up(s, up);
        planes[j] = 0;
        for (uint32_t i = 0; i < SMALL_PARTS; i++)
            planes[j] |= v_top_bits_8(s.v[i]) << (V_BYTES * i % 64);
    }
}

/* Append the lowest 'count' planes. */
ZTI_INLINE void small_encode_planes(struct zti_bit_writer *w, struct small s, uint32_t count)
{
    uint64_t planes[8];
    small_planes(s, count, planes);
    for (uint32_t i = 0; i < count; i++)
        write_word(w, planes[i], ZTI_SZ_GROUP);
}

/* The values with the given planes. */
ZTI_INLINE struct small small_of_planes(const uint64_t *planes, uint32_t count)
{
    struct small s = small_zero();
    for (uint32_t j = count; j-- > 0;)
        s = small_raise(small_up(s, 1), planes[j]);
    return s;
}

/* The values with 'count' planes (1 to 8) of 64 bits, which begin at bit 'down' of 'from'; 72 bytes
 * of 'from' are readable. */
ZTI_INLINE struct small small_of_bits(const uint8_t *from, uint32_t down, uint32_t count)
{
    struct small s = small_zero();
    for (uint32_t j = count; j-- > 0;) {
        const uint64_t above = (uint64_t)from[8 * j + 8] << 1 << (63 - down);
        s = small_raise(small_up(s, 1), zti_get_le64(from + 8 * j) >> down | above);
    }
    return s;
}
#endif

/* ---- values of few bits, several in a symbol ---- */

/* Pack values of four bits, two in a symbol (is_pairs), or of two bits, four in a symbol. */
ZTI_INLINE void small_pack(struct small s, bool is_pairs, uint16_t *to)
{
    for (uint32_t i = 0; i < SMALL_PARTS; i++) {
        if (is_pairs) {
            const u16s v = (u16s)s.v[i];
            v_store_16(to + V_BYTES / 2 * i, (v | v >> 4) & 0xff);
        } else {
            const u32s v = (u32s)s.v[i], two = v | v >> 6;
            v_store_half_32(to + V_BYTES / 4 * i, (two | two >> 12) & 0xff);
        }
    }
}

/* The inverse of small_pack. */
ZTI_INLINE struct small small_unpack(const uint16_t *from, bool is_pairs)
{
    struct small s;
    for (uint32_t i = 0; i < SMALL_PARTS; i++) {
        if (is_pairs) {
            const u16s v = v_load_16(from + V_BYTES / 2 * i);
            s.v[i] = (u8s)(v | v << 4) & 15;
        } else {
            const u32s v = v_load_half_32(from + V_BYTES / 4 * i), two = v | v << 12;
            s.v[i] = (u8s)(two | two << 6) & 3;
        }
    }
    return s;
}
#undef SMALL_OF
