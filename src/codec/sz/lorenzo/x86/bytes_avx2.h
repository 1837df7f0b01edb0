/* bytes_avx2.h: lorenzo/plain/bytes.h with AVX2: two registers. */

struct small {
    __m256i v[2];
};

/* The same for both registers. */
#define BOTH(x)                                                                                    \
    (struct small)                                                                                 \
    {                                                                                              \
        {                                                                                          \
            (x(0)), (x(1))                                                                         \
        }                                                                                          \
    }

ZTI_INLINE struct small small_zero(void)
{
    return (struct small){{_mm256_setzero_si256(), _mm256_setzero_si256()}};
}

ZTI_INLINE struct small small_load(const uint8_t *from)
{
#define HALF(i) _mm256_loadu_si256((const __m256i *)(const void *)(from + 32 * (i)))
    return BOTH(HALF);
#undef HALF
}

ZTI_INLINE void small_store(struct small s, uint8_t *to)
{
    for (uint32_t i = 0; i < 2; i++)
        _mm256_storeu_si256((__m256i *)(void *)(to + 32 * i), s.v[i]);
}

/* The top bits of all bytes. */
ZTI_INLINE uint64_t top_bits(struct small s)
{
    return (uint32_t)_mm256_movemask_epi8(s.v[0]) | (uint64_t)(uint32_t)_mm256_movemask_epi8(s.v[1])
                                                        << 32;
}

/* What is not above is the least of the value and the limit. */
ZTI_INLINE uint64_t small_above(struct small s, uint32_t limit)
{
    const __m256i most = _mm256_set1_epi8((char)limit);
#define HALF(i) _mm256_cmpeq_epi8(_mm256_min_epu8(s.v[i], most), s.v[i])
    return ~top_bits(BOTH(HALF));
#undef HALF
}

ZTI_INLINE struct small small_down(struct small s, uint32_t k)
{
    const __m256i kept = _mm256_set1_epi8((char)(0xffu >> k));
    const __m128i down = _mm_cvtsi32_si128((int32_t)k);
#define HALF(i) _mm256_and_si256(_mm256_srl_epi16(s.v[i], down), kept)
    return BOTH(HALF);
#undef HALF
}

ZTI_INLINE struct small small_up(struct small s, uint32_t k)
{
    const __m128i up = _mm_cvtsi32_si128((int32_t)k);
#define HALF(i) _mm256_sll_epi16(s.v[i], up)
    return BOTH(HALF);
#undef HALF
}

ZTI_INLINE struct small small_or(struct small a, struct small b)
{
#define HALF(i) _mm256_or_si256(a.v[i], b.v[i])
    return BOTH(HALF);
#undef HALF
}

ZTI_INLINE struct small small_least(struct small s, uint32_t most)
{
    const __m256i limit = _mm256_set1_epi8((char)most);
#define HALF(i) _mm256_min_epu8(s.v[i], limit)
    return BOTH(HALF);
#undef HALF
}

ZTI_INLINE uint32_t small_sum(struct small s)
{
    const __m256i eights = _mm256_sad_epu8(_mm256_add_epi8(s.v[0], s.v[1]), _mm256_setzero_si256());
    const __m128i two =
        _mm_add_epi32(_mm256_castsi256_si128(eights), _mm256_extracti128_si256(eights, 1));
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(two, _mm_unpackhi_epi64(two, two)));
}

ZTI_INLINE struct small small_raise(struct small s, uint64_t word)
{
    const __m256i which =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit = _mm256_set1_epi64x((int64_t)UINT64_C(0x8040201008040201));
    for (uint32_t i = 0; i < 2; i++) {
        const __m256i all = _mm256_set1_epi32((int32_t)(uint32_t)(word >> 32 * i));
        const __m256i own = _mm256_and_si256(_mm256_shuffle_epi8(all, which), bit);
        s.v[i] = _mm256_sub_epi8(s.v[i], _mm256_cmpeq_epi8(own, bit));
    }
    return s;
}

ZTI_INLINE void small_planes(struct small s, uint64_t *planes)
{
    for (uint32_t j = 8; j-- > 0; s = small_up(s, 1))
        planes[j] = top_bits(s);
}

/* Eight rows of eight bits become columns, in each eight bytes (Warren, Hacker's Delight, section
 * 7-3). */
ZTI_INLINE __m256i turned_squares(__m256i x)
{
#define STEP(s, mask)                                                                              \
    do {                                                                                           \
        const __m256i t = _mm256_and_si256(_mm256_xor_si256(x, _mm256_srli_epi64(x, s)),           \
                                           _mm256_set1_epi64x(mask));                              \
        x = _mm256_xor_si256(x, _mm256_xor_si256(t, _mm256_slli_epi64(t, s)));                     \
    } while (0)
    STEP(7, 0x00aa00aa00aa00aa);
    STEP(14, 0x0000cccc0000cccc);
    STEP(28, 0x00000000f0f0f0f0);
#undef STEP
    return x;
}

