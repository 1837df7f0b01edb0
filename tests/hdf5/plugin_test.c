/* plugin_test.c: the plug-ins without HDF5: their functions called as HDF5 and NCZarr would, with
 * damaged and hostile numbers and chunks, and chunks of a big-endian machine.
 *
 *     plugin_test FOLDER       of libh5ztile.so and libh5ztile_zfp.so */
#include "abi.h"
#include "support/support.h"
#include "ztile_h5.h"

#include <dlfcn.h>
#include <math.h>

static unsigned failures;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition) && ++failures <= 20) {                                                    \
            printf("%s:%d: not %s: ", __func__, __LINE__, #condition);                             \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
        }                                                                                          \
    } while (0)

struct plugin {
    const struct zh_class *class;
    const struct zh_codec *codec;
};

static struct plugin open_plugin(const char *folder, const char *name)
{
    const void *(*info)(void), *(*codec)(void);
    struct plugin plugin = {NULL, NULL};
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        printf("%s\n", dlerror());
        exit(1);
    }
    void *found = dlsym(library, "H5PLget_plugin_info");
    memcpy(&info, &found, sizeof info);
    found = dlsym(library, "NCZ_get_codec_info");
    memcpy(&codec, &found, sizeof codec);
    if (info && codec) {
        plugin.class = info();
        plugin.codec = codec();
    }
    CHECK(plugin.class && plugin.codec, "%s lacks a function", name);
    CHECK(dlsym(library, "zt_compress") == NULL, "%s shows more than it must", name);
    return plugin;
}

/* Pass a copy of a buffer through a filter; returns the bytes, and the buffer in *out. */
static size_t run(const struct plugin *p, unsigned flags, size_t count, const unsigned *words,
                  const void *in, size_t bytes, void **out)
{
    size_t room = bytes;
    *out = need(bytes + 1);
    memcpy(*out, in, bytes);
    return p->class->filter(flags, count, words, bytes, &room, out);
}

enum { N = 4096 };

/* What set_local stores for 16x16x16 floats within 1e-3. */
static const unsigned zfp_words[4] = {0x10105111, 'z' | 'f' << 8 | 'p' << 16 | 5u << 24, 0x00f000fa,
                                      0xca9000f0};
static const unsigned ztile_words[12] = {
    ZTILE_H5_TABLE | 1, ZT_ABS << 8, 0xd2f1a9fc, 0x3f50624d, 0, 0, 0, 0,
    ZT_F32 | 3u << 16,  16,          16,         16};

static void fill(float *v)
{
    for (int i = 0; i < N; i++)
        v[i] = (float)(sin(i % 16 / 9.0) + cos(i / 16 % 16 / 7.0) + i / 256);
}

static void check_round_trip(const struct plugin *p, size_t count, const unsigned *words)
{
    float in[N];
    void *chunk, *out;
    fill(in);
    const size_t bytes = run(p, 0, count, words, in, sizeof in, &chunk);
    CHECK(bytes > 0 && bytes < sizeof in / 2, "%zu bytes", bytes);
    const size_t raw = run(p, ZH_FLAG_REVERSE, count, words, chunk, bytes, &out);
    CHECK(raw == sizeof in, "%zu bytes", raw);
    for (int i = 0; raw == sizeof in && i < N; i++)
        CHECK(fabsf(((float *)out)[i] - in[i]) <= 1e-3f, "value %d", i);
    free(out);
    CHECK(run(p, 0, count, words, in, sizeof in - 4, &out) == 0, "a chunk that is too short");
    CHECK(memcmp(out, in, sizeof in - 4) == 0, "a refused chunk must stay as it was");
    free(out);
    in[7] = NAN; /* 32013 refuses, ztile's keeps it */
    const size_t with_nan = run(p, 0, count, words, in, sizeof in, &out);
    CHECK((with_nan > 0) == (p->class->id == ZTILE_H5_FILTER), "%zu bytes with NaN", with_nan);
    free(out);
    free(chunk);
}

