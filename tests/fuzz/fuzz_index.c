/* fuzz_index.c: any bytes as an index section, of a stream of any length; and as the tables of ANS
 * models with streams of symbols. Inner functions of the library, which see bytes of files.
 *
 * Input: a byte: 0 index, 1 ANS; then numbers and bytes as tried below. */
#include "fuzz.h"

#include "entropy/ans/mixed.h"
#include "support/checked_index.h"

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
    const zt_status s = checked_index(context, copy, n, tiles + 1, units, &index);
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

/* A byte of which contexts are made; a byte: models less 1 (mod 3) + 3 for many states (mod 6);
 * 2 bytes alphabet; 2 bytes symbols; then tables, to a whole byte, and a stream. */
static void try_ans(const uint8_t *data, size_t bytes, uint64_t fail_at)
{
    enum { MODELS = 3, MOST_ALPHABET = 256 }; /* symbols of such streams are bytes */
    struct fuzz_memory memory;
    struct zti_ans_model models[MODELS];
    const uint32_t *tables[MODELS];
    struct zti_ans_mixed stream;
    uint32_t count = 0;
    if (bytes < 6)
        return;
    zt_context *context = fuzz_context(&memory, fail_at);
    if (!context)
        return;
    const uint32_t wanted = 1 + data[1] % MODELS;
    const uint32_t states = data[1] / MODELS % 2 ? ZTI_ANS_MANY : ZTI_ANS_FEW;
    const uint32_t alphabet = 1 + (data[2] | (uint32_t)data[3] << 8) % MOST_ALPHABET;
    const size_t n = data[4] | (size_t)data[5] << 8;
    uint8_t *copy = malloc(bytes - 6 + 1), *contexts = malloc(n + 1), *symbols = malloc(n + 1);
    fuzz_require(copy && contexts && symbols, "no memory");
    memcpy(copy, data + 6, bytes - 6);
    symbols[n] = 0xb7;
    struct zti_bit_reader reader = {copy, 0, (bytes - 6) * 8};
    while (count < wanted && zti_ans_load(context, &reader, alphabet, &models[count]) == ZT_OK) {
        tables[count] = models[count].decode;
        count++;
    }
    for (size_t i = 0; i < n; i++)
        contexts[i] = (uint8_t)((i / 5 * 7 + data[0]) % wanted);
    reader.at = (reader.at + 7) / 8 * 8;
    if (count == wanted && reader.at <= reader.end &&
        zti_ans_mixed_open(&stream, &reader, states)) {
        for (size_t i = 0, piece; i < n; i += piece) {
            piece = (i * 3 + data[0]) % 50 + 1 < n - i ? (i * 3 + data[0]) % 50 + 1 : n - i;
            zti_ans_mixed_decode(&stream, tables, contexts + i, piece, symbols + i);
        }
        for (size_t i = 0; i < n; i++)
            fuzz_require(symbols[i] < alphabet, "a symbol that is none of the alphabet's");
        (void)zti_ans_mixed_ends(&stream);
    }
    fuzz_require(symbols[n] == 0xb7, "decoding wrote behind the symbols");
    while (count > 0)
        zti_ans_free(context, &models[--count]);
    free(copy);
    free(contexts);
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
