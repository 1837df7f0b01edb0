/* quantize.h: kernel text, AVX2 and AVX-512, narrow streams: what transform/quantize.h does, by
 * vectors. Symbols are stored up to a vector of bytes behind a row's last one. */

enum {
    TALLIED_VALUES = (1 << 15) * V_LANES_32,
    GROUP_VECTORS = 4, /* whose symbols, a byte each, fill one vector */
    ROW_GROUP = GROUP_VECTORS * V_LANES_32
};

/* Sums of a vector's lanes, and for some rows of a band. */
struct lane_sums {
    i32s off[ZTI_TF_CENTROIDS], number[ZTI_TF_CENTROIDS], is_over;
};

struct tally {
    struct lane_sums sums;
    uint32_t values;
    uint64_t open_bits;
    uint32_t number[ZTI_TF_CENTROIDS]; /* beside those of lanes */
};

/* The multiples of the step in a vector of coefficients; *m: their magnitudes. */
ZTI_INLINE u32s quantize_vector(u32s value, number scale, f32s *m, struct lane_sums *t)
{
    const u32s sign = value & ~(UINT32_MAX >> 1);
    const f32s v = (f32s)(value ^ sign) * scale;
    const f32s up = v_floor_32(v + (number)ZTI_TF_ROUNDING);
    const i32s is_counted = up < (int)ZTI_TF_COUNTED;
    const f32s off = (f32s)((i32s)((v - up) * (int)ZTI_TF_OFF_PARTS) & is_counted);
    const i32s by = __builtin_convertvector(off, i32s);
    const i32s is1 = up == 1, is2 = up == 2, is3 = (up >= 3) & is_counted;
    t->is_over |= ~(up < (number)ZTI_TF_MOST_MAGNITUDE);
    t->off[0] += by & is1;
    t->off[1] += by & is2;
    t->off[2] += by & is3;
    t->number[0] -= is1;
    t->number[1] -= is2;
    t->number[2] -= is3;
    *m = up;
    return (u32s)up | sign;
}

/* symbol_of each magnitude. */
ZTI_INLINE u32s symbols_of_vector(f32s m)
{
    const u32s is_plain = (u32s)(m < (int)ZTI_TF_PLAIN_MAGNITUDES);
    const f32s plain = (f32s)((u32s)m & is_plain);
    const u32s open = ZTI_TF_OPEN_SYMBOL((u32s)m, MANTISSA_BITS, BIAS);
    return (u32s) __builtin_convertvector(plain, i32s) | (open & ~is_plain);
}

/* weight_of each magnitude; numbers that are not below 0 are in the order of their bits. */
ZTI_INLINE u32s weights_of_vector(f32s m, number part)
{
    const u32s most = v_all_32(bits_of((1 << ZTI_TF_MAGNITUDE_BITS) - 1));
    const u32s is_plain = (u32s)(m < (int)ZTI_TF_PLAIN_MAGNITUDES);
    const u32s open = ZTI_TF_MIDDLE((u32s)m, MANTISSA_BITS);
    const f32s middle = (f32s)(((u32s)m & is_plain) | (open & ~is_plain));
    const f32s weight = (f32s)v_min_32((u32s)(middle * part), most);
    return (u32s) __builtin_convertvector(weight, i32s);
}

/* How many bits symbols leave open, with signs. */
ZTI_INLINE uint32_t open_bits_of(u8s symbol)
{
    const u8s open = ZTI_TF_OPEN_BITS(symbol) & (u8s)(symbol >= ZTI_TF_PLAIN_MAGNITUDES);
    return v_sum_8(open - (u8s)(symbol != 0));
}

/* Quantize the next vector of a row that has n coefficients left, and set their cells. Returns
 * their symbols. */
ZTI_INLINE u32s quantize_some(number *value, uint32_t n, number scale, number part, uint16_t *cell,
                              struct lane_sums *sums)
{
    const bool is_full = n >= V_LANES_32;
    const u32s v = is_full ? v_load_32(value) : v_load_32(value) & first_fields(n);
    f32s m;
    const u32s multiples = quantize_vector(v, scale, &m, sums);
    const u32s weights = weights_of_vector(m, part);
    if (is_full) {
        v_store_32(value, multiples);
        v_store_half_32(cell, weights);
    } else {
        uint16_t own[V_LANES_32];
        v_store_half_32(own, weights);
        memcpy(cell, own, n * sizeof *own);
        store_first(value, n, multiples);
    }
    return symbols_of_vector(m);
}

/* The next coefficients of a row, up to ROW_GROUP of them. */
ZTI_INLINE void quantize_group(number *value, uint32_t n, number scale, number part,
                               uint8_t *symbol, uint16_t *cell, struct tally *tally)
{
    const i32s none = {0};
    struct lane_sums own = {{none, none, none}, {none, none, none}, none};
    u32s symbols[GROUP_VECTORS];
#pragma GCC unroll 4
    for (uint32_t k = 0; k < GROUP_VECTORS; k++) {
        const uint32_t at = k * V_LANES_32;
        symbols[k] = (u32s)none;
        if (at < n)
            symbols[k] = quantize_some(value + at, n - at, scale, part, cell + at, &own);
    }
    const u8s bytes = v_bytes_32(symbols);
    v_store_8(symbol, bytes);
    for (uint32_t k = 0; k < ZTI_TF_CENTROIDS; k++) {
        tally->sums.off[k] += own.off[k];
        tally->sums.number[k] += own.number[k];
    }
    tally->sums.is_over |= own.is_over;
    tally->open_bits += open_bits_of(bytes);
}

#if defined(ZTI_WITH_AVX512)
enum { PLAIN_GROUP = 2 * V_LANES_32 };

