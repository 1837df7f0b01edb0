/* make_corpus_more.c: seeds of the targets that are not fed with streams alone: npy, write, index,
 * h5ztile, h5zfp. Part of make_corpus. */
#include "make_corpus.h"
#include "ztile_zfp.h"

#include "entropy/ans/mixed.h"
#include "index/index.h"
#include "support/support.h"
#include "ztile_h5.h"

#include <stdlib.h>
#include <string.h>

void make_npy(const char *folder)
{
    static const char *const dicts[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }",
        "{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3, 2), }",
        "{'shape': (5,), 'fortran_order': False, 'descr': '|i4'}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2, 1, 3)}"};
    for (size_t i = 0; i < sizeof dicts / sizeof *dicts; i++) {
        uint8_t file[512];
        char name[64];
        const size_t version = 1 + i % 3, head = version == 1 ? 10 : 12;
        const size_t text = (head + strlen(dicts[i]) + 1 + 63) / 64 * 64 - head;
        memset(file, ' ', sizeof file);
        memcpy(file, "\x93NUMPY", 6);
        file[6] = (uint8_t)version;
        file[7] = 0;
        for (size_t b = 0; b < head - 8; b++)
            file[8 + b] = (uint8_t)(text >> 8 * b);
        memcpy(file + head, dicts[i], strlen(dicts[i]));
        file[head + text - 1] = '\n';
        for (size_t b = 0; b < 96; b++)
            file[head + text + b] = (uint8_t)(b * 37);
        snprintf(name, sizeof name, "v%zu-%zu.npy", version, i);
        static const size_t data[] = {48, 96, 20, 48};
        corpus_write(folder, name, file, head + text + data[i]);
    }
}

/* Bytes as fuzz_write.c reads them. */
void make_write(const char *folder)
{
    for (uint32_t i = 0; i < 24; i++) {
        uint8_t bytes[24 + 512] = {0};
        const uint32_t type = i % 4, rank = i / 4 % 4;
        const double bounds[] = {1e-3, 1e-12, 0.5, 1e300, 5e-324, 1e-2};
        struct rng r = {i};
        char name[64];
        bytes[0] = (uint8_t)(type | rank << 2 | (i % 5 ? 0u : 16u) | (i % 7 ? 0u : 32u));
        bytes[1] = (uint8_t)(i / 2);
        bytes[2] = (uint8_t)(i % 8);
        bytes[3] = (uint8_t)(i / 3);
        for (int k = 4; k < 8; k++)
            bytes[k] = (uint8_t)rng_below(&r, 9);
        memcpy(bytes + 8, &bounds[i % 6], sizeof *bounds);
        bytes[16] = (uint8_t)(i % 6);
        bytes[17] = (uint8_t)(i % 3 * 40);
        bytes[18] = (uint8_t)(i * 3);
        bytes[19] = (uint8_t)(i % 4);
        bytes[20] = (uint8_t)(i % 4 == 0);
        uint64_t n = 128;
        int64_t stride;
        contiguous_strides(1, &n, &stride);
        const zt_array a = zt_array_1d(bytes + 24, type % 2 ? ZT_I32 : ZT_F32, 128);
        fill_array(&a, (enum data_kind)(i % DATA_KINDS), i);
        snprintf(name, sizeof name, "%02u", i);
        corpus_write(folder, name, bytes, sizeof bytes);
    }
}

/* Bytes as fuzz_index.c reads them. */
void make_index(const char *folder)
{
    for (uint32_t kind = ZT_INDEX_OFFSETS; kind <= ZT_INDEX_COMPACT; kind++) {
        enum { CHUNKS = 300, TILES = 4 };
        uint64_t starts[CHUNKS + 1] = {0};
        struct rng r = {kind};
        uint8_t bytes[8192] = {0};
        char name[64];
        for (int i = 0; i < CHUNKS; i++)
            starts[i + 1] = starts[i] + rng_below(&r, 900);
        const struct zti_index_layout layout = {
            .kind = kind, .chunk_tiles = TILES, .partition = ZTI_INDEX_PARTITION};
        const uint32_t tiles = CHUNKS * TILES - 1;
        const size_t n = (size_t)zti_index_bytes(&layout, starts, CHUNKS);
        for (int b = 0; b < 4; b++) {
            bytes[1 + b] = (uint8_t)(tiles >> 8 * b);
            bytes[5 + b] = (uint8_t)(starts[CHUNKS] >> 8 * b);
        }
        zti_index_store(&layout, starts, CHUNKS, bytes + 10);
        snprintf(name, sizeof name, "index-%u", kind);
        corpus_write(folder, name, bytes, 10 + n);
    }
    for (uint32_t k = 0; k < 6; k++) { /* ANS: two models with streams of symbols */
        enum { ALPHABET = 60, SYMBOLS = 400 };
        const uint32_t states = k < 3 ? ZTI_ANS_FEW : ZTI_ANS_MANY;
        uint8_t bytes[4096] = {1, (uint8_t)k,    k < 3 ? 1 : 4, ALPHABET - 1,
                               0, SYMBOLS & 255, SYMBOLS >> 8};
        struct zti_ans_model models[2];
        uint64_t counts[2][ALPHABET] = {{0}};
        uint8_t symbols[SYMBOLS], contexts[SYMBOLS];
        const struct zti_ans_model *const of[] = {&models[0], &models[1]};
        struct rng r = {k};
        char name[64];
        struct zti_bit_writer w = zti_bit_writer_at(bytes + 7);
        for (uint32_t i = 0; i < SYMBOLS; i++) {
            contexts[i] = (uint8_t)((i / 5 * 7 + k) % 2);
            symbols[i] = (uint8_t)(rng_below(&r, ALPHABET) * rng_below(&r, 2));
            counts[contexts[i]][symbols[i]]++;
        }
        for (int m = 0; m < 2; m++) {
            if (zti_ans_build(NULL, counts[m], ALPHABET, &models[m]) != ZT_OK)
                exit(1);
            zti_ans_write(&models[m], &w);
        }
        const size_t head = 7 + (size_t)(zti_bits_written(&w) + 7) / 8;
        zti_put_bits(&w, 0, 7);
        const size_t most = zti_ans_mixed_bytes(SYMBOLS);
        uint8_t *scratch = need(most);
        struct zti_ans_mixed_table table;
        if (zti_ans_mixed_make(NULL, of, 2, &table) != ZT_OK)
            exit(1);
        const uint8_t *codes =
            zti_ans_mixed_encode(&table, contexts, symbols, SYMBOLS, states, scratch);
        zti_ans_mixed_free(NULL, &table);
        const size_t n = (size_t)(scratch + most - codes);
        memcpy(bytes + head, codes, n);
        snprintf(name, sizeof name, "ans-%u", k);
        corpus_write(folder, name, bytes, head + n);
        free(scratch);
        zti_ans_free(NULL, &models[0]);
        zti_ans_free(NULL, &models[1]);
    }
}

