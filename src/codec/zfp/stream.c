/* stream.c: the zfp codec: the layout of its stream, its parameters in a frame, and its table of
 * functions.
 *
 * The stream is that of libzfp 1.0 (codec version 5), bit for bit. Source: P. Lindstrom, "Fixed-
 * Rate Compressed Floating-Point Arrays", IEEE TVCG 2014, and zfp's documentation, "Algorithm".
 *
 * An array is cut into tiles (zfp: blocks) of 4^rank values, coded one after the other, the
 * array's last axis fastest, with nothing between them; the end is padded with zero bits to a
 * multiple of the word size. Four parameters hold for all tiles:
 *
 *     minbits   least bits of a tile; shorter tiles are padded with zeros
 *     maxbits   most bits of a tile; coding stops there, anywhere
 *     maxprec   most bit planes coded
 *     minexp    exponent of the least bit plane coded; below -1074: the reversible algorithm
 *
 * A lossy tile of floating-point values:
 *     0                          all values +0, or below the planes coded; padded to minbits
 *     1 | exponent | planes      exponent: 8 or 11 bits, biased, of the largest value;
 *                                values as integers q = trunc(x 2^(N-2-emax)), N = 32 or 64
 *     planes coded: min(maxprec, emax - minexp + 2 rank + 2)
 * A lossy tile of integers has only planes, maxprec of them.
 * For the planes, q is transformed along each axis by a lifted, nearly orthogonal transform
 * (tile/transform.h). The coefficients are ordered by total degree and written in negabinary; bit
 * planes are coded from the highest down, each as tile/planes.h says.
 *
 * A reversible tile of floating-point values:
 *     0                          all values +0
 *     1 0 | exponent | integers  if q keeps every bit of the values
 *     1 1 | integers             the values' bits; if negative, all but the sign flipped
 * The integers, and a reversible tile of integers, are the number of planes less one in 5 or 6
 * bits, then these planes of the coefficients of an exact transform (third differences along each
 * axis).
 *
 * In a .zt file under an absolute bound, integers are first multiplied by 2^shift, so that planes
 * below the units are coded; the stream is that of the multiplied integers. */
#include "codec/holes.h"
#include "codec/planning.h"
#include "codec/zfp/zfp.h"

#include <math.h>

#define EXPORTED
#define LOCAL static
#include "codec/zfp/tile/order.h" /* zti_zfp_pad, zti_zfp_order */

/* The most bits of a tile before its planes. */
static uint64_t header_bits(const struct zti_zfp *z, uint32_t type)
{
    return zti_zfp_header_most(8 * (uint32_t)zt_type_bytes(type), zti_is_float(type),
                               zti_zfp_is_reversible(z));
}

/* The most bits of a tile of 'planes' planes, before padding. If maxbits is less than the header,
 * the budget wraps around, as in libzfp, and limits nothing. */
static uint64_t content_bits(const struct zti_zfp *z, uint32_t type, uint32_t rank, uint32_t planes)
{
    const uint64_t n = UINT64_C(1) << 2 * rank, header = header_bits(z, type);
    const uint64_t width = 8 * zt_type_bytes(type);
    const uint64_t bits = header + (n - 1) + n * (planes < width ? planes : width);
    return z->maxbits < bits && z->maxbits >= header ? z->maxbits : bits;
}

/* A reversible tile has its number of planes in its header. */
uint64_t zti_zfp_tile_read_max(const struct zti_zfp *z, uint32_t type, uint32_t rank)
{
    return content_bits(z, type, rank, zti_zfp_is_reversible(z) ? ZTI_ZFP_MAX_PREC : z->maxprec);
}

/* The most bits of one tile, with padding. */
static uint64_t tile_bits(const struct zti_zfp *z, uint32_t type, uint32_t rank)
{
    const uint64_t bits = content_bits(z, type, rank, z->maxprec);
    return z->minbits > bits ? z->minbits : bits;
}

