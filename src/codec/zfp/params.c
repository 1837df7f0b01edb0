/* params.c: the parameters of zfp streams: the functions of ztile_zfp.h that set them, their
 * checks, and zfp's own header, written and read. Source: zfp's documentation, "Modes" and "File
 * format". */
#include "codec/zfp/zfp.h"

#include <math.h>

enum { MAGIC_BITS = 32, FIELD_BITS = 52, MODE_SHORT_BITS = 12, MODE_LONG_BITS = 64 };

_Static_assert((int)MAGIC_BITS + (int)FIELD_BITS + (int)MODE_LONG_BITS ==
                   (int)ZTI_ZFP_HEADER_MAX_BITS,
               "a file header at its longest");

enum { MAGIC = 'z' | 'f' << 8 | 'p' << 16, CODEC_VERSION = 5 };

/* What the fields of a long mode code hold: numbers of bits in 15, planes in 7, an exponent in 15,
 * each less its least value. */
enum { CODE_MOST_BITS = 1 << 15, CODE_MOST_PLANES = 1 << 7 };
enum { CODE_LEAST_EXP = -16495, CODE_MOST_EXP = CODE_LEAST_EXP + (1 << 15) - 1 };

/* A mode code below MODE_LONG has all parameters in 12 bits; MODE_LONG begins the long form. */
enum {
    MODE_RATE = 0,         /* + maxbits - 1, up to 2047 */
    MODE_PRECISION = 2048, /* + maxprec - 1, up to 2175 */
    MODE_REVERSIBLE = 2176,
    MODE_ACCURACY = 2177, /* + minexp + 1074, up to 4094 */
    MODE_LONG = 4095
};

zt_status zt_zfp_init(zt_zfp *zfp, size_t zfp_bytes)
{
    if (!zfp || zfp_bytes < sizeof *zfp)
        return ZT_BAD_ARG;
    memset(zfp, 0, zfp_bytes);
    zfp->struct_bytes = (uint32_t)zfp_bytes;
    zfp->minbits = ZTI_ZFP_MIN_BITS;
    zfp->maxbits = ZTI_ZFP_MAX_BITS;
    zfp->maxprec = ZTI_ZFP_MAX_PREC;
    zfp->minexp = ZTI_ZFP_MIN_EXP;
    zfp->word_bits = 64;
    return ZT_OK;
}

static void set(zt_zfp *zfp, uint32_t minbits, uint32_t maxbits, uint32_t maxprec, int32_t minexp)
{
    zfp->minbits = minbits;
    zfp->maxbits = maxbits;
    zfp->maxprec = maxprec;
    zfp->minexp = minexp;
}

static void set_default(zt_zfp *zfp)
{
    set(zfp, ZTI_ZFP_MIN_BITS, ZTI_ZFP_MAX_BITS, ZTI_ZFP_MAX_PREC, ZTI_ZFP_MIN_EXP);
}

zt_status zt_zfp_set_rate(zt_zfp *zfp, double rate, zt_type type, uint32_t rank, int align,
                          double *actual)
{
    if (!zfp || zt_type_bytes((uint32_t)type) == 0 || rank < 1 || rank > ZT_MAX_RANK)
        return ZT_BAD_ARG;
    const double values = (double)(1u << 2 * rank);
    const double wanted = floor(values * rate + 0.5);
    if (!(wanted >= 0 && wanted <= UINT32_MAX - 64))
        return ZT_BAD_ARG;
    uint32_t bits = (uint32_t)wanted;
    const uint32_t width = 8 * (uint32_t)zt_type_bytes((uint32_t)type);
    const uint32_t least = zti_zfp_header_most(width, zti_is_float((uint32_t)type), false);
    if (bits < least)
        bits = least;
    if (align)
        bits = (uint32_t)zti_round_up(bits, zfp->word_bits);
    set(zfp, bits, bits, ZTI_ZFP_MAX_PREC, ZTI_ZFP_MIN_EXP);
    if (actual)
        *actual = bits / values;
    return ZT_OK;
}

