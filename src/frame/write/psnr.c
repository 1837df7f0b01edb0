/* psnr.c: a bound on the PSNR of the whole array.
 *
 * 20 log10(range / RMSE) is at least P where each frame's mean squared error is at most range^2
 * 10^(-P / 10), so each frame meets that by itself: the bound holds whatever the others do. A frame
 * is coded under an absolute bound, decoded, measured, and coded again with another bound where its
 * error is too large or needlessly small:
 *
 *   - where a codec uses any bound: the first bound is what a sample of the values says for
 *     errors of a lattice; others follow from what was measured, the error's square growing as that
 *     of the bound does. Most frames are coded and decoded once.
 *   - where bounds are powers of two: a sample of the tiles is coded with some of them; then
 *     the slab with the one that seems too loose by one, and if it is, with the next. Most frames
 *     are coded and decoded twice. The result is the loosest power of two but none tighter.
 *
 * Steps that go on for long grow, so that no array makes a search long: a frame is coded at most
 * TRIALS_MOST times, and the sample 14 times. What no bound meets is coded without loss.
 *
 * What is computed here decides bytes, so it uses nothing of which machines differ in the last bit,
 * and sums are made in an order that does not depend on threads. */
#include "frame/write/stages.h"
#include "quality/quality.h"

#include <float.h>
#include <math.h>

/* Rounding of sums and of the target, generously: a PSNR that is computed otherwise from the same
 * values does not come out below the target. */
static const double margin = 1 - 1e-9;

/* ---- the target ---- */

/* 10^(-decibel / 10): a power of two, and the exponential series of what is left. */
static double target_of(double decibel)
{
    const double log2_10 = 0x1.a934f0979a371p+1, ln_2 = 0x1.62e42fefa39efp-1;
    const double binary = -(decibel < 6000 ? decibel : 6000) / 10 * log2_10;
    const double whole = rint(binary), x = (binary - whole) * ln_2;
    double sum = 1;
    for (int i = 18; i > 0; i--)
        sum = 1 + x * sum / i;
    return ldexp(sum, (int)whole);
}

double zti_psnr_bound(double decibel, double range)
{
    return sqrt(3 * target_of(decibel)) * range;
}

/* What a search knows. */
struct search {
    struct zt_writer *w;
    struct zti_frame *f;
    struct zti_ask *ask;
    const struct zti_array *slab;
    const struct zti_special *special;
    struct zti_misses *misses;
    uint8_t **payload;
    double target;    /* of the mean squared error over range^2 */
    uint64_t counted; /* values */
};

static const uint64_t *mask_of(const struct zti_special *special)
{
    return special->count > 0 ? special->mask : NULL;
}

/* Code the slab with a bound (0: without loss), decode it, and set f->error. */
static zt_status code_and_measure(struct search *s, double bound)
{
    struct zt_writer *const w = s->w;
    struct zti_frame *const f = s->f;
    s->ask->kind = bound > 0 ? ZT_ABS : ZT_LOSSLESS;
    s->ask->abs_bound = bound;
    zt_status status = zti_writer_code(w, f, s->ask, s->slab, s->misses, s->payload);
    f->error = 0;
    if (status || bound == 0)
        return status;
    const zt_progress progress = zti_pause_progress(w->context);
    status = zti_decode_own(w->context, &f->coding, *s->payload, f->payload_bytes, &w->decoded);
    zti_resume_progress(w->context, progress);
    if (!status)
        f->error =
            zti_sum_squares(w->context, s->slab, w->decoded.bytes, mask_of(s->special), f->range) /
            (double)s->counted;
    return status;
}

static bool is_met(const struct search *s)
{
    return s->f->error <= s->target * margin;
}

/* Times that a frame is coded with a bound, and once more at the end. */
enum { TRIALS_MOST = 24 };

/* ---- any bound ---- */

enum { SAMPLE_VALUES = 1 << 16 };

