/* mean.c: part of the first stage: searches for the absolute bound of each frame with which the
 * array's PSNR, root mean squared error or mean absolute error is met.
 *
 * 20 log10(range / RMSE) >= P holds if each frame's mean squared error is at most range^2 10^(-P /
 * 10), and the other means hold if each frame's does. So each frame meets the target on its own,
 * independent of the others. A frame is coded under an absolute bound, decoded and measured; it is
 * coded again with another bound if its error is above the target or far below it. Errors are
 * squares: a mean absolute error counts by its square. The search never exceeds the bound on each
 * value, if there is one.
 *
 *   - Codecs that use any bound: the first bound comes from the quantization error of a sample of
 *     values. Later ones assume that the squared error grows as the square of the bound. Most
 *     frames are coded and decoded once.
 *   - Codecs whose bounds are powers of two: a sample of tiles is coded with some of them. The slab
 *     is first coded with the power above the loosest that the sample met; if that fails, with the
 *     next one below. Most frames are coded and decoded twice. The result is the loosest power of
 *     two that meets the target while the next one does not.
 *
 * Steps grow as a search goes on: a frame is coded at most TRIALS_MOST times, and the sample 14
 * times. A target that no bound meets makes the frame lossless.
 *
 * These computations decide bytes, so they use only operations that all machines round alike. */
#include "array/rows.h"
#include "frame/write/stages.h"
#include "quality/quality.h"

#include <float.h>
#include <math.h>

/* A margin for rounding: a PSNR that a user computes in another order does not come out below the
 * target. */
static const double margin = 1 - 1e-9;

/* ---- the target ---- */

static const double ln_2 = 0x1.62e42fefa39efp-1;

/* 2^v, as a power of two times an exponential series. */
static double exp2_of(double v)
{
    const double whole = rint(v), x = (v - whole) * ln_2;
    double sum = 1;
    for (int i = 18; i > 0; i--)
        sum = 1 + x * sum / i;
    return ldexp(sum, (int)whole);
}

/* log2 v of a number above 0: the series of artanh. */
static double log2_of(double v)
{
    int exponent;
    const double part = frexp(v, &exponent), z = (part - 1) / (part + 1);
    double sum = 0, power = z;
    for (int i = 1; i < 40; i += 2, power *= z * z)
        sum += power / i;
    return exponent + 2 * sum / ln_2;
}

/* 10^(-decibel / 10). */
static double target_of(double decibel)
{
    const double log2_10 = 0x1.a934f0979a371p+1;
    return exp2_of(-(decibel < 6000 ? decibel : 6000) / 10 * log2_10);
}

/* The target of a bound on the mean error, squared, over the square of the range. */
static double target_of_mean(const zt_bound *mean)
{
    return mean->kind == ZT_PSNR ? target_of(mean->value) : 1;
}

/* The bound, over range, at which evenly spread errors have the mean 'aim', squared. */
static double even_bound(double aim, bool is_absolute)
{
    return sqrt((is_absolute ? 4 : 3) * aim);
}

double zti_mean_bound(const struct zti_frame *f)
{
    const double bound =
        even_bound(target_of_mean(&f->mean), zti_is_absolute_mean(f->mean.kind)) * f->range;
    return f->abs_bound < bound ? f->abs_bound : bound; /* NaN: there is none on each value */
}

/* The most codings of a frame in a search, before the last one. */
enum { TRIALS_MOST = 24 };

/* ---- any bound ---- */

enum { SAMPLE_VALUES = 1 << 16 };

/* Sample magnitudes of the slab's counted values, divided by the range; returns how many. */
static uint32_t sample_values(const struct zti_job *job, double *values)
{
    const struct zti_array *const slab = &job->values;
    const uint64_t all = zti_array_values(slab->rank, slab->shape);
    const uint64_t n = all < SAMPLE_VALUES ? all : SAMPLE_VALUES;
    const uint64_t *const mask = job->special.count > 0 ? job->special.mask : NULL;
    const size_t value_bytes = zt_type_bytes(slab->type);
    uint32_t count = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t first = all / n * i + all % n * i / n, part = all / n;
        const uint64_t at = first + (i + 1) * UINT64_C(2654435769) % UINT32_MAX % part;
        if (mask && (mask[at / 64] >> at % 64 & 1))
            continue;
        uint64_t left;
        const uint64_t bits = zti_bits_at(zti_array_row(slab, at, &left), 0, value_bytes);
        values[count++] = zti_error_of(slab->type, bits, 0) / job->search.range;
    }
    return count;
}

/* A sample of the values' magnitudes over the range. */
struct sampled {
    double *values;
    uint32_t n;
    bool is_absolute;
};

