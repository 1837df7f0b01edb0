/* plain.h: the verbs of vectors.h in C, for vectors of 16 bytes. */

/* Each lane's predecessor; the first one's is the last of 'first'. */
ZTI_INLINE u32s v_before_32(u32s v, u32s first)
{
    return __builtin_shufflevector(first, v, 3, 4, 5, 6);
}
ZTI_INLINE u64s v_before_64(u64s v, u64s first)
{
    return __builtin_shufflevector(first, v, 1, 2);
}

/* Sums of each lane and all before it. */
ZTI_INLINE u32s v_sums_32(u32s v)
{
    v += __builtin_shufflevector(v, (u32s){0}, 4, 0, 1, 2);
    return v + __builtin_shufflevector(v, (u32s){0}, 4, 5, 0, 1);
}
ZTI_INLINE u64s v_sums_64(u64s v)
{
    return v + __builtin_shufflevector(v, (u64s){0}, 2, 0);
}

/* The last lane everywhere. */
ZTI_INLINE u32s v_last_32(u32s v)
{
    return __builtin_shufflevector(v, v, 3, 3, 3, 3);
}
ZTI_INLINE u64s v_last_64(u64s v)
{
    return __builtin_shufflevector(v, v, 1, 1);
}

/* Each lane's bits turned left by n, which is below its width. */
ZTI_INLINE u32s v_turn_32(u32s v, uint32_t n)
{
    return v << n | v >> (-n & 31);
}
ZTI_INLINE u64s v_turn_64(u64s v, uint32_t n)
{
    return v << n | v >> (-n & 63);
}

/* 0, 1, 2 ... */
ZTI_INLINE u32s v_iota_32(void)
{
    return (u32s){0, 1, 2, 3};
}
ZTI_INLINE u64s v_iota_64(void)
{
    return (u64s){0, 1};
}

/* The smaller of two unsigned numbers; the magnitude of a signed one. */
ZTI_INLINE u32s v_min_32(u32s a, u32s b)
{
    const u32s is_less = (u32s)(a < b);
    return (is_less & a) | (~is_less & b);
}
ZTI_INLINE u32s v_size_32(u32s v)
{
    return (v ^ v_sign_32(v)) - v_sign_32(v);
}
ZTI_INLINE u64s v_min_64(u64s a, u64s b)
{
    const u64s is_less = (u64s)(a < b);
    return (is_less & a) | (~is_less & b);
}
ZTI_INLINE u64s v_size_64(u64s v)
{
    return (v ^ v_sign_64(v)) - v_sign_64(v);
}

/* Whether any bit is set. */
ZTI_INLINE bool v_is_any(u32s v)
{
    return ((u64s)v)[0] != 0 || ((u64s)v)[1] != 0;
}

/* The OR of all lanes. */
ZTI_INLINE uint64_t v_or_64(u64s v)
{
    return v[0] | v[1];
}
ZTI_INLINE uint32_t v_or_32(u32s v)
{
    return v[0] | v[1] | v[2] | v[3];
}

/* Numbers below 256 to bytes, one behind the other, and back. */
ZTI_INLINE void v_store_bytes_32(uint8_t *to, u32s v)
{
    typedef uint8_t bytes __attribute__((vector_size(4)));
    const bytes narrow = __builtin_convertvector(v, bytes);
    memcpy(to, &narrow, sizeof narrow);
}
ZTI_INLINE u32s v_load_bytes_32(const uint8_t *from)
{
    typedef uint8_t bytes __attribute__((vector_size(4)));
    bytes narrow;
    memcpy(&narrow, from, sizeof narrow);
    return __builtin_convertvector(narrow, u32s);
}
ZTI_INLINE void v_store_bytes_64(uint8_t *to, u64s v)
{
    to[0] = (uint8_t)v[0];
    to[1] = (uint8_t)v[1];
}
ZTI_INLINE u64s v_load_bytes_64(const uint8_t *from)
{
    return (u64s){from[0], from[1]};
}