/* Magnitudes of values from all over the slab that count, over range; returns how many. */
static uint32_t sample_values(const struct search *s, double *values)
{
    const struct zti_array *const slab = s->slab;
    const uint64_t all = zti_array_values(slab->rank, slab->shape);
    const uint64_t n = all < SAMPLE_VALUES ? all : SAMPLE_VALUES;
    const uint64_t *const mask = mask_of(s->special);
    const size_t value_bytes = zt_type_bytes(slab->type);
    uint32_t count = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t first = all / n * i + all % n * i / n, part = all / n;
        const uint64_t at = first + (i + 1) * UINT64_C(2654435769) % UINT32_MAX % part;
        uint64_t place[ZT_MAX_RANK], left = at;
        if (mask && (mask[at / 64] >> at % 64 & 1))
            continue;
        for (uint32_t k = slab->rank; k-- > 0; left /= slab->shape[k])
            place[k] = left % slab->shape[k];
        const uint64_t bits = zti_bits_at(zti_array_at(slab, place), 0, value_bytes);
        values[count++] = zti_error_of(slab->type, bits, 0) / s->f->range;
    }
    return count;
}

/* The mean squared error of values on a lattice of steps of twice a bound. */
static double lattice_error(const double *values, uint32_t n, double bound)
{
    const double step = 2 * bound;
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        const double d = values[i] - rint(values[i] / step) * step;
        sum += d * d;
    }
    return sum / n;
}

/* Near a bound at which a sample has the error 'aim', the largest at which it has that and little
 * less: errors are no smooth function of the bound where many values are the same. */
static double refine(const double *values, uint32_t n, double aim, double bound)
{
    enum { PLACES = 24 };
    double best = bound, best_error = 0;
    if (n == 0)
        return bound;
    for (uint32_t i = 0; i < PLACES; i++) {
        const double other = bound * (0.8 + 0.025 * i), error = lattice_error(values, n, other);
        if (error <= aim && (error >= best_error || error >= 0.97 * aim)) {
            best = other;
            best_error = error;
        }
    }
    return best;
}

/* The bound (over range) at which a sample has the error 'aim': at least that of errors spread
 * evenly, sqrt(3 aim), and more where many values lie on the lattice whatever it is. */
static zt_status estimate(const struct search *s, double aim, double *bound)
{
    enum { STEPS = 18, MOST = 64 };
    double *const values = zti_alloc(s->w->context, SAMPLE_VALUES * sizeof *values);
    if (!values)
        return zti_fail(s->w->context, ZT_NO_MEMORY, "no memory for a sample of the values");
    const uint32_t n = sample_values(s, values);
    double low = sqrt(3 * aim), high = MOST * low;
    if (n == 0 || lattice_error(values, n, low) > aim)
        high = low;
    for (uint32_t i = 0; i < STEPS && high > low; i++) {
        const double middle = sqrt(low * high);
        if (lattice_error(values, n, middle) <= aim)
            low = middle;
        else
            high = middle;
    }
    const double error = n > 0 ? lattice_error(values, n, low) : aim;
    *bound = error <= aim && error >= 0.97 * aim ? low : refine(values, n, aim, low);
    zti_release(s->w->context, values);
    return ZT_OK;
}

/* The bounds between which a search is; 0: not known. */
struct bracket {
    double met, unmet;
    uint32_t misses; /* trials, as long as none was met */
};

/* The bound to try after one that made an error: errors grow as bounds do; else the middle. Where
 * that was not enough before, errors grow more slowly, as where most values are predicted well
 * whatever the bound: then as far again for each miss. */