bool zti_zfp_is_lossless(const struct zti_zfp *z, uint32_t type, uint32_t rank)
{
    const struct zti_zfp unlimited = {
        .maxbits = UINT32_MAX, .maxprec = ZTI_ZFP_MAX_PREC, .minexp = ZTI_ZFP_MIN_EXP - 1};
    return zti_zfp_is_reversible(z) && z->maxprec >= 8 * zt_type_bytes(type) &&
           z->maxbits >= zti_zfp_tile_read_max(&unlimited, type, rank);
}

/* Tiles have one size if the coding is lossy, minbits is maxbits, and the header fits. */
uint64_t zti_zfp_fixed_bits(const struct zti_coding *coding)
{
    const struct zti_zfp *z = zfp_of(coding);
    return z->minbits == z->maxbits && !zti_zfp_is_reversible(z) &&
                   z->maxbits >= header_bits(z, coding->type)
               ? z->maxbits
               : 0;
}

/* A tile has at least one bit, unless maxbits is 0. */
static struct zti_sizes sizes(const struct zti_coding *coding)
{
    const struct zti_zfp *const z = zfp_of(coding);
    const uint64_t most = tile_bits(z, coding->type, coding->grid.rank);
    const uint64_t fixed = zti_zfp_fixed_bits(coding);
    return (struct zti_sizes){.tile_min_bits = fixed > 0 ? fixed : most > 0,
                              .tile_max_bits = most,
                              .tile_read_max_bits =
                                  zti_zfp_tile_read_max(z, coding->type, coding->grid.rank),
                              .tile_fixed_bits = fixed,
                              .align_bits = z->word_bits,
                              .unit_bits = 1};
}

/* At least 256 values, so that an index takes less than one per cent of the stream. */
static uint32_t chunk_tiles(uint32_t rank)
{
    return rank == 1 ? 64 : 16;
}

/* The largest magnitude of a stream's values. */
static double most_of(const struct zti_target *target)
{
    const double least = fabs(target->min), most = fabs(target->max);
    return least > most ? least : most;
}

/* Integers within +-t: multiply by 2^shift so that |q| < 2^(N-2), and code the planes down to
 * kmin, whose tolerance 2^(kmin + 2 rank) is at most t 2^shift (cf. zti_zfp_proves in spec.h;
 * rounding to the nearest integer adds nothing to an error below t, which is whole). */
static void configure_integers(const struct zti_target *target, struct zti_coding *coding)
{
    const int32_t width = (int32_t)(8 * zt_type_bytes(coding->type));
    const double most = most_of(target);
    struct zti_zfp *z = zfp_in(coding);
    int most_exponent = 0, bound_exponent = 0;
    (void)frexp(most, &most_exponent);                      /* most < 2^most_exponent */
    (void)frexp(floor(target->abs_bound), &bound_exponent); /* 2^(bound_exponent - 1) <= bound */
    if (isnan(most))
        return; /* only sizes are wanted: all planes */
    z->shift = width - 2 - most_exponent;
    const int32_t kmin = bound_exponent - 1 + z->shift - 2 * (int32_t)coding->grid.rank;
    if (kmin < 1) { /* nearly all planes would be coded */
        z->minexp = ZTI_ZFP_MIN_EXP - 1;
        z->shift = 0;
        coding->verify_bound = NAN;
    } else {
        z->maxprec = kmin < width ? (uint32_t)(width - kmin) : 1;
    }
}

/* Settings that planning tries under a pointwise relative bound. First: reversible, with 1 ...
 * width planes. Then: fixed accuracy, 2^0 ... 2^-63 of the largest value's power of two. Values
 * beyond the bound are stored exactly. */
enum { ACCURACIES = 64 };

static uint32_t choices(const struct zti_coding *coding, uint32_t ends[ZTI_CHOICE_RUNS])
{
    ends[0] = 8 * (uint32_t)zt_type_bytes(coding->type);
    ends[1] = ends[0] + ACCURACIES;
    return 2;
}

