/* h5z_bench.c: how fast the chunks of a variable-rate H5Z-ZFP file are read, through H5Z-ZFP's own
 * filter over libzfp and through ztile's filter 32013, in alternate runs of one process.
 *
 *     ZTILE_THREADS=2 h5z_bench OURS THEIRS [--mib 256] [--runs 5] [--tolerance 1e-3] [--chunk MIB]
 *
 * OURS is libh5ztile_zfp.so, THEIRS libh5zzfp.so (Debian's hdf5-filter-plugin-zfp-serial). Prints
 * wall and processor time, medians, and theirs over ours, by the clock and of the processor, which
 * other programs on the machine disturb less. */
#include <hdf5.h>

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FILTER = 32013, MOST_RUNS = 99 };

static int fail(const char *what)
{
    fprintf(stderr, "h5z_bench: %s\n", what);
    return 1;
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The filter that a plug-in holds. */
static const void *filter_of(const char *path)
{
    union {
        void *found;
        const void *(*call)(void);
    } info;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    info.found = handle ? dlsym(handle, "H5PLget_plugin_info") : NULL;
    if (!info.found)
        fprintf(stderr, "h5z_bench: %s is no plug-in: %s\n", path, dlerror());
    return info.found ? info.call() : NULL;
}

/* float32 that is smooth with some noise, as in python/bench/zfpy_buffer.py: 5 bits a value. */
static float *field(size_t n)
{
    float *a = malloc(n * n * n * sizeof *a);
    uint32_t seed = 1;
    for (size_t i = 0, at = 0; a && i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < n; k++, at++) {
                const double s = 20.0 / (double)n;
                double noise = -2;
                for (int r = 0; r < 4; r++) { /* nearly normal, of variance 1/3 */
                    seed = seed * 1664525u + 1013904223u;
                    noise += seed * 0x1p-32;
                }
                a[at] = (float)(sin((double)i * s) * cos((double)j * s * 1.3) +
                                sin(0.7 * (double)k * s) + 0.0035 * noise);
            }
    return a;
}

static int write_file(const char *path, const float *a, size_t n, hsize_t layers, double tolerance)
{
    const hsize_t shape[3] = {n, n, n}, chunk[3] = {layers, n, n};
    unsigned words[4] = {3, 0, 0, 0};
    memcpy(words + 2, &tolerance, sizeof tolerance);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(3, shape, NULL), layout = H5Pcreate(H5P_DATASET_CREATE);
    int failed = H5Pset_chunk(layout, 3, chunk) < 0 ||
                 H5Pset_filter(layout, FILTER, H5Z_FLAG_MANDATORY, 4, words) < 0;
    hid_t dataset =
        H5Dcreate2(file, "a", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    failed |=
        dataset < 0 || H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, a) < 0;
    printf("%.0f MiB of float32 in chunks of %.0f MiB, %.2f bits a value\n",
           (double)(n * n * n) * 4 / 0x1p20, (double)(layers * n * n) * 4 / 0x1p20,
           8 * (double)H5Dget_storage_size(dataset) / (double)(n * n * n));
    failed |= H5Dclose(dataset) < 0 || H5Fclose(file) < 0;
    (void)H5Pclose(layout);
    (void)H5Sclose(space);
    return failed;
}

/* All of it into the same memory; no chunk stays in a cache. */
static int read_file(const char *path, float *a)
{
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    (void)H5Pset_chunk_cache(access, 1, 0, 1);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, "a", access);
    const int failed = H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, a) < 0;
    (void)H5Dclose(dataset);
    (void)H5Fclose(file);
    (void)H5Pclose(access);
    return failed;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, int runs)
{
    qsort(times, (size_t)runs, sizeof *times, compare_doubles);
    return times[runs / 2];
}

/* Both in turns; memory holds two arrays. */
static int measure(const char *path, const void *const *filters, float *const *memory, size_t bytes,
                   int runs)
{
    static const char *const names[] = {"libzfp", "ztile"};
    static double wall[2][MOST_RUNS], processor[2][MOST_RUNS];
    double w[2], p[2];
    for (int run = -1; run < runs; run++) /* the first warms up */
        for (int i = 0; i < 2; i++) {
            if (H5Zregister(filters[i]) < 0)
                return fail("HDF5 does not take a filter");
            const double start = seconds(CLOCK_MONOTONIC);
            const double used = seconds(CLOCK_PROCESS_CPUTIME_ID);
            if (read_file(path, memory[i]))
                return fail("the file cannot be read");
            if (run < 0)
                continue;
            wall[i][run] = seconds(CLOCK_MONOTONIC) - start;
            processor[i][run] = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
        }
    if (memcmp(memory[0], memory[1], bytes) != 0)
        return fail("the two filters read different values");
    for (int i = 0; i < 2; i++) {
        w[i] = median(wall[i], runs);
        p[i] = median(processor[i], runs);
        printf("%-7s %6.3f s  %5.2f GB/s  processor %6.3f s\n", names[i], w[i],
               (double)bytes / 1e9 / w[i], p[i]);
    }
    printf("ratio by the clock %.2f, of processor time %.2f\n", w[0] / w[1], p[0] / p[1]);
    return 0;
}

int main(int argc, char **argv)
{
    double mib = 256, tolerance = 1e-3, chunk_mib = 16;
    int runs = 5;
    if (argc < 3)
        return fail("use: h5z_bench OURS THEIRS [--mib N] [--runs N] [--tolerance E] "
                    "[--chunk MIB]");
    for (int i = 3; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--mib") == 0)
            mib = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--runs") == 0)
            runs = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--tolerance") == 0)
            tolerance = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--chunk") == 0)
            chunk_mib = atof(argv[i + 1]);
    }
    const size_t n = (size_t)cbrt(mib * 0x1p18) / 4 * 4;
    if (n < 4 || runs < 1 || runs > MOST_RUNS || !(chunk_mib > 0))
        return fail("too small or too many");
    const void *const filters[2] = {filter_of(argv[2]), filter_of(argv[1])};
    char path[] = "h5z_bench.XXXXXX";
    const int fd = filters[0] && filters[1] ? mkstemp(path) : -1;
    if (fd < 0)
        return fail("needs both plug-ins, and a folder to write to");
    (void)close(fd);
    float *memory[2] = {field(n), malloc(n * n * n * sizeof(float))};
    hsize_t layers = (hsize_t)(chunk_mib * 0x1p18 / (double)(n * n)) / 4 * 4;
    layers = layers < 4 ? 4 : layers > n ? n : layers;
    int failed = !memory[0] || !memory[1] || H5Zregister(filters[0]) < 0 ||
                 write_file(path, memory[0], n, layers, tolerance);
    failed = failed ? fail("the file cannot be written")
                    : measure(path, filters, memory, n * n * n * sizeof(float), runs);
    (void)unlink(path);
    free(memory[1]);
    free(memory[0]);
    return failed;
}
