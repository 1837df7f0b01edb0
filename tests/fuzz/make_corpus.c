/* make_corpus.c: writes the seeds of the fuzz targets, small files of our own writer.
 *
 *     make_corpus FOLDER, which has a folder for each target, but salvage: it takes those of zt
 *
 * The corpus is checked in; this is run again when a version of the format adds something. */
#include "make_corpus.h"
#include "support/support.h"
#include "ztile_zfp.h"
#include "ztile_ndzip.h"
#include "ztile_huffman.h"
#include "ztile_expert.h"

#include <stdlib.h>
#include <string.h>

enum { ZFP_CHOICES = 16 };

void corpus_write(const char *folder, const char *name, const void *data, size_t bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, bytes, f) != bytes || fclose(f) != 0) {
        fprintf(stderr, "%s cannot be written\n", path);
        exit(1);
    }
}

static struct test_array make_array(uint32_t type, uint32_t rank, enum data_kind kind)
{
    static const uint64_t shapes[][ZT_MAX_RANK] = {{61}, {9, 11}, {6, 5, 7}, {3, 5, 2, 6}};
    int64_t stride[ZT_MAX_RANK];
    contiguous_strides(rank, shapes[rank - 1], stride);
    struct test_array a = test_array_new(type, rank, shapes[rank - 1], stride);
    fill_array(&a.array, kind, rank + 10 * type);
    return a;
}

static void make_zt(const char *folder)
{
    const zt_bound bounds[] = {zt_lossless(), zt_abs(1e-3),     zt_rel(1e-4),
                               zt_rate(9),    zt_precision(14), zt_expert(20, 900, 30, -30)};
    static const char *const names[] = {"lossless", "abs", "rel", "rate", "precision", "expert"};
    for (uint32_t type = ZT_F32; type <= ZT_I64; type++)
        for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
            uint32_t rank = 1 + (type + i) % ZT_MAX_RANK;
            struct test_array a = make_array(type, rank, i % 2 ? DATA_SMOOTH : DATA_NOISE);
            zt_params p;
            size_t capacity, bytes;
            char name[64];
            zt_params_init(&p, sizeof p);
            p.bound = bounds[i];
            p.slab_bytes = i % 3 ? p.slab_bytes : 128;
            p.name = i % 3 == 1 ? "height" : NULL;
            p.units = i % 3 == 1 ? "m" : NULL;
            if (zt_compress_bound(NULL, &a.array, &p, &capacity) != ZT_OK)
                exit(1);
            void *out = need(capacity);
            if (zt_compress(NULL, &a.array, &p, out, capacity, &bytes) != ZT_OK)
                exit(1);
            snprintf(name, sizeof name, "%s-%u-%s.zt", type_name(type), rank, names[i]);
            corpus_write(folder, name, out, bytes);
            free(out);
            test_array_free(&a);
        }
}

/* Special values: one pattern in a few places, in many (a bit map), several, each its own. */
static void make_special(const char *folder)
{
    for (uint32_t i = 0; i < 4; i++) {
        struct test_array a = make_array(i % 2 ? ZT_F64 : ZT_F32, 2, DATA_SMOOTH);
        const size_t n = (size_t)values_of(2, a.array.shape), element = zt_type_bytes(a.array.type);
        zt_params p;
        size_t capacity, bytes;
        char name[64];
        for (size_t k = 0; k < n; k++) {
            const uint64_t high = element == 8 ? UINT64_C(0x7ff8) << 48 : UINT64_C(0x7fc0) << 16;
            const uint64_t bits = high | (i == 2 ? k % 5 : i == 3 ? k : 0);
            if (i == 1 ? k % 3 != 0 : k % 11 == 4) /* the type's values lie together */
                memcpy((char *)a.array.data + k * element, &bits, element);
        }
        zt_params_init(&p, sizeof p);
        p.codec = ZT_CODEC_ZFP;
        p.bound = i % 2 ? zt_abs(1e-3) : zt_rate(9);
        if (zt_compress_bound(NULL, &a.array, &p, &capacity) != ZT_OK)
            exit(1);
        void *out = need(capacity);
        if (zt_compress(NULL, &a.array, &p, out, capacity, &bytes) != ZT_OK)
            exit(1);
        snprintf(name, sizeof name, "special-%u.zt", i);
        corpus_write(folder, name, out, bytes);
        free(out);
        test_array_free(&a);
    }
}