/* A byte, cd_values, a chunk, as fuzz_h5.c reads them. */
static void write_chunk(const char *folder, const char *name, bool compresses, size_t count,
                        const unsigned *words, const void *chunk, size_t bytes)
{
    uint8_t *out = need(1 + 4 * count + bytes);
    out[0] = (uint8_t)(compresses | count << 1);
    for (size_t i = 0; i < count; i++)
        for (int b = 0; b < 4; b++)
            out[1 + 4 * i + (size_t)b] = (uint8_t)(words[i] >> 8 * b);
    memcpy(out + 1 + 4 * count, chunk, bytes);
    corpus_write(folder, name, out, 1 + 4 * count + bytes);
    free(out);
}

void make_h5ztile(const char *folder)
{
    float values[5][6];
    const uint64_t shape[] = {5, 6};
    const zt_array a = zt_array_nd(values, ZT_F32, 2, shape);
    const char *const asked[] = {"lossless", "abs=0.01", "rate=8", "expert=8:400:20:-30"};
    fill_array(&a, DATA_SMOOTH, 1);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct ztile_h5_config config;
        /* after what is asked: type, rank and fill; extents (docs/hdf5.md) */
        unsigned words[ZTILE_H5_STORED_AT + 3] = {0};
        uint8_t file[2048];
        size_t bytes;
        zt_params p;
        char name[64];
        if (ztile_h5_parse(asked[i], &config) != 0)
            exit(1);
        (void)ztile_h5_words(&config, words);
        words[0] |= 1;
        words[ZTILE_H5_STORED_AT] = ZT_F32 | 2u << 16;
        words[ZTILE_H5_STORED_AT + 1] = 5;
        words[ZTILE_H5_STORED_AT + 2] = 6;
        snprintf(name, sizeof name, "compress-%zu", i);
        write_chunk(folder, name, true, ZTILE_H5_STORED_AT + 3, words, values, sizeof values);
        zt_params_init(&p, sizeof p);
        p.bound = i == 0 ? zt_lossless() : zt_abs(0.01);
        if (zt_compress(NULL, &a, &p, file, sizeof file, &bytes) != ZT_OK)
            exit(1);
        snprintf(name, sizeof name, "chunk-%zu", i);
        write_chunk(folder, name, false, ZTILE_H5_STORED_AT + 3, words, file, bytes);
    }
}

void make_h5zfp(const char *folder)
{
    float values[5][6];
    const zt_array a = zt_array_2d(values, ZT_F32, 5, 6);
    fill_array(&a, DATA_SMOOTH, 1);
    for (unsigned i = 0; i < 3; i++) {
        /* as H5Z-ZFP stores them: version, magic, field and mode codes */
        unsigned words[6] = {0x10105111, 0x0570667a};
        uint8_t stream[2048];
        uint64_t field, mode;
        size_t bytes;
        zt_zfp zfp;
        char name[64];
        zt_zfp_init(&zfp, sizeof zfp);
        if (i == 0)
            zt_zfp_set_rate(&zfp, 9, ZT_F32, 2, 0, NULL);
        else if (i == 1)
            zt_zfp_set_accuracy(&zfp, 0.01, NULL);
        else
            zt_zfp_set_reversible(&zfp);
        if (zt_zfp_field_code(&a, &field) != ZT_OK ||
            zt_zfp_compress(NULL, &a, &zfp, stream, sizeof stream, &bytes) != ZT_OK)
            exit(1);
        mode = zt_zfp_mode_code(&zfp);
        words[2] = (unsigned)field;
        words[3] = (unsigned)(field >> 32 | mode << 20);
        words[4] = (unsigned)(mode >> 12);
        words[5] = (unsigned)(mode >> 44);
        snprintf(name, sizeof name, "chunk-%u", i);
        write_chunk(folder, name, false, 6, words, stream, bytes);
        snprintf(name, sizeof name, "compress-%u", i);
        write_chunk(folder, name, true, 6, words, values, sizeof values);
    }
}
