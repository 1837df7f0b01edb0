/* bench_report.c: medians, tables, CSV, JSON. */
#include "bench.h"
#include "ztile_expert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zfp.h>

static const char *const bench_way_names[BENCH_WAYS] = {"compress", "decompress", "indexed"};
static const char *const type_names[] = {"?", "f32", "f64", "i32", "i64"};

const char *bench_mode_text(const struct bench_case *c)
{
    static char text[48];
    static const char *const names[] = {"rate", "precision", "accuracy", "reversible"};
    if (c->mode == BENCH_REVERSIBLE)
        return "reversible";
    snprintf(text, sizeof text, "%s %.4g", names[c->mode], c->value);
    return text;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts a copy of the n <= BENCH_MOST_PAIRS values. */
static double median_of(const double *values, uint32_t n, double *lowest, double *highest)
{
    double sorted[BENCH_MOST_PAIRS];
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ascending);
    *lowest = sorted[0];
    *highest = sorted[n - 1];
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

struct bench_summary bench_summarize(const struct bench_times *times)
{
    struct bench_summary s;
    double ratio[BENCH_MOST_PAIRS], slowest;
    for (uint32_t i = 0; i < times->pairs; i++)
        ratio[i] = times->libzfp[i] / times->ztile[i];
    s.speedup = median_of(ratio, times->pairs, &s.speedup_low, &s.speedup_high);
    s.median_ztile = median_of(times->ztile, times->pairs, &s.fastest_ztile, &slowest);
    s.spread_ztile = slowest / s.fastest_ztile - 1;
    s.median_libzfp = median_of(times->libzfp, times->pairs, &s.fastest_libzfp, &slowest);
    s.spread_libzfp = slowest / s.fastest_libzfp - 1;
    return s;
}

static double gigabytes_a_second(const struct bench_case *c, double seconds)
{
    return (double)c->raw_bytes / seconds * 1e-9;
}

void bench_table_head(FILE *out)
{
    fprintf(out,
            "GB/s of raw data, fastest run; x: libzfp's time / ztile's, median of the pairs\n"
            "%-4s %-3s %-16s %7s",
            "type", "dim", "mode", "bits/v");
    for (int way = 0; way < BENCH_WAYS; way++)
        fprintf(out, " | %9s %7s %6s %6s", bench_way_names[way], "libzfp", "x", "spread");
    fprintf(out, "\n");
}

void bench_table_row(FILE *out, const struct bench_result *r)
{
    const struct bench_case *c = &r->c;
    double values = (double)c->raw_bytes / (double)zt_type_bytes(c->type);
    fprintf(out, "%-4s %u-D %-16s %7.2f", type_names[c->type], c->rank, bench_mode_text(c),
            8 * (double)r->stream_bytes / values);
    for (int way = 0; way < BENCH_WAYS; way++) {
        struct bench_summary s = bench_summarize(&r->times[way]);
        fprintf(out, " | %9.3f %7.3f %6.2f %5.0f%%", gigabytes_a_second(c, s.fastest_ztile),
                gigabytes_a_second(c, s.fastest_libzfp), s.speedup, 100 * s.spread_ztile);
    }
    fprintf(out, "\n");
    fflush(out);
}

static void shape_text(const struct bench_case *c, char *text)
{
    size_t used = 0;
    for (uint32_t i = 0; i < c->rank; i++)
        used += (size_t)snprintf(text + used, 24, "%s%llu", i ? "x" : "",
                                 (unsigned long long)c->shape[i]);
}

static void csv_direction(FILE *f, const struct bench_case *c, const struct bench_times *times)
{
    struct bench_summary s = bench_summarize(times);
    fprintf(f, ",%.5f,%.5f,%.4f,%.5f,%.5f,%.4f,%.4f,%.4f,%.4f",
            gigabytes_a_second(c, s.fastest_ztile), gigabytes_a_second(c, s.median_ztile),
            s.spread_ztile, gigabytes_a_second(c, s.fastest_libzfp),
            gigabytes_a_second(c, s.median_libzfp), s.spread_libzfp, s.speedup, s.speedup_low,
            s.speedup_high);
}

bool bench_write_csv(const char *path, const struct bench_result *r, size_t n)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fprintf(f, "source,type,rank,shape,mode,value,raw_bytes,stream_bytes,max_abs_error");
    for (int i = 0; i < BENCH_WAYS; i++) {
        const char *way = bench_way_names[i];
        fprintf(f,
                ",%s_ztile_gbps,%s_ztile_median_gbps,%s_ztile_spread,%s_libzfp_gbps,"
                "%s_libzfp_median_gbps,%s_libzfp_spread,%s_speedup,%s_speedup_low,"
                "%s_speedup_high",
                way, way, way, way, way, way, way, way, way);
    }
    fprintf(f, "\n");
    for (size_t i = 0; i < n; i++) {
        const struct bench_case *c = &r[i].c;
        char shape[96];
        shape_text(c, shape);
        fprintf(f, "%s,%s,%u,%s,%s,%.9g,%llu,%llu,%.9g", c->source, type_names[c->type], c->rank,
                shape, bench_mode_text(c), c->value, (unsigned long long)c->raw_bytes,
                (unsigned long long)r[i].stream_bytes, r[i].max_error);
        for (int way = 0; way < BENCH_WAYS; way++)
            csv_direction(f, c, &r[i].times[way]);
        fprintf(f, "\n");
    }
    return fclose(f) == 0;
}

