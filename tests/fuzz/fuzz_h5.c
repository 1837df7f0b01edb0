/* fuzz_h5.c: any bytes as a chunk that HDF5 gives a filter (built once for each plug-in), with any
 * cd_values. The filter returns 0 with the buffer as it was, or the size of a buffer that it has
 * made in its place.
 *
 * Input: a byte: bit 0 compress, bits 1-5 how many cd_values; those, 4 bytes each; the chunk. A
 * chunk of the ztile filter is tried once more with its checksums made right. */
#include "fuzz.h"
#include "abi.h"
#include "zt_repair.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 31, REVERSE = 0x100 };

static void try_chunk(const struct zh_class *plugin, bool compresses, size_t count,
                      const unsigned *words, const uint8_t *chunk, size_t bytes, bool repairs)
{
    size_t room = bytes;
    uint8_t *const before = malloc(bytes + 1);
    void *buffer = before;
    fuzz_require(before, "no memory");
    if (bytes)
        memcpy(before, chunk, bytes);
    if (repairs)
        zt_repair(before, bytes);
    const size_t n = plugin->filter(compresses ? 0 : REVERSE, count, words, bytes, &room, &buffer);
    if (n == 0)
        fuzz_require(buffer == before && room == bytes, "a failed filter took the buffer");
    else
        fuzz_require(n <= room || buffer == before, "a filter made more than its buffer holds");
    free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_bytes)
{
    const struct zh_class *plugin = H5PLget_plugin_info();
    unsigned words[WORDS_MOST] = {0};
    if (data_bytes < 1)
        return 0;
    const size_t count = data[0] >> 1 & 31, used = 1 + 4 * count;
    if (used > data_bytes)
        return 0;
    for (size_t i = 0; i < count; i++)
        for (int b = 0; b < 4; b++)
            words[i] |= (unsigned)data[1 + 4 * i + (size_t)b] << 8 * b;
    try_chunk(plugin, data[0] & 1, count, words, data + used, data_bytes - used, false);
    if (!(data[0] & 1))
        try_chunk(plugin, false, count, words, data + used, data_bytes - used, true);
    return 0;
}
