/* fuzz_huffman.c: any bytes as a stream of zt_huffman_encode: as they are, and with a checksum that
 * fits, so that what comes behind it is reached. What decodes must encode and decode to the same
 * symbols. Also with failing memory.
 *
 * Input: a byte of choices, then the stream.
 *   bits 0-1  width of the symbols that are asked for: 1, 2, 4, 4 bytes
 *   bit  2    the last eight bytes are replaced by the checksum
 *   bit  3    two threads */
#include "fuzz.h"
#include "ztile_huffman.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { CHECK_BYTES = 8 };

static void encode_again(zt_context *context, const void *symbols, uint32_t width, uint64_t count,
                         uint32_t alphabet)
{
    size_t capacity, bytes;
    fuzz_require(zt_huffman_bound(count, alphabet, &capacity) == ZT_OK, "there is no bound");
    uint8_t *out = malloc(capacity), *again = malloc((size_t)count * width + 1);
    fuzz_require(out && again, "no memory");
    fuzz_require(
        zt_huffman_encode(context, symbols, width, count, alphabet, out, capacity, &bytes) == ZT_OK,
        "what was decoded cannot be encoded");
    fuzz_require(zt_huffman_decode(context, out, bytes, again, width, count) == ZT_OK,
                 "what was encoded cannot be decoded");
    fuzz_require(memcmp(again, symbols, (size_t)count * width) == 0, "symbols changed");
    free(again);
    free(out);
}

static void try_stream(const uint8_t *stream, size_t bytes, uint8_t choices, uint64_t fail_at)
{
    static const uint32_t widths[] = {1, 2, 4, 4};
    const uint32_t width = widths[choices & 3];
    struct fuzz_memory memory;
    zt_context *context = fuzz_context(&memory, fail_at);
    if (!context)
        return;
    const zt_omp two = {.threads = 2};
    if (choices & 8)
        (void)zt_context_set_omp(context, &two); /* serial where the build has none */
    uint32_t alphabet;
    uint64_t count;
    zt_status s = zt_huffman_inspect(context, stream, bytes, &alphabet, &count);
    if (s == ZT_OK && count <= FUZZ_MOST_RAW_BYTES / width) {
        uint8_t *symbols = malloc((size_t)count * width + 1);
        fuzz_require(symbols, "no memory");
        symbols[count * width] = 0xb7;
        s = zt_huffman_decode(context, stream, bytes, symbols, width, count);
        fuzz_require(symbols[count * width] == 0xb7, "decoding wrote behind the symbols");
        if (s == ZT_OK && fail_at == 0)
            encode_again(context, symbols, width, count, alphabet);
        free(symbols);
    }
    fuzz_require(s == ZT_OK || zt_context_error(context)[0] != 0,
                 "an error came without a sentence");
    fuzz_context_free(context, &memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_bytes)
{
    if (data_bytes < 1)
        return 0;
    const size_t bytes = data_bytes - 1;
    uint8_t *copy = malloc(bytes + 1);
    fuzz_require(copy, "no memory");
    memcpy(copy, data + 1, bytes);
    if ((data[0] & 4) && bytes >= CHECK_BYTES) {
        const uint64_t check = XXH3_64bits(copy, bytes - CHECK_BYTES);
        for (int b = 0; b < CHECK_BYTES; b++)
            copy[bytes - CHECK_BYTES + (size_t)b] = (uint8_t)(check >> 8 * b);
    }
    for (uint64_t fail_at = 0; fail_at < 7; fail_at++)
        if (fail_at != 1) /* the first one is the context itself */
            try_stream(data[0] & 4 ? copy : data + 1, bytes, data[0], fail_at);
    free(copy);
    return 0;
}