zt_status zt_zfp_set_precision(zt_zfp *zfp, uint32_t planes, uint32_t *actual)
{
    if (!zfp)
        return ZT_BAD_ARG;
    set_default(zfp);
    if (planes >= 1 && planes < ZTI_ZFP_MAX_PREC)
        zfp->maxprec = planes;
    if (actual)
        *actual = zfp->maxprec;
    return ZT_OK;
}

zt_status zt_zfp_set_accuracy(zt_zfp *zfp, double tolerance, double *actual)
{
    if (!zfp)
        return ZT_BAD_ARG;
    set_default(zfp);
    if (tolerance > 0) { /* exponent stays 0 for infinity, as in libzfp with glibc's frexp */
        int exponent = 0;
        if (!isinf(tolerance))
            (void)frexp(tolerance, &exponent);
        zfp->minexp = exponent - 1;
    }
    if (actual)
        *actual = tolerance > 0 ? ldexp(1, zfp->minexp) : 0;
    return ZT_OK;
}

zt_status zt_zfp_set_reversible(zt_zfp *zfp)
{
    if (!zfp)
        return ZT_BAD_ARG;
    set_default(zfp);
    zfp->minexp = ZTI_ZFP_MIN_EXP - 1;
    return ZT_OK;
}

zt_status zt_zfp_set_expert(zt_zfp *zfp, uint32_t minbits, uint32_t maxbits, uint32_t maxprec,
                            int32_t minexp)
{
    if (!zfp || minbits > maxbits || maxprec < 1 || maxprec > ZTI_ZFP_MAX_PREC)
        return ZT_BAD_ARG;
    set(zfp, minbits, maxbits, maxprec, minexp);
    return ZT_OK;
}

zt_status zt_zfp_set_bound(zt_zfp *zfp, const zt_bound *bound)
{
    if (!bound || bound->kind != ZT_EXPERT)
        return ZT_BAD_ARG;
    return zt_zfp_set_expert(zfp, (uint32_t)bound->words[0], (uint32_t)(bound->words[0] >> 32),
                             (uint32_t)bound->words[1], (int32_t)(uint32_t)(bound->words[1] >> 32));
}

void zt_params_set_zfp_words(zt_params *params, uint32_t word_bits)
{
    params->codec_words[0] = word_bits;
}

zt_status zt_info_zfp(const zt_info *info, zt_zfp *zfp, int32_t *shift)
{
    if (!info || info->codec != ZT_CODEC_ZFP || !zfp || zfp->struct_bytes < sizeof *zfp)
        return ZT_BAD_ARG;
    zt_bound numbers = zt_bound_of(ZT_EXPERT, 0);
    memcpy(numbers.words, info->codec_words, sizeof numbers.words);
    zfp->word_bits = (uint32_t)info->codec_words[2];
    if (shift)
        *shift = (int32_t)(uint32_t)(info->codec_words[2] >> 32);
    return zt_zfp_set_bound(zfp, &numbers);
}

zt_zfp_mode zt_zfp_mode_of(const zt_zfp *zfp)
{
    if (!zfp || zfp->minbits > zfp->maxbits || zfp->maxprec < 1 || zfp->maxprec > ZTI_ZFP_MAX_PREC)
        return ZT_ZFP_INVALID;
    const bool has_all_bits = zfp->minbits <= 1 && zfp->maxbits >= ZTI_ZFP_MAX_BITS;
    const bool has_all_planes = zfp->maxprec == ZTI_ZFP_MAX_PREC;
    const bool has_all_exponents = zfp->minexp == ZTI_ZFP_MIN_EXP;
    if (zfp->minbits == 1 && zfp->maxbits == ZTI_ZFP_MAX_BITS && has_all_planes &&
        has_all_exponents)
        return ZT_ZFP_EXPERT; /* the initial values */
    if (zfp->minbits == zfp->maxbits && zfp->maxbits >= 1 && zfp->maxbits <= ZTI_ZFP_MAX_BITS &&
        has_all_planes && has_all_exponents)
        return ZT_ZFP_FIXED_RATE;
    if (has_all_bits && has_all_exponents)
        return ZT_ZFP_FIXED_PRECISION;
    if (has_all_bits && has_all_planes)
        return zfp->minexp >= ZTI_ZFP_MIN_EXP ? ZT_ZFP_FIXED_ACCURACY : ZT_ZFP_REVERSIBLE;
    return ZT_ZFP_EXPERT;
}