/* The mean squared error of values rounded to multiples of twice a bound or, if errors are
 * absolute, the square of their mean error. */
static double lattice_error(const struct sampled *s, double bound)
{
    const double step = 2 * bound;
    double sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        const double d = s->values[i] - rint(s->values[i] / step) * step;
        sum += s->is_absolute ? fabs(d) : d * d;
    }
    sum /= s->n;
    return s->is_absolute ? sum * sum : sum;
}

/* The bound near a given one whose error on a sample is closest below 'aim'. Where many values are
 * equal, the error is no smooth function of the bound. */
static double refine(const struct sampled *s, double aim, double bound)
{
    enum { PLACES = 24 };
    double best = bound, best_error = 0;
    if (s->n == 0)
        return bound;
    for (uint32_t i = 0; i < PLACES; i++) {
        const double other = bound * (0.8 + 0.025 * i), error = lattice_error(s, other);
        if (error <= aim && (error >= best_error || error >= 0.97 * aim)) {
            best = other;
            best_error = error;
        }
    }
    return best;
}

/* The bound, over range, at which a sample has the mean 'aim': at least that of evenly spread
 * errors, and more where many values are multiples of any step. */
static zt_status estimate(const struct zti_job *job, double aim, double *bound)
{
    enum { STEPS = 18, MOST = 64 };
    struct sampled s = {.values = zti_alloc(job->context, SAMPLE_VALUES * sizeof *s.values),
                        .is_absolute = job->search.is_absolute};
    if (!s.values)
        return zti_fail(job->context, ZT_NO_MEMORY, "no memory for a sample of the values");
    s.n = sample_values(job, s.values);
    double low = even_bound(aim, s.is_absolute), high = MOST * low;
    if (s.n == 0 || lattice_error(&s, low) > aim)
        high = low;
    for (uint32_t i = 0; i < STEPS && high > low; i++) {
        const double middle = sqrt(low * high);
        if (lattice_error(&s, middle) <= aim)
            low = middle;
        else
            high = middle;
    }
    const double error = s.n > 0 ? lattice_error(&s, low) : aim;
    *bound = error <= aim && error >= 0.97 * aim ? low : refine(&s, aim, low);
    zti_release(job->context, s.values);
    return ZT_OK;
}

/* What power of the bound the error grows with: by the last two trials, else the second. */
static double growth_of(const struct zti_bracket *b, double error)
{
    const double least = 0.5, most = 3;
    if (!(b->last_error > 0 && error > 0) || b->last == b->bound)
        return 2;
    const double growth = log2_of(error / b->last_error) / log2_of(b->bound / b->last);
    return growth < least ? least : growth > most ? most : growth;
}

/* The bound to try after one with a mean squared error: by the power of the bound that it grows
 * with, or the geometric middle of bounds known to be met and unmet. As long as none is met, the
 * factor is applied once more for each miss, because there the error falls more slowly than the
 * bound. */
static double next_bound(const struct zti_bracket *b, double error, double aim)
{
    const double most = 8, most_power = 3;
    const double power = error > 0 ? log2_of(aim / error) / growth_of(b, error) : most_power;
    const double factor = power > most_power    ? most
                          : power < -most_power ? 1 / most
                          : power == power      ? exp2_of(power)
                                                : power; /* NaN, of errors that overflow */
    double next = b->bound * (factor > most ? most : factor < 1 / most ? 1 / most : factor);
    if (b->met > 0 && b->unmet > 0)
        return next > b->met && next < b->unmet ? next : sqrt(b->met * b->unmet);
    if (b->met > 0)
        return next > b->met ? next : 2 * b->met;
    for (uint32_t i = 1; i < b->misses && factor > 0.5; i++)
        next *= factor;
    return next < b->unmet ? next : b->unmet / 2;
}

/* Whether two bounds are the same to the codec: for integers, if their whole parts are equal. */
static bool is_same(const struct zti_search *s, double a, double b)
{
    return !zti_is_float(s->type) && floor(a * s->range) == floor(b * s->range);
}

/* Whether a bound that meets the target is good enough: its error is within 0.07 dB of it (0.1 dB
 * after two trials), or the bound is far above that of evenly spread errors, where most values are
 * coded without error under any bound. */
static bool is_enough(const struct zti_search *s, double error)
{
    const double part = s->trial < 2 ? 0.984 : 0.9775;
    return error >= part * s->target || s->bracket.bound >= s->most ||
           s->bracket.bound >= 50 * even_bound(s->target, s->is_absolute);
}

static double aim_of(const struct zti_search *s)
{
    return s->target * 0.993; /* 0.03 dB */
}

