/* psnr.c: a bound on the PSNR of the whole array, searched for as absolute bounds of its frames.
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
 * What is computed here decides bytes, so it uses nothing of which machines differ in the last
 * bit. */
#include "array/rows.h"
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

/* Times that a frame is coded with a bound, and once more at the end. */
enum { TRIALS_MOST = 24 };

/* ---- any bound ---- */

enum { SAMPLE_VALUES = 1 << 16 };

/* Magnitudes of values from all over the slab that count, over range; returns how many. */
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
static zt_status estimate(const struct zti_job *job, double aim, double *bound)
{
    enum { STEPS = 18, MOST = 64 };
    double *const values = zti_alloc(job->context, SAMPLE_VALUES * sizeof *values);
    if (!values)
        return zti_fail(job->context, ZT_NO_MEMORY, "no memory for a sample of the values");
    const uint32_t n = sample_values(job, values);
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
    zti_release(job->context, values);
    return ZT_OK;
}

/* The bound to try after one that made an error: errors grow as bounds do; else the middle. Where
 * that was not enough before, errors grow more slowly, as where most values are predicted well
 * whatever the bound: then as far again for each miss. */
static double next_bound(const struct zti_bracket *b, double error, double aim)
{
    const double most = 8, factor = error > 0 ? sqrt(aim / error) : most;
    double next = b->bound * (factor > most ? most : factor < 1 / most ? 1 / most : factor);
    if (b->met > 0 && b->unmet > 0)
        return next > b->met && next < b->unmet ? next : sqrt(b->met * b->unmet);
    if (b->met > 0)
        return next > b->met ? next : 2 * b->met;
    for (uint32_t i = 1; i < b->misses && factor > 0.5; i++)
        next *= factor;
    return next < b->unmet ? next : b->unmet / 2;
}

/* Whether two bounds are the same to the codec: for integers, where their whole parts are. */
static bool is_same(const struct zti_search *s, double a, double b)
{
    return !zti_is_float(s->type) && floor(a * s->range) == floor(b * s->range);
}

/* Whether a bound that is met needs no other trial: the error is near enough to the target, 0.25 dB
 * and later 0.45; or the bound is far above what even errors would allow, so that most values lie
 * on the lattice whatever it is. */
static bool is_enough(const struct zti_search *s, double error)
{
    const double part = s->trial < 2 ? 0.944 : 0.901;
    return error >= part * s->target || s->bracket.bound >= 50 * sqrt(3 * s->target);
}

static double aim_of(const struct zti_search *s)
{
    return s->target * 0.993; /* 0.03 dB */
}

static zt_status begin_any(struct zti_job *job)
{
    struct zti_search *const s = &job->search;
    s->bracket.best_error = -1;
    return estimate(job, aim_of(s), &s->bracket.bound);
}

/* From one measurement to the next. The end is for arrays whose errors follow no rule: the bound
 * that was met most nearly; where none was, smaller ones until there is one. */
static bool next_any(struct zti_search *s, double error, bool is_met)
{
    enum { TRIALS = 7 };
    struct zti_bracket *const b = &s->bracket;
    const double bound = b->bound;
    if (is_met && (is_enough(s, error) || s->trial >= TRIALS))
        return false;
    *(is_met ? &b->met : &b->unmet) = bound;
    b->misses += !is_met;
    if (is_met && error >= b->best_error) {
        b->best = bound;
        b->best_error = error;
    }
    double next = next_bound(b, error, aim_of(s));
    if (is_same(s, next, b->unmet)) /* one less */
        next = (floor(b->unmet * s->range) - 0.5) / s->range;
    if (s->trial >= TRIALS - 1 || (b->met > 0 && is_same(s, next, b->met)))
        next = b->best > 0 ? b->best : b->unmet / 4;
    b->bound = next;
    return !(is_met && next == bound);
}

/* ---- bounds that are powers of two ---- */

