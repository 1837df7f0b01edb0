/* raw_arrays_test.c: what the command says of raw arrays that are declared wrongly. The warning of
 * a wrong shape is silent where the shape is right, and heard where it is not; fill values that
 * nobody declared are found, and nothing else is taken for one.
 *
 *     raw_arrays_test [DATA_DIR] [--table]
 *
 * Arrays that are made here, among them series with strong periods, and the fields of DATA_DIR.
 * Each in its own shape, and those of two axes or more in wrong ones: axes reversed, the last two
 * swapped, flat, and with rows of another length. Of the fields, bcc_tos2d has a fill value. */
#include "cmd/compress/far_values.h"
#include "cmd/compress/shape_rows.h"
#include "support/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 5 };

static const char *const way_name[WAYS] = {"right", "reversed", "swapped", "flat", "other rows"};

struct tally {
    uint32_t shapes[WAYS], heard[WAYS];
    uint32_t wrong_fills;
    bool has_table;
};

/* The divisor nearest to a length that is another. */
static uint64_t other_length(uint64_t n, uint64_t row)
{
    uint64_t best = 0;
    for (uint64_t d = 8; d <= n / 8; d++)
        if (n % d == 0 && d != row &&
            (best == 0 || fabs((double)d - (double)row) < fabs((double)best - (double)row)))
            best = d;
    return best;
}

/* The same values in another shape; false where that is no wrong one. */
static bool in_way(const zt_array *a, uint32_t way, zt_array *b)
{
    uint64_t shape[ZT_MAX_RANK] = {0}, n = values_of(a->rank, a->shape);
    const uint32_t r = a->rank;
    memcpy(shape, a->shape, sizeof shape);
    *b = *a;
    if (way == 0)
        return true;
    if (r == 1)
        return false;
    if (way == 1)
        for (uint32_t i = 0; i < r; i++)
            shape[i] = a->shape[r - 1 - i];
    if (way == 2) {
        shape[r - 1] = a->shape[r - 2];
        shape[r - 2] = a->shape[r - 1];
    }
    if (way == 3)
        shape[0] = n;
    if (way == 4) {
        shape[1] = other_length(n, a->shape[r - 1]);
        if (shape[1] == 0)
            return false;
        shape[0] = n / shape[1];
    }
    *b = zt_array_nd(a->data, (zt_type)a->type, way == 3 ? 1 : way == 4 ? 2 : r, shape);
    return way == 3 || way == 4 || (way == 1 || r > 2 ? memcmp(shape, a->shape, sizeof shape) : 0);
}

/* Look for fill values in two parts, as slabs come or as two threads do. */
static uint32_t find_in_halves(const zt_array *a, uint32_t fills, const uint64_t *fill,
                               bool is_beside, struct far_value *found)
{
    struct far_values *const f = need(sizeof *f), *beside = NULL;
    const uint64_t n = values_of(a->rank, a->shape), half = n / 2;
    const zt_array one = zt_array_1d(a->data, (zt_type)a->type, half);
    const zt_array other =
        zt_array_1d((char *)a->data + half * zt_type_bytes(a->type), (zt_type)a->type, n - half);
    far_begin(f, fills, fill, is_beside ? n : ZT_UNKNOWN);
    if (is_beside)
        beside = far_beside(f);
    const bool is_taken =
        (!is_beside || beside) &&
        (half == 0 || far_take(beside ? beside : f, NULL, &one, 0, NULL) == ZT_OK) &&
        far_take(f, NULL, &other, half, NULL) == ZT_OK;
    if (is_taken && beside)
        far_merge(f, beside);
    const uint32_t count = is_taken ? far_find(f, found) : UINT32_MAX;
    free(beside);
    free(f);
    return count;
}

/* The same both ways; UINT32_MAX: they differ. */
static uint32_t find_fills(const zt_array *a, uint32_t fills, const uint64_t *fill,
                           struct far_value *found)
{
    struct far_value again[ZT_MAX_FILLS];
    const uint32_t n = find_in_halves(a, fills, fill, false, found);
    bool is_same = find_in_halves(a, fills, fill, true, again) == n;
    for (uint32_t i = 0; is_same && i < n && n <= ZT_MAX_FILLS; i++)
        is_same = found[i].value == again[i].value && found[i].count == again[i].count;
    return is_same ? n : UINT32_MAX;
}

