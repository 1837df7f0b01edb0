/* symbols.h: kernel text of effort 'high': convert residuals to symbols and open bits, and back.
 * Included by interp/instance.h, after interp/lanes.h.
 *
 * Under tight bounds many residuals are large. Their symbols are computed in vectors without
 * branches; only their open bits are written one after another. */

static void write_extra(struct zti_sz_extras *e, natural value, uint32_t bits)
{
    e->bits += bits;
    if (e->bits > e->most_bits)
        e->is_over = true;
    if (e->writer.base && !e->is_over)
        zti_put_bits64(&e->writer, value, bits);
}

static uint8_t large_symbol(integer q, const uint8_t *has, struct zti_sz_extras *e)
{
    const uint32_t own = RULE(symbol)(q);
    const uint32_t symbol = has && !has[own] ? (uint32_t)ZTI_SZ_HIGH_ESCAPE : own;
    const uint32_t bits = RULE(open_bits)(symbol);
    if (bits > 0)
        write_extra(e, RULE(open)(bits, q), bits);
    return (uint8_t)symbol;
}

static integer large_residual(uint32_t symbol, struct zti_bit_reader *extras)
{
    const uint32_t bits = RULE(open_bits)(symbol), low = bits < 32 ? bits : 32;
    const natural open = zti_get_within(extras, low);
    if (bits == low)
        return RULE(residual)(symbol, open);
    return RULE(residual)(symbol, open | (natural)zti_get_within(extras, bits - low)
                                             << (low & (8 * sizeof(natural) - 1)));
}

#if !IS_WIDE
ZTI_INLINE uint32_t whole_blocks(uint32_t n)
{
    return (n + BLOCK - 1) / BLOCK * BLOCK;
}

/* The open bits of each symbol. */
struct open_bits {
    int32_t value[ROOM], bits[ROOM];
};

/* The symbols and open bits of n residuals, and to the end of the block, if some are large; models
 * are not considered. Returns the number of open bits. */
static uint32_t large_symbols(const int32_t *q, uint32_t n, uint8_t *symbols,
                              struct open_bits *open)
{
    uints all = {0};
    uint32_t sum = 0;
    for (uint32_t k = 0; k < whole_blocks(n); k += LANES) {
        const uints v = V_W(load)(q + k), bits = v_bits_of(v);
        V_W(store_bytes)(symbols + k, v_symbol_of(v, bits));
        V_W(store)(open->value + k, v_open_of(v, bits));
        V_W(store)(open->bits + k, bits);
        all += bits;
    }
    for (uint32_t k = 0; k < LANES; k++)
        sum += all[k];
    return sum;
}

ZTI_INLINE void write_eight(struct zti_bit_writer *w, const int32_t *value, const int32_t *bits)
{
#if defined(ZTI_WITH_AVX2)
    const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)value);
    const __m256i n = _mm256_loadu_si256((const __m256i *)(const void *)bits);
    const __m256i is_long = _mm256_cmpgt_epi32(n, _mm256_set1_epi32(56 / 4));
    if (_mm256_testz_si256(is_long, is_long)) {
        const __m256i joined = zti_join_8(v, n);
        const uint64_t low = (uint64_t)_mm256_extract_epi64(joined, 0);
        const uint64_t high = (uint64_t)_mm256_extract_epi64(joined, 2);
        zti_put_bits(w, low & (UINT64_MAX >> 8), (uint32_t)(low >> 56));
        zti_put_bits(w, high & (UINT64_MAX >> 8), (uint32_t)(high >> 56));
        return;
    }
#endif
    for (uint32_t k = 0; k < 8; k++)
        zti_put_bits(w, (uint32_t)value[k], (uint32_t)bits[k]);
}

/* Append the open bits; symbols after the last, to the end of its block, have none. */
static void write_open(struct zti_sz_extras *e, const struct open_bits *open, uint32_t n,
                       uint32_t sum)
{
    e->bits += sum;
    e->is_over = e->is_over || e->bits > e->most_bits;
    if (!e->writer.base || e->is_over)
        return;
    struct zti_bit_writer w = e->writer; /* a copy that no pointer refers to stays in registers */
    for (uint32_t k = 0; k < n; k += 8)
        write_eight(&w, open->value + k, open->bits + k);
    e->writer = w;
}