/* Ways of sz stand behind all else; those of another rank are refused. Readers need none. */
static void check_ways(const struct plugin *p)
{
    enum { AXES = 7, RANK_AT = 5 };
    unsigned words[15] = {0};
    float in[N];
    void *chunk, *out;
    memcpy(words, ztile_words, sizeof ztile_words);
    words[12] = 3 << RANK_AT | AXES;
    check_round_trip(p, 13, words);
    words[12] = 2 << RANK_AT;
    fill(in);
    CHECK(run(p, 0, 13, words, in, sizeof in, &chunk) == 0, "ways of another rank");
    free(chunk);
    words[8] |= 1u << 24; /* a fill value, before the ways */
    words[12] = words[13] = 0;
    words[14] = 3 << RANK_AT | AXES;
    check_round_trip(p, 15, words);
    const size_t bytes = run(p, 0, 15, words, in, sizeof in, &chunk);
    CHECK(run(p, ZH_FLAG_REVERSE, 14, words, chunk, bytes, &out) == sizeof in, "read without ways");
    free(out);
    free(chunk);
}

/* The codec of a chunk, where none is named. */
static void check_auto(const struct plugin *p)
{
    enum { CODEC_AT = 6 }; /* in a .zt file, which a chunk is */
    static const struct {
        unsigned kind;
        double value;
        uint32_t codec;
    } cases[] = {{ZT_LOSSLESS, 0, ZT_CODEC_SZ}, {ZT_ABS, 1e-3, ZT_CODEC_SZ},
                 {ZT_ABS, 0, ZT_CODEC_SZ},      {ZT_PWREL, 1e-3, ZT_CODEC_SZ},
                 {ZT_RATE, 8, ZT_CODEC_ZFP},    {ZT_PRECISION, 16, ZT_CODEC_ZFP}};
    float in[N];
    fill(in);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned words[12];
        void *chunk;
        memcpy(words, ztile_words, sizeof words);
        words[1] = cases[i].kind << 8;
        ztile_h5_put_double(words + 2, cases[i].value);
        const size_t bytes = run(p, 0, 12, words, in, sizeof in, &chunk);
        const unsigned codec = bytes > CODEC_AT ? ((unsigned char *)chunk)[CODEC_AT] : 0;
        CHECK(codec == cases[i].codec, "bound %u: codec %u", cases[i].kind, codec);
        free(chunk);
    }
}

/* Damage in words or bytes: nothing, or some values; never a crash. */
static void check_damage(const struct plugin *p, size_t count, const unsigned *words, uint64_t seed)
{
    float in[N];
    void *chunk, *out;
    struct rng r = {seed};
    fill(in);
    const size_t bytes = run(p, 0, count, words, in, sizeof in, &chunk);
    for (int i = 0; i < 3000; i++) {
        unsigned bad[12];
        unsigned char *copy = need(bytes);
        size_t n = count, have = bytes;
        memcpy(bad, words, count * sizeof *words);
        memcpy(copy, chunk, bytes);
        if (rng_once_in(&r, 2))
            bad[rng_below(&r, count)] ^= 1u << rng_below(&r, 32);
        if (rng_once_in(&r, 8))
            bad[rng_below(&r, count)] = (unsigned)rng_next(&r);
        if (rng_once_in(&r, 8))
            n = rng_below(&r, count + 1);
        if (rng_once_in(&r, 2))
            copy[rng_below(&r, bytes)] ^= (unsigned char)(1 << rng_below(&r, 8));
        if (rng_once_in(&r, 4))
            have = rng_below(&r, bytes + 1);
        const size_t raw = run(p, ZH_FLAG_REVERSE, n, bad, copy, have, &out);
        CHECK(raw < UINT64_C(1) << 40, "%zu bytes", raw);
        free(out);
        free(copy);
    }
    free(chunk);
}

/* cd_values of a hostile file: HDF5 would take from a buffer that is shorter than its chunk. */
static void check_lies(const struct plugin *p)
{
    static const unsigned shapes[][3] = {
        {16, 16, 15}, {16, 16, 17}, {0, 16, 16}, {1, 1, 1}, {65536, 65536, 65536}};
    float in[N];
    void *chunk, *out;
    unsigned words[12];
    fill(in);
    const size_t bytes = run(p, 0, 12, ztile_words, in, sizeof in, &chunk);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        memcpy(words, ztile_words, sizeof words);
        memcpy(words + 9, shapes[i], sizeof shapes[i]);
        CHECK(run(p, ZH_FLAG_REVERSE, 12, words, chunk, bytes, &out) == 0, "shape %zu", i);
        free(out);
    }
    free(chunk);
}