/* Bytes 8 j + i of the planes to 8 i + j, by unpacking. */
ZTI_INLINE struct small small_of_planes(const uint64_t *planes)
{
    __m128i two[4], four[4];
    for (uint32_t j = 0; j < 4; j++)
        two[j] =
            _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(const void *)(planes + 2 * j)),
                              _mm_loadl_epi64((const __m128i *)(const void *)(planes + 2 * j + 1)));
    for (uint32_t j = 0; j < 2; j++) {
        four[j] = _mm_unpacklo_epi16(two[2 * j], two[2 * j + 1]);
        four[2 + j] = _mm_unpackhi_epi16(two[2 * j], two[2 * j + 1]);
    }
#define HALF(i)                                                                                    \
    turned_squares(_mm256_set_m128i(_mm_unpackhi_epi32(four[2 * (i)], four[2 * (i) + 1]),          \
                                    _mm_unpacklo_epi32(four[2 * (i)], four[2 * (i) + 1])))
    return BOTH(HALF);
#undef HALF
}

ZTI_INLINE struct small small_of_bits(const uint8_t *from, uint32_t down, uint32_t count)
{
    const __m128i right = _mm_cvtsi32_si128((int32_t)down);
    const __m128i left = _mm_cvtsi32_si128((int32_t)(64 - down)); /* by 64: zeros */
    uint64_t planes[8] = {0};
    for (uint32_t i = 0; i < (count > 4 ? 2 : 1); i++) {
        const __m256i *const at = (const __m256i *)(const void *)(from + 32 * i);
        const __m256i *const next = (const __m256i *)(const void *)(from + 32 * i + 8);
        const __m256i word = _mm256_or_si256(_mm256_srl_epi64(_mm256_loadu_si256(at), right),
                                             _mm256_sll_epi64(_mm256_loadu_si256(next), left));
        const __m256i number =
            _mm256_add_epi64(_mm256_setr_epi64x(0, 1, 2, 3), _mm256_set1_epi64x(4 * (int64_t)i));
        const __m256i is_there = _mm256_cmpgt_epi64(_mm256_set1_epi64x((int64_t)count), number);
        _mm256_storeu_si256((__m256i *)(void *)(planes + 4 * i), _mm256_and_si256(word, is_there));
    }
    return small_of_planes(planes);
}

ZTI_INLINE void small_pack(struct small s, bool is_pairs, uint16_t *to)
{
    const __m256i weights = _mm256_set1_epi16(is_pairs ? 0x1001 : 0x0401);
    __m256i two[2];
    for (uint32_t i = 0; i < 2; i++)
        two[i] = _mm256_maddubs_epi16(s.v[i], weights);
    if (is_pairs) {
        for (uint32_t i = 0; i < 2; i++)
            _mm256_storeu_si256((__m256i *)(void *)(to + 16 * i), two[i]);
        return;
    }
    for (uint32_t i = 0; i < 2; i++)
        two[i] = _mm256_madd_epi16(two[i], _mm256_set1_epi32(0x00100001));
    const __m256i all = _mm256_packus_epi32(two[0], two[1]);
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permute4x64_epi64(all, 0xd8));
}

ZTI_INLINE struct small small_unpack(const uint16_t *from, bool is_pairs)
{
    struct small s;
    for (uint32_t i = 0; i < 2; i++) {
        if (is_pairs) {
            const __m256i two = _mm256_loadu_si256((const __m256i *)(const void *)(from + 16 * i));
            const __m256i both = _mm256_or_si256(two, _mm256_slli_epi16(two, 4));
            s.v[i] = _mm256_and_si256(both, _mm256_set1_epi8(15));
        } else {
            const __m256i four = _mm256_cvtepu16_epi32(
                _mm_loadu_si128((const __m128i *)(const void *)(from + 8 * i)));
            const __m256i twos = _mm256_or_si256(four, _mm256_slli_epi32(four, 12));
            const __m256i ones = _mm256_or_si256(twos, _mm256_slli_epi32(twos, 6));
            s.v[i] = _mm256_and_si256(ones, _mm256_set1_epi8(3));
        }
    }
    return s;
}
#undef BOTH

ZTI_INLINE void small_stream(struct small s, uint8_t *to)
{
    for (uint32_t i = 0; i < 2; i++)
        _mm256_stream_si256((__m256i *)(void *)(to + 32 * i), s.v[i]);
}

ZTI_INLINE void small_stream_end(void)
{
    _mm_sfence();
}