/* A vector of magnitudes that are their own symbols: their multiples, cells and tally. */
ZTI_INLINE void put_plain(number *value, b32s places, u32s v, f32s m, f32s up, number part,
                          uint8_t *symbol, uint16_t *cell, i32s *off, struct tally *t)
{
    const __m512 u = (__m512)up, two = _mm512_set1_ps(2);
    const b32s some = _mm512_cmp_ps_mask(u, _mm512_setzero_ps(), _CMP_NEQ_OQ);
    const b32s is1 = _mm512_cmp_ps_mask(u, _mm512_set1_ps(1), _CMP_EQ_OQ);
    const b32s is2 = _mm512_cmp_ps_mask(u, two, _CMP_EQ_OQ);
    const b32s is3 = _mm512_cmp_ps_mask(u, two, _CMP_GT_OQ);
    const __m512i by = (__m512i) __builtin_convertvector((m - up) * (int)ZTI_TF_OFF_PARTS, i32s);
    const __m512i whole = _mm512_cvttps_epi32(u);
    const __m512i weight = part == 1 ? whole : _mm512_cvttps_epi32((__m512)(up * part));
    off[0] = (i32s)_mm512_mask_add_epi32((__m512i)off[0], is1, (__m512i)off[0], by);
    off[1] = (i32s)_mm512_mask_add_epi32((__m512i)off[1], is2, (__m512i)off[1], by);
    off[2] = (i32s)_mm512_mask_add_epi32((__m512i)off[2], is3, (__m512i)off[2], by);
    t->number[0] += (uint32_t)_mm_popcnt_u32(is1);
    t->number[1] += (uint32_t)_mm_popcnt_u32(is2);
    t->number[2] += (uint32_t)_mm_popcnt_u32(is3);
    t->open_bits += (uint32_t)_mm_popcnt_u32(some);
    const u32s multiple = (v & ~(UINT32_MAX >> 1)) | (u32s)up;
    if (places == (b32s)UINT32_MAX) { /* loads wait for masked stores */
        v_store_32(value, multiple);
        v_store_half_32(cell, (u32s)weight);
    } else {
        _mm512_mask_storeu_epi32(value, places, (__m512i)multiple);
        _mm256_mask_storeu_epi16(cell, places, _mm512_cvtepi32_epi16(weight));
    }
    v_store_bytes_32(symbol, (u32s)whole);
}

/* The next coefficients of a row, up to PLAIN_GROUP of them, if their magnitudes are their own
 * symbols; false: nothing is done. */
ZTI_INLINE bool quantize_plain(number *value, uint32_t n, number scale, number part,
                               uint8_t *symbol, uint16_t *cell, struct tally *t)
{
    const uint32_t places = UINT32_MAX >> (PLAIN_GROUP - n);
    const b32s low = (b32s)places, high = (b32s)(places >> V_LANES_32);
    const u32s a = (u32s)_mm512_maskz_loadu_epi32(low, value);
    const u32s b = (u32s)_mm512_maskz_loadu_epi32(high, value + V_LANES_32);
    const f32s m_a = (f32s)(a & (UINT32_MAX >> 1)) * scale;
    const f32s m_b = (f32s)(b & (UINT32_MAX >> 1)) * scale;
    const f32s up_a = v_floor_32(m_a + (number)ZTI_TF_ROUNDING);
    const f32s up_b = v_floor_32(m_b + (number)ZTI_TF_ROUNDING);
    const __m512 most = _mm512_max_ps((__m512)up_a, (__m512)up_b);
    if (_mm512_cmp_ps_mask(most, _mm512_set1_ps((int)ZTI_TF_PLAIN_MAGNITUDES), _CMP_NLT_UQ) != 0)
        return false;
    i32s off[ZTI_TF_CENTROIDS] = {t->sums.off[0], t->sums.off[1], t->sums.off[2]};
    put_plain(value, low, a, m_a, up_a, part, symbol, cell, off, t);
    put_plain(value + V_LANES_32, high, b, m_b, up_b, part, symbol + V_LANES_32, cell + V_LANES_32,
              off, t);
    for (uint32_t k = 0; k < ZTI_TF_CENTROIDS; k++)
        t->sums.off[k] = off[k];
    return true;
}
#else
enum { PLAIN_GROUP = ROW_GROUP };

ZTI_INLINE bool quantize_plain(number *value, uint32_t n, number scale, number part,
                               uint8_t *symbol, uint16_t *cell, struct tally *t)
{
    (void)value, (void)n, (void)scale, (void)part, (void)symbol, (void)cell, (void)t;
    return false;
}
#endif

static void quantize_row(number *value, uint32_t n, number scale, number part, uint8_t *symbol,
                         uint16_t *cell, struct tally *tally)
{
    for (uint32_t i = 0, some; i < n; i += some) {
        some = n - i < PLAIN_GROUP ? n - i : (uint32_t)PLAIN_GROUP;
        if (!quantize_plain(value + i, some, scale, part, symbol + i, cell + i, tally))
            quantize_group(value + i, some, scale, part, symbol + i, cell + i, tally);
    }
    tally->values += n;
}

static void add_tally(struct zti_tf_tally *all, uint32_t octave, struct tally *t)
{
    for (uint32_t i = 0; i < V_LANES_32; i++) {
        for (uint32_t k = 0; k < ZTI_TF_CENTROIDS; k++) {
            all->off[octave][k] += t->sums.off[k][i];
            all->times[octave][k] += (uint32_t)t->sums.number[k][i];
        }
        all->is_over |= t->sums.is_over[i] != 0;
    }
    for (uint32_t k = 0; k < ZTI_TF_CENTROIDS; k++)
        all->times[octave][k] += t->number[k];
    all->open_bits += t->open_bits;
    memset(t, 0, sizeof *t);
}
