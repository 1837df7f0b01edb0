/* float.h: text: a tile of floating-point values, for one type.
 *
 * The includer has tile/stages.h's instance of the same width and defines
 *   scalar, lane, ulane     the type and the integers of its width
 *   FN, NAME(x), INTS(x)    as there; INTS names the functions of the integer instance
 *   OWN_VALUES(rank)        as there
 *   WIDTH, EXPONENT_BITS, BIAS, MANTISSA_BITS   32, 8, 127, 23 or 64, 11, 1023, 52
 *   PROOF_PLANES            see NAME(is_proved)
 *
 * A lossy tile is a 0 bit where nothing of it is to be coded; otherwise a 1 bit, the exponent of
 * its largest value, and its values as integers in units of 2^(emax - (WIDTH - 2)). */

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
    if (e >= 1 - BIAS)
        return NAME(from_bits)((ulane)(e > BIAS ? 2 * BIAS + 1 : e + BIAS) << MANTISSA_BITS);
    return e >= 1 - BIAS - MANTISSA_BITS
               ? NAME(from_bits)((ulane)1 << (e - (1 - BIAS - MANTISSA_BITS)))
               : 0;
}

/* Exponent of the largest |x|: |x| < 2^emax, and at least 1 - BIAS; -BIAS if all are zero. NaN
 * are passed over and an infinity makes it 0, as C's frexp makes it in libzfp. */
FN int32_t NAME(emax)(const ulane *bits, uint32_t n, bool *has_special)
{
    const ulane infinity = (ulane)(2 * BIAS + 1) << MANTISSA_BITS;
    const ulane magnitude = (ulane)-1 >> 1;
    ulane most = 0;
    for (uint32_t i = 0; i < n; i++) {
        ulane a = bits[i] & magnitude;
        most = a > most ? a : most;
    }
    most = INTS(most_of_tile)(most);
    *has_special = most >= infinity;
    if (zti_unlikely(*has_special)) {
        most = 0;
        for (uint32_t i = 0; i < n; i++) {
            ulane a = INTS(again)(bits[i]) & magnitude;
            most = a > most && a <= infinity ? a : most;
        }
        most = INTS(most_of_tile)(most);
        if (most == infinity)
            return 0;
    }
    return most == 0 ? -BIAS : (int32_t)(most >> MANTISSA_BITS) - (BIAS - 1);
}

/* Values as integers, truncated. Where the scale overflows, and for NaN and values out of range,
 * the result is what x86-64's conversion gives: the most negative integer. */
FN void NAME(quantize)(const ulane *bits, ulane *q, uint32_t n, int32_t emax, bool has_special)
{
    const int32_t e = WIDTH - 2 - emax;
    const ulane indefinite = (ulane)1 << (WIDTH - 1);
    if (zti_unlikely(e > BIAS)) {
        for (uint32_t i = 0; i < n; i++)
            q[i] = INTS(again)(indefinite);
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
        scalar v = scale * NAME(from_bits)(INTS(again)(bits[i]));
        q[i] = v >= -limit && v < limit ? (ulane)(lane)v : indefinite;
    }
}

FN void NAME(dequantize)(const ulane *q, ulane *bits, uint32_t n, int32_t emax)
{
    const scalar scale = NAME(power)(emax - (WIDTH - 2));
    for (uint32_t i = 0; i < n; i++)
        bits[i] = NAME(bits_of)((scalar)(lane)q[i] * scale);
}

/* Planes that a lossy tile has, before maxprec: down to minexp and 2 (rank + 1) more, which the
 * inverse transform's growth needs. */
FN int64_t NAME(planes_above)(const struct zti_zfp *z, int32_t emax, uint32_t rank)
{
    return (int64_t)emax - z->minexp + 2 * (int64_t)rank + 2;
}

