/* slice.c: from arrays to the panels of a figure. */
#include "draw/picture.h"

#include <stdio.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Smallest and largest finite value, for a scale: 0, 1 if there is none, apart by something if they
 * are equal, and less if their distance is no number. */
static void find_limits(const double *values, uint64_t n, double *lo, double *hi)
{
    *lo = (double)INFINITY;
    *hi = -(double)INFINITY;
    for (uint64_t i = 0; i < n; i++)
        if (isfinite(values[i])) {
            *lo = fmin(*lo, values[i]);
            *hi = fmax(*hi, values[i]);
        }
    if (*lo > *hi) {
        *lo = 0;
        *hi = 1;
    }
    if (*hi - *lo > DBL_MAX) { /* their distance is no number */
        *lo /= 4;
        *hi /= 4;
    }
    if (*lo == *hi) {
        double apart = *lo != 0 ? fabs(*lo) / 2 : 1;
        *lo -= apart;
        *hi += apart;
    }
}

void name_axis(char *text, size_t text_bytes, uint32_t axis, uint32_t rank)
{
    (void)snprintf(text, text_bytes, "axis %u%s", (unsigned)axis,
                   rank < 2           ? ""
                   : axis + 1 == rank ? " (fastest)"
                   : axis == 0        ? " (slowest)"
                                      : "");
}

void to_doubles(uint32_t type, const void *from, uint64_t n, double *to)
{
    for (uint64_t i = 0; i < n; i++)
        switch (type) {
        case ZT_F32: to[i] = ((const float *)from)[i]; break;
        case ZT_F64: to[i] = ((const double *)from)[i]; break;
        case ZT_I32: to[i] = ((const int32_t *)from)[i]; break;
        default: to[i] = (double)((const int64_t *)from)[i]; break;
        }
}

char *format_short(double value, char *text)
{
    double size = fabs(value);
    if (size == 0 || (size >= 1e-3 && size < 1e5)) {
        (void)snprintf(text, 32, size < 1e4 ? "%.4g" : "%.0f", value);
        return text;
    }
    (void)snprintf(text, 32, "%.2e", value);
    char *e = strchr(text, 'e'), *end = e;
    if (!e)
        return text;
    while (end > text && end[-1] == '0')
        end--;
    if (end > text && end[-1] == '.')
        end--;
    int exponent = 0;
    (void)sscanf(e + 1, "%d", &exponent);
    (void)snprintf(end, 32 - (size_t)(end - text), "e%d", exponent);
    return text;
}

void fill_panels(struct figure *f, const double *original, const double *other,
                 double *error_values, const char *what)
{
    uint64_t n = f->rows * f->columns;
    struct panel *first = &f->panel[0];
    char text[32];
    f->panels = other ? 3 : 1;
    *first = (struct panel){.values = original};
    (void)snprintf(first->title, sizeof first->title, "original");
    find_limits(original, n, &first->lo, &first->hi);
    if (!other)
        return;
    f->panel[1] = *first;
    f->panel[1].values = other;
    f->panel[1].behind = original;
    (void)snprintf(f->panel[1].title, sizeof f->panel[1].title, "%s", what);
    double worst = 0;
    for (uint64_t i = 0; i < n; i++) {
        error_values[i] = other[i] - original[i];
        if (isfinite(error_values[i]))
            worst = fmax(worst, fabs(error_values[i]));
    }
    double reach = worst > 0 ? worst : 1;
    f->panel[2] =
        (struct panel){.values = error_values, .lo = -reach, .hi = reach, .is_error = true};
    (void)snprintf(f->panel[2].title, sizeof f->panel[2].title, "error, at most %s",
                   format_short(worst, text));
}
