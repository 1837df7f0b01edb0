/* fuzz_index.c: any bytes as an index section, of a stream of any length; and as the tables of ANS
 * models with streams of symbols. Inner functions of the library, which see bytes of files.
 *
 * Input: a byte: 0 index, 1 ANS; then numbers and bytes as tried below. */
#include "fuzz.h"

#include "entropy/ans.h"
#include "index/index.h"

#include <stdlib.h>
#include <string.h>

/* 4 bytes tiles, 5 bytes units, then the index. Look-ups never go back in time of their own, but
 * must stay inside; those of a good index never decrease. */
static void try_index(const uint8_t *data, size_t bytes, uint64_t fail_at)
{
    struct fuzz_memory memory;
    struct zti_index index;
    uint64_t tiles = 0, units = 0;
    if (bytes < 9)
        return;
    zt_context *context = fuzz_context(&memory, fail_at);
    if (!context)
        return;
    for (int i = 0; i < 3; i++)
        tiles |= (uint64_t)data[i] << 8 * i;
    for (int i = 0; i < 5; i++)
        units |= (uint64_t)data[4 + i] << 8 * i;
    const size_t n = bytes - 9;
    uint8_t *copy = malloc(n ? n : 1);
    fuzz_require(copy, "no memory");
    if (n)
        memcpy(copy, data + 9, n);
    const zt_status s = zti_index_open(context, copy, n, tiles + 1, units, &index);
    if (s == ZT_OK) {
        const uint64_t step = index.chunks / 3000 + 1;
        for (uint64_t chunk = 0; chunk <= index.chunks; chunk += step)
            fuzz_require(zti_index_start(&index, chunk) <= index.end, "a look-up beyond the end");
        fuzz_require(zti_index_start(&index, index.chunks) <= units, "an end beyond the stream");
        zti_index_close(context, &index);
    }
    fuzz_require(s == ZT_OK || zt_context_error(context)[0] != 0,
                 "an error came without a sentence");
    free(copy);
    fuzz_context_free(context, &memory);
}

/* A byte: ways; a byte: models less 1 (mod 3); 2 bytes alphabet; 2 bytes symbols; then tables and a
 * stream. */
static void try_ans(const uint8_t *data, size_t bytes, uint64_t fail_at)
{
    enum { MODELS = 3, GROUPS = 1024 };
    struct fuzz_memory memory;
    struct zti_ans_model models[MODELS];
    uint8_t model_of[GROUPS];
    uint32_t count = 0;
    if (bytes < 6)
        return;
    zt_context *context = fuzz_context(&memory, fail_at);
    if (!context)
        return;
    const uint32_t wanted = 1 + data[1] % MODELS;
    const uint32_t alphabet = 1 + (data[2] | (uint32_t)data[3] << 8) % ZTI_ANS_MAX_ALPHABET;
    const size_t n = data[4] | (size_t)data[5] << 8;
    uint8_t *copy = malloc(bytes - 6 + 1);
    uint16_t *symbols = malloc((n + 1) * sizeof *symbols);
    fuzz_require(copy && symbols, "no memory");
    memcpy(copy, data + 6, bytes - 6);
    symbols[n] = 0xb7b7;
    struct zti_bit_reader reader = {copy, 0, (bytes - 6) * 8};
    while (count < wanted && zti_ans_take(context, &reader, alphabet, &models[count]) == ZT_OK)
        count++;
    for (size_t i = 0; i < GROUPS; i++)
        model_of[i] = (uint8_t)(count ? (i * 7 + data[0]) % count : 0);
    const struct zti_ans_plan plan = {.models = models, .model_of = model_of, .n = n,
                                      .ways = 1u << data[0] % 3,
                                      .isa = (uint32_t)zt_context_isa(NULL)};
    if (count == wanted && zti_ans_decode(&plan, &reader, symbols))
        for (size_t i = 0; i < n; i++)
            fuzz_require(symbols[i] < alphabet, "a symbol that is none of the alphabet's");
    fuzz_require(symbols[n] == 0xb7b7, "decoding wrote behind the symbols");
    while (count > 0)
        zti_ans_free(context, &models[--count]);
    free(copy);
    free(symbols);
    fuzz_context_free(context, &memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_bytes)
{
    if (data_bytes < 1)
        return 0;
    for (uint64_t fail_at = 0; fail_at < 4; fail_at = fail_at ? fail_at + 1 : 2) {
        if (data[0] & 1)
            try_ans(data + 1, data_bytes - 1, fail_at);
        else
            try_index(data + 1, data_bytes - 1, fail_at);
    }
    return 0;
}
