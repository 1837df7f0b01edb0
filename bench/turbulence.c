/* turbulence.c: white noise, filtered in the frequency domain to a power-law spectrum. */
#include "turbulence.h"

#include <math.h>
#include <stdlib.h>

struct complex_number {
    double re, im;
};

/* splitmix64 (Steele, Lea, Flood 2014). */
static double random_unit(uint64_t *state)
{
    uint64_t t = *state += UINT64_C(0x9E3779B97F4A7C15);
    t = (t ^ (t >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    t = (t ^ (t >> 27)) * UINT64_C(0x94D049BB133111EB);
    return ((double)((t ^ (t >> 31)) >> 11) + 0.5) * 0x1p-53;
}

/* In place, by radix 2, n a power of two; turn holds e^(-2 pi i k / n) for k < n / 2, or with the
 * other sign. */
static void transform(struct complex_number *v, size_t n, const struct complex_number *turn)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            const struct complex_number t = v[i];
            v[i] = v[j];
            v[j] = t;
        }
    }
    for (size_t half = 1; half < n; half *= 2)
        for (size_t start = 0; start < n; start += 2 * half)
            for (size_t k = 0; k < half; k++) {
                const struct complex_number w = turn[k * (n / (2 * half))];
                struct complex_number *const a = v + start + k, *const b = a + half;
                const struct complex_number t = {b->re * w.re - b->im * w.im,
                                                 b->re * w.im + b->im * w.re};
                *b = (struct complex_number){a->re - t.re, a->im - t.im};
                *a = (struct complex_number){a->re + t.re, a->im + t.im};
            }
}

/* Transform along every axis. line has room for one line. */
static void transform_all(struct complex_number *v, size_t side, unsigned rank,
                          const struct complex_number *turn, struct complex_number *line)
{
    size_t total = 1, step = 1;
    for (unsigned i = 0; i < rank; i++)
        total *= side;
    for (unsigned axis = 0; axis < rank; axis++, step *= side)
        for (size_t outer = 0; outer < total; outer += step * side)
            for (size_t inner = 0; inner < step; inner++) {
                struct complex_number *const first = v + outer + inner;
                for (size_t i = 0; i < side; i++)
                    line[i] = first[i * step];
                transform(line, side, turn);
                for (size_t i = 0; i < side; i++)
                    first[i * step] = line[i];
            }
}

static void set_turns(struct complex_number *turn, size_t side, double sign)
{
    for (size_t k = 0; k < side / 2; k++) {
        const double angle = sign * 6.283185307179586 * (double)k / (double)side;
        turn[k] = (struct complex_number){cos(angle), sin(angle)};
    }
}

/* Give each wave the power k^-slope; the field's mean goes. */
static void filter(struct complex_number *v, size_t total, size_t side, unsigned rank, double slope)
{
    for (size_t i = 0; i < total; i++) {
        double k2 = 0;
        for (size_t at = i, axis = 0; axis < rank; axis++, at /= side) {
            const double k = (double)(at % side < side / 2 ? at % side : side - at % side);
            k2 += k * k;
        }
        const double gain = k2 > 0 ? pow(k2, -0.25 * slope) : 0;
        v[i].re *= gain;
        v[i].im *= gain;
    }
}

static void normalize(double *out, const struct complex_number *v, size_t total)
{
    double square = 0;
    for (size_t i = 0; i < total; i++)
        square += v[i].re * v[i].re;
    const double scale = square > 0 ? sqrt((double)total / square) : 0;
    for (size_t i = 0; i < total; i++)
        out[i] = v[i].re * scale;
}

int make_turbulence(double *out, size_t side, unsigned rank, double slope, uint64_t seed)
{
    size_t total = 1;
    for (unsigned i = 0; i < rank; i++)
        total *= side;
    struct complex_number *const v = malloc(total * sizeof *v);
    struct complex_number *const line = malloc(side * sizeof *line);
    struct complex_number *const turn = calloc(side / 2 + 1, sizeof *turn);
    const int is_good = v && line && turn;
    if (is_good) {
        for (size_t i = 0; i < total; i++) {
            const double r = sqrt(-2 * log(random_unit(&seed)));
            v[i] = (struct complex_number){r * cos(6.283185307179586 * random_unit(&seed)), 0};
        }
        set_turns(turn, side, -1);
        transform_all(v, side, rank, turn, line);
        filter(v, total, side, rank, slope);
        set_turns(turn, side, 1);
        transform_all(v, side, rank, turn, line);
        normalize(out, v, total);
    }
    free(v);
    free(line);
    free(turn);
    return is_good ? 0 : -1;
}
