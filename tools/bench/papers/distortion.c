/* distortion.c: ztile bench --distortion: rate against PSNR of every codec, from what rates.c
 * measured: figures 6 to 8 of Tian et al., "cuSZ" (PACT 2020), and their table V, bits at equal
 * quality. */
#include "bench/papers/papers.h"

#include "util/print.h"
#include "util/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where table V compares: what rel 1e-4 gives. */
static const double quality_db = 85;

struct point {
    double bits, psnr;
};

static int by_bits(const void *a, const void *b)
{
    const struct point *const x = a, *const y = b;
    return x->bits < y->bits ? -1 : x->bits > y->bits;
}

/* The points of a codec on a file, by their bits; without those that have no error. */
static int points_of(const struct rates *r, int file, const char *codec, struct point *points)
{
    int n = 0;
    for (size_t i = 0; i < r->rows && n < CHART_POINTS; i++) {
        const struct rate *row = &r->row[i];
        if (row->file == file && isfinite(row->psnr) && strcmp(row->codec, codec) == 0)
            points[n++] = (struct point){rate_bits(r, row), row->psnr};
    }
    qsort(points, (size_t)n, sizeof *points, by_bits);
    return n;
}

/* Bits at a PSNR, on the line between the points around it; NaN beyond them. */
static double bits_at(const struct point *points, int n, double psnr)
{
    for (int i = 0; i + 1 < n; i++) {
        const struct point *const p = &points[i];
        if (p[0].psnr <= psnr && psnr <= p[1].psnr && p[1].psnr > p[0].psnr)
            return p[0].bits +
                   (psnr - p[0].psnr) / (p[1].psnr - p[0].psnr) * (p[1].bits - p[0].bits);
    }
    return (double)NAN;
}

static void print_file(const struct rates *r, int file, struct table *t)
{
    const struct rate *first[RATES_CODECS];
    struct point points[CHART_POINTS];
    const int codecs = rates_codecs(r, first);
    memset(t, 0, sizeof *t);
    table_row(t);
    table_cell(t, "codec");
    table_cell(t, "at %g dB", quality_db);
    for (int k = 0; k < codecs && t->rows < TABLE_ROWS; k++) {
        const int n = points_of(r, file, first[k]->codec, points);
        const double bits = bits_at(points, n, quality_db);
        if (n == 0)
            continue;
        table_row(t);
        table_cell(t, "%s", first[k]->codec);
        if (isfinite(bits))
            table_cell(t, "%.2f", bits);
        else
            table_cell(t, "-");
        for (int i = 0; i < n && i + 2 < TABLE_COLUMNS; i++)
            table_cell(t, "%.2f:%.1f", points[i].bits, points[i].psnr);
    }
    print(stdout, "\n%s\n", rates_name(&r->file[file]));
    table_print(t, stdout, 0x3fe);
}

void distortion_print(const struct rates *r)
{
    struct table *const t = malloc(sizeof *t);
    if (!t)
        return;
    (void)printf("bits a value at %g dB, and bits:PSNR of each bound or rate\n", quality_db);
    for (int f = 0; f < r->files; f++)
        print_file(r, f, t);
    free(t);
}
