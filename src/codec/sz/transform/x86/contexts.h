/* contexts.h: kernel text, AVX2: sums over a row's neighbours in other rows, and a row's contexts,
 * by vectors; code.h has the same in plain C. Up to CONTEXT_GROUP places behind a row sums and
 * contexts are stored, and cells, sums and scales are read. */

enum { CONTEXT_GROUP = 32 };

ZTI_INLINE __m256i load_256(const void *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

ZTI_INLINE void store_256(void *to, __m256i v)
{
    _mm256_storeu_si256((__m256i *)to, v);
}

/* Weighted sums over neighbours in other rows. First come diagonal neighbours, which all weigh
 * 'diagonal'. Then come two neighbours along each of 'axes' axes: the one before weighs 'weight',
 * the one before that a third of it. The sums of cells have 15 bits. */
ZTI_INLINE void sum_vectors(const ptrdiff_t *at, uint32_t diagonals, uint32_t axes,
                            uint32_t diagonal, uint32_t weight, const uint16_t *cell, uint32_t n,
                            uint32_t *sum)
{
    enum { AT_A_TIME = 16 };
    const __m256i weights = _mm256_set1_epi32((int32_t)(diagonal | weight / 3 << 16));
    for (uint32_t i = 0; i < n; i += AT_A_TIME) {
        __m256i across = _mm256_setzero_si256(), along = across;
#pragma GCC unroll 6
        for (uint32_t k = 0; k < diagonals; k++)
            across = _mm256_add_epi16(across, load_256(cell + i + at[k]));
#pragma GCC unroll 2
        for (uint32_t k = diagonals; k < diagonals + 2 * axes; k += 2) {
            const __m256i one = load_256(cell + i + at[k]), two = load_256(cell + i + at[k + 1]);
            along = _mm256_add_epi16(along, _mm256_add_epi16(_mm256_add_epi16(one, one), one));
            along = _mm256_add_epi16(along, two);
        }
        const __m256i a = _mm256_madd_epi16(_mm256_unpacklo_epi16(across, along), weights);
        const __m256i b = _mm256_madd_epi16(_mm256_unpackhi_epi16(across, along), weights);
        store_256(sum + i, _mm256_permute2x128_si256(a, b, 0x20));
        store_256(sum + i + 8, _mm256_permute2x128_si256(a, b, 0x31));
    }
}

/* tf_context of each place. */
ZTI_INLINE __m256i contexts_of(__m256i sum, __m256i scale)
{
    const __m256i of_scale = _mm256_mullo_epi32(sum, scale);
    const __m256i v = _mm256_add_epi32(_mm256_srli_epi32(of_scale, 8), _mm256_set1_epi32(8));
    return _mm256_sub_epi32(_mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(v)), 21),
                            _mm256_set1_epi32(4 * (127 + 3)));
}

/* The contexts of the next eight places. weights: of the places one and two before, as 16 bits. */
ZTI_INLINE __m256i contexts_of_8(const uint16_t *cell, const uint32_t *sum, const uint32_t *scale,
                                 __m256i weights)
{
    const __m256i one = _mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)(cell - 1)));
    const __m256i two = _mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)(cell - 2)));
    const __m256i both = _mm256_or_si256(one, _mm256_slli_epi32(two, 16));
    const __m256i near = _mm256_madd_epi16(both, weights);
    return contexts_of(_mm256_add_epi32(load_256(sum), near), load_256(scale));
}

/* find_contexts. */
static void find_context_vectors(uint32_t one, uint32_t two, const uint32_t *scale,
                                 const uint16_t *cell, uint32_t n, const uint32_t *sum,
                                 uint8_t *context)
{
    const __m256i weights = _mm256_set1_epi32((int32_t)(one | two << 16));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    for (uint32_t i = 0; i < n; i += CONTEXT_GROUP) {
        __m256i own[4];
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t at = i + 8 * k;
            own[k] = contexts_of_8(cell + at, sum + at, scale + at, weights);
        }
        const __m256i low = _mm256_packus_epi32(own[0], own[1]);
        const __m256i high = _mm256_packus_epi32(own[2], own[3]);
        const __m256i all = _mm256_packus_epi16(low, high);
        store_256(context + i, _mm256_permutevar8x32_epi32(all, order));
    }
}

/* Replace contexts by their models, as many as fill vectors; returns how many. */
static size_t map_vectors(uint8_t *context, size_t n, const uint8_t *model_of)
{
    enum { TABLE = 16, TABLES = (ZTI_TF_CONTEXTS + TABLE - 1) / TABLE };
    uint8_t model[TABLES * TABLE] = {0};
    __m256i table[TABLES];
    size_t i = 0;
    memcpy(model, model_of, ZTI_TF_CONTEXTS);
    for (uint32_t k = 0; k < TABLES; k++)
        table[k] = _mm256_broadcastsi128_si256(
            _mm_loadu_si128((const __m128i *)(const void *)(model + TABLE * k)));
    for (; i + sizeof(__m256i) <= n; i += sizeof(__m256i)) {
        const __m256i own = load_256(context + i);
        __m256i all = _mm256_setzero_si256();
#pragma GCC unroll 8
        for (uint32_t k = 0; k < TABLES; k++) { /* nothing from places past the table's end */
            const __m256i at = _mm256_sub_epi8(own, _mm256_set1_epi8((char)(TABLE * k)));
            const __m256i past = _mm256_adds_epu8(at, _mm256_set1_epi8(0x70));
            all = _mm256_or_si256(all, _mm256_shuffle_epi8(table[k], past));
        }
        store_256(context + i, all);
    }
    return i;
}