/* Tiles without bits, and a fill value in the same place of each slice. */
static void make_empty(const char *folder)
{
    static const uint64_t shape[] = {4, 8, 16};
    int64_t stride[ZT_MAX_RANK];
    contiguous_strides(3, shape, stride);
    struct test_array a = test_array_new(ZT_I32, 3, shape, stride);
    zt_params p;
    size_t capacity, bytes;
    fill_array(&a.array, DATA_ZEROS, 1);
    for (uint32_t i = 0; i < 4; i++)
        ((int32_t *)a.array.data)[128 * i + 5] = -999;
    zt_params_init(&p, sizeof p);
    p.codec = ZT_CODEC_ZFP;
    p.bound = zt_rate(0.001);
    p.fills = 1;
    if (zt_fill_bits(ZT_I32, -999, &p.fill[0]) != ZT_OK ||
        zt_compress_bound(NULL, &a.array, &p, &capacity) != ZT_OK)
        exit(1);
    void *out = need(capacity);
    if (zt_compress(NULL, &a.array, &p, out, capacity, &bytes) != ZT_OK)
        exit(1);
    corpus_write(folder, "special-empty.zt", out, bytes);
    free(out);
    test_array_free(&a);
}

/* Arrays that are large enough for codebooks. */
static void make_sz(const char *folder)
{
    static const char *const efforts[] = {"default",  "paper",     "fast",     "high",
                                          "lossless", "transform", "multiples"};
    static const uint64_t shape[] = {29, 53};
    int64_t stride[ZT_MAX_RANK];
    contiguous_strides(2, shape, stride);
    for (uint32_t type = ZT_F32; type <= ZT_I64; type++)
        for (uint32_t effort = 0; effort <= CODER_MULTIPLES; effort++) {
            struct test_array a = test_array_new(type, 2, shape, stride);
            zt_params p;
            size_t capacity, bytes;
            char name[64];
            fill_array(&a.array, DATA_WAVE_NOISE, 4 * type + effort);
            zt_params_init(&p, sizeof p);
            p.codec = ZT_CODEC_SZ;
            set_coder(&p, effort);
            if (effort == CODER_CUSZ)
                zt_params_set_sz(&p, ZT_SZ_CUSZ, 256);
            p.bound = effort == CODER_LOSSLESS ? zt_lossless() : zt_rel(2e-2);
            if (zt_compress_bound(NULL, &a.array, &p, &capacity) != ZT_OK)
                exit(1);
            void *out = need(capacity);
            if (zt_compress(NULL, &a.array, &p, out, capacity, &bytes) != ZT_OK)
                exit(1);
            snprintf(name, sizeof name, "sz-%s-%s.zt", type_name(type), efforts[effort]);
            corpus_write(folder, name, out, bytes);
            free(out);
            test_array_free(&a);
        }
}

/* The layout of the choices is described in fuzz.h. */
static void make_zfp(const char *folder)
{
    for (uint32_t type = ZT_F32; type <= ZT_I64; type++)
        for (uint32_t mode = 0; mode < 5; mode++) {
            uint32_t rank = 1 + (type + mode) % ZT_MAX_RANK;
            bool has_header = mode % 2 == 0;
            struct test_array a = make_array(type, rank, mode % 2 ? DATA_SMOOTH : DATA_NOISE);
            uint8_t choices[ZFP_CHOICES] = {0};
            zt_zfp z;
            size_t capacity, bytes;
            char name[64];
            zt_zfp_init(&z, sizeof z);
            z.word_bits = 8u << mode % 4;
            z.flags = has_header ? ZT_ZFP_HEADER : 0;
            choices[0] =
                (uint8_t)((type - 1) | (rank - 1) << 2 | (has_header ? 16u : 0) | (mode % 4) << 6);
            choices[1] = (uint8_t)mode;
            for (uint32_t i = 0; i < rank; i++)
                choices[4 + i] = (uint8_t)(a.array.shape[i] - 1);
            switch (mode) {
            case 0:
                choices[3] = 8; /* 2048 / 256 bits a value */
                zt_zfp_set_rate(&z, 8, (zt_type)type, rank, 0, NULL);
                break;
            case 1:
                choices[2] = 18;
                zt_zfp_set_precision(&z, 18, NULL);
                break;
            case 2:
                choices[2] = (1100 - 7) & 0xff;
                choices[3] = (1100 - 7) >> 8;
                zt_zfp_set_accuracy(&z, 1.0 / 128, NULL);
                break;
            case 3: zt_zfp_set_reversible(&z); break;
            default: /* 40, 600, 25, -30 */
                choices[8] = 40;
                choices[10] = 600 & 0xff;
                choices[11] = 600 >> 8;
                choices[12] = 25;
                choices[13] = (uint8_t)-30;
                choices[14] = 0xff;
                zt_zfp_set_expert(&z, 40, 600, 25, -30);
                break;
            }
            if (zt_zfp_compress_bound(NULL, &a.array, &z, &capacity) != ZT_OK)
                exit(1);
            uint8_t *out = need(ZFP_CHOICES + capacity);
            memcpy(out, choices, ZFP_CHOICES);
            if (zt_zfp_compress(NULL, &a.array, &z, out + ZFP_CHOICES, capacity, &bytes) != ZT_OK)
                exit(1);
            snprintf(name, sizeof name, "%s-%u-%u.zfp", type_name(type), rank, mode);
            corpus_write(folder, name, out, ZFP_CHOICES + bytes);
            free(out);
            test_array_free(&a);
        }
}

