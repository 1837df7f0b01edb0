/* replay_main.c: run a fuzz target over files, without libFuzzer, so that the corpus is part of
 * every test run.
 *
 *     TARGET FILE-OR-FOLDER...
 *
 * Each input ends where a page that cannot be read begins: reading one byte too many is a crash in
 * any build. Every file is also given cut to each of some lengths, and with single bits changed: 64
 * of each, or one in ZTILE_TEST_SHARE of these. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAYS = 64 / ZTILE_TEST_SHARE };

struct guarded {
    uint8_t *pages;
    size_t bytes; /* that can be used, before the page that cannot be read */
};

static struct guarded guarded_new(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct guarded g = {NULL, (bytes / page + 1) * page};
    void *pages =
        mmap(NULL, g.bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        exit(1);
    g.pages = pages;
    mprotect(g.pages + g.bytes, page, PROT_NONE);
    return g;
}

static void guarded_free(struct guarded *g)
{
    munmap(g->pages, g->bytes + (size_t)sysconf(_SC_PAGESIZE));
}

static uint64_t run(struct guarded *g, const uint8_t *data, size_t bytes)
{
    uint8_t *at = g->pages + g->bytes - bytes;
    if (bytes)
        memcpy(at, data, bytes);
    LLVMFuzzerTestOneInput(at, bytes);
    return 1;
}

static uint64_t replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f || fstat(fileno(f), &st) != 0) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    size_t bytes = (size_t)st.st_size;
    uint8_t *data = malloc(bytes + 1);
    if (!data || fread(data, 1, bytes, f) != bytes)
        exit(1);
    fclose(f);
    struct guarded g = guarded_new(bytes);
    uint64_t runs = run(&g, data, bytes);
    size_t step = bytes / WAYS + 1;
    for (size_t cut = 0; cut < bytes; cut += step)
        runs += run(&g, data, cut);
    for (size_t at = 0; at < bytes; at += step) {
        uint8_t bit = (uint8_t)(1u << at % 8);
        data[at] ^= bit;
        runs += run(&g, data, bytes);
        data[at] ^= bit;
    }
    guarded_free(&g);
    free(data);
    return runs;
}

static uint64_t replay(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return replay_file(path);
    uint64_t runs = 0;
    char name[4096];
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        runs += replay_file(name);
    }
    closedir(folder);
    return runs;
}

int main(int argc, char **argv)
{
    uint64_t runs = 0;
    for (int i = 1; i < argc; i++)
        runs += replay(argv[i]);
    printf("%llu inputs\n", (unsigned long long)runs);
    return runs ? 0 : 1;
}