#if defined(ZTI_WITH_AVX2)
/* Whether the bits of eight lanes are few enough to be read together. */
ZTI_INLINE bool may_read_eight(__m256i bits, __m256i sums)
{
    const __m256i is_long = _mm256_cmpgt_epi32(bits, _mm256_set1_epi32(ZTI_FIELD_BITS));
    return _mm256_testz_si256(is_long, is_long) && _mm256_extract_epi32(sums, 7) <= ZTI_FIELDS_BITS;
}
#endif

/* Read bits[i] bits for each lane i. */
ZTI_INLINE uints read_open(struct zti_bit_reader *extras, uints bits)
{
    const bool is_far = extras->at + 32 * LANES + 64 <= extras->end;
    int32_t many[LANES], below[LANES];
#if defined(ZTI_WITH_AVX512)
    const __m256i a = _mm512_castsi512_si256((__m512i)bits), sums_a = zti_sums_8(a);
    const __m256i b = _mm512_extracti64x4_epi64((__m512i)bits, 1), sums_b = zti_sums_8(b);
    if (is_far && may_read_eight(a, sums_a) && may_read_eight(b, sums_b)) {
        const __m512i first = _mm512_castsi256_si512(zti_fields_8(extras, a, sums_a));
        return (uints)_mm512_inserti64x4(first, zti_fields_8(extras, b, sums_b), 1);
    }
#elif defined(ZTI_WITH_AVX2)
    const __m256i sums = zti_sums_8((__m256i)bits);
    if (is_far && may_read_eight((__m256i)bits, sums))
        return (uints)zti_fields_8(extras, (__m256i)bits, sums);
#endif
    V_W(store)(many, bits);
    for (uint32_t i = 0; i < LANES && is_far; i++)
        below[i] = (int32_t)zti_get_bits(extras, (uint32_t)many[i]);
    for (uint32_t i = 0; i < LANES && !is_far; i++)
        below[i] = (int32_t)zti_get_within(extras, (uint32_t)many[i]);
    return V_W(load)(below);
}

/* Set the residuals and magnitudes of large symbols; none may be an escape. */
static void large_residuals(const uint8_t *symbols, uint32_t n, struct zti_bit_reader *extras,
                            int32_t *q, uint8_t *magnitudes)
{
    for (uint32_t k = 0; k < n; k += LANES) {
        const uints symbol = V_W(load_bytes)(symbols + k);
        const uints is_large = (uints)(symbol >= ZTI_SZ_HIGH_DIRECT);
        const uints open = read_open(extras, v_bits_in(symbol));
        V_W(store)(q + k, v_residual_of(symbol, open));
        const uints known = V_W(load_bytes)(magnitudes + k);
        V_W(store_bytes)
        (magnitudes + k, (ZTI_SZ_HIGH_MOST_MAGNITUDE & is_large) | (known & ~is_large));
    }
}
#endif

/* Convert symbols to residuals and their magnitudes; clears a block of symbols after the last. */
ZTI_INLINE void residuals_of(uint8_t *restrict symbols, uint32_t n, struct zti_bit_reader *extras,
                             integer *restrict q, uint8_t *restrict magnitudes)
{
    small any = {0}, escapes = {0};
    memset(symbols + n, 0, BLOCK);
    for (uint32_t k = 0; k < n; k += WIDE) {
        small u;
        memcpy(&u, symbols + k, sizeof u);
        const small size = ZTI_SZ_HIGH_MAGNITUDE_OF(u);
        memcpy(magnitudes + k, &size, sizeof size);
        any |= (small)(u >= ZTI_SZ_HIGH_DIRECT);
        escapes |= (small)(u == ZTI_SZ_HIGH_ESCAPE);
    }
    for (uint32_t k = 0; k < n; k += LANES) {
        V_W(store)(q + k, v_unfold(V_W(load_bytes)(symbols + k)));
    }
    if (!is_any(any))
        return;
#if IS_WIDE
    (void)escapes; /* all large ones are decoded one by one */
#else
    if (!is_any(escapes)) {
        large_residuals(symbols, n, extras, q, magnitudes);
        return;
    }
#endif
    for (uint32_t k = 0; k < n; k++)
        if (symbols[k] >= ZTI_SZ_HIGH_DIRECT) {
            q[k] = large_residual(symbols[k], extras);
            magnitudes[k] = RULE(magnitude)(q[k]);
        }
}