static zt_status set_choice(const struct zti_target *target, const struct zti_coding *coding,
                            zt_zfp *zfp)
{
    const uint32_t width = 8 * (uint32_t)zt_type_bytes(coding->type);
    const double most = most_of(target);
    int exponent = 0;
    (void)zt_zfp_set_reversible(zfp);
    if (isnan(most)) /* only sizes are wanted: all planes */
        return ZT_OK;
    if (target->choice < width) {
        zfp->maxprec = target->choice + 1;
        return ZT_OK;
    }
    (void)frexp(most, &exponent);
    const int power = exponent - 1 - (int)(target->choice - width);
    return zt_zfp_set_accuracy(zfp, ldexp(1, power < ZTI_ZFP_MIN_EXP ? ZTI_ZFP_MIN_EXP : power),
                               NULL);
}

/* The most bits a value that a rate may ask for. */
enum { MOST_RATE = 4096 };

/* Reuses the public setters, so that a mode has one definition. */
static zt_status set_mode(zt_context *context, const struct zti_target *target,
                          const struct zti_coding *coding, zt_zfp *zfp)
{
    const zt_bound *b = &target->params->bound;
    switch (target->kind) {
    case ZT_LOSSLESS: return zt_zfp_set_reversible(zfp);
    case ZT_ABS:
        if (coding->type == ZT_F32 || coding->type == ZT_F64)
            return zt_zfp_set_accuracy(zfp, target->abs_bound, NULL);
        return target->abs_bound < 1 ? zt_zfp_set_reversible(zfp) : ZT_OK;
    case ZT_RATE:
        if (!(b->value > 0 && b->value <= MOST_RATE))
            return zti_fail(context, ZT_BAD_ARG, "rate %g is not in (0, %d] bits per value",
                            b->value, MOST_RATE);
        return zt_zfp_set_rate(zfp, b->value, (zt_type)coding->type, coding->grid.rank,
                               (b->flags & ZT_RATE_ALIGN) != 0, NULL);
    case ZT_PRECISION:
        if (!(b->value >= 1 && b->value <= ZTI_ZFP_MAX_PREC && b->value == floor(b->value)))
            return zti_fail(context, ZT_BAD_ARG, "precision %g is not a whole number in 1..%d",
                            b->value, ZTI_ZFP_MAX_PREC);
        return zt_zfp_set_precision(zfp, (uint32_t)b->value, NULL);
    case ZT_PWREL: return set_choice(target, coding, zfp);
    case ZT_EXPERT:
        if (zt_zfp_set_bound(zfp, b) != ZT_OK)
            return zti_fail(context, ZT_BAD_ARG,
                            "expert parameters need minbits <= maxbits and maxprec in 1..%d, "
                            "not %u, %u, %u",
                            ZTI_ZFP_MAX_PREC, (uint32_t)b->words[0], (uint32_t)(b->words[0] >> 32),
                            (uint32_t)b->words[1]);
        if (zfp->minbits > (uint32_t)MOST_RATE << 2 * coding->grid.rank)
            return zti_fail(context, ZT_BAD_ARG,
                            "expert minbits %u are more than %d bits for each value of a tile; "
                            "use less",
                            zfp->minbits, MOST_RATE);
        return ZT_OK;
    case ZT_REL:
    case ZT_PSNR:
    case ZT_RMSE:
    case ZT_RMSE_REL:
    case ZT_MAE:
    case ZT_MAE_REL: break;
    }
    return zti_fail(context, ZT_UNSUPPORTED, "the zfp codec has no bound of kind %d",
                    (int)target->kind);
}

static zt_status configure(zt_context *context, const struct zti_target *target,
                           struct zti_coding *coding)
{
    zt_zfp zfp;
    zt_status status = zt_zfp_init(&zfp, sizeof zfp);
    if (status == ZT_OK)
        status = set_mode(context, target, coding, &zfp);
    if (status != ZT_OK)
        return status;
    const uint64_t word_bits = target->params->codec_words[0];
    if (word_bits > 0) /* of what does not fit, none is valid */
        zfp.word_bits = word_bits <= UINT32_MAX ? (uint32_t)word_bits : UINT32_MAX;
    status = zti_zfp_check(context, &zfp, zfp_in(coding));
    if (status != ZT_OK)
        return status;
    coding->verify_bound = NAN;
    coding->is_of_value = target->kind == ZT_PWREL;
    if (target->kind == ZT_PWREL &&
        !zti_zfp_is_lossless(zfp_of(coding), coding->type, coding->grid.rank))
        coding->verify_bound = target->part;
    if (target->kind == ZT_ABS && !zti_zfp_is_reversible(zfp_of(coding))) {
        coding->verify_bound = target->abs_bound;
        if (coding->type == ZT_I32 || coding->type == ZT_I64)
            configure_integers(target, coding);
    }
    return zti_zfp_check_decodable(context, zfp_of(coding), coding->type, false);
}

