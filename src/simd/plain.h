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

/* Whether any bit is set. */
ZTI_INLINE bool v_is_any(u32s v)
{
    return ((u64s)v)[0] != 0 || ((u64s)v)[1] != 0;
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

/* Of a and then b, the lanes at even places, and those at odd ones. */
ZTI_INLINE u32s v_even_32(u32s a, u32s b)
{
    return __builtin_shufflevector(a, b, 0, 2, 4, 6);
}
ZTI_INLINE u32s v_odd_32(u32s a, u32s b)
{
    return __builtin_shufflevector(a, b, 1, 3, 5, 7);
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

/* 64 bytes to a place that is a multiple of 64, past the caches where there is a way. */
ZTI_INLINE void v_stream_line(void *to, const void *from)
{
    memcpy(to, from, 64);
}