static uint64_t clamped(int64_t v, int64_t low, int64_t high)
{
    return (uint64_t)((v < low ? low : v > high ? high : v) - low);
}

uint64_t zt_zfp_mode_code(const zt_zfp *zfp)
{
    switch (zt_zfp_mode_of(zfp)) {
    case ZT_ZFP_FIXED_RATE:
        if (zfp->maxbits <= 2048)
            return MODE_RATE + zfp->maxbits - 1;
        break;
    case ZT_ZFP_FIXED_PRECISION: return MODE_PRECISION + zfp->maxprec - 1;
    case ZT_ZFP_FIXED_ACCURACY:
        if (zfp->minexp <= 843)
            return (uint64_t)(MODE_ACCURACY + zfp->minexp - ZTI_ZFP_MIN_EXP);
        break;
    case ZT_ZFP_REVERSIBLE: return MODE_REVERSIBLE;
    case ZT_ZFP_EXPERT:
    case ZT_ZFP_INVALID: break;
    }
    return MODE_LONG | clamped(zfp->minbits, 1, CODE_MOST_BITS) << 12 |
           clamped(zfp->maxbits, 1, CODE_MOST_BITS) << 27 |
           clamped(zfp->maxprec, 1, CODE_MOST_PLANES) << 42 |
           clamped(zfp->minexp, CODE_LEAST_EXP, CODE_MOST_EXP) << 49;
}

/* Set the parameters from a mode code; false if it is not valid. They are set only on success. */
static bool set_mode_code(zt_zfp *zfp, uint64_t code)
{
    const uint32_t v = code & MODE_LONG;
    if (v == MODE_LONG)
        return zt_zfp_set_expert(zfp, (uint32_t)(code >> 12 & (CODE_MOST_BITS - 1)) + 1,
                                 (uint32_t)(code >> 27 & (CODE_MOST_BITS - 1)) + 1,
                                 (uint32_t)(code >> 42 & (CODE_MOST_PLANES - 1)) + 1,
                                 (int32_t)(code >> 49) + CODE_LEAST_EXP) == ZT_OK;
    if (v < MODE_PRECISION)
        set(zfp, v + 1, v + 1, ZTI_ZFP_MAX_PREC, ZTI_ZFP_MIN_EXP);
    else if (v < MODE_REVERSIBLE)
        return zt_zfp_set_expert(zfp, ZTI_ZFP_MIN_BITS, ZTI_ZFP_MAX_BITS, v - MODE_PRECISION + 1,
                                 ZTI_ZFP_MIN_EXP) == ZT_OK;
    else if (v == MODE_REVERSIBLE)
        (void)zt_zfp_set_reversible(zfp);
    else
        set(zfp, ZTI_ZFP_MIN_BITS, ZTI_ZFP_MAX_BITS, ZTI_ZFP_MAX_PREC,
            (int32_t)v - MODE_ACCURACY + ZTI_ZFP_MIN_EXP);
    return true;
}

/* zfp's numbers for our types: int32, int64, float, double. */
static const uint8_t field_type[5] = {0, 2, 3, 0, 1};
static const uint8_t type_of_field[4] = {ZT_I32, ZT_I64, ZT_F32, ZT_F64};