/* What the numbers were measured with. */
static void json_machine(FILE *f, const struct bench_options *options)
{
    char line[256], model[200] = "unknown";
    FILE *info = fopen("/proc/cpuinfo", "r");
    while (info && fgets(line, sizeof line, info))
        if (sscanf(line, "model name : %199[^\n\"\\]", model) == 1)
            break;
    if (info)
        fclose(info);
    fprintf(f, "  \"processor\": \"%s\",\n  \"compiler\": \"%s\",\n", model, __VERSION__);
    fprintf(f, "  \"ztile\": \"%s\",\n  \"libzfp\": \"%s\",\n  \"libzfp_word_bits\": %u,\n",
            zt_version(), zfp_version_string, (unsigned)stream_word_bits);
    fprintf(f, "  \"isa\": \"%s\",\n", zt_isa_name((zt_isa)options->isa));
    fprintf(f, "  \"clock\": \"%s\",\n  \"pairs\": %u,\n", options->use_wall_clock ? "wall" : "cpu",
            options->pairs);
}

static void json_direction(FILE *f, const struct bench_case *c, const char *way,
                           const struct bench_times *times)
{
    struct bench_summary s = bench_summarize(times);
    fprintf(f,
            ", \"%s\": {\"ztile_gbps\": %.5f, \"ztile_median_gbps\": %.5f, \"ztile_spread\": %.4f, "
            "\"libzfp_gbps\": %.5f, \"libzfp_median_gbps\": %.5f, \"libzfp_spread\": %.4f, "
            "\"speedup\": %.4f, \"speedup_low\": %.4f, \"speedup_high\": %.4f}",
            way, gigabytes_a_second(c, s.fastest_ztile), gigabytes_a_second(c, s.median_ztile),
            s.spread_ztile, gigabytes_a_second(c, s.fastest_libzfp),
            gigabytes_a_second(c, s.median_libzfp), s.spread_libzfp, s.speedup, s.speedup_low,
            s.speedup_high);
}

/* Geometric mean and minimum over all rows of the median speed-up. */
static void overall(const struct bench_result *r, size_t n, int way, double *mean, double *lowest,
                    size_t *lowest_at)
{
    double logs = 0;
    *lowest = INFINITY;
    *lowest_at = 0;
    for (size_t i = 0; i < n; i++) {
        double x = bench_summarize(&r[i].times[way]).speedup;
        logs += log(x);
        if (x < *lowest) {
            *lowest = x;
            *lowest_at = i;
        }
    }
    *mean = n ? exp(logs / (double)n) : NAN;
}

bool bench_write_json(const char *path, const struct bench_options *options,
                      const struct bench_result *r, size_t n)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fprintf(f, "{\n");
    json_machine(f, options);
    for (int i = 0; i < BENCH_WAYS && n > 0; i++) {
        double mean, lowest;
        size_t at;
        overall(r, n, i, &mean, &lowest, &at);
        fprintf(f, "  \"%s_speedup_geomean\": %.4f,\n  \"%s_speedup_min\": %.4f,\n",
                bench_way_names[i], mean, bench_way_names[i], lowest);
    }
    fprintf(f, "  \"rows\": [\n");
    for (size_t i = 0; i < n; i++) {
        const struct bench_case *c = &r[i].c;
        char shape[96];
        shape_text(c, shape);
        fprintf(f,
                "    {\"source\": \"%s\", \"type\": \"%s\", \"rank\": %u, \"shape\": \"%s\", "
                "\"mode\": \"%s\", \"raw_bytes\": %llu, \"stream_bytes\": %llu, "
                "\"max_abs_error\": %.9g",
                c->source, type_names[c->type], c->rank, shape, bench_mode_text(c),
                (unsigned long long)c->raw_bytes, (unsigned long long)r[i].stream_bytes,
                r[i].max_error);
        for (int way = 0; way < BENCH_WAYS; way++)
            json_direction(f, c, bench_way_names[way], &r[i].times[way]);
        fprintf(f, "}%s\n", i + 1 < n ? "," : "");
    }
    fprintf(f, "  ]\n}\n");
    return fclose(f) == 0;
}

/* Geometric mean over the floating-point and over the integer rows. */
void bench_closing_lines(FILE *out, const struct bench_result *r, size_t n)
{
    for (int way = 0; way < BENCH_WAYS && n > 0; way++) {
        double mean, lowest, logs[2] = {0, 0};
        size_t at, count[2] = {0, 0};
        overall(r, n, way, &mean, &lowest, &at);
        for (size_t i = 0; i < n; i++) {
            bool is_integer = r[i].c.type == ZT_I32 || r[i].c.type == ZT_I64;
            logs[is_integer] += log(bench_summarize(&r[i].times[way]).speedup);
            count[is_integer]++;
        }
        fprintf(out, "%-10s ztile is %.2f times as fast as libzfp (geometric mean of %zu rows)",
                bench_way_names[way], mean, n);
        for (int i = 0; i < 2; i++)
            if (count[i] > 0)
                fprintf(out, ", %s %.2f", i ? "integers" : "floating-point",
                        exp(logs[i] / (double)count[i]));
        fprintf(out, "; at least %.2f times (%s %u-D %s)\n", lowest, type_names[r[at].c.type],
                r[at].c.rank, bench_mode_text(&r[at].c));
    }
}
