/* fuzz_block.c: any bytes as a block of zt_entropy_encode: as they are, and with checks of head and
 * stream that fit, so that what comes behind them is reached; and any bytes as what is coded. Also
 * with failing memory.
 *
 * Input: a byte of choices, then the bytes.
 *   bit  0    they are coded, and come back; else they are a block
 *   bit  1    the checks are made to fit: byte 1 says how long the head is
 *   bits 2-3  kind of symbols that are coded, bits 4-7 k */
#include "fuzz.h"
#include "ztile_huffman.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { CHECK_BYTES = 8 };

static void fix(uint8_t *bytes, size_t n)
{
    const uint64_t check = XXH3_64bits(bytes, n);
    for (int b = 0; b < CHECK_BYTES; b++)
        bytes[n + (size_t)b] = (uint8_t)(check >> 8 * b);
}

static void read_block(zt_context *context, const uint8_t *block, size_t n)
{
    zt_entropy e;
    uint64_t bytes, claimed;
    (void)zt_entropy_init(&e, sizeof e);
    zt_status s = zt_entropy_inspect(context, block, n, &e, &bytes, &claimed);
    if (s == ZT_OK && bytes <= FUZZ_MOST_RAW_BYTES) {
        uint8_t *out = malloc((size_t)bytes + 1);
        fuzz_require(out, "no memory");
        out[bytes] = 0xb7;
        s = zt_entropy_decode(context, block, claimed < n ? (size_t)claimed : n, out, bytes);
        fuzz_require(out[bytes] == 0xb7, "decoding wrote behind the bytes");
        free(out);
    }
    fuzz_require(s == ZT_OK || zt_context_error(context)[0] != 0,
                 "an error came without a sentence");
}

static void write_block(zt_context *context, const uint8_t *data, size_t n, uint8_t choices,
                        bool has_memory)
{
    zt_entropy e;
    size_t capacity, used = 0;
    (void)zt_entropy_init(&e, sizeof e);
    e.symbols = choices >> 2 & 3;
    e.k = choices >> 4;
    fuzz_require(zt_entropy_bound(n, &capacity) == ZT_OK, "there is no bound");
    uint8_t *out = malloc(capacity), *back = malloc(n + 1);
    fuzz_require(out && back, "no memory");
    const zt_status s = zt_entropy_encode(context, data, n, &e, out, capacity, &used);
    fuzz_require(s == ZT_OK || s == ZT_BAD_ARG || (s == ZT_NO_MEMORY && !has_memory),
                 "bytes cannot be encoded");
    if (s == ZT_OK && has_memory)
        fuzz_require(zt_entropy_decode(context, out, used, back, n) == ZT_OK &&
                         memcmp(back, data, n) == 0,
                     "bytes changed");
    free(back);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_bytes)
{
    if (data_bytes < 2)
        return 0;
    const uint8_t choices = data[0];
    const size_t n = data_bytes - 2, head = data[1];
    uint8_t *copy = malloc(n + 1);
    fuzz_require(copy, "no memory");
    memcpy(copy, data + 2, n);
    if ((choices & 2) && head + 2 * CHECK_BYTES <= n) {
        fix(copy, head);
        fix(copy + head + CHECK_BYTES, n - head - 2 * CHECK_BYTES);
    }
    for (uint64_t fail_at = 0; fail_at < 6; fail_at++) {
        struct fuzz_memory memory;
        zt_context *context = fail_at == 1 ? NULL : fuzz_context(&memory, fail_at);
        if (!context) /* the first memory is the context itself */
            continue;
        if (choices & 1)
            write_block(context, copy, n, choices, fail_at == 0);
        else
            read_block(context, copy, n);
        fuzz_context_free(context, &memory);
    }
    free(copy);
    return 0;
}