static zt_status field_code_of(const struct zti_array *array, uint64_t *code)
{
    const uint32_t bits = 48 / array->rank;
    uint64_t v = 0;
    for (uint32_t i = 0; i < array->rank; i++) { /* the slowest axis ends up highest */
        if ((array->shape[i] - 1) >> bits)
            return ZT_BAD_ARG;
        v = v << bits | (array->shape[i] - 1);
    }
    *code = v << 4 | (array->rank - 1) << 2 | field_type[array->type];
    return ZT_OK;
}

zt_status zt_zfp_field_code(const zt_array *given, uint64_t *code)
{
    struct zti_array array;
    if (!code || zti_array_check(NULL, given, ZTI_SHAPE_ONLY, &array) != ZT_OK)
        return ZT_BAD_ARG;
    return field_code_of(&array, code);
}

zt_status zti_zfp_check(zt_context *context, const zt_zfp *zfp, struct zti_zfp *out)
{
    if (!zfp || zfp->struct_bytes < sizeof *zfp)
        return zti_fail(context, ZT_BAD_ARG, "zfp parameters were not set by zt_zfp_init");
    for (size_t i = sizeof *zfp; i < zfp->struct_bytes; i++)
        if (((const uint8_t *)zfp)[i])
            return zti_fail(context, ZT_UNSUPPORTED,
                            "zfp parameters of a later version are set; use its library");
    if (zt_zfp_mode_of(zfp) == ZT_ZFP_INVALID)
        return zti_fail(context, ZT_BAD_ARG,
                        "zfp parameters need minbits <= maxbits and maxprec in 1..%d, "
                        "not %u, %u, %u",
                        ZTI_ZFP_MAX_PREC, zfp->minbits, zfp->maxbits, zfp->maxprec);
    if (zfp->word_bits != 8 && zfp->word_bits != 16 && zfp->word_bits != 32 && zfp->word_bits != 64)
        return zti_fail(context, ZT_BAD_ARG, "zfp word size %u is none of 8, 16, 32, 64 bits",
                        zfp->word_bits);
    if (zfp->flags & ~(ZT_ZFP_HEADER | ZT_ZFP_AS_LIBZFP) || zfp->reserved)
        return zti_fail(context, ZT_UNSUPPORTED, "unknown zfp flags 0x%x", zfp->flags);
    *out = (struct zti_zfp){.minbits = zfp->minbits,
                            .maxbits = zfp->maxbits,
                            .maxprec = zfp->maxprec,
                            .minexp = zfp->minexp,
                            .word_bits = zfp->word_bits,
                            .as_libzfp = (zfp->flags & ZT_ZFP_AS_LIBZFP) != 0};
    return ZT_OK;
}

zt_status zti_zfp_check_decodable(zt_context *context, const struct zti_zfp *z, uint32_t type,
                                  bool has_header)
{
    if (z->as_libzfp)
        return ZT_OK;
    if (zti_zfp_is_reversible(z) && z->minbits > 1 && (type == ZT_F32 || type == ZT_F64))
        return zti_fail(context, ZT_UNSUPPORTED,
                        "a reversible stream of floating-point values with minbits %u cannot be "
                        "decoded (libzfp does not pad its empty blocks); use minbits 1 or 0",
                        z->minbits);
    if (has_header && z->maxbits > CODE_MOST_BITS)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "maxbits %u does not fit zfp's header, which holds at most %d; "
                        "lower the rate or leave out the header",
                        z->maxbits, CODE_MOST_BITS);
    if (has_header && (z->minexp < CODE_LEAST_EXP || z->minexp > CODE_MOST_EXP))
        return zti_fail(context, ZT_UNSUPPORTED,
                        "minexp %d does not fit zfp's header, which holds %d to %d", z->minexp,
                        CODE_LEAST_EXP, CODE_MOST_EXP);
    return ZT_OK;
}