/* Whether no value of a tile is off by more than 2^minexp, whatever the values are.
 *
 * In units of 2^(emax - (WIDTH - 2)), with kmin = WIDTH - planes the least plane coded, the
 * tolerance is 2^(kmin + 2 rank). Dropping the planes below kmin changes a negabinary coefficient
 * by at most 2/3 2^kmin, and the inverse transform, whose rows' absolute sums are at most 15/4 an
 * axis, makes at most 2/3 (15/16)^rank of the tolerance of it: 0.63, 0.59, 0.55, 0.52 for rank 1
 * to 4. The rest must hold the truncation to integers (1 unit, times (15/16)^rank * 4^rank), the
 * shifts of the lifting steps (at most (2 rank + 1.5) 3.75^rank units) and the rounding of the
 * result to the type (2^5 units for float, 2^8 for double): kmin >= 5 and kmin >= 8 suffice for
 * every rank. The result must not be rounded to a subnormal either, nor overflow.
 *
 * All this is modulo 2^WIDTH. Values are below 2^(WIDTH - 2) units, so results are in range while
 * the tolerance is at most that; once it is 2^WIDTH, whatever comes back is within it, as long as
 * that is finite. In between the tile must be looked at (zti_zfp_may_wrap). */
FN bool NAME(is_proved)(int64_t planes, int32_t emax, uint32_t rank)
{
    return planes <= 0 || (planes <= WIDTH - PROOF_PLANES && !zti_zfp_may_wrap(planes, rank) &&
                           emax > WIDTH + 2 - BIAS && emax < BIAS);
}

/* Append a tile of n values given as bits. True where the codec vouches for 2^minexp. */
FN bool NAME(put_lossy)(const struct zti_zfp *z, const ulane *bits, uint32_t rank,
                        struct zti_bit_writer *w)
{
    const uint32_t n = OWN_VALUES(rank), header = 1 + EXPONENT_BITS;
    bool has_special;
    const int32_t emax = NAME(emax)(bits, n, &has_special);
    const int64_t planes = NAME(planes_above)(z, emax, rank);
    const uint32_t precision = planes <= 0           ? 0
                               : planes < z->maxprec ? (uint32_t)planes
                                                     : z->maxprec;
    const uint32_t e = precision > 0 ? (uint32_t)(emax + BIAS) : 0;
    if (e == 0) {
        zti_put_zeros(w, z->minbits > 1 ? z->minbits : 1);
    } else {
        ulane q[OWN_VALUES(ZT_MAX_RANK)];
        zti_put_bits(w, 2 * e + 1, header);
        NAME(quantize)(bits, q, n, emax, has_special);
        INTS(put_lossy)
        (w, q, rank, precision, z->minbits - (z->minbits < header ? z->minbits : header),
         z->maxbits - header);
    }
    return NAME(is_proved)(planes, emax, rank) && !has_special;
}

/* bits may be NULL to pass over the tile. */
FN void NAME(take_lossy)(const struct zti_zfp *z, ulane *bits, uint32_t rank,
                         struct zti_bit_reader *r)
{
    const uint32_t n = OWN_VALUES(rank), header = 1 + EXPONENT_BITS;
    if (!zti_take_bits(r, 1)) {
        r->at += z->minbits > 1 ? z->minbits - 1 : 0;
        if (bits)
            INTS(clear)(bits, n);
        return;
    }
    const int32_t emax = (int32_t)zti_take_bits(r, EXPONENT_BITS) - BIAS;
    const int64_t planes = NAME(planes_above)(z, emax, rank);
    const uint32_t precision = planes <= 0           ? 0
                               : planes < z->maxprec ? (uint32_t)planes
                                                     : z->maxprec;
    ulane q[OWN_VALUES(ZT_MAX_RANK)];
    INTS(take_lossy)
    (r, bits ? q : NULL, rank, precision, z->minbits - (z->minbits < header ? z->minbits : header),
     z->maxbits - header);
    if (bits)
        NAME(dequantize)(q, bits, n, emax);
}

