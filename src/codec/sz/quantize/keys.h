/* keys.h: kernel text: integer keys of values of one floating-point type that come back bit for
 * bit: decimals with so many digits behind the point, decimals of so many significant digits, and
 * bits without low ones that are always 0. A value without such a key is stored exactly. The
 * includer defines
 *   scalar      float or double
 *   word        uint32_t or uint64_t: as wide
 *   NAME(x)     x with this instance's suffix
 * and has included quantize/nearest.h. */

ZTI_INLINE word NAME(bits_of)(scalar x)
{
    word bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ---- one value ---- */

ZTI_INLINE scalar NAME(of_short)(const struct zti_sz *sz, int64_t q)
{
    const word low = ((word)1 << sz->zeros) - 1;
    const word ordered = (word)q << sz->zeros | (q < 0 ? low : 0);
    const word bits = ZTI_SZ_ORDERED(ordered, 8 * sizeof bits);
    scalar x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

ZTI_INLINE int64_t NAME(short_of)(const struct zti_sz *sz, scalar x)
{
    const word ordered = ZTI_SZ_ORDERED(NAME(bits_of)(x), 8 * sizeof ordered);
    return sizeof(word) == 4 ? (int32_t)ordered >> sz->zeros : (int64_t)ordered >> sz->zeros;
}

/* The value of any key. */
ZTI_INLINE scalar NAME(of_key)(const struct zti_sz *sz, const struct zti_ll_power *ten, int64_t q)
{
    const uint32_t type = sizeof(scalar) == 4 ? ZT_F32 : ZT_F64;
    return sz->source == ZTI_SZ_DECIMALS ? (scalar)((double)q / ll_ten_to(sz->digits))
           : sz->source == ZTI_SZ_DIGITS
               ? (scalar)ll_of_digits(ten, type, sz->digits, sz->lowest, q)
               : NAME(of_short)(sz, q);
}

/* The key of a value; false, and 0, if it has none. */
ZTI_STATIC bool NAME(key_of)(const struct zti_sz *sz, const struct zti_ll_power *ten, scalar x,
                             int64_t *q)
{
    const uint32_t type = sizeof(scalar) == 4 ? ZT_F32 : ZT_F64;
    int64_t key = 0;
    bool is_good = true;
    if (sz->source == ZTI_SZ_DECIMALS) {
        const double y = (double)x * ll_ten_to(sz->digits);
        is_good = fabs(y) < 0x1p51;
        key = is_good ? (int64_t)rint(y) : 0;
    } else if (sz->source == ZTI_SZ_DIGITS) {
        is_good = ll_to_digits(ten, type, sz->digits, sz->lowest, x, &key);
    } else {
        key = NAME(short_of)(sz, x);
    }
    is_good = is_good && (sizeof(scalar) == 8 || key == (int32_t)key) &&
              NAME(bits_of)(NAME(of_key)(sz, ten, key)) == NAME(bits_of)(x);
    *q = is_good ? key : 0;
    return is_good;
}

/* ---- 64 values ---- */

/* Narrow keys of decimals; false if a value has none. */
ZTI_INLINE bool NAME(decimals_64)(const struct zti_sz *sz, const scalar *x, uint32_t *q)
{
    const double magic = 0x1.8p52, ten = ll_ten_to(sz->digits);
    uint64_t bad = 0;
    for (uint32_t i = 0; i < 64; i++) {
        const double y = (double)x[i] * ten, sum = y + magic;
        const scalar back = (scalar)((sum - magic) / ten);
        bad |= (uint64_t) !(fabs(y) < ZTI_SZ_NARROW_LIMIT) |
               (NAME(bits_of)(back) ^ NAME(bits_of)(x[i]));
        q[i] = (uint32_t)zti_bits_of_double(sum);
    }
    return bad == 0;
}

ZTI_INLINE void NAME(of_decimals_64)(const struct zti_sz *sz, const uint32_t *q, scalar *x)
{
    const double ten = ll_ten_to(sz->digits);
    for (uint32_t i = 0; i < 64; i++)
        x[i] = (scalar)((double)(int32_t)q[i] / ten);
}

/* ---- a tile ---- */

/* Values of n narrow keys; x and q are writable and readable to the end of the last group. */
static inline void NAME(of_keys)(const struct zti_sz *sz, const struct zti_ll_power *ten,
                                 const uint32_t *q, uint32_t n, scalar *x)
{
    for (uint32_t first = 0; first < n; first += 64) {
        if (sz->source == ZTI_SZ_DECIMALS) {
            NAME(of_decimals_64)(sz, q + first, x + first);
            continue;
        }
        for (uint32_t i = first; i < first + 64 && i < n; i++)
            x[i] = NAME(of_key)(sz, ten, (int32_t)q[i]);
    }
}

static inline void NAME(of_wide_keys)(const struct zti_sz *sz, const struct zti_ll_power *ten,
                                      const uint64_t *q, uint32_t n, scalar *x)
{
    for (uint32_t i = 0; i < n; i++)
        x[i] = NAME(of_key)(sz, ten, (int64_t)q[i]);
}
