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

static void quantize_row(number *value, uint32_t n, number scale, number part, uint8_t *symbol,
                         uint16_t *cell, struct tally *tally)
{
    uint32_t i = 0;
    for (; i + ROW_GROUP <= n; i += ROW_GROUP)
        quantize_group(value + i, ROW_GROUP, scale, part, symbol + i, cell + i, tally);
    if (i < n)
        quantize_group(value + i, n - i, scale, part, symbol + i, cell + i, tally);
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
    all->open_bits += t->open_bits;
    memset(t, 0, sizeof *t);
}
