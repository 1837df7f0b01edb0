/* zt_command.c: the command's part of zt_property_test.c. */
#include "property/zt_command.h"
#include "support/support.h"

#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { WORDS_MOST = 48, WORD_BYTES = 64 };

extern char **environ;

static double fill_value(uint32_t type, uint64_t bits)
{
    float f;
    double d;
    const uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return type == ZT_F32   ? (double)f
           : type == ZT_F64 ? d
           : type == ZT_I32 ? (int32_t)low
                            : (double)(int64_t)bits;
}

bool command_can(const zt_params *p, uint32_t type)
{
    for (uint32_t i = 0; i < p->fills; i++) {
        const double v = fill_value(type, p->fill[i]);
        if (!isfinite(v) || v == 0 || (type == ZT_I64 && fabs(v) > 9e15))
            return false;
    }
    return true;
}

/* The words of a command line, and room for those that are made. */
struct words {
    char *word[WORDS_MOST];
    char text[WORDS_MOST][WORD_BYTES];
    int count, made;
};

static void add(struct words *w, const char *word)
{
    w->word[w->count++] = (char *)(uintptr_t)word;
}

static void add_number(struct words *w, const char *option, double v)
{
    add(w, option);
    snprintf(w->text[w->made], WORD_BYTES, "%.17g", v);
    add(w, w->text[w->made++]);
}

static void add_params(struct words *w, const zt_params *p, uint32_t type)
{
    static const char *const bounds[] = {"--lossless", "--abs",      "--rel",       "--pwrel",
                                         "--psnr",     "--rate",     "--precision", "",
                                         "--rmse",     "--rmse-rel", "--mae",       "--mae-rel"};
    static const char *const codecs[] = {"auto", "zfp", "ndzip", "sz"};
    static const char *const efforts[] = {"", "fast", "default", "high"};
    add(w, "-c");
    add(w, codecs[p->codec]);
    if (p->bound.kind == ZT_LOSSLESS)
        add(w, bounds[0]);
    else
        add_number(w, bounds[p->bound.kind], p->bound.value);
    if (p->mean.kind != ZT_LOSSLESS)
        add_number(w, bounds[p->mean.kind], p->mean.value);
    if (!isnan(p->within_lo) || !isnan(p->within_hi)) {
        char lo[32] = "", hi[32] = "";
        if (!isnan(p->within_lo))
            snprintf(lo, sizeof lo, "%.17g", p->within_lo);
        if (!isnan(p->within_hi))
            snprintf(hi, sizeof hi, "%.17g", p->within_hi);
        add(w, "--within");
        snprintf(w->text[w->made], WORD_BYTES, "%s:%s", lo, hi);
        add(w, w->text[w->made++]);
    }
    add(w, "--effort");
    add(w, efforts[p->effort]);
    if (p->codec_words[1]) {
        add(w, "--method");
        add(w, p->codec_words[1] >> 32 == ZT_SZ_CUSZ        ? "cusz"
               : p->codec_words[1] >> 32 == ZT_SZ_TRANSFORM ? "transform"
               : p->codec_words[1] >> 32 == ZT_SZ_MULTIPLES ? "multiples"
                                                            : "prediction");
        if ((uint32_t)p->codec_words[1])
            add_number(w, "--sz-bins", (uint32_t)p->codec_words[1]);
    }
    add(w, "--plan");
    add(w, p->plan == ZT_PLAN_ON ? "on" : "off");
    add_number(w, "--zfp-word-bits", (double)p->codec_words[0]);
    add(w, "--slab-bytes");
    snprintf(w->text[w->made], WORD_BYTES, "%llu", (unsigned long long)p->slab_bytes);
    add(w, w->text[w->made++]);
    for (uint32_t i = 0; i < p->fills; i++)
        add_number(w, "--fill", fill_value(type, p->fill[i]));
    add(w, "--no-fill"); /* spikes are values */
}

static int run(struct words *w)
{
    pid_t child;
    int status;
    w->word[w->count] = NULL;
    if (posix_spawn(&child, w->word[0], NULL, NULL, w->word, environ) != 0 ||
        waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_file(const char *path, const unsigned char *wanted, size_t wanted_bytes)
{
    size_t bytes = 0;
    unsigned char *got = read_file(path, &bytes);
    const bool is_same = got && bytes == wanted_bytes && memcmp(got, wanted, bytes) == 0;
    free(got);
    return is_same;
}

bool command_agrees(const struct command_case *c, char *why)
{
    struct words w = {.count = 0};
    char raw[4096], file[4096], back[4096], shape[96];
    snprintf(raw, sizeof raw, "%s/array.raw", c->folder);
    snprintf(file, sizeof file, "%s/array.zt", c->folder);
    snprintf(back, sizeof back, "%s/back.raw", c->folder);
    FILE *f = fopen(raw, "wb");
    if (!f || fwrite(c->raw, 1, c->raw_bytes, f) != c->raw_bytes || fclose(f) != 0)
        return snprintf(why, 256, "%s cannot be written", raw) < 0;
    const char *const first[] = {c->ztile,
                                 "compress",
                                 "-q",
                                 "-f",
                                 raw,
                                 "-o",
                                 file,
                                 "-t",
                                 type_name(c->type),
                                 "-s",
                                 shape_text(c->rank, c->shape, shape)};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        add(&w, first[i]);
    add_params(&w, c->params, c->type);
    int status = run(&w);
    if (status != 0 || !is_file(file, c->file, c->bytes))
        return snprintf(why, 256, "the command compresses to other bytes (status %d)", status) < 0;
    const char *const second[] = {c->ztile, "decompress", "-q", "-f", file, "-o", back};
    w = (struct words){.count = 0};
    for (size_t i = 0; i < sizeof second / sizeof *second; i++)
        add(&w, second[i]);
    status = run(&w);
    if (status != 0 || !is_file(back, c->back, c->raw_bytes))
        return snprintf(why, 256, "the command decompresses to other values (status %d)", status) <
               0;
    return true;
}
