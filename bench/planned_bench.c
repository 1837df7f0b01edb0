/* planned_bench.c: how fast planned arrays are decoded, beside the same arrays without a plan.
 *
 *     planned_bench [--cases N] [--seed N] [--threads N] [--worst N]
 *
 * Random structured arrays of ranks 3 and 4, each axis smooth or rough, from 20,000 to 4 million
 * values, are coded with each codec with and without a plan, and decoded whole and in a random box.
 * Printed are the arrays that are slowest with their plan, and the quantiles of the time without
 * the plan over that with it (1: as fast; 0.5: half as fast), for each codec; and of the time of
 * the array that is coded under the plan, as an array of its own, over that with the plan: what the
 * codec takes for its shape is in both. Only arrays that a plan was chosen for are counted. Times
 * are the least CPU times of several, in turns. */
#include "measure.h"
#include "ztile_expert.h"

#include <math.h>
#include <stdbool.h>

enum { CODECS = 3, ROUNDS = 9 };

static const char *const names[] = {"", "zfp", "ndzip", "sz"};

struct result {
    char text[160];
    double whole, box; /* time without a plan / with one */
    double coded;      /* time of the coded array as it is / with the plan */
    uint32_t codec;
};

static uint64_t next(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double unit(uint64_t *state)
{
    return (double)(next(state) >> 11) * 0x1p-53;
}

static void need_ok(zt_context *context, zt_status status)
{
    if (status) {
        (void)fprintf(stderr, "planned_bench: %s\n", zt_context_error(context));
        exit(1);
    }
}

/* A shape of so many values, about, no axis of one. */
static uint64_t random_shape(uint64_t *state, uint32_t rank, uint64_t *shape)
{
    const double values = exp(log(2e4) + unit(state) * log(200));
    double weight[ZT_MAX_RANK], sum = 0;
    uint64_t n = 1;
    for (uint32_t i = 0; i < rank; i++)
        sum += weight[i] = 0.15 + unit(state);
    for (uint32_t i = 0; i < rank; i++) {
        shape[i] = 2 + (uint64_t)pow(values, weight[i] / sum);
        n *= shape[i];
    }
    return n;
}

/* Sums and products of a function of each axis, which is smooth or noise. */
static void fill(uint64_t *state, uint32_t rank, const uint64_t *shape, uint64_t n, float *values,
                 char *rough)
{
    double *table[ZT_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        const bool is_rough = next(state) % 2;
        table[i] = bench_need((size_t)shape[i] * sizeof **table);
        for (uint64_t k = 0; k < shape[i]; k++)
            table[i][k] = is_rough ? 6 * unit(state) - 3 : sin(0.05 * (double)k);
        rough[i] = is_rough ? '1' : '0';
    }
    rough[rank] = 0;
    for (uint64_t at = 0; at < n; at++) {
        double sum = 0, product = 1;
        uint64_t rest = at;
        for (uint32_t i = rank; i-- > 0; rest /= shape[i]) {
            sum += table[i][rest % shape[i]];
            product *= 1 + 0.1 * table[i][rest % shape[i]];
        }
        values[at] = (float)(sum + product);
    }
    for (uint32_t i = 0; i < rank; i++)
        free(table[i]);
}

static uint8_t *compressed(zt_context *context, const zt_array *array, uint32_t codec,
                           uint32_t plan, size_t *bytes, zt_plan *taken)
{
    zt_params params;
    zt_info info;
    size_t capacity;
    (void)zt_params_init(&params, sizeof params);
    (void)zt_info_init(&info, sizeof info);
    params.codec = codec;
    params.plan = plan;
    params.bound = codec == ZT_CODEC_NDZIP ? zt_lossless() : zt_abs(1e-3);
    need_ok(context, zt_compress_bound(context, array, &params, &capacity));
    uint8_t *const file = bench_need(capacity);
    need_ok(context, zt_compress(context, array, &params, file, capacity, bytes));
    need_ok(context, zt_inspect(context, file, *bytes, &info));
    (void)zt_info_plan(&info, taken);
    return file;
}

/* Least times of decoding files 0 and 1 into a box, in turns. */
static void time_box(zt_context *context, uint8_t *const *file, const size_t *bytes,
                     const zt_box *box, uint32_t rank, void *out, double *least)
{
    uint64_t shape[ZT_MAX_RANK] = {0}, n = 1;
    for (uint32_t i = 0; i < rank; i++)
        n *= shape[i] = box->hi[i] - box->lo[i];
    const zt_array array = zt_array_nd(out, ZT_F32, rank, shape);
    const uint32_t repeats = n < 100000 ? (uint32_t)(200000 / n) + 1 : 1;
    least[0] = least[1] = 1e9;
    for (uint32_t round = 0; round < 2 * ROUNDS; round++) {
        const uint32_t k = round % 2;
        const double began = bench_now(CLOCK_PROCESS_CPUTIME_ID);
        for (uint32_t i = 0; i < repeats && i < 64; i++)
            need_ok(context, zt_decompress_box(context, file[k], bytes[k], box, &array));
        const double time = bench_now(CLOCK_PROCESS_CPUTIME_ID) - began;
        least[k] = time < least[k] ? time : least[k];
    }
}

static zt_box random_box(uint64_t *state, uint32_t rank, const uint64_t *shape)
{
    zt_box box = {{0}, {0}};
    for (uint32_t i = 0; i < rank; i++) {
        const uint64_t n = next(state) % 3 == 0 ? shape[i] : 1 + next(state) % shape[i];
        box.lo[i] = next(state) % (shape[i] - n + 1);
        box.hi[i] = box.lo[i] + n;
    }
    return box;
}

static void describe(const zt_plan *plan, const uint64_t *shape, const char *rough,
                     const zt_box *box, struct result *r)
{
    char *at = r->text;
    for (uint32_t i = 0; i < plan->rank; i++)
        at += sprintf(at, "%s%llu", i ? "x" : "", (unsigned long long)shape[i]);
    at += sprintf(at, " rough %s, axes ", rough);
    for (uint32_t i = 0; i < plan->rank; i++)
        at += sprintf(at, "%s%u", i == 0 ? "" : plan->joined[i] ? "+" : " ", plan->axis[i]);
    at += sprintf(at, ", box ");
    for (uint32_t i = 0; i < plan->rank; i++)
        at += sprintf(at, "%s%llu:%llu", i ? "," : "", (unsigned long long)box->lo[i],
                      (unsigned long long)box->hi[i]);
}

/* The array that is coded under a plan. */
static zt_array coded_array(const zt_plan *plan, const zt_array *array)
{
    uint64_t at[ZT_MAX_RANK] = {0}, n = 1;
    uint32_t i;
    for (i = 0; i < array->rank; i++)
        n *= array->shape[i];
    float *const values = bench_need((size_t)n * sizeof *values), *to = values;
    do {
        int64_t from = 0;
        for (i = 0; i < array->rank; i++)
            from += (int64_t)at[i] * array->stride[i];
        *to++ = ((const float *)array->data)[from];
        for (i = array->rank; i-- > 0;) { /* the coded order of axes, the last one fastest */
            const uint32_t axis = plan->axis[i];
            if (++at[axis] < array->shape[axis])
                break;
            at[axis] = 0;
        }
    } while (i < array->rank);
    return zt_array_nd(values, ZT_F32, plan->coded_rank, plan->coded_shape);
}

/* Time of a planned file, whole, beside that of its coded array in a file without a plan. */
static double time_coded(zt_context *context, const zt_array *array, const zt_plan *plan,
                         uint32_t codec, uint8_t *planned, size_t bytes, void *out)
{
    const zt_array coded = coded_array(plan, array);
    zt_plan none;
    size_t own_bytes;
    uint8_t *const own = compressed(context, &coded, codec, ZT_PLAN_OFF, &own_bytes, &none);
    const zt_array back = zt_array_nd(out, ZT_F32, array->rank, array->shape);
    const zt_array coded_back = zt_array_nd(out, ZT_F32, coded.rank, coded.shape);
    double least[2] = {1e9, 1e9};
    for (uint32_t round = 0; round < 2 * ROUNDS; round++) {
        const uint32_t k = round % 2;
        const double began = bench_now(CLOCK_PROCESS_CPUTIME_ID);
        need_ok(context, zt_decompress(context, k ? planned : own, k ? bytes : own_bytes,
                                       k ? &back : &coded_back));
        const double time = bench_now(CLOCK_PROCESS_CPUTIME_ID) - began;
        least[k] = time < least[k] ? time : least[k];
    }
    free(own);
    free(coded.data);
    return least[0] / least[1];
}

/* One array with all codecs; returns how many results there are. */
static size_t run_case(zt_context *context, uint64_t seed, struct result *results)
{
    uint64_t state = seed * 1000003, shape[ZT_MAX_RANK] = {0};
    const uint32_t rank = 3 + (uint32_t)(next(&state) % 2);
    const uint64_t n = random_shape(&state, rank, shape);
    float *const values = bench_need((size_t)n * sizeof *values);
    float *const back = bench_need((size_t)n * sizeof *back);
    char rough[ZT_MAX_RANK + 1];
    size_t found = 0;
    fill(&state, rank, shape, n, values, rough);
    const zt_array array = zt_array_nd(values, ZT_F32, rank, shape);
    const zt_box box = random_box(&state, rank, shape);
    zt_box whole = {{0}, {0}};
    memcpy(whole.hi, shape, sizeof shape);
    for (uint32_t codec = 1; codec <= CODECS; codec++) {
        uint8_t *file[2];
        size_t bytes[2];
        zt_plan plan, none;
        double time[2];
        file[0] = compressed(context, &array, codec, ZT_PLAN_OFF, &bytes[0], &none);
        file[1] = compressed(context, &array, codec, ZT_PLAN_ON, &bytes[1], &plan);
        if (plan.rank > 0) {
            struct result *const r = &results[found++];
            r->codec = codec;
            describe(&plan, shape, rough, &box, r);
            time_box(context, file, bytes, &whole, rank, back, time);
            r->whole = time[0] / time[1];
            time_box(context, file, bytes, &box, rank, back, time);
            r->box = time[0] / time[1];
            r->coded = time_coded(context, &array, &plan, codec, file[1], bytes[1], back);
        }
        free(file[0]);
        free(file[1]);
    }
    free(values);
    free(back);
    return found;
}

static int slowest_first(const void *a, const void *b)
{
    const struct result *const x = a, *const y = b;
    return (x->whole > y->whole) - (x->whole < y->whole);
}

static void print_quantiles(const struct result *results, size_t n, uint32_t codec)
{
    double *const list = bench_need((2 * n + 1) * sizeof *list);
    static const char *const whats[] = {"whole", "box", "coded"};
    for (uint32_t what = 0; what < 3; what++) {
        size_t count = 0, slow = 0;
        for (size_t i = 0; i < n; i++)
            if (results[i].codec == codec) {
                list[count] = what == 0   ? results[i].whole
                              : what == 1 ? results[i].box
                                          : results[i].coded;
                slow += list[count++] < 0.5;
            }
        if (count == 0)
            continue;
        const double median = bench_median(list, count);
        printf("%-5s %-5s %4zu arrays: least %.3f, tenth %.3f, median %.3f; below 0.5: %zu\n",
               names[codec], whats[what], count, list[0], list[count / 10], median, slow);
    }
    free(list);
}

int main(int argc, char **argv)
{
    unsigned long cases = 100, seed = 1, threads = 1, worst = 5;
    for (int i = 1; i + 1 < argc; i += 2) {
        const unsigned long n = strtoul(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--cases") == 0)
            cases = n;
        else if (strcmp(argv[i], "--seed") == 0)
            seed = n;
        else if (strcmp(argv[i], "--threads") == 0)
            threads = n;
        else if (strcmp(argv[i], "--worst") == 0)
            worst = n;
    }
    zt_context *context = NULL;
    const zt_omp omp = {.threads = (uint32_t)threads};
    struct result *const results = bench_need((CODECS * cases + 1) * sizeof *results);
    size_t n = 0;
    need_ok(context, zt_context_new(NULL, &context));
    if (threads > 1)
        need_ok(context, zt_context_set_omp(context, &omp));
    for (unsigned long i = 0; i < cases; i++)
        n += run_case(context, seed + i, results + n);
    qsort(results, n, sizeof *results, slowest_first);
    for (size_t i = 0; i < n && i < worst; i++)
        printf("%-5s whole %.3f box %.3f coded %.3f: %s\n", names[results[i].codec],
               results[i].whole, results[i].box, results[i].coded, results[i].text);
    for (uint32_t codec = 1; codec <= CODECS; codec++)
        print_quantiles(results, n, codec);
    free(results);
    zt_context_free(context);
    return 0;
}