/* The layout is described in fuzz_zti.c: choices, length of the index, index, stream. */
static void make_zti(const char *folder)
{
    for (uint32_t kind = ZT_INDEX_OFFSETS; kind <= ZT_INDEX_COMPACT; kind++)
        for (uint32_t chunk = 1; chunk <= 3; chunk += 2) {
            const uint32_t type = kind - 1, rank = 1 + (kind + chunk) % ZT_MAX_RANK;
            struct test_array a = make_array(type, rank, DATA_SMOOTH);
            uint8_t choices[ZFP_CHOICES] = {0};
            zt_zfp z;
            zt_zfp_index index;
            size_t capacity, bytes;
            char name[64];
            zt_zfp_init(&z, sizeof z);
            z.word_bits = 8;
            z.flags = chunk == 1 ? ZT_ZFP_HEADER : 0;
            zt_zfp_set_precision(&z, 12, NULL);
            choices[0] = (uint8_t)((type - 1) | (rank - 1) << 2 | (chunk == 1 ? 16u : 0));
            choices[1] = 1;
            choices[2] = 12;
            for (uint32_t i = 0; i < rank; i++)
                choices[4 + i] = (uint8_t)(a.array.shape[i] - 1);
            zt_zfp_index_init(&index, sizeof index);
            index.kind = kind;
            index.chunk = chunk;
            if (zt_zfp_compress_bound(NULL, &a.array, &z, &capacity) != ZT_OK ||
                zt_zfp_index_bound(NULL, &a.array, &z, &index, &index.capacity_bytes) != ZT_OK)
                exit(1);
            uint8_t *stream = need(capacity);
            index.bytes = need(index.capacity_bytes);
            if (zt_zfp_compress_indexed(NULL, &a.array, &z, stream, capacity, &bytes, &index) !=
                ZT_OK)
                exit(1);
            uint8_t *out = need(ZFP_CHOICES + 2 + index.index_bytes + bytes);
            memcpy(out, choices, ZFP_CHOICES);
            out[ZFP_CHOICES] = (uint8_t)index.index_bytes;
            out[ZFP_CHOICES + 1] = (uint8_t)(index.index_bytes >> 8);
            memcpy(out + ZFP_CHOICES + 2, index.bytes, index.index_bytes);
            memcpy(out + ZFP_CHOICES + 2 + index.index_bytes, stream, bytes);
            snprintf(name, sizeof name, "%s-%u-%u-%u.zti", type_name(type), rank, kind, chunk);
            corpus_write(folder, name, out, ZFP_CHOICES + 2 + index.index_bytes + bytes);
            free(out);
            free(stream);
            free(index.bytes);
            test_array_free(&a);
        }
}

/* The layout is described in fuzz_ndzip.c. Values that compress well: a tile has 4096. */
static void make_ndzip(const char *folder)
{
    static const uint64_t shapes[][ZT_MAX_RANK] = {{4100}, {64, 130}, {16, 16, 33}};
    for (uint32_t type = ZT_F32; type <= ZT_F64; type++)
        for (uint32_t rank = 1; rank <= 3; rank++) {
            uint8_t choices[8] = {(uint8_t)((type - 1) | (rank - 1) << 1)};
            int64_t stride[ZT_MAX_RANK];
            size_t capacity, bytes;
            char name[64];
            contiguous_strides(rank, shapes[rank - 1], stride);
            struct test_array a = test_array_new(type, rank, shapes[rank - 1], stride);
            fill_array(&a.array, DATA_CONSTANT, type);
            for (uint32_t i = 0; i < rank; i++) {
                choices[2 + 2 * i] = (uint8_t)(a.array.shape[i] - 1);
                choices[3 + 2 * i] = (uint8_t)((a.array.shape[i] - 1) >> 8);
            }
            if (zt_ndzip_compress_bound(NULL, &a.array, &capacity) != ZT_OK)
                exit(1);
            uint8_t *out = need(sizeof choices + capacity);
            memcpy(out, choices, sizeof choices);
            if (zt_ndzip_compress(NULL, &a.array, out + sizeof choices, capacity, &bytes) != ZT_OK)
                exit(1);
            snprintf(name, sizeof name, "%s-%u.ndz", type_name(type), rank);
            corpus_write(folder, name, out, sizeof choices + bytes);
            free(out);
            test_array_free(&a);
        }
}

