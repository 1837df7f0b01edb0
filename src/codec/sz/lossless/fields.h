/* fields.h: kernel text: with AVX-512, 8 numbers of 64 bits at a time: keys and residuals as such,
 * and fields of bits that follow each other in memory. */
#if defined(ZTI_WITH_AVX512)

/* The next 8 fields from bit *at on, of these numbers of bits; 64 bytes can be read. False, and
 * nothing is taken, where fields are too long. */
ZTI_INLINE bool read_fields(const uint8_t *base, uint64_t *at, u64s count, u64s *bits)
{
    enum { MOST = 57, LAST_BEGIN = 455 }; /* the bytes of a field are 8 at most, in the window */
    const u64s end = v_sums_64(count), begin = end - count + v_all_64(*at & 7);
    if (WIDTH == 64 &&
        (begin[7] > LAST_BEGIN || _mm512_cmpgt_epu64_mask((__m512i)count, (__m512i)v_all_64(MOST))))
        return false;
    const __m512i window = _mm512_loadu_si512((const void *)(base + (*at >> 3)));
    const __m512i lowest = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0808080808080808, 0));
    const __m512i byte = _mm512_add_epi8(_mm512_shuffle_epi8((__m512i)(begin >> 3), lowest),
                                         _mm512_set1_epi64(0x0706050403020100));
    *bits = (u64s)_mm512_permutexvar_epi8(byte, window) >> (begin & 7) &
            ~(v_all_64(UINT64_MAX) << count);
    *at += end[7];
    return true;
}

ZTI_INLINE u64s load_eight(const key *from)
{
#if WIDTH == 32
    return (u64s)_mm512_cvtepi32_epi64(_mm256_loadu_si256((const void *)from));
#else
    return (u64s)_mm512_loadu_si512((const void *)from);
#endif
}

ZTI_INLINE void store_eight(u64s v, void *to)
{
#if WIDTH == 32
    _mm256_storeu_si256(to, _mm512_cvtepi64_epi32((__m512i)v));
#else
    _mm512_storeu_si512(to, (__m512i)v);
#endif
}

#endif