static void take(struct tally *t, const char *name, const zt_array *a, bool has_wrong)
{
    const uint64_t none[ZT_MAX_FILLS] = {0};
    struct far_value found[ZT_MAX_FILLS];
    const uint32_t fills = find_fills(a, 0, none, found);
    const uint32_t wanted = strstr(name, "bcc_tos2d") != NULL;
    if (fills != wanted || (fills == 1 && found[0].count != 344091)) {
        printf("%s: %u fill values\n", name, fills);
        t->wrong_fills++;
    }
    for (uint32_t way = 0; way < (has_wrong ? WAYS : 1); way++) {
        zt_array b;
        char text[96];
        if (!in_way(a, way, &b))
            continue;
        const uint64_t row = find_other_rows(&b, values_of(b.rank, b.shape));
        t->shapes[way]++;
        t->heard[way] += row > 0;
        if (t->has_table || (way == 0 && row > 0))
            printf("%-24s %-10s %-20s %llu\n", name, way_name[way],
                   shape_text(b.rank, b.shape, text), (unsigned long long)row);
    }
}

/* ---- made arrays ---- */

static const double turn = 6.283185307179586;

static double noise(struct rng *r)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += rng_unit(r);
    return sum;
}

/* Days of 2 x 2 x 2 places: seasons, weather, and what each place has. */
static double daily(struct rng *r, uint64_t i, double *weather)
{
    *weather = i % 8 ? *weather : 0.8 * *weather + 2 * noise(r);
    return 280 + 12 * sin(turn * (double)(i / 8) / 365.25) + *weather + 0.3 * (double)(i % 8) +
           0.5 * noise(r);
}

/* Lines over noise that is mostly slow, as in a strain series; the strongest of a period that
 * divides the length. */
static double strain(struct rng *r, uint64_t i, double *slow)
{
    const double x = (double)i;
    *slow = 0.999 * *slow + 0.1 * noise(r);
    return 1e-19 * (*slow + 3 * sin(turn * x / 64) + sin(turn * x / 117.03) + 0.05 * noise(r));
}

static double hourly(struct rng *r, uint64_t i, double *weather)
{
    *weather = 0.97 * *weather + 0.5 * noise(r);
    return 10 + 5 * sin(turn * (double)i / 24) + 8 * sin(turn * (double)i / 8766) + *weather;
}

static double tone(struct rng *r, uint64_t i, double *unused)
{
    (void)r;
    (void)unused;
    return sin(turn * (double)i / 100.3) * (1 + 0.3 * sin(turn * (double)i / 7001));
}

static double pure_tone(struct rng *r, uint64_t i, double *unused)
{
    (void)r;
    (void)unused;
    return sin(turn * ((double)i + 0.3) / 128);
}

static double beats(struct rng *r, uint64_t i, double *slow)
{
    const double phase = (double)(i % 800) / 800;
    *slow = 0.99 * *slow + 0.01 * noise(r);
    return exp(-800 * (phase - 0.4) * (phase - 0.4)) -
           0.3 * exp(-200 * (phase - 0.6) * (phase - 0.6)) + *slow + 0.02 * noise(r);
}

static double walk(struct rng *r, uint64_t i, double *at)
{
    (void)i;
    return *at += noise(r);
}

static double white(struct rng *r, uint64_t i, double *unused)
{
    (void)i;
    (void)unused;
    return noise(r);
}

/* An image of 300 x 400 and noise. */
static double image(struct rng *r, uint64_t i, double *unused)
{
    const double x = (double)(i % 400), y = (double)(i / 400);
    (void)unused;
    return sin(x / 31) * cos(y / 17) + x * y / 60000 + 0.01 * noise(r);
}

/* 24 x 50 x 60, waves that move. */
static double waves(struct rng *r, uint64_t i, double *unused)
{
    const double x = (double)(i % 60), y = (double)(i / 60 % 50), z = (double)(i / 3000);
    (void)unused;
    return sin(x / 5 + z / 3) + sin(y / 4 - z / 5) + 0.02 * x + 0.01 * noise(r);
}

