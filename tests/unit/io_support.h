/* io_support.h: what the tests of io/ share: a directory of their own, values to recognize, and
 * the reading back of a place. */
#ifndef IO_SUPPORT_H
#define IO_SUPPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "io.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static struct ztio_error error;
static const struct ztio_creation replace = {.overwrite = true};

static inline int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/io_test.XXXXXX");
    return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

/* How many entries the folder has, those with a leading dot included. */
static inline int entries(void)
{
    int n = -2; /* . and .. */
    DIR *dir = opendir(".");
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static inline int empty_folder(void **state)
{
    (void)state;
    DIR *dir = opendir(".");
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (unlink(entry->d_name) != 0)
            (void)rmdir(entry->d_name);
    closedir(dir);
    return 0;
}

static inline int remove_folder(void **state)
{
    empty_folder(state);
    return chdir("/") != 0 || rmdir(folder) != 0;
}

static inline void put_file(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static inline char *get_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *data = malloc(1 << 20);
    *n = fread(data, 1, 1 << 20, f);
    fclose(f);
    return data;
}

/* Values that differ in every byte, as an array of any type. */
static inline void *values_of(uint32_t type, size_t n)
{
    size_t bytes = zt_type_bytes(type);
    char *values = malloc(n * bytes);
    for (size_t i = 0; i < n; i++) {
        union {
            float f32;
            double f64;
            int32_t i32;
            int64_t i64;
        } v;
        int64_t x = (int64_t)(i * 0x9e3779b1u % 1000003) - 400000;
        switch (type) {
        case ZT_F32: v.f32 = (float)x * 0.3f; break;
        case ZT_F64: v.f64 = (double)x * 0.3; break;
        case ZT_I32: v.i32 = (int32_t)(x * 2003); break;
        default: v.i64 = x * 20000000003; break;
        }
        memcpy(values + i * bytes, &v, bytes);
    }
    return values;
}

static inline struct ztio_meta meta_of(uint32_t type, uint32_t rank, const uint64_t *shape)
{
    struct ztio_meta meta = {.type = type, .rank = rank};
    memcpy(meta.shape, shape, rank * sizeof *shape);
    return meta;
}

static inline size_t count_of(const struct ztio_meta *meta)
{
    size_t n = 1;
    for (uint32_t i = 0; i < meta->rank; i++)
        n *= (size_t)meta->shape[i];
    return n;
}

/* Write n values in slabs of two slices and commit. */
static inline void write_place(const char *place, const struct ztio_meta *meta, uint64_t slices,
                               const void *values)
{
    struct ztio_output *output = ztio_create(place, meta, NULL, &error);
    if (!output)
        fail_msg("%s", error.sentence);
    size_t slice = zt_type_bytes(meta->type);
    for (uint32_t i = 1; i < meta->rank; i++)
        slice *= (size_t)meta->shape[i];
    for (uint64_t i = 0; i < slices; i += 2) {
        uint64_t extent = slices - i < 2 ? 1 : 2;
        if (!ztio_write(output, extent, (const char *)values + i * slice, &error))
            fail_msg("%s", error.sentence);
    }
    if (!ztio_commit(output, &error))
        fail_msg("%s", error.sentence);
}

/* Open a place that must be there. */
static inline struct ztio_input *open_place(const char *place, const struct ztio_meta *hints)
{
    struct ztio_input *input = ztio_open(place, hints, &error);
    if (!input)
        fail_msg("%s: %s", place, error.sentence);
    return input;
}

/* Read an array in slabs of 'step' slices, the last slab first where it can be, and compare. */
static inline void expect_values(struct ztio_input *input, const void *values, uint64_t step)
{
    const struct ztio_meta *meta = ztio_meta_of(input);
    uint64_t slices = meta->shape[0], got;
    size_t slice = count_of(meta) / (size_t)slices * zt_type_bytes(meta->type);
    for (uint64_t i = 0; i < slices; i += step) {
        uint64_t first = ztio_is_seekable(input) ? (slices - 1) / step * step - i : i;
        uint64_t extent = slices - first < step ? slices - first : step;
        char *slab = malloc(extent * slice); /* no more, for the address sanitizer to see */
        if (!ztio_read(input, first, extent, slab, &got, &error))
            fail_msg("%s", error.sentence);
        assert_int_equal(got, extent);
        assert_memory_equal(slab, (const char *)values + first * slice, extent * slice);
        free(slab);
    }
}

/* Writing n bytes of f32 to a disk that takes fewer fails with a sentence and leaves nothing. The
 * disk is a limit on the size of files. */
static inline void expect_no_space(const char *place, size_t n)
{
    struct rlimit kept, small;
    struct ztio_meta meta = meta_of(ZT_F32, 2, (uint64_t[]){ZT_UNKNOWN, 16});
    char *values = calloc(n, 1);
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &kept), 0);
    small = kept;
    small.rlim_cur = n / 2;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct ztio_output *output = ztio_create(place, &meta, NULL, &error);
    bool is_written = output && ztio_write(output, n / 64, values, &error);
    if (is_written)
        is_written = ztio_commit(output, &error);
    else
        ztio_abandon(output);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &kept), 0);
    assert_false(is_written);
    assert_non_null(strstr(error.sentence, ": cannot write: "));
    assert_int_equal(error.exit_status, ZTIO_IO_ERROR);
    assert_int_equal(entries(), 0);
    free(values);
}

/* The place cannot be opened, and the sentence has these words. */
static inline void expect_refusal(const char *place, const struct ztio_meta *hints, int exit_status,
                                  const char *words)
{
    struct ztio_input *input = ztio_open(place, hints, &error);
    assert_null(input);
    if (!strstr(error.sentence, words))
        fail_msg("'%s' is not in: %s", words, error.sentence);
    assert_null(strchr(error.sentence, '\n'));
    assert_int_equal(error.exit_status, exit_status);
}

/* Make data standard input, through a pipe; give_back_input undoes it. */
static int kept_input = -1;

static inline void feed_input(const void *data, size_t n)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], data, n), n); /* a pipe holds 64 KiB */
    close(ends[1]);
    kept_input = dup(0);
    dup2(ends[0], 0);
    close(ends[0]);
}

static inline void give_back_input(void)
{
    dup2(kept_input, 0);
    close(kept_input);
}

#endif