static double next_bound(const struct bracket *b, double bound, double error, double aim)
{
    const double most = 8, factor = error > 0 ? sqrt(aim / error) : most;
    double next = bound * (factor > most ? most : factor < 1 / most ? 1 / most : factor);
    if (b->met > 0 && b->unmet > 0)
        return next > b->met && next < b->unmet ? next : sqrt(b->met * b->unmet);
    if (b->met > 0)
        return next > b->met ? next : 2 * b->met;
    for (uint32_t i = 1; i < b->misses && factor > 0.5; i++)
        next *= factor;
    return next < b->unmet ? next : b->unmet / 2;
}

/* Whether two bounds are the same to the codec: for integers, where their whole parts are. */
static bool is_same(const struct search *s, double a, double b)
{
    const double range = s->f->range;
    return (s->f->type == ZT_I32 || s->f->type == ZT_I64) && floor(a * range) == floor(b * range);
}

/* Whether a bound that is met needs no other trial: the error is near enough to the target, 0.25 dB
 * and later 0.45; or the bound is far above what even errors would allow, so that most values lie
 * on the lattice whatever it is. */
static bool is_enough(const struct search *s, double bound, uint32_t trial)
{
    const double part = trial < 2 ? 0.944 : 0.901;
    return s->f->error >= part * s->target || bound >= 50 * sqrt(3 * s->target);
}

/* From one measurement to the next. The end is for arrays whose errors follow no rule: the bound
 * that was met most nearly; where none was, smaller ones until there is one. */
static zt_status search_any(struct search *s)
{
    enum { TRIALS = 7 };
    const double aim = s->target * 0.993; /* 0.03 dB */
    struct bracket bracket = {0, 0, 0};
    double bound = 0, best = 0, best_error = -1;
    zt_status status = estimate(s, aim, &bound);
    for (uint32_t i = 0; i < TRIALS_MOST && !status && bound > 0; i++) {
        status = code_and_measure(s, bound * s->f->range);
        if (status)
            return status;
        const bool met = is_met(s);
        if (met && (is_enough(s, bound, i) || i >= TRIALS))
            return ZT_OK;
        *(met ? &bracket.met : &bracket.unmet) = bound;
        bracket.misses += !met;
        if (met && s->f->error >= best_error) {
            best = bound;
            best_error = s->f->error;
        }
        double next = next_bound(&bracket, bound, s->f->error, aim);
        if (is_same(s, next, bracket.unmet)) /* one less */
            next = (floor(bracket.unmet * s->f->range) - 0.5) / s->f->range;
        if (i >= TRIALS - 1 || (bracket.met > 0 && is_same(s, next, bracket.met)))
            next = best > 0 ? best : bracket.unmet / 4;
        if (met && next == bound)
            return ZT_OK;
        bound = next;
    }
    return status ? status : code_and_measure(s, 0);
}

/* ---- bounds that are powers of two ---- */

/* Whether the sample's error with the bound 2^k meets the target. */
static zt_status try_power(const struct search *s, struct zti_trial *trial, int k, bool *is_met)
{
    zt_context *const context = s->w->context;
    const struct zti_array *const sample = &trial->sample.array;
    struct zti_ask ask = *s->ask;
    struct zti_coding coding;
    uint64_t bytes;
    double squares = 0;
    ask.kind = ZT_ABS;
    ask.abs_bound = ldexp(1, k);
    zt_status status = zti_code_for_good(context, s->f->coding.codec, &ask, sample, NULL,
                                         &trial->stream, &coding, &bytes);
    if (!status)
        status = zti_decode_own(context, &coding, trial->stream.bytes, bytes, &trial->decoded);
    if (!status)
        squares = zti_sum_squares(context, sample, trial->decoded.bytes, NULL, s->f->range);
    zti_forget(context, &coding);
    *is_met = squares / (double)zti_array_values(sample->rank, sample->shape) <= s->target * margin;
    return status;
}

