/* fuzz_zfp.c: any bytes as a bare zfp stream, with and without a header. A bare stream has no
 * checksum, so any bits decode to something or are refused; what matters is that the calls return
 * and touch nothing but the array, or the stream whose box is written, also with failing memory.
 *
 * Input: the choices of fuzz_choices, then the stream. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

/* Decode into an array with space before, between and behind its elements, which must stay. */
static void decode(zt_context *context, const uint8_t *stream, size_t bytes, const zt_zfp *zfp,
                   zt_type type, uint32_t rank, const uint64_t *shape)
{
    size_t raw_bytes, consumed = 0;
    if (!fuzz_raw_bytes(type, rank, shape, &raw_bytes))
        return;
    size_t element = zt_type_bytes(type), room = 2 * raw_bytes + element;
    uint8_t *memory = malloc(room);
    fuzz_require(memory, "no memory");
    memset(memory, 0xb7, room);
    zt_array out = zt_array_nd(memory + element, type, rank, shape);
    for (uint32_t i = 0; i < rank; i++)
        out.stride[i] *= 2; /* every second element */
    zt_status s = zt_zfp_decompress(context, stream, bytes, zfp, &out, &consumed);
    fuzz_require(s != ZT_OK || consumed <= bytes + 8, "more was consumed than is there");
    fuzz_require(s == ZT_OK || zt_context_error(context)[0] != 0,
                 "an error came without a sentence");
    for (size_t at = 0; at < room; at += 2 * element)
        for (size_t i = 0; i < element; i++)
            fuzz_require(memory[at + i] == 0xb7, "decoding wrote between the elements");
    free(memory);
}

/* Write zeros to a box in the middle: inside the stream or not at all. */
static void write_box(zt_context *context, const uint8_t *stream, size_t bytes, const zt_zfp *zfp,
                      zt_type type, uint32_t rank, const uint64_t *shape)
{
    size_t raw_bytes;
    uint64_t extents[ZT_MAX_RANK];
    zt_box box;
    if (!fuzz_raw_bytes(type, rank, shape, &raw_bytes))
        return;
    for (uint32_t i = 0; i < rank; i++) {
        extents[i] = (shape[i] + 2) / 3;
        box.lo[i] = shape[i] / 3;
        box.hi[i] = box.lo[i] + extents[i];
    }
    uint8_t *copy = malloc(bytes > 0 ? bytes : 1), *zeros = calloc(1, raw_bytes);
    fuzz_require(copy && zeros, "no memory");
    memcpy(copy, stream, bytes);
    const zt_array whole = zt_array_nd(NULL, type, rank, shape);
    const zt_array values = zt_array_nd(zeros, type, rank, extents);
    zt_status s = zt_zfp_write_box(context, copy, bytes, zfp, &whole, &box, &values);
    fuzz_require(s == ZT_OK || memcmp(copy, stream, bytes) == 0,
                 "a failing call changed the stream");
    fuzz_require(s == ZT_OK || zt_context_error(context)[0] != 0,
                 "an error came without a sentence");
    free(copy);
    free(zeros);
}

static void try_stream(const uint8_t *data, size_t bytes, uint64_t fail_at)
{
    struct fuzz_memory memory;
    zt_context *context = fuzz_context(&memory, fail_at);
    if (!context)
        return;
    uint32_t header_bits;
    zt_zfp zfp;
    zt_array described = fuzz_choices(data, &zfp);
    const uint8_t *stream = data + FUZZ_CHOICES;
    size_t stream_bytes = bytes - FUZZ_CHOICES;
    decode(context, stream, stream_bytes, &zfp, (zt_type)described.type, described.rank,
           described.shape);
    write_box(context, stream, stream_bytes, &zfp, (zt_type)described.type, described.rank,
              described.shape);
    if (zt_zfp_read_header(context, stream, stream_bytes, &zfp, &described, &header_bits) ==
        ZT_OK) {
        zfp.flags |= ZT_ZFP_HEADER;
        decode(context, stream, stream_bytes, &zfp, (zt_type)described.type, described.rank,
               described.shape);
        write_box(context, stream, stream_bytes, &zfp, (zt_type)described.type, described.rank,
                  described.shape);
    }
    fuzz_context_free(context, &memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_bytes)
{
    if (data_bytes < FUZZ_CHOICES)
        return 0;
    for (uint64_t fail_at = 0; fail_at < 4; fail_at++)
        if (fail_at != 1) /* the first one is the context itself */
            try_stream(data, data_bytes, fail_at);
    return 0;
}
