/* picture.c: boxes, lines and text in memory, saved as PNG. */
#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef ZTILE_HAVE_PNG
#include <png.h>
#include <setjmp.h>
#endif

bool picture_new(struct picture *p, int width, int height, struct ztio_error *error)
{
    void *memory;
    uint64_t bytes = (uint64_t)width * (uint64_t)height * 3;
    if (!allocate(&memory, bytes, "picture", error))
        return false;
    *p = (struct picture){width, height, memory};
    memset(p->rgb, 255, (size_t)bytes);
    return true;
}

/* Lay color over a pixel; cover in 0..1. */
static void blend(struct picture *p, int x, int y, double cover, struct color color)
{
    if (x < 0 || y < 0 || x >= p->width || y >= p->height || cover <= 0)
        return;
    cover = cover < 1 ? cover : 1;
    unsigned char *at = p->rgb + 3 * ((size_t)y * (size_t)p->width + (size_t)x);
    const unsigned char over[3] = {color.r, color.g, color.b};
    for (int c = 0; c < 3; c++)
        at[c] = (unsigned char)(at[c] + cover * (over[c] - at[c]) + 0.5);
}

void picture_fill(struct picture *p, int x, int y, int width, int height, struct color color)
{
    for (int j = y; j < y + height; j++)
        for (int i = x; i < x + width; i++)
            blend(p, i, j, 1, color);
}

struct segment {
    double x0, y0, x1, y1;
};

static double distance(double x, double y, const struct segment *s)
{
    double dx = s->x1 - s->x0, dy = s->y1 - s->y0;
    double length2 = dx * dx + dy * dy;
    double t = length2 > 0 ? ((x - s->x0) * dx + (y - s->y0) * dy) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    dx = x - s->x0 - t * dx;
    dy = y - s->y0 - t * dy;
    return sqrt(dx * dx + dy * dy);
}

/* Segments as one stroke: a pixel is covered by how near it is to the nearest of them, so that
 * joints are not darker than lines. */
static void stroke(struct picture *p, const struct segment *segments, int count, double thickness,
                   struct color color)
{
    double x0 = 1e9, y0 = 1e9, x1 = -1e9, y1 = -1e9, reach = thickness / 2 + 0.5;
    for (int i = 0; i < count; i++) {
        const struct segment *s = &segments[i];
        x0 = fmin(x0, fmin(s->x0, s->x1));
        y0 = fmin(y0, fmin(s->y0, s->y1));
        x1 = fmax(x1, fmax(s->x0, s->x1));
        y1 = fmax(y1, fmax(s->y0, s->y1));
    }
    x0 = fmax(x0 - reach, -1);
    y0 = fmax(y0 - reach, -1);
    x1 = fmin(x1 + reach, p->width);
    y1 = fmin(y1 + reach, p->height);
    for (int y = (int)floor(y0); y <= y1; y++)
        for (int x = (int)floor(x0); x <= x1; x++) {
            double nearest = reach;
            for (int i = 0; i < count; i++)
                nearest = fmin(nearest, distance(x + 0.5, y + 0.5, &segments[i]));
            blend(p, x, y, reach - nearest, color);
        }
}

void picture_line(struct picture *p, double x0, double y0, double x1, double y1, double thickness,
                  struct color color)
{
    struct segment s = {x0, y0, x1, y1};
    stroke(p, &s, 1, thickness, color);
}

enum { GRID_HEIGHT = 6, GRID_BASE = 2, GRID_GAP = 2 }; /* of font.c's grid */

double text_width(double height, const char *text)
{
    int units = 0;
    for (; *text; text++)
        units += strokes_of(*text)[0] - '0' + GRID_GAP;
    return (units - GRID_GAP) * height / GRID_HEIGHT;
}

enum { MOST_SEGMENTS = 24 }; /* of a glyph */

/* The strokes of a glyph on the font's grid. */
static int segments_of(const char *glyph, struct segment *segments)
{
    int count = 0;
    for (const char *g = glyph + 1; *g && count < MOST_SEGMENTS;) {
        if (*g == ' ') {
            g++;
            continue;
        }
        if (g[2] && g[2] != ' ')
            segments[count++] = (struct segment){g[0] - '0', g[1] - '0' - GRID_BASE, g[2] - '0',
                                                 g[3] - '0' - GRID_BASE};
        g += 2;
    }
    return count;
}

void picture_text(struct picture *p, double x, double y, double height, enum align align,
                  bool is_upwards, struct color color, const char *text)
{
    struct segment segments[MOST_SEGMENTS];
    double unit = height / GRID_HEIGHT, along = 0;
    if (align != ALIGN_LEFT)
        along = -text_width(height, text) / (align == ALIGN_CENTER ? 2 : 1);
    for (; *text; text++) {
        const char *glyph = strokes_of(*text);
        int count = segments_of(glyph, segments);
        for (int i = 0; i < count; i++) {
            struct segment s = segments[i];
            double ax = along + unit * s.x0, ay = unit * s.y0;
            double bx = along + unit * s.x1, by = unit * s.y1;
            segments[i] = is_upwards ? (struct segment){x - ay, y - ax, x - by, y - bx}
                                     : (struct segment){x + ax, y - ay, x + bx, y - by};
        }
        if (count)
            stroke(p, segments, count, 0.9 + height / 24, color);
        along += unit * (glyph[0] - '0' + GRID_GAP);
    }
}

#ifdef ZTILE_HAVE_PNG

struct png_job {
    struct ztio_bytes *bytes;
    struct ztio_error *error;
    bool failed; /* error is filled */
};

static void write_png(png_structp png, png_bytep data, png_size_t n)
{
    struct png_job *job = png_get_io_ptr(png);
    if (!ztio_bytes_write(job->bytes, data, n, job->error)) {
        job->failed = true;
        png_error(png, "write");
    }
}

static void flush_png(png_structp png)
{
    (void)png;
}

static void stop_png(png_structp png, png_const_charp message)
{
    (void)message;
    png_longjmp(png, 1);
}

static void warn_png(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* Everything between png_create and png_destroy; png_error comes back here. */
static bool encode_png(const struct picture *p, struct png_job *job)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, stop_png, warn_png);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_set_write_fn(png, job, write_png, flush_png);
    png_set_IHDR(png, info, (png_uint_32)p->width, (png_uint_32)p->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int y = 0; y < p->height; y++)
        png_write_row(png, p->rgb + (size_t)y * (size_t)p->width * 3);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return true;
}

bool can_save_pictures(struct ztio_error *error)
{
    (void)error;
    return true;
}

bool picture_save(const struct picture *p, const char *path, bool force, struct ztio_error *error)
{
    if (refuse_terminal(path, force, error))
        return false;
    struct png_job job = {.bytes = ztio_bytes_create(path, force, error), .error = error};
    if (!job.bytes)
        return false;
    if (encode_png(p, &job))
        return ztio_bytes_commit(job.bytes, error);
    ztio_bytes_abandon(job.bytes);
    return job.failed ? false
                      : fail(error, ZTIO_LACKING, "%s: no memory for a picture; free some",
                             output_name(path));
}

#else

bool can_save_pictures(struct ztio_error *error)
{
    return fail(error, ZTIO_LACKING,
                "pictures are not in this build; install libpng and configure with -DZTILE_PNG=ON");
}

bool picture_save(const struct picture *p, const char *path, bool force, struct ztio_error *error)
{
    (void)p;
    (void)path;
    (void)force;
    return can_save_pictures(error);
}

#endif