zt_status zti_zfp_encode_file_header(zt_context *context, const struct zti_zfp *z,
                                     const struct zti_array *array, struct zti_bit_writer *w)
{
    const zt_zfp zfp = zti_zfp_mode_numbers(z);
    uint64_t field;
    if (field_code_of(array, &field) != ZT_OK)
        return zti_fail(context, ZT_BAD_ARG,
                        "an extent does not fit zfp's header, which holds at most %s; leave out "
                        "the header",
                        array->rank == 1   ? "2^48"
                        : array->rank == 2 ? "2^24 an axis"
                        : array->rank == 3 ? "2^16 an axis"
                                           : "2^12 an axis");
    if (array->rank == 1 && array->shape[0] > UINT64_C(1) << 32 && !z->as_libzfp)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "libzfp reads 1-D extents above 2^32 from a header wrongly; leave out the "
                        "header");
    const uint64_t mode = zt_zfp_mode_code(&zfp);
    zti_put_bits(w, MAGIC | CODEC_VERSION << 24, MAGIC_BITS);
    zti_put_bits(w, field, FIELD_BITS);
    zti_put_bits64(w, mode, (mode & MODE_LONG) == MODE_LONG ? MODE_LONG_BITS : MODE_SHORT_BITS);
    return ZT_OK;
}

/* Type, rank and shape from the 52 bits of a header. */
static void set_field_code(struct zti_array *array, uint64_t code, bool as_libzfp)
{
    const uint32_t type = type_of_field[code & 3];
    const uint32_t rank = (uint32_t)(code >> 2 & 3) + 1, bits = 48 / rank;
    uint64_t shape[ZT_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        shape[rank - 1 - i] = (code >> (4 + bits * i) & ((UINT64_C(1) << bits) - 1)) + 1;
    if (as_libzfp && rank == 1)
        shape[0] = ((shape[0] - 1) & UINT32_MAX) + 1;
    *array = zti_array_packed(NULL, type, rank, shape);
}

zt_status zti_zfp_decode_file_header(zt_context *context, const uint8_t *data, size_t data_bytes,
                                     struct zti_zfp *z, struct zti_array *array,
                                     uint32_t *header_bits)
{
    uint8_t head[24 + ZTI_BIT_MARGIN_BYTES] = {0}; /* a short header is read as if zeros followed */
    const size_t have = data_bytes < 24 ? data_bytes : 24;
    memcpy(head, data, have);
    struct zti_bit_reader r = {.base = head, .at = 0, .end = have * 8};
    if (zti_get_bits(&r, 24) != MAGIC)
        return zti_fail(context, ZT_CORRUPT,
                        "no zfp header; a stream without one needs its type, "
                        "shape and mode from the caller");
    const uint32_t version = (uint32_t)zti_get_bits(&r, 8);
    if (have * 8 >= MAGIC_BITS && version != CODEC_VERSION)
        return zti_fail(context, ZT_UNSUPPORTED,
                        "zfp codec version %u; this library knows version %d (zfp 0.5 to 1.0)",
                        version, CODEC_VERSION);
    set_field_code(array, zti_get_bits(&r, FIELD_BITS), z->as_libzfp);
    uint64_t mode = zti_get_bits(&r, MODE_SHORT_BITS);
    if (mode == MODE_LONG)
        mode |= zti_get_bits(&r, MODE_LONG_BITS - MODE_SHORT_BITS) << MODE_SHORT_BITS;
    if (r.at > r.end)
        return zti_fail(context, ZT_CORRUPT, "the zfp header is cut short");
    zt_zfp zfp = {.word_bits = z->word_bits};
    if (!set_mode_code(&zfp, mode))
        return zti_fail(context, ZT_CORRUPT, "the mode in the zfp header makes no sense");
    z->minbits = zfp.minbits;
    z->maxbits = zfp.maxbits;
    z->maxprec = zfp.maxprec;
    z->minexp = zfp.minexp;
    *header_bits = (uint32_t)r.at;
    return ZT_OK;
}
