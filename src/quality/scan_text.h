/* scan_text.h: kernel text: the least, the greatest and the not finite of a row of one
 * floating-point type. The includer defines
 *   scalar            float or double
 *   word, integer     uint32_t and int32_t, or uint64_t and int64_t
 *   infinity_bits     of the type
 *   NAME(x)           x with this instance's suffix
 *
 * Values go through in blocks: a block without NaN and infinities, which its largest magnitude
 * tells, is scanned without a branch a value. Floats are compared by their bits as integers: with
 * all but the sign flipped where it is set, these are in the values' order (-0 below +0). */

ZTI_INLINE integer NAME(order_key)(word bits)
{
    const integer v = (integer)bits;
    return v ^ (integer)((word)(v >> (8 * sizeof v - 1)) >> 1);
}

ZTI_INLINE double NAME(value_of_key)(integer key)
{
    const word bits = (word)NAME(order_key)((word)key);
    scalar v;
    memcpy(&v, &bits, sizeof v);
    return (double)v + 0.0; /* no -0 */
}

ZTI_INLINE word NAME(bits_at)(const char *row, uint64_t i, int64_t stride)
{
    word bits;
    memcpy(&bits, row + (int64_t)i * stride * (int64_t)sizeof bits, sizeof bits);
    return bits;
}

/* Of finite values. */
ZTI_INLINE void NAME(widen_range)(zt_stats *s, integer low, integer high)
{
    s->min = s->min < NAME(value_of_key)(low) ? s->min : NAME(value_of_key)(low);
    s->max = s->max > NAME(value_of_key)(high) ? s->max : NAME(value_of_key)(high);
}

/* As scan_block, where some values are not finite. The search for the least value takes such a
 * value as the largest number, the search for the greatest as the smallest. There are no branches,
 * so that the compiler makes vectors of it. */
ZTI_INLINE void NAME(scan_some)(const char *row, uint64_t n, int64_t stride, zt_stats *s)
{
    const integer highest = (integer)((word)-1 >> 1), lowest = -highest - 1;
    integer low = highest, high = lowest;
    word nan = 0, inf = 0;
    for (uint64_t i = 0; i < n; i++) {
        const word bits = NAME(bits_at)(row, i, stride);
        const integer key = NAME(order_key)(bits);
        const integer magnitude = (integer)(bits & (word)-1 >> 1);
        const integer is_finite = -(integer)(magnitude < infinity_bits); /* all bits, or none */
        const integer at_low = (key & is_finite) | (highest & ~is_finite);
        const integer at_high = (key & is_finite) | (lowest & ~is_finite);
        nan += (word)(magnitude > infinity_bits);
        inf += (word)(magnitude == infinity_bits);
        low = at_low < low ? at_low : low;
        high = at_high > high ? at_high : high;
    }
    s->nan_values += nan;
    s->inf_values += inf;
    if (nan + inf < n)
        NAME(widen_range)(s, low, high);
}

ZTI_INLINE void NAME(scan_block)(const char *row, uint64_t n, int64_t stride, zt_stats *s)
{
    integer low = (integer)((word)-1 >> 1), high = -low - 1, most = 0;
    for (uint64_t i = 0; i < n; i++) {
        const word bits = NAME(bits_at)(row, i, stride);
        const integer key = NAME(order_key)(bits);
        const integer magnitude = (integer)(bits & (word)-1 >> 1);
        low = key < low ? key : low;
        high = key > high ? key : high;
        most = magnitude > most ? magnitude : most;
    }
    if (zti_unlikely(most >= infinity_bits))
        NAME(scan_some)(row, n, stride, s);
    else if (n > 0)
        NAME(widen_range)(s, low, high);
}

/* Values side by side, a few pages of them together: memory is asked for ahead within a page only,
 * so that one page after another arrives at half the speed. */
enum { NAME(PAGE) = 4096 / sizeof(word), NAME(PAGES) = 8 * NAME(PAGE) };

ZTI_INLINE void NAME(scan_pages)(const char *row, zt_stats *s)
{
    integer low = (integer)((word)-1 >> 1), high = -low - 1, most = 0;
    for (uint64_t i = 0; i < NAME(PAGE); i++)
        for (uint64_t page = 0; page < NAME(PAGES); page += NAME(PAGE)) {
            const word bits = NAME(bits_at)(row, page + i, 1);
            const integer key = NAME(order_key)(bits);
            const integer magnitude = (integer)(bits & (word)-1 >> 1);
            low = key < low ? key : low;
            high = key > high ? key : high;
            most = magnitude > most ? magnitude : most;
        }
    if (zti_unlikely(most >= infinity_bits))
        NAME(scan_block)(row, NAME(PAGES), 1, s);
    else
        NAME(widen_range)(s, low, high);
}

/* stride is a constant 1 where rows are contiguous, so that the compiler makes vectors of it. */
static void NAME(scan)(const char *row, uint64_t n, int64_t stride, zt_stats *s)
{
    enum { BLOCK = 1024 };
    uint64_t i = 0;
    for (; stride == 1 && i + NAME(PAGES) <= n; i += NAME(PAGES))
        NAME(scan_pages)(row + i * sizeof(word), s);
    for (; i < n; i += BLOCK) {
        const char *const at = row + (int64_t)i * stride * (int64_t)sizeof(word);
        const uint64_t left = n - i < BLOCK ? n - i : BLOCK;
        if (stride == 1)
            NAME(scan_block)(at, left, 1, s);
        else
            NAME(scan_block)(at, left, stride, s);
    }
}