/* Whether the sample's error with the bound 2^k meets the target. */
static zt_status try_power(const struct zti_job *job, struct zti_trial *trial, int k, bool *is_met)
{
    zt_context *const context = job->context;
    const struct zti_search *const s = &job->search;
    const struct zti_array *const sample = &trial->sample.array;
    struct zti_target target = job->target;
    struct zti_coding coding;
    uint64_t bytes;
    double squares = 0;
    target.kind = ZT_ABS;
    target.abs_bound = ldexp(1, k);
    zt_status status = zti_code_for_good(context, job->frame.coding.codec, &target, sample, NULL,
                                         &trial->stream, &coding, &bytes);
    if (!status)
        status = zti_decode_own(context, &coding, trial->stream.bytes, bytes, &trial->decoded);
    if (!status)
        squares = zti_sum_squares(context, sample, trial->decoded.bytes, NULL, s->range);
    zti_forget(context, &coding);
    *is_met = squares / (double)zti_array_values(sample->rank, sample->shape) <= s->target * margin;
    return status;
}

/* The loosest power that a sample says is met: by halves to one in four, then single ones. */
static zt_status estimate_power(const struct zti_job *job, int most, int *power)
{
    enum { VALUES = 1 << 15, STRIDE = 4, STRIDES = 100, LEAST = -1020 };
    struct zti_trial trial = {.stream = {.bytes = NULL}};
    bool is_met;
    zt_status status = zti_sample_tiles(job->context, job->frame.coding.codec, &job->values, VALUES,
                                        &trial.sample);
    int unmet = -1, met = STRIDES; /* strides below 'most'; the last one is not tried */
    const zt_progress progress = zti_pause_progress(job->context);
    while (met * STRIDE > most - LEAST)
        met--;
    while (!status && met - unmet > 1) {
        const int middle = unmet + (met - unmet) / 2;
        status = try_power(job, &trial, most - STRIDE * middle, &is_met);
        *(is_met ? &met : &unmet) = middle;
    }
    int k = most - STRIDE * met;
    for (int i = 1; !status && met > 0 && i < STRIDE; i++) { /* none is four above */
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

/* Whether a power is known. */
static bool is_known(const struct zti_powers *p, int k)
{
    return k <= p->most;
}

static zt_status begin_powers(struct zti_job *job)
{
    enum {
        SLACK = 12,
        GREATEST = 1020,
        LEAST = -1070
    }; /* errors are at most so many powers below
          a bound */
    struct zti_powers *const p = &job->search.powers;
    (void)frexp(job->search.range, &p->most);
    p->most = p->most + SLACK < GREATEST ? p->most + SLACK : GREATEST;
    p->least = zti_is_float(job->search.type) ? LEAST : 0;
    p->met = p->unmet = p->most + 1;
    p->step = 1;
    const zt_status status = estimate_power(job, p->most, &p->k);
    p->k = p->k < p->most ? p->k + 1 : p->k;
    return status;
}

/* The power to try after one. */
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

/* Up while it is met, and down until it is, in steps that grow; then the middle. A power that was
 * met and is followed by one that is not is coded once more. */
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

/* Set the bound of the next trial: where there were too many, or none is left, the last one. */
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
        s->bound = s->is_last ? 0 : s->bracket.bound * s->range;
    }
}

zt_status zti_search_begin(struct zti_job *job)
{
    const struct zti_frame *const f = &job->frame;
    struct zti_search *const s = &job->search;
    *s = (struct zti_search){.target = target_of(f->bound.value),
                             .range = f->range,
                             .type = f->type,
                             .has_powers = zti_has_power_bounds(f->coding.codec)};
    s->is_last = zti_counted_values(f) == 0 || s->target < DBL_MIN / DBL_EPSILON;
    if (s->is_last)
        return ZT_OK;
    const zt_status status = s->has_powers ? begin_powers(job) : begin_any(job);
    if (!status)
        set_bound(s);
    return status;
}

bool zti_search_next(struct zti_search *s, double error)
{
    const bool is_met = error <= s->target * margin;
    if (s->is_last || !(s->has_powers ? next_powers(s, is_met) : next_any(s, error, is_met)))
        return false;
    s->trial++;
    set_bound(s);
    return true;
}