/* Whether quantizing and dequantizing gives every bit back. */
FN bool NAME(is_exact)(const ulane *bits, uint32_t n, int32_t emax)
{
    ulane differ = 0;
    for (uint32_t i = 0; i < n; i++) {
        const ulane v = INTS(again)(bits[i]);
        ulane q, back = 0;
        if (emax != -BIAS) {
            NAME(quantize)(&v, &q, 1, emax, false);
            NAME(dequantize)(&q, &back, 1, emax);
        }
        differ |= v ^ back;
    }
    return INTS(or_of_tile)(differ) == 0;
}

/* A reversible tile: 0 if all values are +0; 1 0, the exponent and the integers where these say
 * all; else 1 1 and the values' bits as integers, in an order that keeps neighbours close. */
FN void NAME(put_exact)(const struct zti_zfp *z, const ulane *bits, uint32_t rank,
                        struct zti_bit_writer *w)
{
    const uint32_t n = OWN_VALUES(rank);
    ulane q[OWN_VALUES(ZT_MAX_RANK)];
    bool has_special;
    uint32_t header = 2;
    const int32_t emax = NAME(emax)(bits, n, &has_special);
    if (!has_special && NAME(is_exact)(bits, n, emax)) {
        const uint32_t e = (uint32_t)(emax + BIAS);
        if (e == 0) { /* not padded to minbits: so does libzfp */
            zti_put_bits(w, 0, 1);
            return;
        }
        header += EXPONENT_BITS;
        zti_put_bits(w, 1 + 4 * (uint64_t)e, header);
        NAME(quantize)(bits, q, n, emax, false);
    } else {
        zti_put_bits(w, 3, header);
        for (uint32_t i = 0; i < n; i++) /* negative: flip all but the sign */
            q[i] = bits[i] ^ ((ulane)((lane)bits[i] >> (WIDTH - 1)) >> 1);
    }
    INTS(put_exact)
    (w, q, rank, z->maxprec, z->minbits - (z->minbits < header ? z->minbits : header),
     z->maxbits - header);
}

FN void NAME(take_exact)(const struct zti_zfp *z, ulane *bits, uint32_t rank,
                         struct zti_bit_reader *r)
{
    const uint32_t n = OWN_VALUES(rank);
    uint32_t header = 2;
    int32_t emax = -BIAS;
    ulane q[OWN_VALUES(ZT_MAX_RANK)];
    if (!zti_take_bits(r, 1)) {
        r->at += z->minbits > 1 ? z->minbits - 1 : 0;
        if (bits)
            INTS(clear)(bits, n);
        return;
    }
    const bool is_raw = zti_take_bits(r, 1);
    if (!is_raw) {
        emax = (int32_t)zti_take_bits(r, EXPONENT_BITS) - BIAS;
        header += EXPONENT_BITS;
    }
    INTS(take_exact)
    (r, bits ? q : NULL, rank, z->minbits - (z->minbits < header ? z->minbits : header),
     z->maxbits - header);
    if (!bits)
        return;
    if (is_raw)
        for (uint32_t i = 0; i < n; i++)
            bits[i] = q[i] ^ ((ulane)((lane)q[i] >> (WIDTH - 1)) >> 1);
    else if (emax == -BIAS)
        INTS(clear)(bits, n);
    else
        NAME(dequantize)(q, bits, n, emax);
}

/* Either kind of tile. True where the codec vouches for 2^minexp, or every bit. */
FN bool NAME(put_tile)(const struct zti_zfp *z, const ulane *bits, uint32_t rank,
                       struct zti_bit_writer *w)
{
    if (!zti_zfp_is_reversible(z))
        return NAME(put_lossy)(z, bits, rank, w);
    NAME(put_exact)(z, bits, rank, w);
    return true;
}

/* bits may be NULL to pass over the tile. */
FN void NAME(take_tile)(const struct zti_zfp *z, ulane *bits, uint32_t rank,
                        struct zti_bit_reader *r)
{
    if (zti_zfp_is_reversible(z))
        NAME(take_exact)(z, bits, rank, r);
    else
        NAME(take_lossy)(z, bits, rank, r);
}
