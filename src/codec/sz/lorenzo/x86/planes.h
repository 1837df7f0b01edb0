/* planes.h: kernel text: bit planes of 64 bytes with AVX-512: the functions of lorenzo/bytes.h in
 * one register, by products of bit matrices (GFNI). */

/* Transpose 8 x 8 bytes: byte 8 i + j goes to 8 j + i. */
ZTI_INLINE __m512i turned_bytes(__m512i v)
{
    const __m512i index = _mm512_set_epi64(
        0x3f372f271f170f07, 0x3e362e261e160e06, 0x3d352d251d150d05, 0x3c342c241c140c04,
        0x3b332b231b130b03, 0x3a322a221a120a02, 0x3931292119110901, 0x3830282018100800);
    return _mm512_permutexvar_epi8(index, v);
}

/* Transpose the 8 x 8 bits of each eight bytes: bit j of byte i goes to bit i of byte j. The bytes,
 * highest first, are a matrix that is multiplied by unit vectors. */
ZTI_INLINE __m512i turned_squares(__m512i v)
{
    const __m512i reversed = _mm512_set_epi64(
        0x08090a0b0c0d0e0f, 0x0001020304050607, 0x08090a0b0c0d0e0f, 0x0001020304050607,
        0x08090a0b0c0d0e0f, 0x0001020304050607, 0x08090a0b0c0d0e0f, 0x0001020304050607);
    const __m512i units = _mm512_set1_epi64((int64_t)UINT64_C(0x8040201008040201));
    return _mm512_gf2p8affine_epi64_epi8(units, _mm512_shuffle_epi8(v, reversed), 0);
}

ZTI_INLINE void small_planes(struct small s, uint32_t count, uint64_t *planes)
{
    (void)count;
    _mm512_storeu_si512(planes, turned_bytes(turned_squares((__m512i)s.v[0])));
}

/* Append 'count' planes, shifted left by the number of held bits. */
ZTI_INLINE void small_encode_planes(struct zti_bit_writer *w, struct small s, uint32_t count)
{
    const uint32_t held = w->held_bits;
    const __m512i planes = turned_bytes(turned_squares((__m512i)s.v[0]));
    const __m512i first = _mm512_set1_epi64((int64_t)(w->held << (-held & 63)));
    const __m512i before = _mm512_alignr_epi64(planes, first, 7);
    const __m512i up = _mm512_set1_epi64(held);
    _mm512_storeu_si512(w->next, _mm512_shldv_epi64(planes, before, up));
    const __m512i last = _mm512_permutexvar_epi64(_mm512_set1_epi64(count - 1), planes);
    w->next += 8 * count;
    w->held = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(last)) >> 1 >> (63 - held);
    *w->next = (uint8_t)w->held;
}

ZTI_INLINE struct small small_of_planes(const uint64_t *planes, uint32_t count)
{
    (void)count;
    return (struct small){{(u8s)turned_squares(turned_bytes(_mm512_loadu_si512(planes)))}};
}

ZTI_INLINE struct small small_of_bits(const uint8_t *from, uint32_t down, uint32_t count)
{
    const __m512i planes =
        _mm512_maskz_shrdv_epi64((__mmask8)((1u << count) - 1), _mm512_loadu_si512(from),
                                 _mm512_loadu_si512(from + 8), _mm512_set1_epi64((int64_t)down));
    return (struct small){{(u8s)turned_squares(turned_bytes(planes))}};
}

/* The numbers from which a class is chosen. */
struct small_rates {
    uint32_t some;  /* values that are not 0 */
    uint32_t first; /* the least k such that at most 'most' values have more than k bits */
    __m128i bits;   /* lane i: bits with k = first - 2 + i planes, less 64 * first: 64 (k - first)
                       and ZTI_SZ_UNARY_MOST unary bits a value at most; not valid if k < 0 */
};

/* Matrices that shift a byte right by k bits, from k = -2 on. */
static const uint64_t less_bits[12] = {0,
                                       0,
                                       0x0102040810204080,
                                       0x0204081020408000,
                                       0x0408102040800000,
                                       0x0810204080000000,
                                       0x1020408000000000,
                                       0x2040800000000000,
                                       0x4080000000000000,
                                       0x8000000000000000,
                                       0,
                                       0};

ZTI_INLINE __m512i small_sums(struct small s, const uint64_t *matrix)
{
    __m512i all = _mm512_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)(const void *)matrix));
    /* In a register: of an operand in memory clang 14 makes eight times the distance (compressed
     * displacements of this instruction are counted in lines). */
    __asm__("" : "+v"(all));
    const __m512i high = _mm512_gf2p8affine_epi64_epi8((__m512i)s.v[0], all, 0);
    return _mm512_sad_epu8(_mm512_min_epu8(high, _mm512_set1_epi8(ZTI_SZ_UNARY_MOST)),
                           _mm512_setzero_si512());
}

ZTI_INLINE struct small_rates small_rates_of(struct small s, uint32_t most)
{
    const __m512i zero = _mm512_setzero_si512();
    struct small_rates r;
    /* lane k: the values with a bit in plane k or above; then their number */
    __m512i who = turned_bytes(turned_squares((__m512i)s.v[0]));
    who = _mm512_or_si512(who, _mm512_alignr_epi64(zero, who, 1));
    who = _mm512_or_si512(who, _mm512_alignr_epi64(zero, who, 2));
    who = _mm512_or_si512(who, _mm512_alignr_epi64(zero, who, 4));
    const __m512i count = _mm512_popcnt_epi64(who);
    const uint32_t few = _mm512_cmple_epu64_mask(count, _mm512_set1_epi64(most));
    r.some = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(count));
    r.first = zti_ctz64(few | 1u << 8);
    const uint64_t *const matrix = less_bits + r.first;
    const __m512i two = _mm512_packus_epi32(small_sums(s, matrix), small_sums(s, matrix + 1));
    const __m512i more = _mm512_packus_epi32(small_sums(s, matrix + 2), small_sums(s, matrix + 3));
    const __m512i pairs = _mm512_packus_epi32(two, more);
    const __m512i all = _mm512_add_epi32(_mm512_and_si512(pairs, _mm512_set1_epi32(0xffff)),
                                         _mm512_srli_epi32(pairs, 16));
    const __m256i half =
        _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
    const __m128i four =
        _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    r.bits = _mm_add_epi32(four, _mm_setr_epi32(-128, -64, 0, 64));
    return r;
}

/* Bit i is set if k = first - 2 + i takes fewer (or more) bits than the next k. */
ZTI_INLINE uint32_t small_is_less(struct small_rates r)
{
    return _mm_cmplt_epi32_mask(r.bits, _mm_shuffle_epi32(r.bits, 0xf9));
}

ZTI_INLINE uint32_t small_is_more(struct small_rates r)
{
    return _mm_cmpgt_epi32_mask(r.bits, _mm_shuffle_epi32(r.bits, 0xf9));
}

/* The bits with k = first, or (is_less) first - 1. */
ZTI_INLINE uint32_t small_rate(struct small_rates r, bool is_less)
{
    const uint64_t two = (uint64_t)_mm_cvtsi128_si64(_mm_shuffle_epi32(r.bits, 0x09));
    return (uint32_t)(is_less ? two : two >> 32);
}