/* Bounds are looked for by TRIALS codings. Where the error is no smooth function of the bound, none
 * may be near enough to the target; then up to PROBES more are tried near the best one, in arrays
 * of at most PROBED_VALUES: few bytes are gained. */
enum { TRIALS = 7, PROBES = 6, PROBED_VALUES = 1 << 20 };

static zt_status begin_any(struct zti_job *job)
{
    struct zti_search *const s = &job->search;
    const uint64_t values = zti_counted_values(&job->frame);
    s->probes = zti_is_float(s->type) && values <= PROBED_VALUES ? PROBES : 0;
    s->bracket.best_error = -1;
    const zt_status status = estimate(job, aim_of(s), &s->bracket.bound);
    s->bracket.bound = fmin(s->bracket.bound, s->most);
    return status;
}

/* A bound near the best one: at a part of the way, in logarithms, to one above that is not met. */
static double probe_bound(const struct zti_bracket *b, uint32_t number)
{
    static const double part[PROBES] = {0.5, 1.3, 0.25, 0.75, 1.15, 0.9}, most = 0.1;
    const double way = b->unmet > b->best ? log2_of(b->unmet / b->best) : most;
    return b->best * exp2_of(part[number] * (way < most ? way : most));
}

/* Set the next bound from the last one's error; false: the last one is the result. After the last
 * trial it is the best bound so far, or, if none has met the target, ever smaller ones. */
static bool next_any(struct zti_search *s, double error, bool is_met)
{
    struct zti_bracket *const b = &s->bracket;
    const double bound = b->bound;
    if (is_met && (is_enough(s, error) || s->trial >= TRIALS + s->probes))
        return false;
    *(is_met ? &b->met : &b->unmet) = bound;
    b->misses += !is_met;
    if (is_met && error >= b->best_error) {
        b->best = bound;
        b->best_error = error;
    }
    double next = fmin(next_bound(b, error, aim_of(s)), s->most);
    b->last = bound;
    b->last_error = error;
    if (is_same(s, next, b->unmet)) /* the next smaller integer bound */
        next = (floor(b->unmet * s->range) - 0.5) / s->range;
    if (s->trial >= TRIALS - 1 && s->trial < TRIALS - 1 + s->probes && b->best > 0)
        next = fmin(probe_bound(b, s->trial - (TRIALS - 1)), s->most);
    else if (s->trial >= TRIALS - 1 || (b->met > 0 && is_same(s, next, b->met)))
        next = b->best > 0 ? b->best : b->unmet / 4;
    b->bound = next;
    return !(is_met && next == bound);
}

/* ---- bounds that are powers of two ---- */

/* Code the sample with the bound 2^k; *is_met: its error meets the target. */
static zt_status try_power(const struct zti_job *job, struct zti_trial *trial, int k, bool *is_met)
{
    zt_context *const context = job->context;
    const struct zti_search *const s = &job->search;
    const struct zti_array *const sample = &trial->sample.array;
    struct zti_target target = job->target;
    struct zti_coding coding;
    uint64_t bytes;
    double sum = 0;
    target.kind = ZT_ABS;
    target.abs_bound = ldexp(1, k);
    zt_status status = zti_trial_encode(context, job->frame.coding.codec, &target, sample, NULL,
                                        &trial->stream, &coding, &bytes);
    if (!status)
        status = zti_trial_decode(context, &coding, trial->stream.bytes, bytes, &trial->decoded);
    if (!status)
        sum = zti_sum_errors(context, sample, trial->decoded.bytes, NULL, s->is_absolute, s->range);
    zti_forget(context, &coding);
    const double mean = sum / (double)zti_array_values(sample->rank, sample->shape);
    *is_met = (s->is_absolute ? mean * mean : mean) <= s->target * margin;
    return status;
}

/* The exponent of the loosest power of two that meets the target on a sample: bisection in steps of
 * STRIDE, then single steps. */
static zt_status estimate_power(const struct zti_job *job, int most, int *power)
{
    enum { VALUES = 1 << 15, STRIDE = 4, STRIDES = 100, LEAST = -1020 };
    struct zti_trial trial = {.stream = {.bytes = NULL}};
    bool is_met;
    zt_status status = zti_sample_tiles(job->context, job->frame.coding.codec, &job->values, VALUES,
                                        &trial.sample);
    int unmet = -1, met = STRIDES; /* in strides below 'most'; the last stride is not tried */
    const zt_progress progress = zti_pause_progress(job->context);
    while (met * STRIDE > most - LEAST)
        met--;
    while (!status && met - unmet > 1) {
        const int middle = unmet + (met - unmet) / 2;
        status = try_power(job, &trial, most - STRIDE * middle, &is_met);
        *(is_met ? &met : &unmet) = middle;
    }
    int k = most - STRIDE * met;
    for (int i = 1; !status && met > 0 && i < STRIDE; i++) { /* the one STRIDE above is unmet */
        status = try_power(job, &trial, k + 1, &is_met);
        if (!is_met)
            break;
        k++;
    }
    zti_resume_progress(job->context, progress);
    zti_trial_free(job->context, &trial);
    *power = k;
    return status;
}

