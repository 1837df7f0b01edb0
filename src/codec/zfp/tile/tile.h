/* tile.h: text: between a tile of 4^rank values and its bits, for one width, for integers or
 * floating-point values (is_float), lossy or reversible (is_exact).
 *
 * The includer defines
 *   lane, ulane, word, FN, NAME, WIDTH   as in tile/arithmetic.h
 *   scalar            the floating-point type
 *   OWN_VALUES(rank)  how many values of a tile a thread has: all, or in a kernel its share
 * and has, for the same width, the functions transform, to_rank_order, write_planes, find_most,
 * find_or, clear_values, opaque, and their inverses (plain/coder.h; in kernels gpu/thread_coder.h,
 * gpu/warp_coder.h). Every function takes 'rank' as a constant. */

/* ---- block floating point: values as integers in units of 2^(emax - (WIDTH - 2)) ---- */

FN scalar NAME(from_bits)(ulane bits)
{
    scalar v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

FN ulane NAME(bits_of)(scalar v)
{
    ulane bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* 2^e, rounded to zero or infinity where the type has no such value. */
FN scalar NAME(power)(int32_t e)
{
    const int32_t bias = zti_zfp_bias(WIDTH), mantissa = (int32_t)zti_zfp_mantissa_bits(WIDTH);
    if (e >= 1 - bias)
        return NAME(from_bits)((ulane)(e > bias ? 2 * bias + 1 : e + bias) << mantissa);
    return e >= 1 - bias - mantissa ? NAME(from_bits)((ulane)1 << (e - (1 - bias - mantissa))) : 0;
}

/* Exponent of the largest |x| (zti_zfp_emax). NaNs are ignored; an infinity gives 0, as C's frexp
 * does in libzfp. */
FN int32_t NAME(emax)(const ulane *bits, uint32_t n, bool *has_special)
{
    const ulane infinity = (ulane)(2 * zti_zfp_bias(WIDTH) + 1) << zti_zfp_mantissa_bits(WIDTH);
    const ulane magnitude = (ulane)-1 >> 1;
    ulane most = 0;
    for (uint32_t i = 0; i < n; i++) {
        ulane a = bits[i] & magnitude;
        most = a > most ? a : most;
    }
    most = NAME(find_most)(most);
    *has_special = most >= infinity;
    if (zti_unlikely(*has_special)) {
        most = 0;
        for (uint32_t i = 0; i < n; i++) {
            ulane a = NAME(opaque)(bits[i]) & magnitude;
            most = a > most && a <= infinity ? a : most;
        }
        most = NAME(find_most)(most);
        if (most == infinity)
            return 0;
    }
    return zti_zfp_emax(most, WIDTH);
}

/* Scale values to integers, truncated. If the scale overflows, and for NaN and values out of range,
 * the integer is the most negative one, as x86-64's conversion has it. */
FN void NAME(quantize)(const ulane *bits, ulane *q, uint32_t n, int32_t emax, bool has_special)
{
    const int32_t e = WIDTH - 2 - emax;
    const ulane indefinite = (ulane)1 << (WIDTH - 1);
    if (zti_unlikely(e > zti_zfp_bias(WIDTH))) {
        for (uint32_t i = 0; i < n; i++)
            q[i] = NAME(opaque)(indefinite);
        return;
    }
    const scalar scale = NAME(power)(e);
    if (zti_likely(!has_special)) {
        for (uint32_t i = 0; i < n; i++)
            q[i] = (ulane)(lane)(scale * NAME(from_bits)(bits[i]));
        return;
    }
    const scalar limit = NAME(power)(WIDTH - 1);
    for (uint32_t i = 0; i < n; i++) {
        scalar v = scale * NAME(from_bits)(NAME(opaque)(bits[i]));
        q[i] = v >= -limit && v < limit ? (ulane)(lane)v : indefinite;
    }
}

/* The unit: value = integer * unit. */
FN scalar NAME(unit)(int32_t emax)
{
    return NAME(power)(emax - (WIDTH - 2));
}

FN void NAME(dequantize)(const ulane *q, ulane *bits, uint32_t n, int32_t emax)
{
    const scalar scale = NAME(unit)(emax);
    for (uint32_t i = 0; i < n; i++)
        bits[i] = NAME(bits_of)((scalar)(lane)q[i] * scale);
}

/* Whether quantizing and dequantizing keep every bit. */
FN bool NAME(is_exact)(const ulane *bits, uint32_t n, int32_t emax)
{
    ulane differ = 0;
    for (uint32_t i = 0; i < n; i++) {
        const ulane v = NAME(opaque)(bits[i]);
        ulane q, back = 0;
        if (emax != -zti_zfp_bias(WIDTH)) {
            NAME(quantize)(&v, &q, 1, emax, false);
            NAME(dequantize)(&q, &back, 1, emax);
        }
        differ |= v ^ back;
    }
    return NAME(find_or)(differ) == 0;
}

/* ---- integers ---- */

FN void NAME(raise)(ulane *q, uint32_t n, int32_t shift)
{
    if (shift > 0)
        for (uint32_t i = 0; i < n; i++)
            q[i] = NAME(raised)(q[i], shift);
    else if (shift < 0)
        for (uint32_t i = 0; i < n; i++)
            q[i] = NAME(raised)(q[i], shift);
}

/* The inverse of raise, clamped to the type. */
FN void NAME(lower)(ulane *q, uint32_t n, int32_t shift)
{
    const lane limit = (lane)((word)-1 >> 1), most = limit >> (shift < 0 ? -shift : 0);
    if (shift > 0)
        for (uint32_t i = 0; i < n; i++)
            q[i] = NAME(lowered)(q[i], shift);
    else if (shift < 0)
        for (uint32_t i = 0; i < n; i++) {
            const lane v = (lane)q[i];
            const ulane low = v < -most - 1 ? (ulane)limit + 1 : (ulane)v << -shift;
            q[i] = NAME(opaque)(v > most ? (ulane)limit : low);
        }
}

/* ---- tiles ---- */

/* Append a tile, overwriting 'values'. True if the tile is proved to be decoded within 2^minexp, or
 * exactly. */
FN bool NAME(put)(const struct zti_zfp *z, ulane *values, uint32_t rank, bool is_float,
                  bool is_exact, struct zti_bit_writer *w)
{
    const uint32_t n = OWN_VALUES(rank);
    ulane q[OWN_VALUES(ZT_MAX_RANK)], u[OWN_VALUES(ZT_MAX_RANK)], any = 0;
    bool has_special = false;
    const int32_t emax = is_float ? NAME(emax)(values, n, &has_special) : 0;
    const bool is_raw = is_float && is_exact && (has_special || !NAME(is_exact)(values, n, emax));
    struct zti_zfp_tile_header h =
        zti_zfp_tile_header_of(z, emax, is_raw, WIDTH, rank, is_float, is_exact);
    if (h.planes == 0) {
        zti_put_bits(w, h.bits, h.length);
        zti_put_zeros(w, h.least);
        return zti_zfp_proves_tile(z, emax, WIDTH, rank, is_float, is_exact) && !has_special;
    }
    if (!is_float) {
        NAME(raise)(values, n, z->shift);
        memcpy(q, values, sizeof *q * n);
    } else if (!is_raw) {
        NAME(quantize)(values, q, n, emax, !is_exact && has_special);
    } else {
        for (uint32_t i = 0; i < n; i++)
            q[i] = NAME(flipped)(values[i]);
    }
    NAME(transform)(q, rank, is_exact);
    NAME(to_rank_order)(q, u, rank);
    if (is_exact) {
        for (uint32_t i = 0; i < n; i++)
            any |= u[i];
        zti_zfp_add_planes(&h, z, NAME(find_or)(any), WIDTH);
    }
    zti_put_bits(w, h.bits, h.length);
    const uint64_t start = zti_bits_written(w);
    NAME(write_planes)(w, u, rank, h.planes, h.budget);
    const uint64_t bits = zti_bits_written(w) - start;
    if (bits < h.least)
        zti_put_zeros(w, h.least - bits);
    return zti_zfp_proves_tile(z, emax, WIDTH, rank, is_float, is_exact) &&
           (is_exact || !has_special);
}

/* Read a tile; if 'values' is NULL, skip it. */
FN void NAME(take)(const struct zti_zfp *z, ulane *values, uint32_t rank, bool is_float,
                   bool is_exact, struct zti_bit_reader *r)
{
    const uint32_t n = OWN_VALUES(rank);
    const uint32_t window = (uint32_t)zti_peek_bits(r);
    ulane u[OWN_VALUES(ZT_MAX_RANK)], q[OWN_VALUES(ZT_MAX_RANK)];
    if (zti_zfp_is_empty_at(window, is_float)) {
        r->at += z->minbits > 1 ? z->minbits : 1;
        if (values)
            NAME(clear_values)(values, n);
        return;
    }
    const struct zti_zfp_found_header h =
        zti_zfp_read_tile_header(z, window, WIDTH, rank, is_float, is_exact);
    const uint64_t start = r->at += h.header.length;
    const uint32_t known =
        NAME(read_planes)(r, values ? u : NULL, rank, h.header.planes, h.header.budget);
    if (r->at - start < h.header.least)
        r->at = start + h.header.least;
    if (!values)
        return;
    if (known == 0) {
        NAME(clear_values)(q, n);
    } else {
        NAME(from_rank_order)(u, q, rank);
        NAME(untransform)(q, rank, is_exact);
    }
    if (!is_float) {
        NAME(lower)(q, n, z->shift);
        memcpy(values, q, sizeof *q * n);
    } else if (h.is_raw) {
        for (uint32_t i = 0; i < n; i++)
            values[i] = NAME(flipped)(q[i]);
    } else if (h.is_zero_with_planes) {
        NAME(clear_values)(values, n);
    } else {
        NAME(dequantize)(q, values, n, h.emax);
    }
}

FN bool NAME(encode_tile)(const struct zti_zfp *z, ulane *values, uint32_t rank, bool is_float,
                          struct zti_bit_writer *w)
{
    return zti_zfp_is_reversible(z) ? NAME(put)(z, values, rank, is_float, true, w)
                                    : NAME(put)(z, values, rank, is_float, false, w);
}

FN void NAME(decode_tile)(const struct zti_zfp *z, ulane *values, uint32_t rank, bool is_float,
                          struct zti_bit_reader *r)
{
    if (zti_zfp_is_reversible(z))
        NAME(take)(z, values, rank, is_float, true, r);
    else
        NAME(take)(z, values, rank, is_float, false, r);
}