/* Words and values as a big-endian machine leaves them. */
static void check_turned(const struct plugin *p)
{
    unsigned turned[4];
    float in[N];
    void *chunk, *out;
    for (int i = 0; i < 4; i++)
        turned[i] = __builtin_bswap32(zfp_words[i]);
    fill(in);
    const size_t bytes = run(p, 0, 4, zfp_words, in, sizeof in, &chunk);
    const size_t raw = run(p, ZH_FLAG_REVERSE, 4, turned, chunk, bytes, &out);
    CHECK(raw == sizeof in, "%zu bytes", raw);
    for (int i = 0; raw == sizeof in && i < N; i++) {
        uint32_t bits;
        float v;
        memcpy(&bits, (char *)out + 4 * i, sizeof bits);
        bits = __builtin_bswap32(bits);
        memcpy(&v, &bits, sizeof v);
        CHECK(fabsf(v - in[i]) <= 1e-3f, "value %d: %g", i, (double)v);
    }
    free(out);
    CHECK(run(p, 0, 4, turned, in, sizeof in, &out) == 0, "writing to a big-endian dataset");
    free(out);
    free(chunk);
}

/* A configuration through Zarr's metadata and back. */
static void check_codec(const struct plugin *p, const char *config)
{
    struct ztile_h5_config c;
    unsigned words[ZTILE_H5_ASKED_WORDS], *again = NULL;
    char *json = NULL;
    size_t count = 0;
    CHECK(ztile_h5_parse(config, &c) == 0, "%s", c.error);
    const size_t n = ztile_h5_words(&c, words);
    CHECK(p->codec->hdf5_to_codec(n, words, &json) == ZH_NC_NOERR, "%s", config);
    if (!json)
        return;
    CHECK(strstr(json, p->codec->codecid), "%s", json);
    CHECK(p->codec->codec_to_hdf5(json, &count, &again) == ZH_NC_NOERR, "%s", json);
    CHECK(count == n && again && memcmp(words, again, n * sizeof *words) == 0, "%s: %s", config,
          json);
    free(again);
    free(json);
}

/* What the Python package's codec writes. */
static void check_python_codec(const struct plugin *p, const char *json, const char *config)
{
    struct ztile_h5_config c;
    unsigned words[ZTILE_H5_ASKED_WORDS], *found = NULL;
    size_t count = 0;
    CHECK(ztile_h5_parse(config, &c) == 0, "%s", c.error);
    const size_t n = ztile_h5_words(&c, words);
    CHECK(p->codec->codec_to_hdf5(json, &count, &found) == ZH_NC_NOERR, "%s", json);
    CHECK(count == n && found && memcmp(words, found, n * sizeof *words) == 0, "%s", json);
    free(found);
}

static void check_no_codec(const struct plugin *p, const char *json)
{
    unsigned *words;
    size_t count;
    CHECK(p->codec->codec_to_hdf5(json, &count, &words) != ZH_NC_NOERR, "%s", json);
}

static void check_parser(void)
{
    static const char *const bad[] = {"abs",
                                      "abs=",
                                      "abs=x",
                                      "abs=1x",
                                      "abs=1,rate=2",
                                      "codec=gzip",
                                      "format=h5",
                                      "range=1",
                                      "range=2:1",
                                      "rel=1e-3",
                                      "psnr=60",
                                      "lossless=1",
                                      "expert=1:2:3",
                                      "expert=1:2:3:4:5",
                                      "abs=nan",
                                      "expert=1.5:2:3:4",
                                      "expert=-1:2:3:4",
                                      "abs 1",
                                      ",",
                                      "abs=1,,",
                                      "format=zfp,pwrel=1",
                                      "format=zfp,codec=sz,abs=1",
                                      "abs= 1",
                                      "effort=best",
                                      "abs=1,format=zfp,effort=high",
                                      "abs=1,ways=",
                                      "abs=1,ways=-1",
                                      "abs=1,ways=1.5",
                                      "abs=1,ways=65536",
                                      "abs=1,format=zfp,ways=99"};
    struct ztile_h5_config c;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(ztile_h5_parse(bad[i], &c) != 0 && c.error[0], "\"%s\" is taken", bad[i]);
    CHECK(ztile_h5_parse("codec=sz,abs=1e-3", &c) == 0 && c.codec == ZT_CODEC_SZ &&
              c.kind == ZT_ABS && c.value == 1e-3,
          "%s", c.error);
    CHECK(ztile_h5_parse("abs=1e-3,effort=high", &c) == 0 && c.effort == ZT_EFFORT_HIGH &&
              ztile_h5_parse("effort=default,abs=1", &c) == 0 && c.effort == 0,
          "%s", c.error);
    CHECK(ztile_h5_parse("ways=99,abs=1e-3", &c) == 0 && c.ways == 99, "%s", c.error);
    CHECK(ztile_h5_parse("expert=1:500:20:-1074", &c) == 0 && c.expert[1] == 500 &&
              (int)c.expert[3] == -1074,
          "%s", c.error);
    CHECK(ztile_h5_parse("", &c) == 0 && c.kind == ZT_LOSSLESS, "%s", c.error);
}

