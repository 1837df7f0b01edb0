/* colormap.c: colours of values and of errors, through a few control points each. */
#include "draw/canvas.h"

enum { VALUE_POINTS = 6, ERROR_POINTS = 7 };

/* Lightness rises evenly, so that a grey print still reads. */
static const double value_points[VALUE_POINTS][3] = {
    {0.098, 0.071, 0.251}, {0.212, 0.208, 0.514}, {0.137, 0.439, 0.576},
    {0.184, 0.651, 0.502}, {0.596, 0.824, 0.333}, {0.988, 0.937, 0.506},
};

/* Both ends as dark as each other; 0 is white. */
static const double error_points[ERROR_POINTS][3] = {
    {0.082, 0.200, 0.431}, {0.247, 0.490, 0.741}, {0.616, 0.788, 0.902}, {0.973, 0.973, 0.973},
    {0.961, 0.745, 0.624}, {0.816, 0.400, 0.290}, {0.455, 0.075, 0.129},
};

/* Catmull-Rom through the points: no kinks where two spans meet. */
static double channel(const double (*points)[3], int count, double at, int c)
{
    double place = at * (count - 1);
    int i = place >= count - 1 ? count - 2 : (int)place;
    double t = place - i;
    double b = points[i][c], d = points[i + 1][c];
    double a = i > 0 ? points[i - 1][c] : 2 * b - d;
    double e = i + 2 < count ? points[i + 2][c] : 2 * d - b;
    double v = b + 0.5 * t * (d - a + t * (2 * a - 5 * b + 4 * d - e + t * (3 * (b - d) + e - a)));
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

static struct color color_at(const double (*points)[3], int count, double at)
{
    at = at > 0 ? at < 1 ? at : 1 : 0;
    return (struct color){(unsigned char)(255 * channel(points, count, at, 0) + 0.5),
                          (unsigned char)(255 * channel(points, count, at, 1) + 0.5),
                          (unsigned char)(255 * channel(points, count, at, 2) + 0.5)};
}

struct color color_of_value(double at)
{
    return color_at(value_points, VALUE_POINTS, at);
}

struct color color_of_error(double at)
{
    return color_at(error_points, ERROR_POINTS, at);
}