/* 16 bits of each lane, one behind the other, and back. */
ZTI_INLINE void v_store_half_32(void *to, u32s v)
{
    typedef uint16_t half __attribute__((vector_size(V_BYTES / 2)));
    const half narrow = __builtin_convertvector(v, half);
    memcpy(to, &narrow, sizeof narrow);
}
ZTI_INLINE u32s v_load_half_32(const void *from)
{
    typedef uint16_t half __attribute__((vector_size(V_BYTES / 2)));
    half narrow;
    memcpy(&narrow, from, sizeof narrow);
    return __builtin_convertvector(narrow, u32s);
}

/* Of two vectors of bytes those at even places; the low bytes of four vectors of numbers. */
ZTI_INLINE u8s v_even_8(u8s a, u8s b)
{
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}
ZTI_INLINE u8s v_bytes_32(const u32s *v)
{
    return v_even_8(v_even_8((u8s)v[0], (u8s)v[1]), v_even_8((u8s)v[2], (u8s)v[3]));
}

/* A bit for each byte, the first one's lowest: its top bit; whether it is above another. */
ZTI_INLINE uint64_t v_top_bits_8(u8s v)
{
    const u64s tops = (u64s)v >> 7 & UINT64_C(0x0101010101010101);
    return tops[0] * UINT64_C(0x0102040810204080) >> 56 |
           tops[1] * UINT64_C(0x0102040810204080) >> 56 << 8;
}
ZTI_INLINE uint64_t v_bits_above_8(u8s v, u8s other)
{
    return v_top_bits_8((u8s)(v > other));
}

/* Bytes raised by 1 where their bit is set. */
ZTI_INLINE u8s v_raise_8(u8s v, uint64_t bits)
{
    const u8s of = (u8s)v_all_64(UINT64_C(0x8040201008040201));
    const u64s all = {(bits & 255) * UINT64_C(0x0101010101010101),
                      (bits >> 8 & 255) * UINT64_C(0x0101010101010101)};
    return v - (u8s)(((u8s)all & of) == of);
}

ZTI_INLINE u8s v_min_8(u8s a, u8s b)
{
    const u8s is_less = (u8s)(a < b);
    return (is_less & a) | (~is_less & b);
}

/* The sum of all bytes, none of which is above 127. */
ZTI_INLINE uint32_t v_sum_8(u8s v)
{
    const uint64_t each = UINT64_C(0x00ff00ff00ff00ff), sums = ((u64s)v)[0] + ((u64s)v)[1];
    return (uint32_t)(((sums & each) + (sums >> 8 & each)) * UINT64_C(0x0001000100010001) >> 48);
}

/* Of a and then b, the lanes at even places, and those at odd ones. */
ZTI_INLINE u32s v_even_32(u32s a, u32s b)
{
    return __builtin_shufflevector(a, b, 0, 2, 4, 6);
}
ZTI_INLINE u32s v_odd_32(u32s a, u32s b)
{
    return __builtin_shufflevector(a, b, 1, 3, 5, 7);
}
ZTI_INLINE u64s v_even_64(u64s a, u64s b)
{
    return __builtin_shufflevector(a, b, 0, 2);
}
ZTI_INLINE u64s v_odd_64(u64s a, u64s b)
{
    return __builtin_shufflevector(a, b, 1, 3);
}

/* Numbers of 64 bits of a and then b in 32: the largest of these where they are more. */
ZTI_INLINE u32s v_saturated_64(u64s a, u64s b)
{
    return v_even_32((u32s)a, (u32s)b) | (u32s)(v_odd_32((u32s)a, (u32s)b) != 0);
}

/* Lanes of a and b in turns: of their first halves, and of their last. */
ZTI_INLINE u32s v_zip_low_32(u32s a, u32s b)
{
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}
ZTI_INLINE u32s v_zip_high_32(u32s a, u32s b)
{
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}
ZTI_INLINE u64s v_zip_low_64(u64s a, u64s b)
{
    return __builtin_shufflevector(a, b, 0, 2);
}
ZTI_INLINE u64s v_zip_high_64(u64s a, u64s b)
{
    return __builtin_shufflevector(a, b, 1, 3);
}

/* 64 bytes to a place that is a multiple of 64, past the caches where there is a way. */
ZTI_INLINE void v_stream_line(void *to, const void *from)
{
    memcpy(to, from, 64);
}
/* And that what went there is seen before what is stored from now on. */
ZTI_INLINE void v_stream_end(void) {}