/* Drop 'planes' planes more: the mode stays fixed accuracy (of integers: fixed precision). */
static bool loosen(struct zti_coding *coding, uint32_t planes)
{
    struct zti_zfp *z = zfp_in(coding);
    if (isnan(coding->verify_bound) || zti_zfp_is_reversible(z))
        return false;
    if (coding->type == ZT_F32 || coding->type == ZT_F64) {
        if (z->minexp > 1023 - (int32_t)planes)
            return false;
        z->minexp += (int32_t)planes;
    } else {
        if (z->maxprec <= planes)
            return false;
        z->maxprec -= planes;
    }
    coding->loose_planes += planes;
    return true;
}

/* The codec's part of a frame header: a byte with the mode in its low four bits and the base-2
 * logarithm of the bytes of a word in its high four; a signed byte with the shift; and the mode's
 * parameters: reversible: nothing; accuracy: minexp (2 bytes); precision: maxprec (1); rate:
 * maxbits (4); expert: minbits, maxbits (4 each), maxprec (1), minexp (4). */
static size_t store_params(const struct zti_coding *coding, uint8_t *out)
{
    const struct zti_zfp *z = zfp_of(coding);
    const zt_zfp zfp = zti_zfp_mode_numbers(z);
    const zt_zfp_mode mode = zt_zfp_mode_of(&zfp);
    const uint32_t word = z->word_bits == 64 ? 3 : z->word_bits == 32 ? 2 : z->word_bits == 16;
    out[0] = (uint8_t)((uint32_t)mode | word << 4);
    out[1] = (uint8_t)z->shift;
    switch (mode) {
    case ZT_ZFP_REVERSIBLE: return 2;
    case ZT_ZFP_FIXED_ACCURACY:
        if (z->minexp > INT16_MAX)
            break;
        out[2] = (uint8_t)z->minexp;
        out[3] = (uint8_t)(z->minexp >> 8);
        return 4;
    case ZT_ZFP_FIXED_PRECISION: out[2] = (uint8_t)z->maxprec; return 3;
    case ZT_ZFP_FIXED_RATE: zti_put_le32(out + 2, z->maxbits); return 6;
    case ZT_ZFP_EXPERT:
    case ZT_ZFP_INVALID: break;
    }
    out[0] = (uint8_t)(ZT_ZFP_EXPERT | word << 4);
    zti_put_le32(out + 2, z->minbits);
    zti_put_le32(out + 6, z->maxbits);
    out[10] = (uint8_t)z->maxprec;
    zti_put_le32(out + 11, (uint32_t)z->minexp);
    return 15;
}