/* The loosest power that a sample says is met: by halves to one in four, then single ones. */
static zt_status estimate_power(const struct search *s, int most, int *power)
{
    enum { VALUES = 1 << 15, STRIDE = 4, STRIDES = 100, LEAST = -1020 };
    struct zti_trial trial = {.stream = {.bytes = NULL}};
    bool is_met;
    zt_status status =
        zti_sample_tiles(s->w->context, s->f->coding.codec, s->slab, VALUES, &trial.sample);
    int unmet = -1, met = STRIDES; /* strides below 'most'; the last one is not tried */
    const zt_progress progress = zti_pause_progress(s->w->context);
    while (met * STRIDE > most - LEAST)
        met--;
    while (!status && met - unmet > 1) {
        const int middle = unmet + (met - unmet) / 2;
        status = try_power(s, &trial, most - STRIDE * middle, &is_met);
        *(is_met ? &met : &unmet) = middle;
    }
    int k = most - STRIDE * met;
    for (int i = 1; !status && met > 0 && i < STRIDE; i++) { /* none is four above */
        status = try_power(s, &trial, k + 1, &is_met);
        if (!is_met)
            break;
        k++;
    }
    zti_resume_progress(s->w->context, progress);
    zti_trial_free(s->w->context, &trial);
    *power = k;
    return status;
}

/* Powers between which a search is; 'none' where not known. */
struct powers {
    int met, unmet, none;
    int step; /* for as long as only one is known */
    uint32_t trials;
};

/* The power to try after k. */
static int next_power(struct powers *p, int k, bool is_met)
{
    enum { SINGLE_STEPS = 4 };
    *(is_met ? &p->met : &p->unmet) = k;
    if (p->met != p->none && p->unmet != p->none)
        return p->met + (p->unmet - p->met) / 2;
    if (++p->trials > SINGLE_STEPS)
        p->step *= 2;
    return is_met ? k + p->step : k - p->step;
}

/* Up while it is met, and down until it is, in steps that grow; then the middle. A power that was
 * met and is followed by one that is not is coded once more. */
static zt_status search_powers(struct search *s)
{
    enum { SLACK = 12 }; /* errors are that many powers below a bound, at most */
    int most = 0, k = 0;
    const bool is_integer = s->f->type == ZT_I32 || s->f->type == ZT_I64;
    const int least = is_integer ? 0 : -1070;
    (void)frexp(s->f->range, &most);
    most = most + SLACK < 1020 ? most + SLACK : 1020;
    zt_status status = estimate_power(s, most, &k);
    struct powers p = {.met = most + 1, .unmet = most + 1, .none = most + 1, .step = 1};
    k = k < most ? k + 1 : k;
    for (uint32_t i = 0; i < TRIALS_MOST && k >= least && !status; i++) {
        status = code_and_measure(s, ldexp(1, k));
        if (status)
            return status;
        const bool met = is_met(s);
        const int next = next_power(&p, k, met);
        if (met && (k == most || p.unmet == k + 1))
            return ZT_OK;
        if (p.met != p.none && p.unmet == p.met + 1)
            return code_and_measure(s, ldexp(1, p.met));
        k = next > most ? most : next < least && k > least && p.met == p.none ? least : next;
    }
    if (!status && p.met != p.none)
        return code_and_measure(s, ldexp(1, p.met));
    return status ? status : code_and_measure(s, 0);
}

zt_status zti_psnr_code(struct zt_writer *w, struct zti_frame *f, struct zti_ask *ask,
                        const struct zti_array *slab, const struct zti_special *special,
                        struct zti_misses *misses, uint8_t **payload)
{
    struct search s = {.w = w,
                       .f = f,
                       .ask = ask,
                       .slab = slab,
                       .special = special,
                       .misses = misses,
                       .payload = payload,
                       .target = target_of(w->params.bound.value)};
    s.counted = zti_counted_values(f);
    if (s.counted == 0 || s.target < DBL_MIN / DBL_EPSILON)
        return code_and_measure(&s, 0);
    return zti_has_power_bounds(f->coding.codec) ? search_powers(&s) : search_any(&s);
}