int main(int argc, char **argv)
{
    static const char *const configs[] = {"codec=auto,abs=0.001",
                                          "lossless",
                                          "precision=20",
                                          "codec=sz,rel=0.0001,range=-3:1e+300",
                                          "rate=3.7",
                                          "rate=4,rate-align",
                                          "expert=0:500:20:-30",
                                          "codec=sz,psnr=60,range=0:1",
                                          "pwrel=0.01",
                                          "abs=0.001,effort=high",
                                          "codec=sz,abs=0.001,ways=103"};
    static const char *const zfp_configs[] = {"format=zfp,rate=3.7", "format=zfp,abs=0.1",
                                              "format=zfp,precision=17", "format=zfp,lossless",
                                              "format=zfp,expert=1:500:20:-30"};
    if (argc != 2)
        return 2;
    const struct plugin ztile = open_plugin(argv[1], "libh5ztile.so");
    const struct plugin zfp = open_plugin(argv[1], "libh5ztile_zfp.so");
    CHECK(ztile.class->id == ZTILE_H5_FILTER && zfp.class->id == ZTILE_H5_FILTER_ZFP, "numbers");
    check_round_trip(&ztile, 12, ztile_words);
    check_round_trip(&zfp, 4, zfp_words);
    check_ways(&ztile);
    check_auto(&ztile);
    const uint64_t seed = seed_of_today();
    printf("seed %llu\n", (unsigned long long)seed);
    check_damage(&ztile, 12, ztile_words, seed);
    check_damage(&zfp, 4, zfp_words, seed);
    check_turned(&zfp);
    check_lies(&ztile);
    check_parser();
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++)
        check_codec(&ztile, configs[i]);
    for (size_t i = 0; i < sizeof zfp_configs / sizeof *zfp_configs; i++)
        check_codec(&zfp, zfp_configs[i]);
    check_python_codec(&ztile, "{\"abs\": 0.001, \"codec\": \"zfp\", \"id\": \"ztile\"}",
                       "codec=zfp,abs=1e-3");
    check_python_codec(&ztile,
                       "{\"id\": \"ztile\", \"expert\": [1, 500, 20, -30], \"plan\": "
                       "\"off\", \"index_chunk\": 3, \"fill\": [1, 2], \"rate_align\": false}",
                       "expert=1:500:20:-30");
    check_python_codec(&ztile, "{\"id\": \"ztile\", \"rel\": 1e-4, \"range\": [ -1, 2.5 ]}",
                       "rel=1e-4,range=-1:2.5");
    check_python_codec(&ztile, "{\"id\": \"ztile\", \"rel\": 1e-4}", "rel=1e-4,range=0:0");
    check_python_codec(&ztile, "{\"id\": \"ztile\", \"abs\": 0.001, \"ways\": 103}",
                       "abs=0.001,ways=103");
    check_python_codec(&ztile, "{\"id\": \"ztile\", \"abs\": 0.001, \"effort\": \"high\"}",
                       "abs=0.001,effort=high");
    check_no_codec(&ztile, "");
    check_no_codec(&ztile, "{");
    check_no_codec(&ztile, "{\"id\": \"ztile\", \"abs\": [1, 2]}");
    check_no_codec(&ztile, "{\"id\": \"ztile\", \"abs\": [1");
    check_no_codec(&ztile, "{\"id\": \"ztile\", \"abs\": [\"1\"]}");
    check_no_codec(&ztile, "{\"id\": \"ztile\", \"abs\": }");
    check_no_codec(&ztile, "{\"id\": \"ztile\", \"fish\": 1}");
    check_no_codec(&ztile, "{\"id\": \"ztile\", \"format\": \"zfp\", \"abs\": 1}");
    printf("%u failures\n", failures);
    return failures > 0;
}