static void take_made(struct tally *t)
{
    static const struct {
        const char *name;
        double (*value)(struct rng *r, uint64_t i, double *state);
        bool has_wrong;
        uint32_t rank;
        uint64_t shape[ZT_MAX_RANK];
    } rows[] = {{"daily 4-D", daily, false, 4, {12784, 2, 2, 2}},
                {"strain", strain, false, 1, {524288}},
                {"hourly", hourly, false, 1, {87648}},
                {"hourly of stations", hourly, false, 2, {24, 8766}},
                {"tone", tone, false, 1, {100000}},
                {"tones of channels", tone, false, 2, {4, 48000}},
                {"pure tone", pure_tone, false, 1, {65536}},
                {"beats", beats, false, 1, {160000}},
                {"walk", walk, false, 1, {100000}},
                {"walks", walk, false, 2, {8, 16384}},
                {"white", white, false, 1, {65536}},
                {"white 3-D", white, false, 3, {40, 30, 50}},
                {"image", image, true, 2, {300, 400}},
                {"waves", waves, true, 3, {24, 50, 60}}};
    for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const uint64_t n = values_of(rows[k].rank, rows[k].shape);
        double *const v = need(n * sizeof *v), state = 0;
        struct rng r = {mix64(9, k)};
        for (uint64_t i = 0; i < n; i++)
            v[i] = rows[k].value(&r, i, &state);
        const zt_array a = zt_array_nd(v, ZT_F64, rows[k].rank, rows[k].shape);
        take(t, rows[k].name, &a, rows[k].has_wrong);
        free(v);
    }
}

/* ---- made fill values ---- */

/* The image with values in some places: what is found, in the order of the list. */
static void take_fills(struct tally *t)
{
    enum { VALUES = 300 * 400 };
    static const struct {
        double put[3];
        uint32_t every[3]; /* so many values; 0: none */
        bool is_known;     /* the first one is declared */
        uint32_t count;
        double wanted[2];
    } rows[] = {{{1e20}, {3}, false, 1, {1e20}},
                {{-9999}, {40000}, false, 1, {-9999}}, /* three of them */
                {{-9999}, {50000}, true, 0, {0}},
                {{1e35, -9999}, {5, 1000}, false, 2, {1e35, -9999}},
                {{1e20, -9999, 1e21}, {7, 500, 70000}, false, 2, {1e20, -9999}}, /* one glitch */
                {{1e20}, {2}, true, 0, {0}},
                {{-9999}, {70000}, false, 0, {0}}, /* two of them */
                {{-20}, {3}, false, 0, {0}}};      /* near the others */
    double *const v = need(VALUES * sizeof *v), state = 0;
    const zt_array a = zt_array_2d(v, ZT_F64, 300, 400);
    for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct far_value found[ZT_MAX_FILLS];
        uint64_t known[ZT_MAX_FILLS] = {0};
        struct rng r = {mix64(10, k)};
        for (uint64_t i = 0; i < VALUES; i++) {
            v[i] = image(&r, i, &state);
            for (uint32_t p = 0; p < 3; p++)
                if (rows[k].every[p] && i % rows[k].every[p] == p)
                    v[i] = rows[k].put[p];
        }
        memcpy(known, rows[k].put, sizeof *known);
        const uint32_t n = find_fills(&a, rows[k].is_known, known, found);
        bool is_right = n == rows[k].count;
        for (uint32_t i = 0; is_right && i < n; i++)
            is_right = found[i].value == rows[k].wanted[i];
        if (!is_right)
            printf("made fill values %u: %u found\n", k, n);
        t->wrong_fills += !is_right;
    }
    free(v);
}

/* ---- fields ---- */

static bool take_fields(struct tally *t, const char *dir)
{
    char path[512], line[4096];
    (void)snprintf(path, sizeof path, "%s/MANIFEST.tsv", dir);
    FILE *const list = fopen(path, "r");
    if (!list) {
        printf("SKIP: no real fields, %s is not there; made arrays only\n", path);
        return false;
    }
    while (fgets(line, sizeof line, list)) {
        struct field f;
        if (!parse_field(line, &f))
            continue;
        unsigned char *const data = load_field(dir, &f);
        if (!data) {
            printf("cannot read %s\n", f.stored);
            exit(1);
        }
        const zt_array a = zt_array_nd(data, (zt_type)f.type, f.rank, f.shape);
        take(t, f.name, &a, true);
        free(data);
    }
    (void)fclose(list);
    return true;
}

int main(int count, char **word)
{
    struct tally t = {.has_table = count > 2 && strcmp(word[2], "--table") == 0};
    take_made(&t);
    take_fills(&t);
    const bool has_fields = take_fields(&t, count > 1 ? word[1] : "../shared/data");
    bool is_good = t.heard[0] == 0 && t.wrong_fills == 0;
    for (uint32_t way = 0; way < WAYS; way++) {
        printf("%-10s heard in %u of %u\n", way_name[way], t.heard[way], t.shapes[way]);
        if (way > 0) /* what no check can hear: extents that are the same, noise, particles */
            is_good = is_good && 10 * t.heard[way] >= 7 * t.shapes[way];
    }
    return is_good ? (has_fields ? 0 : TEST_SKIPPED) : 1;
}