/* Whether k is a known exponent. */
static bool is_known(const struct zti_powers *p, int k)
{
    return k <= p->most;
}

/* The exponent of the power of two at or below a bound, at most 'most'. */
static int power_below(double bound, int most)
{
    int exponent;
    (void)frexp(bound, &exponent);
    return exponent - 1 < most ? exponent - 1 : most;
}

static zt_status begin_powers(struct zti_job *job)
{
    enum { SLACK = 12 /* errors are at most 2^12 times smaller than a bound */ };
    enum { GREATEST = 1020, LEAST = -1070 };
    struct zti_powers *const p = &job->search.powers;
    (void)frexp(job->search.range, &p->most);
    p->most = p->most + SLACK < GREATEST ? p->most + SLACK : GREATEST;
    if (isfinite(job->search.limit))
        p->most = power_below(job->search.limit, p->most);
    p->least = zti_is_float(job->search.type) ? LEAST : 0;
    p->met = p->unmet = p->most + 1;
    p->step = 1;
    const zt_status status = estimate_power(job, p->most, &p->k);
    p->k = p->k < p->most ? p->k + 1 : p->k;
    return status;
}

/* Note whether the tried power is met; returns the next one. */
static int next_power(struct zti_powers *p, bool is_met)
{
    enum { SINGLE_STEPS = 4 };
    *(is_met ? &p->met : &p->unmet) = p->k;
    if (is_known(p, p->met) && is_known(p, p->unmet))
        return p->met + (p->unmet - p->met) / 2;
    if (++p->steps > SINGLE_STEPS)
        p->step *= 2;
    return is_met ? p->k + p->step : p->k - p->step;
}

/* Move up while the target is met and down until it is, in growing steps; then bisect. When the
 * search ends below the last trial, the met power is coded once more; false: the last trial is the
 * result. */
static bool next_powers(struct zti_search *s, bool is_met)
{
    struct zti_powers *const p = &s->powers;
    const int next = next_power(p, is_met);
    if (is_met && (p->k == p->most || p->unmet == p->k + 1))
        return false;
    s->is_last = is_known(p, p->met) && p->unmet == p->met + 1;
    if (s->is_last)
        p->k = p->met;
    else if (next > p->most)
        p->k = p->most;
    else
        p->k = next < p->least && p->k > p->least && !is_known(p, p->met) ? p->least : next;
    return true;
}

/* ---- both ---- */

/* Set the bound of the next trial; after TRIALS_MOST, or when no bound is left, the last one. */
static void set_bound(struct zti_search *s)
{
    const struct zti_powers *const p = &s->powers;
    const bool is_over = s->trial >= TRIALS_MOST;
    if (s->has_powers && !s->is_last && (is_over || p->k < p->least)) {
        s->is_last = true;
        s->bound = is_known(p, p->met) ? ldexp(1, p->met) : 0;
    } else if (s->has_powers) {
        s->bound = ldexp(1, p->k);
    } else {
        s->is_last = is_over || !(s->bracket.bound > 0);
        s->bound = s->is_last ? 0 : fmin(s->bracket.bound * s->range, s->limit);
    }
}

zt_status zti_search_begin(struct zti_job *job)
{
    const struct zti_frame *const f = &job->frame;
    struct zti_search *const s = &job->search;
    *s = (struct zti_search){.target = target_of_mean(&f->mean),
                             .range = f->range,
                             .limit = f->abs_bound > 0 ? f->abs_bound : (double)INFINITY,
                             .is_absolute = zti_is_absolute_mean(f->mean.kind),
                             .type = f->type,
                             .has_powers = zti_has_power_bounds(f->coding.codec)};
    s->most = s->limit / s->range;
    s->is_last = zti_counted_values(f) == 0 || s->target < DBL_MIN / DBL_EPSILON;
    if (s->is_last)
        return ZT_OK;
    const zt_status status = s->has_powers ? begin_powers(job) : begin_any(job);
    if (!status)
        set_bound(s);
    return status;
}

bool zti_search_next(struct zti_search *s, double of_frame)
{
    const double error = s->is_absolute ? of_frame * of_frame : of_frame;
    const bool is_met = error <= s->target * margin;
    if (s->is_last || !(s->has_powers ? next_powers(s, is_met) : next_any(s, error, is_met)))
        return false;
    s->trial++;
    set_bound(s);
    return true;
}
