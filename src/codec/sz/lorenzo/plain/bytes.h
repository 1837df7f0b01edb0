/* bytes.h: kernel text: 64 values of eight bits. What is compared, counted, packed and turned
 * into planes is a byte a value, whatever the width of the integers (lorenzo/plain/words.h). This
 * text is the specification, in words of eight bytes; lorenzo/x86/bytes_avx2.h and
 * lorenzo/x86/bytes_avx512.h are the same. */

struct small {
    uint64_t of[8]; /* the first value in the lowest byte */
};

#define EACH_BYTE(x) (UINT64_C(0x0101010101010101) * (x))

ZTI_INLINE struct small small_zero(void)
{
    return (struct small){{0, 0, 0, 0, 0, 0, 0, 0}};
}

ZTI_INLINE struct small small_load(const uint8_t *from)
{
    struct small s;
    for (uint32_t i = 0; i < 8; i++)
        s.of[i] = zti_get_le64(from + 8 * i);
    return s;
}

ZTI_INLINE void small_store(struct small s, uint8_t *to)
{
    for (uint32_t i = 0; i < 8; i++)
        zti_put_le64(to + 8 * i, s.of[i]);
}

/* Bit i: value i > limit, which is at most 255. */
ZTI_INLINE uint64_t small_above(struct small s, uint32_t limit)
{
    const uint64_t top = EACH_BYTE(0x80), up = EACH_BYTE(127 - (limit & 127));
    uint64_t word = 0;
    for (uint32_t i = 0; i < 8; i++) {
        const uint64_t low = (s.of[i] & ~top) + up;
        const uint64_t is_above = (limit < 128 ? low | s.of[i] : low & s.of[i]) & top;
        word |= is_above / 0x80 * UINT64_C(0x0102040810204080) >> 56 << 8 * i;
    }
    return word;
}

/* All values without their low k <= 8 bits. */
ZTI_INLINE struct small small_down(struct small s, uint32_t k)
{
    for (uint32_t i = 0; i < 8; i++)
        s.of[i] = s.of[i] >> k & EACH_BYTE(0xffu >> k);
    return s;
}

/* All values times 2^k; they stay below 256. */
ZTI_INLINE struct small small_up(struct small s, uint32_t k)
{
    for (uint32_t i = 0; i < 8; i++)
        s.of[i] <<= k;
    return s;
}

ZTI_INLINE struct small small_or(struct small a, struct small b)
{
    for (uint32_t i = 0; i < 8; i++)
        a.of[i] |= b.of[i];
    return a;
}

/* Each value, or 'most' where that is less. */
ZTI_INLINE struct small small_least(struct small s, uint32_t most)
{
    uint8_t bytes[64];
    small_store(s, bytes);
    for (uint32_t i = 0; i < 64; i++)
        bytes[i] = bytes[i] < most ? bytes[i] : (uint8_t)most;
    return small_load(bytes);
}

/* The sum of all values, none of which is above 31. */
ZTI_INLINE uint32_t small_sum(struct small s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 8; i++)
        sum += s.of[i];
    sum = (sum & UINT64_C(0x00ff00ff00ff00ff)) + (sum >> 8 & UINT64_C(0x00ff00ff00ff00ff));
    return (uint32_t)(sum * UINT64_C(0x0001000100010001) >> 48);
}

/* Raise those by 1 whose bit is set. */
ZTI_INLINE struct small small_raise(struct small s, uint64_t word)
{
    for (uint32_t i = 0; i < 8; i++) {
        const uint64_t bits = EACH_BYTE(word >> 8 * i & 255) & UINT64_C(0x8040201008040201);
        s.of[i] += (bits + EACH_BYTE(0x7f)) >> 7 & EACH_BYTE(1);
    }
    return s;
}

/* Eight rows of eight bits become columns (Warren, Hacker's Delight, section 7-3). */
ZTI_INLINE uint64_t turned_square(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
    return x ^ t ^ t << 28;
}

/* Bit i of planes[j]: bit j of value i. */
ZTI_INLINE void small_planes(struct small s, uint64_t *planes)
{
    memset(planes, 0, 8 * sizeof *planes);
    for (uint32_t i = 0; i < 8; i++) {
        const uint64_t turned = turned_square(s.of[i]);
        for (uint32_t j = 0; j < 8; j++)
            planes[j] |= (turned >> 8 * j & 255) << 8 * i;
    }
}

/* And back. */
ZTI_INLINE struct small small_of_planes(const uint64_t *planes)
{
    struct small s;
    for (uint32_t i = 0; i < 8; i++) {
        uint64_t turned = 0;
        for (uint32_t j = 0; j < 8; j++)
            turned |= (planes[j] >> 8 * i & 255) << 8 * j;
        s.of[i] = turned_square(turned);
    }
    return s;
}

/* From so many planes of 64 bits, 1 to 8, that begin 'down' bits above 'from'; of what is behind
 * them, 72 bytes from there are readable. */
ZTI_INLINE struct small small_of_bits(const uint8_t *from, uint32_t down, uint32_t count)
{
    uint64_t planes[8] = {0};
    for (uint32_t j = 0; j < count; j++)
        planes[j] = zti_get_le64(from + 8 * j) >> down | (uint64_t)from[8 * j + 8] << 1
                                                                                   << (63 - down);
    return small_of_planes(planes);
}

/* Values of four bits, two in each of 32 symbols; or of two bits, four in each of 16. */
ZTI_INLINE void small_pack(struct small s, bool is_pairs, uint16_t *to)
{
    uint8_t b[64];
    small_store(s, b);
    for (uint32_t i = 0; i < 32 && is_pairs; i++)
        to[i] = (uint16_t)(b[2 * i] | b[2 * i + 1] << 4);
    for (uint32_t i = 0; i < 64 && !is_pairs; i += 4)
        to[i / 4] = (uint16_t)(b[i] | b[i + 1] << 2 | b[i + 2] << 4 | b[i + 3] << 6);
}

/* And back. */
ZTI_INLINE struct small small_unpack(const uint16_t *from, bool is_pairs)
{
    uint8_t b[64];
    for (uint32_t i = 0; i < 32 && is_pairs; i++) {
        b[2 * i] = (uint8_t)(from[i] & 15);
        b[2 * i + 1] = (uint8_t)(from[i] >> 4);
    }
    for (uint32_t i = 0; i < 64 && !is_pairs; i++)
        b[i] = (uint8_t)(from[i / 4] >> 2 * (i % 4) & 3);
    return small_load(b);
}

/* 64 bytes to an aligned line of memory that is not looked at again soon. */
ZTI_INLINE void small_stream(struct small s, uint8_t *to)
{
    small_store(s, to);
}

ZTI_INLINE void small_stream_end(void) {}
