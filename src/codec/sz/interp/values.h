/* values.h: text of effort 'high', compiled for each instruction set: quantize values to integers,
 * dequantize them, and check the bound. Included by interp/instance.h. */
static integer whole_integers(const struct zti_coding *coding, const void *values, uint32_t n,
                              integer *x)
{
    const int64_t centre = sz_of(coding)->centre;
    for (uint32_t i = 0; i < n; i++) {
        const int64_t v =
            coding->type == ZT_I32 ? ((const int32_t *)values)[i] : ((const int64_t *)values)[i];
        x[i] = RULE(from_whole)(v, centre);
    }
    return n > 0 ? x[n - 1] : 0;
}

/* Quantize values of a floating-point type; true if one is 'most' units or more from the centre, or
 * not a number. */
#define INTEGERS_OF(scalar)                                                                        \
    static bool integers_of_##scalar(const scalar *restrict v, uint32_t n, double per,             \
                                     double centre, double most, integer *restrict x)              \
    {                                                                                              \
        uint32_t bad = 0;                                                                          \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            const double t = zti_sz_high_units((double)v[i], per, centre);                         \
            x[i] = RULE(rint)(t);                                                                  \
            bad |= (uint32_t) !(fabs(t) < most);                                                   \
        }                                                                                          \
        return bad;                                                                                \
    }
INTEGERS_OF(float)
INTEGERS_OF(double)

static int64_t integers(const struct zti_coding *coding, const void *values, uint32_t n,
                        int64_t before, void *out, bool *is_far)
{
    integer *const x = out;
    const struct zti_sz_high *const high = coding->model;
    const double per = 1 / sz_of(coding)->step, centre = (double)sz_of(coding)->centre;
    const bool is_narrow = coding->type == ZT_F32;
    if (sz_of(coding)->source == ZTI_SZ_STEPS)
        return whole_integers(coding, values, n, x);
    const bool is_bad = is_narrow ? integers_of_float(values, n, per, centre, high->farthest, x)
                                  : integers_of_double(values, n, per, centre, high->farthest, x);
    *is_far = *is_far || is_bad;
    for (uint32_t i = 0; is_bad && i < n; i++) {
        const double v =
            is_narrow ? (double)((const float *)values)[i] : ((const double *)values)[i];
        x[i] = RULE(has_integer)(zti_sz_high_units(v, per, centre)) ? x[i] : (integer)before;
        before = x[i];
    }
    return n > 0 ? x[n - 1] : before;
}

static void values(const struct zti_coding *coding, const void *integers, uint32_t n, void *out)
{
    const integer *const x = integers;
    const double step = sz_of(coding)->step, centre = (double)sz_of(coding)->centre;
    const int64_t whole = sz_of(coding)->centre;
    if (coding->type == ZT_F32) {
        for (uint32_t i = 0; i < n; i++)
            ((float *)out)[i] = (float)RULE(number)(x[i], centre, step);
    } else if (coding->type == ZT_F64) {
        for (uint32_t i = 0; i < n; i++)
            ((double *)out)[i] = RULE(number)(x[i], centre, step);
    } else if (coding->type == ZT_I32) {
        for (uint32_t i = 0; i < n; i++)
            ((int32_t *)out)[i] = RULE(whole_32)(x[i], whole);
    } else {
        for (uint32_t i = 0; i < n; i++)
            ((int64_t *)out)[i] = RULE(whole_64)(x[i], whole);
    }
}

static bool check(const struct zti_coding *coding, const void *integers, const void *in, uint32_t n)
{
    const integer *const x = integers;
    const double step = sz_of(coding)->step, centre = (double)sz_of(coding)->centre;
    const double bound = sz_of(coding)->bound;
    uint32_t bad = 0;
    if (coding->type == ZT_F32) {
        for (uint32_t i = 0; i < n; i++) {
            const float y = (float)RULE(number)(x[i], centre, step);
            bad |= !zti_sz_high_is_near((double)((const float *)in)[i], (double)y, bound);
        }
    } else if (coding->type == ZT_F64) {
        for (uint32_t i = 0; i < n; i++) {
            const double y = RULE(number)(x[i], centre, step);
            bad |= !zti_sz_high_is_near(((const double *)in)[i], y, bound);
        }
    }
    return !bad;
}