static zt_status load_params(zt_context *context, const uint8_t *in, size_t in_bytes,
                             struct zti_coding *coding)
{
    static const uint8_t bytes_of_mode[6] = {0, 15, 6, 3, 4, 2};
    zt_zfp zfp;
    (void)zt_zfp_init(&zfp, sizeof zfp);
    const uint32_t mode = in_bytes > 0 ? in[0] & 15 : 0;
    if (mode < ZT_ZFP_EXPERT || mode > ZT_ZFP_REVERSIBLE || in[0] >> 4 > 3 ||
        in_bytes != bytes_of_mode[mode])
        return zti_fail(context, ZT_CORRUPT, "the zfp parameters of a frame make no sense");
    zfp.word_bits = 8u << (in[0] >> 4);
    switch (mode) {
    case ZT_ZFP_REVERSIBLE: zfp.minexp = ZTI_ZFP_MIN_EXP - 1; break;
    case ZT_ZFP_FIXED_ACCURACY: zfp.minexp = (int16_t)(in[2] | in[3] << 8); break;
    case ZT_ZFP_FIXED_PRECISION: zfp.maxprec = in[2]; break;
    case ZT_ZFP_FIXED_RATE: zfp.minbits = zfp.maxbits = zti_get_le32(in + 2); break;
    default:
        zfp.minbits = zti_get_le32(in + 2);
        zfp.maxbits = zti_get_le32(in + 6);
        zfp.maxprec = in[10];
        zfp.minexp = (int32_t)zti_get_le32(in + 11);
    }
    const int32_t shift = (int8_t)in[1];
    const int32_t most = coding->type == ZT_I32 ? 30 : coding->type == ZT_I64 ? 62 : 0;
    if (zti_zfp_check(NULL, &zfp, zfp_in(coding)) != ZT_OK ||
        zti_zfp_check_decodable(NULL, zfp_of(coding), coding->type, false) != ZT_OK ||
        shift > most || shift < (most ? -2 : 0))
        return zti_fail(context, ZT_CORRUPT, "the zfp parameters of a frame are out of range");
    zfp_in(coding)->shift = shift;
    coding->verify_bound = NAN;
    return ZT_OK;
}

static void describe(const struct zti_coding *coding, zt_info *info)
{
    const struct zti_zfp *const z = zfp_of(coding);
    const zt_bound numbers = zt_expert(z->minbits, z->maxbits, z->maxprec, z->minexp);
    memcpy(info->codec_words, numbers.words, sizeof numbers.words);
    info->codec_words[2] = z->word_bits | (uint64_t)(uint32_t)z->shift << 32;
    if (info->bound.kind == ZT_EXPERT)
        info->bound = numbers;
}

static const uint32_t tile_shape[ZT_MAX_RANK][ZT_MAX_RANK] = {{4}, {4, 4}, {4, 4, 4}, {4, 4, 4, 4}};

_Static_assert(sizeof(struct zti_zfp) <= ZTI_NUMBERS_BYTES, "a coding has room for the numbers");

/* ---- for planning ---- */

/* Speeds are in MB/s. */
static uint32_t candidates(const zt_params *params, bool is_lossy, struct zti_candidate *list)
{
    enum { SPEED = 540, LOSSLESS_SPEED = 470 };
    list[0] = (struct zti_candidate){.codec = ZT_CODEC_ZFP,
                                     .effort = params->codec == ZT_CODEC_AUTO ? ZT_EFFORT_DEFAULT
                                                                              : params->effort,
                                     .is_lossy = is_lossy,
                                     .speed = is_lossy ? SPEED : LOSSLESS_SPEED};
    return 1;
}

/* Nanoseconds (struct zti_decode_times), by rank, with AVX-512; the unit of work is a tile of
 * 4^rank values. */
static const struct zti_decode_times decode_times[2] = {
    {{3.1, 2.1, 1.7, 1.0}, {0.24, 0.15, 0.075, 0.045}, 1.3},
    {{3.9, 3.5, 2.6, 1.8}, {0.21, 0.08, 0.045, 0.037}, 2.0}};

static const struct zti_planning planning = {.has_power_bounds = true,
                                             .candidates = candidates,
                                             .choices = choices,
                                             .loosen = loosen,
                                             .decode_times = decode_times};

static const struct zti_holes filling = {.learn = zti_zfp_learn_holes, .fit = zti_zfp_fit_holes};

static const struct zti_batch batch = {.runs = zti_zfp_runs, .decode = zti_zfp_decode_runs};

static const struct zti_tables tables = {.planning = &planning, .holes = &filling, .batch = &batch};

const struct zti_codec zti_codec_zfp = {.name = "zfp",
                                        .id = ZT_CODEC_ZFP,
                                        .tile_shape = tile_shape,
                                        .chunk_tiles = chunk_tiles,
                                        .configure = configure,
                                        .store_params = store_params,
                                        .load_params = load_params,
                                        .describe = describe,
                                        .sizes = sizes,
                                        .encode = zti_zfp_encode,
                                        .decode = zti_zfp_decode,
                                        .skip = zti_zfp_skip,
                                        .tables = &tables};