/* Alphabets, counts and laws: nothing, one symbol, two, a few, many; a byte of choices before each
 * stream (fuzz_huffman.c). */
static void make_huffman(const char *folder)
{
    static const struct {
        const char *name;
        uint32_t alphabet, spread, count;
        uint8_t choices;
    } seeds[] = {{"empty", 10, 1, 0, 1},        {"one", 65536, 1, 300, 5},
                 {"two", 256, 2, 100, 4},       {"few", 300, 9, 700, 5},
                 {"two-parts", 40, 6, 1100, 4}, {"two-chunks", 16, 3, 4200, 13},
                 {"many", 65536, 400, 600, 6}};
    for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
        struct rng r = {k};
        uint16_t *symbols = need(seeds[k].count * sizeof *symbols + 1);
        for (uint32_t i = 0; i < seeds[k].count; i++)
            symbols[i] = (uint16_t)(seeds[k].alphabet / 2 +
                                    rng_below(&r, seeds[k].spread) * rng_below(&r, 2));
        size_t capacity, bytes;
        char name[64];
        if (zt_huffman_bound(seeds[k].count, seeds[k].alphabet, &capacity) != ZT_OK)
            exit(1);
        uint8_t *out = need(capacity + 1);
        out[0] = seeds[k].choices;
        if (zt_huffman_encode(NULL, symbols, 2, seeds[k].count, seeds[k].alphabet, out + 1,
                              capacity, &bytes) != ZT_OK)
            exit(1);
        snprintf(name, sizeof name, "%s.zthf", seeds[k].name);
        corpus_write(folder, name, out, bytes + 1);
        free(out);
        free(symbols);
    }
}

/* Blocks of every kind, whole, and with room for checks that a target makes fit; and bytes that are
 * coded (fuzz_block.c). */
static void make_block(const char *folder)
{
    static const char text[] = "ACGTTGCAACGGTACGATTACAGGACATTACCAGTACGT";
    for (uint32_t kind = ZT_SYMBOLS_BYTES; kind <= ZT_SYMBOLS_KMERS; kind++)
        for (uint32_t fits = 0; fits < 2; fits++) {
            uint8_t out[2 + 4096];
            char name[64];
            size_t bytes, capacity;
            zt_entropy e;
            (void)zt_entropy_init(&e, sizeof e);
            e.symbols = kind;
            e.k = 3;
            e.is_last = fits;
            if (zt_entropy_bound(sizeof text, &capacity) != ZT_OK ||
                zt_entropy_encode(NULL, text, sizeof text - 1, &e, out + 2, sizeof out - 2,
                                  &bytes) != ZT_OK)
                exit(1);
            size_t head = 6; /* a stream begins with its magic, behind the check of the head */
            while (memcmp(out + 2 + head, "zthf", 4) != 0)
                head++;
            out[0] = (uint8_t)(2 * fits);
            out[1] = (uint8_t)(head - 8);
            snprintf(name, sizeof name, "block-%u-%u", kind, fits);
            corpus_write(folder, name, out, bytes + 2);
            out[0] = (uint8_t)(1 | kind << 2 | 4 << 4);
            memcpy(out + 2, text, sizeof text);
            snprintf(name, sizeof name, "bytes-%u-%u", kind, fits);
            corpus_write(folder, name, out, (fits ? 7 : sizeof text) + 2);
        }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*make)(const char *folder);
    } targets[] = {{"zt", make_zt},       {"zt", make_empty},        {"zt", make_special},
                   {"zt", make_sz},       {"zfp", make_zfp},         {"zti", make_zti},
                   {"ndzip", make_ndzip}, {"huffman", make_huffman}, {"npy", make_npy},
                   {"write", make_write}, {"index", make_index},     {"h5ztile", make_h5ztile},
                   {"h5zfp", make_h5zfp}, {"block", make_block}};
    if (argc != 2) {
        fprintf(stderr, "use: make_corpus FOLDER\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        char folder[4096];
        snprintf(folder, sizeof folder, "%s/%s", argv[1], targets[i].name);
        targets[i].make(folder);
    }
    return 0;
}
